"""`fuzzy`: SEARCH is nearly in the file, and the change is merged into the one place that resembles it.

The merge only replaces lines that are in the file exactly as in SEARCH. Lines of the file that SEARCH does not have
stay; if that is impossible, nothing is proposed. New lines must be indented as the file is (`units`). A place counts
as the only one if every other place is proven less similar: diagnosis alone is no proof, as it compares only a few.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from editblocks.matching.align import kept_lines
from editblocks.matching.diagnose import Closest, closest
from editblocks.matching.merge import MergeConflict, changes, merge
from editblocks.matching.placement import STEPS_A_BLOCK, Budget, Placement
from editblocks.matching.similarity_bound import most_alike, steps_needed
from editblocks.matching.units import is_like_the_file, own_unit
from editblocks.text.line_index import find_in
from editblocks.text.source_text import SourceText

LEAST_SIMILARITY = 0.85
MOST_ELSEWHERE = 0.70  # similarity of any other place; with a gap of only 0.10, the other was too often the one meant
_FEWEST_LINES, _FEWEST_CHARACTERS = 3, 40
_TELLING, _MOST_PLACES = 4, 20  # a line points to a place if it has 4 characters and is in the file at most 20 times


def propose(
    search: Sequence[str], replace: Sequence[str], source: SourceText, _path: str, budget: Budget
) -> Iterator[Placement]:
    """Yield the place that resembles `search`, if it is the only one and the change merges into it.

    If the budget does not suffice to prove that, nothing is yielded.
    """
    wanted = [line.strip(" \t") for line in search]
    if sum(map(bool, wanted)) < _FEWEST_LINES or sum(map(len, wanted)) < _FEWEST_CHARACTERS:
        return
    place = next(iter(closest(search, source, budget)), None)
    if place is None or place.similarity < LEAST_SIMILARITY:
        return
    placement = merge_at(place, search, replace, source)
    if placement is None:
        return
    lines = source.lines[place.start : place.stop]
    file = [line.strip(" \t") for line in source.lines]
    counts = Counter(file)
    if _has_strays(wanted, file[place.start : place.stop], counts):
        return
    if not _is_anchored(search, replace, lines, counts) or not _is_alone(wanted, place, file, budget):
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
    new = tuple(place.start + line if isinstance(line, int) else line for line in merged)
    placement = Placement("fuzzy", "low", place.start, place.stop, new, similarity=place.similarity)
    text = source.with_kept(new)
    starts = (place.start - offset for offset in find_in(lines, text))
    is_there = any(start >= 0 and source.lines[start : start + len(text)] == text for start in starts)
    return dataclasses.replace(placement, new=placement.kept) if is_there else placement


def _has_strays(wanted: Sequence[str], window: Sequence[str], counts: Mapping[str, int]) -> bool:
    """Whether a line of SEARCH that the place lacks is elsewhere in the file: then that place may be the one meant."""
    lacking = {line for line in wanted if len(line) >= _TELLING}.difference(window)
    return any(0 < counts[line] <= _MOST_PLACES for line in lacking)


def _is_alone(wanted: Sequence[str], place: Closest, file: Sequence[str], budget: Budget) -> bool:
    """Whether all other places, with at most a quarter of their lines in this one, are proven less similar."""
    shared = (place.stop - place.start) // 4
    others = file[: place.start + shared], file[place.stop - shared :]
    steps = sum(steps_needed(wanted, lines) for lines in others)
    if steps > min(STEPS_A_BLOCK, budget.left):
        return False
    budget.left -= steps
    size = len(wanted) + 2 * max(2, len(wanted) // 8)  # lines of a place that diagnosis would compare
    return all(most_alike(wanted, lines, size) < MOST_ELSEWHERE for lines in others)


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
