"""Read reports in the formats for other tools, and check them against the official schemas of these formats."""

import json
from typing import Any

import jsonschema_rs
from support import formatkit
from support import report_outcomes as outcomes
from support.project import DATA

from editblocks.core.blocks import Problem
from editblocks.core.model import EditResult
from editblocks.faces.cli.documents import TOOLS
from editblocks.report.json import Report

SARIF = jsonschema_rs.validator_for(json.loads((DATA / "sarif/sarif-schema-2.1.0.json").read_text("utf-8")))
DIAGNOSTIC = jsonschema_rs.validator_for(json.loads((DATA / "rdjsonl/diagnostic.schema.json").read_text("utf-8")))
Json = dict[str, Any]


def errors(validator: jsonschema_rs.Validator, document: object) -> list[str]:
    """The validation errors of a document."""
    return [error.message for error in validator.iter_errors(document)]


def sarif(*shown: Report) -> Json:
    """The only run of the SARIF log of some reports. Asserts that the log follows the official schema."""
    text = TOOLS["sarif"](shown)
    assert text.isascii()
    log = json.loads(text)
    assert errors(SARIF, log) == []
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    named = [(result["ruleIndex"], result["ruleId"]) for result in run["results"]]
    assert {*named} == {*enumerate(rule["id"] for rule in rules)}  # no unused rules
    return dict(run)


def results(*shown: Report) -> list[Json]:
    """The results in the SARIF log of some reports."""
    return list(sarif(*shown)["results"])


def diagnostics(*shown: Report) -> list[Json]:
    """The rdjsonl lines of some reports, parsed. Asserts that each follows the official schema."""
    text = TOOLS["rdjsonl"](shown)
    assert text.isascii()
    assert all(len(line) < 65_536 for line in text.split("\n"))
    found = [json.loads(line) for line in text.splitlines()]
    assert [errors(DIAGNOSTIC, each) for each in found] == [[] for _ in found]
    return found


def commands(*shown: Report) -> list[str]:
    """The workflow commands of some reports, for the Actions runner."""
    return TOOLS["github"](shown).splitlines()


def of(*rows: EditResult | Problem, path: str | None = formatkit.PATH, **members: Any) -> Report:
    """The report of these rows. `members` are other fields of the outcome."""
    made = outcomes.outcome(*rows, source=outcomes.EDITS)._replace(**members)
    return formatkit.of(made, path=path)


LOW = outcomes.applied(1, "a.py", "fuzzy", "low")
MISS = outcomes.no_match(1, "a.py")
