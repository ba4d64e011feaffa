"""A shop under git and a call of the command line in this process, for tests of what `apply` writes where."""

from __future__ import annotations

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
    """A SEARCH/REPLACE block in a fence, below the path of its file; texts are lines with their ends."""
    return f"{path}\n```python\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


CHANGE = block("src/cart.py", "    return 1\n", "    return 10\n")
CREATE = block("src/tax.py", "", "RATE = 7\n")
MISS = block("src/cart.py", "    return 2 + 2\n", "    return 4\n")
FITS, PARTLY = CHANGE + CREATE, CHANGE + MISS


class Run(Protocol):
    def __call__(self, *arguments: str, stdin: str | bytes | None = None, standard_input: object = None) -> Ran:
        """Run a command in this process, on this text, these bytes or this object as standard input."""


def make_shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, bytes] | Tree = SHOP) -> Path:
    """A repository with one commit, the current directory; its user has a name, and nothing else of the machine."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text(f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n")
    gitkit.scrub(monkeypatch, home)
    tree = {name: (FILE, data) if isinstance(data, bytes) else data for name, data in files.items()}
    path = gitkit.make_repository(tmp_path / "shop", tree)
    monkeypatch.chdir(path)
    return path


def runner(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reply: str = "") -> Run:
    """What runs commands; `reply` is the standard input of those that are not told theirs."""

    def run(*arguments: str, stdin: str | bytes | None = None, standard_input: object = None) -> Ran:
        data = reply if stdin is None else stdin
        data = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", standard_input or io.TextIOWrapper(io.BytesIO(data)))
        return call(capfd, *arguments)

    return run


def changed(path: Path) -> dict[str, bytes | None]:
    """What is not as it was, None for what is gone; response files are left out."""
    now = {name: data for name, (_, data) in read_folder(path).items() if not name.startswith(".edits/")}
    return {name: now.get(name) for name in {**SHOP, **now} if now.get(name) != SHOP.get(name)}
