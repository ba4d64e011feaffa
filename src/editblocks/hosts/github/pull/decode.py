"""Decode GraphQL answers about a pull request into the values of `context`; pure.

The functions that end in `_from` read an answer's `data` and raise `KeyError`, `TypeError` or
`ValueError` if it does not have the expected shape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from editblocks.hosts.github.pull.comment_text import came_by_email, words_from
from editblocks.hosts.github.pull.context import (
    GONE_FORK,
    WORKFLOW_ID,
    WORKFLOW_LOGIN,
    BotCommit,
    Context,
    Head,
    LatestState,
    PolicyFile,
    Post,
    Pull,
    Reviews,
    Viewer,
)
from editblocks.report.commit_message import read_trailers
from editblocks.repos.git.object_ids import blob_id

_OID = re.compile("[0-9a-f]{40}")
_REVERTS = re.compile("This reverts commit ([0-9a-f]{40})")  # what git and GitHub write into such a commit
_REGULAR = (0o100644, 0o100755)


def context_from(data: Any, no_reply: str) -> Context:
    """Read the answer to `CONTEXT`. `no_reply` is the server's host name for no-reply e-mail addresses."""
    repository, viewer = data["repository"], _viewer(data["viewer"], no_reply)
    pull = repository["pullRequest"]
    return Context(
        **_of_repository(repository, viewer),
        **_of_commits([node["commit"] for node in pull["commits"]["nodes"]], pull["headRefOid"], viewer),
        branch=str(pull["headRefName"]),
        fork=_fork(pull, int(repository["databaseId"])),
        is_protected=pull["headRef"] is not None and pull["headRef"]["refUpdateRule"] is not None,
        pull=_pull(pull),
        reviews=_reviews(pull["reviews"], viewer),
        threads=_threads(pull, viewer),
        via_email=bool(data.get("node")) and came_by_email(data["node"]),
        policy=_policy(pull["baseRef"]),
    )


def branch_from(data: Any, no_reply: str) -> Context | None:
    """Read the answer to `BRANCH`; None if the branch is gone."""
    repository, viewer = data["repository"], _viewer(data["viewer"], no_reply)
    ref, default = repository["ref"], repository["defaultBranchRef"]
    if ref is None:
        return None
    head = Head(_oid(ref["target"]["oid"]), _oid(ref["target"]["tree"]["oid"]))
    base = str(default["name"]) if default else ""
    return Context(
        **_of_repository(repository, viewer),
        **_of_commits(list(reversed(ref["target"]["history"]["nodes"])), head.commit, viewer),
        branch=str(ref["name"]),
        is_protected=ref["refUpdateRule"] is not None,
        pull=Pull(is_open=True, is_merged=False, is_queued=False, base=base, head=head),
        policy=_policy(default),
        pulls=tuple(
            int(pull["number"])
            for pull in ref["associatedPullRequests"]["nodes"]
            if pull["headRefOid"] == head.commit and not pull["isCrossRepository"]
        ),
    )


def _of_repository(repository: Any, viewer: Viewer) -> dict[str, Any]:
    default = repository["defaultBranchRef"]
    return {
        "viewer": viewer,
        "node_id": str(repository["id"]),
        "repository_id": int(repository["databaseId"]),
        "default_branch": default["name"] if default else None,
        "default_policy": _policy(default),
    }


def _of_commits(commits: Sequence[Any], head: str, viewer: Viewer) -> dict[str, Any]:
    """What the commits say; they are the oldest first."""
    return {
        "older": frozenset(commit["oid"] for commit in commits) - {head},
        "bot_commits": _bot_commits(commits, viewer),
        "reverted": frozenset(oid for commit in commits for oid in _REVERTS.findall(commit["message"])),
    }


def live_from(data: Any, no_reply: str) -> LatestState:
    """Read the answer to `LIVE`."""
    repository, source, viewer = data["repository"], data.get("node"), _viewer(data["viewer"], no_reply)
    pull, words = repository["pullRequest"], words_from(source) if source else None
    posts = _reviews(pull["reviews"], viewer).reviews + _threads(pull, viewer)
    return LatestState(int(repository["databaseId"]), _pull(pull), words, posts)


