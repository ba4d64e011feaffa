"""Blocks that are cut off: their lines are read again as text, and what is found there may be part of them.

Rules: docs/reference/formats.md, "broken blocks".
"""

from __future__ import annotations

from editblocks.core.blocks import EditBlock, Problem
from editblocks.parsing.containers import Containers
from editblocks.parsing.open_block import OpenBlock
from editblocks.parsing.rows import as_problem

_MOST_AGAIN = 8  # readings of all lines; then what stands in a broken block is only counted, so that work stays linear


class Broken:
    """The broken blocks around the line that is read now."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers
        self.region: OpenBlock | None = None  # the innermost, whose lines are read now
        self._regions: list[OpenBlock] = []
        self._doubt: OpenBlock | None = None  # the last broken block whose text may still go on
        self._again = 0  # tokens that were taken once more

    def may_read(self, block: OpenBlock, stop: int) -> bool:
        """Whether the blocks in the lines of a broken one, up to token `stop`, are read rather than counted."""
        is_read = self._again <= _MOST_AGAIN * stop
        self._again += stop - block.index
        return is_read

    def enter(self, block: OpenBlock, stop: int, *, is_read: bool) -> None:
        """The lines of a block are read once more, up to token `stop`."""
        block.stop = stop
        block.is_read = is_read
        self._doubt = self._doubt if self._regions else block
        self._regions.append(block)
        self.region = block

    def leave(self) -> None:
        """They were read; what follows inherits nothing from them."""
        self._regions.pop()
        self.region = self._regions[-1] if self._regions else None
        self._containers.end_row(self._containers.row_stop)

    def around(self) -> OpenBlock | None:
        """The broken block that a row may be part of: in no container, one is doubted of the next row alone."""
        if self._doubt is None:
            return None
        for region in filter(None, (*self._regions, self._doubt)):
            if region.container is None:
                self._doubt = self._doubt if self._regions else None
            if region.container is None or self._containers.holds(region.container):
                return region
        return None

    def trusted(self, row: EditBlock | Problem) -> EditBlock | Problem:
        """The row; a problem if it may be of a broken block."""
        if self._doubt is None or isinstance(row, Problem):
            return row
        region = self.around()
        return row if region is None else as_problem(row, region.may_hold_it)
