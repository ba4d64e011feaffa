"""Which reading of a block fits the file (docs/reference/rules.md, dividers), and what is said where none does."""

import pytest

from editblocks.core.blocks import EditBlock, Note, Split
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.matching.block_readings import Reading, choice_notes, doubtful, lines_asked_for, readings, settle
from editblocks.matching.ladder import EXACT, Matches
from editblocks.matching.narrowing import Match, Narrowing
from editblocks.text.source_text import BOM, SourceText

BLOCK = EditBlock(1, "a.md", "search-replace", 1, 20, raw_block="<<<<<<< SEARCH\n")
EDIT_V2 = BLOCK._replace(format="edit-v2", raw_block="<<<<<<< EDIT\n")
RULE = "=======\n"


def split(line: int, old: str, new: str) -> Split:
    return Split((line,), old, new)


def several(*splits: Split, form: str = BLOCK.format) -> EditBlock:
    return BLOCK._replace(splits=splits, format=form)


def said(block: EditBlock, file: str, narrowing: Narrowing | None = None) -> str:
    """The message; or the old text of the reading, its divider lines, and the notes."""
    source = SourceText.of(file)
    settled = settle(block, source)
    if narrowing is not None:
        settled = settle(block, source, narrowing=narrowing._replace(lines=source.lines))
    if isinstance(settled, Mismatch):
        return f"{settled.code.value}: {settled.what}; {settled.advice}"
    dividers = ",".join(map(str, settled.divider_lines))
    found = "found" if settled.matches.match else "not found"
    return " ".join(["|".join(settled.search), *dividers.split(), found, *(note.message for note in settled.notes)])


TWO = (split(3, "a\n", f"b\n{RULE}c\n"), split(5, f"a\n{RULE}b\n", "c\n"))
BOTH = "malformed: lines 3 and 5 both look like the divider; send it with 8-character markers"
AT_3 = "it can be read in 2 ways; the one with its divider at line 3 fits the file"
AT_5 = "it can be read in 2 ways; the one with its divider at line 5 fits the file"
FIRST = f"a 3 found {AT_3}"
EITHER = (
    "malformed: its divider may be at line 3 or at line 5: a.md has the old lines either way; "
    "send it with 8-character markers"
)
MAY_BE_TEXT = (
    "malformed: its first `-------` may be text and not a separator, because a.md has that line below the anchor; "
    "send it with 8-character markers"
)
TEXT = (
    "no-divider: its divider line is text of a.md, right after the old lines, so the divider itself is missing; "
    "put one between the old and the new lines"
)


def first(old: str, new: str, longer: str = "c\n", longer_old: str = "q\n") -> EditBlock:
    """A block of which the first reading is this one."""
    return several(split(3, old, new), split(5, longer_old, longer))


