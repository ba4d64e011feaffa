"""Use the blocks of one file to choose each other's places: by line numbers, by their order, and by equal blocks.

Tools apply the hunks of a patch from top to bottom, so the hunks of one section limit each other's places. Lines are
0-based, of the file on the branch. `PlacementOptions` holds all that is known about the place of a block besides its
own lines. Rules: docs/reference/rules.md, "ambiguity".
"""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Split, section_lines
from editblocks.core.selection import Selection
from editblocks.matching.block_readings import lines_asked_for, readings
from editblocks.matching.ladder import STRATEGIES, Budget, Loose, Strategy, find_exact, is_in_file
from editblocks.matching.narrowing import LineNumbers, Match, Narrowing
from editblocks.text.source_text import SourceText

MANY = 20  # from so many blocks of one file on, an index of its lines is faster than a search for each
Before = Callable[[], SourceText]  # returns the file as it is on the branch


class PlacementOptions(NamedTuple):
    """How to find the place of a block. `strategies` are tried first; the rest helps if they find no place, or several.

    `base` returns the file as the author of the response saw it, with the blocks that were applied since. `other_files`
    returns the other files of the response with their paths, only for hints. `hunks` are all blocks of the file.
    `whole_files` is the setting of that name.
    """

    budget: Budget
    strategies: Sequence[Strategy] = STRATEGIES
    loose: Sequence[Loose] = ()
    chosen_line: int | None = None  # the line of the branch's file (1-based) at which a person wants the block
    commit: str = ""  # of `base`
    base: Callable[[], SourceText | None] = lambda: None
    other_files: Callable[[], Iterable[tuple[str, SourceText]]] = lambda: ()
    hunks: "FileHunks | None" = None
    whole_files: str = "all"


class FileHunks:
    """The blocks of one file, and a person's selection; `is_whole`: every block of the file could be read."""

    def __init__(self, blocks: Sequence[EditBlock], before: Before, select: Selection, *, is_whole: bool) -> None:
        self._blocks = blocks
        self._before = before
        self._select = select
        self._is_whole = is_whole
        self._numbered: dict[tuple[str, int], _NumberedHunks] = {}
        self._sections: dict[tuple[str, int], _HunksInOrder] = {}
        self._equal_lines: dict[int, list[int]] = {}  # by the number of the first of equal blocks

    def numbers(self, block: EditBlock) -> LineNumbers | None:
        """Return the line numbers of a hunk; None if it has none."""
        if block.line_hint is None:
            return None
        key = block.format, block.section
        if key not in self._numbered:
            hunks = [each for each in self._patches[key] if each.line_hint is not None]
            self._numbered[key] = _NumberedHunks(hunks, self._before)
        others = self._numbered[key]
        after = others.lines_after[block.line_hint] if block.format == "roo" else block.line_after
        own = {block.number}
        return LineNumbers(
            block.line_hint, after or 0, lambda: others.elsewhere <= own, lambda: others.not_at_number <= own
        )

    def tail(self, block: EditBlock) -> list[str]:
        """Return the lines that later blocks append to the file, if `block` also appends. They have no SEARCH."""
        below = (each for each in self._blocks if block.at_end and each.number > block.number)
        later = (each for each in below if each.at_end and not each.search)
        return [line for each in later for line in section_lines(each.replace)]

    @cached_property
    def _patches(self) -> Mapping[tuple[str, int], list[EditBlock]]:
        """The blocks of each format and section."""
        patches: dict[tuple[str, int], list[EditBlock]] = {}
        for each in self._blocks:
            patches.setdefault((each.format, each.section), []).append(each)
        return patches

    def begin(self, block: EditBlock, applied: Sequence[int]) -> None:
        """Prepare the section that `block` begins; the blocks `applied` have already changed its file."""
        key = block.format, block.section
        if key not in self._sections:
            hunks = self._patches[key]
            # Places in a section are lines of the branch, so no other block may have changed the file.
            is_first = {each.number for each in hunks}.issuperset(applied)
            if not (block.section and self._is_whole and is_first):
                hunks = []
            self._sections[key] = _HunksInOrder(hunks, self._before, self._fixed_line)

    def section(self, block: EditBlock) -> "_HunksInOrder":
        """Return the section of `block`; it has no hunks if their order cannot be used."""
        return self._sections[block.format, block.section]

    def _fixed_line(self, block: EditBlock) -> int | None:
        """Return the line that overrides the order of hunks: one that a person chose, or a trusted line number."""
        if block.number in self._select.picks:
            return self._select.picks[block.number] - 1
        numbers = self.numbers(block)
        if numbers is None or block.splits:
            return None
        place = numbers.place(section_lines(block.search), self._before())
        if place is None or not numbers.no_other_is_elsewhere():
            return None
        return place.start

    def equal_line(self, block: EditBlock) -> int | None:
        """Return the line of `block` if there are as many places as equal blocks: the first block gets the first."""
        numbers = self._equal_blocks[block.number]
        if len(numbers) < 2 or block.splits:
            return None
        first = numbers[0]
        if first not in self._equal_lines:
            self._equal_lines[first] = self._lines_of_equal(block, numbers)
        lines = self._equal_lines[first]
        if not lines:
            return None
        return lines[bisect_left(numbers, block.number)]

    @cached_property
    def _equal_blocks(self) -> Mapping[int, list[int]]:
        """For each block, the numbers of all blocks that ask for the same change."""
        equal: dict[tuple[object, ...], list[int]] = {}
        for each in self._blocks:
            equal.setdefault(_change_key(each), []).append(each.number)
        return {number: numbers for numbers in equal.values() for number in numbers}

    def _lines_of_equal(self, block: EditBlock, numbers: Sequence[int]) -> list[int]:
        """Return the places of equal blocks on the branch; empty if there are more or fewer places than blocks."""
        [run] = _Places(self._before(), [block]).of_old(block)
        lines = list(run.lines)
        size = block.search.count("\n")
        are_apart = all(below - line >= size for line, below in pairwise(lines))
        if not are_apart or not self._are_free(block, numbers) or len(lines) != len(numbers):
            return []
        return lines

    def _are_free(self, block: EditBlock, numbers: Sequence[int]) -> bool:
        """Whether all of these blocks are selected, and a person has not chosen a place for any of them."""
        return all(
            number not in self._select.picks and self._select.takes(number, block.file_path) for number in numbers
        )

    def among_equals(self, block: EditBlock) -> tuple[int, int]:
        """Return how many blocks that ask for the same change come before this one, and how many there are in all."""
        numbers = self._equal_blocks[block.number]
        if not self._are_free(block, numbers):
            return 0, 1
        return bisect_left(numbers, block.number), len(numbers)


