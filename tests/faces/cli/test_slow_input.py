"""Streams that somebody made non-blocking, or that take little at once: they are read and written to their end."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import gitkit
from support.posix import do_not_wait, waits
from support.ptykit import at_terminal
from support.responses import block

from editblocks.faces.terminal import show_exactly, wait_for_streams

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

PROGRAM = (sys.executable, "-I", "-m", "editblocks")
CLOSED = -1
LINES = 5_000  # of a diff which is larger than any pipe is by default


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Its end to read from and its end to write to, of which neither waits."""
    reader, writer = os.pipe()
    do_not_wait(reader)
    do_not_wait(writer)
    with os.fdopen(reader), os.fdopen(writer, "w"):
        yield reader, writer


def test_a_stream_is_waited_for_unless_it_is_closed(pipe: tuple[int, int]) -> None:
    wait_for_streams((CLOSED, *pipe))
    assert [waits(fd) for fd in pipe] == [True, True]


@pytest.mark.parametrize(
    "argv", [["--version"], pytest.param(["hook", "pre-push"], marks=pytest.mark.long)], ids=["a command", "a hook"]
)
def test_every_command_waits(pipe: tuple[int, int], argv: Sequence[str]) -> None:
    """Whoever has made a stream so shares that with the program, and sees what becomes of it."""
    _, writer = pipe
    source, end = os.pipe()
    os.close(end)
    do_not_wait(source)
    with os.fdopen(source):
        command = [*PROGRAM, *argv]
        subprocess.run(command, stdin=source, stdout=writer, stderr=writer, env=gitkit.ISOLATED, check=False)
        assert [waits(fd) for fd in (source, writer)] == [True, True]


@pytest.mark.long
def test_a_diff_arrives_whole_where_the_pipe_is_full(tmp_path: Path) -> None:
    """Without a buffer, what a pipe does not take at once would be lost without a word."""
    old = "".join(f"{number:06}\n" for number in range(LINES))
    new = "".join(f"{number:06} more\n" for number in range(LINES))
    (tmp_path / "a.txt").write_text(old)
    (tmp_path / "a.md").write_text(block(old, new, "a.txt"))
    reader, writer = os.pipe()
    do_not_wait(writer)
    command = [sys.executable, "-m", "editblocks", "diff", "a.md"]
    environment = {**gitkit.ISOLATED, "PYTHONUNBUFFERED": "1"}
    with os.fdopen(reader, "rb") as file:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=writer)
        os.close(writer)
        added = [line[1:] for line in file.read().decode().splitlines() if line.startswith("+0")]
        assert (process.wait(), added) == (0, new.splitlines())


# sets the flag on the terminal, as a program that ran there before may have left it
_BEFORE = "import os, sys; os.set_blocking(0, False); os.execv(sys.argv[1], sys.argv[1:])"


@pytest.mark.long
def test_a_person_at_a_terminal_is_waited_for(tmp_path: Path) -> None:
    hint = "editblocks: paste the answer here; to end it, press ^D on an empty line\n"
    command = [sys.executable, "-c", _BEFORE, *PROGRAM, "check", "-"]
    ran = at_terminal(command, [], question=hint, cwd=tmp_path, environ={**gitkit.ISOLATED, "NO_COLOR": "1"})
    assert (ran.code, ran.out.startswith(f"{hint}no-blocks: 0 lines read, ")) == (1, True), ran.out


class TakesLittle(io.RawIOBase):
    """A stream as PYTHONUNBUFFERED makes it: it takes what it can, and says how much that was."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        taken = bytes(memoryview(data)[:3])
        self.data += taken
        return len(taken)


class Stdout(io.TextIOBase):
    """Text on top of that, without a buffer between them."""

    def __init__(self, buffer: io.RawIOBase) -> None:
        self.buffer = buffer


def test_what_is_taken_in_pieces_is_written_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = TakesLittle()
    monkeypatch.setattr(sys, "stdout", Stdout(raw))
    show_exactly(b"one line\nanother\n")
    assert raw.data == b"one line\nanother\n"
