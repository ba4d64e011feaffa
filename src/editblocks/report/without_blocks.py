"""What a response without edit blocks is instead, as far as its text tells."""

from __future__ import annotations

import json
import re

_CONFLICT = re.compile(r"(?m)^<{7}(?: .*)?$")
_FENCE = re.compile(r"(?m)^[ \t]*(?:`{3}|~{3})")
_ASK = "ask for SEARCH/REPLACE blocks"
_JSON = "it is JSON"


def kind_of(text: str) -> str:
    """One clause for a person: what it is, and what to ask for."""
    what = what_it_is(text)
    ask = f"; {_ASK}{' as plain text' if what == _JSON else ''}"
    return f"{what}{ask if text.strip() else ''}"


def what_it_is(text: str) -> str:
    """One clause: nothing, JSON, a conflict of git, code in fences, or prose."""
    stripped = text.strip()
    if not stripped:
        return "there is nothing in it"
    if stripped[0] in "{[":
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            return _JSON
    if "<<<<<<<" in text and ">>>>>>>" in text and _CONFLICT.search(text):
        return "it holds a merge conflict of git"
    if _FENCE.search(text):
        return "it holds code without SEARCH/REPLACE markers"
    return "it is XML or HTML" if stripped[0] == "<" and stripped[-1] == ">" else "it is plain text"
