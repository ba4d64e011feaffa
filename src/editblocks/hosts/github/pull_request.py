"""Read a pull request, or a branch without one, from GitHub. Stale or inconsistent reads are repeated.

Functions whose names end in `_from` parse a response, and raise `KeyError`, `TypeError` or `ValueError` if its shape is
unexpected. `no_reply` is the server's host name for no-reply e-mail addresses.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from github.Issue import Issue
from github.IssueComment import IssueComment
from github.PullRequest import PullRequest as RestPull
from github.PullRequestComment import PullRequestComment

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, Trouble
from editblocks.core.outcome import Part, Refusal
from editblocks.hosts.github.event import (
    COMMENT,
    NO_PAGE,
    NOBODY,
    REPLY,
    Author,
    Comment,
    Task,
    author_from,
    own_part,
    page_of,
    thread_lines,
)
from editblocks.hosts.github.state import GONE_FORK, WORKFLOW_LOGIN, BotCommit, Head, Post, Pull, Suggestion
from editblocks.parsing.fences import SUGGESTION
from editblocks.report.commit_message import read_trailers
from editblocks.report.status.replies import read_reply
from editblocks.repos.github.client import GitHubApi, as_text, is_oid, oid, unless_missing
from editblocks.repos.github.objects import BRANCH, COMMENT_TEXT, REVIEWS, SUGGESTIONS, pull_request
from editblocks.repos.tree_modes import blob_id

THREAD_PAGES = 8  # pages of review threads, 50 each, that are searched for suggestions
MOST_INLINE = 100  # inline comments of a review; the query asks for as many

_KNOWN_IDS = {WORKFLOW_LOGIN: 41898282}  # on every server: https://api.github.com/users/github-actions[bot]
_REVERTS = re.compile("This reverts commit ([0-9a-f]{40})")  # the words of git and GitHub in a revert commit
_EXACT_ROLES = {"admin": (), "write": ("write", "maintain"), "read": ("read", "triage"), "none": ()}
_REGULAR = (0o100644, 0o100755)


class PullReader:
    """The pull request of an event, or its branch if the event has no number. Every method raises `RepoError`."""

    def __init__(self, api: GitHubApi, event: Task, no_reply: str) -> None:
        owner, _, name = event.repository.partition("/")
        self.api = api
        self.event = event
        self.no_reply = no_reply
        self.repository = api.repository(event.repository)
        self._variables: dict[str, object] = {"owner": owner, "name": name}
        if event.number is None:
            self._variables["ref"] = f"refs/heads/{event.branch}"
        else:
            self._variables["number"] = event.number

    @property
    def rest_pull(self) -> RestPull:
        """PyGithub's pull request, without a request. Only valid if the event has a number."""
        return self.repository.get_pull(self.event.number or 0)

    @property
    def rest_issue(self) -> Issue:
        """The pull request as an issue, which has the comments outside threads."""
        return self.repository.get_issue(self.event.number or 0)

    def look(self, name: str = "Live") -> Pull:
        """Read the whole current state. Raises `RepoError` (`closed`) if the branch is gone. `name` is for the log."""
        comment = self.event.comment
        pull = None
        if comment is not None:  # GitHub may not find a comment that was just posted
            find = partial(self._look, name, comment)
            pull = unless_missing(lambda: self.api.with_retries(find, trouble=Trouble.MISSING))
        # Without a pull, no comment caused the run, or the comment is gone.
        return pull or self._look(name, None)

    def look_until(self, is_final: Callable[[Pull], object]) -> Pull:
        """Call `look` until `is_final` accepts the state, at most three times."""
        return self.api.read_until(self.look, is_final)

    def role(self) -> str | None:
        """Ask for the role of the event's author: admin, maintain, write, triage, read or none; None if unknown."""
        author = self.event.author
        # Not `Repository.get_collaborator_role_name`, whose result does not show the id of the account.
        path = f"{self.repository.url}/collaborators/{quote(author.login)}/permission"

        def ask() -> str:
            payload = self.api.requester.requestJsonAndCheck("GET", path)[1]
            if payload["user"]["id"] != author.id:
                raise ValueError("the login belongs to somebody else now")
            # `permission` says write for maintain and read for triage; `role_name` is more exact.
            permission = payload["permission"]
            role = payload.get("role_name")
            return str(role) if role in _EXACT_ROLES[permission] else str(permission)

        return self.api.find("reading a permission", ask)

    @property
    def rest_comment(self) -> IssueComment | PullRequestComment | None:
        """The comment of the event, without a request; None for a review, to which reactions are not possible."""
        comment = self.event.comment
        if comment is not None and comment.kind == COMMENT:
            return self.rest_issue.get_comment(comment.id)
        if comment is not None and comment.kind == REPLY:
            return self.rest_pull.get_review_comment(comment.id)
        return None

    def has_reply(self, pull: Pull) -> bool:
        """Whether the command of this run has a reply, which means that it must not be carried out."""
        comment = self.event.comment
        if comment is None:
            return False

        def is_reply(row: IssueComment | PullRequestComment) -> bool:
            is_ours = row.user is not None and row.user.login == pull.viewer.login  # None: the account was deleted
            return is_ours and read_reply(as_text(row.body)) == comment.source

        what = "looking for an answer"
        query = f"/comments?since={quote(comment.created_at)}"
        if comment.thread is not None:
            return any(map(any, self.api.pages(what, self.rest_pull.url + query, PullRequestComment, is_reply)))
        return any(map(any, self.api.pages(what, self.rest_issue.url + query, IssueComment, is_reply)))

    def current_comment(self, comment: Comment) -> Comment | None:
        """Read the current text of a comment. Return None if GitHub does not find the comment three times."""

        def read(data: Any) -> Comment:
            return current_comment_from(data["node"], comment)

        ask = partial(self.api.query, COMMENT_TEXT, {"source": comment.node_id}, "reading a comment", read)
        return unless_missing(lambda: self.api.with_retries(ask, trouble=Trouble.MISSING))

    def suggestions(self) -> tuple[tuple[Suggestion, ...], bool]:
        """Read the suggestions in open review threads, the newest `THREAD_PAGES` pages of threads.

        Also return whether these are all, so that no thread and no comment was left unread.
        """
        suggestions: list[Suggestion] = []
        are_all = True
        cursor: str | None = None
        what = "reading the review threads"
        for _ in range(THREAD_PAGES):
            variables = {**self._variables, "before": cursor}
            page, is_whole, cursor = self.api.query(SUGGESTIONS, variables, what, suggestions_from)
            suggestions += page
            are_all = are_all and is_whole
            if cursor is None:
                break
        suggestions.sort(key=lambda each: each.part.id)
        return tuple(suggestions), are_all and cursor is None

    def with_older_reviews(self, pull: Pull) -> Pull:
        """Return `pull` with one more page of older reviews."""

        def read(data: Any) -> Pull:
            page = data["repository"]["pullRequest"]["reviews"]
            older = [_post(node, pull.viewer) for node in page["nodes"]]
            return pull._replace(reviews=(*older, *pull.reviews), older_reviews=_before(page))

        return self.api.query(REVIEWS, {**self._variables, "before": pull.older_reviews}, "reading the reviews", read)

    def _look(self, name: str, comment: Comment | None) -> Pull:
        variables = dict(self._variables)
        query = BRANCH
        if self.event.number is not None:
            query = pull_request(name, with_comment=comment is not None)
        if comment is not None:
            variables["source"] = comment.node_id

        def read(data: Any) -> Pull:
            pull = pull_from(data, self.no_reply, comment)
            self._check_repository(data["repository"])
            return pull

        ask = partial(self.api.query, query, variables, "reading the pull request", read)
        return self.api.with_retries(ask, trouble=Trouble.BROKEN)  # GitHub may show a new head before its tree

    def _check_repository(self, node: Any) -> None:
        """Follow a new name of the repository. Raises `RepoError` if its old name now belongs to another one."""
        name = as_text(node["nameWithOwner"])
        if int(node["databaseId"]) != self.event.repository_id:
            reason = f"{self.event.repository} is no longer the repository that the event came from; nothing was done"
            raise RepoError(reason)
        # After a repository is renamed the event has the old name, but redirects of writes are not followed.
        if name != self.repository.full_name:
            self.repository = self.api.repository(name)


