"""Blocks of a page that its readers may not see; a file has no page, so nothing in it is hidden (amendment A1)."""

from __future__ import annotations

import pytest
from support.parsecases import NAMELESS, OPEN, X, rows

from editblocks import ParseResult, Response, apply_response, parse_response
from editblocks.applying.hidden_blocks import without_hidden
from editblocks.hosts.github.page import hidden_lines


def seen(text: str) -> ParseResult:
    """What is read of a comment with this text."""
    return without_hidden(parse_response(text), hidden_lines(text))


HIDDEN: dict[str, tuple[str, list[str]]] = {
    "a comment": (f"<!--\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "a comment that never ends": (f"<!--\n{X}text\n", ["1 - 3-7: hidden-block"]),
    "a truncated block in a comment": (f"<!--\n{OPEN}x\n-->\n{X}", ["1 - 2-5: hidden-block", "2 a.py 6-10: malformed"]),
    "two in a comment": (
        f"<!--\n{OPEN}{OPEN}-->\n",
        ["1 - 2-2: hidden-block", "2 - 3-4: hidden-block"],
    ),
    "an indented comment": (f"   <!--\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "blank lines do not end it": (f"<!--\n\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "in mid-line": (f"text <!-- more\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "in mid-line, a blank line ends it": (f"text <!-- more\n\n{X}", ["1 a.py 4-8: x/ -> y/"]),
    "in mid-line, a blank line ends the block in it": (
        f"text <!-- more\n{OPEN}\n{X}",
        ["1 - 2-4: hidden-block", "2 a.py 5-9: malformed"],
    ),
    "closed on its line": (f"<!-- a.js -->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "the name of the file": (f"<!-- a.py -->\n{NAMELESS}", ["1 - 2-6: hidden-block"]),
    "the name of the file, in a fence": (
        f"```\n<!-- a.html -->\n{NAMELESS}```\n",
        ["1 a.html 3-7: x/ -> y/"],
    ),
    "closed and opened again": (f"<!-- a --> <!-- b\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "opened within itself": (f"<!-- <!-- -->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "opened again where it ends": (f"<!--\n--> <!-- b\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "behind a tag, a blank line does not end it": (f"<div><!-- b\n\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "below a tag": (f"<div>\ntext <!-- b\n\n{X}-->\n", ["1 - 5-9: hidden-block"]),
    "behind a comment": (f"<!-- a --> <!-- b\n\n{X}", ["1 - 4-8: hidden-block"]),
    "after a tag and a blank line": (f"<div>\n\ntext <!-- b\n\n{X}", ["1 a.py 6-10: x/ -> y/"]),
    "in a very long paragraph": ("text\n" * 20 + f"text <!-- b\n\n{X}", ["1 a.py 24-28: x/ -> y/"]),
    "in inline code": (f"`<!--`\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "in longer inline code": (f"`` ` <!-- ``\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "a back-tick that ends nothing": (f"it`s <!-- b\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "in a fence": (f"```\n<!--\n```\n{X}", ["1 a.py 5-9: x/ -> y/"]),
    "a fence in a comment": (f"<!--\n```\n-->\n{X}", ["1 a.py 5-9: x/ -> y/"]),
    "the end alone": (f"-->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
}


@pytest.mark.parametrize(("text", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_what_no_reader_sees_is_a_failed_row(text: str, expected: list[str]) -> None:
    assert rows(seen(text)) == expected


def test_a_hidden_block_says_where_it_is() -> None:
    problems = seen(f"<!--\n{X}-->\n").problems
    assert [problem.message for problem in problems] == [
        "lines 3-7 may be hidden on the page, by HTML or a link that is open above; put the block in a code fence"
    ]


def test_the_comment_that_names_a_file_is_named() -> None:
    problems = seen(f"<!-- a.py -->\n{NAMELESS}").problems
    assert [problem.message for problem in problems] == [
        "the comment that names the file of lines 2-6 is hidden on the page; put the block in a code fence"
    ]


@pytest.mark.parametrize("text", [text for text, _ in HIDDEN.values()], ids=HIDDEN)
def test_a_file_hides_nothing(text: str) -> None:
    result = apply_response(Response(text), {"a.py": b"x\n", "a.js": b"x\n", "a.html": b"x\n"}.get)
    assert result.rows
    assert "hidden-block" not in {str(row.code and row.code.value) for row in result.rows}
