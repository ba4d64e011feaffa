"""Which lines of a text may matter, and what they are: one line at a time, then texts."""

import re

import pytest

from editblocks.formats.grammar import Format
from editblocks.formats.markers import Kind, Token
from editblocks.formats.scanner import Scanner
from editblocks.parsing.parse import FORMATS, scanner_of

Found = tuple[str, str, int, str]  # the kind or the usual marker, the indentation, the length, and the word


def scanner() -> Scanner:
    return scanner_of(FORMATS)


def found(token: Token) -> Found:
    name = token.kind.text if not isinstance(token.kind, Kind) else token.kind.name
    return name, token.indent, token.length, token.word


LINES: dict[str, list[Found]] = {
    "<<<<<<< SEARCH": [("<<<<<<< SEARCH", "", 7, "SEARCH")],
    "  <<<<<<< SEARCH": [("<<<<<<< SEARCH", "  ", 7, "SEARCH")],
    "<<<<<<< SEARCH  ": [("<<<<<<< SEARCH", "", 7, "SEARCH")],
    "<<<<< SEARCH": [("<<<<<<< SEARCH", "", 5, "SEARCH")],
    "<<<< SEARCH": [("NEAR", "", 0, "<<<<<<< SEARCH")],
    "<<<<<<<<< SEARCH": [("<<<<<<< SEARCH", "", 9, "SEARCH")],
    "<<<<<<<<<< SEARCH": [("NEAR", "", 0, "<<<<<<< SEARCH")],
    "<<<<<<<SEARCH": [("NEAR", "", 0, "<<<<<<< SEARCH")],
    "<<<<<<< search": [("NEAR", "", 0, "<<<<<<< SEARCH")],
    "<<<<<<< ORIGINAL": [("<<<<<<< SEARCH", "", 7, "ORIGINAL")],
    "<<<<<<< HEAD": [("CONFLICT_START", "", 7, "<<<<<<< HEAD")],
    "<<<<<<< feature/x": [("CONFLICT_START", "", 7, "<<<<<<< feature/x")],
    "<<<<<<<": [("CONFLICT_START", "", 7, "")],
    "=======": [("=======", "", 7, "")],
    "=====": [("=======", "", 5, "")],
    "====": [],
    "==========": [],
    ">>>>>>> REPLACE": [(">>>>>>> REPLACE", "", 7, "REPLACE")],
    ">>>>> REPLACE": [(">>>>>>> REPLACE", "", 5, "REPLACE")],
    ">>>>>>> UPDATED": [(">>>>>>> REPLACE", "", 7, "UPDATED")],
    ">>>>>>> main": [("CONFLICT_END", "", 7, ">>>>>>> main")],
    ">>>>>>>": [(">>>>>>>", "", 7, "")],
    "-------": [("-------", "", 7, "")],
    "<<<<<<< EDIT": [("<<<<<<< EDIT", "", 7, "EDIT")],
    "<<<<< SAERCH": [("CONFLICT_START", "", 5, "<<<<< SAERCH")],
    "------- SEARHC": [],
    "<<<<": [],
    "<<<<<<<<<": [("CONFLICT_START", "", 9, "")],
    "<<<<<<<<<<": [],
    "---------- SEARCH": [("NEAR", "", 0, "------- SEARCH")],
    "**----- SEARCH**": [("NEAR", "", 0, "------- SEARCH")],
    "_----- SEARCH_": [("NEAR", "", 0, "------- SEARCH")],
    "__<<<<<<< SEARCH__": [("NEAR", "", 0, "<<<<<<< SEARCH")],
    "<<<<<<< edit_1": [("CONFLICT_START", "", 7, "<<<<<<< edit_1")],
    "  <<<< SEARCH": [("NEAR", "  ", 0, "<<<<<<< SEARCH")],
    "-- SEARCH": [("NEAR", "", 0, "------- SEARCH")],
    "++ REPLACE": [("NEAR_END", "", 0, "+++++++ REPLACE")],
    "=======\x0c": [],
    "======= X": [],
    "<<<<<<< NEW_FILE": [("<<<<<<< NEW_FILE", "", 7, "NEW_FILE")],
    ">>>>>>> NEW_FILE": [(">>>>>>> NEW_FILE", "", 7, "NEW_FILE")],
    "```": [("FENCE", "", 3, "`")],
    "  ```": [("FENCE", "  ", 3, "`")],
    "````python": [("FENCE", "", 4, "`python")],
    "``` python x": [("FENCE", "", 3, "`python x")],
    "``` py\x0c": [("FENCE", "", 3, "`py\x0c")],
    "```X": [("FENCE", "", 3, "`X")],
    "~~~": [("FENCE", "", 3, "~")],
    "~~~~ py ~": [("FENCE", "", 4, "~py ~")],
    "```a`b": [],
    "<source>py": [("TAG", "", 0, "source py")],
    "</source>": [("TAG", "", 0, "/source ")],
    "<code>": [("TAG", "", 0, "code ")],
    "<pre>x y": [],
    "#+begin_src python": [("TAG", "", 0, "org python")],
    "#+END_SRC": [("TAG", "", 0, "/org ")],
    "#+begin_src": [("TAG", "", 0, "org ")],
    "### File: a.py": [("HEADING", "", 3, "a.py")],
    "### File: a.py ###": [("HEADING", "", 3, "a.py")],
    "## File: a# ": [("HEADING", "", 2, "a#")],
    "### File: a X": [("HEADING", "", 3, "a X")],
    "### File: X #": [("HEADING", "", 3, "X")],
    "### File: a.py\t#": [("HEADING", "", 3, "a.py")],
    "### File: a\x0c #": [("HEADING", "", 3, "a\x0c")],
    "File: a.py": [],
    "# File:a.py": [("HEADING", "", 1, "a.py")],
    "####### File: a.py": [],
    "base: abc1234": [("BASE", "", 0, "abc1234")],
    "base: `abc1234`": [("BASE", "", 0, "abc1234")],
    "base: xyz": [],
    "base:abcdef0123": [("BASE", "", 0, "abcdef0123")],
    "@@ -1,2 +1,2 @@": [("HUNK", "", 0, "")],
    "@@": [("HUNK", "", 0, "")],
    "@@ f": [("HUNK", "", 0, "")],
    "  @@ f": [("HUNK", "  ", 0, "")],
    "@ x": [],
    "+++ b/a.py": [("NEW_NAME", "", 0, "")],
    "++ x": [],
    "diff --git a/a b/a": [("GIT_DIFF", "", 0, "")],
    "*** Begin Patch": [("*** Begin Patch", "", 0, "Begin Patch")],
    "*** End Patch": [("*** End Patch", "", 0, "End Patch")],
    "*** Update File: a.py": [("PATCH_HEADER", "", 0, "")],
    "*** Add File:": [("PATCH_HEADER", "", 0, "")],
    "*** Foo": [],
    "***Begin Patch": [("NEAR", "", 0, "*** Begin Patch")],
    "**** begin patch  ": [("NEAR", "", 0, "*** Begin Patch")],
    "`*** Begin Patch`": [("NEAR", "", 0, "*** Begin Patch")],
    "***\u00a0Begin Patch": [("NEAR", "", 0, "*** Begin Patch")],
    "- *** Begin Patch": [("PREFIXED", "", 0, "-")],
    "\u00a0*** Begin Patch": [("PREFIXED", "", 0, "\u00a0")],
    "\\*\\*\\* Begin Patch": [("ESCAPED", "", 0, "backslashes, as a Markdown formatter writes them")],
    "\\*\\* Begin Patch": [],
    "**Begin Patch**": [],
    "* Begin patch": [],
    "** Begin patch notes": [],
    "It begins with `*** Begin Patch`": [],
    "---": [],
    "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH": [
        ("ESCAPED", "", 0, "HTML entities instead of characters, as in the source of a page")
    ],
    "\\<\\<\\<\\<\\<\\<\\< SEARCH": [("ESCAPED", "", 0, "backslashes, as a Markdown formatter writes them")],
    "\\<<<<<<< SEARCH": [
        ("ESCAPED", "", 0, "backslashes, as a Markdown formatter writes them"),
        ("PREFIXED", "", 0, "\\"),
    ],
    "««««««« SEARCH": [("ESCAPED", "", 0, "typographic characters, as some editors write them")],
    "«««< SEARCH": [("ESCAPED", "", 0, "typographic characters, as some editors write them")],
    "«««««EDIT": [("ESCAPED", "", 0, "typographic characters, as some editors write them")],
    "«««< EDIT": [("NEAR", "", 0, "««« EDIT")],
    "«« edit": [("NEAR", "", 0, "««« EDIT")],
    "——— SEARCH": [("ESCAPED", "", 0, "typographic characters, as some editors write them")],
    "  ——— SEARCH": [("ESCAPED", "  ", 0, "typographic characters, as some editors write them")],
    "——SEARCH": [],
    "——— EDIT": [],
    "–––": [],
    "**<<<<<<< SEARCH**": [("NEAR", "", 0, "<<<<<<< SEARCH")],
    "`<<<<<<< SEARCH`": [],
    "> <<<<<<< SEARCH": [("QUOTED", "", 0, "")],
    "> > <<<<<<< SEARCH": [("QUOTED", "", 0, "")],
    "  > <<<<<<< SEARCH": [("QUOTED", "  ", 0, "")],
    "> >>>>>>> REPLACE": [],
    "> *** Begin Patch": [("QUOTED_EDIT", "", 0, "")],
    "  > > +++ b/x": [("QUOTED_EDIT", "  ", 0, "")],
    "> +++ a.py": [("QUOTED_EDIT", "", 0, "")],
    "> diff --git a/x b/x": [("QUOTED_EDIT", "", 0, "")],
    '> <boltAction type="file" filePath="a.py">': [("QUOTED_EDIT", "", 0, "")],
    "> <<<<<<< HEAD": [("QUOTED_EDIT", "", 0, "")],
    '>   "old_string": "x",': [("QUOTED_EDIT", "", 0, "")],
    "> +++ good": [],
    "> *** Begin": [],
    "> **Begin Patch**": [],
    "> @@ -1 +1 @@": [],
    "> <boltArtifact>": [],
    "> x": [],
    "<<<<<<< NEW-FILE": [("NEAR", "", 0, "<<<<<<< NEW_FILE")],
    "<<<<<<< NEWFILE": [("NEAR", "", 0, "<<<<<<< NEW_FILE")],
    "x <<<<<<< SEARCH": [("PREFIXED", "", 0, "x")],
    "1. <<<<<<< SEARCH": [("PREFIXED", "", 0, "1.")],
    "X <<<<<<< SEARCH": [("PREFIXED", "", 0, "X")],
    "\x0c<<<<<<< SEARCH": [("PREFIXED", "", 0, "\x0c")],
    "x ------- SEARCH": [("PREFIXED", "", 0, "x")],
    '"<<<<<<< SEARCH': [("PREFIXED", "", 0, '"')],
    "x = `<<<<<<< SEARCH": [],
    "```x <<<<<<< SEARCH": [("FENCE", "", 3, "`x <<<<<<< SEARCH"), ("PREFIXED", "", 0, "```x")],
    '<boltAction type="file" filePath="a.py">': [
        ('<boltAction type="file">', "", 0, '<boltAction type="file" filePath="a.py">')
    ],
    '<boltAction type="edit" filePath="a.py">': [("EDIT_ACTION", "", 0, '<boltAction type="edit" filePath="a.py">')],
    '<boltAction type="shell">': [("OTHER_ACTION", "", 0, '<boltAction type="shell">')],
    '<boltAction filePath="a.py">': [("BAD_ACTION", "", 0, "")],
    '<boltaction type="file" filePath="a.py">': [("BAD_ACTION", "", 0, "")],
    "<boltAction": [("BAD_ACTION", "", 0, "")],
    "  <boltAction": [("BAD_ACTION", "  ", 0, "")],
    "  <boltaction>": [("BAD_ACTION", "  ", 0, "")],
    '<boltAction type="x">y</boltAction>': [("OTHER_ACTION", "", 0, '<boltAction type="x">y</boltAction>')],
    '<boltArtifact id="x">': [],
    '<boltArtifact id="x"><boltAction type="file" filePath="a.py">': [
        ('<boltAction type="file">', "", 0, '<boltAction type="file" filePath="a.py">')
    ],
    "</boltAction>": [("</boltAction>", "", 0, "</boltAction>")],
    "</boltArtifact>": [("END_ARTIFACT", "", 0, "</boltArtifact>")],
    "</boltAction></boltArtifact>": [("</boltAction>", "", 0, "</boltAction></boltArtifact>")],
    "</boltAction> x": [],
    "x </boltAction>": [("NEAR_END", "", 0, "</boltAction>")],
    "X</boltAction>": [("NEAR_END", "", 0, "</boltAction>")],
    "\x0c</boltAction>": [("NEAR_END", "", 0, "</boltAction>")],
    "</boltaction>": [],
    "<think>": [("THOUGHT", "", 0, "")],
    "</think>": [("END_THOUGHT", "", 0, "")],
    "x <thinking> y </thinking>": [("THOUGHT", "", 0, ""), ("END_THOUGHT", "", 0, "")],
    "`<think>`": [],
    "``<think>` </think>``": [],
    "` <think>": [("THOUGHT", "", 0, "")],
    "`x` <think>": [("THOUGHT", "", 0, "")],
    "`` ` `` <think> `": [("THOUGHT", "", 0, "")],
    "◁think▷": [("THOUGHT", "", 0, "")],
    "◁/think▷": [("END_THOUGHT", "", 0, "")],
    "> <think>": [],
    "  > <think>": [],
    "X> <think>": [("THOUGHT", "", 0, "")],
    "\x0c> <think>": [("THOUGHT", "", 0, "")],
    "`git rm a.py`": [("COMMAND", "", 0, "git rm a.py")],
    "run `mkdir -p x` and `rm -rf y`": [("COMMAND", "", 0, "mkdir -p x"), ("COMMAND", "", 0, "rm -rf y")],
    "`git add x`": [],
    "`git rm a": [],
    "> `git rm a.py`": [],
    "<command>ls -l</command>": [("COMMAND", "", 0, "ls -l")],
    "  <command> ls </command> ": [("COMMAND", "", 0, "ls")],
    "<command></command>": [],
    "x <command>ls</command>": [],
    "🟧🟧🟧 EDIT": [("OPEN_OTHER", "", 0, "")],
    "🟧🟧🟧 EDIX": [],
    "🟩🟩🟩 END": [],
    "««« EDIT": [("««« EDIT", "", 0, "EDIT")],
    "»»» EDIT END": [("»»» EDIT END", "", 0, "EDIT END")],
    "═══════ REPL": [("═══════ REPL", "", 0, "REPL")],
    "««« EDTI": [],
    '{"a": 1}': [("JSON", "", 0, "")],
    "[1]": [("JSON", "", 0, "")],
    '{"x": {"file_path": "a.py"}}': [("JSON", "", 0, "")],
    '[{"file_path": "a.py"}]': [("JSON", "", 0, "")],
    " {": [],
    '"old_string": "x"': [("CALL_INSIDE", "", 0, "")],
    '["old_string": "x"': [("JSON", "", 0, "")],
    'So <boltAction type="edit" filePath="a.py">': [("PREFIXED", "", 0, "So")],
    '  "old_string": "x"': [("CALL_INSIDE", "", 0, "")],
    '\x0c"old_string": "x"': [("CALL_INSIDE", "", 0, "")],
    '"old_string": {': [],
    'So {"path": "path/to/a.py", "old_string": "x"': [],
    '<invoke name="Edit">': [("CALL", "", 0, "")],
    '  <invoke name="Edit">': [("CALL", "  ", 0, "")],
    "<tool_call>": [("CALL", "", 0, "")],
    "</tool_call>": [],
    "<function_calls>": [],
    'x {"name": "Edit"': [],
    'x {"old_str": "x"': [("CALL_INSIDE", "", 0, "")],
    "</think><write_to_file>": [("END_THOUGHT", "", 0, ""), ("CALL_INSIDE", "", 0, "")],
    "<str_replace>": [],
    "hello": [],
    "": [],
}


