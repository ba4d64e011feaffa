"""Patches beside blocks: people mean them, and they are not read, so they are said with their lines.

A diff that only shows something has no hunk header and no file headers, or stands below other lines in a fence of
another language, or in a fence that holds no block.
Rules: docs/formats.md, "recognised and refused".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from editblocks.formats.containers import Containers, Fence
from editblocks.model import Note
from editblocks.patterns import regex

UNREAD_PATCH = "unread-patch"  # the code of the note
_DIFF, _SUGGESTION = "unified diff", "suggestion"
_DIFF_WORDS = frozenset({"diff", "git-diff", "patch", "udiff"})
_WORD = regex(r"(?:\{ *\.?)?([a-z-]*)(?![a-z0-9_.])")  # of `{.diff .numberLines}`, `diff:src/app.py`, `suggestion:-0+1`
_GIT, _OLD, _NEW, _HUNK = "diff --git ", "--- ", "+++ ", "@@"
_RENAMED = ("rename from ", "rename to ")
_ABOVE_NAMES = 4  # lines: git writes two modes and how similar the files are below `diff --git`
_IN_A_HUNK = frozenset("-+ @\\")
_PLACES = 3  # named in a note


class Patch(NamedTuple):
    """Lines `start:stop` (0-based, half-open) that ask for an edit in a form that is not read."""

    start: int
    stop: int
    name: str


def patch_notes(
    lines: Sequence[str],
    containers: Containers,
    hunks: Sequence[int],
    first_line: int,
    rows: Sequence[tuple[int, int]] = (),
) -> Iterator[Note]:
    """A note for each kind of patch in a text that is over.

    `hunks`: lines of the text that begin with `@@ -`; `rows`: where blocks stand, `start:stop`, all of them 0-based.
    """
    found = [*_fenced(lines, containers, hunks), *_bare(lines, containers, hunks), *_moved(lines, containers, rows)]
    for name in (_DIFF, _SUGGESTION):
        places = sorted(
            (patch.start + first_line, patch.stop - 1 + first_line) for patch in found if patch.name == name
        )
        if places:
            are = f"are a {name}, which is" if len(places) == 1 else f"are {name}s, which are"
            message = f"lines {_shown(places)} {are} not read; ask for SEARCH/REPLACE blocks"
            yield Note(UNREAD_PATCH, message, places[0][0])


def _shown(places: Sequence[tuple[int, int]]) -> str:
    shown = [f"{start}-{stop}" for start, stop in places[:_PLACES]]
    left = len(places) - len(shown)
    last = f"{left} more place{'s' if left > 1 else ''}" if left else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def _fenced(lines: Sequence[str], containers: Containers, hunks: Sequence[int]) -> Iterator[Patch]:
    """Fences that are patches, but for those in another one without a block, which shows them."""
    shown = 0  # the line behind the last fence that is settled as a whole
    for fence, stop in sorted(containers.closed, key=lambda closed: closed[0].line):
        if fence.line < shown:
            continue
        name = _name(fence, lines[fence.line + 1 : stop], _has_any(hunks, fence.line + 1, stop))
        if name:
            yield Patch(fence.line, min(stop + 1, len(lines)), name)
        if name or not fence.holds_block:
            shown = stop


def _name(fence: Fence, inside: Sequence[str], has_hunk: bool) -> str:
    """What a fence is, if it is a patch; of one that holds blocks, `inside` may be their text."""
    word = fence_word(fence.info)
    if word == _SUGGESTION and not fence.holds_block:
        return _SUGGESTION
    if word in _DIFF_WORDS and (has_hunk or (not fence.holds_block and _is_diff(inside))):
        return _DIFF
    if fence.holds_block:
        return ""
    is_bare = not fence.info.strip(" \t")
    return _DIFF if _begins_one(inside, has_hunk, is_bare) or (is_bare and has_hunk and _has_headers(inside)) else ""


def fence_word(info: str) -> str:
    """The language of a fence in small letters, whatever stands behind or around it."""
    found = _WORD.match(info.strip(" \t").lower())
    return found[1] if found else ""


def _is_diff(lines: Sequence[str]) -> bool:
    has_hunk = any(line.lstrip(" \t").startswith(_HUNK) for line in lines)
    return has_hunk or _has_headers(lines) or any(_is_rename(lines, line) for line in range(len(lines)))


def _begins_one(lines: Sequence[str], has_hunk: bool, is_bare: bool) -> bool:
    """Whether a fence is a patch from its first line with text on: code that holds one begins otherwise."""
    first = next((line for line in range(len(lines)) if lines[line].strip(" \t")), None)
    if first is None:
        return False
    text = lines[first].lstrip(" \t")
    if text.startswith(_GIT):
        return (has_hunk and _has_headers(lines)) or any(_is_rename(lines, line) for line in range(len(lines)))
    return has_hunk and (_are_headers(lines, first) or (is_bare and text.startswith(_HUNK)))


def _is_rename(lines: Sequence[str], line: int) -> bool:
    """Whether a line and the next one name the old and the new file of git, which says so above."""
    old, new = (text.lstrip(" \t") for text in (*lines[line : line + 2], "")[:2])
    if not (old.startswith(_RENAMED[0]) and new.startswith(_RENAMED[1])):
        return False
    return any(text.lstrip(" \t").startswith(_GIT) for text in lines[max(line - _ABOVE_NAMES, 0) : line])


def _has_headers(lines: Sequence[str]) -> bool:
    return any(_are_headers(lines, line) for line in range(len(lines) - 1))


def _are_headers(lines: Sequence[str], line: int) -> bool:
    """Whether a line and the next one name the old and the new file, as above a hunk."""
    return (
        line + 1 < len(lines)
        and lines[line].lstrip(" \t").startswith(_OLD)
        and lines[line + 1].lstrip(" \t").startswith(_NEW)
    )


def _bare(lines: Sequence[str], containers: Containers, hunks: Sequence[int]) -> Iterator[Patch]:
    """Diffs in no fence, from their headers on; a hunk without them is a word about diffs."""
    fences = _Spans((fence.line, stop) for fence, stop in containers.closed)
    settled = 0  # the line behind the last diff
    for hunk in hunks:
        if fences.hold(hunk) or hunk - 2 < settled or not _are_headers(lines, hunk - 2):
            continue
        settled = hunk
        while settled < len(lines) and lines[settled][:1] in _IN_A_HUNK:
            settled += 1
        yield Patch(hunk - 2, settled, _DIFF)


def _moved(lines: Sequence[str], containers: Containers, rows: Sequence[tuple[int, int]]) -> Iterator[Patch]:
    """Renames of git in no fence and no block; one with a hunk as well is found by that."""
    found = [line for line, text in enumerate(lines) if text.startswith(_RENAMED[0]) and _is_rename(lines, line)]
    if not found:
        return
    taken = _Spans([*rows, *((fence.line, stop) for fence, stop in containers.closed)])
    for line in found:
        start = next(above for above in range(line - 1, -1, -1) if lines[above].lstrip(" \t").startswith(_GIT))
        if not taken.hold(line) and not "".join(lines[line + 2 : line + 3]).startswith(("index ", _OLD)):
            yield Patch(start, line + 2, _DIFF)


class _Spans:
    """Lines that are taken, `start:stop`, which may lie in each other."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        taken = sorted(spans)
        self._starts = [start for start, _ in taken]
        self._reach = [0, *accumulate((stop for _, stop in taken), max)]  # of those that begin up to there

    def hold(self, line: int) -> bool:
        """Whether a span begins before `line` and ends behind it."""
        return self._reach[bisect_left(self._starts, line)] > line


def _has_any(sorted_lines: Sequence[int], start: int, stop: int) -> bool:
    index = bisect_left(sorted_lines, start)
    return index < len(sorted_lines) and sorted_lines[index] < stop
