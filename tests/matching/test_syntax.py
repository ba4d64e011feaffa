"""The level `syntax`: the same tokens and tree in other white space: docs/reference/rules.md, "loose levels"."""

import sys

import pytest

from editblocks.core.errors import LevelUnavailable
from editblocks.matching.ladder import STEPS_A_BLOCK, Budget, Placement
from editblocks.matching.syntax import MOST_TRIES, STEPS_A_ROUND, SqueezedText, propose
from editblocks.text.languages import MOST_BYTES, SYNTAXES, SourceLanguage, SyntaxReader, TooHard, is_too_nested
from editblocks.text.source_text import SourceText


def places(path: str, file: str, search: str, replace: str, budget: Budget | None = None) -> list[Placement]:
    return list(propose(search.split("\n"), replace.split("\n"), SourceText.of(file), path, budget or Budget()))


def results(path: str, file: str, search: str, replace: str) -> list[str]:
    """What each proposal would make of the file; a second run must not change it."""
    found = []
    for place in places(path, file, search, replace):
        source = SourceText.of(file)
        source.splice(place.start, place.stop, place.new)
        found.append(source.text())
        for again in places(path, found[-1], search, replace):
            assert again.new == tuple(range(again.start, again.stop)), "a second run changes more"
    return found


# path, file, SEARCH, REPLACE, the file afterwards
FOUND: dict[str, tuple[str, str, str, str, str]] = {
    "lines joined": (
        "a.js",
        "a;\ncall(\n  b,\n  c\n);\nd;\n",
        "call(b, c);",
        "call(c, b);",
        "a;\ncall(c, b);\nd;\n",
    ),
    "lines parted": (
        "a.go",
        "package a\n\nvar x = f(1, 2)\n",
        "var x=f(1,\n 2)",
        "var x = 3",
        "package a\n\nvar x = 3\n",
    ),
    "a line that is kept keeps the file's bytes": (
        "a.py",
        "def f(a):\n    if  a:\n        b( )\n\n        c()\n",
        "def f( a ):\n    if a:\n        b()\n\n        c()",
        "def f( a ):\n    if a:\n        b()\n\n        d()",
        "def f(a):\n    if  a:\n        b( )\n\n        d()\n",
    ),
    "context is kept from below too": (
        "a.c",
        "int a=1;\nint  b;\n\nint   c;\n",
        "int a = 1;\nint b;\n\nint c;",
        "int a = 2;\nint b;\n\nint c;",
        "int a = 2;\nint  b;\n\nint   c;\n",
    ),
    "context that ends within a line of the file": (
        "a.js",
        "f(a, b); g();\nh( 1 );\n",
        "f(a,\n  b);\ng();\nh(1);",
        "f(a,\n  b);\ng();\nh(2);",
        "f(a, b); g();\nh(2);\n",
    ),
    "context of which the first line is whole": (
        "a.js",
        "a( 1 );\nb(2); c(3);\n",
        "a(1);\nb(2);\nc(3);",
        "a(1);\nb(2);\nd(3);",
        "a( 1 );\nb(2);\nd(3);\n",
    ),
    "no context ends where a line does": (
        "a.js",
        "f(a); g( 1 );\n",
        "f(a);\ng(1);",
        "f(a);\ng(2);",
        "f(a);\ng(2);\n",
    ),
    "two spaces where the file has four": (
        "a.py",
        "def f(a):\n    if a:\n        b()\n        c()\n    d()\n",
        "def f(a):\n  if a:\n    b()\n    c()\n  d()",
        "def f(a):\n  if a:\n    b()\n    for e in a:\n      e()\n  d()",
        "def f(a):\n    if a:\n        b()\n        for e in a:\n            e()\n    d()\n",
    ),
    "four spaces where the file has two": (
        "a.json",
        '{\n  "a": {\n    "b": 1\n  }\n}\n',
        '    "a": {\n        "b": 1\n    }',
        '    "a": {\n        "b": [\n            1\n        ]\n    }',
        '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}\n',
    ),
    "spaces where the file has tabs": (
        "g.go",
        "func main() {\n\tif true {\n\t\ta()\n\t\tb()\n\t}\n}\n",
        "    if true {\n        a()\n        b()\n    }",
        "    if true {\n        a()\n        x()\n        b()\n        if y {\n            z()\n        }\n    }",
        "func main() {\n\tif true {\n\t\ta()\n\t\tx()\n\t\tb()\n\t\tif y {\n\t\t\tz()\n\t\t}\n\t}\n}\n",
    ),
    "tabs where the file has spaces": (
        "a.json",
        '{\n  "a": 1,\n  "b": 2\n}\n',
        '\t"a": 1,\n\t"b": 2',
        '\t"a": 1,\n\t"c": {\n\t\t"d": 3\n\t},\n\t"b": 2',
        '{\n  "a": 1,\n  "c": {\n    "d": 3\n  },\n  "b": 2\n}\n',
    ),
    "tabs in a file of Python": (
        "a.py",
        "if a:\n\tb( )\n\tc()\n",
        "    b()\n    c()",
        "    b()\n    for x in y:\n        x()\n    c()",
        "if a:\n\tb( )\n\tfor x in y:\n\t\tx()\n\tc()\n",
    ),
    "white space behind the tabs aligns": (
        "a.js",
        "class A {\n\t/**\n\t * one\n\t */\n\tb() {\n\t\tc();\n\t}\n}\n",
        "    /**\n     * one\n     */\n    b() {",
        "    /**\n     * one\n     * two\n     */\n    b() {",
        "class A {\n\t/**\n\t * one\n\t * two\n\t */\n\tb() {\n\t\tc();\n\t}\n}\n",
    ),
    "context that would change the meaning is not kept": (
        "a.js",
        "b();\na( 1 ); // `\n",
        "b();\na(1); // `",
        "b = `x\na(1); // `",
        "b = `x\na(1); // `\n",
    ),
    "context of which one line would change the meaning": (
        "a.js",
        "c();\nb();\na( 1 ); // `\n",
        "c();\nb();\na(1); // `",
        "c();\nb = `x\na(1); // `",
        "c();\nb = `x\na(1); // `\n",
    ),
    "the file's blank lines, where SEARCH has one": (
        "a.py",
        "a( )\n\n\n# b\nc()\n",
        "a()\n\n# b\nc()",
        "a()\n\nc()",
        "a( )\n\n\nc()\n",
    ),
    "shifted right": (
        "a.py",
        "class A:\n    def f(self):\n        return  1\n",
        "def f(self):\n    return 1",
        "def f(self):\n    return 2",
        "class A:\n    def f(self):\n        return 2\n",
    ),
    "shifted left": (
        "a.py",
        "a = f( 1 )\nb()\nc()\n",
        "    a = f(1)\n    b()\n    c()",
        "    a = f(2)\n    b()\n    c()\n    d = 3",
        "a = f(2)\nb()\nc()\nd = 3\n",
    ),
    "shifted left by a space before a tab": (
        "a.js",
        "x;\n\ta( 1 );\n\tb();\n",
        " \ta(1);\n \tb();",
        " \ta(2);\n \tb();",
        "x;\n\ta(2);\n\tb();\n",
    ),
    "one line shifted, of lines broken otherwise": (
        "a.py",
        "class A:\n    x = f( 1 )\n",
        "x = f(\n1)",
        "x = f(\n2)",
        "class A:\n    x = f(\n    2)\n",
    ),
    "tabs where SEARCH has spaces": (
        "a.c",
        "void f()\n{\n\ta( 1 );\n}\n",
        "  a(1);",
        "  a(2);",
        "void f()\n{\n\ta(2);\n}\n",
    ),
    "comments are tokens": ("a.rs", "a( // one\n  1 );\n", "a( // one\n  1);", "a(2);", "a(2);\n"),
    "blank lines of SEARCH go": ("a.js", "a\n\n\nb( 1 )\n\nc\n", "\nb(1)\n", "b(2)", "a\n\nb(2)\nc\n"),
    "blank lines on both sides are the file's": ("a.js", "a\nb( 1 )\nc\n", "\nb(1)\n\n", "\nb(2)\n\n", "a\nb(2)\nc\n"),
    "blank lines of SEARCH go above": ("a.js", "a\n\n\nb( 1 )\nc\n", "\n\nb(1)", "b(2)", "a\nb(2)\nc\n"),
    "blank lines of SEARCH go below": ("a.js", "a\nb( 1 )\n\n\nc\n", "b(1)\n\n", "b(2)", "a\nb(2)\nc\n"),
    "a line of one letter is shifted": ("a.js", "{\n  X\n  b( );\n}\n", "X\nb();", "X\nc();", "{\n  X\n  c();\n}\n"),
    "blank lines of the file stay above": ("a.js", "a\n\nb( 1 )\nc\n", "\nb(1)", "\nb(2)", "a\n\nb(2)\nc\n"),
    "blank lines of the file stay below": ("a.js", "a\nb( 1 )\n\nc\n", "b(1)\n", "b(2)\n", "a\nb(2)\n\nc\n"),
    "blank lines on both sides, and context that is not kept": (
        "a.js",
        "b();\na( 1 ); // `\n",
        "\n\nb();\na(1); // `\n\n",
        "\n\nb = `x\na(1); // `\n\n",
        "b = `x\na(1); // `\n",
    ),
    "a file that is broken elsewhere": ("a.c", "int a( {\n}\nint b ;\n", "int b;", "int c;", "int a( {\n}\nint c;\n"),
    "strings in a row": ("a.py", "x = ('a'\n     'b')\n", "x = ('a' 'b')", "x = 'c'", "x = 'c'\n"),
    "a multi-line string that stays": (
        "a.py",
        "class A:\n    x = f( '''a\n    b''' )\n",
        "x = f('''a\nb''')",
        "x = g('''a\nb''')",
        "class A:\n    x = g('''a\n    b''' )\n",
    ),
    "an insertion": ("a.js", "a( 1 )\nb()\n", "a(1)", "a(1)\nfresh()", "a( 1 )\nfresh()\nb()\n"),
    "an insertion in another form": ("a.js", "a( 1 )\nb()\n", "a(1)", "a(\n 1)\nfresh()", "a(\n 1)\nfresh()\nb()\n"),
    "an insertion above that is there": (
        "a.js",
        "fresh( )\na( 1 )\nb()\n",
        "a(1)",
        "fresh()\na(1)",
        "fresh( )\na( 1 )\nb()\n",
    ),
    "an insertion that is there": (
        "a.js",
        "a( 1 )\nfresh( )\nb()\n",
        "a(1)",
        "a(1)\nfresh()",
        "a( 1 )\nfresh( )\nb()\n",
    ),
    "white space alone": ("a.js", "f( 1 )\n", "f(1)", "f(1 )", "f(1 )\n"),
    "a line out of its block": (
        "a.py",
        "if a :\n    b()\n    c()\n",
        "if a:\n    b()\n    c()",
        "if a:\n    b()\nc()",
        "if a :\n    b()\nc()\n",
    ),
    "half a character in the new lines": (
        "a.py",
        "x = f( 1 )\n",
        "x = f(1)",
        "x = '\ud800'",
        "x = '\ud800'\n",
    ),
    "a file with 50 errors": ("a.js", "x = ;\n" * 50 + "f( 1 )\n", "f(1)", "f(2)", "x = ;\n" * 50 + "f(2)\n"),
    "no newline at the end": ("a.py", "a = [\n1]", "a = [1]", "a = [2]", "a = [2]"),
}


