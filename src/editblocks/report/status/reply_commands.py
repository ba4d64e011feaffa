"""The one line that a person may answer a status with: which commands would do something now, and what.

A command begins with `reply`, which is `/` or `/edits `; without one no command would be obeyed. A place is offered
only where choosing it would work, and `ready` only where something is. Rules: docs/reference/action.md, "what the
status says".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Candidate
from editblocks.core.phrases import ranges
from editblocks.report.view import FAILED, OutcomeView, Row, is_placed, selector
from editblocks.report.wording import blocks, named_lines

LINE = 200  # characters of a first line that are read as a command
_NAMED = 60  # characters of block numbers that are read as a list
_OFFERED = (ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH)  # one place of each is offered, in this order
_DISOBEYED = (ReasonCode.FORK, ReasonCode.BRANCH_REFUSED, ReasonCode.CLOSED)


def usable_prefix(view: OutcomeView, reply: str | None) -> str | None:
    """`reply`, or None where every command would be refused."""
    return None if view.outcome.refusal is not None and view.outcome.refusal.code in _DISOBEYED else reply


def main_command(view: OutcomeView, reply: str) -> str | None:
    """The line that commits what is ready; else one that puts a block at a place, else takes those left out.

    None where no command would commit anything.
    """
    fitting, picks, rest = _fitting(view), _picks(view), rows_not_asked_for(view)
    if fitting:
        command = _apply_fitting(view, fitting, reply)
    elif picks:
        command = f"{reply}apply {picks[0][1].pick}"
    else:
        command = f"{reply}apply {ranges(row.number for row in rest)}" if rest else ""
    return command if command and len(command) <= LINE else None


def explain_commands(view: OutcomeView, reply: str) -> str:
    """What the main command does, and the others that are worth a word."""
    fitting, picks, rest = _fitting(view), _picks(view), rows_not_asked_for(view)
    if fitting:
        main, more = f"That commits {_name_blocks(fitting)}", _more(view, reply, fitting, picks)
    elif picks:
        main = f"That {_does(*picks[0])}"
        more = [f"`{reply}apply {place.pick}` {_does(row, place)}" for row, place in picks[1:]]
    else:
        main, more = f"That commits {_name_blocks(rest)}, if {'it fits' if len(rest) == 1 else 'they fit'}", []
    if rest and (fitting or picks):
        more.append(f"`{reply}retry` checks what was left out, too")
    return " ".join((f"{main}.", *([f"{', '.join(more)}."] if more else []), HELP))


HELP = "`/edits help` lists the rest."


def back(view: OutcomeView, reply: str) -> tuple[str, str] | None:
    """Where nothing else is left to do: the line that brings back what people left out for good, and what it does."""
    left = [row for row in view.rows if row.code is ReasonCode.NOT_SELECTED and row.number in view.outcome.skip]
    command = f"{reply}apply {ranges(row.number for row in left)}"
    return (command, f"That brings {_name_blocks(left)} back. {HELP}") if left and len(command) <= LINE else None


def rows_not_asked_for(view: OutcomeView) -> list[Row]:
    """The blocks that the last selection did not take, but for those that people left out for good."""
    return [row for row in view.rows if row.code is ReasonCode.NOT_SELECTED and row.number not in view.outcome.skip]


def _picks(view: OutcomeView) -> list[tuple[Row, Candidate]]:
    """The first block with too many places, and the first with one that is close, each with its first place."""
    choices = [(row, place) for row in view.rows if (place := row.choice) is not None]
    firsts = (next((pair for pair in choices if pair[0].code is code), None) for code in _OFFERED)
    return [pair for pair in firsts if pair is not None]


def _apply_fitting(view: OutcomeView, fitting: Sequence[Row], reply: str) -> str:
    """By number where `ready` would take others: not asked for, not at the place that was chosen, or too few."""
    by_number = f"{reply}apply {selector(fitting)}"
    if is_placed(fitting) or rows_not_asked_for(view) or _are_behind(fitting):
        return by_number
    return f"{reply}apply" if view.outcome.ok else f"{reply}apply ready"


def _fitting(view: OutcomeView) -> list[Row]:
    """What one line can commit: all that fits, or what is ready where the numbers are too many for a line."""
    fitting = view.fitting
    is_short = len(selector(fitting)) <= LINE - len("/edits apply ")
    return fitting if is_short else [row for row in fitting if not row.fits_alone]


def _are_behind(fitting: Sequence[Row]) -> bool:
    return any(row.fits_alone for row in fitting)


def _name_blocks(chosen: Sequence[Row]) -> str:
    named = blocks([row.number for row in chosen])
    return named if len(named) <= _NAMED else f"{len(chosen)} blocks"


def _more(view: OutcomeView, reply: str, fitting: Sequence[Row], picks: Sequence[tuple[Row, Candidate]]) -> list[str]:
    if view.outcome.ok:
        first = f"`{reply}apply {selector(fitting[:1])}` takes block {fitting[0].number} alone"
        return [first] if len(fitting) > 1 else []
    offers = [_offer(row, place, reply, fitting) for row, place in picks]
    failed = [row for row in view.rows if row.word == FAILED]
    if failed:
        last = failed[-1].number
        what = "it" if picks and picks[-1][0].number == last else f"block {last}"
        offers.append(f"`{reply}skip {last}` drops {what}")
    return offers


def _offer(row: Row, place: Candidate, reply: str, fitting: Sequence[Row]) -> str:
    """A place that a block may be put at; together with the blocks that fit if it is one of several."""
    together = f"{reply}apply {selector(fitting, place.pick or '')}"
    if row.code is ReasonCode.AMBIGUOUS and len(together) <= LINE:
        return f"`{together}` also {_does(row, place)}"
    return f"`{reply}apply {place.pick}` {_does(row, place)}"


def _does(row: Row, place: Candidate) -> str:
    if row.code is ReasonCode.AMBIGUOUS:
        return f"puts block {row.number} at line {place.start_line}"
    return f"merges block {row.number} into {named_lines((place.start_line, place.end_line))}"
