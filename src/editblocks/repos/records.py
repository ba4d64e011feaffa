"""Records of writes to a working tree, kept as git objects for undo and for recovery after a kill.

Each write has a ref, `refs/editblocks/apply/<id>`, to a tag object of a tree. The tree holds the old files below
`before` and the new files below `after`. The message of the tag holds the state of the write; a new state is a new tag
of the same tree. It is not a commit, so that `git log --all` and graphical tools do not show it.

Every process that writes to a working tree locks a file in its git directory. The system releases the lock when the
process dies. The file is not empty while a process writes; if it is not empty and not locked, a process was killed.
"""

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.core.outcome import Origin, Response, WrittenFile
from editblocks.repos.directory import HAS_DIR_FD, Folder, explain_errors, open_below
from editblocks.repos.git.commits import read_whole_blobs
from editblocks.repos.git.repository import ANY_STATUS, LOCK_FOLDER, Repository, error_reason, is_object_id
from editblocks.repos.tree_modes import (
    EXECUTABLE,
    FILE,
    FileState,
    TreeEntry,
    components,
    hashed,
    object_id,
    to_text,
    tree_after,
    tree_data,
)

PREFIX = "refs/editblocks/apply/"
KEPT = 50  # how many records are kept

_LOCK = "lock"  # a file in `LOCK_FOLDER`
_ID = r"(?a)\d{8}-[1-9]\d{0,5}\Z"
_LISTED = ("--stdin", "-r", "-z", "--no-renames", "--ignore-submodules=none")
_KINDS = ("files", "index", "commit")
_MOST_RECORD_BYTES = 4 * 1024 * 1024  # a tag with the digests of 2,000 blocks has a tenth of that
_MOST_NUMBER = 10**15
_TAG = rb"object ([0-9a-f]+)\ntype tree\n(?:[^\n]+\n)*\n"  # the header of a tag object, before its message
_TYPE_NUMBERS = {"tree": 2, "blob": 3, "tag": 4}  # git's gitformat-pack
_EACH_REF = "%(refname) %(objectname) %(raw:size)%0a%(raw)"  # %(raw) needs git 2.34, the oldest that is supported


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # far after the text, which others can still read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Step(str, Enum):
    """The state of a write. A write found in one of the first three states has to be finished or rolled back."""

    APPLYING = "applying"
    UNDOING = "undoing"
    REDOING = "redoing"
    DONE = "done"
    UNDONE = "undone"
    COMMITTED = "committed"  # part of a commit, so only git can undo it

    @property
    def is_final(self) -> bool:
        return self in (Step.DONE, Step.UNDONE, Step.COMMITTED)


class FileChange(NamedTuple):
    """The old and the new state of one path; None: there is no file."""

    path: str
    old: FileState | None
    new: FileState | None

    @property
    def old_data(self) -> bytes | None:
        return self.old and self.old[1]

    @property
    def new_data(self) -> bytes | None:
        return self.new and self.new[1]

    def reverse(self) -> "FileChange":
        return FileChange(self.path, self.new, self.old)


def new_contents(changes: Sequence[FileChange]) -> dict[str, bytes | None]:
    """Return the new bytes of each path, or None for a file that is deleted."""
    return {change.path: change.new_data for change in changes}


