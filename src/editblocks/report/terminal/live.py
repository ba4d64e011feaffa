"""Write a response for a terminal while it is still growing: the rows so far, the open block, and the keys.

Each line fits the width of the terminal, so that the lines can be drawn again in the same place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from editblocks.core.phrases import plural
from editblocks.report.escape import cut_middle, visible
from editblocks.report.terminal.console import table
from editblocks.report.terminal.short import columns, summary
from editblocks.report.view import OutcomeView

_PATH = 60  # characters of a path
_COLOUR = re.compile("(\x1b\\[[0-9]*m)")


class Reading(NamedTuple):
    """A block whose end has not come yet. `path` is None if no line names a file."""

    number: int
    path: str | None
    lines: int = 0


def live_lines(
    view: OutcomeView | None,
    reading: Reading | None,
    below: Sequence[str],
    size: tuple[int, int],
    *,
    unicode: bool = True,
    color: bool = False,
) -> list[str]:
    """Return the lines to show; if there are too many rows, the last of them.

    `below`: foreign text for below the rows. `size`: the columns and lines of the terminal.
    """
    width, height = size
    rows: list[str] = []
    foot: list[str] = []
    if view is not None and view.rows:
        rows = table(view.rows, width, unicode=unicode, color=color)
        foot = [summary(view)]
    if reading is not None:
        rows.append(reading_line(reading, unicode=unicode))
    if rows:
        foot.insert(0, "")
    below = [visible(line) for line in below]
    wrapped = [part for line in below for part in wrap(line, width)]
    foot += wrapped if len(wrapped) <= height // 2 else below  # rows matter more
    room = max(1, height - 1 - len(foot))  # one line is for the cursor
    if len(rows) > room:
        above = len(rows) - room + 1
        rows = [f"{_dots(unicode)} {plural(above, 'row')} above", *rows[above:]]
    return [cut(line, width) for line in (*rows, *foot)][-max(1, height - 1) :]


def reading_line(reading: Reading, *, unicode: bool = True) -> str:
    """Return the line of an open block: ` 3  … reading src/api.py, 12 lines`."""
    where = "a block" if reading.path is None else cut_middle(visible(reading.path), _PATH)
    return f"{reading.number:>2}  {_dots(unicode)} reading {where}, {plural(reading.lines, 'line')}"


def _dots(unicode: bool) -> str:
    return "…" if unicode else "..."


def cut(line: str, width: int) -> str:
    """Cut a line to `width` columns; colour codes take no room, and all of them stay."""
    shown = []
    room = width
    for index, part in enumerate(_COLOUR.split(line)):
        if index % 2:
            shown.append(part)
            continue
        for char in part:
            room -= columns(char)
            if room >= 0:
                shown.append(char)
    return "".join(shown)
