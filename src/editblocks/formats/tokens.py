"""The marker lines of a response, found a piece at a time, and kept only as long as a block may need them."""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.formats.markers import Token, scan

_PIECE = 32 * 1024  # characters


def pieces(whole: str) -> Iterator[str]:
    """Whole lines, cut behind line ends: what is found in one piece is dealt with before the next is looked at."""
    start = 0
    while start < len(whole):
        stop = whole.find("\n", start + _PIECE) + 1 or len(whole)
        yield whole[start:stop]
        start = stop


class Tokens:
    """Tokens by their number since the beginning; those that were let go cannot be had again."""

    def __init__(self) -> None:
        self._kept: list[Token] = []
        self._first = 0

    def __len__(self) -> int:
        return self._first + len(self._kept)

    def __getitem__(self, number: int) -> Token:
        return self._kept[number - self._first]

    def read(self, lines: str, first_line: int) -> None:
        """Find those of the next whole lines."""
        self._kept.extend(scan(lines, first_line))

    def let_go(self) -> None:
        """Nobody asks for those so far any more."""
        self._first += len(self._kept)
        self._kept.clear()
