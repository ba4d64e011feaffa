"""Where a tool call changes its file: exact places and exact words, as `place_block` of other blocks is asked."""

from typing import NamedTuple

import pytest
from support.call_blocks import JSON, RUN, TAGS, insert, plan, replace

from editblocks import EditBlock
from editblocks.applying.hunks import FileHunks, PlacementOptions
from editblocks.applying.mismatches import MOST_NAMED
from editblocks.applying.tool_calls import (
    MIXED_ENDS,
    ONE_FOR_EACH,
    AppliedState,
    has_old_text,
    only_part,
    place_insertion,
    place_part,
    revert_call,
)
from editblocks.core.blocks import Note, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.selection import Selection
from editblocks.matching.ladder import EXACT, MOST_KEPT, STRATEGIES, Budget, Placement
from editblocks.matching.narrowing import Match
from editblocks.text.source_text import SourceText

EVERY = JSON._replace(is_every=True)
TWO = JSON._replace(place_count=2)
BREAK = Note(
    "line-break-added",
    "the new text ends with a line break and the old one does not, so this adds a blank line",
)
DECODED = Note("entities-decoded", "HTML entities in its texts were read as the characters that they mean")


def options(**about: object) -> PlacementOptions:
    return PlacementOptions(Budget())._replace(**about)  # type: ignore[arg-type]


class Found(NamedTuple):
    """What becomes of a pair: the file, and the notes and the confidence of the placement."""

    after: str
    notes: tuple[Note, ...] = ()


def found(block: EditBlock, text: str, asked: PlacementOptions) -> Found | Mismatch | None:
    source = SourceText.of(text)
    assert block.call is not None
    outcome = place_part(block, block.call, source, asked)
    if not isinstance(outcome, Placement):
        return outcome
    assert (outcome.strategy, outcome.confidence) == ("exact", "high")
    assert outcome.chosen is (asked.chosen_line is not None)
    source.splice(*outcome.change)
    return Found(source.encode().decode(), outcome.notes)


# a pair, the text of the file, and what becomes of it
PLACED: dict[str, tuple[EditBlock, str, Found | None]] = {
    "one place": (replace("b", "c"), "a b\n", Found("a c\n")),
    "nowhere": (replace("x", "c"), "a b\n", None),
    "every place": (replace("b", "c", EVERY), "b b\n", Found("c c\n")),
    "a line break more": (replace("b", "c\n"), "a\nb\nd\n", Found("a\nc\n\nd\n", (BREAK,))),
    "a line break more, in a line": (replace("b", "c\n"), "b d\n", Found("c\n d\n")),
    "a line break in both": (replace("b\n", "c\n"), "a\nb\nd\n", Found("a\nc\nd\n")),
    "a line break in both, above a blank line": (replace("b\n", "c\n"), "a\nb\n\nd\n", Found("a\nc\n\nd\n")),
    "a line break less, at the end": (replace("b\n", "c"), "a\nb\n", Found("a\nc\n")),
    "a line break more, where the file has none": (replace("b\n", "c\n"), "a\nb", Found("a\nc")),
    "lines that go, at the end": (replace("b\n", ""), "a\nb\n", Found("a\n")),
    "a line that goes": (replace("b", ""), "a\nb\nc\n", Found("a\nc\n")),
    "line ends of two kinds": (replace("b", "c"), "a\r\nb\n", Found("a\r\nc\n", (MIXED_ENDS,))),
    "entities": (replace("a &lt; b", "a &gt; b", TAGS), "a < b\n", Found("a > b\n", (DECODED,))),
    "entities in JSON": (replace("a &lt; b", "a &gt; b"), "a < b\n", None),
    "entities and a sign": (replace("a &lt; b <", "a &gt; b", TAGS), "a < b <\n", None),
    "entities and a letter": (replace("X &lt; b", "X &gt; b", TAGS), "X < b\n", Found("X > b\n", (DECODED,))),
    "entities at two places": (replace("a &lt; b", "c", TAGS), "a < b\na < b\n", None),
    "entities as they are written": (replace("a &lt; b", "c", TAGS), "a &lt; b\n", Found("c\n")),
    "entities in lines with another indentation": (
        replace("x &lt; 1\ny", "x &lt; 2\ny", TAGS),
        "  x &lt; 1\n  y\nx < 1\ny\n",
        None,
    ),
    "entities in lines with less indentation than a new one can lose": (
        replace("  x &lt; 1\n  y", "x &lt; 2\n  y", TAGS),
        "x &lt; 1\ny\n  x < 1\n  y\n",
        Found("x &lt; 1\ny\nx < 2\n  y\n", (DECODED,)),
    ),
    "entities in lines with other blanks": (replace("a &lt; b ", "c", TAGS), "a &lt; b\na < b \n", None),
}


