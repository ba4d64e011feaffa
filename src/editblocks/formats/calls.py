"""A tool call: where it is in the answer, its keys and values, and the rows that it becomes."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, ParsedRow, ParseResult, Problem, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault
from editblocks.formats.json_scan import JsonObject, Number
from editblocks.formats.tool_calls import MOVED_KEYS, PATH_KEYS, REPLACE

SEND_AGAIN = "ask for the call again"
ASK_REPLACE = "ask for a replace call"
_PLACEHOLDER = r"/?path/to/|your/|(?:\.\.\.|file_path|filename)\Z"
_FILE_ADDRESS = r"file://(?:/(?=[A-Za-z]:[/\\])|(?=/))"


class Where(NamedTuple):
    """The place and the origin of a text that may have calls. Lines are 1-based."""

    first_line: int  # of the text
    end_line: int  # the last line of the part of the answer that contains the text
    # Read a patch or blocks in a string as a text of its own, whose first line has the given number.
    read: Callable[[str, int], ParseResult]
    may_be_cut: bool = True  # whether JSON that ends too early was cut off; otherwise it is malformed
    folder: str = ""  # as in `ToolCall`
    session_root: str = ""
    was_run: bool = False
    rows_by_id: Mapping[str, tuple[ParsedRow, ...]] = {}  # by call id: the rows of the calls above the text


class Call(NamedTuple):
    """An object that may ask for an edit. Line numbers are 1-based."""

    values: Mapping[str, object]  # by key, without those that are null
    name: str  # of the tool; "" if it is not named
    line: int
    end_line: int
    at: Where
    id: str = ""
    has_failed: bool = False  # when it was made, by the keys next to it
    number: int = 0  # counts the objects of its text
    flaw: str = ""  # why it cannot be trusted, although it parses
    is_text: bool = False  # it was written in tags: all its values are texts
    has_nulls: bool = False  # its object has keys whose value is null
    literal: frozenset[str] = frozenset()  # keys whose texts were written as CDATA in tags
    first_line: int | None = None  # the number of line 0 of the objects in it; None: they are in a string
    outer_path: tuple[str, str] = ("", "")  # for an element of a list: the key and the path of its call

    @property
    def paths(self) -> list[tuple[str, str]]:
        """The paths that it names, as written, each with its key."""
        named_paths = [(key, self.text(key)) for key in PATH_KEYS if self.text(key)]
        if self.outer_path[1]:
            return [self.outer_path, *named_paths]
        return named_paths

    @property
    def path_key(self) -> str:
        """The key of its path; "" if it names no file."""
        return next((key for key, _ in self.paths), "")

    @property
    def path(self) -> str:
        """Its path, as written; "" if it names no file."""
        return next((path for _, path in self.paths), "")

    @property
    def tool(self) -> str:
        """The name of the tool without the name of its server: `mcp__files__moveFile` is `move_file`."""
        if not self.name:
            return ""
        return re.split("__|[.:/]", re.sub("(?<=[a-z])(?=[A-Z])", "_", self.name))[-1].lower()

    def text(self, key: str) -> str:
        """The text at a key; "" if there is none."""
        value = self.values.get(key)
        if isinstance(value, str):
            return value
        return ""

    def has_text(self, keys: str) -> bool:
        """Whether one of `keys`, which are separated by blanks, has a text."""
        return any(isinstance(self.values.get(key), str) for key in keys.split())

    def switch(self, key: str) -> bool | Fault:
        """The value of a boolean key; False if the key is missing, a fault if the value is not a boolean."""
        value = self.values.get(key, False)
        if self.is_text:
            value = {"true": True, "false": False}.get(str(value), value)
        if isinstance(value, bool):
            return value
        return Fault(ReasonCode.MALFORMED, f"{key} must be true or false", SEND_AGAIN)

    def integer(self, key: str) -> int | Fault:
        """The value of a key that is a whole number, of at most nine digits; otherwise a fault."""
        value = self.values[key]
        if isinstance(value, Number):
            value = value.text
        elif not self.is_text:
            value = ""
        if re.fullmatch("[0-9]{1,9}", str(value)) is None:
            return Fault(ReasonCode.MALFORMED, f"{key} must be a whole number of at most nine digits", SEND_AGAIN)
        return int(str(value))

    def inner(self, element: JsonObject) -> "Call":
        """Return an object in this call as a call of its own. Its lines are its own if they are below the call's."""
        call = self._replace(
            values=without_nulls(element.values),
            flaw=element.duplicate_key or element.bad_text,
            is_text=False,
            outer_path=(self.path_key, self.path),
        )
        if self.first_line is None or self.first_line + element.line <= self.line:
            return call
        return call._replace(line=self.first_line + element.line, end_line=self.first_line + element.end_line)

    def problem(self, fault: Fault, format_name: str = REPLACE) -> Problem:
        """Return a row that refuses the call."""
        path = self.path
        for key in MOVED_KEYS:
            path = path or self.text(key)
        return Problem(0, self.line, self.end_line, *fault, clean_path(path) or None, format_name)

    def malformed(self, what: str, format_name: str = REPLACE) -> Problem:
        return self.problem(Fault(ReasonCode.MALFORMED, what, SEND_AGAIN), format_name)

    def block(self, format_name: str, action: str, value: ToolCall, old: str = "", new: str = "") -> EditBlock:
        """Return the call as a block with these texts."""
        at = self.at
        path = clean_path(self.path)
        old_lines = whole_lines(old)
        new_lines = whole_lines(new)
        notes: tuple[Note, ...] = ()
        if path != self.path:
            notes = (Note("path-cleaned", f"the path was read as {path}"),)
        return EditBlock(
            0,
            path,
            format_name,
            self.line,
            self.end_line,
            old_lines=old_lines,
            new_lines=new_lines,
            raw_block=old_lines + new_lines,
            notes=notes,
            action=action,
            call=value._replace(was_run=at.was_run, folder=at.folder, session_root=at.session_root),
        )


class CallRows(NamedTuple):
    """What the calls of one text ask for. Rows are in the order of the text; the caller numbers them."""

    rows: tuple[ParsedRow, ...] = ()
    notes: tuple[Note, ...] = ()
    commands: tuple[str, ...] = ()  # shell commands, which are shown and never run
    unread: tuple[int, ...] = ()  # the lines of calls that could not be read
    rows_by_id: Mapping[str, tuple[ParsedRow, ...]] = {}  # by call id: the rows of the call


def not_read(tool: str) -> Fault:
    """The fault of a call of an unknown tool."""
    return Fault(ReasonCode.UNSUPPORTED_FORMAT, f"tool `{tool}` is not supported", ASK_REPLACE)


def without_nulls(values: Mapping[str, object]) -> dict[str, object]:
    """The keys and values without those that are null, which mean the same as a missing key."""
    return {key: value for key, value in values.items() if value is not None}


def is_example(path: str) -> bool:
    """Whether a path is a placeholder, as in a call that only shows the format."""
    return re.match(_PLACEHOLDER, path) is not None or any(sign in path for sign in "<>{}…")


def clean_path(path: str) -> str:
    """Remove `file://` before an absolute path, and a leading `./`, and turn backslashes into slashes."""
    match = re.match(_FILE_ADDRESS, path)
    if match is not None:
        path = path[match.end() :]
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    return path.removeprefix("./")


def whole_lines(text: str) -> str:
    """A text in which each line ends with a line feed."""
    lines = text.replace("\r\n", "\n")
    if lines and not lines.endswith("\n"):
        lines += "\n"
    return lines
