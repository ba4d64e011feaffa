"""Run a program at its own pseudo-terminal: type answers to its questions, and keep everything it prints.

Nothing sleeps: an answer is typed as soon as its question appears, and the terminal closes when the program ends.
"""

import os
import select
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

PATIENCE = 30.0  # the longest wait for output, in seconds
INTERRUPT, END = "\x03", "\x04"  # ^C and ^D

# Make the terminal the controlling one (/dev/tty), which only the leader of a new session can do.
# Restore the default signals: a shell's background jobs ignore ^C, and programs under nohup ignore SIGHUP.
_SESSION = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.SIG_DFL); signal.signal(signal.SIGHUP, signal.SIG_DFL); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Ran(NamedTuple):
    """`out` is what appeared on the terminal, with `\\n` as line end."""

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
    """Run `command`. Whenever it prints something, call `answer` with all output so far and type the result."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminals that Python can open")
    import pty
    import termios

    ours, theirs = pty.openpty()
    _set_width(theirs, width)
    settings = termios.tcgetattr(theirs)
    settings[3] &= ~termios.ECHO  # keep typed text out of the output
    settings[3] |= termios.NOFLSH  # keep ^C from discarding output
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
        except OSError:  # on Linux: the other end is closed
            data = b""
        if not data:
            return out
        out += data.decode("utf-8", "replace").replace("\r\n", "\n")
        os.write(terminal, answer(out).encode())


def screen(
    width: int, command: Sequence[str], *, cwd: Path, environ: Mapping[str, str], stdout: int | None = None
) -> tuple[int, str]:
    """Run a command at a terminal of `width` columns. Return its exit code and everything it printed to the terminal.

    `stdout` takes the place of the terminal for standard output.
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
    """Set the width of a terminal in columns. 0 leaves it unknown."""
    if width and sys.platform != "win32":
        import fcntl
        import termios

        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # on Linux: the other end is closed
        return b""
