"""What is known of places besides the lines of a block: other blocks, other versions, other files."""

from collections.abc import Iterable, Mapping

import pytest
from support.file_blocks import delete, edit
from support.hunkkit import hunk

from editblocks.applying.evidence import Evidence
from editblocks.applying.files import FilePlan, Read
from editblocks.applying.mismatches import PlaceResult
from editblocks.applying.plans import FilePlans
from editblocks.applying.tool_calls import AppliedState
from editblocks.core.blocks import EditBlock, ParseResult, Problem, RangeEdit, TextRange, ThreadLines
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Hint, Mismatch
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.matching.ladder import Placement
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.text.source_text import SourceText

NEW, OLD, OLDER = "1" * 40, "2" * 40, "3" * 40
ALL = Selection(ready=True)


def insertion(old: str, new: str) -> EditBlock:
    return edit("a.py", f"{old}\n", f"{old}\n{new}\n")._replace(format="search-replace")


def on_line(line: int, new: str, commit: str = OLD) -> EditBlock:
    """A suggestion in a thread."""
    block = EditBlock(1, "a.py", "suggestion", 1, 3, new_lines=new, action="edit")
    return block._replace(thread_lines=ThreadLines(line, line, commit))


def fix(column: int, new: str) -> EditBlock:
    """A fix that replaces one character of the first line."""
    edits = (RangeEdit(TextRange(1, column, 1, column + 1), new),)
    return EditBlock(1, "a.py", "rdjson", 1, 1, action="edit", range_edits=edits)


class Known:
    """Some blocks, numbered, what is known of their places, and the file a.py; `problems` are in these files."""

    def __init__(
        self,
        blocks: Iterable[EditBlock],
        files: Mapping[str, str],
        base: str | None = None,
        written: Mapping[int, str] | None = None,
        *,
        select: Selection = ALL,
        matching: str = "standard",
        problems: Iterable[str] = (),
    ) -> None:
        self._settings = Settings(matching=matching)
        self.blocks = tuple(block._replace(number=number) for number, block in enumerate(blocks, 1))
        earlier = {OLD: {"a.py": b"x\ny\n"}, OLDER: {"a.py": b"y\nx\n", "b.py": b"z\n"}}
        self.tree = MemoryRepo({path: text.encode() for path, text in files.items()}, head=NEW, earlier=earlier)
        self._problems = tuple(Problem(9, 1, 1, ReasonCode.NO_PATH, "", file_path=path) for path in problems)
        self._start(self.tree, base, select, written or {})

    def _start(self, tree: MemoryRepo | Read, base: str | None, select: Selection, written: Mapping[int, str]) -> None:
        parsed = ParseResult(self.blocks, self._problems, base=base)
        plans = FilePlans(tree, self._settings, parsed.by_file)
        self.evidence = Evidence(parsed, plans, tree, select, written)
        self.file: FilePlan = plans["a.py"]

    def of_bytes_only(self) -> "Known":
        """The same in a tree of which nothing is known but bytes."""
        self._start(self.tree.read, None, ALL, {})
        return self

    def place(self, number: int = 1, refused: Iterable[str] = ()) -> PlaceResult:
        names = set(refused)
        return self.evidence.place(self.blocks[number - 1], self.file, lambda block: block.file_path in names)


def what(outcome: PlaceResult) -> tuple[ReasonCode, str, str]:
    assert isinstance(outcome, Mismatch)
    return outcome.code, outcome.what, outcome.advice


TWO = (insertion("a", "x"), insertion("a", "y"))
# which blocks an apply wrote, which are chosen, and whether the others are in a file that has both
DONE = [
    ({}, ALL, AppliedState.YES),
    ({1: "day-1"}, ALL, AppliedState.NO),
    ({}, Selection(numbers=frozenset({1})), AppliedState.NO),
    ({}, Selection(numbers=frozenset({1, 2})), AppliedState.YES),
    ({}, Selection(paths=frozenset({"a.py"})), AppliedState.YES),
]


