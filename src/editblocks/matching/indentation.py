"""`indentation`: SEARCH is in the file after one uniform shift, the same white space before every line.

White space is compared as characters: a tab is not four spaces. Blank lines match any blank line and do not define the
shift. The loose levels also convert a block to the file's unit of indentation, if every line of SEARCH is indented by
as many units as its line in the file. White space that is left over is alignment, and stays. REPLACE is converted in
the same way, without guessing: it may only have alignments that SEARCH has, and from one line to the next it may only
go as much deeper as SEARCH does, or one unit.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from posixpath import commonprefix

from editblocks.core.blocks import Note
from editblocks.core.phrases import plural
from editblocks.formats.markers import indent_of
from editblocks.matching.align import kept_lines
from editblocks.matching.narrowing import Match
from editblocks.text.source_text import MOST_STARTS, SourceText, find_in, stripped

_LEVELS = ("\t", "  ", "    ")  # levels of indentation that a single line of SEARCH may have lost


def find(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place with its shift, from the top; places with different shifts are different places.

    A place is yielded only if every line of `replace` can be shifted alike and `replace` is indented like `search`.
    """
    bare = list(map(stripped, search))
    first = next((index for index, line in enumerate(bare) if line), None)
    if first is None:
        return
    places = list(source.places(bare, stripped))
    if not places or not is_written_alike(search, replace):
        return
    # Perhaps only the single line of `search` lost its indentation, as the first line of the text: then the new lines
    # below it are indented as in the file. Unless they include the searched line, which is then indented like them.
    old = filled_lines(search)
    new = filled_lines(replace)
    is_first_alone = len(old) == 1 and len(new) > 1 and not any(index > 0 for index, _, _ in _kept_lines(old, new))
    # If the line still has some indentation, it has lost a level, and new lines at its column have also lost it.
    begins_alike = len(old) == 1 and indent_of(old[0]) != "" and indent_of(old[0]) in map(indent_of, new[1:])
    can_shift: dict[str, bool] = {}  # by outdent: whether all of `replace` can be shifted so
    for start in _uniform_places(search, places, first, source):
        indent, outdent = shift_between(search[first], source.lines[start + first])
        if not indent and not outdent:
            continue
        if indent and is_first_alone and not (begins_alike and indent in _LEVELS):
            continue
        if outdent not in can_shift:
            can_shift[outdent] = shift_lines(replace, "", outdent) is not None
        if can_shift[outdent]:
            yield Match(start, start + len(search), indent, outdent)


