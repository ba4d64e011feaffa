"""Where tool calls stand in an answer: which are rows, which are talk, and what is broken."""

import json
import re
from collections.abc import Sequence
from textwrap import indent

import pytest
from support.needles import of_answers
from support.parsecases import X

from editblocks import EditBlock, ParseResult, Problem, parse_response
from editblocks.core.blocks import BlockStarted, Event
from editblocks.parsing.parse import FORMATS, StreamParser, formats_named

PAIR = {"old_string": "a", "new_string": "b"}
A_PY = {"file_path": "a.py", **PAIR}
B_PY = {"file_path": "b.py", **PAIR}
CALL = json.dumps(A_PY)
WRITE = json.dumps({"path": "w.py", "content": "x\n"})
REPLACE_ROW = "a.py: replace 'a' 'b'"
INVOKE = (
    '<invoke name="Edit">\n<parameter name="file_path">a.py</parameter>\n'
    '<parameter name="old_string">a</parameter>\n<parameter name="new_string">b</parameter>\n</invoke>\n'
)
FUNCTION = (
    "<function=edit>\n<parameter=path>\na.py\n</parameter>\n<parameter=old_str>\na\n</parameter>\n"
    "<parameter=new_str>\nb\n</parameter>\n</function>\n"
)
NAMED = (
    "<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>old_str</arg_key>\n"
    "<arg_value>a</arg_value>\n<arg_key>new_str</arg_key>\n<arg_value>b</arg_value>\n</tool_call>\n"
)
TOOL = "<write_to_file>\n<path>c/config.h</path>\n<content>\n#define X 1\n</content>\n</write_to_file>\n"
TOOL_ROW = "c/config.h: write '#define X 1'"
NEW = "n.py\n<<<<<<< NEW_FILE\ny\n>>>>>>> NEW_FILE\n"
ACTION = '<boltAction type="edit">\n'


def fenced(text: object, info: str = "json") -> str:
    body = text if isinstance(text, str) else json.dumps(text, indent=1)
    return f"```{info}\n{body}\n```\n"


def in_order(parsed: ParseResult) -> list[EditBlock | Problem]:
    return sorted((*parsed.blocks, *parsed.problems), key=lambda row: row.number)


def shown(parsed: ParseResult) -> list[str]:
    """`line-line path: what`, a row each."""
    rows = in_order(parsed)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return [f"{row.line_number}-{row.end_line} {row.file_path or '-'}: {_what(row)}" for row in rows]


def _what(row: EditBlock | Problem) -> str:
    if isinstance(row, Problem):
        return row.code.value
    if row.call is None:
        return row.format
    if row.format == "tool-replace":
        return f"replace {row.call.old!r} {row.call.new!r}"
    return f"{row.action} {row.call.new!r}"


CARRIERS: dict[str, tuple[str, list[str]]] = {
    # J1
    "J1: the whole text": (CALL, ["1-1 " + REPLACE_ROW]),
    "J1: over lines, indented": (
        json.dumps([A_PY, B_PY], indent=1).replace("\n", "\n  "),
        [
            "2-6 " + REPLACE_ROW,
            "7-11 b.py: replace 'a' 'b'",
        ],
    ),
    "J1: indented as a whole": (f"\n  {CALL}\n\n", ["2-2 " + REPLACE_ROW]),
    # J2
    **{
        f"J2: in a fence `{word}`": (fenced(CALL, word), ["2-2 " + REPLACE_ROW])
        for word in ("json", "jsonc", "jsonl", "tool_call", "tool_use", "tool_code", "", "JSON", "json title=x")
    },
    "J2: over lines": (fenced(A_PY), ["2-6 " + REPLACE_ROW]),
    "J2: one after the other": (fenced(f"{CALL}\n\n{WRITE}"), ["2-2 " + REPLACE_ROW, "4-4 w.py: write 'x\\n'"]),
    "J2: in a list": (fenced([A_PY, B_PY]), ["3-7 " + REPLACE_ROW, "8-12 b.py: replace 'a' 'b'"]),
    "J2: indented with its fence": (f"- So:\n\n  ```json\n  {CALL}\n  ```\n", ["4-4 " + REPLACE_ROW]),
    "J2: in tildes": (f"~~~json\n{CALL}\n~~~\n", ["2-2 " + REPLACE_ROW]),
    # J3
    "J3: below words": (f"So:\n{CALL}\nDone.\n", ["2-2 " + REPLACE_ROW]),
    "J3: over lines": (f"So:\n{json.dumps([A_PY], indent=1)}\nDone.\n", ["3-7 " + REPLACE_ROW]),
    "J3: two": (f"{CALL}\n{WRITE}\n", ["1-1 " + REPLACE_ROW, "2-2 w.py: write 'x\\n'"]),
    "J3: brackets in the first column": (
        'So:\n{\n"edits": [\n{\n"old": "a",\n"new": "b"\n}\n],\n"path": "a.py"\n}\n',
        ["4-7 " + REPLACE_ROW],
    ),
    "J3: blanks behind it": (f"{CALL} \t\nx\n", ["1-1 " + REPLACE_ROW]),
    "J3: a bracket alone above": (f"{{\n\n{X}{CALL}\n", ["4-8 a.py: diff", "9-9 " + REPLACE_ROW]),
    "J3: below a bracket of code": (f"[\n  int x;\n{CALL}\n", ["3-3 " + REPLACE_ROW]),
    "J3: right above a block": (f"[\n{X}", ["3-7 a.py: diff"]),
    # J4
    **{
        f"J4: in `<{word}>`": (f"<{word}>\n{CALL}\n</{word}>\n", ["2-2 " + REPLACE_ROW])
        for word in ("tool_call", "tool_use", "function_call")
    },
    "J4: on one line": (f"<tool_call>{CALL}</tool_call>\n", ["1-1 " + REPLACE_ROW]),
    "J4: indented": (f"  <tool_call>\n  {CALL}\n  </tool_call>\n", ["2-2 " + REPLACE_ROW]),
    "J4: two values": (
        f"<tool_call>\n{CALL}\n{WRITE}\n</tool_call>\n",
        [
            "2-2 " + REPLACE_ROW,
            "3-3 w.py: write 'x\\n'",
        ],
    ),
    "J4: two": (
        f"<tool_call>\n{CALL}\n</tool_call>\n<tool_call>\n{WRITE}\n</tool_call>\n",
        [
            "2-2 " + REPLACE_ROW,
            "5-5 w.py: write 'x\\n'",
        ],
    ),
    "J4: in a fence": (fenced(f"<tool_call>\n{CALL}\n</tool_call>", "xml"), ["3-3 " + REPLACE_ROW]),
    # X1
    "X1": (INVOKE, ["1-5 " + REPLACE_ROW]),
    "X1: two": (INVOKE + INVOKE.replace("a.py", "b.py"), ["1-5 " + REPLACE_ROW, "6-10 b.py: replace 'a' 'b'"]),
    "X1: with lines around": (f"<function_calls>\n{INVOKE}</function_calls>\n", ["2-6 " + REPLACE_ROW]),
    "X1: with a prefix": (
        INVOKE.replace("<", "<x:").replace("<x:/", "</x:"),
        ["1-5 " + REPLACE_ROW],
    ),
    "X1: on one line": (INVOKE.replace("\n", ""), ["1-1 " + REPLACE_ROW]),
    "X1: on one line, with what is around": (
        f"<function_calls>{INVOKE}".replace("\n", "") + "</function_calls>\n",
        ["1-1 " + REPLACE_ROW],
    ),
    "X1: indented": (INVOKE.replace("<", "  <").replace("  </p", "</p"), ["1-5 " + REPLACE_ROW]),
    "X1: in a fence": (fenced(INVOKE.strip(), "xml"), ["2-6 " + REPLACE_ROW]),
    "X1: in a fence of JSON": (fenced(INVOKE.strip(), "tool_code"), ["2-6 " + REPLACE_ROW]),
    "X1: below words in a fence": (fenced(f"So:\n{INVOKE.strip()}", ""), ["3-7 " + REPLACE_ROW]),
    "X1: between JSON in a fence": (
        fenced(f"{CALL}\n{INVOKE}{WRITE}", ""),
        [
            "2-2 " + REPLACE_ROW,
            "3-7 " + REPLACE_ROW,
            "8-8 w.py: write 'x\\n'",
        ],
    ),
    "X1: with other quotes": (INVOKE.replace('"', "'"), ["1-5 " + REPLACE_ROW]),
    "X1: with an attribute before its name": (
        INVOKE.replace(' name="', ' id="1" name="'),
        ["1-5 " + REPLACE_ROW],
    ),
    "X1: with more attributes": (
        INVOKE.replace('name="old_string"', 'name="old_string" string="true"'),
        ["1-5 " + REPLACE_ROW],
    ),
    # X2
    "X2": (FUNCTION, ["1-11 " + REPLACE_ROW]),
    "X2: with lines around": (f"<tool_call>\n{FUNCTION}</tool_call>\n", ["2-12 " + REPLACE_ROW]),
    "X1: with the mark of DeepSeek": (re.sub("(</?)(?=[ip])", "\\1\uff5cDSML\uff5c", INVOKE), ["1-5 " + REPLACE_ROW]),
    "X2: each key beside its value": (NAMED, ["1-8 " + REPLACE_ROW]),
    "X2: the same on one line": (NAMED.replace("\n", "") + "\n", ["1-1 " + REPLACE_ROW]),
    "X2: with a tag around it on its line": (f"<tool_call>{FUNCTION}</tool_call>\n", ["1-11 " + REPLACE_ROW]),
    # X3
    "X3": (TOOL, ["1-6 " + TOOL_ROW]),
    "X3: in a fence": (fenced(TOOL.strip(), "xml"), ["2-7 " + TOOL_ROW]),
    "X3: in a fence without a word, two": (fenced(TOOL + TOOL.strip(), ""), ["2-7 " + TOOL_ROW, "8-13 " + TOOL_ROW]),
    "X3: indented": ("".join(f"  {line}\n" for line in TOOL.splitlines()), ["1-6 " + TOOL_ROW]),
    "X3: on one line": (
        "<write_to_file><path>w.py</path><content>x</content></write_to_file>\n",
        ["1-1 w.py: write 'x'"],
    ),
    "X3: insert": (
        "<insert_content>\n<path>a.py</path>\n<line>0</line>\n<content>\nx\n</content>\n</insert_content>\n",
        ["1-7 a.py: insert-at 'x'"],
    ),
    "X3: search and replace": (
        "<search_and_replace>\n<path>a.py</path>\n<search>a</search>\n<replace>b</replace>\n</search_and_replace>\n",
        ["1-5 " + REPLACE_ROW],
    ),
    "X3: old and new text": (
        "<edit_file>\n<path>a.py</path>\n<old_text>a</old_text>\n<new_text>b</new_text>\n</edit_file>\n",
        ["1-5 " + REPLACE_ROW],
    ),
    "X3: a tool that nobody knows": (
        "<change>\n<path>a.py</path>\n<code>x</code>\n</change>\n",
        ["1-4 a.py: unsupported-format"],
    ),
    "X3: a tool that nobody knows, its text first": (
        "<change>\n<new_text>\nx\n</new_text>\n<path>a.py</path>\n</change>\n",
        ["1-6 a.py: unsupported-format"],
    ),
    "X3: a document": (
        "<document>\n<path>a.py</path>\n<content>\nx\n</content>\n</document>\n",
        ["1-6 a.py: unsupported-format"],
    ),
    "X3: old and new text for a tool that nobody knows": (
        "<change>\n<path>a.py</path>\n<old_text>a</old_text>\n<new_text>b</new_text>\n</change>\n",
        ["1-5 a.py: unsupported-format"],
    ),
    "X3: a tag that is to delete a file": (
        "<delete_file>\n<path>a.py</path>\n</delete_file>\n",
        ["1-3 a.py: unsupported-format"],
    ),
    **{
        f"X3: `{first}` over lines for a tool that nobody knows, {where}": (
            f"<edit>\n{above}<{first}>\n  a\n</{first}>\n<replace>\n  b\n</replace>\n{below}</edit>\n",
            ["1-9 a.py: unsupported-format"],
        )
        for first in ("search", "find")
        for where, above, below in (
            ("its path first", "<path>a.py</path>\n", ""),
            ("its path last", "", "<path>a.py</path>\n"),
        )
    },
    "X3: a long text below `search` for a tool that nobody knows": (
        f"<edit>\n<search>\n{chr(10) * 20}</search>\n<replace>\nb\n</replace>\n<path>a.py</path>\n</edit>\n",
        ["1-28 a.py: unsupported-format"],
    ),
    "X3: two tools that nobody knows": (
        "<change>\n<path>a.py</path>\n<code>x</code>\n</change>\n" * 2,
        ["1-4 a.py: unsupported-format", "5-8 a.py: unsupported-format"],
    ),
}


