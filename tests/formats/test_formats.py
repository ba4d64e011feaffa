"""Every format, written out and read back: the same block, in whatever it is wrapped."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.responses import block

from editblocks import EditBlock, Problem, parse_response
from editblocks.core.codes import ReasonCode
from editblocks.formats.markers import is_quiet
from editblocks.parsing.parse import FORMAT_NAMES, FORMATS, StreamParser, formats_named
from editblocks.parsing.reader import Reader

LINES = [
    "x = 1",
    "",
    "    return x",
    "\tend",
    "}",
    "# a comment",
    "  - item",
    "``` py",
    "<p>",
    "> quoted",
    "base: abcdef1",
    "a.py",
]
ODD = ["======", "---", "------", "<<<<", ">>>>>>", "=" * 10, "<!-- open", "### File: z.py", "«««", "═══", "</details>"]
TEXT = st.lists(st.sampled_from(LINES + ODD), max_size=5).map(lambda lines: "".join(f"{line}\n" for line in lines))
Parts = tuple[str, str, str, str]


def v2(anchor: str, old: str, new: str, trail: str, size: int = 7) -> str:
    rule = "-" * size + "\n"
    marks = ("<" * size + " EDIT\n", anchor, rule, old, "=" * size + "\n", new, rule, trail, ">" * size + "\n")
    return "".join(marks)


def v3(anchor: str, old: str, new: str, _trail: str) -> str:
    return f"««« EDIT\n{anchor}{old}═══════ REPL\n{anchor}{new}»»» EDIT END\n"


def sr(_anchor: str, old: str, new: str, _trail: str) -> str:
    return block(old, new, "")


def new_file(_anchor: str, _old: str, new: str, _trail: str) -> str:
    return f"<<<<<<< NEW_FILE\n{new}>>>>>>> NEW_FILE\n"


def bolt_file(_anchor: str, _old: str, new: str, _trail: str) -> str:
    return f'<boltAction type="file" filePath="pkg/a.md">\n{new}</boltAction>\n'


WRITERS: dict[str, Callable[[str, str, str, str], str]] = {
    "diff": sr,
    "edit-v2": v2,
    "edit-v3": v3,
    "new-file": new_file,
    "bolt-file": bolt_file,
}
WRAPPED: dict[str, str] = {
    "plain": "Here it is:\n\npkg/a.md\n{}",
    "fence": "pkg/a.md\n```python\n{}```\n",
    "path inside": "```\npkg/a.md\n{}```\n",
    "tilde fence, longer": "`pkg/a.md`:\n\n~~~~~\n{}~~~~~\n",
    "tag": "pkg/a.md\n<source>python\n{}</source>\n",
    "details": "<details>\n<summary>More</summary>\n\npkg/a.md\n{}</details>\n",
    "heading": "### File: pkg/a.md\n\nSome words.\n\n{}\nAnd more.\n",
    "info string": "```md:pkg/a.md\n{}```\n",
    "edit fence": "```edit:pkg/a.md\n{}```\n",
    "edit action": '<boltAction filePath="pkg/a.md" type="edit">\n{}</boltAction>\n',
    "path line in an action": "<boltAction type='edit'>\npkg/a.md\n{}</boltAction>\n",
    "unclosed fence": "pkg/a.md\n```\n{}",
}


def parts(found: EditBlock) -> Parts:
    return found.anchor, found.old_lines, found.new_lines, found.trailing_anchor


def expected(name: str, anchor: str, old: str, new: str, trail: str) -> Parts:
    if name == "edit-v2":
        return anchor, old, new, trail
    if name == "edit-v3":
        upper, lower = (anchor + old).splitlines(True), (anchor + new).splitlines(True)
        same = 0
        while same < min(len(upper), len(lower)) and upper[same] == lower[same]:
            same += 1
        return "".join(upper[:same]), "".join(upper[same:]), "".join(lower[same:]), ""
    return ("", old if name == "diff" else "", new, "")


PAIRS = [
    (name, wrapped)
    for name in sorted(WRITERS)
    for wrapped in sorted(WRAPPED)
    if name != "bolt-file" or "action" not in wrapped  # an action in an action is none
]
FOUR = st.tuples(TEXT, TEXT, TEXT, TEXT)


@given(FOUR, st.sampled_from(PAIRS), st.booleans())
def test_a_block_is_read_as_it_was_written(sections: Parts, pair: tuple[str, str], crlf: bool) -> None:
    name, wrapped = pair
    response = WRAPPED[wrapped].format(WRITERS[name](*sections))
    parsed = parse_response(response.replace("\n", "\r\n") if crlf else response)
    assert parsed.problems == ()
    [found] = parsed.blocks
    assert (found.file_path, parts(found)) == ("pkg/a.md", expected(name, *sections))
    assert parsed.unbalanced == ""


@given(FOUR, st.sampled_from(["edit-v2", "edit-v3", "new-file", "diff"]))
def test_a_block_in_a_list_loses_the_indentation_of_its_item(sections: Parts, name: str) -> None:
    written = WRITERS[name](*sections).splitlines(True)
    item = "".join(f"   {line}" if line.strip() else line for line in ["`pkg/a.md`\n", *written])
    [found] = parse_response(f"1. First:\n\n{item}").blocks
    assert parts(found) == expected(name, *sections)


NAMES = {
    "diff": "a.py\n```\n{}```\n",
    "diff-fenced": "```\na.py\n{}```\n",
    "edit-fence": "```edit:a.py\n{}```\n",
    "file-section": "### File: a.py\n{}",
    "bolt-edit": '<boltAction type="edit">\na.py\n{}</boltAction>\n',
}


@pytest.mark.parametrize(("name", "wrapped"), NAMES.items(), ids=NAMES)
def test_a_search_replace_block_is_named_for_where_its_path_stands(name: str, wrapped: str) -> None:
    once = block("x\n", "y\n", "")
    assert [found.format for found in parse_response(wrapped.format(once + once)).blocks] == [name, name]


def test_every_name_belongs_to_one_format() -> None:
    assert len(FORMAT_NAMES) == len(set(FORMAT_NAMES))
    assert formats_named(FORMAT_NAMES) == FORMATS
    assert [grammar.NAMES for grammar in formats_named(["editor-diff", "diff", "edit-v2"])] == [
        FORMATS[0].NAMES,
        ("edit-v2",),
    ]


SAMPLES = {
    "<<<<<<< SEARCH": "a.py\n" + block("x\n", "y\n", ""),
    "<<<<<<< EDIT": "a.py\n" + v2("", "x\n", "y\n", ""),
    "««« EDIT": "a.py\n" + v3("", "x\n", "y\n", ""),
    "<<<<<<< NEW_FILE": "a.py\n" + new_file("", "", "y\n", ""),
    '<boltAction type="file">': bolt_file("", "", "y\n", ""),
}


@pytest.mark.parametrize("opener", SAMPLES)
@pytest.mark.parametrize("cut", [False, True], ids=["closed", "cut off"])
def test_a_format_that_was_not_asked_for_is_said(opener: str, cut: bool) -> None:
    text = SAMPLES[opener]
    text = text[: text.rindex("\n", 0, -1) + 1] if cut else text
    others = [grammar for grammar in FORMATS if grammar.OPENER.value != opener]
    [problem] = parse_response(text, others).problems
    assert isinstance(problem, Problem)
    assert problem.code.value == "unsupported-format"
    assert problem.message.startswith(f"`{opener}` (line ")


OUT_OF_ORDER = {
    "one rule": ("x\n-------\ny\n=======\nz\n", "------- ======= at lines 4, 6"),
    "a divider alone": ("x\n=======\nz\n", "======= at line 4"),
    "two dividers": ("x\n-------\n=======\n=======\nz\n", "------- ======= ======= at lines 4, 5, 6"),
    "the divider first": ("=======\n-------\nx\n-------\n", "======= ------- ------- at lines 3, 4, 6"),
    "the divider last": ("-------\nx\n-------\n=======\n", "------- ------- ======= at lines 3, 5, 6"),
}


@pytest.mark.parametrize(("inside", "found"), OUT_OF_ORDER.values(), ids=OUT_OF_ORDER)
def test_separators_out_of_order(inside: str, found: str) -> None:
    [problem] = parse_response(f"a.py\n<<<<<<< EDIT\n{inside}>>>>>>>\n").problems
    assert problem.code.value == "malformed"
    assert problem.message == (
        f"expected ------- ======= ------- in this order, found {found}; write all three, also around empty parts"
    )


BALANCE = {
    "nothing": ("", ""),
    "one of each": (block("x\n", "y\n"), ""),
    "an opener too many": (block("x\n", "y\n")[:-16] + 2 * block("x\n", "y\n"), "3 SEARCH, 2 REPLACE"),
    "a closer too many": (block("x\n", "y\n") + "text\n>>>>>>> REPLACE\n", "1 SEARCH, 2 REPLACE"),
    "a doubled closer": (block("x\n", "y\n") + ">>>>>>> REPLACE\n", ""),
    "two formats": ("a.py\n<<<<<<< EDIT\n\n««« EDIT\n", "1 EDIT, 0 >>>>>>>, 1 ««« EDIT, 0 »»» EDIT END"),
    "a new file": ("a.py\n<<<<<<< NEW_FILE\nx\n", "1 <<<<<<< NEW_FILE, 0 >>>>>>> NEW_FILE"),
    "an action": ('<boltAction type="file" filePath="a">\nx\n', "1 <boltAction>, 0 </boltAction>"),
    "an action on its line": ('<boltAction type="file" filePath="a">x</boltAction>\n', ""),
}


@pytest.mark.parametrize(("text", "said"), BALANCE.values(), ids=BALANCE)
def test_openers_and_closers_that_do_not_balance_are_counted(text: str, said: str) -> None:
    assert parse_response(text).unbalanced == said


def test_blocks_by_file() -> None:
    text = block("a\n", "b\n") + block("c\n", "d\n", "b.py") + block("e\n", "f\n")
    found = parse_response(text).by_file
    assert [(path, [each.number for each in blocks]) for path, blocks in found.items()] == [
        ("a.py", [1, 3]),
        ("b.py", [2]),
    ]


def test_two_hundred_blocks_over_twenty_files() -> None:
    text = "".join(block(f"x{n}\n", f"y{n}\n", f"pkg/file{n % 20}.py") + "\n" for n in range(200))
    parsed = parse_response(text)
    assert (len(parsed.blocks), parsed.problems, len(parsed.by_file)) == (200, (), 20)
    assert [each.old_lines for each in parsed.by_file["pkg/file7.py"]] == [f"x{n}\n" for n in range(7, 200, 20)]


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_lines_of_ten_thousand_characters(name: str) -> None:
    line = "x" * 9_999 + "\n"
    text = "pkg/a.md\n" + WRITERS[name]("", line, line.upper(), "")
    [found] = parse_response(text).blocks
    assert (found.search + found.replace).count(line.upper()) == 1


NAMELESS = block("x\n", "y\n", "")
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
    reader = Reader(FORMATS, FORMATS, None, 1, 9)
    reader.take_lines(text)
    reader.end()
    notes = list(reader.margin.all_notes(reader.containers.unclosed, reader.lines, has_rows=bool(reader.rows.items)))
    said = (reader.rows.items, notes, reader.margin.suggestions.in_order(), reader.base)
    assert not text or not is_quiet(text) or said == ([], [], (), None)


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
    "a whole block with its path line": (
        block("x\n", "y\n\nn.py\n<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n"),
        "a whole block for n.py stands in the new text of a.py",
    ),
    "one in a fence below its path line": (
        block("x\n", "y\n\nn.py\n```py\n««« EDIT\nz\n═══════ REPL\nw\n»»» EDIT END\n```\n"),
        "a whole block for n.py stands in the new text of a.py",
    ),
    "a whole file action": (
        block("x\n", '<boltAction type="file" filePath="n.py">\nz\n</boltAction>\n'),
        "a whole block for n.py stands in the new text of a.py",
    ),
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
        "19 lines may be its divider; send it with 8-character markers",
    ),
    "too many, and no longer markers": (
        block("x\n", "=========\n" * 17, size=9),
        "18 lines may be its divider; send it with 8-character markers",
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


SAID = {
    "a misspelt word": ("<<<<<<< EDT\n", "line 1 is no marker; write `<<<<<<< EDIT`"),
    "a branch": ("<<<<<<< HEAD\n", None),
    "NEW FILE": ("<<<<<<< NEW FILE\n", "line 1 is no marker; write `<<<<<<< NEW_FILE`"),
    "NEWFILE": ("<<<<<<< NEWFILE\n", "line 1 is no marker; write `<<<<<<< NEW_FILE`"),
    "bold": ("**<<<<<<< SEARCH**\n", "line 1 is no marker; write `<<<<<<< SEARCH`"),
    "thirteen signs": ("<" * 13 + " SEARCH\n", "line 1 is no marker; write `<<<<<<< SEARCH`"),
    "a space that breaks no line": (
        "<<<<<<<\u00a0SEARCH\n",
        "line 1 is no marker, as it holds U+00A0; write `<<<<<<< SEARCH`",
    ),
    "a character that nobody sees": (
        "<<<<<<< SEARCH\u200b\n",
        "line 1 is no marker, as it holds U+200B; write `<<<<<<< SEARCH`",
    ),
    "without a space, which looks like a tag": ("<<<<<<<EDIT\n=======\n", "line 1 is no marker; write `<<<<<<< EDIT`"),
    "without a space, before a block": (
        "<<<<<<<EDIT\n\n" + block("x\n", "y\n"),
        "line 1 is no marker; write `<<<<<<< EDIT`",
    ),
    "glued to a fence": (
        "```py<<<<<<< SEARCH\nx\n```\n",
        "line 1 is no marker, as ```py stands before it; paste the lines without that",
    ),
    "in inline code": ("write `<<<<<<< SEARCH` first\n", None),
    "escaped for HTML": ("&lt;" * 7 + " SEARCH\n", "line 1 is no marker; write `<<<<<<< SEARCH`"),
    "guillemets": ("«« edit\n", "line 1 is no marker; write `««« EDIT`"),
    "a closer": (">>>>>>>REPLACE\n", "line 1 closes nothing; a closer is `>>>>>>> REPLACE`, alone on its line"),
    "a closer with one": (
        ">>>>>>> REPLACE\ufeff\n",
        "line 1 closes nothing, as it holds U+FEFF; a closer is `>>>>>>> REPLACE`, alone on its line",
    ),
    "a closer of a new file": (
        ">>>>>>> new file\n",
        "line 1 closes nothing; a closer is `>>>>>>> NEW_FILE`, alone on its line",
    ),
    "guillemets that close": ("»»» END\n", "line 1 closes nothing; a closer is `»»» EDIT END`, alone on its line"),
    "an anchored block without its opener": (
        "a.py\n-------\nx\n=======\ny\n-------\n>>>>>>>\n",
        "line 7 closes no block; the opener must be `<<<<<<< EDIT`",
    ),
    "one whose opener has no word": (
        "a.py\n<<<<<<<\n-------\nx\n=======\ny\n-------\n>>>>>>>\n",
        "line 8 closes no block; the opener must be `<<<<<<< EDIT`",
    ),
    "a conflict": ("<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n", None),
    "a tag behind a bullet": (
        '- <boltAction type="file" filePath="a.py">\n',
        "line 1 is no marker, as `-` stands before it; paste the lines without that",
    ),
    "a patch": (
        "--- a/x\n\n+++ b/x\n@@ -1 +1 @@\n",
        "line 4 begins a patch, which is not read; ask for SEARCH/REPLACE blocks",
    ),
    "a suggestion": (
        "```suggestion\nx\n```\n",
        "line 1 begins a patch, which is not read; ask for SEARCH/REPLACE blocks",
    ),
    "a patch beside a block": (block("x\n", "y\n") + "@@ -1 +1 @@\n", None),
}


@pytest.mark.parametrize(("text", "message"), SAID.values(), ids=SAID)
def test_what_is_nearly_a_marker_is_said(text: str, message: str | None) -> None:
    assert [note.message for note in parse_response(text).notes] == ([message] if message else [])


X = block("x\n", "y\n") + "\n"  # seven lines
HEADERS = "--- a/x.py\n+++ b/x.py\n"
HUNK = "@@ -1 +1 @@\n-x\n+y\n"
RENAME = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
ONE_DIFF = "are a unified diff, which is not read; ask for SEARCH/REPLACE blocks"
DIFFS = "are unified diffs, which are not read; ask for SEARCH/REPLACE blocks"
ONE_SUGGESTION = "are a suggestion, which is not read; ask for SEARCH/REPLACE blocks"
BESIDE: dict[str, tuple[str, list[str]]] = {
    "a hunk in its fence": (f"{X}```diff\n{HUNK}```\n", [f"lines 8-12 {ONE_DIFF}"]),
    "above the block": (f"```diff\n{HUNK}```\n{X}", [f"lines 1-5 {ONE_DIFF}"]),
    "a hunk with words, in tildes": (f"{X}~~~ Patch x\n@@ … @@\n-x\n~~~\n", [f"lines 8-11 {ONE_DIFF}"]),
    "headers without a hunk": (f"{X}```udiff\n{HEADERS}-x\n+y\n```\n", ["9-12 x.py"]),
    "in a list": (f"{X}- so:\n  ```diff\n  --- a/x\n  +++ b/x\n  ```\n", [f"lines 9-12 {ONE_DIFF}"]),
    "a fence that never ends": (f"{X}```diff\n{HUNK}", [f"lines 8-11 {ONE_DIFF}"]),
    "in a fence without a word": (f"{X}```\n{HEADERS}{HUNK}```\n", ["9-13 x.py"]),
    "in no fence": (f"{X}{HEADERS}{HUNK}and so on\n", ["8-12 x.py"]),
    "in no fence, to the end": (f"{X}{HEADERS}{HUNK}@@ -9 +9 @@\n-x", ["8-14 x.py"]),
    "in the fence of a block": (f"```diff\n{X}{HUNK}```\n", [f"lines 1-12 {ONE_DIFF}"]),
    "in a fence around blocks": (f"````md\n{X}```diff\n{HUNK}```\n````\n", [f"lines 9-13 {ONE_DIFF}"]),
    "two": (f"{X}```diff\n{HUNK}```\n{HEADERS}{HUNK}", ["13-17 x.py", f"lines 8-12 {ONE_DIFF}"]),
    "four": (f"{X}" + f"```diff\n{HUNK}```\n" * 4, [f"lines 8-12, 13-17, 18-22 and 1 more place {DIFFS}"]),
    "five": (f"{X}" + f"```diff\n{HUNK}```\n" * 5, [f"lines 8-12, 13-17, 18-22 and 2 more places {DIFFS}"]),
    "a suggestion": (f"{X}```suggestion\nx\n```\n", [f"lines 8-10 {ONE_SUGGESTION}"]),
    "both": (f"{X}```suggestion\nx\n```\n```diff\n{HUNK}```\n",
             [f"lines 11-15 {ONE_DIFF}", f"lines 8-10 {ONE_SUGGESTION}"]),
    "beside what cannot be read": (f"{NAMELESS}```diff\n{HUNK}```\n", ["lines 6-10 " + ONE_DIFF]),
    "an illustration": (f"{X}```diff\n-x\n+y\n```\n", []),
    "headers apart": (f"{X}```diff\n--- a\n x\n+++ b\n```\n", []),
    "a hunk in prose": (f"{X}@@ -1 +1 @@\n", []),
    "a hunk behind one header": (f"{X}--- a/x\n@@ -1 +1 @@\n", []),
    "a hunk on top": (f"@@ -1 +1 @@\n{X}", []),
    "in a fence of text": (f"{X}```text\n{HEADERS}{HUNK}```\n", ["9-13 x.py"]),
    "in one of code": (f"{X}```python\n\ndiff --git a/x b/x\n{HEADERS}{HUNK}```\n", ["10-15 x.py"]),
    "in code about diffs": (f"{X}```python\nx = 1\n{HEADERS}{HUNK}```\n", [f"lines 8-15 {ONE_DIFF}"]),
    "a hunk alone in a fence of text": (f"{X}```text\n{HUNK}```\n", []),
    "a hunk on top of a fence without a word": (f"{X}```\n\n{HUNK}```\n", [f"lines 8-13 {ONE_DIFF}"]),
    "one further down": (f"{X}```\nx\n{HUNK}```\n", []),
    "a diff of a file": (f"{X}```diff:x.py\n{HUNK}```\n", ["9-11 x.py"]),
    "a diff of git": (f"{X}```git-diff\n{HUNK}```\n", [f"lines 8-12 {ONE_DIFF}"]),
    "a diff in braces": (f"{X}```{{.diff .numberLines}}\n{HUNK}```\n", [f"lines 8-12 {ONE_DIFF}"]),
    "a diff with a title": (f"{X}``` diff title=x.py\n{HUNK}```\n", ["9-11 x.py"]),
    "an illustration in braces": (f"{X}```{{.diff}}\n-x\n+y\n```\n", []),
    "a word that begins like one": (f"{X}```diffusion\n{HUNK}```\n", []),
    "a suggestion for several lines": (f"{X}```suggestion:-0+1\nx\n```\n", [f"lines 8-10 {ONE_SUGGESTION}"]),
    "a rename": (f"{X}```diff\n{RENAME}```\n", ["9-12 None"]),
    "a rename in a fence without a word": (f"{X}```\n{RENAME}```\n", ["9-12 None"]),
    "a rename in no fence": (f"{X}{RENAME}and so on\n", ["8-12 None"]),
    "a rename with a hunk": (f"{X}{RENAME}{HEADERS}{HUNK}", ["8-16 None"]),
    "a rename below what is indented": (f"{X} {RENAME}", ["8-11 None"]),
    "a rename in the block": (block(f"{RENAME}x\n", "y\n"), []),
    "a rename in prose": (f"{X}rename from a\nrename to b\n", []),
    "a rename in code": (f"{X}```python\nx = 1\n{RENAME}```\n", [f"lines 8-14 {ONE_DIFF}"]),
    "a rename that is quoted": (f"{X}> {RENAME.replace(chr(10), chr(10) + '> ')}\n", []),
    "headers in a fence without a word": (f"{X}```\n{HEADERS}```\n", []),
    "a listing about diffs": (f"{X}````md\n```diff\n{HUNK}```\n````\n", []),
    "quoted": (f"{X}> ```diff\n> @@ -1 +1 @@\n> ```\n", []),
    "hidden": (f"{X}<!--\n```diff\n{HUNK}```\n-->\n", []),
    "in the block": (block(f"```diff\n{HEADERS}{HUNK}```\n", "y\n"), []),
    "in the block, in a fence": (f"```diff\n{block(HEADERS + HUNK, HEADERS)}```\n", []),
    "a block in a suggestion": (f"```suggestion\n{X}```\n", []),
    "blank lines behind it, in a fence": (f"{X}```\n{HEADERS}{HUNK}\n\n```\n", ["9-13 x.py"]),
    "a path with a blank": (f"{X}diff --git a/y z.py b/y z.py\nnew file mode 100644\n", ["8-9 y z.py"]),
    "a quoted path": (f'{X}--- "a/\\303\\251.py"\n+++ "b/\\303\\251.py"\n{HUNK}', ["8-12 None"]),
    "names of two files": (f"{X}--- x.py\n+++ y.py\n{HUNK}", ["8-12 None"]),
    "names without what git puts before them": (f"{X}--- x.py\t2026-01-01\n+++ x.py\n{HUNK}", ["8-12 x.py"]),
    "a deleted file": (f"{X}--- a/x.py\n+++ /dev/null\n{HUNK}", ["8-12 x.py"]),
    "a new file without what git puts before it": (f"{X}--- /dev/null\n+++ x.py\n{HUNK}", ["8-12 x.py"]),
    "a file from nothing to nothing": (f"{X}--- /dev/null\n+++ /dev/null\n{HUNK}", ["8-12 None"]),
    "two copies of git, the second without a hunk": (
        f"{X}diff --git a/x b/x\n{HUNK}diff --git a/y b/y\nindex 1..2\n\nnew file mode\n", ["8-11 x"]),
    "a patch that moves a file": (
        f"{X}*** Begin Patch\n*** Update File: x.py\n*** Move to: y.py\n*** End Patch\n", ["8-11 None"]),
    "a patch that holds what looks like a diff": (
        f"{X}*** Begin Patch\n*** Update File: x.py\n{HEADERS}{HUNK}*** End Patch\n", ["8-15 x.py"]),
    "the end of a patch alone": (f"{X}*** End Patch\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "messages"), BESIDE.values(), ids=BESIDE)
def test_a_patch_beside_a_block_is_said(text: str, messages: list[str]) -> None:
    parsed = parse_response(text)
    rows = [row for row in parsed.problems if row.code is ReasonCode.UNSUPPORTED_FORMAT]
    sections = [f"{row.line_number}-{row.end_line} {row.file_path}" for row in rows]
    notes = [note for note in parsed.notes if note.code != "fence-unclosed"]
    assert [*sections, *(note.message for note in notes)] == messages
    assert {note.code for note in notes} <= {"unread-patch", "near-marker"}
    said = [int(re.findall("[0-9]+", each)[0]) for each in messages[len(sections) :]]
    assert [note.line_number for note in notes] == said
    ending = "(lines {}) is not read yet; ask for SEARCH/REPLACE blocks"
    assert all(row.message.endswith(ending.format(said.split()[0])) for row, said in zip(rows, sections, strict=True))


def test_what_is_nearly_a_marker_is_said_a_hundred_times() -> None:
    notes = parse_response("<<<<<<< search\n" * 102 + X + "```a\n" * 103).notes
    assert [note.code for note in notes] == ["near-marker"] * 101 + ["fence-unclosed"] * 101
    assert notes[100].message == "2 more lines are no markers, the first of them is line 101"
    assert notes[-1].message == "2 more fences were not closed, the first of them opened at line 210"


def test_a_closed_parser_takes_no_more() -> None:
    parser = StreamParser()
    parser.close()
    with pytest.raises(ValueError, match="closed"):
        parser.feed("x")