@pytest.mark.parametrize(("path", "file", "search", "replace", "after"), FOUND.values(), ids=FOUND)
def test_the_same_in_other_white_space(path: str, file: str, search: str, replace: str, after: str) -> None:
    assert results(path, file, search, replace) == [after]


# path, file, SEARCH: it says something else, or it cannot be told
OTHER: dict[str, tuple[str, str, str]] = {
    "a string with other spaces": ("a.py", "x = 'a  b'\n", "x = 'a b'"),
    "other quotes": ("a.py", "x = 'a'\n", 'x = "a"'),
    "a trailing comma": ("a.py", "x = f(a,\n b,\n)\n", "x = f(a, b)"),
    "a docstring in other lines": ("a.py", 'def f():\n    """A\n    b."""\n', 'def f():\n    """A b."""'),
    "text inside a docstring": ("a.py", '"""\nx  =  1\n"""\n', "x = 1"),
    "another block": ("a.py", "if a:\n    b()\nc( )\n", "if a:\n    b()\n    c()"),
    "tabs for spaces where indentation is syntax": ("a.py", "if a:\n\tb( )\n", "    b()"),
    "a statement that ends at the line": ("a.js", "function f() {\nreturn\nx\n}\n", "return x"),
    "two words are not one": ("a.js", "a b\n", "ab"),
    "an operator in two": ("a.js", "x = a + + b\n", "x = a ++ b"),
    "a call and an index": ("a.rb", "f [1]\n", "f[1]"),
    "a macro with parameters": ("a.c", "#define f (x)\n", "#define f(x)"),
    "words of a comment": ("a.go", "package a\n// one  two\n", "// one two"),
    "text of an element": ("a.jsx", "x = <b>one  two</b>;\n", "x = <b>one two</b>;"),
    "lines of a heredoc": ("a.rb", "x = <<A\n one\n two\nA\n", " one two"),
    "text between the code": ("a.php", "<b>one  two</b>\n<?php f(); ?>\n", "<b>one two</b>"),
    "only a part of a line": ("a.py", "x = f( 1 ); y = 2\n", "x = f(1)"),
    "nothing": ("a.py", "x = 1\n", "\n"),
    "nothing like it": ("a.py", "x = 1\n", "y = 1"),
    "half a character": ("a.py", "x = 1\n", "x = '\ud800'"),
}


