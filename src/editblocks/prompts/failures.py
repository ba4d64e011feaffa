"""The rows of a result that a model can do something about, and those that it had better leave alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.model import ApplyResult, Candidate, EditResult, Problem, section_lines
from editblocks.matching.hints import ADVICE_LOOSE
from editblocks.prompts.files import Files
from editblocks.report.escape import code_span, cut_middle, visible
from editblocks.text.line_starts import LineStarts

_REASON_LIMIT = 300
_ELSEWHERE = re.compile(
    r"(the same text is at (.+):[0-9]+(?:-[0-9]+)?( and [0-9]+ more places?)?), name that file if you mean it"
)
_IS_THERE = "the new lines may be at line "
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_.@+-][A-Za-z0-9_./@+-]{0,119}")

# A rule, a kind of file, or a fault of our own stands in the way: no other block would fare better.
_HOPELESS = frozenset(
    {
        ReasonCode.UNSAFE_PATH,
        ReasonCode.NOT_ALLOWED,
        ReasonCode.NOT_A_FILE,
        ReasonCode.BINARY,
        ReasonCode.ENCODING,
        ReasonCode.FILTERED,
        ReasonCode.TOO_LARGE,
        ReasonCode.SELF_CHECK,
        ReasonCode.UNAVAILABLE,
        ReasonCode.INTERNAL,
    }
)
_TO_A_PERSON = "; probably cut off, ask for it again"
_NOT_READ = "; ask for SEARCH/REPLACE blocks"  # of a format that we do not know, not of one that was left out
_TOLD_BETTER = frozenset(
    {
        ReasonCode.UNSUPPORTED_FORMAT,
        ReasonCode.HIDDEN_BLOCK,
        ReasonCode.HIDDEN_TEXT,
        ReasonCode.NOT_ALLOWED,
    }
)
_REPAIRS = ("split it", "split the response", "remove it")  # advice that a model can follow whatever the code


@dataclass(frozen=True, slots=True)
class Failure:
    """A row to tell the model about. `result` None: a block that could not be read.

    Of a block behind failed ones of its file it is what becomes of it without them.
    """

    number: int
    code: ReasonCode | None  # None: it fits, and yet should not stay as it is
    reason: str
    path: str | None
    line: int  # of the response, 1-based: where reading went wrong
    raw: str
    result: EditResult | None = None
    is_hopeless: bool = False
    asks: bool = False  # the model has to see more before it can write the block

    @property
    def word(self) -> str:
        """The code, as people look it up."""
        return (self.code or ReasonCode.PLACEHOLDER).value

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The places that may have been meant, the best or the first one first."""
        return self.result.candidates if self.result is not None else ()

    @property
    def searched(self) -> list[str]:
        """The lines that were looked for."""
        return section_lines(self.result.block.search) if self.result is not None else []

    @property
    def differs_at(self) -> int | None:
        """The line of the file, 1-based, at which it first differs from those."""
        difference = self.result.first_difference if self.result is not None else None
        return difference.line if difference is not None else None

    @property
    def says(self) -> str:
        """The reason as one line, without what a person is told to do if a model is told better."""
        reason = self.reason.removesuffix(_TO_A_PERSON).replace(ADVICE_LOOSE, "")
        return shown_reason((reason.rpartition("; ")[0] if self.code in _TOLD_BETTER else "") or reason)

    @property
    def hints(self) -> tuple[str, ...]:
        """What may explain it, without what only a person can do, and without what the model is told to do."""
        all_hints = self.result.hints if self.result is not None else ()
        return tuple(_ELSEWHERE.sub(r"\1", hint.removesuffix(ADVICE_LOOSE)) for hint in all_hints)

    @property
    def other_file(self) -> str | None:
        """The path, as hints show it, of a file of the response that holds the whole text."""
        match = self._elsewhere
        return match[2] if match else None

    @property
    def has_more_places(self) -> bool:
        """Whether the text is at several places of other files, and so perhaps of that one."""
        match = self._elsewhere
        return bool(match and match[3])

    @property
    def _elsewhere(self) -> re.Match[str] | None:
        matches = map(_ELSEWHERE.fullmatch, self.result.hints if self.result is not None else ())
        return next(filter(None, matches), None)

    @property
    def may_be_done(self) -> bool:
        """Whether the new lines stand in the file."""
        return any(hint.startswith(_IS_THERE) for hint in self.hints)

    @property
    def is_written_otherwise(self) -> bool:
        """Whether a hint says how its text is written otherwise than the file: its new text will be, too."""
        others = self.may_be_done + (self.other_file is not None)
        return len(self.hints) > others

    @property
    def is_other_format(self) -> bool:
        """Whether it is in a format that nobody reads."""
        return self.code is ReasonCode.UNSUPPORTED_FORMAT and self.reason.endswith(_NOT_READ)

    @property
    def leaves_lines_out(self) -> bool:
        """Whether the new text stands for lines that it does not hold."""
        is_refused = self.code is ReasonCode.PLACEHOLDER
        return is_refused or (self.result is not None and _leaves_lines_out(self.result))


