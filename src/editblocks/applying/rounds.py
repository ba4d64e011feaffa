"""Join an answer with the earlier one whose failed blocks it corrects: one plan, in the order of the earlier one.

Rules: docs/reference/action.md, "joined rounds".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.model import ApplyResult, EditResult, row_number
from editblocks.core.phrases import blocks as name_blocks
from editblocks.parsing.notes import UNREAD

_Row = EditBlock | Problem
UNCLEAR = 0  # stands for the number of a block where it was not clear which one is corrected


def join(earlier: ParseResult, planned: ApplyResult, answer: ParseResult, wanted: Collection[int]) -> ParseResult:
    """The blocks of `earlier`, in which those of `answer` take the places of the ones that they correct.

    Those are the blocks `wanted`; if none are named, the ones that failed in `planned`. The first block of `answer` for
    a file takes the place and the number of the first of them in that file, and so on. Then what is left of the answer
    takes the places that are left of blocks that named no file or a wrong one, and comes last, with numbers of its own,
    if there are none. A block that nothing replaces stays, failed or not. If it is not clear what is to be replaced,
    the blocks of `answer` stand alone, with a note that says so.
    """
    old, new = _rows(earlier), _rows(answer)
    verdicts = {row_number(row): row for row in planned.rows}
    places = [number for number in verdicts if (number in wanted if wanted else _has_failed(verdicts[number]))]
    unknown = sorted(set(wanted).difference(verdicts))
    if UNCLEAR in unknown:
        return _unclear(answer)
    if unknown:
        return not_joined(answer, f"the earlier answer has no {name_blocks(unknown)}")
    taken: dict[int, _Row] = {}
    left = [row for row in new if not _place(row, (p for p in places if verdicts[p].file_path == row.file_path), taken)]
    free = [p for p in places if wanted or verdicts[p].code in _NAMELESS or verdicts[p].file_path is None]
    rest = [row for row in left if not _place(row, free, taken)]
    paths = {row.file_path for row in old} - {verdicts[number].file_path for number in places}
    if not wanted and any(row.file_path in paths for row in rest):
        # Or it was corrected and applied before: then the old block may seem to fit at another place.
        return _unclear(answer)
    section = max((row.section for row in earlier.blocks), default=0)
    rows: dict[int, _Row] = {row.number: row._replace(answers_back=row.answers_back + 1) for row in old}
    taken |= dict(enumerate(rest, (old[-1].number if old else 0) + 1))
    for number, row in taken.items():
        rows[number] = row._replace(number=number)
        if isinstance(row, EditBlock) and row.section:  # hunks of one section stand or fall together
            rows[number] = row._replace(number=number, section=row.section + section)
    in_order = [rows[number] for number in sorted(rows)]
    return answer._replace(
        blocks=tuple(row for row in in_order if isinstance(row, EditBlock)),
        problems=tuple(row for row in in_order if isinstance(row, Problem)),
        notes=(*(note._replace(line_number=None) for note in earlier.notes if note.code in UNREAD), *answer.notes),
        shell_suggestions=tuple(dict.fromkeys((*earlier.shell_suggestions, *answer.shell_suggestions))),
        base=earlier.base,  # new blocks are written for the files as they are now
        joined=earlier.joined + 1,
        replaced=tuple(places),
    )


def not_joined(answer: ParseResult, reason: str) -> ParseResult:
    """The answer alone, with a note that its blocks are not planned together with earlier ones."""
    what = f"only the blocks of this answer are looked at: {reason}"
    return answer._replace(notes=(*answer.notes, Note("not-joined", what)))


def _unclear(answer: ParseResult) -> ParseResult:
    alone = not_joined(
        answer, "in a file of it, no block of the earlier answer failed, so what it corrects is not clear"
    )
    return alone._replace(replaced=(UNCLEAR,))


def _place(row: _Row, places: Iterable[int], taken: dict[int, _Row]) -> bool:
    """Put a row at the first of these places that is free; False if none is."""
    number = next((place for place in places if place not in taken), None)
    if number is not None:
        taken[number] = row
    return number is not None


def _rows(parsed: ParseResult) -> list[_Row]:
    return sorted((*parsed.blocks, *parsed.problems), key=lambda row: row.number)


_NAMELESS = (ReasonCode.FILE_NOT_FOUND, ReasonCode.NO_PATH)


def _has_failed(row: EditResult | Problem) -> bool:
    """Whether the model was asked for it anew: it failed, also without those before it, or it leaves lines out."""
    if isinstance(row, Problem):
        return True
    verdict = row.trial or row
    return not verdict.ok or any(note.code == "placeholder" for note in verdict.notes)
