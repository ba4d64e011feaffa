"""`apply --index` and `undo` at the command line."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, SUBMODULE, line
from support.indexcases import SHOP, state, status, submodule
from support.posix import limits_file_size

from editblocks.faces.cli import main as cli
from editblocks.repos.stores.checkout import IndexedRepo

pytestmark = pytest.mark.usefixtures("home")


# the contract of every store, as far as it is not that of the working tree


def test_entries_name_a_submodule_that_was_not_fetched(shop: Path) -> None:
    submodule(shop)
    repo = IndexedRepo(shop)
    assert dict(repo.entries("")) == {"bin": "040000", "lib": SUBMODULE, "src": "040000"}
    assert dict(repo.entries("lib")) == {}
    assert dict(repo.entries("src")) == {"app.py": FILE, "other.py": FILE}


def test_an_earlier_commit_can_be_read(shop: Path) -> None:
    read = IndexedRepo(shop).at(line(shop, "rev-parse", "HEAD"))
    assert read is not None
    assert read("src/app.py") == b"x = 1\n"


# through the command

CHANGE = "src/app.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
CREATE = "new.py\n```\n<<<<<<< SEARCH\n=======\nz = 3\n>>>>>>> REPLACE\n```\n"


def run(path: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: str = CHANGE) -> int:
    monkeypatch.chdir(path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
    return cli.main(arguments)


def test_the_command_stages_what_it_writes(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(shop, monkeypatch, "apply", "-", "--index") == 0
    said = capfd.readouterr()
    assert (said.err, status(shop)) == ("", ["M  src/app.py"])
    assert "applied 1 block to 1 file, +1 -1; undo with: editblocks undo " in said.out


def test_the_command_says_what_is_in_the_way(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (shop / "src/app.py").write_bytes(b"# mine\nx = 1\n")
    assert run(shop, monkeypatch, "apply", "-", "--index") == 2
    expected = "editblocks: dirty-file: src/app.py has unstaged changes; git add it, or stash "
    assert capfd.readouterr().err == f"{expected}what is not staged\n"
    assert status(shop) == [" M src/app.py"]


@pytest.mark.long
def test_undo_restores_the_index_with_the_files(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(shop, monkeypatch, "apply", "-", "--index", stdin=CHANGE + CREATE) == 0
    assert run(shop, monkeypatch, "undo") == 0
    out, err = capfd.readouterr()
    assert "; removed new.py; redo with: " in out
    assert (err, (shop / "src/app.py").read_bytes(), status(shop)) == ("", b"x = 1\n", [])
    assert run(shop, monkeypatch, "undo", "--redo") == 0
    assert status(shop) == ["A  new.py", "M  src/app.py"]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from editblocks.faces.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@limits_file_size
@pytest.mark.long
@pytest.mark.parametrize("option", ["--index", "--commit"])
def test_s20_an_index_that_cannot_be_copied_is_named(tmp_path: Path, option: str) -> None:
    shop = gitkit.make_repository(tmp_path / "shop", {**SHOP, **{f"f{n}": (FILE, b"") for n in range(60)}})
    response = "src/app.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
    before = state(shop)
    command = [sys.executable, "-c", LIMITED, "apply", option, "-"]
    done = subprocess.run(command, cwd=shop, input=response, capture_output=True, text=True, check=False)
    said = "editblocks: unavailable: .git/index cannot be copied: file too large; nothing was changed\n"
    assert (done.returncode, done.stderr.splitlines(keepends=True)[-1:]) == (2, [said])
    assert state(shop) == before
