"""Where runs of lines stand in a text: by one search through all of it, or, for many searches, by an index.

One search costs as much as the text is long, and nothing has to be made ready; an index costs several
of those once, and then almost nothing for each block, however long the text. Measured: docs/internals/design.md,
"missed targets".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from editblocks.text.line_origins import LineMap

MOST_STARTS = 64  # where the rarest line of a text stands more often, the whole text is searched


class LineIndex:
    """The lines of a text, without blanks at their ends, by what they say; kept up as blocks change the text.

    What is kept of a line is its key (`LineMap`), which stays as it is wherever the line moves.
    """

    def __init__(self, lines: Sequence[str], origins: LineMap) -> None:
        self._lines, self._origins = lines, origins
        texts, keys = [line.strip(" \t") for line in lines], origins.keys()
        # At once the last key of each text, then, line by line, the others of those texts that stand several times.
        self._last = dict(zip(texts, keys, strict=True))
        self._others: dict[str, list[int]] = {}
        if len(self._last) < len(texts):
            for text, key in zip(texts, keys, strict=True):
                if self._last[text] != key:
                    self._others.setdefault(text, []).append(key)

    def write(self, line: str, key: int) -> None:
        """Take in a line that a block wrote."""
        text = line.strip(" \t")
        if self._last.setdefault(text, key) != key:
            self._others.setdefault(text, []).append(key)

    def places(self, text: str, most: int) -> list[int] | None:
        """The lines that say `text`, from the top; None if more than `most` would have to be looked at."""
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
        """Where a run of lines may begin, by its rarest line; None if that is not rare. `search` has no blank ends."""
        counts = list(map(self._count, search))
        rarest = counts.index(min(counts))
        places = self.places(search[rarest], MOST_STARTS)
        if places is None:
            return None
        last = len(self._lines) - len(search)
        return [place - rarest for place in places if 0 <= place - rarest <= last]

    def _count(self, text: str) -> int:
        return (text in self._last) + len(self._others.get(text, ()))


def find_lines(search: Sequence[str], joined: str) -> Iterator[int]:
    """Yield each line number at which the lines of `search` stand in `joined` (`SourceText.joined`)."""
    return (line for line, _ in find_places(search, joined, (0, 0)))


def find_places(search: Sequence[str], joined: str, known: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the same line numbers, each with the position of its newline; of one line, `known`, both are known."""
    line, counted = known
    for position in _places("\n" + "\n".join(search) + "\n", joined):
        if position < counted:
            line = counted = 0
        line += joined.count("\n", counted, position)
        counted = position
        yield line, position


def check_lines(
    search: Sequence[str], lines: Sequence[str], starts: Sequence[int], form: Callable[[str], str] | None
) -> Iterator[int]:
    """Yield those of `starts` at which the lines stand, in a form (None: as they are) in which `search` is already."""
    wanted = list(search)
    for start in starts:
        lines_there = lines[start : start + len(wanted)]
        if (list(lines_there) if form is None else [form(line) for line in lines_there]) == wanted:
            yield start


def _places(needle: str, text: str) -> Iterator[int]:
    """Yield every place of `needle`, overlapping ones included, in time that grows with the text alone.

    A place that lies less than half of the needle after the one before shows that the needle repeats
    itself: then the next one costs only what it adds. Without that, braces in braces are quadratic.
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
