"""The status on a pull request: one review that is found again by its marker, and one reaction.

Look for the marker, create, and after an answer that got lost look again before creating once more.
GitHub cannot delete a submitted review, so a second one would stay. Rules: docs/action.md, "exactly once".
"""

from __future__ import annotations

from typing import Any

from editblocks.codes import State
from editblocks.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github_api import GitHubApi
from editblocks.hosts.github_context import Review, Reviews, reviews_from, status_of
from editblocks.hosts.github_event import Task
from editblocks.hosts.github_queries import REVIEWS
from editblocks.outcome import Outcome

SEEN, COMMITTED, NEEDS_YOU = "eyes", "rocket", "confused"
STALE_READS = 3

_REACTIONS = {
    State.APPLIED: COMMITTED,
    State.PARTIAL: COMMITTED,
    State.FAILED: NEEDS_YOU,
    State.REFUSED: NEEDS_YOU,
    State.STALE: NEEDS_YOU,
}


class GitHubStatus:
    """What one run says about one comment. Reactions are best effort; a review that cannot be written raises."""

    def __init__(self, api: GitHubApi, task: Task, no_reply: str, reactions: bool) -> None:
        self._api = api
        self._task = task
        self._no_reply = no_reply
        self._reactions = reactions
        self._seen: int | None = None
        self.review_id: int | None = None

    # the review

    def find(self, reviews: Reviews) -> Review | None:
        """Our status for the comment, also among older reviews as long as they are younger than the comment."""
        source = self._task.response.source.id
        while (found := status_of(source, reviews)) is None and reviews.before is not None:
            if reviews.reviews and reviews.reviews[0].created_at < self._task.created_at:
                break
            reviews = self._page(reviews.before)
        self.review_id = found.id if found else None
        return found

    def look(self) -> Review | None:
        """Our status for the comment as it is now. Raises `RepoError`."""
        return self.find(self._page(None))

    def write(self, body: str, commit: str) -> None:
        """Create the review on `commit`, or edit the one that was found, and compare what GitHub keeps."""
        kept = self._create(body, commit) if self.review_id is None else self._edit(body)
        if not _is_same(kept, body) and not _is_same(self._edit(body), body):
            raise RepoError("GitHub keeps another text of the status than was sent; look at the pull request")

    def _create(self, body: str, commit: str) -> str:
        request = {"body": body, "event": "COMMENT", "commit_id": commit}
        try:
            return self._post(request)
        except ApiError as error:
            if error.trouble not in {Trouble.RETRY, Trouble.CONFLICT, Trouble.BROKEN}:
                raise
            self._look_again(error)
            if self.review_id is not None:
                return self._edit(body)
            if error.trouble is Trouble.CONFLICT:
                # A commit that a force-push took out of the pull request cannot be reviewed any more.
                del request["commit_id"]
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
        owner, _, name = self._task.repository.partition("/")
        variables = {"owner": owner, "name": name, "number": self._task.number, "before": before}
        return self._api.query(
            REVIEWS, variables, "reading the reviews", lambda data: reviews_from(data, self._no_reply)
        )

    def _post(self, request: dict[str, str]) -> str:
        self.review_id, kept = self._api.send("POST", self._reviews, request, "writing the status", _review)
        return kept

    def _edit(self, body: str) -> str:
        path = f"{self._reviews}/{self.review_id}"
        put = self._api.send
        return self._api.patiently(lambda: put("PUT", path, {"body": body}, "editing the status", _review))[1]

    @property
    def _reviews(self) -> str:
        return f"/repos/{self._task.repository}/pulls/{self._task.number}/reviews"

    # the reaction

    def see(self) -> None:
        """Show that the comment was seen."""
        self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Take that back: there is nothing to do."""
        if self._seen is not None:
            self._best_effort("DELETE", f"{self._reactions_path}/{self._seen}", None)

    def react(self, outcome: Outcome) -> None:
        """Put the reaction of an outcome in place of the first one, which stays while a check waits for somebody."""
        if outcome.state is State.CHECKED:
            return
        if content := _REACTIONS.get(outcome.state):
            self._react(content)
        self.forget()

    def _react(self, content: str) -> int | None:
        return self._best_effort("POST", self._reactions_path, {"content": content})

    def _best_effort(self, verb: str, path: str, body: dict[str, object] | None) -> int | None:
        if not self._reactions:
            return None
        try:
            return self._api.send(verb, path, body, "reacting", lambda answer: int(answer["id"]) if answer else None)
        except RepoError:
            return None

    @property
    def _reactions_path(self) -> str:
        return f"/repos/{self._task.repository}/issues/comments/{self._task.comment_id}/reactions"


def _review(answer: Any) -> tuple[int, str]:
    return int(answer["id"]), str(answer["body"])


def _is_same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()
