"""The tables of docs/reference/rules.md, "markers", row by row."""

import pytest
from support.parsecases import CLOSE, DIV, NAMELESS, OPEN, X, rows
from support.responses import block

from editblocks import parse_response

Table = dict[str, tuple[str, list[str]]]
# The tables of docs/reference/rules.md, "markers", row by row.
TEXT: Table = {
    "nothing": ("", []),
    "no newline": ("a.py", []),
    "opener": (X, ["1 a.py 2-6: x/ -> y/"]),
    "opener, no newline after the closer": (X[:-1], ["1 a.py 2-6: x/ -> y/"]),
    "blanks after markers": (X.replace("SEARCH\n", "SEARCH \t\n").replace("=\n", "= \n"), ["1 a.py 2-6: x/ -> y/"]),
    "divider is a heading underline": ("Title\n=======\n", []),
    "dashes are a rule": ("-------\n", []),
    "bare closer is a quote": (">>>>>>>\n", []),
    "a conflict": ("<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n", ["1 - 1-5: unsupported-format"]),
    "a conflict in a fence": ("```\n<<<<<<< HEAD\n=======\n>>>>>>> topic\n```\n", ["1 - 2-4: unsupported-format"]),
    "half a conflict is prose": ("<<<<<<< HEAD\nx\n>>>>>>> topic\n=======\n", []),
    "a conflict in a conflict": (
        "<<<<<<< HEAD\n<<<<<<< HEAD\n=======\n>>>>>>> a\n=======\n>>>>>>> b\n",
        ["1 - 2-4: unsupported-format"],
    ),
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
    "dashes and pluses": ("a.py\n------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n", ["1 a.py 2-6: x/ -> y/"]),
    "a closer of pluses": ("+++++++ REPLACE\n", ["1 - 1-1: stray-marker"]),
    "edit-v4 is not read yet": ("🟧🟧🟧 EDIT\n", ["1 - 1-1: unsupported-format"]),
    "an agent's sign is no block": ("🟧🟧🟧 AGENT\n", []),
    "line numbers": (block(":start_line:3\n-------\nx\n", "y\n"), ["1 a.py 2-8: x/ -> y/"]),
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
