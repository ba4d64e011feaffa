"""The texts of a question about one block: header, changed lines, keys and places. Pure.

Everything from outside goes through `visible`; colour codes are only our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from editblocks.core.codes import EditStatus
from editblocks.core.model import Candidate
from editblocks.core.outcome import Outcome
from editblocks.prompts.files import FileText
from editblocks.report.diff import changed_lines
from editblocks.report.escape import visible
from editblocks.report.rows import Row, notes_by_row
from editblocks.report.terminal.colors import BOLD, MARKS, paint
from editblocks.report.wording import blocks, line_range, named_lines, percent, sides, source_name, strategy_text

MOST_LINES = 40  # of a block that does not fit; `v` shows all
MOST_PLACES = 20
CONTEXT, FEW = 10, 3  # lines around a place that `v` shows: around one, and around each of several
_SHOWN_PLACES = 3
_CR = "\r"  # of a line end, which a terminal would obey
_HELP: Mapping[str, str] = {
    "y": "apply this block",
    "n": "do not apply this block",
    "a": "apply this block and all later ones of {path} that are ready",
    "d": "apply neither this block nor any later one of {path}",
    "p": "pick a place for this block, as {pick}",
    "e": "edit this block in your editor",
    "r": "print what to send back to the model about this block",
    "v": "show more: the lines around, and how the block was looked for",
    "q": "stop; apply what was said yes to, and none of the remaining blocks",
    "?": "print this help",
}


def header(row: Row, total: int, outcome: Outcome, *, color: bool) -> str:
    """`block 2 of 6, src/cart.py:88, indentation, 4 more spaces (medium)`, or why it does not fit."""
    source = source_name(outcome.response.source)
    place = row.path if row.result is not None and row.path else f"{source}:{row.line_number}"
    if is_ready(row) and row.lines:
        place = f"{place}:{line_range(row.lines)}"
    what = strategy_text(row.result) if is_ready(row) and row.result else f"{row.word}: {row.sentence}"
    line = visible(f"block {row.number} of {total}, {place}, {what}")
    return f"{paint(line, BOLD if color else None)}\n"


def is_ready(row: Row) -> bool:
    """Whether the block would be applied as it stands."""
    return row.result is not None and row.result.status is EditStatus.APPLIED


def notes(row: Row, outcome: Outcome) -> str:
    """What should be known of this block besides, a line each."""
    whose = f"block {row.number}: "
    return "".join(f"{visible(f'note: {note.message}')}\n" for owner, note in notes_by_row(outcome) if owner == whose)


def change(old: bytes, new: bytes, context: int, *, color: bool) -> str:
    """The lines that a block takes out and puts in, with so many around; of several runs also where each is."""
    lines = changed_lines(old, new, context).split(b"\n")[:-1]
    runs = sum(line.startswith(b"@@") for line in lines)
    shown = [line for line in lines if context or runs > 1 or not line.startswith(b"@@")]
    return "".join(f"{_line(line, color)}\n" for line in shown)


def _line(line: bytes, color: bool) -> str:
    text = visible(line.decode("utf-8", "replace").removesuffix(_CR), keep="\t")
    return paint(text, MARKS.get(text[:1]) if color else None)


def block_text(text: str, most: int | None = MOST_LINES) -> str:
    """The block as it came, indented, cut where it is long."""
    lines = text.removesuffix("\n").split("\n")
    shown = lines if most is None else lines[:most]
    more = [f"... {len(lines) - len(shown)} more lines; v shows them"] if len(shown) < len(lines) else []
    return "".join(f"    {visible(line.removesuffix(_CR))}\n" for line in (*shown, *more))


def difference(row: Row) -> str:
    """Two lines one above the other, where a block and its file part; nothing where that is not known."""
    first = row.result.first_difference if row.result is not None else None
    if first is None:
        return ""
    expected, actual = sides(first, row.code)
    file = f"ends before line {first.line}" if first.actual is None else visible(first.actual)
    return f"  - {expected}  {visible(first.expected)}\n  + {actual}  {file}\n"


def otherwise(row: Row, whole: Row | None, declined: Sequence[int]) -> str:
    """Whether a block that does not fit would be ready if those before it had not been declined."""
    if whole is None or is_ready(row) or not is_ready(whole):
        return ""
    return f"with {blocks(declined)}, which you left out, it would be ready\n"


def unknown_key(answer: str, row: Row) -> str:
    """What is wrong with an answer that is none of the keys."""
    if len(answer) > 1:
        return f"one letter is expected, not `{visible(answer)}`\n"
    if answer.lower() in "ya":
        return f"block {row.number} cannot be applied as it stands\n"
    return f"this block has no `{visible(answer)}`\n"


def around(row: Row, file: FileText | None) -> str:
    """The first places that a block may have been meant for, with lines around each; `>` marks the place.

    `file` is as the taken blocks make it; a line that they wrote has a `+` for its number in the file.
    """
    if row.result is None or file is None:
        return ""
    candidates = row.result.candidates[:_SHOWN_PLACES]
    context = CONTEXT if len(candidates) == 1 else FEW
    return "    ...\n".join("".join(_number_lines(file, place, context)) for place in candidates)


def _number_lines(file: FileText, place: Candidate, context: int) -> Iterator[str]:
    start, stop = file.place(place)
    for line in range(max(0, start - context), min(len(file.lines), stop + context)):
        head = line if place.after or file.kept is None else file.kept.get(line)
        number = "+" if head is None else str(head + 1)
        mark = ">" if start <= line < stop else " "
        yield f"{mark}{number:>6}  {visible(file.lines[line])}".rstrip(" ") + "\n"


def places(row: Row) -> tuple[Candidate, ...]:
    """The places that may be picked for a block."""
    candidates = row.result.candidates if row.result is not None else ()
    return tuple(candidate for candidate in candidates if candidate.pick is not None)


def list_places(candidates: Sequence[Candidate]) -> str:
    """A line a place: what to type for it, which lines it has, and how much they are what the block looks for."""
    lines = [
        f"  {place.pick}  {named_lines((place.start_line, place.end_line))}, {_likeness(place)}\n"
        for place in candidates[:MOST_PLACES]
    ]
    left = len(candidates) - len(lines)
    return "".join([*lines, *([f"  and {left} more places\n"] if left else [])])


def _likeness(place: Candidate) -> str:
    return "the block fits" if place.similarity == 1 else f"{percent(place.similarity)} alike"


def keys(row: Row, candidates: Sequence[Candidate]) -> str:
    """The keys that make sense for a block with these places; `a` and `d` also for a file's last one, as in git."""
    ready = is_ready(row)
    offered = (
        ("y", ready),
        ("n", True),
        ("a", ready),
        ("d", row.path is not None),
        ("p", bool(candidates)),
        ("e", True),
        ("r", not ready),
        ("v", True),
        ("q?", True),
    )
    return "".join(key for key, is_offered in offered if is_offered)


def help_text(offered: str, path: str | None, candidates: Sequence[Candidate]) -> str:
    """What each of these keys does, a line each."""
    named, pick = visible(path or "its file"), candidates[0].pick if candidates else ""
    return "".join(f"{key} - {_HELP[key].format(path=named, pick=pick)}\n" for key in offered)
