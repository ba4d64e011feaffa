"""`explain`: what it prints of every code, whose word it takes, and that an installed package has the page."""

import ast
import json
import os
import subprocess
import sys
import zipfile
from argparse import Namespace
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from support.project import ROOT

from editblocks.core.codes import FINE_CODES, ReasonCode
from editblocks.core.errors import UsageError
from editblocks.faces.cli import main as cli
from editblocks.faces.cli.explain import GROUPS, NOTE, PAGE, rows_of
from editblocks.faces.cli.explain import main as explain
from editblocks.faces.reading import SHIPPED, read_packaged
from editblocks.report.findings import RULES

ROWS = rows_of(read_packaged(PAGE))
SCHEMA = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))

UNCLOSED = """\
unclosed (failed): the block has no closer; probably cut off

What to do: If the message names a line, write the closer shown there.
Otherwise ask the model for the block again. A patch ends with `*** End Patch`.
Around text with marker lines, use longer ones (rules.md#markers).
"""


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def said(code: str | None, capsys: pytest.CaptureFixture[str]) -> str:
    assert explain(Namespace(code=code, color="auto")) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_page_of_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert said("unclosed", capsys) == UNCLOSED


def test_headings_are_bold_where_there_are_colours(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = said("unclosed", capsys)
    assert out.startswith("\x1b[1munclosed\x1b[0m (failed): ")
    assert out.replace("\x1b[1m", "").replace("\x1b[0m", "") == UNCLOSED
    assert out.count("\x1b[1m") == out.count("\x1b[0m") == 2


@pytest.mark.parametrize(("when", "marks"), [("always", 2), ("never", 0), ("auto", 2)])
def test_the_option_for_colour_goes_before_the_environment(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, when: str, marks: int
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert cli.main(["explain", "unclosed", "--color", when]) == 0
    assert capfd.readouterr().out.count("\x1b[1m") == marks


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_its_reason_and_remedy(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(code, capsys)
    reason, remedy = text.split("\n\n")[:2]
    assert (reason.startswith(f"{code} ("), remedy[:12]) == (True, "What to do: ")
    assert max(map(len, text.splitlines())) < 80
    assert "**" not in text.replace("***", "")
    assert "](" not in text
    assert "```" not in text


def test_a_link_is_followed_by_where_it_leads(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\nWhat to do: Correct what the message quotes: commands (action.md#commands),\n" in said(
        "bad-command", capsys
    )


def test_a_note_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert said("near-marker", capsys) == "near-marker (note): a line looks like a misspelt marker\n"


def test_a_code_that_is_a_note_too(capsys: pytest.CaptureFixture[str]) -> None:
    out = said("hidden-text", capsys)
    assert out.startswith("hidden-text (failed): ")
    assert "\n\nhidden-text (note): " in out


FORGIVEN = ("No-Match", "NO_MATCH", "`no-match`", "no-match:", " no match ", "'no-match'")


@pytest.mark.parametrize("word", FORGIVEN)
def test_what_people_copy_along(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(word, capsys) == said("no-match", capsys)


UNKNOWN = {
    "unclsed": "there is no code `unclsed`; did you mean `unclosed`?",
    "file-missing": "there is no code `file-missing`; did you mean `file-exists`?",
    "xyzzy": "there is no code `xyzzy`; `editblocks explain` lists them",
    "": "there is no code ``; `editblocks explain` lists them",
    "x" * 99: f"there is no code `{'x' * 60}`; `editblocks explain` lists them",
}


@pytest.mark.parametrize("word", UNKNOWN)
def test_a_word_that_is_no_code(word: str) -> None:
    with pytest.raises(UsageError) as raised:
        explain(Namespace(code=word, color="auto"))
    assert raised.value.message == UNKNOWN[word]


def test_the_list_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    *lines, empty, last = said(None, capsys).splitlines()
    assert (empty, last) == ("", "editblocks explain CODE says more about one of them")
    assert max(map(len, lines)) < 80
    groups = "\n".join(lines).split("\n\n")
    assert [group.split(":")[0] for group in groups] == list(GROUPS)
    listed = [(group.split(":")[0], line.split()[0]) for group in groups for line in group.splitlines()[1:]]
    assert sorted(listed) == sorted((row.group, row.code) for row in ROWS)


def test_the_page_lists_every_code_once() -> None:
    codes = [row.code for row in ROWS if row.group != NOTE]
    assert sorted(codes) == sorted(RULES)
    assert {row.group for row in ROWS} == set(GROUPS)


def test_the_page_lists_every_note_once() -> None:
    notes = [row.code for row in ROWS if row.group == NOTE]
    assert sorted(notes) == sorted(SCHEMA["$defs"]["note"]["properties"]["code"]["enum"])


def _enums(node: object, name: str = "") -> Iterator[str]:
    """The words that the schema allows for a code."""
    if isinstance(node, dict):
        yield from node.get("enum", ()) if name == "code" or name.endswith("_code") else ()
        for key, value in node.items():
            yield from _enums(value, key)


def _written() -> Iterator[str]:
    """The codes of the notes that the package writes."""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note":
                yield from (str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant))


@pytest.mark.long
def test_every_code_that_any_output_shows_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    sources = (set(RULES), {code.value for code in ReasonCode}, set(_enums(SCHEMA)), set(_written()))
    assert [len(codes) > 10 for codes in sources] == [True] * 4
    for code in sorted(set().union(*sources)):
        assert said(code, capsys).startswith(f"{code} ("), code


def test_what_is_skipped_and_what_is_fine() -> None:
    skipped = {row.code: row.meaning for row in ROWS if row.group == "skipped"}
    assert {code for code, text in skipped.items() if text.endswith("; fine")} == {code.value for code in FINE_CODES}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel of this checkout installs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    [wheel] = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


@pytest.mark.parametrize("name", ["docs/reference/reasons.md", "examples/editblocks.yml", "examples/workflow.yml"])
@pytest.mark.long(after=1)
def test_what_is_installed_is_the_file_of_the_checkout(installed: Path, name: str) -> None:
    data = (ROOT / name).read_bytes()
    assert (installed / "editblocks" / SHIPPED / name).read_bytes() == data
    assert read_packaged(name).encode() == data


def test_the_texts_for_models_are_installed(installed: Path) -> None:
    folder = "editblocks/prompts/texts"
    here = {path.name: path.read_bytes() for path in (ROOT / "src" / folder).iterdir()}
    assert {path.name: path.read_bytes() for path in (installed / folder).iterdir()} == here
    assert here


def test_an_installed_package_explains(installed: Path, tmp_path: Path) -> None:
    call = "explain(N(code='unclosed', color='auto'))"
    script = f"from argparse import Namespace as N; from editblocks.faces.cli.explain import main as explain; {call}"
    environment = {"PYTHONPATH": str(installed), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert ran.stdout.decode() == UNCLOSED
