"""Decide about one block and one text: where it fits and what the text becomes, or why it does not fit.

Pure, and the only place that turns a match into new lines. Each answer is as sure as it can be made: a merge that
conflicts is none, two places are ambiguous. Rules: docs/reference/formats.md, "applying" and "matching".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.applying.candidates import candidate, label
from editblocks.applying.whole_files import create
from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.model import Mismatch
from editblocks.core.phrases import plural
from editblocks.matching.align import Match, insertion_offset, keep, kept_lines
from editblocks.matching.block_readings import Reading, readings, settle
from editblocks.matching.indentation import shift_lines, shift_note, shift_of
from editblocks.matching.ladder import (
    MOST_KEPT,
    Budget,
    Placement,
    PlacementOptions,
    is_long,
    locate,
)
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
        return _unplaced(block, options)
    narrowing = Narrowing.of(block, source)
    if block.changes_nothing:
        old, is_hunk = section_lines(block.search), block.action == "edit"
        # In a hunk, a new line that lost its sign looks like context.
        if not is_hunk or locate(old, old, source, options.strategies, narrowing).total:
            return Mismatch(ReasonCode.NO_OP, "old and new lines are equal")
    if not (block.old_lines or block.search or block.splits or block.at_end or block.creates_file):
        return _without_a_place(block, source, options)
    known = _among_equals(block, source, options, narrowing)
    settled = settle(block, source, options.strategies, narrowing, known)
    if isinstance(settled, Mismatch):
        return settled
    reading, notes = settled
    if reading.matches.matches:
        return Decision(block, reading, source, options, narrowing).at_the_match(notes, is_known=known is not None)
    if block.creates_file:
        return create(block, source, options.whole_files)
    return _unplaced(block, options, Decision(block, reading, source, options, narrowing))


def _among_equals(
    block: EditBlock, source: SourceText, options: PlacementOptions, narrowing: Narrowing
) -> Match | None:
    """The place of a block that has one among equal blocks. To look for all of them would take quadratic time."""
    if options.chosen_line is not None:
        return None
    return _place_at(options.order.equal_line(), readings(block)[0], source, narrowing)


def _place_at(line: int | None, reading: Reading, source: SourceText, narrowing: Narrowing) -> Match | None:
    """The exact place at a line of the branch, if no block has changed it."""
    start = None if line is None else source.origins.now(line)
    if start is None or source.after(start, start + len(reading.search)):
        return None
    place = Match(start, start + len(reading.search))
    return place if narrowing.allows(place, reading.search, reading.replace) else None


def _without_a_place(block: EditBlock, source: SourceText, options: PlacementOptions) -> Outcome:
    """A hunk of new lines alone fills an empty file; elsewhere two tools would put them in two places."""
    # As in a new file of a patch, each line has a sign of its own.
    filled = create(block._replace(action="create"), source, options.whole_files)
    if not block.scopes and (isinstance(filled, Placement) or filled.code is ReasonCode.ALREADY_APPLIED):
        return filled
    return Mismatch(ReasonCode.MALFORMED, "it adds lines and does not say where", "add a line above or below")


def _unplaced(block: EditBlock, options: PlacementOptions, decision: Decision | None = None) -> Outcome:
    """What becomes of a block that does not stand in its file, or of one whose file is not there."""
    from editblocks.applying import unplaced  # merging, the closest text, hints: a block that fits needs none of it

    return unplaced.without_a_file(block, options) if decision is None else unplaced.where_it_does_not_stand(decision)


class Decision:
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

    def at_the_match(self, notes: tuple[Note, ...], *, is_known: bool = False) -> Outcome:
        """SEARCH is in the file: in one place, where a person chose, or where other blocks show.

        `is_known`: it is the place that the block has among equal ones.
        """
        matches, match, numbers = self.reading.matches, self.reading.matches.match, self.options.numbers
        if self.options.chosen_line is not None:
            return self._at_the_chosen_line(notes)
        sure = matches.confidence
        if match is None:
            sure, found = "medium", self._at_the_number() or self._by_order()
            if found is None:
                return self._ambiguous_at_the_match()
            match, note = found
            notes = (*notes, note)
        elif is_known:
            what = "as many equal blocks ask for this change as there are places for it"
            notes = (*notes, Note("one-for-each", what))
        elif (refused := self._done_in_order(match)) is not None:
            return refused
        if numbers and (result := numbers.result_beside(match, self.reading.replace, self.source)):
            return self.twin(match, result)
        if matches.strategy != "exact":
            if not is_blank(self.reading.replace):
                if duplicate := self._duplicate_place(match):
                    return duplicate
            elif matches.strategy == "indentation" or not is_long(self.reading.search):
                # The lines may be others like those to delete, which are gone already: nothing would show it.
                return self.elsewhere(match)._replace(strategy=matches.strategy)
        return self._land_at(match, notes, sure)

    def _ambiguous_at_the_match(self) -> Mismatch:
        """Nothing decides between several places: they are named, the one at the line number first."""
        matches, numbered = self.reading.matches, self._place_at_the_number()
        places = dict.fromkeys((numbered, *matches.matches) if numbered else matches.matches)
        return self.ambiguous(list(places)[:MOST_KEPT], matches.total)

    def _land_at(self, match: Match, notes: tuple[Note, ...], sure: str) -> Outcome:
        """Write the new lines here, unless they are here already."""
        reading, wanted, shift = self.reading, self.reading.replace, None
        if match.indent or match.outdent:
            # None cannot come: the strategy yields no place that the replacement cannot follow.
            wanted = shift_lines(wanted, match.indent, match.outdent) or []
            shift = shift_of(match.indent, match.outdent)
            notes = (*notes, shift_note(match.indent, match.outdent))
        offset = self._insertion_offset(wanted, match)
        if offset is not None:
            there, numbers = match.start - offset, self.options.numbers
            if numbers and self.options.chosen_line is None and numbers.deny(match, there, self.source):
                return self.twin(match, Match(there, there + len(wanted)))
            return self.there_already(there)
        new = keep(reading.search, reading.replace, match.start, wanted)
        if self.source.has_mixed_ends:
            notes = (*notes, Note("mixed-line-ends", "the file has two kinds of line end; each line keeps its own"))
        return Placement(reading.matches.strategy, sure, match.start, match.stop, new, notes, shift=shift)

    def _insertion_offset(self, wanted: Sequence[str], match: Match) -> int | None:
        """How far above the match all of the new lines stand already."""
        if self.reading.search:
            search, new = self.reading.search, self.reading.replace
            return insertion_offset(search, new, wanted, match.start, self.source.lines)
        ends = wanted, [*wanted, *self.options.tail]  # later blocks may have appended theirs as well
        return next((len(last) for last in ends if ends_with(self.source.lines, last)), None)

    def _at_the_number(self) -> tuple[Match, Note] | None:
        """The one of several exact places that begins at the line which the block names, if that can be trusted."""
        place, numbers = self._place_at_the_number(), self.options.numbers
        # Where nothing would be left of a hunk, a second run could not tell that it was there.
        if place is None or numbers is None or not self.reading.replace or not numbers.agree():
            return None
        total = plural(self.reading.matches.total, "place")
        return place, Note("line-chosen", f"it fits {total}, and is put at its own number, line {numbers.before}")

    def _by_order(self) -> tuple[Match, Note] | None:
        """The one of several exact places that keeps the hunks of its section in the order of the file."""
        place = self._at_line(self.options.order.line())
        if place is None:
            return None
        total, line = plural(self.reading.matches.total, "place"), self.source.origins.shown(place.start)
        what = f"it fits {total}, and is put at line {line}, as only there all hunks stand in the order of the file"
        return place, Note("placed-by-order", what)

    def _at_line(self, line: int | None) -> Match | None:
        """The exact place at a line of the branch, if no block has changed it."""
        if self.reading.matches.strategy != "exact":
            return None
        return _place_at(line, self.reading, self.source, self.narrowing)

    def _done_in_order(self, match: Match) -> Mismatch | None:
        """Refuse a place that breaks the order of the hunks, if the new lines stand where they keep it."""
        line = self.source.origins.head(match.start)
        there = None if line is None else self.options.order.done_line(line, self.source)
        if there is None or self.reading.matches.strategy != "exact":
            return None
        start = self.source.origins.now(there)
        if start is None:  # an earlier hunk has just changed these lines
            return self.ambiguous([match], 1)
        return self.twin(match, Match(start, start + len(self.reading.replace)))

    def _place_at_the_number(self) -> Match | None:
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
                placement = self._land_at(match, notes, matches.confidence)
                return placement._replace(chosen=True) if isinstance(placement, Placement) else placement
        new = list(self.reading.replace)
        if line is not None and not is_blank(new) and source.lines[line : line + len(new)] == new:
            return self.there_already(line)
        several = self.ambiguous(matches.matches, matches.total)
        code = several.code if matches.total > 1 else ReasonCode.NO_MATCH
        return several._replace(code=code, chosen_line=self.options.chosen_line)

    def ambiguous(self, places: Sequence[Match | Placement], count: int) -> Mismatch:
        """SEARCH fits `count` places; `places` are the first of them."""
        candidates = tuple(
            candidate(self.block, self.source, (each.start, each.stop), is_named=number < _MOST_NAMED)
            for number, each in enumerate(places)
        )
        level = self.reading.matches.strategy
        return Mismatch(ReasonCode.AMBIGUOUS, candidates=candidates, candidates_total=count, level=level)

    def elsewhere(self, place: Match | Placement) -> Mismatch:
        """The block fits this place alone, and that is not enough."""
        return self.ambiguous([place], 1)._replace(code=ReasonCode.NO_MATCH)

    def is_chosen(self, line: int) -> bool:
        """Whether a person chose the place that begins at this line (0-based)."""
        head = self.source.origins.head(line)
        return head is not None and head + 1 == self.options.chosen_line

    def there_already(self, line: int) -> Mismatch:
        """The new lines are in the file, from this line on (0-based)."""
        place = line, line + len(self.reading.replace)
        where = label(self.source, place, self.block.file_path)
        return Mismatch(ReasonCode.ALREADY_APPLIED, f"the new lines are at {where} already", there_at=line)

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
                    return self.there_already(duplicate.start)
                if is_exact:
                    elsewhere = elsewhere or duplicate
        return None if elsewhere is None else self.twin(match, elsewhere)

    def twin(self, place: Match, elsewhere: Match) -> Mismatch:
        """The block fits at `place`, and its new lines stand elsewhere already."""
        spans = [(each.start, each.stop) for each in (place, elsewhere)]
        here, there = (candidate(self.block, self.source, span) for span in spans)
        there = there._replace(pick=None)
        return Mismatch(
            ReasonCode.AMBIGUOUS,
            candidates=tuple(sorted((here, there), key=lambda each: each.start_line)),
            candidates_total=2,
            strategy=self.reading.matches.strategy,
            level=self.reading.matches.strategy,
            duplicate=there,
        )


def is_blank(lines: Sequence[str]) -> bool:
    """Whether there is no text in these lines."""
    return not any(line.strip(" \t") for line in lines)


def line_counts(block: EditBlock) -> tuple[int, int]:
    """How many lines a block adds and removes, wherever it is placed."""
    reading = readings(block)[0]
    kept = len(kept_lines(reading.search, reading.replace))
    return len(reading.replace) - kept, len(reading.search) - kept
