"""Bring the files of a record from one of its two sides to the other: for undo and redo, and after a kill.

A file that holds neither side's bytes was changed by somebody else since. Undo then changes nothing
at all; after a kill such a file is left alone, and both sides' bytes stay where a person can ask for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError, UnreadableFile
from editblocks.paths import is_protected
from editblocks.repos.files.directory import Folder, Found, explain_errors, load, refuse_read_only
from editblocks.repos.files.tree_modes import FileState
from editblocks.repos.git.object_ids import blob_id
from editblocks.repos.index.next_index import NextIndex, next_index
from editblocks.repos.index.staged_files import staged_entries
from editblocks.repos.journal.file_swap import Effect, Staging, prune, remove_abandoned
from editblocks.repos.journal.records import NO_LIMIT, FileChange, Record, Records, Step

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
        without it they raise `Refused`. Raises `HeadMoved` and `RepoError`, too.
        """
        done = []
        for record in self._records.unfinished():
            changes = self._records.load(record)
            if named != record.id:
                refuse_protected(record, changes)
            done.append(self._settle(record, changes))
        self._records.tidy()
        return done

    def turn(self, record: Record, *, named: bool) -> list[FileChange]:
        """Undo what is done, or do again what is undone; what is there already is passed over.

        Gives what was changed. Raises `Refused` if a file has changed since, `HeadMoved` and `RepoError`.
        """
        step = Step.UNDOING if record.step is Step.DONE else Step.REDOING
        changes = self._records.load(record)
        if not named:
            refuse_protected(record, changes)
        way = [change.reverse() for change in changes] if step is Step.UNDOING else changes
        behind, _, others, present = self._sides(way)
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
                _stage(index, [change for change in behind if change.path in staged])
                staging.prune()
                self._records.mark(under_way, _FINISHED[step])
            except BaseException as error:
                if index is None or not index.is_installed:
                    staging.undo(error)
                    with suppress(RepoError):  # else whoever comes next sees that the files are where they were
                        self._records.mark(under_way, record.step)
                raise
        return behind

    def _settle(self, record: Record, changes: list[FileChange]) -> Recovery:
        """Bring all files to one side."""
        way = [change.reverse() for change in changes] if record.step is Step.UNDOING else changes
        remove_abandoned(self._top, [change.path for change in way])
        behind, ahead, others, present = self._sides(way)
        what, commit = _WHAT[record.step], None
        if record.kind == "commit":
            what, commit = "commit", self._commit_that_was_made(behind, ahead)
        finished = not behind if record.kind != "commit" else commit is not None
        if finished and record.kind == "index":
            with next_index(self._repository, "--index") as index:
                _stage(index, ahead)
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
        for change in way:
            if (change.new if finished else change.old) is None:
                prune(self._top, change.path)
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
        id_of = partial(blob_id, object_format=self._repository.object_format)
        new = {change.path: id_of(change.new[1]) for change in changes if change.new}
        return {path for path, oid in new.items() if path in entries and entries[path].oid == oid}

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
            if _holds(found, change.old):
                behind.append(change)
            elif _holds(found, change.new):
                ahead.append(change)
            else:
                others.append(change.path)
        return behind, ahead, others, present


def refuse_protected(record: Record, changes: Sequence[FileChange]) -> None:
    """Raise `Refused` if a record holds files that decide what runs: anybody may have made one that we find."""
    for change in changes:
        if is_protected(change.path):
            reason = f"{change.path} can run code and is in {record.id}; to have it written, say editblocks undo"
            redo = " --redo" if record.step in (Step.UNDONE, Step.REDOING) else ""
            raise Refused(f"{reason} {record.id}{redo}", ReasonCode.NOT_ALLOWED)


def some(paths: Sequence[str]) -> str:
    """Paths for a line that people read."""
    more = f" and {len(paths) - _NAMES} more" if len(paths) > _NAMES else ""
    return ", ".join(paths[:_NAMES]) + more


def _stage(index: NextIndex | None, changes: Sequence[FileChange]) -> None:
    if index is not None and changes:
        index.stage(_contents(changes))
        index.install()


def _contents(changes: Sequence[FileChange]) -> dict[str, bytes | None]:
    return {change.path: change.new and change.new[1] for change in changes}


def _holds(found: Found | None, state: FileState | None) -> bool:
    return found is None if state is None else found is not None and found[0] == state[1]
