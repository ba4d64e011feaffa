"""The marks of a run as workflow commands, for a step of GitHub Actions that runs the command line.

The action writes its own (`annotations`), with what it says in the job summary. Rules: docs/output.md, "github".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.outcome import Outcome
from editblocks.report.annotations import ERROR, WARNING, Annotation, marks, workflow_commands
from editblocks.report.escape import visible
from editblocks.report.findings import Finding, findings, refusals
from editblocks.report.reports import Report
from editblocks.report.rows import noted
from editblocks.report.wording import source_name

_REST = "the text form has them all"


def render(reports: Sequence[Report]) -> str:
    """A command a line: ten errors and ten warnings for all responses together, the last of each counts the rest."""
    shown = [mark for report in reports for mark in _marks(report)]
    return "".join(f"{command}\n" for command in workflow_commands(shown, rest=_REST))


def _marks(report: Report) -> Iterator[Annotation]:
    for _, code, reason in refusals([report]):
        yield _at_origin(report, ERROR, code, reason, 1)
    outcome = _placed(report)
    yield from marks(outcome)
    for finding in findings(report):
        if finding.level == WARNING or not _is_marked(finding, outcome):
            yield _mark(finding, report)
    for whose, message in noted(outcome) if report.path is None else ():
        yield _at_origin(report, WARNING, "note", visible(f"{whose}{message}"), 1)


def _placed(report: Report) -> Outcome:
    """The outcome, of which the response is a file only if that is one of the repository."""
    outcome = report.chosen
    response = outcome.response
    return replace(outcome, response=replace(response, source=replace(response.source, path=report.path)))


def _is_marked(finding: Finding, outcome: Outcome) -> bool:
    """Whether `marks` has it, which needs a line of a file."""
    return bool(outcome.result.rows) and finding.place is not None and finding.place.lines is not None


def _mark(finding: Finding, report: Report) -> Annotation:
    place = finding.place
    if place is None or place.lines is None:
        return _at_origin(report, finding.level, finding.rule, finding.message, finding.line)
    return Annotation(place.path, *place.lines, finding.level, finding.rule, finding.message)


def _at_origin(report: Report, level: str, code: str, message: str, line: int) -> Annotation:
    name = report.path or source_name(report.outcome.response.source)
    return Annotation(name, line, line, level, code, message, is_file=report.path is not None)
