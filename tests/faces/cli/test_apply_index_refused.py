"""What `apply --index` refuses before anything is changed."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support import gitkit
from support.gitkit import FILE, git
from support.indexcases import SHOP, state, status, submodule
from support.repositories import open_sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, Refused, RepoError
from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.checkout import CheckoutRepo, IndexedRepo

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


class No(NamedTuple):
    prepare: object
    code: ReasonCode
    words: str
    name: str = "src/app.py"


REFUSED: Mapping[str, No] = {
    "not as it is staged": No(_dirty, ReasonCode.DIRTY_FILE, "src/app.py has unstaged changes"),
    "partly staged": No(_partly_staged, ReasonCode.DIRTY_FILE, "git add it, or stash what is not staged"),
    "not tracked": No(_untracked, ReasonCode.DIRTY_FILE, "src/app.py is not tracked by git, so the whole file"),
    "a change that git was told not to see": No(_assumed, ReasonCode.DIRTY_FILE, "has unstaged changes"),
    "gone from the disk": No(_gone, ReasonCode.DIRTY_FILE, "src/app.py has unstaged changes"),
    "left out of the working tree": No(_sparse, ReasonCode.NOT_A_FILE, "left out of this working tree by git sparse"),
    "filtered": No(_filtered, ReasonCode.FILTERED, "src/app.py has the attribute filter, so git would store it"),
    "in conflict": No(_conflict, ReasonCode.PATH_CONFLICT, "src/app.py is in conflict; resolve it and stage it first"),
    "below a submodule": No(submodule, ReasonCode.NOT_A_FILE, "lib is a submodule", "lib/app.py"),
}


@pytest.mark.parametrize("claim", REFUSED)
@pytest.mark.long(after=2)
def test_what_is_refused_changes_nothing(shop: Path, claim: str) -> None:
    case = REFUSED[claim]
    assert callable(case.prepare)
    case.prepare(shop)
    before = state(shop)
    with pytest.raises(EditBlocksError) as caught:
        IndexedRepo(shop, repository=open_sealed(shop, mode=Mode.USER)).write(
            {case.name: b"new\n", "src/other.py": b"y = 2\n"}, ""
        )
    assert (caught.value.code, case.words in caught.value.message) == (case.code, True), caught.value.message
    assert state(shop) == before


FILTERS = ("clean", "process")


@pytest.mark.parametrize("store", [IndexedRepo, CheckoutRepo])
@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.long(after=1)
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
    with pytest.raises(RepoError, match=r"index\.lock exists; remove"):
        IndexedRepo(shop, repository=open_sealed(shop, mode=Mode.USER)).write({"src/app.py": b"x = 2\n"}, "")
    assert ((shop / "src/app.py").read_bytes(), (shop / ".git/index.lock").exists()) == (b"x = 1\n", True)


def test_a_bare_repository_has_nothing_to_stage_in(tmp_path: Path) -> None:
    bare = gitkit.make_repository(tmp_path / "bare", SHOP, bare=True)
    with pytest.raises(RepoError, match="is a bare repository, without files to change"):
        IndexedRepo(bare)
