"""Edits that name their own lines and columns: exact places and exact words."""

from typing import NamedTuple

import pytest

from editblocks.applying.files import FilePlan
from editblocks.applying.mismatches import PlaceResult
from editblocks.applying.own_lines import RangeVersion
from editblocks.core.blocks import EditBlock, RangeEdit, TextRange
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.matching.ladder import Placement
from editblocks.text.source_text import BOM, SourceText

COMMIT = "0123456789abcdef"
AGAIN = "run the tool again"
ITSELF = "apply it with the tool itself"


def edit(place: tuple[int, int, int, int], text: str) -> RangeEdit:
    return RangeEdit(TextRange(*place), text)


def lines(first: int, last: int, text: str) -> RangeEdit:
    return RangeEdit(TextRange(first, 1, last, 0), text, is_lines=True)


def shown(
    place: tuple[int, int, int, int], old: str, new: str, at: tuple[int, int, int, int] | None = None
) -> RangeEdit:
    """An edit with the text that the tool shows, there or around it."""
    return RangeEdit(TextRange(*place), new, shown_at=TextRange(*(at or place)), shown=old)


class Made(NamedTuple):
    """A version with its blocks, and the file after them."""

    outcomes: list[PlaceResult]
    after: str


def block_with(number: int, *edits: RangeEdit) -> EditBlock:
    return EditBlock(number, "a.py", "sarif", 1, 1, action="edit", range_edits=edits)


def made(text: str, *edits: RangeEdit, commit: str = COMMIT, now: str | None = None, chosen: int | None = None) -> Made:
    """What becomes of blocks with an edit each, in this order."""
    blocks = [block_with(number, each) for number, each in enumerate(edits, 1)]
    version = RangeVersion("a.py", SourceText.decode(text.encode()), commit, blocks, range(1, len(blocks) + 1))
    file = FilePlan("a.py", (text if now is None else now).encode())
    outcomes = []
    for block in blocks:
        outcome = version.place(block, file, chosen)
        outcomes.append(outcome)
        if isinstance(outcome, Placement):
            file.splice(*outcome.change)
            file.end_last_line(outcome.ends)
            file.applied.append(block.number)
    return Made(outcomes, (file.result() or b"").decode())


def at(start: int, stop: int, new: tuple[str | int, ...], ends: tuple[str, str] = ("", "")) -> Placement:
    return Placement("range", "high", start, stop, new, ends=ends)


# the text, an edit of it, the change of whole lines, and the file then
PLACED: dict[str, tuple[str, RangeEdit, Placement, str]] = {
    "below a blank line": ("\nb\n", edit((2, 1, 2, 2), "c"), at(1, 2, ("c",)), "\nc\n"),
    "a line break more at the end": ("a\nb", edit((2, 2, 2, 2), "\n"), at(1, 1, (), ("no", "")), "a\nb\n"),
    "a line break less at the end": ("a\nb\n", edit((2, 2, 3, 1), ""), at(1, 1, (), ("", "no")), "a\nb"),
    "a blank line and another at the end": (
        "a\n",
        edit((2, 1, 2, 1), "\nb"),
        at(1, 1, ("", "b"), ("", "no")),
        "a\n\nb",
    ),
    "a line that goes with its break": ("a\nb\n", edit((1, 1, 2, 1), ""), at(0, 1, ()), "b\n"),
    "two lines for one": ("a\nb\nc\n", edit((1, 1, 3, 1), "x\n"), at(0, 2, ("x",)), "x\nc\n"),
    "above many lines": ("a\nb\nc\nd\n", edit((1, 1, 1, 2), "x"), at(0, 1, ("x",)), "x\nb\nc\nd\n"),
    "one more line like the last": ("a\n", edit((2, 1, 2, 1), "a\n"), at(1, 1, ("a",)), "a\na\n"),
    "one line less like the last": ("a\na\n", edit((2, 1, 3, 1), ""), at(1, 2, ()), "a\n"),
    "the last line goes": ("a\nb\n", lines(2, 2, ""), at(1, 2, ()), "a\n"),
    "a line break for the only line": ("a", edit((1, 2, 1, 2), "\n"), at(0, 0, (), ("no", "")), "a\n"),
    "a whole line that goes": ("a\nb\nc\n", lines(2, 2, ""), at(1, 2, ()), "a\nc\n"),
    "the only line that goes": ("a", lines(1, 1, ""), at(0, 1, (), ("no", "")), ""),
    "before a line break that few tools count": (
        "a\u2028b\n",
        edit((1, 1, 1, 2), "x"),
        at(0, 1, ("x\u2028b",)),
        "x\u2028b\n",
    ),
    "lines below a byte order mark": (f"{BOM}a\nb\n", edit((1, 1, 2, 1), "x\n"), at(0, 1, ("x",)), f"{BOM}x\nb\n"),
}


