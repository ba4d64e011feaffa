"""A model's thoughts are not its answer: amendment A11, docs/reference/rules.md, "thoughts"."""

import pytest
from support.parsecases import NAMELESS, OPEN, X, rows
from support.responses import block

from editblocks import StreamParser, parse_response

DRAFT = block("x\n", "draft\n", "b.py")
ANSWER = "1 a.py {}: x/ -> y/"
UNCLOSED = "1 - {}: malformed"
PATCH = "*** Begin Patch\n*** Delete File: b.py\n*** End Patch\n"
DIFF = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+z\n"

LEFT_OUT: dict[str, tuple[str, list[str]]] = {
    "a draft": (f"<think>\n{DRAFT}No.\n</think>\n{X}", [ANSWER.format("11-15")]),
    "every tag": (
        f"<thinking>\n{DRAFT}</thinking>\n<thought>\n{DRAFT}</thought>\n<reasoning>\n{DRAFT}</reasoning>\n"
        f"◁think▷\n{DRAFT}◁/think▷\n{X}",
        [ANSWER.format("34-38")],
    ),
    "capital letters": (f"<Think>\n{DRAFT}</THINK>\n{X}", [ANSWER.format("10-14")]),
    "tags in mid-line": (f"So: <think>hm\n{DRAFT}that is it.</think>\n{X}", [ANSWER.format("10-14")]),
    "behind a back-tick that ends nothing": (f"<think>\n{DRAFT}it`s no </think>\n{X}", [ANSWER.format("10-14")]),
    "the answer begins on the line of the tag": (f"<think>hm</think>Here:\n\n{X}", [ANSWER.format("4-8")]),
    "without an opening tag": (f"First:\n{DRAFT}No.\n</think>\n{X}", [ANSWER.format("11-15")]),
    "one in another": (f"<think>\n<think>\n</think>\n{DRAFT}</think>\n{X}", [ANSWER.format("12-16")]),
    "tags of two kinds": (f"<think>\n<reasoning>\n</reasoning>\n{DRAFT}</think>\n{X}", [ANSWER.format("12-16")]),
    "a draft that is cut off": (f"<think>\n{OPEN}x\nno\n</think>\n{X}", [ANSWER.format("7-11")]),
    "a fence that is never closed": (f"<think>\n```python\n{DRAFT}</think>\n{X}", [ANSWER.format("11-15")]),
    "no opening tag, and a fence that is never closed": (f"```\n{DRAFT}</think>\n{X}", [ANSWER.format("10-14")]),
    "a patch": (f"<think>\n{PATCH}</think>\n{X}", [ANSWER.format("7-11")]),
    "a diff": (f"<think>\n{DIFF}</think>\n{X}", [ANSWER.format("9-13")]),
    "a path": (f"<think>\nb.py\n</think>\n{NAMELESS}", ["1 - 4-8: no-path"]),
    "a base": (f"<think>\nbase: 1234567\n</think>\n{X}", [ANSWER.format("5-9")]),
    "a thought behind the answer": (f"{X}<think>\n{DRAFT}</think>\n", [ANSWER.format("2-6")]),
    "nothing but drafts": (f"<think>\n{DRAFT}</think>\nNothing to change.\n", []),
    "only closed": (f"{DRAFT}</think>\nNothing to change.\n", []),
}


