"""Rows of patches, blocks and fixes in full: each field of a row that is not at its default."""

import json
from typing import Any

import pytest

from editblocks import EditBlock, Problem, parse_response
from editblocks.core.blocks import Note, RangeEdit, Split, TextRange
from editblocks.core.codes import ReasonCode

Facts = dict[str, Any]
BLOCK = EditBlock(0, "a.py", "", 0, 0, action="edit")
PROBLEM = Problem(0, 0, 0, ReasonCode.SELF_CHECK, "", file_path="a.py")


def facts(row: EditBlock | Problem) -> Facts:
    """The lines of a row, and the fields that are not those of an edit of a.py, but for its number and raw text."""
    defaults: EditBlock | Problem = BLOCK
    if isinstance(row, Problem):
        defaults = PROBLEM
    found = {name: value for name, value in row._asdict().items() if value != getattr(defaults, name)}
    for name in ("number", "format", "raw_block", "line_number", "end_line"):
        found.pop(name, None)
    if "notes" in found:
        found["notes"] = [tuple(note) for note in row.notes]
    if isinstance(row, Problem):
        found["code"] = row.code.value
    return {"lines": (row.line_number, row.end_line), **found}


def rows(text: str) -> list[EditBlock | Problem]:
    parsed = parse_response(text)
    return sorted((*parsed.blocks, *parsed.problems), key=lambda row: row.number)


def facts_of(text: str, form: str) -> list[Facts]:
    """The rows of a text, which are numbered and of one format."""
    found = rows(text)
    assert [(row.number, row.format) for row in found] == [(number, form) for number in range(1, len(found) + 1)]
    return [facts(row) for row in found]


def v4a(*lines: str) -> str:
    """A patch with these lines."""
    return "*** Begin Patch\n" + "".join(f"{line}\n" for line in lines) + "*** End Patch\n"


