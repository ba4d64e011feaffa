"""Blocks that fit nowhere or in too many places: docs/reference/rules.md, "three-way".

What a page shows better is in tests/cases/three-way and tests/cases/choosing.
"""

from collections.abc import Callable

import pytest
from support.planned import planned
from support.responses import block, verdicts

from editblocks import ApplyResult, EditBlock, Settings, parse_response
from editblocks.applying.files import FilePlan
from editblocks.applying.hunks import PlacementOptions
from editblocks.applying.own_lines import place_suggestion
from editblocks.applying.placing import place_block
from editblocks.core.blocks import ThreadLines
from editblocks.core.codes import FINE_CODES, ReasonCode
from editblocks.core.errors import ConfigError, RepoError, UnreadableFile
from editblocks.core.mismatch import Mismatch
from editblocks.core.selection import Selection
from editblocks.matching import indentation
from editblocks.matching.ladder import Budget, Placement
from editblocks.text.source_text import MOST_STARTS, SourceText

BASE = "a1b2c3d"
OLD, NEW = "a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n"
EDIT = block("a\nb\nc\nd\n", "a\nb\nc\nX\n")  # fits OLD alone, and changes what NEW did not


def plan(text: str, file: str, base: Callable[[str], bytes | None], **choices: str) -> ApplyResult:
    select = Selection.read(choices["only"]) if "only" in choices else None
    return planned(text, {"a.py": file.encode()}.get, base=BASE, read_base=lambda _: base, select=select)


def test_a_base_is_read_only_for_what_fits_nowhere() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return OLD.encode()

    assert verdicts(plan(EDIT, OLD, read)) == ["a.py exact"]
    assert asked == []
    assert verdicts(plan(EDIT + EDIT, NEW, read)) == ["a.py three-way", "a.py no-match"]
    assert asked == ["a.py"]


def test_a_base_without_a_block_that_an_earlier_run_applied_still_helps() -> None:
    first, second, third = "new first line\n", "new second line\n", "new third line\n"
    earlier = block("gone\n", first + second + third)
    result = plan(earlier + EDIT, NEW + first + second + third, {"a.py": OLD.encode()}.get)
    assert verdicts(result) == ["a.py already-applied", "a.py three-way"]


@pytest.mark.parametrize(("base", "shown"), [("abc1234", "abc1234"), ("a" * 40, f"{'a' * 12}…")])
def test_a_base_that_is_unknown_is_told_once(base: str, shown: str) -> None:
    result = planned(EDIT + EDIT, {"a.py": NEW.encode()}.get, base=base, read_base=lambda _: None)
    said = "is not in the history of this branch (on GitHub, write the commit with all 40 digits), so nothing is merged"
    assert [(note.code, note.message) for note in result.notes] == [("base-unknown", f"the base {shown} {said}")]


def binary(_path: str) -> bytes:
    return b"\0"


def link(path: str) -> bytes:
    raise UnreadableFile(ReasonCode.NOT_A_FILE, f"{path} is a symbolic link")


def nothing(_path: str) -> None:
    """The base has no such file."""


@pytest.mark.parametrize("base", [binary, link, nothing])
def test_a_base_that_is_no_text_helps_nobody(base: Callable[[str], bytes | None]) -> None:
    result = plan(EDIT, NEW, base)
    assert verdicts(result) == ["a.py no-match"]
    assert result.notes == ()


def test_a_base_that_cannot_be_read_ends_the_run() -> None:
    def read(path: str) -> bytes:
        raise RepoError(f"{path} cannot be read now")

    with pytest.raises(RepoError):
        plan(EDIT, NEW, read)


@pytest.mark.parametrize(("left", "code"), [(10, None), (9, ReasonCode.NO_MATCH)])
def test_merging_ends_with_the_budget(left: int, code: ReasonCode | None) -> None:
    [edit] = parse_response(EDIT).blocks
    ways = PlacementOptions(budget=Budget(merged_lines=left), commit=BASE, base=lambda: SourceText.of(OLD))
    outcome = place_block(edit, SourceText.of(NEW), ways)
    assert isinstance(outcome, Placement) or outcome.code not in FINE_CODES
    assert (outcome.code if isinstance(outcome, Mismatch) else None) is code
    assert [note.code for note in outcome.notes] == ["merged" if code is None else "base-unknown"]


