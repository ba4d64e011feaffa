"""Warn about changed files that parsed before and no longer do. The warnings refuse no block.

Python, JSON, TOML and YAML are read by the installed parsers, other languages by the grammars of the extra `syntax`.
There is no warning about a file that is new, was broken before, has an unknown type, or is too large. Nothing is run,
and no values are built: a YAML file is only read as events.
"""

from __future__ import annotations

import re
import symtable
import sys
import warnings as python_warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

from editblocks.core.characters import show_text
from editblocks.core.errors import LevelUnavailable
from editblocks.text.languages import MOST_BYTES, SourceLanguage, SyntaxReader, TooHard, errors, file_kind, grammar_for

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


def warnings(contents: Mapping[str, bytes | None], originals: Mapping[str, bytes | None]) -> Iterator[tuple[str, str]]:
    """Yield path and message for each file that no longer parses, in the order of `contents` (new bytes by path).

    `originals` has the old bytes. All files together get work of about a second; files beyond that are skipped.
    """
    work_left = MOST_WORK
    for path, after in contents.items():
        before = originals.get(path)
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
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore")  # such as for an invalid escape, which is not a syntax error
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
        node = next((node for node in errors(root) if node.is_missing or node.parent), root)
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
