"""A place that may have been meant, for people to look at and to choose (docs/reference/formats.md, "ambiguity")."""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.blocks import EditBlock
from editblocks.core.model import Candidate, Difference
from editblocks.core.phrases import line_of
from editblocks.text.enclosing import enclosing_name
from editblocks.text.source_text import SourceText

Place = tuple[int, int]  # lines of the text as it is now: 0-based, half-open


def candidate(
    block: EditBlock,
    source: SourceText,
    place: Place,
    similarity: float = 1.0,
    difference: Difference | None = None,
    *,
    is_named: bool = True,
) -> Candidate:
    """A place to show; it can be chosen if all its lines are on the branch. Lines count as those of `difference`.

    `is_named`: look for the name of what it stands in.
    """
    start, stop = place
    after = source.after(start, stop) if difference is None else difference.after
    first, last = (number_of(source, line, after) for line in (start, max(start, stop - 1)))
    pick = None if after else f"{block.number}@{first}"
    name = enclosing_name(source.lines, start) if is_named else ""
    return Candidate(first, max(first, last), round(similarity, 2), pick, after, tuple(source.lines[start:stop]), name)


def label(source: SourceText, place: Place, path: str) -> str:
    """The first line of a place, for people: `src/cart.py:5`, or `line 8 of src/cart.py after block 1`."""
    after = source.after(*place)
    return line_of(path, number_of(source, place[0], after), after)


def number_of(source: SourceText, line: int, after: Sequence[int]) -> int:
    """The 1-based number of a line: of the text as it is after these blocks, or else of the branch's file."""
    return line + 1 if after else source.origins.shown(line)