BESIDE_ACTION = ["2-6 a.py: diff", "10-14 a.py: bolt-edit"]
IN_ACTION = {
    f"{name}, {end or 'no end'}": (f"{X}\n{ACTION}{X}So:\n{call}{end}", [*BESIDE_ACTION, row])
    for end in ("</boltAction>\n", "")
    for name, call, row in (
        ("JSON", f"{CALL}\n", f"16-16 {REPLACE_ROW}"),
        ("tags", INVOKE, f"16-20 {REPLACE_ROW}"),
        (
            "a tool that nobody knows",
            "<change>\n<path>a.py</path>\n<code>x</code>\n</change>\n",
            "16-19 a.py: unsupported-format",
        ),
    )
}


@pytest.mark.parametrize(("text", "expected"), IN_ACTION.values(), ids=IN_ACTION)
def test_a_call_in_an_action_is_a_row(text: str, expected: list[str]) -> None:
    assert shown(parse_response(text)) == expected


@pytest.mark.parametrize(("text", "expected"), CARRIERS.values(), ids=CARRIERS)
def test_a_call_is_a_row(text: str, expected: list[str]) -> None:
    parsed = parse_response(text)
    assert shown(parsed) == expected
    assert not parsed.notes


WITH_PATH: dict[str, tuple[str, list[str]]] = {
    "a tool with tags of its own": (
        '<write_to_file path="c.py">\nq\n</write_to_file>\n',
        ["1-3 c.py: unsupported-format"],
    ),
    "more attributes": (
        "<dyad-write description='to = x' path='a.py'>\n<p>\nq</dyad-write>\n",
        ["1-3 a.py: unsupported-format"],
    ),
    "text on its line": ('<lov-write file_path="a.py">q\n</lov-write>\n', ["1-2 a.py: unsupported-format"]),
    "no text": ('<dyad-delete path="a.py"></dyad-delete>\n', ["1-1 a.py: unsupported-format"]),
    "no second tag": ('<dyad-delete path="a.py" />\n', ["1-1 a.py: unsupported-format"]),
    "prose after it": (
        f'<dyad-write path="a.py">q</dyad-write> makes it.\n\n{X}That was </dyad-write>\n',
        ["1-1 a.py: unsupported-format", "4-8 a.py: diff"],
    ),
    "an arrow in an attribute": (
        '<dyad-write path="a.py" description="dict -> list">\nq\n</dyad-write>\n',
        ["1-3 a.py: unsupported-format"],
    ),
    "its second tag in a value": (
        "<edit>\n<note>not </edit> here</note>\n<path>a.py</path>\n<content>q</content>\n</edit>\n",
        ["1-5 a.py: unsupported-format"],
    ),
    "indented": ('- So:\n\n  <delete_file path="a.py" />\n', ["3-3 a.py: unsupported-format"]),
    "a path behind an old one": (
        '<dyad-write from="o.py" path="a.py">x</dyad-write>\n',
        ["1-1 a.py: unsupported-format"],
    ),
    "two paths": ('<dyad-rename from="a.py" to="c.py"></dyad-rename>\n', ["1-1 a.py: unsupported-format"]),
    "two paths as values": (
        "<rename_file>\n<old_path>a.py</old_path>\n<new_path>c.py</new_path>\n</rename_file>\n",
        ["1-4 a.py: unsupported-format"],
    ),
    "two": (
        '<delete_file path="a.py" />\n<write_file path="b.py">\nx\n</write_file>\n',
        ["1-1 a.py: unsupported-format", "2-4 b.py: unsupported-format"],
    ),
    "a fence in it": ('<write_file path="b.py">\n```\nx\n```\n</write_file>\n', ["1-5 b.py: unsupported-format"]),
    "a block in it": (f'<write_file path="b.md">\n{X}</write_file>\n', ["1-8 b.md: unsupported-format"]),
    "a tag around blocks that has none": ('<edit path="a.py">\nx\n</edit>\n', ["1-3 a.py: unsupported-format"]),
    "no end": ('<dyad-write path="a.py">\nq\n', ["1-2 a.py: unclosed"]),
    "no end, and no text": ('<dyad-write path="a.py">\n', []),
    "no end, in a sentence": ('<dyad-write path="a.py"> is a tag.\n', []),
    "no end, around blocks": ('<edit path="a.py">\nis a tag.\n', []),
    "in a sentence": ('Then <dyad-delete path="a.py"></dyad-delete>\n', []),
    "in back-ticks": ('`<dyad-delete path="a.py"></dyad-delete>`\n', []),
    "in a fence": ('```xml\n<dyad-delete path="a.py"></dyad-delete>\n```\n', []),
    "in a quote": ('> <dyad-delete path="a.py"></dyad-delete>\n', []),
    "a path that stands for one": ('<write_to_file path="path/to/a.py">\nq\n</write_to_file>\n', []),
    "no path": ('<edit id="a.py">\nq\n</edit>\n', []),
    "another tag": ('<route path="a.py">\nq\n</route>\n', []),
    "a component": ('<EditForm path="a.py">\nq\n</EditForm>\n', []),
    "in a call": (
        TOOL.replace("#define X 1", '<delete file="x.jar"/>'),
        ["1-6 c/config.h: write '<delete file=\"x.jar\"/>'"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), WITH_PATH.values(), ids=WITH_PATH)
def test_a_tag_with_a_path_is_not_read(text: str, expected: list[str]) -> None:
    assert shown(parse_response(text)) == expected
    assert len(parse_response(f"{X}\n{text}").in_order) == len(expected) + 1


@pytest.mark.parametrize(
    "tag", ["edit path", "edit file", "apply_diff path", "replace_in_file path", "dyad-search-replace path"]
)
@pytest.mark.parametrize("block", [X.removeprefix("a.py\n"), fenced(X.removeprefix("a.py\n"), "")])
def test_a_tag_with_a_path_names_the_file_of_the_block_in_it(tag: str, block: str) -> None:
    [row] = parse_response(f'<{tag}="b.py">\n{block}</{tag.split(maxsplit=1)[0]}>\n').in_order
    assert (row.file_path, row.format) == ("b.py", "diff")


# Answers that were refused when tags were read more strictly: other edits in a tag, and words that look like tags.
STILL_READ: dict[str, str] = {
    "a header in angle brackets": "### File: a.py\n\nAdd `#include <string.h>`:\n\n{block}",
    "a tag of a page": '### File: a.py\n\nLoad it with `<script src="app.js"></script>`:\n\n{block}',
    "a type": "### File: a.py\n\nIt is a `Map<K, Foo.java>` now.\n\n{block}",
    "a command after the edit": '<apply_diff path="a.py">\n{block}\n```bash\npytest\n```\n',
    "its output in the tag": '<edit path="a.py">\n{block}\n```\n$ pytest\nok\n```\n</edit>\n',
    "the name and the path of the file": '<file path="a.py" filename="a.py">\n{block}</file>\n',
    "a path in the tag and below it": '<edit path="a.py"\n  description="x">\n<path>a.py</path>\n{block}</edit>\n',
    "a tag of an editor": '### File: a.py\n\n<edit_file target_file="a.py">\n{block}</edit_file>\n',
}


@pytest.mark.parametrize("text", STILL_READ.values(), ids=STILL_READ)
def test_an_answer_with_tags_is_read(text: str) -> None:
    rows = parse_response(text.format(block=X.removeprefix("a.py\n"))).in_order
    assert [(row.file_path, type(row)) for row in rows] == [("a.py", EditBlock)]


AROUND_BLOCKS: dict[str, tuple[str, list[str]]] = {
    "a block": ("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", ["4-8 a.py: diff"]),
    "a block in a fence": ("```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```", ["5-9 a.py: diff"]),
    "a block with the end of the tag": (
        "<<<<<<< SEARCH\nx\n=======\n</{0}>\n>>>>>>> REPLACE",
        ["4-8 a.py: diff"],
    ),
    "a block that is cut off": ("<<<<<<< SEARCH\nx\n=======\ny", ["4-9 a.py: unclosed"]),
    "a block with an altered opener": ("<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", ["8-8 -: stray-marker"]),
    "a diff": ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y", ["6-8 a.py: unified"]),
    "a diff in a fence": ("```diff\n@@ -1 +1 @@\n-x\n+y\n```", ["5-7 a.py: unified"]),
    "a diff without names": ("@@ -1 +1 @@\n-x\n+y", ["1-8 a.py: edit ''"]),
    "a diff of another file": ("--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y", ["1-10 a.py: no-path"]),
    "a patch": ("*** Begin Patch\n*** Delete File: a.py\n*** End Patch", ["5-5 a.py: v4a"]),
    "no block": ("-    x\n+    y", ["1-7 a.py: malformed"]),
    "nothing": ("", ["1-6 a.py: malformed"]),
}


@pytest.mark.parametrize("tag", ["replace_in_file", "apply_diff"])
@pytest.mark.parametrize(("diff", "expected"), AROUND_BLOCKS.values(), ids=AROUND_BLOCKS)
def test_a_tag_around_blocks(tag: str, diff: str, expected: list[str]) -> None:
    text = f"<{tag}>\n<path>a.py</path>\n<diff>\n{diff.format(tag)}\n</diff>\n</{tag}>\n"
    assert shown(parse_response(text)) == expected


@pytest.mark.parametrize("tag", ["replace_in_file", "apply_diff"])
def test_a_tag_around_blocks_without_a_text_or_an_end(tag: str) -> None:
    [problem] = parse_response(f"<{tag}>\n<path>a.py</path>\n</{tag}>\n").problems
    assert problem.what == "the call has no text"
    cut = f"<{tag}>\n<path>a.py</path>\n<diff>\n"
    assert shown(parse_response(f"{cut}-x\n")) == ["1-4 a.py: unclosed"]
    assert shown(parse_response(f"{cut}--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n")) == ["6-8 a.py: unified"]
    assert not parse_response(f"<{tag}>\n<path>a.py</path>\nThat is how it begins.\n").problems


def test_a_block_in_a_tag_that_nobody_knows_is_read() -> None:
    block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    [row] = parse_response(f"<change>\n<path>a.py</path>\n<diff>\n{block}</diff>\n</change>\n").in_order
    assert (row.file_path, row.format) == ("a.py", "diff")


@pytest.mark.parametrize("name", [name for name in CARRIERS if not name.startswith("J1")])
def test_it_is_numbered_with_the_blocks_around(name: str) -> None:
    text, expected = CARRIERS[name]
    found = [row.partition(" ")[2] for row in shown(parse_response(f"{X}\n{text}\n{X}"))]
    assert found == ["a.py: diff", *(row.partition(" ")[2] for row in expected), "a.py: diff"]


HELD: dict[str, tuple[str, list[str]]] = {
    "a block in a text": (TOOL.replace("#define X 1\n", X), ["1-11 c/config.h: write"]),
    "a block in a text, in a fence": (
        fenced(TOOL.replace("#define X 1\n", X).strip(), "xml"),
        ["2-12 c/config.h: write"],
    ),
    "a fence in a text": (TOOL.replace("#define X 1", "```py\nx\n```"), ["1-8 c/config.h: write"]),
    "a fence in a text, in a fence": (
        fenced(TOOL.replace("#define X 1", "```py\nx\n```").strip(), "xml"),
        ["2-9 c/config.h: write"],
    ),
    "a patch in a text": (
        TOOL.replace("#define X 1", "*** Begin Patch\n*** Delete File: a\n*** End Patch"),
        ["1-8 c/config.h: write"],
    ),
    "thoughts in a text": (TOOL.replace("#define X 1", "<think>\nx\n</think>"), ["1-8 c/config.h: write"]),
    "JSON in a text": (TOOL.replace("#define X 1", CALL), ["1-6 c/config.h: write"]),
    "its own end in a text": (TOOL.replace("#define X 1", "</content>"), ["1-6 c/config.h: write"]),
    "a path in a text": (TOOL.replace("#define X 1", "<path>b.py</path>"), ["1-6 c/config.h: write"]),
    "a marker in a line of JSON": ('{"path": "a.py",\n"content": "`rm -rf x`"\n}\n', ["1-3 a.py: write"]),
}


@pytest.mark.parametrize(("text", "expected"), HELD.values(), ids=HELD)
def test_what_a_call_holds_is_its_text(text: str, expected: list[str]) -> None:
    parsed = parse_response(f"{text}{X}")
    assert [row.partition(" '")[0] for row in shown(parsed)[:-1]] == expected
    assert len(parsed.blocks) == 2
    assert not parsed.shell_suggestions


THOUGHT_IN_TEXT = json.dumps({"file_path": "a.py", "old_string": "a", "new_string": "x</think>y<think>z"})
THOUGHT_ROW = "a.py: replace 'a' 'x</think>y<think>z'"
TAGS_OF_THOUGHTS: dict[str, str] = {
    "JSON on one line": THOUGHT_IN_TEXT,
    "JSON on one line, blanks behind it": f"{THOUGHT_IN_TEXT} ",
    "JSON over lines": json.dumps(json.loads(THOUGHT_IN_TEXT), indent=1),
    "JSON in a tag on one line": f"<tool_call>{THOUGHT_IN_TEXT}</tool_call>",
    "JSON in a tag over lines": f"<tool_call>\n{THOUGHT_IN_TEXT}\n</tool_call>",
    "tags on one line": INVOKE.replace(">b<", ">x</think>y<think>z<").replace("\n", ""),
    "tags over lines": INVOKE.replace(">b<", ">x</think>y<think>z<").strip(),
    "each key beside its value, on one line": NAMED.replace(">b<", ">x</think>y<think>z<").replace("\n", ""),
}


@pytest.mark.parametrize("text", TAGS_OF_THOUGHTS.values(), ids=TAGS_OF_THOUGHTS)
def test_tags_of_thoughts_in_a_call_are_its_text(text: str) -> None:
    parsed = parse_response(f"{X}\n{text}\n\n{X}")
    assert [row.partition(" ")[2] for row in shown(parsed)] == ["a.py: diff", THOUGHT_ROW, "a.py: diff"]
    assert not parsed.notes


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "grep", "arguments": {"pattern": "</think>"}}',
        '<invoke name="Grep"><parameter name="pattern"></think></parameter></invoke>',
        '{"path": "a.py", "note": "<think>"}',
    ],
)
def test_tags_of_thoughts_in_json_without_an_edit_are_its_text(text: str) -> None:
    parsed = parse_response(f"{X}\n{text}\n\n{X}")
    assert [row.partition(" ")[2] for row in shown(parsed)] == ["a.py: diff", "a.py: diff"]
    assert not parsed.notes


