"""Write an outcome for a terminal in full: aligned rows, a paragraph for each failure, and a summary line.

A response that is still growing is shown by its rows so far, the open block, and the keys, each line as wide as the
terminal at most, so that the lines can be drawn again in the same place. Foreign text goes through `visible`, so only
our own colour codes reach the terminal. Layout: docs/reference/command-line.md, "what is printed".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import NamedTuple

from editblocks.core.characters import cut_middle
from editblocks.core.codes import ReasonCode
from editblocks.core.model import EditResult
from editblocks.core.phrases import line_range, named_lines, plural, ranges, without_blocks
from editblocks.core.settings import Settings
from editblocks.matching.ladder import EXACT, EXACT_FORMATS, LOOSE_LEVELS, STRATEGIES
from editblocks.report.escape import visible
from editblocks.report.next_commands import NONE_KEPT, Kept, apply_command, retry_command
from editblocks.report.short import differing, how, notes, painted_word, summary
from editblocks.report.view import (
    APPLIED,
    FAILED,
    READY,
    SKIPPED,
    OutcomeView,
    Row,
    line_counts,
    source_name,
    suggested_commands,
    those_that_fit,
)
from editblocks.report.wrapping import COLOUR, INDENT, width_of, wrapped

_UNICODE = {READY: "✓", APPLIED: "✓", FAILED: "✗", SKIPPED: "–"}
_ASCII = {READY: "ok  ", APPLIED: "ok  ", FAILED: "FAIL", SKIPPED: "skip"}
_GAPS = 17  # columns of a row beside number, icon, place and match: the word, and the blanks between cells
_WIDEST = 48  # columns; a longer place moves the rest of its own row to the right, and of no other row
_NOT_RUN = {"info": "Shell suggestion, not run", "destructive": "Shell suggestion, not run (destructive)"}
_LONGEST_PATH = 60  # characters of a path
_SEARCHED = (ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE)


class OpenRow(NamedTuple):
    """A block whose end has not come yet. `path` is None if no line names a file."""

    number: int
    path: str | None
    lines: int = 0


def report(
    view: OutcomeView,
    *,
    unicode: bool = True,
    color: bool = False,
    kept: Kept = NONE_KEPT,
    width: int | None = None,
    levels: str = "",
    offers_apply: bool = False,
    offers_retry: bool = True,
) -> str:
    """Write a row for every block, a paragraph for every row that is not ok, and a summary. Ends with a line end.

    `unicode` False: the output cannot encode the icons. `kept`: the options that a next command needs. `width`: the
    columns of the terminal, to which sentences are wrapped. `levels`: text to put above the notes. `offers_apply`: name
    the command that writes the fitting blocks if others fail. `offers_retry`: name the command that prints a retry
    prompt.
    """
    if not view.rows:
        return f"{wrapped(notes(view), width)}{wrapped(summary(view), width)}\n"
    paragraphs = _paragraphs(view.rows, width)
    command = apply_command(view, kept)
    if offers_apply and command and not view.outcome.ok:
        paragraphs.append(wrapped(f"{INDENT}`{command}` applies {those_that_fit(view.fitting)}", width))
    if offers_retry and view.is_asked_for:
        paragraphs.append(wrapped(f"{INDENT}`{retry_command(view, kept)}` prints a prompt for the model", width))
    if paragraphs:
        paragraphs.insert(0, "")
    rows = [wrapped(line, width) for line in table(view.rows, width, unicode=unicode, color=color)]
    last = [wrapped(line, width) for line in (summary(view), *_suggestions(view))]
    above = "".join(f"{line}\n" for line in (*rows, *paragraphs))
    below = "".join(f"{line}\n" for line in last)
    return f"{above}{wrapped(levels, width)}{wrapped(notes(view), width)}{below}"


def table(shown: Sequence[Row], width: int | None, *, unicode: bool, color: bool) -> list[str]:
    """Return a line for each row. The counts of lines are left out if the terminal is too narrow for them."""
    places = [visible(_place(row)) for row in shown]
    matches = [visible(how(row)) for row in shown]
    number_width = max(2, len(str(shown[-1].number)))
    place_width = _width(places)
    match_width = _width(matches)
    icons = _UNICODE if unicode else _ASCII
    before = number_width + len(icons[READY]) + place_width + match_width + _GAPS
    is_narrow = width is not None and before + max(len(line_counts(row)) for row in shown) > width
    lines = []
    for row, place, match in zip(shown, places, matches, strict=True):
        word = painted_word(row, f"{icons[row.word]} {row.word:<7}", color=color)
        line = f"{row.number:>{number_width}}  {word}  {_pad(place, place_width)}   {_pad(match, match_width)}"
        if not is_narrow:
            line += f"  {line_counts(row)}"
        lines.append(line.rstrip(" "))
    return lines


def _width(cells: Sequence[str]) -> int:
    return max((width for width in map(width_of, cells) if width <= _WIDEST), default=0)


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - width_of(cell))


def _place(row: Row) -> str:
    if row.path is None or row.result is None:
        return f"{source_name(row.response.source)}:{row.line_number}"
    # The closest text of a failed block is only in its paragraph: in a row it would look like the block's place.
    if row.lines and row.word != FAILED:
        return f"{row.path}:{line_range(row.lines)}"
    return row.path


def _paragraphs(shown: Sequence[Row], width: int | None) -> list[str]:
    """Return a paragraph for each row that is not ok; neighbours that wait for the same blocks share one."""
    lines: list[str] = []
    for failed, rows in groupby(shown, _failed_before):
        run = list(rows)
        if failed and len(run) > 1:
            numbers = ranges(row.number for row in run)
            code = ReasonCode.EARLIER_FAILURE.value
            together = f"{numbers}  {code}: fit {without_blocks(failed)}; repair block {failed[0]} first"
            lines.append(wrapped(together, width))
        else:
            lines += [line for row in run for line in _paragraph(row, width)]
    return lines


def _failed_before(row: Row) -> tuple[int, ...]:
    """Return the failed blocks that hold up a block which fits without them."""
    if row.result is None or not row.fits_alone:
        return ()
    return row.result.without


def _paragraph(row: Row, width: int | None) -> Iterator[str]:
    if row.ok or row.code is ReasonCode.NOT_SELECTED:  # a block that was not selected needs no explanation
        return
    yield wrapped(visible(f"{row.number}  {row.sentence(typed=True)}"), width)
    if row.result is not None:
        yield from differing(row.result, _merge(row), width=width)


def _merge(row: Row) -> str:
    """Return the option that merges a block into the text that is most like its SEARCH; empty if there is none."""
    place = row.choice
    if place is None or row.cause is ReasonCode.AMBIGUOUS:
        return ""
    return f"--only {place.pick} merges into {named_lines((place.start_line, place.end_line))}"


def _suggestions(view: OutcomeView) -> list[str]:
    commands = view.result.shell_suggestions
    shown = suggested_commands(commands)
    lines = [f"{_NOT_RUN[risk]}: {visible(command)}" for command, risk in shown]
    if len(shown) < len(commands):
        lines.append(f"{plural(len(commands) - len(shown), 'more shell suggestion')}, not run")
    return lines


def levels(view: OutcomeView, settings: Settings) -> str:
    """Return the lines that `-v` adds: which levels of matching were tried for each block, and what they found.

    `block 2 by matching level: exact none, trailing-space 2 places`. The first level that finds a place decides, so
    the levels before it have found none.
    """
    has_base = view.result.base is not None and all(note.code != "base-unknown" for note in view.result.notes)
    is_merged = settings.three_way and has_base
    lines = []
    for row in view.rows:
        tried = [] if row.result is None else _tried_levels(row.result, settings, is_merged)
        if tried:
            lines.append(f"block {row.number} by matching level: {', '.join(tried)}\n")
    return "".join(lines)


def _tried_levels(result: EditResult, settings: Settings, is_merged: bool) -> list[str]:
    """Return each level that was tried for a block and what it found; empty if the block was not searched for."""
    mismatch = result.mismatch
    is_chosen = result.chosen or (mismatch is not None and mismatch.chosen_line is not None)
    if is_chosen or (mismatch is not None and mismatch.code not in _SEARCHED):
        return []
    names = list(_levels(result, settings, is_merged))
    level, places = _deciding_level(result)
    if not level:
        return [f"{name} none" for name in names]
    if level not in names:  # nothing was searched for, as for a new file
        return []
    return [*(f"{name} none" for name in names[: names.index(level)]), f"{level} {places}"]


def _deciding_level(result: EditResult) -> tuple[str, str]:
    """Return the first level that found a place, and what it found; the level is empty if none did."""
    mismatch = result.mismatch
    if mismatch is None:
        return result.strategy or "", "1 place"
    if mismatch.code is ReasonCode.STALE or mismatch.level == "three-way":
        return "three-way", "a conflict"
    return mismatch.level, plural(mismatch.candidates_total, "place")


def _levels(result: EditResult, settings: Settings, is_merged: bool) -> Iterator[str]:
    """Yield the names of the levels that may be tried for this block, in their order."""
    is_exact = result.block.format in EXACT_FORMATS
    strategies = EXACT if is_exact or settings.matching == "exact" else STRATEGIES
    yield from (each.name for each in strategies)
    if is_merged or result.strategy == "three-way" or result.code is ReasonCode.STALE:
        yield "three-way"
    if settings.matching == "loose" and not is_exact and not result.block.splits:
        yield from LOOSE_LEVELS


def live_lines(
    view: OutcomeView | None,
    reading: OpenRow | None,
    below: Sequence[str],
    size: tuple[int, int],
    *,
    unicode: bool = True,
    color: bool = False,
) -> list[str]:
    """Return the lines to show; if there are too many rows, the last of them.

    `below`: foreign text for below the rows. `size`: the columns and lines of the terminal.
    """
    width, height = size
    rows: list[str] = []
    foot: list[str] = []
    if view is not None and view.rows:
        rows = table(view.rows, width, unicode=unicode, color=color)
        foot = [summary(view)]
    if reading is not None:
        rows.append(reading_line(reading, unicode=unicode))
    if rows:
        foot.insert(0, "")
    whole_lines = [visible(line) for line in below]
    broken_lines = [part for line in whole_lines for part in wrap(line, width)]
    foot += broken_lines if len(broken_lines) <= height // 2 else whole_lines  # rows matter more
    room = max(1, height - 1 - len(foot))  # one line is for the cursor
    if len(rows) > room:
        above = len(rows) - room + 1
        rows = [f"{_dots(unicode)} {plural(above, 'row')} above", *rows[above:]]
    return [cut(line, width) for line in (*rows, *foot)][-max(1, height - 1) :]


def reading_line(reading: OpenRow, *, unicode: bool = True) -> str:
    """Return the line of an open block: ` 3  … reading src/api.py, 12 lines`."""
    where = "a block" if reading.path is None else cut_middle(visible(reading.path), _LONGEST_PATH)
    return f"{reading.number:>2}  {_dots(unicode)} reading {where}, {plural(reading.lines, 'line')}"


def _dots(unicode: bool) -> str:
    return "…" if unicode else "..."


def cut(line: str, width: int) -> str:
    """Cut a line to `width` columns; colour codes take no room, and all of them stay."""
    shown = []
    room = width
    for index, part in enumerate(re.split(f"({COLOUR})", line)):
        if index % 2:
            shown.append(part)
            continue
        for char in part:
            room -= width_of(char)
            if room >= 0:
                shown.append(char)
    return "".join(shown)