ONE = BLOCK._replace(old_lines="a\n", new_lines="b\n")
INSERTION = EDIT_V2._replace(anchor="a\n", new_lines="b\n")
# block, file, what is said
SETTLED: dict[str, tuple[EditBlock, str, str]] = {
    "one reading": (ONE, "x\na\n", "a found"),
    "one reading, with a blank behind": (ONE, "a \n", "a found"),
    "one reading, not there": (ONE, "x\n", "a not found"),
    "the first divider": (several(*TWO), "a\nx\n", FIRST),
    "the last divider": (several(*TWO), f"a\n{RULE}b\n", f"a|=======|b 5 found {AT_5}"),
    "a rule in the file, and the longer text is not": (several(*TWO), f"a\n{RULE}x\n", "a|=======|b 5 not found"),
    "another rule in the file": (several(*TWO), "a\n---\nx\n", "a|=======|b 5 not found"),
    "a rule with blanks": (several(*TWO), "a\n == \t\nx\n", "a|=======|b 5 not found"),
    "a form feed before a rule": (several(*TWO), "a\n\f==\nx\n", FIRST),
    "letters around a rule": (several(*TWO), "a\nX==X\nx\n", FIRST),
    "a rule of two signs": (several(*TWO), "a\n=-\nx\n", FIRST),
    "a blank line": (several(*TWO), "a\n \nx\n", FIRST),
    "a rule of one sign": (several(*TWO), "a\n=\nx\n", "a|=======|b 5 not found"),
    "a line of one letter": (several(*TWO), "a\nXX\nx\n", FIRST),
    "a rule in the file, of three": (several(*TWO, split(7, "e\n", "f\n")), f"a\n{RULE}x\n", "a|=======|b 5 not found"),
    "a form feed as old text": (first("\f\n", "b\n"), "\f\n", f"\f 3 found {AT_3}"),
    "a letter as old text": (first("X\n", "b\n"), "X\n", f"X 3 found {AT_3}"),
    "a deletion": (first("a\n", ""), "a\n", FIRST),
    "further in": (first("a\n", "b\n"), "  a\n", FIRST),
    "a rule that is no divider of the format": (several(*TWO, form="edit-v3"), f"a\n{RULE}x\n", FIRST),
    "neither": (several(*TWO), "x\n", "a 3 not found"),
    "the second at two places": (first("q\n", "b\n", "c\n", "a\n"), "a\na\n", "a 5 not found"),
    "a blank old text": (
        several(split(3, "\n", f"b\n{RULE}c\n"), split(5, "a\n", "c\n")),
        "\na\n",
        f"a 5 found {AT_5}",
    ),
    "both": (first("a\n", "b\n", "c\n", "d\n"), "a\nx\nd\n", EITHER),
    "both, with the same new text": (first("a\n", "b\n", "b\n", "d\n"), "a\nx\nd\n", EITHER),
    "both, with the same old text": (first("a\n", "b\n", "c\n", "a\n"), "a\n", EITHER),
    "both the same": (first("a\n", "b\n", "b\n", "a\n"), "a\n", FIRST),
    "three": (
        several(split(3, "a\n", "b\n"), split(5, "c\n", "d\n"), split(7, "e\n", "f\n")),
        "a\nx\nc\nx\ne\n",
        EITHER,
    ),
    "several lines of a reading": (
        several(Split((3, 4, 6), "a\n", "b\n"), split(8, "q\n", "c\n")),
        "a\n",
        "a 3,4,6 found it can be read in 2 ways; the one with its divider at lines 3, 4 and 6 fits the file",
    ),
    "two lines of a reading": (
        several(Split((3, 4), "a\n", "b\n"), split(8, "q\n", "c\n")),
        "a\n",
        "a 3,4 found it can be read in 2 ways; the one with its divider at lines 3 and 4 fits the file",
    ),
    "a doubtful one": (several(TWO[0]._replace(is_doubtful=True), TWO[1]), "a\nx\n", BOTH),
    "new lines begin with a rule": (first("a\n", "==\nb\n"), "a\n", BOTH),
    "with a rule and blanks": (first("a\n", " ==\t\nb\n"), "a\n", BOTH),
    "with letters around": (first("a\n", "X==X\nb\n"), "a\n", FIRST),
    "with a form feed": (first("a\n", "\f==\nb\n"), "a\n", FIRST),
    "old lines begin with one as well": (first("==\na\n", "==\nb\n"), "==\na\n", f"==|a 3 found {AT_3}"),
    "the last new text begins with one": (first("q\n", "b\n", "==\nc\n", "a\n"), "a\n", f"a 5 found {AT_5}"),
    "in edit-v2 they may": (several(*first("a\n", "==\nb\n").splits, form="edit-v2"), "a\n", FIRST),
    "the new line is below": (several(*TWO), "a\nx\ny\nb\n", BOTH),
    "the new line is far below": (several(*TWO), "a\nx\ny\nz\nb\n", FIRST),
    "the new line is below, without a rule": (first("a\n", "b\nc\n"), "a\nx\nb\n", FIRST),
    "the same first line is below": (first("a\nz\n", f"a\n{RULE}"), "a\nz\na\n", f"a|z 3 found {AT_3}"),
    "the new line is below, after blank ones": (first("\na\n", f"\nb\n{RULE}"), "\na\nb\n", BOTH),
    "the longer new text is there": (first("a\n", "b\n", "c\nd\n"), "a\nx\nc\nd\n", BOTH),
    "at many places": (first("a\n", "b\n", "c\nd\n"), "a\nx\n" + "c\nd\n" * 60, BOTH),
    "with a blank behind": (first("a\n", "b\n", "c\nd\n"), "a\nx\nc \nd\n", FIRST),
    "one line of it": (first("a\n", "b\n", "c\n\n"), "a\nx\nc\n\n", FIRST),
    "at two places, and it is the old text": (
        first("a\n", "b\n", "c\nd\n", "c\nd\n"),
        "a\nx\nc\nd\nc\nd\n",
        FIRST,
    ),
    "the divider is text": (ONE, f"a\n{RULE}b\n", TEXT),
    "the divider is text, and the file goes on": (ONE, f"a\n{RULE}b\nx\n", TEXT),
    "a line of letters is no divider": (ONE, "a\nXX\nb\n", "a found"),
    "the divider is text, for all of the new": (ONE._replace(new_lines="b\nc\n"), f"a\n{RULE}b\nc\n", TEXT),
    "only for its first line": (ONE._replace(new_lines="b\nc\n"), f"a\n{RULE}b\nd\n", "a found"),
    "there is no new text": (ONE._replace(new_lines=""), f"a\n{RULE}", "a found"),
    "another sign": (ONE, "a\n-------\nb\n", "a found"),
    "a format with other dividers": (ONE._replace(format="edit-v2"), f"a\n{RULE}b\n", "a found"),
    "the divider is text, and the last of several": (
        first("q\n", "b\n", "c\n", "a\n"),
        f"a\n{RULE}c\n",
        TEXT,
    ),
    "an insertion above its separator": (
        INSERTION,
        "a\n-------\n",
        MAY_BE_TEXT,
    ),
    "above its separator, and the file goes on": (INSERTION, "a\n-------\nx\n", MAY_BE_TEXT),
    "above a longer line": (INSERTION, "a\n--------\n", "a found"),
    "in another format": (INSERTION._replace(format="edit-v3"), "a\n-------\n", "a found"),
    "no insertion": (INSERTION._replace(old_lines="b\n"), "a\nb\n-------\n", "a|b found"),
    "an insertion between anchors": (INSERTION._replace(trailing_anchor="c\n"), "a\nc\n-------\n", "a|c found"),
    "without an anchor": (INSERTION._replace(anchor="", old_lines="a\n"), "a\n-------\n", "a found"),
    "an insertion with several readings": (
        INSERTION._replace(splits=(split(3, "a\n", "b\n"),)),
        "a\n-------\n",
        "a 3 found",
    ),
}


