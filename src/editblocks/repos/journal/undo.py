"""Take back what one write changed, or write it again: which record is meant, and what has to hold first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import Refused, RepoError
from editblocks.repos.files.directory import HAS_DIR_FD, Folder, explain_errors
from editblocks.repos.git.command import printable
from editblocks.repos.git.repository import LOCK_SECONDS, Repository, git_folder, open_repository
from editblocks.repos.journal.file_swap import Effect, nothing
from editblocks.repos.journal.lock import locked_records
from editblocks.repos.journal.records import FileChange, Record, Records, Step
from editblocks.repos.journal.recovery import Recovery, Swap


class UndoResult(NamedTuple):
    """What an undo or a redo did: `changes` is the way it went. None: recovery had done all there was to do.

    `is_next`: the way back needs no id.
    """

    id: str
    changes: Sequence[FileChange] | None
    recoveries: Sequence[Recovery]
    is_next: bool = True


def past(root: Path) -> list[tuple[Record, list[FileChange] | RepoError]]:
    """Every write that is kept, newest first, or why it cannot be read. Changes nothing; raises `RepoError`."""
    records = Records(_repository_of(root))
    rows: list[tuple[Record, list[FileChange] | RepoError]] = []
    for record in reversed(records.all()):
        try:
            rows.append((record, records.load(record)))
        except RepoError as error:
            rows.append((record, error))
    return rows


def take_back(
    root: Path, name: str | None, *, redo: bool = False, effect: Effect = nothing, lock_seconds: float = LOCK_SECONDS
) -> UndoResult:
    """Undo the write that is called `name`, or the last one that is not undone; `redo`: write one again.

    Raises `Refused` if there is none or one of its files has changed since, and `RepoError`.
    """
    repository = replace(_repository_of(root), lock_seconds=lock_seconds)
    with (
        explain_errors(str(root), "read"),
        Folder.top(root, HAS_DIR_FD) as top,
        locked_records(repository) as records,
    ):
        swap = Swap(records, top, effect)
        done = swap.recover(name)
        # nobody who means the interrupted write means one before it
        if any(name in (None, recovery.id) and recovery.is_applied is redo for recovery in done):
            return UndoResult(done[-1].id, None, done)
        try:
            record = choose(records.all(), name, redo)
            changes = swap.turn(record, named=name is not None)
        except Refused as error:  # recovery has happened, although what was asked for has not
            raise Refused("; ".join([*map(str, done), error.message]), error.code) from error
        following = _last(records.all(), not redo)
        return UndoResult(record.id, changes, done, following is not None and following.id == record.id)


def _repository_of(root: Path) -> Repository:
    """The repository whose top is `root`; raises `Refused` where there is none, and nothing is kept."""
    if git_folder(root) is None:
        reason = f"{root} is no top of a git repository, and elsewhere nothing is kept to undo; name one with"
        raise Refused(f"{reason} --root", ReasonCode.BAD_CONFIG)
    return open_repository(root)


def choose(records: Sequence[Record], name: str | None, redo: bool) -> Record:
    """The record that a person means. Without a name: what was written last, or what was undone last.

    Nobody means one before a commit without naming it. Raises `Refused`.
    """
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
        return max(
            (record for record in records if record.step is Step.UNDONE),
            key=lambda record: record.changed,
            default=None,
        )
    return next((record for record in reversed(records) if record.step in (Step.DONE, Step.COMMITTED)), None)
