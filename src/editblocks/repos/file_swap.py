"""Replace several files of a working tree together: write all new contents first, then rename all files.

A failure before the first rename leaves no trace. After a later failure the old bytes are put back. After a kill some
files are new and some old, but each is complete. In a repository the next process restores them (`repos.undo`).
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from editblocks.core.errors import HeadMoved, RepoError
from editblocks.repos.directory import Folder, LoadedFile, explain_errors, kept_mode, open_directory, open_parent
from editblocks.repos.records import FileChange
from editblocks.repos.tree_modes import EXECUTABLE, FILE, FileState, prefixes

FileStamp = tuple[int, ...]  # values of a file's status that change if another process writes or replaces the file
Effect = Callable[[str, str], None]  # called with name and path of each system call right before it; may raise

_TEMP = r"\.editblocks-[0-9a-f]{16}-[0-9a-f]{12}\Z"


def nothing(effect: str, path: str) -> None:
    """Do nothing. The default of `effect`."""


class Staging:
    """The files of one write, below `top`. `effect` is called before each step and may raise.

    Each step is recorded before it is taken, because an interrupt may come right after it.
    """

    def __init__(self, top: Folder, effect: Effect) -> None:
        self._top = top
        self._effect = effect
        self._token = os.urandom(8).hex()
        self._numbers: dict[str, int] = {}  # a number for each path, part of the name of its temporary file
        self._present: Mapping[str, LoadedFile | None] = {}
        self._staged: list[FileChange] = []  # changes whose temporary files are written, in the order of the renames
        self._renamed: list[FileChange] = []
        self._folders: dict[str, tuple[int, int]] = {}  # device and inode of the directory of each path
        self._new_stamps: dict[str, FileStamp | None] = {}  # of the new files; a deleted file has no entry
        self._made: list[str] = []  # directories that were created

    def put(self, changes: Sequence[FileChange], present: Mapping[str, LoadedFile | None]) -> None:
        """Write all changes. Raises `HeadMoved` if a file is no longer as in `present`. After any error call `undo`."""
        self._present = present
        for change in changes:
            with explain_errors(change.path, "written"):
                self._stage(change)
        with explain_errors(", ".join(change.path for change in changes), "written"):
            for change in self._staged:
                self._swap(change)
            paths = [*(change.path for change in self._staged), *self._made]
            for directory in dict.fromkeys(path.rpartition("/")[0] for path in paths):
                self._effect("sync", directory)
                with open_directory(self._top, directory) as folder:
                    folder.sync()

    def undo(self, error: BaseException) -> None:
        """Put the old files back after `error`. Raises `RepoError` with the names of files that cannot be restored."""
        lost = [change.path for change in reversed(self._renamed) if not self._restore(change)]
        for change in self._staged:
            if change.new is not None:
                with suppress(OSError), open_parent(self._top, change.path) as (folder, _):
                    folder.remove(self._temp(change.path))
        for directory in sorted(self._made, key=len, reverse=True):  # the innermost first; fails if not empty
            with suppress(OSError), open_parent(self._top, directory) as (folder, name):
                folder.remove_directory(name)
        if lost:
            reason = f"the old bytes of {', '.join(lost)} cannot be put back; look at these files"
            raise RepoError(f"{str(error) or 'interrupted'}; {reason}") from error

    def _stage(self, change: FileChange) -> None:
        """Write the new bytes to a temporary file in the same directory, with the mode of the present file, if any."""
        if change.new is not None:
            self._make_parents(change.path)
        with open_parent(self._top, change.path) as (folder, _):
            self._staged.append(change)
            self._folders[change.path] = folder.identity
            if change.new is not None:
                self._new_stamps[change.path] = self._write(folder, change.path, change.new)

    def _make_parents(self, path: str) -> None:
        for directory in prefixes(path)[:-1]:
            with open_parent(self._top, directory) as (folder, name):
                if _stamp_at(folder, name) is None:
                    self._made.append(directory)
                    self._effect("make", directory)
                    folder.make(name)

    def _write(self, folder: Folder, path: str, new: FileState) -> FileStamp | None:
        temp = self._temp(path)
        present = self._present[path]
        git_mode, data = new
        self._effect("create", path)
        mode = 0o755 if git_mode == EXECUTABLE else 0o644
        descriptor = folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                self._effect("write", path)
                file.write(data)
                file.flush()
                if present is not None:
                    _keep(descriptor, present.status)
                self._effect("fsync", path)
                os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                folder.remove(temp)
            raise
        return _stamp_at(folder, temp)

    def _temp(self, path: str) -> str:
        """Return the name of the temporary file for `path`, in the same directory."""
        return f".editblocks-{self._token}-{self._numbers.setdefault(path, len(self._numbers)):012x}"

    def _swap(self, change: FileChange) -> None:
        with open_parent(self._top, change.path) as (folder, name):
            is_same_folder = folder.identity == self._folders[change.path]
            if not is_same_folder or _stamp_at(folder, name) != self._old_stamp(change.path):
                raise HeadMoved(f"{change.path} changed just before it was written; try again")
            self._renamed.append(change)
            self._effect("replace", change.path)
            if change.new is None:
                folder.remove(name)
            else:
                folder.replace(self._temp(change.path), name)

    def _old_stamp(self, path: str) -> FileStamp | None:
        present = self._present[path]
        return None if present is None else _stamp(present.status)

    def _restore(self, change: FileChange) -> bool:
        """Put the old file back. Return False if that fails, or if another process has changed the file since."""
        path = change.path
        present = self._present[path]
        try:
            if present is not None:
                self._make_parents(path)  # `prune` may have removed them
            with open_parent(self._top, path) as (folder, name):
                now = _stamp_at(folder, name)
                if now == self._old_stamp(path):
                    return True
                if change.new is None and now is not None:  # another process created a file after the deletion
                    return True
                if change.new is not None and _stamp_at(folder, self._temp(path)) is not None:  # not renamed yet
                    return True
                if now != self._new_stamps.get(path):
                    return False
                if present is None:
                    folder.remove(name)
                else:
                    self._write(folder, path, (FILE, present.data))
                    folder.replace(self._temp(path), name)
        except OSError:
            return False
        return True


def remove_abandoned(top: Folder, paths: Iterable[str]) -> None:
    """Remove temporary files that a killed process left in the directories of `paths`."""
    for parent in dict.fromkeys(path.rpartition("/")[0] for path in paths):
        with suppress(OSError), open_directory(top, parent) as folder:
            for name in folder.names():
                if re.match(_TEMP, name):
                    folder.remove(name)


def prune(top: Folder, removed: Iterable[str]) -> None:
    """Remove directories that are empty after `removed`, as git does. Called last, when nothing can be restored."""
    for path in removed:
        for directory in reversed(prefixes(path)[:-1]):
            with suppress(OSError), open_parent(top, directory) as (folder, name):
                folder.remove_directory(name)


def _stamp_at(folder: Folder, name: str) -> FileStamp | None:
    try:
        return _stamp(folder.stat(name))
    except FileNotFoundError:
        return None


def _stamp(status: os.stat_result) -> FileStamp:
    return status.st_dev, status.st_ino, kept_mode(status), status.st_nlink, status.st_size, status.st_mtime_ns


def _keep(descriptor: int, status: os.stat_result) -> None:
    """Give a new file the owner and the mode of the file it replaces. Extended attributes are not copied."""
    if sys.platform == "win32":
        return
    fresh = os.fstat(descriptor)
    if (fresh.st_uid, fresh.st_gid) != (status.st_uid, status.st_gid):
        with suppress(PermissionError):  # only root may change the owner, and git does not keep it
            os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
