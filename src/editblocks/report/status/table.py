"""The table of a status: a row for every block and problem, in reading order, each cell escaped for its place.

A block that was committed is shown where it stands in the commit; every other row has the numbers of the
head it was checked against, which are those of its sentence, and says so if its file was changed.
Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.model import EditResult
from editblocks.core.phrases import plural, ranges
from editblocks.report.escape import SPAN_LIMIT, code_span, cut_middle, text
from editblocks.report.status.links import Links
from editblocks.report.view import APPLIED, FAILED, READY, SKIPPED, OutcomeView, Row
from editblocks.report.wording import CANDIDATES_IN_TEXT, line_counts, line_range, percent, source_noun, strategy_text

HEAD = ("| # | Where | Result | How it matched | Lines |", "|--:|:--|:--|:--|--:|")
_ICONS = {READY: "✅", APPLIED: "✅", FAILED: "❌", SKIPPED: "⏭️"}

# With these the file was found on the head, so its address leads somewhere.
_FOUND = {
    None, ReasonCode.NO_MATCH, ReasonCode.AMBIGUOUS, ReasonCode.STALE, ReasonCode.ALREADY_APPLIED, ReasonCode.NO_OP,
    ReasonCode.FILE_EXISTS, ReasonCode.BINARY, ReasonCode.ENCODING, ReasonCode.FILTERED, ReasonCode.HIDDEN_TEXT,
    ReasonCode.PLACEHOLDER,
}  # fmt: skip
_FOUND_BY_CREATING = {ReasonCode.FILE_EXISTS, ReasonCode.ALREADY_APPLIED}


def table(view: OutcomeView, links: Links | None, *, folded: bool = False, plain: bool = False) -> str:
    """Every row once. `folded`: the fine ones of a file share a row. `plain`: no links, and codes without a reason."""
    shown = view.rows
    if plain:
        links = None
    lines = []
    seen: set[tuple[str | None, str]] = set()
    for row in shown:
        if not (folded and row.ok):
            lines.append(_row(row, view, links, plain))
        elif (row.path, row.word) not in seen:
            seen.add((row.path, row.word))
            lines.append(_folded_row([other for other in shown if other.ok and _key(other) == _key(row)], view, links))
    return "\n".join((*HEAD, *lines))


def _key(row: Row) -> tuple[str | None, str]:
    return row.path, row.word


def _row(row: Row, view: OutcomeView, links: Links | None, plain: bool) -> str:
    how = row.code.value if plain and row.code else _how(row, view, links)
    return _cells(str(row.number), _where(row, view, links), _result(row), how, line_counts(row, "−"))


def _cells(*cells: str) -> str:
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|"


def _result(row: Row) -> str:
    return f"{_ICONS[row.word]} {row.word}"


def _where(row: Row, view: OutcomeView, links: Links | None) -> str:
    if row.result is None or row.path is None:
        place = f"{source_noun(view.outcome.response.source)}, line {row.line_number}"
        return place if links is None else f"[{place}]({links.response(view.outcome.head, row.line_number)})"
    lines = _lines(row, view)
    at = _at_head(row, view) if lines is not None else ""
    return _link(_place(row.path, lines), _address(row.result, view, links, lines)) + at


def _at_head(row: Row, view: OutcomeView) -> str:
    """Where the numbers of a row count if they are not those of the commit, in which its file is another."""
    is_other = view.commit is not None and row.word != APPLIED and row.path in view.result.contents
    if view.outcome.head is None or not is_other:
        return ""
    return f" at {code_span(view.outcome.head[:7], cell=True)}"


def _place(path: str, lines: tuple[int, int] | None) -> str:
    # Cut the path alone: where it is cut, the line still shows.
    suffix = "" if lines is None else f":{line_range(lines)}"
    return code_span(f"{cut_middle(path, SPAN_LIMIT)}{suffix}", cell=True, limit=SPAN_LIMIT * 2)


def _link(label: str, address: str | None) -> str:
    return label if address is None else f"[{label}]({address})"


def _address(
    result: EditResult, view: OutcomeView, links: Links | None, lines: tuple[int, int] | None = None
) -> str | None:
    """The file where people can look at the place: on the new commit if it got there, else on the head."""
    checked, committed = view.checked_at, view.commit
    if links is None or checked is None or result.code not in _FOUND:
        return None
    if result.code is ReasonCode.STALE and not result.candidates:  # the file is gone
        return None
    if committed is not None and result.status is EditStatus.APPLIED:
        return links.blob(committed, result.file_path, lines)
    created = view.result.originals.get(result.file_path, b"") is None
    if created or (result.block.creates_file and result.code not in _FOUND_BY_CREATING):
        return None
    return links.blob(checked, result.file_path, lines)


def _lines(row: Row, view: OutcomeView) -> tuple[int, int] | None:
    """The lines of a row, moved by the blocks above it if it was committed; None if they cannot be told."""
    if row.lines is None or row.result is None or row.result.status is not EditStatus.APPLIED:
        return row.lines
    if view.commit is None:
        return row.lines
    first, last = row.lines
    applied = [result for result in view.result.results if result.status is EditStatus.APPLIED]
    others = [result for result in applied if result.file_path == row.path and result is not row.result]
    if any(not _is_apart(result, first, last) for result in others):
        return None
    shift = sum(_growth(result) for result in others if result.span is not None and result.span[1] < first)
    return first + shift, max(first, last + _growth(row.result)) + shift


def _is_apart(result: EditResult, first: int, last: int) -> bool:
    return result.span is not None and (result.span[1] < first or result.span[0] >= last)


def _growth(result: EditResult) -> int:
    return result.lines_added - result.lines_removed


def _how(row: Row, view: OutcomeView, links: Links | None) -> str:
    result = row.result
    if result is not None and result.status is EditStatus.APPLIED:
        return _match_cell(result)
    places = result.candidates if result is not None else ()
    if result is not None and row.code is ReasonCode.AMBIGUOUS and places and places == result.candidates_in_file:
        return f"ambiguous: {_candidates(result, view, links)}"
    if result is not None and row.code is ReasonCode.NO_MATCH and places and result.first_difference:
        return f"no-match: closest text is {percent(places[0].similarity)} alike"
    if row.ok and row.code is not None:
        return row.code.value
    return text(row.sentence, cell=True)


def _match_cell(result: EditResult) -> str:
    mark = "⚠️ " if result.confidence in ("medium", "low") else ""
    return f"{mark}{text(strategy_text(result), cell=True)}"


def _candidates(result: EditResult, view: OutcomeView, links: Links | None) -> str:
    starts = [candidate.start_line for candidate in result.candidates]
    shown = [_link(str(start), _address(result, view, links, (start, start))) for start in starts[:CANDIDATES_IN_TEXT]]
    left = max(result.candidates_total, len(starts)) - len(shown)
    more = f" and {left} more" if left else ""
    return f"lines {', '.join(shown)}{more}"


def _folded_row(group: Sequence[Row], view: OutcomeView, links: Links | None) -> str:
    """One row for the fine rows of a file; it still says how each of them matched."""
    if len(group) == 1:
        return _row(group[0], view, links, plain=False)
    first = group[0]
    matches = Counter(_how(row, view, links) for row in group)
    added, removed = (sum(numbers) for numbers in zip(*map(_counts, group), strict=True))
    lines = " ".join(f"{sign}{count}" for sign, count in (("+", added), ("−", removed)) if count)
    address = _address(first.result, view, links) if first.result is not None else None
    where = _link(_place(first.path or "", None), address)
    how = f"{plural(len(group), 'block')}: {', '.join(f'{count} {match}' for match, count in matches.items())}"
    return _cells(ranges(row.number for row in group), where, _result(first), how, lines)


def _counts(row: Row) -> tuple[int, int]:
    return (0, 0) if row.result is None else (row.result.lines_added, row.result.lines_removed)
