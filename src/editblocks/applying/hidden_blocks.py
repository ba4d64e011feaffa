"""Blocks of a page that its readers may not see: each is a failed row, as somebody may have put it there on purpose.

Which lines those are is said by whoever knows the page (`Response.hidden_lines`). A file has no page. What gives an
order is as visible as what it orders: a path or a `base:` line counts only if the text without its hidden lines says
the same. Line numbers are 1-based.
"""

from __future__ import annotations

from collections.abc import Collection

from editblocks.core.blocks import EditBlock, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Response
from editblocks.core.phrases import named_lines
from editblocks.parsing.path_line import PATH_IN_COMMENT

_Row = EditBlock | Problem


def lines_beside(parsed: ParseResult, hidden_lines: Collection[int]) -> set[int]:
    """The hidden lines that no visible block holds: the text of a block may look like what hides others."""
    rows: tuple[_Row, ...] = (*parsed.blocks, *parsed.problems)
    shown = (row for row in rows if row.line_number not in hidden_lines)
    held = {line for row in shown for line in range(row.line_number, row.end_line + 1)}
    return set(hidden_lines) - held


def without_lines(response: Response, lines: Collection[int]) -> Response:
    """The same response with these lines blank."""
    first_line, parts = 1, []
    for part in response.parts:
        parts.append(part._replace(text=_blanked(part.text, lines, first_line)))
        first_line += part.text.count("\n") + 2
    return response._replace(text=_blanked(response.text, lines, 1), parts=tuple(parts))


def _blanked(text: str, lines: Collection[int], first_line: int) -> str:
    return "\n".join("" if number in lines else line for number, line in enumerate(text.split("\n"), first_line))


def without_hidden(parsed: ParseResult, hidden_lines: Collection[int], shown: ParseResult) -> ParseResult:
    """The same rows; one that begins at a hidden line, or whose file a hidden line names, is a problem.

    `shown` is what is read of the text without the hidden lines.
    """
    seen = {(block.line_number, block.paths) for block in shown.blocks}

    def reason(row: _Row) -> str:
        lines = named_lines((row.line_number, row.end_line))
        if row.line_number in hidden_lines:
            return f"{lines} may be hidden on the page, by HTML or a link that is open above"
        is_named = any(note.code == PATH_IN_COMMENT for note in row.notes)
        if is_named or (isinstance(row, EditBlock) and (row.line_number, row.paths) not in seen):
            return f"the line that names the file of {lines} may be hidden on the page"
        return ""

    rows: tuple[_Row, ...] = (*parsed.blocks, *parsed.problems)
    hidden = tuple(_hidden(row, reason(row)) for row in rows if reason(row))
    return parsed._replace(
        blocks=tuple(block for block in parsed.blocks if not reason(block)),
        problems=(*hidden, *(problem for problem in parsed.problems if not reason(problem))),
        base=shown.base,
    )


def _hidden(row: _Row, what: str) -> Problem:
    advice = "put the block in a code fence"
    return Problem(row.number, row.line_number, row.end_line, ReasonCode.HIDDEN_BLOCK, what, advice)
