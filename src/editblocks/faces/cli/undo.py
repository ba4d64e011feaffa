"""`editblocks undo`: undo one apply in the working tree, redo it, or list the applies."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from editblocks.core.errors import RepoError, UsageError
from editblocks.faces.common.exit_codes import BROKEN, FINE
from editblocks.faces.common.locations import is_git_folder, root_of, root_option
from editblocks.faces.common.terminal import message, printing, show
from editblocks.report.escape import shell_line, visible
from editblocks.repos.journal.records import FileChange, Record, Step
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
    if options.list:
        return _list(root)
    result = take_back(root, options.id, redo=options.redo)
    for recovery in result.recoveries:
        message(str(recovery))
    with printing():
        if result.changes is not None:
            show(f"{_sentence(result, result.changes, options, root)}\n")
        return FINE
    return FINE  # nobody reads it, and it is done all the same


def _sentence(result: UndoResult, changes: Sequence[FileChange], options: argparse.Namespace, root: Path) -> str:
    """What was done, and the command that does the opposite."""
    name = [result.id] if options.id is not None or not result.is_next else []
    command = ["editblocks", "undo", *name, *([] if options.redo else ["--redo"]), *root_option(root)]
    done, back = ("redid", "undo with") if options.redo else ("undid", "again with")
    what = _message(changes, options.redo) or "its files were as before already"
    return f"{visible(f'{done} {result.id}: {what}')}; {back}: {shell_line(command)}"


def _message(changes: Sequence[FileChange], redo: bool) -> str:
    paths: dict[str, list[str]] = {}
    for change in changes:
        verb = "removed" if change.new is None else "restored" if not redo else "changed" if change.old else "made"
        paths.setdefault(verb, []).append(change.path)
    verbs = ("restored", "changed", "made", "removed")
    return "; ".join(f"{verb} {some(paths[verb])}" for verb in verbs if verb in paths)


def _list(root: Path) -> int:
    rows = past(root)
    with printing():
        for record, changes in rows:
            show(visible(_row(record, changes)) + "\n")
        if not rows:
            show("no apply is kept here yet\n")
    return BROKEN if any(isinstance(changes, RepoError) for _, changes in rows) else FINE


def _row(record: Record, changes: Sequence[FileChange] | RepoError) -> str:
    if isinstance(changes, RepoError):
        return f"{record.id}  unreadable: {changes.message}"
    step = record.step.value if record.step.is_final else "interrupted"
    if record.step is Step.COMMITTED:
        step = f"in {record.commit[:7]}"
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(record.time))
    counts = [_counts(change) for change in changes]
    sums = f"+{sum(added for added, _ in counts)} -{sum(removed for _, removed in counts)}"
    return f"{record.id}  {when} UTC  {step:<11}  {sums}  {some([change.path for change in changes])}"


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
