"""What mends a block: one place that works, and a change that leads to the same file in every format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import formatkit
from support import report_outcomes as outcomes
from support.formatkit import block
from support.report_outcomes import with_facts

from editblocks.core.codes import EditStatus, State
from editblocks.core.errors import RepoError
from editblocks.core.model import ApplyResult, Candidate, EditResult
from editblocks.core.outcome import Outcome
from editblocks.core.selection import Selection
from editblocks.report.tools.formats import TOOLS
from editblocks.report.tools.tool_report import MOST, Fix, Report, fixes
from editblocks.report.view import OutcomeView

PATH = "a.py"
BODY = "def total(items):\n    price = sum(items)\n    tax = 0\n    return price + tax\n"
OLD = "def total(items):\n    price = sum(items)\n    tax = 0\n    return price + cents\n"


def _as_file(text: str, end: str = "\n") -> bytes:
    return text.replace("\n", end).encode()


# what the block asks for instead of OLD, which is nearly BODY → from where which lines go, and which come
CHANGES: list[tuple[str, str, Fix]] = [
    ("a line", OLD.replace("sum", "fsum"), Fix(
        PATH, 2, (("    price = sum(items)", "\n"),), (("    price = fsum(items)", "\n"),))),
    ("a line more", OLD.replace("    tax", "    extra = 1\n    tax"), Fix(
        PATH, 2, (("    price = sum(items)", "\n"),), (("    price = sum(items)", "\n"), ("    extra = 1", "\n")))),
    ("a line less", OLD.replace("    price = sum(items)\n", ""), Fix(
        PATH, 1, (("def total(items):", "\n"), ("    price = sum(items)", "\n")), (("def total(items):", "\n"),))),
    ("a blank line", OLD.replace("    price = sum(items)\n", "\n"), Fix(
        PATH, 1, (("def total(items):", "\n"), ("    price = sum(items)", "\n")),
        (("def total(items):", "\n"), ("", "\n")))),
]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("claim", "new", "fix"), CHANGES, ids=[row[0] for row in CHANGES])
def test_the_fix_of_the_only_place(claim: str, new: str, fix: Fix, end: str) -> None:
    shown = formatkit.report(block(PATH, OLD, new), {PATH: _as_file(f"import math\n{BODY}", end)})
    ended = fix._replace(
        old=tuple((line, end) for line, _ in fix.old),
        new=tuple((line, end) for line, _ in fix.new),
    )
    assert shown.fixes == {1: ended}, claim


NONE: list[tuple[str, Report]] = [
    ("it fits twice", formatkit.report(block(PATH, "x = 1\n", "x = 2\n"), {PATH: b"x = 1\ny\nx = 1\n"})),
    ("it fits nowhere", formatkit.report(block(PATH, "x = 1\n", "x = 2\n"), {PATH: b"something else\n"})),
    ("it cannot be merged", formatkit.report(block(PATH, OLD, OLD.replace("cents", "0")), {PATH: BODY.encode()})),
    ("nobody asked for it", formatkit.report(
        block(PATH, OLD, CHANGES[0][1]) + block("b.py", "b\n", "c\n"),
        {PATH: BODY.encode(), "b.py": b"b\n"}, only="2")),
    ("its file was changed", formatkit.report(
        block(PATH, "import a\n", "import b\n") + block(PATH, OLD, CHANGES[0][1]),
        {PATH: f"import a\n{BODY}".encode()}, only="ready", write=True)),
    ("it is ready", formatkit.report(block(PATH, BODY, "x\n"), {PATH: BODY.encode()})),
    ("it cannot be read", formatkit.report("a.py\n<<<<<<< SEARCH\nx\n", {})),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "shown"), NONE, ids=[row[0] for row in NONE])
def test_there_is_no_fix_where(claim: str, shown: Report) -> None:
    assert shown.fixes == {}, claim


def test_there_is_none_where_there_are_more_places_than_are_named() -> None:
    row = with_facts(outcomes.ambiguous(1, PATH, (1, 2)), candidates=(Candidate(1, 1, 1.0, "1@1"),), candidates_total=2)
    assert fixes(OutcomeView(outcomes.outcome(row)), _planner(b"a\n", b"b\n")) == {}


def test_a_file_that_is_gone_meanwhile_leaves_a_block_without() -> None:
    def gone(select: Selection) -> ApplyResult:
        raise RepoError(f"a.py is gone ({select})")

    assert fixes(OutcomeView(outcomes.outcome(outcomes.no_match(1, PATH))), gone) == {}


PLANS: tuple[tuple[ApplyResult, bool], ...] = (
    (ApplyResult((outcomes.applied(1, PATH),), (), {PATH: b"b\n"}, {PATH: b"a\n"}), True),
    (ApplyResult((outcomes.applied(1, PATH),), (), {PATH: b"b\n"}, {PATH: b""}), False),
    (ApplyResult((outcomes.applied(1, PATH),), (), {PATH: b"b\n"}, {PATH: None}), False),
    (ApplyResult((outcomes.applied(1, PATH),)), False),
    (ApplyResult((outcomes.no_match(1, PATH),)), False),
    (ApplyResult((outcomes.applied(2, PATH),), (), {PATH: b"b\n"}, {PATH: b"a\n"}), False),
)


@pytest.mark.parametrize(("plan", "has"), PLANS)
def test_only_a_plan_that_lands_is_a_fix(plan: ApplyResult, has: bool) -> None:
    found = fixes(OutcomeView(outcomes.outcome(outcomes.no_match(1, PATH))), lambda _: plan)
    assert bool(found) is has


def _planner(old: bytes, new: bytes) -> Any:
    """A plan in which the one block that is taken turns `old` into `new`."""

    def plan(select: Selection) -> ApplyResult:
        [number] = select.picks
        row = EditResult(outcomes.block(number, PATH), EditStatus.APPLIED)
        return ApplyResult((row,), (), {PATH: new}, {PATH: old})

    return plan


def test_only_so_many_are_planned() -> None:
    many = outcomes.outcome(*(outcomes.no_match(number, PATH) for number in range(1, MOST + 6)))
    assert list(fixes(OutcomeView(many), _planner(b"a\n", b"b\n"))) == list(range(1, MOST + 1))
    undone = many._replace(state=State.UNDONE)
    assert len(fixes(OutcomeView(undone), _planner(b"a\n", b"b\n"))) == MOST


# the same file, whichever format is followed


def _found(old: bytes, new: bytes) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The replacement of SARIF and the suggestion of rdjsonl for a block that turns `old` into `new`."""
    outcome: Outcome = outcomes.outcome(outcomes.no_match(1, PATH))
    shown = formatkit.of(outcome)._replace(fixes=fixes(OutcomeView(outcome), _planner(old, new)))
    [result] = json.loads(TOOLS["sarif"]([shown]))["runs"][0]["results"]
    diagnostic = json.loads(TOOLS["rdjsonl"]([shown]))
    if "fixes" not in result:
        assert "suggestions" not in diagnostic
        return None, None
    [change] = result["fixes"][0]["artifactChanges"]
    [replacement] = change["replacements"]
    assert change["artifactLocation"]["uri"] == diagnostic["location"]["path"] == PATH
    [suggestion] = diagnostic.get("suggestions", [None])
    assert suggestion is None or diagnostic["location"]["range"] == suggestion["range"]
    return replacement, suggestion


