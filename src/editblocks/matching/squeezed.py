"""Lines without white space, joined into one string, to compare texts by their tokens only."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from editblocks.text.languages import TooHard

MOST_TRIES = 2_000
_BLANK = str.maketrans("", "", " \t\r\n\f\v")


def blanks(lines: Sequence[str]) -> int:
    """Count the blank lines at the start."""
    return next((index for index, line in enumerate(lines) if line.translate(_BLANK)), len(lines))


class SqueezedText(NamedTuple):
    """Lines without white space, in one string. `starts`: the offset of each line, and the end of the last."""

    text: str
    starts: Sequence[int]

    @classmethod
    def of(cls, lines: Sequence[str]) -> SqueezedText:
        """Remove ASCII white space from `lines`; any other space counts as text."""
        dense = [line.translate(_BLANK) for line in lines]
        return cls("".join(dense), list(accumulate(map(len, dense), initial=0)))

    def whole_lines(self, start: int, stop: int) -> tuple[int, int] | None:
        """Return the lines `first, last` that hold exactly characters `start:stop`, without blank lines at both ends.

        None if these characters begin or end inside a line.
        """
        first, last = bisect_right(self.starts, start) - 1, bisect_left(self.starts, stop)
        return (first, last) if self.starts[first] == start and self.starts[last] == stop else None

    def windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield every run of whole lines that equals `text`, also overlapping. Raises `TooHard` after 2,000 tries."""
        start, tries = self.text.find(text), 0
        while start >= 0:
            tries += 1
            if tries > MOST_TRIES:
                raise TooHard
            window = self.whole_lines(start, start + len(text))
            if window is not None:
                yield window
            following = self.starts[bisect_right(self.starts, start)]  # a window begins at the start of a line
            start = self.text.find(text, following)
