"""Checks on the lines that a block adds, and notes on a block that fits but deserves a look.

Lines are visible, whole, and within the size limit. A placeholder such as `# ... existing code ...` deletes code if it
is written as it is. Notes change no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editblocks.applying.files import OTHER_MEANS, FilePlan, too_large
from editblocks.applying.new_lines import notes_on_new_lines
from editblocks.applying.numbered_lines import numbered
from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.codes import ReasonCode
from editblocks.core.model import Mismatch
from editblocks.core.phrases import blocks
from editblocks.core.settings import Settings
from editblocks.matching.ladder import Placement
from editblocks.matching.placeholder_lines import (
    cut,
    leaves_lines_out,
    may_stand_for_others,
    says_so,
    stands_for_others,
)
from editblocks.text.invisible import SURROGATE, find_added, may_hide, reason
from editblocks.text.parse_check import MOST_WORK, warnings
from editblocks.text.source_text import SourceText

_BLOCK_BYTES = 256 * 1024
_LINE_BYTES = 64 * 1024
_REWRITTEN = 0.8
_PARSED = MOST_WORK // 4  # for one file
_FEWEST_LINES = 10  # a short file is rewritten by any change; nobody needs to hear so


def block_too_large(block: EditBlock) -> Mismatch | None:
    """Why a block is over a limit, whatever the file holds."""
    if len(block.raw_block) * 4 <= _LINE_BYTES:  # UTF-8 has four bytes a character at most
        return None
    data = block.raw_block.encode("utf-8", "surrogatepass")
    what = f"the block has more than {_BLOCK_BYTES // 1024} KiB" if len(data) > _BLOCK_BYTES else None
    if what is None and max(map(len, data.split(b"\n"))) > _LINE_BYTES:
        what = f"a line of the block has more than {_LINE_BYTES // 1024} KiB"
    return None if what is None else Mismatch(ReasonCode.TOO_LARGE, what, "split it", can_be_mended=True)


def checked_content(block: EditBlock, file: FilePlan, placement: Placement, settings: Settings) -> Placement | Mismatch:
    """Refuse what the block adds, or return its placement with notes on what deserves a look."""
    text, hidden, is_whole = file.text or SourceText(), None, placement.strategy == "replace-file"
    if (refused := numbered(placement.added, section_lines(block.search))) is not None:
        return refused
    added = "\n".join(["", *placement.added])
    if may_hide(added):  # lines that stay were read as UTF-8, and hide as much as before
        old, new = _both(file, placement)
        if half := re.search(SURROGATE, new):
            at = half.start()
            line, column = new.count("\n", 0, at) + 1, at - new.rfind("\n", 0, at)
            where = f"U+{ord(new[at]):04X} at line {line}, column {column}"
            what = f"the new text has {where}, which is half a character"
            return Mismatch(ReasonCode.ENCODING, what, "remove it", can_be_mended=True)
        hidden = find_added(old, new)
        if hidden is not None and settings.suspicious_text != "warn":
            return Mismatch(ReasonCode.HIDDEN_TEXT, reason(*hidden), "remove it")
    is_odd = is_whole or may_stand_for_others(added)
    stand_in, is_sure = placeholder(block, placement, text.lines) if is_odd else ("", False)
    if is_sure and settings.placeholders != "warn":
        what = f"`{cut(stand_in)}` in the new text stands for lines that it leaves out"
        return Mismatch(ReasonCode.PLACEHOLDER, what, "write every line")
    is_large = file.size + 4 * len(added) > settings.max_file_bytes  # UTF-8 has four bytes a character at most
    if is_large and (size := file.size_after(file.written(*placement.change))) > settings.max_file_bytes:
        return Mismatch(ReasonCode.TOO_LARGE, too_large(block.file_path, size, settings), OTHER_MEANS)
    if is_whole and (broken := _breaks(block.file_path, *_both(file, placement))):
        return Mismatch(ReasonCode.MALFORMED, broken, "ask for it again, or for edit blocks", can_be_mended=True)
    notes = list(_notes(block, text, placement))
    if hidden is not None:
        notes.insert(0, Note(ReasonCode.HIDDEN_TEXT.value, f"{reason(*hidden)}; look whether it belongs there"))
    if stand_in:
        what = f"the new text has `{cut(stand_in)}`: look whether it leaves lines out"
        notes.append(Note("placeholder", what))
    return placement._replace(notes=(*placement.notes, *notes)) if notes else placement


def _notes(block: EditBlock, text: SourceText, placement: Placement) -> Iterator[Note]:
    """Yield notes on how much of the file the block replaces, where it inserts, and what its new lines hold."""
    is_whole, count = placement.strategy == "replace-file", len(text.lines)
    is_wide = is_whole or placement.stop - placement.start > _REWRITTEN * count
    removed = placement.counts[1] if is_wide else 0
    if is_whole:
        written = f"what {blocks(text.applied)} wrote, and " if text.applied else ""
        yield Note("rewrites-file", f"replaces {written}the whole file; lines lost: {removed} of {count}")
        return
    if count >= _FEWEST_LINES and removed > _REWRITTEN * count:
        yield Note("rewrites-file", f"replaces {removed * 100 // count} % of the file")
    if block.format == "edit-v2" and placement.start and not (block.anchor or block.old_lines or block.splits):
        what = "nothing stands before the new lines in the block, yet they are not the file's first"
        yield Note("not-at-start", what)
    yield from notes_on_new_lines(block.file_path, text.lines, placement)


def _both(file: FilePlan, placement: Placement) -> tuple[str, str]:
    """The text that the placement replaces, with the lines that stay, and the one that it puts there."""
    old, new = file.written(*placement.change)
    return "\n".join(old), "\n".join(new)


def _breaks(path: str, old: str, new: str) -> str:
    """What a whole file breaks: if it was cut off somewhere, its parser often sees that."""
    contents, originals = ({path: text.encode("utf-8", "surrogatepass")} for text in (new, old))
    return next((message for _, message in warnings(contents, originals, _PARSED)), "")


def placeholder(block: EditBlock, placement: Placement, lines: Sequence[str]) -> tuple[str, bool]:
    """The first line that certainly is a placeholder, else the first that may be one ("" if none is), and which it is.

    It is never a line of SEARCH, or of a file that is replaced as a whole. `lines` are those of the file that the block
    changes.
    """
    added, removed = placement.counts
    lost, removes = removed > added, removed > 0 or not lines
    first, last = lines[max(0, placement.start - 1) : placement.start], lines[placement.stop : placement.stop + 1]
    around = [lines[line] if isinstance(line, int) else line for line in placement.new]
    around = [*(first or [""]), *around, *(last or [""])]
    is_whole = placement.strategy == "replace-file"
    searched = {line.strip(" \t") for line in (lines if is_whole else section_lines(block.search))}
    stand_in = ""
    for index, line in enumerate(placement.new):
        if isinstance(line, int) or line.strip(" \t") in searched:
            continue
        above, below = around[index], around[index + 2]
        is_sure = stands_for_others(line, above, below, block.file_path, lost=lost, removes=removes)
        if is_sure and placement.strategy == "create" and not says_so(line):
            is_sure = False  # nothing can be lost in a new file
        if is_sure or (is_whole and leaves_lines_out(line, above, below, lost=lost)):
            return line.strip(" \t"), True
        if is_sure is not None:
            stand_in = stand_in or line.strip(" \t")
    return stand_in, False
