"""`editblocks undo` where the last apply is a commit: it is git's to take back, unless git has it no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line

from editblocks.faces.cli import main as cli
from editblocks.repos.git.command import Mode
from editblocks.repos.git.commits import Identity
from editblocks.repos.journal.undo import past
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree import WorktreeRepo

SHOP = {"api.py": b"1\n", "cart.py": b"1\n"}


@pytest.fixture
def shop(shop: Path) -> Path:
    """An apply to `api.py` on disk, then one that is a commit of `cart.py`, both here still."""
    WorktreeRepo(shop).write({"api.py": b"2\n"}, "")
    apply_as_commit(shop, {"cart.py": b"2\n"})
    return shop


def apply_as_commit(root: Path, contents: dict[str, bytes | None]) -> None:
    repo = CheckoutRepo(root, mode=Mode.ISOLATED, identity=Identity("Mona", "mona@example.com"))
    assert repo.write(contents, "Apply 1 edit block\n")


def revert(shop: Path) -> None:
    git(shop, "revert", "--no-edit", "HEAD")


def revert_twice(shop: Path) -> None:
    revert(shop)
    revert(shop)


def revert_thrice(shop: Path) -> None:
    revert_twice(shop)
    revert(shop)


def revert_and_go_on(shop: Path) -> None:
    revert(shop)
    (shop / "new.py").write_bytes(b"3\n")
    git(shop, "add", "new.py")
    git(shop, "commit", "--quiet", "-m", "later")


def reset(shop: Path) -> None:
    git(shop, "reset", "--quiet", "--keep", "HEAD~1")


def amend(shop: Path) -> None:
    git(shop, "commit", "--quiet", "--amend", "-m", "mine")


def rebase(shop: Path) -> None:
    git(shop, "branch", "base", "HEAD~1")
    base = gitkit.commit(shop, "base", {"new.py": (FILE, b"3\n")})
    git(shop, "rebase", "--quiet", "--autostash", "--onto", base, "HEAD~1")


def switch(shop: Path) -> None:
    git(shop, "switch", "--quiet", "-c", "topic", "HEAD~1")


def prune(shop: Path) -> None:
    reset(shop)
    git(shop, "reflog", "expire", "--expire=now", "--all")
    git(shop, "gc", "--quiet", "--prune=now")


def go_on(shop: Path) -> None:
    (shop / "new.py").write_bytes(b"3\n")
    git(shop, "add", "new.py")
    git(shop, "commit", "--quiet", "-m", "later")


def mention(shop: Path) -> None:
    commit = line(shop, "rev-parse", "HEAD")
    another = commit[:39] + ("1" if commit[39] == "0" else "0")
    git(shop, "commit", "--quiet", "--allow-empty", "-m", f"look at\n\nThis reverts commit {another}.")


GONE, REVERTED = "which is not in the history of HEAD", "which is reverted"
PASSED = [
    (revert, REVERTED), (revert_thrice, REVERTED), (revert_and_go_on, REVERTED),
    (reset, GONE), (switch, GONE), (prune, GONE),
]  # fmt: skip
SHORT = (revert, reset)


@pytest.mark.parametrize(
    ("change", "why"),
    [pytest.param(*row, id=row[0].__name__, marks=() if row[0] in SHORT else pytest.mark.long) for row in PASSED],
)
def test_a_commit_that_is_no_more_is_passed_over(
    shop: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None], why: str
) -> None:
    commit = line(shop, "rev-parse", "--short=7", "HEAD")
    change(shop)
    first = past(shop)[-1][0].id
    passed = f"passed over commit {commit}, {why}"
    assert cli.main(["undo"]) == 0
    again = "again with: editblocks undo --redo\n"
    assert capsys.readouterr() == (f"undid {first}: restored api.py; {passed}; {again}", "")
    assert (shop / "api.py").read_bytes() == b"1\n"
    assert cli.main(["undo"]) == 2
    said = f"{passed}; nothing to undo; see editblocks undo --list"
    assert capsys.readouterr() == ("", f"editblocks: bad-command: {said}\n")


@pytest.mark.parametrize("change", [revert_twice, go_on, mention, amend, rebase])
@pytest.mark.long
def test_a_commit_that_stands_is_gits_to_take_back(
    shop: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None]
) -> None:
    commit = line(shop, "rev-parse", "--short=7", "HEAD")
    change(shop)
    assert cli.main(["undo"]) == 2
    assert f"the last apply is commit {commit}; undo with git revert {commit}, " in capsys.readouterr().err
    assert (shop / "api.py").read_bytes() == b"2\n"


def test_one_that_stands_below_one_that_is_gone(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stands = line(shop, "rev-parse", "--short=7", "HEAD")
    apply_as_commit(shop, {"cart.py": b"3\n"})
    gone = line(shop, "rev-parse", "--short=7", "HEAD")
    reset(shop)
    first = past(shop)[-1][0].id
    assert cli.main(["undo"]) == 2
    said = f"passed over commit {gone}, {GONE}; the last apply is commit {stands}; undo with git revert {stands}"
    said = f"{said}, or name an earlier one: editblocks undo {first}"
    assert capsys.readouterr() == ("", f"editblocks: bad-command: {said}\n")
