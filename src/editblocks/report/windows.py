"""The lines around changes that say where they are: grown until they stand at one place of the file alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from editblocks.core.typed import NamedTuple
from editblocks.matching.merge import Change, changes


class Window(NamedTuple):
    """Lines `start:stop` of the old text (0-based, half-open), with all changes in them."""

    start: int
    stop: int
    changes: Sequence[Change]

    @property
    def new(self) -> slice:
        """The lines of the new text that they become."""
        first, last = self.changes[0], self.changes[-1]
        return slice(first.new_start - first.start + self.start, last.new_stop - last.stop + self.stop)


def windows(old: Sequence[str], new: Sequence[str], context: int) -> Iterator[Window]:
    """Yield the changes with at least `context` lines around each, from the top; their windows never meet.

    Each window is all of the old text, or holds a run of lines that stands in it once.
    """
    found, runs = changes(old, new, most=0), _Runs(old)
    spans: list[list[int]] = []  # the first change, that behind the last, the first line, that behind the last
    for number in range(len(found)):
        first, size = number, context
        while True:
            start, stop = max(0, found[first].start - size), min(len(old), found[number].stop + size)
            while spans and start <= spans[-1][3]:
                first, _, above, below = spans.pop()
                start, stop = min(start, above), max(stop, below)
            if stop - start == len(old) or runs.has_single(start, stop):
                break
            size *= 2
        spans.append([first, number + 1, start, stop])
    return (Window(start, stop, found[first:last]) for first, last, start, stop in spans)


class _Runs:
    """Which runs of 1, 2, 4, 8 and so on lines stand in a text once; each length is looked at when it is needed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._names: Sequence[Hashable] = lines  # of the longest runs so far, by their first line
        self._single: list[bytes] = []  # for each length, whether the run at a line stands there alone

    def has_single(self, start: int, stop: int) -> bool:
        """Whether lines `start:stop` hold such a run."""
        level, size = 0, 1
        while size <= stop - start:
            if level == len(self._single):
                self._add_length()
            if self._single[level].find(1, start, stop - size + 1) >= 0:
                return True
            level, size = level + 1, 2 * size
        return False

    def _add_length(self) -> None:
        if self._single:  # a run is two of half its length; equal ones get the same number
            half = 1 << (len(self._single) - 1)
            numbers: dict[Hashable, int] = {}
            pairs = zip(self._names, self._names[half:], strict=False)
            self._names = [numbers.setdefault(pair, len(numbers)) for pair in pairs]
        counts = Counter(self._names)
        self._single.append(bytes(counts[name] == 1 for name in self._names))
