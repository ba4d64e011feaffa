"""What a plan says of an answer as a whole: too much of it, what is chosen, what is asked of the tree."""

from collections.abc import Iterable

import pytest
from support.file_blocks import delete, edit, parsed, rename
from support.planned import Given
from support.responses import block as written
from support.responses import verdicts

from editblocks.applying.engine import NEW_BYTES, Options, apply_block, apply_parsed, apply_response
from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings

SMALL = edit("a.py", "a\n", "b\n")
NOTE = Note("odd", "it is odd")
TWO = parsed(SMALL, edit("b.py", "a\n", "b\n"))._replace(notes=(NOTE,))
CUT = Problem(2, 7, 7, ReasonCode.TOO_LARGE, "line 7 is too long", "split line 7")
FILES = {"a.py": b"a\n", "b.py": b"a\n"}


def refused(what: str, advice: str) -> Problem:
    return Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, advice)


def test_of_too_many_blocks_one_row_is_left() -> None:
    allowed = apply_parsed(TWO, FILES.get, Settings(max_blocks=2))
    assert verdicts(allowed) == ["a.py exact", "b.py exact"]
    result = apply_parsed(TWO, FILES.get, Settings(max_blocks=1))
    problem = refused("the answer has more blocks than max-blocks allows (1)", "split it")
    assert result == ApplyResult(problems=(problem,), notes=(NOTE,))


def test_of_an_answer_that_is_cut_one_row_is_left() -> None:
    cut = parsed(SMALL, CUT)._replace(is_cut=True, notes=(NOTE,))
    result = apply_parsed(cut, FILES.get)
    assert result == ApplyResult(problems=(refused("line 7 is too long", "split line 7"),), notes=(NOTE,))


def too_large(block: EditBlock, what: str, advice: str) -> EditResult:
    mismatch = Mismatch(ReasonCode.TOO_LARGE, what, advice, is_fixable=True)
    return EditResult(block, EditStatus.FAILED, mismatch, notes=block.notes)


def test_of_too_many_files_each_block_says_so() -> None:
    blocks = tuple(block._replace(notes=(NOTE,)) for block in TWO.blocks)
    answer = TWO._replace(blocks=blocks)
    assert verdicts(apply_parsed(answer, FILES.get, Settings(max_files=2))) == ["a.py exact", "b.py exact"]
    result = apply_parsed(answer, FILES.get, Settings(max_files=1))
    what = "the answer has 2 files, the limit is 1 (max-files)"
    assert result.results == tuple(too_large(block, what, "split it") for block in blocks)


@pytest.mark.parametrize(("more", "is_written"), [(0, True), (1, False)])
@pytest.mark.long(after=1)
def test_new_files_have_a_size_together(more: int, is_written: bool) -> None:
    data = b"x" * (NEW_BYTES - 3 + more) + b"\na\n"
    [block] = parsed(SMALL._replace(notes=(NOTE,))).blocks
    result = apply_edits_of(block, data)
    assert bool(result.contents) is is_written
    if not is_written:
        what = "the new files have 20,971,521 bytes together, the limit is 20,971,520"
        assert result.results == (too_large(block, what, "split the answer"),)
        assert result.contents == {}


def apply_edits_of(block: EditBlock, data: bytes) -> ApplyResult:
    return apply_parsed(ParseResult((block,)), {"a.py": data}.get, Settings(max_file_bytes=2 * NEW_BYTES))


def test_what_a_plan_keeps_of_the_answer() -> None:
    answer = TWO._replace(shell_suggestions=("ls",), base="abc1234", unbalanced="3 SEARCH, 2 REPLACE")
    result = apply_parsed(answer, FILES.get)
    kept = (result.notes, result.shell_suggestions, result.base, result.unbalanced)
    assert kept == ((NOTE,), ("ls",), "abc1234", "3 SEARCH, 2 REPLACE")


def test_how_far_planning_is() -> None:
    told: list[tuple[int, int]] = []
    apply_parsed(parsed(SMALL, CUT), FILES.get, options=Options(progress=lambda *each: told.append(each)))
    assert told == [(0, 2), (1, 2), (2, 2)]


