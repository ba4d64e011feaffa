"""Write the findings of all responses as one SARIF 2.1.0 log, for code scanning.

The log has one run, because GitHub refuses several runs of one tool. Section numbers are those of the standard,
errata 01. Rules: docs/reference/output.md, "sarif".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import plural
from editblocks.report.escape import url_path
from editblocks.report.json import dumps
from editblocks.report.tools.findings import ERROR, LOW_CONFIDENCE, WARNING, Finding, Place, Report, findings, refusals
from editblocks.report.view import BROKEN, FINE

MOST = 5000  # findings; GitHub shows no more
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
Json = dict[str, object]

RULES = (*(code.value for code in ReasonCode), LOW_CONFIDENCE)


def render(reports: Sequence[Report]) -> str:
    """Write the log, with a line end. The same reports give the same bytes."""
    results = [*(finding for report in reports for finding in findings(report)), *refusals(reports)]
    if len(results) > MOST:
        results.sort(key=lambda finding: finding.level != ERROR)
    shown = results[:MOST]
    used = {finding.rule for finding in shown}
    rules = [rule for rule in RULES if rule in used]
    run = {
        "tool": {"driver": _driver(reports, rules)},
        "originalUriBaseIds": {_ROOT: {"description": _text("the folder where paths start")}},
        "invocations": [_invocation(reports, len(results) - len(shown))],
        "results": [_result(finding, rules) for finding in shown],
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(reports: Sequence[Report], rules: Sequence[str]) -> Json:
    version = next((report.version for report in reports), "")
    meanings = next((report.meanings for report in reports), {})
    driver: Json = {"name": "editblocks"}
    if version:
        driver["version"] = version
    return driver | {"rules": [_rule(rule, meanings.get(rule, rule)) for rule in rules]}


def _rule(rule: str, meaning: str) -> Json:
    words = _text(f"{meaning[0].upper()}{meaning[1:]}.")
    more = _text(f"The command `editblocks explain {rule}` explains it.")
    return {"id": rule, "shortDescription": words, "fullDescription": words, "help": more}  # GitHub asks for all three


def _invocation(reports: Sequence[Report], left_out: int) -> Json:
    """Return how the run ended, and how many findings are left out."""
    code = max((report.view.exit_code for report in reports), default=FINE)
    invocation: Json = {"executionSuccessful": code != BROKEN, "exitCode": code}
    if left_out:
        words = f"{plural(left_out, 'more result')} left out; the formats text and jsonl have them all"
        invocation["toolExecutionNotifications"] = [{"level": WARNING, "message": _message(words)}]
    return invocation


def _result(finding: Finding, rules: Sequence[str]) -> Json:
    message = finding.message
    if finding.origin is None:
        message += f" ({finding.at})"  # there is no file that a location could name
    locations = [] if finding.place is None else [_location(finding.place)]
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": finding.level,
        "message": _message(message),
        "locations": locations,
    }
    if finding.origin is not None and finding.place is not finding.origin:
        result["relatedLocations"] = [_location(finding.origin) | {"message": _text("the block")}]
    return result


def _location(place: Place) -> Json:
    path, lines = place
    physical: Json = {"artifactLocation": {"uri": url_path(path), "uriBaseId": _ROOT}}
    if lines is not None:
        physical["region"] = {"startLine": lines[0], "endLine": lines[1]}
    return {"physicalLocation": physical}


def _message(text: str) -> Json:
    """Escape a text so that it holds no placeholder (3.11.5) and no link (3.11.6)."""
    return _text(text.replace("{", "{{").replace("}", "}}").replace("](", "\\]("))


def _text(text: str) -> Json:
    return {"text": text}
