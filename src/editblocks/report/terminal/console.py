"""An outcome for a terminal: aligned rows, a paragraph for each failure, and a line that sums up.

Everything from outside goes through `visible`; colour codes are only our own. Layout: docs/reference/command-line.md,
"what is printed".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import line_range, named_lines, plural, ranges, without_blocks
from editblocks.report.command_risk import suggestions
from editblocks.report.escape import visible
from editblocks.report.next_commands import NONE_KEPT, Kept, retry_command
from editblocks.report.terminal.short import columns, differing, how, notes, painted_word, summary
from editblocks.report.view import APPLIED, FAILED, READY, SKIPPED, OutcomeView, Row, line_counts, source_name

_UNICODE = {READY: "✓", APPLIED: "✓", FAILED: "✗", SKIPPED: "–"}
_ASCII = {READY: "ok  ", APPLIED: "ok  ", FAILED: "FAIL", SKIPPED: "skip"}
_NARROWEST = 20  # columns that sentences are wrapped to; below it, there is no room for words
_GAPS = 17  # columns of a row that are the same in each: the word and what parts the cells
_WIDEST = 48  # a longer place pushes its own row to the right, and no other


def report(
    view: OutcomeView,
    *,
    unicode: bool = True,
    color: bool = False,
    kept: Kept = NONE_KEPT,
    width: int | None = None,
) -> str:
    """The full form: a row for every block, a paragraph for every row that is not fine, and the sum.

    `unicode` False: for an output that cannot encode the icons. `kept`: the options that a command to be typed next
    needs. `width`: the columns of the terminal, which sentences are wrapped to, at words. Ends with a line end.
    """
    shown = view.rows
    if not shown:
        return f"{_wrap(notes(view), width)}{_wrap(summary(view), width)}\n"
    lines = _table(shown, source_name(view.outcome.response.source), width, unicode=unicode, color=color)
    offered_at, retry = _row_that_offers_retry(view), f"`{retry_command(view, kept)}` writes a prompt"
    paragraphs: list[str] = []
    for without, alike in groupby(shown, _fits_without):
        run = list(alike)
        if without and len(run) > 1:
            paragraphs.append(_wrap(_together(run, without), width))
            continue
        for row in run:
            paragraphs += _paragraph(row, retry if row.number == offered_at else "", width)
    if paragraphs:
        lines += ["", *paragraphs]
    rows = "\n".join(lines)
    last = "\n".join((_wrap(summary(view), width), *_suggestions(view)))
    return f"{rows}\n{_wrap(notes(view), width)}{last}\n"


def _wrap(text: str, width: int | None) -> str:
    """`text` with its long lines broken between words, the rest indented; a word that is too long stays whole."""
    if width is None:
        return text
    return "\n".join("\n".join(_pieces(line, max(width, _NARROWEST))) for line in text.split("\n"))


def _pieces(line: str, width: int) -> Iterator[str]:
    """Lines of no more than `width` columns where words allow that."""
    piece = ""
    for word in line.split(" "):
        longer = f"{piece} {word}" if piece else word
        if columns(longer) > width and piece.strip():
            yield piece
            longer = f"     {word}"
        piece = longer
    yield piece


def _table(shown: Sequence[Row], source: str, width: int | None, *, unicode: bool, color: bool) -> list[str]:
    """A line for each row; the numbers of lines are left out where the terminal has no room for them."""
    places = [visible(_place(row, source)) for row in shown]
    matches = [visible(how(row)) for row in shown]
    number_width = max(2, len(str(shown[-1].number)))
    place_width, match_width = _width(places), _width(matches)
    icons = _UNICODE if unicode else _ASCII
    before = number_width + len(icons[READY]) + place_width + match_width + _GAPS
    is_narrow = width is not None and before + max(len(line_counts(row)) for row in shown) > width
    lines = []
    for row, place, match in zip(shown, places, matches, strict=True):
        word = painted_word(row, f"{icons[row.word]} {row.word:<7}", color=color)
        line = f"{row.number:>{number_width}}  {word}  {_pad(place, place_width)}   {_pad(match, match_width)}"
        lines.append(line if is_narrow else f"{line}  {line_counts(row)}")
    return [line.rstrip(" ") for line in lines]


def _width(cells: Sequence[str]) -> int:
    return max((width for cell in cells if (width := columns(cell)) <= _WIDEST), default=0)


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - columns(cell))


def _place(row: Row, source: str) -> str:
    if row.path is None or row.result is None:
        return f"{source}:{row.line_number}"
    # A place that is only the closest stands in the paragraph: in a row it would look found.
    return f"{row.path}:{line_range(row.lines)}" if row.lines and row.word != FAILED else row.path


def _row_that_offers_retry(view: OutcomeView) -> int | None:
    """The block at which `retry` is offered, once for all: the first one that has another way out besides."""
    wanted = view.outcome.retry_blocks if view.is_asked_for else ()
    asked = [row for row in view.rows if not row.ok and row.number in wanted]
    beside = [row for row in asked if _merge(row)]
    return next((row.number for row in (*beside, *asked)), None)


def _fits_without(row: Row) -> tuple[int, ...]:
    """The failed blocks without which a block of their file fits; empty for every other row."""
    trial = row.result.trial if row.result is not None else None
    is_fine = trial is not None and trial.ok
    return row.result.without if row.result is not None and is_fine else ()


def _together(run: Sequence[Row], without: tuple[int, ...]) -> str:
    """One paragraph for neighbours that wait for the same blocks."""
    code = ReasonCode.EARLIER_FAILURE.value
    return (
        f"{ranges(row.number for row in run)}  {code}: fit {without_blocks(without)}; repair block {without[0]} first"
    )


def _paragraph(row: Row, retry: str, width: int | None) -> Iterator[str]:
    """`retry` is the offer of a prompt, where it stands below this row."""
    if row.ok or row.code is ReasonCode.NOT_SELECTED:  # whoever left it out knows why
        return
    yield _wrap(visible(f"{row.number}  {row.typed_sentence}"), width)
    merge = _merge(row)
    offer = f"{merge}; {retry}" if merge and retry else merge
    if row.result is not None and row.result.first_difference is not None:
        yield from differing(row.result, offer)
    elif offer:
        yield f"     {offer}"
    if retry and not merge:
        yield f"     {retry}"


def _merge(row: Row) -> str:
    """What a person may do about a text that is not there, if it can be merged into one that is nearly it."""
    place = row.choice
    if place is None or row.result is None or row.cause is ReasonCode.AMBIGUOUS:
        return ""
    is_shown = row.result.first_difference is not None and place is row.result.candidates[0]
    lines = "these lines" if is_shown else named_lines((place.start_line, place.end_line))
    return f"--only {place.pick} merges into {lines}"


def _suggestions(view: OutcomeView) -> list[str]:
    commands = view.result.shell_suggestions
    lines = [
        f"Shell suggestion, not run{' (destructive)' * (risk == 'destructive')}: {visible(command)}"
        for command, risk in suggestions(commands)
    ]
    left = len(commands) - len(lines)
    return [*lines, f"{plural(left, 'more shell suggestion')}, not run"] if left else lines
