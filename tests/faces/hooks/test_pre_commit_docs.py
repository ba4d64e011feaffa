"""The pages about pre-commit are true: they name the hooks of the manifest, and examples are what is printed."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from support import gitkit
from support.hookkit import SCRIPTS, STALE, TREE, search_path, write
from support.project import ROOT

from editblocks import __version__
from editblocks.faces.hooks.leftovers import LIMIT, PRAGMA, leftovers

PAGE = "".join(ROOT.joinpath(f"docs/{name}.md").read_text("utf-8") for name in ("reference/pre-commit", "guide/hooks"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(ROOT.joinpath(".pre-commit-hooks.yaml").read_text("utf-8"))}
LEFT = b"\n" * 40 + b"<<<<<<< SEARCH\na\nb\n=======\nc\nd\n>>>>>>> REPLACE\n"


def fences(info: str) -> list[str]:
    """The code of every fence of this kind."""
    return re.findall(rf"^```{info}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_page_and_readme_name_the_hooks_of_the_manifest() -> None:
    assert re.findall(r"^\| `(editblocks-[a-z]+)` \|", PAGE, re.MULTILINE) == list(HOOKS)
    readme = ROOT.joinpath("README.md").read_text("utf-8")
    assert set(re.findall(r"`(editblocks-[a-z]+)`", readme)) == set(HOOKS)
    assert "(docs/reference/pre-commit.md)" in readme


def test_the_configuration_names_this_plugin_at_its_version() -> None:
    [repo] = yaml.safe_load(fences("yaml")[0])["repos"]
    assert {hook["id"] for hook in repo["hooks"]} <= set(HOOKS)
    assert repo["rev"] == f"v{__version__}"
    assert f"pre-commit {HOOKS['editblocks-check']['minimum_pre_commit_version']} or newer" in PAGE
    [exclude] = [hook["exclude"] for hook in repo["hooks"] if "exclude" in hook]
    assert [bool(re.search(exclude, path)) for path in ("docs/a.md", "tests/a.py", "src/docs/a.md")] == [1, 1, 0]


@pytest.mark.long
def test_the_example_is_what_is_printed(tmp_path: Path) -> None:
    """What the guide shows, the test of the guides follows."""
    checkout = gitkit.make_repository(tmp_path / "checkout", TREE)
    hook, name = "editblocks-check", ".edits/cart.md"
    write(checkout, name, STALE)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    command = (*HOOKS[hook]["entry"].split(), name)
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=False)
    said = done.stdout.decode()
    heading = f"{HOOKS[hook]['name']:.<73}Failed\n"
    shown = [fence.partition("\n")[2] for fence in fences("console") if f"id: {hook}\n" in fence]
    assert shown == [f"{heading}- hook id: {hook}\n- exit code: {done.returncode}\n\n{said}"]


def test_the_pragma_is_the_one_that_is_read() -> None:
    assert f"`{PRAGMA}`" in PAGE
    [shown] = fences("markdown")
    assert (len(leftovers(LEFT.decode())), len(leftovers(LEFT.decode() + shown))) == (1, 0)
    assert f"{LIMIT >> 20} MiB" in PAGE


def test_what_the_wheels_are_for() -> None:
    """The packages that the page names are those that the project asks for."""
    project = ROOT.joinpath("pyproject.toml").read_text("utf-8")
    [needed] = re.findall(r"^dependencies = \[(.*)\]$", project, re.MULTILINE)
    names = re.findall(r'"([A-Za-z]+)', needed)
    assert f"({' and '.join(names)})" in PAGE
    assert 'requires = ["hatchling' in project


def test_what_the_page_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGE)
    assert links
    assert all(ROOT.joinpath("docs/reference", link).exists() for link in links)
