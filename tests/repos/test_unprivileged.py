"""A person who may not write everywhere: a sentence that names the place, and nothing is half done.

Root may write everywhere, so that as root the command runs without capabilities, which is to be like everybody else.
"""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.applykit import CART, block, make_shop
from support.gitkit import git
from support.posix import give_away

SETPRIV = shutil.which("setpriv")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
AS_ANYBODY = [str(SETPRIV), "--inh-caps=-all", "--bounding-set=-all"] if IS_ROOT else []
BLOCKS = block("README.md", "# Shop\n", "# Shops\n") + block("src/cart.py", "    return 1\n", "    return 10\n")
WAYS = {"files": [], "index": ["--index"], "commit": ["--commit"], "branch": ["--branch=topic"]}

pytestmark = pytest.mark.skipif(IS_ROOT and SETPRIV is None, reason="root needs setpriv to be like everybody else")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = make_shop(tmp_path, monkeypatch)
    git(path, "branch", "topic")
    yield path
    for folder, _, names in os.walk(path):  # else a person's own pytest could not remove it
        for place in (Path(folder), *(Path(folder, name) for name in names)):
            place.chmod(place.stat().st_mode | stat.S_IRWXU)


def apply(path: Path, options: Sequence[str]) -> tuple[int, str]:
    """Exit code and what is said on stderr."""
    return run(path, ["apply", "-", *options])


def run(path: Path, words: Sequence[str]) -> tuple[int, str]:
    """As `apply`, for any command."""
    command = [*AS_ANYBODY, sys.executable, "-m", "editblocks", *words]
    done = subprocess.run(command, cwd=path, input=BLOCKS.encode(), capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


def state(path: Path) -> tuple[object, ...]:
    """Files with their modes, branches and index; and whatever of ours lies about."""
    files = {str(it.relative_to(path)): it.read_bytes() for it in path.rglob("*") if it.is_file() and not _git(it)}
    odd = [it.name for it in path.rglob("*") if "editblocks-" in it.name or it.suffix == ".lock"]
    return files, odd, git(path, "for-each-ref"), git(path, "ls-files", "--stage")


def _git(place: Path) -> bool:
    return ".git" in place.parts


def _give(path: Path, owner: int) -> None:
    for place in (path, path / ".git"):
        give_away(place, owner)


STORE = "git cannot store the change: Unable to create temporary file "
CLOSED = [  # what is closed, its mode, the way to write, what is said
    ("src", 0o555, "files", "src/cart.py cannot be written: permission denied; nothing was changed"),
    ("src", 0o555, "index", "src/cart.py cannot be written: permission denied; nothing was changed"),
    ("src", 0o555, "commit", "src/cart.py cannot be written: permission denied; nothing was changed"),
    ("src", 0o000, "files", "src cannot be read: permission denied; nothing was changed"),
    ("src/cart.py", 0o000, "files", "src/cart.py cannot be read: permission denied; nothing was changed"),
    ("src/cart.py", 0o000, "index", "src/cart.py cannot be read: permission denied; nothing was changed"),
    (".git", 0o555, "files", "{shop}/.git/editblocks/lock cannot be taken: permission denied; nothing was changed"),
    (".git", 0o555, "index", "{shop}/.git/editblocks/lock cannot be taken: permission denied; nothing was changed"),
    (".git", 0o555, "commit", "{shop}/.git/editblocks/lock cannot be taken: permission denied; nothing was changed"),
    (
        ".git/objects",
        0o555,
        "index",
        "git cannot store the change: insufficient permission for adding an object to repository database ",
    ),
    (
        ".git/objects/pack",
        0o555,
        "commit",
        STORE,
    ),
    (
        ".git/objects/pack",
        0o555,
        "branch",
        STORE,
    ),
]
FAST = {("src", 0o555, "files"), (".git/objects", 0o555, "index")}


@pytest.mark.parametrize(
    "case", [pytest.param(row, marks=() if row[:3] in FAST else pytest.mark.long, id=str(row[:3])) for row in CLOSED]
)
@pytest.mark.long(after=1)
def test_s20_what_may_not_be_written_is_named_and_nothing_changes(shop: Path, case: tuple[str, int, str, str]) -> None:
    name, mode, way, said = case
    place, before = shop / name, state(shop)
    usual = stat.S_IMODE(place.stat().st_mode)
    place.chmod(mode)
    code, error = apply(shop, WAYS[way])
    place.chmod(usual)
    assert (code, error.count("\n")) == (2, 1)
    assert error.startswith(f"editblocks: unavailable: {said.format(shop=shop)}")
    assert state(shop) == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.long
def test_s20_a_read_only_file_is_changed_on_a_branch_alone(shop: Path, way: str) -> None:
    (shop / "src/cart.py").chmod(0o444)
    before = state(shop)
    done = apply(shop, WAYS[way])
    if way == "branch":
        assert done == (0, "")
        assert git(shop, "show", "topic:src/cart.py") == CART.replace(b"return 1\n", b"return 10\n")
    else:
        said = "src/cart.py is read-only, so nothing was changed; make it writable first"
        assert (done, state(shop)) == ((2, f"editblocks: unavailable: {said}\n"), before)


COMMANDS = (
    "check -", "check --staged -", "check --rev HEAD -", "diff -", "retry -",
    "apply -", "apply --index -", "apply --commit -", "apply --branch topic -",
    "undo", "undo --list", "init",
    "hook install", "hook status", "hook pre-commit", "hook leftovers README.md",
)  # fmt: skip


@pytest.mark.skipif(not IS_ROOT, reason="only root can give files away")
@pytest.mark.long
def test_no_command_uses_a_repository_of_somebody_else_unless_it_is_trusted(shop: Path) -> None:
    before = state(shop)
    advice = f"if you trust it: git config --global --add safe.directory {shop}"
    said = f"editblocks: {shop} belongs to somebody else, so git does not use it; {advice}\n"
    for command in COMMANDS:
        _give(shop, 65534)
        done = run(shop, command.split())
        _give(shop, 0)
        assert (command, *done) == (command, 2, said)
        assert state(shop) == before
    assert apply(shop, ["--index"]) == (0, "")
