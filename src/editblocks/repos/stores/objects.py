"""What git holds without a working tree: one commit, or the index. A commit may get another one on top.

Blobs and trees are read by id, so nothing of the repository (attributes, filters, hooks) takes part. A branch moves by
compare-and-swap from the commit that was read, or not at all.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, UnreadableFile
from editblocks.core.outcome import Origin
from editblocks.repos.files.object_ids import planned_changes
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    MAX_FILE_BYTES,
    SYMLINK,
    Contents,
    TreeEntry,
    file_mode,
    is_inside,
    to_bytes,
    to_text,
)
from editblocks.repos.git.command import ANY_STATUS, Git, words
from editblocks.repos.git.commits import make_commit, move_ref
from editblocks.repos.git.gitpython import rev_of
from editblocks.repos.git.repository import Repository, find_branch, opened, ref_value, resolve_commit, unborn_branch
from editblocks.repos.git.trees import CommitFiles, earlier_files

if TYPE_CHECKING:
    from editblocks.repos.git.gitpython import GitObject, GitReference, GitRepo


class CommitReader:
    """A bare or checked-out repository at one commit; `place` is its top or bare folder, or one that is open.

    `rev` is what a person calls the commit (default: HEAD), or GitPython's object for it; `place` may be a `git.Repo`.
    """

    listings = 20  # see applying.files.Tree

    def __init__(
        self,
        place: str | os.PathLike[str] | Repository | GitRepo,
        rev: str | GitObject | GitReference | None = None,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        self._repository = opened(place)
        self._limit = max_file_bytes
        self._look_at(self._find_head(rev_of(rev)))

    def prefetch(self, paths: Iterable[str]) -> None:
        self._files.prefetch(paths)

    def read(self, path: str) -> bytes | None:
        return self._files.read(path)

    def entries(self, directory: str) -> Mapping[str, str]:
        return self._files.entries(directory)

    def ignored(self, _paths: Iterable[str]) -> Iterable[str]:
        """None: whatever is in here is tracked (`applying.files.Tree.ignored`)."""
        return ()

    def link_target(self, path: str) -> str | None:
        """Where a link leads to (`applying.files.Tree.link_target`)."""
        entry = self._files.entry(path)
        if entry is None or entry.mode != SYMLINK:
            return None
        return to_text(self._repository.git.ask("cat-file", "blob", entry.oid))

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        return earlier_files(self._repository, commit, self.head, self._limit)

    def _find_head(self, rev: str | None) -> str | None:
        if rev is not None:
            return resolve_commit(self._repository, rev)
        if unborn_branch(self._repository) is not None:
            return None
        return resolve_commit(self._repository, "HEAD")

    def _look_at(self, commit: str | None) -> None:
        self.head = commit  # the one that is read; None in a repository that has none yet
        self._files = CommitFiles(self._repository.git, commit, self._limit)


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
        self, contents: Contents, message: str, modes: Mapping[str, str] | None = None, origin: Origin | None = None
    ) -> str | None:
        """Put one commit with all of `contents` on the branch; None if that would change nothing.

        Raises `Refused` without a branch, for one that is in use and where no file can be,
        `HeadMoved`, `SelfCheckFailed` and `RepoError`; the branch has not moved then.
        """
        del origin  # the message of the commit says it
        if self._ref is None:
            raise Refused("this commit was opened for reading; name a branch to write to", ReasonCode.BRANCH_REFUSED)
        self._files.list_above(filter(is_inside, contents))
        object_format = self._repository.object_format
        files = planned_changes(contents, modes or {}, self._files.mode_at, self._files.entry, object_format)
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
                what = f"there is no branch {self._branch}, and no commit to create it from"
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
        answer = repository.git.run(*command, options=repository.lock_options, ok_statuses=ANY_STATUS)
        if answer.status and ref_value(repository, ref) is not None:  # else it is gone, which moves nothing
            why = words(answer)
    elif repository.top and unborn_branch(repository) == ref:
        why = f"it is checked out at {repository.top}"
    if why:
        reason = f"{ref} is in use: {why}; apply to that working tree, or finish there first"
        raise Refused(reason, ReasonCode.BRANCH_REFUSED)


class IndexRepo(CommitReader):
    """The index of the repository at `place`, read once: what the next commit would hold, as a hook has to see it."""

    def __init__(
        self, place: str | os.PathLike[str] | Repository | GitRepo, *, max_file_bytes: int = MAX_FILE_BYTES
    ) -> None:
        super().__init__(place, max_file_bytes=max_file_bytes)

    def _find_head(self, rev: str | None) -> str | None:
        """The commit that the staged changes are to follow."""
        del rev
        return self._repository.head

    def _look_at(self, commit: str | None) -> None:
        self.head = commit
        self._files = IndexFiles(self._repository.git, self._limit)


class IndexFiles(CommitFiles):
    """The files that are staged in an index."""

    def __init__(self, git: Git, limit: int) -> None:
        super().__init__(git, None, limit)
        # `MODE ID STAGE<TAB>PATH<NUL>` a row, in the order of the paths' bytes; a path may hold a TAB too, but no NUL
        rows = (row.partition(b"\t") for row in git.ask("ls-files", "--stage", "-z").split(b"\0")[:-1])
        self._rows = {path: head for head, _, path in rows}
        self._paths = list(self._rows)

    def read(self, path: str) -> bytes | None:
        if file_mode(path, self.mode_at) is not None:
            self.entry(path)  # raises for a conflict, which `prefetch` passes over
        return super().read(path)

    def entries(self, directory: str) -> Mapping[str, str]:
        if directory and not is_inside(directory):
            return {}
        start = to_bytes(f"{directory}/" if directory else "")
        names: dict[str, str] = {}
        for path in islice(self._paths, bisect_left(self._paths, start), None):
            if not path.startswith(start):
                break
            name, below, _ = path[len(start) :].partition(b"/")
            names[to_text(name)] = DIRECTORY if below else self._rows[path][:6].decode("ascii")
        return names

    def entry(self, path: str) -> TreeEntry | None:
        """The entry of a path. Raises `UnreadableFile` for one that a merge left in conflict."""
        row = self._rows.get(to_bytes(path))
        if row is None:
            return None
        mode, object_id, stage = row.decode("ascii").split(" ")
        if stage != "0":
            what = f"{path} is in conflict in the index"
            raise UnreadableFile(ReasonCode.PATH_CONFLICT, what, "resolve it and stage it first")
        return TreeEntry(mode, object_id)

    def mode_at(self, path: str) -> str | None:
        row = self._rows.get(to_bytes(path))
        if row is not None:
            return row[:6].decode("ascii")
        start = to_bytes(f"{path}/")
        place = bisect_left(self._paths, start)
        is_directory = place < len(self._paths) and self._paths[place].startswith(start)
        return DIRECTORY if is_directory else None
