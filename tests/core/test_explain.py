"""The sentence of a failed block: there is one, whatever is known of the failure besides its code."""

import pytest

from editblocks.core.blocks import EditBlock, ToolCall
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.explain import hint, parts
from editblocks.core.mismatch import Candidate, Difference, Hint, Mismatch
from editblocks.core.model import EditResult

PLACE = Candidate(3, 4, 1.0)
BARE = {
    "ambiguous": Mismatch(ReasonCode.AMBIGUOUS),
    "ambiguous by tolerance": Mismatch(ReasonCode.AMBIGUOUS, strategy="indentation"),
    "there already": Mismatch(ReasonCode.AMBIGUOUS, duplicate=PLACE, strategy="indentation"),
    "no-match": Mismatch(ReasonCode.NO_MATCH),
    "an unsure deletion": Mismatch(ReasonCode.NO_MATCH, strategy="indentation"),
    "not at the chosen line": Mismatch(ReasonCode.NO_MATCH, chosen_line=7),
    "stale": Mismatch(ReasonCode.STALE, base="4be1d02"),
    "file-not-found": Mismatch(ReasonCode.FILE_NOT_FOUND),
}


@pytest.mark.parametrize("name", BARE)
def test_there_is_a_sentence_without_any_place(name: str) -> None:
    block = EditBlock(1, "a.py", "diff", 1, 5, old_lines="x\n", new_lines="y\n")
    assert "a.py" in (EditResult(block, EditStatus.FAILED, BARE[name]).reason or "")


@pytest.mark.parametrize(("last", "lines"), [(3, "line 3 of a.py matches"), (4, "lines 3-4 of a.py match")])
def test_lines_to_delete_that_may_be_others_are_counted(last: int, lines: str) -> None:
    unsure = Mismatch(ReasonCode.NO_MATCH, candidates=(Candidate(3, last, 1.0),), strategy="indentation")
    what, advice = parts("a.py", unsure)
    assert what == f"{lines} only approximately (indentation), too loosely to delete them"
    assert advice == "write the old lines exactly as they are in the file"