BROKEN = Problem(1, 1, 1, ReasonCode.MALFORMED, "it is broken", file_path="a.py")
# what is chosen, and the row of a block after one of its file that cannot be read
CHOSEN = {
    "all": "a.py earlier-failure",
    "1,2": "a.py earlier-failure",
    "a.py": "a.py earlier-failure",
    "2": "a.py exact",
}


@pytest.mark.parametrize(("only", "row"), CHOSEN.items())
def test_a_block_that_cannot_be_read_fails_if_it_is_chosen(only: str, row: str) -> None:
    options = Options(Selection.read(only))
    result = apply_parsed(parsed(BROKEN, SMALL), FILES.get, options=options)
    assert verdicts(result) == ["a.py malformed", row]
    assert result.results[0].without == ((1,) if row.endswith("failure") else ())


def test_a_file_is_chosen_beside_a_block_that_names_none() -> None:
    nameless = BROKEN._replace(file_path=None)
    result = apply_parsed(parsed(nameless, SMALL), FILES.get, options=Options(Selection.read("a.py")))
    assert verdicts(result) == ["- malformed", "a.py exact"]


def test_one_block_that_deletes_its_file() -> None:
    text, row = apply_block(delete("a.py"), "a\n")
    assert (text, row.status) == ("", EditStatus.APPLIED)


class Asked(Given):
    """A tree that notes what it is asked for, and in which git ignores a.py."""

    def __init__(self) -> None:
        super().__init__(FILES.get, lambda folder: {} if folder else dict.fromkeys(FILES, "100644"), None)
        self.asked: list[list[str]] = []
        self.prefetched: list[str] = []
        self.prefetch = self.prefetched.extend
        self.ignored = self._ignored

    def _ignored(self, paths: Iterable[str]) -> list[str]:
        self.asked.append(list(paths))
        return ["a.py"]


def test_what_a_tree_is_asked_for() -> None:
    tree = Asked()
    answer = "".join(written("z\n", "b\n", path=path) for path in ("a.py", "../x", ".github/workflows/x.yml", "no.py"))
    result = apply_response(answer, tree)  # type: ignore[arg-type]
    assert tree.prefetched == ["a.py", "no.py"]
    assert tree.asked == [["a.py"]]
    assert result.hidden_texts == {"a.py"}
    reason = "its old lines are not in a.py; its text is not shown, because git ignores it; change it by hand"
    assert result.results[0].reason == reason
    tree = Asked()
    apply_response(written("z\n", "b\n", path="no.py"), tree)  # type: ignore[arg-type]
    assert tree.asked == []


def test_files_that_a_setting_forbids_are_not_fetched() -> None:
    tree = Asked()
    answer = written("z\n", "b\n") + written("z\n", "b\n", path="b.py")
    apply_response(answer, tree, Settings(paths=("b.*",)))  # type: ignore[arg-type]
    assert tree.prefetched == ["b.py"]


def test_an_unknown_base_is_noted_once_something_is_merged() -> None:
    tree = Given(FILES.get, None, lambda _: None)
    answer = parsed(edit("a.py", "z\n", "b\n"))._replace(base="abc1234", notes=(NOTE,))
    result = apply_parsed(answer, tree)  # type: ignore[arg-type]
    rule = "on GitHub, write the commit with all 40 digits"
    what = f"the base abc1234 is not in the history of this branch ({rule}), so nothing is merged"
    assert result.notes == (NOTE, Note("base-unknown", what))


def test_a_hidden_file_is_hidden_under_its_new_name() -> None:
    files = {".env": b"a\n", "b.py": b"a\n"}
    blocks = (rename("b.py", "c.py"), rename(".env", "x"), edit("x", "z\n", "b\n"), edit("c.py", "z\n", "b\n"))
    result = apply_parsed(parsed(*blocks), files.get)
    assert result.hidden_texts == {".env", "x"}
    reasons = [str(row.reason) for row in result.results[2:]]
    assert ["its name says that it holds secrets" in reason for reason in reasons] == [True, False]
