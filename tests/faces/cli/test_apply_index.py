"""`apply --index`: what is written is staged as well."""

from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.indexcases import SHOP, Contents, planned, status

from editblocks.repos.stores.checkout import IndexedRepo

pytestmark = pytest.mark.usefixtures("home")


# what a write does: `contents` are written, `expected` is what git says of the files afterwards

WRITES: tuple[tuple[str, Contents, list[str]], ...] = (
    ("a change is staged", {"src/app.py": b"x = 2\n"}, ["M  src/app.py"]),
    ("a new file is staged", {"docs/a b.md": b"new\n"}, ['A  "docs/a b.md"']),
    ("a removal is staged", {"src/app.py": None}, ["D  src/app.py"]),
    ("a mode stays", {"bin/run": b"#!/bin/sh\n"}, ["M  bin/run"]),
    ("all at once", {"src/app.py": None, "src/other.py": b"y\n", "z": b""}, [
        "D  src/app.py", "M  src/other.py", "A  z",
    ]),
    ("nothing to do", {"src/app.py": b"x = 1\n"}, []),
    ("nothing at all", {}, []),
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("claim", "contents", "expected"), WRITES, ids=[row[0] for row in WRITES])
def test_a_write_is_on_disk_and_staged(shop: Path, claim: str, contents: Contents, expected: list[str]) -> None:
    head = line(shop, "rev-parse", "HEAD")
    planned(shop, contents).write(contents, "")
    assert (status(shop), line(shop, "rev-parse", "HEAD")) == (expected, head), claim
    assert git(shop, "fsck", "--strict", "--no-dangling") == b""
    git(shop, "commit", "--allow-empty", "-qm", "as it is staged")
    tree = {name: entry for name, entry in gitkit.read_tree(shop, "HEAD").items() if name in contents}
    assert tree == {
        name: (SHOP[name][0] if name in SHOP else FILE, data) for name, data in contents.items() if data is not None
    }


def test_what_else_is_staged_or_changed_stays_so(shop: Path) -> None:
    (shop / "src/other.py").write_bytes(b"y = 2\n")
    git(shop, "add", "src/other.py")
    (shop / "src/other.py").write_bytes(b"y = 3\n")
    (shop / "new.txt").write_bytes(b"not ours\n")
    contents = {"src/app.py": b"x = 2\n"}
    planned(shop, contents).write(contents, "")
    assert status(shop) == ["M  src/app.py", "MM src/other.py", "?? new.txt"]


def test_a_file_that_differs_from_the_commit_may_be_changed_as_it_is_staged(shop: Path) -> None:
    (shop / "src/app.py").write_bytes(b"x = 2\n")
    (shop / "fresh.py").write_bytes(b"z = 1\n")
    git(shop, "add", "src/app.py", "fresh.py")
    contents = {"src/app.py": b"x = 3\n", "fresh.py": b"z = 2\n"}
    planned(shop, contents).write(contents, "")
    assert status(shop) == ["A  fresh.py", "M  src/app.py"]
    assert git(shop, "show", ":src/app.py") == b"x = 3\n"


def test_one_write_follows_another(shop: Path) -> None:
    repo = planned(shop, {"src/app.py": None})
    repo.write({"src/app.py": b"x = 2\n", "a/new": b"1\n"}, "")
    assert (repo.read("src/app.py"), repo.read("a/new")) == (b"x = 2\n", b"1\n")
    repo.write({"src/app.py": b"x = 1\n", "a/new": None}, "")
    assert (status(shop), (shop / "a").exists()) == ([], False)


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "fresh"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    repo = IndexedRepo(path)
    assert repo.head is None
    repo.write({"src/app.py": b"x = 1\n"}, "")
    assert status(path) == ["A  src/app.py"]


def test_line_ends_are_stored_as_git_add_stores_them(shop: Path) -> None:
    git(shop, "config", "core.autocrlf", "true")
    (shop / "src/app.py").write_bytes(b"x = 1\r\n")
    contents = {"src/app.py": b"x = 2\r\n"}
    planned(shop, contents).write(contents, "")
    assert (git(shop, "show", ":src/app.py"), (shop / "src/app.py").read_bytes()) == (b"x = 2\n", b"x = 2\r\n")
    assert status(shop) == ["M  src/app.py"]


def test_a_linked_working_tree_has_its_own_index(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "topic")
    contents = {"src/app.py": b"x = 2\n"}
    planned(tmp_path / "linked", contents).write(contents, "")
    assert (status(tmp_path / "linked"), status(shop)) == (["M  src/app.py"], [])
