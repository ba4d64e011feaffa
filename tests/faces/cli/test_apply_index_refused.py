"""What `apply --index` refuses before anything is changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git
from support.indexcases import SHOP, planned, state, status, submodule

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, Refused, RepoError
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES
from editblocks.repos.git.repository import open_repository
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.staged_worktree import AsStagedRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.stores.worktree_and_index import IndexedRepo

pytestmark = pytest.mark.usefixtures("home")


# what is refused, before anything is changed


def _dirty(path: Path) -> None:
    (path / "src/app.py").write_bytes(b"x = 9\n")


def _partly_staged(path: Path) -> None:
    _dirty(path)
    git(path, "add", "src/app.py")
    (path / "src/app.py").write_bytes(b"x = 10\n")


def _untracked(path: Path) -> None:
    git(path, "rm", "-q", "--cached", "src/app.py")


def _assumed(path: Path) -> None:
    git(path, "update-index", "--assume-unchanged", "src/app.py")
    _dirty(path)


def _gone(path: Path) -> None:
    (path / "src/app.py").unlink()


def _sparse(path: Path) -> None:
    git(path, "sparse-checkout", "set", "--no-cone", "/*", "!/src/app.py")


def _filtered(path: Path) -> None:
    (path / ".git/info").mkdir(exist_ok=True)
    (path / ".git/info/attributes").write_text("*.py filter=shout\n")


def _conflict(path: Path) -> None:
    gitkit.commit(
        path, "topic", {"src/app.py": (FILE, b"x = 5\n"), **{n: e for n, e in SHOP.items() if "app" not in n}}
    )
    (path / "src/app.py").write_bytes(b"x = 6\n")
    git(path, "commit", "-qam", "ours")
    subprocess.run(
        ["git", "merge", "-q", "--allow-unrelated-histories", "topic"],
        cwd=path, env=gitkit.ISOLATED, capture_output=True, check=False,
    )  # fmt: skip
    assert status(path) == ["AA src/app.py"]


def _fifo(path: Path) -> None:
    os.mkfifo(path / "src/.gitattributes")


def _fifo_on_top(path: Path) -> None:
    os.mkfifo(path / ".gitattributes")


def _fifo_of_gits(path: Path) -> None:
    (path / ".git/info").mkdir(exist_ok=True)
    os.mkfifo(path / ".git/info/attributes")


def _fifo_behind_a_link(path: Path) -> None:
    os.mkfifo(path.parent / "fifo")
    (path / ".git/info").mkdir(exist_ok=True)
    (path / ".git/info/attributes").symlink_to(path.parent / "fifo")


def _fifo_of_the_user(path: Path) -> None:
    os.mkfifo(path.parent / "mine")
    git(path, "config", "core.attributesFile", str(path.parent / "mine"))


FIFO_PLACES = (_fifo, _fifo_on_top, _fifo_of_gits, _fifo_behind_a_link, _fifo_of_the_user)


@dataclass(frozen=True)
class No:
    prepare: object
    code: ReasonCode
    words: str
    name: str = "src/app.py"


REFUSED: Mapping[str, No] = {
    "not as it is staged": No(_dirty, ReasonCode.DIRTY_FILE, "src/app.py has unstaged changes"),
    "partly staged": No(_partly_staged, ReasonCode.DIRTY_FILE, "git add it, or stash what is not staged"),
    "not tracked": No(_untracked, ReasonCode.DIRTY_FILE, "src/app.py is not tracked by git, so all of it would be"),
    "a change that git was told not to see": No(_assumed, ReasonCode.DIRTY_FILE, "has unstaged changes"),
    "gone from the disk": No(_gone, ReasonCode.DIRTY_FILE, "src/app.py has unstaged changes"),
    "left out of the working tree": No(_sparse, ReasonCode.NOT_A_FILE, "left out of this working tree by git sparse"),
    "filtered": No(_filtered, ReasonCode.FILTERED, "src/app.py has the attribute filter, which changes it on its way"),
    "attributes in a FIFO": No(_fifo, ReasonCode.NOT_A_FILE, "src/.gitattributes is no regular file, and git would"),
    "and on top": No(_fifo_on_top, ReasonCode.NOT_A_FILE, ".gitattributes is no regular file, and git would wait"),
    "and in git's own folder": No(_fifo_of_gits, ReasonCode.NOT_A_FILE, ".git/info/attributes is no regular file"),
    "and behind a link": No(_fifo_behind_a_link, ReasonCode.NOT_A_FILE, ".git/info/attributes is no regular file"),
    "and in the user's file": No(
        _fifo_of_the_user, ReasonCode.NOT_A_FILE, "mine is no regular file, and git would wait"
    ),
    "in conflict": No(_conflict, ReasonCode.PATH_CONFLICT, "src/app.py is in conflict; resolve it and stage it first"),
    "below a submodule": No(submodule, ReasonCode.NOT_A_FILE, "lib is a submodule", "lib/app.py"),
}


@pytest.mark.parametrize("claim", REFUSED)
def test_what_is_refused_changes_nothing(shop: Path, claim: str) -> None:
    case = REFUSED[claim]
    assert callable(case.prepare)
    before = state(shop) if case.prepare in FIFO_PLACES else None
    case.prepare(shop)
    before = before or state(shop)
    with pytest.raises(EditBlocksError) as caught:
        IndexedRepo(shop, lock_seconds=0).write({case.name: b"new\n", "src/other.py": b"y = 2\n"}, "")
    assert (caught.value.code, case.words in caught.value.message) == (case.code, True), caught.value.message
    for place in (*shop.rglob(".gitattributes"), shop.parent / "mine", shop / ".git/info/attributes"):
        if case.prepare in FIFO_PLACES:
            place.unlink(missing_ok=True)  # git itself would wait for them
    assert state(shop) == before


FIFOS = ("bin/.gitattributes", "bin/.gitignore", "src/.gitignore", ".gitignore")


@pytest.mark.parametrize("name", FIFOS)
@pytest.mark.long
def test_git_does_not_wait_for_a_fifo_that_it_need_not_open(shop: Path, name: str) -> None:
    """`bin/run` looks changed, so that git would have to see how it is stored, but it is none of ours."""
    os.utime(shop / "bin/run", (1, 1))
    os.mkfifo(shop / name)
    planned(shop, {"src/app.py": b"x = 2\n"}).write({"src/app.py": b"x = 2\n"}, "")
    (shop / name).unlink()
    assert status(shop) == ["M  src/app.py"]


@pytest.mark.parametrize("make", [_fifo, _fifo_of_gits])
def test_a_hook_that_applies_does_not_let_git_wait_either(shop: Path, make: Callable[[Path], None]) -> None:
    make(shop)
    repo = AsStagedRepo(open_repository(shop), WorktreeRepo(shop), set())
    with pytest.raises(Refused, match=r"attributes is no regular file, and git would wait for it"):
        repo.write({"src/app.py": b"x = 2\n"}, "")


FILTERS = ("clean", "process")


@pytest.mark.parametrize("store", [IndexedRepo, CheckoutRepo])
@pytest.mark.parametrize("kind", FILTERS)
def test_s2_no_filter_of_the_configuration_runs(shop: Path, store: type[IndexedRepo | CheckoutRepo], kind: str) -> None:
    """A file that no block touches is as young as the index, so that git has to look into it."""
    (shop / ".git/info/attributes").write_text("bin/* filter=odd.na=me\n")
    git(shop, "config", "user.name", gitkit.NAME)
    git(shop, "config", "user.email", gitkit.EMAIL)
    git(shop, "config", f"filter.odd.na=me.{kind}", f"touch {shop.parent}/canary; cat")
    git(shop, "config", "filter.odd.na=me.required", "true")
    changed = (shop / "bin/run").read_bytes().replace(b"1", b"2")
    stamp = (shop / ".git/index").stat().st_mtime_ns
    (shop / "bin/run").write_bytes(changed)
    os.utime(shop / "bin/run", ns=(stamp, stamp))
    repo = store(shop)
    repo.read("src/app.py")
    (shop.parent / "canary").unlink(missing_ok=True)
    repo.write({"src/app.py": b"x = 2\n"}, "Change")
    assert not (shop.parent / "canary").exists()
    assert (shop / "bin/run").read_bytes() == changed


def test_filters_are_told_by_the_option_that_was_given(shop: Path) -> None:
    (shop.parent / "mine").write_text("*.py filter=shout\n")
    git(shop, "config", "core.attributesFile", str(shop.parent / "mine"))
    with pytest.raises(Refused, match="apply without --index"):
        IndexedRepo(shop).write({"src/app.py": b"new\n"}, "")


def test_another_git_at_work_is_waited_for_and_left_alone(shop: Path) -> None:
    (shop / ".git/index.lock").write_bytes(b"")
    with pytest.raises(RepoError, match=r"index\.lock is there since"):
        IndexedRepo(shop, lock_seconds=0).write({"src/app.py": b"x = 2\n"}, "")
    assert ((shop / "src/app.py").read_bytes(), (shop / ".git/index.lock").exists()) == (b"x = 1\n", True)


def test_a_bare_repository_has_nothing_to_stage_in(tmp_path: Path) -> None:
    bare = gitkit.make_repository(tmp_path / "bare", SHOP, bare=True)
    with pytest.raises(RepoError, match="is a bare repository, without files to change"):
        IndexedRepo(bare)


def test_a_file_too_large(shop: Path) -> None:
    with pytest.raises(Refused) as caught:
        IndexedRepo(shop).write({"src/app.py": b"x" * (MAX_FILE_BYTES + 1)}, "")
    assert caught.value.code is ReasonCode.TOO_LARGE
