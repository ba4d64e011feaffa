"""Amendment E3: what git ignores and does not track is refused, and its bytes get into no ref."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.applykit import Run, block
from support.gitkit import git, snapshot

SECRET = b"KEY=abc\n"
SHOP = {
    ".gitignore": b".venv/\n.env\n*.log\n!kept.log\n.edits/\n",
    "a.py": b"a = 1\n",
    "tracked.log": b"one\n",
    "kept.log": b"one\n",
}
PACKAGE = ".venv/lib/python3.11/site-packages/x.pth"
Damage = Callable[[Path, pytest.MonkeyPatch], None]
TO_ENV = block(".env", "KEY=abc\n", "KEY=def\n")


@pytest.fixture
def shop(shop: Path) -> Path:
    git(shop, "add", "--force", "tracked.log")
    git(shop, "commit", "--quiet", "--allow-empty", "-m", "more")
    (shop / ".env").write_bytes(SECRET)
    return shop


def all_bytes(shop: Path) -> bytes:
    """Every object that git has."""
    return git(shop, "cat-file", "--batch-all-objects", "--batch")


REFUSED = [  # the blocks, the path, the rule
    (block(PACKAGE, "", "import os\n"), PACKAGE, ".gitignore line 1: .venv/"),
    (TO_ENV, ".env", ".gitignore line 2: .env"),
    (block("sub/new.log", "", "x\n"), "sub/new.log", ".gitignore line 3: *.log"),
    (block(".venv/x.gitattributes", "", "x\n"), ".venv/x.gitattributes", ".gitignore line 1: .venv/"),
    ("*** Begin Patch\n*** Delete File: .env\n*** End Patch\n", ".env", ".gitignore line 2: .env"),
    (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: .venv/a.py\n@@\n-a = 1\n+a = 2\n*** End Patch\n",
        ".venv/a.py",
        ".gitignore line 1: .venv/",
    ),
]


def without_git(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shop.is_dir()
    monkeypatch.setenv("PATH", str(shop / "nowhere"))


def with_a_broken_head(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch
    (shop / ".git/HEAD").write_text("garbage\n")


def with_a_link_to_nowhere(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch
    (shop / ".git").rename(shop.with_name("moved"))
    (shop / ".git").write_text("gitdir: /nowhere\n")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (without_git, "git was not found; install git"),
        (with_a_broken_head, "run git status there, and repair what it reports"),
        (with_a_link_to_nowhere, "run git status there, and repair what it reports"),
    ],
)
def test_without_git_nothing_counts_as_not_ignored(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, damage: Damage, words: str
) -> None:
    damage(shop, monkeypatch)
    for command in ("apply", "check", "retry"):
        said = run(command, "-", stdin=TO_ENV)
        assert said.code == 2
        assert words in said.err
    assert (shop / ".env").read_bytes() == SECRET


@pytest.mark.parametrize("command", [["apply"], ["apply", "--index"], ["apply", "--commit"], ["check"], ["diff"]])
@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.long(after=5)
def test_what_git_ignores_is_refused(run: Run, shop: Path, command: list[str], refused: tuple[str, str, str]) -> None:
    text, path, rule = refused
    before = snapshot(shop)
    said = run(*command, "-", stdin=text)
    assert said.code == 1
    what = f"not-allowed: git ignores {path} ({rule}); change it by hand, or allow it with --allow-protected {path}"
    assert what in said.out + said.err
    assert (shop / ".env").read_bytes() == SECRET
    assert {name: state for name, state in snapshot(shop).items() if "editblocks" not in name} == before


@pytest.mark.parametrize("path", ["tracked.log", "kept.log", "new.py", ".venv2/x"])
@pytest.mark.long(after=1)
def test_what_git_tracks_or_does_not_ignore_is_not(run: Run, shop: Path, path: str) -> None:
    old = "one\n" if (shop / path).exists() else ""
    assert run("apply", "-", stdin=block(path, old, "two\n")).code == 0
    assert (shop / path).read_bytes() == b"two\n"
    assert run("undo").code == 0


@pytest.mark.parametrize("where", ["info/exclude", "user"])
def test_other_files_of_rules_are_named(run: Run, shop: Path, where: str, tmp_path: Path) -> None:
    place = shop / ".git/info/exclude"
    if where == "user":
        place = tmp_path / "rules"
        git(shop, "config", "core.excludesFile", str(place))
    place.parent.mkdir(exist_ok=True)
    place.write_text("private/\n")
    said = run("check", "-", stdin=block("private/x.py", "", "x\n")).out
    name = ".git/info/exclude" if where == "info/exclude" else str(place)
    assert f"git ignores private/x.py ({name} line 1: private/)" in said


def test_what_is_allowed_is_written_and_its_bytes_get_into_no_ref(run: Run, shop: Path) -> None:
    text = TO_ENV + block("a.py", "a = 1\n", "a = 2\n")
    said = run("apply", "-", "--allow-protected", ".env", stdin=text)
    assert said.code == 0
    assert said.out.endswith("applied 2 blocks to 2 files, +2 -2\n")
    words = "git ignores .env, so this apply cannot be undone"
    assert said.err == f"editblocks: {words}\n"
    assert ((shop / ".env").read_bytes(), (shop / "a.py").read_bytes()) == (b"KEY=def\n", b"a = 2\n")
    assert git(shop, "for-each-ref", "refs/editblocks") == b""
    assert b"KEY=" not in all_bytes(shop)
    assert run("undo").code == 2


def test_an_allowed_file_that_is_not_written_costs_no_undo(run: Run, shop: Path) -> None:
    text = block(".env", "KEY=none\n", "KEY=def\n") + block("a.py", "a = 1\n", "a = 2\n")
    said = run("apply", "-", "--partial", "--allow-protected", ".env", stdin=text)
    assert "undo with: editblocks undo" in said.out
    assert said.err == ""
    assert b"KEY=" not in all_bytes(shop)


def test_only_the_named_file_is_allowed(run: Run, shop: Path) -> None:
    said = run("check", "-", "--allow-protected", ".env", stdin=TO_ENV + block(PACKAGE, "", "x\n"))
    assert "1 ready, 1 failed" in said.out


def test_a_response_file_that_git_ignores_stays(run: Run, shop: Path) -> None:
    (shop / ".edits").mkdir()
    (shop / ".edits/a.md").write_text(block("a.py", "a = 1\n", "a = 2\n"))
    said = run("apply", ".edits/a.md")
    assert (shop / ".edits/a.md").exists()
    assert (said.code, said.err) == (0, "")
    assert "already-applied" in run("check", ".edits/a.md").out


def test_a_link_on_the_way_does_not_hide_the_others(run: Run, shop: Path) -> None:
    """Git ends at a path behind a link; the rest of the list is asked for all the same."""
    (shop / "link").symlink_to("/tmp")
    said = run("check", "-", stdin=block("link/x.log", "", "x\n") + block("y.log", "", "x\n")).out
    assert "not-a-file" in said
    assert "git ignores y.log" in said


def test_without_a_repository_nothing_is_ignored(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/.gitignore").write_text("*.log\n")
    monkeypatch.chdir(tmp_path / "plain")
    assert run("apply", "-", stdin=block("x.log", "", "x\n")).code == 0


def test_git_is_asked_once_for_all_files(run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "trace"
    text = "".join(block(f"new/{number}.py", "", "x\n") for number in range(30))
    real = tmp_path / "bin/git"
    real.parent.mkdir()
    real.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {shutil.which("git")} "$@"\n')
    real.chmod(0o755)
    monkeypatch.setenv("PATH", f"{real.parent}{os.pathsep}{os.environ['PATH']}")
    assert run("check", "-", stdin=text).code == 0
    assert log.read_text().count("check-ignore") == 1


def test_the_result_for_programs_has_the_code(run: Run) -> None:
    rows = json.loads(run("check", "-", "--format", "json", stdin=TO_ENV).out)["blocks"]
    assert [row["code"] for row in rows] == ["not-allowed"]
