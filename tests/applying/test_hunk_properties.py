"""Hunks of a right diff give the edited file or are refused, against an oracle that only knows both files."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hunkkit import hunk

from editblocks import EditBlock, EditStatus, apply_edits
from editblocks.core.model import ApplyResult

LINE = st.sampled_from(["a", "b", "c", "}", "", "  a", "\ta", "a "])
FILES = st.lists(LINE, max_size=14)
# where a change begins (in tenths of the file), how many lines it takes away, and what it writes
EDITS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 2), st.lists(LINE, max_size=2)), min_size=1, max_size=3)


def edited(old: list[str], edits: list[tuple[int, int, list[str]]]) -> list[str]:
    """The lines with all changes made, from the bottom."""
    lines = list(old)
    for tenths, taken, new in sorted(edits, reverse=True):
        at = len(old) * tenths // 10
        lines[at : at + taken] = new
    return lines


def diff(old: list[str], new: list[str], context: int, *, ends: tuple[bool, bool] = (True, True)) -> list[EditBlock]:
    """The hunks between two texts, as `diff -u` writes them; `ends`: whether the texts end in a newline."""
    blocks: list[EditBlock] = []
    before, after = _lines(old, ended=ends[0]), _lines(new, ended=ends[1])
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        body = ""
        for _, i1, i2, j1, j2 in group:
            if before[i1:i2] == after[j1:j2]:
                body += "".join(f" {line}\n" for line in old[i1:i2])
            else:
                body += "".join(f"-{line}\n" for line in old[i1:i2]) + "".join(f"+{line}\n" for line in new[j1:j2])
        (_, first, _, after_first, _), (*_, last_before, _, last_after) = group[0], group[-1]
        block = hunk(body, len(blocks) + 1)
        said = (
            "no" if last_before == len(old) and not ends[0] else "",
            "no" if last_after == len(new) and not ends[1] else "",
        )
        block = block._replace(line_hint=first + 1, line_after=after_first + 1, section=1, ends=said)
        blocks.append(block)
    return blocks


def _lines(lines: list[str], *, ended: bool) -> list[tuple[str, bool]]:
    return [(line, ended or number < len(lines)) for number, line in enumerate(lines, 1)]


def _text(lines: list[str], *, ended: bool) -> bytes:
    return "".join(f"{line}\n" for line in lines)[: None if ended or not lines else -1].encode()


def _right_stripped(text: str) -> str:
    return "\n".join(line.rstrip(" \t") for line in text.split("\n"))


def _plan(blocks: list[EditBlock], data: bytes) -> tuple[ApplyResult, bytes]:
    result = apply_edits(blocks, {"a.py": data}.get)
    return result, result.contents.get("a.py", data) or b""


def _is_done(block: EditBlock, before: bytes) -> bool:
    lines = _right_stripped(before.decode()).removesuffix("\n").split("\n")
    start = (block.line_after or 0) - 1
    new = _right_stripped(block.replace).split("\n")[:-1]
    return lines[start : start + len(new)] == new


def _fits_at_its_numbers(block: EditBlock, data: bytes) -> bool:
    lines = data.decode().removesuffix("\n").split("\n")
    start = (block.line_hint or 0) - 1
    search = block.search.split("\n")[:-1]
    return lines[start : start + len(search)] == search


def is_right(old: list[str], edits: list[tuple[int, int, list[str]]], context: int, ends: tuple[bool, bool]) -> bool:
    """Whether the hunks give the edited file or are refused, and a second run changes nothing."""
    new = edited(old, edits)
    # A blank last line without its end is no line.
    ends = ends[0] or not old or not old[-1], ends[1] or not new or not new[-1]
    before, after = _text(old, ended=ends[0]), _text(new, ended=ends[1])
    blocks = [block for block in diff(old, new, context, ends=ends) if block.search]
    if len(blocks) < len(diff(old, new, context, ends=ends)):
        return True  # a hunk without context has no place
    result, data = _plan(blocks, before)
    if result.ok:
        # A text that happens to hold the new lines, where they would be, is what a second run would find.
        done = [row.block for row in result.results if row.status is not EditStatus.APPLIED]
        if data != after and not any(_is_done(block, before) for block in done):
            return False
    # Among equal lines, what a diff makes of a file may be such that it fits again, at every number.
    fits_again = not result.ok or all(_fits_at_its_numbers(block, data) for block in blocks)
    return fits_again or _plan(blocks, data)[1] == data


CASES = st.tuples(FILES, EDITS, st.integers(1, 3), st.tuples(st.booleans(), st.booleans()))


@settings(deadline=None)
@given(CASES)
def test_a_right_diff_gives_the_edited_file_or_is_refused(
    case: tuple[list[str], list[tuple[int, int, list[str]]], int, tuple[bool, bool]],
) -> None:
    assert is_right(*case)


def is_right_without_numbers(old: list[str], edits: list[tuple[int, int, list[str]]], context: int) -> bool:
    """Whether hunks whose order places one of them give the edited file."""
    new = edited(old, edits)
    before, after = _text(old, ended=True), _text(new, ended=True)
    blocks = [block._replace(line_hint=None, line_after=None) for block in diff(old, new, context)]
    result, data = _plan(blocks, before)
    has_order = any(note.code == "placed-by-order" for row in result.results for note in row.notes)
    is_applied = all(row.status is EditStatus.APPLIED for row in result.results)
    return data == after or not (has_order and is_applied)


@settings(deadline=None)
@given(FILES, EDITS, st.integers(0, 1))
def test_hunks_that_place_each_other_give_the_edited_file(
    old: list[str], edits: list[tuple[int, int, list[str]]], context: int
) -> None:
    assert is_right_without_numbers(old, edits, context)


@pytest.mark.long
@settings(max_examples=10 * settings().max_examples, deadline=None)
@given(FILES, EDITS, st.integers(0, 1))
def test_hunks_that_place_each_other_give_the_edited_file_for_many(
    old: list[str], edits: list[tuple[int, int, list[str]]], context: int
) -> None:
    assert is_right_without_numbers(old, edits, context)


@pytest.mark.long
@settings(max_examples=10 * settings().max_examples, deadline=None)
@given(CASES)
def test_a_right_diff_gives_the_edited_file_or_is_refused_for_many(
    case: tuple[list[str], list[tuple[int, int, list[str]]], int, tuple[bool, bool]],
) -> None:
    assert is_right(*case)
