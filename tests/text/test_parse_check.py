"""A warning for a file that no longer parses, and silence wherever that cannot be told."""

import subprocess
import sys

import pytest
import yaml

from editblocks.text import languages
from editblocks.text.languages import no_longer_parses

IS = "parsed before and no longer does: "
PYTHON = f" (read as Python {sys.version_info.major}.{sys.version_info.minor})"

# path, before, after, the message behind the path
BROKEN: dict[str, tuple[str, str, str, str]] = {
    "python": ("src/cart.py", "f(1)\n", "x = 1\nf(1\n", f"line 2, column 2: '(' was never closed{PYTHON}"),
    "columns count characters": ("a.py", "x", "é = f)\n", f"line 1, column 6: unmatched ')'{PYTHON}"),
    "a BOM is no column": ("a.py", "\ufeffx", "\ufefff)\n", f"line 1, column 2: unmatched ')'{PYTHON}"),
    "a stub": ("a.pyi", "x", "f(", f"line 1, column 2: '(' was never closed{PYTHON}"),
    "python, one name twice": (
        "a.py",
        "def f(a): 1",
        "def f(a, a): 1",
        f"line 1, column 10: duplicate argument 'a' in function definition{PYTHON}",
    ),
    "json": ("a.json", "{}", '{"a": 1\n"b": 2}', "line 2, column 1: Expecting ',' delimiter"),
    "json, an open string": ("a.JSON", "1", '["a]', "line 1, column 2: Unterminated string starting at"),
    "json, two values": ("x/a.ipynb", "1", "1 2", "line 1, column 3: Extra data"),
    "json, a comment": ("package.json", "1", "// x\n1", "line 1, column 1: Expecting value"),
    "json, in the parser's words": ("a.json", "1", '"\\q"', "line 1, column 2: Invalid \\escape"),
    "json, a Python word": ("a.json", "[1]", "[NaN, Infinity]", "NaN is not a value of JSON"),
    # Before Python 3.11, pytest brings `tomli`, which is the same parser.
    "toml": ("pyproject.toml", "a = 1", "a = 1\nb 2\n", "expected '=' after a key"),
    "toml, open": ("Cargo.lock", "a = 1", "a = [1\n", "unclosed array (at end of document)"),
    "yaml": ("a.yml", "a: 1", "a: 1\n b: 2\n", "line 2, column 3: mapping values are not allowed here"),
    "yaml, open": ("a.yaml", "a: 1", "a: [1\n", "line 2, column 1: expected ',' or ']', but got 'the end'"),
    "yaml, a control character": ("a.yml", "a: 1", "a: 1\nb: \x07", "line 2: U+0007 does not belong in YAML"),
    "yaml, a second document": (".github/x.yml", "a: 1", "a: 1\n---\n]", "line 3, column 1: expected the node content"),
    "missing": ("a.c", "int a;", "int a", "line 1, column 6: `;` is missing (read as C by tree-sitter)"),
    "jsx, another tag beside an ampersand": (
        "a.jsx",
        "b()",
        "a(\n  <b>Q & A<i>\n)",
        "line 1, column 1: something does not belong here (read as JavaScript",
    ),
    "jsx, an ampersand where code stands": (
        "a.tsx",
        "b()",
        "f(&x)",
        "line 1, column 3: something does not belong here (read as TSX",
    ),
    "odd": ("a.js", "b()", "é(1)\né(})\n", "line 2, column 3: something does not belong here (read as JavaScript"),
    "nothing fits": ("A.java", "class A {}", "int f() { if (a) {", "tree-sitter cannot read it as Java"),
    "by the whole name": ("x/Rakefile", "a", "def a\n", "line 1, column 6: `end` is missing (read as Ruby"),
}


def broken_by(path: str, before: bytes | None, after: bytes) -> str | None:
    return next((message for _, message in no_longer_parses({path: after}, {path: before})), None)


