"""What is known of a pull request or a branch on GitHub, and what follows from it; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Refusal, Response
from editblocks.hosts.github.pull.branch_names import is_branch_name
from editblocks.hosts.github.pull.comment_text import CommentText
from editblocks.report.status.links import Marker, read_marker

# The account of GITHUB_TOKEN, the same everywhere: https://api.github.com/users/github-actions[bot]
WORKFLOW_LOGIN, WORKFLOW_ID = "github-actions[bot]", 41898282
#
#
# https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue
COMMITS = 50  # what is asked for of a pull request: if there are fewer, these are all
_QUEUE = "gh-readonly-queue/"
GONE_FORK = "a repository that is gone"  # what a fork is called that was deleted; no name has blanks
_POST_ELSEWHERE = "post them on a pull request of a branch that exists"


@dataclass(frozen=True, slots=True)
class Head:
    """A commit and its root tree."""

    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class Post:
    """A review, or a comment in a review thread. `is_ours`: this token wrote it; `is_untouched`: nobody else edited it.

    `thread` is the first comment of its thread and `review` the review it belongs to, None for a review itself.
    """

    id: int
    node_id: str
    body: str
    created_at: str
    is_ours: bool
    is_untouched: bool
    thread: int | None = None
    review: int | None = None
    edited_at: str | None = None

    @property
    def written_at(self) -> str:
        """When it got the text it has, ISO 8601, by the server's clock."""
        return self.edited_at or self.created_at

    @property
    def marker(self) -> Marker | None:
        """The marker of a status in its first line, whoever wrote it there."""
        return read_marker(self.body)


@dataclass(frozen=True, slots=True)
class Reviews:
    """The newest reviews, oldest first; `before` leads to older ones, None if these are all."""

    reviews: tuple[Post, ...]
    before: str | None


@dataclass(frozen=True, slots=True)
class BotCommit:
    """A commit of the pull request that may be this token's: its root tree, its message, its parent, its time."""

    commit: str
    tree: str
    text: str  # the commit's message
    parent: Head
    created_at: str  # ISO 8601, by the server's clock


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The text of `.editblocks.yml`, None if there is none; `fault` is why it cannot be read."""

    text: str | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Pull:
    """The state of the pull request at one moment."""

    is_open: bool
    is_merged: bool
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

    def wrote(self, row: Any) -> bool:
        """Whether a comment or a reaction in a REST answer is this account's; the id of some is not known."""
        user = row["user"] or {"id": -1, "login": ""}
        return bool(user["id"] == self.id if self.id else user["login"] == self.login)


@dataclass(frozen=True, slots=True)
class Context:
    """All that is known before planning. `node_id` is the repository's, `threads` are comments in review threads.

    `number` is the pull request's; None for a branch without one, whose base is then the default branch.
    """

    number: int | None
    viewer: Viewer
    node_id: str
    repository_id: int
    default_branch: str | None
    branch: str
    fork: str | None  # owner/name of the repository that the head is in, if that is another one
    is_protected: bool
    pull: Pull
    older: frozenset[str]  # commits of the pull request before its head, the newest ones
    bot_commits: tuple[BotCommit, ...]
    reverted: frozenset[str]  # commits that others say they take back, as `git revert` says it
    reviews: Reviews
    threads: tuple[Post, ...]
    via_email: bool  # whether the comment came by e-mail; False if it is gone
    policy: PolicyFile  # of the base branch
    default_policy: PolicyFile

    @property
    def commits(self) -> frozenset[str]:
        """The commits of the pull request that are known: the newest `COMMITS` of them."""
        return self.older | {bot_commit.commit for bot_commit in self.bot_commits} | {self.pull.head.commit}

    def has_lost(self, commit: str | None) -> bool:
        """Whether a commit is known to have gone from the pull request: somebody rewound it, or pushed another one."""
        return commit is not None and commit not in self.commits and len(self.commits) < COMMITS

    @property
    def posts(self) -> tuple[Post, ...]:
        """Every review and comment in a thread that is known, the newest first."""
        return tuple(sorted((*self.reviews.reviews, *self.threads), key=lambda post: post.created_at, reverse=True))

    @property
    def statuses(self) -> tuple[Post, ...]:
        """Our status for each source, the newest of several; the newest first."""
        return newest_statuses(self.posts)


@dataclass(frozen=True, slots=True)
class LatestState:
    """The last look before writing. `words` are what its author wrote; None: the comment is gone.

    `posts` are the newest reviews and comments in threads, those of one kind oldest first.
    """

    repository_id: int
    pull: Pull
    words: CommentText | None
    posts: tuple[Post, ...] = ()


@dataclass(frozen=True, slots=True)
class PushedBranch:
    """Where a branch is after a push, and the open pull requests of this repository that it is the head of."""

    context: Context
    pulls: tuple[int, ...]


def branch_refusal(context: Context) -> Refusal | None:
    """Why nothing may be written to this pull request, whoever asks for it."""
    if context.pull.is_queued:
        return Refusal(ReasonCode.CLOSED, "the pull request is in the merge queue, so its branch is left alone")
    if context.fork is not None:
        is_gone = context.fork == GONE_FORK
        advice = _POST_ELSEWHERE if is_gone else "apply the patch from the status there"
        return Refusal(ReasonCode.FORK, f"this workflow does not write to {context.fork}", advice, is_gone)
    if not is_branch_name(context.branch):
        return Refusal(ReasonCode.BRANCH_REFUSED, "git does not allow the name of the branch", "use another one")
    if context.branch.startswith(_QUEUE):
        return Refusal(ReasonCode.BRANCH_REFUSED, "the merge queue made this branch, so it is left alone")
    if context.branch == context.default_branch or context.is_protected:
        kind = "the default branch" if context.branch == context.default_branch else "protected"
        return Refusal(ReasonCode.BRANCH_REFUSED, f"{context.branch} is {kind}", "use a pull request from another one")
    return None


def commits_for(response: Response, bot_commits: tuple[BotCommit, ...]) -> tuple[BotCommit, ...]:
    """The commits whose trailers name this response, the newest first; their content is still to be compared."""
    source = response.source.uri or response.source.id
    wanted = {f"Edit-Blocks-Source: {source}", f"Edit-Blocks-Digest: {response.digest}"}
    return tuple(each for each in reversed(bot_commits) if wanted <= set(each.text.split("\n")))


def newest_statuses(posts: Iterable[Post]) -> tuple[Post, ...]:
    """Our status for each source, the newest of several; `posts` are the newest first."""
    by_source: dict[str, Post] = {}
    for post in posts:
        if post.is_ours and post.marker is not None:
            by_source.setdefault(post.marker.source, post)
    return tuple(by_source.values())


def status_of(source: str, posts: Iterable[Post]) -> Post | None:
    """Our status for a source, the newest if there are several; `posts` are the oldest first."""
    ours = (post for post in reversed(tuple(posts)) if post.is_ours)
    return next((post for post in ours if post.marker and post.marker.source == source), None)


def commit_of(status: Post | None, response: Response) -> str | None:
    """The commit that our status names for exactly this text, if nobody else has edited the status."""
    marker = status.marker if status is not None and status.is_untouched else None
    return marker.commit if marker is not None and marker.digest == response.digest else None
