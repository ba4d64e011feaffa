"""Guess which place was meant by a text that is not in the file, and find where the file first differs from it.

Diagnosis never edits and never decides. Each line votes for the place of the text that it fits, and the places with
most votes are compared line by line (docs/reference/rules.md, diagnosis) as long as the budget lasts. For a text of one
line, if no place is similar, the nearest line of the file is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from editblocks.matching.align import common_length, kept_lines
from editblocks.matching.hints import other_spellings
from editblocks.matching.ladder import STEPS_A_BLOCK, Budget
from editblocks.text.line_index import WordIndex, find_in
from editblocks.text.source_text import SourceText

MOST_CANDIDATES = 3
LEAST_SIMILARITY = 0.60
LEAST_OF_A_LINE = 0.50  # for a text of one line: half of its characters agree with those of the nearest line
LONGEST_LINE = 4096  # longer lines are only checked for equality
_LINE_COST = 50  # steps that one line costs, whatever is in it
_SHORTEST_VOTER = 4
_MOST_PLACES = 20
_HEAVIEST = 80
_STARTS = 5
_WORD = re.compile(r"\w{2,}")
_ENTITY = re.compile(r"&(?:amp;)*#?[0-9A-Za-z]{1,31};")  # names of entities are not words of the file


class Closest(NamedTuple):
    """A place that resembles the text. `lines` maps line indexes of the text to those of the file."""

    start: int
    stop: int
    similarity: float
    lines: Mapping[int, int]


_NOWHERE = Closest(-1, -1, 0.0, {})


def closest(search: Sequence[str], source: SourceText, budget: Budget | None = None) -> list[Closest]:
    """Find at most three places of `source` that resemble `search` by 60 % or more, best first.

    A text that is escaped, or in another Unicode form, shares few words with its file. So its other spellings are also
    compared, and the most similar one decides. If there is no such place, a text of one line gets the nearest line, if
    at least half of their characters agree.
    """
    budget = budget or Budget()
    places = _places_like(search, source, budget)
    for spelling in other_spellings(search):
        others = _exact_places(spelling, source) or _places_like(spelling, source, budget)
        best = places[0] if places else _NOWHERE
        if others and others[0].start != best.start and others[0].similarity > best.similarity:
            places = others
    return places or _nearest_line(search, source, budget)


def _exact_places(lines: Sequence[str], source: SourceText) -> list[Closest]:
    starts = islice(find_in(lines, source.lines), MOST_CANDIDATES)
    return [Closest(at, at + len(lines), 1.0, dict(enumerate(range(at, at + len(lines))))) for at in starts]


def _places_like(search: Sequence[str], source: SourceText, budget: Budget) -> list[Closest]:
    allowance = min(STEPS_A_BLOCK, budget.left)
    comparison = _Comparison([line.strip(" \t") for line in search], source, allowance)
    starts = _voted_starts(comparison.search, source)
    if not starts and sum(map(len, source.lines)) + len(source.lines) < allowance:
        starts = _worded_starts(comparison.search, source, budget)
    compared = sorted(map(comparison.at, starts), key=lambda place: place.similarity)
    places = {place.start: place for place in compared}  # the best of each start
    budget.left = max(0, budget.left - (allowance - comparison.steps))
    good = [place for place in places.values() if place.similarity >= LEAST_SIMILARITY]
    return sorted(good, key=lambda place: (-place.similarity, place.start))[:MOST_CANDIDATES]


def _nearest_line(search: Sequence[str], source: SourceText, budget: Budget) -> list[Closest]:
    """Find the line of the file that is most similar to a text of one line; empty if less than half of it agrees."""
    if len(search) != 1:
        return []
    wanted = search[0].strip(" \t")
    allowance = min(STEPS_A_BLOCK, budget.left)
    if not wanted or _LINE_COST * len(source.lines) > allowance:
        return []
    first: dict[str, int] = {}  # of equal lines, the number of the first
    for number, line in enumerate(source.lines):
        first.setdefault(line.strip(" \t"), number)
    counts = Counter(wanted)
    comparison = _Comparison([wanted], source, allowance - _LINE_COST * len(source.lines))
    best = LEAST_OF_A_LINE
    nearest = -1
    for line, number in first.items():
        # The similarity is limited by the lengths of the lines, and by the characters that both have.
        length = len(line) + len(wanted)
        if 2 * min(len(line), len(wanted)) < best * length:
            continue
        if 2 * sum(map(min, map(line.count, counts), counts.values())) < best * length:
            continue
        comparison.steps -= _LINE_COST
        ratio = comparison.ratio(wanted, line)
        if ratio > best or (ratio == best and nearest < 0):
            best = ratio
            nearest = number
    budget.left = max(0, budget.left - (allowance - comparison.steps))
    if nearest < 0 or comparison.steps < 0:
        return []
    return [Closest(nearest, nearest + 1, best, {0: nearest})]


def _voted_starts(search: Sequence[str], source: SourceText) -> list[int]:
    """Return start lines by votes. A line votes if it is long enough and at most 20 times in the file."""
    votes: Counter[int] = Counter()
    index = source.index(search)
    for offset, line in enumerate(search):
        if len(line) >= _SHORTEST_VOTER:
            for number in index.places(line, _MOST_PLACES) or ():
                votes[number - offset] += min(len(line), _HEAVIEST)
    # Votes within two lines are added up, and the lower index wins ties.
    weights = {start: sum(votes[near] for near in range(start - 2, start + 3)) for start in list(votes)}
    return _apart(sorted(weights, key=lambda start: (-weights[start], -votes[start], start)), 3, _STARTS)


def _words_of(line: str) -> list[str]:
    return _WORD.findall(line[:LONGEST_LINE])


def _apart(ranked: Sequence[int], distance: int, most: int) -> list[int]:
    """Return the first starts that are at least `distance` lines apart."""
    starts: list[int] = []
    for start in ranked:
        if len(starts) == most:
            break
        if all(abs(start - other) >= distance for other in starts):
            starts.append(start)
    return starts


def _worded_starts(search: Sequence[str], source: SourceText, budget: Budget) -> list[int]:
    """Return starts of windows that hold at least half of the searched words; used when no line votes."""
    wanted = Counter(word for line in search for word in _words_of(_ENTITY.sub(" ", line[:LONGEST_LINE])))
    if not wanted:
        return []
    source.words = source.words or WordIndex(_words_of)
    budget.left -= source.words.learn(source.lines)
    holding = source.words.holding(wanted)
    budget.left -= len(source.lines) + sum(map(len, holding))
    words_in = Counter(chain.from_iterable(holding))  # how many of the searched words each text of a line has
    sums = list(accumulate((words_in.get(line, 0) for line in source.lines), initial=0))
    size = min(len(search), len(source.lines))
    shared = [below - above for above, below in zip(sums, sums[size:], strict=False)]  # by each window of `size` lines
    half = wanted.total() / 2
    enough = [start for start, count in enumerate(shared) if count >= half]
    return _apart(sorted(enough, key=shared.__getitem__, reverse=True), len(search), _MOST_PLACES)


class _Comparison:
    """Compares `search`, whose lines are stripped, with windows of `source`; `steps` is what is left of the budget."""

    def __init__(self, search: Sequence[str], source: SourceText, steps: int) -> None:
        self.search = search
        self.source = source
        self.steps = steps

    def at(self, start: int) -> Closest:
        """Align the text with the lines around `start`, and measure how similar they are."""
        margin = max(2, len(self.search) // 8)
        first = max(0, start - margin)
        last = max(first, start + len(self.search) + margin)
        window = [line.strip(" \t") for line in self.source.lines[first:last]]
        equal = {old: new for new, old in kept_lines(self.search, window).items()}
        pairs = dict(self._pair_between(equal, start - first, len(window)))
        alike: float = sum(len(self.search[old]) for old in equal)
        alike += sum(len(self.search[old]) * self.ratio(self.search[old], window[new]) for old, new in pairs.items())
        lines = {old: first + new for old, new in sorted((*equal.items(), *pairs.items()))}
        where = [new for old, new in lines.items() if self.search[old]] or list(lines.values())
        return Closest(min(where), max(where) + 1, alike / sum(map(len, self.search)), lines)

    def _pair_between(self, equal: Mapping[int, int], start: int, size: int) -> Iterator[tuple[int, int]]:
        """Pair the lines between two equal ones in order; if no lines are equal, pair all from `start` on."""
        if not equal:
            yield from zip(range(len(self.search)), range(max(0, start), size), strict=False)
            return
        anchors = [(-1, -1), *sorted(equal.items()), (len(self.search), size)]
        for (old, new), (next_old, next_new) in pairwise(anchors):
            gap_old = range(old + 1, next_old)
            gap_new = range(new + 1, next_new)
            if old < 0:  # above the first equal line, pair the lines nearest to it
                gap_new = gap_new[max(0, len(gap_new) - len(gap_old)) :]
            yield from zip(gap_old, gap_new, strict=False)

    def ratio(self, old: str, new: str) -> float:
        if old == new:
            return 1.0
        cost = len(old) * (len(new) // 64 + 1)
        if not old or not new or max(len(old), len(new)) > LONGEST_LINE or cost > self.steps:
            return 0.0
        self.steps -= cost
        return 2 * common_length(old, new) / (len(old) + len(new))


def first_difference(
    search: Sequence[str], source: SourceText, place: Closest, *, is_part: bool = False
) -> tuple[int, int] | None:
    """Find the first line of `search` that is not exactly equal to its matching line in the file; None if all are.

    Returns its index in `search` and the index of the other line, which is past the end if the file has no such line.
    With `is_part`, the first line may begin and the last line may end within a line of the file.
    """
    expected_at = place.start
    for index, line in enumerate(search):
        number = place.lines.get(index, expected_at)
        file_line = source.lines[number : number + 1]
        fits = file_line == [line]
        if is_part and file_line and not fits:
            fits = _is_part(line, file_line[0], begins=index == 0, ends=index == len(search) - 1)
        if not fits:
            return index, number
        expected_at = number + 1
    return None


def _is_part(text: str, line: str, *, begins: bool, ends: bool) -> bool:
    """Whether a text that `begins` or `ends` within a line is that part of it."""
    if begins and ends:
        return text in line
    if begins:
        return line.endswith(text)
    return ends and line.startswith(text)


def common_part(text: str, line: str) -> tuple[int, int]:
    """Return where a line has the longest possible beginning of a text: 0-based start and stop."""
    least = 0
    most = len(text)
    while least < most:  # a line that has a beginning also has every shorter one
        size = (least + most + 1) // 2
        if text[:size] in line:
            least = size
        else:
            most = size - 1
    start = line.find(text[:least])
    return start, start + least
