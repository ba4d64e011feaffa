"""The page of the seeds names modules, tests and golden pages that exist."""

import ast
import re
from functools import cache

import pytest
from support.pages import code, read
from support.project import ROOT, TESTS

ROWS = re.findall(r"^\|(?!feature|---)(.+?)\|(.*?)\|(.*?)\|$", read("docs/internals/seeds.md"), re.MULTILINE)
MODULES = sorted({code(cell) for _, cell, _ in ROWS if cell})
PROOFS = sorted({proof for _, _, cell in ROWS for proof in re.findall("`([^`]+)`", cell)})


@cache
def functions(name: str) -> set[str]:
    """The tests of a file."""
    tree = ast.parse((TESTS / name).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_there(name: str) -> None:
    assert (ROOT / "src/editblocks" / name).exists()


@pytest.mark.parametrize("name", PROOFS)
def test_a_test_is_there(name: str) -> None:
    file, _, function = name.partition("::")
    if file.startswith("cases/"):
        assert (TESTS / file).is_file()
    else:
        assert function in functions(file)


def test_every_row_names_both_or_says_never() -> None:
    assert len(ROWS) > 100
    assert [row for row in ROWS if not (row[1] and row[2]) and "never" not in row[0]] == []
    for _, module, proofs in ROWS:
        assert re.fullmatch("(`[^`]+`)?", module)
        assert re.fullmatch("(`[^`]+`(, `[^`]+`)*)?", proofs)
