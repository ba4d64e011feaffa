"""Why a block does not fit, as facts: places, differences and hints, in a file that a block has changed."""

from typing import Any

import pytest
from support.call_blocks import replace
from support.file_blocks import edit

from editblocks import EditBlock
from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.mismatches import (
    already_there,
    candidate,
    no_allowed_place,
    no_match,
    number_of,
    stale,
)
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate, Difference, Hint, Mismatch
from editblocks.matching.align import MergeConflict
from editblocks.matching.block_readings import Reading
from editblocks.matching.ladder import Budget, Matches
from editblocks.matching.narrowing import Match
from editblocks.text.source_text import SourceText

BLOCK = edit("a.py", "x\n", "y\n")._replace(number=7)
COMMIT = "4be1d02"


def changed() -> SourceText:
    """A file after block 1, which has written its lines 3 and 4."""
    source = SourceText.of("def f():\n    a\n    b\n    c\n    d\n")
    source.splice(2, 2, ("    new_n", "    new_m"))
    source.applied.append(1)
    return source


def changed_twice() -> SourceText:
    """The same after it has written line 7 as well."""
    source = changed()
    source.splice(6, 6, ("    new_o",))
    return source


A, N, M, B, C, D = (f"    {text}" for text in ("a", "new_n", "new_m", "b", "c", "d"))
F = "def f():"

# the lines of a place, what else is said of it, and the place as it is shown
SHOWN: dict[str, tuple[tuple[int, int], dict[str, Any], Candidate]] = {
    "on the branch": ((1, 2), {}, Candidate(2, 2, 1.0, "7@2", (), (A,), (F,), (N, M), "f")),
    "of the block": ((2, 4), {}, Candidate(3, 4, 1.0, None, (1,), (N, M), (F, A), (B, C), "f")),
    "below the block": ((5, 7), {}, Candidate(4, 5, 1.0, "7@4", (), (C, D), (M, B), (), "f")),
    "the first line": ((0, 1), {}, Candidate(1, 1, 1.0, "7@1", (), (F,), (), (A, N), "")),
    "no lines": ((5, 5), {}, Candidate(4, 4, 1.0, "7@4", (), (), (M, B), (C, D), "f")),
    "close": ((1, 2), {"similarity": 0.98765}, Candidate(2, 2, 0.99, "7@2", (), (A,), (F,), (N, M), "f")),
    "without a name": ((1, 2), {"is_named": False}, Candidate(2, 2, 1.0, "7@2", (), (A,), (F,), (N, M), "")),
    "not to be chosen": (
        (1, 2),
        {"can_be_chosen": False},
        Candidate(2, 2, 1.0, None, (), (A,), (F,), (N, M), "f"),
    ),
    "with a difference in lines of the block": (
        (4, 5),
        {"difference": Difference(1, 1, "", "", after=(1,))},
        Candidate(5, 5, 1.0, None, (1,), (B,), (N, M), (C, D), "f"),
    ),
    "with a difference on the branch": (
        (2, 3),
        {"difference": Difference(1, 1, "", "")},
        Candidate(3, 3, 1.0, "7@3", (), (N,), (F, A), (M, B), "f"),
    ),
}


@pytest.mark.parametrize(("place", "about", "shown"), SHOWN.values(), ids=SHOWN)
def test_a_place_that_is_shown(place: tuple[int, int], about: dict[str, Any], shown: Candidate) -> None:
    assert candidate(BLOCK, changed(), place, **about) == shown


@pytest.mark.parametrize(
    ("place", "where"), [((1, 2), "a.py:2"), ((2, 4), "line 3 of a.py after block 1"), ((5, 6), "a.py:4")]
)
def test_lines_that_are_there(place: tuple[int, int], where: str) -> None:
    for new in ("the new lines are", "the new text is"):
        expected = Mismatch(ReasonCode.ALREADY_APPLIED, f"{new} already at {where}", found_at=place[0])
        assert already_there(changed(), place, "a.py", new) == expected
    assert already_there(changed(), place, "a.py").what == f"the new lines are already at {where}"


