"""Fixes of linters: what a version becomes, whatever the order of the edits; and real output of ruff."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_responses import MOST, growth
from support.planned import planned

from editblocks import ApplyResult, EditStatus, Settings
from editblocks.core.codes import ReasonCode
from editblocks.core.model import Written
from editblocks.core.outcome import Source

BASE = "4be1d02"
Edit = tuple[int, int, str]  # from a character of the text to another, and what replaces them


def position(text: str, at: int) -> dict[str, int]:
    return {"line": text.count("\n", 0, at) + 1, "column": at - text.rfind("\n", 0, at)}


def diagnostic(text: str, *edits: Edit) -> dict[str, Any]:
    suggestions = [
        {"range": {"start": position(text, start), "end": position(text, stop)}, "text": new}
        for start, stop, new in edits
    ]
    return {"message": "m", "location": {"path": "a.py"}, "suggestions": suggestions}


def document(*diagnostics: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in diagnostics)


def apply(response: str, now: str, base: str, **about: Any) -> ApplyResult:
    files = {"a.py": now.encode()}
    old = {"a.py": base.encode()}
    return planned(response, files.get, read_base=lambda _: old.get, base=BASE, **about)


def text_of(result: ApplyResult, before: str) -> str:
    data = result.contents.get("a.py", before.encode())
    assert data is not None
    return data.decode()


def replaced(text: str, edits: list[Edit]) -> str:
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


TEXTS = st.text("ab\n", max_size=24)
NEW_TEXTS = st.text("xy\n", max_size=4)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text and edits of it, in any order: none overlaps, no two begin at one place, and none says what is there."""
    text = draw(TEXTS)
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = [(start, stop, draw(NEW_TEXTS)) for number, (start, stop) in enumerate(pairwise(edges)) if number % 2 == 0]
    starts = [start for start, _, _ in edits]
    edits = [edit for edit in edits if starts.count(edit[0]) == 1 and text[edit[0] : edit[1]] != edit[2]]
    return text, draw(st.permutations(edits))


