"""One line on the terminal while reading or planning takes longer than a second; it is erased before anything is
printed.

It goes to stderr, and to a terminal alone: nothing of it is ever in a pipe, a file or a log. Plain ASCII, a
carriage return and blanks, so that any terminal can show it and take it back.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from editblocks.faces.common.terminal import is_long_form

DELAY = 1.0  # seconds; what is done sooner needs no bar
_PAUSE = 0.1  # seconds between two drawings
_CELLS = 20
_NARROW = 80  # columns, where the terminal does not say


@contextmanager
def show_progress(
    stream: TextIO | None = None,
    *,
    quiet: bool = False,
    environ: Mapping[str, str] = os.environ,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Bar | None]:
    """The line, which `settle` and `run` take as `progress`; None where nobody would see it. It is gone at the end.

    `stream` is stderr if it is left out; the second begins here. `clock` counts seconds. Raises nothing: a
    terminal that has gone is told nothing more.
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
    """The line, as it is drawn over and over."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._next = clock() + DELAY
        self._shown = ""
        self._is_gone = False  # nobody is there to read

    def __call__(self, done: int, total: int) -> None:
        """Note that `done` of `total` blocks are planned."""
        if total and self.is_due():
            self.draw(_line(done, total))

    def is_due(self) -> bool:
        """Whether it is time to draw again."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + _PAUSE
        return True

    def draw(self, line: str) -> None:
        """Put as much of `line`, which is ASCII, as fits in place of what was drawn last."""
        line = line[: self._columns() - 1]  # a full line would wrap, and stay
        if line == self._shown or self._is_gone:
            return
        try:
            # Over the old text in one go, and back to the margin, where whatever comes next will begin.
            self._stream.write(f"\r{line.ljust(len(self._shown))}\r{line}")
            self._stream.flush()
            self._shown = line
        except (OSError, ValueError):  # ValueError: somebody closed it
            self._is_gone = True

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _NARROW
        except (OSError, ValueError):
            return _NARROW


def _line(done: int, total: int) -> str:
    full = _CELLS * done // total
    return f"[{'#' * full}{'.' * (_CELLS - full)}] checking {done:,} of {total:,} blocks"
