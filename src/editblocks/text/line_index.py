"""Find runs of lines in a text: by one search through all of it or, for many searches, with an index.

One search needs no preparation, and its cost grows with the text. An index costs as much as several searches once, and
then almost nothing for each block. Measured: docs/internals/design.md, "missed targets".
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence

from editblocks.text.line_origins import LineMap

MOST_STARTS = 64  # if the rarest searched line occurs more often, the whole text is searched


class LineIndex:
    """An index of the lines of a text by their stripped text; it is updated as blocks change the text.

    It holds the key of each line (`LineMap`), which stays the same wherever the line moves.
    """

    def __init__(self, lines: Sequence[str], origins: LineMap) -> None:
        self._lines, self._origins = lines, origins
        texts, keys = [line.strip(" \t") for line in lines], origins.keys
        # First the last key of each text, all at once; then, line by line, the other keys of texts that occur again.
        self._last = dict(zip(texts, keys, strict=True))
        self._others: dict[str, list[int]] = {}
        if len(self._last) < len(texts):
            for text, key in zip(texts, keys, strict=True):
                if self._last[text] != key:
                    self._others.setdefault(text, []).append(key)

    def write(self, line: str, key: int) -> None:
        """Add a line that a block wrote."""
        text = line.strip(" \t")
        if self._last.setdefault(text, key) != key:
            self._others.setdefault(text, []).append(key)

    def places(self, text: str, most: int) -> list[int] | None:
        """Return the lines whose stripped text is `text`, from the top; None if there are more than `most` to check."""
        if self._count(text) > most:
            return None
        starts: list[int] = []
        for key in {self._last[text], *self._others.get(text, ())} if text in self._last else ():
            lines = self._origins.places(key)
            most -= len(lines)
            if most < 0:
                return None
            starts += [line for line in lines if self._lines[line].strip(" \t") == text]
        return sorted(starts)

    def starts(self, search: Sequence[str]) -> list[int] | None:
        """Return where a run of lines may begin, by its rarest line; None if that is not rare. Lines come stripped."""
        counts = list(map(self._count, search))
        rarest = counts.index(min(counts))
        places = self.places(search[rarest], MOST_STARTS)
        if places is None:
            return None
        last = len(self._lines) - len(search)
        return [place - rarest for place in places if 0 <= place - rarest <= last]

    def _count(self, text: str) -> int:
        return (text in self._last) + len(self._others.get(text, ()))


def find_in(search: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Yield each line at which `lines` has all of `search` in a row, overlapping places too."""
    return find_lines(search, "\n".join(("", *lines, "")))


def find_lines(search: Sequence[str], joined: str) -> Iterator[int]:
    """Yield each line number at which the lines of `search` begin in `joined` (`SourceText.text_in` or `steps`)."""
    return (line for line, _ in find_places(search, joined, (0, 0)))


def find_places(search: Sequence[str], joined: str, known: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the same line numbers, each with the position of the newline before it.

    `known` is such a pair that the caller has already: counting starts there.
    """
    line, counted = known
    for position in _places("\n" + "\n".join(search) + "\n", joined):
        if position < counted:
            line = counted = 0
        line += joined.count("\n", counted, position)
        counted = position
        yield line, position


def _places(needle: str, text: str) -> Iterator[int]:
    """Yield every place of `needle`, overlapping ones included, in time that is linear in the text.

    If two places are at most half a needle apart, the needle repeats itself: then only the characters that the next
    place adds are compared. Without that, nested braces would take quadratic time.
    """
    position = text.find(needle)
    while position >= 0:
        yield position
        following = text.find(needle, position + 1)
        period = following - position
        if 0 < 2 * period <= len(needle):
            tail = needle[-period:]
            while text.startswith(tail, position + len(needle)):
                position += period
                yield position
            following = text.find(needle, position + 1)
        position = following


class LineStarts:
    """The offsets at which the lines of a text begin; lines end at `\\n`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = array("L", (0,))
        self._starts.extend(match.end() for match in re.finditer("\n", text))

    def between(self, first: int, last: int) -> str:
        """Return lines `first` to `last` (1-based, inclusive), as far as they exist, without the last line end."""
        if first > min(last, len(self._starts)):
            return ""
        stop = self._starts[last] - 1 if last < len(self._starts) else len(self._text)
        return self._text[self._starts[first - 1] : stop]
