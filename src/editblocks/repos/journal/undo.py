"""Bring the files of a record from one of its two sides to the other: undo, redo, and what follows a kill.

A file that holds neither side's bytes was changed by somebody else since. Undo then changes nothing at all; after a
kill such a file is left alone, and both sides' bytes stay where a person can ask for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, UnreadableFile
from editblocks.core.typed import NamedTuple
from editblocks.paths.policy import is_protected
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, Found, explain_errors, load, refuse_read_only
from editblocks.repos.files.object_ids import blob_id
from editblocks.repos.files.tree_modes import NO_LIMIT
from editblocks.repos.git.command import ANY_STATUS, printable
from editblocks.repos.git.repository import LOCK_SECONDS, Repository, git_folder, open_repository
from editblocks.repos.index.next_index import next_index
from editblocks.repos.index.staged_files import staged_entries
from editblocks.repos.journal.file_swap import Effect, Staging, nothing, prune, remove_abandoned
from editblocks.repos.journal.records import FileChange, Record, Records, Step, locked_records, no_record

_NAMES = 10  # in one line for a person
_WHAT = {Step.APPLYING: "apply", Step.UNDOING: "undo", Step.REDOING: "redo"}
_FINISHED = {Step.APPLYING: Step.DONE, Step.UNDOING: Step.UNDONE, Step.REDOING: Step.DONE}
_TAKEN_BACK = {Step.APPLYING: Step.UNDONE, Step.UNDOING: Step.DONE, Step.REDOING: Step.UNDONE}


class Recovery(NamedTuple):
    """What became of an interrupted write, all but `changed_by_others`, which others had changed since."""

    id: str
    command: str  # apply, commit, undo or redo
    finished: bool
    changed_by_others: Sequence[str] = ()

    @property
    def is_applied(self) -> bool:
        """Whether the files are new now."""
        return self.finished is not (self.command == "undo")

    def __str__(self) -> str:
        done = "finished" if self.finished else "taken back"
        left = f"; left alone, as changed since: {', '.join(self.changed_by_others)}" if self.changed_by_others else ""
        return f"the {self.command} {self.id} was interrupted and is {done} now{left}"


class Swap:
    """Brings files of the working tree of `records`, open at `top`, from one side of a record to the other."""

    def __init__(self, records: Records, top: Folder, effect: Effect) -> None:
        self._records = records
        self._repository = records.repository
        self._top = top
        self._effect = effect

    def recover(self, named: str | None = None) -> list[Recovery]:
        """Finish what a killed process had as good as done, and take everything else back.

        Files that decide what runs are written on a person's word alone, which is `named`, the id of a record:
        without it they raise `Refused`.
        """
        records = self._records.unfinished()
        done = [self._settle(record, self._way(record, is_named=named == record.id)) for record in records]
        self._records.tidy()
        return done

    def turn(self, record: Record, *, is_named: bool) -> list[FileChange]:
        """Undo what is done, or redo what is undone, and give the changes. `Refused` if a file changed since."""
        step = Step.UNDOING if record.step is Step.DONE else Step.REDOING
        behind, _, others, present = self._sides(self._way(record, is_named=is_named))
        if others:
            since, what = (record.id, "undone") if step is Step.UNDOING else (f"{record.id} was undone", "written")
            reason = f"{some(others)} changed since {since}, so nothing was {what}; take that change back first"
            raise Refused(reason, ReasonCode.DIRTY_FILE)
        for change in behind:
            refuse_read_only(change.path, present[change.path])
        staging = Staging(self._top, self._effect)
        with next_index(self._repository, "--index") if record.kind == "index" else nullcontext() as index:
            staged = index.as_on_disk([change.path for change in behind]) if index else []
            under_way = self._records.mark(record, step)
            try:
                staging.put(behind, present)
                if index:
                    index.put(_contents([change for change in behind if change.path in staged]))
                prune(self._top, [change.path for change in behind if change.new is None])
                self._records.mark(under_way, _FINISHED[step])
            except BaseException as error:
                if index is None or not index.is_installed:
                    staging.undo(error)
                    with suppress(RepoError):  # else whoever comes next sees that the files are where they were
                        self._records.mark(under_way, record.step)
                raise
        return behind

    def _way(self, record: Record, *, is_named: bool) -> list[FileChange]:
        """How the files go; refused for those that decide what runs: anybody may have made a record that we find."""
        changes = self._records.load(record)
        for change in changes:
            if not is_named and is_protected(change.path):
                reason = f"{change.path} can run code and is in {record.id}; to have it written, say editblocks undo"
                redo = " --redo" if record.step in (Step.UNDONE, Step.REDOING) else ""
                raise Refused(f"{reason} {record.id}{redo}", ReasonCode.NOT_ALLOWED)
        return [change.reverse() for change in changes] if record.step in (Step.DONE, Step.UNDOING) else changes

    def _settle(self, record: Record, way: list[FileChange]) -> Recovery:
        """Bring all files to one side."""
        remove_abandoned(self._top, [change.path for change in way])
        behind, ahead, others, present = self._sides(way)
        what, commit = _WHAT[record.step], None
        if record.kind == "commit":
            what, commit = "commit", self._commit_that_was_made(behind, ahead)
        finished = not behind if record.kind != "commit" else commit is not None
        if finished and record.kind == "index":
            with next_index(self._repository, "--index") as index:
                index.put(_contents(ahead))
        if not finished:
            taken_over = self._staged_as_new(ahead) if record.step is not Step.UNDOING else set()
            others += taken_over
            back = [change.reverse() for change in ahead if change.path not in taken_over]
            Staging(self._top, self._effect).put(back, present)
        if commit:
            self._records.mark(record, Step.COMMITTED, commit)
        elif not finished and not others and record.step is Step.APPLYING:
            self._records.drop(record)
        else:
            self._records.mark(record, _FINISHED[record.step] if finished else _TAKEN_BACK[record.step])
        prune(self._top, [change.path for change in way if (change.new if finished else change.old) is None])
        return Recovery(record.id, what, finished, others)

    def _commit_that_was_made(self, behind: list[FileChange], ahead: list[FileChange]) -> str | None:
        """The commit that has these changes, if HEAD does; the index is brought in step with it."""
        if behind or not ahead:
            return None
        paths = [change.path for change in ahead]
        with next_index(self._repository) as index:
            index.stage(_contents(ahead))
            if not index.is_committed(paths):
                return None
            index.install()
        newest = self._repository.git.ask("rev-list", "--max-count=1", "HEAD", "--", paths[0])
        return newest.decode("ascii").strip() or None

    def _staged_as_new(self, changes: Sequence[FileChange]) -> set[str]:
        """The paths whose new bytes somebody has staged since, or committed."""
        entries = staged_entries(self._repository.git, [change.path for change in changes])
        ids = {change.path: blob_id(change.new[1], self._repository.object_format) for change in changes if change.new}
        return {path for path, entry in entries.items() if entry.oid == ids.get(path)}

    def _sides(
        self, way: Sequence[FileChange]
    ) -> tuple[list[FileChange], list[FileChange], list[str], dict[str, Found | None]]:
        """Which files are on the old side, on the new side and on none of them, and what is there."""
        behind, ahead, others = list[FileChange](), list[FileChange](), list[str]()
        present: dict[str, Found | None] = {}
        for change in way:
            try:
                with explain_errors(change.path, "read"):
                    present[change.path] = found = load(self._top, change.path, NO_LIMIT)
            except UnreadableFile:
                others.append(change.path)
                continue
            data = found and found[0]
            if data == (change.old and change.old[1]):
                behind.append(change)
            elif data == (change.new and change.new[1]):
                ahead.append(change)
            else:
                others.append(change.path)
        return behind, ahead, others, present


def some(paths: Sequence[str]) -> str:
    """Paths for a line that people read."""
    more = f" and {len(paths) - _NAMES} more" if len(paths) > _NAMES else ""
    return ", ".join(paths[:_NAMES]) + more


def _contents(changes: Sequence[FileChange]) -> dict[str, bytes | None]:
    return {change.path: change.new and change.new[1] for change in changes}


class UndoResult(NamedTuple):
    """What an undo or redo did, None if recovery had done all there was. `is_next`: the way back needs no id."""

    id: str
    changes: Sequence[FileChange] | None
    recoveries: Sequence[Recovery]
    is_next: bool = True


def past(root: Path) -> list[tuple[Record, list[FileChange] | RepoError]]:
    """Every write that is kept, newest first, or why it cannot be read; of some of these the id is all that is known.

    Changes nothing; raises `RepoError`.
    """
    records = Records(_repository_of(root))

    def load(record: Record) -> list[FileChange] | RepoError:
        try:
            return records.load(record)
        except RepoError as error:
            return error

    unreadable = [(Record(name, Step.DONE, 0, 0, "files", ""), no_record(name)) for name in records.unreadable()]
    return [*((record, load(record)) for record in reversed(records.all())), *unreadable]


def take_back(
    root: Path, name: str | None, *, redo: bool = False, effect: Effect = nothing, lock_seconds: float = LOCK_SECONDS
) -> UndoResult:
    """Undo the write that is called `name`, or the last one that is not undone; `redo`: write one again."""
    repository = _repository_of(root)._replace(lock_seconds=lock_seconds)
    with explain_errors(str(root), "read"), Folder.top(root, HAS_DIR_FD) as top, locked_records(repository) as records:
        swap = Swap(records, top, effect)
        done = swap.recover(name)
        # nobody who means the interrupted write means one before it
        if any(name in (None, recovery.id) and recovery.is_applied is redo for recovery in done):
            return UndoResult(done[-1].id, None, done)
        try:
            if name in records.unreadable():
                raise no_record(name)
            standing = _still_there(repository, records.all())
            _refuse_lost(records.all(), standing, name)
            record = choose(standing, name, redo)
            changes = swap.turn(record, is_named=name is not None)
        except Refused as error:  # recovery has happened, although what was asked for has not
            raise Refused("; ".join([*map(str, done), error.message]), error.code) from error
        following = _last(_still_there(repository, records.all()), not redo)
        return UndoResult(record.id, changes, done, following is not None and following.id == record.id)


def _repository_of(root: Path) -> Repository:
    """The repository whose top is `root`; raises `Refused` where there is none, and nothing is kept."""
    if git_folder(root) is None:
        reason = f"{root} is no top of a git repository, and elsewhere nothing is kept to undo; name one with"
        raise Refused(f"{reason} --root", ReasonCode.BAD_CONFIG)
    return open_repository(root)


def _still_there(repository: Repository, records: Sequence[Record]) -> list[Record]:
    """The records without the last commits if they are not on the branch any more: git has taken these back."""
    there = list(records)
    for record in reversed(records):
        if record.step is Step.UNDONE:
            continue
        if not _is_lost(repository, record):
            break
        there.remove(record)
    return there


def _is_lost(repository: Repository, record: Record) -> bool:
    """Whether a record is a commit that is not on the branch any more."""
    if record.step is not Step.COMMITTED:
        return False
    answer = repository.git.run("merge-base", "--is-ancestor", record.commit, "HEAD", ok_statuses=ANY_STATUS)
    return answer.status != 0


def _refuse_lost(records: Sequence[Record], standing: Sequence[Record], name: str | None) -> None:
    """Raise `Refused` for a commit that a person names and that is not on the branch any more."""
    lost = next((record for record in records if record.id == name and record not in standing), None)
    if lost is not None:
        what = f"{name} is commit {lost.commit[:7]}, which is not on this branch any more"
        raise Refused(f"{what}, so there is nothing to undo", ReasonCode.BAD_COMMAND)


def choose(records: Sequence[Record], name: str | None, redo: bool) -> Record:
    """The record that a person means; without a name what was written, or undone, last. Raises `Refused`."""
    record = _last(records, redo) if name is None else next((each for each in records if each.id == name), None)
    if record is None:
        what = f"no write `{printable(name)}` is kept here" if name else f"nothing to {'redo' if redo else 'undo'}"
        reason = f"{what}; see editblocks undo --list"
    elif record.step is Step.COMMITTED:
        reason = f"{name or 'the last apply'} is commit {record.commit[:7]}; undo with git revert {record.commit[:7]}"
        earlier = _last([each for each in records if each.step is not Step.COMMITTED], redo)
        if earlier and name is None:
            reason = f"{reason}, or name an earlier one: editblocks undo {earlier.id}"
    elif record.step is Step.UNDONE and not redo:
        reason = f"{name} is undone already; redo with editblocks undo {name} --redo"
    elif record.step is Step.DONE and redo:
        reason = f"{name} is not undone; undo with editblocks undo {name}"
    else:
        return record
    raise Refused(reason, ReasonCode.BAD_COMMAND)


def _last(records: Sequence[Record], redo: bool) -> Record | None:
    """What was undone last, or of what stands the last that was written."""
    if redo:
        undone = [record for record in records if record.step is Step.UNDONE]
        return max(undone, key=lambda record: record.changed, default=None)
    return next((record for record in reversed(records) if record.step in (Step.DONE, Step.COMMITTED)), None)
