"""Which lines are a block, and what the others get: docs/reference/formats.md, "reading" and "markers"."""

from __future__ import annotations

import pytest
from support.responses import block

from editblocks import EditBlock, ParseResult, Problem, parse_response
from editblocks.formats.grammar import Grammar, is_markup
from editblocks.formats.markers import classify
from editblocks.parsing.parse import FORMATS

OPEN, DIV, CLOSE = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
X = block("x\n", "y\n")
NAMELESS = block("x\n", "y\n", "")
Table = dict[str, tuple[str, list[str]]]


def rows(parsed: ParseResult) -> list[str]:
    """`number path lines: old -> new`, or a code; line ends are shown as `/`."""
    found: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    found.sort(key=lambda row: row.number)
    return [
        f"{row.number} {row.file_path or '-'} {row.line_number}-{row.end_line}: "
        + (f"{row.old_lines} -> {row.new_lines}" if isinstance(row, EditBlock) else row.code.value).replace("\n", "/")
        for row in found
    ]


def notes(parsed: ParseResult) -> list[str]:
    of_blocks = [note for read in parsed.blocks for note in read.notes]
    return [note.code for note in (*of_blocks, *parsed.notes)]


# The state table of docs/reference/formats.md, row by row.
TEXT: Table = {
    "nothing": ("", []),
    "no newline": ("a.py", []),
    "opener": (X, ["1 a.py 2-6: x/ -> y/"]),
    "opener, no newline after the closer": (X[:-1], ["1 a.py 2-6: x/ -> y/"]),
    "blanks after markers": (X.replace("SEARCH\n", "SEARCH \t\n").replace("=\n", "= \n"), ["1 a.py 2-6: x/ -> y/"]),
    "divider is a heading underline": ("Title\n=======\n", []),
    "dashes are a rule": ("-------\n", []),
    "bare closer is a quote": (">>>>>>>\n", []),
    "conflict is prose": ("<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n", []),
    "closer": (CLOSE, ["1 - 1-1: stray-marker"]),
    "closer of another format": (">>>>>>> NEW_FILE\n", ["1 - 1-1: stray-marker"]),
    "v3 separator": ("═══════ REPL\n", ["1 - 1-1: stray-marker"]),
    "v3 closer": ("»»» EDIT END\n", ["1 - 1-1: stray-marker"]),
    "a closer after a conflict's start": (
        "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> REPLACE\n",
        ["1 - 5-5: stray-marker"],
    ),
    "edit-v2": ("a.py\n<<<<<<< EDIT\n-------\nx\n=======\ny\n-------\n>>>>>>>\n", ["1 a.py 2-8: x/ -> y/"]),
    "edit-v3": ("a.py\n««« EDIT\nx\n═══════ REPL\ny\n»»» EDIT END\n", ["1 a.py 2-6: x/ -> y/"]),
    "new-file": (
        "a.py\n<<<<<<< NEW_FILE\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n>>>>>>> NEW_FILE\n",
        ["1 a.py 2-8:  -> <<<<<<< SEARCH/x/=======/y/>>>>>>> REPLACE/"],
    ),
    "an edit action": (
        f'<boltAction type="edit" filePath="a.py">\n{NAMELESS}</boltAction>\n',
        ["1 a.py 2-6: x/ -> y/"],
    ),
    "a file action": ("<boltAction filePath='a.py' type='file'>\nx\n</boltAction>\n", ["1 a.py 1-3:  -> x/"]),
    "an install action is no block": ('<boltAction type="shell">\nnpm install\n</boltAction>\n', []),
    "a patch is not read yet": ("*** Begin Patch\n*** End Patch\n", ["1 - 1-2: unsupported-format"]),
    "dashes for an opener": ("------- SEARCH\n", ["1 - 1-1: unsupported-format"]),
    "edit-v4 is not read yet": ("🟧🟧🟧 EDIT\n", ["1 - 1-1: unsupported-format"]),
    "an agent's sign is no block": ("🟧🟧🟧 AGENT\n", []),
    "line numbers are not read yet": (
        block(":start_line:3\n-------\nx\n", "y\n"),
        ["1 a.py 2-8: unsupported-format"],
    ),
}
SEARCH_STATE: Table = {
    "no old lines": (block("", "y\n"), ["1 a.py 2-5:  -> y/"]),
    "no new lines": (block("x\n", ""), ["1 a.py 2-5: x/ -> "]),
    "neither": (block("", ""), ["1 a.py 2-4:  -> "]),
    "a blank line is a line": (block("\n", "\n\n"), ["1 a.py 2-7: / -> //"]),
    "a conflict is content": (
        block("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n", "y\n"),
        ["1 a.py 2-10: <<<<<<< HEAD/a/=======/b/>>>>>>> topic/ -> y/"],
    ),
    "a bare conflict start counts too": (
        block("<<<<<<<\na\n=======\nb\n>>>>>>> topic\n", "y\n"),
        ["1 a.py 2-10: <<<<<<</a/=======/b/>>>>>>> topic/ -> y/"],
    ),
    "a conflict within a conflict": (
        block("<<<<<<< A\n<<<<<<< B\n=======\n>>>>>>> B\n=======\n>>>>>>> A\n", "y\n"),
        ["1 a.py 2-11: <<<<<<< A/<<<<<<< B/=======/>>>>>>> B/=======/>>>>>>> A/ -> y/"],
    ),
    "a conflict of another length does not count": (
        block("<<<<<<<< A\n", "y\n"),
        ["1 a.py 2-6: <<<<<<<< A/ -> y/"],
    ),
    "no divider": ("a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", ["1 a.py 2-4: no-divider"]),
    "the only divider is in a conflict that never ends": (
        block("<<<<<<< HEAD\nx\n", "y\n"),
        ["1 a.py 2-7: <<<<<<< HEAD/x/ -> y/"],
    ),
    "the only divider is in a conflict that ends": (
        "a.py\n<<<<<<< SEARCH\n<<<<<<< A\nx\n=======\ny\n>>>>>>> A\n>>>>>>> REPLACE\n",
        ["1 a.py 2-8: malformed"],
    ),
    "the end of a conflict alone is content": (block(">>>>>>> topic\n", "y\n"), ["1 a.py 2-6: >>>>>>> topic/ -> y/"]),
    "fences are content": (block("```\nx\n", "```\ny\n"), ["1 a.py 2-8: ```/x/ -> ```/y/"]),
    "comments are content": (block("<!--\nx\n", "<!--\n"), ["1 a.py 2-7: <!--/x/ -> <!--/"]),
    "quotes are content": (block("> <<<<<<< SEARCH\n", "> x\n"), ["1 a.py 2-6: > <<<<<<< SEARCH/ -> > x/"]),
    "headings are content": (block("### File: b.py\n", "y\n"), ["1 a.py 2-6: ### File: b.py/ -> y/"]),
    "a patch is content": (block("*** Begin Patch\n", "y\n"), ["1 a.py 2-6: *** Begin Patch/ -> y/"]),
    "rules of another length are content": (
        block("====\n==========\n", "------\n"),
        ["1 a.py 2-7: ====/==========/ -> ------/"],
    ),
    "markers of another format are content": (
        block("»»» EDIT END\n>>>>>>> NEW_FILE\n", "»»» EDIT END\n"),
        ["1 a.py 2-7: »»» EDIT END/>>>>>>> NEW_FILE/ -> »»» EDIT END/"],
    ),
    "markers of another indentation are content": (
        block("  <<<<<<< SEARCH\n  =======\n  >>>>>>> REPLACE\n", "  =======\n"),
        ["1 a.py 2-8:   <<<<<<< SEARCH/  =======/  >>>>>>> REPLACE/ ->   =======/"],
    ),
}
BROKEN: Table = {
    "the end": ("a.py\n<<<<<<< SEARCH\nx\n", ["1 a.py 2-3: unclosed"]),
    "the end, in the new lines": (X.removesuffix(CLOSE), ["1 a.py 2-5: unclosed"]),
    "the next opener": (f"a.py\n{OPEN}x\nb.py\n{NAMELESS}", ["1 a.py 2-4: unclosed", "2 b.py 5-9: malformed"]),
    "the one after the next opener": (
        f"a.py\n{OPEN}x\nb.py\n{NAMELESS}{X}",
        ["1 a.py 2-4: unclosed", "2 b.py 5-9: malformed", "3 a.py 11-15: x/ -> y/"],
    ),
    "the next openers, in the same fence": (
        f"```\na.py\n{OPEN}x\nb.py\n{NAMELESS}{X}```\n{X}",
        ["1 a.py 3-5: unclosed", "2 b.py 6-10: malformed", "3 a.py 12-16: malformed", "4 a.py 19-23: x/ -> y/"],
    ),
    "the next opener, after the divider": (
        f"a.py\n{OPEN}x\n{DIV}y\n{X}",
        ["1 a.py 2-6: unclosed", "2 a.py 7-11: malformed"],
    ),
    "a divider for a closer": (
        f"a.py\n{OPEN}x\n{DIV}y\n{DIV}\n{X}",
        ["1 a.py 2-8: unclosed", "2 a.py 9-13: malformed"],
    ),
    "the block that broke it inherits no path": (
        f"a.py\n{OPEN}And so on.\n\n{NAMELESS}",
        ["1 a.py 2-4: unclosed", "2 - 5-9: no-path"],
    ),
    "nor the path of what was held": (
        f"a.py\n{OPEN}x\n{block('', 'y' + chr(10), 'b.py', 5)}{NAMELESS}",
        ["1 a.py 2-8: unclosed", "2 b.py 5-8: malformed", "3 - 9-13: no-path"],
    ),
    "what stands in it is held": (
        f"a.py\n{OPEN}x\n{block('x' + chr(10), 'y' + chr(10), 'b.py', 8)}",
        ["1 a.py 2-9: unclosed", "2 b.py 5-9: malformed"],
    ),
    "its fence was closed before: live": (
        f"```\na.py\n{OPEN}x\n```\n{block('x' + chr(10), 'y' + chr(10), 'b.py', 8)}",
        ["1 a.py 3-11: unclosed", "2 b.py 7-11: x/ -> y/"],
    ),
    "its fence was not closed before: held": (
        f"```\na.py\n{OPEN}x\n{block('x' + chr(10), 'y' + chr(10), 'b.py', 8)}```\n",
        ["1 a.py 3-11: unclosed", "2 b.py 6-10: malformed"],
    ),
    "an indented one inside is held": (
        f"a.py\n{OPEN}x\n{block('x' + chr(10), 'y' + chr(10), 'b.py', indent='  ')}",
        ["1 a.py 2-9: unclosed", "2 b.py 5-9: malformed"],
    ),
    "one in one in one": (
        "a.py\n<<<<< SEARCH\nb.py\n<<<<<< SEARCH\nc.py\n<<<<<<< SEARCH\n",
        ["1 a.py 2-6: unclosed", "2 b.py 4-6: unclosed", "3 c.py 6-6: unclosed"],
    ),
    "a closer of another format does not close": (
        f"a.py\n{OPEN}x\n{DIV}y\n>>>>>>> NEW_FILE\n",
        ["1 a.py 2-6: unclosed"],
    ),
    "a truncated one spares the next fence": (
        f"```\na.py\n{OPEN}x\n```\n\n```\n{X}```\n",
        ["1 a.py 3-8: unclosed", "2 a.py 9-13: x/ -> y/"],
    ),
}
LENGTHS: Table = {
    **{
        f"{size} characters": (block("x\n", "y\n", size=size), ["1 a.py 2-6: x/ -> y/"] if 4 < size < 10 else [])
        for size in range(3, 12)
    },
    "nine hold seven": (
        block(NAMELESS, "y\n", size=9),
        ["1 a.py 2-10: <<<<<<< SEARCH/x/=======/y/>>>>>>> REPLACE/ -> y/"],
    ),
    "a set of another length": (
        f"a.py\n{OPEN}x\n=====\ny\n>>>>> REPLACE\n",
        ["1 a.py 2-6: x/ -> y/"],
    ),
    "only the divider is of another length": (f"a.py\n{OPEN}x\n=====\ny\n{CLOSE}", ["1 a.py 2-6: x/ -> y/"]),
    "only the closer is of another length": (f"a.py\n{OPEN}x\n{DIV}y\n>>>>> REPLACE\n", ["1 a.py 2-6: x/ -> y/"]),
    "one of its own length silences the others": (
        f"a.py\n{OPEN}x\n=====\nz\n{DIV}y\n{CLOSE}",
        ["1 a.py 2-8: x/=====/z/ -> y/"],
    ),
    "what follows a set of another length is text": (
        f"a.py\n{OPEN}x\n=====\ny\n>>>>> REPLACE\n\nTitle\n=======\n",
        ["1 a.py 2-6: x/ -> y/"],
    ),
    "and may be a block": (
        f"a.py\n{OPEN}x\n=====\ny\n>>>>> REPLACE\n\nb.py\n{NAMELESS}",
        ["1 a.py 2-6: x/ -> y/", "2 b.py 9-13: x/ -> y/"],
    ),
    "a closer of another length before any divider": (
        f"a.py\n{OPEN}x\n>>>>> REPLACE\n{DIV}y\n",
        ["1 a.py 2-6: unclosed"],
    ),
}
CLOSERS: Table = {
    "doubled": (X + CLOSE, ["1 a.py 2-6: x/ -> y/"]),
    "doubled after blank lines": (f"{X}\n \n{CLOSE}", ["1 a.py 2-6: x/ -> y/"]),
    "doubled in the same fence": (f"```\n{X}{CLOSE}```\n", ["1 a.py 3-7: x/ -> y/"]),
    "doubled outside the fence": (f"```\n{X}```\n{CLOSE}", ["1 a.py 3-7: malformed", "2 - 9-9: stray-marker"]),
    "doubled in another fence": (
        f"```\n{X}```\n```\n{CLOSE}```\n",
        ["1 a.py 3-7: malformed", "2 - 10-10: stray-marker"],
    ),
    "doubled, the file is markup": (X.replace("a.py", "a.md") + CLOSE, ["1 a.md 2-6: malformed"]),
    "after other text": (f"{X}z\n{CLOSE}", ["1 a.py 2-6: malformed", "2 - 8-8: stray-marker"]),
    "after other text, twice": (
        f"{X}z\n{CLOSE}{CLOSE}",
        ["1 a.py 2-6: malformed", "2 - 8-8: stray-marker", "3 - 9-9: stray-marker"],
    ),
    "after a problem": (f"a.py\n{OPEN}x\n{CLOSE}{CLOSE}", ["1 a.py 2-4: no-divider", "2 - 5-5: stray-marker"]),
    "of another kind": (X + ">>>>>>> NEW_FILE\n", ["1 a.py 2-6: x/ -> y/", "2 - 7-7: stray-marker"]),
    "of another kind, after text": (f"{X}z\n»»» EDIT END\n", ["1 a.py 2-6: x/ -> y/", "2 - 8-8: stray-marker"]),
    "the block after a doubled one": (
        f"```\n{X}{CLOSE}{NAMELESS}```\n",
        ["1 a.py 3-7: x/ -> y/", "2 a.py 9-13: x/ -> y/"],
    ),
}
DIVIDERS: Table = {
    "doubled before the closer": (block("x\n", f"y\n{DIV}"), ["1 a.py 2-7: x/ -> y/"]),
    "doubled with nothing between": (block("x\n", DIV), ["1 a.py 2-6: x/ -> "]),
    "doubled, the file is markup": (block("x\n", f"y\n{DIV}", "a.rst"), ["1 a.rst 2-7: malformed"]),
    "not before the closer": (block("x\n", f"y\n{DIV}z\n"), ["1 a.py 2-8: x/ -> y/=======/z/"]),
    "sixteen": (block("x\n", f"{DIV}y\n" * 15), [f"1 a.py 2-35: x/ -> {'=======/y/' * 15}"]),
    "seventeen": (block("x\n", f"{DIV}y\n" * 16), ["1 a.py 2-37: malformed"]),
}
INDENTED: Table = {
    "in a list": (
        "- a.py\n\n" + block("x\n\n  y\n", "z\n", "", indent="  "),
        ["1 a.py 3-9: x//  y/ -> z/"],
    ),
    "blank lines may be shorter": (
        "a.py\n    <<<<<<< SEARCH\n    x\n  \n    =======\n    y\n    >>>>>>> REPLACE\n",
        ["1 a.py 2-7: x// -> y/"],
    ),
    "by a tab": ("a.py\n" + block("x\n", "y\n", "", indent="\t"), ["1 a.py 2-6: x/ -> y/"]),
    "one line is not": (
        "a.py\n  <<<<<<< SEARCH\n  x\n  =======\ny\n  >>>>>>> REPLACE\n",
        ["1 a.py 2-6:   x/ -> y/"],
    ),
    "in an indented fence": (
        "  a.py\n  ```\n" + block("x\n", "y\n", "", indent="  ") + "  ```\n",
        ["1 a.py 3-7: x/ -> y/"],
    ),
    "three columns deeper than its fence": (
        "a.py\n```\n" + block("x\n", "y\n", "", indent="   ") + "```\n",
        ["1 a.py 3-7: x/ -> y/"],
    ),
    "four columns deeper than its fence": ("a.py\n```\n" + block("x\n", "y\n", "", indent="    ") + "```\n", []),
    "a tab deeper than its fence": ("a.py\n```\n" + block("x\n", "y\n", "", indent="\t") + "```\n", []),
    "a fence in a list, a tab at its column": (
        "- a.py\n    ```\n" + block("x\n", "y\n", "", indent="\t") + "    ```\n",
        ["1 a.py 3-7: x/ -> y/"],
    ),
    "shallower than its fence": ("a.py\n    ```\n" + NAMELESS + "    ```\n", ["1 a.py 3-7: x/ -> y/"]),
}
NO_MARKERS: Table = {
    text: (f"a.py\n{text}\nx\n", [])
    for text in (
        "<<<<<<< search",
        "<<<<<<<SEARCH",
        "<<<<<<< SEARCH a.py",
        "<<<< SEARCH",
        "<<<<<<<<<< SEARCH",
        "x <<<<<<< SEARCH",
        "`<<<<<<< SEARCH`",
        "\u00a0<<<<<<< SEARCH",
        "<<<<<<<  SEARCH",
        "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH",
        "> <<<<<<< SEARCH",
        "   > > <<<<<<< SEARCH",
        "««« EDITS",
        "<<<<<<< SEARCH\f",
    )
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(*row, id=f"{group}: {name}")
        for group, table in {
            "text": TEXT,
            "search": SEARCH_STATE,
            "broken": BROKEN,
            "lengths": LENGTHS,
            "closers": CLOSERS,
            "dividers": DIVIDERS,
            "indented": INDENTED,
            "no marker": NO_MARKERS,
        }.items()
        for name, row in table.items()
    ],
)
def test_rows(text: str, expected: list[str]) -> None:
    assert rows(parse_response(text)) == expected