@pytest.mark.parametrize(("text", "expected"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_drafts_make_no_row(text: str, expected: list[str]) -> None:
    parsed = parse_response(text)
    assert rows(parsed) == expected
    assert parsed.base is None


KEPT: dict[str, tuple[str, list[str]]] = {
    "in back-ticks": (f"The tag `<think>` is closed by `</think>`:\n{X}", [ANSWER.format("3-7")]),
    "in longer back-ticks": (f"``a ` <think>``\n{X}", [ANSWER.format("3-7")]),
    "in a fence": (f"```\n<think>\n</think>\n```\n{X}", [ANSWER.format("6-10")]),
    "the end in a fence": (f"{X}```\n</think>\n```\n", [ANSWER.format("2-6")]),
    "in a block": (block("<think>\n", "</think>\n"), ["1 a.py 2-6: <think>/ -> </think>/"]),
    "behind a back-tick that ends nothing": (f"it`s a <b>tag</b>\n{X}", [ANSWER.format("3-7")]),
    "in a quote": (f"> <think>\n{X}", [ANSWER.format("3-7")]),
    "with more in the tag": (f'<think hard="yes">\n{X}', [ANSWER.format("3-7")]),
    "an opening tag behind the answer": (f"{X}I could <think> more.\n", [ANSWER.format("2-6")]),
    "an opening tag before prose": ("<think>\nNothing.\n", []),
}


@pytest.mark.parametrize(("text", "expected"), KEPT.values(), ids=KEPT)
def test_what_is_no_thought_is_read(text: str, expected: list[str]) -> None:
    parsed = parse_response(text)
    assert rows(parsed) == expected
    assert parsed.notes == ()


WITHOUT_END: dict[str, tuple[str, list[str]]] = {
    "one block": (f"<think>\n{X}", [UNCLOSED.format("1-1")]),
    "several": (f"<think>\n{X}{X}{PATCH}", [UNCLOSED.format("1-1")]),
    "a block before it": (f"{X}<think>\n{X}", [ANSWER.format("2-6"), "2 - 7-7: malformed"]),
    "a block that is cut off": (f"<think>\n{OPEN}x\n", [UNCLOSED.format("1-1")]),
    "a patch": (f"<think>\n{PATCH}", [UNCLOSED.format("1-1")]),
    "a whole file": ("<think>\na.py\n```\nx\n```\n", [UNCLOSED.format("1-1")]),
    "more blocks than are read": (f"<think>\n{X * 501}", [UNCLOSED.format("1-1")]),
}


@pytest.mark.parametrize(("text", "expected"), WITHOUT_END.values(), ids=WITHOUT_END)
def test_thoughts_without_an_end_are_refused_if_they_hold_blocks(text: str, expected: list[str]) -> None:
    parsed = parse_response(text)
    assert (rows(parsed), parsed.is_cut) == (expected, False)
    what = "the model's thoughts begin at line {} and are not closed, so blocks may be drafts; ask only for the answer"
    assert parsed.problems[-1].message == what.format(parsed.problems[-1].line_number)


NOTES: dict[str, tuple[str, str]] = {
    "one": (f"<think>\n{DRAFT}</think>\n", "1 block in the model's thoughts (lines 1-8) was left out"),
    "several": (
        f"<think>\n{DRAFT}{PATCH}</think>\n{X}<think>\n{DIFF}</think>\n",
        "3 blocks in the model's thoughts (lines 1-24) were left out",
    ),
    "without an opening tag": (f"\n{DRAFT}</think>\n", "1 block in the model's thoughts (lines 1-8) was left out"),
    "one in another": (
        f"<think>\n{DRAFT}</think>\n{DRAFT}</think>\n",
        "2 blocks in the model's thoughts (lines 1-15) were left out",
    ),
}


@pytest.mark.parametrize(("text", "message"), NOTES.values(), ids=NOTES)
def test_one_note_says_how_many_were_left_out(text: str, message: str) -> None:
    assert [(note.code, note.message) for note in parse_response(text).notes] == [("thoughts-left-out", message)]


def test_in_a_block_that_is_cut_off_tags_mean_nothing() -> None:
    parsed = parse_response("a.py\n<<<<<<< SEARCH\nx\n<<<<<<< EDIT\n<think>\nRun `git rm a.py`\n")
    assert [problem.code.value for problem in parsed.problems] == ["unclosed", "unclosed"]
    assert (parsed.notes, parsed.shell_suggestions) == ((), ())


def test_nor_do_they_below_a_block_in_it() -> None:
    parsed = parse_response(f"a.py\n{OPEN}x\nb.py\n<<<<<<< NEW_FILE\ny\n>>>>>>> NEW_FILE\n</think>\n")
    assert rows(parsed) == ["1 a.py 2-8: unclosed", "2 b.py 5-7: malformed"]
    assert parsed.notes == ()


@pytest.mark.parametrize("size", [1, 1000], ids=["letter by letter", "at once"])
def test_a_patch_after_a_thought_keeps_its_line_ends(size: int) -> None:
    text = "No.\n</think>\n*** Begin Patch\n*** Add File: a.bat\n+x\r\n*** End Patch\n"
    parser = StreamParser()
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    assert [block.has_crlf for block in parser.close().blocks] == [True]
