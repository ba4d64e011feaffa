"""Read tool calls, in JSON or in tags: find them, skip those that are only examples, and turn the others into rows.

`read_json` and `read_parameters` are pure and raise nothing. Rules: docs/reference/formats/tool-calls.md.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from editblocks.core.blocks import Note, ParsedRow, Problem, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.core.settings import CEILINGS
from editblocks.formats.call_shapes import DRY_RUNS, rows_of, shape_of
from editblocks.formats.calls import ASK_REPLACE, SEND_AGAIN, Call, CallRows, Where, is_example, not_read, without_nulls
from editblocks.formats.grammar import CUT_OFF, Fault
from editblocks.formats.json_scan import JsonFault, JsonObject, looks_like_edit, scan_json
from editblocks.formats.tool_calls import (
    EDITOR_COMMANDS,
    EDITORS,
    FAILED_STATUSES,
    FILE_TOOLS,
    ID_KEYS,
    INPUT_KEYS,
    JSON_LISTS,
    NAME_KEYS,
    REPLACE,
    SHELL_KEYS,
    TEXT_KEYS,
    TEXT_KEYS_OF_EDITS,
)

# The keys under which calls are searched for. The values of all other keys are data.
_LIST_KEYS = "tool_calls toolCalls tool_uses calls output messages parts content".split()
_CALL_KEYS = ("functionCall", "function")  # the status and the id next to such a key belong to the call
_OBJECT_KEYS = ("message", "payload", *_CALL_KEYS)
_ALTERNATIVES = ("choices", "candidates")
# Keys of examples, schemas and results.
_EXAMPLE_KEYS = r"(?i)example|schema|properties|results?$|^functionResponse$|^before$"
_RESULT_TYPE = r"(?:[a-z_]+_call_output|(?:[a-z_]+_)?tool[_-]result)\Z"
_FAILURE_KEYS = ("is_error", "isError", "error")  # keys next to a call
_WRAPPER_KEYS = ("message", "payload")  # next to `type`, in a record of a session
_LOCAL_SHELL = "local_shell_call"  # a `type` that is also the name of the tool
_OPERATION = "apply_patch_call"
_SHELLS = ("bash", "shell", "run_in_terminal", "execute_command")
# Names of tools that edit no file.
_TOOLS_WITHOUT_FILES = "^(?:get|list|read|show|view)_|todo|memory|memories|stdin|terminal"
_MOST_ROWS = CEILINGS["max_blocks"] + 1


def read_json(text: str, at: Where) -> CallRows:
    """Read the calls in a text of one or more JSON values."""
    values, fault = scan_json(text, at.first_line)
    calls = _Calls(at, looks_for_unread=looks_like_edit(text))
    for value in values:
        calls.take(value, _Around())
    if fault is not None:
        calls.take_fault(fault)
    return calls.result()


def read_parameters(name: str, values: Mapping[str, str], at: Where, literal: frozenset[str] = frozenset()) -> CallRows:
    """Read a call in tags: the name of its tool, and the texts between its tags without the line breaks around them.

    `literal` are the keys whose texts were written as CDATA, which has no such line breaks.
    """
    calls = _Calls(at, looks_for_unread=True)
    calls.take_parameters(name, values, literal)
    return calls.result()


class _Around(NamedTuple):
    """What a value inherits from the objects around it. Lines are pairs of first and last line number."""

    name: str = ""
    call_id: str = ""
    has_failed: bool = False  # the call, when it was made
    duplicate_key: str = ""
    call_lines: tuple[int, int] | None = None  # of the object that names the tool
    text_lines: tuple[int, int] | None = None  # of the object with the string that contains the value

    @property
    def is_in_text(self) -> bool:
        """Whether the value was parsed from a JSON string, so that its own line numbers are not those of the file."""
        return self.text_lines is not None

    def with_id_and_outcome(self, values: Mapping[str, object]) -> "_Around":
        """Add what is next to a call: its id, and whether it failed."""
        own_id = _first_text(values, ID_KEYS)
        return self._replace(call_id=own_id or self.call_id, has_failed=self.has_failed or _has_failed(values))


class _Calls:
    """Collects the calls of one text."""

    def __init__(self, at: Where, *, looks_for_unread: bool = False) -> None:
        self._at = at
        self._looks_for_unread = looks_for_unread
        self._count = 0  # of objects seen
        self._rows: list[ParsedRow] = []
        self._notes: list[Note] = []
        self._commands: list[str] = []
        self._unread: list[int] = []
        self._recorded: tuple[int, int] | None = None  # lines of the first object that belongs to a session
        self._rows_by_id: dict[str, tuple[ParsedRow, ...]] = {}  # by call id: the rows of each call so far
        self._repeated_calls = 0  # calls that repeat an earlier one with the same id

    def result(self) -> CallRows:
        """Return what was collected. Calls of a recorded session are refused: only `sessions` can tell which failed."""
        if self._recorded is not None and not all(isinstance(row, Problem) for row in self._rows):
            what = f"line {self._recorded[0]} is of a session, which is read only as a whole text: "
            what += "JSON Lines or an array of messages"
            self._rows.clear()
            self._add_problem(self._recorded, Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "give only the session"))
        notes = tuple(dict.fromkeys(self._notes))
        return CallRows(tuple(self._rows), notes, tuple(self._commands), tuple(self._unread), self._rows_by_id)

    def take(self, value: object, around: _Around) -> None:
        """Collect the calls in a value."""
        if isinstance(value, list):
            for each in value:
                self.take(each, around)
        elif isinstance(value, str) and self._looks_for_unread and _holds_edit(value):
            self._unread.append(self._at.first_line)
        elif isinstance(value, JsonObject):
            before = len(self._rows)
            self._take_object(value, around)
            flaw = value.duplicate_key or value.bad_text
            if flaw and value.looks_like_edit and len(self._rows) == before:
                self._add_problem(self._lines_of(value, around), Fault(ReasonCode.MALFORMED, flaw, SEND_AGAIN))

    def _take_object(self, value: JsonObject, around: _Around) -> None:
        values = without_nulls(value.values)
        lines = self._lines_of(value, around)
        is_result = _is_result(values)
        if self._recorded is None and (is_result or is_record(values)):
            self._recorded = lines
        if is_result:
            return
        around = around._replace(duplicate_key=value.duplicate_key or around.duplicate_key)
        name, inner = _name_and_input(values)
        if inner is not None:
            around = around.with_id_and_outcome(values)._replace(name=name, call_lines=lines)
            self._take_input(inner, around, lines)
            return
        call = self._call(values, around.with_id_and_outcome(values), around.call_lines or lines)
        call = call._replace(flaw=call.flaw or value.bad_text, has_nulls=len(values) < len(value.values))
        if not around.is_in_text:
            call = call._replace(first_line=self._at.first_line)
        if not self._take_call(call):
            count_before = self._outcome_count
            outer = around._replace(name="", call_id="", call_lines=None)
            if any(key in values for key in _CALL_KEYS):
                outer = outer.with_id_and_outcome(values)
            self._look_within(values, outer, lines)
            if self._outcome_count == count_before:
                self._note_unread(call, value)

    @property
    def _outcome_count(self) -> int:
        """The number of rows, notes, unread calls and repeated calls so far."""
        return len(self._rows) + len(self._notes) + len(self._unread) + self._repeated_calls

    def _note_unread(self, call: Call, value: object) -> None:
        """Record a call without a row as unread, if it contains an edit or its tool edits files."""
        is_editor = re.search(f"{EDITORS}|{FILE_TOOLS}", call.tool) and not re.search(_TOOLS_WITHOUT_FILES, call.tool)
        says_nothing = not call.values or call.values.get("command") == "view"
        is_schema = any(re.search(_EXAMPLE_KEYS, key) for key in call.values)
        if (is_editor and not says_nothing and not is_schema) or (self._looks_for_unread and _holds_edit(value)):
            self._unread.append(call.line)

    def _look_within(self, values: Mapping[str, object], around: _Around, lines: tuple[int, int]) -> None:
        """Look for calls inside an object that is not itself a call."""
        for key in _LIST_KEYS:
            if isinstance(values.get(key), list):
                self.take(values[key], around)
        content = values.get("content")
        if isinstance(content, JsonObject) and "parts" in content.values:
            self.take(content, around)
        for key in _OBJECT_KEYS:
            if isinstance(values.get(key), JsonObject):
                self.take(values[key], around)
        for key in _ALTERNATIVES:
            self._take_alternatives(key, values.get(key), around, lines)

    def _lines_of(self, value: JsonObject, around: _Around) -> tuple[int, int]:
        first = self._at.first_line
        return around.text_lines or (value.line + first, value.end_line + first)

    def _take_alternatives(self, key: str, value: object, around: _Around, lines: tuple[int, int]) -> None:
        """Take the calls in a list of alternative answers; refuse them if there is more than one answer."""
        before = len(self._rows)
        self.take(value, around)
        if isinstance(value, list) and len(value) > 1 and len(self._rows) > before:
            del self._rows[before:]
            what = f"`{key}` holds {len(value)} answers, and nothing says which one to use"
            self._add_problem(lines, Fault(ReasonCode.MALFORMED, what, "send one of them"))

    def _take_input(self, value: object, around: _Around, lines: tuple[int, int]) -> None:
        """Take the input of a named tool, which may be a string that contains JSON."""
        if not isinstance(value, str):
            self.take(value, around)
            return
        is_json = _may_be_json(value)
        is_json_string = value.lstrip(" \t\r\n").startswith('"')
        if is_json_string or (is_json and around.is_in_text):
            if looks_like_edit(value):
                what = f"the input of the tool call at line {lines[0]} is JSON in a string inside another string"
                self._add_problem(lines, Fault(ReasonCode.MALFORMED, what, SEND_AGAIN))
            return
        if is_json:
            values, fault = scan_json(value, within=" of the input")
            for each in values:
                self.take(each, around._replace(text_lines=lines))
            if fault is not None and fault.looks_like_edit:
                what = f"the input of the tool call at line {lines[0]}"
                self._add_problem(lines, _fault_of_json(fault, what, is_cut=True))
            return
        call = self._call({"input": value}, around, lines)
        if call.tool in _SHELLS:
            call = call._replace(values={"command": value})
        if not self._take_call(call):
            self._note_unread(call, value)

    def _call(self, values: Mapping[str, object], around: _Around, lines: tuple[int, int]) -> Call:
        return Call(values, around.name, *lines, self._at, around.call_id, around.has_failed, flaw=around.duplicate_key)

    def take_parameters(self, name: str, texts: Mapping[str, str], literal: frozenset[str]) -> None:
        at = self._at
        values: dict[str, object] = dict(texts)
        call = Call(values, name, at.first_line, at.end_line, at, is_text=True, literal=literal)
        for key in JSON_LISTS:
            if key not in texts:
                continue
            elements, fault = scan_json(texts[key])
            if fault is not None:
                reason = Fault(ReasonCode.MALFORMED, f"`{key}` is not JSON: {fault.what}", SEND_AGAIN)
                self._rows.append(call.problem(reason))
                return
            if len(elements) == 1:
                values[key] = elements[0]
        if not self._take_call(call):
            self._note_unread(call, list(texts.values()))

    def _take_call(self, call: Call) -> bool:
        """Take the edit or the shell command that a call asks for; return whether it asks for one."""
        if len(self._rows) >= _MOST_ROWS:  # the caller refuses the whole text
            return True
        self._count += 1
        call = call._replace(number=self._count)
        shape = shape_of(call)
        rows: list[ParsedRow] = []
        if shape is not None:
            rows += islice(rows_of(call, shape), _MOST_ROWS - len(self._rows))
        elif (fault := _fault_of_call(call)) is not None:
            rows.append(call.problem(fault))
        if rows:
            self._add(call, rows)
            return True
        command = _command_of(call)
        if command:
            self._commands.append(command)
        return command != ""

    def _add(self, call: Call, rows: list[ParsedRow]) -> None:
        """Add the rows of a call, unless it only shows something, failed, or repeats an earlier call."""
        dry_run = _dry_run(call)
        own_rows = tuple(map(_without_place, rows))
        earlier_rows = self._rows_by_id.get(call.id) or self._at.rows_by_id.get(call.id)
        if all(row.file_path and is_example(row.file_path) for row in rows):
            self._notes.append(Note("call-as-example", f"the call at line {call.line} is only an example", call.line))
        elif isinstance(dry_run, Fault):
            self._rows.append(call.problem(dry_run))
        elif dry_run:
            what = f"the call at line {call.line} for {call.path} asks for a preview only"
            self._notes.append(Note("not-run", what, call.line))
        elif earlier_rows is not None and (call.has_failed or own_rows != earlier_rows):
            self._rows.append(call.malformed(f"two calls have the id `{call.id}`, and they differ"))
        elif earlier_rows is not None:
            self._repeated_calls += 1
        elif call.has_failed and not all(isinstance(row, Problem) for row in rows):
            self._notes.append(Note("not-run", f"the call at line {call.line} failed when it was made", call.line))
        else:
            self._rows += rows
            if call.id:
                self._rows_by_id[call.id] = own_rows

    def take_fault(self, fault: JsonFault) -> None:
        """Add a row for a value that does not parse, if it looks like an edit."""
        if fault.looks_like_edit:
            line = fault.start_line + self._at.first_line
            lines = line, max(line, self._at.end_line)
            reason = _fault_of_json(fault, f"the tool call at line {line}", is_cut=self._at.may_be_cut)
            self._add_problem(lines, reason)

    def _add_problem(self, lines: tuple[int, int], fault: Fault) -> None:
        first, last = lines
        self._rows.append(Problem(0, first, last, *fault, None, REPLACE))


def is_record(values: Mapping[str, object]) -> bool:
    """Whether an object is clearly a record of a session, and not the answer of a model."""
    is_wrapper = any(isinstance(values.get(key), (dict, JsonObject)) for key in _WRAPPER_KEYS)
    return isinstance(values.get("type"), str) and is_wrapper


def _without_place(row: ParsedRow) -> ParsedRow:
    """A row reduced to what two calls must have in common to ask for the same edit."""
    if isinstance(row, Problem):
        return Problem(0, 0, 0, row.code, "", file_path=row.file_path, format=row.format)
    call = row.call or ToolCall()
    return row._replace(line_number=0, end_line=0, section=0, notes=(), call=call._replace(was_run=False))


def _has_failed(values: Mapping[str, object]) -> bool:
    """Whether the keys next to a call say that it failed when it was made."""
    states = (values.get(key) for key in ("status", "state"))
    return (
        any(isinstance(state, str) and state.lower() in FAILED_STATUSES for state in states)
        or any(values.get(key, False) not in (False, "", "false") for key in _FAILURE_KEYS)
        or values.get("success") is False
    )


def _is_result(values: Mapping[str, object]) -> bool:
    kind = values.get("type")
    if kind == "tool":
        return "tool_call_id" in values
    if isinstance(kind, str) and re.match(_RESULT_TYPE, kind):
        return True
    return values.get("role") in ("tool", "toolResult", "function") or "functionResponse" in values


def _name_and_input(values: Mapping[str, object]) -> tuple[str, object]:
    """The name of the tool that an object calls, and its input; None as input unless the object has both."""
    if values.get("type") == _LOCAL_SHELL:
        return _LOCAL_SHELL, values.get("action")
    name = _first_text(values, NAME_KEYS)
    if name is None:
        return "", None
    return name, next((values[key] for key in INPUT_KEYS if key in values), None)


def _first_text(values: Mapping[str, object], keys: Iterable[str]) -> str | None:
    """The text at the first of these keys that has one; None if none has."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, str):
            return value
    return None


