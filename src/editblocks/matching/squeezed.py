"""Lines without white space, joined into one string: what remains when only tokens count."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from editblocks.text.languages import TooHard

MOST_TRIES = 2_000
_BLANK = str.maketrans("", "", " \t\r\n\f\v")


def blanks(lines: Sequence[str]) -> int:
    """How many blank lines come first."""
    return next((index for index, line in enumerate(lines) if line.translate(_BLANK)), len(lines))


@dataclass(frozen=True, slots=True)
class SqueezedText:
    """Lines without any white space, in one string. `starts`: where each begins, and where the last one ends."""

    text: str
    starts: Sequence[int]

    @classmethod
    def of(cls, lines: Sequence[str]) -> SqueezedText:
        """Take the white space of ASCII out of `lines`; all other space is text."""
        dense = [line.translate(_BLANK) for line in lines]
        return cls("".join(dense), list(accumulate(map(len, dense), initial=0)))

    def whole_lines(self, start: int, stop: int) -> tuple[int, int] | None:
        """The lines that hold characters `start:stop` and no others, blank ones at both ends left out."""
        first, last = bisect_right(self.starts, start) - 1, bisect_left(self.starts, stop)
        return (first, last) if self.starts[first] == start and self.starts[last] == stop else None

    def windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Every run of whole lines that holds `text`, overlapping ones included. Raises `TooHard` past 2,000 tries."""
        start, tries = self.text.find(text), 0
        while start >= 0:
            tries += 1
            if tries > MOST_TRIES:
                raise TooHard
            window = self.whole_lines(start, start + len(text))
            if window is not None:
                yield window
            following = self.starts[bisect_right(self.starts, start)]  # a window begins where a line does
            start = self.text.find(text, following)
