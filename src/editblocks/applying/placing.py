"""Decide about one block and one text: where it fits and what the text becomes, or why it does not fit.

Pure, and the only module that turns a match into new lines. It does not guess: a merge with a conflict fails, and two
places are ambiguous. Rules: docs/reference/rules.md, "applying" and "matching".
"""

from collections.abc import Sequence
from itertools import islice

from editblocks.applying import mismatches
from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.merging import may_merge, merged_with_base
from editblocks.applying.mismatches import MOST_NAMED, PlaceResult, already_there, candidate
from editblocks.applying.tool_calls import (
    MIXED_ENDS,
    ONE_FOR_EACH,
    compares_lines,
    only_part,
    place_insertion,
    place_part,
)
from editblocks.applying.whole_files import create, new_file
from editblocks.core.blocks import EditBlock, Note, ToolCall, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import LevelUnavailable
from editblocks.core.mismatch import Mismatch
from editblocks.core.phrases import plural
from editblocks.matching.align import insertion_offset, keep, kept_lines
from editblocks.matching.block_readings import Reading, choice_notes, doubtful, readings, settle
from editblocks.matching.diagnose import closest
from editblocks.matching.fuzzy import merge_at
from editblocks.matching.indentation import filled_lines, shift_lines, shift_note, shift_of
from editblocks.matching.ladder import (
    EXACT,
    MOST_KEPT,
    Budget,
    Placement,
    Strategy,
    is_distinctive,
    is_in_file,
    is_long,
    locate,
)
from editblocks.matching.narrowing import Match, Narrowing, ends_with
from editblocks.text.source_text import SourceText

_TRAILING_SPACE = Note("trailing-space-ignored", "blanks at line ends were ignored")


def place_block(block: EditBlock, source: SourceText | None, options: PlacementOptions) -> PlaceResult:
    """Find where `block` fits in `source`, which is None if there is no file."""
    if block.creates_file and not block.splits:
        return create(block, source, options.whole_files)
    if source is None:
        return _without_a_file(block, options)
    if block.call is not None and block.action == "insert-at":
        return place_insertion(block, block.call, source, options)
    if block.text_call is not None:
        return _place_text(block, block.text_call, source, options)
    return _place_lines(block, source, options)


def _place_text(block: EditBlock, call: ToolCall, source: SourceText, options: PlacementOptions) -> PlaceResult:
    """Place a text that may be a part of a line. If it is not in the file as written, place its lines, if they fit."""
    outcome = place_part(block, call, source, options)
    if outcome is not None:
        return outcome
    if not compares_lines(call):
        options = options._replace(strategies=EXACT)
    if options.strategies == EXACT:
        options = options._replace(loose=(), base=lambda: None, chosen_line=None)
    return _place_lines(block, source, options)


def _place_lines(block: EditBlock, source: SourceText, options: PlacementOptions) -> PlaceResult:
    narrowing = Narrowing.of(block, source)
    if block.changes_nothing:
        old = section_lines(block.search)
        # In a hunk, a new line that lost its `+` looks like a context line.
        if block.action != "edit" or locate(old, old, source, options.strategies, narrowing).total:
            return Mismatch(ReasonCode.NO_OP, "the old and new lines are the same")
    if not (block.old_lines or block.search or block.splits or block.at_end or block.creates_file):
        return _without_a_place(block, source, options)
    known = None
    if options.hunks is not None and options.chosen_line is None:
        # Searching the file for each of many equal blocks would take quadratic time.
        known = _exact_place(options.hunks.equal_line(block), readings(block)[0], source, narrowing)
    reading = settle(block, source, options.strategies, narrowing, known)
    if isinstance(reading, Mismatch):
        return reading
    attempt = _Placing(block, reading, source, options, narrowing)
    if reading.matches.matches:
        return attempt.at_a_match(reading.notes, is_known=known is not None)
    if block.creates_file and reading.is_doubtful:
        return doubtful(block)
    if block.creates_file:
        return create(block, source, options.whole_files)
    return attempt.without_a_match()


def place_by_lines(block: EditBlock, source: SourceText, strategies: Sequence[Strategy]) -> Placement | None:
    """Return the placement of a block that is found by its lines only; None if it does not fit."""
    outcome = place_block(block, source, PlacementOptions(Budget(), strategies))
    if isinstance(outcome, Mismatch):
        return None
    return outcome


