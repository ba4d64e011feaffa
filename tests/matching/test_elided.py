"""Blocks that leave lines out: docs/reference/rules.md, "loose levels"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.core.phrases import cut
from editblocks.matching.elided import MOST_ELISIONS, propose
from editblocks.matching.ladder import Budget, Placement
from editblocks.matching.placeholder_lines import stands_for_others
from editblocks.text.source_text import SourceText


def elided(start: int, stop: int, new: tuple[str | int, ...]) -> Placement:
    return Placement("elided", "medium", start, stop, new)


def proposals(search: list[str], replace: list[str], lines: list[str]) -> list[Placement]:
    return list(propose(search, replace, SourceText(lines, ["\n"] * len(lines)), "a.py", Budget()))


def applied(search: list[str], replace: list[str], lines: list[str]) -> list[str] | None:
    """The lines afterwards; None without a proposal."""
    found = proposals(search, replace, lines)
    if not found:
        return None
    [place] = found
    new = [lines[line] if isinstance(line, int) else line for line in place.new]
    return [*lines[: place.start], *new, *lines[place.stop :]]


FILE = "a b c d e f g h".split()
# Each word a line. SEARCH, REPLACE, the file afterwards, "" if nothing is proposed
WORDS = {
    "two pieces": ("b ... f", "B ... F", "a B c d e F g h"),
    "three pieces": ("a ... d ... h", "A ... D ... H", "A b c D e f g H"),
    "a first piece alone": ("b ...", "B ...", "a B c d e f g h"),
    "a last piece alone": ("... b", "... B", "a B c d e f g h"),
    "a piece between two": ("... b c ...", "... B C ...", "a B C d e f g h"),
    "a piece grows": ("b ... f", "b x y ... f", "a b x y c d e f g h"),
    "a piece goes": ("b ... f", "... f", "a c d e f g h"),
    "nothing is left out": ("b ... c", "B ... C", "a B C d e f g h"),
    "nothing changes": ("b ... c", "b ... c", "a b c d e f g h"),
    "signs may differ": ("b … f", "B //... F", "a B c d e F g h"),
    "a text that is in its new piece": ("b ... f", "x b ... f y", "a x b c d e f y g h"),
    "no elision": ("b f", "B F", ""),
    "a new text that would reach into the next piece": ("b ... c", "b c ... c x", "a b c c x d e f g h"),
    "no elision, and one place": ("b c", "B C", ""),
    "two elisions in a row": ("b ... ... f", "B ... ... F", ""),
    "one more in SEARCH": ("b ... d ... f", "B ... F", ""),
    "one more in REPLACE": ("b ... f", "B ... x ... F", ""),
    "out of order": ("f ... b", "F ... B", ""),
    "overlapping": ("b c ... c d", "B ... D", ""),
    "a piece that is not there": ("b ... z", "B ... Z", ""),
    "elisions alone": ("...", "...", ""),
    "nothing in between": ("b ... ... f", "B ... x ... F", ""),
    "text above an empty first piece": ("... b", "x ... b", ""),
    "text below an empty last piece": ("b ...", "b ... x", ""),
}


@pytest.mark.parametrize(("search", "replace", "expected"), WORDS.values(), ids=WORDS)
def test_pieces_are_replaced_in_pairs(search: str, replace: str, expected: str) -> None:
    assert applied(search.split(), replace.split(), FILE) == (expected.split() or None)


@pytest.mark.parametrize("line", ["b ", " b", "B"])
def test_a_piece_is_there_exactly_or_not_at_all(line: str) -> None:
    assert applied([line, "...", "f"], ["x", "...", "f"], FILE) is None


def test_a_piece_that_stands_twice_is_no_place() -> None:
    assert applied(["b", "...", "f"], ["B", "...", "F"], [*FILE, "b"]) is None
    assert applied(["a", "b", "...", "f"], ["B", "...", "F"], [*FILE, "b"]) == "B c d e F g h b".split()


ELISIONS = [
    "...",
    "…",
    "    ...  ",
    "\t# ...",
    "#…",
    "### ...",
    "// ...",
    "//...",
    "-- ...",
    "; ...",
    ";; ...",
    "% ...",
    "/* ... */",
]
ELISIONS += ["/*...*/", "<!-- ... -->", "{/* ... */}", "  {/*…*/}"]
NO_ELISIONS = [
    "....",
    "..",
    "x ...",
    "...x",
    "# ... existing code ...",
    "# rest",
    "#",
    "*...",
    "/* ...",
    "... */",
    "' ...",
    "- ...",
    "# .. .",
]
ELISIONS += ["..." + " " * 77]
NO_ELISIONS += ["..." + " " * 78, "X...", "\f...", "# ... #", "/* ... */ ...", "..." + " " * 80 + "x", "#" * 78 + "..."]


@pytest.mark.parametrize(
    ("line", "is_one"), [*((line, True) for line in ELISIONS), *((line, False) for line in NO_ELISIONS)]
)
def test_what_stands_for_lines_that_are_left_out(line: str, is_one: bool) -> None:
    lines = ["\t    a", "\t    b", "\t    c"]
    expected = ["\t    x", *lines[1:]] if is_one else None
    assert applied([lines[0], line, lines[2]], ["\t    x", line, lines[2]], lines) == expected


def test_a_message_shows_the_first_forty_characters() -> None:
    assert (cut("x" * 40), cut("x" * 41)) == ("x" * 40, "x" * 39 + "…")


@pytest.mark.parametrize("removes", [True, False])
def test_a_line_without_dots_stands_for_others_where_lines_are_removed(removes: bool) -> None:
    line = "# existing code unchanged"
    assert stands_for_others(line, "a", "b", "a.py", lost=False, removes=removes) is removes
    assert stands_for_others(line, "a", "b", "a.py", lost=False) is True
    assert stands_for_others("… existing code …", "a", "b", "a.py", lost=False) is True


def test_text_that_is_left_out_and_kept_lines_are_those_of_the_file() -> None:
    assert proposals("b c ... f".split(), "b x c ... F".split(), FILE) == [elided(1, 6, (1, "x", 2, 3, 4, "F"))]


def test_a_hundred_pieces_are_no_answer_of_a_model() -> None:
    search = " ... ".join(f"line{number}" for number in range(MOST_ELISIONS + 1)).split()
    file = [line for line in search if line != "..."]
    assert applied(search, ["x", *search[1:]], file) == ["x", *file[1:]]
    assert applied([*search, "...", "end"], ["x", *search[1:], "...", "end"], [*file, "end"]) is None


TWO = """\
def one():
    value = 1

    return value
