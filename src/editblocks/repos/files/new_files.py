"""Files that are added to a folder, all of them or none, without a byte of anything that is there being changed.

No link is followed on the way, and a file that somebody else makes meanwhile is never written over. A failure takes
back what was made; only a process that is killed in between leaves some of it.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, reason_of
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, open_below
from editblocks.repos.files.tree_modes import components, prefixes


class NewFiles:
    """Files to add below `top`; an error inside removes all of them again. Raises `RepoError`."""

    def __init__(self, top: Path) -> None:
        self._place = top
        self._back = ExitStack()  # how to take back what was done, the last first

    def __enter__(self) -> NewFiles:
        try:
            self._top = Folder.top(self._place, HAS_DIR_FD)
        except OSError as error:
            raise _cannot(os.fspath(self._place), "opened", error) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._back.close()
        self._top.close()

    def is_there(self, path: str) -> bool:
        """Whether anything stands at `path`, be it a link that leads nowhere."""
        *parents, name = components(path)
        try:
            with open_below(self._top, parents) as folder:
                folder.stat(name)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _cannot(path, "looked up", error) from error
        return True

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None if nothing is there."""
        *parents, name = components(path)
        try:
            with open_below(self._top, parents) as folder:
                if not stat.S_ISREG(folder.stat(name).st_mode):
                    raise RepoError(
                        f"{path} is no file, and links are not followed; move it away", ReasonCode.NOT_A_FILE
                    )
                with os.fdopen(folder.open(name, os.O_RDONLY), "rb") as file:
                    return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _cannot(path, "read", error) from error

    def create(self, path: str, data: bytes) -> None:
        """A new file, with the folders above it."""
        *parents, name = components(path)
        for directory in prefixes(path)[:-1]:
            self._make(directory)
        try:
            with open_below(self._top, parents) as folder:
                descriptor = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
                self._back.callback(self._remove, path)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
        except OSError as error:
            raise _cannot(path, "created", error) from error

    def append(self, path: str, data: bytes) -> None:
        """More bytes at the end of a file that `read` has read, or a new one."""
        if not self.is_there(path):
            self.create(path, data)
            return
        *parents, name = components(path)
        try:
            with (
                open_below(self._top, parents) as folder,
                os.fdopen(folder.open(name, os.O_WRONLY | os.O_APPEND), "ab", buffering=0) as file,
            ):
                size = os.fstat(file.fileno()).st_size
                if file.write(data) != len(data):  # a full disk may take a part
                    file.truncate(size)
                    raise RepoError(f"{path} cannot be written: the disk is full; nothing was changed")
        except OSError as error:
            raise _cannot(path, "written", error) from error

    def _make(self, directory: str) -> None:
        *parents, name = components(directory)
        try:
            with open_below(self._top, parents) as folder:
                with suppress(FileExistsError):
                    folder.make(name)
                    self._back.callback(self._remove, directory)
                folder.enter(name).close()
        except OSError as error:
            raise _cannot(directory, "used as a folder", error) from error

    def _remove(self, path: str) -> None:
        *parents, name = components(path)
        with suppress(OSError), open_below(self._top, parents) as folder:
            if stat.S_ISDIR(folder.stat(name).st_mode):
                folder.remove_directory(name)
            else:
                folder.remove(name)


def _cannot(path: str, what: str, error: OSError) -> RepoError:
    if error.errno in (errno.ENOTDIR, errno.ELOOP):
        return RepoError(f"a link or a file stands in the way of {path}; move it away", ReasonCode.PATH_CONFLICT)
    return RepoError(f"{path} cannot be {what}: {reason_of(error)}; nothing was changed")
