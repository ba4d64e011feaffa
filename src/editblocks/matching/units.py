"""The file's own unit of indentation, for a block that is written in another: a tab for four spaces, or two for four.

A unit is taken for SEARCH's if every line of it, counted in that unit, is indented in the file by as many of the
file's; white space behind the units aligns, and stays. REPLACE is counted alike. Nothing is guessed about its lines:
they align only as SEARCH does, and go no further in at once than SEARCH does, or by one unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editblocks.core.model import Note
from editblocks.matching.indentation import indent_of

_WIDEST = 8  # spaces of a unit
_UNITS = ("\t", *(" " * width for width in range(1, _WIDEST + 1)))


def own_unit(lines: Sequence[str]) -> str:
    """The white space by which lines are mostly indented more than the one above; none if no line is."""
    indents = [indent_of(line) for line in lines if line.strip(" \t") and not line.lstrip(" \t").startswith("*")]
    steps = Counter(new[len(old) :] for old, new in pairwise(indents) if new != old and new.startswith(old))
    return next((step for step, _ in steps.most_common(1) if step in _UNITS), "")


def possible_units(pairs: Sequence[tuple[str, str]], replace: Sequence[str], own: str) -> Iterator[str]:
    """Each unit in which the block may be written, if `own` is the file's.

    `pairs` are lines of SEARCH, each with the line of the file that stands for it.
    """
    filled = [line for line in replace if line.strip(" \t")]
    for unit in _UNITS if own else ():
        old, new = ([_count_units(line, unit) for line in lines] for lines in ([line for line, _ in pairs], filled))
        fits = [own * levels + rest for levels, rest in old] == [indent_of(there) for _, there in pairs]
        aligns = {rest for _, rest in new} <= {"", *(rest for _, rest in old)}
        if fits and aligns and _deepest(new) <= max(1, _deepest(old)):
            yield unit


def in_unit(lines: Sequence[str], unit: str, own: str) -> list[str]:
    """Lines that are written in one unit, in another; blank ones become empty."""
    counted = ((line.strip(" \t") and line.lstrip(" \t"), *_count_units(line, unit)) for line in lines)
    return [text and own * levels + rest + text for text, levels, rest in counted]


def is_like_the_file(pairs: Sequence[tuple[str, str]], new: Sequence[str], own: str) -> bool:
    """Whether new lines are indented as the file would have them, as far as lines that it has as well can tell."""
    known = {indent_of(line) for line, _ in pairs}
    moved = {indent_of(line) for line, there in pairs if indent_of(line) != indent_of(there)}
    if moved:
        return known - moved >= {indent_of(line) for line in new if line.strip(" \t")}
    return all(in_unit(new, unit, own) == in_unit(new, own, own) for unit in possible_units(pairs, new, own))


def conversion_note(unit: str, own: str) -> Note:
    """Say in which unit the block is written, and in which it landed."""
    return Note(
        "indentation-converted",
        f"indented like the file, by {_name_of_indent(own)} for {_name_of_indent(unit)} of the block",
    )


def _name_of_indent(white: str) -> str:
    kind = "tab" if white[0] == "\t" else "space"
    return f"{len(white)} {kind}{'s' * (len(white) != 1)}"


def _count_units(line: str, unit: str) -> tuple[int, str]:
    """How many units a line is indented by, and what white space is left."""
    white = indent_of(line)
    levels = (len(white) - len(white.lstrip(unit[0]))) // len(unit)
    return levels, white[levels * len(unit) :]


def _deepest(lines: Sequence[tuple[int, str]]) -> int:
    """By how many units at most a line is indented more than the one above."""
    return max((below - above for (above, _), (below, _) in pairwise(lines)), default=0)
