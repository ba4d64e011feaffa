"""Decide what a webhook event asks for, without a request to GitHub.

Rules: docs/reference/action.md, "events" and "who may apply".
The permission that counts is that of the text's author: never that of the account which the run is attributed to, and
never `author_association`, which is no proof of write access.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

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
_ACTIVITIES = {
    "issue_comment": {"created"},
    "pull_request_review": {"submitted"},
    "pull_request_review_comment": {"created"},
    "pull_request": {"opened", "synchronize", "reopened"},
}
_KINDS = {"issue_comment": COMMENT, "pull_request_review": REVIEW, "pull_request_review_comment": REPLY}


class Author(NamedTuple):
    """An account. `via_app`: an app posted the text in a person's name."""

    login: str
    id: int
    is_bot: bool
    via_app: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A text on a pull request. Ids are GitHub's numbers, `node_id` is its GraphQL id; times are ISO 8601, UTC.

    A reply in a review thread has the thread's file (`path`), the commit that the thread began on (`base`) and the id
    of the thread's first comment (`thread`).
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
    is_edited: bool = False  # only set from REST answers and payloads

    @property
    def source(self) -> str:
        """Its id in markers and addresses, such as `issuecomment-2048812345`."""
        return f"{PREFIXES[self.kind]}{self.id}"


@dataclass(frozen=True, slots=True)
class Task:
    """What one event is about: a comment on a pull request, or the response files of a branch.

    Without a comment, `author` is the account that caused the event. `number` is the pull request's, None after a push
    of `branch`.
    """

    event: str
    repository: str  # owner/name
    repository_id: int
    number: int | None
    author: Author
    comment: Comment | None = None
    branch: str | None = None
    is_push: bool = False  # the event shows that its author may push: they pushed, or opened their own pull request

    @property
    def only_reads_on_forks(self) -> bool:
        """Whether this event's run gets a read-only token on a fork's pull request, whatever the workflow says.

        https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
        """
        return self.event in {"pull_request", "pull_request_review", "pull_request_review_comment"}


class Replay(NamedTuple):
    """A comment to handle again: `workflow_dispatch` with the numbers of the pull request and the comment."""

    repository: str
    repository_id: int
    number: int
    comment: int


def decide(event: str, payload: object, replay: tuple[str, str] = ("", "")) -> Task | Replay | None:
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


def holds_blocks(body: str) -> bool:
    """Whether a text holds blocks, readable or broken; a broken diff does not count, as people paste diffs to show."""
    parsed = parse_response(body)
    return bool(parsed.blocks or any(problem.format != UNIFIED for problem in parsed.problems))


def comment_from(answer: Any, kind: str) -> Comment:
    """Read a comment of a payload or a REST answer. Raises `KeyError`, `TypeError` or `ValueError`."""
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


def _on_pull(event: str, payload: Any) -> Task | None:
    """Return the task of a comment, or of the response files of a pull request.

    Every submitted review is a task: its inline comments, which the payload lacks, may hold blocks. Of these, only
    replies have a task of their own. On a closed pull request only a command counts, which still gets an answer.
    """
    issue = payload["issue" if event == "issue_comment" else "pull_request"]
    is_elsewhere = event == "issue_comment" and "pull_request" not in issue
    if payload["action"] not in _ACTIVITIES[event] or is_elsewhere:
        return None
    (name, repository), number = _repository(payload), int(issue["number"])
    if event == "pull_request":
        sender = _author(payload["sender"])
        is_opener = payload["action"] == "opened" and issue["user"] is not None and issue["user"]["id"] == sender.id
        is_push = payload["action"] == "synchronize" or is_opener
        return Task(event, name, repository, number, sender, is_push=is_push) if issue["state"] == "open" else None
    kind = _KINDS[event]
    comment = comment_from(payload["review" if kind == REVIEW else "comment"], kind)
    may_ask = is_command_like(comment.body) or (
        issue["state"] == "open" and (kind == REVIEW or holds_blocks(comment.body))
    )
    if not may_ask or comment.body.startswith(OUR_MARKER) or (kind == REPLY and not comment.thread):
        return None
    return Task(event, name, repository, number, comment.author, comment)


def _push(payload: Any) -> Task | None:
    ref = _text(payload["ref"])
    if payload["deleted"] or not ref.startswith(_BRANCH):
        return None
    name, number = _repository(payload)
    author, branch = _author(payload["sender"]), ref.removeprefix(_BRANCH)
    return Task("push", name, number, None, author, branch=branch, is_push=True)


def _replay(payload: Any, replay: tuple[str, str]) -> Replay | None:
    if not any(replay):
        return None
    if not all(replay):
        missing = "comment-id" if replay[0] else "pr-number"
        raise ConfigError(f"the input {missing} is missing; a comment is found by pr-number and comment-id together")
    name, number = _repository(payload)
    return Replay(name, number, *map(int, replay))


def _repository(payload: Any) -> tuple[str, int]:
    repository = payload["repository"]
    return _matching(_REPOSITORY, repository["full_name"]), int(repository["id"])


def _author(user: Any, app: object = None) -> Author:
    user = user or {"login": "ghost", "id": 0, "type": "Bot"}  # a deleted account; as a bot it may apply nothing
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