def _change_key(block: EditBlock) -> tuple[object, ...]:
    """Return all that a block says about its change and its place, except line numbers."""
    texts = block.search, block.replace
    if block.text_call is not None:
        texts = block.text_call.old, block.text_call.new
    return *texts, block.scopes, block.at_end, block.ends


class _HunksInOrder:
    """The hunks of one file in one patch, in their order; `fixed` returns a hunk's line if it overrides the order."""

    def __init__(self, hunks: Sequence[EditBlock], before: Before, fixed: Callable[[EditBlock], int | None]) -> None:
        self._hunks = hunks
        self._before = before
        self._fixed = fixed
        self._index = {hunk.number: at for at, hunk in enumerate(hunks)}

    @cached_property
    def _is_usable(self) -> bool:
        """Whether the order can be used: there are several hunks, and a second run could see that each was applied."""
        return len(self._hunks) > 1 and all(hunk.replace for hunk in self._hunks)

    @cached_property
    def _places(self) -> "_Places":
        return _Places(self._before(), self._hunks)

    def line(self, hunk: EditBlock) -> int | None:
        """Return where a hunk begins on the branch, if only one choice of places keeps the order of all hunks.

        None if two hunks share a line, or if a scope reaches to the end of the text: its hunk could be below any other.
        None if the new lines are at another place where the hunk may be: an earlier run may have put them there.
        """
        if not self._is_usable or hunk.splits or not self._only_lines:
            return None
        line = self._only_lines[self._index[hunk.number]]
        if self._new_line(hunk, line) is not None:
            return None
        return line

    @cached_property
    def _only_lines(self) -> list[int]:
        """The lines of all hunks; empty if there is not exactly one choice."""
        if not self._places.have_bounded_scopes(self._hunks):
            return []
        lines = only_order([self._old_places(each) for each in self._hunks]) or []
        ends = [line + each.search.count("\n") for line, each in zip(lines, self._hunks, strict=False)]
        if any(end > line for end, line in zip(ends, lines[1:], strict=False)):
            return []
        return lines

    def applied_line(self, hunk: EditBlock, line: int, now: SourceText) -> int | None:
        """Return where the new lines of a hunk already are, in the order of hunks, if `line` would break the order.

        Then an earlier run has put them there, and the text at `line` is only equal to the text that it changed. `now`
        is the file as it is: if it does not have the new lines, the other hunks need not be searched.
        """
        if not self._is_usable or hunk.splits:
            return None
        if not is_in_file(section_lines(hunk.replace), now):
            return None
        low, high = self._bounds[self._index[hunk.number]]
        places = HunkPlaces((line,), len(section_lines(hunk.anchor)), len(section_lines(hunk.old_lines)))
        first, last = places.span(line)
        if (low <= first and last <= high) or self._fixed(hunk) == line:
            return None
        return self._new_line(hunk, line)

    def _new_line(self, hunk: EditBlock, line: int) -> int | None:
        """Return where the new lines of a hunk are, in the order of hunks, except around its place at `line`."""
        stop = line + hunk.search.count("\n")
        size = hunk.replace.count("\n")
        run = self._places.of_new(hunk)
        low, high = self._bounds[self._index[hunk.number]]
        lines = (run.lines[at] for at in run.within(low, high))
        return next((at for at in lines if line < at or at + size < stop), None)

    @cached_property
    def _bounds(self) -> list[tuple[int, int]]:
        """For each hunk, the edges between which it must be, if each is at a place of its old or its new lines."""
        return bounds([[*self._old_places(each), self._places.of_new(each)] for each in self._hunks])

    def _old_places(self, hunk: EditBlock) -> "list[HunkPlaces]":
        """Return where a hunk may begin on the branch, for each of its readings."""
        runs = self._places.of_old(hunk)
        fixed = self._fixed(hunk)
        if fixed is None:
            return runs
        return [run._replace(lines=[line for line in run.lines if line == fixed]) for run in runs]