@pytest.mark.parametrize(("block", "text", "what"), PLACED.values(), ids=PLACED)
def test_where_a_pair_goes(block: EditBlock, text: str, what: Found | None) -> None:
    assert found(block, text, options()) == what


def test_entities_are_read_where_no_level_that_is_asked_for_fits() -> None:
    block, text = replace("a &lt; b ", "c", TAGS), "a &lt; b\na < b \n"
    assert found(block, text, options(strategies=EXACT)) == Found("a &lt; b\nc\n", (DECODED,))
    assert found(block, text, options(strategies=STRATEGIES)) is None


# a pair, the text, and why it has no place
REFUSED: dict[str, tuple[EditBlock, str, Mismatch]] = {
    "equal texts": (replace("a\r\nb", "a\nb"), "a\n", Mismatch(ReasonCode.NO_OP, "old and new text are equal")),
    "it is done": (
        replace("b", "b c"),
        "x\nb c\n",
        Mismatch(ReasonCode.ALREADY_APPLIED, "the new text is already at a.py:2", found_at=1),
    ),
    "it is done at the end of the file": (
        replace("b\n", "a\nb\n"),
        "x\na\nb\n",
        Mismatch(ReasonCode.ALREADY_APPLIED, "the new text is already at a.py:2", found_at=1),
    ),
    "it is done at the end of the file, with a line break": (
        replace("b\n", "a\nb"),
        "x\na\nb\n",
        Mismatch(ReasonCode.ALREADY_APPLIED, "the new text is already at a.py:2", found_at=1),
    ),
    "lines that would run together": (
        replace("b\n", "c"),
        "a\nb\nd\n",
        Mismatch(
            ReasonCode.MALFORMED, "lines 2 and 3 would run together", "end both texts with a line break, or neither"
        ),
    ),
}


@pytest.mark.parametrize(("block", "text", "what"), REFUSED.values(), ids=REFUSED)
def test_why_a_pair_has_no_place(block: EditBlock, text: str, what: Mismatch) -> None:
    assert found(block, text, options()) == what


MANY = MOST_KEPT + 3


class Ambiguous(NamedTuple):
    """A pair, the text, what is said, how many places there are, and the lines that are shown, with how to choose."""

    block: EditBlock
    text: str
    said: tuple[str, str]
    total: int
    picks: list[tuple[int, str | None]]


