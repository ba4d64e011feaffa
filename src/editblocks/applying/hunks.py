"""What the blocks of one file say of each other's places: by line numbers, by their order, and by being equal."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby, pairwise

from editblocks.core.blocks import EditBlock, ParseResult, Split, section_lines
from editblocks.core.selection import Selection
from editblocks.matching.align import Match, kept_lines
from editblocks.matching.block_readings import lines_asked_for, readings
from editblocks.matching.ladder import find_exact
from editblocks.matching.narrowing import LineNumbers, Narrowing
from editblocks.matching.order import Order, Run, bounds, only_order
from editblocks.text.source_text import SourceText

MANY = 20  # blocks of one file, for which an index of its lines takes less time than as many searches
Before = Callable[[], SourceText]  # gives a file as it is on the branch


class Hunks:
    """The blocks of a response, and which of them a person takes."""

    def __init__(self, parsed: ParseResult, select: Selection | None) -> None:
        self._by_file = parsed.by_file
        self._broken = {problem.file_path for problem in parsed.problems}
        self._select = select
        self._patches: dict[str, Mapping[tuple[str, int], list[EditBlock]]] = {}
        self._groups: dict[tuple[str, str, int], _Group] = {}
        self._sections: dict[tuple[str, str, int], _Section] = {}
        self._equal: dict[str, Mapping[tuple[object, ...], _Equal]] = {}

    def numbers(self, block: EditBlock, line: int, before: Before) -> LineNumbers:
        """The line numbers of a hunk that names `line`; `before` gives its file on the branch."""
        key = block.file_path, block.format, block.section
        if key not in self._groups:
            self._groups[key] = _Group([each for each in self._same_patch(block) if each.line_hint is not None])
        group = self._groups[key]
        after = group.lines_after[line] if block.format == "roo" else block.line_after
        own = {block.number}
        return LineNumbers(
            line,
            after or 0,
            lambda: group.misplaced(before()) <= own,
            lambda: group.absent(before()) <= own,
        )

    def order(self, block: EditBlock, applied: Sequence[int], before: Before) -> Order:
        """What the other blocks say of the place of `block`; the blocks `applied` have changed its file already."""
        section = self._section(block, applied)
        return Order(
            partial(self._equal_line, block, before),
            partial(section.line, block, before),
            partial(section.done_line, block, before),
        )

    def fixed_line(self, block: EditBlock, before: SourceText) -> int | None:
        """The line that decides about a hunk before its section does: a person's, or a number that is trusted."""
        if self._select is not None and block.number in self._select.picks:
            return self._select.picks[block.number] - 1
        if block.line_hint is None or block.splits:
            return None
        numbers = self.numbers(block, block.line_hint, lambda: before)
        place = numbers.place(section_lines(block.search), before)
        return place.start if place is not None and numbers.agree() else None

    def tail(self, block: EditBlock) -> list[str]:
        """The lines that later blocks append to the file of one that appends."""
        if block.search or not block.at_end:
            return []
        others = self._by_file[block.file_path]
        later = (each for each in others if each.number > block.number and each.at_end and not each.search)
        return [line for each in later for line in section_lines(each.replace)]

    def _same_patch(self, block: EditBlock) -> list[EditBlock]:
        """The blocks of one format, and of one section, for the file of `block`."""
        path = block.file_path
        if path not in self._patches:
            found: dict[tuple[str, int], list[EditBlock]] = {}
            for each in self._by_file[path]:
                found.setdefault((each.format, each.section), []).append(each)
            self._patches[path] = found
        return self._patches[path][block.format, block.section]

    def _section(self, block: EditBlock, applied: Sequence[int]) -> _Section:
        """The hunks of the section of `block`: none if its order says nothing."""
        key = block.file_path, block.format, block.section
        if key not in self._sections:
            hunks = self._same_patch(block) if block.section else []
            is_whole = block.file_path not in self._broken
            # Their places are counted on the branch, so nothing else may have changed the file.
            is_first = {each.number for each in hunks}.issuperset(applied)
            self._sections[key] = _Section(hunks if is_whole and is_first else [], self.fixed_line)
        return self._sections[key]

    def _equal_line(self, block: EditBlock, before: Before) -> int | None:
        """Where `block` goes if its text has as many places as there are blocks like it."""
        path = block.file_path
        if path not in self._equal:
            found: dict[tuple[object, ...], _Equal] = {}
            for each in self._by_file[path]:
                found.setdefault(_asked(each), _Equal()).numbers.append(each.number)
            self._equal[path] = found
        equal = self._equal[path][_asked(block)]
        if len(equal.numbers) < 2 or block.splits:
            return None
        return equal.line(block, before, self._select)


