"""Replace several files of a working tree together: first every new content, then every rename.

A failure before the first rename leaves no trace. A failure after it puts the old bytes back; only
a process that is killed in between leaves some files new and some old (each of them whole).
Keeping a journal across that, too, is not done here yet.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from editblocks.errors import HeadMoved, RepoError
from editblocks.repos.folders import Folder, opened
from editblocks.repos.tree import components, prefixes

Effect = Callable[[str, str], None]  # told the name and the path of each effect, right before it


@dataclass(frozen=True, slots=True)
class Staged:
    """One file that waits for its rename. `status` and `before` are None for a new one, `temp` for a deletion."""

    path: str
    temp: str | None
    folder: tuple[int, int]  # device and inode of the directory that `temp` was written to
    status: os.stat_result | None
    before: bytes | None


class Staging:
    """The files of one write, below `top`."""

    def __init__(self, top: Folder, effect: Effect) -> None:
        self._top = top
        self._effect = effect
        self._staged: list[Staged] = []
        self._renamed: list[Staged] = []
        self._made: list[str] = []

    def add(self, path: str, data: bytes | None, before: bytes | None, status: os.stat_result | None) -> None:
        """Write `data` beside `path` (None: it is to be deleted); nobody sees it yet."""
        *parents, _ = components(path)
        if data is not None:
            self._make_parents(path)
        with opened(self._top, parents) as folder:
            temp = None if data is None else self._write(folder, path, data, status)
            self._staged.append(Staged(path, temp, folder.identity, status, before))

    def commit(self) -> None:
        """Put everything in its place. Raises `HeadMoved` if a file is no longer what it was in `add`."""
        for staged in self._staged:
            with self._unmoved(staged) as (folder, name):
                self._put(folder, name, staged)
        for directory in dict.fromkeys(staged.path.rpartition("/")[0] for staged in self._staged):
            self._effect("sync", directory)
            with opened(self._top, components(directory) if directory else ()) as folder:
                folder.sync()
        for staged in self._staged:
            if staged.temp is None:
                self._prune(staged.path)

    def undo(self) -> None:
        """Put back what was there before. Raises `RepoError` naming the files that cannot be."""
        lost = [staged.path for staged in reversed(self._renamed) if not self._restore(staged)]
        for staged in self._staged:
            if staged not in self._renamed and staged.temp is not None:
                with suppress(OSError), opened(self._top, components(staged.path)[:-1]) as folder:
                    folder.remove(staged.temp)
        for directory in reversed(self._made):
            *parents, name = components(directory)
            with suppress(OSError), opened(self._top, parents) as folder:
                folder.remove_directory(name)
        if lost:
            raise RepoError(f"the old bytes of {', '.join(lost)} cannot be put back; look at these files")

    def _make_parents(self, path: str) -> None:
        for directory in prefixes(path)[:-1]:
            *parents, name = components(directory)
            with opened(self._top, parents) as folder:
                try:
                    folder.stat(name)
                except FileNotFoundError:
                    self._effect("make", directory)
                    folder.make(name)
                    self._made.append(directory)

    def _write(self, folder: Folder, path: str, data: bytes, status: os.stat_result | None) -> str:
        temp = f".editblocks-{secrets.token_hex(8)}"
        self._effect("create", path)
        descriptor = folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            with os.fdopen(descriptor, "wb") as file:
                self._effect("write", path)
                file.write(data)
                file.flush()
                _keep(descriptor, status)
                self._effect("fsync", path)
                os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                folder.remove(temp)
            raise
        return temp

    @contextmanager
    def _unmoved(self, staged: Staged) -> Iterator[tuple[Folder, str]]:
        *parents, name = components(staged.path)
        with opened(self._top, parents) as folder:
            try:
                now = folder.stat(name)
            except FileNotFoundError:
                now = None
            if folder.identity != staged.folder or _mark(now) != _mark(staged.status):
                raise HeadMoved(f"{staged.path} changed while it was to be written; plan again")
            yield folder, name

    def _put(self, folder: Folder, name: str, staged: Staged) -> None:
        self._effect("replace", staged.path)
        if staged.temp is None:
            folder.remove(name)
        else:
            folder.replace(staged.temp, name)
        self._renamed.append(staged)

    def _restore(self, staged: Staged) -> bool:
        *parents, name = components(staged.path)
        try:
            with opened(self._top, parents) as folder:
                if staged.before is None:
                    folder.remove(name)
                else:
                    folder.replace(self._write(folder, staged.path, staged.before, staged.status), name)
        except OSError:
            return False
        return True

    def _prune(self, path: str) -> None:
        """Remove the directories that a deletion left empty, as git does."""
        for directory in reversed(prefixes(path)[:-1]):
            *parents, name = components(directory)
            with opened(self._top, parents) as folder:
                try:
                    folder.remove_directory(name)
                except OSError:
                    return


def _mark(status: os.stat_result | None) -> tuple[int, ...] | None:
    """What changes when somebody else writes or swaps the file."""
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_mode, status.st_nlink, status.st_size, status.st_mtime_ns


def _keep(descriptor: int, status: os.stat_result | None) -> None:
    """Give a new file the owner and the mode of the one it replaces; extended attributes are not carried over."""
    if status is None or not hasattr(os, "fchmod"):
        return
    fresh = os.fstat(descriptor)
    if (fresh.st_uid, fresh.st_gid) != (status.st_uid, status.st_gid):
        with suppress(PermissionError):  # only root may give files away; git does not keep owners at all
            os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
