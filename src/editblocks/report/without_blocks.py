"""What a response without edit blocks is instead, as far as its text tells."""

from __future__ import annotations

import re
from contextlib import suppress

from editblocks.parsing.session_records import has_records, is_session, records
from editblocks.text.parse_check import json_fault

_CONFLICT = r"(?m)^<{7}(?: (?!SEARCH$).*)?$"
_FENCE = r"(?m)^[ \t]*(?:`{3,}|~{3,})[ \t]*([^\s`]*).*\n?[ \t\n]*([{\[]?)"  # a fence, its word, a bracket below it
_BEGINS_JSON = r"[{\[]\s*[\"'{\[]"
_JSON_WORDS = ("", "json", "jsonc", "jsonl", "json5")


def what_it_is(text: str) -> str:
    """One clause: nothing, a session, JSON, a conflict of git, code in fences, or prose."""
    stripped = text.removeprefix("\ufeff").strip()
    if not stripped:
        return "it is empty"
    if stripped[0] in "{[":
        if is_session(text) and has_records(text):
            return "it is a session without a successful edit"
        with suppress(RecursionError):
            if json_fault(text) is None:
                return "it is JSON"
        if is_session(text) and all(record.value is not None for record in records(text)):
            return "it is JSON Lines"
        if re.match(_BEGINS_JSON, stripped) and stripped[-1] in "}]":
            return "it is JSON that cannot be parsed"
    if "<<<<<<<" in text and ">>>>>>>" in text and re.search(_CONFLICT, text):
        return "it is a git merge conflict"
    fences = re.findall(_FENCE, text)[::2]
    if fences and all(word.lower() in _JSON_WORDS and bracket for word, bracket in fences):
        return "it is JSON in a code fence"
    if fences:
        return "it is code without SEARCH/REPLACE markers"
    if stripped[0] == "<" and stripped[-1] == ">":
        return "it is XML or HTML"
    return "it is plain text"
