"""The common part of `rdjson` and `sarif`: JSON with ranges of files and the texts that replace them.

The values come from `json_scan`. Nothing is guessed: input that can be read in two ways is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from editblocks.core.blocks import RangeEdit, TextRange
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import Fault
from editblocks.formats.json_scan import JsonObject, Number

_LARGEST = 10_000_000  # more than the lines or columns of any file that may be edited
_DIGITS = r"[0-9]{1,8}"


class FileFix(NamedTuple):
    """The edits of one fix in one file, or why it cannot be read. Lines are 0-based, in the JSON."""

    line: int
    end_line: int
    path: str
    edits: tuple[RangeEdit, ...] = ()
    fault: Fault | None = None


class BadFix(ValueError):
    """A fix that cannot be read; never raised to callers of the format's reader."""

    def __init__(self, what: str, advice: str = "", code: ReasonCode = ReasonCode.MALFORMED) -> None:
        self.fault = Fault(code, what, advice)


def inner(value: object, *keys: str) -> Mapping[str, object]:
    """The values of the object at this path of keys; empty if there is none. Raises `BadFix` for a flaw."""
    for key in keys:
        if not isinstance(value, JsonObject):
            return {}
        value = checked(value).get(key)
    if not isinstance(value, JsonObject):
        return {}
    return checked(value)


def checked(value: JsonObject) -> Mapping[str, object]:
    """The values of an object. Raises `BadFix` for a duplicate key, or for a text that no file can contain."""
    flaw = value.duplicate_key or value.bad_text
    if flaw:
        raise BadFix(flaw, "ask the tool for valid JSON")
    return value.values


def text_of(value: object) -> str:
    """The value if it is a text, otherwise ""."""
    if isinstance(value, str):
        return value
    return ""


def number_of(values: Mapping[str, object], key: str) -> int:
    """The line or column number at a key; 0 if there is none. Raises `BadFix` if it is not a valid number."""
    value = values.get(key)
    if value is None:
        return 0
    if not isinstance(value, Number) or not re.fullmatch(_DIGITS, value.text) or int(value.text) > _LARGEST:
        raise BadFix(f"`{key}` is not a valid line or column number")
    return int(value.text)


def valid_range(place: TextRange) -> TextRange:
    """Return the range. Raises `BadFix` if it ends before it begins."""
    is_backwards = place.last_line < place.first_line
    if place.last_line == place.first_line and place.last_column:
        is_backwards = place.last_column < place.first_column
    if is_backwards:
        start = f"line {place.first_line}, column {place.first_column}"
        end = f"line {place.last_line}, column {place.last_column}"
        raise BadFix(f"the range ends at {end}, before it begins at {start}")
    return place
