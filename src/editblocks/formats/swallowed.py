"""Signs that a block without its closer has swallowed the next one, and would write it into a file.

Models and people lose closers, and misspell openers. Then the next block's lines are content of the
first, and its closer closes the wrong block. A replacement that begins another block without ending
it is therefore no replacement (docs/design.md, 23).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from editblocks.formats.markers import OPENERS, Kind, Token, scan

_CLOSERS = {
    Kind.OPEN_SR: Kind.END_SR,
    Kind.OPEN_V2: Kind.END_V2,
    Kind.OPEN_NEW: Kind.END_NEW,
    Kind.OPEN_V3: Kind.END_V3,
    Kind.OPEN_FILE: Kind.END_BOLT,
    Kind.CONFLICT_START: Kind.CONFLICT_END,
}
_STARTS = OPENERS | {Kind.CONFLICT_START, Kind.NEAR}
_SIGNS = ("<<<", "«««", "<bolt")
_DRESSED = re.compile(r"[ \t]*[*_`]+[ \t]*<{5,} ?(?:SEARCH|ORIGINAL|EDIT|NEW_FILE)\b", re.IGNORECASE)


def swallowed_line(old: Sequence[str], new: Sequence[str]) -> int | None:
    """The index in `new` of the first line that begins another block, is not in `old`, and is never ended."""
    text = "".join(line + "\n" for line in new)
    if not any(sign in text for sign in _SIGNS):
        return None
    known = Counter(old)
    tokens = scan(text, 0)
    dressed = [
        number for number, line in enumerate(new) if "<<<<<" in line and _DRESSED.match(line) and not known[line]
    ]
    for position, token in enumerate(tokens):
        if token.kind in _STARTS and not _is_ended(token, tokens[position + 1 :]):
            if known[new[token.line]]:
                known[new[token.line]] -= 1
            else:
                return min([token.line, *dressed])
    return min(dressed, default=None)


def _is_ended(start: Token, rest: Sequence[Token]) -> bool:
    closer = _CLOSERS.get(start.kind)
    return any((t.kind, t.indent, t.length) == (closer, start.indent, start.length) for t in rest)
