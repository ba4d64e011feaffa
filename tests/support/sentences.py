"""Print every sentence that the program can write, as a template, with the module that contains it.

    PYTHONPATH=tests python -m support.sentences [PART…]

A sentence is a string in the code with at least three words; braces mark values that are filled in. Docstrings,
patterns, lists of names and texts for type checkers are left out. `PART` is a part of a module's path, such as
`applying` or `report/status`. Below a template with braces there is an example from a golden page (`tests/cases`,
`tests/data`), if any page has one.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from support.project import CASES, DATA, ROOT

_SOURCE = ROOT / "src" / "editblocks"
_FEWEST_WORDS = 3
_WORD = re.compile(r"[A-Za-z][a-z]+|\{\w*\}")
_PATTERN = re.compile(r"\\[AZbdswWDS.(\[]|\(\?|\[\^|\)\?|\]\*")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_HOLE = re.compile(r"\{\w*\}")
_LONGEST_VALUE = 60
_FEWEST_SIGNS = 6  # characters between two braces, to find an example: every page has shorter texts
_LONG_LIST = 6  # words; a text with so many, but none of _SMALL, is a list of names
_SMALL = frozenset(
    "a an and are as at be by for has if in is it no not of on one or so that the there to was you".split()
)


class Sentence(NamedTuple):
    """A template, and its place in the code."""

    module: str
    line: int
    text: str


def sentences(folder: Path = _SOURCE) -> Iterator[Sentence]:
    """Yield every sentence in the modules below a folder, module by module."""
    for path in sorted(folder.rglob("*.py")):
        module = path.relative_to(folder).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = set(_not_for_readers(tree))
        for node in ast.walk(tree):
            if node in skipped:
                continue
            text = _text_of(node)
            if _is_sentence(text):
                skipped.update(ast.walk(node))
                yield Sentence(module, node.lineno, text)  # type: ignore[attr-defined]


def _not_for_readers(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of docstrings and annotations, with all nodes inside them."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            yield from ast.walk(node.body[0])
        if isinstance(node, ast.AnnAssign):
            yield from ast.walk(node.annotation)


def _text_of(node: ast.AST) -> str:
    """The template of a string or f-string; "" for any other node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(each) for each in node.values)
    return ""


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        names = re.findall(r"[A-Za-z_]\w+", ast.unparse(node.value))
        return "{" + (names[-1] if names else "") + "}"
    return _text_of(node)


def _is_sentence(text: str) -> bool:
    words = text.split()
    is_list = len(words) >= _LONG_LIST and _SMALL.isdisjoint(words) and "{" not in text
    is_query = "{ " in text
    if len(words) < 2 or is_list or is_query:
        return False
    return len(_WORD.findall(text)) >= _FEWEST_WORDS and not _PATTERN.search(text)


def golden_pages() -> Sequence[str]:
    """The texts of all golden pages, then the same texts on one line each, because pages are wrapped."""
    paths = [path for folder in (CASES, DATA) for path in sorted(folder.rglob("*")) if path.suffix in (".md", ".txt")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return [*texts, *(" ".join(text.split()) for text in texts)]


def example(template: str, pages: Sequence[str]) -> str:
    """The first text in a golden page that fits the template; "" if there is none."""
    fixed = _HOLE.split(template)
    longest = max(fixed, key=len)
    if len(fixed) == 1 or len(longest) < _FEWEST_SIGNS:
        return ""
    value = rf"[^\n]{{0,{_LONGEST_VALUE}}}"
    pattern = re.compile(f"{value}?".join(map(re.escape, fixed)) + (value if not fixed[-1] else ""))
    matches = (pattern.search(page) for page in pages if longest in page)
    return next((match[0] for match in matches if match), "")


def main(parts: Sequence[str]) -> None:
    """Print the sentences, grouped by module."""
    above = ""
    pages = golden_pages()
    chosen = [each for each in sorted(sentences()) if not parts or any(part in each.module for part in parts)]
    for sentence in chosen:
        if sentence.module != above:
            print(f"\n{sentence.module}")
            above = sentence.module
        print(f"{sentence.line:5}  {sentence.text!r}")
        shown = example(sentence.text, pages)
        if shown:
            print(f"       e.g. {shown}")
    print(f"\n{len(chosen)} sentences")


if __name__ == "__main__":
    main(sys.argv[1:])
