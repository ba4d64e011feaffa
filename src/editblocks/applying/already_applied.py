"""Whether a file already holds the result of all blocks of a response, although each block alone would still match.

Two insertions at one line part what each of them wrote from that line, so none finds its own text there.
Taken back from the last to the first and made again, they must give the very same file: then they are in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.applying.options import PlacementOptions
from editblocks.applying.place_block import place_block
from editblocks.applying.placement import Placement
from editblocks.core.model import EditBlock, section_lines
from editblocks.matching import exact
from editblocks.matching.align import kept_lines
from editblocks.matching.distinctive import is_distinctive
from editblocks.text.source_text import SourceText


def is_done(blocks: Sequence[EditBlock], source: SourceText, options: PlacementOptions) -> bool:
    """Whether `source` already has the result of all `blocks`, which are those of one file in reading order.

    True only for several blocks with an insertion among them; in all other cases each block is looked at alone.
    """
    if len(blocks) < 2 or not any(block.operation == "insert" for block in blocks):
        return False
    text = source.copy()
    return all(_undo(block, text) for block in reversed(blocks)) and _apply_again(blocks, text, options) == source.lines


def _undo(block: EditBlock, text: SourceText) -> bool:
    """Put the old lines back. False if the new ones stand in several places, or are not distinctive."""
    search, replace = section_lines(block.search), section_lines(block.replace)
    if block.splits or block.creates_file or not (block.operation == "insert" or is_distinctive(search, replace)):
        return False
    places = list(exact.find(replace, search, text))
    if len(places) != 1:
        return False
    kept, start = kept_lines(replace, search), places[0].start
    new = [start + kept[index] if index in kept else line for index, line in enumerate(search)]
    return text.splice(start, places[0].stop, new)


def _apply_again(blocks: Sequence[EditBlock], text: SourceText, options: PlacementOptions) -> list[str] | None:
    for block in blocks:
        placement = place_block(block, text, PlacementOptions(options.strategies))
        if not isinstance(placement, Placement):
            return None
        text.splice(placement.start, placement.stop, placement.new)
    return text.lines
