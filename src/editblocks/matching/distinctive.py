"""Whether lines are distinctive: any file has a brace, but hardly any other file has the same function."""

from __future__ import annotations

from collections.abc import Sequence

_DISTINCTIVE_LINES, _DISTINCTIVE_CHARACTERS = 3, 40


def is_distinctive(search: Sequence[str], replace: Sequence[str]) -> bool:
    """Whether a file that holds `replace` holds it because it replaced `search`, and not by chance."""
    lines = {line for line in replace if line.strip(" \t")}
    return is_long(replace) and bool(lines - set(search))


def is_long(lines: Sequence[str]) -> bool:
    """Whether there is too much text to be in a file by chance."""
    filled = [line for line in lines if any(map(str.isalnum, line))]
    characters = sum(len("".join(line.split())) for line in filled)
    return len(filled) >= _DISTINCTIVE_LINES or characters >= _DISTINCTIVE_CHARACTERS
