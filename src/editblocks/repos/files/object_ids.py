"""The ids that git gives to files and trees, computed here, and what a change makes of a tree.

So an answer of GitHub can be checked, and the id of a tree is known before it is made. Ids are SHA-1 unless a format is
named, because GitHub has no others. Format: git's user manual, object storage.
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
    Listing,
    TreeEntry,
    file_state,
    modes_for,
    to_bytes,
)


def object_id(kind: str, data: bytes, object_format: str = "sha1") -> str:
    """The id of an object of `kind` (blob, tree) with these bytes; `object_format` is sha1 or sha256."""
    return hashed(object_format, f"{kind} {len(data)}\0".encode() + data).hex()


def hashed(object_format: str, data: bytes) -> bytes:
    """The digest of some bytes, by the name that git gives to its form."""
    from hashlib import new  # and OpenSSL with it, which takes 5 % of a check that hashes nothing

    return new(object_format, data, usedforsecurity=False).digest()


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    return object_id("blob", data, object_format)


def entry_of(file: FileState | None, object_format: str = "sha1") -> TreeEntry | None:
    """The entry of a file in a tree; None for no file."""
    if file is None:
        return None
    mode, data = file
    return TreeEntry(mode, blob_id(data, object_format))


def tree_id(listing: Listing) -> str:
    """The id of a directory. Raises `ValueError` for an id or a mode that is no number."""
    return object_id("tree", tree_data(listing))


def tree_data(listing: Listing) -> bytes:
    """The bytes of a directory as git stores it. Raises `ValueError` for an id or a mode that is no number."""
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
    """The files that `contents` changes in a tree; `new_modes` are those of new files.

    Raises `Refused` where no file can be.
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


_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree without entries, by git itself


def tree_after(
    list_tree: Callable[[str], Listing],
    root: str | None,
    changes: Mapping[str, TreeEntry | None],
    keep: Callable[[Listing], str] = tree_id,
) -> str:
    """The id that tree `root` (None: a new one) has once `changes` (path → entry, None deletes) are made.

    `list_tree` is asked for the directories on the way only; `keep` gets each new tree, the innermost first, and gives
    its id. Raises `SelfCheckFailed` for a path through a file.
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
