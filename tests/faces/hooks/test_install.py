"""Git hooks are installed where git looks for them, and are at work."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git
from support.hookkit import (
    FITS,
    MISSED,
    STALE,
    STOPPED,
    TREE,
    commit_files,
    response,
)
from support.installkit import bare_git, commits

from editblocks.faces.cli import main as cli


@pytest.mark.long
def test_what_is_installed_is_started_by_git(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["hook", "install"]) == 0
    hooks = checkout / ".git/hooks"
    said = f"pre-commit: installed at {hooks}/pre-commit\npre-push: installed at {hooks}/pre-push\n"
    assert capfd.readouterr() == (said, "")
    assert sorted(place.name for place in hooks.iterdir()) == ["pre-commit", "pre-push"]
    assert commits(checkout) == (1, MISSED + STOPPED)
    commit_files(checkout, response(STALE))
    gitkit.make_repository(checkout.parent / "there", {}, bare=True)
    assert bare_git(checkout, "push", "-q", "../there", "HEAD").returncode == 1
    commit_files(checkout, response(FITS))
    assert bare_git(checkout, "push", "-q", "../there", "HEAD:topic").returncode == 0


@pytest.mark.long
def test_a_server_refuses_by_what_is_installed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = gitkit.make_repository(home / "server", TREE, bare=True)
    git(home, "clone", "-q", "server", "clone")
    monkeypatch.chdir(server)
    assert cli.main(["hook", "install"]) == 0
    assert [place.name for place in (server / "hooks").iterdir()] == ["pre-receive"]
    commit_files(home / "clone", response(STALE))
    assert bare_git(home / "clone", "push", "-q", "origin", "HEAD").returncode == 1
    assert cli.main(["hook", "uninstall"]) == 0
    assert bare_git(home / "clone", "push", "-q", "origin", "HEAD").returncode == 0


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700), (0o002, 0o775)])
def test_the_mode_is_that_of_a_program(checkout: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        assert cli.main(["hook", "install", "--stage", "pre-commit"]) == 0
    finally:
        os.umask(before)
    hooks = checkout / ".git/hooks"
    assert [(place.name, stat.S_IMODE(place.stat().st_mode)) for place in hooks.iterdir()] == [("pre-commit", mode)]


def in_a_worktree(checkout: Path) -> tuple[Path, Path]:
    git(checkout, "worktree", "add", "-q", "-b", "linked", "../linked")
    return checkout.parent / "linked", checkout / ".git/hooks"


def below_the_top(checkout: Path) -> tuple[Path, Path]:
    return checkout / "a", checkout / ".git/hooks"


def in_a_submodule(checkout: Path) -> tuple[Path, Path]:
    main = gitkit.make_repository(checkout.parent / "main", {"README.md": (FILE, b"x\n")})
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(checkout), "lib")
    return main / "lib", main / ".git/modules/lib/hooks"


def in_hooks_path(checkout: Path) -> tuple[Path, Path]:
    git(checkout, "config", "core.hooksPath", "my hooks")
    return checkout, checkout / "my hooks"


def in_the_hooks_path_of_a_worktree(checkout: Path) -> tuple[Path, Path]:
    git(checkout, "config", "core.hooksPath", ".githooks")
    linked, _ = in_a_worktree(checkout)
    return linked, linked / ".githooks"


def in_a_relative_global_one(checkout: Path) -> tuple[Path, Path]:
    """It means another folder in each repository."""
    (checkout.parent / ".gitconfig").write_text("[core]\n\thooksPath = .githooks\n")
    return checkout, checkout / ".githooks"


def in_one_that_goes_before(checkout: Path) -> tuple[Path, Path]:
    (checkout.parent / ".gitconfig").write_text("[core]\n\thooksPath = ~/shared\n")
    git(checkout, "config", "core.hooksPath", ".git/hooks")
    return checkout, checkout / ".git/hooks"


PLACES: list[Callable[[Path], tuple[Path, Path]]] = [
    in_a_worktree,
    below_the_top,
    in_a_submodule,
    in_hooks_path,
    in_the_hooks_path_of_a_worktree,
    in_a_relative_global_one,
    in_one_that_goes_before,
]


@pytest.mark.parametrize("prepare", PLACES)
@pytest.mark.long
def test_hooks_go_where_git_looks_for_them(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, prepare: Callable[[Path], tuple[Path, Path]]
) -> None:
    here, hooks = prepare(checkout)
    monkeypatch.chdir(here)
    assert cli.main(["hook", "install"]) == 0
    assert {"pre-commit", "pre-push"} <= {place.name for place in hooks.iterdir()}
    top = here.parent if here.name == "a" else here
    assert commits(top) == (1, MISSED + STOPPED)
    assert cli.main(["hook", "status"]) == 0
    assert cli.main(["hook", "uninstall"]) == 0
    assert not {"pre-commit", "pre-push"} & {place.name for place in hooks.iterdir()}


def by_global_configuration(checkout: Path) -> str:
    (checkout.parent / ".gitconfig").write_text("[core]\n\thooksPath = ~/shared\n")
    return f"hooks are in {checkout.parent}/shared, a folder outside this repository"


def by_its_own(checkout: Path) -> str:
    git(checkout, "config", "core.hooksPath", "../shared")
    return f"hooks are in {checkout.parent}/shared, a folder outside this repository"


def by_a_link(checkout: Path) -> str:
    (checkout / ".git/hooks").rmdir()
    (checkout / ".git/hooks").symlink_to(checkout.parent / "shared")
    return f"hooks are in {checkout.parent}/shared, a folder outside this repository"


@pytest.mark.long
@pytest.mark.parametrize("prepare", [by_global_configuration, by_its_own, by_a_link])
def test_a_folder_that_others_share_is_left_alone(
    checkout: Path, capfd: pytest.CaptureFixture[str], prepare: Callable[[Path], str]
) -> None:
    (checkout.parent / "shared").mkdir()
    why, advice = prepare(checkout), "set core.hooksPath of this repository to a folder in it"
    for command in ("install", "uninstall", "status"):
        assert cli.main(["hook", command]) == 2
        out, warned = capfd.readouterr()
        assert (out, warned) == ("", f"editblocks: {why} that others may share; {advice}\n")
    assert list((checkout.parent / "shared").iterdir()) == []