class Record(NamedTuple):
    """One write. `begun` and `changed` number its first and its last change of state, counted over all records.

    `tip` is the id of the tag that the ref points to (None before it is stored), `tree` the tree of that tag. `kind`
    says what was written: only `files`, also the `index`, or also a `commit` (with its id in `commit`). `worktree` is
    the git directory of the working tree, relative to the common one. `time` is in seconds since 1970. `origin` says
    which blocks of which answer were written.
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


def is_unfinished(git_dir: Path | None) -> bool:
    """Whether a write to the working tree with this git directory was interrupted or is under way. Takes no lock."""
    try:
        return git_dir is not None and (git_dir / LOCK_FOLDER / _LOCK).stat().st_size > 0
    except OSError:
        return False


def written_files(repository: Repository, response: Response) -> tuple[WrittenFile, ...]:
    """Return the files as earlier applies of this response left them, or () if a record cannot be read.

    Takes no lock.
    """
    from editblocks.core.digests import response_digest  # not needed to write

    with suppress(RepoError):
        return Records(repository).written_by(response_digest(response))
    return ()


@contextmanager
def locked_records(repository: Repository) -> "Iterator[Records]":
    """Take the lock, yield the records, and release the lock at the end. Raises `RepoError`."""
    place = str(repository.git_dir / LOCK_FOLDER / _LOCK)
    records = Records(repository)
    with explain_errors(place, "taken"):
        descriptor = _open(repository.git_dir)
    try:
        with explain_errors(place, "taken"):
            _take(descriptor, place, repository.lock_seconds)
        try:
            yield records
        finally:
            with suppress(OSError, RepoError):  # then the next process finds nothing to recover
                if not records.unfinished():
                    os.ftruncate(descriptor, 0)
    finally:
        with suppress(OSError):  # the lock is released even if this fails, and what was written stays
            os.close(descriptor)


def _open(git_dir: Path) -> int:
    with Folder.top(git_dir, HAS_DIR_FD) as top:
        with suppress(FileExistsError):
            top.make(LOCK_FOLDER)
        with open_below(top, [LOCK_FOLDER]) as folder:
            return folder.open(_LOCK, os.O_RDWR | os.O_CREAT, 0o600)


def _take(descriptor: int, name: str, seconds: float) -> None:
    """Wait at most `seconds` for the lock, then write the process id into the file.

    Raises `RepoError` unless it is a regular file of this user with one hard link, so that no other file is written.
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
                raise RepoError(f"another editblocks is writing here ({name}); try again when it has ended") from None
            time.sleep(0.05)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, f"{os.getpid()}\n".encode("ascii")))  # never empty in between


