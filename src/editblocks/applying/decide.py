"""Decide about the blocks of a response, one after the other: each sees the files as the earlier blocks left them.

The rules are in docs/reference/rules.md, "applying": the first check that refuses a block decides. If no check does,
the file is read, a place is found in it, the new lines are checked, and the file's plan is changed. Deletions and
renames change whole files, whatever they hold ("operations on files").
"""

from collections.abc import Callable, Iterator

from editblocks.applying.content_checks import block_too_large, checked_content
from editblocks.applying.evidence import Evidence
from editblocks.applying.files import FilePlan
from editblocks.applying.mismatches import PlaceResult
from editblocks.applying.placing import line_counts
from editblocks.applying.plans import FilePlans, operation, refused
from editblocks.applying.tool_calls import AppliedState
from editblocks.applying.whole_files import ASK
from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.codes import FINE_CODES, EditStatus, ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.mismatch import Mismatch
from editblocks.core.model import EditResult, Written
from editblocks.core.phrases import after_blocks, named_lines, plural
from editblocks.core.selection import LEFT_OUT, NOT_NAMED
from editblocks.matching.ladder import Placement, is_in_file
from editblocks.text.source_text import BOM, SourceText

_Check = Callable[[EditBlock, Evidence], Mismatch | None]
_MOVABLE = frozenset({ReasonCode.BINARY, ReasonCode.ENCODING})  # a rename neither reads nor changes the text


def decide(block: EditBlock, evidence: Evidence) -> EditResult:
    """Return the row of the next block, and change its file."""
    mismatch = _first(_CHECKS_THAT_SKIP, block, evidence)
    if mismatch is not None:
        if mismatch.code is ReasonCode.ALREADY_APPLIED:
            evidence.note_applied(block, is_old=True)
        return EditResult(block, EditStatus.SKIPPED, mismatch, notes=block.notes)
    refusal = _first(_CHECKS_OF_BLOCKS, block, evidence)
    without = evidence.plans.failed_before(block)
    failed_rename = evidence.plans.failed_rename_to.get(block.file_path)
    if block.changes_file_itself:
        row = _change_file(block, evidence, refusal, is_tried=bool(without))
    elif refusal is None and failed_rename is not None:
        what = f"block {failed_rename} was to create {block.file_path}, and it failed"
        mismatch = Mismatch(ReasonCode.EARLIER_FAILURE, what, f"repair block {failed_rename} first")
        return EditResult(block, EditStatus.SKIPPED, mismatch, notes=block.notes, without=without)
    else:
        row = _edit(block, evidence, refusal or _place(block, evidence))
    if refusal is not None or not without:
        return row
    # To show every fault in one round, the row of a block after failed blocks also has its result without them.
    return row._replace(
        status=EditStatus.SKIPPED,
        mismatch=Mismatch(ReasonCode.EARLIER_FAILURE),
        strategy=None,
        confidence=None,
        span=None,
        chosen=False,
        trial=row,
        without=without,
    )


def _first(checks: tuple[_Check, ...], block: EditBlock, evidence: Evidence) -> Mismatch | None:
    for check in checks:
        mismatch = check(block, evidence)
        if mismatch is not None:
            return mismatch
    return None


