"""Lines for a terminal of some width: long ones are broken between words, and a command stays whole if it can."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textwrap import TextWrapper

INDENT = "     "  # of what a line goes on with
_NARROWEST = 20
# What people copy: text in backticks, and a command after a colon, up to the end of its part of the sentence.
_WHOLE = r"`[^`\n]*`|(?<=: )(?:editblocks|git) [^;\n]*"
_KEPT_BLANK = "\0"  # no text for a terminal holds it
_COLOUR = "\x1b\\[[0-9]*m"


def wrapped(text: str, width: int | None, indent: str = INDENT) -> str:
    """`text` with its long lines broken between words, the rest indented; a word that is too long stays whole.

    `width` None: what is printed to is no terminal, so the text stays as it is.
    """
    if width is None:
        return text
    from textwrap import TextWrapper  # only for a terminal, as a hook is to start fast

    room = max(width, _NARROWEST)
    words = TextWrapper(room, "", indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True)
    return "\n".join(_broken(line, words) for line in text.split("\n"))


def _broken(line: str, words: TextWrapper) -> str:
    """One line; its own indentation stays."""
    if len(re.sub(_COLOUR, "", line)) <= words.width:
        return line
    words.initial_indent = line[: len(line) - len(line.lstrip(" "))]
    room = words.width - len(words.subsequent_indent)

    def as_one_word(found: re.Match[str]) -> str:
        if len(found[0]) > room:
            return found[0]
        return found[0].replace(" ", _KEPT_BLANK)

    return words.fill(re.sub(_WHOLE, as_one_word, line.strip(" "))).replace(_KEPT_BLANK, " ")
