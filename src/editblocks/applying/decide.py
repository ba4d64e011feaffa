"""Decide about one block and one text: where it fits and what the text becomes, or why it does not fit.

Pure, and the only place that turns a match into new lines. Each answer is as sure as it can be made: a merge that
conflicts is none, two places are ambiguous. Rules: docs/reference/formats.md, "applying" and "matching".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from editblocks.applying import mismatches
from editblocks.applying.whole_files import create, new_file
from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import LevelUnavailable
from editblocks.core.model import Mismatch
from editblocks.core.phrases import plural
from editblocks.matching.align import Match, insertion_offset, keep, kept_lines
from editblocks.matching.block_readings import Reading, choice_notes, doubtful, readings, settle
from editblocks.matching.diagnose import closest
from editblocks.matching.fuzzy import merge_at
from editblocks.matching.indentation import shift_lines, shift_note, shift_of
from editblocks.matching.ladder import (
    MOST_KEPT,
    Budget,
    Placement,
    PlacementOptions,
    find_exact,
    is_distinctive,
    is_long,
    locate,
)
from editblocks.matching.merge import MergeConflict, merge
from editblocks.matching.narrowing import Narrowing, ends_with
from editblocks.text.source_text import SourceText

Outcome = Placement | Mismatch
_MOST_NAMED = 10  # places of a block: each name is a walk up the file


def place_block(block: EditBlock, source: SourceText | None, options: PlacementOptions | None = None) -> Outcome:
    """Find where `block` fits in `source`; None means that there is no file."""
    options = options or PlacementOptions(Budget())
    if block.creates_file and not block.splits:
        return create(block, source, options.whole_files)
    if source is None:
        return _without_a_file(block, options)
    narrowing, old = Narrowing.of(block, source), section_lines(block.search)
    is_hunk = block.action == "edit"  # in which a new line that lost its sign looks like context
    if block.changes_nothing and (not is_hunk or locate(old, old, source, options.strategies, narrowing).total):
        return Mismatch(ReasonCode.NO_OP, "old and new lines are equal")
    if not (block.search or block.splits or block.at_end or block.creates_file):
        return Mismatch(ReasonCode.MALFORMED, "it adds lines and does not say where", "add a line above or below")
    settled = settle(block, source, options.strategies, narrowing)
    if isinstance(settled, Mismatch):
        return settled
    reading, notes = settled
    if reading.matches.matches:
        return _Decision(block, reading, source, options, narrowing).at_the_match(notes)
    if block.creates_file:
        return create(block, source, options.whole_files)
    return _Decision(block, reading, source, options, narrowing).where_it_does_not_stand()


class _Decision:
    """About one block, read in one way, and one text."""

    def __init__(
        self,
        block: EditBlock,
        reading: Reading,
        source: SourceText,
        options: PlacementOptions,
        narrowing: Narrowing,
    ) -> None:
        self.block, self.reading, self.source, self.options = block, reading, source, options
        self.narrowing = narrowing

    def at_the_match(self, notes: tuple[Note, ...]) -> Outcome:
        """SEARCH is in the file: in one place, or where a person chose."""
        matches, match, numbers = self.reading.matches, self.reading.matches.match, self.options.numbers
        if self.options.chosen_line is not None:
            return self._at_the_chosen_line(notes)
        if match is None:
            match = self._at_the_number()
            # Where nothing would be left of a hunk, a second run could not tell that it was there.
            if match is None or numbers is None or not self.reading.replace or not numbers.agree():
                places = dict.fromkeys((match, *matches.matches) if match else matches.matches)
                return self._ambiguous(list(places)[:MOST_KEPT], matches.total)
            what = f"it fits {plural(matches.total, 'place')}, and is put at its own number, line {numbers.before}"
            notes = (*notes, Note("line-chosen", what))
        if numbers and (result := numbers.result_beside(match, self.reading.replace, self.source)):
            return self._twin(match, result)
        if matches.strategy != "exact":
            if not _is_blank(self.reading.replace):
                if duplicate := self._duplicate_place(match):
                    return duplicate
            elif matches.strategy == "indentation" or not is_long(self.reading.search):
                # The lines may be others like those to delete, which are gone already: nothing would show it.
                return self._elsewhere(match)._replace(strategy=matches.strategy)
        return self._land_at(match, notes)

    def _land_at(self, match: Match, notes: tuple[Note, ...]) -> Outcome:
        """Write the new lines here, unless they are here already."""
        reading, wanted = self.reading, self.reading.replace
        if match.indent or match.outdent:
            # None cannot come: the strategy yields no place that the replacement cannot follow.
            wanted = shift_lines(wanted, match.indent, match.outdent) or []
            notes = (*notes, shift_note(match.indent, match.outdent))
        offset = self._insertion_offset(wanted, match)
        if offset is not None:
            there, numbers = match.start - offset, self.options.numbers
            if numbers and self.options.chosen_line is None and numbers.deny(match, there, self.source):
                return self._twin(match, Match(there, there + len(wanted)))
            return self._there_already(there)
        new = keep(reading.search, reading.replace, match.start, wanted)
        if self.source.has_mixed_ends:
            notes = (*notes, Note("mixed-line-ends", "the file has two kinds of line end; each line keeps its own"))
        matches, shift = reading.matches, shift_of(match.indent, match.outdent)
        sure = matches.confidence if matches.match or self.options.chosen_line is not None else "medium"
        return Placement(matches.strategy, sure, match.start, match.stop, new, notes, shift=shift)

    def _insertion_offset(self, wanted: Sequence[str], match: Match) -> int | None:
        """How far above the match all of the new lines stand already."""
        if self.reading.search:
            search, new = self.reading.search, self.reading.replace
            return insertion_offset(search, new, wanted, match.start, self.source.lines)
        ends = wanted, [*wanted, *self.options.tail]  # later blocks may have appended theirs as well
        return next((len(last) for last in ends if ends_with(self.source.lines, last)), None)

    def _at_the_number(self) -> Match | None:
        """The one of several exact places that begins at the line which the block names."""
        search, numbers = self.reading.search, self.options.numbers
        # Of two readings, a number must not choose one.
        if numbers is None or self.reading.matches.strategy != "exact" or self.block.splits:
            return None
        place = numbers.place(search, self.source)
        return place if place and self.narrowing.allows(place, search, self.reading.replace) else None

    def _at_the_chosen_line(self, notes: tuple[Note, ...]) -> Outcome:
        """Place the block where a person chose, which must be a place that SEARCH fits."""
        matches, source = self.reading.matches, self.source
        [strategy] = (strategy for strategy in self.options.strategies if matches.strategy == strategy.name)
        line = source.origins.now((self.options.chosen_line or 0) - 1)
        for match in strategy.find(self.reading.search, self.reading.replace, source):
            if match.start == line and self.narrowing.allows(match, self.reading.search, self.reading.replace):
                placement = self._land_at(match, notes)
                return placement._replace(chosen=True) if isinstance(placement, Placement) else placement
        new = list(self.reading.replace)
        if line is not None and not _is_blank(new) and source.lines[line : line + len(new)] == new:
            return self._there_already(line)
        several = self._ambiguous(matches.matches, matches.total)
        code = several.code if matches.total > 1 else ReasonCode.NO_MATCH
        return several._replace(code=code, chosen_line=self.options.chosen_line)

    def _ambiguous(self, places: Sequence[Match | Placement], count: int) -> Mismatch:
        """SEARCH fits `count` places; `places` are the first of them."""
        candidates = tuple(
            mismatches.candidate(self.block, self.source, (each.start, each.stop), is_named=number < _MOST_NAMED)
            for number, each in enumerate(places)
        )
        level = self.reading.matches.strategy
        return Mismatch(ReasonCode.AMBIGUOUS, candidates=candidates, candidates_total=count, level=level)

    def _elsewhere(self, place: Match | Placement) -> Mismatch:
        """The block fits this place alone, and that is not enough."""
        return self._ambiguous([place], 1)._replace(code=ReasonCode.NO_MATCH)

    def _is_chosen(self, line: int) -> bool:
        head = self.source.origins.head(line)
        return head is not None and head + 1 == self.options.chosen_line

    def _there_already(self, line: int) -> Mismatch:
        place = line, line + len(self.reading.replace)
        where = mismatches.label(self.source, place, self.block.file_path)
        return Mismatch(ReasonCode.ALREADY_APPLIED, f"the new lines are at {where} already", there_at=line)

    def where_it_does_not_stand(self) -> Outcome:
        """SEARCH is not in the file: is REPLACE there, does a merge find the place, did a person choose one?"""
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
                return self._elsewhere(merged)._replace(chosen_line=options.chosen_line)
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
        return self._there_already(match.start)

    def _loosely(self, places: list[Placement]) -> Outcome | None:
        """The place that a looser level finds; of several, the one that a person chose."""
        search, new = self.reading.search, self.reading.replace
        places = [each for each in places if self.narrowing.allows(Match(each.start, each.stop), search, new)]
        if self.options.chosen_line is not None:
            places = [place._replace(chosen=True) for place in places if self._is_chosen(place.start)]
        if not places or (new and next(find_exact(new, (), self.source), None) is not None):
            # Nowhere; or the new lines are in the file already, and this place only resembles the one that was changed.
            return None
        if len(places) > 1:
            strategy = places[0].strategy
            return self._ambiguous(places, len(places))._replace(strategy=strategy, level=strategy)
        return places[0]

    def _merged_at_the_chosen_line(self) -> Outcome | None:
        """Merge the block into a place that is similar to SEARCH, because a person chose that place."""
        for place in closest(self.reading.search, self.source, self.options.budget):
            if self._is_chosen(place.start):
                merged = merge_at(place, self.reading.search, self.reading.replace, self.source)
                if merged is not None and merged.new == merged.kept:
                    return self._there_already(place.start)
                return merged and merged._replace(chosen=True)
        return None

    def _duplicate_place(self, match: Match) -> Mismatch | None:
        """The old lines fit only by tolerance, and the new ones stand in the file.

        Around the place: applied already, as a line that was wrapped still fits, shifted. Elsewhere, as written:
        applied, or still to be? A block that was applied exactly would be applied once more, to a similar text.
        """
        elsewhere, new = None, self.reading.replace
        for strategy in self.options.strategies:
            is_exact = strategy.name == "exact"
            for duplicate in strategy.find(new, new, self.source):
                is_here = (duplicate.start, duplicate.stop) == (match.start, match.stop)
                if is_exact and is_here:
                    return Mismatch(ReasonCode.NO_OP, "the file holds exactly this already")
                if not is_here and duplicate.start <= match.start and match.stop <= duplicate.stop:
                    return self._there_already(duplicate.start)
                if is_exact:
                    elsewhere = elsewhere or duplicate
        return None if elsewhere is None else self._twin(match, elsewhere)

    def _twin(self, place: Match, elsewhere: Match) -> Mismatch:
        """The block fits at `place`, and its new lines stand elsewhere already."""
        spans = [(each.start, each.stop) for each in (place, elsewhere)]
        here, there = (mismatches.candidate(self.block, self.source, span) for span in spans)
        there = there._replace(pick=None)
        return Mismatch(
            ReasonCode.AMBIGUOUS,
            candidates=tuple(sorted((here, there), key=lambda each: each.start_line)),
            candidates_total=2,
            strategy=self.reading.matches.strategy,
            level=self.reading.matches.strategy,
            duplicate=there,
        )


def merged_with_base(
    block: EditBlock, source: SourceText, base: SourceText, placement: Placement, commit: str
) -> Outcome:
    """Three-way merge: apply to `source` what the block changes in `base`, the version it was written for."""
    theirs = base.copy()
    theirs.splice(placement.start, placement.stop, placement.new)
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


def _is_blank(lines: Sequence[str]) -> bool:
    return not any(line.strip(" \t") for line in lines)


def _without_a_file(block: EditBlock, options: PlacementOptions) -> Outcome:
    """The new file that exactly one of several readings asks for."""
    # Blank lines count as text in edit-v2 only.
    is_text = bool if block.format == "edit-v2" else (lambda lines: not _is_blank(lines))
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


def line_counts(block: EditBlock) -> tuple[int, int]:
    """How many lines a block adds and removes, wherever it is placed."""
    reading = readings(block)[0]
    kept = len(kept_lines(reading.search, reading.replace))
    return len(reading.replace) - kept, len(reading.search) - kept
