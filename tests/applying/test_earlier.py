"""What was there before: whether a file holds the result of its blocks, and the files of an earlier commit."""

from collections.abc import Callable

import pytest
from support.call_blocks import JSON, RUN, insert, replace, write
from support.file_blocks import edit

from editblocks.applying.earlier import BaseVersion, applied_state, written_before
from editblocks.applying.tool_calls import AppliedState
from editblocks.core.blocks import EditBlock, Split
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import block_key
from editblocks.core.errors import UnreadableFile
from editblocks.core.outcome import WrittenFile
from editblocks.core.settings import Settings
from editblocks.matching.ladder import STRATEGIES
from editblocks.text.source_text import SourceText

LONG = "the first of three long lines\nthe second of three long lines\nthe third of three long lines\n"
OLD_LONG = "an old line\nanother old line\n"
ADDS_X = edit("a.py", "a\n", "a\nx\n")
ADDS_Y = edit("a.py", "a\n", "a\ny\n")
SPLIT = ADDS_Y._replace(splits=(Split((2,), "a\n", "a\ny\n"), Split((3,), "a\ny\n", "")))
CREATES = edit("a.py", "", "a\n")._replace(format="search-replace", action="")
EVERY = RUN._replace(is_every=True)
LINES = edit("a.py", "x\n", "b\n")._replace(call=RUN)  # of a call that names lines and no texts

