"""What becomes of a response file such as `.edits/reply.md` when its blocks are applied."""

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from support.applykit import CHANGE, CREATE, FITS, MISS, NEW_CART, PARTLY, TAX, Run, changed
from support.gitkit import git, line
from support.hookkit import call

NAME = ".edits/reply.md"
WRITTEN: Mapping[str, bytes | None] = {"src/cart.py": NEW_CART, "src/tax.py": TAX}


@pytest.fixture
def shop(shop: Path) -> Path:
    (shop / ".edits").mkdir()
    return shop


def _left(path: Path) -> None:
    assert (path / NAME).is_file()


def _committed(path: Path) -> None:
    git(path, "add", NAME)
    git(path, "commit", "-qm", "ask")


def _staged(path: Path) -> None:
    git(path, "add", NAME)


def _kept_by_policy(path: Path) -> None:
    (path / ".editblocks.yml").write_text("after-apply: keep\n")


class Case(NamedTuple):
    """A call of `apply .edits/reply.md`. `stays`: whether the file is still on disk."""

    options: str
    stays: bool
    prepare: Callable[[Path], None] = _left
    text: str = FITS
    code: int = 0
    files: Mapping[str, bytes | None] = WRITTEN


CART_ALONE: Mapping[str, bytes | None] = {"src/cart.py": NEW_CART}
CASES: Mapping[str, Case] = {
    "it goes with its last block": Case("", False),
    "it goes if it was committed, too": Case("", False, _committed),
    "it stays if that is asked for": Case("--keep", True),
    "it stays if the policy says so": Case("", True, _kept_by_policy),
    "the environment is no policy": Case("--isolated", False, _kept_by_policy),
    "it stays if a block failed": Case("", True, text=PARTLY, code=1, files={}),
    "it stays if only part of it was written": Case("--partial", True, text=PARTLY, code=1, files=CART_ALONE),
    "it stays if only some were chosen": Case("--only 1", True, files=CART_ALONE),
    "it stays for the others, staged or not": Case("--only 1 --index", True, files=CART_ALONE),
    "it stays for those that failed, staged or not": Case(
        "--partial --index", True, text=PARTLY, code=1, files=CART_ALONE
    ),
    "it goes if all were chosen": Case("--only 1-2", False),
    "it goes if all that is ready is all": Case("--only ready", False),
    "it goes if nothing is left to do": Case("", False, text=CREATE.replace("src/tax.py", "README.md").replace(
        "<<<<<<< SEARCH\n=======\nRATE = 7\n", "<<<<<<< SEARCH\n# Shop\n=======\n# Shop\n"
    ), files={}),
    "it stays if there is no block": Case("", True, text="only prose\n", code=1, files={}),
    "a commit takes it along": Case("--commit", False, _committed),
    "a commit leaves one that was not committed": Case("--commit", True),
    "a commit leaves one that is only staged": Case("--commit", True, _staged),
    "a commit leaves it if that is asked for": Case("--commit --keep", True, _committed),
    "the index loses one that was committed": Case("--index", False, _committed),
    "the index loses one that is staged": Case("--index", False, _staged),
    "the index knows nothing of one that is not staged": Case("--index", True),
    "another branch takes none along": Case("--branch topic", True, files={}),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("claim", CASES)
def test_what_becomes_of_a_response_file(shop: Path, run: Run, claim: str) -> None:
    case = CASES[claim]
    (shop / NAME).write_text(case.text)
    case.prepare(shop)
    git(shop, "branch", "topic")
    ran = run("apply", NAME, *case.options.split())
    written = {name: data for name, data in changed(shop).items() if name != ".editblocks.yml"}
    assert (ran.code, ran.err, (shop / NAME).exists(), written) == (case.code, "", case.stays, case.files)


def test_only_the_removal_is_said_if_nothing_is_left_to_apply(shop: Path, run: Run) -> None:
    (shop / NAME).write_text(CHANGE)
    assert run("apply", "--keep", NAME).code == 0
    said = run("apply", NAME)
    assert said.out.splitlines()[-1].startswith(
        f"nothing to apply: block 1 already-applied; removed {NAME}; undo with: "
    )
    assert not (shop / NAME).exists()


def test_a_commit_holds_the_change_and_the_removal(shop: Path, run: Run) -> None:
    (shop / NAME).write_text(FITS)
    _committed(shop)
    assert run("apply", NAME, "--commit").code == 0
    names = line(shop, "show", "--name-status", "--format=", "HEAD").split("\n")
    assert names == [f"D\t{NAME}", "M\tsrc/cart.py", "A\tsrc/tax.py"]
    assert " Removed: 1 response file.\n" in git(shop, "log", "-1", "--format=%B").decode()
    assert git(shop, "status", "--porcelain") == b""


def test_the_index_holds_the_change_and_the_removal(shop: Path, run: Run) -> None:
    (shop / NAME).write_text(FITS)
    _committed(shop)
    assert run("apply", NAME, "--index").code == 0
    status = git(shop, "status", "--porcelain").decode().splitlines()
    assert status == [f"D  {NAME}", "M  src/cart.py", "A  src/tax.py"]


@pytest.mark.long
def test_a_file_that_was_edited_since_its_commit_is_in_the_way_of_the_next(shop: Path, run: Run) -> None:
    (shop / NAME).write_text("to be written\n")
    _committed(shop)
    (shop / NAME).write_text(FITS)
    ran = run("apply", NAME, "--commit")
    said = f"dirty-file: {NAME} has changes that are not committed; commit or stash them first"
    assert (ran.code, ran.err, changed(shop)) == (2, f"editblocks: {said}\n", {})
    assert run("apply", NAME, "--commit", "--keep").code == 0
    assert (shop / NAME).read_text() == FITS


def test_undo_brings_it_back(shop: Path, run: Run) -> None:
    (shop / NAME).write_text(FITS)
    assert run("apply", NAME).code == 0
    assert not (shop / NAME).exists()
    assert run("undo").code == 0
    assert ((shop / NAME).read_text(), changed(shop)) == (FITS, {})


@pytest.mark.long
def test_what_is_no_response_file_stays(shop: Path, run: Run, tmp_path: Path) -> None:
    for place in (shop / "reply.md", shop / ".edits/deep/reply.md", shop / "docs/.edits/reply.md", tmp_path / "r.md"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(CREATE)
        name = place.relative_to(shop).as_posix() if place.is_relative_to(shop) else "../r.md"
        assert run("apply", name).code == 0
        assert place.is_file()


def test_no_file_is_one_where_the_policy_names_none(shop: Path, run: Run) -> None:
    (shop / NAME).write_text(FITS)
    (shop / ".editblocks.yml").write_text("response-files: []\n")
    assert run("apply", NAME).code == 0
    assert (shop / NAME).is_file()


@pytest.mark.long
def test_a_file_is_one_where_the_policy_names_it(shop: Path, run: Run) -> None:
    (shop / "replies").mkdir()
    (shop / "replies/a.txt").write_text(FITS)
    (shop / ".editblocks.yml").write_text('response-files: ["replies/*.txt"]\n')
    assert run("apply", "replies/a.txt").code == 0
    assert not (shop / "replies").exists()


@pytest.mark.long
def test_a_name_through_another_folder_is_the_same_file(shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / NAME).write_text(FITS)
    monkeypatch.chdir(shop / "src")
    assert run("apply", f"../src/../{NAME}").code == 0
    assert not (shop / NAME).exists()


def test_below_another_root_it_is_none(shop: Path, run: Run, tmp_path: Path) -> None:
    (shop / NAME).write_text(CREATE)
    (tmp_path / "plain").mkdir()
    ran = run("apply", NAME, "--root", "../plain")
    assert (ran.code, (shop / NAME).is_file(), (tmp_path / "plain/src/tax.py").read_bytes()) == (0, True, TAX)


@pytest.mark.long
def test_a_response_behind_a_link_is_read_and_stays(shop: Path, run: Run, tmp_path: Path) -> None:
    """Neither a folder that is a link nor a file that is one is ours to remove from."""
    (shop / ".edits").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/reply.md").write_text(CREATE)
    (shop / ".edits").symlink_to(tmp_path / "elsewhere")
    assert run("apply", NAME).code == 0
    assert (tmp_path / "elsewhere/reply.md").is_file()
    (shop / ".edits").unlink()
    (shop / ".edits").mkdir()
    (shop / NAME).symlink_to(tmp_path / "elsewhere/reply.md")
    ran = run("apply", NAME)
    assert ((tmp_path / "elsewhere/reply.md").is_file(), (shop / NAME).is_symlink(), ran.code) == (True, True, 2)


# several


@pytest.mark.long
def test_of_two_files_each_goes_with_its_own_blocks(shop: Path, run: Run) -> None:
    (shop / ".edits/a.md").write_text(CHANGE)
    (shop / ".edits/b.md").write_text(PARTLY)
    (shop / ".edits/c.md").write_text(CREATE)
    ran = run("apply", ".edits/a.md", ".edits/b.md", ".edits/c.md")
    assert (ran.code, sorted(place.name for place in (shop / ".edits").iterdir())) == (1, ["b.md"])
    assert changed(shop) == WRITTEN
    assert run("undo").code == 0
    assert sorted(place.name for place in (shop / ".edits").iterdir()) == ["b.md", "c.md"]
    assert run("undo").code == 0
    assert sorted(place.name for place in (shop / ".edits").iterdir()) == ["a.md", "b.md", "c.md"]
    assert changed(shop) == {}


ORDERS: Sequence[Sequence[str]] = (("a.md", "none.md"), ("none.md", "a.md"))


@pytest.mark.parametrize("names", ORDERS, ids=" ".join)
@pytest.mark.long
def test_a_source_that_cannot_be_read_stops_all(shop: Path, run: Run, names: Sequence[str]) -> None:
    (shop / ".edits/a.md").write_text(CHANGE)
    ran = run("apply", *(f".edits/{name}" for name in names))
    assert (ran.code, changed(shop), (shop / ".edits/a.md").is_file()) == (2, {}, True)
    assert ran.err.startswith("editblocks: file-not-found: there is no .edits/none.md; ")


# what another process does to a response file after it was read


class Meanwhile(io.BytesIO):
    """A second response, on stdin: reading it is when the first one, which was read before it, changes."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__(b"only prose\n")
        self._act = act

    def read(self, size: int | None = -1, /) -> bytes:
        self._act()
        return super().read(size)


ADDED = FITS + MISS
CHANGED_MEANWHILE: Mapping[str, tuple[str, Callable[[Path], None]]] = {
    "it was left there": ("", _left),
    "it was committed": ("--commit", _committed),
    "it was staged": ("--index", _staged),
}


@pytest.mark.parametrize("claim", CHANGED_MEANWHILE)
@pytest.mark.long
def test_a_file_that_changed_after_it_was_read_stops_its_blocks(
    shop: Path, claim: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options, prepare = CHANGED_MEANWHILE[claim]
    (shop / NAME).write_text(FITS)
    prepare(shop)

    def append() -> None:
        (shop / NAME).write_text(ADDED)
        if options:
            prepare(shop)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Meanwhile(append)))
    ran = call(capfd, "apply", NAME, "-", *options.split())
    said = f"stale: {NAME} changed after it was read, so nothing from it was written; look at it again"
    assert (ran.code, ran.err, changed(shop)) == (2, f"editblocks: {said}\n", {})
    assert (shop / NAME).read_text() == ADDED


@pytest.mark.long
def test_a_file_that_is_gone_after_it_was_read_stops_nothing(
    shop: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / NAME).write_text(FITS)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Meanwhile((shop / NAME).unlink)))
    ran = call(capfd, "apply", NAME, "-")
    assert (ran.err, changed(shop)) == ("", WRITTEN)


@pytest.mark.parametrize("options", [[], pytest.param(["--commit"], marks=pytest.mark.long)])
@pytest.mark.long
def test_the_folder_that_one_stands_in_stays(
    shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    (shop / NAME).write_text(FITS)
    _committed(shop)
    monkeypatch.chdir(shop / ".edits")
    assert run("apply", *options, "reply.md").code == 0
    assert list(Path.cwd().iterdir()) == []
    if not options:
        assert run("undo").code == 0
        assert Path("reply.md").read_text() == FITS
