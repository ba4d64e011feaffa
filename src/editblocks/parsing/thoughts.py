"""A model's thoughts, such as `<think> … </think>`: drafts stand there, and a draft is no answer.

Tags count in text alone: in a block, a fence or back-ticks they mean nothing. Inside a thought only its closing tag is
looked for, as drafts are often cut off. Rules: docs/reference/formats.md, "thoughts". Lines are 0-based.
"""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode
from editblocks.core.phrases import plural
from editblocks.formats.grammar import Fault


class Thoughts:
    """The thought that is open, and how many drafts were left out so far."""

    def __init__(self, first_line: int) -> None:
        self.start: int | None = None  # the line of the thought that is open
        self.index = 0  # of the token behind its tag
        self.drafts = 0  # blocks that began in it
        self.is_read = True  # whether tags begin a thought; not where a thought without an end is read again
        self._first_line = first_line
        self._left_out = 0
        self._lines: list[int] = []  # of the first and the last thought that had drafts

    def open(self, line: int, index: int) -> None:
        """A thought begins."""
        self.start = line
        self.index = index
        self.drafts = 0

    def close(self, start: int, stop: int) -> None:
        """A thought, with its drafts, goes from line `start` to line `stop`."""
        self.start = None
        if self.drafts:
            self._left_out += self.drafts
            self._lines += [start + self._first_line, stop + self._first_line]

    def close_all(self, stop: int, drafts: int) -> None:
        """All text up to line `stop` was a thought, whose opening tag is missing; it held so many drafts."""
        self.drafts = drafts + self._left_out
        self._left_out = 0
        self._lines = []
        self.close(0, stop)

    def fault(self, start: int) -> Fault:
        """Why the blocks behind an opening tag without a closing one are not read."""
        what = f"the model's thoughts begin at line {start + self._first_line} and have no end, so blocks may be drafts"
        return Fault(ReasonCode.MALFORMED, what, "ask for the answer alone")

    def notes(self) -> Iterator[Note]:
        """One note says how many drafts were left out."""
        if self._left_out:
            verb = "was" if self._left_out == 1 else "were"
            where = f"lines {self._lines[0]}-{self._lines[-1]}"
            message = f"{plural(self._left_out, 'block')} in the model's thoughts ({where}) {verb} left out"
            yield Note("thoughts-left-out", message, self._lines[0])
