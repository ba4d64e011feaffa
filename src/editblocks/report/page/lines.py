"""The lines of a diff as markup: colours, marks and visible characters. The only module that makes markup by itself.

Every piece of foreign text passes through `shown`, which escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from markupsafe import Markup, escape

from editblocks.core.characters import is_hidden
from editblocks.core.typed import NamedTuple
from editblocks.report.escape import cut_middle, name_hidden
from editblocks.report.page.colors import MOST_LINES, colored
from editblocks.report.page.marks import Marker, Spans

LONGEST_LINE = 10_000
_HEAD = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_PLAIN, _BOX = Markup("{}"), Markup("<span class=hidden-char>{}</span>")
_MARKED = {"-": Markup("<del>{}</del>"), "+": Markup("<ins>{}</ins>")}


class Line(NamedTuple):
    """A line of a diff. `sign` is a blank, `-` or `+`; numbers are 1-based, None on the side where it is not."""

    sign: str
    old: int | None
    new: int | None
    text: str
    html: Markup = Markup("")


class Run(NamedTuple):
    """Lines of one kind: unchanged ones, or a change. `is_folded`: unchanged ones that stand around a change."""

    lines: Sequence[Line]
    is_change: bool
    is_folded: bool = False

    @property
    def title(self) -> str:
        """What is folded away."""
        first, last = (line.old or line.new or 0 for line in (self.lines[0], self.lines[-1]))
        count = len(self.lines)
        return f"{count} unchanged line{'s' * (count > 1)}, {first}{f'-{last}' * (count > 1)}"


def shown(text: str) -> Markup:
    """Text as markup; a character that nobody would see is a box with its name. Line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return escape(text)
    return Markup("").join(
        Markup("").join(_BOX.format(name_hidden(char)) for char in part) if hidden else escape("".join(part))
        for hidden, part in groupby(text, lambda char: char not in "\n\t" and is_hidden(char))
    )


class Painter:
    """Makes the markup of one page; what is dear stops when the page has had enough of it."""

    def __init__(self) -> None:
        self._marker = Marker()
        self._lines_left = MOST_LINES

    def runs(self, diff: str, path: str, place: tuple[int, int] | None, *, with_context: bool) -> list[Run]:
        """The runs of a unified diff; context outside of the lines `place` is folded, or left out."""
        lines = list(parse_diff(diff))
        runs = [Run(list(part), is_change) for is_change, part in groupby(lines, lambda line: line.sign != " ")]
        runs = [part for run in runs for part in _fold(run, place)]
        kept = [run for run in runs if with_context or run.is_change]
        painted = iter(self._paint([line for run in kept for line in run.lines], path))
        return [run._replace(lines=[next(painted) for _ in run.lines]) for run in kept]

    def _paint(self, lines: Sequence[Line], path: str) -> list[Line]:
        """The same lines with their markup."""
        self._lines_left -= len(lines)
        sides = [[line for line in lines if line.sign in (" ", sign)] for sign in "-+"]
        pieces: dict[int, list[tuple[str, str]]] = {}
        for side in sides if self._lines_left >= 0 else ():
            pieces.update(zip(map(id, side), colored([line.text for line in side], path), strict=True))
        marks = self._marks(lines)
        return [
            line._replace(html=_markup(line, pieces.get(id(line), [(line.text, "")]), marks.get(id(line), [])))
            for line in lines
        ]

    def _marks(self, lines: Sequence[Line]) -> dict[int, Spans]:
        marks: dict[int, Spans] = {}
        for is_change, part in groupby(lines, lambda line: line.sign != " "):
            run = list(part)
            if is_change:
                sides = [[line for line in run if line.sign == sign] for sign in "-+"]
                found = self._marker.marks(*([line.text for line in side] for side in sides))
                for side, spans in zip(sides, found, strict=True):
                    marks.update(zip(map(id, side), spans, strict=True))
        return marks


def parse_diff(diff: str) -> Iterator[Line]:
    """The lines of the hunks of a unified diff, long ones cut; what is no such line is left out."""
    old = new = 0
    for text in diff.split("\n"):
        if head := _HEAD.fullmatch(text):
            old, new = (int(head[at]) + (head[at + 1] == "0") for at in (1, 3))
            continue
        sign, body = text[:1], cut_middle(text[1:], LONGEST_LINE)
        if sign not in ("-", "+", " "):
            continue
        yield Line(sign, old if sign != "+" else None, new if sign != "-" else None, body)
        old, new = old + (sign != "+"), new + (sign != "-")


def _fold(run: Run, place: tuple[int, int] | None) -> Iterator[Run]:
    """Yield the parts of a run: unchanged lines are folded outside of the block's own lines."""
    if run.is_change:
        yield run
        return
    first, last = place or (0, -1)
    for is_own, part in groupby(run.lines, lambda line: first <= (line.old or 0) <= last):
        yield Run(list(part), is_change=False, is_folded=not is_own)


def _markup(line: Line, pieces: Sequence[tuple[str, str]], marks: Spans) -> Markup:
    """One line: its pieces, cut where marks begin and end."""
    marked = _MARKED.get(line.sign, _PLAIN)
    html, start = [], 0
    edges = sorted({edge for span in marks for edge in span})
    for text, name in pieces:
        stop = start + len(text)
        cuts = [start, *(edge for edge in edges if start < edge < stop), stop]
        for first, last in pairwise(cuts):
            piece = shown(text[first - start : last - start])
            if name:
                piece = Markup("<span class={}>{}</span>").format(name, piece)
            if any(span[0] <= first and last <= span[1] for span in marks) and last > first:
                piece = marked.format(piece)
            html.append(piece)
        start = stop
    return Markup("").join(html)
