"""Digests: the same request has the same one, and another request has another.

The values are written down: with other values, an update would forget every approval.
"""

import pytest

from editblocks.core.blocks import EditBlock, RangeEdit, TextRange, ThreadLines, ToolCall
from editblocks.core.digests import block_key, response_digest
from editblocks.core.outcome import Part, Response, Source

PLAIN = EditBlock(1, "a.py", "search-replace", 3, 9, old_lines="x = 1\n", new_lines="x = 2\n")
EDIT = RangeEdit(TextRange(1, 5, 1, 6), "2")
CALL = ToolCall("1", "2", True, 3, 4, ("x",))

BLOCKS = {
    "lines": (PLAIN, "5d36be3f378da1b0"),
    "another path": (PLAIN._replace(file_path="b.py"), "7613441fc271aff3"),
    "anchors": (PLAIN._replace(anchor="a\n", trailing_anchor="b\n"), "46ae2f364c9ce833"),
    "the anchors exchanged": (PLAIN._replace(anchor="b\n", trailing_anchor="a\n"), "059801552e8b6b38"),
    "an action": (PLAIN._replace(action="delete-file"), "5b5f048e4f085335"),
    "a new path": (PLAIN._replace(action="rename", new_path="b.py"), "76cc9e1d46c69c50"),
    "scopes": (PLAIN._replace(scopes=("def f():",)), "10fddf93a45f73a2"),
    "at the end": (PLAIN._replace(at_end=True), "ae6ddea549016a97"),
    "a line": (PLAIN._replace(line_hint=7), "78803942d90752bc"),
    "the line after": (PLAIN._replace(line_after=7), "a05c5aab3d76c5ec"),
    "no newline after": (PLAIN._replace(ends=("", "no")), "bdec50510c9116ed"),
    "CR LF": (PLAIN._replace(has_crlf=True), "e6d3b0e6669daaf5"),
    "the lines of a thread": (PLAIN._replace(thread_lines=ThreadLines(4, 6, "c" * 40)), "05b0d753c468b6f1"),
    "ranges": (PLAIN._replace(range_edits=(EDIT,)), "9e87ec76668f85be"),
    "a call": (PLAIN._replace(call=CALL), "0645583179b4ffce"),
    "a letter beyond Unicode": (PLAIN._replace(new_lines="\ud800\u00e9\n"), "e670f543c913e562"),
}
TEXT = Response("a\r\nb\n")
RESPONSES = {
    "a text": (TEXT, "911169ddaaf146af"),
    "a file": (TEXT._replace(blob="b" * 40, source=Source("x", "file", path=".edits/a.md")), "6eb0070d4802775c"),
    "a review": (Response.of((Part(1, "a"), Part(2, "b")), Source("x", "review")), "3ebae611aa8b2c94"),
    "another comment": (Response.of((Part(1, "a"), Part(3, "b")), Source("x", "review")), "85776cc8d9f88e73"),
}
UNSEEN = {
    "where it stands": PLAIN._replace(number=2, line_number=30, end_line=90),
    "how its path was found": PLAIN._replace(path_source="P3", weak_path=True),
    "its text": PLAIN._replace(raw_block="<<<<<<<\n"),
}


@pytest.mark.parametrize(("block", "digest"), BLOCKS.values(), ids=BLOCKS)
def test_the_digest_of_a_request(block: EditBlock, digest: str) -> None:
    assert block.digest[:16] == digest
    assert len(block.digest) == 64


@pytest.mark.parametrize("block", UNSEEN.values(), ids=UNSEEN)
def test_what_is_not_part_of_a_request(block: EditBlock) -> None:
    assert block.digest == PLAIN.digest


def test_an_empty_call_is_a_call() -> None:
    assert PLAIN._replace(call=ToolCall()).digest != PLAIN.digest


@pytest.mark.parametrize(("response", "digest"), RESPONSES.values(), ids=RESPONSES)
def test_the_digest_of_an_answer(response: Response, digest: str) -> None:
    assert response_digest(response)[:16] == digest


def test_line_ends_are_no_part_of_an_answer() -> None:
    assert response_digest(Response("a\nb\n")) == response_digest(TEXT)


def test_equal_blocks_of_an_answer_have_different_keys() -> None:
    assert block_key(PLAIN) == f"1 {PLAIN.digest}"
    assert block_key(PLAIN._replace(number=2)) == f"2 {PLAIN.digest}"
