"""A submodule that is in the index alone is none of ours, whichever way is asked for and whatever is on disk there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.applykit import CHANGE, Run, block, changed
from support.gitkit import SUBMODULE, SUBMODULE_ID, git

from editblocks.repos.stores.worktree import WorktreeRepo


@pytest.fixture
def shop(shop: Path) -> Path:
    git(shop, "update-index", "--add", "--cacheinfo", f"{SUBMODULE},{SUBMODULE_ID.decode()},vendor/lib")
    git(shop, "commit", "--quiet", "-m", "Add a library")
    return shop


def nothing(lib: Path) -> None:
    assert not lib.parent.exists()


def parent(lib: Path) -> None:
    lib.parent.mkdir()


def folder(lib: Path) -> None:
    lib.mkdir(parents=True)


def files(lib: Path) -> None:
    """What an older version, or a person, has put there."""
    lib.mkdir(parents=True)
    (lib / "old.py").write_bytes(b"x = 1\n")


def plain_file(lib: Path) -> None:
    parent(lib)
    lib.write_bytes(b"x = 1\n")


WAYS = ["check", "check --staged", "check --rev HEAD", "diff", "apply", "apply --index", "apply --commit"]
ANSWERS = {
    "a new file": block("vendor/lib/new.py", "", "y = 1\n"),
    "a new folder": block("vendor/lib/a/new.py", "", "y = 1\n"),
    "an edit": block("vendor/lib/old.py", "x = 1\n", "x = 2\n"),
    "an edit of itself": block("vendor/lib", "x = 1\n", "x = 2\n"),
    "a file in its place": block("vendor/lib", "", "y = 1\n"),
}
PLACES = (nothing, parent, folder, files, plain_file)
CASES = [
    *((way, place, answer) for way in WAYS for place, answer in zip(PLACES, ANSWERS, strict=True)),
    *(("apply", place, answer) for place in PLACES for answer in ANSWERS),
]
SHORT = [
    ("apply", nothing, "a new file"),
    ("check", nothing, "a new file"),
    ("diff", plain_file, "a file in its place"),
]


@pytest.mark.parametrize(
    ("way", "place", "answer"),
    [pytest.param(*case, marks=() if case in SHORT else pytest.mark.long) for case in dict.fromkeys(CASES)],
)
@pytest.mark.long(after=1)
def test_s15_nothing_is_written_into_it(
    shop: Path, run: Run, way: str, place: Callable[[Path], None], answer: str
) -> None:
    place(shop / "vendor/lib")
    before = changed(shop), git(shop, "ls-files", "--stage"), git(shop, "rev-parse", "HEAD")
    ran = run(*way.split(), "-", stdin=ANSWERS[answer])
    said = "not-a-file: vendor/lib is a submodule; edit it in its own repository"
    assert (ran.code, said in ran.out + ran.err) == (1, True), ran
    assert (changed(shop), git(shop, "ls-files", "--stage"), git(shop, "rev-parse", "HEAD")) == before


@pytest.mark.parametrize("way", ["apply", "apply --index", "apply --commit"])
@pytest.mark.long(after=2)
def test_what_is_beside_it_is_written(shop: Path, run: Run, way: str) -> None:
    ran = run(*way.split(), "-", stdin=CHANGE + block("vendor/library.py", "", "y = 1\n"))
    assert (ran.code, set(changed(shop))) == (0, {"src/cart.py", "vendor/library.py"}), ran


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.long(after=2)
def test_it_is_listed(shop: Path, place: Callable[[Path], None]) -> None:
    place(shop / "vendor/lib")
    entries = WorktreeRepo(shop).entries
    assert (entries("")["vendor"], entries("vendor"), entries("vendor/lib")) == ("040000", {"lib": SUBMODULE}, {})


def test_one_that_is_in_conflict_with_a_file_is_a_submodule(shop: Path, run: Run) -> None:
    git(shop, "rm", "--quiet", "--cached", "vendor/lib")
    file = git(shop, "rev-parse", "HEAD:src/cart.py").decode().strip()
    stages = ((SUBMODULE, SUBMODULE_ID.decode()), (SUBMODULE, SUBMODULE_ID.decode()), ("100644", file))
    rows = (f"{mode} {name} {stage}\tvendor/lib\n" for stage, (mode, name) in enumerate(stages, 1))
    git(shop, "update-index", "--index-info", stdin="".join(rows).encode())
    ran = run("apply", "-", stdin=ANSWERS["a new file"])
    assert (ran.code, "vendor/lib is a submodule" in ran.out, changed(shop)) == (1, True, {}), ran
