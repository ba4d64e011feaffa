"""The webhook events of pull requests, their comments and reviews, of pushes, and of workflows started by hand.

For a new event, add a function.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from support.hub.model import Comment, Event, PullRequest, Repository, Review, ReviewComment, User
from support.hub.payloads import checked, example, pull_request, user, written
from support.hub.shapes import association
from support.hub.store import ZERO, Commit
from support.hub.world import World, iso

Json = dict[str, Any]
API = "https://api.github.com"


def issue_comment(
    world: World, pull: PullRequest, comment: Comment, action: str = "created", api_url: str = API
) -> Event:
    """The event of a comment on a pull request. It has `issue.pull_request`, but neither ref nor SHA of the head.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
    """
    repo = pull.repository
    payload = example("issue_comment", action, repo, api_url)
    pull_url = f"https://github.com/{repo.full_name}/pull/{pull.number}"
    payload["issue"] |= {
        "id": pull.id,
        "node_id": pull.node_id,
        "number": pull.number,
        "title": pull.title,
        "user": user(payload, pull.author),
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
    payload["comment"] |= written(world, payload, pull, comment) | {
        "node_id": comment.node_id,
        "url": f"{api_url}/repos/{repo.full_name}/issues/comments/{comment.id}",
        "html_url": f"{pull_url}#issuecomment-{comment.id}",
        "issue_url": f"{api_url}/repos/{repo.full_name}/issues/{pull.number}",
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "performed_via_github_app": _app(payload, comment) if comment.app else None,
    }
    payload["sender"] = user(payload, comment.author)
    return checked("issue_comment", payload, repo)


def on_plain_issue(event: Event) -> Event:
    """The event of the same comment, but on an issue that is not a pull request."""
    payload = json.loads(json.dumps(event.payload))
    del payload["issue"]["pull_request"]
    return checked(event.name, payload, event.repository)


def _app(payload: Json, comment: Comment) -> Json:
    """The app with which a comment was written: `https://docs.github.com/en/rest/apps/apps#get-an-app`."""
    return {
        "id": 1,
        "slug": comment.app,
        "node_id": "A_1",
        "owner": user(payload, comment.author),
        "name": comment.app,
        "description": None,
        "external_url": "https://example.com",
        "html_url": f"https://github.com/apps/{comment.app}",
        "created_at": comment.created_at,
        "updated_at": comment.created_at,
    }


def review(world: World, pull: PullRequest, item: Review, api_url: str = API) -> Event:
    """The event of a submitted review, without its inline comments. A review without text has the body null.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review
    """
    payload = example("pull_request_review", "submitted", pull.repository, api_url)
    pull_api, html = _addresses(pull, api_url, f"pullrequestreview-{item.id}")
    payload["review"] |= written(world, payload, pull, item) | {
        "node_id": item.node_id,
        "body": item.body or None,
        "commit_id": item.commit_id,
        "submitted_at": item.created_at,
        "state": item.state.lower(),
        "html_url": html,
        "pull_request_url": pull_api,
        "_links": {"html": {"href": html}, "pull_request": {"href": pull_api}},
    }
    return _on_pull(world, "pull_request_review", payload, pull, item.author)


def review_comment(
    world: World, pull: PullRequest, item: ReviewComment, action: str = "created", api_url: str = API
) -> Event:
    """The event of a comment on a line, or of an answer in a thread (`in_reply_to_id`).

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_comment
    """
    payload = example("pull_request_review_comment", action, pull.repository, api_url)
    pull_api, html = _addresses(pull, api_url, f"discussion_r{item.id}")
    url = f"{pull_api.partition('/pulls/')[0]}/pulls/comments/{item.id}"
    payload["comment"] |= written(world, payload, pull, item) | {
        "node_id": item.node_id,
        "pull_request_review_id": item.review_id,
        "path": item.path,
        "diff_hunk": item.diff_hunk,
        "commit_id": item.commit_id,
        "original_commit_id": item.original_commit_id,
        "line": item.line,
        "original_line": item.original_line,
        "position": None if item.line is None else 1,
        "side": item.side,
        "start_line": item.start_line,
        "original_start_line": item.start_line,
        "start_side": item.side if item.start_line else None,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
        "url": url,
        "html_url": html,
        "pull_request_url": pull_api,
        "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull_api}},
    }
    payload["comment"]["reactions"]["url"] = f"{url}/reactions"
    payload["comment"].pop("in_reply_to_id", None)
    if item.in_reply_to:
        payload["comment"]["in_reply_to_id"] = item.in_reply_to
    return _on_pull(world, "pull_request_review_comment", payload, pull, item.author)


def pull_request_event(
    world: World, pull: PullRequest, action: str, sender: User, before: str | None = None, *, api_url: str = API
) -> Event:
    """The event of a pull request that was `opened`, `synchronize`d (`before` is the former head) or `reopened`.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
    """
    # There is no example of `reopened`. By its schema it is `opened` with another action.
    payload = example("pull_request", "opened" if action == "reopened" else action, pull.repository, api_url)
    payload |= {"action": action, "number": pull.number}
    if action == "synchronize":
        payload |= {"before": before or ZERO, "after": world.head(pull)}
    return _on_pull(world, "pull_request", payload, pull, sender)


def push(world: World, repo: Repository, branch: str, before: str | None, sender: User, *, api_url: str = API) -> Event:
    """The event of a branch that was created, moved or deleted. `before` is its former commit, None if it is new.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#push: at most 2048 commits
    """
    payload = example("push", "event", repo, api_url)
    after, old = world.branch(branch, repo), before or ZERO
    pushed = _pushed(world, repo, branch, before, after)[-2048:]
    html = f"https://github.com/{repo.full_name}"
    head = world.store.commit(after) if after else None
    payload |= {
        "ref": f"refs/heads/{branch}",
        "before": old,
        "after": after or ZERO,
        "created": before is None,
        "deleted": after is None,
        "forced": bool(before and after and not world.contains(before, after)),
        "base_ref": None,
        "compare": f"{html}/compare/{old[:12]}...{(after or ZERO)[:12]}",
        "commits": [_commit(world, repo, each) for each in pushed],
        "head_commit": _commit(world, repo, head) if head else None,
        "pusher": {"name": sender.login, "email": sender.email},
        "sender": user(payload, sender),
    }
    return checked("push", payload, repo)


def workflow_dispatch(
    repo: Repository, sender: User, ref: str, inputs: Mapping[str, str], workflow: str, *, api_url: str = API
) -> Event:
    """The event of a workflow that somebody started by hand.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_dispatch
    """
    payload = example("workflow_dispatch", "event", repo, api_url)
    payload |= {"inputs": dict(inputs), "ref": ref, "workflow": workflow, "sender": user(payload, sender)}
    return checked("workflow_dispatch", payload, repo)


def _on_pull(world: World, name: str, payload: Json, pull: PullRequest, sender: User) -> Event:
    """https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories"""
    payload["pull_request"] = pull_request(world, payload, pull)
    payload["sender"] = user(payload, sender)
    return checked(name, payload, pull.repository, reads_only=pull.is_fork)


def _addresses(pull: PullRequest, api_url: str, fragment: str) -> tuple[str, str]:
    """The URL of a pull request in the API, and the URL of a comment on its page."""
    name, number = pull.repository.full_name, pull.number
    return f"{api_url}/repos/{name}/pulls/{number}", f"https://github.com/{name}/pull/{number}#{fragment}"


def _pushed(world: World, repo: Repository, branch: str, before: str | None, after: str | None) -> Sequence[Commit]:
    """The commits of a push. For a new branch, these are the commits that are not in the default branch."""
    base = before or (world.branch(repo.default_branch, repo) if branch != repo.default_branch else None)
    if after is None:
        return ()
    return world.store.history(base, after) if base else [each for each in (world.store.commit(after),) if each]


def _commit(world: World, repo: Repository, item: Commit) -> Json:
    """A pushed commit: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push, `commits`"""
    changed = world.store.diff(item.parents[0], item.oid) if item.parents else []
    people = {name: {"name": who.name, "email": who.email} for name, who in
              (("author", item.author), ("committer", item.committer))}  # fmt: skip
    return {
        "id": item.oid,
        "tree_id": item.tree,
        "distinct": True,
        "message": item.message,
        "timestamp": iso(item.committer.date),
        "url": f"https://github.com/{repo.full_name}/commit/{item.oid}",
        **people,
        "added": [each.path for each in changed if each.status == "A"],
        "removed": [each.path for each in changed if each.status == "D"],
        "modified": [each.path for each in changed if each.status not in "AD"],
    }