def test_lines_that_are_there_partly_of_a_block() -> None:
    assert (
        already_there(changed_twice(), (5, 7), "a.py").what
        == "the new lines are already at line 6 of a.py after block 1"
    )
    shown = missed(edit("a.py", "gone\n", f"{C}\n    new_o\n"), changed_twice())
    assert shown.hints == (Hint("there", (6, 6), after=(1,)),)
    base = SourceText.of("q\n" * 9)
    difference = stale(BLOCK, changed_twice(), base, MergeConflict((0, 2), (5, 7), (0, 2)), COMMIT).first_difference
    assert difference == Difference(6, 1, "q", C, after=(1,))
    difference = stale(BLOCK, changed_twice(), base, MergeConflict((0, 2), (4, 5), (0, 2)), COMMIT).first_difference
    assert difference == Difference(3, 1, "q", B)


def test_lines_are_counted_after_blocks_or_on_the_branch() -> None:
    assert [number_of(changed(), 5, after) for after in ((), (1,))] == [4, 6]


# lines of the base and of the file that conflict, the place that is shown, and the difference
STALE: dict[str, tuple[tuple[int, int], tuple[int, int], Candidate, Difference]] = {
    "on the branch": (
        (2, 3),
        (4, 6),
        Candidate(3, 4, 1.0, None, (), (B, C), (N, M), (D,), "f"),
        Difference(3, 5, "    q", B),
    ),
    "in lines of the block": (
        (1, 3),
        (1, 4),
        Candidate(2, 4, 1.0, None, (1,), (A, N, M), (F,), (B, C), "f"),
        Difference(3, 5, "    q", N, after=(1,)),
    ),
    "below lines of the block": (
        (3, 5),
        (3, 6),
        Candidate(4, 6, 1.0, None, (1,), (M, B, C), (A, N), (D,), "f"),
        Difference(4, 5, C, M, after=(1,)),
    ),
    "lines go right above those of the block": (
        (1, 3),
        (1, 2),
        Candidate(2, 2, 1.0, None, (1,), (A,), (F,), (N, M), "f"),
        Difference(3, 5, "    q", N, after=(1,)),
    ),
    "lines go at the end": (
        (4, 6),
        (6, 7),
        Candidate(7, 7, 1.0, None, (1,), (D,), (B, C), (), "f"),
        Difference(8, 1, "    e", None, after=(1,)),
    ),
    "lines come at the end of the base": (
        (5, 6),
        (6, 7),
        Candidate(5, 5, 1.0, None, (), (D,), (B, C), (), "f"),
        Difference(5, 5, "    e", D),
    ),
}


@pytest.mark.parametrize(("of_base", "of_file", "place", "difference"), STALE.values(), ids=STALE)
def test_lines_that_have_changed(
    of_base: tuple[int, int], of_file: tuple[int, int], place: Candidate, difference: Difference
) -> None:
    base = SourceText.of("def f():\n    a\n    q\n    c\n    d\n    e\n")
    conflict = MergeConflict(of_base, of_file, of_base)
    shown = stale(BLOCK, changed(), base, conflict, COMMIT)
    assert shown == Mismatch(ReasonCode.STALE, candidates=(place,), first_difference=difference, base=COMMIT)


def test_lines_that_have_changed_below_one_of_the_block() -> None:
    source = SourceText.of("a\nb\nc\n")
    source.splice(0, 1, ("n", "m"))
    source.applied.append(1)
    base = SourceText.of("n\nm\nb\nq\n")
    shown = stale(BLOCK, source, base, MergeConflict((0, 4), (0, 4), (0, 4)), COMMIT)
    assert shown.first_difference == Difference(4, 1, "q", "c", after=(1,))


def test_places_that_do_not_count() -> None:
    matches = Matches(strategy="trailing-space", others=(Match(1, 2), Match(5, 6)), failed_condition="scope")
    assert no_allowed_place(BLOCK, matches, changed()) == Mismatch(
        ReasonCode.NO_MATCH,
        candidates=(
            Candidate(2, 2, 1.0, None, (), (A,), (F,), (N, M), "f"),
            Candidate(4, 4, 1.0, None, (), (C,), (M, B), (D,), "f"),
        ),
        candidates_total=2,
        level="trailing-space",
        failed_condition="scope",
    )


def missed(block: EditBlock, source: SourceText) -> Mismatch:
    options = PlacementOptions(Budget(), chosen_line=9)
    return no_match(block, Reading(block), source, options)


