"""The table of a status: a row for every block and problem, in reading order, each cell escaped for its place.

A committed block is shown where it stands in the commit, every other row where it is in the head that was checked.
"""

from __future__ import annotations

from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.model import EditResult
from editblocks.core.outcome import SUGGESTIONS
from editblocks.core.phrases import line_range, percent
from editblocks.report.escape import SPAN_LIMIT, code_span, cut_middle, text
from editblocks.report.status.links import NO_LINKS, Links, link
from editblocks.report.view import (
    APPLIED,
    CANDIDATES_IN_TEXT,
    FAILED,
    READY,
    SKIPPED,
    OutcomeView,
    Row,
    line_counts,
    source_noun,
    strategy_text,
)

HEAD = ("| # | Where | Result | How it matched | Lines |", "|--:|:--|:--|:--|--:|")
_ICONS = {READY: "✅", APPLIED: "✅", FAILED: "❌", SKIPPED: "⏭️"}

# With these the file was found on the head, so its address leads somewhere.
_FOUND = {
    None, ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.ALREADY_APPLIED, ReasonCode.NO_OP,
    ReasonCode.FILE_EXISTS, ReasonCode.BINARY, ReasonCode.ENCODING, ReasonCode.FILTERED, ReasonCode.HIDDEN_TEXT,
    ReasonCode.PLACEHOLDER,
}  # fmt: skip
_FOUND_BY_CREATING = {ReasonCode.FILE_EXISTS, ReasonCode.ALREADY_APPLIED}


def table(view: OutcomeView, links: Links, *, plain: bool = False) -> str:
    """Every row once. `plain`: no links, and codes without a reason."""
    return "\n".join((*HEAD, *(_row(row, view, NO_LINKS if plain else links, plain) for row in view.rows)))


def _row(row: Row, view: OutcomeView, links: Links, plain: bool) -> str:
    how = row.code.value if plain and row.code else _how(row, view, links)
    cells = (str(row.number), _where(row, view, links), f"{_ICONS[row.word]} {row.word}", how, line_counts(row, "−"))
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|"


def _where(row: Row, view: OutcomeView, links: Links) -> str:
    head = view.outcome.head
    if row.result is None or row.path is None:
        place = f"{source_noun(row.response.source)}, line {row.line_number}"
        return link(place, links.response(head, row.line_number)) + _thread(row, links)
    lines = _lines(row, view)
    # Cut the path alone: where it is cut, the line still shows.
    place = cut_middle(row.path, SPAN_LIMIT) + ("" if lines is None else f":{line_range(lines)}")
    where = link(code_span(place, cell=True, limit=SPAN_LIMIT * 2), _address(row.result, view, links, lines))
    where += _thread(row, links)
    # The file is another one in the commit, and these lines are not of it.
    is_other = view.commit is not None and row.word != APPLIED and row.path in view.result.contents
    return f"{where} at {code_span(head[:7], cell=True)}" if lines is not None and is_other and head else where


def _thread(row: Row, links: Links) -> str:
    """A link to the review thread of a suggestion, if the response holds those of several."""
    part = row.response.part_at(row.line_number) if row.response.source.kind == SUGGESTIONS else None
    address = None if part is None else links.comment(part.id)
    return "" if address is None else f" in [its thread]({address})"


def _address(result: EditResult, view: OutcomeView, links: Links, lines: tuple[int, int] | None = None) -> str | None:
    """The file where people can look at the place: on the new commit if it got there, else on the head."""
    path, is_applied = result.file_path, result.status is EditStatus.APPLIED
    is_gone = result.code is ReasonCode.STALE and not result.candidates
    if view.checked_at is None or result.code not in _FOUND or is_gone:
        return None
    if view.commit is not None and is_applied:
        path = result.block.new_path or path
        return None if view.result.contents.get(path, b"") is None else links.blob(view.commit, path, lines)
    path = view.result.renamed.get(path, path)
    is_new = view.result.originals.get(path, b"") is None
    is_missing = is_new or (result.block.creates_file and result.code not in _FOUND_BY_CREATING)
    return None if is_missing else links.blob(view.checked_at, path, lines)


def _lines(row: Row, view: OutcomeView) -> tuple[int, int] | None:
    """The lines of a row, moved by the blocks above it if it was committed; None if they cannot be told."""
    if row.lines is None or row.result is None or view.commit is None or row.result.status is not EditStatus.APPLIED:
        return row.lines
    first, last = row.lines
    others = [
        result
        for result in view.result.results
        if result.status is EditStatus.APPLIED and result.file_path == row.path and result is not row.result
    ]
    if any(result.span is None or not (result.span[1] < first or result.span[0] >= last) for result in others):
        return None
    shift = sum(_growth(result) for result in others if result.span is not None and result.span[1] < first)
    return first + shift, max(first, last + _growth(row.result)) + shift


def _growth(result: EditResult) -> int:
    return result.lines_added - result.lines_removed


def _how(row: Row, view: OutcomeView, links: Links) -> str:
    result = row.result
    if result is not None and result.status is EditStatus.APPLIED:
        mark = "⚠️ " if result.confidence in ("medium", "low") else ""
        return f"{mark}{text(strategy_text(result), cell=True)}"
    places = result.candidates if result is not None else ()
    if result is not None and row.code is ReasonCode.AMBIGUOUS and places and places == result.candidates_in_file:
        return f"ambiguous: {_candidates(result, view, links)}"
    if result is not None and row.code is ReasonCode.NO_MATCH and places and result.first_difference:
        return f"no-match: closest text is {percent(places[0].similarity)} alike"
    return row.code.value if row.ok and row.code is not None else text(row.sentence(), cell=True)


def _candidates(result: EditResult, view: OutcomeView, links: Links) -> str:
    starts = [candidate.start_line for candidate in result.candidates]
    shown = [link(str(start), _address(result, view, links, (start, start))) for start in starts[:CANDIDATES_IN_TEXT]]
    left = max(result.candidates_total, len(starts)) - len(shown)
    return f"lines {', '.join(shown)}{f' and {left} more' if left else ''}"
