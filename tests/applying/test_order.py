"""Hunks that place each other by their order, and equal blocks for equal places (docs/reference/rules.md)."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from sys import maxsize
from typing import Any

import pytest
from support.hostile_responses import FLAT, growth
from support.hunkkit import hunk, numbered, scoped
from support.responses import block as written
from support.responses import verdicts

from editblocks import EditBlock, ParseResult, Problem, apply_edits, apply_response
from editblocks.applying.engine import Options, apply_parsed
from editblocks.applying.hunks import HunkPlaces, bounds, only_order
from editblocks.core.codes import ReasonCode
from editblocks.core.selection import Selection

Plan = tuple[list[str], str]


def plan(blocks: Sequence[EditBlock], file: str, only: str = "", problems: Sequence[Problem] = ()) -> Plan:
    """What becomes of each block, and of the file."""
    options = Options(Selection.read(only) if only else None)
    data = file.encode()
    result = apply_parsed(ParseResult(tuple(blocks), tuple(problems)), {"a.py": data}.get, None, options)
    rows = [row.removeprefix("a.py ") for row in verdicts(result)]
    return rows, (result.contents.get("a.py", data) or b"").decode()


def section(*bodies: str, form: str = "v4a") -> list[EditBlock]:
    """The hunks of one file in one patch."""
    return [hunk(body, number, form=form)._replace(section=1) for number, body in enumerate(bodies, 1)]


# For each hunk the lines where it may begin, and the one choice that ascends; None: there is none, or several.
CHOICES: dict[str, tuple[list[list[int]], list[int] | None]] = {
    "one each": ([[1], [5]], [1, 5]),
    "between two": ([[3], [1, 4, 9], [6]], [3, 4, 6]),
    "above the first": ([[1, 7], [5]], [1, 5]),
    "below the last": ([[5], [1, 7]], [5, 7]),
    "as many equal hunks as places": ([[1, 4, 6]] * 3, [1, 4, 6]),
    "three equal hunks for four places": ([[1, 4, 6, 8]] * 3, None),
    "two between": ([[1], [3, 4], [6]], None),
    "two hunks that settle each other": ([[2, 8], [5, 6], [6]], [2, 5, 6]),
    "one settled, another not": ([[1, 9], [3, 4], [6]], None),
    "none between": ([[3], [1, 9], [6]], None),
    "the only ones in the wrong order": ([[5], [1]], None),
    "the same line": ([[5], [5]], None),
    "one that stands nowhere": ([[1], [], [6]], None),
}


@pytest.mark.parametrize(("places", "choice"), CHOICES.values(), ids=CHOICES)
def test_only_one_choice_may_ascend(places: list[list[int]], choice: list[int] | None) -> None:
    assert only_order([[HunkPlaces(lines)] for lines in places]) == choice


def test_choices_are_those_that_counting_all_of_them_finds() -> None:
    some: tuple[list[int], ...] = ([], [0], [1], [0, 1], [1, 3], [0, 2, 3])
    for places in product(some, repeat=4):
        ascending = [each for each in product(*places) if all(one < two for one, two in pairwise(each))]
        assert only_order([[HunkPlaces(lines)] for lines in places]) == (
            list(ascending[0]) if len(ascending) == 1 else None
        )


def test_a_hunk_without_a_place_leaves_the_others_as_they_are() -> None:
    (first, _, last), two = (
        bounds([[HunkPlaces([3])], [HunkPlaces([])], [HunkPlaces([6])]]),
        bounds([[HunkPlaces([3])], [HunkPlaces([6])]]),
    )
    assert [first, last] == two


# For each hunk its runs, and the edges that the others leave it.
EDGES: dict[str, tuple[list[HunkPlaces], list[tuple[int, int]]]] = {
    "one": ([HunkPlaces([3])], [(0, maxsize)]),
    "two": ([HunkPlaces([3])] * 2, [(0, 7), (8, maxsize)]),
    "an insertion above the first line": ([HunkPlaces([]), HunkPlaces([0], 0, 0)], [(0, 0), (0, maxsize)]),
    "no room above": ([HunkPlaces([]), HunkPlaces([9]), HunkPlaces([3])], [(0, -1), (0, 7), (20, maxsize)]),
}


@pytest.mark.parametrize(("runs", "edges"), EDGES.values(), ids=EDGES)
def test_the_edges_that_the_others_leave_a_hunk(runs: list[HunkPlaces], edges: list[tuple[int, int]]) -> None:
    assert bounds([[run] for run in runs]) == edges


def test_an_insertion_above_the_first_line_has_its_place() -> None:
    assert only_order([[HunkPlaces([0], 0, 0)]]) == [0]


# Hunks that touch: for each where it may begin, how far below that it changes something, and how many lines.
TOUCHING: dict[str, tuple[list[HunkPlaces], list[int] | None]] = {
    "context in common": ([HunkPlaces([1], 0, 1), HunkPlaces([1, 7], 1, 1), HunkPlaces([9])], None),
    "lines that follow each other": ([HunkPlaces([1], 0, 2), HunkPlaces([3])], [1, 3]),
    "a line in common": ([HunkPlaces([1], 0, 2), HunkPlaces([2])], None),
    "an insertion above the next change": ([HunkPlaces([1], 1, 0), HunkPlaces([2])], [1, 2]),
    "an insertion below the change before": ([HunkPlaces([1], 0, 1), HunkPlaces([1], 1, 0)], [1, 1]),
    "two insertions in one place": ([HunkPlaces([1], 1, 0), HunkPlaces([1], 1, 0)], None),
    "two insertions, each in two places": ([HunkPlaces([1, 4], 1, 0), HunkPlaces([1, 4], 1, 0)], [1, 4]),
    "an insertion above, though the hunk is below": ([HunkPlaces([3]), HunkPlaces([1], 1, 0)], None),
}


@pytest.mark.parametrize(("runs", "choice"), TOUCHING.values(), ids=TOUCHING)
def test_changes_that_touch_are_in_order(runs: list[HunkPlaces], choice: list[int] | None) -> None:
    assert only_order([[run] for run in runs]) == choice


def test_each_reading_of_a_hunk_has_its_places() -> None:
    assert only_order([[HunkPlaces([1])], [HunkPlaces([3]), HunkPlaces([])]]) == [1, 3]
    assert only_order([[HunkPlaces([1])], [HunkPlaces([0]), HunkPlaces([4])]]) == [1, 4]
    assert only_order([[HunkPlaces([1])], [HunkPlaces([3]), HunkPlaces([4])]]) is None


TWO = "class A:\n    x = 1\nclass B:\n    x = 1\n"
X = "-    x = 1\n+    x = 2\n"
ABC = "a\nx\nb\nx\nc\nx\nd\n"
# the file, the hunks of its section, the rows, the file after them
TAKEN: dict[str, tuple[str, list[EditBlock], list[str], str]] = {
    "below the hunk before": (
        "x\na\nx\n",
        section("-a\n+A\n", "-x\n+y\n"),
        ["exact", "exact"],
        "x\nA\ny\n",
    ),
    "above the hunk behind": ("x\na\nx\n", section("-x\n+y\n", "-a\n+A\n"), ["exact"] * 2, "y\nA\nx\n"),
    "between two": (ABC, section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n"), ["exact"] * 3, "a\nx\nB\ny\nC\nx\nd\n"),
    "two in a row": (
        ABC,
        section("-a\n+A\n", "-x\n+y\n", "-b\n+B\n", "-x\n+z\n", "-c\n+C\n"),
        ["exact"] * 5,
        "A\ny\nB\nz\nC\nx\nd\n",
    ),
    "an insertion": (ABC, section("-b\n+B\n", " x\n+y\n", "-c\n+C\n"), ["exact"] * 3, "a\nx\nB\nx\ny\nC\nx\nd\n"),
    "below lines that an earlier hunk inserts": (
        "x\na\nx\n",
        section(" a\n+x\n+x\n+n\n", "-x\n+y\n"),
        ["exact", "exact"],
        "x\na\nx\nx\nn\ny\n",
    ),
    "one for each hunk, with other new lines": (
        "x\nx\n",
        section("-x\n+y\n", "-x\n+z\n"),
        ["exact", "exact"],
        "y\nz\n",
    ),
    "within its scope": (
        "f:\n x\ng:\n x\n x\n b\n",
        [scoped("- x\n+ y\n", "g:"), scoped("- x\n+ z\n", "g:", number=2), scoped("- b\n+ c\n", number=3)],
        ["exact", "exact", "exact"],
        "f:\n x\ng:\n y\n z\n c\n",
    ),
    "numbers that are wrong everywhere": (
        "x\na\nx\n",
        [numbered("-a\n+A\n", 7, 7), numbered("-x\n+y\n", 9, 9, 2)],
        ["exact", "exact"],
        "x\nA\ny\n",
    ),
}
LEFT: dict[str, tuple[str, list[EditBlock], list[str]]] = {
    "one hunk alone": (TWO, section(X), ["ambiguous"]),
    "scopes that are out of order, in flat text": (
        "setup\nx\nteardown\nx\nend\nx\n",
        [scoped("-x\n+xT\n", "teardown"), scoped("-x\n+xS\n", "setup", number=2)],
        ["ambiguous"],
    ),
    "a scope of flat text, below a hunk that is below it": (
        "setup\nx\ny\nend\nx\n",
        [*section("-y\n+Y\n"), scoped("-x\n+xS\n", "setup", number=2)],
        ["ambiguous"],
    ),
    "a scope of several lines": (
        "a\n b\nx\ny\nend\nx\n",
        [*section("-y\n+Y\n"), scoped("-x\n+xS\n", "a\nb", number=2)],
        ["ambiguous"],
    ),
    "two places between": ("b\nx\nx\nc\n", section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n"), ["ambiguous"]),
    "no place between": ("x\nb\nc\nx\n", section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n"), ["ambiguous"]),
    "the others are out of order": (ABC, section("-c\n+C\n", "-x\n+y\n", "-b\n+B\n"), ["ambiguous"]),
    "another of its section has two places": (
        "b\nx\nc\nx\nz\nz\n",
        section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n", "-z\n+Z\n"),
        ["ambiguous"],
    ),
    "one of its section stands nowhere": (
        "b\nx\nc\nx\n",
        section("-b\n+B\n", "-x\n+y\n", "-q\n+Q\n", "-c\n+C\n"),
        ["ambiguous"],
    ),
    "one of its section stands only by tolerance": (
        "b\nx\nc  \nx\n",
        section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n"),
        ["ambiguous"],
    ),
    "one of its section stands in what an earlier one adds": (
        "b\nx\nc\nx\n",
        section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n", "-C\n+D\n"),
        ["ambiguous"],
    ),
    "one of its section leaves nothing": ("b\nx\nc\nx\n", section("-b\n", "-x\n+y\n", "-c\n+C\n"), ["ambiguous"]),
    "hunks that share a line of context": (
        "a\nm\nx\nb\nm\nx\n",
        section("-a\n+A\n m\n", " m\n-x\n+y\n", "-b\n+B\n"),
        ["ambiguous"],
    ),
    "its new lines stand there as well": (
        "a\nd\nc\ny\na\na\nd\n",
        section(" a\n d\n c\n+y\n", " a\n-d\n+a\n"),
        ["already-applied", "ambiguous"],
    ),
    "it leaves nothing itself": ("b\nx\nc\nx\n", section("-b\n+B\n", "-x\n", "-c\n+C\n"), ["ambiguous"]),
    "by tolerance": ("b\nx \nc\nx \n", section("-b\n+B\n", "-x\n+y\n", "-c\n+C\n"), ["ambiguous"]),
    "blocks of another form say nothing": (
        "b\nx\nc\nx\n",
        [
            hunk("-b\n+B\n", 1, form="diff")._replace(action=""),
            hunk("-x\n+y\n", 2, form="diff")._replace(action=""),
            hunk("-c\n+C\n", 3, form="diff")._replace(action=""),
        ],
        ["ambiguous"],
    ),
    "hunks of another section say nothing": (
        "b\nx\nc\nx\n",
        [
            hunk("-b\n+B\n", 1, form="v4a")._replace(section=1),
            hunk("-x\n+y\n", 2, form="v4a")._replace(section=2),
            hunk("-c\n+C\n", 3, form="v4a")._replace(section=3),
        ],
        ["ambiguous"],
    ),
    "a block above has changed the file": (
        "q\nb\nx\nc\nx\n",
        [
            hunk("-q\n+Q\n", 1, form="diff")._replace(action=""),
            hunk("-b\n+B\n", 2, form="v4a")._replace(section=2),
            hunk("-x\n+y\n", 3, form="v4a")._replace(section=2),
            hunk("-c\n+C\n", 4, form="v4a")._replace(section=2),
        ],
        ["ambiguous"],
    ),
    "a number that is trusted has another place": (
        "x\na\nx\nb\nx\n",
        [
            numbered("-x\n+y\n", 5, 5),
            *(hunk(body, at)._replace(section=1) for at, body in enumerate(("-a\n+A\n", "-x\n+z\n", "-b\n+B\n"), 2)),
        ],
        ["ambiguous"],
    ),
}


@pytest.mark.parametrize(("file", "blocks", "rows", "result"), TAKEN.values(), ids=TAKEN)
def test_hunks_place_each_other(file: str, blocks: list[EditBlock], rows: list[str], result: str) -> None:
    assert plan(blocks, file) == (rows, result)
    assert plan(blocks, result)[1] == result


@pytest.mark.parametrize(("file", "blocks", "rows"), LEFT.values(), ids=LEFT)
def test_hunks_do_not_place_each_other(file: str, blocks: list[EditBlock], rows: list[str]) -> None:
    found = [row for row in plan(blocks, file)[0] if row not in ("exact", "earlier-failure")]
    assert found == rows


B, MIDDLE, C = "-b\n+B\n", "-x\n+y\n", "-c\n+C\n"
BXCX = "b\nx\nc\nx\n"
PLACED = "B\ny\nC\nx\n"


def test_many_hunks_place_each_other() -> None:
    hunks = [f"{body}{at}\n+{at}\n" for at in range(12) for body in ("-a", "-x")]
    file = "".join(f"x{at}\n" for at in range(12)) + "".join(f"a{at}\nx{at}\n" for at in range(12))
    result = file[: file.index("a0")] + "".join(f"{at}\n{at}\n" for at in range(12))
    assert plan(section(*hunks), file) == (["exact"] * 24, result)


def test_a_place_found_by_order_is_less_sure_and_says_why() -> None:
    _, row, _ = apply_edits(section(B, MIDDLE, C), {"a.py": BXCX.encode()}.get).results
    assert (row.confidence, row.span) == ("medium", (1, 2))
    assert [(note.code, note.message) for note in row.notes] == [
        (
            "placed-by-order",
            "it fits 2 places; line 2 was chosen, because only this keeps the hunks in the order of the file",
        )
    ]


# The file as an earlier run left it or may have, the hunks, and the rows; nothing may change.
AGAIN: dict[str, tuple[str, list[EditBlock], list[str]]] = {
    "the others are there": (
        "b\nn\ny\nc\nm\nx\n",
        section(" b\n+n\n", MIDDLE, " c\n+m\n"),
        ["already-applied", "ambiguous", "earlier-failure"],
    ),
    "the others are not there yet": (
        "b\ny\nc\nx\n",
        section(" b\n+n\n", MIDDLE, " c\n+m\n"),
        ["exact", "ambiguous", "earlier-failure"],
    ),
    "equal hunks, of which one inserts": (
        "y\nx\nz\n",
        section("-x\n+y\n", "-x\n+x\n+z\n"),
        ["ambiguous", "earlier-failure"],
    ),
    "what one writes is what the next one changes": (
        "b\nc\na\n",
        section("-a\n+b\n", "-b\n+c\n"),
        ["ambiguous", "earlier-failure"],
    ),
    "an earlier hunk fits again, and changes the lines that were written": (
        "a\nb\nb\nb\ny\nz\nb\nb\na\na\na\n",
        section(" a\n-b\n-b\n+b\n", " b\n-a\n+b\n+y\n", "-a\n-a\n+z\n+b\n b\n"),
        ["exact", "ambiguous", "earlier-failure"],
    ),
    "in two functions": (
        "def f():\n    n = 0\n    return 4\n\ndef g():\n    n = 0\n\ndef h():\n    return 3\n",
        section(" def f():\n+    n = 0\n", "-    return 3\n+    return 4\n", " def g():\n+    n = 0\n"),
        ["already-applied", "ambiguous", "earlier-failure"],
    ),
}


@pytest.mark.parametrize(("file", "blocks", "rows"), AGAIN.values(), ids=AGAIN)
def test_a_second_run_takes_no_text_like_the_one_that_was_changed(
    file: str, blocks: list[EditBlock], rows: list[str]
) -> None:
    assert plan(blocks, file)[0] == rows


def test_a_second_run_names_both_places() -> None:
    row = apply_edits(section(" b\n+n\n", MIDDLE, " c\n+m\n"), {"a.py": b"b\nn\ny\nc\nm\nx\n"}.get).results[1]
    assert row.reason == "matches line 6 of a.py, and the new lines are already at line 3; check both places"


# New lines that stand in the file by chance: the file, the hunks, the file after them.
CHANCE: dict[str, tuple[str, list[EditBlock], str]] = {
    "in the order, where the old ones are as well": (
        "a: 1\nb: 1\na: 0\nb: 0\n",
        section("-a: 0\n+a: 1\n", "-b: 0\n+b: 1\n"),
        "a: 1\nb: 1\na: 1\nb: 1\n",
    ),
    "out of the order": ("b\nc\nx\ny\n", section(C, MIDDLE, B), "B\nC\ny\ny\n"),
    "of one hunk alone": ("y\nx\n", section(MIDDLE), "y\ny\n"),
    "around the old ones, and out of order": ("q\nx\nb\n", section(B, " x\n+y\n"), "q\nx\ny\nB\n"),
    "at a number that is trusted": (
        "y\nb\nx\n",
        [numbered("-x\n+y\n", 3, 3), numbered("-b\n+B\n", 2, 2, 2)],
        "y\nB\ny\n",
    ),
}


@pytest.mark.parametrize(("file", "blocks", "result"), CHANCE.values(), ids=CHANCE)
def test_new_lines_that_are_there_by_chance_stop_nothing(file: str, blocks: list[EditBlock], result: str) -> None:
    assert plan(blocks, file) == (["exact"] * len(blocks), result)


# What a person takes, the rows, and the file after them
SELECTED: dict[str, tuple[str, list[str], str]] = {
    "the one alone": ("2", ["not-selected", "exact", "not-selected"], "b\ny\nc\nx\n"),
    "without it": ("1,3", ["exact", "not-selected", "exact"], "B\nx\nC\nx\n"),
    "at its place": ("1,2@2,3", ["exact"] * 3, PLACED),
    "at the other place": ("1,2@4,3", ["exact"] * 3, "B\nx\nC\ny\n"),
    "another one at its place": ("1@1,2,3", ["exact"] * 3, PLACED),
    "another one where it does not stand": ("1@3,2,3", ["no-match", "earlier-failure", "earlier-failure"], BXCX),
}


@pytest.mark.parametrize(("only", "rows", "result"), SELECTED.values(), ids=SELECTED)
def test_hunks_that_are_left_out_count_in_the_order(only: str, rows: list[str], result: str) -> None:
    assert plan(section(B, MIDDLE, C), BXCX, only) == (rows, result)


def test_a_place_that_a_person_chose_for_another_hunk_counts() -> None:
    blocks, file = section(MIDDLE, "-b\n+B\n", "-x\n+z\n"), "x\nb\nx\nx\n"
    assert plan(blocks, file, "1@1,2,3")[0] == ["exact", "exact", "ambiguous"]
    assert plan(blocks, "x\nb\nx\n", "1@1,2,3") == (["exact"] * 3, "y\nB\nz\n")
    assert plan(blocks, file, "1@4,2,3")[0] == ["exact", "exact", "ambiguous"]


def test_a_hunk_that_cannot_be_read_leaves_no_order() -> None:
    problem = Problem(4, 40, 41, ReasonCode.MALFORMED, "broken", file_path="a.py")
    assert plan(section(B, MIDDLE, C), BXCX, problems=[problem])[0] == [
        "exact", "ambiguous", "earlier-failure", "malformed"
    ]  # fmt: skip
    elsewhere = problem._replace(file_path="b.py")
    assert plan(section(B, MIDDLE, C), BXCX, problems=[elsewhere])[1] == PLACED


def equal(old: str, new: str, count: int) -> list[EditBlock]:
    """The same block again and again."""
    one = hunk("", form="diff")._replace(action="", old_lines=old, new_lines=new)
    return [one._replace(number=number) for number in range(1, count + 1)]


# the file, the blocks, the rows, the file after them
EQUAL: dict[str, tuple[str, list[EditBlock], list[str], str]] = {
    "two": ("x\na\nx\n", equal("x\n", "y\n", 2), ["exact"] * 2, "y\na\ny\n"),
    "three in a row": ("x\nx\nx\n", equal("x\n", "y\n", 3), ["exact"] * 3, "y\ny\ny\n"),
    "an insertion": ("x\na\nx\n", equal("x\n", "x\ny\n", 2), ["exact"] * 2, "x\ny\na\nx\ny\n"),
    "a deletion": ("x\na\nx\nb\n", equal("x\n", "", 2), ["exact"] * 2, "a\nb\n"),
    "new lines that hold the old one": ("x\nx\n", equal("x\n", "y\nx\n", 2), ["exact"] * 2, "y\nx\ny\nx\n"),
    "another block between": (
        "x\na\nx\n",
        [equal("x\n", "y\n", 1)[0], equal("a\n", "b\n", 2)[1], equal("x\n", "y\n", 3)[2]],
        ["exact"] * 3,
        "y\nb\ny\n",
    ),
    "hunks": ("x\na\nx\n", section(MIDDLE, MIDDLE), ["exact"] * 2, "y\na\ny\n"),
    "hunks of two sections": (
        "x\na\nx\n",
        [hunk(MIDDLE, at, form="v4a")._replace(section=at) for at in (1, 2)],
        ["exact"] * 2,
        "y\na\ny\n",
    ),
    "in their scope": (
        "f:\n x\n x\ng:\n x\n",
        [scoped("- x\n+ y\n", "f:", number=number) for number in (1, 2)],
        ["exact"] * 2,
        "f:\n y\n y\ng:\n x\n",
    ),
}
UNEQUAL: dict[str, tuple[str, list[EditBlock], list[str]]] = {
    "more places": ("x\nx\nx\n", equal("x\n", "y\n", 2), ["ambiguous", "earlier-failure"]),
    "fewer places": ("x\nx\n", equal("x\n", "y\n", 3), ["ambiguous"] + ["earlier-failure"] * 2),
    "one place": ("x\n", equal("x\n", "y\n", 2), ["exact", "no-match"]),
    "other new lines": (
        "x\nx\n",
        [equal("x\n", "y\n", 1)[0], equal("x\n", "z\n", 2)[1]],
        ["ambiguous", "earlier-failure"],
    ),
    "places that overlap": ("x\nx\nx\n", equal("x\nx\n", "y\n", 2), ["ambiguous", "earlier-failure"]),
    "by tolerance": ("x \nx \n", equal("x\n", "y\n", 2), ["ambiguous", "earlier-failure"]),
    "one of the places is changed above": (
        "a\nx\na\nx\n",
        [hunk(" a\n-x\n+z\n a\n"), *(each._replace(number=each.number + 1) for each in equal("x\n", "y\n", 2))],
        ["exact", "exact", "no-match"],
    ),
    "a line of one of the places is changed": (
        "x\nz\na\nx\nz\n",
        [hunk(" x\n-z\n+q\n a\n"), *(each._replace(number=each.number + 1) for each in equal("x\nz\n", "y\n", 2))],
        ["exact", "exact", "no-match"],
    ),
    "their scope is renamed": (
        "f:\n x\n x\n",
        [hunk("-f:\n+g:\n"), *(scoped("- x\n+ y\n", "f:", number=number) for number in (2, 3))],
        ["exact", "no-match", "earlier-failure"],
    ),
}


@pytest.mark.parametrize(("file", "blocks", "rows", "result"), EQUAL.values(), ids=EQUAL)
def test_equal_blocks_take_a_place_each(file: str, blocks: list[EditBlock], rows: list[str], result: str) -> None:
    assert plan(blocks, file) == (rows, result)
    assert plan(blocks, result)[1] == result
    notes = [note.code for row in apply_edits(blocks, {"a.py": file.encode()}.get).results for note in row.notes]
    assert notes.count("one-for-each") >= 2


@pytest.mark.parametrize(("file", "blocks", "rows"), UNEQUAL.values(), ids=UNEQUAL)
def test_blocks_that_are_not_equal_to_the_places(file: str, blocks: list[EditBlock], rows: list[str]) -> None:
    assert plan(blocks, file)[0] == rows


def test_a_place_of_equal_blocks_is_sure_and_says_why() -> None:
    for row in apply_edits(equal("x\n", "y\n", 2), {"a.py": b"x\nx\n"}.get).results:
        assert row.confidence == "high"
        assert [(note.code, note.message) for note in row.notes] == [
            ("one-for-each", "there are as many equal blocks as places for them, so each was put at one of the places")
        ]


def test_equal_blocks_are_all_taken_or_none() -> None:
    blocks, file = equal("x\n", "y\n", 2), "x\na\nx\n"
    assert plan(blocks, file, "1") == (["ambiguous", "not-selected"], file)
    assert plan(blocks, file, "1@3,2") == (["exact", "exact"], "y\na\ny\n")
    assert plan(blocks, file, "all")[1] == "y\na\ny\n"


@pytest.mark.long
def test_five_hundred_equal_blocks_for_one_place_less() -> None:
    answer = "".join(written("x\n", "y\n") for _ in range(500))
    result = apply_response(answer, {"a.py": b"x\n" * 499}.get)
    assert verdicts(result) == ["a.py ambiguous"] + ["a.py earlier-failure"] * 499
    assert not result.contents


def test_hunks_beyond_every_limit_are_one_row() -> None:
    hunks = "".join(f"@@\n-a{at}\n+b{at}\n" for at in range(100_000, 0, -1))
    result = apply_response(f"*** Begin Patch\n*** Update File: a.py\n{hunks}*** End Patch\n", {"a.py": b"a1\n"}.get)
    assert verdicts(result) == ["- too-large"]


# the hunks and the file, by their number
MANY: dict[str, Callable[[int], tuple[list[EditBlock], str]]] = {
    "in the wrong order": lambda n: (
        section(*(f"-a{at}\n+b{at}\n" for at in range(n, 0, -1))),
        "".join(f"a{at}\n" for at in range(1, n + 1)),
    ),
    "in the wrong order, and two places for each": lambda n: (
        section(*(f"-a{at}\n+b{at}\n" for at in range(n, 0, -1))),
        "".join(f"a{at}\na{at}\n" for at in range(1, n + 1)),
    ),
    "placed by order, each of two places": lambda n: (
        section(*(f"{body}{at}\n+{at}\n" for at in range(n) for body in ("-a", "-x"))),
        "".join(f"x{at}\n" for at in range(n)) + "".join(f"a{at}\nx{at}\n" for at in range(n)),
    ),
    "one equal block too many": lambda n: (equal("x\n", "y\n", 50 + n), "x\n" * (49 + n)),
    "equal blocks": lambda n: (equal("x\n", "y\n", 50 + n), "x\n" * (50 + n)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MANY)
def test_hunks_take_calls_in_proportion(name: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        blocks, file = MANY[name](size)
        return lambda: plan(blocks, file)

    assert growth(work, 64) <= FLAT
