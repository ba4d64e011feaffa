"""Write the table of a status: a row for every block and problem in reading order, with escaped cells.

A committed block is shown at its lines in the commit, every other row at its lines in the head that was checked.
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

# Codes of blocks whose file exists on the head, so that it has an address.
_FOUND = {
    None, ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.ALREADY_APPLIED, ReasonCode.NO_OP,
    ReasonCode.FILE_EXISTS, ReasonCode.BINARY, ReasonCode.ENCODING, ReasonCode.FILTERED, ReasonCode.HIDDEN_TEXT,
    ReasonCode.PLACEHOLDER, ReasonCode.NO_VERSION,
}  # fmt: skip
_FOUND_BY_CREATING = {ReasonCode.FILE_EXISTS, ReasonCode.ALREADY_APPLIED}


def table(view: OutcomeView, links: Links, *, plain: bool = False) -> str:
    """Write every row. `plain`: without links, and with codes without their reason."""
    if plain:
        links = NO_LINKS
    return "\n".join((*HEAD, *(_row(row, view, links, plain) for row in view.rows)))


def _row(row: Row, view: OutcomeView, links: Links, plain: bool) -> str:
    how = _how(row, view, links)
    if plain and row.code:
        how = row.code.value
    cells = (str(row.number), _where(row, view, links), f"{_ICONS[row.word]} {row.word}", how, line_counts(row, "−"))
    return f"| {' | '.join(cells)}".rstrip(" ") + " |"  # the last cell may be empty


def _where(row: Row, view: OutcomeView, links: Links) -> str:
    head = view.outcome.head
    if row.result is None or row.path is None:
        place = f"{source_noun(row.response.source)}, line {row.line_number}"
        return link(place, links.response(head, row.line_number)) + _thread(row, links)
    lines = _lines(row, view)
    place = cut_middle(row.path, SPAN_LIMIT)  # cut before the line is added, so that the line is always shown
    if lines is not None:
        place += f":{line_range(lines)}"
    where = link(code_span(place, cell=True, limit=SPAN_LIMIT * 2), _address(row.result, view, links, lines))
    where += _thread(row, links)
    # The commit changes this file, so these lines are only right for the head.
    is_other = view.commit is not None and row.word != APPLIED and row.path in view.result.contents
    if lines is not None and is_other and head:
        return f"{where} at {code_span(head[:7], cell=True)}"
    return where


def _thread(row: Row, links: Links) -> str:
    """Return a link to the review thread of a suggestion, if the response holds those of several threads."""
    if row.response.source.kind != SUGGESTIONS:
        return ""
    part = row.response.part_at(row.line_number)
    address = part and links.comment(part.id)
    if address is None:
        return ""
    return f" in [its thread]({address})"


def _address(result: EditResult, view: OutcomeView, links: Links, lines: tuple[int, int] | None = None) -> str | None:
    """Return the address of the file: in the new commit if the block is in it, else on the head."""
    path = result.file_path
    is_gone = result.code is ReasonCode.STALE and not result.candidates
    if view.checked_at is None or result.code not in _FOUND or is_gone:
        return None
    if view.commit is not None and result.status is EditStatus.APPLIED:
        path = result.block.new_path or path
        if view.result.contents.get(path, b"") is None:
            return None
        return links.blob(view.commit, path, lines)
    path = view.result.renamed.get(path, path)
    is_new = view.result.originals.get(path, b"") is None
    if is_new or (result.block.creates_file and result.code not in _FOUND_BY_CREATING):
        return None
    return links.blob(view.checked_at, path, lines)


def _lines(row: Row, view: OutcomeView) -> tuple[int, int] | None:
    """Return the lines of a row, in the commit if it was committed; None if they are not known."""
    if row.lines is None or row.result is None or view.commit is None or not row.fits:
        return row.lines
    first, last = row.lines
    shift = 0
    for result in view.result.results:
        if result.status is not EditStatus.APPLIED or result.file_path != row.path or result is row.result:
            continue
        if result.span is None:
            return None
        if result.span[1] < first:
            shift += _growth(result)
        elif result.span[0] < last:
            return None
    return first + shift, max(first, last + _growth(row.result)) + shift


def _growth(result: EditResult) -> int:
    return result.lines_added - result.lines_removed


def _how(row: Row, view: OutcomeView, links: Links) -> str:
    result = row.result
    if result is None:
        return text(row.sentence(), cell=True)
    if row.fits and result.confidence in ("medium", "low"):
        return f"⚠️ {text(strategy_text(result), cell=True)}"
    if row.fits:
        return text(strategy_text(result), cell=True)
    places = result.candidates
    if row.code is ReasonCode.AMBIGUOUS and places and places == result.candidates_in_file:
        return f"ambiguous: {_candidates(result, view, links)}"
    if row.code is ReasonCode.NO_MATCH and places and result.first_difference:
        return f"no-match: the closest text is {percent(places[0].similarity)} alike"
    if row.ok and row.code is not None:
        return row.code.value
    return text(row.sentence(), cell=True)


def _candidates(result: EditResult, view: OutcomeView, links: Links) -> str:
    starts = [candidate.start_line for candidate in result.candidates]
    shown = [link(str(start), _address(result, view, links, (start, start))) for start in starts[:CANDIDATES_IN_TEXT]]
    left = max(result.candidates_total, len(starts)) - len(shown)
    if left:
        return f"lines {', '.join(shown)} and {left} more"
    return f"lines {', '.join(shown)}"