@pytest.mark.parametrize(("block", "file", "expected"), SETTLED.values(), ids=SETTLED)
def test_the_reading_that_fits(block: EditBlock, file: str, expected: str) -> None:
    assert said(block, file) == expected


HUNK = BLOCK._replace(format="unified", action="edit", anchor="\na\n", old_lines="b\n", new_lines="c\n")
BELOW = HUNK._replace(anchor="a\n", trailing_anchor="d\n\n\n")
DROPPED = "found blank context lines at its ends, which the file does not have there, were left out"
# hunk, file, for each line 1 if an earlier hunk added it, what is said
BLANK_ENDS: dict[str, tuple[EditBlock, str, bytes, str]] = {
    "above": (HUNK, "x\na\nb\n", b"", f"a|b {DROPPED}"),
    "there": (HUNK, "\na\nb\n", b"", "|a|b found"),
    "above an indented line": (HUNK._replace(anchor="\n  a\n"), "  a\nb\n", b"", f"  a|b {DROPPED}"),
    "above a letter": (HUNK._replace(anchor="\nXa\n"), "Xa\nb\n", b"", f"Xa|b {DROPPED}"),
    "below": (BELOW, "a\nb\nd\n", b"", f"a|b|d {DROPPED}"),
    "one below": (BELOW._replace(trailing_anchor="d\n\n"), "a\nb\nd\n", b"", f"a|b|d {DROPPED}"),
    "only blank lines below": (BELOW._replace(trailing_anchor="\n"), "a\nb\n", b"", f"a|b {DROPPED}"),
    "no blank lines": (HUNK._replace(anchor="a\n"), "x\n", b"", "a|b not found"),
    "no other lines": (HUNK._replace(anchor="\n", old_lines=""), "x\n", b"", " not found"),
    "no new line": (HUNK._replace(anchor="\n", new_lines=""), "b\n", b"", "|b not found"),
    "two places": (HUNK, "a\nb\na\nb\n", b"", "|a|b not found"),
    "a blank behind": (HUNK, "a\nb \n", b"", "|a|b not found"),
    "the new lines are there": (HUNK, "a\nb\nx\n\na\nc\n", b"", "|a|b not found"),
    "the new lines are there, with a blank behind": (HUNK, "a\nb\nx\n\na\nc \n", b"", f"a|b {DROPPED}"),
    "an earlier hunk added them": (HUNK, "a\nb\nx\n\na\nc\n", b"\0\0\0\1\1\1", "|a|b not found"),
    "an earlier hunk added the place": (HUNK, "a\nb\nx\n", b"\1\1\0", "|a|b not found"),
    "no hunk": (HUNK._replace(action=""), "a\nb\n", b"", "|a|b not found"),
}


