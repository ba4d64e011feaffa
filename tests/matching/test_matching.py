"""Where a text stands: docs/reference/rules.md, "matching".

Each level against a slow and plain reading of its definition.
"""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editblocks.matching import indentation
from editblocks.matching.align import common_length, insertion_offset, keep, kept_lines
from editblocks.matching.ladder import (
    EXACT,
    MOST_CHECKED,
    MOST_KEPT,
    STRATEGIES,
    Budget,
    Matches,
    find_exact,
    find_trailing_space,
    is_distinctive,
    locate,
)
from editblocks.matching.narrowing import Match, Narrowing
from editblocks.text.source_text import SourceText

LINES = st.lists(st.sampled_from(["", " ", "a", "b", " a", "  a", "\ta", " b", "  b", "a ", "b\t", "\t a"]), max_size=9)
BRACES = st.lists(st.sampled_from(["}", " }", ""]), max_size=14)


def strip(line: str) -> str:
    return line.strip(" \t")


def bare(line: str) -> str:
    return line.rstrip(" \t")


def windows(search: Sequence[str], lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    size = len(search)
    return [(start, list(lines[start : start + size])) for start in range(len(lines) - size + 1)]


def stays(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, str, str]]:
    pairs = kept_lines(list(map(strip, old)), list(map(strip, new))).items()
    return sorted((j, old[i], new[j]) for j, i in pairs if any(map(str.isalnum, old[i])))


