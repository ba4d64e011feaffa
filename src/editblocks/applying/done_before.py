"""What has been applied before: docs/internals/design.md, "already applied"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from editblocks.applying.placing import fits
from editblocks.core.blocks import EditBlock, section_lines
from editblocks.core.errors import UnreadableFile
from editblocks.core.outcome import WrittenFile
from editblocks.matching.align import keep
from editblocks.matching.ladder import EXACT, Strategy, is_distinctive, locate
from editblocks.matching.narrowing import Narrowing
from editblocks.text.source_text import SourceText


def written_before(
    blocks: Iterable[EditBlock], written: Sequence[WrittenFile], read: Callable[[str], bytes | None]
) -> dict[int, str]:
    """The blocks that applies of this answer wrote, by number, with the id of the apply.

    It counts only while all files of a block are as that apply left them: else nobody knows what became of its lines.
    """
    unchanged = {file.path: file.blocks for file in written if _holds(read, file)}
    ids: dict[int, str] = {}
    if not unchanged:
        return ids
    from editblocks.core.digests import block_key  # a check needs no digest where nothing was written

    for block in blocks:
        of_files = [unchanged.get(path, {}).get(block_key(block)) for path in block.paths]
        if None not in of_files:
            ids[block.number] = of_files[0] or ""
    return ids


def _holds(read: Callable[[str], bytes | None], file: WrittenFile) -> bool:
    try:
        return read(file.path) == file.data
    except UnreadableFile:
        return False


def is_done(blocks: Sequence[EditBlock], source: SourceText, strategies: Sequence[Strategy]) -> bool:
    """Whether `source` already has the result of all `blocks`, those of one file, although each alone would still fit.

    Two insertions at one line part what each of them wrote from that line, so none finds its own text there.
    Taken back from the last to the first and made again, they must give the very same file: then they are in it.
    True only for several blocks with an insertion among them; in all other cases each block is looked at alone.
    See docs/internals/design.md, "already applied".
    """
    if len(blocks) < 2 or not any(block.inserts for block in blocks):
        return False
    text = source.copy()
    if not all(_take_back(block, text) for block in reversed(blocks)):
        return False
    for block in blocks:
        placement = fits(block, text, strategies)
        if placement is None:
            return False
        text.splice(*placement.change)
    return text.lines == source.lines


def _take_back(block: EditBlock, text: SourceText) -> bool:
    """Put the old lines back. False if the new ones stand in several places, or are not distinctive."""
    old = section_lines(block.search)
    new = section_lines(block.replace)
    if block.splits or block.creates_file or not (block.inserts or is_distinctive(old, new)):
        return False
    place = locate(new, old, text, EXACT, Narrowing.of(block, text).of_result()).match
    return place is not None and text.splice(place.start, place.stop, keep(new, old, place.start))
