"""An outcome for a terminal, a hook or a log file: aligned rows, a paragraph for each failure, a line that sums up.

Everything from outside goes through `visible`; colour codes are only our own. Layout: docs/cli.md, "what is printed".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from editblocks.codes import EditStatus, ReasonCode, State
from editblocks.model import Candidate, Difference, EditResult, Note
from editblocks.outcome import Outcome
from editblocks.report.colors import GREEN, RED, YELLOW, painted
from editblocks.report.commands import NONE_KEPT, Kept, retry_command
from editblocks.report.escape import visible
from editblocks.report.risk import suggestions
from editblocks.report.rows import (
    APPLIED,
    FAILED,
    READY,
    SKIPPED,
    Row,
    change,
    choice,
    is_asked_for,
    noted,
    rows,
    tally,
)
from editblocks.report.wording import (
    balance_text,
    failures_by_code,
    left_out_by_code,
    line_counts,
    line_range,
    named_lines,
    sides,
    source_name,
    strategy_text,
    tally_text,
)
from editblocks.words import plural

_UNICODE = {READY: "✓", APPLIED: "✓", FAILED: "✗", SKIPPED: "–"}
_ASCII = {READY: "ok  ", APPLIED: "ok  ", FAILED: "FAIL", SKIPPED: "skip"}
_COLOURS = {READY: GREEN, APPLIED: GREEN, FAILED: RED, SKIPPED: YELLOW}
_NEARLY = ("near-marker", "quoted-block")
_DIFFERING = (ReasonCode.NO_MATCH, ReasonCode.STALE)
NOTES = 10  # that are printed; the JSON result has all
_WIDEST = 48  # a longer place pushes its own row to the right, and no other


def report(
    outcome: Outcome,
    *,
    unicode: bool = True,
    color: bool = False,
    more: Mapping[int, Sequence[str]] | None = None,
    kept: Kept = NONE_KEPT,
) -> str:
    """The full form: a row for every block, a paragraph for every row that is not fine, and the sum.

    `unicode` False: for an output that cannot encode the icons. `more`: lines that a block's paragraph ends
    with, by its number; fine blocks get a paragraph for them. `kept`: the options that a command to be typed next
    needs. Ends with a line end.
    """
    more = more or {}
    shown = rows(outcome)
    if not shown:
        return f"{notes(outcome)}{summary(outcome)}\n"
    lines = _table(shown, source_name(outcome.response.source), unicode=unicode, color=color)
    told, retry = _told(shown, outcome), f"`{retry_command(outcome, kept)}` writes a prompt"
    paragraphs = [
        line
        for row in shown
        for line in _paragraph(row, outcome, more.get(row.number, ()), retry if row.number == told else "")
    ]
    if paragraphs:
        lines += ["", *paragraphs]
    lines += _notes(outcome)
    return "".join(f"{line}\n" for line in (*lines, summary(outcome), *_suggestions(outcome)))


def _table(shown: Sequence[Row], source: str, *, unicode: bool, color: bool) -> list[str]:
    places = [visible(_place(row, source)) for row in shown]
    matches = [visible(_how(row)) for row in shown]
    number_width = max(2, len(str(shown[-1].number)))
    place_width, match_width = _width(places), _width(matches)
    icons = _UNICODE if unicode else _ASCII
    lines = []
    for row, place, match in zip(shown, places, matches, strict=True):
        word = _word(row, f"{icons[row.word]} {row.word:<7}", color=color)
        line = f"{row.number:>{number_width}}  {word}  {_pad(place, place_width)}   {_pad(match, match_width)}  "
        lines.append((line + line_counts(row)).rstrip(" "))
    return lines


def _word(row: Row, text: str, *, color: bool) -> str:
    return painted(text, _COLOURS[row.word] if color else None)


def _width(cells: Sequence[str]) -> int:
    return max((width for cell in cells if (width := _columns(cell)) <= _WIDEST), default=0)


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - _columns(cell))


def _columns(text: str) -> int:
    """Columns that a terminal uses: two for wide East Asian characters, none for combining marks."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def _place(row: Row, source: str) -> str:
    if row.path is None or row.result is None:
        return f"{source}:{row.line_number}"
    # A place that is only the closest stands in the paragraph: in a row it would look found.
    return f"{row.path}:{line_range(row.lines)}" if row.lines and row.word != FAILED else row.path


def _how(row: Row) -> str:
    if row.result is not None and row.result.status is EditStatus.APPLIED:
        return strategy_text(row.result)
    return row.code.value if row.code else ""