SPELLED = Hint("spelled", words=("quotes",), pieces=('"', "'"))
OF_CALLS: dict[str, tuple[Hint, str]] = {
    "escaped twice": (
        Hint("escaped", (3, 3)), "old text is escaped twice: unescaped once, it matches line 3; escape it once"
    ),
    "line numbers": (
        Hint("numbered", (12, 14)), "every line of old text begins with a number (12 to 14); leave line numbers out"
    ),
    "other quotes": (
        SPELLED, "old text differs only in quotes: `\"` where the file has `'`"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("each", "sentence"), OF_CALLS.values(), ids=OF_CALLS)
def test_a_hint_for_a_call_speaks_of_its_old_text(each: Hint, sentence: str) -> None:
    assert "; ".join(filter(None, hint(each, is_call=True))) == sentence
    assert hint(each)[0] == hint(each, is_call=True)[0].replace("old text", "SEARCH")
    block = EditBlock(1, "a.py", "tool-replace", 1, 1, old_lines="x\n", new_lines="y\n", call=ToolCall("x", "y"))
    row = EditResult(block, EditStatus.FAILED, Mismatch(ReasonCode.NO_MATCH, hints=(each,)))
    assert ", ".join(hint(each, is_call=True)).removesuffix(", ") in (row.reason or "")


LATER = Candidate(9, 9, 0.8, after=(1,))
CHANGED = Difference(5, 1, "x", "y", after=(2,))
SAID: dict[str, tuple[Mismatch, str]] = {
    "with a hint": (
        Mismatch(ReasonCode.NO_MATCH, candidates=(PLACE,), similarity=0.9, hints=(Hint("patch", words=("+",)),)),
        "the lines of the block are in a.py, but not together; the closest text is lines 3-4, 90 % alike; "
        "SEARCH reads like a patch (lines begin with +), leave its columns out",
    ),
    "alike in nothing": (
        Mismatch(ReasonCode.NO_MATCH, candidates=(PLACE,), similarity=0.0),
        "the lines of the block are in a.py, but not together; the closest text is lines 3-4, 0 % alike",
    ),
    "ambiguous by tolerance": (
        Mismatch(ReasonCode.AMBIGUOUS, strategy="indentation"),
        "matches by indentation more than one place of a.py; add a line above or below",
    ),
    "there already, after blocks": (
        Mismatch(
            ReasonCode.AMBIGUOUS, candidates=(LATER,), duplicate=Candidate(7, 7, 1.0, after=(2,)), strategy="exact"
        ),
        "matches line 9 of a.py after block 1, and the new lines are already at line 7 after block 2; "
        "check both places",
    ),
    "many places, some after a block": (
        Mismatch(ReasonCode.AMBIGUOUS, candidates=(PLACE, LATER), candidates_total=12),
        "matches at line 3 of a.py, and at lines 9 and 2 more after block 1; add a line above or below",
    ),
    "escaped twice, after a block": (
        Mismatch(ReasonCode.NO_MATCH, hints=(Hint("escaped", (3, 3), after=(1,)),)),
        "its old lines are not in a.py, and nothing close to them was found; "
        "SEARCH is escaped twice: unescaped once, it matches line 3 after block 1, escape it once; "
        "copy the current lines",
    ),
    "stale after a block": (
        Mismatch(ReasonCode.STALE, base="4be1d02f", first_difference=CHANGED),
        "line 5 of a.py after block 2 changed since 4be1d02, the base of this answer; "
        "write the block against the lines that are there now",
    ),
}


@pytest.mark.parametrize(("why", "sentence"), SAID.values(), ids=SAID)
def test_the_sentence_says_all_that_is_known(why: Mismatch, sentence: str) -> None:
    assert "; ".join(part for part in parts("a.py", why) if part) == sentence


def test_a_code_that_says_all_has_no_sentence() -> None:
    assert parts("a.py", Mismatch(ReasonCode.NO_OP)) == ("", "")


HINTS: dict[str, tuple[Hint, tuple[str, str]]] = {
    "elsewhere": (
        Hint("elsewhere", (4, 6), path="b.py"), ("the same text is at b.py:4-6", "name that file if you mean it")
    ),
    "elsewhere, twice": (
        Hint("elsewhere", (4, 6), path="b.py", more=1),
        ("the same text is at b.py:4-6 and 1 more place", "name that file if you mean it"),
    ),
    "there": (Hint("there", (4, 6), after=(1,)), ("the new lines may already be at line 4 after block 1", "")),
    "a part": (
        Hint("part", (4, 6), after=(1,)), ("SEARCH is only a part of line 4 after block 1", "write whole lines")
    ),
    "a part, twice": (
        Hint("part", (4, 6), more=2), ("SEARCH is only a part of line 4, and of 2 more lines", "write whole lines")
    ),
    "blank lines": (
        Hint("blank-lines"),
        ("SEARCH differs only in blank lines", "copy those of the file"),
    ),
    "a stand-in": (
        Hint("stand-in", (4, 6), words=("...",)), ("line 4 of the block is `...`", "write every line out")
    ),
    "a stand-in that loose matching takes": (
        Hint("stand-in", (4, 6), words=("...",), offers_loose=True),
        ("line 4 of the block is `...`", "write every line out, or use --matching loose"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("each", "said"), HINTS.values(), ids=HINTS)
def test_what_a_hint_says(each: Hint, said: tuple[str, str]) -> None:
    assert hint(each) == said


PIECES = {
    "nothing": ("", "nothing"),
    "words": ("ab", "`ab`"),
    "the first sign": ("!", "`!`"),
    "the last sign": ("~", "`~`"),
    "as long as a sentence shows": ("a" * 20, f"`{'a' * 20}`"),
    "longer": ("a" * 21, f"`{'a' * 9}…{'a' * 10}`"),
    "none": ("", "nothing"),
    "one tab": ("\t", "a tab"),
    "blanks": ("  \t", "a space a space a tab"),
    "more than four": (" \t" * 3, "a space a tab a space a tab"),
    "two backslashes": ("\\\\", "2 backslashes"),
    "hidden": ("\u200b", "U+200B"),
    "a mark of another letter": ("\u0301", "U+0301"),
    "a control character": ("\x07", "U+0007"),
    "not assigned": ("\u0378", "U+0378"),
    "a letter": ("\u00e9", "U+00E9 \u00e9"),
}


@pytest.mark.parametrize(("piece", "shown"), PIECES.values(), ids=PIECES)
def test_how_a_piece_is_shown(piece: str, shown: str) -> None:
    spelled = Hint("spelled", words=("quotes",), pieces=(piece, "x"))
    assert hint(spelled)[0] == f"SEARCH differs only in quotes: {shown} where the file has `x`"
