"""Blocks of a page that its readers do not see: each is a failed row, as somebody may have put it there on purpose.

Which lines those are is said by whoever knows the page (`Response.hidden_lines`). A file has no page. What gives an
order is as visible as what it orders: a path or a `base:` line counts only if the text without its hidden lines says
the same. Line numbers are 1-based.
"""

from __future__ import annotations

import re

from editblocks.core.blocks import EditBlock, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Response
from editblocks.core.phrases import named_lines
from editblocks.parsing.containers import is_transparent

_Row = EditBlock | Problem
_FENCE = r"[-*+>\s\d.)]*(?:`{3,}|~{3,})"


def without_lines(response: Response, lines: frozenset[int]) -> Response:
    """The same response with these lines blank."""
    first_line, parts = 1, []
    for part in response.parts:
        parts.append(part._replace(text=_blanked(part.text, lines, first_line)))
        first_line += part.text.count("\n") + 2
    return response._replace(text=_blanked(response.text, lines, 1), parts=tuple(parts))


def _blanked(text: str, lines: frozenset[int], first_line: int) -> str:
    """The text with these lines blank. One that begins a fence still does, but names nothing; so does a tag."""
    kept = []
    for number, line in enumerate(text.split("\n"), first_line):
        fence = re.match(_FENCE, line)
        if number not in lines or is_transparent(line):
            kept.append(line)
        else:
            kept.append("" if fence is None else fence[0])
    return "\n".join(kept)


def without_hidden(parsed: ParseResult, hidden_lines: frozenset[int], shown: ParseResult) -> ParseResult:
    """The same rows; one with a hidden line, or whose file a hidden line names, is a problem.

    `shown` is what is read of the text without the hidden lines.
    """
    seen = {(block.line_number, block.end_line, block.paths) for block in shown.blocks}
    blocks: list[EditBlock] = []
    problems: list[Problem] = []
    rows: tuple[_Row, ...] = (*parsed.blocks, *parsed.problems)
    for row in rows:
        lines = named_lines((row.line_number, row.end_line))
        if _is_hidden(row, hidden_lines):
            what = f"the page does not show {lines} as written"
            problems.append(_problem(row, what, "put the block in a code fence"))
        elif isinstance(row, Problem):
            problems.append(row)
        elif (row.line_number, row.end_line, row.paths) not in seen:
            what = f"the page does not show the line that names the file of {lines}"
            problems.append(_problem(row, what, "write the path on the line above the block"))
        else:
            blocks.append(row)
    return parsed._replace(blocks=tuple(blocks), problems=tuple(problems), base=shown.base)


def _is_hidden(row: _Row, hidden_lines: frozenset[int]) -> bool:
    """Whether a line of a block is hidden, or the first line of what cannot be read."""
    if isinstance(row, EditBlock):
        return not hidden_lines.isdisjoint(range(row.line_number, row.end_line + 1))
    return row.line_number in hidden_lines


def _problem(row: _Row, what: str, advice: str) -> Problem:
    return Problem(row.number, row.line_number, row.end_line, ReasonCode.HIDDEN_BLOCK, what, advice)
