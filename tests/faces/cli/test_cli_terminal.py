"""On real terminals, and what they cannot show."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import gitkit
from support.applykit import CART, CHANGE, MISS, block
from support.callcases import PROGRAM
from support.project import DOCS
from support.ptykit import at_terminal, screen

# On a terminal: real ones, and what they cannot show.

TERMINAL = {"LC_ALL": "C.UTF-8", "TERM": "xterm"}


def on_terminal(*arguments: str, env: Mapping[str, str]) -> tuple[int, str]:
    """Exit code, and what is on the screen, whose width nobody says."""
    command = [sys.executable, "-m", "editblocks", *arguments]
    return screen(0, command, cwd=Path.cwd(), environ={**os.environ, **TERMINAL, **env})


SAMPLE = {
    "src/cart.py": "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def total(self):\n        return sum(self.items)\n",
    "src/api.py": "@route\ndef a():\n    return 1\n\n\n@route\ndef b():\n    return 1\n",
    "tests/test_cart.py": 'cart = Cart()\ncart.add(Item("tea", 10))\nassert cart.total() == Decimal("10.00")\n',
    "README.md": "# Shop\n\nSells tea.\nAnd coffee.\n",
}
SAMPLE_REPLY = "".join(
    (
        "Here you go:\n\n",
        block("src/cart.py", "        return sum(self.items)\n", "        return sum(map(price, self.items))\n"),
        block("src/cart.py", "self.items.append(item)\n", "self.items.extend([item])\n"),
        block("src/pricing/tax.py", "", "RATE = 7\n"),
        block("src/api.py", "    return 1\n", "    return 2\n"),
        block(
            "tests/test_cart.py",
            'cart = Cart()\ncart.add(Item("tea", 10))\nassert cart.total == 10\n',
            "assert Cart().total() == 0\n",
        ),
        block("README.md", "Sells tea.\n", "Sells tea.\nAnd coffee.\n"),
    )
)
SCREEN = """\
 1  ✓ ready    src/cart.py:6        exact                                +1 -1
 2  ✓ ready    src/cart.py:3        indentation, 8 more spaces (medium)  +1 -1
 3  ✓ ready    src/pricing/tax.py   new file                             +1
 4  ✗ failed   src/api.py           ambiguous                            +1 -1
 5  ✗ failed   tests/test_cart.py   no-match                             +1 -3
 6  – skipped  README.md:3          already-applied

4  ambiguous: matches at lines 3 and 8 of src/api.py; choose one with --only 4@3, or add a line above or below
5  no-match: line 3 of the block differs from tests/test_cart.py:3 at column 18; \
the closest text is lines 1-3, 90 % alike
     - SEARCH  assert cart.total == 10
     + file    assert cart.total() == Decimal("10.00")
                                ^ line 3, column 18
     `editblocks apply reply.md --only ready` applies the 3 that fit
     `editblocks retry reply.md` prints a prompt for the model
