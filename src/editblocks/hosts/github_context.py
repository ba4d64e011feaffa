"""What GitHub says about a pull request, taken out of its GraphQL answers; pure.

The functions that end in `_from` read an answer's `data` and raise `KeyError`, `TypeError` or
`ValueError` if it is not what was asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from editblocks.codes import ReasonCode
from editblocks.hosts.github_email import own_part
from editblocks.hosts.github_refs import is_branch_name
from editblocks.outcome import Refusal, Response
from editblocks.report.links import Marker, read_marker

# The account of GITHUB_TOKEN, the same everywhere: https://api.github.com/users/github-actions[bot]
WORKFLOW_LOGIN, WORKFLOW_ID = "github-actions[bot]", 41898282

_OID = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Head:
    """A commit and its root tree."""

    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class Review:
    """A review. `is_ours`: this token wrote it; `is_untouched`: and nobody else has edited it."""

    id: int
    body: str
    created_at: str
    is_ours: bool
    is_untouched: bool

    @property
    def marker(self) -> Marker | None:
        """The marker of a status in its first line, whoever wrote it there."""
        return read_marker(self.body)


@dataclass(frozen=True, slots=True)
class Reviews:
    """The newest reviews, oldest first; `before` leads to older ones, None if these are all."""

    reviews: tuple[Review, ...]
    before: str | None


@dataclass(frozen=True, slots=True)
class Made:
    """A commit of the pull request that may be this token's: its root tree, its message, its parent."""

    commit: str
    tree: str
    message: str
    parent: Head


@dataclass(frozen=True, slots=True)
class Pull:
    """The state of the pull request at one moment."""

    is_open: bool
    is_queued: bool
    base: str
    head: Head


@dataclass(frozen=True, slots=True)
class Viewer:
    """The account of the token; `email` is the address that GitHub puts into its commits."""

    id: int
    login: str
    email: str

    @property
    def is_bot(self) -> bool:
        """Whether GitHub signs what it commits."""
        return self.login.endswith("[bot]")


@dataclass(frozen=True, slots=True)
class Context:
    """All that is known before planning. `node_id` is the repository's."""

    viewer: Viewer
    node_id: str
    repository_id: int
    default_branch: str | None
    branch: str
    fork: str | None  # owner/name of the repository that the head is in, if that is another one
    is_protected: bool
    pull: Pull
    older: frozenset[str]  # commits of the pull request before its head, the newest ones
    made: tuple[Made, ...]
    reviews: Reviews
    via_email: bool  # whether the comment came by e-mail; False if it is gone


@dataclass(frozen=True, slots=True)
class Live:
    """The last look before writing. `body` is what its sender wrote; None: the comment is gone."""

    repository_id: int
    pull: Pull
    body: str | None


def context_from(data: Any, no_reply: str) -> Context:
    """Read the answer to `CONTEXT`. `no_reply` is the server's host for addresses that take no mail."""
    repository = data["repository"]
    pull = repository["pullRequest"]
    viewer = _viewer(data["viewer"], no_reply)
    return Context(
        viewer=viewer,
        node_id=str(repository["id"]),
        repository_id=int(repository["databaseId"]),
        default_branch=repository["defaultBranchRef"]["name"] if repository["defaultBranchRef"] else None,
        branch=str(pull["headRefName"]),
        fork=_fork(pull, int(repository["databaseId"])),
        is_protected=pull["headRef"] is not None and pull["headRef"]["refUpdateRule"] is not None,
        pull=_pull(pull),
        older=frozenset(node["commit"]["oid"] for node in pull["commits"]["nodes"]) - {pull["headRefOid"]},
        made=tuple(_made(node["commit"]) for node in pull["commits"]["nodes"] if _is_ours(node["commit"], viewer)),
        reviews=_reviews(pull["reviews"], viewer),
        via_email=_came_by_email(data.get("node")),
    )


def live_from(data: Any) -> Live:
    """Read the answer to `LIVE`."""
    repository, source = data["repository"], data["node"]
    body = own_part(_text(source["body"]), _came_by_email(source)) if source else None
    return Live(int(repository["databaseId"]), _pull(repository["pullRequest"]), body)


def reviews_from(data: Any, no_reply: str) -> Reviews:
    """Read the answer to `REVIEWS`."""
    return _reviews(data["repository"]["pullRequest"]["reviews"], _viewer(data["viewer"], no_reply))


