"""What looks like the beginning of another block inside a replacement, and what does not."""

from __future__ import annotations

import pytest

from editblocks.formats.swallowed import swallowed_line

SAMPLE = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
ROWS: dict[str, tuple[str, str, int | None]] = {
    "nothing": ("", "x", None),
    "a misspelt opener": ("", "x\n<<<<<<<SEARCH\ny", 1),
    "a bold one": ("", "x\n**<<<<<<< SEARCH**\ny", 1),
    "a bold one before a misspelt one": ("", "**<<<<<<< SEARCH**\n<<<< SEARCH", 0),
    "an indented one": ("", "x\n  <<<<<<< SEARCH\ny", 1),
    "a whole sample": ("", SAMPLE, None),
    "a sample whose closer is indented": ("", SAMPLE.replace(">>>>", "  >>>>"), 0),
    "a sample in another format": ("", "««« EDIT\na\n═══════ REPL\nb\n»»» EDIT END", None),
    "a git conflict": ("", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic", None),
    "half a git conflict": ("", "<<<<<<< HEAD\na\n=======\nb", 0),
    "one that is replaced by itself": ("<<<<<<< HEAD\na", "<<<<<<< HEAD\nb", None),
    "one that is there once and comes twice": ("<<<<<<< HEAD", "<<<<<<< HEAD\n<<<<<<< HEAD", 1),
    "a bold one that is there": ("**<<<<<<< SEARCH**", "**<<<<<<< SEARCH**\nb", None),
    "in a string": ("", 'OPEN = "<<<<<<< SEARCH"', None),
    "quoted": ("", "> <<<<<<< SEARCH", None),
    "an arrow": ("", "<<<< back", None),
    "an edit action": ("", 'x\n<boltAction type="edit">\ny', 1),
    "an action that runs something": ("", 'x\n<boltAction type="shell">\ny', 1),
    "a whole action": ("", '<boltAction type="shell">\ny\n</boltAction>', None),
    "an action on its line": ("", '<boltAction type="shell">y</boltAction>', None),
}


@pytest.mark.parametrize(("old", "new", "expected"), ROWS.values(), ids=ROWS)
def test_swallowed_line(old: str, new: str, expected: int | None) -> None:
    assert swallowed_line(f"{old}\n" if old else "", f"{new}\n") == expected
