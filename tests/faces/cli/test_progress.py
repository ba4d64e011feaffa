"""The line that a long run draws on a terminal: when it is there, what it says, and that nothing of it stays."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import sys
import termios
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TextIO

import pytest
from support.responses import block

from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.common.progress import read_arriving, show_progress
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run.flow import run

END = "\0"
XTERM = {"TERM": "xterm"}
ROWS = 4
ANSWER = Response("".join(block(f"{n}\n", f"{n}{n}\n") for n in range(ROWS)), Source("text", "text"))
FILES = {"a.py": b"0\n1\n2\n3\n"}


@dataclass
class Terminal:
    """The user's end of a terminal: `stream` is what a program writes to, `raw` all that came."""

    stream: TextIO
    reader: int
    column: int = 0
    cells: list[str] = field(default_factory=list)
    raw: str = ""

    def look(self) -> str:
        """Obey what has arrived, as a terminal does; the line as it is now."""
        self.stream.write(END)  # the kernel hands on in its own time, so read until this has come through
        self.stream.flush()
        data = ""
        while not data.endswith(END):
            data += os.read(self.reader, 65_536).decode("ascii")
        data = data.removesuffix(END)
        self.raw += data
        for letter in data:
            assert letter.isprintable() or letter == "\r"
            if letter == "\r":
                self.column = 0
                continue
            self.cells[self.column : self.column + 1] = [letter]
            self.column += 1
        return "".join(self.cells).rstrip(" ")

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.stream.fileno(), termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w", encoding="ascii") as stream:
        yield Terminal(stream, reader)
    os.close(reader)


class Clock:
    """Seconds, so many more whenever it is looked at."""

    def __init__(self, step: float) -> None:
        self._ticks = count()
        self.step = step

    def __call__(self) -> float:
        return next(self._ticks) * self.step


def plan(stream: TextIO, clock: Clock, environ: Mapping[str, str] = XTERM, *, quiet: bool = False) -> bool:
    """Plan the answer under watch; whether anything was watched."""
    with show_progress(stream, quiet=quiet, environ=environ, clock=clock) as progress:
        assert run(ANSWER, MemoryRepo(FILES), Settings(), progress=progress).ok
        return progress is not None


def test_a_slow_run_shows_how_far_it_is_and_leaves_nothing(terminal: Terminal) -> None:
    seen = []
    with show_progress(terminal.stream, environ=XTERM, clock=Clock(0.5)) as progress:
        assert progress is not None

        def tell(done: int, total: int) -> None:
            progress(done, total)
            seen.append(terminal.look())

        run(ANSWER, MemoryRepo(FILES), Settings(), progress=tell)
    assert seen == [
        "",  # half a second
        "[#####...............] checking 1 of 4 blocks",
        "[##########..........] checking 2 of 4 blocks",
        "[###############.....] checking 3 of 4 blocks",
        "[####################] checking 4 of 4 blocks",
    ]
    assert (terminal.look(), terminal.column) == ("", 0)


def test_an_interrupted_run_leaves_nothing_either(terminal: Terminal) -> None:
    def interrupted(done: int, total: int) -> None:
        with show_progress(terminal.stream, environ=XTERM, clock=Clock(2)) as progress:
            assert progress is not None
            progress(done, total)
            assert terminal.look() == "[#...................] checking 120 of 2,000 blocks"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(120, 2_000)
    assert (terminal.look(), terminal.column) == ("", 0)


def test_a_quick_run_writes_nothing(terminal: Terminal) -> None:
    assert plan(terminal.stream, Clock(0.1))
    assert terminal.look() == ""
    assert terminal.raw == ""


def test_it_is_not_drawn_more_often_than_anybody_can_read(terminal: Terminal) -> None:
    with show_progress(terminal.stream, environ=XTERM, clock=Clock(0.001)) as progress:
        assert progress is not None
        for done in range(2_000):
            progress(done, 2_000)
    terminal.look()
    assert terminal.raw.count("checking") == 2 * 10  # each is written over the last, then up to its end


def test_a_response_without_blocks_has_no_line(terminal: Terminal) -> None:
    with show_progress(terminal.stream, environ=XTERM, clock=Clock(2)) as progress:
        assert progress is not None
        progress(0, 0)
    assert terminal.look() == ""


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (80, "[##########..........] checking 2 of 4 blocks"),
        (46, "[##########..........] checking 2 of 4 blocks"),
        (30, "[##########..........] checkin"),
        (0, "[##########..........] checking 2 of 4 blocks"),
    ],
)
def test_it_fits_one_line_of_the_terminal(terminal: Terminal, columns: int, line: str) -> None:
    terminal.resize(columns)
    with show_progress(terminal.stream, environ=XTERM, clock=Clock(2)) as progress:
        assert progress is not None
        progress(2, 4)
        assert terminal.look() == line[: columns - 1 if columns else None]
    assert terminal.look() == ""


UNSEEN: Mapping[str, tuple[Mapping[str, str], bool]] = {
    "-q": (XTERM, True),
    "pre-commit": (XTERM | {"PRE_COMMIT": "1"}, False),
    "a dumb terminal": ({"TERM": "dumb"}, False),
}


@pytest.mark.parametrize("claim", UNSEEN)
def test_where_nobody_wants_it(terminal: Terminal, claim: str) -> None:
    environ, quiet = UNSEEN[claim]
    assert not plan(terminal.stream, Clock(2), environ, quiet=quiet)
    assert terminal.look() == ""
    assert terminal.raw == ""


def test_never_in_a_pipe() -> None:
    pipe = io.StringIO()
    assert not plan(pipe, Clock(2), XTERM | {"FORCE_COLOR": "1"})
    assert pipe.getvalue() == ""


def test_a_closed_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with show_progress(environ=XTERM, clock=Clock(2)) as progress:
        assert progress is None


class Gone(io.StringIO):
    """A terminal whose window was closed."""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error", text)


def test_a_terminal_that_has_gone_stops_nothing() -> None:
    assert plan(Gone(), Clock(2))


SLOWLY = [  # what comes, half a second later each, and the line then
    (b"Here it is.\n", ""),
    (b"Do the", "... reading, 1 line so far"),
    (b"\nsrc/a.py\n<<<<<<< SEARCH\none\n", "... reading, 5 lines so far"),
    (b"two\n=======\n\xff", "... reading, 7 lines so far"),
]


def test_an_answer_that_comes_slowly_shows_what_is_read(terminal: Terminal) -> None:
    pieces = iter([*(piece for piece, _ in SLOWLY), b""])
    seen = []

    def read(size: int) -> bytes:
        seen.append(terminal.look())
        return next(pieces)[:size]

    with show_progress(terminal.stream, environ=XTERM, clock=Clock(0.5)) as bar:
        assert bar is not None
        assert read_arriving(read, 1_000, bar) == b"".join(piece for piece, _ in SLOWLY)
    assert seen[1:] == [line for _, line in SLOWLY]
    assert (terminal.look(), terminal.column) == ("", 0)


@pytest.mark.parametrize("size", [1, 12, 13, 40])
def test_no_more_is_read_than_is_wanted(terminal: Terminal, size: int) -> None:
    pieces = iter(piece for piece, _ in SLOWLY)
    with show_progress(terminal.stream, environ=XTERM, clock=Clock(0.5)) as bar:
        assert bar is not None
        data = read_arriving(lambda most: next(pieces)[:most], size, bar)
    assert data == b"".join(piece for piece, _ in SLOWLY)[:size]
