"""`editblocks undo`: undo one apply in the working tree, redo it, or list the applies."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from editblocks.core.errors import RepoError, UsageError
from editblocks.faces.common.exit_codes import BROKEN, FINE
from editblocks.faces.common.locations import is_git_folder, root_of, root_option
from editblocks.faces.common.terminal import message, printing, show
from editblocks.report.escape import shell_line, visible
from editblocks.repos.index_view import refuse_not_trusted
from editblocks.repos.journal.entry import FileChange, JournalEntry
from editblocks.repos.journal.git_state import still_staged
from editblocks.repos.journal.journal import Record, WritePhase
from editblocks.repos.journal.undo import UndoResult, past, some, take_back


def main(options: argparse.Namespace) -> int:
    """Carry out `editblocks undo [ID] [--list] [--redo] [--root DIR]` and return the exit code.

    Raises `Refused` if there is nothing to take back or a file has changed since, and `RepoError`.
    """
    if options.list and (options.redo or options.id is not None):
        raise UsageError("--list takes no id and no --redo; it shows them all")
    root = root_of(options.root)
    if is_git_folder(root):
        reason = f"{root} is git's own folder, where nothing is kept to undo; name the top of its files with --root"
        raise UsageError(reason)
    refuse_not_trusted(root)
    if options.list:
        return _list(root)
    turned = take_back(root, options.id, redo=options.redo)
    for recovery in turned.recoveries:
        message(str(recovery))
    with printing():
        if turned.entry is not None:
            show(f"{_sentence(turned, turned.entry, options, root)}\n")
        return FINE
    return FINE  # nobody reads it, and it is done all the same


def _sentence(turned: UndoResult, entry: JournalEntry, options: argparse.Namespace, root: Path) -> str:
    """What was done, and the command that does the opposite."""
    name = [turned.id] if options.id is not None or not turned.is_next else []
    command = ["editblocks", "undo", *name, *([] if options.redo else ["--redo"]), *root_option(root)]
    if options.redo:
        sentence, back = f"redid {turned.id}: {_redo_message(entry)}", "undo with"
    else:
        staged = still_staged(root, entry.reverse().changes)
        sentence, back = (
            "; ".join([f"undid {turned.id}: {_undo_message(entry, staged)}", *turned.passed_over]),
            "again with",
        )
    return f"{visible(sentence)}; {back}: {shell_line(command)}"


def _redo_message(entry: JournalEntry) -> str:
    written = [change.path for change in entry.changes if change.new is not None and change.old is not None]
    created = [change.path for change in entry.changes if change.old is None]
    return _done_message({"changed": written, "made": created, "removed": _removed_files(entry)})


def _undo_message(entry: JournalEntry, staged: Sequence[str]) -> str:
    restored = [change.path for change in entry.changes if change.new is not None]
    still = f"; still staged: {some(staged)}, until you git add them" if staged else ""
    return f"{_done_message({'restored': restored, 'removed': _removed_files(entry)})}{still}"


def _removed_files(entry: JournalEntry) -> list[str]:
    return [change.path for change in entry.changes if change.new is None]


def _done_message(paths: dict[str, list[str]]) -> str:
    return "; ".join(f"{verb} {some(names)}" for verb, names in paths.items() if names)


def _list(root: Path) -> int:
    rows = past(root)
    with printing():
        for record, entry in rows:
            show(visible(_row(record, entry)) + "\n")
        if not rows:
            show("no apply is kept here yet\n")
    return BROKEN if any(isinstance(entry, RepoError) for _, entry in rows) else FINE


def _row(record: Record, entry: JournalEntry | RepoError) -> str:
    if isinstance(entry, RepoError):
        return f"{record.id}  unreadable: {entry.message}"
    step = record.step.value if record.step.is_final else "interrupted"
    if record.step is WritePhase.COMMITTED:
        step = f"in {(record.note or '')[:7]}"
    when = entry.time.replace("T", " ").removesuffix("Z")[:-3]
    counts = [_counts(change) for change in entry.changes]
    sums = f"+{sum(added for added, _ in counts)} -{sum(removed for _, removed in counts)}"
    return f"{record.id}  {when} UTC  {step:<11}  {sums}  {some([change.path for change in entry.changes])}"


def _counts(change: FileChange) -> tuple[int, int]:
    """Lines added and removed."""
    old, new = (b"" if side is None else side.data for side in (change.old, change.new))
    edits = list(_edits(old.splitlines(keepends=True), new.splitlines(keepends=True)))
    return sum(len(new) for _, new in edits), sum(len(old) for old, _ in edits)


def _edits(old: list[bytes], new: list[bytes]) -> Iterator[tuple[list[bytes], list[bytes]]]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    stop = 0
    while stop < min(len(old), len(new)) - start and old[-1 - stop] == new[-1 - stop]:
        stop += 1
    old, new = old[start : len(old) - stop], new[start : len(new) - stop]  # most files are mostly the same
    for tag, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            yield old[i:j], new[k:m]
