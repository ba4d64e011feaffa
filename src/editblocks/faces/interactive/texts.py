"""The texts of a question about one block: header, changed lines, keys and places. Pure.

Everything from outside goes through `visible`; colour codes are only our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from editblocks.core.codes import EditStatus
from editblocks.core.model import Candidate
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import line_range, percent
from editblocks.core.typed import NamedTuple
from editblocks.report.diff import CONTEXT, changed_lines
from editblocks.report.escape import visible
from editblocks.report.terminal.colors import BOLD, MARKS, paint
from editblocks.report.terminal.short import differing
from editblocks.report.view import OutcomeView, Row, source_name, strategy_text

MOST_LINES = 40  # of a block that does not fit
MOST_PLACES = 20
_HELP: Mapping[str, str] = {
    "y": "apply this block",
    "n": "do not apply this block",
    "a": "apply this block and all later ones of {path} that are ready",
    "d": "apply neither this block nor any later one of {path}",
    "p": "choose a place for this block",
    "q": "stop; apply what was said yes to, and none of the remaining blocks",
    "?": "print this help",
}


class Question(NamedTuple):
    """A block as it is asked about: planned on the blocks that were taken before it, and on no others.

    `lines` are the block as it stands in the response; `sides` are the bytes of its file without and with it.
    `places` are where it may be put, in the lines of `file`.
    """

    outcome: Outcome
    row: Row
    total: int
    lines: Sequence[str]
    sides: tuple[bytes, bytes]
    places: tuple[Candidate, ...]
    file: Sequence[str]

    @property
    def is_ready(self) -> bool:
        """Whether the block would be applied as it stands."""
        return self.row.result is not None and self.row.result.status is EditStatus.APPLIED

    @property
    def is_nothing(self) -> bool:
        """Whether the block changes nothing, so that there is nothing to ask."""
        return self.row.ok and not self.is_ready

    @property
    def keys(self) -> str:
        """The keys that make sense; `a` and `d` also for a file's last block, as in git."""
        ready = "ya" if self.is_ready else ""
        offered = f"{ready}n{'d' if self.row.path is not None else ''}{'p' if self.places else ''}q?"
        return "".join(key for key in _HELP if key in offered)


def header(question: Question, *, color: bool) -> str:
    """`block 2 of 6, src/cart.py:88, indentation, 4 more spaces (medium)`, or why it does not fit."""
    row, source = question.row, source_name(question.row.response.source)
    place = row.path if row.result is not None and row.path else f"{source}:{row.line_number}"
    if question.is_ready and row.lines:
        place = f"{place}:{line_range(row.lines)}"
    what = strategy_text(row.result) if question.is_ready and row.result else f"{row.word}: {row.sentence()}"
    line = visible(f"block {row.number} of {question.total}, {place}, {what}")
    return f"{paint(line, BOLD if color else None)}\n"


def body(question: Question, *, color: bool) -> str:
    """What a block changes, or what does not fit."""
    if question.is_nothing:
        return ""
    lines = _changed_lines(question, color) if question.is_ready else _block_lines(question)
    return "".join(f"{line}\n" for line in lines)


def notes(question: Question) -> str:
    """What should be known of a block besides."""
    if question.is_nothing:
        return ""
    whose = f"block {question.row.number}: "
    messages = [note.message for owner, note, _ in OutcomeView(question.outcome).notes if owner == whose]
    return "".join(visible(f"note: {message}") + "\n" for message in messages)


def _changed_lines(question: Question, color: bool) -> Iterator[str]:
    """The lines that a block takes out and puts in, with some around; of several runs also where each is."""
    lines = [line.decode("utf-8", "replace") for line in changed_lines(*question.sides).split(b"\n")[:-1]]
    is_one_run = sum(line.startswith("@@") for line in lines) == 1
    for line in lines[is_one_run:]:
        yield paint(_plain(line), MARKS.get(line[:1]) if color else None)


def _block_lines(question: Question) -> Iterator[str]:
    """The block as it came, indented, cut where it is long; then the two lines where it and its file part."""
    yield from (f"    {_plain(line)}" for line in question.lines[:MOST_LINES])
    if len(question.lines) > MOST_LINES:
        yield f"    ... {len(question.lines) - MOST_LINES} more lines"
    if question.row.result is not None:
        yield from differing(question.row.result)


def list_places(question: Question) -> str:
    """The places of a block, numbered from 1, with their text and the lines around; `>` marks the place itself."""
    lines, places = list[str](), question.places
    for number, place in enumerate(places[:MOST_PLACES], 1):
        alike = "" if place.similarity == 1 else f", {percent(place.similarity)} alike"
        lines.append(f"place {number}{alike}:")
        start, stop = place.start_line - 1, place.end_line
        for index in range(max(0, start - CONTEXT), min(len(question.file), stop + CONTEXT)):
            mark = ">" if start <= index < stop else " "
            lines.append(f"{mark}{index + 1:>6}  {_plain(question.file[index])}".rstrip(" "))
    if len(places) > MOST_PLACES:
        left = len(places) - MOST_PLACES
        lines.append(f"{left} more places: choose one with --only, as in --only {places[-1].pick}")
    return "".join(f"{line}\n" for line in lines)


def help_text(question: Question) -> str:
    """What each key does, a line each."""
    path = visible(question.row.path or "its file")
    return "".join(f"{key} - {_HELP[key].format(path=path)}\n" for key in question.keys)


def _plain(line: str) -> str:
    return visible(line.removesuffix("\r"), keep="\t")  # of a line end, which a terminal would obey