@pytest.mark.parametrize(("line", "tokens"), LINES.items(), ids=LINES)
def test_what_a_line_is(line: str, tokens: list[Found]) -> None:
    assert [found(token) for token in scanner().scan(f"{line}\n", 0)] == tokens
    between = scanner().scan(f"a\n{line}\nb\n", 5)
    assert [(token.line, found(token)) for token in between] == [(6, each) for each in tokens]


INDENTED = [
    "<<<<<<< main",
    ">>>>>>> main",
    "# File: a.py",
    "<source>py",
    "#+begin_src py",
    "base: abc1234",
    "*** Update File: a.py",
    '<boltAction type="file" filePath="a.py">',
    "</boltAction>",
]


@pytest.mark.parametrize("line", INDENTED)
def test_a_line_keeps_its_indentation(line: str) -> None:
    [token] = scanner().scan(f"{line}\n", 0)
    assert scanner().scan(f" \t{line}\n", 0) == [token._replace(indent=" \t")]


@pytest.mark.parametrize("size", [60, 100])
def test_long_lines_are_read_alike(size: int) -> None:
    word = "a" * size
    [token] = scanner().scan(f"{word} <<<<<<< SEARCH\n", 0)
    assert found(token) == ("PREFIXED", "", 0, word)
    [token] = scanner().scan(f"<<<<<<< SEARCH {word}\n", 0)
    assert found(token) == ("NEAR", "", 0, "<<<<<<< SEARCH")


