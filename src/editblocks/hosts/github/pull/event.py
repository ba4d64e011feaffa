"""What a webhook event asks for, decided without a request.

Rules: docs/reference/action.md, "events" and "who may apply".

The authority is the author of the text, never the account that a run is attributed to, and never
`author_association`, which a payload may hold for anyone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from editblocks.core.errors import ConfigError, RepoError
from editblocks.hosts.github.pull.commands import is_command_like
from editblocks.parsing.parse import parse_response
from editblocks.parsing.patches import UNIFIED

OUR_MARKER = "<!-- editblocks:"
REPLAY = "workflow_dispatch"
COMMENT, REVIEW, REPLY = "comment", "review", "review-comment"  # kinds of comments, in the words of the results' schema
PREFIXES = {COMMENT: "issuecomment-", REVIEW: "pullrequestreview-", REPLY: "discussion_r"}

_REPOSITORY = re.compile(r"(?!\.\.?/)[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}", re.ASCII)
_LOGIN = re.compile(r"[A-Za-z0-9_-]{1,100}(?:\[bot\])?", re.ASCII)
_OID = re.compile("[0-9a-f]{40}")
_BRANCH = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Author:
    """An account. `via_app`: a person's words, put there by an app."""

    login: str
    id: int
    is_bot: bool
    via_app: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A text on a pull request. Ids are GitHub's numbers, `node_id` is its GraphQL id; times are ISO 8601, UTC.

    A reply in a review thread has the thread's file and the commit it was begun on, and the first comment's id.
    """

    kind: str
    id: int
    node_id: str
    author: Author
    body: str
    created_at: str
    path: str | None = None
    base: str | None = None
    thread: int | None = None
    is_edited: bool = False  # known of REST answers only

    @property
    def source(self) -> str:
        """Its name in markers and addresses."""
        return f"{PREFIXES[self.kind]}{self.id}"


@dataclass(frozen=True, slots=True)
class Task:
    """What one event is about: a comment on a pull request, or the response files of a branch.

    Without a comment, `author` is who pushed. `number` is the pull request's, None after a push; `branch` and `head`
    are those of the push.
    """

    event: str
    repository: str  # owner/name
    repository_id: int
    number: int | None
    author: Author
    comment: Comment | None = None
    branch: str | None = None
    head: str | None = None
    is_push: bool = False  # the event shows that its author may push: they just did, or opened what they had pushed

    @property
    def only_reads_on_forks(self) -> bool:
        """Whether a run for a pull request from a fork gets a token that cannot write, whatever the workflow says.



        https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
        """
        return self.event in {"pull_request", "pull_request_review", "pull_request_review_comment"}


@dataclass(frozen=True, slots=True)
class Replay:
    """A comment that is to be looked at again: `workflow_dispatch` with two numbers."""

    repository: str
    repository_id: int
    number: int
    comment: int


def decide(event: str, payload: object, replay: tuple[str, str] = ("", "")) -> Task | Replay | None:
    """The task of an event, None if there is nothing to do. `replay`: the inputs pr-number and comment-id.

    Raises `RepoError` if the payload is not one of that event, `ConfigError` for one input without the other.
    """
    if event == "pull_request_target":
        raise RepoError("the event pull_request_target runs foreign code with a write token; use issue_comment")
    if event not in _READERS and event != REPLAY:
        return None
    try:
        return _replay(payload, replay) if event == REPLAY else _READERS[event](payload)
    except (KeyError, TypeError, ValueError, OverflowError) as error:  # JSON in Python knows Infinity
        raise RepoError(f"the event file is no {event} payload ({error}); let the runner write it") from None


def holds_blocks(body: str) -> bool:
    """Whether a text asks for anything, in a way that can be read or not; people paste diffs to show something."""
    parsed = parse_response(body)
    return bool(parsed.blocks or any(problem.format != UNIFIED for problem in parsed.problems))


def comment_from(answer: Any, kind: str) -> Comment:
    """A comment as payloads and REST answers have it. Raises `KeyError`, `TypeError` or `ValueError`."""
    base = answer.get("original_commit_id")
    return Comment(
        kind=kind,
        id=int(answer["id"]),
        node_id=_text(answer["node_id"]),
        author=_author(answer["user"], answer.get("performed_via_github_app")),
        body=_text(answer["body"] or "" if kind == REVIEW else answer["body"]),
        created_at=_text(answer["submitted_at" if kind == REVIEW else "created_at"]),
        path=answer.get("path"),
        base=base if isinstance(base, str) and _OID.fullmatch(base) else None,
        thread=answer.get("in_reply_to_id"),
        is_edited=kind != REVIEW and answer.get("updated_at") != answer.get("created_at"),
    )


def _comment(payload: Any) -> Task | None:
    issue = payload["issue"]
    if payload["action"] != "created" or "pull_request" not in issue:
        return None
    return _on_pull("issue_comment", payload, issue, comment_from(payload["comment"], COMMENT))


def _review(payload: Any) -> Task | None:
    """A review always is a task: its inline comments, which are not in the payload, may hold blocks."""
    pull = payload["pull_request"]
    if payload["action"] != "submitted":
        return None
    return _on_pull("pull_request_review", payload, pull, comment_from(payload["review"], REVIEW))


def _reply(payload: Any) -> Task | None:
    """Only a reply: a comment that begins a thread belongs to its review, which has an event of its own."""
    pull, comment = payload["pull_request"], payload["comment"]
    if payload["action"] != "created" or not comment.get("in_reply_to_id"):
        return None
    return _on_pull("pull_request_review_comment", payload, pull, comment_from(comment, REPLY))


def _on_pull(event: str, payload: Any, pull: Any, comment: Comment) -> Task | None:
    """On a pull request that is over, a command is still answered, and blocks are not."""
    body = comment.body
    if body.startswith(OUR_MARKER) or not (is_command_like(body) or (pull["state"] == "open" and _may_ask(comment))):
        return None
    name, number = _repository(payload)
    return Task(event, name, number, int(pull["number"]), comment.author, comment)


def _may_ask(comment: Comment) -> bool:
    return comment.kind == REVIEW or holds_blocks(comment.body)


def _pull_request(payload: Any) -> Task | None:
    pull = payload["pull_request"]
    if payload["action"] not in {"opened", "synchronize", "reopened"} or pull["state"] != "open":
        return None
    name, number = _repository(payload)
    sender = _author(payload["sender"])
    is_opener = payload["action"] == "opened" and pull["user"] is not None and pull["user"]["id"] == sender.id
    is_push = payload["action"] == "synchronize" or is_opener
    return Task("pull_request", name, number, int(pull["number"]), sender, is_push=is_push)


def _push(payload: Any) -> Task | None:
    ref = _text(payload["ref"])
    if payload["deleted"] or not ref.startswith(_BRANCH):
        return None
    name, number = _repository(payload)
    author, head = _author(payload["sender"]), _matching(_OID, payload["after"])
    return Task("push", name, number, None, author, branch=ref.removeprefix(_BRANCH), head=head, is_push=True)


def _replay(payload: Any, replay: tuple[str, str]) -> Replay | None:
    if not any(replay):
        return None
    if not all(replay):
        missing = "comment-id" if replay[0] else "pr-number"
        raise ConfigError(f"the input {missing} is missing; a comment is found by pr-number and comment-id together")
    name, number = _repository(payload)
    return Replay(name, number, *map(int, replay))


_READERS: Mapping[str, Callable[[Any], Task | None]] = {
    "issue_comment": _comment,
    "pull_request_review": _review,
    "pull_request_review_comment": _reply,
    "pull_request": _pull_request,
    "push": _push,
}


def _repository(payload: Any) -> tuple[str, int]:
    repository = payload["repository"]
    return _matching(_REPOSITORY, repository["full_name"]), int(repository["id"])


def _author(user: Any, app: object = None) -> Author:
    user = user or {"login": "ghost", "id": 0, "type": "Bot"}  # the account is gone: nobody's word
    return Author(_matching(_LOGIN, user["login"]), int(user["id"]), user["type"] != "User", app is not None)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def _matching(pattern: re.Pattern[str], value: object) -> str:
    text = _text(value)
    if not pattern.fullmatch(text):
        raise ValueError("a name that GitHub does not give")
    return text
