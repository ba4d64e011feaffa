"""Pairs of texts of tool calls: docs/reference/formats/tool-calls.md."""

from typing import NamedTuple

import pytest
from support.call_blocks import JSON, RUN, TAGS, after, plan, replace, verdict
from support.planned import Given

from editblocks import EditBlock, Settings
from editblocks.core.blocks import ToolCall

CALLS = "ask for replace calls (old_string and new_string)"
EVERY = JSON._replace(is_every=True)
TWO = JSON._replace(place_count=2)
MAYBE = (
    "the text at a.py:1 reads like the new text, but nobody can tell whether a run wrote it; "
    "add the lines above and below to both texts"
)
LONG = "the_first_of_several_long_names = another_long_name(with, arguments)"


class Case(NamedTuple):
    """A file, a pair, the verdict, and the file after it, if it changes."""

    before: str
    old: str
    new: str
    verdict: str = "exact"
    after: str | None = None
    call: ToolCall = JSON


CASES: dict[str, Case] = {
    # a part of a line, exact
    "part of a line": Case("t = p * q  # net\n", "p * q", "p * q * r", after="t = p * q * r  # net\n"),
    "the same pair again": Case("t = p * q * r  # net\n", "p * q", "p * q * r", "already-applied"),
    "from the middle of a line to the middle of another": Case(
        "if f(x)\ny + 1\n", "f(x)\ny", "g(x)\nz", after="if g(x)\nz + 1\n"
    ),
    "more lines than before": Case("f(a)\n", "(a", "(a,\n  b", after="f(a,\n  b)\n"),
    "fewer lines than before": Case("f(a,\n  b)\n", ",\n  b", "", after="f(a)\n"),
    "old text with CRLF": Case("a\nb\nc\n", "a\r\nb", "x\r\ny", after="x\ny\nc\n"),
    "file with CRLF": Case("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", after="x\r\ny\r\nz\r\nc\r\n"),
    "line ends of two kinds": Case("a\r\nb\nc\n", "a\nb", "x\ny\nz", after="x\r\ny\nz\nc\n"),
    "a line break in a line of the rarer kind": Case("a\nb\nxx\r\n", "x", "p\nq", "ambiguous"),
    "the end of its line stays where a break comes": Case("a\nb\nuv\r\n", "u", "p\nq", after="a\nb\np\nqv\r\n"),
    "a lone CR is a character": Case("a\rb\nc\n", "\r", "-", after="a-b\nc\n"),
    "a lone CR fits no line end": Case("a\r\nb\r\n", "a\r", "x", "no-match"),
    "a BOM is no part of the text": Case("\ufeffa\nb\n", "\ufeffa", "\ufeffx", after="\ufeffx\nb\n"),
    "blanks alone": Case("a  b\n", "  ", " ", after="a b\n"),
    "a form feed": Case("a\fb\n", "\f", "\n", after="a\nb\n"),
    "a line break that the file does not have": Case("a", "\n", "x", "no-match"),
    # several places
    "two places": Case("b\nb\n", "b", "c", "ambiguous"),
    "two places in one line": Case("b b\n", "b", "c", "ambiguous"),
    "places that overlap": Case("aaa\n", "aa", "b", "ambiguous"),
    # every place
    "every place": Case("b b\nb\n", "b", "c", after="c c\nc\n", call=EVERY),
    "every place from the front": Case("aaa\n", "aa", "b", after="ba\n", call=EVERY),
    "every place over lines": Case("a\nb\nx\na\nb\n", "a\nb", "c", after="c\nx\nc\n", call=EVERY),
    "every place, and one of them at the end": Case("a\nb\na", "a", "c\nd", after="c\nd\nb\nc\nd", call=EVERY),
    "every place, and there is one": Case("b\n", "b", "c", after="c\n", call=EVERY),
    "every place, and there is none": Case("b\n", "x", "c", "no-match", call=EVERY),
    "every place, only by a tolerance": Case("  x = 1\n", "    x = 1", "    y = 1", "no-match", call=EVERY),
    "every place is done": Case("b, c\nb, c\n", "b", "b, c", "already-applied", call=EVERY),
    "some places are done": Case("b, c\nb\n", "b", "b, c", "ambiguous", call=EVERY),
    "every line": Case("a\nb\nc\nb\n", "b", "", after="a\nc\n", call=EVERY),
    "as many as said": Case("b\nb\n", "b", "c", after="c\nc\n", call=TWO),
    "fewer than said": Case("b\n", "b", "c", "ambiguous", call=TWO),
    "more than said": Case("b\nb\nb\n", "b", "c", "ambiguous", call=TWO),
    "none of those said": Case("a\n", "b", "c", "no-match", call=TWO),
    "as many as said are done": Case("b, c\nb, c\n", "b", "b, c", "already-applied", call=TWO),
    "every place, and not so many": Case("b\nb\nb\n", "b", "c", "ambiguous", call=TWO._replace(is_every=True)),
    "one is said": Case("b\n", "b", "c", after="c\n", call=JSON._replace(place_count=1)),
    "one is said, by a tolerance": Case(
        "  x = 1\n", "x = 1 ", "y = 1", "indentation", "  y = 1\n", JSON._replace(place_count=1)
    ),
    # an empty old text
    "empty old text, and a file is there": Case("a\n", "", "b\n", "file-exists"),
    "empty old text, and an empty file is there": Case("", "", "b", "create", "b"),
    "empty old text, and the file is the same": Case("b\n", "", "b\n", "already-applied"),
    # nothing to do
    "equal texts": Case("a\n", "b", "b", "no-op"),
    "equal but for line ends": Case("a\n", "a\r\nb", "a\nb", "no-op"),
    "old text is nowhere, new text is there": Case(f"a\nx = {LONG} + 1\n", "old", LONG, "already-applied"),
    "old text is nowhere, new text is there twice": Case(f"{LONG}\n{LONG}\n", "old", LONG, "no-match"),
    "old text is nowhere, and the new one may be there by chance": Case("a = 7\n", "19", "7", "no-match"),
    "a part that goes, again": Case("a\n", " # net", "", "no-match"),
    # line breaks
    "a final break in the new text alone": Case("a\nb\nc\n", "b", "x\n", after="a\nx\n\nc\n"),
    "a final break in the new text alone, in a line": Case("a b c\n", "b", "x\n", after="a x\n c\n"),
    "a final break in the old text alone": Case("a\nb\nc\n", "b\n", "x", "malformed"),
    "a final break in the old text alone, as it was run": Case("a\nb\nc\n", "b\n", "x", after="a\nxc\n", call=RUN),
    "a final break in the old text, and the file has none": Case("a\nb", "b\n", "x\ny\n", after="a\nx\ny"),
    "a final break in the old text alone, at an end without one": Case("a\nb", "b\n", "x", after="a\nx"),
    "a final break of the old text may be the end of the file": Case("b\na\nb", "b\n", "x\n", "ambiguous"),
    "the end of the file, with a final break": Case("a\nb", "b", "x\n", after="a\nx"),
    "the end of the file, as it was run": Case("a\nb", "b", "x\n", after="a\nx\n", call=RUN),
    "the end of the file, without a final break": Case("a\nb\n", "b\n", "x", after="a\nx\n"),
    "the end of the file, which gets a final break, as it was run": Case("a\nb", "b", "b\n", after="a\nb\n", call=RUN),
    "a final break that goes, as it was run": Case("a\nb\n", "b\n", "c\nb", after="a\nc\nb", call=RUN),
    "the end of the file, without a final break, as it was run": Case("a\nb\n", "b\n", "x", after="a\nx", call=RUN),
    "the end of the file, and a blank line": Case("a\nb", "b", "x\n\n", after="a\nx\n\n"),
    "the last line break goes": Case("a\nb\n", "\nb\n", "", after="a\n"),
    "whole lines go": Case("a\nb\nc\n", "b", "", after="a\nc\n"),
    "whole lines go with their break": Case("a\r\nb\r\nc\r\n", "b\n", "", after="a\r\nc\r\n"),
    "the last lines go": Case("a\nb\nc", "b\nc", "", after="a\n"),
    "all lines go": Case("a\nb\n", "a\nb", "", after=""),
    "a part of a line goes": Case("a b c\n", " b", "", after="a c\n"),
    "the rest of a line goes with its break": Case("a b\nc\n", " b\n", "", after="ac\n"),
    # a line that is broken, and the second run
    "a part becomes a line": Case("print(total)\n", "total", "\ntotal\n", after="print(\ntotal\n)\n"),
    "a part becomes a line, again": Case("print(\ntotal\n)\n", "total", "\ntotal\n", "ambiguous"),
    "a part becomes a line, at every place": Case(
        "f(x)\ng(x)\n", "x", "\nx\n", after="f(\nx\n)\ng(\nx\n)\n", call=EVERY
    ),
    "a part becomes a line, at every place, again": Case("f(\nx\n)\ng(\nx\n)\n", "x", "\nx\n", "ambiguous", call=EVERY),
    "a part becomes a line, at one of every place": Case("f(\nx\n)\ng(x)\n", "x", "\nx\n", "ambiguous", call=EVERY),
    "a part becomes an indented line": Case("<p>{a}</p>\n", "{a}", "\n  {a}\n", after="<p>\n  {a}\n</p>\n"),
    "a part becomes an indented line, again": Case("<p>\n  {a}\n</p>\n", "{a}", "\n  {a}\n", "already-applied"),
    "the end of a line goes to the next": Case("if x: run()\n", "run()", "log()\nrun()", after="if x: log()\nrun()\n"),
    "the end of a line goes to the next, again": Case("if x: log()\nrun()\n", "run()", "log()\nrun()", "ambiguous"),
    "a line above the start of one, below a longer one": Case(
        "from c import a\nimport b as d\n", "import b", "import a\nimport b", "ambiguous"
    ),
    "a line above one, with the longer one above": Case(
        "from c import a\nimport b\n",
        "from c import a\nimport b",
        "from c import a\nimport a\nimport b",
        after="from c import a\nimport a\nimport b\n",
    ),
    # a tolerance
    "blanks at a line's end": Case("a = 1\nb = 2\n", "a = 1 \nb = 2", "c = 3", "trailing-space", "c = 3\n"),
    "a shift": Case(
        "  a = 1\n    b = 2\n", "a = 1\n  b = 2\n", "c = 1\n  d = 2\n", "indentation", "  c = 1\n    d = 2\n"
    ),
    "a final break counts no more": Case("a = 1\nb\n", "a = 1 \n", "c", "trailing-space", "c\nb\n"),
    "signs alone": Case("  }\n", "}  \n)", "}", "no-match"),
    "signs alone, by a tolerance": Case("  )\n  }\n", ")\n}", "]", "no-match"),
    # entities
    "entities in tags": Case("a < b\n", "a &lt; b", "a &gt;= b", "exact", "a >= b\n", TAGS),
    "entities by number": Case("a < b\n", "a &#60; b", "a &#x3E; b", "exact", "a > b\n", TAGS),
    "entities, again": Case("a < b && c\n", "a &lt; b", "a &lt; b &amp;&amp; c", "already-applied", None, TAGS),
    "entities in JSON": Case("a < b\n", "a &lt; b", "a &gt; b", "no-match"),
    "entities that the file has": Case("a &lt; b\n", "a &lt; b", "a &gt; b", "exact", "a &gt; b\n", TAGS),
    "entities, and a raw sign in the new text": Case("a < b\n", "a &lt; b", "a > b", "no-match", None, TAGS),
    "entities, and a raw sign in the old text": Case("a < b && c\n", "a &lt; b && c", "a", "no-match", None, TAGS),
    "entities, twice in the file": Case("a < b\na < b\n", "a &lt; b", "c", "no-match", None, TAGS),
    "entities that nothing stands for": Case("a\n", "&nbsp;b", "c", "no-match", None, TAGS),
    # new text that may not be written
    "a placeholder": Case("a = 1\nb = 2\n", "a = 1\nb = 2", "# ... existing code ...\nb = 3", "placeholder"),
    "a hidden character": Case("a = 1\n", "1", "\u200b2", "hidden-text"),
    "half a character": Case("a = 1\n", "1", "\ud800", "encoding"),
    "line numbers in the new text": Case("a = 1\nb = 2\n", "a = 1\nb = 2", "1\ta = 1\n2\tb = 3", "malformed"),
}


