"""Whether lines are distinctive: braces stand in any file, a whole function hardly ever."""

from __future__ import annotations

from collections.abc import Sequence

_DISTINCTIVE_LINES, _DISTINCTIVE_CHARACTERS = 3, 40


def is_distinctive(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether `replace` stands in a file because somebody put it in the place of `search`, and not by chance."""
    lines = {line for line in replace if line.strip(" \t")}
    return is_long(replace) and bool(lines - set(search))


def is_long(lines: Sequence[str]) -> bool:
    """Whether so much text stands somewhere by chance hardly ever."""
    filled = [line for line in lines if any(map(str.isalnum, line))]
    characters = sum(len("".join(line.split())) for line in filled)
    return len(filled) >= _DISTINCTIVE_LINES or characters >= _DISTINCTIVE_CHARACTERS
