"""A text without a marker line is passed over: what comes of it is what comes of reading it to its end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks import EditBlock, Problem
from editblocks.core.blocks import Note
from editblocks.core.outcome import Part
from editblocks.formats.whole_file import WHOLE_FILE
from editblocks.parsing.parse import FORMATS, MOST_ROWS, parse_response, scanner_of
from editblocks.parsing.reader import Reader

FENCE = "```python\nx = 1\n```\n"


def reader(context_path: str | None = None) -> Reader:
    return Reader(scanner_of(FORMATS), FORMATS, Part(0, "", context_path), 1, MOST_ROWS)


def in_full(text: str, context_path: str | None = None) -> tuple[list[EditBlock | Problem], list[Note]]:
    """The rows and the notes of a text that is read to its end, whatever stands in it."""
    slow = reader(context_path)
    slow.take_lines(text if text.endswith("\n") else f"{text}\n")
    slow.end()
    return slow.rows.items, list(slow.notes())


# texts, and whether a fence in them may show a whole file
TEXTS = {
    "no fence": ("a.py\n\nIt is short.\n", False),
    "prose above": (f"It is short.\n\n{FENCE}", False),
    "nothing above": (FENCE, False),
    "code above": (f"{FENCE}\n{FENCE}", False),
    "a path further up": (f"a.py\n\nIt is short.\n{FENCE}", False),
    "a weak path above": (f"before/after\n{FENCE}", False),
    "back-ticks in a line": ("a.py\nSee ```x```.\n", False),
    "a path above": (f"a.py\n{FENCE}", True),
    "a path above, of lines with carriage returns": (f"a.py\n\n{FENCE}".replace("\n", "\r\n"), True),
    "a path above the first of two": (f"a.py\n```\n{FENCE}", True),
    "a path in the info string": ("```py:src/a.py\nx\n```\n", True),
    "a path with an extension there": ("```py a.py\nx\n```\n", True),
    "a path with backslashes there": ("```py src\\Makefile\nx\n```\n", True),
    "a tag between": (f"a.py\n<details>\n{FENCE}", True),
    "tildes": ("It is short.\n~~~\nx\n~~~\n", True),
    "one tilde": (f"About ~3 of them.\n{FENCE}", False),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_what_may_show_a_whole_file(text: str, expected: bool) -> None:
    assert reader().fence_edits.may_show(text) is expected


MARKED = {
    "a path in the info string": "```py:src/a.py\nx\n```\n",
    "a path": f"**src/a.py**\n{FENCE}",
    "a tag": f"<path>src/a.py</path>\n{FENCE}",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_a_byte_order_mark_hides_nothing(text: str) -> None:
    parsed = parse_response(text)
    assert parsed.blocks or parsed.problems
    assert parse_response(f"\ufeff{text}") == parsed


def test_in_a_thread_any_fence_may() -> None:
    files = reader("src/t.py").fence_edits
    assert [files.may_show(text) for text in (FENCE, "It is short.\n")] == [True, False]


def test_without_that_format_none_may() -> None:
    others = [each for each in FORMATS if each is not WHOLE_FILE]
    assert not Reader(scanner_of(FORMATS), others, Part(0, "", None), 1, MOST_ROWS).fence_edits.may_show(
        f"a.py\n{FENCE}"
    )


LINES = [
    "a.py", "src/b.py:", "`c d.md`", "**`a.py`**", "### File: src/c.py", "- `a.md`", "Makefile", "before/after", "",
    "  ", "It is short.", "Change `a.py`:", "Fixed:", "x = 1", "self.x", "```", "```python", "````", "  ```", "```diff",
    "```py:src/a.py", "``` a b.py", "```text", "```a`b", "~~~", "~~~a.py", "<details>", "</details>", "<pre>", "</pre>",
    "<!--", "-->", "> a.py", "=======", "-------", "-x", "+y", "a.py\r", "```\r", "----- SEA", "…",
]  # fmt: skip


@given(
    st.sampled_from(["", "\ufeff"]), st.lists(st.sampled_from(LINES), max_size=12), st.sampled_from([None, "src/t.py"])
)
def test_any_lines(mark: str, lines: list[str], context_path: str | None) -> None:
    text = mark + "\n".join(lines)
    parsed = parse_response(text, context_path=context_path)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    assert (sorted(rows, key=lambda row: row.number), list(parsed.notes)) == in_full(text, context_path)
