"""One line on the terminal while reading or planning takes longer than a second; it is erased at the end.

It goes to stderr, and to a terminal alone, as ASCII that any terminal can show and take back.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TextIO

from editblocks.core.phrases import plural
from editblocks.faces.common.terminal import columns, is_long_form

DELAY = 1.0  # seconds; what is done sooner needs no bar
_PAUSE = 0.1  # seconds between two drawings
_CELLS = 20
_NARROW = 80  # columns, where the terminal does not say
_PIECE = 65_536  # bytes taken at once, if so many are there


@contextmanager
def show_progress(
    stream: TextIO | None = None,
    *,
    quiet: bool = False,
    environ: Mapping[str, str] = os.environ,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Bar | None]:
    """The line, which `settle` and `run` take as `progress`; None where nobody would see it. Raises nothing.

    `stream` is stderr if it is left out; the second begins here. `clock` counts seconds.
    """
    stream = stream or sys.stderr
    if quiet or stream is None or not is_long_form(stream, environ) or environ.get("TERM") == "dumb":
        yield None
        return
    bar = Bar(stream, clock)
    try:
        yield bar
    finally:
        bar.draw("")


class Bar:
    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._next = clock() + DELAY
        self._shown = ""

    def __call__(self, done: int, total: int) -> None:
        """Note that `done` of `total` blocks are planned."""
        if total and self.is_due():
            full = _CELLS * done // total
            self.draw(f"[{'#' * full}{'.' * (_CELLS - full)}] checking {done:,} of {total:,} blocks")

    def is_due(self) -> bool:
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + _PAUSE
        return True

    def draw(self, line: str) -> None:
        """Put as much of `line`, which is ASCII, as fits in place of what was drawn last."""
        line = line[: (columns(self._stream) or _NARROW) - 1]  # a full line would wrap, and stay
        if line != self._shown:
            with suppress(OSError, ValueError):  # nobody is there to read; ValueError: somebody closed it
                # Over the old text in one go, and back to the margin, where whatever comes next will begin.
                self._stream.write(f"\r{line.ljust(len(self._shown))}\r{line}")
                self._stream.flush()
                self._shown = line


def read_arriving(read: Callable[[int], bytes], size: int, bar: Bar) -> bytes:
    """Up to `size` bytes of a stream that comes slowly, to its end; `bar` counts its lines meanwhile.

    `read` takes a number of bytes and gives those that are there, none at the end.
    """
    data = bytearray()
    while len(data) < size and (piece := read(min(size - len(data), _PIECE))):
        data += piece
        if bar.is_due():
            lines = data.count(b"\n")
            bar.draw(f"... reading, {plural(lines, 'line')} so far")
    return bytes(data)
