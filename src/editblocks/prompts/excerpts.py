"""Pieces of files for a model to copy from: a sentence with the line numbers, then whole lines in a fence.

A fence holds only lines of the file, so that text copied from it is found there. Only a line that is far
too long is cut, and the prompt then says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editblocks.core.model import Candidate
from editblocks.prompts.files import FileText

LONGEST_LINE = 400
WHOLE_FILE = 40  # a file of at most so many lines is shown whole if no place in it is similar
_LEAST_TICKS = 4  # the files themselves often hold fences of three
_TICKS = re.compile("`+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CUT = "more characters]"


def fence(text: str, info: str = "text") -> str:
    """Put text into a fence longer than any run of back-ticks inside; lone surrogates become U+FFFD."""
    body = _SURROGATES.sub("\ufffd", text.removesuffix("\n"))
    longest = max((len(run) for run in _TICKS.findall(body)), default=0)
    ticks = "`" * max(_LEAST_TICKS, longest + 1)
    return f"{ticks}{info}\n{body}\n{ticks}"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines `start:stop` of a file; if there is less room, fewer lines around `place` or its line `focus` (0-based)."""

    file: FileText
    start: int
    stop: int
    place: tuple[int, int]
    focus: int

    def text(self, limit: int) -> str:
        """Return the sentence and the fence with at most `limit` lines; empty if there are no lines to show."""
        start, stop = self.start, self.stop
        if not limit or start >= stop:
            return ""
        if stop - start <= limit:
            return _quote_lines(self.file.where(start, stop), self.file, start, stop)
        first, last = self.place
        if last - first <= limit:
            start = max(start, first - (limit - (last - first)) // 2)
            stop = min(stop, start + limit)
            return _quote_lines(self.file.where(start, stop), self.file, start, stop)
        start = min(max(first, self.focus - limit // 2), last - limit)
        longer = f"The place has {last - first} lines, more than there is room for."
        return _quote_lines(f"{longer} {self.file.where(start, start + limit)}", self.file, start, start + limit)


@dataclass(frozen=True, slots=True)
class WholeFile:
    """All lines of a file, if it is short."""

    file: FileText

    def text(self, limit: int) -> str:
        """Return the sentence and the fence; empty if the file is empty or has more than `limit` or 40 lines."""
        count = len(self.file.lines)
        if not 0 < count <= min(limit, WHOLE_FILE):
            return ""
        return _quote_lines(self.file.whole(), self.file, 0, count)


def _quote_lines(sentence: str, file: FileText, start: int, stop: int) -> str:
    lines = file.lines[start:stop]
    shown = [_cut_line(line) for line in lines]
    warning = f"\nA line that ends in `{_CUT}` is longer than shown; do not copy it." if shown != list(lines) else ""
    return f"{sentence}\n{fence(_join_lines(shown), file.info)}{warning}"


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _cut_line(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return f"{line[:LONGEST_LINE]}… [{more:,} {_CUT}" if more > 0 else line


def around(file: FileText, candidate: Candidate, context: int, focus: int | None) -> Excerpt:
    """Return the place of a candidate with `context` lines above and below, without blank lines at the ends.

    `focus` is the line at which the file differs, numbered like the candidate's lines.
    """
    return widen(file, file.place(candidate), context, None if focus is None else file.line(focus, candidate))


def widen(file: FileText, place: tuple[int, int], context: int, focus: int | None = None) -> Excerpt:
    """As `around`, for lines that are known to be at `place` in `file.lines`; 0-based, `place` is half-open."""
    start, stop = place
    first, last = max(0, start - context), min(len(file.lines), stop + context)
    while first < start and not file.lines[first].strip():
        first += 1
    while last > stop and not file.lines[last - 1].strip():
        last -= 1
    return Excerpt(file, first, last, (start, stop), min(max(focus or 0, start), stop))
