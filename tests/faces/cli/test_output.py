"""`--output FILE`: what the result of a command must never take the place of, and what it is added to."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.applykit import CART, CHANGE, CREATE, NEW_CART, TAX, Run, changed
from support.gitkit import git

from editblocks.core.errors import RepoError
from editblocks.core.settings import Settings
from editblocks.faces.cli.output import open_output
from editblocks.faces.cli.request import Request

READY = "src/cart.py:2: ready: exact (r.md:3)\nr.md: 1 ready\n"


@pytest.fixture
def shop(shop: Path, tmp_path: Path) -> Path:
    (tmp_path / "r.md").write_text(CHANGE)
    (tmp_path / "n.md").write_text(CREATE)
    return shop


def contents(folder: Path) -> Mapping[Path, object]:
    """All below a folder: text of files, and where links lead."""

    def each() -> Iterator[tuple[Path, object]]:
        for place in folder.rglob("*"):
            if place.is_symlink() or place.is_file():
                yield place, place.readlink() if place.is_symlink() else (place.read_bytes(), place.stat().st_mode)

    return dict(each())


# what a block is for


@pytest.mark.parametrize("name", ["src/tax.py", "s/tax.py", "l"])
def test_the_file_that_a_block_creates(shop: Path, run: Run, name: str) -> None:
    (shop / "s").symlink_to("src")
    (shop / "l").symlink_to("src/tax.py")
    before = contents(shop)
    ran = run("apply", "--output", name, "../n.md")
    words = "--output names src/tax.py, which a block is for; give it another place"
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: bad-command: {words}\n")
    assert contents(shop) == before


def test_a_link_to_a_file_that_a_block_changes(shop: Path, run: Run) -> None:
    (shop / "l").symlink_to("src/cart.py")
    assert run("apply", "--output", "l", "../r.md").code == 2
    assert (shop / "src/cart.py").read_bytes() == CART


OTHERS = (
    "out changed while the result of this command was made, so the result is not in it; give --output another place"
)


@pytest.mark.parametrize("before", [None, "as long", "shorter"])
@pytest.mark.parametrize("is_new_file", [False, True])
def test_what_came_there_meanwhile_stays(shop: Path, before: str | None, is_new_file: bool) -> None:
    place = shop / "out"
    if before is not None:
        place.write_text(before)
        os.utime(place, (1, 1))
    request = Request("apply", (), shop, Settings(), output="out")

    def write() -> None:
        with open_output(request, []) as output:
            if is_new_file:
                place.unlink(missing_ok=True)
            place.write_text("written")
            output.put_exactly(b"result\n")

    with pytest.raises(RepoError) as caught:
        write()
    assert caught.value.message == OTHERS
    assert place.read_text() == "written"
    assert list(shop.glob(".editblocks-*")) == []


# what is git's


@pytest.mark.parametrize("name", ["g/HEAD", "src/l2", "g/new", ".git/config", ".GIT/new", "own/HEAD", "dangling"])
def test_gits_own_folder_whatever_it_is_called(shop: Path, run: Run, name: str) -> None:
    (shop / "g").symlink_to(".git")
    (shop / "src/l2").symlink_to("../.git/HEAD")
    (shop / "dangling").symlink_to(".git/new")
    git(shop, "init", "-q", "--separate-git-dir", str(shop / "own"), str(shop / "other"))
    before = contents(shop)
    ran = run("check", "-q", "--output", name, "../r.md")
    words = f"--output {name} is in git's own folder; give it another place"
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: bad-command: {words}\n")
    assert contents(shop) == before


@pytest.mark.parametrize("name", ["HEAD", "new", "refs/heads/new", "worktrees/tree/HEAD", "../tree/.git"])
def test_a_bare_repository_and_a_linked_worktree(
    shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    bare = shop.parent / "bare"
    git(shop, "clone", "-q", "--bare", ".", str(bare))
    git(bare, "worktree", "add", "-q", "--detach", "../tree")
    monkeypatch.chdir(bare)
    before = contents(bare)
    ran = run("check", "--rev", "HEAD", "--output", name, "../r.md")
    words = f"--output {name} is in git's own folder; give it another place"
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: bad-command: {words}\n")
    assert contents(bare) == before


# what a person protects, and reads settings from


@pytest.mark.parametrize(
    "name", ["own.yml", *(pytest.param(each, marks=pytest.mark.long) for each in ("link", "hard"))]
)
def test_the_file_of_config(shop: Path, run: Run, name: str) -> None:
    (shop / "own.yml").write_text("matching: exact\n")
    (shop / "link").symlink_to("own.yml")
    (shop / "hard").hardlink_to(shop / "own.yml")
    before = contents(shop)
    ran = run("apply", "--config", "own.yml", "--output", name, "../r.md")
    words = f"--output names {name}, where settings are read from; give it another place"
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: bad-command: {words}\n")
    assert contents(shop) == before


KEPT = (
    ("locked", "--output locked is read-only; make it writable, or give it another place"),
    ("lock", "--output lock is read-only; make it writable, or give it another place"),
    (".editblocks.yml", "--output names .editblocks.yml, where settings are read from; give it another place"),
    ("src/../.editblocks.yml", "--output names .editblocks.yml, where settings are read from; give it another place"),
    ("settings", "--output names .editblocks.yml, where settings are read from; give it another place"),
)


@pytest.mark.parametrize("has_settings", [False, True])
@pytest.mark.parametrize(("name", "words"), KEPT)
def test_a_file_that_is_kept(shop: Path, run: Run, name: str, words: str, has_settings: bool) -> None:
    (shop / "locked").write_text("mine")
    (shop / "locked").chmod(0o444)
    (shop / "lock").symlink_to("locked")
    (shop / "settings").symlink_to(".editblocks.yml")
    if has_settings:
        (shop / ".editblocks.yml").write_text("matching: exact\n")
    before = contents(shop)
    ran = run("apply", "--output", name, "../r.md")
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: bad-command: {words}\n")
    assert contents(shop) == before


def test_a_link_that_leads_to_itself(shop: Path, run: Run) -> None:
    (shop / "loop").symlink_to("loop")
    ran = run("apply", "--output", "loop", "../r.md")
    assert (ran.code, (shop / "src/cart.py").read_bytes(), (shop / "loop").is_symlink()) == (2, CART, True)
    assert ran.err.startswith("editblocks: unavailable: loop cannot be written: too many levels of symbolic links; ")


# what is open already


def shell(folder: Path, script: str) -> tuple[int, str, str]:
    """Run a line of sh in which `editblocks` is the program."""
    text = f'editblocks() {{ {shlex.quote(sys.executable)} -I -m editblocks "$@"; }}\n{script}'
    done = subprocess.run(["sh", "-c", text], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


OPEN = [  # what the shell redirects, the place
    (">>log", "/dev/stdout"),
    (">log", "/dev/stdout"),
    (">>log", "/dev/fd/1"),
    (">>log", "/proc/self/fd/1"),
    (">>log", "out"),
    ("2>>log >&2", "/dev/stderr"),
    ("7>>log >&7", "/dev/fd/7"),
    (">>log", "/proc/$$/fd/1"),
]


@pytest.mark.long
@pytest.mark.parametrize(("redirected", "name"), OPEN)
def test_a_result_is_added_to_what_is_open(tmp_path: Path, shop: Path, redirected: str, name: str) -> None:
    (tmp_path / "out").symlink_to("/dev/stdout")
    script = f"{{ echo before; editblocks check -q --root shop --output {name} r.md; echo after; }} {redirected}"
    assert shell(tmp_path, script) == (0, "", "")
    assert shop.is_dir()
    assert (tmp_path / "log").read_text() == f"before\n{READY}after\n"
    assert [each.name for each in tmp_path.glob(".editblocks-*")] == []


def test_a_dash_is_standard_output(tmp_path: Path, shop: Path) -> None:
    assert shell(tmp_path, "editblocks check -q --root shop r.md --output - | cat") == (0, READY, "")
    assert (shop.is_dir(), (tmp_path / "-").exists()) == (True, False)


def test_a_pipe_and_a_device(tmp_path: Path, shop: Path) -> None:
    line = "editblocks check -q --root shop r.md --output"
    assert shell(tmp_path, f"{line} /dev/stdout | cat") == (0, READY, "")
    assert shell(tmp_path, f"{line} /dev/null") == (0, "", "")
    assert shop.is_dir()
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.long
@pytest.mark.parametrize("name", ["/dev/stdin </dev/null", "/dev/fd/9", "/dev/fd/99999999999999999999"])
def test_what_is_not_open_for_writing(tmp_path: Path, shop: Path, name: str) -> None:
    code, out, err = shell(tmp_path, f"editblocks apply --root shop r.md --output {name}")
    assert (code, out, changed(shop)) == (2, "", {})
    assert err.startswith(f"editblocks: unavailable: {name.partition(' ')[0]} cannot be written: ")


def test_a_full_device(tmp_path: Path, shop: Path) -> None:
    code, out, err = shell(tmp_path, "editblocks apply --root shop r.md n.md --output /dev/full")
    assert (code, out, changed(shop)) == (2, "", {"src/cart.py": NEW_CART, "src/tax.py": TAX})
    assert err.startswith("editblocks: unavailable: applied 1 block ")
    assert ", but /dev/full cannot be written: no space left on device; give --output another place\n" in err
