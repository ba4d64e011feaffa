"""Merging lines: docs/reference/rules.md, "three-way". What git merges otherwise is a bug here."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gitkit import ISOLATED

from editblocks.matching.align import MergeConflict, changes, merge


def text(merged: tuple[str | int, ...] | MergeConflict, ours: Sequence[str]) -> list[str]:
    assert not isinstance(merged, MergeConflict)
    return [ours[line] if isinstance(line, int) else line for line in merged]


# Lines of one letter. base, ours, theirs, merged
CLEAN = {
    "nothing changed": ("abc", "abc", "abc", "abc"),
    "all is empty": ("", "", "", ""),
    "only ours changed": ("abc", "aXc", "abc", "aXc"),
    "only theirs changed": ("abc", "abc", "aXc", "aXc"),
    "theirs empties the text": ("abc", "abc", "", ""),
    "ours empties the text": ("abc", "", "abc", ""),
    "theirs fills an empty text": ("", "", "ab", "ab"),
    "both change, a line between": ("abcde", "aXcde", "abcYe", "aXcYe"),
    "both the same": ("abc", "aXc", "aXc", "aXc"),
    "both the same lines inserted": ("ab", "aXYb", "aXYb", "aXYb"),
    "both delete the same": ("abc", "ac", "ac", "ac"),
    "the same, and more elsewhere": ("abcdefg", "XbcdefY", "XbcZefg", "XbcZefY"),
    "both at the same end": ("ab", "abX", "abX", "abX"),
    "one at each end": ("abc", "Xabc", "abcY", "XabcY"),
    "insertions a line apart": ("abc", "aXbc", "abYc", "aXbYc"),
    "deletions a line apart": ("abc", "bc", "ab", "b"),
    "ours moves what theirs leaves": ("abcdef", "cdefab", "abcdXf", "cdXfab"),
    "a blank line more, far from the change": ("a..b..c", "a...b..c", "a..b..X", "a...b..X"),
}
# base, ours, theirs, the lines of each that conflict
CONFLICTS = {
    "the same line": ("abc", "aXc", "aYc", (1, 2), (1, 2), (1, 2)),
    "lines that touch": ("abc", "Xbc", "aYc", (0, 2), (0, 2), (0, 2)),
    "inserted at the same place": ("ab", "aXb", "aYb", (1, 1), (1, 2), (1, 2)),
    "inserted above a changed line": ("abc", "aXbc", "aYc", (1, 2), (1, 3), (1, 2)),
    "inserted below a changed line": ("abc", "aXc", "abYc", (1, 2), (1, 2), (1, 3)),
    "deleted here, changed there": ("abc", "ac", "aXc", (1, 2), (1, 1), (1, 2)),
    "the same change and one more beside it": ("abcd", "aXcd", "aXYd", (1, 3), (1, 3), (1, 3)),
    "one change over two": ("abcdef", "aXcYef", "aZZZZf", (1, 5), (1, 5), (1, 5)),
    "below a longer text": ("abcde", "aXYbcdZ", "abcdW", (4, 5), (6, 7), (4, 5)),
    "two files filled": ("", "a", "b", (0, 0), (0, 1), (0, 1)),
}
# The same where git merges: it takes one of several ways to align lines, and any may be meant.
AMBIGUOUS = {
    "one of equal lines deleted, another changed": ("aaab", "aab", "Xaab", (0, 3), (0, 2), (0, 3)),
    "blocks change places": ("abcdefgh", "aefgbcdh", "abcdeXgh", (1, 7), (1, 7), (1, 7)),
    "an insertion at a blank line that the other inserts again": ("a.b.c", "a.b.X.c", "a.bZ.c", (3, 4), (3, 6), (3, 5)),
}


@pytest.mark.parametrize(("base", "ours", "theirs", "expected"), CLEAN.values(), ids=CLEAN)
def test_changes_apart_are_merged(base: str, ours: str, theirs: str, expected: str) -> None:
    assert "".join(text(merge(base, ours, theirs), ours)) == expected


@pytest.mark.parametrize(("base", "ours", "theirs", "expected"), CLEAN.values(), ids=CLEAN)
def test_the_sides_are_equal_in_rank(base: str, ours: str, theirs: str, expected: str) -> None:
    assert "".join(text(merge(base, theirs, ours), theirs)) == expected


@pytest.mark.parametrize(
    ("texts", "conflict"),
    [(row[:3], MergeConflict(*row[3:])) for row in (CONFLICTS | AMBIGUOUS).values()],
    ids=CONFLICTS | AMBIGUOUS,
)
def test_changes_that_touch_conflict(texts: tuple[str, str, str], conflict: MergeConflict) -> None:
    base, ours, theirs = texts
    assert merge(base, ours, theirs) == conflict
    assert merge(base, theirs, ours) == MergeConflict(conflict.base, conflict.theirs, conflict.ours)


def test_the_first_conflict_is_named() -> None:
    assert merge("abcde", "aXcYe", "aZcWe") == MergeConflict((1, 2), (1, 2), (1, 2))


def test_kept_lines_are_those_of_ours() -> None:
    """A line that theirs kept in the middle of its own change is the file's still, with its end."""
    assert merge("abcdef", "Xabcdef", "aYcZef") == (0, 1, "Y", 3, "Z", 5, 6)
    assert merge("a..b", "a..b", "a...b") == (0, 1, 2, ".", 3)


