"""The line that names the answer that is corrected: docs/reference/action.md, "joined rounds"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.parsing.fixes import Fixes, line_for, read_fixes

READ = {
    "fixes: 2048812345": ("2048812345", set()),
    "fixes: 2048812345, block 2": ("2048812345", {2}),
    "fixes: 2048812345, blocks 2,5-7": ("2048812345", {2, 5, 6, 7}),
    "fixes: 2048812345, blocks 2, 5": ("2048812345", {2, 5}),
    "Fixes:  .edits/cart.md\r": (".edits/cart.md", set()),
    "`fixes: .edits/cart.md, block 1`": (".edits/cart.md", {1}),
    "**fixes: 7**": ("7", set()),
    "**fixes:** `7`": ("7", set()),
    "Here they are:\n\nfixes: 7\n": ("7", set()),
    "/apply\nfixes: 7\n": ("7", set()),
    "fixes: 7, block #2": ("7", {2}),
    "fixes: 7 (block 2)": ("7", {2}),
    "fixes: 7, Blocks: 2 and 4.": ("7", {2, 4}),
    "fixes: 7, blocks 2, 4, and 5": ("7", {2, 4, 5}),
    "fixes: https://github.com/acme/shop/pull/1#issuecomment-7, block 2": ("7", {2}),
}
UNREADABLE = ["fixes: 7, blocks 9-2", "fixes: 7, block two", "fixes: .edits/a.md blocks"]
NOT_READ = [
    "Fixes: https://github.com/acme/shop/issues/12",
    "<!--\nfixes: 7\n-->",
    "",
    "Fixes: the totals",
    "Fixes: #123",
    "This fixes: 7",
    "> fixes: 7",
    "fixes:",
    "fixes: 7 8",
    "```\nfixes: 7\n```",
    "a.py\n<<<<<<< SEARCH\nfixes: 7\n",
    "\n" * 10 + "fixes: 7",
    f"fixes: {'a' * 500}.md",
]


@pytest.mark.parametrize("text", READ)
def test_what_is_read(text: str) -> None:
    name, numbers = READ[text]
    assert read_fixes(text) == Fixes(name, frozenset(numbers))


@pytest.mark.parametrize("text", UNREADABLE)
def test_blocks_that_cannot_be_read_are_said_to_be_so(text: str) -> None:
    found = read_fixes(text)
    assert found is not None
    assert (found.numbers, found.is_unreadable) == (frozenset(), True)


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_no_such_line(text: str) -> None:
    assert read_fixes(text) is None


@pytest.mark.parametrize("name", ["a b.md", "`a.md", "a,b.md", "reply", "a\nb.md", "", "é" * 401 + ".md"])
def test_a_name_that_could_not_be_read_back_gets_no_line(name: str) -> None:
    assert line_for(name, [1]) == ""


@given(st.from_regex(r"[0-9]{1,20}|[a-z/]{0,9}[./][a-z]{0,9}", fullmatch=True), st.sets(st.integers(1, 500)))
def test_every_line_is_read_back(name: str, numbers: set[int]) -> None:
    found = read_fixes(line_for(name, sorted(numbers)))
    assert found is not None
    assert found.name == name
    assert found.numbers in (frozenset(numbers), frozenset())  # too many to be named: what fails is meant