def two():
    value = 2
    return 2
""".split("\n")
# An elision does not reach into what is indented less. SEARCH, REPLACE, whether it lands
SCOPES = {
    "a body": ("def one():|    ...|    return value", "def one():|    ...|    return 0", True),
    "a whole function": ("def one():|    ...|def two():", "def first():|    ...|def two():", True),
    "from one function into the next": ("def one():|    ...|    return 2", "def one():|    ...|    return 0", False),
    "the same, the elision at the margin": ("def one():|...|    return 2", "def one():|...|    return 0", False),
    "from one body into the next": ("    value = 1|...|    return 2", "    value = 1|...|    return 0", False),
    "at the margin, in one body": ("    value = 1|...|    return value", "    value = 0|...|    return value", True),
    "from function to function": ("def one():|...|def two():", "def first():|...|def two():", True),
    "a name and the next body, as the elision says": (
        "    value = 1|...|def two():|    value = 2",
        "    value = 0|...|def two():|    value = 2",
        True,
    ),
    "behind a blank line": ("def one():|    value = 1||    ...|    return 2", "x|    ...|    return 0", False),
    "no line around has text": ("...|    return 2", "...|    return 0", True),
}


@pytest.mark.parametrize(("search", "replace", "lands"), SCOPES.values(), ids=SCOPES)
def test_an_elision_stays_in_its_scope(search: str, replace: str, lands: bool) -> None:
    assert (applied(search.split("|"), replace.split("|"), TWO) is not None) is lands


# SEARCH, the file, whether the lines that are left out may be those
LEFT_OUT = {
    "a line of one letter is text": ("    a|    ...|    b", "    a|X|    b", False),
    "a form feed is text": ("    a|    ...|    b", "    a|\f|    b", False),
    "a form feed above": ("    a|\f|...|  b", "    a|\f| y|  b", True),
    "a form feed below": ("    a|...|\f|    b", "    a|y|\f|    b", True),
    "a line of one letter above": ("    a|X|...|  b", "    a|X| y|  b", True),
    "a line of one letter below": ("    a|...|X|    b", "    a|y|X|    b", True),
    "only a blank line above": ("|...|  b", "| y|  b", True),
    "only a blank line below": ("  a|...|", "  a|y|", True),
    "one blank deeper than above": ("a|...|    b", "a| y|    b", True),
    "as deep as above": ("a|...|    b", "a|y|    b", False),
}


@pytest.mark.parametrize(("search", "file", "may"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_how_far_lines_that_are_left_out_are_indented(search: str, file: str, may: bool) -> None:
    lines = search.split("|")
    assert (applied(lines, [*lines, "more"], file.split("|")) is not None) is may


# SEARCH, REPLACE, file, as it is after the first run and the second
TWICE = {
    "an insertion below a piece": ("b ... f", "b x ... f", FILE),
    "an insertion above a piece": ("b ... f", "b ... x f", FILE),
    "insertions around both": ("b ... f", "x b x ... y f y", FILE),
    "a line of the next piece": ("b ... c", "b c ... c x", ["a", "b", "x"]),
    "a new text that is in the file by chance": ("b ... f", "b c ... f x", FILE),
    "a line that moves into the next piece": ("b ... c", "... b c", FILE),
}


@pytest.mark.parametrize(("search", "replace", "file"), TWICE.values(), ids=TWICE)
def test_a_second_run_changes_nothing(search: str, replace: str, file: list[str]) -> None:
    once = applied(search.split(), replace.split(), file) or file
    assert (applied(search.split(), replace.split(), once) or once) == once


def test_what_stands_already_is_all_kept_lines() -> None:
    file = "a b x c d".split()
    assert proposals("b ... d".split(), "b x ... d".split(), file) == [elided(1, 5, (1, 2, 3, 4))]
    assert proposals("b ... x".split(), "... b x".split(), "b x".split()) == [elided(0, 2, (0, 1))]
    assert applied("b ... f".split(), "b ... f x".split(), "b c f x".split()) == "b c f x".split()


# What would change once more: SEARCH, REPLACE, file
UNSTEADY = {
    "one of several equal lines goes": ("... a g", "... g", "c e a a g"),
    "lines that change places, beside one like them": ("g b ... h", "b g ... h", "g g b a f h"),
    "a line that goes, of two, and one that comes": ("g a ... b", "a g ... b", "g a a f b"),
}


@pytest.mark.parametrize(("search", "replace", "file"), UNSTEADY.values(), ids=UNSTEADY)
def test_what_would_change_its_own_result_is_refused(search: str, replace: str, file: str) -> None:
    assert applied(search.split(), replace.split(), file.split()) is None


words = st.lists(st.sampled_from("a b c d e f g h x y ...".split()), max_size=7)


@given(words, words, st.permutations(FILE), words)
def test_only_what_is_searched_changes(search: list[str], replace: list[str], file: list[str], more: list[str]) -> None:
    file += more
    once = applied(search, replace, file)
    if once is None:
        return
    [place] = proposals(search, replace, file)
    numbers = [line for line in place.new if isinstance(line, int)]
    assert numbers == sorted(set(numbers))
    gone = [file[line] for line in range(place.start, place.stop) if line not in numbers]
    assert [line for line in gone if line not in search] == []
    assert [line for line in place.new if isinstance(line, str) and line not in replace] == []
    assert (applied(search, replace, once) or once) == once
