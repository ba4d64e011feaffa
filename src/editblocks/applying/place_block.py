"""Place one block in one text: where it fits and what the text becomes, or why it does not fit.

Pure, and the only place that turns a match into new lines. Rules: docs/reference/formats.md, "applying". What only a
block needs that does not stand in the file as written is imported where it is needed: a hook mostly has none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editblocks.applying import fallbacks, mismatches
from editblocks.applying.options import PlacementOptions
from editblocks.applying.placement import NothingToDo, Placement
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import LevelUnavailable
from editblocks.core.model import EditBlock, Match, Mismatch, Note
from editblocks.core.phrases import after_blocks, plural
from editblocks.matching import exact
from editblocks.matching.align import kept_lines
from editblocks.matching.block_readings import Reading, choice_notes, doubtful, readings, settle
from editblocks.matching.distinctive import is_long
from editblocks.matching.indentation import shift_lines, shift_note, shift_of
from editblocks.text.line_index import find_lines
from editblocks.text.source_text import SourceText


def place_block(
    block: EditBlock, source: SourceText | None, options: PlacementOptions | None = None
) -> Placement | NothingToDo | Mismatch:
    """Find where `block` fits in `source`; None means that there is no file."""
    options = options or PlacementOptions()
    if block.creates_file and not block.splits:
        return create(block, source)
    if source is None:
        return _without_a_file(block, options)
    if not block.splits and block.search == block.replace:
        return NothingToDo(ReasonCode.NO_OP, "old and new lines are equal")
    settled = settle(block, source, options.strategies)
    if isinstance(settled, Mismatch):
        return settled
    reading, notes = settled
    if reading.matches.matches:
        return _at_the_match(block, reading, source, notes, options)
    if block.creates_file:
        return create(block, source)
    return _where_it_does_not_stand(block, reading, source, options)


def _at_the_match(
    block: EditBlock, reading: Reading, source: SourceText, notes: tuple[Note, ...], options: PlacementOptions
) -> Placement | NothingToDo | Mismatch:
    matches = reading.matches
    if options.chosen_line is not None:
        return _at_the_chosen_line(block, reading, source, notes, options)
    if matches.match is None:
        places = [(match.start, match.stop) for match in matches.matches]
        return mismatches.ambiguous(block, source, places, matches.count)
    if matches.strategy != "exact":
        if duplicate := _duplicate_place(block, reading, matches.match, source, options):
            return duplicate
        is_deletion = not any(line.strip(" \t") for line in reading.replace)
        if is_deletion and (matches.strategy == "indentation" or not is_long(reading.search)):
            return mismatches.unsure_deletion(
                block, source, matches.strategy, (matches.match.start, matches.match.stop)
            )
    return _land_at(reading, matches.match, source, notes)


def _at_the_chosen_line(
    block: EditBlock, reading: Reading, source: SourceText, notes: tuple[Note, ...], options: PlacementOptions
) -> Placement | NothingToDo | Mismatch:
    """Place the block where a person chose, which must be a place that SEARCH fits."""
    [strategy] = (strategy for strategy in options.strategies if reading.matches.strategy == strategy.NAME)
    line = None if options.chosen_line is None else source.origins.now(options.chosen_line - 1)
    for match in strategy.find(reading.search, reading.replace, source):
        if match.start == line:
            placement = _land_at(reading, match, source, notes)
            return replace(placement, chosen=True) if isinstance(placement, Placement) else placement
    if fallbacks.stands_at(reading, source, line):
        return fallbacks.there_already(block, line or 0, source)
    places = [(match.start, match.stop) for match in reading.matches.matches]
    if reading.matches.count > 1:
        several = mismatches.ambiguous(block, source, places, reading.matches.count)
        return replace(several, chosen_line=options.chosen_line)
    return mismatches.elsewhere(block, source, places[0], options.chosen_line)


def _where_it_does_not_stand(
    block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions
) -> Placement | NothingToDo | Mismatch:
    """SEARCH is not in the file: is REPLACE there, does a merge find the place, did a person choose one?"""
    notes: list[Note] = []
    base = options.base()
    present = fallbacks.find_replacement(block, reading, source, options)
    # What was there before the change was asked for proves nothing; the merge knows.
    if present and (base is None or not any(exact.find(reading.replace, (), base))):
        return present
    lines = 0 if base is None else len(base.lines) + len(source.lines)
    if lines > options.budget.merged_lines:
        notes.append(Note("base-unknown", "the response asks for too much merging with its base; split it"))
    elif base is not None:
        options.budget.merged_lines -= lines
        placement = place_block(block, base, PlacementOptions(options.strategies))
        if isinstance(placement, Placement):
            merged = fallbacks.merged_with_base(block, source, options, base, placement)
            if options.chosen_line is None or not isinstance(merged, Placement):
                return merged
            return mismatches.elsewhere(block, source, (merged.start, merged.stop), options.chosen_line)
    if present:
        return present
    outcome: Placement | Mismatch | None = None
    for strategy in () if block.splits else options.loose:
        try:
            outcome = outcome or fallbacks.loosely(block, reading, source, strategy, options)
        except LevelUnavailable as error:
            notes.append(Note("level-unavailable", error.message))
    picked = outcome or fallbacks.merge_at_chosen_line(block, reading, source, options)
    if isinstance(picked, NothingToDo):
        return picked
    outcome = picked or mismatches.no_match(block, reading, source, options)
    return replace(outcome, notes=(*outcome.notes, *notes))


def _without_a_file(block: EditBlock, options: PlacementOptions) -> Placement | Mismatch:
    """The new file that exactly one of several readings asks for."""
    created = [reading for reading in readings(block) if _searches_nothing(block, reading)]
    if len(created) != 1 or not block.splits:
        base = options.base()
        if base is not None and isinstance(place_block(block, base, PlacementOptions(options.strategies)), Placement):
            return mismatches.gone(options)
        return Mismatch(ReasonCode.FILE_NOT_FOUND)
    if created[0].is_doubtful:
        return doubtful(block)
    return replace(_new_file_placement(created[0].replace), notes=choice_notes(created[0], len(block.splits)))


def _searches_nothing(block: EditBlock, reading: Reading) -> bool:
    """Whether the block searches for nothing. Blank lines count as text in edit-v2 only."""
    return not reading.search if block.format == "edit-v2" else not any(line.strip(" \t") for line in reading.search)


def line_counts(block: EditBlock) -> tuple[int, int]:
    """How many lines a block adds and removes, wherever it is placed."""
    reading = readings(block)[0]
    kept = len(kept_lines(reading.search, reading.replace))
    return len(reading.replace) - kept, len(reading.search) - kept


def create(block: EditBlock, source: SourceText | None) -> Placement | NothingToDo | Mismatch:
    """Create a file, or fill an empty one. A file with another text is never replaced."""
    placement = _new_file_placement(readings(block)[0].replace)
    if source is None or not source.lines:
        return placement
    file = f"{block.file_path} {after_blocks(source.applied)}" if source.applied else block.file_path
    if source.lines == list(placement.new):
        return NothingToDo(ReasonCode.ALREADY_APPLIED, f"{file} holds this text already", 0)
    lines = plural(len(source.lines), "line")
    return Mismatch(ReasonCode.FILE_EXISTS, f"{file} has {lines} already", "send blocks that edit it")


def _new_file_placement(replace: Sequence[str]) -> Placement:
    lines = list(replace)
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    return Placement("create", "high", 0, 0, tuple(lines))


def _land_at(reading: Reading, match: Match, source: SourceText, notes: tuple[Note, ...]) -> Placement | NothingToDo:
    wanted = reading.replace
    if match.indent or match.outdent:
        # None cannot come: the strategy yields no place that the replacement cannot follow.
        wanted = shift_lines(wanted, match.indent, match.outdent) or []
        notes = (*notes, shift_note(match.indent, match.outdent))
    offset = _insertion_offset(reading, wanted, match, source)
    if offset is not None:
        line = match.start - offset
        where = mismatches.line_label(source, line, line + len(wanted))
        return NothingToDo(ReasonCode.ALREADY_APPLIED, f"the new lines are at {where} already", line)
    kept = kept_lines(reading.search, reading.replace)
    new = tuple(match.start + kept[index] if index in kept else line for index, line in enumerate(wanted))
    if source.has_mixed_ends:
        notes = (*notes, Note("mixed-line-ends", "the file has two kinds of line end; each line keeps its own"))
    matches, shift = reading.matches, shift_of(match.indent, match.outdent)
    return Placement(matches.strategy, matches.confidence, match.start, match.stop, new, notes, shift=shift)


def _insertion_offset(reading: Reading, wanted: Sequence[str], match: Match, source: SourceText) -> int | None:
    """How far above the match all of REPLACE stands already, if REPLACE contains the lines of SEARCH.

    Without this test a second run would insert the same lines once more.
    """
    room = len(wanted) - len(reading.search)
    offsets = list(find_lines(reading.search, "\n".join(("", *reading.replace, "")))) if room > 0 else []
    if not offsets:
        return None
    first = max(0, match.start - room)
    around = [line.rstrip(" \t") for line in source.lines[first : match.start + len(wanted)]]
    starts = set(find_lines([line.rstrip(" \t") for line in wanted], "\n".join(("", *around, ""))))
    return next((offset for offset in offsets if match.start - offset - first in starts), None)


def _duplicate_place(
    block: EditBlock, reading: Reading, match: Match, source: SourceText, options: PlacementOptions
) -> NothingToDo | Mismatch | None:
    """The old lines fit only by tolerance, and the new ones stand in the file.

    Around the place: applied already, as a line that was wrapped still fits, shifted. Elsewhere, as written:
    applied, or still to be? A block that was applied exactly would be applied once more, to a similar text.
    """
    if not any(line.strip(" \t") for line in reading.replace):
        return None
    elsewhere = None
    for strategy in options.strategies:
        for duplicate in strategy.find(reading.replace, reading.replace, source):
            if strategy is exact and (duplicate.start, duplicate.stop) == (match.start, match.stop):
                return NothingToDo(ReasonCode.NO_OP, "the file holds exactly this already")
            if (
                duplicate.start <= match.start
                and match.stop <= duplicate.stop
                and duplicate.stop - duplicate.start > match.stop - match.start
            ):
                return fallbacks.there_already(block, duplicate.start, source)
            if strategy is exact:
                elsewhere = elsewhere or (duplicate.start, duplicate.stop)
    if elsewhere is None:
        return None
    return mismatches.tolerant_duplicate(block, source, reading.matches.strategy, (match.start, match.stop), elsewhere)