@pytest.mark.parametrize(("block", "file", "added", "expected"), BLANK_ENDS.values(), ids=BLANK_ENDS)
def test_blank_lines_around_a_hunk(block: EditBlock, file: str, added: bytes, expected: str) -> None:
    assert said(block, file, Narrowing(added=added)) == expected


@pytest.mark.parametrize("file", ["x\na\nb\n", "\na\nc\nx\na\nb\n"])
def test_blank_lines_around_a_hunk_at_the_end_of_the_file(file: str) -> None:
    assert said(HUNK, file, Narrowing(ends_file=True)) == f"a|b {DROPPED}"


def test_the_note_on_blank_lines_has_a_code() -> None:
    settled = settle(HUNK, SourceText.of("a\nb\n"))
    assert not isinstance(settled, Mismatch)
    assert [note.code for note in settled.notes] == ["blank-context-dropped"]


SIGNS = Note("lost-signs", "x")
UNSIGNED = (Split((), "a\n", "b\n", notes=(SIGNS,)), Split((), "c\n", "d\n"))
# file, what is said
LOST_SIGNS: dict[str, tuple[str, str]] = {
    "the first": ("a\nx\n", "a found x"),
    "the second": ("x\nc\n", "c found"),
    "neither": ("x\n", "a not found x"),
    "both": (
        "a\nx\nc\n",
        "malformed: some of its context lines have no space before them; read in two ways, "
        "it fits a.md at line 1 and at line 3; put a space before each context line",
    ),
}


@pytest.mark.parametrize(("file", "expected"), LOST_SIGNS.values(), ids=LOST_SIGNS)
def test_context_lines_without_a_sign(file: str, expected: str) -> None:
    assert said(several(*UNSIGNED), file) == expected


def test_two_readings_at_one_line_are_the_first() -> None:
    assert said(several(UNSIGNED[0], UNSIGNED[0]._replace(new_lines="e\n", notes=())), "a\n") == "a found x"


def test_lines_without_a_sign_are_told_as_they_are_on_the_branch() -> None:
    source = SourceText.of("x\na\nx\nc\n")
    source.splice(0, 1, ["y", "z"])
    settled = settle(several(*UNSIGNED), source)
    assert isinstance(settled, Mismatch)
    assert "at line 2 and at line 4" in settled.what


