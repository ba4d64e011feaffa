"""The lock of the index, `index.lock`, as git has it: whoever makes the file is the only one who stages or commits.

Ours says whose it is and is locked itself, so that one whose owner was killed is known for sure; nobody
else's is removed.
"""

from __future__ import annotations

import errno
import os
import random
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from editblocks.core.errors import RepoError, reason_of
from editblocks.repos.files.file_lock import try_lock

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)  # what a file system says that has none
_LOCKS = sys.platform != "win32"  # there a file that is open cannot be removed
_OURS = b"editblocks\n"  # in our index.lock, where git has nothing or an index


def take_index(lock: Path, seconds: float, sleep: Callable[[float], None]) -> int:
    """Make `lock`, waiting at most `seconds` for whoever else has it. Raises `RepoError`; gives its descriptor."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return _make(lock)
        except FileExistsError:
            if remove_dead(lock):
                continue
            if time.monotonic() >= deadline:
                raise RepoError(_lock_message(lock)) from None
            sleep(random.SystemRandom().uniform(0.02, 0.1))
        except OSError as error:
            raise RepoError(f"{lock} cannot be made: {reason_of(error)}; nothing was changed") from error


def _make(lock: Path) -> int:
    """Make `lock`, whole or not at all: beside it, with our words and locked, then by a link. Raises `OSError`."""
    if not _LOCKS:
        return os.open(lock, _NEW, 0o666)
    temp = lock.with_name(f"editblocks-{secrets.token_hex(8)}.{lock.name}")
    descriptor = os.open(temp, _NEW, 0o666)
    try:
        with suppress(OSError):
            if try_lock(descriptor):
                os.write(descriptor, _OURS)
        _link(temp, lock)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, OSError) and error.errno in _NO_LINKS:
            return os.open(lock, _NEW, 0o666)  # as git makes it: of unknown owner
        raise
    finally:
        temp.unlink(missing_ok=True)
    return descriptor


def _link(temp: Path, lock: Path) -> None:
    try:
        os.link(temp, lock)
    except FileNotFoundError as error:  # whoever has the lock has tidied up
        raise FileExistsError from error


def remove_dead(lock: Path) -> bool:
    """Remove the lock of one of us that was killed: it has our words, and the system let go of its own lock."""
    if not _LOCKS:
        return False
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        with suppress(OSError):
            if os.read(descriptor, 64) == _OURS and try_lock(descriptor):
                if os.path.samestat(os.fstat(descriptor), lock.lstat()):
                    remove_copies(lock.parent)  # first, as they belong to whoever has the lock
                    lock.unlink()
                return True
        return False
    finally:
        os.close(descriptor)


def remove_copies(place: Path) -> None:
    """Remove every index that one of us was making in a git directory, whose index is locked."""
    for left in place.glob("editblocks-*.index*"):
        left.unlink(missing_ok=True)


def _lock_message(lock: Path) -> str:
    age = 0.0
    with suppress(OSError):
        age = time.time() - lock.stat().st_mtime
    return f"{lock} is there since {age:.0f} s; remove it if no other git is at work"
