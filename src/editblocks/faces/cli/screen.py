"""Draw lines on a terminal again and again, and read the keys that a person presses."""

import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TextIO

from editblocks.faces.terminal import is_terminal, show

if sys.platform == "win32":
    raise ImportError("Windows has no POSIX terminal")

import termios
import tty

_UP = "\r\x1b[{}A"
_CLEAR_BELOW = "\x1b[J"
_CLEAR_ALL = "\x1b[H\x1b[J"


class Screen:
    """Lines at the end of a terminal's output, with the cursor below them. `keyboard`: where keys are read from."""

    def __init__(self, target: TextIO, keyboard: int) -> None:
        self._target = target
        self._keyboard = keyboard
        self._lines: list[str] = []
        self._size = self.size

    @property
    def size(self) -> tuple[int, int]:
        """The columns and lines of the terminal; 80 and 24 if it does not say."""
        try:
            columns, lines = os.get_terminal_size(self._target.fileno())
        except OSError:
            return 80, 24
        return columns or 80, lines or 24

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines in place of the earlier ones, unless they are the same."""
        size = self.size
        if list(lines) == self._lines and size == self._size:
            return
        # After the terminal was resized, nobody knows where the lines are.
        erase_code = self._erase_code() if size == self._size else _CLEAR_ALL
        self._lines = list(lines)
        self._size = size
        self._put(erase_code + "".join(f"{line}\n" for line in lines))

    def clear(self) -> None:
        """Remove the lines; the next output begins in their place."""
        self._put(self._erase_code())
        self._lines = []

    def keys(self, seconds: float) -> str:
        """Wait so long for keys. Return those that were pressed; `q` if the terminal is gone."""
        if not select.select([self._keyboard], [], [], seconds)[0]:
            return ""
        return os.read(self._keyboard, 64).decode("ascii", "replace") or "q"

    def _erase_code(self) -> str:
        """Return the control code that moves the cursor to the first line and clears all lines."""
        if not self._lines:
            return ""
        return f"{_UP.format(len(self._lines))}{_CLEAR_BELOW}"

    def _put(self, text: str) -> None:
        show(text, self._target)
        self._target.flush()


@contextmanager
def open_screen(target: TextIO, *, is_stdin_read: bool) -> Iterator[Screen | None]:
    """Open the terminal for reading single keys without showing them; yields None if there is no terminal.

    `target` is the output of the terminal. Ctrl-C still interrupts. The terminal's settings are restored at the end in
    any case.
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
        yield Screen(target, descriptor)
