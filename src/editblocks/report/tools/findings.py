"""Collect what other tools should show of a response: its findings.

A block that fails is a finding, and so is one that was placed with low confidence. Blocks that are ready, applied,
`already-applied` or `no-op` are not, and neither are blocks that were not selected.
Rules: docs/reference/output.md, "what is a finding".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from editblocks.core.characters import cut_middle
from editblocks.core.codes import ReasonCode
from editblocks.core.selection import mark_left_out
from editblocks.paths.syntax import is_safe_path
from editblocks.report.escape import visible
from editblocks.report.short import why_no_blocks
from editblocks.report.view import FAILED, OutcomeView, Row, source_name, strategy_text, two_lines

ERROR, WARNING = "error", "warning"
LOW_CONFIDENCE = "low-confidence"  # the rule for a block that fits; it is not a reason code
_MOST = 1000  # characters of a message
Place = tuple[str, "tuple[int, int] | None"]  # a file, and lines in it, 1-based and inclusive; None: the whole file


class Report(NamedTuple):
    """The input of every format of `--format`. `command` and `mode` are words of `results.schema.json`.

    `following` are the commands that a person may type next. `path` is the response file's path from the root; None if
    it is not in the repository. `target` is what the blocks were checked against: `kind` (worktree, index, commit,
    pull-request or memory), `repository`, `pull_request`, `ref`.
    """

    view: OutcomeView
    command: str = "check"
    mode: str = "all-or-nothing"
    target: Mapping[str, object] = MappingProxyType({})
    version: str = ""
    following: Sequence[str] = ()
    path: str | None = None
    meanings: Mapping[str, str] = MappingProxyType({})  # what each code means, for formats that show rules
    has_texts: bool = False  # the JSON result also holds the text of blocks and places
    choosing: str = ""  # the start of a command, up to the pick of a place; empty if no such command would work

    @property
    def name(self) -> str:
        """The name of the response: its path, or where it came from. Foreign text."""
        return self.path or source_name(self.view.outcome.response.source)

    @property
    def chosen(self) -> OutcomeView:
        """The view without the failures of blocks that were not selected: the exit code ignores them."""
        outcome = self.view.outcome
        return OutcomeView(outcome._replace(result=mark_left_out(outcome.result, outcome.not_selected)))


class Finding(NamedTuple):
    """`rule` is one of `sarif.RULES`, `level` `error` or `warning`, `message` one line without hidden characters.

    `origin` is the line of the response file where the block begins, None if the response is not a file. `target` is
    the place that the block is about. `at` names the origin in words, such as `stdin:14`.
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
        """Where to show it: at the lines it is about, else at the block, else at the whole file."""
        if self.origin is not None and (self.target is None or self.target[1] is None):
            return self.origin
        return self.target

    def message_at(self, place: Place | None) -> str:
        """Return the message; it names the block's origin unless it is shown there."""
        if place is not None and place == self.origin:
            return self.message
        return f"{self.message} ({self.at})"


def findings(report: Report, *, typed: bool = True) -> list[Finding]:
    """Return all findings of a response in reading order; a single one if it holds no block and was not refused.

    `typed`: the reader can type the option that chooses a place, so it is named.
    """
    view = report.chosen
    if not view.rows and view.outcome.refusal is not None:
        return []
    if not view.rows:
        return [_whole(report, ReasonCode.NO_BLOCKS, why_no_blocks(view))]
    all_findings = (_finding(row, report, typed) for row in view.rows)
    return [finding for finding in all_findings if finding is not None]


def refusals(reports: Sequence[Report]) -> list[Finding]:
    """Return a finding for each response that was refused as a whole."""
    refused = [(report, report.view.outcome.refusal) for report in reports]
    return [_whole(report, refusal.code, refusal.reason) for report, refusal in refused if refusal is not None]


def _whole(report: Report, code: ReasonCode, message: str) -> Finding:
    """Make a finding about a whole response."""
    return Finding(code.value, ERROR, shown_message(message), _origin(report, 1), at=visible(report.name))


def _origin(report: Report, line: int) -> Place | None:
    """Return the place of a line of the response file; None if the response is not a file in the repository."""
    if report.path is None:
        return None
    return report.path, (line, line)


def notes(report: Report) -> Iterator[Finding]:
    """Yield the notes on the blocks and on the response, as warnings; only annotations show them."""
    for whose, note, line in report.chosen.notes:
        at = visible(f"{report.name}:{line}")
        yield Finding(note.code, WARNING, shown_message(f"{whose}{note.message}"), _origin(report, line), at=at)


def _finding(row: Row, report: Report, typed: bool) -> Finding | None:
    """Return the finding about a row; None if it is fine, was not selected, and was not placed with low confidence."""
    if row.code is not None and not row.ok and row.code is not ReasonCode.NOT_SELECTED:
        rule = row.code.value
        level = ERROR if row.word == FAILED else WARNING
        message = row.reason(typed=typed)
    elif row.result is not None and row.result.confidence == "low":
        rule = LOW_CONFIDENCE
        level = WARNING
        message = f"matched by {strategy_text(row.result)}; check the place"
    else:
        return None
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


def shown_message(message: str) -> str:
    """Return a message as one line of limited length, with hidden characters shown by name."""
    return cut_middle(visible(message), _MOST)