@pytest.mark.parametrize(("path", "file", "search"), OTHER.values(), ids=OTHER)
def test_what_says_something_else_is_no_place(path: str, file: str, search: str) -> None:
    assert places(path, file, search, "other = 1") == []


# path, file, SEARCH, REPLACE: the place is right, the change is not
REFUSED: dict[str, tuple[str, str, str, str]] = {
    "one line, shifted": ("a.py", "a = f( 1 )\n", "    a = f(1)", "    a = f(2)\n    b = 3"),
    "REPLACE is not shifted": ("a.py", "a = f( 1 )\nb()\n", "    a = f(1)\n    b()", "a = f(2)\nb()"),
    "one line shifted, where indentation is not syntax": ("a.js", "  x = f( 1 );\n", "x = f(\n1);", "x = f(\n2);"),
    "the first line alone is shifted": ("a.js", "  a(1);\n  b( 1 );\n", "a(1);\n  b(1);", "a(1);\n  b(2);"),
    "the shift would change a string": (
        "a.py",
        "def f():\n    a( )\n    b()\n    c()\n",
        "a()\nb()\nc()",
        "a()\nx = '''q\nr'''\nb()\nc()",
    ),
    "a new line cannot follow to the left": (
        "a.js",
        "b();\nc( );\nd();\n",
        "  b();\n  c();\n  d();",
        "  b();\n\t\t\tq();\n  d();",
    ),
    "the result would not parse": ("a.py", "x = f( 1 )\n", "x = f(1)", "x = f(1"),
    "a broken file would be broken there too": ("a.c", "int a = ;\nint b ;\n", "int b;", "int b = ;"),
    "a deletion": ("a.py", "x = f( 1 )\ny = 2\n", "x = f(1)", ""),
    "the new text stands below": ("a.py", "x = f( 1 )\ny = 2\n", "x = f(1)", "y = 2"),
    "the new text stands elsewhere": ("a.py", "y = 2\nx = f( 1 )\n", "x = f(1)", "y = 2"),
    "the new text is around, and says something else": (
        "a.py",
        "if a:\n    b( )\nfresh()\n",
        "    b()",
        "    b()\n    fresh()",
    ),
    "the new text is around, in other lines": ("a.js", "a( 1 )\nfresh(); b()\n", "a(1)", "a(1)\nfresh();"),
    "a string would be shifted": ("a.py", "class A:\n    x = f( 1 )\n", "x = f(1)", "x = '''a\nb'''"),
    "a line cannot follow to the left": ("a.py", "x = f( 1 )\n", "  x = f(1)", "  x = f(\n2)"),
    "a line of one form feed, where all lines are needed": (
        "a.py",
        "if a:\n  b()\n",
        "if a:\n    b()\n\f",
        "if a:\n    d()",
    ),
    "a second run would go on": ("a.js", "a( )\nb()\nb()\n", "a()\nb()", "a()"),
    "a line of two that the file indents alike": ("a.js", "f(\n\ta,\n\tb)\n", "f(\n    a,\n        b)", "f(\n    b)"),
    "lines broken otherwise, and tabs": ("a.js", "if (a) {\n\tf(b, c);\n}\n", "    f(b,\n        c);", "    f(c);"),
    "an indentation that was lost, or units of two spaces": (
        "a.js",
        "if (a) {\n\tif (b) {\n\t\tc( );\n\t}\n}\n",
        "    c();",
        "    if (d) {\n        c();\n    }",
    ),
    "new lines align where none did": ("a.js", "if (a) {\n\tb( );\n}\n", "    b();", "    b(c,\n      d);"),
    "only the new lines are in the file's unit": (
        "a.js",
        "if (a) {\n    b( );\n}\n",
        "if (a) {\n  b();\n}",
        "if (a) {\n    b();\n    c();\n}",
    ),
    "old lines without their indentation": (
        "a.js",
        "if (a) {\n\tif (b) {\n\t\tc();\n\t}\n}\n",
        "if (b) {\n    c();\n}",
        "    if (b) {\n        d();\n    }",
    ),
    "new lines in spaces, and nothing says what a tab is": (
        "a.js",
        "a( )\nif (b) {\n\tc()\n}\n",
        "a()",
        "if (a) {\n    d()\n}",
    ),
    "a shift, or another unit": (
        "a.js",
        "if (a) {\n  b();\n  c( );\n  if (d) {\n    e();\n  }\n}\n",
        "    b();\n    c();",
        "    b();\n    if (f) {\n        g();\n    }\n    c();",
    ),
    "another place, where the result would not parse": ("a.js", "x = [\nf( 1 )\n]\nf(1 )\n", "f(1)", "var b"),
}


