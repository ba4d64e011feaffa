"""Broken blocks: lines that are read again, and what may be part of the text that was cut off.

A block that the next opener of its kind, or the end, cuts off becomes a problem, and its lines are read
again as text, so that it hides nothing behind it. What is found there may belong to the broken block, so
it is a problem too, unless the fence or action that held the broken block had been closed before. A line is read
again for every broken block around it, and those can be made to be many; so once all lines together were
read again `MOST_AGAIN` times, what stands in a broken block is not read, only counted as problems.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from editblocks.parsing.containers import Action, Containers, Fence
from editblocks.parsing.open_block import OpenBlock

MOST_AGAIN = 8  # readings; no honest response comes near, and work stays linear


@dataclass(slots=True)
class BrokenBlock:
    """A broken block's lines, read again: tokens up to `stop`, markers only from `counts_from` on."""

    stop: int
    counts_from: int
    line: int
    container: Fence | Action | None
    is_read: bool  # whether blocks in it are read, rather than counted


@dataclass(slots=True)
class BrokenBlocks:
    """The broken blocks around the current line, and the last one whose text may still go on."""

    regions: list[BrokenBlock] = field(default_factory=list)
    doubt: BrokenBlock | None = None
    again: int = 0  # tokens that were taken once more

    @property
    def innermost(self) -> BrokenBlock | None:
        """The broken block whose lines are read now."""
        return self.regions[-1] if self.regions else None

    def may_read(self, block: OpenBlock, stop: int) -> bool:
        """Whether the lines of a block that breaks at token `stop` may still be read once more."""
        is_read = self.again <= MOST_AGAIN * stop
        self.again += stop - block.index
        return is_read

    def hold(self, block: OpenBlock, stop: int, is_read: bool) -> None:
        """Read the lines of `block` once more, up to token `stop`."""
        loud = stop if block.other_opener is None else block.other_opener
        broken_block = BrokenBlock(stop, loud, block.opener.line, block.container, is_read)
        if not self.regions:
            self.doubt = broken_block
        self.regions.append(broken_block)

    def around(self, containers: Containers) -> BrokenBlock | None:
        """The broken block that may contain the block which ends now: one whose fence was not closed before it."""
        for broken_block in self.regions:
            if broken_block.container is None or containers.holds(broken_block.container):
                return broken_block
        return self._open_broken_block(containers)

    def _open_broken_block(self, containers: Containers) -> BrokenBlock | None:
        """The broken block whose fence or action is still open: what follows may be a sample in its text.

        Of a broken block outside of any that is said of the next one only.
        """
        doubt = self.doubt
        if doubt is None or (doubt.container is not None and not containers.holds(doubt.container)):
            return None
        if doubt.container is None:
            self.doubt = None
        return doubt