def _offset(text: str, line: int, column: int) -> int:
    """Where a position of SARIF is; columns count 16-bit units, and a line ends before its line end."""
    lines = text.split("\n")
    assert 1 <= line <= len(lines)
    content = lines[line - 1].removesuffix("\r")
    before = content.encode("utf-16-le", "surrogatepass")[: 2 * (column - 1)]
    assert len(before) == 2 * (column - 1)
    return sum(len(each) + 1 for each in lines[: line - 1]) + len(before.decode("utf-16-le", "surrogatepass"))


def _by_sarif(text: str, replacement: dict[str, Any]) -> str:
    region = replacement["deletedRegion"]
    start = _offset(text, region["startLine"], region["startColumn"])
    stop = _offset(text, region["endLine"], region["endColumn"])
    return f"{text[:start]}{replacement['insertedContent']['text']}{text[stop:]}"


def _by_reviewdog(text: str, suggestion: dict[str, Any]) -> list[str]:
    lines = _lines(text)
    first, last = suggestion["range"]["start"]["line"], suggestion["range"]["end"]["line"]
    assert 1 <= first <= last <= len(lines)
    return [*lines[: first - 1], *(suggestion["text"].split("\n") if suggestion["text"] else []), *lines[last:]]


def _lines(text: str) -> list[str]:
    *lines, rest = text.split("\n")
    return [line.removesuffix("\r") for line in (*lines, *([rest] if rest else []))]


FILES: list[tuple[str, str]] = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb\nc\n", "a\nb\nc\nd\n"),
    ("a\nb\nc", "a\nb\nc\nd"),
    ("a\nb\nc\n", "x\na\nb\nc\n"),
    ("a\nb\nc\n", "a\nc\n"),
    ("a\nb\nc", "a\nb"),
    ("a\nb\n", ""),
    ("a\n", "\n"),
    ("a\n", "\n\n"),
    ("a", "a\n"),
    ("a\n", "a"),
    ("a\r\nb\r\n", "a\r\nx\r\n"),
    ("a\r\nb\n", "a\r\nb\r\n"),
    ("é\n𐐀 b", "é\n𐐀 c"),
    ("a\n𐐀", "a\n𐐀\nb"),
]


@pytest.mark.parametrize(("old", "new"), FILES)
def test_a_fix_leads_to_the_file(old: str, new: str) -> None:
    replacement, suggestion = _found(old.encode(), new.encode())
    assert replacement is not None
    assert _by_sarif(old, replacement) == new
    assert (suggestion is None) == (_lines(new) == [""])
    assert suggestion is None or _by_reviewdog(old, suggestion) == _lines(new)


def test_a_byte_order_mark_counts_nowhere() -> None:
    replacement, _ = _found("\ufeffa\nb\n".encode(), "\ufeffx\nb\n".encode())
    assert replacement is not None
    assert _by_sarif("a\nb\n", replacement) == "x\nb\n"


TEXTS = st.lists(st.tuples(st.text("ab é𐐀", max_size=3), st.sampled_from(["\n", "\n", "\r\n"])), max_size=6).flatmap(
    lambda lines: st.sampled_from([text := "".join(map("".join, lines)), text.removesuffix("\n").removesuffix("\r")])
)


@pytest.mark.long
@given(TEXTS, TEXTS)
def test_any_change_leads_to_the_file(old: str, new: str) -> None:
    replacement, suggestion = _found(old.encode(), new.encode())
    if old and old != new:
        assert replacement is not None
        assert _by_sarif(old, replacement) == new
        assert suggestion is None or _by_reviewdog(old, suggestion) == _lines(new)
    else:
        assert (replacement, suggestion) == (None, None)
