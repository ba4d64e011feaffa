"""What `StreamParser.feed` returns while a response arrives: enough to draw a block as it is written.

Only a `BlockDone` may be applied. Until then a block may still turn out to be cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from editblocks.core.model import EditBlock, Problem


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """An opener was read. `path` is None if no line names a file; `line_number` is the opener's, 1-based."""

    number: int
    format: str | None
    path: str | None
    line_number: int


@dataclass(frozen=True, slots=True)
class BlockProgress:
    """Lines of an open block, without their ends. `section`: a name of its format, or `closed` after the closer.

    The names are `search` and `replace`; of edit-v2 `anchor`, `old`, `new` and `trailing-anchor`; `new` for
    whole files. A block with several dividers is settled only when it is done.
    """

    number: int
    section: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlockDone:
    """The block is complete: the next one has begun, or the text is over."""

    block: EditBlock


@dataclass(frozen=True, slots=True)
class BlockBroken:
    """The block cannot be read, or something stands where no block is."""

    problem: Problem


Event: TypeAlias = BlockStarted | BlockProgress | BlockDone | BlockBroken
