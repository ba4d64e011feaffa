"""Collect the rows, counts and facts of an outcome, from which every report is written. Nothing is escaped here."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from editblocks.core.blocks import Note, ParsedRow, Problem
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.mismatch import Candidate
from editblocks.core.model import EditResult, row_number
from editblocks.core.outcome import Outcome, Source
from editblocks.core.phrases import after_blocks, count_words, join_parts, noun_for, percent, plural, ranges
from editblocks.core.selection import LEFT_OUT, Selection
from editblocks.report.escape import cut_end

READY = "ready"
APPLIED = "applied"
FAILED = "failed"
SKIPPED = "skipped"
NOT_TRIED = "not tried"  # the word in counts for blocks after a failed block of their file
COUNTED = (APPLIED, READY, SKIPPED, NOT_TRIED, FAILED)  # the order of counts
CANDIDATES_IN_TEXT = 10
FINE, NOT_OK, BROKEN = 0, 1, 2  # docs/reference/command-line.md, "exit codes"

# Notes that repeat what the row says: how the block matched.
_IN_THE_ROW = frozenset({"indentation-shifted", "trailing-space-ignored"})

CLOSEST = (ReasonCode.NO_MATCH, ReasonCode.STALE)  # the first candidate of such a row is the likeliest place
_CHOOSABLE = (ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH)

# Refusals after which the next step of a person is still about the blocks.
_OPEN = (ReasonCode.NOT_PERMITTED, ReasonCode.FORK, ReasonCode.SOURCE_EDITED)

_OPERATIONS = {"insert": "insertion", "delete-lines": "deletion", "empty": "file emptied"}
_STRATEGIES = {"": "applied", "create": "new file"}
_CONFIDENCE = {"medium": " (medium)", "low": " (low confidence)"}
_SOURCE_NOUNS = {
    "review": "review", "review-comment": "thread reply", "suggestions": "suggestions", "body": "description",
    "file": "response file", "stdin": "text", "clipboard": "text", "text": "text",
}  # fmt: skip

_SUGGESTIONS = 20  # shown at most, 200 characters of each: limits of the JSON result, which all reports share
_COMMAND_LIMIT = 200
# Removes, overwrites, or fetches and executes. `git mv` refuses to overwrite, `mv` does not.
_DESTRUCTIVE = r"""(?x)
      (?:^|[\s;&|(`])(?:sudo|rm|rmdir|unlink|shred|truncate|dd|mv|cp|install|tee|eval|exec|source|xargs|mkfs\S*)(?:\s|$)
    | \bgit\s+(?:-\S+\s+)*(?:rm|clean|reset|checkout|restore|switch|push|stash|rebase|filter-\S+)(?:\s|$)
    | >
    | \|\s*(?:\S*/)?(?:ba|z|da|k|fi)?sh\b
    | \|\s*(?:\S*/)?(?:python|perl|ruby|node|php)
    | \s-(?:delete|exec|execdir)\b
    | \s(?:-i|--in-place|--force)\b
"""
_GIT_MV = r"git\s+mv(?:\s+-k)?(?:\s+[^\s;&|><$`-][^\s;&|><$`]*){2,}\s*"


class Row:
    """A numbered row as people see it. `result` is None if the block could not be read; `block` is a `Problem` then.

    `word` is applied, ready, failed or skipped. `line_number` is where the block begins in the response, 1-based.
    """

    def __init__(self, row: EditResult | Problem, outcome: Outcome, *, is_written: bool) -> None:
        self.number = row_number(row)
        self.path = row.file_path
        self.code = row.code
        self.head_path = outcome.result.renamed.get(row.file_path or "", row.file_path)  # the file's path on the head
        self.response = outcome.response  # the text that `line_number` is about
        self.block: ParsedRow
        self.result: EditResult | None
        if isinstance(row, Problem):
            self.block = row
            self.result = None
            self.ok = False
            self.word = FAILED
            self.what = row.what
            self.advice = row.advice
        else:
            self.block = row.block
            self.result = row
            self.ok = row.ok
            self.word = str(row.status.value)
            if self.word == APPLIED and not is_written:
                self.word = READY
            self.what, self.advice = row.reason_and_advice
            if row.code is ReasonCode.NOT_SELECTED and self.number in outcome.skip:
                self.what = LEFT_OUT
                self.advice = ""
        self.line_number = self.block.line_number
        # This run wrote the file, so its line numbers have changed.
        self.is_changed = is_written and self.result is not None and row.file_path in outcome.result.contents

    @property
    def fits(self) -> bool:
        """Whether the run writes the change of this row, or would write it."""
        return self.result is not None and self.result.status is EditStatus.APPLIED

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line of the place in the head's file, 1-based, inclusive; None if there is no place."""
        result = self.result
        if result is None:
            return None
        if result.span is not None and result.span[0] < result.span[1]:
            return result.span[0] + 1, result.span[1]
        if result.estimated_line is not None:
            return result.estimated_line, result.estimated_line
        if result.code in CLOSEST and result.candidates and not result.candidates[0].after:
            return result.candidates[0].start_line, result.candidates[0].end_line
        return None

    @property
    def target(self) -> tuple[int, int] | None:
        """The lines that the block is about, if they are known and this run has not changed their file."""
        if self.is_changed:
            return None
        if self.result is None or self.code is not ReasonCode.AMBIGUOUS:
            return self.lines
        return next(((place.start_line, place.end_line) for place in self.result.candidates_in_file), None)

    @property
    def choice(self) -> Candidate | None:
        """The first place that a person may choose for a failed block; None if this run has changed its file."""
        if self.result is None or self.cause not in _CHOOSABLE or self.is_changed:
            return None
        return next((candidate for candidate in self.result.candidates if candidate.pick is not None), None)

    def reason(self, *, typed: bool = False) -> str:
        """Return what is wrong and what to do; empty for a block that fits.

        `typed`: the reader can type an option, so the first advice is the option that chooses a place.
        """
        advice = self.advice
        if typed and self.cause is ReasonCode.AMBIGUOUS and self.choice is not None:
            advice = join_parts(", or ", f"choose one with --only {self.choice.pick}", self.advice)
        return join_parts("; ", self.what, advice)

    def sentence(self, *, typed: bool = False) -> str:
        """Return `code: reason`, or the one of them that exists; empty for a block that fits."""
        code = "" if self.code is None else self.code.value
        return join_parts(": ", code, self.reason(typed=typed))

    @property
    def cause(self) -> ReasonCode | None:
        """Why the block fails by itself. If earlier blocks of its file failed, the block was tried without them."""
        if self.result is not None and self.result.trial is not None:
            return self.result.trial.code
        return self.code

    @property
    def fits_alone(self) -> bool:
        """Whether it was held up by failed blocks of its file, and fits without them."""
        if self.result is None or self.result.trial is None or self.code is not ReasonCode.EARLIER_FAILURE:
            return False
        return self.result.trial.status is EditStatus.APPLIED


class OutcomeView:
    """The facts of one outcome that reports show. Each is computed once, when it is first used."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.result = outcome.result

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every block and every problem once, in reading order."""
        return tuple(Row(row, self.outcome, is_written=self.is_written) for row in self.result.rows)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The number of rows for each word that occurs; rows after a failed block count as `not tried`."""
        waiting = sum(row.code is ReasonCode.EARLIER_FAILURE for row in self.rows)
        counted = Counter(row.word for row in self.rows if row.code is not ReasonCode.EARLIER_FAILURE)
        counted[NOT_TRIED] = waiting
        return {word: counted[word] for word in COUNTED if counted[word]}

    @property
    def counts_text(self) -> str:
        """`3 ready, 1 skipped, 2 failed`."""
        return count_words(self.counts)

    @property
    def balance_text(self) -> str:
        """`the markers are not balanced: 3 SEARCH, 2 REPLACE`, or empty if they are."""
        if not self.result.unbalanced:
            return ""
        return f"the markers are not balanced: {self.result.unbalanced}"

    def by_code(self, *words: str) -> str:
        """Return `block 4 ambiguous, blocks 5-7 no-match` for the rows that have one of these words."""
        numbers: dict[str, list[int]] = {}
        for row in self.rows:
            if row.word in words and row.code is not None:
                numbers.setdefault(row.code.value, []).append(row.number)
        return ", ".join(f"{noun_for(len(own), 'block')} {ranges(own)} {code}" for code, own in numbers.items())

    @cached_property
    def notes(self) -> tuple[tuple[str, Note, int], ...]:
        """Each note once, with its block (`block 2: `, or empty for a note about the response) and its line."""
        notes = [("", note, note.line_number or 1) for note in self.result.notes]
        for row in self.rows:
            own = [*row.block.notes]
            if row.result is not None:
                own += row.result.notes
            notes += [(f"block {row.number}: ", note, note.line_number or row.line_number) for note in own]
        shown = [(whose, note, line) for whose, note, line in notes if note.code not in _IN_THE_ROW]
        return tuple({(whose, note.message): (whose, note, line) for whose, note, line in shown}.values())

    @cached_property
    def change(self) -> tuple[int, int, int]:
        """How many files the applied blocks change, how many lines they add, and how many they remove."""
        applied = [result for result in self.result.results if result.status is EditStatus.APPLIED]
        added = sum(result.lines_added for result in applied)
        removed = sum(result.lines_removed for result in applied)
        return len(self.result.contents), added, removed

    @property
    def change_text(self) -> str:
        """`3 files, +24 −7`."""
        files, added, removed = self.change
        return f"{plural(files, 'file')}, +{added} −{removed}"

    @cached_property
    def fitting(self) -> list[Row]:
        """The rows that can be written when they are chosen by number: ready ones, and those that fit alone."""
        return [row for row in self.rows if row.word == READY or row.fits_alone]

    @cached_property
    def is_written(self) -> bool:
        """Whether the applied blocks are in the branch or on disk, by this run or an earlier one of the same source."""
        state = self.outcome.state
        return state is not State.UNDONE and (self.outcome.written or state in (State.APPLIED, State.PARTIAL))

    @property
    def exit_code(self) -> int:
        """The exit code of a run that has only this response."""
        if self.outcome.refusal is not None:
            return BROKEN
        return FINE if self.outcome.ok else NOT_OK

    @property
    def checked_at(self) -> str | None:
        """The commit whose files the rows describe: the head, or after an undo the commit that reverts."""
        if self.outcome.state is State.UNDONE:
            return self.outcome.commit
        return self.outcome.head

    @property
    def commit(self) -> str | None:
        """The commit that holds the applied blocks, if there is one."""
        if self.outcome.state is State.UNDONE:
            return None
        return self.outcome.commit

    @property
    def is_edited(self) -> bool:
        """Whether the response was edited after its check was shown."""
        return self.outcome.refusal is not None and self.outcome.refusal.code is ReasonCode.SOURCE_EDITED

    @property
    def is_open(self) -> bool:
        """Whether the next step is about the blocks, and not about what stopped the run."""
        refusal = self.outcome.refusal
        return self.outcome.unresolved is None and (refusal is None or refusal.code in _OPEN)

    @property
    def is_gone(self) -> bool:
        """Whether the branch is in a fork that was deleted, so that nobody can apply anything there."""
        return self.outcome.refusal is not None and self.outcome.refusal.is_gone

    @property
    def is_already_applied(self) -> bool:
        """Whether every block is already in the branch or would change nothing."""
        return self.result.ok and READY not in self.counts

    @property
    def is_asked_for(self) -> bool:
        """Whether to show a retry prompt: blocks failed that a model can correct, and nothing else stopped the run."""
        return bool(self.outcome.retry_blocks) and self.is_open


def is_placed(chosen: Sequence[Row]) -> bool:
    """Whether a person chose the place of one of these blocks."""
    return any(row.result is not None and row.result.chosen for row in chosen)


def selector(chosen: Sequence[Row], *picks: str) -> str:
    """Return the selector of these blocks, with the places chosen for them, and of `picks`: `1-3,4@48`."""
    places = {row.number: row.lines[0] for row in chosen if row.lines and row.result is not None and row.result.chosen}
    own = Selection(numbers=frozenset(row.number for row in chosen), picks=places)
    return ",".join(filter(None, (str(own), *picks)))


def select_fitting(view: OutcomeView, left_out: Collection[object]) -> str:
    """Return the selector of the fitting blocks; empty if every block fits.

    It has numbers if `ready` would mean others: if blocks were left out, a place was chosen, or blocks fit alone.
    """
    if left_out or is_placed(view.fitting) or any(row.fits_alone for row in view.fitting):
        return selector(view.fitting)
    return "" if view.outcome.ok else "ready"


def those_that_fit(fitting: Sequence[Row]) -> str:
    """Return `the one that fits` or `the 3 that fit`."""
    if len(fitting) == 1:
        return "the one that fits"
    return f"the {len(fitting)} that fit"


def line_counts(row: Row, minus: str = "-") -> str:
    """Return the added and removed lines: `+3 -1`, `+24`, or empty."""
    if row.result is None:
        return ""
    counts = (("+", row.result.lines_added), (minus, row.result.lines_removed))
    return " ".join(f"{sign}{count}" for sign, count in counts if count)


def strategy_text(result: EditResult) -> str:
    """Return how an applied block matched, its operation if it is not a replacement, and a confidence below high.

    `exact`, `exact, insertion`, `indentation, 4 more spaces (medium)`, `fuzzy 87 % (low confidence)`.
    """
    return strategy_words(result) + _CONFIDENCE.get(result.confidence or "", "")


def strategy_words(result: EditResult) -> str:
    """Return `strategy_text` without the confidence."""
    strategy = result.strategy or ""
    words = [_STRATEGIES.get(strategy, strategy)]
    if result.strategy == "rename":
        words = [f"rename to {result.block.new_path}"]
    if result.strategy == "fuzzy" and result.similarity is not None:
        words = [f"fuzzy {percent(result.similarity)}"]
    if result.strategy == "indentation" and result.shift is not None:
        words.append(_shift_text(*result.shift))
    if result.operation in _OPERATIONS:
        words.append(_OPERATIONS[result.operation])
    if result.chosen:
        words.append("chosen")
    return ", ".join(words)


def _shift_text(count: int, unit: str) -> str:
    if count > 0:
        return plural(count, f"more {unit}")
    return plural(-count, f"fewer {unit}")


def two_lines(result: EditResult) -> tuple[str, ...]:
    """Return the first line that differs, of the block and of the file: `- SEARCH  x`, `+ file    y`; empty if unknown.

    A tool call has no SEARCH, so its line is `- old text  x`.
    """
    difference = result.first_difference
    if difference is None:
        return ()
    old = "SEARCH"
    if result.block.call is not None:
        old = "old text"
    if (result.trial or result).code is ReasonCode.STALE:
        old = "base"
    new = "file"
    if difference.after:
        new = after_blocks(difference.after)
    actual = difference.actual
    if actual is None:
        actual = f"ends before line {difference.line}"
    width = max(len("SEARCH"), len(old), len(new))
    return f"- {old:<{width}}  {difference.expected}", f"+ {new:<{width}}  {actual}"


def source_noun(source: Source) -> str:
    """Return the noun for a response: comment, review, thread reply, response file, text …"""
    return _SOURCE_NOUNS.get(source.kind, "comment")


def source_name(source: Source) -> str:
    """Return the name of a response in `NAME:LINE`: its path if it has one, else its kind."""
    return source.path or source.kind


def suggested_commands(commands: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first commands of a response, each cut to its limit, with its risk: `info` or `destructive`.

    The whole command is judged, also where less of it is shown.
    """
    return [(cut_end(command, _COMMAND_LIMIT), _risk(command)) for command in commands[:_SUGGESTIONS]]


def _risk(command: str) -> str:
    return "destructive" if is_destructive(command) else "info"


def is_destructive(command: str) -> bool:
    """Whether a command removes, overwrites, or fetches and executes; errs on the side of yes."""
    return re.fullmatch(_GIT_MV, command) is None and re.search(_DESTRUCTIVE, command) is not None
