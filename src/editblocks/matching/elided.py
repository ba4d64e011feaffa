"""`elided`: SEARCH has `...` for lines that it leaves out, and REPLACE leaves out the same lines.

Each piece between two such lines must be in the file exactly as written, only once, and in order. The pieces are
replaced one by one, and the lines between them stay. An elision stands for lines that are indented like itself or
deeper: `    ...` does not reach from one function into the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from editblocks.core.model import Match, Placed
from editblocks.matching import exact
from editblocks.matching.align import kept_lines
from editblocks.matching.budget import Budget
from editblocks.text.source_text import SourceText

NAME = "elided"
CONFIDENCE = "medium"
MOST_ELISIONS = 16  # a limit, as each piece is searched for in the whole file
_LONGEST = 80  # characters of an elision line; nobody writes longer ones
_DOTS = r"[ \t]*(?:\.\.\.|…)[ \t]*"
_ELISION = re.compile(rf"(?:#+|//+|--|;+|%+)?{_DOTS}|/\*{_DOTS}\*/|\{{/\*{_DOTS}\*/\}}|<!--{_DOTS}-->")


def propose(
    search: Sequence[str], replace: Sequence[str], source: SourceText, _path: str, _budget: Budget
) -> Iterator[Placed]:
    """Yield the one place of all pieces, if there is one.

    Nothing is yielded if a piece between two elisions is empty; if REPLACE has text before its first elision or after
    its last where SEARCH has none, as its place is unknown; or if a second run would change the result again.
    """
    placed = _place(search, replace, source)
    if placed is None:
        return
    new, old = _text(placed, source), source.lines[placed.start : placed.stop]
    if new == list(old):
        yield Placed(placed.start, placed.stop, tuple(range(placed.start, placed.stop)))
        return
    result = SourceText([*source.lines[: placed.start], *new, *source.lines[placed.stop :]])
    again = _place(search, replace, result)
    if again is None or _text(again, result) == list(result.lines[again.start : again.stop]):
        yield placed


def _text(placed: Placed, source: SourceText) -> list[str]:
    return [source.lines[line] if isinstance(line, int) else line for line in placed.new]


def _place(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Placed | None:
    old, new = _pieces(search), _pieces(replace)
    if not 1 < len(old) == len(new) <= MOST_ELISIONS + 1 or not all(old[1:-1]) or not any(old):
        return None
    if any(wanted and not piece for piece, wanted in zip(old, new, strict=True)):
        return None
    matches: list[Match] = []
    for piece in filter(None, old):
        places = list(islice(exact.find(piece, piece, source), 2))
        if len(places) != 1 or (matches and places[0].start < matches[-1].stop):
            return None
        matches += places
    if not _stay_in_scope(search, matches, source):
        return None
    return _replace_matches(matches, [(piece, lines) for piece, lines in zip(old, new, strict=True) if piece], source)


def _is_elision(line: str) -> bool:
    return len(line) <= _LONGEST and _ELISION.fullmatch(line.strip(" \t")) is not None


def _pieces(lines: Sequence[str]) -> list[list[str]]:
    """Split lines into the pieces before, between and after the elisions."""
    pieces: list[list[str]] = [[]]
    for line in lines:
        if _is_elision(line):
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def _stay_in_scope(search: Sequence[str], matches: Sequence[Match], source: SourceText) -> bool:
    """Whether every left-out line is indented at least as far as `_least_indentation` of its elision."""
    elisions = [index for index, line in enumerate(search) if _is_elision(line)]
    inner = [index for index in elisions if 0 < index < len(search) - 1]
    for index, (above, below) in zip(inner, pairwise(matches), strict=True):
        least = _least_indentation(search, index)
        for line in source.lines[above.stop : below.start]:
            if line.strip(" \t") and _indentation(line) < least:
                return False
    return True


def _least_indentation(search: Sequence[str], elision: int) -> int:
    """Return the least indentation, in characters, of the lines that line `elision` stands for.

    It is the elision's own or, if that is 0, the lesser one of the lines around it. If the line below is indented
    deeper than the line above, the left-out lines must be so as well.
    """
    above = next((_indentation(line) for line in reversed(search[:elision]) if line.strip(" \t")), 0)
    below = next((_indentation(line) for line in search[elision + 1 :] if line.strip(" \t")), 0)
    own = _indentation(search[elision]) or min(above, below)
    return max(own, above + 1) if below > above else own


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _replace_matches(
    matches: Sequence[Match], wanted: Sequence[tuple[list[str], list[str]]], source: SourceText
) -> Placed:
    start, stop = matches[0].start, matches[-1].stop
    edges = [0, *(match.stop for match in matches)], [*(match.start for match in matches[1:]), len(source.lines)]
    new: list[str | int] = []
    copied = start
    for match, (piece, lines), top, bottom in zip(matches, wanted, *edges, strict=False):
        new += range(copied, match.start)
        if _is_there_already(match, piece, lines, source.lines, range(top, bottom + 1)):
            new += range(match.start, match.stop)
        else:
            kept = kept_lines(piece, lines)
            new += [match.start + kept[index] if index in kept else line for index, line in enumerate(lines)]
        copied = match.stop
    return Placed(start, stop, tuple(new))


def _is_there_already(
    match: Match, piece: Sequence[str], lines: Sequence[str], within: Sequence[str], room: range
) -> bool:
    """Whether new lines that contain the piece itself are in the file around it already; a second run finds that."""
    for offset in exact.find(piece, piece, SourceText(lines)):
        start = match.start - offset.start
        if start in room and start + len(lines) in room and list(within[start : start + len(lines)]) == list(lines):
            return True
    return False
