"""Where scopes let a hunk stand: docs/reference/rules.md, "where a hunk fits"."""

import pytest

from editblocks.matching.narrowing import Scopes
from editblocks.text.source_text import SourceText

CLASSES = """\
class A:
    def f(self):
        return 1

    # a comment
    def g(self):
        return 2
}
class B:
    def f(self):
        return 3
"""
HEADINGS = """\
# Guide
intro
## Install
pip
### On Windows
choco
## Use
run
# End
"""
NESTED = """\
def f():
    def f():
        x
    y
z
"""
FLAT = """\
name = 1
size = 2
name = 3
size = 4
"""
DEEP = """\
class A:
    name = 1
    size = 2

class B:
    name = 1
    size = 2
"""
DECORATED = """\
class A:
    @property
    def x(self):
        return 1

class B:
    def y(self):
        return 1
"""

# the text, the scopes, and the lines (from 1) at which a hunk may begin
HOLD: dict[str, tuple[str, tuple[str, ...], list[int]]] = {
    "a method, up to its sibling; a comment does not end it": (CLASSES, ("def g(self):",), [6, 7, 8]),
    "every line that is the scope": (CLASSES, ("def f(self):",), [2, 3, 4, 5, 10, 11, 12]),
    "a chain": (CLASSES, ("class B:", "def f(self):"), [10, 11, 12]),
    "lines in a row, below the one above": (CLASSES, ("class B:", "def f(self):\nreturn 3"), [10, 11, 12]),
    "a class, up to the next, over a brace": (CLASSES, ("class A:",), [*range(1, 9)]),
    "the beginning of a line": (CLASSES, ("class B",), [9, 10, 11, 12]),
    "no line that only begins like it": ("fun\n  a\nfu(x)\n  b\n", ("fu",), [3, 4, 5]),
    "a line that is it, rather than one that begins with it": ("f(x)\n  a\nf\n  b\n", ("f",), [3, 4, 5]),
    "a heading, up to its sibling": (HEADINGS, ("## Install",), [3, 4, 5, 6]),
    "a heading, over those below it": (HEADINGS, ("# Guide",), [*range(1, 9)]),
    "a heading below a heading": (HEADINGS, ("# Guide", "### On Windows"), [5, 6]),
    "one in the other": (NESTED, ("def f():",), [1, 2, 3, 4]),
    "the inner one": (NESTED, ("def f():", "def f():"), [2, 3]),
    "flat text: all that is below": (FLAT, ("name = 3",), [3, 4, 5]),
    "flat text: below the first of several": ("a\nb\na\nc\n", ("a",), [1, 2, 3, 4, 5]),
    "flat text in a class ends with the class": (DEEP, ("class A:", "name = 1"), [2, 3, 4]),
    "a decorator ends with its class": (DECORATED, ("class A:", "@property"), [2, 3, 4, 5]),
    "blank lines are no body": ("a\n\n\nb\nx\n", ("a",), [*range(1, 7)]),
    "one with a body, so one without does not count": ("a\nb\na\n  x\nb\n", ("a",), [3, 4]),
    "blanks around a line do not count": ("\tdef f():  \n\t\tx\ny\n", ("def f():",), [1, 2]),
    "a tag ends with its end": ("<p>\n text\n</p>\n<p>\n", ("<p>",), [1, 2]),
    "a line that is one letter ends a body": ("a:\n  b\nX\nc\n", ("a:",), [1, 2]),
    "a scope of one letter": ("X\n  a\nb\n", ("X",), [1, 2]),
    "a body of one letter": ("a\n  X\na\nb\n", ("a",), [1, 2]),
    "a body of one form feed": ("a\n \f\nb\na\nc\n", ("a",), [1, 2]),
    "the same line above the scope": ("f\n  x\nclass:\n  f(x)\n    a\n", ("class:", "f"), [4, 5, 6]),
    "the same line right below the scope": ("class:\n  f(x)\n    a\nf\n", ("class:", "f"), [2, 3]),
    "lines in a row, and a blank one": ("a\n\n", ("a\n",), [1, 2, 3]),
    "one right below the other": ("a:\n  x\na:\n  y\n", ("a:",), [1, 2, 3, 4, 5]),
    "a line that begins with an underscore ends a body": ("a:\n  b\n_x\nc\n", ("a:",), [1, 2]),
    "a line that begins with a form feed ends none": (" a:\n  x\n\fb\n", ("a:",), [1, 2, 3, 4]),
    "`#` is no beginning of `##`": ("## a\nx\n# b\ny\n", ("#",), [3, 4, 5]),
}


@pytest.mark.parametrize(("text", "names", "lines"), HOLD.values(), ids=HOLD)
def test_a_place_must_begin_within_its_scopes(text: str, names: tuple[str, ...], lines: list[int]) -> None:
    scopes = Scopes(names, SourceText.of(text))
    assert scopes.missing == ()
    assert [line for line in range(1, text.count("\n") + 2) if scopes.contain(line - 1)] == lines


# the text, the scopes, and those down to the first that is not there
MISSING: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "nowhere": (CLASSES, ("def h",), ("def h",)),
    "part of a name": (CLASSES, ("def",), ()),
    "part of a word": (CLASSES, ("clas",), ("clas",)),
    "not in the one above": (CLASSES, ("class B:", "def g(self):"), ("class B:", "def g(self):")),
    "lines in a row that are not in the one above": (
        CLASSES,
        ("class B:", "def g(self):\nreturn 2"),
        ("class B:", "def g(self):\nreturn 2"),
    ),
    "a form feed is no blank": ("\fa\n", ("a",), ("a",)),
    "lines in a row that end below the one above": ("A:\n  a\nb\n", ("A:", "a\nb"), ("A:", "a\nb")),
    "above is missing": (CLASSES, ("class C:", "def g(self):"), ("class C:",)),
    "no line is below itself": (CLASSES, ("class A:", "class A:"), ("class A:", "class A:")),
    "an empty file": ("", ("a",), ("a",)),
}


@pytest.mark.parametrize(("text", "names", "missing"), MISSING.values(), ids=MISSING)
def test_a_scope_may_be_missing(text: str, names: tuple[str, ...], missing: tuple[str, ...]) -> None:
    scopes = Scopes(names, SourceText.of(text))
    assert scopes.missing == missing
    assert not (missing and scopes.are_bounded)
    assert bool(missing) is not any(scopes.contain(line) for line in range(text.count("\n") + 1))


@pytest.mark.parametrize(
    ("text", "names", "is_so"),
    [
        (CLASSES, ("def g(self):",), True),
        (FLAT, ("name = 3",), False),
        (CLASSES, ("class B:", "def f(self):\nreturn 3"), False),
    ],
    ids=["a method", "flat text", "lines in a row"],
)
def test_whether_the_text_says_where_a_scope_ends(text: str, names: tuple[str, ...], is_so: bool) -> None:
    assert Scopes(names, SourceText.of(text)).are_bounded is is_so
