"""Colours of a terminal, and lines of its width: long ones are broken between words, and a command stays whole.

Colour codes are only our own: text from outside goes through `visible` first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from editblocks.report.escape import visible

if TYPE_CHECKING:
    from textwrap import TextWrapper

BOLD, RED, GREEN, YELLOW, CYAN = "1", "31", "32", "33", "36"
MARKS = {"-": RED, "+": GREEN, "@": CYAN}  # the first character of a line of a patch: git's own colours
INDENT = "     "  # of what a line goes on with
_NARROWEST = 20
# What people copy: text in backticks, and a command after a colon, up to the end of its part of the sentence.
_WHOLE = r"`[^`\n]*`|(?<=: )(?:editblocks|git) [^;\n]*"
_KEPT_BLANK = "\0"  # no text for a terminal holds it
_COLOUR = "\x1b\\[[0-9]*m"


def paint(text: str, code: str | None) -> str:
    """The text in a colour, or as it is."""
    if code is None:
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


def painted_patch(data: bytes) -> str:
    """A patch for people: its heads and its lines in colour, control characters visible, tabs kept."""
    lines = []
    is_head = False
    for line in data.decode("utf-8", "replace").split("\n")[:-1]:
        is_head = line.startswith("diff ") or (is_head and not line.startswith("@"))  # a line of a file has a mark
        color = BOLD if is_head else MARKS.get(line[:1])
        lines.append(paint(visible(line, keep="\t"), color) + "\n")
    return "".join(lines)


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
    line = re.sub(_WHOLE, lambda found: found[0].replace(" ", _KEPT_BLANK), line.strip(" "))
    return words.fill(line).replace(_KEPT_BLANK, " ")
