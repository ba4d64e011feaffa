"""A block is applied to an earlier version of its file, and merged (docs/reference/rules.md, "three-way")."""

import pytest

from editblocks.applying.merging import may_merge, merged_with_base
from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.matching.ladder import Budget, Placement
from editblocks.text.source_text import SourceText

BLOCK = EditBlock(1, "a.py", "search-replace", 1, 9)
COMMIT = "0123456789abcdef"
KNOWN = Note("known", "a note of the place")


def text(lines: str) -> SourceText:
    return SourceText.of("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(("limit", "left"), [(5, 0), (6, 1), (4, None)])
def test_no_more_lines_are_merged_than_the_budget_allows(limit: int, left: int | None) -> None:
    budget = Budget(merged_lines=limit)
    assert may_merge(text("abc"), text("ab"), budget) is (left is not None)
    assert budget.merged_lines == (limit if left is None else left)


# the base, the file, the change of the base, the place and its new lines; one letter is a line
MERGED: dict[str, tuple[str, str, tuple[int, int, tuple[str | int, ...]], tuple[int, int, tuple[str | int, ...]]]] = {
    "a line": ("abc", "xabc", (1, 2, ("B",)), (2, 3, ("B",))),
    "the first line": ("abc", "abcx", (0, 1, ("A",)), (0, 1, ("A",))),
    "the last line": ("abc", "xabc", (2, 3, ("C",)), (3, 4, ("C",))),
    "a line more at the end": ("abc", "xabc", (3, 3, ("d",)), (4, 4, ("d",))),
    "a line more at the start": ("abc", "abcx", (0, 0, ("d",)), (0, 0, ("d",))),
    "a line less": ("abc", "xabc", (1, 2, ()), (2, 3, ())),
    "the last line less": ("abc", "xabc", (2, 3, ()), (3, 4, ())),
    "two lines, one between": ("abcde", "xabcde", (1, 4, ("B", 2, "D")), (2, 5, ("B", 3, "D"))),
    "all lines": ("abc", "abc", (0, 3, ()), (0, 3, ())),
}


@pytest.mark.parametrize(("base", "file", "change", "expected"), MERGED.values(), ids=MERGED)
def test_the_smallest_place_is_changed(
    base: str,
    file: str,
    change: tuple[int, int, tuple[str | int, ...]],
    expected: tuple[int, int, tuple[str | int, ...]],
) -> None:
    placement = Placement("exact", "high", *change, (KNOWN,))
    merged = merged_with_base(BLOCK, text(file), text(base), placement, COMMIT)
    note = Note("merged", "merged with what changed since 0123456, the base of this answer")
    assert merged == Placement("three-way", "medium", *expected, (KNOWN, note))


def test_a_change_that_was_made_since() -> None:
    placement = Placement("exact", "high", 1, 2, ("B",))
    merged = merged_with_base(BLOCK, text("aBc"), text("abc"), placement, COMMIT)
    what = "a.py already has this change, made after 0123456, the base of this answer"
    assert merged == Mismatch(ReasonCode.ALREADY_APPLIED, what)


def test_a_conflict_names_the_commit_and_the_line() -> None:
    placement = Placement("exact", "high", 1, 2, ("B",))
    merged = merged_with_base(BLOCK, text("aXc"), text("abc"), placement, COMMIT)
    assert isinstance(merged, Mismatch)
    assert (merged.code, merged.base) == (ReasonCode.STALE, COMMIT)
    assert [(place.start_line, place.end_line) for place in merged.candidates] == [(2, 2)]