@pytest.mark.parametrize(("text", "asked", "change", "after"), PLACED.values(), ids=PLACED)
def test_where_an_edit_goes(text: str, asked: RangeEdit, change: Placement, after: str) -> None:
    assert made(text, asked) == Made([change], after)


# the text, blocks with an edit each, and the file after them
IN_ORDER: dict[str, tuple[str, list[RangeEdit], str]] = {
    "put in, and then what follows it changes": ("a\n", [edit((1, 1, 1, 1), "x"), edit((1, 1, 1, 2), "y")], "xy\n"),
    "a change, and then text before it": ("a\n", [edit((1, 1, 1, 2), "yyy"), edit((1, 1, 1, 1), "x")], "xyyy\n"),
    "lines around one that is the same as new ones": (
        "a\nb\nc\n",
        [edit((1, 1, 1, 2), "b"), edit((3, 1, 3, 2), "b")],
        "b\nb\nb\n",
    ),
}


@pytest.mark.parametrize(("text", "edits", "after"), IN_ORDER.values(), ids=IN_ORDER)
def test_edits_one_after_the_other(text: str, edits: list[RangeEdit], after: str) -> None:
    found = made(text, *edits)
    assert all(isinstance(outcome, Placement) for outcome in found.outcomes)
    assert found.after == after


def refused(code: ReasonCode, what: str, advice: str = "") -> Mismatch:
    return Mismatch(code, what, advice)


# the text, an edit of it, and why not
REFUSED: dict[str, tuple[str, RangeEdit, Mismatch]] = {
    "equal texts": ("a\n", edit((1, 1, 1, 2), "a"), refused(ReasonCode.NO_OP, "old and new text are equal")),
    "no such line": (
        "a\nb",
        edit((4, 1, 4, 1), "x"),
        refused(ReasonCode.NO_MATCH, "a.py has 2 lines, and no line 4", AGAIN),
    ),
    "no such column": (
        "ab\n",
        edit((1, 1, 1, 4), "x"),
        refused(ReasonCode.NO_MATCH, "line 1 of a.py has no column 4", AGAIN),
    ),
    "behind a letter that is one byte nowhere": (
        "éb\n",
        edit((1, 2, 1, 3), "x"),
        refused(
            ReasonCode.UNSUPPORTED_FORMAT,
            "column 2 of line 1 comes after a character that tools count in different ways",
            ITSELF,
        ),
    ),
    "behind a line break that few tools count": (
        "\nb\u2028c\n",
        RangeEdit(TextRange(2, 1, 2, 4), "x", "\uffff"),
        refused(ReasonCode.UNSUPPORTED_FORMAT, "line 2 of a.py holds a line break that only some tools count", ITSELF),
    ),
    **{
        f"behind a byte order mark, {place}": (
            f"{BOM}ab\nc\n",
            edit(place, "x"),
            refused(
                ReasonCode.UNSUPPORTED_FORMAT,
                "a.py begins with a byte order mark, which only some tools count as a column",
                ITSELF,
            ),
        )
        for place in ((1, 1, 1, 2), (1, 2, 2, 1))
    },
}


@pytest.mark.parametrize(("text", "asked", "why"), REFUSED.values(), ids=REFUSED)
def test_why_an_edit_has_no_place(text: str, asked: RangeEdit, why: Mismatch) -> None:
    assert made(text, asked) == Made([why], text)


