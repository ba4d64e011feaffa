"""Checks on the lines that a block adds: visible characters, whole lines, a file within its size limit."""

from __future__ import annotations

import re

from editblocks.applying.file_plan import FilePlan
from editblocks.applying.placeholders import placeholder
from editblocks.applying.placement import Placement
from editblocks.core.codes import ReasonCode
from editblocks.core.model import EditBlock, Mismatch, Note
from editblocks.core.settings import Settings
from editblocks.text.invisible import find_added

OTHER_MEANS = "edit it by other means"
_SURROGATE = re.compile("[\ud800-\udfff]")  # JSON can hold one alone, UTF-8 cannot


def checked_content(block: EditBlock, file: FilePlan, placement: Placement, settings: Settings) -> Placement | Mismatch:
    """Refuse what the block adds, or return its placement, with a note on what the settings let through."""
    lines = [] if file.text is None else file.text.lines
    old = "\n".join(lines[placement.start : placement.stop])
    new = "\n".join(lines[line] if isinstance(line, int) else line for line in placement.new)
    if half := _SURROGATE.search(new):
        return Mismatch(ReasonCode.ENCODING, _half_a_character(new, half.start()), "remove it", can_be_mended=True)
    hidden = find_added(old, new)
    if hidden is not None and settings.suspicious_text != "warn":
        return Mismatch(ReasonCode.HIDDEN_TEXT, hidden.what, "remove it")
    if settings.placeholders != "warn" and (stand_in := placeholder(block, placement, lines)) and stand_in.is_sure:
        return Mismatch(ReasonCode.PLACEHOLDER, stand_in.refusal, "write every line")
    size, limit = file.size_after(placement.start, placement.stop, placement.new), settings.max_file_bytes
    if size > limit:
        return Mismatch(ReasonCode.TOO_LARGE, too_large(block.file_path, size, limit), OTHER_MEANS)
    if hidden is None:
        return placement
    return placement.noting(Note(ReasonCode.HIDDEN_TEXT.value, f"{hidden.what}; look whether it belongs there"))


def too_large(path: str, size: int, limit: int) -> str:
    """Why a file is too large to edit, or would become too large; sizes in bytes."""
    return f"{path} has {size:,} bytes, the limit is {limit:,} (max-file-bytes)"


def _half_a_character(text: str, position: int) -> str:
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    where = f"U+{ord(text[position]):04X} at line {line}, column {column}"
    return f"the new text has {where}, which is half a character"
