"""Compare two texts by a grammar: they are the same if tree and tokens are, whatever the white space between tokens.

The texts differ in one window only: tokens in it are compared, and outside it only the extents of nodes. White space
counts where it is text: in tokens, which are compared byte by byte, and inside strings and the like, as grammars do
not show all of their text as tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editblocks.text.languages import SyntaxReader, errors

if TYPE_CHECKING:
    from tree_sitter import Node

_BLANK = b" \t\r\n\f\v"
_HOLDS_TEXT = re.compile(r"string|heredoc|regex|char|shell|symbol|subshell|quoted")
_ONLY_JOINS = frozenset({"concatenated_string", "chained_string"})  # nodes of several strings in a row


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and its tree."""

    data: bytes
    root: Node

    @classmethod
    def of(cls, data: bytes, reader: SyntaxReader) -> Parsed:
        """Parse a text. Raises `TooHard`."""
        return cls(data, reader.parse(data).root_node)

    def errors(self, start: int, stop: int) -> tuple[int, int]:
        """Count the places that do not fit the grammar, and those of them that touch bytes `start:stop`."""
        places = [(node.start_byte, node.end_byte) for node in errors(self.root)]
        return len(places), sum(1 for first, last in places if first <= stop and start <= last)

    def texts(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield strings and other tokens in bytes `start:stop` that have several lines, without comments."""
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
    """Whether two texts mean the same; they differ only in bytes `start:stop`, `start:other_stop` of `other`."""
    moved = other_stop - stop
    waiting = [(one.root, other.root)]
    while waiting:
        old, new = waiting.pop()
        if (old.kind_id, old.child_count, old.is_missing) != (new.kind_id, new.child_count, new.is_missing):
            return False
        if start < old.end_byte and old.start_byte < stop:
            is_equal = list(_between(old, one.data)) == list(_between(new, other.data))
            waiting.extend(zip(old.children, new.children, strict=True))
        else:
            by = moved if old.start_byte >= stop else 0
            extent = (old.start_byte + by, old.end_byte + by)
            is_equal = (new.byte_range, new.descendant_count) == (extent, old.descendant_count)
        if not is_equal:
            return False
    return True


def _between(node: Node, data: bytes) -> Iterator[bytes]:
    """Yield the bytes of a node around its children (of a token, all); outer white space only where it is text."""
    is_text, at = not node.child_count or _is_text(node), node.start_byte
    for child in node.children:
        gap = data[at : child.start_byte]
        yield gap if is_text else gap.strip(_BLANK)
        at = child.end_byte
    gap = data[at : node.end_byte]
    yield gap if is_text else gap.strip(_BLANK)


def _is_text(node: Node) -> bool:
    return node.type not in _ONLY_JOINS and _HOLDS_TEXT.search(node.type) is not None
