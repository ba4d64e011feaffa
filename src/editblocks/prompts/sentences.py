"""The sentences about one failed block, by code: what the problem is, and what to do about it.

The table is in docs/reference/python.md, "Retry prompt". Paths and reasons from outside only get into sentences
through `shown_path` and `shown_reason`.
"""

from __future__ import annotations

from collections.abc import Sequence

from editblocks.core.codes import ReasonCode
from editblocks.core.explain import hint
from editblocks.core.model import Hint
from editblocks.core.phrases import join_words, named_lines, ranges
from editblocks.parsing.path_line import as_certain
from editblocks.prompts.failures import Failure, shown_path, shown_reason

_PLACES_NAMED = 10
_UNREAD = frozenset({ReasonCode.UNCLOSED, ReasonCode.NO_DIVIDER, ReasonCode.MALFORMED, ReasonCode.STRAY_MARKER})
_AS_BLOCKS = "it again as SEARCH/REPLACE blocks, each below the full path of its file."
_FULL_PATH = "write its full path, as shown to you, alone on its line."
_LINES_OUT = "Your replacement leaves lines out. Write every line."
_AGAIN: dict[ReasonCode | None, str] = {
    **dict.fromkeys(_UNREAD, "that block again, complete."),
    ReasonCode.UNSUPPORTED_FORMAT: "it again in a form that was asked for.",
    ReasonCode.HIDDEN_BLOCK: "it again outside of HTML comments and tags.",
    ReasonCode.HIDDEN_TEXT: "it again without that character, or with it written as an escape.",
    ReasonCode.PATH_CONFLICT: "it again with the path corrected.",
    ReasonCode.FILE_NOT_FOUND: "it again with the right path.",
    ReasonCode.TOO_LARGE: "it again in smaller parts.",
    ReasonCode.ENCODING: "it again without that character.",
    ReasonCode.AMBIGUOUS: "it again with two or three more lines above or below.",
}


def problem(failure: Failure) -> str:
    """Say the problem to a model that still has its answer: `Block 4, src/api.py, ambiguous: its SEARCH text …`."""
    head, number = _head(failure), failure.number
    if failure.code in _UNREAD:
        where = f"after line {failure.line} of your answer"
        return f"Block {number} cannot be read {where} ({failure.word}: {failure.says})."
    match failure.code:
        case None | ReasonCode.PLACEHOLDER:
            return f"{head}."
        case ReasonCode.NO_PATH if not failure.names_two_files:
            return f"Block {number} names no file."
        case ReasonCode.FILE_NOT_FOUND:
            near = () if failure.result is None or failure.result.mismatch is None else failure.result.mismatch.near
            similar = f"; similar: {join_words([shown_path(path) for path in near])}" if near else ""
            return f"{head}. There is no {shown_path(failure.path or '')}{similar}."
        case ReasonCode.FILE_EXISTS:
            return f"{head}. {shown_path(failure.path or '')} exists; send blocks that edit it."
        case ReasonCode.STALE if failure.candidates:
            return f"{head}. The file changed since you saw it."
        case ReasonCode.AMBIGUOUS if not fits_by_tolerance(failure):
            return f"{head}: its {_parts(failure)[0]} is at lines {_places(failure)}."
        case ReasonCode.NO_MATCH:
            return _nowhere(failure)
    return f"{head}: {failure.says}."


def _nowhere(failure: Failure) -> str:
    """Say what may explain a text that is not in the file; the excerpt below shows the closest place."""
    sentences = [] if failure.candidates else [f"nothing like its {_parts(failure)[0]} is in the file"]
    sentences += [_hint(each) for each in failure.hints]
    return f"{_head(failure)}: {shown_reason('; '.join(sentences))}." if sentences else f"{_head(failure)}."


def _hint(each: Hint) -> str:
    """Say one hint and its advice; for a text in another file, the advice comes later (`_under_the_other_path`)."""
    what, advice = hint(each)
    return what if each.kind == "elsewhere" or not advice else f"{what}, {advice}"


def _head(failure: Failure) -> str:
    """`Block 4, src/api.py, ambiguous`."""
    path = [shown_path(failure.path)] if failure.path else []
    return ", ".join((f"Block {failure.number}", *path, failure.word))


