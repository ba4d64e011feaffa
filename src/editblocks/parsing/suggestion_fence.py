"""A fence `suggestion` in a review comment: its text replaces the lines that the comment is about.

Without a thread it is text, and noted by `patches`. Rules: docs/reference/formats/suggestion.md. Lines are 0-based.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editblocks.core.blocks import EditBlock, Problem, ThreadLines
from editblocks.core.codes import ReasonCode
from editblocks.core.events import BlockStarted
from editblocks.core.phrases import named_lines
from editblocks.formats.grammar import CUT_OFF, Fault, Unmarked, join
from editblocks.formats.markers import Kind, Token, indent_of
from editblocks.parsing.containers import Container, Containers
from editblocks.parsing.open_block import dedent
from editblocks.parsing.rows import Rows

_WORD = "suggestion"  # the info string, and the name of the format
SUGGESTION = Unmarked(names=(_WORD,))
_OF_GITLAB = r"suggestion:-[0-9]+\+[0-9]+"


class SuggestionFences:
    """The fences of one comment, of which one alone can replace the lines of the thread."""

    def __init__(self, containers: Containers, rows: Rows, thread: ThreadLines | None) -> None:
        self._containers = containers
        self._rows = rows
        self._thread = thread if containers.thread_path is not None else None
        self._first: int | None = None  # the line of the first suggestion

    def begins_with(self, token: Token) -> bool:
        """Whether the line begins a suggestion where one is read."""
        return self._thread is not None and token.kind is Kind.FENCE and token.word[1:] == _WORD

    def left(self) -> Iterator[EditBlock | Problem]:
        """The rows of the suggestions among the fences that were just left."""
        if self._thread is None:
            return
        for fence in self._containers.left:
            is_read = fence.mark in ("`", "~") and not fence.is_inner and fence.first_row == self._rows.next_number
            is_named = fence.info == _WORD or re.fullmatch(_OF_GITLAB, fence.info)
            if is_read and is_named:
                fence.holds_block = True
                yield self._row(fence, self._thread)

    def _row(self, fence: Container, thread: ThreadLines) -> EditBlock | Problem:
        """One whose end is missing, or which is not the only one, is a problem."""
        containers = self._containers
        number = self._rows.next_number
        shown = self._rows.first_line
        path = containers.thread_path or ""
        line = fence.line + shown
        self._rows.tell(BlockStarted(number, _WORD, path, line))
        fault = self._fault(fence, thread)
        stop = containers.stop_of(fence)
        if fault is not None:
            if not fence.is_closed:
                stop = max(fence.line, stop - 1)
            return Problem(number, line, stop + shown, *fault, path, _WORD)
        self._first = fence.line
        inside = containers.lines[fence.line : stop + 1]
        lines, notes = dedent(inside, indent_of(inside[0]))
        return EditBlock(
            number=number,
            file_path=path,
            format=_WORD,
            line_number=line,
            end_line=stop + shown,
            new_lines=join(lines[1:-1]),
            raw_block=join(inside),
            path_source="P8",
            notes=notes,
            action="edit",
            thread_lines=thread,
        )

    def _fault(self, fence: Container, thread: ThreadLines) -> Fault | None:
        line = fence.line + self._rows.first_line
        lines = named_lines((thread.first, thread.last))
        if fence.info != _WORD:
            what = f"`{fence.info}` (line {line}) is GitLab's form"
            return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "write `suggestion`, in a comment on those lines")
        if thread.is_old:
            what = f"the suggestion at line {line} is for {lines} of the file before the pull request"
            return Fault(ReasonCode.UNSUPPORTED_FORMAT, what, "comment on lines that are there now")
        if not fence.is_closed:
            return Fault(ReasonCode.UNCLOSED, f"the suggestion at line {line} has no end", CUT_OFF)
        if self._first is not None:
            what = f"the suggestions at lines {self._first + self._rows.first_line} and {line} both replace {lines}"
            return Fault(ReasonCode.MALFORMED, what, "send one of them")
        return None
