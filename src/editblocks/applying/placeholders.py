"""Placeholder lines in the new text of a block, such as `# ... existing code ...`: written as they are, they delete
code.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.applying.placement import Placement
from editblocks.core.model import EditBlock, section_lines
from editblocks.matching.placeholder_lines import LONGEST_LINE, Placeholder, stands_for_others


def placeholder(block: EditBlock, placement: Placement, lines: Sequence[str]) -> Placeholder | None:
    """The first line that certainly is a placeholder, else the first that may be one; never a line of SEARCH.

    `lines` are those of the file that the block changes.
    """
    searched = {line.strip(" \t") for line in section_lines(block.search)}
    lost, removes = placement.removed > len(placement.added), placement.removed > 0 or not lines
    around = [lines[line] if isinstance(line, int) else line for line in placement.new]
    around = [*(lines[placement.start - 1 : placement.start] or [""]), *around, *(lines[placement.stop :][:1] or [""])]
    stand_in = None
    for index, line in enumerate(placement.new):
        if isinstance(line, int) or len(line) > LONGEST_LINE or line.strip(" \t") in searched:
            continue
        is_sure = stands_for_others(line, around[index], around[index + 2], block.file_path, lost=lost, removes=removes)
        if is_sure is not None and (stand_in is None or is_sure):
            stand_in = Placeholder(line.strip(" \t"), is_sure)
        if is_sure:
            break
    return stand_in
