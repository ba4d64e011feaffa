"""Three-way merge of lines: apply what `theirs` changed in `base` to `ours`, all of it or nothing.

Changes of both sides that overlap or touch conflict unless their results are equal, as in `git merge-file`. A line
counts as kept only if every longest common subsequence pairs it with the same line. A line that only some of them keep
(one of several blank lines, one of two blocks that changed places) belongs to the change: where two diffs could
disagree, a merge must not depend on the choice. So this merge may conflict where git does not.

To find the changes, the common prefix and suffix are split off. If more than `MOST_PAIRS` pairs of lines remain, they
are split at lines that are unique in both texts. Each rest is compared, or counts as changed if it is too large.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from editblocks.matching.align import MOST_PAIRS, keep, rows

_DEEPEST = 8  # levels of splitting at unique lines; without a limit that could take quadratic time

Span = tuple[int, int]


class MergeConflict(NamedTuple):
    """A region that both sides changed differently: its lines in each text, 0-based, half-open."""

    base: Span
    ours: Span
    theirs: Span


class Change(NamedTuple):
    """Lines `start:stop` of the old text became `new_start:new_stop` of the new one; 0-based, half-open."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> tuple[str | int, ...] | MergeConflict:
    """Merge two texts that were made from `base`, or return the first conflict. Lines are compared exactly.

    In the whole merged text an int is the index of a kept line of `ours`, a str is a line of `theirs`.
    """
    merged: list[str | int] = []
    copied = 0
    for region in _regions(changes(base, ours), changes(base, theirs)):
        before, old, new = (list(text[slice(*span)]) for text, span in zip((base, ours, theirs), region, strict=True))
        if old == before:  # changed by theirs alone
            start, stop = region.ours
            merged += (*range(copied, start), *keep(old, new, start))
            copied = stop
        elif new not in (before, old):
            return region
    return (*merged, *range(copied, len(ours)))


def _regions(ours: Sequence[Change], theirs: Sequence[Change]) -> Iterator[MergeConflict]:
    """Yield the regions in which a side differs from the base, from the top; changes that overlap or touch are one."""
    groups: list[tuple[list[Change], list[Change]]] = []
    last = -1
    for change, side in sorted([*((change, 0) for change in ours), *((change, 1) for change in theirs)]):
        if not groups or change.start > last:
            groups.append(([], []))
        groups[-1][side].append(change)
        last = max(last, change.stop)
    shifts = [0, 0]  # how many lines further down than in the base each side is, below the group
    for group in groups:
        start = min(own[0].start for own in group if own)
        stop = max(own[-1].stop for own in group if own)
        spans = []
        for number, own in enumerate(group):
            new_start = start + shifts[number]
            shifts[number] = own[-1].new_stop - own[-1].stop if own else shifts[number]
            spans.append((new_start, stop + shifts[number]))
        yield MergeConflict((start, stop), *spans)


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """List the regions that differ, from the top; at least one kept line lies between two of them."""
    gaps = list(_gaps(old, new, Change(0, len(old), 0, len(new)), _DEEPEST))
    tops = [0, *(gap.stop for gap in gaps)]
    bottoms = [*(gap.start for gap in gaps[1:]), len(old)]
    united: list[Change] = []
    for change in sorted(
        change
        for gap, top, bottom in zip(gaps, tops, bottoms, strict=False)
        for change in _settle_gap(old, new, gap, gap.start - top, bottom - gap.stop)
    ):
        if united and change.start <= united[-1].stop:  # two gaps may both extend into the lines between them
            above = united.pop()
            stop, new_stop = max(above.stop, change.stop), max(above.new_stop, change.new_stop)
            united.append(Change(above.start, stop, above.new_start, new_stop))
        else:
            united.append(change)
    return united


def readable_changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """List what differs, for people to read: split wherever a line is unique in both texts, in n log n steps."""
    return list(_gaps(old, new, Change(0, len(old), 0, len(new)), _DEEPEST, most=0))


def _gaps(old: Sequence[str], new: Sequence[str], span: Change, depth: int, most: int = MOST_PAIRS) -> Iterator[Change]:
    """Yield the parts of `span` left after taking off equal lines at both ends; a part that is too large is split.

    It is split at lines that are unique in both texts, if it has more than `most` pairs of lines.
    """
    start, stop, new_start, new_stop = span
    while start < stop and new_start < new_stop and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < stop and new_start < new_stop and old[stop - 1] == new[new_stop - 1]:
        stop, new_stop = stop - 1, new_stop - 1
    gap = Change(start, stop, new_start, new_stop)
    is_large = (stop - start) * (new_stop - new_start) > most
    if anchors := _anchors(old, new, gap) if depth and is_large else []:
        for part in _between(gap, anchors):
            yield from _gaps(old, new, part, depth - 1, most)
    elif start < stop or new_start < new_stop:
        yield gap


def _between(span: Change, pairs: Sequence[Span]) -> list[Change]:
    """Return the parts of `span` between kept pairs of lines."""
    edges = [(span.start - 1, span.new_start - 1), *pairs, (span.stop, span.new_stop)]
    parts = (Change(one[0] + 1, other[0], one[1] + 1, other[1]) for one, other in pairwise(edges))
    return [part for part in parts if part.start < part.stop or part.new_start < part.new_stop]


def _anchors(old: Sequence[str], new: Sequence[str], gap: Change) -> list[Span]:
    """Return pairs of equal lines that are unique on both sides: the most that stand in the same order."""
    places, new_places = _unique(old, gap.start, gap.stop), _unique(new, gap.new_start, gap.new_stop)
    pairs = [(places[line], index) for line, index in new_places.items() if line in places]
    # A longest rising run of old places, after Fredman, "On computing the length of longest increasing
    # subsequences" (1975): `lowest[k]` is the lowest place at the end of a run of length k + 1, `ends[k]` its pair.
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (place, _) in enumerate(pairs):
        length = bisect_left(lowest, place)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1], ends[length : length + 1] = [place], [number]
    run: list[Span] = []
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
        up, down = min(context, above), min(context, below)
        window = Change(gap.start - up, gap.stop + down, gap.new_start - up, gap.new_stop + down)
        kept = _surely_kept(old[window.start : window.stop], new[window.new_start : window.new_stop])
        if kept is None:  # too many pairs to compare, so the last window may have changed as a whole
            return changed
        pairs = [(window.start + one, window.new_start + other) for one, other in kept]
        if pairs[:1] == [(window.start, window.new_start)]:
            above = up
        if pairs[-1:] == [(window.stop - 1, window.new_stop - 1)]:
            below = down
        if context >= max(above, below):
            return _between(window, pairs)
        changed, context = [window], context * 4


def _surely_kept(old: Sequence[str], new: Sequence[str]) -> list[Span] | None:
    """Return the pairs of lines in every longest common subsequence; None if there are too many to compare."""
    if len(new) > len(old):  # the shorter one becomes the bits of a row
        kept = _surely_kept(new, old)
        return None if kept is None else [(one, other) for other, one in kept]
    common = set(old) & set(new)
    places, new_places = ([index for index, line in enumerate(lines) if line in common] for lines in (old, new))
    if len(places) * len(new_places) > MOST_PAIRS:
        return None
    one, other = [old[index] for index in places], [new[index] for index in new_places]
    last = {(len(one) - 1 - row, len(other) - 1 - column) for row, column in _highest(one[::-1], other[::-1])}
    return [(places[row], new_places[column]) for row, column in _highest(one, other) if (row, column) in last]


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
