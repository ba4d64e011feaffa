"""Choose the tree-sitter grammar for a file by its name; the grammars come with the extra `syntax`.

Every grammar is compiled into its package, so nothing is fetched at run time. There is none for languages in
which white space is text (HTML, CSS, shells, YAML): equal tokens would not be equal programs there. A parse is
measured in rounds, not in seconds: the same text gives the same answer on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from editblocks.core.errors import LevelUnavailable
from editblocks.paths.globs import file_kind

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

MOST_BYTES = 128 * 1024
MOST_ROUNDS = 2_500  # of 100 steps of the parser: the densest code takes 17 for 1 KiB
MOST_NESTED = 300  # brackets within brackets
MOST_EFFORT = 1_000**3
# A sign, or the end of a line.
_SIGN = re.compile(rb"""([^\w\s'"\x80-\xff])\1*|(?<=[\w)\]'"])[ \t\r]*\n\s*(?=[\w'"@#])""")


@dataclass(frozen=True, slots=True)
class SourceLanguage:
    """A language and the package with its grammar: `function` of `module` returns tree-sitter's pointer to it."""

    name: str
    module: str
    suffixes: tuple[str, ...]
    function: str = "language"
    indents: bool = False  # indentation is syntax
    lines: bool = False  # a line break may end a statement

    def load(self) -> Language:
        """Return the language, ready to parse. Raises `LevelUnavailable` without the extra."""
        try:
            from tree_sitter import Language

            package = import_module(self.module)
        except ImportError:
            raise LevelUnavailable(f"{self.name} cannot be parsed here; install editblocks[syntax]") from None
        return Language(getattr(package, self.function)())


GRAMMARS = (
    SourceLanguage("Python", "tree_sitter_python", (".py", ".pyi", ".pyw"), indents=True, lines=True),
    SourceLanguage("JavaScript", "tree_sitter_javascript", (".js", ".mjs", ".cjs", ".jsx"), lines=True),
    SourceLanguage("TypeScript", "tree_sitter_typescript", (".ts", ".mts", ".cts"), "language_typescript", lines=True),
    SourceLanguage("TSX", "tree_sitter_typescript", (".tsx",), "language_tsx", lines=True),
    SourceLanguage("JSON", "tree_sitter_json", (".json",)),
    SourceLanguage("Go", "tree_sitter_go", (".go",), lines=True),
    SourceLanguage("Rust", "tree_sitter_rust", (".rs",)),
    SourceLanguage("Java", "tree_sitter_java", (".java",)),
    SourceLanguage("C", "tree_sitter_c", (".c",)),
    SourceLanguage(
        "C++", "tree_sitter_cpp", (".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
    ),  # `.h`: nearly all C is C++
    SourceLanguage("C#", "tree_sitter_c_sharp", (".cs",)),
    SourceLanguage("Ruby", "tree_sitter_ruby", (".rb", ".rake", ".gemspec", "Rakefile", "Gemfile"), lines=True),
    SourceLanguage("PHP", "tree_sitter_php", (".php",), "language_php"),
)
_BY_SUFFIX = {suffix: grammar for grammar in GRAMMARS for suffix in grammar.suffixes}


def grammar_for(path: str) -> SourceLanguage | None:
    """Return the grammar for a file of this name, None if there is none."""
    return _BY_SUFFIX.get(file_kind(path))


class TooHard(Exception):
    """Raised for a text that is nested too deeply to parse, or takes more rounds than it may."""


def is_too_nested(data: bytes, lines: bool) -> bool:
    """Whether a text may be nested so deeply that tree-sitter would take minutes over an error in it.

    At an error, tree-sitter looks at everything that is open; the time grows with the cube of that, and it cannot be
    stopped: 15 kB of `%w(` take 40 seconds. What is open is estimated by counting brackets, signs (possible operators)
    between two commas, which count as a cube, and signs in a statement, which count as a square. The weights were
    measured on slow texts. `lines`: as in `SourceLanguage`.
    """
    brackets = angles = between = inside = effort = 0
    for match in _SIGN.finditer(data):
        sign, count = match[1] or b";", match.end() - match.start()
        if not match[1] and not lines:
            continue
        if sign in b"([{":
            brackets += count
        elif sign in b")]}":
            brackets = max(0, brackets - count)
        elif sign in b"<>":  # `a < b` never closes; the end of the statement resets it
            angles = max(0, angles + (count if sign == b"<" else -count))
        if sign in b";{},":
            inside += between
            effort, between = effort + between**3, 0
        else:
            between += count if sign in b"([<!~" else 1  # a run of other signs is one operator, or a line in a comment
        if sign in b";{}":
            effort, angles, inside = effort + 40 * inside**2, 0, 0
        if max(brackets, angles) > MOST_NESTED:
            return True
    return effort + between**3 + 40 * (inside + between) ** 2 > MOST_EFFORT


@dataclass(slots=True)
class SyntaxReader:
    """Parses texts of one language. `left` is the number of rounds it may still take."""

    grammar: SourceLanguage
    left: int = MOST_ROUNDS
    language: Language = field(init=False)

    def __post_init__(self) -> None:
        self.language = self.grammar.load()

    def parse(self, data: bytes) -> Tree:
        """Return the tree of a text, with error nodes where it is broken. Raises `TooHard`."""
        from tree_sitter import Parser

        if is_too_nested(data, self.grammar.lines):
            raise TooHard
        allowed = min(self.left, MOST_ROUNDS)
        rounds = 0

        def stop(_offset: int, _has_error: bool) -> bool:
            nonlocal rounds
            rounds += 1
            return rounds > allowed

        try:
            return Parser(self.language).parse(lambda offset, _point: data[offset:], progress_callback=stop)
        except ValueError:  # tree-sitter raises it when a parse is stopped
            raise TooHard from None
        finally:
            self.left -= min(rounds, allowed)


def errors(root: Node) -> Iterator[Node]:
    """Yield the nodes where a text does not fit its grammar, from the top: unexpected text and missing tokens."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        if node.has_error:
            waiting.extend(reversed(node.children))
