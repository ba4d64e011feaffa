"""What hooks and workflows search for follows from the formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.needles import GATE, WITH_CONDITION, condition, markers, written


@pytest.mark.parametrize("path", [GATE, *WITH_CONDITION], ids=lambda path: path.name)
def test_the_committed_text_is_what_the_formats_say(path: Path) -> None:
    """If not, `python -m support.needles` in `tests/` writes it."""
    text = path.read_text("utf-8")
    assert written(path) == text
    assert (markers() if path == GATE else condition()) in text
