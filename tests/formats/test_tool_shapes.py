"""What a tool call asks for, by its keys: each row of the tables of calls, and what is talk."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.needles import of_answers
from support.toolcalls import AT, BLOCK, PATCH, read, read_tags, shown

from editblocks import EditBlock
from editblocks.core.blocks import section_lines
from editblocks.formats.tool_calls import TOOL_CALLS, may_hold_calls
from editblocks.parsing.parse import MOST_ROWS

P = {"path": "a.py"}
PAIR = {"old_string": "x", "new_string": "y"}
ROW = "1 a.py: tool-replace 'x' -> 'y'"
UNKNOWN = "is not supported; it may change what is meant; ask for the call without it"
MOVE = "1 a.py: tool-file rename to b.py"
AGAIN = "ask for the call again"
CELLS = "notebook cells are not edited; ask for a replace call on the text of the .ipynb"
AT_FAULT = "expected `*** Add File`, `*** Update File` or `*** Delete File`"
HALF = "the call is not a whole edit: it needs an old and a new text, or the text of a file"
CUT = "probably cut off, ask for it again"
INPUT = "the input of the tool call at line 1"
NO_BLOCK = "holds no block; ask for SEARCH/REPLACE blocks"


def of_value(key: str, path: str = "a.py") -> str:
    return f"1 {path}: unsupported-format: this value of key `{key}` {UNKNOWN}"


def named(name: str, **keys: object) -> dict[str, object]:
    return {"name": name, "input": keys}


# What tools send, as their makers describe it.
TOOLS: dict[str, tuple[object, list[str]]] = {
    "Claude Code, Edit": (
        {
            "type": "tool_use",
            "id": "toolu_01",
            "name": "Edit",
            "input": {"file_path": "/w/a.py", **PAIR, "replace_all": False},
        },
        ["1 /w/a.py: tool-replace 'x' -> 'y'"],
    ),
    "Claude Code, MultiEdit": (
        named("MultiEdit", file_path="a.py", edits=[PAIR, {"old_string": "x", "new_string": "z", "replace_all": True}]),
        [ROW, "1 a.py: tool-replace 'x' -> 'z' every"],
    ),
    "Claude Code, Write": (named("Write", file_path="a.py", content="x\n"), ["1 a.py: tool-write write 'x\\n'"]),
    "Claude Code, NotebookEdit": (
        named(
            "NotebookEdit", notebook_path="a.ipynb", new_source="x", cell_id="1", cell_type="code", edit_mode="insert"
        ),
        [f"1 a.ipynb: unsupported-format: {CELLS}"],
    ),
    "Claude Code, Read": (named("Read", file_path="a.py", offset=1), []),
    "Claude Code, Grep": (named("Grep", pattern="x", path="src", output_mode="content"), []),
    "Claude Code, Bash": (named("Bash", command="git status", description="Look"), ["command: git status"]),
    "Claude Code, TodoWrite": (named("TodoWrite", todos=[{"content": "x", "status": "pending"}]), []),
    "Anthropic, str_replace": (
        named("str_replace_based_edit_tool", command="str_replace", path="a.py", old_str="x", new_str="y"),
        [ROW],
    ),
    "Anthropic, create": (
        named("str_replace_based_edit_tool", command="create", path="a.py", file_text="x"),
        ["1 a.py: tool-write create 'x'"],
    ),
    "Anthropic, insert": (
        named("str_replace_based_edit_tool", command="insert", path="a.py", insert_line=2, insert_text="x"),
        ["1 a.py: tool-insert insert-at at 2 'x'"],
    ),
    "Anthropic, insert as it was": (
        named("str_replace_editor", command="insert", path="a.py", insert_line=0, new_str="x\n"),
        ["1 a.py: tool-insert insert-at at 0 'x\\n'"],
    ),
    "Anthropic, view": (named("str_replace_editor", command="view", path="a.py", view_range=[1, 9]), []),
    "Anthropic, undo": (
        named("str_replace_editor", command="undo_edit", path="a.py"),
        ["1 a.py: unsupported-format: undo calls are not supported; use editblocks undo"],
    ),
    "Gemini CLI, replace": (
        {
            "functionCall": {
                "name": "replace",
                "args": {"file_path": "a.py", "instruction": "Do", **PAIR, "expected_replacements": 2},
            }
        },
        [f"{ROW} 2 times"],
    ),
    "Gemini CLI, later": (named("replace", file_path="a.py", **PAIR, allow_multiple=True), [f"{ROW} every"]),
    "Gemini CLI, write_file": (
        {
            "candidates": [
                {
                    "content": {
                        "parts": [
                            {"functionCall": {"name": "write_file", "args": {"file_path": "a.py", "content": ""}}}
                        ]
                    }
                }
            ]
        },
        ["1 a.py: tool-write write ''"],
    ),
    "Qwen Code, edit": (named("edit", file_path="a.py", **PAIR, replace_all=True), [f"{ROW} every"]),
    "opencode, edit": (
        named("edit", filePath="a.py", oldString="x", newString="y", replaceAll=True),
        [f"{ROW} every"],
    ),
    "opencode, patch": (named("patch", patchText=PATCH), ["1 a.py: v4a 'x\\n' -> 'y\\n'"]),
    "VS Code, replace_string_in_file": (
        named("replace_string_in_file", explanation="Do", filePath="/w/a.py", oldString="x", newString="y"),
        ["1 /w/a.py: tool-replace 'x' -> 'y'"],
    ),
    "VS Code, multi_replace_string_in_file": (
        named(
            "multi_replace_string_in_file",
            explanation="Do",
            replacements=[
                {"explanation": "a", "filePath": "a.py", "oldString": "x", "newString": "y"},
                {"explanation": "b", "filePath": "b.py", "oldString": "x", "newString": "y"},
            ],
        ),
        [ROW, "1 b.py: tool-replace 'x' -> 'y'"],
    ),
    "VS Code, insert_edit_into_file": (
        named("insert_edit_into_file", explanation="Do", filePath="a.py", code="x"),
        ["1 a.py: tool-write snippet 'x'"],
    ),
    "VS Code, create_file": (named("create_file", filePath="a.py", content="x"), ["1 a.py: tool-write create 'x'"]),
    "VS Code, edit_notebook_file": (
        named(
            "edit_notebook_file", filePath="a.ipynb", editType="insert", cellId="TOP", newCode="x", language="python"
        ),
        [f"1 a.ipynb: unsupported-format: {CELLS}"],
    ),
    "VS Code, run_in_terminal": (
        named("run_in_terminal", command="npm test", explanation="Test", isBackground=False),
        ["command: npm test"],
    ),
    "MCP, another method": ({"jsonrpc": "2.0", "method": "files/put", "params": {"path": "a.py", "content": "x"}}, []),
    "MCP, a result": ({"jsonrpc": "2.0", "id": 7, "result": {"path": "a.py", **PAIR}}, []),
    "OpenAI, apply_patch_call": (
        {
            "id": "apc_1",
            "type": "apply_patch_call",
            "status": "completed",
            "call_id": "call_1",
            "operation": {"type": "update_file", "path": "a.py", "diff": "@@\n-x\n+y"},
        },
        ["1 a.py: v4a 'x\\n' -> 'y\\n'"],
    ),
    "OpenAI, apply_patch_call that failed": (
        {
            "type": "apply_patch_call",
            "status": "failed",
            "operation": {"type": "update_file", "path": "a.py", "diff": "@@\n-x\n+y"},
        },
        ["note: not-run 1"],
    ),
    "OpenAI, apply_patch_call that failed and cannot be read": (
        {"type": "apply_patch_call", "status": "failed", "operation": {"type": "rename_file", "path": "a.py"}},
        ["1 -: unsupported-format: the operation of `apply_patch_call` is not supported; ask for a replace call"],
    ),
    "OpenAI, apply_patch_call that is incomplete": (
        {"type": "apply_patch_call", "status": "incomplete", "operation": {"type": "delete_file", "path": "a.py"}},
        ["note: not-run 1"],
    ),
    "Codex, custom_tool_call": (
        {"type": "custom_tool_call", "status": "completed", "call_id": "c", "name": "apply_patch", "input": PATCH},
        ["1 a.py: v4a 'x\\n' -> 'y\\n'"],
    ),
    "Codex, function_call": (
        {"type": "function_call", "name": "apply_patch", "arguments": json.dumps({"input": PATCH}), "call_id": "c"},
        ["1 a.py: v4a 'x\\n' -> 'y\\n'"],
    ),
    "Codex, shell": (
        {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps({"command": ["apply_patch", PATCH], "workdir": "/w", "timeout_ms": 1000}),
        },
        ["1 a.py: v4a 'x\\n' -> 'y\\n' in /w"],
    ),
    "Codex, shell that lists": (
        {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", "ls"]})},
        ["command: bash -lc ls"],
    ),
    "Chat API": (
        {
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "c",
                                "type": "function",
                                "function": {"name": "edit", "arguments": json.dumps({**P, **PAIR})},
                            }
                        ],
                    }
                }
            ]
        },
        [ROW],
    ),
    "Responses API": (
        {"output": [{"type": "function_call", "name": "edit", "arguments": json.dumps({**P, **PAIR})}]},
        [ROW],
    ),
    "a tool that reads and holds calls": (named("batch", path="/w", calls=[{**P, **PAIR}]), [ROW]),
    "several at once": (
        {
            "recipient_name": "functions.parallel",
            "parameters": {"tool_uses": [{"recipient_name": "functions.edit", "parameters": {**P, **PAIR}}]},
        },
        [ROW],
    ),
    "Zed, edit_file": (
        named(
            "edit_file",
            display_description="Do",
            path="shop/a.py",
            mode="edit",
            edits=[{"old_text": "x", "new_text": "y"}],
        ),
        ["1 shop/a.py: tool-replace 'x' -> 'y'"],
    ),
    "MCP filesystem, edit_file": (
        {
            "name": "edit_file",
            "arguments": {"path": "/w/a.py", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": False},
        },
        ["1 /w/a.py: tool-replace 'x' -> 'y'"],
    ),
    "MCP filesystem, move_file": (
        {"name": "move_file", "arguments": {"source": "a.py", "destination": "./b.py"}},
        ["1 a.py: tool-file rename to b.py"],
    ),
    "codebuff, str_replace": (
        named("str_replace", path="a.py", replacements=[{"old": "x", "new": "y", "allowMultiple": True}]),
        [f"{ROW} every"],
    ),
    "Cursor, edit_file": (
        named("edit_file", target_file="a.py", instructions="I do.", code_edit="// ...\nx"),
        ["1 a.py: tool-write snippet '// ...\\nx'"],
    ),
    "Roo, search_and_replace": (
        named("search_and_replace", path="a.py", operations=[{"search": "x", "replace": "y"}]),
        ["1 a.py: unsupported-format: the call has no text; ask for a replace call"],
    ),
    "Roo, insert_content": (
        named("insert_content", path="a.py", line=3, content="x"),
        ["1 a.py: tool-insert insert-at at 2 'x'"],
    ),
}


@pytest.mark.parametrize(("value", "expected"), TOOLS.values(), ids=TOOLS)
def test_what_tools_send(value: object, expected: list[str]) -> None:
    assert shown(read(value)) == expected


SIGNS: dict[str, bool] = {
    json.dumps({**P, **PAIR}): True,
    "*** Update File: a.py": True,
    "edit(path='a.py')": True,
    "edit({path: 'a.py'})": False,
    "</parameter>": True,
    json.dumps({"name": "Bash", "input": {"pattern": "x*"}}): False,
    "\"a\" < b and {c} (d) `e` *f* 'g'": False,
    "edit a.py": False,
}


@pytest.mark.parametrize(("text", "expected"), SIGNS.items(), ids=SIGNS)
def test_what_may_hold_calls(text: str, expected: bool) -> None:
    assert may_hold_calls(text) is expected


NEEDLES = of_answers([TOOL_CALLS])


@pytest.mark.parametrize("text", [f'"{key}":' for key in ("path", "notebook_path", "absolutePath", "old_path")])
def test_what_is_looked_for_first_is_in_each_call(text: str) -> None:
    found = [needle for needle in NEEDLES if needle.lower() in text.lower()]
    assert len(found) == 1
    assert not any(needle in other for needle in found for other in NEEDLES if other != needle)


PATHS = (
    "path file_path filePath file filename filepath target_file targetFile target_filepath absolute_path uri "
    "notebook_path"
)
SPELLINGS = ("old_string new_string", "oldString newString", "old_str new_str", "old_text new_text", "oldText newText")


@pytest.mark.parametrize("key", PATHS.split())
def test_a_path_has_many_names(key: str) -> None:
    assert shown(read({key: "a.py", **PAIR})) == [ROW]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_pair_has_many_names(spelling: str) -> None:
    old, new = spelling.split()
    [row] = read({**P, old: "x", new: "y"}).rows
    assert isinstance(row, EditBlock)
    assert row.call is not None
    assert (row.call.old, row.call.new, row.call.keys) == ("x", "y", ("path", old, new))
    [listed] = read({**P, "edits": [{old: "x", new: "y"}]}).rows
    assert listed == row


CALLS: dict[str, tuple[object, list[str]]] = {
    # replace
    "a pair": ({**P, **PAIR}, [ROW]),
    "with keys that mean nothing": ({**P, **PAIR, "explanation": "x", "thought": 1, "id": [], "sha": None}, [ROW]),
    "with an unknown key": (
        {**P, **PAIR, "use_regex": False},
        [f"1 a.py: unsupported-format: key `use_regex` {UNKNOWN}"],
    ),
    "with a key that is none of JSON's": (
        {**P, **PAIR, "__proto__": {}},
        [f"1 a.py: unsupported-format: key `__proto__` {UNKNOWN}"],
    ),
    "old is new": ({**P, "old_string": "x", "new_string": "x"}, ["1 a.py: tool-replace 'x' -> 'x'"]),
    "empty old text": ({**P, "old_str": "", "new_str": "x"}, ["1 a.py: tool-replace create '' -> 'x'"]),
    "empty new text": ({**P, "old_str": "x", "new_str": ""}, ["1 a.py: tool-replace 'x' -> ''"]),
    "mixed spellings": (
        {**P, "old_str": "x", "new_string": "y"},
        [f"1 a.py: malformed: the keys `old_str`, `new_string` are not a pair of old and new text; {AGAIN}"],
    ),
    "two spellings": (
        {**P, **PAIR, "old_str": "x", "new_str": "y"},
        [
            "1 a.py: malformed: the keys `old_string`, `old_str`, `new_string`, `new_str` "
            f"are not a pair of old and new text; {AGAIN}"
        ],
    ),
    "half a pair": ({**P, "old_str": "x"}, [f"1 a.py: malformed: {HALF}; {AGAIN}"]),
    "a new text alone": (
        {**P, "newText": "x"},
        [f"1 a.py: malformed: {HALF}; {AGAIN}"],
    ),
    "an old text that is null": ({**P, **PAIR, "old_string": None}, [f"1 a.py: malformed: {HALF}; {AGAIN}"]),
    "an old text that is null, in a named call": (
        named("Edit", **{**P, **PAIR, "old_string": None}),
        [f"1 a.py: malformed: {HALF}; {AGAIN}"],
    ),
    "an old text that is null, of another pair": ({**P, **PAIR, "old_str": None}, [ROW]),
    "an old text that is null, in a list": (
        {**P, "edits": [{"old": None, "new": "y"}]},
        [f"1 a.py: malformed: {HALF}; {AGAIN}"],
    ),
    "what was null before": ({**P, "old": None, "new": "y"}, []),
    "old and new, not in a list": ({**P, "old": "x", "new": "y"}, []),
    "without a path": (PAIR, ['1 -: no-path: the call names no file; add "file_path"']),
    "with an empty path": ({"path": "", **PAIR}, ['1 -: no-path: the call names no file; add "file_path"']),
    "with two paths": (
        {**P, "file_path": "b.py", **PAIR},
        ["1 a.py: no-path: the call names a.py (`path`) and b.py (`file_path`); name one file"],
    ),
    "with one path twice": ({**P, "file_path": "a.py", **PAIR}, [ROW]),
    # how often
    "every place": ({**P, **PAIR, "allowMultiple": True}, [f"{ROW} every"]),
    "a switch in words": (
        {**P, **PAIR, "replace_all": "true"},
        [f"1 a.py: malformed: replace_all must be true or false; {AGAIN}"],
    ),
    "a switch as a number": (
        {**P, **PAIR, "replace_all": 1},
        [f"1 a.py: malformed: replace_all must be true or false; {AGAIN}"],
    ),
    "a count": ({**P, **PAIR, "expected_replacements": 3, "replace_all": True}, [f"{ROW} every 3 times"]),
    "every place of no text": (
        {**P, "old_string": "", "new_string": "y", "replace_all": True},
        [f"1 a.py: malformed: the call asks for several places, but its old text is empty; {AGAIN}"],
    ),
    "two places of no text": (
        {**P, "old_string": "", "new_string": "y", "expected_replacements": 2},
        [f"1 a.py: malformed: the call asks for several places, but its old text is empty; {AGAIN}"],
    ),
    "one place of no text": (
        {**P, "old_string": "", "new_string": "y", "replace_all": False, "expected_replacements": 1},
        ["1 a.py: tool-replace create '' -> 'y' 1 times"],
    ),
    "no place": (
        {**P, **PAIR, "expected_replacements": 0},
        [f"1 a.py: malformed: expected_replacements must be a whole number above 0; {AGAIN}"],
    ),
    # by command
    "str_replace": ({"command": "str_replace", **P, "old_str": "x", "new_str": "y"}, [ROW]),
    "str_replace without a new text": (
        {"command": "str_replace", **P, "old_str": "x"},
        ["1 a.py: tool-replace 'x' -> ''"],
    ),
    "str_replace with a number for a text": (
        {"command": "str_replace", **P, "old_str": "x", "new_str": 1},
        [f"1 a.py: malformed: new_str must be a string; {AGAIN}"],
    ),
    "a half pair with a number": (
        {**P, "old_str": "x", "new_str": 1},
        [f"1 a.py: malformed: {HALF}; {AGAIN}"],
    ),
    "str_replace without a path": (
        {"command": "str_replace", "old_str": "x"},
        ['1 -: no-path: the call names no file; add "file_path"'],
    ),
    "str_replace with an unknown key": (
        {"command": "str_replace", **P, "old_str": "x", "line": 3},
        [f"1 a.py: unsupported-format: key `line` {UNKNOWN}"],
    ),
    "create": ({"command": "create", **P, "file_text": "x"}, ["1 a.py: tool-write create 'x'"]),
    "undo": (
        {"command": "undo_edit", **P},
        ["1 a.py: unsupported-format: undo calls are not supported; use editblocks undo"],
    ),
    # pairs
    "pairs": (
        {**P, "edits": [PAIR, {"old": "k", "new": "l"}]},
        [ROW, "1 a.py: tool-replace 'k' -> 'l'"],
    ),
    "replacements": ({**P, "replacements": [PAIR], "mode": "edit"}, [ROW]),
    "another mode": (
        {**P, "edits": [PAIR], "mode": "regex"},
        [of_value("mode")],
    ),
    "pairs of several files": (
        {"edits": [{**P, **PAIR}, {"path": "b.py", **PAIR}, PAIR]},
        [ROW, "1 b.py: tool-replace 'x' -> 'y'", '1 -: no-path: the call names no file; add "file_path"'],
    ),
    "a pair of another file": (
        {**P, "edits": [{"file": "a.py", **PAIR}, {"path": "b.py", **PAIR}]},
        [ROW, "1 a.py: no-path: the call names a.py (`path`) and b.py (`path`); name one file"],
    ),
    "a pair with an unknown key": (
        {**P, "edits": [{**PAIR, "line": 3}, PAIR]},
        [f"1 a.py: unsupported-format: key `line` {UNKNOWN}", ROW],
    ),
    "a pair with a wrong switch": (
        {**P, "edits": [{**PAIR, "replace_all": None}, {**PAIR, "replace_all": "yes"}]},
        [ROW, f"1 a.py: malformed: replace_all must be true or false; {AGAIN}"],
    ),
    "an element that is no pair": (
        {**P, "edits": [PAIR, "x", {"old_string": "x"}]},
        [ROW, *[f"1 a.py: malformed: an element of `edits` is not an edit; {AGAIN}"] * 2],
    ),
    "no pair": ({**P, "edits": [{"line": 3}]}, []),
    "a pair that stands in no list": ({**P, "edits": PAIR}, [ROW]),
    # search and replace
    "search and replace": (
        named("search_and_replace", **P, search="x", replace="y", use_regex=False, ignore_case=False),
        [f"{ROW} every"],
    ),
    "a regular expression": (
        named("search_and_replace", **P, search="x", replace="y", use_regex=True),
        [of_value("use_regex")],
    ),
    "some lines of it": (
        named("search_and_replace", **P, search="x", replace="y", start_line=1),
        [f"1 a.py: unsupported-format: key `start_line` {UNKNOWN}"],
    ),
    "search and replace without a name": ({**P, "search": "x", "replace": "y"}, []),
    # write
    "write": ({**P, "content": "x"}, ["1 a.py: tool-write write 'x'"]),
    "contents": ({**P, "contents": "x", "overwrite": True}, ["1 a.py: tool-write write 'x'"]),
    "new_contents": ({**P, "new_contents": "x", "mode": "overwrite"}, ["1 a.py: tool-write write 'x'"]),
    "to append": (
        {**P, "content": "x", "mode": "append"},
        [of_value("mode")],
    ),
    "two texts": (
        {**P, "content": "x", "contents": "y"},
        [f"1 a.py: malformed: `content` and `contents` both have a text; {AGAIN}"],
    ),
    "a name that adds": (
        named("append_to_file", **P, content="x"),
        ["1 a.py: unsupported-format: tool `append_to_file` is not supported; ask for a replace call"],
    ),
    "write with an unknown key": (
        named("write_file", **P, content="x", encoding="utf-8"),
        [f"1 a.py: unsupported-format: key `encoding` {UNKNOWN}"],
    ),
    "create_new_file": (named("create_new_file", **P, content="x"), ["1 a.py: tool-write create 'x'"]),
    # insert
    "insert": (
        {"command": "insert", **P, "insert_line": 12, "insert_text": "x"},
        ["1 a.py: tool-insert insert-at at 12 'x'"],
    ),
    "insert two texts": (
        {"command": "insert", **P, "insert_line": 12, "insert_text": "x", "new_str": "y"},
        [f"1 a.py: malformed: `insert_text` and `new_str` both have a text; {AGAIN}"],
    ),
    "a line in words": (
        {"command": "insert", **P, "insert_line": "12", "insert_text": "x"},
        [f"1 a.py: malformed: insert_line must be a whole number of at most nine digits; {AGAIN}"],
    ),
    "at the end, as Roo does": (
        named("insert_content", **P, line=0, content="x"),
        ["1 a.py: tool-insert insert-at at -1 'x'"],
    ),
    # files
    "delete": (named("delete_file", target_file="a.py", explanation="x"), ["1 a.py: tool-file delete-file"]),
    "delete_path": (named("delete_path", **P), ["1 a.py: tool-file delete-file"]),
    "remove_file": (named("remove_file", **P), ["1 a.py: tool-file delete-file"]),
    "delete more": (
        named("delete_path", **P, recursive=True),
        [f"1 a.py: unsupported-format: key `recursive` {UNKNOWN}"],
    ),
    "delete without a name": (P, []),
    "rename": (named("rename_file", old_path="a.py", new_path="b.py"), ["1 a.py: tool-file rename to b.py"]),
    "move": (named("move_path", source_path="a.py", destination_path="b.py"), ["1 a.py: tool-file rename to b.py"]),
    "move over a file": (
        named("move_file", source="a.py", destination="b.py", overwrite=True),
        [of_value("overwrite")],
    ),
    "move with a third path": (
        named("move_file", source="a.py", destination="b.py", path="c"),
        [f"1 c: unsupported-format: key `path` {UNKNOWN}"],
    ),
    "move with two old paths": (
        named("move_file", source="k.py", source_path="a.py", destination_path="b.py"),
        [
            "1 k.py: malformed: the keys `source`, `source_path`, `destination_path` are more than an old and a new "
            f"path; {AGAIN}"
        ],
    ),
    "move with two new paths": (
        named("move_file", source="a.py", destination="b.py", new_path=1),
        [
            "1 a.py: malformed: the keys `source`, `destination`, `new_path` are more than an old and a new path; "
            f"{AGAIN}"
        ],
    ),
    "a name with that of its server": (named("mcp__files__move_file", source="a.py", destination="b.py"), [MOVE]),
    "a name in a space": (named("functions.moveFile", source="a.py", destination="b.py"), [MOVE]),
    "move without a name": ({"source": "a.py", "destination": "b.py"}, []),
    # snippets
    "snippet": ({**P, "code_edit": "x"}, ["1 a.py: tool-write snippet 'x'"]),
    "code": (named("edit_file", **P, code="x"), ["1 a.py: tool-write snippet 'x'"]),
    "code without a name": ({**P, "code": "x"}, []),
    "cells": (
        {"notebook_path": "a.ipynb", "new_source": "x"},
        [f"1 a.ipynb: unsupported-format: {CELLS}"],
    ),
}


@pytest.mark.parametrize(("value", "expected"), CALLS.values(), ids=CALLS)
def test_the_table_of_calls(value: object, expected: list[str]) -> None:
    assert shown(read(value)) == expected
    if expected:
        assert shown(read({"name": "tool", "input": {"tool_uses": [value]}})) == expected


@pytest.mark.parametrize("text", ["1.0", "1e2", "-1", "1234567890", "9" * 100_000, '"1"', "true", "[1]"])
@pytest.mark.parametrize("key", ["expected_replacements", "insert_line"])
def test_a_count_is_a_plain_number(key: str, text: str) -> None:
    pair = '"old_str": "x", "new_str": "y"'
    wanted = "a whole number above 0"
    if key == "insert_line":
        wanted = "a whole number of at most nine digits"
        pair = '"command": "insert", "insert_text": "x"'
    expected = f"1 a.py: malformed: {key} must be {wanted}; {AGAIN}"
    assert shown(read(f'{{"path": "a.py", {pair}, "{key}": {text}}}')) == [expected]


TAGS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "write_to_file": (
        "write_to_file",
        {**P, "content": "x", "line_count": "1"},
        ["1 a.py: tool-write write 'x'"],
    ),
    "insert_content": (
        "insert_content",
        {**P, "line": "3", "content": "x"},
        ["1 a.py: tool-insert insert-at at 2 'x'"],
    ),
    "search_and_replace": ("search_and_replace", {**P, "search": "x", "replace": "y"}, [f"{ROW} every"]),
    "search_and_replace with words of JSON": (
        "search_and_replace",
        {**P, "search": "x", "replace": "y", "use_regex": "false"},
        [f"{ROW} every"],
    ),
    "search_and_replace, several": (
        "search_and_replace",
        {
            **P,
            "operations": json.dumps(
                [{"search": "x", "replace": "y"}, {"search": "k", "replace": "l", "use_regex": True}]
            ),
        },
        [
            f"{ROW} every",
            of_value("use_regex"),
        ],
    ),
    "edit_file": ("edit_file", {**P, "old_text": "x", "new_text": "y"}, [ROW]),
    "Edit": ("Edit", {"file_path": "a.py", **PAIR, "replace_all": "true"}, [f"{ROW} every"]),
    "a switch of Python": (
        "Edit",
        {"file_path": "a.py", **PAIR, "replace_all": "True"},
        [f"1 a.py: malformed: replace_all must be true or false; {AGAIN}"],
    ),
    "a switch that is none": (
        "Edit",
        {"file_path": "a.py", **PAIR, "replace_all": "yes"},
        [f"1 a.py: malformed: replace_all must be true or false; {AGAIN}"],
    ),
    "a count": ("replace", {**P, **PAIR, "expected_replacements": "2"}, [f"{ROW} 2 times"]),
    "MultiEdit": ("MultiEdit", {**P, "edits": json.dumps([PAIR])}, [ROW]),
    "MultiEdit, no JSON": (
        "MultiEdit",
        {**P, "edits": "[{'old_string'"},
        [f"1 a.py: malformed: `edits` is not JSON: expected a key in double quotes at line 1, column 3; {AGAIN}"],
    ),
    "MultiEdit, no list": (
        "MultiEdit",
        {**P, "edits": "1 2"},
        ["1 a.py: unsupported-format: tool `MultiEdit` is not supported; ask for a replace call"],
    ),
    "a patch": ("apply_patch", {"input": PATCH}, ["1 a.py: v4a 'x\\n' -> 'y\\n'"]),
    "blocks": ("replace_in_file", {**P, "diff": BLOCK}, ["1 a.py: diff 'x\\n' -> 'y\\n'"]),
    "a tag that nobody knows": (
        "change",
        {**P, "code": "x"},
        ["1 a.py: unsupported-format: tool `change` is not supported; ask for a replace call"],
    ),
    "a command": ("execute_command", {"command": "ls", "requires_approval": "false"}, ["command: ls"]),
    "a tag that reads": ("read_file", P, []),
    "words": ("attempt_completion", {"result": "Done."}, []),
    "a preview": ("Edit", {**P, **PAIR, "dry_run": "true"}, ["note: not-run 1"]),
    "a text for a switch in JSON": (
        "MultiEdit",
        {**P, "edits": json.dumps([{**PAIR, "replace_all": "true"}])},
        [f"1 a.py: malformed: replace_all must be true or false; {AGAIN}"],
    ),
}


@pytest.mark.parametrize(("name", "values", "expected"), TAGS.values(), ids=TAGS)
def test_calls_in_tags(name: str, values: dict[str, str], expected: list[str]) -> None:
    assert shown(read_tags(name, values)) == expected


WRAPPERS: dict[str, object] = {
    "bare": {**P, **PAIR},
    "input": {"name": "Edit", "input": {**P, **PAIR}},
    "arguments": {"tool": "Edit", "arguments": {**P, **PAIR}},
    "args": {"tool_name": "Edit", "args": {**P, **PAIR}},
    "params": {"toolName": "Edit", "params": {**P, **PAIR}},
    "parameters": {"recipient_name": "Edit", "parameters": {**P, **PAIR}},
    "tool_input": {"tool_name": "Edit", "tool_input": {**P, **PAIR}},
    "toolInput": {"toolName": "Edit", "toolInput": {**P, **PAIR}},
    "function": {"function": {"name": "Edit", "arguments": json.dumps({**P, **PAIR})}},
    "functionCall": {"functionCall": {"name": "Edit", "args": {**P, **PAIR}}},
    "a list": [{**P, **PAIR}],
    **{
        key: {key: [{**P, **PAIR}]}
        for key in "tool_calls toolCalls tool_uses calls output messages parts content choices candidates".split()
    },
    "an object with parts": {"content": {"parts": [{**P, **PAIR}]}},
    "message": {"message": {"content": [{**P, **PAIR}]}},
    "payload": {"payload": {**P, **PAIR}},
    "a name that reads": {"name": "Read", "input": {**P, **PAIR}},
}


@pytest.mark.parametrize("value", WRAPPERS.values(), ids=WRAPPERS)
def test_where_calls_are_looked_for(value: object) -> None:
    assert shown(read(value)) == [ROW]


@pytest.mark.parametrize("key", "example examples schema properties result toolUseResult before value data".split())
def test_what_stands_elsewhere_is_data(key: str) -> None:
    assert shown(read({key: {**P, **PAIR}})) == []
    assert shown(read({"name": "note", "input": {key: [{**P, **PAIR}]}})) == []


SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "old_string": {"type": "string"}}}
TALK: dict[str, object] = {
    "a schema of keys": {
        "path": {"type": "string"},
        "old_string": {"type": "string"},
        "new_string": {"type": "string"},
    },
    "a new text with its range": {**P, "range": {"line": 1}, "newText": "y"},
    "texts as objects": {**P, "old_string": {}, "new_string": {}},
    "texts as lists of objects": {**P, "old_string": [{}], "new_string": [{}]},
    "texts as empty lists": {**P, "old_string": [], "new_string": []},
    "a new text without a path": {"new_string": "y"},
    "a declared tool": {"name": "edit_file", "description": "Edits.", "input_schema": SCHEMA},
    "a declared function": {"type": "function", "function": {"name": "edit_file", "parameters": SCHEMA}},
    "a package": {"name": "shop", "version": "1.0.0", "files": ["a.js"], "scripts": {"test": "jest"}},
    "a log": {"level": "info", "file": "a.py", "line": 3, "message": "x"},
    "a message": {"role": "assistant", "content": "x"},
    "an answer of REST below another key": {"content": {"path": "a.py", "content": "x"}},
    "an object for a list": {"tool_calls": {**P, **PAIR}},
    "a list for an object": {"payload": [{**P, **PAIR}]},
    "an answer of REST": {"path": "a.py", "content": "eA==", "sha": "1", "encoding": "base64"},
    "one with null": {"path": "a.py", "content": "eA==", "sha": None},
    "a search hit": {"path": "a.py", "line": 3, "content": "x"},
    "a result": {"type": "tool_result", "content": [{**P, **PAIR}]},
    "an output": {"type": "function_call_output", "call_id": "c", "output": [{**P, **PAIR}]},
    "a message of a tool": {"role": "tool", "content": [{**P, **PAIR}]},
    "a response": {"functionResponse": {"name": "edit", "response": {**P, **PAIR}}},
    "a server": {"command": "npx", "args": ["-y", "server"]},
    "values": [1, True, None, "x", []],
    "arguments in words": {"name": "say", "arguments": "hello"},
    "a text of JSON that is no call": {"name": "say", "arguments": "{}"},
    "a text of no JSON": {"name": "say", "arguments": "{x"},
    "a tool without keys": {"name": "Edit", "input": {}},
    "a tool of another kind": {"name": "send_note", "input": {"text": "x"}},
    "tasks": {"name": "write_todos", "input": {"todos": [{"content": "x"}]}},
    "what a program reads": {"name": "write_stdin", "input": {"session_id": 1, "chars": "x"}},
    **{
        f"a word in `{name}`": {"name": name, "input": {"text": "x"}}
        for name in ("credit_check", "search_reddit", "dispatch_agent", "expedite", "getEditorState", "readPatch")
    },
    "an edit of nothing": {"name": "Edit", "input": None},
    "a command of no editor": {"name": "memory", "input": {**P, "command": "create"}},
    "a command with other keys": {**P, "command": "create", "args": ["x"]},
    "edits of people": {**P, "edits": [{"user": "x"}]},
    "a change of a file": {"sha": "1", "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"},
    "editors command": {"name": "editor", "input": {"command": "view"}},
}


@pytest.mark.parametrize("value", TALK.values(), ids=TALK)
def test_talk_stays_talk(value: object) -> None:
    assert shown(read(value)) == []


# Tools whose names say that they edit, with keys that nobody knows
EDITORS: dict[str, object] = {
    "Antigravity": named("replace_file_content", TargetFile="a.py", TargetContent="x", ReplacementContent="y"),
    "Windsurf": named("write_to_file", TargetFile="a.py", CodeContent="x"),
    "JetBrains": named("mcp__jetbrains__create_new_file", pathInProject="a.py", text="x"),
    "Roo, apply_diff": named("apply_diff", files=[{"path": "a.py", "diffs": [{"content": BLOCK, "start_line": 1}]}]),
    "Warp": named("edit_files", diffs=[{"file_path": "a.py", "search": "x", "replace": "y"}]),
    "Augment": named("save-file", path="a.py", file_content="x"),
    "a list of edits without a path": named("edit_people", edits=["x", {"user": "x"}]),
    "words": named("write_note", text="x"),
    "a text": {"name": "editSelection", "input": "x"},
    "in capitals": named("CreateFile", where="a.py", what="x"),
    "half a move": named("move_file", source="a.py"),
    "a move of two halves": named("move_file", source="a.py", new_path="b.py"),
    **{name: named(name, where="a.py") for name in ("deleteFile", "move-file", "rename_file", "InsertLine")},
}


@pytest.mark.parametrize("value", EDITORS.values(), ids=EDITORS)
def test_a_call_whose_name_says_that_it_edits_is_noted(value: object) -> None:
    assert (shown(read(value)), read(value).unread) == ([], (1,))


def test_tags_of_such_a_call_are_noted() -> None:
    assert read_tags("write_to_file", {"TargetFile": "a.py", "CodeContent": "x"}).unread == (1,)


def test_such_a_call_is_not_noted_where_calls_in_it_are_read() -> None:
    assert shown(read(named("edit_all", calls=[{**P, **PAIR}]))) == [ROW]
    assert shown(read({"name": "edit_all", "status": "failed", "input": {"calls": [{**P, **PAIR}]}})) == [
        "note: not-run 1"
    ]
    found = read(named("edit_all", todo=[{**P, **PAIR}]))
    assert (found.notes, found.unread) == ((), (1,))


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("replace_symbol_body", {"name_path": "f", "body": "x"}),
        ("mcp__serena__insert_after_symbol", {"name_path": "f", "body": "x"}),
        ("replace_content", {"needle": "x", "repl": "y", "mode": "literal"}),
        ("create_text_file", {"content": "x"}),
    ],
)
def test_tools_that_edit_by_symbols_are_noted(name: str, keys: dict[str, object]) -> None:
    found = read(named(name, relative_path="a.py", **keys))
    assert (found.rows, found.unread) == ((), (1,))


def test_tools_that_find_symbols_are_talk() -> None:
    for name in ("find_symbol", "read_file", "search_for_pattern", "mcp__serena__get_symbols_overview"):
        assert shown(read(named(name, relative_path="a.py", name_path="f"))) == []


@pytest.mark.parametrize(
    "path",
    ["path/to/a.py", "/path/to/a.py", "your/a.py", "<path>", "src/{name}.py", "src/…", "...", "file_path", "filename"],
)
def test_a_path_that_stands_for_one_is_an_example(path: str) -> None:
    for value in ({"path": path, **PAIR}, {"path": path, "content": "x"}, named("change", path=path, code="x")):
        assert shown(read(value)) == ["note: call-as-example 1"]
    assert shown(read({"path": path, "content": "x", "sha": "1"})) == []
    assert shown(read({"path": path})) == []
    assert shown(read({"edits": [{"path": path, **PAIR}]})) == ["note: call-as-example 1"]
    assert shown(read(named("move_file", source=path, destination="b.py"))) == ["note: call-as-example 1"]
    assert len(read({"edits": [{"path": path, **PAIR}, {**P, **PAIR}]}).rows) == 2


DRY: dict[str, tuple[dict[str, object], list[str]]] = {
    "true": ({"dryRun": True}, ["note: not-run 1"]),
    "true, with other words": ({"dry_run": True}, ["note: not-run 1"]),
    "preview": ({"preview": True}, ["note: not-run 1"]),
    "false": ({"dryRun": False, "preview": False}, [ROW]),
    "no switch": ({"preview": "yes"}, [f"1 a.py: malformed: preview must be true or false; {AGAIN}"]),
}


@pytest.mark.parametrize(("keys", "expected"), DRY.values(), ids=DRY)
def test_a_preview_changes_nothing(keys: dict[str, object], expected: list[str]) -> None:
    assert shown(read({**P, **PAIR, **keys})) == expected


EDIT = named("Edit", **P, **PAIR)
FAILED: dict[str, object] = {
    "a status": {**EDIT, "status": "Failed"},
    "a status beside `function`": {"tool_calls": [{"function": EDIT, "status": "failed"}]},
    "a status beside `functionCall`": {"functionCall": EDIT, "status": "ERROR"},
    "a call of MCP": {"type": "mcp_call", "name": "edit", "arguments": json.dumps({**P, **PAIR}), "error": "boom"},
    "an object as its error": {**EDIT, "error": {"code": 1}},
    "a tool of the AI SDK": {
        "type": "dynamic-tool",
        "toolName": "edit",
        "state": "output-error",
        "input": EDIT["input"],
    },
    "a person denied it": {"toolName": "edit", "state": "output-denied", "input": EDIT["input"]},
    "a switch": {**EDIT, "is_error": True},
    "a switch in the words of MCP": {**EDIT, "isError": True},
    "no success": {**EDIT, "success": False},
}
NOT_FAILED: dict[str, object] = {
    "a status": {**EDIT, "status": "completed"},
    "a status that is no text": {**EDIT, "status": {"error": "x"}},
    "no error": {**EDIT, "error": None, "is_error": False, "isError": "false", "success": True},
    "an empty error": {**EDIT, "error": ""},
    "an output": {**EDIT, "output": "x"},
    "an output that is an object": {**EDIT, "output": {"text": "x"}},
    "a hook": {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": EDIT["input"]},
    "an error of other things": {"output": [EDIT], "success": False},
}


@pytest.mark.parametrize("value", FAILED.values(), ids=FAILED)
def test_a_call_that_failed_is_not_read(value: object) -> None:
    assert shown(read(value)) == ["note: not-run 1"]


@pytest.mark.parametrize("value", NOT_FAILED.values(), ids=NOT_FAILED)
def test_a_call_that_did_not_fail_is_read(value: object) -> None:
    assert shown(read(value)) == [ROW]


NOT_READ: dict[str, tuple[object, str]] = {
    "an edit in a form that nobody knows": (named("patch_ast", **P, code="x"), "tool `patch_ast` is not supported"),
    "an object for a text": (named("Write", path="a.py", content={"name": "shop"}), "the call has no text"),
    "a list for a text": (named("patch_ast", **P, replace=["x"]), "tool `patch_ast` is not supported"),
    "no pair in a list": (named("MultiEdit", **P, edits=[]), "tool `MultiEdit` is not supported"),
    "a new text for lines": (
        named("replace_lines", **P, start_line=1, end_line=2, new_text="x"),
        "tool `replace_lines` is not supported",
    ),
    "a new text of a tool that nobody knows": (named("ast", **P, new_text="x"), "tool `ast` is not supported"),
    "a list of a tool that nobody knows": (named("ast", **P, replace=["x"]), "tool `ast` is not supported"),
    "a diff without a path": (
        {"patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"},
        'the edits in "patch" of the call are not read',
    ),
    "a block in an input": (
        named("edit", input="a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"),
        'the edits in "input" of the call are not read',
    ),
    "an operation without a path": (
        {"type": "apply_patch_call", "operation": {"type": "delete_file"}},
        "the operation of `apply_patch_call` is not supported",
    ),
    "an operation of another type": (
        {"type": "apply_patch_call", "operation": {"type": "rename_file", **P, "diff": "x"}},
        "the operation of `apply_patch_call` is not supported",
    ),
    "an editor with a second model": (named("edit_file", **P, prompt="x"), "the call has no text"),
    "a name in capitals": (named("ApplyPatch", **P), "the call has no text"),
    "a command of an editor": (named("str_replace_editor", command="delete", **P), "the call has no text"),
}


@pytest.mark.parametrize(("value", "what"), NOT_READ.values(), ids=NOT_READ)
def test_what_plainly_edits_is_never_lost(value: object, what: str) -> None:
    [row] = shown(read(value))
    assert row.partition(": ")[2].startswith(f"unsupported-format: {what}; ask for ")


INCOMPLETE = {
    "a string in a string": (
        {"function": {"name": "edit", "arguments": json.dumps(json.dumps({**P, "old_str": "x"}))}},
        "the input of the tool call at line 1 is JSON in a string inside another string",
    ),
    "texts as numbers": ({**P, "old_string": 3, "new_string": 4}, HALF),
    "texts as numbers in a list": (
        {**P, "edits": [{"old_string": 3, "new_string": 4}]},
        HALF,
    ),
    "an old text as a number": ({**P, "old_string": 3, "new_string": "y"}, HALF),
    "a new text as a number": ({**P, "old_string": "x", "new_string": 4}, HALF),
    "a new text as a switch": ({**P, "oldText": "x", "newText": True}, HALF),
    "a new text as an object": ({**P, "old_str": "x", "new_str": {"a": "y"}}, HALF),
    "no line and no text": ({**P, "command": "insert"}, HALF),
    "no old and no new text": ({**P, "command": "str_replace"}, HALF),
    "no text of a file": (named("str_replace_editor", **P, command="create"), HALF),
    "a new text only": ({**P, "new_string": "y"}, HALF),
    "a new text only, with a name": (
        named("Edit", **P, new_string="y", replace_all=False),
        HALF,
    ),
    "a new text only, of a tool that replaces": (
        named("replace", **P, new_string="y"),
        HALF,
    ),
    "no old text": ({**P, "command": "str_replace", "new_str": "y"}, HALF),
    "no command": ({**P, "file_text": "x"}, HALF),
}


@pytest.mark.parametrize(("value", "what"), INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_call_that_is_not_whole_is_never_lost(value: object, what: str) -> None:
    [row] = shown(read(value))
    assert row.partition(": ")[2] == f"malformed: {what}; {AGAIN}"


WRONG_KINDS: dict[str, tuple[object, str]] = {
    "a number": (named("Edit", **P, old_string=1, new_string="y"), HALF),
    "a list in a text": (
        named("MultiEdit", **P, edits=json.dumps([PAIR])),
        HALF,
    ),
    "a list in a text, without a name": (
        {**P, "replacements": json.dumps([PAIR])},
        HALF,
    ),
}


@pytest.mark.parametrize(("value", "what"), WRONG_KINDS.values(), ids=WRONG_KINDS)
def test_a_value_of_the_wrong_kind_is_named(value: object, what: str) -> None:
    assert shown(read(value)) == [f"1 a.py: malformed: {what}; {AGAIN}"]


COMMANDS: dict[str, tuple[object, list[str]]] = {
    "a text": (named("bash", command="ls -l"), ["command: ls -l"]),
    "a list": (named("exec", cmd=["git", "status"]), ["command: git status"]),
    "a script": (named("run", script="a\nb"), ["command: a\nb"]),
    "arguments of a server as a text": ({"name": "functions.Shell", "arguments": "ls"}, ["command: ls"]),
    "arguments as a text": ({"name": "bash", "arguments": "ls"}, ["command: ls"]),
    "a command of an editor": (named("editor", command="view"), []),
    "no name": ({"command": "ls"}, []),
    "nothing": (named("bash", restart=True), []),
    "a number": (named("bash", command=1), []),
}


@pytest.mark.parametrize(("value", "expected"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_is_shown_and_never_run(value: object, expected: list[str]) -> None:
    assert shown(read(value)) == expected


def script(text: str, end: str = "'EOF'") -> dict[str, object]:
    return named("shell", command=["bash", "-lc", f"{text} <<{end}\n{PATCH}\nEOF\n"])


HERE = f"apply_patch <<'EOF'\n{PATCH}\nEOF"
V4A = "1 a.py: v4a 'x\\n' -> 'y\\n'"
BESIDE = "1 -: unsupported-format: the patch is in a script with other commands; ask only for the patch"
STRINGS: dict[str, tuple[object, list[str]]] = {
    "a patch": ({"input": PATCH}, [V4A]),
    "a patch in a folder": ({"patch": PATCH, "workdir": "src/./x"}, [f"{V4A} in src/x"]),
    "a patch with an unknown key": ({"patch_text": PATCH, "x": 1}, [f"1 -: unsupported-format: key `x` {UNKNOWN}"]),
    "a patch with a path beside it": (
        {"input": PATCH, "path": "src"},
        [f"1 src: unsupported-format: key `path` {UNKNOWN}"],
    ),
    "an example of a patch": ({"input": PATCH.replace("a.py", "path/to/a.py")}, ["note: call-as-example 1"]),
    "a patch that cannot be read": (
        {"input": "*** Begin Patch\nx\n*** End Patch"},
        [f'1 -: malformed: in "input": {AT_FAULT} at line 2; leave that line out'],
    ),
    "a diff for the program of patches": (
        {"name": "apply_patch", "input": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"},
        ["1 a.py: unified 'x\\n' -> 'y\\n'"],
    ),
    "words for the program of patches": (
        {"name": "functions.apply_patch", "input": "x"},
        [f'1 -: malformed: "input" {NO_BLOCK}'],
    ),
    "words that only name a patch": (
        {"input": "Write `*** Begin Patch` first."},
        [f'1 -: malformed: "input" {NO_BLOCK}'],
    ),
    "a diff as the argument of the program of patches": (
        {"cmd": ["apply_patch", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"]},
        ["1 a.py: unified 'x\\n' -> 'y\\n'"],
    ),
    "two arguments of the program of patches": (
        named("shell", command=["apply_patch", "x", "y"]),
        ["command: apply_patch x y"],
    ),
    "two patches in one text": ({"input": f"{PATCH}\n{PATCH}"}, [V4A] * 2),
    "two patches below a blank line": ({"input": f"\n{PATCH}\n{PATCH}"}, [V4A] * 2),
    "a patch that cannot be read, of the file of the call": (
        {**P, "diff": "*** Begin Patch\nx\n*** End Patch"},
        [f'1 a.py: malformed: in "diff": {AT_FAULT} at line 2; leave that line out'],
    ),
    "paths of Windows": (
        {"input": PATCH.replace("a.py\n", "src\\a.py\n*** Move to: src\\b.py\n")},
        [
            "1 src/a.py: v4a rename to src/b.py '' -> '' path-cleaned",
            "1 src/b.py: v4a 'x\\n' -> 'y\\n' path-cleaned",
        ],
    ),
    "addresses for paths": (
        {"input": PATCH.replace("a.py\n", "file:///w/a.py\n*** Move to: file:///w/b.py\n")},
        ["1 /w/a.py: v4a rename to /w/b.py '' -> ''", "1 /w/b.py: v4a 'x\\n' -> 'y\\n'"],
    ),
    "a program and its argument": ({"cmd": ["apply_patch", PATCH]}, [V4A]),
    "a script": (script("apply_patch"), [V4A]),
    "a call of the shell by its type": (
        {"type": "local_shell_call", "action": {"type": "exec", "command": ["apply_patch", PATCH]}},
        [V4A],
    ),
    "a script in a text": (named("bash", command=f'applypatch << "EOF"\n{PATCH}\nEOF'), [V4A]),
    "a script in a folder": (script("cd /w/src && apply_patch"), [f"{V4A} in /w/src"]),
    "a script in a folder in quotes": (script("cd 'X b' && apply_patch"), [f"{V4A} in X b"]),
    "a script in a folder of Windows": (
        named("shell", command=["apply_patch", PATCH], workdir="C:\\w"),
        [f"{V4A} in C:/w"],
    ),
    "a document that the shell does not change": (script("apply_patch", "EOF"), [V4A]),
    "a document that the shell changes": (
        named("bash", command=f"apply_patch <<EOF\n{PATCH.replace('+y', '+$y')}\nEOF"),
        [BESIDE],
    ),
    "a command before it": (script("ls; apply_patch"), [BESIDE]),
    "a command behind it": (named("bash", command=f"apply_patch <<'EOF'\n{PATCH}\nEOF\nls"), [BESIDE]),
    "two patches": (
        named("bash", command=f"apply_patch <<'EOF'\n{PATCH}\nEOF\napply_patch <<'EOF'\n{PATCH}\nEOF"),
        [BESIDE],
    ),
    "another document behind it": (
        named("bash", command=f"apply_patch <<'EOF'\n{PATCH}\nEOF\ncat > x <<'EOF'\ny\nEOF"),
        [BESIDE],
    ),
    "a folder that is computed": (script("cd $(pwd) && apply_patch"), [BESIDE]),
    "a document of another command": (script("cat > x"), [BESIDE]),
    "a patch among words": ({"cmd": ["echo", PATCH]}, [BESIDE]),
    "a list that is no command": ({"cmd": [PATCH, 1]}, [BESIDE]),
    "a script as one word": ({"cmd": [HERE]}, [V4A]),
    "a script for a shell by its path": ({"cmd": ["/bin/sh", "-c", HERE]}, [V4A]),
    "a script without the option of a shell": ({"cmd": ["bash", "-x", HERE]}, [BESIDE]),
    "a script on another machine": (named("shell", command=["ssh", "host", HERE]), [BESIDE]),
    "a script in a container": (named("shell", command=["docker", "exec", "c", "bash", "-lc", HERE]), [BESIDE]),
    "a script that is shown": (named("shell", command=["echo", HERE]), [BESIDE]),
    "a script beside a time": (named("shell", command=HERE, timeout_ms=9, description="Do"), [V4A]),
    "a script in the folder of the local shell": (
        {"type": "local_shell_call", "action": {"type": "exec", "command": [HERE], "working_directory": "src"}},
        [f"{V4A} in src"],
    ),
    **{
        f"a script beside `{key}`": (
            named("shell", command=HERE, **{key: "x"}),
            [f"1 -: unsupported-format: key `{key}` {UNKNOWN}"],
        )
        for key in ("cwd", "directory", "dir_path", "host")
    },
    "a program in JavaScript": (
        {
            "type": "custom_tool_call",
            "name": "exec",
            "input": f"const patch = `\n{PATCH}\n`;\ntools.apply_patch(patch);",
        },
        [BESIDE],
    ),
    "a program with its patch in mid-line": (
        {"type": "custom_tool_call", "name": "exec", "input": f"tools.apply_patch(`{PATCH}\n`);"},
        ['1 a.py: stray-marker: in "input": line 2 is outside a patch; put `*** Begin Patch` above it'],
    ),
    "a document for the program of patches": ({"name": "apply_patch", "input": f"<<'EOF'\n{PATCH}\nEOF"}, [V4A]),
    "a program in Python": (named("python", code=f"apply('''{PATCH}''')"), [BESIDE]),
    "code without a name": ({"code": PATCH}, []),
    "code of a file": (named("insert_edit_into_file", **P, code=PATCH), [f"1 a.py: tool-write snippet {PATCH!r}"]),
    "an update": ({"operation": {"type": "update_file", **P, "diff": "@@\n-x\n+y\n"}}, [V4A]),
    "an update with its envelope": ({"operation": {"type": "update_file", **P, "diff": PATCH}}, [V4A]),
    "an update with that of another file": (
        {"operation": {"type": "update_file", "path": "b.py", "diff": PATCH}},
        ['1 b.py: no-path: "diff" names a.py, and the call b.py; name the same file in both'],
    ),
    "a path of two lines": (
        {"operation": {"type": "update_file", "path": "a.py\n*** Delete File: b.py", "diff": "@@\n-x\n+y\n"}},
        [
            f'1 a.py\n*** Delete File: b.py: no-path: "diff" names {name}, and the call a.py\n*** Delete File: b.py; '
            "name the same file in both"
            for name in ("a.py", "b.py", "b.py")
        ],
    ),
    "a creation": (
        {"operation": {"type": "create_file", **P, "diff": "+x\n+\n+y"}},
        ["1 a.py: v4a create '' -> 'x\\n\\ny\\n'"],
    ),
    "a creation of nothing": ({"operation": {"type": "create_file", **P, "diff": ""}}, ["1 a.py: v4a create '' -> ''"]),
    "a creation without signs": (
        {"operation": {"type": "create_file", **P, "diff": "+x\ny"}},
        [f'1 a.py: malformed: a line of "diff" does not begin with `+`, although the file is new; {AGAIN}'],
    ),
    "a deletion": (
        {"type": "apply_patch_call", "operation": {"type": "delete_file", **P}},
        ["1 a.py: tool-file delete-file"],
    ),
    "a deletion that is no operation": ({"type": "delete_file", **P}, []),
    "an operation with an unknown key": (
        {"operation": {"type": "delete_file", **P, "force": True}},
        [f"1 a.py: unsupported-format: key `force` {UNKNOWN}"],
    ),
    "operations, one of which is none": (
        {"operation": [{"type": "delete_file", **P}, {"type": "read_file", **P}]},
        ["1 a.py: tool-file delete-file", f"1 -: malformed: an element of `operation` is not an edit; {AGAIN}"],
    ),
    "another operation": ({"operation": {"type": "read_file", **P}}, []),
    "an operation that is none": ({"operation": "update_file", **P}, []),
    "blocks": ({**P, "diff": f"{BLOCK}\n{BLOCK}"}, ["1 a.py: diff 'x\\n' -> 'y\\n'"] * 2),
    "blocks of Cline": (
        {**P, "diff": "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"},
        ["1 a.py: cline 'x\\n' -> 'y\\n'"],
    ),
    "blocks of Roo": (
        {**P, "diff": "<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\ny\n>>>>>>> REPLACE"},
        ["1 a.py: roo 'x\\n' -> 'y\\n'"],
    ),
    "hunks": ({**P, "diff": "@@ -1 +1 @@\n-x\n+y"}, ["1 a.py: unified 'x\\n' -> 'y\\n'"]),
    "hunks of an address": (
        {"path": "file:///w/a.py", "diff": "@@ -1 +1 @@\n-x\n+y"},
        ["1 /w/a.py: unified 'x\\n' -> 'y\\n'"],
    ),
    "a block of an address": ({"path": "file:///w/a.py", "diff": BLOCK}, ["1 /w/a.py: diff 'x\\n' -> 'y\\n'"]),
    "hunks below names": (
        {**P, "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"},
        ["1 a.py: unified 'x\\n' -> 'y\\n'"],
    ),
    "hunks of another file": (
        {**P, "patch": "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y"},
        ['1 a.py: no-path: "patch" names b.py, and the call a.py; name the same file in both'],
    ),
    "a patch of one file": ({**P, "patch": PATCH}, [V4A]),
    "hunks of a path that is words": (
        {"file": "my new file", "diff": "@@ -1 +1 @@\n-x\n+y"},
        ['1 my new file: malformed: "diff" holds no block; ask for SEARCH/REPLACE blocks'],
    ),
    "a file in a list of changes": (
        {"sha": "1", "filename": "a.py", "status": "modified", "patch": "@@ -1 +1 @@\n-x\n+y"},
        [],
    ),
    "a patch with a key that is not known": (
        named("edit", **P, patch="@@ -1 +1 @@\n-x\n+y", fuzz=2),
        [f"1 a.py: unsupported-format: key `fuzz` {UNKNOWN}"],
    ),
    "blocks that hold fences": (
        {**P, "diff": BLOCK.replace("y", "````\ny\n````")},
        ["1 a.py: diff 'x\\n' -> '````\\ny\\n````\\n'"],
    ),
    "hunks with a fence between them": (
        {**P, "diff": "@@ -1,3 +1,3 @@\n-x\n+y\n\n````\n@@ -9 +9 @@\n-k\n+l"},
        ["1 a.py: unified 'x\\n' -> 'y\\n' context-unmarked", "1 a.py: unified 'k\\n' -> 'l\\n'"],
    ),
    "a block that is cut off": (
        {**P, "diff": BLOCK.partition("\n=")[0]},
        [f'1 a.py: unclosed: in "diff": block at line 1 has no `>>>>>>> REPLACE` before the end (line 3); {CUT}'],
    ),
    "words": (
        {**P, "diff": "I changed x."},
        [f'1 a.py: malformed: "diff" {NO_BLOCK}'],
    ),
    "a call": (
        {**P, "diff": json.dumps({**P, **PAIR})},
        [f'1 a.py: malformed: "diff" {NO_BLOCK}'],
    ),
}


@pytest.mark.parametrize(("value", "expected"), STRINGS.values(), ids=STRINGS)
def test_patches_and_blocks_in_strings(value: object, expected: list[str]) -> None:
    found = read(value)
    assert shown(found) == expected
    for row in found.rows:
        notes = [note.code for note in row.notes]
        assert ("patch-in-string" in notes) is (
            row.format in ("v4a", "unified", "diff", "cline", "roo") and bool(notes)
        )


def test_the_hunks_of_one_operation_are_of_one_patch() -> None:
    rows = read({"operation": {"type": "update_file", **P, "diff": "@@\n-x\n+y\n@@\n-k\n+l"}}).rows
    sections = [row.section for row in rows if isinstance(row, EditBlock)]
    assert sections == [sections[0]] * 2
    assert sections[0]


def test_the_hunks_of_two_calls_are_of_two_patches() -> None:
    rows = read([{"input": PATCH}, {"input": PATCH}]).rows
    assert len({row.section for row in rows if isinstance(row, EditBlock)}) == 2


PATHS_AS_WRITTEN = {
    "a.py": "a.py",
    "X.py": "X.py",
    "./a.py": "a.py",
    "src\\a.py": "src/a.py",
    ".\\a.py": "a.py",
    "src/a\\b.py": "src/a\\b.py",
    "file:///w/a.py": "/w/a.py",
    "file:///C:/w/a.py": "C:/w/a.py",
    "file://w/a.py": "file://w/a.py",
    "C:\\w\\a.py": "C:/w/a.py",
    "a.py:12": "a.py:12",
    "`a.py`": "`a.py`",
    " a.py": " a.py",
    "../a.py": "../a.py",
    "~/a.py": "~/a.py",
}


@pytest.mark.parametrize(("path", "cleaned"), PATHS_AS_WRITTEN.items(), ids=PATHS_AS_WRITTEN)
def test_paths(path: str, cleaned: str) -> None:
    [row] = read({"path": path, **PAIR}).rows
    notes = ["path-cleaned"] if path != cleaned else []
    assert (row.file_path, [note.code for note in row.notes]) == (cleaned, notes)


BROKEN: dict[str, tuple[str, list[str]]] = {
    "no JSON": (
        '{"path": "a.py", "old_string": "x" "new_string"}',
        [f"1 -: malformed: the tool call at line 1 is not JSON: expected `,` or `}}` at line 1, column 36; {AGAIN}"],
    ),
    "cut off": (
        '{"path": "a.py",\n"old_string": "x',
        [
            "1 -: unclosed: the tool call at line 1 is cut off: a string has no end at line 2, column 15; "
            "probably cut off, ask for it again"
        ],
    ),
    "no edit": ('{"path": a.py}', []),
    "a good call before it": (
        json.dumps({**P, **PAIR}) + '\n{"file_text": True}',
        [ROW, f"2 -: malformed: the tool call at line 2 is not JSON: expected a value at line 2, column 15; {AGAIN}"],
    ),
    "too deep": (
        '{"old_string": ' + "[" * 64,
        [f"1 -: too-large: the tool call at line 1 is nested deeper than 64 levels; {AGAIN}"],
    ),
    "too deep, no edit": ("[" * 65, []),
    "a key twice": (
        '{"path": "a.py",\n"old_string": "x", "old_string": "x", "new_string": "y"}',
        [f"1 a.py: malformed: key `old_string` appears twice, at line 2; {AGAIN}"],
    ),
    "a key twice around a call": (
        '{"name": "Write", "name": "Edit", "input": {"path": "a.py", "content": "x"}}',
        [f"1 a.py: malformed: key `name` appears twice, at line 1; {AGAIN}"],
    ),
    "a key twice in arguments": (
        json.dumps({"name": "e", "arguments": '{"path": "a.py",\n"old_str": "x", "old_str": "x", "new_str": "y"}'}),
        [f"1 a.py: malformed: key `old_str` appears twice, at line 2 of the input; {AGAIN}"],
    ),
    "a call that another value hides": (
        '{"name": "Edit", "input": {"path": "a.py", "old_str": "x", "new_str": "y"}, "input": {}}',
        [f"1 -: malformed: key `input` appears twice, at line 1; {AGAIN}"],
    ),
    "a key twice in talk": ('{"path": "a.py", "path": "b.py"}', []),
    "a key twice in a pair": (
        '{"path": "a.py", "edits": [{"old": "x", "new": "y", "new": "z"}, {"old": "x", "new": "y"}]}',
        [f"1 a.py: malformed: key `new` appears twice, at line 1; {AGAIN}", ROW],
    ),
    "a text that no file holds": (
        r'{"path": "a.py", "old_string": "x", "new_string": "\ud800"}',
        [f"1 a.py: malformed: a text at line 1 holds U+D800; {AGAIN}"],
    ),
    "arguments that are no JSON": (
        json.dumps({"name": "e", "arguments": '{"old_string": x}'}),
        [
            f"1 -: malformed: {INPUT} is not JSON: expected a value at line 1, column 16 of the input; {AGAIN}",
        ],
    ),
    "arguments that are cut off": (
        json.dumps({"name": "e", "arguments": '{"old_string": "x'}),
        [
            f"1 -: unclosed: {INPUT} is cut off: a string has no end at line 1, column 16 of the input; {CUT}",
        ],
    ),
    "arguments in arguments": (
        json.dumps({"name": "e", "arguments": json.dumps({"name": "e", "arguments": json.dumps({**P, **PAIR})})}),
        [f"1 -: malformed: the input of the tool call at line 1 is JSON in a string inside another string; {AGAIN}"],
    ),
    "words in arguments in arguments": (
        json.dumps({"name": "e", "arguments": json.dumps({"name": "e", "arguments": "{}"})}),
        [],
    ),
    "a text that no file holds, beside a call": (
        json.dumps({"role": "assistant", "content": "\0", "tool_calls": [{**P, **PAIR}]}),
        [ROW],
    ),
    "a text that no file holds, in words that show an edit": (
        json.dumps({"content": '\0"old_string": 1'}),
        [f"1 -: malformed: a text at line 1 holds U+0000; {AGAIN}"],
    ),
    "several answers": (
        json.dumps({"choices": [{"message": {"calls": [{**P, **PAIR}]}}] * 2}),
        ["1 -: malformed: `choices` holds 2 answers, and nothing says which one to use; send one of them"],
    ),
    "several answers without a call": (json.dumps({"candidates": [{"content": "x"}] * 2}), []),
}


@pytest.mark.parametrize(("text", "expected"), BROKEN.values(), ids=BROKEN)
def test_broken_calls(text: str, expected: list[str]) -> None:
    assert shown(read(text)) == expected


def test_a_line_of_a_session_that_is_no_json_is_not_cut_off() -> None:
    [row] = shown(read('{"old_string": "x', AT._replace(may_be_cut=False)))
    assert row.startswith("1 -: malformed: ")


def test_rows_stand_where_their_objects_do() -> None:
    text = json.dumps([{**P, **PAIR}, {**P, "edits": [PAIR, PAIR]}], indent=1)
    rows = read(text, AT._replace(first_line=10)).rows
    lines = text.split("\n")
    spans = [(row.line_number, row.end_line) for row in rows]
    starts = [10 + number for number, line in enumerate(lines) if line.strip().startswith("{")]
    ends = [10 + number for number, line in enumerate(lines) if line.strip().startswith("}")]
    assert spans == [(starts[0], ends[0]), (starts[2], ends[1]), (starts[3], ends[2])]


def test_a_named_call_begins_where_its_name_may_stand() -> None:
    text = '{"name": "MultiEdit",\n"input": {"path": "a.py",\n"edits": [{"old": "x", "new": "y"},\n'
    text += '{"old": "x",\n"new": "y"}]}\n}'
    assert [(row.line_number, row.end_line) for row in read(text).rows] == [(3, 3), (4, 5)]
    text = '{"name": "Edit",\n"input": {"path": "a.py",\n"old_str": "x", "new_str": "y"}\n}'
    assert [(row.line_number, row.end_line) for row in read(text).rows] == [(1, 4)]


def test_a_pair_that_begins_on_the_line_of_its_call_stands_where_the_call_does() -> None:
    text = '{"path": "a.py", "edits": [{"old": "x",\n"new": "y"},\n{"old": "x", "new": "z"}]\n}'
    assert [(row.line_number, row.end_line) for row in read(text).rows] == [(1, 4), (3, 3)]


FOLDERS = {
    "in that of the session": ("src", "/w/src"),
    "of its own": ("/x", "/x"),
    "of Windows": ("C:\\x", "C:/x"),
    "of Windows, in a small letter": ("c:/x", "c:/x"),
}


@pytest.mark.parametrize(("folder", "expected"), FOLDERS.values(), ids=FOLDERS)
def test_the_folder_of_a_command(folder: str, expected: str) -> None:
    value = named("shell", command=["apply_patch", PATCH], workdir=folder)
    assert shown(read(value, AT._replace(folder="/w"))) == [f"{V4A} in {expected}"]


def test_what_the_place_of_the_text_says_is_in_each_row() -> None:
    at = AT._replace(folder="/w/src", session_root="/w", was_run=True)
    values = [{**P, **PAIR}, {**P, "content": "x"}, {"input": PATCH, "workdir": "x"}, {**P, "diff": BLOCK}]
    calls = [row.call for row in read(values, at).rows if isinstance(row, EditBlock)]
    expected = [("/w/src", "/w", True)] * 4
    expected[2] = ("/w/src/x", "/w", True)
    assert [(call.folder, call.session_root, call.was_run) for call in calls if call] == expected


def test_json_is_literal_and_tags_have_a_layout() -> None:
    from editblocks.formats.call_reader import read_parameters

    values = {**P, "old_text": "x", "new_text": "y"}
    found = [
        read(values),
        read_tags("edit", values),
        read_parameters("edit", values, AT, frozenset(("old_text",))),
        read_parameters("edit", values, AT, frozenset(("old_text", "new_text"))),
    ]
    calls = [row.call for each in found for row in each.rows if isinstance(row, EditBlock)]
    assert [call.is_literal for call in calls if call] == [True, False, False, True]


@pytest.mark.long
def test_more_rows_than_may_be_are_not_read() -> None:
    assert len(read([{**P, **PAIR}] * 3_000).rows) == MOST_ROWS + 1
    assert len(read({**P, "edits": [PAIR] * 3_000}).rows) == MOST_ROWS + 1


TEXTS = st.text(alphabet=st.sampled_from("ab \t\n\r\"'\\<>&{}[]`é\u2028\U0001f600"), max_size=12)
EDITS = st.lists(st.tuples(TEXTS.filter(bool), TEXTS), min_size=1, max_size=3)


def spelled(edits: list[tuple[str, str]]) -> list[object]:
    """Edits of one file in the spelling of each tool."""
    written: list[object] = []
    for keys in (*(each.split() for each in SPELLINGS), ["old", "new"]):
        old, new = keys
        listed = [{old: before, new: after} for before, after in edits]
        written.append(named("multi", **P, edits=listed))
        written.append({"name": "multi", "arguments": json.dumps({"filePath": "a.py", "replacements": listed})})
        written.append({"edits": [{**P, **each} for each in listed]})
        if old != "old":
            written.append([named("Edit", **P, **each) for each in listed])
    written.append({"calls": [{"command": "str_replace", **P, "old_str": old, "new_str": new} for old, new in edits]})
    return written


@given(EDITS)
def test_all_spellings_say_the_same(edits: list[tuple[str, str]]) -> None:
    for value in spelled(edits):
        for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
            rows = [row for row in read(text).rows if isinstance(row, EditBlock)]
            calls = [row.call for row in rows if row.call is not None]
            assert [(call.old, call.new) for call in calls] == edits
            assert {row.file_path for row in rows} == {"a.py"}
            for row, (old, new) in zip(rows, edits, strict=True):
                assert section_lines(row.old_lines) == old.replace("\r\n", "\n").removesuffix("\n").split("\n")
                assert "".join(section_lines(row.new_lines)) == new.replace("\r\n", "\n").replace("\n", "")
