"""The lock that serialises all who write to a working tree: a file in its own git directory, held by the system.

The system lets go of it when its owner dies, however it dies, so none is ever stale. While somebody is at work the
file says who; if it still says so when nobody has the lock, a process was killed.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, explain_errors, open_below
from editblocks.repos.git.repository import Repository
from editblocks.repos.journal.records import Records

_FOLDER, _LOCK = "editblocks", "lock"  # ours, in the git directory of a working tree

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far behind the text, which others are to read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_unfinished(git_dir: Path | None) -> bool:
    """Whether a write to the working tree with this git directory was interrupted, or goes on; looks only."""
    try:
        return git_dir is not None and (git_dir / _FOLDER / _LOCK).stat().st_size > 0
    except OSError:
        return False


@contextmanager
def locked_records(repository: Repository) -> Iterator[Records]:
    """Hold the lock as long as the block lasts: gives the records.

    Raises `RepoError` if somebody else keeps it for too long, or if it cannot be used.
    """
    place, records, is_done = repository.git_dir / _FOLDER / _LOCK, Records(repository), False
    with explain_errors(str(place), "taken"):
        descriptor = _open(repository.git_dir)
    with os.fdopen(descriptor, "rb", buffering=0):  # the lock is let go of at the end, whatever happens
        with explain_errors(str(place), "taken"):
            _take(descriptor, str(place), repository.lock_seconds)
        try:
            yield records
            is_done = True
        finally:
            with suppress(OSError, RepoError):  # else the next one looks, and finds nothing to do
                if is_done or not records.unfinished():
                    os.ftruncate(descriptor, 0)


def _open(git_dir: Path) -> int:
    with Folder.top(git_dir, HAS_DIR_FD) as top:
        with suppress(FileExistsError):
            top.make(_FOLDER)
        with open_below(top, [_FOLDER]) as folder:
            return folder.open(_LOCK, os.O_RDWR | os.O_CREAT, 0o600)


def _take(descriptor: int, name: str, seconds: float) -> None:
    """Wait at most `seconds` for the lock, then write into the file who we are.

    It has to be a regular one of ours with one name, so that nothing elsewhere is read or written.
    """
    status = os.fstat(descriptor)
    is_foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or is_foreign:
        raise RepoError(f"{name} is not ours: look at it, then remove it", ReasonCode.UNAVAILABLE)
    deadline = time.monotonic() + seconds
    while True:
        try:
            _try_lock(descriptor)
            break
        except (BlockingIOError, PermissionError):  # what fcntl and msvcrt raise
            if time.monotonic() >= deadline:
                raise RepoError(_owner(descriptor, name)) from None
            time.sleep(0.05)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, f"{os.getpid()}\n".encode("ascii")))  # never empty in between


def _owner(descriptor: int, name: str) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    owner = os.read(descriptor, 20).strip()
    process = f"process {int(owner)}" if owner.isdigit() else "another process"
    return f"{name} is held by {process}; wait until it has ended"