# A line is kept only if every shortest diff keeps it. old, new, changes
CHANGES = {
    "equal": ("abc", "abc", []),
    "one line": ("abc", "aXc", [(1, 2, 1, 2)]),
    "one of two equal lines": ("abbc", "abc", [(1, 3, 1, 2)]),
    "one of a run": ("abababc", "ababc", [(0, 6, 0, 4)]),
    "a function and its end": ("f}g}", "f}x}g}", [(1, 2, 1, 4)]),
    "places changed": ("abcd", "acbd", [(1, 3, 1, 3)]),
    "the longer of two blocks stays": ("abcxyd", "axybcqd", [(1, 5, 1, 6)]),
    "a line goes from below to above": ("aab", "baa", [(0, 0, 0, 1), (2, 3, 3, 3)]),
    "more of a line, above and below": ("ab", "aaba", [(0, 1, 0, 2), (2, 2, 3, 4)]),
    "a whole text of equal lines": ("aaaa", "aaa", [(0, 4, 0, 3)]),
    "far out, through many equal lines": ("x" + "ab" * 40 + "y", "x" + "ab" * 41 + "y", [(1, 81, 1, 83)]),
}


@pytest.mark.parametrize(("old", "new", "expected"), CHANGES.values(), ids=CHANGES)
def test_what_may_have_changed(old: str, new: str, expected: list[tuple[int, int, int, int]]) -> None:
    assert changes(old, new) == expected
    assert changes(new, old) == [(start, stop, *old_span) for *old_span, start, stop in expected]


MANY = 2_000
LINES = [f"line {number}" for number in range(MANY)]
SWAPPED = [LINES[number ^ 1] for number in range(MANY)]
OTHERS = [f"other {number}" for number in range(MANY)]


def edited(*numbers: int) -> list[str]:
    return [f"{line}, changed" if number in numbers else line for number, line in enumerate(LINES)]


# More pairs of lines than are compared. base, ours, theirs, merged or None for a conflict
LARGE = {
    "scattered changes": (LINES, edited(0, 500, 1999), edited(498, 502, 1997), edited(0, 498, 500, 502, 1997, 1999)),
    "changes that touch": (LINES, edited(0, 500, 1999), edited(3, 501, 1997), None),
    "theirs replaces all": (LINES, LINES, OTHERS, OTHERS),
    "both replace all": (LINES, OTHERS, OTHERS[::-1], None),
    "neighbours change places": (LINES, SWAPPED, LINES, SWAPPED),
    "equal lines, one less": (["x"] * MANY, ["x"] * (MANY - 1), ["x"] * MANY, ["x"] * (MANY - 1)),
    "equal lines, one less and one more": (["x"] * MANY, ["x"] * (MANY - 1), ["x"] * (MANY + 1), None),
    "no line is unique": (["a", "b"] * MANY, ["a", "b"] * MANY, ["b", "b", "a"] * MANY, ["b", "b", "a"] * MANY),
    "a large insertion": (["a", "b"], ["a", *OTHERS, "b"], ["a", "b", "c"], ["a", *OTHERS, "b", "c"]),
    "a large insertion that touches": (["a", "b"], ["a", *OTHERS, "b"], ["a", "c"], None),
    "next to lines that are all equal": (["x"] * MANY + LINES, ["x"] * (MANY - 1) + LINES[:1] + OTHERS, LINES, None),
    "lines that are unique once the others are gone": (
        [line for number in range(MANY) for line in (str(number), str(max(number - 1, 0)))],
        [line for number in range(MANY) for line in (str(number), str(max(number - 1, 0)))],
        ["x", *(line for number in range(MANY, 0, -1) for line in (str(number), str(number - 1)))],
        ["x", *(line for number in range(MANY, 0, -1) for line in (str(number), str(number - 1)))],
    ),
}


@pytest.mark.parametrize(("base", "ours", "theirs", "expected"), LARGE.values(), ids=LARGE)
def test_large_texts(base: list[str], ours: list[str], theirs: list[str], expected: list[str] | None) -> None:
    merged = merge(base, ours, theirs)
    assert (None if isinstance(merged, MergeConflict) else text(merged, ours)) == expected


def nested(lines: Sequence[str], levels: int) -> list[str]:
    """Lines of which one more is unique in each half of a half."""
    result = [*lines]
    for level in range(levels):
        result = [*result, f"level {level}", *result]
    return result


