"""Write what other tools should show of a response, its findings: as annotations, in `rdjsonl` or as a SARIF log.

A block that fails is a finding, and so is one that was placed with low confidence. Blocks that are ready, applied,
`already-applied` or `no-op` are not, and neither are blocks that were not selected.

Annotations are workflow commands in the log. The runner shows ten errors and ten warnings for each step. The action
writes them, and so does `--format github` for a step that runs the command line. `rdjsonl` is the Reviewdog Diagnostic
Format, a diagnostic on each line; reviewdog refuses members that it does not know. The log of SARIF 2.1.0 has one run,
because GitHub refuses several runs of one tool; section numbers are those of the standard, errata 01.
Rules: docs/reference/output.md, and docs/internals/security.md, "logs and outputs".
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from editblocks.core.characters import SURROGATE, cut_middle
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import plural
from editblocks.paths.syntax import is_safe_path
from editblocks.report.escape import log_line, text, url_path, visible, workflow_data, workflow_property
from editblocks.report.json import Report, dumps, dumps_line
from editblocks.report.short import why_no_blocks
from editblocks.report.view import BROKEN, FAILED, FINE, OutcomeView, Row, strategy_text, two_lines

ERROR, WARNING = "error", "warning"
LOW_CONFIDENCE = "low-confidence"  # the rule for a block that fits; it is not a reason code
RULES = (*(code.value for code in ReasonCode), LOW_CONFIDENCE)
PER_STEP = 10  # annotations of each level that the runner shows
MOST_SARIF_RESULTS = 5000  # results of a SARIF log; GitHub shows no more
_MOST_CHARACTERS = 1000  # characters of a message
_SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SARIF_ROOT = "%SRCROOT%"

Json = dict[str, object]
Place = tuple[str, "tuple[int, int] | None"]  # a file, and lines in it, 1-based and inclusive; None: the whole file
FileLines = tuple[str, tuple[int, int]]  # a place with lines


class Finding(NamedTuple):
    """`rule` is one of `RULES`, `level` `error` or `warning`, `message` one line without hidden characters.

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


LineMark = tuple[Finding, FileLines]


def annotation_lines(reports: Sequence[Report]) -> str:
    """Write the annotations of all responses, one on a line: together at most ten errors and ten warnings."""
    shown = [mark for report in reports for mark in _marks(report, typed=True)]
    return "".join(f"{command}\n" for command in workflow_commands(shown, rest="the text form has them all"))


def marks(view: OutcomeView) -> list[LineMark]:
    """Return the annotations of the action: the findings and notes of a response, but not that it has no block."""
    all_marks = _marks(Report(view, path=view.outcome.response.source.path), typed=False)
    is_empty = ReasonCode.NO_BLOCKS.value
    return [(finding, place) for finding, place in all_marks if place is not None and finding.rule != is_empty]


def _marks(report: Report, *, typed: bool) -> Iterator[tuple[Finding, FileLines | None]]:
    """Yield each finding with the lines to mark; None if there is no file to mark, as for standard input.

    An error is marked in the response file and at the lines it is about, a warning at only one of them.
    """
    stopped = _refusals([report]) if typed else ()  # the action says it once, for the whole run
    for finding in (*stopped, *_findings(report, typed=typed), *_notes(report)):
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
    shown = "%0A".join(workflow_data(log_line(line)) for line in (message, *finding.two_lines))
    return f"::{finding.level} {where}title={title}::{shown}"


def rdjsonl(reports: Sequence[Report]) -> str:
    """Write a line for each finding, and one for each response that was refused; empty if all is well."""
    return "".join(dumps_line(_diagnostic(finding)) for finding in _all_findings(reports))


def _diagnostic(finding: Finding) -> Json:
    place = _markable(finding.place)
    return {
        # reviewdog posts it as a Markdown comment, so names in it must not mention anybody
        "message": text(f"{finding.rule}: {finding.message_at(place)}", limit=_MOST_CHARACTERS),
        **_rdjsonl_location(place),
        "severity": finding.level.upper(),
        "source": {"name": "editblocks"},
        "code": {"value": finding.rule},
        "original_output": cut_middle(f"{finding.at}: {finding.rule}: {finding.message}", _MOST_CHARACTERS),
    }


def _markable(place: Place | None) -> Place | None:
    """Return the place; None for a file whose name is not UTF-8, because JSON cannot hold it."""
    if place is None or re.search(SURROGATE, place[0]):
        return None
    return place


def _rdjsonl_location(place: Place | None) -> Json:
    if place is None:
        return {}
    path, lines = place
    location: Json = {"path": path}
    if lines is not None:
        location["range"] = {"start": {"line": lines[0]}, "end": {"line": lines[1]}}
    return {"location": location}


