"""What the blocks of one file say of each other's places, asked one by one."""

from collections.abc import Sequence

import pytest
from support.hunkkit import hunk, numbered, scoped

from editblocks import EditBlock
from editblocks.applying.hunks import FileHunks
from editblocks.core.selection import Selection
from editblocks.text.source_text import SourceText

ALL = Selection(ready=True)


def hunks(blocks: Sequence[EditBlock], text: str, select: Selection = ALL) -> FileHunks:
    return FileHunks(blocks, lambda: SourceText.of(text), select, is_whole=True)


def section(*bodies: str) -> list[EditBlock]:
    return [hunk(body, number)._replace(section=1) for number, body in enumerate(bodies, 1)]


ROO = hunk("-a\n+b\n+c\n")._replace(format="roo", line_hint=3)
# the blocks, and what the last one says: its line before and after, whether the others agree, whether all stand
NUMBERS: dict[str, tuple[list[EditBlock], tuple[int, int, bool, bool]]] = {
    "a hunk in its place": ([numbered("-a\n+b\n", 2, 7)], (2, 7, True, True)),
    "a hunk elsewhere": ([numbered("-a\n+b\n", 3, 7)], (3, 7, True, True)),
    "no line afterwards": ([numbered("-a\n+b\n", 2, 7)._replace(line_after=None)], (2, 0, True, True)),
    "another one elsewhere": (
        [numbered("-c\n+d\n", 1, 1), numbered("-a\n+b\n", 2, 7, 2)],
        (2, 7, False, False),
    ),
    "another one nowhere": ([numbered("-z\n+d\n", 1, 1), numbered("-a\n+b\n", 2, 7, 2)], (2, 7, True, False)),
    "below lines that are added": ([ROO, ROO._replace(number=2, line_hint=5)], (5, 6, True, True)),
    "at no line": ([ROO._replace(line_hint=0)], (0, 0, True, True)),
}


@pytest.mark.parametrize(("blocks", "numbers"), NUMBERS.values(), ids=NUMBERS)
def test_the_line_numbers_of_a_hunk(blocks: list[EditBlock], numbers: tuple[int, int, bool, bool]) -> None:
    text = "1\na\nc\n"
    if blocks[0].format == "roo":
        text = "1\n2\na\n4\na\n"
    found = hunks(blocks, text).numbers(blocks[-1])
    assert found is not None
    assert (found.before, found.after, found.no_other_is_elsewhere(), found.others_are_in_place()) == numbers


def test_what_later_blocks_append() -> None:
    blocks = [
        scoped("+a\n", at_end=True, number=1),
        scoped("+b\n", number=2),
        scoped("-x\n+c\n", at_end=True, number=3),
        scoped("+d\n+e\n", at_end=True, number=4),
    ]
    known = hunks(blocks, "x\n")
    assert [known.tail(block) for block in blocks] == [["d", "e"], [], ["d", "e"], []]


SAME = [hunk("-x\n+y\n", number) for number in (1, 2)]
OTHER = [hunk("-p\n+q\n", number) for number in (3, 4)]
# the blocks, the text, the selection, and the line of each block
EQUAL: dict[str, tuple[list[EditBlock], str, Selection, list[int | None]]] = {
    "as many places": ([*SAME, *OTHER], "x\np\nx\np\n", ALL, [0, 2, 1, 3]),
    "chosen by their numbers": (SAME, "x\nx\n", Selection(numbers=frozenset({1, 2})), [0, 1]),
    "chosen by their file": (SAME, "x\nx\n", Selection(paths=frozenset({"a.py"})), [0, 1]),
    "one of them is chosen": (SAME, "x\nx\n", Selection(numbers=frozenset({1})), [None, None]),
    "for one a place is chosen": (
        SAME,
        "x\nx\n",
        Selection(numbers=frozenset({1, 2}), picks={1: 1}),
        [None, None],
    ),
    "more places": (SAME, "x\nx\nx\n", ALL, [None, None]),
    "places that overlap": ([hunk("-x\n-x\n+y\n", number) for number in (1, 2)], "t\nx\nx\nx\n", ALL, [None, None]),
    "places that touch": ([hunk("-x\n-x\n+y\n", number) for number in (1, 2)], "t\nx\nx\nx\nx\nx\n", ALL, [None, None]),
    "two lines each": ([hunk("-x\n-z\n+y\n", number) for number in (1, 2)], "t\nx\nz\nx\nz\n", ALL, [1, 3]),
}


