"""Patches while a text is read: one that asks for an edit is a row, one that may only show something is noted.

Which is which says the table of docs/reference/formats.md, "patches". Lines are 0-based.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editblocks.formats.markers import Kind, Token
from editblocks.parsing.containers import Containers, Fence, width
from editblocks.parsing.notes import Margin
from editblocks.parsing.patches import (
    DIFF_WORDS,
    HUNK,
    UNIFIED,
    V4A,
    Patch,
    fence_word,
    git_path,
    is_operation,
    is_pair,
    is_signed,
    names_files,
    pair_path,
)
from editblocks.parsing.rows import Rows

PATCH_LINES = frozenset({Kind.GIT_DIFF, Kind.NEW_NAME, Kind.HUNK, Kind.END_PATCH})
_DEEPER = 3  # columns that a header may stand deeper than its fence
_LINES_ABOVE = 20  # blank ones, below the opening line of a fence that is a diff without saying so


@dataclass(slots=True)
class PatchReader:
    """The beginning of a possible section: a line `diff --git`, or a pair of names in a diff fence."""

    lines: Sequence[str]
    containers: Containers
    rows: Rows
    margin: Margin
    path_above: Callable[[Fence], str | None]  # the file that the lines around a fence name
    _git: int | None = None  # a line `diff --git`, until an empty line or a hunk
    _seen: int = 0  # the line up to which those below it were looked at
    _is_row: bool = False  # whether the section of `_git` is a row already
    _pair: Token | None = None  # the second name of a pair in a diff fence, until the line below is known

    def forget(self) -> None:
        """Forget a section that may have begun: something else stands here."""
        self._git = self._pair = None

    def begin(self, token: Token) -> None:
        """Take `*** Begin Patch`."""
        self._add(Patch(token.line, V4A, is_fenced=self.containers.innermost is not None))

    def take(self, token: Token) -> None:
        """Take in a line of a patch, after `settle`."""
        if self.rows.open_patch == V4A:
            if token.kind is Kind.END_PATCH:
                self.rows.end_unseen(token.line + 1)
        elif token.kind is Kind.GIT_DIFF:
            self._git, self._seen, self._is_row = token.line, token.line + 1, False
        elif token.kind is Kind.HUNK:
            self._take_hunk(token)
        elif self._in_diff_fence and is_pair(self.lines, token.line - 1, token.indent):
            self._pair = token

    def settle(self, stop: int) -> None:
        """Look at the lines up to `stop`, or at the one where it stands, for what makes a section of a header."""
        if self._pair is not None:
            self._settle_pair(self._pair)
        while self._git is not None and self._seen < stop:
            line = self.lines[self._seen]
            if not line.strip(" \t"):
                self._git = None
            elif not self._is_row and is_operation(line):
                self._is_row = True
                self._begin(self._git, None)
            self._seen += 1

    def _settle_pair(self, pair: Token) -> None:
        """Without a header, a line of a hunk below the pair makes it a section."""
        self._pair, below = None, "".join(self.lines[pair.line + 1 : pair.line + 2])
        if below.startswith(pair.indent + HUNK):
            return
        if is_signed(below, pair.indent):
            self._begin(pair.line - 1, pair.line - 1)
        else:
            self._show(pair.line - 1)

    def _take_hunk(self, token: Token) -> None:
        self.margin.take(token, self.lines[token.line])
        git, self._git = self._git, None
        if git is not None and self._is_row:
            return
        fence = self.containers.innermost
        if is_pair(self.lines, token.line - 2, token.indent):
            self._begin(token.line - 2 if git is None else git, token.line - 2)
        elif git is not None:
            self._begin(git, None)
        elif fence is not None and not (fence.holds_section or fence.shows_patch):
            self._take_bare_hunk(token, fence)

    def _take_bare_hunk(self, token: Token, fence: Fence) -> None:
        """The first hunk of a fence, below no names: the lines around may name its file."""
        path = self.path_above(fence) if self._in_diff_fence else None
        if path is not None:
            self._add(Patch(token.line, UNIFIED, path, is_fenced=True))
        elif self._in_diff_fence or (not fence.info and self._is_first(fence, token.line)):
            self._show(token.line)

    def _begin(self, start: int, pair: int | None) -> None:
        """A section from line `start` on, unless it only shows something."""
        text, fence, container = self.lines[start], self.containers.innermost, self.containers.container
        column = width(text[: len(text) - len(text.lstrip(" \t"))])
        if fence is not None and container is not None and column > container.column + _DEEPER:
            self.margin.note_listing(start)
        elif (pair is not None and not names_files(self.lines, pair)) or not self._is_own(fence, start):
            self._show(start)
        else:
            path = git_path(text) if pair is None else pair_path(self.lines, pair)
            self._add(Patch(start, UNIFIED, path, is_fenced=fence is not None))

    def _add(self, patch: Patch) -> None:
        self.rows.start_patch(patch)
        for fence in self.containers.fences:
            fence.holds_block = True
        if self.containers.fences:
            self.containers.fences[-1].holds_section = True

    def _show(self, line: int) -> None:
        """A patch that may only show something."""
        fence = self.containers.innermost
        if fence is None:
            self.margin.note_patch(line)
        else:
            fence.shows_patch = True

    def _is_own(self, fence: Fence | None, line: int) -> bool:
        """Whether a diff may stand here for itself, rather than in a listing."""
        return fence is None or fence.holds_section or self._in_diff_fence or self._is_first(fence, line)

    def _is_first(self, fence: Fence, line: int) -> bool:
        first = fence.line + 1
        return line <= first + _LINES_ABOVE and not any(text.strip(" \t") for text in self.lines[first:line])

    @property
    def _in_diff_fence(self) -> bool:
        fence = self.containers.innermost
        return fence is not None and fence_word(fence.info) in DIFF_WORDS
