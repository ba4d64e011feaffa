"""Help, version, switches, and the JSON of a call."""

import json
import os
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import pytest
from support import cli_page, man_page
from support.applykit import Run
from support.callcases import changed
from support.gitkit import line
from support.hookkit import Ran

import editblocks
from editblocks.faces.cli.commands import COMMANDS

SCHEMA = jsonschema_rs.validator_for(
    json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))
)


# Help, version, switches.


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("columns", ["20", "300"])
def test_help_fits_a_page_and_shows_an_example(
    call: Run, monkeypatch: pytest.MonkeyPatch, command: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = call(*command.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: {' '.join(['editblocks', *command.split()])}")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert re.search(rf"\nexamples?:\n  .*editblocks {command}", ran.out)
    assert ran.out.isascii()
    assert "\x1b" not in ran.out


def test_the_page_has_every_command_and_option() -> None:
    text = cli_page.PAGE.read_text("utf-8")
    assert cli_page.page(text) == text, "PYTHONPATH=tests python -m support.cli_page writes it anew"


def test_the_man_page_is_as_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert man_page.made() == man_page.PAGE.read_text("utf-8"), "PYTHONPATH=tests python -m support.man_page writes it"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_nothing_to_say_about_the_man_page() -> None:
    ran = subprocess.run(["groff", "-man", "-Tutf8", "-ww", man_page.PAGE], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"editblocks doctor" in re.sub(rb"\x1b\[[0-9;]*m", b"", ran.stdout)


def test_the_version_is_that_of_the_package(call: Run) -> None:
    assert call("--version") == Ran(0, f"editblocks {editblocks.__version__}\n", "")
    assert call("--version", "--help").code == 0


@pytest.mark.parametrize("arguments", ["apply fits.md", "apply fits.md --commit", "hook pre-commit", "nonsense", ""])
def test_disabled_does_nothing_and_says_so(
    folder: Path, call: Run, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setenv("EDITBLOCKS_DISABLED", "1")
    expected = "editblocks: EDITBLOCKS_DISABLED is 1, so nothing was done\n"
    assert call(*arguments.split()) == Ran(0, "", expected)
    assert changed(folder) == {}


@pytest.mark.parametrize("value", ["yes", "true", " 1", "2"])
@pytest.mark.parametrize("arguments", ["apply fits.md", "hook pre-commit"])
def test_disabled_by_another_word_does_nothing_either(
    folder: Path, call: Run, monkeypatch: pytest.MonkeyPatch, arguments: str, value: str
) -> None:
    monkeypatch.setenv("EDITBLOCKS_DISABLED", value)
    said = f"EDITBLOCKS_DISABLED is `{value}`; write 1 to turn editblocks off, or 0"
    assert call(*arguments.split()) == Ran(2, "", f"editblocks: {said}\n")
    assert changed(folder) == {}


# JSON

DOCUMENTS: list[tuple[str, int, str, bool, str]] = [  # arguments, exit code, outcome, written, kind of target
    ("check fits.md", 0, "ok", False, "worktree"),
    ("diff fits.md", 0, "ok", False, "worktree"),
    ("apply fits.md", 0, "ok", True, "worktree"),
    ("apply fits.md --commit", 0, "ok", True, "commit"),
    ("check fits.md --rev main", 0, "ok", False, "commit"),
    ("check partly.md", 1, "failed", False, "worktree"),
    ("diff partly.md", 1, "failed", False, "worktree"),
    ("apply partly.md", 1, "failed", False, "worktree"),
    ("check partly.md --partial", 1, "partial", False, "worktree"),
    ("apply partly.md --partial", 1, "partial", True, "worktree"),
    ("apply partly.md --partial --commit", 1, "partial", True, "commit"),
    ("apply misses.md --partial", 1, "failed", False, "worktree"),
    ("apply done.md", 0, "ok", False, "worktree"),
    ("apply done.md --commit", 0, "ok", False, "commit"),
    ("check cut.md", 1, "failed", False, "worktree"),
    ("check prose.md", 1, "empty", False, "worktree"),
    ("diff prose.md", 1, "empty", False, "worktree"),
    ("apply prose.md", 1, "empty", False, "worktree"),
    ("check fits.md --rev none", 2, "empty", False, "commit"),
]


@pytest.mark.parametrize("case", DOCUMENTS, ids=lambda case: case[0])
@pytest.mark.long(after=2)
def test_json_follows_the_schema(repository: Path, call: Run, case: tuple[str, int, str, bool, str]) -> None:
    arguments, code, outcome, written, kind = case
    os.chdir(repository.parent)
    ran = call(*arguments.split(), "--format", "json", "--root", str(repository))
    document = json.loads(ran.out)
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    assert (ran.code, document["outcome"], document["written"]) == (code, outcome, written)
    assert (document["target"]["kind"], arguments.startswith(document["command"])) == (kind, True)
    committed = written and kind == "commit"
    assert document["target"]["commit"] == (line(repository, "rev-parse", "HEAD") if committed else None)
    assert ("refusal" in document, bool(ran.err)) == (code == 2, code == 2)
