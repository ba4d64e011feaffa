"""`elided`: SEARCH has `...` for lines that it leaves out, and REPLACE leaves out the same lines.

Each piece between two such lines must be in the file exactly as written, only once, and in order. The pieces are
replaced one by one, and the lines between them stay. An elision stands for lines that are indented like itself or
deeper: `    ...` does not reach from one function into the next.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from editblocks.formats.markers import indent_of
from editblocks.matching.align import is_already_around, keep
from editblocks.matching.ladder import Budget, Placement, find_exact
from editblocks.matching.narrowing import Match
from editblocks.matching.placeholder_lines import elision
from editblocks.text.source_text import SourceText

MOST_ELISIONS = 16  # a limit, as each piece is searched for in the whole file


def propose(
    search: Sequence[str], replace: Sequence[str], source: SourceText, _path: str, _budget: Budget
) -> Iterator[Placement]:
    """Yield the only place of all pieces, unless a second run would change the result again.

    Nothing is yielded if a piece between two elisions is empty, or if REPLACE has text at an end where SEARCH has none.
    """
    place = _place(search, replace, source)
    if place is None:
        return
    result = source.copy()
    if not result.splice(place.start, place.stop, place.new):
        yield place._replace(new=place.kept)
        return
    again = _place(search, replace, result)
    if again is None or not result.splice(again.start, again.stop, again.new):
        yield place


def _place(search: Sequence[str], replace: Sequence[str], source: SourceText) -> Placement | None:
    old = _pieces(search)
    new = _pieces(replace)
    if len(old) != len(new) or not 1 < len(old) <= MOST_ELISIONS + 1:
        return None
    if not any(old) or not all(old[1:-1]):
        return None
    if any(wanted and not piece for piece, wanted in zip(old, new, strict=True)):
        return None
    pairs = [(piece, wanted) for piece, wanted in zip(old, new, strict=True) if piece]
    matches: list[Match] = []
    for piece, _ in pairs:
        places = list(islice(find_exact(piece, piece, source), 2))
        if len(places) != 1 or (matches and places[0].start < matches[-1].stop):
            return None
        matches += places
    if not _stay_in_scope(search, matches, source):
        return None
    return _replace_matches(matches, pairs, source)


def _pieces(lines: Sequence[str]) -> list[list[str]]:
    """Split lines into the pieces before, between and after the elisions."""
    pieces: list[list[str]] = [[]]
    for line in lines:
        if elision(line):
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def _stay_in_scope(search: Sequence[str], matches: Sequence[Match], source: SourceText) -> bool:
    """Whether every left-out line is indented at least as far as `_least_indentation` of its elision."""
    elisions = [index for index, line in enumerate(search) if elision(line)]
    inner = [index for index in elisions if 0 < index < len(search) - 1]
    for index, (above, below) in zip(inner, pairwise(matches), strict=True):
        least = _least_indentation(search, index)
        for line in source.lines[above.stop : below.start]:
            if line.strip(" \t") and len(indent_of(line)) < least:
                return False
    return True


def _least_indentation(search: Sequence[str], index: int) -> int:
    """Return the least indentation of the lines that the elision at `index` stands for.

    That is its own indentation; if it has none, the smaller one of the lines around it. If the line below is deeper
    than the line above, the left-out lines must also be deeper than that.
    """
    above = next((len(indent_of(line)) for line in reversed(search[:index]) if line.strip(" \t")), 0)
    below = next((len(indent_of(line)) for line in search[index + 1 :] if line.strip(" \t")), 0)
    own = len(indent_of(search[index])) or min(above, below)
    if below > above:
        return max(own, above + 1)
    return own


def _replace_matches(
    matches: Sequence[Match], pairs: Sequence[tuple[list[str], list[str]]], source: SourceText
) -> Placement:
    """Replace each match by its new lines, unless an earlier run has put them around it. `pairs`: old and new lines."""
    new: list[str | int] = []
    first = matches[0].start
    top = 0  # the end of the match above
    bottoms = [*(match.start for match in matches[1:]), len(source.lines)]
    for match, bottom, (piece, wanted) in zip(matches, bottoms, pairs, strict=True):
        new += range(max(first, top), match.start)
        if is_already_around(piece, wanted, match.start - top, source.lines[top:bottom]):
            new += range(match.start, match.stop)
        else:
            new += keep(piece, wanted, match.start)
        top = match.stop
    return Placement("elided", "medium", first, top, tuple(new))