def test_merging_a_suggestion_ends_with_the_budget() -> None:
    thread = ThreadLines(2, 2, "1" * 40)
    suggestion = EditBlock(1, "a.py", "suggestion", 1, 3, new_lines="B\n", action="edit", thread_lines=thread)
    ways = PlacementOptions(budget=Budget(merged_lines=6))
    outcome = place_suggestion(
        suggestion, FilePlan("a.py", b"a\nb\nc\nd\n"), SourceText.of("a\nb\nc\n"), ways, Settings()
    )
    assert isinstance(outcome, Mismatch)
    assert outcome == Mismatch(ReasonCode.TOO_LARGE, "the answer needs too much merging", "split it")


def test_who_chooses_a_place_gets_no_other_one() -> None:
    base = {"a.py": OLD.encode()}.get
    assert verdicts(plan(EDIT, NEW, base, only="1@1")) == ["a.py no-match"]
    assert verdicts(plan(EDIT, NEW, base, only="1")) == ["a.py three-way"]


# the file, the block, the line chosen, what becomes of it, and a word of the reason
CHOSEN: dict[str, tuple[str, str, int, str, str]] = {
    "there already": ("f\nb\ng\na\n", block("a\n", "b\n"), 2, "a.py already-applied", "already at a.py:2"),
    "there already, and two left": ("a\nb\na\n", block("a\n", "b\n"), 2, "a.py already-applied", "already at a.py:2"),
    "at another place": ("f\nb\ng\na\n", block("a\n", "b\n"), 3, "a.py no-match", "at line 4 of a.py, not at line 3;"),
    "at neither place": (
        "a\nb\na\n",
        block("a\n", "c\n"),
        2,
        "a.py ambiguous",
        "not at line 2: matches at lines 1 and 3",
    ),
    "nowhere": ("first\n", block("other\n", "c\n"), 1, "a.py no-match", "not at line 1: its old lines are not"),
    "past the end": ("a\nb\na\n", block("a\n", "c\n"), 9, "a.py ambiguous", "not at line 9: "),
    "merged before": (
        "def f():\n    x = first\n    return x\n    # more\n",
        block("    x = frist\n    return x\n", "    x = frist\n    return x\n    # more\n"),
        2,
        "a.py already-applied",
        "already at a.py:2",
    ),
}


@pytest.mark.parametrize(("file", "text", "line", "row", "reason"), CHOSEN.values(), ids=CHOSEN)
def test_a_place_that_was_chosen(file: str, text: str, line: int, row: str, reason: str) -> None:
    result = plan(text, file, nothing, only=f"1@{line}")
    assert verdicts(result) == [row]
    assert reason in (result.results[0].reason or "")


# the file, a block before, one that is put at a line, and what becomes of it; numbers of two versions are told apart
MOVED: dict[str, tuple[str, str, str, int, str]] = {
    "one place is new": (
        "k\nb\na\nd\n",
        block("b\n", "a\nx\n"),
        block("a\n", "c\n"),
        2,
        "not at line 2 of the branch: matches at line 3 of a.py, and at line 2 after block 1; "
        "add a line above or below",
    ),
    "both places are new": (
        "k\nb\nl\n",
        block("k\nb\n", "k\na\nk\na\n"),
        block("a\n", "c\n"),
        2,
        "not at line 2 of the branch: matches at lines 2 and 4 of a.py after block 1; add a line above or below",
    ),
    "the only place is new": (
        "k\nb\nl\n",
        block("b\n", "a\n"),
        block("a\n", "c\n"),
        2,
        "its old lines are at line 2 of a.py after block 1, not at line 2 of the branch; check both places",
    ),
    "nearly": (
        "first = 1\nsecond = 2\nlast\n",
        block("second = 2\n", "third = 3\n"),
        block("third = 4\n", "fourth = 4\n"),
        2,
        "not at line 2 of the branch: line 1 of the block differs from line 2 of a.py after block 1, ",
    ),
    "a place that is as it was": (
        "a\nb\na\nd\n",
        block("d\n", "e\n"),
        block("a\n", "c\n"),
        2,
        "not at line 2: matches at lines 1 and 3 of a.py; add a line above or below",
    ),
}


