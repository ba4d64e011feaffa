"""Replace several files of a working tree together: first every new content, then every rename.

A failure before the first rename leaves no trace, and one after it puts the old bytes back. A process
that is killed in between leaves some files new and some old, each of them whole; in a repository the next one takes
that back (`repos.journal.recovery`).
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import NamedTuple

from editblocks.core.errors import HeadMoved, RepoError
from editblocks.repos.files.directory import Folder, open_below
from editblocks.repos.files.names import to_bytes
from editblocks.repos.files.regular_files import Found, explain_errors
from editblocks.repos.files.tree_modes import EXECUTABLE, components, prefixes
from editblocks.repos.journal.records import FileChange, Version

Mark = tuple[int, ...]  # what changes when somebody else writes or swaps a file
Effect = Callable[[str, str], None]  # told the name and the path of each effect, right before it


def nothing(effect: str, path: str) -> None:
    """Do nothing: the effect goes ahead."""


class HalfWritten(RepoError):
    """Some files are new and some old, and the system does not let that be changed now."""


_TEMP = re.compile(r"\.editblocks-[0-9a-f]{16}-[0-9a-f]{12}\Z")


class Staged(NamedTuple):
    """One file that waits for its rename. `present` is None for a new one, `temp` for a deletion."""

    path: str
    temp: str | None
    folder: tuple[int, int]  # device and inode of the directory that `temp` was written to
    present: Found | None


class Staging:
    """The files of one write, below `top`; `effect` is called before each step and may raise.

    What is about to be done is noted first, as an interrupt may come before anything can be noted after it.
    """

    def __init__(self, top: Folder, effect: Effect) -> None:
        self._top = top
        self._effect = effect
        self._token = secrets.token_hex(8)
        self._staging: list[Staged] = []
        self._renames: list[Staged] = []
        self._made: list[str] = []
        self._fresh: dict[str, Mark | None] = {}  # what the new files look like; none for a deleted one

    def put(self, changes: Sequence[FileChange], present: Mapping[str, Found | None]) -> None:
        """Write every new side over what is `present`; whoever gets an error calls `undo`."""
        for change in changes:
            with explain_errors(change.path, "written"):
                self._add(change.path, change.new, present[change.path])
        with explain_errors(", ".join(change.path for change in changes), "written"):
            self._commit()

    def _add(self, path: str, version: Version | None, present: Found | None) -> None:
        """Write `version` beside `path` (None: it is to be deleted), with the mode of `present` if there is one.

        Nobody sees it yet.
        """
        *parents, _ = components(path)
        if version is not None:
            self._make_parents(path)
        with open_below(self._top, parents) as folder:
            temp = None if version is None else self._temp(path)
            self._staging.append(Staged(path, temp, folder.identity, present))
            if version is not None:
                self._fresh[path] = self._write(folder, path, version, present and present[1])

    def _commit(self) -> None:
        """Put everything in its place. Raises `HeadMoved` if a file is no longer what it was in `_add`."""
        for staged in self._staging:
            with self._open_unless_moved(staged) as (folder, name):
                self._swap(folder, name, staged)
        changed = [*(staged.path for staged in self._staging), *self._made]
        for directory in dict.fromkeys(path.rpartition("/")[0] for path in changed):
            self._effect("sync", directory)
            with open_below(self._top, components(directory) if directory else ()) as folder:
                folder.sync()

    def prune(self) -> None:
        """Remove the directories whose last file is gone: nothing is put back from now on."""
        for staged in self._staging:
            if staged.temp is None:
                prune(self._top, staged.path)

    def undo(self, error: BaseException) -> None:
        """Put back what was there before, because of `error`. Raises `HalfWritten` naming the files that cannot be."""
        lost = [staged.path for staged in reversed(self._renames) if not self._restore(staged)]
        for staged in self._staging:
            if staged.temp is not None:
                with suppress(OSError), open_below(self._top, components(staged.path)[:-1]) as folder:
                    folder.remove(staged.temp)
        remove_directories(self._top, self._made)
        if lost:
            reason = f"the old bytes of {', '.join(lost)} cannot be put back; look at these files"
            raise HalfWritten(f"{str(error) or 'interrupted'}; {reason}") from error

    def _make_parents(self, path: str) -> None:
        for directory in prefixes(path)[:-1]:
            *parents, name = components(directory)
            with open_below(self._top, parents) as folder:
                try:
                    folder.stat(name)
                except FileNotFoundError:
                    self._made.append(directory)
                    self._effect("make", directory)
                    folder.make(name)

    def _write(self, folder: Folder, path: str, version: Version, status: os.stat_result | None) -> Mark | None:
        temp = self._temp(path)
        self._effect("create", path)
        mode = 0o755 if version.mode == EXECUTABLE else 0o644
        descriptor = folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                self._effect("write", path)
                file.write(version.data)
                file.flush()
                _keep(descriptor, status)
                self._effect("fsync", path)
                os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                folder.remove(temp)
            raise
        return _mark_of(folder, temp)

    def _temp(self, path: str) -> str:
        """The name that the next bytes of `path` have beside it until they are in its place."""
        return f".editblocks-{self._token}-{sha256(to_bytes(path)).hexdigest()[:12]}"

    @contextmanager
    def _open_unless_moved(self, staged: Staged) -> Iterator[tuple[Folder, str]]:
        *parents, name = components(staged.path)
        with open_below(self._top, parents) as folder:
            now = _mark_of(folder, name)
            if folder.identity != staged.folder or now != _mark(staged.present and staged.present[1]):
                raise HeadMoved(f"{staged.path} changed while it was to be written; plan again")
            yield folder, name

    def _swap(self, folder: Folder, name: str, staged: Staged) -> None:
        self._renames.append(staged)
        self._effect("replace", staged.path)
        if staged.temp is None:
            folder.remove(name)
        else:
            folder.replace(staged.temp, name)

    def _restore(self, staged: Staged) -> bool:
        """Put back what was there; not over what somebody else has put there since."""
        *parents, name = components(staged.path)
        try:
            if staged.present is not None:
                self._make_parents(staged.path)  # the last step may have removed them
            with open_below(self._top, parents) as folder:
                now = _mark_of(folder, name)
                waits = staged.temp is not None and _mark_of(folder, staged.temp) is not None
                is_theirs = staged.temp is None and now is not None
                if waits or is_theirs or now == _mark(staged.present and staged.present[1]):
                    return True
                if now != self._fresh.get(staged.path):
                    return False
                if staged.present is None:
                    folder.remove(name)
                else:
                    data, status = staged.present
                    self._write(folder, staged.path, Version(data), status)
                    folder.replace(self._temp(staged.path), name)
        except OSError:
            return False
        return True


def remove_abandoned(top: Folder, paths: Iterable[str], before: float) -> None:
    """Remove temporary files of ours beside `paths` that were last written before a time, in seconds since 1970."""
    for parent in dict.fromkeys(path.rpartition("/")[0] for path in paths):
        with suppress(OSError), open_below(top, components(parent) if parent else ()) as folder:
            for name in folder.names():
                if _TEMP.match(name) and folder.stat(name).st_mtime < before:
                    folder.remove(name)


def prune(top: Folder, path: str) -> None:
    """Remove the directories above `path` that are empty now, as git does."""
    for directory in reversed(prefixes(path)[:-1]):
        *parents, name = components(directory)
        try:
            with open_below(top, parents) as folder:
                folder.remove_directory(name)
        except FileNotFoundError:
            continue
        except OSError:
            return


def remove_directories(top: Folder, directories: Collection[str]) -> None:
    """Remove directories that a write made, innermost first, unless somebody uses them."""
    for directory in sorted(directories, key=len, reverse=True):
        *parents, name = components(directory)
        with suppress(OSError), open_below(top, parents) as folder:
            folder.remove_directory(name)


def _mark_of(folder: Folder, name: str) -> Mark | None:
    try:
        return _mark(folder.stat(name))
    except FileNotFoundError:
        return None


def _mark(status: os.stat_result | None) -> Mark | None:
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
