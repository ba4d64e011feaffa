"""A terminal on which some lines are drawn again and again, and the keys that a person presses there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple, TextIO

from editblocks.faces.common.terminal import is_terminal, show

if sys.platform == "win32":
    raise ImportError("Windows has no POSIX terminal")

import termios
import tty

_UP = "\r\x1b[{}A"
_CLEAR_BELOW = "\x1b[J"
_CLEAR_ALL = "\x1b[H\x1b[J"


class Screen:
    """Lines at the end of what a terminal shows. The cursor stands below them."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._lines: list[str] = []
        self._size = self.size

    @property
    def size(self) -> tuple[int, int]:
        """Its columns and lines; 80 and 24 where the terminal does not say."""
        try:
            found = os.get_terminal_size(self._target.fileno())
        except OSError:
            found = os.terminal_size((0, 0))
        return found.columns or 80, found.lines or 24

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines in place of those before, unless they are the same."""
        size = self.size
        if list(lines) == self._lines and size == self._size:
            return
        # Where lines were is not known once the terminal has broken them anew.
        before = self._before() if size == self._size else _CLEAR_ALL
        self._lines = list(lines)
        self._size = size
        self._put(before + "".join(f"{line}\n" for line in lines))

    def clear(self) -> None:
        """Take the lines away; what is printed next begins where they did."""
        self._put(self._before())
        self._lines = []

    def _before(self) -> str:
        if not self._lines:
            return ""
        return f"{_UP.format(len(self._lines))}{_CLEAR_BELOW}"

    def _put(self, text: str) -> None:
        show(text, self._target)
        self._target.flush()


class Keys(NamedTuple):
    """A terminal from which keys are read one by one."""

    descriptor: int

    def pressed(self) -> str:
        """The keys that were pressed, `q` if the terminal is gone."""
        return os.read(self.descriptor, 64).decode("ascii", "replace") or "q"


@contextmanager
def keyboard(*, is_stdin_read: bool) -> Iterator[Keys | None]:
    """Where keys can be read one by one, without being shown; None if there is no terminal for that.

    ^C stays an interrupt. The terminal is as it was before afterwards, whatever happens.
    """
    with ExitStack() as stack:
        if not is_stdin_read and is_terminal(sys.stdin):
            descriptor = sys.stdin.fileno()
        else:
            try:
                descriptor = os.open("/dev/tty", os.O_RDONLY)
            except OSError:
                yield None
                return
            stack.callback(os.close, descriptor)
        before = termios.tcgetattr(descriptor)
        stack.callback(termios.tcsetattr, descriptor, termios.TCSADRAIN, before)
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield Keys(descriptor)
