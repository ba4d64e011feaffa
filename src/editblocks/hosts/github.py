"""A pull request on GitHub as a `run.Host`: its comment is the response, its status is one review.

Everything is asked as late as possible and believed as little as possible: the text is the event's,
and counts only while the live one is the same; a permission that cannot be read is none.
Rules: docs/action.md, "who may apply" to "races".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from editblocks.codes import ReasonCode
from editblocks.errors import ApiError, HeadMoved, Refused, RepoError, Trouble
from editblocks.hosts.github_api import GitHubApi
from editblocks.hosts.github_context import (
    WORKFLOW_LOGIN,
    Context,
    Head,
    Live,
    Made,
    commit_of,
    context_from,
    live_from,
    made_for,
    standing,
)
from editblocks.hosts.github_email import own_part
from editblocks.hosts.github_event import Task, holds_blocks
from editblocks.hosts.github_queries import CONTEXT, CONTEXT_ALONE, LIVE
from editblocks.hosts.github_status import GitHubStatus
from editblocks.outcome import Outcome, Refusal, Response
from editblocks.report.links import Links
from editblocks.report.markdown import LIMIT, status
from editblocks.settings import Settings

T = TypeVar("T")

STALE_READS = 3
CANDIDATES = 3  # commits with the trailers of one response whose content is compared
MOMENT = 3.0  # seconds in which a run that has just committed writes its status
# The roles that reach the input `permission`: https://docs.github.com/en/rest/collaborators/collaborators
ROLES = {
    "write": frozenset({"write", "maintain", "admin"}),
    "maintain": frozenset({"maintain", "admin"}),
    "admin": frozenset({"admin"}),
}


class GitHubHost:
    """One task on one pull request. Requests are serial. `links` and `version` are for the status.

    `done` is the commit that an earlier or parallel run made of the same text, as far as is known. `proves`
    tells whether a commit holds what the response makes of the commit's parent, and nothing else.
    """

    def __init__(
        self,
        api: GitHubApi,
        task: Task,
        settings: Settings,
        links: Links,
        version: str,
        *,
        proves: Callable[[Context, Made, Response], bool],
    ) -> None:
        self._api = api
        self._task = task
        self._response = task.response
        self._settings = settings
        self._links = links
        self._version = version
        self._proves = proves
        self._no_reply = f"users.noreply.{urlsplit(links.server).hostname}"
        self._status = GitHubStatus(api, task, self._no_reply, settings.reactions)
        self._context: Context | None = None
        self._made: Made | None = None
        self._fresh: Head | None = None
        self._planned: Head | None = None
        self._rounds = 0
        self.done: str | None = None
        self.idle = "closed: the pull request is not open, nothing was checked"  # why no response was given
        self.outcome: Outcome | None = None  # the last one that was to be published

    @property
    def review_id(self) -> int | None:
        """The review that holds the status."""
        return self._status.review_id

    @property
    def made(self) -> dict[str, str]:
        """The commit that was made of this response already, by its root tree."""
        return {self._made.tree: self._made.commit} if self._made else {}

    @property
    def context(self) -> Context:
        """What is known of the pull request; `responses` looks first. Raises `RepoError`."""
        if self._context is None:
            self._context = self._look_around()
        return self._context

    def responses(self) -> Iterator[Response]:
        """The comment, unless there is nothing left to do for it."""
        self._status.see()
        context = self.context
        text = own_part(self._task.response.text, context.via_email)
        self._response = response = replace(self._task.response, text=text)
        if not holds_blocks(text):
            self.idle = "nothing to do: every block stands below the reply line of an e-mail"
            self._status.forget()
            return
        self.done = commit_of(self._status.find(context.reviews), response)
        if self.done is not None or not context.pull.is_open:
            self._status.forget()
            return
        self._made = self._proven(context)
        self.done = self._made.commit if self._made else None
        self._fresh = self._made.parent if self._made else context.pull.head
        yield response

    def tip(self) -> Head:
        """The commit to plan on: the newest head, or the parent of the commit that was made already."""
        self._rounds += 1
        refused = self._planned
        self._planned = self._fresh or self._look_until(lambda head: head != refused).pull.head
        self._fresh = None
        return self._planned

    def refusal(self, response: Response) -> Refusal | None:
        """Why this response may not be committed now, asked at GitHub. Raises `HeadMoved` and `RepoError`."""
        if self._made is not None:
            refusal = self._not_permitted()
            if refusal is not None:
                self._made = self.done = None
            return refusal
        return standing(self.context) or self._not_permitted() or self._out_of_date(response)

    def confirm(self) -> None:
        """Look once more after a wait. Raises `HeadMoved`, or `Refused` with the reason."""
        refusal = self._out_of_date(self._response)
        if refusal is not None:
            raise Refused(refusal.reason, refusal.code)

    def publish(self, outcome: Outcome) -> None:
        """Write the status and react to the comment, unless another run does."""
        self.outcome = outcome
        self._api.last_words()
        if self._is_quiet(outcome) or self._is_told(outcome):
            self._status.forget()
            return
        self._status.write(self.render(outcome), outcome.head or self.context.pull.head.commit)
        self._status.react(outcome)

    def render(self, outcome: Outcome, limit: int = LIMIT) -> str:
        """The text of the status, at most `limit` characters."""
        return status(
            outcome,
            self._links,
            limit=limit,
            version=self._version,
            branch=self.context.branch,
            # what GITHUB_TOKEN commits starts no workflow
            checks_wait=self.context.viewer.login == WORKFLOW_LOGIN,
        )

    def _is_quiet(self, outcome: Outcome) -> bool:
        """Whether another run of the same event says it, so that it is not said twice."""
        if outcome.unresolved is not None:
            return False
        if self._made is None and (outcome.written or self._rounds < 2):
            return False
        if self._made is not None:  # the run that made it was killed, or it is about to say so itself
            self._api.rest(MOMENT)
        context = self._look_around()
        told = commit_of(self._status.find(context.reviews), outcome.response)
        made = None if told else self._proven(context)
        self.done = told or (made.commit if made else None)
        return (told if self._made is not None else self.done) is not None

    def _is_told(self, outcome: Outcome) -> bool:
        """Look for a status of a run at the same time: a review cannot be deleted, and "applied" is the last word."""
        if outcome.written or self.review_id is not None:
            return False
        try:
            told = commit_of(self._status.look(), outcome.response)
        except ApiError:
            return False  # rather two than none
        self.done = told or self.done
        return told is not None

    def _proven(self, context: Context) -> Made | None:
        """The commit that was made of this response already; trailers and signatures alone prove nothing."""
        candidates = made_for(self._response, context.made)[:CANDIDATES]
        known = self._made.commit if self._made else None
        return next((m for m in candidates if m.commit == known or self._proves(context, m, self._response)), None)

    # who may

    def _not_permitted(self) -> Refusal | None:
        author, least = self._task.author, self._settings.permission
        if self._task.is_bot:
            reason = f"{author} is a bot, and bots' blocks are only checked; somebody with {least} access may post them"
            return Refusal(ReasonCode.NOT_PERMITTED, reason)
        if self._task.via_app:
            reason = f"{author} wrote through an app, and such blocks are only checked; post them without the app"
            return Refusal(ReasonCode.NOT_PERMITTED, reason)
        path = f"/repos/{self._task.repository}/collaborators/{quote(author)}/permission"
        try:
            role = self._api.get(path, "reading a permission", lambda answer: _role(answer, self._task.author_id))
        except ApiError:  # fail closed: whatever went wrong, nobody said yes
            reason = f"GitHub did not say what access {author} has; run the job again"
            return Refusal(ReasonCode.NOT_PERMITTED, reason)
        if role in ROLES[self._settings.permission]:
            return None
        reason = f"{author} has {role} access, applying needs {least}; somebody who has it may post the blocks"
        return Refusal(ReasonCode.NOT_PERMITTED, reason)

    # what is still true

    def _out_of_date(self, response: Response) -> Refusal | None:
        try:
            live = self._look_until(lambda head: head == self._planned or head.commit not in self.context.older)
        except ApiError as error:
            if error.trouble is Trouble.MISSING:
                return Refusal(ReasonCode.SOURCE_EDITED, "the comment cannot be found any more; post the blocks again")
            raise
        pull = live.pull
        if not pull.is_open or pull.is_queued:
            what = "in the merge queue" if pull.is_open else "not open any more"
            return Refusal(ReasonCode.CLOSED, f"the pull request is {what}, nothing was committed")
        if live.body is None or Response(live.body, response.source).digest != response.digest:
            return Refusal(ReasonCode.SOURCE_EDITED, "the comment changed after the check; post the blocks again")
        if pull.base != self.context.pull.base:
            reason = "the pull request was given another base during the run; post the blocks again"
            return Refusal(ReasonCode.HEAD_MOVED, reason)
        if pull.head != self._planned:
            self._fresh = pull.head
            raise HeadMoved(f"the branch is at {pull.head.commit[:7]} now; plan again")
        return None

    def _look_until(self, is_news: Callable[[Head], bool]) -> Live:
        """Look at the pull request; reads lag behind writes, so a head that was seen before is not believed at once."""
        live = self._look()
        for _ in range(STALE_READS - 1):
            if is_news(live.pull.head):
                break
            self._api.rest(1.0)
            live = self._look()
        return live

    # looking

    def _look_around(self) -> Context:
        def pick(data: Any) -> Context:
            return context_from(data, self._no_reply)

        try:
            context = self._steadily(CONTEXT, {"source": self._task.node_id}, pick)
        except ApiError as error:
            if error.trouble is not Trouble.MISSING:
                raise
            context = self._steadily(CONTEXT_ALONE, {}, pick)  # if only the comment is gone, the last look says so
        self._expect(context.repository_id)
        return context

    def _look(self) -> Live:
        live = self._steadily(LIVE, {"source": self._task.node_id}, live_from)
        self._expect(live.repository_id)
        return live

    def _expect(self, repository_id: int) -> None:
        if repository_id != self._task.repository_id:
            raise RepoError(f"{self._task.repository} is not the repository of the event any more; nothing was done")

    def _steadily(self, query: str, variables: Mapping[str, object], pick: Callable[[Any], T]) -> T:
        """Ask until the answer fits together: a new head may be shown before its tree is."""
        owner, _, name = self._task.repository.partition("/")
        variables = {"owner": owner, "name": name, "number": self._task.number, **variables}
        for _ in range(STALE_READS - 1):
            try:
                return self._api.query(query, variables, "reading the pull request", pick)
            except ApiError as error:
                if error.trouble is not Trouble.BROKEN:
                    raise
            self._api.rest(1.0)
        return self._api.query(query, variables, "reading the pull request", pick)


def _role(answer: Any, author_id: int) -> str:
    """The role in an answer: `permission` knows maintain as write and triage as read, `role_name` is more exact."""
    if answer["user"]["id"] != author_id:
        raise ValueError("the login belongs to somebody else now")
    permission, role = answer["permission"], answer.get("role_name")
    if permission in {"admin", "none"}:
        return str(permission)
    exact = {"write": {"write", "maintain"}, "read": {"read", "triage"}}[permission]
    return str(role) if role in exact else str(permission)
