"""What is at a path: git's modes, and the walk that every store does before it reads or writes.

The engine checks paths first (`editblocks.paths`); this later line of defence knows no policy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, UnreadableFile
from editblocks.paths import tree

FILE = "100644"
EXECUTABLE = "100755"
DIRECTORY = "040000"
SYMLINK = "120000"
SUBMODULE = "160000"
MODES = frozenset({FILE, EXECUTABLE, DIRECTORY, SYMLINK, SUBMODULE})
SPECIAL = "000000"  # a FIFO, a socket or a device: a working tree may hold them, git does not
MAX_FILE_BYTES = 5_242_880  # docs/reference/rules.md, limits: no store loads more than this to find it too large
NO_LIMIT = 1 << 62  # what was measured when it was planned, or written once, whatever a setting says now


Contents = Mapping[str, bytes | None]  # the new bytes of each path; None: no file is to be there
FileState = tuple[str, bytes]  # the mode and the bytes of a file


def file_state(mode: str, data: bytes | None) -> FileState | None:
    return None if data is None else (mode, data)


class TreeEntry(NamedTuple):
    """One entry of a tree or of the index: git's mode, six octal digits, and the id of the object."""

    mode: str
    oid: str


Listing = Mapping[str, TreeEntry]

_DIGITS = "[0-9a-f]{7,64}"
_GIT_NAMES = frozenset({".git", "git~1"})  # the second is the first's short name on NTFS


def to_bytes(path: str) -> bytes:
    """The bytes of a path; a lone surrogate stands for a byte that is not UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def to_text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def to_system(text: str) -> str:
    """A name or an argument as Python wants it here: where the locale is not UTF-8, the same bytes, escaped."""
    return os.fsdecode(to_bytes(text))


def from_system(name: str) -> str:
    """The path that a name on this system means."""
    return to_text(os.fsencode(name))


def components(path: str) -> tuple[str, ...]:
    """Split a repository path; raises `UnreadableFile` for one that could lead out of the tree or into `.git`."""
    names = tuple(path.split("/"))
    try:  # surrogates may only stand for bytes that are no UTF-8, as in `os.fsdecode`
        is_encodable = b"\0" not in to_bytes(path)
    except UnicodeEncodeError:
        is_encodable = False
    if not is_encodable or any(name in {"", ".", ".."} for name in names):
        what = f"`{path}` is not a path inside the repository"
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, what, "write it from the root of the repository")
    if any(map(is_git_name, names)):
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, f"{path} is inside a .git folder", "choose another path")
    return names


def is_git_name(name: str) -> bool:
    """Whether a directory entry is, on some file system, the folder in which git keeps its own files."""
    return name.partition(":")[0].rstrip(". ").casefold() in _GIT_NAMES


def is_inside(path: str) -> bool:
    """Whether `components` accepts a path."""
    try:
        components(path)
    except UnreadableFile:
        return False
    return True


def prefixes(path: str) -> list[str]:
    """`a/b/c` gives `a`, `a/b` and `a/b/c`. Raises as `components` does."""
    names = components(path)
    return ["/".join(names[:stop]) for stop in range(1, len(names) + 1)]


def obstacle(path: str, at: str, mode: str) -> UnreadableFile:
    """The reason why no file can be read at `path`, given that `at` (it, or a parent of it) has `mode`."""
    error = tree.obstacle(path, at, mode)
    return UnreadableFile(error.code, error.what, error.advice)


def too_large(path: str, size: int, limit: int) -> UnreadableFile:
    """The reason why a file of `size` bytes is not loaded."""
    what = f"{path} has {size} bytes, the limit is {limit}"
    return UnreadableFile(ReasonCode.TOO_LARGE, what, "edit it another way")


def file_mode(path: str, mode_at: Callable[[str], str | None]) -> str | None:
    """The mode of the file at `path`, None if nothing is there; asks from the root down. Raises `UnreadableFile`."""
    *parents, leaf = prefixes(path)
    for parent in parents:
        mode = mode_at(parent)
        if mode is None:
            return None
        if mode != DIRECTORY:
            raise obstacle(path, parent, mode)
    mode = mode_at(leaf)
    if mode not in {None, FILE, EXECUTABLE}:
        raise obstacle(path, leaf, str(mode))
    return mode


def modes_for(contents: Contents, mode_at: Callable[[str], str | None]) -> dict[str, str | None]:
    """The present mode of each path that is to be written, None for a new file. Raises `Refused` where none can be."""
    try:
        modes = {path: file_mode(path, mode_at) for path in contents}
    except UnreadableFile as problem:
        raise Refused(problem.message, problem.code) from problem
    refuse_clash(contents)
    return modes


def refuse_clash(paths: Iterable[str]) -> None:
    """Raise `Refused` if one path would have to be a file and a directory at once."""
    wanted = set(paths)
    for path in wanted:
        for parent in prefixes(path)[:-1]:
            if parent in wanted:
                reason = f"{parent} cannot be both a file and the folder of {path}; choose another path"
                raise Refused(reason, ReasonCode.PATH_CONFLICT)


def list_directory(paths: Mapping[str, str], directory: str) -> dict[str, str]:
    """Names with modes in `directory`, from a flat map of file paths to modes; directories are implied."""
    start = f"{directory}/" if directory else ""
    names: dict[str, str] = {}
    for path, mode in paths.items():
        if path.startswith(start):
            name, below, _ = path[len(start) :].partition("/")
            names[name] = DIRECTORY if below else mode
    return names


def id_digits(text: str) -> str | None:
    """What may stand for an object, in lower case: 7 to 64 hex digits, never a name that a branch could have."""
    digits = text.lower()
    if not re.fullmatch(_DIGITS, digits):
        return None
    return digits
