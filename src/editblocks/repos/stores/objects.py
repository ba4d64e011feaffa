"""One commit of a repository without a working tree, on top of which another one is put.

A branch moves by compare-and-swap from the commit that was read, or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError
from editblocks.core.outcome import Origin
from editblocks.repos.files.object_ids import entry_of
from editblocks.repos.files.tree_modes import FILE, MAX_FILE_BYTES, is_inside, modes_for
from editblocks.repos.git.command import ANY_STATUS, words
from editblocks.repos.git.commits import lock_options, make_commit, move_ref
from editblocks.repos.git.gitpython import GitObject, GitReference, GitRepo
from editblocks.repos.git.repository import Repository, find_branch, opened, ref_value, unborn_branch
from editblocks.repos.stores.object_files import CommitReader


class ObjectsRepo(CommitReader):
    """A repository at one commit, by default the tip of `branch`, else HEAD.

    `branch` is the one that `write` moves, never one that a working tree is on; one that is not there yet is made at
    HEAD, or at `rev`. After `HeadMoved`, open a new store.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Repository | GitRepo,
        rev: str | GitObject | GitReference | None = None,
        *,
        branch: str | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        repository = opened(place)
        self._branch = branch
        self._ref: str | None = None
        self._tip: str | None = None
        self.makes_branch_at: str | None = None  # where `write` makes the branch, if it is not there yet
        if branch is not None:
            self._ref, self._tip = find_branch(repository, branch)
            # before anything is planned, and again when it moves
            _refuse_in_use(repository, self._ref, is_born=self._tip is not None)
        super().__init__(repository, rev, max_file_bytes=max_file_bytes)

    def write(
        self,
        contents: Mapping[str, bytes | None],
        message: str,
        modes: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> str | None:
        """Put one commit with all of `contents` on the branch; None if that would change nothing.

        Raises `Refused` without a branch, for one that is in use and where no file can be,
        `HeadMoved`, `SelfCheckFailed` and `RepoError`; the branch has not moved then.
        """
        del origin  # the message of the commit says it
        if self._ref is None:
            raise Refused("this commit was opened for reading; name a branch to write to", ReasonCode.BRANCH_REFUSED)
        self._files.list_above(filter(is_inside, contents))
        there = modes_for(contents, self._files.mode_at)
        mode_of = {path: there[path] or (modes or {}).get(path, FILE) for path in contents}
        planned = {path: None if data is None else (mode_of[path], data) for path, data in contents.items()}
        id_format = self._repository.object_format
        files = {path: new for path, new in planned.items() if self._files.entry(path) != entry_of(new, id_format)}
        if not files:
            return None
        moves_from = None if self.makes_branch_at else self.head
        _refuse_in_use(self._repository, self._ref, is_born=moves_from is not None)
        commit = make_commit(self._repository, self.head, files, message)
        move_ref(self._repository, self._ref, commit, moves_from)
        self.makes_branch_at = None
        self._look_at(commit)
        return commit

    def _find_head(self, rev: str | None) -> str | None:
        if rev is not None or self._ref is None:
            return super()._find_head(rev)
        if self._tip is None and unborn_branch(self._repository) != self._ref:
            self.makes_branch_at = super()._find_head(rev)
            if self.makes_branch_at is None:
                what = f"there is no branch {self._branch}, and no commit to make it at"
                raise RepoError(f"{what}; commit something first", ReasonCode.BAD_CONFIG)
            return self.makes_branch_at
        return self._tip


def _refuse_in_use(repository: Repository, ref: str, *, is_born: bool) -> None:
    """Raise `Refused` if a working tree is on the branch `ref`, or a rebase is to end there. `is_born`: it has commits.

    Git is told to move it to where it is, which changes nothing, and refuses as it would for a person. Git itself looks
    where that is: a branch that was pushed to since is not taken back.
    """
    why = ""
    if is_born and ref.startswith("refs/heads/"):
        command = ("branch", "--quiet", "--no-track", "--force", ref.removeprefix("refs/heads/"), ref)
        answer = repository.git.run(*command, options=lock_options(repository), ok_statuses=ANY_STATUS)
        if answer.status and ref_value(repository, ref) is not None:  # else it is gone, which moves nothing
            why = words(answer)
    elif repository.top and unborn_branch(repository) == ref:
        why = f"it is checked out at {repository.top}"
    if why:
        reason = f"{ref} is in use: {why}; apply to that working tree, or finish there first"
        raise Refused(reason, ReasonCode.BRANCH_REFUSED)
