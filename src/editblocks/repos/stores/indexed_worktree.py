"""A working tree with its index: files are read from disk, and a write changes both, as `git apply --index` does.

A file is touched only if it is on disk what is staged, so that nothing is staged but the planned change; what
HEAD has of it does not count. Whatever else is staged stays so. The blobs are those that `git add` would make,
line ends converted. Files change first, and the index by git's own lock and rename: whatever stops that in between
puts the files back, or, if it is a kill, has the next start finish it or do so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES
from editblocks.repos.git.commit_files import earlier_files
from editblocks.repos.git.repository import Repository, open_repository, ref_value
from editblocks.repos.index.next_index import NextIndex, next_index
from editblocks.repos.journal.records import FileChange, Records
from editblocks.repos.stores.worktree import DISK, Disk, WorktreeRepo


class IndexedRepo(WorktreeRepo):
    """The working tree whose top is `root`, and its index. Raises `RepoError` if there is none at `root`."""

    kind = "index"

    def __init__(
        self,
        root: Path,
        *,
        repository: Repository | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
        disk: Disk = DISK,
    ) -> None:
        self._repository = repository or open_repository(root)
        if self._repository.top is None:
            reason = f"{root} is a bare repository, without files to change; apply in a checkout of it"
            raise RepoError(reason, ReasonCode.BAD_CONFIG)
        super().__init__(root, repository=self._repository, max_file_bytes=max_file_bytes, disk=disk)
        self.recover()
        self._head = ref_value(self._repository, "HEAD")

    @property
    def head(self) -> str | None:
        """The commit that is checked out; None on a branch that has none yet."""
        return self._head

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of an earlier commit, as `run.flow.Repo.at`: the bytes that git stores, without any conversion."""
        return earlier_files(self._repository, commit, self._head, self._limit)

    @contextmanager
    def _index_for(self, changes: Sequence[FileChange]) -> Iterator[NextIndex | None]:
        with next_index(self._repository, "--index") as index:
            index.refuse_unstaged({change.path: change.old is not None for change in changes})
            yield index

    def _follow(self, index: NextIndex | None, changes: Sequence[FileChange], message: str) -> str | None:
        """Stage what is on disk now."""
        del message
        if index is not None:
            index.stage({change.path: change.new and change.new.data for change in changes})
            index.install()
        return None

    def _stands(self, index: NextIndex | None) -> bool:
        return index is not None and index.is_installed

    def _finish(self, records: Records | None) -> None:
        with suppress(RepoError):  # else whoever comes next sees that all is done
            super()._finish(records)