@pytest.mark.parametrize(("path", "file", "search", "replace"), REFUSED.values(), ids=REFUSED)
def test_a_change_that_is_not_safe_is_not_proposed(path: str, file: str, search: str, replace: str) -> None:
    assert places(path, file, search, replace) == []


def test_every_place_is_counted() -> None:
    assert [(place.start, place.stop) for place in places("a.js", "f( 1 )\nx\nf(1 )\n", "f(1)", "f(2)")] == [
        (0, 1),
        (2, 3),
    ]


def test_twenty_places_are_compared() -> None:
    assert len(places("a.js", "f( 1 )\nx\n" * 20, "f(1)", "f(2)")) == 20


def test_a_place_that_is_done_counts_as_one() -> None:
    found = places("a.js", "f( 1 )\nfresh()\nx\nf(1 )\n", "f(1)", "f(1)\nfresh()")
    assert found == [
        Placement("syntax", "low", 0, 1, (0,)),
        Placement("syntax", "low", 3, 4, (3, "fresh()")),
    ]


# file, SEARCH, REPLACE: the new lines hold SEARCH several times, and stand around each of its places
STANDING = {
    "twice": ("f( 1 )\nx\nf(1 )\n", "f(1)", "f(1)\nx\nf(1)"),
    "three times": ("f( 1 )\nx\nf(1 )\ny\nf( 1)\n", "f(1)", "f(1)\nx\nf(1)\ny\nf(1)"),
    "one after the other": ("a \na \n", "a", "a\na"),
}


