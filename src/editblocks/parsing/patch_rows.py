"""The rows of a patch that is over: read as its format says, with paths as the response means them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editblocks.core.blocks import EditBlock, Note
from editblocks.formats.grammar import Located, not_asked_for
from editblocks.formats.hunks import PatchText, Row
from editblocks.formats.patch_lines import BEGIN_PATCH, END_PATCH, V4A
from editblocks.formats.unified import Diff
from editblocks.formats.v4a import read_patch, without_patch
from editblocks.parsing.path_line import clean_path

if TYPE_CHECKING:
    from editblocks.parsing.patches import Ended, Region


def read_rows(region: Region, patch: Ended) -> tuple[list[Row], int]:
    """Return the rows of a patch, not numbered yet, and how many of its lines they take."""
    lines = patch.lines
    first = patch.first_line
    ended_by = patch.ended_by
    size = len(lines)
    located = region.located
    text = PatchText(
        lines,
        first,
        region.indent,
        region.format.names[0],
        bool(region.fences),
        patch.most_rows,
        patch.crlf,
    )
    if not patch.is_read:
        return [text.problem(0, size, not_asked_for(f"`{lines[0].strip()}`", first), None)], size
    if region.is_stray:
        return [without_patch(text)], size
    if region.format is V4A:
        by_fence = ended_by not in (None, END_PATCH, BEGIN_PATCH)
        rows = read_patch(text, is_ended=ended_by is END_PATCH, by_fence=by_fence)
        return [_cleaned(row) for row in rows], size
    diff = Diff(text, located and located.path, is_cut=ended_by is None and patch.is_last)
    rows = [_placed(row, located) for row in diff.read()]
    return rows, size if text.is_fenced else diff.stop


def _cleaned(row: Row) -> Row:
    """The row of a patch with its paths as they are meant: in quotes, with `./`, with backslashes."""
    if not row.file_path:
        return row
    cleaned = clean_path(row.file_path)
    note = (Note("path-cleaned", f"the path was read as {cleaned.path}"),) if cleaned.cleaned else ()
    row = row._replace(file_path=cleaned.path, notes=(*note, *row.notes))
    if isinstance(row, EditBlock) and row.new_path:
        return row._replace(new_path=clean_path(row.new_path).path)
    return row


def _placed(row: Row, located: Located | None) -> Row:
    """The row of a hunk whose file the lines around name."""
    if located is None or row.file_path != located.path:
        return row
    row = row._replace(longer_paths=located.longer_paths)
    if not isinstance(row, EditBlock):
        return row
    notes = (*located.notes, *row.notes)
    return row._replace(path_source=located.source, notes=notes)
