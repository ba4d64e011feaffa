"""Join an answer with the earlier one whose failed blocks it corrects: one plan, in the order of the earlier one.

Rules: docs/reference/action.md, "joined rounds".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeAlias

from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.model import ApplyResult, EditResult, row_number
from editblocks.core.outcome import NOT_JOINED
from editblocks.core.phrases import blocks as name_blocks
from editblocks.parsing.notes import UNREAD

_Row: TypeAlias = EditBlock | Problem


def join(earlier: ParseResult, planned: ApplyResult, answer: ParseResult, wanted: Collection[int]) -> ParseResult:
    """The blocks of `earlier`, in which those of `answer` take the places of the ones that they correct.

    Those are the blocks `wanted`; if none are named, the ones that failed in `planned`. The first block of `answer` for
    a file takes the place and the number of the first of them in that file, and so on; where one of them names no file,
    the first that finds no other place. What is left of the answer comes last, with numbers of its own. A block that
    nothing replaces stays, failed or not. If it is not clear what is to be replaced, the blocks of `answer` stand
    alone, with a note that says so.
    """
    old, new = _rows(earlier), _rows(answer)
    unknown = sorted(set(wanted).difference(row.number for row in old))
    if unknown:
        return not_joined(answer, f"the earlier answer has no {name_blocks(unknown)}")
    places: dict[str | None, list[int]] = {}
    for verdict in planned.rows:
        if row_number(verdict) in wanted if wanted else _has_failed(verdict):
            places.setdefault(verdict.file_path, []).append(row_number(verdict))
    fine = {row.file_path for row in old}.difference(places)  # files in which nothing is to be replaced
    free, section = old[-1].number if old else 0, max((row.section for row in earlier.blocks), default=0)
    rows: dict[int, _Row] = {row.number: replace(row, answers_back=row.answers_back + 1) for row in old}
    for row in new:
        queue = places.get(row.file_path) or places.get(None) or []
        if not queue:
            if row.file_path in fine and not wanted:
                # Or it was corrected and applied before: then the old block may seem to fit at another place.
                return not_joined(answer, f"no block for {row.file_path} failed, so what it corrects is not clear")
            free += 1
            queue = [free]
        number = queue.pop(0)
        rows[number] = replace(row, number=number)
        if isinstance(row, EditBlock) and row.section:  # hunks of one section stand or fall together
            rows[number] = replace(row, number=number, section=row.section + section)
    in_order = [rows[number] for number in sorted(rows)]
    return replace(
        answer,
        blocks=tuple(row for row in in_order if isinstance(row, EditBlock)),
        problems=tuple(row for row in in_order if isinstance(row, Problem)),
        notes=(*(replace(note, line_number=None) for note in earlier.notes if note.code in UNREAD), *answer.notes),
        shell_suggestions=tuple(dict.fromkeys((*earlier.shell_suggestions, *answer.shell_suggestions))),
        base=earlier.base or answer.base,
    )


def not_joined(answer: ParseResult, reason: str) -> ParseResult:
    """The answer alone, with a note that its blocks are not planned together with earlier ones."""
    what = f"only the blocks of this answer are looked at: {reason}"
    return replace(answer, notes=(*answer.notes, Note(NOT_JOINED, what)))


def _rows(parsed: ParseResult) -> list[_Row]:
    return sorted((*parsed.blocks, *parsed.problems), key=lambda row: row.number)


def _has_failed(row: EditResult | Problem) -> bool:
    """Whether the model was asked for it anew: it failed, also without those before it, or it leaves lines out."""
    if isinstance(row, Problem):
        return True
    verdict = row.trial or row
    return not verdict.ok or any(note.code == "placeholder" for note in verdict.notes)