def white(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def is_alike(search: Sequence[str], replace: Sequence[str], indent: str) -> bool:
    """Whether nothing speaks for SEARCH alone having lost the indentation that it has in the file."""
    old, new = list(filter(strip, search)), list(filter(strip, replace))
    if not new:
        return True
    if min(map(white, old), key=len) != min(map(white, new), key=len):
        return False
    same = [(one, other) for _, one, other in stays(old, new)] or [(old[0], new[0])]
    if any(white(one) != white(other) for one, other in (same[0], same[-1])):
        return False
    lost_a_level = indent in ("\t", "  ", "    ") and white(old[0]) != "" and white(old[0]) in map(white, new[1:])
    return not indent or len(old) > 1 or len(new) == 1 or lost_a_level or any(j for j, _, _ in stays(old, new))


def slow_indentation(search: Sequence[str], replace: Sequence[str], lines: Sequence[str]) -> list[Match]:
    """Every window that one white-space string, put before or taken off each line that is not blank, makes equal."""
    found = []
    inked = [index for index, line in enumerate(search) if strip(line)]
    for start, window in windows(search, lines):
        if not inked or any(bool(strip(old)) != bool(strip(new)) for old, new in zip(search, window, strict=True)):
            continue
        first = inked[0]
        old, new = search[first], window[first]
        by = abs(len(bare(new)) - len(bare(old)))
        indent, outdent = (new[:by], "") if len(bare(new)) > len(bare(old)) else ("", old[:by])
        fits = all(bare(window[i]) == indent + bare(search[i]) for i in inked) if indent else bool(outdent)
        fits = fits and all(outdent + bare(window[i]) == indent + bare(search[i]) for i in inked)
        if (
            fits
            and by
            and not strip(indent + outdent)
            and all(line.startswith(outdent) for line in replace if strip(line))
            and is_alike(search, replace, indent)
        ):
            found.append(Match(start, start + len(search), indent, outdent))
    return found


@given(LINES, LINES)
@example(["}"] * 3, ["}"] * 12)
@example(["a", "b"] * 3, ["a", "b"] * 7 + ["a", "a", "b"] * 3)
def test_exact_yields_every_place(search: list[str], lines: list[str]) -> None:
    source = SourceText.of("".join(line + "\n" for line in lines))
    expected = [Match(start, start + len(search)) for start, window in windows(search, lines) if window == search]
    assert not search or list(find_exact(search, (), source)) == expected


@given(BRACES, BRACES)
def test_exact_yields_every_overlapping_place(search: list[str], lines: list[str]) -> None:
    source = SourceText.of("".join(line + "\n" for line in lines * 2))
    expected = [start for start, window in windows(search, lines * 2) if window == search]
    assert not search or [match.start for match in find_exact(search, (), source)] == expected


@given(LINES, LINES)
def test_trailing_space_yields_every_place(search: list[str], lines: list[str]) -> None:
    source = SourceText.of("".join(line + "\n" for line in lines))
    expected = [
        Match(start, start + len(search))
        for start, window in windows(search, lines)
        if list(map(bare, window)) == list(map(bare, search))
    ]
    assert not search or list(find_trailing_space(search, (), source)) == expected


@given(LINES, LINES, LINES)
@example(["", " a", "b"], ["a"], ["", "  a", " b"])
@example(["  a", "", "   b"], ["  c"], ["a", " ", " b", " a", "", "  b"])
@example([" b"], ["\ta", " b"], ["  b"])
@example([" a"], [" b", " b"], ["\t a"])
@example([" a"], [" b", " b"], ["    a"])
def test_indentation_yields_every_place(search: list[str], replace: list[str], lines: list[str]) -> None:
    source = SourceText.of("".join(line + "\n" for line in lines))
    assert list(indentation.find(search, replace, source)) == slow_indentation(search, replace, lines)


@given(LINES, LINES, LINES)
def test_the_first_level_with_a_place_decides(search: list[str], replace: list[str], lines: list[str]) -> None:
    source = SourceText.of("".join(line + "\n" for line in lines))
    if not search:
        return
    found = locate(search, replace, source)
    for strategy in STRATEGIES:
        places = tuple(strategy.find(search, replace, source))
        if places:
            assert (found.matches, found.strategy, found.confidence) == (places, strategy.name, strategy.confidence)
            break
    else:
        assert not found.matches
        assert found.match is None


# Models lose the indentation of SEARCH and not of REPLACE, or of the first line alone:
# docs/internals/design.md, "indentation".
LOST: dict[str, tuple[list[str], list[str], str, bool]] = {
    "both lost it": (["a = 1"], ["a = 2"], "    a = 1\n", True),
    "SEARCH alone": (["a = 1"], ["    a = 2"], "    a = 1\n", False),
    "SEARCH alone, two lines": (["a = 1", "b = 1"], ["    a = 2", "    b = 1"], "    a = 1\n    b = 1\n", False),
    "SEARCH has too much": (["        a = 1"], ["    a = 2"], "    a = 1\n", False),
    "one line, and a body": (["a"], ["a", "    b"], "    a\n    c\n", False),
    "one line, and one at its column": (["a"], ["a", "b"], "    a\n    c\n", False),
    "one line below new ones": (["a"], ["b", "a"], "    a\n", True),
    "one line wrapped": (["a"], ["if x:", "    a", "end"], "    a\n    c\n", False),
    "one line that becomes several": (["a"], ["b", "c"], "    a\n    c\n", False),
    "one line, and a sibling of what is around": (["a"], ["a", "", "    def g():", "        b"], "        a\n", False),
    "one line among blank ones": (["", "a"], ["", "a", "  b"], "\n    a\n    c\n", False),
    "two lines, and more": (["a = 1", "b = 1"], ["a = 1", "b = 1", "    c = 2"], "    a = 1\n    b = 1\n", True),
    "a body below its head": (["f:", "  a"], ["f:", "  b", "  c"], "  f:\n    a\n", True),
    "lines wrapped in the middle": (["f:", "  a", "  b"], ["f:", "  x:", "    a", "  b"], " f:\n   a\n   b\n", True),
    "lines wrapped to the end": (["f:", "  a"], ["f:", "  x:", "    a"], " f:\n   a\n", False),
    "SEARCH as it will be when wrapped": (["    a", "    b"], ["  x:", "    a", "    b"], "  a\n  b\n", False),
    "only the head of REPLACE lost it": (["f:", "  a", "  c"], ["f:", "    b", "    c"], "  f:\n    a\n    c\n", False),
    "a brace is no line that stays": (["a {", "}"], ["        b {", "}"], "    a {\n    }\n", False),
    "a line of another level": (
        ["  x:", "    a", "y:", "  a"],
        ["    x:", "      b", "  y:", "    a"],
        " x:\n  a\n",
        False,
    ),
    "SEARCH begins deeper": (["    a", "f:", "    b"], ["  a", "f:", "  b"], "  a\nf:\n  b\n", False),
    "SEARCH has too much, its end less": (["    a()", "  b()"], ["  a(1)", "  b(2)"], "  a()\nb()\n", False),
    "tabs in one half": (["  a"], ["\t\tb"], "    a\n", False),
    "nothing new": (["a", "b"], [], "  a\n  b\n", True),
    "a level of several": (["  a"], ["  b", "  c"], "    a\n", True),
    "a blank of several": (["  a"], ["  b", "  c"], "   a\n", False),
    "a level of several, and new lines deeper": (["  a"], ["  b", "    c"], "    a\n", False),
    "a level of several, at the second place": (["  a"], ["  b", "  c"], "   a\n    a\n", True),
}


@pytest.mark.parametrize(("search", "replace", "text", "fits"), LOST.values(), ids=LOST)
def test_a_shift_must_be_right_for_both_halves(search: list[str], replace: list[str], text: str, fits: bool) -> None:
    assert bool(list(indentation.find(search, replace, SourceText.of(text)))) is fits


# search, file, level, places as start and shift
LADDER: dict[str, tuple[list[str], str, str, list[tuple[int, str]]]] = {
    "exact": (["a"], "b\na\n", "exact", [(1, "")]),
    "exact hides a shifted twin": (["a"], " a\na\n", "exact", [(1, "")]),
    "exact hides a twin with trailing space": (["a"], "a \na\n", "exact", [(1, "")]),
    "twice exact": (["a"], "a\na\n", "exact", [(0, ""), (1, "")]),
    "overlapping": (["a", "a"], "a\na\na\n", "exact", [(0, ""), (1, "")]),
    "the last line, no newline": (["b"], "a\nb", "exact", [(1, "")]),
    "half a line is none": (["a"], "ab\nba\n", "", []),
    "longer than the file": (["a", "b"], "a\n", "", []),
    "no file content": (["a"], "", "", []),
    "case differs": (["A"], "a\n", "", []),
    "composed and decomposed differ": (["é"], "e\u0301\n", "", []),
    "trailing space in the file": (["a", "b"], "a \t\nb\n", "trailing-space", [(0, "")]),
    "trailing space in the block": (["a ", "b"], "a\nb\n", "trailing-space", [(0, "")]),
    "trailing space hides a shift": (["a "], " a\na\n", "trailing-space", [(1, "")]),
    "form feed is no trailing space": (["a"], "a\f\n", "", []),
    "blank lines by trailing space": (["", "a"], "  \na\n", "trailing-space", [(0, "")]),
    "shift to the right": (["a", " b"], "  a\n   b\n", "indentation", [(0, "  ")]),
    "shift to the left": (["  a", "   b"], "a\n b\n", "indentation", [(0, "-  ")]),
    "shift by a tab": (["a"], "\ta\n", "indentation", [(0, "\t")]),
    "tabs for spaces": (["    a"], "\ta\n", "", []),
    "tabs for spaces inside": (["a", "    b"], " a\n \tb\n", "", []),
    "no uniform shift": (["a", "b"], " a\n  b\n", "", []),
    "first line not shifted": (["a", "b"], "a\n b\n", "", []),
    "two shifts are two places": (["a"], " a\n  a\n", "indentation", [(0, " "), (1, "  ")]),
    "blank lines do not define the shift": (["", "a"], "   \n a\n", "indentation", [(0, " ")]),
    "blank lines only": (["", ""], "x\n", "", []),
    "a text like a step": (["|"], " a\n b\n  |\n", "indentation", [(2, "  ")]),
    "lines of text where blank ones are wanted": (["", "a"], "x\n a\n \n  a\n", "indentation", [(2, "  ")]),
    "a line further out": (["  a", " b"], "    a\n   b\n", "indentation", [(0, "  ")]),
    "a tab above, and one blank more wanted": (["a", " b"], "\ta\n  b\n", "", []),
    "trailing space while shifted": (["a ", "b"], " a\n b \n", "indentation", [(0, " ")]),
}


@pytest.mark.parametrize(("search", "text", "level", "places"), LADDER.values(), ids=LADDER)
def test_ladder(search: list[str], text: str, level: str, places: list[tuple[int, str]]) -> None:
    found = locate(search, [], SourceText.of(text))
    assert found.strategy == level
    assert [(match.start, match.indent or (match.outdent and f"-{match.outdent}")) for match in found.matches] == places
    assert all(match.stop - match.start == len(search) for match in found.matches)


@pytest.mark.parametrize("text", ["a \n", " a\n"])
def test_exact_only_tolerates_nothing(text: str) -> None:
    assert not locate(["a"], [], SourceText.of(text), EXACT).matches


def test_a_shift_to_the_left_needs_every_new_line_to_follow() -> None:
    source = SourceText.of("a\n")
    assert locate(["  a"], ["  b", "", "   c"], source).match == Match(0, 1, outdent="  ")
    assert locate(["  a"], ["  b", " c"], source).match is None


# search, replace, and for each kept line of replace the line of search it is
KEPT: dict[str, tuple[str, str, dict[int, int]]] = {
    "nothing": ("", "", {}),
    "all": ("abc", "abc", {0: 0, 1: 1, 2: 2}),
    "none": ("abc", "xyz", {}),
    "prefix": ("abx", "aby", {0: 0, 1: 1}),
    "suffix": ("xab", "yab", {1: 1, 2: 2}),
    "both, overlapping in one": ("aa", "a", {0: 0}),
    "insertion": ("ab", "axb", {0: 0, 2: 1}),
    "deletion": ("axb", "ab", {0: 0, 1: 2}),
    "middle": ("pxaqy", "zxbqw", {1: 1, 3: 3}),
    "the earliest on ties": ("xaya", "zaw", {1: 1}),
    "the longest": ("xabay", "zbazw", {1: 2, 2: 3}),
    "moved": ("xaby", "zbaw", {1: 2}),
}


@pytest.mark.parametrize(("search", "replace", "kept"), KEPT.values(), ids=KEPT)
def test_kept_lines(search: str, replace: str, kept: dict[int, int]) -> None:
    assert kept_lines(search, replace) == kept


def slow_common_length(one: str, other: str) -> int:
    row = [0] * (len(other) + 1)
    for a in one:
        before = row[:]
        for j, b in enumerate(other):
            row[j + 1] = before[j] + 1 if a == b else max(row[j], before[j + 1])
    return row[-1]


SMALL = st.text("abc", max_size=12)


@given(SMALL, SMALL)
def test_kept_lines_are_a_longest_common_subsequence(search: str, replace: str) -> None:
    kept = kept_lines(search, replace)
    assert list(kept) == sorted(kept)
    assert list(kept.values()) == sorted(set(kept.values()))
    assert all(replace[new] == search[old] for new, old in kept.items())
    assert len(kept) == slow_common_length(search, replace) == common_length(search, replace)


def test_above_a_million_pairs_only_the_ends_are_kept() -> None:
    search = ["a", *(f"old {n}" for n in range(600)), "same", *(f"older {n}" for n in range(600)), "z"]
    replace = ["a", *(f"new {n}" for n in range(600)), "same", *(f"newer {n}" for n in range(600)), "z"]
    assert kept_lines(search, replace) == {0: 0, 1202: 1202}
    assert kept_lines(search[:300] + search[-700:], replace[:300] + replace[-700:]) == {0: 0, 398: 398, 999: 999}


def test_a_million_pairs_are_compared() -> None:
    search = [*(f"old {n}" for n in range(500)), "same", *(f"older {n}" for n in range(499))]
    replace = [*(f"new {n}" for n in range(400)), "same", *(f"newer {n}" for n in range(599))]
    assert kept_lines(search, replace) == {400: 500}
    assert kept_lines([*search, "x", "y", "z"], [*replace, "x", "y", "z"])[1000] == 1000
    assert kept_lines([*search, "x", "y", "z"], [*replace, "w", "x", "y", "z"]) == {1001: 1000, 1002: 1001, 1003: 1002}


def test_lines_at_the_end_are_compared_with_each_other_only() -> None:
    assert kept_lines("z y k q z y".split(), "k w z y".split()) == {0: 2, 2: 4, 3: 5}


def test_the_longest_of_what_is_equal_is_kept() -> None:
    assert kept_lines("b a c c".split(), "c b a".split()) == {1: 0, 2: 1}


# REPLACE, the file, and how many lines above the place of `a` in line 2 all of REPLACE begins
STANDING: dict[str, tuple[str, str, int | None]] = {
    "below": ("a X", "w a X z", 0),
    "above": ("X a", "X a z", 1),
    "around": ("X a Y", "X a Y", 1),
    "blanks at its ends do not count": ("a b", "w a b\t", 0),
    "a form feed is text": ("a b", "w a b\f", None),
    "a form feed of a new line": ("a b\f", "w a b", None),
    "not the same": ("a X", "w a Y", None),
    "as long as the old lines": ("X", "w a", None),
    "without the old lines": ("X Y", "w a", None),
    "the second of two": ("a a X", "a a X", 1),
    "it goes on too soon": ("X Y a", "Y a", None),
    "it ends too late": ("a X Y", "w a X", None),
}


@pytest.mark.parametrize(("replace", "lines", "offset"), STANDING.values(), ids=STANDING)
def test_an_insertion_that_stands_already(replace: str, lines: str, offset: int | None) -> None:
    new = replace.split(" ")
    file = lines.split(" ")
    assert insertion_offset(["a"], new, new, 1, file) == offset


def test_lines_are_kept_as_compared_and_new_ones_as_written() -> None:
    assert keep(["a"], ["a", "b"], 7, ["a ", "b "]) == (7, "b ")
    assert keep(["a"], ["a", "b"], 7) == (7, "b")


def narrowed(*added: int, size: int = 9) -> Narrowing:
    return Narrowing(["x"] * size, added=bytes(line in added for line in range(size)))


MANY_PLACES = MOST_CHECKED + 2
NARROWED: dict[str, tuple[Narrowing, int, list[int], int]] = {  # of so many equal lines: what counts, and how many
    "all but a line that an earlier hunk added": (narrowed(1), 3, [0, 2], 2),
    "none": (narrowed(0, 1, 2), 3, [], 0),
    "so many that the rest is not looked at": (
        narrowed(0),
        MANY_PLACES,
        list(range(1, 1 + MOST_KEPT)),
        MANY_PLACES - 1,
    ),
}


@pytest.mark.parametrize(("narrowing", "size", "first", "total"), NARROWED.values(), ids=NARROWED)
def test_places_that_count(narrowing: Narrowing, size: int, first: list[int], total: int) -> None:
    found = locate(["x"], ["y"], SourceText(["x"] * size, ["\n"] * size), EXACT, narrowing)
    assert ([match.start for match in found.matches], found.total) == (first, total)


@pytest.mark.long
def test_where_none_of_many_looked_at_counts_one_more_is_told() -> None:
    narrowing = narrowed(*range(MOST_CHECKED), size=MANY_PLACES)
    found = locate(["x"], ["y"], SourceText(["x"] * MANY_PLACES, ["\n"] * MANY_PLACES), EXACT, narrowing)
    assert (found.strategy, found.confidence) == ("exact", "high")
    assert found.total == MANY_PLACES + 1
    assert len(found.matches) == MOST_KEPT


def test_a_place_that_does_not_count_is_told_with_its_level() -> None:
    found = locate(["x"], ["y"], SourceText(["x"] * 3, ["\n"] * 3), EXACT, narrowed(0, 1, 2))
    assert found == Matches((), "exact", "high", 0, (Match(0, 1), Match(1, 2), Match(2, 3)), "own")


def test_the_first_check_that_the_nearest_place_fails_is_told() -> None:
    narrowing = narrowed(2, size=3)._replace(ends_file=True)
    assert locate(["x"], ["y"], SourceText(["x"] * 3, ["\n"] * 3), EXACT, narrowing).failed_condition == "own"
    assert locate(["x"], ["y"], SourceText(["x"] * 3, ["\n"] * 3), EXACT, narrowed(2, size=3)).total == 2


@pytest.mark.parametrize(("added", "is_so"), [("X", True), ("\f", True), (" \t", False), ("", False)])
def test_a_line_of_text_more_is_distinctive(added: str, is_so: bool) -> None:
    assert is_distinctive(["a" * 50], ["a" * 50, added]) is is_so


def test_a_budget_has_two_limits() -> None:
    budget = Budget(3, 4)
    assert (budget.left, budget.merged_lines) == (3, 4)


def test_the_places_of_each_text_are_counted() -> None:
    source = SourceText.of("a\n\n" * 60 + "a\n" * 10)
    texts = [(["a"], ["", "b"]), (["a", ""], ["b"]), ([""], ["b"])]
    assert [locate(search, replace, source).total for search, replace in texts] == [70, 60, 60]
    found = locate(["a"], ["b"], source)
    assert (found.strategy, found.confidence, len(found.matches)) == ("exact", "high", MOST_KEPT)