@pytest.mark.parametrize(("path", "before", "after", "expected"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_no_longer_parses(path: str, before: str, after: str, expected: str) -> None:
    message = broken_by(path, before.encode(), after.encode())
    assert message is not None
    assert message.startswith(f"{path} {IS}{expected}")


# path, before, after: nothing is said
SILENT: dict[str, tuple[str, bytes | None, bytes]] = {
    "it still parses": ("a.py", b"a = 1", b"b = 1"),
    "a new file": ("a.py", None, b"("),
    "broken before": ("a.py", b"print 1", b"("),
    "a newer Python than any": ("a.py", b"a b c", b"a b c ("),
    "an odd escape is no fault": ("a.py", b"'x'", b"'\\d'"),
    "python, a null byte": ("a.py", b"x", b"x\0"),
    "python, deeper than the interpreter reads": ("a.py", b"x", b"-" * 100_000 + b"1"),
    "python, over its cap": ("a.py", b"x", b"(" + b" " * 512 * 1024),
    "another encoding": ("a.py", b"x", b"# coding: latin-1\n'\xe9"),
    "json with comments before": ("a.json", b"// x\n{}", b"// x\n{"),
    "json where comments are at home": ("web/tsconfig.json", b"{}", b"{} // x"),
    "json of an editor": (".vscode/settings.json", b"{}", b"{} // x"),
    "json, a number of 5,000 digits": ("a.json", b"1", b"1" * 5_000),
    "json, deeper than the interpreter reads": ("a.json", b"1", b"[" * 100_000),
    "toml, keys without end": ("a.toml", b"a = 1", b"a." * 100_000 + b"a"),
    "toml, a number of 5,000 digits": ("a.toml", b"a = 1", b"a = " + b"1" * 5_000),
    "toml, deeper than the interpreter reads": ("a.toml", b"a = 1", b"a = " + b"[" * 5_000),
    "yaml, several documents": ("a.yml", b"a: 1", b"a: 1\n---\nb: 2\n"),
    "yaml, aliases are not followed": ("a.yml", b"a: 1", b"a: &a [*a, *b]\n"),
    "yaml, tags are not built": ("a.yml", b"a: 1", b"a: !!python/object:os.system x\n"),
    "yaml, deep brackets": ("a.yml", b"a: 1", b"[" * 10_000),
    "yaml, a number that is too large": ("a.yml", b"a: 1", b'a: "\\U00110000"'),
    "yaml, over its cap": ("a.yml", b"a: 1", b"[" + b" " * 128 * 1024),
    "an ampersand in the text of JSX": ("a.jsx", b"a(<b>Q</b>)", b"a(<b>Q & A, B && C {x && y}</b>)"),
    "an ampersand in the text of TSX": ("a.tsx", b"a(<b>Q</b>)", b"a(<b t='&'>Q & A &amp; B&C</b>)"),
    "an ampersand in code": ("a.js", b"a()", b"a &&= (b & c) | (d && /&/.e); f &= 1"),
    "an ampersand between types": ("a.tsx", b"a()", b"type A = B & C; function f<T extends A & B>(x: T) {}"),
    "a grammar that would take too long": ("A.java", b"class A {}", b"a<" * 60_000),
    "no known name": ("README.md", b"x", b"```("),
    "white space is text there": ("a.html", b"<b></b>", b"<b"),
    "no suffix": ("LICENSE", b"x", b"("),
    "a hidden file": (".py", b"x", b"("),
}


@pytest.mark.parametrize(("path", "before", "after"), SILENT.values(), ids=SILENT)
def test_nothing_is_said(path: str, before: bytes | None, after: bytes) -> None:
    assert broken_by(path, before, after) is None


def test_a_message_is_one_visible_line_of_300_characters() -> None:
    path = "a\n" + "x" * 1_000 + ".py"
    name = broken_by(path, b"x", b"f(")
    assert name is not None
    assert name.startswith("a␊xxx")
    message = broken_by("a\u202e.json", b"1", b'"\\u' + b"\t" * 300 + b'"')
    assert message is not None
    assert message.startswith(f"aU+202E.json {IS}")
    long = broken_by("a.yml", b"a: 1", b"a: *" + b"b" * 300 + b"!")
    assert long is not None
    for said in (name, message, long):
        assert said.isprintable()
        assert len(said) <= 300


def test_every_file_is_named_in_its_order() -> None:
    contents = {"b.py": b"(", "a.json": b"{", "c.py": b"x", "d.py": b"(", "new.py": b"("}
    originals = {"b.py": b"x", "a.json": b"{}", "c.py": b"x", "d.py": b")", "new.py": None}
    assert [path for path, _ in no_longer_parses(contents, originals)] == ["b.py", "a.json"]


def test_what_is_left_of_the_work_goes_to_smaller_files() -> None:
    each = 64 * 1024  # twice 64 KiB of YAML at 64 units a byte: one fits, the second does not
    large = b"# " + b"x" * (each - 2)
    contents = {"a.yml": large, "b.yml": large, "c.py": b"("}
    originals: dict[str, bytes | None] = {"a.yml": large, "b.yml": large, "c.py": b"x"}
    assert 2 * each * 64 < languages.MOST_WORK < 4 * each * 64
    assert [path for path, _ in no_longer_parses(contents, originals)] == ["c.py"]


@pytest.mark.parametrize(
    ("package", "path", "before", "after"),
    [
        ("yaml", "a.yml", b"a: 1", b"a: ["),
        ("tree_sitter", "a.go", b"package a", b"}"),
        ("tree_sitter_go", "a.go", b"package a", b"}"),
    ],
)
def test_without_the_package_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, package: str, path: str, before: bytes, after: bytes
) -> None:
    assert broken_by(path, before, after) is not None
    monkeypatch.setitem(sys.modules, package, None)
    assert broken_by(path, before, after) is None


def test_without_a_parser_nothing_is_said_of_toml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tomllib", None)
    monkeypatch.setitem(sys.modules, "tomli", None)
    assert broken_by("a.toml", b"a = 1", b"a = ") is None


@pytest.mark.parametrize(
    ("error", "said"), [(yaml.MarkedYAMLError(problem="odd"), "odd"), (yaml.MarkedYAMLError(), "it is not YAML")]
)
def test_a_parser_need_not_say_where(monkeypatch: pytest.MonkeyPatch, error: yaml.YAMLError, said: str) -> None:
    def parse(text: str, **_: object) -> list[str]:
        if text == "b":
            raise error
        return []

    monkeypatch.setattr(yaml, "parse", parse)
    assert broken_by("a.yml", b"a", b"b") == f"a.yml {IS}{said}"


VENDORS = {"yaml", "tree_sitter", "tomllib"}


@pytest.mark.parametrize(
    ("path", "loads"),
    [("a.py", set()), ("a.json", set()), ("a.md", set()), ("a.go", {"tree_sitter"}), ("a.yml", {"yaml"})],
)
@pytest.mark.long(after=2)
def test_a_parser_is_loaded_for_its_files_alone(path: str, loads: set[str]) -> None:
    code = (
        "import sys; from editblocks.text.languages import no_longer_parses; "
        f"list(no_longer_parses({{{path!r}: b'('}}, {{{path!r}: b'1'}})); "
        "print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert set(ran.stdout.split()) & VENDORS == loads
