"""Which line of the branch's file each line of the planned text was: people read numbers from the branch."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence


class LineMap:
    """For each line of a text, the 0-based line of the original it is, unless a block wrote it.

    Each line has a key, and keys never fall from one line to the next: twice its number for a line of
    the original; one more than that of the line of the original above it for a line that a block wrote.
    So a line of the original is found by bisection, wherever the splices have moved it.
    """

    __slots__ = ("_keys",)

    _original = array("q")  # the keys of the longest original yet: they are copied faster than they are made

    def __init__(self, count: int) -> None:
        original = LineMap._original
        if len(original) < count:
            original = LineMap._original = array("q", range(0, 2 * count, 2))
        self._keys = original[:count]

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> None:
        """Follow `SourceText.splice` with the same arguments."""
        key = (self._keys[start - 1] if start else -2) | 1
        keys = array("q")
        for line in new:
            keys.append(self._keys[line] if isinstance(line, int) else key)
            key = keys[-1] | 1
        self._keys[start:stop] = keys

    def head(self, line: int) -> int | None:
        """The original's line (0-based) that this one is; None if a block wrote it. Past the end: past its end."""
        if line >= len(self._keys):
            return line
        key = self._keys[line]
        return None if key & 1 else key >> 1

    def keys(self) -> Sequence[int]:
        """The keys of all lines."""
        return self._keys

    def places(self, key: int) -> range:
        """The lines with a key: one of the original or none, or all that blocks wrote between two of them."""
        return range(bisect_left(self._keys, key), bisect_right(self._keys, key))

    def now(self, head: int) -> int | None:
        """Where line `head` of the original is now; None if a block took it out."""
        return next(iter(self.places(2 * head)), None)

    def shown(self, line: int) -> int:
        """The 1-based number for people: of the original where there is one, else of the text."""
        head = self.head(line)
        return (line if head is None else head) + 1

    def span(self, start: int, stop: int) -> tuple[int, int] | None:
        """The original's lines that `start:stop` are, if they are a run of it."""
        if stop <= start:
            return None
        first, last = self.head(start), self.head(stop - 1)
        # Keys never fall, so what lies between two lines of the original is all of it, or one is missing or new.
        if first is None or last is None or last - first != stop - 1 - start:
            return None
        return (first, last + 1) if self._goes_on(start + 1, stop - 1 - start) else None

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """The pieces of the original that are left: where each begins now, where it began, and its length."""
        start, count = 0, len(self._keys)
        while start < count:
            if self._keys[start] & 1:
                start = bisect_right(self._keys, self._keys[start], start)
                continue
            stop = self._end_of_run(start)
            yield start, self._keys[start] >> 1, stop - start
            start = stop

    def _end_of_run(self, start: int) -> int:
        """Where the run of original lines that begins at `start` ends, by doubling steps and then halving them."""
        stop, step = start + 1, 1
        while self._goes_on(stop, step):
            stop, step = stop + step, 2 * step
        while step:
            stop, step = stop + step * self._goes_on(stop, step), step // 2
        return stop

    def _goes_on(self, line: int, count: int) -> bool:
        """Whether the `count` lines from `line` on follow the one before in the original, too."""
        first = (self._keys[line - 1] >> 1) + 1
        keys = self._keys[line : line + count]
        return len(keys) == count and keys == self._original[first : first + count]

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[int | None]:
        return (None if key & 1 else key >> 1 for key in self._keys)
