"""A response of which more and more is there: what has been read of it so far, and which block is open. No I/O."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence

from editblocks.core.events import BlockProgress, BlockStarted, DraftsLeftOut
from editblocks.core.model import ApplyResult, row_number
from editblocks.formats.grammar import Format
from editblocks.parsing.parse import StreamParser
from editblocks.report.terminal.live import Reading

_CLOSED = "closed"  # of a block whose closer was read


class Arriving:
    """The bytes of a response so far, and the blocks in them."""

    def __init__(self, formats: Sequence[Format], most_rows: int) -> None:
        self._formats, self._most_rows = formats, most_rows
        self._restart()

    def _restart(self) -> None:
        self.data = b""
        self.open: Reading | None = None
        self.closed = set[int]()  # the numbers of the blocks that ended, well or not
        self._parser = StreamParser(self._formats, most_rows=self._most_rows)
        self._decoder = getincrementaldecoder("utf-8")("replace")  # whoever makes a response of it is strict

    def take(self, data: bytes) -> bool:
        """Take all that is there now; whether that is something else than before with more behind it."""
        is_new = not data.startswith(self.data)
        if is_new:
            self._restart()
        more, self.data = data[len(self.data) :], data
        for event in self._parser.feed(self._decoder.decode(more)):
            if isinstance(event, DraftsLeftOut):
                self.open = None
                self.closed.clear()
            elif isinstance(event, BlockStarted):
                self.open = Reading(event.number, event.path)
            elif not isinstance(event, BlockProgress) or event.section == _CLOSED:
                self._close(event.number)
            elif self.open is not None:
                self.open = self.open._replace(lines=self.open.lines + len(event.lines))
        return is_new

    def _close(self, number: int) -> None:
        self.closed.add(number)
        if self.open is not None and self.open.number <= number:
            self.open = None

    @property
    def whole_characters(self) -> bytes:
        """The data without a last character of which only some bytes are there yet."""
        pending, _ = self._decoder.getstate()
        return self.data[: len(self.data) - len(pending)]


def closed_rows(result: ApplyResult, numbers: set[int]) -> ApplyResult:
    """A plan with these rows alone."""
    results = tuple(row for row in result.results if row_number(row) in numbers)
    return result._replace(results=results, problems=tuple(row for row in result.problems if row.number in numbers))
