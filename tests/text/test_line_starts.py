"""A few lines of a long text, without a list of all of them."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from editblocks.text.line_index import LineStarts

NUMBERS = st.integers(1, 8)


@given(st.text("a\r\n", max_size=8), NUMBERS, NUMBERS)
def test_the_same_lines_as_a_list_of_them_has(text: str, first: int, last: int) -> None:
    assert LineStarts(text).between(first, last) == "\n".join(text.split("\n")[first - 1 : last])


def test_a_mebibyte_of_short_lines_takes_a_few() -> None:
    text = "@@\n" * (1 << 18)
    tracemalloc.start()
    try:
        assert LineStarts(text).between(2, 3) == "@@\n@@"
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text)
    finally:
        tracemalloc.stop()
