"""The failed rows of a result, for a model: which it can correct, and which it should not try again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.explain import parts
from editblocks.core.model import ApplyResult, Candidate, EditResult, Hint, Problem
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.prompts.files import Files
from editblocks.report.escape import code_span, cut_middle, visible

_REASON_LIMIT = 300
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_.@+-][A-Za-z0-9_./@+-]{0,119}")

# A rule, the kind of file, or a fault of editblocks itself is the reason: no other block would succeed.
_HOPELESS_CODES = (
    "unsafe-path not-allowed not-a-file binary encoding filtered too-large self-check unavailable internal"
)
_HOPELESS = frozenset(map(ReasonCode, _HOPELESS_CODES.split()))
_TOLD_BETTER = frozenset(map(ReasonCode, "unclosed unsupported-format hidden-block hidden-text not-allowed".split()))


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed row, as the model is told about it. `result` is None if the block could not be read.

    For a block after failed blocks of the same file, `result` is that of a trial without those.
    """

    number: int
    code: ReasonCode | None  # None: the block fits, but has to be corrected
    what: str  # what is wrong, for people
    advice: str  # what to do, for people
    path: str | None
    line: int  # of the response, 1-based: where the block begins, or where reading failed
    raw: str
    result: EditResult | None = None
    is_hopeless: bool = False
    asks: bool = False  # the model must see more of the file before it can write the block
    verb: str = "Send"  # "Send" if the block is the model's own, "Write" in a fresh chat
    names_two_files: bool = False
    is_other_format: bool = False  # the block is in a format that is not read

    @property
    def word(self) -> str:
        """The reason code as a word; `placeholder` if there is none."""
        return (self.code or ReasonCode.PLACEHOLDER).value

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The places that may have been meant, in the order of the result."""
        return self.result.candidates if self.result is not None else ()

    @property
    def says(self) -> str:
        """The reason as one line, with the advice for people unless models get their own."""
        advice = "" if self.code in _TOLD_BETTER else self.advice
        return shown_reason("; ".join(filter(None, (self.what, advice))))

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The hints that may explain the failure."""
        return self.result.hints if self.result is not None else ()

    @property
    def elsewhere(self) -> Hint | None:
        """The hint that another file of the response holds the whole text, if there is one."""
        return next((hint for hint in self.hints if hint.kind == "elsewhere"), None)

    @property
    def may_be_done(self) -> bool:
        """Whether a hint says that the new lines are in the file already."""
        return any(hint.kind == "there" for hint in self.hints)

    @property
    def is_written_otherwise(self) -> bool:
        """Whether a hint says that SEARCH is written differently from the file: REPLACE probably is as well."""
        return any(hint.kind not in ("elsewhere", "there") for hint in self.hints)

    @property
    def leaves_lines_out(self) -> bool:
        """Whether the new text has a placeholder for lines that it leaves out."""
        return self.code is ReasonCode.PLACEHOLDER or _leaves_lines_out(self.result)


def shown_path(path: str) -> str:
    """Return a path for a sentence: as it is if it is plain, else in a code span with hidden characters named."""
    return path if _PLAIN_PATH.fullmatch(path) else code_span(path)


def shown_reason(reason: str) -> str:
    """Return a reason as one line of limited length, with hidden characters named."""
    return cut_middle(visible(reason), _REASON_LIMIT)


def failures(result: ApplyResult, files: Files, response: str = "") -> list[Failure]:
    """Return the rows to be sent again or given up, in reading order; none if nothing failed.

    They include a block that fits if its new text leaves lines out and is not written yet. `response` is the whole
    text of the response: the rows of blocks that could not be read do not hold their text.
    """
    all_failures = list(_failed_rows(result, response))
    if not all_failures:
        return []
    all_failures += (_as_failure(row, None) for row in result.results if _would_leave_lines_out(row, files))
    return sorted(all_failures, key=lambda failure: failure.number)


def _failed_rows(result: ApplyResult, response: str) -> Iterator[Failure]:
    applied = {row.block.number for row in result.results if row.status is EditStatus.APPLIED}
    lines = response.split("\n") if result.problems else []
    for row in result.rows:
        if isinstance(row, Problem):
            yield _unread(row, lines)
        elif (trial := row.trial) is not None and trial.status is EditStatus.FAILED:
            yield _as_failure(trial, trial.code, applied)
        elif row.status is EditStatus.FAILED:
            yield _as_failure(row, row.code)


def _unread(row: Problem, lines: Sequence[str]) -> Failure:
    line = row.end_line if row.code is ReasonCode.UNCLOSED else row.line_number
    raw = "\n".join(lines[row.line_number - 1 : row.end_line])
    raw = f"{raw}\n".replace("\r\n", "\n") if raw else ""
    is_hopeless = row.code in _HOPELESS and row.code is not ReasonCode.TOO_LARGE
    is_other = row.code is ReasonCode.UNSUPPORTED_FORMAT and row.format not in FORMAT_NAMES
    return Failure(
        row.number, row.code, row.what, row.advice, row.file_path, line, raw,
        is_hopeless=is_hopeless, is_other_format=is_other, names_two_files=bool(row.paths),
    )  # fmt: skip


def _as_failure(row: EditResult, code: ReasonCode | None, applied: Collection[int] | None = None) -> Failure:
    """`applied`: the file that is shown has these blocks, so that no place is shown that only others would make."""
    block, mismatch, words = row.block, row.mismatch, parts(row)
    if mismatch is not None:
        hints = tuple(hint._replace(offers_loose=False) for hint in mismatch.hints)  # a model cannot ask for it
        words = parts(replace(row, mismatch=replace(mismatch, hints=hints)))
        places = tuple(place for place in row.candidates if applied is None or set(place.after) <= set(applied))
        row = replace(row, mismatch=replace(mismatch, hints=hints, candidates=places))
    is_hopeless = mismatch is not None and mismatch.code in _HOPELESS and not mismatch.can_be_mended
    return Failure(block.number, code, *words, block.file_path, block.line_number, block.raw_block, row, is_hopeless)


def _leaves_lines_out(row: EditResult | None) -> bool:
    return row is not None and any(note.code == "placeholder" for note in row.notes)


def _would_leave_lines_out(row: EditResult, files: Files) -> bool:
    if row.status is not EditStatus.APPLIED or not _leaves_lines_out(row):
        return False
    file = files.text(row.file_path)
    return file is not None and row.block.number in file.pending
