"""Formats for other tools: golden texts, the schemas of those who read them, and hostile text in every one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import formatkit
import jsonschema_rs
import pytest
import report_outcomes as outcomes
from formats_golden import FOLDER, FORMS, reports
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_report_json import OUTCOMES, VALIDATOR

from editblocks.codes import ReasonCode, State
from editblocks.model import Difference, EditResult, Note, Problem
from editblocks.outcome import Outcome, Refusal
from editblocks.report.fixes import Fix
from editblocks.report.reports import Report
from editblocks.report.rules import LOW_CONFIDENCE, RULES, advice
from editblocks.report.tools import FIXED, SINGLE, TOOLS

DATA = Path(__file__).parent / "data"
SARIF = jsonschema_rs.validator_for(json.loads((DATA / "sarif/sarif-schema-2.1.0.json").read_text("utf-8")))
DIAGNOSTIC = jsonschema_rs.validator_for(json.loads((DATA / "rdjsonl/diagnostic.schema.json").read_text("utf-8")))
Json = dict[str, Any]


def _errors(validator: jsonschema_rs.Validator, document: object) -> list[str]:
    return [error.message for error in validator.iter_errors(document)]


def sarif(*shown: Report) -> Json:
    """The one run of a log that follows the official schema."""
    text = TOOLS["sarif"](shown)
    assert text.isascii()
    log = json.loads(text)
    assert _errors(SARIF, log) == []
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    return dict(run)


def results(*shown: Report) -> list[Json]:
    return list(sarif(*shown)["results"])


def diagnostics(*shown: Report) -> list[Json]:
    """The lines of rdjsonl, each of which follows the schema."""
    text = TOOLS["rdjsonl"](shown)
    assert text.isascii()
    assert all(len(line) < 65_536 for line in text.split("\n"))
    found = [json.loads(line) for line in text.splitlines()]
    assert [_errors(DIAGNOSTIC, each) for each in found] == [[] for _ in found]
    return found


def commands(*shown: Report) -> list[str]:
    return TOOLS["github"](shown).splitlines()


@pytest.mark.parametrize("name", FORMS)
def test_the_text_is_its_golden_file(name: str) -> None:
    assert FORMS[name]() == (FOLDER / name).read_bytes().decode()


def test_there_is_no_other_golden_file() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(FORMS)


@pytest.mark.parametrize("run", reports())
def test_every_format_of_a_run_is_valid_and_the_same_each_time(run: str) -> None:
    shown = reports()[run]
    sarif(*shown)
    diagnostics(*shown)
    for line in TOOLS["jsonl"](shown).splitlines():
        assert _errors(VALIDATOR, json.loads(line)) == []
    for name in sorted(set(TOOLS) - SINGLE):
        assert TOOLS[name](shown) == TOOLS[name](reports()[run])


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_form_of_outcome(name: str) -> None:
    for path in (None, formatkit.PATH):
        shown = formatkit.of(OUTCOMES[name], path=path)
        assert json.loads(TOOLS["json"]([shown])) == json.loads(TOOLS["jsonl"]([shown]))
        assert len(results(shown)) == len(diagnostics(shown)) - (shown.outcome.refusal is not None)
        assert TOOLS["markdown"]([shown]).startswith("### ")


def test_no_response_is_no_line() -> None:
    assert {name: TOOLS[name](()) for name in ("jsonl", "github", "rdjsonl", "markdown")} == {
        "jsonl": "",
        "github": "",
        "rdjsonl": "",
        "markdown": "",
    }
    assert (results(), sarif()["invocations"]) == ([], [{"executionSuccessful": True, "exitCode": 0}])


def test_the_formats_that_are_special_are_formats() -> None:
    assert set(TOOLS) >= (SINGLE | FIXED)


def test_every_code_has_a_rule_in_a_sentence() -> None:
    assert set(RULES) == {*(code.value for code in ReasonCode), LOW_CONFIDENCE}
    texts = [*RULES.values(), *map(advice, RULES)]
    assert all(words.endswith(".") and words[0].isupper() for words in texts)
    assert advice("no-match") == "The command `editblocks explain no-match` says why, and what to do."


# what is a finding


def _of(*rows: EditResult | Problem, path: str | None = formatkit.PATH, **members: Any) -> Report:
    made = replace(outcomes.outcome(*rows, source=outcomes.EDITS), **members)
    return formatkit.of(made, path=path)


LOW = outcomes.applied(1, "a.py", "fuzzy", "low")
MISS = outcomes.no_match(1, "a.py")
FOUND: list[tuple[str, Report, list[str]]] = [
    ("ready", _of(outcomes.applied(1, "a.py")), []),
    ("medium", _of(outcomes.applied(1, "a.py", "three-way", "medium")), []),
    ("low", _of(LOW), ["warning low-confidence a.py:41-47"]),
    ("low, and written", _of(LOW, state=State.APPLIED, written=True), ["warning low-confidence .edits/cart.md:14-14"]),
    ("there already", _of(outcomes.skipped(1, "a.py", ReasonCode.ALREADY_APPLIED, "x", 3)), []),
    ("nothing to do", _of(outcomes.skipped(1, "a.py", ReasonCode.NO_OP, "x")), []),
    ("not chosen", _of(outcomes.skipped(1, "a.py", ReasonCode.NOT_SELECTED, "x")), []),
    ("not chosen, and unreadable", _of(outcomes.problem(1), left_alone=frozenset({1})), []),
    ("behind a failure", _of(outcomes.skipped(1, "a.py", ReasonCode.EARLIER_FAILURE, "x")), [
        "warning earlier-failure .edits/cart.md:14-14"]),
    ("close", _of(MISS), ["error no-match a.py:30-36"]),
    ("close, of stdin", _of(MISS, path=None), ["error no-match a.py:30-36"]),
    ("no such file", _of(outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "x")), [
        "error file-not-found .edits/cart.md:14-14"]),
    ("no such file, of stdin", _of(outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "x"), path=None), [
        "error file-not-found a.py"]),
    ("no path, of stdin", _of(outcomes.problem(1), path=None), ["error unclosed"]),
    ("an unsafe path, of stdin", _of(outcomes.failed(1, "../x", ReasonCode.UNSAFE_PATH, "x"), path=None), [
        "error unsafe-path"]),
    ("no block", formatkit.report("prose\n", {}), ["error no-blocks .edits/cart.md:1-1"]),
    ("no block, of stdin", formatkit.report("prose\n", {}, path=None), ["error no-blocks"]),
    ("refused before it was read", formatkit.of(outcomes.outcome(refusal=Refusal(ReasonCode.FORK, "x"))), []),
]  # fmt: skip


def _place(result: Json) -> str:
    places = [place["physicalLocation"] for place in result["locations"]]
    where = [
        place["artifactLocation"]["uri"]
        + (f":{place['region']['startLine']}-{place['region']['endLine']}" if "region" in place else "")
        for place in places
    ]
    return " ".join([result["level"], result["ruleId"], *where])


@pytest.mark.parametrize(("claim", "shown", "expected"), FOUND, ids=[row[0] for row in FOUND])
def test_findings(claim: str, shown: Report, expected: list[str]) -> None:
    assert [_place(result) for result in results(shown)] == expected, claim
    said = [f"{each['severity'].lower()} {each['code']['value']}" for each in diagnostics(shown)]
    stopped = [f"error {refusal.code.value}" for refusal in (shown.outcome.refusal,) if refusal is not None]
    assert said == [" ".join(each.split(" ")[:2]) for each in expected] + stopped
    levels = {command.partition(" ")[0].removeprefix("::") for command in commands(shown)}
    assert levels == {each.partition(" ")[0] for each in (*expected, *stopped)}


EXITS = (
    (outcomes.fine(), 0),
    (outcomes.mockup(), 1),
    (outcomes.outcome(state=State.NOTHING), 1),
    (outcomes.refused(ReasonCode.DIRTY_FILE, "x"), 2),
)


@pytest.mark.parametrize(("outcome", "code"), EXITS)
def test_the_exit_code_is_that_of_the_run(outcome: Outcome, code: int) -> None:
    [invocation] = sarif(formatkit.of(outcome))["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (code, code < 2)
    [worst] = sarif(formatkit.of(outcomes.fine()), formatkit.of(outcome))["invocations"]
    assert worst["exitCode"] == code


# sarif


def test_the_response_and_the_first_difference_are_related_locations() -> None:
    related = [place["physicalLocation"] for place in results(_of(MISS))[0]["relatedLocations"]]
    assert [(place["artifactLocation"]["uri"], place["region"]) for place in related] == [
        (formatkit.PATH, {"startLine": 14, "endLine": 14}),
        ("a.py", {"startLine": 33, "startColumn": 22}),
    ]


# the file's line, the column in code points → columns of SARIF (16-bit units) and of reviewdog (bytes); None: no place
COLUMNS: tuple[tuple[str | None, int, int | None, int | None], ...] = (
    ("abc", 1, 1, 1),
    ("abc", 4, 4, 4),
    ("éa", 2, 2, 3),
    ("𐐀b", 2, 3, 5),
    ("a𐐀b", 3, 4, 6),
    ("\udc80b", 2, 2, 4),
    ("x" * 200, 201, 201, 201),
    ("x" * 200, 300, None, None),
    (None, 1, None, None),
)


@pytest.mark.parametrize(("line", "column", "units", "octets"), COLUMNS)
def test_columns_are_those_of_the_format(line: str | None, column: int, units: int | None, octets: int | None) -> None:
    shown = _of(replace(MISS, first_difference=Difference(33, column, "y", line)))
    regions = [place["physicalLocation"]["region"] for place in results(shown)[0]["relatedLocations"]]
    assert [region.get("startColumn") for region in regions if region["startLine"] == 33] == (
        [] if line is None else [units]
    )
    start = diagnostics(shown)[0]["location"]["range"]["start"]
    assert start.get("column") == octets


def test_the_other_places_that_fit_are_related_locations() -> None:
    shown = _of(outcomes.ambiguous(1, "a.py", tuple(range(10, 400, 10))))
    related = [place["physicalLocation"]["region"]["startLine"] for place in results(shown)[0]["relatedLocations"]]
    assert related == [14, *range(20, 101, 10)]


URIS = (
    ("a b.py", "a%20b.py"),
    ("é.py", "%C3%A9.py"),
    ("a%20b.py", "a%2520b.py"),
    ("c:d.py", "c%3Ad.py"),
    ("x?y#z.py", "x%3Fy%23z.py"),
    ("a/+b.py", "a/%2Bb.py"),
)


@pytest.mark.parametrize(("path", "uri"), URIS)
def test_a_path_is_a_relative_address(path: str, uri: str) -> None:
    [result] = results(_of(outcomes.no_match(1, path)))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


MESSAGES = (
    ("use {0} and [it](1)", "use {{0}} and [it\\](1)"),
    ("a\nb \u202e", "a\\nb \\u202e"),
    ("50 % of ::error::", "50 % of ::error::"),
    ("x" * 5000, f"{'x' * 490}…{'x' * 500}"),
)


@pytest.mark.parametrize(("reason", "text"), MESSAGES)
def test_a_message_holds_no_placeholder_and_no_link(reason: str, text: str) -> None:
    [result] = results(_of(outcomes.failed(1, "a.py", ReasonCode.NO_MATCH, reason)))
    assert result["message"] == {"text": f"block 1: {text}"}


def test_a_fingerprint_stays_when_lines_move() -> None:
    moved = f"Some words.\n\n{formatkit.EXAMPLE}"
    files = {path: b"\n\n" + data for path, data in formatkit.EXAMPLE_FILES.items()}
    shown = (formatkit.example(), formatkit.report(moved, files))
    prints = [[result["partialFingerprints"] for result in results(each)] for each in shown]
    assert (prints[0], len(prints[0])) == (prints[1], 3)


def test_a_fingerprint_is_of_one_block() -> None:
    twice = [outcomes.no_match(number, "a.py") for number in (1, 2)]
    cut = [replace(outcomes.problem(number), line_number=number, end_line=number) for number in (3, 4)]
    made = outcomes.outcome(*twice, *cut, outcomes.no_match(5, "b.py"), text="a\nb\nc\nd\n")
    prints = [result["partialFingerprints"]["editBlock/v1"] for result in results(formatkit.of(made))]
    assert (len(set(prints)), len({each[:32] for each in prints})) == (5, 4)


def test_five_thousand_results_at_most_and_errors_first() -> None:
    lows = [replace(LOW, block=outcomes.block(number, "a.py")) for number in range(1, 101)]
    shown = _of(*lows, *(outcomes.failed(n, "a.py", ReasonCode.FILE_NOT_FOUND, "x") for n in range(101, 5051)))
    run = sarif(shown)
    assert [result["level"] for result in run["results"]] == ["error"] * 4950 + ["warning"] * 50
    [told] = run["invocations"][0]["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == (
        "warning",
        "50 more results left out; text and jsonl have them all",
    )


@pytest.mark.parametrize("docs", ["", formatkit.DOCS])
def test_rules_link_to_the_pages_where_they_are_known(docs: str) -> None:
    shown = replace(_of(MISS, LOW), docs=docs)
    rules = {rule["id"]: rule.get("helpUri") for rule in sarif(shown)["tool"]["driver"]["rules"]}
    codes = {each["code"]["value"]: each["code"].get("url") for each in diagnostics(shown)}
    assert rules["no-match"] == codes["no-match"] == (f"{docs}/reasons.md#no-match" if docs else None)
    assert rules[LOW_CONFIDENCE] == codes[LOW_CONFIDENCE] == (f"{docs}/formats.md#matching" if docs else None)
    assert diagnostics(shown)[0]["source"].get("url", "") == docs


# rdjsonl

SAID = (
    ("@octocat, see #1", "`@octocat`, see `#1`"),
    ("![x](http://x)", "`![x](http://x`)"),
    ("plain words", "plain words"),
)


@pytest.mark.parametrize(("reason", "text"), SAID)
def test_a_message_calls_nobody(reason: str, text: str) -> None:
    [found] = diagnostics(_of(outcomes.failed(1, "a.py", ReasonCode.NO_MATCH, reason), path=None))
    assert found["message"] == f"no-match: block 1: {text}"


def test_a_line_that_would_be_too_long_has_no_suggestion() -> None:
    for size, has in ((1000, True), (70_000, False)):
        fix = Fix("a.py", 3, (("x", "\n"),), (("y" * size, "\n"),))
        [found] = diagnostics(replace(_of(MISS), fixes={1: fix}))
        assert ("suggestions" in found) is has
        assert found["location"]["range"]["start"] == {"line": 4}


# github


def test_ten_of_a_kind_and_then_a_count() -> None:
    rows = [outcomes.failed(number, "a.py", ReasonCode.BINARY, "x") for number in range(1, 31)]
    shown = commands(_of(*rows, *(replace(LOW, block=outcomes.block(n, "a.py")) for n in range(31, 61))))
    assert [line.partition(" ")[0] for line in shown] == ["::error"] * 10 + ["::warning"] * 10
    assert shown[9] == "::error title=editblocks::21 more errors; the text form has them all"
    assert shown[19] == "::warning title=editblocks::21 more warnings; the text form has them all"


NOTED = replace(outcomes.applied(1, "a.py"), notes=(Note("placeholder", "write it\nout"),))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (formatkit.PATH, "::warning file=.edits/cart.md,line=14,endLine=14,title=placeholder::block 1: write it\\nout"),
        (None, "::warning title=note::.edits/cart.md:1: block 1: write it\\nout"),
    ],
)
def test_notes_are_warnings(path: str | None, expected: str) -> None:
    assert commands(_of(NOTED, path=path)) == [expected]


def test_a_response_outside_of_the_repository_is_no_file_to_mark() -> None:
    shown = commands(_of(outcomes.problem(1), MISS, path=None))
    assert [line.partition("::")[2].partition("::")[0] for line in shown] == [
        "error file=a.py,line=30,endLine=36,title=no-match",
        "error title=unclosed",
    ]


# markdown


def test_several_statuses_fit_into_one_comment() -> None:
    rows = [outcomes.no_match(number, f"{'x' * 80}/{number}.py") for number in range(1, 301)]
    shown = formatkit.of(outcomes.outcome(*rows))
    for count in (1, 3):
        text = TOOLS["markdown"]([shown] * count)
        assert text.count("### ") == count
        assert len(text) < 60_000
        assert "<!--" not in text


# hostile text

TEXT = st.text(max_size=30) | st.sampled_from(
    ["\x1b[31m", "::error::x", "%0A", "a\nb", "\u202e", "{0}[a](b)", "\udc80"]
)
ENUMS = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))["$defs"]
FAILED, SKIPPED = (
    st.sampled_from([ReasonCode(code) for code in ENUMS[name]["enum"] if code != "ambiguous"])
    for name in ("failed_code", "skipped_code")
)


@st.composite
def row(draw: st.DrawFn, number: int) -> EditResult | Problem:
    path, reason, code = draw(TEXT), draw(TEXT), draw(FAILED)
    actual = draw(st.none() | TEXT)
    difference = Difference(draw(st.integers(1, 500)), draw(st.integers(1, 500)), draw(TEXT), actual)
    made: list[EditResult | Problem] = [
        outcomes.failed(number, path, code, reason),
        replace(outcomes.problem(number, code, path), message=reason),
        replace(outcomes.applied(number, path, "fuzzy", "low"), notes=(Note("placeholder", reason),)),
        replace(outcomes.no_match(number, path), reason=reason, first_difference=difference),
        replace(outcomes.ambiguous(number, path), reason=reason),
        outcomes.skipped(number, path, draw(SKIPPED), reason),
    ]
    return draw(st.sampled_from(made))


ROWS = st.integers(1, 3).flatmap(lambda count: st.tuples(*map(row, range(1, count + 1))))


def _hostile(found: Sequence[EditResult | Problem], path: str | None, refusal: str | None, fix: Fix | None) -> Report:
    made = outcomes.outcome(*found)
    stopped = None if refusal is None else Refusal(ReasonCode.HEAD_MOVED, refusal)
    shown = formatkit.of(replace(made, refusal=stopped), path=path)
    return replace(shown, fixes={} if fix is None else {1: fix})


LINES = st.lists(
    st.tuples(TEXT.map(lambda text: text.replace("\n", "")), st.sampled_from(["\n", "\r\n", ""])), max_size=3
)
FIXES = st.builds(
    Fix, TEXT.filter(bool), st.integers(0, 90), LINES.filter(bool).map(tuple), LINES.map(tuple)
)  # fmt: skip


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.none() | TEXT.filter(bool), st.none() | TEXT, st.none() | FIXES)
def test_any_outcome_is_valid_in_every_format(
    found: Sequence[EditResult | Problem], path: str | None, refusal: str | None, fix: Fix | None
) -> None:
    shown = _hostile(found, path, refusal, fix)
    sarif(shown)
    diagnostics(shown)
    assert all(" " <= char <= "~" for command in commands(shown) for char in command)
    assert all(command.startswith(("::error ", "::warning ")) for command in commands(shown))
    assert [_errors(VALIDATOR, json.loads(line)) for line in TOOLS["jsonl"]([shown]).splitlines()] == [[]]
    TOOLS["markdown"]([shown]).encode("utf-8")
