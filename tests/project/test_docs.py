"""The examples and tables of the reference pages are true."""

import re
import runpy
from difflib import ndiff
from pathlib import Path

import pytest
from support import golden
from support.pages import DOCS, code, fences, read, section, table
from support.project import CASES, ROOT

from editblocks import EditBlock, ReasonCode, apply_response, parse_response, validate_block
from editblocks.core.blocks import BlockProgress, BlockStarted, DraftsLeftOut
from editblocks.formats.grammar import Grammar
from editblocks.formats.hunks import BEGIN_PATCH
from editblocks.formats.markers import Kind
from editblocks.formats.search_replace import SEARCH_REPLACE
from editblocks.parsing.parse import FORMAT_NAMES, FORMATS, GRAMMARS, formats_named, scanner_of
from editblocks.parsing.path_line import find_path
from editblocks.report.view import strategy_text

# examples


FORMAT_PAGES = {page.stem: page.read_text("utf-8") for page in sorted(DOCS.glob("reference/formats/*.md"))}
INDEX = FORMAT_PAGES["index"]
RULES = read("docs/reference/rules.md")


def embedded(case: golden.Case) -> str:
    """A golden page as the page of its format shows it: the answer, its rows, and how files change that stay."""
    changes = []
    for path, data in case.before.items():
        before = data.decode().splitlines()
        after = case.expected.get(path, data).decode().splitlines()
        if before != after:
            lines = [f"{line[0]}{line[2:]}".rstrip() for line in ndiff(before, after) if not line.startswith("?")]
            changes.append("\n".join(["```diff", *lines, "```"]))
    rows = ", ".join(f"`{line}`" for line in case.report.splitlines() if not line.startswith("  "))
    parts = [f"~~~~text\n{case.response}~~~~", f"{rows} ([test](../../../tests/cases/{case.name}.md))"]
    return "\n\n".join([*parts, *changes])


EXAMPLES = [
    (page, name)
    for page, text in FORMAT_PAGES.items()
    for name in re.findall(r"\(\[test\]\(\.\./\.\./\.\./tests/cases/([a-z0-9/-]+)\.md\)\)", text)
]


@pytest.mark.parametrize(("page", "name"), EXAMPLES)
def test_an_example_is_its_golden_page(page: str, name: str) -> None:
    assert embedded(golden.read_case(CASES / f"{name}.md")) in FORMAT_PAGES[page]


def test_there_is_an_example_of_every_format_that_is_read() -> None:
    example = r"^## `([a-z0-9-]+)`: .*?\(\[test\]\(\.\./\.\./\.\./tests/cases/([a-z0-9/-]+)\.md\)\)"
    pages = dict(re.findall(example, "\n".join(FORMAT_PAGES.values()), re.MULTILINE | re.DOTALL))
    assert set(pages) == set(FORMAT_ROWS)
    for name, page in pages.items():
        case = golden.read_case(CASES / f"{page}.md")
        parsed = parse_response(
            case.response, context_path=case.options.get("context-path"), thread_lines=case.thread_lines
        )
        assert {block.format for block in parsed.blocks} == {name}


REASONS = read("docs/reference/reasons.md")
OF_CODES = dict(re.findall(r"\[([a-z-]+)\]\(\.\./\.\./tests/cases/([a-z0-9/-]+)\.md\)", REASONS))
NEVER_OF_A_BLOCK = {"self-check", "leftover", "low-confidence"}  # our own bug, a file, and asking for it


@pytest.mark.parametrize("code", OF_CODES)
def test_an_example_of_a_code_has_it(code: str) -> None:
    assert re.search(
        rf": (failed|skipped): {code}$", golden.read_case(CASES / f"{OF_CODES[code]}.md").report, re.MULTILINE
    )


def test_there_is_an_example_of_every_code_of_a_block() -> None:
    of_blocks = REASONS[: REASONS.index("## Run")]
    assert set(re.findall(r'<a id="([a-z-]+)">', of_blocks)) == OF_CODES.keys() | NEVER_OF_A_BLOCK


def test_the_table_of_formats_leads_to_the_page_of_each() -> None:
    for row in table(INDEX, "format"):
        linked = re.fullmatch(r"\[`([a-z0-9-]+)`\]\(([a-z0-9-]+)\.md\)", row[0])
        assert linked is not None
        assert f"## `{linked[1]}`: " in FORMAT_PAGES[linked[2]]


FORMAT_ROWS = {re.findall("`(.+)`", row[0])[0]: row[1:] for row in table(INDEX, "format")}


NAMING = {Kind.FENCE, Kind.HEADING, Kind.EDIT_ACTION}
PATCHES = {BEGIN_PATCH, Kind.GIT_DIFF, Kind.NEW_NAME}


def test_the_readme_shows_every_opening_line_that_is_read() -> None:
    cells = [row[0] for row in table(read("README.md"), "opening line")]
    lines = [code(span) for cell in cells for span in re.findall(r"(`+ ?[^`].*?`+)(?=, |$)", cell)]
    scanner = scanner_of(FORMATS)
    kinds = {token.kind for line in lines for token in scanner.scan(f"{line}\n", 0)}
    assert kinds == {*scanner.pairs.openers, *NAMING, *PATCHES} - {SEARCH_REPLACE.opener}


def test_the_table_of_formats_names_all_that_are_read() -> None:
    assert set(FORMAT_ROWS) == set(FORMAT_NAMES) - {"editor-diff", "editor-diff-fenced"}


