"""Lines that stand for others: the neighbours, the limits and the edges of the phrases (docs/reference/rules.md)."""

import pytest

from editblocks.matching.placeholder_lines import LONGEST_LINE, leaves_lines_out, stands_for_others, words_say_omitted

# line, the line above it, whether it stands for others: surely, perhaps, or not
NEIGHBOURS: dict[str, tuple[str, str, bool | None]] = {
    "code": ("# unchanged", "a = 1", True),
    "a comment": ("# unchanged", "# a", False),
    "fewer signs": ("## unchanged", "# a", False),
    "more signs": ("// unchanged", "/// a", False),
    "fewer slashes": ("/// unchanged", "// a", False),
    "one slash": ("// unchanged", "/a/.test(b)", True),
    "a comment behind code": ("# unchanged", "X # a", True),
    "a comment behind another blank": ("# unchanged", "\u3000# a", True),
}


@pytest.mark.parametrize(("line", "above", "expected"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_only_a_comment_of_one_line_is_sure(line: str, above: str, expected: bool | None) -> None:
    assert stands_for_others(line, above, "b = 2", "a.py", lost=False) is expected
    assert stands_for_others(line, "b = 2", above, "a.py", lost=False) is expected


# line, whether it stands for others where a block only adds lines
EDGES: dict[str, tuple[str, bool | None]] = {
    "120 characters": (" " * (LONGEST_LINE - 5) + "# ...", True),
    "121 characters": (" " * (LONGEST_LINE - 4) + "# ...", None),
    "14 words": (f"# ... {'the ' * 13}rest", True),
    "15 words": (f"# ... {'the ' * 14}rest", None),
    "another blank before it": ("\u3000# ...", None),
    "a letter behind the dots": ("# ... X", None),
    "dots in brackets": ("# (... same as above)", True),
    "no dots in brackets": ("# (same as above)", None),
    "surely, with dots": ("# ... snip", True),
    "surely, without": ("# snip", False),
    "perhaps, with dots": ("# ... so on", True),
    "perhaps, without": ("# so on", False),
}


@pytest.mark.parametrize(("line", "expected"), EDGES.values(), ids=EDGES)
def test_dots_are_sure_where_lines_are_only_added(line: str, expected: bool | None) -> None:
    assert stands_for_others(line, "a = 1", "b = 2", "a.py", lost=False, removes=False) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("# ... other imports", True), ("# unchanged", True), ("# other imports", False), ("# ...", False)],
)
def test_words_that_say_so(line: str, expected: bool) -> None:
    assert words_say_omitted(line) is expected


# line, above, below, whether it stands for others in a whole file that gets shorter
AROUND: dict[str, tuple[str, str, str, bool]] = {
    "a comment": ("# 28 more lines", "a = 1", "b = 2", True),
    "in brackets": ("[lines 3 to 30]", "a = 1", "b = 2", True),
    "a paragraph": ("lines 3 to 30", "", " ", True),
    "the first line of a paragraph": ("lines 3 to 30", "", "are in the file", False),
    "the last line of a paragraph": ("lines 3 to 30", "see below", "", False),
    "14 words": ("# unchanged" + " a" * 13, "", "", True),
    "15 words": ("# unchanged" + " a" * 14, "", "", False),
    "a heading": ("# other methods", "", "", False),
}


@pytest.mark.parametrize(("line", "above", "below", "expected"), AROUND.values(), ids=AROUND)
def test_single_words_are_enough_where_lines_are_lost(line: str, above: str, below: str, expected: bool) -> None:
    assert leaves_lines_out(line, above, below, lost=True) is expected
    assert not leaves_lines_out(line, above, below, lost=False)
