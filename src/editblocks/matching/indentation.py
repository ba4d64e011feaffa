"""SEARCH stands in the file after one uniform shift: the same white space put before every line, or taken off.

White space is compared as characters: a tab is not four spaces, and swapping one for the other is
not a shift, for that would need a guess about width. Lines of white space only match each other and
do not define the shift.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.matching.exact import find_lines
from editblocks.model import Match
from editblocks.text import SourceText

NAME = "indentation"
CONFIDENCE = "medium"


def find(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place with its shift, from the top; places with different shifts are different places.

    A shift to the left is no place unless every line of `replace` can follow it.
    """
    stripped = [line.strip(" \t") for line in search]
    first = next((index for index, line in enumerate(stripped) if line), None)
    if first is None:
        return
    matches = []
    shifts = {_shift(search[first], source.lines[start + first]) for start in find_lines(stripped, source.stripped)}
    for indent, outdent in shifts - {("", ""), None}:
        shifted = shift_lines(search, indent, outdent)
        if shifted is None or shift_lines(replace, indent, outdent) is None:
            continue
        bare = [line.rstrip(" \t") for line in shifted]
        for start in find_lines(bare, source.right_stripped):
            matches.append(Match(start, start + len(search), indent, outdent))
    yield from sorted(matches, key=lambda match: match.start)


def _shift(line: str, target: str) -> tuple[str, str]:
    """What to put before `line`, or to take off it, so that it is indented like `target`."""
    old, new = _indent(line), _indent(target)
    if new.endswith(old):
        return new[: len(new) - len(old)], ""
    if old.endswith(new):
        return "", old[: len(old) - len(new)]
    return "", ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def shift_lines(lines: Sequence[str], indent: str, outdent: str) -> list[str] | None:
    """Shift every line; blank ones become empty. None if a line does not begin with `outdent`."""
    shifted = []
    for line in lines:
        if not line.strip(" \t"):
            shifted.append("")
        elif line.startswith(outdent):
            shifted.append(indent + line[len(outdent) :])
        else:
            return None
    return shifted
