"""Edits in forms that are not read are failed rows, and talk is none: amendment A2."""

from __future__ import annotations

import json

import pytest
from support.parsecases import X, rows

from editblocks import parse_response
from editblocks.parsing.parse import StreamParser

ROW = "unsupported-format"
PAIR = {"old_string": "a", "new_string": "b"}
WRITE = "<write_to_file>\n<path>c/config.h</path>\n<content>\n#define X 1\n</content>\n</write_to_file>\n"
NEW = "b.py\n<<<<<<< NEW_FILE\ny\n>>>>>>> NEW_FILE\n"
ACTION = '<boltAction type="edit">\n'


def fenced(text: object, info: str = "json") -> str:
    body = text if isinstance(text, str) else json.dumps(text, indent=1)
    return f"```{info}\n{body}\n```\n"


def named(name: str, **keys: object) -> dict[str, object]:
    return {"name": name, "input": keys}


CALLS: dict[str, tuple[str, list[str]]] = {
    "replace": (fenced({"file_path": "a.py", **PAIR}), [f"a.py 1-7: {ROW}"]),
    "replace, on one line": (fenced('{"path": "a.py", "old_str": "a", "new_str": "b"}'), [f"a.py 1-3: {ROW}"]),
    "by command": (fenced({"command": "str_replace", "path": "a.py", "old_str": "a"}), [f"a.py 1-7: {ROW}"]),
    "insert": (fenced({"command": "insert", "path": "a.py", "insert_line": 0}), [f"a.py 1-7: {ROW}"]),
    "pairs": (fenced({"filePath": "a.py", "edits": [{"old": "a", "new": "b"}]}, ""), [f"a.py 1-11: {ROW}"]),
    "pairs beside a list without any": (
        fenced({"path": "a.py", "edits": [{"line": 3}], "replacements": [{"old": "a", "new": "b"}]}),
        [f"a.py 1-16: {ROW}"],
    ),
    "pairs without a path": (fenced(PAIR), [f"- 1-6: {ROW}"]),
    "write": (fenced({"path": "a.py", "content": "x"}, "tool_call"), [f"a.py 1-6: {ROW}"]),
    "snippet": (fenced({"target_file": "a.py", "code_edit": "x"}), [f"a.py 1-6: {ROW}"]),
    "notebook": (fenced({"notebook_path": "a.ipynb", "new_source": "x"}), [f"a.ipynb 1-6: {ROW}"]),
    "operation": (fenced({"operation": {"type": "delete_file", "path": "a.py"}}), [f"a.py 1-8: {ROW}"]),
    "named": (fenced(named("create_file", path="a.py", content="x", more="y")), [f"a.py 1-10: {ROW}"]),
    "named, without a text": (fenced(named("edit_file", path="a.py")), [f"a.py 1-8: {ROW}"]),
    "delete": (fenced(named("delete_file", path="a.py")), [f"a.py 1-8: {ROW}"]),
    "move": (fenced(named("move_file", source="a.py", destination="b.py")), [f"a.py 1-9: {ROW}"]),
    "patch": (fenced({"input": "*** Begin Patch\n*** End Patch"}), [f"- 1-5: {ROW}"]),
    "patch of a tool": (
        fenced({"name": "apply_patch", "arguments": "*** Begin Patch\n*** End Patch"}),
        [f"- 1-6: {ROW}"],
    ),
    "patch as a command": (
        fenced({"cmd": ["apply_patch", "*** Begin Patch\n*** End Patch"]}),
        [f"- 1-8: {ROW}"],
    ),
    "patch in a script": (
        fenced(named("shell", command="apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF")),
        [f"- 1-8: {ROW}"],
    ),
    "arguments in a text": (
        fenced({"function": {"name": "replace", "arguments": json.dumps({"path": "a.py", **PAIR})}}),
        [f"a.py 1-8: {ROW}"],
    ),
    "arguments in a text that is cut off": (
        fenced({"name": "replace", "arguments": '{"path": "a.py", "old_string": "x'}),
        [f"- 1-6: {ROW}"],
    ),
    "several": (
        fenced({"tool_calls": [named("edit", path="a.py", **PAIR), named("edit", path="b.py", **PAIR)]}),
        [f"a.py 1-22: {ROW}", f"b.py 1-22: {ROW}"],
    ),
    "one after the other": (
        fenced('{"path": "a.py", "content": "x"}\n{"path": "b.py", "content": "y"}', "jsonl"),
        [f"a.py 1-4: {ROW}", f"b.py 1-4: {ROW}"],
    ),
    "in no fence": (json.dumps({"path": "a.py", **PAIR}) + "\n", [f"a.py 1-1: {ROW}"]),
    "in no fence, over lines": (
        f"So:\n{json.dumps([{'path': 'a.py', **PAIR}], indent=1)}\nDone.\n",
        [f"a.py 2-8: {ROW}"],
    ),
    "in no fence, two": (
        '{"path": "a.py", "content": "x"}\n{"path": "b.py", "content": "y"}\n',
        [f"a.py 1-1: {ROW}", f"b.py 2-2: {ROW}"],
    ),
    "with a marker in a line of it": ('{"path": "a.py",\n"content": "`rm -rf x`"\n}\n', [f"a.py 1-3: {ROW}"]),
    "invoke": (
        '<invoke name="Edit">\n<parameter name="file_path">a.py</parameter>\n'
        '<parameter name="old_string">a</parameter>\n<parameter name="new_string">b</parameter>\n</invoke>\n',
        [f"a.py 1-5: {ROW}"],
    ),
    "invoke with a prefix, in a fence": (
        fenced(
            '<x:invoke name="Write">\n<x:parameter name="file_path">a.py</x:parameter>\n'
            '<x:parameter name="content">a</x:parameter>\n</x:invoke>',
            "xml",
        ),
        [f"a.py 1-6: {ROW}"],
    ),
    "function": (
        "<function=edit>\n<parameter=path>a.py</parameter>\n<parameter=content>a</parameter>\n</function>\n",
        [f"a.py 1-4: {ROW}"],
    ),
    "tags": (WRITE, [f"c/config.h 1-6: {ROW}"]),
    "tags in a fence": (fenced(WRITE.strip(), "xml"), [f"c/config.h 1-8: {ROW}"]),
    "tags in a fence, two": (
        fenced(f"Two:\n{WRITE}{WRITE}".replace("Two:\n", ""), ""),
        [f"c/config.h 1-15: {ROW}", f"c/config.h 1-15: {ROW}"],
    ),
    "tags that hold a block": (WRITE.replace("#define X 1\n", X), [f"c/config.h 1-11: {ROW}"]),
    "a tag that nobody knows": ("<change>\n<path>a.py</path>\n<code>x</code>\n</change>\n", [f"a.py 1-4: {ROW}"]),
}


