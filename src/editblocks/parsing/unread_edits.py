"""Edits in forms that are not read: a conflict of git, a snippet with lines left out, a suggestion in no thread.

Each is a failed row, so that none is lost beside good blocks (amendment A2). Lines are 0-based.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editblocks.core.blocks import Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import named_lines
from editblocks.formats.grammar import OTHER_FORM, Fault, Located
from editblocks.formats.markers import DIVIDER, FILE_ACTION, Kind, Marker, Token
from editblocks.parsing.containers import Container, Containers
from editblocks.parsing.file_of_block import path_of_whole_file
from editblocks.parsing.notes import shortened
from editblocks.parsing.path_line import find_path, is_file_like
from editblocks.parsing.rows import Rows

CONFLICTS: frozenset[Kind | Marker] = frozenset({Kind.CONFLICT_START, DIVIDER, Kind.CONFLICT_END})
_SUGGESTION = "suggestion"
_LEAVES_OUT = (  # `// ... existing code ...`, `# rest of the class`
    r"(?i)[ \t]*(?:#+|//+|--+|/\*+|\{[ \t]*/\*+|<!--+|;+|%+|\(\*+)?[ \t]*"
    r"(?:(?:\.\.\.|…).*\b(?:existing|rest|remaining|remainder|previous|unchanged|omitted)\b"
    r"|existing code\b|rest of (?:the |your )?(?:code|file|function|class|method|component)s?\b)"
)
_LONGEST = 200  # characters of a line that leaves others out


class UnreadEdits:
    """Such edits in one answer. `in_thread`: it has a thread; `reads_files`: fences of whole files are read."""

    def __init__(self, containers: Containers, rows: Rows, *, in_thread: bool, reads_files: bool) -> None:
        self._containers = containers
        self._rows = rows
        self._in_thread = in_thread
        self._reads_files = reads_files
        self._conflict: Token | None = None  # the line that began one
        self._is_parted = False

    def take_conflict(self, token: Token) -> None:
        """Take in a line of text that may belong to a conflict of git."""
        start = self._conflict
        if token.kind is Kind.CONFLICT_START:
            self._conflict = token
            self._is_parted = False
        elif start is None or (start.indent, start.length) != (token.indent, token.length):
            return
        elif token.kind is DIVIDER:
            self._is_parted = True
        elif self._is_parted:
            self._conflict = None
            where = named_lines((start.line + self._rows.first_line, token.line + self._rows.first_line))
            fault = Fault(
                ReasonCode.UNSUPPORTED_FORMAT, f"{where} are a merge conflict of git, not an edit block", OTHER_FORM
            )
            self._rows.seal()
            self._rows.add(self._row(start.line, token.line + 1, fault))
            self._containers.end_row(token.line + 1)

    def take_opener(self, token: Token) -> None:
        """Take in an opener of a format that is not read, a tag that is broken, or an opener with other signs."""
        shown = token.line + self._rows.first_line
        line = self._containers.lines[token.line].strip()
        if token.kind is Kind.OPEN_OTHER:
            what = f"`{line}` (line {shown}) is not supported yet"
            fault = Fault(ReasonCode.UNSUPPORTED_FORMAT, what, OTHER_FORM)
        elif token.kind is Kind.BAD_ACTION:
            what = f"the tag at line {shown} cannot be read"
            fault = Fault(ReasonCode.MALFORMED, what, f"write it on one line, as `{FILE_ACTION.text}`")
        else:
            what = f"line {shown}, `{shortened(line)}`, is an opener with {token.word}"
            fault = Fault(ReasonCode.MALFORMED, what, "paste the answer as the model wrote it")
            for fence in self._containers.fences:  # what is below it is not a file
                fence.holds_block = True
        self._rows.add_problem(token.line, fault)

    def left(self) -> Iterator[Problem]:
        """The rows of the fences that were just left."""
        for fence in self._containers.left:
            is_read = fence.holds_block or fence.first_row != self._rows.next_number
            if fence.mark in ("`", "~") and not (is_read or fence.is_inner):
                yield from self._of_fence(fence)

    def _of_fence(self, fence: Container) -> Iterator[Problem]:
        stop = fence.stop
        if stop is None:
            stop = fence.line + 1
        shown = fence.line + self._rows.first_line
        if fence.word == _SUGGESTION and not self._in_thread:
            what = (
                f"the suggestion at line {shown} is not in a review thread, so it does not say which lines it replaces"
            )
            fence.holds_block = True
            yield self._row(fence.line, stop + 1, Fault(ReasonCode.UNSUPPORTED_FORMAT, what, OTHER_FORM))
            return
        inside = self._containers.lines[fence.line + 1 : stop]
        left_out = next((at for at, line in enumerate(inside) if _leaves_out(line)), None)
        if left_out is None or fence.holds_diff:
            return
        path = self._path_of(fence, inside)
        if path is not None:
            where = f"line {shown + 1 + left_out} leaves out code of {path}"
            what = f"{where}, so the fence is neither a block nor a whole file"
            fence.holds_block = True
            yield self._row(fence.line, stop + 1, Fault(ReasonCode.PLACEHOLDER, what, "ask for edit blocks"), path)

    def _path_of(self, fence: Container, inside: Sequence[str]) -> str | None:
        """The file of a snippet: named around its fence, or by its first line.

        Where whole files are read, the file may hold such a line, so what names it right is looked at as one.
        """
        located = path_of_whole_file(self._containers, fence)
        if isinstance(located, Located):
            if self._reads_files:
                return None
            return located.path
        named = find_path(next((line for line in inside if line.strip(" \t")), ""))
        if named is None or named.weak or not is_file_like(named.path):
            return None
        return named.path

    def _row(self, start: int, stop: int, fault: Fault, path: str | None = None) -> Problem:
        first = self._rows.first_line
        stop = min(stop, len(self._containers.lines))  # a fence that never ends has no closing line
        return Problem(self._rows.next_number, start + first, stop - 1 + first, *fault, path, is_beside=True)


def _leaves_out(line: str) -> bool:
    return len(line) <= _LONGEST and re.match(_LEAVES_OUT, line) is not None
