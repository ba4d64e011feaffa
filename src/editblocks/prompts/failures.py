"""The failed rows of a result, for a model: which it can correct, and which it should not try again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from editblocks.core.blocks import EditBlock, Problem
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.explain import parts
from editblocks.core.model import ApplyResult, EditResult, Hint, Mismatch
from editblocks.core.outcome import Response
from editblocks.core.typed import NamedTuple
from editblocks.formats.suggestion import SUGGESTION
from editblocks.formats.whole_file import WHOLE_FILE
from editblocks.matching.diagnose import LEAST_SIMILARITY
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.prompts.files import Files
from editblocks.report.escape import code_span, cut_middle, visible

_REASON_LIMIT = 300
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_.@+-][A-Za-z0-9_./@+-]{0,119}")

# A rule, the kind of file, or a fault of editblocks itself is the reason: no other block would succeed.
_HOPELESS = frozenset(
    "unsafe-path not-allowed not-a-file binary encoding filtered too-large self-check unavailable internal".split()
)
# The model gets advice of its own for these.
_OWN_ADVICE = frozenset(
    "no-path ambiguous placeholder unclosed unsupported-format hidden-block hidden-text not-allowed whole-file".split()
)
# An answer has no thread, and shows whole files to no purpose.
_NOT_REPEATED = frozenset({*SUGGESTION.names, *WHOLE_FILE.names})


class Failure(NamedTuple):
    """A failed row, as the model is told about it. `block` is None if it could not be read.

    For a block after failed blocks of the same file, `mismatch` is that of a trial without those.
    """

    number: int
    reason: str  # one line for people, without their advice if models get their own
    path: str | None
    line: int  # of the response, 1-based: where the block begins, or where reading failed
    raw: str
    mismatch: Mismatch
    block: EditBlock | None = None
    fits: bool = False  # it could be applied, but leaves lines out
    leaves_lines_out: bool = False  # the new text has a placeholder for them
    is_hopeless: bool = False
    asks: bool = False  # the model must see more of the file before it can write the block
    is_other_format: bool = False  # the block is in a format that is not read, or that an answer cannot repeat
    format: str | None = None

    @property
    def code(self) -> ReasonCode:
        """Why it failed; `placeholder` for a block that fits."""
        return self.mismatch.code

    @property
    def elsewhere(self) -> Hint | None:
        """The hint that another file of the response holds the whole text, if there is one."""
        return next((hint for hint in self.mismatch.hints if hint.kind == "elsewhere"), None)

    @property
    def may_be_done(self) -> bool:
        """Whether a hint says that the new lines are in the file already."""
        return any(hint.kind == "there" for hint in self.mismatch.hints)

    @property
    def is_written_otherwise(self) -> bool:
        """Whether a hint says that SEARCH is written differently from the file: REPLACE probably is as well."""
        return any(hint.kind not in ("elsewhere", "there") for hint in self.mismatch.hints)


def shown_path(path: str) -> str:
    """Return a path for a sentence: as it is if it is plain, else in a code span with hidden characters named."""
    return path if _PLAIN_PATH.fullmatch(path) else code_span(path)


def shown_reason(reason: str) -> str:
    """Return a reason as one line of limited length, with hidden characters named."""
    return cut_middle(visible(reason), _REASON_LIMIT)


def failures(result: ApplyResult, files: Files, response: str | Response = "") -> list[Failure]:
    """Return the rows to be sent again or given up, in reading order; none if nothing failed.

    They include a block that fits if its new text leaves lines out and is not written yet. `response` is what
    was planned: the rows of blocks that could not be read do not hold their text.
    """
    all_failures = list(_failed_rows(result, response))
    if not all_failures:
        return []
    all_failures += (_as_failure(row) for row in result.results if _would_leave_lines_out(row, files))
    all_failures = [
        failure._replace(is_hopeless=True) if _needs_hidden_text(failure, result) else failure
        for failure in all_failures
    ]
    return sorted(all_failures, key=lambda failure: failure.number)


def _needs_hidden_text(failure: Failure, result: ApplyResult) -> bool:
    """Whether the block could only be corrected by someone who sees a text that no model is shown."""
    is_of_text = failure.code in (ReasonCode.NO_MATCH, ReasonCode.STALE)
    return is_of_text and failure.block is not None and not result.hidden_texts.isdisjoint(failure.block.paths)


def _failed_rows(result: ApplyResult, response: str | Response) -> Iterator[Failure]:
    applied = {row.block.number for row in result.results if row.status is EditStatus.APPLIED}
    text = response if isinstance(response, str) else response.text
    lines = text.split("\n") if result.problems else []
    for row in result.rows:
        if isinstance(row, Problem):
            yield _unread(row, lines)
        elif (trial := row.trial) is not None and _is_failure(trial):
            yield _as_failure(trial, applied)
        elif _is_failure(row):
            yield _as_failure(row)


def _is_failure(row: EditResult) -> bool:
    return row.status is EditStatus.FAILED or row.code is ReasonCode.WHOLE_FILE


def _unread(row: Problem, lines: Sequence[str]) -> Failure:
    raw = "\n".join(lines[row.line_number - 1 : row.end_line])
    is_repeated = row.format not in _NOT_REPEATED
    return Failure(
        row.number,
        _reason(row.code, row.what, row.advice if is_repeated else ""),
        row.file_path,
        row.end_line if row.code is ReasonCode.UNCLOSED else row.line_number,
        f"{raw}\n".replace("\r\n", "\n") if raw else "",
        Mismatch(row.code),
        is_hopeless=row.code.value in _HOPELESS and row.code is not ReasonCode.TOO_LARGE,
        is_other_format=not is_repeated
        or (row.code is ReasonCode.UNSUPPORTED_FORMAT and row.format not in FORMAT_NAMES),
        format=row.format,
    )


def _as_failure(row: EditResult, applied: Collection[int] | None = None) -> Failure:
    """`applied`: the file that is shown has these blocks, so that no place is shown that only others would make.

    Nor is a line that is only half alike: a person may know whether it was meant, a model would copy it.
    """
    block, fits = row.block, row.mismatch is None
    mismatch = row.mismatch or Mismatch(ReasonCode.PLACEHOLDER)
    hints = tuple(hint._replace(offers_loose=False) for hint in mismatch.hints)  # a model cannot ask for it
    mismatch = mismatch._replace(hints=hints)
    what, advice = parts(row, mismatch)
    reason = _reason(mismatch.code, what, "" if block.format in _NOT_REPEATED else advice)
    places = tuple(
        place
        for place in mismatch.candidates
        if place.similarity >= LEAST_SIMILARITY and (applied is None or set(place.after) <= set(applied))
    )
    return Failure(
        block.number,
        reason,
        block.file_path,
        block.line_number,
        block.raw_block,
        mismatch._replace(candidates=places),
        block,
        fits=fits,
        leaves_lines_out=mismatch.code is ReasonCode.PLACEHOLDER or _leaves_lines_out(row),
        is_hopeless=mismatch.code.value in _HOPELESS and not mismatch.can_be_mended,
        is_other_format=block.format in _NOT_REPEATED,
        format=block.format,
    )


def _reason(code: ReasonCode, what: str, advice: str) -> str:
    return shown_reason(f"{what}; {advice}" if advice and code.value not in _OWN_ADVICE else what)


def _leaves_lines_out(row: EditResult) -> bool:
    return any(note.code == "placeholder" for note in row.notes)


def _would_leave_lines_out(row: EditResult, files: Files) -> bool:
    if row.status is not EditStatus.APPLIED or not _leaves_lines_out(row):
        return False
    file = files.text(row.file_path)
    return file is not None and row.block.number in file.pending
