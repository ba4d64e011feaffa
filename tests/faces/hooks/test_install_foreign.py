"""Hooks of others are never touched; ours are replaced and removed."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import git
from support.hookkit import (
    MISSED,
    SCRIPTS,
    STALE,
    STOPPED,
    TREE,
    missed_at,
    put,
    put_hook,
    response,
    search_path,
    shape,
    write,
)
from support.installkit import LINE, bare_git, commits
from support.posix import make_fifo
from support.project import HOOKS

from editblocks.faces.cli import main as cli

FOREIGN = b"#!/bin/sh\necho foreign\n"


@pytest.mark.long
def test_a_foreign_hook_is_left_alone_and_the_line_to_add_works(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    hook.write_bytes(FOREIGN)
    hook.chmod(0o755)
    assert cli.main(["hook", "install"]) == 1
    out, warned = capfd.readouterr()
    assert (out, warned) == (
        f"{LINE}pre-push: installed at {hook.parent}/pre-push\n",
        f"editblocks: {hook} was not written by editblocks, so it was left alone; add this near its top\n",
    )
    assert (hook.read_bytes(), cli.main(["hook", "status"])) == (FOREIGN, 1)
    hook.write_bytes(FOREIGN.replace(b"\n", f"\n{LINE}".encode(), 1))
    assert commits(checkout) == (1, MISSED + STOPPED)
    git(checkout, "rm", "-q", "--cached", ".edits/a.md")
    assert bare_git(checkout, "commit", "-qm", "x", "--allow-empty").stderr == b"foreign\n"


def test_a_foreign_hook_that_calls_us_stays_foreign(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What a script does is not read out of it."""
    hook = put_hook(checkout / ".git", "pre-commit", FOREIGN + LINE.encode())
    assert cli.main(["hook", "status", "--stage=pre-commit"]) == 1
    next_step = "`editblocks hook install --stage pre-commit` prints the lines to add to it"
    assert capfd.readouterr() == (f"pre-commit: not ours at {hook}; {next_step}\n", "")
    assert cli.main(["hook", "uninstall", "--stage=pre-commit"]) == 1
    said = (
        f"editblocks: {hook} was not written by editblocks, so it was left alone; "
        "remove the lines of editblocks yourself\n"
    )
    assert capfd.readouterr() == ("", said)
    assert hook.read_bytes() == FOREIGN + LINE.encode()


def changed(hook: Path) -> None:
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")


def marked(hook: Path) -> None:
    hook.write_bytes(b"#!/bin/sh\n# editblocks hook pre-commit\necho mine\n")


def of_another_stage(hook: Path) -> None:
    hook.write_bytes((HOOKS / "pre-push").read_bytes())


def empty(hook: Path) -> None:
    hook.write_bytes(b"")


def a_folder(hook: Path) -> None:
    hook.unlink()
    hook.mkdir()


def a_link_to_nothing(hook: Path) -> None:
    hook.unlink()
    hook.symlink_to("nothing")


def a_link_to_another(hook: Path) -> None:
    hook.unlink()
    hook.with_name("mine").write_bytes(FOREIGN)
    hook.symlink_to("mine")


def a_pipe(hook: Path) -> None:
    hook.unlink()
    make_fifo(hook)


def copied_by_hand(hook: Path) -> None:
    hook.write_bytes((HOOKS / "pre-commit").read_bytes())


def a_link_to_ours(hook: Path) -> None:
    hook.rename(hook.with_name("ours"))
    hook.symlink_to("ours")


def a_link_to_itself(hook: Path) -> None:
    hook.unlink()
    hook.symlink_to("pre-commit")


def too_long(hook: Path) -> None:
    hook.write_bytes(hook.read_bytes() + b"#\n" * 600_000)


