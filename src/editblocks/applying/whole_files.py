"""Place blocks that hold a whole file: create the file, fill an empty one, or, on request, replace its text.

Rules: docs/reference/formats/whole-files.md.
"""

from collections.abc import Sequence

from editblocks.core.blocks import EditBlock, Note
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.phrases import after_blocks, plural
from editblocks.matching.align import keep
from editblocks.matching.block_readings import readings
from editblocks.matching.ladder import Placement, find_exact
from editblocks.matching.placeholder_lines import leaves_lines_out
from editblocks.text.source_text import BOM, SourceText, split_lines

ASK = "add --whole-files all, or ask for edit blocks"
_ASK_CALLS = "add --whole-files all, or ask for replace calls"
_REPLACE_CALLS = "ask for replace calls (old_string and new_string)"


def create(block: EditBlock, source: SourceText | None, whole_files: str) -> Placement | Mismatch:
    """Create a file, or fill an empty one. Only the actions `replace-file` and `write` replace another text.

    `whole_files`: `all` allows that, `new` does not.
    """
    new = readings(block)[0].replace
    placement = _created(block, new)
    if block.action == "snippet":
        return _only_as_new(block, source, new) or placement
    stays_empty = not new and block.action in ("create", "write")
    if source is None or (not source.lines and not stays_empty):
        return placement
    file = block.file_path
    if source.applied:
        file = f"{file} {after_blocks(source.applied)}"
    if block.action == "write" or (block.action == "replace-file" and placement.new):
        return _replace(block, file, source, _without_last_blanks(new), whole_files)
    if source.lines == list(placement.new):
        return _already_there(file)
    lines = plural(len(source.lines), "line")
    if block.action == "replace-file":
        what = f"the fence is empty, and {file} has {lines}"
        return Mismatch(ReasonCode.FILE_EXISTS, what, "ask for the whole file, or for a patch that deletes it")
    advice = "send blocks that edit it"
    if block.call is not None:
        advice = _REPLACE_CALLS
    return Mismatch(ReasonCode.FILE_EXISTS, f"{file} already has {lines}", advice)


def _created(block: EditBlock, new: Sequence[str]) -> Placement:
    """Return the new file that a block asks for, whether or not the file exists."""
    if block.call is not None and block.call.is_literal:  # a string has no layout: every byte of it was meant
        lines, ends = split_lines(block.call.new.removeprefix(BOM))
        return Placement("create", "high", 0, 0, tuple(lines), line_ends=tuple(ends))
    if block.action == "create" and block.call is None:
        # In a patch each new line has a sign, so a blank line at the end was meant.
        return Placement("create", "high", 0, 0, tuple(new))
    return new_file(new)


def _only_as_new(block: EditBlock, source: SourceText | None, new: Sequence[str]) -> Mismatch | None:
    """Return why a snippet cannot be a new file: it leaves text out, or the file exists; None if it can."""
    for number, line in enumerate(new, 1):
        if leaves_lines_out(line, "", "", lost=False):
            what = f"line {number} of the snippet leaves text out"
            return Mismatch(ReasonCode.PLACEHOLDER, what, _REPLACE_CALLS)
    if source is None:
        return None
    what = f"{block.file_path} exists, and a snippet does not say where it belongs"
    return Mismatch(ReasonCode.UNSUPPORTED_FORMAT, what, _REPLACE_CALLS)


def _already_there(file: str) -> Mismatch:
    return Mismatch(ReasonCode.ALREADY_APPLIED, f"{file} already has this text", found_at=0)


def _replace(block: EditBlock, file: str, source: SourceText, new: list[str], whole_files: str) -> Placement | Mismatch:
    """Replace all lines by `new`, except blank lines at the end. Lines that are in both texts keep their bytes."""
    old = _without_last_blanks(source.lines)
    if new == old:
        return _already_there(file)
    what = f"{file} exists, and whole files replace others only if you ask for it"
    advice = _ASK_CALLS
    if block.action == "replace-file":
        quoted = next(find_exact(new, (), source), None)
        if quoted is not None:
            return Mismatch(ReasonCode.ALREADY_APPLIED, f"{file} already has these lines", found_at=quoted.start)
        what = f"{file} exists, and only new files are written in full"
        advice = ASK
    if whole_files != "all":
        return Mismatch(ReasonCode.WHOLE_FILE, what, advice)
    return Placement("replace-file", "medium", 0, len(old), keep(old, new, 0))


def new_file(new: Sequence[str], notes: tuple[Note, ...] = ()) -> Placement:
    """Create a file of these lines, without blank lines at the end."""
    return Placement("create", "high", 0, 0, tuple(_without_last_blanks(new)), notes)


def _without_last_blanks(lines: Sequence[str]) -> list[str]:
    stop = len(lines)
    while stop and not lines[stop - 1].strip(" \t"):
        stop -= 1
    return list(lines[:stop])
