"""Read the objects of a repository on GitHub and the files of its commits, and check them by their ids.

Objects are stored under the id computed from their bytes, never under the id that GitHub names. If GitHub sent wrong
bytes, nothing is found under the right id, and the object is fetched again.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from github.GitBlob import GitBlob
from github.GitTree import GitTree
from github.Repository import Repository

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, Refused, RepoError, UnreadableFile
from editblocks.repos.files.object_ids import blob_id, tree_id
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    MAX_FILE_BYTES,
    TreeEntry,
    TreeListing,
    components,
    file_mode,
    is_inside,
    prefixes,
    too_large,
)
from editblocks.repos.github.client import GitHubApi, text
from editblocks.repos.github.queries import objects

ATTRIBUTES = ".gitattributes"
OBJECTS_PER_QUERY = 100
MAX_OBJECTS = 15 * OBJECTS_PER_QUERY  # so that a run has enough requests to read all of them three times


class GitHubObjects:
    """The objects of a repository, cached once they are read."""

    def __init__(self, api: GitHubApi, repository: Repository) -> None:
        self._api = api
        self._repository = repository
        self._trees: dict[str, TreeListing] = {}
        self._blobs: dict[str, bytes] = {}
        self._sizes: dict[str, int] = {}

    def fetch(self, commit: str, tree: str, paths: Iterable[str]) -> None:
        """Load files of one commit. Raises what `fetch_all` raises, and `RepoError` if its root is not `tree`."""
        root = self.fetch_all({commit: paths})
        if root is not None and root != tree:
            reason = f"GitHub names two root folders for commit {commit[:7]}; nothing was written, run again"
            raise RepoError(reason)

    def fetch_all(self, paths: Mapping[str, Iterable[str]]) -> str | None:
        """Load files of several commits, 100 objects per request. Return the root of the first, if GitHub names one.

        Also loads the parent directories of the files, and the `.gitattributes` files of these. If a query fails, the
        missing objects are read by their ids later. Raises `Refused`, before anything is sent, if there are too many.
        """
        names = [f"{commit}:{path}" for commit, files in paths.items() for path in _with_parents(files)]
        if len(names) > MAX_OBJECTS:
            most = f"the limit is {MAX_OBJECTS:,}"
            reason = f"{len(names):,} files and folders must be read to find the paths, and {most}; send fewer at once"
            raise Refused(reason, ReasonCode.TOO_LARGE)
        owner, _, name = self._repository.full_name.partition("/")
        root: str | None = None
        with suppress(ApiError):
            for start in range(0, len(names), OBJECTS_PER_QUERY):
                batch = names[start : start + OBJECTS_PER_QUERY]
                variables = {f"e{number}": expression for number, expression in enumerate(batch)}
                variables |= {"owner": owner, "name": name}
                first_tree = self._api.query(objects(len(batch)), variables, "reading files", self._keep_all)
                if start == 0:
                    root = first_tree
        return root

    def listing(self, oid: str) -> TreeListing:
        """Return the entries of tree `oid`. Raises `RepoError` if they cannot be read or do not match the id."""
        if oid not in self._trees:
            listing = self._api.read("reading a directory", lambda: _rows(self._repository.get_git_tree(oid)))
            _check_id(oid, tree_id(listing))
            self._trees[oid] = listing
        return self._trees[oid]

    def blob(self, oid: str, path: str) -> bytes:
        """Return the bytes of blob `oid`, which is at `path`. Raises `UnreadableFile` if it is too large."""
        size = self._sizes.get(oid, 0)
        if size > MAX_FILE_BYTES:
            raise too_large(path, size, MAX_FILE_BYTES)
        if oid not in self._blobs:
            data = self._api.read("reading a file", lambda: _bytes(self._repository.get_git_blob(oid)))
            _check_id(oid, blob_id(data))
            self._keep(data)
        return self._blobs[oid]

    def _keep_all(self, data: Any) -> str | None:
        """Store the objects of a response. Return the id that GitHub names for `e0` if it is a directory, else None."""
        by_alias = {alias: thing for alias, thing in data["repository"].items() if thing}
        for thing in by_alias.values():
            if thing["__typename"] == "Tree":
                rows = thing["entries"]
                listing = {_name(row["nameRaw"]): TreeEntry(f"{row['mode']:06o}", row["oid"]) for row in rows}
                self._trees[tree_id(listing)] = listing
            elif thing["__typename"] == "Blob":
                self._sizes.setdefault(thing["oid"], int(thing["byteSize"]))
                if thing["text"] is not None and not thing["isTruncated"]:
                    self._keep(thing["text"].encode("utf-8", "surrogatepass"))
        first = by_alias.get("e0")
        if first and first["__typename"] == "Tree":
            return str(first["oid"])
        return None

    def _keep(self, data: bytes) -> None:
        oid = blob_id(data)
        self._blobs[oid] = data
        self._sizes[oid] = len(data)


class GitHubFiles:
    """The files of `commit`, whose root tree is `tree` according to GitHub."""

    def __init__(self, objects: GitHubObjects, commit: str, tree: str) -> None:
        self._objects = objects
        self.commit = commit
        self.tree = tree

    def prefetch(self, paths: Iterable[str]) -> None:
        self._objects.fetch(self.commit, self.tree, paths)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path`, or None. Raises `UnreadableFile` if something else is there."""
        entry = self.entry(path)
        if file_mode(path, self.mode_at) is None or entry is None:
            return None
        return self._objects.blob(entry.oid, path)

    def entries(self, directory: str) -> Mapping[str, str]:
        """Return the names in `directory` with git's modes."""
        if directory and not is_inside(directory):
            return {}
        entry = self.entry(directory)
        if entry is None or entry.mode != DIRECTORY:
            return {}
        return {name: row.mode for name, row in self._objects.listing(entry.oid).items()}

    def entry(self, path: str) -> TreeEntry | None:
        """Return the tree entry at `path` (empty: the root), or None. Raises `UnreadableFile` for an invalid path."""
        entry: TreeEntry | None = TreeEntry(DIRECTORY, self.tree)
        names = components(path) if path else ()
        for name in names:
            if entry is None or entry.mode != DIRECTORY:
                return None
            entry = self._objects.listing(entry.oid).get(name)
        return entry

    def mode_at(self, path: str) -> str | None:
        entry = self.entry(path)
        return entry and entry.mode


def _check_id(wanted: str, computed: str) -> None:
    if computed != wanted:
        raise RepoError(f"GitHub sent the wrong bytes for object {wanted[:12]}; nothing was written, run again")


def _name(raw: str) -> str:
    return b64decode(raw, validate=True).decode("utf-8", "surrogateescape")


def _rows(tree: GitTree) -> dict[str, TreeEntry]:
    if tree.truncated is not False:
        raise ValueError("a folder too large to be listed")
    return {text(row.path): TreeEntry(text(row.mode), text(row.sha)) for row in tree.tree}


def _bytes(blob: GitBlob) -> bytes:
    if blob.encoding != "base64":
        raise ValueError("not base64")
    return b64decode(blob.content)


def _with_parents(paths: Iterable[str]) -> list[str]:
    """Return the paths to load, without duplicates: files, their parent directories, and `.gitattributes` in these."""
    wanted = ["", ATTRIBUTES]
    for path in paths:
        try:
            *parents, leaf = prefixes(path)
        except UnreadableFile:
            continue  # `read` raises the same error
        for parent in parents:
            wanted += (parent, f"{parent}/{ATTRIBUTES}")
        wanted.append(leaf)
    return list(dict.fromkeys(wanted))