@pytest.mark.parametrize(
    "prepare",
    [
        *(changed, marked, of_another_stage, empty, copied_by_hand, too_long),
        *(a_folder, a_pipe, a_link_to_nothing, a_link_to_another, a_link_to_ours, a_link_to_itself),
    ],
)
@pytest.mark.long
def test_what_is_not_as_we_made_it_is_never_touched(
    checkout: Path, capfd: pytest.CaptureFixture[str], prepare: Callable[[Path], None]
) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    assert cli.main(["hook", "install", "--stage=pre-commit"]) == 0
    prepare(hook)
    before = (hook.lstat().st_ino, hook.lstat().st_mode, hook.lstat().st_mtime_ns)  # reading moves the time of access
    capfd.readouterr()
    assert cli.main(["hook", "status", "--stage=pre-commit"]) == 1
    next_step = "`editblocks hook install --stage pre-commit` prints the lines to add to it"
    assert capfd.readouterr().out == f"pre-commit: not ours at {hook}; {next_step}\n"
    assert cli.main(["hook", "install", "--stage=pre-commit"]) == 1
    said = f"editblocks: {hook} was not written by editblocks, so it was left alone; add this near its top\n"
    assert capfd.readouterr() == (LINE, said)
    assert cli.main(["hook", "uninstall", "--stage=pre-commit"]) == 1
    assert (hook.lstat().st_ino, hook.lstat().st_mode, hook.lstat().st_mtime_ns) == before


def older(hook: Path) -> None:
    """A script of another version, as that one installed it."""
    body = b"# long ago\nexit 0\n"
    mark = hashlib.sha256(body).hexdigest().encode()
    hook.write_bytes(b"#!/bin/sh\n# editblocks hook pre-commit sha256=" + mark + b"\n" + body)


def not_executable(hook: Path) -> None:
    hook.chmod(0o644)


def of_a_python_that_is_gone(hook: Path) -> None:
    text = hook.read_bytes().split(b"\n", 2)[2].replace(sys.executable.encode(), b"/nonexistent/python")
    mark = hashlib.sha256(text).hexdigest().encode()
    hook.write_bytes(b"#!/bin/sh\n# editblocks hook pre-commit sha256=" + mark + b"\n" + text)


@pytest.mark.parametrize("prepare", [older, of_a_python_that_is_gone])
def test_ours_is_replaced_and_removed(
    checkout: Path, capfd: pytest.CaptureFixture[str], prepare: Callable[[Path], None]
) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    assert cli.main(["hook", "install", "--stage=pre-commit"]) == 0
    made = hook.read_bytes()
    prepare(hook)
    capfd.readouterr()
    assert cli.main(["hook", "status", "--stage=pre-commit"]) == 0
    assert capfd.readouterr().out == f"pre-commit: installed at {hook}\n"
    assert cli.main(["hook", "install", "--stage=pre-commit"]) == 0
    assert (hook.read_bytes(), os.access(hook, os.X_OK)) == (made, True)
    prepare(hook)
    assert cli.main(["hook", "uninstall", "--stage=pre-commit"]) == 0
    assert not hook.exists()


