"""Open directories, and the regular files that are read and replaced in them.

Where the system supports `dir_fd`, a `Folder` holds a file descriptor. Every name is looked up relative to it without
following links, so nobody can swap a parent for a symbolic link between two steps. Elsewhere (Windows) a `Folder` is a
path, and every component of the path was checked with `lstat`.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile, reason_of
from editblocks.repos.tree_modes import (
    DIRECTORY,
    EXECUTABLE,
    FILE,
    SPECIAL,
    SUBMODULE,
    SYMLINK,
    components,
    file_mode,
    from_system,
    is_inside,
    path_error,
    prefixes,
    to_system,
    too_large,
)

HAS_DIR_FD = {os.open, os.stat, os.mkdir, os.unlink, os.rmdir, os.rename} <= os.supports_dir_fd

# Windows stores no mode. Python guesses the executable bits from the file extension, which `fstat` does not know.
_HAS_MODES = sys.platform != "win32"

# Windows sets this bit in the reparse tag of a name that points elsewhere, such as a link or a junction. OneDrive files
# have a reparse tag without this bit.
_NAME_SURROGATE = 0x20000000
_EXECUTABLE_BITS = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _COMMON


class LoadedFile(NamedTuple):
    data: bytes
    status: os.stat_result


def is_link(status: os.stat_result) -> bool:
    """Whether this is the status of a symbolic link, or on Windows of anything else that points elsewhere."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE)


def kept_mode(status: os.stat_result, *, has_modes: bool = _HAS_MODES) -> int:
    """Return `st_mode`, without the executable bits on a system that does not store them."""
    if has_modes:
        return status.st_mode
    return status.st_mode & ~_EXECUTABLE_BITS


