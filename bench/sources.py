"""Real files that every machine with Python has, and edits at random places in them.

The files are modules of the standard library, which are read where they are and never copied. They differ between
versions of Python, so figures can only be compared on one machine.
"""

import re
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bench.responses import Dice

MODULES = (
    "abc argparse ast base64 bisect calendar cmd codecs collections/__init__ colorsys configparser contextlib copy csv "
    "dataclasses datetime difflib doctest email/message enum fractions functools heapq html/parser http/cookies "
    "inspect json/decoder keyword locale logging/handlers mailbox optparse pickletools statistics string tarfile "
    "textwrap this tokenize turtle unittest/mock urllib/parse uuid wave xml/dom/minidom zipfile"
).split()
NAME = re.compile(r"[A-Za-z_]\w{2,}")
_TRIES = 40  # places to try in one file before the next file


class Source(NamedTuple):
    """A text file: `lines` without line ends; in the file, each ends with `\\n`."""

    path: str
    lines: Sequence[str]

    def times(self, part: Sequence[str]) -> int:
        """Return how often the lines occur in the file, whatever their indentation."""
        needle, text = _bare(part), _bare(self.lines)
        count, at = 0, text.find(needle)
        while at >= 0:
            count, at = count + 1, text.find(needle, at + 1)
        return count


def _bare(lines: Sequence[str]) -> str:
    return "\n" + "".join(f"{line.strip()}\n" for line in lines)


class Edit(NamedTuple):
    """Lines `start:stop` (0-based, half-open) become `new`: an int is the index of a line that stays, a str is new.

    `at` is the index of the line that is changed or removed, or directly below which lines are inserted.
    """

    start: int
    stop: int
    at: int
    new: Sequence[int | str]

    def done(self, lines: Sequence[str]) -> list[str]:
        """Return the lines of the file after the edit."""
        middle = (lines[line] if isinstance(line, int) else line for line in self.new)
        return [*lines[: self.start], *middle, *lines[self.stop :]]

    @property
    def context(self) -> list[int]:
        """The lines that stay, at least two away from `at`: a difference in one of them does not affect the edit."""
        return [line for line in self.new if isinstance(line, int) and abs(line - self.at) > 1]


@cache
def sources() -> tuple[Source, ...]:
    """Return the files of MODULES, in that order, without those that are missing or not plain text."""
    folder = Path(sysconfig.get_path("stdlib"))
    found = []
    for name in MODULES:
        path = folder / f"{name}.py"
        text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        if text.endswith("\n") and not {"\r", "\ufeff", "\ufffd"} & set(text):
            found.append(Source(f"{name}.py", text[:-1].split("\n")))
    return tuple(found)


def edits(dice: Dice, source: Source, shortest: int, longest: int) -> Iterator[Edit]:
    """Yield edits at random places of `shortest` to `longest` lines, which occur once, whatever their indentation."""
    for _ in range(_TRIES):
        size = shortest + dice.below(longest - shortest + 1)
        if size >= len(source.lines):
            return
        start = dice.below(len(source.lines) - size)
        place = source.lines[start : start + size]
        at = start + 1 + dice.below(size - 2)
        line = source.lines[at].strip()
        filled = [line for line in place if any(map(str.isalnum, line))]
        if place[0].strip() and place[-1].strip() and line and len(filled) >= 3:
            alone = sum(line == other.strip() for other in place) == 1
            if alone and source.times(place) == 1:
                yield _edit(dice, source, start, start + size, at)


def _edit(dice: Dice, source: Source, start: int, stop: int, at: int) -> Edit:
    """Make an edit that changes a line, changes it and adds others, inserts lines below it, or removes it."""
    line = source.lines[at]
    indent = indent_of(line)
    number = dice.below(1000)
    added = [f"{indent}added_{number} = {index}" for index in range(1 + dice.below(2))]
    other = changed(line, f"_{number}")
    kinds: tuple[Sequence[int | str], ...] = ([other], [other, *added], [at, *added], [])
    middle = kinds[dice.below(len(kinds))]
    return Edit(start, stop, at, [*range(start, at), *middle, *range(at + 1, stop)])


def changed(line: str, suffix: str) -> str:
    """Return a different line: `suffix` is added to its first name, or as a comment if it has no name."""
    found = NAME.search(line)
    return f"{line}  # {suffix}" if found is None else f"{line[: found.end()]}{suffix}{line[found.end() :]}"


def indent_of(line: str) -> str:
    """Return the white space at the start of a line."""
    return line[: len(line) - len(line.lstrip())]