def run(case: Case, data: bytes) -> tuple[str, bytes | None]:
    result = plan(replace(case.old, case.new, case.call), {"a.py": data})
    return verdict(result), after(result, data)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_pair_of_texts(case: Case) -> None:
    data = case.before.encode()
    row, written = run(case, data)
    expected = data if case.after is None else case.after.encode()
    assert (row, written) == (case.verdict, expected)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_pair_of_texts_in_a_file_with_crlf(case: Case) -> None:
    if "\r" in case.before:
        return
    data = case.before.replace("\n", "\r\n").encode()
    row, written = run(case, data)
    text = case.before if case.after is None else case.after
    if case.old and text:
        assert (row, written) == (case.verdict, text.replace("\n", "\r\n").encode())


ONCE_MORE = {"a BOM is no part of the text", "every place from the front"}  # they would go on


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.after is not None])
def test_a_second_run_changes_nothing(name: str) -> None:
    case = CASES[name]
    _, once = run(case, case.before.encode())
    _, twice = run(case, once or b"")
    if not case.new and case.old in (once or b"").decode():
        return
    assert twice == once


def test_notes() -> None:
    def notes(block: EditBlock, data: bytes) -> list[str]:
        [row] = plan(block, {"a.py": data}).results
        return [note.code for note in row.notes]

    assert notes(replace("b", "x\n"), b"a\nb\nc\n") == ["line-break-added"]
    assert notes(replace("b", "x\n"), b"a\nb") == []
    assert notes(replace("a &lt; b", "c", TAGS), b"a < b\n") == ["entities-decoded"]
    assert notes(replace("a", "c"), b"a\r\nb\n") == ["mixed-line-ends"]


