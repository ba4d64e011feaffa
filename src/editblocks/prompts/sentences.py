"""The sentences about one failed block, by code: what the problem is, and what to do about it.

The table is in docs/reference/python.md, "Retry prompt". Paths and reasons from outside only get into sentences
through `shown_path` and `shown_reason`.
"""

from __future__ import annotations

from editblocks.core.codes import ReasonCode
from editblocks.core.explain import hint
from editblocks.core.model import Hint
from editblocks.core.phrases import named_lines
from editblocks.parsing.path_line import as_certain
from editblocks.prompts.failures import Failure, shown_path, shown_reason

_UNREAD = frozenset({ReasonCode.UNCLOSED, ReasonCode.NO_DIVIDER, ReasonCode.MALFORMED, ReasonCode.STRAY_MARKER})
_AS_BLOCKS = "it again as SEARCH/REPLACE blocks, each below the full path of its file."
_FULL_PATH = "write its full path, as shown to you, alone on its line."
_LINES_OUT = "Your replacement leaves lines out. Write every line."
_AGAIN = {
    **dict.fromkeys(_UNREAD, "that block again, complete."),
    ReasonCode.UNSUPPORTED_FORMAT: "it again in a form that was asked for.",
    ReasonCode.HIDDEN_BLOCK: "it again in a code fence, below its path.",
    ReasonCode.HIDDEN_TEXT: "it again without that character, or with it written as an escape.",
    ReasonCode.PATH_CONFLICT: "it again with the path corrected.",
    ReasonCode.FILE_NOT_FOUND: "it again with the right path.",
    ReasonCode.TOO_LARGE: "it again in smaller parts.",
    ReasonCode.ENCODING: "it again without that character.",
    ReasonCode.NO_MATCH: "it again with its place corrected.",
    ReasonCode.AMBIGUOUS: "it again with two or three more lines above or below.",
}

# How a patch is written: a row is a part of one, and does not show the lines around it.
_LINES = "then for each change a line `@@`, and its lines with a space, `-` or `+` in front"
PATCH_FORMS = {
    "v4a": f"Begin a patch with `*** Begin Patch` and `*** Update File: path`, {_LINES}; end it with `*** End Patch`.",
    "unified": f"Begin the diff of a file with `--- a/path` and `+++ b/path`, {_LINES}.",
}


def problem(failure: Failure) -> str:
    """Say the problem to a model that still has its answer: `Block 4, src/api.py, no-match: SEARCH differs …`."""
    code, why = failure.code, failure.reason
    if code in _UNREAD:
        where = f"after line {failure.line} of your answer"
        return f"Block {failure.number} cannot be read {where} ({code.value}: {why})."
    path = f", {shown_path(failure.path)}" if failure.path else ""
    head = f"Block {failure.number}{path}, {code.value}"
    if code is ReasonCode.STALE and failure.mismatch.candidates:
        return f"{head}. The file changed since you saw it."
    says_all = bool(failure.mismatch.lacks) or failure.is_hopeless
    if code is ReasonCode.NO_MATCH and not says_all:  # the excerpt below shows the closest place
        is_part = any(each.kind == "part" for each in failure.mismatch.hints)
        nothing = [] if failure.mismatch.candidates or is_part else ["nothing like its old text is in the file"]
        why = shown_reason("; ".join([*nothing, *map(_hint, failure.mismatch.hints)]))
    return f"{head}: {why}." if why else f"{head}."


def _hint(each: Hint) -> str:
    """Say one hint and its advice; for a text in another file, the advice comes later (`_under_the_other_path`)."""
    what, advice = hint(each)
    return what if each.kind == "elsewhere" or not advice else f"{what}, {advice}"


def advice(failure: Failure, *, copies: bool, is_empty: bool = False) -> str:
    """Say what to do. `copies`: the lines to copy from are shown above; `is_empty`: the file has no lines."""
    what = _what(failure, copies, is_empty)
    return " ".join(filter(None, (what, _LINES_OUT if failure.leaves_lines_out else "")))


def _what(failure: Failure, copies: bool, is_empty: bool) -> str:
    if failure.asks and not is_copied(failure):
        return "Ask for its text."
    if failure.code is ReasonCode.FILE_NOT_FOUND and failure.block is not None and failure.block.changes_file_itself:
        return "Leave it out if this was done before, else send it again with the right path."
    if failure.code is ReasonCode.NO_PATH and failure.block is not None and failure.block.creates_file:
        path = failure.block.file_path  # the line above the block, which may be prose
        return f"If {shown_path(path)} is the new file's path, {as_certain(path)}; else {_FULL_PATH}"
    if failure.code is ReasonCode.NO_PATH and failure.format in PATCH_FORMS:
        return "Send it again with the path of its file."
    if failure.code is ReasonCode.NO_PATH and not failure.is_other_format:
        return _FULL_PATH.capitalize()
    if not is_copied(failure):
        again = _AS_BLOCKS if failure.is_other_format else _AGAIN.get(failure.code, "")
        return again and f"Send {again}"
    there = failure.elsewhere
    what = _under_the_other_path(failure, there) if there else _copy(failure, copies, is_empty)
    if not failure.may_be_done:
        return what
    return f"If the new lines are there as you want them, leave the block out; if not, {what[0].lower()}{what[1:]}"


def _under_the_other_path(failure: Failure, there: Hint) -> str:
    """Advise the other path, which holds the text; or else to copy the text from the file that was named."""
    what = f"Send it again under {shown_path(there.path)}"
    more = ", with two or three more lines above or below" if there.more else ""
    if failure.may_be_done:
        return f"{what}{more}."
    other = f"with the old text copied from {_around(failure)}" if failure.mismatch.candidates else "leave it out"
    return f"{what}{more and f'{more},'} if that is the file that you mean; if not, {other}."


def _copy(failure: Failure, copies: bool, is_empty: bool) -> str:
    if is_empty:
        return "The file is empty now: send it again with an empty old part."
    if failure.asks:
        lines = f"the lines of {shown_path(failure.path or '')} that you want to change"
        return f"Ask for {lines}." if failure.may_be_done else f"Leave the block out for now, and ask for {lines}."
    source = "these lines" if copies else _around(failure)
    if failure.is_written_otherwise:
        return f"Send it again: copy the old text from {source} and write the new text in the same way."
    return f"Send it again with the old text copied from {source}."


def _around(failure: Failure) -> str:
    """Name the lines to copy from when they are not shown."""
    path = shown_path(failure.path) if failure.path and failure.elsewhere else "the file"
    near = [f", around {named_lines((place.start_line, place.end_line))}" for place in failure.mismatch.candidates[:1]]
    return f"{path} as it is now{''.join(near)}"


def is_copied(failure: Failure) -> bool:
    """Whether the advice is to copy the old text from the file; adding lines around it would not help."""
    if failure.code is ReasonCode.STALE:
        return bool(failure.mismatch.candidates)
    # with `duplicate`, SEARCH fits one place only by tolerance, and REPLACE is in another place already
    mismatch = failure.mismatch
    is_right = bool(mismatch.lacks) or mismatch.strategy == "exact"  # it is only what the hunk says of its place
    return not is_right and (failure.code is ReasonCode.NO_MATCH or mismatch.duplicate is not None)