@pytest.mark.parametrize(("blocks", "text", "select", "lines"), EQUAL.values(), ids=EQUAL)
def test_equal_blocks_for_equal_places(
    blocks: list[EditBlock], text: str, select: Selection, lines: list[int | None]
) -> None:
    known = hunks(blocks, text, select)
    assert [known.equal_line(block) for block in blocks] == lines
    is_free = lines[0] is not None or text.count("x") > 2
    assert [known.among_equals(block) for block in blocks[:2]] == ([(0, 2), (1, 2)] if is_free else [(0, 1), (0, 1)])


def begun(blocks: Sequence[EditBlock], text: str, applied: Sequence[int] = ()) -> FileHunks:
    known = hunks(blocks, text)
    known.begin(blocks[0], applied)
    return known


# the hunks of a section, the text, and the line of each
LINES: dict[str, tuple[list[EditBlock], str, list[int | None]]] = {
    "in order": (section("-a\n+b\n", "-x\n+y\n"), "a\nx\na\n", [0, 1]),
    "new lines below the old one": (section(" a\n+b\n", "-x\n+y\n"), "a\nb\nx\n", [0, 2]),
    "new lines above the old one": (section("+b\n a\n", "-x\n+y\n"), "b\na\nx\n", [1, 2]),
    "new lines elsewhere": (section("-a\n+b\n", "-x\n+y\n"), "b\na\nx\n", [None, 2]),
    "at the end": (
        [section("-x\n+y\n")[0], hunk("-a\n+b\n", 2)._replace(section=1, at_end=True)],
        "x\na\nz\na\n",
        [0, 3],
    ),
    "no order": (section("-a\n+b\n", "-x\n+y\n"), "a\nx\na\nx\n", [None, None]),
}


@pytest.mark.parametrize(("blocks", "text", "lines"), LINES.values(), ids=LINES)
def test_the_lines_of_a_section(blocks: list[EditBlock], text: str, lines: list[int | None]) -> None:
    known = begun(blocks, text)
    assert [known.section(block).line(block) for block in blocks] == lines


def test_a_section_says_nothing_in_a_file_that_others_changed() -> None:
    blocks = section("-a\n+b\n", "-x\n+y\n")
    for applied, line in (((), 0), ((1,), 0), ((1, 7), None)):
        known = begun(blocks, "a\nx\na\n", applied)
        assert known.section(blocks[0]).line(blocks[0]) == line


# the hunks of a section, the text, which of them is asked about, where it would begin, and where it is done
PLACED: dict[str, tuple[list[EditBlock], str, int, int, int | None]] = {
    "out of order": (section("-a\n+b\n", "-x\n+y\n"), "b\nx\na\n", 0, 2, 0),
    "in order": (section("-a\n+b\n", "-x\n+y\n"), "b\na\nx\n", 0, 1, None),
    "it reaches into the next": (section("-a\n-x\n+b\n", "-x\n+y\n"), "b\na\nx\n", 0, 1, 0),
    "an insertion right below the one before": (section("-a\n+b\n", "+n\n x\n"), "a\nx\nn\nx\n", 1, 1, None),
    "right above an insertion": (section("-a\n+b\n", "+n\n x\n"), "b\na\nx\n", 0, 1, None),
    "an insertion in lines that another one wrote": (
        section("-a\n+b\n+c\n", "+n\n c\n"),
        "b\nc\nn\nc\n",
        1,
        1,
        2,
    ),
}


@pytest.mark.parametrize(("blocks", "text", "which", "line", "done"), PLACED.values(), ids=PLACED)
def test_where_a_hunk_is_done(blocks: list[EditBlock], text: str, which: int, line: int, done: int | None) -> None:
    block = blocks[which]
    asked = begun(blocks, text).section(block)
    assert asked.applied_line(block, line, SourceText.of(text)) == done
    assert asked.applied_line(block, line, SourceText.of("z\n")) is None