# a file, what is chosen, the verdict, the file after it
CHOICES: dict[str, tuple[str, str, str, str | None]] = {
    "one of two lines": ("f(b)\ng(b)\n", "1@2", "exact", "f(b)\ng(c)\n"),
    "a line with two places": ("b b\nb\n", "1@1", "ambiguous", None),
    "a line with one place, beside one with two": ("b b\nb\n", "1@2", "exact", "b b\nc\n"),
    "a line without a place": ("b\nx\nb\n", "1@2", "ambiguous", None),
    "another line than the only one": ("b\nx\n", "1@2", "no-match", None),
    "the only line": ("b\nx\n", "1@1", "exact", "c\nx\n"),
}


@pytest.mark.parametrize(("before", "only", "row", "text"), CHOICES.values(), ids=CHOICES)
def test_a_person_chooses_a_line(before: str, only: str, row: str, text: str | None) -> None:
    data = before.encode()
    result = plan(replace("b", "c"), {"a.py": data}, only=only)
    assert (verdict(result), after(result, data)) == (row, data if text is None else text.encode())


def test_a_place_that_is_done_can_be_chosen() -> None:
    result = plan(replace("b", "b, c"), {"a.py": b"f(b, c)\ng(b)\n"}, only="1@1")
    assert verdict(result) == "already-applied"
    result = plan(replace("b", "\nb\n"), {"a.py": b"f(\nb\n)\ng(b)\n"}, only="1@2")
    assert verdict(result) == "ambiguous"


