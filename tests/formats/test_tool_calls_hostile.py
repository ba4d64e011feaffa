"""Whatever stands in a tool call, it is read without an exception, in time, and never as an edit that nobody wrote."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_responses import FLAT, growth
from support.toolcalls import AT, BLOCK, PATCH, read, read_tags

from editblocks import EditBlock
from editblocks.formats.call_reader import read_json
from editblocks.formats.tool_calls import PATH_KEYS, TEXT_KEYS

PAIR = {"path": "a.py", "old_string": "x", "new_string": "y"}
WORDS = [
    *PATH_KEYS,
    *sorted(TEXT_KEYS),
    *("command", "cmd", "script", "input", "arguments", "name", "tool", "function", "functionCall", "parameters"),
    *("operation", "operations", "type", "mode", "overwrite", "replace_all", "expected_replacements", "insert_line"),
    *("line", "search", "use_regex", "dryRun", "patchText", "workdir", "source", "destination", "choices", "content"),
    *("calls", "messages", "parts", "role", "action", "title", "x", ""),
]
TEXTS = [
    *("a.py", "path/to/a.py", "x", "", "\0", "\ud800", "true", "3", "*** Begin Patch", PATCH, BLOCK, json.dumps(PAIR)),
    *("str_replace", "create", "insert", "undo_edit", "view", "edit", "search_and_replace", "insert_content"),
    *("update_file", "create_file", "delete_file", "rename_file", "bash", "local_shell_call", "tool_result", "[", "{"),
    *("@@ -1 +1 @@\n-x\n+y", "a\nb", "`" * 9, "</path>", "cd x && apply_patch <<'EOF'\n" + PATCH + "\nEOF"),
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=16,
)


@given(st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=8))
def test_whatever_stands_in_json_it_is_read(value: dict[str, object]) -> None:
    text = json.dumps(value, indent=1)
    last = text.count("\n") + 1
    for row in read_json(text, AT._replace(end_line=last)).rows:
        assert 1 <= row.line_number <= row.end_line <= last
        assert row.number == 0
        if isinstance(row, EditBlock):
            assert row.call is not None
            assert row.file_path
        else:
            assert row.message


@given(st.sampled_from(TEXTS), st.dictionaries(st.sampled_from(WORDS), st.sampled_from(TEXTS), max_size=6))
def test_whatever_stands_in_tags_it_is_read(name: str, values: dict[str, str]) -> None:
    for row in read_tags(name, values).rows:
        assert (row.line_number, row.end_line) == (1, 1)


WHOLE = {
    "pairs": json.dumps({"path": "a.py", "edits": [PAIR, PAIR]}),
    "calls": "\n".join(json.dumps({**PAIR, "path": f"{name}.py"}) for name in "abc"),
    "a call with a name": json.dumps({"name": "write_file", "arguments": json.dumps({"path": "a.py", "content": "x"})}),
    "a patch": json.dumps({"input": PATCH}),
    "the answer of a server": json.dumps({"choices": [{"message": {"tool_calls": [PAIR]}}]}, indent=1),
}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_part_of_a_text_holds_no_other_edits(text: str) -> None:
    whole = read(text).rows
    assert whole
    for stop in range(len(text)):
        rows = read(text[:stop]).rows
        assert {row for row in rows if isinstance(row, EditBlock)} <= set(whole)


HOSTILE: dict[str, Callable[[int], str]] = {
    "calls": lambda size: json.dumps([PAIR] * size),
    "pairs": lambda size: json.dumps({"path": "a.py", "edits": [{"old": "x", "new": "y"}] * size}),
    "elements that are no pairs": lambda size: json.dumps({"path": "a.py", "edits": [{"old": "x"}] * size}),
    "examples": lambda size: json.dumps([{**PAIR, "path": "path/to/x"}] * size),
    "talk": lambda size: json.dumps([{"path": "a.py", "content": "x", "sha": 1}] * size),
    "keys": lambda size: json.dumps({**PAIR, **{f"k{number}": 1 for number in range(size)}}),
    "names in names": lambda size: '{"name": "a", "input": ' * 32 + json.dumps([PAIR] * size) + "}" * 32,
    "blocks in strings": lambda size: json.dumps([{"path": "a.py", "diff": BLOCK}] * (size // 8)),
    "a block of back-ticks": lambda size: json.dumps({"path": "a.py", "diff": "` " * size + BLOCK}),
    "commands": lambda size: json.dumps([{"name": "bash", "input": {"command": "ls"}}] * size),
    "a script with many ends": lambda size: json.dumps({"cmd": "apply_patch <<'EOF'\n" + PATCH + "\nEOF" * size + "x"}),
    "a script with blanks": lambda size: json.dumps({"cmd": "\n" * size + PATCH}),
    "calls below a key": lambda size: json.dumps({"changes": [PAIR] * size}),
    "texts that are calls below a key": lambda size: json.dumps({"changes": [json.dumps(PAIR)] * size}),
    "a text in a text below a key": lambda size: json.dumps(
        {"a": json.dumps({"b": json.dumps({"c": json.dumps([PAIR] * size)})})}
    ),
    "texts that begin like calls below a key": lambda size: json.dumps({"changes": ['{"old_string": '] * size}),
    "texts in texts": lambda size: json.dumps({"name": "a", "arguments": json.dumps([PAIR] * size)}),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.long
def test_hostile_calls_take_calls_in_proportion(make: Callable[[int], str]) -> None:
    def work(size: int) -> Callable[[], object]:
        text = make(size)
        return lambda: read(text)

    assert growth(work, 512) <= FLAT