class Records:
    """The records of the working tree of `repository`. The caller holds the lock. All methods raise `RepoError`."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._known: dict[str, Record | None] | None = None
        self._stored = set[str]()  # tags that `begin` stored in advance
        # A linked working tree has its own git directory, but shares refs with the others.
        self._worktree = os.path.relpath(repository.git_dir, repository.common_dir)

    def all(self) -> list[Record]:
        """Return the records of this working tree, in the order in which their writes began."""
        mine = [record for record in self._all_records.values() if record and record.worktree == self._worktree]
        return sorted(mine, key=lambda record: record.begun)

    def unfinished(self) -> list[Record]:
        """Return the records of writes that are under way or were interrupted."""
        return [record for record in self.all() if not record.step.is_final]

    def begin(self, changes: Sequence[FileChange], kind: str, moment: float, origin: Origin | None = None) -> Record:
        """Record a write before it happens. Drops undone records: after a new write they cannot be redone."""
        day = time.strftime("%Y%m%d", time.gmtime(moment))
        number = max((int(name[9:]) for name in self._all_records if name.startswith(day)), default=0) + 1
        begun = self._next_change
        before = {f"before/{change.path}": change.old for change in changes if change.old}
        after = {f"after/{change.path}": change.new for change in changes if change.new}
        objects = NewObjects(self.repository)
        tree = objects.add_tree({**before, **after})
        record = Record(f"{day}-{number}", Step.APPLYING, begun, begun, kind, self._worktree, tree, time=int(moment))
        record = record._replace(origin=origin or Origin())
        tag = objects.add("tag", _tag(record))
        # Most writes succeed. The tag for that is stored now, so that later only the ref has to move.
        finished = record._replace(step=Step.DONE, changed=begun + 1)
        self._stored.add(objects.add("tag", _tag(finished)))
        objects.store()
        return self._move(record, tag, [other for other in self.all() if other.step is Step.UNDONE])

    def set_step(self, record: Record, step: Step, commit: str = "") -> Record:
        """Set the state of a record. It is on disk when this returns."""
        record = record._replace(step=step, changed=self._next_change, commit=commit)
        objects = NewObjects(self.repository)
        tag = objects.add("tag", _tag(record))
        if tag not in self._stored:
            objects.store()
        return self._move(record, tag)

    def finish(self, step: Step, commit: str = "") -> str | None:
        """Set unfinished records to `step`, and return the id of the last one, or None if there was none."""
        name = None
        for record in self.unfinished():
            name = self.set_step(record, step, commit).id
        self.tidy()
        return name

    def forget(self) -> None:
        """Drop unfinished records, because the old bytes are back. If this fails, the next process does it."""
        self._known = None  # an interrupt may have come right after git moved a ref
        with suppress(RepoError):
            for record in self.unfinished():
                self.drop(record)

    def drop(self, record: Record) -> None:
        self.repository.git.ask("update-ref", "-d", PREFIX + record.id)
        del self._all_records[record.id]

    def tidy(self) -> None:
        """Drop the oldest finished records if there are more than `KEPT`. A failure is ignored."""
        with suppress(RepoError):
            for record in [record for record in self.all() if record.step.is_final][:-KEPT]:
                self.drop(record)

    def load(self, record: Record) -> list[FileChange]:
        """Return what a write changed. Raises `RepoError` if this program cannot have written the record."""
        try:
            [entries] = self._entries([record])
            blobs = read_whole_blobs(self.repository.git, {path: entry.oid for path, entry in entries.items()})
            states = {path: (entry.mode, blobs[path]) for path, entry in entries.items()}
        except EditBlocksError as error:
            ref = PREFIX + record.id
            reason = f"{ref} cannot be used: {error.message}; remove it with git update-ref -d {ref}"
            raise RepoError(reason, error.code) from error
        paths = _changed_paths(entries)
        return [FileChange(path, states.get(f"before/{path}"), states.get(f"after/{path}")) for path in paths]

    def written_by(self, answer: str) -> tuple[WrittenFile, ...]:
        """Return the files that applies of the answer with this digest wrote, if no other apply changed them later."""
        records = _newest_first(self.all(), answer)
        newest_ids: dict[str, str | None] = {}  # path → id of the blob that the newest apply wrote
        blocks: dict[str, dict[str, str]] = {}
        expected: dict[str, str | None] = {}  # path → id of the blob that an earlier apply must have written
        closed_paths = set[str]()  # paths whose earlier applies are ignored
        for record, entries in zip(records, self._entries(records), strict=True):
            is_of_answer = record.origin.answer == answer
            ids = {place: entry.oid for place, entry in entries.items()}
            paths = _changed_paths(entries)
            if is_of_answer:
                # A path that existed only while the blocks were applied is not in the tree, and must still be absent.
                paths = dict.fromkeys((*paths, *record.origin.blocks))
            for path in paths:
                new = ids.get(f"after/{path}")
                if not is_of_answer or new != expected.get(path, new):
                    closed_paths.add(path)
                if path in closed_paths:
                    continue
                newest_ids.setdefault(path, new)
                earlier = dict.fromkeys(record.origin.blocks.get(path, ()), record.id)
                blocks[path] = {**earlier, **blocks.get(path, {})}
                expected[path] = ids.get(f"before/{path}")
        blobs = read_whole_blobs(self.repository.git, {path: oid for path, oid in newest_ids.items() if oid})
        return tuple(WrittenFile(path, blobs.get(path), blocks[path]) for path in newest_ids)

    def _entries(self, records: Sequence[Record]) -> list[dict[str, TreeEntry]]:
        """Return the files in the trees of these records by path. One process lists all, as diffs to the empty tree."""
        listed: list[dict[str, TreeEntry]] = [{} for _ in records]
        if not records:
            return listed
        nothing = object_id("tree", b"", self.repository.object_format)
        pairs = "".join(f"{nothing} {record.tree}\n" for record in records).encode("ascii")
        answer = self.repository.git.ask("diff-tree", *_LISTED, stdin=pairs)
        number = -1
        fields = answer.split(b"\0")
        for head, name in zip(fields[::2], fields[1::2], strict=False):
            *pairs_above, row = head.decode("ascii").split("\n")  # git prints each pair above its rows
            number += len(pairs_above)
            path = to_text(name)
            _, mode, _, oid, _ = row.split(" ")
            if mode not in (FILE, EXECUTABLE):
                raise RepoError(f"{path} is {mode} there", ReasonCode.NOT_A_FILE)
            components(path.partition("/")[2])  # raises for an unsafe path
            listed[number][path] = TreeEntry(mode, oid)
        return listed

    def _move(self, record: Record, tag: str, dropped: Sequence[Record] = ()) -> Record:
        """Point the ref of a record to this tag, and drop others. If git cannot do one of these, it does none."""
        repository = self.repository
        # On standard input: a git that starts although its start is reported as failed gets no input and does nothing.
        orders = [f"update {PREFIX}{record.id} {tag} {record.tip or repository.null_id}\n"]
        orders += [f"delete {PREFIX}{other.id} {other.tip}\n" for other in dropped]
        stdin = "".join(orders).encode("ascii")
        repository.git.ask("update-ref", "--stdin", stdin=stdin, options=repository.lock_options)
        for other in dropped:
            del self._all_records[other.id]
        moved = record._replace(tip=tag)
        self._all_records[record.id] = moved
        return moved

    @property
    def _next_change(self) -> int:
        return max((record.changed for record in self._all_records.values() if record), default=0) + 1

    @property
    def _all_records(self) -> dict[str, Record | None]:
        """The records of all working trees by id; None for a record that cannot be read."""
        if self._known is None:
            answer = self.repository.git.ask("for-each-ref", f"--format={_EACH_REF}", PREFIX)
            self._known = {name: _record(name, oid, tag) for name, oid, tag in _tags(answer) if re.match(_ID, name)}
        return self._known


class NewObjects:
    """Objects to write to a repository. `add` returns the id of each, and `store` writes all of them.

    They are written as one pack without deltas, version 2. Format: git's gitformat-pack.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._packed: list[bytes] = []

    def add(self, kind: str, data: bytes) -> str:
        """Add an object. `kind` is blob, tree or tag."""
        from zlib import compress  # not needed to read records

        self._packed.append(_pack_header(kind, len(data)) + compress(data, 1))
        return object_id(kind, data, self._repository.object_format)

    def add_tree(self, files: Mapping[str, FileState]) -> str:
        """Add these files, by path, and the trees above them; return the id of the outermost tree."""
        entries = {path: TreeEntry(mode, self.add("blob", data)) for path, (mode, data) in files.items()}
        return tree_after(lambda _: {}, None, entries, lambda listing: self.add("tree", tree_data(listing)))

    def store(self) -> None:
        """Write the added objects. Raises `RepoError`."""
        version = (2).to_bytes(4, "big")
        count = len(self._packed).to_bytes(4, "big")
        pack = b"".join([b"PACK", version, count, *self._packed])
        pack += hashed(self._repository.object_format, pack)
        command = ("unpack-objects", "-q")
        answer = self._repository.git.run(*command, stdin=pack, options=["core.fsync=all"], ok_statuses=ANY_STATUS)
        if answer.returncode:
            raise RepoError(f"git cannot store the change: {error_reason(answer)}; nothing was written")


