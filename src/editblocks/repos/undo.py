"""Undo and redo a recorded write, and recover after a kill.

If a file has neither the old nor the new bytes, somebody else has changed it since. Undo then changes nothing at all.
Recovery leaves such a file alone, and its old and new bytes stay in the record for the user.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, UnreadableFile
from editblocks.paths.policy import is_protected
from editblocks.repos.directory import HAS_DIR_FD, Folder, LoadedFile, explain_errors, load, refuse_read_only
from editblocks.repos.file_swap import Effect, Staging, nothing, prune, remove_abandoned
from editblocks.repos.git.index import NextIndex, next_index, staged_entries
from editblocks.repos.git.repository import ANY_STATUS, LOCK_SECONDS, Repository, git_folder, open_repository, printable
from editblocks.repos.records import FileChange, Record, Records, Step, locked_records, new_contents
from editblocks.repos.tree_modes import NO_LIMIT, TreeEntry, blob_id

_NAMES = 10  # how many paths a message names at most

# The command that leaves a record in an unfinished state, and the states after it is finished or rolled back.
_COMMANDS = {Step.APPLYING: "apply", Step.UNDOING: "undo", Step.REDOING: "redo"}
_FINISHED = {Step.APPLYING: Step.DONE, Step.UNDOING: Step.UNDONE, Step.REDOING: Step.DONE}
_ROLLED_BACK = {Step.APPLYING: Step.UNDONE, Step.UNDOING: Step.DONE, Step.REDOING: Step.UNDONE}


class Recovery(NamedTuple):
    """The result of an interrupted write: it was `finished`, or else rolled back."""

    id: str
    command: str  # apply, commit, undo or redo
    finished: bool
    changed_by_others: Sequence[str] = ()  # files that others changed after the interruption, left as they are

    @property
    def is_applied(self) -> bool:
        """Whether the files now have the new bytes."""
        if self.command == "undo":
            return not self.finished
        return self.finished

    def __str__(self) -> str:
        result = "finished" if self.finished else "rolled back"
        sentence = f"the {self.command} {self.id} was interrupted and is now {result}"
        if self.changed_by_others:
            return f"{sentence}; left alone, because they changed since: {', '.join(self.changed_by_others)}"
        return sentence


class Sides(NamedTuple):
    """Which files have their old bytes, which their new bytes, and which have neither (`changed_by_others`).

    `present` holds the current bytes and status of the files that can be read.
    """

    at_old: list[FileChange]
    at_new: list[FileChange]
    changed_by_others: list[str]
    present: dict[str, LoadedFile | None]


class Swap:
    """Switches files of a working tree, open at `top`, between the old and the new bytes of a record."""

    def __init__(self, records: Records, top: Folder, effect: Effect) -> None:
        self._records = records
        self._repository = records.repository
        self._top = top
        self._effect = effect

    def recover(self, named: str | None = None) -> list[Recovery]:
        """Finish interrupted writes whose files are all written, and roll the others back.

        `named` is the id of the record that the user named. Only for that record are files written that can run code;
        for others they raise `Refused`.
        """
        recoveries = [self._recover_one(record, is_named=named == record.id) for record in self._records.unfinished()]
        self._records.tidy()
        return recoveries

    def undo_or_redo(self, record: Record, *, is_named: bool) -> list[FileChange]:
        """Undo a write, or redo it if it is undone. Return the changes. Raises `Refused` if a file changed since."""
        step = Step.UNDOING if record.step is Step.DONE else Step.REDOING
        sides = self._sides(self._changes_of(record, is_named=is_named))
        _refuse_changed(record, step, sides.changed_by_others)
        for change in sides.at_old:
            refuse_read_only(change.path, sides.present[change.path])
        staging = Staging(self._top, self._effect)
        with self._index_of(record) as index:
            to_stage: list[FileChange] = []
            if index:
                unstaged = index.unstaged([change.path for change in sides.at_old])
                to_stage = [change for change in sides.at_old if change.path not in unstaged]
            under_way = self._records.set_step(record, step)
            try:
                staging.put(sides.at_old, sides.present)
                if index:
                    index.stage_in_real_index(new_contents(to_stage))
                prune(self._top, [change.path for change in sides.at_old if change.new is None])
                self._records.set_step(under_way, _FINISHED[step])
            except BaseException as error:
                if index is None or not index.is_installed:
                    staging.undo(error)
                    with suppress(RepoError):  # if it fails, recovery will see the old files
                        self._records.set_step(under_way, record.step)
                raise
        return sides.at_old

    def _index_of(self, record: Record) -> AbstractContextManager[NextIndex | None]:
        """Return a context with a copy of the index, or with None if the record has no index."""
        if record.kind == "index":
            return next_index(self._repository, "--index")
        return nullcontext()

    def _changes_of(self, record: Record, *, is_named: bool) -> list[FileChange]:
        """Return the changes of a record, reversed if it is to be undone.

        Raises `Refused` for files that can run code, unless the user named the record: anybody may have created it.
        """
        changes = self._records.load(record)
        for change in changes:
            if not is_named and is_protected(change.path):
                reason = f"{record.id} changed the protected file {change.path}"
                advice = f"to undo it all the same, name it: editblocks undo {record.id}"
                if record.step in (Step.UNDONE, Step.REDOING):
                    advice = f"to redo it all the same, name it: editblocks undo {record.id} --redo"
                raise Refused(f"{reason}; {advice}", ReasonCode.NOT_ALLOWED)
        if record.step in (Step.DONE, Step.UNDOING):
            return [change.reverse() for change in changes]
        return changes

    def _recover_one(self, record: Record, *, is_named: bool) -> Recovery:
        """Finish an interrupted write or roll it back, so that all its files are new or all are old."""
        changes = self._changes_of(record, is_named=is_named)
        remove_abandoned(self._top, [change.path for change in changes])
        sides = self._sides(changes)
        command = _COMMANDS[record.step]
        commit = None
        finished = not sides.at_old
        # The undo and redo of a commit that was not made write only files.
        if record.kind == "commit" and record.step is Step.APPLYING:
            command = "commit"
            commit = self._commit_that_was_made(sides)
            finished = commit is not None
        if finished:
            self._finish(record, sides, commit)
        else:
            changes = [change.reverse() for change in changes]
            self._roll_back(record, sides)
        prune(self._top, [change.path for change in changes if change.new is None])
        return Recovery(record.id, command, finished, sides.changed_by_others)

    def _finish(self, record: Record, sides: Sides, commit: str | None) -> None:
        """Complete an interrupted write whose files are all written. `commit` is the commit that it made, if any."""
        if commit:
            self._records.set_step(record, Step.COMMITTED, commit)
            return
        if record.kind == "index":
            with next_index(self._repository, "--index") as index:
                index.stage_in_real_index(new_contents(sides.at_new))
        self._records.set_step(record, _FINISHED[record.step])

    def _roll_back(self, record: Record, sides: Sides) -> None:
        """Put old bytes back, and set the state of the record, or drop it if the write has left nothing.

        Files whose new bytes were staged or committed keep them, and are added to `sides.changed_by_others`.
        """
        entries: dict[str, TreeEntry] = {}
        if record.step is not Step.UNDOING:
            entries = staged_entries(self._repository.git, [change.path for change in sides.at_new])
        back: list[FileChange] = []
        for change in sides.at_new:
            staged = entries.get(change.path)
            if staged and change.new and staged.oid == blob_id(change.new[1], self._repository.object_format):
                sides.changed_by_others.append(change.path)
            else:
                back.append(change.reverse())
        Staging(self._top, self._effect).put(back, sides.present)
        if record.step is Step.APPLYING and not sides.changed_by_others:
            self._records.drop(record)
        else:
            self._records.set_step(record, _ROLLED_BACK[record.step])

    def _commit_that_was_made(self, sides: Sides) -> str | None:
        """Return the commit with these changes and update the index, if HEAD has the changes, else None."""
        if sides.at_old or not sides.at_new:
            return None
        paths = [change.path for change in sides.at_new]
        with next_index(self._repository) as index:
            index.stage(new_contents(sides.at_new))
            if not index.is_committed(paths):
                return None
            index.install()
        newest = self._repository.git.ask("rev-list", "--max-count=1", "HEAD", "--", paths[0])
        return newest.decode("ascii").strip() or None

    def _sides(self, changes: Sequence[FileChange]) -> Sides:
        sides = Sides([], [], [], {})
        for change in changes:
            try:
                with explain_errors(change.path, "read"):
                    file = load(self._top, change.path, NO_LIMIT)
            except UnreadableFile:
                sides.changed_by_others.append(change.path)
                continue
            sides.present[change.path] = file
            data = file and file.data
            if data == change.old_data:
                sides.at_old.append(change)
            elif data == change.new_data:
                sides.at_new.append(change)
            else:
                sides.changed_by_others.append(change.path)
        return sides


def _refuse_changed(record: Record, step: Step, changed_by_others: Sequence[str]) -> None:
    if not changed_by_others:
        return
    reason = f"{shortened(changed_by_others)} changed since {record.id}, so nothing was undone"
    if step is Step.REDOING:
        reason = f"{shortened(changed_by_others)} changed since {record.id} was undone, so nothing was written"
    advice = "undo the later applies first (editblocks undo --list), or take back your own edit"
    raise Refused(f"{reason}; {advice}", ReasonCode.DIRTY_FILE)


def shortened(paths: Sequence[str]) -> str:
    """Return paths for a message, shortened if there are many."""
    shown = ", ".join(paths[:_NAMES])
    if len(paths) > _NAMES:
        return f"{shown} and {len(paths) - _NAMES} more"
    return shown


class UndoResult(NamedTuple):
    """The result of an undo or redo. `changes` is None if recovery did it. `is_next`: it can be reversed without id."""

    id: str
    changes: Sequence[FileChange] | None
    recoveries: Sequence[Recovery]
    is_next: bool = True


def history(root: Path) -> list[tuple[Record, list[FileChange] | RepoError]]:
    """Return all records, newest first, with their changes or the error on reading them. Takes no lock."""
    records = Records(_repository_of(root))
    rows: list[tuple[Record, list[FileChange] | RepoError]] = []
    for record in reversed(records.all()):
        try:
            rows.append((record, records.load(record)))
        except RepoError as error:
            rows.append((record, error))
    return rows


def undo_write(
    root: Path, name: str | None, *, redo: bool = False, effect: Effect = nothing, lock_seconds: float = LOCK_SECONDS
) -> UndoResult:
    """Undo the write with id `name`, by default the last one that is not undone. With `redo`, redo a write instead."""
    repository = _repository_of(root, lock_seconds)
    with explain_errors(str(root), "read"), Folder.top(root, HAS_DIR_FD) as top, locked_records(repository) as records:
        swap = Swap(records, top, effect)
        recoveries = swap.recover(name)
        # Recovery has already done what the user asked for; do not undo an earlier write as well.
        if any(name in (None, recovery.id) and recovery.is_applied is redo for recovery in recoveries):
            return UndoResult(recoveries[-1].id, None, recoveries)
        try:
            choices = records.all()
            if name is None:
                choices = _without_lost_commits(repository, choices)
            record = choose(choices, name, redo)
            changes = swap.undo_or_redo(record, is_named=name is not None)
        except Refused as error:  # report the recovery as well, because it was done
            raise Refused("; ".join([*map(str, recoveries), error.message]), error.code) from error
        following = _last(_without_lost_commits(repository, records.all()), not redo)
        return UndoResult(record.id, changes, recoveries, following is not None and following.id == record.id)


def _repository_of(root: Path, lock_seconds: float = LOCK_SECONDS) -> Repository:
    """Open the repository at `root`. Raises `Refused` if there is none, because then there are no records."""
    if git_folder(root) is None:
        reason = f"{root} is not the top of a git repository, so there is nothing to undo; name one with"
        raise Refused(f"{reason} --root", ReasonCode.BAD_CONFIG)
    return open_repository(root, lock_seconds=lock_seconds)


def _without_lost_commits(repository: Repository, records: Sequence[Record]) -> list[Record]:
    """Return the records without the newest commits that are no longer on the branch, for example after a git reset."""
    kept = list(records)
    for record in reversed(records):
        if record.step is Step.UNDONE:
            continue
        command = ("merge-base", "--is-ancestor", record.commit, "HEAD")
        if record.step is not Step.COMMITTED or repository.git.run(*command, ok_statuses=ANY_STATUS).returncode == 0:
            break
        kept.remove(record)
    return kept


def choose(records: Sequence[Record], name: str | None, redo: bool) -> Record:
    """Return the record with id `name`, by default the last one written (to redo: undone). Raises `Refused`."""
    record = _last(records, redo)
    if name is not None:
        record = next((each for each in records if each.id == name), None)
    if record is None:
        what = "nothing to redo" if redo else "nothing to undo"
        if name:
            what = f"there is no apply `{printable(name)}` here"
        reason = f"{what}; see editblocks undo --list"
    elif record.step is Step.COMMITTED:
        reason = f"{name or 'the last apply'} is commit {record.commit[:7]}; undo with git revert {record.commit[:7]}"
        earlier = _last([each for each in records if each.step is not Step.COMMITTED], redo)
        if earlier and name is None:
            reason = f"{reason}, or name an earlier one: editblocks undo {earlier.id}"
    elif record.step is Step.UNDONE and not redo:
        reason = f"{name} is already undone; redo with editblocks undo {name} --redo"
    elif record.step is Step.DONE and redo:
        reason = f"{name} is not undone; undo with editblocks undo {name}"
    else:
        return record
    raise Refused(reason, ReasonCode.BAD_COMMAND)


def _last(records: Sequence[Record], redo: bool) -> Record | None:
    """Return the record undone last (`redo`), or the last one written that is not undone, or None."""
    if redo:
        undone = [record for record in records if record.step is Step.UNDONE]
        return max(undone, key=lambda record: record.changed, default=None)
    written = [record for record in records if record.step in (Step.DONE, Step.COMMITTED)]
    return written[-1] if written else None
