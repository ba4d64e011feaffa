"""New objects are taken in together, or nothing of them is left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git

from editblocks.core.errors import RepoError
from editblocks.repos.git.command import Mode
from editblocks.repos.git.quarantine import quarantine
from editblocks.repos.git.repository import Repository, open_repository

TREE = {"README.md": (FILE, b"# Shop\n")}


@pytest.fixture
def repository(bare: Path) -> Repository:
    return open_repository(bare, Mode.ISOLATED)


def store(repository: Repository, spoil: str | None = None, take: bool = True) -> str:
    """Put a blob into quarantine and take it in; `spoil` is a folder whose place is taken by a file."""
    with quarantine(repository) as (apart, take_in):
        blob = apart.git.ask("hash-object", "-w", "--stdin", stdin=b"new\n").decode().strip()
        if spoil:
            (Path(apart.git.environment["GIT_OBJECT_DIRECTORY"]) / spoil).mkdir()
            (repository.common_dir / "objects" / spoil).touch()
        if take:
            take_in()
    return blob


@pytest.mark.parametrize("prepare", [False, True], ids=["a new folder", "a folder that is there"])
def test_what_is_taken_in_is_there_for_everybody(repository: Repository, prepare: bool) -> None:
    if prepare:
        git(repository.git_dir, "hash-object", "-w", "--stdin", stdin=b"new\n")
    assert git(repository.git_dir, "cat-file", "blob", store(repository)) == b"new\n"
    assert list(repository.git_dir.glob("objects/tmp_*")) == []


def test_what_is_not_taken_in_is_gone(repository: Repository) -> None:
    before = gitkit.snapshot(repository.git_dir)
    store(repository, take=False)
    assert gitkit.snapshot(repository.git_dir) == before


def test_a_disk_that_says_no_is_one_sentence(repository: Repository) -> None:
    with pytest.raises(RepoError, match="objects cannot be written: no such file or directory; nothing was changed"):
        store(replace(repository, common_dir=repository.git_dir / "none"))
    with pytest.raises(RepoError, match="objects cannot be written: not a directory; nothing was changed"):
        store(repository, spoil="zz")
    assert list(repository.git_dir.glob("objects/tmp_*")) == []
