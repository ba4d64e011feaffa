"""Read GraphQL answers about a pull request or a branch into a `Context`; pure.

The functions that end in `_from` take an answer's `data` and raise `KeyError`, `TypeError` or `ValueError` if it does
not have the expected shape. `no_reply` is the server's host name for no-reply e-mail addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from editblocks.hosts.github.comment import words_from
from editblocks.hosts.github.context import (
    GONE_FORK,
    WORKFLOW_ID,
    WORKFLOW_LOGIN,
    BotCommit,
    Context,
    Head,
    Post,
    Viewer,
)
from editblocks.report.commit_message import read_trailers
from editblocks.repos.git.object_ids import blob_id
from editblocks.repos.github.answers import oid

_REVERTS = re.compile("This reverts commit ([0-9a-f]{40})")  # what git and GitHub write into such a commit
_REGULAR = (0o100644, 0o100755)


def pull_from(data: Any, no_reply: str) -> Context:
    """Read the state of a pull request."""
    pull, viewer = data["repository"]["pullRequest"], _viewer(data["viewer"], no_reply)
    ref, commits = pull["headRef"], [node["commit"] for node in pull["commits"]["nodes"]]
    reviews, older = reviews_from(data, no_reply)
    policy, fault = _policy(pull["baseRef"])
    # A deleted fork has no head ref, and the list of commits ends at 250: at least one of the two has the tree.
    trees = {tip["oid"]: tip["tree"]["oid"] for tip in (*commits, (ref or {}).get("target")) if tip is not None}
    return Context(
        **_common(data["repository"], viewer, commits, Head(oid(pull["headRefOid"]), oid(trees[pull["headRefOid"]]))),
        branch=str(pull["headRefName"]),
        is_protected=ref is not None and ref["refUpdateRule"] is not None,
        base=str(pull["baseRefName"]),
        policy=policy,
        policy_fault=fault,
        is_open=pull["state"] == "OPEN",
        is_merged=pull["state"] == "MERGED",
        is_queued=bool(pull.get("isInMergeQueue")),
        fork=_fork(pull, int(data["repository"]["databaseId"])),
        reviews=reviews,
        older_reviews=older,
        threads=tuple(
            _post(node, viewer, is_in_thread=True)
            for thread in pull["reviewThreads"]["nodes"]
            for node in thread["comments"]["nodes"]
        ),
        words=words_from(data["node"]) if data.get("node") else None,
    )


def branch_from(data: Any, no_reply: str) -> Context | None:
    """Read the state of a branch; None if it is gone."""
    repository, viewer = data["repository"], _viewer(data["viewer"], no_reply)
    ref, default = repository["ref"], repository["defaultBranchRef"]
    if ref is None:
        return None
    target = ref["target"]
    policy, fault = _policy(default)
    pulls = ref["associatedPullRequests"]["nodes"]
    return Context(
        **_common(
            repository, viewer, target["history"]["nodes"][::-1], Head(oid(target["oid"]), oid(target["tree"]["oid"]))
        ),
        branch=str(ref["name"]),
        is_protected=ref["refUpdateRule"] is not None,
        base=str(default["name"]) if default else "",
        policy=policy,
        policy_fault=fault,
        pulls=tuple(
            int(pull["number"])
            for pull in pulls
            if pull["headRefOid"] == target["oid"] and not pull["isCrossRepository"]
        ),
    )


def reviews_from(data: Any, no_reply: str) -> tuple[tuple[Post, ...], str | None]:
    """Read a page of reviews, the oldest first, and the cursor to the page before; None if there is none."""
    viewer, reviews = _viewer(data["viewer"], no_reply), data["repository"]["pullRequest"]["reviews"]
    page = reviews["pageInfo"]
    return (
        tuple(_post(node, viewer) for node in reviews["nodes"]),
        page["startCursor"] if page["hasPreviousPage"] else None,
    )


def _common(repository: Any, viewer: Viewer, commits: Sequence[Any], head: Head) -> dict[str, Any]:
    """What a pull request and a branch have in common; `commits` are the oldest first."""
    default = repository["defaultBranchRef"]
    return {
        "viewer": viewer,
        "node_id": str(repository["id"]),
        "repository_id": int(repository["databaseId"]),
        "default_branch": default["name"] if default else None,
        "default_policy": _policy(default)[0],  # None also if it cannot be read: then it allows nothing more
        "head": head,
        "older": frozenset(commit["oid"] for commit in commits) - {head.commit},
        "bot_commits": _bot_commits(commits, viewer),
        "reverted": frozenset(oid for commit in commits for oid in _REVERTS.findall(commit["message"])),
    }


def _viewer(viewer: Any, no_reply: str) -> Viewer:
    login, number = str(viewer["login"]), viewer["databaseId"]
    if number is None:  # GitHub does not promise an id for an app's token; with id 0, no post or commit counts as ours
        number = WORKFLOW_ID if login == WORKFLOW_LOGIN else 0
    # https://docs.github.com/en/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
    return Viewer(int(number), login, f"{number}+{login}@{no_reply}")


def _fork(pull: Any, repository: int) -> str | None:
    head = pull["headRepository"]
    if head is None:
        return GONE_FORK
    return str(head["nameWithOwner"]) if pull["isCrossRepository"] or head["databaseId"] != repository else None


def _post(node: Any, viewer: Viewer, *, is_in_thread: bool = False) -> Post:
    above, review = (node["replyTo"], node["pullRequestReview"]) if is_in_thread else (None, None)
    top = above["fullDatabaseId"] if above else node["fullDatabaseId"]
    return Post(
        id=int(node["fullDatabaseId"]),
        body=str(node["body"]),
        created_at=str(node["createdAt"]),
        is_ours=node.get("viewerDidAuthor") is True or _is(node["author"], viewer),
        is_untouched=node["editor"] is None or _is(node["editor"], viewer),
        thread=int(top) if is_in_thread else None,
        review=int(review["fullDatabaseId"]) if review else None,
        edited_at=node["lastEditedAt"] and str(node["lastEditedAt"]),
    )


def _policy(ref: Any) -> tuple[str | None, str]:
    """The policy file of a branch, and why it cannot be read: that is a fault, and not the same as no file."""
    target = ref["target"] if ref else None
    if target is None:
        return None, "the branch cannot be read"
    if target["file"] is None:
        return None, ""
    blob = target["file"]["object"]
    if blob is None or blob["__typename"] != "Blob" or int(target["file"]["mode"]) not in _REGULAR:
        return None, "it is no regular file"
    if blob["text"] is None or blob["isTruncated"] or blob["isBinary"]:
        return None, "it is no text of at most 64 KiB"
    if blob_id(str(blob["text"]).encode("utf-8", "surrogatepass")) != blob["oid"]:
        return None, "GitHub's answer holds other bytes; run the job again"
    return str(blob["text"]), ""


def _is(actor: Any, viewer: Viewer) -> bool:
    return actor is not None and actor.get("databaseId") == viewer.id


def _bot_commits(commits: Sequence[Any], viewer: Viewer) -> tuple[BotCommit, ...]:
    """Return those that this token made, in the same order: author, signature and message together say so.

    Anyone who can push can write an author and trailers, and the web editor signs for anyone, but as that person. Only
    GitHub signs as a bot. It signs nothing for a personal token: there, author and message alone count.
    """
    return tuple(
        BotCommit(
            commit=oid(commit["oid"]),
            parent=Head(oid(parents[0]["oid"]), oid(parents[0]["tree"]["oid"])),
            text=str(commit["message"]),
            trailers=trailers,
            created_at=str(commit["committedDate"]),
        )
        for commit in commits
        if (parents := commit["parents"]["nodes"])
        and (commit["author"] or {}).get("email") == viewer.email
        and (not viewer.is_bot or _is_signed(commit["signature"]))
        and (trailers := read_trailers(str(commit["message"]))) is not None
    )


def _is_signed(signature: Any) -> bool:
    return signature is not None and signature["isValid"] is True and signature["wasSignedByGitHub"] is True
