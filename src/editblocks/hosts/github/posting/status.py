"""The status of a source: one review, or one reply in its thread, found again by its marker and edited in place.

Look for the marker, create, and after an answer that got lost look again before creating once more.
GitHub cannot delete a submitted review, so a second one would stay. Rules: docs/reference/action.md, "exactly once".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.client.queries import REVIEWS, THREADS
from editblocks.hosts.github.pull.context import Post, Reviews, status_of
from editblocks.hosts.github.pull.decode import reviews_from, threads_from

STALE_READS = 3


@dataclass(frozen=True, slots=True)
class StatusPlace:
    """Where the status of a source belongs: on a pull request, in `thread` if the source is a reply there.

    `since` is when the source was written, ISO 8601; None if that is not known.
    """

    repository: str
    number: int
    source: str
    thread: int | None = None
    since: str | None = None


class GitHubStatus:
    """What is said about one source. A status that cannot be written raises."""

    def __init__(self, api: GitHubApi, place: StatusPlace, no_reply: str) -> None:
        self._api = api
        self.place = place
        self._no_reply = no_reply
        self.id: int | None = None  # of the review or the reply

    @property
    def address(self) -> str | None:
        """The fragment of its address."""
        if self.id is None:
            return None
        return f"{'pullrequestreview-' if self.place.thread is None else 'discussion_r'}{self.id}"

    def find(self, reviews: Reviews, threads: Sequence[Post]) -> Post | None:
        """Our status for the source, also among older reviews as long as they are younger than the source."""
        post = self._in_thread(threads) if self.place.thread is not None else self._among(reviews)
        self.id = post.id if post else None
        return post

    def look(self) -> Post | None:
        """Our status for the source as it is now. Raises `RepoError`."""
        if self.place.thread is not None:
            return self.find(Reviews((), None), self._threads())
        return self.find(self._page(None), ())

    def write(self, body: str, commit: str, inline: Sequence[Mapping[str, object]] = ()) -> None:
        """Create it on `commit`, with comments on lines of the diff, or edit it, and compare what GitHub keeps."""
        kept = self._create(body, commit, inline) if self.id is None else self._edit(body)
        if not _is_same(kept, body) and not _is_same(self._edit(body), body):
            raise RepoError("GitHub keeps another text of the status than was sent; look at the pull request")

    def _among(self, reviews: Reviews) -> Post | None:
        while (post := status_of(self.place.source, reviews.reviews)) is None and reviews.before is not None:
            oldest = reviews.reviews[0].created_at if reviews.reviews else ""
            if self.place.since is not None and oldest and oldest < self.place.since:
                break
            reviews = self._page(reviews.before)
        return post

    def _in_thread(self, threads: Sequence[Post]) -> Post | None:
        return status_of(self.place.source, (post for post in threads if post.thread == self.place.thread))

    def _create(self, body: str, commit: str, inline: Sequence[Mapping[str, object]]) -> str:
        request: dict[str, object] = {"body": body, "event": "COMMENT", "commit_id": commit}
        if self.place.thread is not None:
            request = {"body": body}
        elif inline:
            request["comments"] = list(inline)
        try:
            return self._post(request)
        except ApiError as error:
            if error.trouble not in {Trouble.RETRY, Trouble.CONFLICT, Trouble.BROKEN}:
                raise
            self._look_again(error)
            if self.id is not None:
                return self._edit(body)
            if error.trouble is Trouble.CONFLICT:
                # One line outside the diff refuses the whole review; and a commit that a force-push took out
                # of the pull request cannot be reviewed any more.
                if request.pop("comments", None) is not None:
                    return self._create(body, commit, ())
                request.pop("commit_id", None)
        return self._post(request)

    def _look_again(self, error: ApiError) -> None:
        """Find out whether a request had its effect; reads lag behind writes, so one look is not enough."""
        if error.wait:
            self._api.rest(error.wait)
        for attempt in range(1 if error.trouble is Trouble.CONFLICT else STALE_READS):
            if attempt:
                self._api.rest(1.0)
            if self.look():
                return

    def _page(self, before: str | None) -> Reviews:
        variables = {**self._pull, "before": before}
        return self._api.query(
            REVIEWS, variables, "reading the reviews", lambda data: reviews_from(data, self._no_reply)
        )

    def _threads(self) -> tuple[Post, ...]:
        return self._api.query(
            THREADS, self._pull, "reading the threads", lambda data: threads_from(data, self._no_reply)
        )

    @property
    def _pull(self) -> dict[str, object]:
        owner, _, name = self.place.repository.partition("/")
        return {"owner": owner, "name": name, "number": self.place.number}

    def _post(self, request: Mapping[str, object]) -> str:
        path = self._reviews if self.place.thread is None else f"{self._comments}/{self.place.thread}/replies"
        self.id, kept = self._api.send("POST", path, request, "writing the status", _id_and_address)
        return kept

    def _edit(self, body: str) -> str:
        if self.place.thread is None:
            verb, path = "PUT", f"{self._reviews}/{self.id}"
        else:
            verb, path = "PATCH", f"/repos/{self.place.repository}/pulls/comments/{self.id}"
        send = self._api.send

        def edit() -> str:
            return send(verb, path, {"body": body}, "editing the status", _id_and_address)[1]

        try:
            return self._api.patiently(edit)
        except ApiError as error:
            if error.trouble is not Trouble.BROKEN:
                raise
        return edit()  # an answer that was cut says nothing of the text, and the same text may be sent twice

    @property
    def _reviews(self) -> str:
        return f"/repos/{self.place.repository}/pulls/{self.place.number}/reviews"

    @property
    def _comments(self) -> str:
        return f"/repos/{self.place.repository}/pulls/{self.place.number}/comments"


def _id_and_address(answer: Any) -> tuple[int, str]:
    return int(answer["id"]), str(answer["body"])


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()
