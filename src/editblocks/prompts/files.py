"""Show a model the files that a failed block has to fit, and the lines to copy.

The response's fitting blocks are applied to them, because the model is told not to send those again. A fence holds only
lines of the file, so that text copied from it is found there; only very long lines are cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from editblocks.applying.files import Read
from editblocks.core.codes import EditStatus
from editblocks.core.errors import LevelUnavailable, UnreadableFile
from editblocks.core.mismatch import Candidate
from editblocks.core.model import ApplyResult
from editblocks.core.phrases import blocks, join_words, named_lines
from editblocks.matching.align import kept_lines
from editblocks.paths.policy import is_secret
from editblocks.report.escape import code_span, ticks
from editblocks.text.definitions import Definition, definitions
from editblocks.text.languages import MOST_BYTES
from editblocks.text.source_text import SourceText

LONGEST_LINE = 400
WHOLE_FILE = 40  # lines; a file that has no more is shown whole if no place in it is similar
_SIGNATURE = 80  # characters of a signature
_NAMED = 2  # signatures in a sentence
_MOST_PARSED = 4 * MOST_BYTES  # bytes of files that are parsed for one prompt, which takes a second or two
_LEAST_TICKS = 4  # back-ticks of a fence, because files often contain fences of three
_SURROGATES = re.compile("[\ud800-\udfff]")
_CUT = "more characters]"


class FileText(NamedTuple):
    """A file with the fitting blocks applied, which is what a corrected block has to fit.

    `pending` are the blocks whose changes are in `lines` and not in the file yet. `new_index` maps the indexes of lines
    of the planned file to those in `lines`; None if both are the same. Line numbers of candidates refer to the planned
    file, or to `lines` if the candidate exists only `after` other blocks. `name` is how sentences call the file.
    `around` returns the definitions around a line of `lines`, the outermost first, or none without the extra `syntax`.
    """

    lines: Sequence[str]
    info: str
    pending: tuple[int, ...] = ()
    new_index: Mapping[int, int] | None = None
    name: str = "the file"
    around: Callable[[int], Sequence[Definition]] = lambda _line: ()

    def place(self, candidate: Candidate) -> tuple[int, int]:
        """Return the span of `lines` that a candidate names."""
        start = self.line(candidate.start_line, candidate)
        end = self.line(candidate.end_line, candidate)
        if start is None or end is None:  # the file is not part of the plan
            start = candidate.start_line - 1
            end = candidate.end_line - 1
        start = min(start, max(0, len(self.lines) - 1))
        return start, min(max(start + 1, end + 1), len(self.lines))

    def line(self, number: int, candidate: Candidate) -> int | None:
        """Return the index in `lines` of a line number of `candidate`; None if the line is gone."""
        if candidate.after or self.new_index is None:
            return number - 1
        return self.new_index.get(number - 1)

    def where(self, start: int, stop: int, inside: str = "") -> str:
        """Return `Lines 30-33 of the file are now:`, or with `With block 2 applied` in front if a block is pending."""
        verb = "are" if stop - start > 1 else "is"
        lines = f"{named_lines((start + 1, stop))} of {self.name}"
        if self.pending:
            return f"With {blocks(self.pending)} applied, {lines}{inside} {verb}:"
        return f"{lines.capitalize()}{inside} {verb} now:"

    def inside(self, line: int, start: int) -> str:
        """Return `, in `class Cart:` and `def total(self):`,` for the definitions around a line.

        Only definitions that begin above line `start` are named; empty if there are none.
        """
        spans = [self._signature(each) for each in self.around(line) if each.line < start]
        if not spans:
            return ""
        return f", in {join_words(spans[-_NAMED:])},"

    def _signature(self, definition: Definition) -> str:
        stop = definition.body if definition.body < definition.stop else definition.line + 1
        return code_span(" ".join(line.strip() for line in self.lines[definition.line : stop]), limit=_SIGNATURE)

    def whole(self) -> str:
        """Return the sentence of `where` for the whole file."""
        if self.pending:
            return f"With {blocks(self.pending)} applied, the file is:"
        return "The file is now:"


class Files:
    """Reads the files of a plan, each once."""

    def __init__(self, result: ApplyResult, read: Read) -> None:
        self._result = result
        self._read = read
        self._known: dict[str, FileText | None] = {}
        self._parsed = 0  # bytes

    def text(self, path: str) -> FileText | None:
        """Return a file with the fitting blocks applied; None if it is missing, is not text, or must not be shown."""
        if path in self._result.hidden_texts or is_secret(path):
            return None
        if path not in self._known:
            try:
                self._known[path] = self._text(path)
            except UnreadableFile:
                self._known[path] = None
        return self._known[path]

    def _text(self, path: str) -> FileText | None:
        result = self._result
        shown = self._read(path)
        planned = shown  # the file that the blocks were compared with
        is_pending = False
        if path in result.contents:
            planned = result.originals.get(result.renamed.get(path, path))
            is_pending = shown == result.originals.get(path)
        if is_pending:
            shown = result.contents[path]
        if shown is None:
            return None
        lines = SourceText.decode(shown, path).lines
        text = FileText(lines, info_of(path), around=self._definitions(path, lines, len(shown)))
        if shown == planned:
            return text
        if is_pending:
            applied = (row.block for row in result.results if row.status is EditStatus.APPLIED)
            text = text._replace(pending=tuple(block.number for block in applied if path in block.paths))
        kept = kept_lines(SourceText.decode(planned or b"", path).lines, lines)
        return text._replace(new_index={old: new for new, old in kept.items()})

    def _definitions(self, path: str, lines: Sequence[str], size: int) -> Callable[[int], Sequence[Definition]]:
        """Return a function that finds the definitions around a line.

        It parses the file when it is first called, unless the prompt has parsed too much already.
        """

        @cache
        def all_definitions() -> Sequence[Definition]:
            self._parsed += size
            if self._parsed > _MOST_PARSED:
                return ()
            try:
                return definitions(lines, path)
            except LevelUnavailable:
                return ()

        return lambda line: [each for each in all_definitions() if each.start <= line < each.stop]


def info_of(path: str) -> str:
    """Return the info string of the fence around a file, such as `py` or `makefile`."""
    kind = re.split("[./]", path)[-1].lower()
    return kind if kind.isascii() and kind.isalpha() else "text"


def fence(text: str, info: str = "text") -> str:
    """Put text into a fence longer than any run of back-ticks inside; lone surrogates become U+FFFD."""
    body = _SURROGATES.sub("\ufffd", text)
    if body and not body.endswith("\n"):
        body += "\n"
    edge = ticks(body, _LEAST_TICKS)
    return f"{edge}{info}\n{body}{edge}"


class Excerpt(NamedTuple):
    """Lines `start:stop` of a file (0-based). If there is less room, the lines around `place` or its line `focus`."""

    file: FileText
    start: int
    stop: int
    place: tuple[int, int]
    focus: int = 0
    is_whole: bool = False  # show the whole file or nothing of it

    def text(self, limit: int, *, with_definitions: bool = False) -> str:
        """Return a sentence and a fence with at most `limit` lines; empty if there are no lines to show.

        `with_definitions`: the sentence names the definitions around the place that begin above the lines.
        """
        start = self.start
        stop = self.stop
        first, last = self.place
        too_long = ""
        if not limit or start >= stop or (self.is_whole and stop > min(limit, WHOLE_FILE)):
            return ""
        if stop - start > limit:
            if last - first <= limit:
                start = max(start, first - (limit - (last - first)) // 2)
            else:
                too_long = f"The place has {last - first} lines, more than there is room for. "
                start = min(max(first, self.focus - limit // 2), last - limit)
            stop = min(stop, start + limit)
        inside = self.file.inside(first, start) if with_definitions and start else ""
        sentence = self.file.whole() if self.is_whole else too_long + self.file.where(start, stop, inside)
        lines = self.file.lines[start:stop]
        shown = [cut_line(line) for line in lines]
        fenced = fence("".join(f"{line}\n" for line in shown), self.file.info)
        if shown == list(lines):
            return f"{sentence}\n{fenced}"
        return f"{sentence}\n{fenced}\nA line that ends in `{_CUT}` is longer than shown; do not copy it."


def cut_line(line: str) -> str:
    """Return the line; a very long one is cut, with the number of characters that are missing."""
    more = len(line) - LONGEST_LINE
    if more <= 0:
        return line
    return f"{line[:LONGEST_LINE]}… [{more:,} {_CUT}"


def widen(file: FileText, place: tuple[int, int], context: int, focus: int | None = None) -> Excerpt:
    """Return the lines at `place` with `context` lines above and below, without blank lines at the ends.

    `place` is 0-based and half-open. `focus` is the line at which the block differs from the file.
    """
    start, stop = place
    first = max(0, start - context)
    last = min(len(file.lines), stop + context)
    while first < start and not file.lines[first].strip():
        first += 1
    while last > stop and not file.lines[last - 1].strip():
        last -= 1
    return Excerpt(file, first, last, (start, stop), min(max(focus or 0, start), stop))
