"""Texts that may be parts of lines, and what is written in their place (docs/reference/formats/tool-calls.md)."""

import pytest

from editblocks.matching.text_parts import comparable, ends_line, find_parts, is_surely_written, rewrite, written_parts
from editblocks.text.source_text import BOM, SourceText


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\r\nb", "a\nb"), (f"{BOM}a", "a"), (f"a{BOM}", f"a{BOM}"), ("a\rb\r", "a\rb\r")],
)
def test_a_text_as_it_is_compared(text: str, expected: str) -> None:
    assert comparable(text) == expected


# file, text, where its parts begin and end
PARTS: dict[str, tuple[str, str, list[tuple[int, int, int, int]]]] = {
    "within the last line, which has no line break": ("abc", "ab", [(0, 0, 0, 2)]),
    "up to a line break that the file does not have": ("a\nbc", "c\n", [(1, 1, 1, 2)]),
    "up to the last line break": ("a\nbc\n", "c\n", [(1, 1, 2, 0)]),
    "a line break that the file does not have": ("abc", "\n", []),
    "overlapping": ("aaa\n", "aa", [(0, 0, 0, 2), (0, 1, 0, 3)]),
}


@pytest.mark.parametrize(("file", "text", "expected"), PARTS.values(), ids=PARTS)
def test_where_the_parts_begin_and_end(file: str, text: str, expected: list[tuple[int, int, int, int]]) -> None:
    assert [(*part.start, *part.end) for part in find_parts(text, SourceText.of(file))] == expected


# file, old text, new text; the columns of the parts that stand in the new text, and whether it was surely written
WRITTEN: dict[str, tuple[str, str, str, list[tuple[int, bool]]]] = {
    "the second of two": ("a ab", "a", "ab", [(2, True)]),
    "the first of two": ("ab a", "a", "ab", [(0, True)]),
    "between two": ("ab a ab", "a", "ab", [(0, True), (5, True)]),
    "at the end of it": ("ba a", "a", "ba", [(1, True)]),
    "within a longer word": ("xabx", "a", "ab", [(1, True)]),
    "the new text lacks the old": ("b a", "a", "b", []),
    "whole lines in whole lines": ("a\nb\n", "b", "a\nb", [(0, True)]),
    "whole lines below a longer line": ("xa\nb\n", "b", "a\nb", [(0, False)]),
    "whole lines above a longer line": ("b\nax\n", "b", "b\na", [(0, False)]),
    "whole lines above the start of a longer line, to the last line break": ("b\nax", "b\n", "b\na", [(0, False)]),
    "whole lines between parts of lines": ("x(\nb\n)\n", "b", "\nb\n", [(0, False)]),
    "whole lines below a line of which a part is kept": ("x(\n  b\n)\n", "b", "\n  b\n", [(2, True)]),
    "the start of a line below a longer line": ("xa\nbx\n", "b", "a\nb", [(0, False)]),
    "the end of a line above a longer line": ("xb\nax\n", "b", "b\na", [(1, False)]),
    "a part of a line below the end of another": ("xa\n bx\n", "b", "a\n b", [(1, True)]),
    "whole lines in whole lines, before others": ("b\nb\nb\n", "b\n", "b\nb\n", [(0, True)] * 3),
}


@pytest.mark.parametrize(("file", "old", "new", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_which_parts_are_written_already(file: str, old: str, new: str, expected: list[tuple[int, bool]]) -> None:
    source = SourceText.of(file)
    found = written_parts(find_parts(old, source), old, new, find_parts(new, source))
    assert [(part.column, is_surely_written(part, outer, source)) for part, outer in found] == expected


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [("ab\n", "b", True), ("ab\n", "a", False), ("ab", "b", False), ("ab\n", "b\n", False), ("ab\n\n", "b\n", True)],
)
def test_whether_a_line_break_follows(file: str, text: str, expected: bool) -> None:
    source = SourceText.of(file)
    assert ends_line(next(find_parts(text, source)), source) is expected


# file, old texts and new ones, the lines that are replaced, the new lines and their ends
REWRITTEN: dict[str, tuple[str, list[tuple[str, str]], tuple[int, int, tuple[str | int, ...], tuple[str, ...]]]] = {
    "a whole line goes": ("a\nb\n", [("a\n", "")], (0, 1, (), ())),
    "a whole line becomes another": ("a\nb\n", [("a\n", "c\n")], (0, 1, ("c",), ("\n",))),
    "a line break goes": ("a\nb\n", [("\n", "")], (0, 2, ("ab",), ("\n",))),
    "a line gets a start": ("a\nb\n", [("a\n", "c")], (0, 2, ("cb",), ("\n",))),
    "two parts that share a line": ("a b\nc d\n", [("b\nc", "x\ny"), ("d", "z")], (0, 2, ("a x", "y z"), ("\n", "\n"))),
    "the lines between stay": ("a\nb\r\nc\nd\n", [("a", "x"), ("c", "y")], (0, 3, ("x", 1, "y"), ("\n", "\r\n", "\n"))),
    "line breaks as they are, then as most are": (
        "a\r\nb\nc\nd\n",
        [("a\nb", "w\nx\ny")],
        (0, 2, ("w", "x", "y"), ("\r\n", "\n", "\n")),
    ),
    "a line that stays": ("a\nb\n", [("a\nb", "x\nb")], (0, 2, ("x", 1), ("\n", "\n"))),
    "a line that stays, with another line break": ("a\r\nb\n", [("a\nb\n", "b\n")], (0, 2, ("b",), ("\r\n",))),
    "the last line, as others follow": ("a\nb", [("b", "b\nc")], (1, 2, (1, "c"), ("\n", ""))),
    "the last line, with a line break": ("a\nb", [("b", "b\n")], (1, 2, ("b",), ("\n",))),
}


@pytest.mark.parametrize(("file", "edits", "expected"), REWRITTEN.values(), ids=REWRITTEN)
def test_lines_that_are_rewritten(
    file: str, edits: list[tuple[str, str]], expected: tuple[int, int, tuple[str | int, ...], tuple[str, ...]]
) -> None:
    source = SourceText.of(file)
    changes = [(next(find_parts(old, source)), new) for old, new in edits]
    assert rewrite(source, changes) == expected
