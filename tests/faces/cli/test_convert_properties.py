"""Whatever a plan changes, its other forms give the same bytes, and a second time nothing; or they are refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editblocks import Settings, apply_response
from editblocks.core.model import ApplyResult
from editblocks.faces.cli.convert import convert
from editblocks.report.diff import unified_diff

LINE = st.sampled_from(
    ["a", "b", "c", "}", "", "  a", "\ta", "a ", "=======", "<<<<<<< SEARCH", "```", "*** End Patch"]
)
LINES = st.lists(LINE, max_size=12)
# where a change begins (in tenths of the file), how many lines it takes away, and what it writes
EDITS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 3), st.lists(LINE, max_size=3)), min_size=1, max_size=3)
Files = Mapping[str, bytes | None]


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@st.composite
def changes(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file before and after some edits."""
    old = draw(LINES)
    new = list(old)
    for tenths, taken, added in sorted(draw(EDITS), reverse=True):
        at = len(old) * tenths // 10
        new[at : at + taken] = added
    return text(old), text(new)


def plan(before: Files, after: Files, renamed: Mapping[str, str] | None = None) -> ApplyResult:
    return ApplyResult(contents=after, originals=before, renamed=renamed or {})


def applied(shown: bytes, files: Files) -> tuple[bool, dict[str, bytes | None]]:
    result = apply_response(shown.decode(), files.get)
    return result.ok, {**files, **result.contents}


@pytest.mark.parametrize("target", ["diff", "v4a"])
@settings(max_examples=150, deadline=None)
@given(pairs=st.lists(changes(), min_size=1, max_size=3))
@pytest.mark.long
def test_another_form_gives_the_same_bytes_once(target: str, pairs: list[tuple[bytes, bytes]]) -> None:
    files = {f"src/{number}.py": pair for number, pair in enumerate(pairs) if pair[0] != pair[1]}
    before, after = {path: pair[0] for path, pair in files.items()}, {path: pair[1] for path, pair in files.items()}
    shown, reasons = convert(plan(before, after), target, Settings())
    if reasons:
        assert shown == b""
        return
    if files:
        assert applied(shown, before) == (True, after)
        assert applied(shown, after)[1] == after


@settings(max_examples=150, deadline=None)
@given(pair=changes())
def test_a_diff_gives_the_same_bytes_or_is_refused(pair: tuple[bytes, bytes]) -> None:
    before, after = {"src/a.py": pair[0]}, {"src/a.py": pair[1]}
    shown = unified_diff(plan(before, after))
    ok, files = applied(shown, before)
    assert files == (after if ok else before)


PATHS = st.lists(st.sampled_from(["a.py", "b.py", "c/d.py"]), unique=True, min_size=1)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), paths=PATHS)
def test_a_patch_says_what_goes_comes_and_moves(data: st.DataObject, paths: list[str]) -> None:
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    renamed = {}
    for path in paths:
        old, new = data.draw(changes())
        kind = data.draw(st.sampled_from(["goes", "comes", "moves"]))
        before[path], after[path] = (None, new) if kind == "comes" else (old, None)
        if kind == "moves":
            before[f"new/{path}"], after[f"new/{path}"] = None, new
            renamed[f"new/{path}"] = path
    shown, reasons = convert(plan(before, after, renamed), "v4a", Settings())
    if not reasons:
        assert applied(shown, before) == (True, after)
        assert applied(shown, after)[1] == after


@pytest.mark.parametrize("target", ["diff", "v4a"])
@settings(max_examples=100, deadline=None)
@given(pair=changes())
@pytest.mark.long
def test_only_blank_files_and_marker_lines_are_refused(target: str, pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    if old.strip() and b"==" not in old + new and b"<<" not in old + new and old != new:
        assert convert(plan({"a.py": old}, {"a.py": new}), target, Settings())[1] == []
