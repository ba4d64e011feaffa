"""What a response without edit blocks is instead, as far as its text tells."""

from __future__ import annotations

import json
import re

_CONFLICT = re.compile(r"(?m)^<{7}(?: .*)?$")
_FENCE = re.compile(r"(?m)^[ \t]*(?:`{3}|~{3})")
_ASK = "ask for SEARCH/REPLACE blocks"


def kind_of(text: str) -> str:
    """One clause for a person: what it is, and what to ask for."""
    if not text.strip():
        return what_it_is(text)
    return f"{what_it_is(text)}; {_ASK}{' as plain text' if _is_json(text) else ''}"


def what_it_is(text: str) -> str:
    """One clause: nothing, JSON, a conflict of git, code in fences, or prose."""
    if not text.strip():
        return "there is nothing in it"
    if _is_json(text):
        return "it is JSON"
    if "<<<<<<<" in text and ">>>>>>>" in text and _CONFLICT.search(text):
        return "it holds a merge conflict of git"
    if _FENCE.search(text):
        return "it holds code without SEARCH/REPLACE markers"
    stripped = text.strip()
    return "it is XML or HTML" if stripped[0] == "<" and stripped[-1] == ">" else "it is plain text"


def _is_json(text: str) -> bool:
    if text.lstrip()[0] not in "{[":
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
