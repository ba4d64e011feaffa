"""A small shop in a git repository, and a way to run commands in this process, for tests of what `apply` writes."""

import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest
from support import gitkit
from support.gitkit import FILE, Tree, read_folder
from support.hookkit import Ran, call

CART = b"def total():\n    return 1\n\n\ndef tax():\n    return 2\n"
SHOP: Mapping[str, bytes] = {"README.md": b"# Shop\n", "src/cart.py": CART}
NEW_CART = CART.replace(b"return 1\n", b"return 10\n")
TAX = b"RATE = 7\n"


def block(path: str, old: str = "x\n", new: str = "y\n") -> str:
    """Return a path and a fenced SEARCH/REPLACE block. `old` and `new` are lines with their line ends."""
    return f"{path}\n```python\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


CHANGE = block("src/cart.py", "    return 1\n", "    return 10\n")
CREATE = block("src/tax.py", "", "RATE = 7\n")
MISS = block("src/cart.py", "    return 2 + 2\n", "    return 4\n")
FITS, PARTLY = CHANGE + CREATE, CHANGE + MISS


class Run(Protocol):
    def __call__(self, *arguments: str, stdin: str | bytes | None = None, standard_input: object = None) -> Ran:
        """Run a command in this process. `stdin` is what it reads; `standard_input` replaces `sys.stdin` itself."""


def make_shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, bytes] | Tree = SHOP) -> Path:
    """Make a repository with one commit and change into it. Git knows the user's name and e-mail address.

    No other git or editblocks configuration of the machine applies.
    """
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text(f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n")
    gitkit.scrub(monkeypatch, home)
    tree = {name: (FILE, data) if isinstance(data, bytes) else data for name, data in files.items()}
    path = gitkit.make_repository(tmp_path / "shop", tree)
    monkeypatch.chdir(path)
    return path


def runner(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reply: str = "") -> Run:
    """Return a function that runs commands. `reply` is their standard input unless a call passes `stdin`."""

    def run(*arguments: str, stdin: str | bytes | None = None, standard_input: object = None) -> Ran:
        data = reply if stdin is None else stdin
        data = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", standard_input or io.TextIOWrapper(io.BytesIO(data)))
        return call(capfd, *arguments)

    return run


def changed(path: Path) -> dict[str, bytes | None]:
    """The files below `path` that differ from SHOP: path → bytes, None if deleted. Leaves out response files."""
    now = {name: data for name, (_, data) in read_folder(path).items() if not name.startswith(".edits/")}
    return {name: now.get(name) for name in {**SHOP, **now} if now.get(name) != SHOP.get(name)}
