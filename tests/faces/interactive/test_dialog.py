"""The questions about blocks: what an answer takes, and what is shown."""

from __future__ import annotations

import pytest
from support.applykit import block
from support.dialogkit import API, FILES, FOUR, MISS, NEW, TAX, TOTAL, Person, hold, request

from editblocks.core.codes import ReasonCode
from editblocks.core.selection import Selection
from editblocks.faces.interactive.dialog import choose
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run.flow import run

DONE = block("cart.py", "    return 2\n", "    return 2\n")  # nothing to do
AFTER = block("cart.py", "    return 10\n", "    return 100\n")  # needs TOTAL
BROKEN = "api.py\n<<<<<<< SEARCH\n    return 1\n"
# which blocks an answer takes: numbers, and places as `3@8`

TAKEN: tuple[tuple[str, str, str, str], ...] = (
    ("yes to each", FOUR, "y y p 3@8 y y", "1-4,3@8"),
    ("no to each", FOUR, "n n n n", ""),
    ("yes and no", FOUR, "y n n y", "1,4"),
    ("capitals", FOUR, "Y N N Y", "1,4"),
    ("this and the rest of the file", FOUR, "a n n", "1-2"),
    ("none of the rest of the file", FOUR, "d n y", "4"),
    ("stop: what was said yes to before counts", FOUR, "y q", "1"),
    ("stop at once", FOUR, "q", ""),
    ("the end of input is a stop, as in git", FOUR, "y", "1"),
    ("no input at all", FOUR, "", ""),
    ("an empty line asks again", FOUR, "- - y q", "1"),
    ("a word asks again", FOUR, "yes y q", "1"),
    ("a key that is not offered asks again", FOUR, "r p y q", "1"),
    ("help, more, prompt ask again", FOUR, "? v y n ? v r n q", "1"),
    ("a place by its line alone", FOUR, "n n p 3 y q", "3@3"),
    ("a place, and no", FOUR, "n n p 3@8 n q", ""),
    ("a place, and another", FOUR, "n n p 3@8 p 3@3 y q", "3@3"),
    ("no place after all", FOUR, "n n p - n q", ""),
    ("a place of another block", FOUR, "n n p 2@8 n q", ""),
    ("no line", FOUR, "n n p 3@x n q", ""),
    ("a line where it is not", FOUR, "n n p 3@4 n q", ""),
    ("what changes nothing is not asked about", DONE + TOTAL, "n", "1"),
    ("the rest of the file, but for what fails", TOTAL + MISS + TAX, "a n", "1,3"),
    ("the rest of the file, which goes on below what fails", TOTAL + MISS + DONE + TAX, "a n", "1,3-4"),
    ("the rest of the file, of which each needs the one before", TOTAL + AFTER + NEW, "a y", "1-3"),
    ("none of the rest, what fails included", MISS + TOTAL + NEW, "d y", "3"),
    ("a block that cannot be read is passed over", TOTAL + BROKEN, "y n", "1"),
    ("what fails holds nothing up once it is declined", MISS + TOTAL, "n y", "2"),
    ("what needs a block that was declined", TOTAL + AFTER, "n n", ""),
    ("what needs a block that was taken", TOTAL + AFTER, "y y", "1-2"),
)


@pytest.mark.parametrize(("claim", "text", "answers", "taken"), TAKEN, ids=[row[0] for row in TAKEN])
def test_what_an_answer_takes(claim: str, text: str, answers: str, taken: str) -> None:
    chosen, _ = hold(text, answers)
    assert isinstance(chosen.select, Selection)
    assert (str(chosen.select), chosen.allow_partial, chosen.refusal) == (taken, True, None), claim


@pytest.mark.parametrize("answers", ["y n n n", "y q", "y d n"])
def test_what_was_left_out_says_so(answers: str) -> None:
    chosen, _ = hold(FOUR, answers)
    planned = run(chosen.response, MemoryRepo(FILES), chosen.settings, chosen.select)
    left = [(row.code, row.reason) for row in planned.results[1:]]
    assert left == [(ReasonCode.NOT_SELECTED, "a person left it out")] * 3


@pytest.mark.parametrize("text", ["", "only prose\n"])
def test_without_a_block_nothing_is_asked(text: str) -> None:
    before = request(text)
    person = Person(())
    assert choose(before, lambda: MemoryRepo(FILES), asker=person) == (before, False)
    assert (person.asked, person.shown) == ([], [])


# which keys are offered, block by block

