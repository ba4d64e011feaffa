"""`apply --index`: files and index change together, nothing else is staged, and what cannot be is refused."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, SUBMODULE, SUBMODULE_ID, Entry, git, line, read_folder

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, RepoError
from editblocks.faces.cli import main as cli
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES
from editblocks.repos.git.repository import open_repository
from editblocks.repos.journal import undo as journal_history
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.staged_worktree import AsStagedRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.repos.stores.worktree_and_index import IndexedRepo

SHOP: Mapping[str, Entry] = {
    "bin/run": (EXECUTABLE, b"#!/bin/sh\necho 1\n"),
    "src/app.py": (FILE, b"x = 1\n"),
    "src/other.py": (FILE, b"y = 1\n"),
}
Contents = Mapping[str, bytes | None]


@pytest.fixture(autouse=True)
def _scrubbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    gitkit.scrub(monkeypatch, home)
    monkeypatch.delenv("PRE_COMMIT", raising=False)


def status(path: Path) -> list[str]:
    return git(path, "status", "--porcelain", "--untracked-files=all").decode().splitlines()


def staged(path: Path) -> dict[str, bytes]:
    rows = git(path, "ls-files", "--stage", "-z").split(b"\0")[:-1]
    return {os.fsdecode(row.partition(b"\t")[2]): row.partition(b"\t")[0] for row in rows}


def state(path: Path) -> tuple[dict[str, Entry], list[str], dict[str, bytes]]:
    """All that a refused write must leave as it is; and no lock or index of ours beside it."""
    odd = [place.name for place in (path / ".git").iterdir() if place.suffix in {".lock", ".index"}]
    assert odd == []
    return read_folder(path), status(path), staged(path)


def planned(path: Path, contents: Contents) -> IndexedRepo:
    repo = IndexedRepo(path, lock_seconds=0)
    repo.prefetch(contents)
    for name in contents:
        repo.read(name)
    return repo


# what a write does: `contents` are written, `expected` is what git says of the files afterwards

WRITES: tuple[tuple[str, Contents, list[str]], ...] = (
    ("a change is staged", {"src/app.py": b"x = 2\n"}, ["M  src/app.py"]),
    ("a new file is staged", {"docs/a b.md": b"new\n"}, ['A  "docs/a b.md"']),
    ("a removal is staged", {"src/app.py": None}, ["D  src/app.py"]),
    ("a mode stays", {"bin/run": b"#!/bin/sh\n"}, ["M  bin/run"]),
    ("all at once", {"src/app.py": None, "src/other.py": b"y\n", "z": b""}, [
        "D  src/app.py", "M  src/other.py", "A  z",
    ]),
    ("nothing to do", {"src/app.py": b"x = 1\n"}, []),
    ("nothing at all", {}, []),
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("claim", "contents", "expected"), WRITES, ids=[row[0] for row in WRITES])
def test_a_write_is_on_disk_and_staged(shop: Path, claim: str, contents: Contents, expected: list[str]) -> None:
    head = line(shop, "rev-parse", "HEAD")
    planned(shop, contents).write(contents, "")
    assert (status(shop), line(shop, "rev-parse", "HEAD")) == (expected, head), claim
    assert git(shop, "fsck", "--strict", "--no-dangling") == b""
    git(shop, "commit", "--allow-empty", "-qm", "as it is staged")
    tree = {name: entry for name, entry in gitkit.read_tree(shop, "HEAD").items() if name in contents}
    assert tree == {
        name: (SHOP[name][0] if name in SHOP else FILE, data) for name, data in contents.items() if data is not None
    }


def test_what_else_is_staged_or_changed_stays_so(shop: Path) -> None:
    (shop / "src/other.py").write_bytes(b"y = 2\n")
    git(shop, "add", "src/other.py")
    (shop / "src/other.py").write_bytes(b"y = 3\n")
    (shop / "new.txt").write_bytes(b"not ours\n")
    contents = {"src/app.py": b"x = 2\n"}
    planned(shop, contents).write(contents, "")
    assert status(shop) == ["M  src/app.py", "MM src/other.py", "?? new.txt"]


def test_a_file_that_differs_from_the_commit_may_be_changed_as_it_is_staged(shop: Path) -> None:
    (shop / "src/app.py").write_bytes(b"x = 2\n")
    (shop / "fresh.py").write_bytes(b"z = 1\n")
    git(shop, "add", "src/app.py", "fresh.py")
    contents = {"src/app.py": b"x = 3\n", "fresh.py": b"z = 2\n"}
    planned(shop, contents).write(contents, "")
    assert status(shop) == ["A  fresh.py", "M  src/app.py"]
    assert git(shop, "show", ":src/app.py") == b"x = 3\n"


def test_one_write_follows_another(shop: Path) -> None:
    repo = planned(shop, {"src/app.py": None})
    repo.write({"src/app.py": b"x = 2\n", "a/new": b"1\n"}, "")
    assert (repo.read("src/app.py"), repo.read("a/new")) == (b"x = 2\n", b"1\n")
    repo.write({"src/app.py": b"x = 1\n", "a/new": None}, "")
    assert (status(shop), (shop / "a").exists()) == ([], False)


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "fresh"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    repo = IndexedRepo(path)
    assert repo.head is None
    repo.write({"src/app.py": b"x = 1\n"}, "")
    assert status(path) == ["A  src/app.py"]


def test_line_ends_are_stored_as_git_add_stores_them(shop: Path) -> None:
    git(shop, "config", "core.autocrlf", "true")
    (shop / "src/app.py").write_bytes(b"x = 1\r\n")
    contents = {"src/app.py": b"x = 2\r\n"}
    planned(shop, contents).write(contents, "")
    assert (git(shop, "show", ":src/app.py"), (shop / "src/app.py").read_bytes()) == (b"x = 2\n", b"x = 2\r\n")
    assert status(shop) == ["M  src/app.py"]


def test_a_linked_working_tree_has_its_own_index(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "topic")
    contents = {"src/app.py": b"x = 2\n"}
    planned(tmp_path / "linked", contents).write(contents, "")
    assert (status(tmp_path / "linked"), status(shop)) == (["M  src/app.py"], [])


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


def _submodule(path: Path) -> None:
    git(path, "update-index", "--add", "--cacheinfo", f"{SUBMODULE},{SUBMODULE_ID.decode()},lib")
    (path / "lib").mkdir()


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
    "below a submodule": No(_submodule, ReasonCode.NOT_A_FILE, "lib is a submodule", "lib/app.py"),
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


class _Stopped(BaseException):
    """A signal, as far as a write can tell."""


EFFECTS = ("create", "write", "fsync", "replace", "sync")


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.long
def test_a_signal_leaves_files_and_index_as_they_were(shop: Path, effect: str) -> None:
    before, heard = state(shop), list[str]()

    def stop(name: str, path: str) -> None:
        if name == effect and not heard:
            heard.append(path)
            raise _Stopped

    with pytest.raises(_Stopped):
        IndexedRepo(shop, before_effect=stop).write({"src/app.py": b"x = 2\n", "src/other.py": b"y = 2\n"}, "")
    assert (state(shop), len(heard)) == (before, 1)


KILL = """
import os, sys
from itertools import count
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree_and_index import IndexedRepo
numbers = count(1)
def stop(name, path):
    if name == sys.argv[2] and next(numbers) == int(sys.argv[3]):
        os._exit(9)
