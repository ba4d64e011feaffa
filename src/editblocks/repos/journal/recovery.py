"""Bring the files of an entry from one of its two sides to the other: for undo and redo, and after a kill.

A file that holds neither side's bytes was changed by somebody else since. Undo then changes nothing
at all; after a kill such a file is left alone, and the entry is kept with both sides' bytes in it.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import HeadMoved, Refused, RepoError, UnreadableFile
from editblocks.paths import is_protected
from editblocks.repos.files.directory import Folder, open_below
from editblocks.repos.files.regular_files import Found, explain_errors, load, refuse_read_only
from editblocks.repos.files.tree_modes import components
from editblocks.repos.journal.entry import FileChange, JournalEntry, Version
from editblocks.repos.journal.file_swap import Effect, Staging, prune, remove_directories
from editblocks.repos.journal.journal import Journal, Record, WritePhase
from editblocks.repos.journal.location import unfinished_record

_NO_LIMIT = 1 << 62  # what was written once is taken back, whatever a setting says now
_FIRST = (WritePhase.APPLYING, WritePhase.STAGING, WritePhase.COMMITTING)
_BACK = {
    **dict.fromkeys(_FIRST, WritePhase.UNDONE),
    WritePhase.UNDOING: WritePhase.DONE,
    WritePhase.REDOING: WritePhase.UNDONE,
}
_ON = {
    **dict.fromkeys(_FIRST, WritePhase.DONE),
    WritePhase.UNDOING: WritePhase.UNDONE,
    WritePhase.REDOING: WritePhase.DONE,
}
_WHAT = {
    WritePhase.APPLYING: "apply",
    WritePhase.STAGING: "apply",
    WritePhase.COMMITTING: "commit",
    WritePhase.UNDOING: "undo",
    WritePhase.REDOING: "redo",
}


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of an interrupted write, all but `changed_by_others`, which others had changed since.

    `unstaged`: it is finished on disk, and was to be staged.
    """

    id: str
    command: str  # apply, commit, undo or redo
    finished: bool
    changed_by_others: Sequence[str] = ()
    unstaged: bool = False

    @property
    def is_applied(self) -> bool:
        """Whether the files are new now."""
        return self.finished is not (self.command == "undo")

    def __str__(self) -> str:
        done = "finished" if self.finished else "taken back"
        left = f"; left alone, as changed since: {', '.join(self.changed_by_others)}" if self.changed_by_others else ""
        index = ", but may not be staged; git add what it wrote" if self.unstaged else ""
        return f"the {self.command} {self.id} was interrupted and is {done} now{index}{left}"


def unfinished_write(root: Path) -> str | None:
    """What whoever only reads the files at `root` has to know of a write to them, if one is not finished."""
    record = unfinished_record(root)
    if record is None:
        return None
    state = f"the {_WHAT[record.step]} {record.id} was interrupted or is still at work, so files may be half written"
    return f"{state}; the next apply or undo sees to it"


class FilesChanged(HeadMoved):
    """Files are not what an entry says; nothing was done. `paths` are all of them."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(f"{', '.join(paths)} changed since it was read; plan again")
        self.paths = tuple(paths)


@contextmanager
def moving(top: Folder, entry: JournalEntry, effect: Effect, emptied: Sequence[str] | None = None) -> Iterator[None]:
    """Bring every file from its old side to the new one, and back again if the block then fails.

    Raises `FilesChanged` if a file is not on its old side, `HeadMoved`, `Refused` and `RepoError`.
    """
    with stage_files(top, entry, effect, _old_sides(top, entry), emptied=emptied):
        yield


def _old_sides(top: Folder, entry: JournalEntry) -> dict[str, Found | None]:
    """What is there, if every file is on its old side; raises `FilesChanged`."""
    present: dict[str, Found | None] = {}
    changed = [change.path for change in entry.changes if not _is_at(top, change, change.old, present)]
    if changed:
        raise FilesChanged(changed)
    return present


@contextmanager
def stage_files(
    top: Folder,
    entry: JournalEntry,
    effect: Effect,
    present: Mapping[str, Found | None],
    *,
    emptied: Sequence[str] | None = None,
    back: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Write every new side over what is `present`, and put that back if anything fails, the block included.

    `back` is called when all of it is back, and only then: whatever stops that is for the next start to repair.
    """
    staging = Staging(top, effect, entry, emptied)
    try:
        for change in entry.changes:
            with explain_errors(change.path, "written"):
                staging.add(change.path, change.new, present[change.path])
        with explain_errors(", ".join(change.path for change in entry.changes), "written"):
            staging.commit()
        yield
    except BaseException:
        staging.undo()
        back()
        raise


def turn(top: Folder, journal: Journal, record: Record, effect: Effect, *, named: bool) -> JournalEntry:
    """Undo what is done, or do again what is undone. Raises `FilesChanged`, `HeadMoved`, `Refused` and `RepoError`.

    Gives the entry of this way: its old side is what was there before. `named`: a person gave the id, see `recover`.
    """
    undoes = record.step is WritePhase.DONE
    entry = _check_entry(journal, record, named=named)
    way = entry.reverse() if undoes else entry
    present = _old_sides(top, way)
    for path, present_file in present.items():
        refuse_read_only(path, present_file)
    under_way = journal.mark(record, WritePhase.UNDOING if undoes else WritePhase.REDOING)

    def back() -> None:
        with suppress(RepoError):  # whoever comes next sees that the files are where they were
            journal.mark(journal.now(record), record.step)

    with stage_files(top, way, effect, present, emptied=way.made if undoes else None, back=back):
        journal.mark(under_way, WritePhase.UNDONE if undoes else WritePhase.DONE)
    return way


