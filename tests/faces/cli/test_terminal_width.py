"""All that is printed for people has room in the terminal: every command, at two widths, on a terminal of its own.

Code, paths and commands to copy are never broken, so a line may be wider if it is one of these.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.applykit import block
from support.gitkit import git
from support.ptykit import at_terminal, screen

from editblocks.faces.cli.commands import COMMANDS
from editblocks.faces.hooks.main import _STAGES
from editblocks.report.wrapping import wrapped

GOOD = block("src/cart.py", "TAX = 1\n", "TAX = 2\n")
BAD = block("src/api.py", "LIMIT = 12\n", "LIMIT = 20\n")
AMBIGUOUS = block("src/api.py", "X = 1\n", "X = 2\n")
ODD = block("src/cart.py", "def total():\n", "def total(:\n")
LONG = "    return " + " + ".join(f"value_{number}" for number in range(12))
FILES = {
    "src/cart.py": "TAX = 1\n\n\ndef total():\n    return 1\n",
    "src/api.py": f"LIMIT = 10\nX = 1\n\nX = 1\n{LONG}\n",
    "good.md": GOOD,
    "mixed.md": GOOD + BAD + AMBIGUOUS + ODD + AMBIGUOUS.partition(">>>")[0],
    "long.md": block("src/api.py", f"{LONG} - 1\n", "pass\n"),
    "none.md": "There is nothing to change in this file, as far as I can see.\n",
    ".edits/fits.md": block("src/cart.py", "def total():\n", "def sums():\n"),
}
STAGED = {".edits/both.md": BAD + AMBIGUOUS, "src/left.py": GOOD}
FOR_PEOPLE = (
    *(f"{command} --help" for command in COMMANDS),
    *(f"hook {stage} --help" for stage in _STAGES),
    "--help",
    "check mixed.md",
    "check mixed.md -q",
    "check mixed.md -v",
    "check good.md mixed.md none.md",
    "check good.md mixed.md none.md -q",
    "check none.md",
    "check nofile.md",
    "check --unknown mixed.md",
    "check mixed.md -q --root nowhere",
    "apply mixed.md",
    "apply mixed.md --partial",
    "undo",
    "undo --list",
    "undo",
    "apply good.md --branch topic",
    "report mixed.md",
    "report mixed.md -o page.html",
    "check --clipboard",
    "hook",
    "explain",
    "explain unknown",
    "init",
    "doctor",
    "unknown",
    "watch mixed.md --unknown",
    "mcp --root nowhere",
    "hook status",
    "hook install",
    "hook install --stage pre-receive",
    "hook uninstall",
    "hook pre-commit",
    "hook pre-commit src/cart.py",
    "hook leftovers",
    "hook apply",
    "hook unknown",
)
# a command on a line of its own, or a line of a script
COMMAND = re.compile(r" *(editblocks|ask-a-model|pbpaste|claude|pushed=|if|[A-Z_]+=|/\S+/python)\S* ")
TO_COPY = (  # what these print is for a program or a model
    "check --paths mixed.md",
    "check mixed.md --format json",
    "diff mixed.md",
    "diff mixed.md -v",
    "diff mixed.md -q",
    "retry mixed.md",
    "retry good.md",
    "prompt",
    "prompt --file-or-edit",
    "context src/cart.py src/left.py",
    "init --print",
)


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Path:
    assert home.is_dir()
    folder = tmp_path / "shop"
    for files in (FILES, STAGED):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        if files is FILES:
            git(folder, "init", "-q")
            git(folder, "add", "-A")
            git(folder, "commit", "-qm", "shop")
    git(folder, "add", "-A")
    (folder / ".git/hooks").mkdir(exist_ok=True)
    (folder / ".git/hooks/pre-push").write_text("#!/bin/sh\n")
    return folder


def printed(shop: Path, width: int, line: str, stdout: int | None = None, **variables: str) -> str:
    """What a command prints on a terminal of this width."""
    environ = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", **variables}
    command = [sys.executable, "-m", "editblocks", *line.split()]
    code, text = screen(width, command, cwd=shop, environ=environ, stdout=stdout)
    assert code in (0, 1, 2), text
    assert "unexpected" not in text
    return text


def too_wide(text: str, width: int) -> list[str]:
    """The lines that could have been broken, but were not."""
    wide = [line for line in text.splitlines() if len(line) > width and wrapped(line, width) != line]
    return [line for line in wide if not (COMMAND.match(line) or LONG in line)]


@pytest.mark.long
@pytest.mark.parametrize("width", [40, 80])
def test_every_command_has_room(shop: Path, width: int) -> None:
    wide = {}
    for line in FOR_PEOPLE:
        text = printed(shop, width, line)
        assert text, line
        wide[line] = too_wide(text, width)
    with Path(os.devnull).open("wb") as nowhere:
        for line in TO_COPY:
            wide[line] = too_wide(printed(shop, width, line, nowhere.fileno()), width)
    assert {line: lines for line, lines in wide.items() if lines} == {}


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.long
def test_what_is_asked_has_room(shop: Path, width: int) -> None:
    environ = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", "editblocks", "apply", "-i", "mixed.md"]
    answers = ("?", "x", "y", "n", "?", "p", "7", "p", "1", "y", "y", "n")
    ran = at_terminal(command, answers, question="?\x20", cwd=shop, environ=environ, width=width)
    assert "place 2:" in ran.out
    assert too_wide(ran.out.replace("? ", "?\n"), width) == []  # the line end of an answer is not shown


@pytest.mark.parametrize("line", ["check long.md", "check mixed.md long.md", "diff long.md"])
@pytest.mark.long(after=1)
def test_code_is_never_broken(shop: Path, line: str) -> None:
    text = printed(shop, 40, line, PRE_COMMIT="0")
    assert f"     - SEARCH  {LONG} - 1\n     + file    {LONG}\n" in text


@pytest.mark.long
def test_the_log_of_pre_commit_gets_what_a_pipe_does(shop: Path) -> None:
    command = [sys.executable, "-m", "editblocks", "hook", "pre-commit"]
    environ = {**os.environ, "PRE_COMMIT": "1", "LC_ALL": "C.UTF-8"}
    piped = subprocess.run(command, cwd=shop, env=environ, capture_output=True, text=True, check=False)
    assert printed(shop, 40, "hook pre-commit", PRE_COMMIT="1") == piped.stdout + piped.stderr