class Folder:
    """An open directory. `fd` is None if the system has no `dir_fd`. All names are single path components in UTF-8."""

    def __init__(self, path: Path, fd: int | None) -> None:
        self.path = path
        self._fd = fd
        status = path.lstat() if fd is None else os.fstat(fd)
        self.identity = (status.st_dev, status.st_ino)

    @classmethod
    @contextmanager
    def top(cls, path: Path, dir_fd: bool) -> "Iterator[Folder]":
        """Open the directory that all paths are relative to. `path` itself may contain links."""
        path = Path(os.path.realpath(path, strict=True))  # Path.resolve() raises another error for loops
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", str(path))
        fd = os.open(path, _DIRECTORY) if dir_fd else None
        folder = cls(path, fd)
        try:
            yield folder
        finally:
            folder.close()

    def close(self) -> None:
        """Close the descriptor. Errors are ignored, because the directory was only read."""
        if self._fd is not None:
            with suppress(OSError):
                os.close(self._fd)

    def _at(self, name: str) -> str | Path:
        if self._fd is None:
            return self.path / to_system(name)
        return to_system(name)

    def enter(self, name: str) -> "Folder":
        """Open the directory `name` in this one. Raises `OSError` if `name` is a link or not a directory."""
        if self._fd is not None:
            return Folder(self.path / name, os.open(to_system(name), _DIRECTORY, dir_fd=self._fd))
        status = self.stat(name)
        if is_link(status) or not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", str(self.path / name))
        return Folder(self.path / to_system(name), None)

    def stat(self, name: str) -> os.stat_result:
        """Return the status of `name` itself; a link is not followed."""
        return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def open(self, name: str, flags: int, mode: int = 0o777) -> int:
        """Return a descriptor of `name`. Never follows a link, and never waits for the other end of a FIFO."""
        flags |= _COMMON | getattr(os, "O_NONBLOCK", 0)
        return os.open(self._at(name), flags, mode, dir_fd=self._fd)

    def names(self) -> list[str]:
        """Return all names in this directory, including hidden ones."""
        place = self.path if self._fd is None else self._fd
        with os.scandir(place) as entries:
            return [from_system(entry.name) for entry in entries]

    def make(self, name: str) -> None:
        os.mkdir(self._at(name), dir_fd=self._fd)

    def remove_directory(self, name: str) -> None:
        """Remove the empty directory `name`. As in git, the current directory is not removed, but raises `OSError`."""
        with suppress(FileNotFoundError):  # the current directory of the process no longer exists
            if os.path.samestat(Path().stat(), self.stat(name)):
                raise OSError(errno.EBUSY, "is the current folder of this process", str(self.path / name))
        os.rmdir(self._at(name), dir_fd=self._fd)

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._fd)

    def replace(self, name: str, target: str) -> None:
        """Rename `name` to `target` atomically, replacing `target`."""
        os.replace(self._at(name), self._at(target), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def sync(self) -> None:
        """Flush renames in this directory to disk. Does nothing without a descriptor."""
        if self._fd is not None:
            os.fsync(self._fd)


@contextmanager
def open_below(top: Folder, names: Sequence[str]) -> Iterator[Folder]:
    """Walk from `top` down through `names`, opening each relative to the one before, and yield the last one open."""
    folder = top
    try:
        for name in names:
            below = folder.enter(name)
            if folder is not top:
                folder.close()
            folder = below
        yield folder
    finally:
        if folder is not top:
            folder.close()


def open_directory(top: Folder, path: str) -> AbstractContextManager[Folder]:
    """Open the directory at `path`; an empty path means `top`. Raises as `tree_modes.components` does."""
    if not path:
        return nullcontext(top)
    return open_below(top, components(path))


@contextmanager
def open_parent(top: Folder, path: str) -> Iterator[tuple[Folder, str]]:
    """Yield the parent directory of `path` and the last component. Raises as `tree_modes.components` does."""
    *parents, name = components(path)
    with open_below(top, parents) as folder:
        yield folder, name


def load(top: Folder, path: str, limit: int) -> LoadedFile | None:
    """Return the bytes and the status of the file at `path`, both from one open descriptor, or None if it is missing.

    Raises `UnreadableFile` for anything but a plain file of at most `limit` bytes, and `OSError`.
    """
    if file_mode(path, lambda prefix: mode_at(top, prefix)) is None:
        return None
    with open_parent(top, path) as (folder, name), os.fdopen(folder.open(name, os.O_RDONLY), "rb") as file:
        status = os.fstat(file.fileno())
        refuse_special_file(path, status, limit)
        return LoadedFile(file.read(status.st_size + 1), status)


def refuse_special_file(path: str, status: os.stat_result, limit: int) -> None:
    """Raise `UnreadableFile` unless `status` is that of a regular file of at most `limit` bytes with one hard link."""
    if not stat.S_ISREG(status.st_mode):
        raise path_error(path, path, SPECIAL)
    if status.st_nlink > 1:
        what = f"{path} has {status.st_nlink} names (hard links), and an edit would separate them"
        raise UnreadableFile(ReasonCode.NOT_A_FILE, what, "copy it first")
    if status.st_size > limit:
        raise too_large(path, status.st_size, limit)


def refuse_read_only(path: str, file: LoadedFile | None) -> None:
    """Raise `RepoError` if `file` is read-only. A rename would succeed, but somebody made it read-only on purpose."""
    if file is not None and not file.status.st_mode & stat.S_IWUSR:
        raise RepoError(f"{path} is read-only, so nothing was changed; make it writable first")


def mode_at(top: Folder, path: str) -> str | None:
    """Return git's mode of the entry at `path`, or None if it does not exist. The parents must be directories."""
    with open_parent(top, path) as (folder, name):
        return mode_of(folder, name)


def is_directory(top: Folder, path: str) -> bool:
    """Whether `path` is a directory of the tree and not of a submodule. An empty path means `top`."""
    if not path:
        return True
    return is_inside(path) and all(mode_at(top, prefix) == DIRECTORY for prefix in prefixes(path))


def mode_of(folder: Folder, name: str) -> str | None:
    """Return git's mode of `name` in `folder`, or None if it does not exist."""
    try:
        status = folder.stat(name)
    except FileNotFoundError:
        return None
    if is_link(status):
        return SYMLINK
    if stat.S_ISREG(status.st_mode):
        return mode_of_file(status)
    if not stat.S_ISDIR(status.st_mode):
        return SPECIAL
    return SUBMODULE if _holds_repository(folder, name) else DIRECTORY


def mode_of_file(status: os.stat_result) -> str:
    """Git's mode of a regular file."""
    return EXECUTABLE if kept_mode(status) & stat.S_IXUSR else FILE


class Listing(Mapping[str, str]):
    """Names with their modes, each read when it is first needed; `items` reads the rest at once.

    For 5,000 files, names alone take 17 ms, with all modes 74 ms.
    """

    def __init__(self, names: Iterable[str], read: Callable[[Sequence[str]], Iterable[str]]) -> None:
        self._modes = dict.fromkeys(names, "")
        self._read = read  # returns the modes of some of the names

    def __getitem__(self, name: str) -> str:
        if not self._modes[name]:
            [self._modes[name]] = self._read([name])
        return self._modes[name]

    def items(self) -> ItemsView[str, str]:
        unknown = [name for name, mode in self._modes.items() if not mode]
        if unknown:
            self._modes.update(zip(unknown, self._read(unknown), strict=True))
        return self._modes.items()

    def __contains__(self, name: object) -> bool:
        return name in self._modes

    def __iter__(self) -> Iterator[str]:
        return iter(self._modes)

    def __len__(self) -> int:
        return len(self._modes)


def _holds_repository(folder: Folder, name: str) -> bool:
    """Whether a directory contains `.git`: a folder in a clone, a file in a submodule or linked worktree."""
    try:
        with open_below(folder, (name,)) as below:
            below.stat(".git")
    except (FileNotFoundError, PermissionError):  # a directory without permission fails when it is read, not here
        return False
    return True


@contextmanager
def explain_errors(path: str, what: str) -> Iterator[None]:
    """Turn an `OSError` into a `RepoError` with one sentence for users."""
    try:
        yield
    except OSError as error:
        raise RepoError(f"{path} cannot be {what}: {reason_of(error)}; nothing was changed") from error