def pull_from(data: Any, no_reply: str, comment: Comment | None) -> Pull:
    """Parse the state of a pull request or branch, and of the comment if the query asked for it."""
    repository = data["repository"]
    pull = repository.get("pullRequest") or _as_pull(repository)
    viewer = _viewer(data["viewer"])
    default = repository["defaultBranchRef"]
    ref = pull["headRef"]
    commits = [node["commit"] for node in pull["commits"]["nodes"]]
    # The tree of the head is in one of the two: a deleted fork has no head ref, and the list of commits ends at 250.
    tips = {tip["oid"]: tip for tip in (*commits, (ref or {}).get("target")) if tip is not None}
    head = _head(tips[pull["headRefOid"]])
    policy, fault = _policy(pull["baseRef"])
    bot_commits, unproven = _bot_commits(commits, viewer, no_reply)
    threads = [node for thread in pull["reviewThreads"]["nodes"] for node in thread["comments"]["nodes"]]
    live = None
    if comment is not None and data["node"]:
        live = current_comment_from(data["node"], comment)
    return Pull(
        viewer=viewer,
        node_id=str(repository["id"]),
        default_branch=default and default["name"],
        default_policy=_policy(default)[0],  # also None if it cannot be read
        branch=str(pull["headRefName"]),
        is_protected=ref is not None and ref["refUpdateRule"] is not None,
        base=str(pull["baseRefName"]),
        head=head,
        commits=dict(map(_head, (*commits, tips[head.commit]))),
        bot_commits=tuple(bot_commits),
        unproven=tuple(unproven),
        reverted=frozenset(oid for commit in commits for oid in _REVERTS.findall(commit["message"])),
        base_policy=policy,
        base_policy_fault=fault,
        is_open=pull["state"] == "OPEN",
        is_merged=pull["state"] == "MERGED",
        is_queued=pull["isInMergeQueue"] is True,
        fork=_fork(pull, int(repository["databaseId"])),
        reviews=tuple(_post(node, viewer) for node in pull["reviews"]["nodes"]),
        older_reviews=_before(pull["reviews"]),
        threads=tuple(_post(node, viewer) for node in threads),
        comment=live,
        pulls=tuple(pull.get("pulls", ())),
    )


