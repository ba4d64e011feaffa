"""Collect why a block does not fit: the places that may have been meant, the first difference, possible reasons.

Nothing here decides or edits, and the sentence is written elsewhere (`core/explain.py`). A place has a pick, such as
`4@48`, only if choosing it would work. Rules: docs/reference/rules.md, "ambiguity" and "diagnosis".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from posixpath import commonprefix

from editblocks.applying.hunks import PlacementOptions
from editblocks.core.blocks import EditBlock, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate, Difference, Hint, Mismatch
from editblocks.core.phrases import line_of
from editblocks.formats.markers import indent_of
from editblocks.matching.align import MergeConflict, Span, common_start, merge
from editblocks.matching.block_readings import Reading
from editblocks.matching.diagnose import (
    Closest,
    closest,
    common_part,
    first_difference,
    hints,
    part_of_a_line,
    text_hints,
)
from editblocks.matching.indentation import filled_lines
from editblocks.matching.ladder import EXACT_FORMATS, Matches, Placement, locate
from editblocks.matching.text_parts import comparable
from editblocks.text.source_text import SourceText, find_in

_MOST_ALIKE = 0.99  # a text that differs only in white space is not the same
_AROUND = 2  # lines that are shown above and below a place
_SHOWN = 200  # characters of a line in a difference
MOST_NAMED = 10  # places of a block whose enclosing name is looked up, a walk up the file

# The name of the definition around a place. Indentation and the usual keywords are enough to tell equal places apart,
# in any language, so no grammar is needed.
_MOST_LINES = 500  # searched above a place
_LONGEST_LINE = 500
_LONGEST_NAME = 80
_WORDS = (
    "def|class|function|func|fun|fn|sub|proc|procedure|method|struct|enum|union|interface|trait|impl|protocol|module"
    "|namespace|object|record|type|table|resource|message|service"
)
_DEFINITION = rf"(?:^|[\s(])(?:{_WORDS})\s+(?:\([^()]*\)\s*)?([\w$.:'\"-]+)"
_CALLABLE = r"([\w$~]+)\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\([^;]*(?:\{|=>)\s*$"
_STATEMENTS = frozenset("if for while switch catch with return elif else do match using lock synchronized".split())

PlaceResult = Placement | Mismatch


def candidate(
    block: EditBlock,
    source: SourceText,
    place: Span,
    similarity: float = 1.0,
    difference: Difference | None = None,
    *,
    is_named: bool = True,
    can_be_chosen: bool = True,
) -> Candidate:
    """Return a place to show. It can be chosen only if all its lines are on the branch.

    If there is a `difference`, lines are numbered as in it. `is_named`: look up the name of the definition around it.
    """
    start, stop = place
    after = source.required_blocks(start, stop) if difference is None else difference.after
    first = number_of(source, start, after)
    last = number_of(source, max(start, stop - 1), after)
    pick = f"{block.number}@{first}" if can_be_chosen and not after else None
    name = enclosing_name(source.lines, start) if is_named else ""
    lines = tuple(source.lines[start:stop])
    above = tuple(source.lines[max(0, start - _AROUND) : start])
    below = tuple(source.lines[stop : stop + _AROUND])
    return Candidate(first, max(first, last), round(similarity, 2), pick, after, lines, above, below, name)


def already_there(source: SourceText, place: Span, path: str, new: str = "the new lines are") -> Mismatch:
    """Return `already-applied`: the new text is at this place. `new`: the name of that text in the message."""
    where = place_name(source, place, path)
    return Mismatch(ReasonCode.ALREADY_APPLIED, f"{new} already at {where}", found_at=place[0])


def place_name(source: SourceText, place: Span, path: str) -> str:
    """Return the path and the line of a place, for a message."""
    after = source.required_blocks(*place)
    return line_of(path, number_of(source, place[0], after), after)


def number_of(source: SourceText, line: int, after: Sequence[int]) -> int:
    """Return the 1-based number of a line: in the text after the blocks `after`; if there are none, on the branch."""
    return line + 1 if after else source.origins.display_number(line)


def stale(block: EditBlock, source: SourceText, base: SourceText, conflict: MergeConflict, commit: str) -> Mismatch:
    """Return `stale`: since the base version, the file changed in the lines that the block changes or next to them."""
    old = base.lines[slice(*conflict.base)]
    new = source.lines[slice(*conflict.ours)]
    same = common_start(old, new)
    first = conflict.base[0] + same
    expected = "".join(base.lines[first : first + 1])  # "" past the last line
    difference = _difference(expected, source, conflict.ours, conflict.ours[0] + same)
    place = candidate(block, source, conflict.ours, difference=difference, can_be_chosen=False)
    return Mismatch(ReasonCode.STALE, candidates=(place,), first_difference=difference, base=commit)


def _difference(expected: str, source: SourceText, place: Span, line: int) -> Difference:
    """Return how `line`, which is in this place or just below it, differs from the expected text."""
    after = source.required_blocks(min(place[0], line), max(place[1], line + 1))
    shown = number_of(source, line, after)
    if line >= len(source.lines):
        return Difference(shown, 1, expected[:_SHOWN], None, after=after)
    actual = source.lines[line]
    column = len(commonprefix([expected, actual])) + 1
    return Difference(shown, column, expected[:_SHOWN], actual[:_SHOWN], after=after)


def no_match(block: EditBlock, reading: Reading, source: SourceText, options: PlacementOptions) -> Mismatch:
    """Return `no-match` for a SEARCH that is not in the file: similar places, the first difference, hints."""
    places = closest(reading.search, source, options.budget)
    facts = Mismatch(
        ReasonCode.NO_MATCH,
        hints=_hints(block, reading, source, places, options),
        after=tuple(source.applied),
        chosen_line=options.chosen_line,
    )
    if not places:
        return facts
    best = places[0]
    first = _first_difference(block, reading, source, best)
    candidates = [_closest(block, reading, source, best, first)]
    candidates += [_closest(block, reading, source, place) for place in places[1:]]
    return facts._replace(
        candidates=tuple(candidates),
        candidates_total=len(candidates),
        first_difference=first,
        similarity=candidates[0].similarity,
        after=source.required_blocks(best.start, best.stop),
    )


def no_allowed_place(block: EditBlock, matches: Matches, source: SourceText) -> Mismatch:
    """Return `no-match` for a SEARCH that is in the file, but at no place that meets the hunk's other conditions."""
    spans = [(each.start, each.stop) for each in matches.others]
    places = tuple(candidate(block, source, span, can_be_chosen=False) for span in spans)
    return Mismatch(
        ReasonCode.NO_MATCH,
        candidates=places,
        candidates_total=len(places),
        level=matches.strategy,
        failed_condition=matches.failed_condition,
    )


