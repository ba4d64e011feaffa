"""The marks of a run as workflow commands, for a step of GitHub Actions that runs the command line.

The action writes its own (`annotations`), with what it says in the job summary. Rules: docs/reference/output.md,
"github".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.report.tools.annotations import ERROR, WARNING, Annotation, marks, workflow_commands
from editblocks.report.tools.findings import Finding, findings, refusals
from editblocks.report.tools.tool_report import Report
from editblocks.report.view import OutcomeView

_REST = "the text form has them all"


def render(reports: Sequence[Report]) -> str:
    """A command a line: ten errors and ten warnings for all responses together, the last of each counts the rest."""
    shown = [mark for report in reports for mark in _marks(report)]
    return "".join(f"{command}\n" for command in workflow_commands(shown, rest=_REST))


def _marks(report: Report) -> Iterator[Annotation]:
    for _, code, reason in refusals([report]):
        yield _at_origin(report, ERROR, code, reason, 1)
    view = _with_file_name(report)
    all_findings, shown = findings(report), marks(view, typed=True)
    if report.path is None:
        yield from (_mark(finding, report) for finding in all_findings)
        yield from (replace(mark, is_file=False) for mark in shown if mark.level == WARNING)
        return
    yield from shown
    for finding in all_findings:
        if finding.level == WARNING or not _is_marked(finding, view):
            yield _mark(finding, report)


def _with_file_name(report: Report) -> OutcomeView:
    """The view with its response named as the repository names it, if it is a file there."""
    outcome = report.chosen.outcome
    response = outcome.response
    return OutcomeView(replace(outcome, response=replace(response, source=replace(response.source, path=report.name))))


def _is_marked(finding: Finding, view: OutcomeView) -> bool:
    """Whether `marks` has it, which needs a line of a file."""
    return bool(view.result.rows) and finding.place is not None and finding.place.lines is not None


def _mark(finding: Finding, report: Report) -> Annotation:
    place = finding.place
    if place is None or place.lines is None:
        mark = _at_origin(report, finding.level, finding.rule, finding.message, finding.line)
        return replace(mark, more=finding.two_lines)
    whose = "" if place is finding.origin else f" ({finding.at})"
    message = f"{finding.message}{whose}"
    return Annotation(place.path, *place.lines, finding.level, finding.rule, message, more=finding.two_lines)


def _at_origin(report: Report, level: str, code: str, message: str, line: int) -> Annotation:
    return Annotation(report.name, line, line, level, code, message, is_file=report.path is not None)
