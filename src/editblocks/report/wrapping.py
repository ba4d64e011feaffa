"""Text in a terminal: how wide it is, its colours, and lines that are wrapped between words."""

import re
import unicodedata
from typing import TYPE_CHECKING

from editblocks.report.escape import visible

if TYPE_CHECKING:
    from textwrap import TextWrapper

BOLD = "1"
RED, GREEN, YELLOW, CYAN = "31", "32", "33", "36"
MARKS = {"-": RED, "+": GREEN, "@": CYAN}  # git's colours, by the first character of a line of a patch
COLOUR = "\x1b\\[[0-9]*m"
INDENT = "     "  # of the lines that continue a wrapped one
_NARROWEST = 20  # columns
# What people copy: text in backticks, and a command after a colon, up to the end of its part of the sentence.
_WHOLE = r"`[^`\n]*`|(?<=: )(?:editblocks|git) [^;\n]*"
_KEPT_BLANK = "\0"  # no text for a terminal holds it


def paint(text: str, code: str | None) -> str:
    """Return the text in a colour, or unchanged if there is no code."""
    if code is None:
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


def painted_patch(data: bytes) -> str:
    """Show a patch to people: header and changed lines in colour, control characters visible, tabs kept."""
    lines = []
    is_head = False
    for line in data.decode("utf-8", "replace").split("\n")[:-1]:
        is_head = line.startswith("diff ") or (is_head and not line.startswith("@"))  # lines of files have a sign
        color = BOLD if is_head else MARKS.get(line[:1])
        lines.append(paint(visible(line, keep="\t"), color) + "\n")
    return "".join(lines)


def width_of(text: str) -> int:
    """Count the columns of a text in a terminal: two for wide East Asian characters, none for combining marks."""
    shown = [char for char in text if not unicodedata.combining(char)]
    return len(shown) + sum(unicodedata.east_asian_width(char) in "WF" for char in shown)


def wrapped(text: str, width: int | None, indent: str = INDENT) -> str:
    """Wrap long lines between words, and indent what follows; a word that is too long stays whole.

    `width` None: the output is not a terminal, so the text is not changed.
    """
    if width is None:
        return text
    from textwrap import TextWrapper  # only for a terminal, because a hook has to start fast

    room = max(width, _NARROWEST)
    words = TextWrapper(room, "", indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True)
    return "\n".join(_broken(line, words) for line in text.split("\n"))


def _broken(line: str, words: "TextWrapper") -> str:
    """Wrap one line, keeping its indentation."""
    if len(re.sub(COLOUR, "", line)) <= words.width:
        return line
    words.initial_indent = line[: len(line) - len(line.lstrip(" "))]
    line = re.sub(_WHOLE, lambda found: found[0].replace(" ", _KEPT_BLANK), line.strip(" "))
    return words.fill(line).replace(_KEPT_BLANK, " ")
