"""Hunks of context lines alone: scopes for the hunks below them (docs/reference/rules.md, "where a hunk fits")."""

import pytest
from support.responses import verdicts

from editblocks import apply_response

TWO = "class A:\n    x = 1\nclass B:\n    x = 1\n"
CHANGE = "-    x = 1\n+    x = 2\n"
LATER = "-    x = 1\n+    x = 3\n"
IN_B = "class A:\n    x = 1\nclass B:\n    x = 2\n"
NESTED = "class A:\n  def f():\n    x = 1\n  def g():\n    x = 1\nclass B:\n  def g():\n    x = 1\n"
CODE = "import a\nimport b\nx = 1\nimport c\nx = 1\n"


def patch(*hunks: str) -> str:
    body = "".join(hunk if hunk.startswith("@@") else f"@@\n{hunk}" for hunk in hunks)
    return f"*** Begin Patch\n*** Update File: a.py\n{body}*** End Patch\n"


def diff(*hunks: str) -> str:
    body = "".join(f"@@ ... @@\n{hunk}" for hunk in hunks)
    return f"```diff\n--- a/a.py\n+++ b/a.py\n{body}```\n"


# the file, the answer, the rows, the file after them
CASES: dict[str, tuple[str, str, list[str], str]] = {
    "one line": (TWO, patch(" class B:\n", CHANGE), ["exact"], IN_B),
    "in a diff": (TWO, diff(" class B:\n", CHANGE), ["exact"], IN_B),
    "in a diff without names": (
        TWO,
        f"a.py\n```diff\n@@ ... @@\n class B:\n@@ ... @@\n{CHANGE}```\n",
        ["exact"],
        IN_B,
    ),
    "a second run takes no twin": (IN_B, patch(" class B:\n", CHANGE), ["no-match"], IN_B),
    "it has to be in the file": (TWO, patch(" class C:\n", CHANGE), ["no-match"], TWO),
    "also where the text is there once": ("    x = 1\n", patch(" class C:\n", CHANGE), ["no-match"], "    x = 1\n"),
    "several lines": (CODE, patch(" import b\n x = 1\n import c\n", "-x = 1\n+x = 2\n"), ["ambiguous"], CODE),
    "several lines, and one place below": (
        CODE.replace("import c\n", "import c\nimport d\n"),
        patch(" import c\n import d\n", "-x = 1\n+x = 2\n"),
        ["exact"],
        "import a\nimport b\nx = 1\nimport c\nimport d\nx = 2\n",
    ),
    "several lines that are not together": (
        CODE,
        patch(" import b\n import c\n", "-x = 1\n+x = 2\n"),
        ["no-match"],
        CODE,
    ),
    "blank lines around it": (TWO, patch(" \n class B:\n \n", CHANGE), ["exact"], IN_B),
    "blank lines alone": (TWO, patch(" \n", CHANGE), ["no-match", "earlier-failure"], TWO),
    "two in a row": (
        NESTED,
        patch(" class A:\n", "   def g():\n", CHANGE),
        ["exact"],
        NESTED.replace("  def g():\n    x = 1\nclass", "  def g():\n    x = 2\nclass"),
    ),
    "two in a row, the inner one elsewhere": (TWO, patch(" class A:\n", " class B:\n", CHANGE), ["no-match"], TWO),
    "one for each change": (
        TWO,
        patch(" class A:\n", CHANGE, " class B:\n", LATER),
        ["exact", "exact"],
        "class A:\n    x = 2\nclass B:\n    x = 3\n",
    ),
    "for two changes": (
        "class A:\n    x = 1\nclass B:\n    x = 1\n    y = 1\n",
        patch(" class B:\n", CHANGE, "-    y = 1\n+    y = 2\n"),
        ["exact", "exact"],
        "class A:\n    x = 1\nclass B:\n    x = 2\n    y = 2\n",
    ),
    "a hunk that names its own scope": (
        TWO,
        patch(" class A:\n", "@@ class B:\n" + CHANGE),
        ["exact"],
        IN_B,
    ),
    "in a scope of its own": (
        NESTED,
        patch("@@ class B:\n   def g():\n", CHANGE),
        ["exact"],
        NESTED[:-2] + "2\n",
    ),
    "the change takes it away": (
        "class A:\n    x = 1\n    y = 1\n",
        patch(" class A:\n", "-class A:\n+class B:\n     x = 1\n", "-    y = 1\n+    y = 2\n"),
        ["exact", "exact"],
        "class B:\n    x = 1\n    y = 2\n",
    ),
    "nothing is below it": (TWO, patch(" class B:\n"), ["no-op"], TWO),
    "nothing is below it, and it is not there": (TWO, patch(" class C:\n"), ["no-match"], TWO),
    "nothing is below it but another file": (
        TWO,
        patch(" class B:\n", "*** Update File: a.py\n@@\n class A:\n     x = 1\n+    y = 1\n").replace(
            "@@\n***", "***"
        ),
        ["no-op", "exact"],
        "class A:\n    x = 1\n    y = 1\nclass B:\n    x = 1\n",
    ),
    "below the last change": (TWO, patch(" class B:\n", CHANGE, " class A:\n"), ["exact", "no-op"], IN_B),
    "a hunk below it cannot be read": (TWO, patch(" class B:\n", "+x\n"), ["malformed"], TWO),
    "a line below it is none": (TWO, patch(" class B:\n", "*** x\n"), ["malformed"], TWO),
    "it has to end the file": (
        "x\nclass B:\n",
        patch(" class B:\n*** End of File\n", "-x\n+y\n"),
        ["no-op", "exact"],
        "y\nclass B:\n",
    ),
    "the region of several lines is that around them": (
        NESTED,
        patch("@@ class A:\n   def f():\n     x = 1\n", CHANGE),
        ["ambiguous"],
        NESTED,
    ),
    "several lines that stand outside of the scope around them": (
        NESTED,
        patch("@@ class B:\n   def f():\n     x = 1\n", CHANGE),
        ["no-match"],
        NESTED,
    ),
    "a context that stands twice": (
        TWO + "class B:\n    x = 1\n",
        patch(" class B:\n", CHANGE),
        ["ambiguous"],
        TWO + "class B:\n    x = 1\n",
    ),
}


