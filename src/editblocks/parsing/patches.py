"""Which lines are a patch that asks for an edit, where it ends, and which file it names.

A patch that only shows something has no hunk header and no file headers, or names no files, or stands below other
lines in a fence of another language. Rules: docs/reference/formats.md, "recognised and refused".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from editblocks.parsing.path_line import KNOWN_NAMES

UNIFIED, V4A = "unified", "v4a"  # names of formats
END_PATCH = "*** End Patch"
GIT, OLD, NEW, HUNK = "diff --git ", "--- ", "+++ ", "@@"
DIFF_WORDS = frozenset({"diff", "git-diff", "patch", "udiff"})
# of `{.diff .numberLines}`, `diff:src/app.py`, `suggestion:-0+1`
_WORD = re.compile(r"(?:\{ *\.?)?([a-z-]*)(?![a-z0-9_.])")
_SIGNS = frozenset("-+ \\")
_OPERATION = re.compile(
    r"(?:(?:rename|copy) (?:from|to)|(?:new file|deleted file|old|new) mode|Binary files|GIT binary patch)\b"
)
_V4A_FILE = re.compile(r"[ \t]*\*\*\* (?:Add|Update|Delete) File: *(.*)")
_V4A_MOVE = re.compile(r"[ \t]*\*\*\* Move to: ")
_NAMED = 4  # characters of `--- ` and `+++ `
_OLD_SIDES, _NEW_SIDES = frozenset({"a", "c", "i", "o"}), frozenset({"b", "w", "i", "o"})  # that git puts before names
_NONE = "/dev/null"


class Patch(NamedTuple):
    """A patch from line `start` (0-based) on; in no fence, it ends by what its lines look like."""

    start: int
    format: str
    path: str | None = None
    is_fenced: bool = False

    def stop(self, lines: Sequence[str], limit: int) -> int:
        """The line behind its last one; from line `limit` on stands something else."""
        is_ended = self.is_fenced or lines[limit - 1].strip(" \t") == END_PATCH
        stop = limit if is_ended else self._last_signed(lines, limit)
        while stop > self.start + 1 and not lines[stop - 1].strip(" \t"):
            stop -= 1
        return stop

    def _last_signed(self, lines: Sequence[str], limit: int) -> int:
        in_hunk = self.format == V4A
        for line in range(self.start, limit):
            text = lines[line].lstrip(" \t")
            is_header = text.startswith((HUNK, "*** "))
            if not text or (in_hunk and not is_header and lines[line][:1] not in _SIGNS):
                return line
            in_hunk = in_hunk or is_header
        return limit


def fence_word(info: str) -> str:
    """The language of a fence in small letters, whatever stands behind or around it."""
    match = _WORD.match(info.strip(" \t").lower())
    return match[1] if match else ""


def is_pair(lines: Sequence[str], line: int, indent: str) -> bool:
    """Whether a line and the next one name the old and the new file, at this indentation."""
    if line < 0 or line + 1 >= len(lines):
        return False
    starts = ((lines[line], indent + OLD), (lines[line + 1], indent + NEW))
    return all(text.startswith(start) and text[len(start) :].strip(" \t") for text, start in starts)


def names_files(lines: Sequence[str], line: int) -> bool:
    """Whether the names of a pair are more than bare words, such as `expected`."""
    return not all(map(_is_bare_word, _names(lines, line)))


def pair_path(lines: Sequence[str], line: int) -> str | None:
    """The file that a pair names plainly."""
    return _path(*_names(lines, line))


def git_path(header: str) -> str | None:
    """The file that a line `diff --git` names twice."""
    names = header.lstrip(" \t").removeprefix(GIT).strip(" \t")
    half = len(names) // 2
    return _path(names[:half], names[half + 1 :]) if names[half : half + 1] == " " else None


def is_operation(line: str) -> bool:
    """Whether a line below `diff --git` asks for more than it shows: a rename, a mode, a new file."""
    return _OPERATION.match(line.lstrip(" \t")) is not None


def is_signed(line: str, indent: str) -> bool:
    """Whether a line is one of a hunk."""
    return line.startswith(indent) and line[len(indent) : len(indent) + 1] in _SIGNS


def v4a_path(lines: Sequence[str]) -> str | None:
    """The file that a patch of this form names, if it is one alone."""
    if any(_V4A_MOVE.match(line) for line in lines):
        return None
    paths = {match[1].strip(" \t`\"'").removeprefix("./") for line in lines if (match := _V4A_FILE.match(line))}
    return paths.pop() or None if len(paths) == 1 else None


def _names(lines: Sequence[str], line: int) -> tuple[str, str]:
    old, new = (text.lstrip(" \t")[_NAMED:].partition("\t")[0].strip(" \t") for text in lines[line : line + 2])
    return old, new


def _is_bare_word(name: str) -> bool:
    return not ("/" in name or "." in name or name in KNOWN_NAMES)


def _path(old: str, new: str) -> str | None:
    """The one file of two names; what git puts before them is dropped where both have it."""
    if old.startswith('"') or new.startswith('"'):
        return None
    sides = [name.partition("/") for name in (old, new)]
    if _NONE in (old, new):
        side, _, rest = sides[old == _NONE]
        name, known = (new, _NEW_SIDES) if old == _NONE else (old, _OLD_SIDES)
        return None if name == _NONE else rest if rest and side in known else name
    if old == new:
        return old
    return sides[0][2] or None if sides[0][2] == sides[1][2] else None
