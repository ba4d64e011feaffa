"""Regular files below an open directory: what stands at a path, and its bytes if it is one plain file.

Links are followed nowhere, a file with a second name is refused, and a directory that holds a
repository of its own counts as a submodule.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile, reason_of
from editblocks.repos.files.directory import Folder, is_link, open_below, open_parent
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    EXECUTABLE,
    FILE,
    SPECIAL,
    SUBMODULE,
    SYMLINK,
    file_mode,
    too_large,
)

Found = tuple[bytes, os.stat_result]


def load(top: Folder, path: str, limit: int) -> Found | None:
    """Bytes and status of the file at `path`, or None; the bytes are those of exactly this status.

    Raises `UnreadableFile` if no file of at most `limit` bytes can be there, and `OSError`.
    """
    if file_mode(path, lambda prefix: mode_at(top, prefix)) is None:
        return None
    with open_parent(top, path) as (folder, name), os.fdopen(folder.open(name, os.O_RDONLY), "rb") as file:
        status = os.fstat(file.fileno())
        refuse_odd(path, status, limit)
        return file.read(status.st_size + 1), status


def refuse_odd(path: str, status: os.stat_result, limit: int) -> None:
    """Raise `UnreadableFile` if what was opened is not one plain file of at most `limit` bytes with one name."""
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile(ReasonCode.NOT_A_FILE, f"{path} is no regular file", "name one")
    if status.st_nlink > 1:
        what = f"{path} has {status.st_nlink} names (hard links), and an edit would part them"
        raise UnreadableFile(ReasonCode.NOT_A_FILE, what, "copy it first")
    if status.st_size > limit:
        raise too_large(path, status.st_size, limit)


def refuse_read_only(path: str, file: Found | None) -> None:
    """Raise `RepoError` for a file that its owner may not write: a rename would get by, but somebody means it."""
    if file and not file[1].st_mode & stat.S_IWUSR:
        raise RepoError(f"{path} is read-only, so nothing was changed; make it writable first")


def mode_at(top: Folder, path: str) -> str | None:
    """Git's mode of what stands at `path`, whose parents are directories; None if nothing does."""
    with open_parent(top, path) as (folder, name):
        return mode_of(folder, name)


def mode_of(folder: Folder, name: str) -> str | None:
    """Git's mode of `name` in `folder`, None if there is no such name."""
    try:
        status = folder.stat(name)
    except FileNotFoundError:
        return None
    if is_link(status):
        return SYMLINK
    if stat.S_ISDIR(status.st_mode):
        return SUBMODULE if _holds_repository(folder, name) else DIRECTORY
    if not stat.S_ISREG(status.st_mode):
        return SPECIAL
    return EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE


def _holds_repository(folder: Folder, name: str) -> bool:
    """Whether a directory has a `.git` of its own: the folder of a clone, or the file of a submodule or worktree."""
    try:
        with open_below(folder, (name,)) as below:
            below.stat(".git")
    except (FileNotFoundError, PermissionError):  # what may not be searched fails when it is read, not when listed
        return False
    return True


@contextmanager
def explain_errors(path: str, what: str) -> Iterator[None]:
    """Turn an error of the system into one sentence."""
    try:
        yield
    except OSError as error:
        raise RepoError(f"{path} cannot be {what}: {reason_of(error)}; nothing was changed") from error
