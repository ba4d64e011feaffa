"""What a tool should show of a response: each block that is not fine, and each that landed with low confidence.

Blocks that are ready, applied, `already-applied` or `no-op` are no findings, nor are those that nobody asked for.
Rules: docs/reference/output.md, "what is a finding".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Candidate, Difference, EditResult, Problem
from editblocks.paths import is_safe_path
from editblocks.report.escape import cut_middle, visible
from editblocks.report.terminal.short import differing, short_rows, short_summary, why_no_blocks
from editblocks.report.tools.fixes import Fix
from editblocks.report.tools.rules import LOW_CONFIDENCE
from editblocks.report.tools.tool_report import Report
from editblocks.report.view import FAILED, Row, strategy_text
from editblocks.text.line_index import LineStarts

ERROR, WARNING = "error", "warning"
_MOST = 1000  # characters of a message


Place = tuple[str, "tuple[int, int] | None"]  # a file, and lines of it, 1-based and inclusive; None: the file itself


@dataclass(frozen=True, slots=True)
class Finding:
    """`rule` is one of `rules.RULES`, `level` `error` or `warning`, `message` one line without hidden characters.

    `target` is what the block is about, `line` where it begins in the response, `origin` that line of the response
    file if it is one; `at` is where the block begins in words, such as `stdin:14`, for what is shown elsewhere.
    `plain` is the row as a terminal shows it. `digest` stays the same when the block or its place moves to another
    line.
    """

    rule: str
    level: str
    message: str
    target: Place | None
    line: int
    origin: Place | None
    at: str
    plain: str
    digest: str
    places: tuple[Candidate, ...] = ()
    difference: Difference | None = None
    two_lines: tuple[str, ...] = ()
    fix: Fix | None = None

    @property
    def place(self) -> Place | None:
        """Where to show it: at the lines it is about, or else at the block, or else at its file."""
        if self.origin is not None and (self.target is None or self.target[1] is None):
            return self.origin
        return self.target


def findings(report: Report) -> list[Finding]:
    """All findings of a response, in reading order; one alone if it holds no block and was not refused."""
    view = report.chosen
    if not view.result.rows:
        return [] if view.outcome.refusal is not None else [_no_blocks(report)]
    shown = short_rows(view).split("\n")
    lines = LineStarts(view.outcome.response.text)
    together = zip(view.rows, view.result.rows, shown, strict=False)  # the last text is empty
    all_findings = (_finding(row, _known_by(known, lines), plain, report) for row, known, plain in together)
    return list(_count_twins(finding for finding in all_findings if finding is not None))


def refusals(reports: Sequence[Report]) -> Iterator[tuple[Report, str, str]]:
    """The refusals of whole responses: the report, the code, and the sentence."""
    for report in reports:
        refusal = report.view.outcome.refusal
        if refusal is not None:
            yield report, refusal.code.value, shown_message(refusal.reason)


def _no_blocks(report: Report) -> Finding:
    view, rule = report.view, ReasonCode.NO_BLOCKS.value
    plain, at = short_summary(view), visible(report.name)
    message = shown_message(why_no_blocks(view))
    origin = None if report.path is None else (report.path, (1, 1))
    return Finding(rule, ERROR, message, None, 1, origin, at, plain, _digest(rule, "", view.outcome.response.text))


def _finding(row: Row, known_by: str, plain: str, report: Report) -> Finding | None:
    verdict = _verdict(row)
    if verdict is None:
        return None
    rule, level, reason = verdict
    result = row.result
    origin = None if report.path is None else (report.path, (row.line_number, row.line_number))
    lines = row.target
    return Finding(
        rule,
        level,
        shown_message(f"block {row.number}: {reason}"),
        (row.path, lines) if row.path and (lines is not None or is_safe_path(row.path)) else None,
        row.line_number,
        origin,
        visible(f"{report.name}:{row.line_number}"),
        plain,
        _digest(rule, row.path or "", known_by),
        result.candidates_in_file if result is not None and row.code is ReasonCode.AMBIGUOUS and lines else (),
        None if result is None or lines is None else result.first_difference,
        the_two_lines(row),
        report.fixes.get(row.number),
    )


def the_two_lines(row: Row) -> tuple[str, ...]:
    """The texts of a failed block and of its file where they part, each in a line; none where they are not known."""
    lines = () if row.result is None or row.ok else tuple(differing(row.result))
    return tuple(cut_middle(line.strip(), _MOST) for line in lines[:2])


def _verdict(row: Row) -> tuple[str, str, str] | None:
    """Rule, level and reason of a row; None if there is nothing to be said."""
    if row.code is not None and not row.ok and row.code is not ReasonCode.NOT_SELECTED:
        return (
            row.code.value,
            ERROR if row.word == FAILED else WARNING,
            row.typed_reason,
        )
    if row.result is not None and row.result.confidence == "low":
        return LOW_CONFIDENCE, WARNING, f"matched by {strategy_text(row.result)}; look at the place"
    return None


def _known_by(row: EditResult | Problem, lines: LineStarts) -> str:
    """The identity of a block, wherever it stands: the digest of what it asks for, or its lines of the response."""
    if isinstance(row, EditResult):
        return row.block.digest
    return lines.between(row.line_number, row.end_line)


def shown_message(message: str) -> str:
    """A message of limited length in one line, in which no character is hidden."""
    return cut_middle(visible(message), _MOST)


def _digest(*parts: str) -> str:
    """32 hex digits over all parts."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _count_twins(all_findings: Iterator[Finding]) -> Iterator[Finding]:
    """Blocks that ask for the same thing are told apart by their order."""
    seen = Counter[str]()
    for finding in all_findings:
        seen[finding.digest] += 1
        yield replace(finding, digest=f"{finding.digest}:{seen[finding.digest]}")
