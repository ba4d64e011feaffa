"""The files of one commit on GitHub, and whether an earlier commit is one that the head grew from.

The head and a version that a response was written against are read in the same way: no object is
believed but by its id. Rules: docs/reference/action.md, "how the commit is made".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, Refused, RepoError, Trouble, UnreadableFile
from editblocks.repos.files.tree_modes import DIRECTORY, EXECUTABLE, FILE, TreeEntry, components, file_mode
from editblocks.repos.git.object_ids import changed_entries
from editblocks.repos.github.client import GitHubApi
from editblocks.repos.github.objects import GitHubObjects

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
            entry = self.entry(directory) if directory else TreeEntry(DIRECTORY, self.tree)
        except UnreadableFile:
            return {}
        if entry is None or entry.mode != DIRECTORY:
            return {}
        return {name: row.mode for name, row in self._objects.listing(entry.oid).items()}

    def entry(self, path: str) -> TreeEntry | None:
        """What stands at `path`, or None. Raises `UnreadableFile` for a path that is none."""
        entry = TreeEntry(DIRECTORY, self.tree)
        for name in components(path):
            child = self._objects.listing(entry.oid).get(name) if entry.mode == DIRECTORY else None
            if child is None:
                return None
            entry = child
        return entry

    def mode_at(self, path: str) -> str | None:
        """Its mode, or None."""
        entry = self.entry(path)
        return entry.mode if entry else None


def changed_files(objects: GitHubObjects, parent: GitHubFiles, child: GitHubFiles, most: int) -> dict[str, str | None]:
    """The files in which two commits differ, in order of path, with their modes in `parent`: None where there is none.

    Found in the listings of both, whatever GitHub says of their difference. Raises `RepoError` if there are more
    than `most`, and `Refused` if something else than the bytes of regular files differs: blocks never do that.
    """
    pairs = changed_entries(objects.listing, objects.fetch_ids, parent.tree, child.tree, most)
    if pairs is None:
        reason = f"commit {child.commit[:7]} changes more than {most} files; undo it with git revert"
        raise RepoError(reason, ReasonCode.TOO_LARGE)
    for path, pair in pairs.items():
        modes = {entry.mode for entry in pair if entry is not None}
        if len(modes) > 1 or not modes <= {FILE, EXECUTABLE}:
            reason = f"commit {child.commit[:7]} changes more of {path} than its bytes; undo it with git revert"
            raise Refused(reason, ReasonCode.NOT_A_FILE)
    return {path: old.mode if old else None for path, (old, _) in pairs.items()}


def root_of_ancestor(api: GitHubApi, repository: str, commit: str, head: str) -> str | None:
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
    merge_base = answer["merge_base_commit"]
    return _oid(merge_base["sha"]), _oid(merge_base["commit"]["tree"]["sha"])


def _oid(value: object) -> str:
    if not isinstance(value, str) or not _OID.fullmatch(value):
        raise ValueError("no object id")
    return value
