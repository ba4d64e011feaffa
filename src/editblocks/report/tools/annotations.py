"""Write findings and notes as annotations on lines of the response file and of the files that its blocks change.

Annotations are workflow commands in the log. The runner shows ten errors and ten warnings for each step. The action
writes them, and so does `--format github` for a step that runs the command line.
Rules: docs/internals/security.md, "logs and outputs", and docs/reference/output.md, "github".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import plural
from editblocks.report.escape import log_line, workflow_data, workflow_property
from editblocks.report.tools.findings import ERROR, WARNING, Finding, Report, findings, notes, refusals
from editblocks.report.view import OutcomeView

PER_STEP = 10  # annotations of each level that the runner shows
FileLines = tuple[str, tuple[int, int]]  # a file, and a first and a last line in it
LineMark = tuple[Finding, FileLines]


def marks(view: OutcomeView) -> list[LineMark]:
    """Return the annotations of the action: the findings and notes of a response, but not that it has no block."""
    all_marks = _marks(Report(view, path=view.outcome.response.source.path), typed=False)
    is_empty = ReasonCode.NO_BLOCKS.value
    return [(finding, place) for finding, place in all_marks if place is not None and finding.rule != is_empty]


def _marks(report: Report, *, typed: bool) -> Iterator[tuple[Finding, FileLines | None]]:
    """Yield each finding with the lines to mark; None if there is no file to mark, as for standard input.

    An error is marked in the response file and at the lines it is about, a warning at only one of them.
    """
    stopped = refusals([report]) if typed else ()  # the action says it once, for the whole run
    for finding in (*stopped, *findings(report, typed=typed), *notes(report)):
        places = (finding.origin, finding.target) if finding.level == ERROR else (finding.place,)
        has_mark = False
        for path, lines in filter(None, places):
            if lines is not None:
                has_mark = True
                yield finding, (path, lines)
        if not has_mark:
            yield finding, None


def workflow_commands(
    shown: Sequence[tuple[Finding, FileLines | None]], limit: int = PER_STEP, rest: str = "the job summary has them all"
) -> list[str]:
    """Return one line of ASCII for each annotation: at most `limit` errors and as many warnings.

    If there are more, the last line says how many are missing. `rest` is our sentence that says where to find them.
    """
    lines: list[str] = []
    for level in (ERROR, WARNING):
        commands = [_command(finding, place) for finding, place in shown if finding.level == level]
        if len(commands) > limit > 0:
            left = plural(len(commands) - limit + 1, f"more {level}")
            commands[limit - 1 :] = [f"::{level} title=editblocks::{left}; {rest}"]
        lines += commands[: max(0, limit)]
    return lines


def _command(finding: Finding, place: FileLines | None) -> str:
    """Write one annotation. A path that a command cannot hold goes into the message, so no wrong file is marked."""
    where = ""
    message = finding.message_at(place)
    if place is not None:
        path, (first, last) = place
        if log_line(path) == path:
            where = f"file={workflow_property(path)},line={first:d},endLine={last:d},"
        else:
            message = f"{path}:{first:d}: {message}"
    title = workflow_property(log_line(finding.rule))
    text = "%0A".join(workflow_data(log_line(line)) for line in (message, *finding.two_lines))
    return f"::{finding.level} {where}title={title}::{text}"


def render(reports: Sequence[Report]) -> str:
    """Write the annotations of all responses, one on a line: together at most ten errors and ten warnings."""
    shown = [mark for report in reports for mark in _marks(report, typed=True)]
    return "".join(f"{command}\n" for command in workflow_commands(shown, rest="the text form has them all"))
