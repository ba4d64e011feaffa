"""What writes to a working tree have changed, kept as git objects: for undo, and for after a kill.

A write is a ref, `refs/editblocks/apply/<id>`, to a tag object of a tree. The tree holds the files as they were, below
`before`, and as they are to be, below `after`; the message of the tag says how far the write is. A step further is a
new tag of the same tree. It is no commit, so that `git log --all` and what draws the history do not show it.

All who write to a working tree take its lock, a file in its own git directory. The system lets go of it when its owner
dies. The file is not empty while a process writes. If it is not empty and nobody has the lock, a process was killed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.core.outcome import Origin, WrittenFile
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, explain_errors, open_below
from editblocks.repos.files.object_ids import object_id
from editblocks.repos.files.tree_modes import (
    EXECUTABLE,
    FILE,
    NO_LIMIT,
    FileState,
    TreeEntry,
    components,
    to_text,
)
from editblocks.repos.git.command import is_object_id
from editblocks.repos.git.repository import Repository, repository_at
from editblocks.repos.git.trees import loaded_bytes, read_blobs

FOLDER = "editblocks"  # ours, in the git directory of a working tree
LOCK = "lock"  # a file in it
PREFIX = "refs/editblocks/apply/"
KEPT = 50  # writes of which the files are kept, the newest ones

_ID = r"(?a)\d{8}-[1-9]\d{0,5}\Z"
_LISTED = ("--stdin", "-r", "-z", "--no-renames", "--ignore-submodules=none")
_KINDS = ("files", "index", "commit")
_MOST_RECORD_BYTES = 4 * 1024 * 1024  # of a tag: some digests for each of 2,000 blocks are a tenth of it
_MOST_NUMBER = 10**15
_TAG = rb"object ([0-9a-f]+)\ntype tree\n(?:[^\n]+\n)*\n"  # the head of a record, before its message
_EACH_REF = "%(refname) %(objectname) %(raw:size)%0a%(raw)"  # raw: from git 2.34 on, so what reads needs no other floor

if TYPE_CHECKING:
    from editblocks.repos.git.object_pack import NewObjects

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far after the text, so that others can read that
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def was_used(git_dir: Path | None) -> bool:
    """Whether anything was ever written here, so that there may be records: a look at the disk instead of a process."""
    return git_dir is not None and (git_dir / FOLDER / LOCK).exists()


def is_unfinished(git_dir: Path | None) -> bool:
    """Whether a write to the working tree with this git directory was interrupted, or goes on; looks only."""
    try:
        return git_dir is not None and (git_dir / FOLDER / LOCK).stat().st_size > 0
    except OSError:
        return False


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

    @property
    def old_data(self) -> bytes | None:
        return self.old and self.old[1]

    @property
    def new_data(self) -> bytes | None:
        return self.new and self.new[1]

    def reverse(self) -> FileChange:
        return FileChange(self.path, self.new, self.old)


def new_contents(changes: Sequence[FileChange]) -> dict[str, bytes | None]:
    """The new bytes of each path; None for a file that goes."""
    return {change.path: change.new_data for change in changes}


class Record(NamedTuple):
    """One write. `begun`, `changed`: its first and last change, counted over all records.

    `tip` is the tag that its ref names, None before it is stored, and `tree` the tree of that tag. `kind` is what goes
    with the files: `files` (nothing), `index` or `commit`; `commit` is the id of that commit. `worktree` says in which
    working tree of the repository it was; `time` is in seconds since 1970. `origin` says which blocks of which answer
    were written.
    """

    id: str
    step: Step
    begun: int
    changed: int
    kind: str
    worktree: str
    tree: str
    tip: str | None = None
    time: int = 0
    commit: str = ""
    origin: Origin = Origin()


class Records:
    """The records of the working tree of `repository`, whose lock the caller holds. All methods raise `RepoError`."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._known: dict[str, Record | None] | None = None
        self._stored = set[str]()  # the tags that were stored beforehand
        # a linked working tree has a git directory of its own, and shares refs with the others
        self._worktree = os.path.relpath(repository.git_dir, repository.common_dir)

    def all(self) -> list[Record]:
        """Those of this working tree, in the order in which they were written first."""
        mine = [record for record in self._everywhere.values() if record and record.worktree == self._worktree]
        return sorted(mine, key=lambda record: record.begun)

    def unfinished(self) -> list[Record]:
        """Those that are under way, or were when a process was killed."""
        return [record for record in self.all() if not record.step.is_final]

    def begin(self, changes: Sequence[FileChange], kind: str, moment: float, origin: Origin | None = None) -> Record:
        """Keep what is about to be changed; a new write ends the redo of what was undone before it."""
        day = time.strftime("%Y%m%d", time.gmtime(moment))
        number = max((int(name[9:]) for name in self._everywhere if name.startswith(day)), default=0) + 1
        name = f"{day}-{number}"
        change_number = self._next_change
        before = {f"before/{change.path}": change.old for change in changes if change.old}
        after = {f"after/{change.path}": change.new for change in changes if change.new}
        objects = self._new_objects()
        tree = objects.add_tree({**before, **after})
        begun = Record(name, Step.APPLYING, change_number, change_number, kind, self._worktree, tree)
        record = begun._replace(time=int(moment), origin=origin or Origin())
        tag = objects.add("tag", _tag(record))
        # Most writes succeed, and this is what is said of them then: to finish one is to move its ref alone.
        finished = record._replace(step=Step.DONE, changed=change_number + 1)
        self._stored.add(objects.add("tag", _tag(finished)))
        objects.store()
        record = self._move(record, tag)
        for other in self.all():
            if other.step is Step.UNDONE:
                self.drop(other)
        return record

    def mark(self, record: Record, step: Step, commit: str = "") -> Record:
        """Let a record be a step further; it is so on disk when this returns."""
        record = record._replace(step=step, changed=self._next_change, commit=commit)
        objects = self._new_objects()
        tag = objects.add("tag", _tag(record))
        if tag not in self._stored:
            objects.store()
        return self._move(record, tag)

    def finish(self, step: Step, commit: str = "") -> str | None:
        """Let what is under way be over; gives its id."""
        name = None
        for record in self.unfinished():
            name = self.mark(record, step, commit).id
        self.tidy()
        return name

    def forget(self) -> None:
        """Forget what is under way, because the old bytes are back. If this fails, the next process does it."""
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
            [entries] = self._entries([record])
            blobs = read_blobs(self.repository.git, {path: entry.oid for path, entry in entries.items()}, NO_LIMIT)
            states = {path: (entry.mode, loaded_bytes(blobs[path])) for path, entry in entries.items()}
        except EditBlocksError as error:
            raise _unusable(record.id, error.message, error.code) from error
        paths = _changed_paths(entries)
        return [FileChange(path, states.get(f"before/{path}"), states.get(f"after/{path}")) for path in paths]

    def written_by(self, answer: str) -> tuple[WrittenFile, ...]:
        """The files as applies of the answer with this digest left them, where no other apply came after."""
        records = _newest_first(self.all(), answer)
        left: dict[str, str | None] = {}  # the id of the bytes that the newest apply left
        blocks: dict[str, dict[str, str]] = {}
        expected: dict[str, str | None] = {}  # what an earlier apply has to have left, to be counted as well
        closed = set[str]()  # the paths whose earlier applies do not count
        for record, entries in zip(records, self._entries(records), strict=True):
            ids = {place: entry.oid for place, entry in entries.items()}
            for path in _changed_paths(entries):
                new = ids.get(f"after/{path}")
                follows = path not in left or expected[path] == new
                if record.origin.answer != answer or not follows:
                    closed.add(path)
                if path in closed:
                    continue
                left.setdefault(path, new)
                earlier = dict.fromkeys(record.origin.blocks.get(path, ()), record.id)
                blocks[path] = {**earlier, **blocks.get(path, {})}
                expected[path] = ids.get(f"before/{path}")
        blobs = read_blobs(self.repository.git, {path: oid for path, oid in left.items() if oid}, NO_LIMIT)
        data = {path: loaded_bytes(blob) for path, blob in blobs.items()}
        return tuple(WrittenFile(path, data.get(path), blocks[path]) for path in left)

    def _entries(self, records: Sequence[Record]) -> list[dict[str, TreeEntry]]:
        """What the trees of these records hold, by path, in one process: all that an empty tree has not."""
        listed: list[dict[str, TreeEntry]] = [{} for _ in records]
        if not records:
            return listed
        nothing = object_id("tree", b"", self.repository.object_format)
        pairs = "".join(f"{nothing} {record.tree}\n" for record in records).encode("ascii")
        answer = self.repository.git.ask("diff-tree", *_LISTED, stdin=pairs)
        number = -1
        fields = answer.split(b"\0")
        for head, name in zip(fields[::2], fields[1::2], strict=False):
            *pairs_above, row = head.decode("ascii").split("\n")  # git repeats each pair above its rows
            number += len(pairs_above)
            path = to_text(name)
            _, mode, _, oid, _ = row.split(" ")
            if mode not in (FILE, EXECUTABLE):
                raise RepoError(f"{path} is {mode} there", ReasonCode.NOT_A_FILE)
            components(path.partition("/")[2])  # raises for a path that no record of ours could have
            listed[number][path] = TreeEntry(mode, oid)
        return listed

    def _new_objects(self) -> NewObjects:
        from editblocks.repos.git.object_pack import NewObjects  # what only reads makes no objects

        return NewObjects(self.repository)

    def _move(self, record: Record, tag: str) -> Record:
        """Let the ref of a record name this tag."""
        repository = self.repository
        # On standard input, so that a git whose start was only reported as failed does nothing: it gets none.
        order = f"update {PREFIX}{record.id} {tag} {record.tip or repository.null_id}\n".encode("ascii")
        repository.git.ask("update-ref", "--stdin", stdin=order, options=repository.lock_options)
        moved = record._replace(tip=tag)
        self._everywhere[record.id] = moved
        return moved

    @property
    def _next_change(self) -> int:
        return max((record.changed for record in self._everywhere.values() if record), default=0) + 1

    @property
    def _everywhere(self) -> dict[str, Record | None]:
        """Those of all working trees by id, None for one that cannot be read."""
        if self._known is None:
            answer = self.repository.git.ask("for-each-ref", f"--format={_EACH_REF}", PREFIX)
            self._known = {name: _record(name, *tag) for name, tag in _tags(answer) if re.match(_ID, name)}
        return self._known


