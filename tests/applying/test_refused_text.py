"""Text that no block may add: the whole of what is said, and whether another block may succeed."""

import pytest
from support.responses import block

from editblocks import Settings, apply_response
from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch

LONG = "z" * 1023 + "\n"
HALF = "the new text has U+D800 at line {}, column {}, which is half a character (a lone surrogate)"
HIDDEN = "the new text has U+200B at line 1, column {}, which no reader sees"


def half(line: int, column: int) -> Mismatch:
    return Mismatch(ReasonCode.ENCODING, HALF.format(line, column), "remove it", is_fixable=True)


def hidden(column: int) -> Mismatch:
    return Mismatch(ReasonCode.HIDDEN_TEXT, HIDDEN.format(column), "remove it")


def too_large(what: str) -> Mismatch:
    return Mismatch(ReasonCode.TOO_LARGE, what, "split it", is_fixable=True)


# SEARCH, REPLACE, what the file holds, why not
REFUSED: dict[str, tuple[str, str, str, Mismatch]] = {
    "line numbers": (
        "a();\n",
        "7 | a();\n8 | b();\n",
        "a();\n",
        Mismatch(
            ReasonCode.MALFORMED,
            "each new line begins with a line number (7 to 8)",
            "leave the numbers out",
        ),
    ),
    "half a character at the start": ("x\n", "\ud800\n", "x\n", half(1, 1)),
    "half a character in a line": ("x\n", "a\nbc\nd\ud800e\nf\n", "x\n", half(3, 2)),
    "half a character below a blank line": ("x\n", "\n\ud800\n", "x\n", half(2, 1)),
    "half a character in a large block": ("x\n", LONG * 20 + "\ud800\n", "x\n", half(21, 1)),
    "a hidden character": ("x\n", "a\u200bb\n", "x\n", hidden(2)),
    "a hidden character above a line that has one": ("a\nb\u200b\n", "\u200bx\nb\u200b\n", "a\nb\u200b\n", hidden(1)),
    "a long line": ("x\n", "y" * 65_537 + "\n", "x\n", too_large("a line of the block has more than 64 KiB")),
    "a long line of words": (
        "x\n",
        "yy " * 22_000 + "\n",
        "x\n",
        too_large("a line of the block has more than 64 KiB"),
    ),
    "a large block": ("x\n", LONG * 256, "x\n", too_large("the block has more than 256 KiB")),
    "a file that gets too large": (
        "x\n",
        "y" * 99 + "\n",
        "x\n" + LONG * 20,
        Mismatch(
            ReasonCode.TOO_LARGE,
            "a.py has 20,580 bytes, the limit is 20,579 (max-file-bytes)",
            "edit it another way",
        ),
    ),
}


@pytest.mark.parametrize(("search", "replace", "file", "why"), REFUSED.values(), ids=REFUSED)
def test_text_that_is_refused(search: str, replace: str, file: str, why: Mismatch) -> None:
    settings = Settings(max_file_bytes=20_579 if "another" in why.advice else 5_000_000)
    [row] = apply_response(block(search, replace), {"a.py": file.encode()}.get, settings).results
    assert row.mismatch == why


def test_a_block_of_256_kib_with_its_markers_is_taken() -> None:
    text = block("x\n", LONG * 255)
    text = text.replace("z", "z" * (256 * 1024 + len("a.py\n") - len(text) + 1), 1)
    [row] = apply_response(text, {"a.py": b"x\n"}.get).results
    assert (len(row.block.raw_block), row.ok) == (256 * 1024, True)


def test_a_file_that_gets_as_large_as_the_limit() -> None:
    [row] = apply_response(block("x\n", "yyyy\n"), {"a.py": b"x\n"}.get, Settings(max_file_bytes=5)).results
    assert row.ok


def test_what_is_said_of_a_line_that_may_be_a_placeholder() -> None:
    [row] = apply_response(block("x\n", "y\n...\n"), {"a.py": b"x\n"}.get).results
    assert row.notes == (Note("placeholder", "the new text has `...`: check whether it leaves lines out"),)
