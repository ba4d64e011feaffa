"""Print every sentence that the program can write, as a template, with the module that holds it.

    PYTHONPATH=tests python -m support.sentences [PART…]

A sentence is a string in the code with at least three words: what stands in braces is filled in. Docstrings, patterns
and the texts for type checkers are left out. `PART` is a part of a module's path, as `applying` or `report/status`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from support.project import ROOT

_SOURCE = ROOT / "src" / "editblocks"
_FEWEST_WORDS = 3
_WORD = re.compile(r"[A-Za-z][a-z]+|\{\w*\}")
_PATTERN = re.compile(r"\\[AZbdswWDS.(\[]|\(\?|\[\^|\)\?|\]\*")


class Sentence(NamedTuple):
    """A template, and where it is written."""

    module: str
    line: int
    text: str


def sentences(folder: Path = _SOURCE) -> Iterator[Sentence]:
    """Yield every sentence in the modules below a folder, in their order."""
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
    """Docstrings and annotations, with all that is in them."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            yield from ast.walk(node.body[0])
        if isinstance(node, ast.AnnAssign):
            yield from ast.walk(node.annotation)


def _text_of(node: ast.AST) -> str:
    """The template of a string; "" for what is no string."""
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
    return " " in text and len(_WORD.findall(text)) >= _FEWEST_WORDS and not _PATTERN.search(text)


def main(parts: Sequence[str]) -> None:
    """Print the sentences, a module each under its name."""
    above = ""
    for sentence in sentences():
        if parts and not any(part in sentence.module for part in parts):
            continue
        if sentence.module != above:
            print(f"\n{sentence.module}")
            above = sentence.module
        print(f"{sentence.line:5}  {sentence.text!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
