"""One view of every row of an outcome, block or problem alike, and the facts that all reports share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.explain import parts
from editblocks.core.model import Candidate, EditResult, Note, Problem, row_number
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import ranges
from editblocks.core.selection import LEFT_OUT

READY, APPLIED, FAILED, SKIPPED = "ready", "applied", "failed", "skipped"
WORDS = (APPLIED, READY, SKIPPED, FAILED)
NOT_TRIED = "not tried"  # how those are counted that wait for a failed block of their file
COUNTED = (APPLIED, READY, SKIPPED, NOT_TRIED, FAILED)  # in this order

# Notes that the words for how a block matched say already.
_IN_THE_ROW = frozenset({"indentation-shifted", "trailing-space-ignored"})

_CLOSEST = (ReasonCode.NO_MATCH, ReasonCode.STALE)  # their first candidate is the likeliest place
_CHOOSABLE = (ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH)

# Refusals that leave the verdicts of the blocks as the main thing.
_OPEN = (ReasonCode.NOT_PERMITTED, ReasonCode.FORK, ReasonCode.SOURCE_EDITED)


@dataclass(frozen=True, slots=True)
class Row:
    """A numbered row as people see it. `result` is None for a block that could not be read."""

    number: int
    word: str  # one of WORDS
    ok: bool
    code: ReasonCode | None
    what: str
    advice: str
    path: str | None
    line_number: int  # where the block begins in the response, 1-based
    result: EditResult | None

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line of the place in the head's file, 1-based, inclusive; None where there is none."""
        result = self.result
        if result is None:
            return None
        if result.span is not None and result.span[0] < result.span[1]:
            return result.span[0] + 1, result.span[1]
        if result.estimated_line is not None:
            return result.estimated_line, result.estimated_line
        if result.code in _CLOSEST and result.candidates:
            first = result.candidates[0]
            return None if first.after else (first.start_line, first.end_line)
        return None

    @property
    def reason(self) -> str:
        """What is wrong, and what to do; nothing for a block that fits."""
        return "; ".join(filter(None, (self.what, self.advice)))

    @property
    def cause(self) -> ReasonCode | None:
        """The failure of the block itself; of a block behind failed ones, its failure without them."""
        return self.code if self.result is None or self.result.trial is None else self.result.trial.code

    @property
    def fits_alone(self) -> bool:
        """Whether it waits for failed blocks of its file, and fits without them."""
        trial = self.result.trial if self.result is not None and self.code is ReasonCode.EARLIER_FAILURE else None
        return trial is not None and trial.status is EditStatus.APPLIED

    @property
    def sentence(self) -> str:
        """`code: reason`, or as much of it as there is."""
        return ": ".join(part for part in (self.code.value if self.code else "", self.reason) if part)


def rows(outcome: Outcome) -> tuple[Row, ...]:
    """Every block and every problem once, in reading order."""
    written = is_written(outcome)
    return tuple(
        _problem(row) if isinstance(row, Problem) else _result(row, APPLIED if written else READY, outcome.skip)
        for row in outcome.result.rows
    )


def _problem(problem: Problem) -> Row:
    number, code, line = problem.number, problem.code, problem.line_number
    return Row(number, FAILED, False, code, problem.what, problem.advice, problem.file_path, line, None)


def _result(result: EditResult, applied_word: str, skip: frozenset[int]) -> Row:
    word = applied_word if result.status is EditStatus.APPLIED else result.status.value
    block, said = result.block, parts(result)
    if block.number in skip and result.code is ReasonCode.NOT_SELECTED:
        said = LEFT_OUT, ""
    return Row(block.number, word, result.ok, result.code, *said, block.file_path, block.line_number, result)


def notes_by_row(outcome: Outcome) -> Iterator[tuple[str, Note]]:
    """The notes of a response, each once, with its block (`block 2: `, or nothing if it is about the response)."""
    yield from _notes_of("", outcome.result.notes)
    for row in outcome.result.rows:
        own = row.notes if isinstance(row, Problem) else (*row.block.notes, *row.notes)
        yield from _notes_of(f"block {row_number(row)}: ", own)