def test_a_hook_that_git_passes_over_is_not_installed(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    assert cli.main(["hook", "install", "--stage=pre-commit"]) == 0
    not_executable(hook)
    capfd.readouterr()
    assert cli.main(["hook", "status", "--stage=pre-commit"]) == 1
    assert capfd.readouterr().out.startswith("pre-commit: not installed; ")
    assert cli.main(["hook", "install", "--stage=pre-commit"]) == 0
    assert os.access(hook, os.X_OK)


@pytest.mark.long
def test_what_was_copied_by_hand_works(checkout: Path) -> None:
    put_hook(checkout / ".git", "pre-commit")
    write(checkout, ".edits/a.md", STALE)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    command = ["git", "commit", "-qm", "x"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=False)
    assert (done.returncode, shape(done.stderr)) == (1, MISSED + STOPPED)


@pytest.mark.long
def test_a_python_that_is_gone_is_looked_for_on_path(checkout: Path) -> None:
    assert cli.main(["hook", "install"]) == 0
    of_a_python_that_is_gone(checkout / ".git/hooks/pre-commit")
    code, said = commits(checkout)
    assert (code, "no editblocks is on PATH" in said) == (1, True)
    (checkout.parent / "bin").mkdir()
    (checkout.parent / "bin/python3").symlink_to(sys.executable)
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
    environment = {**gitkit.ISOLATED, "PATH": scripts}
    done = subprocess.run(
        ["git", "commit", "-qm", "x"], cwd=checkout, env=environment, capture_output=True, check=False
    )
    assert (done.returncode, shape(done.stderr)) == (1, MISSED + STOPPED)


def test_status_and_uninstall_without_any(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["hook", "status"]) == 1
    assert capfd.readouterr().out == (
        "pre-commit: not installed; next: editblocks hook install --stage pre-commit\n"
        "pre-push: not installed; next: editblocks hook install --stage pre-push\n"
    )
    assert cli.main(["hook", "uninstall"]) == 0
    assert capfd.readouterr().out == "pre-commit: not installed\npre-push: not installed\n"


BARE = ["--stage", "pre-receive"]
USAGE: list[tuple[Sequence[str], str]] = [
    (["--force"], "`--force` is not an option here; use --stage pre-commit|pre-push|pre-receive"),
    (["pre-commit"], "`pre-commit` is not an option here; use --stage pre-commit|pre-push|pre-receive"),
    (["--stage"], "--stage is ``; use one of pre-commit, pre-push, pre-receive"),
    (["--stage=commit-msg"], "--stage is `commit-msg`; use one of pre-commit, pre-push, pre-receive"),
    (BARE, "pre-receive is not for a working tree; use --stage pre-commit|pre-push"),
]


@pytest.mark.parametrize(("argv", "said"), USAGE)
@pytest.mark.parametrize("command", ["install", "uninstall", "status"])
@pytest.mark.long
def test_usage(checkout: Path, capfd: pytest.CaptureFixture[str], command: str, argv: Sequence[str], said: str) -> None:
    assert cli.main(["hook", command, *argv]) == 2
    assert capfd.readouterr() == ("", f"editblocks: {said}\n")
    assert list((checkout / ".git/hooks").iterdir()) == []


def test_a_hook_of_commits_is_none_for_a_server(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(gitkit.make_repository(home / "server", TREE, bare=True))
    assert cli.main(["hook", "install", "--stage", "pre-push"]) == 2
    said = "pre-push is not for a bare repository; use --stage pre-receive"
    assert capfd.readouterr() == ("", f"editblocks: {said}\n")


def test_outside_a_repository(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for place in (Path("/"), home):  # below the first is every git there is
        monkeypatch.chdir(place)
        for command in ("install", "uninstall", "status"):
            assert cli.main(["hook", command]) == 2
            said = f"{place} is not in a git repository; change to one, or make one with git init"
            assert capfd.readouterr() == ("", f"editblocks: {said}\n")


@pytest.fixture
def other_python(home: Path) -> Path:
    """A Python of its own, in which nothing is installed."""
    command = [sys.executable, "-m", "venv", "--without-pip", str(home / "other")]
    subprocess.run(command, env={"PATH": os.environ["PATH"]}, capture_output=True, check=True)
    return home / "other/bin/python"


def run_from(source: Path, python: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """Run editblocks from a folder of sources, as a Python that is not isolated finds it."""
    environment = {**gitkit.ISOLATED, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, "-m", "editblocks", *argv], env=environment, capture_output=True, check=False)


@pytest.mark.long
def test_a_python_that_finds_us_by_its_environment_alone_is_not_named(checkout: Path, other_python: Path) -> None:
    """A package of the user's own is one of these: `python -I` would not see it."""
    assert run_from(HOOKS.parent / "src", other_python, "hook", "install").returncode == 0
    text = checkout.joinpath(".git/hooks/pre-commit").read_text()
    assert ("\npython=\npackage=\n" in text, "other/bin" in text) == (True, False)
    assert cli.main(["hook", "status"]) == 0
    write(checkout, ".edits/a.md", STALE)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    command = ["git", "commit", "-qm", "x"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=False)
    assert (done.returncode, shape(done.stderr)) == (1, MISSED + STOPPED)


@pytest.mark.long
def test_an_installation_without_the_scripts_says_so(checkout: Path, other_python: Path) -> None:
    source = checkout.parent / "lib/python"
    shutil.copytree(
        HOOKS.parent / "src/editblocks", source / "editblocks", ignore=shutil.ignore_patterns("__pycache__")
    )
    done = run_from(source, other_python, "hook", "install")
    said = "the script of pre-commit is missing from this installation; install editblocks again"
    assert (done.returncode, done.stderr.decode()) == (2, f"editblocks: {said}\n")
    assert list((checkout / ".git/hooks").iterdir()) == []


def test_a_hooks_path_that_is_empty(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    git(checkout, "config", "core.hooksPath", "")
    assert cli.main(["hook", "install"]) == 2
    said = "core.hooksPath (local) is empty, so git finds no hooks; name a folder, or unset it"
    assert capfd.readouterr() == ("", f"editblocks: {said}\n")


def test_a_folder_that_cannot_be_written(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (checkout / ".git/hooks").rmdir()
    (checkout / ".git/hooks").write_bytes(b"")
    assert cli.main(["hook", "install"]) == 2
    place = checkout / ".git/hooks/pre-commit"
    said = f"{place} cannot be written: file exists; nothing was changed"
    assert capfd.readouterr() == ("", f"editblocks: unavailable: {said}\n")


@pytest.mark.long
def test_the_wheel_has_the_hooks(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=HOOKS.parent, capture_output=True, check=True)
    [wheel] = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as held:
        for stage in ("pre-commit", "pre-push", "pre-receive"):
            assert held.read(f"editblocks/shipped/hooks/{stage}") == (HOOKS / stage).read_bytes()


def test_the_hooks_find_editblocks_in_the_same_way() -> None:
    tails = {
        re.search(r"^program\(\) \{\n.*?^if \[ \$# = 0 \]", (HOOKS / stage).read_text(), re.DOTALL | re.MULTILINE)
        for stage in ("pre-commit", "pre-push", "pre-receive")
    }
    assert len({tail[0] for tail in tails if tail}) == 1


@pytest.mark.parametrize("shell", [shell for shell in ("sh", "dash", "bash", "busybox") if shutil.which(shell)])
@pytest.mark.parametrize("stage", ["pre-commit", "pre-push", "pre-receive"])
@pytest.mark.long
def test_a_hook_is_read_by_every_shell_that_is_here(checkout: Path, shell: str, stage: str) -> None:
    command = [*([shell] if shell != "busybox" else [shell, "sh"]), str(HOOKS / stage)]
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    made = gitkit.commit(checkout, "aside", {**TREE, **response(STALE)})
    put(checkout, response(STALE))
    sent = f"{'0' * 40} {made} refs/heads/x\n" if stage == "pre-receive" else f"x {made} refs/heads/x {'0' * 40}\n"
    git(checkout, "update-ref", "-d", "refs/heads/aside")
    top, said = checkout, MISSED if stage == "pre-commit" else missed_at(made)
    if stage == "pre-receive":
        top = checkout.parent / "server"
        git(checkout.parent, "clone", "-q", "--bare", "checkout", "server")
        git(top, "fetch", "-q", "../checkout", made)
    done = subprocess.run(command, cwd=top, env=environment, input=sent.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr, shape(done.stdout).startswith(said)) == (1, b"", True)


@pytest.mark.parametrize("stage", ["pre-commit", "pre-push", "pre-receive"])
def test_a_hook_can_be_executed(stage: str) -> None:
    assert os.access(HOOKS / stage, os.X_OK)
    assert HOOKS.joinpath(stage).read_text().startswith(f"#!/bin/sh\n# editblocks hook {stage}\n")