class _Places:
    """The exact places of texts of some blocks in a file. Equal texts are searched for once."""

    def __init__(self, source: SourceText, blocks: Sequence[EditBlock]) -> None:
        self._source = source
        self._found: dict[tuple[str, ...], list[int]] = {}
        if len(blocks) >= MANY:
            source.index(lines_asked_for(blocks))

    def have_bounded_scopes(self, blocks: Sequence[EditBlock]) -> bool:
        """Whether the scopes that these blocks have end before the text does."""
        scopes = (Narrowing.of(block, self._source).scopes for block in blocks if block.scopes)
        return all(each is None or each.are_bounded for each in scopes)

    def of_old(self, block: EditBlock) -> "list[HunkPlaces]":
        """Return the lines at which the old text of a block begins and is allowed, for each of its readings."""
        narrowing = Narrowing.of(block, self._source)
        texts: Sequence[EditBlock | Split] = block.splits or [block]
        return [
            HunkPlaces(
                self._allowed_lines(reading.search, reading.replace, narrowing),
                len(section_lines(text.anchor)),
                len(section_lines(text.old_lines)),
            )
            for text, reading in zip(texts, readings(block), strict=True)
        ]

    def of_new(self, block: EditBlock) -> "HunkPlaces":
        """Return the lines at which the new text of a block begins and is allowed."""
        new = section_lines(block.replace)
        lines = self._allowed_lines(new, new, Narrowing.of(block, self._source).of_result())
        return HunkPlaces(lines, len(section_lines(block.anchor)), len(section_lines(block.new_lines)))

    def _allowed_lines(self, search: Sequence[str], replace: Sequence[str], narrowing: Narrowing) -> list[int]:
        key = tuple(search)
        if key not in self._found:
            self._found[key] = [match.start for match in find_exact(search, (), self._source)]
        lines = self._found[key]
        checks = narrowing.checks(search, replace)
        if not checks:
            return lines
        matches = (Match(line, line + len(search)) for line in lines)
        return [match.start for match in matches if all(check(match) for _, check in checks)]


