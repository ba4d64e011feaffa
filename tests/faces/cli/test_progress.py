"""The line that says how far planning is: for a terminal, after a second, and gone when planning is over."""

import errno
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO

import pytest

from editblocks.faces.terminal import Progress, planning

FULL = OSError(errno.EIO, "the terminal is gone")


class Screen(StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


class Gone(Screen):
    """A terminal that somebody closed."""

    def write(self, _text: str, /) -> int:
        raise FULL


class Clock:
    """A clock that shows each of these times once."""

    def __init__(self, *times: float) -> None:
        self._times = list(times)

    def __call__(self) -> float:
        return self._times.pop(0)


def test_nothing_is_shown_within_a_second() -> None:
    screen = Screen()
    with Progress(screen, Clock(0, 0.5, 0.99), {}) as progress:
        for done in range(2):
            progress(done, 2)
        progress(2, 2)
    assert screen.getvalue() == ""


def test_the_line_is_drawn_again_ten_times_a_second_and_is_gone_at_the_end() -> None:
    screen = Screen()
    with Progress(screen, Clock(0, 1, 1, 1.05, 1.15, 1.15), {}) as progress:
        for done in range(3):
            progress(done, 1_200)
        progress(1_200, 1_200)
        assert screen.getvalue() == "block 1 of 1,200\x1b[K\rblock 3 of 1,200\x1b[K\r\x1b[K\r"
    assert screen.getvalue().count("\r") == 3


def test_the_line_is_gone_after_an_error() -> None:
    screen = Screen()
    with suppress(KeyboardInterrupt), Progress(screen, Clock(0, 2, 2), {}) as progress:
        progress(0, 2)
        raise KeyboardInterrupt
    assert screen.getvalue() == "block 1 of 2\x1b[K\r\x1b[K\r"


def test_a_long_answer_is_said_to_be_read_at_once() -> None:
    screen = Screen()
    with Progress(screen, Clock(0, 0), {}) as progress:
        progress.read("x" * 1024)
        assert screen.getvalue() == ""
        progress.read("x" * (17 * 1024**2))
        assert screen.getvalue() == "reading 17 MiB\x1b[K\r"


@pytest.mark.parametrize(
    ("stream", "environ"),
    [(None, {}), (StringIO(), {}), (Screen(), {"TERM": "dumb"}), (Screen(), {"PRE_COMMIT": "1"}), (Gone(), {})],
    ids=["no stream", "a pipe", "a dumb terminal", "the log of pre-commit", "a terminal that is gone"],
)
def test_where_nothing_is_shown(stream: StringIO | None, environ: Mapping[str, str]) -> None:
    with Progress(stream, Clock(0, 2, 2), environ) as progress:
        progress(0, 2)
    assert stream is None or stream.getvalue() == ""


def test_quiet_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for quiet in (True, False):
        screen = Screen()
        monkeypatch.setattr("sys.stderr", screen)
        with planning("x" * (17 * 1024**2), quiet=quiet):
            assert (screen.getvalue() == "") is quiet
