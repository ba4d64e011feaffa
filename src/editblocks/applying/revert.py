"""How a commit of ours is reverted: the bytes that each of its files gets on the branch as it is now, or why not.

A file that nobody has touched since gets what it had before. Of any other the change alone is taken back, by
a merge of whole lines, their ends included: so a file comes back byte for byte or not at all. If one file
conflicts, none is changed. Rules: docs/reference/action.md, "undo".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO

from editblocks.applying.reading import Read, TextFiles
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.matching.align import kept_lines
from editblocks.matching.merge import MergeConflict, merge
from editblocks.paths import Entries, Operation, check_policy, check_syntax, check_tree, is_response_file
from editblocks.text.source_text import SourceText


@dataclass(frozen=True, slots=True)
class RevertConflict:
    """Why a file cannot be reverted."""

    path: str
    code: ReasonCode
    reason: str


@dataclass(frozen=True, slots=True)
class RevertResult:
    """The new bytes of each file that changes, None for one that is removed; nothing if there are `conflicts`.

    Lines are counted as git counts them: one that loses its end is a line removed and a line added.
    """

    contents: Mapping[str, bytes | None] = field(default_factory=dict)
    conflicts: tuple[RevertConflict, ...] = ()
    lines_added: int = 0
    lines_removed: int = 0

    @property
    def files(self) -> int:
        """How many files change."""
        return len(self.contents)


def undo(
    paths: Iterable[str], parent: Read, commit: Read, head: Read, *, settings: Settings, entries: Entries | None = None
) -> RevertResult:
    """Plan the revert of a commit. `paths` are all that differ between it and its parent.

    The readers give the bytes of a file in that version, None where there is none; `entries` lists the directories
    of the head (`run.flow.Repo.entries`). Raises what the readers raise, but for `UnreadableFile`, a conflict.
    """
    contents: dict[str, bytes | None] = {}
    conflicts: list[RevertConflict] = []
    added = removed = 0
    for path in paths:
        try:
            before, made, now = parent(path), commit(path), head(path)
            if now == before:
                continue
            operation: Operation = "delete" if before is None else "create" if now is None else "edit"
            # No block may write a response file; but the commit that applied one removed it, and this takes it back.
            is_response = made is None and is_response_file(path, settings.response_files)
            error = check_syntax(path, operation) or (check_tree(path, operation, entries) if entries else None)
            if error := error or (None if is_response else check_policy(path, settings)):
                conflicts.append(RevertConflict(path, error.code, error.message))
                continue
            result = before if now == made else _merge(path, before, made, now, TextFiles(head, entries, settings))
        except UnreadableFile as unreadable:
            conflicts.append(RevertConflict(path, unreadable.code, unreadable.message))
            continue
        if isinstance(result, RevertConflict):
            conflicts.append(result)
        elif result != now:
            contents[path] = result
            more, less = _line_counts(now, result)
            added, removed = added + more, removed + less
    return RevertResult(conflicts=tuple(conflicts)) if conflicts else RevertResult(contents, (), added, removed)


def _merge(
    path: str, before: bytes | None, made: bytes | None, now: bytes | None, files: TextFiles
) -> bytes | RevertConflict:
    """The file on the branch without what the commit changed in it. Raises `UnreadableFile`."""
    if now is None:
        return _stale(path, f"{path} was removed after the commit that is to be undone; bring it back first")
    if made is None:
        what = "there again, after the commit that is to be undone removed it"
        return _stale(path, f"{path} is {what}; remove it by hand first")
    if before is None:
        return _stale(path, f"{path} has changed since the commit that is to be undone created it; remove it by hand")
    files.check(path, now)
    base, ours, theirs = (SourceText.decode(data, path) for data in (made, now, before))
    lines = _whole_lines(ours)
    merged = merge(_whole_lines(base), lines, _whole_lines(theirs))
    if isinstance(merged, MergeConflict):
        line = min(merged.ours[0] + 1, len(lines)) or None
        where = f"{path} has changed" if line is None else f"line {line} of {path} has changed"
        return _stale(path, f"{where} since the commit that is to be undone; take the change back by hand")
    bom = theirs.bom if ours.bom == base.bom else ours.bom
    data = "".join((bom, *(lines[line] if isinstance(line, int) else line for line in merged))).encode()
    files.check_size(path, data)
    return data


def _stale(path: str, reason: str) -> RevertConflict:
    return RevertConflict(path, ReasonCode.STALE, reason)


def _whole_lines(text: SourceText) -> list[str]:
    """Lines with their ends: what a merge of them keeps, it keeps to the byte."""
    return [line + end for line, end in zip(text.lines, text.ends, strict=True)]


def _line_counts(old: bytes | None, new: bytes | None) -> tuple[int, int]:
    """How many lines are added and removed."""
    before, after = ([line.decode("latin-1") for line in BytesIO(data or b"")] for data in (old, new))
    kept = len(kept_lines(before, after))
    return len(after) - kept, len(before) - kept
