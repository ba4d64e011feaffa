"""Patterns that are compiled when they are first used: what they do, and that every one of ours is one."""

from __future__ import annotations

import copy
import pkgutil
import re
from importlib import import_module

import pytest

import editblocks
from editblocks.core.lazy_regex import regex

USES = [
    ("match", ("ab",), "a"),
    ("fullmatch", ("ab",), None),
    ("search", ("ba",), "a"),
]


@pytest.mark.parametrize(("method", "arguments", "found"), USES, ids=[row[0] for row in USES])
def test_it_does_what_a_compiled_pattern_does(method: str, arguments: tuple[str, ...], found: str | None) -> None:
    for pattern in (regex("A", re.IGNORECASE), re.compile("A", re.IGNORECASE)):
        match = getattr(pattern, method)(*arguments)
        assert (match and match[0]) == found


def test_what_gives_more_than_one_match() -> None:
    letters = regex("[a-c]")
    assert (letters.findall("abxc"), letters.sub("-", "abxc"), letters.subn("-", "a")) == (
        ["a", "b", "c"],
        "--x-",
        ("-", 1),
    )
    assert ([found.start() for found in letters.finditer("xab")], letters.split("xay")) == ([1, 2], ["x", "y"])
    assert (letters.pattern, letters.groups, regex("(.)", re.DOTALL).groups) == ("[a-c]", 0, 1)


def test_bytes_and_flags() -> None:
    assert regex(rb"\w+", re.ASCII).findall(b"a b") == [b"a", b"b"]
    assert regex("a", re.MULTILINE).flags == re.compile("a", re.MULTILINE).flags


def test_it_is_compiled_once_and_not_before_it_is_used() -> None:
    broken = regex("(")
    with pytest.raises(re.error):
        broken.match("")
    used = regex("a")
    assert "match" not in vars(used)
    assert (used.match("a") is not None, "match" in vars(used)) == (True, True)


def test_what_no_pattern_has_is_not_there() -> None:
    assert not hasattr(regex("("), "nothing")
    assert copy.copy(regex("a")).match("a")


def test_every_pattern_of_ours_can_be_compiled() -> None:
    """Else a broken one would be found by whoever first meets the text that it is for."""
    late = type(regex(""))
    count = 0
    for found in pkgutil.walk_packages(editblocks.__path__, "editblocks."):
        if found.name != "editblocks.__main__":
            values = vars(import_module(found.name)).values()
            patterns = [value for value in values if type(value) is late]
            assert all(pattern.groups >= 0 for pattern in patterns), found.name
            count += len(patterns)
    assert count > 100
