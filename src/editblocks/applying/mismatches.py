"""Why a block does not fit: the sentence, every place that may have been meant, the first difference.

Nothing here decides or edits. A place carries a pick, such as `4@48`, only where choosing it would work. What people
are told of lines that an earlier block of the response wrote says so: `line 8 of cart.py after block 1`.
Rules: docs/reference/formats.md, "ambiguity" and "diagnosis"; wording: docs/reference/reasons.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.applying.options import PlacementOptions
from editblocks.core.codes import ReasonCode
from editblocks.core.model import Candidate, Difference, EditBlock, Mismatch, section_lines
from editblocks.core.phrases import after_blocks, before_blocks, join_words
from editblocks.matching.align import kept_lines
from editblocks.matching.block_readings import Reading
from editblocks.matching.diagnose import Closest, closest, first_difference
from editblocks.matching.hints import ADVICE_LOOSE, ELSEWHERE, MOST_HINTS, hints
from editblocks.matching.ladder import locate
from editblocks.matching.merge import MergeConflict, merge
from editblocks.parsing.path_line import as_certain
from editblocks.text.line_index import find_lines
from editblocks.text.source_text import SourceText, common_prefix

_MOST_ALIKE = 0.99  # a text that differs in its white space alone is not the same
_MOST_NAMED = 10
_SHOWN = 200  # characters of a line in a difference

Place = tuple[int, int]  # lines of the text as it is now: 0-based, half-open


def ambiguous(block: EditBlock, source: SourceText, places: Sequence[Place], count: int, how: str = "") -> Mismatch:
    """The block fits `count` places; `places` are the first of them."""
    candidates = tuple(candidate(block, source, place) for place in places)
    by = f" by {how}" if how else ""
    reason = f"matches{by} {_list_places(block, candidates, count)}; add a line above or below"
    return Mismatch(ReasonCode.AMBIGUOUS, reason, candidates, candidates_total=count)


def _list_places(block: EditBlock, candidates: Sequence[Candidate], count: int) -> str:
    """`at lines 12 and 80 of src/app.py`; those that earlier blocks wrote behind those of the file."""
    shown, more = candidates[:_MOST_NAMED], count - min(count, _MOST_NAMED)
    own, written = ([each for each in shown if bool(each.after) is is_written] for is_written in (False, True))
    if not own or not written:
        return f"{_lines(shown, more)} of {block.file_path}{_after_clause(shown[0].after)}"
    return f"{_lines(own)} of {block.file_path}, and {_lines(written, more)}{_after_clause(written[0].after)}"


def _lines(candidates: Sequence[Candidate], more: int = 0) -> str:
    numbers = [str(each.start_line) for each in candidates] + ([f"{more} more"] if more else [])
    return f"at line{'s' * (len(numbers) > 1)} {join_words(numbers)}"


def elsewhere(block: EditBlock, source: SourceText, places: Sequence[Place], pick: int | None) -> Mismatch:
    """The block fits one place, but not line `pick`, which a person chose."""
    candidates = tuple(candidate(block, source, place) for place in places)
    where = f"at line {candidates[0].start_line} of {block.file_path}{_after_clause(candidates[0].after)}"
    reason = f"its old lines are {where}, not at line {pick}{_before(candidates)}"
    return Mismatch(ReasonCode.NO_MATCH, f"{reason}; look at both places", candidates, candidates_total=1)


def not_there(mismatch: Mismatch, pick: int | None) -> Mismatch:
    """The same failure, after a person chose a line where the block does not fit either."""
    if pick is None:
        return mismatch
    return replace(mismatch, reason=f"not at line {pick}{_before(mismatch.candidates)}: {mismatch.reason}")


def _before(candidates: Sequence[Candidate]) -> str:
    """What to say of a line of the branch's file beside places that are counted after some blocks."""
    after = next((each.after for each in candidates if each.after), ())
    return f" as it was {before_blocks(after)}" if after else ""


