"""Take back what one write changed, or write it again: which entry is meant, and what has to hold first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import HeadMoved, Refused, RepoError
from editblocks.repos.files.directory import HAS_DIR_FD, Folder
from editblocks.repos.files.regular_files import explain_errors
from editblocks.repos.git.command import printable
from editblocks.repos.journal.entry import JournalEntry
from editblocks.repos.journal.file_swap import Effect
from editblocks.repos.journal.git_state import has_stood, staged_as_new, why_gone
from editblocks.repos.journal.journal import Journal, Record, WritePhase, last_day, nothing
from editblocks.repos.journal.location import LOCK_SECONDS, git_folder, locked_journal, read_journal
from editblocks.repos.journal.recovery import FilesChanged, Recovery, recover, turn

_NAMES = 10  # in one line for a person


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo or a redo did: `entry` is the way it went. Without one, recovery had done all there was to do.

    `is_next`: the way back needs no id. `passed_over`: what came later, and why it was passed over.
    """

    id: str
    entry: JournalEntry | None
    recoveries: Sequence[Recovery]
    is_next: bool = True
    passed_over: Sequence[str] = ()


def past(root: Path) -> list[tuple[Record, JournalEntry | RepoError]]:
    """Every entry of the journal, newest first, or why it cannot be read. Changes nothing; raises `RepoError`."""
    _refuse_no_repository(root)
    rows: list[tuple[Record, JournalEntry | RepoError]] = []
    with read_journal(root) as journal:
        for record in reversed(journal.records() if journal else []):
            try:
                rows.append((record, journal.load(record) if journal else RepoError("")))
            except RepoError as error:
                rows.append((record, error))
    return rows


def take_back(
    root: Path,
    name: str | None,
    *,
    redo: bool = False,
    effect: Effect = nothing,
    lock_seconds: float = LOCK_SECONDS,
    dir_fd: bool = HAS_DIR_FD,
) -> UndoResult:
    """Undo the entry that is called `name`, or the last one that is not undone; `redo`: write one again.

    Raises `Refused` if there is no such entry or one of its files has changed since, and `RepoError`.
    """
    _refuse_no_repository(root)
    with explain_errors(str(root), "read"):
        top = Folder.top(root, dir_fd)
    try:
        with locked_journal(root, effect, dir_fd=dir_fd, seconds=lock_seconds) as journal:
            if journal is None:
                raise RepoError(f"{root} is no top of a git repository any more; look at it")
            done = recover(
                top,
                journal,
                effect,
                has_stood=partial(has_stood, root),
                staged_as_new=partial(staged_as_new, root),
                named=name,
            )
            if _is_enough(done, name, redo):
                return UndoResult(done[-1].id, None, done)
            records, passed_over = journal.records(), list[str]()
            if name is None and not redo:
                records, passed_over = _skip_lost_commits(root, journal, records)
            try:
                record = choose(records, name, redo)
                way = _entry_to_swap(top, journal, record, effect, named=name is not None)
            except Refused as error:  # recovery has happened, although what was asked for has not
                raise Refused("; ".join([*map(str, done), *passed_over, error.message]), error.code) from error
            done = [
                replace(recovery, unstaged=False) if recovery.id == record.id else recovery for recovery in done
            ]  # nothing is left to stage
            following = _last(journal.records(), not redo)
            return UndoResult(record.id, way, done, following is not None and following.id == record.id, passed_over)
    finally:
        top.close()


def _entry_to_swap(top: Folder, journal: Journal, record: Record, effect: Effect, *, named: bool) -> JournalEntry:
    try:
        return turn(top, journal, record, effect, named=named)
    except HeadMoved as error:
        raise _changed_refusal(record, error, record.step is WritePhase.UNDONE) from error


