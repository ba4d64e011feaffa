"""Which regions of a text another version changes, and which lines that version certainly keeps.

A line counts as kept only if every longest common subsequence keeps it, with the same counterpart. One
that some would keep and others not (one of several blank lines, one of two blocks that changed places)
belongs to the change: where two diffs could disagree, a merge must not depend on the choice.

Common prefix and suffix come first; if more than `MOST_PAIRS` pairs of lines are left, then lines that
are unique in both texts. What lies between is compared line by line, or replaced as a whole if too large.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from editblocks.matching.align import rows

MOST_PAIRS = 1_000_000
_DEEPEST = 8  # unique lines are looked for between unique lines; without an end that could be quadratic


class Change(NamedTuple):
    """Lines `start:stop` of the old text became `new_start:new_stop` of the new one; 0-based, half-open."""

    start: int
    stop: int
    new_start: int
    new_stop: int

    @property
    def is_empty(self) -> bool:
        """Whether there is no line on either side."""
        return self.start == self.stop and self.new_start == self.new_stop

    @property
    def pairs(self) -> int:
        """How many pairs of an old and a new line there are."""
        return (self.stop - self.start) * (self.new_stop - self.new_start)

    def widen(self, above: int, below: int) -> Change:
        """The same with so many equal lines around it."""
        return Change(self.start - above, self.stop + below, self.new_start - above, self.new_stop + below)

    def unite(self, other: Change) -> Change:
        """One region over both; `other` does not start above this one."""
        return Change(self.start, max(self.stop, other.stop), self.new_start, max(self.new_stop, other.new_stop))


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """List the regions that differ, from the top; at least one kept line lies between two of them."""
    gaps = list(_gaps(old, new, Change(0, len(old), 0, len(new)), _DEEPEST))
    tops = [0, *(gap.stop for gap in gaps)]
    bottoms = [*(gap.start for gap in gaps[1:]), len(old)]
    all_changes: list[Change] = []
    for gap, top, bottom in zip(gaps, tops, bottoms, strict=False):
        all_changes += _settle_gap(old, new, gap, gap.start - top, bottom - gap.stop)
    united: list[Change] = []
    for change in sorted(all_changes):  # two gaps may both reach into the lines between them
        touches = united and change.start <= united[-1].stop
        united.append(united.pop().unite(change) if touches else change)
    return united


def _gaps(old: Sequence[str], new: Sequence[str], span: Change, depth: int) -> Iterator[Change]:
    """What is not equal at the top, at the bottom, or by unique lines, where there are too many pairs to compare."""
    start, stop, new_start, new_stop = span
    while start < stop and new_start < new_stop and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < stop and new_start < new_stop and old[stop - 1] == new[new_stop - 1]:
        stop, new_stop = stop - 1, new_stop - 1
    gap = Change(start, stop, new_start, new_stop)
    anchors = _anchors(old, new, gap) if depth and gap.pairs > MOST_PAIRS else []
    if not anchors:
        if not gap.is_empty:
            yield gap
        return
    edges = [(start - 1, new_start - 1), *anchors, (stop, new_stop)]
    for (above, new_above), (below, new_below) in pairwise(edges):
        if above + 1 < below or new_above + 1 < new_below:
            yield from _gaps(old, new, Change(above + 1, below, new_above + 1, new_below), depth - 1)


def _anchors(old: Sequence[str], new: Sequence[str], gap: Change) -> list[tuple[int, int]]:
    """Pairs of lines that are unique on both sides, as many as there are in the same order."""
    places = _unique(old, gap.start, gap.stop)
    pairs = [
        (places[line], index) for line, index in _unique(new, gap.new_start, gap.new_stop).items() if line in places
    ]
    # A longest rising run of old places, after Fredman, "On computing the length of longest increasing
    # subsequences" (1975): `lowest[k]` is the lowest place that ends a run of k + 1.
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (place, _) in enumerate(pairs):
        length = bisect_left(lowest, place)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [place]
        ends[length : length + 1] = [number]
    run: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _unique(lines: Sequence[str], start: int, stop: int) -> dict[str, int]:
    """Index of each line that stands once in `start:stop`, from the top."""
    counts = Counter(lines[start:stop])
    return {line: index for index, line in enumerate(lines[start:stop], start) if counts[line] == 1}


def _settle_gap(old: Sequence[str], new: Sequence[str], gap: Change, above: int, below: int) -> list[Change]:
    """Regions of a gap and of the equal lines around it (`above`, `below`: how many) that may have changed.

    If the outermost of these lines are kept whatever lies between, so is every line further out.
    """
    changed, context = [gap], 1
    while True:
        window = gap.widen(min(context, above), min(context, below))
        kept = _surely_kept(old[window.start : window.stop], new[window.new_start : window.new_stop])
        if kept is None:  # too many pairs to compare, so all that was looked at may have changed
            return changed
        pairs = [(window.start + one, window.new_start + other) for one, other in kept]
        edges = [(window.start - 1, window.new_start - 1), *pairs, (window.stop, window.new_stop)]
        if pairs[:1] == [(window.start, window.new_start)]:
            above = min(context, above)
        if pairs[-1:] == [(window.stop - 1, window.new_stop - 1)]:
            below = min(context, below)
        if context >= max(above, below):
            between = [Change(one[0] + 1, other[0], one[1] + 1, other[1]) for one, other in pairwise(edges)]
            return [change for change in between if not change.is_empty]
        changed, context = [window], context * 4


def _surely_kept(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]] | None:
    """Pairs of lines that are in every longest common subsequence; None if there are too many to compare."""
    common = set(old) & set(new)
    old_places = [index for index, line in enumerate(old) if line in common]
    new_places = [index for index, line in enumerate(new) if line in common]
    if len(old_places) * len(new_places) > MOST_PAIRS:
        return None
    is_wide = len(new_places) > len(old_places)  # the narrower one is read as bits
    long, short = (new_places, old_places) if is_wide else (old_places, new_places)
    texts = (
        ([new[i] for i in long], [old[i] for i in short])
        if is_wide
        else ([old[i] for i in long], [new[i] for i in short])
    )
    first = _highest(*texts)
    last = {(len(long) - 1 - one, len(short) - 1 - other) for one, other in _highest(texts[0][::-1], texts[1][::-1])}
    kept = [(long[one], short[other]) for one, other in first if (one, other) in last]
    return [(other, one) for one, other in kept] if is_wide else kept


def _highest(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common subsequence that keeps each line as far up in `old`, and as far down in `new`, as any does.

    All longest ones lie between this one and the one that is found from the other end, so what these
    two share is in all. Bit `n - 1` of row `i` is 0 where the last `n` lines of `new` have one more in
    common with `old[i:]` than the last `n - 1` have.
    """
    tails = rows(old, new)
    pairs: list[tuple[int, int]] = []
    one = other = 0
    while one < len(old) and other < len(new):
        if tails[one] >> (len(new) - 1 - other) & 1:
            other += 1
        elif old[one] == new[other]:
            pairs.append((one, other))
            one, other = one + 1, other + 1
        else:
            one += 1
    return pairs
