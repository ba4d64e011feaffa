"""Bytes that somebody is still writing: of a file, which is looked at again and again, or of a pipe."""

from __future__ import annotations

import os
import select
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, reason_of
from editblocks.faces.common.reading import read_source

_PIECE = 65536


class FollowedFile:
    """A file that grows, or is replaced; it may not be there yet. No more than `size` bytes of it are read."""

    is_over = False  # who knows whether somebody goes on writing?
    descriptor: int | None = None  # which tells when there is more

    def __init__(self, name: str, size: int) -> None:
        self.name, self._size = name, size
        self._last: tuple[int, ...] | None = None  # what told that there was something new
        self._data: bytes | None = None

    def look(self) -> bytes | None:
        """All that is there now, None if there is no such file. Raises `RepoError` if it cannot be read."""
        now: tuple[int, ...] = ()
        try:
            status = Path(self.name).stat()
            now = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        except OSError:  # reading it tells why
            pass
        if now != self._last:
            try:
                self._data = read_source(self.name, self._size)
            except RepoError as error:
                if error.code is not ReasonCode.FILE_NOT_FOUND:
                    raise
                self._data, now = None, ()
            self._last = now
        return self._data


class FollowedStream:
    """What comes through a pipe, `size` bytes at most."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.name = "standard input"
        self.descriptor: int | None = descriptor
        self.is_over = False
        self._size = size
        self._data = bytearray()

    def look(self) -> bytes | None:
        """All that has come so far. Raises `RepoError`."""
        while self.descriptor is not None and select.select([self.descriptor], [], [], 0)[0]:
            try:
                piece = os.read(self.descriptor, min(_PIECE, self._size - len(self._data)))
            except OSError as error:
                raise RepoError(f"{self.name} cannot be read: {reason_of(error)}") from error
            self._data += piece
            if not piece or len(self._data) >= self._size:
                self.descriptor, self.is_over = None, True
        return bytes(self._data)