def shown_path(path: str) -> str:
    """A path in a sentence: as it is where it is plain, else in a code span, hidden characters named."""
    return path if _PLAIN_PATH.fullmatch(path) else code_span(path)


def shown_reason(reason: str) -> str:
    """A reason as one line, hidden characters named."""
    return cut_middle(visible(reason), _REASON_LIMIT)


def failures(result: ApplyResult, files: Files, response: str = "") -> list[Failure]:
    """The rows to be sent again or given up, in reading order; none if nothing failed.

    A block that fits is among them if its new text leaves lines out and is not written yet. `response` is the
    text that was read, for blocks that could not be read: their rows hold no text.
    """
    all_failures = list(_failed_rows(result, response))
    if not all_failures:
        return []
    all_failures += (_as_failure(row, None) for row in result.results if _would_leave_lines_out(row, files))
    return sorted(all_failures, key=lambda failure: failure.number)


def _failed_rows(result: ApplyResult, response: str) -> Iterator[Failure]:
    applied = {row.block.number for row in result.results if row.status is EditStatus.APPLIED}
    lines = LineStarts(response if result.problems else "")
    for row in result.rows:
        if isinstance(row, Problem):
            yield _unread(row, lines)
        elif row.trial is not None and row.trial.status is EditStatus.FAILED:
            # The file that is shown has the blocks that are applied, and not those that only fit.
            shown = tuple(place for place in row.trial.candidates if applied.issuperset(place.after))
            yield _as_failure(replace(row.trial, candidates=shown), row.trial.code)
        elif row.status is EditStatus.FAILED:
            yield _as_failure(row, row.code)


def _unread(row: Problem, lines: LineStarts) -> Failure:
    line = row.end_line if row.code is ReasonCode.UNCLOSED else row.line_number
    raw = lines.between(row.line_number, row.end_line)
    raw = f"{raw}\n".replace("\r\n", "\n") if raw else ""
    return Failure(
        row.number, row.code, row.message, row.file_path, line, raw, is_hopeless=_is_hopeless(row.code, row.message)
    )


def _as_failure(row: EditResult, code: ReasonCode | None) -> Failure:
    block, reason = row.block, row.reason or ""
    hopeless = _is_hopeless(code, reason)
    return Failure(block.number, code, reason, block.file_path, block.line_number, block.raw_block, row, hopeless)


def _is_hopeless(code: ReasonCode | None, reason: str) -> bool:
    return code in _HOPELESS and not reason.endswith(_REPAIRS)


def _leaves_lines_out(row: EditResult) -> bool:
    return any(note.code == "placeholder" for note in row.notes)


def _would_leave_lines_out(row: EditResult, files: Files) -> bool:
    if row.status is not EditStatus.APPLIED or not _leaves_lines_out(row):
        return False
    file = files.text(row.file_path)
    return file is not None and row.block.number in file.pending