@pytest.mark.parametrize(("text", "expected"), CALLS.values(), ids=CALLS)
def test_a_call_is_a_failed_row(text: str, expected: list[str]) -> None:
    assert [row.partition(" ")[2] for row in rows(parse_response(text))] == expected
    beside = [row.partition(" ")[2] for row in rows(parse_response(f"{X}\n{text}\n{X}"))]
    assert (beside[0], beside[-1][:4], len(beside)) == ("a.py 2-6: x/ -> y/", "a.py", len(expected) + 2)


@pytest.mark.parametrize("text", [text for text, _ in CALLS.values()], ids=CALLS)
def test_in_pieces_it_reads_alike(text: str) -> None:
    whole = f"{X}{text}{X}"
    for size in (1, 7, 40):
        parser = StreamParser()
        for start in range(0, len(whole), size):
            parser.feed(whole[start : start + size])
        assert parser.close() == parse_response(whole)


TALK = {
    "a schema": fenced(
        {"old_string": {"type": "string"}, "new_string": {"type": "string"}, "path": {"type": "string"}}
    ),
    "a package": fenced({"name": "shop", "version": "1.0.0", "files": ["a.js"]}),
    "an answer of REST": fenced({"path": "a.py", "content": "eA==", "sha": "1", "encoding": "base64"}),
    "a search hit": fenced({"path": "a.py", "line": 3, "text": "x"}),
    "under another key": fenced({"example": {"path": "a.py", **PAIR}}),
    "a call that reads": fenced(named("read_file", path="a.py")),
    "a call that only looks": fenced({"path": "a.py", "dryRun": True, **PAIR}),
    "a command": fenced({"cmd": ["git", "status"], "workdir": "."}),
    "a path that stands for one": fenced({"path": "path/to/a.py", **PAIR}),
    "a path of dots": fenced({"path": "...", **PAIR}),
    "another language": fenced({"path": "a.py", **PAIR}, "python"),
    "a fence in a fence": f"````md\n{fenced({'path': 'a.py', **PAIR})}````\n",
    "a file of data": f"edits.json\n{fenced({'path': 'a.py', **PAIR})}",
    "a file of data, in an action that another one ends": f"{ACTION}edits.json\n```json\n{json.dumps(PAIR)}\n{ACTION}",
    "in mid-line": f"So {json.dumps({'path': 'a.py', **PAIR})}\n",
    "with words behind it": f"{json.dumps({'path': 'a.py', 'content': 'x'})} and so on\n",
    "in a quote": f"> {json.dumps({'path': 'a.py', **PAIR})}\n",
    "in a thought": f"<think>\n{WRITE}</think>\n",
    "no JSON": '{path: "a.py"}\n',
    "no JSON, with a key of a file": '{"path": a.py}\n',
    "JSON in no column": f"  {json.dumps({'path': 'a.py', **PAIR})}\n",
    "deeper than anybody writes": "[" * 70 + '"path": 1' + "]" * 70 + "\n",
    "deeper than that, in a fence": fenced("[" * 3000 + "]" * 3000),
    "deeper than anybody writes, in a fence": fenced("[" * 70 + json.dumps({"path": "a.py", **PAIR}) + "]" * 70),
    "arguments in words": fenced({"name": "say", "arguments": "hello"}),
    "a tag that reads": "<read_file>\n<path>a.py</path>\n</read_file>\n",
    "a tag around other tags": "<file>\n<path>a.py</path>\n<content>\nx\n</content>\n</file>\n",
    "a tag without an end": "<write_to_file>\n<path>a.py</path>\nThat is how it begins.\n",
    "a path alone": "<path>a.py</path>\n",
    "half a list": '["path": 1\n',
    "a number": fenced("[1, 2]"),
}


