"""Convert a block to the file's unit of indentation: from four spaces to a tab, or from two spaces to four.

A unit counts as SEARCH's if every line of SEARCH is indented by as many of these units as its line in the file is by
the file's units. White space after the units is alignment and stays. REPLACE is converted in the same way, without
guessing: its lines may only have alignments that SEARCH has, and from one line to the next may only go as much deeper
as SEARCH does, or by one unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editblocks.core.model import Note
from editblocks.matching.indentation import indent_of

_WIDEST = 8  # the most spaces of a unit
_UNITS = ("\t", *(" " * width for width in range(1, _WIDEST + 1)))


def own_unit(lines: Sequence[str]) -> str:
    """Return the white space by which lines are most often indented deeper than the line above; "" if none is."""
    indents = [indent_of(line) for line in lines if line.strip(" \t") and not line.lstrip(" \t").startswith("*")]
    steps = Counter(new[len(old) :] for old, new in pairwise(indents) if new != old and new.startswith(old))
    return next((step for step, _ in steps.most_common(1) if step in _UNITS), "")


def possible_units(pairs: Sequence[tuple[str, str]], replace: Sequence[str], own: str) -> Iterator[str]:
    """Yield each unit in which the block may be written, if `own` is the file's.

    `pairs` are lines of SEARCH, each with its matching line of the file.
    """
    filled = [line for line in replace if line.strip(" \t")]
    for unit in _UNITS if own else ():
        old, new = ([_count_units(line, unit) for line in lines] for lines in ([line for line, _ in pairs], filled))
        fits = [own * levels + rest for levels, rest in old] == [indent_of(there) for _, there in pairs]
        aligns = {rest for _, rest in new} <= {"", *(rest for _, rest in old)}
        if fits and aligns and _deepest(new) <= max(1, _deepest(old)):
            yield unit


def in_unit(lines: Sequence[str], unit: str, own: str) -> list[str]:
    """Convert lines from `unit` to the unit `own`; blank lines become empty."""
    counted = ((line.strip(" \t") and line.lstrip(" \t"), *_count_units(line, unit)) for line in lines)
    return [text and own * levels + rest + text for text, levels, rest in counted]


def is_like_the_file(pairs: Sequence[tuple[str, str]], new: Sequence[str], own: str) -> bool:
    """Whether new lines are indented as in the file, as far as `pairs` (lines of SEARCH and of the file) show."""
    known = {indent_of(line) for line, _ in pairs}
    moved = {indent_of(line) for line, there in pairs if indent_of(line) != indent_of(there)}
    if moved:
        return known - moved >= {indent_of(line) for line in new if line.strip(" \t")}
    return all(in_unit(new, unit, own) == in_unit(new, own, own) for unit in possible_units(pairs, new, own))


def conversion_note(unit: str, own: str) -> Note:
    """Return the note that says from which unit to which one the block was converted."""
    return Note(
        "indentation-converted",
        f"indented like the file, by {_name_of_indent(own)} for {_name_of_indent(unit)} of the block",
    )


def _name_of_indent(white: str) -> str:
    kind = "tab" if white[0] == "\t" else "space"
    return f"{len(white)} {kind}{'s' * (len(white) != 1)}"


def _count_units(line: str, unit: str) -> tuple[int, str]:
    """Return by how many units a line is indented, and the white space that is left over."""
    white = indent_of(line)
    levels = (len(white) - len(white.lstrip(unit[0]))) // len(unit)
    return levels, white[levels * len(unit) :]


def _deepest(lines: Sequence[tuple[int, str]]) -> int:
    """Return by how many units at most a line is indented deeper than the line above."""
    return max((below - above for (above, _), (below, _) in pairwise(lines)), default=0)