def _changed_paths(entries: Iterable[str]) -> Iterable[str]:
    """The paths of the files on both sides of a record."""
    return dict.fromkeys(path.partition("/")[2] for path in entries)


def _unusable(name: str, why: str, code: ReasonCode) -> RepoError:
    ref = PREFIX + name
    return RepoError(f"{ref} cannot be used: {why}; remove it with git update-ref -d {ref}", code)


def _tag(record: Record) -> bytes:
    """What `_record` reads."""
    from json import dumps  # a hook that only looks at records has none to read, mostly

    fields = record._asdict()
    del fields["id"], fields["tip"], fields["tree"]
    fields["step"] = record.step.value
    answer, blocks = record.origin
    fields["origin"] = {"answer": answer, "blocks": {path: list(keys) for path, keys in blocks.items()}}
    tagger = f"editblocks <> {record.time} +0000"
    head = f"object {record.tree}\ntype tree\ntag {record.id}\ntagger {tagger}\n\n"
    return f"{head}{dumps(fields, indent=1)}\n".encode("ascii")


def _tags(answer: bytes) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """The name, id and bytes of what each ref names, as git lists them."""
    start = 0
    while start < len(answer):
        line_end = answer.index(b"\n", start)
        ref, oid, size = to_text(answer[start:line_end]).split(" ")
        stop = line_end + 1 + int(size)
        yield ref.removeprefix(PREFIX), (oid, answer[line_end + 1 : stop])
        start = stop + 1


