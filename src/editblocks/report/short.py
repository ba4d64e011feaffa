"""Write an outcome for a hook, a pipe or `-q`: a line for each row, notes, and a summary; in colours on a terminal.

The full form (`console`) shows the same notes and summary. Lines are wrapped between words and never within a command.
Foreign text goes through `visible` first, so only our own colour codes reach the terminal.
Layout: docs/reference/command-line.md, "what is printed".
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import EditResult
from editblocks.core.phrases import count_words, for_people, join_parts, plural
from editblocks.parsing.session_records import has_records, is_session
from editblocks.report.escape import visible
from editblocks.report.view import (
    APPLIED,
    CLOSEST,
    COUNTED,
    FAILED,
    READY,
    SKIPPED,
    OutcomeView,
    Row,
    selector,
    source_name,
    strategy_text,
    suggested_commands,
    those_that_fit,
    two_lines,
)
from editblocks.report.wrapping import GREEN, INDENT, RED, YELLOW, paint, width_of, wrapped
from editblocks.text.languages import json_fault

NOTES = 10  # notes that are printed; the JSON result has all
_NEARLY = ("near-marker", "unread-patch", "quoted-block", "thoughts-left-out", "no-fixes")
_COLOURS = {READY: GREEN, APPLIED: GREEN, FAILED: RED, SKIPPED: YELLOW}
_CONFLICT = r"(?m)^<{7}(?: (?!SEARCH$).*)?$"
_FENCE = r"(?m)^[ \t]*(?:`{3,}|~{3,})"


def short_rows(
    view: OutcomeView, *, color: bool = False, full: bool = False, quiet: bool = False, width: int | None = None
) -> str:
    """Write a line for each row: `PATH:LINE: STATUS: STRATEGY or CODE[: sentence] (response:LINE)`.

    A block that could not be read has its place in the response instead of a path. `full`: for people who read a log, a
    failed row also names a place to choose, and shows the lines that differ. `quiet`: only rows that are not ok.
    `width`: the columns of the terminal. Ends with a line end unless it is empty.
    """
    shown: Sequence[Row] = view.rows
    if quiet:  # blocks that were not selected need no explanation either
        shown = [row for row in shown if not row.ok and row.code is not ReasonCode.NOT_SELECTED]
    lines: list[str] = []
    for row in shown:
        lines.append(wrapped(_short_row(row, typed=full, color=color), width))
        if full and row.result is not None and not row.ok:
            lines += differing(row.result, width=width)
    return "".join(f"{line}\n" for line in lines)


def _short_row(row: Row, *, typed: bool, color: bool) -> str:
    what = how(row) if row.fits else row.sentence(typed=typed)
    word = painted_word(row, row.word, color=color)
    origin = f"{source_name(row.response.source)}:{row.line_number}"
    if row.result is None or row.path is None:
        return f"{visible(origin)}: {word}: {visible(what)}"
    line = _short_line(row.result.trial or row.result, row)
    place = row.path if line is None else f"{row.path}:{line}"
    return f"{visible(place)}: {word}: {visible(f'{what} ({origin})')}"


def _short_line(result: EditResult, row: Row) -> int | None:
    if result.first_difference is not None and result.code in CLOSEST:
        return None if result.first_difference.after else result.first_difference.line
    if result.code is ReasonCode.AMBIGUOUS:
        return next((place.start_line for place in result.candidates_in_file), None)
    return row.lines[0] if row.lines else None


def differing(result: EditResult, offer: str = "", *, width: int | None = None) -> Iterator[str]:
    """Yield the first differing lines of a failed block and its file, and a caret below the column where they differ.

    Yields nothing if they are not known. `offer` replaces the line and column beside the caret. If the terminal has too
    few columns (`width`), these words go to the next line; the two texts are never wrapped.
    """
    lines = two_lines(result)
    difference = result.first_difference
    yield from (f"     {visible(line)}" for line in lines)
    if difference is not None and difference.actual is not None:
        alike = lines[1][: len(lines[1]) - len(difference.actual) + difference.column - 1]
        caret = f"{' ' * (5 + width_of(visible(alike)))}^"
        words = offer or f"line {difference.line}, column {difference.column}"
        if width is None or width_of(f"{caret} {words}") <= width:
            yield f"{caret} {words}"
            return
        yield caret
        yield wrapped(f"{INDENT}{words}", width)
    elif offer:
        yield wrapped(f"{INDENT}{offer}", width)


def how(row: Row) -> str:
    """Return how an applied block matched, else the code of its row."""
    if row.result is not None and row.fits:
        return strategy_text(row.result)
    return row.code.value if row.code else ""


def notes(view: OutcomeView) -> str:
    """Return a line for each note, at most ten: `note: block 2: …`.

    If a response has no blocks, its last line already shows one of the notes, which is left out here.
    """
    near_note = _nearly_a_block(view) if not view.result.rows else None
    lines = [visible(f"note: {whose}{note.message}") for whose, note, _ in view.notes if note != near_note]
    if len(lines) > NOTES:
        lines[NOTES - 1 :] = [f"note: and {len(lines) - NOTES + 1} more notes"]
    return "".join(f"{line}\n" for line in lines)


def not_run(view: OutcomeView) -> str:
    """Return a line about the shell commands in a response with blocks: their number and the first; else empty."""
    commands = view.result.shell_suggestions
    if not commands or not view.rows:
        return ""
    first, _ = suggested_commands(commands)[0]
    if len(commands) == 1:
        return f"note: 1 shell suggestion, not run: {visible(first)}\n"
    return f"note: {len(commands)} shell suggestions, not run; the first: {visible(first)}\n"


def summary(view: OutcomeView) -> str:
    """Return a line with the number of blocks and files, and the counts: `3 blocks in 2 files: 2 ready, 1 failed`."""
    if not view.rows:
        return _no_blocks(view)
    blocks = plural(len(view.rows), "block")
    paths = {row.path for row in view.rows if row.path is not None}
    if not paths:
        return f"{blocks}: {_tally(view)}"
    return f"{blocks} in {plural(len(paths), 'file')}: {_tally(view)}"


def short_summary(view: OutcomeView) -> str:
    """Return the last line of the short form: `.edits/cart.md: 3 ready, 1 skipped, 2 failed`."""
    name = visible(source_name(view.outcome.response.source))
    if not view.rows:
        return f"{name}: {_no_blocks(view)}"
    return f"{name}: {_tally(view)}"


def total(views: Sequence[OutcomeView]) -> str:
    """Return the last line of a call with several answers: `3 answers: 5 applied, 1 failed, 1 without blocks`."""
    counts = sum((Counter(view.counts) for view in views), Counter[str]())
    words = {word: counts[word] for word in COUNTED if counts[word]}
    without = sum(not view.result.rows for view in views)
    if words and without:
        words["without blocks"] = without
    return f"{plural(len(views), 'answer')}: {count_words(words) or 'no edit block'}"


def verdict(view: OutcomeView, command: str = "") -> str:
    """Return a line that says what a run has written, or why it has written nothing.

    `command` applies the fitting blocks; it is offered in place of an option if the run has no such option.
    """
    if view.outcome.state in (State.APPLIED, State.PARTIAL):
        return _written_line(view)
    if view.outcome.refusal is not None:
        return visible(f"nothing written: {for_people(view.outcome.refusal.code, view.outcome.refusal.reason)}")
    if not view.result.rows:
        return _no_blocks(view)
    if all(isinstance(row, Problem) and row.is_unsupported_form for row in view.result.rows):
        what = "no block is in a form that editblocks reads"
        return f"{ReasonCode.NO_BLOCKS.value}: {what}; ask for SEARCH/REPLACE blocks"
    if len(view.outcome.not_selected) == len(view.result.rows):
        return "nothing written: no block was chosen"
    if view.outcome.state is State.NOTHING or (view.outcome.ok and READY not in view.counts):
        count = len(view.result.rows) - len(view.outcome.not_selected)
        return f"nothing to do: the changes of {plural(count, 'block')} are already there"
    if view.result.ok:
        return f"nothing written: {summary(view)}"
    return f"nothing written: {_failed_line(view, 'applies', command)}"


def _written_line(view: OutcomeView) -> str:
    files, added, removed = view.change
    count = view.counts.get(APPLIED, 0)
    if not count:  # only the response file is removed
        return f"nothing to apply: {view.by_code(FAILED, SKIPPED)}"
    what = f"{count} of {plural(len(view.rows), 'block')}"
    if view.outcome.state is State.APPLIED:
        what = plural(count, "block")
    line = f"applied {what} to {plural(files, 'file')}, +{added} -{removed}"
    if view.outcome.commit:
        line += f" as {view.outcome.commit[:7]}"
    left_out = view.by_code(FAILED, SKIPPED)
    if left_out:
        line += f"; left out: {left_out}"
    return line + _offer(view, "applies")


def no_patch(view: OutcomeView) -> str:
    """Return the line for a patch that is not printed because a block failed."""
    return f"no patch: {_failed_line(view, 'prints')}"


def _failed_line(view: OutcomeView, verb: str, command: str = "") -> str:
    total = plural(len(view.rows), "block")
    failed = view.counts.get(FAILED, 0)
    if not failed:
        return f"{view.counts_text} of {total}{_offer(view, verb, command)}"
    return f"{failed} of {total} failed ({view.by_code(FAILED)}){_offer(view, verb, command)}"


def _offer(view: OutcomeView, verb: str, command: str = "") -> str:
    """Return the end of a sentence: the command or option that writes or prints the fitting blocks."""
    if not view.fitting:
        return ""
    option = "--partial"
    if any(row.fits_alone for row in view.fitting):
        option = f"--only {selector(view.fitting)}"
    return f"; {command or option} {verb} {those_that_fit(view.fitting)}"


def _tally(view: OutcomeView) -> str:
    return visible(join_parts("; ", view.counts_text, view.balance_text))


def _no_blocks(view: OutcomeView) -> str:
    return f"{ReasonCode.NO_BLOCKS.value}: {why_no_blocks(view)}"


def why_no_blocks(view: OutcomeView) -> str:
    """Say what a response without blocks is, or which part of it is most like a block."""
    text = view.outcome.response.text
    note = _nearly_a_block(view)
    lines = text.count("\n") + bool(text and not text.endswith("\n"))
    read = f"{plural(lines, 'line')} read, no edit block"
    if note is not None and note.code == "quoted-block":
        return visible(f"{read}: {note.message} (`> ` at line {note.line_number})")
    if note is not None:
        return visible(f"{read}: {note.message}")
    if not text.strip():
        return f"{read}: {what_it_is(text)}"
    return visible(f"{read}: {what_it_is(text)}; ask for SEARCH/REPLACE blocks")


def what_it_is(text: str) -> str:
    """Return a clause that names it: empty, a session, JSON, a git conflict, code in fences, or prose."""
    stripped = text.removeprefix("\ufeff").strip()
    if not stripped:
        return "it is empty"
    if stripped[0] in "{[":
        if is_session(text) and has_records(text):
            return "it is a session without a successful edit"
        with suppress(RecursionError):
            if json_fault(text) is None:
                return "it is JSON"
    if "<<<<<<<" in text and ">>>>>>>" in text and re.search(_CONFLICT, text):
        return "it is a git merge conflict"
    if re.search(_FENCE, text):
        return "it is code without SEARCH/REPLACE markers"
    return "it is plain text"


def _nearly_a_block(view: OutcomeView) -> Note | None:
    """Return the note about the part most like a block: a line like a marker, else a block in a quote or a thought."""
    return next((note for code in _NEARLY for note in view.result.notes if note.code == code), None)


def painted_word(row: Row, text: str, *, color: bool) -> str:
    """Paint `text` in the colour of the row's word."""
    if not color:
        return text
    return paint(text, _COLOURS[row.word])
