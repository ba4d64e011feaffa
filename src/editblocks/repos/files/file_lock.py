"""A lock on one open file, which the system lets go of when its owner dies, however it dies.

So none is ever stale. The file stays where it is and says who holds it.
"""

from __future__ import annotations

import os
import random
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Whether the lock on this open file is ours now."""
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far behind the text, which others are to read
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Whether the lock on this open file is ours now."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def take(descriptor: int, name: str, seconds: float, sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait at most `seconds` for the lock on an open file, then write into it who we are; who is done empties it.

    Raises `RepoError` naming `name`, its owner and its age if somebody else keeps it, or if the file is not ours.
    """
    if not is_ours(os.fstat(descriptor)):
        raise RepoError(f"{name} is not ours: look at it, then remove it", ReasonCode.UNAVAILABLE)
    deadline = time.monotonic() + seconds
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise RepoError(_lock_message(descriptor, name))
        sleep(random.SystemRandom().uniform(0.02, 0.1))
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, f"{os.getpid()}\n".encode("ascii")))  # never empty in between


def is_ours(status: os.stat_result) -> bool:
    """Whether an open file is a regular one of ours with one name, so that nothing elsewhere is read or written."""
    is_foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    return stat.S_ISREG(status.st_mode) and status.st_nlink <= 1 and not is_foreign


def _lock_message(descriptor: int, name: str) -> str:
    owner, age = b"", 0.0
    with suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        owner = os.read(descriptor, 20).strip()
        age = max(0.0, time.time() - os.fstat(descriptor).st_mtime)
    process = f"process {int(owner)}" if owner.isdigit() else "another process"
    return f"{name} is held by {process} since {age:.0f} s; wait until it has ended"
