"""What looks like a marker or a patch, and is none: the notes."""

import re

import pytest
from support.formatcases import NAMELESS
from support.responses import block

from editblocks import parse_response
from editblocks.parsing.parse import StreamParser

ONE_DIFF, DIFFS = "begins a diff that is not read, because it ", "diffs that are not read, because it "
NO_FILE = "names no file; write `--- a/path` and `+++ b/path` above it"
NO_HUNK = "has no `@@`; write one above each change"
ALTERED = "has an altered `@@` line; begin it with `@@`, indented like the names"
BELOW = "follows other lines in its fence; put it in a fence of its own"
SAID = {
    "a branch": ("<<<<<<< HEAD\n", None),
    "NEW FILE": ("<<<<<<< NEW FILE\n", "line 1 is not a marker; write `<<<<<<< NEW_FILE`"),
    "NEWFILE": ("<<<<<<< NEWFILE\n", "line 1 is not a marker; write `<<<<<<< NEW_FILE`"),
    "bold": ("**<<<<<<< SEARCH**\n", "line 1 is not a marker; write `<<<<<<< SEARCH`"),
    "thirteen signs": ("<" * 13 + " SEARCH\n", "line 1 is not a marker; write `<<<<<<< SEARCH`"),
    "a space that breaks no line": (
        "<<<<<<<\u00a0SEARCH\n",
        "line 1 is not a marker, because it holds U+00A0; write `<<<<<<< SEARCH`",
    ),
    "a character that nobody sees": (
        "<<<<<<< SEARCH\u200b\n",
        "line 1 is not a marker, because it holds U+200B; write `<<<<<<< SEARCH`",
    ),
    "without a space, which looks like a tag": (
        "<<<<<<<EDIT\n=======\n",
        "line 1 is not a marker; write `<<<<<<< EDIT`",
    ),
    "without a space, before a block": (
        "<<<<<<<EDIT\n\n" + block("x\n", "y\n"),
        "line 1 is not a marker; write `<<<<<<< EDIT`",
    ),
    "glued to a fence": (
        "```py<<<<<<< SEARCH\nx\n```\n",
        "line 1 is not a marker, because ```py comes before it; paste the lines without that",
    ),
    "in inline code": ("write `<<<<<<< SEARCH` first\n", None),
    "guillemets": ("«« edit\n", "line 1 is not a marker; write `««« EDIT`"),
    "a closer": (">>>>>>>REPLACE\n", "line 1 closes nothing; a closer is `>>>>>>> REPLACE`, alone on its line"),
    "a closer with one": (
        ">>>>>>> REPLACE\ufeff\n",
        "line 1 closes nothing, because it holds U+FEFF; a closer is `>>>>>>> REPLACE`, alone on its line",
    ),
    "four dashes": ("---- SEARCH\n", "line 1 is not a marker; write `------- SEARCH`"),
    "ten dashes": ("---------- SEARCH\n", "line 1 is not a marker; write `------- SEARCH`"),
    "dashes without a space": ("-------SEARCH\n", "line 1 is not a marker; write `------- SEARCH`"),
    "dashes and small letters": ("------- search\n", "line 1 is not a marker; write `------- SEARCH`"),
    "dashes and a path": ("------- SEARCH a.py\n", "line 1 is not a marker; write `------- SEARCH`"),
    "bold dashes": ("**------- SEARCH**\n", "line 1 is not a marker; write `------- SEARCH`"),
    "dashes behind a role": (
        "assistant: ------- SEARCH\n",
        "line 1 is not a marker, because `assistant:` comes before it; paste the lines without that",
    ),
    "three pluses": ("+++ REPLACE\n", "line 1 closes nothing; a closer is `+++++++ REPLACE`, alone on its line"),
    "pluses without a space": (
        "+++++++REPLACE\n",
        "line 1 closes nothing; a closer is `+++++++ REPLACE`, alone on its line",
    ),
    "a comment of SQL": ("-- Search\n", None),
    "an option": ("--search\n", None),
    "two strings that are joined": ("  ++ replace x y\n", None),
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
        "line 1 is not a marker, because `-` comes before it; paste the lines without that",
    ),
    "stars without a space": ("***Begin Patch\n", "line 1 is not a marker; write `*** Begin Patch`"),
    "four stars": ("**** Begin Patch\n", "line 1 is not a marker; write `*** Begin Patch`"),
    "stars behind a space that breaks no line": (
        "\u00a0*** Begin Patch\n",
        "line 1 is not a marker, because `U+00A0` comes before it; paste the lines without that",
    ),
    "the beginning of a patch in the middle of a line": ("It is `*** Begin Patch` first\n", None),
    "a heading about a patch": ("**Begin Patch**\n", None),
    "a patch": (
        "--- a/x\n\n@@ -1 +1 @@\n",
        f"line 3 {ONE_DIFF}{NO_FILE}",
    ),
    "lines with signs below a path": (
        "a.py\n```diff\n-x\n+y\n```\n",
        f"line 2 {ONE_DIFF}{NO_HUNK}",
    ),
    "lines with signs below a sentence": ("So:\n```diff\n-x\n+y\n```\n", None),
    "a patch beside a block": (block("x\n", "y\n") + "@@ -1 +1 @@\n", f"line 7 {ONE_DIFF}{NO_FILE}"),
}


