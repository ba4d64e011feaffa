"""How a command answers whoever started it: results on stdout, messages on stderr, and an exit code.

A stream may be closed (None), a non-blocking pipe, a pipe whose reader has gone, or a file on a full disk.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError, UsageError, reason_of
from editblocks.core.phrases import for_people
from editblocks.report.escape import visible, without_commands
from editblocks.report.terminal.styling import wrapped

FINE = 0
NOT_OK = 1
BROKEN = 2
INTERRUPTED = 130


def code_for(is_fine: bool) -> int:
    """The exit code of a call that did what it was for: 0 if all is well, 1 if something is not."""
    return FINE if is_fine else NOT_OK


def exit_code_of(run: Callable[[], int], say: Callable[[ReasonCode, str], None], trace: Callable[[str], None]) -> int:
    """Run a call. An exception goes to `say` as a code and a sentence; the frames of a bug go to `trace`."""
    try:
        return run()
    except EditBlocksError as error:
        say(error.code, error.message)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place that takes them all
        place = ""
        frame = error.__traceback__
        while frame is not None:
            code = frame.tb_frame.f_code
            place = f"{Path(code.co_filename).name}:{frame.tb_lineno}"
            trace(f"  {code.co_filename}:{frame.tb_lineno} in {code.co_name}")
            frame = frame.tb_next
        say(ReasonCode.INTERNAL, f"unexpected {type(error).__name__} in {place}; report it with the log")
    return BROKEN


def wait_for_streams(streams: Iterable[int] = (0, 1, 2)) -> None:
    """Make these streams blocking, unless they are closed.

    A program that shares one with us may have made it non-blocking, and Python would then lose data.
    """
    if sys.platform != "win32":
        for stream in streams:
            with suppress(OSError):
                os.set_blocking(stream, True)


def is_long_form(stream: TextIO | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to print for a person: aligned rows and paragraphs, instead of a line a row."""
    return is_terminal(stream) and environ.get("PRE_COMMIT") != "1"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether what is written would be shown at once, and obeyed."""
    return stream is not None and stream.isatty()


def is_fed(stream: TextIO | None) -> bool:
    """Whether something is handed to us there: by a pipe, a file or a socket, not by a terminal or /dev/null."""
    mode = _mode(stream)
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _mode(stream: TextIO | None) -> int:
    if stream is None:
        return 0
    try:
        return os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # closed, or no stream of the system
        return 0


def has_color(stream: TextIO | None, when: str = "auto", environ: Mapping[str, str] = os.environ) -> bool:
    """`when` decides unless it is `auto`; then NO_COLOR and FORCE_COLOR unless they are empty, then the terminal.

    The log of pre-commit, and a file (None), have colours only by `when`.
    """
    if when != "auto":
        return when == "always"
    if stream is None or environ.get("NO_COLOR") or environ.get("PRE_COMMIT") == "1":
        return False
    return bool(environ.get("FORCE_COLOR")) or (is_terminal(stream) and environ.get("TERM") != "dumb")


def has_unicode(stream: TextIO | None) -> bool:
    """Whether the icons can be encoded."""
    with suppress(UnicodeEncodeError):
        return bool("✓✗–".encode(_encoding(stream)))
    return False


def columns(stream: TextIO | None) -> int | None:
    """The width of a terminal; None if the stream is none, is to get what a pipe does, or the width is not known."""
    if stream is None:
        return None
    with suppress(OSError, ValueError):  # ValueError: somebody closed it
        if is_long_form(stream):
            return os.get_terminal_size(stream.fileno()).columns or None
    return None


def show(text: str, stream: TextIO | None = None) -> None:
    """Write text that was made for people; what the stream cannot encode becomes `?`, never an error.

    If the runner of GitHub Actions may read it, no line of it is a command for the runner.
    """
    stream = stream or sys.stdout
    if stream is not None:
        if _is_on_runner() or not is_terminal(stream):
            text = without_commands(text)
        stream.write(text.encode(_encoding(stream), "replace").decode(_encoding(stream)))


def show_wrapped(text: str) -> None:
    """Write sentences to stdout, wrapped to the terminal if it is one."""
    show(wrapped(text, columns(sys.stdout)))


def show_exactly(data: bytes, *, may_command: bool = False) -> None:
    """Write whole lines as they are; on a terminal, which would obey control characters, these are made visible.

    Raises `UsageError` if the runner of GitHub Actions would obey one of the lines as a command, unless `may_command`.
    """
    text = data.decode("utf-8", "replace")
    is_read = _is_on_runner() and not stat.S_ISREG(_mode(sys.stdout))  # the runner reads a pipe
    if is_read and not may_command and without_commands(text) != text:
        raise UsageError("GitHub Actions would run a line of this as a command; write it to a file with >")
    if is_terminal(sys.stdout):
        for line in text.split("\n")[:-1]:
            show(visible(line, keep="\t") + "\n")
    elif sys.stdout is not None:
        sys.stdout.flush()
        rest = memoryview(data)
        while rest:  # with PYTHONUNBUFFERED set, no more is taken than there is room for just now
            rest = rest[sys.stdout.buffer.write(rest) :]


def print_text(text: str) -> None:
    """Print a text that somebody asked for, and nothing else. Raises `RepoError` if that goes nowhere."""
    with printing():
        put_out(f"{text}\n".encode())


def put_out(data: bytes) -> None:
    """Write what a call is for, as `show_exactly` does. Raises `RepoError` if that goes nowhere."""
    if sys.stdout is None:
        raise RepoError("standard output is closed; redirect it to a file")
    show_exactly(data)


def _is_on_runner() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def message(line: str) -> None:
    """Write a sentence for a person to stderr, with foreign characters made visible."""
    tell(f"editblocks: {visible(line)}\n")


def complain(code: ReasonCode, sentence: str) -> None:
    """Say what went wrong, on stderr."""
    message(for_people(code, sentence))


def tell(text: str) -> None:
    """Write sentences to stderr, wrapped to the terminal if it is one."""
    say(wrapped(text, columns(sys.stderr)))


def say(text: str) -> None:
    """Write text to stderr."""
    if sys.stderr is not None:
        try:
            show(text, sys.stderr)
            sys.stderr.flush()
        except OSError:
            _give_up(sys.stderr)


@contextmanager
def printing() -> Iterator[None]:
    """Flush standard output at the end; a reader that has gone is no error, a full disk is a `RepoError`."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        if error.filename is not None:  # not of a stream
            raise
        _give_up(sys.stdout)
        raise RepoError(
            f"standard output cannot be written: {reason_of(error)}; redirect it to another place"
        ) from error


def _give_up(stream: TextIO) -> None:
    """Let Python's own flush at exit succeed: what is left in the buffer goes nowhere."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _encoding(stream: TextIO | None) -> str:
    if stream is None:
        return "utf-8"
    return stream.encoding or "utf-8"
