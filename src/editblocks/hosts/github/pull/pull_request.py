"""A pull request, or a branch without one, as GitHub shows it now; read again until all answers agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.client.queries import BRANCH, CONTEXT, CONTEXT_ALONE, LIVE, LIVE_ALONE, WORDS
from editblocks.hosts.github.pull.comment_text import CommentText, words_from
from editblocks.hosts.github.pull.context import Context, Head, LatestState
from editblocks.hosts.github.pull.decode import branch_from, context_from, live_from

T = TypeVar("T")

STALE_READS = 3


class PullRequest:
    """One pull request of a repository (`owner/name`, its number as the event has it).

    `number` None: a branch, which is `branch`. `no_reply` is the server's host for addresses that take no mail.
    """

    def __init__(
        self,
        api: GitHubApi,
        repository: str,
        repository_id: int,
        *,
        number: int | None,
        branch: str = "",
        node_id: str | None = None,
        no_reply: str,
    ) -> None:
        self._api = api
        self._repository = repository
        self._repository_id = repository_id
        self._branch = branch
        self._node_id = node_id
        self._context: Context | None = None
        self.number = number
        self.no_reply = no_reply
        self._pulls: tuple[int, ...] = ()

    @property
    def context(self) -> Context:
        """What was known at the first look. Raises `RepoError`."""
        if self._context is None:
            self._context = self.look_around()
        return self._context

    def found(self) -> tuple[int, ...]:
        """The open pull requests that the branch is the head of. Raises `RepoError`, `closed` if it is gone."""
        self._context = self.look_around()
        return self._pulls

    def advance(self, head: Head) -> None:
        """Take note that the branch was moved to a commit of this run."""
        context = self.context
        older = context.older | {context.pull.head.commit}
        self._context = replace(context, pull=replace(context.pull, head=head), older=older)

    def look_around(self) -> Context:
        """All there is to know, asked now. Raises `RepoError`, also for a branch that is gone."""
        context = self._on_branch() if self.number is None else self._on_pull(self.number)
        self._expect(context.repository_id)
        return context

    def live(self, node_id: str | None) -> LatestState:
        """The last look: the head, and what the comment of `node_id` says. Raises `ApiError` and `RepoError`."""
        if self.number is None:
            context = self.look_around()
            return LatestState(context.repository_id, context.pull, None)
        variables: dict[str, object] = {**self._variables, "number": self.number}
        query = LIVE_ALONE
        if node_id is not None:
            query, variables["source"] = LIVE, node_id
        live = self._steadily(query, variables, lambda data: live_from(data, self.no_reply))
        self._expect(live.repository_id)
        return live

    def live_until(self, node_id: str | None, is_news: Callable[[Head], bool]) -> LatestState:
        """Look at the pull request; reads lag behind writes, so a head that was seen before is not believed at once."""
        live = self.live(node_id)
        for _ in range(STALE_READS - 1):
            if is_news(live.pull.head):
                break
            self._api.rest(1.0)
            live = self.live(node_id)
        return live

    def words(self, node_id: str) -> CommentText | None:
        """What a comment says now; None if it is gone, which is not believed at once. Raises `RepoError`."""
        for attempt in range(STALE_READS):
            if attempt:
                self._api.rest(1.0)
            try:
                return self._api.query(
                    WORDS, {"source": node_id}, "reading a comment", lambda data: words_from(data["node"])
                )
            except ApiError as error:
                if error.trouble is not Trouble.MISSING:
                    raise
        return None

    def _on_pull(self, number: int) -> Context:
        def pick(data: Any) -> Context:
            return context_from(data, self.no_reply, number)

        variables: dict[str, object] = {**self._variables, "number": number}
        if self._node_id is None:
            return self._steadily(CONTEXT_ALONE, variables, pick)
        try:
            return self._steadily(CONTEXT, {**variables, "source": self._node_id}, pick)
        except ApiError as error:
            if error.trouble is not Trouble.MISSING:
                raise
            return self._steadily(CONTEXT_ALONE, variables, pick)  # if only the comment is gone, the last look says so

    def _on_branch(self) -> Context:
        variables: dict[str, object] = {**self._variables, "ref": f"refs/heads/{self._branch}"}
        tip = self._steadily(BRANCH, variables, lambda data: branch_from(data, self.no_reply))
        if tip is None:
            raise RepoError(f"the branch {self._branch} is gone; nothing was done", ReasonCode.CLOSED)
        self._pulls = tip.pulls
        return tip.context

    @property
    def _variables(self) -> dict[str, object]:
        owner, _, name = self._repository.partition("/")
        return {"owner": owner, "name": name}

    def _expect(self, repository_id: int) -> None:
        if repository_id != self._repository_id:
            raise RepoError(f"{self._repository} is not the repository of the event any more; nothing was done")

    def _steadily(self, query: str, variables: Mapping[str, object], pick: Callable[[Any], T]) -> T:
        """Ask until the answer fits together: a new head may be shown before its tree is."""
        for _ in range(STALE_READS - 1):
            try:
                return self._api.query(query, variables, "reading the pull request", pick)
            except ApiError as error:
                if error.trouble is not Trouble.BROKEN:
                    raise
            self._api.rest(1.0)
        return self._api.query(query, variables, "reading the pull request", pick)