@pytest.mark.parametrize(("file", "search", "replace"), STANDING.values(), ids=STANDING)
def test_new_lines_that_stand_around_several_places(file: str, search: str, replace: str) -> None:
    found = places("a.js", file, search, replace)
    assert len(found) > 1
    assert all(place.new == place.kept for place in found)


# path, file, SEARCH and REPLACE, what comes in the place, the end of the note
INDENTED: dict[str, tuple[tuple[str, str, str, str], tuple[str | int, ...], str]] = {
    "a shift": (
        ("a.py", "if a:\n    b( )\n    c()\n", "b()\nc()", "b()\nd()"),
        (1, "    d()"),
        "shifted right by 4 spaces",
    ),
    "another unit": (
        ("a.js", "if (a) {\n    b( );\n}\n", "if (a) {\n  b();\n}", "if (a) {\n  d();\n}"),
        (0, "    d();", 2),
        "4 spaces instead of 2 spaces",
    ),
    "units of two or of three spaces, which say the same": (
        ("a.py", "if x:\n y\nif z:\n w\nif a:\n  b( )\n", "if a:\n    b()", "if a:\n    d()"),
        (4, "  d()"),
        "1 space instead of 2 spaces",
    ),
}


@pytest.mark.parametrize(("texts", "new", "note"), INDENTED.values(), ids=INDENTED)
def test_a_place_with_another_indentation_says_so(
    texts: tuple[str, str, str, str], new: tuple[str | int, ...], note: str
) -> None:
    [place] = places(*texts)
    assert place.new == new
    assert [said.message.endswith(note) for said in place.notes] == [True]


