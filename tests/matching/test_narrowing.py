"""What a hunk says of its place besides its lines: docs/reference/rules.md, "where a hunk fits"."""

import pytest

from editblocks.core.blocks import EditBlock
from editblocks.matching.narrowing import EVERYWHERE, LineNumbers, Match, Narrowing, ends_with
from editblocks.text.source_text import SourceText

FILE = "def f():\n  a\n  b\ndef g():\n  a\n"
PLAIN = EditBlock(1, "a.py", "v4a", 1, 5, old_lines="  a\n", new_lines="  c\n")


def fitting(narrowing: Narrowing, places: range, search: list[str], new: list[str]) -> list[int]:
    size = len(search)
    return [start for start in places if narrowing.allows(Match(start, start + size), search, new)]


def test_a_block_that_only_has_lines_may_be_everywhere() -> None:
    assert Narrowing.of(PLAIN, SourceText.of(FILE)) is EVERYWHERE
    assert EVERYWHERE.checks(["a"], ["b"]) == []


@pytest.mark.parametrize(
    "block", [PLAIN._replace(at_end=True), PLAIN._replace(ends=("no", "")), PLAIN._replace(ends=("", "no"))]
)
def test_a_block_at_the_end_of_its_file(block: EditBlock) -> None:
    source = SourceText.of(FILE)
    narrowing = Narrowing.of(block, source)
    assert narrowing == Narrowing(source.lines, None, True, b"")
    assert fitting(narrowing, range(5), ["  a"], ["  c"]) == [4]
    assert [name for name, _ in narrowing.checks(["  a"], ["  c"])] == ["end"]


def test_a_block_with_a_scope() -> None:
    source = SourceText.of(FILE)
    narrowing = Narrowing.of(PLAIN._replace(scopes=("def g():",)), source)
    assert (narrowing.lines, narrowing.ends_file, narrowing.added) == (source.lines, False, b"")
    assert [name for name, _ in narrowing.checks([], [])] == ["scope"]
    assert fitting(narrowing, range(5), ["  a"], ["  c"]) == [3, 4]
    result = narrowing._replace(added=b"\1").of_result()
    assert (result.scopes, result.added) == (narrowing.scopes, b"")


def test_a_block_with_a_scope_that_is_missing() -> None:
    narrowing = Narrowing.of(PLAIN._replace(scopes=("def h():",)), SourceText.of(FILE))
    assert [name for name, _ in narrowing.checks([], [])] == ["no-scope"]
    assert fitting(narrowing, range(5), ["  a"], ["  c"]) == []
    assert narrowing.of_result().scopes is None
    assert fitting(narrowing.of_result(), range(5), ["  a"], ["  c"]) == [0, 1, 2, 3, 4]


def test_a_scope_that_the_block_removes_is_not_asked_for() -> None:
    block = PLAIN._replace(scopes=("def f():", "a"))
    narrowing = Narrowing.of(block, SourceText.of(FILE))
    assert fitting(narrowing, range(5), ["  a"], ["  c"]) == [0, 1, 2]
    kept = Narrowing.of(block._replace(new_lines="  a\n  c\n"), SourceText.of(FILE))
    assert fitting(kept, range(5), ["  a"], ["  c"]) == [1, 2]


@pytest.mark.parametrize("scope", ["X", "\fa"])
def test_a_removed_scope_is_compared_without_blanks_only(scope: str) -> None:
    block = PLAIN._replace(scopes=(scope,), old_lines=f"\t{scope} \n", new_lines="y\n", section=1)
    assert Narrowing.of(block, SourceText.of(FILE)).scopes is None


def test_lines_that_an_earlier_hunk_added_are_not_meant() -> None:
    source = SourceText.of(FILE)
    source.begin(7)
    source.added[1] = 1
    narrowing = Narrowing.of(PLAIN._replace(section=7), source)
    assert [name for name, _ in narrowing.checks([], [])] == ["own"]
    assert fitting(narrowing, range(5), ["  a"], ["  c"]) == [0, 2, 3, 4]
    assert fitting(narrowing, range(4), ["  a", "  b"], ["  c"]) == [2, 3]
    other = Narrowing.of(PLAIN._replace(section=8), source)
    assert (other.added, other.checks([], [])) == (b"", [])


