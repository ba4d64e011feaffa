"""Parse files with tree-sitter, compare the meaning of two texts, and warn about files that no longer parse.

The grammars come with the extra `syntax`. There is none for languages in which white space is text (HTML, CSS, shells,
YAML). A parse is limited in rounds, not in seconds, so that the same text has the same result on every machine.

Two texts mean the same if their trees and tokens are equal. White space is compared where it is text: in tokens, and
inside strings and the like, as grammars do not expose all of their text as tokens.

The warnings refuse no block. Python, JSON, TOML and YAML are read by the installed parsers, others by the grammars.
There is no warning about a file that is new, was broken before, has an unknown type, or is too large. Nothing is run,
and no values are built: a YAML file is only read as events.
"""

import re
import symtable
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.characters import show_text
from editblocks.core.errors import LevelUnavailable, how_to_install

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_BYTES = 128 * 1024
_MOST_ROUNDS = 2_500  # of 100 parser steps each: the densest code takes 17 rounds for 1 KiB
_MOST_NESTED = 300  # brackets within brackets
_MOST_EFFORT = 1_000**3
# A run of the same sign, or the end of a line.
_SIGN = rb"""([^\w\s'"\x80-\xff])\1*|(?<=[\w)\]'"])[ \t\r]*\n\s*(?=[\w'"@#])"""
_BLANK = b" \t\r\n\f\v"
_HOLDS_TEXT = r"string|heredoc|regex|char|shell|symbol|subshell|quoted"
_ONLY_JOINS = frozenset({"concatenated_string", "chained_string"})  # nodes of several strings in a row


class TooHard(Exception):
    """Raised for a text that is nested too deeply to parse, or takes more rounds than allowed."""


class SourceLanguage(NamedTuple):
    """A language and the package with its grammar: `function` of `module` returns tree-sitter's pointer to it."""

    name: str
    module: str
    suffixes: tuple[str, ...]
    function: str = "language"
    indents: bool = False  # indentation is syntax
    lines: bool = False  # a line break may end a statement


SYNTAXES = (
    SourceLanguage("Python", "tree_sitter_python", (".py", ".pyi", ".pyw"), indents=True, lines=True),
    SourceLanguage("JavaScript", "tree_sitter_javascript", (".js", ".mjs", ".cjs", ".jsx"), lines=True),
    SourceLanguage("TypeScript", "tree_sitter_typescript", (".ts", ".mts", ".cts"), "language_typescript", lines=True),
    SourceLanguage("TSX", "tree_sitter_typescript", (".tsx",), "language_tsx", lines=True),
    SourceLanguage("JSON", "tree_sitter_json", (".json",)),
    SourceLanguage("Go", "tree_sitter_go", (".go",), lines=True),
    SourceLanguage("Rust", "tree_sitter_rust", (".rs",)),
    SourceLanguage("Java", "tree_sitter_java", (".java",)),
    SourceLanguage("C", "tree_sitter_c", (".c",)),
    # `.h` is here, as nearly all C is also C++.
    SourceLanguage("C++", "tree_sitter_cpp", (".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")),
    SourceLanguage("C#", "tree_sitter_c_sharp", (".cs",)),
    SourceLanguage("Ruby", "tree_sitter_ruby", (".rb", ".rake", ".gemspec", "Rakefile", "Gemfile"), lines=True),
    SourceLanguage("PHP", "tree_sitter_php", (".php",), "language_php"),
)
_BY_SUFFIX = {suffix: grammar for grammar in SYNTAXES for suffix in grammar.suffixes}


