"""Find signs that a marker line is missing, so that one block holds the text of another.

Models and people lose closers and misspell openers. Then the next block's lines become content of the
first, and its closer closes the wrong block. So a block is refused if its new text begins a block without ending it,
or ends one that it does not begin (docs/internals/design.md, "lost closers").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.model import section_lines
from editblocks.formats.bolt_tag import END
from editblocks.formats.grammar import SEND_BOTH, Fault
from editblocks.formats.markers import OPENERS, Kind, Token, scan

_CLOSERS = {
    Kind.OPEN_SR: Kind.END_SR,
    Kind.OPEN_V2: Kind.END_V2,
    Kind.OPEN_NEW: Kind.END_NEW,
    Kind.OPEN_V3: Kind.END_V3,
    Kind.OPEN_FILE: Kind.END_BOLT,
    Kind.EDIT_ACTION: Kind.END_BOLT,
    Kind.OTHER_ACTION: Kind.END_BOLT,
    Kind.BAD_ACTION: Kind.END_BOLT,
    Kind.CONFLICT_START: Kind.CONFLICT_END,
    Kind.QUOTED: Kind.LIKE_END,
}
_STARTS = frozenset(_CLOSERS) | OPENERS | {Kind.NEAR, Kind.QUOTED, Kind.OPEN_OTHER, Kind.OPEN_PATCH, Kind.PREFIXED}
_ENDS = frozenset({Kind.END_SR, Kind.END_NEW, Kind.END_V3, Kind.END_BOLT, Kind.CONFLICT_END, Kind.NEAR_END})
_SIGNS = ("<<<", ">>>>", "««", "»»", "═══", "boltA", "*** Begin Patch", "🟧🟧🟧", "- SEARCH")
_DRESSED = re.compile(r"[ \t]*[*_`]+[ \t]*<{5,} ?(?:SEARCH|ORIGINAL|EDIT|NEW_FILE)\b", re.IGNORECASE)
_DRESSED_END = re.compile(r"(?:> |[*_`]{1,3})(?:>{5,9} (?:REPLACE|UPDATED|NEW_FILE)|»»» EDIT END)[*_`]{0,3}\Z")
_SPOKEN = re.compile(r"(?:[-*+>|]+|[0-9]+[.)]|[A-Za-z]{1,20}:)\Z")  # what stands before a line that is passed on
_ENDS_ELSEWHERE = re.compile(
    r"(?m)^[ \t]*(?:(?:>[> \t]*)(?:>{5,9}(?: REPLACE| UPDATED| NEW_FILE)?|»{3} EDIT END)"
    r"|\*{3} End Patch|🟩{3} END|\+{5,9} REPLACE)[ \t]*$"
)


def swallowed_block(old: str, new: str, first_line: int) -> Fault | None:
    """Return why new text that begins or ends another block is refused; None if it does neither.

    `old` and `new` are section strings. `first_line` is the response line at which `new` begins. A line that is in
    `old` as well was in the file before and does not count.
    """
    if not any(sign in new for sign in _SIGNS):
        return None
    lines = section_lines(new)
    known = Counter(section_lines(old))
    tokens = [token for token in scan(new, 0) if token.kind is not Kind.PREFIXED or _SPOKEN.match(token.word)]
    begun = _new_lines(_openers_without_closer(tokens, _ENDS_ELSEWHERE.search(new) is not None), lines, known)
    dressed = (n for n, line in enumerate(lines) if "<<<<<" in line and _DRESSED.match(line) and not known[line])
    if (line := min((*begun, *dressed), default=None)) is not None:
        message = f"line {first_line + line} looks like the beginning of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so this one was probably cut off", SEND_BOTH)
    if (line := min(_new_lines(_unbegun(tokens), lines, known), default=None)) is not None:
        message = f"line {first_line + line} looks like the end of another block"
        return Fault(ReasonCode.MALFORMED, f"{message}, so a piece is missing before it", SEND_BOTH)
    return None


def _new_lines(tokens: Iterator[Token], lines: Sequence[str], known: Counter[str]) -> list[int]:
    """Return the lines of `tokens` that occur more often than in the old text (`known`)."""
    left = Counter(known)
    unknown = []
    for token in tokens:
        left[lines[token.line]] -= 1
        if left[lines[token.line]] < 0:
            unknown.append(token.line)
    return unknown


def _openers_without_closer(tokens: Sequence[Token], ends_elsewhere: bool) -> Iterator[Token]:
    """Yield the openers whose closer does not follow."""
    later: set[tuple[Kind, str, int]] = set()
    unended = []
    for token in reversed(tokens):
        if token.kind in (Kind.QUOTED, Kind.OPEN_OTHER, Kind.OPEN_PATCH):
            is_ended = ends_elsewhere
        else:
            is_ended = (_CLOSERS.get(token.kind), token.indent, token.length) in later or END in token.word
        if token.kind in _STARTS and not is_ended:
            unended.append(token)
        later.add((token.kind, token.indent, token.length))
    return reversed(unended)


def _unbegun(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the closers and separators of a block that does not begin before them."""
    earlier: set[tuple[Kind | None, str, int]] = set()
    for token in tokens:
        kind = Kind.END_V3 if token.kind is Kind.MID_V3 else token.kind
        is_end = kind in _ENDS or (kind is Kind.LIKE_END and _DRESSED_END.match(token.word))
        if is_end and (kind, token.indent, token.length) not in earlier:
            yield token
        earlier.add((_CLOSERS.get(token.kind), token.indent, token.length))
