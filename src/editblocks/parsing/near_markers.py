"""Lines that are nearly markers: the closer of a block that is cut off, or the divider that another one lacks.

It does neither: what does is said by `markers` alone. A person or a model who is told of it sees what to mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from editblocks.formats.markers import END, Kind, Token

_SHOWN = 40  # characters of the line
_BEGINS = frozenset(
    {Kind.OPEN_SR, Kind.OPEN_V2, Kind.OPEN_NEW, Kind.OPEN_V3, Kind.CONFLICT_START, Kind.NEAR, Kind.QUOTED}
)
_ENDS = frozenset(
    {Kind.END_SR, Kind.END_V2, Kind.END_NEW, Kind.END_V3, Kind.CONFLICT_END, Kind.NEAR_END, Kind.LIKE_END}
)
_TAGS = frozenset({Kind.OPEN_FILE, Kind.EDIT_ACTION, Kind.OTHER_ACTION})
_TAG_ENDS = frozenset({Kind.END_BOLT, Kind.NEAR_END, Kind.LIKE_END})
_TURNED = re.compile(r"<{5,9} (?:END|REPL|UPDATE)")  # a closer with the signs of an opener
_CUT_OPENER = re.compile(r"[ \t]*(?:<{5,9}|«{3})[ \t]*([A-Z_]*)")
_OPENING_WORDS = ("SEARCH", "ORIGINAL", "EDIT", "NEW_FILE")
_OTHER_OPENERS = ("*** Begin Patch", "------- SEARCH", "<boltAction type=")
_SIGNS = 4  # characters that may stand for themselves: `*** ` and `<bol`
_LIKE_DIVIDER = re.compile(r"(?i)[ \t]*[=═]{3,20}(?:\W{0,3}\Z|\W{0,3}REPL)")


def step(token: Token, *, in_tag: bool) -> int:
    """1 for a line that looks like the beginning of a block, -1 for one that looks like its end, else 0.

    `in_tag`: of an action, whose tags are not counted in any other block, nor their markers in it.
    """
    if in_tag:
        return (token.kind in _TAGS and END not in token.word) - (token.kind in _TAG_ENDS and END in token.word)
    if token.kind is Kind.CONFLICT_START and _TURNED.match(token.word):
        return -1
    return (token.kind in _BEGINS) - (token.kind in _ENDS and END not in token.word)


def is_cut_opener(line: str) -> bool:
    """Whether a line is the beginning of an opener: as the last one of a text, it is where that was cut off."""
    match, text = _CUT_OPENER.fullmatch(line), line.strip(" \t")
    if match is not None:
        return any(word.startswith(match[1]) and word != match[1] for word in _OPENING_WORDS)
    is_named = len(text) > _SIGNS and any(char.isalpha() for char in text)  # `-----` is a rule
    return is_named and any(opener.startswith(text) and opener != text for opener in _OTHER_OPENERS)


def divider(lines: Iterable[str]) -> int | None:
    """The index of the first line that looks like the divider of old and new lines, or None."""
    return next((number for number, line in enumerate(lines) if _LIKE_DIVIDER.match(line)), None)


def say_what_line_is(line: str, shown: int, marker: str) -> str:
    """What `line`, which people call `shown`, is instead of `marker`, and what to do."""
    advice = f"write `{marker}` there, on a line of its own, indented like the opener"
    return f"line {shown} is {_as_it_is(line, marker)}; {advice}"


def _as_it_is(line: str, marker: str) -> str:
    stripped = line.strip(" \t")
    if stripped == marker:
        return "indented otherwise"
    part = stripped if len(stripped) <= _SHOWN else f"{stripped[: _SHOWN - 1]}…"
    return part if "`" in part else f"`{part}`"
