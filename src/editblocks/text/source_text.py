"""A file as lines that keeps every byte: BOM, each line's own end, the missing last newline.

Lines end at `\\n` only, and one `\\r` before it belongs to the end. `str.splitlines` would also split
at form feed, U+0085 and U+2028, which are ordinary characters of source files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.text.line_index import MOST_STARTS, LineIndex, LineMap, WordIndex, as_bytes, find_places

BOM = "\ufeff"
_NEAR = 1000  # lines from a known place to a splice
_SNIFFED = 8000  # git's own rule: buffer_is_binary() looks for a NUL in the first 8000 bytes


Form = Callable[[str], str] | None  # which part of a line counts in a search; None: all of it


def right_stripped(line: str) -> str:
    """Return a line without the spaces and tabs at its end."""
    return line.rstrip(" \t")


def stripped(line: str) -> str:
    """Return a line without the spaces and tabs at both ends."""
    return line.strip(" \t")


class SourceText:
    """Lines without their ends, and the ends: `\\n`, `\\r\\n`, or `""` for a last line that has none.

    `splice` changes the text in place. Without an index each search goes through all of it.
    """

    def __init__(self, lines: Sequence[str] = (), ends: Sequence[str] = (), bom: str = "") -> None:
        self.lines, self.ends, self.bom = list(lines), list(ends), bom
        self._index: LineIndex | None = None
        self._joined: dict[Form, bytearray] = {}  # `text_in` as UTF-8, which takes a splice without being copied
        self._last, self._is_unended = len(self.lines) - 1, bool(self.ends) and not self.ends[-1]
        self._known = [0, 0]  # a line, and the offset of the newline before it when all lines are joined
        self._counted: dict[tuple[str, ...], int] = {}  # how many places a text has, until a splice
        self.applied: list[int] = []  # the blocks whose changes it holds
        self.section, self.added = 0, bytearray()  # of a patch, and for each line whether its hunks added that
        self.words: WordIndex | None = None  # made where a text is not found and its lines are not either
        self.asked: Callable[[], Iterable[str]] = tuple  # the lines, stripped, that an index has to know

    @classmethod
    def decode(cls, data: bytes, path: str = "") -> SourceText:
        """Read UTF-8 bytes so that `encode` gives back exactly them. Raises `UnreadableFile`."""
        null = data.find(b"\0", 0, _SNIFFED)
        if null >= 0:
            raise UnreadableFile(ReasonCode.BINARY, f"{path} has a NUL byte at offset {null}", "blocks edit text only")
        try:
            source = cls.of(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = f"{path} is not UTF-8 (byte 0x{data[error.start]:02x} in line {line})"
            raise UnreadableFile(ReasonCode.ENCODING, what, "convert it first") from None
        if b"\r" not in data:  # its lines are joined
            source._joined[None] = joined = bytearray(b"\n")
            joined += data[len(source.bom.encode()) :]
            joined += b"\n" * source._is_unended
        return source

    @classmethod
    def of(cls, text: str) -> SourceText:
        """Split decoded text into lines."""
        bom = BOM if text.startswith(BOM) else ""
        lines = text[len(bom) :].split("\n")
        last = lines.pop()
        ends = ["\n"] * len(lines)
        is_unix = "\r" not in text
        for index, line in enumerate(lines if not is_unix else ()):
            if line.endswith("\r"):
                lines[index] = line[:-1]
                ends[index] = "\r\n"
        if last:
            lines.append(last)
            ends.append("")
        source = cls(lines, ends, bom)
        if is_unix:  # nothing has to be counted
            source._counts = 0, len(lines) - bool(last)
        return source

    @cached_property
    def origins(self) -> LineMap:
        """The map from each line to its line in the text as it was read."""
        return LineMap(len(self.lines))

    def after(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the blocks that must be applied before lines `start:stop` exist; () if they were read like that."""
        stop = max(stop, start + 1)
        is_read = stop <= len(self.lines) and self.origins.span(start, stop) is not None
        return () if is_read else tuple(self.applied)

    def number(self, line: int) -> int | None:
        """Return the 1-based number of a line in the text as it was read; None if a block wrote it."""
        return None if self.after(line, line + 1) else self.origins.shown(line)

    def copy(self) -> SourceText:
        """Return an independent copy of the text."""
        return SourceText(self.lines, self.ends, self.bom)

    def with_kept(self, new: Sequence[str | int]) -> list[str]:
        """Return the lines that `new` stands for: a str is a line, an int the index of a line of this text."""
        return [self.lines[line] if isinstance(line, int) else line for line in new]

    def text(self) -> str:
        """Return the decoded text with line ends and BOM."""
        if self.ends.count("\n") == len(self.ends):
            return self.bom + "\n".join((*self.lines, ""))
        return self.bom + "".join(map(str.__add__, self.lines, self.ends))

    def encode(self) -> bytes:
        """Return the bytes of the file, which may not be searched any more."""
        self._joined.clear()
        return self.text().encode("utf-8")

    @cached_property
    def _counts(self) -> tuple[int, int]:
        """How many lines ended in `\\r\\n` when the file was read, and how many in `\\n`."""
        return self.ends.count("\r\n"), self.ends.count("\n")

    @cached_property
    def commonest_end(self) -> str:
        """The end that most lines had when the file was read; on a tie the first line's, `\\n` if no line has one."""
        windows, unix = self._counts
        if windows == unix:
            return next((end for end in self.ends if end), "\n")
        return "\r\n" if windows > unix else "\n"

    @cached_property
    def has_mixed_ends(self) -> bool:
        """Whether the file had both kinds of line end when it was read."""
        return all(self._counts)

    def index(self, texts: Collection[str] = ()) -> LineIndex:
        """The index, which knows the lines with these texts, stripped; once it is built, every search uses it."""
        if self._index is None:
            self._index = LineIndex(self.lines, self.origins)
            self._index.learn({*texts, *self.asked()})
        elif not self._index.knows(texts):
            self._index.learn(texts)
        return self._index

    def places(self, search: Sequence[str], form: Form = None) -> Iterator[int]:
        """Yield each line at which the lines of `search` begin, overlapping places too, from the top.

        `search` has at least one line, and its lines are in that form already.
        """
        starts = None
        if self._index is not None:
            starts = self._index.starts(list(map(stripped, search)))
        if starts is None and form is not None:
            starts = self._starts(search)
        if starts is not None:
            wanted = list(search)
            return (at for at in starts if list(map(form or str, self.lines[at : at + len(wanted)])) == wanted)
        return find_places(as_bytes(["", *search, ""]), self._all(form), [0, 0] if form else self._known)

    def _starts(self, search: Sequence[str]) -> list[int] | None:
        """Where a text may begin, in whatever form, by its longest line; None if many lines hold that."""
        bare = list(map(stripped, search))
        longest = max(bare, key=len)
        below = list(islice(find_places(as_bytes([longest]), self._all(), [*self._known]), MOST_STARTS + 1))
        above = bare.index(longest) + 1
        return None if len(below) > MOST_STARTS else [line - above for line in dict.fromkeys(below) if line >= above]

    def count(self, asked: tuple[str, ...], places: Iterable[object]) -> int:
        """Return how many `places` there are; what was `asked` before is not counted again until the text changes.

        500 equal blocks for 499 places would count each of them 500 times.
        """
        if asked not in self._counted:
            self._counted[asked] = sum(1 for _ in places)
        return self._counted[asked]

    def text_in(self, form: Form = None) -> str:
        """Return all lines in a form, each with one `\\n` before and after it, so that `find` finds a run of lines."""
        return self._all(form).decode("utf-8", "surrogatepass")

    def _all(self, form: Form = None) -> bytearray:
        if form not in self._joined:
            lines = self.lines if form is None else map(form, self.lines)
            self._joined[form] = bytearray(as_bytes(["", *lines, ""]))
        return self._joined[form]

    def begin(self, section: int) -> None:
        """Record from now on which lines are added, unless the section is the same as before; 0 ends that."""
        if section != self.section:
            self.section, self.added = section, bytearray(len(self.lines) if section else 0)

    def splice(self, start: int, stop: int, new: Sequence[str | int], kept_ends: tuple[int, int] = (0, 0)) -> bool:
        """Replace lines `start:stop` (0-based, half-open), keep every other byte, and return whether any byte changed.

        In `new`, a str is a new line, an int is the index of a line of this text that is kept; `kept_ends` says how
        many are kept at the start and at the end without being in `new`. A new line takes the end of the replaced line
        at its own index, beyond those the commonest. A file without a last newline stays without one where its last
        line is replaced or appended to.
        A last line that gained an end, as others came to follow it, loses it when it is the last again.
        Raises nothing: spans come checked.
        """
        if start == len(self.lines) > 0:  # the line that was last may need an end
            start, new = start - 1, (start - 1, *new)
        is_plain, (above, below) = stop < len(self.lines) and not self.has_mixed_ends, kept_ends
        if is_plain:  # all ends but the last are the same
            start, stop = start + above, stop - below
        elif above or below:
            new = (*range(start, start + above), *new, *range(stop - below, stop))
        lines = self.with_kept(new)
        ends = [self.commonest_end] * len(lines) if is_plain else self._new_ends(start, stop, new, lines)
        if lines == self.lines[start:stop] and ends == self.ends[start:stop]:
            return False
        self._counted.clear()
        _ = self.commonest_end, self.has_mixed_ends, self.origins  # compute these from the text as it was read
        self._join_anew(start, stop, lines)
        self.lines[start:stop], self.ends[start:stop] = lines, ends
        self.origins.splice(start, stop, new)
        if self.section:
            self.added[start:stop] = bytes(isinstance(line, str) or self.added[line] for line in new)
        if self._is_unended and self.lines and self.origins.head(len(self.lines) - 1) == self._last:
            self.ends[-1] = ""
        if self._index is not None:
            for place, line in enumerate(new, start):
                if isinstance(line, str):
                    self._index.write(line, self.origins.keys[place])
        return True

    def _join_anew(self, start: int, stop: int, lines: Sequence[str]) -> None:
        """Update the joined text when `lines` replace lines `start:stop`, if that is cheap; else drop it."""
        joined, (known, position) = self._joined.get(None), self._known
        self._joined.clear()
        if joined is None or self._index is not None or not 0 <= start - known <= _NEAR:
            self._known = [0, 0]
            return
        first = position + len(as_bytes(["", *self.lines[known:start]]))
        end = first + len(as_bytes(["", *self.lines[start:stop]]))
        joined[first:end] = as_bytes(["", *lines])
        self._joined[None] = joined

    def end_last_line(self) -> bool:
        """Add the commonest end to a last line that has none; return whether that was necessary."""
        if not self.ends or self.ends[-1]:
            return False
        self.ends[-1], self._is_unended = self.commonest_end, False
        return True

    def drop_last_end(self) -> bool:
        """Take the end off the last line; return whether it had one. A blank line keeps it, as it would vanish."""
        if not self.ends or not self.ends[-1] or not self.lines[-1]:
            return False
        self.ends[-1], self._is_unended = "", True
        return True

    def _new_ends(self, start: int, stop: int, new: Sequence[str | int], lines: Sequence[str]) -> list[str]:
        old = self.ends
        ends = [
            old[line] if isinstance(line, int) else old[at] if at < stop else "" for at, line in enumerate(new, start)
        ]
        # Only the file's last line may go without an end, and not a blank one: it would vanish.
        is_unended = bool(lines and lines[-1]) and stop == len(old) and bool(old) and not old[-1]
        is_unended = is_unended and (isinstance(new[-1], str) or not ends[-1])
        ends = [end or self.commonest_end for end in ends]
        return [*ends[:-1], ""] if is_unended else ends
