"""Where a file defines what: golden outlines of every language, what encloses a line, and hostile sources."""

import sys

import pytest
from support.outline_golden import PAGES, page, source

from editblocks.core.errors import LevelUnavailable
from editblocks.faces.cli.context import enclosing, outline
from editblocks.prompts.files import SHORT_TYPE, definitions
from editblocks.text.languages import MOST_BYTES, SYNTAXES


@pytest.mark.parametrize("name", PAGES)
def test_the_outline_is_its_golden_page(name: str) -> None:
    assert page(name) == PAGES[name].read_text("utf-8"), "PYTHONPATH=tests python -m support.outline_golden marks it"


def test_every_language_with_definitions_has_a_page() -> None:
    suffixes = {name[name.index(".") :] for name in PAGES}
    without = [grammar.name for grammar in SYNTAXES if suffixes.isdisjoint(grammar.suffixes)]
    assert without == ["TSX", "JSON"]  # that of TypeScript with tags, and data


# file, lines asked (1-based, last included), lines that enclose them
ENCLOSING: dict[str, tuple[str, tuple[int, int], list[tuple[int, int]]]] = {
    "a method, and the head of its class": ("Cart.py", (16, 16), [(6, 7), (10, 17)]),
    "two methods": ("Cart.py", (17, 19), [(6, 7), (10, 19)]),
    "a line of a class outside its methods": ("Cart.py", (8, 8), [(6, 8)]),
    "a line outside": ("Cart.py", (3, 3), [(3, 3)]),
    "a decorator belongs to what it decorates": ("Cart.py", (6, 6), [(6, 7)]),
    "a whole type": ("Cart.go", (8, 8), [(7, 10)]),
    "more than the file": ("Cart.c", (1, 40), [(1, 40)]),
}


@pytest.mark.parametrize(("name", "asked", "expected"), ENCLOSING.values(), ids=ENCLOSING)
def test_what_encloses_a_line(name: str, asked: tuple[int, int], expected: list[tuple[int, int]]) -> None:
    found = enclosing(definitions(source(name), name), asked[0] - 1, asked[1])
    assert [(start + 1, stop) for start, stop in found] == expected


@pytest.mark.parametrize(
    ("path", "start", "end"),
    [
        ("a.ts", "interface Long {", "}"),
        ("a.c", "typedef struct {", "} item;"),
        ("a.go", "type Long struct {", "}"),
        ("a.rs", "macro_rules! long {", "}"),
    ],
)
def test_of_a_long_type_the_first_line_is_its_signature(path: str, start: str, end: str) -> None:
    field = {"a.go": "  x int", "a.c": "  int x;", "a.rs": "  () => {};"}.get(path, "  x: number;")
    short = [start, *[field] * (SHORT_TYPE - 2), end]
    assert outline(definitions(short, path)) == [(0, SHORT_TYPE)]
    assert outline(definitions([*short[:-1], field, end], path)) == [(0, 1)]


HOSTILE = {
    "a line of a megabyte": f"x = '{'a' * 1_000_000}'\n",
    "too large": "def f(): pass\n" * (MOST_BYTES // 14 + 1),
    "brackets": "f(" * 20_000,
}
BROKEN = {
    "classes in classes": "".join(f"{' ' * depth}class A:\n" for depth in range(250)),
    "dense": "x=[" + "1," * 8_000 + "]",
    "no Python": "\x00\x01<<<>>> def def class (((\n" * 20,
    "nothing": "",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_source_that_would_take_too_long(text: str) -> None:
    with pytest.raises(LevelUnavailable, match=r"^a\.py is too large or too deeply nested to find its definitions$"):
        definitions(text.split("\n"), "a.py")


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_ranges_are_lines_of_the_file(text: str) -> None:
    lines = text.split("\n")
    found = definitions(lines, "a.py")
    assert all(0 <= each.start <= each.line < each.body <= each.stop <= len(lines) for each in found)


@pytest.mark.parametrize("missing", ["tree_sitter", "tree_sitter_python"])
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(LevelUnavailable, match=r"^Python cannot be parsed here; in a clone of editblocks, run "):
        definitions(["def f(): pass"], "a.py")


def test_without_a_grammar() -> None:
    with pytest.raises(LevelUnavailable, match=r"^no grammar for README\.md$"):
        definitions(["# Shop"], "README.md")
