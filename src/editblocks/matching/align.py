"""Align the lines of two texts: which lines of SEARCH stay in REPLACE; and merge three texts, all of it or nothing.

Kept lines have the file's own bytes at every level. They are the common prefix and suffix, and between them a longest
common subsequence (the earliest on ties). So a level that tolerates other white space never rewrites context
(docs/reference/rules.md, matching).

A merge applies what `theirs` changed in `base` to `ours`. Changes of both sides that overlap or touch conflict unless
their results are equal, as in `git merge-file`. A line is kept only if every longest common subsequence pairs it with
the same line: where two diffs could disagree, a merge must not depend on the choice. So this merge may conflict where
git does not. Texts with more than `MOST_PAIRS` pairs of lines are split at lines that are unique in both. A part
that is still too large is treated as changed.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from editblocks.text.source_text import find_in

MOST_PAIRS = 1_000_000
_DEEPEST = 8  # levels of splitting at unique lines; without a limit that could take quadratic time

Span = tuple[int, int]  # lines, 0-based, half-open


class MergeConflict(NamedTuple):
    """Lines (0-based, half-open) that a side changed; `merge` returns the first that both changed differently."""

    base: Span
    ours: Span
    theirs: Span


class Change(NamedTuple):
    """Lines `start:stop` of the old text became `new_start:new_stop` of the new one; 0-based, half-open."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def kept_lines(search: Sequence[str], replace: Sequence[str]) -> dict[int, int]:
    """Map the index of each kept line in `replace` to its index in `search`; both rise strictly."""
    shorter = min(len(search), len(replace))
    prefix = common_start(search, replace)
    suffix = min(common_start(search[::-1], replace[::-1]), shorter - prefix)
    kept = {index: index for index in range(prefix)}
    kept.update(_kept_between(search, replace, prefix, suffix))
    for index in range(suffix, 0, -1):
        kept[len(replace) - index] = len(search) - index
    return kept


def common_start(one: Sequence[object], other: Sequence[object]) -> int:
    """How many lines are equal at the start."""
    for index, (line, other_line) in enumerate(zip(one, other, strict=False)):
        if line != other_line:
            return index
    return min(len(one), len(other))


def _kept_between(search: Sequence[str], replace: Sequence[str], prefix: int, suffix: int) -> dict[int, int]:
    """The kept lines between equal ends."""
    old = search[prefix : len(search) - suffix]
    new = replace[prefix : len(replace) - suffix]
    common = set(old).intersection(new)
    if not common or len(old) * len(new) > MOST_PAIRS:
        return {}
    old_indexes = [index for index, line in enumerate(old, prefix) if line in common]
    new_indexes = [index for index, line in enumerate(new, prefix) if line in common]
    pairs = _common_subsequence([search[index] for index in old_indexes], [replace[index] for index in new_indexes])
    return {new_indexes[new_at]: old_indexes[old_at] for old_at, new_at in pairs}


def keep(
    old: Sequence[str], new: Sequence[str], start: int, written: Sequence[str] | None = None
) -> tuple[str | int, ...]:
    """Return `new` as it replaces `old` at line `start` of a file: a kept line becomes its index in the file.

    `written`: the lines of `new` as they will be written, if they are compared in another form.
    """
    result: list[str | int] = list(new if written is None else written)
    for index, kept in kept_lines(old, new).items():
        result[index] = start + kept
    return tuple(result)


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of a longest common subsequence of two strings, or of two sequences of lines."""
    return _zeros(_rows(one, other)[0], len(other))


def _common_subsequence(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of equal lines of a longest common subsequence, the earliest on ties."""
    tails = _rows(old, new)
    places: dict[str, list[int]] = {}
    for index, line in enumerate(old):
        places.setdefault(line, []).append(index)
    start = 0  # the line of `old` below the last pair
    for new_index, line in enumerate(new):
        old_indexes = places.get(line, [])
        following = bisect_left(old_indexes, start)
        if following == len(old_indexes):
            continue
        index = old_indexes[following]
        left = len(new) - new_index - 1
        if 1 + _zeros(tails[index + 1], left) >= _zeros(tails[start], left):  # otherwise skipping this line keeps more
            yield index, new_index
            start = index + 1


