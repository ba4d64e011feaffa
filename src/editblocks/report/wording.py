"""The words that all reports share: blocks by their numbers, how a block matched, where a response is.

Strategies: docs/reference/formats.md, "matching". Nothing here is escaped; each report does that for its own place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Difference, EditResult
from editblocks.core.outcome import Source
from editblocks.core.phrases import after_blocks, join_words, ranges
from editblocks.report.view import Row

CANDIDATES_IN_TEXT = 10
_OPERATIONS = {"insert": "insertion", "delete-lines": "deletion", "empty": "file emptied"}
_SOURCE_NOUNS = {
    "review": "review", "review-comment": "thread reply", "body": "description", "file": "response file",
    "stdin": "text", "text": "text",
}  # fmt: skip


def blocks(numbers: Sequence[int]) -> str:
    """`block 4`, `blocks 4 and 5`, `blocks 1-3 and 5`."""
    parts = ranges(numbers).split(",") if len(numbers) > 2 else [str(number) for number in numbers]
    return f"block{'s' * (len(numbers) > 1)} {join_words(parts)}"


def line_counts(row: Row, minus: str = "-") -> str:
    """`+3 -1`, `+24`, or nothing."""
    if row.result is None:
        return ""
    added, removed = row.result.lines_added, row.result.lines_removed
    return " ".join(f"{sign}{count}" for sign, count in (("+", added), (minus, removed)) if count)


def strategy_text(result: EditResult) -> str:
    """How an applied block matched, and what it did other than change lines.

    `exact`, `exact, insertion`, `indentation, 4 more spaces (medium)`, `fuzzy 87 % (low confidence)`.
    """
    confidence = {"medium": " (medium)", "low": " (low confidence)"}.get(result.confidence or "", "")
    did = _OPERATIONS.get(result.operation)
    return f"{_strategy(result)}{f', {did}' if did else ''}{', chosen' if result.chosen else ''}{confidence}"


def _strategy(result: EditResult) -> str:
    if result.strategy == "create":
        return "new file"
    if result.strategy == "indentation":
        return ", ".join(("indentation", *_shifts(result)))
    if result.strategy == "fuzzy" and result.similarity is not None:
        return f"fuzzy {percent(result.similarity)}"
    return result.strategy or "applied"


def _shifts(result: EditResult) -> list[str]:
    if result.shift is None:
        return []
    count, unit = result.shift
    return [f"{abs(count)} {'more' if count > 0 else 'fewer'} {unit}{'s' * (abs(count) != 1)}"]


def sides(difference: Difference, code: ReasonCode | None) -> tuple[str, str]:
    """What the two texts of a difference are called, padded to one width: `SEARCH` and `file  `."""
    expected = "base" if code is ReasonCode.STALE else "SEARCH"
    actual = after_blocks(difference.after) if difference.after else "file"
    width = max(len("SEARCH"), len(actual))
    return expected.ljust(width), actual.ljust(width)


def percent(similarity: float) -> str:
    """`91 %`, and `99 %` at most: what is only alike differs somewhere, be it a tab from blanks."""
    return f"{min(int(similarity * 100 + 0.5), 99)} %"


def line_range(lines: tuple[int, int]) -> str:
    """`41-47`, or `88` for one line."""
    return f"{lines[0]}" if lines[0] >= lines[1] else f"{lines[0]}-{lines[1]}"


def named_lines(lines: tuple[int, int]) -> str:
    """`lines 41-47`, or `line 88`."""
    return f"line{'s' * (lines[0] < lines[1])} {line_range(lines)}"


def source_noun(source: Source) -> str:
    """What to call a response: comment, review, thread reply, response file, text …"""
    return _SOURCE_NOUNS.get(source.kind, "comment")


def source_name(source: Source) -> str:
    """What to call a response in `NAME:LINE`: its path if it has one."""
    return source.path or source.kind


def strategies(results: Iterable[EditResult]) -> Mapping[str, int]:
    """How many blocks matched in which way, by the words of a commit message, in order of their first block."""
    return Counter("new file" if result.strategy == "create" else result.strategy or "other" for result in results)
