"""How far a match may differ: the levels, a version to merge with, a person's choice. And one answer: nothing to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from editblocks.core.codes import ReasonCode
from editblocks.matching.ladder import STRATEGIES, Budget, Placement, Strategy
from editblocks.text.source_text import SourceText

# Takes SEARCH, REPLACE, the file, its path and the budget; yields every change that the texts may mean.
# Raises `LevelUnavailable` if the level cannot work here.
Loose = Callable[[Sequence[str], Sequence[str], SourceText, str, Budget], Iterator[Placement]]


@dataclass(frozen=True, slots=True)
class PlacementOptions:
    """`strategies` are the block's ladder; the rest helps where that finds nothing, or too much.

    `base` gives the file as the response's author saw it, with the blocks that were applied since; `other_files`
    gives the other files of the response with their paths, for hints alone.
    """

    strategies: Sequence[Strategy] = STRATEGIES
    loose: Sequence[Loose] = ()
    budget: Budget = field(default_factory=Budget)
    chosen_line: int | None = None  # the line of the branch's file (1-based) at which a person wants the block
    commit: str = ""  # of `base`
    base: Callable[[], SourceText | None] = lambda: None
    other_files: Callable[[], Iterable[tuple[str, SourceText]]] = lambda: ()


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """Nothing is left to do; `what` says why. `line` (0-based) is where the new text stands already, if anywhere."""

    code: ReasonCode
    what: str
    line: int | None = None