def test_a_place_whose_neighbour_is_unclear_is_not_taken() -> None:
    assert places("a.js", "a( 1 )\nfresh(); b()\nx\na(1 )\n", "a(1)", "a(1)\nfresh();") == []


UNAVAILABLE: dict[str, tuple[str, str, str, str]] = {
    "no grammar": ("docs/x.foo", "a\n", "a", "no grammar for `docs/x.foo`"),
    "white space is text there": ("a.html", "a\n", "a", "no grammar for `a.html`"),
    "a large file": (
        "a.py",
        "a\n" * 70_000,
        "a",
        "a.py is too large, too broken or too repetitive to compare its syntax",
    ),
    "twenty-one places": ("a.js", "f( 1 )\n" * 21, "f(1)", "too repetitive"),
    "places that begin no line, without end": ("a.js", "}}\n" * 30_000, "}" * 2_001, "too repetitive"),
    "51 errors": ("a.js", "x = ;\n" * 51 + "f( 1 )\n", "f(1)", "too broken"),
    "a file that no grammar describes": ("a.js", "x = ;\n" * 100 + "f( 1 )\n", "f(1)", "too broken"),
    "a file that takes too long": ("A.java", "a<" * 50_000 + "\nf( 1 );\n", "f(1);", "too broken"),
}


@pytest.mark.parametrize(("path", "file", "search", "message"), UNAVAILABLE.values(), ids=UNAVAILABLE)
def test_where_the_level_cannot_be_asked(path: str, file: str, search: str, message: str) -> None:
    with pytest.raises(LevelUnavailable, match=message):
        places(path, file, search, "x")


