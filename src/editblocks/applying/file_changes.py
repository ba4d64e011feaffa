"""Delete and rename whole files, whatever they hold. Rules: docs/reference/rules.md, "operations on files"."""

from __future__ import annotations

from collections.abc import Iterator

from editblocks.applying.earlier import BaseVersion
from editblocks.applying.files import FilePlan
from editblocks.applying.plans import FilePlans, refused
from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.codes import FINE_CODES, EditStatus, ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import EditResult, Written
from editblocks.core.phrases import after_blocks, plural
from editblocks.matching.ladder import is_in_file
from editblocks.text.source_text import BOM, SourceText

_MOVABLE = frozenset({ReasonCode.BINARY, ReasonCode.ENCODING})  # a rename neither reads nor changes the text


def change_file(
    block: EditBlock, plans: FilePlans, base: BaseVersion | None, refusal: Mismatch | None, *, is_tried: bool
) -> EditResult:
    """Delete or rename the file of a block, and return its row. `is_tried`: change nothing; show what would happen.

    `refusal`: why the block is refused, whatever the files hold.
    """
    mismatch = refusal or _refusal(block, plans)
    if mismatch is not None and mismatch.code in FINE_CODES:
        return EditResult(block, EditStatus.SKIPPED, mismatch._replace(advice="nothing to do"), notes=block.notes)
    if mismatch is None and not is_tried:
        if base is not None:
            base.record_removal(block.file_path, block.new_path)
        return _carry_out(block, plans)
    if block.action == "rename":
        plans.failed_rename_to[block.new_path] = block.number
    if mismatch is None:
        for path in block.paths[1:]:
            plans.fail(path, block.number)
        return EditResult(block, EditStatus.APPLIED)
    for path in dict.fromkeys(block.paths):
        plans.fail(path, block.number)
    mismatch = plans.with_similar_paths(block.file_path, mismatch)
    return EditResult(block, EditStatus.FAILED, mismatch, notes=block.notes)


def _refusal(block: EditBlock, plans: FilePlans) -> Mismatch | None:
    """Return why the present files do not allow what the block asks for, or None. Nothing is changed."""
    try:
        return next(_refusals(block, plans), None)
    except UnreadableFile as unreadable:
        return refused(unreadable)


def _refusals(block: EditBlock, plans: FilePlans) -> Iterator[Mismatch]:
    for path in block.paths:
        error = plans.tree_refusal(path, "edit")
        if error is not None and error.rule != "E_MISSING":
            yield refused(error)
    plan = plans[block.file_path]
    if not plan.is_there:
        if block.action == "rename" and plans[block.new_path].is_there:
            what = f"{plan.path} does not exist, but {block.new_path} does: it may already be renamed"
            yield Mismatch(ReasonCode.FILE_NOT_FOUND, what, "leave the rename out")
        yield Mismatch(ReasonCode.FILE_NOT_FOUND)
    elif block.action == "rename":
        yield from _rename_refusals(plan, block.new_path, plans)
    elif block.format == "unified":
        yield from _does_not_fit(block, plan)


def _rename_refusals(plan: FilePlan, new_path: str, plans: FilePlans) -> Iterator[Mismatch]:
    if plan.path == new_path:
        yield Mismatch(ReasonCode.NO_OP, "old and new path are equal")
    if plan.fault is not None and plan.fault.code not in _MOVABLE:
        yield refused(plan.fault)
    plans.source.check_filter(new_path)
    if plans[new_path].is_there:
        yield Mismatch(ReasonCode.FILE_EXISTS, f"{new_path} already exists", "choose another path")
    if plans.entries is not None and (error := plans.overlay.check_rename(plan.path, new_path)) is not None:
        yield refused(error)
    if plans.was_there(new_path) and plans.mode(new_path) != plans.mode(plan.old_path):
        what = f"{new_path} and {plan.path} have different file modes, and a replaced file keeps its mode"
        yield Mismatch(ReasonCode.PATH_CONFLICT, what, "choose another path")


def _does_not_fit(block: EditBlock, plan: FilePlan) -> Iterator[Mismatch]:
    """Yield why a diff that deletes a file does not fit: a hunk is not in it. Line ends and a BOM are ignored."""
    text = plan.text or SourceText()
    pieces = block.pieces or tuple(filter(None, [block.old_lines]))
    if plan.fault is not None and pieces:
        yield refused(plan.fault)
    for piece in pieces:
        if not is_in_file(section_lines(piece.removeprefix(BOM)), text):
            what = f"the diff removes lines that {plan.path} does not have"
            yield Mismatch(ReasonCode.NO_MATCH, what, "show the lines that are there now, or no lines")
    if text.applied and not _shows_all(block, plan):
        what = f"the diff deletes {plan.path} without showing its text {after_blocks(text.applied)}"
        yield Mismatch(ReasonCode.NO_MATCH, what, "leave the change out, or the deletion")


def _shows_all(block: EditBlock, plan: FilePlan) -> bool:
    """Whether a diff that deletes a file shows every line of it."""
    return plan.text is not None and section_lines(block.old_lines.removeprefix(BOM)) == plan.text.lines


def _unseen(block: EditBlock, plan: FilePlan) -> Iterator[Note]:
    """Yield a note if a file has lines that the diff which deletes it does not show."""
    if plan.text is None:
        yield Note("deletes-unseen", f"{plan.path} is deleted; the diff does not show its lines")
        return
    lines = len(plan.text.lines) - len(section_lines(block.old_lines))
    if lines > 0:
        yield Note("deletes-unseen", f"{plan.path} is deleted with {plural(lines, 'line')} that the diff does not show")


def _carry_out(block: EditBlock, plans: FilePlans) -> EditResult:
    """Delete or rename the file, and return the row."""
    row = EditResult(block, EditStatus.APPLIED, strategy=block.action, confidence="high", notes=block.notes)
    if block.action == "rename":
        plans.rename(block.file_path, block.new_path, block.number)
        return row
    plan = plans[block.file_path]
    if block.format == "unified" and not _shows_all(block, plan):
        row = row._replace(confidence="medium", notes=(*block.notes, *_unseen(block, plan)))
    if plan.text is not None:
        lines = tuple(plan.text.lines)
        row = row._replace(lines_removed=len(lines), written=Written(lines, ()))
    plans.delete(block.file_path, block.number)
    return row