def recover(
    top: Folder,
    journal: Journal,
    effect: Effect,
    *,
    has_stood: Callable[[Record, Sequence[FileChange]], bool | None],
    staged_as_new: Callable[[Sequence[FileChange]], Collection[str]],
    named: str | None = None,
) -> list[Recovery]:
    """Finish what a killed process had as good as done, and take everything else back.

    `has_stood` says whether git has what the note of a record promises, None if that cannot be told; the index is
    in step with a commit then. `staged_as_new` names the files whose new text somebody staged since, or committed:
    they are not put back.
    Files that decide what runs are written on a person's word alone, which is `named`, the id of an entry:
    without it they raise `Refused`. Without it, too, a file or directory that is made again has no setuid, setgid
    or sticky bit. Raises `HeadMoved` and `RepoError`.
    """
    done = []
    for record in journal.records():
        if not record.step.is_final:
            entry = _check_entry(journal, record, named=named == record.id)
            stands = has_stood(record, entry.changes) if record.note else None
            if stands and record.step is WritePhase.COMMITTING:
                journal.keep_commit(record)
                done.append(Recovery(record.id, "commit", True))
            else:
                done.append(_settle(top, journal, record, entry, effect, staged_as_new=staged_as_new, stands=stands))
    journal.tidy()
    return done


def refuse_protected(record: Record, entry: JournalEntry) -> None:
    """Raise `Refused` if an entry holds files that decide what runs: anybody may have made a journal that we find."""
    for change in entry.changes:
        if is_protected(change.path):
            reason = f"{change.path} can run code and is in {record.id}; to have it written, say editblocks undo"
            redo = " --redo" if record.step in (WritePhase.UNDONE, WritePhase.REDOING) else ""
            raise Refused(f"{reason} {record.id}{redo}", ReasonCode.NOT_ALLOWED)


def _check_entry(journal: Journal, record: Record, *, named: bool) -> JournalEntry:
    """The entry as far as it may be used. Raises `Refused` and `RepoError`."""
    entry = journal.load(record)
    if named:
        return entry
    refuse_protected(record, entry)
    return entry.plain()


def _settle(
    top: Folder,
    journal: Journal,
    record: Record,
    entry: JournalEntry,
    effect: Effect,
    *,
    staged_as_new: Callable[[Sequence[FileChange]], Collection[str]],
    stands: bool | None,
) -> Recovery:
    """Bring all files to one side. `stands`: whether what goes with them has changed, None if that is not known."""
    way = entry.reverse() if record.step is WritePhase.UNDOING else entry
    present: dict[str, Found | None] = {}
    _remove_temps(top, way)
    behind = [change for change in way.changes if _is_at(top, change, change.old, present)]
    ahead = [change for change in way.changes if change not in behind and _is_at(top, change, change.new, present)]
    finished = not behind and record.step is not WritePhase.COMMITTING if stands is None else stands
    if ahead and not finished and record.step is not WritePhase.UNDOING:  # undone files are what is staged, as a rule
        theirs = staged_as_new([change for change in ahead if change.new is not None])
        ahead = [change for change in ahead if change.path not in theirs]
    mine = ahead if finished else [*ahead, *behind]
    strangers = [change.path for change in way.changes if change not in mine]
    step = _ON[record.step] if finished else _BACK[record.step]
    if ahead and not finished:
        back = replace(way, changes=ahead).reverse()
        with stage_files(top, back, effect, present, emptied=None if step is WritePhase.DONE else entry.made):
            pass
    _remove_empty(top, entry, step)
    if step is WritePhase.UNDONE and not strangers and record.step in _FIRST:
        journal.drop(record)
    else:
        journal.mark(record, step)
    unstaged = finished and record.step is WritePhase.STAGING and not stands
    return Recovery(record.id, _WHAT[record.step], finished, strangers, unstaged)


def _remove_empty(top: Folder, entry: JournalEntry, step: WritePhase) -> None:
    """Remove the directories that are not to be there on this side, but were left by a process without files."""
    if step is WritePhase.UNDONE:
        remove_directories(top, entry.made)
    else:
        for change in entry.changes:
            if change.new is None:
                prune(top, change.path)


def _remove_temps(top: Folder, entry: JournalEntry) -> None:
    for change in entry.changes:
        with suppress(OSError), open_below(top, components(change.path)[:-1]) as folder:
            folder.remove(entry.temp(change.path))


def _is_at(top: Folder, change: FileChange, version: Version | None, present: dict[str, Found | None]) -> bool:
    """Whether a file is one of its two sides, to be replaced by the other; what is there goes into `present`."""
    try:
        with explain_errors(change.path, "read"):
            present_file = load(top, change.path, _NO_LIMIT)
    except UnreadableFile:
        return False
    present[change.path] = present_file
    if present_file is None or version is None:
        return present_file is None and version is None
    goes = change.old is None or change.new is None
    return present_file[0] == version.data and not (goes and _runs(present_file[1].st_mode) != _runs(version.mode or 0))


def _runs(mode: int) -> bool:
    """Whether git would call it executable: what else is in a mode is kept by the file that replaces it."""
    return bool(mode & stat.S_IXUSR)
