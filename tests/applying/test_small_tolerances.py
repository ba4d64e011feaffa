"""Small slips that can be read in one way alone: paths below the root, outer blank lines, one level of indentation."""

import pytest
from support.responses import block, verdicts

from editblocks import apply_response
from editblocks.core.outcome import Response, Source

NAMELESS = block("x\n", "z\n", "")
ROOT = "/home/me/proj"
HERE, OLD = f"{ROOT}/src/a.py", b"x\ny\n"
# An answer in each form, for a file below the root.
FORMS: dict[str, str] = {
    "a block": block("x\n", "z\n", HERE),
    "a fence of one file": f"```edit:{HERE}\n{NAMELESS}```\n",
    "a section": f"### File: {HERE}\n\n```py\n{NAMELESS}```\n",
    "a patch": f"*** Begin Patch\n*** Update File: {HERE}\n@@\n-x\n+z\n*** End Patch\n",
    "a diff": f"```diff\n--- {HERE}\n+++ {HERE}\n@@ ... @@\n-x\n+z\n```\n",
    "a diff of git": f"diff --git a{HERE} b{HERE}\n--- a{HERE}\n+++ b{HERE}\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n",
    "a diff below a path line": f"{HERE}\n```diff\n@@ ... @@\n-x\n+z\n```\n",
    "a tag": f"<path>{HERE}</path>\n{NAMELESS}",
}


@pytest.mark.parametrize("answer", FORMS.values(), ids=FORMS)
def test_an_absolute_path_below_the_root_is_read_from_there(answer: str) -> None:
    result = apply_response(Response(answer, Source("stdin", "answer.md"), root=ROOT), {"src/a.py": OLD}.get)
    assert dict(result.contents) == {"src/a.py": b"z\ny\n"}
    assert [note.message for note in result.results[0].notes if note.code == "path-cleaned"] == [
        "the path was read as src/a.py"
    ]
    for root in ("", "/home/me/other", f"{ROOT}/src/a.py"):
        result = apply_response(Response(answer, Source("stdin", "answer.md"), root=root), {"src/a.py": OLD}.get)
        assert [row.code for row in result.results] != [None]
        assert result.contents == {}


def test_both_paths_of_a_rename_may_be_below_the_root() -> None:
    moves = {
        f"*** Begin Patch\n*** Update File: {HERE}\n*** Move to: {ROOT}/b.py\n*** End Patch\n": "b.py",
        f"*** Begin Patch\n*** Update File: src/a.py\n*** Move to: {ROOT}/b.py\n*** End Patch\n": "b.py",
        f"*** Begin Patch\n*** Update File: {HERE}\n*** Move to: b.py\n*** End Patch\n": "src/a.py",
    }
    for answer, named in moves.items():
        result = apply_response(Response(answer, Source("stdin", "answer.md"), root=ROOT), {"src/a.py": OLD}.get)
        assert dict(result.contents) == {"src/a.py": None, "b.py": OLD}
        assert result.results[0].notes[-1].message == f"the path was read as {named}"


def patch(body: str) -> str:
    return f"*** Begin Patch\n*** Update File: a.py\n@@\n{body}*** End Patch\n"


