"""Read a pull request, or a branch without one, from GitHub; repeat a read whose answer is stale or inconsistent.

The functions that end in `_from` read an answer, and raise `KeyError`, `TypeError` or `ValueError` if it has another
shape. `no_reply` is the server's host name for no-reply e-mail addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from github.Issue import Issue
from github.PullRequest import PullRequest as RestPull

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, Trouble
from editblocks.core.outcome import Part, Refusal
from editblocks.formats.suggestion import SUGGESTION
from editblocks.hosts.github.event import NO_PAGE, Comment, Task, author_from, own_part, page_of, thread_lines
from editblocks.hosts.github.state import GONE_FORK, WORKFLOW_LOGIN, BotCommit, Head, Post, Pull, Suggestion, Viewer
from editblocks.report.commit_message import read_trailers
from editblocks.repos.files.object_ids import blob_id
from editblocks.repos.github.branch import STALE_READS
from editblocks.repos.github.client import GitHubApi, is_oid, oid, text, unless_missing
from editblocks.repos.github.queries import BRANCH, REVIEWS, SUGGESTIONS, WORDS, pull_request

THREAD_PAGES = 8  # of review threads, 50 each, that are searched for suggestions
MOST_INLINE = 100  # inline comments of a review; the query asks for as many

_WORKFLOW_ID = 41898282  # the same everywhere: https://api.github.com/users/github-actions[bot]
_REVERTS = re.compile("This reverts commit ([0-9a-f]{40})")  # what git and GitHub write into such a commit
_REGULAR = (0o100644, 0o100755)
_TOO_MANY = f"the review has more than {MOST_INLINE} inline comments"


class PullReader:
    """The pull request of an event, or its branch if the event has no number. Every method raises `RepoError`."""

    def __init__(self, api: GitHubApi, event: Task, no_reply: str) -> None:
        owner, _, name = event.repository.partition("/")
        self.api = api
        self.event = event
        self.no_reply = no_reply
        self.repository = api.repository(event.repository)
        where = {"ref": f"refs/heads/{event.branch}"} if event.number is None else {"number": event.number}
        self._variables: dict[str, object] = {"owner": owner, "name": name, **where}

    @property
    def rest_pull(self) -> RestPull:
        """PyGithub's pull request, of which nothing is read. Raises `ValueError` if the event has no number."""
        return self.repository.get_pull(self._number)

    @property
    def rest_issue(self) -> Issue:
        """The same as an issue, which has the comments that are in no thread."""
        return self.repository.get_issue(self._number)

    @property
    def _number(self) -> int:
        if self.event.number is None:
            raise ValueError("a branch is no pull request")
        return self.event.number

    def first_look(self) -> Pull:
        """As `look`; a comment that was just posted may take a moment to be there."""
        comment, name = self.event.comment, "Context"
        if comment is None:
            return self.look(name)

        def find() -> Pull:
            return self.api.patiently(lambda: self._look(name, comment), trouble=Trouble.MISSING)

        return self._checked(unless_missing(find) or self._look(name, None))

    def look(self, name: str = "Live") -> Pull:
        """Read the whole state now; `closed` if the branch is gone. `name` is that of the query, for the log."""
        comment = self.event.comment
        pull = unless_missing(lambda: self._look(name, comment)) if comment is not None else None
        if pull is None:  # no comment caused the run, or only the comment is gone
            pull = self._look(name, None)
        return self._checked(pull)

    def _checked(self, pull: Pull) -> Pull:
        if pull.repository_id != self.event.repository_id:
            raise RepoError(f"{self.event.repository} is not the repository of the event any more; nothing was done")
        # After a renaming the event has the old name, and writes are not sent on to where that has moved.
        if pull.repository != self.repository.full_name:
            self.repository = self.api.repository(pull.repository)
        return pull

    def look_until(self, is_final: Callable[[Pull], object]) -> Pull:
        """Read until `is_final` accepts the state, at most three times: reads lag behind writes."""
        pull = self.look()
        for _ in range(STALE_READS - 1):
            if is_final(pull):
                break
            self.api.rest(1.0)
            pull = self.look()
        return pull

    def role(self) -> str | None:
        """Ask for the role of the event's author: admin, maintain, write, triage, read or none; None if unknown."""
        author = self.event.author
        # `Repository.get_collaborator_role_name` does not say whose role it is.
        path = f"{self.repository.url}/collaborators/{quote(author.login)}/permission"

        def ask() -> str:
            return role_from(self.api.requester.requestJsonAndCheck("GET", path)[1], author.id)

        return self.api.find("reading a permission", ask)

    def now(self, comment: Comment) -> Comment | None:
        """Read a comment with its text as it is now; None if GitHub says three times that it is gone."""

        def ask() -> Comment:
            variables = {"source": comment.node_id}
            return self.api.query(WORDS, variables, "reading a comment", lambda data: now_from(data["node"], comment))

        return unless_missing(lambda: self.api.patiently(ask, trouble=Trouble.MISSING))

    def suggestions(self) -> tuple[Suggestion, ...]:
        """Read the suggestions in the newest review threads that are open."""
        found: list[Suggestion] = []
        cursor: str | None = None
        for _ in range(THREAD_PAGES):
            variables = {**self._variables, "before": cursor}
            page, cursor = self.api.query(SUGGESTIONS, variables, "reading the review threads", suggestions_from)
            found += page
            if cursor is None:
                break
        return tuple(sorted(found, key=lambda each: each.part.id))

    def older_reviews(self, cursor: str) -> tuple[tuple[Post, ...], str | None]:
        """Read the page of reviews before a cursor, the oldest first, and the cursor to the page before it."""
        variables = {**self._variables, "before": cursor}
        return self.api.query(REVIEWS, variables, "reading the reviews", lambda data: reviews_from(data, self.no_reply))

    def _look(self, name: str, comment: Comment | None) -> Pull:
        is_branch, variables = self.event.number is None, self._variables
        query = BRANCH if is_branch else pull_request(name, with_comment=comment is not None)
        if comment is not None:
            variables = {**variables, "source": comment.node_id}

        def read(data: Any) -> Pull:
            return branch_from(data, self.no_reply) if is_branch else pull_from(data, self.no_reply, comment)

        def ask() -> Pull:
            return self.api.query(query, variables, "reading the pull request", read)

        return self.api.patiently(ask, trouble=Trouble.BROKEN)  # GitHub may show a new head before its tree


