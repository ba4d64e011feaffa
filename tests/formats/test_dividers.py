"""How a block is parted: its readings, what is noted of its markers, or why there is no reading."""

import pytest

from editblocks import EditBlock, Problem, parse_response
from editblocks.core.blocks import Split

ONCE_MORE = "send it with 8-character markers"
ALL_THREE = "write all three, even if a part is empty"
UNMARKED = "line 7 does not begin with a space, + or -, so it was read as context"
ORDER = "expected ------- ======= ------- in this order"


def told(row: EditBlock | Problem) -> list[str]:
    """Each reading: the lines of its dividers, its sections and its notes; then the notes of the block."""
    if isinstance(row, Problem):
        return [f"{row.code.value}: {row.message}"]
    readings = [reading(split) for split in row.splits]
    if not readings:
        readings = ["|".join(sections(row))]
    return [*readings, *(f"{note.code} {note.line_number}: {note.message}" for note in row.notes)]


def reading(split: Split) -> str:
    notes = [f"{note.code}: {note.message}" for note in split.notes]
    lines = ",".join(map(str, split.divider_lines))
    return " ".join([lines, "|".join(sections(split)), *["doubtful"] * split.is_doubtful, *notes])


def sections(text: EditBlock | Split) -> list[str]:
    return [each.replace("\n", "~") for each in (text.anchor, text.old_lines, text.new_lines, text.trailing_anchor)]


def lines(*inside: str, path: str = "a.py", opener: str = "<<<<<<< SEARCH", closer: str = ">>>>>>> REPLACE") -> str:
    return "".join(f"{line}\n" for line in (path, opener, *inside, closer))


def edit(*inside: str, path: str = "a.py") -> str:
    return lines(*inside, path=path, opener="<<<<<<< EDIT", closer=">>>>>>>")