def test_a_call_with_a_comma_behind_it_holds_its_tags_of_thoughts() -> None:
    assert shown(parse_response(f"{X}{THOUGHT_IN_TEXT},\n")) == ["2-6 a.py: diff", "7-7 a.py: malformed"]


@pytest.mark.parametrize("text", [f"</think>\n{CALL}", f"{CALL}\n</think>\n{CALL}", f"{CALL}</think>\n{CALL}"])
def test_a_tag_beside_a_call_ends_the_thoughts(text: str) -> None:
    parsed = parse_response(f"{X}\n{text}\n")
    assert [row.partition(" ")[2] for row in shown(parsed)] == [REPLACE_ROW]
    assert [note.code for note in parsed.notes] == ["thoughts-left-out"]


def test_a_call_in_an_open_block_is_its_text() -> None:
    for call in (f"{CALL}\n", INVOKE, TOOL, fenced(CALL)):
        parsed = parse_response(f"t.md\n<<<<<<< SEARCH\nx\n=======\n{call}>>>>>>> REPLACE\n")
        assert [block.new_lines for block in parsed.blocks] == [call]
        assert not parsed.problems


def test_in_a_block_that_is_cut_off_it_is_no_row_of_its_own() -> None:
    text = f"a.py\n<<<<<<< SEARCH\nx\n{NEW}{CALL}\n"
    assert shown(parse_response(text)) == ["2-8 a.py: unclosed", "5-7 n.py: malformed"]


