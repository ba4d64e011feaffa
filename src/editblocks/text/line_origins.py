"""Map the lines of a planned text to those of the file on the branch: people know the branch's line numbers."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence


class LineMap:
    """For each line of a text, its 0-based line in the original, or None if a block wrote it.

    Each line has a key, and keys never fall from one line to the next. The key of an original line is twice its number;
    the key of a line that a block wrote is one more than the key of the original line above it.
    So an original line is found by bisection, wherever the splices have moved it.
    """

    __slots__ = ("keys",)

    _original = array("q")  # the keys of the longest original so far: copying is faster than counting

    def __init__(self, count: int) -> None:
        original = LineMap._original
        if len(original) < count:
            original = LineMap._original = array("q", range(0, 2 * count, 2))
        self.keys = original[:count]

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> None:
        """Record a change that `SourceText.splice` makes with the same arguments."""
        key = (self.keys[start - 1] if start else -2) | 1
        keys = array("q")
        for line in new:
            keys.append(self.keys[line] if isinstance(line, int) else key)
            key = keys[-1] | 1
        self.keys[start:stop] = keys

    def head(self, line: int) -> int | None:
        """Return the 0-based line of the original; None if a block wrote the line. Past the end: `line` itself."""
        if line >= len(self.keys):
            return line
        key = self.keys[line]
        return None if key & 1 else key >> 1

    def places(self, key: int) -> range:
        """Return the lines with a key: one original line or none, or all that blocks wrote below an original line."""
        return range(bisect_left(self.keys, key), bisect_right(self.keys, key))

    def now(self, head: int) -> int | None:
        """Return where line `head` of the original is now; None if a block removed it."""
        return next(iter(self.places(2 * head)), None)

    def shown(self, line: int) -> int:
        """Return the 1-based number to show: in the original if the line is from there, else in the text."""
        head = self.head(line)
        return (line if head is None else head) + 1

    def span(self, start: int, stop: int) -> tuple[int, int] | None:
        """Return the span of the original that lines `start:stop` are; None if they are not a run of it."""
        if stop <= start:
            return None
        first, last = self.head(start), self.head(stop - 1)
        # Keys never fall: if the distance is equal, a line between can only differ if one is missing and one is new.
        if first is None or last is None or last - first != stop - 1 - start:
            return None
        return (first, last + 1) if self._goes_on(start + 1, stop - 1 - start) else None

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the pieces of the original that are left: the start now, the start in the original, the length."""
        start, count = 0, len(self.keys)
        while start < count:
            if self.keys[start] & 1:
                start = bisect_right(self.keys, self.keys[start], start)
                continue
            stop, step = start + 1, 1
            while self._goes_on(stop, step):  # steps are doubled, then halved
                stop, step = stop + step, 2 * step
            while step:
                stop, step = stop + step * self._goes_on(stop, step), step // 2
            yield start, self.keys[start] >> 1, stop - start
            start = stop

    def _goes_on(self, line: int, count: int) -> bool:
        """Whether the `count` lines from `line` on follow the line before them in the original as well."""
        first = (self.keys[line - 1] >> 1) + 1
        keys = self.keys[line : line + count]
        return len(keys) == count and keys == self._original[first : first + count]