@pytest.mark.parametrize(("text", "message"), SAID.values(), ids=SAID)
def test_what_is_nearly_a_marker_is_said(text: str, message: str | None) -> None:
    assert [note.message for note in parse_response(text).notes] == ([message] if message else [])


X = block("x\n", "y\n") + "\n"  # seven lines
HEADERS = "--- a/x.py\n+++ b/x.py\n"
HUNK = "@@ -1 +1 @@\n-x\n+y\n"
RENAME = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
BESIDE: dict[str, tuple[str, list[str]]] = {
    "a hunk in its fence": (f"{X}```diff\n{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "above the block": (f"```diff\n{HUNK}```\n{X}", [f"line 2 {ONE_DIFF}{NO_FILE}"]),
    "a hunk with words, in tildes": (f"{X}~~~ Patch x\n@@ … @@\n-x\n~~~\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "a fence that never ends": (f"{X}```diff\n{HUNK}", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "in the fence of a block": (f"```diff\n{X}{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "in a fence around blocks": (f"````md\n{X}```diff\n{HUNK}```\n````\n", [f"line 10 {ONE_DIFF}{NO_FILE}"]),
    "four": (f"{X}" + f"```diff\n{HUNK}```\n" * 4, [f"line 9 begins the first of 4 {DIFFS}{NO_FILE}"]),
    "five": (f"{X}" + f"```diff\n{HUNK}```\n" * 5, [f"line 9 begins the first of 5 {DIFFS}{NO_FILE}"]),
    "beside what cannot be read": (f"{NAMELESS}```diff\n{HUNK}```\n", [f"line 7 {ONE_DIFF}{NO_FILE}"]),
    "an illustration": (f"{X}```diff\n-x\n+y\n```\n", []),
    "headers apart": (f"{X}```diff\n--- a\n x\n+++ b\n```\n", []),
    "names without a hunk in prose": (f"{X}{HEADERS}-x\n+y\n", [f"line 8 {ONE_DIFF}{NO_HUNK}"]),
    "one at sign": (f"{X}{HEADERS}@ -1 +1 @\n-x\n+y\n", [f"line 8 {ONE_DIFF}{ALTERED}"]),
    "bold at signs": (f"{X}{HEADERS}**@@ -1 +1 @@**\n-x\n+y\n", [f"line 8 {ONE_DIFF}{ALTERED}"]),
    "at signs in code": (f"{X}{HEADERS}`@@ -1 +1 @@`\n-x\n+y\n", [f"line 8 {ONE_DIFF}{ALTERED}"]),
    "quoted at signs": (f"{X}{HEADERS}> @@ -1 +1 @@\n-x\n+y\n", [f"line 8 {ONE_DIFF}{ALTERED}"]),
    "indented at signs": (f"{X}{HEADERS} {HUNK}", [f"line 8 {ONE_DIFF}{ALTERED}"]),
    "indented names": (f"{X} --- a/x.py\n +++ b/x.py\n{HUNK}", [f"line 8 {ONE_DIFF}{ALTERED}"]),
    "names above a list": (f"{X}{HEADERS}* one\n* two\n", []),
    "words above indented signs": (f"{X}--- before\n+++ after\n {HUNK}", [f"line 10 {ONE_DIFF}{NO_FILE}"]),
    "words above altered signs": (f"{X}--- before\n+++ after\n@ -1 +1 @\n", []),
    "in a fence of text": (f"{X}```text\n{HEADERS}-x\n```\n", [f"line 9 {ONE_DIFF}{NO_HUNK}"]),
    "words above signs": (f"{X}--- before\n+++ after\n-x\n", []),
    "a hunk in prose": (f"{X}@@ -1 +1 @@\n", [f"line 8 {ONE_DIFF}{NO_FILE}"]),
    "a hunk on top": (f"@@ -1 +1 @@\n{X}", [f"line 1 {ONE_DIFF}{NO_FILE}"]),
    "in code about diffs": (f"{X}```python\nx = 1\n{HEADERS}{HUNK}```\n", [f"line 10 {ONE_DIFF}{BELOW}"]),
    "a hunk alone in a fence of text": (f"{X}```text\n{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "a hunk on top of a fence without a word": (f"{X}```\n\n{HUNK}```\n", [f"line 10 {ONE_DIFF}{NO_FILE}"]),
    "one further down": (f"{X}```\nx\n{HUNK}```\n", [f"line 10 {ONE_DIFF}{NO_FILE}"]),
    "a diff of git": (f"{X}```git-diff\n{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "a diff in braces": (f"{X}```{{.diff .numberLines}}\n{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "an illustration in braces": (f"{X}```{{.diff}}\n-x\n+y\n```\n", []),
    "a word that begins like one": (f"{X}```diffusion\n{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "a rename in the block": (block(f"{RENAME}x\n", "y\n"), []),
    "a rename in prose": (f"{X}rename from a\nrename to b\n", []),
    "a rename in code": (f"{X}```python\nx = 1\n{RENAME}```\n", [f"line 10 {ONE_DIFF}{BELOW}"]),
    "two in code": (f"{X}```python\nx = 1\n{RENAME}{HEADERS}{HUNK}```\n", [f"line 10 {ONE_DIFF}{BELOW}"]),
    "two hunks in one fence": (f"{X}```diff\n{HUNK}{HUNK}```\n", [f"line 9 {ONE_DIFF}{NO_FILE}"]),
    "a listing about signs": (f"{X}````md\na.py\n```diff\n-x\n+y\n```\n````\n", []),
    "a listing about diffs": (f"{X}````md\n```diff\n{HUNK}```\n````\n", []),
    "quoted": (f"{X}> ```diff\n> @@ -1 +1 @@\n> ```\n", []),
    "in a thought": (f"{X}<think>\n```diff\n{HUNK}```\n</think>\n", []),
    "in the block": (block(f"```diff\n{HEADERS}{HUNK}```\n", "y\n"), []),
    "in the block, in a fence": (f"```diff\n{block(HEADERS + HUNK, HEADERS)}```\n", []),
    "a block in a suggestion": (f"```suggestion\n{X}```\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "messages"), BESIDE.values(), ids=BESIDE)
def test_a_patch_beside_a_block_that_only_shows_something_is_said(text: str, messages: list[str]) -> None:
    parsed = parse_response(text)
    notes = [note for note in parsed.notes if note.code != "fence-unclosed"]
    assert [note.message for note in notes] == messages
    assert {note.code for note in notes} <= {"unread-patch", "near-marker"}
    assert [note.line_number for note in notes] == [int(re.findall("[0-9]+", each)[0]) for each in messages]
    assert "unified" not in {*(row.format for row in parsed.blocks), *(row.format for row in parsed.problems)}


def test_what_is_nearly_a_marker_is_said_a_hundred_times() -> None:
    notes = parse_response("<<<<<<< search\n" * 102 + X + "```a\n" * 103).notes
    assert [note.code for note in notes] == ["near-marker"] * 101 + ["fence-unclosed"] * 101
    assert notes[100].message == "2 more lines are not markers; the first is line 101"
    assert notes[-1].message == "2 more fences were not closed, the first of them opened at line 210"


def test_a_closed_parser_takes_no_more() -> None:
    parser = StreamParser()
    parser.close()
    with pytest.raises(ValueError, match="closed"):
        parser.feed("x")
