"""The texts of a question about one block: header, changed lines, keys and places. Pure.

Everything from outside goes through `visible`; colour codes are only our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from editblocks.core.codes import EditStatus
from editblocks.core.model import Candidate
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import blocks, line_range, percent
from editblocks.report.diff import CONTEXT, changed_lines
from editblocks.report.escape import visible
from editblocks.report.terminal.colors import BOLD, MARKS, paint
from editblocks.report.view import OutcomeView, Row, sides, source_name, strategy_text

MOST_LINES = 40  # of a block that does not fit
MOST_PLACES = 20
_CR = "\r"  # of a line end, which a terminal would obey
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

    `text` is the block as it stands in the response; `sides` are the bytes of its file without and with it, empty where
    it would not be applied. `places` are where it may be put, in the lines of `file`. `needs` are blocks that were
    declined, with which it would be ready.
    """

    outcome: Outcome
    row: Row
    total: int
    text: str
    sides: tuple[bytes, bytes]
    places: tuple[Candidate, ...]
    file: Sequence[str]
    needs: Sequence[int]

    @property
    def is_ready(self) -> bool:
        """Whether the block would be applied as it stands."""
        return is_ready(self.row)

    @property
    def keys(self) -> str:
        """The keys that make sense; `a` and `d` also for a file's last block, as in git."""
        ready = "ya" if self.is_ready else ""
        offered = f"{ready}n{'d' if self.row.path is not None else ''}{'p' if self.places else ''}q?"
        return "".join(key for key in _HELP if key in offered)


def is_ready(row: Row) -> bool:
    """Whether the block of a row would be applied."""
    return row.result is not None and row.result.status is EditStatus.APPLIED


def header(question: Question, *, color: bool) -> str:
    """`block 2 of 6, src/cart.py:88, indentation, 4 more spaces (medium)`, or why it does not fit."""
    row, source = question.row, source_name(question.outcome.response.source)
    place = row.path if row.result is not None and row.path else f"{source}:{row.line_number}"
    if question.is_ready and row.lines:
        place = f"{place}:{line_range(row.lines)}"
    what = strategy_text(row.result) if question.is_ready and row.result else f"{row.word}: {row.sentence}"
    line = visible(f"block {row.number} of {question.total}, {place}, {what}")
    return f"{paint(line, BOLD if color else None)}\n"


def body(question: Question, *, color: bool) -> str:
    """What a block changes, or what does not fit; then what should be known of it besides."""
    row = question.row
    needs = f"with {blocks(question.needs)}, which you left out, it would be ready\n" if question.needs else ""
    shown = _change(question, color) if question.is_ready else _block_text(question.text) + _difference(row)
    notes = (note for owner, note in OutcomeView(question.outcome).notes if owner == f"block {row.number}: ")
    return needs + shown + "".join(f"{visible(f'note: {note.message}')}\n" for note in notes)


def _change(question: Question, color: bool) -> str:
    """The lines that a block takes out and puts in, with some around; of several runs also where each is."""
    lines = changed_lines(*question.sides).split(b"\n")[:-1]
    is_one_run = sum(line.startswith(b"@@") for line in lines) == 1
    shown = (_plain(line.decode("utf-8", "replace")) for line in (lines[1:] if is_one_run else lines))
    return "".join(f"{paint(line, MARKS.get(line[:1]) if color else None)}\n" for line in shown)


def _block_text(text: str) -> str:
    """The block as it came, indented, cut where it is long."""
    lines = text.removesuffix("\n").split("\n")
    more = [f"... {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return "".join(f"    {_plain(line)}\n" for line in (*lines[:MOST_LINES], *more))


def _difference(row: Row) -> str:
    """Two lines one above the other, where a block and its file part; nothing where that is not known."""
    first = row.result.first_difference if row.result is not None else None
    if first is None:
        return ""
    expected, actual = sides(first, row.code)
    file = f"ends before line {first.line}" if first.actual is None else visible(first.actual)
    return f"  - {expected}  {visible(first.expected)}\n  + {actual}  {file}\n"


def list_places(question: Question) -> str:
    """The places of a block, numbered from 1, with their text and the lines around; `>` marks the place itself."""
    shown = question.places[:MOST_PLACES]
    texts = ["".join(_place(number, place, question.file)) for number, place in enumerate(shown, 1)]
    left = len(question.places) - len(shown)
    more = f"{left} more places: choose one with --only, as in --only {question.places[-1].pick}\n" if left else ""
    return "".join(texts) + more


def _place(number: int, place: Candidate, file: Sequence[str]) -> Iterator[str]:
    alike = "" if place.similarity == 1 else f", {percent(place.similarity)} alike"
    start, stop = place.start_line - 1, place.end_line
    yield f"place {number}{alike}:\n"
    for index in range(max(0, start - CONTEXT), min(len(file), stop + CONTEXT)):
        mark = ">" if start <= index < stop else " "
        yield f"{mark}{index + 1:>6}  {_plain(file[index])}".rstrip(" ") + "\n"


def help_text(question: Question) -> str:
    """What each key does, a line each."""
    path = visible(question.row.path or "its file")
    return "".join(f"{key} - {_HELP[key].format(path=path)}\n" for key in question.keys)


def _plain(line: str) -> str:
    return visible(line.removesuffix(_CR), keep="\t")
