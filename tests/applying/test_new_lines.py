"""Notes on new lines that fit, and probably came along by mistake."""

import pytest
from support.responses import block

from editblocks import Settings, apply_response
from editblocks.applying.content_checks import notes_on_placement
from editblocks.core.blocks import EditBlock
from editblocks.matching.ladder import Placement
from editblocks.text.source_text import SourceText

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


def said_of(edit: EditBlock, file: SourceText, placement: Placement) -> list[tuple[str, str]]:
    return [(note.code, note.message) for note in notes_on_placement(edit, file, placement)]


PLAIN = EditBlock(1, "a.md", "search-replace", 1, 9)
INSERTION = PLAIN._replace(format="edit-v2", new_lines="x\n")
START = "the block has no line above its new lines, but it does not insert them at the start of the file"
# block, lines of the file, what was applied before, the place, the notes
SAID: dict[str, tuple[EditBlock, int, list[int], Placement, list[tuple[str, str]]]] = {
    "a whole file": (
        PLAIN,
        5,
        [],
        Placement("replace-file", "high", 0, 5, ("x", 1, "y")),
        [("rewrites-file", "replaces the whole file; lines lost: 4 of 5")],
    ),
    "a whole file that blocks wrote": (
        PLAIN,
        2,
        [1, 2],
        Placement("replace-file", "high", 0, 2, ("x",)),
        [("rewrites-file", "replaces what blocks 1 and 2 wrote, and the whole file; lines lost: 2 of 2")],
    ),
    "nine lines of ten": (
        PLAIN,
        10,
        [],
        Placement("exact", "high", 0, 9, ("x",)),
        [("rewrites-file", "replaces 90 % of the file")],
    ),
    "ten lines of eleven": (
        PLAIN,
        11,
        [],
        Placement("exact", "high", 1, 11, ()),
        [("rewrites-file", "replaces 90 % of the file")],
    ),
    "eight lines of ten": (PLAIN, 10, [], Placement("exact", "high", 0, 8, ()), []),
    "all of nine lines": (PLAIN, 9, [], Placement("exact", "high", 0, 9, ()), []),
    "nine lines that stay": (PLAIN, 10, [], Placement("exact", "high", 0, 9, tuple(range(9))), []),
    "an insertion below the start": (
        INSERTION,
        3,
        [],
        Placement("exact", "high", 1, 1, ("x",)),
        [("not-at-start", START)],
    ),
    "an insertion at the start": (INSERTION, 3, [], Placement("exact", "high", 0, 0, ("x",)), []),
    "an insertion below an anchor": (
        INSERTION._replace(anchor="a\n"),
        3,
        [],
        Placement("exact", "high", 1, 1, ("x",)),
        [],
    ),
    "a second line that is below": (PLAIN, 5, [], Placement("exact", "high", 3, 3, ("x", "line 3")), []),
    "in another format": (PLAIN._replace(new_lines="x\n"), 3, [], Placement("exact", "high", 1, 1, ("x",)), []),
}


@pytest.mark.parametrize(("edit", "count", "applied", "placement", "said"), SAID.values(), ids=SAID)
def test_what_is_said_of_a_place(
    edit: EditBlock, count: int, applied: list[int], placement: Placement, said: list[tuple[str, str]]
) -> None:
    file = SourceText.of("".join(f"line {number}\n" for number in range(count)))
    file.applied.extend(applied)
    assert said_of(edit, file, placement) == said


# lines above the place, new lines, the word that should end the here-document
ENDED: dict[str, tuple[list[str], tuple[str, ...], str]] = {
    "in the first line": (["cat <<END"], ("a", "  END"), "END"),
    "50 lines above": (["cat <<END", *["x"] * 49], ("  END",), "END"),
    "51 lines above": (["cat <<END", *["x"] * 50], ("  END",), ""),
    "it ends": (["cat <<END"], ("a", "END", "  END"), ""),
    "another begins where one ended": (["cat <<END"], ("END", "cat <<END", " END"), "END"),
    "a form feed before its end": (["cat <<END"], ("\fEND",), ""),
    "a letter before its end": (["cat <<END"], ("XEND",), ""),
}


@pytest.mark.parametrize(("above", "new", "word"), ENDED.values(), ids=ENDED)
def test_a_here_document_that_is_not_ended(above: list[str], new: tuple[str, ...], word: str) -> None:
    file = SourceText.of("".join(f"{line}\n" for line in above))
    placement = Placement("exact", "high", len(above), len(above), new)
    said = said_of(PLAIN._replace(file_path="a.sh"), file, placement)
    assert [f"{code}: {message}" for code, message in said] == shifted(word) * bool(word)


# lines above the place, lines below it, whether the new import is one of those beside it
IMPORTS: dict[str, tuple[list[str], list[str], bool]] = {
    "right above": (["x = 1", "import b"], [], True),
    "above another": (["x = 1", "import b", "import c"], [], True),
    "above other text": (["import b", "x = 1"], [], False),
    "right below": ([], ["import b"], True),
    "below other text": ([], ["x = 1", "import b"], False),
    "nowhere": (["import c"], [], False),
}


@pytest.mark.parametrize(("above", "below", "is_there"), IMPORTS.values(), ids=IMPORTS)
def test_a_new_import_that_is_beside_its_place(above: list[str], below: list[str], is_there: bool) -> None:
    file = SourceText.of("".join(f"{line}\n" for line in (*above, *below)))
    placement = Placement("exact", "high", len(above), len(above), ("import b",))
    said = "the file already has `import b` next to this place; check whether you want it twice"
    assert said_of(PLAIN, file, placement) == [("lines-there", said)] * is_there


@pytest.mark.parametrize(("size", "is_import"), [(1000, True), (1001, False)])
def test_a_long_line_is_no_import(size: int, is_import: bool) -> None:
    line = "import b".ljust(size, "b")
    file = SourceText.of(f"{line}\n")
    assert bool(said_of(PLAIN, file, Placement("exact", "high", 1, 1, (line,)))) is is_import
