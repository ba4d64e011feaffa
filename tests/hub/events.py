"""Webhook payloads: official examples, moved into the world and held to the official schemas.

An event that is not asked for yet is one more function here.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from hub import oas
from hub.model import Comment, Event, PullRequest, Repository, User
from hub.shapes import association
from hub.world import World

Json = dict[str, Any]
EXAMPLE = ("Codertocat/Hello-World", "Codertocat")  # whom the examples are about


def issue_comment(
    world: World, pull: PullRequest, comment: Comment, action: str = "created", api_url: str = "https://api.github.com"
) -> Event:
    """Somebody wrote a comment on a pull request: no head ref, no head SHA, and `issue.pull_request`.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
    """
    repo = pull.repository
    payload = _example("issue_comment", action, repo, api_url)
    pull_url = f"https://github.com/{repo.full_name}/pull/{pull.number}"
    payload["issue"] |= {
        "id": pull.id,
        "node_id": pull.node_id,
        "number": pull.number,
        "title": pull.title,
        "user": _user(payload, pull.author),
        "state": "open" if pull.state == "open" else "closed",
        "html_url": pull_url,
        "url": f"{api_url}/repos/{repo.full_name}/issues/{pull.number}",
        "labels": [],
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(pull.comments),
        "author_association": association(world, repo, pull.author),
        "pull_request": {
            "url": f"{api_url}/repos/{repo.full_name}/pulls/{pull.number}",
            "html_url": pull_url,
            "diff_url": f"{pull_url}.diff",
            "patch_url": f"{pull_url}.patch",
        },
    }
    payload["comment"] |= {
        "id": comment.id,
        "node_id": comment.node_id,
        "url": f"{api_url}/repos/{repo.full_name}/issues/comments/{comment.id}",
        "html_url": f"{pull_url}#issuecomment-{comment.id}",
        "issue_url": f"{api_url}/repos/{repo.full_name}/issues/{pull.number}",
        "user": _user(payload, comment.author),
        "body": comment.body,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "author_association": association(world, repo, comment.author),
        "performed_via_github_app": _app(payload, comment) if comment.app else None,
    }
    payload["sender"] = _user(payload, comment.author)
    return _checked("issue_comment", payload, repo)


def on_plain_issue(event: Event) -> Event:
    """The same comment on an issue that is no pull request."""
    payload = json.loads(json.dumps(event.payload))
    del payload["issue"]["pull_request"]
    return _checked(event.name, payload, event.repository)


def _app(payload: Json, comment: Comment) -> Json:
    """The app through which somebody wrote: `https://docs.github.com/en/rest/apps/apps#get-an-app`."""
    return {
        "id": 1,
        "slug": comment.app,
        "node_id": "A_1",
        "owner": _user(payload, comment.author),
        "name": comment.app,
        "description": None,
        "external_url": "https://example.com",
        "html_url": f"https://github.com/apps/{comment.app}",
        "created_at": comment.created_at,
        "updated_at": comment.created_at,
    }


def _example(name: str, action: str, repo: Repository, api_url: str) -> Json:
    """An example with the repository of the world in place of the example's."""
    text = oas.webhook_example_text(name, action).replace("https://api.github.com", api_url)
    for old, new in zip(EXAMPLE, (repo.full_name, repo.owner.login), strict=True):
        text = text.replace(old, new)
    payload: Json = json.loads(text)
    for absent in ("organization", "installation"):
        payload.pop(absent, None)
    payload["repository"] |= {
        "id": repo.id,
        "node_id": repo.node_id,
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": _user(payload, repo.owner),
        "private": repo.private,
        "fork": repo.parent is not None,
        "default_branch": repo.default_branch,
    }
    return payload


def _user(payload: Json, who: User) -> Json:
    """A user, shaped like the sender of the example."""
    sender: Json = payload["sender"]
    moved: Json = json.loads(json.dumps(sender).replace(sender["login"], quote(who.login)))
    return moved | {"login": who.login, "id": who.id, "node_id": who.node_id, "type": who.type}


def _checked(name: str, payload: Json, repo: Repository) -> Event:
    problems = oas.webhook_problems(name, payload)
    assert not problems, problems
    return Event(name, payload, repo)