def _as_pull(repository: Any) -> dict[str, Any]:
    """Convert the response for a branch to the shape for a pull request. Raises `RepoError` if the branch is gone."""
    ref = repository["ref"]
    default = repository["defaultBranchRef"]
    if ref is None:
        raise RepoError("the branch is gone; nothing was done", ReasonCode.CLOSED)
    head = ref["target"]["oid"]
    pulls = ref["associatedPullRequests"]["nodes"]
    return {
        "headRef": ref,
        "headRefName": ref["name"],
        "headRefOid": head,
        "headRepository": repository,
        "isCrossRepository": False,
        "baseRef": default,
        "baseRefName": default["name"] if default else "",
        "state": "OPEN",
        "isInMergeQueue": False,
        "commits": {"nodes": [{"commit": commit} for commit in ref["target"]["history"]["nodes"][::-1]]},
        "reviews": {"nodes": [], "pageInfo": {"hasPreviousPage": False}},
        "reviewThreads": {"nodes": []},
        "pulls": [
            int(pull["number"]) for pull in pulls if pull["headRefOid"] == head and not pull["isCrossRepository"]
        ],
    }


def suggestions_from(data: Any) -> tuple[list[Suggestion], bool, str | None]:
    """Parse a page of review threads: its suggestions, whether all comments are there, and the cursor before it."""
    threads = data["repository"]["pullRequest"]["reviewThreads"]
    suggestions: list[Suggestion] = []
    are_all = True
    for thread in threads["nodes"]:
        if thread["isResolved"]:
            continue
        comments = thread["comments"]
        is_read = len(comments["nodes"]) == comments["totalCount"]
        are_all = are_all and is_read
        for node in comments["nodes"]:
            if not node["isMinimized"] and SUGGESTION.names[0] in as_text(node["body"]).lower():
                author = _author(node["author"])
                written_at = as_text(node["lastEditedAt"] or node["createdAt"])
                suggestions.append(Suggestion(_part(node, thread), author, written_at, as_text(thread["id"]), is_read))
    return suggestions, are_all, _before(threads)


