"""Whether a response file goes with its blocks: it does with the last of them, if nothing in it is unread.

What it says in a form that is not read would be lost with it, so such a file stays, and a note says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from editblocks.core.model import ApplyResult, Note
from editblocks.core.outcome import Outcome
from editblocks.parsing.notes import UNREAD, UNREAD_PATCH

_STAYS = "the response file stays, as not all of it is read"
_KEPT = Note(UNREAD_PATCH, _STAYS)
_KEPT_ALONE = Note(UNREAD_PATCH, f"{_STAYS}; write the rest as blocks in another file, then delete this one")


def has_unread(result: ApplyResult) -> bool:
    """Whether the response holds something that looks like a block and was not read as one."""
    return any(note.code in UNREAD for note in result.notes)


def with_note(result: ApplyResult, *, nothing_left: bool) -> ApplyResult:
    """The result with the note that its file stays; `nothing_left`: no block in it waits, so it may be deleted."""
    return replace(result, notes=(*result.notes, _KEPT_ALONE if nothing_left else _KEPT))


def file_to_remove(path: str | None, outcome: Outcome) -> str | None:
    """The response file at `path`, if it goes with what is written now."""
    return path if _is_last(outcome) and not has_unread(outcome.result) else None


def with_removal_note(outcome: Outcome) -> ApplyResult:
    """The result of what is written now: a file that stays may be deleted by hand once no block in it waits."""
    if not _is_last(outcome):
        return outcome.result
    notes = (_KEPT_ALONE if note is _KEPT else note for note in outcome.result.notes)
    return replace(outcome.result, notes=tuple(notes))


def contents_of(outcome: Outcome) -> Mapping[str, bytes | None]:
    """What the commit of an outcome changes: the files of its blocks, and the response file that goes."""
    gone: dict[str, bytes | None] = {} if outcome.removed_file is None else {outcome.removed_file: None}
    return {**outcome.result.contents, **gone}


def _is_last(outcome: Outcome) -> bool:
    """Whether no block is left to be applied; those that are left out for good keep nothing back."""
    return outcome.result.ok or (outcome.ok and outcome.not_selected <= outcome.skip)