def _rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """One bit pattern for each tail of `old`, after Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).

    Zeros among the lowest n bits of row i: length of a longest common subsequence of `old[i:]` and the last n of `new`.
    """
    full = (1 << len(new)) - 1
    where: dict[str, int] = {}
    for index, line in enumerate(reversed(new)):
        where[line] = where.get(line, 0) | (1 << index)
    tails = [full]
    for line in reversed(old):
        row = tails[-1]
        hits = row & where.get(line, 0)
        tails.append(((row + hits) | (row - hits)) & full)
    return tails[::-1]


def _zeros(row: int, size: int) -> int:
    return size - (row & ((1 << size) - 1)).bit_count()


def merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> tuple[str | int, ...] | MergeConflict:
    """Merge two texts that were made from `base`, or return the first conflict. Lines are compared exactly.

    In the merged text, an int is the index of a kept line of `ours`, and a str is a line of `theirs`.
    """
    merged: list[str | int] = []
    copied = 0
    for region in _regions(changes(base, ours), changes(base, theirs)):
        before = list(base[slice(*region.base)])
        old = list(ours[slice(*region.ours)])
        new = list(theirs[slice(*region.theirs)])
        if old == before:  # changed only by theirs
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
        if change.start > last:
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
            if own:
                shifts[number] = own[-1].new_stop - own[-1].stop
            spans.append((new_start, stop + shifts[number]))
        yield MergeConflict((start, stop), *spans)


def changes(old: Sequence[str], new: Sequence[str], most: int = MOST_PAIRS) -> list[Change]:
    """List the regions that differ, from the top; at least one kept line lies between two of them.

    Texts with more than `most` pairs of lines are split where a line is unique in both, in n log n steps.
    """
    return list(_changes(old, new, Change(0, len(old), 0, len(new)), _DEEPEST, most))


def _changes(old: Sequence[str], new: Sequence[str], span: Change, depth: int, most: int) -> Iterator[Change]:
    """Yield the changes within `span`: by comparing its lines or, if they are too many, its parts between anchors."""
    start, stop, new_start, new_stop = span
    places = _unique(old[start:stop])
    new_places = _unique(new[new_start:new_stop])
    both = places.keys() & new_places.keys()
    # Every longest common subsequence keeps the equal lines at an end up to the innermost that is unique in both texts.
    inner = _strip(old, new, span, both)
    kept = _surely_kept(old[inner.start : inner.stop], new[inner.new_start : inner.new_stop], most)
    if kept is not None:
        yield from _between(inner, [(inner.start + one, inner.new_start + other) for one, other in kept])
        return
    pairs = [(start + places[line], new_start + index) for line, index in new_places.items() if line in both]
    if not pairs or not depth:
        yield from _between(_strip(old, new, inner, None), [])
        return
    for part in _between(span, _rising(pairs)):
        yield from _changes(old, new, part, depth - 1, most)


def _unique(lines: Sequence[str]) -> dict[str, int]:
    """Map each line that occurs once to its index, from the top."""
    counts = Counter(lines)
    return {line: index for index, line in enumerate(lines) if counts[line] == 1}


def _strip(old: Sequence[str], new: Sequence[str], span: Change, unique: Collection[str] | None) -> Change:
    """Take equal lines off both ends of a span, all of them or as far as the innermost that is unique."""
    start, stop, new_start, new_stop = span
    above = _common_lines(old[start:stop], new[new_start:new_stop], unique)
    start += above
    new_start += above
    below = _common_lines(old[start:stop][::-1], new[new_start:new_stop][::-1], unique)
    return Change(start, stop - below, new_start, new_stop - below)


