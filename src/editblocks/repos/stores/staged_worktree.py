"""A working tree in which only those files may be changed that are on disk as they are staged.

A hook that changes files needs this: what somebody left out of the index, with `git add -p` or not at all, would
else be mixed with the change, and could not be told from it any more. The index is only read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused
from editblocks.repos.git.repository import Repository
from editblocks.repos.index.next_index import statuses
from editblocks.repos.index.staged_files import staged_entries
from editblocks.repos.stores.worktree import WorktreeRepo


class AsStagedRepo(WorktreeRepo):
    """The files of `repository`, whose top they lie at.

    `ours` are paths that this run has changed already, and the only ones that may differ; a write adds to it.
    """

    def __init__(self, repository: Repository, max_file_bytes: int, ours: set[str]) -> None:
        super().__init__(repository.git.directory, repository=repository, max_file_bytes=max_file_bytes)
        self._git = repository.git
        self._ours = ours

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Change all of `contents` on disk or nothing, as `WorktreeRepo.write`; the index stays as it is.

        Raises `Refused` for a file that is not on disk as it is staged, too.
        """
        self.refuse_unstaged(contents)
        commit = super().write(contents, message)
        self._ours.update(contents)
        return commit

    def refuse_unstaged(self, paths: Iterable[str]) -> None:
        """Raise `Refused` for the first of `paths` that is not as it is staged, in conflict for example."""
        asked = [path for path in paths if path not in self._ours]
        staged = staged_entries(self._git, asked)
        changed = {path for path, status in statuses(self._git, asked) if status[1] != " "}
        for path in asked:
            directory, _, name = path.rpartition("/")
            is_there = name in self.entries(directory)
            if path in changed or (path in staged and not is_there):
                reason = f"{path} has unstaged changes; git add it, or stash what is not staged"
                raise Refused(reason, ReasonCode.DIRTY_FILE)
            if is_there and path not in staged:
                raise Refused(f"{path} is not tracked by git; git add it first", ReasonCode.DIRTY_FILE)