@pytest.mark.parametrize(("written", "select", "done"), DONE)
def test_blocks_that_are_done(written: dict[int, str], select: Selection, done: AppliedState) -> None:
    known = Known(TWO, {"a.py": "a\ny\nx\n"}, select=select, written=written)
    assert known.evidence.applied_state(known.blocks[1], known.file) is done


def test_nothing_is_done_in_a_file_that_is_not_there() -> None:
    known = Known(TWO, {})
    assert known.evidence.applied_state(known.blocks[0], known.file) is AppliedState.NO


# the file on the branch, and where the second insertion is in it after the first one, if it is there
PARTED: dict[str, tuple[str, int | None]] = {
    "parted by the first": ("a\nx\nb\n", 1),
    "not there": ("a\nb\n", None),
    "below another line": ("a\nb\nx\n", None),
    "twice": ("a\nx\nb\na\nx\n", None),
}


@pytest.mark.parametrize(("text", "line"), PARTED.values(), ids=PARTED)
def test_an_insertion_that_the_branch_has(text: str, line: int | None) -> None:
    known = Known([insertion("a", "n"), insertion("a", "x")], {"a.py": f"top\n{text}"})
    assert known.file.splice(2, 2, ("n",))
    outcome = known.place(2)
    is_there = isinstance(outcome, Mismatch) and outcome.code is ReasonCode.ALREADY_APPLIED
    assert is_there is (line is not None)
    if isinstance(outcome, Mismatch) and is_there:
        assert outcome.found_at == line


def test_an_insertion_whose_lines_another_block_took_away_is_made() -> None:
    known = Known([insertion("a", "n"), insertion("a", "x")], {"a.py": "a\nx\nb\n"})
    assert known.file.splice(1, 2, ("n", "m"))
    assert isinstance(known.place(2), Placement)


@pytest.mark.parametrize(("problems", "place"), [((), Placement), (("a.py",), Mismatch), (("b.py",), Placement)])
def test_the_order_of_hunks_decides_if_all_of_the_file_were_read(problems: tuple[str, ...], place: type) -> None:
    blocks = [hunk("-p\n+q\n")._replace(section=1), hunk("-x\n+y\n")._replace(section=1)]
    known = Known(blocks, {"a.py": "x\np\nx\n"}, problems=problems)
    assert isinstance(known.place(2), place)


def test_an_insertion_below_a_line_that_an_earlier_block_added_is_made() -> None:
    known = Known([insertion("a", "n"), insertion("n", "x")], {"a.py": "a\nb\n"})
    assert known.file.splice(1, 1, ("n",))
    outcome = known.place(2)
    assert isinstance(outcome, Placement)
    assert outcome.start == 1


def test_each_of_equal_insertions_that_the_branch_has() -> None:
    blocks = [insertion("a", "n"), insertion("a", "n"), insertion("a", "x"), insertion("a", "x")]
    known = Known(blocks, {"a.py": "a\nx\na\nx\n"})
    assert known.file.splice(1, 1, ("n",))
    assert known.file.splice(4, 4, ("n",))
    outcomes = [known.place(3), known.place(4)]
    assert [isinstance(each, Mismatch) and (each.code, each.found_at) for each in outcomes] == [
        (ReasonCode.ALREADY_APPLIED, 0),
        (ReasonCode.ALREADY_APPLIED, 3),
    ]


@pytest.mark.parametrize(
    ("matching", "code"), [("standard", ReasonCode.ALREADY_APPLIED), ("exact", ReasonCode.NO_MATCH)]
)
def test_an_insertion_that_the_branch_has_with_other_blanks(matching: str, code: ReasonCode) -> None:
    known = Known([insertion("a", "n"), insertion("a", "x")], {"a.py": "a \nx\nb\n"}, matching=matching)
    assert known.file.splice(1, 1, ("n",))
    outcome = known.place(2)
    assert isinstance(outcome, Mismatch)
    assert outcome.code is code


