"""A repository's objects: one commit is read, one commit is put on top of it, no working tree is touched.

Blobs and trees are read by id, so nothing of the repository (attributes, filters, hooks) takes part. The branch moves
by compare-and-swap from the commit that was read, or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError
from editblocks.repos.files.tree_modes import FILE, MAX_FILE_BYTES, is_inside, modes_for
from editblocks.repos.git.command import ANY_STATUS, words
from editblocks.repos.git.commits import lock_options, make_commit, move_ref
from editblocks.repos.git.object_ids import entry_of
from editblocks.repos.git.repository import (
    Repository,
    branch_ref,
    open_repository,
    ref_value,
    resolve_commit,
    unborn_branch,
)
from editblocks.repos.git.trees import CommitFiles, earlier_files


class ObjectsRepo:
    """A bare or checked-out repository at one commit; `place` is its top or bare folder, or one that is open.

    `rev` is what a person calls the commit to read (default: the tip of `branch`, else HEAD). `branch` is the one that
    `write` moves, never one that a working tree is on. After `HeadMoved`, open a new store.
    """

    listings = 20  # see run.flow.Repo

    def __init__(
        self,
        place: str | os.PathLike[str] | Repository,
        rev: str | None = None,
        *,
        branch: str | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        self._repository = place if isinstance(place, Repository) else open_repository(Path(place))
        self._limit = max_file_bytes
        self._ref = None if branch is None else branch_ref(self._repository, branch)
        if self._ref is not None:
            self._refuse_in_use(self._ref)  # before anything is planned, and again when it moves
        self._look_at(self._find_head(rev, branch))

    def prefetch(self, paths: Iterable[str]) -> None:
        self._files.prefetch(paths)

    def read(self, path: str) -> bytes | None:
        return self._files.read(path)

    def entries(self, directory: str) -> Mapping[str, str]:
        return self._files.entries(directory)

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        return earlier_files(self._repository, commit, self.head, self._limit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Put one commit with all of `contents` on the branch; None if that would change nothing.

        Raises `Refused` without a branch, for one that is in use and where no file can be,
        `HeadMoved`, `SelfCheckFailed` and `RepoError`; the branch has not moved then.
        """
        if self._ref is None:
            raise Refused("this commit was opened for reading; name a branch to write to", ReasonCode.BRANCH_REFUSED)
        self._files.list_above(filter(is_inside, contents))
        modes = modes_for(contents, self._files.mode_at)
        planned = {path: None if data is None else (modes[path] or FILE, data) for path, data in contents.items()}
        id_format = self._repository.object_format
        files = {path: new for path, new in planned.items() if self._files.entry(path) != entry_of(new, id_format)}
        if not files:
            return None
        self._refuse_in_use(self._ref)
        commit = make_commit(self._repository, self.head, files, message)
        move_ref(self._repository, self._ref, commit, self.head)
        self._look_at(commit)
        return commit

    def _find_head(self, rev: str | None, branch: str | None) -> str | None:
        if rev is not None or (branch is None and unborn_branch(self._repository) is None):
            return resolve_commit(self._repository, "HEAD" if rev is None else rev)
        if self._ref is None:
            return None
        tip = ref_value(self._repository, self._ref)
        if tip is None and unborn_branch(self._repository) != self._ref:
            raise RepoError(f"there is no branch {branch} here; make it first", ReasonCode.BAD_CONFIG)
        return tip

    def _refuse_in_use(self, ref: str) -> None:
        """Raise `Refused` if a working tree is on the branch `ref`, or a rebase or bisect is to end there.

        Git is told to move it to where it is, which changes nothing, and refuses as it would for a person.
        """
        tip, why = ref_value(self._repository, ref), ""
        if tip is not None and ref.startswith("refs/heads/"):
            command = ("branch", "--quiet", "--no-track", "--force", ref.removeprefix("refs/heads/"), tip)
            answer = self._repository.git.run(*command, options=lock_options(self._repository), ok_statuses=ANY_STATUS)
            why = words(answer) if answer.status else ""
        elif self._repository.top and unborn_branch(self._repository) == ref:
            why = f"it is checked out at {self._repository.top}"
        if why:
            reason = f"{ref} is in use: {why}; apply to that working tree, or finish there first"
            raise Refused(reason, ReasonCode.BRANCH_REFUSED)

    def _look_at(self, commit: str | None) -> None:
        self.head = commit  # the one that is read; None in a repository that has none yet
        self._files = CommitFiles(self._repository.git, commit, self._limit)
