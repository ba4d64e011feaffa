"""Hostile files and blocks take no more than linear time: twice the size takes at most 2.5 times as long.

The processor time of planning is measured, with blocks that are built here, not parsed. A family makes the files and
blocks for a size, which is a number of lines, characters or blocks: whichever grows in that family. Families that only
concern the loose level are measured only at that level.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple

from bench.applying import SETTINGS
from bench.measure import Row, Stopwatch, doubling, timed
from editblocks import EditBlock, ParseResult, Settings
from editblocks.applying.engine import apply_parsed

PATH = "a.py"
ROUNDS = 5
SHORTEST = 0.1  # seconds; in shorter runs, the fixed work for each block hides the work that grows
SMALLEST, LARGEST = 2**8, 2**20
LONG_SEARCH = 2_000  # lines
LONGEST = 60_000  # characters of a line of a block; a block with a longer one is refused at once


class Hostile(NamedTuple):
    """Files, and blocks as path, old text and new text."""

    files: Mapping[str, str]
    blocks: Sequence[tuple[str, str, str]]


def rows(_peers: Path | None) -> Iterator[Row]:
    """Yield one row for each family and level."""
    for matching, families in {"standard": FAMILIES, "loose": {**FAMILIES, **LOOSE_FAMILIES}}.items():
        for name, make in families.items():
            size, times = doubling(partial(_planning, make, matching), SMALLEST, LARGEST, ROUNDS, SHORTEST)
            yield Row("hostile", f"{name}, {matching}: {2 * size:,} against {size:,}", times, 2.5)


def parsed(hostile: Hostile) -> ParseResult:
    """Return the blocks as if they had been parsed from a response."""
    return ParseResult(
        tuple(
            EditBlock(number, path, "search-replace", number, number, old_lines=old, new_lines=new, raw_block=old + new)
            for number, (path, old, new) in enumerate(hostile.blocks, 1)
        )
    )


def settings(matching: str) -> Settings:
    """Return settings for a `matching` level, with no limits except those for a single block."""
    return Settings(
        matching=matching,
        max_blocks=SETTINGS.max_blocks,
        max_files=SETTINGS.max_files,
        max_file_bytes=SETTINGS.max_file_bytes,
    )


def _planning(make: Callable[[int], Hostile], matching: str, size: int) -> Stopwatch:
    hostile = make(size)
    data = {path: text.encode() for path, text in hostile.files.items()}
    return timed(partial(apply_parsed, parsed(hostile), data.get, settings=settings(matching)), process_time)


def _one(content: str, old: str, new: str = "changed\n") -> Hostile:
    return Hostile({PATH: content}, [(PATH, old, new)])


def _each(content: str, size: int, old: Callable[[int], str], new: Callable[[int], str]) -> Hostile:
    """Make `size` blocks for one file."""
    return Hostile({PATH: content}, [(PATH, old(number), new(number)) for number in range(size)])


def _distinct(size: int, indent: str = "") -> str:
    return "".join(f"{indent}line {number}\n" for number in range(size))


def _deeper(size: int) -> Hostile:
    """Lines that are each one space deeper than the line above, as many as fit into `size` characters."""
    steps = "".join(f"{' ' * depth}x\n" for depth in range(int((2 * size) ** 0.5)))
    return _one(steps, "".join(f"{' ' * depth}x\n" for depth in range(0, 40, 2)))


def _failing_files(size: int) -> Hostile:
    """Each file has its own lines, and a block of some of these lines, one of them changed."""
    files = {f"{number}.py": _distinct(30, f"{number} ") for number in range(size)}
    block = "line 0\nline 1\nline two\nline 3\n"
    return Hostile(files, [(path, block.replace("line", f"{path[:-3]} line"), "changed\n") for path in files])


def _long_line(size: int) -> Hostile:
    line = "x = 1; " * (size // 7)
    return _one(f"{line}\nend\n", f"{line[:LONGEST]}\nend\n")


def _alike(size: int) -> Hostile:
    """Functions that differ only in a number, and a block for a function that equals none of them."""
    function = "def function_{0}(argument):\n    value = argument + {0}\n    return check(value)\n\n"
    return _one("".join(map(function.format, range(size))), function.format("x"))


def _long_words(size: int) -> Hostile:
    """A block whose lines are not in the file, although all their words are."""
    return _one("alpha beta gamma\n" * size, "gamma beta alpha\n" * 50)


FAMILIES: dict[str, Callable[[int], Hostile]] = {
    "braces in braces": lambda n: _one("}\n" * n, "}\n" * (n // 4)),
    "all but the last line fits everywhere": lambda n: _one("x = 1\n" * n, "x = 1\n" * (LONG_SEARCH - 1) + "y = 1\n"),
    "all but the first line fits everywhere": lambda n: _one("x = 1\n" * n, "y = 1\n" + "x = 1\n" * (LONG_SEARCH - 1)),
    "blocks for a file that is missing": lambda n: Hostile({}, [(PATH, "x\n", "y\n")] * n),
    "deletions of a line each": lambda n: _each(_distinct(n), n, "line {}\n".format, lambda _: ""),
    "changes of a line each, from the bottom": lambda n: _each(
        _distinct(n), n, lambda number: f"line {n - 1 - number}\n", "changed {}\n".format
    ),
    "one pair of lines, searched with more indentation": lambda n: _one(
        "a:\n    b\n" * (n // 2), "    a:\n        b\n" * 20
    ),
    "one pair of lines, searched with less indentation": lambda n: _one("  a:\n    b\n" * (n // 2), "a:\n  b\n" * 20),
    "a file that steps ever deeper": _deeper,
    "insertions at one line": lambda n: _each("anchor\n", n, lambda _: "anchor\n", "anchor\nline {}\n".format),
    "insertions at one line, most of the file below it": lambda n: _each(
        "anchor\n" + _distinct(n), n, lambda _: "anchor\n", "anchor\nnew {}\n".format
    ),
    "blocks that lost their indentation": lambda n: _each(
        _distinct(n, "    "), n, "line {}\n".format, "changed {}\n".format
    ),
    "blocks with blanks at line ends": lambda n: _each(_distinct(n), n, "line {} \n".format, "changed {}\n".format),
    "blocks that are applied already": lambda n: _each(
        "".join(f"an altogether new line, which has the number {number}\n" for number in range(n)),
        n,
        "line {}\n".format,
        "an altogether new line, which has the number {}\n".format,
    ),
    "a long line, searched in part": _long_line,
    "a text that holds all words and no line": _long_words,
    "a block that turns its lines round": lambda n: _one(
        _distinct(n), _distinct(min(n, 10_000)), "".join(reversed(_distinct(min(n, 10_000)).splitlines(keepends=True)))
    ),
    "failing blocks, each in a file of its own": _failing_files,
    "failing blocks in one file": lambda n: _each(_distinct(n), n, "line {}.\n".format, "changed {}\n".format),
}


def _elided(content: str, pieces: Sequence[str]) -> Hostile:
    """Make a block of pieces with lines of dots between them; it changes the last piece."""
    return _one(content, "...\n".join(pieces), "...\n".join([*pieces[:-1], "changed\n"]))


LOOSE_FAMILIES: dict[str, Callable[[int], Hostile]] = {
    "elisions alone": lambda n: _elided(_distinct(n), [""] * min(n, 20_000)),
    "elisions between lines that stand everywhere": lambda n: _elided("x = 1\n" * n, ["x = 1\n"] * 12),
    "elisions between lines that stand once": lambda n: _elided(
        _distinct(n), [f"line {number * n // 12}\n" for number in range(12)]
    ),
    "an elision after a long text": lambda n: _elided(
        _distinct(n), [_distinct(min(n // 2, 10_000)), f"line {n - 1}\n"]
    ),
    "elided blocks": lambda n: _each(
        _distinct(3 * n),
        n,
        lambda number: f"line {3 * number}\n...\nline {3 * number + 2}\n",
        lambda number: f"line {3 * number}\n...\nchanged {number}\n",
    ),
    "functions that are nearly the same": _alike,
    "a block that is nearly a long text": lambda n: _one(
        _distinct(n), _distinct(min(n, 10_000)).replace("line 1\n", "line one\n")
    ),
    "blocks that are nearly lines": lambda n: _each(
        "".join(f"the line of a file that has the number {number}\n" for number in range(n)),
        n,
        "the line of the file that has the number {}\n".format,
        "the line of a file that has no number {}\n".format,
    ),
}
