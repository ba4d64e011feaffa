"""The lock that serialises all who write to a working tree: a file in its own git directory, held by the system.

While somebody is at work the file says who; if it still says so when nobody has the lock, a process was killed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from editblocks.core.errors import RepoError
from editblocks.repos.files.directory import HAS_DIR_FD, Folder
from editblocks.repos.files.file_lock import take
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.git.repository import Repository
from editblocks.repos.index.next_index import FOLDER, remove_dead_lock
from editblocks.repos.journal.records import Records

_LOCK = "lock"


def is_unfinished(git_dir: Path | None) -> bool:
    """Whether a write to the working tree with this git directory was interrupted, or goes on; looks only."""
    try:
        return git_dir is not None and (git_dir / FOLDER / _LOCK).stat().st_size > 0
    except OSError:
        return False


@contextmanager
def locked_records(repository: Repository, sleep: Callable[[float], None] = time.sleep) -> Iterator[Records]:
    """Hold the lock as long as the block lasts: gives the records.

    Raises `RepoError` if somebody else keeps it for too long, or if it cannot be used.
    """
    place = repository.git_dir / FOLDER / _LOCK
    with explain_errors(str(place), "taken"):
        descriptor = _open(repository.git_dir)
    try:
        with explain_errors(str(place), "taken"):
            take(descriptor, str(place), repository.lock_seconds, sleep)
        with _at_work(descriptor, Records(repository)) as records:
            remove_dead_lock(repository.git_dir)
            yield records
    finally:
        with suppress(OSError):  # the lock is let go of all the same
            os.close(descriptor)


@contextmanager
def _at_work(descriptor: int, records: Records) -> Iterator[Records]:
    """Empty the file of the lock at the end, unless something is left to do for the next one."""
    is_done = False
    try:
        yield records
        is_done = True
    finally:
        with suppress(OSError, RepoError):  # else the next one looks, and finds nothing to do
            if is_done or not records.unfinished():
                os.ftruncate(descriptor, 0)


def _open(git_dir: Path) -> int:
    top = Folder.top(git_dir, HAS_DIR_FD)
    try:
        with suppress(FileExistsError):
            top.make(FOLDER)
        folder = top.enter(FOLDER)
        try:
            return folder.open(_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        finally:
            folder.close()
    finally:
        top.close()
