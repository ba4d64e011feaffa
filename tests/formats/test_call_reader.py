"""What is found besides the edits of calls: ids, notes, edits where none are read, and signs of a session."""

import json

import pytest
from support.toolcalls import AT, PATCH, read, shown

from editblocks import EditBlock, Problem
from editblocks.core.blocks import Note, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.formats.call_reader import read_parameters
from editblocks.formats.calls import CallRows
from editblocks.parsing.parse import MOST_ROWS

AGAIN = "ask for the call again"
P = {"path": "a.py"}
CALL = {**P, "old_string": "x", "new_string": "y"}
WEAK = {**P, "content": "x"}
TEXT = json.dumps(CALL)
ROW = "a.py: tool-replace 'x' -> 'y'"
HERE = AT._replace(first_line=10, end_line=99)


def found(value: object) -> CallRows:
    """What is in a value whose objects each have lines of their own; the first line is 10."""
    return read(json.dumps(value, indent=1), HERE)


def named(name: str, **keys: object) -> dict[str, object]:
    return {"name": name, "input": keys}


# Each below a key, in the second object of a list; and whether that is noted.
UNREAD: dict[str, tuple[object, bool]] = {
    "an object": (CALL, True),
    "a list": ([CALL, CALL], True),
    "an object in an object": ({"more": CALL}, True),
    "an object in what is talk": ({"example": CALL}, False),
    "an example": ({**CALL, "path": "path/to/a.py"}, True),
    "a text": (TEXT, True),
    "a text with blanks": (f"\n\t {TEXT}", True),
    "a text of a list": (f"[{TEXT}]", True),
    "a text in a text": (json.dumps({"more": TEXT}), True),
    "a text with a sign before it": (f"\u00a0{TEXT}", False),
    "a text with a letter before it": (f"X{TEXT}", False),
    "a named call in a text": ({"name": "Edit", "arguments": TEXT}, True),
    "a named call with common keys": (named("Write", **WEAK), False),
    "a named call that is cut off": ({"name": "Write", "arguments": "{"}, False),
    "a call with null": ({**CALL, "old_string": None, "use_regex": True}, False),
    "keys that are common": (WEAK, False),
    "words": ("old_string", False),
}


@pytest.mark.parametrize(("value", "is_noted"), UNREAD.values(), ids=UNREAD)
def test_edits_below_a_key_under_which_none_is_read(value: object, is_noted: bool) -> None:
    result = found([{"note": 1}, {"changes": value, "old_string": 0}])
    assert (result.rows, result.unread) == ((), (14,) * is_noted)


def test_edits_in_texts_of_a_list_are_noted() -> None:
    assert found(["x", f"\n{TEXT}"]).unread == (10,)


def test_edits_in_a_text_among_what_is_searched_are_noted_once() -> None:
    assert found({"content": TEXT}).unread == (10,)
    assert found({"choices": [{"data": CALL}]}).unread == (12,)
    assert found({"calls": [CALL]}).unread == ()


def test_edits_in_the_arguments_of_a_call_stand_where_the_call_does() -> None:
    assert found([0, {"name": "say", "arguments": json.dumps({"data": CALL})}]).unread == (12,)


def test_edits_in_a_tag_are_noted_at_the_line_of_the_call() -> None:
    assert read_parameters("note", {"data": f"\n{TEXT}"}, HERE).unread == (10,)


RESULT = {"type": "tool_result", "content": "x"}
SESSION = "is of a session, which is read only as a whole text: JSON Lines or an array of messages"
RECORDED: dict[str, tuple[object, int, str]] = {
    "a result": ([{"note": 1}, RESULT, CALL], 14, "give only the session"),
    "a record": ({"type": "response_item", "payload": CALL}, 10, "give only the session"),
    "a result among messages": ({"messages": [RESULT, CALL]}, 12, "give only the session"),
    "a result among calls": ({"calls": [RESULT, CALL]}, 12, "give only the session"),
    "a result above messages": (
        {"calls": [RESULT, CALL], "messages": [RESULT]},
        12,
        "give only the session",
    ),
}