def _holds_edit(value: object, key: str = "") -> bool:
    """Whether a value contains, at any depth, a text that only edits have; examples and results are skipped."""
    if re.search(_EXAMPLE_KEYS, key):
        return False
    if isinstance(value, JsonObject):
        return any(_holds_edit(inner, inner_key) for inner_key, inner in value.values.items())
    if isinstance(value, list):
        return any(_holds_edit(each, key) for each in value)
    if not isinstance(value, str):
        return False
    return key in TEXT_KEYS_OF_EDITS or (_may_be_json(value) and looks_like_edit(value))


def _may_be_json(text: str) -> bool:
    return text.lstrip(" \t\r\n")[:1] in ("{", "[")


def _fault_of_json(fault: JsonFault, what: str, *, is_cut: bool) -> Fault:
    if fault.is_too_large:
        return Fault(ReasonCode.TOO_LARGE, f"{what} {fault.what}", SEND_AGAIN)
    if fault.is_cut and is_cut:
        return Fault(ReasonCode.UNCLOSED, f"{what} is cut off: {fault.what}", CUT_OFF)
    return Fault(ReasonCode.MALFORMED, f"{what} is not JSON: {fault.what}", SEND_AGAIN)


def _dry_run(call: Call) -> bool | Fault:
    """Whether a call is a dry run; a fault if its switch has a bad value."""
    for key in DRY_RUNS:
        switch = call.switch(key)
        if switch is not False:
            return switch
    return False


def _fault_of_call(call: Call) -> Fault | None:
    """Why a named call that clearly edits is not supported; None for a call that only reads or runs something."""
    if call.values.get("type") == _OPERATION and isinstance(call.values.get("operation"), JsonObject):
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, f"the operation of `{_OPERATION}` is not supported", ASK_REPLACE)
    if not call.name or not call.path or call.values.get("command") == "view":
        return None
    if any(isinstance(call.values.get(key), (str, list)) for key in TEXT_KEYS):
        return not_read(call.name)
    if re.search(EDITORS, call.tool):
        return Fault(ReasonCode.UNSUPPORTED_FORMAT, "the call has no text", ASK_REPLACE)
    return None


def _command_of(call: Call) -> str:
    """The shell command that a named call runs; "" if it runs none."""
    if not call.name:
        return ""
    value = next((call.values[key] for key in SHELL_KEYS if key in call.values), "")
    if isinstance(value, list):
        value = " ".join(each for each in value if isinstance(each, str))
    if not isinstance(value, str) or value in EDITOR_COMMANDS:
        return ""
    return value
