"""Comments on the lines that failed blocks are about: in the diff, or in the thread that a block came from.

Only together with a new status; later they are at most shortened. Rules: docs/reference/action.md, "what the status
says".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editblocks.core.errors import ApiError
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome, Part, Response
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.posting.status import StatusPlace
from editblocks.hosts.github.pull.context import Post
from editblocks.report.status.inline_comments import InlineComment, fixed_inline, hunks_of, inline_comments, read_inline

PAGES, ROWS = 3, 100  # of the files that the pull request changes
_ANYWHERE = (range(1, 1 << 31),)


class Lines:
    """What is said on lines about one outcome, at most `most` times. `reply` as in `report.markdown.status`."""

    def __init__(self, api: GitHubApi, place: StatusPlace, outcome: Outcome, *, reply: str | None, most: int) -> None:
        self._api = api
        self._place = place
        self._outcome = outcome
        self._reply = reply
        self._most = most

    def in_diff(self) -> list[dict[str, object]]:
        """Comments for a new review. A diff that cannot be read has no lines to comment on."""
        wanted = {comment.path for comment in self._comments(None) if self._thread(comment) is None}
        if not wanted or self._place.thread is not None:
            return []
        new_comments = [comment for comment in self._comments(self._hunks(wanted)) if self._thread(comment) is None]
        return [_request(comment) for comment in new_comments[: self._most]]

    def in_threads(self, known: Sequence[Post]) -> None:
        """Replies where a block came from an inline comment, unless one is there; best effort."""
        posted = {read_inline(post.body) for post in known if post.is_ours}
        for comment in self._comments(None)[: self._most]:
            part = self._thread(comment)
            if part is None or read_inline(comment.body) in posted:
                continue
            path = f"/repos/{self._place.repository}/pulls/{self._place.number}/comments/{part.id}/replies"
            if not self._send("POST", path, comment.body):
                break

    def shorten(self, known: Sequence[Post]) -> None:
        """Edit what was said of blocks that are in the commit now; best effort."""
        outcome = self._outcome
        if outcome.commit is None or not outcome.written:
            return
        done = {(outcome.response.source.id, row.block.number) for row in outcome.result.results if row.ok}
        for post in [post for post in known if post.is_ours and read_inline(post.body) in done][: self._most]:
            path = f"/repos/{self._place.repository}/pulls/comments/{post.id}"
            if not self._send("PATCH", path, fixed_inline(outcome.commit)):
                break

    def _comments(self, hunks: Mapping[str, Sequence[range]] | None) -> list[InlineComment]:
        """All there is to say, wherever it may stand (None), or in these lines of the diff."""
        if self._most < 1:
            return []
        if hunks is None:
            rows = self._outcome.result.results
            hunks = {row.file_path: _ANYWHERE for row in rows if isinstance(row, EditResult)}
        return inline_comments(self._outcome, hunks, reply=self._reply, most=len(self._outcome.result.rows))

    def _thread(self, comment: InlineComment) -> Part | None:
        """The inline comment that a block came from."""
        named = read_inline(comment.body)
        rows = self._outcome.result.results
        line = next((row.block.line_number for row in rows if named and row.block.number == named[1]), 0)
        part = part_at(self._outcome.response, line)
        return part if part is not None and part.context_path is not None else None

    def _hunks(self, wanted: set[str]) -> Mapping[str, Sequence[range]]:
        hunks: dict[str, Sequence[range]] = {}
        for page in range(1, PAGES + 1):
            path = f"/repos/{self._place.repository}/pulls/{self._place.number}/files?per_page={ROWS}&page={page}"
            try:
                rows = self._api.get(path, "reading the diff", _patches)
            except ApiError:
                break
            hunks.update((name, hunks_of(patch)) for name, patch in rows if name in wanted)
            if len(rows) < ROWS or wanted <= set(hunks):
                break
        return hunks

    def _send(self, verb: str, path: str, body: str) -> bool:
        try:
            self._api.send(verb, path, {"body": body}, "commenting on lines", lambda answer: answer["id"])
        except ApiError:
            return False
        return True


def part_at(response: Response, line: int) -> Part | None:
    """The text that a line (1-based) of a response of several texts is in."""
    first = 1
    for part in response.parts:
        last = first + part.text.count("\n")
        if first <= line <= last:
            return part
        first = last + 2
    return None


def _patches(answer: Any) -> list[tuple[str, str]]:
    return [(str(row["filename"]), str(row.get("patch") or "")) for row in answer]


def _request(comment: InlineComment) -> dict[str, object]:
    request: dict[str, object] = {
        "path": comment.path,
        "line": comment.line,
        "side": "RIGHT",
        "body": comment.body,
    }
    if comment.start_line is not None:
        request |= {"start_line": comment.start_line, "start_side": "RIGHT"}
    return request
