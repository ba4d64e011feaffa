"""The events that `StreamParser.feed` returns while a response arrives: enough to show a block as it is written.

An `EditBlock` is complete and may be applied, a `Problem` cannot be. Until then a block may turn out to be cut off.
"""

from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Problem


class BlockStarted(NamedTuple):
    """An opener was read. `path` is None if no line names a file; `line_number` is the opener's, 1-based.

    `format` is what the opener tells: a `roo` block begins as one without a header.
    """

    number: int
    format: str | None
    path: str | None
    line_number: int


class BlockProgress(NamedTuple):
    """Lines of an open block, without their ends. `section`: a name of its format, or `closed` after the closer.

    The names are `search` and `replace`; of edit-v2 `anchor`, `old`, `new` and `trailing-anchor`; `new` for
    whole files. Which of several dividers counts is known only when the block is done.
    """

    number: int
    section: str
    lines: tuple[str, ...]


class DraftsLeftOut(NamedTuple):
    """Every event before this one was about a draft: a closing tag such as `</think>` ended what began with the text.

    Blocks are numbered from 1 again.
    """

    line_number: int  # of the tag, 1-based


Event = BlockStarted | BlockProgress | EditBlock | Problem | DraftsLeftOut