NO_WORDS = ("", "")
ALL_KEPT: list[tuple[int, str | None]] = [(line, f"1@{line}") for line in range(1, MOST_KEPT + 1)]
COUNT = "count them again, or write a call for each place"
AMBIGUOUS = {
    "two lines": Ambiguous(replace("b", "c"), "b\nb\n", NO_WORDS, 2, [(1, "1@1"), (2, "1@2")]),
    "two in one line, and another": Ambiguous(
        replace("b", "c"),
        "b b\nx\nb\n",
        ("the old text occurs 3 times in a.py, first in lines 1 and 3", "add text before or after it"),
        3,
        [(1, None), (3, "1@3")],
    ),
    "some are done": Ambiguous(
        replace("b", "b c", EVERY),
        "b c\nb\n",
        ("1 of 2 places already have the new text", "write a call for each place that is left"),
        2,
        [(1, None), (2, None)],
    ),
    "more than were asked for": Ambiguous(
        replace("b", "c", TWO),
        "b\nb\nb\n",
        ("the call asks for 2 places, and the file has 3", COUNT),
        3,
        [(1, None), (2, None), (3, None)],
    ),
    "none was asked for": Ambiguous(
        replace("b", "c", JSON._replace(place_count=0)),
        "b\nb\n",
        ("the call asks for 0 places, and the file has 2", COUNT),
        2,
        [(1, None), (2, None)],
    ),
    "as many as are kept": Ambiguous(replace("b", "c"), "b\n" * MOST_KEPT, NO_WORDS, MOST_KEPT, ALL_KEPT),
    "more than are kept": Ambiguous(replace("b", "c"), "b\n" * MANY, NO_WORDS, MANY, ALL_KEPT),
    "more than are kept, of all": Ambiguous(
        replace("b", "c", TWO),
        "b\n" * MANY,
        (f"the call asks for 2 places, and the file has {MANY}", COUNT),
        MANY,
        [(line, None) for line, _ in ALL_KEPT],
    ),
    "the last that is kept has another in its line": Ambiguous(
        replace("b", "c"),
        "b\n" * (MOST_KEPT - 1) + "b b\n",
        NO_WORDS,
        MOST_KEPT + 1,
        [*ALL_KEPT[:-1], (MOST_KEPT, None)],
    ),
}


