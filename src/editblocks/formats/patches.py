"""Patches beside blocks: people mean them, and they are not read, so they are said with their lines.

A diff that only shows something has no hunk header and no file headers, or stands in a fence that holds no block.
Rules: docs/formats.md, "recognised and refused".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from editblocks.formats.containers import Containers, Fence
from editblocks.model import Note

UNREAD_PATCH = "unread-patch"  # the code of the note
_DIFF, _SUGGESTION = "unified diff", "suggestion"
_DIFF_WORDS = frozenset({"diff", "patch", "udiff"})
_OLD, _NEW, _HUNK = "--- ", "+++ ", "@@"
_IN_A_HUNK = frozenset("-+ @\\")
_PLACES = 3  # named in a note


class Patch(NamedTuple):
    """Lines `start:stop` (0-based, half-open) that ask for an edit in a form that is not read."""

    start: int
    stop: int
    name: str


def patch_notes(lines: Sequence[str], containers: Containers, hunks: Sequence[int], first_line: int) -> Iterator[Note]:
    """A note for each kind of patch in a text that is over. `hunks`: lines of the text that begin with `@@ -`."""
    found = [*_fenced(lines, containers, hunks), *_bare(lines, containers, hunks)]
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
    word = fence.info.split(" ")[0].lower()
    if word == _SUGGESTION and not fence.holds_block:
        return _SUGGESTION
    if word in _DIFF_WORDS and (has_hunk or (not fence.holds_block and _is_diff(inside))):
        return _DIFF
    return _DIFF if not word and has_hunk and not fence.holds_block and _has_headers(inside) else ""


def _is_diff(lines: Sequence[str]) -> bool:
    return _has_headers(lines) or any(line.lstrip(" \t").startswith(_HUNK) for line in lines)


def _has_headers(lines: Sequence[str]) -> bool:
    return any(_are_headers(lines, line) for line in range(len(lines) - 1))


def _are_headers(lines: Sequence[str], line: int) -> bool:
    """Whether a line and the next one name the old and the new file, as above a hunk."""
    return lines[line].lstrip(" \t").startswith(_OLD) and lines[line + 1].lstrip(" \t").startswith(_NEW)


def _bare(lines: Sequence[str], containers: Containers, hunks: Sequence[int]) -> Iterator[Patch]:
    """Diffs in no fence, from their headers on; a hunk without them is a word about diffs."""
    fences = sorted((fence.line, stop) for fence, stop in containers.closed)
    starts = [start for start, _ in fences]
    reach = [0, *accumulate((stop for _, stop in fences), max)]  # how far the fences go that begin up to there
    settled = 0  # the line behind the last diff
    for hunk in hunks:
        is_fenced = reach[bisect_left(starts, hunk)] > hunk
        if is_fenced or hunk - 2 < settled or not _are_headers(lines, hunk - 2):
            continue
        settled = hunk
        while settled < len(lines) and lines[settled][:1] in _IN_A_HUNK:
            settled += 1
        yield Patch(hunk - 2, settled, _DIFF)


def _has_any(sorted_lines: Sequence[int], start: int, stop: int) -> bool:
    index = bisect_left(sorted_lines, start)
    return index < len(sorted_lines) and sorted_lines[index] < stop