def _first_difference(block: EditBlock, reading: Reading, source: SourceText, place: Closest) -> Difference | None:
    """The first line that differs from the block; None if every line is there."""
    is_part = block.call is not None
    found = first_difference(reading.search, source, place, is_part=is_part)
    if found is None:
        return None
    index, line = found
    difference = _difference(reading.search[index], source, (place.start, place.stop), line)
    if is_part and index == 0 and difference.actual is not None:
        _, stop = common_part(reading.search[0], source.lines[line])
        difference = difference._replace(column=stop + 1)
    return difference._replace(section=_section(block, index), search_line=index + 1)


def _closest(
    block: EditBlock, reading: Reading, source: SourceText, place: Closest, difference: Difference | None = None
) -> Candidate:
    """A place that is similar to SEARCH; it can be chosen if the block can be merged into it."""
    span = place.start, place.stop
    merged = merge(reading.search, source.lines[place.start : place.stop], reading.replace)
    is_changed = not isinstance(merged, MergeConflict) and merged != tuple(range(place.stop - place.start))
    similarity = min(place.similarity, _MOST_ALIKE)
    return candidate(block, source, span, similarity, difference, can_be_chosen=is_changed and not block.splits)


def _section(block: EditBlock, index: int) -> str | None:
    """Return the section of an anchored block that holds line `index` of its SEARCH text; None for other blocks."""
    if block.format not in ("edit-v2", "edit-v3") or block.splits:
        return None
    anchor = len(section_lines(block.anchor))
    if index < anchor:
        return "anchor"
    if index < anchor + len(section_lines(block.old_lines)):
        return "old"
    return "trailing-anchor"


