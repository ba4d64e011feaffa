"""Git's object ids, computed here: what lets an answer be believed, and a tree be known before it is made.

Ids are SHA-1 where nothing else is said: GitHub has no others. Format: git's user manual, object storage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import new as new_hash

from editblocks.core.errors import SelfCheckFailed
from editblocks.repos.files.tree_modes import DIRECTORY, FileState, TreeEntry, to_bytes

_DIGITS = re.compile("[0-9a-f]{7,64}")


Listing = Mapping[str, TreeEntry]
Pair = tuple["TreeEntry | None", "TreeEntry | None"]  # the same path in two trees; None: nothing is there


def id_digits(text: str) -> str | None:
    """What may stand for an object, in lower case: 7 to 64 hex digits, never a name that a branch could have."""
    digits = text.lower()
    return digits if _DIGITS.fullmatch(digits) else None


def object_id(kind: str, data: bytes, object_format: str = "sha1") -> str:
    """The id of an object of `kind` (blob, tree) with these bytes; `object_format` is sha1 or sha256."""
    return new_hash(object_format, f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    return object_id("blob", data, object_format)


def entry_of(file: FileState | None, object_format: str = "sha1") -> TreeEntry | None:
    """What stands for a file in a tree; None for none."""
    return None if file is None else TreeEntry(file[0], blob_id(file[1], object_format))


def tree_id(listing: Listing) -> str:
    """The id of a directory. Raises `ValueError` for an id or a mode that is no number."""
    # git's base_name_compare(): a directory sorts as if its name ended with a slash
    names = sorted(listing, key=lambda name: to_bytes(name) + b"/" * (listing[name].mode == DIRECTORY))
    entries = ((to_bytes(name), listing[name]) for name in names)
    rows = (b"%o %s\0%s" % (int(entry.mode, 8), name, bytes.fromhex(entry.oid)) for name, entry in entries)
    return object_id("tree", b"".join(rows))


_EMPTY = tree_id({})


def tree_after(list_tree: Callable[[str], Listing], root: str | None, changes: Mapping[str, TreeEntry | None]) -> str:
    """The id that tree `root` (None: a new one) has once `changes` (path → entry, None deletes) are made.

    `list_tree` is asked for the directories on the way only. Raises `SelfCheckFailed` for a path through a file.
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
        there = listing.pop(name, None)
        if there is not None and there.mode != DIRECTORY:
            raise SelfCheckFailed(f"{name} is no directory; nothing was written, report it with the log")
        after = tree_after(list_tree, there.oid if there else None, inner)
        if after != _EMPTY:  # git keeps no empty directories
            listing[name] = TreeEntry(DIRECTORY, after)
    return tree_id(listing)


def changed_entries(
    list_tree: Callable[[str], Listing], fetch: Callable[[Iterable[str]], None], old: str, new: str, most: int
) -> dict[str, Pair] | None:
    """What differs between root trees `old` and `new`, in order of path, directories aside; None for over `most` paths.

    Only directories that differ are listed; `fetch` gets the ids of a level at a time. Where a file became a
    directory, or the reverse, the file has a row and each file below it.
    """
    pairs: dict[str, Pair] = {}
    level: dict[str, list[str | None]] = {} if old == new else {"": [old, new]}
    while level:
        if len(pairs) + len(level) > most:  # in every directory that differs, a file does
            return None
        fetch(oid for sides in level.values() for oid in sides if oid)
        below: dict[str, list[str | None]] = {}
        for directory, sides in level.items():
            rows, new_rows = (list_tree(oid) if oid else {} for oid in sides)
            for name in rows.keys() | new_rows.keys():
                path, pair = f"{directory}/{name}" if directory else name, (rows.get(name), new_rows.get(name))
                if pair[0] != pair[1]:
                    before, after = (entry if entry and entry.mode != DIRECTORY else None for entry in pair)
                    if before or after:
                        pairs[path] = before, after
                    below[path] = [entry.oid if entry and entry.mode == DIRECTORY else None for entry in pair]
        level = {path: sides for path, sides in below.items() if any(sides)}
    return dict(sorted(pairs.items())) if len(pairs) <= most else None
