"""`apply --commit` after a kill: what repos/test_kills.py does to a process, step by step."""

from pathlib import Path

import pytest
from support.checkoutkit import MESSAGE, PLAN, sealed, state, status
from support.gitkit import FILE, git, line, read_folder, read_tree
from support.records import interrupt, kept

from editblocks.core.errors import RepoError
from editblocks.repos.records import Step
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.undo import history, undo_write

# After a kill: what tests/repos/test_kills.py does to a process, step by step.


def killed_after_the_files(shop: Path) -> str:
    """Leave `PLAN` as a process does that was killed when it was about to commit, or had; the id of its record."""
    repo = WorktreeRepo(shop)
    repo.kind = "commit"
    repo.write(PLAN, "")
    interrupt(shop, repo.record_id or "")
    return repo.record_id or ""


def test_s19_a_commit_that_was_made_is_followed_by_the_index(shop: Path) -> None:
    (shop / "staged").write_bytes(b"1\n")
    git(shop, "add", "staged")
    index = (shop / ".git/index").read_bytes()
    name = killed_after_the_files(shop)
    git(shop, "add", *PLAN)
    git(shop, "commit", "--quiet", "-m", "ours", "--", *PLAN)
    commit = line(shop, "rev-parse", "HEAD")
    (shop / ".git/index").write_bytes(index)
    repo = sealed(shop)
    assert [str(it) for it in repo.recoveries] == [f"the commit {name} was interrupted and is now finished"]
    assert (repo.head, status(shop)) == (commit, ["A  staged"])
    assert state(shop)[0] == {**read_tree(shop, "main"), "staged": (FILE, b"1\n")}
    assert kept(shop) == {name: "committed"}


def test_s19_a_commit_that_was_not_made_is_taken_back(shop: Path) -> None:
    before = state(shop)
    name = killed_after_the_files(shop)
    repo = sealed(shop)
    assert [str(it) for it in repo.recoveries] == [f"the commit {name} was interrupted and is now rolled back"]
    assert state(shop) == before


LINKS = [b"editblocks\n", b""]


@pytest.mark.parametrize("data", LINKS)
def test_a_lock_that_is_a_link_is_left_alone(shop: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "target").write_bytes(data)
    (shop / ".git/index.lock").symlink_to(tmp_path / "target")
    with pytest.raises(RepoError, match=r"index\.lock exists; remove"):
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert ((shop / ".git/index.lock").is_symlink(), (tmp_path / "target").read_bytes()) == (True, data)


def test_a_commit_is_remembered_as_one(shop: Path) -> None:
    commit = sealed(shop).write(PLAN, MESSAGE)
    [(record, _)] = history(shop)
    assert (record.step, record.commit) == (Step.COMMITTED, commit)


@pytest.mark.parametrize(("count", "result"), [(0, "finished"), (1, "rolled back")])
@pytest.mark.long(after=1)
def test_an_interrupted_undo_of_a_commit_that_was_not_made_is_called_an_undo(
    shop: Path, count: int, result: str
) -> None:
    before = read_folder(shop)
    name = killed_after_the_files(shop)
    others = next(iter(PLAN))
    (shop / others).write_bytes(b"of others\n")
    assert sealed(shop).recoveries[0].changed_by_others == [others]
    (shop / others).write_bytes(before[others][1])
    undo_write(shop, name, redo=True)
    after = read_folder(shop)
    for path in list(PLAN)[count:]:  # the process was killed when so many files still had the new bytes
        (shop / path).unlink(missing_ok=True)
        if path in before:
            (shop / path).write_bytes(before[path][1])
    interrupt(shop, name, Step.UNDOING)
    repo = sealed(shop)
    assert [str(it) for it in repo.recoveries] == [f"the undo {name} was interrupted and is now {result}"]
    assert kept(shop) == {name: "undone" if result == "finished" else "done"}
    assert read_folder(shop) == (before if result == "finished" else after)
