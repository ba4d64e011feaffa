"""Three-way merge of lines: apply what `theirs` changed in `base` to `ours`, all of it or nothing.

Changes of both sides that overlap or touch conflict unless their results are equal, as in `git merge-file`. Lines
that can be aligned in more than one way do not count as kept (`changes`): so this merge may conflict where git does
not, but its result does not depend on a choice between two diffs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editblocks.matching.align import kept_lines
from editblocks.matching.changes import Change, changes

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A region that both sides changed differently: its lines in each text, 0-based, half-open."""

    base: Span
    ours: Span
    theirs: Span


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The whole merged text: an int is the index of a kept line of `ours`, a str is a line of `theirs`.

    If there is a `conflict` (the first from the top), `lines` is empty.
    """

    lines: tuple[str | int, ...] = ()
    conflict: MergeConflict | None = None


def merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> MergeResult:
    """Merge two texts that were made from `base`. Lines carry no line ends and are compared exactly."""
    merged: list[str | int] = []
    copied = 0
    for spans in _regions(changes(base, ours), changes(base, theirs)):
        before, old, new = (list(text[slice(*span)]) for text, span in zip((base, ours, theirs), spans, strict=True))
        if old == before:  # changed by theirs alone
            start, stop = spans[1]
            kept = kept_lines(old, new)
            merged += range(copied, start)
            merged += [start + kept[index] if index in kept else line for index, line in enumerate(new)]
            copied = stop
        elif new not in (before, old):
            return MergeResult(conflict=MergeConflict(*spans))
    return MergeResult((*merged, *range(copied, len(ours))))


def _regions(ours: Sequence[Change], theirs: Sequence[Change]) -> Iterator[tuple[Span, Span, Span]]:
    """Yield the regions in which a side differs from the base, from the top; changes that overlap or touch are one.

    Each region is its lines in `base`, `ours` and `theirs`.
    """
    group: list[tuple[Change, bool]] = []
    shifts = {True: 0, False: 0}  # how many lines further down than in the base each side is, below the group
    stop = -1
    for change, is_ours in sorted([*((change, True) for change in ours), *((change, False) for change in theirs)]):
        if group and change.start > stop:
            yield _spans(group, shifts)
            group = []
        group.append((change, is_ours))
        stop = max(stop, change.stop)
    if group:
        yield _spans(group, shifts)


def _spans(group: Sequence[tuple[Change, bool]], shifts: dict[bool, int]) -> tuple[Span, Span, Span]:
    start, stop = group[0][0].start, max(change.stop for change, _ in group)
    spans = []
    for side in (True, False):
        new_start = start + shifts[side]
        shifts[side] = next((c.new_stop - c.stop for c, is_ours in reversed(group) if is_ours is side), shifts[side])
        spans.append((new_start, stop + shifts[side]))
    return (start, stop), spans[0], spans[1]