@pytest.mark.parametrize(
    ("before", "picks", "reason"),
    [
        ("b\nx\nb\n", ["1@1", "1@3"], "matches at lines 1 and 3 of a.py; add a line above or below"),
        (
            "b b\nb\n",
            [None, "1@2"],
            "the old text occurs 3 times in a.py, first in lines 1 and 2; add text before or after it",
        ),
        ("b b\n", [None], "the old text occurs 2 times in a.py, first in line 1; add text before or after it"),
        ("b\n" * 60, [f"1@{line}" for line in range(1, 51)], None),
        ("b b\n" * 30 + "b\n", [None] * 25, None),
    ],
)
def test_candidates(before: str, picks: list[str | None], reason: str | None) -> None:
    [row] = plan(replace("b", "c"), {"a.py": before.encode()}).results
    assert [each.pick for each in row.candidates] == picks
    assert row.candidates_total == before.count("b")
    if reason is not None:
        assert row.reason == reason


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("some places are done", "1 of 2 places already have the new text; write a call for each place that is left"),
        (
            "fewer than said",
            "the call asks for 2 places, and the file has 1; count them again, or write a call for each place",
        ),
        (
            "more than said",
            "the call asks for 2 places, and the file has 3; count them again, or write a call for each place",
        ),
        (
            "a final break in the old text alone",
            "lines 2 and 3 would run together; end both texts with a line break, or neither",
        ),
        ("the same pair again", "the new text is already at a.py:1; nothing to do"),
        ("a part becomes a line, again", MAYBE),
        ("a part becomes a line, at every place, again", MAYBE),
        ("empty old text, and a file is there", f"a.py already has 1 line; {CALLS}"),
    ],
)
def test_reasons(case: str, reason: str) -> None:
    before, old, new, *_, call = CASES[case]
    [row] = plan(replace(old, new, call), {"a.py": before.encode()}).results
    assert row.reason == reason