@pytest.mark.parametrize(("file", "before", "text", "line", "reason"), MOVED.values(), ids=MOVED)
def test_a_line_that_was_chosen_and_one_after_a_block_are_told_apart(
    file: str, before: str, text: str, line: int, reason: str
) -> None:
    result = plan(before + text, file, nothing, only=f"1,2@{line}")
    assert (result.results[1].reason or "").startswith(reason)


# base, file, the block's old and new lines; the file's line that is named, and the two lines that are shown
STALE: dict[str, tuple[str, str, str, str, int, tuple[str, str]]] = {
    "the line above changed too": ("a\nb\nc\nd\n", "a\nB\nC\nd\n", "c\n", "x\n", 2, ("b", "B")),
    "lines came above as well": ("a\nb\nc\nd\n", "a\nB\nnew\nC\nd\n", "c\n", "x\n", 2, ("b", "B")),
    "the two became one": ("a\nb\nc\nd\n", "a\nC\nd\n", "c\n", "x\n", 2, ("b", "C")),
    "the two are gone": ("a\nb\nc\nd\n", "a\nd\n", "c\n", "x\n", 2, ("b", "d")),
    "a blank line above is left": ("a\n\nc\n\nd\n", "a\n\nd\n", "c\n", "x\n", 3, ("c", "d")),
    "the line above changed alone": ("a\nb\nc\nd\n", "a\nB\nc\nD\n", "c\nd\n", "x\nc\nd\n", 2, ("b", "B")),
    "the line below changed too": ("a\nb\nc\nd\n", "a\nB\nC\nd\n", "b\n", "x\n", 2, ("b", "B")),
}


@pytest.mark.parametrize(("base", "file", "old", "new", "line", "lines"), STALE.values(), ids=STALE)
def test_a_stale_block_is_told_of_the_first_line_that_changed(
    base: str, file: str, *, old: str, new: str, line: int, lines: tuple[str, str]
) -> None:
    [row] = plan(block(old, new), file, {"a.py": base.encode()}.get).results
    found = row.first_difference
    assert row.code is ReasonCode.STALE
    assert (row.reason or "").startswith(f"a.py:{line} changed since {BASE}")
    assert found is not None
    assert (found.line, (found.expected, found.actual)) == (line, lines)


LONG = "  'first long entry',\n  'second long entry',\n  'third long entry',\n"
COPIED = {
    "the file says something else now": (f"B = [\n{LONG}]\nCONFIG = load()\n", "a.py stale"),
    "it is there twice by now": (f"B = [\n{LONG}]\n{LONG}", "a.py already-applied"),
}


@pytest.mark.parametrize(("file", "row"), COPIED.values(), ids=COPIED)
def test_new_lines_that_the_base_had_prove_nothing(file: str, row: str) -> None:
    base = {"a.py": f"B = [\n{LONG}]\nA = old(1)\n".encode()}.get
    assert verdicts(plan(block("A = old(1)\n", LONG), file, base)) == [row]


def test_a_base_that_does_not_fit_leaves_what_is_there() -> None:
    base = {"a.py": f"B = [\n{LONG}]\nA = new(1)\n".encode()}.get
    assert verdicts(plan(block("A = old(1)\n", LONG), f"B = [\n{LONG}]\n", base)) == ["a.py already-applied"]


@pytest.mark.parametrize(("left", "code"), [(1, ReasonCode.ALREADY_APPLIED), (0, ReasonCode.NO_MATCH)])
def test_without_a_budget_nothing_is_there_already(left: int, code: ReasonCode) -> None:
    [edit] = parse_response(block("A = old(1)\n", LONG)).blocks
    outcome = place_block(edit, SourceText.of(LONG), PlacementOptions(budget=Budget(left=left)))
    assert not isinstance(outcome, Placement)
    assert outcome.code is code


def test_equal_tokens_say_how_far_they_were_shifted() -> None:
    text = block("def f(self):\n    return 1\n", "def f(self):\n    return 2\n")
    file = {"a.py": b"class A:\n    def f(self):\n        return  1\n"}.get
    [row] = planned(text, file, settings=Settings(matching="loose")).results
    assert (row.strategy, [note.message for note in row.notes]) == (
        "syntax",
        ["old and new lines were shifted right by 4 spaces"],
    )