@pytest.mark.parametrize(("value", "line", "advice"), RECORDED.values(), ids=RECORDED)
def test_what_is_of_a_session_is_refused(value: object, line: int, advice: str) -> None:
    [row] = found(value).rows
    assert isinstance(row, Problem)
    assert (row.line_number, row.code, row.advice) == (line, ReasonCode.UNSUPPORTED_FORMAT, advice)
    assert row.what == f"line {line} {SESSION}"


NO_CALLS: dict[str, dict[str, object]] = {
    "a message of a tool": {"type": "tool", "tool_call_id": "c", "content": [CALL]},
    "a result by its role": {"role": "toolResult", "content": [CALL]},
    "a result of a function": {"role": "function", "content": [CALL]},
    "a response": {"functionResponse": {}, "content": [CALL]},
}


@pytest.mark.parametrize("value", NO_CALLS.values(), ids=NO_CALLS)
def test_a_result_holds_no_calls(value: dict[str, object]) -> None:
    assert read(value).rows == ()


def test_a_tool_with_calls_is_no_result() -> None:
    assert shown(read({"type": "tool", "content": [CALL]})) == [f"1 {ROW}"]


def edit(call_id: object, new: str = "y", **beside: object) -> dict[str, object]:
    return {"id": call_id, **named("Edit", **{**CALL, "new_string": new}), **beside}


NOT_RUN = "note: not-run"
DIFFER = f"a.py: malformed: two calls have the id `t1`, and they differ; {AGAIN}"
IDS: dict[str, tuple[list[object], list[str], list[str]]] = {
    "the same call": ([edit("t1"), edit("t1")], [f"11 {ROW}"], ["t1"]),
    "another call": ([edit("t1"), edit("t2")], [f"11 {ROW}", f"20 {ROW}"], ["t1", "t2"]),
    "calls that differ": ([edit("t1"), edit("t1", "z")], [f"11 {ROW}", f"20 {DIFFER}"], ["t1"]),
    "calls that differ in a switch": (
        [edit("t1"), {"id": "t1", **named("Edit", **CALL, replace_all=True)}],
        [f"11 {ROW}", f"20 {DIFFER}"],
        ["t1"],
    ),
    "a call that failed": (
        [edit("t1"), edit("t1", status="failed")],
        [f"11 {ROW}", f"20 {DIFFER}"],
        ["t1"],
    ),
    "a call that failed before": ([edit("t1", status="failed"), edit("t1")], [f"21 {ROW}", f"{NOT_RUN} 11"], ["t1"]),
    "no text": ([edit(1), edit(1, "z")], [f"11 {ROW}", "20 a.py: tool-replace 'x' -> 'z'"], []),
    "none": ([edit(""), edit("", "z")], [f"11 {ROW}", "20 a.py: tool-replace 'x' -> 'z'"], []),
    "a command before it": (
        [{"id": "t1", **named("bash", command="ls")}, edit("t1")],
        [f"18 {ROW}", "command: ls"],
        ["t1"],
    ),
    "around a function": ([{"id": "t1", "function": named("Edit", **CALL)}], [f"13 {ROW}"], ["t1"]),
    "around a function with the same one": ([{"id": "t1", "function": edit("t1")}], [f"13 {ROW}"], ["t1"]),
    "around a function that failed": (
        [{"id": "t1", "status": "failed", "function": edit("t1")}],
        [f"{NOT_RUN} 14"],
        [],
    ),
    "around several calls": ([{"id": "t1", "calls": [CALL]}], [f"14 {ROW}"], []),
}


@pytest.mark.parametrize(("calls", "expected", "ids"), IDS.values(), ids=IDS)
def test_calls_with_an_id(calls: list[object], expected: list[str], ids: list[str]) -> None:
    result = found(calls)
    assert shown(result) == expected
    assert [key for key, rows in result.rows_by_id.items() if rows] == ids


def test_what_the_text_above_told_is_not_read_twice() -> None:
    above = read(edit("t1"))
    assert read(edit("t1"), HERE._replace(rows_by_id=above.rows_by_id)).rows == ()
    assert shown(read(edit("t1", "z"), HERE._replace(rows_by_id=above.rows_by_id))) == [f"10 {DIFFER}"]


