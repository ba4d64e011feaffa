"""Why a block does not land: the sentence, every place that may have been meant, the first difference.

Nothing here decides or edits. A place carries a pick, such as `4@48`, only where choosing it would work.
Rules: docs/formats.md, "ambiguity" and "diagnosis"; wording: docs/reasons.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.codes import ReasonCode
from editblocks.line_index import find_lines
from editblocks.matching.diagnose import Closest, closest, first_difference
from editblocks.matching.hints import ADVICE_LOOSE, ELSEWHERE, MOST_HINTS, hints
from editblocks.matching.ladder import locate
from editblocks.matching.merge import Conflict, merge
from editblocks.matching.readings import Reading
from editblocks.model import Candidate, Difference, EditBlock, Mismatch, section_lines
from editblocks.text import SourceText, common_prefix
from editblocks.ways import Ways

_MOST_ALIKE = 0.99  # a text that differs in its white space alone is not the same
_MOST_NAMED = 10
_SHOWN = 200  # characters of a line in a difference

Place = tuple[int, int]  # lines of the text as it is now: 0-based, half-open


def ambiguous(block: EditBlock, source: SourceText, places: Sequence[Place], count: int, how: str = "") -> Mismatch:
    """It fits `count` places, of which these are the first."""
    candidates = tuple(candidate(block, source, place) for place in places)
    numbers = [str(each.start_line) for each in candidates[:_MOST_NAMED]]
    where = ", ".join(numbers[:-1]) + f" and {numbers[-1]}"
    if count > _MOST_NAMED:
        where = ", ".join(numbers) + f" and {count - _MOST_NAMED} more"
    by = f" by {how}" if how else ""
    reason = f"matches{by} at lines {where} of {block.file_path}; add a line above or below"
    return Mismatch(ReasonCode.AMBIGUOUS, reason, candidates, candidates_total=count)


def elsewhere(block: EditBlock, source: SourceText, places: Sequence[Place]) -> Mismatch:
    """It fits one place, not the one that was chosen."""
    candidates = tuple(candidate(block, source, place) for place in places)
    reason = f"its old lines are at line {candidates[0].start_line} of {block.file_path}, not where it was to go"
    return Mismatch(ReasonCode.NO_MATCH, f"{reason}; look at both places", candidates, candidates_total=1)


def not_there(mismatch: Mismatch, pick: int | None) -> Mismatch:
    """The same failure, where a person chose a line that did not help."""
    return mismatch if pick is None else replace(mismatch, reason=f"not at line {pick}: {mismatch.reason}")


def tolerant_twin(block: EditBlock, source: SourceText, strategy: str, place: Place, twin: Place) -> Mismatch:
    """It fits a place by tolerance alone, and its new lines stand at another."""
    chosen = candidate(block, source, place)
    other = replace(candidate(block, source, twin), pick=None)
    candidates = tuple(sorted((chosen, other), key=lambda each: each.start_line))
    reason = (
        f"matches line {chosen.start_line} of {block.file_path} only by tolerance ({strategy}), and the new "
        f"lines are at line {other.start_line} already; write the old lines exactly as they are in the file"
    )
    return Mismatch(ReasonCode.AMBIGUOUS, reason, candidates, candidates_total=2)


def unsure_deletion(block: EditBlock, source: SourceText, strategy: str, place: Place) -> Mismatch:
    """A text that is to go stands there only by tolerance: it may be the twin of one that is gone already.

    A deletion leaves nothing behind by which a second run could tell (docs/design.md, 20).
    """
    found = candidate(block, source, place)
    is_one = found.start_line == found.end_line
    lines = f"line {found.start_line}" if is_one else f"lines {found.start_line}-{found.end_line}"
    where = f"{lines} of {block.file_path} {'fits' if is_one else 'fit'}"
    reason = (
        f"{where} only by tolerance ({strategy}), "
        "too little to delete them; write the old lines exactly as they are in the file"
    )
    return Mismatch(ReasonCode.NO_MATCH, reason, (found,), candidates_total=1)


def stale(block: EditBlock, source: SourceText, base: SourceText, conflict: Conflict, commit: str) -> Mismatch:
    """The file has changed since the base, in the lines that the block changes or next to them."""
    old, new = base.lines[slice(*conflict.base)], source.lines[slice(*conflict.ours)]
    same = next((index for index, lines in enumerate(zip(old, new, strict=False)) if lines[0] != lines[1]), -1)
    same = min(len(old), len(new)) if same < 0 else same
    first, line = conflict.base[0] + same, conflict.ours[0] + same
    expected = base.lines[first] if first < len(base.lines) else ""
    actual = source.lines[line] if line < len(source.lines) else None
    shown = source.origins.shown(line)
    column = common_prefix(expected, actual or "") + 1
    difference = Difference(shown, column, expected[:_SHOWN], actual and actual[:_SHOWN])
    reason = (
        f"{block.file_path}:{shown} changed since {commit[:7]}, the base of this response; "
        "write the block against the lines that are there now"
    )
    return Mismatch(ReasonCode.STALE, reason, (candidate(block, source, conflict.ours, picks=False),), difference)


def gone(block: EditBlock, ways: Ways) -> Mismatch:
    """The file was there in the base, and the block fitted it."""
    reason = f"{block.file_path} was there in {ways.commit[:7]}, the base of this response, and is gone now"
    return Mismatch(ReasonCode.STALE, f"{reason}; leave the block out, or write one that creates the file")


def candidate(
    block: EditBlock, source: SourceText, place: Place, similarity: float = 1.0, *, picks: bool = True
) -> Candidate:
    """A place for people; it can be picked where its first line is the branch's own."""
    start, stop = place
    first = source.origins.shown(start)
    is_pick = picks and source.origins.head(start) is not None
    pick = f"{block.number}@{first}" if is_pick else None
    return Candidate(first, max(first, source.origins.shown(max(start, stop - 1))), round(similarity, 2), pick)


