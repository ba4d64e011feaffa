"""Colours of code by the name of its file: the class that each piece of a line gets.

A lexer is chosen by the name alone and sees only what a page shows. What would take it long gets no colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

MOST_LINES = 5_000  # of a page
LONGEST_LINE = 2_000
_PLAIN = frozenset({"", "w", "n", "p", "err"})  # what has no colour of its own

Piece = tuple[str, str]  # text, class


@cache
def _lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def colored(lines: Sequence[str], path: str) -> list[list[Piece]]:
    """Each line in pieces, with the class of each, empty for none."""
    lexer = _lexer(path.rpartition("/")[2][-100:])
    if lexer is None or any(len(line) > LONGEST_LINE for line in lines):
        return [[(line, "")] for line in lines]
    shown: list[list[Piece]] = [[]]
    for token, text in lexer.get_tokens("\n".join(lines)):
        name = STANDARD_TYPES.get(token, "")  # a kind that only its lexer knows has no colour
        first, *others = text.split("\n")
        shown[-1].append((first, "" if name in _PLAIN else name))
        for other in others:
            shown.append([(other, "" if name in _PLAIN else name)])
    is_same = ["".join(text for text, _ in pieces) for pieces in shown] == list(lines)
    return shown if is_same else [[(line, "")] for line in lines]  # a lexer may drop what it takes for line ends
