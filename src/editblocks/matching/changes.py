"""Find the regions that differ between two versions of a text, and the lines that are certainly kept.

A line counts as kept only if every longest common subsequence pairs it with the same line. A line that only some of
them keep (one of several blank lines, one of two blocks that changed places) belongs to the change: where two diffs
could disagree, a merge must not depend on the choice.

First the common prefix and suffix are split off. If more than `MOST_PAIRS` pairs of lines remain, they are split
at lines that are unique in both texts. Each rest is compared line by line, or counts as changed if it is too large.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from editblocks.matching.align import rows

MOST_PAIRS = 1_000_000
_DEEPEST = 8  # levels of splitting at unique lines; without a limit that could take quadratic time


class Change(NamedTuple):
    """Lines `start:stop` of the old text became `new_start:new_stop` of the new one; 0-based, half-open."""

    start: int
    stop: int
    new_start: int
    new_stop: int

    @property
    def is_empty(self) -> bool:
        """Whether it has no line on either side."""
        return self.start == self.stop and self.new_start == self.new_stop

    @property
    def pairs(self) -> int:
        """The number of pairs of an old and a new line."""
        return (self.stop - self.start) * (self.new_stop - self.new_start)

    def widen(self, above: int, below: int) -> Change:
        """Return the region with `above` and `below` equal lines around it."""
        return Change(self.start - above, self.stop + below, self.new_start - above, self.new_stop + below)

    def unite(self, other: Change) -> Change:
        """Return one region that covers both; `other` does not start above this one."""
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
    for change in sorted(all_changes):  # two gaps may both extend into the lines between them
        touches = united and change.start <= united[-1].stop
        united.append(united.pop().unite(change) if touches else change)
    return united


def _gaps(old: Sequence[str], new: Sequence[str], span: Change, depth: int) -> Iterator[Change]:
    """Yield the parts of `span` left after taking off equal lines at both ends; a part that is too large is split.

    It is split at lines that are unique in both texts.
    """
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
    """Return pairs of equal lines that are unique on both sides: the most that stand in the same order."""
    places = _unique(old, gap.start, gap.stop)
    pairs = [
        (places[line], index) for line, index in _unique(new, gap.new_start, gap.new_stop).items() if line in places
    ]
    # A longest rising run of old places, after Fredman, "On computing the length of longest increasing
    # subsequences" (1975): `lowest[k]` is the lowest place at the end of a run of length k + 1.
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
    """Map each line that occurs once in `start:stop` to its index, from the top."""
    counts = Counter(lines[start:stop])
    return {line: index for index, line in enumerate(lines[start:stop], start) if counts[line] == 1}


def _settle_gap(old: Sequence[str], new: Sequence[str], gap: Change, above: int, below: int) -> list[Change]:
    """Return the regions of a gap that may have changed, with as many equal lines around it as that may involve.

    `above` and `below` are the numbers of equal lines around it. If the outermost line that was compared is certainly
    kept, so is every line further out.
    """
    changed, context = [gap], 1
    while True:
        window = gap.widen(min(context, above), min(context, below))
        kept = _surely_kept(old[window.start : window.stop], new[window.new_start : window.new_stop])
        if kept is None:  # too many pairs to compare, so the last window may have changed as a whole
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
    """Return the pairs of lines in every longest common subsequence; None if there are too many to compare."""
    common = set(old) & set(new)
    old_places = [index for index, line in enumerate(old) if line in common]
    new_places = [index for index, line in enumerate(new) if line in common]
    if len(old_places) * len(new_places) > MOST_PAIRS:
        return None
    is_wide = len(new_places) > len(old_places)  # the shorter one becomes the bits of a row
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
    """Return the longest common subsequence whose lines are as far up in `old`, and as far down in `new`, as possible.

    All longest ones lie between this one and the one found from the other end, so pairs in both of these are in all.
    Bit `n - 1` of row `i` is 0 if the last `n` lines of `new` have one more line in common with `old[i:]` than the
    last `n - 1` lines have.
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
