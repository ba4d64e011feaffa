"""The page about formats shows what the code writes."""

import json
import re
from pathlib import Path

import pytest
from support import formatkit
from support.project import DATA, DOCS

from editblocks.faces.cli.documents import TOOLS
from editblocks.report.findings import LOW_CONFIDENCE, MOST_SARIF_RESULTS

PAGE = (DOCS / "reference/output.md").read_text("utf-8")
JQ = re.compile(r"^\$ .* \| jq -c '\[(.+)\]'\n(.+)$", re.MULTILINE)


def shown(heading: str, info: str) -> list[str]:
    """The texts of the fences with this info string under a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{info}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def text(name: str) -> str:
    return TOOLS[name]([formatkit.example()])


def test_the_list_has_every_format() -> None:
    rows = re.findall(r"^- `([a-z]+)`: ", PAGE.split("## ")[0], re.MULTILINE)
    assert rows == ["text", *TOOLS]


def test_commands_of_a_workflow() -> None:
    [example] = shown("github", "console")
    first, second, *_ = text("github").splitlines(keepends=True)
    assert example == f"$ editblocks check --format github {formatkit.PATH}\n{first}{second}"


def test_the_most_results_of_sarif() -> None:
    assert f"{MOST_SARIF_RESULTS:,} results" in PAGE


def test_a_line_for_reviewdog() -> None:
    [example] = shown("rdjsonl", "json")
    assert example == text("rdjsonl").splitlines(keepends=True)[0]


def test_a_status() -> None:
    [example] = shown("markdown", "markdown")
    assert text("markdown").startswith(example)


def test_what_is_asked_of_a_line() -> None:
    [example] = shown("json, jsonl", "console")
    found = JQ.search(example)
    assert found is not None
    document = json.loads(text("jsonl"))
    values = []
    for path in found[1].split(", "):
        value = document
        for name in re.findall(r"[a-z_]+|[0-9]+", path):
            value = value[int(name) if name.isdigit() else name]
        values.append(value)
    assert json.dumps(values, separators=(",", ":")) == found[2]


@pytest.mark.parametrize("folder", sorted(path.parent for path in DATA.rglob("NOTICE.md")), ids=lambda path: path.name)
def test_what_others_wrote_has_its_licence_beside_it(folder: Path) -> None:
    rows = [line for line in (folder / "NOTICE.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    licences = [re.findall(r"`(LICENSE\.[^`]+)`", row) for row in rows]
    assert all(licences)
    named = {row.split("`")[1] for row in rows} | {name for found in licences for name in found}
    assert named | {"NOTICE.md"} == {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("word", ["already-applied", "no-op", "earlier-failure", "no-blocks", LOW_CONFIDENCE])
def test_what_is_a_finding_names_the_codes(word: str) -> None:
    assert word in PAGE.split("## What is a finding")[1].split("\n## ")[0]
