"""One block on one text: where it lands, what the text is afterwards, or why it does not land.

Pure, and the only place that turns a match into new lines. Rules: docs/formats.md, "applying".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editblocks.codes import ReasonCode
from editblocks.line_index import find_lines
from editblocks.line_map import LineMap
from editblocks.matching import exact
from editblocks.matching.align import kept_lines
from editblocks.matching.diagnose import Budget, closest, first_difference
from editblocks.matching.indentation import shift_lines
from editblocks.matching.ladder import STRATEGIES, Strategy, locate
from editblocks.matching.readings import Reading, doubtful, readings, resolved, settle
from editblocks.model import Candidate, EditBlock, Match, Mismatch, Note, section_lines
from editblocks.text import SourceText

_MOST_ALIKE = 0.99  # a text that differs in its white space alone is not the same
_DISTINCTIVE_LINES, _DISTINCTIVE_CHARACTERS = 3, 40
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Landed:
    """The block changes lines `start:stop`; `new` is what takes their place, as `SourceText.splice` takes it.

    `strategy` is `create` for a new file, which has no lines to be replaced.
    """

    strategy: str
    confidence: str
    start: int
    stop: int
    new: tuple[str | int, ...]
    notes: tuple[Note, ...] = ()

    @property
    def added(self) -> tuple[str, ...]:
        """The lines that were not in the file."""
        return tuple(line for line in self.new if isinstance(line, str))

    @property
    def removed(self) -> int:
        """How many lines of the file go."""
        return self.stop - self.start - (len(self.new) - len(self.added))


@dataclass(frozen=True, slots=True)
class Fine:
    """Nothing is left to do. `line` (0-based) is where the new text stands already, if anywhere."""

    code: ReasonCode
    reason: str
    line: int | None = None


def land(
    block: EditBlock,
    source: SourceText | None,
    strategies: Sequence[Strategy] = STRATEGIES,
    budget: Budget | None = None,
) -> Landed | Fine | Mismatch:
    """Find where `block` lands on `source`; None means that there is no file."""
    if block.creates_file and not block.splits:
        return create(block, source)
    if source is None:
        return _create_by_reading(block)
    lines = source.origins
    if not block.splits and block.search == block.replace:
        return Fine(ReasonCode.NO_OP, "old and new lines are equal; nothing to do")
    settled = settle(block, source, strategies)
    if isinstance(settled, Mismatch):
        return settled
    reading, notes = settled
    if reading.found.count > 1:
        return _ambiguous(block, reading, lines)
    if reading.found.match is None:
        if block.creates_file:
            return create(block, source)
        present = _already_replaced(block, reading, source, strategies, lines)
        return present or _no_match(block, reading, source, budget, lines)
    if reading.found.strategy != "exact":
        if twin := _exact_twin(block, reading, source, lines):
            return twin
        is_deletion = not any(line.strip(" \t") for line in reading.replace)
        if is_deletion and (reading.found.strategy == "indentation" or not _is_long(reading.search)):
            return _unsure_deletion(block, reading, lines)
    return _land_at(reading, reading.found.match, source, notes, lines)


def _create_by_reading(block: EditBlock) -> Landed | Mismatch:
    """The new file that exactly one of several readings asks for."""
    created = [reading for reading in readings(block) if _searches_nothing(block, reading)]
    if len(created) != 1 or not block.splits:
        return Mismatch(ReasonCode.FILE_NOT_FOUND, f"there is no {block.file_path}; check the path")
    if created[0].is_doubtful:
        return doubtful(block)
    return replace(_created(created[0].replace), notes=resolved(created[0], len(block.splits)))


def _searches_nothing(block: EditBlock, reading: Reading) -> bool:
    """Blank lines are an anchor in edit-v2, and nothing elsewhere."""
    return not reading.search if block.format == "edit-v2" else not any(line.strip(" \t") for line in reading.search)


def line_counts(block: EditBlock) -> tuple[int, int]:
    """How many lines a block asks to add and to remove, wherever it might land."""
    reading = readings(block)[0]
    kept = len(kept_lines(reading.search, reading.replace))
    return len(reading.replace) - kept, len(reading.search) - kept


def create(block: EditBlock, source: SourceText | None) -> Landed | Fine | Mismatch:
    """Create a file, or fill an empty one. A file with another text is never replaced."""
    landed = _created(readings(block)[0].replace)
    if source is None or not source.lines:
        return landed
    if source.lines == list(landed.new):
        return Fine(ReasonCode.ALREADY_APPLIED, f"{block.file_path} holds this text already; nothing to do", 0)
    count = len(source.lines)
    reason = f"{block.file_path} has {count} line{'s' * (count != 1)} already; send blocks that edit it"
    return Mismatch(ReasonCode.FILE_EXISTS, reason)


def _created(replace: Sequence[str]) -> Landed:
    lines = list(replace)
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    return Landed("create", "high", 0, 0, tuple(lines))


def _land_at(
    reading: Reading, match: Match, source: SourceText, notes: tuple[Note, ...], lines: LineMap
) -> Landed | Fine | Mismatch:
    wanted = reading.replace
    if match.indent or match.outdent:
        # None cannot come: the strategy yields no place that the replacement cannot follow.
        wanted = shift_lines(wanted, match.indent, match.outdent) or []
        notes = (*notes, _shift_note(match))
    offset = _insertion_offset(reading, wanted, match, source)
    if offset is not None:
        line = match.start - offset
        return Fine(
            ReasonCode.ALREADY_APPLIED, f"the new lines are at line {lines.shown(line)} already; nothing to do", line
        )
    kept = kept_lines(reading.search, reading.replace)
    new = tuple(match.start + kept[index] if index in kept else line for index, line in enumerate(wanted))
    if source.has_mixed_ends:
        notes = (*notes, Note("mixed-line-ends", "the file has two kinds of line end; each line keeps its own"))
    return Landed(reading.found.strategy, reading.found.confidence, match.start, match.stop, new, notes)


def _shift_note(match: Match) -> Note:
    indent = match.indent or match.outdent
    kind = "tab" if set(indent) == {"\t"} else "space" if set(indent) == {" "} else "character"
    amount = f"{len(indent)} {kind}{'s' * (len(indent) != 1)}"
    side = "right" if match.indent else "left"
    return Note("indentation-shifted", f"shifted {side} by {amount}, REPLACE alike")


def _insertion_offset(reading: Reading, wanted: Sequence[str], match: Match, source: SourceText) -> int | None:
    """How far above the match the whole replacement stands already, when it holds the searched lines itself.

    Without this test a second run would insert the same lines once more.
    """
    room = len(wanted) - len(reading.search)
    if room <= 0:
        return None
    first = max(0, match.start - room)
    around = [line.rstrip(" \t") for line in source.lines[first : match.start + len(wanted)]]
    starts = set(find_lines([line.rstrip(" \t") for line in wanted], "\n".join(("", *around, ""))))
    offsets = find_lines(reading.search, "\n".join(("", *reading.replace, "")))
    return next((offset for offset in offsets if match.start - offset - first in starts), None)


def _exact_twin(block: EditBlock, reading: Reading, source: SourceText, lines: LineMap) -> Fine | Mismatch | None:
    """The old lines fit only by tolerance, and the new ones stand in the file as written.

    Around the place: applied already, as a line that was wrapped still fits, shifted. Elsewhere: applied,
    or still to be? A block that landed exactly would land once more, on a twin (docs/design.md, 3).
    """
    match = reading.found.match
    if match is None or not any(line.strip(" \t") for line in reading.replace):
        return None
    elsewhere = None
    for twin in exact.find(reading.replace, reading.replace, source):
        if (twin.start, twin.stop) == (match.start, match.stop):
            return Fine(ReasonCode.NO_OP, "the file holds exactly this already; nothing to do")
        if twin.start <= match.start and match.stop <= twin.stop:
            return _there_already(block, twin.start, lines)
        elsewhere = elsewhere or twin
    if elsewhere is None:
        return None
    places = sorted((match, elsewhere), key=lambda span: span.start)
    candidates = tuple(_candidate(block, span.start, span.stop, 1.0, lines) for span in places)
    here, there = lines.shown(match.start), lines.shown(elsewhere.start)
    reason = (
        f"matches line {here} of {block.file_path} only by tolerance ({reading.found.strategy}), and the new "
        f"lines are at line {there} already; write the old lines exactly as they are in the file"
    )
    return Mismatch(ReasonCode.AMBIGUOUS, reason, candidates, candidates_total=2)


def _there_already(block: EditBlock, line: int, lines: LineMap) -> Fine:
    reason = f"the new lines are at {block.file_path}:{lines.shown(line)} already; nothing to do"
    return Fine(ReasonCode.ALREADY_APPLIED, reason, line)


def _already_replaced(
    block: EditBlock, reading: Reading, source: SourceText, strategies: Sequence[Strategy], lines: LineMap
) -> Fine | None:
    """The searched text is gone and the new one is there, once, and is no mere brace.

    Nor may anything else resemble the searched text more: that would be a twin of what was meant.
    """
    match = locate(reading.replace, reading.replace, source, strategies).match if _is_distinctive(reading) else None
    if match is None:
        return None
    nearest = closest(reading.search, source)[:1]
    if any(place.stop <= match.start or match.stop <= place.start for place in nearest):
        return None
    return _there_already(block, match.start, lines)


def _is_distinctive(reading: Reading) -> bool:
    lines = {line for line in reading.replace if line.strip(" \t")}
    return _is_long(reading.replace) and bool(lines - set(reading.search))


def _is_long(lines: Sequence[str]) -> bool:
    """Whether so much text stands somewhere by chance hardly ever."""
    filled = [line for line in lines if any(map(str.isalnum, line))]
    characters = sum(len("".join(line.split())) for line in filled)
    return len(filled) >= _DISTINCTIVE_LINES or characters >= _DISTINCTIVE_CHARACTERS


def _unsure_deletion(block: EditBlock, reading: Reading, lines: LineMap) -> Mismatch:
    """A text that is to go stands there only by tolerance: it may be the twin of one that is gone already.

    A deletion leaves nothing behind by which a second run could tell (docs/design.md, 20).
    """
    place = reading.found.matches[0]
    candidate = _candidate(block, place.start, place.stop, 1.0, lines)
    where = f"lines {candidate.start_line}-{candidate.end_line} of {block.file_path}"
    reason = (
        f"{where} fit only by tolerance ({reading.found.strategy}), "
        "too little to delete them; write the old lines exactly as they are in the file"
    )
    return Mismatch(ReasonCode.NO_MATCH, reason, (candidate,), candidates_total=1)


def _ambiguous(block: EditBlock, reading: Reading, lines: LineMap) -> Mismatch:
    count = reading.found.count
    candidates = tuple(_candidate(block, match.start, match.stop, 1.0, lines) for match in reading.found.matches)
    numbers = [str(candidate.start_line) for candidate in candidates[:_MOST_NAMED]]
    where = ", ".join(numbers[:-1]) + f" and {numbers[-1]}"
    if count > _MOST_NAMED:
        where = ", ".join(numbers) + f" and {count - _MOST_NAMED} more"
    reason = f"matches at lines {where} of {block.file_path}; add a line above or below"
    return Mismatch(ReasonCode.AMBIGUOUS, reason, candidates, candidates_total=count)


def _candidate(block: EditBlock, start: int, stop: int, similarity: float, lines: LineMap) -> Candidate:
    """A place for people; it can be picked where its first line is the branch's own."""
    first = lines.shown(start)
    pick = None if lines.head(start) is None else f"{block.number}@{first}"
    return Candidate(first, max(first, lines.shown(stop - 1)), round(similarity, 2), pick)


