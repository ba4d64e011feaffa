"""Which fences show a whole file, and when they are rows."""

import pytest
from support.responses import block

from editblocks import EditBlock, Problem
from editblocks.core.blocks import BlockStarted, Event, ParseResult
from editblocks.core.outcome import Part
from editblocks.formats.whole_file import WHOLE_FILE, ask_for_whole_files
from editblocks.parsing.parse import FORMATS, StreamParser, parse_parts, parse_response

ASKED = ask_for_whole_files(FORMATS)
FENCE = "```python\nx\n```\n"
WITH_BLOCK = block("x\n", "y\n")


def rows(parsed: ParseResult) -> list[str]:
    """Each row as `PATH: TEXT`, or `PATH: CODE`."""
    found: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    found.sort(key=lambda row: row.number)
    texts = (row.new_lines if isinstance(row, EditBlock) else row.code.value for row in found)
    return [f"{row.file_path}: {text}" for row, text in zip(found, texts, strict=True)]


TEXTS = {
    "a path above": (f"a.py\n{FENCE}", ["a.py: x\n"]),
    "a marked path": (f"**`src/a b.py`**:\n{FENCE}", ["src/a b.py: x\n"]),
    "a blank line between": (f"a.py\n\n{FENCE}", ["a.py: x\n"]),
    "two blank lines between": (f"a.py\n\n\n{FENCE}", []),
    "prose between": (f"a.py\n\nIt is short.\n{FENCE}", []),
    "no path": (f"So:\n{FENCE}", []),
    "a weak path": (f"before/after\n{FENCE}", []),
    "a path inside": ("```python\n# a.py\nx\n```\n", []),
    "a heading further up": (f"### File: a.py\n\nIt is short.\n\n{FENCE}", []),
    "a heading right above": (f"### File: a.py\n{FENCE}", ["a.py: x\n"]),
    "a path in the info string": ("```py:src/a.py\nx\n```\n", ["src/a.py: x\n"]),
    "two paths": (f"a.py\n{FENCE.replace('python', 'py:src/b.py')}", ["None: no-path"]),
    "tildes": ("a.py\n~~~\nx\n~~~\n", ["a.py: x\n"]),
    "blank lines": ("a.py\n```\n \n\n```\n", ["a.py:  \n\n"]),
    "nothing": ("a.py\n```\n```\n", ["a.py: "]),
    "nothing, and no end": ("a.py\n```\n", []),
    "nothing printed": ("a.py\n```text\n```\n", []),
    "a list item": ("- `a.py`\n  ```\n  x\n    y\n  ```\n", ["a.py: x\n  y\n"]),
    "less indented inside": ("  a.py\n  ```\nx\n  ```\n", ["a.py: x\n"]),
    "a diff": ("a.py\n```diff\n-x\n+y\n```\n", []),
    "a suggestion": ("a.py\n```suggestion\nx\n```\n", ["None: unsupported-format"]),
    "a session": ("a.py\n```console\n$ x\n```\n", []),
    "what it prints": ("a.py\n```text\nx\n```\n", []),
    "a script": ("a.sh\n```bash\nx\n```\n", ["a.sh: x\n"]),
    "a text": ("a.txt\n````text\nx\n````\n", ["a.txt: x\n"]),
    "an edit fence": ("```edit:a.py\nx\n```\n", ["a.py: malformed"]),
    "a tag": ("a.py\n<pre>\nx\n</pre>\n", ["a.py: x\n"]),
    "another tag": ("a.py\n<source>python\nx\n</source>\n", ["a.py: x\n"]),
    "a block of Org": ("a.py\n#+begin_src python\nx\n#+END_SRC\n", ["a.py: x\n"]),
    "Markdown between tildes": ("a.md\n~~~\n# A\n```sh\nx\n```\n~~~\n", ["a.md: # A\n```sh\nx\n```\n"]),
    "a text of code": ("CMakeLists.txt\n```cmake\nx\n```\n", ["CMakeLists.txt: x\n"]),
    "a text of code behind another fence": ("```\nx\n```\na.txt\n```\nx\n```\n", ["a.txt: malformed"]),
    "a text of code that a fence may end": ("a.txt\n```\nx\n```\n\ny\n```\nz\n```\n", ["a.txt: malformed"]),
    "quoted": ("> a.py\n> ```\n> x\n> ```\n", []),
    "in a comment": (f"<!--\na.py\n{FENCE}-->\n", ["a.py: x\n"]),
    "in a thought": (f"<think>\na.py\n{FENCE}</think>\n", []),
    "in another fence": (f"````\na.py\n{FENCE}````\n", []),
    "in an action": (f'<boltAction type="edit" filePath="a.py">\na.py\n{FENCE}</boltAction>\n', ["a.py: malformed"]),
    "a block in it": (f"a.py\n```\n{WITH_BLOCK.removeprefix('a.py' + chr(10))}```\n", ["a.py: y\n"]),
    "an indented block in it": ("a.py\n```\n    <<<<<<< SEARCH\n    x\n```\n", []),
    "an indented patch in it": ("a.py\n```\n    *** Begin Patch\n    x\n```\n", []),
    "half a block in it": ("a.py\n```\nx\n>>>> REPLACE\n```\n", ["a.py: malformed"]),
    "half a conflict in it": ("a.py\n```\n<<<<<<< HEAD\nx\n```\n", ["a.py: malformed"]),
    "no end": ("a.py\n```\nx\n", ["a.py: unclosed"]),
    "ended by a language": ("a.py\n```\nx\n```py\ny\n```\n", ["a.py: unclosed"]),
    "markup": ("a.md\n```\nx\n```\n", ["a.md: malformed"]),
    "markup without an end": ("a.md\n```\nx\n", ["a.md: unclosed"]),
    "markup in four": ("a.md\n````\n```\nx\n```\n````\n", ["a.md: ```\nx\n```\n"]),
    "an end that is indented deeper": ("a.py\n```\nx\n    ```\n", ["a.py: malformed"]),
    "a bare fence inside": (f"a.py\n```\nx\n```\ny\n```\nz\n```\n{WITH_BLOCK}", ["a.py: malformed", "a.py: y\n"]),
    "a bare fence inside, in four": ("a.py\n````\nx\n```\ny\n```\nz\n````\n", ["a.py: x\n```\ny\n```\nz\n"]),
    "a bare fence further below": (f"a.py\n{FENCE}\nIts output:\n```\ny\n```\n", ["a.py: x\n"]),
    "a fence of tildes right below": (f"a.py\n{FENCE}So:\n~~~\ny\n~~~\n", ["a.py: x\n"]),
    "a session right below": (f"a.py\n{FENCE}So:\n```sh\ny\n```\n", ["a.py: x\n"]),
    "files right below each other": ("a.py\n```\nx\n```\nb.py\n```\ny\n```\n", ["a.py: x\n", "b.py: y\n"]),
    "fences right below each other": (f"a.py\n{FENCE}```\ny\n```\n", ["a.py: malformed"]),
    "the body of a diff": ("a.py\n```\n def f():\n-    x\n+    y\n\n```\n", ["a.py: malformed"]),
    "added lines": ("a.py\n```\n+x\n+y\n```\n", ["a.py: malformed"]),
    "items of a list": ("a.yml\n```\n- x\n- y\n  z\n```\n", ["a.yml: - x\n- y\n  z\n"]),
    "numbers of lines": ("a.py\n```\n 9 | x\n\n10 | y\n```\n", ["a.py: malformed"]),
    "numbers in a table": ("a.csv\n```\n1 | x\n1 | y\n```\n", ["a.csv: 1 | x\n1 | y\n"]),
    "one number": ("a.csv\n```\n1 | x\n```\n", ["a.csv: 1 | x\n"]),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_the_rows_of_a_text_whose_whole_files_are_asked_for(text: str, expected: list[str]) -> None:
    assert rows(parse_response(text, ASKED)) == expected
    assert rows(parse_response(text.replace("\n", "\r\n"), ASKED)) == expected


# fences that are not written, and whether that is noted, as a file is named near them
UNNAMED = {
    "in a sentence": (f"And the updated `a.py`:\n\n{FENCE}", 3),
    "as the first line": ("```python\n\n# src/a.py\nx\n```\n", 1),
    "too far above": (f"a.py\n\n\n{FENCE}", 4),
    "much too far above": (f"a.py\n\n\n\n\n{FENCE}", 6),
    "weakly": (f"bin/run\n{FENCE}", 2),
    "by a word": (f"ex\n{FENCE}", None),
    "not at all": (f"So:\n\n{FENCE}", None),
    "by prose between": (f"a.py\n\nIt is short.\n{FENCE}", None),
    "of a session": ("Run `a.py`:\n```sh\npython a.py\n```\n", None),
    "of a diff": ("And `a.py`:\n```diff\n-x\n+y\n```\n", None),
    "of nothing": ("And `a.py`:\n```\n```\n", None),
}


@pytest.mark.parametrize(("text", "line"), UNNAMED.values(), ids=UNNAMED)
def test_a_fence_whose_file_is_not_named_plainly(text: str, line: int | None) -> None:
    advice = "put the path alone on the line above"
    expected = [] if line is None else [(line, f"the fence at line {line} is not written; {advice}")]
    notes = [note for note in parse_response(text, ASKED).notes if note.code == "whole-file-beside"]
    assert [(note.line_number, note.message) for note in notes] == expected
    assert [note for note in parse_response(text).notes if note.code == "whole-file-beside"] == []


def test_several_fences_whose_files_are_not_named_plainly_are_one_note() -> None:
    [note] = parse_response(f"And `a.py`:\n{FENCE}\nAnd `b.py`:\n{FENCE}", ASKED).notes
    what = "the fence at line 2 is not written, nor is 1 other one"
    assert note.message == f"{what}; put the path alone on the line above"


UNASKED = {
    "nothing": ("a.py\n```\n```\n", [], []),
    "alone": (f"a.py\n{FENCE}", ["a.py: x\n"], []),
    "several": (f"a.py\n{FENCE}b.py\n{FENCE}", ["a.py: x\n", "b.py: x\n"], []),
    "no end": ("a.py\n```\nx\n", ["a.py: unclosed"], []),
    "nearly a marker in it": ("a.py\n```\n<<<<<<<SEARCH\n```\n", [], ["near-marker"]),
    "two paths": (f"a.py\n{FENCE.replace('python', 'py:src/b.py')}", [], []),
    "markup": ("a.md\n```\nx\n```\n", ["a.md: x\n"], []),
    "beside a block": (f"b.py\n{FENCE}\n{WITH_BLOCK}", ["a.py: y\n"], ["whole-file-beside"]),
    "beside half a block": (f"b.py\n{FENCE}\n>>>>>>> REPLACE\n", ["None: stray-marker"], ["whole-file-beside"]),
}


@pytest.mark.parametrize(("text", "expected", "notes"), UNASKED.values(), ids=UNASKED)
def test_the_rows_and_notes_of_a_text_whose_whole_files_are_not(
    text: str, expected: list[str], notes: list[str]
) -> None:
    parsed = parse_response(text)
    assert rows(parsed) == expected
    assert [note.code for note in parsed.notes if note.code != "no-fence"] == notes


def test_whole_files_that_nobody_asked_for_end_at_the_limit() -> None:
    shown = "".join(f"{name}.py\n{FENCE}" for name in "bcd")
    assert rows(parse_response(shown, most_rows=1)) == ["b.py: x\n", "None: too-large"]


def test_a_format_that_is_left_out_is_no_row_and_no_note() -> None:
    formats = [each for each in FORMATS if each is not WHOLE_FILE]
    assert parse_response(f"a.py\n{FENCE}", formats) == ParseResult()
    assert parse_response(f"b.py\n{FENCE}\n{WITH_BLOCK}", formats).notes == ()


def test_a_note_names_three_files() -> None:
    shown = "".join(f"{name}.py\n{FENCE}" for name in "bcdeb")
    [note] = parse_response(f"{shown}\n{WITH_BLOCK}").notes
    names = "b.py, c.py, d.py and 1 other file"
    assert (
        note.message == f"{names} are shown in full, but not written, because the answer has blocks; "
        "add --whole-files all to write full files"
    )
    assert note.line_number == 2


def test_a_file_that_one_part_shows_stands_beside_the_blocks_of_another() -> None:
    parts = [Part(1, f"b.py\n{FENCE}"), Part(2, WITH_BLOCK)]
    assert rows(parse_parts(parts)) == ["a.py: y\n"]
    assert rows(parse_parts(parts, ASKED)) == ["b.py: x\n", "a.py: y\n"]
    assert rows(parse_parts(parts[:1])) == ["b.py: x\n"]


def test_rows_that_nobody_asked_for_come_with_the_end() -> None:
    parser = StreamParser()
    events: list[Event] = [event for piece in f"a.py\n{FENCE}b.py\n{FENCE}" for event in parser.feed(piece)]
    parsed = parser.close()
    assert events == []
    first, second = parsed.blocks
    started = [BlockStarted(row.number, "whole-file", row.file_path, row.line_number) for row in parsed.blocks]
    assert parser.closing_events == (started[0], first, started[1], second)
