"""Patches of agents and unified diffs: which rows a text asks for, a line each (tests/data/patches)."""

import re

import pytest
from support.project import DATA

from editblocks import EditBlock, ParseResult, Problem, StreamParser, parse_response
from editblocks.formats.hunks import PatchText
from editblocks.formats.unified import Diff
from editblocks.formats.v4a import read_patch

_RECORD = re.compile(r"(?ms)^=== (.*?)\n(.*?)((?:^=> [^\n]*\n)+)")
# The name of a text, the text, and the rows and notes that come of it.
TEXTS = {
    f"{form}: {name}": (text, rows.removeprefix("=> ").removesuffix("\n").split("\n=> "))
    for form in ("v4a", "unified")
    for name, text, rows in _RECORD.findall((DATA / "patches" / f"{form}.txt").read_text(encoding="utf-8"))
}


def told(parsed: ParseResult) -> list[str]:
    """Each row with its lines, file, operation and facts, and its sections with `~` for line ends; then the notes."""
    rows: list[EditBlock | Problem] = sorted([*parsed.blocks, *parsed.problems], key=lambda row: row.number)
    return [*map(row_line, rows), *(f"{note.code}: {note.message}" for note in parsed.notes)] or ["nothing"]


def row_line(row: EditBlock | Problem) -> str:
    where = f"{row.line_number}-{row.end_line} {row.file_path}"
    notes = "".join(f" +{note.code}" for note in row.notes)
    if isinstance(row, Problem):
        return f"{where} {row.code.value}: {row.message}{notes}"
    facts = [f"{where} {row.operation}"]
    facts += [f"to {row.new_path}"] * bool(row.new_path)
    facts += [f"in {'/'.join(row.scopes)}".replace("\n", "~")] * bool(row.scopes)
    facts += [f"at {row.line_hint}>{row.line_after}"] * bool(row.line_hint)
    facts += ["end"] * row.at_end
    facts += [f"ends {row.ends[0] or '-'}/{row.ends[1] or '-'}"] * any(row.ends)
    for each in row.splits or [row] * (row.action != "rename"):
        sections = (each.anchor, each.old_lines, each.new_lines, each.trailing_anchor)
        facts.append("|".join(section.replace("\n", "~") for section in sections))
    return " ".join(facts) + notes


def test_there_are_texts_of_both_forms() -> None:
    assert len(TEXTS) > 90


@pytest.mark.parametrize(("text", "rows"), TEXTS.values(), ids=TEXTS)
def test_the_rows_of_a_text(text: str, rows: list[str]) -> None:
    assert told(parse_response(text)) == rows


@pytest.mark.parametrize("text", [text for text, _ in TEXTS.values()], ids=TEXTS)
def test_pieces_and_carriage_returns_change_nothing(text: str) -> None:
    parser = StreamParser()
    for start in range(0, len(text), 3):
        parser.feed(text[start : start + 3])
    assert parser.close() == parse_response(text)
    assert told(parse_response(text.replace("\n", "\r\n"))) == told(parse_response(text))


@pytest.mark.long
@pytest.mark.parametrize("text", [text for text, _ in TEXTS.values()], ids=TEXTS)
def test_every_beginning_of_a_text_can_be_read(text: str) -> None:
    for stop in range(len(text)):
        parsed = parse_response(text[:stop])
        numbers = sorted([*(row.number for row in parsed.blocks), *(row.number for row in parsed.problems)])
        assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("text", [text for text, _ in TEXTS.values()], ids=TEXTS)
def test_a_row_knows_its_lines(text: str) -> None:
    lines = text.splitlines(True)
    for row in parse_response(text).blocks:
        raw = "".join(lines[row.line_number - 1 : row.end_line])
        assert row.raw_block == raw