def sarif(reports: Sequence[Report]) -> str:
    """Write the log, with a line end. The same reports give the same bytes."""
    results = _all_findings(reports)
    if len(results) > MOST_SARIF_RESULTS:
        results.sort(key=lambda finding: finding.level != ERROR)
    shown = results[:MOST_SARIF_RESULTS]
    used = {finding.rule for finding in shown}
    rules = [rule for rule in RULES if rule in used]
    run = {
        "tool": {"driver": _sarif_driver(reports, rules)},
        "originalUriBaseIds": {_SARIF_ROOT: {"description": {"text": "the folder where paths start"}}},
        "invocations": [_sarif_invocation(reports, len(results) - len(shown))],
        "results": [_sarif_result(finding, rules) for finding in shown],
    }
    return dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _sarif_driver(reports: Sequence[Report], rules: Sequence[str]) -> Json:
    version = next((report.version for report in reports), "")
    meanings = next((report.meanings for report in reports), {})
    driver: Json = {"name": "editblocks"}
    if version:
        driver["version"] = version
    return driver | {"rules": [_sarif_rule(rule, meanings.get(rule, rule)) for rule in rules]}


def _sarif_rule(rule: str, meaning: str) -> Json:
    words = {"text": f"{meaning[0].upper()}{meaning[1:]}."}
    more = {"text": f"The command `editblocks explain {rule}` explains it."}
    return {"id": rule, "shortDescription": words, "fullDescription": words, "help": more}  # GitHub asks for all three


def _sarif_invocation(reports: Sequence[Report], left_out: int) -> Json:
    """Return how the run ended, and how many findings are left out."""
    code = max((report.view.exit_code for report in reports), default=FINE)
    invocation: Json = {"executionSuccessful": code != BROKEN, "exitCode": code}
    if left_out:
        words = f"{plural(left_out, 'more result')} left out; the formats text and jsonl have them all"
        invocation["toolExecutionNotifications"] = [{"level": WARNING, "message": _sarif_message(words)}]
    return invocation


def _sarif_result(finding: Finding, rules: Sequence[str]) -> Json:
    message = finding.message
    if finding.origin is None:
        message += f" ({finding.at})"  # there is no file that a location could name
    locations = [] if finding.place is None else [_sarif_location(finding.place)]
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": finding.level,
        "message": _sarif_message(message),
        "locations": locations,
    }
    if finding.origin is not None and finding.place is not finding.origin:
        result["relatedLocations"] = [_sarif_location(finding.origin) | {"message": {"text": "the block"}}]
    return result


def _sarif_location(place: Place) -> Json:
    path, lines = place
    physical: Json = {"artifactLocation": {"uri": url_path(path), "uriBaseId": _SARIF_ROOT}}
    if lines is not None:
        physical["region"] = {"startLine": lines[0], "endLine": lines[1]}
    return {"physicalLocation": physical}


def _sarif_message(message: str) -> Json:
    """Escape a text so that it holds no placeholder (3.11.5) and no link (3.11.6)."""
    return {"text": message.replace("{", "{{").replace("}", "}}").replace("](", "\\](")}


def _all_findings(reports: Sequence[Report]) -> list[Finding]:
    """Return the findings of all responses, and one for each response that was refused as a whole."""
    return [*(finding for report in reports for finding in _findings(report)), *_refusals(reports)]


def _refusals(reports: Sequence[Report]) -> list[Finding]:
    """Return a finding for each response that was refused as a whole."""
    refused = [(report, report.view.outcome.refusal) for report in reports]
    return [_whole(report, refusal.code, refusal.reason) for report, refusal in refused if refusal is not None]


def _findings(report: Report, *, typed: bool = True) -> list[Finding]:
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


def _whole(report: Report, code: ReasonCode, message: str) -> Finding:
    """Make a finding about a whole response."""
    return Finding(code.value, ERROR, _shown_message(message), _origin(report, 1), at=visible(report.name))


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
        both_lines = tuple(map(_shown_message, two_lines(row.result)))
    origin = _origin(report, row.line_number)
    at = visible(f"{report.name}:{row.line_number}")
    return Finding(rule, level, _shown_message(message), origin, target, at, both_lines)


def _notes(report: Report) -> Iterator[Finding]:
    """Yield the notes on the blocks and on the response, as warnings; only annotations show them."""
    for whose, note, line in report.chosen.notes:
        at = visible(f"{report.name}:{line}")
        yield Finding(note.code, WARNING, _shown_message(f"{whose}{note.message}"), _origin(report, line), at=at)


def _origin(report: Report, line: int) -> Place | None:
    """Return the place of a line of the response file; None if the response is not a file in the repository."""
    if report.path is None:
        return None
    return report.path, (line, line)


def _shown_message(message: str) -> str:
    """Return a message as one line of limited length, with hidden characters shown by name."""
    return cut_middle(visible(message), _MOST_CHARACTERS)
