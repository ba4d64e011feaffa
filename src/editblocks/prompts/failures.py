"""Describe the failed rows of a result to a model: which it can correct, what the problem is, and what to do.

Page: docs/reference/python.md, "Retry prompt". Foreign paths and reasons are put into sentences only through
`shown_path` and `shown_reason`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from editblocks.core.blocks import EditBlock, Problem, ToolCall
from editblocks.core.characters import cut_middle
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.explain import hint
from editblocks.core.mismatch import Hint, Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Response
from editblocks.core.phrases import join_parts, named_lines
from editblocks.formats.tool_calls import TOOL_CALLS
from editblocks.formats.whole_file import WHOLE_FILE
from editblocks.matching.diagnose import LEAST_SIMILARITY
from editblocks.parsing.fences import SUGGESTION
from editblocks.parsing.parse import FORMAT_NAMES
from editblocks.parsing.path_line import advice_for_weak_path
from editblocks.prompts.files import Files
from editblocks.report.escape import code_span, visible

_REASON_LIMIT = 300
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_.@+-][A-Za-z0-9_./@+-]{0,119}")

# The reason is a rule, the kind of file, or a fault of editblocks itself: a corrected block would fail as well, unless
# the mismatch says that it `is_fixable`.
_HOPELESS = frozenset(
    "unsafe-path not-allowed not-a-file binary encoding filtered too-large self-check unavailable internal".split()
)
# For these codes, models get their own advice below, so the advice for people is left out.
_ADVICE_NOT_REPEATED = frozenset(
    "no-path ambiguous placeholder unclosed unsupported-format hidden-block hidden-text not-allowed whole-file".split()
)
# Formats that a model should not repeat: an answer has no review thread, and whole files are not wanted.
_NOT_REPEATED = frozenset({*SUGGESTION.names, *WHOLE_FILE.names})
_UNREAD = frozenset({ReasonCode.UNCLOSED, ReasonCode.NO_DIVIDER, ReasonCode.MALFORMED, ReasonCode.STRAY_MARKER})
_AS_BLOCKS = "Send it again as SEARCH/REPLACE blocks, each below the full path of its file."
_FULL_PATH = "write its full path, as shown to you, alone on its line."
_MORE_TEXT = "Send it again with more of the text before or after it, or with `replace_all` if every place is meant."
_AS_CALL = "Send it as a call that replaces text."
_LINES_OUT = "Your replacement leaves lines out. Write every line."
_AGAIN = {
    **dict.fromkeys(_UNREAD, "Send that block again in full."),
    ReasonCode.UNSUPPORTED_FORMAT: "Send it again in a form that was asked for.",
    ReasonCode.HIDDEN_BLOCK: "Send it again in a code fence, below its path.",
    ReasonCode.HIDDEN_TEXT: "Send it again without that character, or with it written as an escape.",
    ReasonCode.PATH_CONFLICT: "Send it again with the path corrected.",
    ReasonCode.FILE_NOT_FOUND: "Send it again with the right path.",
    ReasonCode.TOO_LARGE: "Send it again in smaller parts.",
    ReasonCode.ENCODING: "Send it again without that character.",
    ReasonCode.NO_MATCH: "Send it again with its place corrected.",
    ReasonCode.AMBIGUOUS: "Send it again with two or three more lines above or below.",
}

# How to write a patch: a row is only a part of one, and does not show the header lines around it.
_LINES = "then for each change a line `@@`, and its lines with a space, `-` or `+` in front"
PATCH_FORMS = {
    "v4a": f"Begin a patch with `*** Begin Patch` and `*** Update File: path`, {_LINES}; end it with `*** End Patch`.",
    "unified": f"Begin the diff of a file with `--- a/path` and `+++ b/path`, {_LINES}.",
}

# How to write a tool call, and its keys if the failed call has no usable ones.
CALL_RULE = (
    "Write each call on a line of its own, all in one `json` fence. "
    "The JSON is strict: escape each text once, as with `\\n` for a line break."
)
_CALL_KEYS = ("file_path", "old_string", "new_string")
_KEYS_IN_LISTS = frozenset({"old", "search"})  # these keys are only read in a list, or with the name of a tool


class Failure(NamedTuple):
    """A failed row as the prompt describes it. `block` is None if it could not be read.

    If earlier blocks of its file failed, `mismatch` comes from a trial without them.
    """

    number: int
    reason: str  # one line, without the advice for people if models get their own
    path: str | None
    line: int  # of the response, 1-based: where the block begins, or where reading failed
    raw: str
    mismatch: Mismatch
    block: EditBlock | None = None
    fits: bool = False  # the block could be applied, but its new text leaves lines out
    leaves_lines_out: bool = False  # the new text has a placeholder for lines
    is_hopeless: bool = False
    is_other_format: bool = False  # the block is in a format that is not read, or that an answer cannot repeat
    format: str | None = None

    @property
    def code(self) -> ReasonCode:
        """The reason code; `placeholder` for a block that fits."""
        return self.mismatch.code

    @property
    def is_call(self) -> bool:
        """Whether it is a tool call; a patch in a string of a call is a patch."""
        return self.format in TOOL_CALLS.names

    @property
    def changes_file_itself(self) -> bool:
        """Whether it deletes or renames its file."""
        return self.block is not None and self.block.changes_file_itself

    @property
    def text_call(self) -> ToolCall | None:
        """The tool call, if it replaces a text."""
        if self.block is None:
            return None
        return self.block.text_call

    @property
    def becomes_replace_call(self) -> bool:
        """Whether the model has to send a call that replaces text instead, because this one names no certain place."""
        if not self.is_call:
            return False
        is_file_there = self.code in (ReasonCode.WHOLE_FILE, ReasonCode.FILE_EXISTS)
        if self.block is None:
            return self.code is ReasonCode.UNSUPPORTED_FORMAT
        return is_file_there or self.block.action in ("insert-at", "snippet")

    @property
    def elsewhere(self) -> Hint | None:
        """The hint that another file of the response holds the whole text, if there is one."""
        return next((hint for hint in self.mismatch.hints if hint.kind == "elsewhere"), None)

    @property
    def may_be_done(self) -> bool:
        """Whether a hint says that the new lines are in the file already."""
        return any(hint.kind == "there" for hint in self.mismatch.hints)

    @property
    def is_written_otherwise(self) -> bool:
        """Whether a hint says that SEARCH is written differently from the file, as REPLACE then probably is."""
        return any(hint.kind not in ("elsewhere", "there") for hint in self.mismatch.hints)


def shown_path(path: str) -> str:
    """Return a path for a sentence: unchanged if it is plain, else in a code span with hidden characters named."""
    return path if _PLAIN_PATH.fullmatch(path) else code_span(path)


def shown_reason(reason: str) -> str:
    """Return a reason as one line of limited length, with hidden characters named."""
    return cut_middle(visible(reason), _REASON_LIMIT)


def failures(result: ApplyResult, files: Files, response: str | Response = "") -> list[Failure]:
    """Return the rows to send again or to give up, in reading order; empty if nothing failed.

    A block that fits is included if its new text leaves lines out and is not written yet. `response` is what was
    planned; it is needed for the text of blocks that could not be read.
    """
    all_failures = list(_failed_rows(result, response))
    if not all_failures:
        return []
    all_failures += (_as_failure(row, result) for row in result.results if _would_leave_lines_out(row, files))
    return sorted(all_failures, key=lambda failure: failure.number)


def _failed_rows(result: ApplyResult, response: str | Response) -> Iterator[Failure]:
    applied = {row.block.number for row in result.results if row.status is EditStatus.APPLIED}
    text = response if isinstance(response, str) else response.text
    lines = text.split("\n")
    for row in result.rows:
        if isinstance(row, Problem):
            if not row.needs_person:
                yield _unread(row, lines)
            continue
        if row.block.range_edits or row.code is ReasonCode.NOT_SELECTED:  # a linter's fix, or not asked for
            continue
        if row.trial is not None and _is_failure(row.trial):
            yield _as_failure(row.trial, result, applied)
        elif _is_failure(row):
            yield _as_failure(row, result)


def _is_failure(row: EditResult) -> bool:
    return row.status is EditStatus.FAILED or row.code is ReasonCode.WHOLE_FILE


def _unread(row: Problem, lines: Sequence[str]) -> Failure:
    is_repeated = row.format not in _NOT_REPEATED
    is_known = row.code is not ReasonCode.UNSUPPORTED_FORMAT or row.format in FORMAT_NAMES
    is_call = row.format in TOOL_CALLS.names  # the prompt shows the form of a call instead of advice
    advice_for_people = row.advice if is_repeated and not is_call else ""
    line = row.end_line if row.code is ReasonCode.UNCLOSED else row.line_number
    raw = "\n".join(lines[row.line_number - 1 : row.end_line])
    if raw:
        raw = f"{raw}\n".replace("\r\n", "\n")
    return Failure(
        row.number,
        _reason(row.code, row.what, advice_for_people),
        row.file_path,
        line,
        raw,
        Mismatch(row.code),
        is_hopeless=row.code.value in _HOPELESS and row.code is not ReasonCode.TOO_LARGE,
        is_other_format=not is_repeated or not is_known,
        format=row.format,
    )


def _as_failure(row: EditResult, result: ApplyResult, applied: set[int] | None = None) -> Failure:
    """Return the failure of one block. `applied`: the blocks whose changes are in the file that the model is shown.

    With `applied`, places that only exist after other blocks are left out. Lines that are only half alike are always
    left out: a person sees whether one was meant, but a model would copy it.
    """
    block = row.block
    fits = row.mismatch is None
    mismatch = row.mismatch or Mismatch(ReasonCode.PLACEHOLDER)
    hints = tuple(hint._replace(offers_loose=False) for hint in mismatch.hints)  # only a person can choose `loose`
    mismatch = mismatch._replace(hints=hints)
    what, advice_for_people = row._replace(mismatch=mismatch).reason_and_advice
    if block.format in _NOT_REPEATED:
        advice_for_people = ""
    places = [place for place in mismatch.candidates if place.similarity >= LEAST_SIMILARITY]
    if applied is not None:
        places = [place for place in places if applied.issuperset(place.after)]
    is_hopeless = mismatch.code.value in _HOPELESS and not mismatch.is_fixable
    if mismatch.code in (ReasonCode.NO_MATCH, ReasonCode.STALE):  # to correct it, the model must see the text
        is_hopeless = not result.hidden_texts.isdisjoint(block.paths)
    return Failure(
        block.number,
        _reason(mismatch.code, what, advice_for_people),
        block.file_path,
        block.line_number,
        block.raw_block,
        mismatch._replace(candidates=tuple(places)),
        block,
        fits=fits,
        leaves_lines_out=mismatch.code is ReasonCode.PLACEHOLDER or _leaves_lines_out(row),
        is_hopeless=is_hopeless,
        is_other_format=block.format in _NOT_REPEATED,
        format=block.format,
    )


def _reason(code: ReasonCode, what: str, advice: str) -> str:
    if code is ReasonCode.NO_VERSION:
        return "a line number is not enough, because the file may have changed"
    if code.value in _ADVICE_NOT_REPEATED:
        return shown_reason(what)
    return shown_reason(join_parts("; ", what, advice))


def _leaves_lines_out(row: EditResult) -> bool:
    return any(note.code == "placeholder" for note in row.notes)


def _would_leave_lines_out(row: EditResult, files: Files) -> bool:
    if row.status is not EditStatus.APPLIED or not _leaves_lines_out(row):
        return False
    file = files.text(row.file_path)
    return file is not None and row.block.number in file.pending


# sentences


def problem(failure: Failure) -> str:
    """Say the problem, for a model that still has its answer: `Block 4, src/api.py, no-match: SEARCH differs …`."""
    code = failure.code
    why = failure.reason
    if code in _UNREAD and failure.block is None:
        where = f"after line {failure.line} of your answer"
        return f"Block {failure.number} cannot be read {where} ({code.value}: {why})."
    head = f"Block {failure.number}, {code.value}"
    if failure.path:
        head = f"Block {failure.number}, {shown_path(failure.path)}, {code.value}"
    if code is ReasonCode.STALE and failure.mismatch.candidates:
        return f"{head}. The file changed since you saw it."
    says_all = bool(failure.mismatch.failed_condition) or failure.is_hopeless
    if code is ReasonCode.NO_MATCH and not says_all:  # the excerpt below shows the closest place
        hints = [_hint(each, failure.is_call) for each in failure.mismatch.hints]
        is_part = any(each.kind == "part" for each in failure.mismatch.hints)
        if not failure.mismatch.candidates and not is_part:
            hints.insert(0, "the file has nothing like its old text")
        why = shown_reason("; ".join(hints))
    return f"{join_parts(': ', head, why)}."


def _hint(each: Hint, is_call: bool) -> str:
    """Say one hint and its advice; for a text in another file, the advice comes later (`_under_the_other_path`)."""
    what, advice = hint(each, is_call=is_call)
    if each.kind == "elsewhere":
        return what
    return join_parts(", ", what, advice)


def advice(failure: Failure, *, is_excerpt_shown: bool, is_empty: bool = False) -> str:
    """Say what to do. `is_excerpt_shown`: the lines to copy are above. `is_empty`: the file has no lines."""
    what = _what_to_do(failure, is_excerpt_shown, is_empty)
    if failure.leaves_lines_out:
        return join_parts(" ", what, _LINES_OUT)
    return what


def _what_to_do(failure: Failure, is_excerpt_shown: bool, is_empty: bool) -> str:
    if failure.becomes_replace_call:
        return _AS_CALL
    if failure.code is ReasonCode.FILE_NOT_FOUND and failure.changes_file_itself:
        return "Leave it out if it was done before; if not, send it again with the right path."
    if failure.code is ReasonCode.NO_PATH and failure.block is not None and failure.block.creates_file:
        path = failure.block.file_path  # the line above the block, which may be prose
        return f"If {shown_path(path)} is the new file's path, {advice_for_weak_path(path)}; else {_FULL_PATH}"
    if failure.code is ReasonCode.NO_PATH and (failure.is_call or failure.format in PATCH_FORMS):
        return "Send it again with the path of its file."
    if failure.code is ReasonCode.NO_PATH and not failure.is_other_format:
        return _FULL_PATH.capitalize()
    if failure.code is ReasonCode.AMBIGUOUS and failure.is_call and not must_copy_old_text(failure):
        return _MORE_TEXT
    if not must_copy_old_text(failure):
        return _AS_BLOCKS if failure.is_other_format else _AGAIN.get(failure.code, "")
    what = _copy_old_text(failure, is_excerpt_shown, is_empty)
    if failure.elsewhere:
        what = _under_the_other_path(failure, failure.elsewhere)
    if not failure.may_be_done:
        return what
    return f"If the new lines are there as you want them, leave the block out; if not, {what[0].lower()}{what[1:]}"


def _under_the_other_path(failure: Failure, there: Hint) -> str:
    """Advise to use the other path, which holds the text, or to copy the old text from the named file."""
    what = f"Send it again under {shown_path(there.path)} if you mean that file"
    if failure.may_be_done:
        return f"{what}."
    if failure.mismatch.candidates:
        return f"{what}; if not, with the old text copied from {_around(failure)}."
    return f"{what}; if not, leave it out."


def _copy_old_text(failure: Failure, is_excerpt_shown: bool, is_empty: bool) -> str:
    if is_empty:
        return "The file is empty now: send it again with an empty old part."
    source = "these lines" if is_excerpt_shown else _around(failure)
    if failure.is_written_otherwise:
        return f"Send it again: copy the old text from {source} and write the new text in the same way."
    return f"Send it again with the old text copied from {source}."


def _around(failure: Failure) -> str:
    """Name the lines to copy, for when they are not shown."""
    path = shown_path(failure.path) if failure.path and failure.elsewhere else "the file"
    if not failure.mismatch.candidates:
        return f"{path} as it is now (ask for it if you do not see it)"
    place = failure.mismatch.candidates[0]
    return f"{path} as it is now, around {named_lines((place.start_line, place.end_line))}"


def must_copy_old_text(failure: Failure) -> bool:
    """Whether the model has to copy the old text from the file; adding lines around it would not help."""
    if failure.code is ReasonCode.STALE:
        return bool(failure.mismatch.candidates)
    mismatch = failure.mismatch
    if mismatch.failed_condition or mismatch.strategy == "exact":  # only the line or the scope of the hunk is wrong
        return False
    # with `duplicate`, SEARCH fits one place only by tolerance, and REPLACE is already at another place
    return failure.code is ReasonCode.NO_MATCH or mismatch.duplicate is not None


def call_form(failure: Failure) -> str:
    """Return the call to send, as JSON with the failed call's keys and texts to fill in; "" if no call is wanted."""
    if not failure.is_call:
        return ""
    if failure.block is not None and failure.text_call is None and not failure.becomes_replace_call:
        return ""
    return _as_json(failure, "the old text, as it is in the file", "the text that takes its place")


def written_call(failure: Failure) -> str:
    """Return a call that replaces text as JSON, as the model wrote it; "" for any other block."""
    call = failure.text_call
    if call is None:
        return ""
    return _as_json(failure, call.old, call.new)


def _as_json(failure: Failure, old: str, new: str) -> str:
    """Write the call as JSON, with these texts."""
    import json  # loaded only here, because most answers have no call

    written = failure.text_call or ToolCall()
    path_key, old_key, new_key = _call_keys(written)
    path = failure.path or "the full path of the file"
    call: dict[str, object] = {path_key: path, old_key: old, new_key: new}
    if written.is_every:
        call["replace_all"] = True
    if written.place_count is not None and failure.code is not ReasonCode.AMBIGUOUS:  # needs another number
        call["expected_replacements"] = written.place_count
    text = json.dumps(call, ensure_ascii=False)
    if text.isprintable():
        return text
    return json.dumps(call)


def _call_keys(call: ToolCall) -> Sequence[str]:
    """Return the keys of the call, or the usual ones if a call with its keys would not be read as a replacement."""
    if len(call.keys) != len(_CALL_KEYS) or call.keys[1] in _KEYS_IN_LISTS:
        return _CALL_KEYS
    return call.keys