KEYS: tuple[tuple[str, str, str, list[str]], ...] = (
    ("fine, with more of its file", TOTAL + TAX, "y", ["y,n,a,d,e,v,q,?", "y,n,a,d,e,v,q,?"]),
    ("fails, with more of its file", MISS + TAX, "n", ["n,d,e,r,v,q,?", "y,n,a,d,e,v,q,?"]),
    ("has places", API, "", ["n,d,p,e,r,v,q,?"]),
    ("cannot be read", BROKEN, "", ["n,d,e,r,v,q,?"]),
    ("is for no file", BROKEN.removeprefix("api.py\n"), "", ["n,e,r,v,q,?"]),
)


@pytest.mark.parametrize(("claim", "text", "answers", "expected"), KEYS, ids=[row[0] for row in KEYS])
def test_only_keys_that_make_sense_are_offered(claim: str, text: str, answers: str, expected: list[str]) -> None:
    _, person = hold(text, answers)
    assert person.asked == [f"apply this block [{keys}]?" for keys in expected], claim


ODD = (
    ("yes", TOTAL, "one letter is expected, not `yes`"),
    ("g", TOTAL, "this block has no `g`"),
    ("\x1b", TOTAL, "this block has no `\\x1b`"),
    ("y", MISS, "block 1 cannot be applied as it stands"),
    ("A", MISS, "block 1 cannot be applied as it stands"),
)


@pytest.mark.parametrize(("answer", "text", "words"), ODD)
def test_an_answer_that_is_none_of_the_keys(answer: str, text: str, words: str) -> None:
    _, person = hold(text, answer)
    assert person.shown[-1].startswith(f"{words}\n")
    assert person.shown[-1].endswith("? - print this help\n")


def test_help_is_about_the_keys_that_are_offered() -> None:
    _, person = hold(API, "?")
    assert person.shown[-1] == (
        "n - do not apply this block\n"
        "d - apply neither this block nor any later one of api.py\n"
        "p - pick a place for this block, as 1@3\n"
        "e - edit this block in your editor\n"
        "r - print what to send back to the model about this block\n"
        "v - show more: the lines around, and how the block was looked for\n"
        "q - stop; apply what was said yes to, and none of the remaining blocks\n"
        "? - print this help\n"
    )


# what is shown


def test_a_block_that_is_ready() -> None:
    _, person = hold(FOUR, "")
    assert person.said == "block 1 of 4, cart.py:2, exact\n-    return 1\n+    return 10\n"


def test_how_it_matched_is_shown() -> None:
    _, person = hold(block("cart.py", "return 2\n", "return 3\n"), "")
    assert person.said == (
        "block 1 of 1, cart.py:6, indentation, 4 more spaces (medium)\n-    return 2\n+    return 3\n"
    )


def test_several_runs_of_lines_say_where_they_are() -> None:
    old = FILES["cart.py"].decode()
    _, person = hold(block("cart.py", old, old.replace("1", "7").replace("2", "8")), "v")
    assert person.shown[0] == (
        "block 1 of 1, cart.py:1-6, exact\n@@ -2 +2 @@\n-    return 1\n+    return 7\n"
        "@@ -6 +6 @@\n-    return 2\n+    return 8\n"
    )
    assert person.shown[1].startswith("@@ -1,6 +1,6 @@\n def total():\n-    return 1\n+    return 7\n \n")
    assert person.shown[1].endswith("+    return 8\ntried: exact\n")


def test_a_block_is_shown_on_what_was_taken_before_it() -> None:
    _, person = hold(TOTAL + AFTER, "y")
    assert person.shown[1] == "block 2 of 2, cart.py, exact\n-    return 10\n+    return 100\n"


def test_a_block_that_fails_is_shown_with_its_reason() -> None:
    _, person = hold(API + MISS, "n v")
    assert person.shown[0] == (
        "block 1 of 2, api.py, failed: ambiguous: matches at lines 3 and 8 of api.py; add a line above or below\n"
        "    <<<<<<< SEARCH\n        return 1\n    =======\n        return 10\n    >>>>>>> REPLACE\n"
    )
    assert "  - SEARCH      return 5\n  + file        return " in person.shown[1]
    assert ">     6      return 2\ntried: exact, trailing-space, indentation\n" in person.shown[2]


def test_a_block_that_fails_is_shown_against_what_was_taken_before_it() -> None:
    _, person = hold(TOTAL + block("cart.py", "    return 19\n", "    return 100\n"), "y v")
    assert "failed: no-match: line 1 of the block differs from line 2 of cart.py after block 1, at " in person.shown[1]
    assert "  - SEARCH             return 19\n  + after block 1      return 10\n" in person.shown[1]
    assert ">     2      return 10\n" in person.shown[2]


