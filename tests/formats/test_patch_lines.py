"""The lines of patches: the names in their headers, and the sign of a line."""

import pytest

from editblocks.formats.hunks import has_time, raw_name, sign_of
from editblocks.formats.unified import decoded, name_of_git

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


OF_GIT = {
    "sides": ("diff --git a/x.py b/x.py", "x.py"),
    "no sides": ("diff --git x.py x.py", "x.py"),
    "other sides": ("diff --git i/x.py w/x.py", "x.py"),
    "one letter": ("diff --git X X", "X"),
    "blanks around": ("diff --git  a/x.py b/x.py ", "x.py"),
    "blanks in it": ("diff --git a/x y.py b/x y.py", "x y.py"),
    "a form feed is of the name": ("diff --git a/x.py\f b/x.py\f", "x.py\f"),
    "quoted": ('diff --git "a/\\303\\266.py" "b/\\303\\266.py"', "ö.py"),
    "a bad escape": ('diff --git "a/\\9.py" "b/\\9.py"', None),
    "two names": ("diff --git a/x.py b/y.py", None),
    "one name": ("diff --git a/x.py", None),
    "another line": ("--- a/x.py b/x.py", None),
}


@pytest.mark.parametrize(("line", "name"), OF_GIT.values(), ids=OF_GIT)
def test_the_one_name_behind_diff_git(line: str, name: str | None) -> None:
    assert name_of_git(line) == name


DECODED = {
    "none": ("/dev/null", None),
    "plain": ("a/x.py", "a/x.py"),
    "of Windows": ("a\\x.py", "a/x.py"),
    "escapes": (r'"\a\b\t\n\v\f\r\"\\"', '\a\b\t\n\v\f\r"\\'),
    "bytes": (r'"\303\266\001"', "ö\x01"),
    "a letter that git leaves": ('"ö"', "ö"),
    "half a character": ('"\ud800"', "\ud800"),
}


@pytest.mark.parametrize(("name", "path"), DECODED.values(), ids=DECODED)
def test_a_name_without_its_quotes(name: str, path: str | None) -> None:
    assert decoded(name) == path


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
