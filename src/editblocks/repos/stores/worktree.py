"""Files below a directory, with or without git: what the command line reads and writes.

Links are followed nowhere, git's own folder is never entered, and a file is replaced only while it
still holds the bytes that were read. Rules: docs/internals/security.md, working tree.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, RepoError, UnreadableFile
from editblocks.paths.attributes import filtered_attribute
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, open_below
from editblocks.repos.files.regular_files import (
    Found,
    explain_errors,
    load,
    mode_at,
    mode_of,
    refuse_odd,
    refuse_read_only,
)
from editblocks.repos.files.tree_modes import (
    DIRECTORY,
    MAX_FILE_BYTES,
    SUBMODULE,
    components,
    is_git_name,
    is_inside,
    prefixes,
    refuse_clash,
)
from editblocks.repos.git.commit_files import earlier_files
from editblocks.repos.index_view import IndexView
from editblocks.repos.journal.entry import FileChange, JournalEntry, Version
from editblocks.repos.journal.file_swap import Effect, HalfWritten, remove_abandoned
from editblocks.repos.journal.git_state import has_stood, staged_as_new
from editblocks.repos.journal.journal import Journal, Record, WritePhase, nothing
from editblocks.repos.journal.location import LOCK_SECONDS, locked_journal, unfinished_record
from editblocks.repos.journal.recovery import Recovery, moving, recover, stage_files

if TYPE_CHECKING:
    from editblocks.repos.git.repository import Repository

_ATTRIBUTES = ".gitattributes"

__all__ = ["PendingWrite", "WorktreeRepo", "refuse_odd"]


class PendingWrite:
    """A write whose files are in their place. `is_final`: it is final, whatever is raised from now on."""

    def __init__(self, journal: Journal | None, record: Record | None) -> None:
        self._journal = journal
        self.record = record
        self.is_final = False

    def will_commit(self, commit: str) -> None:
        """Let the journal know what a branch is about to move to. Raises `RepoError`."""
        if self._journal and self.record:
            self.record = self._journal.mark(self.record, WritePhase.COMMITTING, commit)

    def will_stage(self, digest: str) -> None:
        """Let the journal know what is about to be staged. Raises `RepoError`."""
        if self._journal and self.record:
            self.record = self._journal.mark(self.record, WritePhase.STAGING, f"{self.record.note or ''}{digest}")

    def finish(self) -> None:
        """Let the entry be one that can be undone, or that of a commit, if one was made."""
        if self._journal and self.record:
            if self.record.step is WritePhase.COMMITTING:
                with suppress(RepoError):  # whoever finds it sees that the branch has moved
                    self._journal.keep_commit(self.record)
            else:
                self.record = self._journal.mark(self.record, WritePhase.DONE)
            self._journal.tidy()

    def forget(self) -> None:
        """The old bytes are back."""
        if self._journal and self.record:
            with suppress(RepoError):  # whoever finds it sees that there is nothing to do
                self._journal.drop(self.record)

    def give_up(self) -> None:
        """Somebody else's changes are in the way: keep both sides' bytes where a person can ask for them."""
        if self._journal and self.record:
            with suppress(RepoError):
                self._journal.mark(self.record, WritePhase.DONE)


class WorktreeRepo:
    """The regular files below `root`. Modes are kept; a new file gets 0644 as far as the umask allows it.

    A directory that holds a `.git` of its own counts as a submodule, and so does what the index calls one. Where
    `root` is the top of a repository, which may be handed over as `repository`, a write is an entry in its journal.
    `before_effect` is called before each effect and may raise; `clock` gives seconds since 1970.
    """

    listings = 20  # see run.flow.Repo

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        dir_fd: bool = HAS_DIR_FD,
        before_effect: Effect = nothing,
        lock_seconds: float = LOCK_SECONDS,
        clock: Callable[[], float] = time.time,
        repository: Repository | None = None,
    ) -> None:
        self._root = Path(root)
        self._index = IndexView(self._root, repository)
        self._limit = max_file_bytes
        self._dir_fd = dir_fd
        self._effect = before_effect
        self._lock_seconds = lock_seconds
        self._clock = clock
        self._digests: dict[str, bytes | None] = {}  # digests of what was read; None: there was no file
        self._prefetched: set[str] = set()  # what `prefetch` heard of
        self.receipt: str | None = None  # what the journal calls the last write
        self.recoveries: list[Recovery] = []  # what became of writes that were interrupted

    @property
    def head(self) -> str | None:
        """None: a working tree is at no commit."""
        return None

    def prefetch(self, paths: Iterable[str]) -> None:
        """Nothing is far away but what a sparse checkout leaves out."""
        self._prefetched.update(paths)

    def read(self, path: str) -> bytes | None:
        """The bytes of the file at `path`, None if there is none. Raises `UnreadableFile` and `RepoError`."""
        with self._open(path) as top:
            file = self._load(top, path)
            if file is not None:
                self._refuse_filtered(top, path)
        if file is None:
            self._index.refuse_left_out(path, self._prefetched)
        self._digests[path] = _digest(file)
        return file[0] if file else None

    def entries(self, directory: str) -> Mapping[str, str]:
        """Names in `directory` with git's modes, git's own folder left out, submodules not on disk among them."""
        stage_files = self._index.names(directory)
        submodules = {name: mode for name, mode in stage_files.items() if mode == SUBMODULE}
        with self._open(directory or ".") as top:
            if self._index.is_in_submodule(directory) or not _is_directory(top, directory):
                return stage_files
            with open_below(top, directory.split("/") if directory else ()) as folder:
                modes = {name: mode_of(folder, name) for name in sorted(folder.names()) if not is_git_name(name)}
        return {**stage_files, **{name: mode for name, mode in modes.items() if mode is not None}, **submodules}

    def at(self, commit: str) -> Callable[[str], bytes | None] | None:
        """A reader of a commit in the history of HEAD (`run.flow.Repo.at`); None if `root` is below its top.

        It gives what was committed then, with line ends as git stores them.
        """
        repository = self._index.repository
        return None if repository is None else earlier_files(repository, commit, "HEAD", self._limit)

    def write(self, contents: Mapping[str, bytes | None], message: str) -> None:
        """Change all of `contents` or nothing; `message` is for stores that have commits.

        Raises `HeadMoved` if a file no longer holds what was read, or if an interrupted write had to be dealt with
        first; `Refused` where no file can be, `RepoError` for a read-only file and if the system fails. Afterwards
        `receipt` is the journal's id for it, if there is one.
        """
        del message
        with self.changing(contents):
            pass

    def recover(self) -> None:
        """Finish or take back what an interrupted process left; do that before anything is read that is to be written.

        `recoveries` says what it was. Raises `HeadMoved`, `Refused` and `RepoError`.
        """
        if unfinished_record(self._root):
            with self._open(".") as top, self._journal() as journal:
                self._recover(top, journal)

    @contextmanager
    def changing(
        self,
        contents: Mapping[str, bytes | None],
        *,
        goes_with: WritePhase = WritePhase.APPLYING,
        note: str | None = None,
    ) -> Iterator[PendingWrite]:
        """Change all of `contents`; if the block fails before it stands, the old bytes are put back.

        `goes_with`: what the block does with them, `STAGING` or `COMMITTING` if anything; `note`: see
        `journal.Record`. Raises as `write`.
        """
        self.receipt = None
        with self._open(next(iter(contents), ".")) as top, self._journal() as journal:
            if self._recover(top, journal):  # what was planned was planned on files that were half new, half old
                raise HeadMoved(f"{self.recoveries[-1]}; plan again")
            present = {path: self._current_file(top, path) for path in contents}
            refuse_clash(contents)
            entry = self._entry(top, contents, present)
            if not entry.changes:
                yield PendingWrite(None, None)
                return
            if journal is None:
                remove_abandoned(top, contents, self._clock())
            writing = PendingWrite(journal, journal.plan(entry, goes_with, note) if journal else None)
            with stage_files(top, entry, self._effect, present, back=writing.forget):
                pass
            try:
                yield writing
                writing.finish()
            except BaseException as error:
                if not writing.is_final:
                    self._put_back(top, entry, writing, error)
                raise
        self._digests.update((path, _hash(data)) for path, data in contents.items())
        self.receipt = writing.record.id if writing.record and goes_with is not WritePhase.COMMITTING else None

    def _put_back(self, top: Folder, entry: JournalEntry, writing: PendingWrite, error: BaseException) -> None:
        try:
            with moving(top, entry.reverse(), self._effect, entry.made):
                pass
        except HalfWritten:
            raise
        except HeadMoved as problem:
            writing.give_up()
            reason = f"the files could not be put back as they were: {problem.message}; compare with git diff"
            raise RepoError(f"{_message_of(error)}; {reason}") from error
        except EditBlocksError as problem:  # the journal keeps the old bytes for whoever comes next
            reason = f"the files could not be put back ({problem.message}); the next apply or undo does that"
            raise RepoError(f"{_message_of(error)}; {reason}") from error
        writing.forget()

    def _entry(
        self, top: Folder, contents: Mapping[str, bytes | None], present: Mapping[str, Found | None]
    ) -> JournalEntry:
        changes = []
        for path, data in contents.items():
            file = present[path]
            old = None if file is None else Version(file[0], stat.S_IMODE(file[1].st_mode))
            if data != (None if old is None else old.data):
                refuse_read_only(path, file)
                changes.append(
                    FileChange(path, old, None if data is None else Version(data, old.mode if old else None))
                )
        folders, new_folders = _folders(top, changes)
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))
        return JournalEntry(changes, secrets.token_hex(8), moment, new_folders, folders)

    def _recover(self, top: Folder, journal: Journal | None) -> bool:
        if journal is None:
            return False
        done = recover(top, journal, self._effect, has_stood=self._has_stood, staged_as_new=self._staged_as_new)
        self.recoveries += done
        return bool(done)

    def _has_stood(self, record: Record, changes: Sequence[FileChange]) -> bool | None:
        return has_stood(self._root, record, changes)

    def _staged_as_new(self, changes: Sequence[FileChange]) -> Collection[str]:
        return staged_as_new(self._root, changes)

    def _refuse_filtered(self, top: Folder, path: str) -> None:
        """Raise `UnreadableFile` where git's own attributes convert a file; whoever plans reads only the others."""
        info = self._index.attributes
        if info is None or path.endswith(_ATTRIBUTES):
            return

        def attributes(directory: str) -> bytes | None:
            with suppress(UnreadableFile):
                file = load(top, f"{directory}/{_ATTRIBUTES}" if directory else _ATTRIBUTES, self._limit)
                return file[0] if file else None
            return None

        name = filtered_attribute(path, attributes, info)
        if name is not None:
            what = f"{path} has the attribute {name}, which changes it on its way to git"
            raise UnreadableFile(ReasonCode.FILTERED, what, "edit it by hand")

    def _load(self, top: Folder, path: str) -> Found | None:
        self._index.refuse_submodule(path)
        return load(top, path, self._limit)

    @contextmanager
    def _journal(self) -> Iterator[Journal | None]:
        with locked_journal(self._root, self._effect, dir_fd=self._dir_fd, seconds=self._lock_seconds) as journal:
            yield journal

    @contextmanager
    def _open(self, path: str) -> Iterator[Folder]:
        with explain_errors(path, "read"):
            top = Folder.top(self._root, self._dir_fd)
            try:
                yield top
            finally:
                top.close()

    def _current_file(self, top: Folder, path: str) -> Found | None:
        """Bytes and status that are to be replaced, held against what was read."""
        try:
            file = self._load(top, path)
        except UnreadableFile as problem:
            if path in self._digests:
                raise HeadMoved(f"{path} is no longer what was read; plan again ({problem.message})") from problem
            raise Refused(problem.message, problem.code) from problem
        if path in self._digests and _digest(file) != self._digests[path]:
            raise HeadMoved(f"{path} changed since it was read; plan again")
        return file


def _folders(top: Folder, changes: Iterable[FileChange]) -> tuple[dict[str, int], list[str]]:
    """Modes of the directories above these files, and the directories that are to be made for them."""
    folders: dict[str, int] = {}
    missing: list[str] = []
    for change in changes:
        for directory in prefixes(change.path)[:-1]:
            *parents, name = components(directory)
            if directory in folders or directory in missing:
                continue
            if parents and "/".join(parents) in missing:
                missing.append(directory)
                continue
            with open_below(top, parents) as folder:
                try:
                    folders[directory] = stat.S_IMODE(folder.stat(name).st_mode)
                except FileNotFoundError:
                    missing.append(directory)
    return folders, missing


def _message_of(error: BaseException) -> str:
    return str(error) or "interrupted"


def _is_directory(top: Folder, path: str) -> bool:
    if not path:
        return True
    return is_inside(path) and all(mode_at(top, prefix) == DIRECTORY for prefix in prefixes(path))


def _digest(file: Found | None) -> bytes | None:
    return _hash(file[0]) if file else None


def _hash(data: bytes | None) -> bytes | None:
    return None if data is None else sha256(data).digest()