def test_more_lines_are_those_that_the_taken_blocks_leave() -> None:
    # what block 1 makes of cart.py stands next to a place that it has not touched
    first = block("cart.py", "def total():\n    return 1\n", "def total():\n    x = 1\n    return 10\n")
    _, person = hold(first + block("cart.py", "def tax():\n    return 3\n", "    return 4\n"), "y v")
    assert (
        "      1  def total():\n"
        "      +      x = 1\n"
        "      +      return 10\n"
        "      3\n"
        "      4\n"
        ">     5  def tax():\n"
        ">     6      return 2\n"
        "tried: "
    ) in person.shown[2]


def test_all_places_of_an_ambiguous_block_are_shown() -> None:
    _, person = hold(API, "v p 1@3 v")
    assert ">     3      return 1\n      4\n" in person.shown[1]
    assert "    ...\n      5\n      6  @route\n      7  def b():\n>     8      return 1\n" in person.shown[1]
    assert person.shown[2] == "  1@3  line 3, the block fits\n  1@8  line 8, the block fits\n"
    assert person.shown[3] == "block 1 of 1, api.py:3, exact, chosen\n-    return 1\n+    return 10\n"
    assert person.shown[4].endswith("tried: exact\n")


def test_a_long_block_that_fails_is_cut_until_more_is_asked_for() -> None:
    _, person = hold(block("cart.py", "x\n" * 50, "y\n"), "v")
    assert "    ... 14 more lines; v shows them\n" in person.shown[0]
    assert person.shown[1].count("    x\n") == 50


def test_a_block_that_cannot_be_read() -> None:
    _, person = hold(BROKEN, "r")
    assert person.shown[0].startswith("block 1 of 1, reply.md:2, failed: unclosed: block at line 2 has no ")
    assert "    <<<<<<< SEARCH\n" in person.shown[0]
    assert "Block 1 cannot be read after line " in person.shown[1]


def test_the_prompt_is_about_this_block_alone() -> None:
    _, person = hold(MISS + API, "n r")
    assert "Block 2, api.py, ambiguous: " in person.shown[-1]
    assert "no-match" not in person.shown[-1]


def test_what_is_there_already_is_only_told() -> None:
    _, person = hold(DONE, "")
    assert person.asked == []
    assert person.said == ("block 1 of 1, cart.py, skipped: no-op: old and new lines are equal; nothing to do\n")


def test_what_is_different_because_a_block_was_left_out_is_said() -> None:
    _, person = hold(TOTAL + AFTER, "n")
    assert person.shown[1].startswith("block 2 of 2, cart.py, failed: no-match: ")
    assert "\nwith block 1, which you left out, it would be ready\n" in person.shown[1]
    for text in (MISS + TOTAL, TOTAL + TAX, MISS + MISS):
        _, person = hold(text, "n")
        assert "left out" not in person.said


def test_notes_of_a_block_are_shown() -> None:
    _, person = hold(block("cart.py", "    return 2\n", "    ...\n    return 3\n"), "")
    assert "note: " in person.said


HOSTILE = (
    ("a path", block("\x1b[2Ja.py", "x\n", "y\n"), "\x1b"),
    ("new text", block("cart.py", "    return 1\n", "    return '\x1b[2J\u202e'\n"), "\x1b"),
    ("new text, reversed", block("new.py", "", "# \u202e\n"), "\u202e"),
    ("old text", block("cart.py", "\x1b]0;x\x07\n", "y\n"), "\x1b"),
)


@pytest.mark.parametrize(("what", "text", "character"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_nothing_foreign_reaches_the_terminal_as_a_command(what: str, text: str, character: str) -> None:
    for answers in ("? v \x1b[A", "v r"):
        _, person = hold(text, answers)
        assert character not in person.said, what
        assert person.said.count("\n") > 1


def test_colours_are_only_our_own() -> None:
    person = Person(["v", "q"], color=True)
    choose(request(TOTAL), lambda: MemoryRepo(FILES), asker=person)
    assert person.shown[0] == (
        "\x1b[1mblock 1 of 1, cart.py:2, exact\x1b[0m\n\x1b[31m-    return 1\x1b[0m\n\x1b[32m+    return 10\x1b[0m\n"
    )
    assert person.shown[1].startswith("\x1b[36m@@ -1,6 +1,6 @@\x1b[0m\n def total():\n")


def test_one_of_several_responses_has_a_heading() -> None:
    person = Person(())
    choose(request(TOTAL), lambda: MemoryRepo(FILES), asker=person, heading=True)
    assert person.shown[0] == "reply.md:\n"


def test_line_ends_of_windows_are_not_shown() -> None:
    _, person = hold(TOTAL.replace("\n", "\r\n") + MISS.replace("\n", "\r\n"), "n v")
    assert "\r" not in person.said
    assert "U+000D" not in person.said
    assert "␍" not in person.said
