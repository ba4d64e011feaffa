"""Find the marker lines of a response piece by piece, and keep them only as long as a block may need them."""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.formats.markers import Token, scan

_PIECE = 32 * 1024  # characters


def pieces(whole: str) -> Iterator[str]:
    """Yield pieces of whole lines, so that each piece can be processed before the next is scanned."""
    start = 0
    while start < len(whole):
        stop = whole.find("\n", start + _PIECE) + 1 or len(whole)
        yield whole[start:stop]
        start = stop


class Tokens:
    """The tokens by their number from the start of the response; dropped tokens are gone."""

    def __init__(self) -> None:
        self._kept: list[Token] = []
        self._first = 0

    def __len__(self) -> int:
        return self._first + len(self._kept)

    def __getitem__(self, number: int) -> Token:
        return self._kept[number - self._first]

    def read(self, lines: str, first_line: int) -> None:
        """Add the tokens of the next whole lines."""
        self._kept.extend(scan(lines, first_line))

    def let_go(self) -> None:
        """Drop all tokens so far: they are not needed any more."""
        self._first += len(self._kept)
        self._kept.clear()
