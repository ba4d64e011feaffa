"""Blocks of a page that its readers may not see: each is a failed row, as somebody may have put it there on purpose.

Which lines those are is said by whoever knows the page (`Response.hidden_lines`). A file has no page.
"""

from __future__ import annotations

from collections.abc import Collection

from editblocks.core.blocks import EditBlock, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import named_lines
from editblocks.parsing.path_line import PATH_IN_COMMENT


def without_hidden(parsed: ParseResult, hidden_lines: Collection[int]) -> ParseResult:
    """The same rows; one that begins at a hidden line (1-based), or is named by one, is a problem."""
    blocks = tuple(block for block in parsed.blocks if not _is_hidden(block, hidden_lines))
    hidden = tuple(_hidden(block) for block in parsed.blocks if _is_hidden(block, hidden_lines))
    problems = (_hidden(row) if _is_hidden(row, hidden_lines) else row for row in parsed.problems)
    return parsed._replace(blocks=blocks, problems=(*hidden, *problems))


def _is_hidden(row: EditBlock | Problem, hidden_lines: Collection[int]) -> bool:
    return row.line_number in hidden_lines or any(note.code == PATH_IN_COMMENT for note in row.notes)


def _hidden(row: EditBlock | Problem) -> Problem:
    lines = named_lines((row.line_number, row.end_line))
    what = f"{lines} may be hidden on the page, by HTML or a link that is open above"
    if any(note.code == PATH_IN_COMMENT for note in row.notes):
        what = f"the comment that names the file of {lines} is hidden on the page"
    advice = "put the block in a code fence"
    return Problem(row.number, row.line_number, row.end_line, ReasonCode.HIDDEN_BLOCK, what, advice)
