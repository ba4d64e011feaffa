"""Build webhook payloads: start from an official example, put in the world's values, check the official schema."""

import json
import re
from typing import Any
from urllib.parse import quote

from support.hub import oas
from support.hub.model import Event, PullRequest, Remark, Repository, User
from support.hub.shapes import association
from support.hub.store import ZERO
from support.hub.world import World

Json = dict[str, Any]
EXAMPLE = re.compile(r"(?:Codertocat/Hello-World|octo-org/octo-repo)\b")  # the repositories in the examples
OWNER = "Codertocat"


def example(name: str, action: str, repo: Repository, api_url: str) -> Json:
    """An official example payload, with `repo` in place of the example's repository."""
    text = oas.webhook_example_text(name, action).replace("https://api.github.com", api_url)
    text = EXAMPLE.sub(repo.full_name, text).replace(OWNER, repo.owner.login)
    payload: Json = json.loads(text)
    for absent in ("organization", "installation"):
        payload.pop(absent, None)
    payload["repository"] = repository(payload, repo, payload["repository"])
    return payload


def repository(payload: Json, repo: Repository, shape: Json) -> Json:
    """A repository as JSON, with the fields that the example `shape` has."""
    old = shape["full_name"]
    moved: Json = json.loads(json.dumps(shape).replace(old, repo.full_name))
    return moved | {
        "id": repo.id,
        "node_id": repo.node_id,
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": user(payload, repo.owner),
        "private": repo.private,
        "fork": repo.parent is not None,
        "archived": repo.archived,
        "default_branch": repo.default_branch,
    }


def user(payload: Json, who: User) -> Json:
    """A user as JSON, with the fields that the sender of the example has."""
    sender: Json = payload["sender"]
    moved: Json = json.loads(json.dumps(sender).replace(sender["login"], quote(who.login)))
    return moved | {"login": who.login, "id": who.id, "node_id": who.node_id, "type": who.type}


def pull_request(world: World, payload: Json, pull: PullRequest) -> Json:
    """A pull request as JSON, with the fields that the example of this event has. Each event has different ones."""
    shape: Json = payload["pull_request"]
    shape = json.loads(re.sub(rf"/(pulls?|issues)/{shape['number']}\b", rf"/\1/{pull.number}", json.dumps(shape)))
    repo, head, is_open = pull.repository, world.head(pull), pull.state == "open"
    known = {
        "id": pull.id,
        "node_id": pull.node_id,
        "number": pull.number,
        "title": pull.title,
        "body": None,
        "user": user(payload, pull.author),
        "state": "open" if is_open else "closed",
        "created_at": pull.created_at,
        "updated_at": pull.created_at,
        "closed_at": None if is_open else pull.created_at,
        "merged": pull.state == "merged",
        "merged_at": pull.created_at if pull.state == "merged" else None,
        "merged_by": user(payload, repo.owner) if pull.state == "merged" else None,
        "merge_commit_sha": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "labels": [],
        "comments": len(pull.comments),
        "review_comments": len(pull.review_comments),
        "author_association": association(world, repo, pull.author),
        "statuses_url": f"{shape['url'].partition('/pulls/')[0]}/statuses/{head}",
        "head": _side(payload, pull.head_repository, pull.head_ref, head, pull.author),
        "base": _side(payload, repo, pull.base_ref, world.branch(pull.base_ref, repo) or ZERO, repo.owner),
    }
    return shape | {name: value for name, value in known.items() if name in shape}


def _side(payload: Json, repo: Repository | None, ref: str, oid: str, author: User) -> Json:
    """The `head` or `base` of a pull request. If the fork was deleted, the head has no repository."""
    owner = repo.owner if repo else author
    shape: Json = payload["pull_request"]["base"]["repo"]
    there = repository(payload, repo, shape) if repo else None
    return {"label": f"{owner.login}:{ref}", "ref": ref, "sha": oid, "user": user(payload, owner), "repo": there}


def written(world: World, payload: Json, pull: PullRequest, item: Remark) -> Json:
    """The fields of every comment and review: id, author, body (byte for byte) and association."""
    return {
        "id": item.id,
        "user": user(payload, item.author),
        "body": item.body,
        "author_association": association(world, pull.repository, item.author),
    }


def checked(name: str, payload: Json, repo: Repository, **more: Any) -> Event:
    """Return the event. Asserts that its payload follows GitHub's schema. `more` are other fields of `Event`."""
    problems = oas.webhook_problems(name, payload)
    assert not problems, problems
    return Event(name, payload, repo, **more)
