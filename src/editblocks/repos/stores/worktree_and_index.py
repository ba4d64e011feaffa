"""A working tree with its index: files are read from disk, and a write changes both, as `git apply --index` does.

A file is touched only if it is on disk what is staged, so that nothing is staged but the planned change; what
HEAD has of it does not count. Whatever else is staged stays so. The blobs are those that `git add` would make,
line ends converted. Files change first, by the journal, and the index by git's own lock and rename: whatever
stops that in between puts the files back, or, if it is a kill, has the next start do so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, UnreadableFile
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES, too_large
from editblocks.repos.git.command import Mode
from editblocks.repos.git.commit_files import earlier_files
from editblocks.repos.git.commits import LOCK_SECONDS
from editblocks.repos.git.process import Launch, through_gitpython
from editblocks.repos.git.repository import open_repository, ref_value
from editblocks.repos.index.next_index import NextIndex, next_index
from editblocks.repos.journal.file_swap import Effect
from editblocks.repos.journal.journal import WritePhase, nothing
from editblocks.repos.journal.recovery import Recovery
from editblocks.repos.stores.worktree import PendingWrite, WorktreeRepo


class IndexedRepo:
    """The working tree whose top is `root`, and its index. Raises `RepoError` if there is none at `root`."""

    listings = 20  # see run.flow.Repo

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        mode: Mode = Mode.USER,
        max_file_bytes: int = MAX_FILE_BYTES,
        lock_seconds: float = LOCK_SECONDS,
        launch: Launch = through_gitpython,
        before_effect: Effect = nothing,
    ) -> None:
        self._repository = open_repository(Path(root), mode, launch=launch)
        if self._repository.top is None:
            reason = f"{root} is a bare repository, without files to change; apply in a checkout of it"
            raise RepoError(reason, ReasonCode.BAD_CONFIG)
        self._limit = max_file_bytes
        self._lock_seconds = lock_seconds
        self._files = WorktreeRepo(
            root,
            max_file_bytes=max_file_bytes,
            before_effect=before_effect,
            lock_seconds=lock_seconds,
            repository=self._repository,
        )
        self._files.recover()
        self._head = ref_value(self._repository, "HEAD")
        self._bytes_read: dict[str, bytes | None] = {}  # what was read

    @property
    def receipt(self) -> str | None:
        """What the journal calls the last write. It knows of the files alone: what is staged stays staged."""
        return self._files.receipt

    @property
    def recoveries(self) -> list[Recovery]:
        """What became of writes that were interrupted."""
        return self._files.recoveries

    @property
    def head(self) -> str | None:
        """The commit that is checked out; None on a branch that has none yet."""
        return self._head

    def prefetch(self, paths: Iterable[str]) -> None:
        """Nothing is far away but what a sparse checkout leaves out."""
        self._files.prefetch(paths)

    def read(self, path: str) -> bytes | None:
        """The bytes on disk, as `WorktreeRepo.read`."""
        self._bytes_read[path] = self._files.read(path)
        return self._bytes_read[path]

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names on disk with git's modes, as `WorktreeRepo.entries`."""
        return self._files.entries(directory)

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of an earlier commit, as `run.flow.Repo.at`: the bytes that git stores, without any conversion."""
        return earlier_files(self._repository, commit, self._head, self._limit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> None:
        """Change all of `contents` on disk and in the index, or nothing.

        Raises `Refused` for a file that is not on disk what is staged, `HeadMoved`, `SelfCheckFailed` and `RepoError`.
        """
        del message
        changes = self._changes(contents)
        if not changes:
            return
        with next_index(self._repository, self._lock_seconds, option="--index") as index:
            index.refuse_unstaged({path: self._bytes_read[path] for path in changes})
            with self._files.changing(changes, goes_with=WritePhase.STAGING, note=index.digest(changes)) as writing:
                _stage(index, writing, changes)
        self._bytes_read = {}

    def _changes(self, contents: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        """What differs from the disk. Raises `Refused` where no file can be."""
        self.prefetch(contents)
        try:
            present = {
                path: self._bytes_read[path] if path in self._bytes_read else self.read(path) for path in contents
            }
            for path, data in contents.items():
                if data is not None and len(data) > self._limit:
                    raise too_large(path, len(data), self._limit)
        except UnreadableFile as problem:
            raise Refused(problem.message, problem.code) from problem
        return {path: data for path, data in contents.items() if data != present[path]}


def _stage(index: NextIndex, writing: PendingWrite, changes: Mapping[str, bytes | None]) -> None:
    """Stage what is on disk now. Whatever stops that, even a signal, has the old bytes put back, unless it is done."""
    try:
        index.add(changes, stores=True)
        writing.will_stage(index.digest(changes))
        index.install()
    except BaseException:
        writing.is_final = index.is_installed
        if writing.is_final:
            writing.finish()
        raise
    writing.is_final = True