@pytest.mark.parametrize("text", TALK.values(), ids=TALK)
def test_talk_stays_talk(text: str) -> None:
    unread = [row for row in parse_response(text).problems if row.is_beside]
    beside = [row for row in parse_response(f"{X}\n{text}").problems if row.is_beside]
    assert (unread, beside) == ([], [])


def test_in_a_block_that_is_cut_off_it_is_no_row_of_its_own() -> None:
    text = f"a.py\n<<<<<<< SEARCH\nx\n{NEW}{json.dumps({'path': 'a.py', **PAIR})}\n"
    assert rows(parse_response(text)) == ["1 a.py 2-8: unclosed", "2 b.py 5-7: malformed"]


BROKEN: dict[str, tuple[str, str]] = {
    "no JSON": (fenced('{"path": "a.py", "old_string": "x" "new_string"}'), "malformed"),
    "cut off in a fence": ('```json\n{"path": "a.py", "old_string": "x",\n', "unclosed"),
    "followed by another fence": ('```json\n{"old_string": "x",\n```py\nx\n```\n', "unclosed"),
    "no JSON in no fence": ('{"path": "a.py", "old_string": x}\n', "malformed"),
    "cut off in no fence": ('{"path": "a.py",\n"old_string": "x",\n', "unclosed"),
    "tags that are cut off": ("<write_to_file>\n<path>a.py</path>\n<content>\nx\n", "unclosed"),
}


@pytest.mark.parametrize(("text", "code"), BROKEN.values(), ids=BROKEN)
def test_a_broken_call_is_a_failed_row(text: str, code: str) -> None:
    assert [problem.code.value for problem in parse_response(text).problems] == [code]


SNIPPET = "# ... existing code ...\nA = 2\n# ... existing code ...\n"
SNIPPETS = {
    "below a path": (f"abc.py\n{fenced(SNIPPET, 'python')}", ["abc.py 2-7: placeholder"]),
    "with a path in its info": (fenced(SNIPPET, "python:abc.py"), ["abc.py 1-6: placeholder"]),
    "with a path in its first line": (
        fenced("// filepath: abc.js\n// ...existing code...\nx\n", "js"),
        ["abc.js 1-6: placeholder"],
    ),
    "without a path": (fenced(SNIPPET, "python"), []),
    "of a diff": (f"abc.py\n{fenced(SNIPPET, 'diff')}", []),
    "a file as a whole": (f"abc.py\n{fenced('# Existing users come first', 'python')}", []),
}


@pytest.mark.parametrize(("text", "expected"), SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_that_leaves_lines_out_is_a_failed_row(text: str, expected: list[str]) -> None:
    found = [row.partition(" ")[2] for row in rows(parse_response(f"{text}\n{X}"))]
    assert found[:-1] == expected


def test_what_each_row_says() -> None:
    text = f"{CALLS['replace'][0]}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n```suggestion\nx\n```\n"
    ask = "ask for SEARCH/REPLACE blocks"
    assert [problem.message for problem in parse_response(text).problems] == [
        f"the tool call at line 1 is not read; {ask}",
        f"lines 8-12 are a conflict of git, and no edit block; {ask}",
        f"the suggestion at line 13 stands in no review thread, so nothing says which lines it replaces; {ask}",
    ]