def _places(failure: Failure) -> str:
    """`12, 48 and 90`; at most ten line numbers, then how many more there are."""
    numbers = [str(place.start_line) for place in failure.candidates]
    total = max(len(numbers), failure.result.candidates_total if failure.result is not None else 0)
    if total > _PLACES_NAMED:
        numbers = [*numbers[:_PLACES_NAMED], f"{total - _PLACES_NAMED} more"]
    return join_words(numbers)


def advice(failure: Failure, *, copies: bool, is_empty: bool = False) -> str:
    """Say what to do. `copies`: the lines to copy from are shown above; `is_empty`: the file has no lines."""
    what = _what(failure, copies, is_empty)
    return " ".join(filter(None, (what, _LINES_OUT if failure.leaves_lines_out else "")))


def _what(failure: Failure, copies: bool, is_empty: bool) -> str:
    if failure.asks and not is_copied(failure):
        return "Ask for its text."
    if failure.code is ReasonCode.NO_PATH and failure.result is not None and failure.result.block.creates_file:
        path = failure.result.file_path  # the line above the block, which may be prose
        return f"If {shown_path(path)} is the new file's path, {as_certain(path)}; else {_FULL_PATH}"
    if failure.code is ReasonCode.NO_PATH and not failure.is_other_format:
        return _FULL_PATH.capitalize()
    if not is_copied(failure):
        again = _AS_BLOCKS if failure.is_other_format else _AGAIN.get(failure.code, "")
        return again and f"{failure.verb} {again}"
    there = failure.elsewhere
    what = _under_the_other_path(failure, there) if there else _copy(failure, copies, is_empty)
    if not failure.may_be_done:
        return what
    return f"If the new lines are there as you want them, leave the block out; if not, {what[0].lower()}{what[1:]}"


def _under_the_other_path(failure: Failure, there: Hint) -> str:
    """Advise the other path, which holds the text; or else to copy the text from the file that was named."""
    what = f"{failure.verb} it again under {shown_path(there.path)}"
    more = ", with two or three more lines above or below" if there.more else ""
    if failure.may_be_done:
        return f"{what}{more}."
    other = f"with {_parts(failure)[1]} copied from {_around(failure)}" if failure.candidates else "leave it out"
    return f"{what}{more and f'{more},'} if that is the file that you mean; if not, {other}."


def _copy(failure: Failure, copies: bool, is_empty: bool) -> str:
    _, old, new = _parts(failure)
    if is_empty:
        return f"The file is empty now: {failure.verb.lower()} it again with nothing in {old}."
    if failure.asks:
        lines = f"the lines of {shown_path(failure.path or '')} that you want to change"
        return f"Ask for {lines}." if failure.may_be_done else f"Leave the block out for now, and ask for {lines}."
    source = "these lines" if copies else _around(failure)
    if failure.is_written_otherwise:
        return f"{failure.verb} it again: copy {old} from {source} and write {new} in the same way."
    return f"{failure.verb} it again with {old} copied from {source}."


def _around(failure: Failure) -> str:
    """Name the lines to copy from when they are not shown."""
    path = shown_path(failure.path) if failure.path and failure.elsewhere else "the file"
    if not failure.candidates:
        return f"{path} as it is now"
    first = failure.candidates[0]
    return f"{path} as it is now, around {named_lines((first.start_line, first.end_line))}"


def is_copied(failure: Failure) -> bool:
    """Whether the advice is to copy the old text from the file; adding lines around it would not help."""
    if failure.code is ReasonCode.STALE:
        return bool(failure.candidates)
    return failure.code is ReasonCode.NO_MATCH or fits_by_tolerance(failure)


def fits_by_tolerance(failure: Failure) -> bool:
    """Whether SEARCH fits one place only by tolerance, and REPLACE is in another place already: so it was refused."""
    mismatch = None if failure.result is None else failure.result.mismatch
    return mismatch is not None and mismatch.duplicate is not None


def _parts(failure: Failure) -> tuple[str, str, str]:
    """What the format calls the text to be found, its part of the block, and that of the new text."""
    if failure.result is not None and failure.result.block.format in ("edit-v2", "edit-v3"):
        return "old text", "the old text", "the new text"
    return "SEARCH text", "SEARCH", "REPLACE"


def list_numbers(numbers: Sequence[int]) -> str:
    """`1, 2, 3 and 6`; with more than eight numbers, ranges."""
    few = [str(number) for number in numbers]
    return join_words(few if len(few) <= 8 else ranges(numbers).split(","))
