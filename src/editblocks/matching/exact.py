"""SEARCH stands in the file, character for character."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.model import Match
from editblocks.text import SourceText

NAME = "exact"
CONFIDENCE = "high"


def find(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place, overlapping ones included, from the top."""
    for start in find_lines(search, source.joined):
        yield Match(start, start + len(search))


def find_lines(search: Sequence[str], joined: str) -> Iterator[int]:
    """Yield each line number at which the lines of `search` stand in `joined` (`SourceText.joined`).

    One `str.find` a place: it never goes back, so a text that nearly fits everywhere costs no more.
    """
    needle = "\n" + "\n".join(search) + "\n"
    line, counted = 0, 0
    position = joined.find(needle)
    while position >= 0:
        line += joined.count("\n", counted, position)
        counted = position
        yield line
        position = joined.find(needle, position + 1)