def test_tokens_stand_in_the_order_of_their_lines() -> None:
    text = "so `git rm a`\n<<<<<<< SEARCH\n\n<think>\n=======\n```x <<<<<<< SEARCH\n`mkdir -p b` and `git mv c d`\n"
    assert [(token.line, found(token)[0], token.word) for token in scanner().scan(text, 10)] == [
        (10, "COMMAND", "git rm a"),
        (11, "<<<<<<< SEARCH", "SEARCH"),
        (13, "THOUGHT", ""),
        (14, "=======", ""),
        (15, "FENCE", "`x <<<<<<< SEARCH"),
        (15, "PREFIXED", "```x"),
        (16, "COMMAND", "mkdir -p b"),
        (16, "COMMAND", "git mv c d"),
    ]


def test_a_line_has_at_most_a_thousand_commands() -> None:
    for count, kept in ((1000, 1000), (1001, 1000)):
        assert len(scanner().scan("`git rm a` " * count + "\n", 0)) == kept


# a text, and whether nothing in it can matter by itself
PROSE = {
    "Hello, world.\n": True,
    "": True,
    "```python\nx\n```\n": True,
    "```bash\nls\n```\n": False,
    "````suggestion\nx\n````\n": False,
    "~~~~suggestion\nx\n~~~~\n": False,
    "=======\n": True,
    "a ====== b\n": True,
    "<<<<<\n": False,
    "x <<<<<<< SEARCH\n": False,
    "««« EDIT\n": False,
    "a «««««\n": False,
    "@@ -1 +1 @@\n": False,
    "base: abc1234\n": False,
    "run `git rm a`\n": False,
    "run `git add a`\n": True,
    '{"a": 1}\n': True,
    '{"old_string": 1}\n': False,
    "*** Begin Patch\n": False,
    "a <boltAction>\n": False,
    "<think>\n": True,
    "### File: a.py\n": True,
    "> <<<<<<< SEARCH\n": False,
    "**<<<<<<< SEARCH**\n": False,
}


