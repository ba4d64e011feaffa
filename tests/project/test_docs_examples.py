"""Every patch that the docs show, pasted bare into a comment and read from a file: the same rows, none hidden."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.project import ROOT

from editblocks import Response, apply_response
from editblocks.hosts.github.page import hidden_lines

PATCH = re.compile(
    r"(?m)^(?:\*\*\* Begin Patch|--- |diff --git |<{5,9} (?:SEARCH|EDIT|NEW_FILE)|-{5,9} SEARCH|««« EDIT)"
)
FENCE = re.compile(r"(?ms)^(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=mark)[ \t]*$")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def examples(page: Path) -> list[str]:
    """The texts of fences that hold a patch or a block."""
    texts = [match["text"] for match in FENCE.finditer(page.read_text("utf-8"))]
    return [text for text in texts if PATCH.search(text)]


EXAMPLES = [
    pytest.param(text, id=f"{page.stem}-{number}") for page in PAGES for number, text in enumerate(examples(page))
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_as_visible_in_a_comment_as_in_a_file(text: str) -> None:
    comment = f"I tried this, and it works:\n\n{text}\nWhat do you think?\n"
    from_file = apply_response(Response(comment), lambda _: None)
    on_page = apply_response(Response(comment, hidden_lines=hidden_lines(comment)), lambda _: None)
    assert [row.code for row in on_page.rows] == [row.code for row in from_file.rows]


def test_there_are_examples_of_every_kind() -> None:
    texts = "".join(str(each.values[0]) for each in EXAMPLES)
    assert len(EXAMPLES) > 20
    for sign in ("*** Begin Patch", "--- a/", "<<<<<<< SEARCH", "------- SEARCH", "««« EDIT"):
        assert sign in texts
