"""Tool calls in JSON and in tags: where they are looked for, which are talk, and the rows of the others.

`read_json` and `read_parameters` are pure. Rules: docs/reference/formats.md, "tool calls".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Note, Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.call_shapes import Call, rows_of, shape_of
from editblocks.formats.grammar import CUT_OFF, Fault
from editblocks.formats.json_scan import JsonFault, JsonObject, scan_json
from editblocks.formats.tool_calls import CallRows, Where

_NAMES = ("name", "tool", "tool_name", "toolName", "recipient_name")
_INPUTS = ("input", "arguments", "args", "params", "parameters", "tool_input", "toolInput")
_WITHIN = (  # where calls are looked for: everything else in an object is data
    "tool_calls toolCalls tool_uses calls output messages parts content message payload choices candidates "
    "functionCall function operation".split()
)


def read_json(text: str, at: Where) -> CallRows:
    """Read the calls of one or several JSON values, one after the other. Raises nothing."""
    scanned = scan_json(text, at.first_line)
    calls = _Calls(at)
    for _, value in scanned.values:
        calls.take(value, _Around())
    if scanned.fault is not None:
        calls.take_fault(scanned.fault)
    return calls.result()


def read_parameters(name: str, values: Mapping[str, str], at: Where) -> CallRows:
    """Read a call in tags: the name of its tool, and the texts between its tags. Raises nothing."""
    calls = _Calls(at)
    calls.take_call(Call(values, name, at.first_line, at.end_line, at, is_text=True))
    return calls.result()


class _Around(NamedTuple):
    """What the objects around a value say of it."""

    name: str = ""
    flaw: str = ""


class _Calls:
    """The calls of one text, as they are found."""

    def __init__(self, at: Where) -> None:
        self._at = at
        self._rows: list[EditBlock | Problem] = []
        self._notes: list[Note] = []
        self._commands: list[str] = []

    def result(self) -> CallRows:
        return CallRows(tuple(self._rows), tuple(self._notes), tuple(self._commands))

    def take(self, value: object, around: _Around) -> None:
        """Look for calls in a value."""
        if isinstance(value, list):
            for each in value:
                self.take(each, around)
            return
        if not isinstance(value, JsonObject):
            return
        flaw = value.flaw or around.flaw
        name = next((value.values[key] for key in _NAMES if isinstance(value.values.get(key), str)), "")
        inner = next((value.values[key] for key in _INPUTS if key in value.values), None)
        if name and inner is not None:
            self.take(inner, _Around(str(name), flaw))
            return
        values = {key: each for key, each in value.values.items() if each is not None}
        first = self._at.first_line
        if self.take_call(Call(values, around.name, value.line + first, value.end_line + first, self._at, flaw=flaw)):
            return
        for key in _WITHIN:
            if key in values:
                self.take(values[key], _Around("", flaw))

    def take_call(self, call: Call) -> bool:
        """Take an object if it is a call."""
        shape = shape_of(call)
        if shape is None:
            return False
        self._rows += rows_of(call, shape)
        return True

    def take_fault(self, fault: JsonFault) -> None:
        """Take the value that does not parse, if it was to edit something."""
        if not fault.shows_edit:
            return
        line = fault.start_line + self._at.first_line
        reason = Fault(ReasonCode.MALFORMED, f"the tool call at line {line} is no JSON: {fault.what}", "")
        if fault.is_cut and self._at.may_be_cut:
            reason = Fault(ReasonCode.UNCLOSED, f"the tool call at line {line} has no end: {fault.what}", CUT_OFF)
        elif fault.is_too_deep:
            reason = Fault(ReasonCode.TOO_LARGE, f"the tool call at line {line} {fault.what}", "")
        self._rows.append(Problem(0, line, max(line, self._at.end_line), *reason))