def _record(name: str, tip: str, tag: bytes) -> Record | None:
    """The record that a ref holds, None if that is none of ours. Anybody may have made it."""
    from json import loads  # see above

    head = re.match(_TAG, tag)
    if head is None or len(tag) > _MOST_RECORD_BYTES:
        return None
    try:
        fields = loads(tag[head.end() :])
        fields |= {"step": Step(fields["step"]), "origin": Origin(**fields["origin"])}
        record = Record(name, tree=head[1].decode("ascii"), tip=tip, **fields)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return record if _is_whole(record) else None


def _is_whole(record: Record) -> bool:
    """Whether each field holds what it is to hold."""
    numbers = (record.begun, record.changed, record.time)
    commit = record.commit
    blocks = record.origin.blocks
    return (
        all(type(number) is int and 0 <= number < _MOST_NUMBER for number in numbers)
        and record.kind in _KINDS
        and isinstance(record.worktree, str)
        and isinstance(commit, str)
        and (not commit or is_object_id(commit))
        and isinstance(record.origin.answer, str)
        and isinstance(blocks, dict)
        and all(isinstance(keys, list) and all(isinstance(key, str) for key in keys) for keys in blocks.values())
    )


@contextmanager
def locked_records(repository: Repository) -> Iterator[Records]:
    """Hold the lock as long as the block lasts: gives the records. Raises `RepoError`."""
    place = str(repository.git_dir / FOLDER / LOCK)
    records = Records(repository)
    with explain_errors(place, "taken"):
        descriptor = _open(repository.git_dir)
    try:
        with explain_errors(place, "taken"):
            _take(descriptor, place, repository.lock_seconds)
        try:
            yield records
        finally:
            with suppress(OSError, RepoError):  # else the next one looks, and finds nothing to do
                if not records.unfinished():
                    os.ftruncate(descriptor, 0)
    finally:
        with suppress(OSError):  # the lock is released even if this fails, and what was written stays
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
        raise RepoError(f"{name} was not made by editblocks: look at it, then remove it", ReasonCode.UNAVAILABLE)
    deadline = time.monotonic() + seconds
    while True:
        try:
            _try_lock(descriptor)
            break
        except (BlockingIOError, PermissionError):  # what fcntl and msvcrt raise
            if time.monotonic() >= deadline:
                raise RepoError(f"another process uses {name}; wait until it has ended") from None
            time.sleep(0.05)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, f"{os.getpid()}\n".encode("ascii")))  # never empty in between


def written_files(root: Path, answer: str) -> tuple[WrittenFile, ...]:
    """What `Records.written_by` finds; nothing if one of the records cannot be read. Looks only."""
    repository = repository_at(root)
    if repository is None:
        return ()
    with suppress(RepoError):
        return Records(repository).written_by(answer)
    return ()


def _newest_first(records: Sequence[Record], answer: str) -> Sequence[Record]:
    """What was written and is not undone, the newest first, down to the oldest apply of the answer."""
    written = [record for record in records if record.step in (Step.DONE, Step.COMMITTED)]
    for number, record in enumerate(written):
        if record.origin.answer == answer:
            return written[number:][::-1]
    return []
