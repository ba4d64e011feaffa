"""A new user's way, at a terminal: check, apply what fits, ask again, apply the corrected answer, undo twice.

Each step is golden: what is said has to be understood by somebody who sees this program for the first time.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.applykit import block
from support.gitkit import git
from support.ptykit import screen

from editblocks.report.wrapping import wrapped

SHOP = {"src/cart.py": b"TAX = 1\n\n\ndef total():\n    return 1\n", "src/api.py": b"LIMIT = 10\n"}
REPLY = block("src/cart.py", "TAX = 1\n", "TAX = 2\n") + block("src/api.py", "LIMIT = 12\n", "LIMIT = 20\n")
FIXED = block("src/api.py", "LIMIT = 10\n", "LIMIT = 20\n")
BEFORE = {path: data.decode() for path, data in SHOP.items()}
PARTLY = {**BEFORE, "src/cart.py": BEFORE["src/cart.py"].replace("TAX = 1", "TAX = 2")}
BOTH = {**PARTLY, "src/api.py": "LIMIT = 20\n"}

DIFFERENCE = """\
2  no-match: line 1 of the block differs from src/api.py:1 at column 10; the
     closest text is line 1, 90 % alike
     - SEARCH  LIMIT = 12
     + file    LIMIT = 10
                        ^ line 1, column 10
"""
CHECK = f"""\
 1  ✓ ready    src/cart.py:1   exact     +1 -1
 2  ✗ failed   src/api.py      no-match  +1 -1

{DIFFERENCE}\
     `editblocks apply reply.md --only ready` applies the one that fits
     `editblocks retry reply.md` prints a prompt for the model
2 blocks in 2 files: 1 ready, 1 failed
"""
APPLY = f"""\
 1  ✓ ready    src/cart.py:1   exact     +1 -1
 2  ✗ failed   src/api.py      no-match  +1 -1

{DIFFERENCE}\
     `editblocks retry reply.md` prints a prompt for the model
2 blocks in 2 files: 1 ready, 1 failed
nothing written: 1 of 2 blocks failed (block 2 no-match); --partial applies the
     one that fits
"""
PARTIAL = f"""\
 1  ✓ applied  src/cart.py:1   exact     +1 -1
 2  ✗ failed   src/api.py      no-match  +1 -1

{DIFFERENCE}\
2 blocks in 2 files: 1 applied, 1 failed
applied 1 of 2 blocks to 1 file, +1 -1; left out: block 2 no-match; undo with:
     editblocks undo DAY-1
next: `editblocks retry reply.md --only 2` prints what to send back to the
     model; then apply its corrected answer
"""
AGAIN = f"""\
 1  – skipped  src/cart.py   already-applied
 2  ✗ failed   src/api.py    no-match         +1 -1

{DIFFERENCE}\
     `editblocks retry reply.md` prints a prompt for the model
2 blocks in 2 files: 1 skipped, 1 failed
"""
CORRECTED = """\
 1  ✓ applied  src/api.py:1   exact  +1 -1