def _notes_of(whose: str, notes: Sequence[Note]) -> Iterator[tuple[str, Note]]:
    shown = {note.message: note for note in notes if note.code not in _IN_THE_ROW}
    return ((whose, note) for note in shown.values())


def choice(row: Row, outcome: Outcome) -> Candidate | None:
    """The first place that a person may choose for a failed block; None if this run has changed its file since."""
    if row.result is None or row.cause not in _CHOOSABLE:
        return None
    if is_written(outcome) and row.path in outcome.result.contents:
        return None
    return next((candidate for candidate in row.result.candidates if candidate.pick is not None), None)


def is_written(outcome: Outcome) -> bool:
    """Whether the applied blocks are in the branch or on disk, by this run or an earlier one of the same source."""
    return outcome.state is not State.UNDONE and (outcome.written or outcome.state in (State.APPLIED, State.PARTIAL))


def applicable(outcome: Outcome) -> list[Row]:
    """The rows that can be written when they are chosen by number: ready ones, and those that fit without a failed one.

    The prompt asks for none of them again, so that a command for the ready ones would lose the others.
    """
    return [row for row in rows(outcome) if row.word == READY or row.fits_alone]


def is_placed(chosen: Sequence[Row]) -> bool:
    """Whether a person chose the place of one of these blocks."""
    return any(row.result is not None and row.result.chosen for row in chosen)


def selector(chosen: Sequence[Row], *picks: str) -> str:
    """The selector of these blocks, each at the place that was chosen for it, and of `picks`: `1-3,4@48`."""
    placed = {row.number: row.lines for row in chosen if row.result is not None and row.result.chosen}
    numbers = ranges(row.number for row in chosen if row.number not in placed)
    places = [f"{number}@{lines[0]}" for number, lines in placed.items() if lines is not None]
    return ",".join(filter(None, (numbers, *places, *picks)))


def checked_at(outcome: Outcome) -> str | None:
    """The commit whose files the rows describe: after an undo the commit that reverts, else the head."""
    return outcome.commit if outcome.state is State.UNDONE else outcome.head


def commit_of(outcome: Outcome) -> str | None:
    """The commit that holds the applied blocks, if there is one."""
    return None if outcome.state is State.UNDONE else outcome.commit


def is_edited(outcome: Outcome) -> bool:
    """Whether the text changed after people had seen its check."""
    return outcome.refusal is not None and outcome.refusal.code is ReasonCode.SOURCE_EDITED


def is_open(outcome: Outcome) -> bool:
    """Whether what is left to do is about the blocks, and not about what stopped the run."""
    return outcome.unresolved is None and (outcome.refusal is None or outcome.refusal.code in _OPEN)


def is_gone(outcome: Outcome) -> bool:
    """Whether the branch is in a fork that was deleted, so that nobody can apply anything there."""
    return outcome.refusal is not None and outcome.refusal.is_gone


def is_there(outcome: Outcome) -> bool:
    """Whether every block is in the branch already, or would change nothing."""
    return outcome.result.ok and READY not in tally(outcome)


def is_asked_for(outcome: Outcome) -> bool:
    """Whether a retry prompt should be shown now, one that a model can answer with blocks."""
    return bool(outcome.retry_blocks) and is_open(outcome)


def tally(outcome: Outcome) -> Mapping[str, int]:
    """How many rows there are of each word, only those that occur; `not tried` is a word of its own."""
    counted = Counter(NOT_TRIED if row.code is ReasonCode.EARLIER_FAILURE else row.word for row in rows(outcome))
    return {word: counted[word] for word in COUNTED if counted[word]}


@dataclass(frozen=True, slots=True)
class DiffStat:
    """What the applied blocks do, all together."""

    files: int
    added: int
    removed: int


def change(outcome: Outcome) -> DiffStat:
    """Sum up the applied blocks: files whose bytes change, lines put in and taken out."""
    applied = [result for result in outcome.result.results if result.status is EditStatus.APPLIED]
    added, removed = sum(result.lines_added for result in applied), sum(result.lines_removed for result in applied)
    return DiffStat(len(outcome.result.contents), added, removed)
