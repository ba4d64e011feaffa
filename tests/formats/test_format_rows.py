"""Blocks that cannot be read, and lines that are none: the rows and what they say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.formatcases import NAMELESS, SAMPLES, WRITERS
from support.responses import block

from editblocks import EditBlock, Problem, parse_response
from editblocks.core.outcome import Part
from editblocks.formats.whole_file import WHOLE_FILE
from editblocks.parsing.parse import FORMATS, scanner_of
from editblocks.parsing.reader import Reader

SWALLOWED = {
    "a new file": "a.py\n<<<<<<< NEW_FILE\nx\n  <<<<<<< NEW_FILE\ny\n>>>>>>> NEW_FILE\n",
    "a file action": '<boltAction type="file" filePath="a.py">\nx\n<<<<<<<SEARCH\ny\n</boltAction>\n',
    "a fenced file action": '<boltAction type="file" filePath="a.py">\n```\n<<<<<<<SEARCH\ny\n```\n</boltAction>\n',
    "guillemets": "a.py\n««« EDIT\nx\n═══════ REPL\n<<<<<<<SEARCH\n»»» EDIT END\n",
    "anchors": "a.py\n<<<<<<< EDIT\n-------\nx\n=======\n<<<<<<<SEARCH\n-------\n>>>>>>>\n",
}


@pytest.mark.parametrize("text", SWALLOWED.values(), ids=SWALLOWED)
def test_a_block_that_has_taken_in_another_one_is_malformed(text: str) -> None:
    [problem] = parse_response(text).problems
    line = 1 + next(number for number, line in enumerate(text.split("\n")) if number > 1 and "<<<<<<<" in line)
    assert problem.code.value == "malformed"
    assert problem.message.startswith(f"line {line} looks like the beginning of another block")


ROWS = {
    "a file action without lines": ('<boltAction type="file" filePath="a.py">\n</boltAction>\n', ["a.py"]),
    "a file action of blank lines": ('<boltAction type="file" filePath="a.py">\n\n</boltAction>\n', ["a.py"]),
    "a file action of a fence that does not end": (
        '<boltAction type="file" filePath="a.py">\n```\nx\n</boltAction>\n',
        ["a.py"],
    ),
    "a second end of a file action": (
        ENDS := '<boltAction type="file" filePath="a.py">\nx\n</boltAction>\n</boltAction>\n',
        ["a.py"],
    ),
    "an end of a file action behind words": (
        ENDS.replace("</boltAction>\n<", "</boltAction>\nx\n<"),
        ["malformed", "stray-marker"],
    ),
    "an end of an action that follows nothing": ("</boltAction>\n", []),
    "a second bare closer": (SAMPLES["<<<<<<< EDIT"] + ">>>>>>>\n", ["a.py"]),
    "a bare closer behind words": (SAMPLES["<<<<<<< EDIT"] + "x\n>>>>>>>\n", ["malformed", "stray-marker"]),
    "a bare closer behind another block": (block("x\n", "y\n") + "x\n>>>>>>>\n", ["a.py"]),
    "a heading and an action that name two files": (
        f'# File: b.py\n<boltAction type="edit">\n```\na.py\n{NAMELESS}```\nx\n```\n{NAMELESS}```\n</boltAction>\n',
        ["a.py", "no-path"],
    ),
    "a comment in a fence": ("```\n<!--\n" + block("x\n", "y\n") + "```\n", ["a.py"]),
    "a tag over two lines": ('<boltAction type="file"\nfilePath="a.py">\nx\n</boltAction>\n', ["malformed"]),
    "a tag in small letters": ('<boltaction type="file" filePath="a.py">\nx\n', ["malformed"]),
    "a tag without a type": ('<boltAction filePath="a.py">\nx\n</boltAction>\n', ["malformed"]),
    "a tag without quotes, in capitals": ("<boltAction TYPE=file FILEPATH=a.py>\nx\n</boltAction>\n", ["a.py"]),
    "text behind a tag": ('<boltAction type="file" filePath="a.py">X\ny\n</boltAction>\n', ["malformed"]),
    "a form feed behind a tag": ('<boltAction type="file" filePath="a.py">\x0c\ny\n</boltAction>\n', ["malformed"]),
    "blanks behind a tag": ('<boltAction type="file" filePath="a.py"> \t\ny\n</boltAction>\n', ["a.py"]),
    "both tags on one line": (
        '<boltArtifact id="x"><boltAction type="file" filePath="a.py">\nx\n</boltAction></boltArtifact>\n',
        ["a.py"],
    ),
    "a closer in a quote without a space": ("> <<<<<<< SEARCH\n>x\n>=======\n>y\n>>>>>>>> REPLACE\n", []),
    "a closer below a quote": ("> <<<<<<< SEARCH\n\n>>>>>>>> REPLACE\n", ["stray-marker"]),
    "a quoted closer in a broken block": (
        "> <<<<<<< SEARCH\n" + block("x\n", "y\n")[:-16],
        ["unclosed"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), ROWS.values(), ids=ROWS)
def test_rows(text: str, expected: list[str]) -> None:
    parsed = parse_response(text)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    found = sorted(rows, key=lambda row: row.number)
    assert [row.code.value if isinstance(row, Problem) else row.file_path for row in found] == expected


MARKS = [
    *("<", "<<<<", "<<<<<", "<<<<<<< SEARCH", "<<<<<<< edit", "<<< SEARCH", "««« EDIT", "x: ««« EDIT", "> ««« EDIT"),
    *("> <<<<<<< SEARCH", "m: <<<<<<< SEARCH", ">>>>>>> REPLACE", ">>>>>>>", ">>>>> UPDATED", ">>>>>>>>> NEW_FILE"),
    *("+++++++ REPLACE", "+++++++replace", "++ REPLACE", "+++ REPLACE", "-- SEARCH", "-------Search", "-- search"),
    *(
        "> ------- SEARCH",
        "m: ------- SEARCH>",
        "**----- SEARCH**",
        "_----- SEARCH_",
        "------- SEARCH a.py",
        "++++ replace",
    ),
    *("=======", "-------", "------- SEARCH", "═══════ REPL", "»»» EDIT END", "🟧🟧🟧 EDIT", "*** Begin Patch"),
    *("<boltAction>", '<boltAction type="file">', '<boltAction type="shell">', "</boltAction>", "</boltArtifact>"),
    *(
        "base: 1234567",
        "`git rm a`",
        "`rm -rf b",
        "```sh",
        "``` sh",
        "~~~ console",
        "<code>bash",
        "```",
        "x",
        "",
        "<!--",
    ),
    *(
        "> > «« EDIT",
        "«« edit",
        "»» END",
        ">>>> replace",
        "**<<<<< SEARCH**",
        "&lt;&lt;&lt;&lt;&lt; SEARCH",
        "@@ -1 +1 @@",
    ),
    *("```edit:a.py", "~~~ edit:a", "```suggestion", "x</boltAction>", "- <boltAction type='a'>", "<boltaction>"),
    *("<!--", "# File: a.py", "-->", "> x", "```Shell", "<source>", "ls -l", "$ ls"),
]


@given(st.lists(st.tuples(st.sampled_from(["", " ", "    ", "\t"]), st.sampled_from(MARKS)), max_size=8))
def test_what_counts_as_prose_says_nothing_when_it_is_read(lines: list[tuple[str, str]]) -> None:
    text = "".join(f"{indent}{mark}\n" for indent, mark in lines)
    scanner = scanner_of(FORMATS)
    reader = Reader(scanner, [each for each in FORMATS if each is not WHOLE_FILE], Part(0, ""), 1, 9)
    reader.take_lines(text)
    reader.end()
    said = (reader.rows.items, list(reader.notes()), reader.suggestions.in_order(), reader.base)
    assert not text or not scanner.is_prose(text) or said == ([], [], (), None)


FENCE = "```python\n"
VETTED: dict[str, tuple[str, str | None]] = {
    "its fence closed before its closer": (
        "a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n```\n>>>>>>> REPLACE\n",
        "the new text ends with the line that closes the fence",
    ),
    "the same in a document": (
        "a.md\n```\n<<<<<<< SEARCH\nx\n=======\ny\n```\n>>>>>>> REPLACE\n",
        "the new text ends with the line that closes the fence",
    ),
    "a shorter run of back-ticks closes nothing": (
        "a.md\n````\n<<<<<<< SEARCH\nx\n=======\ny\n```\n>>>>>>> REPLACE\n````\n",
        None,
    ),
    "a whole fence in it": (
        "a.md\n```\n<<<<<<< SEARCH\nx\n=======\n```py\ny\n```\n>>>>>>> REPLACE\n```\n",
        None,
    ),
    "a fence that was there": (
        "a.md\n```\n<<<<<<< SEARCH\nx\n```\n=======\ny\n```\n>>>>>>> REPLACE\n```\n",
        None,
    ),
    "no fence around": ("a.md\n<<<<<<< SEARCH\nx\n=======\ny\n```\n>>>>>>> REPLACE\n", None),
    "a tag around": ("a.md\n<pre>\n<<<<<<< SEARCH\nx\n=======\ny\n```\n>>>>>>> REPLACE\n</pre>\n", None),
    "a divider of another length": (block("x\n", "y\n======\n"), "the new text ends with `======`"),
    "one in a document": (block("x\n", "y\n======\n", "a.md"), None),
    "one that was there": (block("x\n======\n", "y\n======\n"), None),
    "a long ruler": (block("x\n", f"y\n{'=' * 19}\n"), None),
    "one behind fences alone": (block("x\n", "```py\n\n<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n```\n"), None),
    "one without a path line": (block("x\n", "y\n<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n"), None),
    "one that was there already": (
        block("n.py\n<<<<<<< EDIT\n>>>>>>>\n", "y\nn.py\n<<<<<<< EDIT\n>>>>>>>\n"),
        None,
    ),
    "one behind longer markers": (
        block("x\n", "y\n\nn.py\n<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n", size=9),
        None,
    ),
    "one in a document of blocks": (
        block("x\n", "y\n\nn.py\n<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n", "a.md"),
        None,
    ),
    "too many separators": (
        "a.py\n<<<<<<< EDIT\n" + "-------\n=======\n" * 9 + "-------\n>>>>>>>\n",
        "19 lines look like its divider; send it with 8-character markers",
    ),
    "too many, and no longer markers": (
        block("x\n", "=========\n" * 17, size=9),
        "18 lines look like its divider; send it with 8-character markers",
    ),
}


@pytest.mark.parametrize(("text", "message"), VETTED.values(), ids=VETTED)
def test_what_no_new_text_can_be(text: str, message: str | None) -> None:
    parsed = parse_response(text)
    assert (len(parsed.blocks), len(parsed.problems)) == ((1, 0) if message is None else (0, 1))
    assert message is None or parsed.problems[0].message.startswith(message)


CREATED = {
    "a fence around all of it": (f"{FENCE}x\n```\n", "x\n", ["fence-removed"]),
    "blank lines around the fence": (f"\n{FENCE}x\n```\n\n", "x\n", ["fence-removed"]),
    "tildes": ("~~~\nx\n~~~\n", "x\n", ["fence-removed"]),
    "two fences": (f"{FENCE}x\n```\n{FENCE}y\n```\n", f"{FENCE}x\n```\n{FENCE}y\n```\n", []),
    "words behind the fence": (f"{FENCE}x\n```\ny\n", f"{FENCE}x\n```\ny\n", []),
    "no fence": ("x\n", "x\n", []),
}


@pytest.mark.parametrize(("inside", "new", "notes"), CREATED.values(), ids=CREATED)
@pytest.mark.parametrize("name", ["edit-v2", "edit-v3", "new-file", "diff", "bolt-file"])
def test_a_new_code_file_loses_the_fence_around_it(name: str, inside: str, new: str, notes: list[str]) -> None:
    text = "pkg/a.py\n" + WRITERS[name]("", "", inside, "").replace("a.md", "a.py")
    [found] = parse_response(text).blocks
    assert (found.new_lines, [note.code for note in found.notes]) == (new, notes)
    [found] = parse_response(text.replace("a.py", "a.md")).blocks
    assert (found.new_lines, found.notes) == (inside, ())


EMPTY = {
    "an edit action": ('<boltAction type="edit" filePath="a.py">\nx\n</boltAction>\n', ["a.py"]),
    "one that names no file": ('<boltAction type="edit">\nx\n</boltAction>\n', [None]),
    "one that never ends": ('<boltAction type="edit" filePath="a.py">\nx\n', ["a.py"]),
    "one behind the other": (
        '<boltAction type="edit" filePath="a.py">\n<boltAction type="edit" filePath="b.py">\n',
        ["a.py", "b.py"],
    ),
    "an edit: fence": ("```edit:a.py\nx\n```\n", ["a.py"]),
    "one without a path": ("```edit:\nx\n```\n", [None]),
    "one that never ends, in tildes": ("~~~edit:a.py\nx\n", ["a.py"]),
    "a fence in an action": ('<boltAction type="edit" filePath="a.py">\n```\nx\n```\n</boltAction>\n', ["a.py"]),
    "an action in a fence": ('```xml\n<boltAction type="edit" filePath="a.py">\n```\n', ["a.py"]),
    "an ordinary fence": ("```python\nx\n```\n", []),
    "an action with a block that cannot be read": ('<boltAction type="edit">\n' + NAMELESS + "</boltAction>\n", [None]),
    "an action with another format's patch": ('<boltAction type="edit">\n*** Begin Patch\n</boltAction>\n', [None]),
    "an action in a broken block": (
        "a.py\n<<<<<<< SEARCH\n" + '<boltAction type="edit" filePath="b.py">\n</boltAction>\n',
        ["a.py"],
    ),
}


@pytest.mark.parametrize(("text", "paths"), EMPTY.values(), ids=EMPTY)
def test_what_asks_for_an_edit_and_holds_none_is_a_row(text: str, paths: list[str | None]) -> None:
    assert [problem.file_path for problem in parse_response(text).problems] == paths