LAYOUT: dict[str, tuple[str, str]] = {
    "one line break on each side goes": ("\nx\n", "x"),
    "no more than one": ("\n\nx\n\n", "\nx\n"),
    "blanks stay": ("  x \n", "  x "),
    "a text on the line of its tags": ("x", "x"),
    "CDATA": ("<![CDATA[\nx &lt; y\n]]>", "\nx &lt; y\n"),
    "CDATA between line breaks": ("\n<![CDATA[x]]>\n", "x"),
    "CDATA of a part": ("a<![CDATA[x]]>", "a<![CDATA[x]]>"),
    "CDATA in CDATA": ("<![CDATA[a<![CDATA[x]]>b]]>", "a<![CDATA[x]]>b"),
    "the end of CDATA in CDATA": ("<![CDATA[a[b[0]]>1]]>", "a[b[0]]>1"),
    "CDATA of nothing": ("<![CDATA[]]>", ""),
    "entities stay": ("a &lt; b &amp;&amp; c", "a &lt; b &amp;&amp; c"),
    "nothing": ("", ""),
    "a line break alone": ("\n", ""),
}


@pytest.mark.parametrize(("value", "text"), LAYOUT.values(), ids=LAYOUT)
def test_the_layout_of_a_value(value: str, text: str) -> None:
    parsed = parse_response(INVOKE.replace(">b<", f">{value}<"))
    [call] = [block.call for block in parsed.blocks]
    assert call is not None
    assert call.new == text


@pytest.mark.parametrize("line", ["</parameter>", "x</parameter>y", "<parameter>", '"</parameter>",'])
def test_the_text_of_a_whole_file_may_hold_the_end_of_a_parameter(line: str) -> None:
    text = f'<invoke name="Write">\n<parameter name="content">a\n{line}\nb</parameter>\n'
    text += '<parameter name="file_path">w.py</parameter>\n</invoke>\n'
    assert shown(parse_response(text)) == [f"1-6 w.py: write 'a\\n{line}\\nb'"]


def with_id(name: str, key: str = "id", **keys: object) -> str:
    return json.dumps({"type": "tool_use", key: "t1", "name": name, "input": keys})


ONE_ID: dict[str, tuple[str, list[str]]] = {
    "the same call": (f"{with_id('Edit', **A_PY)}\n\nSo:\n{with_id('Edit', **A_PY)}\n", [REPLACE_ROW]),
    "in two fences": (fenced(with_id("Edit", **A_PY)) * 2, [REPLACE_ROW]),
    "in tags": (f"<tool_call>{with_id('Edit', **A_PY)}</tool_call>\n" * 2, [REPLACE_ROW]),
    "below other keys": (f"{with_id('Edit', **A_PY)}\n{with_id('Edit', 'call_id', **A_PY)}\n", [REPLACE_ROW]),
    "another call": (
        f"{with_id('Edit', **A_PY)}\nSo:\n{with_id('Edit', **B_PY)}\n",
        [REPLACE_ROW, "b.py: malformed"],
    ),
    "of a tool that is not supported": (
        f"{with_id('patch_ast', path='a.py', code='x')}\n" * 2,
        ["a.py: unsupported-format"],
    ),
    "without an edit": (f"{with_id('Edit', **A_PY)}\nSo:\n{with_id('Read', path='a.py')}\n", [REPLACE_ROW]),
    "of an example": (
        f"```text\n{with_id('Edit', **A_PY)}\n```\n{with_id('Edit', **B_PY)}\n",
        ["b.py: replace 'a' 'b'"],
    ),
    "no id": (f"So:\n{CALL}\n{CALL}\n", [REPLACE_ROW] * 2),
    "an empty id": (f"So:\n{with_id('Edit', **A_PY)}\n".replace("t1", "") * 2, [REPLACE_ROW] * 2),
}


@pytest.mark.parametrize(("text", "expected"), ONE_ID.values(), ids=ONE_ID)
def test_calls_with_one_id_are_one_call(text: str, expected: list[str]) -> None:
    rows = shown(parse_response(f"So:\n\n{text}"))
    assert [row.partition(" ")[2] for row in rows] == expected


def indented(text: str, by: str) -> str:
    return "".join(f"{by}{line}" for line in text.splitlines(keepends=True))


TWO_LINES = INVOKE.replace(">b<", ">b\n  c<")
TELLS_ITS_INDENTATION: dict[str, tuple[str, str]] = {
    "in the first column": (TWO_LINES, "b\n  c"),
    "a text below its tag": (indented(INVOKE.replace(">b<", ">\nb\n  c\n<"), "  "), "b\n  c"),
    "CDATA below its tag": (indented(INVOKE.replace(">b<", "><![CDATA[\nb\n  c]]><"), "  "), "\nb\n  c"),
    "no text of the edit": (
        indented(INVOKE.replace("</invoke>", '<parameter name="explanation">x\n  y</parameter>\n</invoke>'), "  "),
        "b",
    ),
    "a text of one line": (indented(INVOKE.replace(">b<", ">b\n<"), "  "), "b"),
    "not indented as a whole": (f"  {TWO_LINES}", "b\n  c"),
}


@pytest.mark.parametrize(("text", "new"), TELLS_ITS_INDENTATION.values(), ids=TELLS_ITS_INDENTATION)
def test_a_text_in_tags_loses_the_indentation_of_its_call(text: str, new: str) -> None:
    [call] = [block.call for block in parse_response(f"- So:\n\n{text}").blocks]
    assert call is not None
    assert call.new == new


@pytest.mark.parametrize("by", ["  ", "    ", "\t"])
@pytest.mark.parametrize(
    "text",
    [
        TWO_LINES,
        FUNCTION.replace("\nb\n", "b\n  c\n"),
        NAMED.replace(">b<", ">b\n  c<"),
        TWO_LINES.replace(">b\n  c<", "><![CDATA[b\n  c]]><"),
    ],
)
def test_a_text_that_begins_on_the_line_of_its_indented_tag_is_refused(text: str, by: str) -> None:
    [problem] = parse_response(f"- So:\n\n{indented(text, by)}").problems
    assert (problem.code.value, problem.file_path) == ("malformed", "a.py")
    assert problem.what.endswith("so nothing tells how far that line is indented")


def test_a_list_of_pairs_in_an_indented_call_is_json() -> None:
    edits = json.dumps([{"old": "a", "new": "b"}], indent=1)
    text = f'<invoke name="MultiEdit">\n<parameter name="file_path">a.py</parameter>\n<parameter name="edits">{edits}'
    text += "</parameter>\n</invoke>\n"
    assert [row.partition(" ")[2] for row in shown(parse_response(indented(text, "  ")))] == [REPLACE_ROW]


