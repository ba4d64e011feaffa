"""The state of a pull request or a branch on GitHub as values, and pure functions over them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from github.IssueComment import IssueComment
from github.PullRequestComment import PullRequestComment
from github.Reaction import Reaction

from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Refusal, Response
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.event import Author, Comment
from editblocks.report.status.links import Marker, read_marker

WORKFLOW_LOGIN = "github-actions[bot]"  # the account of GITHUB_TOKEN
COMMITS = 50  # how many commits of a pull request are asked for; fewer means that these are all
# https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue
_QUEUE = "gh-readonly-queue/"
GONE_FORK = "a repository that is gone"  # stands for a deleted fork; a real name has no blanks
# https://git-scm.com/docs/git-check-ref-format; and no half of a surrogate pair
_FORBIDDEN = re.compile(
    r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]|\.\.|@\{|//|\A(?:[-/]|refs/)|[/.]\Z|(?:\A|/)\.|\.lock(?:\Z|/)"
)
# The roles that reach the setting `permission`: https://docs.github.com/en/rest/collaborators/collaborators
ROLES = {"write": ("write", "maintain", "admin"), "maintain": ("maintain", "admin"), "admin": ("admin",)}
HEARD = ("triage", *ROLES["write"])  # the roles that get an answer in words
_POST_ELSEWHERE = "post them on a pull request of a branch that exists"


OVER = {State.APPLIED: "all", State.PARTIAL: "what fits", State.NOTHING: "all"}  # what of a source is in the branch


class Head(NamedTuple):
    """A commit and its root tree."""

    commit: str
    tree: str


def fragment_of(number: int, thread: int | None) -> str:
    """The URL fragment of a review, or of a comment in a thread, such as `discussion_r7`."""
    return f"{'pullrequestreview-' if thread is None else 'discussion_r'}{number}"


class Post(NamedTuple):
    """A review, or a comment in a review thread."""

    id: int
    body: str
    created_at: str
    is_ours: bool  # this token wrote it
    is_untouched: bool  # nobody else edited it
    thread: int | None = None  # of a comment: the id of the first one in its thread
    review: int | None = None  # of a comment: the id of its review
    edited_at: str | None = None

    @property
    def written_at(self) -> str:
        """When its present text was written."""
        return self.edited_at or self.created_at

    @property
    def marker(self) -> Marker | None:
        """The status marker in its first line, whoever wrote it; None if there is none."""
        return read_marker(self.body)

    @property
    def source(self) -> str:
        return self.marker.source if self.marker else ""

    @property
    def is_of_file(self) -> bool:
        return self.source.startswith("file-")

    @property
    def state(self) -> State | None:
        return self.marker.state if self.marker else None

    @property
    def commit(self) -> str | None:
        """The commit that the marker names; None if somebody else edited the text."""
        return self.marker.commit if self.marker and self.is_untouched else None

    def commit_for(self, response: Response) -> str | None:
        """The commit that it names for exactly this text."""
        return self.commit if self.marker and self.marker.digest == response_digest(response) else None

    @property
    def address(self) -> str:
        return fragment_of(self.id, self.thread)


class BotCommit(NamedTuple):
    """A commit of the pull request that this token made: by its author, its signature and its message (`text`)."""

    commit: str
    parent: Head
    text: str
    created_at: str  # ISO 8601, by the server's clock
    source: str  # the id of the response: `issuecomment-2048812345`, or `file-` and 16 hex digits
    digest: str  # the response's; empty if the commit reverts another one
    undoes: str  # the digest of the response whose commit it reverts
    selected: str  # the blocks, as a selector; empty if there were too many to name
    applied_by: str  # the login that asked for it

    @property
    def is_removal(self) -> bool:
        """Whether it only deletes a response file, as every block was in the branch already."""
        return "\n0 of " in self.text


class Viewer(NamedTuple):
    """The account of the token; `id` is 0 if unknown, `email` is the address that GitHub puts into its commits."""

    id: int
    login: str
    email: str

    @property
    def is_bot(self) -> bool:
        return self.login.endswith("[bot]")

    def wrote(self, row: IssueComment | PullRequestComment | Reaction) -> bool:
        """Whether this account wrote a comment or a reaction; compares logins if its id is unknown."""
        author = row.user
        if author is None:  # the account was deleted
            return False
        return author.id == self.id if self.id else author.login == self.login


class Context(NamedTuple):
    """A pull request, or a branch without one, as one answer shows it. `node_id` is the repository's."""

    viewer: Viewer
    node_id: str
    repository_id: int
    repository: str  # owner/name, as it is now
    default_branch: str | None
    default_policy: str | None
    branch: str
    is_protected: bool
    base: str  # of a branch: the default branch
    head: Head
    commits: frozenset[str]  # the newest of the pull request, and its head
    bot_commits: tuple[BotCommit, ...]  # the oldest first
    reverted: frozenset[str]  # commits that the message of another commit reverts, in the words of `git revert`
    policy: str | None  # the text of `.editblocks.yml` of the base branch
    policy_fault: str  # why it cannot be read
    is_open: bool = True
    is_merged: bool = False
    is_queued: bool = False
    fork: str | None = None  # owner/name of the head's repository, if that is another one
    reviews: tuple[Post, ...] = ()  # the newest, the oldest first
    older_reviews: str | None = None  # the cursor to those before; None if these are all
    threads: tuple[Post, ...] = ()  # comments in review threads
    comment: Comment | None = None  # that caused the run, as it is now; None if it is gone
    pulls: tuple[int, ...] = ()  # of a branch: the open pull requests of this repository whose head it is

    def has_lost(self, commit: str | None) -> bool:
        """Whether a commit is known to have gone from the pull request, for example by a force-push."""
        return commit is not None and commit not in self.commits and len(self.commits) < COMMITS

    @property
    def posts(self) -> tuple[Post, ...]:
        """The reviews and the comments in threads that were read, the newest first."""
        return tuple(sorted((*self.reviews, *self.threads), key=lambda post: post.created_at, reverse=True))

    def status_of(self, source: str) -> Post | None:
        """Our newest status for a source."""
        return next((post for post in newest_statuses(self.posts) if post.source == source), None)

    def commit_of(self, post: Post) -> BotCommit | None:
        """The commit that our status names, if it is ours and in the pull request."""
        return next((each for each in self.bot_commits if each.commit == post.commit), None)