def tolerant_duplicate(block: EditBlock, source: SourceText, strategy: str, place: Place, duplicate: Place) -> Mismatch:
    """SEARCH fits one place only by tolerance, and REPLACE stands at another place already."""
    chosen = candidate(block, source, place)
    other = replace(candidate(block, source, duplicate), pick=None)
    candidates = tuple(sorted((chosen, other), key=lambda each: each.start_line))
    reason = (
        f"matches line {chosen.start_line} of {block.file_path}{_after_clause(chosen.after)} "
        f"only by tolerance ({strategy}), "
        f"and the new lines are at line {other.start_line}{_after_clause(other.after)} already; "
        "write the old lines exactly as they are in the file"
    )
    return Mismatch(ReasonCode.AMBIGUOUS, reason, candidates, candidates_total=2)


def unsure_deletion(block: EditBlock, source: SourceText, strategy: str, place: Place) -> Mismatch:
    """The text to delete is there only by tolerance: it may be another one like it, and the right one is gone already.

    A deletion leaves nothing in the file that would show a second run that it was done.
    """
    closest = candidate(block, source, place)
    is_one = closest.start_line == closest.end_line
    lines = f"line {closest.start_line}" if is_one else f"lines {closest.start_line}-{closest.end_line}"
    where = f"{lines} of {block.file_path}{_after_clause(closest.after)} {'fits' if is_one else 'fit'}"
    reason = (
        f"{where} only by tolerance ({strategy}), "
        "too little to delete them; write the old lines exactly as they are in the file"
    )
    return Mismatch(ReasonCode.NO_MATCH, reason, (closest,), candidates_total=1)


def stale(
    block: EditBlock, source: SourceText, base: SourceText, start: int, conflict: MergeConflict, *, commit: str
) -> Mismatch:
    """The file has changed since the base version, in the lines that the block changes or next to them.

    `start` is where the block's own lines begin in the base: what changed above them too is not shown.
    """
    first, line = _first_change(base, source, start, conflict)
    expected = base.lines[first] if first < len(base.lines) else ""
    actual = source.lines[line] if line < len(source.lines) else None
    after = _after(source, conflict.ours, line)
    shown = _number(source, line, after)
    column = common_prefix(expected, actual or "") + 1
    difference = Difference(shown, column, expected[:_SHOWN], actual and actual[:_SHOWN], after=after)
    reason = (
        f"{_place(block, shown, after)} changed since {commit[:7]}, the base of this response; "
        "write the block against the lines that are there now"
    )
    place = candidate(block, source, conflict.ours, picks=False, after=after)
    return Mismatch(ReasonCode.STALE, reason, (place,), difference)


def no_file(block: EditBlock, *, is_free: bool) -> Mismatch:
    """The line that should name the file may be prose, and no file has that name; `is_free`: nothing has it."""
    advice = "write the full path on the line above"
    if block.thread_path is not None:
        advice = f"take `{block.file_path}` out and the thread's file, {block.thread_path}, is meant; or {advice}"
    elif block.creates_file and is_free:
        advice = f"if it is the new file's path, {as_certain(block.file_path)}, else {advice}"
    return Mismatch(ReasonCode.NO_PATH, f"`{block.file_path}` is no file here, and no line names one; {advice}")


def _first_change(base: SourceText, source: SourceText, start: int, conflict: MergeConflict) -> tuple[int, int]:
    """The first line of a conflict, from line `start` of the base on, that is another one now: in base and file.

    From its first line on where it lies above that line as a whole: then it only touches what the block changes.
    """
    old, new = base.lines[slice(*conflict.base)], source.lines[slice(*conflict.ours)]
    above = start - conflict.base[0] if conflict.base[0] < start < conflict.base[1] else 0
    before = _counterpart(above, old, new) if above else 0
    pairs = zip(old[above:], new[before:], strict=False)
    most = min(len(old) - above, len(new) - before)
    same = next((index for index, (was, now) in enumerate(pairs) if was != now), most)
    return conflict.base[0] + above + same, conflict.ours[0] + before + same


