"""Read a pull request, or a branch without one, from GitHub; repeat a read whose answer is stale or inconsistent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.pull.comment_text import CommentText, words_from
from editblocks.hosts.github.pull.context import Context, Head, LatestState, Post, Reviews
from editblocks.hosts.github.pull.decode import branch_from, context_from, live_from, reviews_from, threads_from
from editblocks.hosts.github.pull.event import Task
from editblocks.hosts.github.pull.queries import (
    BRANCH,
    CONTEXT,
    CONTEXT_ALONE,
    LIVE,
    LIVE_ALONE,
    REVIEWS,
    THREADS,
    WORDS,
)
from editblocks.repos.github.client import GitHubApi

T = TypeVar("T")
STALE_READS = 3


class PullRequest:
    """The pull request of a task, or its branch if the task has no number.

    `no_reply` is the server's host name for no-reply e-mail addresses. Every method raises `RepoError`.
    """

    def __init__(self, api: GitHubApi, task: Task, no_reply: str) -> None:
        owner, _, name = task.repository.partition("/")
        self.api = api
        self.task = task
        self.no_reply = no_reply
        self._variables: dict[str, object] = {"owner": owner, "name": name}
        if task.number is None:
            self._variables["ref"] = f"refs/heads/{task.branch}"
        else:
            self._variables["number"] = task.number
        self._context: Context | None = None

    @property
    def context(self) -> Context:
        """The state at the first read, which is kept."""
        if self._context is None:
            self._context = self.look_around()
        return self._context

    def path(self, *names: object) -> str:
        """The path of a REST request below the pull request."""
        return "/".join(map(str, (f"/repos/{self.task.repository}/pulls/{self.task.number}", *names)))

    def advance(self, head: Head) -> None:
        """Record that this run moved the branch to a new commit."""
        context = self.context
        older = context.older | {context.pull.head.commit}
        self._context = replace(context, pull=context.pull._replace(head=head), older=older)

    def look_around(self) -> Context:
        """Read the whole state now; `closed` if the branch is gone."""
        context = self._on_branch() if self.task.number is None else self._on_pull()
        self._expect(context.repository_id)
        return context

    def live(self) -> LatestState:
        """Read the head now, and the text of the task's comment: a response file cannot change without the head."""
        if self.task.number is None:
            context = self.look_around()
            return LatestState(context.repository_id, context.pull, None)
        query = LIVE if self.task.comment else LIVE_ALONE
        live = self._steadily(query, lambda data: live_from(data, self.no_reply))
        self._expect(live.repository_id)
        return live

    def live_until(self, is_news: Callable[[Head], bool]) -> LatestState:
        """Read until `is_news` accepts the head, at most three times: reads lag behind writes."""
        live = self.live()
        for _ in range(STALE_READS - 1):
            if is_news(live.pull.head):
                break
            self.api.rest(1.0)
            live = self.live()
        return live

    def words(self, node_id: str) -> CommentText | None:
        """Read a comment's text now; None if GitHub says three times that it is gone."""
        for attempt in range(STALE_READS):
            if attempt:
                self.api.rest(1.0)
            try:
                return self.api.query(
                    WORDS, {"source": node_id}, "reading a comment", lambda data: words_from(data["node"])
                )
            except ApiError as error:
                if error.trouble is not Trouble.MISSING:
                    raise
        return None

    def reviews(self, before: str | None) -> Reviews:
        """Read the fifty reviews before a cursor, or the newest ones."""
        variables = {**self._variables, "before": before}
        return self.api.query(REVIEWS, variables, "reading the reviews", lambda data: reviews_from(data, self.no_reply))

    def pages(self, reviews: Reviews) -> Iterator[Reviews]:
        """Yield these reviews, then the older ones page by page."""
        yield reviews
        while reviews.before is not None:
            reviews = self.reviews(reviews.before)
            yield reviews

    def threads(self) -> tuple[Post, ...]:
        """Read the comments in the newest review threads."""
        return self.api.query(
            THREADS, self._variables, "reading the threads", lambda data: threads_from(data, self.no_reply)
        )

    def _on_pull(self) -> Context:
        def pick(data: Any) -> Context:
            return context_from(data, self.no_reply)

        if self.task.comment is not None:
            try:
                return self._steadily(CONTEXT, pick)
            except ApiError as error:
                if error.trouble is not Trouble.MISSING:
                    raise  # if only the comment is gone, `live` finds that
        return self._steadily(CONTEXT_ALONE, pick)

    def _on_branch(self) -> Context:
        context = self._steadily(BRANCH, lambda data: branch_from(data, self.no_reply))
        if context is None:
            raise RepoError(f"the branch {self.task.branch} is gone; nothing was done", ReasonCode.CLOSED)
        return context

    def _expect(self, repository_id: int) -> None:
        if repository_id != self.task.repository_id:
            raise RepoError(f"{self.task.repository} is not the repository of the event any more; nothing was done")

    def _steadily(self, query: str, pick: Callable[[Any], T]) -> T:
        """Ask until the answer is consistent, at most three times: GitHub may show a new head before its tree."""
        comment = self.task.comment if "$source" in query else None
        variables = {**self._variables, "source": comment.node_id} if comment else self._variables
        for _ in range(STALE_READS - 1):
            try:
                return self.api.query(query, variables, "reading the pull request", pick)
            except ApiError as error:
                if error.trouble is not Trouble.BROKEN:
                    raise
            self.api.rest(1.0)
        return self.api.query(query, variables, "reading the pull request", pick)
