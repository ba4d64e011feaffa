"""Store blobs, trees and tags that do not belong to a commit.

They are sent to `git unpack-objects` as one pack. It takes any number of objects in one process, trees included,
computes the ids itself and writes loose objects as git usually does.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from editblocks.core.errors import RepoError
from editblocks.repos.git.command import ANY_STATUS, error_reason
from editblocks.repos.git.repository import Repository
from editblocks.repos.tree_modes import FileState, TreeEntry, hashed, object_id, tree_after, tree_data

_KINDS = {"tree": 2, "blob": 3, "tag": 4}  # git's gitformat-pack


class GitObject(NamedTuple):
    """The content of a git object. `kind` is blob, tree or tag."""

    kind: str
    data: bytes


class NewObjects:
    """Objects to write to a repository. `add` returns the id of each, and `store` writes all of them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._objects: list[GitObject] = []

    def add(self, kind: str, data: bytes) -> str:
        self._objects.append(GitObject(kind, data))
        return object_id(kind, data, self._repository.object_format)

    def add_tree(self, files: Mapping[str, FileState]) -> str:
        """Add these files, by path, and the trees above them; return the id of the outermost tree."""
        entries = {path: TreeEntry(mode, self.add("blob", data)) for path, (mode, data) in files.items()}
        return tree_after(lambda _: {}, None, entries, lambda listing: self.add("tree", tree_data(listing)))

    def store(self) -> None:
        """Write the added objects. Raises `RepoError`."""
        git = self._repository.git
        pack = pack_of(self._objects, self._repository.object_format)
        answer = git.run("unpack-objects", "-q", stdin=pack, options=["core.fsync=all"], ok_statuses=ANY_STATUS)
        if answer.status:
            raise RepoError(f"git cannot store the change: {error_reason(answer)}; nothing was written")


def pack_of(objects: Sequence[GitObject], object_format: str) -> bytes:
    """Return a pack that holds these objects without deltas; format: git's gitformat-pack, version 2."""
    parts = [struct.pack(">4sLL", b"PACK", 2, len(objects))]
    for kind, data in objects:
        parts.append(_head(_KINDS[kind], len(data)))
        parts.append(zlib.compress(data, 1))
    pack = b"".join(parts)
    return pack + hashed(object_format, pack)


def _head(kind: int, size: int) -> bytes:
    """Encode the header of a packed object: kind and low four bits of the size, then the rest as a varint."""
    head = bytearray()
    part = kind << 4 | size & 0x0F
    size >>= 4
    while size:
        head.append(part | 0x80)
        part = size & 0x7F
        size >>= 7
    head.append(part)
    return bytes(head)
