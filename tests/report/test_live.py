"""The table of `watch`: which lines there are, and that each has room in its terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks import apply_edits, parse_response
from editblocks.core.codes import State
from editblocks.core.outcome import Outcome, Response
from editblocks.report.console import OpenRow, cut, live_lines, reading_line
from editblocks.report.view import OutcomeView
from editblocks.report.wrapping import width_of

HOSTILE = "src/\x1b[2J\u202e\u5b57/very/long/" + "deep/" * 30 + "x.py"


def view(count: int, path: str = "a.py") -> OutcomeView:
    text = "".join(f"{path}\n<<<<<<< SEARCH\nline {n}\n=======\n{n}\n>>>>>>> REPLACE\n\n" for n in range(count))
    file = "".join(f"line {n}\n" for n in range(0, count, 2)).encode()
    result = apply_edits(parse_response(text).blocks, {path: file}.get)
    return OutcomeView(Outcome(Response(text), result, State.FAILED))


def test_rows_the_open_block_the_sum_and_what_is_below() -> None:
    lines = live_lines(view(2), OpenRow(3, "src/api.py", 12), ["first words", "then others"], (80, 24))
    assert lines == [
        " 1  ✓ ready    a.py:1   exact     +1 -1",
        " 2  ✗ failed   a.py     no-match  +1 -1",
        " 3  … reading src/api.py, 12 lines",
        "",
        "2 blocks in 1 file: 1 ready, 1 failed",
        "first words",
        "then others",
    ]


def test_of_many_rows_the_last() -> None:
    lines = live_lines(view(40), OpenRow(41, None, 1), ["keys"], (80, 10), unicode=False)
    assert lines[:2] == ["... 36 rows above", "37  skip skipped  a.py:19   earlier-failure  +1 -1"]
    assert lines[5:] == [
        "41  ... reading a block, 1 line",
        "",
        "40 blocks in 1 file: 1 ready, 38 not tried, 1 failed",
        "keys",
    ]
    assert len(lines) == 9


def test_while_the_first_block_is_open_nothing_is_summed_up() -> None:
    lines = live_lines(view(0), OpenRow(1, "src/api.py", 1), ["keys"], (80, 24))
    assert lines == [" 1  … reading src/api.py, 1 line", "", "keys"]


def test_before_anything_is_planned() -> None:
    assert live_lines(None, None, ["keys"], (80, 24)) == ["keys"]
    assert live_lines(view(0), None, ["keys"], (80, 24)) == ["keys"]


def test_a_terminal_of_few_lines_shows_a_row() -> None:
    keys = "a applies, r copies the retry prompt, q quits"
    assert live_lines(view(1), None, [keys], (10, 5))[1:] == ["", "1 block in", "a applies,"]
    assert live_lines(view(1), None, [keys], (30, 5))[-2:] == ["a applies, r copies the retry", "prompt, q quits"]


@given(st.integers(1, 60), st.integers(1, 12), st.booleans(), st.sampled_from(["a.py", HOSTILE]))
def test_every_line_has_room_and_nothing_moves_the_cursor(width: int, height: int, color: bool, path: str) -> None:
    below = [f"{path} is still being written", "keys"]
    lines = live_lines(view(5, path), OpenRow(6, path), below, (width, height), color=color)
    plain = [re.sub("\x1b\\[[0-9]*m", "", line) for line in lines]
    assert max(map(width_of, plain)) <= width
    assert 1 <= len(lines) <= max(1, height - 1)
    assert not set("".join(plain)) & set("\x1b\n\u202e")


CUTS = (
    ("plain", 3, "pla"),
    ("plain", 5, "plain"),
    ("\x1b[31mred\x1b[0m rest", 2, "\x1b[31mre\x1b[0m"),
    ("\x1b[31mred\x1b[0m rest", 5, "\x1b[31mred\x1b[0m r"),
    ("\u5b57\u5b57", 3, "\u5b57"),
)


@pytest.mark.parametrize(("line", "width", "expected"), CUTS)
def test_cut(line: str, width: int, expected: str) -> None:
    assert cut(line, width) == expected


def test_a_long_path_keeps_both_ends() -> None:
    line = reading_line(OpenRow(7, HOSTILE, 3))
    assert line.startswith(" 7  … reading src/\\x1b[2J\\u202e")
    assert line.endswith("/deep/x.py, 3 lines")
    assert width_of(line) < 100