# the blocks of a file, its text, and whether it holds their result
DONE: dict[str, tuple[list[EditBlock], str, AppliedState]] = {
    "two insertions at one line": ([ADDS_X, ADDS_Y], "a\ny\nx\n", AppliedState.YES),
    "in the other order": ([ADDS_X, ADDS_Y], "a\nx\ny\n", AppliedState.NO),
    "one insertion": ([ADDS_X], "a\nx\n", AppliedState.NO),
    "one of two": ([ADDS_X, edit("a.py", "b\n", "b\ny\n")], "a\nx\nb\n", AppliedState.NO),
    "no insertion": ([edit("a.py", "a\n", "b\n"), edit("a.py", "c\n", "d\n")], "b\nd\n", AppliedState.NO),
    "one with several dividers": ([ADDS_X, SPLIT], "a\ny\nx\n", AppliedState.NO),
    "one that creates the file": ([CREATES, ADDS_X], "a\nx\n", AppliedState.NO),
    "long lines and an insertion": ([edit("a.py", OLD_LONG, LONG), ADDS_X], f"{LONG}a\nx\n", AppliedState.YES),
    "the old lines with other blanks are there": (
        [edit("a.py", "old \n", LONG), ADDS_X],
        f"old\n{LONG}a\nx\n",
        AppliedState.YES,
    ),
    "the old lines are there": ([edit("a.py", "old\n", LONG), ADDS_X], f"old\n{LONG}a\nx\n", AppliedState.NO),
    "long lines at the end": (
        [edit("a.py", OLD_LONG, LONG)._replace(at_end=True), ADDS_X],
        f"{LONG}a\nx\n{LONG}",
        AppliedState.YES,
    ),
    "long lines at two places": ([edit("a.py", OLD_LONG, LONG), ADDS_X], f"{LONG}a\nx\n{LONG}", AppliedState.NO),
    "a whole file and a call": ([write("a\nb\n"), replace("b", "c")], "a\nc\n", AppliedState.YES),
    "a whole file and a block": ([write("a\nb\n"), edit("a.py", "b\n", "c\n")], "a\nc\n", AppliedState.YES),
    "a whole file and lines": ([write("x\na\n"), insert(2, "x\n")], "x\na\nx\n", AppliedState.YES),
    "a whole file and other lines": ([write("a\n"), insert(1, "b\n")], "a\nc\n", AppliedState.NO),
    "a whole file only": ([write("a\n")], "a\n", AppliedState.NO),
    "a whole file last": ([replace("a", "b"), write("c\n")], "c\n", AppliedState.NO),
    "another whole file": ([write("a\nb\n"), replace("b", "c")], "x\nc\n", AppliedState.NO),
    "a whole file and a part that goes": ([write("a\n"), replace("c", "", JSON)], "a\n", AppliedState.NO),
    "a call that was run": ([replace("a", "b", RUN)], "b\n", AppliedState.YES),
    "its old text is beside the new one": ([replace("a", "b", RUN)], "ab\n", AppliedState.NO),
    "its old text ends with the new one": ([replace("a b", "b", RUN)], "a b\n", AppliedState.NO),
    "its old text begins in the new one": ([replace("b c", "a b", RUN)], "a b c\n", AppliedState.MAYBE),
    "its old text ends in the new one": ([replace("a b", "b c", RUN)], "a b c\n", AppliedState.MAYBE),
    "a call that was not run": ([replace("a", "b")], "b\n", AppliedState.NO),
    "lines at the end": ([insert(-1, "b\n", RUN)], "a\nb\n", AppliedState.YES),
    "lines at another line": ([insert(1, "b\n", RUN)], "a\nc\n", AppliedState.NO),
    "every place": ([replace("a", "b", EVERY)], "b b\n", AppliedState.YES),
    "a part that goes": ([replace("c", "", RUN)], "a\n", AppliedState.MAYBE),
    "a part that goes after another call": ([replace("a", "b", RUN), replace("c", "", RUN)], "b\n", AppliedState.MAYBE),
    "a part that goes, before the other call": (
        [replace("a", "b", RUN), replace("c", "", RUN)],
        "a\n",
        AppliedState.NO,
    ),
    "a part that goes of what a call wrote": (
        [replace("x", "a b", RUN), replace(" b", "", RUN)],
        "a\n",
        AppliedState.YES,
    ),
    "all that a call wrote goes": ([replace("x", "b", RUN), replace("b", "", RUN)], "\n", AppliedState.MAYBE),
    "a part that goes, before another call": (
        [replace("c", "", RUN), replace("a", "b", RUN)],
        "b\n",
        AppliedState.MAYBE,
    ),
    "a text that comes and goes": ([replace("a", "b", RUN), replace("b", "a", RUN)], "a\n", AppliedState.NO),
    "lines that come and go": ([insert(1, "b", RUN), replace("b\n", "", RUN)], "a\n", AppliedState.NO),
    "a whole file of which all goes": ([write("b\n"), replace("b\n", "", RUN)], "", AppliedState.YES),
    "a text that a later call changed everywhere": (
        [replace("x", "a c", RUN), replace("a", "c", EVERY)],
        "c c\n",
        AppliedState.MAYBE,
    ),
    "another text than that": ([replace("x", "a c", RUN), replace("a", "c", EVERY)], "c d\n", AppliedState.NO),
    "every place, of which one was left": ([replace("a", "aa", EVERY)], "aa a\n", AppliedState.MAYBE),
    "a part that goes, after one that was written and went": (
        [replace("x", "b c", RUN), replace("c", "", EVERY), replace("q", "", RUN)],
        "b \nc\n",
        AppliedState.MAYBE,
    ),
    "lines that a call wrote, and what was there again": ([LINES, replace("b", "x", RUN)], "x\n", AppliedState.MAYBE),
    "one of two parts that a call wrote": (
        [replace("x", "b b", RUN), replace("b", "c", RUN)],
        "c b\n",
        AppliedState.NO,
    ),
    "a part of a call for every place": ([replace("x", "b", EVERY), replace("b", "c", RUN)], "c\nb\n", AppliedState.NO),
    "lines that a call wrote, and a part of them": ([LINES, replace("b", "c", RUN)], "c\n", AppliedState.YES),
    "a whole file, a block and a part of it": (
        [write("x\n"), edit("a.py", "x\n", "b\n"), replace("b", "c")],
        "c\n",
        AppliedState.YES,
    ),
    "a whole file, a block and another part": (
        [write("x\nb\n"), edit("a.py", "x\n", "z\n"), replace("b", "c")],
        "z\nc\n",
        AppliedState.YES,
    ),
    "a line number counts what an earlier call wrote": (
        [replace("x", "b", RUN), insert(1, "i\n", RUN), replace("b", "c\nc", RUN)],
        "c\nc\ni\ny\n",
        AppliedState.YES,
    ),
    "the old text of a call between is written again": (
        [replace("b", "b\nn", RUN), replace("d", "e", RUN), replace("b", "b\nd", RUN)],
        "b\nd\nn\nc\ne\n",
        AppliedState.MAYBE,
    ),
    "a call between begins in what comes and goes": (
        [
            replace("b\nc\nd", "b\nc\nn\nd", RUN),
            replace("n\nd\ne", "n\nd\ne\nm", RUN),
            replace("b\nc\nn\nd", "b\nc\nd", RUN),
            replace("c\nd\ne", "c\nd\ne\no", RUN),
        ],
        "a\nb\nc\nd\ne\no\nm\nf\n",
        AppliedState.MAYBE,
    ),
    "a call between begins in the old text": (
        [
            replace("a b\nc", "a b\nn m", RUN),
            replace("n m\nd", "n m\no\nd", RUN),
            replace("a b\nn m", "a b\nc", RUN),
            replace("a b\nc", "a b\nn m", RUN),
        ],
        "a b\nn m\no\nd\n",
        AppliedState.YES,
    ),
    "a call between is apart, but for a blank line": (
        [replace("x\n", "b\nc\n", RUN), replace("q\n", "r\n", RUN), replace("c\n", "", RUN)],
        "b\nr\n",
        AppliedState.YES,
    ),
    "a sign that may be there by chance": ([edit("a.py", "}\n", "{\n"), ADDS_X], "{\na\nx\n", AppliedState.NO),
    "lines that go": ([LINES._replace(new_lines="")], "a\n", AppliedState.MAYBE),
}