def test_what_is_told_of_a_call_has_no_place() -> None:
    at = HERE._replace(was_run=True)
    values = [edit("t1"), {"id": "t2", "name": "x", "input": {"input": PATCH}}, {"id": "t3", **named("Edit", **P)}]
    rows_by_id = read(values, at).rows_by_id
    call = ToolCall("x", "y", is_literal=True, keys=("path", "old_string", "new_string"))
    row = EditBlock(0, "a.py", "tool-replace", 0, 0, old_lines="x\n", new_lines="y\n", raw_block="x\ny\n", call=call)
    patch = row._replace(format="v4a", action="edit", raw_block="@@\n-x\n+y\n", call=ToolCall(keys=("", "", "input")))
    problem = Problem(0, 0, 0, ReasonCode.UNSUPPORTED_FORMAT, "", file_path="a.py", format="tool-replace")
    assert rows_by_id == {"t1": (row,), "t2": (patch,), "t3": (problem,)}


def test_a_row_that_is_of_no_call_alone_in_full() -> None:
    what = "two calls have the id `t1`, and they differ"
    row = Problem(0, 20, 28, ReasonCode.MALFORMED, what, AGAIN, "a.py", "tool-replace")
    assert found([edit("t1"), edit("t1", "z")]).rows[1] == row


FAILED = Note("not-run", "the call at line 10 failed when it was made", 10)
NOTES: dict[str, tuple[dict[str, object], list[Note]]] = {
    "an example": (
        {**CALL, "path": "path/to/a.py"},
        [Note("call-as-example", "the call at line 10 is only an example", 10)],
    ),
    "a preview": (
        {**CALL, "dry_run": True},
        [Note("not-run", "the call at line 10 for a.py asks for a preview only", 10)],
    ),
    "a failure": (edit("t1", status="failed"), [FAILED]),
}


@pytest.mark.parametrize(("value", "notes"), NOTES.values(), ids=NOTES)
def test_notes_in_full(value: dict[str, object], notes: list[Note]) -> None:
    assert found(value).notes == tuple(notes)


def test_a_failed_call_that_cannot_be_read_is_a_row_and_no_note() -> None:
    failed = {"type": "apply_patch_call", "status": "failed", "operation": {"type": "rename_file", **P}}
    result = read([CALL, failed])
    assert (len(result.rows), result.notes) == (2, ())


def test_calls_in_the_input_of_a_tool_are_not_of_that_tool() -> None:
    assert read(named("say", calls=[{**WEAK, "sha": "1"}])).rows == ()
    assert shown(found(named("say", calls=[CALL]))) == [f"14 {ROW}"]


def test_a_tool_that_runs_a_command_does_not_edit() -> None:
    assert shown(read(named("patch_runner", command="ls"))) == ["command: ls"]


QUOTED = json.dumps(TEXT)
IN_STRING = f"-: malformed: the input of the tool call at line 11 is JSON in a string inside another string; {AGAIN}"
INPUTS: dict[str, tuple[str, list[str]]] = {
    "JSON in a string": (QUOTED, [f"11 {IN_STRING}"]),
    "JSON in a string, below blanks": (f" \n{QUOTED}", [f"11 {IN_STRING}"]),
    "JSON in a string, behind a sign": (f"\u00a0{QUOTED}", []),
    "JSON in a string, behind a letter": (f"X{QUOTED}", []),
    "JSON behind a sign": (f"\u00a0{TEXT}", []),
    "JSON behind a letter": (f"X{TEXT}", []),
    "JSON that is broken": (
        '{"old_string": x}',
        [
            "11 -: malformed: the input of the tool call at line 11 is not JSON: expected a value at line 1, column 16 "
            f"of the input; {AGAIN}"
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), INPUTS.values(), ids=INPUTS)
def test_an_input_that_is_a_text(text: str, expected: list[str]) -> None:
    assert shown(found([{"name": "say", "input": text}])) == expected


def test_a_key_twice_beside_a_text_is_refused() -> None:
    text = f'{{"name": "x", "name": "apply_patch",\n"input": {json.dumps(PATCH)}}}'
    assert shown(read(text, HERE)) == [f"10 -: malformed: key `name` appears twice, at line 10; {AGAIN}"]


@pytest.mark.long
def test_rows_before_a_list_count_too() -> None:
    pair = {"old": "x", "new": "y"}
    assert len(read([CALL, {**P, "edits": [pair] * (MOST_ROWS + 9)}]).rows) == MOST_ROWS + 1
