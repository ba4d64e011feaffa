"""Which replacements look as if lines were left out, and which files as if they were rewritten."""

from __future__ import annotations

import pytest

from editblocks import apply_response

PLACEHOLDERS = (
    "...",
    "…",
    "    ...",
    "# ...",
    "// ... rest of the code",
    "/* existing code */",
    "<!-- ... -->",
    "# (rest of the function)",
    "-- remaining columns",
    "{/* ... existing code ... */}",
    "# imports unchanged",
    "... rest of file",
)
PLAIN = (
    "x = ...",
    "def f(): ...",
    "# the rest is history",
    "print('...')",
    "remaining = 3",
    "existing code",
    "....",
    "# see the docs",
    "return rest",
)


def notes(old: str, new: str, file: str) -> list[str]:
    text = f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    [row] = apply_response(text, {"a.py": file.encode()}.get).results
    assert row.ok
    return [note.code for note in row.notes]


@pytest.mark.parametrize(
    ("line", "expected"), [*((p, ["placeholder"]) for p in PLACEHOLDERS), *((p, []) for p in PLAIN)]
)
def test_lines_that_stand_for_others(line: str, expected: list[str]) -> None:
    assert notes("x = 1\n", f"{line}\n", "x = 1\ny = 2\n") == expected


def test_a_line_that_was_there_stands_for_nothing() -> None:
    assert notes("x = 1\n...\n", "x = 2\n...\n", "x = 1\n...\n") == []


@pytest.mark.parametrize(("lines", "replaced", "expected"), [(9, 9, []), (10, 8, []), (10, 9, ["rewrites-file"])])
def test_most_of_a_file(lines: int, replaced: int, expected: list[str]) -> None:
    file = [f"line {number}\n" for number in range(lines)]
    assert notes("".join(file[:replaced]), "other\n", "".join(file)) == expected
