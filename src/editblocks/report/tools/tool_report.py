"""One response as it is reported to other tools: its outcome, what was asked for, and what would mend it.

A fix is the change of a failed block at the one place that a person could choose. A place is offered only where
choosing it works (docs/reference/command-line.md, "choosing blocks"). If there is exactly one, the block is planned
there, alone, and what that changes in the file is the fix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from types import MappingProxyType

from editblocks.core.codes import EditStatus
from editblocks.core.errors import EditBlocksError
from editblocks.core.model import ApplyResult
from editblocks.core.selection import Selection, without
from editblocks.core.typed import NamedTuple
from editblocks.report.view import OutcomeView, Row, source_name
from editblocks.text.source_text import SourceText

FINE, NOT_OK, BROKEN = 0, 1, 2  # what the run exits with: docs/reference/command-line.md, "exit codes"
MOST = 20  # each is a plan of its own
Line = tuple[str, str]  # a line, and its end


class Fix(NamedTuple):
    """Lines of `path` from `start` (0-based) on: `new` takes the place of `old`, which is not empty.

    Of the lines that a change keeps, one is among both if one of the two would be empty or a blank line without it.
    """

    path: str
    start: int
    old: tuple[Line, ...]
    new: tuple[Line, ...]

    @property
    def stop(self) -> int:
        """The line (0-based) behind the last one that goes."""
        return self.start + len(self.old)


class Report(NamedTuple):
    """What every format is made from. `command` and `mode` are words of `results.schema.json`.

    `following` are the commands that a person may type next. `path` is the response file as blocks would call it;
    None if it is none of the repository. `fixes` are what `fixes` found, by block. `target` is what the blocks were
    checked against: `kind` (worktree, index, commit, pull-request or memory), `repository`, `pull_request`, `ref`.
    """

    view: OutcomeView
    command: str = "check"
    mode: str = "all-or-nothing"
    target: Mapping[str, object] = MappingProxyType({})
    version: str = ""
    following: Sequence[str] = ()
    path: str | None = None
    fixes: Mapping[int, Fix] = MappingProxyType({})
    meanings: Mapping[str, str] = MappingProxyType({})  # of the codes, for formats that show rules
    has_texts: bool = False  # the JSON result also holds the text of the blocks and places
    choosing: str = ""  # a command, up to where the choice of a place goes; empty if none would work

    @property
    def name(self) -> str:
        """What to call the response: its path, or where it came from. Foreign text."""
        return self.path or source_name(self.view.outcome.response.source)

    @property
    def chosen(self) -> OutcomeView:
        """The view without the failures of blocks that nobody chose, as the exit code counts it."""
        outcome = self.view.outcome
        return OutcomeView(outcome._replace(result=without(outcome.result, outcome.not_selected)))

    @property
    def exit_code(self) -> int:
        """What a run with this response alone exits with."""
        if self.view.outcome.refusal is not None:
            return BROKEN
        return FINE if self.view.outcome.ok else NOT_OK


def fixes(view: OutcomeView, plan: Callable[[Selection], ApplyResult]) -> dict[int, Fix]:
    """The fixes of the failed blocks, by their numbers, for the first `MOST` that have one place.

    `plan` plans the same response on the same files as before, of which only some blocks are taken. What it raises
    (`EditBlocksError`) leaves a block without a fix.
    """
    asked = (row for row in view.rows if row.number not in view.outcome.not_selected)
    places = ((row.number, row.path, pick) for row in asked if (pick := _single_place(row)) is not None)
    found: dict[int, Fix | None] = {}
    for number, path, pick in islice(places, MOST):
        with suppress(EditBlocksError):
            found[number] = _fix(number, path or "", plan(Selection.read(pick)))
    return {number: fix for number, fix in found.items() if fix is not None}


def _single_place(row: Row) -> str | None:
    """What chooses the only place of a block, if it has only one."""
    if row.choice is None or row.result is None:
        return None
    candidates = row.result.candidates
    picks = [candidate.pick for candidate in candidates if candidate.pick is not None]
    return picks[0] if len(picks) == 1 and row.result.candidates_total <= len(candidates) else None


def _fix(number: int, path: str, result: ApplyResult) -> Fix | None:
    applied = [row.block.number for row in result.results if row.status is EditStatus.APPLIED]
    old, new = _lines(result.originals.get(path)), _lines(result.contents.get(path))
    return _change(path, old, new) if applied == [number] and old and old != new else None


def _lines(data: bytes | None) -> list[Line]:
    source = SourceText.decode(data or b"")
    return list(zip(source.lines, source.ends, strict=True))


def _change(path: str, old: Sequence[Line], new: Sequence[Line]) -> Fix:
    start = _common(old, new)
    below = _common(old[start:][::-1], new[start:][::-1])
    while _is_bare(old[start : len(old) - below], new[start : len(new) - below]) and (start or below):
        start, below = (start - 1, below) if start else (start, below - 1)
    return Fix(path, start, tuple(old[start : len(old) - below]), tuple(new[start : len(new) - below]))


def _common(old: Sequence[Line], new: Sequence[Line]) -> int:
    length = min(len(old), len(new))
    return next((index for index in range(length) if old[index] != new[index]), length)


def _is_bare(old: Sequence[Line], new: Sequence[Line]) -> bool:
    """Whether a reader of lines could not tell what goes, or that a blank line comes."""
    return not old or not any(line for line, _ in new)
