"""The files of one commit on GitHub, and whether an earlier commit is one that the head grew from.

The head and a version that a response was written against are read in the same way: no object is
believed but by its id. Rules: docs/action.md, "how the commit is made".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from editblocks.errors import ApiError, Trouble, UnreadableFile
from editblocks.repos.git_objects import Entry
from editblocks.repos.github_api import Api
from editblocks.repos.github_objects import GitHubObjects
from editblocks.repos.tree import DIRECTORY, components, file_mode

_OID = re.compile("[0-9a-f]{40}")


class GitHubFiles:
    """The files of `commit`, whose root is said to be `tree`, out of `objects`."""

    def __init__(self, objects: GitHubObjects, commit: str, tree: str) -> None:
        self._objects = objects
        self.commit = commit
        self.tree = tree

    def prefetch(self, paths: Iterable[str]) -> None:
        """Load these files, and the directories on the way, 50 files a request."""
        self._objects.fetch(self.commit, self.tree, paths)

    def read(self, path: str) -> bytes | None:
        """The bytes at `path`, or None. Raises `UnreadableFile` where no file can be."""
        entry = self.entry(path)
        if file_mode(path, self.mode_at) is None or entry is None:
            return None
        return self._objects.blob(entry.oid, path)

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` with git's modes."""
        try:
            entry = self.entry(directory) if directory else Entry(DIRECTORY, self.tree)
        except UnreadableFile:
            return {}
        if entry is None or entry.mode != DIRECTORY:
            return {}
        return {name: row.mode for name, row in self._objects.listing(entry.oid).items()}

    def entry(self, path: str) -> Entry | None:
        """What stands at `path`, or None. Raises `UnreadableFile` for a path that is none."""
        entry = Entry(DIRECTORY, self.tree)
        for name in components(path):
            found = self._objects.listing(entry.oid).get(name) if entry.mode == DIRECTORY else None
            if found is None:
                return None
            entry = found
        return entry

    def mode_at(self, path: str) -> str | None:
        """Its mode, or None."""
        found = self.entry(path)
        return found.mode if found else None


class EarlierFiles:
    """A reader of an earlier commit that asks for as little as it can.

    Mostly one block does not fit, so the first file comes alone. With the second come all of `others`, the files
    of the response: so there is never more than one query more than the head took.
    """

    def __init__(self, files: GitHubFiles, others: Iterable[str]) -> None:
        self._files = files
        self._others = frozenset(others)
        self._asked: frozenset[str] = frozenset()

    def __call__(self, path: str) -> bytes | None:
        """The bytes at `path`, or None. Raises as `GitHubFiles.read`."""
        if path not in self._asked:
            wanted = ({path} | self._others if self._asked else {path}) - self._asked
            self._files.prefetch(sorted(wanted))
            self._asked |= wanted
        return self._files.read(path)


def root_of_ancestor(api: Api, repository: str, commit: str, head: str) -> str | None:
    """The root tree of `commit` if `head` is it or grew from it, else None. Raises `ApiError` for a fault.

    Forks share their objects with the repository, so that a commit can be read here proves nothing.
    """
    if not _OID.fullmatch(commit):
        return None
    # the commits and files that differ come along, and nobody wants them
    path = f"/repos/{repository}/compare/{commit}...{head}?per_page=1"
    try:
        ancestor, tree = api.get(path, "comparing commits", _merge_base)
    except ApiError as error:
        if error.trouble in {Trouble.MISSING, Trouble.CONFLICT}:
            return None
        raise
    return tree if ancestor == commit else None


def _merge_base(answer: Any) -> tuple[str, str]:
    found = answer["merge_base_commit"]
    return _oid(found["sha"]), _oid(found["commit"]["tree"]["sha"])


def _oid(value: object) -> str:
    if not isinstance(value, str) or not _OID.fullmatch(value):
        raise ValueError("no object id")
    return value