def _counterpart(line: int, old: Sequence[str], new: Sequence[str]) -> int:
    """The line of `new` that matches this line of `old`: the same one, or the one as far below the last kept line."""
    kept = {was: now for now, was in kept_lines(old, new).items()}
    if line in kept:
        return kept[line]
    last = max((was for was in kept if was < line), default=-1)
    first = kept.get(last, -1) + 1
    return min(first + line - last - 1, max(first, len(new) - 1))


def gone(block: EditBlock, options: PlacementOptions) -> Mismatch:
    """The file existed in the base version, and the block fitted it there."""
    reason = f"{block.file_path} was there in {options.commit[:7]}, the base of this response, and is gone now"
    return Mismatch(ReasonCode.STALE, f"{reason}; leave the block out, or write one that creates the file")


def candidate(
    block: EditBlock,
    source: SourceText,
    place: Place,
    similarity: float = 1.0,
    *,
    picks: bool = True,
    after: tuple[int, ...] | None = None,
) -> Candidate:
    """A place to show to people; it can be chosen if all its lines are on the branch.

    `after`: the blocks after which its lines are to be counted, where that is known.
    """
    start, stop = place
    after = source.after(start, stop) if after is None else after
    first, last = (_number(source, line, after) for line in (start, max(start, stop - 1)))
    pick = f"{block.number}@{first}" if picks and not after else None
    return Candidate(first, max(first, last), round(similarity, 2), pick, after)


def line_label(source: SourceText, start: int, stop: int) -> str:
    """The first of lines `start:stop`, for people: `line 5`, or `line 8 after block 1`."""
    after = source.after(start, stop)
    return f"line {_number(source, start, after)}{_after_clause(after)}"


def place_label(block: EditBlock, source: SourceText, start: int, stop: int) -> str:
    """As `line_label`, with the file: `src/cart.py:5`, or `line 8 of src/cart.py after block 1`."""
    after = source.after(start, stop)
    return _place(block, _number(source, start, after), after)


def _place(block: EditBlock, line: int, after: tuple[int, ...]) -> str:
    return f"line {line} of {block.file_path}{_after_clause(after)}" if after else f"{block.file_path}:{line}"


def _after_clause(after: Sequence[int]) -> str:
    return f" {after_blocks(after)}" if after else ""


def _number(source: SourceText, line: int, after: Sequence[int]) -> int:
    """The 1-based number of a line: of the text as it is after these blocks, or else of the branch's file."""
    return line + 1 if after else source.origins.shown(line)


def _after(source: SourceText, place: Place, line: int) -> tuple[int, ...]:
    """The blocks after which the lines of a place are counted."""
    return source.after(min(place[0], line), max(place[1], line + 1))


def no_match(block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions) -> Mismatch:
    """SEARCH is not in the file: where something similar stands, what differs first, and what may explain it."""
    places = closest(reading.search, source, options.budget)
    hint_lines = tuple(_hints(block, reading, source, places, options))
    hint_clause = "".join(f"; {hint}" for hint in hint_lines)
    if not places:
        is_elsewhere = any(hint.startswith(ELSEWHERE) for hint in hint_lines)
        advice = "" if is_elsewhere else "; copy the current lines"
        where = f"{block.file_path}{_after_clause(source.applied)}"
        reason = f"its old lines are not in {where}, and nothing close to them was found{hint_clause}{advice}"
        return Mismatch(ReasonCode.NO_MATCH, reason, hints=hint_lines)
    what, first = _first_difference(block, reading, source, places[0])
    best = _closest(block, reading, source, places[0], None if first is None else first.after)
    candidates = (best, *(_closest(block, reading, source, place) for place in places[1:]))
    similarity = best.similarity
    lines = f"{best.start_line}-{best.end_line}" if best.start_line < best.end_line else f"line {best.start_line}"
    reason = f"{what}; closest is {lines}, {similarity * 100:.0f} % alike{hint_clause}"
    return Mismatch(ReasonCode.NO_MATCH, reason, candidates, first, similarity, len(candidates), hints=hint_lines)


