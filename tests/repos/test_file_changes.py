"""Plans that delete and rename files, written to a checkout, undone and written again, with every byte and mode."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.checkoutkit import IDENTITY, sealed, status
from support.file_blocks import add, delete, edit, parsed, rename
from support.gitkit import EXECUTABLE, FILE, Entry, git, read_folder, read_tree
from support.repositories import open_sealed

from editblocks.applying.engine import apply_parsed
from editblocks.core.model import ApplyResult
from editblocks.report.diff import unified_diff
from editblocks.repos.stores.checkout import IndexedRepo
from editblocks.repos.stores.objects import ObjectsRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.undo import undo_write
from editblocks.run import Repo

SHOP: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Shop\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\nexit 0\n"),
    "bin/only/tool": (EXECUTABLE, b"#!/bin/sh\nexit 1\n"),
    "logo.png": (FILE, b"\x89PNG\0\xff"),
    "src/app.py": (FILE, b"x = 1\r\ny = 2"),
    "src/old.py": (FILE, b"one\n"),
}
AFTER: Mapping[str, Entry] = {
    "Readme.md": (FILE, b"# Shop\n"),
    "bin/start": (EXECUTABLE, b"#!/bin/sh\nexit 0\n"),
    "art/logo.png": (FILE, b"\x89PNG\0\xff"),
    "lib/app.py": (FILE, b"x = 2\r\ny = 2"),
    "src/old.py": (FILE, b"new\n\n"),
}


def plan(repo: Repo) -> ApplyResult:
    result = apply_parsed(
        parsed(
            rename("README.md", "Readme.md"),
            rename("bin/run", "bin/start"),
            delete("bin/only/tool"),
            rename("logo.png", "art/logo.png"),
            rename("src/app.py", "lib/app.py"),
            edit("lib/app.py", "x = 1\n", "x = 2\n"),
            delete("src/old.py"),
            add("src/old.py", "new\n\n"),
        ),
        repo,
    )
    assert result.ok, [row.reason for row in result.results]
    return result


def worktree(shop: Path) -> Repo:
    return WorktreeRepo(shop)


def indexed(shop: Path) -> Repo:
    return IndexedRepo(shop, repository=open_sealed(shop, person=IDENTITY))


@pytest.mark.parametrize("open_repo", [worktree, indexed])
@pytest.mark.long
def test_undo_and_redo_bring_every_byte_and_mode(shop: Path, open_repo: Callable[[Path], Repo]) -> None:
    repo = open_repo(shop)
    result = plan(repo)
    repo.write(result.contents, "", result.modes)
    assert read_folder(shop) == AFTER
    undo_write(shop, None)
    assert read_folder(shop) == SHOP
    assert status(shop) == []
    undo_write(shop, None, redo=True)
    assert read_folder(shop) == AFTER


def test_a_commit_holds_what_was_planned_and_index_and_disk_agree(shop: Path) -> None:
    repo = sealed(shop)
    result = plan(repo)
    commit = repo.write(result.contents, "Apply\n", result.modes)
    assert commit is not None
    assert read_tree(shop, commit) == read_folder(shop) == AFTER
    assert status(shop) == []


def test_a_branch_gets_what_was_planned(shop: Path) -> None:
    git(shop, "branch", "topic")
    repo = ObjectsRepo(open_sealed(shop, person=IDENTITY), branch="topic")
    result = plan(repo)
    repo.write(result.contents, "Apply\n", result.modes)
    assert read_tree(shop, "topic") == AFTER


@pytest.mark.parametrize("options", [(), ("--index",), ("--3way",)])
@pytest.mark.long(after=2)
def test_git_applies_the_diff_of_a_plan(shop: Path, options: tuple[str, ...]) -> None:
    diff = unified_diff(plan(WorktreeRepo(shop)))
    git(shop, "apply", "--whitespace=nowarn", *options, "-", stdin=diff)
    assert read_folder(shop) == AFTER
