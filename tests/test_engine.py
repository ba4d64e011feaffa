"""Blocks on files, verdict by verdict: docs/formats.md, "applying". What a page shows better is in tests/cases."""

from __future__ import annotations

import pytest
from responses import block, verdicts

from editblocks import apply_response

BOM = "\ufeff".encode()

# What stands in a file may look odd; what is asked for may too. Neither is our own fault.
ODD: dict[str, tuple[str, dict[str, bytes], list[str], dict[str, bytes]]] = {
    "a new line ends with a carriage return": (
        block("x\n", "y\r\r\n"),
        {"a.py": b"x\nz\n"},
        ["a.py exact"],
        {"a.py": b"y\r\nz\n"},
    ),
    "the old last line ends with a carriage return": (
        block("x\n", "") + block("b\r\r\n", "b\r\r\nc\n"),
        {"a.py": b"x\na\nb\r"},
        ["a.py exact", "a.py exact"],
        {"a.py": b"a\nb\r\nc"},
    ),
    "a second line that begins like a BOM becomes the first": (
        block("x\n", ""),
        {"a.py": b"x\n" + BOM + b"y\n"},
        ["a.py exact"],
        {"a.py": BOM + b"y\n"},
    ),
    "a far NUL comes near": (
        block("x\n", ""),
        {"a.py": b"x\n" + b"y\n" * 3999 + b"\0\n"},
        ["a.py exact"],
        {"a.py": b"y\n" * 3999 + b"\0\n"},
    ),
    "half a character in the new lines": (block("x\n", "y\ud83d\n"), {"a.py": b"x\n"}, ["a.py encoding"], {}),
    "half a character in a new file": (block("", "\udc80\n"), {}, ["a.py encoding"], {}),
    "half a character in the old lines": (block("x\ud83d\n", "y\n"), {"a.py": b"x\n"}, ["a.py no-match"], {}),
    "half a character in the path": (block("x\n", "y\n", "\ud83d.py"), {}, ["\ud83d.py unsafe-path"], {}),
}


@pytest.mark.parametrize(("text", "files", "rows", "contents"), ODD.values(), ids=ODD)
def test_odd_characters_get_a_verdict_and_keep_their_bytes(
    text: str, files: dict[str, bytes], rows: list[str], contents: dict[str, bytes]
) -> None:
    result = apply_response(text, files.get)
    assert verdicts(result) == rows
    assert result.contents == contents


def test_half_a_character_is_named_with_its_place() -> None:
    result = apply_response(block("x\n", "a\nb\ud83d\n"), {"a.py": b"x\n"}.get)
    assert (
        result.results[0].reason == "the new text has U+D83D at line 2, column 2, which is half a character; remove it"
    )
