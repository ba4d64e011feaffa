"""Notes on a block that fits but deserves a look; they change no verdict."""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.applying.placeholders import placeholder
from editblocks.applying.placement import Placement
from editblocks.core.model import EditBlock, Note
from editblocks.text.source_text import SourceText

REWRITTEN = 0.8
FEWEST_LINES = 10  # a short file is rewritten by any change; nobody needs to hear so


def block_warnings(block: EditBlock, placement: Placement, before: SourceText) -> Iterator[Note]:
    """Notes about a block that landed on `before`, a text without lines if it creates the file."""
    count = len(before.lines)
    if count >= FEWEST_LINES and placement.removed > REWRITTEN * count:
        yield Note("rewrites-file", f"replaces {placement.removed * 100 // count} % of the file")
    if block.format == "edit-v2" and placement.start and not (block.anchor or block.old_lines or block.splits):
        yield Note(
            "not-at-start", "nothing stands before the new lines in the block, yet they are not the file's first"
        )
    if stand_in := placeholder(block, placement, before.lines):
        yield Note("placeholder", f"the new text has `{stand_in.shown}`: look whether it leaves lines out")