def _no_match(
    block: EditBlock, reading: Reading, source: SourceText, budget: Budget | None, lines: LineMap
) -> Mismatch:
    places = closest(reading.search, source, budget)
    hint = _replace_is_there(reading, source, lines)
    if not places:
        reason = f"its old lines are not in {block.file_path}, nor any text like them{hint}; copy the current lines"
        return Mismatch(ReasonCode.NO_MATCH, reason)
    candidates = tuple(
        _candidate(block, place.start, place.stop, min(place.similarity, _MOST_ALIKE), lines) for place in places
    )
    difference = first_difference(reading.search, source, places[0].lines, places[0].start)
    first_place = f"{candidates[0].start_line}-{candidates[0].end_line}"
    best = f"closest is {first_place}, {candidates[0].similarity * 100:.0f} % alike{hint}"
    if difference is None:
        reason = f"the lines of the block are in {block.file_path}, but not together; {best}"
        return Mismatch(ReasonCode.NO_MATCH, reason, candidates, None, candidates[0].similarity, len(candidates))
    index, section = difference[0], _section(block, difference[0])
    first = replace(difference[1], line=lines.shown(difference[1].line - 1), section=section)
    where = f"{block.file_path}:{first.line} at column {first.column}"
    if first.actual is None:
        where = f"{block.file_path}, which ends before line {first.line}"
    part = f" ({section.replace('-', ' ')})" if section else ""
    reason = f"line {index + 1} of the block{part} differs from {where}; {best}"
    return Mismatch(ReasonCode.NO_MATCH, reason, candidates, first, candidates[0].similarity, len(candidates))


def _section(block: EditBlock, index: int) -> str | None:
    """Which part of an anchored block line `index` of its SEARCH text belongs to."""
    if block.format not in ("edit-v2", "edit-v3") or block.splits:
        return None
    anchor = len(section_lines(block.anchor))
    if index < anchor:
        return "anchor"
    return "old" if index < anchor + len(section_lines(block.old_lines)) else "trailing-anchor"


def _replace_is_there(reading: Reading, source: SourceText, lines: LineMap) -> str:
    is_blank = not any(line.strip(" \t") for line in reading.replace)
    match = None if is_blank else locate(reading.replace, reading.replace, source).match
    return "" if match is None else f"; the new lines may be at line {lines.shown(match.start)} already"
