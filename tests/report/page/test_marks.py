"""Which characters of two lines are marked, which lines get colours, and what a diff is read as."""

import sys

import pytest

from editblocks.report.page.lines import LONGEST, Painter, PairMarker, colored, parse_diff

LINES = (
    ("call(first, second)", "call(first, third)", "call(first, [second])", "call(first, [third])"),
    ("self.items.append(x)", "self.items.extend(x)", "self.items.[app]end(x)", "self.items.[ext]end(x)"),
    ("total = net", "total = net + tax", "total = net", "total = net[ + tax]"),
    ("a  b", "a b", "a[  ]b", "a[ ]b"),
    ("same", "same", "same", "same"),
    ("one thing", "42 + other / y", "one thing", "42 + other / y"),
    ("", "x", "", "x"),
    ("x", " ", "x", " "),
    ("x" * LONGEST + "1", "x" * LONGEST + "2", "x" * LONGEST + "1", "x" * LONGEST + "2"),
)


def _shown(text: str, spans: list[tuple[int, int]]) -> str:
    for start, stop in reversed(spans):
        text = f"{text[:start]}[{text[start:stop]}]{text[stop:]}"
    return text


@pytest.mark.parametrize(("old", "new", "old_marked", "new_marked"), LINES, ids=[row[0][:20] for row in LINES])
def test_marks_within_a_line(old: str, new: str, old_marked: str, new_marked: str) -> None:
    [one], [other] = PairMarker().marks([old], [new])
    assert (_shown(old, one), _shown(new, other)) == (old_marked, new_marked)


def test_a_line_is_compared_with_the_first_that_is_like_it() -> None:
    old, new = ["return total"], ["# the sum", "net = 0", "return total + tax"]
    assert PairMarker().marks(old, new) == ([[]], [[], [], [(12, 18)]])
    assert PairMarker().marks(["a", *old], [new[-1]]) == ([[], []], [[(12, 18)]])


@pytest.mark.long
def test_runs_of_lines_with_nothing_in_common_cost_little() -> None:
    old, new = [f"x y z w {number}" for number in range(4000)], [f"q r s t {number}a" for number in range(3900)]
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        marks = PairMarker().marks(old, new)
    finally:
        sys.setprofile(None)
    assert (any(marks[0]), any(marks[1])) == (False, False)
    assert calls < 10_000_000


def test_a_page_has_enough_of_comparing_some_day() -> None:
    marker, line = PairMarker(), " ".join("ab" * 400)
    marks = [marker.marks([line], [f"{line}c"])[1][0] for _ in range(40)]
    assert marks[0] != []
    assert marks[-1] == []


COLORS = (
    ("a.py", ["def f():"], [[("def", "k"), (" ", ""), ("f", "nf"), ("():", "")]]),
    ("a.py", ['"""one', 'two"""'], [[('"""one', "sd")], [('two"""', "sd")]]),
    ("a.unknown", ["def f():"], [[("def f():", "")]]),
    ("a.py", ["x" * 2_001, "def"], [[("x" * 2_001, "")], [("def", "")]]),
    ("a.py", ["a\rb"], [[("a\rb", "")]]),
)


@pytest.mark.parametrize(("path", "lines", "pieces"), COLORS)
def test_colors(path: str, lines: list[str], pieces: list[list[tuple[str, str]]]) -> None:
    joined = []
    for line in colored(lines, path):
        merged: list[tuple[str, str]] = []
        for text, name in line:
            if merged and merged[-1][1] == name:
                merged[-1] = merged[-1][0] + text, name
            elif text:
                merged.append((text, name))
        joined.append(merged)
    assert joined == pieces


def test_a_page_has_enough_of_colors_some_day() -> None:
    painter, change = Painter(), "@@ -1 +1 @@\n-def one\n+def two\n"

    def last_line(diff: str) -> str:
        return painter.runs(diff, "a.py", None, with_context=True)[-1].lines[-1].html

    last_line("@@ -0,0 +1,4998 @@\n" + "+\n" * 4_998)
    assert last_line(change) == "<span class=k>def</span> <ins><span class=nf>two</span></ins>"
    assert last_line(change) == "def <ins>two</ins>"


def test_a_diff_is_read_line_by_line() -> None:
    diff = "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n@@ -7,2 +9,2 @@\n b\n-c\n+d\n"
    assert [(line.sign, line.old, line.new, line.text) for line in parse_diff(diff)] == [
        ("+", None, 1, "a"),
        (" ", 7, 9, "b"),
        ("-", 8, None, "c"),
        ("+", None, 10, "d"),
    ]