DONE = refused(ReasonCode.ALREADY_APPLIED, "a.py already has the new text")
# the file, an edit that shows its old text, and the file then, or why not
SHOWN: dict[str, tuple[str, RangeEdit, str | Mismatch]] = {
    "that part": ("a\nb\n", shown((2, 1, 2, 2), "b", "c"), "a\nc\n"),
    "that part with its line break": ("a\nb\nc\n", shown((2, 1, 3, 1), "b\n", "x\n"), "a\nx\nc\n"),
    "the whole line": ("a\nb\nxc\nd\n", shown((3, 2, 3, 3), "xc", "y"), "a\nb\nxy\nd\n"),
    "whole lines": ("xa\nbx\nc\n", shown((1, 2, 2, 2), "xa\nbx", "y"), "xyx\nc\n"),
    "the whole line below a blank one": ("\nxc\n", shown((2, 2, 2, 3), "xc", "y"), "\nxy\n"),
    "a part that goes": ("ab\n", shown((1, 2, 1, 3), "b", ""), "a\n"),
    "another part": (
        "a\nb\n",
        shown((1, 1, 2, 2), "x\ny", "z"),
        refused(ReasonCode.NO_MATCH, "line 1 of a.py is not `x`, which the tool shows there", AGAIN),
    ),
    "the new text is there": ("newer\n", shown((1, 1, 1, 4), "old", "newer"), DONE),
    "a sign behind what is shown is there": ("a;\n", shown((1, 2, 1, 2), "a", ";", (1, 1, 1, 2)), DONE),
    "a sign may be there by chance": (
        ";x\n",
        shown((1, 1, 1, 3), ",,", ";"),
        refused(ReasonCode.NO_MATCH, "line 1 of a.py is not `,,`, which the tool shows there", AGAIN),
    ),
}


@pytest.mark.parametrize(("text", "asked", "what"), SHOWN.values(), ids=SHOWN)
def test_an_edit_that_shows_its_old_text(text: str, asked: RangeEdit, what: str | Mismatch) -> None:
    found = made(text, asked, commit="")
    if isinstance(what, Mismatch):
        assert found.outcomes == [what]
    else:
        assert found.after == what


def test_one_that_shows_other_text_refuses_them_all() -> None:
    others = [shown((1, 1, 1, 2), "x", "y"), shown((2, 1, 2, 2), "x", "z")]
    *_, last = made("a\nb\nc\n", *others, shown((3, 1, 3, 2), "c", "d"), commit="").outcomes
    assert last == refused(ReasonCode.NO_MATCH, "block 1 shows that a.py differs from what the tool saw", AGAIN)


def test_the_same_change_is_made_once() -> None:
    first, second = made("a\n", edit((1, 1, 1, 2), "b"), edit((1, 1, 1, 2), "b")).outcomes
    assert first == at(0, 1, ("b",))
    assert second == refused(ReasonCode.ALREADY_APPLIED, "block 1 makes the same change")


def test_changes_of_the_same_text_are_refused() -> None:
    why = refused(
        ReasonCode.AMBIGUOUS, "blocks 1 and 2 change the same text at line 2 of a.py", "choose one with --only"
    )
    assert made("\nb\n", edit((2, 1, 2, 2), "x"), edit((2, 1, 2, 2), "y")).outcomes == [why, why]


def test_two_texts_put_in_where_a_change_ends_are_refused() -> None:
    why = refused(
        ReasonCode.AMBIGUOUS, "blocks 2 and 3 change the same text at line 1 of a.py", "choose one with --only"
    )
    edits = [edit((1, 1, 1, 2), "x"), edit((1, 2, 1, 2), "y"), edit((1, 2, 1, 2), "z")]
    assert made("ab\n", *edits).outcomes == [at(0, 1, ("xb",)), why, why]


def test_a_branch_that_differs_from_the_base() -> None:
    asked = edit((1, 1, 1, 2), "x")
    why = refused(ReasonCode.STALE, "a.py differs from 0123456, the base", "commit it and run the tool again")
    assert made("a\nb\n", asked, now="a\nc\n").outcomes == [why]
    assert made("a\nb\n", asked, now="x\nb\n").outcomes == [why]


def test_a_block_without_ranges_changed_the_file_as_well() -> None:
    fix = block_with(2, edit((2, 1, 2, 2), "x"))
    version = RangeVersion("a.py", SourceText.of("a\nb\n"), COMMIT, [fix], {2})
    file = FilePlan("a.py", b"a\nb\n")
    file.splice(0, 1, ("c",))
    file.applied.append(1)
    assert version.place(fix, file, None) == refused(ReasonCode.STALE, "block 1 changed a.py in another way", AGAIN)


def test_another_line_than_a_person_chose() -> None:
    [outcome] = made("a\nb\n", edit((2, 1, 2, 2), "x"), chosen=1).outcomes
    assert isinstance(outcome, Mismatch)
    assert (outcome.code, outcome.chosen_line) == (ReasonCode.NO_MATCH, 1)
    assert [(place.start_line, place.lines) for place in outcome.candidates] == [(2, ("b",))]