def _skip_lost_commits(root: Path, journal: Journal, records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """Without the commits that come last and of which git has nothing left; and what is said of these."""
    standing, passed_over = list(records), list[str]()
    while (last := _last(standing, redo=False)) and last.step is WritePhase.COMMITTED:
        commit = last.note or ""
        why = why_gone(root, commit, journal.load(last).changes)
        if why is None:
            break
        standing.remove(last)
        passed_over.append(f"passed over commit {commit[:7]}, {why}")
    return standing, passed_over


def choose(records: Sequence[Record], name: str | None, redo: bool) -> Record:
    """The entry that a person means. Without a name: the last that is done, or the one that was undone last.

    Undo goes backwards through the entries, so the one that was undone last is the first after all that are done.
    One from the future is none of these, unless all are. Nobody means one before a commit without naming it.
    """
    if name is not None:
        return _record_of_name(records, name, WritePhase.UNDONE if redo else WritePhase.DONE)
    record = _last(records, redo)
    if record is None:
        what = "redo" if redo else "undo"
        raise Refused(f"nothing to {what}; see editblocks undo --list", ReasonCode.BAD_COMMAND)
    if record.step is WritePhase.COMMITTED:
        earlier = _last([each for each in records if each.step is not WritePhase.COMMITTED], redo)
        other = f", or name an earlier one: editblocks undo {earlier.id}" if earlier else ""
        raise Refused(f"the last apply {_in_git(record)}{other}", ReasonCode.BAD_COMMAND)
    return record


def _last(records: Sequence[Record], redo: bool) -> Record | None:
    latest = last_day()
    records = [record for record in records if record.day <= latest] or records
    wanted = (WritePhase.UNDONE,) if redo else (WritePhase.DONE, WritePhase.COMMITTED)
    fitting = [record for record in records if record.step in wanted]
    if not redo or not fitting:
        return fitting[-1] if fitting else None
    last = max((place for place, record in enumerate(records) if record.step is WritePhase.DONE), default=-1)
    after = [record for record in records[last + 1 :] if record in fitting]
    return after[0] if after else fitting[-1]


def _record_of_name(records: Sequence[Record], name: str, wanted: WritePhase) -> Record:
    record = next((record for record in records if record.id == name), None)
    if record is None:
        raise Refused(
            f"there is no `{printable(name)}` in the journal; see editblocks undo --list", ReasonCode.BAD_COMMAND
        )
    if record.step is WritePhase.COMMITTED:
        raise Refused(f"{name} {_in_git(record)}", ReasonCode.BAD_COMMAND)
    if record.step is not wanted:
        reason = f"{name} is not undone; undo with editblocks undo {name}"
        if wanted is WritePhase.DONE:
            reason = f"{name} is undone already; redo with editblocks undo {name} --redo"
        raise Refused(reason, ReasonCode.BAD_COMMAND)
    return record


def _in_git(record: Record) -> str:
    commit = (record.note or "")[:7]
    return f"is commit {commit}; undo with git revert {commit}"


def some(paths: Sequence[str]) -> str:
    """Paths for a line that people read."""
    more = f" and {len(paths) - _NAMES} more" if len(paths) > _NAMES else ""
    return ", ".join(paths[:_NAMES]) + more


def _is_enough(done: Sequence[Recovery], name: str | None, redo: bool) -> bool:
    """Whether recovery did what was asked for: nobody who means the interrupted write means one before it."""
    return any(name in (None, recovery.id) and recovery.is_applied is redo for recovery in done)


def _changed_refusal(record: Record, error: HeadMoved, redo: bool) -> Refused:
    paths = some(error.paths) if isinstance(error, FilesChanged) else error.message
    since = f"{record.id} was undone" if redo else record.id
    what = "nothing was written" if redo else "nothing was undone"
    return Refused(f"{paths} changed since {since}, so {what}; take that change back first", ReasonCode.DIRTY_FILE)


def _refuse_no_repository(root: Path) -> None:
    if git_folder(root) is None:
        reason = f"{root} is no top of a git repository, and elsewhere nothing is kept to undo; name one with"
        raise Refused(f"{reason} --root", ReasonCode.BAD_CONFIG)
