"""Notes on new lines that fit, and probably came along by mistake."""

from __future__ import annotations

import pytest
from support.responses import block

from editblocks import Settings, apply_response

TWICE = "; check whether you want it twice"


def notes(search: str, replace: str, file: str, path: str) -> list[str]:
    """The notes of the one block, which is applied, in the order of their making."""
    [row] = apply_response(block(search, replace, path), {path: file.encode()}.get, Settings()).results
    assert row.ok
    codes = ("lines-there", "no-break-space", "heredoc-end")
    return [f"{note.code}: {note.message}" for note in row.notes if note.code in codes]


def there(what: str) -> list[str]:
    return [f"lines-there: the file already has {what} next to this place{TWICE}"]


F, G = "def f():\n    a = 1\n", "def g():\n\n    return 2\n"
# SEARCH, REPLACE, the file, what is said
THERE: dict[str, tuple[str, str, str, list[str]]] = {
    "an import below": (
        "import os\n",
        "import os\nimport re\nimport io\n",
        "import os\nimport re\n",
        there("`import re`"),
    ),
    "an import above": (
        "import re\n",
        "import os\nimport io\nimport re\n",
        "import os\nimport re\n",
        there("`import os`"),
    ),
    "imports and blank lines between": (
        "import os\n",
        "import os\nfrom a import b\n",
        "import os\n\nimport io\n\nfrom a import b\nx = 1\n",
        there("`from a import b`"),
    ),
    "an include": (
        "#include <a>\n",
        "#include <a>\n#include <b>\n#include <c>\n",
        "#include <a>\n#include <b>\n",
        there("`#include <b>`"),
    ),
    "a require": (
        "const a = require('a');\n",
        "const a = require('a');\nconst b = require('b');\nconst c = require('c');\n",
        "const a = require('a');\nconst b = require('b');\n",
        there("`const b = require('b');`"),
    ),
    "an import behind code": ("import os\n", "import os\nimport re\n", "import os\nx = 1\nimport re\n", []),
    "an import at another indentation": ("import os\n", "import os\nimport re\n", "import os\n  import re\n", []),
    "a line that is no import": ("a = 1\n", "a = 1\nb = 1\nc = 1\n", "a = 1\nb = 1\nd = 1\n", []),
    "an import of its own": ("import os\n", "import os\nimport re\n", "import os\nimport io\n", []),
    "a function below": (F, f"{F}\n{G}\nx = 1\n", f"{F}\n\n{G}", there("`def g():` and the lines in it")),
    "a function above": (F, f"{G}\n{F}\nx = 1\n", f"{G}\n{F}", there("`def g():` and the lines in it")),
    "its head alone": (F, f"{F}\n{G}", f"{F}\ndef g():\n\n    return 3\n", []),
    "a function far away": (F, f"{F}\n{G}x = 1\n", f"{F}{'x = 2' * 9}\n\n\n\n\n\n\n\n\n\n{G}", []),
    "only a part of its lines": (F, f"{F}\ndef g():\n    return 2\n", f"{F}\n{G}", []),
    "a head without a word": ("{\n  a\n}\n", "{\n  a\n}\n{\n  b\n}\nx\n", "{\n  a\n}\n{\n  b\n}\n", []),
    "a block of braces": (
        "f() {\n  a\n}\n",
        "f() {\n  a\n}\ng() {\n  b\n}\nh() {\n}\n",
        "f() {\n  a\n}\ng() {\n  b\n}\n",
        there("`g() {` and the lines in it"),
    ),
    "a long line is cut": (
        "import os\n",
        f"import os\nimport {'x' * 50}\nimport a\n",
        f"import os\nimport {'x' * 50}\n",
        there(f"`import {'x' * 32}…`"),
    ),
}


@pytest.mark.parametrize(("search", "replace", "file", "said"), THERE.values(), ids=THERE)
def test_lines_that_the_file_has_beside_the_place(search: str, replace: str, file: str, said: list[str]) -> None:
    assert notes(search, replace, file, "a.txt") == said


