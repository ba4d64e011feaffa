"""What other people write about tools, JSON and XML is no edit: the pages and docstrings of what is installed."""

import ast
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.project import DATA

from editblocks import parse_response
from editblocks.formats.grammar import Format
from editblocks.formats.tool_calls import TOOL_CALLS, may_hold_calls
from editblocks.parsing.parse import FORMATS

INSTALLED = Path(sysconfig.get_path("purelib"))
OTHERS: tuple[Format, ...] = tuple(each for each in FORMATS if each is not TOOL_CALLS)


def pages(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".md", ".rst"):
            yield path, path.read_text("utf-8", "replace")


def docstrings(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8", "replace")
        if not may_hold_calls(text):
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # a template, or what a parser is tested with
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, ast.get_docstring(node) or ""


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(lambda: pages(DATA), id="data of the tests"),
        pytest.param(lambda: pages(INSTALLED), id="pages", marks=pytest.mark.long),
        pytest.param(lambda: docstrings(INSTALLED), id="docstrings", marks=pytest.mark.long),
    ],
)
def test_no_page_holds_a_call(texts: Callable[[], Iterator[tuple[Path, str]]]) -> None:
    for path, text in texts():
        if may_hold_calls(text):
            parsed = parse_response(text)
            assert not [block for block in parsed.blocks if block.format in TOOL_CALLS.names or block.call], path
            # Where calls are not asked for, each is a problem that says so.
            assert parsed == parse_response(text, OTHERS), path
