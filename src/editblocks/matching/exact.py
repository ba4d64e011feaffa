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
    """Yield each line number at which the lines of `search` stand in `joined` (`SourceText.joined`)."""
    line, counted = 0, 0
    for position in _places("\n" + "\n".join(search) + "\n", joined):
        line += joined.count("\n", counted, position)
        counted = position
        yield line


def _places(needle: str, text: str) -> Iterator[int]:
    """Yield every place of `needle`, overlapping ones included, in time that grows with the text alone.

    A place that lies less than half of the needle after the one before shows that the needle repeats
    itself: then the next one costs only what it adds. Without that, braces in braces are quadratic.
    """
    position = text.find(needle)
    while position >= 0:
        yield position
        following = text.find(needle, position + 1)
        period = following - position
        if 0 < 2 * period <= len(needle):
            tail = needle[-period:]
            while text.startswith(tail, position + len(needle)):
                position += period
                yield position
            following = text.find(needle, position + 1)
        position = following