def _common_lines(old: Sequence[str], new: Sequence[str], unique: Collection[str] | None) -> int:
    count = common_start(old, new)
    while unique is not None and count and old[count - 1] not in unique:
        count -= 1
    return count


def _between(span: Change, pairs: Sequence[Span]) -> list[Change]:
    """Return the parts of `span` between kept pairs of lines."""
    edges = [(span.start - 1, span.new_start - 1), *pairs, (span.stop, span.new_stop)]
    parts = (Change(one[0] + 1, other[0], one[1] + 1, other[1]) for one, other in pairwise(edges))
    return [part for part in parts if part.start < part.stop or part.new_start < part.new_stop]


def _rising(pairs: Sequence[Span]) -> list[Span]:
    """Return a longest run of pairs in which both places rise (Fredman 1975). The second places already rise.

    `lowest[k]` is the lowest place at the end of a run of length k + 1, `ends[k + 1]` its pair.
    """
    lowest: list[int] = []
    ends = [-1]
    before: list[int] = []
    for number, (place, _) in enumerate(pairs):
        length = bisect_left(lowest, place)
        before.append(ends[length])
        lowest[length : length + 1] = [place]
        ends[length + 1 : length + 2] = [number]
    run: list[Span] = []
    number = ends[-1]
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _surely_kept(old: Sequence[str], new: Sequence[str], most: int) -> list[Span] | None:
    """Return the pairs of lines in every longest common subsequence; None if there are too many to compare."""
    if len(new) > len(old):  # the shorter one becomes the bits of a row
        kept = _surely_kept(new, old, most)
        if kept is None:
            return None
        return [(one, other) for other, one in kept]
    common = set(old) & set(new)
    places, new_places = ([index for index, line in enumerate(lines) if line in common] for lines in (old, new))
    if len(places) * len(new_places) > most:
        return None
    one = [old[index] for index in places]
    other = [new[index] for index in new_places]
    last = {(len(one) - 1 - row, len(other) - 1 - column) for row, column in _highest(one[::-1], other[::-1])}
    return [(places[row], new_places[column]) for row, column in _highest(one, other) if (row, column) in last]


def _highest(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence whose lines are as far up in `old`, and as far down in `new`, as possible.

    All longest ones lie between this one and the one found from the other end. So pairs in both of these are in all.
    """
    tails = _rows(old, new)
    pairs: list[tuple[int, int]] = []
    one = other = 0
    while one < len(old) and other < len(new):
        if tails[one] >> (len(new) - 1 - other) & 1:
            other += 1
        elif old[one] == new[other]:
            pairs.append((one, other))
            one += 1
            other += 1
        else:
            one += 1
    return pairs


def insertion_offset(
    search: Sequence[str], replace: Sequence[str], wanted: Sequence[str], start: int, lines: Sequence[str]
) -> int | None:
    """Return how far above `start`, the place of SEARCH, all of REPLACE begins in the file; None if it is not there.

    It can be there only if REPLACE contains the lines of SEARCH. `wanted` is REPLACE as it would be written. Without
    this test a second run would insert the same lines once more.
    """
    room = len(wanted) - len(search)
    if room <= 0 or not set(search).issubset(replace):
        return None
    offsets = list(find_in(search, replace))
    if not offsets:
        return None
    first = max(0, start - room)
    around = [line.rstrip(" \t") for line in lines[first : start + len(wanted)]]
    starts = set(find_in([line.rstrip(" \t") for line in wanted], around))
    return next((offset for offset in offsets if start - offset - first in starts), None)


def is_already_around(old: Sequence[str], new: list[str], start: int, lines: list[str]) -> bool:
    """Whether `new` contains `old`, and a file has all of `new` around line `start`, where it has `old`."""
    starts = (start - offset for offset in find_in(old, new))
    return any(first >= 0 and lines[first : first + len(new)] == new for first in starts)