repo = IndexedRepo(sys.argv[1], before_effect=stop)
repo.write({"src/app.py": b"x = 2\\n", "src/other.py": b"y = 2\\n"}, "")
"""


def take_back(path: Path) -> None:
    """Whatever there is to take back: often the kill came before there was anything."""
    with suppress(Refused):
        journal_history.take_back(path, None)


def write_another(path: Path) -> None:
    with suppress(HeadMoved):
        WorktreeRepo(path).write({"another": b"1\n"}, "")


@pytest.mark.parametrize("act", [take_back, write_another])
@pytest.mark.parametrize("effect", ["create", "replace", "mark"])
@pytest.mark.long
def test_a_kill_leaves_no_lock_behind_the_next_start(shop: Path, effect: str, act: Callable[[Path], None]) -> None:
    command = [sys.executable, "-c", KILL, str(shop), effect, "1"]
    assert subprocess.run(command, check=False).returncode == 9
    assert (shop / ".git/index.lock").exists()
    act(shop)
    assert not (shop / ".git/index.lock").exists()


def _staged_since(path: Path) -> None:
    git(path, "add", "src/app.py")


def _staged_all_since(path: Path) -> None:
    git(path, "add", "--all")


def _edited_since(path: Path) -> None:
    (path / "src/app.py").write_bytes(b"theirs\n")


def _committed_since(path: Path) -> None:
    git(path, "commit", "-qm", "as it is staged")


def _reset_since(path: Path) -> None:
    git(path, "reset", "-q")


def _nothing_since(path: Path) -> None:
    assert path.is_dir()


# The kill comes when the files are new, before or after the index is; then somebody else is at work, then the next
# start, which leaves alone what they did.
BEFORE, AFTER = "1", "2"  # the journal is marked twice: for what is going to be staged, and when all is done
MAYBE = "finished now, but may not be staged; git add what it wrote"
LEFT = "left alone, as changed since: src/app.py"
KILLED: Mapping[str, tuple[str, Callable[[Path], None], str, list[str]]] = {
    "not staged": (BEFORE, _nothing_since, "taken back now", []),
    "not staged, one by hand": (BEFORE, _staged_since, MAYBE, ["M  src/app.py", " M src/other.py"]),
    "not staged, all by hand": (BEFORE, _staged_all_since, MAYBE, ["M  src/app.py", "M  src/other.py"]),
    "not staged, and edited": (BEFORE, _edited_since, f"taken back now; {LEFT}", [" M src/app.py"]),
    "staged": (AFTER, _nothing_since, "finished now", ["M  src/app.py", "M  src/other.py"]),
    "staged, and committed": (AFTER, _committed_since, "finished now", []),
    "staged, and edited": (AFTER, _edited_since, f"finished now; {LEFT}", ["MM src/app.py", "M  src/other.py"]),
    "staged, and taken back by hand": (AFTER, _reset_since, "taken back now", []),
}


FAST = {"not staged", "not staged, one by hand", "staged"}


@pytest.mark.long
@pytest.mark.parametrize("claim", [pytest.param(it, marks=() if it in FAST else pytest.mark.long) for it in KILLED])
def test_s19_files_and_index_are_one_after_a_kill(shop: Path, claim: str) -> None:
    when, act, said, expected = KILLED[claim]
    assert subprocess.run([sys.executable, "-c", KILL, str(shop), "mark", when], check=False).returncode == 9
    assert (shop / "src/app.py").read_bytes() == b"x = 2\n"
    (shop / ".git/index.lock").unlink()  # as git tells people to do
    act(shop)
    [recovered] = IndexedRepo(shop).recovered
    assert (str(recovered).partition(" was interrupted and is ")[2], status(shop)) == (said, expected)


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.long
def test_a_kill_between_line_ends_alone_takes_the_files_back(shop: Path, when: str) -> None:
    """Git has nothing to stage then, so nothing says how far the write was, and all old is as good as all new."""
    git(shop, "config", "core.autocrlf", "true")
    (shop / "src/app.py").write_bytes(b"x = 2\r\n")
    (shop / "src/other.py").write_bytes(b"y = 2\r\n")
    git(shop, "commit", "-qam", "what is going to be written, but for line ends")
    assert subprocess.run([sys.executable, "-c", KILL, str(shop), "mark", when], check=False).returncode == 9
    assert [it.finished for it in IndexedRepo(shop).recovered] == [False]
    differs = git(shop, "diff", "HEAD", "--numstat") + git(shop, "diff", "--numstat")
    assert ((shop / "src/app.py").read_bytes(), differs) == (b"x = 2\r\n", b"")


def test_an_index_that_cannot_be_replaced_leaves_the_files_as_they_were(shop: Path) -> None:
    """A folder in its place stands for a disk that says no; git itself cannot read it then, and so is not asked."""
    files, index = read_folder(shop), shop / ".git/index"

    def take_away(name: str, path: str) -> None:
        if name == "sync" and path == "src" and index.is_file():
            index.rename(index.with_name("kept"))
            index.mkdir()
            (index / "in-the-way").write_bytes(b"")

    with pytest.raises(RepoError, match="index cannot be replaced: "):
        IndexedRepo(shop, before_effect=take_away).write({"src/app.py": b"x = 2\n"}, "")
    (index / "in-the-way").unlink()
    index.rmdir()
    index.with_name("kept").rename(index)
    assert (read_folder(shop), status(shop)) == (files, [])


# the contract of every store, as far as it is not that of the working tree


def test_entries_name_a_submodule_that_was_not_fetched(shop: Path) -> None:
    _submodule(shop)
    repo = IndexedRepo(shop)
    assert dict(repo.entries("")) == {"bin": "040000", "lib": SUBMODULE, "src": "040000"}
    assert dict(repo.entries("lib")) == {}
    assert dict(repo.entries("src")) == {"app.py": FILE, "other.py": FILE}


def test_an_earlier_commit_can_be_read(shop: Path) -> None:
    read = IndexedRepo(shop).at(line(shop, "rev-parse", "HEAD"))
    assert read is not None
    assert read("src/app.py") == b"x = 1\n"


# through the command

CHANGE = "src/app.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
CREATE = "new.py\n```\n<<<<<<< SEARCH\n=======\nz = 3\n>>>>>>> REPLACE\n```\n"


def run(path: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: str = CHANGE) -> int:
    monkeypatch.chdir(path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
    return cli.main(arguments)


def test_the_command_stages_what_it_writes(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(shop, monkeypatch, "apply", "-", "--index") == 0
    said = capfd.readouterr()
    assert (said.err, status(shop)) == ("", ["M  src/app.py"])
    assert "applied 1 block to 1 file, +1 -1; undo with: editblocks undo " in said.out
    assert said.out.endswith(", then git add what it restores\n")


def test_the_command_says_what_is_in_the_way(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (shop / "src/app.py").write_bytes(b"# mine\nx = 1\n")
    assert run(shop, monkeypatch, "apply", "-", "--index") == 2
    expected = "editblocks: dirty-file: src/app.py has unstaged changes; git add it, or stash "
    assert capfd.readouterr().err == f"{expected}what is not staged\n"
    assert status(shop) == [" M src/app.py"]


def test_undo_puts_the_files_back_and_git_add_the_index(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The journal is of files alone. As they were staged before, to stage them again is all that is left to do."""
    assert run(shop, monkeypatch, "apply", "-", "--index", stdin=CHANGE + CREATE) == 0
    assert run(shop, monkeypatch, "undo") == 0
    out, err = capfd.readouterr()
    assert "; removed new.py; still staged: new.py, src/app.py, until you git add them; again with: " in out
    assert (err, status(shop)) == ("", ["AD new.py", "MM src/app.py"])
    git(shop, "add", "src/app.py", "new.py")
    assert ((shop / "src/app.py").read_bytes(), status(shop)) == (b"x = 1\n", [])


