"""A file as lines, every byte of it: BOM, each line's own end, the missing last newline.

Lines end at `\\n` only, and one `\\r` before it belongs to the end. `str.splitlines` would also split
at form feed, U+0085 and U+2028, which are ordinary characters of source files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from editblocks.codes import ReasonCode
from editblocks.errors import UnreadableFile

BOM = "\ufeff"
_SNIFFED = 8000  # git's own rule: buffer_is_binary() looks for a NUL in the first 8000 bytes


@dataclass(frozen=True)  # no slots: cached_property keeps what it computed in __dict__
class SourceText:
    """Lines without their ends, and the ends: `\\n`, `\\r\\n`, or `""` for a last line that has none."""

    lines: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    bom: str = ""

    @classmethod
    def decode(cls, data: bytes, path: str = "") -> SourceText:
        """Read UTF-8 bytes so that `encode` gives back exactly them. Raises `UnreadableFile`."""
        null = data.find(b"\0", 0, _SNIFFED)
        if null >= 0:
            message = f"{path} has a NUL byte at offset {null}; blocks edit text only"
            raise UnreadableFile(ReasonCode.BINARY, message)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = f"{path} is not UTF-8 (byte 0x{data[error.start]:02x} in line {line}); convert it first"
            raise UnreadableFile(ReasonCode.ENCODING, message) from None
        return cls.of(text)

    @classmethod
    def of(cls, text: str) -> SourceText:
        """Split decoded text into lines."""
        bom = BOM if text.startswith(BOM) else ""
        lines = text[len(bom) :].split("\n")
        last = lines.pop()
        ends = ["\n"] * len(lines)
        if "\r\n" in text:
            for index, line in enumerate(lines):
                if line.endswith("\r"):
                    lines[index] = line[:-1]
                    ends[index] = "\r\n"
        if last:
            lines.append(last)
            ends.append("")
        return cls(tuple(lines), tuple(ends), bom)

    def text(self) -> str:
        """The decoded text, ends and BOM included."""
        return self.bom + "".join(map(str.__add__, self.lines, self.ends))

    def encode(self) -> bytes:
        """The bytes of the file."""
        return self.text().encode("utf-8")

    @cached_property
    def joined(self) -> str:
        """All lines, each with one `\\n` before and after it: a run of lines is found by one `find`."""
        return "\n".join(("", *self.lines, ""))

    @cached_property
    def right_stripped(self) -> str:
        """`joined` without the spaces and tabs at line ends."""
        return "\n" + "".join(line.rstrip(" \t") + "\n" for line in self.lines)

    @cached_property
    def stripped(self) -> str:
        """`joined` without the spaces and tabs at both ends of each line."""
        return "\n" + "".join(line.strip(" \t") + "\n" for line in self.lines)

    @cached_property
    def steps(self) -> str:
        """Two lines for each line, joined like `joined`: how far it is indented against the one before, and its text.

        A run of lines has the same steps wherever it stands, if it is shifted as a whole.
        """
        return "\n" + "".join(f"{step}\n{text}\n" for step, text in indentation_steps(self.lines))

    @cached_property
    def commonest_end(self) -> str:
        """The end most lines have; the first line's on a tie, `\\n` if no line has one."""
        windows = self.ends.count("\r\n")
        unix = self.ends.count("\n")
        if windows == unix:
            return next((end for end in self.ends if end), "\n")
        return "\r\n" if windows > unix else "\n"

    @property
    def has_mixed_ends(self) -> bool:
        """Whether both kinds of line end occur."""
        return "\r\n" in self.ends and "\n" in self.ends

    def splice(self, start: int, stop: int, new: Sequence[str | int]) -> SourceText:
        """Replace lines `start:stop` (0-based, half-open) and keep every other byte.

        In `new`, a str is a new line, an int is the index of a line of this file that is kept. A new
        line takes the end of the replaced line at its own index, beyond those the commonest. A file
        without a last newline stays without one where its last line is replaced or appended to.
        Raises nothing: spans come checked.
        """
        lines = [self.lines[line] if isinstance(line, int) else line for line in new]
        ends = list(self._ends_of(start, stop, new))
        if stop == len(self.lines) and lines:
            if self.ends and not self.ends[-1] and isinstance(new[-1], str) and lines[-1]:
                ends[-1] = ""
            elif not lines[-1]:  # a blank line without an end would vanish
                ends[-1] = ends[-1] or self.commonest_end
        return SourceText(
            (*self.lines[:start], *lines, *self.lines[stop:]), (*self.ends[:start], *ends, *self.ends[stop:]), self.bom
        )

    def with_last_end(self, end: str) -> SourceText:
        """The same lines, the last one ended by `end` if it has no end of its own."""
        if not self.ends or self.ends[-1]:
            return self
        return SourceText(self.lines, (*self.ends[:-1], end), self.bom)

    def _ends_of(self, start: int, stop: int, new: Sequence[str | int]) -> Iterator[str]:
        last = len(new) - 1
        for index, line in enumerate(new):
            old = line if isinstance(line, int) else start + index
            end = self.ends[old] if isinstance(line, int) or old < stop else self.commonest_end
            is_last_of_file = index == last and stop == len(self.lines)
            yield end if end or (isinstance(line, int) and is_last_of_file) else self.commonest_end


def indentation_steps(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """For each line its text, and before it what to take off the indentation of the last text and what to put there."""
    before = ""
    for line in lines:
        text = line.strip(" \t")
        if not text:
            yield "", ""
            continue
        indent = line[: line.index(text)]
        common = common_prefix(before, indent)
        yield f"{before[common:]}|{indent[common:]}", text
        before = indent


def common_prefix(one: str, other: str) -> int:
    """How many characters two strings have in common at their start."""
    shorter = min(len(one), len(other))
    return next((index for index in range(shorter) if one[index] != other[index]), shorter)