def _first_difference(
    block: EditBlock, reading: Reading, source: SourceText, place: Closest
) -> tuple[str, Difference | None]:
    """The first line that differs from the block, with its message; None if every line is there."""
    found = first_difference(reading.search, source, place.lines, place.start)
    if found is None:
        after = source.after(place.start, place.stop)
        return f"the lines of the block are in {block.file_path}{_after_clause(after)}, but not together", None
    index, difference = found
    after = _after(source, (place.start, place.stop), difference.line - 1)
    line, section = _number(source, difference.line - 1, after), _section(block, index)
    first = replace(difference, line=line, section=section, after=after)
    above = len(section_lines(block.anchor)) if section == "trailing-anchor" and block.old_lines else 0
    top = place.lines.get(above)
    return _which_differs(block, index, first, None if top is None else _number(source, top, after)), first


def _which_differs(block: EditBlock, index: int, first: Difference, there: int | None) -> str:
    """The part that differs, and where; `there` is the line at which the part above it stands."""
    if first.section in ("old", "trailing-anchor") and there is not None:
        above, below = "leading anchor is", "old lines differ"
        if first.section == "trailing-anchor":
            above, below = "old lines are" if block.old_lines else "leading anchor is", "trailing anchor differs"
        where = f"the {above} at {_place(block, there, first.after)}, but the {below} from line {first.line} on"
        return f"{where} (line {index + 1} of the block, column {first.column})"
    part = f" ({first.section})" if first.section else ""
    if first.actual is None:
        file = f"{block.file_path}{_after_clause(first.after)}"
        return f"line {index + 1} of the block{part} differs from {file}, which ends before line {first.line}"
    comma = "," if first.after else ""
    where = f"{_place(block, first.line, first.after)}{comma} at column {first.column}"
    return f"line {index + 1} of the block{part} differs from {where}"


def _closest(
    block: EditBlock, reading: Reading, source: SourceText, place: Closest, after: tuple[int, ...] | None = None
) -> Candidate:
    """A place that is similar to SEARCH; it can be chosen if the block can be merged into it."""
    start, stop = place.start, place.stop
    merged = merge(reading.search, source.lines[start:stop], reading.replace)
    helps = not block.splits and merged.conflict is None and merged.lines != tuple(range(stop - start))
    return candidate(block, source, (start, stop), min(place.similarity, _MOST_ALIKE), picks=helps, after=after)


def _section(block: EditBlock, index: int) -> str | None:
    """Which part of an anchored block line `index` of its SEARCH text belongs to."""
    if block.format not in ("edit-v2", "edit-v3") or block.splits:
        return None
    anchor = len(section_lines(block.anchor))
    if index < anchor:
        return "anchor"
    return "old" if index < anchor + len(section_lines(block.old_lines)) else "trailing-anchor"


def _hints(
    block: EditBlock, reading: Reading, source: SourceText, places: Sequence[Closest], options: PlacementOptions
) -> list[str]:
    """At most two hints that may explain why SEARCH is not in the file."""
    there = _replace_is_there(reading, source)
    window = None
    if places:
        around = max(2, len(reading.search) // 8)  # as far as the closest place may be off (docs/reference/formats.md)
        window = source.lines[max(0, places[0].start - around) : places[0].stop + around]
    others = ((path, text.lines) for path, text in options.other_files())
    all_hints = [*there, *hints(reading.search, reading.replace, window, others)][:MOST_HINTS]
    asks = block.format not in ("edit-v2", "edit-v3") and not options.loose
    return all_hints if asks else [hint.removesuffix(ADVICE_LOOSE) for hint in all_hints]


def _replace_is_there(reading: Reading, source: SourceText) -> Iterator[str]:
    is_part = next(find_lines(reading.replace, "\n".join(("", *reading.search, ""))), None) is not None
    if any(line.strip(" \t") for line in reading.replace) and not is_part:
        match = locate(reading.replace, reading.replace, source).match
        if match is not None:
            yield f"the new lines may be at {line_label(source, match.start, match.stop)} already"
