"""Where a hunk's place counts: docs/reference/rules.md, "where a hunk fits"."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support.enginekit import no_file
from support.hostile_responses import FLAT, growth
from support.hunkkit import hunk, numbered, scoped
from support.responses import verdicts

from editblocks import ApplyResult, EditBlock, EditStatus, ParseResult, Settings, apply_edits
from editblocks.applying.engine import Options, apply_parsed
from editblocks.core.blocks import Note, Split
from editblocks.core.codes import ReasonCode
from editblocks.core.selection import Selection

RATES = """\
def standard(kind):
    return 3


def reduced(kind):
    return 3
"""
RETURN = "-    return 3\n+    return 4\n"
LONG = "-    return 3\n+    return table_of_rates[kind].reduced_value\n"


def plan(blocks: Sequence[EditBlock], file: str) -> tuple[list[str], str]:
    """What becomes of each block, and of the file."""
    result = apply_edits(blocks, {"a.py": file.encode()}.get)
    return [row.removeprefix("a.py ") for row in verdicts(result)], after(result, file)


def after(result: ApplyResult, file: str) -> str:
    return (result.contents.get("a.py", file.encode()) or b"").decode()


def reasons(blocks: Sequence[EditBlock], file: str) -> list[str | None]:
    return [row.reason for row in apply_edits(blocks, {"a.py": file.encode()}.get).results]


# the file, the hunk, and what it becomes; a word is a failure
SCOPES: dict[str, tuple[str, EditBlock, str]] = {
    "one of two": (RATES, scoped(RETURN, "def reduced(kind):"), RATES[:-2] + "4\n"),
    "two in a region": ("f:\n a\n a\n", scoped("- a\n+ b\n", "f:"), "ambiguous"),
    "one, but elsewhere": ("f:\n x\ng:\n a\n", scoped("- a\n+ b\n", "f:"), "no-match"),
    "flat text: the one below": ("a\nf\ng\na\n", scoped("-a\n+b\n", "f"), "a\nf\ng\nb\n"),
    "flat text: two below": ("f\ng\na\na\n", scoped("-a\n+b\n", "f"), "ambiguous"),
    "no such line": (RATES, scoped(RETURN, "def zero(kind):"), "no-match"),
    "the level is found first": ("f:\n    a  \ng:\n    a\n", scoped("-    a\n+    b\n", "f:"), "no-match"),
    "it may begin with its scope": ("f:\n a\nf2:\n a\n", scoped(" f:\n- a\n+ b\n", "f:"), "f:\n b\nf2:\n a\n"),
    "at the end of its scope": ("f:\n a\ng:\n a\n", scoped("- a\n+ b\n", "g:", at_end=True), "f:\n a\ng:\n b\n"),
    "appended to the last region": ("f:\n a\n", scoped("+ b\n", "f:", at_end=True), "f:\n a\n b\n"),
    "a second run would take the next": ("f:\n a\nf:\n", scoped("-f:\n+g:\n", "f:"), "ambiguous"),
    "appended to another region": ("f:\n a\ng:\n a\n", scoped("+ b\n", "f:", at_end=True), "no-match"),
}


@pytest.mark.parametrize(("file", "block", "result"), SCOPES.values(), ids=SCOPES)
def test_a_scope_narrows(file: str, block: EditBlock, result: str) -> None:
    [verdict], text = plan([block], file)
    assert (verdict, text) == (("exact", result) if "\n" in result else (result, file))


def test_a_second_run_takes_no_twin_in_the_next_scope() -> None:
    for body, verdict in ((RETURN, "no-match"), (LONG, "already-applied")):
        block = scoped(body, "def reduced(kind):")
        _, text = plan([block], RATES)
        assert plan([block], text) == ([verdict], text)


APPEND = scoped("+x\n+y\n", at_end=True)
# the file, the hunks, the rows, the file after them
ENDS: dict[str, tuple[str, list[EditBlock], list[str], str]] = {
    "appended": ("a\n", [APPEND], ["exact"], "a\nx\ny\n"),
    "to a file without a last newline": ("a", [APPEND], ["exact"], "a\nx\ny"),
    "to an empty file": ("", [APPEND], ["exact"], "x\ny\n"),
    "appended before": ("a\nx\ny\n", [APPEND], ["already-applied"], "a\nx\ny\n"),
    "two": ("a\n", [APPEND, scoped("+z\n", at_end=True, number=2)], ["exact", "exact"], "a\nx\ny\nz\n"),
    "context at the end": ("a\nb\na\n", [scoped(" a\n+x\n", at_end=True)], ["exact"], "a\nb\na\nx\n"),
    "context elsewhere": ("a\nb\n", [scoped(" a\n+x\n", at_end=True)], ["no-match"], "a\nb\n"),
    "inserted before": ("a\nb\na\nx\n", [scoped(" a\n+x\n", at_end=True)], ["already-applied"], "a\nb\na\nx\n"),
    "inserted before, of equal lines": ("a\na\n", [scoped(" a\n+a\n", at_end=True)], ["already-applied"], "a\na\n"),
}


@pytest.mark.parametrize(("file", "blocks", "rows", "result"), ENDS.values(), ids=ENDS)
def test_a_hunk_may_have_to_end_the_file(file: str, blocks: list[EditBlock], rows: list[str], result: str) -> None:
    assert plan(blocks, file) == (rows, result)
    assert plan(blocks, result)[1] == result


def test_two_appended_texts_are_there_though_another_row_cannot_be_undone() -> None:
    blocks = [
        scoped(" }\n+}\n", number=1),
        scoped("+x\n", at_end=True, number=2),
        scoped("+}\n", at_end=True, number=3),
    ]
    _, text = plan(blocks, "a\n}\n")
    assert text == "a\n}\n}\nx\n}\n"
    assert plan(blocks, text)[1] == text


# the file, the hunk's lines, `ends`, the row, and the file after it
NEWLINES: dict[str, tuple[str, str, tuple[str, str], str, str]] = {
    "added": ("a\nb", "-b\n+c\n", ("no", ""), "exact", "a\nc\n"),
    "added alone": ("a\nb", "-b\n+b\n", ("no", ""), "exact", "a\nb\n"),
    "added alone, with its kind": ("a\r\nb", "-b\n+b\n", ("no", ""), "exact", "a\r\nb\r\n"),
    "there already": ("a\nb\n", "-b\n+b\n", ("no", ""), "no-op", "a\nb\n"),
    "dropped": ("a\nb\n", "-b\n+c\n", ("", "no"), "exact", "a\nc"),
    "dropped alone": ("a\nb\n", "-b\n+b\n", ("", "no"), "exact", "a\nb"),
    "dropped of a kept line": ("a\r\nb\r\nc\r\n", " a\n b\n-c\n", ("", "no"), "exact", "a\r\nb"),
    "dropped already": ("a\nb", "-b\n+b\n", ("", "no"), "no-op", "a\nb"),
    "both: as it was": ("a\nb\n", "-b\n+c\n", ("no", "no"), "exact", "a\nc\n"),
    "none: as it was": ("a\nb", "-b\n+c\n", ("", ""), "exact", "a\nc"),
    "both, none": ("a\nb", "-b\n+c\n", ("no", "no"), "exact", "a\nc"),
    "not at the end": ("b\na\n", "-b\n+c\n", ("no", "no"), "no-match", "b\na\n"),
    "the one at the end": ("b\nb\n", "-b\n+c\n", ("no", "no"), "exact", "b\nc\n"),
    "equal halves": ("b\n", "-b\n+b\n", ("no", "no"), "no-op", "b\n"),
    "a blank last line stays": ("a\n\n", " a\n-\n+\n", ("", "no"), "no-op", "a\n\n"),
}


@pytest.mark.parametrize(("file", "body", "ends", "row", "result"), NEWLINES.values(), ids=NEWLINES)
def test_the_newline_at_the_end(file: str, body: str, ends: tuple[str, str], row: str, result: str) -> None:
    block = hunk(body)._replace(ends=ends)
    plan_of = apply_edits([block], {"a.py": file.encode()}.get)
    assert verdicts(plan_of) == [f"a.py {row}"]
    assert after(plan_of, file) == result
    is_added = [note.message for note in plan_of.results[0].notes if note.code == "final-newline-added"]
    assert is_added == ["a.py ends in a newline now, as its patch asks"] * (row == "exact" and ends == ("no", ""))
    assert plan([block], result)[1] == result


TWINS = "x\na\ny\na\nz\n"
A = "-a\n+b\n"
# the file, the hunks, the rows, the file after them
NUMBERS: dict[str, tuple[str, list[EditBlock], list[str], str]] = {
    "chosen": (TWINS, [numbered(A, 4, 4)], ["exact"], "x\na\ny\nb\nz\n"),
    "nothing would be left of it": (TWINS, [numbered("-a\n", 4, 4)], ["ambiguous"], TWINS),
    "both of its section": (
        TWINS,
        [numbered("-a\n+b\n", 2, 2), numbered("-a\n+c\n", 4, 4, 2)],
        ["exact", "exact"],
        "x\nb\ny\nc\nz\n",
    ),
    "no place begins there": (TWINS, [numbered(A, 3, 3)], ["ambiguous"], TWINS),
    "beyond the end": (TWINS, [numbered(A, 99, 99)], ["ambiguous"], TWINS),
    "zero": (TWINS, [numbered(A, 0, 0)], ["ambiguous"], TWINS),
    "it does not move a single place": (TWINS, [numbered("-y\n+b\n", 1, 1)], ["exact"], "x\na\nb\na\nz\n"),
    "by tolerance": (TWINS.replace("a", "a "), [numbered(A, 4, 4)], ["ambiguous"], TWINS.replace("a", "a ")),
    "counted on the branch": (
        TWINS,
        [numbered(" x\n+n\n", 1, 1), numbered(A, 4, 5, 2)],
        ["exact", "exact"],
        "x\nn\na\ny\nb\nz\n",
    ),
    "another of its section stands elsewhere": (
        TWINS,
        [numbered(A, 4, 4), numbered("-z\n+w\n", 4, 4, 2)],
        ["ambiguous", "earlier-failure"],
        TWINS,
    ),
    "another of its section is not there": (
        TWINS,
        [numbered(A, 4, 4), numbered("-q\n+w\n", 8, 8, 2)],
        ["exact", "no-match"],
        "x\na\ny\nb\nz\n",
    ),
    "another section stands elsewhere": (
        TWINS,
        [numbered(A, 4, 4), numbered("-z\n+w\n", 4, 4, 2, section=2)],
        ["exact", "exact"],
        "x\na\ny\nb\nw\n",
    ),
    "the result is at its line, and a twin is left": (
        "x\nb\ny\na\nz\n",
        [numbered(A, 2, 2)],
        ["ambiguous"],
        "x\nb\ny\na\nz\n",
    ),
    "the same without a number": ("x\nb\ny\na\nz\n", [hunk(A)], ["exact"], "x\nb\ny\nb\nz\n"),
    "one line removed, and a twin is left": (
        "r\nr\nx\nr\n",
        [numbered(" r\n-x\n r\n", 1, 1)],
        ["ambiguous"],
        "r\nr\nx\nr\n",
    ),
    "both are at its line, and another says that it is done": (
        "b\nb\nq\n",
        [numbered("-b\n b\n", 1, 1), numbered("-a\n+q\n", 4, 3, 2)],
        ["ambiguous", "earlier-failure"],
        "b\nb\nq\n",
    ),
    "both are at its line, and it is the first run": (
        "b\nb\nb\nc\n",
        [numbered("-b\n b\n", 1, 1), numbered("-c\n+d\n", 4, 3, 2)],
        ["exact", "exact"],
        "b\nb\nd\n",
    ),
    "it stands at its line, and what it would insert around it by chance": (
        "a\nc\na\nc\nb\n",
        [numbered(" c\n+a\n+c\n b\n", 4, 4)],
        ["ambiguous"],
        "a\nc\na\nc\nb\n",
    ),
    "inserted before, at its own line": (
        "a\nb\nc\na\n",
        [numbered(" a\n+b\n", 1, 1)],
        ["already-applied"],
        "a\nb\nc\na\n",
    ),
}


@pytest.mark.parametrize(("file", "blocks", "rows", "result"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_chooses_among_exact_places(file: str, blocks: list[EditBlock], rows: list[str], result: str) -> None:
    assert plan(blocks, file) == (rows, result)


def test_a_place_chosen_by_its_number_is_less_sure() -> None:
    [row] = apply_edits([numbered(A, 4, 4)], {"a.py": TWINS.encode()}.get).results
    assert (row.confidence, row.span) == ("medium", (3, 4))
    assert [(note.code, note.message) for note in row.notes] == [
        ("line-chosen", "it fits 2 places; line 4 was used, because of the line number in the block")
    ]


def roo(old: str, new: str, line: int, number: int = 1) -> EditBlock:
    return EditBlock(number, "a.py", "roo", number, number, old_lines=old, new_lines=new, line_hint=line)


ROO: dict[str, tuple[str, list[EditBlock], list[str], str]] = {
    "chosen": (TWINS, [roo("a\n", "b\n", 4)], ["exact"], "x\na\ny\nb\nz\n"),
    "all of a file count together": (
        TWINS,
        [roo("a\n", "b\n", 4), roo("z\n", "w\n", 1, 2)],
        ["ambiguous", "earlier-failure"],
        TWINS,
    ),
    "its line afterwards counts what is added above": (
        "x\nn\nn\na\nb\ny\n",
        [roo("x\n", "x\nn\nn\n", 1), roo("a\n", "b\n", 3, 2)],
        ["already-applied", "ambiguous"],
        "x\nn\nn\na\nb\ny\n",
    ),
}


@pytest.mark.parametrize(("file", "blocks", "rows", "result"), ROO.values(), ids=ROO)
def test_numbers_above_a_block(file: str, blocks: list[EditBlock], rows: list[str], result: str) -> None:
    assert plan(blocks, file) == (rows, result)


# the file, the hunks, the rows, the file after them
ORDER: dict[str, tuple[str, list[EditBlock], list[str], str]] = {
    "a later one does not change what an earlier one added": (
        "x\ny\n",
        [numbered(" x\n+a\n", 1, 1), numbered("-a\n+b\n", 9, 9, 2)],
        ["exact", "no-match"],
        "x\na\ny\n",
    ),
    "nor stands around it": (
        "x\ny\n",
        [numbered(" x\n+a\n", 1, 1), numbered(" x\n-a\n", 1, 1, 2)],
        ["exact", "no-match"],
        "x\na\ny\n",
    ),
    "it takes the other place": (
        "x\na\n",
        [numbered("-x\n+a\n", 1, 1), numbered("-a\n+b\n", 9, 9, 2)],
        ["exact", "exact"],
        "a\nb\n",
    ),
    "what is found there counts as added": (
        "x\nlong enough to be distinctive, all of these letters\na\n",
        [
            numbered("-q\n+long enough to be distinctive, all of these letters\n", 2, 2),
            numbered("-long enough to be distinctive, all of these letters\n+r\n", 3, 3, 2),
        ],
        ["already-applied", "no-match"],
        "x\nlong enough to be distinctive, all of these letters\na\n",
    ),
    "another section may": (
        "x\ny\n",
        [numbered(" x\n+a\n", 1, 1), numbered("-a\n+b\n", 2, 2, 2, section=2)],
        ["exact", "exact"],
        "x\nb\ny\n",
    ),
    "above the one before": (
        "x\ny\n",
        [numbered("-y\n+b\n", 2, 2), numbered("-x\n+a\n", 1, 1, 2)],
        ["exact", "exact"],
        "a\nb\n",
    ),
    "the same twice": (
        "x\ny\n",
        [numbered(" x\n+a\n", 1, 1), numbered(" x\n+a\n", 1, 1, 2)],
        ["exact", "already-applied"],
        "x\na\ny\n",
    ),
}


@pytest.mark.parametrize(("file", "blocks", "rows", "result"), ORDER.values(), ids=ORDER)
def test_a_patch_speaks_of_the_file_before_it(file: str, blocks: list[EditBlock], rows: list[str], result: str) -> None:
    assert plan(blocks, file) == (rows, result)


def unsigned(a: str, b: str) -> EditBlock:
    """A hunk that deletes nothing and puts `+new` below its context, which can be read in two ways."""
    note = Note("context-unmarked", "line 3 does not begin with a space, + or -", 3)
    splits = tuple(Split((), "", "new\n", anchor=anchor, notes=(note,)) for anchor in (a, b))
    return hunk("+new\n")._replace(anchor=a, splits=splits)


# the file, both readings of the context, the row, and the file after it
SIGNS: dict[str, tuple[str, str, str, str, str]] = {
    "the first": ("x\ny\n", "x\ny\n", " x\ny\n", "exact", "x\ny\nnew\n"),
    "the second": (" x\ny\n", "x\ny\n", " x\ny\n", "exact", " x\ny\nnew\n"),
    "both, elsewhere": (" x\ny\nx\ny\n", "x\ny\n", " x\ny\n", "malformed", " x\ny\nx\ny\n"),
    "neither": ("q\n", "x\ny\n", " x\ny\n", "no-match", "q\n"),
    "one of them once": ("x\ny\nx\ny\n x\ny\n", "x\ny\n", " x\ny\n", "exact", "x\ny\nx\ny\n x\ny\nnew\n"),
    "no absent file is made": ("", "x\ny\n", " x\ny\n", "no-match", ""),
}


@pytest.mark.parametrize(("file", "a", "b", "row", "result"), SIGNS.values(), ids=SIGNS)
def test_lost_signs_are_settled_by_the_file(file: str, a: str, b: str, row: str, result: str) -> None:
    plan_of = apply_edits([unsigned(a, b)], {"a.py": file.encode()}.get)
    assert verdicts(plan_of) == [f"a.py {row}"]
    assert after(plan_of, file) == result
    assert [note.code for note in plan_of.results[0].notes] == ["context-unmarked"] * (row == "exact")


def test_scopes_count_for_both_readings() -> None:
    block = unsigned("x\ny\n", " x\ny\n")._replace(scopes=("f:",))
    file = "f:\n  f\nx\ny\nf2:\n  g\n"
    assert plan([block], file) == (["no-match"], file)


def test_blank_lines_are_matched_like_text() -> None:
    assert plan([hunk(" \n+x\n")], "a\n\nb\n") == (["exact"], "a\n\nx\nb\n")
    assert plan([hunk(" \n+x\n")], "a\n\nb\n\n") == (["ambiguous"], "a\n\nb\n\n")
    assert verdicts(apply_edits([hunk(" \n+x\n")], no_file)) == ["a.py file-not-found"]


def test_a_hunk_without_a_place_is_refused() -> None:
    block = hunk("+x\n")._replace(line_hint=1)
    assert reasons([block], "a\n") == ["it adds lines and does not say where; add a line above or below"]


def test_reasons_name_what_does_not_fit() -> None:
    two = "def f:\n  a\ndef g:\n  b\n  a\n"
    one = "def f:\n  a\ndef g:\n  b\n"
    edit = "-  a\n+  c\n"
    assert reasons([scoped(edit, "def g")], one) == [
        "its old lines are at line 2 of a.py, outside its scope `def g`; name the scope that holds the lines"
    ]
    assert reasons([scoped(edit, "def h")], two) == ["scope `def h` is not in a.py; copy the scope from the file"]
    assert reasons([scoped(edit, "def f", "def h")], two) == [
        "scope `def h` is not in a.py below `def f`; copy the scope from the file"
    ]
    assert reasons([scoped(edit, at_end=True)], one) == [
        "its old lines are at line 2 of a.py, but a.py does not end there;"
        " add the lines that follow, or leave out the end-of-file line"
    ]
    assert reasons([scoped("-  q\n+  c\n", "def h")], one) == [
        "scope `def h` is not in a.py; its old lines are not in a.py, and nothing close to them was found;"
        " copy the current lines"
    ]
    assert reasons([numbered("-  b\n+  a\n", 4, 4), numbered("   b\n   a\n-z\n", 4, 4, 2)], one)[0] is None
    assert reasons([numbered(" x\n+a\n", 1, 1), numbered("-a\n+b\n", 9, 9, 2)], "x\n")[1] == (
        "its old lines are at line 2 of a.py after block 1 only because another hunk of its patch adds lines there;"
        " write one hunk for both changes"
    )
    assert reasons([numbered(A, 2, 2)], "x\nb\ny\na\nz\n") == [
        "matches line 4 of a.py, and the new lines are already at line 2; check both places"
    ]
    assert reasons([numbered(A, 4, 4), numbered("-z\n+w\n", 4, 4, 2)], TWINS)[0] == (
        "matches at lines 4 and 2 of a.py; add a line above or below"
    )


def test_a_person_may_choose_a_place_that_counts() -> None:
    file = "f:\n a\n a\ng:\n a\n"
    parsed = ParseResult((scoped("- a\n+ b\n", "f:"),))
    for line, code in ((2, None), (3, None), (5, ReasonCode.AMBIGUOUS)):
        options = Options(Selection.read(f"1@{line}"))
        [row] = apply_parsed(parsed, {"a.py": file.encode()}.get, None, options).results
        assert row.code is code
        assert row.status is (EditStatus.FAILED if code else EditStatus.APPLIED)


# How long the file is, how many of its lines are the hunk, its scope, or what its patch added.
HOSTILE: dict[str, Callable[[int], tuple[list[EditBlock], str]]] = {
    "equal scopes": lambda n: ([scoped("-x\n+y\n", "f:")], "f:\n x\n" * n),
    "flat scopes": lambda n: ([scoped("-x\n+y\n", "f:")], "f:\n" * n),
    "scopes in scopes": lambda n: ([scoped("-x\n+y\n", *["f:"] * 16)], (" f:\n  f:\n   f:\nf:\n") * (n // 4)),
    "everywhere but at the end": lambda n: ([scoped("-x\n" * 99 + "+y\n" * 100, at_end=True)], "x\n" * n + "y\n"),
    "all of it added": lambda n: ([numbered(" y\n" + "+x\n" * n, 1, 1), numbered("-x\n" * 9, 2, 1, 2)], "y\n"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hunk_takes_calls_in_proportion(name: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        blocks, file = HOSTILE[name](size)
        return lambda: plan(blocks, file)

    assert growth(work, 4_096) <= FLAT


def test_loose_levels_stay_in_the_scope() -> None:
    body = "-    total = price * amount + taxes\n-    return round(total, 2)\n-    # done\n+    return 0\n"
    wrong = (
        "def f():\n    pass\n\n\ndef g():\n    total = price * amount + tax\n    return round(total, 2)\n    # done\n"
    )
    parsed, loose = ParseResult((scoped(body, "def f():"),)), Settings(matching="loose")
    assert verdicts(apply_parsed(parsed, {"a.py": wrong.encode()}.get, loose)) == ["a.py no-match"]
