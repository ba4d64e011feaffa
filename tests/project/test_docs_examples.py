"""Every patch that the docs show, pasted into a comment, bare and in a fence, and read from a file: the same rows."""

import re
from pathlib import Path

import pytest
from support.comments_on_github import comment_of
from support.project import ROOT

from editblocks import Response, apply_response
from editblocks.core.model import row_number

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


def rows(response: Response) -> list[tuple[int, str]]:
    """The number and the code of each row, hidden ones sorted among the others."""
    result = apply_response(response, lambda _: None)
    return sorted((row_number(row), str(row.code and row.code.value)) for row in result.rows)


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_as_visible_in_a_comment_as_in_a_file(text: str) -> None:
    comment = f"I tried this, and it works:\n\n{text}\nWhat do you think?\n"
    on_page, in_file = rows(comment_of(comment)), rows(Response(comment))
    if "<boltAction" in text:  # the page has no tags, and a tag names the file
        assert on_page == [(number, "hidden-block") for number, _ in in_file]
    else:
        assert on_page == in_file


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_in_a_fence_is_as_visible_in_a_comment_as_in_a_file(text: str) -> None:
    comment = f"I tried this, and it works:\n\n`````text\n{text}`````\n\nWhat do you think?\n"
    assert rows(comment_of(comment)) == rows(Response(comment))


def test_there_are_examples_of_every_kind() -> None:
    texts = "".join(str(each.values[0]) for each in EXAMPLES)
    assert len(EXAMPLES) > 20
    for sign in ("*** Begin Patch", "--- a/", "<<<<<<< SEARCH", "------- SEARCH", "««« EDIT"):
        assert sign in texts
