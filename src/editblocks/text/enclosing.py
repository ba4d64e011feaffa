"""Name the function or class around a line: the nearest definition above it that is less indented.

No grammar is asked: indentation and the usual words are enough to tell three equal places apart, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_LINES = 500  # looked at above a place
_LONGEST_LINE = 500
_LONGEST_NAME = 80
_WORDS = (
    "def|class|function|func|fun|fn|sub|proc|procedure|method|struct|enum|union|interface|trait|impl|protocol|module"
    "|namespace|object|record|type|table|resource|message|service"
)
_DEFINITION = rf"(?:^|[\s(])(?:{_WORDS})\s+(?:\([^()]*\)\s*)?([\w$.:'\"-]+)"
_CALLABLE = r"([\w$~]+)\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\([^;]*(?:\{|=>)\s*$"
_STATEMENTS = frozenset("if for while switch catch with return elif else do match using lock synchronized".split())


def enclosing_name(lines: Sequence[str], line: int) -> str:
    """Return the name of the definition around `lines[line]` (0-based), such as `checkout`; empty if there is none."""
    if line >= len(lines):
        return ""
    depth = _depth(lines[line])
    if not depth:  # nothing is around it, so that there is nothing to look for
        return ""
    for text in reversed(lines[max(0, line - _MOST_LINES) : line]):
        if len(text) > _LONGEST_LINE or not text.strip():
            continue
        indent = _depth(text)
        if indent < depth:
            if name := _name(text):
                return name
            depth = indent
    return ""


def _name(text: str) -> str:
    if found := re.search(_DEFINITION, text):
        return found[1].rstrip(":")[:_LONGEST_NAME]
    found = re.search(_CALLABLE, text)
    if found is None or found[1] in _STATEMENTS:
        return ""
    return found[1][:_LONGEST_NAME]


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))
