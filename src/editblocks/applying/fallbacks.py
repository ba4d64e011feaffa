"""What is tried for a block whose old text is not in the file: is its new text there already, does a merge find the
place, did a person choose one?

Each answer is as sure as it can be made: a merge that conflicts is none, two places are ambiguous.
Rules: docs/reference/formats.md, "matching" and "already applied".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from editblocks.applying import mismatches
from editblocks.applying.options import PlacementOptions
from editblocks.applying.placement import NothingToDo, Placement
from editblocks.core.codes import ReasonCode
from editblocks.core.model import EditBlock, Mismatch, Note, section_lines
from editblocks.matching import exact
from editblocks.matching.block_readings import Reading
from editblocks.matching.diagnose import closest
from editblocks.matching.distinctive import is_distinctive
from editblocks.matching.fuzzy import is_merged_already
from editblocks.matching.ladder import MOST_KEPT, Loose, locate
from editblocks.matching.merge import merge
from editblocks.text.source_text import SourceText


def is_picked(line: int, source: SourceText, options: PlacementOptions) -> bool:
    head = source.origins.head(line)
    return head is not None and head + 1 == options.chosen_line


def stands_at(reading: Reading, source: SourceText, line: int | None) -> bool:
    """Whether the new lines stand at this line, exactly as written, and are not all blank."""
    if line is None or not any(text.strip(" \t") for text in reading.replace):
        return False
    return source.lines[line : line + len(reading.replace)] == list(reading.replace)


def there_already(block: EditBlock, line: int, source: SourceText) -> NothingToDo:
    where = mismatches.place_label(block, source, line, line + len(section_lines(block.replace)))
    return NothingToDo(ReasonCode.ALREADY_APPLIED, f"the new lines are at {where} already", line)


def loosely(
    block: EditBlock, reading: Reading, source: SourceText, strategy: Loose, options: PlacementOptions
) -> Placement | Mismatch | None:
    """The place that a looser level finds; of several, the one that a person chose. Raises `LevelUnavailable`."""
    proposed = strategy.propose(reading.search, reading.replace, source, block.file_path, options.budget)
    places = list(islice(proposed, MOST_KEPT))
    if options.chosen_line is not None:
        places = [place for place in places if is_picked(place.start, source, options)]
    if not places or next(exact.find(reading.replace, (), source) if reading.replace else iter(()), None):
        # Nowhere; or the new lines are in the file already, and this place only resembles the one that was changed.
        return None
    if len(places) > 1:
        spans = [(place.start, place.stop) for place in places]
        return mismatches.ambiguous(block, source, spans, len(places), strategy.NAME)
    [place] = places
    return Placement(
        strategy.NAME,
        strategy.CONFIDENCE,
        place.start,
        place.stop,
        place.new,
        place.notes,
        place.similarity,
        chosen=options.chosen_line is not None,
    )


def merge_at_chosen_line(
    block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions
) -> Placement | NothingToDo | None:
    """Merge the block into a place that is similar to SEARCH, because a person chose that place."""
    if options.chosen_line is None or block.splits:
        return None
    for place in closest(reading.search, source, options.budget):
        if is_picked(place.start, source, options):
            merged = merge(reading.search, source.lines[place.start : place.stop], reading.replace)
            if merged.conflict is None:
                new = tuple(place.start + line if isinstance(line, int) else line for line in merged.lines)
                if is_merged_already(source.lines[place.start : place.stop], new, place, source):
                    return there_already(block, place.start, source)
                return Placement("fuzzy", "low", place.start, place.stop, new, (), place.similarity, chosen=True)
    return None


def merged_with_base(
    block: EditBlock, source: SourceText, options: PlacementOptions, base: SourceText, placement: Placement
) -> Placement | NothingToDo | Mismatch:
    """Three-way merge: apply to the text what the block changes in `base`, the version it was written for."""
    theirs = base.copy()
    theirs.splice(placement.start, placement.stop, placement.new)
    merged = merge(base.lines, source.lines, theirs.lines)
    if merged.conflict is not None:
        return mismatches.stale(block, source, base, placement.start, merged.conflict, commit=options.commit)
    start, stop, new = _changed_part(merged.lines, len(source.lines))
    if not new and start == stop:
        what = f"{block.file_path} has this change since {options.commit[:7]}, the base of this response"
        return NothingToDo(ReasonCode.ALREADY_APPLIED, what)
    note = Note("merged", f"merged with what changed since {options.commit[:7]}, the base of this response")
    return Placement("three-way", "medium", start, stop, new, (*placement.notes, note))


def _changed_part(lines: Sequence[str | int], count: int) -> tuple[int, int, tuple[str | int, ...]]:
    """Which of `count` lines change if `lines` replace them, and into what; an int is the index of a kept line."""
    first = next((index for index, line in enumerate(lines) if line != index), len(lines))
    last = 0
    while last < min(len(lines), count) - first and lines[-1 - last] == count - 1 - last:
        last += 1
    return first, count - last, tuple(lines[first : len(lines) - last])


def find_replacement(
    block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions
) -> NothingToDo | None:
    """Whether SEARCH is gone from the file, and REPLACE stands there once and is distinctive.

    Nothing else in the file may resemble SEARCH more: that could be the place that was meant.
    """
    match = (
        locate(reading.replace, reading.replace, source, options.strategies).match
        if is_distinctive(reading.search, reading.replace)
        else None
    )
    if match is None:
        return None
    if options.budget.left <= 0:  # nothing can be shown any more
        return None
    nearest = closest(reading.search, source, options.budget)[:1]
    if any(place.stop <= match.start or match.stop <= place.start for place in nearest):
        return None
    return there_already(block, match.start, source)