def test_a_text_that_is_close_to_lines_of_a_block() -> None:
    shown = missed(edit("a.py", f"{N}\n    new_q\n", "x\n"), changed())
    difference = Difference(4, 9, "    new_q", M, after=(1,), search_line=2)
    assert shown.first_difference == difference
    assert [(place.start_line, place.end_line, place.pick, place.after) for place in shown.candidates] == [
        (3, 4, None, (1,))
    ]
    assert (shown.candidates_total, shown.after, shown.chosen_line) == (1, (1,), 9)
    assert shown.similarity == shown.candidates[0].similarity


def test_a_text_that_is_close_to_lines_above_those_of_a_block() -> None:
    source = SourceText.of("one line of text\nanother line of text\n")
    source.splice(2, 2, ("new_n",))
    source.applied.append(1)
    shown = missed(edit("a.py", "one line of text\nanother line of text\n\n", "x\n"), source)
    assert shown.first_difference == Difference(3, 1, "", "new_n", after=(1,), search_line=3)
    assert [(place.start_line, place.end_line, place.after) for place in shown.candidates] == [(1, 2, (1,))]


# how many lines are close to SEARCH, how many are between them and the stand-in, and whether the file has one there
STAND_INS = [(3, 1, True), (3, 2, False), (23, 2, True), (23, 3, False), (30, 2, True), (30, 3, False)]


@pytest.mark.parametrize(("count", "between", "is_there"), STAND_INS)
def test_how_far_from_a_close_place_a_stand_in_is_looked_for(count: int, between: int, is_there: bool) -> None:
    lines = "".join(f"line number {number} of many\n" for number in range(count))
    for above, below in (("# ... the rest\n", ""), ("", "# ... the rest\n")):
        gap = "x\n" * between
        there = below.join(("\n" * 6, gap)) + lines + above.join((gap, "y\n" * 6))
        hints = missed(edit("a.py", f"{above}{lines}{below}", "z\n"), SourceText.of(there)).hints
        assert ([hint.kind for hint in hints] == []) is is_there


def test_a_text_that_is_close_to_lines_of_the_branch() -> None:
    text = "one line of text\nanother line of text\nx\none line of text\nanother line of texts\n"
    shown = missed(
        edit("a.py", "one line of text\nanother line of test\n", "x\n")._replace(number=2), SourceText.of(text)
    )
    assert [(place.start_line, place.end_line) for place in shown.candidates] == [(1, 2), (4, 5)]
    assert (shown.candidates_total, shown.after) == (2, ())


FOUR = "the first of four lines\nthe second of four lines\nthe third of four lines\nthe last of four lines\n"
CLOSE = FOUR.replace("last", "very last")
NEW_FIRST = FOUR.replace("first", "new first")


def test_a_close_place_can_be_chosen_if_the_block_can_be_merged_into_it() -> None:
    source = SourceText.of(f"{CLOSE}\n{CLOSE}\n")
    source.applied.append(1)
    shown = missed(edit("a.py", FOUR, NEW_FIRST)._replace(number=7), source)
    assert [place.pick for place in shown.candidates] == ["7@1", "7@6"]
    assert shown.after == ()
    there = SourceText.of("x\n" + CLOSE.replace("first", "new first"))
    assert [place.pick for place in missed(edit("a.py", FOUR, NEW_FIRST), there).candidates] == [None]


@pytest.mark.parametrize(("left", "count"), [(0, 0), (1_000_000, 3)])
def test_nothing_close_is_looked_for_when_the_budget_is_spent(left: int, count: int) -> None:
    reading = Reading(edit("a.py", "the first of two lines\nthe last of two lines\n", "x\n"))
    source = SourceText.of("the first of three lines\nthe last of three lines\n" * 3)
    options = PlacementOptions(Budget(left=left))
    assert len(no_match(BLOCK, reading, source, options).candidates) == count


