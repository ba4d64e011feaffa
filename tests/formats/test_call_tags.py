"""Calls in tags, line by line: what opens one, what ends it, and the values in it."""

import pytest

from editblocks.formats.call_tags import (
    CallTag,
    TagValues,
    body_of,
    has_edit_text,
    kind_of_call_line,
    read_call_tag,
    read_tag_values,
    tag_above,
)
from editblocks.formats.markers import Kind

OPENERS: dict[str, CallTag | None] = {
    '<invoke name="Edit">': CallTag("Edit", "</invoke>", "", 20),
    '\t<invoke name="Edit"> <parameter name="path">': CallTag("Edit", "</invoke>", "\t", 22),
    '<x:invoke name="Edit">': CallTag("Edit", "</x:invoke>", "", 22),
    '<function_calls> <invoke name="Edit">': CallTag("Edit", "</invoke>", "", 37),
    "  <function=mcp.edit:file-1> <parameter=path>": CallTag("mcp.edit:file-1", "</function>", "  ", 29),
    "  <tool_call>Edit <arg_key>path</arg_key>": CallTag("Edit", "</tool_call>", "  ", 18),
    "<tool_call>Edit": CallTag("Edit", "</tool_call>", "", 15),
    '  <tool_call> {"name": "Edit"': CallTag("", "</tool_call>", "  ", 14),
    "<tool_use>": CallTag("", "</tool_use>", "", 10),
    " <write_to_file>": CallTag("write_to_file", "</write_to_file>", " ", 16, has_own_lines=True),
    "<write_to_file><path>a.py</path>": CallTag("write_to_file", "</write_to_file>", "", 15),
    'Call <invoke name="Edit">': None,
    '<invoke name="Edit"> as said': None,
    "<tool_call>Edit it": None,
    "<change>": None,
}


@pytest.mark.parametrize(("line", "expected"), OPENERS.items(), ids=OPENERS)
def test_a_line_that_opens_a_call(line: str, expected: CallTag | None) -> None:
    assert read_call_tag(line) == expected


KINDS: dict[str, Kind | None] = {
    '  <invoke name="Edit">': Kind.CALL,
    " \t</invoke>": Kind.CALL_END,
    " \t<path>a.py": Kind.CALL_VALUE,
    "\u00a0<path>a.py": None,
    "X<path>a.py": None,
    ' > > <invoke name="Edit">': Kind.QUOTED_CALL,
    '> {"old_string": "x"': Kind.QUOTED_CALL,
    '>\t[{"old_string": "x"': Kind.QUOTED_CALL,
    '> {"name": "x"': None,
    '> X<invoke name="Edit">': None,
}


@pytest.mark.parametrize(("line", "expected"), KINDS.items(), ids=KINDS)
def test_what_a_line_is(line: str, expected: Kind | None) -> None:
    assert kind_of_call_line(line) is expected


ENDS: dict[str, bool] = {
    "</write_to_file> \t": True,
    " </write_to_file>": False,
    "</write_to_file>\u00a0": False,
    "</write_to_file>X": False,
}


@pytest.mark.parametrize(("line", "expected"), ENDS.items(), ids=ENDS)
def test_a_tag_that_stands_alone_ends_alone(line: str, expected: bool) -> None:
    assert CallTag("write_to_file", "</write_to_file>", has_own_lines=True).ends_at(line) is expected


FIRST: dict[str, tuple[CallTag, str, bool]] = {
    "JSON": (CallTag("", "</tool_call>"), "{", True),
    "a list": (CallTag("", "</tool_call>"), "[", True),
    "a tag where JSON should be": (CallTag("", "</tool_call>"), "<path>", False),
    "a tag": (CallTag("Edit", "</invoke>"), "<path>", True),
    "a word": (CallTag("Edit", "</invoke>"), "X is edited", False),
}


@pytest.mark.parametrize(("tag", "text", "expected"), FIRST.values(), ids=FIRST)
def test_what_may_stand_first_below_a_tag(tag: CallTag, text: str, expected: bool) -> None:
    assert tag.may_begin_with(text) is expected


def change(line: int, indent: str = "", blanks: str = "") -> tuple[int, CallTag]:
    """The tag of a tool `change`, which nobody knows."""
    column = len(f"{indent}<change>{blanks}")
    return line, CallTag("change", "</change>", indent, column, has_own_lines=True, is_known=False)


PATH = "<path>a.py</path>"
ABOVE: dict[str, tuple[list[str], int, tuple[int, CallTag] | None]] = {
    "right above": (["<change>", PATH], 0, change(0)),
    "with blanks": (["  <change> \t", PATH], 0, change(0, "  ", " \t")),
    "the nearer one": (["<other>", "<change>", "x", PATH], 0, change(1)),
    "above a text": (["<change>", "<code>", PATH], 0, change(0)),
    "above a tag that is no tool": (["<change>", "<summary>", PATH], 0, change(0)),
    "above lines that are no tags": (["<change>", "x <b>", PATH], 0, change(0)),
    "above the first line": (["<change>", "x", PATH], 1, None),
    "twelve lines above": (["<change>", *["x"] * 11, PATH], 0, change(0)),
    "farther above": (["<change>", *["x"] * 12, PATH], 0, None),
    "among words": (["Call <change>", PATH], 0, None),
}


