"""Decide whether a commit deletes the response file: with its last blocks, if nothing in it is unread.

Text in a form that is not read would be lost with the file, so such a file stays, and a note says why.
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
    """Whether the response holds something that looks like a block but was not read as one."""
    return any(note.code in UNREAD for note in result.notes)


def with_note(result: ApplyResult, *, nothing_left: bool) -> ApplyResult:
    """Add the note that the file stays; `nothing_left`: no block is left to apply, so it may be deleted by hand."""
    return replace(result, notes=(*result.notes, _KEPT_ALONE if nothing_left else _KEPT))


def file_to_remove(path: str | None, outcome: Outcome) -> str | None:
    """Return `path` if the commit of this outcome deletes the response file, else None."""
    return path if _is_last(outcome) and not has_unread(outcome.result) else None


def with_removal_note(outcome: Outcome) -> ApplyResult:
    """Let the note say that the file may be deleted by hand if no block in it is left to apply after this commit."""
    if not _is_last(outcome):
        return outcome.result
    notes = (_KEPT_ALONE if note is _KEPT else note for note in outcome.result.notes)
    return replace(outcome.result, notes=tuple(notes))


def contents_of(outcome: Outcome) -> Mapping[str, bytes | None]:
    """Return what the commit of an outcome changes: the files of its blocks, and the response file it deletes."""
    gone: dict[str, bytes | None] = {} if outcome.removed_file is None else {outcome.removed_file: None}
    return {**outcome.result.contents, **gone}


def _is_last(outcome: Outcome) -> bool:
    """Whether no block is left to apply; blocks left out with `/skip` do not count."""
    return outcome.result.ok or (outcome.ok and outcome.not_selected <= outcome.skip)
