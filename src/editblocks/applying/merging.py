"""Merge what a block changes in an earlier version of its file with the file as it is now.

Rules: docs/reference/rules.md, "three-way".
"""

from __future__ import annotations

from editblocks.applying import mismatches
from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.matching.align import common_start
from editblocks.matching.ladder import Budget, Placement
from editblocks.matching.merge import MergeConflict, merge
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
