"""Read a few lines of a long text at a time: a list of all lines takes twenty times the memory of the text."""

from __future__ import annotations

import re
from array import array

_NEWLINE = re.compile("\n")


class LineStarts:
    """The offsets at which the lines of a text begin; lines end at `\\n`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = array("L", (0,))
        self._starts.extend(match.end() for match in _NEWLINE.finditer(text))

    def between(self, first: int, last: int) -> str:
        """Return lines `first` to `last` (1-based, inclusive), as far as they exist, without the last line end."""
        if first > min(last, len(self._starts)):
            return ""
        stop = self._starts[last] - 1 if last < len(self._starts) else len(self._text)
        return self._text[self._starts[first - 1] : stop]