def _pack_header(kind: str, size: int) -> bytes:
    """Encode the header of a packed object: kind and low four bits of the size, then the rest as a varint."""
    head = bytearray()
    part = _TYPE_NUMBERS[kind] << 4 | size & 0x0F
    size >>= 4
    while size:
        head.append(part | 0x80)
        part = size & 0x7F
        size >>= 7
    head.append(part)
    return bytes(head)


def _newest_first(records: Sequence[Record], answer: str) -> Sequence[Record]:
    """Return the writes that are not undone, the newest first, up to the oldest apply of the answer."""
    written = [record for record in records if record.step in (Step.DONE, Step.COMMITTED)]
    for number, record in enumerate(written):
        if record.origin.answer == answer:
            return written[number:][::-1]
    return []


def _changed_paths(entries: Iterable[str]) -> Iterable[str]:
    """Return the paths below `before` and `after`, each once."""
    return dict.fromkeys(path.partition("/")[2] for path in entries)


def _tag(record: Record) -> bytes:
    """Return the tag object of a record, the input of `_record`."""
    from json import dumps  # imported late, because a hook mostly finds no records

    fields = record._asdict()
    del fields["id"], fields["tip"], fields["tree"]
    fields["step"] = record.step.value
    answer, blocks = record.origin
    fields["origin"] = {"answer": answer, "blocks": {path: list(keys) for path, keys in blocks.items()}}
    tagger = f"editblocks <> {record.time} +0000"
    head = f"object {record.tree}\ntype tree\ntag {record.id}\ntagger {tagger}\n\n"
    return f"{head}{dumps(fields, indent=1)}\n".encode("ascii")


def _tags(answer: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Yield for each ref its name, and the id and the bytes of its object, from the output of git."""
    start = 0
    while start < len(answer):
        line_end = answer.index(b"\n", start)
        ref, oid, size = to_text(answer[start:line_end]).split(" ")
        stop = line_end + 1 + int(size)
        yield ref.removeprefix(PREFIX), oid, answer[line_end + 1 : stop]
        start = stop + 1


def _record(name: str, tip: str, tag: bytes) -> Record | None:
    """Return the record in a tag object, or None if it is not valid. The tag may come from anybody."""
    from json import loads  # imported late, as in `_tag`

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
    """Whether all fields have the right types and values."""
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
