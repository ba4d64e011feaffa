"""`apply --index` when it is stopped or killed: files and index are one."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from support import indexcases
from support.gitkit import git, read_folder
from support.indexcases import state, status
from support.project import TESTS

from editblocks.core.errors import HeadMoved, Refused, RepoError
from editblocks.repos import undo
from editblocks.repos.stores.checkout import IndexedRepo
from editblocks.repos.stores.worktree import Disk, WorktreeRepo

pytestmark = pytest.mark.usefixtures("home")
SHOP = indexcases.SHOP  # what the fixture makes


class _Stopped(BaseException):
    """A signal, as far as a write can tell."""


EFFECTS = ("create", "write", "fsync", "replace", "sync")


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.long
def test_a_signal_leaves_files_and_index_as_they_were(shop: Path, effect: str) -> None:
    before, heard = state(shop), list[str]()

    def stop(name: str, path: str) -> None:
        if name == effect and not heard:
            heard.append(path)
            raise _Stopped

    with pytest.raises(_Stopped):
        IndexedRepo(shop, disk=Disk(stop)).write({"src/app.py": b"x = 2\n", "src/other.py": b"y = 2\n"}, "")
    assert (state(shop), len(heard)) == (before, 1)


KILL = """
import os, sys
from itertools import count
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from support.killkit import launched
from support.repositories import open_sealed
from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.checkout import IndexedRepo
from editblocks.repos.stores.worktree import Disk
numbers = count(1)
def stop(name, path):
    if f"{name} {path}".startswith(sys.argv[3]) and next(numbers) == int(sys.argv[4]):
        os._exit(9)
root = Path(sys.argv[2])
repository = open_sealed(root, Mode.USER, launch=launched(stop))
repo = IndexedRepo(root, repository=repository, disk=Disk(stop))
repo.write({"src/app.py": b"x = 2\\n", "src/other.py": b"y = 2\\n"}, "")
"""


def kill(shop: Path, effect: str, number: int) -> None:
    """Write two files and stage them, by a process that dies at an effect, the `number`-th time."""
    command = [sys.executable, "-c", KILL, str(TESTS), str(shop), effect, str(number)]
    assert subprocess.run(command, check=False).returncode == 9


def take_back(path: Path) -> None:
    """Whatever there is to take back: often the kill came before there was anything."""
    with suppress(Refused):
        undo.undo_write(path, None)


def write_another(path: Path) -> None:
    with suppress(HeadMoved):
        WorktreeRepo(path).write({"another": b"1\n"}, "")


@pytest.mark.parametrize("act", [take_back, write_another])
@pytest.mark.parametrize("effect", ["create", "replace", "git update-index"])
@pytest.mark.long
def test_a_kill_leaves_files_and_index_old_behind_the_next_start(
    shop: Path, effect: str, act: Callable[[Path], None]
) -> None:
    before = state(shop)
    kill(shop, effect, 1)
    act(shop)
    (shop / "another").unlink(missing_ok=True)
    assert state(shop) == before


def _staged_since(path: Path) -> None:
    git(path, "add", "src/app.py")


def _staged_all_since(path: Path) -> None:
    git(path, "add", "--all")


def _edited_since(path: Path) -> None:
    (path / "src/app.py").write_bytes(b"theirs\n")


def _committed_since(path: Path) -> None:
    git(path, "commit", "-qm", "as it is staged")


def _reset_since(path: Path) -> None:
    git(path, "reset", "-q")


def _nothing_since(path: Path) -> None:
    assert path.is_dir()


# The kill comes when the files are new, before or after the index is; then somebody else is at work, then the next
# start, which leaves alone what they did.
BEFORE, AFTER = ("git update-index", 2), ("git update-ref", 2)  # when all is staged, and noted as done
LEFT = "left alone, because they changed since: src/app.py"
BOTH = ["M  src/app.py", "M  src/other.py"]
KILLED: Mapping[str, tuple[tuple[str, int], Callable[[Path], None], str, list[str]]] = {
    "not staged": (BEFORE, _nothing_since, "now finished", BOTH),
    "not staged, one by hand": (BEFORE, _staged_since, "now finished", BOTH),
    "not staged, all by hand": (BEFORE, _staged_all_since, "now finished", BOTH),
    "not staged, and edited": (BEFORE, _edited_since, f"now finished; {LEFT}", [" M src/app.py", "M  src/other.py"]),
    "staged": (AFTER, _nothing_since, "now finished", BOTH),
    "staged, and committed": (AFTER, _committed_since, "now finished", []),
    "staged, and edited": (AFTER, _edited_since, f"now finished; {LEFT}", ["MM src/app.py", "M  src/other.py"]),
    "staged, and taken back by hand": (AFTER, _reset_since, "now finished", BOTH),
}


FAST = {"not staged", "not staged, one by hand", "staged"}


@pytest.mark.long
@pytest.mark.parametrize("claim", [pytest.param(it, marks=() if it in FAST else pytest.mark.long) for it in KILLED])
def test_s19_files_and_index_are_one_after_a_kill(shop: Path, claim: str) -> None:
    when, act, said, expected = KILLED[claim]
    kill(shop, *when)
    assert (shop / "src/app.py").read_bytes() == b"x = 2\n"
    act(shop)
    [recoveries] = IndexedRepo(shop).recoveries
    assert (str(recoveries).partition(" was interrupted and is ")[2], status(shop)) == (said, expected)


def test_an_index_that_cannot_be_replaced_leaves_the_files_as_they_were(shop: Path) -> None:
    """A folder in its place stands for a disk that says no; git itself cannot read it then, and so is not asked."""
    files, index = read_folder(shop), shop / ".git/index"

    def take_away(name: str, path: str) -> None:
        if name == "sync" and path == "src" and index.is_file():
            index.rename(index.with_name("kept"))
            index.mkdir()
            (index / "in-the-way").write_bytes(b"")

    with pytest.raises(RepoError, match="the index cannot be written: "):
        IndexedRepo(shop, disk=Disk(take_away)).write({"src/app.py": b"x = 2\n"}, "")
    (index / "in-the-way").unlink()
    index.rmdir()
    index.with_name("kept").rename(index)
    assert (read_folder(shop), status(shop)) == (files, [])
