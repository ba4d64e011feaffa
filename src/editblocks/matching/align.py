"""Find the lines of SEARCH that stay in REPLACE: they keep the file's own bytes at every level.

The kept lines are the common prefix and suffix, and between them a longest common subsequence (the earliest on ties).
So a level that tolerates other white space never rewrites context (docs/reference/rules.md, matching).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from editblocks.text.source_text import find_in

MOST_PAIRS = 1_000_000


class Match(NamedTuple):
    """Lines `start:stop` (0-based, half-open) hold the searched text.

    `indent` is put before every non-blank new line; `outdent` is taken off instead. At most one is set.
    """

    start: int
    stop: int
    indent: str = ""
    outdent: str = ""


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
    return _zeros(rows(one, other)[0], len(other))


def _common_subsequence(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of equal lines of a longest common subsequence, the earliest on ties."""
    tails = rows(old, new)
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


def rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
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
