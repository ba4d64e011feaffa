"""Recognise what a response without edit blocks is, from its text."""

from __future__ import annotations

import re
from contextlib import suppress

from editblocks.parsing.session_records import has_records, is_session
from editblocks.text.parse_check import json_fault

_CONFLICT = r"(?m)^<{7}(?: (?!SEARCH$).*)?$"
_FENCE = r"(?m)^[ \t]*(?:`{3,}|~{3,})"


def what_it_is(text: str) -> str:
    """Return a clause that names it: empty, a session, JSON, a git conflict, code in fences, or prose."""
    stripped = text.removeprefix("\ufeff").strip()
    if not stripped:
        return "it is empty"
    if stripped[0] in "{[":
        if is_session(text) and has_records(text):
            return "it is a session without a successful edit"
        with suppress(RecursionError):
            if json_fault(text) is None:
                return "it is JSON"
    if "<<<<<<<" in text and ">>>>>>>" in text and re.search(_CONFLICT, text):
        return "it is a git merge conflict"
    if re.search(_FENCE, text):
        return "it is code without SEARCH/REPLACE markers"
    return "it is plain text"
