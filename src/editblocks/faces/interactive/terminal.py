"""Ask questions on the terminal itself, even if standard input and output are redirected."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO

from editblocks.core.errors import UsageError
from editblocks.faces.common.terminal import has_color, is_terminal, show

_IN, _OUT = ("CONIN$", "CONOUT$") if sys.platform == "win32" else ("/dev/tty", "/dev/tty")
_BLUE = "1;34"  # git's own colour of a question


class Asker(Protocol):
    """Whoever is asked. `color`: whether colour codes are obeyed there."""

    @property
    def color(self) -> bool:
        """Whether colour codes are obeyed."""

    def ask(self, question: str) -> str | None:
        """The answer without white space around it; None if there is no more to come."""

    def show(self, text: str) -> None:
        """Print whole lines."""


class Terminal:
    """A terminal to read from and one to write to, mostly the same."""

    def __init__(self, source: BinaryIO, target: TextIO, color: str) -> None:
        self._source = source
        self._target = target
        self.color = has_color(target, color)

    def ask(self, question: str) -> str | None:
        """Print a question and wait for a line; None at the end of input, as after ^D."""
        line = b""
        try:
            self.show(f"\x1b[{_BLUE}m{question}\x1b[0m " if self.color else f"{question} ")
            line = self._source.readline()
        finally:
            if not line:  # what comes next begins a line of its own, after ^C too
                self.show("\n")
        return line.decode("utf-8", "replace").strip() if line else None

    def show(self, text: str) -> None:
        """Print, at once."""
        show(text, self._target)
        self._target.flush()


@contextmanager
def terminal(*, is_stdin_read: bool, color: str) -> Iterator[Terminal]:
    """The terminal of this process. `is_stdin_read`: the response came from there, so answers cannot.

    Raises `UsageError` if there is nobody to ask.
    """
    with ExitStack() as stack:
        try:
            if not is_stdin_read and sys.stdin is not None and is_terminal(sys.stdin):
                source: BinaryIO = sys.stdin.buffer
            else:
                source = stack.enter_context(Path(_IN).open("rb", buffering=0))
            target = next((stream for stream in (sys.stdout, sys.stderr) if is_terminal(stream)), None)
            if target is None:
                target = stack.enter_context(Path(_OUT).open("w", encoding="utf-8"))
        except OSError as error:
            reason = "-i asks at a terminal, and there is none; choose with --only, as in --only 1-3,4@48"
            raise UsageError(reason) from error
        yield Terminal(source, target, color)
