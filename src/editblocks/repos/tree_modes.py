"""Git's modes and ids, paths as bytes and as text, and the check of a path that every store makes first.

The check includes the parents of the path. The engine has already checked the path against the policy
(`editblocks.paths`). This is a second line of defence. Ids are computed to check objects that GitHub sends, and to know
the id of a tree before it is created. They are SHA-1 unless a format is given, because GitHub has no others.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, SelfCheckFailed, UnreadableFile
from editblocks.paths import tree

FILE = "100644"
EXECUTABLE = "100755"
DIRECTORY = tree.DIRECTORY
SYMLINK = tree.SYMLINK
SUBMODULE = tree.SUBMODULE
SPECIAL = tree.SPECIAL
MODES = frozenset({FILE, EXECUTABLE, DIRECTORY, SYMLINK, SUBMODULE})
MAX_FILE_BYTES = 5_242_880  # docs/reference/rules.md, limits: no store loads a larger file
NO_LIMIT = 1 << 62  # for files whose size was checked when the change was planned, whatever the limit is now

_DIGITS = "[0-9a-f]{7,64}"
_GIT_NAMES = frozenset({".git", "git~1"})  # git~1 is the short name of .git on NTFS
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's id of the empty tree

Contents = Mapping[str, bytes | None]  # the new bytes of each path; None deletes the file
FileState = tuple[str, bytes]  # the mode and the bytes of a file


class TreeEntry(NamedTuple):
    """One entry of a tree or of the index: git's mode, six octal digits, and the id of the object."""

    mode: str
    oid: str


TreeListing = Mapping[str, TreeEntry]


def components(path: str) -> tuple[str, ...]:
    """Split a repository path. Raises `UnreadableFile` for a path that could leave the tree or enter `.git`."""
    names = tuple(path.split("/"))
    try:  # the only surrogates allowed are those that `os.fsdecode` uses for bytes that are not UTF-8
        is_encodable = b"\0" not in to_bytes(path)
    except UnicodeEncodeError:
        is_encodable = False
    if not is_encodable or any(name in {"", ".", ".."} for name in names):
        what = f"`{path}` is not a path inside the repository"
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, what, "write it from the root of the repository")
    if any(map(is_git_name, names)):
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, f"{path} is inside a .git folder", "choose another path")
    return names


def is_inside(path: str) -> bool:
    """Whether `components` accepts a path."""
    try:
        components(path)
    except UnreadableFile:
        return False
    return True


def is_git_name(name: str) -> bool:
    """Whether some file system takes this name for `.git`, as NTFS does with `git~1` and `.GIT:x`."""
    return name.partition(":")[0].rstrip(". ").casefold() in _GIT_NAMES


def prefixes(path: str) -> list[str]:
    """Return the parents of a path and the path: `a`, `a/b` and `a/b/c` for `a/b/c`. Raises as `components` does."""
    names = components(path)
    return ["/".join(names[:stop]) for stop in range(1, len(names) + 1)]


def file_mode(path: str, mode_at: Callable[[str], str | None]) -> str | None:
    """Return the mode of the file at `path`, or None. Raises `UnreadableFile` for a link, a directory and the like."""
    *parents, leaf = prefixes(path)
    for parent in parents:
        mode = mode_at(parent)
        if mode is None:
            return None
        if mode != DIRECTORY:
            raise path_error(path, parent, mode)
    mode = mode_at(leaf)
    if mode not in {None, FILE, EXECUTABLE}:
        raise path_error(path, leaf, str(mode))
    return mode


def modes_for(contents: Contents, mode_at: Callable[[str], str | None]) -> dict[str, str | None]:
    """Return the current mode of each path to write, None for a new file. Raises `Refused` if there can be no file."""
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


def path_error(path: str, at: str, mode: str) -> UnreadableFile:
    """Return the error for a `path` that cannot be a file, because `at` (the path or a parent of it) has `mode`."""
    error = tree.path_error(path, at, mode)
    return UnreadableFile(error.code, error.what, error.advice)


def too_large(path: str, size: int, limit: int) -> UnreadableFile:
    """Return the error for a file of `size` bytes, which is not loaded."""
    what = f"{path} has {size} bytes, the limit is {limit}"
    return UnreadableFile(ReasonCode.TOO_LARGE, what, "edit it another way")


def list_directory(paths: Mapping[str, str], directory: str) -> dict[str, str]:
    """Return the names in `directory` with their modes. `paths` maps only files to modes; directories are implied."""
    start = f"{directory}/" if directory else ""
    names: dict[str, str] = {}
    for path, mode in paths.items():
        if path.startswith(start):
            name, below, _ = path[len(start) :].partition("/")
            names[name] = DIRECTORY if below else mode
    return names


