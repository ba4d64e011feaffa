"""Where the journal of a working tree is, and the lock that serialises all who write to it.

A linked working tree has a journal of its own, in its own git directory.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from editblocks.repos.files.directory import HAS_DIR_FD, Folder
from editblocks.repos.files.file_lock import take
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.index.lock import remove_dead
from editblocks.repos.journal.journal import FOLDER, PLACE, Journal, Record, nothing

LOCK_SECONDS = 10.0

_LOCK = "lock"


def unfinished_record(root: Path) -> Record | None:
    """A write to the working tree at `root` that was interrupted, or goes on; looks only, and takes no lock."""
    place = git_folder(root)
    try:
        names = [item.name for item in (place / FOLDER).iterdir()] if place is not None else []
    except OSError:
        return None
    return next((record for record in map(Record.read, names) if record and not record.step.is_final), None)


def git_folder(root: Path) -> Path | None:
    """The git directory of the working tree whose top is `root`, its own one where it is a linked one, or None.

    Found as git does, without asking it: a process would cost more than the rest of a small write.
    """
    place = root / ".git"
    with suppress(OSError, ValueError):
        if place.is_file() and place.stat().st_size < 65_536:
            kind, _, target = place.read_bytes().partition(b": ")
            place = root / os.fsdecode(target.rstrip(b"\r\n")) if kind == b"gitdir" else place
        if place.is_dir() and os.path.lexists(place / "HEAD"):
            return place
    return None


@contextmanager
def read_journal(root: Path, *, dir_fd: bool = HAS_DIR_FD) -> Iterator[Journal | None]:
    """The journal of the working tree at `root` to look at, without its lock; None if there is none yet.

    Raises `RepoError` if it cannot be read.
    """
    place = git_folder(root)
    if place is None or not os.path.lexists(place / FOLDER):
        yield None
        return
    with explain_errors(PLACE, "read"):
        top = Folder.top(place, dir_fd)
        try:
            folder = top.enter(FOLDER)
        finally:
            top.close()
    try:
        yield Journal(folder, nothing)
    finally:
        folder.close()


@contextmanager
def locked_journal(
    root: Path,
    effect: Callable[[str, str], None],
    *,
    dir_fd: bool = HAS_DIR_FD,
    seconds: float = LOCK_SECONDS,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Journal | None]:
    """The journal of the working tree at `root`, locked as long as the block lasts; None without a repository.

    Raises `RepoError` if the lock is held for more than `seconds`, or if the folder cannot be used.
    """
    place = git_folder(root)
    if place is None:
        yield None
        return
    with explain_errors(PLACE, "written"):
        folder = _folder(place, effect, dir_fd)
        try:
            effect("lock", PLACE)
            descriptor = folder.open(_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except BaseException:
            folder.close()
            raise
    try:
        with explain_errors(f"{PLACE}/{_LOCK}", "taken"):
            take(descriptor, str(place / FOLDER / _LOCK), seconds, sleep)
        remove_dead(place / "index.lock")  # else git would refuse to stage and to commit until a person removes it
        yield Journal(folder, effect)
    finally:
        with suppress(OSError):  # it is let go of all the same
            os.close(descriptor)
        folder.close()


def _folder(place: Path, effect: Callable[[str, str], None], dir_fd: bool) -> Folder:
    top = Folder.top(place, dir_fd)
    try:
        try:
            return top.enter(FOLDER)
        except FileNotFoundError:
            effect("make", PLACE)
        with suppress(FileExistsError):  # somebody else was faster
            top.make(FOLDER)
        folder = top.enter(FOLDER)
        folder.set_mode(0o700)
        top.sync()
        return folder
    finally:
        top.close()