def no_match(block: EditBlock, reading: Reading, source: SourceText, ways: Ways) -> Mismatch:
    """Its old lines are not there: where they nearly are, what differs first, and what may explain it."""
    places = closest(reading.search, source, ways.budget)
    found = tuple(_hints(block, reading, source, places, ways))
    said = "".join(f"; {hint}" for hint in found)
    if not places:
        is_elsewhere = any(hint.startswith(ELSEWHERE) for hint in found)
        advice = "" if is_elsewhere else "; copy the current lines"
        reason = f"its old lines are not in {block.file_path}, and nothing close to them was found{said}{advice}"
        return Mismatch(ReasonCode.NO_MATCH, reason, hints=found)
    candidates = tuple(_closest(block, reading, source, place) for place in places)
    what, first = _first_difference(block, reading, source, places[0])
    best, similarity = candidates[0], candidates[0].similarity
    lines = f"{best.start_line}-{best.end_line}" if best.start_line < best.end_line else f"line {best.start_line}"
    reason = f"{what}; closest is {lines}, {similarity * 100:.0f} % alike{said}"
    return Mismatch(ReasonCode.NO_MATCH, reason, candidates, first, similarity, len(candidates), hints=found)


def _first_difference(
    block: EditBlock, reading: Reading, source: SourceText, place: Closest
) -> tuple[str, Difference | None]:
    """The first line that is not as the block has it, and what to say of it; None where all lines are there."""
    found = first_difference(reading.search, source, place.lines, place.start)
    if found is None:
        return f"the lines of the block are in {block.file_path}, but not together", None
    index, difference = found
    line, section = source.origins.shown(difference.line - 1), _section(block, index)
    first = replace(difference, line=line, section=section)
    above = len(section_lines(block.anchor)) if section == "trailing-anchor" and block.old_lines else 0
    top = place.lines.get(above)
    return _which_differs(block, index, first, None if top is None else source.origins.shown(top)), first


def _which_differs(block: EditBlock, index: int, first: Difference, there: int | None) -> str:
    """The part that differs, and where; `there` is the line at which the part above it stands."""
    if first.section in ("old", "trailing-anchor") and there is not None:
        above, below = "leading anchor is", "old lines differ"
        if first.section == "trailing-anchor":
            above, below = "old lines are" if block.old_lines else "leading anchor is", "trailing anchor differs"
        where = f"the {above} at {block.file_path}:{there}, but the {below} from line {first.line} on"
        return f"{where} (line {index + 1} of the block, column {first.column})"
    part = f" ({first.section})" if first.section else ""
    if first.actual is None:
        return (
            f"line {index + 1} of the block{part} differs from {block.file_path}, which ends before line {first.line}"
        )
    return f"line {index + 1} of the block{part} differs from {block.file_path}:{first.line} at column {first.column}"


def _closest(block: EditBlock, reading: Reading, source: SourceText, place: Closest) -> Candidate:
    """A place that is nearly what was searched for; it can be picked if the block can be merged into it."""
    start, stop = place.start, place.stop
    merged = merge(reading.search, source.lines[start:stop], reading.replace)
    helps = not block.splits and merged.conflict is None and merged.lines != tuple(range(stop - start))
    return candidate(block, source, (start, stop), min(place.similarity, _MOST_ALIKE), picks=helps)


def _section(block: EditBlock, index: int) -> str | None:
    """Which part of an anchored block line `index` of its SEARCH text belongs to."""
    if block.format not in ("edit-v2", "edit-v3") or block.splits:
        return None
    anchor = len(section_lines(block.anchor))
    if index < anchor:
        return "anchor"
    return "old" if index < anchor + len(section_lines(block.old_lines)) else "trailing-anchor"


def _hints(block: EditBlock, reading: Reading, source: SourceText, places: Sequence[Closest], ways: Ways) -> list[str]:
    """At most two things that may explain it."""
    there = _replace_is_there(reading, source)
    window = None
    if places:
        around = max(2, len(reading.search) // 8)  # as far as the closest place may be off (docs/formats.md)
        window = source.lines[max(0, places[0].start - around) : places[0].stop + around]
    others = ((path, text.lines) for path, text in ways.others())
    found = [*there, *hints(reading.search, reading.replace, window, others)][:MOST_HINTS]
    asks = block.format not in ("edit-v2", "edit-v3") and not ways.loose
    return found if asks else [hint.removesuffix(ADVICE_LOOSE) for hint in found]


def _replace_is_there(reading: Reading, source: SourceText) -> Iterator[str]:
    is_part = next(find_lines(reading.replace, "\n".join(("", *reading.search, ""))), None) is not None
    if any(line.strip(" \t") for line in reading.replace) and not is_part:
        match = locate(reading.replace, reading.replace, source).match
        if match is not None:
            yield f"the new lines may be at line {source.origins.shown(match.start)} already"
