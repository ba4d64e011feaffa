"""The questions about blocks: what an answer takes, and what is shown."""

import re

import pytest
from support.applykit import block
from support.dialogkit import API, FILES, FOUR, MISS, NEW, TAX, TOTAL, Person, hold, request

from editblocks.applying.engine import Options
from editblocks.core.codes import ReasonCode
from editblocks.core.selection import Selection
from editblocks.faces.cli.dialog import choose
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import run

DONE = block("cart.py", "    return 2\n", "    return 2\n")  # nothing to do
AFTER = block("cart.py", "    return 10\n", "    return 100\n")  # needs TOTAL
BROKEN = "api.py\n<<<<<<< SEARCH\n    return 1\n"
# which blocks an answer takes: numbers, and places as `3@8`

TAKEN: tuple[tuple[str, str, str, str], ...] = (
    ("yes to each", FOUR, "y y p 2 y y", "1-2,4,3@8"),
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
    ("a key that is not offered asks again", FOUR, "r p v e y q", "1"),
    ("help asks again", FOUR, "? y n ? n q", "1"),
    ("a place by its number", FOUR, "n n p 1 y q", "3@3"),
    ("a place, and no", FOUR, "n n p 2 n q", ""),
    ("a place, and another", FOUR, "n n p 2 p 1 y q", "3@3"),
    ("no place after all", FOUR, "n n p - n q", ""),
    ("no number", FOUR, "n n p x n q", ""),
    ("a number that no place has", FOUR, "n n p 3 n q", ""),
    ("a line instead of a number", FOUR, "n n p 8 n q", ""),
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
    planned = run(chosen.response, MemoryRepo(FILES), chosen.settings, Options(chosen.select))
    left = [(row.code, row.reason) for row in planned.results[1:]]
    assert left == [(ReasonCode.NOT_SELECTED, "left out on request")] * 3


@pytest.mark.parametrize("text", ["", "only prose\n"])
def test_without_a_block_nothing_is_asked(text: str) -> None:
    before = request(text)
    person = Person(())
    assert choose(before, lambda: MemoryRepo(FILES), asker=person) == (before, False)
    assert (person.asked, person.shown) == ([], [])


# which keys are offered, block by block

KEYS: tuple[tuple[str, str, str, list[str]], ...] = (
    ("fine, with more of its file", TOTAL + TAX, "y", ["y,n,a,d,q,?", "y,n,a,d,q,?"]),
    ("fails, with more of its file", MISS + TAX, "n", ["n,d,q,?", "y,n,a,d,q,?"]),
    ("has places", API, "", ["n,d,p,q,?"]),
    ("cannot be read", BROKEN, "", ["n,d,q,?"]),
    ("is for no file", BROKEN.removeprefix("api.py\n"), "", ["n,q,?"]),
)


@pytest.mark.parametrize(("claim", "text", "answers", "expected"), KEYS, ids=[row[0] for row in KEYS])
def test_only_keys_that_make_sense_are_offered(claim: str, text: str, answers: str, expected: list[str]) -> None:
    _, person = hold(text, answers)
    assert person.asked == [f"apply this block [{keys}]?" for keys in expected], claim


ODD = (
    ("yes", TOTAL, "`yes` is not one of these keys"),
    ("g", TOTAL, "`g` is not one of these keys"),
    ("\x1b", TOTAL, "`\\x1b` is not one of these keys"),
    ("y", MISS, "`y` is not one of these keys"),
    ("A", MISS, "`a` is not one of these keys"),
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
        "d - do not apply this block or any later one of api.py\n"
        "p - choose a place for this block\n"
        "q - stop; apply only the blocks you said yes to\n"
        "? - print this help\n"
    )
    _, person = hold(TOTAL, "?")
    assert "a - apply this block and all later ones of cart.py that are ready\n" in person.shown[-1]


# what is shown


def test_a_block_that_is_ready() -> None:
    _, person = hold(FOUR, "")
    assert person.said == (
        "block 1 of 4, cart.py:2, exact\n def total():\n-    return 1\n+    return 10\n \n \n def tax():\n"
    )


def test_how_it_matched_is_shown() -> None:
    _, person = hold(block("cart.py", "return 2\n", "return 3\n"), "")
    assert person.said == (
        "block 1 of 1, cart.py:6, indentation, 4 more spaces (medium)\n"
        " \n \n def tax():\n-    return 2\n+    return 3\n"
    )


def test_several_runs_of_lines_say_where_they_are() -> None:
    old = "".join(f"x{at} = {at}\n" for at in range(12))
    person = Person(())
    edit = request(block("x.py", old, old.replace("= 0", "= 7").replace("= 11", "= 8")))
    choose(edit, lambda: MemoryRepo({"x.py": old.encode()}), asker=person)
    assert person.said == (
        "block 1 of 1, x.py:1-12, exact\n@@ -1,4 +1,4 @@\n-x0 = 0\n+x0 = 7\n x1 = 1\n x2 = 2\n x3 = 3\n"
        "@@ -9,4 +9,4 @@\n x8 = 8\n x9 = 9\n x10 = 10\n-x11 = 11\n+x11 = 8\n"
    )


def test_a_block_is_shown_on_what_was_taken_before_it() -> None:
    _, person = hold(TOTAL + AFTER, "y")
    assert person.shown[1].startswith("block 2 of 2, cart.py, exact\n def total():\n-    return 10\n+    return 100\n")


def test_a_block_that_fails_is_shown_with_its_reason() -> None:
    _, person = hold(API + MISS, "n n")
    assert person.shown[0] == (
        "block 1 of 2, api.py, failed: ambiguous: matches at lines 3 and 8 of api.py; add a line above or below\n"
        "    <<<<<<< SEARCH\n        return 1\n    =======\n        return 10\n    >>>>>>> REPLACE\n"
    )
    assert "  - SEARCH      return 5\n     + file        return " in person.shown[1]


def test_a_block_that_fails_is_shown_against_what_was_taken_before_it() -> None:
    _, person = hold(TOTAL + block("cart.py", "    return 19\n", "    return 100\n"), "y n")
    assert "failed: no-match: line 1 of the block differs from line 2 of cart.py after block 1, at " in person.shown[1]
    assert "  - SEARCH             return 19\n     + after block 1      return 10\n" in person.shown[1]


PLACES = """\
place 1:
      1  @route
      2  def a():
>     3      return 1
      4
      5
      6  @route
place 2:
      5
      6  @route
      7  def b():
>     8      return 1
"""


def test_the_places_of_a_block_are_numbered_and_shown_with_their_text() -> None:
    _, person = hold(API, "p 1 p 2")
    assert person.shown[1] == PLACES
    assert person.asked[1] == "at which place [1-2]?"
    assert person.shown[2] == (
        "block 1 of 1, api.py:3, exact, chosen\n @route\n def a():\n-    return 1\n+    return 10\n \n \n @route\n"
    )
    assert person.shown[3] == PLACES  # before anything is applied, as its numbers are
    assert person.shown[4].startswith("block 1 of 1, api.py:8, exact, chosen\n")


def test_a_place_that_is_only_alike_says_how_much() -> None:
    whole = FILES["cart.py"].decode().replace("1", "7")
    _, person = hold(block("cart.py", whole, whole.replace("2", "20")), "p 1")
    assert person.asked[:2] == ["apply this block [n,d,p,q,?]?", "at place [1]?"]
    assert re.match(r"place 1, 9[0-9] % alike:\n> {5}1  def total\(\):\n> {5}2      return 1\n", person.shown[1])
    assert person.shown[2].endswith(" def tax():\n-    return 2\n+    return 20\n")


def test_of_many_places_the_first_twenty_are_shown() -> None:
    person = Person(["p", "21", "p", "20", "y"])
    edit = request(block("x.py", "x = 1\n", "x = 2\n"))
    chosen, _ = choose(edit, lambda: MemoryRepo({"x.py": b"x = 1\n" * 23}), asker=person)
    assert person.shown[1].count("place ") == 20
    assert person.shown[1].endswith("\n3 more places: choose one with --only, such as --only 1@23\n")
    assert person.shown[2] == "`21` is not a place; write its number, such as 1\n"
    assert (person.asked[1], str(chosen.select)) == ("at which place [1-20]?", "1@20")


def test_a_long_block_that_fails_is_cut() -> None:
    _, person = hold(block("cart.py", "x\n" * 50, "y\n"), "")
    assert "    ... 14 more lines\n" in person.shown[0]
    assert person.shown[0].count("    x\n") == 39


def test_a_block_that_cannot_be_read() -> None:
    _, person = hold(BROKEN, "")
    assert person.shown[0].startswith("block 1 of 1, reply.md:2, failed: unclosed: block at line 2 has no ")
    assert "    <<<<<<< SEARCH\n" in person.shown[0]


def test_what_is_there_already_is_only_told() -> None:
    _, person = hold(DONE, "")
    assert person.asked == []
    assert person.said == ("block 1 of 1, cart.py, skipped: no-op: the old and new lines are the same; nothing to do\n")


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
    _, person = hold(text, "? \x1b[A")
    assert character not in person.said, what
    assert person.said.count("\n") > 1


def test_nothing_foreign_at_a_place_reaches_the_terminal_as_a_command() -> None:
    person = Person(["p", "\x1b[A"])
    choose(request(API), lambda: MemoryRepo({"api.py": b"# \x1b[2J\n    return 1\r\n    return 1\r\n"}), asker=person)
    assert (person.said.count("\x1b"), person.said.count("\r")) == (0, 0)
    assert "      1  # \\x1b[2J\n>     2      return 1\n" in person.shown[1]


def test_colours_are_only_our_own() -> None:
    person = Person(["q"], color=True)
    choose(request(TOTAL), lambda: MemoryRepo(FILES), asker=person)
    assert person.shown[0].startswith(
        "\x1b[1mblock 1 of 1, cart.py:2, exact\x1b[0m\n def total():\n"
        "\x1b[31m-    return 1\x1b[0m\n\x1b[32m+    return 10\x1b[0m\n \n"
    )


def test_one_of_several_responses_has_a_heading() -> None:
    person = Person(())
    choose(request(TOTAL), lambda: MemoryRepo(FILES), asker=person, heading=True)
    assert person.shown[0] == "reply.md:\n"


def test_line_ends_of_windows_are_not_shown() -> None:
    _, person = hold(TOTAL.replace("\n", "\r\n") + MISS.replace("\n", "\r\n"), "n")
    assert "\r" not in person.said
    assert "U+000D" not in person.said
    assert "␍" not in person.said