class _NumberedHunks:
    """Blocks with line numbers, of one patch and one file: all numbers refer to the same version of the file."""

    def __init__(self, blocks: Sequence[EditBlock], before: Before) -> None:
        self._blocks = blocks
        self._before = before

    @cached_property
    def lines_after(self) -> dict[int, int]:
        """For each line number, the number after all blocks: blocks with smaller numbers add lines above it."""
        lines = {}
        added = 0
        for line, blocks in groupby(sorted(self._blocks, key=_line), _line):
            lines[line] = line + added
            added += sum(block.replace.count("\n") - block.search.count("\n") for block in blocks)
        return lines

    @cached_property
    def not_at_number(self) -> set[int]:
        """The blocks whose old lines are not exactly at their own line number on the branch."""
        return {block.number for block in self._blocks if not self._is_at_its_number(block)}

    @cached_property
    def elsewhere(self) -> set[int]:
        """The blocks of `blocks` whose old lines are elsewhere on the branch."""
        blocks = (block for block in self._blocks if block.number in self.not_at_number)
        return {block.number for block in blocks if self._is_on_branch(block)}

    def _is_at_its_number(self, block: EditBlock) -> bool:
        start = _line(block) - 1
        lines = self._before().lines
        return any(lines[start : start + len(text)] == text for text in _searched_texts(block))

    def _is_on_branch(self, block: EditBlock) -> bool:
        return any(is_in_file(text, self._before()) for text in _searched_texts(block))


def _line(block: EditBlock) -> int:
    return block.line_hint or 0


def _searched_texts(block: EditBlock) -> list[list[str]]:
    return [list(reading.search) for reading in readings(block) if reading.search]


class HunkPlaces(NamedTuple):
    """Lines at which a text of a hunk begins, ascending. It changes `changed` lines, `above` lines further down.

    Changes are compared by their edges: line n begins at 2n + 1 and ends at 2n + 2, and an insertion above line n
    takes the room between 2n and 2n + 1. So an insertion may touch a change on either side, but no other insertion.
    """

    lines: Sequence[int]
    above: int = 0
    changed: int = 1

    def span(self, line: int) -> tuple[int, int]:
        """The edges of the change, if the text begins at `line`."""
        first = line + self.above
        if not self.changed:
            return 2 * first, 2 * first + 1
        return 2 * first + 1, 2 * (first + self.changed)

    def within(self, low: int, high: int) -> range:
        """Return the indexes of the lines that put the change between two edges."""
        start = bisect_left(self.lines, low, key=lambda line: self.span(line)[0])
        stop = bisect_right(self.lines, high, key=lambda line: self.span(line)[1])
        return range(start, stop)


def bounds(hunks: Sequence[Sequence[HunkPlaces]]) -> list[tuple[int, int]]:
    """Return for each hunk the edges between which its change must be, if all changes keep the order of hunks.

    The hunks above it are as high as possible, those below it as low as possible. A hunk that has no place does not
    limit the others.
    """
    above = []
    low = 0
    for runs in hunks:
        above.append(low)
        low = _highest(runs, low)
    below = []
    high = sys.maxsize
    for runs in reversed(hunks):
        below.append(high)
        high = _lowest(runs, high)
    return list(zip(above, reversed(below), strict=True))


def only_order(hunks: Sequence[Sequence[HunkPlaces]]) -> list[int] | None:
    """Return the only choice of lines that keeps the order of hunks; None if there is no choice, or several."""
    chosen = []
    for runs, (low, high) in zip(hunks, bounds(hunks), strict=True):
        fitting = [run.lines[at] for run in runs for at in run.within(low, high)[:2]]
        if len(fitting) != 1:
            return None
        chosen.append(fitting[0])
    return chosen


def _highest(runs: Sequence[HunkPlaces], low: int) -> int:
    """Return the lower edge of the change of a hunk that is as high as possible, but below `low`."""
    if not any(run.lines for run in runs):
        return low
    edges = (run.span(run.lines[at])[1] for run in runs for at in run.within(low, sys.maxsize)[:1])
    return min(edges, default=sys.maxsize)


def _lowest(runs: Sequence[HunkPlaces], high: int) -> int:
    """Return the upper edge of the change of a hunk that is as low as possible, but above `high`."""
    if not any(run.lines for run in runs):
        return high
    edges = (run.span(run.lines[at])[0] for run in runs for at in run.within(0, high)[-1:])
    return max(edges, default=-1)
