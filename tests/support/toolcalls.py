"""Read tool calls in tests, and describe their rows in one line each."""

import json
from collections.abc import Mapping

from editblocks import EditBlock, Problem, parse_response
from editblocks.core.blocks import ParseResult
from editblocks.formats.call_reader import read_json, read_parameters
from editblocks.formats.calls import CallRows, Where

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
BLOCK = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"


def read_alone(text: str, first_line: int) -> ParseResult:
    """Parse a string inside a call as a response."""
    return parse_response(text, first_line=first_line)


AT = Where(1, 1, read_alone)


def read(value: object, at: Where = AT) -> CallRows:
    """The rows of a call. `value` is its text, or a value to be encoded as one line of JSON."""
    text = json.dumps(value)
    if isinstance(value, str):
        text = value
    return read_json(text, at)


def read_tags(name: str, values: Mapping[str, str]) -> CallRows:
    """The rows of a call that is written in tags."""
    return read_parameters(name, values, AT)


def shown(found: CallRows) -> list[str]:
    """A line for each row, note and command."""
    rows = [_row(row) for row in found.rows]
    notes = [f"note: {note.code} {note.line_number}" for note in found.notes]
    return rows + notes + [f"command: {each}" for each in found.commands]


def _row(row: EditBlock | Problem) -> str:
    if isinstance(row, Problem):
        return f"{row.line_number} {row.file_path or '-'}: {row.code.value}: {row.message}"
    parts = [f"{row.line_number} {row.file_path}: {row.format}"]
    if row.action and row.action != "edit":
        parts.append(row.action)
    if row.new_path:
        parts.append(f"to {row.new_path}")
    call = row.call
    if call is None:
        return " ".join(parts)
    if call.line is not None:
        parts.append(f"at {call.line}")
    if row.format == "tool-replace":
        parts.append(f"{call.old!r} -> {call.new!r}")
    elif row.format in ("tool-write", "tool-insert"):
        parts.append(repr(call.new))
    elif row.format != "tool-file":
        parts.append(f"{row.old_lines!r} -> {row.new_lines!r}")
    if call.is_every:
        parts.append("every")
    if call.place_count is not None:
        parts.append(f"{call.place_count} times")
    if call.folder:
        parts.append(f"in {call.folder}")
    parts += [note.code for note in row.notes if note.code != "patch-in-string"]
    return " ".join(parts)
