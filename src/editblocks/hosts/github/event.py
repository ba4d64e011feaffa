"""Decide what a webhook event asks for, without a request to GitHub.

Rules: docs/reference/action.md, "events" and "who may apply".
The permission that counts is that of the text's author: never that of the account which the run is attributed to, and
never `author_association`, which is no proof of write access.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from editblocks.core.errors import ConfigError, RepoError
from editblocks.hosts.github.commands import is_command_like
from editblocks.hosts.github.comment import (
    COMMENT,
    OUR_MARKER,
    REPLY,
    REVIEW,
    Author,
    Comment,
    author_from,
    comment_from,
    holds_blocks,
)
from editblocks.repos.github.answers import matching, text

REPLAY = "workflow_dispatch"
NOBODY = Author("ghost", 0, is_bot=True)

_REPOSITORY = re.compile(r"(?!\.\.?/)[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}", re.ASCII)
_BRANCH = "refs/heads/"
_ACTIVITIES = {
    "issue_comment": {"created"},
    "pull_request_review": {"submitted"},
    "pull_request_review_comment": {"created"},
    "pull_request": {"opened", "synchronize", "reopened"},
}
_KINDS = {"issue_comment": COMMENT, "pull_request_review": REVIEW, "pull_request_review_comment": REPLY}


@dataclass(frozen=True, slots=True)
class Task:
    """What one event is about: a comment on a pull request, or the response files of a branch.

    Without a comment, `author` is the account that caused the event. `number` is the pull request's, None after a push
    of `branch`. `replay` is the number of a comment that is to be handled again, and still to be read.
    """

    event: str
    repository: str  # owner/name
    repository_id: int
    number: int | None
    author: Author
    comment: Comment | None = None
    branch: str | None = None
    is_push: bool = False  # the event shows that its author may push: they pushed, or opened their own pull request
    replay: int | None = None

    @property
    def only_reads_on_forks(self) -> bool:
        """Whether this event's run gets a read-only token on a fork's pull request, whatever the workflow says.

        https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
        """
        return self.event in {"pull_request", "pull_request_review", "pull_request_review_comment"}


def decide(event: str, payload: object, replay: tuple[str, str] = ("", "")) -> Task | None:
    """Return the task of an event, None if there is nothing to do. `replay`: the inputs pr-number and comment-id.

    Raises `RepoError` if the payload does not fit the event, or for `pull_request_target`; `ConfigError` for one input
    without the other.
    """
    if event == "pull_request_target":
        raise RepoError("the event pull_request_target runs foreign code with a write token; use issue_comment")
    try:
        if event == REPLAY:
            return _replay(payload, replay)
        if event == "push":
            return _push(payload)
        return _on_pull(event, payload) if event in _ACTIVITIES else None
    except (KeyError, TypeError, ValueError, OverflowError) as error:  # int() of JSON's Infinity
        raise RepoError(f"the event file is no {event} payload ({error}); let the runner write it") from None


def _on_pull(event: str, payload: Any) -> Task | None:
    """Return the task of a comment, or of the response files of a pull request.

    Every submitted review is a task: its inline comments, which the payload lacks, may hold blocks. Of these, only
    replies have a task of their own. On a closed pull request only a command counts, which still gets an answer.
    """
    issue = payload["issue" if event == "issue_comment" else "pull_request"]
    is_elsewhere = event == "issue_comment" and "pull_request" not in issue
    if payload["action"] not in _ACTIVITIES[event] or is_elsewhere:
        return None
    (name, repository), number, is_open = _repository(payload), int(issue["number"]), issue["state"] == "open"
    if event == "pull_request":
        sender = author_from(payload["sender"])
        is_opener = payload["action"] == "opened" and issue["user"] is not None and issue["user"]["id"] == sender.id
        is_push = payload["action"] == "synchronize" or is_opener
        return Task(event, name, repository, number, sender, is_push=is_push) if is_open else None
    kind = _KINDS[event]
    comment = comment_from(payload["review" if kind == REVIEW else "comment"], kind)
    may_ask = is_command_like(comment.body) or (is_open and (kind == REVIEW or holds_blocks(comment.body)))
    if not may_ask or comment.body.startswith(OUR_MARKER) or (kind == REPLY and not comment.thread):
        return None
    return Task(event, name, repository, number, comment.author, comment)


def _push(payload: Any) -> Task | None:
    ref = text(payload["ref"])
    if payload["deleted"] or not ref.startswith(_BRANCH):
        return None
    name, number = _repository(payload)
    branch = ref.removeprefix(_BRANCH)
    return Task("push", name, number, None, author_from(payload["sender"]), branch=branch, is_push=True)


def _replay(payload: Any, replay: tuple[str, str]) -> Task | None:
    if not any(replay):
        return None
    if not all(replay):
        missing = "comment-id" if replay[0] else "pr-number"
        raise ConfigError(f"the input {missing} is missing; a comment is found by pr-number and comment-id together")
    name, repository = _repository(payload)
    return Task(REPLAY, name, repository, int(replay[0]), NOBODY, replay=int(replay[1]))


def _repository(payload: Any) -> tuple[str, int]:
    repository = payload["repository"]
    return matching(_REPOSITORY, repository["full_name"]), int(repository["id"])
