"""Blocks that hold a whole file: what each becomes beside what its file holds, with the exact words."""

import pytest

from editblocks.applying.whole_files import create
from editblocks.core.blocks import EditBlock, ToolCall
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.matching.ladder import Placement
from editblocks.text.source_text import BOM, SourceText

BLOCK = EditBlock(1, "a.py", "search-replace", 1, 3, new_lines="x\n")
FILE = BLOCK._replace(format="whole-file", action="replace-file")
WRITE = BLOCK._replace(format="tool-write", action="write", call=ToolCall(new="x\n"))
SNIPPET = WRITE._replace(action="snippet")
LITERAL = WRITE._replace(call=ToolCall(new=f"{BOM}a\r\n\n{BOM}", is_literal=True))
PATCH = BLOCK._replace(format="unified", action="create")
ASK_CALLS = "ask for replace calls (old_string and new_string)"
WRITTEN_IN_FULL = "a.py exists, and only new files are written in full"
ALL = "add --whole-files all, or ask for"


def already(file: str = "a.py", found_at: int = 0, what: str = "this text") -> Mismatch:
    return Mismatch(ReasonCode.ALREADY_APPLIED, f"{file} already has {what}", found_at=found_at)


def exists(what: str, advice: str) -> Mismatch:
    return Mismatch(ReasonCode.FILE_EXISTS, what, advice)


def created(*lines: str, ends: tuple[str, ...] = ()) -> Placement:
    return Placement("create", "high", 0, 0, lines, line_ends=ends)


def replaced(stop: int, *new: str | int) -> Placement:
    return Placement("replace-file", "medium", 0, stop, new)


# a block, the text of its file (None: there is no file), the setting, and what becomes of the block
OUTCOMES: dict[str, tuple[EditBlock, str | None, str, Placement | Mismatch]] = {
    "no file": (BLOCK, None, "new", created("x")),
    "an empty one": (BLOCK, "", "new", created("x")),
    "blank lines at the end": (BLOCK._replace(new_lines="X\n\n \t\n"), None, "new", created("X")),
    "a form feed at the end": (BLOCK._replace(new_lines="x\n\f\n"), None, "new", created("x", "\f")),
    "the same text": (BLOCK, "x\n", "new", already()),
    "another text": (BLOCK, "y\n", "all", exists("a.py already has 1 line", "send blocks that edit it")),
    "a patch with blank lines": (PATCH._replace(new_lines="x\n\n"), None, "new", created("x", "")),
    "a patch without a line, and an empty file": (PATCH._replace(new_lines=""), "", "new", already()),
    "a string": (LITERAL, None, "new", created("a", "", BOM, ends=("\r\n", "\n", ""))),
    "a string and another text": (
        LITERAL._replace(action="create"),
        "y\nz\n",
        "all",
        exists("a.py already has 2 lines", ASK_CALLS),
    ),
    "a string that is written": (WRITE, "y\n", "all", replaced(1, "x")),
    "written where that is not asked for": (
        WRITE,
        "y\n",
        "new",
        Mismatch(
            ReasonCode.WHOLE_FILE,
            "a.py exists, and whole files replace others only if you ask for it",
            f"{ALL} replace calls",
        ),
    ),
    "the same is written": (WRITE, "x\n\n", "new", already()),
    "a whole file": (FILE._replace(new_lines="x\ny\n"), "y\nz\n\n", "all", replaced(2, "x", 0)),
    "a whole file that is not asked for": (
        FILE,
        "y\n",
        "new",
        Mismatch(ReasonCode.WHOLE_FILE, WRITTEN_IN_FULL, f"{ALL} edit blocks"),
    ),
    "a part of the file": (FILE, "y\nx\nz\n", "all", already(found_at=1, what="these lines")),
    "an empty fence": (
        FILE._replace(new_lines=""),
        "y\n",
        "all",
        exists("the fence is empty, and a.py has 1 line", "ask for the whole file, or for a patch that deletes it"),
    ),
    "a snippet": (SNIPPET, None, "new", created("x")),
    "a snippet of a file": (
        SNIPPET,
        "x\n",
        "all",
        Mismatch(ReasonCode.UNSUPPORTED_FORMAT, "a.py exists, and a snippet does not say where it belongs", ASK_CALLS),
    ),
    "a snippet that leaves text out": (
        SNIPPET._replace(new_lines="x\n# ... existing code ...\n"),
        None,
        "new",
        Mismatch(ReasonCode.PLACEHOLDER, "line 2 of the snippet leaves text out", ASK_CALLS),
    ),
    "a snippet with words that only a loss explains": (
        SNIPPET._replace(new_lines="# others unchanged\n"),
        None,
        "new",
        created("# others unchanged"),
    ),
}


@pytest.mark.parametrize(("block", "text", "whole_files", "outcome"), OUTCOMES.values(), ids=OUTCOMES)
def test_what_becomes_of_a_whole_file(
    block: EditBlock, text: str | None, whole_files: str, outcome: Placement | Mismatch
) -> None:
    source = None if text is None else SourceText.of(text)
    assert create(block, source, whole_files) == outcome


@pytest.mark.parametrize("block", [BLOCK, FILE, WRITE])
def test_a_text_that_blocks_wrote_is_told(block: EditBlock) -> None:
    source = SourceText.of("x\n")
    source.applied.append(3)
    assert create(block, source, "all") == already("a.py after block 3")
