"""Shifts and units of indentation (docs/reference/rules.md, matching); what fits where is in test_matching."""

import pytest

from editblocks.core.blocks import Note
from editblocks.formats.markers import indent_of
from editblocks.matching.indentation import (
    conversion_note,
    find,
    in_unit,
    is_like_the_file,
    is_written_alike,
    own_unit,
    possible_units,
    shift_between,
    shift_lines,
    shift_note,
    shift_of,
)
from editblocks.matching.narrowing import Match
from editblocks.text.source_text import MOST_STARTS, SourceText

# old lines, new lines, whether a shift that is right for the old ones is right for the new ones
ALIKE: dict[str, tuple[list[str], list[str], bool]] = {
    "the least indentation is the shortest": ([" a", "\t\tb"], [" c", "\t\tb"], True),
    "a form feed is text": (["  a", "\f"], ["  b"], False),
    "a letter is text": (["  a", "X"], ["  b"], False),
    "a line that stays, with a form feed": (["a", "  b\f"], ["c", "    b\f"], False),
    "a line that stays, with a letter before it": (["a", "  Xb"], ["c", "    Xb"], False),
    "blank lines only": ([" "], ["  a"], True),
}


@pytest.mark.parametrize(("search", "replace", "expected"), ALIKE.values(), ids=ALIKE)
def test_old_and_new_lines_are_indented_alike(search: list[str], replace: list[str], expected: bool) -> None:
    assert is_written_alike(search, replace) is expected
    assert is_written_alike(replace, search) is expected


# old lines, new lines, file, places
SHIFTED: dict[str, tuple[list[str], list[str], list[str], list[Match]]] = {
    "another shift above": (["  a"], ["  b", "  c"], ["     a", "a"], [Match(1, 2, outdent="  ")]),
    "another shift above a blank line": (["a", "b", "", "c"], ["d"], [" a", "  b", "", "  c"], []),
    "another kind of white space above": (["  a"], ["  b"], ["\ta", "    a"], [Match(1, 2, "  ")]),
    "many lines": (["a"], ["b"], [" a"] * 70, [Match(line, line + 1, " ") for line in range(70)]),
    "many, below a blank line": (
        ["", "a", " b"],
        ["c"],
        ["", " a", "  b"] * MOST_STARTS + ["", " a", "   b"],
        [Match(3 * place, 3 * place + 3, " ") for place in range(MOST_STARTS)],
    ),
    "many, and as many below a line with text": (
        ["", "a"],
        ["c"],
        ["x", " a", "", " a"] * (MOST_STARTS + 1),
        [Match(4 * place + 2, 4 * place + 4, " ") for place in range(MOST_STARTS + 1)],
    ),
}


@pytest.mark.parametrize(("search", "replace", "file", "places"), SHIFTED.values(), ids=SHIFTED)
def test_places_with_one_shift(search: list[str], replace: list[str], file: list[str], places: list[Match]) -> None:
    assert list(find(search, replace, SourceText.of("".join(f"{line}\n" for line in file)))) == places


@pytest.mark.parametrize(
    ("indent", "outdent", "shift", "said"),
    [
        ("  ", "", (2, "space"), "right by 2 spaces"),
        ("", "\t", (-1, "tab"), "left by 1 tab"),
        ("", " \t", (-2, "character"), "left by 2 characters"),
    ],
)
def test_a_shift_in_words(indent: str, outdent: str, shift: tuple[int, str], said: str) -> None:
    assert shift_of(indent, outdent) == shift
    assert shift_note(indent, outdent) == Note("indentation-shifted", f"old and new lines were shifted {said}")


@pytest.mark.parametrize(
    ("unit", "own", "said"),
    [("\t", "    ", "4 spaces instead of 1 tab"), ("  ", "\t", "1 tab instead of 2 spaces")],
)
def test_a_conversion_in_words(unit: str, own: str, said: str) -> None:
    assert conversion_note(unit, own) == Note("indentation-converted", f"indented like the file: {said}")


@pytest.mark.parametrize(
    ("line", "target", "shift"),
    [
        ("a", "  a", ("  ", "")),
        ("  a", "a", ("", "  ")),
        ("\ta", " \ta", (" ", "")),
        (" \ta", "\ta", ("", " ")),
        ("\ta", "  a", ("", "")),
        (" a", " a", ("", "")),
    ],
)
def test_the_shift_from_a_line_to_another(line: str, target: str, shift: tuple[str, str]) -> None:
    assert shift_between(line, target) == shift


@pytest.mark.parametrize(
    ("line", "indent"), [(" \t a ", " \t "), ("a", ""), (" \f a", " "), (" X a", " "), ("  ", "  ")]
)
def test_the_white_space_that_a_line_begins_with(line: str, indent: str) -> None:
    assert indent_of(line) == indent


