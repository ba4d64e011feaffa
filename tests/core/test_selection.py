"""Selectors: what they take, and every way in which they cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.core.blocks import EditBlock, Problem
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.phrases import ranges
from editblocks.core.selection import Selection, mark_committed, mark_left_out, unselected_rows, without_committed


def taking(
    *numbers: int, paths: tuple[str, ...] = (), ready: bool = False, every: bool = False, **picks: int
) -> Selection:
    """`taking(1, 2, at4=48)`: blocks 1, 2 and 4, block 4 at line 48."""
    places = {int(name.removeprefix("at")): line for name, line in picks.items()}
    return Selection(ready, frozenset((*numbers, *places)), places, frozenset(paths), every)


READ: list[tuple[str, Selection]] = [
    ("ready", taking(ready=True)),
    ("Ready", taking(ready=True)),
    ("all", taking(every=True)),
    ("ALL,all", taking(every=True)),
    ("all,4@48", taking(every=True, at4=48)),
    ("alloy", taking(paths=("alloy",))),
    ("3", taking(3)),
    ("1-3", taking(1, 2, 3)),
    ("2-2", taking(2)),
    ("007", taking(7)),
    ("1,3-5", taking(1, 3, 4, 5)),
    ("2000", taking(2000)),
    ("1-2000", taking(*range(1, 2001))),
    (" 1 ,\t3 ", taking(1, 3)),
    ("3,3,2-4", taking(2, 3, 4)),
    ("4@48", taking(at4=48)),
    ("1-4,4@48", taking(1, 2, 3, at4=48)),
    ("4@48,1-4", taking(1, 2, 3, at4=48)),
    ("4@48,4@048", taking(at4=48)),
    ("4@48,5@30", taking(at4=48, at5=30)),
    ("4@999999999", taking(at4=999_999_999)),
    ("ready,4@48", taking(ready=True, at4=48)),
    ("src/cart.py", taking(paths=("src/cart.py",))),
    ("./src/cart.py, README.md,1", taking(1, paths=("src/cart.py", "README.md"))),
    ("src/a b.py", taking(paths=("src/a b.py",))),
    (" X ", taking(paths=("X",))),
    ("x" * 10_000, taking(paths=("x" * 10_000,))),
    ("./ready", taking(paths=("ready",))),
    ("./all", taking(paths=("all",))),
    ("./2024-01", taking(paths=("2024-01",))),
    ("./4@48", taking(paths=("4@48",))),
    ("4-setup.md", taking(paths=("4-setup.md",))),
    ("src/@types/x.d.ts", taking(paths=("src/@types/x.d.ts",))),
    ("@4", taking(paths=("@4",))),
    ("v1@2", taking(paths=("v1@2",))),
    ("\u0661", taking(paths=("\u0661",))),
]


@pytest.mark.parametrize(("text", "selection"), READ, ids=[text[:20] for text, _ in READ])
def test_a_selector_is_read(text: str, selection: Selection) -> None:
    assert Selection.read(text) == selection


LONG = "x" * 100
WRONG: list[tuple[str, str]] = [
    ("", "`` has an empty part; name blocks, as in `1-3,4@48`"),
    ("1,,3", "`1,,3` has an empty part; name blocks, as in `1-3,4@48`"),
    ("1, ", "`1, ` has an empty part; name blocks, as in `1-3,4@48`"),
    ("0", "`0` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("0-3", "`0-3` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("00@4", "`00@4` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("3-1", "`3-1` runs backwards; write `1-3`"),
    ("3-", "`3-` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("-3", "`-3` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("-", "`-` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("2001", "`2001` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("1-2001", "`1-2001` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("9" * 5000, f"`{'9' * 29}…{'9' * 30}` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("4@x", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@", "`4@` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@4@8", "`4@4@8` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@48-50", "`4@48-50` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@-1", "`4@-1` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@48\n", "`4@48␊` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@\u0661", "`4@\u0661` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@0", "`4@0` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@1000000000", "`4@1000000000` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("4@48,4@50", "`4@50` and `4@48` give block 4 two places; keep one"),
    ("all,ready", "`all` applies nothing if one block fails, `ready` applies the blocks that fit; use one of them"),
    (f"{LONG},", f"`{'x' * 29}…{'x' * 29},` has an empty part; name blocks, as in `1-3,4@48`"),
    ("1," * 5001, "the selector has 10,002 characters, the limit is 10,000; name ranges"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text[:20] for text, _ in WRONG])
def test_a_selector_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Selection.read(text)
    assert (caught.value.code, caught.value.message) == (ReasonCode.BAD_COMMAND, message)


WRITTEN: list[tuple[str, str]] = [
    ("All", "all"),
    ("READY", "ready"),
    ("4@48,ready", "ready,4@48"),
    ("007", "7"),
    ("3,1,2", "1-3"),
    ("1-2", "1-2"),
    ("5-5,1,3", "1,3,5"),
    ("1-4,4@48,src/x.py", "1-3,4@48,src/x.py"),
    ("4@48,5@30", "4@48,5@30"),
    ("1-5,1@2,3@9", "2,4-5,1@2,3@9"),
    ("b.py, ./a.py", "a.py,b.py"),
    ("./ALL", "./ALL"),
    ("./ready", "./ready"),
    ("./2024-01", "./2024-01"),
    ("./4@x", "./4@x"),
    ("././x", "././x"),
    ("./ x", "./ x"),
    ("./\tx", "./\tx"),
    ("./", "./"),
    ("src/a b.py", "src/a b.py"),
]


@pytest.mark.parametrize(("text", "canonical"), WRITTEN)
def test_a_selector_has_one_canonical_form(text: str, canonical: str) -> None:
    selection = Selection.read(text)
    assert (str(selection), Selection.read(canonical)) == (canonical, selection)
    assert str(selection._replace(skip=frozenset({5}))) == canonical


TAKES: list[tuple[str, int, str | None, bool]] = [
    ("1-3", 2, "a.py", True),
    ("1-3", 4, "a.py", False),
    ("4@48", 4, None, True),
    ("a.py", 7, "a.py", True),
    ("a.py", 7, "src/a.py", False),
    ("a.py", 7, None, False),
    ("A.py", 7, "a.py", False),
    ("ready", 7, None, True),
    ("ready,1", 7, "a.py", True),
    ("all", 7, None, True),
    ("all,1@2", 7, "a.py", True),
]


@pytest.mark.parametrize(("text", "number", "path", "taken"), TAKES)
def test_which_blocks_are_taken(text: str, number: int, path: str | None, taken: bool) -> None:
    assert Selection.read(text).takes(number, path) is taken


SKIPPED: list[tuple[str, int, str | None, bool]] = [
    ("all", 5, "a.py", False),
    ("all", 4, "a.py", True),
    ("ready", 5, "a.py", False),
    ("a.py", 5, "a.py", False),
    ("a.py", 4, "a.py", True),
    ("5", 5, "a.py", True),
    ("all,5@48", 5, "a.py", True),
    ("4", 7, "a.py", False),
]


@pytest.mark.parametrize(("text", "number", "path", "taken"), SKIPPED)
def test_a_block_that_was_skipped_is_taken_by_its_number_alone(
    text: str, number: int, path: str | None, taken: bool
) -> None:
    assert Selection.read(text)._replace(skip=frozenset({5, 6})).takes(number, path) is taken


PATHS = ("src/cart.py", "src/tax.py", "a.py", "b.py")
UNKNOWN: list[tuple[str, tuple[int, ...], tuple[str, ...], str | None]] = [
    ("1-3,2@9,a.py", (1, 2, 3), PATHS, None),
    ("ready", (), (), None),
    ("3-9", (1, 2, 3, 4), PATHS, "there is no block 5; the answer has blocks 1-4"),
    ("4@48", (1,), PATHS, "there is no block 4; the answer has only block 1"),
    ("1", (), (), None),
    ("cart.py", (1,), PATHS, "no block changes `cart.py`; the answer names `src/cart.py`, `a.py`, `b.py` and 1 more"),
    (
        "lib/tax.py,a.py",
        (1,),
        PATHS,
        "no block changes `lib/tax.py`; the answer names `src/tax.py`, `a.py`, `b.py` and 1 more",
    ),
    ("x.py", (1,), PATHS, "no block changes `x.py`; the answer names `a.py`, `b.py`, `src/cart.py` and 1 more"),
    ("x.py", (1,), PATHS[:1], "no block changes `x.py`; the answer names `src/cart.py`"),
    ("x.py", (1,), PATHS[:3], "no block changes `x.py`; the answer names `a.py`, `src/cart.py`, `src/tax.py`"),
    ("tax.py", (1,), ("a.py", "x/y/tax.py"), "no block changes `tax.py`; the answer names `x/y/tax.py`, `a.py`"),
    ("x.py", (1,), (), "no block changes `x.py`; the answer names no file"),
]


@pytest.mark.parametrize(("text", "numbers", "paths", "sentence"), UNKNOWN)
def test_what_the_response_does_not_have(
    text: str, numbers: tuple[int, ...], paths: tuple[str, ...], sentence: str | None
) -> None:
    assert complaint(Selection.read(text), numbers, paths) == sentence


def test_a_skipped_block_that_is_not_there() -> None:
    skipping = Selection(every=True, skip=frozenset({2, 9}))
    assert complaint(skipping, (1, 2, 3), PATHS) == "there is no block 9; the answer has blocks 1-3"
    assert complaint(skipping, tuple(range(1, 10)), PATHS) is None


def complaint(selection: Selection, numbers: tuple[int, ...], paths: tuple[str, ...]) -> str | None:
    try:
        selection.check(numbers, paths)
    except ConfigError as error:
        return error.message if error.code is ReasonCode.BAD_COMMAND else error.code.value
    return None


def read(text: str) -> Selection | ConfigError:
    try:
        return Selection.read(text)
    except ConfigError as error:
        return error


PARTS = st.sampled_from(("all", "ready", "1-3", "5", "2-4", "4@48", "7@1", "src/x.py", "./all", "./4@8", "a b", "./"))
SELECTORS = st.one_of(
    st.text(alphabet="0123456789,-@ readyl./b\n\u0661", max_size=40), st.lists(PARTS, min_size=1).map(",".join)
)


@given(SELECTORS)
def test_what_is_written_is_read_back(text: str) -> None:
    selection = read(text)
    if isinstance(selection, Selection):
        assert read(str(selection)) == selection
        assert str(read(str(selection))) == str(selection)
        assert len(str(selection)) <= len(text)
    else:
        assert selection.code is ReasonCode.BAD_COMMAND


@given(SELECTORS)
def test_any_text_is_read_or_refused(text: str) -> None:
    match read(text):
        case Selection() as selection:
            assert selection.ready or selection.every or selection.numbers or selection.paths
            assert set(selection.picks) <= selection.numbers <= set(range(1, 2001))
            assert all(line >= 1 for line in selection.picks.values())
        case error:
            assert (error.code, error.message.endswith(".")) == (ReasonCode.BAD_COMMAND, False)


@given(st.frozensets(st.integers(1, 2000), min_size=1))
def test_numbers_as_reports_write_them_are_read_back(numbers: frozenset[int]) -> None:
    assert Selection.read(ranges(sorted(numbers))) == Selection(numbers=numbers)


def row(number: int, path: str, status: EditStatus = EditStatus.FAILED) -> EditResult:
    return EditResult(EditBlock(number, path, "diff", 10 * number, 10 * number + 5), status)


UNREAD = Problem(3, 30, 35, ReasonCode.MALFORMED, "it is wrong")
PLAN = ApplyResult(
    (row(1, "a.py", EditStatus.APPLIED), row(2, "b.py"), row(5, "c.py")),
    (UNREAD, UNREAD._replace(number=4, file_path="b.py", format="diff")),
)
ALONE: dict[str, tuple[Selection | None, frozenset[int]]] = {
    "nobody chose": (None, frozenset()),
    "all": (Selection(every=True), frozenset()),
    "a number": (taking(2), frozenset({1, 3, 4, 5})),
    "a path": (taking(paths=("b.py",)), frozenset({1, 3, 5})),
}


@pytest.mark.parametrize(("select", "numbers"), ALONE.values(), ids=ALONE)
def test_which_rows_a_selection_leaves_out(select: Selection | None, numbers: frozenset[int]) -> None:
    assert unselected_rows(PLAN, select) == numbers


def test_rows_that_are_left_out_are_skipped() -> None:
    why = Mismatch(ReasonCode.NOT_SELECTED, "left out on request")
    left = mark_left_out(PLAN, frozenset({1, 2, 3, 4}))
    assert left.rows == (
        PLAN.results[0],
        row(2, "b.py", EditStatus.SKIPPED)._replace(mismatch=why),
        EditResult(EditBlock(3, "", "", 30, 35), EditStatus.SKIPPED, why),
        EditResult(EditBlock(4, "b.py", "diff", 30, 35), EditStatus.SKIPPED, why),
        PLAN.results[2],
    )
    assert mark_left_out(PLAN, frozenset({5})).problems == PLAN.problems


def test_blocks_of_an_earlier_commit_are_not_tried() -> None:
    assert without_committed(None, {}) is None
    assert without_committed(None, {2: "c" * 40}) == Selection(every=True, committed=frozenset({2}))
    assert without_committed(taking(1), {2: "c" * 40}) == taking(1)._replace(committed=frozenset({2}))


def test_blocks_of_an_earlier_commit_are_marked() -> None:
    assert mark_committed(PLAN, {}) is PLAN
    why = Mismatch(ReasonCode.ALREADY_APPLIED, "already in `0123456`", "post it again if it was reverted since")
    marked = mark_committed(PLAN, {2: "0123456789", 9: "9" * 40})
    there = row(2, "b.py", EditStatus.SKIPPED)._replace(mismatch=why)
    assert marked.results == (PLAN.results[0], there, PLAN.results[2])
    assert marked.problems == PLAN.problems