def reviews_from(data: Any, no_reply: str) -> Reviews:
    """Read the answer to `REVIEWS`."""
    return _reviews(data["repository"]["pullRequest"]["reviews"], _viewer(data["viewer"], no_reply))


def threads_from(data: Any, no_reply: str) -> tuple[Post, ...]:
    """Read the answer to `THREADS`."""
    return _threads(data["repository"]["pullRequest"], _viewer(data["viewer"], no_reply))


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


def _pull(pull: Any) -> Pull:
    wanted = _oid(pull["headRefOid"])
    # A deleted fork has no head ref, and the list of commits ends at 250: at least one of the two has the tree.
    tips = [node["commit"] for node in pull["commits"]["nodes"]]
    tips.append((pull["headRef"] or {}).get("target"))
    trees = {tip["oid"]: tip["tree"]["oid"] for tip in tips if tip is not None}
    head = Head(wanted, _oid(trees[wanted]))
    return Pull(
        is_open=pull["state"] == "OPEN",
        is_merged=pull["state"] == "MERGED",
        is_queued=bool(pull.get("isInMergeQueue")),
        base=str(pull["baseRefName"]),
        head=head,
    )


def _reviews(reviews: Any, viewer: Viewer) -> Reviews:
    page = reviews["pageInfo"]
    posts = tuple(_post(node, viewer) for node in reviews["nodes"])
    return Reviews(posts, page["startCursor"] if page["hasPreviousPage"] else None)


def _threads(pull: Any, viewer: Viewer) -> tuple[Post, ...]:
    nodes = (node for thread in pull["reviewThreads"]["nodes"] for node in thread["comments"]["nodes"])
    return tuple(_post(node, viewer, is_in_thread=True) for node in nodes)


def _post(node: Any, viewer: Viewer, *, is_in_thread: bool = False) -> Post:
    above, review = (node["replyTo"], node["pullRequestReview"]) if is_in_thread else (None, None)
    top = above["fullDatabaseId"] if above else node["fullDatabaseId"]
    return Post(
        id=int(node["fullDatabaseId"]),
        node_id=str(node["id"]),
        body=str(node["body"]),
        created_at=str(node["createdAt"]),
        is_ours=node.get("viewerDidAuthor") is True or _is(node["author"], viewer),
        is_untouched=node["editor"] is None or _is(node["editor"], viewer),
        thread=int(top) if is_in_thread else None,
        review=int(review["fullDatabaseId"]) if review else None,
        edited_at=node["lastEditedAt"] and str(node["lastEditedAt"]),
    )


def _policy(ref: Any) -> PolicyFile:
    """The policy file of a branch. One that cannot be read is a fault, not a missing file."""
    target = ref["target"] if ref else None
    if target is None:
        return PolicyFile(fault="the branch cannot be read")
    if target["file"] is None:
        return PolicyFile()
    blob = target["file"]["object"]
    if blob is None or blob["__typename"] != "Blob" or int(target["file"]["mode"]) not in _REGULAR:
        return PolicyFile(fault="it is no regular file")
    if blob["text"] is None or blob["isTruncated"] or blob["isBinary"]:
        return PolicyFile(fault="it is no text of at most 64 KiB")
    text = str(blob["text"])
    if blob_id(text.encode("utf-8", "surrogatepass")) != blob["oid"]:
        return PolicyFile(fault="GitHub's answer holds other bytes; run the job again")
    return PolicyFile(text)


def _is(actor: Any, viewer: Viewer) -> bool:
    return actor is not None and actor.get("databaseId") == viewer.id


def _bot_commits(commits: Sequence[Any], viewer: Viewer) -> tuple[BotCommit, ...]:
    """Return those that this token made, in the same order: author, signature and message together say so.

    Anyone who can push can write an author and trailers, and the web editor signs for anyone, but as that person. Only
    GitHub signs as a bot. It signs nothing for a personal token: there, author and message alone count.
    """
    return tuple(
        BotCommit(
            commit=_oid(commit["oid"]),
            parent=Head(_oid(parents[0]["oid"]), _oid(parents[0]["tree"]["oid"])),
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


def _oid(value: object) -> str:
    if not isinstance(value, str) or not _OID.fullmatch(value):
        raise ValueError("no object id")
    return value
