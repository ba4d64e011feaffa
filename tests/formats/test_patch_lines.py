"""The lines of patches: the name in a header, and the sign of a line."""

from __future__ import annotations

import pytest

from editblocks.formats.patch_lines import has_time, raw_name, sign_of

NAMES = {
    "a name": ("--- a.py", "a.py"),
    "blanks around": ("---  a.py ", "a.py"),
    "one letter": ("--- X", "X"),
    "a form feed is of the name": ("--- \fa.py\f", "\fa.py\f"),
    "a tab ends it": ("+++ a.py\tlater", "a.py"),
    "a remark": ("--- a.py  (working copy)", "a.py"),
    "a remark, and blanks": ("--- a.py  (revision 7)  ", "a.py"),
}


@pytest.mark.parametrize(("line", "name"), NAMES.values(), ids=NAMES)
def test_the_name_in_a_header(line: str, name: str) -> None:
    assert raw_name(line) == name


@pytest.mark.parametrize(
    ("line", "sign"), [("", ""), (" a", " "), ("+a", "+"), ("-a", "-"), ("\\ No", "\\"), ("\\a", None), ("X", None)]
)
def test_the_sign_of_a_line(line: str, sign: str | None) -> None:
    assert sign_of(line) == sign


@pytest.mark.parametrize(
    ("name", "is_timed"),
    [("a.py 2026-11-29 16:00:00", True), ("a.py", False), (f"{'a' * 300}.py 2026-11-29 16:00:00", True)],
)
def test_a_time_behind_a_name(name: str, is_timed: bool) -> None:
    assert has_time(name) is is_timed
