"""Turn the world into GraphQL objects: mappings from field names to values, or to functions of the field's arguments.

The types: https://docs.github.com/en/graphql/reference/objects. For a new field, add a key.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from support.hub import objects
from support.hub.connections import Refusal, connection
from support.hub.model import Comment, PullRequest, Repository, Review, ReviewComment, Token, User
from support.hub.policy import may_write, push_refusal
from support.hub.rendering import html_of
from support.hub.shapes import association
from support.hub.store import ZERO
from support.hub.world import World

View = dict[str, Any]


class Viewer(NamedTuple):
    """The world as the owner of a token sees it."""

    world: World
    token: Token
    html_url: str

    def root(self) -> View:
        """The fields of `Query` and `Mutation`."""
        return {
            "viewer": self.viewer,
            "repository": self.find_repository,
            "node": self.node,
            "nodes": lambda ids: [self.node(id=each) for each in ids],
            "updateRefs": self.update_refs,
            "resolveReviewThread": self.resolve_thread,
            "addPullRequestReviewThreadReply": self.answer_thread,
        }

    def viewer(self) -> View:
        """Here a bot's login has `[bot]`, unlike in `actor`: https://github.com/fullsend-ai/fullsend/pull/1953."""
        user = self.token.user
        return {"__typename": "User", "id": user.node_id, "databaseId": user.id, "login": user.login}

    def find_repository(self, owner: str, name: str, **_: Any) -> View:
        """A repository by its current or a former name."""
        wanted = f"{owner}/{name}"
        for each in self.world.repositories:
            names = {known.lower() for known in (each.full_name, *each.former_names)}
            if wanted.lower() in names and (
                self.token.is_bot or self.world.role(each, self.token.user.login) != "none"
            ):
                return self.repository(each)
        raise Refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{wanted}'.")

    def node(self, **arguments: str) -> View:
        """A comment, review, pull request or repository by its node id."""
        wanted = arguments["id"]
        for pull, remark in self.world.remarks():
            if remark.node_id == wanted:
                return self.remark(pull, remark)
        for pull in self.world.pull_requests:
            if pull.node_id == wanted:
                return self.pull_request(pull)
        for repo in self.world.repositories:
            if repo.node_id == wanted:
                return self.repository(repo)
        raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'")

    # repositories and pull requests

    def repository(self, repo: Repository) -> View:
        """`Repository`."""
        return {
            "__typename": "Repository",
            "id": repo.node_id,
            "databaseId": repo.id,
            "name": repo.name,
            "nameWithOwner": repo.full_name,
            "owner": lambda: actor(repo.owner),
            "isArchived": repo.archived,
            "isFork": repo.parent is not None,
            "isPrivate": repo.private,
            "url": f"{self.html_url}/{repo.full_name}",
            "defaultBranchRef": lambda: self.ref(repo, repo.default_branch),
            "ref": lambda **given: self.ref(repo, given["qualifiedName"].removeprefix("refs/heads/")),
            "object": lambda expression=None, oid=None: self.find(repo, expression or oid or ""),
            "pullRequest": lambda number: self.find_pull(repo, number),
        }

    def find(self, repo: Repository, expression: str) -> View | None:
        """`GitObject` by its oid or an expression. A commit has `associatedPullRequests`."""
        found = objects.find(self.world, repo, expression)
        if found is None or found["__typename"] != "Commit":
            return found
        return found | {
            "associatedPullRequests": lambda **page: connection(
                "associatedPullRequests", self.pulls_with(repo, found["oid"]), **page
            )
        }

    def pulls_with(self, repo: Repository, oid: str) -> list[View]:
        """The merged pull requests with a commit, and the open ones unless the default branch has the commit.

        https://docs.github.com/en/graphql/reference/objects#commit, `associatedPullRequests`
        """
        world, tip = self.world, self.world.branch(repo.default_branch, repo)
        states = {"merged"} if tip and world.contains(oid, tip) else {"merged", "open"}
        pulls = [each for each in world.pull_requests if each.repository is repo and each.state in states]
        return [self.pull_request(each) for each in pulls if self.has(each, oid)]

    def has(self, pull: PullRequest, oid: str) -> bool:
        """Whether a commit belongs to a pull request."""
        world, base = self.world, self.world.branch(pull.base_ref, pull.repository)
        return world.contains(oid, world.head(pull)) and not (
            base and pull.state == "open" and world.contains(oid, base)
        )

    def find_pull(self, repo: Repository, number: int) -> View:
        """A pull request by its number."""
        found = self.world.pull(number, repo)
        if found is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self.pull_request(found)

    def pull_request(self, pull: PullRequest) -> View:
        """`PullRequest`."""
        head_repo, base_repo = pull.head_repository, pull.repository
        told = [each for each in pull.comments if not each.deleted]
        return {
            "__typename": "PullRequest",
            "id": pull.node_id,
            "databaseId": pull.id,
            "fullDatabaseId": str(pull.id),
            "number": pull.number,
            "title": pull.title,
            "createdAt": pull.created_at,
            "isDraft": False,
            "url": f"{self.html_url}/{base_repo.full_name}/pull/{pull.number}",
            "author": lambda: actor(pull.author),
            "state": pull.state.upper(),
            "closed": pull.state != "open",
            "merged": pull.state == "merged",
            "isInMergeQueue": pull.queued,
            "isCrossRepository": pull.is_fork,
            "repository": lambda: self.repository(base_repo),
            "baseRepository": lambda: self.repository(base_repo),
            "baseRefName": pull.base_ref,
            "baseRefOid": lambda: self.world.branch(pull.base_ref, base_repo) or ZERO,
            "baseRef": lambda: self.ref(base_repo, pull.base_ref),
            "headRepository": lambda: self.repository(head_repo) if head_repo else None,
            "headRefName": pull.head_ref,
            "headRefOid": lambda: self.world.head(pull),
            "headRef": lambda: self.ref(head_repo, pull.head_ref) if head_repo else None,
            "commits": lambda **page: connection("commits", self.pull_commits(pull), **page),
            "reviews": lambda **given: self.reviews(pull, **given),
            "reviewThreads": lambda **page: connection(
                "reviewThreads", [self.thread(pull, each) for each in pull.threads], **page
            ),
            "comments": lambda **page: connection("comments", [self.remark(pull, each) for each in told], **page),
        }

    def reviews(self, pull: PullRequest, states: list[str] | None = None, **page: Any) -> View:
        """The reviews with one of these states (None: all), oldest first."""
        rows = [each for each in pull.reviews if states is None or each.state in states]
        return connection("reviews", [self.remark(pull, each) for each in rows], **page)

    def pull_commits(self, pull: PullRequest) -> list[View]:
        """`PullRequestCommit`s, oldest first."""
        base = self.world.branch(pull.base_ref, pull.repository)
        history = self.world.store.history(base, self.world.head(pull)) if base else []
        return [{"id": f"PRC_{each.oid}", "commit": objects.commit(self.world, each)} for each in history]

    def ref(self, repo: Repository, branch: str) -> View | None:
        """`Ref`. `refUpdateRule` shows classic protection to this viewer, but not rulesets."""
        oid = self.world.branch(branch, repo)
        if oid is None:
            return None
        return {
            "id": f"REF_{repo.id}_{branch}",
            "name": branch,
            "prefix": "refs/heads/",
            "repository": lambda: self.repository(repo),
            "target": lambda: self.find(repo, oid),
            "refUpdateRule": lambda: self.rule(repo, branch),
            "associatedPullRequests": lambda **given: self.pulls_from(repo, branch, **given),
        }

    def pulls_from(self, repo: Repository, branch: str, states: list[str] | None = None, **page: Any) -> View:
        """The pull requests whose head is a branch: https://docs.github.com/en/graphql/reference/objects#ref"""
        pulls = [each for each in self.world.pull_requests if each.head_repository is repo and each.head_ref == branch]
        rows = [self.pull_request(each) for each in pulls if states is None or each.state.upper() in states]
        return connection("associatedPullRequests", rows, **page)

    def rule(self, repo: Repository, branch: str) -> View | None:
        """`RefUpdateRule`, null for an unprotected branch."""
        rule = repo.protection.get(branch)
        if rule is None:
            return None
        flags = ("allowsDeletions", "allowsForcePushes", "blocksCreations", "requiresCodeOwnerReviews")
        more = ("requiresConversationResolution", "requiresLinearHistory", "viewerAllowedToDismissReviews")
        return {
            **dict.fromkeys((*flags, *more), False),
            "pattern": branch,
            "requiredApprovingReviewCount": 1,
            "requiredStatusCheckContexts": [],
            "requiresSignatures": rule.requires_signatures,
            "viewerCanPush": self.token.user.login in rule.pushers,
        }

    # comments and reviews

    def remark(self, pull: PullRequest, remark: Comment | Review | ReviewComment) -> View:
        """`IssueComment`, `PullRequestReview` or `PullRequestReviewComment`.

        `databaseId` is a 32-bit Int, so an id above 2,147,483,647 is an error there. `fullDatabaseId` is a string.
        """
        shared: View = {
            "id": remark.node_id,
            "databaseId": remark.id,
            "fullDatabaseId": str(remark.id),
            "body": remark.body,
            "bodyHTML": lambda: html_of(remark),
            "author": lambda: actor(remark.author),
            "editor": lambda: actor(remark.editor) if remark.editor else None,
            "createdAt": remark.created_at,
            "updatedAt": remark.updated_at,
            "lastEditedAt": remark.last_edited_at,
            "createdViaEmail": remark.via_email,
            "viewerDidAuthor": remark.author is self.token.user,
            "pullRequest": lambda: self.pull_request(pull),
            "authorAssociation": association(self.world, pull.repository, remark.author),
            "url": f"{self.html_url}/{pull.repository.full_name}/pull/{pull.number}#{_fragment(remark)}",
        }
        if isinstance(remark, Review):
            return shared | self.review(pull, remark)
        if isinstance(remark, ReviewComment):
            return shared | self.review_comment(pull, remark)
        return shared | {"__typename": "IssueComment"}

    def review(self, pull: PullRequest, review: Review) -> View:
        """The fields of `PullRequestReview` beyond the shared ones."""
        rows = [each for each in pull.review_comments if each.review_id == review.id and not each.deleted]
        return {
            "__typename": "PullRequestReview",
            "state": review.state,
            "submittedAt": review.created_at,
            "commit": lambda: self.find(pull.repository, review.commit_id),
            "comments": lambda **page: connection("comments", [self.remark(pull, each) for each in rows], **page),
        }

    def review_comment(self, pull: PullRequest, item: ReviewComment) -> View:
        """The fields of `PullRequestReviewComment` beyond the shared ones."""
        review = next((each for each in pull.reviews if each.id == item.review_id), None)
        there = (each for each in pull.review_comments if not each.deleted)
        parent = next((each for each in there if each.id == item.in_reply_to), None)
        return {
            "__typename": "PullRequestReviewComment",
            "path": item.path,
            "line": item.line,
            "originalLine": item.original_line,
            "startLine": item.start_line if item.line else None,
            "originalStartLine": item.start_line,
            "outdated": item.line is None,
            "subjectType": "LINE",
            "isMinimized": item.minimized,
            "state": "SUBMITTED",
            "diffHunk": item.diff_hunk,
            "commit": lambda: self.find(pull.repository, item.commit_id),
            "originalCommit": lambda: self.find(pull.repository, item.original_commit_id),
            "pullRequestReview": lambda: self.remark(pull, review) if review else None,
            "replyTo": lambda: self.remark(pull, parent) if parent else None,
        }

    def thread(self, pull: PullRequest, comments: list[ReviewComment]) -> View:
        """`PullRequestReviewThread`: https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread"""
        first = comments[0]
        return {
            "__typename": "PullRequestReviewThread",
            "id": f"PRRT_{first.in_reply_to or first.id}",
            "path": first.path,
            "line": first.line,
            "originalLine": first.original_line,
            "startLine": first.start_line if first.line else None,
            "originalStartLine": first.start_line,
            "diffSide": first.side,
            "startDiffSide": first.side if first.start_line else None,
            "isOutdated": first.line is None,
            "isResolved": first.resolved,
            "isCollapsed": first.resolved or first.line is None,
            "comments": lambda **page: connection("comments", [self.remark(pull, each) for each in comments], **page),
        }

    # mutations

    def resolve_thread(self, **arguments: Mapping[str, Any]) -> View:
        """https://docs.github.com/en/graphql/reference/mutations#resolvereviewthread. It does not name a permission."""
        pull, first = self._thread(arguments["input"]["threadId"])
        if not may_write(self.world, self.token, pull.repository) or not self.world.may_resolve:
            raise Refusal("FORBIDDEN", "Resource not accessible by integration")
        first.resolved = True
        return {"clientMutationId": None}

    def answer_thread(self, **arguments: Mapping[str, Any]) -> View:
        """https://docs.github.com/en/graphql/reference/mutations#addpullrequestreviewthreadreply"""
        given = arguments["input"]
        pull, first = self._thread(given["pullRequestReviewThreadId"])
        if self.token.is_bot and "pull_requests" not in self.token.permissions:
            raise Refusal("FORBIDDEN", "Resource not accessible by integration")
        self.world.reply(pull, self.token.user.login, given["body"], first)
        return {"clientMutationId": None}

    def _thread(self, node_id: str) -> tuple[PullRequest, ReviewComment]:
        for pull in self.world.pull_requests:
            for comments in pull.threads:
                if self.thread(pull, comments)["id"] == node_id:
                    return pull, comments[0]
        raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'")

    def update_refs(self, **arguments: Mapping[str, Any]) -> View:
        """Move all refs or none. `beforeOid` must be the ref's current commit; `ZERO` means that the ref is absent.

        The fields: https://docs.github.com/en/graphql/reference/input-objects#refupdate. The text of GitHub's refusal
        is unknown [U], so clients must read the ref to learn what happened.
        """
        given = arguments["input"]
        repo = next((each for each in self.world.repositories if each.node_id == given["repositoryId"]), None)
        if repo is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{given['repositoryId']}'")
        if not may_write(self.world, self.token, repo):
            raise Refusal("FORBIDDEN", "Resource not accessible by integration")
        moves = [self.move(repo, update) for update in given["refUpdates"]]
        self.world.store.update_refs(moves)
        return {"clientMutationId": given.get("clientMutationId")}

    def move(self, repo: Repository, update: Mapping[str, Any]) -> tuple[str, str, str]:
        """Check one update, and return it as `(ref, new, old)` for `Store.update_refs`. Raises `Refusal`."""
        name, new = update["name"], update["afterOid"]
        if not name.startswith("refs/heads/"):
            raise Refusal("UNPROCESSABLE", f"{name} is not a branch")
        branch = name.removeprefix("refs/heads/")
        old = self.world.branch(branch, repo) or ZERO
        if update.get("beforeOid") not in {None, old}:
            raise Refusal("UNPROCESSABLE", f"Expected {name} to be at {update['beforeOid']}")
        if new != ZERO and self.world.store.commit(new) is None:
            raise Refusal("UNPROCESSABLE", f"No commit exists with the oid {new}")
        if ZERO not in {old, new} and not update.get("force") and not self.world.contains(old, new):
            raise Refusal("UNPROCESSABLE", f"{name} is not a fast forward")
        refusal = push_refusal(self.world, self.token, repo, branch, new) if new != ZERO else None
        if refusal:
            raise Refusal("UNPROCESSABLE", refusal)
        return repo.ref(branch), new, old


def _fragment(remark: Comment | Review | ReviewComment) -> str:
    name = {Comment: "issuecomment-", Review: "pullrequestreview-", ReviewComment: "discussion_r"}[type(remark)]
    return f"{name}{remark.id}"


def actor(user: User) -> View:
    """`Actor`. Here a bot's login has no `[bot]`: https://github.com/anthropics/claude-code-action/pull/1516"""
    login = user.login.removesuffix("[bot]")
    return {"__typename": user.type, "id": user.node_id, "databaseId": user.id, "login": login}