def planned_changes(
    contents: Contents,
    new_modes: Mapping[str, str | None],
    mode_at: Callable[[str], str | None],
    entry_at: Callable[[str], TreeEntry | None],
    object_format: str = "sha1",
) -> dict[str, FileState | None]:
    """Return only those files of `contents` that differ from the tree. `new_modes` holds the modes of new files.

    Raises `Refused` for a path at which there can be no file.
    """
    present_modes = modes_for(contents, mode_at)
    changes: dict[str, FileState | None] = {}
    for path, data in contents.items():
        mode = present_modes[path] or new_modes.get(path) or FILE
        if mode not in {FILE, EXECUTABLE}:
            raise SelfCheckFailed(f"{mode} is not a file mode; nothing was written, report it with the log")
        file = file_state(mode, data)
        if entry_of(file, object_format) != entry_at(path):
            changes[path] = file
    return changes


def entry_of(file: FileState | None, object_format: str = "sha1") -> TreeEntry | None:
    """Return the tree entry of a file, or None if `file` is None."""
    if file is None:
        return None
    mode, data = file
    return TreeEntry(mode, blob_id(data, object_format))


def file_state(mode: str, data: bytes | None) -> FileState | None:
    return None if data is None else (mode, data)


def tree_id(listing: TreeListing) -> str:
    """Return the id of a tree. Raises `ValueError` for an id that is not hexadecimal or a mode that is not octal."""
    return object_id("tree", tree_data(listing))


def tree_data(listing: TreeListing) -> bytes:
    """Return the bytes of a tree object. Raises `ValueError` for an id that is not hexadecimal or a mode not octal."""
    # git's base_name_compare(): a directory sorts as if its name ended with a slash
    names = sorted(listing, key=lambda name: to_bytes(name) + b"/" * (listing[name].mode == DIRECTORY))
    entries = ((to_bytes(name), listing[name]) for name in names)
    rows = (b"%o %s\0%s" % (int(entry.mode, 8), name, bytes.fromhex(entry.oid)) for name, entry in entries)
    return b"".join(rows)


def tree_after(
    list_tree: Callable[[str], TreeListing],
    root: str | None,
    changes: Mapping[str, TreeEntry | None],
    keep: Callable[[TreeListing], str] = tree_id,
) -> str:
    """Return the id that tree `root` (None: an empty tree) has after `changes` (path → entry, None deletes).

    `list_tree` is called only for the directories above the changes. `keep` is called with each new tree, the innermost
    first, and returns its id. Raises `SelfCheckFailed` if a parent of a path is a file.
    """
    listing = dict(list_tree(root)) if root else {}
    below: dict[str, dict[str, TreeEntry | None]] = {}
    for path, entry in changes.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = entry
        elif entry is None:
            listing.pop(name, None)
        else:
            listing[name] = entry
    for name, inner in below.items():
        present = listing.pop(name, None)
        if present is not None and present.mode != DIRECTORY:
            raise SelfCheckFailed(f"{name} is not a folder; nothing was written, report it with the log")
        after = tree_after(list_tree, present and present.oid, inner, keep)
        if after != _EMPTY:  # git keeps no empty directories
            listing[name] = TreeEntry(DIRECTORY, after)
    return keep(listing)


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    return object_id("blob", data, object_format)


def object_id(kind: str, data: bytes, object_format: str = "sha1") -> str:
    """The id of an object of `kind` (blob, tree) with these bytes; `object_format` is sha1 or sha256."""
    return hashed(object_format, f"{kind} {len(data)}\0".encode() + data).hex()


def hashed(object_format: str, data: bytes) -> bytes:
    """Return the digest of `data` with the hash function that git calls `object_format` (sha1 or sha256)."""
    from hashlib import new  # loads OpenSSL, which takes 5 % of the time of a check that hashes nothing

    return new(object_format, data, usedforsecurity=False).digest()


def id_digits(text: str) -> str | None:
    """Return `text` in lower case if it is an object id or the start of one (7 to 64 hex digits), else None."""
    digits = text.lower()
    if not re.fullmatch(_DIGITS, digits):
        return None
    return digits


def to_bytes(path: str) -> bytes:
    """Encode a path as UTF-8. A lone surrogate becomes the byte it was decoded from, as in `os.fsencode`."""
    return path.encode("utf-8", "surrogateescape")


def to_text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def to_system(text: str) -> str:
    """Return a name or argument as Python represents it on this system, whose encoding may not be UTF-8."""
    return os.fsdecode(to_bytes(text))


def from_system(name: str) -> str:
    """Return the path for a file name that Python read from this system; the inverse of `to_system`."""
    return to_text(os.fsencode(name))
