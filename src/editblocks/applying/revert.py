"""How a commit of ours is reverted: the bytes that each of its files gets on the branch as it is now.

A file that nobody has touched since gets what it had before. Of any other the change alone is taken back, by
a merge of whole lines, their ends included: so a file comes back byte for byte or not at all. If one file
conflicts, none is changed. Rules: docs/reference/action.md, "undo".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from io import BytesIO

from editblocks.applying.files import Read, TextFiles
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.core.typed import NamedTuple
from editblocks.matching.align import kept_lines
from editblocks.matching.merge import MergeConflict, merge
from editblocks.paths.policy import check_policy, is_response_file
from editblocks.paths.syntax import Operation, check_syntax
from editblocks.paths.tree import Entries, Overlay, check_tree
from editblocks.text.source_text import SourceText


class RevertResult(NamedTuple):
    """The new bytes of each file that changes, None for one that is removed; nothing if there are `conflicts`.

    Lines are counted as git counts them: one that loses its end is a line removed and a line added.
    """

    contents: Mapping[str, bytes | None]
    conflicts: Mapping[str, ReasonCode]
    lines_added: int = 0
    lines_removed: int = 0


def undo(
    paths: Iterable[str], parent: Read, commit: Read, head: Read, *, settings: Settings, entries: Entries | None = None
) -> RevertResult:
    """Plan the revert of a commit. `paths` are all that differ between it and its parent.

    The readers give the bytes of a file in that version, None where there is none; `entries` lists the directories
    of the head (`applying.files.Tree.entries`). Raises what the readers raise, but for `UnreadableFile`, a conflict.
    """
    contents: dict[str, bytes | None] = {}
    conflicts: dict[str, ReasonCode] = {}
    added = removed = 0
    paths, overlay = list(paths), Overlay(entries or (lambda _: {}))
    for path in paths:
        with suppress(UnreadableFile):  # what it created goes, and is in nobody's way
            if parent(path) is None:
                overlay.record(path, "delete")
    for path in paths:
        try:
            before, made, now = parent(path), commit(path), head(path)
            if now == before:
                continue
            operation: Operation = "delete" if before is None else "create" if now is None else "edit"
            # No block may write a response file; but the commit that applied one removed it, and this takes it back.
            is_response = made is None and is_response_file(path, settings.response_files)
            error = check_syntax(path, operation)
            if error is None and entries is not None:
                error = check_tree(path, operation, overlay.entries if operation == "create" else entries)
            if error := error or (None if is_response else check_policy(path, settings)):
                conflicts[path] = error.code
                continue
            result = before if now == made else _merge(path, before, made, now, TextFiles(head, entries, settings))
        except UnreadableFile as unreadable:
            conflicts[path] = unreadable.code
            continue
        if result != now:
            contents[path] = result
            more, less = _line_counts(now, result)
            added, removed = added + more, removed + less
    return RevertResult({}, conflicts) if conflicts else RevertResult(contents, {}, added, removed)


def _merge(path: str, before: bytes | None, made: bytes | None, now: bytes | None, files: TextFiles) -> bytes:
    """The file on the branch without what the commit changed in it. Raises `UnreadableFile`, also for a conflict."""
    conflict = UnreadableFile(ReasonCode.STALE, f"{path} has changed since the commit that is to be undone")
    if before is None or made is None or now is None:
        raise conflict
    files.check(path, now)
    base, ours, theirs = (SourceText.decode(data, path) for data in (made, now, before))
    lines = _whole_lines(ours)
    merged = merge(_whole_lines(base), lines, _whole_lines(theirs))
    if isinstance(merged, MergeConflict):
        raise conflict
    bom = theirs.bom if ours.bom == base.bom else ours.bom
    data = "".join((bom, *(lines[line] if isinstance(line, int) else line for line in merged))).encode()
    files.check_size(path, data)
    return data


def _whole_lines(text: SourceText) -> list[str]:
    """Lines with their ends: what a merge of them keeps, it keeps to the byte."""
    return [line + end for line, end in zip(text.lines, text.ends, strict=True)]


def _line_counts(old: bytes | None, new: bytes | None) -> tuple[int, int]:
    """How many lines are added and removed."""
    before, after = ([line.decode("latin-1") for line in BytesIO(data or b"")] for data in (old, new))
    kept = len(kept_lines(before, after))
    return len(after) - kept, len(before) - kept