@pytest.mark.parametrize(("blocks", "text", "done"), DONE.values(), ids=DONE)
def test_whether_a_file_holds_the_result(blocks: list[EditBlock], text: str, done: AppliedState) -> None:
    assert applied_state(blocks, SourceText.of(text), STRATEGIES) is done


COMMIT = "4be1d02"


def version(files: dict[str, bytes], settings: Settings | None = None) -> BaseVersion:
    return BaseVersion(COMMIT, lambda _: files.get, settings or Settings())


def text_of(base: BaseVersion, path: str) -> str | None:
    text = base.text(path)
    return None if text is None else text.encode().decode()


# whether an earlier run applied the block, and the file after it
NOT_IN_THE_BASE = [(False, None), (True, "a\n")]


@pytest.mark.parametrize(("is_old", "text"), NOT_IN_THE_BASE)
def test_a_block_that_does_not_fit_the_base(is_old: bool, text: str | None) -> None:
    base = version({"a.py": b"a\n"})
    base.follow(edit("a.py", "b\n", "c\n"), is_old=is_old)
    assert text_of(base, "a.py") == text


def test_the_base_follows_blocks() -> None:
    base = version({"a.py": b"a\n"})
    base.follow(edit("a.py", "b\n", "c\n"))
    base.follow(ADDS_X)
    assert text_of(base, "a.py") is None, "nobody knows what the first one changed"
    base = version({"a.py": b"a\n"})
    base.follow(ADDS_X._replace(section=3))
    text = base.text("a.py")
    assert text is not None
    assert (text.encode(), text.section, bytes(text.added)) == (b"a\nx\n", 3, b"\0\1")


@pytest.mark.parametrize(("matching", "text"), [("exact", None), ("standard", "b\n")])
def test_the_base_is_matched_as_the_branch_is(matching: str, text: str | None) -> None:
    base = version({"a.py": b"a \n"}, Settings(matching=matching))
    base.follow(edit("a.py", "a\n", "b\n")._replace(format="search-replace"))
    assert text_of(base, "a.py") == text


def test_a_file_goes_on_under_new_names() -> None:
    base = version({"a.py": b"a\n", "c.py": b"c\n"})
    assert text_of(base, "c.py") == "c\n"
    base.record_removal("a.py", "b.py")
    base.record_removal("b.py", "c.py")
    assert [text_of(base, path) for path in ("a.py", "b.py", "c.py")] == [None, None, "a\n"]
    base.record_removal("c.py", "")
    assert text_of(base, "c.py") is None


def test_a_commit_is_opened_once() -> None:
    opened: list[str] = []

    def opens(files: dict[str, bytes] | None) -> Callable[[str], Callable[[str], bytes | None] | None]:
        def read(commit: str) -> Callable[[str], bytes | None] | None:
            opened.append(commit)
            return None if files is None else files.get

        return read

    known = BaseVersion("1", opens({"a.py": b"a\n"}), Settings())
    assert known.is_unknown is False
    assert [text_of(known, path) for path in ("a.py", "b.py")] == ["a\n", None]
    unknown = BaseVersion("2", opens(None), Settings())
    assert [text_of(unknown, path) for path in ("a.py", "b.py")] == [None, None]
    assert (known.is_unknown, unknown.is_unknown, opened) == (False, True, ["1", "2"])


@pytest.mark.parametrize(("data", "text"), [(b"12345", "12345"), (b"123456", None), (b"\0", None), (b"\xff", None)])
def test_a_file_of_the_base_that_is_no_text_or_too_large(data: bytes, text: str | None) -> None:
    assert text_of(version({"a.py": data}, Settings(max_file_bytes=5)), "a.py") == text


def test_blocks_of_a_file_that_cannot_be_read_are_not_known_as_written() -> None:
    blocks = [edit("a.py", "a\n", "b\n"), edit("link", "a\n", "b\n")._replace(number=2)]

    def read(path: str) -> bytes:
        if path == "link":
            raise UnreadableFile(ReasonCode.NOT_A_FILE, "link is a symbolic link")
        return b"b\n"

    written = [WrittenFile(block.file_path, b"b\n", {block_key(block): "day-1"}) for block in blocks]
    assert written_before(blocks, written, read) == {1: "day-1"}
