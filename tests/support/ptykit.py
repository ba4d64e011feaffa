"""A program at a terminal of its own: what it asks there is answered, and all that it prints is kept.

Nothing waits for a time: an answer is typed as soon as its question is there, and the terminal ends with the program.
"""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

PATIENCE = 30.0  # seconds in which something must be printed
INTERRUPT, END = "\x03", "\x04"  # ^C and ^D

# The terminal becomes the one that /dev/tty is, which only a process of a session of its own can ask for.
# A shell has its background jobs ignore ^C, and nohup SIGHUP; whoever runs the tests so is no person at a terminal.
_SESSION = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.SIG_DFL); signal.signal(signal.SIGHUP, signal.SIG_DFL); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Ran(NamedTuple):
    """`out` is what stood on the terminal, with line ends of Unix."""

    code: int
    out: str


def at_terminal(
    command: Sequence[str],
    answers: Iterable[str],
    *,
    question: str,
    cwd: Path,
    environ: Mapping[str, str],
    stdin: bytes | None = None,
    stdout: int | None = None,
    width: int = 0,
) -> Ran:
    """Run `command` and type the next of `answers` whenever the last line ends with `question`; then ^D.

    An answer is typed with a line end unless it is a control character. `stdin` and `stdout` take the place of the
    terminal, which stays the one that controls the program.
    """
    left, answered = iter(answers), 0

    def answer(out: str) -> str:
        nonlocal answered
        if len(out) == answered or not out.endswith(question):
            return ""
        answered = len(out)
        words = next(left, END)
        return words if words in (INTERRUPT, END) else f"{words}\n"

    return talk(command, answer, cwd=cwd, environ=environ, stdin=stdin, stdout=stdout, width=width)


def talk(
    command: Sequence[str],
    answer: Callable[[str], str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    stdin: bytes | None = None,
    stdout: int | None = None,
    width: int = 0,
) -> Ran:
    """Run `command` and type what `answer` gives, which is asked with all that was printed whenever more is."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminals that Python can open")
    import pty
    import termios

    ours, theirs = pty.openpty()
    _set_width(theirs, width)
    settings = termios.tcgetattr(theirs)
    settings[3] &= ~termios.ECHO  # what is typed would stand between what is printed
    settings[3] |= termios.NOFLSH  # nor may ^C take away what is printed right after it
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    source = theirs if stdin is None else _pipe(stdin)
    argv = [
        sys.executable,
        "-I",
        "-c",
        _SESSION if stdout is None else _SESSION.replace("ioctl(1", "ioctl(2"),
        *command,
    ]
    process = subprocess.Popen(
        argv,
        stdin=source,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        cwd=cwd,
        env=dict(environ),
        start_new_session=True,
    )
    os.close(theirs)
    if source != theirs:
        os.close(source)
    try:
        out = _talk(ours, answer)
        return Ran(process.wait(PATIENCE), out)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _pipe(data: bytes) -> int:
    read, write = os.pipe()
    assert os.write(write, data) == len(data)
    os.close(write)
    return read


def _talk(terminal: int, answer: Callable[[str], str]) -> str:
    out = ""
    while True:
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        assert ready, f"nothing was printed after: {out}"
        try:
            data = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody has the other end open any more
            data = b""
        if not data:
            return out
        out += data.decode("utf-8", "replace").replace("\r\n", "\n")
        os.write(terminal, answer(out).encode())


def screen(
    width: int, command: Sequence[str], *, cwd: Path, environ: Mapping[str, str], stdout: int | None = None
) -> tuple[int, str]:
    """Exit code of a command, and all that stands on a terminal of so many columns afterwards.

    `stdout` takes the place of the terminal for what is printed there.
    """
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminals that Python can open")
    import pty

    ours, theirs = pty.openpty()
    _set_width(theirs, width)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        cwd=cwd,
        env=dict(environ),
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return process.returncode, shown.decode().replace("\r\n", "\n")


def _set_width(terminal: int, width: int) -> None:
    """Give a terminal so many columns; nobody knows how many they are if that is 0."""
    if width and sys.platform != "win32":
        import fcntl
        import termios

        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that nobody has the other end open any more
        return b""
