"""docs/hooks.md says what is so: its configuration, its commands and its example are taken at their word."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import gitkit
import pytest
import yaml
from gitkit import git
from hookkit import FITS, HOOK, READY, SCRIPTS, STALE, TREE, search_path, stage, write

ROOT = Path(__file__).parent.parent
PAGE = ROOT.joinpath("docs/hooks.md").read_text("utf-8")


def fences(info: str) -> list[str]:
    """The code of every fence of this kind."""
    return re.findall(rf"^```{info}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return gitkit.make_repository(tmp_path / "checkout", TREE)


def run(path: Path, *command: str | Path) -> tuple[int, str]:
    """Exit code, and what was printed to either stream."""
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    done = subprocess.run(
        command, cwd=path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode()


def test_the_configuration_names_this_plugin_at_its_version() -> None:
    [repo] = yaml.safe_load(fences("yaml")[0])["repos"]
    manifest = yaml.safe_load(ROOT.joinpath(".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"] for hook in repo["hooks"]} <= {hook["id"] for hook in manifest}
    assert f'\nversion = "{repo["rev"].removeprefix("v")}"\n' in ROOT.joinpath("pyproject.toml").read_text("utf-8")
    assert f"pre-commit {manifest[0]['minimum_pre_commit_version']} or newer" in PAGE


def test_the_example_is_what_is_printed(checkout: Path) -> None:
    stage(checkout, {".edits/cart.md": (gitkit.FILE, STALE)})
    code, said = run(checkout, "editblocks", "hook", "pre-commit")
    shown = fences("console")[0].partition("- exit code: ")[2]
    assert shown == f"{code}\n\n{said}"


@pytest.mark.parametrize("hooks_path", [None, "hooks of mine"])
@pytest.mark.long
def test_the_script_is_copied_to_where_git_looks(checkout: Path, hooks_path: str | None) -> None:
    if hooks_path is not None:
        (checkout / hooks_path).mkdir()
        git(checkout, "config", "core.hooksPath", hooks_path)
    [copy] = [line for line in fences("console")[1].splitlines() if line.startswith("$ cp ")]
    assert (
        run(checkout, "sh", "-c", copy.removeprefix("$ ").replace("/path/to/editblocks", str(HOOK.parent.parent)))[0]
        == 0
    )
    write(checkout, ".edits/a.md", STALE)
    assert run(checkout, "git", "commit", "-qm", "x")[0] == 1
    write(checkout, ".edits/a.md", FITS)
    assert run(checkout, "git", "commit", "-qm", "x") == (0, READY)


@pytest.mark.parametrize(("data", "code"), [(FITS, 0), (STALE, 1)])
def test_the_line_for_a_hook_that_is_there_already(checkout: Path, data: bytes, code: int) -> None:
    hook = checkout / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\n{fences('sh')[0]}touch went-on\n")
    hook.chmod(0o755)
    write(checkout, ".edits/a.md", data)
    assert run(checkout, "git", "commit", "-qm", "x")[0] == code
    assert (checkout / "went-on").exists() is (code == 0)


LAST_LINES = [
    ("; next: editblocks apply .edits/cart.md", FITS),
    ("; next: editblocks retry .edits/cart.md", STALE),
    ("; repair the file, then git add it", b"\xff"),
    ("; nothing is left to apply", FITS.replace(b"2", b"1")),
    ("; put one in, or unstage the file", b"Hello.\n"),
]


@pytest.mark.parametrize(("ending", "data"), LAST_LINES)
@pytest.mark.long
def test_the_last_lines_are_those_of_the_table(checkout: Path, ending: str, data: bytes) -> None:
    assert f"{ending}` |" in PAGE
    stage(checkout, {".edits/cart.md": (gitkit.FILE, data)})
    assert run(checkout, "editblocks", "hook", "pre-commit")[1].rstrip("\n").endswith(ending)


def test_what_the_page_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGE)
    assert links
    assert all(ROOT.joinpath("docs", link).exists() for link in links)