HIDDEN: dict[str, tuple[str, list[str]]] = {
    "a comment": (f"<!--\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "a comment that never ends": (f"<!--\n{X}text\n", ["1 - 3-7: hidden-block"]),
    "a truncated block in a comment": (f"<!--\n{OPEN}x\n-->\n{X}", ["1 - 2-3: hidden-block", "2 a.py 6-10: x/ -> y/"]),
    "two in a comment": (
        f"<!--\n{OPEN}{OPEN}-->\n",
        ["1 - 2-2: hidden-block", "2 - 3-3: hidden-block"],
    ),
    "an indented comment": (f"   <!--\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "blank lines do not end it": (f"<!--\n\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "in mid-line": (f"text <!-- more\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "in mid-line, a blank line ends it": (f"text <!-- more\n\n{X}", ["1 a.py 4-8: x/ -> y/"]),
    "in mid-line, a blank line ends the block in it": (
        f"text <!-- more\n{OPEN}\n{X}",
        ["1 - 2-4: hidden-block", "2 a.py 5-9: x/ -> y/"],
    ),
    "closed on its line": (f"<!-- a.js -->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "closed and opened again": (f"<!-- a --> <!-- b\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "opened within itself": (f"<!-- <!-- -->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "opened again where it ends": (f"<!--\n--> <!-- b\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "behind a tag, a blank line does not end it": (f"<div><!-- b\n\n{X}-->\n", ["1 - 4-8: hidden-block"]),
    "below a tag": (f"<div>\ntext <!-- b\n\n{X}-->\n", ["1 - 5-9: hidden-block"]),
    "behind a comment": (f"<!-- a --> <!-- b\n\n{X}", ["1 - 4-8: hidden-block"]),
    "after a tag and a blank line": (f"<div>\n\ntext <!-- b\n\n{X}", ["1 a.py 6-10: x/ -> y/"]),
    "in a very long paragraph": ("text\n" * 20 + f"text <!-- b\n\n{X}", ["1 a.py 24-28: x/ -> y/"]),
    "in inline code": (f"`<!--`\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "in longer inline code": (f"`` ` <!-- ``\n{X}", ["1 a.py 3-7: x/ -> y/"]),
    "a back-tick that ends nothing": (f"it`s <!-- b\n{X}-->\n", ["1 - 3-7: hidden-block"]),
    "in a fence": (f"```\n<!--\n```\n{X}", ["1 a.py 5-9: x/ -> y/"]),
    "a fence in a comment": (f"<!--\n```\n-->\n{X}", ["1 a.py 5-9: x/ -> y/"]),
    "the end alone": (f"-->\n{X}", ["1 a.py 3-7: x/ -> y/"]),
}


@pytest.mark.parametrize(("text", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_what_no_reader_sees_is_no_block(text: str, expected: list[str]) -> None:
    assert rows(parse_response(text)) == expected


def test_a_hidden_block_says_where_it_is() -> None:
    problems = parse_response(f"<!--\n{X}-->\n").problems
    assert [problem.message for problem in problems] == [
        "lines 3-7 are in an HTML comment or tag, where no reader sees them; post the block visibly"
    ]


NOTED: dict[str, tuple[str, list[str]]] = {
    "nothing": (X, []),
    "opener of another word": (X.replace("SEARCH", "SEARCH>"), ["marker-variant"]),
    "git's words": (X.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED"), ["marker-variant"] * 2),
    "lengths that slipped": (f"a.py\n{OPEN}x\n=====\ny\n>>>>>>>> REPLACE\n", ["marker-variant"] * 2),
    "a line that is not indented": ("a.py\n  <<<<<<< SEARCH\n  x\n  =======\ny\n  >>>>>>> REPLACE\n", ["indent-kept"]),
    "a fence that never ended": (f"```py\nx\n```py\n{X}```\n", ["fence-unclosed"]),
    "a tag that never ended": (f"<source>\nx\n<source>\n{X}</source>\n", ["fence-unclosed"]),
    "a lower-case marker": ("<<<<<<< search\n", ["near-marker"]),
    "a listing": ("```\n    <<<<<<< SEARCH\n```\n", ["near-marker"]),
    "a quote": ("> <<<<<<< SEARCH\n> > ««« EDIT\n", ["quoted-block"]),
    "a closer twice": (X + CLOSE, ["stray-closer-dropped"]),
}


@pytest.mark.parametrize(("text", "expected"), NOTED.values(), ids=NOTED)
def test_what_is_noted(text: str, expected: list[str]) -> None:
    assert notes(parse_response(text)) == expected


MESSAGES: dict[str, tuple[str, str]] = {
    "unclosed, at the end": (
        f"a.py\n{OPEN}x\n",
        "block at line 2 has no `>>>>>>> REPLACE` before the end (line 3); probably cut off, ask for it again",
    ),
    "unclosed, at the next block": (
        f"a.py\n<<<<< SEARCH\nx\n{block('', '', '', 5)}",
        "block at line 2 has no `>>>>> REPLACE` before the next block (line 4); probably cut off, ask for it again",
    ),
    "no divider": (
        f"a.py\n{OPEN}x\n{CLOSE}",
        "no `=======` between lines 2 and 4; put it between the old and the new lines",
    ),
    "stray closer": (CLOSE, "line 1 closes no block; the opener must be `<<<<<<< SEARCH`"),
    "stray closer of a new file": (
        ">>>>>>> NEW_FILE\n",
        "line 1 closes no block; the opener must be `<<<<<<< NEW_FILE`",
    ),
    "stray closer of v3": ("»»» EDIT END\n", "line 1 closes no block; the opener must be `««« EDIT`"),
    "seventeen dividers": (
        block("x\n", f"{DIV}y\n" * 16),
        "17 lines may be its divider; send it with 8-character markers",
    ),
    "a patch": ("*** Begin Patch\n", "`*** Begin Patch` (line 1) is not read yet; ask for SEARCH/REPLACE blocks"),
    "line numbers": (
        block(":start_line:3\nx\n", "y\n"),
        "`:start_line:` (line 3) is not read yet; ask for SEARCH/REPLACE blocks",
    ),
    "held": (
        f"a.py\n{OPEN}x\n<<<<< SEARCH\n=====\n>>>>> REPLACE\n",
        "block at line 2 has no `>>>>>>> REPLACE` before the end (line 6); probably cut off, ask for it again",
    ),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.values(), ids=MESSAGES)
def test_a_problem_says_what_is_wrong_and_what_to_do(text: str, message: str) -> None:
    assert parse_response(text).problems[0].message == message


def test_lines_are_counted_from_where_the_text_begins() -> None:
    parsed = parse_response(f"{X}{CLOSE}{OPEN}", first_line=11)
    assert rows(parsed) == ["1 a.py 12-16: x/ -> y/", "2 a.py 18-18: unclosed"]
    assert parsed.blocks[0].notes[0].line_number == 17


BASES = {
    "seven digits": ("base: 1234abc\n", "1234abc"),
    "in back-ticks": ("base: `1234abcd`\n", "1234abcd"),
    "the last one": ("base: 1234abc\nbase: 7654321\n", "7654321"),
    "after the first block": (X + "base: 1234abc\n", None),
    "in a fence": ("```\nbase: 1234abc\n```\n", None),
    "six digits": ("base: 12345a\n", None),
    "upper case": ("base: 1234ABC\n", None),
    "64 digits": (f"base: {'a' * 64}\n", "a" * 64),
    "65 digits": (f"base: {'a' * 65}\n", None),
    "in a sentence": ("the base: 1234abc\n", None),
}


@pytest.mark.parametrize(("text", "base"), BASES.values(), ids=BASES)
def test_the_base_of_a_response(text: str, base: str | None) -> None:
    assert parse_response(text + X).base == base


ENCLOSED = {
    "back-ticks": f"````py\n{X}````\n",
    "tildes": f"~~~py\n{X}~~~\n",
    "longer at the end": f"```\n{X}`````\n",
    "indented by 9": f"         ```\n{X}         ```\n",
    "back-ticks in tildes": f"~~~\n```\n{X}```\n~~~\n",
    "source": f"<source>\n{X}</source>\n",
    "source with an info word": f"<source>python\n{X}</source>\n",
    "pre, code": f"<pre>\n<code>\n{X}</code>\n</pre>\n",
    "details": f"<details>\n<summary>All</summary>\n\n{X}\n</details>\n",
    "CR LF": X.replace("\n", "\r\n"),
    "BOM": "\ufeff" + X,
    "a stray end of a tag": f"</code>\n{X}",
    "back-ticks with back-ticks in the info": f"```a`b\n{X}",
}


@pytest.mark.parametrize("text", ENCLOSED.values(), ids=ENCLOSED)
def test_blocks_are_read_in_every_container(text: str) -> None:
    assert [(found.old_lines, found.new_lines) for found in parse_response(text).blocks] == [("x\n", "y\n")]


CLOSED = {
    "the same length": ("```\n```\n", False),
    "a longer one": ("```\n````\n", False),
    "a shorter one opens": ("````\n```\n", True),
    "another character opens": ("```\n~~~\n", True),
    "the outer one closes the inner": ("````\n~~~\n````\n", False),
    "info opens": ("```\n```py\n```\n", False),
    "a tag is closed by its own end": ("<source>\n</code>\n", True),
    "a tag's end": ("<source>\n</source>\n", False),
}


@pytest.mark.parametrize(("text", "is_open"), CLOSED.values(), ids=CLOSED)
def test_where_a_fence_ends(text: str, is_open: bool) -> None:
    """A File heading in a fence counts until the fence ends, so it tells whether one is open."""
    parsed = parse_response(f"{text}a.py\n\n{NAMELESS}")
    assert [found.format for found in parsed.blocks] == ["diff-fenced" if is_open else "diff"]


@pytest.mark.parametrize("grammar", FORMATS, ids=lambda grammar: grammar.OPENER.name)
def test_a_grammar_knows_its_own_lines(grammar: Grammar) -> None:
    closer, separator = (classify(line, 0) for line in (grammar.closer_line(7), grammar.separator_line(7)))
    assert closer is not None
    assert closer.kind is grammar.CLOSER
    assert separator.kind is grammar.SEPARATORS[0] if separator else grammar.SEPARATORS == ()
    assert len(grammar.SECTIONS) == len(grammar.SEPARATORS) + 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((f"docs/a.{extension}", True) for extension in "md markdown rst txt adoc org tex wiki diff patch MD".split()),
        *((f"docs/{name}", True) for name in "README CHANGES CHANGELOG NEWS TODO LICENSE".split()),
        ("README.py", False),
        ("readme", False),
        ("md", False),
        (".md", False),
        ("a.md/b.py", False),
        ("a.mdx", True),
        ("Makefile", False),
    ],
)
def test_is_markup(path: str, expected: bool) -> None:
    assert is_markup(path) is expected


def test_what_is_read_again_too_often_is_only_counted() -> None:
    """Openers of ever deeper indentation would otherwise make every line read again for each of them."""
    steps = "".join(f"{' ' * depth}{OPEN}" for depth in range(30))
    inner = block("x\n", "y\n", "b.py", 6)
    parsed = parse_response(f"{steps}{inner}" + "-----\n" * 200)
    codes = [problem.code.value for problem in parsed.problems]
    assert codes == ["unclosed"] * 10 + ["malformed"] * 21 + ["stray-marker"]
    assert [problem.line_number for problem in parsed.problems] == [*range(1, 31), 32, 36]
    assert parsed.problems[-2].message == ("it may be part of the unclosed block at line 10; send both again, complete")
    assert not parsed.blocks
