"""The text that a result holds if it is asked for: what each block changes or asks for, and the places it may mean.

A change is a unified diff for people and pages to read: of its block alone, so that both columns count from the file as
it was read, and with long lines cut. Page: docs/reference/output.md, "text of blocks".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.blocks import EditBlock, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.model import Candidate, EditResult
from editblocks.matching.block_readings import readings
from editblocks.report.diff import hunks
from editblocks.report.escape import cut_middle
from editblocks.report.view import OutcomeView, Row
from editblocks.text.source_text import SourceText

CONTEXT = 10  # lines above and below a change
LONGEST_LINE = 10_000
PLACE_LINES, _PLACE_LINE = 20, 400
_CLOSE = (ReasonCode.NO_MATCH, ReasonCode.STALE)


class BlockTexts:
    """The texts of the blocks of one outcome; each file is read once."""

    def __init__(self, view: OutcomeView) -> None:
        self._result = view.result
        self._heads: dict[str, Sequence[str]] = {}

    def of(self, row: Row) -> dict[str, object]:
        """`diff` and, if SEARCH is not in the file, `closest_diff`: from SEARCH to the text that is most like it."""
        result = row.result and (row.result.trial or row.result)
        if result is None:
            return {}
        searched, wanted = _sections(result.block)
        if result.written is not None:
            return {"diff": self._in_place(result, row.head_path or "")}
        texts: dict[str, object] = {"diff": _diff(searched, wanted)}
        if result.code in _CLOSE and result.candidates and result.candidates[0].lines:
            place = result.candidates[0]
            texts["closest_diff"] = _diff(searched, place.lines, (0, place.start_line - 1), len(searched))
        return texts

    def _in_place(self, result: EditResult, path: str) -> str:
        old, new = result.written or ((), ())
        if result.span is None:
            start = (result.estimated_line or 1) - 1
            return _diff(old, new, (start, start))
        (start, stop), head = result.span, self._head(path)
        above, below = head[max(0, start - CONTEXT) : start], head[stop : stop + CONTEXT]
        first = start - len(above)
        return _diff([*above, *old, *below], [*above, *new, *below], (first, first))

    def _head(self, path: str) -> Sequence[str]:
        """The lines of a file before the plan; none if the plan leaves it as it is."""
        if path not in self._heads:
            self._heads[path] = SourceText.decode(self._result.originals.get(path) or b"").lines
        return self._heads[path]


def place_text(place: Candidate) -> dict[str, object]:
    """The text of a place, and the name of what it stands in."""
    shown = (cut_middle(line, _PLACE_LINE) for line in place.lines[:PLACE_LINES])
    return {"text": "\n".join(shown), "within": place.within or None}


def _sections(block: EditBlock) -> tuple[Sequence[str], Sequence[str]]:
    if block.splits:
        return readings(block)[0].search, readings(block)[0].replace
    return section_lines(block.search), section_lines(block.replace)


def _diff(old: Sequence[str], new: Sequence[str], above_them: tuple[int, int] = (0, 0), context: int = CONTEXT) -> str:
    old, new = ([f"{cut_middle(line, LONGEST_LINE)}\n" for line in lines] for lines in (old, new))
    return "".join(hunks(old, new, context, above_them))