def _not_selected(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    if evidence.select.takes(block.number, *block.paths):
        return None
    what = LEFT_OUT if block.number in evidence.select.skip else NOT_NAMED
    return Mismatch(ReasonCode.NOT_SELECTED, what)


def _written_before(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    """Skip a block that an earlier apply wrote, even if other text in the file resembles its old text."""
    if block.number not in evidence.written_before:
        return None
    apply_id = evidence.written_before[block.number]
    what = f"this block was written by apply {apply_id}, and {block.paths[-1]} has not changed since"
    return Mismatch(ReasonCode.ALREADY_APPLIED, what, "nothing to do")


def _above_a_result(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    """Refuse a block above the result of a call, which may say that this edit failed."""
    if block.line_number > evidence.result_line:
        return None
    what = f"line {evidence.result_line} is the result of a call, so this edit may be one that failed in a session"
    return Mismatch(ReasonCode.UNSUPPORTED_FORMAT, what, "give only the session")


def _is_unwanted_whole_file(block: EditBlock, evidence: Evidence) -> bool:
    return block.action == "replace-file" and evidence.settings.whole_files == "no"


def _size(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    if _is_unwanted_whole_file(block, evidence):  # `_whole_file` refuses it, whatever its size
        return None
    return block_too_large(block)


def _path(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    error = evidence.plans.path_refusal(block.file_path, operation(block))
    if error is None and block.action == "rename":
        error = evidence.plans.path_refusal(block.new_path, "create")
    if error is None:
        return None
    return evidence.plans.refused_path(block, error)


def _removal(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    if not block.changes_file_itself or evidence.settings.removals != "refuse":
        return None
    what = "blocks may not delete or rename files here (removals: refuse)"
    return Mismatch(ReasonCode.NOT_ALLOWED, what, "change it by hand")


def _protected_link(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    for path in block.paths:
        error = evidence.plans.link_refusal(path)
        if error is not None:
            return evidence.plans.refused_path(block, error)
    return None


def _whole_file(block: EditBlock, evidence: Evidence) -> Mismatch | None:
    if not _is_unwanted_whole_file(block, evidence):
        return None
    lines = named_lines((block.line_number, block.end_line))
    what = f"{lines} hold a whole file; whole files are written only on request"
    return Mismatch(ReasonCode.WHOLE_FILE, what, ASK)


# The checks that skip a block; they come first.
_CHECKS_THAT_SKIP: tuple[_Check, ...] = (_not_selected, _written_before)
# The checks of path, size and kind. Those of new text are in `checked_content`: only a place shows which lines are new.
_CHECKS_OF_BLOCKS: tuple[_Check, ...] = (_above_a_result, _size, _path, _removal, _protected_link, _whole_file)


def _place(block: EditBlock, evidence: Evidence) -> PlaceResult:
    """Return the placement of a block; its file, its place and its new lines may each refuse it."""
    path = block.file_path
    file = evidence.plans.file(block)
    mismatch = evidence.plans.name_refusal(block, file)
    if mismatch is not None:
        return mismatch
    if isinstance(file, Mismatch):
        return file
    state = evidence.applied_state(block, file)
    if state is AppliedState.YES:
        return Mismatch(ReasonCode.ALREADY_APPLIED, f"{path} already has the changes of its blocks")
    outcome = evidence.place(block, file, lambda other: _first(_CHECKS_OF_BLOCKS, other, evidence) is not None)
    if isinstance(outcome, Mismatch):
        return evidence.plans.with_similar_paths(path, outcome)
    if state is AppliedState.MAYBE:
        what = f"the session may have been applied to {path} already"
        return Mismatch(ReasonCode.UNSUPPORTED_FORMAT, what, "if it was not, give only its edits")
    checked = checked_content(block, file, outcome, evidence.settings)
    if outcome.strategy == "create":
        return evidence.plans.creation_refusal(path) or checked
    return checked


def _edit(block: EditBlock, evidence: Evidence, outcome: PlaceResult) -> EditResult:
    """Return the row of a block, and apply its change to the plan of its file."""
    if isinstance(outcome, Placement):
        row = _apply(block, evidence, outcome)
    elif outcome.code in FINE_CODES:
        if outcome.code is ReasonCode.ALREADY_APPLIED:
            evidence.note_applied(block, is_old=True)
        row = _nothing_to_do(block, evidence, outcome)
    else:
        row = _fail(block, evidence, outcome)
    return _with_old_lines(row, evidence.plans)


def _fail(block: EditBlock, evidence: Evidence, mismatch: Mismatch) -> EditResult:
    if not block.names_its_lines:  # otherwise no later block depends on it
        evidence.plans.fail(block.file_path, block.number)
    status = EditStatus.SKIPPED if mismatch.code is ReasonCode.WHOLE_FILE else EditStatus.FAILED
    row = EditResult(block, status, mismatch, notes=(*block.notes, *mismatch.notes))
    if mismatch.code is ReasonCode.TOO_LARGE:  # to count them, all its lines would be compared
        return row
    added, removed = line_counts(block)
    return row._replace(lines_added=added, lines_removed=removed)


def _nothing_to_do(block: EditBlock, evidence: Evidence, mismatch: Mismatch) -> EditResult:
    text = evidence.plans[block.file_path].text
    line = mismatch.found_at
    if line is not None and text is not None:
        evidence.note_found(block, text, line)
        line = text.number(line)
    mismatch = mismatch._replace(advice="nothing to do", found_at=None)
    return EditResult(block, EditStatus.SKIPPED, mismatch, estimated_line=line, notes=block.notes)


def _apply(block: EditBlock, evidence: Evidence, placement: Placement) -> EditResult:
    plans = evidence.plans
    path = block.file_path
    file = plans[path]
    is_new = file.text is None
    creates = placement.strategy == "create"
    span: tuple[int, int] | None = None
    line: int | None = None
    likeness: float | None = None
    if file.text is not None and not creates:
        span = file.text.origins.span(placement.start, placement.stop)
        line = file.text.number(placement.start)
        likeness = placement.similarity
    if block.has_crlf:
        file.begin_with_crlf()
    written = file.splice(*placement.change, block.section)
    ends = _newline_at_the_end(block, placement, is_written=bool(written))
    is_ended = file.end_last_line(ends)
    if not (written or is_ended):
        return _nothing_to_do(block, evidence, Mismatch(ReasonCode.NO_OP, "the file already has exactly this text"))
    file.applied.append(block.number)
    if file.text is not None and placement.strategy in ("create", "replace-file"):
        file.text.is_known = True
    notes = [*block.notes, *placement.notes]
    if is_ended and not ends[1]:
        notes.append(Note("final-newline-added", f"{path} ends in a newline now, as {_asking_for_it(block)} asks"))
    if is_new and (number := plans.removed_by.get(path)):
        notes.append(Note("rewrites-file", f"block {number} removes {path}, and this block creates it again"))
    evidence.note_applied(block)
    if creates and path not in plans.failed:
        plans.overlay.record(path, "create")
    added, removed = placement.counts
    return EditResult(
        block,
        EditStatus.APPLIED,
        strategy=placement.strategy,
        confidence=placement.confidence,
        estimated_line=line,
        span=span,
        likeness=likeness,
        chosen=placement.chosen,
        shift=placement.shift,
        lines_added=added,
        lines_removed=removed,
        notes=tuple(notes),
        empties_file=not is_new and not file.lines,
        written=written or file.lines_of_change(*placement.change),
    )


def _newline_at_the_end(block: EditBlock, placement: Placement, *, is_written: bool) -> tuple[str, str]:
    """Return what the block says of the newline at the end of the file, as `EditBlock.ends` does."""
    if block.range_edits:
        return placement.ends
    if is_written and block.format == "edit-v3":
        return "no", ""
    return block.ends


def _asking_for_it(block: EditBlock) -> str:
    """Name what asks for a newline at the end of the file."""
    if block.range_edits:
        return "its fix"
    if block.format == "edit-v3":
        return "edit-v3"
    return "its patch"


def _with_old_lines(row: EditResult, plans: FilePlans) -> EditResult:
    """Add a note if the row has line numbers of a renamed file: they refer to the file under its old name."""
    path = row.file_path
    old_path = plans.old_path(path)
    if old_path == path or not (row.estimated_line or row.candidates or row.first_difference):
        return row
    note = Note("rename-line-numbers", f"line numbers refer to {old_path}, the file before the rename")
    return row._replace(notes=(*row.notes, note))


def _change_file(block: EditBlock, evidence: Evidence, refusal: Mismatch | None, *, is_tried: bool) -> EditResult:
    """Delete or rename the file of a block, and return its row. `is_tried`: change nothing; show what would happen.

    `refusal`: why the block is refused, whatever the files hold.
    """
    plans = evidence.plans
    mismatch = refusal or _file_refusal(block, plans)
    if mismatch is not None and mismatch.code in FINE_CODES:
        return _nothing_to_do(block, evidence, mismatch)
    if mismatch is None and not is_tried:
        if evidence.base is not None:
            evidence.base.record_removal(block.file_path, block.new_path)
        return _delete_or_rename(block, plans)
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


def _file_refusal(block: EditBlock, plans: FilePlans) -> Mismatch | None:
    """Return why the present files do not allow what the block asks for, or None. Nothing is changed."""
    try:
        return next(_file_refusals(block, plans), None)
    except UnreadableFile as unreadable:
        return refused(unreadable)


def _file_refusals(block: EditBlock, plans: FilePlans) -> Iterator[Mismatch]:
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
        yield from _deletion_refusals(block, plan)


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


def _deletion_refusals(block: EditBlock, plan: FilePlan) -> Iterator[Mismatch]:
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


def _delete_or_rename(block: EditBlock, plans: FilePlans) -> EditResult:
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
