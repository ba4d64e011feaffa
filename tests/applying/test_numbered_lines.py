"""Line numbers in the new text alone: amendment A12."""

import pytest

from editblocks.applying.content_checks import _line_numbers

OLD = "one();\n\ntwo();\n}\n"
REFUSED = {
    "bars": ["1 | one();", "2 |", "3 | TWO();"],
    "arrows": ["     1→one();", "     2→TWO();"],
    "tabs": ["     7\tone();", "     8\tTWO();"],
    "colons": ["12: one();", "13: TWO();"],
    "one line": ["3 | two();"],
    "deeper": ["9 |     one();", "10 |     x"],
}
TEXT = {
    "no numbers": ["one();", "TWO();"],
    "a line without": ["1 | one();", "TWO();"],
    "a line that begins with a number": ["1 | one();", "2nd();"],
    "a table": ["1 | a", "2 | b"],
    "numbers that do not rise by one": ["1 | one();", "3 | two();"],
    "numbers that fall": ["2 | one();", "1 | two();"],
    "only a sign comes back": ["1 | }", "2 | x"],
    "nothing": [],
}


@pytest.mark.parametrize("added", REFUSED.values(), ids=REFUSED)
def test_numbers_from_a_listing_are_refused(added: list[str]) -> None:
    mismatch = _line_numbers(added, OLD)
    assert mismatch is not None
    assert (mismatch.code.value, mismatch.advice) == ("malformed", "leave the numbers out")
    assert mismatch.what.startswith("each new line begins with a line number (")


@pytest.mark.parametrize("added", TEXT.values(), ids=TEXT)
def test_numbers_that_are_text_stay(added: list[str]) -> None:
    assert _line_numbers(added, OLD) is None
