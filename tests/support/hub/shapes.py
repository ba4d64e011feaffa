"""Turn the records of the world into GitHub's REST JSON: copies of official examples with the world's values.

Fields that are not set here keep the value of the example, so that they look like GitHub's. URLs in the examples are
replaced by those of the hub.
"""

import base64
import json
from typing import Any
from urllib.parse import quote

from support.hub import oas
from support.hub.answers import Call
from support.hub.model import (
    BASE_ROLE,
    Comment,
    PullRequest,
    Reaction,
    Remark,
    Repository,
    Review,
    ReviewComment,
    User,
)
from support.hub.rendering import html_of
from support.hub.store import Commit, FileDiff, GitObject, Person
from support.hub.world import World, iso

Json = dict[str, Any]
STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed", "C": "copied"}
FLAGS = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}
ROLES = ("none", "read", "triage", "write", "maintain", "admin")


def example(call: Call, name: str) -> Any:
    """A new copy of an official example, with the URLs of the hub and the name of the repository."""
    text = oas.example_text(name).replace("https://api.github.com", call.api_url)
    return json.loads(text.replace("https://github.com", call.html_url).replace("octocat/Hello-World", _name(call)))


def _name(call: Call) -> str:
    return call.repository.full_name if "repo" in call.params else "octocat/Hello-World"


def user(call: Call, who: User) -> Json:
    """A simple user."""
    shape: Json = json.loads(json.dumps(example(call, "issue-comment")["user"]).replace("octocat", quote(who.login)))
    return shape | {"login": who.login, "id": who.id, "node_id": who.node_id, "type": who.type}


def permission(call: Call, who: User, role: str) -> Json:
    """A user's permission: the legacy base role, the role's name, and the user with permission flags."""
    flags = {flag: ROLES.index(role) >= ROLES.index(least) for flag, least in FLAGS.items()}
    shape: Json = example(call, "repository-collaborator-permission-response-if-user-has-admin-permissions")
    person = user(call, who) | {"permissions": flags, "role_name": role}
    return shape | {"permission": BASE_ROLE[role], "role_name": role, "user": person}


def repository(call: Call, repo: Repository) -> Json:
    """A full repository."""
    shape: Json = example(call, "full-repository-default-response")
    for absent in ("parent", "source", "template_repository", "organization"):
        shape.pop(absent, None)
    shape = json.loads(json.dumps(shape).replace(_name(call), repo.full_name))
    return shape | {
        "id": repo.id,
        "node_id": repo.node_id,
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": user(call, repo.owner),
        "private": repo.private,
        "visibility": "private" if repo.private else "public",
        "fork": repo.parent is not None,
        "archived": repo.archived,
        "default_branch": repo.default_branch,
    }


def remark(call: Call, name: str, item: Remark) -> Json:
    """The common fields of comments and review comments. Bodies are unchanged, CR included.

    The media type may ask for HTML as well:
    https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types
    """
    shape: Json = example(call, name)
    for absent in ("body_html", "body_text"):
        shape.pop(absent, None)
    html = {"body_html": html_of(item), "body_text": ""} if call.media == "application/vnd.github.full+json" else {}
    return (
        shape
        | html
        | {
            "id": item.id,
            "user": user(call, item.author),
            "body": item.body,
            "created_at": item.created_at,
            "updated_at": item.updated_at,
        }
    )


def comment(call: Call, pull: PullRequest, item: Comment) -> Json:
    """An issue comment."""
    html = f"{call.html_url}/{call.repository.full_name}/pull/{pull.number}#issuecomment-{item.id}"
    return remark(call, "issue-comment", item) | {
        "node_id": item.node_id,
        "url": f"{call.repository_url}/issues/comments/{item.id}",
        "html_url": html,
        "issue_url": f"{call.repository_url}/issues/{pull.number}",
        "author_association": association(call.world, pull.repository, item.author),
    }