def _before(rows: Any) -> str | None:
    """Return the cursor of the page before these rows, or None."""
    page = rows["pageInfo"]
    return page["startCursor"] if page["hasPreviousPage"] else None


def _head(node: Any) -> Head:
    return Head(oid(node["oid"]), oid(node["tree"]["oid"]))


def _author(actor: Any) -> Author:
    """Read an account, with the `[bot]` in the login of a bot that REST has and GraphQL lacks.

    An account that cannot sign in, such as that of an imported comment, is taken for a deleted one.
    """
    if actor is None or "databaseId" not in actor:
        return NOBODY
    kind = actor["__typename"]
    login = as_text(actor["login"])
    if kind == "Bot":
        login = f"{login.removesuffix('[bot]')}[bot]"
    return author_from({"login": login, "id": actor["databaseId"], "type": kind})


def _viewer(viewer: Any) -> Author:
    login = str(viewer["login"])
    # GitHub does not promise an id for the token of an app. With id 0 no post or commit is taken for ours.
    number = viewer["databaseId"] or _KNOWN_IDS.get(login, 0)
    return Author(login, int(number), is_bot=login.endswith("[bot]"))


def _fork(pull: Any, repository: int) -> str | None:
    head = pull["headRepository"]
    if head is None:
        return GONE_FORK
    is_other = pull["isCrossRepository"] or head["databaseId"] != repository
    return str(head["nameWithOwner"]) if is_other else None


def _post(node: Any, viewer: Author) -> Post:
    """Parse a review or a comment in a review thread. Only the latter has `replyTo`."""
    number = int(node["fullDatabaseId"])
    thread = None
    review = None
    if "replyTo" in node:
        thread = int((node["replyTo"] or node)["fullDatabaseId"])
        review = node["pullRequestReview"] and int(node["pullRequestReview"]["fullDatabaseId"])
    return Post(
        id=number,
        body=str(node["body"]),
        created_at=str(node["createdAt"]),
        written_at=str(node["lastEditedAt"] or node["createdAt"]),
        is_ours=node["viewerDidAuthor"] is True or _is(node["author"], viewer),
        is_untouched=node["editor"] is None or _is(node["editor"], viewer),
        thread=thread,
        review=review,
    )


def _policy(ref: Any) -> tuple[str | None, str]:
    """Return the text of the policy file of a branch (None if there is no file), and why it cannot be read, or ""."""
    target = ref and ref["target"]
    if not target:
        return None, "the branch cannot be read"
    if target["file"] is None:
        return None, ""
    blob = target["file"]["object"]
    if blob is None or blob["__typename"] != "Blob" or int(target["file"]["mode"]) not in _REGULAR:
        return None, "it is not a regular file"
    if blob["text"] is None or blob["isTruncated"] or blob["isBinary"]:
        return None, "it is not text of at most 64 KiB"
    if blob_id(str(blob["text"]).encode("utf-8", "surrogatepass")) != blob["oid"]:
        return None, "GitHub sent the wrong bytes; run the job again"
    return str(blob["text"]), ""


def _is(actor: Any, viewer: Author) -> bool:
    return actor is not None and actor.get("databaseId") == viewer.id


