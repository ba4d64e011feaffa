"""Whether a file already holds what all of its blocks ask for: docs/internals/design.md, "already applied"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from editblocks.applying.decide import place_block
from editblocks.core.model import EditBlock, section_lines
from editblocks.matching.align import keep
from editblocks.matching.ladder import Placement, PlacementOptions, find_exact, is_distinctive
from editblocks.text.source_text import SourceText


def is_done(blocks: Sequence[EditBlock], source: SourceText, options: PlacementOptions) -> bool:
    """Whether `source` already has the result of all `blocks`, those of one file, although each alone would still fit.

    Two insertions at one line part what each of them wrote from that line, so none finds its own text there.
    Taken back from the last to the first and made again, they must give the very same file: then they are in it.
    True only for several blocks with an insertion among them; in all other cases each block is looked at alone.
    """
    if len(blocks) < 2 or not any(block.operation == "insert" for block in blocks):
        return False
    text = source.copy()
    if not all(_undo(block, text) for block in reversed(blocks)):
        return False
    for block in blocks:
        placement = place_block(block, text, PlacementOptions(options.strategies))
        if not isinstance(placement, Placement):
            return False
        text.splice(placement.start, placement.stop, placement.new)
    return text.lines == source.lines


def _undo(block: EditBlock, text: SourceText) -> bool:
    """Put the old lines back. False if the new ones stand in several places, or are not distinctive."""
    search, replace = section_lines(block.search), section_lines(block.replace)
    if block.splits or block.creates_file or not (block.operation == "insert" or is_distinctive(search, replace)):
        return False
    places = list(islice(find_exact(replace, search, text), 2))
    return len(places) == 1 and text.splice(places[0].start, places[0].stop, keep(replace, search, places[0].start))
