"""Signs that a block without its closer has swallowed the next one, and would write it into a file.

Models and people lose closers, and misspell openers. Then the next block's lines are content of the
first, and its closer closes the wrong block. A replacement that begins another block without ending
it is therefore no replacement (docs/design.md, 23).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from editblocks.formats.bolt_tag import END
from editblocks.formats.markers import OPENERS, Kind, Token, scan
from editblocks.model import section_lines

_CLOSERS = {
    Kind.OPEN_SR: Kind.END_SR,
    Kind.OPEN_V2: Kind.END_V2,
    Kind.OPEN_NEW: Kind.END_NEW,
    Kind.OPEN_V3: Kind.END_V3,
    Kind.OPEN_FILE: Kind.END_BOLT,
    Kind.EDIT_ACTION: Kind.END_BOLT,
    Kind.OTHER_ACTION: Kind.END_BOLT,
    Kind.CONFLICT_START: Kind.CONFLICT_END,
}
_STARTS = OPENERS | {Kind.CONFLICT_START, Kind.NEAR, Kind.EDIT_ACTION, Kind.OTHER_ACTION}
_SIGNS = ("<<<", "«««", "<bolt")
_DRESSED = re.compile(r"[ \t]*[*_`]+[ \t]*<{5,} ?(?:SEARCH|ORIGINAL|EDIT|NEW_FILE)\b", re.IGNORECASE)


def swallowed_line(old: str, new: str) -> int | None:
    """The index in `new` of the first line that begins another block, is not in `old`, and is never ended.

    Both are section strings.
    """
    if not any(sign in new for sign in _SIGNS):
        return None
    lines = section_lines(new)
    known = Counter(section_lines(old))
    tokens = scan(new, 0)
    dressed = [
        number for number, line in enumerate(lines) if "<<<<<" in line and _DRESSED.match(line) and not known[line]
    ]
    for token, is_ended in zip(tokens, _ended(tokens), strict=True):
        if token.kind in _STARTS and not is_ended:
            if known[lines[token.line]]:
                known[lines[token.line]] -= 1
            else:
                return min([token.line, *dressed])
    return min(dressed, default=None)


def _ended(tokens: Sequence[Token]) -> list[bool]:
    """For each token, whether the closer that belongs to it comes later."""
    later: set[tuple[Kind, str, int]] = set()
    ended = []
    for token in reversed(tokens):
        closer = _CLOSERS.get(token.kind, token.kind)
        ended.append((closer, token.indent, token.length) in later or END in token.word)
        later.add((token.kind, token.indent, token.length))
    return ended[::-1]
