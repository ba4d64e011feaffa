"""SEARCH stands in the file but for spaces and tabs at line ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.matching.exact import find_lines
from editblocks.model import Match
from editblocks.text import SourceText

NAME = "trailing-space"
CONFIDENCE = "high"


def find(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place, overlapping ones included, from the top."""
    bare = [line.rstrip(" \t") for line in search]
    for start in find_lines(bare, source.right_stripped):
        yield Match(start, start + len(search))
