"""Replace several files of a working tree together: first every new content, then every rename.

A failure before the first rename leaves no trace, and one after it puts the old bytes back. A process
that is killed in between leaves some files new and some old, each of them whole; with a journal
(`repos.journal`) the next one takes that back.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from editblocks.core.errors import HeadMoved, RepoError
from editblocks.repos.files.directory import Folder, open_below
from editblocks.repos.files.regular_files import Found
from editblocks.repos.files.tree_modes import components, prefixes
from editblocks.repos.journal.entry import JournalEntry, Version

Effect = Callable[[str, str], None]  # told the name and the path of each effect, right before it


class HalfWritten(RepoError):
    """Some files are new and some old, and the system does not let that be changed now."""


_TEMP = re.compile(r"\.editblocks-[0-9a-f]{16}-[0-9a-f]{12}\Z")  # as Entry.temp makes them
_ABANDONED = 3600.0  # seconds; no write takes a tenth of that


@dataclass(frozen=True, slots=True)
class Staged:
    """One file that waits for its rename. `present` is None for a new one, `temp` for a deletion."""

    path: str
    temp: str | None
    folder: tuple[int, int]  # device and inode of the directory that `temp` was written to
    present: Found | None


class Staging:
    """The files of one write, below `top`. `emptied`: which directories may go with their last file; None: any.

    What is about to be done is noted first, as an interrupt may come before anything can be noted after it.
    """

    def __init__(
        self, top: Folder, effect: Effect, entry: JournalEntry, emptied: Collection[str] | None = None
    ) -> None:
        self._top = top
        self._effect = effect
        self._entry = entry
        self._empty_folders = emptied
        self._staging: list[Staged] = []
        self._renames: list[Staged] = []
        self._made: list[str] = []

    def add(self, path: str, version: Version | None, present: Found | None) -> None:
        """Write `version` beside `path` (None: it is to be deleted), with the mode of `present` if there is one.

        Nobody sees it yet.
        """
        *parents, _ = components(path)
        if version is not None:
            self._make_parents(path)
        with open_below(self._top, parents) as folder:
            temp = None if version is None else self._entry.temp(path)
            self._staging.append(Staged(path, temp, folder.identity, present))
            if version is not None:
                self._write(folder, path, version, present and present[1])

    def commit(self) -> None:
        """Put everything in its place. Raises `HeadMoved` if a file is no longer what it was in `add`."""
        for staged in self._staging:
            with self._open_unless_moved(staged) as (folder, name):
                self._swap(folder, name, staged)
        changed = [*(staged.path for staged in self._staging), *self._made]
        for directory in dict.fromkeys(path.rpartition("/")[0] for path in changed):
            self._effect("sync", directory)
            with open_below(self._top, components(directory) if directory else ()) as folder:
                folder.sync()
        for staged in self._staging:
            if staged.temp is None:
                prune(self._top, staged.path, self._empty_folders)

    def undo(self) -> None:
        """Put back what was there before. Raises `HalfWritten` naming the files that cannot be."""
        lost = [staged.path for staged in reversed(self._renames) if not self._restore(staged)]
        for staged in self._staging:
            if staged.temp is not None:
                with suppress(OSError), open_below(self._top, components(staged.path)[:-1]) as folder:
                    folder.remove(staged.temp)
        remove_directories(self._top, self._made)
        if lost:
            raise HalfWritten(f"the old bytes of {', '.join(lost)} cannot be put back; look at these files")

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
                    if directory in self._entry.folders:
                        inherited = folder.stat(name).st_mode & stat.S_ISGID  # the group of the one above
                        with open_below(folder, (name,)) as parent:
                            parent.set_mode(self._entry.folders[directory] | inherited)

    def _write(self, folder: Folder, path: str, version: Version, status: os.stat_result | None) -> str:
        temp = self._entry.temp(path)
        self._effect("create", path)
        descriptor = folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            with os.fdopen(descriptor, "wb") as file:
                self._effect("write", path)
                file.write(version.data)
                file.flush()
                _keep(descriptor, version.mode, status)
                self._effect("fsync", path)
                os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                folder.remove(temp)
            raise
        return temp

    @contextmanager
    def _open_unless_moved(self, staged: Staged) -> Iterator[tuple[Folder, str]]:
        *parents, name = components(staged.path)
        with open_below(self._top, parents) as folder:
            try:
                now = folder.stat(name)
            except FileNotFoundError:
                now = None
            if folder.identity != staged.folder or _mark(now) != _mark(staged.present and staged.present[1]):
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
        *parents, name = components(staged.path)
        try:
            if staged.present is not None:
                self._make_parents(staged.path)  # the last step may have removed them
            with open_below(self._top, parents) as folder:
                if not _is_done(folder, name, staged):
                    return True
                if staged.present is None:
                    folder.remove(name)
                else:
                    data, status = staged.present
                    version = Version(data, stat.S_IMODE(status.st_mode))
                    folder.replace(self._write(folder, staged.path, version, status), name)
        except OSError:
            return False
        return True


def remove_abandoned(top: Folder, paths: Iterable[str], now: float) -> None:
    """Remove temporary files of ours beside `paths` that nobody can be at work on any more, by their age.

    For folders without a journal, which would know them. `now`: seconds since 1970.
    """
    for parent in dict.fromkeys(path.rpartition("/")[0] for path in paths):
        with suppress(OSError), open_below(top, components(parent) if parent else ()) as folder:
            for name in folder.names():
                if _TEMP.match(name) and now - folder.stat(name).st_mtime > _ABANDONED:
                    folder.remove(name)


def prune(top: Folder, path: str, emptied: Collection[str] | None = None) -> None:
    """Remove the directories above `path` that are empty now, as git does; of `emptied` alone, if given."""
    for directory in reversed(prefixes(path)[:-1]):
        if emptied is not None and directory not in emptied:
            return
        *parents, name = components(directory)
        try:
            with open_below(top, parents) as folder:
                folder.remove_directory(name)
        except OSError:
            return


def remove_directories(top: Folder, directories: Collection[str]) -> None:
    """Remove directories that a write made, innermost first, unless somebody uses them."""
    for directory in sorted(directories, key=len, reverse=True):
        *parents, name = components(directory)
        with suppress(OSError), open_below(top, parents) as folder:
            folder.remove_directory(name)


def _is_done(folder: Folder, name: str, staged: Staged) -> bool:
    """Whether the recorded step was completed: the temporary file has its new name, or the old file is gone."""
    try:
        folder.stat(name if staged.temp is None else staged.temp)
    except FileNotFoundError:
        return True
    return False


def _mark(status: os.stat_result | None) -> tuple[int, ...] | None:
    """What changes when somebody else writes or swaps the file."""
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_mode, status.st_nlink, status.st_size, status.st_mtime_ns


def _keep(descriptor: int, mode: int | None, status: os.stat_result | None) -> None:
    """Give a new file the owner and the mode of the one it replaces; extended attributes are not carried over.

    Where there is none, `mode` is that of a file that was there before, if any was.
    """
    if not hasattr(os, "fchmod"):
        return
    if status is None:
        if mode is not None:
            os.fchmod(descriptor, mode)
        return
    fresh = os.fstat(descriptor)
    if (fresh.st_uid, fresh.st_gid) != (status.st_uid, status.st_gid):
        with suppress(PermissionError):  # only root may give files away; git does not keep owners at all
            os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
