"""What looks like the beginning of another block inside a replacement, and what does not."""

import pytest

from editblocks.parsing.open_block import swallowed_block
from editblocks.parsing.parse import FORMATS, scanner_of

SAMPLE = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
ROWS: dict[str, tuple[str, str, int | str | None]] = {
    "nothing": ("", "x", None),
    "a misspelt opener": ("", "x\n<<<<<<<SEARCH\ny", 1),
    "a bold one": ("", "x\n**<<<<<<< SEARCH**\ny", 1),
    "one in italics": ("", "x\n  _<<<<<<< SEARCH_ \ny", 1),
    "one in back-ticks that opens": ("", "x\n`««« EDIT`\n` <<<<<<< NEW_FILE`\ny", 2),
    "a bold one before a misspelt one": ("", "**<<<<<<< SEARCH**\n<<<< SEARCH", 0),
    "an indented one": ("", "x\n  <<<<<<< SEARCH\ny", 1),
    "a whole sample": ("", SAMPLE, None),
    "a sample whose closer is indented": ("", SAMPLE.replace(">>>>", "  >>>>"), 0),
    "a sample in another format": ("", "««« EDIT\na\n═══════ REPL\nb\n»»» EDIT END", None),
    "a git conflict": ("", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic", None),
    "half a git conflict": ("", "<<<<<<< HEAD\na\n=======\nb", 0),
    "one that is replaced by itself": ("<<<<<<< HEAD\na", "<<<<<<< HEAD\nb", None),
    "one that is there once and comes twice": ("<<<<<<< HEAD", "<<<<<<< HEAD\n<<<<<<< HEAD", 1),
    "a bold one that is there": ("**<<<<<<< SEARCH**", "**<<<<<<< SEARCH**\nb", None),
    "in a string": ("", 'OPEN = "<<<<<<< SEARCH"', None),
    "quoted": ("", "> <<<<<<< SEARCH", 0),
    "a whole quoted block": ("", "> <<<<<<< SEARCH\n> a\n> =======\n> b\n> >>>>>>> REPLACE", None),
    "one behind a bullet": ("", "- <<<<<<< NEW_FILE\na", 0),
    "one behind a role": ("", "assistant: <<<<<<< SEARCH\na", 0),
    "one at the end of a sentence": ("", "Begin with <<<<<<< SEARCH\na", None),
    "one in a comment of code": ("", "# <<<<<<< SEARCH\na", None),
    "misspelt guillemets": ("", "««« edit\na", 0),
    "an opener of dashes": ("", "x\n------- SEARCH\ny", 1),
    "one without its space": ("", "-------SEARCH\ny", 0),
    "a bold one of dashes": ("", "x\n**------- SEARCH**\ny", 1),
    "one of dashes behind a bullet": ("", "- ------- SEARCH\na", 0),
    "a whole sample of dashes": ("", "------- SEARCH\na\n=======\nb\n+++++++ REPLACE", None),
    "a quoted sample of dashes": ("", "> ------- SEARCH\n> a\n> =======\n> b\n> +++++++ REPLACE", None),
    "half of it": ("", "> ------- SEARCH\n> a\n+++++++ REPLACE", 0),
    "a sample with the closer of another form": ("", "------- SEARCH\na\n=======\nb\n>>>>>>> REPLACE", 0),
    "a comment of SQL": ("", "-- SEARCH\n---------- Search", None),
    "a closer of pluses": ("", "x\n+++++++ REPLACE", "line 101 looks like the end"),
    "a bold one of pluses": ("", "x\n**+++++++ REPLACE**", "line 101 looks like the end"),
    "one of pluses without its space": ("", "x\n+++++++REPLACE", "line 101 looks like the end"),
    "one of pluses that was there": ("+++++++ REPLACE", "x\n+++++++ REPLACE", None),
    "two strings that are joined": ("<<<", "<<<\n++ REPLACE", None),
    "a patch": ("", "*** Begin Patch\na", 0),
    "a line that is nearly one": ("", "x\n**** Begin Patch\ny", None),
    "a patch behind a bullet": ("", "x\n- *** Begin Patch\ny", None),
    "a quoted patch": ("", "x\n> *** Begin Patch\ny", None),
    "a patch with backslashes": ("", "x\n\\*\\*\\* Begin Patch\ny", None),
    "a whole patch": ("", "*** Begin Patch\na\n*** End Patch", None),
    "the end of a patch": ("", "x\n*** End Patch\ny", None),
    "a tag over two lines": ("", '<boltAction type="file"\nfilePath="a">\nx', 0),
    "a closer": ("", "x\n>>>>>>> REPLACE", "line 101 looks like the end of another block"),
    "a closer that was there": (">>>>>>> REPLACE", "x\n>>>>>>> REPLACE", None),
    "a closer of a new file": ("", "x\n>>>>>>> NEW_FILE", "line 101 looks like the end"),
    "the end of a conflict": ("", "x\n>>>>>>> topic", "line 101 looks like the end"),
    "a bold closer": ("", "x\n**>>>>>>> REPLACE**\ny", "line 101 looks like the end"),
    "one in back-ticks": ("", "x\n  `»»» EDIT END`", "line 101 looks like the end"),
    "a quoted closer": ("", "x\n> >>>>>>> NEW_FILE\ny", "line 101 looks like the end"),
    "a bold closer that was there": ("**>>>>>>> REPLACE**", "x\n**>>>>>>> REPLACE**", None),
    "a bold closer that was there once": ("**>>>>>>> REPLACE**", "**>>>>>>> REPLACE**\n" * 2, "line 101 looks like"),
    "a bold closer above a quoted block": ("", f"**>>>>>>> REPLACE**\n> {SAMPLE}", "line 100 looks like the end"),
    "a quoted closer that is indented": ("", "> <<<<<<< SEARCH\na\n  > >>>>>>> REPLACE", "line 102 looks like the end"),
    "a bold closer in a sentence": ("", "`>>>>>>> REPLACE` ends it", None),
    "guillemets that end": ("", "x\n»»» EDIT END", "line 101 looks like the end"),
    "guillemets that part": ("", "x\n═══════ REPL\ny", "line 101 looks like the end"),
    "the end of an action": ("", "x\n</boltAction>", "line 101 looks like the end"),
    "a bare closer": ("", "x\n>>>>>>>", None),
    "an arrow": ("", "<<<< back", None),
    "an edit action": ("", 'x\n<boltAction type="edit">\ny', 1),
    "an action that runs something": ("", 'x\n<boltAction type="shell">\ny', 1),
    "a whole action": ("", '<boltAction type="shell">\ny\n</boltAction>', None),
    "an action on its line": ("", '<boltAction type="shell">y</boltAction>', None),
}


@pytest.mark.parametrize(("old", "new", "expected"), ROWS.values(), ids=ROWS)
def test_swallowed(old: str, new: str, expected: int | str | None) -> None:
    fault = swallowed_block(f"{old}\n" if old else "", f"{new}\n", 100, scanner_of(FORMATS))
    if expected is None:
        assert fault is None
        return
    assert fault is not None
    place = f"line {100 + expected} looks like the beginning" if isinstance(expected, int) else expected
    assert fault.what.startswith(place)
