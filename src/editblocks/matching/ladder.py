"""The order in which strategies are tried, and the only code that counts what they find.

A strategy yields every span, and is tried only if all before it found nothing. One span is a match, several are
ambiguous. As the counting is here, no strategy can forget to look for a second place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from editblocks.core.model import Match, Placed
from editblocks.matching import exact, indentation, whitespace
from editblocks.matching.budget import Budget
from editblocks.text.source_text import SourceText


class Strategy(Protocol):
    """A strategy that finds a text: a module with a name, a confidence and `find`."""

    @property
    def NAME(self) -> str: ...
    @property
    def CONFIDENCE(self) -> str: ...

    def find(self, search: Sequence[str], replace: Sequence[str], source: SourceText) -> Iterator[Match]:
        """Yield every place of `search`, overlapping ones included, from the top."""


class Loose(Protocol):
    """A strategy that guesses where a text was meant: a module with a name, a confidence and `propose`."""

    @property
    def NAME(self) -> str: ...
    @property
    def CONFIDENCE(self) -> str: ...

    def propose(
        self, search: Sequence[str], replace: Sequence[str], source: SourceText, path: str, budget: Budget
    ) -> Iterator[Placed]:
        """Yield every change that the texts may mean. Raises `LevelUnavailable` if the strategy cannot work here."""


EXACT: tuple[Strategy, ...] = (exact,)
STRATEGIES: tuple[Strategy, ...] = (exact, whitespace, indentation)
MOST_KEPT = 50


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
    for strategy in strategies:
        places = strategy.find(search, replace, source)
        if matches := tuple(islice(places, MOST_KEPT)):
            return Matches(matches, strategy.NAME, strategy.CONFIDENCE, len(matches) + sum(1 for _ in places))
    return NOT_FOUND