6 blocks in 5 files: 3 ready, 1 skipped, 2 failed
"""
ICONS = {"✓": "ok  ", "✗": "FAIL", "–": "skip"}


@pytest.fixture
def sample(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert home.is_dir()
    for name, text in {**SAMPLE, "reply.md": SAMPLE_REPLY}.items():
        place = tmp_path / "sample" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path / "sample")
    return tmp_path / "sample"


@pytest.mark.parametrize(
    ("env", "color", "unicode"),
    [
        ({"NO_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, False, True),
        ({}, True, True),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}, False, False),
    ],
)
@pytest.mark.long
def test_the_long_form(sample: Path, env: Mapping[str, str], color: bool, unicode: bool) -> None:
    code, screen = on_terminal("check", "reply.md", env=env)
    expected = SCREEN
    for icon, word in {} if unicode else ICONS.items():
        expected = expected.replace(icon, word)
    assert (code, re.sub("\x1b\\[[0-9]*m", "", screen)) == (1, expected)
    assert ("\x1b[" in screen) is color


@pytest.mark.long
def test_the_short_form_is_for_pre_commit_and_pipes(sample: Path) -> None:
    code, screen = on_terminal("check", "reply.md", env={"PRE_COMMIT": "1", "FORCE_COLOR": "1"})
    command = [*PROGRAM, "check", "reply.md"]
    piped = subprocess.run(command, env={**os.environ, **TERMINAL}, capture_output=True, check=False)
    assert (code, screen) == (piped.returncode, piped.stdout.decode())
    assert screen.splitlines()[0] == "src/cart.py:6: ready: exact (reply.md:5)"
    assert screen.splitlines()[-1] == "reply.md: 3 ready, 1 skipped, 2 failed"


@pytest.mark.long
def test_apply_says_on_a_terminal_what_became_of_it(sample: Path) -> None:
    code, screen = on_terminal("apply", "reply.md", "--partial", env={"NO_COLOR": "1"})
    left_out = "block 4 ambiguous, block 5 no-match, block 6 already-applied"
    last = f"applied 3 of 6 blocks to 2 files, +3 -2; left out: {left_out}"
    following = "next: `editblocks retry reply.md --only 4-5` prints what to send back to the model; "
    following += "then apply its corrected answer"
    assert (code, screen.splitlines()[-2:]) == (1, [last, following])
    assert "is not a git repository, so this apply cannot be undone" in screen.splitlines()[0]
    assert screen.splitlines()[1] == SCREEN.splitlines()[0].replace("ready  ", "applied")


@pytest.mark.long
def test_a_terminal_is_told_that_it_is_read(folder: Path) -> None:
    hint = "editblocks: paste the answer here; to end it, press ^D on an empty line\n"
    command = [sys.executable, "-m", "editblocks", "check", "-"]
    ran = at_terminal(command, [], question=hint, cwd=folder, environ={**os.environ, **TERMINAL})
    assert (ran.code, ran.out.startswith(f"{hint}no-blocks: 0 lines read, ")) == (1, True), ran.out


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b1A"


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        CHANGE.replace("src/cart.py", f"src/{HOSTILE}.py"),
        CHANGE.replace("return 1\n", f"return {HOSTILE}\n"),
        f"{HOSTILE}\n{MISS.replace('return 2 + 2', f'return {HOSTILE}')}",
        f"{HOSTILE}\n",
    ],
    ids=["in a path", "in new lines", "in old lines", "in prose"],
)
@pytest.mark.parametrize(
    "command", ["check", *(pytest.param(name, marks=pytest.mark.long) for name in ("diff", "apply"))]
)
def test_nothing_of_a_response_moves_the_cursor(folder: Path, command: str, text: str) -> None:
    name = f"re{HOSTILE}ply.md"
    (folder / name).write_text(text)
    (folder / "src/cart.py").write_text(f"# {HOSTILE}\n{CART.decode()}")
    code, screen = on_terminal(command, name, env={"NO_COLOR": "1"})
    assert (code, screen != "") == (1, True)
    assert not set(screen) & set("\x1b\x07\x9b\u202e")


@pytest.mark.long
def test_a_patch_on_a_terminal_shows_what_a_file_would_have_it_do(folder: Path) -> None:
    (folder / "src/cart.py").write_bytes(b"\x1b[2J\tx\r\n" + CART)
    _, screen = on_terminal("diff", "fits.md", env={"NO_COLOR": "1"})
    assert " \\x1b[2J\tx\\r\n" in screen
    assert "\n-    return 1\n+    return 10\n" in screen
    assert "\n\x1b[31m-    return 1\x1b[0m\n" in on_terminal("diff", "fits.md", env={})[1]


@pytest.mark.long
def test_what_a_stream_cannot_encode_is_a_question_mark(folder: Path) -> None:
    (folder / "reply.md").write_text(block("src/na\u00efve.py", "", "x = 1\n"), "utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "editblocks", "apply", "reply.md"]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
    assert done.stdout.startswith(b"src/na?ve.py: applied: new file (reply.md:3)\n")
    assert (folder / "src/na\u00efve.py").read_bytes() == b"x = 1\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "words"), [("--format markdown", "src/na\u00efve.py"), ("--paths", "src/na\u00efve.py\n")]
)
def test_what_a_program_reads_is_utf8_whatever_the_locale(folder: Path, options: str, words: str) -> None:
    (folder / "reply.md").write_text(block("src/na\u00efve.py", "", "x = 1\n"), "utf-8")
    command = [sys.executable, "-m", "editblocks", "check", "reply.md", *options.split()]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)
    assert (done.returncode, done.stderr, words in done.stdout.decode()) == (0, b"", True), done.stdout


PAGE_REPLY = """\
Faster and higher:

src/rates.py
```python
<<<<<<< SEARCH
BASE = 3
=======
BASE = 4
>>>>>>> REPLACE
<<<<<<< SEARCH
TOP = 7
=======
TOP = 8
>>>>>>> REPLACE
```
"""


def test_the_sample_of_the_page_is_what_is_printed(folder: Path) -> None:
    page = DOCS.joinpath("reference/command-line.md").read_text("utf-8")
    (folder / "src/rates.py").write_text("BASE = 3\nTOP = 9\n")
    (folder / "reply.md").write_text(PAGE_REPLY)
    printed = on_terminal("check", "reply.md", env={"NO_COLOR": "1"})[1]
    assert f"```console\n{printed}```\n" in page


@pytest.mark.long
def test_names_are_utf8_whatever_the_locale(folder: Path) -> None:
    """With LC_ALL=C and without Python's own ways around it, names in a folder are ASCII with escaped bytes."""
    old, new = (folder / os.fsdecode(name) for name in (b"src/na\xc3\xafve.py", b"\xe5\xad\x97/new.py"))
    old.write_bytes(b"x = 1\n")
    edits = block("src/na\u00efve.py", "x = 1\n", "x = 2\n") + block("\u5b57/new.py", "", "y = 1\n")
    (folder / "reply.md").write_bytes(edits.encode())
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "editblocks", "apply", "reply.md"]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
    assert done.stdout.startswith(b"src/na?ve.py:1: applied: exact (reply.md:3)\n?/new.py: applied: new file (")
    assert (old.read_bytes(), new.read_bytes()) == (b"x = 2\n", b"y = 1\n")


@pytest.mark.long
def test_names_in_git_are_utf8_whatever_the_locale(folder: Path) -> None:
    (folder / os.fsdecode(b"src/na\xc3\xafve.py")).write_bytes(b"x = 1\n")
    gitkit.git(folder, "init", "-q")
    gitkit.git(folder, "add", "-A")
    gitkit.git(folder, "commit", "-qm", "first")
    edits = block("src/na\u00efve.py", "x = 1\n", "x = 2\n") + block("\u5b57/new.py", "", "y = 1\n")
    (folder / "reply.md").write_bytes(edits.encode())
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for arguments in (("check", "--rev", "HEAD"), ("apply", "--commit")):
        command = [sys.executable, "-m", "editblocks", *arguments, "reply.md"]
        done = subprocess.run(command, env=env, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), done.stdout
    names = gitkit.git(folder, "diff-tree", "-r", "-z", "--name-only", "--no-commit-id", "HEAD")
    assert names == "src/na\u00efve.py\0\u5b57/new.py\0".encode()
