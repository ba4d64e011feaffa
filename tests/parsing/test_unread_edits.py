"""Edits in forms that are not read are failed rows, and talk is none: amendment A2."""

import pytest
from support.parsecases import X, rows

from editblocks import parse_response


def fenced(text: str, info: str) -> str:
    return f"```{info}\n{text}\n```\n"


SNIPPET = "# ... existing code ...\nA = 2\n# ... existing code ...\n"
SNIPPETS = {
    "below a path": (f"abc.py\n{fenced(SNIPPET, 'python')}", ["abc.py 3-6: placeholder"]),
    "with a path in its info": (fenced(SNIPPET, "python:abc.py"), ["abc.py 2-5: placeholder"]),
    "with a path in its first line": (
        fenced("// filepath: abc.js\n// ...existing code...\nx\n", "js"),
        ["abc.js 2-5: placeholder"],
    ),
    "without a path": (fenced(SNIPPET, "python"), []),
    "of a diff": (f"abc.py\n{fenced(SNIPPET, 'diff')}", []),
    "a file as a whole": (f"abc.py\n{fenced('# Existing users come first', 'python')}", []),
}


@pytest.mark.parametrize(("text", "expected"), SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_that_leaves_lines_out_is_a_failed_row(text: str, expected: list[str]) -> None:
    found = [row.partition(" ")[2] for row in rows(parse_response(f"{text}\n{X}"))]
    assert found[:-1] == expected


def test_what_each_row_says() -> None:
    text = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n```suggestion\nx\n```\n"
    ask = "ask for SEARCH/REPLACE blocks"
    assert [problem.message for problem in parse_response(text).problems] == [
        f"lines 1-5 are a merge conflict of git, not an edit block; {ask}",
        f"the suggestion at line 6 is not in a review thread, so it does not say which lines it replaces; {ask}",
    ]