@pytest.mark.parametrize(("levels", "size"), [(7, [1] * 128), (8, [1] * 256), (9, [3] * 256)])
def test_a_large_text_is_split_eight_times(levels: int, size: list[int]) -> None:
    found = changes(nested("a", levels), nested("b", levels), most=0)
    assert [change.stop - change.start for change in found] == size


@pytest.mark.parametrize(("new", "kept"), [("ab", "ab"), ("cab", "ab"), ("bca", "bc"), ("bcade", "bcde")])
def test_most_of_the_unique_lines_that_are_in_order_stay(new: str, kept: str) -> None:
    """This is seen in the last split: after any other one, the next split finds the lines that did not stay."""
    old = f"|{'|'.join(sorted(new))}|"
    found = changes(nested(old, 7), nested(f".{'.'.join(new)}.", 7), most=0)
    gone = {line for change in found for line in range(change.start, change.stop)}
    assert "".join(line for index, line in enumerate(old) if index not in gone) == kept


def test_only_lines_that_both_texts_have_are_compared() -> None:
    assert changes("aaxy", "zaaw", most=4) == [(0, 0, 0, 1), (2, 4, 3, 4)]
    assert changes("aaxy", "zaaw", most=3) == [(0, 4, 0, 4)]


def test_of_a_large_text_equal_lines_at_the_ends_stay() -> None:
    assert changes("aabcc", "aadcc", most=0) == [(2, 3, 2, 3)]


@st.composite
def versions(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """A text and two edited versions of it, of few different lines, so that much is repeated."""
    lines = st.lists(st.sampled_from("abcdefgh"[: draw(st.integers(1, 8))]), max_size=14)
    base = draw(lines)
    sides = []
    for _ in range(2):
        side = list(base)
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(side)))
            side[start : start + draw(st.integers(0, 2))] = draw(lines)[:2]
        sides.append(side)
    return base, sides[0], sides[1]


@given(versions())
def test_nothing_is_lost(texts: tuple[list[str], list[str], list[str]]) -> None:
    base, ours, theirs = texts
    assert text(merge(base, base, theirs), base) == theirs
    assert merge(base, ours, base) == tuple(range(len(ours)))
    assert merge(base, ours, ours) == tuple(range(len(ours)))
    merged = merge(base, ours, theirs)
    if isinstance(merged, MergeConflict):
        assert isinstance(merge(base, theirs, ours), MergeConflict)
        return
    assert text(merged, ours) == text(merge(base, theirs, ours), theirs)
    kept = [line for line in merged if isinstance(line, int)]
    assert kept == sorted(set(kept))
    for change in changes(base, ours):  # what ours made of it stands
        assert set(range(change.new_start, change.new_stop)) <= set(kept)
    shown = text(merged, ours)
    for change in changes(base, theirs):
        new = theirs[change.new_start : change.new_stop]
        assert any(shown[start : start + len(new)] == new for start in range(len(shown) + 1))


@given(versions())
def test_changes_are_all_that_differs(texts: tuple[list[str], list[str], list[str]]) -> None:
    old, new, _ = texts
    rebuilt, copied = [], 0
    for change in changes(old, new):
        assert change.start > copied or change.start == 0
        rebuilt += [*old[copied : change.start], *new[change.new_start : change.new_stop]]
        copied = change.stop
    assert [*rebuilt, *old[copied:]] == new
    assert changes(new, old) == [
        (change.new_start, change.new_stop, change.start, change.stop) for change in changes(old, new)
    ]


def git_merge(folder: Path, base: Iterable[str], ours: Iterable[str], theirs: Iterable[str]) -> list[str] | None:
    """What `git merge-file` makes of it; None if it conflicts."""
    for name, lines in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_text("".join(line + "\n" for line in lines))
    command = ["git", "merge-file", "-p", "--diff3", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=folder, env=ISOLATED, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return None if done.returncode else done.stdout.split("\n")[:-1]


@settings(deadline=None)  # it starts a process
@given(texts=versions())
def test_what_is_merged_git_merges_alike(
    tmp_path_factory: pytest.TempPathFactory, texts: tuple[list[str], ...]
) -> None:
    """The other way round it need not be: git takes one of several ways to align equal lines."""
    base, ours, theirs = texts
    merged = merge(base, ours, theirs)
    if not isinstance(merged, MergeConflict):
        assert git_merge(tmp_path_factory.getbasetemp(), base, ours, theirs) == text(merged, ours)


@pytest.mark.parametrize(
    ("texts", "is_merged"),
    [*((row[:3], False) for row in CONFLICTS.values()), *((row[:3], True) for row in AMBIGUOUS.values())],
    ids=[*CONFLICTS, *AMBIGUOUS],
)
def test_git_conflicts_too_where_lines_align_in_one_way(
    tmp_path: Path, texts: tuple[str, str, str], is_merged: bool
) -> None:
    assert (git_merge(tmp_path, *texts) is not None) is is_merged
