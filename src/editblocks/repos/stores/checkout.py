"""A checked-out branch: files are read from disk, and a write is one commit with which disk and index agree.

The commit holds the planned change and nothing else: what the user had staged stays staged, what was
changed elsewhere stays changed, and a file with changes of its own is refused. It is made as any of
ours, as an object that is proved before the branch moves by compare-and-swap, so there is never a
commit to be taken back. The blobs are those that `git add` would make, line ends converted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import HeadMoved, Refused, RepoError, UnreadableFile
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES, TreeEntry, is_inside, modes_for, too_large
from editblocks.repos.git.command import ANY_STATUS, Mode
from editblocks.repos.git.commit_files import earlier_files
from editblocks.repos.git.commits import LOCK_SECONDS, CommitPlan, Identity, make_commit, move_ref, people
from editblocks.repos.git.process import Launch, through_gitpython
from editblocks.repos.git.repository import Repository, open_repository, ref_value
from editblocks.repos.git.trees import Listings, blob_id, parents
from editblocks.repos.index.next_index import NextIndex, next_index
from editblocks.repos.journal.file_swap import Effect
from editblocks.repos.journal.journal import WritePhase, nothing
from editblocks.repos.journal.recovery import Recovery
from editblocks.repos.stores.worktree import PendingWrite, WorktreeRepo

_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a cherry-pick or revert",
}


class CheckoutRepo:
    """The working tree whose top is `root`, at the commit that is checked out.

    A branch without a commit gets its first one. A detached HEAD is read, but not written to: the
    commit would be on no branch, and lost at the next switch. Raises `RepoError` if there is no
    working tree of a repository at `root`. After `HeadMoved`, open a new one.
    """

    listings = 20  # see run.flow.Repo

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        mode: Mode = Mode.USER,
        identity: Identity | None = None,
        lock_seconds: float = LOCK_SECONDS,
        launch: Launch = through_gitpython,
        before_effect: Effect | None = None,
    ) -> None:
        self._repository = open_repository(Path(root), mode, launch=launch)
        if self._repository.top is None:
            reason = f"{root} is a bare repository, without files to change; apply in a checkout of it"
            raise RepoError(reason, ReasonCode.BAD_CONFIG)
        self._files = WorktreeRepo(
            root, before_effect=before_effect or nothing, lock_seconds=lock_seconds, repository=self._repository
        )
        self._files.recover()
        self._identity = identity
        self._lock_seconds = lock_seconds
        self._ref = current_branch(self._repository)
        self._new_commit: str | None = None  # the commit of the write that is under way
        self._bytes_read: dict[str, bytes | None] = {}  # what was read
        self._look_at(ref_value(self._repository, "HEAD"))

    @property
    def recoveries(self) -> list[Recovery]:
        """What became of writes that were interrupted."""
        return self._files.recoveries

    @property
    def head(self) -> str | None:
        """The commit that is checked out; None on a branch that has none yet."""
        return self._head

    def prefetch(self, paths: Iterable[str]) -> None:
        """Look up at once what is committed in the directories above these paths."""
        paths = list(paths)
        self._files.prefetch(paths)
        self._listings.list(parents(filter(is_inside, paths)))

    def read(self, path: str) -> bytes | None:
        """The bytes on disk, as `WorktreeRepo.read`."""
        self._bytes_read[path] = self._files.read(path)
        return self._bytes_read[path]

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names on disk with git's modes, as `WorktreeRepo.entries`."""
        return self._files.entries(directory)

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of an earlier commit, as `run.flow.Repo.at`: the bytes that git stores, without any conversion."""
        return earlier_files(self._repository, commit, self._head, MAX_FILE_BYTES)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> str | None:
        """Change all of `contents` on disk and commit exactly that; None if it would change nothing.

        Raises `Refused` for a file that is not as it was committed, and where no commit can be made now;
        `HeadMoved`, `SelfCheckFailed` and `RepoError`. The files then hold what they held before.
        """
        changes = self._changes(contents)
        if not changes:
            return None
        with next_index(self._repository, self._lock_seconds) as index:
            self._refuse_moved()
            refuse_unfinished(self._repository)
            people(self._repository.git, self._identity)  # before anything is changed; making the commit asks again
            index.refuse_unclean({path: self._bytes_read[path] for path in changes})
            with self._files.changing(changes, goes_with=WritePhase.COMMITTING) as writing:
                return self._commit_files(index, writing, changes, message)

    def _changes(self, contents: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        """What differs from the disk. Raises `Refused` where no file can be."""
        self.prefetch(contents)
        modes_for(contents, self._head_mode)
        try:
            present = {
                path: self._bytes_read[path] if path in self._bytes_read else self.read(path) for path in contents
            }
            for path, data in contents.items():
                if data is not None and len(data) > MAX_FILE_BYTES:
                    raise too_large(path, len(data), MAX_FILE_BYTES)
        except UnreadableFile as problem:
            raise Refused(problem.message, problem.code) from problem
        return {path: data for path, data in contents.items() if data != present[path]}

    def _commit_files(
        self, index: NextIndex, writing: PendingWrite, changes: Mapping[str, bytes | None], message: str
    ) -> str | None:
        """Commit what is on disk now. Whatever stops that, even a signal, has the old bytes put back."""
        self._new_commit = None
        try:
            self._commit(index.add(changes), writing, message)
        except BaseException as error:
            writing.is_final = self._has_moved()
            if not writing.is_final:
                raise
            if not isinstance(error, RepoError):  # a git that was stopped too late has done its work all the same
                index.install()
                raise
        writing.is_final = True
        index.install()
        self._look_at(self._new_commit or self._head)
        return self._new_commit

    def _commit(self, files: Mapping[str, tuple[str, bytes] | None], writing: PendingWrite, message: str) -> None:
        """Make the commit and move the branch to it; without a difference to HEAD there is none to make."""
        files = {path: new for path, new in files.items() if self._head_entry(path) != self._entry(new)}
        if not files or self._ref is None:
            return
        self._new_commit = make_commit(self._repository, CommitPlan(self._head, files, message), self._identity)
        writing.will_commit(self._new_commit)
        move_ref(
            *(self._repository, self._ref, self._new_commit, self._head),
            identity=self._identity,
            lock_seconds=self._lock_seconds,
        )

    def _has_moved(self) -> bool:
        return self._new_commit is not None and ref_value(self._repository, "HEAD") == self._new_commit

    def _refuse_moved(self) -> None:
        if self._ref is None:
            reason = "HEAD is detached, so the commit would be on no branch; git switch -c NAME first"
            raise Refused(reason, ReasonCode.BRANCH_REFUSED)
        if current_branch(self._repository) != self._ref or ref_value(self._repository, self._ref) != self._head:
            raise HeadMoved("another commit was checked out while the change was planned; plan again")

    def _look_at(self, commit: str | None) -> None:
        self._head = commit
        self._listings = Listings(self._repository.git, commit)
        self._bytes_read = {}

    def _head_entry(self, path: str) -> TreeEntry | None:
        return self._listings.entry(path)

    def _head_mode(self, path: str) -> str | None:
        entry = self._head_entry(path)
        return entry.mode if entry else None

    def _entry(self, new: tuple[str, bytes] | None) -> TreeEntry | None:
        return TreeEntry(new[0], blob_id(new[1], self._repository.object_format)) if new else None


def current_branch(repository: Repository) -> str | None:
    """The full name of the branch that HEAD is on, None if it is on none."""
    answer = repository.git.run("symbolic-ref", "--quiet", "HEAD", ok_statuses=ANY_STATUS)
    return os.fsdecode(answer.output).strip() if answer.status == 0 else None


def refuse_unfinished(repository: Repository) -> None:
    """Raise `Refused` in the middle of a merge, rebase, cherry-pick or revert: the commit would become part of it."""
    for name, what in _UNFINISHED.items():
        if (repository.git_dir / name).exists():
            raise Refused(
                f"{what} is not finished in this repository; finish or abort it first", ReasonCode.BRANCH_REFUSED
            )
