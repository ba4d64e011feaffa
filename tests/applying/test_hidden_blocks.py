"""Blocks of a page that its readers may not see; a file has no page, so nothing in it is hidden (amendment A1)."""

import pytest
from support.comments_on_github import comment_of, hidden_lines_of
from support.parsecases import NAMELESS, OPEN, X, rows

from editblocks import ParseResult, Response, apply_response, parse_response
from editblocks.applying.engine import without_hidden, without_lines
from editblocks.core.outcome import Part, Source

Z = X.replace("a.py", "b.py").replace("\ny\n", "\nz\n")


def seen(text: str) -> ParseResult:
    """What is read of a comment with this text."""
    hidden = hidden_lines_of(text)
    return without_hidden(parse_response(text), hidden, parse_response(without_lines(Response(text), hidden).text))


HIDDEN: dict[str, tuple[str, list[str]]] = {
    "a comment": (f"<!--\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "a comment that never ends": (f"<!--\n{X}text\n", ["1 - 3-7: hidden-block"]),
    "a truncated block in a comment": (f"<!--\n{OPEN}x\n-->\n{X}", ["1 - 2-5: hidden-block", "2 a.py 6-10: malformed"]),
    "two in a comment": (
        f"<!--\n{OPEN}{OPEN}-->\n",
        ["1 - 2-2: hidden-block", "2 - 3-4: hidden-block"],
    ),
    "the end of a thought": (
        f"{X}\n<!-- </think> -->\n{Z}",
        ["1 - 2-6: hidden-block", "2 - 10-14: hidden-block"],
    ),
    "the end of a thought, in a definition": (
        f"{X}\n[x]: http://y '</think>'\n\n{Z}",
        ["1 - 2-6: hidden-block", "2 - 11-15: hidden-block"],
    ),
    "the end of a thought, below a block without a path": (
        f"{NAMELESS}\n<!-- </think> -->\n{Z}",
        ["1 - 1-5: hidden-block", "2 - 9-13: hidden-block"],
    ),
    "the end of a thought, below a call without a path": (
        f'```json\n{{"old_string": "x", "new_string": "y"}}\n```\n\n<!-- </think> -->\n{Z}',
        ["1 - 2-2: hidden-block", "2 - 7-11: hidden-block"],
    ),
    "the tags of a thought around a block": (
        f"<!-- <think> -->\n{X}\n<!-- </think> -->\n{Z}",
        ["1 - 3-7: hidden-block", "2 - 11-15: hidden-block"],
    ),
    "a thought without blocks": (f"<think>\nno\n</think>\n\n{X}", ["1 a.py 6-10: x/ -> y/"]),
    "a thought whose tags the page shows": (f"```\n{X}</think>\n```\n{X}", ["1 a.py 11-15: x/ -> y/"]),
    "an indented comment": (f"   <!--\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "blank lines do not end it": (f"<!--\n\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "in mid-line, the divider of the block ends it": (f"text <!-- more\n{X}-->\n", ["1 a.py 3-7: x/ -> y/"]),
    "in mid-line, a blank line ends it": (f"text <!-- more\n\n{X}", ["1 a.py 4-8: x/ -> y/"]),
    "in mid-line, a blank line ends the block in it": (
        f"text <!-- more\n{OPEN}\n{X}",
        ["1 - 2-4: unclosed", "2 a.py 5-9: malformed"],
    ),
    "closed on its line": (f"<!-- a.js -->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "the name of the file": (f"<!-- a.py -->\n{NAMELESS}", ["1 - 2-6: hidden-block"]),
    "the heading of the file": (f"<!--\n### File: a.py\n-->\n{NAMELESS}", ["1 - 4-8: hidden-block"]),
    "a heading of the same file below it": (
        f"<!--\n### File: b.py\n-->\n### File: a.py\n{NAMELESS}",
        ["1 a.py 5-9: x/ -> y/"],
    ),
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
    "a back-tick that ends nothing": (f"it`s <!-- b\n{X}-->\n", ["1 a.py 3-7: x/ -> y/"]),
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
        "GitHub does not show lines 3-7 as written; put the block in a code fence"
    ]


def test_the_comment_that_names_a_file_is_named() -> None:
    problems = seen(f"<!-- a.py -->\n{NAMELESS}").problems
    assert [problem.message for problem in problems] == [
        "GitHub does not show the line with the path of the block at lines 2-6; "
        "write the path on the line above the block"
    ]


@pytest.mark.parametrize("text", [text for text, _ in HIDDEN.values()], ids=HIDDEN)
def test_a_file_hides_nothing(text: str) -> None:
    result = apply_response(Response(text), {"a.py": b"x\n", "a.js": b"x\n", "a.html": b"x\n"}.get)
    assert result.rows
    assert "hidden-block" not in {str(row.code and row.code.value) for row in result.rows}


def test_a_base_that_nobody_sees_is_none() -> None:
    commit = "4be1d02c3a9f7e5d8b6a4c2e0f1d3b5a7c9e8f60"
    assert seen(f"base: {commit}\n{X}").base == commit
    assert seen(f"base: {commit}\n<!--\n{X}-->\n").base == commit
    assert seen(f"<!--\nbase: {commit}\n-->\n{X}").base is None


def test_the_parts_of_a_review_are_pages_of_their_own() -> None:
    parts = (Part(1, "<!--\n### File: a.py\n-->"), Part(2, f"### File: a.py\n{NAMELESS}"), Part(3, f"<!--\n{X}"))
    response = Response.of(parts, Source("review-1", "review"))
    hidden = response._replace(hidden_lines=frozenset({1, 2, 3, 12, 13, 14, 15, 16, 17}))
    result = apply_response(hidden, {"a.py": b"x\n"}.get)
    assert [str(row.code and row.code.value) for row in result.rows] == ["None", "hidden-block"]


def test_a_path_in_a_comment_is_refused_where_nothing_else_is_hidden() -> None:
    text = f"<!-- a.py -->\n{NAMELESS}"
    on_page = apply_response(comment_of(text), {"a.py": b"x\n"}.get)
    in_file = apply_response(Response(text), {"a.py": b"x\n"}.get)
    assert [str(row.code and row.code.value) for row in (*on_page.rows, *in_file.rows)] == ["hidden-block", "None"]
