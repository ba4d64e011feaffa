"""What is the output of a tool, and what is not: a whole text, known by its keys."""

import json

import pytest

from editblocks import Settings, parse_response
from editblocks.core.blocks import BlockStarted, EditBlock, Event, Problem
from editblocks.core.codes import ReasonCode
from editblocks.parsing.parse import StreamParser

RANGE = {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 2}}
DIAGNOSTIC = {"message": "m", "location": {"path": "a.py"}, "suggestions": [{"range": RANGE, "text": "x"}]}
REGION = {"startLine": 1, "startColumn": 1, "endColumn": 2}
REPLACEMENT = {"deletedRegion": REGION, "insertedContent": {"text": "x"}}
RUN = {
    "results": [
        {"fixes": [{"artifactChanges": [{"artifactLocation": {"uri": "a.py"}, "replacements": [REPLACEMENT]}]}]}
    ]
}
LOG = {"version": "2.1.0", "runs": [RUN]}
RDJSON = json.dumps({"diagnostics": [DIAGNOSTIC]})
LINE = json.dumps(DIAGNOSTIC)
SARIF = json.dumps(LOG)

DOCUMENTS = [
    pytest.param(RDJSON, "rdjson", id="an object with diagnostics"),
    pytest.param(f"\ufeff\n {RDJSON}\n\n", "rdjson", id="a byte order mark and blank lines"),
    pytest.param(LINE, "rdjson", id="one line"),
    pytest.param(f"{LINE}\n\n{LINE}\r\n", "rdjson", id="lines"),
    pytest.param(SARIF, "sarif", id="a log"),
    pytest.param(json.dumps({"$schema": "https://a.b/sarif-2.1.0.json", **LOG}), "sarif", id="a log with a schema"),
    pytest.param(json.dumps(LOG, indent=2), "sarif", id="a log of several lines"),
]
AT_PLACE = {"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {**REGION, "snippet": {"text": "y"}}}}
ELSEWHERE = {
    "physicalLocation": {
        "artifactLocation": {"uri": "a.py"},
        "region": {**REGION, "startLine": 9, "snippet": {"text": "z"}},
    }
}
OTHERS = [
    pytest.param(f"Here:\n{RDJSON}\n", id="below prose"),
    pytest.param(f"```json\n{RDJSON}\n```\n", id="in a fence"),
    pytest.param(f"> {RDJSON}\n", id="in a quote"),
    pytest.param(f"[{LINE}]", id="a list of diagnostics"),
    pytest.param(f"{RDJSON}\n{RDJSON}\n", id="two documents"),
    pytest.param(json.dumps({"runs": [RUN]}), id="runs that say nothing of SARIF"),
    pytest.param(json.dumps({"version": "2.1.0", "runs": 3}), id="runs that are no list"),
    pytest.param(json.dumps({"diagnostics": 1}), id="diagnostics that are no list"),
    pytest.param(json.dumps({"message": "m", "location": "here"}), id="a location that is a text"),
    pytest.param(LINE.replace("message", "text", 1), id="a location without a message"),
    pytest.param(f"{LINE}\n7\n", id="a line that is no object"),
    pytest.param('{"location": 1', id="JSON that breaks off, and shows no edit"),
    pytest.param('{"a": "runs"}', id="a word and no key"),
]


@pytest.mark.parametrize(("text", "form"), DOCUMENTS)
def test_a_document_is_known(text: str, form: str) -> None:
    blocks = parse_response(text).blocks
    assert [(block.format, block.file_path) for block in blocks] == [(form, "a.py")] * len(blocks)
    assert blocks


@pytest.mark.parametrize("text", OTHERS)
def test_other_text_is_talk(text: str) -> None:
    parsed = parse_response(text)
    rows: tuple[EditBlock | Problem, ...] = (*parsed.blocks, *parsed.problems)
    assert not [row for row in rows if row.format in ("rdjson", "sarif")]


@pytest.mark.parametrize("text", [RDJSON, SARIF, f"{LINE}\n{LINE}\n"], ids=["rdjson", "sarif", "rdjsonl"])
@pytest.mark.long(after=1)
def test_cut_off_anywhere_it_is_no_edit_or_a_failed_row(text: str) -> None:
    whole = parse_response(text).blocks
    for stop in range(1, len(text) - 2):
        parsed = parse_response(text[:stop])
        assert parsed.blocks == whole[: len(parsed.blocks)]
        rows = len(parsed.blocks) + len(parsed.problems)
        shows_edit = any(key in text[:stop] for key in ('"suggestions":', '"artifactChanges":'))
        if shows_edit and stop not in (len(LINE), len(LINE) + 1):
            assert rows == 1 + len(parsed.blocks)
            assert {problem.code for problem in parsed.problems} == {ReasonCode.UNCLOSED}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'{{"diagnostics": [], {RDJSON[1:]}', id="of an object with diagnostics"),
        pytest.param(f'{{"runs": [], {SARIF[1:]}', id="of a log"),
        pytest.param(SARIF.replace('{"results"', '{"results": [], "results"'), id="of a run"),
        pytest.param(SARIF.replace('{"fixes"', '{"fixes": [], "fixes"'), id="of a result"),
        pytest.param(SARIF.replace('{"uri"', '{"uri": "b.py", "uri"'), id="of an address"),
        pytest.param(LINE.replace('"text"', '"text": "y", "text"'), id="of a suggestion"),
    ],
)
def test_a_key_that_stands_twice_is_a_failed_row(text: str) -> None:
    parsed = parse_response(text)
    assert not parsed.blocks
    [problem] = parsed.problems
    assert problem.code is ReasonCode.MALFORMED
    assert "appears twice" in problem.message


def test_prose_below_a_document_is_a_failed_row() -> None:
    parsed = parse_response(f"{RDJSON}\nDone.\n")
    assert [block.file_path for block in parsed.blocks] == ["a.py"]
    [problem] = parsed.problems
    assert problem.message == "this is not JSON: expected a value at line 2, column 1; ask the tool for it again"


def test_rows_are_told_at_the_end() -> None:
    parser = StreamParser()
    events: list[Event] = []
    for sign in f"{LINE}\n{LINE}\n":
        events += parser.feed(sign)
    result = parser.close()
    assert not events
    first, second = result.blocks
    started = [BlockStarted(each.number, "rdjson", "a.py", each.line_number) for each in (first, second)]
    assert parser.closing_events == (started[0], first, started[1], second)


def test_a_row_has_the_lines_of_its_fix() -> None:
    text = json.dumps({"diagnostics": [DIAGNOSTIC, {**DIAGNOSTIC, "suggestions": 1}]}, indent=1)
    parsed = parse_response(text, first_line=11)
    lines = text.split("\n")
    rows: tuple[EditBlock | Problem, ...] = (*parsed.blocks, *parsed.problems)
    for row in rows:
        assert lines[row.line_number - 11].strip() == "{"
        assert lines[row.end_line - 11].strip(", ") == "}"


def test_the_names_are_settings() -> None:
    assert Settings(formats=("rdjson",)).formats
    assert not parse_response(SARIF, formats=()).blocks


@pytest.mark.parametrize(("others", "shown"), [(0, "y"), (99, "y"), (100, "")])
def test_a_change_is_looked_for_in_the_first_texts_that_its_result_shows(others: int, shown: str) -> None:
    result = {**RUN["results"][0], "locations": [*[ELSEWHERE] * others, AT_PLACE]}
    [block] = parse_response(json.dumps({**LOG, "runs": [{"results": [result]}]})).blocks
    assert [edit.shown for edit in block.range_edits] == [shown]