FENCED_X = "3-7 a.py: diff-fenced"
BROKEN: dict[str, tuple[str, list[str]]] = {
    "Python in a fence of tools": (
        fenced("print(api.replace(file_path='a.py', old_string='x', new_string='y'))", "tool_code"),
        ["2-2 -: malformed"],
    ),
    "no JSON in a fence": (fenced('{"path": "a.py", "old_string": "x" "new_string"}'), ["2-2 -: malformed"]),
    "JSON with a comment": (fenced(f"// a.py\n{CALL}"), ["2-3 -: malformed"]),
    "a call before it stays": (fenced(f"{CALL}\n{CALL[:-1]},}}"), ["2-2 " + REPLACE_ROW, "3-3 -: malformed"]),
    "cut off in a fence": ('```json\n{"path": "a.py", "old_string": "x",\n', ["2-2 -: unclosed"]),
    "cut off by the end of its fence": (fenced('{"path": "a.py", "old_string": "x",'), ["2-2 -: unclosed"]),
    "cut off by another fence": (
        '```json\n{"old_string": "x",\n```py\nx\n```\n',
        ["2-2 -: unclosed"],
    ),
    "no JSON in no fence": ('{"path": "a.py", "old_string": x}\n', ["1-1 -: malformed"]),
    "single quotes": ("{'path': 'a.py', 'old_string': 'x'}\n", ["1-1 -: malformed"]),
    "cut off in no fence": ('{"path": "a.py",\n"old_string": "x",\n', ["1-2 -: unclosed"]),
    "cut off in a string": ('{"path": "a.py", "old_string": "x', ["1-1 -: unclosed"]),
    "cut off in a string, blank lines below": ('{"path": "a.py", "old_string": "x\n\n\n', ["1-3 -: unclosed"]),
    "a raw line break in a string": (
        '{"path": "a.py", "old_string": "x\ny", "new_string": "z"}\n',
        ["1-1 -: malformed"],
    ),
    "two faults": (f'{{"old_string": }}\n{CALL}\n', ["1-1 -: malformed", "2-2 " + REPLACE_ROW]),
    "a fault that swallows a call": (f"[\n{CALL}\n{CALL}\n]\n", ["1-4 -: malformed"]),
    "more values than anybody writes": (
        f"{CALL}\n[{'1,' * 100_000}\n{CALL}]\n",
        ["1-1 " + REPLACE_ROW, "2-3 -: too-large"],
    ),
    "J4 without an end": (f"<tool_call>\n{CALL}\n", ["1-2 -: unclosed"]),
    "J4 without JSON": ('<tool_call>\n{"old_string": x}\n</tool_call>\n', ["2-3 -: malformed"]),
    "tags that are cut off": (TOOL.replace("</write_to_file>\n", ""), ["1-5 c/config.h: unclosed"]),
    "tags that are cut off in a text": ("<write_to_file>\n<path>a.py</path>\n<content>\nx\n", ["1-4 a.py: unclosed"]),
    "a call before the end of another": (
        INVOKE.replace("</invoke>\n", "") + INVOKE,
        [
            "1-4 a.py: unclosed",
            "5-9 a.py: malformed",
        ],
    ),
    "JSON in the tag of a function": (f"<function=edit>{CALL}</function>\n", ["1-1 -: malformed"]),
    "JSON in a tag for values": (f'<invoke name="Edit">\n{CALL}\n</invoke>\n', ["1-3 -: malformed"]),
    "one value twice": (
        INVOKE.replace("</invoke>", '<parameter name="old_string">c</parameter>\n</invoke>'),
        ["1-6 a.py: malformed"],
    ),
    "a value without an end": (INVOKE.replace("a</parameter>", "a"), ["1-5 a.py: malformed"]),
    "a child without an end": (TOOL.replace("</path>", ""), ["1-6 -: malformed"]),
    **{
        f"a value in CDATA and more: {value}": (INVOKE.replace(">b<", f">{value}<"), [f"1-{stop} a.py: malformed"])
        for value, stop in (
            ("\n  <![CDATA[b]]>\n", 7),
            ("\n<![CDATA[\nb\n]]> \n", 9),
            ("<![CDATA[b[0]]]]><![CDATA[>1]]>", 5),
            ("<![CDATA[b", 5),
            ("<![CDATA[]>", 5),
            ("<![CDATA[b]]>c", 5),
        )
    },
    "text between the values": (INVOKE.replace("</invoke>", "more\n</invoke>"), ["1-6 a.py: malformed"]),
    "its end in a text": (INVOKE.replace(">b<", "></invoke><"), ["1-5 a.py: malformed"]),
    "indented with no-break spaces": (
        f"So:\n{json.dumps(A_PY, indent=2)}\n".replace("  ", "\u00a0\u00a0"),
        ["2-6 -: malformed"],
    ),
    "its end once more": (f"{INVOKE}more\n</invoke>\n", ["1-5 a.py: malformed"]),
    "the end of a tool once more": (f"{TOOL}</write_to_file>\n", ["1-6 c/config.h: malformed"]),
    "an end behind another row": (f"{INVOKE}\n{X}</invoke>\n", ["1-5 " + REPLACE_ROW, "8-12 a.py: diff"]),
    "the end of another call": (f"{INVOKE}</write_to_file>\n", ["1-5 " + REPLACE_ROW]),
    **{
        f"in a fence with a block, {name}": (
            f"```python\n{X}Then:\n{call}{end}",
            [FENCED_X, f"9-{stop} a.py: malformed"],
        )
        for end in ("```\n", "")
        for name, call, stop in (
            (f"JSON {end!r}", f"{CALL}\n", 9),
            (f"tags {end!r}", INVOKE, 13),
            (f"a function {end!r}", FUNCTION, 19),
        )
    },
    "tags without an end in a fence with a block": (
        f"```python\n{X}Then:\n{INVOKE.replace('</invoke>', '')}```\n",
        [FENCED_X, "9-13 a.py: malformed"],
    ),
    "in a fence, between two blocks": (
        f"```\n{X}{CALL}\n{X}```\n",
        [FENCED_X, "10-14 a.py: diff-fenced", "8-8 a.py: malformed"],
    ),
    "in a fence, between a block and tags": (
        f"```\n{X}{CALL}\n{INVOKE}```\n",
        [FENCED_X, "8-8 a.py: malformed", f"9-13 {REPLACE_ROW}"],
    ),
    "in a fence that another fence ends": (
        f"```python\n{X}{CALL}\n```sh\nls\n```\n",
        [FENCED_X, "8-8 a.py: malformed"],
    ),
    "in a fence in a fence with a block": (
        f"````md\n{X}{fenced(CALL)}````\n",
        [FENCED_X, "9-9 a.py: malformed"],
    ),
    "below a patch in its fence": (
        f"```\n*** Begin Patch\n*** Update File: a.py\n@@\n {CALL}\n@@\n-a\n+b\n*** End Patch\n{CALL}\n```\n",
        ["6-8 a.py: v4a", "10-10 a.py: malformed"],
    ),
    "a sample below a block in its fence": (f"```\n{X}{CALL.replace('a.py', 'path/to/a.py')}\n```\n", [FENCED_X]),
}


@pytest.mark.parametrize(("text", "expected"), BROKEN.values(), ids=BROKEN)
def test_a_broken_call_is_a_failed_row(text: str, expected: list[str]) -> None:
    assert shown(parse_response(text)) == expected


def test_the_rows_of_one_call_break_together() -> None:
    edits = json.dumps([{"old": "a", "new": "b"}, {"old": "c", "new": "d"}])
    text = f'<invoke name="MultiEdit">\n<parameter name="file_path">a.py</parameter>\n<parameter name="edits">{edits}'
    text += "</parameter>\n</invoke>\n"
    assert len(parse_response(text).blocks) == 2
    assert [problem.code.value for problem in parse_response(f"{text}x\n</invoke>\n").problems] == ["malformed"] * 2


def test_rows_of_a_call_end_at_the_limit() -> None:
    text = fenced([A_PY] * 5)
    parsed = parse_response(f"{X}{text}", most_rows=3)
    assert [row.partition(" ")[2] for row in shown(parsed)[1:]] == [REPLACE_ROW, REPLACE_ROW, "-: too-large"]
    assert parsed.is_cut
    parser = StreamParser(most_rows=3)
    told = parser.feed(text)
    assert [type(event).__name__ for event in told[-2:]] == ["EditBlock", "Problem"]


def test_a_broken_pair_stays_one_when_its_call_has_two_ends() -> None:
    edits = json.dumps([{"old": "a", "new": "b"}, {"old": "c", "newText": "d"}])
    text = f'<invoke name="MultiEdit">\n<parameter name="file_path">a.py</parameter>\n<parameter name="edits">{edits}'
    text += "</parameter>\n</invoke>\nx\n</invoke>\n"
    problems = parse_response(text).problems
    assert ["another `</invoke>`" in problem.what for problem in problems] == [True, False]


AFTER_CUT = f"<write_to_file>\n<path>a.py</path>\n<content>\nx\n\n{X}"


def test_what_comes_after_a_call_without_an_end_may_be_part_of_it() -> None:
    parsed = parse_response(f"{AFTER_CUT}\n{TOOL}")
    assert shown(parsed) == ["1-12 a.py: unclosed", "7-11 a.py: malformed", "13-18 c/config.h: malformed"]
    assert [problem.message for problem in parsed.problems] == [
        "the tool call at line 1 has no `</write_to_file>`; probably cut off, ask for it again",
        *["it may be part of the tool call at line 1, which has no end; send both again in full"] * 2,
    ]


