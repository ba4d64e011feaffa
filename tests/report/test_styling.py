"""Sentences in the width of a terminal: broken between words, commands whole."""

import pytest

from editblocks.report.wrapping import wrapped

WORDS = "one two three four five six seven eight"
ROWS = [  # the text, the width, the lines
    (WORDS, None, [WORDS]),
    (WORDS, 80, [WORDS]),
    (WORDS, len(WORDS), [WORDS]),
    (WORDS, 20, ["one two three four", "     five six seven", "     eight"]),
    (WORDS, 1, ["one two three four", "     five six seven", "     eight"]),
    (f"     {WORDS}", 25, ["     one two three four", "     five six seven eight"]),
    ("a" * 30 + " b", 20, ["a" * 30, "     b"]),
    ("short\n" + WORDS, 20, ["short", "one two three four", "     five six seven", "     eight"]),
    ("so type `editblocks retry reply.md --only 2` next", 20, [
        "so type", "     `editblocks retry reply.md --only 2`", "     next",
    ]),
    ("so type `editblocks retry reply.md --only 2` next", 45, [
        "so type `editblocks retry reply.md --only 2`", "     next",
    ]),
    ("so you may type `editblocks retry reply.md --only 2` next", 45, [
        "so you may type", "     `editblocks retry reply.md --only 2`", "     next",
    ]),
    ("\x1b[31m 2  failed\x1b[0m a.py", 20, ["\x1b[31m 2  failed\x1b[0m a.py"]),
    ("done; undo with: editblocks undo 20261128-1; or not", 33, [
        "done; undo with:", "     editblocks undo 20261128-1;", "     or not",
    ]),
    ("undo on main with: git revert 87d5e92", 25, ["undo on main with:", "     git revert 87d5e92"]),
    ("a tick ` that nothing closes, and many more words", 24, [
        "a tick ` that nothing", "     closes, and many", "     more words",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "width", "lines"), ROWS)
def test_wrapped(text: str, width: int | None, lines: list[str]) -> None:
    assert wrapped(text, width).split("\n") == lines


def test_the_end_of_a_text_stays() -> None:
    assert wrapped(f"{WORDS}\n", 20).endswith("     eight\n")
    assert wrapped("", 20) == ""


def test_another_indentation() -> None:
    assert wrapped(WORDS, 20, "").split("\n") == ["one two three four", "five six seven eight"]
