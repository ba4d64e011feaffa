"""Marks on the lines of files: those of a response file and those that its blocks are about.

As commands for the runner, which shows ten errors and ten warnings a step, and as a check run, which takes a hundred.
The action writes them with what it says in the job summary, `--format github` for a step that runs the command line.
Rules: docs/internals/security.md, "logs and outputs", and docs/reference/output.md, "github".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Note
from editblocks.core.phrases import plural
from editblocks.report.escape import log_line, workflow_data, workflow_property
from editblocks.report.status.headline import headline, lead
from editblocks.report.status.links import Page
from editblocks.report.status.table import table
from editblocks.report.tools.findings import ERROR, WARNING, Finding, findings, refusals, shown_message, the_two_lines
from editblocks.report.tools.tool_report import Report
from editblocks.report.view import FAILED, OutcomeView, Row

MOST = 100  # in a check run, all requests together
PER_STEP = 10  # of each level that the runner shows
SUMMARY_LIMIT = 60_000  # GitHub refuses 65,535


@dataclass(frozen=True, slots=True)
class Annotation:
    """A mark on lines of a file, 1-based and inclusive. `level` is `error` or `warning`, `title` a stable word.

    `message` is one line in which no character is hidden, and `more` are such lines below it: the two that differ, in a
    block that does not fit. `path` is as it came. `is_file` is not so for what is no
    file of the repository, as standard input: then the message says where.
    """

    path: str
    line: int
    end_line: int
    level: str
    title: str
    message: str
    is_file: bool = True
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRun:
    """What a check run says. `conclusion` is `success`, `failure` or `neutral`; `summary` is Markdown."""

    title: str
    summary: str
    conclusion: str
    annotations: tuple[Annotation, ...]


def marks(view: OutcomeView, *, typed: bool = False) -> list[Annotation]:
    """A mark for each failed block on its line of the response file and on the line it is about; then the notes.

    Of a response that is no file only the lines it is about; those of a file that this run changed are others now.
    `typed`: whoever sees them may type the option that chooses a place, so that it is named.
    """
    failed = [row for row in view.rows if row.word == FAILED]
    path = view.outcome.response.source.path
    all_marks = [mark for row in failed for mark in _failure(row, path, typed=typed)]
    return all_marks if path is None else [*all_marks, *_warnings(view, path)]


def _failure(row: Row, path: str | None, *, typed: bool) -> Iterator[Annotation]:
    code = row.code.value if row.code is not None else FAILED
    reason = row.typed_reason if typed else row.reason
    more = the_two_lines(row)
    if path is not None:
        whose = "" if row.code is ReasonCode.BAD_CONFIG else f"block {row.number}: "  # it is the front matter
        mark = _annotation(path, (row.line_number, row.line_number), ERROR, code, f"{whose}{reason}")
        yield replace(mark, more=more)
    lines = row.target
    if row.path is not None and lines is not None:
        whose = f"block {row.number}" + (f" of {path}" if path is not None else "")
        yield replace(_annotation(row.path, lines, ERROR, code, f"{whose}: {reason}"), more=more)


def _warnings(view: OutcomeView, path: str) -> Iterator[Annotation]:
    for note in view.result.notes:
        yield _warning(path, note, 1, "")
    for row in view.rows:
        own = () if row.result is None else (*row.result.block.notes, *row.result.notes)
        for note in dict.fromkeys(own):
            yield _warning(path, note, row.line_number, f"block {row.number}: ")
    for problem in view.result.problems:
        for note in problem.notes:
            yield _warning(path, note, problem.line_number, f"block {problem.number}: ")


def _warning(path: str, note: Note, line: int, whose: str) -> Annotation:
    at = note.line_number or line
    return _annotation(path, (at, at), WARNING, note.code, f"{whose}{note.message}")


def _annotation(path: str, lines: tuple[int, int], level: str, title: str, message: str) -> Annotation:
    return Annotation(path, *lines, level, title, shown_message(message))


def workflow_commands(
    shown: Sequence[Annotation], limit: int = PER_STEP, rest: str = "the job summary has them all"
) -> list[str]:
    """One line of ASCII a mark, for the log of a run: at most `limit` errors and as many warnings.

    Where there are more, the last one counts those that are left; `rest` says, in our words, where they are.
    """
    return [command for level in (ERROR, WARNING) for command in _commands(shown, level, limit, rest)]


def _commands(shown: Sequence[Annotation], level: str, limit: int, rest: str) -> list[str]:
    commands = [_command(mark) for mark in shown if mark.level == level]
    if len(commands) > limit > 0:
        left = plural(len(commands) - limit + 1, f"more {level}")
        commands[limit - 1 :] = [f"::{level} title=editblocks::{left}; {rest}"]
    return commands[: max(0, limit)]


def _command(mark: Annotation) -> str:
    """A path that the log cannot hold as it is stands in the message: a mark on another file would be wrong."""
    where, message = f"file={workflow_property(mark.path)},line={mark.line:d},endLine={mark.end_line:d},", mark.message
    if not mark.is_file or log_line(mark.path) != mark.path:
        where, message = "", f"{mark.path}:{mark.line:d}: {mark.message}"
    title = workflow_property(log_line(mark.title))
    text = "%0A".join(workflow_data(log_line(line)) for line in (message, *mark.more))
    return f"::{mark.level} {where}title={title}::{text}"


def render(reports: Sequence[Report]) -> str:
    """A command a line: ten errors and ten warnings for all responses together, the last of each counts the rest."""
    shown = [mark for report in reports for mark in _marks_of(report)]
    return "".join(f"{command}\n" for command in workflow_commands(shown, rest="the text form has them all"))


def _marks_of(report: Report) -> Iterator[Annotation]:
    for _, code, reason in refusals([report]):
        yield _at_origin(report, ERROR, code, reason, 1)
    outcome = report.chosen.outcome  # with the name that the repository has for the file, if it is one there
    source = replace(outcome.response.source, path=report.name)
    view = OutcomeView(replace(outcome, response=replace(outcome.response, source=source)))
    all_findings, shown = findings(report), marks(view, typed=True)
    if report.path is None:
        yield from (_mark(finding, report) for finding in all_findings)
        yield from (replace(mark, is_file=False) for mark in shown if mark.level == WARNING)
        return
    yield from shown
    for finding in all_findings:
        has_lines = finding.place is not None and finding.place[1] is not None
        if finding.level == WARNING or not (view.result.rows and has_lines):  # the others are among `shown`
            yield _mark(finding, report)


def _mark(finding: Finding, report: Report) -> Annotation:
    place = finding.place
    if place is None or place[1] is None:
        mark = _at_origin(report, finding.level, finding.rule, finding.message, finding.line)
        return replace(mark, more=finding.two_lines)
    whose = "" if place is finding.origin else f" ({finding.at})"
    message = f"{finding.message}{whose}"
    return Annotation(place[0], *place[1], finding.level, finding.rule, message, more=finding.two_lines)


def _at_origin(report: Report, level: str, code: str, message: str, line: int) -> Annotation:
    return Annotation(report.name, line, line, level, code, message, is_file=report.path is not None)


def check_run(view: OutcomeView) -> CheckRun:
    """The check run of an outcome. Only response files make it succeed or fail; for a comment it is neutral."""
    errors_first = sorted(marks(view), key=lambda mark: mark.level != ERROR)
    is_judged = view.outcome.response.source.kind == "file" and view.result.rows
    verdict = "success" if view.outcome.ok and view.is_open else "failure"
    conclusion = verdict if is_judged else "neutral"
    return CheckRun(view.counts_text or "no edit block", _summary(view), conclusion, tuple(errors_first[:MOST]))


def _summary(view: OutcomeView) -> str:
    """The status without its folded parts, with as much of its table as there is room for."""
    head = f"**{headline(view)}**\n\n{lead(view, Page(''), patch=False)}"
    tables = (table(view, None, plain=plain) for plain in (False, True)) if view.result.rows else ()
    shown = next((text for text in tables if len(head) + len(text) < SUMMARY_LIMIT), view.failures_by_code)
    return f"{head}\n\n{shown}".rstrip("\n")
