"""Git objects for GraphQL: mappings from field names to values or functions.

The types: https://docs.github.com/en/graphql/reference/objects#blob, #tree, #treeentry, #commit.
"""

import base64
from typing import Any

from support.hub.connections import connection
from support.hub.model import Repository
from support.hub.store import Commit, Entry
from support.hub.world import World, iso

View = dict[str, Any]
MAX_TEXT = 512_000  # bytes of a blob's `text`: https://github.com/sveltia/sveltia-cms/issues/950


def find(world: World, repo: Repository, expression: str) -> View | None:
    """`GitObject` by `<rev>` or `<rev>:<path>`; None if there is no such object."""
    rev, colon, path = expression.partition(":")
    branch = repo.default_branch if rev == "HEAD" else rev.removeprefix("refs/heads/")
    start = world.branch(branch, repo) or rev
    found = world.store.get(f"{start}{colon}{path}")
    if found is None:
        return None
    if found.type == "tree":
        return tree(world, found.oid)
    if found.type == "blob":
        return blob(found.oid, found.data)
    item = world.store.commit(found.oid)
    return commit(world, item) if item else None


def blob(oid: str, data: bytes) -> View:
    """`Blob`. `isBinary` is git's own test, buffer_is_binary() in https://github.com/git/git/blob/v2.39.0/xdiff-interface.c"""
    binary = b"\0" in data[:8000]
    return {
        **_object("Blob", oid),
        "byteSize": len(data),
        "isBinary": binary,
        "isTruncated": len(data) > MAX_TEXT,
        "text": None if binary else data[:MAX_TEXT].decode("utf-8", "replace"),
    }


def tree(world: World, oid: str) -> View:
    """`Tree`."""
    return {**_object("Tree", oid), "entries": lambda: [entry(world, row) for row in world.store.entries(oid)]}


def entry(world: World, row: Entry, below: str = "") -> View:
    """`TreeEntry`. `mode` is a number (33188 for 100644); `nameRaw` is the name as bytes in base64."""
    raw = row.path.encode("utf-8", "surrogateescape")

    def target() -> View | None:
        found = world.store.get(row.oid or "")
        if found is None or found.type == "commit":
            return None
        return tree(world, found.oid) if found.type == "tree" else blob(found.oid, found.data)

    def size() -> int:
        found = world.store.get(row.oid or "") if row.type == "blob" else None
        return len(found.data) if found else 0

    return {
        "name": raw.decode("utf-8", "replace"),
        "nameRaw": base64.b64encode(raw).decode(),
        "path": below + raw.decode("utf-8", "replace"),
        "mode": int(row.mode, 8),
        "type": row.type,
        "oid": row.oid,
        "object": target,
        "size": size,
    }


def commit(world: World, item: Commit) -> View:
    """`Commit`."""
    by_email = {user.email: user for user in world.users.values()}
    author = by_email.get(item.author.email)
    person = {"login": author.login, "id": author.node_id, "databaseId": author.id} if author else None
    return {
        **_object("Commit", item.oid),
        "message": item.message,
        "messageHeadline": item.message.partition("\n")[0],
        "committedDate": iso(item.committer.date),
        "authoredDate": iso(item.author.date),
        "author": {"name": item.author.name, "email": item.author.email, "user": person},
        "signature": _signature(item),
        "tree": lambda: tree(world, item.tree),
        "parents": lambda **page: connection(
            "parents", [commit(world, each) for oid in item.parents if (each := world.store.commit(oid))], **page
        ),
        "history": lambda **page: connection("history", _history(world, item.oid), **page),
        "file": lambda path: _file(world, item, path),
    }


def _history(world: World, oid: str) -> list[View]:
    """A commit and its ancestors, the newest first."""
    found = (world.store.commit(each) for each in world.store.git("rev-list", "--topo-order", oid).decode().split())
    return [commit(world, each) for each in found if each]


def _signature(item: Commit) -> View | None:
    """`GpgSignature`. The hub knows only signatures by GitHub itself."""
    if item.signature is None:
        return None
    return {
        "__typename": "GpgSignature",
        "isValid": True,
        "wasSignedByGitHub": True,
        "state": "VALID",
        "email": item.committer.email,
        "signature": item.signature,
        "payload": item.payload,
        "signer": None,
    }


def _file(world: World, item: Commit, path: str) -> View | None:
    folder, slash, name = path.rpartition("/")
    found = world.store.get(f"{item.tree}:{folder}")
    rows = world.store.entries(found.oid) if found and found.type == "tree" else ()
    return next((entry(world, row, folder + slash) for row in rows if row.path == name), None)


def _object(kind: str, oid: str) -> View:
    return {"__typename": kind, "id": f"{kind}_{oid}", "oid": oid, "abbreviatedOid": oid[:7]}
