"""A file as lines that keeps every byte: the BOM, the end of each line, a missing last newline; and its index.

Lines end only at `\\n`, and one `\\r` before it belongs to the end. `str.splitlines` would also split
at form feed, U+0085 and U+2028, which are ordinary characters of source files.

A run of lines is found by one search through the joined text or, for many searches, with an index. Building the index
costs as much as several searches, using it costs almost nothing.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import compress, count, groupby, islice, repeat
from operator import add, itemgetter

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile

BOM = "\ufeff"
MOST_STARTS = 64  # if the rarest line of a search occurs more often, the whole text is searched
SNIFFED = 8000  # git's own rule: buffer_is_binary() looks for a NUL in the first 8000 bytes

Form = Callable[[str], str] | None  # returns the part of a line that a search compares; None: the whole line


def right_stripped(line: str) -> str:
    """Return a line without the spaces and tabs at its end."""
    return line.rstrip(" \t")


def stripped(line: str) -> str:
    """Return a line without the spaces and tabs at both ends."""
    return line.strip(" \t")


class SourceText:
    """Lines without their ends, and the ends: `\\n`, `\\r\\n`, or `""` for a last line that has none.

    Only `splice` changes lines. After it, `ends`, `origins` and, in a section, `added` have one entry for each line,
    the index and the joined text are up to date, and all other values that were computed from the lines are dropped.
    """

    def __init__(self, lines: Sequence[str] = (), ends: Sequence[str] = (), bom: str = "") -> None:
        self.lines = list(lines)
        self.ends = list(ends)
        self.bom = bom
        self.origins = LineMap(len(self.lines))  # from each line to its line in the text as it was read
        kinds = {*self.ends} - {""}
        self.has_mixed_ends = len(kinds) > 1  # of the text as it was read
        self.commonest_end = _commonest(self.ends, kinds)  # of the text as it was read
        self._last_read = len(self.lines) - 1
        self._is_unended = self.ends[-1:] == [""]  # whether line `_last_read` has no end when it is the last line
        self.applied: list[int] = []  # the blocks whose changes the text has
        self.is_known = False  # a block of the response wrote the whole text, so its line numbers are reliable
        self.section = 0  # of a patch
        self.added = bytearray()  # for each line, 1 if hunks of the section added it
        self.words: WordIndex | None = None  # made when neither a text nor its single lines are found
        self.lines_to_index: Callable[[], Iterable[str]] = tuple  # returns the stripped lines that an index must know
        self._index: _LineIndex | None = None
        self._joined: dict[Form, _JoinedText] = {}
        self._counted: dict[tuple[str, ...], int] = {}

    @classmethod
    def decode(cls, data: bytes, path: str = "") -> "SourceText":
        """Read UTF-8 bytes, so that `encode` returns exactly the same bytes. Raises `UnreadableFile`."""
        null = data.find(b"\0", 0, SNIFFED)
        if null >= 0:
            raise UnreadableFile(ReasonCode.BINARY, f"{path} has a NUL byte at offset {null}", "blocks edit text only")
        try:
            return cls.of(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = f"{path} is not UTF-8 (byte 0x{data[error.start]:02x} in line {line})"
            raise UnreadableFile(ReasonCode.ENCODING, what, "convert it first") from None

    @classmethod
    def of(cls, text: str) -> "SourceText":
        """Split decoded text into lines."""
        bom = BOM if text.startswith(BOM) else ""
        body = text[len(bom) :]
        lines, ends = split_lines(body)
        source = cls(lines, ends, bom)
        if "\r" not in body:  # joining 2,000 lines again would take as long as finding 4 blocks in them
            is_ended = not body or body.endswith("\n")
            source._joined[None] = _JoinedText(f"\n{body}") if is_ended else _JoinedText(f"\n{body}\n")
        return source

    def required_blocks(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the blocks that must be applied before lines `start:stop` exist; () if the text was read with them."""
        stop = max(stop, start + 1)
        if stop <= len(self.lines) and self.origins.span(start, stop) is not None:
            return ()
        return tuple(self.applied)

    def number(self, line: int) -> int | None:
        """Return the 1-based number of a line in the text as it was read; None if a block wrote it."""
        if self.required_blocks(line, line + 1):
            return None
        return self.origins.display_number(line)

    def copy(self) -> "SourceText":
        """Return an independent copy of the text."""
        return SourceText(self.lines, self.ends, self.bom)

    def with_kept(self, new: Iterable[str | int]) -> list[str]:
        """Return the lines of `new`, in which a str is a line, and an int the index of a line of this text."""
        return [self.lines[line] if isinstance(line, int) else line for line in new]

    def text(self) -> str:
        """Return the decoded text with line ends and BOM."""
        if self.ends.count("\n") == len(self.ends):  # 3 ms for 100,000 lines, instead of 10
            return self.bom + "\n".join((*self.lines, ""))
        return self.bom + "".join(map(add, self.lines, self.ends))

    def encode(self) -> bytes:
        """Return the bytes of the file. No search is expected after this."""
        self._joined.clear()  # its memory is needed now
        return self.text().encode("utf-8")

    def index(self, texts: Collection[str] = ()) -> "_LineIndex":
        """Return the index, which then knows all lines with these stripped texts. After that, all searches use it."""
        if self._index is None:
            self._index = _LineIndex(self.lines, self.origins)
            self._index.learn({*texts, *self.lines_to_index()})
            self._joined.pop(None, None)  # rarely needed from here on
        self._index.learn(texts)
        return self._index

    def places(self, search: Sequence[str], form: Form = None) -> Iterator[int]:
        """Yield each line at which the lines of `search` begin, in order, including overlapping places.

        `search` has at least one line, and its lines are already in the form.
        """
        starts = None
        if self._index is not None:
            starts = self._index.starts(list(map(stripped, search)))
        elif form is not None:
            starts = self._possible_starts(search)
        if starts is None:
            return self._joined_in(form).places(search)
        wanted = list(search)
        return (at for at in starts if list(map(form or str, self.lines[at : at + len(wanted)])) == wanted)

    def _possible_starts(self, search: Sequence[str]) -> list[int] | None:
        """The lines at which `search` may begin in any form, by its longest line; None if many lines contain that."""
        bare = list(map(stripped, search))
        longest = max(bare, key=len)
        holding = list(islice(self.holding(longest), MOST_STARTS + 1))
        if len(holding) > MOST_STARTS:
            return None
        above = bare.index(longest)
        return [line - above for line in holding if line >= above]

    def holding(self, text: str) -> Iterator[int]:
        """Yield each line that contains `text`, in order."""
        return (line for line, _ in groupby(self.starts(text), key=itemgetter(1)))

    def starts(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield the offset, line and column (0-based) of each place of `text`, which may begin inside a line.

        All line breaks are `\\n`, whatever they are in the file, and a last line without one gets one. Places may
        overlap.
        """
        return self._joined_in(None).starts(text)

    def _joined_in(self, form: Form) -> "_JoinedText":
        """All lines in a form, joined for searches."""
        if form not in self._joined:
            lines = self.lines if form is None else list(map(form, self.lines))
            self._joined[form] = _JoinedText(_join(lines))
        return self._joined[form]

    def count(self, search_key: tuple[str, ...], places: Iterable[object]) -> int:
        """Return the number of `places`. The result is remembered by `search_key` until the text changes.

        Otherwise 500 equal blocks with 499 places would count all places 500 times.
        """
        if search_key not in self._counted:
            self._counted[search_key] = sum(1 for _ in places)
        return self._counted[search_key]

    def begin(self, section: int) -> None:
        """Begin a section, and record the lines that are added in it. The same section continues, 0 ends the record."""
        if section != self.section:
            self.section = section
            self.added = bytearray(len(self.lines)) if section else bytearray()

    def splice(self, start: int, stop: int, new: Sequence[str | int], ends: Sequence[str] = ()) -> bool:
        """Replace lines `start:stop` (0-based, half-open), keep every other byte, and return whether any byte changed.

        In `new`, a str is a new line, an int is the index of a line of this text that is kept. A new line gets the end
        of the replaced line at the same index; further lines get the commonest end. A file without a last newline stays
        without one if its last line is replaced or lines are appended. If its old last line becomes the last line
        again, it loses the end that it got meanwhile.
        `ends`: the ends of all lines of `new`, instead of these rules. Raises nothing: the caller has checked the span.
        """
        if start == len(self.lines) > 0 and not ends:  # the previous last line may need an end
            start -= 1
            new = (start, *new)
        if ends:
            if not self.lines:
                self.commonest_end = _commonest(ends, {*ends} - {""})
            new_ends = list(ends)
        else:
            new_ends = self._ends_by_rule(start, stop, new)
        lines = self.with_kept(new)
        if lines == self.lines[start:stop] and new_ends == self.ends[start:stop]:
            return False
        self._counted.clear()
        joined = self._joined.get(None)
        self._joined.clear()
        if joined is not None:
            joined.splice(self.lines, start, stop, lines)
            self._joined[None] = joined
        self.lines[start:stop] = lines
        self.ends[start:stop] = new_ends
        self.origins.splice(start, stop, new)
        if self.section:
            self.added[start:stop] = bytes(isinstance(line, str) or self.added[line] for line in new)
        if self._is_unended and self.lines and self.origins.original_line(len(self.lines) - 1) == self._last_read:
            self.ends[-1] = ""
        if self._index is not None:
            for place, line in enumerate(new, start):
                if isinstance(line, str):
                    self._index.write(line, self.origins.keys[place])
        return True

    def _ends_by_rule(self, start: int, stop: int, new: Sequence[str | int]) -> list[str]:
        """The ends of the lines `new` that replace `start:stop`."""
        ends = []
        for place, line in enumerate(new, start):
            ending = ""
            if isinstance(line, int):
                ending = self.ends[line]
            elif place < stop:
                ending = self.ends[place]
            ends.append(ending or self.commonest_end)
        if stop == len(self.lines) and self._stays_unended(new):
            ends[-1] = ""
        return ends

    def _stays_unended(self, new: Sequence[str | int]) -> bool:
        """Whether the last line of `new`, which replaces the last line of the text, has no end, as that one has none.

        A blank line always has an end: without one it would vanish.
        """
        if self.ends[-1:] != [""] or not new or new[-1] == "":
            return False
        return isinstance(new[-1], str) or new[-1] == len(self.lines) - 1

    def end_last_line(self) -> bool:
        """Add the commonest end to a last line that has none; return whether that was necessary."""
        if not self.ends or self.ends[-1]:
            return False
        self.ends[-1] = self.commonest_end
        self._is_unended = False
        return True

    def drop_last_end(self) -> bool:
        """Remove the end of the last line; return whether it had one. A blank line keeps it, or it would vanish."""
        if not self.ends or not self.ends[-1] or not self.lines[-1]:
            return False
        self.ends[-1] = ""
        self._is_unended = True
        return True


def find_in(search: Sequence[str], lines: Iterable[str]) -> Iterator[int]:
    """Yield each line at which all of `search` begins in `lines`, including overlapping places."""
    return _JoinedText(_join(lines)).places(search)


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Split a text into lines and their ends. The end of the last line is "" if the text has no last newline."""
    lines = text.split("\n")
    last = lines.pop()
    ends = ["\n"] * len(lines)
    if "\r" in text:
        for index, line in enumerate(lines):
            if line.endswith("\r"):
                lines[index] = line[:-1]
                ends[index] = "\r\n"
    if last:
        lines.append(last)
        ends.append("")
    return lines, ends


def _commonest(ends: Sequence[str], kinds: Collection[str]) -> str:
    """Return the most common line end; in a tie that of the first line; `\\n` if no line has an end."""
    if len(kinds) < 2:
        return next(iter(kinds), "\n")
    unix = ends.count("\n")
    windows = ends.count("\r\n")
    if unix == windows:
        return ends[0]
    return "\n" if unix > windows else "\r\n"


class LineMap:
    """Maps each line of a text to its 0-based line in the original, or to None if a block wrote it.

    Each line has a key, and keys never decrease from one line to the next. The key of an original line is twice its
    0-based number; a line that a block wrote has the key of the original line above, plus one. So an original line is
    found by bisection, wherever splices have moved it.
    """

    __slots__ = ("_breaks", "keys")

    def __init__(self, count: int) -> None:
        self.keys = array("i", range(0, 2 * count, 2))
        self._breaks = bytearray(count)  # 1 for a line that did not follow the line above it in the original

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> None:
        """Record the change that `SourceText.splice` makes with the same arguments."""
        above = self.keys[start - 1] if start else -2
        keys = array("i")
        breaks = bytearray()
        for line in new:
            key = self.keys[line] if isinstance(line, int) else above | 1
            keys.append(key)
            breaks.append(key & 1 or key != above + 2)
            above = key
        self.keys[start:stop] = keys
        self._breaks[start:stop] = breaks
        below = start + len(new)
        if below < len(self.keys):  # the line above this line has changed
            self._breaks[below] = self.keys[below] & 1 or self.keys[below] != above + 2

    def original_line(self, line: int) -> int | None:
        """Return the 0-based line of the original; None if a block wrote the line. Past the end: `line` itself."""
        if line >= len(self.keys):
            return line
        key = self.keys[line]
        return None if key & 1 else key >> 1

    def places(self, key: int) -> range:
        """Return the lines with a key: at most one original line, or the lines that blocks wrote below one."""
        return range(bisect_left(self.keys, key), bisect_right(self.keys, key))

    def current_line(self, original_line: int) -> int | None:
        """Return where a 0-based line of the original is now; None if a block removed it."""
        return next(iter(self.places(2 * original_line)), None)

    def display_number(self, line: int) -> int:
        """Return the 1-based number to show: in the original if the line is from there, otherwise in the text."""
        original_line = self.original_line(line)
        return line + 1 if original_line is None else original_line + 1

    def span(self, start: int, stop: int) -> tuple[int, int] | None:
        """Return the span of lines `start:stop` in the original; None if they were not consecutive lines there."""
        if start >= stop or self._breaks.find(1, start + 1, stop) >= 0:
            return None
        first = self.original_line(start)
        if first is None:
            return None
        return first, first + stop - start

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the runs of original lines that are left: start in the text, start in the original, length."""
        start = 0
        while start < len(self.keys):
            if self.keys[start] & 1:
                start = bisect_right(self.keys, self.keys[start], start)
                continue
            stop = self._breaks.find(1, start + 1)
            if stop < 0:
                stop = len(self.keys)
            yield start, self.keys[start] >> 1, stop - start
            start = stop


class _LineIndex:
    """The places of known lines by their stripped text. It is updated as blocks change the text.

    It stores the keys of these lines (`LineMap`), which stay the same when lines move. If a text occurs more often than
    `MOST_STARTS`, not all of its lines are stored.
    """

    def __init__(self, lines: Sequence[str], origins: LineMap) -> None:
        self._lines = lines
        self._origins = origins
        self._keys: dict[str, list[int]] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Find all lines with one of these texts, in one pass through the file."""
        wanted: dict[str, list[int]] = {text: [] for text in texts if text not in self._keys}
        if not wanted:
            return
        self._keys.update(wanted)
        is_wanted = map(wanted.__contains__, map(str.strip, self._lines, repeat(" \t")))
        for line in compress(count(), is_wanted):
            text = self._lines[line].strip(" \t")
            wanted[text].append(self._origins.keys[line])
            if len(wanted[text]) > MOST_STARTS:
                del wanted[text]

    def write(self, line: str, key: int) -> None:
        """Add a line that a block wrote."""
        keys = self._keys.get(line.strip(" \t"))
        if keys is not None and len(keys) <= MOST_STARTS and keys[-1:] != [key]:
            keys.append(key)

    def places(self, text: str, most: int) -> list[int] | None:
        """Return the lines with the stripped text `text`, in order; None if more than `most` lines must be checked."""
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
        """Return where a run of stripped lines may begin, by its rarest known line; None if that is not rare."""
        known = [text for text in search if text in self._keys]
        if not known:
            return None
        text = min(known, key=lambda text: len(self._keys[text]))
        places = self.places(text, MOST_STARTS)
        if places is None:
            return None
        rarest = search.index(text)
        last = len(self._lines) - len(search)
        return [place - rarest for place in places if 0 <= place - rarest <= last]


class _JoinedText:
    """A text with one `\\n` before and after each line, so that a single `find` finds a run of lines.

    It remembers the last place that was found: counting lines starts there, and most splices are there. So planning 10
    blocks in each of 200 files of 2,000 lines takes 280 ms instead of 370.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 0
        self._offset = 0  # of the newline before that line

    def places(self, search: Sequence[str]) -> Iterator[int]:
        """Yield each line at which all of `search` begins, including overlapping places."""
        for position in self._positions(_join(search)):  # of the newline before the line
            if position < self._offset:
                self._line = self._offset = 0
            self._line += self._text.count("\n", self._offset, position)
            self._offset = position
            yield self._line

    def starts(self, needle: str) -> Iterator[tuple[int, int, int]]:
        """Yield the offset, line and column of each place of `needle`, including overlapping places.

        The newline before the first line is not part of the text.
        """
        line = 0
        newline = 0  # before the line
        following = -1  # the newline after the line; to find both again for each place would take quadratic time
        for position in self._positions(needle):
            if position == 0:
                continue
            if position > following:
                above = newline
                newline = self._text.rfind("\n", 0, position)
                following = self._text.find("\n", newline + 1)
                line += self._text.count("\n", above, newline)
            yield position, line, position - newline - 1

    def _positions(self, needle: str) -> Iterator[int]:
        """Yield the offset of each place of `needle`, including overlapping places.

        If two places are at most half a needle apart, the needle repeats itself: then only the characters that the next
        place adds are compared. Without that, nested braces would take quadratic time.
        """
        position = self._text.find(needle)
        period = 0
        while position >= 0:
            yield position
            if period and self._text.startswith(needle[-period:], position + len(needle)):
                position += period
                continue
            following = self._text.find(needle, position + 1)
            period = 0
            if 0 < 2 * (following - position) <= len(needle):
                period = following - position
            position = following

    def splice(self, lines: Sequence[str], start: int, stop: int, new: Sequence[str]) -> None:
        """Replace lines `start:stop` by `new`; `lines` are all lines before the change."""
        if start < self._line:
            self._line = self._offset = 0
        first = self._offset + _size(lines[self._line : start])
        below = first + _size(lines[start:stop]) + 1
        self._text = "\n".join([self._text[:first], *new, self._text[below:]])


def _size(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _join(lines: Iterable[str]) -> str:
    """Return all lines with one `\\n` before and after each."""
    return "\n".join(["", *lines, ""])


class WordIndex:
    """The lines of a text by their words, to find the place that is most similar to a search."""

    __slots__ = ("_by_word", "_known", "_words_of")

    def __init__(self, words_of: Callable[[str], list[str]]) -> None:
        self._words_of = words_of
        self._known: set[str] = set()
        self._by_word: dict[str, list[list[str]]] = {}  # the lines with a word at least once, at least twice, …

    def learn(self, lines: Iterable[str]) -> int:
        """Read the lines that are not known yet; return their number of characters."""
        new = {*lines} - self._known
        self._known |= new
        for line in new:
            for word, times in Counter(self._words_of(line)).items():
                lists = self._by_word.setdefault(word, [])
                lists += ([] for _ in range(times - len(lists)))
                for each in lists[:times]:
                    each.append(line)
        return sum(map(len, new))

    def holding(self, wanted: Counter[str]) -> list[list[str]]:
        """For each wanted word, the lines that have it at least once, at least twice, up to the wanted number."""
        return [lines for word, times in wanted.items() for lines in self._by_word.get(word, ())[:times]]
