"""Choose the exit code, and write results to stdout, and messages and progress to stderr.

A stream may be closed (None), a non-blocking pipe, a pipe whose reader has closed it, or a file on a full disk.
"""

import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, RepoError, UsageError, reason_of
from editblocks.core.phrases import for_people
from editblocks.report.escape import visible, without_commands
from editblocks.report.wrapping import wrapped

FINE = 0
NOT_OK = 1
BROKEN = 2
INTERRUPTED = 130
_PATIENCE = 1.0  # seconds before the first line
_PAUSE = 0.1  # seconds between two lines
_LONG_ANSWER = 16 * 1024 * 1024  # characters; a longer answer surely takes more than `_PATIENCE`
_LINE = "{}\x1b[K\r"  # the cursor goes back, so that the next output overwrites the line


def code_for(is_fine: bool) -> int:
    """Return the exit code of a call that could do its work: 0 if all is well, 1 if not."""
    return FINE if is_fine else NOT_OK


def exit_code_of(
    run: Callable[[], int], on_error: Callable[[ReasonCode, str], None], on_frame: Callable[[str], None]
) -> int:
    """Run a call. `on_error` gets the code and the sentence of an error, `on_frame` each frame of a bug."""
    try:
        return run()
    except EditBlocksError as error:
        on_error(error.code, error.message)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place that takes them all
        place = ""
        frame = error.__traceback__
        while frame is not None:
            code = frame.tb_frame.f_code
            place = f"{Path(code.co_filename).name}:{frame.tb_lineno}"
            on_frame(f"  {code.co_filename}:{frame.tb_lineno} in {code.co_name}")
            frame = frame.tb_next
        on_error(ReasonCode.INTERNAL, f"unexpected {type(error).__name__} in {place}; report it with the log")
    return BROKEN


def wait_for_streams(streams: Iterable[int] = (0, 1, 2)) -> None:
    """Make these streams blocking, unless they are closed.

    Another program that uses the same pipe may have made it non-blocking, and Python would then lose data.
    """
    if sys.platform != "win32":
        for stream in streams:
            with suppress(OSError):
                os.set_blocking(stream, True)


def is_long_form(stream: TextIO | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to print for a person: aligned rows and paragraphs instead of one line for each row."""
    return is_terminal(stream) and environ.get("PRE_COMMIT") != "1"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the stream is a terminal, which shows text at once and obeys control codes."""
    return stream is not None and stream.isatty()


def is_fed(stream: TextIO | None) -> bool:
    """Whether the stream is a pipe, a file or a socket, and not a terminal or /dev/null."""
    mode = _mode(stream)
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _mode(stream: TextIO | None) -> int:
    if stream is None:
        return 0
    try:
        return os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # closed, or no stream of the system
        return 0


def has_color(stream: TextIO | None, when: str) -> bool:
    """Whether to use colours: as `when` says, else as NO_COLOR or FORCE_COLOR say, else if the stream is a terminal.

    The log of pre-commit and a file (None) get colours only if `when` is `always`.
    """
    if when != "auto":
        return when == "always"
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("PRE_COMMIT") == "1":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal(stream) and os.environ.get("TERM") != "dumb")


def has_unicode(stream: TextIO | None) -> bool:
    """Whether the stream can encode the icons."""
    with suppress(UnicodeEncodeError):
        return bool("✓✗–".encode(_encoding(stream)))
    return False


def columns(stream: TextIO | None) -> int | None:
    """Return the width of a terminal; None if the stream is not one, is treated as a pipe, or does not say it."""
    if stream is None:
        return None
    with suppress(OSError, ValueError):  # ValueError: the stream is closed
        if is_long_form(stream):
            return os.get_terminal_size(stream.fileno()).columns or None
    return None


def show(text: str, stream: TextIO | None = None) -> None:
    """Write text for people. A character that the stream cannot encode becomes `?`.

    If the runner of GitHub Actions may read it, no line of it can be a command for the runner.
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
    """Write whole lines unchanged; only on a terminal, which would obey control characters, these are made visible.

    Raises `UsageError` if the runner of GitHub Actions would take a line for a command, unless `may_command`.
    """
    text = data.decode("utf-8", "replace")
    is_read_by_runner = _is_on_runner() and not stat.S_ISREG(_mode(sys.stdout))
    if is_read_by_runner and not may_command and without_commands(text) != text:
        raise UsageError("GitHub Actions would run a line of this as a command; write it to a file with >")
    if is_terminal(sys.stdout):
        for line in text.split("\n")[:-1]:
            show(visible(line, keep="\t") + "\n")
    elif sys.stdout is not None:
        sys.stdout.flush()
        rest = memoryview(data)
        while rest:  # with PYTHONUNBUFFERED set, a write may take only a part
            rest = rest[sys.stdout.buffer.write(rest) :]


def print_text(text: str) -> None:
    """Print the text that a command is for, and nothing else. Raises `RepoError` if stdout is closed."""
    with printing():
        put_out(f"{text}\n".encode())


def put_out(data: bytes) -> None:
    """Write the result of a call, as `show_exactly` does. Raises `RepoError` if stdout is closed."""
    if sys.stdout is None:
        raise RepoError("standard output is closed; redirect it to a file")
    show_exactly(data)


def _is_on_runner() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _encoding(stream: TextIO | None) -> str:
    if stream is None:
        return "utf-8"
    return stream.encoding or "utf-8"


def message(line: str) -> None:
    """Write a sentence for a person to stderr, with control characters made visible."""
    say_wrapped(f"editblocks: {visible(line)}\n")


def complain(code: ReasonCode, sentence: str) -> None:
    """Write what went wrong to stderr."""
    message(for_people(code, sentence))


def say_wrapped(text: str) -> None:
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
    """Flush standard output at the end; a closed reader is not an error, a full disk is a `RepoError`."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        if error.filename is not None:  # the error is about a file, not about a stream
            raise
        _give_up(sys.stdout)
        what = f"standard output cannot be written: {reason_of(error)}"
        raise RepoError(f"{what}; redirect it to another place; what was already done stays done") from error


def _give_up(stream: TextIO) -> None:
    """Discard what is left in the buffer, so that Python's flush at exit succeeds."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def planning(text: str, *, quiet: bool) -> "Progress":
    """Return the progress of planning one answer, whose text is given; with `quiet` it shows nothing."""
    progress = Progress(None if quiet else sys.stderr)
    progress.read(text)
    return progress


class Progress:
    """Receives the progress of `run`. It prints nothing unless `stream` is a terminal with control codes."""

    def __init__(
        self,
        stream: TextIO | None,
        clock: Callable[[], float] = time.monotonic,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._stream = None
        if is_long_form(stream, environ) and environ.get("TERM") != "dumb":
            self._stream = stream
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._is_shown = False

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def read(self, text: str) -> None:
        """Say that a very long answer is being read. This is printed at once, because reading reports no progress."""
        if len(text) > _LONG_ANSWER:
            self._draw(f"reading {len(text) // 1024**2:,} MiB")

    def __call__(self, done: int, total: int) -> None:
        """Show how many rows are planned; remove the line once all are."""
        if done == total:
            self._clear()
        elif self._clock() >= self._next:
            self._draw(f"block {done + 1:,} of {total:,}")

    def _draw(self, text: str) -> None:
        self._next = self._clock() + _PAUSE
        self._is_shown = True
        self._write(text)

    def _clear(self) -> None:
        if self._is_shown:
            self._is_shown = False
            self._write("")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            with suppress(OSError):
                show(_LINE.format(text), self._stream)
                self._stream.flush()