def file_kind(path: str) -> str:
    """Return a file's suffix in lower case, with its dot; the whole name if it has none; "" for a name like `.env`."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return name
    return f".{suffix.lower()}" if stem else ""


def grammar_for(path: str) -> SourceLanguage | None:
    """Return the grammar for a file with this name; None if there is none."""
    return _BY_SUFFIX.get(file_kind(path))


def is_too_nested(data: bytes, lines: bool) -> bool:
    """Whether a text may be nested so deeply that tree-sitter would take minutes over an error in it.

    At an error, the time grows with the cube of the nesting, and the parse cannot be stopped: 15 kB of `%w(` take 40
    seconds. The nesting is estimated by counting brackets, and signs (possible operators) between two commas (cubed)
    and in a statement (squared), with weights that were measured on slow texts. `lines`: as in `SourceLanguage`.
    """
    brackets = angles = between = inside = effort = 0
    for match in re.finditer(_SIGN, data):
        if not match[1] and not lines:  # the end of a line, which ends no statement
            continue
        sign = match[1] or b";"
        count = match.end() - match.start()
        if sign in b"([{":
            brackets += count
        elif sign in b")]}":
            brackets = max(0, brackets - count)
        elif sign == b"<":  # `a < b` has no closing sign; the end of the statement resets the count
            angles += count
        elif sign == b">":
            angles = max(0, angles - count)
        if sign in b";{},":
            inside += between
            effort += between**3
            between = 0
        elif sign in b"([<!~":
            between += count
        else:
            between += 1  # a run of one of these signs is one operator, or a rule in a comment
        if sign in b";{}":
            effort += 40 * inside**2
            angles = inside = 0
        if max(brackets, angles) > _MOST_NESTED:
            return True
    return effort + between**3 + 40 * (inside + between) ** 2 > _MOST_EFFORT


class SyntaxReader:
    """Parses texts of one language. `rounds_left` is the number of rounds that are left for all its texts.

    Raises `LevelUnavailable` without the extra.
    """

    def __init__(self, grammar: SourceLanguage, rounds_left: int = _MOST_ROUNDS) -> None:
        self.grammar = grammar
        self.rounds_left = rounds_left
        try:
            vendor = import_module("tree_sitter")
            package = import_module(grammar.module)
        except ImportError:
            raise LevelUnavailable(f"{grammar.name} cannot be parsed here; {how_to_install('syntax')}") from None
        self._parser: Parser = vendor.Parser(vendor.Language(getattr(package, grammar.function)()))

    def parse(self, data: bytes) -> "Parsed":
        """Parse a text; the tree of a broken text has error nodes. Raises `TooHard`."""
        if is_too_nested(data, self.grammar.lines):
            raise TooHard
        allowed = min(self.rounds_left, _MOST_ROUNDS)
        rounds = 0

        def stop(_offset: int, _has_error: bool) -> bool:
            nonlocal rounds
            rounds += 1
            return rounds > allowed

        try:
            tree = self._parser.parse(lambda offset, _point: data[offset:], progress_callback=stop)
            return Parsed(data, tree.root_node)
        except ValueError:  # a stopped parse, which the next one would continue without `reset`
            self._parser.reset()
            raise TooHard from None
        finally:
            self.rounds_left -= min(rounds, allowed)


def _error_nodes(root: "Node") -> "Iterator[Node]":
    """Yield the nodes where a text does not fit its grammar, in order: unexpected text and missing tokens."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        if node.has_error:
            waiting.extend(reversed(node.children))


