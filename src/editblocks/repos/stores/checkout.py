"""Stores for a working tree together with its index. Files are read from disk; a write changes disk and index.

`IndexedRepo` works like `git apply --index`: it changes a file only if it is the same on disk and in the index.
`CheckoutRepo` also makes a commit with the same contents, checks it, and moves the branch by compare-and-swap. Other
staged or unstaged changes stay as they are. Blobs are those of `git add`, with line ends converted. Files change first,
then the branch, then the index. If a write fails in between, the files are put back. After a kill, the next process
finishes the write or puts the files back.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import HeadMoved, Refused, RepoError
from editblocks.core.outcome import Origin
from editblocks.repos.git.commits import CommitFiles, author_and_committer, make_commit, move_ref
from editblocks.repos.git.index import NextIndex, next_index, staged_entries, unstaged
from editblocks.repos.git.repository import Repository, open_repository, ref_value, symbolic_ref
from editblocks.repos.records import FileChange, Records, Step, new_contents
from editblocks.repos.stores.worktree import DISK, Disk, WorktreeRepo
from editblocks.repos.tree_modes import MAX_FILE_BYTES, Contents, entry_of, is_inside, modes_for

_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a cherry-pick or revert",
}


class IndexedRepo(WorktreeRepo):
    """The working tree at `root`, and its index. Raises `RepoError` if `root` is not the top of a working tree."""

    kind = "index"

    def __init__(
        self,
        root: Path,
        *,
        repository: Repository | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
        disk: Disk = DISK,
        allow_ignored: Collection[str] | None = None,
    ) -> None:
        self._repository = repository or open_repository(root)
        if self._repository.top is None:
            reason = f"{root} is a bare repository, without files to change; apply in a checkout of it"
            raise RepoError(reason, ReasonCode.BAD_CONFIG)
        super().__init__(
            root, repository=self._repository, max_file_bytes=max_file_bytes, disk=disk, allow_ignored=allow_ignored
        )
        self.recover()
        self._look_at(ref_value(self._repository, "HEAD"))

    def refuse_dirty(self, paths: Iterable[str]) -> None:
        """Raise `Refused` for the first of these files that a write could not change, because it differs on disk."""
        with next_index(self._repository, f"--{self.kind}") as index:
            self._refuse_dirty(index, {path: self.read(path) is not None for path in paths})

    def _refuse_dirty(self, index: NextIndex, on_disk: Mapping[str, bool]) -> None:
        index.refuse_unstaged(on_disk)

    @contextmanager
    def _prepare_index(self, changes: Sequence[FileChange]) -> Iterator[None]:
        with next_index(self._repository, "--index") as self._next:
            self._refuse_dirty(self._next, {change.path: change.old is not None for change in changes})
            yield

    def _update_index_and_branch(self, changes: Sequence[FileChange], message: str) -> str | None:
        del message
        self._next.stage_in_real_index(new_contents(changes))
        return None

    def _must_stay(self) -> bool:
        return self._next.is_installed

    def _finish(self, records: Records | None) -> None:
        with suppress(RepoError):  # if it fails, recovery will see that the write is complete
            super()._finish(records)

    def _look_at(self, commit: str | None) -> None:
        self.head = commit  # None on a branch that has no commit yet


class CheckoutRepo(IndexedRepo):
    """The working tree at `root` with its index and branch. After `HeadMoved` this store must be opened again.

    A write commits exactly its changes, if they differ from HEAD; on a branch without commits it makes the first one.
    It raises `Refused` for a file with uncommitted changes, during a merge and the like, and on a detached HEAD, where
    the commit would not be on any branch.
    """

    kind = "commit"
    _new_commit: str | None = None  # the id of the commit of the current write

    def prefetch(self, paths: Iterable[str]) -> None:
        """List the directories above these paths in HEAD, and ask which paths git ignores, with one call each."""
        super().prefetch(paths)
        self._committed.list_above(filter(is_inside, paths))

    @contextmanager
    def _prepare_index(self, changes: Sequence[FileChange]) -> Iterator[None]:
        contents = new_contents(changes)
        self.prefetch(contents)
        modes_for(contents, self._committed.mode_at)  # raises if there can be no file at a path in HEAD
        with next_index(self._repository, "--commit") as self._next:
            for name, what in _UNFINISHED.items():  # the commit would become part of it
                if (self._repository.git_dir / name).exists():
                    reason = f"{what} is not finished in this repository; finish or abort it first"
                    raise Refused(reason, ReasonCode.BRANCH_REFUSED)
            self._refuse_moved()  # afterwards, because git detaches HEAD during a rebase
            self._new_commit = None
            self._persons = author_and_committer(self._repository.git)  # raises before anything is changed
            self._refuse_dirty(self._next, {change.path: change.old is not None for change in changes})
            yield

    def _refuse_dirty(self, index: NextIndex, on_disk: Mapping[str, bool]) -> None:
        index.refuse_unclean(on_disk)

    def _update_index_and_branch(self, changes: Sequence[FileChange], message: str) -> str | None:
        """Commit the changed files from disk, and move the branch. Make no commit if they do not differ from HEAD."""
        staged = self._next.stage(new_contents(changes))
        id_format = self._repository.object_format
        files = {path: new for path, new in staged.items() if self._committed.entry(path) != entry_of(new, id_format)}
        if files and self._ref:
            self._new_commit = make_commit(self._repository, self.head, files, message, self._persons)
            try:
                move_ref(self._repository, self._ref, self._new_commit, self.head)
            except RepoError:
                if not self._has_moved():  # git may have moved the branch before it failed
                    raise
        self._next.install()
        return self._new_commit

    def _must_stay(self) -> bool:
        """Whether the branch has moved. If so, update the index to match it."""
        if not self._has_moved():
            return self._next.is_installed
        if not self._next.is_installed:
            self._next.install()
        return True

    def _has_moved(self) -> bool:
        return self._new_commit is not None and ref_value(self._repository, "HEAD") == self._new_commit

    def _finish(self, records: Records | None) -> None:
        """Mark the record as committed. Without a commit drop it, because HEAD already had all changes."""
        with suppress(RepoError):  # if it fails, recovery will see that the branch has moved
            if records and self._new_commit:
                records.finish(Step.COMMITTED, self._new_commit)
            elif records:
                records.forget()
        self._read_from(self._new_commit or self.head)

    def _refuse_moved(self) -> None:
        if self._ref is None:
            reason = "HEAD is detached, so the commit would be on no branch; git switch -c NAME first"
            raise Refused(reason, ReasonCode.BRANCH_REFUSED)
        if symbolic_ref(self._repository, "HEAD") != self._ref or ref_value(self._repository, self._ref) != self.head:
            raise HeadMoved("another commit was checked out while the change was planned; try again")

    def _look_at(self, commit: str | None) -> None:
        self._ref = symbolic_ref(self._repository, "HEAD")
        self.branch = self._ref and self._ref.removeprefix("refs/heads/")
        self._read_from(commit)

    def _read_from(self, commit: str | None) -> None:
        self.head = commit
        self._committed = CommitFiles(self._repository.git, commit, self._limit)


class AsStagedRepo(WorktreeRepo):
    """A working tree in which a write changes only files without unstaged changes. It does not change the index.

    Otherwise the write would be mixed with changes that the user has not staged. `ours` holds the paths that this run
    has already changed; only these may have unstaged changes. A write adds its paths to `ours`.
    """

    def __init__(self, repository: Repository, max_file_bytes: int, ours: set[str]) -> None:
        super().__init__(
            repository.git.directory, repository=repository, max_file_bytes=max_file_bytes, allow_ignored=()
        )
        self._git = repository.git
        self._ours = ours

    def write(
        self, contents: Contents, message: str, modes: Mapping[str, str] | None = None, origin: Origin | None = None
    ) -> str | None:
        """Like `WorktreeRepo.write`, but raise `Refused` for unstaged changes before even the lock is taken."""
        self.refuse_unstaged(contents)
        commit = super().write(contents, message, modes, origin)
        self._ours.update(contents)
        return commit

    def refuse_unstaged(self, paths: Iterable[str]) -> None:
        """Raise `Refused` for the first of `paths` that differs from the index, is untracked or in conflict."""
        other_paths = [path for path in paths if path not in self._ours]
        staged = staged_entries(self._git, other_paths)
        changed = unstaged(self._git, other_paths)
        for path in other_paths:
            directory, _, name = path.rpartition("/")
            is_there = name in self.entries(directory)
            if path in changed or (path in staged and not is_there):
                reason = f"{path} has unstaged changes; git add it, or stash what is not staged"
                raise Refused(reason, ReasonCode.DIRTY_FILE)
            if is_there and path not in staged:
                raise Refused(f"{path} is not tracked by git; git add it first", ReasonCode.DIRTY_FILE)
