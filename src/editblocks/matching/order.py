"""What the blocks of an answer say together of the place of one of them: by their order, and by being equal.

Tools that read patches go down the file, so the hunks of one section may place each other. Lines are 0-based, of the
file on the branch. Rules: docs/reference/formats.md, "order of hunks" and "equal blocks".
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from editblocks.core.typed import NamedTuple
from editblocks.text.source_text import SourceText


class Order(NamedTuple):
    """What is known of one block, found when it is asked for."""

    equal_line: Callable[[], int | None]  # where it goes, if there is one place for each block that is equal to it
    line: Callable[[], int | None]  # where it goes, if its section fits in the order of the file in one way alone
    done_line: Callable[[int, SourceText], int | None]  # where its new lines keep that order, if the place breaks it


def _nothing() -> None:
    return None


NO_ORDER = Order(_nothing, _nothing, lambda _line, _now: None)


def bounds(places: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """For each hunk, the lines between which it may begin if all of them begin in strictly ascending lines.

    `places` has the lines at which each may begin, ascending. Those above it stand as high as they can, those below
    it as low as they can. A hunk without any place says nothing of the others.
    """
    above, below = [], []
    low, high = -1, sys.maxsize
    for starts in places:
        above.append(low)
        if starts:
            at = bisect_right(starts, low)
            low = starts[at] if at < len(starts) else sys.maxsize
    for starts in reversed(places):
        below.append(high)
        if starts:
            at = bisect_left(starts, high)
            high = starts[at - 1] if at else -1
    return list(zip(above, reversed(below), strict=True))


def only_order(places: Sequence[Sequence[int]]) -> list[int] | None:
    """Return the one choice of a place for each hunk that is strictly ascending; None if there is none, or several."""
    chosen = []
    for starts, (low, high) in zip(places, bounds(places), strict=True):
        fitting = starts[bisect_right(starts, low) : bisect_left(starts, high)]
        if len(fitting) != 1:
            return None
        chosen.append(fitting[0])
    return chosen