def test_other_blocks_are_not_looked_for_on_the_branch() -> None:
    lines = ["the first of three long lines", "the second of three long lines", "the third of three long lines"]
    text = "".join(f"{line}\n" for line in lines)
    known = Known([insertion(lines[0], "n"), edit("a.py", "old\n", text)], {"a.py": text})
    assert known.place(2) == Mismatch(ReasonCode.ALREADY_APPLIED, "the new lines are already at a.py:1", found_at=0)
    assert known.file.splice(1, 1, ("n",))
    outcome = known.place(2)
    assert isinstance(outcome, Mismatch)
    assert outcome.code is ReasonCode.NO_MATCH


def test_no_insertion_is_looked_for_on_the_branch() -> None:
    known = Known([insertion("a", "n"), edit("a.py", "a\n", "x\n")], {"a.py": "a\nb\n"})
    assert known.file.splice(1, 1, ("n",))
    assert isinstance(known.place(2), Placement)


OTHER = edit("b.py", "c\n", "d\n")
LOST = edit("a.py", "one line\nand another\n", "x\n")
THERE = "one line\nand another\n"


@pytest.mark.parametrize(("refused", "kinds"), [((), ["elsewhere"]), (("b.py",), [])])
def test_other_files_of_the_answer_are_looked_at(refused: tuple[str, ...], kinds: list[str]) -> None:
    outcome = Known([LOST, OTHER], {"a.py": "a\n", "b.py": THERE}).place(refused=refused)
    assert isinstance(outcome, Mismatch)
    assert [hint.kind for hint in outcome.hints] == kinds
    assert outcome.hints[:1] in ((), (Hint("elsewhere", (1, 2), path="b.py"),))


# how many lines may still be looked at, which files are, and how many are left then
LOOKED_AT = [
    (1000, ["b.py", "empty", "d.py"], 1000 - 110 - 100 - 105),
    (314, ["b.py", "empty"], 104),
    (110, ["b.py"], 0),
    (109, ["empty"], 9),
    (100, ["empty"], 0),
    (99, [], 99),
]


@pytest.mark.parametrize(("left", "paths", "left_then"), LOOKED_AT)
def test_how_many_other_files_are_looked_at(left: int, paths: list[str], left_then: int) -> None:
    files = {"a.py": "a\n" * 50, "b.py": "b\n" * 10, "empty": "", "d.py": "d\n" * 5, "refused": "e\n"}
    names = ["a.py", "refused", "b.py", "nowhere", "empty", "d.py"]
    known = Known([edit(path, "old\n", "new\n") for path in names], files)
    evidence = known.evidence
    evidence._others_left = left
    options = evidence._options(known.blocks[0], known.file, lambda block: block.file_path == "refused")
    assert [path for path, _ in options.other_files()] == paths
    assert evidence._others_left == left_then


NOT_IN_THE_BASE = edit("a.py", "b\n", "c\n")


@pytest.mark.parametrize(
    ("block", "is_followed"),
    [(NOT_IN_THE_BASE, True), (delete("a.py"), False), (on_line(1, "c\n"), False), (fix(1, "c"), False)],
)
def test_which_blocks_the_base_follows(block: EditBlock, is_followed: bool) -> None:
    known = Known([block], {"a.py": "b\n"}, base=OLD)
    base = known.evidence.base
    assert base is not None
    known.evidence.note_applied(known.blocks[0], is_old=True)
    assert base.text("a.py") is not None
    known.evidence.note_applied(known.blocks[0])
    assert (base.text("a.py") is None) is is_followed


# the section of a block, its lines, where they are, and which lines of three its section then added
FOUND: dict[str, tuple[int, tuple[str, str], int, bytes]] = {
    "no section": (0, ("a\n", "a\nx\n"), 0, b""),
    "an insertion": (2, ("a\n", "a\nx\n"), 0, b"\0\1\0"),
    "one line further down": (2, ("a\n", "x\na\ny\n"), 0, b"\1\0\1"),
    "down to the last line": (2, ("a\n", "a\nx\n"), 1, b"\0\0\1"),
    "beyond the last line": (2, ("a\n", "a\nx\n"), 2, b"\0\0\0"),
}


