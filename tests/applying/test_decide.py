"""The row of a block in full: each field that is not at its default, and what becomes of the files."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from support.call_blocks import RUN, insert, replace, write
from support.file_blocks import add, delete, edit, parsed, rename
from support.gitkit import LINK
from support.hunkkit import hunk

from editblocks.applying.engine import Options, apply_parsed
from editblocks.core.blocks import EditBlock, Note, Problem, RangeEdit, Split, TextRange
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.digests import block_key
from editblocks.core.model import EditResult, Written
from editblocks.core.outcome import WrittenFile
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.repos.stores.memory import MemoryRepo

NEW, OLD = "1" * 40, "2" * 40
NOTE = Note("odd", "it is odd")
Facts = dict[str, Any]


def facts(row: EditResult) -> Facts:
    """The fields of a row that are not at their defaults; of a mismatch its code and its sentence."""
    defaults = EditResult(row.block, EditStatus.APPLIED)
    found = {name: value for name, value in row._asdict().items() if value != getattr(defaults, name)}
    if row.mismatch is not None:
        found["mismatch"] = (row.mismatch.code.value, row.reason)
        assert row.mismatch.found_at is None
    if row.trial is not None:
        found["trial"] = facts(row.trial)
    found["notes"] = [(note.code, note.message) for note in row.notes if note != NOTE]
    return {name: value for name, value in found.items() if value != []}


def planned(
    blocks: Sequence[EditBlock | Problem], files: Mapping[str, str], settings: Settings | None = None, **about: Any
) -> list[Facts]:
    """The facts of each row. The last block has a note, which each row has to keep."""
    *others, last = blocks
    answer = parsed(*others, last._replace(notes=(NOTE,)), base=about.pop("base", None))
    past = {path: text.encode() for path, text in about.pop("past", {}).items()}
    data = {path: text.encode() for path, text in files.items()}
    modes = {path: LINK for path in files if path.startswith("CLAUDE")}
    repo = MemoryRepo(data, modes, head=NEW, earlier={OLD: past})
    result = apply_parsed(answer, repo, settings, Options(**about))
    assert result.results[-1].notes[0] == NOTE
    return [facts(row) for row in result.results]


class Case(NamedTuple):
    """Blocks, files, and what the row of the last block holds."""

    blocks: list[EditBlock | Problem]
    files: dict[str, str]
    settings: Settings | None
    about: dict[str, Any]
    row: Facts


CHANGE = edit("a.py", "a\n", "b\n")
BROKEN = edit("a.py", "z\n", "y\n")
FULL = EditBlock(1, "a.py", "whole-file", 3, 9, new_lines="x\n", action="replace-file")
V3 = EditBlock(1, "a.py", "edit-v3", 1, 1, old_lines="a\n", new_lines="b\n")
FILES = {"a.py": "a\n"}
KEY = block_key(CHANGE)
RESULT = Problem(1, 1, 1, ReasonCode.MALFORMED, "it is the result of a call", is_result=True)
LARGE = "x" * (1 << 20)
THREE = "new first line\nnew second line\nnew third line\n"
PAST = {"a.py": "a\nb\nc\nd\ne\n"}
ADDS = edit("a.py", "e\n", "e\nf\n")
MERGED = edit("a.py", "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n")
NOW = {"a.py": "A\nb\nc\nd\ne\nf\n"}
GONE = edit("a.py", "gone\n", THREE)
MERGED_NEW = edit("a.py", "a\nb\nc\nd\n", "a\nb\nc\nX\n")
NOW_NEW = {"a.py": f"A\nb\nc\nd\ne\n{THREE}"}
WRITTEN = (WrittenFile("a.py", NOW["a.py"].encode(), {block_key(ADDS): "day-1"}),)
WRITTEN_NEW = (WrittenFile("a.py", NOW_NEW["a.py"].encode(), {block_key(GONE): "day-1"}),)
INDENTED = EditBlock(1, "a.py", "search-replace", 1, 5, old_lines="if x:\n    y = 1\n", new_lines="if x:\n    y = 2\n")
SPLIT = EditBlock(1, "A.py", "search-replace", 1, 5, old_lines="x\n", new_lines="y\n")._replace(
    splits=(Split((2,), "x\n", "y\n"), Split((3,), "", "x\ny\n"))
)


def fix(new: str) -> EditBlock:
    """Another first character of the first line."""
    return EditBlock(1, "a.py", "rdjson", 1, 1, action="edit", range_edits=(RangeEdit(TextRange(1, 1, 1, 2), new),))


CASES: dict[str, Case] = {
    "not named": Case(
        [CHANGE, BROKEN],
        FILES,
        None,
        {"select": Selection(numbers=frozenset({1}))},
        {"status": EditStatus.SKIPPED, "mismatch": ("not-selected", "the selection does not include this block")},
    ),
    "left out": Case(
        [CHANGE, BROKEN],
        FILES,
        None,
        {"select": Selection(every=True, skip=frozenset({2}))},
        {"status": EditStatus.SKIPPED, "mismatch": ("not-selected", "left out on request")},
    ),
    "written before": Case(
        [CHANGE],
        {"a.py": "b\n"},
        None,
        {"written": (WrittenFile("a.py", b"b\n", {KEY: "day-1"}),)},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": (
                "already-applied",
                "this block was written by apply day-1, and a.py has not changed since; nothing to do",
            ),
        },
    ),
    "beside a file that is renamed": Case(
        [rename("b.py", "c.py"), CHANGE],
        {"a.py": "a\n", "b.py": ""},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(("a",), ("b",)),
        },
    ),
    "an empty file is filled": Case(
        [add("a.py", "x\n")],
        {"a.py": ""},
        None,
        {},
        {"strategy": "create", "confidence": "high", "lines_added": 1, "written": Written((), ("x",))},
    ),
    "exact": Case(
        [CHANGE],
        {"a.py": "x\na\n"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 2,
            "span": (1, 2),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
        },
    ),
    "in lines that a block wrote": Case(
        [edit("a.py", "a\n", "b\nc\n"), edit("a.py", "c\n", "d\n")],
        FILES,
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("c",), new=("d",)),
        },
    ),
    "below lines that a block wrote": Case(
        [edit("a.py", "a\n", "b\nc\n"), edit("a.py", "x\n", "d\n")],
        {"a.py": "a\nx\n"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 2,
            "span": (1, 2),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("x",), new=("d",)),
        },
    ),
    "chosen": Case(
        [CHANGE],
        {"a.py": "a\nx\na\n"},
        None,
        {"select": Selection.read("1@3")},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 3,
            "span": (2, 3),
            "likeness": 1.0,
            "chosen": True,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
        },
    ),
    "all lines go": Case(
        [edit("a.py", "a\n", "")],
        FILES,
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_removed": 1,
            "empties_file": True,
            "written": Written(old=("a",), new=()),
        },
    ),
    "a new file": Case(
        [add("b.py", "x\n")],
        FILES,
        None,
        {},
        {"strategy": "create", "confidence": "high", "lines_added": 1, "written": Written(old=(), new=("x",))},
    ),
    "a file below a new file": Case(
        [add("b", "x\n"), add("b/c", "x\n")],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": ("path-conflict", "b is a file, so b/c cannot be below it; choose another path"),
            "lines_added": 1,
        },
    ),
    "a file below one that failed": Case(
        [edit("b", "z\n", "x\n"), add("b", "x\n"), add("b/c", "x\n")],
        FILES,
        None,
        {},
        {"strategy": "create", "confidence": "high", "lines_added": 1, "written": Written(old=(), new=("x",))},
    ),
    "removed and created": Case(
        [delete("a.py"), add("a.py", "x\n")],
        FILES,
        None,
        {},
        {
            "strategy": "create",
            "confidence": "high",
            "lines_added": 1,
            "written": Written(old=(), new=("x",)),
            "notes": [("rewrites-file", "block 1 removes a.py, and this block creates it again")],
        },
    ),
    "nowhere": Case(
        [edit("a.py", "z\ny\n", "x\n")],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "no-match",
                "its old lines are not in a.py, and nothing close to them was found; copy the current lines",
            ),
            "lines_added": 1,
            "lines_removed": 2,
        },
    ),
    "already": Case(
        [edit("a.py", "a\n", "a\nx\n")],
        {"a.py": "q\na\nx\n"},
        None,
        {},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": ("already-applied", "the new lines are already at a.py:2; nothing to do"),
            "estimated_line": 2,
        },
    ),
    "same text": Case(
        [edit("a.py", "a \n", "a\n")],
        {"a.py": "a\n"},
        None,
        {},
        {"status": EditStatus.SKIPPED, "mismatch": ("no-op", "the file already has exactly this text; nothing to do")},
    ),
    "v3 newline": Case(
        [V3],
        {"a.py": "a"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
            "notes": [("final-newline-added", "a.py ends in a newline now, as edit-v3 asks")],
        },
    ),
    "patch newline": Case(
        [edit("a.py", "a\n", "b\n")._replace(ends=("no", ""))],
        {"a.py": "a"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
            "notes": [("final-newline-added", "a.py ends in a newline now, as its patch asks")],
        },
    ),
    "fix newline": Case(
        [fix("b\n")],
        {"a.py": "a"},
        None,
        {"base": OLD, "past": {"a.py": "a"}},
        {
            "strategy": "range",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
            "notes": [("final-newline-added", "a.py ends in a newline now, as its fix asks")],
        },
    ),
    "fix": Case(
        [fix("b")],
        {"a.py": "a"},
        None,
        {"base": OLD, "past": {"a.py": "a"}},
        {
            "strategy": "range",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
        },
    ),
    "result of a call": Case(
        [RESULT, CHANGE],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "unsupported-format",
                "line 1 is the result of a call, so this edit may be one that failed in a session; "
                "give only the session",
            ),
            "lines_added": 1,
            "lines_removed": 1,
        },
    ),
    "too large": Case(
        [CHANGE._replace(raw_block=LARGE)],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": ("too-large", "the block has more than 256 KiB; split it"),
        },
    ),
    "large whole file": Case(
        [FULL._replace(raw_block=LARGE)],
        FILES,
        None,
        {},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": (
                "whole-file",
                "lines 3-9 hold a whole file; whole files are written only on request; "
                "add --whole-files all, or ask for edit blocks",
            ),
            "lines_added": 1,
        },
    ),
    "whole file": Case(
        [FULL],
        FILES,
        None,
        {},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": (
                "whole-file",
                "lines 3-9 hold a whole file; whole files are written only on request; "
                "add --whole-files all, or ask for edit blocks",
            ),
            "lines_added": 1,
        },
    ),
    "whole file all": Case(
        [FULL],
        {"a.py": "a\nb\n"},
        Settings(whole_files="all"),
        {},
        {
            "strategy": "replace-file",
            "confidence": "medium",
            "estimated_line": 1,
            "span": (0, 2),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 2,
            "written": Written(old=("a", "b"), new=("x",)),
            "notes": [("rewrites-file", "replaces the whole file; lines lost: 2 of 2")],
        },
    ),
    "a name of Windows": Case(
        [add("aux.py", "x\n")],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": ("unsafe-path", "`aux.py` has a name that Windows keeps for a device; choose another name"),
            "lines_added": 1,
        },
    ),
    "to a name of Windows": Case(
        [rename("a.py", "aux.py")],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": ("unsafe-path", "`aux.py` has a name that Windows keeps for a device; choose another name"),
        },
    ),
    "an old name of Windows": Case(
        [edit("aux.py", "a\n", "b\n")],
        {"aux.py": "a\n"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 1,
            "span": (0, 1),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("a",), new=("b",)),
        },
    ),
    "protected": Case(
        [edit("docs/x.md", "a\n", "b\n")],
        {"docs/x.md": "a\n", "CLAUDE.md": "docs/x.md"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "not-allowed",
                "CLAUDE.md is a link to docs/x.md, so docs/x.md is protected as well; "
                "change it by hand, or allow it with --allow-protected",
            ),
            "lines_added": 1,
            "lines_removed": 1,
        },
    ),
    "removal": Case(
        [delete("a.py")],
        FILES,
        Settings(removals="refuse"),
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "not-allowed",
                "blocks may not delete or rename files here (removals: refuse); change it by hand",
            ),
        },
    ),
    "result of all": Case(
        [replace("a", "b", RUN)],
        {"a.py": "b\n"},
        None,
        {},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": ("already-applied", "a.py already has the changes of its blocks; nothing to do"),
        },
    ),
    "earlier": Case(
        [BROKEN, CHANGE],
        FILES,
        None,
        {},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": ("earlier-failure", "would fit at line 1 without block 1; repair block 1 first"),
            "estimated_line": 1,
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "without": (1,),
            "trial": {
                "strategy": "exact",
                "confidence": "high",
                "estimated_line": 1,
                "span": (0, 1),
                "likeness": 1.0,
                "lines_added": 1,
                "lines_removed": 1,
                "written": Written(old=("a",), new=("b",)),
            },
            "written": Written(old=("a",), new=("b",)),
        },
    ),
    "earlier chosen": Case(
        [BROKEN, CHANGE],
        {"a.py": "a\nx\na\n"},
        None,
        {"select": Selection.read("1,2@3")},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": ("earlier-failure", "would fit at line 3 without block 1; repair block 1 first"),
            "estimated_line": 3,
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "without": (1,),
            "trial": {
                "strategy": "exact",
                "confidence": "high",
                "estimated_line": 3,
                "span": (2, 3),
                "likeness": 1.0,
                "chosen": True,
                "lines_added": 1,
                "lines_removed": 1,
                "written": Written(old=("a",), new=("b",)),
            },
            "written": Written(old=("a",), new=("b",)),
        },
    ),
    "unfilled": Case(
        [BROKEN, rename("a.py", "b.py"), edit("b.py", "a\n", "b\n")],
        FILES,
        None,
        {},
        {
            "status": EditStatus.SKIPPED,
            "mismatch": ("earlier-failure", "block 2 was to create b.py, and it failed; repair block 2 first"),
            "without": (2,),
        },
    ),
    "write and insert": Case(
        [write("a\n"), insert(1, "b\n")],
        {},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "likeness": 1.0,
            "lines_added": 1,
            "written": Written(old=(), new=("b",)),
        },
    ),
    "replaced and insert": Case(
        [write("b\n"), insert(1, "b\n")],
        FILES,
        Settings(whole_files="all"),
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "likeness": 1.0,
            "lines_added": 1,
            "written": Written(old=(), new=("b",)),
        },
    ),
    "insert": Case(
        [insert(1, "b\n")],
        FILES,
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "no-version",
                "the version that line 1 refers to is not known; add base: COMMIT, or ask for str_replace",
            ),
            "lines_added": 1,
        },
    ),
    "renamed": Case(
        [edit("a.py", "a\n", "n\na\n"), rename("a.py", "b.py"), edit("b.py", "c\n", "d\n")],
        {"a.py": "a\nc\n"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 2,
            "span": (1, 2),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "written": Written(old=("c",), new=("d",)),
            "notes": [("rename-line-numbers", "line numbers refer to a.py, the file before the rename")],
        },
    ),
    "renamed ambiguous": Case(
        [rename("a.py", "b.py"), edit("b.py", "c\n", "d\n")],
        {"a.py": "c\nc\n"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": ("ambiguous", "matches at lines 1 and 2 of b.py; add a line above or below"),
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("rename-line-numbers", "line numbers refer to a.py, the file before the rename")],
        },
    ),
    "renamed no": Case(
        [rename("a.py", "b.py"), edit("b.py", "long line that is not there\n", "d\n")],
        {"a.py": "c\nlong line that is not here\n"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "no-match",
                "line 1 of the block differs from b.py:2 at column 23; the closest text is line 2, 98 % alike",
            ),
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("rename-line-numbers", "line numbers refer to a.py, the file before the rename")],
        },
    ),
    "merged below one that was there": Case(
        [ADDS, MERGED],
        NOW,
        None,
        {"base": OLD, "past": PAST},
        {
            "strategy": "three-way",
            "confidence": "medium",
            "estimated_line": 4,
            "span": (3, 4),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("merged", "merged with what changed since 2222222, the base of this answer")],
            "written": Written(old=("d",), new=("X",)),
        },
    ),
    "merged below one that an apply wrote": Case(
        [ADDS, MERGED],
        NOW,
        None,
        {"base": OLD, "past": PAST, "written": WRITTEN},
        {
            "strategy": "three-way",
            "confidence": "medium",
            "estimated_line": 4,
            "span": (3, 4),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("merged", "merged with what changed since 2222222, the base of this answer")],
            "written": Written(old=("d",), new=("X",)),
        },
    ),
    "merged below one that is not in the base": Case(
        [GONE, MERGED_NEW],
        NOW_NEW,
        None,
        {"base": OLD, "past": PAST},
        {
            "strategy": "three-way",
            "confidence": "medium",
            "estimated_line": 4,
            "span": (3, 4),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("merged", "merged with what changed since 2222222, the base of this answer")],
            "written": Written(old=("d",), new=("X",)),
        },
    ),
    "merged below one that an apply wrote, and that is not in the base": Case(
        [GONE, MERGED_NEW],
        NOW_NEW,
        None,
        {"base": OLD, "past": PAST, "written": WRITTEN_NEW},
        {
            "strategy": "three-way",
            "confidence": "medium",
            "estimated_line": 4,
            "span": (3, 4),
            "likeness": 1.0,
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("merged", "merged with what changed since 2222222, the base of this answer")],
            "written": Written(old=("d",), new=("X",)),
        },
    ),
    "the text is in another file": Case(
        [edit("b.py", "q\n", "r\n"), edit("a.py", "one line\nand another\n", "x\n")],
        {"a.py": "a\n", "b.py": "one line\nand another\n"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "no-match",
                "its old lines are not in a.py, and nothing close to them was found; "
                "the same text is at b.py:1-2, name that file if you mean it",
            ),
            "lines_added": 1,
            "lines_removed": 2,
        },
    ),
    "the text is in a file that is refused": Case(
        [edit(".github/workflows/x.yml", "q\n", "r\n"), edit("a.py", "one line\nand another\n", "x\n")],
        {"a.py": "a\n", ".github/workflows/x.yml": "one line\nand another\n"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "no-match",
                "its old lines are not in a.py, and nothing close to them was found; copy the current lines",
            ),
            "lines_added": 1,
            "lines_removed": 2,
        },
    ),
    "at the end": Case(
        [edit("a.py", "", "x\n")._replace(at_end=True)],
        {"a.py": "a\n"},
        None,
        {},
        {
            "strategy": "exact",
            "confidence": "high",
            "estimated_line": 2,
            "likeness": 1.0,
            "lines_added": 1,
            "written": Written(old=(), new=("x",)),
        },
    ),
    "in lines that the hunk before it adds": Case(
        [hunk(" a\n+x\n")._replace(section=1), hunk("-x\n+y\n", 2)._replace(section=1)],
        {"a.py": "a\n"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": (
                "no-match",
                "its old lines are at line 2 of a.py after block 1 only because another hunk of its patch adds lines "
                "there; write one hunk for both changes",
            ),
            "lines_added": 1,
            "lines_removed": 1,
        },
    ),
    "no newline at the end, as it is": Case(
        [edit("a.py", "a\n", "a\n")._replace(ends=("", "no"))],
        {"a.py": "a"},
        None,
        {},
        {"status": EditStatus.SKIPPED, "mismatch": ("no-op", "the file already has exactly this text; nothing to do")},
    ),
    "indented": Case(
        [INDENTED],
        {"a.py": "  if x:\n      y = 1\n"},
        None,
        {},
        {
            "strategy": "indentation",
            "confidence": "medium",
            "estimated_line": 1,
            "span": (0, 2),
            "likeness": 1.0,
            "shift": (2, "space"),
            "lines_added": 1,
            "lines_removed": 1,
            "notes": [("indentation-shifted", "old and new lines were shifted right by 2 spaces")],
            "written": Written(old=("  if x:", "      y = 1"), new=("  if x:", "      y = 2")),
        },
    ),
    "a reading that creates a file like another": Case(
        [SPLIT],
        {"a.py": "a\n"},
        None,
        {},
        {
            "status": EditStatus.FAILED,
            "mismatch": ("path-conflict", "A.py differs from a.py only in case or Unicode form; write a.py"),
            "lines_added": 1,
            "lines_removed": 1,
        },
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_row_of_a_block(case: Case) -> None:
    assert planned(case.blocks, case.files, case.settings, **case.about)[-1] == case.row


def test_a_session_that_may_have_been_applied_changes_nothing() -> None:
    calls: list[EditBlock | Problem] = [replace("z", "y", RUN), replace("b\n", "a\nb", RUN), replace("c", "", RUN)]
    trial = planned(calls, {"a.py": "a\nb\n"})[1]["trial"]
    reason = "the session may have been applied to a.py already; if it was not, give only its edits"
    assert trial == {
        "status": EditStatus.FAILED,
        "mismatch": ("unsupported-format", reason),
        "lines_added": 1,
    }


def test_a_session_was_not_applied_where_a_text_is_that_it_takes_out() -> None:
    calls: list[EditBlock | Problem] = [replace("a", "b", RUN), replace("q", "r", RUN), replace("c", "", RUN)]
    row = planned(calls, {"a.py": "b\nq\n"})[1]
    assert row["mismatch"] == ("earlier-failure", "would fit at line 2 without block 1; repair block 1 first")
