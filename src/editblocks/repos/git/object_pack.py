"""Have git store blobs and trees that are no part of a commit.

They go to `git unpack-objects` as one pack: it takes any number of objects in one process, trees among them, computes
the ids itself and writes each object as git writes its own.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from editblocks.core.errors import RepoError
from editblocks.repos.files.object_ids import hashed, object_id, tree_after, tree_data
from editblocks.repos.files.tree_modes import DIRECTORY, FileState, TreeEntry
from editblocks.repos.git.command import ANY_STATUS, words
from editblocks.repos.git.repository import Repository

_KINDS = {"tree": 2, "blob": 3}  # git's gitformat-pack


class GitObject(NamedTuple):
    """An object as it is stored: `kind` is blob or tree."""

    kind: str
    data: bytes


def store_tree(repository: Repository, files: Mapping[str, FileState], trees: Mapping[str, str]) -> str:
    """Store these files, by path, below one new tree, and return its id.

    `trees` are trees that git has already, by the path that they get. Raises `RepoError`.
    """
    objects: list[GitObject] = []

    def keep(kind: str, data: bytes) -> str:
        objects.append(GitObject(kind, data))
        return object_id(kind, data, repository.object_format)

    entries = {path: TreeEntry(DIRECTORY, oid) for path, oid in trees.items()}
    for path, (mode, data) in files.items():
        entries[path] = TreeEntry(mode, keep("blob", data))
    root = tree_after(lambda _: {}, None, entries, lambda listing: keep("tree", tree_data(listing)))
    _store(repository, objects)
    return root


def _store(repository: Repository, objects: Sequence[GitObject]) -> None:
    repository.git.check_floor()
    pack = pack_of(objects, repository.object_format)
    answer = repository.git.run("unpack-objects", "-q", stdin=pack, options=["core.fsync=all"], ok_statuses=ANY_STATUS)
    if answer.status:
        raise RepoError(f"git cannot store the change: {words(answer)}; nothing was written")


def pack_of(objects: Sequence[GitObject], object_format: str = "sha1") -> bytes:
    """A pack of whole objects: git's gitformat-pack, version 2."""
    parts = [struct.pack(">4sLL", b"PACK", 2, len(objects))]
    for kind, data in objects:
        parts.append(_head(_KINDS[kind], len(data)))
        parts.append(zlib.compress(data, 1))
    pack = b"".join(parts)
    return pack + hashed(object_format, pack)


def _head(kind: int, size: int) -> bytes:
    """Kind and size of an object: four bits of the size, then seven a byte, the highest bit while more follow."""
    head = bytearray()
    part = kind << 4 | size & 0x0F
    size >>= 4
    while size:
        head.append(part | 0x80)
        part = size & 0x7F
        size >>= 7
    head.append(part)
    return bytes(head)
