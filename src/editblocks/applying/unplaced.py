"""Decide about a block that does not stand in the file as it is: is it done already, can it be merged, what is close?

It is as sure as `decide`, which asks it. Rules: docs/reference/formats.md, "matching".
"""

from __future__ import annotations

from itertools import islice

from editblocks.applying import mismatches
from editblocks.applying.decide import Decision, Outcome, is_blank, place_block
from editblocks.applying.whole_files import new_file
from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import LevelUnavailable
from editblocks.core.model import Mismatch
from editblocks.matching.align import Match
from editblocks.matching.block_readings import choice_notes, doubtful, readings
from editblocks.matching.diagnose import closest
from editblocks.matching.fuzzy import merge_at
from editblocks.matching.ladder import (
    MOST_KEPT,
    Budget,
    Placement,
    PlacementOptions,
    find_exact,
    is_distinctive,
    locate,
)
from editblocks.matching.merge import MergeConflict, merge
from editblocks.text.source_text import SourceText


def where_it_does_not_stand(asked: Decision) -> Outcome:
    """The same decision, now that SEARCH is not in the file."""
    return _Unplaced(asked.block, asked.reading, asked.source, asked.options, asked.narrowing).decide()


class _Unplaced(Decision):
    def decide(self) -> Outcome:
        """Is REPLACE there, does a merge find the place, did a person choose one?"""
        block, reading, source, options = self.block, self.reading, self.source, self.options
        notes: list[Note] = []
        # A merge knows nothing of the newline at the end of the file.
        base = options.base() if block.ends[0] == block.ends[1] else None
        present = self._find_replacement()
        # What was there before the change was asked for proves nothing; the merge knows.
        if present and (base is None or next(find_exact(reading.replace, (), base), None) is None):
            return present
        lines = 0 if base is None else len(base.lines) + len(source.lines)
        if lines > options.budget.merged_lines:
            notes.append(Note("base-unknown", "the response asks for too much merging with its base; split it"))
        elif base is not None:
            options.budget.merged_lines -= lines
            placement = place_block(block, base, PlacementOptions(Budget(), options.strategies))
            if isinstance(placement, Placement):
                merged = merged_with_base(block, source, base, placement, options.commit)
                if options.chosen_line is None or not isinstance(merged, Placement):
                    return merged
                return self.elsewhere(merged)._replace(chosen_line=options.chosen_line)
        if present:
            return present
        outcome: Outcome | None = None
        lacks = reading.matches.lacks
        for level in () if block.splits or lacks else options.loose:
            try:
                proposed = level(reading.search, reading.replace, source, block.file_path, options.budget)
                outcome = outcome or self._loosely(list(islice(proposed, MOST_KEPT)))
            except LevelUnavailable as error:
                notes.append(Note("level-unavailable", error.message))
        if outcome is None and options.chosen_line is not None and not block.splits:
            outcome = self._merged_at_the_chosen_line()
        if outcome is None and lacks:
            outcome = mismatches.does_not_count(block, reading.matches, source)
        outcome = outcome or mismatches.no_match(block, reading, source, options)
        if isinstance(outcome, Mismatch) and (scopes := self.narrowing.scopes):
            lacks = "no-scope" if scopes.missing else lacks
            outcome = outcome._replace(lacks=lacks, scopes=scopes.missing or block.scopes)
        return outcome._replace(notes=(*outcome.notes, *notes))

    def _find_replacement(self) -> Mismatch | None:
        """Whether SEARCH is gone from the file, and REPLACE stands there once and is distinctive.

        Nothing else in the file may resemble SEARCH more: that could be the place that was meant.
        """
        search, new, budget = self.reading.search, self.reading.replace, self.options.budget
        if not is_distinctive(search, new):
            return None
        narrowing = self.narrowing.of_result()
        match = locate(new, new, self.source, self.options.strategies, narrowing).match
        if match is None or budget.left <= 0:  # nothing can be shown any more
            return None
        nearest = closest(search, self.source, budget)
        nearest = [place for place in nearest if narrowing.allows(Match(place.start, place.stop), new, new)][:1]
        if any(place.stop <= match.start or match.stop <= place.start for place in nearest):
            return None
        return self.there_already(match.start)

    def _loosely(self, places: list[Placement]) -> Outcome | None:
        """The place that a looser level finds; of several, the one that a person chose."""
        search, new = self.reading.search, self.reading.replace
        places = [each for each in places if self.narrowing.allows(Match(each.start, each.stop), search, new)]
        if self.options.chosen_line is not None:
            places = [place._replace(chosen=True) for place in places if self.is_chosen(place.start)]
        if not places or (new and next(find_exact(new, (), self.source), None) is not None):
            # Nowhere; or the new lines are in the file already, and this place only resembles the one that was changed.
            return None
        if len(places) > 1:
            strategy = places[0].strategy
            return self.ambiguous(places, len(places))._replace(strategy=strategy, level=strategy)
        return places[0]

    def _merged_at_the_chosen_line(self) -> Outcome | None:
        """Merge the block into a place that is similar to SEARCH, because a person chose that place."""
        for place in closest(self.reading.search, self.source, self.options.budget):
            if self.is_chosen(place.start):
                merged = merge_at(place, self.reading.search, self.reading.replace, self.source)
                if merged is not None and merged.new == merged.kept:
                    return self.there_already(place.start)
                return merged and merged._replace(chosen=True)
        return None


def merged_with_base(
    block: EditBlock, source: SourceText, base: SourceText, placement: Placement, commit: str
) -> Outcome:
    """Three-way merge: apply to `source` what the block changes in `base`, the version it was written for."""
    theirs = base.copy()
    theirs.splice(*placement.change)
    merged = merge(base.lines, source.lines, theirs.lines)
    if isinstance(merged, MergeConflict):
        return mismatches.stale(block, source, base, merged)._replace(base=commit)
    count = len(source.lines)
    if merged == tuple(range(count)):
        what = f"{block.file_path} has this change since {commit[:7]}, the base of this response"
        return Mismatch(ReasonCode.ALREADY_APPLIED, what)
    note = Note("merged", f"merged with what changed since {commit[:7]}, the base of this response")
    start = next((index for index, line in enumerate(merged) if line != index), len(merged))
    below = 0  # lines that stay at the end
    while below < min(len(merged), count) - start and merged[-1 - below] == count - 1 - below:
        below += 1
    new = merged[start : len(merged) - below]
    return Placement("three-way", "medium", start, count - below, new, (*placement.notes, note))


def without_a_file(block: EditBlock, options: PlacementOptions) -> Outcome:
    """There is no such file: the new file that exactly one of several readings asks for."""
    # Blank lines count as text in edit-v2 only.
    is_text = bool if block.format == "edit-v2" else (lambda lines: not is_blank(lines))
    created = [] if block.action else [reading for reading in readings(block) if not is_text(reading.search)]
    if len(created) != 1 or not block.splits:
        base = options.base()
        if base is not None and isinstance(
            place_block(block, base, PlacementOptions(Budget(), options.strategies)), Placement
        ):
            return Mismatch(ReasonCode.STALE, base=options.commit)
        return Mismatch(ReasonCode.FILE_NOT_FOUND)
    if created[0].is_doubtful:
        return doubtful(block)
    return new_file(created[0].replace)._replace(notes=choice_notes(created[0], len(block.splits)))
