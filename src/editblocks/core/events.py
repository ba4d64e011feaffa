"""The events that `StreamParser.feed` returns while a response arrives: enough to show a block as it is written.

An `EditBlock` is complete and may be applied; a `Problem` cannot be. Before that, a block may turn out to be cut off.
"""

from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Problem


class BlockStarted(NamedTuple):
    """An opener was read. `path` is None if no line names a file; `line_number` is the opener's, 1-based.

    `format` is judged by the opener only: a `roo` block begins like a block without a header.
    """

    number: int
    format: str | None
    path: str | None
    line_number: int


class BlockProgress(NamedTuple):
    """Lines of an open block, without their ends. `section`: a name of its format, or `closed` after the closer.

    The names are `search` and `replace`; of edit-v2 `anchor`, `old`, `new` and `trailing-anchor`; `new` for
    whole files. If several lines look like the divider, the right one is known only when the block is complete.
    """

    number: int
    section: str
    lines: tuple[str, ...]


class DraftsLeftOut(NamedTuple):
    """Every event before this one was about a draft: the text up to a closing tag such as `</think>` is not the answer.

    Blocks are numbered from 1 again.
    """

    line_number: int  # of the tag, 1-based


Event = BlockStarted | BlockProgress | EditBlock | Problem | DraftsLeftOut
