"""A response as it is reported to other tools, and its findings: what a tool should show of it.

A block that is not fine is a finding, and one that landed with low confidence. Blocks that are ready, applied,
`already-applied` or `no-op` are no findings, nor are those that nobody asked for.
Rules: docs/reference/output.md, "what is a finding".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.selection import without
from editblocks.paths.syntax import is_safe_path
from editblocks.report.escape import cut_middle, visible
from editblocks.report.terminal.short import why_no_blocks
from editblocks.report.view import FAILED, OutcomeView, Row, source_name, strategy_text, two_lines

ERROR, WARNING = "error", "warning"
LOW_CONFIDENCE = "low-confidence"  # a note on a block that fits, not a reason why one fails
_MOST = 1000  # characters of a message
Place = tuple[str, "tuple[int, int] | None"]  # a file, and lines of it, 1-based and inclusive; None: the file itself


class Report(NamedTuple):
    """What every format is made from. `command` and `mode` are words of `results.schema.json`.

    `following` are the commands that a person may type next. `path` is the response file as blocks would call it;
    None if it is none of the repository. `target` is what the blocks were checked against: `kind` (worktree, index,
    commit, pull-request or memory), `repository`, `pull_request`, `ref`.
    """

    view: OutcomeView
    command: str = "check"
    mode: str = "all-or-nothing"
    target: Mapping[str, object] = MappingProxyType({})
    version: str = ""
    following: Sequence[str] = ()
    path: str | None = None
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


class Finding(NamedTuple):
    """`rule` is one of `sarif.RULES`, `level` `error` or `warning`, `message` one line without hidden characters.

    `origin` is the line of the response file at which the block begins, if it is one, `target` what the block is about;
    `at` is where it begins in words, such as `stdin:14`, for what is shown elsewhere.
    """

    rule: str
    level: str
    message: str
    origin: Place | None
    target: Place | None = None
    at: str = ""
    two_lines: tuple[str, ...] = ()

    @property
    def place(self) -> Place | None:
        """Where to show it: at the lines it is about, or else at the block, or else at its file."""
        if self.origin is not None and (self.target is None or self.target[1] is None):
            return self.origin
        return self.target

    def message_at(self, place: Place | None) -> str:
        """The message, which names the block where it is not shown at the block."""
        if place is not None and place == self.origin:
            return self.message
        return f"{self.message} ({self.at})"


def findings(report: Report, *, typed: bool = True) -> list[Finding]:
    """All findings of a response, in reading order; one alone if it holds no block and was not refused.

    `typed`: whoever sees them may type the option that chooses a place, so that it is named.
    """
    view = report.chosen
    if not view.rows and view.outcome.refusal is not None:
        return []
    if not view.rows:
        return [_whole(report, ReasonCode.NO_BLOCKS.value, shown_message(why_no_blocks(view)))]
    all_findings = (_finding(row, report, typed) for row in view.rows)
    return [finding for finding in all_findings if finding is not None]


def refusals(reports: Sequence[Report]) -> list[Finding]:
    """What stopped whole responses."""
    refused = [(report, report.view.outcome.refusal) for report in reports]
    return [_whole(report, no.code.value, shown_message(no.reason)) for report, no in refused if no is not None]


def _whole(report: Report, rule: str, message: str) -> Finding:
    """A finding about a whole response."""
    return Finding(rule, ERROR, message, _origin(report, 1), at=visible(report.name))


def _origin(report: Report, line: int) -> Place | None:
    """A line of the response file; None for a response that is no file of the repository."""
    if report.path is None:
        return None
    return report.path, (line, line)


def notes(report: Report) -> Iterator[Finding]:
    """The notes on the blocks and on the response, as warnings; only marks show them."""
    for whose, note, line in report.chosen.notes:
        at = visible(f"{report.name}:{line}")
        yield Finding(note.code, WARNING, shown_message(f"{whose}{note.message}"), _origin(report, line), at=at)


def _finding(row: Row, report: Report, typed: bool) -> Finding | None:
    verdict = _verdict(row, typed)
    if verdict is None:
        return None
    rule, level, message = verdict
    if row.code is not ReasonCode.BAD_CONFIG:  # which is the front matter
        message = f"block {row.number}: {message}"
    lines = row.target
    target: Place | None = None
    if row.head_path and (lines is not None or is_safe_path(row.head_path)):
        target = (row.head_path, lines)
    both_lines: tuple[str, ...] = ()
    if row.result is not None and not row.ok:
        both_lines = tuple(map(shown_message, two_lines(row.result)))
    origin = _origin(report, row.line_number)
    at = visible(f"{report.name}:{row.line_number}")
    return Finding(rule, level, shown_message(message), origin, target, at, both_lines)


def _verdict(row: Row, typed: bool) -> tuple[str, str, str] | None:
    """Rule, level and reason of a row; None if there is nothing to be said."""
    if row.code is not None and not row.ok and row.code is not ReasonCode.NOT_SELECTED:
        level = ERROR if row.word == FAILED else WARNING
        return row.code.value, level, row.reason(typed=typed)
    if row.result is not None and row.result.confidence == "low":
        return LOW_CONFIDENCE, WARNING, f"matched by {strategy_text(row.result)}; check the place"
    return None


def shown_message(message: str) -> str:
    """A message of limited length in one line, in which no character is hidden."""
    return cut_middle(visible(message), _MOST)
