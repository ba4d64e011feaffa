"""Patches, which are not read: one that asks for an edit is a row, one that may only show something is noted.

Which is which says the table of docs/reference/formats.md, "patches". Lines are 0-based.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.core.codes import ReasonCode
from editblocks.core.model import Note, Problem
from editblocks.formats.grammar import OTHER_FORM, unsupported_format
from editblocks.formats.markers import Kind, Token
from editblocks.parsing.containers import Container, Containers, is_listing
from editblocks.parsing.file_of_block import path_of_fence
from editblocks.parsing.notes import NEAR_MARKER, UNREAD_PATCH, Margin
from editblocks.parsing.path_line import KNOWN_NAMES, find_path
from editblocks.parsing.rows import Rows

UNIFIED, V4A = "unified", "v4a"  # names of formats
PATCH_LINES = frozenset({Kind.GIT_DIFF, Kind.NEW_NAME, Kind.HUNK, Kind.END_PATCH})
_DIFF_WORDS = frozenset({"diff", "git-diff", "patch", "udiff"})
_DIFF, _SUGGESTION = "unified diff", "suggestion"
# The language of a fence, in `{.diff .numberLines}`, `diff:src/app.py`, `suggestion:-0+1`.
_WORD = re.compile(r"(?:\{ *\.?)?([a-z-]*)(?![a-z0-9_.])")
_SIGNS = frozenset("-+ \\")
_OPERATION = re.compile(
    r"[ \t]*(?:(?:rename|copy) (?:from|to)|(?:new file|deleted file|old|new) mode|Binary files|GIT binary patch)\b"
)
_V4A_FILE = re.compile(r"[ \t]*\*\*\* (?:Add|Update|Delete) File: *(.*)")
_V4A_MOVE = re.compile(r"[ \t]*\*\*\* Move to: ")
_OLD_SIDES, _NEW_SIDES = frozenset({"a", "c", "i", "o"}), frozenset({"b", "w", "i", "o"})  # that git puts before names
_NONE = "/dev/null"
_LINES_ABOVE = 20  # blank ones, below the opening line of a fence that is a diff without saying so
_PLACES = 3  # named in a note


class Patches:
    """The beginning of a possible section: a line `diff --git`, or a pair of names in a diff fence."""

    def __init__(self, containers: Containers, rows: Rows, margin: Margin) -> None:
        self._lines = containers.lines
        self._containers = containers
        self._rows = rows
        self._margin = margin
        self._git: int | None = None  # a line `diff --git`, until an empty line or a hunk
        self._seen = 0  # the line up to which those below it were looked at
        self._is_row = False  # whether the section of `_git` is a row already
        self._pair: int | None = None  # a pair in a diff fence, until the line below is known
        self._shown: list[tuple[str, int, int, Container | None]] = []  # places, and the fence around
        self._first: int | None = None  # a line that begins a hunk or a suggestion

    def forget(self) -> None:
        """Forget a section that may have begun: something else stands here."""
        self._git = self._pair = None

    def begin(self, token: Token) -> None:
        """Take `*** Begin Patch`."""
        self._add(token.line, V4A, None)

    def take(self, token: Token) -> None:
        """Take in a line of a patch, after `settle`."""
        if self._rows.open_patch == V4A:
            if token.kind is Kind.END_PATCH:
                self._rows.end_unseen(token.line + 1)
        elif token.kind is Kind.GIT_DIFF:
            self._git, self._seen, self._is_row = token.line, token.line + 1, False
        elif token.kind is Kind.HUNK:
            self._take_hunk(token.line)
        elif self._in_diff_fence and self._names(token.line - 1):
            self._pair = token.line - 1

    def settle(self, stop: int) -> None:
        """Look at the lines up to `stop`, or at the one where it stands, for what makes a section of a header."""
        if self._pair is not None:  # without a header, a line of a hunk below it makes it a section
            pair, self._pair = self._pair, None
            below, indent = "".join(self._lines[pair + 2 : pair + 3]), _indent(self._lines[pair])
            if not below.startswith(f"{indent}@@"):
                is_hunk = below.startswith(indent) and below[len(indent) : len(indent) + 1] in _SIGNS
                self._begin(pair, pair) if is_hunk else self._show(pair)
        while self._git is not None and self._seen < stop:
            line = self._lines[self._seen]
            if not self._is_row and _OPERATION.match(line):
                self._is_row = True
                self._begin(self._git, None)
            self._git = self._git if line.strip(" \t") else None
            self._seen += 1

    def _take_hunk(self, line: int) -> None:
        if self._lines[line].lstrip(" \t").startswith("@@ -"):
            self._note_first(line)
        git, self._git = self._git, None
        fence = self._containers.fence
        if git is not None and self._is_row:
            return
        if self._names(line - 2) and _indent(self._lines[line]) == _indent(self._lines[line - 2]):
            self._begin(line - 2 if git is None else git, line - 2)
        elif git is not None:
            self._begin(git, None)
        elif fence is not None and not (fence.holds_section or fence.shows_patch):
            # The first hunk of a fence, below no names: the lines around may name its file.
            path = path_of_fence(self._containers, fence) if self._in_diff_fence else None
            if path is not None:
                self._add(line, UNIFIED, path)
            elif self._in_diff_fence or (not fence.info and self._is_first(fence, line)):
                self._show(line)

    def _begin(self, start: int, pair: int | None) -> None:
        """A section from line `start` on, unless it only shows something; `pair`: the line of its names."""
        fence = self._containers.fence
        names = self._names(start if pair is None else pair)
        is_own = fence is None or fence.holds_section or self._in_diff_fence or self._is_first(fence, start)
        if fence is not None and is_listing(_indent(self._lines[start]), self._containers.innermost):
            self._margin.note_listing(start)
        elif is_own and (pair is None or any("/" in name or "." in name or name in KNOWN_NAMES for name in names)):
            self._add(start, UNIFIED, _path(*names) if names else None)
        else:
            self._show(start)

    def _add(self, start: int, name: str, path: str | None) -> None:
        is_fenced = bool(self._containers.fences)

        def finish(row: Problem, stop: int) -> Problem:
            stop = self._stop(start, stop, is_fenced=is_fenced, in_hunk=name == V4A)
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

    def _stop(self, start: int, limit: int, *, is_fenced: bool, in_hunk: bool = False) -> int:
        """The line behind the last one of a patch; in no fence, it ends by what its lines look like."""
        stop = limit
        if not (is_fenced or self._lines[limit - 1].strip(" \t") == "*** End Patch"):
            stop = start
            while stop < limit and (text := self._lines[stop].lstrip(" \t")):
                is_header = text.startswith(("@@", "*** "))
                if in_hunk and not is_header and self._lines[stop][:1] not in _SIGNS:
                    break
                in_hunk = in_hunk or is_header
                stop += 1
        while stop > start + 1 and not self._lines[stop - 1].strip(" \t"):
            stop -= 1
        return stop

    def _show(self, line: int) -> None:
        """A patch that may only show something."""
        if (fence := self._containers.fence) is not None:
            fence.shows_patch = True
        else:
            self._shown.append((_DIFF, line, -1, None))

    def _names(self, line: int) -> tuple[str, ...]:
        """The two names of a pair, or of a line `diff --git`, at this line."""
        text = self._lines[line] if line >= 0 else ""
        if text.lstrip(" \t").startswith("diff --git "):
            both = text.lstrip(" \t").removeprefix("diff --git ").strip(" \t")
            half = len(both) // 2
            return (both[:half], both[half + 1 :]) if both[half : half + 1] == " " else ()
        pair = self._lines[line : line + 2] if line >= 0 else ()
        starts = (_indent(text) + "--- ", _indent(text) + "+++ ")
        if len(pair) < 2 or not all(map(str.startswith, pair, starts)):
            return ()
        names = tuple(each.lstrip(" \t")[4:].partition("\t")[0].strip(" \t") for each in pair)
        return names if all(names) else ()

    def _is_first(self, fence: Container, line: int) -> bool:
        first = fence.line + 1
        return line <= first + _LINES_ABOVE and not any(text.strip(" \t") for text in self._lines[first:line])

    @property
    def _in_diff_fence(self) -> bool:
        fence = self._containers.fence
        return fence is not None and _word(fence) in _DIFF_WORDS

    def take_fence(self, fence: Container, stop: int) -> None:
        """Take in a fence that was closed at line `stop`."""
        name = ""
        if _word(fence) == _SUGGESTION:
            self._note_first(fence.line)
            name = "" if fence.holds_block else _SUGGESTION
        elif (fence.shows_patch and not fence.holds_section) or self._is_named_picture(fence, stop):
            name = _DIFF
        if name:
            outer = next(iter(self._containers.fences), None)
            self._shown.append((name, fence.line, min(stop + 1, len(self._lines)), outer))

    def _is_named_picture(self, fence: Container, stop: int) -> bool:
        """Whether lines with `+` and `-` alone stand in a diff fence below a line that names a file."""
        if _word(fence) not in _DIFF_WORDS or fence.holds_block or not fence.line:
            return False
        named = find_path(self._lines[fence.line - 1])
        inside = self._lines[fence.line + 1 : stop]
        return named is not None and not named.weak and any(line.lstrip(" \t")[:1] in ("+", "-") for line in inside)

    def _note_first(self, line: int) -> None:
        self._first = line if self._first is None else min(line, self._first)

    def notes(self, first_line: int, *, has_rows: bool) -> Iterator[Note]:
        """A note for each kind of patch, but for those in a fence without a block, which shows them."""
        if not has_rows and self._first is not None:
            shown = self._first + first_line
            yield Note(NEAR_MARKER, f"line {shown} begins a patch, which is not read; {OTHER_FORM}", shown)
        for name in (_DIFF, _SUGGESTION) if has_rows else ():
            places = sorted(
                (start, self._stop(start, len(self._lines), is_fenced=False) if stop < 0 else stop)
                for kind, start, stop, outer in self._shown
                if kind == name and (outer is None or outer.holds_block)
            )
            if places:
                are = f"are a {name}, which is" if len(places) == 1 else f"are {name}s, which are"
                named = [f"{start + first_line}-{stop - 1 + first_line}" for start, stop in places[:_PLACES]]
                left = len(places) - len(named)
                last = f"{left:,} more place{'s' if left > 1 else ''}" if left else named.pop()
                message = f"lines {' and '.join(filter(None, (', '.join(named), last)))} {are} not read; {OTHER_FORM}"
                yield Note(UNREAD_PATCH, message, places[0][0] + first_line)


def _word(fence: Container) -> str:
    """The language of a fence in small letters, whatever stands behind or around it."""
    match = _WORD.match(fence.info.strip(" \t").lower())
    return match[1] if match else ""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _v4a_path(lines: Sequence[str]) -> str | None:
    """The file that a patch of this form names, if it is one alone."""
    if any(map(_V4A_MOVE.match, lines)):
        return None
    paths = {match[1].strip(" \t`\"'").removeprefix("./") for match in map(_V4A_FILE.match, lines) if match}
    return paths.pop() or None if len(paths) == 1 else None


def _path(old: str, new: str) -> str | None:
    """The one file of two names; what git puts before them is dropped where both have it."""
    if old.startswith('"') or new.startswith('"'):
        return None
    sides = [name.partition("/") for name in (old, new)]
    if _NONE in (old, new):
        side, _, rest = sides[old == _NONE]
        name, known = (new, _NEW_SIDES) if old == _NONE else (old, _OLD_SIDES)
        return None if name == _NONE else rest if rest and side in known else name
    return old if old == new else sides[0][2] or None if sides[0][2] == sides[1][2] else None
