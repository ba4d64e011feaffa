"""What writes to a working tree have changed, kept as git objects: for undo, and for after a kill.

A write is a ref, `refs/editblocks/apply/<id>`. The tree of its commit holds the files as they were, below `before`, and
as they are to be, below `after`. The commit's message says how far the write is; a step further is a commit on top.

All who write to a working tree take its lock, a file in its own git directory. The system lets go of it when its owner
dies. While somebody is at work the file is not empty; if it is so when nobody has the lock, a process was killed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.core.typed import NamedTuple
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, explain_errors, open_below
from editblocks.repos.files.tree_modes import EXECUTABLE, FILE, NO_LIMIT, FileState, components, to_text
from editblocks.repos.git.fast_import import fast_import, stream
from editblocks.repos.git.repository import Repository
from editblocks.repos.git.trees import loaded_bytes, read_blobs, rows
from editblocks.repos.journal.lock import FOLDER, LOCK

PREFIX = "refs/editblocks/apply/"
KEPT = 50  # writes of which the files are kept, the newest ones

_ID = r"(?a)\d{8}-[1-9]\d{0,5}\Z"
_MESSAGE = re.compile(
    r"([a-z]+) (\d{1,9}) (\d{1,9}) (files|index|commit)(?: ([0-9a-f]{40}|[0-9a-f]{64}))?\n\n(.*)\n\Z", re.ASCII
)
_FORMAT = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents)%00"

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far behind the text, which others are to read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Step(str, Enum):
    """How far a write is. Who finds one of the first three has to finish it or take it back."""

    APPLYING = "applying"
    UNDOING = "undoing"
    REDOING = "redoing"
    DONE = "done"
    UNDONE = "undone"
    COMMITTED = "committed"  # git has it, and git takes it back

    @property
    def is_final(self) -> bool:
        return self in (Step.DONE, Step.UNDONE, Step.COMMITTED)


class FileChange(NamedTuple):
    """What one path held before and after; None: there was no file."""

    path: str
    old: FileState | None
    new: FileState | None

    def reverse(self) -> FileChange:
        return FileChange(self.path, self.new, self.old)


class Record(NamedTuple):
    """One write. `tip`: the commit of its ref; `begun`, `changed`: its first and last change, counted over all records.

    `kind` is what goes with the files: `files` (nothing), `index` or `commit`; `commit` is the id of that commit.
    `worktree` says in which working tree of the repository it was; `time` is in seconds since 1970.
    """

    id: str
    step: Step
    begun: int
    changed: int
    kind: str
    worktree: str
    tip: str | None = None
    time: int = 0
    commit: str = ""


class Records:
    """The records of the working tree of `repository`, for whoever holds its lock. All methods raise `RepoError`."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        # a linked working tree has a git directory of its own, and shares refs with the others
        self._known: dict[str, Record] | None = None
        self._worktree = os.path.relpath(repository.git_dir, repository.common_dir)

    def all(self) -> list[Record]:
        """Those of this working tree, in the order in which they were written first."""
        mine = [record for record in self._everywhere.values() if record.worktree == self._worktree]
        return sorted(mine, key=lambda record: record.begun)

    def unfinished(self) -> list[Record]:
        """Those that are under way, or were when a process was killed."""
        return [record for record in self.all() if not record.step.is_final]

    def begin(self, changes: Sequence[FileChange], kind: str, moment: float) -> Record:
        """Keep what is about to be changed; a new write ends the redo of what was undone before it."""
        day = time.strftime("%Y%m%d", time.gmtime(moment))
        number = max((int(name[9:]) for name in self._everywhere if name.startswith(day)), default=0) + 1
        name, now = f"{day}-{number}", self._next
        record = Record(name, Step.APPLYING, now, now, kind, self._worktree, time=int(moment))
        before = {f"before/{change.path}": change.old for change in changes if change.old}
        after = {f"after/{change.path}": change.new for change in changes if change.new}
        record = self._store(record, {**before, **after})
        for other in self.all():
            if other.step is Step.UNDONE:
                self.drop(other)
        return record

    def mark(self, record: Record, step: Step, commit: str = "") -> Record:
        """Let a record be a step further; it is so on disk when this returns."""
        return self._store(record._replace(step=step, changed=self._next, commit=commit), {})

    def finish(self, step: Step, commit: str = "") -> str | None:
        """Let what is under way be over; gives its id."""
        name = None
        for record in self.unfinished():
            name = self.mark(record, step, commit).id
        self.tidy()
        return name

    def forget(self) -> None:
        """Forget what is under way, as the old bytes are back; a failure leaves that to whoever comes next."""
        self._known = None  # an interrupt may have come right after git did its work
        with suppress(RepoError):
            for record in self.unfinished():
                self.drop(record)

    def drop(self, record: Record) -> None:
        self.repository.git.ask("update-ref", "-d", PREFIX + record.id)
        del self._everywhere[record.id]

    def tidy(self) -> None:
        """Forget the oldest writes where there are many; a failure can wait."""
        with suppress(RepoError):
            for record in [record for record in self.all() if record.step.is_final][:-KEPT]:
                self.drop(record)

    def load(self, record: Record) -> list[FileChange]:
        """What a write changed. Raises `RepoError` if it is not what one of ours could be."""
        try:
            return list(self._changes(record))
        except EditBlocksError as error:
            reason = f"{PREFIX}{record.id} cannot be used: {error.message}; remove it with git update-ref -d"
            raise RepoError(reason, error.code) from error

    def _changes(self, record: Record) -> Iterator[FileChange]:
        git = self.repository.git
        listed = rows(git.ask("ls-tree", "-r", "-z", "--full-tree", str(record.tip)))
        entries = {path: head.split()[::2] for head, path in listed}
        odd = [f"{path} is {mode} there" for path, (mode, _) in entries.items() if mode not in (FILE, EXECUTABLE)]
        if odd:
            raise RepoError(odd[0], ReasonCode.NOT_A_FILE)
        blobs = read_blobs(git, {path: oid for path, (_, oid) in entries.items()}, NO_LIMIT)
        states = {path: (mode, loaded_bytes(blobs[path])) for path, (mode, _) in entries.items()}
        for path in dict.fromkeys(path.partition("/")[2] for path in states):
            components(path)  # it may be a record of somebody else
            yield FileChange(path, states.get(f"before/{path}"), states.get(f"after/{path}"))

    def _store(self, record: Record, files: Mapping[str, FileState | None]) -> Record:
        words = [record.step.value, str(record.begun), str(record.changed), record.kind, *filter(None, [record.commit])]
        message = f"{' '.join(words)}\n\n{record.worktree}"
        ref = PREFIX + record.id
        person = b"editblocks <> %d +0000" % record.time
        tip = fast_import(self.repository, stream(record.tip, files, message, ref, (person, person)), ref)
        self._everywhere[record.id] = record._replace(tip=tip)
        return self._everywhere[record.id]

    @property
    def _next(self) -> int:
        return max((record.changed for record in self._everywhere.values()), default=0) + 1

    @property
    def _everywhere(self) -> dict[str, Record]:
        """Those of all working trees by id."""
        if self._known is None:
            answer = self.repository.git.ask("for-each-ref", f"--format={_FORMAT}", PREFIX)
            fields = to_text(answer).split("\0")[:-1]
            found = map(_record, *(fields[start::4] for start in range(4)))
            self._known = {record.id: record for record in found if record}
        return self._known


