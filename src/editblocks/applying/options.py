"""How far a match may differ: the levels, a version to merge with, a person's choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from editblocks.matching.budget import Budget
from editblocks.matching.ladder import STRATEGIES, Loose, Strategy
from editblocks.text.source_text import SourceText


def _no_base() -> SourceText | None:
    return None


def _no_others() -> Iterable[tuple[str, SourceText]]:
    return ()


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
    base: Callable[[], SourceText | None] = _no_base
    other_files: Callable[[], Iterable[tuple[str, SourceText]]] = _no_others
