"""Files below a directory, with or without git: what the command line writes.

A file is replaced only while it still holds the bytes that were read. Rules: docs/internals/security.md, working tree.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from editblocks.core.errors import HeadMoved, Refused, UnreadableFile
from editblocks.core.outcome import Origin
from editblocks.core.typed import TYPE_CHECKING, NamedTuple
from editblocks.repos.files.directory import (
    HAS_DIR_FD,
    Folder,
    Found,
    refuse_read_only,
)
from editblocks.repos.files.tree_modes import EXECUTABLE, FILE, MAX_FILE_BYTES, refuse_clash
from editblocks.repos.git.repository import Repository, git_folder
from editblocks.repos.journal.file_swap import Effect, Staging, nothing, prune
from editblocks.repos.journal.lock import is_unfinished
from editblocks.repos.journal.records import FileChange, Records, Step, locked_records
from editblocks.repos.stores.worktree_files import WorktreeFiles

if TYPE_CHECKING:
    from editblocks.repos.journal.undo import Recovery


class Disk(NamedTuple):
    """How files are changed: `before_effect` is called before each effect and may raise; `dir_fd` see `Folder`."""

    before_effect: Effect = nothing
    dir_fd: bool = HAS_DIR_FD
    clock: Callable[[], float] = time.time


DISK = Disk()


class WorktreeRepo(WorktreeFiles):
    """The regular files below `root`. Modes are kept; a new file gets 0644 as far as the umask allows it.

    A directory that holds a `.git` of its own counts as a submodule, and so does what the index calls one. Where
    `root` is the top of a repository, which may be handed over as `repository`, a write is kept there for undo.
    """

    kind = "files"  # what goes with them, see `Record`

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        repository: Repository | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
        disk: Disk = DISK,
        allow_ignored: Collection[str] | None = None,
    ) -> None:
        super().__init__(
            root,
            repository=repository,
            max_file_bytes=max_file_bytes,
            dir_fd=disk.dir_fd,
            allow_ignored=allow_ignored,
        )
        self._disk = disk
        self.receipt: str | None = None  # the id of the last write, for undo
        self.not_kept: str | None = None  # the file because of which the last write cannot be undone
        self.recoveries: list[Recovery] = []  # what became of writes that were interrupted

    def write(
        self,
        contents: Mapping[str, bytes | None],
        message: str,
        modes: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> str | None:
        """Change all of `contents` or nothing; `message` is for stores that have commits, `modes` those of new files,
        and `origin` is kept with what was there before.

        Raises `HeadMoved` if a file no longer holds what was read, or if an interrupted write had to be dealt with
        first; `Refused` where no file can be, `RepoError` for a read-only file and if the system fails. Afterwards
        `receipt` is the id for undo, if there is one.
        """
        self.receipt = None
        self.not_kept = None
        with self._open(next(iter(contents), ".")) as top, self._locked() as records:
            if self._recover(top, records):  # what was planned was planned on files that were half new, half old
                raise HeadMoved(f"{self.recoveries[-1]}; plan again")
            present = {path: self._current_file(top, path) for path in contents}
            refuse_clash(contents)
            changes = list(_changes(contents, present, modes or {}))
            if not changes:
                return None
            with self._prepared(changes):
                staging = Staging(top, self._disk.before_effect)
                try:
                    if records and not self._is_not_kept(changes):
                        records.begin(changes, self.kind, self._disk.clock(), origin)
                    staging.put(changes, present)
                    commit = self._follow(changes, message)
                    prune(top, [change.path for change in changes if change.new is None])
                    self._finish(records)
                except BaseException as error:
                    if self._stands():
                        self._finish(records)
                    else:
                        staging.undo(error)
                        if records:
                            records.forget()
                    raise
        self._seen.update(contents)
        return commit

    def recover(self) -> None:
        """Finish or take back what an interrupted process left, before anything is read; see `recoveries`."""
        if is_unfinished(git_folder(self._root)):
            with self._open(".") as top, self._locked() as records:
                self._recover(top, records)

    @contextmanager
    def _prepared(self, changes: Sequence[FileChange]) -> Iterator[None]:
        """Prepare what goes with the files, and refuse where it may not: nothing here."""
        del changes
        yield

    def _follow(self, changes: Sequence[FileChange], message: str) -> str | None:
        """Let what goes with the files follow, which are new now; gives the commit, if one was made."""
        del changes, message
        return None

    def _stands(self) -> bool:
        """Whether what goes with the files has changed, so that they stay whatever is raised."""
        return False

    def _is_not_kept(self, changes: Sequence[FileChange]) -> bool:
        """Whether one of these files is ignored by git: its bytes, secrets perhaps, are not to get into a ref."""
        self.not_kept = next(iter(self.ignore_rules(change.path for change in changes)), None)
        return self.not_kept is not None

    def _finish(self, records: Records | None) -> None:
        """Keep a write for undo."""
        self.receipt = records.finish(Step.DONE) if records else None

    def _recover(self, top: Folder, records: Records | None) -> bool:
        if records is None or not records.unfinished():
            return False
        from editblocks.repos.journal.undo import Swap  # after an interruption

        done = Swap(records, top, self._disk.before_effect).recover()
        self.recoveries += done
        return bool(done)

    def _locked(self) -> AbstractContextManager[Records | None]:
        """The records of the repository whose top is the root, locked; None where there is none."""
        repository = self._index.repository
        return locked_records(repository) if repository else nullcontext()

    def _current_file(self, top: Folder, path: str) -> Found | None:
        """Bytes and status that are to be replaced, held against what was read."""
        try:
            file = self._load(top, path)
        except UnreadableFile as problem:
            if path in self._seen:
                raise HeadMoved(f"{path} is no longer what was read; plan again ({problem.message})") from problem
            raise Refused(problem.message, problem.code) from problem
        if path in self._seen and (file and file[0]) != self._seen[path]:
            raise HeadMoved(f"{path} changed since it was read; plan again")
        return file


def _changes(
    contents: Mapping[str, bytes | None], present: Mapping[str, Found | None], modes: Mapping[str, str]
) -> Iterator[FileChange]:
    for path, data in contents.items():
        file = present[path]
        if data == (file and file[0]):
            continue
        refuse_read_only(path, file)
        mode = modes.get(path, FILE)
        if file is not None:
            mode = EXECUTABLE if file[1].st_mode & stat.S_IXUSR else FILE
        old, new = (None if side is None else (mode, side) for side in (file and file[0], data))
        yield FileChange(path, old, new)
