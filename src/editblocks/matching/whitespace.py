"""`trailing-space`: SEARCH is in the file apart from spaces and tabs at line ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.core.model import Match
from editblocks.text.source_text import Form, SourceText

NAME = "trailing-space"
CONFIDENCE = "high"


def find(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place, overlapping ones included, from the top."""
    bare = [line.rstrip(" \t") for line in search]
    for start in source.places(bare, Form.RIGHT_STRIPPED):
        yield Match(start, start + len(search))
