"""`indentation`: SEARCH is in the file after one uniform shift, the same white space before every line.

White space is compared as characters: a tab is not four spaces, and swapping one for the other is
not a shift, for that would need a guess about width. Lines of white space only match each other and
do not define the shift.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.core.model import Match, Note
from editblocks.core.phrases import plural
from editblocks.matching.align import kept_lines
from editblocks.text.line_index import MOST_STARTS, find_lines
from editblocks.text.source_text import Form, SourceText, indentation_steps

NAME = "indentation"
CONFIDENCE = "medium"


def find(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place with its shift, from the top; places with different shifts are different places.

    A shift is no place unless every line of `replace` can follow it, and is written like those of `search`.
    """
    stripped = [line.strip(" \t") for line in search]
    first = next((index for index, line in enumerate(stripped) if line), None)
    if first is None or not is_written_alike(search, replace):
        return
    is_first_alone, follows = _may_have_lost_at_start(search, replace), dict[str, bool]()
    for start in _uniform_places(search, stripped, first, source):
        indent, outdent = shift_between(search[first], source.lines[start + first])
        if outdent not in follows:
            follows[outdent] = shift_lines(replace, "", outdent) is not None
        if (indent or outdent) and follows[outdent] and not (indent and is_first_alone):
            yield Match(start, start + len(search), indent, outdent)


def is_written_alike(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether a shift that is right for `search` is right for `replace`: models lose the indentation of one alone, too.

    Both must be least indented alike, and the first and the last line that stays must be indented as before; if
    none stays, both begin at the same column (docs/internals/design.md, "indentation").
    """
    old, new = _filled_lines(search), _filled_lines(replace)
    if not old or not new:
        return True
    pairs = [pair for _, *pair in _kept_lines(old, new)] or [[old[0], new[0]]]
    least = [min(map(indent_of, lines), key=len) for lines in (old, new)]
    return least[0] == least[1] and all(indent_of(one) == indent_of(other) for one, other in (pairs[0], pairs[-1]))


def _may_have_lost_at_start(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether the single line of `search` may have lost its indentation at the start of the text, and no other line.

    Then the new lines below are where the file has them, and must not be shifted. They are not there if the
    searched line is among them, as it has no other indentation than theirs.
    """
    old, new = _filled_lines(search), _filled_lines(replace)
    return len(old) == 1 and len(new) > 1 and not any(place for place, _, _ in _kept_lines(old, new))


def _filled_lines(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip(" \t")]


def _kept_lines(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, str, str]]:
    """The lines with a letter or digit that stay, however they are indented: which of `new`, before and after."""
    kept = kept_lines([line.strip(" \t") for line in old], [line.strip(" \t") for line in new])
    pairs = ((place, old[index], new[place]) for place, index in sorted(kept.items()))
    return [pair for pair in pairs if any(map(str.isalnum, pair[1]))]


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


def shift_of(indent: str, outdent: str) -> tuple[int, str] | None:
    """How far both halves were shifted: characters to the right, to the left below 0, and what they are called."""
    white = indent or outdent
    if not white:
        return None
    kind = "tab" if set(white) == {"\t"} else "space" if set(white) == {" "} else "character"
    return len(indent) - len(outdent), kind


def shift_note(indent: str, outdent: str) -> Note:
    """Say how far both halves were shifted."""
    count, kind = shift_of(indent, outdent) or (0, "character")
    side = "right" if indent else "left"
    return Note("indentation-shifted", f"shifted {side} by {plural(abs(count), kind)}, REPLACE alike")


def shift_between(line: str, target: str) -> tuple[str, str]:
    """What to put before `line`, or to take off it, so that it is indented like `target`."""
    old, new = indent_of(line), indent_of(target)
    if new.endswith(old):
        return new[: len(new) - len(old)], ""
    if old.endswith(new):
        return "", old[: len(old) - len(new)]
    return "", ""


def indent_of(line: str) -> str:
    """The spaces and tabs that a line begins with."""
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