OPERATION = "expected `*** Add File`, `*** Update File` or `*** Delete File`"
# A form feed is no blank.
FORM_FEEDS = {
    "a line of a patch in a list": (
        "  *** Begin Patch\n  *** Update File: a.py\n  @@\n  -a\n\f\n  *** End Patch\n",
        ["3-5 a.py delete-lines |a~||\f~ +context-unmarked"],
    ),
    "a removed line that is like a scope": (
        "*** Begin Patch\n*** Update File: a.py\n@@\n a\n@@\n-a\f\n@@\n-b\n*** End Patch\n",
        ["5-6 a.py delete-lines in a |a\f~|| +context-as-scope", "7-8 a.py delete-lines in a |b~||"],
    ),
    "an operation": (
        "*** Begin Patch\n\f*** Delete File: a.py\n*** Delete File: b.py\f\n*** End Patch\n",
        [f"2-2 None malformed: {OPERATION} at line 2; leave that line out", "3-3 b.py\f delete-file |||"],
    ),
    "an operation alone": (
        "*** Delete File: a.py\f\n",
        ["1-1 a.py\f stray-marker: line 1 is outside a patch; put `*** Begin Patch` above it"],
    ),
    "a move": (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\f\n*** End Patch\n",
        ["3-3 a.py rename to b.py\f"],
    ),
    "a move to nothing else": (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to:\f\n*** End Patch\n",
        ["3-3 a.py rename to \f"],
    ),
    "a line of an update": (
        "*** Begin Patch\n*** Update File: a.py\n\f\n-b\n*** End Patch\n",
        ["3-4 a.py delete-lines \f~|b~|| +context-unmarked"],
    ),
    "a line of a new file": (
        "*** Begin Patch\n*** Add File: a.py\n+a\n\f\n*** End Patch\n",
        [f"2-4 a.py malformed: {OPERATION} at line 4; leave that line out"],
    ),
    "the end of a file": (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n*** End of File\f\n*** End Patch\n",
        [f"3-5 a.py malformed: {OPERATION} at line 5; leave that line out"],
    ),
    "the last line of a patch that is cut off": (
        "*** Begin Patch\n*** Delete File: a.py\n\f\n",
        [
            "2-2 a.py delete-file |||",
            "3-3 a.py unclosed: the patch at line 1 has no `*** End Patch`; probably cut off, ask for it again",
        ],
    ),
    "the end of a patch": (
        "```\n*** Begin Patch\n*** Delete File: a.py\n*** End Patch\f\n```\n",
        [
            "3-3 a.py delete-file |||",
            f"4-4 a.py malformed: {OPERATION} at line 4; leave that line out +patch-end-missing",
        ],
    ),
    "scopes": (
        "*** Begin Patch\n*** Update File: a.py\n@@ a\f\n@@ b\f @@\n-c\n*** End Patch\n",
        ["3-5 a.py delete-lines in a\f/b\f |c~||"],
    ),
    "names without a name": (
        "```diff\n--- a/a.py\n+++ b/a.py\n@@\n-a\n---\f\n+++\f\n@@\n-c\n```\n",
        ["4-7 a.py modify |a~--\f~|++\f~|", "8-9 a.py delete-lines |c~||"],
    ),
    "the signature of a mail": (
        "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +0,0 @@\n-a\n--\f\n2.0\n```\n",
        ["4-7 a.py delete-lines |a~-\f~||2.0~ +context-unmarked +hunk-recounted"],
    ),
    "a line behind right counts": (
        "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n\f\n```\n",
        ["4-7 a.py modify |a~|b~|\f~ +context-unmarked +hunk-recounted"],
    ),
    "a rename": (
        "```diff\ndiff --git a/x b/y\nrename from x\f\nrename to y\n```\n",
        ["3-3 x\f rename to y"],
    ),
    "the mode of a link": (
        "```diff\ndiff --git a/a.py b/a.py\nnew file mode 120000\f\n```\n",
        ["2-3 a.py create ||| +mode-ignored"],
    ),
    "a mode": (
        "```diff\ndiff --git a/a.py b/a.py\nnew file mode 100644\f\n```\n",
        ["2-3 a.py create ||| +mode-ignored"],
    ),
}


@pytest.mark.parametrize(("text", "rows"), FORM_FEEDS.values(), ids=FORM_FEEDS)
def test_a_form_feed_is_of_the_text(text: str, rows: list[str]) -> None:
    assert told(parse_response(text)) == rows


def test_reading_ends_with_one_row_too_many() -> None:
    deletes = ["*** Begin Patch", *(f"*** Delete File: {n}.py" for n in range(5)), "*** End Patch"]
    text = PatchText(deletes, 1, "", "v4a", most_rows=2)
    assert [row.file_path for row in read_patch(text, is_ended=True, by_fence=False)] == ["0.py", "1.py", "2.py"]
    hunks = ["--- a/a.py", "+++ b/a.py", *(line for n in range(1, 6) for line in (f"@@ -{n} +{n} @@", "-a", "+b"))]
    diff = Diff(PatchText(hunks, 1, "", "unified", most_rows=2), None, is_cut=False)
    assert [row.line_number for row in diff.read()] == [3, 6, 9]


def test_a_quoted_name_without_its_end_is_refused() -> None:
    [problem] = parse_response('```diff\n--- "a/x.py\n+++ "b/x.py\n@@ -1 +1 @@\n-a\n+b\n```\n').problems
    assert "has a bad escape" in problem.message