@pytest.mark.parametrize(("lines", "first", "expected"), ABOVE.values(), ids=ABOVE)
def test_the_tag_above_a_value(lines: list[str], first: int, expected: tuple[int, CallTag] | None) -> None:
    assert tag_above([*lines, "<below>"], len(lines) - 1, first) == expected


def test_a_body_ends_at_the_last_closing_tag() -> None:
    tag = CallTag("write_to_file", "</write_to_file>", column=15)
    lines = ["<write_to_file>", "<content></write_to_file></content>", "</write_to_file>"]
    assert body_of(tag, lines, is_closed=True) == "\n<content></write_to_file></content>\n"
    assert body_of(tag, lines[:2], is_closed=False) == "\n<content></write_to_file></content>"


BEGUN: dict[str, bool] = {
    "<code>": True,
    '<parameter name="content">': True,
    "<arg_key>content</arg_key>": True,
    ' {"old_string": "x': True,
    ' [{"old_string": "x': True,
    'as in {"old_string": "x': False,
    '{"name": "x': False,
    "<path>": False,
}


@pytest.mark.parametrize(("body", "expected"), BEGUN.items(), ids=BEGUN)
def test_a_text_that_was_begun(body: str, expected: bool) -> None:
    assert has_edit_text(body) is expected


INVOKE = CallTag("Edit", "</invoke>")
CHANGE = CallTag("change", "</change>")
GLM = CallTag("Edit", "</tool_call>")


def parameter(name: str, value: str) -> str:
    return f'<parameter name="{name}">{value}</parameter>\n'


VALUES: dict[str, tuple[CallTag, str, TagValues | str]] = {
    "tags": (
        CHANGE,
        "\n<path>a.py</path>\n<code>\nx\ny\n</code>\n",
        TagValues({"path": "a.py", "code": "x\ny"}),
    ),
    "parameters": (
        INVOKE,
        parameter("path", "a.py") + parameter("code", "x"),
        TagValues({"path": "a.py", "code": "x"}),
    ),
    "arguments": (
        GLM,
        "<arg_key>path</arg_key>\n<arg_value>a.py</arg_value><arg_key>code</arg_key><arg_value>\nx\n</arg_value>",
        TagValues({"path": "a.py", "code": "\nx\n"}),
    ),
    "a text that begins on its tag": (
        CHANGE,
        "<code>x\ny</code>",
        TagValues({"code": "x\ny"}, text_on_tag_line="code"),
    ),
    "two texts that begin on their tags": (
        CHANGE,
        "<old_str>x\ny</old_str><new_str>x\nz</new_str>",
        TagValues({"old_str": "x\ny", "new_str": "x\nz"}, text_on_tag_line="old_str"),
    ),
    "a list that begins on its tag": (CHANGE, "<edits>[\n]</edits>", TagValues({"edits": "[\n]"})),
    "CDATA": (CHANGE, "<code><![CDATA[\nx\n]]></code>", TagValues({"code": "\nx\n"}, frozenset({"code"}))),
    "CDATA that begins on its tag": (
        CHANGE,
        "<code>\n<![CDATA[x\n]]>\n</code>",
        TagValues({"code": "x\n"}, frozenset({"code"}), text_on_tag_line="code"),
    ),
    "two parts of CDATA": (
        CHANGE,
        "\n<code><![CDATA[x]]><![CDATA[y]]>z]]></code>\n<path>a.py</path>\n",
        "`code` is not all in one CDATA section (line 1)",
    ),
    "a tag of another value in a text": (
        CHANGE,
        "<code>x</path>y</code><path>a.py</path>",
        TagValues({"code": "x</path>y", "path": "a.py"}),
    ),
    "a text that holds its own end": (
        CHANGE,
        "<content>x</content>y</content>",
        TagValues({"content": "x</content>y"}),
    ),
    "a path that holds its own end": (
        INVOKE,
        '<parameter name="path">a</parameter>b</parameter>',
        "there is text between its values (line 0)",
    ),
    "no end": (CHANGE, "\n<path>a.py</path>\n<code>x\n", "`code` has no end (line 2)"),
    "no end before the next one": (
        INVOKE,
        '<parameter name="path">a.py\n' + parameter("code", "x"),
        "`path` has no end (line 0)",
    ),
    "twice": (CHANGE, "\n<path>a</path>\n<path>b</path>", "`path` appears twice (line 2)"),
    "text between": (CHANGE, "<path>a</path>\n\nx\n", "there is text between its values (line 2)"),
    "a closing tag in a value": (
        INVOKE,
        parameter("path", "a.py") + parameter("content", "x</invoke>\n</invoke>y"),
        "it has two closing tags (line 1)",
    ),
}


@pytest.mark.parametrize(("tag", "body", "expected"), VALUES.values(), ids=VALUES)
def test_values(tag: CallTag, body: str, expected: TagValues | str) -> None:
    assert read_tag_values(tag, body, 0) == expected
