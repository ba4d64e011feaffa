"""Find the place of one block through the other blocks of its answer: by their order, or by equal blocks.

Tools that read patches go down the file, so the hunks of one section may place each other. Lines are 0-based, of the
file on the branch. Rules: docs/reference/rules.md, "ambiguity".
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from editblocks.text.source_text import SourceText


class Order(NamedTuple):
    """What is known of one block, found when it is asked for."""

    equal_line: Callable[[], int | None]  # where it goes, if there is one place for each block that is equal to it
    line: Callable[[], int | None]  # where it goes, if its section fits in the order of the file in one way alone
    done_line: Callable[[int, SourceText], int | None]  # where its new lines keep that order, if the place breaks it
    among_equals: Callable[[], tuple[int, int]]  # how many blocks equal to it come before it, and how many there are


def _nothing() -> None:
    return None


NO_ORDER = Order(_nothing, _nothing, lambda _line, _now: None, lambda: (0, 1))


class Run(NamedTuple):
    """Lines at which a text of a hunk begins, ascending; what changes is `changed` lines, `above` lines further down.

    Changes are compared by their edges: line n begins at 2n + 1 and ends at 2n + 2, and what is inserted above it
    takes the room between 2n and 2n + 1. So an insertion may touch a change on either side, and no other insertion.
    """

    lines: Sequence[int]
    above: int = 0
    changed: int = 1

    def span(self, line: int) -> tuple[int, int]:
        """The edges of the change, if the text begins at `line`."""
        first = line + self.above
        if not self.changed:
            return 2 * first, 2 * first + 1
        return 2 * first + 1, 2 * (first + self.changed)

    def within(self, low: int, high: int) -> range:
        """Which of the lines put the change between two edges, by their index."""
        start = bisect_left(self.lines, low, key=lambda line: self.span(line)[0])
        stop = bisect_right(self.lines, high, key=lambda line: self.span(line)[1])
        return range(start, stop)


def bounds(hunks: Sequence[Sequence[Run]]) -> list[tuple[int, int]]:
    """For each hunk, the edges between which its change has to be if all changes go down the file.

    Those above it stand as high as they can, those below it as low as they can. A hunk that stands nowhere says
    nothing of the others.
    """
    above = []
    low = 0
    for runs in hunks:
        above.append(low)
        low = _highest(runs, low)
    below = []
    high = sys.maxsize
    for runs in reversed(hunks):
        below.append(high)
        high = _lowest(runs, high)
    return list(zip(above, reversed(below), strict=True))


def only_order(hunks: Sequence[Sequence[Run]]) -> list[int] | None:
    """Return the one choice of a line for each hunk that goes down the file; None if there is none, or several."""
    chosen = []
    for runs, (low, high) in zip(hunks, bounds(hunks), strict=True):
        fitting = [run.lines[at] for run in runs for at in run.within(low, high)[:2]]
        if len(fitting) != 1:
            return None
        chosen.append(fitting[0])
    return chosen


def _highest(runs: Sequence[Run], low: int) -> int:
    """The edge below a hunk that stands as high as it can below `low`."""
    if not any(run.lines for run in runs):
        return low
    edges = (run.span(run.lines[at])[1] for run in runs for at in run.within(low, sys.maxsize)[:1])
    return min(edges, default=sys.maxsize)


def _lowest(runs: Sequence[Run], high: int) -> int:
    """The edge above a hunk that stands as low as it can above `high`."""
    if not any(run.lines for run in runs):
        return high
    edges = (run.span(run.lines[at])[0] for run in runs for at in run.within(0, high)[-1:])
    return max(edges, default=-1)