def pull_from(data: Any, no_reply: str, comment: Comment | None) -> Pull:
    """Read the state of a pull request, and of the comment if the query asked for it."""
    pull, viewer = data["repository"]["pullRequest"], _viewer(data["viewer"], no_reply)
    ref, commits = pull["headRef"], [node["commit"] for node in pull["commits"]["nodes"]]
    reviews, older = reviews_from(data, no_reply)
    # A deleted fork has no head ref, and the list of commits ends at 250: at least one of the two has the tree.
    trees = {tip["oid"]: tip["tree"]["oid"] for tip in (*commits, (ref or {}).get("target")) if tip is not None}
    head = Head(oid(pull["headRefOid"]), oid(trees[pull["headRefOid"]]))
    return Pull(
        **_common(data["repository"], viewer, commits, head, pull["baseRef"]),
        branch=str(pull["headRefName"]),
        is_protected=ref is not None and ref["refUpdateRule"] is not None,
        base=str(pull["baseRefName"]),
        is_open=pull["state"] == "OPEN",
        is_merged=pull["state"] == "MERGED",
        is_queued=pull["isInMergeQueue"] is True,
        fork=_fork(pull, int(data["repository"]["databaseId"])),
        reviews=reviews,
        older_reviews=older,
        threads=tuple(
            _post(node, viewer, is_in_thread=True)
            for thread in pull["reviewThreads"]["nodes"]
            for node in thread["comments"]["nodes"]
        ),
        comment=now_from(data["node"], comment) if comment is not None and data["node"] else None,
    )


