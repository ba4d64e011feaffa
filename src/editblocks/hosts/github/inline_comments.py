"""Comments on the lines that failed blocks are about: in the diff, or in the thread that a block came from.

They are posted only together with a new status; later runs only shorten them. Rules: docs/reference/action.md,
"what the status says".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editblocks.core.errors import ApiError
from editblocks.core.outcome import Outcome, Part, Response
from editblocks.hosts.github.context import Post
from editblocks.hosts.github.status import GitHubStatus
from editblocks.report.status.inline_comments import fixed_inline, hunks_of, inline_comments, read_inline
from editblocks.report.view import OutcomeView

PAGES, ROWS = 3, 100  # of the files that the pull request changes
_ANYWHERE = (range(1, 1 << 31),)


class InlineComments:
    """Inline comments about one outcome, at most `most`. `reply`: what commands begin with; None if none would help."""

    def __init__(self, status: GitHubStatus, outcome: Outcome, *, reply: str | None, most: int) -> None:
        self._pull = status.pull
        self._is_in_thread = status.thread is not None
        self._outcome = outcome
        self._reply = reply
        self._most = max(0, most)

    def in_diff(self) -> list[dict[str, Any]]:
        """Return the comments for a new review; none if the diff cannot be read."""
        wanted = {comment["path"] for comment, part in self._comments() if part is None}
        if not wanted or self._is_in_thread:
            return []
        return [comment for comment, part in self._comments(self._hunks(wanted)) if part is None][: self._most]

    def reply_in_threads(self, known: Sequence[Post]) -> None:
        """Reply to the inline comments that failed blocks came from, once each; stop at the first reply that fails."""
        posted = {read_inline(post.body) for post in known if post.is_ours}
        for comment, part in self._comments()[: self._most]:
            if part is None or read_inline(comment["body"]) in posted:
                continue
            if not self._send("POST", self._pull.path("comments", part.id, "replies"), comment["body"]):
                break

    def shorten(self, known: Sequence[Post]) -> None:
        """Shorten the comments on blocks that are committed now; stop at the first edit that fails."""
        outcome = self._outcome
        if outcome.commit is None or not outcome.written:
            return
        done = {(outcome.response.source.id, row.block.number) for row in outcome.result.results if row.ok}
        for post in [post for post in known if post.is_ours and read_inline(post.body) in done][: self._most]:
            path = f"/repos/{self._pull.task.repository}/pulls/comments/{post.id}"
            if not self._send("PATCH", path, fixed_inline(outcome.commit)):
                break

    def _comments(self, hunks: Mapping[str, Sequence[range]] | None = None) -> list[tuple[dict[str, Any], Part | None]]:
        """Return the comments that fall into these lines of the diff (by default, all).

        With each comes the inline comment of the response that the block came from, None if it came from elsewhere.
        """
        if not self._most:
            return []
        rows = self._outcome.result.results
        hunks = {row.file_path: _ANYWHERE for row in rows} if hunks is None else hunks
        lines = {row.block.number: row.block.line_number for row in rows}
        comments = inline_comments(OutcomeView(self._outcome), hunks, reply=self._reply, most=len(rows))
        named = [(comment, read_inline(comment["body"])) for comment in comments]
        return [(comment, _part_at(self._outcome.response, lines[name[1]] if name else 0)) for comment, name in named]

    def _hunks(self, wanted: set[str]) -> Mapping[str, Sequence[range]]:
        hunks: dict[str, Sequence[range]] = {}
        for page in range(1, PAGES + 1):
            path = self._pull.path(f"files?per_page={ROWS}&page={page}")
            try:
                rows = self._pull.api.get(path, "reading the diff", _patches)
            except ApiError:
                break
            hunks.update((name, hunks_of(patch)) for name, patch in rows if name in wanted)
            if len(rows) < ROWS or wanted <= set(hunks):
                break
        return hunks

    def _send(self, verb: str, path: str, body: str) -> bool:
        try:
            self._pull.api.send(verb, path, {"body": body}, "commenting on lines", lambda answer: answer["id"])
        except ApiError:
            return False
        return True


def _part_at(response: Response, line: int) -> Part | None:
    """Return the part of a response with a file of its own that holds a line (1-based)."""
    first = 1
    for part in response.parts:
        last = first + part.text.count("\n")
        if first <= line <= last:
            return part if part.context_path is not None else None
        first = last + 2
    return None


def _patches(answer: Any) -> list[tuple[str, str]]:
    return [(str(row["filename"]), str(row.get("patch") or "")) for row in answer]
