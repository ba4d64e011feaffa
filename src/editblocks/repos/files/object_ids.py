"""Compute git's ids of blobs and trees, and the id of a tree after a change.

With them, objects that GitHub sends can be checked, and the id of a tree is known before the tree is created. Ids are
SHA-1 unless a format is given, because GitHub has no others. Format: git's user manual, object storage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editblocks.core.errors import SelfCheckFailed
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    EXECUTABLE,
    FILE,
    Contents,
    FileState,
    TreeEntry,
    TreeListing,
    file_state,
    modes_for,
    to_bytes,
)


def object_id(kind: str, data: bytes, object_format: str = "sha1") -> str:
    """The id of an object of `kind` (blob, tree) with these bytes; `object_format` is sha1 or sha256."""
    return hashed(object_format, f"{kind} {len(data)}\0".encode() + data).hex()


def hashed(object_format: str, data: bytes) -> bytes:
    """Return the digest of `data` with the hash function that git calls `object_format` (sha1 or sha256)."""
    from hashlib import new  # loads OpenSSL, which takes 5 % of the time of a check that hashes nothing

    return new(object_format, data, usedforsecurity=False).digest()


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    return object_id("blob", data, object_format)


def entry_of(file: FileState | None, object_format: str = "sha1") -> TreeEntry | None:
    """Return the tree entry of a file, or None if `file` is None."""
    if file is None:
        return None
    mode, data = file
    return TreeEntry(mode, blob_id(data, object_format))


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


_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's id of the empty tree


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
