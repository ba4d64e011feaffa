"""What the hunks of one file say of each other's places: by their line numbers, and by what is appended after them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import groupby

from editblocks.core.blocks import EditBlock, section_lines
from editblocks.matching.align import kept_lines
from editblocks.matching.block_readings import readings
from editblocks.matching.ladder import find_exact
from editblocks.matching.line_numbers import LineNumbers
from editblocks.text.source_text import SourceText


class Hunks:
    """The blocks of a response, by file."""

    def __init__(self, by_file: Mapping[str, Sequence[EditBlock]]) -> None:
        self._by_file = by_file
        self._groups: dict[tuple[str, str, int], _Group] = {}

    def numbers(self, block: EditBlock, line: int, before: Callable[[], SourceText]) -> LineNumbers:
        """The line numbers of a hunk that names `line`; `before` gives its file on the branch."""
        key = block.file_path, block.format, block.section
        if key not in self._groups:
            others = (each for each in self._by_file[block.file_path] if each.line_hint is not None)
            self._groups[key] = _Group([each for each in others if (each.format, each.section) == key[1:]])
        group = self._groups[key]
        after = group.lines_after[line] if block.format == "roo" else block.line_after
        own = {block.number}
        return LineNumbers(
            line,
            after or 0,
            lambda: group.misplaced(before()) <= own,
            lambda: group.absent(before()) <= own,
        )

    def tail(self, block: EditBlock) -> list[str]:
        """The lines that later blocks append to the file of one that appends."""
        if block.search or not block.at_end:
            return []
        others = self._by_file[block.file_path]
        later = (each for each in others if each.number > block.number and each.at_end and not each.search)
        return [line for each in later for line in section_lines(each.replace)]


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
