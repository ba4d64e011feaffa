"""The files of a plan as a failed block has to fit them: with the response's fitting blocks applied.

A model that is told not to send those blocks again relies on this, as does the code that joins its answer with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from editblocks.core.codes import EditStatus
from editblocks.core.errors import UnreadableFile
from editblocks.core.model import ApplyResult, Candidate, row_number
from editblocks.core.phrases import blocks, line_range
from editblocks.matching.align import kept_lines
from editblocks.text.source_text import SourceText

Read = Callable[[str], "bytes | None"]

_LANGUAGES = {
    "bash": "sh bash", "c": "c h", "cpp": "cc cpp hpp", "csharp": "cs", "css": "css", "go": "go", "html": "html htm",
    "java": "java", "javascript": "js mjs cjs jsx", "json": "json", "kotlin": "kt", "markdown": "md", "php": "php",
    "python": "py pyi", "ruby": "rb", "rust": "rs", "sql": "sql", "swift": "swift", "toml": "toml",
    "typescript": "ts tsx", "xml": "xml svg", "yaml": "yml yaml",
}  # fmt: skip
_INFO = {extension: name for name, extensions in _LANGUAGES.items() for extension in extensions.split()}


def language(path: str) -> str:
    """Return the info string of a fence with lines of this file."""
    return _INFO.get(path.rpartition(".")[2].lower(), "text")


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as a block has to fit it.

    Line numbers of candidates refer to `head`, or to `lines` if the candidate exists only `after` other blocks.
    `pending` are the blocks whose changes are in `lines` and not in the file yet; `kept` maps the indexes of `lines`
    to those of `head`, None if both are the same. `name` is what sentences call the file.
    """

    lines: Sequence[str]
    head: Sequence[str]
    info: str
    pending: tuple[int, ...] = ()
    kept: Mapping[int, int] | None = None
    name: str = "the file"

    def place(self, candidate: Candidate) -> tuple[int, int]:
        """Return the span of `lines` that a candidate names."""
        start, end = self.line(candidate.start_line, candidate), self.line(candidate.end_line, candidate)
        if start is None or end is None:  # the file is not part of the plan
            start, end = candidate.start_line - 1, candidate.end_line - 1
        return self._within(start, end + 1)

    def line(self, number: int, candidate: Candidate) -> int | None:
        """Return the index in `lines` of a line that is numbered like a candidate's; None if it is gone."""
        return number - 1 if candidate.after else self.now(number - 1)

    def now(self, line: int) -> int | None:
        """Return the index in `lines` of line `line` (0-based) of `head`; None if it is gone."""
        if self.kept is None:
            return line
        return next((new for new, old in self.kept.items() if old == line), None)

    def _within(self, start: int, stop: int) -> tuple[int, int]:
        start = min(start, max(0, len(self.lines) - 1))
        return start, min(max(start + 1, stop), len(self.lines))

    def where(self, start: int, stop: int) -> str:
        """`Lines 30-33 of the file are now:`; it begins with `With block 2 applied` if a block is pending there."""
        verb, noun = ("are", "Lines") if stop - start > 1 else ("is", "Line")
        shift = self._shift(start, stop)
        if shift is None:
            condition = f"With {blocks(self.pending)} applied"
            return f"{condition}, {noun.lower()} {line_range((start + 1, stop))} of {self.name} {verb}:"
        return f"{noun} {line_range((start + 1 + shift, stop + shift))} of {self.name} {verb} now:"

    def whole(self) -> str:
        """As `where`, for all lines."""
        if self._shift(0, len(self.lines)) is None:
            return f"With {blocks(self.pending)} applied, the file is:"
        return "The file is now:"

    def _shift(self, start: int, stop: int) -> int | None:
        """Return what to add to these indexes of `lines` to get those in the file; None if the file has no such run."""
        if not self.pending:
            return 0
        kept = self.kept or {}
        shifts = {kept[index] - index if index in kept else None for index in range(start, stop)}
        return shifts.pop() if len(shifts) == 1 else None


@dataclass(slots=True)
class Files:
    """Reads the files of a plan, each once."""

    result: ApplyResult
    read: Read
    known: dict[str, FileText | None] = field(default_factory=dict)

    def text(self, path: str) -> FileText | None:
        """Return a file with the fitting blocks applied; None if it does not exist or is not text."""
        if path not in self.known:
            try:
                self.known[path] = self._text(path)
            except UnreadableFile:
                self.known[path] = None
        return self.known[path]

    def _text(self, path: str) -> FileText | None:
        data, planned = self.read(path), self.result.contents.get(path)
        head = self.result.originals.get(path) if planned is not None else data
        is_pending = planned is not None and data == head
        shown = planned if is_pending else data
        if shown is None:
            return None
        lines = SourceText.decode(shown, path).lines
        info = language(path)
        if shown == head:
            return FileText(lines, lines, info)
        before = SourceText.decode(head or b"", path).lines
        pending = self._blocks_written(path) if is_pending else ()
        return FileText(lines, before, info, pending, kept_lines(before, lines))

    def _blocks_written(self, path: str) -> tuple[int, ...]:
        fitting = [row for row in self.result.results if row.status is EditStatus.APPLIED]
        return tuple(row_number(row) for row in fitting if row.file_path == path)