def _told(shown: Sequence[Row], outcome: Outcome) -> int | None:
    """The block at which `retry` is offered, once for all: the first one that has another way out besides."""
    asked = [row for row in shown if not row.ok and row.number in outcome.asks_for] if is_asked_for(outcome) else []
    beside = [row for row in asked if _merge(row, choice(row, outcome))]
    return next((row.number for row in (*beside, *asked)), None)


def _paragraph(row: Row, outcome: Outcome, more: Sequence[str], retry: str) -> Iterator[str]:
    """`retry` is the offer of a prompt, where it stands below this row."""
    if row.ok or row.code is ReasonCode.NOT_SELECTED:  # whoever left it out knows why
        yield from (visible(f"{'     ' if index else f'{row.number}  '}{line}") for index, line in enumerate(more))
        return
    place = choice(row, outcome)
    yield visible(f"{row.number}  {_sentence(row, place)}")
    merge = _merge(row, place)
    offer = f"{merge}; {retry}" if merge and retry else merge
    if row.result is not None and row.result.first_difference is not None:
        yield from _difference(row.result.first_difference, row.code, offer)
    elif offer:
        yield f"     {offer}"
    if retry and not merge:
        yield f"     {retry}"
    yield from (visible(f"     {line}") for line in more)


def _sentence(row: Row, place: Candidate | None) -> str:
    """What is wrong, and what to do: first the choice of a place that a block has too many of."""
    if place is None or row.code is not ReasonCode.AMBIGUOUS:
        return row.sentence
    what, mark, advice = row.sentence.rpartition("; ")
    offer = f"choose one with --only {place.pick}"
    return f"{what}; {offer}, or {advice}" if mark else f"{advice}; {offer}"


def _merge(row: Row, place: Candidate | None) -> str:
    """What a person may do about a text that is not there, if it can be merged into one that is nearly it."""
    if place is None or row.result is None or row.code is ReasonCode.AMBIGUOUS:
        return ""
    is_shown = row.result.first_difference is not None and place is row.result.candidates[0]
    lines = "these lines" if is_shown else named_lines((place.start_line, place.end_line))
    return f"--only {place.pick} merges into {lines}"


def _difference(difference: Difference, code: ReasonCode | None, offer: str) -> Iterator[str]:
    """Two texts one above the other, and below them the column in which they part, with `offer` for its number."""
    expected, actual = sides(difference, code)
    yield f"     - {expected}  {visible(difference.expected)}"
    if difference.actual is None:
        yield f"     + {actual}  ends before line {difference.line}"
        if offer:
            yield f"     {offer}"
        return
    yield f"     + {actual}  {visible(difference.actual)}"
    indent = len(f"     + {actual}  ") + _columns(visible(difference.actual[: difference.column - 1]))
    yield f"{' ' * indent}^ {offer or f'line {difference.line}, column {difference.column}'}"


def notes(outcome: Outcome) -> str:
    """A line for each thing that a person should know besides, 10 at most: `note: block 2: …`, whole lines or nothing.

    What the sum says of a response without blocks is not said twice.
    """
    return "".join(f"{line}\n" for line in _notes(outcome))


def _notes(outcome: Outcome) -> list[str]:
    said = _closest(outcome) if not outcome.result.rows else None
    told = said.message if said is not None else None
    lines = [visible(f"note: {whose}{message}") for whose, message in noted(outcome) if message != told]
    if len(lines) > NOTES:
        lines[NOTES - 1 :] = [f"note: and {len(lines) - NOTES + 1} more notes"]
    return lines


def _closest(outcome: Outcome) -> Note | None:
    """What comes closest to a block that was read: a line that is nearly a marker, else a block in a quote."""
    found = sorted((note for note in outcome.result.notes if note.code in _NEARLY), key=lambda n: _NEARLY.index(n.code))
    return found[0] if found else None


def _suggestions(outcome: Outcome) -> list[str]:
    commands = outcome.result.shell_suggestions
    lines = [
        f"Shell suggestion, not run{' (destructive)' * (shown.risk == 'destructive')}: {visible(shown.command)}"
        for shown in suggestions(commands)
    ]
    left = len(commands) - len(lines)
    return [*lines, f"{plural(left, 'more shell suggestion')}, not run"] if left else lines


def heading(outcome: Outcome) -> str:
    """What stands above the rows of one of several responses."""
    return visible(f"{outcome.response.source.path or 'standard input'}:")