def test_of_a_new_file_nothing_is_there() -> None:
    [row] = apply_response(block("", "import a\nimport a\n", "b.txt"), lambda _: None).results
    assert row.notes == ()


NO_BREAK = "is indented with U+00A0, a no-break space; check whether spaces are meant"
SPACES: dict[str, tuple[str, str, list[str]]] = {
    "alone": ("\xa0\xa0b: 2\n", "  b: 1\n", [f"no-break-space: new line 1 {NO_BREAK}"]),
    "the second line": ("  b: é\n  \xa0c: 3\n", "  b: 1\n", [f"no-break-space: new line 2 {NO_BREAK}"]),
    "a narrow one": ("\u202fb\n", "  b: 1\n", [f"no-break-space: new line 1 {NO_BREAK.replace('00A0', '202F')}"]),
    "the file has them too": ("\xa0\xa0b: 2\n", "  b: 1\n\xa0c: 1\n", []),
    "inside a line": ("  b:\xa02\n", "  b: 1\n", []),
    "a blank line": ("\xa0\n", "  b: 1\n", []),
    "an ideographic space of prose": ("\u3000b\n", "  b: 1\n", []),
}


@pytest.mark.parametrize(("replace", "file", "said"), SPACES.values(), ids=SPACES)
def test_no_break_spaces_as_indentation(replace: str, file: str, said: list[str]) -> None:
    assert notes("  b: 1\n", replace, file, "a.yaml") == said


def shifted(word: str) -> list[str]:
    what = f"the line `{word}` is indented, so it does not end the here-document `<<{word}`"
    return [f"heredoc-end: {what}; check whether it should begin in column 1"]


HERE = "f() {\n  cat <<EOF\nx\nEOF\n}\n"
# the new text for the line `  x`, or for the whole of HERE, path, what is said
HEREDOCS: dict[str, tuple[str, str, str, str, list[str]]] = {
    "new, with an indented end": ("  x\n", "  cat <<EOF\n  x\n  EOF\n", "  x\n", "a.sh", shifted("EOF")),
    "quoted": ("  x\n", "  cat <<'END'\n  x\n\tEND\n", "  x\n", "a.sh", shifted("END")),
    "in a script without an ending": ("  x\n", '  cat << "E"\n  x\n  E\n', "  x\n", "bin/run", shifted("E")),
    "the end alone is new": ("x\nEOF\n", "y\n  EOF\n", HERE, "a.sh", shifted("EOF")),
    "at column 1": ("  x\n", "  cat <<EOF\n  x\nEOF\n", "  x\n", "a.sh", []),
    "a form with an indented end": ("  x\n", "  cat <<-EOF\n  x\n  EOF\n", "  x\n", "a.sh", []),
    "a form of Ruby": ("  x\n", "  a = <<~EOF\n  x\n  EOF\n", "  x\n", "a.rb", []),
    "one line of text": ("  x\n", "  cat <<<EOF\n  x\n  EOF\n", "  x\n", "a.sh", []),
    "an indented word inside": ("  x\n", "cat <<EOF\n  EOF\nEOF\n", "  x\n", "a.sh", []),
    "in YAML its block is indented": ("  x\n", "  cat <<EOF\n  x\n  EOF\n", "  x\n", "a.yml", []),
    "it was so before": ("x\n", "y\n", "cat <<EOF\nx\n  EOF\n", "a.sh", []),
    "no text begins": ("  x\n", "  EOF\n", "  x\n", "a.sh", []),
}


@pytest.mark.parametrize(("search", "replace", "file", "path", "said"), HEREDOCS.values(), ids=HEREDOCS)
def test_a_heredoc_whose_end_is_shifted(search: str, replace: str, file: str, path: str, said: list[str]) -> None:
    assert notes(search, replace, file, path) == said
