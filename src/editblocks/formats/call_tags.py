"""Tool calls in tags: the lines that open and close one, and the values in it.

    <invoke name="Edit">                                <write_to_file>
    <parameter name="file_path">a.py</parameter>        <path>a.py</path>
    …                                                   …
    </invoke>                                           </write_to_file>

`<function=Edit>` with `<parameter=file_path>` is a third spelling. `<tool_call>` encloses JSON, or it is written as
`<tool_call>Edit` above `<arg_key>file_path</arg_key>` and `<arg_value>a.py</arg_value>`, which GLM writes. What the
values ask for is read by `call_reader.py`. Rules: docs/reference/formats/tool-calls.md. Lines are 0-based.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from editblocks.formats.calls import is_example
from editblocks.formats.json_scan import looks_like_edit
from editblocks.formats.markers import Kind
from editblocks.formats.tool_calls import JSON_LISTS, PATH_KEYS, TAG_PREFIX, TEXT_KEYS, TOOL_TAGS

WRAPPERS = ("tool_call", "tool_use", "function_call")  # around JSON; around a call in tags they are ignored
_AROUND = ("function_calls", *WRAPPERS)
_MAY_CONTAIN_OWN_TAG = frozenset({"content", "diff", "args"})  # values that may contain their own closing tag
_OTHER_TAGS = frozenset(  # tags around blocks or pages, and tools that change nothing
    "file files args diff content read_file list_files search_files execute_command "
    "attempt_completion new_task details summary html head div".split()
)
_AROUND_BLOCKS = frozenset({"replace_in_file", "apply_diff"})  # tags whose text is usually a block
_AROUND_BLOCKS_WITH_PATH = _AROUND_BLOCKS | {"edit", "dyad-search-replace"}
_PAGE_TAGS = frozenset({"body", "code", "file", "text"})  # keys that are also common tags of web pages
_NAME = r"[ \t](?:[^<>]*?[ \t])?name=[\"'](?P<name>[^\"'<>]*)[\"'][^<>]*"  # the attributes of a tag, with its `name`
_OPENER = (
    rf"([ \t]*)(?:<{TAG_PREFIX}(?:{'|'.join(_AROUND)})>[ \t]*)?<(?:"
    rf"(?P<prefix>{TAG_PREFIX})invoke{_NAME}"
    rf"|function=(?P<function>[\w.:-]+)|(?P<tool>{'|'.join((*TOOL_TAGS, *WRAPPERS))}))>[ \t]*(?P<rest>(?:[<{{\[].*)?)\Z"
)
_NAMED_CALL = r"([ \t]*)<tool_call>([A-Za-z_][\w.-]*)[ \t]*(?P<rest>(?:<arg_key>.*)?)\Z"
_END = rf"</(?:{TAG_PREFIX}invoke|function|{'|'.join(TOOL_TAGS)})>[ \t]*\Z"
_ENDS_AROUND = rf"(?:[ \t]*</{TAG_PREFIX}(?:{'|'.join(_AROUND)})>)*[ \t]*\Z"
_ANY_TAG = r"([ \t]*)<([A-Za-z_][\w-]*)>[ \t]*\Z"
_PARAMETER = rf"<{TAG_PREFIX}parameter(?:{_NAME}|=([\w.-]+))>"
_END_OF_PARAMETER = rf"</{TAG_PREFIX}parameter>"
_CHILD = r"<([A-Za-z_]\w*)>"
_ARGUMENT = r"<arg_key>([A-Za-z_]\w*)</arg_key>\s*<arg_value>"
_END_OF_ARGUMENT = "</arg_value>"
_CDATA = "<![CDATA["
_END_OF_CDATA = "]]>"
_VALUE_KEYS = TEXT_KEYS | {"search"}  # in tags, `search` may be an old text
_OLD_PATHS = ("old_path", "source_path")  # `source` is also a tag around code
_KEYS = "|".join(sorted((_VALUE_KEYS | {*PATH_KEYS, *_OLD_PATHS}) - _PAGE_TAGS))
_TEXTS = "|".join(sorted(TEXT_KEYS))
_EDIT_TEXT = rf"<(?:{_TEXTS})>|<{TAG_PREFIX}parameter(?:[ \t][^<>]*name=[\"']|=)(?:{_TEXTS})\b|<arg_key>(?:{_TEXTS})<"
_VALUE = f"<(?:{_KEYS})>"
_PATHS = "|".join(PATH_KEYS)
_PATH = (
    rf"<(?:{_PATHS}|{TAG_PREFIX}parameter(?:[ \t][^<>]{{0,200}})?[ \t=\"'](?:{_PATHS})[^<>]{{0,200}}"
    rf"|arg_key>(?:{_PATHS})</arg_key>\s*<arg_value)>\n?([^<\n]+)\n?</"
)
# The tag of a tool that changes a file, with the path in an attribute: `<dyad-write path="a.py">`.
_EDITS = "apply|create|delete|edit|insert|move|patch|remove|rename|replace|write"
_PATH_TAG_NAME = rf"(?:[a-z]{{1,20}}[_-]){{0,3}}(?:{_EDITS})(?:[_-][a-z]{{1,20}}){{0,3}}"
_ATTRIBUTES = r"(?:[ \t]+[A-Za-z_-]+=(?:\"[^\"]*\"|'[^']*')){1,8}"
_PATH_TAG = (
    rf"(?P<indent>[ \t]*)<(?P<name>{_PATH_TAG_NAME})(?P<attributes>{_ATTRIBUTES})[ \t]*"
    r"(?:(?P<end>/>)|>[ \t]*(?P<rest>.*))\Z"
)
# A path, or only if there is none, the old name of a rename.
_PATH_ATTRIBUTE = r"(?:.*?[ \t](?:path|file|filePath|file_path)|.*?[ \t]from)=[\"']([^\"']+)"
_FARTHEST = 12  # lines from a value up to the tag of an unknown tool

# Patterns for the beginnings of lines that open or close a call, or contain a value of one.
STARTS = (
    rf"<{TAG_PREFIX}(?:invoke[ \t]|(?:{'|'.join((*_AROUND, *TOOL_TAGS))})>)",
    "<function=",
    rf"</(?:{TAG_PREFIX}invoke|function|{'|'.join(TOOL_TAGS)})>",
    _VALUE,
    rf"<{_PATH_TAG_NAME}[ \t]",
    rf">[> \t]*(?:[{{\[]|<(?:{TAG_PREFIX}invoke[ \t]|function=|(?:{'|'.join((*WRAPPERS, *TOOL_TAGS))})>))",
)


class CallTag(NamedTuple):
    """A line that opens a call."""

    name: str  # of the tool; "" for a tag around JSON
    closer: str  # the tag that ends it
    indent: str = ""
    column: int = 0  # where its values may begin on its own line
    # The opening and the closing tag each have a line of their own, with the same indentation.
    has_own_lines: bool = False
    is_known: bool = True  # it opens a call, whatever follows
    path: str = ""  # in an attribute

    @property
    def has_parameters(self) -> bool:
        """Whether its values are in `parameter` tags."""
        return self.closer.endswith(("invoke>", "function>"))

    @property
    def is_function(self) -> bool:
        """Whether it is written as `<function=name>`."""
        return self.closer == "</function>"

    @property
    def has_arguments(self) -> bool:
        """Whether its values are in `arg_value` tags, each after its `arg_key`."""
        return not self.is_around_json and self.closer == "</tool_call>"

    @property
    def may_hold_blocks(self) -> bool:
        """Whether blocks in it are read as if it was not there."""
        if self.path:
            return self.name in _AROUND_BLOCKS_WITH_PATH
        return self.name in _AROUND_BLOCKS

    @property
    def is_around_json(self) -> bool:
        return not self.name

    def may_begin_with(self, text: str) -> bool:
        """Whether a line can be the first one after the tag, and not prose that only mentions the tag."""
        if self.path or text[0] in "{[":  # also in a tag for values: a broken call
            return True
        return not self.is_around_json and re.match(rf"</?{TAG_PREFIX}[A-Za-z]", text) is not None

    def ends_at(self, line: str) -> bool:
        """Whether a line is the last one of the call. Prose may follow a tag with its path in an attribute."""
        if self.path:
            return self.closer in line
        if self.has_own_lines:
            return line.rstrip(" \t") == self.indent + self.closer
        return self.closer in line and re.search(re.escape(self.closer) + _ENDS_AROUND, line) is not None


class TagValues(NamedTuple):
    """The values of a call by name. `literal`: the names of the values that were written as CDATA."""

    texts: dict[str, str]
    literal: frozenset[str] = frozenset()
    text_on_tag_line: str = ""  # the name of the first value of several lines that begins on the line of its tag


def read_call_tag(line: str) -> CallTag | None:
    """Read a line that opens a call; None if it does not."""
    named = re.match(_NAMED_CALL, line)
    if named is not None:
        return CallTag(named[2], "</tool_call>", named[1], named.start("rest"))
    match = re.match(_OPENER, line)
    if match is None:
        return None
    indent = match[1]
    column = match.start("rest")
    if match["prefix"] is not None:
        return CallTag(match["name"], f"</{match['prefix']}invoke>", indent, column)
    if match["function"] is not None:
        return CallTag(match["function"], "</function>", indent, column)
    closer = f"</{match['tool']}>"
    if match["tool"] in WRAPPERS:
        return CallTag("", closer, indent, column)
    return CallTag(match["tool"], closer, indent, column, has_own_lines=not match["rest"])


def read_path_tag(line: str) -> CallTag | None:
    """Read a line that opens a call of an unknown tool and has the path in an attribute; None if it does not."""
    match = re.match(_PATH_TAG, line)
    if match is None:
        return None
    path = re.match(_PATH_ATTRIBUTE, match["attributes"])
    if path is None or is_example(path[1]):
        return None
    closer = match["end"] or f"</{match['name']}>"
    column = max(match.start("end"), match.start("rest"))  # only one of them matched; the other one is at -1
    return CallTag(match["name"], closer, match["indent"], column, is_known=False, path=path[1])


def kind_of_call_line(line: str) -> Kind | None:
    """The kind of a line that belongs to a call in tags; None for any other line."""
    text = line.lstrip(" \t")
    if text.startswith(">") and _begins_call(text.lstrip("> \t")):
        return Kind.QUOTED_CALL
    if read_call_tag(line) is not None:
        return Kind.CALL
    if re.match(_END, text):
        return Kind.CALL_END
    if re.match(_VALUE, text) or read_path_tag(line) is not None:
        return Kind.CALL_VALUE
    return None


def _begins_call(quoted: str) -> bool:
    """Whether a quoted line begins a call: with its tag, or with JSON that looks like an edit."""
    return read_call_tag(quoted) is not None or (quoted.startswith(("{", "[")) and looks_like_edit(quoted))


def tag_above(lines: Sequence[str], value: int, first: int) -> tuple[int, CallTag] | None:
    """Return the tag of an unknown tool around the value at line `value`, and its line; not above line `first`.

    A tag with a path in an attribute has its values on its own line.
    """
    path_tag = read_path_tag(lines[value])
    if path_tag is not None and value >= first:
        return value, path_tag
    for line in range(value - 1, max(first, value - _FARTHEST) - 1, -1):
        match = re.match(_ANY_TAG, lines[line])
        if match is None or match[2] in _OTHER_TAGS or match[2] in _VALUE_KEYS:
            continue
        is_closed = any(between.rstrip(" \t").endswith(f"</{match[2]}>") for between in lines[line + 1 : value])
        if not is_closed:
            tag = CallTag(match[2], f"</{match[2]}>", match[1], len(lines[line]), has_own_lines=True, is_known=False)
            return line, tag
    return None


def body_of(tag: CallTag, lines: Sequence[str], *, is_closed: bool) -> str:
    """The text between the two tags of a call; up to the end of `lines` if the second one is missing."""
    text = "\n".join(lines)
    if is_closed:
        text = text[: text.rindex(tag.closer)]
    return text[tag.column :]


def has_edit_text(body: str) -> bool:
    """Whether a broken call contains the beginning of a text, so that it is an edit that was lost."""
    return re.search(_EDIT_TEXT, body) is not None or (body.lstrip().startswith(("{", "[")) and looks_like_edit(body))


def path_in(body: str) -> str | None:
    """The path in a broken call; None if it cannot be read."""
    match = re.search(_PATH, body)
    return match and match[1]


def read_tag_values(tag: CallTag, body: str, first_line: int) -> TagValues | str:
    """Read the values of a call, whose text begins at line `first_line`; if that fails, return what is wrong, where."""

    def fault(what: str, at: int) -> str:
        line_number = first_line + body.count("\n", 0, at)
        return f"{what} (line {line_number})"

    pattern = _CHILD  # in each of these patterns, exactly one group matches: the name
    if tag.has_parameters:
        pattern = _PARAMETER
    elif tag.has_arguments:
        pattern = _ARGUMENT
    opener = re.compile(rf"\s*{pattern}")
    texts: dict[str, str] = {}
    literal = set()
    text_on_tag_line = ""
    at = 0
    while (match := opener.match(body, at)) is not None:
        name = match[match.lastindex or 0]
        end = _end_of_value(tag, body, match.end(), name)
        if end is None:
            return fault(f"`{name}` has no end", match.end())
        if name in texts:
            return fault(f"`{name}` appears twice", match.end())
        between_tags = body[match.end() : end.start()]
        if tag.has_parameters and _holds_open_parameter(between_tags):
            return fault(f"`{name}` has no end", match.end())
        text = between_tags
        if not tag.has_arguments:  # one line break after the opening tag, and one before the closing tag, are layout
            text = between_tags.removeprefix("\n").removesuffix("\n")
        begins_on_tag_line = not between_tags.startswith("\n")
        if between_tags.lstrip().startswith(_CDATA):
            inside = _inside_cdata(text)
            if inside is None:
                return fault(f"`{name}` is not all in one CDATA section", match.end())
            text = inside
            begins_on_tag_line = not inside.startswith("\n")
            literal.add(name)
        texts[name] = text
        is_file_text = name in TEXT_KEYS and name not in JSON_LISTS
        if begins_on_tag_line and "\n" in text and is_file_text and not text_on_tag_line:
            text_on_tag_line = name
        at = end.end()
    rest = body[at:]
    if rest.strip():
        return fault("there is text between its values", len(body) - len(rest.lstrip()))
    if tag.has_parameters and tag.closer in body:
        return fault("it has two closing tags", body.index(tag.closer))
    return TagValues(texts, frozenset(literal), text_on_tag_line)


def _holds_open_parameter(text: str) -> bool:
    return len(re.findall(_PARAMETER, text)) > len(re.findall(_END_OF_PARAMETER, text))


def _inside_cdata(value: str) -> str | None:
    """The text in the CDATA section of a value; None unless the value is exactly one section."""
    if not (value.startswith(_CDATA) and value.endswith(_END_OF_CDATA) and len(value) >= len(_CDATA + _END_OF_CDATA)):
        return None
    inside = value[len(_CDATA) : -len(_END_OF_CDATA)]
    first, _, others = inside.partition(_END_OF_CDATA)
    if _CDATA in others and _CDATA not in first:
        return None
    return inside


def _end_of_value(tag: CallTag, body: str, start: int, name: str) -> re.Match[str] | None:
    """Find the closing tag of a value: the first one, or the last one if the value may contain such a tag.

    A `parameter` that may contain its closing tag ends at one that another parameter follows, or the end of the call.
    """
    if tag.has_arguments:
        return re.compile(_END_OF_ARGUMENT).search(body, start)
    may_contain_own_tag = name in _MAY_CONTAIN_OWN_TAG
    if tag.has_parameters:
        closer = _END_OF_PARAMETER
        if may_contain_own_tag:
            closer += rf"(?=\s*(?:<{TAG_PREFIX}parameter[ =]|\Z))"
        return re.compile(closer).search(body, start)
    if may_contain_own_tag:
        start = max(start, body.rfind(f"</{name}>"))
    return re.compile(f"</{name}>").search(body, start)