WORDS_OF_CALLS = {
    "tool-replace": "tolerantly",
    "tool-write": "no text: creates, replaces",
    "tool-insert": "no text: the line that it names",
    "tool-file": "no text: deletes, renames",
}
WORDS_OF_TOOLS = {"rdjson": "no text: lines and columns of the base", "sarif": "exactly, if it is shown"}


@pytest.mark.parametrize("name", [name for name in FORMAT_ROWS if formats_named([name])])
def test_the_table_of_formats_shows_their_markers_and_how_they_match(name: str) -> None:
    markers, _, fit = FORMAT_ROWS[name]
    [form] = formats_named([name])
    shown = re.findall("`([^`]+)`", markers)
    if isinstance(form, Grammar):
        lines = [marker.text for marker in form.markers]
        assert shown == [lines[0], *filter(None, [form.header]), *lines[1:]]
    elif name not in ("suggestion", "whole-file", *WORDS_OF_CALLS, *WORDS_OF_TOOLS):
        scan = scanner_of(FORMATS).scan
        assert None not in {next(iter(scan(f"{line}\n", 0)), None) for line in shown if not line.startswith("---")}
    shifted = EditBlock(1, "a.py", name, 1, 1, old_lines="x = 1\n", new_lines="x = 2\n")
    if name == "suggestion":
        assert fit == "no text: the lines of the thread"
    elif name == "whole-file":
        assert fit == "no text: creates, replaces"
    elif name in WORDS_OF_CALLS or name in WORDS_OF_TOOLS:
        assert fit == {**WORDS_OF_CALLS, **WORDS_OF_TOOLS}[name]
    elif not isinstance(form, Grammar) or form.separators:
        lands = validate_block(shifted, "    x = 1\n").strategy == "indentation"
        assert fit == ("tolerantly" if lands else "exactly")
    else:
        assert fit == "no text: creates"


@pytest.mark.parametrize(
    "line",
    [row[0] for row in table(section(INDEX, "Recognised and refused"), "opening line")],
)
def test_what_the_page_calls_refused_is(line: str) -> None:
    parts = re.findall("`([^`]+)`", line)
    text = f"a.py\n{parts[-1]}\n{parts[0]}\n=======\n>>>>>>> REPLACE\n" if len(parts) > 1 else f"{parts[0]}\nx\n"
    assert [problem.code for problem in parse_response(text).problems] == [ReasonCode.UNSUPPORTED_FORMAT]


def test_the_table_of_operations() -> None:
    shown = {code(row[0]): row[2] for row in table(RULES, "operation")}
    case = golden.read_case(CASES / "mixed" / "operations.md")
    results = apply_response(case.response, case.before.get).results
    said = {result.operation: strategy_text(result) for result in results}
    assert set(shown) == set(said)
    for operation, words in said.items():
        expected = "exact" if operation == "modify" else code(shown[operation])
        assert words in (expected, f"exact, {expected}"), operation


def test_the_table_of_events() -> None:
    shown = {code(row[0]): re.findall("`([^`]+)`", row[1]) for row in table(RULES, "event")}
    told = {kind.__name__: list(kind._fields) for kind in (BlockStarted, BlockProgress, DraftsLeftOut)}
    assert shown == {**told, "EditBlock": [], "Problem": []}
    names = set(re.findall("`([a-z-]+)`", section(RULES, "Streaming").partition("Sections are")[2]))
    assert {section for grammar in GRAMMARS for section in grammar.sections} <= names


NO_LONGER_WRITTEN = "no-fence"  # the schema of results keeps its notes


def test_the_list_of_notes_names_all() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "editblocks").rglob("*.py"))
    notes = section(read("docs/reference/reasons.md"), "Note")
    named = re.findall("^- `([a-z-]+)`: ", notes, re.MULTILINE)
    assert set(re.findall(r'Note\(\s*"([a-z-]+)"', source)) - {"only-one-ready"} <= set(named)
    assert [name for name in named if f'"{name}"' not in source or named.count(name) > 1] == [NO_LONGER_WRITTEN]


READ_AS = {row[0]: re.findall(r"(`+ ?[^`].*?`+)(?=, |$)", row[1]) for row in table(RULES, "read as")}


@pytest.mark.parametrize(("line", "reading"), [(line, reading) for reading, lines in READ_AS.items() for line in lines])
def test_the_table_of_path_lines(line: str, reading: str) -> None:
    found = find_path(code(line))
    if reading == "no path":
        assert found is None
    else:
        assert found is not None
        assert (found.weak, found.weak or found.path) == (reading == "weak", reading == "weak" or code(reading))


PYTHON = fences(read("docs/reference/python.md"), "python")


@pytest.mark.parametrize("example", PYTHON, ids=[example.split("\n")[-2][:40] for example in PYTHON])
def test_the_python_examples_run(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example.py").write_text(example, "utf-8")
    assert runpy.run_path("example.py")
    assert example.count("assert ") > 1
    assert Path("rates.py").exists() == ("repo.write" in example)


def test_every_public_name_that_python_md_tells_of_exists() -> None:
    import editblocks

    listed = section(read("docs/reference/python.md"), "What there is").partition("**A tree**")[0]
    items = re.findall(r"^- (`.+?): ", listed, re.MULTILINE)
    names = {name for item in items for name in re.findall(r"`(\w+)", item)}
    assert len(names) > 20
    assert names <= set(editblocks.__all__)
