"""The status of a source: one review, or one reply in its thread, found again by its marker and edited in place.

Look for the marker, then create the status. If GitHub's answer to that is lost, look again before creating another:
a submitted review cannot be deleted, so a second one would stay. Rules: docs/reference/action.md, "exactly once".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.context import Context, Post
from editblocks.hosts.github.pull_request import STALE_READS, PullRequest


class GitHubStatus:
    """Our status for `source`, on a pull request, or in `thread` if the source is a reply there.

    `since` is when the source was written, ISO 8601, if that is known. Raises `RepoError` if it cannot be written.
    """

    def __init__(self, pull: PullRequest, source: str, thread: int | None = None, since: str | None = None) -> None:
        self.pull = pull
        self.thread = thread
        self._source = source
        self._since = since
        self.id: int | None = None  # of the review or the reply

    @property
    def address(self) -> str | None:
        """The URL fragment of the status, such as `discussion_r7`; None before it exists."""
        if self.id is None:
            return None
        return f"{'pullrequestreview-' if self.thread is None else 'discussion_r'}{self.id}"

    def find(self, context: Context) -> Post | None:
        """Find our status for the source; older pages of reviews are read back to when the source was written."""
        self.id = None
        pages = iter([context.threads]) if self.thread is not None else self.pull.review_pages(context)
        for page in pages:
            ours = [
                post for post in page if post.is_ours and post.source == self._source and post.thread == self.thread
            ]
            if ours:
                self.id = ours[-1].id
                return ours[-1]
            if page and page[0].created_at < (self._since or ""):
                break
        return None

    def look(self) -> Post | None:
        """Ask GitHub for our status for the source as it is now."""
        return self.find(self.pull.look())

    def write(self, body: str, commit: str, inline: Sequence[Mapping[str, object]] = ()) -> None:
        """Create the status on `commit`, with comments on lines of the diff, or edit it.

        Raises `RepoError` if GitHub keeps a different text.
        """
        kept = self._create(body, commit, inline) if self.id is None else self._edit(body)
        if not _is_same(kept, body) and not _is_same(self._edit(body), body):
            raise RepoError("GitHub keeps another text of the status than was sent; look at the pull request")

    def _create(self, body: str, commit: str, inline: Sequence[Mapping[str, object]]) -> str:
        request: dict[str, object] = {"body": body}
        if self.thread is None:
            request |= {"event": "COMMENT", "commit_id": commit} | ({"comments": list(inline)} if inline else {})
        try:
            return self._post(request)
        except ApiError as error:
            if error.trouble not in {Trouble.RETRY, Trouble.CONFLICT, Trouble.BROKEN}:
                raise
            self._look_again(error)
            if self.id is not None:
                return self._edit(body)
            if error.trouble is Trouble.CONFLICT:
                # GitHub refuses the whole review if one commented line is outside the diff, or if a force-push
                # removed the commit from the pull request.
                if request.pop("comments", None) is not None:
                    return self._create(body, commit, ())
                request.pop("commit_id", None)
        return self._post(request)

    def _look_again(self, error: ApiError) -> None:
        """Find out whether a failed request created the status; reads lag behind writes, so look several times."""
        if error.wait:
            self.pull.api.rest(error.wait)
        for attempt in range(1 if error.trouble is Trouble.CONFLICT else STALE_READS):
            if attempt:
                self.pull.api.rest(1.0)
            if self.look():
                return

    def _post(self, request: Mapping[str, object]) -> str:
        path = self.pull.path("reviews")
        if self.thread is not None:
            path = self.pull.path("comments", self.thread, "replies")
        self.id, kept = self.pull.api.send("POST", path, request, "writing the status", _id_and_body)
        return kept

    def _edit(self, body: str) -> str:
        verb, path = "PUT", self.pull.path("reviews", self.id)
        if self.thread is not None:
            verb, path = "PATCH", f"/repos/{self.pull.task.repository}/pulls/comments/{self.id}"

        def edit() -> str:
            return self.pull.api.send(verb, path, {"body": body}, "editing the status", _id_and_body)[1]

        try:
            return self.pull.api.patiently(edit)
        except ApiError as error:
            if error.trouble is not Trouble.BROKEN:
                raise
        return edit()  # a broken answer does not show whether the text was saved; sending it twice does no harm


def _id_and_body(answer: Any) -> tuple[int, str]:
    return int(answer["id"]), str(answer["body"])


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()
