"""An action that runs something, where no block is read: openers there become rows.

Rules: docs/reference/formats.md, containers. Lines are 0-based.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editblocks.formats.markers import END, END_ACTION, FILE_ACTION, Kind, Token, read_tag
from editblocks.formats.scanner import Scanner
from editblocks.parsing.containers import Container
from editblocks.parsing.rows import Rows
from editblocks.parsing.shell_suggestions import Suggestions

_ACTIONS = frozenset({FILE_ACTION, Kind.EDIT_ACTION, Kind.OTHER_ACTION})


class Unread:
    """Follows the lines of such an action; `running` is the one that is open."""

    def __init__(
        self,
        scanner: Scanner,
        lines: Sequence[str],
        rows: Rows,
        begins: Callable[[Token], bool],
        suggestions: Suggestions,
    ) -> None:
        self._scanner = scanner
        self.running: Container | None = None
        self._lines = lines
        self._rows = rows
        self._begins = begins
        self._suggestions = suggestions

    def start(self, token: Token) -> None:
        """An action that runs something begins."""
        tag = read_tag(token.word)
        if tag is None or not tag.ends_here:
            self.running = Container(token.line, 0)
        if tag is not None and tag.rest:
            self._suggestions.add_lines(token.line, [tag.rest.partition(END)[0]])

    def take_in_running(self, running: Container, token: Token) -> bool:
        """Take in a line of the action; say whether it is another action, which is to be read as text."""
        if token.kind in _ACTIONS or token.kind in (END_ACTION, Kind.END_ARTIFACT):
            self.end(token.line)
            return token.kind in _ACTIONS
        running.holds_block = running.holds_block or token.kind in self._scanner.openers
        if self._begins(token):
            self._rows.start_unread(token.line)
        elif token.kind in self._scanner.closers_in_text:
            self._rows.end_unread(token.line + 1)
        return False

    def end(self, stop: int) -> None:
        """The action, if one is open, ends before line `stop`."""
        running = self.running
        self.running = None
        if running is not None:
            self._rows.end_unread(stop)
            if not running.holds_block:
                self._suggestions.add_lines(running.line, self._lines[running.line + 1 : stop])