def _hints(
    block: EditBlock, reading: Reading, source: SourceText, places: Sequence[Closest], options: PlacementOptions
) -> tuple[Hint, ...]:
    """At most two hints that may explain why SEARCH is not in the file."""
    window = _window(block, reading, source, places)
    others = ((path, text.lines) for path, text in options.other_files())
    of_parts = list(_of_a_part(block, reading, source))
    of_lines = hints(reading.search, reading.replace, window, others)
    if any(each.kind in ("escaped", "spelled") for each in of_parts):
        of_lines = (each for each in of_lines if each.kind != "spelled")
    all_hints = chain(_replace_is_there(reading, source), of_parts, of_lines)
    may_loosen = block.format not in EXACT_FORMATS and not options.loose
    return tuple(each._replace(offers_loose=each.offers_loose and may_loosen) for each in islice(all_hints, 2))


def _window(block: EditBlock, reading: Reading, source: SourceText, places: Sequence[Closest]) -> list[str]:
    """Return the lines of the closest place and some lines around it; no lines if nothing is close."""
    if not places:
        return []
    around = max(2, len(reading.search) // 8)  # as far as the closest place may be off (docs/reference/rules.md)
    first = max(0, places[0].start - around)
    window = source.lines[first : places[0].stop + around]
    if block.call is not None and reading.search[0][:1] not in ("", " ", "\t"):  # SEARCH begins after the indentation
        line = places[0].start - first
        window[line] = window[line].lstrip(" \t")
    return window


def _replace_is_there(reading: Reading, source: SourceText) -> Iterator[Hint]:
    """Yield the hint that REPLACE is in the file, unless it is blank or part of SEARCH."""
    if not filled_lines(reading.replace) or next(find_in(reading.replace, reading.search), None) is not None:
        return
    match = locate(reading.replace, reading.replace, source).match
    if match is not None:
        after = source.required_blocks(match.start, match.stop)
        line = number_of(source, match.start, after)
        yield Hint("there", (line, line), after=after)


def _of_a_part(block: EditBlock, reading: Reading, source: SourceText) -> Iterator[Hint]:
    """Yield the hint that SEARCH is only a part of a line; for a call, which allows that, hints on its spelling."""
    if block.text_call is not None:
        for each in text_hints(comparable(block.text_call.old), source.lines):
            lines = tuple(line and source.origins.display_number(line - 1) for line in each.lines)
            yield each._replace(lines=(lines[0], lines[1]))
        return
    hint = part_of_a_line(reading.search, source.lines)
    if hint is not None:
        number = hint.lines[0]
        after = source.required_blocks(number - 1, number)
        line = source.origins.display_number(number - 1)
        yield hint._replace(lines=(line, line), after=after)


def enclosing_name(lines: Sequence[str], line: int) -> str:
    """Return the name of the definition around `lines[line]` (0-based), such as `checkout`; empty if there is none."""
    if line >= len(lines):
        return ""
    depth = len(indent_of(lines[line]))
    if not depth:  # no definition is around a line without indentation
        return ""
    for text in reversed(lines[max(0, line - _MOST_LINES) : line]):
        if len(text) > _LONGEST_LINE or not text.strip():
            continue
        indent = len(indent_of(text))
        if indent < depth:
            if name := _name(text):
                return name
            depth = indent
    return ""


def _name(text: str) -> str:
    if found := re.search(_DEFINITION, text):
        return found[1].rstrip(":")[:_LONGEST_NAME]
    found = re.search(_CALLABLE, text)
    if found is None or found[1] in _STATEMENTS:
        return ""
    return found[1][:_LONGEST_NAME]
