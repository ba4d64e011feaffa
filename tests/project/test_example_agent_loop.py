"""examples/agent_loop.py, run as a program: a failed call is asked for again, and the answer to that is written."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from support import gitkit
from support.project import EXAMPLES

LOOP = EXAMPLES / "agent_loop.py"
AFTER = """\
TAX = 7


def total(lines, rebate=0):
    return sum(line.price * line.qty * (1 - rebate) for line in lines)  # net
"""
ROUNDS = "round 1: cart.py fits, cart.py fits, cart.py no-match\nround 2: cart.py fits\n"


@pytest.mark.parametrize("is_repository", [False, True], ids=["a folder", "a repository"])
@pytest.mark.long
def test_it_ends_with_the_file_changed(tmp_path: Path, is_repository: bool) -> None:
    if is_repository:
        gitkit.git(tmp_path, "init", "--quiet")
    command = [sys.executable, str(LOOP), str(tmp_path)]
    ran = subprocess.run(command, env=gitkit.ISOLATED, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{ROUNDS}{AFTER}", "")
    assert (tmp_path / "cart.py").read_text("utf-8") == AFTER


@pytest.mark.parametrize("names", [(), ("missing",), (".", ".")], ids=["none", "not there", "two"])
def test_it_asks_for_a_folder(tmp_path: Path, names: tuple[str, ...]) -> None:
    command = [sys.executable, str(LOOP), *names]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    sentence = "name an existing folder: python agent_loop.py FOLDER\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", sentence)


@pytest.mark.long
def test_a_model_that_learns_nothing_is_not_asked_for_ever(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = runpy.run_path(str(LOOP))
    (tmp_path / "cart.py").write_text(loop["CART"], "utf-8")
    answer = loop["fenced"](loop["call"]("TAX = 16", "TAX = 7"))
    assert loop["run_loop"](tmp_path, lambda _: answer, "Lower the tax.") is False
    assert capsys.readouterr().out == "".join(f"round {number}: cart.py no-match\n" for number in (1, 2, 3))
    assert (tmp_path / "cart.py").read_text("utf-8") == loop["CART"]
