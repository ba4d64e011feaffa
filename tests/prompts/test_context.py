"""The text for a chat: a golden page, the same as messages, and every byte of every file."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.context_golden import FORM, PAGE, context, packed, page

from editblocks.applying.engine import apply_response
from editblocks.core.settings import KITS
from editblocks.prompts.context import (
    Context,
    PackedFile,
    context_messages,
    context_text,
    kit,
    kit_messages,
    kit_text,
)
from editblocks.prompts.files import LONGEST_LINE
from editblocks.text.source_text import SourceText


def test_the_text_is_its_golden_page() -> None:
    assert page() == PAGE.read_text("utf-8"), "PYTHONPATH=tests python -m support.context_golden writes it"


@pytest.mark.parametrize("form", KITS)
def test_messages_say_the_same_as_the_text(form: str) -> None:
    chosen = kit(form)
    messages = context_messages(context(), chosen)
    opening = kit_messages(chosen)
    assert messages[: len(opening)] == opening
    roles = [message["role"] for message in messages[1:]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    asked = [message["content"] for message in messages[len(opening) :] if message["role"] == "user"]
    assert context_text(context(), chosen) == "\n\n".join((kit_text(chosen), *asked))


def test_what_is_not_there_is_not_spoken_of() -> None:
    text = context_text(Context([packed("a.py", "x = 1\n")]), kit(FORM))
    tail = text.removeprefix(kit_text(kit(FORM)))
    assert re.findall("^## .*", tail, re.MULTILINE) == ["## The files", "## Files to edit"]
    assert "base:" not in tail
    assert "\n\nThe task follows in the next message.\n\n" in tail


@pytest.mark.parametrize(
    ("task", "shown"),
    [("\n \n  - a\n  - b\n \n", "  - a\n  - b"), ("    code\n", "    code"), ("Add tax.", "Add tax.")],
)
def test_a_task_keeps_its_indentation(task: str, shown: str) -> None:
    text = context_text(Context([packed("a.py", "x = 1\n")], task=task), kit(FORM))
    assert f"\n\n## Task\n\n{shown}\n\nBefore you answer:" in text


# a fence holds its file, byte for byte

OPENING = re.compile(r"(`{4,})[a-z]+")


def shown(text: str) -> list[tuple[str, str]]:
    """The path above each fence, and what is in it."""
    found: list[tuple[str, str]] = []
    ticks, above = "", ""
    for line in text.split("\n"):
        if ticks and line == ticks:
            ticks = ""
        elif ticks:
            found[-1] = found[-1][0], f"{found[-1][1]}{line}\n"
        elif opening := OPENING.fullmatch(line):
            ticks = opening[1]
            found.append((above, ""))
        above = line
    assert not ticks
    return found


LINES = st.text(st.characters(exclude_characters="\0\n\r", exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["```", "````", "`````py", "# Task", "## Files to edit", "a.py", "base: 4be1d02", ">>>>>>> REPLACE"]
)


@given(
    st.lists(st.lists(LINES, max_size=6), max_size=4),
    st.sampled_from(["edit", "read"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_every_file_can_be_read_back(files: list[list[str]], where: str, end: str) -> None:
    texts = {f"src/file {number}.py": "".join(f"{line}\n" for line in lines) for number, lines in enumerate(files)}
    sources = {path: SourceText.decode(text.replace("\n", end).encode()) for path, text in texts.items()}
    packed_files = [PackedFile(path, source.lines) for path, source in sources.items()]
    text = context_text(Context(**{where: packed_files}), kit(FORM))  # type: ignore[arg-type]
    rest = text.removeprefix(kit_text(kit(FORM)))
    bare = {path: text.removeprefix("\ufeff") for path, text in texts.items()}
    assert shown(rest) == list(bare.items())


def test_a_part_is_shown_in_a_fence_for_each_range() -> None:
    lines = [f"line {number}" for number in range(1, 1001)]
    text = context_text(Context([PackedFile("a b.py", lines, [(0, 1), (499, 501)])]), kit(FORM))
    assert "You see lines 1 and 500-501 of `a b.py` (1,000 lines). " in text
    assert shown(text)[-2:] == [("a b.py", "line 1\n"), ("a b.py", "line 500\nline 501\n")]
    text = context_text(Context([PackedFile("a.py", lines, [(7, 8)])]), kit(FORM))
    assert "You see line 8 of a.py (1,000 lines). " in text
    assert shown(text)[-1] == ("a.py", "line 8\n")


def test_a_summary_marks_what_is_left_out_and_cuts_long_lines() -> None:
    lines = ["", "def f():", "    x", "", f"def g({'a' * 1000}):", "", ""]
    text = context_text(Context(summaries=[PackedFile("a.py", lines, [(1, 2), (4, 5)])]), kit(FORM))
    assert shown(text)[-1][1].split("\n") == [
        "def f():", "⋮", f"def g({'a' * (LONGEST_LINE - 6)}… [{1008 - LONGEST_LINE} more characters]", ""
    ]  # fmt: skip
    text = context_text(Context(summaries=[PackedFile("a.py", lines, [])]), kit(FORM))
    assert shown(text)[-1][1] == "⋮\n"


def can_name(form: str, path: str) -> bool:
    """Whether our own reader finds the path where the kit puts it."""
    shown = json.dumps(path, ensure_ascii=False)[1:-1] if form == "tool-replace" else path
    result = apply_response(kit(form).system.replace("path/of/the/file.py", shown), {path: b""}.get)
    return [row.file_path for row in result.results] == [path]


@pytest.mark.parametrize("form", KITS)
@pytest.mark.parametrize("path", ["src/cart.py", "src/a b.py", "Makefile", "docs/été.md", "notes", "app/[id]/page.tsx"])
def test_a_block_names_the_file_as_it_is_shown(form: str, path: str) -> None:
    assert can_name(form, path)


def test_an_attribute_may_hold_brackets() -> None:
    assert can_name("bolt-edit", "<a>.py")
