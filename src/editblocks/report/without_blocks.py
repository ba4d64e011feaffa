"""What a response without edit blocks is instead, as far as its text tells."""

from __future__ import annotations

import json
import re
from contextlib import suppress

_CONFLICT = re.compile(r"(?m)^<{7}(?: .*)?$")
_FENCE = re.compile(r"(?m)^[ \t]*(?:`{3}|~{3})")


def what_it_is(text: str) -> str:
    """One clause: nothing, JSON, a conflict of git, code in fences, or prose."""
    stripped = text.strip()
    if not stripped:
        return "there is nothing in it"
    if stripped[0] in "{[":
        with suppress(ValueError, RecursionError):
            json.loads(text)
            return "it is JSON"
    if "<<<<<<<" in text and ">>>>>>>" in text and _CONFLICT.search(text):
        return "it holds a merge conflict of git"
    if _FENCE.search(text):
        return "it holds code without SEARCH/REPLACE markers"
    return "it is XML or HTML" if stripped[0] == "<" and stripped[-1] == ">" else "it is plain text"
