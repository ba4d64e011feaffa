"""What `-v` adds to the paragraph of a block: the levels that were tried, and who changed the line that differs.

Both are told from the result and the settings, so that planning carries nothing along for it.
Page: docs/reference/command-line.md, "what is printed".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome
from editblocks.core.settings import Settings
from editblocks.matching.ladder import EXACT, STRATEGIES
from editblocks.report.view import OutcomeView
from editblocks.repos.stores.blame import last_change

EXACT_ONLY = ("edit-v2", "edit-v3")  # formats whose texts are never looked for tolerantly
_LOOSE = ("elided", "syntax", "fuzzy")


def traces(outcome: Outcome, settings: Settings, root: Path) -> Mapping[int, Sequence[str]]:
    """Lines for each block by its number; none for blocks that were not looked for. They hold foreign text."""
    lines = {result.block.number: [*_lines(result, outcome, settings, root)] for result in outcome.result.results}
    return {number: its_lines for number, its_lines in lines.items() if its_lines}


def _lines(result: EditResult, outcome: Outcome, settings: Settings, root: Path) -> Iterator[str]:
    difference = result.first_difference
    if difference is not None and difference.actual is not None and not difference.after:
        is_moved = OutcomeView(outcome).is_written and result.file_path in outcome.result.contents
        change = None if is_moved else last_change(root, outcome.head, result.file_path, difference.line)
        if change is not None:
            commit, date, subject = change
            yield f"last changed in {commit[:7]} ({date}): {subject}"
    notes = (*outcome.result.notes, *result.notes)
    has_base = outcome.result.base is not None and all(note.code != "base-unknown" for note in notes)
    names = levels(result.block.format, settings, has_base=has_base)
    if result.status is EditStatus.APPLIED and result.strategy != "create":
        before = takewhile(lambda name: name != result.strategy, names)
        yield f"tried: {', '.join((*before, result.strategy or ''))}"
    elif result.code in (ReasonCode.NO_MATCH, ReasonCode.STALE):
        yield f"tried: {', '.join(names)}"
    elif result.code in (ReasonCode.AMBIGUOUS, ReasonCode.ALREADY_APPLIED):
        yield f"tried in turn until one fits: {', '.join(names)}"


def levels(format_name: str, settings: Settings, *, has_base: bool) -> tuple[str, ...]:
    """The names of the levels that a block of this format may go through, in their order."""
    exact_only = format_name in EXACT_ONLY
    ladder = EXACT if exact_only or settings.matching == "exact" else STRATEGIES
    merged = ("three-way",) if settings.three_way and has_base else ()
    loose = _LOOSE if settings.matching == "loose" and not exact_only else ()
    return (*(strategy.name for strategy in ladder), *merged, *loose)
