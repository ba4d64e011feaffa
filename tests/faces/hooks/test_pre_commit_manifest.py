"""The manifest of the pre-commit plugin: what it may hold, and which files it is about."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from support.hookkit import SCRIPTS
from support.project import ROOT

from editblocks.core.settings import Settings
from editblocks.faces.cli import main as cli
from editblocks.paths.policy import is_read_as_response

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
SCHEMA = json.loads(ROOT.joinpath("tests/data/pre_commit_hooks.schema.json").read_text("utf-8"))
HOOKS: dict[str, dict[str, Any]] = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text("utf-8"))}


def test_pre_commit_itself_takes_the_manifest() -> None:
    command: list[str | Path] = [SCRIPTS / "pre-commit", "validate-manifest", MANIFEST]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")  # a warning about an unknown key would be on stdout


def test_the_manifest_holds_only_what_is_allowed() -> None:
    assert [error.message for error in jsonschema_rs.iter_errors(SCHEMA, list(HOOKS.values()))] == []
    some = HOOKS["editblocks-check"]
    assert not jsonschema_rs.is_valid(SCHEMA, [{**some, "additional_dependencies": ["x"]}])
    assert not jsonschema_rs.is_valid(SCHEMA, [{**some, "entry": "sh -c 'editblocks hook pre-commit'"}])


def test_there_are_three_hooks() -> None:
    assert list(HOOKS) == ["editblocks-check", "editblocks-apply", "editblocks-leftovers"]
    assert {hook["minimum_pre_commit_version"] for hook in HOOKS.values()} == {"3.2.0"}


@pytest.mark.parametrize("name", HOOKS)
def test_an_entry_is_a_stage_of_the_command(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    program, *words = HOOKS[name]["entry"].split()
    assert program == "editblocks"
    assert cli.main([word for word in words if word != "--"] + ["--help"]) == 0
    assert capfd.readouterr().out.startswith("usage: editblocks hook ")


PATHS = [
    (".edits/a.md", True),
    (".edits/a b.md", True),
    (".edits/-x.md", True),
    (".edits/a\nb.md", True),
    (".edits/.md", False),
    (".edits/a.txt", False),
    (".edits/a.md.orig", False),
    (".edits/b/a.md", False),
    ("b/.edits/a.md", False),
    ("xedits/a.md", False),
    ("--config=x", False),
]


@pytest.mark.parametrize("name", ["editblocks-check", "editblocks-apply"])
@pytest.mark.parametrize(("path", "wanted"), PATHS)
def test_pre_commit_and_the_hook_look_at_the_same_files(name: str, path: str, wanted: bool) -> None:
    hook = HOOKS[name]
    passed = re.search(hook["files"], path) is not None and re.search(hook["exclude"], path) is None
    assert passed is wanted
    assert is_read_as_response(path, Settings().response_files) is wanted
