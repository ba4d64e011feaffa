"""`fuzzy`: SEARCH is nearly in the file, and the change is merged into the one place that resembles it.

The merge only replaces lines that are in the file exactly as in SEARCH; new lines must be indented as the file is. No
other place that diagnosis finds may resemble SEARCH as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from editblocks.matching.align import kept_lines
from editblocks.matching.diagnose import Closest, closest
from editblocks.matching.indentation import is_like_the_file, own_unit
from editblocks.matching.ladder import Budget, Placement
from editblocks.matching.merge import MergeConflict, changes, merge
from editblocks.text.line_index import find_in
from editblocks.text.source_text import SourceText

LEAST_SIMILARITY = 0.85
MOST_ELSEWHERE = 0.70  # similarity of any other place; with a gap of only 0.10, the other was too often the one meant
_FEWEST_LINES = 3
_FEWEST_CHARACTERS = 40
# A line points to a place if it has 4 characters and is in the file at most 20 times.
_TELLING = 4
_MOST_PLACES = 20


def propose(
    search: Sequence[str], replace: Sequence[str], source: SourceText, _path: str, budget: Budget
) -> Iterator[Placement]:
    """Yield the place that resembles `search`, if it is proven the only one and the change merges into it."""
    wanted = [line.strip(" \t") for line in search]
    if sum(map(bool, wanted)) < _FEWEST_LINES or sum(map(len, wanted)) < _FEWEST_CHARACTERS:
        return
    places = closest(search, source, budget)
    if not places or places[0].similarity < LEAST_SIMILARITY:
        return
    place, *others = places
    if any(other.similarity >= MOST_ELSEWHERE for other in others if _are_apart(place, other)):
        return
    placement = merge_at(place, search, replace, source)
    if placement is None:
        return
    lines = source.lines[place.start : place.stop]
    file = [line.strip(" \t") for line in source.lines]
    counts = Counter(file)
    if _has_strays(wanted, file[place.start : place.stop], counts):
        return
    if not _is_anchored(search, replace, lines, counts):
        return
    kept = kept_lines(wanted, file[place.start : place.stop])
    added = [line for line in placement.new if isinstance(line, str)]
    if is_like_the_file([(search[old], lines[now]) for now, old in kept.items()], added, own_unit(source.lines)):
        yield placement


def merge_at(place: Closest, search: Sequence[str], replace: Sequence[str], source: SourceText) -> Placement | None:
    """Merge the change from `search` to `replace` into a place that is similar; None if both changed the same lines.

    The lines stay as they are if the merged text, which then contains them, is in the file around them already.
    """
    lines = source.lines[place.start : place.stop]
    merged = merge(search, lines, replace)
    if isinstance(merged, MergeConflict):
        return None
    new: list[str | int] = []
    for line in merged:
        new.append(place.start + line if isinstance(line, int) else line)
    placement = Placement("fuzzy", "low", place.start, place.stop, tuple(new), similarity=place.similarity)
    text = source.with_kept(new)
    starts = (place.start - offset for offset in find_in(lines, text))
    is_there = any(start >= 0 and source.lines[start : start + len(text)] == text for start in starts)
    if is_there:
        return placement._replace(new=placement.kept)
    return placement


def _are_apart(place: Closest, other: Closest) -> bool:
    """Whether two places have no line in common."""
    return other.stop <= place.start or place.stop <= other.start


def _has_strays(wanted: Sequence[str], window: Sequence[str], counts: Mapping[str, int]) -> bool:
    """Whether a line of SEARCH that the place lacks is elsewhere in the file: then that place may be the one meant."""
    lacking = {line for line in wanted if len(line) >= _TELLING}.difference(window)
    return any(0 < counts[line] <= _MOST_PLACES for line in lacking)


def _is_anchored(
    search: Sequence[str], replace: Sequence[str], window: Sequence[str], counts: Mapping[str, int]
) -> bool:
    """Whether each change touches or holds a line that the window surely keeps and the file has only once."""
    gone = (range(change.start, change.stop) for change in changes(search, window))
    kept = set(range(len(search))).difference(*gone)
    return all(
        any(counts[search[index].strip(" \t")] == 1 for index in kept.intersection(range(start - 1, stop + 1)))
        for start, stop, _, _ in changes(search, replace)
    )