def test_what_comes_after_the_fence_of_a_call_without_an_end_counts() -> None:
    text = f"```xml\n{INVOKE.replace('</invoke>', '')}```\n{X}"
    assert shown(parse_response(text)) == ["2-13 a.py: unclosed", "9-13 a.py: diff"]


def test_a_call_on_which_no_value_follows_is_talk() -> None:
    for opener in ('<invoke name="Edit">', "<edit_file>", "<tool_call>", "<tool_call>edit", "<function=edit>"):
        parsed = parse_response(f"{opener}\nThat is how it begins.\n{X}")
        assert shown(parsed) == ["4-8 a.py: diff"]
        parsed = parse_response(f"{opener}\n")
        assert not parsed.problems


@pytest.mark.parametrize(
    "call", ['{""old_string":', '{"file_path": "a.py", "old_string":', '{"file_path": "a.py" "old_string":']
)
def test_a_broken_call_directly_above_a_block_is_a_row(call: str) -> None:
    problems = parse_response(f"```\n{call}\n<<<<<<< SEARCH").problems
    assert sorted(row.line_number for row in problems) == [2, 3]
    assert "the tool call at line 2 is in a fence with a block" in [row.what for row in problems]


def test_a_call_without_an_end_beside_a_block_is_no_example() -> None:
    parsed = parse_response(f"```xml\n{X}{INVOKE.replace('</invoke>', '')}```\n")
    assert shown(parsed) == ["3-7 a.py: diff-fenced", "8-13 a.py: unclosed"]
    assert parsed.notes == ()


def test_a_call_beside_a_patch_that_is_not_read_is_refused() -> None:
    patch = "--- a/c.py\n+++ b/c.py\n@@ -1 +1 @@\n-x\n+y\n"
    parsed = parse_response(f"````json\n{CALL}\n{patch}{INVOKE}````\n")
    assert shown(parsed) == [f"8-12 {REPLACE_ROW}", "2-2 a.py: malformed"]


def test_calls_beside_a_block_end_at_the_limit() -> None:
    calls = f"{json.dumps({'file_path': 'a.py', **PAIR})}\n" * 5
    parsed = parse_response(f"```\n{X}{calls}```\n", most_rows=3)
    assert [(problem.code.value, problem.line_number) for problem in parsed.problems] == [
        *(("malformed", 8), ("malformed", 9)),
        ("too-large", 10),
    ]


def test_a_call_that_only_began_with_its_path_is_talk() -> None:
    for opener in ("write_to_file", "change"):
        assert shown(parse_response(f"<{opener}>\n<path>a.py</path>\nThat is it.\n\n{X}")) == ["6-10 a.py: diff"]


DATA = {"path": "a.py", **PAIR}
FIX = {"range": {"start": {"line": 1, "column": 1}}, "text": "x"}
FIXES = {"diagnostics": [{"message": "m", "location": {"path": "a.py"}, "suggestions": [FIX]}]}
TALK: dict[str, tuple[str, list[str]]] = {
    # K1, K2, K3
    "a schema": (fenced({"old_string": {"type": "string"}, "new_string": {"type": "string"}}), []),
    "a package": (fenced({"name": "shop", "version": "1.0.0", "files": ["a.js"]}), []),
    "an answer of REST": (fenced({"path": "a.py", "content": "eA==", "sha": "1", "encoding": "base64"}), []),
    "a search hit": (fenced({"path": "a.py", "line": 3, "text": "x"}), []),
    "under another key": (fenced({"example": DATA}), []),
    "a call that reads": (fenced({"name": "read_file", "input": {"path": "a.py"}}), []),
    "a call that only looks": (fenced({"path": "a.py", "dryRun": True, **PAIR}), ["not-run"]),
    "arguments in words": (fenced({"name": "say", "arguments": "hello"}), []),
    # K4
    **{
        f"another language: {word}": (fenced(CALL, word), ["call-as-example 2"])
        for word in ("python", "ts", "text", "markdown", "html")
    },
    "a call in a diff": (fenced(CALL, "diff"), ["call-as-example 2"]),
    "a call below a line of a diff": (fenced(f"-{CALL}\n {CALL}", "diff"), []),
    "JSON below code": (fenced(f"x = 1\n{CALL}", "python"), ["call-as-example 3"]),
    "JSON below words in a fence without a word": (fenced(f"So:\n{CALL}", ""), ["call-as-example 3"]),
    "JSON in a fence of XML": (fenced(CALL, "xml"), ["call-as-example 2"]),
    "tags in another language": (fenced(INVOKE.strip(), "html"), ["call-as-example 2"]),
    "a fence in a fence": (f"````md\n{fenced(CALL)}````\n", ["call-as-example 3"]),
    "tags in a fence in a fence": (f"````\n{fenced(INVOKE.strip(), 'xml')}````\n", ["call-as-example 3"]),
    "JSON of another kind in another language": (fenced({"path": 1}, "ts"), []),
    # K5
    "a path that stands for one": (fenced({"path": "path/to/a.py", **PAIR}), ["call-as-example 2"]),
    "a path of dots": (fenced({"path": "...", **PAIR}), ["call-as-example 2"]),
    "tags with a path that stands for one": (INVOKE.replace("a.py", "path/to/a.py"), ["call-as-example 1"]),
    # K6
    "a file of data": (f"edits.json\n{fenced(CALL)}", ["call-as-example 3"]),
    "a file of data, marked": (f"**`edits.jsonl`**\n\n{fenced(CALL)}", ["call-as-example 4"]),
    "a file of data, in the info string": (fenced(CALL, "json edits.json"), ["call-as-example 2"]),
    "a file of data in an action": (f"{ACTION}edits.json\n```json\n{CALL}\n{ACTION}", ["call-as-example 4"]),
    # K8
    "XML in a fence": (fenced("<change>\n<path>a.py</path>\n<code>x</code>\n</change>", "xml"), []),
    # K9
    "with words behind it": (f"{CALL} and so on\n", ["call-as-example 1"]),
    "with words behind it, over lines": (f"{json.dumps(A_PY, indent=1)} and so on\n", ["call-as-example 1"]),
    "in a quote": (f"> {CALL}\n", ["quoted-block 1"]),
    "tags in a quote": ("".join(f"> {line}\n" for line in INVOKE.splitlines()), ["quoted-block 1"]),
    "other JSON in a quote": ('> {"a": 1}\n', []),
    "a sample in mid-line": ('So {"file_path": "path/to/a.py", "old_string": "a", "new_string": "b"}\n', []),
    "a tag in back-ticks": ("`<write_to_file>` writes a file, and `<invoke name='x'>` calls a tool.\n", []),
    "a tag behind a word, without a text": ("So: <write_to_file> <path>a.py</path>\n", []),
    "other JSON in mid-line, over lines": ('So {"path": "a.py", "x": [\n  {"path": "b.py"}]}\n', []),
    "a place of something": (fenced({"location": "x", "path": "a.py"}), []),
    "a document of a linter without fixes": (fenced({"diagnostics": [], "path": "a.py"}), []),
    "a document of a linter": (fenced(FIXES), []),
    "a schema in mid-line": ('So {"path": "a.py", "old_string": {"type": "string"}}\n', []),
    "JSON behind words in a fence": (fenced(f"- {CALL}", "yaml"), []),
    "other JSON behind a bullet": ('- {"path": "a.py", "line": 1}\n', []),
    # what only looks like one
    "no JSON": ('{path: "a.py"}\n', []),
    "Python in a fence of tools that reads": (fenced("print(api.read(path='a.py'))", "tool_code"), []),
    "Python in another fence": (fenced("edit(path='a.py', old_string='x')", "python"), []),
    "code in a fence without a word": (fenced("{\n  old_str = 'x'; (path='a.py');\n}", ""), []),
    "no JSON, with a key of a file": ('{"path": a.py}\n', []),
    "deeper than anybody writes": ("[" * 70 + '"path": 1' + "]" * 70 + "\n", []),
    "deeper than anybody writes, in lines": ("[\n" * 70 + '"path"\n' + "]\n" * 70, []),
    "a tag that reads": ("<read_file>\n<path>a.py</path>\n</read_file>\n", []),
    "a tag around other tags": ("<file>\n<path>a.py</path>\n<content>\nx\n</content>\n</file>\n", []),
    "a call that reads, with text between its values": (
        '<invoke name="Read">\n<parameter name="file_path">a.py</parameter>\nx\n</invoke>\n',
        [],
    ),
    "a tag with words below it in another language": (fenced(f"<edit_file>\nx\n{CALL}", "ts"), ["call-as-example 4"]),
    "a tag without a text": ("<change>\n<path>a.py</path>\n</change>\n", []),
    "a tag without a path": ("<change>\n<new_text>x</new_text>\n</change>\n", []),
    "a tag without an end": ("<write_to_file>\n<path>a.py</path>\nThat is how it begins.\n", []),
    "a path alone": ("<path>a.py</path>\n", []),
    "an end alone": ("</invoke>\n", []),
    "half a list": ('["path": 1\n', []),
    "a number": (fenced("[1, 2]"), []),
    "links": ("[a]: https://example.org\n[b](c.md) and {d}\n", []),
}

