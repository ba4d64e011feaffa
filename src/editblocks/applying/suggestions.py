"""Place a suggestion: its thread says which lines of which commit it replaces, so nothing is searched for.

Text that stands in the file twice does not matter. Rules: docs/reference/formats/suggestion.md.
"""

from __future__ import annotations

from editblocks.applying.files import FilePlan
from editblocks.applying.merging import may_merge, merged_with_base
from editblocks.applying.mismatches import Outcome
from editblocks.applying.placing import at_its_own_place
from editblocks.core.blocks import EditBlock, ThreadLines, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.phrases import blocks, named_lines
from editblocks.core.settings import Settings
from editblocks.matching.align import keep
from editblocks.matching.ladder import Placement, PlacementOptions
from editblocks.text.source_text import SourceText

_SEND_AGAIN = "comment on the lines that are there now"


def not_in_the_history(commit: str) -> Mismatch:
    """The lines are of a commit that cannot be read, for example since a force-push."""
    what = f"the comment was made on {commit[:7]}, which is not in the history of this branch"
    return Mismatch(ReasonCode.STALE, what, _SEND_AGAIN)


def place_suggestion(
    block: EditBlock, file: FilePlan, base: SourceText | None, options: PlacementOptions, settings: Settings
) -> Outcome:
    """Replace the lines of the thread, which are lines of `base`, the file at the thread's commit."""
    outcome = _place(block, file, base, options, settings)
    return at_its_own_place(block, file.text, outcome, options.chosen_line)


def _place(
    block: EditBlock, file: FilePlan, base: SourceText | None, options: PlacementOptions, settings: Settings
) -> Outcome:
    thread = block.thread_lines or ThreadLines(0, 0, "")
    source = file.text
    if base is None or not 0 < thread.first <= thread.last <= len(base.lines):
        what = f"{block.file_path} has no line {thread.last} in {thread.commit[:7]}, which the comment was made on"
        return Mismatch(ReasonCode.STALE, what, _SEND_AGAIN)
    if source is None:
        return Mismatch(ReasonCode.STALE, base=thread.commit)
    start = thread.first - 1
    old = base.lines[start : thread.last]
    new = section_lines(block.new_lines)
    if old == new:
        return Mismatch(ReasonCode.NO_OP, "the old and new lines are the same")
    is_unchanged = file.original == base.encode()
    if is_unchanged and (placement := _at_lines(source, start, old, new)) is not None:
        return placement
    if not (settings.three_way or is_unchanged):
        on = f"{thread.commit[:7]}, which the comment was made on"
        what = f"{block.file_path} differs from {on}, and three-way is off"
        return Mismatch(ReasonCode.STALE, what, _SEND_AGAIN)
    if not may_merge(base, source, options.budget):
        return Mismatch(ReasonCode.TOO_LARGE, "the answer needs too much merging", "split it")
    in_base = Placement("", "", start, thread.last, keep(old, new, start))
    merged = merged_with_base(block, source, base, in_base, thread.commit)
    if is_unchanged and isinstance(merged, Mismatch) and merged.code is ReasonCode.STALE:
        lines = named_lines((thread.first, thread.last))
        verb = "changes" if len(source.applied) == 1 else "change"
        return Mismatch(ReasonCode.STALE, f"{blocks(source.applied)} also {verb} {lines}", "choose one")
    return merged


def _at_lines(source: SourceText, start: int, old: list[str], new: list[str]) -> Placement | None:
    """The place in a file that only earlier blocks changed; None if one of them took a line of it."""
    now = [source.origins.now(line) for line in range(start, start + len(old))]
    first = now[0]
    if first is None or now != list(range(first, first + len(now))):
        return None
    return Placement("thread-lines", "high", first, first + len(now), keep(old, new, first))