@pytest.mark.parametrize(("file", "answer", "rows", "result"), CASES.values(), ids=CASES)
def test_context_alone_is_a_scope(file: str, answer: str, rows: list[str], result: str) -> None:
    plan = apply_response(answer, {"a.py": file.encode()}.get)
    assert [row.removeprefix("a.py ") for row in verdicts(plan)] == rows
    after = (plan.contents.get("a.py", file.encode()) or b"").decode()
    assert after == result
    again = apply_response(answer, {"a.py": after.encode()}.get)
    assert not again.ok or again.contents == {}


def test_what_is_said() -> None:
    row = apply_response(patch(" class B:\n", CHANGE), {"a.py": TWO.encode()}.get).results[0]
    assert (row.confidence, row.span) == ("high", (3, 4))
    assert [(note.code, note.message, note.line_number) for note in row.notes] == [
        (
            "context-as-scope",
            "the hunk at line 3 has only context lines, so it was read as the scope of the hunks after it",
            3,
        )
    ]
    for context, reason in {
        " class C:\n": "scope `class C:` is not in a.py; copy the scope from the file",
        " class B:\n     x = 9\n": "scope of 2 lines from `class B:` on is not in a.py; copy the scope from the file",
        " end\n end\n": "its old lines are at lines 2 and 4 of a.py, outside its scope of 2 lines from `end` on;"
        " name the scope that holds the lines",
    }.items():
        file = f"{TWO}end\nend\n".encode()
        found = apply_response(patch(context, CHANGE), {"a.py": file}.get).results[0].reason
        assert found == reason


def test_a_chain_of_many_hunks_of_context_keeps_its_end() -> None:
    hunks = [f" {' ' * at}f{at}:\n" for at in range(20)]
    file = "".join(f"{' ' * at}f{at}:\n" for at in range(20)) + "x\n"
    plan = apply_response(patch(*hunks, "-x\n+y\n"), {"a.py": file.encode()}.get)
    assert plan.results[0].block.scopes == tuple(f"f{at}:" for at in range(4, 20))