@pytest.mark.parametrize("case", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_a_pair_with_several_places(case: Ambiguous) -> None:
    what = found(case.block, case.text, options())
    assert isinstance(what, Mismatch)
    assert (what.code, what.level, what.candidates_total) == (ReasonCode.AMBIGUOUS, "exact", case.total)
    assert (what.what, what.advice) == case.said
    assert [(place.start_line, place.pick) for place in what.candidates] == case.picks


def test_each_text_has_its_own_number_of_places() -> None:
    source = SourceText.of("a\n" * MANY + "b\n" * (MANY + 1))
    for old, count in (("a", MANY), ("b", MANY + 1)):
        block = replace(old, "c")
        assert block.call is not None
        outcome = place_part(block, block.call, source, options())
        assert isinstance(outcome, Mismatch)
        assert outcome.candidates_total == count


def test_only_the_first_places_name_what_is_around_them() -> None:
    what = found(replace("b", "c"), "def f():\n" + "    b\n" * 30, options())
    assert isinstance(what, Mismatch)
    assert [place.within for place in what.candidates] == ["f"] * MOST_NAMED + [""] * (30 - MOST_NAMED)


# the line that a person chose, the text, and what becomes of a pair
CHOSEN: dict[str, tuple[int, str, Found | Mismatch]] = {
    "one of two": (2, "b\nb\n", Found("b\nc\n")),
    "it is done": (2, "b\nc\n", Mismatch(ReasonCode.NO_MATCH)),
    "not one of two": (3, "b\nb\nx\n", Mismatch(ReasonCode.AMBIGUOUS)),
    "two in that line": (1, "b b\n", Mismatch(ReasonCode.AMBIGUOUS)),
}


@pytest.mark.parametrize(("line", "text", "what"), CHOSEN.values(), ids=CHOSEN)
def test_a_chosen_line(line: int, text: str, what: Found | Mismatch) -> None:
    outcome = found(replace("b", "c"), text, options(chosen_line=line))
    if isinstance(what, Found):
        assert outcome == what
    else:
        assert isinstance(outcome, Mismatch)
        assert (outcome.code, outcome.chosen_line) == (what.code, line)
        assert outcome.candidates_total == text.count("b")


def test_equal_pairs_take_a_place_each() -> None:
    blocks = [replace("b", "c"), replace("b", "c")._replace(number=2)]
    text = "b b\n"
    hunks = FileHunks(blocks, lambda: SourceText.of(text), Selection(ready=True), is_whole=True)
    assert found(blocks[0], text, options(hunks=hunks)) == Found("c b\n", (ONE_FOR_EACH,))
    assert found(blocks[1], "c b\n", options(hunks=hunks)) == Found("c c\n")
    touching = "bb\n"
    assert found(blocks[0], touching, options(hunks=hunks)) == Found("cb\n", (ONE_FOR_EACH,))


@pytest.mark.parametrize(
    ("text", "match"),
    [("b", Match(1, 2)), ("b\nc", Match(1, 3)), ("c\n", Match(2, 3)), ("a", None), ("x", None)],
)
def test_the_lines_of_the_only_part(text: str, match: Match | None) -> None:
    assert only_part(text, SourceText.of("a\nb\nc\na\na\n")) == match


# old and new text of a call that was run, the file, whether it is put back, and the file then
BACK: dict[str, tuple[str, str, str, AppliedState, str]] = {
    "once": ("a", "b", "b\n", AppliedState.YES, "a\n"),
    "twice": ("a", "b", "b b\n", AppliedState.MAYBE, "b b\n"),
    "nowhere": ("a", "b", "c\n", AppliedState.NO, "c\n"),
    "a text that goes": ("a", "", "c\n", AppliedState.MAYBE, "c\n"),
    "beside the old text": ("a", "b", "b a\n", AppliedState.YES, "a a\n"),
    "the old text holds a part of it": ("b c", "a b", "a b c\n", AppliedState.YES, "b c c\n"),
}


@pytest.mark.parametrize(("old", "new", "text", "done", "after"), BACK.values(), ids=BACK)
def test_putting_old_text_back(old: str, new: str, text: str, done: AppliedState, after: str) -> None:
    source = SourceText.of(text)
    assert revert_call(RUN._replace(old=old, new=new), source) is done
    assert source.encode().decode() == after


# old and new text of a call that was run, the file, and whether old text is there that the new one does not make
APART: dict[str, tuple[str, str, str, bool]] = {
    "it is nowhere": ("a", "b", "b\n", False),
    "the new text is nowhere": ("a", "b", "a\n", True),
    "a text that goes": ("a", "", "a\n", True),
    "both are there": ("a", "b", "b a\n", True),
    "it holds a part of the new one": ("b c", "a b", "a b c\n", False),
    "it ends in the new one": ("a b", "b c", "a b c\n", False),
    "it ends in the new one, and is there again": ("a b", "b c", "a b c a b\n", True),
    "it begins where the new one ends": ("c", "b", "bc\n", True),
    "it ends where the new one begins": ("a", "b", "ab\n", True),
    "it ends with the new one": ("a b", "b", "a b\n", True),
    "it holds the new one": ("a b c", "b", "a b c\n", True),
    "it holds the new one and a line more": ("b\nb\n", "b\n", "b\nb\n", False),
    "it holds the new one and a line more, further below": ("b\nb\n", "b\n", "x\ny\nb\nb\n", False),
    "it ends with the new one, further below": ("a b", "b", "x\na b\n", True),
    "it begins in the third new one": ("b c", "a b", "a b, a b, a b c\n", True),
    "it is in the new one": ("b", "a b c", "a b c\n", False),
}


@pytest.mark.parametrize(("old", "new", "text", "is_apart"), APART.values(), ids=APART)
def test_old_text_that_stands_apart(old: str, new: str, text: str, is_apart: bool) -> None:
    assert has_old_text(RUN._replace(old=old, new=new), SourceText.of(text)) is is_apart


VIEW = JSON._replace(view=("a", "b"))
LAST = JSON._replace(view=("b",))
KNOWN = "line 2, which was shown as the last one, is not the last line of a.py"
AGAIN = "count the lines again, or ask for str_replace"
# lines to insert, the text, what else is known, and the outcome
INSERTED: dict[str, tuple[EditBlock, str, dict[str, object], Placement | Mismatch]] = {
    "no line": (insert(0, ""), "a\n", {}, Mismatch(ReasonCode.NO_OP, "there is no line to insert")),
    "at the top": (insert(0, "x\n"), "a\n", {}, Placement("exact", "high", 0, 0, ("x",))),
    "at the end": (insert(-1, "x\n"), "a\n", {}, Placement("exact", "high", 1, 1, ("x",))),
    "at the end, where it is": (
        insert(-1, "x\ny\n"),
        "a\nx\ny\n",
        {},
        Mismatch(ReasonCode.ALREADY_APPLIED, "the new lines are already at a.py:2", found_at=1),
    ),
    "between two lines": (insert(2, "x\n", VIEW), "z\na\nb\n", {}, Placement("exact", "high", 2, 2, ("x",))),
    "between two lines, where it is": (
        insert(2, "x\n", VIEW),
        "z\na\nx\nb\n",
        {},
        Mismatch(ReasonCode.ALREADY_APPLIED, "the new lines are already at a.py:3", found_at=2),
    ),
    "between two lines that are apart": (
        insert(2, "x\n", VIEW),
        "a\nz\nb\n",
        {},
        Mismatch(
            ReasonCode.NO_MATCH,
            "the lines that were shown around the place are not together in a.py",
            "ask for str_replace",
        ),
    ),
    "between chosen lines": (
        insert(2, "x\n", VIEW),
        "a\nb\na\nb\n",
        {"chosen_line": 3},
        Placement("exact", "high", 3, 3, ("x",), chosen=True),
    ),
    "after the last line": (insert(2, "x\n", LAST), "a\nb\n", {}, Placement("exact", "high", 2, 2, ("x",))),
    "after the last line, where it is": (
        insert(2, "x\n", LAST),
        "a\nb\nx\n",
        {},
        Mismatch(ReasonCode.ALREADY_APPLIED, "the new lines are already at a.py:3", found_at=2),
    ),
    "after another line": (
        insert(2, "x\n", LAST),
        "a\nb\nc\n",
        {},
        Mismatch(ReasonCode.NO_MATCH, KNOWN, "ask for str_replace"),
    ),
    "in a base that is as the file": (
        insert(1, "x\n"),
        "a\nb\n",
        {"commit": "1" * 40, "base": lambda: SourceText.of("a\nb\n")},
        Placement(
            "three-way",
            "medium",
            1,
            1,
            ("x",),
            notes=(Note("merged", "merged with what changed since 1111111, the base of this answer"),),
        ),
    ),
    "beyond the base": (
        insert(3, "x\n"),
        "a\nb\n",
        {"commit": "12345678" * 5, "base": lambda: SourceText.of("a\n")},
        Mismatch(ReasonCode.NO_MATCH, "a.py has no line 3 in 1234567, the base of this answer", AGAIN),
    ),
    "with no budget left": (
        insert(1, "x\n"),
        "a\nc\n",
        {"budget": Budget(merged_lines=0), "base": lambda: SourceText.of("a\nb\n")},
        Mismatch(ReasonCode.TOO_LARGE, "the answer needs too much merging with its base", "split it"),
    ),
}


@pytest.mark.parametrize(("block", "text", "known", "what"), INSERTED.values(), ids=INSERTED)
def test_where_lines_go(block: EditBlock, text: str, known: dict[str, object], what: Placement | Mismatch) -> None:
    assert block.call is not None
    assert place_insertion(block, block.call, SourceText.of(text), options(**known)) == what


def test_lines_go_above_a_line_that_a_block_has_changed() -> None:
    base = SourceText.of("a\nb\nc\n")
    base.splice(1, 2, ("B",))
    block = insert(1, "x\n")
    assert block.call is not None
    placed = place_insertion(block, block.call, SourceText.of("a\nB\nc\n"), options(base=lambda: base))
    assert isinstance(placed, Placement)
    assert (placed.start, placed.stop, placed.new) == (1, 1, ("x",))


def test_lines_that_an_earlier_block_has_put_there() -> None:
    rows = plan([insert(-1, "y\n"), insert(-1, "x\ny\n")], {"a.py": b"a\nx\n"}).results
    said = "the new lines are already at line 2 of a.py after block 1; nothing to do"
    assert [row.reason for row in rows] == [None, said]


def test_lines_between_lines_that_are_there_twice() -> None:
    call: ToolCall = VIEW._replace(line=1)
    what = place_insertion(insert(1, "x\n", call), call, SourceText.of("a\nb\nz\na\nb\n"), options())
    assert isinstance(what, Mismatch)
    assert (what.code, what.level, what.candidates_total) == (ReasonCode.AMBIGUOUS, "exact", 2)
    assert [(place.start_line, place.end_line, place.pick) for place in what.candidates] == [
        (1, 2, "1@1"),
        (4, 5, "1@4"),
    ]
