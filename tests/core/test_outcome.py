"""Which of several texts holds a line of the response that they were joined to."""

from __future__ import annotations

from editblocks.core.outcome import Part, Response, Source

PARTS = (Part(1, "a\nb"), Part(2, "c"), Part(3, "d\ne\n"))


def test_a_line_belongs_to_the_part_that_holds_it() -> None:
    response = Response.of(PARTS, Source("x", "review"))
    found = [response.part_at(line) for line in range(1, response.text.count("\n") + 2)]
    assert [part.id for part in found if part is not None] == [1, 1, 1, 2, 2, 3, 3, 3]
    assert response.text.split("\n") == ["a", "b", "", "c", "", "d", "e", ""]


def test_no_part_holds_a_line_behind_the_end() -> None:
    assert Response.of(PARTS, Source("x", "review")).part_at(99) is None
    assert Response("a").part_at(1) is None