# the file, pairs, the verdicts, the file after them
SEVERAL: dict[str, tuple[str, list[tuple[str, str]], list[str], str]] = {
    "each sees what the one before it did": ("a\n", [("a", "b"), ("b", "c")], ["exact", "exact"], "c\n"),
    "two equal pairs for two places": ("b b\n", [("b", "c")] * 2, ["exact", "exact"], "c c\n"),
    "two equal pairs that add": ("b;\nb;\n", [("b", "b, c")] * 2, ["exact", "exact"], "b, c;\nb, c;\n"),
    "two equal pairs that are done": ("b, c;\nb, c;\n", [("b", "b, c")] * 2, ["already-applied"] * 2, "b, c;\nb, c;\n"),
    "two equal pairs that break lines": (
        "f(x)\ng(x)\n",
        [("x", "\nx\n")] * 2,
        ["exact", "exact"],
        "f(\nx\n)\ng(\nx\n)\n",
    ),
    "two equal pairs that broke lines": (
        "f(\nx\n)\ng(\nx\n)\n",
        [("x", "\nx\n")] * 2,
        ["ambiguous", "earlier-failure"],
        "f(\nx\n)\ng(\nx\n)\n",
    ),
    "two equal pairs that break lines, one of which is broken": (
        "f(\nx\n)\ng(x)\n",
        [("x", "\nx\n")] * 2,
        ["ambiguous", "earlier-failure"],
        "f(\nx\n)\ng(x)\n",
    ),
    "two equal pairs, and an equal text that another pair wrote": (
        "y\ng(x)\nh(x)\n",
        [("y", "f(\nx\n)"), ("x", "\nx\n"), ("x", "\nx\n")],
        ["exact", "exact", "exact"],
        "f(\nx\n)\ng(\nx\n)\nh(\nx\n)\n",
    ),
    "two equal pairs, and two equal texts that another pair wrote": (
        "y\n",
        [("y", "f(\nx\n)\ng(\nx\n)"), ("x", "\nx\n"), ("x", "\nx\n")],
        ["exact", "ambiguous", "earlier-failure"],
        "f(\nx\n)\ng(\nx\n)\n",
    ),
    "two equal pairs for three places": ("b b b\n", [("b", "c")] * 2, ["ambiguous", "earlier-failure"], "b b b\n"),
    "two equal pairs for one place": ("b\n", [("b", "c")] * 2, ["exact", "no-match"], "c\n"),
    "three equal pairs for places that overlap": (
        "aaaa\n",
        [("aa", "b")] * 3,
        ["ambiguous", "earlier-failure", "earlier-failure"],
        "aaaa\n",
    ),
    "two insertions at one line": ("a\n", [("a\n", "a\nb\n"), ("a\n", "a\nc\n")], ["exact", "exact"], "a\nc\nb\n"),
    "two insertions at one line that are done": (
        "a\nc\nb\n",
        [("a\n", "a\nb\n"), ("a\n", "a\nc\n")],
        ["already-applied"] * 2,
        "a\nc\nb\n",
    ),
    "two insertions in one line that are done": (
        "f(a, c, b)\n",
        [("a", "a, b"), ("a", "a, c")],
        ["already-applied"] * 2,
        "f(a, c, b)\n",
    ),
    "a failure": ("a\nb\n", [("x", "y"), ("b", "c")], ["no-match", "earlier-failure"], "a\nb\n"),
}