def newest_statuses(posts: Iterable[Post]) -> tuple[Post, ...]:
    """Return our newest status for each source; `posts` are the newest first."""
    by_source: dict[str, Post] = {}
    for post in posts:
        if post.is_ours and post.source:
            by_source.setdefault(post.source, post)
    return tuple(by_source.values())


def branch_refusal(context: Context) -> Refusal | None:
    """The refusal if nobody may have anything written to this pull request; None otherwise."""
    if context.is_queued:
        return Refusal(ReasonCode.CLOSED, "the pull request is in the merge queue, so its branch is left alone")
    if context.fork is not None:
        is_gone = context.fork == GONE_FORK
        advice = _POST_ELSEWHERE if is_gone else "apply the patch from the status there"
        return Refusal(ReasonCode.FORK, f"this workflow does not write to {context.fork}", advice, is_gone)
    if not is_branch_name(context.branch):
        return Refusal(ReasonCode.BRANCH_REFUSED, "git does not allow the name of the branch", "use another one")
    if context.branch.startswith(_QUEUE):
        return Refusal(ReasonCode.BRANCH_REFUSED, "the merge queue made this branch, so it is left alone")
    is_default = context.branch == context.default_branch
    if is_default or context.is_protected:
        what = f"{context.branch} is {'the default branch' if is_default else 'protected'}"
        return Refusal(ReasonCode.BRANCH_REFUSED, what, "use a pull request from another one")
    return None


def permission_refusal(author: Author, role: str | None, least: str) -> Refusal | None:
    """Why this account with this role (None: GitHub did not say it) may not have blocks committed; None if it may."""
    login, ask = author.login, f"ask somebody with {least} access to comment `/apply`"
    if author.is_bot:
        reason = f"{login} is a bot, and bots' blocks are only checked; {ask}"
    elif author.via_app:
        reason = f"{login} wrote through an app, and such blocks are only checked; post them without the app"
    elif role is None:
        reason = f"GitHub did not say what access {login} has; run the job again"
    elif role not in ROLES[least]:
        reason = f"{login} has {role} access, applying needs {least}; ask somebody with that access to comment `/apply`"
    else:
        return None
    return Refusal(ReasonCode.NOT_PERMITTED, reason)


def is_branch_name(name: str) -> bool:
    """Whether `git check-ref-format --branch` accepts `name`, and it is not a full ref name."""
    return name not in {"", "@", "HEAD"} and not _FORBIDDEN.search(name)
