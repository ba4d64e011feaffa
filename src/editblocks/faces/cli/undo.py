"""`editblocks undo`: undo one apply in the working tree, redo it, or list the applies."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from editblocks.core.errors import RepoError, UsageError
from editblocks.faces.reading import root_of, root_option
from editblocks.faces.terminal import BROKEN, FINE, message, printing, show, show_wrapped
from editblocks.report.escape import shell_line, visible
from editblocks.repos.git.repository import is_git_folder
from editblocks.repos.records import FileChange, Record, Step
from editblocks.repos.undo import history, shortened, undo_write


def main(options: argparse.Namespace) -> int:
    """Undo or redo one apply, or list all. Return the exit code."""
    if options.list and (options.redo or options.id is not None):
        raise UsageError("--list takes no id and no --redo; it shows them all")
    root = root_of(options.root)
    if is_git_folder(root):
        what = f"{root} is a .git folder or a bare repository, so there is nothing to undo"
        raise UsageError(f"{what}; name the folder of your files with --root")
    if options.list:
        return _list(root)
    result = undo_write(root, options.id, redo=options.redo)
    for recovery in result.recoveries:
        message(str(recovery))
    if result.changes is not None:
        what = _what_changed(result.changes, options.redo) or "its files already had their old text"
        command = ["editblocks", "undo"]
        if options.id is not None or not result.is_next:
            command.append(result.id)
        if options.redo:
            done = f"redid {result.id}: {what}"
            back = "undo with"
        else:
            done = f"undid {result.id}: {what}"
            back = "redo with"
            command.append("--redo")
        command += root_option(root)
        with printing():
            show_wrapped(f"{visible(done)}; {back}: {shell_line(command)}\n")
    return FINE


def _what_changed(changes: Sequence[FileChange], redo: bool) -> str:
    paths: dict[str, list[str]] = {verb: [] for verb in ("restored", "changed", "made", "removed")}
    for change in changes:
        paths[_verb(change, redo)].append(change.path)
    return "; ".join(f"{verb} {shortened(names)}" for verb, names in paths.items() if names)


def _verb(change: FileChange, redo: bool) -> str:
    if change.new is None:
        return "removed"
    if not redo:
        return "restored"
    return "changed" if change.old else "made"


def _list(root: Path) -> int:
    rows = history(root)
    with printing():
        for record, changes in rows:
            show_wrapped(f"{visible(_row(record, changes))}\n")
        if not rows:
            show("there is nothing to undo yet\n")
    return BROKEN if any(isinstance(changes, RepoError) for _, changes in rows) else FINE


def _row(record: Record, changes: Sequence[FileChange] | RepoError) -> str:
    if isinstance(changes, RepoError):
        return f"{record.id}  unreadable: {changes.message}"
    step = record.step.value if record.step.is_final else "interrupted"
    if record.step is Step.COMMITTED:
        step = f"in {record.commit[:7]}"
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(record.time))
    return f"{record.id}  {when} UTC  {step:<11}  {shortened([change.path for change in changes])}"
