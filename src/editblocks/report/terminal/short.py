"""An outcome for a hook, a pipe or `-q`: a line a row, notes, and a line that sums up; the long form has the last two.

Everything from outside goes through `visible`; colour codes are only our own. Layout: docs/reference/command-line.md,
"what is printed".
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.model import EditResult
from editblocks.core.phrases import count_words, for_people, plural
from editblocks.report.escape import visible
from editblocks.report.terminal.colors import GREEN, RED, YELLOW, paint
from editblocks.report.view import (
    APPLIED,
    COUNTED,
    FAILED,
    READY,
    SKIPPED,
    OutcomeView,
    Row,
    selector,
    source_name,
    strategy_text,
    two_lines,
)
from editblocks.report.without_blocks import what_it_is

NOTES = 10  # that are printed; the JSON result has all
_COLOURS = {READY: GREEN, APPLIED: GREEN, FAILED: RED, SKIPPED: YELLOW}
_NEARLY = ("near-marker", "quoted-block", "thoughts-left-out")
_PARTIAL = "--partial"
_DIFFERING = (ReasonCode.NO_MATCH, ReasonCode.STALE)


def short_rows(view: OutcomeView, *, color: bool = False, full: bool = False) -> str:
    """A line a row, for `-q` and programs: `PATH:LINE: STATUS: STRATEGY or CODE[: sentence] (response:LINE)`.

    A block that could not be read stands at its place in the response. `full`: for people who read a log, a failed row
    names a place to choose, and shows the lines that differ. Ends with a line end unless empty.
    """
    lines = list[str]()
    for row in view.rows:
        lines.append(_short(row, row.sentence(typed=full), color=color))
        lines += differing(row.result) if full and row.result is not None and not row.ok else ()
    return "".join(f"{line}\n" for line in lines)


def _short(row: Row, failure: str, *, color: bool) -> str:
    matched = row.result is not None and row.result.status is EditStatus.APPLIED
    what, place, origin = how(row) if matched else failure, f"{source_name(row.response.source)}:{row.line_number}", ""
    if row.result is not None and row.path is not None:
        line, origin = _short_line(row.result.trial or row.result, row), f" ({place})"
        place = row.path if line is None else f"{row.path}:{line}"
    return f"{visible(place)}: {painted_word(row, row.word, color=color)}: {visible(what + origin)}"


def _short_line(result: EditResult, row: Row) -> int | None:
    if result.first_difference is not None and result.code in _DIFFERING:
        return None if result.first_difference.after else result.first_difference.line
    if result.code is ReasonCode.AMBIGUOUS:
        return next((place.start_line for place in result.candidates_in_file), None)
    return row.lines[0] if row.lines else None


def differing(result: EditResult, offer: str = "") -> Iterator[str]:
    """The two texts of a failed block one above the other, and below them the column in which they part.

    Nothing where they are not known. `offer` takes the place of the column's number.
    """
    lines, difference = two_lines(result), result.first_difference
    yield from (f"     {visible(line)}" for line in lines)
    if difference is not None and difference.actual is not None:
        alike = lines[1][: len(lines[1]) - len(difference.actual) + difference.column - 1]
        caret = " " * (5 + columns(visible(alike)))
        yield f"{caret}^ {offer or f'line {difference.line}, column {difference.column}'}"
    elif offer:
        yield f"     {offer}"


def columns(text: str) -> int:
    """Columns that a terminal uses: two for wide East Asian characters, none for combining marks."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def painted_word(row: Row, text: str, *, color: bool) -> str:
    """`text` in the colour of what became of the block."""
    return paint(text, _COLOURS[row.word] if color else None)


def how(row: Row) -> str:
    """How an applied block matched, else the code of its row."""
    if row.result is not None and row.result.status is EditStatus.APPLIED:
        return strategy_text(row.result)
    return row.code.value if row.code else ""


def notes(view: OutcomeView) -> str:
    """A line for each note, 10 at most: `note: block 2: …`, whole lines or nothing.

    What the sum says of a response without blocks is not said twice.
    """
    closest = _closest(view) if not view.result.rows else None
    lines = [visible(f"note: {whose}{note.message}") for whose, note, _ in view.notes if note != closest]
    if len(lines) > NOTES:
        lines[NOTES - 1 :] = [f"note: and {len(lines) - NOTES + 1} more notes"]
    return "".join(f"{line}\n" for line in lines)


def heading(view: OutcomeView) -> str:
    """What stands above the rows of one of several responses."""
    return visible(f"{view.outcome.response.source.path or 'standard input'}:")


def summary(view: OutcomeView) -> str:
    """One line: how many blocks in how many files, and what became of them."""
    shown = view.rows
    if not shown:
        return _no_blocks(view)
    paths = {row.path for row in shown if row.path is not None}
    where = f" in {plural(len(paths), 'file')}" if paths else ""
    return f"{plural(len(shown), 'block')}{where}: {_tally(view)}"


