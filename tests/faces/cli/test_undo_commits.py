"""`editblocks undo` where the last apply is a commit: it is git's to take back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.gitkit import git, line
from support.repositories import open_sealed

from editblocks.faces.cli import main as cli
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.undo import history

SHOP = {"api.py": b"1\n", "cart.py": b"1\n"}


@pytest.fixture
def shop(shop: Path) -> Path:
    """An apply to `api.py` on disk, then one that is a commit of `cart.py`, both here still."""
    WorktreeRepo(shop).write({"api.py": b"2\n"}, "")
    apply_as_commit(shop, {"cart.py": b"2\n"})
    return shop


def apply_as_commit(root: Path, contents: dict[str, bytes | None]) -> None:
    repo = CheckoutRepo(root, repository=open_sealed(root, person=("Mona", "mona@example.com")))
    assert repo.write(contents, "Apply 1 edit block\n")


def revert(shop: Path) -> None:
    git(shop, "revert", "--no-edit", "HEAD")


def reset(shop: Path) -> None:
    git(shop, "reset", "--quiet", "--keep", "HEAD~1")


def nothing(shop: Path) -> None:
    del shop


@pytest.mark.parametrize("change", [nothing, revert])
@pytest.mark.long(after=1)
def test_a_commit_is_gits_to_take_back_and_what_came_before_it_has_to_be_named(
    shop: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None]
) -> None:
    commit = line(shop, "rev-parse", "--short=7", "HEAD")
    change(shop)
    first = history(shop)[-1][0].id
    assert cli.main(["undo"]) == 2
    said = f"the last apply is commit {commit}; undo with git revert {commit}, or name an earlier one: editblocks undo"
    assert capsys.readouterr() == ("", f"editblocks: {said} {first}\n")
    assert cli.main(["undo", first]) == 0
    assert (shop / "api.py").read_bytes() == b"1\n"


def lose_the_commit(shop: Path) -> None:
    """Git forgets the object as well, as it does some weeks later."""
    reset(shop)
    git(shop, "reflog", "expire", "--expire=now", "--all")
    git(shop, "gc", "--quiet", "--prune=now")


@pytest.mark.parametrize("change", [reset, lose_the_commit])
@pytest.mark.long(after=1)
def test_a_commit_that_is_not_on_the_branch_any_more_is_passed_over(
    shop: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None]
) -> None:
    second, first = (record.id for record, _ in history(shop))
    commit = line(shop, "rev-parse", "--short=7", "HEAD")
    change(shop)
    assert cli.main(["undo", second]) == 2
    assert f"{second} is commit {commit}; undo with git revert {commit}" in capsys.readouterr().err
    assert cli.main(["undo"]) == 0
    assert capsys.readouterr().out.startswith(f"undid {first}: restored api.py; redo with: editblocks undo --redo\n")
    assert (shop / "api.py").read_bytes() == b"1\n"
    assert cli.main(["undo"]) == 2
    assert "nothing to undo" in capsys.readouterr().err


@pytest.mark.long
def test_where_the_only_apply_was_reset_there_is_nothing_to_undo(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(shop, "checkout", "--quiet", "api.py")
    assert cli.main(["undo", history(shop)[1][0].id]) == 0
    reset(shop)
    capsys.readouterr()
    assert cli.main(["undo"]) == 2
    assert "nothing to undo; see editblocks undo --list" in capsys.readouterr().err