@pytest.mark.parametrize("block", [ONE, several(*TWO), HUNK._replace(anchor="a\n", old_lines="")])
def test_only_the_levels_that_are_asked_for_are_tried(block: EditBlock) -> None:
    settled = settle(block, SourceText.of("a \nx\n"), EXACT)
    assert not isinstance(settled, Mismatch)
    assert settled.matches == Matches()


@pytest.mark.parametrize("block", [ONE, several(*TWO)])
def test_a_place_that_does_not_count_is_not_taken(block: EditBlock) -> None:
    source = SourceText.of("a\nx\na\n")
    settled = settle(block, source, narrowing=Narrowing(source.lines, added=b"\1\0\0"))
    assert not isinstance(settled, Mismatch)
    assert settled.matches.match == Match(2, 3)


def test_a_place_that_is_known_is_not_looked_for() -> None:
    source = SourceText.of(f"a\na\n{RULE}b\n")
    settled = settle(ONE, source, known=Match(0, 1))
    assert not isinstance(settled, Mismatch)
    assert settled.matches == Matches((Match(0, 1),), "exact", "high", 1)
    assert settled.notes == ()
    assert isinstance(settle(ONE, source, known=Match(1, 2)), Mismatch)


# opener, which has another length in the advice
OPENERS = {"<<<<<<< SEARCH\n": 8, "<<<<<<<<": 9, " \t<<<<< A\n": 6, "\f<<<": 2, "XX<": 3}


@pytest.mark.parametrize(("opener", "length"), OPENERS.items())
def test_the_advice_names_another_length(opener: str, length: int) -> None:
    block = several(*TWO, split(9, "e\n", "f\n"))._replace(raw_block=opener)
    assert doubtful(block) == Mismatch(
        ReasonCode.MALFORMED,
        "lines 3, 5 and 9 all look like the divider",
        f"send it with {length}-character markers",
    )


def test_a_reading_that_was_the_only_one_needs_no_note() -> None:
    [only] = readings(several(TWO[0]))
    assert choice_notes(only, 1) == ()
    assert choice_notes(only, 2) == (Note("divider-resolved", AT_3, 3),)
    only.notes = (SIGNS,)
    assert choice_notes(only, 2) == (SIGNS,)


def test_readings_are_what_the_block_says() -> None:
    whole = Split((3,), f"{BOM}a\n", "b\n", True, "", "z\n", (SIGNS,))
    [one] = readings(several(whole))
    assert (one.search, one.replace) == (["a", "z"], ["b", "z"])
    assert (one.divider_lines, one.is_doubtful, one.notes) == ((3,), True, (SIGNS,))
    only = Reading(BLOCK._replace(anchor="x\n", old_lines="a\n", new_lines=f"b{BOM}\n", trailing_anchor="z\n"))
    assert (only.search, only.replace) == (["x", "a", "z"], ["x", f"b{BOM}", "z"])
    assert (only.divider_lines, only.is_doubtful, only.notes) == ((), False, ())
    new = Reading(BLOCK._replace(new_lines=f"{BOM}b\n"))
    assert new.replace == ["b"]
    assert new.below(SourceText.of("a\n"), 1) == []


def test_lines_that_may_be_looked_for() -> None:
    parts = Split((3,), " a\t\n", "b\n", anchor="above\n", trailing_anchor="below\n")
    assert lines_asked_for([several(parts)]) == {"above", "a", "b", "below", ""}
    assert lines_asked_for([ONE._replace(old_lines=" a\f\nX c X\n")]) == {"a\f", "X c X", "b", ""}
    assert lines_asked_for([BLOCK._replace(new_lines="b\n")]) == set()
    assert lines_asked_for([ONE, several(parts, split(5, "c\n", "d\n"))]) == {"above", "a", "b", "c", "d", "below", ""}
    assert lines_asked_for([several(parts)._replace(old_lines="c\n"), ONE]) == {"above", "a", "b", "below", ""}