def line_counts(block: EditBlock) -> tuple[int, int]:
    """How many lines a block adds and removes, wherever it is placed."""
    reading = readings(block)[0]
    kept = len(kept_lines(reading.search, reading.replace))
    return len(reading.replace) - kept, len(reading.search) - kept


def _exact_place(line: int | None, reading: Reading, source: SourceText, narrowing: Narrowing) -> Match | None:
    """Return the exact place at a line (0-based) of the branch; None if a block changed it, or if it is not allowed."""
    if line is None:
        return None
    start = source.origins.current_line(line)
    if start is None or source.required_blocks(start, start + len(reading.search)):
        return None
    place = Match(start, start + len(reading.search))
    return place if narrowing.allows(place, reading.search, reading.replace) else None


def _without_a_place(block: EditBlock, source: SourceText, options: PlacementOptions) -> PlaceResult:
    """Fill an empty file with a hunk that has only new lines. In other files, tools would disagree about the place."""
    # `create`: as in a patch for a new file, each line has a sign, so blank lines at the end are kept.
    filled = create(block._replace(action="create"), source, options.whole_files)
    if not block.scopes and (isinstance(filled, Placement) or filled.code is ReasonCode.ALREADY_APPLIED):
        return filled
    return Mismatch(ReasonCode.MALFORMED, "it adds lines and does not say where", "add a line above or below")


def _without_a_file(block: EditBlock, options: PlacementOptions) -> PlaceResult:
    """Place a block whose file does not exist: create it if exactly one of several readings asks for a new file."""
    creating: list[Reading] = []
    if block.splits and not block.action:
        creating = [reading for reading in readings(block) if not _is_text(reading.search, block.format)]
    if len(creating) == 1:
        [reading] = creating
        if reading.is_doubtful:
            return doubtful(block)
        return new_file(reading.replace, choice_notes(reading, len(block.splits)))
    base = options.base()
    if base is not None and place_by_lines(block, base, options.strategies) is not None:
        return Mismatch(ReasonCode.STALE, base=options.commit)
    return Mismatch(ReasonCode.FILE_NOT_FOUND)


def _is_text(lines: Sequence[str], form: str) -> bool:
    """Whether these lines can be searched for. Blank lines are text only in edit-v2."""
    return bool(lines) if form == "edit-v2" else bool(filled_lines(lines))


