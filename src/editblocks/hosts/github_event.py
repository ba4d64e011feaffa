"""What a webhook event asks for, decided without a request. Rules: docs/action.md, "who may apply".

The authority is the author of the comment, never the account that a run is attributed to, and never
`author_association`, which a payload may hold for anyone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from editblocks.errors import RepoError
from editblocks.outcome import Response, Source
from editblocks.parse import parse_response

OUR_MARKER = "<!-- editblocks:"

_REPOSITORY = re.compile(r"(?!\.\.?/)[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}", re.ASCII)
_LOGIN = re.compile(r"[A-Za-z0-9_-]{1,100}(?:\[bot\])?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Task:
    """One response on one pull request. Ids are GitHub's numbers, `node_id` is its GraphQL id of the comment."""

    repository: str  # owner/name
    repository_id: int
    number: int
    comment_id: int
    node_id: str
    author: str
    author_id: int
    is_bot: bool
    created_at: str  # ISO 8601, UTC
    response: Response
    via_app: bool = False  # a person's words, put there by an app


def decide(event: str, payload: object, server: str) -> Task | None:
    """The task of an event, None if there is nothing to do. `server` is GITHUB_SERVER_URL.

    Raises `RepoError` if the payload is not one of that event.
    """
    if event == "pull_request_target":
        raise RepoError("the event pull_request_target runs foreign code with a write token; use issue_comment")
    if event != "issue_comment":
        return None
    try:
        return _comment(payload, server)
    except (KeyError, TypeError, ValueError, OverflowError) as error:  # JSON in Python knows Infinity
        raise RepoError(f"the event file is no {event} payload ({error}); let the runner write it") from None


def _comment(payload: Any, server: str) -> Task | None:
    issue, comment, repository = payload["issue"], payload["comment"], payload["repository"]
    body = _text(comment["body"])
    if payload["action"] != "created" or "pull_request" not in issue or issue["state"] != "open":
        return None
    if body.startswith(OUR_MARKER) or not holds_blocks(body):
        return None
    name, number, comment_id = _matching(_REPOSITORY, repository["full_name"]), int(issue["number"]), int(comment["id"])
    user = comment["user"] or {"login": "ghost", "id": 0, "type": "Bot"}  # the account is gone: nobody's word
    author = _matching(_LOGIN, user["login"])
    uri = f"{server}/{name}/pull/{number}#issuecomment-{comment_id}"
    return Task(
        repository=name,
        repository_id=int(repository["id"]),
        number=number,
        comment_id=comment_id,
        node_id=_text(comment["node_id"]),
        author=author,
        author_id=int(user["id"]),
        is_bot=user["type"] != "User",
        via_app=comment.get("performed_via_github_app") is not None,
        created_at=_text(comment["created_at"]),
        response=Response(body, Source(f"issuecomment-{comment_id}", "comment", uri=uri, author=author)),
    )


def holds_blocks(body: str) -> bool:
    """Whether a text asks for anything, in a way that can be read or not."""
    parsed = parse_response(body)
    return bool(parsed.blocks or parsed.problems)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def _matching(pattern: re.Pattern[str], value: object) -> str:
    text = _text(value)
    if not pattern.fullmatch(text):
        raise ValueError("a name that GitHub does not give")
    return text
