"""A form of edits that `formats` leaves out is a failed row, whatever carries it, and never silence."""

import json

import pytest
from support.sessionkit import PATCH, came_of, lines, used
from support.toolcalls import BLOCK

from editblocks import ReasonCode, Settings, apply_response

PAIR = {"old_string": "x", "new_string": "y"}
RDJSON = {"diagnostics": [{"message": "m", "location": {"path": "a.py"}, "suggestions": [{"text": "y"}]}]}
CHANGE = {"artifactLocation": {"uri": "a.py"}, "replacements": [{"deletedRegion": {"startLine": 1}}]}
SARIF = {
    "version": "2.1.0",
    "runs": [{"results": [{"message": {"text": "m"}, "fixes": [{"artifactChanges": [CHANGE]}]}]}],
}
TAGS = "<write_to_file>\n<path>b.py</path>\n<content>\nx\n</content>\n</write_to_file>\n"
LEFT_OUT = {
    "tool-replace": json.dumps({"path": "a.py", **PAIR}),
    "tool-write": json.dumps({"path": "b.py", "content": "x"}),
    "tool-write in tags": TAGS,
    "tool-insert": json.dumps({"command": "insert", "path": "a.py", "insert_line": 0, "insert_text": "y"}),
    "tool-file": json.dumps({"name": "delete_file", "input": {"path": "a.py"}}),
    "a session": lines(used("t1", file_path="a.py", **PAIR), came_of("t1")),
    "a patch in a call": json.dumps({"name": "apply_patch", "input": PATCH}),
    "rdjson": json.dumps(RDJSON),
    "rdjsonl": lines(*RDJSON["diagnostics"] * 2),
    "sarif": json.dumps(SARIF),
}


@pytest.mark.parametrize("answer", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_is_left_out_is_said(answer: str) -> None:
    result = apply_response(answer, {"a.py": b"x\n"}.get, Settings(formats=("roo",)))
    assert {row.code for row in result.rows} == {ReasonCode.UNSUPPORTED_FORMAT}
    assert not result.contents


def test_blocks_in_a_call_are_left_out_as_blocks() -> None:
    answer = json.dumps({"path": "a.py", "diff": BLOCK})
    result = apply_response(answer, {"a.py": b"x\n"}.get, Settings(formats=("tool-replace",)))
    assert [row.code for row in result.rows] == [ReasonCode.UNSUPPORTED_FORMAT]
