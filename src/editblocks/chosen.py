"""What becomes of the blocks that a person did not choose, and of those that an earlier commit holds. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from editblocks.codes import EditStatus, ReasonCode
from editblocks.model import ApplyResult, EditBlock, EditResult, Problem, row_number
from editblocks.selection import Selection


def left_alone(result: ApplyResult, select: Selection | None) -> frozenset[int]:
    """The numbers of the rows that a selection does not take, those of blocks that cannot be read among them."""
    if select is None:
        return frozenset()
    return frozenset(row_number(row) for row in result.rows if not select.takes(row_number(row), row.file_path))


def without(result: ApplyResult, numbers: frozenset[int]) -> ApplyResult:
    """The same plan, of which nobody asks what became of the failed blocks `numbers`."""
    problems = [row for row in result.problems if row.number in numbers]
    results = [_unchosen(row) if _is_among(row, numbers) else row for row in result.results]
    results += (_unchosen(EditResult(_unread(row), EditStatus.FAILED)) for row in problems)
    kept = tuple(row for row in result.problems if row.number not in numbers)
    return replace(result, results=tuple(sorted(results, key=row_number)), problems=kept)


def without_landed(select: Selection | None, landed: Mapping[int, str]) -> Selection | None:
    """The same selection without the blocks that an earlier commit holds: they would be tried on their own result."""
    if not landed:
        return select
    return replace(select or Selection(every=True), landed=frozenset(landed))


def with_landed(result: ApplyResult, landed: Mapping[int, str]) -> ApplyResult:
    """A plan made without the blocks that an earlier commit holds, which says of each in which (40 hex digits)."""
    if not landed:
        return result
    return replace(result, results=tuple(_landed(row, landed.get(row.block.number)) for row in result.results))


def _landed(row: EditResult, commit: str | None) -> EditResult:
    if commit is None:
        return row
    reason = f"in `{commit[:7]}` already; post it again if it was taken out since"
    return replace(row, status=EditStatus.SKIPPED, code=ReasonCode.ALREADY_APPLIED, reason=reason)


def _is_among(row: EditResult, numbers: frozenset[int]) -> bool:
    return row.block.number in numbers and not row.ok


def _unchosen(row: EditResult) -> EditResult:
    return replace(row, status=EditStatus.SKIPPED, code=ReasonCode.NOT_SELECTED)


def _unread(row: Problem) -> EditBlock:
    return EditBlock(row.number, row.file_path or "", row.format or "", row.line_number, row.end_line)