def association(world: World, repo: Repository, who: User) -> str:
    """The `author_association` of a user. It says nothing about what the user may do."""
    if who is repo.owner:
        return "OWNER"
    return "COLLABORATOR" if who.login in repo.roles else "NONE"


def review(call: Call, pull: PullRequest, item: Review) -> Json:
    """A submitted review."""
    api = f"{call.repository_url}/pulls/{pull.number}"
    html = f"{call.html_url}/{call.repository.full_name}/pull/{pull.number}#pullrequestreview-{item.id}"
    shape: Json = example(call, "pull-request-review")
    return shape | {
        "id": item.id,
        "node_id": item.node_id,
        "user": user(call, item.author),
        "body": item.body,
        "state": item.state,
        "html_url": html,
        "pull_request_url": api,
        "_links": {"html": {"href": html}, "pull_request": {"href": api}},
        "submitted_at": item.created_at,
        "commit_id": item.commit_id,
        "author_association": association(call.world, pull.repository, item.author),
    }


def review_comment(call: Call, pull: PullRequest, item: ReviewComment) -> Json:
    """An inline comment."""
    api = f"{call.repository_url}/pulls/comments/{item.id}"
    html = f"{call.html_url}/{call.repository.full_name}/pull/{pull.number}#discussion_r{item.id}"
    pull_url = f"{call.repository_url}/pulls/{pull.number}"
    shape = remark(call, "pull-request-review-comment-2", item) | {
        "node_id": item.node_id,
        "pull_request_review_id": item.review_id,
        "path": item.path,
        "commit_id": item.commit_id,
        "original_commit_id": item.original_commit_id,
        "diff_hunk": item.diff_hunk,
        "line": item.line,
        "original_line": item.original_line,
        "start_line": item.start_line,
        "original_start_line": item.start_line,
        "start_side": item.side if item.start_line else None,
        "side": item.side,
        "url": api,
        "html_url": html,
        "pull_request_url": pull_url,
        "_links": {"self": {"href": api}, "html": {"href": html}, "pull_request": {"href": pull_url}},
        "author_association": association(call.world, pull.repository, item.author),
    }
    shape.pop("in_reply_to_id", None)
    return shape | ({"in_reply_to_id": item.in_reply_to} if item.in_reply_to else {})


def reaction(call: Call, item: Reaction) -> Json:
    """A reaction."""
    shape: Json = example(call, "reaction")
    who = user(call, item.user)
    return shape | {"id": item.id, "user": who, "content": item.content, "created_at": item.created_at}


def pull_request(call: Call, pull: PullRequest) -> Json:
    """A pull request. `head.repo` is null if the fork was deleted."""
    shape: Json = example(call, "pull-request")
    shape = json.loads(json.dumps(shape).replace("/1347", f"/{pull.number}"))
    merged = pull.state == "merged"
    closed_at = None if pull.state == "open" else iso(call.world.now)
    base_oid = call.world.branch(pull.base_ref, pull.repository)
    return shape | {
        "id": pull.id,
        "node_id": pull.node_id,
        "number": pull.number,
        "title": pull.title,
        "user": user(call, pull.author),
        "state": "open" if pull.state == "open" else "closed",
        "locked": False,
        "active_lock_reason": None,
        "merged": merged,
        "merged_at": closed_at if merged else None,
        "merged_by": user(call, pull.repository.owner) if merged else None,
        "closed_at": closed_at,
        "labels": [],
        "milestone": None,
        "comments": len(pull.comments),
        "head": _side(call, pull, pull.head_repository, pull.head_ref, call.world.head(pull)),
        "base": _side(call, pull, pull.repository, pull.base_ref, base_oid or ""),
    }


def _side(call: Call, pull: PullRequest, repo: Repository | None, ref: str, oid: str) -> Json:
    owner = repo.owner if repo else pull.author
    return {
        "label": f"{owner.login}:{ref}",
        "ref": ref,
        "sha": oid,
        "user": user(call, owner),
        "repo": repository(call, repo) if repo else None,
    }


