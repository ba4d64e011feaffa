"""Rows of tool calls in full: every field that is not at its default, as the readers of calls hand them on."""

from typing import Any

import pytest
from support.toolcalls import BLOCK, PATCH, read

from editblocks import EditBlock, Problem
from editblocks.core.blocks import Note, ToolCall
from editblocks.core.codes import ReasonCode

Facts = dict[str, Any]
P = {"path": "a.py"}
PAIR = {"old_string": "x", "new_string": "y"}
EDITED = EditBlock(0, "a.py", "", 1, 1)
UNREAD = Problem(0, 1, 1, ReasonCode.MALFORMED, "", "ask for the call again", "a.py", "tool-replace")


def facts(row: EditBlock | Problem) -> Facts:
    """What a row says, but for what most of these say; its number is 0, and its line that of the call."""
    defaults: EditBlock | Problem = EDITED
    if isinstance(row, Problem):
        defaults = UNREAD
    return {name: value for name, value in row._asdict().items() if value != getattr(defaults, name)}


def in_string(key: str) -> Note:
    return Note("patch-in-string", f'it is in "{key}" of the call', 1)


def patched(key: str, path_key: str = "", section: int = 1_000_001_000_002) -> Facts:
    """The row of the patch in a text with this key; a section counts lines, calls and lines of the text."""
    return {
        "format": "v4a",
        "old_lines": "x\n",
        "new_lines": "y\n",
        "raw_block": "@@\n-x\n+y\n",
        "notes": (in_string(key),),
        "action": "edit",
        "section": section,
        "call": ToolCall(keys=(path_key, "", key)),
    }


