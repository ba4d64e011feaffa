"""Which levels of matching were asked for each block, and what they found: what `-v` adds.

The first level that finds a place decides, so those before it have found none.
"""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.core.codes import ReasonCode
from editblocks.core.model import EditResult
from editblocks.core.phrases import plural
from editblocks.core.settings import Settings
from editblocks.matching.ladder import EXACT, EXACT_FORMATS, LOOSE_LEVELS, STRATEGIES
from editblocks.report.view import OutcomeView

_SEARCHED = (ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE)


def levels(view: OutcomeView, settings: Settings) -> str:
    """A line for each block that was searched for: `block 2 by level: exact none, trailing-space 2 places`."""
    is_merged = bool(settings.three_way and view.result.base)
    is_merged &= all(note.code != "base-unknown" for note in view.result.notes)
    shown = ((row.number, _asked(row.result, settings, is_merged)) for row in view.rows if row.result is not None)
    return "".join(f"block {number} by level: {', '.join(asked)}\n" for number, asked in shown if asked)


def _asked(result: EditResult, settings: Settings, is_merged: bool) -> list[str]:
    block, mismatch = result.block, result.mismatch
    if result.chosen or (mismatch is not None and (mismatch.code not in _SEARCHED or mismatch.chosen_line)):
        return []
    decided, found = result.strategy or "", "1 place"
    if mismatch is not None:
        decided = "three-way" if mismatch.code is ReasonCode.STALE else mismatch.level
        found = "a conflict" if decided == "three-way" else plural(mismatch.candidates_total, "place")
    names = list(_levels(result, settings, is_merged))
    if decided and decided not in names:  # such as a new file
        return []
    before = names[: names.index(decided)] if decided else names
    none = [f"{name} none" for name in before]
    return [*none, f"{decided} {found}"] if decided else none if not block.creates_file else []


def _levels(result: EditResult, settings: Settings, is_merged: bool) -> Iterator[str]:
    """The levels for this block in their order, down to the last that could be asked."""
    is_exact = result.block.format in EXACT_FORMATS
    yield from (each.name for each in (EXACT if is_exact or settings.matching == "exact" else STRATEGIES))
    if is_merged or result.strategy == "three-way" or result.code is ReasonCode.STALE:
        yield "three-way"
    if settings.matching == "loose" and not is_exact and not result.block.splits:
        yield from LOOSE_LEVELS
