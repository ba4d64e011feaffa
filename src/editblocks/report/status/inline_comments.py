"""Write comments on the lines of a pull request where a failed block should go.

GitHub accepts a comment only on lines of the diff, and both ends of a range must be in the same hunk. One wrong line
makes it refuse the whole review. Rules: docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate
from editblocks.core.phrases import join_parts
from editblocks.formats.hunks import read_numbers
from editblocks.report.escape import first_fitting, text
from editblocks.report.status.next_step import offer, usable_prefix
from editblocks.report.view import FAILED, OutcomeView, Row

COMMENT_LIMIT = 1000
_CUTS = (300, 150, 60)  # characters of a sentence, which grows when it is escaped
_MARKER = re.compile(r"<!-- editblocks:inline v1 source=([a-z0-9_-]{1,60}) block=([1-9][0-9]{0,8}) -->", re.ASCII)


def hunks_of(patch: str) -> list[range]:
    """Return the lines (1-based) of the new file that each hunk shows. `patch`: as GitHub sends it, no file headers."""
    heads = filter(None, map(read_numbers, patch.split("\n")))
    hunks = (range(head.new, head.new + head.new_count) for head in heads)
    return [hunk for hunk in hunks if hunk]


def inline_comments(
    view: OutcomeView, hunks: Mapping[str, Sequence[range]], *, prefix: str | None, most: int = 10
) -> list[dict[str, Any]]:
    """Return a comment for each of the first `most` failed blocks whose place is in the diff.

    `hunks` are the lines of the diff by path. Each comment is an object for GitHub's reviews. A block from an inline
    comment is answered in its thread instead: the object then has the comment's number (`in_reply_to`) and no place.
    `prefix` is what commands begin with, None if a command would not be accepted. Raises `ValueError` for a source that
    a marker cannot name.
    """
    prefix = usable_prefix(view, prefix)
    comments = (_comment(row, view, hunks.get(row.head_path or "", ()), prefix) for row in view.rows)
    return [comment for comment in comments if comment is not None][: max(0, most)]


def fixed_inline(commit: str) -> str:
    """Return the new text of a comment whose block is now in a commit."""
    return f"fixed in {commit[:7]}"


def read_inline(body: str) -> tuple[str, int] | None:
    """Return the source and the block of an inline comment; None if its first line is not exactly our marker.

    Anybody can write such a marker, so the host has to check who wrote the text.
    """
    match = _MARKER.fullmatch(body.split("\n", 1)[0].removesuffix("\r"))
    if match is None:
        return None
    return match[1], int(match[2])


def _comment(row: Row, view: OutcomeView, hunks: Sequence[range], prefix: str | None) -> dict[str, Any] | None:
    if row.word != FAILED or row.is_changed:
        return None
    part = row.response.part_at(row.line_number)
    if part is not None and part.context_path is not None:
        place = next((place for _, place in _places(row)), None)
        return {"in_reply_to": part.id, "body": _body(row, view, place, prefix)}
    for (first, last), place in _places(row):
        if any(first in hunk and last in hunk for hunk in hunks):
            body = _body(row, view, place, prefix)
            comment = {"path": row.head_path, "line": last, "side": "RIGHT", "body": body}
            if first < last:
                comment |= {"start_line": first, "start_side": "RIGHT"}
            return comment
    return None


def _places(row: Row) -> Iterator[tuple[tuple[int, int], Candidate | None]]:
    """Yield the places that the block may mean: first and last line, 1-based, and the candidate if it can be chosen."""
    if row.result is None:
        return
    if row.code is ReasonCode.AMBIGUOUS:
        for place in row.result.candidates_in_file:
            choice = None if place.pick is None else place
            yield (place.start_line, place.end_line), choice
        return
    if row.lines is not None:
        yield row.lines, row.choice
    difference = row.result.first_difference
    if difference is not None and not difference.after:
        yield (difference.line, difference.line), row.choice


def _body(row: Row, view: OutcomeView, place: Candidate | None, prefix: str | None) -> str:
    marker = f"<!-- editblocks:inline v1 source={view.outcome.response.source.id} block={row.number} -->"
    if read_inline(marker) is None:
        raise ValueError(f"source {view.outcome.response.source.id!r} cannot be named in a comment")
    offered = ""
    if prefix is not None and place is not None:
        offered = f"{offer(row, place, prefix)}."
    code = FAILED if row.code is None else row.code.value
    reasons = [text(row.reason(), limit=cut) for cut in _CUTS]
    lines = (join_parts(": ", f"❌ Block {row.number}: {code}", reason) for reason in (*reasons, ""))
    return first_fitting((join_parts("\n\n", f"{marker}\n{line}", offered) for line in lines), COMMENT_LIMIT)
