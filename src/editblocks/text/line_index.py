"""Where lines of a text are: in the file on the branch, whose numbers people know, and by what they say.

A run of lines is found by one search through all of the text or, for many searches, with an index, which costs as much
as several searches once, and then almost nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat


class LineMap:
    """For each line of a text, its 0-based line in the original, or None if a block wrote it.

    Each line has a key, and keys never fall from one line to the next. The key of an original line is twice its number;
    the key of a line that a block wrote is one more than the key of the original line above it.
    So an original line is found by bisection, wherever the splices have moved it.
    """

    __slots__ = ("_breaks", "keys")

    _original = array("i")  # the keys of the longest original so far: copying is faster than counting

    def __init__(self, count: int) -> None:
        original = LineMap._original
        if len(original) < count:
            original = LineMap._original = array("i", range(0, 2 * count, 2))
        self.keys = original[:count]
        self._breaks = bytearray(count)  # 1 for a line that does not follow the line above it in the original

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> None:
        """Record a change that `SourceText.splice` makes with the same arguments."""
        above = self.keys[start - 1] if start else -2
        keys, breaks = [], []
        for line in new:
            key = self.keys[line] if isinstance(line, int) else above | 1
            keys.append(key)
            breaks.append(key & 1 or key != above + 2)
            above = key
        self.keys[start:stop], self._breaks[start:stop] = array("i", keys), bytes(breaks)
        below = start + len(new)
        if below < len(self.keys):  # this line follows another one now
            self._breaks[below] = self.keys[below] & 1 or self.keys[below] != above + 2

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
        first = self.head(start) if start < stop else None
        if first is None or self._breaks.find(1, start + 1, stop) >= 0:
            return None
        return first, first + stop - start

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the pieces of the original that are left: the start now, the start in the original, the length."""
        start, count = 0, len(self.keys)
        while start < count:
            if self.keys[start] & 1:
                start = bisect_right(self.keys, self.keys[start], start)
                continue
            stop = self._breaks.find(1, start + 1)
            stop = stop if stop >= 0 else count
            yield start, self.keys[start] >> 1, stop - start
            start = stop


MOST_STARTS = 64  # if the rarest searched line occurs more often, the whole text is searched


class LineIndex:
    """Where the lines are that were asked for, by their stripped text; it is updated as blocks change the text.

    It holds the key of each such line (`LineMap`), which stays the same wherever the line moves. Of a text that occurs
    more often than `MOST_STARTS` it knows nothing else.
    """

    def __init__(self, lines: Sequence[str], origins: LineMap) -> None:
        self._lines, self._origins = lines, origins
        self._keys: dict[str, list[int]] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Find all lines with one of these texts, in one walk through the file."""
        wanted: dict[str, list[int]] = {text: [] for text in texts}
        self._keys.update(wanted)
        for key, text in zip(self._origins.keys, map(str.strip, self._lines, repeat(" \t")), strict=False):
            if text in wanted:
                wanted[text].append(key)
                if len(wanted[text]) > MOST_STARTS:
                    del wanted[text]

    def knows(self, texts: Iterable[str]) -> bool:
        """Whether all of these texts were asked for."""
        return all(map(self._keys.__contains__, texts))

    def write(self, line: str, key: int) -> None:
        """Add a line that a block wrote."""
        keys = self._keys.get(line.strip(" \t"))
        if keys is not None and len(keys) <= MOST_STARTS and keys[-1:] != [key]:
            keys.append(key)

    def places(self, text: str, most: int) -> list[int] | None:
        """Return the lines whose stripped text is `text`, from the top; None if there are more than `most` to check."""
        if len(self._keys[text]) > most:
            return None
        starts: list[int] = []
        for key in {*self._keys[text]}:
            lines = self._origins.places(key)
            most -= len(lines)
            if most < 0:
                return None
            starts += [line for line in lines if self._lines[line].strip(" \t") == text]
        return sorted(starts)

    def starts(self, search: Sequence[str]) -> list[int] | None:
        """Return where a run of lines may begin, by its rarest line; None if that is not rare. Lines come stripped."""
        counts = [len(self._keys[text]) if text in self._keys else MOST_STARTS + 1 for text in search]
        rarest = counts.index(min(counts))
        places = self.places(search[rarest], MOST_STARTS) if counts[rarest] <= MOST_STARTS else None
        if places is None:
            return None
        last = len(self._lines) - len(search)
        return [place - rarest for place in places if 0 <= place - rarest <= last]


class WordIndex:
    """The lines of a text by the words in them, for texts that are to be near something again and again."""

    __slots__ = ("_by_word", "_known", "_words_of")

    def __init__(self, words_of: Callable[[str], list[str]]) -> None:
        self._words_of = words_of
        self._known: set[str] = set()
        self._by_word: dict[str, list[list[str]]] = {}  # the lines that hold a word once at least, twice at least, …

    def learn(self, lines: Iterable[str]) -> int:
        """Read the lines that are not known yet; return how many characters that were."""
        new = {*lines} - self._known
        self._known |= new
        for line in new:
            for word, count in Counter(self._words_of(line)).items():
                lists = self._by_word.setdefault(word, [])
                lists += ([] for _ in range(count - len(lists)))
                for each in lists[:count]:
                    each.append(line)
        return sum(map(len, new))

    def holding(self, wanted: Counter[str]) -> list[list[str]]:
        """For each wanted word, the lines that hold it once at least, twice at least, up to how often it is wanted."""
        return [lines for word, count in wanted.items() for lines in self._by_word.get(word, ())[:count]]


def find_in(search: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Yield each line at which `lines` has all of `search` in a row, overlapping places too."""
    return find_places(as_bytes(["", *search, ""]), as_bytes(["", *lines, ""]), [0, 0])


def as_bytes(lines: Sequence[str]) -> bytes:
    """Join lines, for a search or a measure."""
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def find_places(needle: bytes, joined: bytes | bytearray, known: list[int]) -> Iterator[int]:
    """Yield the number of each line before which `needle` begins, overlapping places included.

    `known` is such a number and the position of the newline before it: counting starts there, and it becomes those of
    the place that was found. If two places are at most half a text apart, the text repeats itself: then only the
    characters that the next place adds are compared. Without that, nested braces would take quadratic time.
    """
    line, counted = known
    position, period = joined.find(needle), 0
    while position >= 0:
        if position < counted:
            line = counted = 0
        line += joined.count(b"\n", counted, position)
        known[:] = line, position
        counted = position
        yield line
        if period and joined.startswith(needle[-period:], position + len(needle)):
            position += period
            continue
        following = joined.find(needle, position + 1)
        period = following - position if 0 < 2 * (following - position) <= len(needle) else 0
        position = following
