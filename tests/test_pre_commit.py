"""The plugin of pre-commit: its manifest, and pre-commit itself that builds, installs and runs it.

pip gets its wheels from this very environment (`wheelhouse`), so that nothing goes over the network.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gitkit
import jsonschema_rs
import pytest
import yaml
from gitkit import git, line
from hookkit import FITS, MISSED, SCRIPTS, STALE, TREE, search_path, set_module_traps, shape, write
from wheelhouse import needed_by, pack_wheels

from editblocks.faces.hook_check import is_response_file
from editblocks.settings import Settings

ROOT = Path(__file__).parent.parent
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
SCHEMA = json.loads(ROOT.joinpath("tests/data/pre_commit_hooks.schema.json").read_text("utf-8"))

Environment = Mapping[str, str]


def hooks() -> Any:
    return yaml.safe_load(MANIFEST.read_text("utf-8"))


def test_pre_commit_itself_takes_the_manifest() -> None:
    command: list[str | Path] = [SCRIPTS / "pre-commit", "validate-manifest", MANIFEST]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")  # a warning about an unknown key would be on stdout


def test_the_manifest_holds_only_what_is_allowed() -> None:
    assert [error.message for error in jsonschema_rs.iter_errors(SCHEMA, hooks())] == []
    assert not jsonschema_rs.is_valid(SCHEMA, [{**hooks()[0], "additional_dependencies": ["x"]}])


PATHS = [
    (".edits/a.md", True),
    (".edits/a b.md", True),
    (".edits/-x.md", True),
    (".edits/.md", False),
    (".edits/a.txt", False),
    (".edits/a.md.orig", False),
    (".edits/b/a.md", False),
    ("b/.edits/a.md", False),
    ("xedits/a.md", False),
    ("--config=x", False),
]


@pytest.mark.parametrize(("path", "wanted"), PATHS)
def test_pre_commit_and_the_hook_look_at_the_same_files(path: str, wanted: bool) -> None:
    [hook] = [hook for hook in hooks() if hook["id"] == "editblocks-check"]
    assert (re.search(hook["files"], path) is not None) is wanted
    assert is_response_file(path, Settings().response_files) is wanted


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment for pre-commit: all it keeps lies in a temporary folder, and pip knows no index."""
    folder = tmp_path_factory.mktemp("pre-commit")
    wheels = pack_wheels(["hatchling", *needed_by("editblocks")], folder / "wheels")
    return {
        **gitkit.ISOLATED,
        "PATH": search_path(SCRIPTS),
        "HOME": str(folder),
        "PRE_COMMIT_HOME": str(folder / "store"),
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_NO_COMPILE": "1",  # saves a second
        "VIRTUALENV_NO_PERIODIC_UPDATE": "1",
    }


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a repository of its own, with everything in it committed."""
    path = tmp_path_factory.mktemp("plugin")
    for name in (MANIFEST.name, "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, path)
    for name in ("src", "docs", "examples"):
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    git(path, "init", "--quiet")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "x")
    return path


def run(path: Path, environment: Environment, *command: str | Path) -> tuple[int, str]:
    """Exit code, and what was printed to either stream."""
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=path, env=environment, check=False, **pipes)
    return done.returncode, done.stdout.decode()


HEADING = "edit blocks: check......................................................."
PASSED = f"{HEADING}Passed\n"
FAILED = f"{HEADING}Failed\n- hook id: editblocks-check\n- exit code: 1\n\n{MISSED}\n"


TRIES = [
    pytest.param(FITS, 0, PASSED, id="fits", marks=pytest.mark.long),  # each try is an installation
    pytest.param(STALE, 1, FAILED, id="stale"),
]


@pytest.mark.parametrize(("data", "code", "said"), TRIES)
@pytest.mark.long
def test_try_repo(plugin: Path, tmp_path: Path, offline: Environment, *, data: bytes, code: int, said: str) -> None:
    project = gitkit.make_repository(tmp_path / "project", TREE)
    set_module_traps(project, tmp_path / "sprung")
    write(project, "--config=x", b"x\n")
    git(project, "add", "--all")
    write(project, ".edits/a.md", data)
    command = (SCRIPTS / "pre-commit", "try-repo", plugin, "editblocks-check", "--all-files")
    found, output = run(project, offline, *command)
    assert (found, "".join(shape(output).partition(HEADING)[1:])) == (code, said), output
    assert not (tmp_path / "sprung").exists()


CONFIG = """\
repos:
  - repo: {plugin}
    rev: {rev}
    hooks:
      - id: editblocks-check
"""
WAYS: list[tuple[str, bytes, bytes, tuple[str, ...], bool]] = [
    ("a response that fits", FITS, FITS, (), True),
    ("a response that does not", STALE, STALE, (), False),
    ("one that fits as it is staged", FITS, STALE, (), True),
    ("one that fits only on disk", STALE, FITS, (), False),
    ("commit -a takes what is on disk", STALE, FITS, ("-a",), True),
    ("commit FILE takes what is on disk", FITS, STALE, (".edits/a.md",), False),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "staged", "unstaged", "args", "made"), WAYS, ids=[row[0] for row in WAYS])
def test_a_commit_with_pre_commit_installed(
    plugin: Path,
    tmp_path: Path,
    offline: Environment,
    *,
    claim: str,
    staged: bytes,
    unstaged: bytes,
    args: tuple[str, ...],
    made: bool,
) -> None:
    project = gitkit.make_repository(tmp_path / "project", TREE)
    config = CONFIG.format(plugin=plugin, rev=line(plugin, "rev-parse", "HEAD"))
    write(project, ".pre-commit-config.yaml", config.encode())
    assert run(project, offline, SCRIPTS / "pre-commit", "install")[0] == 0
    write(project, ".edits/a.md", staged)
    write(project, ".edits/a.md", unstaged, add=False)
    code, output = run(project, offline, "git", "commit", "--quiet", "-m", "x", *args)
    assert (code == 0) is made, output
    assert (PASSED if made else FAILED) in shape(output)