1 block in 1 file: 1 applied
applied 1 block to 1 file, +1 -1; undo with: editblocks undo DAY-2
"""
UNDO = "undid DAY-2: restored src/api.py; redo with: editblocks undo --redo\n"
UNDO_MORE = "undid DAY-1: restored src/cart.py; redo with: editblocks undo --redo\n"
NOTHING = "editblocks: nothing to undo; see editblocks undo --list\n"
STEPS = [  # the command, its exit code, what it says, the files afterwards
    ("check reply.md", 1, CHECK, BEFORE),
    ("apply reply.md", 1, APPLY, BEFORE),
    ("apply --partial reply.md", 1, PARTIAL, PARTLY),
    ("check reply.md", 1, AGAIN, PARTLY),
    ("apply fixed.md", 0, CORRECTED, BOTH),
    ("undo", 0, UNDO, PARTLY),
    ("undo", 0, UNDO_MORE, BEFORE),
    ("undo", 2, NOTHING, BEFORE),
]


@pytest.fixture
def shop(shop: Path) -> Path:
    (shop / "reply.md").write_text(REPLY)
    (shop / "fixed.md").write_text(FIXED)
    return shop


def shown(shop: Path, arguments: str, width: int = 80, environ: Mapping[str, str] = os.environ) -> tuple[int, str]:
    """Exit code and screen; the day of an id is not told."""
    variables = {**environ, "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", "editblocks", *arguments.split()]
    code, text = screen(width, command, cwd=shop, environ=variables)
    return code, re.sub(r"\b[0-9]{8}-(?=[0-9])", "DAY-", text)


def files(shop: Path) -> dict[str, str]:
    return {path: (shop / path).read_text() for path in SHOP}


def test_the_way_of_a_new_user(shop: Path) -> None:
    for arguments, code, text, after in STEPS:
        assert shown(shop, arguments) == (code, text), arguments
        assert files(shop) == after, arguments
    assert git(shop, "status", "--porcelain", "--untracked-files=no") == b""
    assert git(shop, "log", "--all", "--oneline").count(b"\n") == 1


@pytest.mark.long
def test_between_the_two_the_model_is_asked_for_what_failed_alone(shop: Path) -> None:
    shown(shop, "apply --partial reply.md")
    _, text = shown(shop, "retry reply.md")
    assert text.startswith("1 of your 2 edit blocks could not be applied to the files.\nDo not send block 1 again.\n")
    assert "Block 2, src/api.py, no-match" in text
    assert "Answer with the corrected blocks only, in the same form as before.\n" in text
    assert "src/cart.py" not in text


OUTSIDE = """\
editblocks: {folder} is not a git repository, so this apply cannot be undone; git init makes it one
"""


def test_outside_a_repository_it_is_said_before_anything_is_written(tmp_path: Path, shop: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "src").mkdir(parents=True)
    (folder / "src/api.py").write_text("LIMIT = 10\n")
    (folder / "fixed.md").write_text(FIXED)
    code, text = shown(folder, "apply fixed.md", 400)
    assert (code, text.partition("\n")[0] + "\n") == (0, OUTSIDE.format(folder=folder))
    assert "undo with" not in text
    code, text = shown(folder, "undo", 400)
    assert (code, "is not the top of a git repository" in text) == (2, True)


@pytest.mark.long
def test_a_folder_without_any_of_the_files_is_perhaps_the_wrong_one(tmp_path: Path, shop: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "reply.md").write_text(REPLY)
    words = f"editblocks: {folder} is not a git repository, so paths start in this folder; "
    words += "change to the folder where they start, or name it with --root\n"
    for command in ("check", "apply", "retry", "diff"):
        assert words in shown(folder, f"{command} reply.md", 400)[1], command
    (folder / "waits.md").write_text(REPLY + block("src/api.py", "X = 1\n", "X = 2\n"))
    assert words in shown(folder, "check waits.md", 400)[1]
    (folder / "src").mkdir()
    (folder / "src/cart.py").write_text("TAX = 1\n")
    assert "is not a git repository" not in shown(folder, "check reply.md", 400)[1], "one of the files is there"
    assert "is not a git repository" not in shown(shop, "check reply.md", 400)[1]


NARROW = [
    "check reply.md",
    "apply --partial reply.md",
    "check reply.md",
    "apply fixed.md",
    "undo",
    "undo --list",
    "bad",
]


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.long
def test_no_line_is_wider_than_the_terminal(shop: Path, width: int) -> None:
    for arguments in (*NARROW, "check --whole-files x reply.md", "explain", "explain no-match", ""):
        code, text = shown(shop, arguments, width)
        assert [line for line in text.splitlines() if len(line) > width and wrapped(line, width) != line] == [], (
            arguments
        )
        assert text
        assert code in (0, 1, 2)


def test_the_demo_fits_in_80_columns(shop: Path) -> None:
    code, text = shown(shop, "demo")
    assert (code, [line for line in text.splitlines() if len(line) > 80]) == (0, [])


@pytest.mark.long
def test_alone_the_program_prints_its_help(shop: Path) -> None:
    assert shown(shop, "") == shown(shop, "--help")
    assert shown(shop, "")[1].startswith("usage: editblocks COMMAND")