RESULTS: dict[str, object] = {
    "of Gemini": {"functionResponse": {"name": "replace", "response": {"error": "x"}}},
    "of MCP": {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": True},
    "of a tool on a server": {"type": "text_editor_code_execution_tool_result", "tool_use_id": "s"},
    "of the AI SDK": {"type": "tool-result", "toolCallId": "c"},
    "of a shell": {"type": "local_shell_call_output", "call_id": "c"},
    "of a chat": {"role": "tool", "content": "x"},
}


@pytest.mark.parametrize("indented", [None, 1])
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_a_call_above_a_result_may_have_failed(result: object, indented: int | None) -> None:
    written = json.dumps(result, indent=indented)
    for text in (f"I did:\n{CALL}\nand got\n{written}\n", f"{fenced(CALL)}and got\n{fenced(written)}"):
        assert [problem.is_result for problem in parse_response(text).problems] == [True]
    assert parse_response(f"{written}\nI do:\n{CALL}\n").problems == ()


HUNK = "@@\n-a\n+b"
TAG_VALUES = "<path>a.py</path>\n<old_text>a</old_text>\n<new_text>b</new_text>\n"
# Calls that edit, at places where none is read, and talk beside them
UNREAD: dict[str, tuple[str, Sequence[str]]] = {
    "below a key": (json.dumps({"changes": [DATA]}), ["unread-call 1"]),
    **{
        f"a named call that does not edit, below a key: {value}": (
            json.dumps({"do": {"name": "write", "input": value}, "name": 1, "text": "x", "path": "a.py", "x": ""}),
            [],
        )
        for value in ("x", "{x", [1], {"n": 1})
    },
    "a tool with keys that are not supported": (
        fenced({"name": "write_to_file", "input": {"TargetFile": "n.py", "CodeContent": "x"}}),
        ["unread-call 2"],
    ),
    "the same in another language": (
        fenced({"name": "write_to_file", "input": {"TargetFile": "n.py", "CodeContent": "x"}}, "python"),
        [],
    ),
    "a tool that edits, without keys": (fenced({"name": "write_to_file", "input": {}}), []),
    "a tool that edits shows a file": (
        fenced({"name": "str_replace_editor", "input": {"command": "view", "path": "a.py"}}),
        [],
    ),
    "the schema of a tool that edits": (
        fenced({"name": "write_to_file", "parameters": {"type": "object", "properties": {"path": {}}}}),
        [],
    ),
    "texts in a list": (fenced({"do": {"old_string": ["x"]}}), ["unread-call 2"]),
    "a command that holds a call": (fenced({"name": "bash", "input": {"command": CALL}}), []),
    "deep below a key": (fenced({"edits_by_file": {"a.py": [{"all": [PAIR]}]}}), ["unread-call 2"]),
    "in a named call": (fenced({"name": "apply", "input": {"action_input": DATA}}), ["unread-call 2"]),
    "in a text that is JSON": (
        fenced({"name": "apply", "arguments": json.dumps({"files": [DATA]})}),
        ["unread-call 2"],
    ),
    "as a text": (json.dumps({"action": "edit", "action_input": CALL}), ["unread-call 1"]),
    "as a text, deep below a key": (fenced({"steps": [{"name": "a"}, {"call": CALL}]}), ["unread-call 2"]),
    "as a text with an object around the call": (
        fenced({"steps": {"call": json.dumps({"do": [A_PY]})}}),
        ["unread-call 2"],
    ),
    "as a text in the text of a message": (
        fenced({"role": "assistant", "content": CALL}),
        ["unread-call 2"],
    ),
    "as a text in a named call": (
        fenced({"name": "act", "arguments": json.dumps({"action_input": CALL})}),
        ["unread-call 2"],
    ),
    "as a text in the tags of a tool": (
        f'\n<invoke name="act">\n<parameter name="action_input">{CALL}</parameter>\n</invoke>\n',
        ["unread-call 2"],
    ),
    "a text that is no JSON, below a key": (json.dumps({"action_input": f"{CALL[:-1]},"}), ["unread-call 1"]),
    "words below a key": (json.dumps({"action_input": f"So: {CALL}"}), []),
    "in a tag": (f"<tool_call>\n{json.dumps({'action': DATA})}\n</tool_call>\n", ["unread-call 2"]),
    "an object where a list is read": (json.dumps({"tool_calls": {"name": "edit", "input": DATA}}), ["unread-call 1"]),
    "an object as content": (json.dumps({"role": "assistant", "content": DATA}), ["unread-call 1"]),
    "messages below an output": (json.dumps({"output": {"messages": [{"tool_calls": [DATA]}]}}), ["unread-call 1"]),
    "a list where an object is read": (json.dumps({"function": [{"name": "edit", "input": DATA}]}), ["unread-call 1"]),
    "a text where an object is read": (json.dumps({"function": CALL}), ["unread-call 1"]),
    "with nulls beside it": (fenced({"changes": [None, 1, {**DATA, "replace_all": None}]}), ["unread-call 2"]),
    "two": (json.dumps({"changes": [DATA, DATA]}), ["unread-call 1"]),
    **{
        f"talk below `{key}`": (json.dumps({key: [DATA]}), [])
        for key in ("example", "input_examples", "schema", "properties", "result", "toolUseResult", "before")
    },
    "talk deep below a key": (json.dumps({"tool": {"input_examples": [DATA]}}), []),
    "a schema below a key": (json.dumps({"tool": {"old_string": {"type": "string"}, "path": "a.py"}}), []),
    "a weak call below a key": (json.dumps({"files": [{"path": "a.py", "content": "x"}]}), []),
    "below a key in another language": (fenced({"changes": [DATA]}, "python"), []),
    "below a key in a file of data": (f"edits.json\n{fenced({'changes': [DATA]})}", []),
    "below a key in mid-line": (f"So {json.dumps({'changes': [DATA]})}\n", ["unread-call 1"]),
    # in the middle of a line
    "in mid-line": (f"So {CALL}\n", ["unread-call 1"]),
    "in mid-line, below a key": (f"So {json.dumps({'x': 1})} and {CALL} and {CALL}\n", ["unread-call 1"]),
    "in mid-line, its keys below": (f"So {json.dumps(A_PY, indent=1)}\n", ["unread-call 3"]),
    "in no column, its keys below": (f"1. x\n\n{indent(json.dumps(A_PY, indent=2), '   ')}\n", ["unread-call 5"]),
    "in no column, with a name": (
        indent(json.dumps({"type": "tool", "name": "Edit", "input": A_PY}, indent=2), "  ") + "\nx\n",
        ["unread-call 6"],
    ),
    "in no column, below a key": (
        indent(json.dumps({"name": "act", "changes": [A_PY]}, indent=2), "  ") + "\nx\n",
        ["unread-call 6"],
    ),
    "in no column, two": (
        indent(f"{json.dumps(A_PY, indent=2)}\n{json.dumps(B_PY, indent=2)}\nx\n", "  "),
        ["unread-call 3"],
    ),
    "in mid-line, cut off below": (f"So {json.dumps(A_PY, indent=1)[:-9]}\n", ["unread-call 3"]),
    "in inline code": (f"`{CALL}`\n", ["unread-call 1"]),
    "tags in inline code": (f"`{INVOKE}`\n", ["unread-call 3"]),
    "a tag in inline code": (f"Use `{TOOL.replace(chr(10), '')}`\n", []),
    "in no column": (f"- x\n  {CALL}\n", ["unread-call 2"]),
    "in no column, words below it": (f"  {CALL}\nx\n", ["unread-call 1"]),
    "in back-ticks behind a word": (f"Call: `{CALL}`\n", ["unread-call 1"]),
    "other JSON in mid-line, its keys below": (f"So {json.dumps({'path': 'a.py', 'line': 1}, indent=1)}\n", []),
    "a key below words": ('So:\n  "file_path": "a.py",\n  "old_string": "x"\n', ["unread-call 3"]),
    "behind a bullet": (f"- {CALL}\n", ["unread-call 1"]),
    "behind a word, cut off": (f"Call it so: {CALL[:-9]}\n", ["unread-call 1"]),
    "two behind numbers": (f"1. {CALL}\n2) {CALL}\n", ["unread-call 1"]),
    "in a comment of HTML": (f"<!-- {CALL} -->\n", ["unread-call 1"]),
    "tags in a comment of HTML": (f"<!-- {INVOKE} -->\n", ["unread-call 3"]),
    "as a string": (f"{json.dumps(CALL)}\n", ["unread-call 1"]),
    "as a string below words": (f"So:\n{json.dumps(CALL)}\n", ["unread-call 2"]),
    "as a string in a fence": (fenced(json.dumps(CALL)), ["unread-call 2"]),
    "as a string in a list": (fenced([CALL]), ["unread-call 2"]),
    "as a string in a string": (f"{json.dumps(json.dumps(CALL))}\n", ["unread-call 1"]),
    "as a string in a tag": (f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>\n", ["unread-call 2"]),
    **{
        f"in mid-line, with `{key}` first": (f"- {json.dumps({key: 'x', **A_PY})}\n", ["unread-call 1"])
        for key in ("explanation", "description", "instruction", "thought")
    },
    "a parameter with an empty name": (INVOKE.replace("file_path", "").replace("old_string", "x"), ["unread-call 1"]),
    "words behind a tag": (f"<edit_file> this one:\n{TAG_VALUES}</edit_file>\n", ["unread-call 3"]),
    "words behind a tag and a blank line": (f"<edit_file> so:\n\n{TAG_VALUES}</edit_file>\n", ["unread-call 4"]),
    "an unknown tag behind words": (f"Now: <patch_it>\n{TAG_VALUES}</patch_it>\n", ["unread-call 3"]),
    "a tag that reads behind words": (f"Now: <read_file>\n{TAG_VALUES}</read_file>\n", ["unread-call 3"]),
    "a tag behind words, with a path": ("Now: <patch_it>\n<path>a.py</path>\n</patch_it>\n", []),
    "a tag behind words, with a text": ("Now: <patch_it>\n<new_text>b</new_text>\n</patch_it>\n", []),
    "values without a tag": (f"\n{TAG_VALUES}", ["unread-call 3"]),
    "values without a tag, over lines": ("<path>\na.py\n</path>\n<new_text>b</new_text>\n", []),
    "values below words": (f"So:\n{TAG_VALUES}", ["unread-call 3"]),
    "in single quotes": (f"'{CALL}'\n", ["unread-call 1"]),
    "in the tokens of a model": (f"<|tool_call_begin|>functions.Edit:0<|x|>{CALL}<|y|>\n", ["unread-call 1"]),
}


@pytest.mark.parametrize(("text", "notes"), UNREAD.values(), ids=UNREAD)
def test_a_call_that_is_not_read_is_noted(text: str, notes: Sequence[str]) -> None:
    parsed = parse_response(text)
    assert (short(parsed), [block for block in parsed.blocks if block.format != "whole-file"]) == (notes, [])
    assert not parsed.problems
    assert len(parse_response(f"{X}\n{text}").blocks) == 1


def test_the_note_of_a_call_that_is_not_read_says_what_to_do() -> None:
    where = "inside other text, below another key or of an unknown tool"
    [note] = parse_response(UNREAD["below a key"][0]).notes
    advice = "ask for JSON alone on its line"
    assert note.message == f"the tool call at line 1 is {where}, so it is not read; {advice}"
    [note] = parse_response(f"- {CALL}\n- {CALL}\n").notes
    assert note.message == f"2 tool calls are {where}, so they are not read; the first is at line 1; {advice}"


def short(parsed: ParseResult) -> list[str]:
    return [f"{note.code} {note.line_number}" if note.code != "not-run" else note.code for note in parsed.notes]


@pytest.mark.parametrize(("text", "notes"), TALK.values(), ids=TALK)
def test_talk_stays_talk(text: str, notes: Sequence[str]) -> None:
    parsed = parse_response(text)
    assert not [block for block in parsed.blocks if block.format != "whole-file"]
    assert not [problem for problem in parsed.problems if "edit action" not in problem.what]
    assert short(parsed) == notes
    assert len(parse_response(f"{X}\n{text}").blocks) == 1


def test_a_file_of_data_that_each_call_names_is_edited() -> None:
    text = f"edits.json\n{fenced({**A_PY, 'file_path': 'edits.json'})}"
    assert shown(parse_response(text)) == ["3-7 edits.json: replace 'a' 'b'"]


def test_examples_are_one_note() -> None:
    [note] = parse_response(f"{fenced(CALL, 'python')}\n{fenced(CALL, 'ts')}").notes
    assert note.message == "2 tool calls are examples, so they are not read; the first is at line 2"


def test_drafts_are_no_rows() -> None:
    text = f"<think>\n{CALL}\n{INVOKE}{X}</think>\n{TOOL}"
    parsed = parse_response(text)
    assert shown(parsed) == ["15-20 " + TOOL_ROW]
    assert parsed.notes[0].message == "3 blocks in the model's thoughts (lines 1-14) were left out"
    assert shown(parse_response(f"{CALL}\n</think>\n{TOOL}")) == ["3-8 " + TOOL_ROW]
    assert shown(parse_response(f"<think>\n{CALL}\n")) == ["1-1 -: malformed"]
    assert not parse_response("<think>\n{\n  int x;\n[1]\n</think>\n").notes


def test_commands_are_suggestions() -> None:
    for text in (
        fenced({"name": "bash", "input": {"command": "make test"}}),
        '<invoke name="bash">\n<parameter name="command">make test</parameter>\n</invoke>\n',
        "<execute_command>\n<command>make test</command>\n</execute_command>\n",
    ):
        parsed = parse_response(text)
        assert parsed.shell_suggestions == ("make test",)
        assert shown(parsed) == []


@pytest.mark.parametrize("call", [f"{CALL}\n", fenced(CALL), INVOKE])
def test_a_format_that_is_left_out_is_said(call: str) -> None:
    left_out = parse_response(call, formats_named(["diff"]))
    assert [problem.code.value for problem in left_out.problems] == ["unsupported-format"]
    assert "is in a format that is not enabled here" in left_out.problems[0].what
    assert len(parse_response(call, formats_named(["tool-replace"])).blocks) == 1


def test_a_patch_in_a_call_is_of_its_own_format() -> None:
    text = fenced({"input": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"})
    assert [block.format for block in parse_response(text).blocks] == ["v4a"]
    assert parse_response(text, formats_named(["v4a"])).blocks
    assert not parse_response(text, formats_named(["tool-file"])).blocks


def events(text: str) -> list[list[Event]]:
    """The events of each line."""
    parser = StreamParser()
    found = [parser.feed(line) for line in text.splitlines(keepends=True)]
    parser.close()
    return [*found, list(parser.closing_events)]


def test_a_row_of_json_is_told_at_its_last_bracket() -> None:
    text = "So:\n" + json.dumps(A_PY, indent=1) + "\nDone.\n"
    started, row = events(text)[5]
    assert started == BlockStarted(1, "tool-replace", "a.py", 2)
    assert isinstance(row, EditBlock)


def test_a_row_in_a_fence_is_told_at_the_end_of_the_fence() -> None:
    assert [len(each) for each in events(f"{fenced(CALL)}x\n")] == [0, 0, 2, 0, 0]


def test_a_row_of_tags_is_told_once_its_end_cannot_come_again() -> None:
    assert [len(each) for each in events(f"{INVOKE}x\n{INVOKE}")] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 1]


EVERY = {**CARRIERS, **HELD, **BROKEN, **TALK, **UNREAD}


@pytest.mark.parametrize("text", [text for text, _ in EVERY.values()], ids=EVERY)
@pytest.mark.long(after=5)
def test_in_pieces_it_reads_alike(text: str) -> None:
    whole = f"{X}{text}{X}"
    expected = parse_response(whole)
    for size in (1, 7, 40):
        parser = StreamParser()
        for start in range(0, len(whole), size):
            parser.feed(whole[start : start + size])
        assert parser.close() == expected
    alone = parse_response(text)
    parser = StreamParser()
    told = [event for char in text for event in parser.feed(char)]
    assert parser.close() == alone
    rows = {row.number: row for row in (*told, *parser.closing_events) if isinstance(row, EditBlock | Problem)}
    assert [rows[number] for number in sorted(rows)] == in_order(alone)


@pytest.mark.parametrize("text", [text for text, _ in EVERY.values()], ids=EVERY)
def test_the_gate_sees_it(text: str) -> None:
    """Each text with a row holds a text that the first step of the action looks for."""
    if shown(parse_response(text)):
        assert any(needle.lower() in text.lower() for needle in of_answers(FORMATS))


@pytest.mark.parametrize("text", [text for text, _ in EVERY.values()], ids=EVERY)
def test_line_ends_change_nothing(text: str) -> None:
    unix, windows = parse_response(text), parse_response(text.replace("\n", "\r\n"))
    assert (shown(windows), short(windows)) == (shown(unix), short(unix))


FAULTY = {
    "a block in it": ('{\n  "a": x,\n  n.py\n  <<<<<<< NEW_FILE\n  y\n  >>>>>>> NEW_FILE\n', ["4-6 n.py: new-file"]),
    "a call below it": (f'{{"a": x,\n "b": 1\n{CALL}\n', [f"3-3 {REPLACE_ROW}"]),
    "lines behind a blank one": ('{"a": x,\n "b": 1\n\n "old_string": 1\n}\n', []),
    "its last line": ('{"a": x,\n}\n"old_string": 1\n', []),
    "a fault in the line of an opener": (f'{{"a": 1,\n{NEW}', ["3-5 n.py: new-file"]),
    "keys without quotation marks": ('{path: "a.py", old_str: "x"}\n', []),
    "no end": ('{"a": x,\n "old_string": 1', ["1-2 -: malformed"]),
    "a bracket of a word": ('[see]\n "old_string": 1\n', []),
}


@pytest.mark.parametrize(("text", "expected"), FAULTY.values(), ids=FAULTY)
def test_what_goes_on_behind_a_fault(text: str, expected: list[str]) -> None:
    assert shown(parse_response(text)) == expected