class _Placing:
    """The attempt to place one block, in one of its readings, in one text."""

    def __init__(
        self, block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions, narrowing: Narrowing
    ) -> None:
        self.block = block
        self.matches = reading.matches
        self.search = reading.search
        self.new = reading.replace
        self.reading = reading
        self.source = source
        self.options = options
        self.narrowing = narrowing
        self.hunks = options.hunks
        self.numbers = None if options.hunks is None else options.hunks.numbers(block)

    def at_a_match(self, notes: tuple[Note, ...], *, is_known: bool) -> PlaceResult:
        """Choose the place of a SEARCH that is in the file. `is_known`: the order of equal blocks has chosen it."""
        if self.options.chosen_line is not None:
            return self._at_the_chosen_line(notes)
        match = self.matches.match
        if match is None:
            return self._at_one_of_several(notes)
        if is_known:
            notes = (*notes, ONE_FOR_EACH)
        elif (refused := self._applied_in_order(match)) is not None:
            return refused
        return self._write_if_missing(match, notes, self.matches.confidence)

    def _at_one_of_several(self, notes: tuple[Note, ...]) -> PlaceResult:
        """Let a line number or the order of hunks decide. Otherwise list all places, the one at the number first."""
        choice = self._by_number() or self._by_order()
        if choice is not None:
            match, note = choice
            return self._write_if_missing(match, (*notes, note), "medium")
        places = list(self.matches.matches)
        numbered = self._place_at_the_number()
        if numbered is not None:
            places = list(dict.fromkeys((numbered, *places)))
        return self._refuse(ReasonCode.AMBIGUOUS, places[:MOST_KEPT], self.matches.total)

    def _write_if_missing(self, match: Match, notes: tuple[Note, ...], confidence: str) -> PlaceResult:
        """Write the new lines at this place, unless they may already be at another place."""
        numbers = self.numbers
        if numbers and (result := numbers.result_beside(match, self.new, self.source)):
            return self._at_two_places(match, result)
        if self.matches.strategy != "exact":
            if filled_lines(self.new):
                if duplicate := self._duplicate_place(match):
                    return duplicate
            elif self.matches.strategy == "indentation" or not is_long(self.search):
                # The lines to delete may already be gone, and these only similar. Nothing would show the mistake.
                return self._refuse(ReasonCode.NO_MATCH, [match], 1, by=self.matches.strategy)
        return self._write_at(match, notes, confidence)

    def _write_at(
        self, match: Match, notes: tuple[Note, ...], confidence: str, *, is_chosen: bool = False
    ) -> PlaceResult:
        """Write the new lines here, unless they are here already; `is_chosen`: a person chose the place."""
        strategy = self.matches.strategy
        wanted = self.new
        shift = None
        if match.indent or match.outdent:
            # The result is never None: the strategy only yields places for which the replacement can be shifted.
            wanted = shift_lines(wanted, match.indent, match.outdent) or []
            shift = shift_of(match.indent, match.outdent)
            notes = (*notes, shift_note(match.indent, match.outdent))
        elif strategy == "trailing-space":
            notes = (*notes, _TRAILING_SPACE)
        offset = self._insertion_offset(wanted, match)
        if offset is not None:
            start = match.start - offset
            if self.numbers and not is_chosen and self.numbers.contradict(match, start, self.source):
                return self._at_two_places(match, Match(start, start + len(wanted)))
            return self._already_applied(start)
        new = keep(self.search, self.new, match.start, wanted)
        if self.source.has_mixed_ends:
            notes = (*notes, MIXED_ENDS)
        return Placement(strategy, confidence, match.start, match.stop, new, notes, chosen=is_chosen, shift=shift)

    def _insertion_offset(self, wanted: Sequence[str], match: Match) -> int | None:
        """Return how far above the match the new lines begin if all of them are already there; otherwise None."""
        lines = self.source.lines
        if self.search:
            return insertion_offset(self.search, self.new, wanted, match.start, lines)
        tail = () if self.hunks is None else self.hunks.tail(self.block)
        for appended in (wanted, [*wanted, *tail]):  # later blocks may also have appended their lines
            if ends_with(lines, appended):
                return len(appended)
        return None

    def _by_number(self) -> tuple[Match, Note] | None:
        """Return the exact place at the line number of the block, if the number can be trusted; otherwise None."""
        place = self._place_at_the_number()
        numbers = self.numbers
        # If a hunk leaves no line behind, a second run could not tell that it was applied.
        if place is None or numbers is None or not self.new or not numbers.no_other_is_elsewhere():
            return None
        total = plural(self.matches.total, "place")
        what = f"it fits {total}; line {numbers.before} was used, because of the line number in the block"
        return place, Note("line-chosen", what)

    def _by_order(self) -> tuple[Match, Note] | None:
        """Return the only exact place that keeps the hunks of the section in the order of the file, or None."""
        if self.matches.strategy != "exact" or self.hunks is None:
            return None
        line = self.hunks.section(self.block).line(self.block)
        place = _exact_place(line, self.reading, self.source, self.narrowing)
        if place is None:
            return None
        total = plural(self.matches.total, "place")
        line = self.source.origins.display_number(place.start)
        what = f"it fits {total}; line {line} was chosen, because only this keeps the hunks in the order of the file"
        return place, Note("placed-by-order", what)

    def _applied_in_order(self, match: Match) -> Mismatch | None:
        """Refuse a place that breaks the order of the hunks if the new lines are already where the order is kept."""
        line = self.source.origins.original_line(match.start)
        if line is None or self.matches.strategy != "exact" or self.hunks is None:
            return None
        result = self.hunks.section(self.block).applied_line(self.block, line, self.source)
        if result is None:
            return None
        start = self.source.origins.current_line(result)
        if start is None:  # an earlier hunk has just changed these lines
            return self._refuse(ReasonCode.AMBIGUOUS, [match], 1)
        return self._at_two_places(match, Match(start, start + len(self.new)))

    def _place_at_the_number(self) -> Match | None:
        """Return the exact place at the line number of the block, or None."""
        numbers = self.numbers
        if numbers is None or self.block.splits:  # a number must not choose between readings
            return None
        place = numbers.place(self.search, self.source)
        if place is None or not self._allows(place):
            return None
        return place

    def _allows(self, place: Match) -> bool:
        return self.narrowing.allows(place, self.search, self.new)

    def _at_the_chosen_line(self, notes: tuple[Note, ...]) -> PlaceResult:
        """Place the block at the line that a person chose; SEARCH must fit there."""
        [strategy] = (each for each in self.options.strategies if each.name == self.matches.strategy)
        line = self.source.origins.current_line((self.options.chosen_line or 0) - 1)
        for match in strategy.find(self.search, self.new, self.source):
            if match.start == line and self._allows(match):
                return self._write_at(match, notes, self.matches.confidence, is_chosen=True)
        new = list(self.new)
        if line is not None and filled_lines(new) and self.source.lines[line : line + len(new)] == new:
            return self._already_applied(line)
        code = ReasonCode.NO_MATCH if self.matches.match else ReasonCode.AMBIGUOUS
        return self._refuse(code, self.matches.matches, self.matches.total, chosen=True)

    def _refuse(
        self, code: ReasonCode, places: Sequence[Match | Placement], total: int, *, by: str = "", chosen: bool = False
    ) -> Mismatch:
        """Return the refusal of a block that fits `total` places, none of which is used; `places` are the first.

        `by`: how they were found, if that is the reason; `chosen`: a person chose another line.
        """
        candidates = tuple(
            candidate(self.block, self.source, (each.start, each.stop), is_named=number < MOST_NAMED)
            for number, each in enumerate(places)
        )
        return Mismatch(
            code,
            candidates=candidates,
            candidates_total=total,
            strategy=by,
            level=self.matches.strategy,
            chosen_line=self.options.chosen_line if chosen else None,
        )

    def _already_applied(self, line: int) -> Mismatch:
        """Return `already-applied`: the new lines are in the file, from this line (0-based) on."""
        return already_there(self.source, (line, line + len(self.new)), self.block.file_path)

    def _duplicate_place(self, match: Match) -> Mismatch | None:
        """Refuse an approximate match if the new lines are already in the file.

        If the new lines surround the match, the block is already applied: a line that it wrapped still fits, shifted.
        If they are exactly at another place, the block may be applied there, and this text may only be similar.
        """
        elsewhere: Match | None = None
        for strategy in self.options.strategies:
            is_exact = strategy.name == "exact"
            for duplicate in strategy.find(self.new, self.new, self.source):
                is_here = (duplicate.start, duplicate.stop) == (match.start, match.stop)
                if is_exact and is_here:
                    return Mismatch(ReasonCode.NO_OP, "the file already has exactly this text")
                if not is_here and duplicate.start <= match.start and match.stop <= duplicate.stop:
                    return self._already_applied(duplicate.start)
                if is_exact:
                    elsewhere = elsewhere or duplicate
        if elsewhere is None:
            return None
        return self._at_two_places(match, elsewhere)

    def _at_two_places(self, place: Match, elsewhere: Match) -> Mismatch:
        """Return `ambiguous`: the block fits at `place`, and its new lines are already at `elsewhere`."""
        here = candidate(self.block, self.source, (place.start, place.stop))
        span = (elsewhere.start, elsewhere.stop)
        duplicate = candidate(self.block, self.source, span, can_be_chosen=False)
        return Mismatch(
            ReasonCode.AMBIGUOUS,
            candidates=tuple(sorted((here, duplicate), key=lambda each: each.start_line)),
            candidates_total=2,
            strategy=self.matches.strategy,
            level=self.matches.strategy,
            duplicate=duplicate,
        )

    def without_a_match(self) -> PlaceResult:
        """Handle a SEARCH that is not in the file: look for REPLACE, merge with the base, try loose levels."""
        block = self.block
        failed_condition = self.matches.failed_condition
        notes: list[Note] = []
        # A merge does not see the newline at the end of the file.
        base = self.options.base() if block.ends[0] == block.ends[1] else None
        present = self._find_replacement()
        # If the base already had the new text, its presence proves nothing; the merge decides.
        if present and (base is None or not self._has_new_text(base)):
            return present
        if base is not None:
            if not may_merge(base, self.source, self.options.budget):
                notes.append(Note("base-unknown", "the answer needs too much merging with its base; split it"))
            elif (merged := self._merged(base)) is not None:
                return merged
        if present:
            return present
        outcome: PlaceResult | None = None
        if not block.splits:
            if not failed_condition:
                outcome = self._by_loose_levels(notes)
            if outcome is None and self.options.chosen_line is not None:
                outcome = self._merged_at_the_chosen_line()
        if outcome is None and failed_condition:
            outcome = mismatches.no_allowed_place(block, self.matches, self.source)
        if outcome is None:
            outcome = mismatches.no_match(block, self.reading, self.source, self.options)
        scopes = self.narrowing.scopes
        if isinstance(outcome, Mismatch) and scopes is not None:
            if scopes.missing:
                failed_condition = "no-scope"
            outcome = outcome._replace(failed_condition=failed_condition, scopes=scopes.missing or block.scopes)
        return outcome._replace(notes=(*outcome.notes, *notes))

    def _find_replacement(self) -> Mismatch | None:
        """Return `already-applied` if REPLACE is distinctive and is in the file once.

        The text that is most similar to SEARCH must overlap it; otherwise, that text could be the place that was meant.
        """
        new = self.new
        budget = self.options.budget
        if not is_distinctive(self.search, new):
            return None
        narrowing = self.narrowing.of_result()
        match = locate(new, new, self.source, self.options.strategies, narrowing).match
        if self.block.text_call is not None:
            match = only_part(self.block.text_call.new, self.source)
        if match is None or budget.left <= 0:  # no time is left to search for similar text
            return None
        for place in closest(self.search, self.source, budget):
            if narrowing.allows(Match(place.start, place.stop), new, new):
                if place.stop <= match.start or match.stop <= place.start:
                    return None
                break
        return self._already_applied(match.start)

    def _has_new_text(self, source: SourceText) -> bool:
        if self.block.text_call is not None:
            return only_part(self.block.text_call.new, source) is not None
        return is_in_file(self.new, source)

    def _merged(self, base: SourceText) -> PlaceResult | None:
        """Place the block in its base, and merge; None if it does not fit there."""
        placement = place_by_lines(self.block, base, self.options.strategies)
        if placement is None:
            return None
        merged = merged_with_base(self.block, self.source, base, placement, self.options.commit)
        if self.options.chosen_line is None or not isinstance(merged, Placement):
            return merged
        return self._refuse(ReasonCode.NO_MATCH, [merged], 1, chosen=True)

    def _by_loose_levels(self, notes: list[Note]) -> PlaceResult | None:
        """Return what the first successful loose level finds. All are tried: one that is not installed adds a note."""
        outcome = None
        for level in self.options.loose:
            try:
                proposed = level(self.search, self.new, self.source, self.block.file_path, self.options.budget)
                outcome = outcome or self._loosely(list(islice(proposed, MOST_KEPT)))
            except LevelUnavailable as error:
                notes.append(Note("level-unavailable", error.message))
        return outcome

    def _loosely(self, places: list[Placement]) -> PlaceResult | None:
        """Return the only allowed place, or the one that a person chose; several places are `ambiguous`."""
        places = [each for each in places if self._allows(Match(each.start, each.stop))]
        if self.options.chosen_line is not None:
            places = [place._replace(chosen=True) for place in places if self._is_chosen(place.start)]
        if not places or (self.new and is_in_file(self.new, self.source)):
            # No place; or the new lines are already in the file, and this place only resembles the changed one.
            return None
        if len(places) > 1:
            by = places[0].strategy
            return self._refuse(ReasonCode.AMBIGUOUS, places, len(places), by=by)._replace(level=by)
        return places[0]

    def _merged_at_the_chosen_line(self) -> PlaceResult | None:
        """Merge the block into a place that is similar to SEARCH, because a person chose that place."""
        places = closest(self.search, self.source, self.options.budget)
        place = next((place for place in places if self._is_chosen(place.start)), None)
        merged = None if place is None else merge_at(place, self.search, self.new, self.source)
        if merged is None:
            return None
        if merged.new == merged.kept:
            return self._already_applied(merged.start)
        return merged._replace(chosen=True)

    def _is_chosen(self, line: int) -> bool:
        """Whether a person chose the place that begins at this line (0-based)."""
        head = self.source.origins.original_line(line)
        return head is not None and head + 1 == self.options.chosen_line
