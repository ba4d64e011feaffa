"""Workflows that pages show, links, and places that the code points to."""

import ast
import io
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from support.pages import DOCS, FENCE, PAGES, fences, read, section
from support.project import ROOT

from editblocks.faces.cli.commands import COMMANDS, USAGES

CODE = sorted(
    path
    for folder in ("src", "hooks", "bench", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ""} and path.is_file() and "data" not in path.relative_to(ROOT).parts
)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")


def anchors(page: Path) -> list[str]:
    """What a link can lead to: headings, and what has an id."""
    return [*map(slug, headings(page)), *re.findall('<a id="([a-z-]+)">', page.read_text("utf-8"))]


def headings(page: Path) -> list[str]:
    return re.findall(r"^#{1,6} (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)


# the workflow


WORKFLOWS = [
    ("/".join(page.parts[-2:]) if "docs" in page.parts else page.name, number, text)
    for page in PAGES
    for number, text in enumerate(each for each in fences(page.read_text("utf-8"), "yaml") if "jobs:" in each)
]


def test_the_workflow_of_the_action_s_page_is_the_example() -> None:
    assert "(../../examples/workflow.yml)" in section(read("docs/reference/action.md"), "Workflow")


def test_the_workflow_of_the_readme_is_the_least_of_it() -> None:
    [text] = [text for page, _, text in WORKFLOWS if page == "README.md"]
    least, whole = yaml.safe_load(text), yaml.safe_load(read("examples/workflow.yml"))
    [small], [large] = least["jobs"].values(), whole["jobs"].values()
    same = ("runs-on", "timeout-minutes", "permissions")
    assert [small[key] for key in same] == [large[key] for key in same]
    assert (least["permissions"], small["if"]) == ({}, "github.event.issue.pull_request")
    assert small["steps"][0]["uses"] == large["steps"][0]["uses"]
    assert least[True].items() <= whole[True].items()  # YAML 1.1 reads `on` as a boolean


CHECKS = [
    ("zizmor", "--offline", "--persona=auditor"),
    ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
    ("actionlint", "-shellcheck=", "-pyflakes="),  # what else is installed must not count
]


@pytest.mark.long
@pytest.mark.parametrize("command", CHECKS, ids=lambda command: command[0])
def test_the_workflows_are_sound(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for page, number, text in WORKFLOWS:
        (folder / f"{page.replace('/', '-').removesuffix('.md')}-{number}.yml").write_text(text, "utf-8")
    tool = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert tool is not None
    assert WORKFLOWS
    files = sorted(str(path) for path in folder.iterdir())
    done = subprocess.run([tool, *command[1:], *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# the command line


def test_commands_are_those_of_the_command_line() -> None:
    [lines, _] = fences(section(read("docs/reference/command-line.md"), "Command line"), "text")[:2]
    shown = [line.partition("  ")[0] for line in lines.splitlines()]
    assert shown == [f"{name} {USAGES[name]}" if name in USAGES else name for name in COMMANDS]


# pointers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text("utf-8"))
    for link in _LINK.findall(_CODE.sub("", text)):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def comments(path: Path) -> tuple[str, ...]:
    return tuple(_comments(path))


def _comments(path: Path) -> Iterator[str]:
    """Comments and docstrings of a file, each on one line; of a shell script all of it."""
    text = path.read_text("utf-8")
    if ".md" not in text:  # it points nowhere: to take it apart is most of the work
        return
    if path.suffix != ".py":
        yield " ".join(line.lstrip("# ") for line in text.split("\n"))
        return
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented):
            yield " ".join((ast.get_docstring(node) or "").split())
    block: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            block.append(token.string.lstrip("# "))
        elif token.type != tokenize.NL and block:
            yield " ".join(block)
            block = []


def pointers() -> Iterator[tuple[str, str, str | None]]:
    """File, page and heading of everything that points to a page: `docs/x.md, "heading"` or `docs/x.md, heading)`."""
    for path in CODE:
        if path.name == Path(__file__).name:
            continue
        for text in comments(path):
            for found in re.finditer(
                r"docs/((?:[a-z]+/)*[a-z0-9-]+\.md)(?:, (?:\"([^\"]+)\"|([A-Za-z0-9 -]+)(?=[).:;])))?", text
            ):
                is_prose = found[3] is not None and " " in found[3] and "tests" in path.parts
                yield str(path.relative_to(ROOT)), found[1], None if is_prose else found[2] or found[3]


@pytest.mark.long
def test_pages_and_headings_that_the_code_points_to_exist() -> None:
    found = list(pointers())
    missing = [(path, page) for path, page, _ in found if not (DOCS / page).exists()]
    assert (missing, len(found) > 20) == ([], True)
    for path, page, heading in found:
        if heading is not None:
            known = [re.sub(r"[.:] .*", "", known).lower() for known in headings(DOCS / page)]
            assert any(f"{each} ".startswith(f"{heading.lower()} ") for each in known), (path, page, heading)


@pytest.mark.long
def test_code_points_to_pages_by_their_place() -> None:
    bare = re.compile(r"(?<![\w/.-])[a-z]+\.md(?=,? (?:\"|[0-9]|[A-Z][0-9]))")
    assert [(path.name, found) for path in CODE for text in comments(path) for found in bare.findall(text)] == []


def test_every_rule_for_paths_is_told() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "editblocks" / "paths").glob("*.py"))
    assert set(re.findall(r'"(E_[A-Z_]+)"', sources)) == set(
        re.findall(r"`(E_[A-Z_]+)`", read("docs/internals/security.md"))
    )


# requirements

HELD = re.findall(
    r"^- (S[0-9]+): (.+?) \((`.+`)\)$",
    section(read("docs/internals/security.md"), "What is held, and by which test").replace("\n  ", " "),
    re.MULTILINE,
)


TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for found in re.finditer(r"^def test_((?:[rs][0-9]+_)*(\w+))", path.read_text("utf-8"), re.MULTILINE)
    for name in found.groups()
}


def test_every_requirement_has_a_row() -> None:
    assert [row[0] for row in HELD] == [f"S{number}" for number in range(1, 26)]


@pytest.mark.parametrize("row", HELD, ids=[row[0] for row in HELD])
def test_what_holds_a_requirement_exists(row: tuple[str, str, str]) -> None:
    named = re.findall("`([a-z0-9]+(?:_[a-z0-9]+)+)`", row[2])
    assert named
    assert [name for name in named if name not in TESTS] == []
