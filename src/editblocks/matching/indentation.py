"""SEARCH stands in the file after one uniform shift: the same white space put before every line, or taken off.

White space is compared as characters: a tab is not four spaces, and swapping one for the other is
not a shift, for that would need a guess about width. Lines of white space only match each other and
do not define the shift.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.line_index import MOST_STARTS, find_lines
from editblocks.matching.align import kept_lines
from editblocks.model import Match
from editblocks.text import Form, SourceText, indentation_steps

NAME = "indentation"
CONFIDENCE = "medium"


def find(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place with its shift, from the top; places with different shifts are different places.

    A shift is no place unless every line of `replace` can follow it, and is written like those of `search`.
    """
    stripped = [line.strip(" \t") for line in search]
    first = next((index for index, line in enumerate(stripped) if line), None)
    if first is None:
        return
    follows: dict[tuple[str, str], bool] = {}
    for start in _uniform_places(search, stripped, first, source):
        shift = indent, outdent = _shift(search[first], source.lines[start + first])
        if shift not in follows:
            follows[shift] = shift_lines(replace, "", outdent) is not None and _is_written_alike(
                search, replace, indent
            )
        if (indent or outdent) and follows[shift]:
            yield Match(start, start + len(search), indent, outdent)


def _is_written_alike(search: Sequence[str], replace: Sequence[str], indent: str) -> bool:
    """Whether what is right for `search` is right for `replace`: models lose the indentation of one, not of both.

    A line that stays is indented alike in both, or both begin, and are least indented, at the same columns. And
    what follows a single line, whose own indentation may have got lost at the start of the text, must not have
    that of the file already (docs/design.md, 51).
    """
    old, new = [line for line in search if line.strip(" \t")], [line for line in replace if line.strip(" \t")]
    stays = _is_a_line_kept(old, new)
    if new and not stays and _columns(old) != _columns(new):
        return False
    is_flat = len(set(map(_indent, old))) == 1 and not (stays and len(old) > 1)
    there = indent + _indent(old[0])
    return not (indent and is_flat and new[1:] and all(line.startswith(there) for line in new[1:]))


def _is_a_line_kept(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a line with a letter or digit stays, its indentation too."""
    kept = kept_lines([line.strip(" \t") for line in old], [line.strip(" \t") for line in new])
    pairs = ((old[index], new[place]) for place, index in kept.items())
    return any(_indent(one) == _indent(other) and any(map(str.isalnum, one)) for one, other in pairs)


def _columns(lines: Sequence[str]) -> tuple[str, str]:
    return _indent(lines[0]), min(map(_indent, lines), key=len)


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