@pytest.mark.parametrize(("before", "pairs", "expected", "text"), SEVERAL.values(), ids=SEVERAL)
def test_several_pairs(before: str, pairs: list[tuple[str, str]], expected: list[str], text: str) -> None:
    data = before.encode()
    result = plan([replace(*pair) for pair in pairs], {"a.py": data})
    assert [verdict(result, index) for index in range(len(pairs))] == expected
    assert after(result, data) == text.encode()


def test_equal_pairs_of_which_a_person_takes_one() -> None:
    result = plan([replace("b", "c")] * 2, {"a.py": b"b b\n"}, only="1")
    assert [verdict(result, index) for index in range(2)] == ["ambiguous", "not-selected"]


def test_exact_matching_stops_before_tolerance() -> None:
    block = replace("x = 1 ", "y = 1")
    assert verdict(plan(block, {"a.py": b"x = 1\n"})) == "trailing-space"
    assert verdict(plan(block, {"a.py": b"x = 1\n"}, Settings(matching="exact"))) == "no-match"


def based(block: EditBlock, head: bytes, base: bytes, matching: str = "standard") -> tuple[str, bytes | None]:
    tree = Given({"a.py": head}.get, None, lambda _: {"a.py": base}.get)
    result = plan(block, tree, Settings(matching=matching), base="1234567")  # type: ignore[arg-type]
    return verdict(result), after(result, head)


def test_a_part_of_the_base_is_merged() -> None:
    base = b"f(a)\ng(b)\n\n\nh(c)\n"
    head = b"f(a)\ng(b)\n\n\nh(c, 1)\n"
    assert based(replace("g(b)\n\n\nh(c)", "g(x)\n\n\nh(c)"), head, base) == ("three-way", head.replace(b"b", b"x"))
    assert based(replace("h(c)", "h(x)"), head, base) == ("stale", head)
    assert based(replace("h(c)", "h(x)"), head, base, "exact") == ("no-match", head)
    assert based(replace("h(c)", "h(x)", EVERY), head, base) == ("no-match", head)
    # What was in the base before proves nothing.
    unlike = f"1\n{LONG}\n".encode()
    assert based(replace("zzz", LONG), unlike, b"1\nzzz\n") == ("already-applied", unlike)
    assert based(replace("zzz", LONG), unlike, b"1\nzzz\n" + unlike[2:]) == ("stale", unlike)
    done = f"f(a)\n  {LONG}\n".encode()
    assert based(replace("h(c)", LONG), done, b"f(a)\n  h(c)\n") == ("already-applied", done)
    assert based(replace("h(c)", LONG), done, b"f(a)\n  h(c)\n" + done[5:]) == ("stale", done)


