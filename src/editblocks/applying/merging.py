"""Merge a change into a file that has changed since: a block that was written for a base, or the revert of a commit.

A block with a `base:` is placed in that version, and its change is merged with the file as it is now. A revert restores
a file that has not changed since the commit. In any other file, only the change of the commit is reverted, by a merge
of whole lines with their ends: so old lines come back byte for byte or not at all. If one file conflicts, no file is
changed.

Rules: docs/reference/rules.md, "three-way", and docs/reference/action.md, "undo".
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from io import BytesIO
from typing import NamedTuple

from editblocks.applying import mismatches
from editblocks.applying.files import Read, TextFiles
from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.mismatch import Mismatch
from editblocks.core.settings import Settings
from editblocks.matching.align import MergeConflict, common_start, kept_lines, merge
from editblocks.matching.ladder import Budget, Placement
from editblocks.paths.policy import check_policy, is_response_file
from editblocks.paths.syntax import Operation, PathError, check_syntax
from editblocks.paths.tree import Entries, Overlay, check_tree
from editblocks.text.source_text import SourceText


def may_merge(base: SourceText, source: SourceText, budget: Budget) -> bool:
    """Whether the budget of the response still covers this merge; if so, take its lines from the budget."""
    lines = len(base.lines) + len(source.lines)
    if lines > budget.merged_lines:
        return False
    budget.merged_lines -= lines
    return True


def merged_with_base(
    block: EditBlock, source: SourceText, base: SourceText, placement: Placement, commit: str
) -> Placement | Mismatch:
    """Three-way merge: apply to `source` what the block changes in `base`, the version it was written for."""
    theirs = base.copy()
    theirs.splice(*placement.change)
    merged = merge(base.lines, source.lines, theirs.lines)
    if isinstance(merged, MergeConflict):
        return mismatches.stale(block, source, base, merged, commit)
    count = len(source.lines)
    if merged == tuple(range(count)):
        what = f"{block.file_path} already has this change, made after {commit[:7]}, the base of this answer"
        return Mismatch(ReasonCode.ALREADY_APPLIED, what)
    note = Note("merged", f"merged with what changed since {commit[:7]}, the base of this answer")
    start = common_start(merged, range(count))
    below = common_start(merged[start:][::-1], range(start, count)[::-1])
    new = merged[start : len(merged) - below]
    return Placement("three-way", "medium", start, count - below, new, (*placement.notes, note))


class RevertResult(NamedTuple):
    """The new bytes of each file that changes, None for a deleted file; empty if there are `conflicts`.

    Lines are counted as git counts them: a line that loses its end is one line removed and one line added.
    """

    contents: Mapping[str, bytes | None]
    conflicts: Mapping[str, ReasonCode]
    lines_added: int = 0
    lines_removed: int = 0


def plan_revert(
    paths: Iterable[str], parent: Read, commit: Read, head: Read, *, settings: Settings, entries: Entries
) -> RevertResult:
    """Plan the revert of a commit. `paths` are all that differ between it and its parent.

    The readers return the bytes of a file in their version, or None if there is no file; `entries` lists directories
    of the head (`applying.files.Tree.entries`). Raises what the readers raise; an `UnreadableFile` becomes a conflict.
    """
    paths = list(paths)
    later_entries = _without_created_files(paths, parent, entries)
    files = TextFiles(head, entries, settings)
    contents: dict[str, bytes | None] = {}
    conflicts: dict[str, ReasonCode] = {}
    added = 0
    removed = 0
    for path in paths:
        try:
            before = parent(path)
            after = commit(path)
            now = head(path)
            if now == before:
                continue
            operation = _revert_operation(before, now)
            listing = later_entries if operation == "create" else entries
            error = _revert_refusal(path, operation, settings, listing, was_deleted=after is None)
            if error is not None:
                conflicts[path] = error.code
                continue
            result = before if now == after else _merge_revert(path, before, after, now, files)
        except UnreadableFile as unreadable:
            conflicts[path] = unreadable.code
            continue
        if result != now:
            contents[path] = result
            more, fewer = _revert_line_counts(now, result)
            added += more
            removed += fewer
    if conflicts:
        return RevertResult({}, conflicts)
    return RevertResult(contents, {}, added, removed)


def _without_created_files(paths: Iterable[str], parent: Read, entries: Entries) -> Entries:
    """Return the entries of the head without files that the commit created: the revert deletes these."""
    overlay = Overlay(entries)
    for path in paths:
        with suppress(UnreadableFile):
            if parent(path) is None:
                overlay.record(path, "delete")
    return overlay.entries


def _revert_operation(before: bytes | None, now: bytes | None) -> Operation:
    """Return what the revert does to a file on the branch."""
    if before is None:
        return "delete"
    return "create" if now is None else "edit"


def _revert_refusal(
    path: str, operation: Operation, settings: Settings, entries: Entries, *, was_deleted: bool
) -> PathError | None:
    """Return why the file may not or cannot be changed; None if it can. `was_deleted`: the commit deleted it."""
    error = check_syntax(path, operation) or check_tree(path, operation, entries)
    # No block may write a response file. But a commit that applied such a file deleted it, and the revert restores it.
    if error is None and not (was_deleted and is_response_file(path, settings.response_files)):
        error = check_policy(path, settings)
    return error


def _merge_revert(path: str, before: bytes | None, after: bytes | None, now: bytes | None, files: TextFiles) -> bytes:
    """Return the file on the branch without the changes of the commit. Raises `UnreadableFile`, also for a conflict."""
    conflict = UnreadableFile(ReasonCode.STALE, "")  # only the code is used
    if before is None or after is None or now is None:
        raise conflict
    files.check(path, now)
    base = SourceText.decode(after)
    ours = SourceText.decode(now)
    theirs = SourceText.decode(before)
    lines = _whole_lines(ours)
    merged = merge(_whole_lines(base), lines, _whole_lines(theirs))
    if isinstance(merged, MergeConflict):
        raise conflict
    bom = theirs.bom if ours.bom == base.bom else ours.bom
    data = "".join([bom, *SourceText(lines).with_kept(merged)]).encode()
    files.check_size(path, data)
    return data


def _whole_lines(text: SourceText) -> list[str]:
    """Return the lines with their ends, so that a merge keeps every byte of a kept line."""
    return [line + end for line, end in zip(text.lines, text.ends, strict=True)]


def _revert_line_counts(old: bytes | None, new: bytes | None) -> tuple[int, int]:
    """How many lines are added and removed."""
    before, after = ([line.decode("latin-1") for line in BytesIO(data or b"")] for data in (old, new))
    kept = len(kept_lines(before, after))
    return len(after) - kept, len(before) - kept
