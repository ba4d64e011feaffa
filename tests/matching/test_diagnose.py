"""Where a text that is not in the file may have been meant: docs/reference/rules.md, "diagnosis"."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.responses import block

from editblocks import Difference, apply_response
from editblocks.core.settings import Settings
from editblocks.matching.diagnose import Closest, closest, common_part, first_difference
from editblocks.matching.ladder import Budget
from editblocks.text.source_text import SourceText

TEN = [f"line {word} of ten" for word in "zero one two three four five six seven eight nine".split()]


def source(*lines: str) -> SourceText:
    return SourceText.of("".join(line + "\n" for line in lines))


def places(search: list[str], *lines: str) -> list[tuple[int, int, float]]:
    return [(place.start, place.stop, round(place.similarity, 2)) for place in closest(search, source(*lines))]


def numbered(*numbers: int) -> list[str]:
    return [TEN[number] for number in numbers]


# search, file, places as start, stop, similarity
PLACES: dict[str, tuple[list[str], list[str], list[tuple[int, int, float]]]] = {
    "an empty file": (numbered(1, 2), [], []),
    "all lines, one changed": (numbered(1, 2, 3), [TEN[0], TEN[1], "line two is ten", TEN[3]], [(1, 4, 0.96)]),
    "indentation does not count": (numbered(1, 2), ["  " + TEN[1], "x", "\t" + TEN[2]], [(0, 3, 1.0)]),
    "a line more in the file": (numbered(1, 2, 3), [*numbered(1, 2), "more", TEN[3]], [(0, 4, 1.0)]),
    "a line less in the file": (["abcdefgh", "ijkl", "mnopqrst"], ["abcdefgh", "mnopqrst"], [(0, 2, 0.8)]),
    "the second place is below": (
        numbered(1, 2),
        [TEN[1], "other", *["x"] * 20, TEN[1], "line two"],
        [(22, 24, 0.85), (0, 2, 0.65)],
    ),
    "a tie goes to the lower line": (
        [*numbered(1, 2), TEN[3]],
        [TEN[1], TEN[2], *["x"] * 20, TEN[1], TEN[2]],
        [(0, 3, 0.64), (22, 24, 0.64)],
    ),
    "no line is equal, and there are lines around": (
        ["alpha beta gamma", "delta epsilon zeta"],
        ["x", "y", "z", "alpha beta gamma!", "delta epsilon zeta!", "x", "y", "z"],
        [(3, 5, 0.97)],
    ),
    "three at most": (
        [*numbered(1, 2, 3), "end"],
        [*numbered(1, 2, 3), *["x"] * 30] * 5,
        [(0, 4, 0.94), (33, 37, 0.94), (66, 70, 0.94)],
    ),
    "two places, three lines apart": (
        ["abcdef", "uvwx"],
        ["abcdef", "1", "2", "abcdef", "3"],
        [(0, 2, 0.6), (3, 5, 0.6)],
    ),
    "0.60 is enough": (["abcdef", "uvwx"], ["abcdef", "1234"], [(0, 2, 0.6)]),
    "less is not": (["abcdef", "uvwxy"], ["abcdef", "12345"], []),
    "a line of three characters has no vote": (["abc", "def"], ["abc", "-", "def"], [(0, 3, 1.0)]),
    "three characters, no word": (["+-*", "=/="], ["+-*", "#", "=/="], []),
    "no line is equal, half of the words are": (
        ["alpha beta gamma delta"],
        ["x", "alpha beta gamma epsilon", "y"],
        [(1, 2, 0.83)],
    ),
    "the same words at many places": (
        ["def cnt(self):"],
        [f"def {name}(self):" for name in ("one", "two", "six", "ten", "count")],
        [(4, 5, 0.93), (0, 1, 0.86), (1, 2, 0.86)],
    ),
    "less than half of the words": (["alpha beta gamma delta"], ["alpha"], []),
    "words of the same window count once": (["alpha alpha"], ["alpha beta"], [(0, 1, 0.67)]),
    "blank lines alone": (["", ""], ["x"], []),
    "one line without a word": (["b = 7"], ["a = 2", "b = 1", "b = 2"], [(1, 2, 0.8)]),
    "half of its characters agree": (["ab-+"], ["xx", "xyab"], [(1, 2, 0.5)]),
    "less than half do": (["ab-+"], ["xyzab"], []),
    "the most alike, not the first": (["ab-+"], ["xyab", "a-+", "a-+b=", "b"], [(1, 2, 0.86)]),
    "one blank line": ([""], ["x"], []),
    "its entities are read": (["&lt;h1&gt;Shop&lt;/h1&gt;", "&amp;"], ["x", "<h1>Shop</h1>", "y"], [(1, 3, 0.93)]),
    "three places of an escaped text": (["&lt;"], ["<"] * 4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]),
    "both readings are at one place": (["one &lt; two three"], ["one < two three"], [(0, 1, 0.85)]),
    "the escaped text is there": (
        ["one &lt; two three"],
        ["one &lt; two thre", "one < two three"],
        [(1, 2, 1.0)],
    ),
    "the text as it is there is likelier": (["one &lt; two three"], ["one &lt; two three four", "x"], [(0, 1, 0.88)]),
    "of two alike the first": (["b = 7"], ["b = 1", "b = 2"], [(0, 1, 0.8)]),
    "a third as long": (["ab"], ["abxxxx"], [(0, 1, 0.5)]),
    "a form feed is text": (["b = 7\f"], ["b = 1"], [(0, 1, 0.73)]),
    "a letter is text": (["X="], ["="], [(0, 1, 0.67)]),
    "a form feed of two lines is text": (["\f", "a line"], ["a line"], [(0, 1, 0.86)]),
    "a letter of two lines is text": (["X", "a line"], ["a line"], [(0, 1, 0.86)]),
    "a form feed in the file": (["a", "a line"], ["a\f", "a line"], [(0, 2, 0.95)]),
    "a letter in the file": (["a", "a line"], ["aX", "a line"], [(0, 2, 0.95)]),
    "a form feed in the only line": (["="], ["=\f"], [(0, 1, 0.67)]),
    "a letter in the only line": (["="], ["X="], [(0, 1, 0.67)]),
    "below a long line": (["b = 7"], ["x" * 100, "b = 1"], [(1, 2, 0.8)]),
    "four characters, no word": (["+-*/", "="], ["+-*/", "#", "="], [(0, 3, 1.0)]),
    "a third of the words": (["ab cd", "efefefefefefefefef"], ["-", "efefefefefefefefef +"], []),
    "a blank line above the end of the file": (["", "alpha beta"], ["alpha beta!"], []),
    "one place in two ways": (
        ["the end", "", "another", "the end"],
        ["", "x", "x", "the end"],
        [],
    ),
    "both spellings are there": (["caf\u00e9 x"], ["cafe\u0301 x", "caf\u00e9 x"], [(1, 2, 1.0)]),
    "a search that is longer than the file": (numbered(*range(9)), numbered(0, 1, 2, 3, 4, 5), [(0, 6, 0.66)]),
}


@pytest.mark.parametrize(("search", "lines", "expected"), PLACES.values(), ids=PLACES)
def test_the_closest_places(search: list[str], lines: list[str], expected: list[tuple[int, int, float]]) -> None:
    assert places(search, *lines) == expected


def test_a_long_text_with_one_other_line_is_found() -> None:
    """Too many pairs of lines to align them all, so they are taken as they come."""
    lines = [f"this is line {number}" for number in range(2000)]
    file = [*lines[:1999], "another", *lines]
    assert places([*lines[:1998], "almost " + lines[1998], lines[1999]], *file) == [(2000, 4000, 1.0), (0, 2000, 1.0)]


def test_a_long_text_above_the_first_line_is_compared_from_there() -> None:
    lines = [f"this is line {number}" for number in range(2000)]
    assert places(lines, *lines[1200:]) == []


def test_words_are_looked_for_within_the_budget_of_the_response() -> None:
    file = source(*["alpha beta gamma epsilon"] * 100)
    budget = Budget(left=len(file.text()) + 601)  # enough to begin twice
    found = [len(closest(["alpha beta gamma delta"], file, budget)) for _ in range(4)]
    assert found == [3, 3, 0, 0]
    assert budget.left >= 0


def test_words_are_counted_as_often_as_a_line_holds_them_and_a_block_may_add_lines() -> None:
    file = source("say alpha twice: alpha", "say beta", "say gamma")
    assert [place.start for place in closest(["alpha, then alpha twice"], file)] == [0]
    file.splice(1, 2, ["alpha, or alpha twice"])
    assert [place.start for place in closest(["alpha, then alpha twice"], file)] == [1, 0]


def test_beyond_the_budget_only_equal_lines_count() -> None:
    file = source(TEN[1], "line two is ten", TEN[3])
    assert closest(numbered(1, 2, 3), file, Budget(0))[0].similarity == pytest.approx(32 / 47)
    assert closest(numbered(1, 2, 3), file)[0].similarity > 0.9


def test_a_line_of_more_than_4096_characters_is_equal_or_it_is_not() -> None:
    assert places([TEN[1], "a" * 4097], TEN[1], "a" * 4096 + "b") == []
    assert places([TEN[1], "a" * 4097], TEN[1], "a" * 4097) == [(0, 2, 1.0)]
    assert places([TEN[1], "a" * 4096], TEN[1], "a" * 4095 + "b") == [(0, 2, 1.0)]


def test_a_line_that_occurs_21_times_has_no_vote() -> None:
    often = "+++++ -----"
    assert len(places([often, "+"], *[often, "-"] * 20)) == 3
    assert places([often, "+"], *[often, "-"] * 21) == []


FIRST, LAST = "the first line of the text", "the last line of the text"
# A line of SEARCH between two others, the same line of the file, column, expected, actual
DIFFERENCES: dict[str, tuple[str, list[str], tuple[int, str, str | None]]] = {
    "the first character": ("ab", ["xb"], (1, "ab", "xb")),
    "one space more": ("x = 1", ["x  = 1"], (3, "x = 1", "x  = 1")),
    "trailing space": ("a", ["a "], (2, "a", "a ")),
    "indentation": ("  a", ["\ta"], (1, "  a", "\ta")),
    "columns count code points": ("🟧é|a", ["🟧é|b"], (4, "🟧é|a", "🟧é|b")),
    "the file ends": ("b", [], (1, "b", None)),
    "a blank line in the file": ("b", [""], (1, "b", "")),
    "cut to 200 characters": ("a" * 300, ["a" * 250 + "b"], (251, "a" * 200, "a" * 200)),
}


@pytest.mark.parametrize(("line", "there", "expected"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_first_difference(line: str, there: list[str], expected: tuple[int, str, str | None]) -> None:
    file = "".join(f"{line}\n" for line in (FIRST, LAST, *there)).encode()
    result = apply_response(
        block(f"{FIRST}\n{LAST}\n{line}\n", "x\n"), {"a.py": file}.get, Settings(matching="exact")
    ).results[0]
    found = result.first_difference
    assert found
    assert (found.line, found.column, found.expected, found.actual) == (3, *expected)


@given(st.lists(st.sampled_from(TEN[:4]), max_size=8), st.lists(st.sampled_from(TEN[:5]), max_size=30))
def test_places_are_good_ordered_and_in_the_file(search: list[str], lines: list[str]) -> None:
    found = closest(search, source(*lines))
    assert found == sorted(found, key=lambda place: (-place.similarity, place.start))
    assert len(found) <= 3
    for place in found:
        assert 0 <= place.start < place.stop <= len(lines)
        assert (0.60 if len(search) > 1 else 0.50) <= place.similarity <= 1.0
        assert list(place.lines.values()) == sorted(set(place.lines.values()))


COMPOSED = "\ud55c"
DECOMPOSED = normalize("NFD", COMPOSED)
REASONS = {
    "a line differs": (
        block("a = 1\nb = 2\nc = 3\n", "x\n"),
        "a = 1\nb  = 2\nc = 3\n",
        "line 2 of the block differs from a.py:2 at column 3; the closest text is lines 1-3, 97 % alike; "
        "SEARCH differs only in white space: a space where the file has 2 spaces",
    ),
    "the file ends": (
        block("first line\nsecond line\nthird\n", "x\n"),
        "first line\nsecond line\n",
        "line 3 of the block differs from a.py, which ends before line 3; the closest text is lines 1-2, 81 % alike",
    ),
    "nothing like it": (
        block("a = 1\n", "x\n"),
        "import os\n",
        "its old lines are not in a.py, and nothing close to them was found; copy the current lines",
    ),
    "the new lines may be there": (
        block("a = 1\n", "}\n"),
        "import os\n}\n",
        "its old lines are not in a.py, and nothing close to them was found; the new lines may already be at line 2; "
        "copy the current lines",
    ),
    "together in the file, but for a line": (
        block("first line\nsecond line\n", "x\n"),
        "first line\n\nsecond line\n",
        "the lines of the block are in a.py, but not together; the closest text is lines 1-3, 99 % alike; "
        "SEARCH differs only in blank lines, copy those of the file",
    ),
    "a part of a line": (
        block("keyboard WASD\n", "keyboard arrows\n"),
        "intro\n3D, first person, keyboard WASD, voxel based, for desktop\n",
        "its old line is not a whole line of a.py; SEARCH is only a part of line 2, write whole lines",
    ),
    "a part of three lines": (
        block("  TARGET\n", "GOAL\n"),
        "a TARGET and so on and so forth\nTARGET, and more words of any kind\nAT TARGET, words and words\n",
        "its old line is not a whole line of a.py; "
        "SEARCH is only a part of line 1, and of 2 more lines, write whole lines",
    ),
    "a part of the closest line": (
        block("rate = 1\n", "rate = 2\n"),
        "rate = 10\n",
        "line 1 of the block differs from a.py:1 at column 9; "
        "the closest text is line 1, 94 % alike; "
        "SEARCH is only a part of line 1, write whole lines",
    ),
    "too short to be called a part": (
        block("x=1\n", "x=2\n"),
        "for (x=1; x<20; x++) print(all, others)\n",
        "its old lines are not in a.py, and nothing close to them was found; copy the current lines",
    ),
    "the nearest line": (
        block("b = 7\n", "b = 8\n"),
        "a = 2\nb = 1\nc = 1\n",
        "line 1 of the block differs from a.py:2 at column 5; the closest text is line 2, 80 % alike",
    ),
    "escaped as HTML": (
        block("&lt;h1&gt;Shop&lt;/h1&gt;\n", "&lt;h1&gt;Shops&lt;/h1&gt;\n"),
        "<p>\n<h1>Shop</h1>\n",
        "line 1 of the block differs from a.py:2 at column 1; "
        "the closest text is line 2, 99 % alike; SEARCH differs only in "
        "HTML entities: `&lt;` where the file has `<`",
    ),
    "two escaped lines": (
        block("&lt;b&gt;\n&lt;i&gt;\n", "\n"),
        "<b>\n<i>\n",
        "line 1 of the block differs from a.py:1 at column 1; "
        "the closest text is lines 1-2, 99 % alike; SEARCH differs only in "
        "HTML entities: `&lt;` where the file has `<`",
    ),
    "escaped, and another word": (
        block("&lt;h1&gt;Shop&lt;/h1&gt;\n", "x\n"),
        "<h1>Shops</h1>\n",
        "line 1 of the block differs from a.py:1 at column 1; the closest text is line 1, 96 % alike",
    ),
    "in another Unicode form": (
        block(f"{DECOMPOSED}\n", "x\n"),
        f"a\n{COMPOSED}\n",
        "line 1 of the block differs from a.py:2 at column 1; "
        "the closest text is line 2, 99 % alike; SEARCH differs only in "
        "Unicode normal form (NFC, NFD): U+1112 \u1112 where the file has U+D55C \ud55c",
    ),
    "in the other one": (
        block(f"{COMPOSED}\n", "x\n"),
        f"a\n{DECOMPOSED}\n",
        "line 1 of the block differs from a.py:2 at column 1; "
        "the closest text is line 2, 99 % alike; SEARCH differs only in "
        "Unicode normal form (NFC, NFD): U+D55C \ud55c where the file has U+1112 \u1112",
    ),
}


@pytest.mark.parametrize(("text", "file", "reason"), REASONS.values(), ids=REASONS)
def test_the_reason_says_where_to_look(text: str, file: str, reason: str) -> None:
    row = apply_response(text, {"a.py": file.encode()}.get).results[0]
    assert row.reason == reason


def test_numbers_are_those_of_the_branch() -> None:
    text = block("x\n", "x\n1\n2\n3\n") + block("first line\nsecond\n", "y\n", "")
    row = apply_response(text, {"a.py": b"x\nfirst line\nsecond line\n"}.get).results[1]
    assert (
        row.reason == "line 2 of the block differs from a.py:3 at column 7; the closest text is lines 2-3, 89 % alike"
    )
    assert row.first_difference == Difference(3, 7, "second", "second line", search_line=2)
    # No pick: the drifted line is the one to be changed.
    assert [(place.start_line, place.end_line, place.pick) for place in row.candidates] == [(2, 3, None)]
    assert row.similarity == row.candidates[0].similarity


def test_the_nearest_line_is_looked_for_within_the_budget() -> None:
    file = source(*[f"b = {number}" for number in range(100)])
    starts = [[place.start for place in closest(["b = x"], file, Budget(left))] for left in (4_000, 5_060, 20_000)]
    assert starts == [[], [], [0]]


# old text of a call, which may begin and end within a line

LINES = ["def total(price):", "    return price", "    # net", "end"]
PARTS: dict[str, tuple[list[str], tuple[int, int] | None]] = {
    "a part of one line": (["total("], None),
    "from within a line": (["total(price):", "    return price"], None),
    "to within a line": (["def total(price):", "    return"], None),
    "the first line": (["sum(price):", "    return"], (0, 0)),
    "a line between, which has to be whole": (["total(price):", "    return", "    # net"], (1, 1)),
    "the last line": (["total(price):", "return"], (1, 1)),
    "a line that is not there": (["end", "more"], (1, 4)),
}


@pytest.mark.parametrize(("search", "found"), PARTS.values(), ids=PARTS)
def test_the_first_line_that_is_no_part_of_its_line(search: list[str], found: tuple[int, int] | None) -> None:
    source = SourceText.decode("\n".join(LINES).encode())
    start = 3 if search[0] == "end" else 0
    place = Closest(start, start + len(search), 0.9, {})
    assert first_difference(search, source, place, is_part=True) == found


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("price * qtty", "    return price * qty", (11, 21)),
        ("x", "abc", (0, 0)),
        ("", "abc", (0, 0)),
        ("abc", "abc", (0, 3)),
        ("bcd", "", (0, 0)),
        ("aab", "aaab", (1, 4)),
    ],
)
def test_where_a_line_holds_the_beginning_of_a_text(text: str, line: str, found: tuple[int, int]) -> None:
    assert common_part(text, line) == found


# search, file, what may be used, places as start and stop, what is left
BUDGETS: dict[str, tuple[list[str], list[str], int, list[tuple[int, int]], int]] = {
    "the nearest line": (["b = 7"], ["b = 1"], 105, [(0, 1)], 0),
    "a step less": (["b = 7"], ["b = 1"], 104, [], 4),
    "a line that is too long is not looked at": (["b = 7"], ["b = 1", "x" * 100], 155, [(0, 1)], 0),
    "nor is one with other characters": (["b = 7"], ["b = 1", "uvwxy"], 155, [(0, 1)], 0),
    "nor is the same line again": (["b = 7"], ["b = 1", "  b = 1"], 155, [(0, 1)], 0),
    "two lines": (["b = 7"], ["b = 1", "b = 2"], 210, [(0, 1)], 0),
    "the second is only looked at": (["b = 7"], ["b = 1", "b = 2"], 205, [(0, 1)], 0),
    "not even that": (["b = 7"], ["b = 1", "b = 2"], 204, [], 0),
    "too little to look at it": (["b = 7"], ["b = 1"], 49, [], 49),
    "too little to look at two": (["b = 7"], ["b = 1", "b = 2"], 99, [], 99),
    "just enough to look at it": (["b = 7"], ["b = 1"], 50, [], 0),
    "three characters of five are too few": (["b = 7"], ["b = 1", "b =xx"], 155, [(0, 1)], 0),
    "a blank line in its place": (["the same line", "alpha"], ["the same line", ""], 1000, [(0, 2)], 1000),
    "a line of 63 characters": (["-+" * 20], ["-+" * 31 + "-"], 141, [(0, 1)], 1),
    "a line of 64 characters": (["-+" * 20], ["-+" * 32], 181, [(0, 1)], 1),
    "its words": (["alpha beta gamma delta"], ["alpha beta gamma epsilon"], 1000, [(0, 1)], 950),
    "its words, and a step less": (["alpha beta gamma delta"], ["alpha beta gamma epsilon"], 49, [(0, 1)], 0),
    "too little for its words": (["alpha beta", "gamma delta"], ["alpha beta gamma!"], 18, [], 18),
    "no words are needed": (["alpha beta", "gamma delta"], ["alpha beta"], 18, [], 18),
    "an exact place of a spelling": (["&lt;", "b"], ["<", "b"], 1000, [(0, 2)], 1000),
}


@pytest.mark.parametrize(("search", "lines", "budget", "found", "left"), BUDGETS.values(), ids=BUDGETS)
def test_what_it_costs(
    search: list[str], lines: list[str], budget: int, found: list[tuple[int, int]], left: int
) -> None:
    budgets = Budget(budget)
    assert [(place.start, place.stop) for place in closest(search, source(*lines), budgets)] == found
    assert budgets.left == left


LONG = [f"line {letter * 4}" for letter in "abcdefghijklmnopqrstuvwx"]
# search, file, the first place
CLOSEST: dict[str, tuple[list[str], list[str], Closest]] = {
    "pairs above an equal line": (
        ["alpha one", "the same line"],
        ["zzz", "alpha two", "the same line"],
        Closest(1, 3, 1 - 9 * (1 - 14 / 18) / 22, {0: 1, 1: 2}),
    ),
    "pairs below an equal line": (
        ["the same line", "alpha one"],
        ["the same line", "alpha two", "zzz"],
        Closest(0, 2, 1 - 9 * (1 - 14 / 18) / 22, {0: 0, 1: 1}),
    ),
    "blank lines at the ends": (["", "a line", ""], ["", "a line", ""], Closest(1, 2, 1.0, {0: 0, 1: 1, 2: 2})),
    "an exact place of a spelling": (["&lt;", "b"], ["a", "<", "b"], Closest(1, 3, 1.0, {0: 1, 1: 2})),
    "the nearest line": (["b = 7"], ["x", "b = 1"], Closest(1, 2, 0.8, {0: 1})),
    "where most lines stand": (
        ["abc", "second line", "fourth"],
        ["abc", "x", "second line", "y", "y", "fourth"],
        Closest(0, 6, 1.0, {0: 0, 1: 2, 2: 5}),
    ),
    "two lines more": ([*LONG[:3]], [*LONG[:2], "x", "x", LONG[2]], Closest(0, 5, 1.0, {0: 0, 1: 1, 2: 4})),
    "three lines more": ([*LONG[:3]], [*LONG[:2], "x", "x", "x", LONG[2]], Closest(0, 3, 2 / 3, {0: 0, 1: 1, 2: 2})),
    "three lines more in 24": (
        LONG,
        [*LONG[:23], "x", "x", "x", LONG[23]],
        Closest(0, 27, 1.0, {**{line: line for line in range(23)}, 23: 26}),
    ),
}


@pytest.mark.parametrize(("search", "lines", "expected"), CLOSEST.values(), ids=CLOSEST)
def test_which_lines_are_compared(search: list[str], lines: list[str], expected: Closest) -> None:
    found = closest(search, source(*lines))[0]
    assert found.similarity == pytest.approx(expected.similarity, abs=0.02)
    assert found._replace(similarity=expected.similarity) == expected


def test_four_lines_more_in_24_are_too_many() -> None:
    assert closest(LONG, source(*LONG[:23], *["x"] * 4, LONG[23]))[0].similarity < 1


A = "first aa"
APART = ["a" * 80, "b" * 20, "c" * 300, "d" * 60]  # a line has 80 votes at most
GAP = ["x"] * 6
HEAVY = "-" * 100
NEAR = "-" * 99 + "+"
# search, file, places: five are compared
COMPARED: dict[str, tuple[list[str], list[str], list[tuple[int, int, float]]]] = {
    "the fifth": ([A, "123456"], [*[A, "------", *GAP] * 4, A, "12345"], [(32, 34, 0.96)]),
    "the sixth": ([A, "1234"], [*[A, "----", *GAP] * 5, A, "123"], [(0, 2, 0.67), (8, 10, 0.67), (16, 18, 0.67)]),
    "votes two lines apart are added": (
        APART,
        [*APART[:2], *GAP] * 5 + [APART[2], "x", "x", APART[3]],
        [(38, 44, 0.78)],
    ),
    "votes three lines apart are not": (APART, [*APART[:2], *GAP] * 5 + [APART[2], "x", "x", "x", APART[3]], []),
    "all votes of a line are added": (
        ["twenty characters aa", "2nd bb", "3rd c"],
        [*["2nd bb", "x", "x", "3rd c", *GAP] * 5, "twenty characters aa"],
        [(50, 51, 0.65)],
    ),
    "places that are near count as one": (
        ["thirteen abcd", "seven b", "seven c"],
        [
            *["seven b", "+", "+", "seven c", *GAP] * 2,
            *["thirteen abcd", *GAP] * 2,
            *("thirteen abcd", "seven +", "seven -"),
        ],
        [(34, 37, 0.93)],
    ),
    "a long line has 80 votes": (
        [HEAVY, "+" * 45, "*" * 45],
        [*[HEAVY, *GAP] * 5, NEAR, "+" * 45, "*" * 45],
        [(35, 38, 0.99)],
    ),
    "the twentieth by words": (
        ["alpha beta gamma delta"],
        [*["alpha beta gamma ------"] * 19, "alpha beta gamma delts"],
        [(19, 20, 0.95), (0, 1, 0.76), (1, 2, 0.76)],
    ),
    "the twenty-first": (
        ["alpha beta gamma delta"],
        [*["alpha beta gamma ------"] * 20, "alpha beta gamma delts"],
        [(0, 1, 0.76), (1, 2, 0.76), (2, 3, 0.76)],
    ),
    "the words of two lines": (
        ["alpha beta", "gamma delta"],
        ["x", "alpha gamma!", "beta delta!", "x", "alpha beta!"],
        [(1, 3, 0.64)],
    ),
}


@pytest.mark.parametrize(("search", "lines", "expected"), COMPARED.values(), ids=COMPARED)
def test_how_many_places_are_compared(
    search: list[str], lines: list[str], expected: list[tuple[int, int, float]]
) -> None:
    assert places(search, *lines) == expected


# search, the line of the file, where both differ
EXACTLY: dict[str, tuple[list[str], list[str], dict[int, int], tuple[int, int] | None]] = {
    "lines between": (["a", "b"], ["a", "x", "b"], {0: 0, 1: 2}, None),
    "a line that has no other": (["a", "b", "c"], ["a", "x", "b"], {0: 0, 2: 2}, (1, 1)),
    "below one that has": (["a", "b", "c"], ["x", "a", "b", "c"], {0: 1}, None),
    "a part": (["a"], ["ab"], {}, (0, 0)),
    "past the end": (["a", "b"], ["a"], {}, (1, 1)),
}


@pytest.mark.parametrize(("search", "lines", "pairs", "expected"), EXACTLY.values(), ids=EXACTLY)
def test_the_first_line_that_is_not_equal(
    search: list[str], lines: list[str], pairs: dict[int, int], expected: tuple[int, int] | None
) -> None:
    assert first_difference(search, source(*lines), Closest(0, len(search), 0.9, pairs)) == expected
