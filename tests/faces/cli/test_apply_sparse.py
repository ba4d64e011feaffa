"""A sparse checkout: what it leaves out is named and not made anew, whichever way is asked for; objects have it all."""

from pathlib import Path

import pytest
from support.applykit import CHANGE, CREATE, NEW_CART, Run, block
from support.gitkit import git, line, read_folder

from editblocks.core.errors import UnreadableFile
from editblocks.repos.stores.worktree import WorktreeRepo

ANEW = block("src/cart.py", "", "x = 1\n")
CONE = ["--cone", "--sparse-index", "docs"]
PATTERNS = ["--no-cone", "/*", "!/src/cart.py"]
SAID = "src/cart.py is left out of this working tree by git sparse-checkout; bring it in with git sparse-checkout add"


def sparse(path: Path, *options: str) -> None:
    git(path, "sparse-checkout", "set", *options)
    assert not (path / "src/cart.py").exists()


WAYS = ["check", "diff", "apply", "apply --index", "apply --commit"]
CASES = [
    (way, kind, answer) for way in WAYS for kind in ("cone", "patterns") for answer in ("edit", "anew")
]  # each way says it of each answer


@pytest.mark.parametrize(
    ("way", "kind", "answer"),
    [pytest.param(*case, marks=() if case[0] == "apply" else pytest.mark.long) for case in CASES],
)
def test_what_is_left_out_is_named_and_left_alone(shop: Path, run: Run, way: str, kind: str, answer: str) -> None:
    sparse(shop, *(CONE if kind == "cone" else PATTERNS))
    before = read_folder(shop), git(shop, "ls-files", "-t", "--stage"), line(shop, "rev-parse", "HEAD")
    ran = run(*way.split(), "-", stdin=CHANGE if answer == "edit" else ANEW)
    assert (ran.code, f"not-a-file: {SAID}" in ran.out + ran.err) == (1, True), ran
    assert (read_folder(shop), git(shop, "ls-files", "-t", "--stage"), line(shop, "rev-parse", "HEAD")) == before


@pytest.mark.parametrize(
    ("way", "place"), [("check --rev HEAD", ""), ("check --staged", ""), ("apply --branch topic", "topic")]
)
@pytest.mark.long
def test_what_is_read_from_git_is_all_there(shop: Path, run: Run, way: str, place: str) -> None:
    git(shop, "branch", "topic")
    sparse(shop, *CONE)
    assert run(*way.split(), "-", stdin=CHANGE).code == 0
    if place:
        assert git(shop, "show", f"{place}:src/cart.py") == NEW_CART


@pytest.mark.parametrize("way", ["apply", "apply --index", "apply --commit"])
@pytest.mark.long
def test_a_new_file_is_made_even_where_the_others_are_left_out(shop: Path, run: Run, way: str) -> None:
    sparse(shop, *CONE)
    assert run(*way.split(), "-", stdin=CREATE).code == 0
    assert (shop / "src/tax.py").read_bytes() == b"RATE = 7\n"


def test_a_folder_that_is_left_out_is_one(shop: Path) -> None:
    sparse(shop, *CONE)
    repo = WorktreeRepo(shop)
    repo.prefetch(["src", "no/such.py", "../x"])
    with pytest.raises(UnreadableFile, match="src is a folder; name a file in it"):
        repo.read("src")
    assert repo.read("no/such.py") is None


def test_what_is_only_gone_is_not_left_out(shop: Path) -> None:
    sparse(shop, *CONE)
    git(shop, "sparse-checkout", "disable")
    (shop / "src/cart.py").unlink()
    assert WorktreeRepo(shop).read("src/cart.py") is None
