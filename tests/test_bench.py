"""What `python -m bench` measures with: the texts it makes and the table it prints. No time is asserted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from editblocks import parse_response

ROOT = Path(__file__).parents[1]
SIZE = 20_000


@pytest.fixture(autouse=True)
def _bench_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def test_many_blocks_are_read_whole() -> None:
    from bench.responses import many_blocks

    text = many_blocks(20, 200)
    result = parse_response(text)
    assert len(result.blocks) == 200
    assert len({block.file_path for block in result.blocks}) == 20
    assert len({block.digest for block in result.blocks}) == 200
    assert result.problems == ()
    assert 800 < len(text) / 200 < 1200


def test_prose_holds_no_block() -> None:
    from bench.responses import prose

    text = prose(SIZE)
    result = parse_response(text)
    assert (result.blocks, result.problems, result.notes) == ((), (), ())
    assert SIZE <= len(text) < 1.2 * SIZE
    for sign in ("\n## ", "\n### File: ", "\n- ", "\n> ", "\n| ", "\n```python\n", "\n1. "):
        assert sign in text


def test_hostile_texts_grow_with_their_size() -> None:
    from bench.responses import HOSTILE

    for make in HOSTILE.values():
        assert 0.8 * SIZE < len(make(SIZE)) < 1.2 * SIZE
        assert 1.7 < len(make(2 * SIZE)) / len(make(SIZE)) < 2.3


def test_texts_are_the_same_each_time() -> None:
    from bench.responses import many_blocks, prose

    assert many_blocks(2, 5) == many_blocks(2, 5) != many_blocks(2, 5, seed=4)
    assert prose(SIZE) == prose(SIZE) != prose(SIZE, seed=4)


@pytest.mark.parametrize(
    ("times", "at_least", "ratio", "verdict"),
    [
        ((5.0, 2.0), False, 2.5, "ok"),
        ((5.9, 2.0), False, 2.95, "ok"),
        ((6.1, 2.0), False, 3.05, "MISS"),
        ((2.0, 5.0), True, 2.5, "ok"),
        ((2.0, 4.2), True, 2.1, "ok"),
        ((2.0, 4.1), True, 2.05, "MISS"),
        (None, True, None, "skipped"),
    ],
)
def test_a_row_says_whether_its_target_is_missed(
    times: tuple[float, float] | None, at_least: bool, ratio: float | None, verdict: str
) -> None:
    from bench.measure import Row, Times

    row = Row("P9", "work", None if times is None else Times(*times), 2.5, at_least)
    assert (row.ratio, row.verdict, row.missed) == (ratio, verdict, verdict == "MISS")


def test_each_round_runs_both_and_the_first_does_not_count() -> None:
    from bench.measure import race

    order: list[str] = []
    work, peer = iter([9.0, 1.0, 3.0, 2.0]), iter([9.0, 4.0, 4.0, 8.0])

    def one() -> float:
        order.append("work")
        return next(work)

    def other() -> float:
        order.append("peer")
        return next(peer)

    assert race(one, other, rounds=3) == (2.0, 4.0)
    assert order == ["work", "peer"] * 4


def test_the_table_and_the_figures_tell_the_same() -> None:
    from bench.measure import Row, Times, figures, table

    rows = [
        Row("P1", "fast", Times(1.0, 6.0), 5.0, at_least=True, remark="200 MB/s"),
        Row("P2", "slow", Times(4.0, 1.0), 2.5),
        Row("P1", "not there", None, 5.0, at_least=True, remark="install it"),
    ]
    assert table(rows).splitlines() == [
        "id  workload   ratio  target",
        "P1  fast       6.00   >= 5.00  ok: 200 MB/s",
        "P2  slow       4.00   <= 2.50  MISS",
        "P1  not there  -      >= 5.00  skipped: install it",
    ]
    assert [(row["ratio"], row["verdict"], row["seconds"]) for row in figures(rows)] == [
        (6.0, "ok", 1.0),
        (4.0, "MISS", 4.0),
        (None, "skipped", None),
    ]


def test_peers_that_are_not_named_are_skipped_with_the_command_that_installs_them() -> None:
    from bench.reading import against_aider

    row = against_aider("a text", "text\n", 5.0, None)
    assert (row.verdict, row.missed) == ("skipped", False)
    assert "pip install --no-deps aider-chat" in row.remark


AIDER = """
def find_original_update_blocks(content, fence=None, valid_fnames=None):
    yield None, "a command"
    for _ in range(content.count("SEARCH")):
        yield "a.py", "x", "y"
"""


def make_peer(python: Path, package: Path) -> None:
    """An environment as `python -m venv` lays it out, with a package `aider` whose parser counts a word."""
    python.parent.mkdir(parents=True)
    site = package.parent
    python.write_text(f'#!/bin/sh\nshift\nPYTHONPATH="{site}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (package / "coders").mkdir(parents=True)
    for module in (package / "__init__.py", package / "coders" / "__init__.py"):
        module.write_text("raise ImportError('far too much')\n")
    (package / "coders" / "editblock_coder.py").write_text(
        f"from aider import utils\nfrom .base_coder import Coder\n\nclass EditBlockCoder(Coder):\n    pass\n{AIDER}"
    )


def test_a_peer_is_timed_in_a_process_of_its_own(tmp_path: Path) -> None:
    from bench.peers import aider_parser

    make_peer(tmp_path / "bin" / "python", tmp_path / "site" / "aider")
    with aider_parser(tmp_path, "SEARCH\nSEARCH\n", blocks=2) as parse:
        assert all(0 < parse() < 60 for _ in range(3))
    with aider_parser(tmp_path, "SEARCH\n", blocks=2) as parse, pytest.raises(RuntimeError, match="aider reads 1"):
        parse()


def test_an_environment_without_the_peer_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from bench.peers import aider_parser

    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nshift\nexec "{sys.executable}" -I -S "$@"\n')
    python.chmod(0o755)
    with pytest.raises(RuntimeError, match="cannot be loaded"), aider_parser(tmp_path, "text\n", blocks=0):
        pass
    assert "pip install --no-deps aider-chat" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "there is no workload nothing; name any of startup, commit, reading"),
        (["--peers", "nowhere"], "nowhere is no virtual environment; python -m venv"),
    ],
)
def test_a_wrong_command_line_is_said(arguments: list[str], message: str) -> None:
    command = [sys.executable, "-m", "bench", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert message in done.stderr
