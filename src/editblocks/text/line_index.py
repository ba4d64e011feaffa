"""Where lines of a text are: in the file on the branch, whose numbers people know, and by what they say.

A run of lines is found by one search through all of the text or, for many searches, with an index, which costs as much
as several searches once, and then almost nothing. Measured: docs/internals/performance.md, "missed targets".
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence


class LineMap:
    """For each line of a text, its 0-based line in the original, or None if a block wrote it.

    Each line has a key, and keys never fall from one line to the next. The key of an original line is twice its number;
    the key of a line that a block wrote is one more than the key of the original line above it.
    So an original line is found by bisection, wherever the splices have moved it.
    """

    __slots__ = ("keys",)

    _original = array("q")  # the keys of the longest original so far: copying is faster than counting

    def __init__(self, count: int) -> None:
        original = LineMap._original
        if len(original) < count:
            original = LineMap._original = array("q", range(0, 2 * count, 2))
        self.keys = original[:count]

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> None:
        """Record a change that `SourceText.splice` makes with the same arguments."""
        key = (self.keys[start - 1] if start else -2) | 1
        keys = array("q")
        for line in new:
            keys.append(self.keys[line] if isinstance(line, int) else key)
            key = keys[-1] | 1
        self.keys[start:stop] = keys

    def head(self, line: int) -> int | None:
        """Return the 0-based line of the original; None if a block wrote the line. Past the end: `line` itself."""
        if line >= len(self.keys):
            return line
        key = self.keys[line]
        return None if key & 1 else key >> 1

    def places(self, key: int) -> range:
        """Return the lines with a key: one original line or none, or all that blocks wrote below an original line."""
        return range(bisect_left(self.keys, key), bisect_right(self.keys, key))

    def now(self, head: int) -> int | None:
        """Return where line `head` of the original is now; None if a block removed it."""
        return next(iter(self.places(2 * head)), None)

    def shown(self, line: int) -> int:
        """Return the 1-based number to show: in the original if the line is from there, else in the text."""
        head = self.head(line)
        return (line if head is None else head) + 1

    def span(self, start: int, stop: int) -> tuple[int, int] | None:
        """Return the span of the original that lines `start:stop` are; None if they are not a run of it."""
        if stop <= start:
            return None
        first, last = self.head(start), self.head(stop - 1)
        # Keys never fall: if the distance is equal, a line between can only differ if one is missing and one is new.
        if first is None or last is None or last - first != stop - 1 - start:
            return None
        return (first, last + 1) if self._goes_on(start + 1, stop - 1 - start) else None

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the pieces of the original that are left: the start now, the start in the original, the length."""
        start, count = 0, len(self.keys)
        while start < count:
            if self.keys[start] & 1:
                start = bisect_right(self.keys, self.keys[start], start)
                continue
            stop, step = start + 1, 1
            while self._goes_on(stop, step):  # steps are doubled, then halved
                stop, step = stop + step, 2 * step
            while step:
                stop, step = stop + step * self._goes_on(stop, step), step // 2
            yield start, self.keys[start] >> 1, stop - start
            start = stop

    def _goes_on(self, line: int, count: int) -> bool:
        """Whether the `count` lines from `line` on follow the line before them in the original as well."""
        first = (self.keys[line - 1] >> 1) + 1
        keys = self.keys[line : line + count]
        return len(keys) == count and keys == self._original[first : first + count]


MOST_STARTS = 64  # if the rarest searched line occurs more often, the whole text is searched


class LineIndex:
    """An index of the lines of a text by their stripped text; it is updated as blocks change the text.

    It holds the key of each line (`LineMap`), which stays the same wherever the line moves, by the hash of what it
    says: the lines themselves would take as much memory as the file once more, and are compared in any case.
    """

    def __init__(self, lines: Sequence[str], origins: LineMap) -> None:
        self._lines, self._origins = lines, origins
        texts, keys = [hash(line.strip(" \t")) for line in lines], origins.keys
        # First the last key of each text, all at once; then, line by line, the other keys of texts that occur again.
        self._last = dict(zip(texts, keys, strict=True))
        self._others: dict[int, list[int]] = {}
        if len(self._last) < len(texts):
            for text, key in zip(texts, keys, strict=True):
                if self._last[text] != key:
                    self._others.setdefault(text, []).append(key)

    def write(self, line: str, key: int) -> None:
        """Add a line that a block wrote."""
        text = hash(line.strip(" \t"))
        if self._last.setdefault(text, key) != key:
            self._others.setdefault(text, []).append(key)

    def places(self, text: str, most: int) -> list[int] | None:
        """Return the lines whose stripped text is `text`, from the top; None if there are more than `most` to check."""
        if self._count(text) > most:
            return None
        starts: list[int] = []
        known = hash(text)
        for key in {self._last[known], *self._others.get(known, ())} if known in self._last else ():
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
        known = hash(text)
        return (known in self._last) + len(self._others.get(known, ()))


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
