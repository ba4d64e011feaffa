"""`apply --commit` after a kill: what repos/test_kills.py does to a process, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.checkoutkit import MESSAGE, PLAN, sealed, state, status
from support.gitkit import FILE, git, line, read_tree

from editblocks.core.errors import RepoError
from editblocks.repos.git.command import Mode
from editblocks.repos.git.repository import open_repository
from editblocks.repos.index.next_index import next_index
from editblocks.repos.stores.worktree import WorktreeRepo

# After a kill: what tests/repos/test_kills.py does to a process, step by step.


def killed_after_the_files(shop: Path, commit: str) -> str:
    """Leave `PLAN` as a process does that was killed when it was about to commit, or had; the id of its entry."""
    repo = WorktreeRepo(shop)
    repo.write(PLAN, "")
    place = shop / ".git/editblocks" / f"{repo.receipt}.done"
    place.rename(place.with_name(f"{repo.receipt}.committing{commit}"))
    return repo.receipt or ""


def test_s19_a_commit_that_was_made_is_followed_by_the_index(shop: Path) -> None:
    (shop / "staged").write_bytes(b"1\n")
    git(shop, "add", "staged")
    index = (shop / ".git/index").read_bytes()
    entry = killed_after_the_files(shop, "")
    git(shop, "add", *PLAN)
    git(shop, "commit", "--quiet", "-m", "ours", "--", *PLAN)
    commit = line(shop, "rev-parse", "HEAD")
    (shop / ".git/index").write_bytes(index)
    place = shop / ".git/editblocks" / f"{entry}.committing"
    place.rename(f"{place}-{commit}")
    repo = sealed(shop)
    assert [str(it) for it in repo.recoveries] == [f"the commit {entry} was interrupted and is finished now"]
    assert (repo.head, status(shop)) == (commit, ["A  staged"])
    assert state(shop)[0] == {**read_tree(shop, "main"), "staged": (FILE, b"1\n")}


def test_s19_what_somebody_staged_since_stays_staged(shop: Path) -> None:
    index = (shop / ".git/index").read_bytes()
    entry = killed_after_the_files(shop, "")
    git(shop, "add", *PLAN)
    git(shop, "commit", "--quiet", "-m", "ours")
    (shop / ".git/index").write_bytes(index)
    git(shop, "rm", "--quiet", "--force", "--cached", "src/app.py")
    place = shop / ".git/editblocks" / f"{entry}.committing"
    place.rename(f"{place}-{line(shop, 'rev-parse', 'HEAD')}")
    sealed(shop)
    assert status(shop) == ["D  src/app.py", "?? src/app.py"]


@pytest.mark.long
@pytest.mark.parametrize("commit", ["", f"-{'a' * 40}"], ids=["not made", "made, but on no branch"])
def test_s19_a_commit_that_is_on_no_branch_is_taken_back(shop: Path, commit: str) -> None:
    before = state(shop)
    entry = killed_after_the_files(shop, commit)
    repo = sealed(shop)
    assert [str(it) for it in repo.recoveries] == [f"the commit {entry} was interrupted and is taken back now"]
    assert state(shop) == before


def test_s19_our_own_lock_and_index_go_when_their_owner_is_dead(shop: Path) -> None:
    (shop / ".git/index.lock").write_bytes(b"editblocks\n")
    for name in (f"editblocks-{'0' * 16}.index", f"editblocks-{'0' * 16}.index.lock"):
        (shop / ".git" / name).write_bytes(b"")
    assert sealed(shop).write({"README.md": b"x\n"}, MESSAGE) == line(shop, "rev-parse", "main")
    assert (state(shop)[1], (shop / ".git/index.lock").exists()) == ([], False)


def test_our_own_lock_stays_as_long_as_its_owner_lives(shop: Path) -> None:
    with next_index(open_repository(shop, Mode.ISOLATED), 0) as index:
        assert (shop / ".git/index.lock").read_bytes() == b"editblocks\n"
        with pytest.raises(RepoError, match=r"index\.lock is there since \d+ s; remove it if no other git is at work"):
            sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
        index.install()
    assert status(shop) == []


LINKS = [b"editblocks\n", b""]


@pytest.mark.parametrize("data", LINKS)
def test_a_lock_that_is_a_link_is_left_alone(shop: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "target").write_bytes(data)
    (shop / ".git/index.lock").symlink_to(tmp_path / "target")
    with pytest.raises(RepoError, match=r"index\.lock is there since"):
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert ((shop / ".git/index.lock").is_symlink(), (tmp_path / "target").read_bytes()) == (True, data)


def test_a_commit_is_remembered_as_one(shop: Path) -> None:
    commit = sealed(shop).write(PLAN, MESSAGE)
    assert [place.suffix for place in (shop / ".git/editblocks").glob("2*")] == [f".committed-{commit}"]
