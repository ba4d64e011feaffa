"""Standard input that comes slowly, as an answer does while a model writes it: a line says what is being read.

A later block can change the row of an earlier one, so rows are printed when the whole answer is there.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable

from editblocks.core.events import BlockBroken, BlockProgress, BlockStarted, Event
from editblocks.core.phrases import plural
from editblocks.faces.common.progress import Bar
from editblocks.parsing.parse import StreamParser

_PIECE = 65_536  # bytes taken at once, if so many are there


def read_arriving(read: Callable[[int], bytes], size: int, bar: Bar) -> bytes:
    """Up to `size` bytes of a stream, to its end; `bar` tells of the blocks while more is to come.

    `read` takes a number of bytes and gives those that are there, none at the end; what it raises is raised.
    Nothing is parsed if all comes before the line is due.
    """
    pieces, reported, left = list[bytes](), 0, size
    parser, seen, decoder = StreamParser(), _Seen(), getincrementaldecoder("utf-8")("replace")
    while left and (piece := read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
        if bar.is_due():
            seen.hear(parser.feed(decoder.decode(b"".join(pieces[reported:]))))
            reported = len(pieces)
            bar.draw(seen.line())
    return b"".join(pieces)


class _Seen:
    """The block that is being read, and how many there were."""

    def __init__(self) -> None:
        self._number = 0
        self._path = ""
        self._lines = 0
        self._is_open = False

    def hear(self, events: Iterable[Event]) -> None:
        """Take what the parser told."""
        for event in events:
            if isinstance(event, BlockStarted):
                self._number, self._path, self._lines, self._is_open = event.number, event.path or "", 0, True
            elif isinstance(event, BlockBroken) or (isinstance(event, BlockProgress) and event.section == "closed"):
                self._is_open = False
            elif isinstance(event, BlockProgress):
                self._lines += len(event.lines)

    def line(self) -> str:
        """It in ASCII."""
        if not self._is_open:
            return f"... reading, {plural(self._number, 'block') if self._number else 'no blocks'} so far"
        of = f" of {ascii(self._path)[1:-1]}" if self._path else ""
        return f"... reading block {self._number}{of}, {plural(self._lines, 'line')}"