def _commits(path: Path) -> None:
    git(path, "commit", "--quiet", "--all", "-m", "Keep it")


def _takes_out(path: Path) -> None:
    git(path, "reset", "--quiet")


def _stages_more(path: Path) -> None:
    blob = line(path, "rev-parse", "HEAD:bin/run")
    git(path, "update-index", "--cacheinfo", f"{FILE},{blob},src/app.py")


NOT_STAGED = [
    ("--index", _commits),
    ("--index", _takes_out),
    ("--index", _stages_more),
    ("", _commits),
    ("", _takes_out),
]


@pytest.mark.parametrize(("option", "then"), NOT_STAGED)
@pytest.mark.long
def test_undo_says_nothing_of_what_is_not_staged_any_more(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    option: str,
    then: Callable[[Path], None],
) -> None:
    assert run(shop, monkeypatch, "apply", "-", *option.split()) == 0
    then(shop)
    assert run(shop, monkeypatch, "undo") == 0
    assert "staged" not in capfd.readouterr().out.splitlines()[-1]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from editblocks.faces.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.long
@pytest.mark.parametrize("option", ["--index", "--commit"])
def test_s20_an_index_that_cannot_be_copied_is_named(tmp_path: Path, option: str) -> None:
    shop = gitkit.make_repository(tmp_path / "shop", {**SHOP, **{f"f{n}": (FILE, b"") for n in range(60)}})
    response = "src/app.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
    before = state(shop)
    command = [sys.executable, "-c", LIMITED, "apply", option, "-"]
    done = subprocess.run(command, cwd=shop, input=response, capture_output=True, text=True, check=False)
    said = "editblocks: unavailable: .git/index cannot be copied: file too large; nothing was changed\n"
    assert (done.returncode, done.stderr.splitlines(keepends=True)[-1:]) == (2, [said])
    assert state(shop) == before
