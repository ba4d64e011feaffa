"""The reference of the hooks is true: its examples are what is printed. The guide is followed in tests/project."""

import re
import subprocess
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import git
from support.hookkit import FITS, HOOK, READY, SCRIPTS, STALE, commit_files, put, put_hook, search_path, write
from support.project import ROOT

PAGE = "".join(ROOT.joinpath(f"docs/{name}/hooks.md").read_text("utf-8") for name in ("guide", "reference"))


def fences(info: str) -> list[str]:
    """The code of every fence of this kind."""
    return re.findall(rf"^```{info}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def run(path: Path, *command: str | Path) -> tuple[int, str]:
    """Exit code, and what was printed to either stream."""
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    done = subprocess.run(
        command, cwd=path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode()


def example(first: str) -> str:
    """What is shown below the command `first`, up to the next one."""
    shown = next(text for text in fences("console") if text.startswith(f"$ {first}\n"))
    return shown.partition("\n")[2]


def test_installing_is_what_is_printed(checkout: Path) -> None:
    code, said = run(checkout, "editblocks", "hook", "install")
    assert (code, said.replace(str(checkout), "/home/monalisa/shop")) == (0, example("editblocks hook install"))


@pytest.mark.long
def test_a_repository_gets_a_folder_of_its_own(checkout: Path) -> None:
    (checkout.parent / "shared").mkdir()
    git(checkout, "config", "core.hooksPath", str(checkout.parent / "shared"))
    [command] = [text.removeprefix("$ ") for text in fences("console") if text.startswith("$ git config ")]
    assert run(checkout, "editblocks", "hook", "install")[0] == 2
    assert run(checkout, "sh", "-c", command) == (0, "")
    assert run(checkout, "editblocks", "hook", "install") == (
        0,
        example("editblocks hook install").replace("/home/monalisa/shop", str(checkout)),
    )


@pytest.mark.long
def test_a_push_is_what_is_printed(checkout: Path) -> None:
    run(checkout, "editblocks", "hook", "install")
    gitkit.make_repository(checkout.parent / "there", {}, bare=True)
    git(checkout, "remote", "add", "origin", "../there")
    git(checkout, "config", "push.default", "current")
    made = commit_files(checkout, {".edits/cart.md": (gitkit.FILE, STALE)})
    code, said = run(checkout, "git", "push")
    shown = said.partition("error: failed to push")[0].replace(made[:12], "4be1d02c9f7e").replace(made[:7], "4be1d02")
    assert (code, shown) == (1, example("git push"))


@pytest.mark.long
def test_a_foreign_hook_is_what_is_printed(checkout: Path) -> None:
    put_hook(checkout / ".git", "pre-commit", b"#!/bin/sh\n")
    code, said = run(checkout, "editblocks", "hook", "install", "--stage", "pre-commit")
    for here, there in ((str(checkout), "/home/monalisa/shop"), (str(SCRIPTS), "/home/monalisa/venv/bin")):
        said = said.replace(here, there)
    shown = re.sub(r"(?<=/bin/python)[0-9.]*", "", said)
    assert (code, shown) == (1, example("editblocks hook install --stage pre-commit"))


@pytest.mark.parametrize("hooks_path", [None, "hooks of mine"])
@pytest.mark.long
def test_the_script_is_copied_to_where_git_looks(checkout: Path, hooks_path: str | None) -> None:
    if hooks_path is not None:
        (checkout / hooks_path).mkdir()
        git(checkout, "config", "core.hooksPath", hooks_path)
    [copy] = [line for text in fences("console") for line in text.splitlines() if line.startswith("$ cp ")]
    assert (
        run(checkout, "sh", "-c", copy.removeprefix("$ ").replace("/path/to/editblocks", str(HOOK.parent.parent)))[0]
        == 0
    )
    write(checkout, ".edits/a.md", STALE)
    assert run(checkout, "git", "commit", "-qm", "x")[0] == 1
    write(checkout, ".edits/a.md", FITS)
    assert run(checkout, "git", "commit", "-qm", "x") == (0, READY)


LAST_LINES = [
    ("; next: editblocks apply .edits/cart.md", FITS),
    ("; next: editblocks retry --staged .edits/cart.md", STALE),
    ("; repair the file, then git add it", b"\xff"),
    ("; nothing is left to apply", FITS.replace(b"2", b"1")),
    ("; add one, or remove the file", b"Hello.\n"),
]


@pytest.mark.parametrize(("ending", "data"), LAST_LINES)
@pytest.mark.long
def test_the_last_lines_are_those_of_the_table(checkout: Path, ending: str, data: bytes) -> None:
    assert f"{ending}` |" in PAGE
    put(checkout, {".edits/cart.md": (gitkit.FILE, data)})
    assert f"{ending}\n" in run(checkout, "editblocks", "hook", "pre-commit")[1]


def test_what_the_page_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGE)
    assert links
    assert all(ROOT.joinpath("docs/reference", link).exists() for link in links)