def is_written_alike(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether a shift that is right for `search` is right for `replace`: models may lose the indentation of only one.

    Both must have the same least indentation, and the first and the last kept line must be indented as before; if
    no line is kept, both must begin at the same column (docs/internals/design.md, "indentation").
    """
    old = filled_lines(search)
    new = filled_lines(replace)
    if not old or not new:
        return True
    if min(map(indent_of, old), key=len) != min(map(indent_of, new), key=len):
        return False
    pairs = [(one, other) for _, one, other in _kept_lines(old, new)] or [(old[0], new[0])]
    return all(indent_of(one) == indent_of(other) for one, other in (pairs[0], pairs[-1]))


def filled_lines(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip(" \t")]


def _kept_lines(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return the kept lines with a letter or digit, however they are indented: index in `new`, old line, new line."""
    kept = kept_lines([line.strip(" \t") for line in old], [line.strip(" \t") for line in new])
    pairs = ((new_index, old[index], new[new_index]) for new_index, index in sorted(kept.items()))
    return [(new_index, one, other) for new_index, one, other in pairs if any(map(str.isalnum, one))]


def _uniform_places(search: Sequence[str], places: Sequence[int], first: int, source: SourceText) -> Iterator[int]:
    """Yield those of `places` where each line is indented relative to the one before as in `search`.

    Line `first` is not blank. A few places are compared one by one, which saves the steps of all other lines (17
    ms in a file of 20,000 lines). Many are found by one search over the steps: one by one would take quadratic time.
    """
    steps = _steps(search[first:])
    if len(places) <= MOST_STARTS:
        yield from (at for at in places if _steps(source.lines[at + first : at + len(search)]) == steps)
        return
    starts = set(places)
    # Two lines for each line: its step, and its text. They stay the same if lines are shifted as a whole.
    for line in find_in(steps, ["", *_steps(source.lines)]):
        start, is_text = divmod(line, 2)
        if is_text and start - first in starts:
            yield start - first


def _steps(lines: Sequence[str]) -> list[str]:
    """For each line its step and its text, without the first step.

    A step is what to take off the indentation of the last line with text and what to add to it, as `old|new`.
    """
    steps = []
    before = ""
    for line in lines:
        text = stripped(line)
        if not text:
            steps += ["", ""]
            continue
        indent = indent_of(line)
        common = len(before)
        if not indent.startswith(before):
            common = len(commonprefix([before, indent]))
        steps += [f"{before[common:]}|{indent[common:]}", text]
        before = indent
    return steps[1:]


def shift_of(indent: str, outdent: str) -> tuple[int, str]:
    """Return the shift of old and new lines in characters, negative to the left, and their kind."""
    return len(indent) - len(outdent), _kind(indent or outdent)


def shift_note(indent: str, outdent: str) -> Note:
    white = indent or outdent
    side = "right" if indent else "left"
    return Note("indentation-shifted", f"old and new lines were shifted {side} by {plural(len(white), _kind(white))}")


def shift_between(line: str, target: str) -> tuple[str, str]:
    """Return what to put before `line`, and what to take off its start, so that it is indented like `target`."""
    old = indent_of(line)
    new = indent_of(target)
    if new.endswith(old):
        return new[: len(new) - len(old)], ""
    if old.endswith(new):
        return "", old[: len(old) - len(new)]
    return "", ""


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


_WIDEST = 8  # the most spaces of a unit
_UNITS = ("\t", *(" " * width for width in range(1, _WIDEST + 1)))


def own_unit(lines: Sequence[str]) -> str:
    """Return the white space by which lines are most often indented deeper than the line above; "" if none is."""
    indents = [indent_of(line) for line in lines if line.strip(" \t") and not line.lstrip(" \t").startswith("*")]
    steps = Counter(new[len(old) :] for old, new in pairwise(indents) if new != old and new.startswith(old))
    return next((step for step, _ in steps.most_common(1) if step in _UNITS), "")


def possible_units(pairs: Sequence[tuple[str, str]], replace: Sequence[str], own: str) -> Iterator[str]:
    """Yield each unit the block may be written in, if `own` is the file's; `pairs` are lines of SEARCH and the file."""
    if not own:
        return
    for unit in _UNITS:
        old = [_count_units(line, unit) for line, _ in pairs]
        new = [_count_units(line, unit) for line in filled_lines(replace)]
        fits = [own * levels + rest for levels, rest in old] == [indent_of(line) for _, line in pairs]
        aligns = {rest for _, rest in new} <= {"", *(rest for _, rest in old)}
        if fits and aligns and _deepest(new) <= max(1, _deepest(old)):
            yield unit


def in_unit(lines: Sequence[str], unit: str, own: str) -> list[str]:
    """Convert lines from `unit` to the unit `own`; blank lines become empty."""
    converted = []
    for line in lines:
        levels, rest = _count_units(line, unit)
        text = line.lstrip(" \t")
        if text:
            text = own * levels + rest + text
        converted.append(text)
    return converted


def is_like_the_file(pairs: Sequence[tuple[str, str]], new: Sequence[str], own: str) -> bool:
    """Whether new lines are indented as in the file, as far as `pairs` (lines of SEARCH and of the file) show."""
    known = {indent_of(line) for line, _ in pairs}
    moved = {indent_of(line) for line, file_line in pairs if indent_of(line) != indent_of(file_line)}
    if moved:
        return known - moved >= {indent_of(line) for line in new if line.strip(" \t")}
    return all(in_unit(new, unit, own) == in_unit(new, own, own) for unit in possible_units(pairs, new, own))


def conversion_note(unit: str, own: str) -> Note:
    file_units = plural(len(own), _kind(own))
    block_units = plural(len(unit), _kind(unit))
    return Note("indentation-converted", f"indented like the file: {file_units} instead of {block_units}")


def _kind(white: str) -> str:
    return {"\t": "tab", " ": "space"}.get("".join(set(white)), "character")


def _count_units(line: str, unit: str) -> tuple[int, str]:
    """Return by how many units a line is indented, and the white space that is left over."""
    white = indent_of(line)
    levels = (len(white) - len(white.lstrip(unit[0]))) // len(unit)
    return levels, white[levels * len(unit) :]


def _deepest(lines: Sequence[tuple[int, str]]) -> int:
    """Return by how many units at most a line is indented deeper than the line above."""
    return max((below - above for (above, _), (below, _) in pairwise(lines)), default=0)
