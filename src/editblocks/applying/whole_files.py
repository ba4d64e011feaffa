"""Blocks that hold a whole file: create it, fill an empty one, or replace what it holds where that is asked for.

Rules: docs/reference/formats.md, "all formats" and "applying".
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.phrases import after_blocks, named_lines, plural
from editblocks.matching.align import keep
from editblocks.matching.block_readings import readings
from editblocks.matching.ladder import Placement, find_exact
from editblocks.text.source_text import SourceText

_ASK = "add --whole-files all, or ask for edit blocks"


def not_asked_for(block: EditBlock) -> Mismatch:
    """Why a fence that shows a whole file is not written, whatever is there."""
    lines = named_lines((block.line_number, block.end_line))
    return Mismatch(ReasonCode.WHOLE_FILE, f"{lines} hold a whole file, which is not written unless asked for", _ASK)


def create(block: EditBlock, source: SourceText | None, whole_files: str) -> Placement | Mismatch:
    """Create a file, or fill an empty one. A file with another text is replaced by a `whole-file` block alone.

    `whole_files`: `all` lets it, `new` does not.
    """
    new = readings(block)[0].replace
    placement = new_file(new)
    if block.action == "create":  # where each new line has a sign of its own, a blank one at the end was meant
        placement = Placement("create", "high", 0, 0, tuple(new))
    if source is None or not (source.lines or (block.action == "create" and not new)):
        return placement
    file = block.file_path
    if source.applied:
        file = f"{file} {after_blocks(source.applied)}"
    if block.action == "replace-file" and placement.new:
        return _replace(file, source, _without_last_blanks(new), whole_files)
    if source.lines == list(placement.new):
        return Mismatch(ReasonCode.ALREADY_APPLIED, f"{file} holds this text already", there_at=0)
    lines = plural(len(source.lines), "line")
    if block.action == "replace-file":
        what = f"the fence is empty, and {file} has {lines}"
        return Mismatch(ReasonCode.FILE_EXISTS, what, "ask for the whole file, or for a patch that deletes it")
    return Mismatch(ReasonCode.FILE_EXISTS, f"{file} has {lines} already", "send blocks that edit it")


def _replace(file: str, source: SourceText, new: list[str], whole_files: str) -> Placement | Mismatch:
    """Put `new` in the place of all lines but blank ones at the end. Lines that stand in both keep their bytes."""
    old = _without_last_blanks(source.lines)
    if new == old:
        return Mismatch(ReasonCode.ALREADY_APPLIED, f"{file} holds this text already", there_at=0)
    quoted = next(find_exact(new, (), source), None)
    if quoted is not None:
        return Mismatch(ReasonCode.ALREADY_APPLIED, f"{file} holds these lines already", there_at=quoted.start)
    if whole_files != "all":
        return Mismatch(ReasonCode.WHOLE_FILE, f"{file} exists, and whole files are written as new ones alone", _ASK)
    return Placement("replace-file", "medium", 0, len(old), keep(old, new, 0))


def new_file(new: Sequence[str], notes: tuple[Note, ...] = ()) -> Placement:
    """Create a file of these lines."""
    return Placement("create", "high", 0, 0, tuple(_without_last_blanks(new)), notes)


def _without_last_blanks(lines: Sequence[str]) -> list[str]:
    """The lines up to the last one with text."""
    stop = len(lines)
    while stop and not lines[stop - 1].strip(" \t"):
        stop -= 1
    return list(lines[:stop])