@pytest.mark.parametrize(("text", "is_prose"), PROSE.items(), ids=PROSE)
def test_what_is_prose(text: str, is_prose: bool) -> None:
    assert scanner().is_prose(text) is is_prose


MARKERS = {
    "x = 1\n": False,
    "<<<<<<< SEARCH": True,
    "<<<": True,
    "<<": False,
    "SEARCH": False,
    "=======": False,
    "««": True,
    "«": False,
    "*** Begin Patch": True,
    "boltAction": True,
    "------- SEARCH": True,
    "-------SEARCH": True,
    "- SEARCHED": True,
    "------- ": False,
    "🟧🟧🟧": True,
    ">>>>>>> REPLACE": True,
    ">>>>>>>": True,
}


@pytest.mark.parametrize(("text", "may_hold"), MARKERS.items(), ids=MARKERS)
def test_what_may_hold_markers(text: str, may_hold: bool) -> None:
    assert scanner().hints.may_hold_markers(text) is may_hold


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.names[0])
def test_each_format_alone_makes_a_scanner(form: Format) -> None:
    alone = Scanner((form,))
    assert alone.scan("**x**\n> \n> x\n&lt;&lt;&lt;&lt;&lt;&lt;&lt;\n**<<<<<<< x**\n", 0) == []
    assert re.match(alone.hints.marked_up_opener, "`x`") is None
