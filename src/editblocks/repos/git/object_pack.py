"""Have git store blobs, trees and tags that are no part of a commit.

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
from editblocks.repos.files.tree_modes import FileState, TreeEntry
from editblocks.repos.git.command import ANY_STATUS, words
from editblocks.repos.git.repository import Repository

_KINDS = {"tree": 2, "blob": 3, "tag": 4}  # git's gitformat-pack


class GitObject(NamedTuple):
    """An object as it is stored: `kind` is blob, tree or tag."""

    kind: str
    data: bytes


class NewObjects:
    """Objects that a repository is to hold. The id of each is known when it is added, and `store` has git keep all."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._objects: list[GitObject] = []

    def add(self, kind: str, data: bytes) -> str:
        """Add an object and return its id."""
        self._objects.append(GitObject(kind, data))
        return object_id(kind, data, self._repository.object_format)

    def add_tree(self, files: Mapping[str, FileState]) -> str:
        """Add these files, by path, and the trees above them; return the id of the outermost tree."""
        entries = {path: TreeEntry(mode, self.add("blob", data)) for path, (mode, data) in files.items()}
        return tree_after(lambda _: {}, None, entries, lambda listing: self.add("tree", tree_data(listing)))

    def store(self) -> None:
        """Have git keep what was added. Raises `RepoError`."""
        git = self._repository.git
        pack = pack_of(self._objects, self._repository.object_format)
        answer = git.run("unpack-objects", "-q", stdin=pack, options=["core.fsync=all"], ok_statuses=ANY_STATUS)
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