def test_loose_matching_compares_lines() -> None:
    file = b"def f():\n    first = one(1)\n    second = two(2)\n    third = three(3)\n    return first\n"
    old = "def f():\n    first = one(1)\n    second = two(2)\n    third = three(33)\n    return first\n"
    block = replace(old, old.replace("first = one(1)", "first = one(11)"))
    assert verdict(plan(block, {"a.py": file})) == "no-match"
    result = plan(block, {"a.py": file}, Settings(matching="loose"))
    assert (verdict(result), after(result, file)) == ("fuzzy", file.replace(b"one(1)", b"one(11)"))


# the file, old text, hints: kind and first line, or words
HINTS: dict[str, tuple[str, str, list[tuple[str, object]]]] = {
    "escaped twice": ("x\na\n  b\n", "a\\n  b", [("escaped", 2)]),
    "escaped quotes": ('f("a")\n', 'f(\\"a\\")', [("escaped", 1)]),
    "escaped, and there twice": ("a\tb\na\tb\n", "a\\tb", []),
    "other quotes in a line": ("x = f('a', 'b')  # c\n", 'f("a", "b")', [("spelled", ("quotes",))]),
    "typographic quotes": ('say("a")\n', "say(“a”)", [("spelled", ("quotes",))]),
    "signs alone": ("''\n", '"', []),
    "numbers of a listing": ("a = 1\nb = 2\n", "12\ta = 1\n13\tb = 2", [("numbered", 12)]),
    "a part that is written otherwise": ("first = 1  # x\n", " first = 1 ", [("part", None)]),
    "the new text is there": ("a = other\n", "a = old", [("there", 1)]),
    "a first line far above the others": ("\n\n\n\n\na\naa", "\n\n\n\naa", [("blank-lines", 0)]),
}


@pytest.mark.parametrize(("before", "old", "expected"), HINTS.values(), ids=HINTS)
def test_hints(before: str, old: str, expected: list[tuple[str, object]]) -> None:
    [row] = plan(replace(old, "a = other"), {"a.py": before.encode()}, Settings(matching="exact")).results
    assert row.code is not None
    assert row.code.value == "no-match"
    found = [(each.kind, each.words if each.kind == "spelled" else each.lines[0]) for each in row.hints]
    assert found == [pair for pair in expected if pair[0] != "part"]


def test_hints_in_words() -> None:
    def reason(before: str, old: str) -> str:
        return plan(replace(old, "a"), {"a.py": before.encode()}).results[0].reason or ""

    assert "old text is escaped twice: unescaped once, it matches line 2, escape it once" in reason(
        "x\na b\nc\n", "a b\\nc"
    )
    there = "old text differs only in quotes: `\"` where the file has `'`"
    assert there in reason("ab\nc('a', 'b')\n", 'ab\nc("a", "b")')


@pytest.mark.parametrize(
    ("old", "new", "operation"),
    [
        ("a b", "a", "modify"),
        ("b", "", "modify"),
        ("b\n", "", "delete-lines"),
        ("b", "b\nc", "insert"),
        ("", "c", "create"),
    ],
)
def test_a_pair_has_a_word_of_the_schema(old: str, new: str, operation: str) -> None:
    assert replace(old, new).operation == operation


def test_the_digest_covers_what_lines_do_not_say() -> None:
    one = replace("a", "b")
    others = [replace("a\n", "b"), replace("a", "b\n"), replace("a", "b", EVERY), replace("a", "b", TWO)]
    assert len({block.digest for block in (one, *others)}) == 5
    assert one.digest == replace("a", "b", RUN).digest