def branch_from(data: Any, no_reply: str) -> Pull:
    """Read the state of a branch. Raises `RepoError` if it is gone."""
    repository, viewer = data["repository"], _viewer(data["viewer"], no_reply)
    ref, default = repository["ref"], repository["defaultBranchRef"]
    if ref is None:
        raise RepoError("the branch is gone; nothing was done", ReasonCode.CLOSED)
    target = ref["target"]
    commits, head = target["history"]["nodes"][::-1], Head(oid(target["oid"]), oid(target["tree"]["oid"]))
    return Pull(
        **_common(repository, viewer, commits, head, default),
        branch=str(ref["name"]),
        is_protected=ref["refUpdateRule"] is not None,
        base=str(default["name"]) if default else "",
        pulls=tuple(
            int(pull["number"])
            for pull in ref["associatedPullRequests"]["nodes"]
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


def suggestions_from(data: Any) -> tuple[list[Suggestion], str | None]:
    """Read a page of review threads, and the cursor to the page before; None if there is none."""
    threads = data["repository"]["pullRequest"]["reviewThreads"]
    page = threads["pageInfo"]
    found = [
        _suggestion(node, thread)
        for thread in threads["nodes"]
        if not thread["isResolved"]
        for node in thread["comments"]["nodes"]
        if not node["isMinimized"] and SUGGESTION.names[0] in text(node["body"]).lower()
    ]
    return found, page["startCursor"] if page["hasPreviousPage"] else None


def _suggestion(node: Any, thread: Any) -> Suggestion:
    actor = node["author"]
    user = actor and {"login": actor["login"], "id": actor["databaseId"], "type": actor["__typename"]}
    written_at = text(node["lastEditedAt"] or node["createdAt"])
    return Suggestion(_part(node, thread), author_from(user), written_at, text(thread["id"]))


def role_from(answer: Any, author_id: int) -> str:
    """Read the role. `permission` says write for maintain and read for triage; `role_name` is more exact."""
    if answer["user"]["id"] != author_id:
        raise ValueError("the login belongs to somebody else now")
    permission, role = answer["permission"], answer.get("role_name")
    exact = {"admin": (), "write": ("write", "maintain"), "read": ("read", "triage"), "none": ()}[permission]
    return str(role) if role in exact else str(permission)


def _common(repository: Any, viewer: Viewer, commits: Sequence[Any], head: Head, base: Any) -> dict[str, Any]:
    """What a pull request and a branch have in common; `commits` are the oldest first, `base` is a ref."""
    default = repository["defaultBranchRef"]
    policy, fault = _policy(base)
    return {
        "policy": policy,
        "policy_fault": fault,
        "viewer": viewer,
        "node_id": str(repository["id"]),
        "repository_id": int(repository["databaseId"]),
        "repository": text(repository["nameWithOwner"]),
        "default_branch": default["name"] if default else None,
        "default_policy": _policy(default)[0],  # None also if it cannot be read: then it allows nothing more
        "head": head,
        "commits": frozenset(commit["oid"] for commit in commits) | {head.commit},
        "bot_commits": _bot_commits(commits, viewer),
        "reverted": frozenset(oid for commit in commits for oid in _REVERTS.findall(commit["message"])),
    }


def _viewer(viewer: Any, no_reply: str) -> Viewer:
    login, number = str(viewer["login"]), viewer["databaseId"]
    if number is None:  # GitHub does not promise an id for an app's token; with id 0, no post or commit counts as ours
        number = _WORKFLOW_ID if login == WORKFLOW_LOGIN else 0
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
        is_ours=node["viewerDidAuthor"] is True or _is(node["author"], viewer),
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
            created_at=str(commit["committedDate"]),
            source=trailers.get("source", "").rpartition("#")[2],
            digest=trailers.get("digest", ""),
            undoes=trailers.get("undo", ""),
            selected=trailers.get("selected", ""),
            applied_by=trailers.get("applied-by", ""),
        )
        for commit in commits
        if (parents := commit["parents"]["nodes"])
        and (commit["author"] or {}).get("email") == viewer.email
        and (not viewer.is_bot or commit["signature"] == {"isValid": True, "wasSignedByGitHub": True})
        and (trailers := read_trailers(str(commit["message"]))) is not None
    )


def now_from(node: Any, comment: Comment) -> Comment:
    """Read the node of a comment.

    Two kinds of a review's inline comments are left out: replies, which have an event of their own, and comments that
    were edited after the review was submitted.
    """
    own, is_edited = _own_text(node), node["lastEditedAt"] is not None
    page = page_of(node.get("bodyHTML"))
    comment = comment._replace(body=own, is_edited=is_edited, via_email=_came_by_email(node), page=page)
    if node["__typename"] != "PullRequestReview":
        return comment._replace(fault=NO_PAGE if page is None else None)
    submitted, commit = text(node["submittedAt"]), node["commit"]
    inline = [each for each in node["comments"]["nodes"] if each["replyTo"] is None]
    kept = [each for each in inline if each["lastEditedAt"] is None or str(each["lastEditedAt"]) <= submitted]
    threads = node["pullRequest"]["reviewThreads"]["nodes"]
    by_first = {thread["comments"]["nodes"][0]["fullDatabaseId"]: thread for thread in threads}
    parts = [_part(each, by_first.get(each["fullDatabaseId"])) for each in kept]
    parts.insert(0, Part(int(node["fullDatabaseId"]), own, page=page))
    fault = None
    if int(node["comments"]["totalCount"]) > MOST_INLINE:
        fault = Refusal(ReasonCode.TOO_LARGE, _TOO_MANY, "split it into several reviews")
    elif any(part.page is None for part in parts):
        fault = NO_PAGE
    return comment._replace(
        parts=tuple(parts),
        base=commit["oid"] if commit is not None and is_oid(commit["oid"]) else None,
        is_edited=is_edited or len(kept) < len(inline),
        fault=fault,
    )


def _part(node: Any, thread: Any) -> Part:
    """Read an inline comment, and the thread that it began; None if that is not among the newest ones."""
    lines = None
    if thread is not None and node["subjectType"] == "LINE":
        sides = (thread["startDiffSide"], thread["diffSide"])
        commit = (node["originalCommit"] or {}).get("oid")
        lines = thread_lines(commit, (node["originalStartLine"], node["originalLine"]), sides)
    page = page_of(node.get("bodyHTML"))
    return Part(int(node["fullDatabaseId"]), _own_text(node), text(node["path"]), lines, page)


def _own_text(node: Any) -> str:
    return own_part(text(node["body"]), _came_by_email(node))


def _came_by_email(node: Any) -> bool:
    """Whether a comment was sent by e-mail; True if GitHub does not say."""
    return node["createdViaEmail"] is not False