D, R, M = "=======", "-------", "═══════ REPL"
READ = {
    "one divider": (lines("a", D, "b"), ["|a~|b~|"]),
    "two": (lines("a", D, "b", D, "c"), ["4 |a~|b~=======~c~| doubtful", "6 |a~=======~b~|c~|"]),
    "three": (
        lines("a", D, "b", D, "c", D, "d"),
        [
            "4 |a~|b~=======~c~=======~d~| doubtful",
            "6 |a~=======~b~|c~=======~d~|",
            "8 |a~=======~b~=======~c~|d~|",
        ],
    ),
    "three, two of them together": (
        lines("a", D, "b", D, D, "c"),
        [
            "4 |a~|b~=======~=======~c~| doubtful",
            "6 |a~=======~b~|=======~c~| doubtful",
            "7 |a~=======~b~=======~|c~|",
        ],
    ),
    "three in a document": (
        lines("a", D, "b", D, "c", D, "d", path="a.md"),
        [
            "4 |a~|b~=======~c~=======~d~|",
            "6 |a~=======~b~|c~=======~d~|",
            "8 |a~=======~b~=======~c~|d~|",
        ],
    ),
    "two together in a document": (
        lines("a", D, D, "b", path="a.md"),
        ["4 |a~|=======~b~| doubtful", "5 |a~=======~|b~|"],
    ),
    "the last one repeats the divider": (
        lines("a", D, "b", D),
        [
            "4 |a~|b~| stray-divider-dropped: line 6 repeats the divider; it was left out",
            "6 |a~=======~b~||",
        ],
    ),
    "the last one repeats one of two": (
        lines("a", D, "b", D, "c", D),
        [
            f"malformed: line 8 may be text of a.py or a second divider (the first is line 6); {ONCE_MORE}",
        ],
    ),
    "the last one underlines": (
        lines("a", D, "b", D, path="a.md"),
        [
            f"malformed: line 6 may be text of a.md or a second divider (the first is line 4); {ONCE_MORE}",
        ],
    ),
    "sixteen": (
        lines(*[D] * 15, "b", D, "c"),
        [
            *(f"{n} |{'=======~' * (n - 3)}|{'=======~' * (17 - n)}b~=======~c~| doubtful" for n in range(3, 17)),
            f"17 |{'=======~' * 14}|b~=======~c~|",
            f"19 |{'=======~' * 15}b~|c~|",
        ],
    ),
    "seventeen": (lines(*[D] * 16, "b", D, "c"), [f"malformed: 17 lines look like its divider; {ONCE_MORE}"]),
    "a header of Roo in the new text": (
        lines("a", D, ":start_line:3 ", "b"),
        ["malformed: line 5, `:start_line:3`, belongs below `<<<<<<< SEARCH`; leave it out of the new text"],
    ),
    "one in the second reading": (
        lines("a", D, "b", D, ":end_line:3", "c"),
        ["malformed: line 7, `:end_line:3`, belongs below `<<<<<<< SEARCH`; leave it out of the new text"],
    ),
    "one that was there": (
        lines("a", ":end_line:3", D, ":end_line:3", "b"),
        ["|a~:end_line:3~|:end_line:3~b~|"],
    ),
    "one that was the first line": (lines(":end_line:3", "a", D, ":end_line:3"), ["|:end_line:3~a~|:end_line:3~|"]),
    "one further down": (lines("a", D, "b", ":start_line:3"), ["|a~|b~:start_line:3~|"]),
    "old words and other lengths": (
        lines("a", "======", "b", opener="<<<<< ORIGINAL", closer=">>>>>>>> UPDATED"),
        [
            "|a~|b~|",
            "marker-variant 2: line 2: `ORIGINAL` was read as SEARCH",
            "marker-variant 4: line 4 has 6 characters, the block's first line has 5",
            "marker-variant 6: line 6: `UPDATED` was read as REPLACE",
        ],
    ),
    "the closer of cline": (
        lines("a", "=====", "b", opener="<<<<< SEARCH", closer="+++++ REPLACE"),
        ["|a~|b~|", "marker-variant 6: line 6: `+++++ REPLACE` was read as `>>>>> REPLACE`"],
    ),
    "the closer of diff": (
        lines("a", D, "b", opener="------- SEARCH>"),
        [
            "|a~|b~|",
            "marker-variant 2: line 2: `SEARCH>` was read as SEARCH",
            "marker-variant 6: line 6: `>>>>>>> REPLACE` was read as `+++++++ REPLACE`",
        ],
    ),
    "a divider of another length below the first": (
        lines("a", D, "b", "=====", "c", closer=">>>>>>>> REPLACE"),
        ["|a~|b~=====~c~|", "marker-variant 8: line 8 has 8 characters, the block's first line has 7"],
    ),
    "anchors": (edit("p", R, "a", D, "b", R, "q"), ["p~|a~|b~|q~"]),
    "anchors of other lengths": (
        edit("p", R, "a", D, "b", R, "q").replace(">>>>>>>", ">>>>>"),
        ["p~|a~|b~|q~", "marker-variant 10: line 10 has 5 characters, the block's first line has 7"],
    ),
    "rules and divider of another length": (
        edit("p", "------", "a", "======", "b", "------", "q"),
        ["p~|a~|b~|q~", "marker-variant 4: line 4 has 6 characters, the block's first line has 7"],
    ),
    "a rule in the new text or in the anchor": (
        edit("p", R, "a", D, "b", R, "q", R),
        ["4,6,8 p~|a~|b~|q~-------~", "4,6,10 p~|a~|b~-------~q~| doubtful"],
    ),
    "a rule in the old text": (
        edit(R, "a", R, "c", D, "b", R),
        ["3,7,9 |a~-------~c~|b~|", "5,7,9 -------~a~|c~|b~|"],
    ),
    "a rule in a document": (
        edit("p", R, "a", D, "b", R, "q", R, path="a.md"),
        ["4,6,8 p~|a~|b~|q~-------~", "4,6,10 p~|a~|b~-------~q~|"],
    ),
    "the last rule twice": (
        edit(R, "a", D, "b", R, R),
        ["|a~|b~|", "stray-divider-dropped None: line 8 repeats the divider; it was left out"],
    ),
    "the last of four rules twice": (
        edit(R, "a", D, "b", R, "c", R, R),
        [f"malformed: line 10 may be text of a.py or a second divider (the first is line 9); {ONCE_MORE}"],
    ),
    "two rules and no divider between them": (
        edit(D, R, R, path="a.md"),
        [f"malformed: {ORDER}, found ======= ------- ------- at lines 3, 4, 5; {ALL_THREE}"],
    ),
    "a hunk in which two lines have no sign": (
        "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n-a\n+b\nc\n d\ne\n```\n",
        [
            f" |a~|b~|c~d~e~ context-unmarked: {UNMARKED}",
            f" |a~|b~|c~ d~e~ context-unmarked: {UNMARKED}",
            "hunk-recounted 4: the counts in the @@ header at line 4 are wrong; the lines of the hunk were used",
        ],
    ),
    "two texts between guillemets": (
        lines("p", "a", M, "p", "b", opener="««« EDIT", closer="»»» EDIT END"),
        ["p~|a~|b~|"],
    ),
    "one of them is the beginning of the other": (
        lines("p", M, "p", "b", opener="««« EDIT", closer="»»» EDIT END"),
        ["p~||b~|"],
    ),
    "three texts between guillemets": (
        lines("a", M, "b", M, "c", opener="««« EDIT", closer="»»» EDIT END"),
        [f"malformed: expected one {M}, found 2 at lines 4, 6; send each change as a block of its own"],
    ),
}


@pytest.mark.parametrize(("text", "readings"), READ.values(), ids=READ)
def test_the_readings_of_a_block(text: str, readings: list[str]) -> None:
    parsed = parse_response(text)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    assert list(map(told, rows)) == [readings]