V4A: dict[str, tuple[str, list[Facts]]] = {
    "an update": (
        v4a("*** Update File: a.py", "@@ def f():", " a", "-b", "+c", " d"),
        [
            {
                "lines": (3, 7),
                "anchor": "a\n",
                "old_lines": "b\n",
                "new_lines": "c\n",
                "trailing_anchor": "d\n",
                "section": 2,
                "scopes": ("def f():",),
            }
        ],
    ),
    "two hunks": (
        v4a("*** Update File: a.py", "@@ def f():", "-b", "+c", "@@", "-x", "+y"),
        [
            {"lines": (3, 5), "old_lines": "b\n", "new_lines": "c\n", "section": 2, "scopes": ("def f():",)},
            {"lines": (6, 8), "old_lines": "x\n", "new_lines": "y\n", "section": 2},
        ],
    ),
    "scopes": (
        v4a("*** Update File: a.py", "@@ class A:", "@@ def f(): @@", "-b", "+c"),
        [{"lines": (3, 6), "old_lines": "b\n", "new_lines": "c\n", "section": 2, "scopes": ("class A:", "def f():")}],
    ),
    "dots are no scope": (
        v4a("*** Update File: a.py", "@@ ...", "-b", "+c"),
        [{"lines": (3, 5), "old_lines": "b\n", "new_lines": "c\n", "section": 2}],
    ),
    "at the end": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "*** End of File"),
        [{"lines": (3, 6), "old_lines": "b\n", "new_lines": "c\n", "section": 2, "at_end": True}],
    ),
    "at the end, with blanks": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "*** End of File \t"),
        [{"lines": (3, 6), "old_lines": "b\n", "new_lines": "c\n", "section": 2, "at_end": True}],
    ),
    "two ends": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "*** End of File", "", "@@", "-x", "+y"),
        [
            {"lines": (3, 6), "old_lines": "b\n", "new_lines": "c\n", "section": 2, "at_end": True},
            {"lines": (8, 10), "old_lines": "x\n", "new_lines": "y\n", "section": 2},
        ],
    ),
    "text behind the end": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "*** End of File", "x", "*** Delete File: b.py"),
        [
            {"lines": (3, 6), "old_lines": "b\n", "new_lines": "c\n", "section": 2, "at_end": True},
            {
                "lines": (7, 7),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 7",
                "advice": "leave that line out",
            },
            {"lines": (8, 8), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "no header": (
        v4a("*** Update File: a.py", "-b", "+c"),
        [{"lines": (3, 4), "old_lines": "b\n", "new_lines": "c\n", "section": 2}],
    ),
    "numbers": (
        v4a("*** Update File: a.py", "@@ -3,2 +4,2 @@", " a", "-b", "+c"),
        [
            {
                "lines": (3, 6),
                "anchor": "a\n",
                "old_lines": "b\n",
                "new_lines": "c\n",
                "section": 2,
                "line_hint": 3,
                "line_after": 4,
            }
        ],
    ),
    "wrong numbers": (
        v4a("*** Update File: a.py", "@@ -3,9 +4,2 @@", " a", "-b", "+c"),
        [{"lines": (3, 6), "anchor": "a\n", "old_lines": "b\n", "new_lines": "c\n", "section": 2}],
    ),
    "numbers with blank lines below": (
        v4a("*** Update File: a.py", "@@ -3,3 +4,3 @@", " a", "-b", "+c", "", "*** Delete File: b.py"),
        [
            {
                "lines": (3, 7),
                "anchor": "a\n",
                "old_lines": "b\n",
                "new_lines": "c\n",
                "section": 2,
                "line_hint": 3,
                "line_after": 4,
            },
            {"lines": (8, 8), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "no end in a fence": (
        f"```\n{v4a('*** Delete File: a.py', '').removesuffix(chr(10) + '*** End Patch' + chr(10))}```\n",
        [
            {
                "lines": (3, 3),
                "notes": [("patch-end-missing", "there is no `*** End Patch` before the end of the fence", 3)],
                "action": "delete-file",
            }
        ],
    ),
    "an add whose lines alone end in CR LF": (
        v4a("*** Add File: a.py", "+a\r", "+b\r"),
        [{"lines": (2, 4), "new_lines": "a\nb\n", "has_crlf": True, "action": "create"}],
    ),
    "an add whose last line ends in CR LF": (
        v4a("*** Add File: a.py", "+a", "+b\r"),
        [{"lines": (2, 4), "new_lines": "a\nb\n", "action": "create"}],
    ),
    "a hunk of context": (
        v4a("*** Update File: a.py", "@@", " class A:", "@@", " class B:", "@@", "-b", "+c"),
        [
            {
                "lines": (7, 9),
                "old_lines": "b\n",
                "new_lines": "c\n",
                "section": 2,
                "scopes": ("class A:", "class B:"),
                "notes": [
                    (
                        "context-as-scope",
                        "the hunk at line 5 has only context lines, so it was read as the scope of the hunks after it",
                        5,
                    )
                ],
            }
        ],
    ),
    "an add": (
        v4a("*** Add File: a.py", "+a", "+", "+b"),
        [{"lines": (2, 5), "new_lines": "a\n\nb\n", "action": "create"}],
    ),
    "an add with blank lines": (
        v4a("*** Add File: a.py", "+a", "", "+b", ""),
        [
            {
                "lines": (2, 6),
                "new_lines": "a\n\nb\n",
                "notes": [("context-unmarked", "line 4 has no `+`; it was read as blank", 4)],
                "action": "create",
            }
        ],
    ),
    "an add with text": (
        v4a("*** Add File: a.py", "+a", "b", "+c", "*** Delete File: b.py"),
        [
            {
                "lines": (2, 5),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 4",
                "advice": "leave that line out",
            },
            {"lines": (6, 6), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "an empty add": (v4a("*** Add File: a.py"), [{"lines": (2, 2), "action": "create"}]),
    "a delete": (v4a("*** Delete File: a.py"), [{"lines": (2, 2), "action": "delete-file"}]),
    "a delete, indented": (
        v4a("*** Add File: b.py", "+x", "*** Delete File: a.py", "", "  *** Delete File: c.py"),
        [
            {"lines": (2, 3), "file_path": "b.py", "new_lines": "x\n", "action": "create"},
            {"lines": (4, 4), "action": "delete-file"},
            {
                "lines": (6, 6),
                "file_path": "c.py",
                "notes": [("marker-variant", "line 6 is not indented like the patch", 6)],
                "action": "delete-file",
            },
        ],
    ),
    "a move": (
        v4a("*** Update File: a.py", "*** Move to: b.py", "@@", "-b", "+c"),
        [
            {"lines": (3, 3), "new_path": "b.py", "action": "rename"},
            {"lines": (4, 6), "file_path": "b.py", "old_lines": "b\n", "new_lines": "c\n", "section": 2},
        ],
    ),
    "only a move": (
        v4a("*** Update File: a.py", "*** Move to:  b.py\t"),
        [{"lines": (3, 3), "new_path": "b.py", "action": "rename"}],
    ),
    "a move without a path": (
        v4a("*** Update File: a.py", "*** Move to: ", "@@", "-b", "+c"),
        [
            {
                "lines": (3, 6),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 3",
                "advice": "leave that line out",
            }
        ],
    ),
    "a move below a hunk": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "*** Move to: b.py", "*** Delete File: b.py"),
        [
            {
                "lines": (3, 6),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 6",
                "advice": "leave that line out",
            },
            {"lines": (7, 7), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "two moves": (
        v4a("*** Update File: a.py", "*** Move to: b.py", "*** Move to: c.py"),
        [
            {"lines": (3, 3), "new_path": "b.py", "action": "rename"},
            {
                "lines": (4, 4),
                "file_path": "b.py",
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 4",
                "advice": "leave that line out",
            },
        ],
    ),
    "nothing": (
        v4a("*** Update File: a.py", "*** Delete File: b.py"),
        [
            {
                "lines": (2, 2),
                "code": "malformed",
                "what": "`*** Update File` at line 2 changes nothing",
                "advice": "send it again in full",
            },
            {"lines": (3, 3), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "no path": (
        v4a("*** Update File: ", "@@", "-b", "+c", "*** Delete File: b.py"),
        [
            {
                "lines": (2, 5),
                "file_path": None,
                "code": "no-path",
                "what": "line 2 names no file",
                "advice": "write the path after `*** Update File:`",
            },
            {"lines": (6, 6), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "no path to add": (
        v4a("*** Add File:", "+b"),
        [
            {
                "lines": (2, 3),
                "file_path": None,
                "code": "no-path",
                "what": "line 2 names no file",
                "advice": "write the path after `*** Add File:`",
            }
        ],
    ),
    "another line": (
        v4a("*** Update File: a.py", "*** Copy to: b.py", "-b", "+c"),
        [
            {
                "lines": (3, 5),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 3",
                "advice": "leave that line out",
            }
        ],
    ),
    "another line in a hunk": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "*** x", "-d"),
        [
            {
                "lines": (3, 7),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 6",
                "advice": "leave that line out",
            }
        ],
    ),
    "text between": (
        v4a("*** Delete File: a.py", "x", "y", "*** Delete File: b.py"),
        [
            {"lines": (2, 2), "action": "delete-file"},
            {
                "lines": (3, 4),
                "code": "malformed",
                "what": "expected `*** Add File`, `*** Update File` or `*** Delete File` at line 3",
                "advice": "leave that line out",
            },
            {"lines": (5, 5), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "an empty hunk": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "@@"),
        [
            {
                "lines": (3, 5),
                "old_lines": "b\n",
                "new_lines": "c\n",
                "notes": [("empty-hunk-dropped", "the hunk at line 6 has no lines, so it was left out", 6)],
                "section": 2,
            }
        ],
    ),
    "an empty hunk with a scope": (
        v4a("*** Update File: a.py", "@@", "-b", "+c", "@@ f"),
        [
            {"lines": (3, 5), "old_lines": "b\n", "new_lines": "c\n", "section": 2},
            {
                "lines": (6, 6),
                "code": "malformed",
                "what": "the hunk at line 6 has no lines",
                "advice": "send its lines; if they hold a fence, use a longer one around them",
            },
        ],
    ),
    "an empty hunk first": (
        v4a("*** Update File: a.py", "@@", "@@", "*** Delete File: b.py"),
        [
            {
                "lines": (3, 4),
                "code": "malformed",
                "what": "the hunk at line 3 has no lines",
                "advice": "send its lines; if they hold a fence, use a longer one around them",
            },
            {"lines": (5, 5), "file_path": "b.py", "action": "delete-file"},
        ],
    ),
    "many scopes": (
        v4a("*** Update File: a.py", *["@@ f"] * 20, "-b", "+c"),
        [
            {
                "lines": (3, 24),
                "code": "malformed",
                "what": "there are 20 `@@` lines at line 3",
                "advice": "send it again in full",
            }
        ],
    ),
    "no patch": (
        "*** Delete File: a.py\n",
        [
            {
                "lines": (1, 1),
                "code": "stray-marker",
                "what": "line 1 is outside a patch",
                "advice": "put `*** Begin Patch` above it",
            }
        ],
    ),
    "no end": (
        "*** Begin Patch\n*** Delete File: a.py\n*** Update File: b.py\n@@\n-a\n",
        [
            {"lines": (2, 2), "action": "delete-file"},
            {
                "lines": (4, 5),
                "file_path": "b.py",
                "code": "unclosed",
                "what": "the patch at line 1 has no `*** End Patch`",
                "advice": "probably cut off, ask for it again",
            },
        ],
    ),
    "a line without a sign": (
        v4a("*** Update File: a.py", "@@", " a", "b", "-c", "+d"),
        [
            {
                "lines": (3, 7),
                "anchor": "a\nb\n",
                "old_lines": "c\n",
                "new_lines": "d\n",
                "splits": (
                    Split(
                        divider_lines=(),
                        old_lines="c\n",
                        new_lines="d\n",
                        is_doubtful=False,
                        anchor="a\nb\n",
                        trailing_anchor="",
                        notes=(
                            Note(
                                code="context-unmarked",
                                message="line 5 does not begin with a space, + or -, so it was read as context",
                                line_number=5,
                            ),
                        ),
                    ),
                    Split(
                        divider_lines=(),
                        old_lines="c\n",
                        new_lines="d\n",
                        is_doubtful=False,
                        anchor=" a\nb\n",
                        trailing_anchor="",
                        notes=(
                            Note(
                                code="context-unmarked",
                                message="line 5 does not begin with a space, + or -, so it was read as context",
                                line_number=5,
                            ),
                        ),
                    ),
                ),
                "section": 2,
            }
        ],
    ),
    "only context": (v4a("*** Update File: a.py", "@@", " a"), [{"lines": (3, 4), "anchor": "a\n", "section": 2}]),
    "CR LF": (
        v4a("*** Add File: a.py", "+a", "+b").replace("\n", "\r\n"),
        [{"lines": (2, 4), "new_lines": "a\nb\n", "action": "create"}],
    ),
}


@pytest.mark.parametrize(("text", "expected"), V4A.values(), ids=V4A)
def test_rows_of_v4a(text: str, expected: list[Facts]) -> None:
    assert facts_of(text, "v4a") == expected


def uni(*lines: str, a: str = "a/a.py", b: str = "b/a.py") -> str:
    """A diff with these lines below its two names."""
    return f"--- {a}\n+++ {b}\n" + "".join(f"{line}\n" for line in lines)


UNIFIED: dict[str, tuple[str, list[Facts]]] = {
    "a hunk": (
        uni("@@ -1,3 +1,3 @@ def f():", " a", "-b", "+c", " d"),
        [
            {
                "lines": (3, 7),
                "anchor": "a\n",
                "old_lines": "b\n",
                "new_lines": "c\n",
                "trailing_anchor": "d\n",
                "section": 1,
                "line_hint": 1,
                "line_after": 1,
            }
        ],
    ),
    "two hunks": (
        uni("@@ -1 +1 @@", "-b", "+c", "@@ -5,2 +5,3 @@", " x", "-y", "+z", "+w"),
        [
            {"lines": (3, 5), "old_lines": "b\n", "new_lines": "c\n", "section": 1, "line_hint": 1, "line_after": 1},
            {
                "lines": (6, 10),
                "anchor": "x\n",
                "old_lines": "y\n",
                "new_lines": "z\nw\n",
                "section": 1,
                "line_hint": 5,
                "line_after": 5,
            },
        ],
    ),
    "wrong counts": (
        uni("@@ -1,9 +1,9 @@", "-b", "+c"),
        [
            {
                "lines": (3, 5),
                "code": "unclosed",
                "what": "the text ends before the hunk at line 3 does",
                "advice": "probably cut off, ask for it again",
            }
        ],
    ),
    "no numbers": (
        uni("@@ ... @@", "-b", "+c"),
        [{"lines": (3, 5), "old_lines": "b\n", "new_lines": "c\n", "section": 1}],
    ),
    "no newline before": (
        uni("@@ -1 +1 @@", "-b", "\\ No newline at end of file", "+c"),
        [
            {
                "lines": (3, 6),
                "old_lines": "b\n",
                "new_lines": "c\n",
                "section": 1,
                "line_hint": 1,
                "line_after": 1,
                "ends": ("no", ""),
            }
        ],
    ),
    "no newline after": (
        uni("@@ -1 +1 @@", "-b", "+c", "\\ No newline at end of file"),
        [
            {
                "lines": (3, 6),
                "old_lines": "b\n",
                "new_lines": "c\n",
                "section": 1,
                "line_hint": 1,
                "line_after": 1,
                "ends": ("", "no"),
            }
        ],
    ),
    "a new file": (
        uni("@@ -0,0 +1,2 @@", "+a", "+b", a="/dev/null"),
        [{"lines": (3, 5), "new_lines": "a\nb\n", "action": "create"}],
    ),
    "no header above a hunk": (
        f"```diff\n{uni('-a', '+b')}```\n",
        [
            {
                "lines": (4, 5),
                "old_lines": "a\n",
                "new_lines": "b\n",
                "section": 2,
                "notes": [("marker-variant", "there is no `@@` above line 4", 4)],
            }
        ],
    ),
    "an empty hunk last": (
        f"```diff\n{uni('@@', '-a', '+b', '@@')}```\n",
        [
            {
                "lines": (4, 6),
                "old_lines": "a\n",
                "new_lines": "b\n",
                "section": 2,
                "notes": [("empty-hunk-dropped", "the hunk at line 7 has no lines, so it was left out", 4)],
            }
        ],
    ),
    "a new file whose lines alone end in CR LF": (
        uni("@@ -0,0 +1,2 @@", "+a\r", "+b\r", a="/dev/null"),
        [{"lines": (3, 5), "new_lines": "a\nb\n", "has_crlf": True, "action": "create"}],
    ),
    "a new file whose first line ends in CR LF": (
        uni("@@ -0,0 +1,2 @@", "+a\r", "+b", a="/dev/null"),
        [{"lines": (3, 5), "new_lines": "a\nb\n", "action": "create"}],
    ),
    "a new file whose last line ends in CR LF": (
        uni("@@ -0,0 +1,2 @@", "+a", "+b\r", a="/dev/null"),
        [{"lines": (3, 5), "new_lines": "a\nb\n", "action": "create"}],
    ),
    "a new file in a diff that ends in CR LF": (
        uni("@@ -0,0 +1,2 @@\r", "+a\r", "+b\r", a="/dev/null"),
        [{"lines": (3, 5), "new_lines": "a\nb\n", "action": "create"}],
    ),
    "a new file in CR LF above another in LF": (
        uni("@@ -0,0 +1,2 @@", "+a\r", "+b\r", a="/dev/null") + uni("@@ -0,0 +1 @@", "+c", a="/dev/null", b="b/b.py"),
        [
            {"lines": (3, 5), "new_lines": "a\nb\n", "has_crlf": True, "action": "create"},
            {"lines": (8, 9), "file_path": "b.py", "new_lines": "c\n", "action": "create"},
        ],
    ),
    "a new file without a newline": (
        uni("@@ -0,0 +1 @@", "+a", "\\ No newline at end of file", a="/dev/null"),
        [{"lines": (3, 5), "new_lines": "a\n", "ends": ("", "no"), "action": "create"}],
    ),
    "a file that goes": (
        uni("@@ -1,2 +0,0 @@", "-a", "-b", b="/dev/null"),
        [{"lines": (3, 5), "old_lines": "a\nb\n", "pieces": ("a\nb\n",), "action": "delete-file"}],
    ),
    "a file that goes in two hunks": (
        uni("@@ -1 +0,0 @@", "-a", "@@ -5 +0,0 @@", "-b", b="/dev/null"),
        [{"lines": (3, 6), "old_lines": "a\nb\n", "pieces": ("a\n", "b\n"), "action": "delete-file"}],
    ),
    "another name": (
        uni("@@ -1 +1 @@", "-a", "+b", b="b/b.py"),
        [
            {
                "lines": (1, 5),
                "file_path": None,
                "code": "no-path",
                "what": "it names two files, a/a.py and b/b.py",
                "advice": "for a rename write `rename from` and `rename to`",
            }
        ],
    ),
    "an empty hunk": (
        uni("@@ -1 +1 @@", "-a", "+b", "@@"),
        [
            {"lines": (3, 5), "old_lines": "a\n", "new_lines": "b\n", "section": 1, "line_hint": 1, "line_after": 1},
            {
                "lines": (6, 6),
                "code": "malformed",
                "what": "the hunk at line 6 has no lines",
                "advice": "send its lines; if they hold a fence, use a longer one around them",
            },
        ],
    ),
    "an empty hunk first": (
        uni("@@", "@@ -1 +1 @@", "-a", "+b"),
        [
            {
                "lines": (3, 3),
                "code": "malformed",
                "what": "the hunk at line 3 has no lines",
                "advice": "send its lines; if they hold a fence, use a longer one around them",
            },
            {"lines": (4, 6), "old_lines": "a\n", "new_lines": "b\n", "section": 1, "line_hint": 1, "line_after": 1},
        ],
    ),
    "only context": (
        uni("@@ -1 +1 @@", " a"),
        [{"lines": (3, 4), "anchor": "a\n", "section": 1, "line_hint": 1, "line_after": 1}],
    ),
    "hunks in a fence": (
        "a.py\n```diff\n@@ -1 +1 @@\n-a\n+b\n```\n",
        [
            {
                "lines": (3, 5),
                "old_lines": "a\n",
                "new_lines": "b\n",
                "path_source": "P4",
                "section": 3,
                "line_hint": 1,
                "line_after": 1,
            }
        ],
    ),
    "no old name": (
        "+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n",
        [
            {
                "lines": (1, 4),
                "file_path": None,
                "code": "malformed",
                "what": "line 1 is a `---` or `+++` line without the other one",
                "advice": "write `--- a/path` and `+++ b/path`",
            }
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), UNIFIED.values(), ids=UNIFIED)
def test_rows_of_unified(text: str, expected: list[Facts]) -> None:
    assert facts_of(text, "unified") == expected


def git(*lines: str, name: str = "a.py", new: str = "") -> str:
    """A diff of git with these lines below its first one."""
    return f"diff --git a/{name} b/{new or name}\n" + "".join(f"{line}\n" for line in lines)


GIT: dict[str, tuple[str, list[Facts]]] = {
    "a rename": (
        git("similarity index 100%", "rename from a.py", "rename to b.py", new="b.py"),
        [{"lines": (3, 3), "new_path": "b.py", "action": "rename"}],
    ),
    "a rename of Windows": (
        git("rename from src\\a.py", "rename to src\\b.py", name="src\\a.py", new="src\\b.py"),
        [
            {
                "lines": (2, 2),
                "file_path": "src/a.py",
                "new_path": "src/b.py",
                "notes": [("path-cleaned", "the path was read as src/b.py", None)],
                "action": "rename",
            }
        ],
    ),
    "a rename with a change": (
        git(
            "similarity index 90%",
            "rename from a.py",
            "rename to b.py",
            "--- a/a.py",
            "+++ b/b.py",
            "@@ -1 +1 @@",
            "-a",
            "+b",
            new="b.py",
        ),
        [
            {"lines": (3, 3), "new_path": "b.py", "action": "rename"},
            {
                "lines": (7, 9),
                "file_path": "b.py",
                "old_lines": "a\n",
                "new_lines": "b\n",
                "section": 1,
                "line_hint": 1,
                "line_after": 1,
            },
        ],
    ),
    "a new file": (
        git("new file mode 100644", "index 0000000..1234567", "--- /dev/null", "+++ b/a.py", "@@ -0,0 +1 @@", "+a"),
        [{"lines": (6, 7), "new_lines": "a\n", "action": "create"}],
    ),
    "an empty file": (git("new file mode 100644", "index 0000000..e69de29"), [{"lines": (1, 3), "action": "create"}]),
    "an executable file": (
        git("new file mode 100755", "--- /dev/null", "+++ b/a.py", "@@ -0,0 +1 @@", "+a"),
        [
            {
                "lines": (5, 6),
                "new_lines": "a\n",
                "notes": [("mode-ignored", "modes of files are not changed", 5)],
                "action": "create",
            }
        ],
    ),
    "a deleted file": (
        git("deleted file mode 100644", "--- a/a.py", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"),
        [{"lines": (5, 6), "old_lines": "a\n", "pieces": ("a\n",), "action": "delete-file"}],
    ),
    "a deleted empty file": (
        git("deleted file mode 100644", "index e69de29..0000000"),
        [{"lines": (1, 3), "action": "delete-file"}],
    ),
    "a mode": (
        git("old mode 100644", "new mode 100755"),
        [{"lines": (1, 3), "code": "unsupported-format", "what": "modes are not changed", "advice": "leave it out"}],
    ),
    "a mode and a change": (
        git("old mode 100644", "new mode 100755", "--- a/a.py", "+++ b/a.py", "@@ -1 +1 @@", "-a", "+b"),
        [
            {
                "lines": (6, 8),
                "old_lines": "a\n",
                "new_lines": "b\n",
                "notes": [("mode-ignored", "modes of files are not changed", 6)],
                "section": 1,
                "line_hint": 1,
                "line_after": 1,
            }
        ],
    ),
    "a binary": (
        git("index 1..2", "Binary files a/a.py and b/a.py differ"),
        [{"lines": (1, 3), "code": "binary", "what": "a.py is binary in this diff", "advice": "change it another way"}],
    ),
    "a binary patch": (
        git("index 1..2", "GIT binary patch", "literal 3", "abc"),
        [{"lines": (1, 3), "code": "binary", "what": "a.py is binary in this diff", "advice": "change it another way"}],
    ),
    "a copy": (
        git("similarity index 100%", "copy from a.py", "copy to b.py", new="b.py"),
        [
            {
                "lines": (1, 4),
                "file_path": "b.py",
                "code": "unsupported-format",
                "what": "copies are not supported",
                "advice": "send the new file as a whole",
            }
        ],
    ),
    "a symbolic link": (
        git(
            "new file mode 120000", "--- /dev/null", "+++ b/a.py", "@@ -0,0 +1 @@", "+x", "\\ No newline at end of file"
        ),
        [
            {
                "lines": (1, 7),
                "code": "not-a-file",
                "what": "a.py is a symbolic link in this diff",
                "advice": "change it another way",
            }
        ],
    ),
    "two files": (
        git("--- a/a.py", "+++ b/a.py", "@@ -1 +1 @@", "-a", "+b")
        + git("--- a/b.py", "+++ b/b.py", "@@ -1 +1 @@", "-a", "+b", name="b.py"),
        [
            {"lines": (4, 6), "old_lines": "a\n", "new_lines": "b\n", "section": 1, "line_hint": 1, "line_after": 1},
            {
                "lines": (10, 12),
                "file_path": "b.py",
                "old_lines": "a\n",
                "new_lines": "b\n",
                "section": 7,
                "line_hint": 1,
                "line_after": 1,
            },
        ],
    ),
    "quoted names": (
        'diff --git "a/\\303\\251.py" "b/\\303\\251.py"\n'
        '--- "a/\\303\\251.py"\n+++ "b/\\303\\251.py"\n@@ -1 +1 @@\n-a\n+b\n',
        [
            {
                "lines": (4, 6),
                "file_path": "é.py",
                "old_lines": "a\n",
                "new_lines": "b\n",
                "section": 1,
                "line_hint": 1,
                "line_after": 1,
            }
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), GIT.values(), ids=GIT)
def test_rows_of_git(text: str, expected: list[Facts]) -> None:
    assert facts_of(text, "unified") == expected


def block(*lines: str) -> str:
    """A block with these lines between its markers."""
    return "a.py\n<<<<<<< SEARCH\n" + "".join(f"{line}\n" for line in lines) + ">>>>>>> REPLACE\n"


SEARCH_REPLACE: dict[str, tuple[str, list[Facts]]] = {
    "a block": (
        block("a", "=======", "b"),
        [{"lines": (2, 6), "old_lines": "a\n", "new_lines": "b\n", "path_source": "P2", "action": ""}],
    ),
    "two dividers": (
        block("a", "=======", "b", "=======", "c"),
        [
            {
                "lines": (2, 8),
                "old_lines": "a\n",
                "new_lines": "b\n=======\nc\n",
                "path_source": "P2",
                "splits": (
                    Split(
                        divider_lines=(4,),
                        old_lines="a\n",
                        new_lines="b\n=======\nc\n",
                        is_doubtful=True,
                        anchor="",
                        trailing_anchor="",
                        notes=(),
                    ),
                    Split(
                        divider_lines=(6,),
                        old_lines="a\n=======\nb\n",
                        new_lines="c\n",
                        is_doubtful=False,
                        anchor="",
                        trailing_anchor="",
                        notes=(),
                    ),
                ),
                "action": "",
            }
        ],
    ),
    "no divider": (
        block("a", "b"),
        [
            {
                "lines": (2, 5),
                "code": "no-divider",
                "what": "no `=======` between lines 2 and 5",
                "advice": "put it between the old and the new lines",
            }
        ],
    ),
    "no closer": (
        "a.py\n<<<<<<< SEARCH\na\n=======\nb\n",
        [
            {
                "lines": (2, 5),
                "code": "unclosed",
                "what": "block at line 2 has no `>>>>>>> REPLACE` before the end (line 5)",
                "advice": "probably cut off, ask for it again",
            }
        ],
    ),
    "CR LF": (
        block("a", "=======", "b").replace("\n", "\r\n"),
        [{"lines": (2, 6), "old_lines": "a\n", "new_lines": "b\n", "path_source": "P2", "action": ""}],
    ),
}


@pytest.mark.parametrize(("text", "expected"), SEARCH_REPLACE.values(), ids=SEARCH_REPLACE)
def test_rows_of_search_replace(text: str, expected: list[Facts]) -> None:
    assert facts_of(text, "diff") == expected


ROO: dict[str, tuple[str, list[Facts]]] = {
    "a rule": (
        block(":start_line:3", "------- \t", "x", "=======", "y"),
        [{"lines": (2, 8), "old_lines": "x\n", "new_lines": "y\n", "line_hint": 3}],
    ),
    "no rule, and a new text that begins with one": (
        block(":start_line:3", "x", "=======", "-------", "y"),
        [{"lines": (2, 8), "old_lines": "x\n", "new_lines": "-------\ny\n", "line_hint": 3}],
    ),
    "a rule far below the header": (
        block(":start_line:3", "x", "k", "-------", "=======", "-------", "y"),
        [{"lines": (2, 10), "old_lines": "x\nk\n-------\n", "new_lines": "-------\ny\n", "line_hint": 3}],
    ),
    "two rules": (
        block(":start_line:3", "-------\t", "x", "=======", "-------", "y"),
        [
            {
                "lines": (2, 9),
                "code": "malformed",
                "what": "line 7, `-------`, belongs only below the header of the block",
                "advice": "leave it out of the new text",
            }
        ],
    ),
    "what only looks like a rule": (
        block(":start_line:3", "-------\u00a0", "x", "=======", "-------", "y"),
        [{"lines": (2, 9), "old_lines": "-------\u00a0\nx\n", "new_lines": "-------\ny\n", "line_hint": 3}],
    ),
    "a rule with a letter": (
        block(":start_line:3", "-------X", "x", "=======", "-------", "y"),
        [{"lines": (2, 9), "old_lines": "-------X\nx\n", "new_lines": "-------\ny\n", "line_hint": 3}],
    ),
}


@pytest.mark.parametrize(("text", "expected"), ROO.values(), ids=ROO)
def test_rows_of_roo(text: str, expected: list[Facts]) -> None:
    found = facts_of(text, "roo")
    same = ("action", "path_source")
    assert [{key: value for key, value in row.items() if key not in same} for row in found] == expected


def sar(*fixes: Facts) -> str:
    """A log with these fixes of one result."""
    return json.dumps({"version": "2.1.0", "runs": [{"results": [{"message": {"text": "m"}, "fixes": fixes}]}]})


def fix(uri: str = "src/a.py", text: str | None = "b", **region: object) -> Facts:
    """A fix that puts a text in the place of a region."""
    replacement: Facts = {"deletedRegion": region} if region else {}
    if text is not None:
        replacement["insertedContent"] = {"text": text}
    return {"artifactChanges": [{"artifactLocation": {"uri": uri}, "replacements": [replacement]}]}


SARIF: dict[str, tuple[str, list[Facts]]] = {
    "a fix": (
        sar(fix(startLine=2, startColumn=3, endLine=2, endColumn=5)),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a.py",
                "new_lines": "b\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=2, first_column=3, last_line=2, last_column=5),
                        text="b",
                        widest="\uffff",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "whole lines": (
        sar(fix(startLine=2, endLine=3)),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a.py",
                "new_lines": "b\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=2, first_column=1, last_line=3, last_column=0),
                        text="b",
                        widest="\uffff",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "one line": (
        sar(fix(startLine=2)),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a.py",
                "new_lines": "b\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=2, first_column=1, last_line=2, last_column=0),
                        text="b",
                        widest="\uffff",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "a snippet": (
        sar(fix(startLine=2, startColumn=3, endColumn=5, snippet={"text": "xy"})),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a.py",
                "new_lines": "b\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=2, first_column=3, last_line=2, last_column=5),
                        text="b",
                        widest="\uffff",
                        is_lines=False,
                        shown_at=TextRange(first_line=2, first_column=3, last_line=2, last_column=5),
                        shown="xy",
                    ),
                ),
            }
        ],
    ),
    "characters": (
        sar(fix(charOffset=2, charLength=3)),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a.py",
                "code": "unsupported-format",
                "what": "the region is given by offsets",
                "advice": "ask for lines and columns",
                "needs_person": True,
            }
        ],
    ),
    "no text": (
        sar(fix("a.py", None, startLine=2)),
        [
            {
                "lines": (1, 1),
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=2, first_column=1, last_line=2, last_column=0),
                        text="",
                        widest="\uffff",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "two fixes": (
        sar(fix(startLine=2), fix(startLine=3)),
        [
            {
                "lines": (1, 1),
                "file_path": None,
                "code": "ambiguous",
                "what": "the result offers 2 fixes to choose from",
                "advice": "keep one of them",
                "needs_person": True,
            }
        ],
    ),
    "a bad line": (
        sar(fix(startLine=0)),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a.py",
                "code": "malformed",
                "what": "the region has no `startLine`",
                "needs_person": True,
            }
        ],
    ),
    "no region": (
        sar(fix("a.py", None)),
        [
            {
                "lines": (1, 1),
                "code": "malformed",
                "what": "the region has no `startLine`",
                "needs_person": True,
            }
        ],
    ),
    "another address": (
        sar(fix("https://x.example/a.py", None, startLine=2)),
        [
            {
                "lines": (1, 1),
                "file_path": None,
                "code": "no-path",
                "what": "`https://x.example/a.py` is not the address of a local file",
                "needs_person": True,
            }
        ],
    ),
    "escapes in a path": (
        sar(fix("src/a%20b.py", None, startLine=2)),
        [
            {
                "lines": (1, 1),
                "file_path": "src/a b.py",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=2, first_column=1, last_line=2, last_column=0),
                        text="",
                        widest="\uffff",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
}


FIRST = TextRange(2, 1, 2, 0)
FOLDERS: Facts = {"originalUriBaseIds": {"SRC": {"uri": "sub/"}, "BARE": {"uri": "sub"}, "IN": {"uriBaseId": "SRC"}}}


def log(*results: Facts) -> str:
    """A log with these results, which knows some folders."""
    return json.dumps({"version": "2.1.0", "runs": [{**FOLDERS, "results": results}]})


def one(uri: str, base: str = "", content: Facts | None = None, locations: tuple[Facts, ...] = ()) -> Facts:
    """A result with a fix of line 2 of a file."""
    replacement = {"deletedRegion": {"startLine": 2}, "insertedContent": content or {"text": "b"}}
    location = {"uri": uri, "uriBaseId": base}
    change = {"artifactLocation": location, "replacements": [replacement]}
    return {"fixes": [{"artifactChanges": [change]}], "locations": locations}


def place(uri: str, line: int, shown: str, base: str = "") -> Facts:
    """A place in a file, with its text."""
    region = {"startLine": line, "snippet": {"text": shown}}
    return {"physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": base}, "region": region}}


ADDRESSES = {
    "in a folder": (log(one("a.py", "SRC")), "sub/a.py"),
    "in a folder without a slash": (log(one("a.py", "BARE")), "sub/a.py"),
    "of its own, although a folder is named": (log(one("file:///w/a.py", "SRC")), "/w/a.py"),
    "of this machine": (log(one("file://LocalHost/w/a.py")), "/w/a.py"),
    "below a result without a fix": (log({"message": {}}, one("a.py")), "a.py"),
    "of a text that is also in bytes": (log(one("a.py", content={"binary": "Yg==", "text": "b"})), "a.py"),
}


@pytest.mark.parametrize(("text", "path"), ADDRESSES.values(), ids=ADDRESSES)
def test_addresses_of_sarif(text: str, path: str) -> None:
    [row] = rows(text)
    assert isinstance(row, EditBlock)
    assert (row.file_path, row.range_edits[0].text) == (path, "b")


REFUSED = {
    "no address": (log(one("")), "no-path", "the fix does not say the `uri` of its file"),
    "a folder in a folder": (log(one("a.py", "IN")), "no-path", "the folder `IN` is relative to another folder"),
    "another machine": (log(one("file://host/a.py")), "no-path", "`//host/a.py` is a file on another machine"),
    "a part of a file": (log(one("a.py#L1")), "no-path", "`a.py#L1` is not a plain address of a file"),
    "other bytes": (log(one("%ff.py")), "no-path", "`%ff.py` is not UTF-8"),
}


@pytest.mark.parametrize(("text", "code", "what"), REFUSED.values(), ids=REFUSED)
def test_addresses_of_sarif_that_are_refused(text: str, code: str, what: str) -> None:
    expected = {"lines": (1, 1), "code": code, "what": what, "file_path": None, "needs_person": True}
    assert facts_of(text, "sarif") == [expected]


def test_bytes_for_a_text_of_sarif_are_refused() -> None:
    what = "the inserted content is not text"
    expected = {"lines": (1, 1), "code": "unsupported-format", "what": what, "needs_person": True}
    assert facts_of(log(one("a.py", content={"binary": "Yg=="})), "sarif") == [expected]


def test_a_log_may_be_known_by_its_schema() -> None:
    schema = "https://json.example/SARIF-schema.json"
    what = "the log uses SARIF of no version, not 2.1.0"
    [row] = facts_of(json.dumps({"$schema": schema, "runs": [{"results": [one("a.py")]}]}), "sarif")
    assert (row["code"], row["what"]) == ("unsupported-format", what)
    assert rows(json.dumps({"$schema": "https://json.example/x.json", "runs": [{"results": [one("a.py")]}]})) == []


SHOWN: dict[str, tuple[tuple[Facts, ...], str]] = {
    "in the file": ((place("sub/a.py", 2, "x"),), "x"),
    "in a folder": ((place("a.py", 2, "x", "SRC"),), "x"),
    "behind those of another file": ((place("b.py", 2, "k"), place("sub/a.py", 2, "x")), "x"),
    "of another line": ((place("sub/a.py", 3, "x"),), ""),
}


@pytest.mark.parametrize(("locations", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_a_result_shows_of_the_file(locations: tuple[Facts, ...], shown: str) -> None:
    [row] = rows(log(one("sub/a.py", locations=locations)))
    assert isinstance(row, EditBlock)
    [edit] = row.range_edits
    assert edit == RangeEdit(FIRST, "b", "\uffff", shown_at=FIRST if shown else None, shown=shown)


@pytest.mark.parametrize(("text", "expected"), SARIF.values(), ids=SARIF)
def test_rows_of_sarif(text: str, expected: list[Facts]) -> None:
    assert facts_of(text, "sarif") == expected


def rd(*suggestions: Facts, path: str = "a.py") -> str:
    """A diagnostic with these suggestions."""
    return json.dumps({"message": "m", "location": {"path": path}, "suggestions": suggestions}) + "\n"


def at(line: object = None, column: int | None = None, *end: int, text: str | None = "x") -> Facts:
    """A suggestion for a range."""
    named = {"line": line, "column": column}
    found: Facts = {"range": {"start": {name: value for name, value in named.items() if value is not None}}}
    if end:
        found["range"]["end"] = dict(zip(("line", "column"), end, strict=False))
    if text is not None:
        found["text"] = text
    return found


RDJSON: dict[str, tuple[str, list[Facts]]] = {
    "a fix": (
        rd(at(1, 2, 1, 4)),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=1, first_column=2, last_line=1, last_column=4),
                        text="x",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "line ends of Windows": (
        rd(at(1, 2, 1, 4, text="x\r\ny\r")),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\ny\r\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=1, first_column=2, last_line=1, last_column=4),
                        text="x\ny\r",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "the last line that is one": (
        rd(at(10_000_000, 2)),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=10_000_000, first_column=2, last_line=10_000_000, last_column=2),
                        text="x",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "a line beyond it": (
        rd(at(10_000_001, 2)),
        [
            {
                "lines": (1, 1),
                "code": "malformed",
                "what": "`line` is not a valid line or column number",
                "needs_person": True,
            }
        ],
    ),
    "a start only": (
        rd(at(1, 2)),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=1, first_column=2, last_line=1, last_column=2),
                        text="x",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "no text": (
        rd(at(1, 2, 1, 4, text=None)),
        [
            {
                "lines": (1, 1),
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=1, first_column=2, last_line=1, last_column=4),
                        text="",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "two": (
        rd(at(1, 2, 1, 4), at(3, 2, 3, 4, text="y")),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\ny\n",
                "range_edits": (
                    RangeEdit(
                        place=TextRange(first_line=1, first_column=2, last_line=1, last_column=4),
                        text="x",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                    RangeEdit(
                        place=TextRange(first_line=3, first_column=2, last_line=3, last_column=4),
                        text="y",
                        is_lines=False,
                        shown_at=None,
                        shown="",
                    ),
                ),
            }
        ],
    ),
    "a line without a column, up to a column": (
        rd(at(1, None, 1, 4)),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\n",
                "range_edits": (RangeEdit(TextRange(1, 1, 1, 4), "x"),),
            }
        ],
    ),
    "whole lines": (
        rd(at(1, None, 2)),
        [
            {
                "lines": (1, 1),
                "new_lines": "x\n",
                "range_edits": (RangeEdit(TextRange(1, 1, 2, 0), "x", is_lines=True),),
            }
        ],
    ),
    "whole lines and a break": (
        rd(at(1, None, 2, text="x\n")),
        [
            {
                "lines": (1, 1),
                "code": "unsupported-format",
                "what": "the new text of whole lines, from line 1 on, ends with a line break",
                "advice": "add columns to the range, to say whether a blank line is meant",
                "needs_person": True,
            }
        ],
    ),
    "no line": (
        rd(at(None, 2)),
        [
            {
                "lines": (1, 1),
                "code": "malformed",
                "what": "a suggestion does not say the line at which it begins",
                "needs_person": True,
            }
        ],
    ),
    "a line that is no number": (
        rd(at("1")),
        [
            {
                "lines": (1, 1),
                "code": "malformed",
                "what": "`line` is not a valid line or column number",
                "needs_person": True,
            }
        ],
    ),
    "no path": (
        json.dumps({"message": "m", "location": {}, "suggestions": [at(1)]}) + "\n",
        [
            {
                "lines": (1, 1),
                "file_path": None,
                "code": "unsupported-format",
                "what": "the range of line 1 has no end and no column, "
                "so it may mean a place before the line or the whole line",
                "advice": "give it an `end`",
                "needs_person": True,
            }
        ],
    ),
    "none": (
        rd() + rd(at(1)),
        [
            {
                "lines": (2, 2),
                "code": "unsupported-format",
                "what": "the range of line 1 has no end and no column, "
                "so it may mean a place before the line or the whole line",
                "advice": "give it an `end`",
                "needs_person": True,
            }
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), RDJSON.values(), ids=RDJSON)
def test_rows_of_rdjson(text: str, expected: list[Facts]) -> None:
    assert facts_of(text, "rdjson") == expected
