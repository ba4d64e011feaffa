"""`editblocks doctor`: what it finds, how it says it, and that it changes nothing."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from support.applykit import Run, block
from support.gitkit import make_repository, snapshot
from support.project import ROOT
from support.records import interrupt, kept

from editblocks.core.settings import POLICY_FILE
from editblocks.faces.cli.main import main
from editblocks.faces.hooks.main import main as hook
from editblocks.faces.reading import NO_TOOL


def test_a_healthy_repository(shop: Path, run: Run) -> None:
    before = snapshot(shop)
    ran = run("doctor")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line for line in lines if line[0] not in "✓–"] == []
    assert f"✓ repository {shop} (sha1)" in lines
    assert f"– no {POLICY_FILE}, so every setting has its default; editblocks init writes one" in lines
    assert "– hook pre-commit: not installed; next: editblocks hook install --stage pre-commit" in lines
    assert snapshot(shop) == before


def _bad_settings(shop: Path) -> None:
    (shop / POLICY_FILE).write_text("matching: sharp\n")


def _good_settings(shop: Path) -> None:
    (shop / POLICY_FILE).write_text("matching: exact\n")


def _hooks(shop: Path) -> None:
    assert hook(["install", "--stage", "pre-commit"]) == 0


def _foreign_hook(shop: Path) -> None:
    (shop / ".git" / "hooks").mkdir(exist_ok=True)
    (shop / ".git" / "hooks" / "pre-push").write_text("#!/bin/sh\n")


def _broken_repository(shop: Path) -> None:
    (shop / ".git" / "HEAD").write_text("nonsense\n")


FOUND: dict[str, tuple[Callable[[Path], None], int, str]] = {
    "settings that cannot be used": (_bad_settings, 1, "✗ .editblocks.yml line 1: matching is `sharp`"),
    "settings": (_good_settings, 0, "✓ matching: exact (.editblocks.yml)"),
    "a hook of ours": (_hooks, 0, "✓ hook pre-commit: installed at "),
    "a hook of somebody else": (
        _foreign_hook,
        0,
        "– hook pre-push: not ours; `editblocks hook install --stage pre-push` prints the lines to add to it",
    ),
    "a repository that git does not know": (_broken_repository, 1, "✗ "),
}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.long(after=1)
def test_what_it_finds(name: str, shop: Path, run: Run) -> None:
    make, code, wanted = FOUND[name]
    make(shop)
    run("hook", "status")  # what the preparation printed is taken away
    ran = run("doctor")
    assert ran.code == code
    assert any(line.startswith(wanted) for line in ran.out.splitlines()), ran.out


def test_a_write_that_was_killed(shop: Path, run: Run) -> None:
    assert run("apply", "-", stdin=block("src/app.py", "", "b\n")).code == 0
    [name] = kept(shop)
    interrupt(shop, name)
    ran = run("doctor")
    assert ran.code == 1
    assert (
        "✗ an apply or undo was interrupted, or is still running; the next apply or undo repairs it"
        in ran.out.splitlines()
    )


def test_outside_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"– {folder} is not a git repository, so nothing can be undone here; git init makes it one\n" in out
    assert "hook" not in out


GITS = {
    "an old git": ("echo git version 2.17.1", "git 2.17 is too old; install git 2.34 or newer"),
    "a git that says nothing": ("exit 0", "`git version` says nothing; install git 2.34 or newer"),
    "a git that is killed": ("kill -9 $$", "git rev-parse did not finish: signal 9; nothing was written"),
    "a git that only knows its version": (
        "echo git version 2.40.0",
        "`git rev-parse` says git version 2.40.0, so the git on PATH is broken; install git 2.34 or newer",
    ),
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(("script", "wanted"), GITS.values(), ids=GITS)
def test_a_git_that_is_broken(
    script: str, wanted: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    ran = run("doctor")
    assert (ran.code, ran.err) == (1, "")
    wrong = [line for line in ran.out.splitlines() if line[0] == "✗"]
    assert f"✗ {wanted}" in wrong
    assert len(set(wrong)) == len(wrong)


@pytest.mark.usefixtures("shop")
def test_a_bare_repository(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = make_repository(tmp_path / "bare.git", {}, bare=True)
    monkeypatch.chdir(bare)
    ran = run("doctor")
    lines = ran.out.splitlines()
    assert f"✓ bare repository {bare} (sha1)" in lines
    assert f"– no {POLICY_FILE}, so every setting has its default" in lines
    assert "– hook pre-receive: not installed; next: editblocks hook install --stage pre-receive" in lines


def test_a_repository_that_may_not_be_written(shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    access = os.access
    monkeypatch.setattr("os.access", lambda place, mode: mode != os.W_OK and access(place, mode))
    ran = run("doctor")
    for place in (shop, shop / ".git"):
        line = f"– you may not write to {place}, so nothing can be applied here; check still works"
        assert line in ran.out.splitlines()


def test_without_git_and_without_extras(tmp_path: Path) -> None:
    (tmp_path / "yaml").symlink_to(Path(yaml.__file__).parent)
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "editblocks", "doctor"],
        env={"PATH": str(tmp_path), "PYTHONPATH": f"{ROOT / 'src'}:{tmp_path}", "PYTHONIOENCODING": "ascii"},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (1, "")
    lines = ran.stdout.splitlines()
    assert "wrong   git was not found; install git 2.34 or newer" in lines
    assert f"absent  {NO_TOOL}" in lines
    missing = [line for line in lines if "is not installed" in line]
    assert len(missing) == 8
    assert missing[0] == (
        "absent  jinja2 is not installed; it is for the report page; "
        "in a clone of editblocks, run `python -m pip install '.[report]'`"
    )
