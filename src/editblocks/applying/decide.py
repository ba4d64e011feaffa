"""Decide about one block and one text: where it fits and what the text becomes, or why it does not fit.

Pure, and the only place that turns a match into new lines. Each answer is as sure as it can be made: a merge that
conflicts is none, two places are ambiguous. Rules: docs/reference/formats.md, "applying" and "matching".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from editblocks.applying import mismatches
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import LevelUnavailable
from editblocks.core.model import EditBlock, Mismatch, Note, section_lines
from editblocks.core.phrases import after_blocks, plural
from editblocks.matching.align import Match, keep, kept_lines
from editblocks.matching.block_readings import Reading, choice_notes, doubtful, readings, settle
from editblocks.matching.diagnose import closest
from editblocks.matching.fuzzy import merge_at
from editblocks.matching.indentation import shift_lines, shift_note, shift_of
from editblocks.matching.ladder import (
    MOST_KEPT,
    NothingToDo,
    Placement,
    PlacementOptions,
    find_exact,
    is_distinctive,
    is_long,
    locate,
)
from editblocks.matching.merge import MergeConflict, merge
from editblocks.text.line_index import find_in
from editblocks.text.source_text import SourceText

Outcome = Placement | NothingToDo | Mismatch


def place_block(block: EditBlock, source: SourceText | None, options: PlacementOptions | None = None) -> Outcome:
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
) -> Outcome:
    matches, match = reading.matches, reading.matches.match
    if options.chosen_line is not None:
        return _at_the_chosen_line(block, reading, source, notes, options)
    if match is None:
        return _ambiguous(block, source, matches.matches, matches.count)
    if matches.strategy != "exact":
        if not _is_blank(reading.replace):
            if duplicate := _duplicate_place(block, reading, match, source, options):
                return duplicate
        elif matches.strategy == "indentation" or not is_long(reading.search):
            # The lines may be others like those to delete, which are gone already: nothing would show it.
            unsure = mismatches.at_places(block, source, [(match.start, match.stop)], ReasonCode.NO_MATCH)
            return replace(unsure, strategy=matches.strategy)
    return _land_at(reading, match, source, notes)


def _at_the_chosen_line(
    block: EditBlock, reading: Reading, source: SourceText, notes: tuple[Note, ...], options: PlacementOptions
) -> Outcome:
    """Place the block where a person chose, which must be a place that SEARCH fits."""
    [strategy] = (strategy for strategy in options.strategies if reading.matches.strategy == strategy.name)
    line = source.origins.now((options.chosen_line or 0) - 1)
    for match in strategy.find(reading.search, reading.replace, source):
        if match.start == line:
            placement = _land_at(reading, match, source, notes)
            return replace(placement, chosen=True) if isinstance(placement, Placement) else placement
    new = list(reading.replace)
    if line is not None and not _is_blank(new) and source.lines[line : line + len(new)] == new:
        return _there_already(block, line, source)
    several = _ambiguous(block, source, reading.matches.matches, reading.matches.count)
    code = several.code if reading.matches.count > 1 else ReasonCode.NO_MATCH
    return replace(several, code=code, chosen_line=options.chosen_line)


def _ambiguous(block: EditBlock, source: SourceText, places: Sequence[Match | Placement], count: int) -> Mismatch:
    """SEARCH fits `count` places; `places` are the first of them."""
    spans = [(place.start, place.stop) for place in places]
    return replace(mismatches.at_places(block, source, spans, ReasonCode.AMBIGUOUS), candidates_total=count)


def _is_blank(lines: Sequence[str]) -> bool:
    return not any(line.strip(" \t") for line in lines)


def _is_chosen(line: int, source: SourceText, options: PlacementOptions) -> bool:
    head = source.origins.head(line)
    return head is not None and head + 1 == options.chosen_line


def _there_already(block: EditBlock, line: int, source: SourceText) -> NothingToDo:
    where = mismatches.label(source, line, line + len(section_lines(block.replace)), block.file_path)
    return NothingToDo(ReasonCode.ALREADY_APPLIED, f"the new lines are at {where} already", line)


def _where_it_does_not_stand(
    block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions
) -> Outcome:
    """SEARCH is not in the file: is REPLACE there, does a merge find the place, did a person choose one?"""
    notes: list[Note] = []
    base = options.base()
    present = _find_replacement(block, reading, source, options)
    # What was there before the change was asked for proves nothing; the merge knows.
    if present and (base is None or next(find_exact(reading.replace, (), base), None) is None):
        return present
    lines = 0 if base is None else len(base.lines) + len(source.lines)
    if lines > options.budget.merged_lines:
        notes.append(Note("base-unknown", "the response asks for too much merging with its base; split it"))
    elif base is not None:
        options.budget.merged_lines -= lines
        placement = place_block(block, base, PlacementOptions(options.strategies))
        if isinstance(placement, Placement):
            merged = _merged_with_base(block, source, options, base, placement)
            if options.chosen_line is None or not isinstance(merged, Placement):
                return merged
            place = merged.start, merged.stop
            elsewhere = mismatches.at_places(block, source, [place], ReasonCode.NO_MATCH)
            return replace(elsewhere, chosen_line=options.chosen_line)
    if present:
        return present
    outcome: Outcome | None = None
    for level in () if block.splits else options.loose:
        try:
            proposed = level(reading.search, reading.replace, source, block.file_path, options.budget)
            outcome = outcome or _loosely(block, reading, source, list(islice(proposed, MOST_KEPT)), options)
        except LevelUnavailable as error:
            notes.append(Note("level-unavailable", error.message))
    if outcome is None and options.chosen_line is not None and not block.splits:
        outcome = _merged_at_the_chosen_line(block, reading, source, options)
    if isinstance(outcome, NothingToDo):
        return outcome
    outcome = outcome or mismatches.no_match(block, reading, source, options)
    return replace(outcome, notes=(*outcome.notes, *notes))


def _find_replacement(
    block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions
) -> NothingToDo | None:
    """Whether SEARCH is gone from the file, and REPLACE stands there once and is distinctive.

    Nothing else in the file may resemble SEARCH more: that could be the place that was meant.
    """
    if not is_distinctive(reading.search, reading.replace):
        return None
    match = locate(reading.replace, reading.replace, source, options.strategies).match
    if match is None or options.budget.left <= 0:  # nothing can be shown any more
        return None
    nearest = closest(reading.search, source, options.budget)[:1]
    if any(place.stop <= match.start or match.stop <= place.start for place in nearest):
        return None
    return _there_already(block, match.start, source)


def _loosely(
    block: EditBlock, reading: Reading, source: SourceText, places: list[Placement], options: PlacementOptions
) -> Placement | Mismatch | None:
    """The place that a looser level finds; of several, the one that a person chose."""
    if options.chosen_line is not None:
        places = [replace(place, chosen=True) for place in places if _is_chosen(place.start, source, options)]
    if not places or (reading.replace and next(find_exact(reading.replace, (), source), None) is not None):
        # Nowhere; or the new lines are in the file already, and this place only resembles the one that was changed.
        return None
    if len(places) > 1:
        return replace(_ambiguous(block, source, places, len(places)), strategy=places[0].strategy)
    return places[0]


def _merged_at_the_chosen_line(
    block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions
) -> Placement | NothingToDo | None:
    """Merge the block into a place that is similar to SEARCH, because a person chose that place."""
    for place in closest(reading.search, source, options.budget):
        if _is_chosen(place.start, source, options):
            merged = merge_at(place, reading.search, reading.replace, source)
            if merged is not None and merged.new == merged.kept:
                return _there_already(block, place.start, source)
            return merged and replace(merged, chosen=True)
    return None


def _merged_with_base(
    block: EditBlock, source: SourceText, options: PlacementOptions, base: SourceText, placement: Placement
) -> Outcome:
    """Three-way merge: apply to the text what the block changes in `base`, the version it was written for."""
    theirs = base.copy()
    theirs.splice(placement.start, placement.stop, placement.new)
    merged = merge(base.lines, source.lines, theirs.lines)
    if isinstance(merged, MergeConflict):
        return replace(mismatches.stale(block, source, base, merged), base=options.commit)
    placement = Placement("three-way", "medium", 0, len(source.lines), merged, placement.notes)
    if merged == placement.kept:
        what = f"{block.file_path} has this change since {options.commit[:7]}, the base of this response"
        return NothingToDo(ReasonCode.ALREADY_APPLIED, what)
    note = Note("merged", f"merged with what changed since {options.commit[:7]}, the base of this response")
    count = len(source.lines)
    start = next((index for index, line in enumerate(merged) if line != index), len(merged))
    below = 0  # lines that stay at the end
    while below < min(len(merged), count) - start and merged[-1 - below] == count - 1 - below:
        below += 1
    new = merged[start : len(merged) - below]
    return Placement("three-way", "medium", start, count - below, new, (*placement.notes, note))


def _without_a_file(block: EditBlock, options: PlacementOptions) -> Placement | Mismatch:
    """The new file that exactly one of several readings asks for."""
    # Blank lines count as text in edit-v2 only.
    is_text = bool if block.format == "edit-v2" else (lambda lines: not _is_blank(lines))
    created = [reading for reading in readings(block) if not is_text(reading.search)]
    if len(created) != 1 or not block.splits:
        base = options.base()
        if base is not None and isinstance(place_block(block, base, PlacementOptions(options.strategies)), Placement):
            return Mismatch(ReasonCode.STALE, base=options.commit)
        return Mismatch(ReasonCode.FILE_NOT_FOUND)
    if created[0].is_doubtful:
        return doubtful(block)
    return replace(_new_file(created[0].replace), notes=choice_notes(created[0], len(block.splits)))


def line_counts(block: EditBlock) -> tuple[int, int]:
    """How many lines a block adds and removes, wherever it is placed."""
    reading = readings(block)[0]
    kept = len(kept_lines(reading.search, reading.replace))
    return len(reading.replace) - kept, len(reading.search) - kept


def create(block: EditBlock, source: SourceText | None) -> Outcome:
    """Create a file, or fill an empty one. A file with another text is never replaced."""
    placement = _new_file(readings(block)[0].replace)
    if source is None or not source.lines:
        return placement
    file = f"{block.file_path} {after_blocks(source.applied)}" if source.applied else block.file_path
    if source.lines == list(placement.new):
        return NothingToDo(ReasonCode.ALREADY_APPLIED, f"{file} holds this text already", 0)
    lines = plural(len(source.lines), "line")
    return Mismatch(ReasonCode.FILE_EXISTS, f"{file} has {lines} already", "send blocks that edit it")


def _new_file(replace: Sequence[str]) -> Placement:
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
        where = mismatches.label(source, line, line + len(wanted))
        return NothingToDo(ReasonCode.ALREADY_APPLIED, f"the new lines are at {where} already", line)
    new = keep(reading.search, reading.replace, match.start, wanted)
    if source.has_mixed_ends:
        notes = (*notes, Note("mixed-line-ends", "the file has two kinds of line end; each line keeps its own"))
    matches, shift = reading.matches, shift_of(match.indent, match.outdent)
    return Placement(matches.strategy, matches.confidence, match.start, match.stop, new, notes, shift=shift)


def _insertion_offset(reading: Reading, wanted: Sequence[str], match: Match, source: SourceText) -> int | None:
    """How far above the match all of REPLACE stands already, if REPLACE contains the lines of SEARCH.

    Without this test a second run would insert the same lines once more.
    """
    room = len(wanted) - len(reading.search)
    offsets = list(find_in(reading.search, reading.replace)) if room > 0 else []
    if not offsets:
        return None
    first = max(0, match.start - room)
    around = [line.rstrip(" \t") for line in source.lines[first : match.start + len(wanted)]]
    starts = set(find_in([line.rstrip(" \t") for line in wanted], around))
    return next((offset for offset in offsets if match.start - offset - first in starts), None)


def _duplicate_place(
    block: EditBlock, reading: Reading, match: Match, source: SourceText, options: PlacementOptions
) -> NothingToDo | Mismatch | None:
    """The old lines fit only by tolerance, and the new ones stand in the file.

    Around the place: applied already, as a line that was wrapped still fits, shifted. Elsewhere, as written:
    applied, or still to be? A block that was applied exactly would be applied once more, to a similar text.
    """
    place, elsewhere = (match.start, match.stop), None
    for strategy in options.strategies:
        is_exact = strategy.name == "exact"
        for duplicate in strategy.find(reading.replace, reading.replace, source):
            span = duplicate.start, duplicate.stop
            if is_exact and span == place:
                return NothingToDo(ReasonCode.NO_OP, "the file holds exactly this already")
            if span != place and duplicate.start <= match.start and match.stop <= duplicate.stop:
                return _there_already(block, duplicate.start, source)
            if is_exact:
                elsewhere = elsewhere or span
    if elsewhere is None:
        return None
    here, there = (mismatches.candidate(block, source, each) for each in (place, elsewhere))
    there = replace(there, pick=None)
    return Mismatch(
        ReasonCode.AMBIGUOUS,
        candidates=tuple(sorted((here, there), key=lambda each: each.start_line)),
        candidates_total=2,
        strategy=reading.matches.strategy,
        duplicate=there,
    )