@pytest.mark.parametrize(("section", "lines", "line", "added"), FOUND.values(), ids=FOUND)
def test_lines_that_are_found_count_as_added(section: int, lines: tuple[str, str], line: int, added: bytes) -> None:
    text = SourceText.of("1\n2\n3\n")
    Evidence.note_found(edit("a.py", *lines)._replace(section=section), text, line)
    assert bytes(text.added) == added


def test_suggestions_on_lines_of_two_commits() -> None:
    known = Known([on_line(1, "z\n"), on_line(1, "z\n", OLDER), on_line(1, "z\n", "4" * 40)], {"a.py": "x\ny\n"})
    assert known.place(1) == Placement("thread-lines", "high", 0, 1, ("z",))
    second = known.place(2)
    assert isinstance(second, Mismatch) or second.start == 1
    advice = known.place(3)
    assert what(advice)[:2] == (
        ReasonCode.STALE,
        "the comment was made on 4444444, which is not in the history of this branch",
    )


def test_of_a_tree_of_bytes_no_commit_is_known() -> None:
    outcome = Known([on_line(1, "z\n")], {"a.py": "x\ny\n"}).of_bytes_only().place()
    assert what(outcome)[:2] == (
        ReasonCode.STALE,
        "the comment was made on 2222222, which is not in the history of this branch",
    )


def test_fixes_without_a_base() -> None:
    assert what(Known([fix(2, "z")], {"a.py": "abc\n"}).place())[:2] == (
        ReasonCode.NO_VERSION,
        "the answer names line 1 of a.py, but not the version of the file",
    )


RUN_AGAIN = "run the tool again on this branch"
# the base, the files, and why a fix is not placed
NO_VERSION: dict[str, tuple[str | None, dict[str, str], tuple[ReasonCode, str, str]]] = {
    "no file": (OLD, {}, (ReasonCode.FILE_NOT_FOUND, "", "")),
    "an unknown commit": (
        "4" * 40,
        {"a.py": "x\n"},
        (
            ReasonCode.STALE,
            "the base 4444444 is not in the history of this branch",
            "name another one, or run the tool again",
        ),
    ),
}


@pytest.mark.parametrize(("base", "files", "reason"), NO_VERSION.values(), ids=NO_VERSION)
def test_fixes_of_a_version_that_is_not_there(
    base: str | None, files: dict[str, str], reason: tuple[ReasonCode, str, str]
) -> None:
    assert what(Known([fix(1, "z")], files, base=base).place()) == reason


def test_fixes_of_a_file_that_the_base_does_not_have() -> None:
    block = fix(1, "q")._replace(file_path="b.py")
    known = Known([block], {"a.py": "", "b.py": "z\n"}, base=OLD)
    outcome = known.evidence.place(known.blocks[0], known.evidence.plans["b.py"], lambda _: False)
    assert what(outcome)[:2] == (ReasonCode.STALE, "b.py is not a text file in 2222222, the base")
    known = Known([block], {"a.py": "", "b.py": "z\n"}, base=OLDER)
    outcome = known.evidence.place(known.blocks[0], known.evidence.plans["b.py"], lambda _: False)
    assert outcome == Placement("range", "high", 0, 1, ("q",))


# what is chosen, and whether two fixes of the same character stand in each other's way
CHOSEN = [
    (ALL, {}, True),
    (Selection(paths=frozenset({"a.py"})), {}, True),
    (Selection(numbers=frozenset({1})), {}, False),
    (ALL, {2: "day-1"}, False),
]


@pytest.mark.parametrize(("select", "written", "collides"), CHOSEN)
def test_only_chosen_fixes_collide(select: Selection, written: dict[int, str], collides: bool) -> None:
    known = Known([fix(1, "p"), fix(1, "q")], {"a.py": "x\ny\n"}, OLD, written, select=select)
    assert isinstance(known.place(), Mismatch) is collides
