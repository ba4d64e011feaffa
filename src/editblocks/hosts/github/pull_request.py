"""Read a pull request, or a branch without one, from GitHub; repeat a read whose answer is stale or inconsistent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.comment import CommentText, words_from
from editblocks.hosts.github.context import Context, Head, Post
from editblocks.hosts.github.decode import branch_from, pull_from, reviews_from
from editblocks.hosts.github.event import Task
from editblocks.repos.github.client import GitHubApi, T
from editblocks.repos.github.queries import BRANCH, REVIEWS, WORDS, pull_request

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
            self._context = self.look("Context")
        return self._context

    def path(self, *names: object) -> str:
        return "/".join(map(str, (f"/repos/{self.task.repository}/pulls/{self.task.number}", *names)))

    def advance(self, head: Head) -> None:
        """Record that this run moved the branch to a new commit."""
        self._context = replace(self.context, head=head, older=self.context.commits)

    def look(self, name: str = "Live") -> Context:
        """Read the whole state now; `closed` if the branch is gone. `name` is that of the query, for the log."""
        context = self._on_branch() if self.task.number is None else self._on_pull(name)
        if context.repository_id != self.task.repository_id:
            raise RepoError(f"{self.task.repository} is not the repository of the event any more; nothing was done")
        return context

    def look_until(self, is_news: Callable[[Head], bool]) -> Context:
        """Read until `is_news` accepts the head, at most three times: reads lag behind writes."""
        context = self.look()
        for _ in range(STALE_READS - 1):
            if is_news(context.head):
                break
            self.api.rest(1.0)
            context = self.look()
        return context

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

    def review_pages(self, context: Context) -> Iterator[tuple[Post, ...]]:
        """Yield the reviews of `context`, then the older ones, fifty a page."""
        yield context.reviews
        before = context.older_reviews
        while before is not None:
            variables = {**self._variables, "before": before}
            page, before = self.api.query(
                REVIEWS, variables, "reading the reviews", lambda data: reviews_from(data, self.no_reply)
            )
            yield page

    def _on_pull(self, name: str) -> Context:
        if self.task.comment is not None:
            query = pull_request(name, with_comment=True)
            try:
                return self._steadily(query, pull_from, source=self.task.comment.node_id)
            except ApiError as error:
                if error.trouble is not Trouble.MISSING:
                    raise  # if only the comment is gone, the context has no words
        return self._steadily(pull_request(name), pull_from)

    def _on_branch(self) -> Context:
        context = self._steadily(BRANCH, branch_from)
        if context is None:
            raise RepoError(f"the branch {self.task.branch} is gone; nothing was done", ReasonCode.CLOSED)
        return context

    def _steadily(self, query: str, read: Callable[[Any, str], T], **more: object) -> T:
        """Ask until the answer is consistent, at most three times: GitHub may show a new head before its tree."""

        def ask() -> T:
            variables = {**self._variables, **more}
            return self.api.query(query, variables, "reading the pull request", lambda data: read(data, self.no_reply))

        for _ in range(STALE_READS - 1):
            try:
                return ask()
            except ApiError as error:
                if error.trouble is not Trouble.BROKEN:
                    raise
            self.api.rest(1.0)
        return ask()
