"""Take the text of secret files out of a result, so that no prompt, report or status can show it (amendment E2).

What is written stays. What is said keeps its reason and line numbers; how alike a place is, and at which column it
differs, would let a reader guess the text letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from editblocks.core.characters import show_text
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate, Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.phrases import named_lines
from editblocks.paths.secrets import is_secret

_BY_NAME = "its name says that it holds secrets"
_BY_GIT = "git ignores it"


def hide_texts(result: ApplyResult, files: Iterable[str], ignored: Iterable[str]) -> ApplyResult:
    """Return the result without a line of those files that git ignores, or whose name says that they hold secrets.

    `files` are those that the plan has read, `ignored` those of them that git ignores.
    """
    reasons = dict.fromkeys(ignored, _BY_GIT)
    reasons.update((path, _BY_NAME) for path in files if is_secret(path))
    if not reasons:
        return result
    for row in result.results:  # a renamed file is what it was under its old name
        known = [reasons[path] for path in row.block.paths if path in reasons]
        if known:
            reasons.update((path, known[0]) for path in row.block.paths if path not in reasons)
    rows = tuple(_row(row, reasons) for row in result.results)
    return result._replace(results=rows, hidden_texts=frozenset(reasons))


def _row(row: EditResult, reasons: Mapping[str, str]) -> EditResult:
    mismatch = row.mismatch
    if mismatch is not None:  # the text of this block may stand in a secret file as well
        hints = tuple(hint for hint in mismatch.hints if hint.path not in reasons)
        mismatch = mismatch._replace(hints=hints)
    trial = None if row.trial is None else _row(row.trial, reasons)
    row = row._replace(mismatch=mismatch, trial=trial)
    why = next((reasons[path] for path in row.block.paths if path in reasons), "")
    if not why:
        return row
    if mismatch is not None:
        mismatch = _without_text(row, mismatch, why)
    return row._replace(mismatch=mismatch, written=None, likeness=None)


def _without_text(row: EditResult, mismatch: Mismatch, why: str) -> Mismatch:
    if mismatch.code not in (ReasonCode.NO_MATCH, ReasonCode.STALE):
        places = {id(place): _bare(place) for place in mismatch.candidates}
        duplicate = mismatch.duplicate and places.get(id(mismatch.duplicate), _bare(mismatch.duplicate))
        return mismatch._replace(candidates=tuple(places.values()), duplicate=duplicate, hints=())
    is_closest = mismatch.similarity is not None or not mismatch.candidates
    if mismatch.code is ReasonCode.NO_MATCH and is_closest and not (mismatch.what or mismatch.strategy):
        what = _not_there(row.block.file_path, mismatch)
    else:
        what, _ = row.reason_and_advice
    advice = f"its text is not shown, because {why}; change it by hand"
    return Mismatch(mismatch.code, what, advice, chosen_line=mismatch.chosen_line, notes=mismatch.notes)


def _not_there(path: str, mismatch: Mismatch) -> str:
    what = f"its old lines are not in {show_text(path)}"
    if not mismatch.candidates:
        return what
    best = mismatch.candidates[0]
    return f"{what}; the closest text is at {named_lines((best.start_line, best.end_line))}"


def _bare(place: Candidate) -> Candidate:
    return place._replace(lines=(), above=(), below=(), within="")
