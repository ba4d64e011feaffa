"""Patches, which are not read: one that asks for an edit is a row, one that may only show something is noted.

Which is which says the table of docs/reference/formats.md, "patches". Lines are 0-based.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode
from editblocks.formats.grammar import OTHER_FORM, unsupported_format
from editblocks.formats.markers import Kind, Token
from editblocks.parsing.containers import Container, Containers, is_listing
from editblocks.parsing.file_of_block import path_of_fence
from editblocks.parsing.notes import NEAR_MARKER, UNREAD_PATCH, Margin
from editblocks.parsing.path_line import KNOWN_NAMES, find_path
from editblocks.parsing.rows import Rows

UNIFIED, V4A = "unified", "v4a"  # names of formats
PATCH_LINES = frozenset({Kind.GIT_DIFF, Kind.NEW_NAME, Kind.HUNK, Kind.OPEN_PATCH, Kind.END_PATCH})
_DIFF_WORDS = frozenset({"diff", "git-diff", "patch", "udiff"})
# The language of a fence, in `{.diff .numberLines}`, `diff:src/app.py`, `suggestion:-0+1`.
_WORD = re.compile(r"(?:\{ *\.?)?([a-z-]*)(?![a-z0-9_.])")
_V4A_NAME = re.compile(r"[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(.*)")
_SIDE = re.compile(r"\A[abciow]/")  # what git puts before names
_NONE = "/dev/null"


class Patches:
    """What was seen of patches so far."""

    def __init__(self, containers: Containers, rows: Rows, margin: Margin) -> None:
        self._lines = containers.lines
        self._containers = containers
        self._rows = rows
        self._margin = margin
        self._header: int | None = None  # the last line `diff --git`, until its pair of names or a hunk
        self._shown: list[tuple[int, Container | None]] = []  # lines, and the fence around the fence
        self._first: int | None = None  # a line that begins a hunk or a suggestion

    def take(self, token: Token) -> None:
        """Take in a line of a patch."""
        line, header = token.line, self._header
        if self._rows.open_patch == V4A:
            if token.kind is Kind.END_PATCH:
                self._rows.end_unseen(line + 1)
        elif token.kind is Kind.OPEN_PATCH:
            self._add(line, V4A, None)
        elif token.kind is Kind.GIT_DIFF:
            self._header = line
            self._begin(line, _names_of_git(self._lines[line]))
        elif token.kind is Kind.HUNK:
            self._header = None
            self._take_hunk(line)
        elif (names := self._names(line - 1)) is not None:
            self._header = None
            is_of_git = header is not None and all(text.strip(" \t") for text in self._lines[header:line])
            if not (is_of_git and self._rows.open_patch):
                self._begin(line - 1, names, is_sure=any(_is_file(name) for name in names))

    def _take_hunk(self, line: int) -> None:
        """A hunk; the first of a fence, below no names, may be of a file that the lines around name."""
        if self._lines[line].lstrip(" \t").startswith("@@ -"):
            self._note_first(line)
        fence = self._containers.fence
        if fence is None or fence.holds_section or fence.shows_patch:
            return
        path = path_of_fence(self._containers, fence) if _is_diff(fence) else None
        if path is not None:
            self._add(line, UNIFIED, path)
        elif _is_diff(fence) or not fence.info:
            self._show(line)

    def _begin(self, start: int, names: tuple[str, str] | None, *, is_sure: bool = True) -> None:
        """A section from line `start` on, unless it only shows something."""
        fence, text = self._containers.fence, self._lines[start]
        if fence is not None and is_listing(_indent(text), self._containers.innermost):
            self._margin.note_listing(start)
        elif is_sure and (fence is None or fence.holds_section or _is_diff(fence) or self._is_first(fence, start)):
            self._add(start, UNIFIED, None if names is None else _path(*names))
        else:
            self._show(start)

    def _add(self, start: int, name: str, path: str | None) -> None:
        is_fenced = bool(self._containers.fences)

        def finish(row: Problem, limit: int) -> Problem:
            stop = _stop(self._lines, start, limit, is_fenced=is_fenced)
            what, file_path = "the unified diff", path
            if name == V4A:
                what, file_path = "`*** Begin Patch`", _v4a_path(self._lines[start:stop])
            end = row.line_number + stop - 1 - start
            fault = unsupported_format(what, row.line_number, end)
            return replace(row, end_line=end, what=fault.what, advice=fault.advice, file_path=file_path)

        self._rows.start_unseen(start, ReasonCode.UNSUPPORTED_FORMAT, finish, path, name)
        for fence in self._containers.fences:
            fence.holds_block = True
            fence.holds_section = fence.holds_section or fence is self._containers.fence

    def _show(self, line: int) -> None:
        """A patch that may only show something; one of a fence is enough."""
        fences = self._containers.fences
        if not (fences and fences[-1].shows_patch):
            self._shown.append((line, fences[0] if len(fences) > 1 else None))
        if fences:
            fences[-1].shows_patch = True

    def _names(self, line: int) -> tuple[str, str] | None:
        """The two names of a pair at this line and the next."""
        old, new = self._lines[max(line, 0)], self._lines[line + 1]
        if not (old.startswith(f"{_indent(new)}--- ") and new.strip(" \t+") and old.strip(" \t-")):
            return None
        old, new = (text.lstrip(" \t")[4:].partition("\t")[0].strip(" \t") for text in (old, new))
        return old, new

    def _is_first(self, fence: Container, line: int) -> bool:
        """Whether a patch begins a fence, which is a diff then without saying so."""
        return line <= fence.line + 20 and not "".join(self._lines[fence.line + 1 : line]).strip(" \t")

    def take_fence(self, fence: Container) -> None:
        """Take in a fence that was closed: a suggestion, or a picture of a change below a line that names a file."""
        if fence.holds_block or fence.shows_patch:
            return
        named = find_path("".join(self._lines[fence.line - 1 : fence.line]))
        is_suggestion = _word(fence) == "suggestion"
        if is_suggestion:
            self._note_first(fence.line)
        if is_suggestion or (_is_diff(fence) and named is not None and not named.weak):
            self._shown.append((fence.line, next(iter(self._containers.fences), None)))

    def _note_first(self, line: int) -> None:
        self._first = line if self._first is None else min(line, self._first)

    def notes(self, first_line: int, *, has_rows: bool) -> Iterator[Note]:
        """Notes of patches, but for those in a fence around fences that holds no block, and shows them."""
        lines = sorted(line for line, outer in self._shown if outer is None or outer.holds_block)
        if not has_rows:
            lines = [] if self._first is None else [self._first]
        if lines:
            what = "a patch, which is" if len(lines) == 1 else f"the first of {len(lines):,} patches, which are"
            shown = lines[0] + first_line
            code = UNREAD_PATCH if has_rows else NEAR_MARKER
            yield Note(code, f"line {shown} begins {what} not read; {OTHER_FORM}", shown)


def _stop(lines: Sequence[str], start: int, limit: int, *, is_fenced: bool) -> int:
    """The line behind the last one of a patch; in no fence, an empty line ends it."""
    if not is_fenced and lines[limit - 1].strip(" \t") != "*** End Patch":
        return next((number for number in range(start, limit) if not lines[number].strip(" \t")), limit)
    while not lines[limit - 1].strip(" \t"):
        limit -= 1
    return limit


def _word(fence: Container) -> str:
    """The language of a fence in small letters, whatever stands behind or around it."""
    match = _WORD.match(fence.info.strip(" \t").lower())
    return match[1] if match else ""


def _is_diff(fence: Container) -> bool:
    return _word(fence) in _DIFF_WORDS


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _is_file(name: str) -> bool:
    """Whether a name in a patch is more than a bare word, such as `expected`."""
    return "/" in name or "." in name or name in KNOWN_NAMES


def _names_of_git(line: str) -> tuple[str, str] | None:
    """The two names of a line `diff --git`, if they are of one length."""
    both = line.strip(" \t").removeprefix("diff --git ").strip(" \t")
    half = len(both) // 2
    return (both[:half], both[half + 1 :]) if both[half : half + 1] == " " else None


def _v4a_path(lines: Sequence[str]) -> str | None:
    """The file that a patch of this form names, if it is one alone."""
    paths = {match[1].strip(" \t`\"'").removeprefix("./") for match in map(_V4A_NAME.match, lines) if match}
    return paths.pop() or None if len(paths) == 1 else None


def _path(old: str, new: str) -> str | None:
    """The one file of two names, if it is one, without what git puts before them where they differ."""
    names = {old, new} - {_NONE}
    if old != new:
        names = {_SIDE.sub("", name, count=1) for name in names}
    return names.pop() if len(names) == 1 and '"' not in old + new else None