# the old text of a call, the file, and whether the hint that blank lines differ is given
ABOVE = "1\n2\n3\n4\n5\n"
THREE = "if x_is_large:\n        one_value = 1\n\n        other_value = 2"
WITHOUT_A_BLANK_LINE = "if x_is_large:\n        one_value = 1\n        other_value = 2\n"
BEHIND_INDENTATION: dict[str, tuple[str, str, bool]] = {
    "at the start": ("if x_is_large:\n\n        y = 1", "    if x_is_large:\n        y = 1\n", True),
    "further down": ("if x_is_large:\n\n        y = 1", f"{ABOVE}    if x_is_large:\n        y = 1\n", True),
    "it begins with blanks": (
        "    if x_is_large:\n\n        y = 1",
        f"{ABOVE}    if x_is_large:\n        y = 1\n",
        True,
    ),
    "it begins with a tab": ("\tif x_is_large:\n\n        y = 1", f"{ABOVE}\tif x_is_large:\n        y = 1\n", True),
    "behind a form feed": (
        THREE,
        f"{ABOVE}\f    {WITHOUT_A_BLANK_LINE}",
        False,
    ),
    "behind a letter": (THREE, f"{ABOVE}X{WITHOUT_A_BLANK_LINE}", False),
    "behind blanks": (THREE, f"{ABOVE}    {WITHOUT_A_BLANK_LINE}", True),
}


@pytest.mark.parametrize(("old", "text", "is_told"), BEHIND_INDENTATION.values(), ids=BEHIND_INDENTATION)
def test_the_text_of_a_call_begins_behind_the_indentation(old: str, text: str, is_told: bool) -> None:
    shown = missed(replace(old, "z"), SourceText.of(text))
    assert ("blank-lines" in [hint.kind for hint in shown.hints]) is is_told


def test_the_text_of_a_call_that_begins_with_a_blank_line() -> None:
    lines = "    one_value = 1\n    other_value = 2"
    shown = missed(replace(f"\n{lines}", "z"), SourceText.of(f"{lines}\n"))
    assert [(hint.kind, hint.words) for hint in shown.hints] == [("blank-lines", ())]


# old and new lines of a block, and the hints why it does not fit
HINTS: dict[str, tuple[EditBlock, tuple[Hint, ...]]] = {
    "the new line is there": (edit("a.py", "gone\n", f"{C}\n"), (Hint("there", (4, 4)),)),
    "the new line is one of the block": (edit("a.py", "gone\n", f"{N}\n"), (Hint("there", (3, 3), after=(1,)),)),
    "new lines that the old ones hold": (edit("a.py", f"{C}\ngone\n", f"{C}\n"), ()),
    "blank new lines": (edit("a.py", "gone\n", " \t\n"), ()),
    "a part of a line of the block": (edit("a.py", "new_m\n", "gone\n")._replace(number=2), ()),
}


@pytest.mark.parametrize(("block", "expected"), HINTS.values(), ids=HINTS)
def test_hints_why_a_block_does_not_fit(block: EditBlock, expected: tuple[Hint, ...]) -> None:
    found = tuple(hint for hint in missed(block, changed()).hints if hint.kind == "there")
    assert found == expected


@pytest.mark.parametrize(("line", "is_there"), [("\f", True), ("X", True), (" \t", False)])
def test_which_new_lines_say_something(line: str, is_there: bool) -> None:
    shown = missed(edit("a.py", "gone\n", f"{line}\n"), SourceText.of(f"a\n{line}\n"))
    assert [hint.kind for hint in shown.hints] == ["there"] * is_there


def test_a_part_of_a_line() -> None:
    source = SourceText.of("a\nb\ncart_total = 1\n")
    source.splice(2, 2, ("new_total = 2", "m"))
    source.applied.append(1)
    of_branch = missed(edit("a.py", "cart_total\n", "gone\n"), source)
    assert of_branch.hints[0] == Hint("part", (3, 3))
    of_block = missed(edit("a.py", "new_total\n", "gone\n"), source)
    assert of_block.hints[0] == Hint("part", (3, 3), after=(1,))


def test_a_text_of_a_call_that_is_escaped() -> None:
    source = SourceText.of('a\nb = "c"\n')
    source.splice(0, 0, ("m",))
    source.applied.append(1)
    shown = missed(replace('b = \\"c\\"', "d"), source)
    assert shown.hints[0] == Hint("escaped", (2, 2))
    spelled = missed(replace("b = 'c'", "d"), source)
    assert [(hint.kind, hint.lines) for hint in spelled.hints] == [("spelled", (0, 0))]
