"""Show how far planning is: a line on the terminal of standard error, which is removed at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TextIO

from editblocks.core.outcome import Response
from editblocks.faces.common.terminal import is_long_form, show

_PATIENCE = 1.0  # seconds before the first line
_PAUSE = 0.1  # seconds between two lines
_LONG_ANSWER = 16 * 1024 * 1024  # characters; a longer answer surely takes more than `_PATIENCE`
_LINE = "{}\x1b[K\r"  # the cursor goes back, so that the next output overwrites the line


class Progress:
    """Receives the progress of `run.flow`. It prints nothing unless `stream` is a terminal with control codes."""

    def __init__(
        self,
        stream: TextIO | None,
        clock: Callable[[], float] = time.monotonic,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._stream = None
        if is_long_form(stream, environ) and environ.get("TERM") != "dumb":
            self._stream = stream
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def read(self, response: Response) -> None:
        """Say that a very long answer is being read. This is printed at once, because reading reports no progress."""
        if len(response.text) > _LONG_ANSWER:
            self._draw(f"reading {len(response.text) // 1024**2:,} MiB")

    def __call__(self, done: int, total: int) -> None:
        """Show how many rows are planned; remove the line once all are."""
        if done == total:
            self._clear()
        elif self._clock() >= self._next:
            self._draw(f"block {done + 1:,} of {total:,}")

    def _draw(self, text: str) -> None:
        self._next = self._clock() + _PAUSE
        self._is_shown = True
        self._write(text)

    def _clear(self) -> None:
        if self._is_shown:
            self._is_shown = False
            self._write("")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            with suppress(OSError):
                show(_LINE.format(text), self._stream)
                self._stream.flush()


def planning(response: Response, *, quiet: bool) -> Progress:
    """Return the progress of planning one response; with `quiet` it shows nothing."""
    progress = Progress(None if quiet else sys.stderr)
    progress.read(response)
    return progress