def _record(ref: str, tip: str, moment: str, message: str) -> Record | None:
    """The record of one ref, None if it is none of ours."""
    name, match = ref.strip("\n").removeprefix(PREFIX), _MESSAGE.match(message)
    if not re.match(_ID, name) or not match or match[1] not in set(Step) or not moment:
        return None
    return Record(
        name, Step(match[1]), int(match[2]), int(match[3]), match[4], match[6], tip, int(moment), match[5] or ""
    )


@contextmanager
def locked_records(repository: Repository) -> Iterator[Records]:
    """Hold the lock as long as the block lasts: gives the records. Raises `RepoError`."""
    place, records = repository.git_dir / FOLDER / LOCK, Records(repository)
    with explain_errors(str(place), "taken"):
        descriptor = _open(repository.git_dir)
    try:
        with explain_errors(str(place), "taken"):
            _take(descriptor, str(place), repository.lock_seconds)
        try:
            yield records
        finally:
            with suppress(OSError, RepoError):  # else the next one looks, and finds nothing to do
                if not records.unfinished():
                    os.ftruncate(descriptor, 0)
    finally:
        with suppress(OSError):  # the lock is gone even if this fails, and what was written stands
            os.close(descriptor)


def _open(git_dir: Path) -> int:
    with Folder.top(git_dir, HAS_DIR_FD) as top:
        with suppress(FileExistsError):
            top.make(FOLDER)
        with open_below(top, [FOLDER]) as folder:
            return folder.open(LOCK, os.O_RDWR | os.O_CREAT, 0o600)


def _take(descriptor: int, name: str, seconds: float) -> None:
    """Wait at most `seconds` for the lock, then write into the file who we are.

    It has to be a regular one of ours with one name, so that nothing elsewhere is written.
    """
    status = os.fstat(descriptor)
    is_foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or is_foreign:
        raise RepoError(f"{name} is not ours: look at it, then remove it", ReasonCode.UNAVAILABLE)
    deadline = time.monotonic() + seconds
    while True:
        try:
            _try_lock(descriptor)
            break
        except (BlockingIOError, PermissionError):  # what fcntl and msvcrt raise
            if time.monotonic() >= deadline:
                raise RepoError(f"another process holds {name}; wait until it has ended") from None
            time.sleep(0.05)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, f"{os.getpid()}\n".encode("ascii")))  # never empty in between
