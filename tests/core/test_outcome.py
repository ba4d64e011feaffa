"""Responses of several texts: how they are joined, and which holds a line; files that cannot be read."""

import pytest

from editblocks.core.blocks import Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigTextError, UnreadableFile
from editblocks.core.outcome import Part, Response, Source, unreadable

PARTS = (Part(1, "a\nb"), Part(2, "c"), Part(3, "d\ne\n"))


def test_a_line_belongs_to_the_part_that_holds_it() -> None:
    response = Response.of(PARTS, Source("x", "review"))
    found = [response.part_at(line) for line in range(1, response.text.count("\n") + 2)]
    assert [part.id for part in found if part is not None] == [1, 1, 1, 2, 2, 3, 3, 3]
    assert response.text.split("\n") == ["a", "b", "", "c", "", "d", "e", ""]


def test_no_part_holds_a_line_behind_the_end() -> None:
    assert Response.of(PARTS, Source("x", "review")).part_at(99) is None
    assert Response("a").part_at(1) is None


def test_a_review_is_joined_in_the_order_of_its_ids() -> None:
    parts = (Part(2, "b\r\n"), Part(1, "z"), Part(2, "a\r\nc"))
    response = Response.of(parts, Source("x", "review"), base="c0ffee")
    assert response.text == "z\n\nb\n\n\na\nc"
    assert [part.text for part in response.parts] == ["z", "b\n", "a\nc"]
    assert response.base == "c0ffee"
    assert Response.of(parts, Source("x", "review")).base is None


ROWS: dict[str, tuple[UnreadableFile | ConfigTextError, Problem]] = {
    "front matter": (
        ConfigTextError("a.md", 3, "it is wrong"), Problem(1, 3, 3, ReasonCode.BAD_CONFIG, "it is wrong")
    ),
    "not text": (
        UnreadableFile(ReasonCode.BINARY, "it is binary", "leave it"),
        Problem(1, 1, 1, ReasonCode.BINARY, "it is binary", "save it as UTF-8 text"),
    ),
    "another reason": (
        UnreadableFile(ReasonCode.FILE_NOT_FOUND, "it is gone", "restore it"),
        Problem(1, 1, 1, ReasonCode.FILE_NOT_FOUND, "it is gone", "restore it"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("error", "row"), ROWS.values(), ids=ROWS)
def test_a_response_file_that_cannot_be_read_is_one_row(error: UnreadableFile | ConfigTextError, row: Problem) -> None:
    assert unreadable(error) == row