ROWS: dict[str, tuple[object, list[Facts]]] = {
    "a pair": (
        {**P, **PAIR},
        [
            {
                "format": "tool-replace",
                "old_lines": "x\n",
                "new_lines": "y\n",
                "raw_block": "x\ny\n",
                "call": ToolCall("x", "y", is_literal=True, keys=("path", "old_string", "new_string")),
            }
        ],
    ),
    "a pair with CR LF": (
        {**P, "old_string": "x\r\nk", "new_string": "y\n"},
        [
            {
                "format": "tool-replace",
                "old_lines": "x\nk\n",
                "new_lines": "y\n",
                "raw_block": "x\nk\ny\n",
                "call": ToolCall("x\r\nk", "y\n", is_literal=True, keys=("path", "old_string", "new_string")),
            }
        ],
    ),
    "a text for a path that is cleaned": (
        {"path": "./a.py", "content": "x"},
        [
            {
                "format": "tool-write",
                "new_lines": "x\n",
                "raw_block": "x\n",
                "notes": (Note("path-cleaned", "the path was read as a.py"),),
                "action": "write",
                "call": ToolCall(new="x", is_literal=True, keys=("path", "", "content")),
            }
        ],
    ),
    "an insertion": (
        {**P, "command": "insert", "insert_line": 2, "insert_text": "x\n"},
        [
            {
                "format": "tool-insert",
                "new_lines": "x\n",
                "raw_block": "x\n",
                "action": "insert-at",
                "call": ToolCall(new="x\n", line=2, is_literal=True, keys=("path", "insert_line", "insert_text")),
            }
        ],
    ),
    "a deletion": (
        {"name": "delete_file", "input": P},
        [{"format": "tool-file", "action": "delete-file", "call": ToolCall(keys=("path", "", ""))}],
    ),
    "a rename": (
        {"name": "move_file", "input": {"source": "a.py", "destination": "./b.py"}},
        [
            {
                "format": "tool-file",
                "action": "rename",
                "new_path": "b.py",
                "call": ToolCall(keys=("source", "", "destination")),
            }
        ],
    ),
    "an operation that deletes": (
        {"operation": {"type": "delete_file", **P}},
        [{"format": "tool-file", "action": "delete-file", "call": ToolCall(keys=("path", "", ""))}],
    ),
    "an operation that updates": (
        {"operation": {"type": "update_file", **P, "diff": "@@\n-x\n+y"}},
        [patched("diff", "path", section=1_000_001_000_000)],
    ),
    "an operation with a patch": (
        {"operation": {"type": "update_file", **P, "diff": PATCH}},
        [patched("diff", "path")],
    ),
    "a patch of two files": (
        {"patch": PATCH.replace("*** End", "*** Update File: b.py\n@@\n-x\n+y\n*** End")},
        [patched("patch"), {"file_path": "b.py", **patched("patch", section=1_000_001_000_006)}],
    ),
    "a patch for a program": ({"cmd": ["apply_patch", PATCH]}, [patched("cmd")]),
    "a patch in a script": (
        {"name": "bash", "input": {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}},
        [patched("command")],
    ),
    "a block": (
        {**P, "diff": BLOCK},
        [
            {
                "format": "diff",
                "old_lines": "x\n",
                "new_lines": "y\n",
                "raw_block": f"{BLOCK}\n",
                "path_source": "P4",
                "notes": (in_string("diff"),),
                "call": ToolCall(keys=("path", "", "diff")),
            }
        ],
    ),
    "a block with a note": (
        {**P, "diff": BLOCK.replace(">" * 7, ">" * 6)},
        [
            {
                "format": "diff",
                "old_lines": "x\n",
                "new_lines": "y\n",
                "raw_block": BLOCK.replace(">" * 7, ">" * 6) + "\n",
                "path_source": "P4",
                "notes": (
                    Note("marker-variant", "line 5 has 6 characters, the block's first line has 7", 1),
                    in_string("diff"),
                ),
                "call": ToolCall(keys=("path", "", "diff")),
            }
        ],
    ),
    "a block that cannot be read": (
        {**P, "diff": BLOCK.replace("=======\n", "")},
        [
            {
                "code": ReasonCode.NO_DIVIDER,
                "what": 'in "diff": no `=======` between lines 1 and 4',
                "advice": "put it between the old and the new lines",
                "format": "diff",
                "notes": (in_string("diff"),),
            }
        ],
    ),
    "a merge conflict": (
        {**P, "diff": "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic"},
        [
            {
                "code": ReasonCode.UNSUPPORTED_FORMAT,
                "what": 'in "diff": lines 1-5 are a merge conflict of git, not an edit block',
                "advice": "ask for SEARCH/REPLACE blocks",
                "format": None,
                "notes": (in_string("diff"),),
            }
        ],
    ),
    "a patch of another file": (
        {"operation": {"type": "update_file", "path": "b.py", "diff": PATCH}},
        [
            {
                "code": ReasonCode.NO_PATH,
                "what": '"diff" names a.py, and the call b.py',
                "advice": "name the same file in both",
                "file_path": "b.py",
                "format": "v4a",
                "notes": (in_string("diff"),),
            }
        ],
    ),
    "half a pair": (
        {**P, "old_str": "x"},
        [{"what": "the call is not a whole edit: it needs an old and a new text, or the text of a file"}],
    ),
    "a wrong switch": ({**P, **PAIR, "replace_all": 3}, [{"what": "replace_all must be true or false"}]),
    "two texts": (
        {**P, "content": "x", "contents": "y"},
        [{"what": "`content` and `contents` both have a text", "format": "tool-write"}],
    ),
    "a wrong line": (
        {**P, "command": "insert", "insert_line": "2", "insert_text": "x"},
        [{"what": "insert_line must be a whole number of at most nine digits", "format": "tool-insert"}],
    ),
    "a move with three paths": (
        {"name": "move_file", "input": {"source": "a.py", "destination": "b.py", "new_path": "c.py"}},
        [
            {
                "what": "the keys `source`, `destination`, `new_path` are more than an old and a new path",
                "format": "tool-file",
            }
        ],
    ),
    "another mode": (
        {**P, "content": "x", "mode": "append"},
        [
            {
                "code": ReasonCode.UNSUPPORTED_FORMAT,
                "what": "this value of key `mode` is not supported; it may change what is meant",
                "advice": "ask for the call without it",
                "format": "tool-write",
            }
        ],
    ),
    "what only people can do": (
        {**P, "command": "undo_edit"},
        [
            {
                "code": ReasonCode.UNSUPPORTED_FORMAT,
                "what": "undo calls are not supported",
                "advice": "use editblocks undo",
                "needs_person": True,
            }
        ],
    ),
}


@pytest.mark.parametrize(("value", "expected"), ROWS.values(), ids=ROWS)
def test_rows_of_calls(value: object, expected: list[Facts]) -> None:
    assert [facts(row) for row in read(value).rows] == expected