def _bot_commits(commits: Sequence[Any], viewer: Author, no_reply: str) -> tuple[list[BotCommit], list[BotCommit]]:
    """Split the commits with a message of our form into those that this token made, and others, in the same order.

    Anyone who can push can forge author and trailers. GitHub's web editor signs commits, but with the user as author.
    Only GitHub signs as a bot. Commits of a personal token are not signed: there only author and message are checked.
    """
    # https://docs.github.com/en/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
    email = f"{viewer.id}+{viewer.login}@{no_reply}"
    ours: list[BotCommit] = []
    others: list[BotCommit] = []
    for commit in commits:
        message = str(commit["message"])
        trailers = read_trailers(message)
        parents = commit["parents"]["nodes"]
        if trailers is None or not parents:
            continue
        bot_commit = BotCommit(
            commit=oid(commit["oid"]),
            parent=_head(parents[0]),
            text=message,
            created_at=str(commit["committedDate"]),
            source=trailers.get("source", "").rpartition("#")[2],
            digest=trailers.get("digest", ""),
            undoes=trailers.get("undo", ""),
            selected=trailers.get("selected", ""),
            applied_by=trailers.get("applied-by", ""),
        )
        is_signed = commit["signature"] == {"isValid": True, "wasSignedByGitHub": True}
        is_author = (commit["author"] or {}).get("email") == email
        if is_author and (is_signed or not viewer.is_bot):
            ours.append(bot_commit)
        else:
            others.append(bot_commit)
    return ours, others


def current_comment_from(node: Any, comment: Comment) -> Comment:
    """Parse the node of a comment.

    Some inline comments of a review are left out: replies, which have their own event, and comments that were edited
    after the review was submitted.
    """
    own = comment.parts[0]._replace(text=as_text(node["body"]), page=page_of(node.get("bodyHTML")))
    parts = [own]
    base = comment.base
    is_edited = node["lastEditedAt"] is not None
    fault = None
    if node["__typename"] == "PullRequestReview":
        submitted = as_text(node["submittedAt"])
        inline = [each for each in node["comments"]["nodes"] if each["replyTo"] is None]
        kept = [each for each in inline if each["lastEditedAt"] is None or str(each["lastEditedAt"]) <= submitted]
        threads = node["pullRequest"]["reviewThreads"]["nodes"]
        by_first = {thread["comments"]["nodes"][0]["fullDatabaseId"]: thread for thread in threads}
        parts += [_part(each, by_first.get(each["fullDatabaseId"])) for each in kept]
        commit = (node["commit"] or {}).get("oid")
        base = commit if is_oid(commit) else None
        is_edited = is_edited or len(kept) < len(inline)
        if int(node["comments"]["totalCount"]) > MOST_INLINE:
            what = f"the review has more than {MOST_INLINE} inline comments"
            fault = Refusal(ReasonCode.TOO_LARGE, what, "split it into several reviews")
    if fault is None and any(part.page is None for part in parts):
        fault = NO_PAGE
    via_email = _came_by_email(node)
    return comment._replace(parts=tuple(parts), base=base, is_edited=is_edited, via_email=via_email, fault=fault)


def _part(node: Any, thread: Any) -> Part:
    """Parse an inline comment. `thread` is the thread that it began, or None if that is not among the newest ones."""
    lines = None
    if thread is not None and node["subjectType"] == "LINE":
        sides = (thread["startDiffSide"], thread["diffSide"])
        commit = (node["originalCommit"] or {}).get("oid")
        lines = thread_lines(commit, (node["originalStartLine"], node["originalLine"]), sides)
    body = own_part(as_text(node["body"]), _came_by_email(node))
    return Part(int(node["fullDatabaseId"]), body, as_text(node["path"]), lines, page_of(node.get("bodyHTML")))


def _came_by_email(node: Any) -> bool:
    """Whether a comment was sent by e-mail. True if GitHub does not say."""
    return node["createdViaEmail"] is not False