class Parsed:
    """A text and its tree."""

    def __init__(self, data: bytes, root: "Node") -> None:
        self.data = data
        self.root = root

    def errors(self, start: int, stop: int) -> tuple[int, int]:
        """Return how many places do not fit the grammar, and how many of them touch bytes `start:stop`."""
        places = [(node.start_byte, node.end_byte) for node in _error_nodes(self.root)]
        return len(places), sum(1 for first, last in places if first <= stop and start <= last)

    def texts(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the strings and other tokens of several lines in bytes `start:stop`, without comments."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.end_byte <= start or node.start_byte >= stop or "comment" in node.type:
                continue
            text = self.data[node.start_byte : node.end_byte]
            if b"\n" in text.strip() and (not node.child_count or _is_text(node)):
                yield text
            else:
                waiting.extend(node.children)


def is_same(one: Parsed, other: Parsed, start: int, stop: int, other_stop: int) -> bool:
    """Whether two texts mean the same; they differ only in bytes `start:stop` (`start:other_stop` in `other`)."""
    shift = other_stop - stop
    waiting = [(one.root, other.root)]
    while waiting:
        old, new = waiting.pop()
        if (old.kind_id, old.child_count, old.is_missing) != (new.kind_id, new.child_count, new.is_missing):
            return False
        if start < old.end_byte and old.start_byte < stop:
            is_equal = list(_between(old, one.data)) == list(_between(new, other.data))
            waiting.extend(zip(old.children, new.children, strict=True))
        else:
            by = shift if old.start_byte >= stop else 0
            is_equal = (
                new.start_byte == old.start_byte + by
                and new.end_byte == old.end_byte + by
                and new.descendant_count == old.descendant_count
            )
        if not is_equal:
            return False
    return True


def _between(node: "Node", data: bytes) -> Iterator[bytes]:
    """Yield the bytes of a node around its children (all bytes of a token), stripped unless white space is text."""
    is_text = not node.child_count or _is_text(node)
    at = node.start_byte
    for stop, following in (*(child.byte_range for child in node.children), (node.end_byte, 0)):
        text = data[at:stop]
        if not is_text:
            text = text.strip(_BLANK)
        yield text
        at = following


def _is_text(node: "Node") -> bool:
    return node.type not in _ONLY_JOINS and re.search(_HOLDS_TEXT, node.type) is not None


# files that no longer parse

MOST_WORK = 16_000_000  # units for one response; a unit takes about a twentieth of a microsecond
_MOST_DOTS = 200  # in a line of TOML: the time of tomllib is quadratic in the parts of a key
_DEEPEST = 40  # brackets in YAML: for each token, its scanner checks all open ones again
_WITH_JSX = ("JavaScript", "TSX")  # names of grammars
# Files that may have comments, although they are named as JSON: a first comment does not break them.
_WITH_COMMENTS = r"(?:^|/)(?:\.vscode/|\.devcontainer|devcontainer\.json$|[jt]sconfig|\.[^/]*rc\.json$)"
# A function that returns the first fault of a text, or raises one of `_UNDECIDED`; the most bytes; the work per byte.
_Checker = tuple[Callable[[str], "str | None"], int, int]
# The parser is missing or gave up, or the text is not UTF-8, has huge numbers, or is nested too deeply.
_UNDECIDED = (ImportError, LevelUnavailable, TooHard, ValueError, OverflowError, RecursionError, MemoryError)


def _fault_at(what: str, line: int | None = None, column: int | None = None) -> str:
    """A message with the place of a fault, if it is known. Lines and columns are 1-based, columns in code points."""
    if not line:
        return what
    if not column:
        return f"line {line}: {what}"
    return f"line {line}, column {column}: {what}"


def no_longer_parses(new: Mapping[str, bytes | None], old: Mapping[str, bytes | None]) -> Iterator[tuple[str, str]]:
    """Yield path and message for each file that no longer parses, in the order of `new` (its new bytes by path).

    `old` has the old bytes. All files together get work of about a second; files beyond that are skipped.
    """
    work_left = MOST_WORK
    for path, after in new.items():
        before = old.get(path)
        checker = _checker_for(path)
        if before is None or after is None or checker is None:
            continue
        find_fault, most_bytes, weight = checker
        work = (len(before) + len(after)) * weight
        if max(len(before), len(after)) > most_bytes or work > work_left:
            continue
        work_left -= work
        try:
            fault = find_fault(_text(after))
            if fault is not None and find_fault(_text(before)) is None:
                yield path, f"{show_text(path)} parsed before and no longer does: {show_text(fault)}"
        except _UNDECIDED:
            continue


def _text(data: bytes) -> str:
    return data.decode().removeprefix("\ufeff")


def _python(text: str) -> str | None:
    if "\0" in text:  # the error differs between versions of Python
        raise TooHard
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as for an invalid escape, which is not a syntax error
        try:
            symtable.symtable(text, "file", "exec")  # `compile` would also build a tree, and the 120 types of `ast`
        except SyntaxError as error:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            return _fault_at(f"{error.msg} (read as Python {version})", error.lineno, error.offset)
    return None


def json_fault(text: str) -> str | None:
    """The first JSON error in a text; None if there is none. Raises `RecursionError` if it is nested too deeply."""
    import json

    constants: list[str] = []
    try:
        json.loads(text, parse_constant=constants.append, parse_int=len, parse_float=len)
    except json.JSONDecodeError as error:
        return _fault_at(error.msg.rstrip(": "), error.lineno, error.colno)
    if constants:
        return _fault_at(f"{constants[0]} is not a value of JSON")
    return None


def _toml(text: str) -> str | None:
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"
    parser = import_module(name)
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise TooHard
    try:
        parser.loads(text)
    except parser.TOMLDecodeError as error:
        return str(error)[:1].lower() + str(error)[1:]  # the message has the place
    return None


def _yaml(text: str) -> str | None:
    import yaml

    class Loader(yaml.SafeLoader):
        """The pure Python loader with a limit, as the loader in C can crash on deep nesting."""

        def fetch_flow_collection_start(self, token: object) -> None:
            if self.flow_level >= _DEEPEST:
                raise TooHard
            super().fetch_flow_collection_start(token)

    try:
        for _ in yaml.parse(text, Loader=Loader):
            pass
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return _fault_at(f"U+{error.character:04X} does not belong in YAML", line)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = (error.problem or error.context or "it is not YAML").replace("<stream end>", "the end")
        if mark is None:
            return _fault_at(what)
        return _fault_at(what, mark.line + 1, mark.column + 1)
    return None


def _by_grammar(grammar: SourceLanguage) -> Callable[[str], str | None]:
    def fault(text: str) -> str | None:
        # The grammars with JSX do not accept `&` in text, as in `<b>Q & A</b>`. They accept `|` both there and in all
        # places where `&` is an operator.
        if grammar.name in _WITH_JSX:
            text = text.replace("&", "|")
        data = text.encode()
        root = SyntaxReader(grammar).parse(data).root
        if not root.has_error:
            return None
        node = next((node for node in _error_nodes(root) if node.is_missing or node.parent), root)
        if node.parent is None:
            return _fault_at(f"tree-sitter cannot read it as {grammar.name}")
        what = f"`{node.type}` is missing" if node.is_missing else "something does not belong here"
        column = len(data[data.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].decode()) + 1
        return _fault_at(f"{what} (read as {grammar.name} by tree-sitter)", node.start_point.row + 1, column)

    return fault


_CHECKERS: Mapping[str, _Checker] = {
    ".py .pyi .pyw": (_python, 512 * 1024, 4),
    ".json .geojson .ipynb .webmanifest": (json_fault, 4 * 1024 * 1024, 1),
    ".toml Pipfile Cargo.lock poetry.lock uv.lock": (_toml, 512 * 1024, 16),
    ".yaml .yml .cff": (_yaml, 128 * 1024, 64),
}
_BY_NAME = {name: checker for names, checker in _CHECKERS.items() for name in names.split()}


def _checker_for(path: str) -> _Checker | None:
    kind = file_kind(path)
    if kind == ".json" and re.search(_WITH_COMMENTS, path):
        return None
    checker = _BY_NAME.get(kind)
    if checker is None and kind:
        checker = _BY_NAME.get(path.rpartition("/")[2])  # such as `Cargo.lock`
    if checker is not None:
        return checker
    grammar = grammar_for(path)
    if grammar is None:
        return None
    return _by_grammar(grammar), MOST_BYTES, 8