def standing(context: Context) -> Refusal | None:
    """Why nothing may be written to this pull request, whoever asks for it."""
    if context.pull.is_queued:
        return Refusal(ReasonCode.CLOSED, "the pull request is in the merge queue, so its branch is left alone")
    if context.fork is not None:
        reason = f"this workflow does not write to {context.fork}; apply the patch from the status there"
        return Refusal(ReasonCode.FORK, reason)
    if not is_branch_name(context.branch):
        return Refusal(ReasonCode.BRANCH_REFUSED, "git does not allow the name of the branch; use another one")
    if context.branch == context.default_branch or context.is_protected:
        kind = "the default branch" if context.branch == context.default_branch else "protected"
        return Refusal(ReasonCode.BRANCH_REFUSED, f"{context.branch} is {kind}; use a pull request from another one")
    return None


def made_for(response: Response, made: tuple[Made, ...]) -> tuple[Made, ...]:
    """The commits whose trailers name this response, the newest first; their content is still to be compared."""
    wanted = {f"Edit-Blocks-Source: {response.source.uri}", f"Edit-Blocks-Digest: {response.digest}"}
    return tuple(each for each in reversed(made) if wanted <= set(each.message.split("\n")))


def status_of(source: str, reviews: Reviews) -> Review | None:
    """Our status for a source, the newest if there are several."""
    ours = (review for review in reversed(reviews.reviews) if review.is_ours)
    return next((review for review in ours if review.marker and review.marker.source == source), None)


def commit_of(status: Review | None, response: Response) -> str | None:
    """The commit that our status names for exactly this text, if nobody else has edited the status."""
    marker = status.marker if status is not None and status.is_untouched else None
    return marker.commit if marker is not None and marker.digest == response.digest else None


def _viewer(viewer: Any, no_reply: str) -> Viewer:
    login, number = str(viewer["login"]), viewer["databaseId"]
    if number is None:  # nobody promises an app's token a number; without one, nothing is taken for our own work
        number = WORKFLOW_ID if login == WORKFLOW_LOGIN else 0
    # https://docs.github.com/en/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
    return Viewer(int(number), login, f"{number}+{login}@{no_reply}")


def _came_by_email(source: Any) -> bool:
    return bool(source) and source["createdViaEmail"] is not False


def _fork(pull: Any, repository: int) -> str | None:
    head = pull["headRepository"]
    if head is None:
        return "a repository that is gone"
    return str(head["nameWithOwner"]) if pull["isCrossRepository"] or head["databaseId"] != repository else None


def _pull(pull: Any) -> Pull:
    wanted = _oid(pull["headRefOid"])
    # The head ref of a deleted fork is null, and the list of commits ends at 250: one of the two has the tree.
    tips = [node["commit"] for node in pull["commits"]["nodes"]]
    tips.append((pull["headRef"] or {}).get("target"))
    trees = {tip["oid"]: tip["tree"]["oid"] for tip in tips if tip is not None}
    head = Head(wanted, _oid(trees[wanted]))
    return Pull(pull["state"] == "OPEN", bool(pull.get("isInMergeQueue")), str(pull["baseRefName"]), head)


def _reviews(reviews: Any, viewer: Viewer) -> Reviews:
    found = tuple(
        Review(
            id=int(node["fullDatabaseId"]),
            body=str(node["body"]),
            created_at=str(node["createdAt"]),
            is_ours=node.get("viewerDidAuthor") is True or _is(node["author"], viewer),
            is_untouched=node["editor"] is None or _is(node["editor"], viewer),
        )
        for node in reviews["nodes"]
    )
    page = reviews["pageInfo"]
    return Reviews(found, page["startCursor"] if page["hasPreviousPage"] else None)


def _is(actor: Any, viewer: Viewer) -> bool:
    return actor is not None and actor.get("databaseId") == viewer.id


def _made(commit: Any) -> Made:
    parent = commit["parents"]["nodes"][0]
    return Made(
        commit=_oid(commit["oid"]),
        tree=_oid(commit["tree"]["oid"]),
        message=str(commit["message"]),
        parent=Head(_oid(parent["oid"]), _oid(parent["tree"]["oid"])),
    )


def _is_ours(commit: Any, viewer: Viewer) -> bool:
    """Whether this token may have made a commit: a first look, before the content is compared.

    Anyone who can push can write a trailer or an author's address, anyone with the web editor gets GitHub's
    signature, and another workflow of the repository has the same account.
    """
    if not commit["parents"]["nodes"] or (commit["author"] or {}).get("email") != viewer.email:
        return False
    signature = commit["signature"]
    signed = signature is not None and signature["isValid"] is True and signature["wasSignedByGitHub"] is True
    return signed or not viewer.is_bot


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _oid(value: object) -> str:
    if not isinstance(value, str) or not _OID.fullmatch(value):
        raise ValueError("no object id")
    return value
