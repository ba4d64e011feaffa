"""SEARCH stands in the file after one uniform shift: the same white space put before every line, or taken off.

White space is compared as characters: a tab is not four spaces, and swapping one for the other is
not a shift, for that would need a guess about width. Lines of white space only match each other and
do not define the shift.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.line_index import MOST_STARTS, find_lines
from editblocks.model import Match
from editblocks.text import Form, SourceText, indentation_steps

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
    can_follow: dict[str, bool] = {}
    for start in _uniform_places(search, stripped, first, source):
        indent, outdent = _shift(search[first], source.lines[start + first])
        if outdent not in can_follow:
            can_follow[outdent] = shift_lines(replace, "", outdent) is not None
        if (indent or outdent) and can_follow[outdent]:
            yield Match(start, start + len(search), indent, outdent)


def _uniform_places(search: Sequence[str], stripped: Sequence[str], first: int, source: SourceText) -> Iterator[int]:
    """Where the lines stand, each indented against the one before as in `search`. `first` is the first with text.

    Of many places, one search finds all shifts; one for each would be quadratic in a file that steps ever deeper.
    """
    steps = _steps(search[first:])
    places = list(source.places(stripped, Form.STRIPPED))
    if len(places) <= MOST_STARTS:
        yield from (at for at in places if _steps(source.lines[at + first : at + len(search)]) == steps)
        return
    starts = set(places)
    for line in find_lines(steps, source.steps()):
        start, is_text = divmod(line, 2)
        if is_text and start - first in starts:
            yield start - first


def _steps(lines: Sequence[str]) -> list[str]:
    """The steps and texts of lines; how far the first of them is itself indented does not count."""
    return [part for step in indentation_steps(lines) for part in step][1:]


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
