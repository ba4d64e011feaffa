"""`exact`: SEARCH is in the file, character for character."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editblocks.core.model import Match
from editblocks.text.source_text import Form, SourceText

NAME = "exact"
CONFIDENCE = "high"


def find(search: Sequence[str], _replace: Sequence[str], source: SourceText) -> Iterator[Match]:
    """Yield every place, overlapping ones included, from the top."""
    for start in source.places(search, Form.WHOLE):
        yield Match(start, start + len(search))