# the file, the lines of a hunk, the row, the file after it
BLANKS: dict[str, tuple[str, str, str, str]] = {
    "above": ("x\ny\n", " \n-x\n+z\n y\n", "exact", "z\ny\n"),
    "below": ("x\ny\n", " x\n-y\n+z\n \n \n", "exact", "x\nz\n"),
    "on both sides": ("x\ny\n", " \n \n-x\n+z\n y\n \n", "exact", "z\ny\n"),
    "around an insertion": ("x\ny\n", " \n x\n+z\n \n", "exact", "x\nz\ny\n"),
    "around an insertion that was made": ("x\nz\ny\n", " \n x\n+z\n \n", "already-applied", "x\nz\ny\n"),
    "the file has them": ("\nx\n\n", " \n-x\n+z\n \n", "exact", "\nz\n\n"),
    "the file has them at one of two places": ("x\n\nx\n\n", " \n-x\n+z\n \n", "exact", "x\n\nz\n\n"),
    "two places without them": ("x\ny\nx\n", " \n-x\n+z\n", "no-match", "x\ny\nx\n"),
    "between the lines": ("x\ny\n", " x\n \n-y\n+z\n", "no-match", "x\ny\n"),
    "by tolerance": ("  x\n", " \n-x\n+z\n", "no-match", "  x\n"),
    "blank lines that change": ("x\ny\n", "-\n-x\n+z\n", "no-match", "x\ny\n"),
    "nothing is left": ("x\ny\n", " \n-x\n \n", "no-match", "x\ny\n"),
    "the lines were changed before, and a text like them is left": (
        "\nz\n\nx\n", " \n-x\n+z\n \n", "no-match", "\nz\n\nx\n"
    ),
    "blank lines alone": ("x\n", " \n+z\n \n", "no-match", "x\n"),
    "none": ("x\n", "-q\n+z\n", "no-match", "x\n"),
    "outside its scope": ("f:\n x\ng:\n y\n", "- x\n+ z\n \n", "exact", "f:\n z\ng:\n y\n"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "body", "row", "after"), BLANKS.values(), ids=BLANKS)
def test_blank_context_around_a_hunk_may_be_missing(file: str, body: str, row: str, after: str) -> None:
    for form, answer in (("v4a", patch(body)), ("unified", f"a.py\n```diff\n@@ ... @@\n{body}```\n")):
        result = apply_response(answer, {"a.py": file.encode()}.get)
        assert verdicts(result) == [f"a.py {row}"], form
        assert (result.contents.get("a.py") or file.encode()).decode() == after
        again = apply_response(answer, {"a.py": after.encode()}.get)
        assert again.contents == {}


def test_blank_context_that_was_left_out_is_said() -> None:
    [row] = apply_response(patch(" \n-x\n+z\n"), {"a.py": b"x\n"}.get).results
    assert [(note.code, note.message) for note in row.notes] == [
        ("blank-context-dropped", "blank context lines at its ends, which the file does not have there, were left out")
    ]
    assert verdicts(apply_response(block("\nx\n", "\nz\n"), {"a.py": b"x\n"}.get)) == ["a.py no-match"]


FOUR, OTHER = "    const [a] = s(1);\n", "    const [b] = s(2);\n"
# the file, SEARCH, REPLACE, and the file after it; none: the block is refused
LEVELS: dict[str, tuple[str, str, str, str | None]] = {
    "two of four blanks": (FOUR, FOUR[2:], FOUR[2:] + OTHER[2:], FOUR + OTHER),
    "of eight blanks": ("    " + FOUR, FOUR, FOUR + OTHER, "    " + FOUR + "    " + OTHER),
    "a tab of two": ("\t\tx;\n", "\tx;\n", "\tx;\n\ty;\n", "\t\tx;\n\t\ty;\n"),
    "a body, and its end at the same column": (
        "    if (a) {\n",
        "  if (a) {\n",
        "  if (a) {\n    b();\n  }\n",
        "    if (a) {\n      b();\n    }\n",
    ),
    "with a blank line": (FOUR, FOUR[2:], FOUR[2:] + "\n" + OTHER[2:], FOUR + "\n" + OTHER),
    "other lines have theirs": (FOUR, FOUR[2:], FOUR[2:] + OTHER, None),
    "all of it": (FOUR, FOUR[4:], FOUR[4:] + OTHER[4:], None),
    "three levels": ("    " * 3 + FOUR, FOUR, FOUR + OTHER, None),
    "a tab for blanks": ("\tx;\n", "  x;\n", "  x;\n  y;\n", None),
    "two places": (FOUR + FOUR, FOUR[2:], FOUR[2:] + OTHER[2:], None),
}


@pytest.mark.parametrize(("file", "old", "new", "after"), LEVELS.values(), ids=LEVELS)
def test_a_single_line_may_have_lost_a_level_of_indentation(file: str, old: str, new: str, after: str | None) -> None:
    result = apply_response(block(old, new), {"a.py": file.encode()}.get)
    assert result.contents == ({} if after is None else {"a.py": after.encode()})
    assert [row.strategy for row in result.results] == [None if after is None else "indentation"]
    if after is not None:
        assert apply_response(block(old, new), {"a.py": after.encode()}.get).contents == {}