def summary(outcome: Outcome) -> str:
    """One line: how many blocks in how many files, and what became of them."""
    shown = rows(outcome)
    if not shown:
        return _no_blocks(outcome)
    paths = {row.path for row in shown if row.path is not None}
    where = f" in {plural(len(paths), 'file')}" if paths else ""
    return f"{plural(len(shown), 'block')}{where}: {_tally(outcome)}"


def _tally(outcome: Outcome) -> str:
    return visible("; ".join(filter(None, (tally_text(outcome), balance_text(outcome)))))


def _no_blocks(outcome: Outcome) -> str:
    text = outcome.response.text
    count = text.count("\n") + bool(text and not text.endswith("\n"))
    return visible(f"no-blocks: {plural(count, 'line')} read, no edit block; {_why_no_blocks(_closest(outcome))}")


def _why_no_blocks(note: Note | None) -> str:
    if note is None:
        return "quoted lines (`> `) are never read"
    return f"{note.message} (`> ` at line {note.line_number})" if note.code == "quoted-block" else note.message


def verdict(outcome: Outcome) -> str:
    """One line for a run that was to write: what was written, or why nothing was."""
    if outcome.state in (State.APPLIED, State.PARTIAL):
        return _written(outcome)
    if outcome.refusal is not None:
        return visible(f"nothing written: {outcome.refusal.code.value}: {outcome.refusal.reason}")
    if not outcome.result.rows:
        return _no_blocks(outcome)
    if len(outcome.left_alone) == len(outcome.result.rows):
        return "nothing written: no block was chosen"
    if outcome.state is State.NOTHING or (outcome.ok and READY not in tally(outcome)):
        count = len(outcome.result.rows) - len(outcome.left_alone)
        return f"nothing to do: what {plural(count, 'block')} would change is there already"
    if outcome.result.ok:
        return f"nothing written: {summary(outcome)}"
    return _not_written(outcome)


def _written(outcome: Outcome) -> str:
    done, total = change(outcome), len(outcome.result.rows)
    count = tally(outcome).get(APPLIED, 0)
    what = plural(count, "block") if outcome.state is State.APPLIED else f"{count} of {plural(total, 'block')}"
    commit = f" as {outcome.commit[:7]}" if outcome.commit else ""
    left_out = left_out_by_code(outcome)
    tail = f"; left out: {left_out}" if left_out else ""
    return f"applied {what} to {plural(done.files, 'file')}, +{done.added} -{done.removed}{commit}{tail}"


def _not_written(outcome: Outcome) -> str:
    counts = tally(outcome)
    total = plural(len(outcome.result.rows), "block")
    failed, ready = counts.get(FAILED, 0), counts.get(READY, 0)
    codes = failures_by_code(outcome)
    what = f"{failed} of {total} failed ({codes})" if failed else f"{tally_text(outcome)} of {total}"
    offer = f"; --partial writes the {'one that is' if ready == 1 else f'{ready} that are'} ready" if ready else ""
    return f"nothing written: {what}{offer}"


def short_rows(outcome: Outcome, *, color: bool = False) -> str:
    """A line a row, for `-q`, hooks and pipes: `PATH:LINE: STATUS: STRATEGY or CODE[: sentence] (response:LINE)`.

    A block that could not be read stands at its place in the response. Ends with a line end unless empty.
    """
    source = source_name(outcome.response.source)
    return "".join(f"{_short(row, source, color=color)}\n" for row in rows(outcome))


def _short(row: Row, source: str, *, color: bool) -> str:
    matched = row.result is not None and row.result.status is EditStatus.APPLIED
    what, place, origin = _how(row) if matched else row.sentence, f"{source}:{row.line_number}", ""
    if row.result is not None and row.path is not None:
        line, origin = _short_line(row.result, row), f" ({place})"
        place = row.path if line is None else f"{row.path}:{line}"
    return f"{visible(place)}: {_word(row, row.word, color=color)}: {visible(what + origin)}"


def _short_line(result: EditResult, row: Row) -> int | None:
    if result.first_difference is not None and result.code in _DIFFERING:
        return None if result.first_difference.after else result.first_difference.line
    if result.code is ReasonCode.AMBIGUOUS:
        return next((place.start_line for place in result.candidates_in_file), None)
    return row.lines[0] if row.lines else None


def short_summary(outcome: Outcome) -> str:
    """The last line of the short form: `.edits/cart.md: 3 ready, 1 skipped, 2 failed`."""
    if not outcome.result.rows:
        return visible(f"{source_name(outcome.response.source)}: {_no_blocks(outcome)}")
    return f"{visible(source_name(outcome.response.source))}: {_tally(outcome)}"
