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
from editblocks.report.next_commands import NONE_KEPT, Kept, apply_fitting_command, retry_command
from editblocks.report.terminal.short import columns, differing, how, notes, painted_word, summary
from editblocks.report.terminal.wrapping import INDENT, wrapped
from editblocks.report.view import APPLIED, FAILED, READY, SKIPPED, OutcomeView, Row, line_counts, source_name

_UNICODE = {READY: "✓", APPLIED: "✓", FAILED: "✗", SKIPPED: "–"}
_ASCII = {READY: "ok  ", APPLIED: "ok  ", FAILED: "FAIL", SKIPPED: "skip"}
_INDENT = " " * 5
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
    levels: str = "",
    offers_apply: bool = False,
) -> str:
    """The full form: a row for every block, a paragraph for every row that is not fine, and the sum.

    `unicode` False: for an output that cannot encode the icons. `kept`: the options that a command to be typed next
    needs. `width`: the columns of the terminal, which sentences are wrapped to, at words. `levels`: what stands above
    the notes. `offers_apply`: name the command that writes the blocks that fit, although others do not. Ends with a
    line end.
    """
    shown = view.rows
    if not shown:
        return f"{wrapped(notes(view), width)}{wrapped(summary(view), width)}\n"
    lines = [wrapped(line, width) for line in table(shown, width, unicode=unicode, color=color)]
    paragraphs = list[str]()
    for without, alike in groupby(shown, lambda row: row.result.without if row.result and row.fits_alone else ()):
        run = list(alike)
        if without and len(run) > 1:  # neighbours that wait for the same blocks
            numbers, code = ranges(row.number for row in run), ReasonCode.EARLIER_FAILURE.value
            together = f"{numbers}  {code}: fit {without_blocks(without)}; repair block {without[0]} first"
            paragraphs.append(wrapped(together, width))
            continue
        for row in run:
            paragraphs += _paragraph(row, width)
    if offers_apply and (command := apply_fitting_command(view, kept)):
        which = "the one that fits" if len(view.fitting) == 1 else f"the {len(view.fitting)} that fit"
        paragraphs.append(wrapped(f"{INDENT}`{command}` writes {which}", width))
    if view.is_asked_for:
        paragraphs.append(wrapped(f"{INDENT}`{retry_command(view, kept)}` writes a prompt", width))
    rows = "\n".join([*lines, *([""] if paragraphs else []), *paragraphs])
    last = "\n".join(wrapped(line, width) for line in (summary(view), *_suggestions(view)))
    return f"{rows}\n{wrapped(levels, width)}{wrapped(notes(view), width)}{last}\n"


def table(shown: Sequence[Row], width: int | None, *, unicode: bool, color: bool) -> list[str]:
    """A line for each row; the numbers of lines are left out where the terminal has no room for them."""
    places = [visible(_place(row)) for row in shown]
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


def _place(row: Row) -> str:
    if row.path is None or row.result is None:
        return f"{source_name(row.response.source)}:{row.line_number}"
    # A place that is only the closest stands in the paragraph: in a row it would look found.
    return f"{row.path}:{line_range(row.lines)}" if row.lines and row.word != FAILED else row.path


def _paragraph(row: Row, width: int | None) -> Iterator[str]:
    if row.ok or row.code is ReasonCode.NOT_SELECTED:  # whoever left it out knows why
        return
    yield wrapped(visible(f"{row.number}  {row.sentence(typed=True)}"), width)
    if row.result is not None:
        for line in differing(row.result, _merge(row)):
            yield from _caret_and_words(line, width)


def _caret_and_words(line: str, width: int | None) -> Iterator[str]:
    """The line below two texts: what it says of its caret stands on a line of its own where there is no room."""
    place, caret, words = line.partition("^ ")
    if width is None or columns(line) <= width or not caret or place.strip():
        yield line  # it has room, or is a line of code
        return
    yield f"{place}^"
    yield wrapped(f"{INDENT}{words}", width)


def _merge(row: Row) -> str:
    """What a person may do about a text that is not there, if it can be merged into one that is nearly it."""
    place = row.choice
    if place is None or row.cause is ReasonCode.AMBIGUOUS:
        return ""
    return f"--only {place.pick} merges into {named_lines((place.start_line, place.end_line))}"


def _suggestions(view: OutcomeView) -> list[str]:
    commands = view.result.shell_suggestions
    lines = [
        f"Shell suggestion, not run{' (destructive)' * (risk == 'destructive')}: {visible(command)}"
        for command, risk in suggestions(commands)
    ]
    left = len(commands) - len(lines)
    return [*lines, f"{plural(left, 'more shell suggestion')}, not run"] if left else lines