@given(texts_with_edits())
def test_blocks_make_what_their_edits_make_whatever_their_order(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    response = document(*(diagnostic(text, edit) for edit in edits))
    result = apply(response, text, text)
    assert [row.status for row in result.results] == [EditStatus.APPLIED] * len(edits)
    after = text_of(result, text)
    assert after == replaced(text, edits)
    again = apply(response, after, text)
    assert text_of(again, after) == after


@given(texts_with_edits())
def test_edits_of_one_block_make_what_those_of_several_make(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    result = apply(document(diagnostic(text, *edits)), text, text)
    assert text_of(result, text) == replaced(text, edits)


@given(texts_with_edits())
def test_nothing_is_written_to_a_file_that_differs_from_the_base(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    result = apply(document(*(diagnostic(text, edit) for edit in edits)), f"new\n{text}", text)
    assert not result.contents
    assert {row.code for row in result.results} <= {ReasonCode.STALE}


def test_a_fix_that_is_refused_moves_no_other() -> None:
    text = "a\nb\nc\nd\n"
    refused, applied = apply(
        document(diagnostic(text, (0, 0, "x\u200b\n")), diagnostic(text, (4, 5, "C"))), text, text
    )[0]
    assert refused.code is ReasonCode.HIDDEN_TEXT
    assert applied.written == Written(("c",), ("C",))
    assert applied.estimated_line == 3


@given(texts_with_edits(), st.sampled_from(["\r\n", "\n"]))
def test_line_ends_are_those_of_the_file(case: tuple[str, list[Edit]], end: str) -> None:
    text, edits = case
    before = text.replace("\n", end)
    result = apply(document(*(diagnostic(text, edit) for edit in edits)), before, before)
    after = text_of(result, before)
    if "\n" not in text:
        end = "\n"  # a file without a line end gets the usual one
    assert after == replaced(text, edits).replace("\n", end)


@pytest.mark.parametrize("kind", ["comment", "review", "review-comment", "suggestions", "body"])
def test_a_document_in_a_comment_is_one_row(kind: str) -> None:
    text = document(diagnostic("a\n", (0, 1, "b")), diagnostic("a\n", (0, 1, "c")))
    result = apply(text, "a\n", "a\n", source=Source("1", kind))
    [problem] = result.problems
    assert not result.results
    assert problem.code is ReasonCode.UNSUPPORTED_FORMAT
    assert problem.message == "a document in `rdjson` (line 1) is not supported in comments; apply it from a file"


@pytest.mark.parametrize("kind", ["file", "stdin", "clipboard", "text"])
def test_elsewhere_its_fixes_are_rows(kind: str) -> None:
    assert apply(document(diagnostic("a\n", (0, 1, "b"))), "a\n", "a\n", source=Source("1", kind)).ok


@pytest.mark.parametrize("depth", [65, 100_000])
@pytest.mark.parametrize("start", ['{"runs": [{"artifactChanges": ', '{"diagnostics": [{"suggestions": '])
def test_deep_json_is_a_sentence(depth: int, start: str) -> None:
    [problem] = apply(start + "[" * depth, "a\n", "a\n").problems
    assert problem.code is ReasonCode.TOO_LARGE


@pytest.mark.parametrize(
    "number", ["9" * 1_000_000, "1e999", "-1", "1.0", "true", '"1"', "99999999"], ids=lambda text: text[:12]
)
def test_a_number_that_is_no_line_is_a_sentence(number: str) -> None:
    text = document(diagnostic("a\n", (0, 1, "b"))).replace('"line": 1', f'"line": {number}', 1)
    [problem] = apply(text, "a\n", "a\n", settings=Settings(max_response_bytes=4_000_000)).problems
    assert problem.code is ReasonCode.MALFORMED


def test_half_a_character_is_a_sentence() -> None:
    text = document(diagnostic("a\n", (0, 1, "\ud83d")))
    [problem] = apply(text, "a\n", "a\n").problems
    assert problem.code is ReasonCode.MALFORMED


def test_more_fixes_than_may_be_are_one_row() -> None:
    text = document(*(diagnostic("a\n", (0, 1, "b")) for _ in range(4)))
    [problem] = apply(text, "a\n", "a\n", settings=Settings(max_blocks=3)).problems
    assert problem.code is ReasonCode.TOO_LARGE


def many_fixes(count: int, *, are_on_one_line: bool) -> Any:
    end = " " if are_on_one_line else "\n"
    text = f"a{end}" * count
    response = document(*(diagnostic(text, (2 * at, 2 * at + 1, "b")) for at in range(count)))
    settings = Settings(max_blocks=2_000)
    return lambda: apply(response, text, text, settings=settings)


@pytest.mark.parametrize("are_on_one_line", [False, True], ids=["a line each", "all on a line"])
@pytest.mark.long
def test_many_fixes_take_calls_in_proportion(*, are_on_one_line: bool) -> None:
    assert growth(lambda size: many_fixes(size, are_on_one_line=are_on_one_line), 100) <= MOST


RUFF = """import os
import sys, re

def f(x):
    if x:
        print(f"no placeholder", re)
    return x\x20


x = 1"""
RULES = ("ruff", "check", "--isolated", "--no-cache", "--select", "F,W,UP", "a.py")


def ruff(folder: Path, *options: str) -> str:
    command = [sys.executable, "-m", *RULES, *options]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()


def fixed(text: str, form: str, folder: Path) -> str:
    """What our apply makes of ruff's own fixes, one document after the other, until there is none."""
    for _ in range(10):
        (folder / "a.py").write_text(text, encoding="utf-8")
        result = apply(ruff(folder, "--output-format", form), text, text, root=str(folder))
        assert result.ok or not result.rows
        if not result.contents:
            return text
        text = text_of(result, text)
    raise AssertionError("the fixes never end")


@pytest.mark.parametrize("form", ["rdjson", "sarif"])
@pytest.mark.long(after=1)
def test_fixes_of_ruff_make_what_ruff_makes_of_them(form: str, tmp_path: Path) -> None:
    pytest.importorskip("ruff")
    ours = fixed(RUFF, form, tmp_path)
    (tmp_path / "a.py").write_text(RUFF, encoding="utf-8")
    ruff(tmp_path, "--fix", "--unsafe-fixes", "-q")
    assert ours == (tmp_path / "a.py").read_text(encoding="utf-8") != RUFF