@pytest.mark.parametrize("package", ["tree_sitter", "tree_sitter_python"])
def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(LevelUnavailable, match="Python cannot be parsed here; in a clone of editblocks, run "):
        places("a.py", "f( 1 )\n", "f(1)", "f(2)")


def test_work_is_taken_from_the_budget() -> None:
    budget = Budget()
    assert places("a.js", "f( 1 )\n" + "x = f(1, 2)\n" * 2_000, "f(1)", "f(3)", budget)
    assert 0 < Budget().left - budget.left < STEPS_A_BLOCK
    before = budget.left
    with pytest.raises(LevelUnavailable):
        places("a.js", "f( 1 )\n" * 21, "f(1)", "f(2)", budget)
    assert budget.left == before - STEPS_A_BLOCK
    with pytest.raises(LevelUnavailable):
        places("a.js", "f( 1 )\n" + "x = f(1, 2)\n" * 2_000, "f(1)", "f(3)", Budget(0))


def test_what_is_taken_from_the_budget() -> None:
    budget = Budget(STEPS_A_BLOCK - 1)
    assert places("a.js", "f( 1 )\n" + "x = f(1, 2)\n" * 50, "f(1)", "f(3)", budget)
    used = STEPS_A_BLOCK - 1 - budget.left
    assert used > 0
    assert used % STEPS_A_ROUND == 0
    nothing = Budget(0)
    with pytest.raises(LevelUnavailable):
        places("a.js", "f( 1 )\n" + "x = f(1, 2)\n" * 50, "f(1)", "f(3)", nothing)
    assert nothing.left == 0


def test_the_largest_file_that_is_compared() -> None:
    comment = "#" * (MOST_BYTES - len("f( 1 )\n\n"))
    assert places("a.py", f"f( 1 )\n{comment}\n", "f(1)", "f(3)")
    with pytest.raises(LevelUnavailable):
        places("a.py", f"f( 1 )\n{comment}#\n", "f(1)", "f(3)")


def test_a_text_that_begins_within_many_lines_is_tried_only_so_often() -> None:
    assert list(SqueezedText(["a b"] * MOST_TRIES).windows("b")) == []
    with pytest.raises(TooHard):
        list(SqueezedText(["a b"] * (MOST_TRIES + 1)).windows("b"))


# lines, characters from and to (without white space), the lines that hold exactly these
WHOLE: dict[str, tuple[list[str], int, int, tuple[int, int] | None]] = {
    "one line": (["a b", "c"], 0, 2, (0, 1)),
    "both": (["a b", "c"], 0, 3, (0, 2)),
    "a part at the start": (["a b", "c"], 0, 1, None),
    "a part at the end": (["a b", "c"], 1, 3, None),
    "blank lines above are not of them": (["", " ", "a", "\t", "b"], 0, 2, (2, 5)),
    "blank lines below are not of them": (["a", "\f", ""], 0, 1, (0, 1)),
}


@pytest.mark.parametrize(("lines", "start", "stop", "expected"), WHOLE.values(), ids=WHOLE)
def test_lines_that_hold_exactly_a_text(
    lines: list[str], start: int, stop: int, expected: tuple[int, int] | None
) -> None:
    assert SqueezedText(lines).whole_lines(start, stop) == expected


@pytest.mark.long
def test_a_text_of_2000_lines_is_found_in_other_lines() -> None:
    lines = [f"f{number}(a, b);" for number in range(2_000)]
    file = "x;\n" + "".join(f"{line.replace(', ', ',')}\n" for line in lines)
    search, replace = "\n".join(lines), "\n".join([*lines[:-1], "last();"])
    [place] = places("a.js", file, search, replace)
    assert (place.start, place.stop) == (1, 2_001)
    assert place.new == (*range(1, 2_000), "last();")