def file(call: Call, item: FileDiff, oid: str) -> Json:
    """A changed file. Binary files have no `patch`."""
    shape = {
        "sha": item.oid,
        "filename": item.path,
        "status": STATUS[item.status],
        "additions": item.additions,
        "deletions": item.deletions,
        "changes": item.additions + item.deletions,
        "blob_url": f"{call.html_url}/{call.repository.full_name}/blob/{oid}/{quote(item.path)}",
        "raw_url": f"{call.html_url}/{call.repository.full_name}/raw/{oid}/{quote(item.path)}",
        "contents_url": f"{call.repository_url}/contents/{quote(item.path)}?ref={oid}",
    }
    if item.patch is not None:
        shape["patch"] = item.patch
    return shape | ({"previous_filename": item.old_path} if item.status == "R" else {})


def blob(call: Call, found: GitObject) -> Json:
    """A blob, in base64 with lines of 60 characters like GitHub's."""
    text = base64.b64encode(found.data).decode()
    lines = "".join(f"{text[at : at + 60]}\n" for at in range(0, len(text), 60))
    return {
        "sha": found.oid,
        "node_id": f"B_{found.oid}",
        "size": len(found.data),
        "url": f"{call.repository_url}/git/blobs/{found.oid}",
        "content": lines,
        "encoding": "base64",
    }


def git_commit(call: Call, item: Commit) -> Json:
    """A commit as the git database endpoints show it."""
    html = f"{call.html_url}/{call.repository.full_name}/commit"
    api = f"{call.repository_url}/git"
    shape: Json = example(call, "git-commit")
    return shape | {
        "sha": item.oid,
        "node_id": f"C_{item.oid}",
        "url": f"{api}/commits/{item.oid}",
        "html_url": f"{html}/{item.oid}",
        "author": _person(item.author),
        "committer": _person(item.committer),
        "message": item.message,
        "tree": {"sha": item.tree, "url": f"{api}/trees/{item.tree}"},
        "parents": [{"sha": oid, "url": f"{api}/commits/{oid}", "html_url": f"{html}/{oid}"} for oid in item.parents],
        "verification": verification(item),
    }


def verification(item: Commit) -> Json:
    """The verification of a commit: verified if GitHub signed it. The hub has no other signatures."""
    if item.signature is None:
        return {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    at = iso(item.committer.date)
    return {
        "verified": True,
        "reason": "valid",
        "signature": item.signature,
        "payload": item.payload,
        "verified_at": at,
    }


def commit(call: Call, item: Commit) -> Json:
    """A commit as the `commits` endpoints show it: with the GitHub users of author and committer."""
    inner = git_commit(call, item)
    api = f"{call.repository_url}/commits"
    by_email = {who.email: who for who in call.world.users.values()}
    author, committer = by_email.get(item.author.email), by_email.get(item.committer.email)
    return {
        "sha": item.oid,
        "node_id": f"C_{item.oid}",
        "url": f"{api}/{item.oid}",
        "html_url": inner["html_url"],
        "comments_url": f"{api}/{item.oid}/comments",
        "commit": {key: inner[key] for key in ("url", "author", "committer", "message", "tree", "verification")}
        | {"comment_count": 0},
        "author": user(call, author) if author else None,
        "committer": user(call, committer) if committer else None,
        "parents": inner["parents"],
    }


def ref(call: Call, name: str, oid: str) -> Json:
    """A ref and the commit that it points to."""
    api = f"{call.repository_url}/git"
    target = {"type": "commit", "sha": oid, "url": f"{api}/commits/{oid}"}
    url = f"{api}/{name}"
    return {"ref": name, "node_id": f"REF_{call.repository.id}_{name}", "url": url, "object": target}


def _person(who: Person) -> Json:
    return {"name": who.name, "email": who.email, "date": iso(who.date)}