def short_summary(view: OutcomeView) -> str:
    """The last line of the short form: `.edits/cart.md: 3 ready, 1 skipped, 2 failed`."""
    name = visible(source_name(view.outcome.response.source))
    return f"{name}: {_tally(view) if view.result.rows else _no_blocks(view)}"


def total(views: Sequence[OutcomeView]) -> str:
    """The last line of a call with several responses: `3 responses: 5 applied, 1 failed, 1 without blocks`."""
    counts = sum((Counter(view.counts) for view in views), Counter[str]())
    counts_text = count_words({word: counts[word] for word in COUNTED if counts[word]})
    empty = sum(not view.result.rows for view in views)
    counts_text += f", {empty} without blocks" if counts_text and empty else ""
    return f"{plural(len(views), 'response')}: {counts_text or 'no edit block'}"


def verdict(view: OutcomeView, command: str = "") -> str:
    """One line for a run that was to write: what was written, or why nothing was.

    `command` writes what fits, where the run has no option for it.
    """
    if view.outcome.state in (State.APPLIED, State.PARTIAL):
        return _written_line(view)
    if view.outcome.refusal is not None:
        return visible(f"nothing written: {for_people(view.outcome.refusal.code, view.outcome.refusal.reason)}")
    if not view.result.rows:
        return _no_blocks(view)
    if all(isinstance(row, Problem) and row.is_beside for row in view.result.rows):
        return f"{ReasonCode.NO_BLOCKS.value}: no block is in a form that is read; ask for SEARCH/REPLACE blocks"
    if len(view.outcome.not_selected) == len(view.result.rows):
        return "nothing written: no block was chosen"
    if view.outcome.state is State.NOTHING or (view.outcome.ok and READY not in view.counts):
        count = len(view.result.rows) - len(view.outcome.not_selected)
        return f"nothing to do: what {plural(count, 'block')} would change is there already"
    if view.result.ok:
        return f"nothing written: {summary(view)}"
    return f"nothing written: {_failed_line(view, 'writes', command)}"


def _written_line(view: OutcomeView) -> str:
    files, added, removed = view.change
    total, count = plural(len(view.result.rows), "block"), view.counts.get(APPLIED, 0)
    what = plural(count, "block") if view.outcome.state is State.APPLIED else f"{count} of {total}"
    commit = f" as {view.outcome.commit[:7]}" if view.outcome.commit else ""
    left_out = view.by_code(FAILED, SKIPPED)
    tail = f"; left out: {left_out}" if left_out else ""
    change = f"{plural(files, 'file')}, +{added} -{removed}{commit}"
    return f"applied {what} to {change}{tail}{_offer(view, 'writes')}"


def no_patch(view: OutcomeView) -> str:
    """One line for a patch that is not printed because a block failed."""
    return f"no patch: {_failed_line(view, 'prints')}"


def _failed_line(view: OutcomeView, verb: str, command: str = "") -> str:
    total, failed = plural(len(view.result.rows), "block"), view.counts.get(FAILED, 0)
    what = f"{failed} of {total} failed ({view.by_code(FAILED)})" if failed else f"{view.counts_text} of {total}"
    return f"{what}{_offer(view, verb, command)}"


def _offer(view: OutcomeView, verb: str, command: str = "") -> str:
    fitting = view.fitting
    if not fitting:
        return ""
    option = f"--only {selector(fitting)}" if any(row.fits_alone for row in fitting) else _PARTIAL
    return f"; {command or option} {verb} the {'one that fits' if len(fitting) == 1 else f'{len(fitting)} that fit'}"


def _tally(view: OutcomeView) -> str:
    return visible("; ".join(filter(None, (view.counts_text, view.balance_text))))


def _no_blocks(view: OutcomeView) -> str:
    return f"{ReasonCode.NO_BLOCKS.value}: {why_no_blocks(view)}"


def why_no_blocks(view: OutcomeView) -> str:
    """What a response without blocks is instead, or what comes closest to a block in it."""
    text, note = view.outcome.response.text, _closest(view)
    count = text.count("\n") + bool(text and not text.endswith("\n"))
    ask = "; ask for SEARCH/REPLACE blocks" if text.strip() else ""
    instead = f"{what_it_is(text)}{ask}" if note is None else note.message
    where = f" (`> ` at line {note.line_number})" if note is not None and note.code == "quoted-block" else ""
    return visible(f"{plural(count, 'line')} read, no edit block; {instead}{where}")


def _closest(view: OutcomeView) -> Note | None:
    """What comes closest to a block that was read: a line like a marker, else a block in a quote or a thought."""
    return next((note for code in _NEARLY for note in view.result.notes if note.code == code), None)