def _asked(block: EditBlock) -> tuple[object, ...]:
    """All that a block says of its change and its place, but for line numbers."""
    return block.search, block.replace, block.scopes, block.at_end, block.ends


class _Equal:
    """Blocks of one file that ask for the same change."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._lines: list[int] | None = None

    def line(self, block: EditBlock, before: Before, select: Selection | None) -> int | None:
        """The place of `block` on the branch: the first block takes the first; None if there are more or fewer."""
        if self._lines is None:
            [run] = _Places(before(), [block]).of_old(block)
            lines, size = list(run.lines), block.search.count("\n")
            are_apart = all(below - line >= size for line, below in pairwise(lines))
            are_taken = all(_takes_anywhere(select, number, block.file_path) for number in self.numbers)
            self._lines = lines if are_apart and are_taken and len(lines) == len(self.numbers) else []
        return self._lines[bisect_left(self.numbers, block.number)] if self._lines else None


def _takes_anywhere(select: Selection | None, number: int, path: str) -> bool:
    """Whether a block is to be applied, and nobody has chosen its place."""
    return select is None or (number not in select.picks and select.takes(number, path))


class _Section:
    """The hunks of one file in one patch, in their order; `fixed` says which line one has whatever the others say."""

    def __init__(self, hunks: Sequence[EditBlock], fixed: Callable[[EditBlock, SourceText], int | None]) -> None:
        self._hunks = hunks
        self._fixed = fixed
        self._index = {hunk.number: at for at, hunk in enumerate(hunks)}
        self._lines: list[int] | None = None
        self._bounds: list[tuple[int, int]] | None = None
        self._places: _Places | None = None

    @cached_property
    def _says_something(self) -> bool:
        """Whether there is an order, and a second run could tell of each hunk that it was there."""
        return len(self._hunks) > 1 and all(hunk.replace for hunk in self._hunks)

    def line(self, hunk: EditBlock, before: Before) -> int | None:
        """Where a hunk begins on the branch, if all of them stand there and only one choice goes down the file.

        No two of them may have a line in common there, and a scope that reaches to the end of the text is no witness: a
        hunk of it could stand below any other. If the new lines stand where the hunk may be as well, an
        earlier run may have put them there.
        """
        if not self._says_something or hunk.splits:
            return None
        if self._lines is None:
            self._lines = self._only_lines(before)
        if not self._lines:
            return None
        line = self._lines[self._index[hunk.number]]
        return line if self._new_line(hunk, before, line) is None else None

    def _only_lines(self, before: Before) -> list[int]:
        """The lines of all hunks; none if that cannot be told."""
        if not self._on_the_branch(before).have_bounded_scopes(self._hunks):
            return []
        lines = only_order([self._old_places(each, before) for each in self._hunks]) or []
        ends = [line + each.search.count("\n") for line, each in zip(lines, self._hunks, strict=False)]
        are_apart = all(end <= line for end, line in zip(ends, lines[1:], strict=False))
        return lines if are_apart else []

    def done_line(self, hunk: EditBlock, before: Before, line: int, now: SourceText) -> int | None:
        """Where the new lines of a hunk stand in the order of the file, if it cannot begin at `line` in that order.

        Then an earlier run has put them there, and the text at `line` is one like the text that it changed. `now` is
        the file as it is: if it has no such lines, there is no need to look at the others.
        """
        new = section_lines(hunk.replace)
        if not self._says_something or hunk.splits or next(find_exact(new, (), now), None) is None:
            return None
        low, high = self._bounds_of(hunk, before)
        first, last = Run((line,), len(section_lines(hunk.anchor)), len(section_lines(hunk.old_lines))).span(line)
        if (low <= first and last <= high) or self._fixed(hunk, before()) == line:
            return None
        return self._new_line(hunk, before, line)

    def _new_line(self, hunk: EditBlock, before: Before, line: int) -> int | None:
        """Where the new lines of a hunk stand in the order of the file, but for those around its place at `line`."""
        stop, size = line + hunk.search.count("\n"), hunk.replace.count("\n")
        run = self._new_places(hunk, before)
        lines = (run.lines[at] for at in run.within(*self._bounds_of(hunk, before)))
        return next((at for at in lines if line < at or at + size < stop), None)

    def _bounds_of(self, hunk: EditBlock, before: Before) -> tuple[int, int]:
        """Between which edges a hunk has to be, if each stands where it is to go or where it was put."""
        if self._bounds is None:
            both = ([*self._old_places(each, before), self._new_places(each, before)] for each in self._hunks)
            self._bounds = bounds(list(both))
        return self._bounds[self._index[hunk.number]]

    def _old_places(self, hunk: EditBlock, before: Before) -> list[Run]:
        """Where a hunk may begin on the branch, in each of its readings."""
        runs, fixed = self._on_the_branch(before).of_old(hunk), self._fixed(hunk, before())
        if fixed is None:
            return runs
        return [run._replace(lines=[fixed] if fixed in run.lines else []) for run in runs]

    def _new_places(self, hunk: EditBlock, before: Before) -> Run:
        """Where the new lines of a hunk are on the branch already."""
        return self._on_the_branch(before).of_new(hunk)

    def _on_the_branch(self, before: Before) -> _Places:
        self._places = self._places or _Places(before(), self._hunks)
        return self._places


class _Places:
    """Where texts of some blocks stand exactly in a file. Equal texts are looked for once."""

    def __init__(self, source: SourceText, blocks: Sequence[EditBlock]) -> None:
        self._source = source
        self._found: dict[tuple[str, ...], list[int]] = {}
        if len(blocks) >= MANY:
            source.index(lines_asked_for(blocks))

    def have_bounded_scopes(self, blocks: Sequence[EditBlock]) -> bool:
        """Whether the scopes that these blocks have end before the text does."""
        scopes = (Narrowing.of(block, self._source).scopes for block in blocks if block.scopes)
        return all(each is None or each.are_bounded for each in scopes)

    def of_old(self, block: EditBlock) -> list[Run]:
        """The lines at which the old text of a block begins and counts, in each of its readings."""
        narrowing = Narrowing.of(block, self._source)
        texts: Sequence[EditBlock | Split] = block.splits or [block]
        return [
            Run(
                self._counting(reading.search, reading.replace, narrowing),
                len(section_lines(text.anchor)),
                len(section_lines(text.old_lines)),
            )
            for text, reading in zip(texts, readings(block), strict=True)
        ]

    def of_new(self, block: EditBlock) -> Run:
        """The lines at which the new text of a block begins and counts."""
        new = section_lines(block.replace)
        lines = self._counting(new, new, Narrowing.of(block, self._source).of_result())
        return Run(lines, len(section_lines(block.anchor)), len(section_lines(block.new_lines)))

    def _counting(self, search: Sequence[str], replace: Sequence[str], narrowing: Narrowing) -> list[int]:
        key = tuple(search)
        if key not in self._found:
            self._found[key] = [match.start for match in find_exact(search, (), self._source)]
        lines, checks = self._found[key], narrowing.checks(search, replace)
        if not checks:
            return lines
        matches = (Match(line, line + len(search)) for line in lines)
        return [match.start for match in matches if all(check(match) for _, check in checks)]


class _Group:
    """Numbered blocks of one patch and one file: all of them count in the same version of it."""

    def __init__(self, blocks: Sequence[EditBlock]) -> None:
        self._blocks = blocks
        self._absent: set[int] | None = None
        self._misplaced: set[int] | None = None

    @cached_property
    def lines_after(self) -> dict[int, int]:
        """Where each line number is after all blocks, by what those with smaller numbers add."""
        found, added = {}, 0
        for line, blocks in groupby(sorted(self._blocks, key=_line), _line):
            found[line] = line + added
            added += sum(block.replace.count("\n") - block.search.count("\n") for block in blocks)
        return found

    def absent(self, before: SourceText) -> set[int]:
        """The blocks that do not stand exactly at their own number on the branch."""
        if self._absent is None:
            self._absent = {block.number for block in self._blocks if not _stands(block, before)}
        return self._absent

    def misplaced(self, before: SourceText) -> set[int]:
        """Those of them that stand elsewhere on the branch."""
        if self._misplaced is None:
            absent = (block for block in self._blocks if block.number in self.absent(before))
            self._misplaced = {block.number for block in absent if _stands_somewhere(block, before)}
        return self._misplaced


def _line(block: EditBlock) -> int:
    return block.line_hint or 0


def _stands(block: EditBlock, before: SourceText) -> bool:
    start = _line(block) - 1
    return any(before.lines[start : start + len(text)] == text for text in _texts(block))


def _stands_somewhere(block: EditBlock, before: SourceText) -> bool:
    return any(next(find_exact(text, (), before), None) is not None for text in _texts(block))


def _texts(block: EditBlock) -> list[list[str]]:
    return [list(reading.search) for reading in readings(block) if reading.search]


def note_found(block: EditBlock, text: SourceText, line: int) -> None:
    """Count the lines that a hunk adds, and that stand at `line` already, as added by its section."""
    text.begin(block.section)
    reading = readings(block)[0]
    kept = kept_lines(reading.search, reading.replace)
    for offset in range(len(reading.replace)) if block.section else ():
        if offset not in kept and line + offset < len(text.added):
            text.added[line + offset] = 1