# of a file that ends with what was inserted before: where the old lines may begin
ENDS: dict[str, tuple[list[str], list[str], list[str], list[int]]] = {
    "not inserted yet": (["a", "x", "a"], ["a"], ["a", "b"], [2]),
    "inserted before": (["a", "x", "a", "b"], ["a"], ["a", "b"], [2, 3]),
    "inserted, with blanks": (["a", "x", "a", "b "], ["a"], ["a", "b"], [2, 3]),
    "as many new lines as old ones": (["x", "a", "b"], ["a", "c"], ["a", "b"], [1]),
    "the old lines end it as well": (["a", "a", "a"], ["a"], ["a", "a"], [2]),
}


@pytest.mark.parametrize(("lines", "search", "new", "starts"), ENDS.values(), ids=ENDS)
def test_an_insertion_at_the_end(lines: list[str], search: list[str], new: list[str], starts: list[int]) -> None:
    narrowing = Narrowing(lines, ends_file=True)
    assert fitting(narrowing, range(len(lines)), search, new) == starts


@pytest.mark.parametrize(
    ("last", "is_so"),
    [([], True), (["b"], True), (["b "], True), ([" b"], False), (["a", "b"], True), (["z", "a", "b"], False)],
)
def test_what_a_text_ends_with(last: list[str], is_so: bool) -> None:
    assert ends_with(["a", "b\t"], last) is is_so


def test_old_lines_stand_at_their_own_line() -> None:
    source = SourceText.of(FILE)
    numbers = LineNumbers(2, 2, lambda: True, lambda: True)
    assert numbers.place(["  a"], source) == Match(1, 2)
    assert numbers.place(["  a", "  b"], source) == Match(1, 3)
    assert numbers.place(["  b"], source) is None
    assert numbers.place([], source) is None
    assert numbers._replace(before=0).place(["  a"], source) is None
    assert numbers._replace(before=99).place(["  a"], source) is None


def test_old_lines_that_a_block_changed_stand_nowhere() -> None:
    source = SourceText.of(FILE)
    source.splice(2, 3, ("  x",))
    source.splice(2, 3, ("  b",))
    source.applied.append(1)
    numbers = LineNumbers(2, 2, lambda: True, lambda: True)
    assert numbers.place(["  a"], source) == Match(1, 2)
    assert numbers.place(["  a", "  b"], source) is None


def test_new_lines_stand_at_their_own_line_beside_a_place() -> None:
    source = SourceText.of(FILE)
    numbers = LineNumbers(2, 5, lambda: True, lambda: True)
    assert numbers.result_beside(Match(1, 2), ["  a"], source) == Match(4, 5)
    assert numbers.result_beside(Match(1, 2), ["  b"], source) is None
    assert numbers.result_beside(Match(4, 5), ["  a"], source) is None
    assert numbers._replace(after=4).result_beside(Match(4, 5), ["def g():", "  a"], source) is None
    assert numbers._replace(after=4).result_beside(Match(3, 4), ["def g():", "  a"], source) is None
    assert numbers._replace(after=2).result_beside(Match(1, 3), ["  a"], source) is None
    some = numbers._replace(after=2, others_are_in_place=lambda: False)
    assert some.result_beside(Match(1, 3), ["  a"], source) == Match(1, 2)
    assert some.result_beside(Match(1, 2), ["  a", "  b"], source) is None


def test_new_lines_that_are_not_at_their_line_are_denied() -> None:
    source = SourceText.of(FILE)
    numbers = LineNumbers(2, 5, lambda: True, lambda: True)
    assert numbers.contradict(Match(1, 2), 1, source) is True
    assert numbers.contradict(Match(1, 2), 4, source) is False
    assert numbers.contradict(Match(2, 3), 1, source) is False
    assert numbers._replace(after=0).contradict(Match(1, 2), 1, source) is False
    assert numbers._replace(after=1).contradict(Match(1, 2), 1, source) is True
