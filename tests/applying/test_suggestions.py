"""A suggestion replaces the lines of its thread (docs/reference/formats/suggestion.md)."""

from typing import NamedTuple

import pytest

from editblocks.applying.files import FilePlan
from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.own_lines import place_suggestion
from editblocks.core.blocks import EditBlock, Note, ThreadLines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.settings import Settings
from editblocks.matching.ladder import Budget, Placement
from editblocks.text.source_text import SourceText

COMMIT = "0123456789abcdef"
AGAIN = "comment on the lines that are there now"
BASE = "a\nb\nc\n"
MERGED = (Note("merged", "merged with what changed since 0123456, the base of this answer"),)


class Case(NamedTuple):
    """The lines of a thread in BASE, the new lines, and the file as it is now."""

    first: int
    last: int
    new: str
    file: str | None = BASE
    chosen: int | None = None
    three_way: bool = True

    def placed(self) -> Placement | Mismatch:
        """What becomes of the suggestion."""
        thread = ThreadLines(self.first, self.last, COMMIT)
        block = EditBlock(1, "a.py", "suggestion", 1, 3, new_lines=self.new, action="edit", thread_lines=thread)
        plan = FilePlan("a.py", None if self.file is None else self.file.encode())
        options = PlacementOptions(Budget(), chosen_line=self.chosen)
        return place_suggestion(block, plan, SourceText.of(BASE), options, Settings(three_way=self.three_way))


def stale(what: str, advice: str = AGAIN) -> Mismatch:
    return Mismatch(ReasonCode.STALE, what, advice)


PLACES: dict[str, tuple[Case, Placement | Mismatch]] = {
    "one line": (Case(2, 2, "B\n"), Placement("thread-lines", "high", 1, 2, ("B",))),
    "all lines, of which one stays": (Case(1, 3, "A\nb\n"), Placement("thread-lines", "high", 0, 3, ("A", 1))),
    "no line of the old": (Case(2, 3, ""), Placement("thread-lines", "high", 1, 3, ())),
    "the same": (Case(2, 2, "b\n"), Mismatch(ReasonCode.NO_OP, "the old and new lines are the same")),
    "line 0": (Case(0, 2, "B\n"), stale("a.py has no line 2 in 0123456, which the comment was made on")),
    "past the end": (Case(2, 4, "B\n"), stale("a.py has no line 4 in 0123456, which the comment was made on")),
    "no file": (Case(2, 2, "B\n", None), Mismatch(ReasonCode.STALE, base=COMMIT)),
    "a line more above": (
        Case(2, 2, "B\n", f"x\n{BASE}"),
        Placement("three-way", "medium", 2, 3, ("B",), MERGED),
    ),
    "a line more above, without merging": (
        Case(2, 2, "B\n", f"x\n{BASE}", three_way=False),
        stale("a.py has changed since 0123456, which the comment was made on, and three-way merging is off"),
    ),
    "the same file, without merging": (
        Case(2, 2, "B\n", three_way=False),
        Placement("thread-lines", "high", 1, 2, ("B",)),
    ),
    "the line that a person chose": (
        Case(2, 2, "B\n", chosen=2),
        Placement("thread-lines", "high", 1, 2, ("B",), chosen=True),
    ),
}


@pytest.mark.parametrize(("case", "expected"), PLACES.values(), ids=PLACES)
def test_where_a_suggestion_is_placed(case: Case, expected: Placement | Mismatch) -> None:
    assert case.placed() == expected


def test_another_line_than_a_person_chose_is_refused() -> None:
    found = Case(2, 2, "B\n", chosen=3).placed()
    assert isinstance(found, Mismatch)
    assert (found.code, found.candidates_total, found.chosen_line) == (ReasonCode.NO_MATCH, 1, 3)
    assert [(place.start_line, place.lines) for place in found.candidates] == [(2, ("b",))]


# the lines that earlier blocks replaced, and what is said of line 2
TAKEN: dict[str, tuple[list[int], Placement | Mismatch]] = {
    "another line": ([1], Placement("thread-lines", "high", 1, 2, ("B",))),
    "the line": ([2], stale("block 1 also changes line 2", "choose one")),
    "the line, twice": ([2, 2], stale("blocks 1 and 2 also change line 2", "choose one")),
}


@pytest.mark.parametrize(("lines", "expected"), TAKEN.values(), ids=TAKEN)
def test_lines_that_an_earlier_block_changed(lines: list[int], expected: Placement | Mismatch) -> None:
    plan = FilePlan("a.py", BASE.encode())
    assert plan.text is not None
    for number, line in enumerate(lines, 1):
        plan.text.splice(line - 1, line, [f"changed by {number}"])
        plan.text.applied.append(number)
    block = EditBlock(9, "a.py", "suggestion", 1, 3, new_lines="B\n", thread_lines=ThreadLines(2, 2, COMMIT))
    options = PlacementOptions(Budget())
    assert place_suggestion(block, plan, SourceText.of(BASE), options, Settings()) == expected
