"""The lines of a long text, a few at a time: a list of all of them takes twenty times the memory of the text."""

from __future__ import annotations

import re
from array import array

_NEWLINE = re.compile("\n")


class LineStarts:
    """Where the lines of a text begin; they end at `\\n`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = array("L", (0,))
        self._starts.extend(match.end() for match in _NEWLINE.finditer(text))

    def between(self, first: int, last: int) -> str:
        """The lines `first` to `last` (1-based, inclusive), as far as they are there, without the last line end."""
        if first > min(last, len(self._starts)):
            return ""
        stop = self._starts[last] - 1 if last < len(self._starts) else len(self._text)
        return self._text[self._starts[first - 1] : stop]
