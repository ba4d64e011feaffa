"""Stores that need no working tree: a commit, on which another commit can be put, and the index.

Blobs and trees are read by id, so no attributes, filters or hooks of the repository take effect. A branch moves by
compare-and-swap from the commit that was read, or not at all.
"""

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, UnreadableFile
from editblocks.core.outcome import Origin
from editblocks.repos.git.commits import CommitFiles, author_and_committer, earlier_files, make_commit, move_ref
from editblocks.repos.git.gitpython import rev_of
from editblocks.repos.git.repository import (
    ANY_STATUS,
    Git,
    Repository,
    as_repository,
    error_reason,
    find_branch,
    ref_value,
    resolve_commit,
    unborn_branch,
)
from editblocks.repos.tree_modes import (
    DIRECTORY,
    MAX_FILE_BYTES,
    SYMLINK,
    Contents,
    TreeEntry,
    file_mode,
    is_inside,
    planned_changes,
    to_bytes,
    to_text,
)

if TYPE_CHECKING:
    from editblocks.repos.git.gitpython import GitObject, GitReference, GitRepo


class CommitReader:
    """The files of one commit. `place` is a working tree, a bare repository, an open `Repository` or a `git.Repo`.

    `rev` is a revision as users write it (default: HEAD), or an object of GitPython.
    """

    listings = 20  # see applying.files.Tree

    def __init__(
        self,
        place: "str | os.PathLike[str] | Repository | GitRepo",
        rev: "str | GitObject | GitReference | None" = None,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        self._repository = as_repository(place)
        self._limit = max_file_bytes
        self._look_at(self._find_head(rev_of(rev)))

    def prefetch(self, paths: Iterable[str]) -> None:
        self._files.prefetch(paths)

    def read(self, path: str) -> bytes | None:
        return self._files.read(path)

    def entries(self, directory: str) -> Mapping[str, str]:
        return self._files.entries(directory)

    def ignored(self, _paths: Iterable[str]) -> Iterable[str]:
        return ()  # all files here are tracked

    def link_target(self, path: str) -> str | None:
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
        self.head = commit  # the commit that is read; None in a repository without commits
        self._files = CommitFiles(self._repository.git, commit, self._limit)


class ObjectsRepo(CommitReader):
    """The files of one commit: of `rev`, by default the tip of `branch`, or HEAD without a branch.

    `write` moves `branch`, which must not be checked out anywhere. A branch that does not exist is created at `rev`, by
    default at HEAD. After `HeadMoved` this store must be opened again.
    """

    def __init__(
        self,
        place: "str | os.PathLike[str] | Repository | GitRepo",
        rev: "str | GitObject | GitReference | None" = None,
        *,
        branch: str | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        repository = as_repository(place)
        self._branch = branch
        self._ref: str | None = None
        self._tip: str | None = None
        self.makes_branch_at: str | None = None  # the commit at which `write` creates the branch, if it is missing
        if branch is not None:
            self._ref, self._tip = find_branch(repository, branch)
            # checked before anything is planned, and again in `write`
            _refuse_in_use(repository, self._ref, is_born=self._tip is not None)
        super().__init__(repository, rev, max_file_bytes=max_file_bytes)

    def write(
        self, contents: Contents, message: str, modes: Mapping[str, str] | None = None, origin: Origin | None = None
    ) -> str | None:
        """Put one commit with all of `contents` on the branch and return its id, or None if nothing changes.

        Raises `Refused` without a branch, if the branch is in use, or if there can be no file at a path. Also raises
        `HeadMoved`, `SelfCheckFailed` and `RepoError`. In all cases the branch has not moved.
        """
        del origin  # it is in the commit message
        if self._ref is None:
            raise Refused("this commit was opened for reading; name a branch to write to", ReasonCode.BRANCH_REFUSED)
        self._files.list_above(filter(is_inside, contents))
        object_format = self._repository.object_format
        files = planned_changes(contents, modes or {}, self._files.mode_at, self._files.entry, object_format)
        if not files:
            return None
        moves_from = None if self.makes_branch_at else self.head
        _refuse_in_use(self._repository, self._ref, is_born=moves_from is not None)
        persons = author_and_committer(self._repository.git)
        commit = make_commit(self._repository, self.head, files, message, persons)
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
    """Raise `Refused` if branch `ref` is checked out or being rebased. `is_born`: the branch has commits.

    Asks git to move the branch to its own tip. That changes nothing, but git refuses it for a branch in use. Git itself
    resolves the tip, so a branch that somebody has pushed to in the meantime is not set back.
    """
    why = ""
    if is_born and ref.startswith("refs/heads/"):
        command = ("branch", "--quiet", "--no-track", "--force", ref.removeprefix("refs/heads/"), ref)
        answer = repository.git.run(*command, options=repository.lock_options, ok_statuses=ANY_STATUS)
        if answer.returncode and ref_value(repository, ref) is not None:  # otherwise it was deleted
            why = error_reason(answer)
    elif repository.top and unborn_branch(repository) == ref:
        why = f"it is checked out at {repository.top}"
    if why:
        advice = "run apply there without --branch, or choose another branch"
        reason = f"branch {ref.removeprefix('refs/heads/')} is in use: {why}; {advice}"
        raise Refused(reason, ReasonCode.BRANCH_REFUSED)


class IndexRepo(CommitReader):
    """The index of the repository at `place`, read once. A hook reads it to see the files of the next commit."""

    def __init__(
        self, place: "str | os.PathLike[str] | Repository | GitRepo", *, max_file_bytes: int = MAX_FILE_BYTES
    ) -> None:
        super().__init__(place, max_file_bytes=max_file_bytes)

    def _find_head(self, rev: str | None) -> str | None:
        """Return the commit of HEAD, the parent of the next commit."""
        del rev
        return self._repository.head

    def _look_at(self, commit: str | None) -> None:
        self.head = commit
        self._files = IndexFiles(self._repository.git, self._limit)


class IndexFiles(CommitFiles):
    """The files that are staged in an index."""

    def __init__(self, git: Git, limit: int) -> None:
        super().__init__(git, None, limit)
        # Each row is `MODE ID STAGE<TAB>PATH<NUL>`, sorted by the bytes of the path, which may contain a TAB.
        rows = (row.partition(b"\t") for row in git.ask("ls-files", "--stage", "-z").split(b"\0")[:-1])
        self._rows = {path: head for head, _, path in rows}
        self._paths = list(self._rows)

    def read(self, path: str) -> bytes | None:
        if file_mode(path, self.mode_at) is not None:
            self.entry(path)  # raises for a conflict, an error that `prefetch` suppresses
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
        """Return the entry of a path, or None. Raises `UnreadableFile` for a file in conflict."""
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