@pytest.mark.parametrize(
    ("lines", "indent", "outdent", "shifted"),
    [
        (["a", " b", " \t", ""], "\t", "", ["\ta", "\t b", "", ""]),
        (["  a", "   b", " "], "", "  ", ["a", " b", ""]),
        (["  a", " b"], "", "  ", None),
        (["\f", "X"], " ", "", [" \f", " X"]),
    ],
)
def test_lines_that_are_shifted(lines: list[str], indent: str, outdent: str, shifted: list[str] | None) -> None:
    assert shift_lines(lines, indent, outdent) == shifted


EIGHT = " " * 8
# lines, the white space by which they are most often indented deeper
OWN: dict[str, tuple[list[str], str]] = {
    "the commonest": (["a", "\tb", "a", "  b", "a", "  b"], "  "),
    "eight spaces": (["a", f"{EIGHT}b"], EIGHT),
    "nine": (["a", f"{EIGHT} b"], ""),
    "nine more often": (["a", f"{EIGHT} b"] * 2 + ["a", "  b"], ""),
    "only to the left": (["  a", "b"], ""),
    "other white space": (["\ta", "  b"], ""),
    "a blank line between": (["a", "    ", "  b"], "  "),
    "a comment of several lines": (["a", " * b", "  c"], "  "),
    "a form feed is text": (["a", " \f"], " "),
    "a letter is text": (["a", " X"], " "),
    "a form feed before a star": (["a", " \f*b"], " "),
    "a letter before a star": (["a", " X*b"], " "),
}


@pytest.mark.parametrize(("lines", "unit"), OWN.values(), ids=OWN)
def test_the_unit_of_a_file(lines: list[str], unit: str) -> None:
    assert own_unit(lines) == unit


# lines of SEARCH and of the file, new lines, the file's unit, the units that the block may be written in
UNITS: dict[str, tuple[list[tuple[str, str]], list[str], str, list[str]]] = {
    "two for four": ([("  a", "    a")], ["  b", "    c", " "], "    ", ["  "]),
    "the file has none": ([("  a", "    a")], ["  b"], "", []),
    "any unit": ([("a", "a")], ["b"], "\t", ["\t", *(" " * width for width in range(1, 9))]),
    "an alignment of the old lines": ([("   a", "     a")], ["   b", "  c"], "    ", ["  "]),
    "an alignment of a new line": ([("  a", "    a")], ["   b"], "    ", []),
    "a line with another unit": ([("  a", "    a"), ("    b", "    b")], ["  c"], "    ", []),
    "two levels deeper": ([("  a", "    a")], ["  b", "      c"], "    ", []),
    "two levels deeper as before": (
        [("  a", "    a"), ("      b", "            b")],
        ["  c", "      d"],
        "    ",
        ["  "],
    ),
    "three levels deeper": (
        [("  a", "    a"), ("      b", "            b")],
        ["  c", "        d"],
        "    ",
        [],
    ),
    "a tab, then a space": ([("\t a", "   a")], ["\tb"], "  ", ["\t"]),
}


@pytest.mark.parametrize(("pairs", "new", "own", "units"), UNITS.values(), ids=UNITS)
def test_the_units_of_a_block(pairs: list[tuple[str, str]], new: list[str], own: str, units: list[str]) -> None:
    assert list(possible_units(pairs, new, own)) == units


def test_lines_in_another_unit() -> None:
    assert in_unit(["", "  a", "   b ", " \t", "    \tc"], "  ", "\t") == ["", "\ta", "\t b ", "", "\t\t\tc"]
    assert in_unit([" \fa", " Xa", " \f", " X"], " ", "\t") == ["\t\fa", "\tXa", "\t\f", "\tX"]


MOVED = [("a", "  a"), ("  b", "  b")]
SAME = [("a", "a")]
# lines of SEARCH and of the file, new lines, whether these are indented as in the file
LIKE: dict[str, tuple[list[tuple[str, str]], list[str], bool]] = {
    "as one that stays": (MOVED, ["  c", " "], True),
    "as one that moved": (MOVED, ["c"], False),
    "as no other": (MOVED, ["    c"], False),
    "a form feed, as one that moved": (MOVED, ["\f"], False),
    "a letter, as one that moved": (MOVED, ["X"], False),
    "at the margin": (SAME, ["c"], True),
    "in the file's unit": (SAME, ["\tc"], True),
    "in another unit": (SAME, ["  c"], False),
}


@pytest.mark.parametrize(("pairs", "new", "expected"), LIKE.values(), ids=LIKE)
def test_new_lines_are_indented_like_the_file(pairs: list[tuple[str, str]], new: list[str], expected: bool) -> None:
    assert is_like_the_file(pairs, new, "\t") is expected
