"""`editblocks undo` as people type it: what it says, what it changes, and how it ends."""

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, Entry, line, make_repository, read_folder
from support.killkit import folder_state
from support.records import interrupt
from support.repositories import open_sealed
from support.responses import block

from editblocks.core.errors import EditBlocksError, RepoError
from editblocks.faces.cli import main as cli
from editblocks.faces.cli.undo import main as undo
from editblocks.repos.records import Step, is_unfinished
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree import Disk, WorktreeRepo
from editblocks.repos.undo import history, undo_write

SHOP: Mapping[str, Entry] = {"src/api.py": (FILE, b"y = 1\n"), "src/cart.py": (FILE, b"x = 1\nz = 1\n")}
PLAN: Mapping[str, bytes | None] = {
    "src/cart.py": b"x = 2\nz = 1\nw = 3\n",
    "src/api.py": b"y = 2\n",
    "src/pricing/tax.py": b"1\n2\n",
}
NOON = 1795089600.0  # 2026-11-19T12:00:00Z


@pytest.fixture
def shop(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop, one of whose folders is the current one."""
    monkeypatch.chdir(shop / "src")
    return shop


def apply(root: Path, contents: Mapping[str, bytes | None] = PLAN) -> str | None:
    repo = WorktreeRepo(root, disk=Disk(clock=lambda: NOON))
    repo.write(contents, "")
    return repo.record_id


def test_the_words_of_undo_and_redo(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = folder_state(shop)
    apply(shop)
    after = folder_state(shop)
    assert cli.main(["undo"]) == 0
    assert capsys.readouterr() == (
        "undid 20261119-1: restored src/api.py, src/cart.py; removed src/pricing/tax.py; "
        "redo with: editblocks undo --redo\n",
        "",
    )
    assert folder_state(shop) == before
    assert cli.main(["undo", "--redo"]) == 0
    assert capsys.readouterr() == (
        "redid 20261119-1: changed src/api.py, src/cart.py; made src/pricing/tax.py; undo with: editblocks undo\n",
        "",
    )
    assert folder_state(shop) == after


@pytest.mark.long
def test_what_follows_is_about_the_same_files(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    apply(shop, {"src/api.py": b"y = 2\n"})
    monkeypatch.chdir(tmp_path)
    assert cli.main(["undo", "--root", "shop"]) == 0
    assert capsys.readouterr().out.endswith("; redo with: editblocks undo --redo --root shop\n")
    assert cli.main(["undo", "--redo", "--root", "shop"]) == 0
    assert capsys.readouterr().out.endswith("; undo with: editblocks undo --root shop\n")


def test_an_id_is_named_in_what_follows(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apply(shop, {"src/api.py": b"y = 2\n"})
    apply(shop, {"src/cart.py": None})
    assert cli.main(["undo", "20261119-1"]) == 0
    assert "; redo with: editblocks undo 20261119-1 --redo\n" in capsys.readouterr().out
    assert cli.main(["undo", "20261119-1", "--redo"]) == 0
    assert "; undo with: editblocks undo 20261119-1\n" in capsys.readouterr().out
    assert cli.main(["undo"]) == 0
    assert capsys.readouterr().out.startswith("undid 20261119-2: restored src/cart.py; redo with")
    assert (shop / "src/cart.py").read_bytes() == SHOP["src/cart.py"][1]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("packed-refs", "packed-refs.lock': File exists; remove that file if no other git process is running"),
        ("refs/editblocks/apply/20261119-2", "cannot lock ref 'refs/editblocks/apply/20261119-2'"),
    ],
)
def test_an_apply_that_cannot_be_recorded_keeps_what_was_undone(
    shop: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
) -> None:
    apply(shop, {"src/api.py": b"y = 2\n"})
    cli.main(["undo"])
    before = folder_state(shop)
    lock = shop / f".git/{name}.lock"
    lock.touch()
    repo = WorktreeRepo(shop, repository=open_sealed(shop), disk=Disk(clock=lambda: NOON))  # does not wait for locks
    with pytest.raises(RepoError, match=re.escape(reason)):
        repo.write({"src/api.py": b"y = 3\n"}, "")
    assert (folder_state(shop), is_unfinished(shop / ".git")) == (before, False)
    capsys.readouterr()
    cli.main(["undo", "--list"])
    assert capsys.readouterr().out == "20261119-1  2026-11-19 12:00 UTC  undone       src/api.py\n"
    lock.unlink()
    assert cli.main(["undo", "--redo"]) == 0


def test_the_list(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["undo", "--list"]) == 0
    assert capsys.readouterr().out == "there is nothing to undo yet\n"
    apply(shop)
    apply(shop, {f"many/{number}.txt": b"no line end" for number in range(12)})
    cli.main(["undo"])
    capsys.readouterr()
    before = gitkit.snapshot(shop)
    assert cli.main(["undo", "--list"]) == 0
    names = ", ".join(f"many/{number}.txt" for number in (0, 1, 10, 11, *range(2, 8)))
    assert capsys.readouterr().out == (
        f"20261119-2  2026-11-19 12:00 UTC  undone       {names} and 2 more\n"
        "20261119-1  2026-11-19 12:00 UTC  done         src/api.py, src/cart.py, src/pricing/tax.py\n"
    )
    assert gitkit.snapshot(shop) == before, "a list writes nothing"


@pytest.mark.long
def test_the_list_shows_what_cannot_be_read_and_what_was_interrupted(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    apply(shop)
    apply(shop, {"src/api.py": b"lost\n"})
    blob = line(shop, "rev-parse", "refs/editblocks/apply/20261119-2:after/src/api.py")
    (shop / ".git/objects" / blob[:2] / blob[2:]).unlink()
    interrupt(shop, "20261119-1")
    assert cli.main(["undo", "--list"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("20261119-2  unreadable: refs/editblocks/apply/20261119-2 cannot be used: the bytes of ")
    assert lines[1].startswith("20261119-1  2026-11-19 12:00 UTC  interrupted  ")


REFUSED = [  # the command, what is said, whether the file was edited
    ("undo 7", "there is no apply `7` here; see editblocks undo --list"),
    ("undo '\x1b[2J'", r"there is no apply `\x1b[2J` here; see editblocks undo --list"),
    ("undo --redo", "nothing to redo; see editblocks undo --list"),
    (
        "undo 20261119-1 --redo",
        "20261119-1 is not undone; undo with editblocks undo 20261119-1",
    ),
    ("undo --list 20261119-1", "--list takes no id and no --redo; it shows them all"),
    ("undo --root ''", "--root is empty; name a folder"),
    (
        "undo --root ..",
        ".. is not the top of a git repository, so there is nothing to undo; name one with --root",
    ),
    ("undo --root src", "--root src is inside the repository {shop}, and paths start at its top; "
     "leave --root out"),
]  # fmt: skip


@pytest.mark.parametrize("root", ["bare", "bare/hooks", ".git"])
@pytest.mark.parametrize("command", ["undo", "undo --redo", "undo --list"])
@pytest.mark.long(after=2)
def test_where_git_keeps_its_own_files(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, root: str
) -> None:
    make_repository(shop / "bare", SHOP, bare=True)
    monkeypatch.chdir(shop)
    assert cli.main([*command.split(), "--root", root]) == 2
    advice = "name the folder of your files with --root"
    said = f"{root} is a .git folder or a bare repository, so there is nothing to undo; {advice}"
    if root == "bare/hooks":
        said = f"{root} is not the top of a git repository, so there is nothing to undo; name one with --root"
    assert capsys.readouterr() == (
        "",
        f"editblocks: {said}\n",
    )


@pytest.mark.parametrize(("command", "said"), REFUSED)
@pytest.mark.long
def test_what_is_refused_changes_nothing(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, said: str
) -> None:
    monkeypatch.chdir(shop)
    apply(shop)
    before = folder_state(shop)
    assert cli.main(shlex.split(command)) == 2
    assert capsys.readouterr() == ("", f"editblocks: {said.format(shop=shop)}\n")
    assert folder_state(shop) == before


@pytest.mark.long
def test_what_is_undone_already_is_said(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apply(shop)
    cli.main(["undo"])
    capsys.readouterr()
    assert cli.main(["undo", "20261119-1"]) == 2
    assert capsys.readouterr().err == (
        "editblocks: 20261119-1 is already undone; redo with editblocks undo 20261119-1 --redo\n"
    )
    assert cli.main(["undo"]) == 2
    assert capsys.readouterr().err == ("editblocks: nothing to undo; see editblocks undo --list\n")


@pytest.mark.long
def test_files_that_changed_since_are_all_named(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apply(shop)
    (shop / "src/cart.py").write_bytes(b"theirs\n")
    (shop / "src/pricing/tax.py").write_bytes(b"theirs\n")
    before = read_folder(shop)
    assert cli.main(["undo"]) == 2
    assert capsys.readouterr().err == (
        "editblocks: dirty-file: src/cart.py, src/pricing/tax.py changed since 20261119-1, so nothing was undone; "
        "undo the later applies first (editblocks undo --list), or take back your own edit\n"
    )
    assert read_folder(shop) == before


@pytest.mark.long
def test_a_redo_of_files_that_changed_since_is_refused(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apply(shop)
    cli.main(["undo"])
    (shop / "src/cart.py").write_bytes(b"theirs\n")
    capsys.readouterr()
    assert cli.main(["undo", "--redo"]) == 2
    assert capsys.readouterr().err == (
        "editblocks: dirty-file: src/cart.py changed since 20261119-1 was undone, so nothing was written; "
        "undo the later applies first (editblocks undo --list), or take back your own edit\n"
    )


@pytest.mark.long
def test_the_face_alone_takes_a_root(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apply(shop)
    monkeypatch.chdir(tmp_path)
    assert undo(argparse.Namespace(id=None, list=False, redo=False, root=str(shop))) == 0
    assert (shop / "src/api.py").read_bytes() == b"y = 1\n"
    with pytest.raises(EditBlocksError, match="is not the top of a git repository"):
        undo(argparse.Namespace(id=None, list=False, redo=False, root=None))


INTERRUPTED = [  # the command; the step of the last entry, how many of its files are new; what is said, and is left
    ("undo", "applying", 1, "the apply 20261119-2 was interrupted and is now rolled back", "", "first"),
    ("undo", "applying", 2, "the apply 20261119-2 was interrupted and is now finished", "undid 20261119-2:", "first"),
    ("undo", "undoing", 1, "the undo 20261119-2 was interrupted and is now rolled back", "undid 20261119-2:", "first"),
    ("undo", "undoing", 0, "the undo 20261119-2 was interrupted and is now finished", "", "first"),
    ("undo", "redoing", 1, "the redo 20261119-2 was interrupted and is now rolled back", "", "first"),
    ("undo --redo", "redoing", 1, "the redo 20261119-2 was interrupted and is now rolled back", "redid", "second"),
    ("undo --redo", "redoing", 2, "the redo 20261119-2 was interrupted and is now finished", "", "second"),
    ("undo --redo", "undoing", 1, "the undo 20261119-2 was interrupted and is now rolled back", "", "second"),
    ("undo --redo", "undoing", 0, "the undo 20261119-2 was interrupted and is now finished", "redid", "second"),
    ("undo 20261119-2", "applying", 1, "the apply 20261119-2 was interrupted and is now rolled back", "", "first"),
    ("undo 20261119-1", "undoing", 0, "the undo 20261119-2 was interrupted and is now finished", "undid", "tree"),
]


@pytest.mark.long
@pytest.mark.parametrize("case", INTERRUPTED, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}")
def test_undo_after_a_kill_does_what_a_person_means(
    shop: Path, capsys: pytest.CaptureFixture[str], case: tuple[str, str, int, str, str, str]
) -> None:
    command, step, new, said, did, left = case
    sides = {"tree": (b"x = 1\nz = 1\n", b"y = 1\n"), "first": (b"first\n", b"y = 1\n"), "second": (b"2\n", b"2\n")}
    paths = ("src/cart.py", "src/api.py")
    apply(shop, {"src/cart.py": b"first\n"})
    apply(shop, dict(zip(paths, sides["second"], strict=True)))
    for path, data in list(zip(paths, sides["first"], strict=True))[new:]:
        (shop / path).write_bytes(data)
    interrupt(shop, "20261119-2", Step(step))
    assert cli.main(command.split()) == 0
    out, err = capsys.readouterr()
    assert err == f"editblocks: {said}\n"
    assert (out.startswith(did), bool(out)) == (True, bool(did))
    assert tuple((shop / path).read_bytes() for path in paths) == sides[left]


@pytest.mark.long
def test_a_response_file_that_went_with_its_apply_comes_back(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shop)
    (shop / ".edits").mkdir()
    (shop / ".edits/cart.md").write_text(block("y = 1\n", "y = 2\n", "src/api.py"))
    before = read_folder(shop)
    assert cli.main(["apply", ".edits/cart.md"]) == 0
    record_id = re.search(r"undo with: editblocks undo (\d{8}-1)$", capsys.readouterr().out, re.MULTILINE)
    assert record_id
    assert not (shop / ".edits").exists()
    assert cli.main(["undo", record_id[1]]) == 0
    assert read_folder(shop) == before


@pytest.mark.long
def test_nobody_reads_to_the_end(shop: Path) -> None:
    apply(shop)
    command = f"{shlex.quote(sys.executable)} -m editblocks undo >/dev/full"
    done = subprocess.run(["sh", "-c", command], cwd=shop, env=gitkit.ISOLATED, capture_output=True, check=False)
    assert (done.returncode, b"standard output cannot be written" in done.stderr) == (2, True)
    assert (shop / "src/api.py").read_bytes() == b"y = 1\n", "it is done all the same"


@pytest.mark.long
def test_a_redo_names_its_id_where_undo_alone_means_another(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(1, 4):
        apply(shop, {f"{number}.txt": b"1\n"})
    undo_write(shop, "20261119-1")
    for command, said in (
        ("undo --redo", "; undo with: editblocks undo 20261119-1\n"),
        ("undo", "undid 20261119-3: removed 3.txt; redo with: editblocks undo --redo\n"),
        ("undo --redo", "redid 20261119-3: made 3.txt; undo with: editblocks undo\n"),
        ("undo 20261119-1", "; redo with: editblocks undo 20261119-1 --redo\n"),
    ):
        assert cli.main(command.split()) == 0
        assert said in capsys.readouterr().out


def commit(root: Path, contents: Mapping[str, bytes | None]) -> str:
    made = CheckoutRepo(root, repository=open_sealed(root, person=("Mona", "mona@example.com")))
    return made.write(contents, "Apply 1 edit block\n") or ""


@pytest.mark.long
def test_undo_after_a_commit_names_the_commit_and_takes_nothing_before_it(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = commit(shop, {"src/cart.py": b"first\n"})[:7]
    day = history(shop)[0][0].id[:8]
    there = f"undo with git revert {first}"
    assert cli.main(["undo"]) == 2
    assert capsys.readouterr().err == f"editblocks: the last apply is commit {first}; {there}\n"
    WorktreeRepo(shop).write({"src/api.py": b"y = 2\n"}, "")
    last = commit(shop, {"src/cart.py": b"last\n"})[:7]
    before = folder_state(shop)
    said = (
        f"the last apply is commit {last}; undo with git revert {last}, or name an earlier one: editblocks undo {day}-2"
    )
    for command, words in (
        ("undo", said),
        (f"undo {day}-3", f"{day}-3 is commit {last}; undo with git revert {last}"),
        (f"undo {day}-1 --redo", f"{day}-1 is commit {first}; {there}"),
        ("undo --redo", "nothing to redo; see editblocks undo --list"),
    ):
        assert cli.main(command.split()) == 2
        assert capsys.readouterr() == ("", f"editblocks: {words}\n")
    assert folder_state(shop) == before
    assert cli.main(["undo", "--list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split("UTC  ")[1] for row in rows] == [
        f"in {last}   src/cart.py",
        "done         src/api.py",
        f"in {first}   src/cart.py",
    ]
    assert cli.main(["undo", f"{day}-2"]) == 0
    assert (shop / "src/api.py").read_bytes() == b"y = 1\n"
    assert f"redo with: editblocks undo {day}-2 --redo\n" in capsys.readouterr().out


READERS = [  # the command, and whether it reads the files that a write left half written
    ("check", True),
    ("diff", True),
    ("retry", True),
    ("check --staged", False),
    ("check --rev HEAD", False),
]


@pytest.mark.parametrize(("command", "warns"), READERS)
@pytest.mark.long
def test_who_only_reads_is_told_of_a_write_that_was_interrupted(
    shop: Path, capsys: pytest.CaptureFixture[str], command: str, warns: bool
) -> None:
    apply(shop)
    interrupt(shop, "20261119-1")
    for name in "ab":
        (shop / f"{name}.md").write_text(block("q = 1\n", "q = 2\n", "src/api.py"))
    before = gitkit.snapshot(shop)
    assert cli.main([*command.split(), "../a.md", "../b.md"]) == (0 if command == "retry" else 1)
    said = "an apply or undo was interrupted or is still running, so files may be half written"
    said = f"editblocks: {said}; the next apply or undo repairs it\n"
    err = capsys.readouterr().err
    assert (err.count(said), err.count("interrupted")) == ((1, 1) if warns else (0, 0))
    assert gitkit.snapshot(shop) == before, "who reads writes nothing"
