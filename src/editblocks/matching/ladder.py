"""The order in which strategies are tried, and the only code that counts what they find.

A strategy yields every span, and is tried only if all before it found nothing. One span is a match, several are
ambiguous. As the counting is here, no strategy can forget to look for a second place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from editblocks.core.model import Match
from editblocks.matching import indentation
from editblocks.text.source_text import SourceText, right_stripped

MOST_KEPT = 50
_DISTINCTIVE_LINES, _DISTINCTIVE_CHARACTERS = 3, 40


class Strategy(NamedTuple):
    """A way to find a text. `find` takes SEARCH, REPLACE and the file; it yields every place, overlapping ones too."""

    name: str
    confidence: str
    find: Callable[[Sequence[str], Sequence[str], SourceText], Iterator[Match]]


def find_exact(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield where SEARCH is in the file, character for character."""
    for start in source.places(search):
        yield Match(start, start + len(search))


def find_trailing_space(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield where SEARCH is in the file apart from spaces and tabs at line ends."""
    for start in source.places(list(map(right_stripped, search)), right_stripped):
        yield Match(start, start + len(search))


EXACT = (Strategy("exact", "high", find_exact),)
STRATEGIES = (
    *EXACT,
    Strategy("trailing-space", "high", find_trailing_space),
    Strategy("indentation", "medium", indentation.find),
)


@dataclass(frozen=True, slots=True)
class Matches:
    """The places of a text that the first successful strategy found; `count` is their number."""

    matches: tuple[Match, ...] = ()  # the first `MOST_KEPT` of them: a file may have a million equal braces
    strategy: str = ""
    confidence: str = ""
    count: int = 0

    @property
    def match(self) -> Match | None:
        """The place, if there is exactly one; else None."""
        return self.matches[0] if self.count == 1 else None


NOT_FOUND = Matches()


def locate(
    search: Sequence[str], replace: Sequence[str], source: SourceText, strategies: Sequence[Strategy] = STRATEGIES
) -> Matches:
    """Try the strategies in order; the first that finds anything decides."""
    for name, confidence, find in strategies:
        places = find(search, replace, source)
        if matches := tuple(islice(places, MOST_KEPT)):
            return Matches(matches, name, confidence, len(matches) + sum(1 for _ in places))
    return NOT_FOUND


def is_distinctive(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether a file that holds `replace` holds it because it replaced `search`, and not by chance."""
    lines = {line for line in replace if line.strip(" \t")}
    return is_long(replace) and bool(lines - set(search))


def is_long(lines: Sequence[str]) -> bool:
    """Whether there is too much text to be in a file by chance: any file has a brace."""
    filled = [line for line in lines if any(map(str.isalnum, line))]
    characters = sum(len("".join(line.split())) for line in filled)
    return len(filled) >= _DISTINCTIVE_LINES or characters >= _DISTINCTIVE_CHARACTERS