# grammar: a file, SEARCH for its second line, and a line that holds a string, with `@` for its text
LANGUAGES: dict[str, tuple[str, str, str]] = {
    "Python": ("a = 1\nf( a )\n", "f(a)", 'f("@")'),
    "JavaScript": ("a = 1\nf( a )\n", "f(a)", "f(`@`);"),
    "TypeScript": ("a = 1\nf<T>( a )\n", "f<T>(a)", "f('@');"),
    "TSX": ("a = 1\nf( a )\n", "f(a)", 'f("@");'),
    "JSON": ("[1,\n{ }]\n", "{}]", '["@"]'),
    "Go": ("package a\nvar  a =1\n", "var a = 1", 'package a; var b = "@"'),
    "Rust": ("fn a() {}\nfn b( ) { }\n", "fn b() {}", 'fn a() { f("@"); }'),
    "Java": ("class A {\nint  b;\n}\n", "int b;", 'class A { String b = "@"; }'),
    "C": ("int a;\nint  b;\n", "int b;", 'char *b = "@";'),
    "C++": ("int a;\nint  b;\n", "int b;", 'auto b = "@";'),
    "C#": ("class A {\nint  b;\n}\n", "int b;", 'class A { string b = "@"; }'),
    "Ruby": ("a = 1\nf( a )\n", "f(a)", 'f("@")'),
    "PHP": ("<?php\nf( $a ) ;\n", "f($a);", '<?php f("@");'),
}


def test_every_grammar_has_a_sample() -> None:
    assert LANGUAGES.keys() == {grammar.name for grammar in SYNTAXES}


@pytest.mark.parametrize("grammar", SYNTAXES, ids=[grammar.name for grammar in SYNTAXES])
def test_every_language_has_white_space_and_strings_of_it(grammar: SourceLanguage) -> None:
    file, search, string = LANGUAGES[grammar.name]
    path = f"a{grammar.suffixes[0]}"
    assert [place.start for place in places(path, file, search, f"{search} ")] == [1]
    for text, other in ((" ", "  "), ("  ", " "), ("", " "), ("a b", "ab"), (" a", "a"), ("\t", " ")):
        assert places(path, string.replace("@", text) + "\n", string.replace("@", other), string) == []


# What would take tree-sitter minutes if it were all parsed, and what looks a little like it.
NESTED: dict[str, tuple[bytes, bool]] = {
    "brackets": (b"%w(" * 400, True),
    "types within types": (b"a<" * 400, True),
    "operators": (b"%w=" * 600, True),
    "operators between commas": (b"%a,?" * 3_000, True),
    "many long statements": (b"a=" * 700 + b";" + b"b=" * 900, True),
    "calls": (b"f(a, (b + 1) * c);\n" * 4_000, False),
    "comparisons": (b"if (a < b) { c(); }\n" * 4_000, False),
    "types that close": (b"A<B<C>> a\n" * 300, False),
    "a rule in a comment": (b"//" + b"=" * 2_000 + b"\n" + b"a, b;\n" * 4_000, False),
    "a table of numbers": (b"-1.5, " * 2_000, False),
    "one string": (b"'" + b"a" * 100_000 + b"'", False),
}


@pytest.mark.parametrize(("data", "expected"), NESTED.values(), ids=NESTED)
@pytest.mark.long(after=2)
def test_what_is_too_nested_to_parse(data: bytes, expected: bool) -> None:
    assert is_too_nested(data, lines=False) is expected


def test_a_line_break_ends_a_statement_where_it_may() -> None:
    lines = b"x = f(1) + [y]\n" * 2_000
    assert is_too_nested(lines, lines=False)
    assert not is_too_nested(lines, lines=True)
    assert is_too_nested(b"x =\n" * 2_000, lines=True)


def test_a_parse_that_takes_too_many_rounds_is_stopped() -> None:
    grammar = next(grammar for grammar in SYNTAXES if grammar.name == "JSON")
    reader = SyntaxReader(grammar, 3)
    with pytest.raises(TooHard):
        reader.parse(b"{1}," * 5_000)
    assert reader.rounds_left == 0
    assert SyntaxReader(grammar).parse(b"[]").root.has_error is False