def test_a_base_over_the_limit_helps_nobody() -> None:
    assert verdicts(plan(EDIT, NEW, lambda _: OLD.encode() * 10**6)) == ["a.py no-match"]


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="matching is `lose`; use one of exact, standard, loose"):
        planned(EDIT, nothing, settings=Settings(matching="lose"))


def test_what_is_selected_has_to_be_there() -> None:
    with pytest.raises(ConfigError, match="there is no block 2; the answer has only block 1") as raised:
        plan(EDIT, OLD, nothing, only="2")
    assert raised.value.code is ReasonCode.BAD_COMMAND


def test_only_so_many_directories_are_listed_for_a_hint() -> None:
    asked: list[str] = []

    def entries(directory: str) -> dict[str, str]:
        asked.append(directory)
        return {"": {"src": "040000", "lib": "040000"}, "src": {"b.py": "100644"}}.get(directory, {})

    text = block("x\n", "y\n", "b.py")
    near = planned(text, {"src/b.py": b"x\n"}.get, entries=entries).results[0]
    assert near.reason == "there is no b.py; the nearest name is src/b.py"
    asked.clear()
    far = planned(text, {"src/b.py": b"x\n"}.get, entries=entries, listings=0).results[0]
    assert far.reason == "there is no b.py; check the path"
    assert set(asked) == {""}


@pytest.mark.parametrize(("lines", "is_found"), [(10, True), (999_800, False), (999_850, False)])
@pytest.mark.long(after=1)
def test_other_files_are_looked_through_as_long_as_that_is_cheap(lines: int, is_found: bool) -> None:
    text = block("a needle\n", "y\n") + block("", "y\n", "b.py") + block("", "y\n", "c.py")
    files = {"a.py": b"x\n", "b.py": b"\n" * lines, "c.py": b"a needle\n"}
    row = planned(text, files.get).results[0]
    assert [(hint.kind, hint.path, hint.lines) for hint in row.hints] == (
        [("elsewhere", "c.py", (1, 1))] if is_found else []
    )


INSERTIONS: dict[str, tuple[str, list[str]]] = {
    "both are there": ("x\nz\ny\nq\n", ["a.py already-applied", "a.py already-applied"]),
    "the second is there": ("x\nz\nq\n", ["a.py exact", "a.py already-applied"]),
    "the first is there": ("x\ny\nq\n", ["a.py already-applied", "a.py exact"]),
    "the line stands twice": ("x\nz\ny\nx\n", ["a.py ambiguous", "a.py earlier-failure"]),
    "none is there": ("x\nq\n", ["a.py exact", "a.py exact"]),
}


@pytest.mark.parametrize(("file", "rows"), INSERTIONS.values(), ids=INSERTIONS)
def test_two_insertions_at_one_line(file: str, rows: list[str]) -> None:
    text = block("x\n", "x\ny\n") + block("x\n", "x\nz\n")
    assert verdicts(planned(text, {"a.py": file.encode()}.get)) == rows


def test_an_insertion_of_what_an_earlier_block_took_out() -> None:
    text = block("x\ny\n", "x\n") + block("x\n", "x\ny\n")
    result = planned(text, {"a.py": b"x\ny\nq\n"}.get)
    assert verdicts(result) == ["a.py exact", "a.py exact"]
    assert result.contents == {}


def test_text_that_looks_like_a_step_of_indentation() -> None:
    count = MOST_STARTS + 6  # so many that the whole text is searched at once
    source = SourceText.of("    |\n" * count)
    for _ in range(2):
        assert len(list(indentation.find(["|"], ["x"], source))) == count


def test_loose_levels_are_asked_only_where_they_are_wanted() -> None:
    text = block(
        "def f(a):\n    total = 0\n    ...\n    return total\n", "def f(a):\n    total = 1\n    ...\n    return total\n"
    )
    file = "def f(a):\n    total = 0\n    for each in a:\n        total += each\n    return total\n"
    rows = {
        matching: verdicts(planned(text, {"a.py": file.encode()}.get, settings=Settings(matching=matching)))
        for matching in ("exact", "standard", "loose")
    }
    assert rows == {"exact": ["a.py no-match"], "standard": ["a.py no-match"], "loose": ["a.py elided"]}
