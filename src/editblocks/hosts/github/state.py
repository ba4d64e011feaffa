"""The values that are read from GitHub: a pull request or branch, its posts and commits, and further facts.

Nothing here sends a request; `reading.py` does.
"""

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from editblocks.config.policy import policy_from
from editblocks.core.blocks import Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import PolicyError
from editblocks.core.outcome import Part, Refusal, Response, Source
from editblocks.core.settings import Policy, Settings
from editblocks.hosts.github.event import PREFIXES, REPLY, REVIEW, Author, Comment, Task
from editblocks.report.status.links import StatusMarker, read_marker

WORKFLOW_LOGIN = "github-actions[bot]"  # the account of GITHUB_TOKEN
COMMITS = 50  # how many commits of a pull request are read; if there are fewer, these are all
# https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue
_QUEUE = "gh-readonly-queue/"
# https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
_ONLY_READ_ON_FORKS = {"pull_request", "pull_request_review", "pull_request_review_comment"}
COMMITTED = "rocket"  # the final reaction to a comment: COMMITTED or NEEDS_YOU
NEEDS_YOU = "confused"
FILE_PREFIX = "file-"  # the start of the ids of response files
GONE_FORK = "a repository that is gone"  # the name used for a deleted fork; a real name has no blanks
# https://git-scm.com/docs/git-check-ref-format; also no lone surrogates
_FORBIDDEN = re.compile(
    r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]|\.\.|@\{|//|\A(?:[-/]|refs/)|[/.]\Z|(?:\A|/)\.|\.lock(?:\Z|/)"
)
# The roles that reach the setting `permission`: https://docs.github.com/en/rest/collaborators/collaborators
ROLES = {"write": ("write", "maintain", "admin"), "maintain": ("maintain", "admin"), "admin": ("admin",)}
ANSWERED_ROLES = ("triage", *ROLES["write"])  # roles whose commands get a reply and not just a reaction
_NO_MARKER = StatusMarker("", "", None, State.NOTHING)


class Head(NamedTuple):
    """A commit and its root tree."""

    commit: str
    tree: str


def fragment_of(number: int, thread: int | None) -> str:
    """Return the URL fragment of a review, or of a comment in a thread, such as `discussion_r7`."""
    kind = REVIEW if thread is None else REPLY
    return f"{PREFIXES[kind]}{number}"


class Post(NamedTuple):
    """A review, or a comment in a review thread."""

    id: int
    body: str
    created_at: str
    written_at: str  # the time of its last edit
    is_ours: bool  # whether this token wrote it
    is_untouched: bool  # whether nobody else edited it; text that others edited is never posted again
    thread: int | None = None  # for a comment: the id of the first comment in its thread
    review: int | None = None  # for a comment: the id of its review

    @property
    def marker(self) -> StatusMarker:
        """The status marker in the first line, whoever wrote it, or an empty marker."""
        return read_marker(self.body) or _NO_MARKER

    @property
    def source(self) -> str:
        return self.marker.source

    @property
    def state(self) -> State:
        return self.marker.state

    @property
    def is_of_threads(self) -> bool:
        """Whether this is a status of the suggestions in review threads, which no command but `/undo` can mean."""
        return self.marker.of is not None

    @property
    def commit(self) -> str | None:
        """The commit that the marker names; None if somebody else edited the text."""
        return self.marker.commit if self.is_untouched else None

    def commit_for(self, response: Response) -> str | None:
        """Return the commit that the marker names, if it is for exactly this response, else None."""
        if self.marker.digest != response_digest(response):
            return None
        return self.commit

    @property
    def address(self) -> str:
        return fragment_of(self.id, self.thread)


class BotCommit(NamedTuple):
    """A commit of the pull request that this token made. `text` is its message."""

    commit: str
    parent: Head
    text: str
    created_at: str  # ISO 8601, by the server's clock
    source: str  # the id of the source: `issuecomment-2048812345`, or `file-` and 16 hex digits
    digest: str  # the digest of the response; empty if the commit reverts another one
    undoes: str  # the digest of the response whose commit it reverts; else empty
    selected: str  # the blocks, as a selector; empty if there were too many to name
    applied_by: str  # the login of the person who caused the commit


class Pull(NamedTuple):
    """A pull request, or a branch without one, as read in one request. `node_id` is that of the repository."""

    viewer: Author  # the account of the token; its `id` is 0 if unknown
    node_id: str
    default_branch: str | None
    default_policy: str | None
    branch: str
    is_protected: bool
    base: str  # the base branch; for a branch without a pull request, the default branch
    head: Head
    commits: Mapping[str, str]  # the newest commits of the pull request, and its head, each with its root tree
    bot_commits: tuple[BotCommit, ...]  # oldest first
    reverted: frozenset[str]  # commits that another commit reverts, according to its message
    base_policy: str | None  # the text of `.editblocks.yml` of the base branch
    base_policy_fault: str  # why that text cannot be read, or ""
    unproven: tuple[BotCommit, ...] = ()  # commits with a message like ours that this token has not made
    is_open: bool = True
    is_merged: bool = False
    is_queued: bool = False
    fork: str | None = None  # owner/name of the repository of the head, if it is another one
    reviews: tuple[Post, ...] = ()  # the newest reviews, oldest first
    older_reviews: str | None = None  # the cursor of the page before; None if all reviews were read
    threads: tuple[Post, ...] = ()  # comments in review threads
    comment: Comment | None = None  # the current comment that caused the run; None if it is gone
    pulls: tuple[int, ...] = ()  # for a branch: the open pull requests of this repository that have it as head

    def has_lost(self, commit: str | None) -> bool:
        """Whether a commit is certainly no longer in the pull request, for example after a force-push."""
        return commit is not None and commit not in self.commits and len(self.commits) < COMMITS

    @property
    def statuses(self) -> dict[str, Post]:
        """Our newest status of each source, ordered from the last created to the first."""
        posts = (*reversed(self.reviews), *reversed(self.threads))
        statuses: dict[str, Post] = {}
        for post in sorted(posts, key=lambda post: post.created_at, reverse=True):
            if post.is_ours and post.source:
                statuses.setdefault(post.source, post)
        return statuses

    def has_reviews_since(self, since: str) -> bool:
        """Whether all reviews after this time were read."""
        return self.older_reviews is None or not self.reviews or self.reviews[0].created_at < since

    def commit_of(self, post: Post) -> BotCommit | None:
        """Return the commit that our status names, if it is ours and in the pull request, else None."""
        return next((each for each in self.bot_commits if each.commit == post.commit), None)


class Suggestion(NamedTuple):
    """A comment with a `suggestion` fence in an unresolved review thread."""

    part: Part
    author: Author
    written_at: str  # the time of its last edit
    thread: str  # the GraphQL id of the thread
    is_thread_read: bool  # whether all comments of the thread were read


class SourceResponse(NamedTuple):
    """A response, and the comment it came from, if any. `problem`: why a file cannot be read (its text is empty)."""

    response: Response
    comment: Comment | None = None
    problem: Problem | None = None
    warnings: tuple[str, ...] = ()  # about the front matter of a file

    @property
    def fault(self) -> Refusal | None:
        """Why the whole response cannot be used, or None."""
        if self.problem is not None:
            return Refusal(self.problem.code, self.problem.what, self.problem.advice)
        return None if self.comment is None else self.comment.fault


class Fact(Enum):
    """A fact that a plan may need besides the pull request. Each takes one or a few requests."""

    ROLE = "the role of the author"
    OLDER_REVIEWS = "one more page of reviews"
    SOURCE = "the comment or review that a status or a commit names"
    FILES = "the response files of the head"
    SUGGESTIONS = "the suggestions in review threads that are open"
    HAS_REPLY = "whether the command has a reply"


class Question(NamedTuple):
    """A fact that a plan needs. For `SOURCE`: the id of the source, and the digest of the text that was checked."""

    fact: Fact
    source: str = ""
    digest: str = ""


class Site(NamedTuple):
    """The server, the run and the version of this program, for links and signatures."""

    server: str  # https://github.com
    docs: str  # the address of the pages of this version; "" if unknown
    run_id: int | None
    version: str

    @property
    def no_reply(self) -> str:
        """The host name of the server's no-reply e-mail addresses."""
        return f"users.noreply.{urlsplit(self.server).hostname}"


class GitHubState(NamedTuple):
    """All that was read for an event, and its settings. A fact that the plan has not asked for is None or empty."""

    event: Task
    site: Site
    pull: Pull
    policy: Policy  # the settings in force
    policy_fault: Refusal | None = None  # why the policy cannot be used, in which case nothing may be committed
    role: str | None = None  # the role of the author; None: not asked for; "": GitHub did not tell it
    pages: int = 0  # how many pages of older reviews were read into `pull`
    sources: Mapping[Question, SourceResponse | None] = MappingProxyType({})
    files: tuple[SourceResponse, ...] | None = None
    suggestions: tuple[Suggestion, ...] | None = None
    are_all_suggestions: bool = True  # no review thread and no comment in one was left unread
    has_reply: bool | None = None

    @property
    def settings(self) -> Settings:
        return self.policy.settings

    @property
    def only_reads(self) -> bool:
        """Whether the token of this run can only read, whatever the workflow says, so that nothing can be posted."""
        return self.pull.fork is not None and self.event.event_name in _ONLY_READ_ON_FORKS

    @property
    def comment_source_id(self) -> str:
        """The source id of the comment that caused the run, or ""."""
        comment = self.event.comment
        return "" if comment is None else comment.source

    def address(self, fragment: str) -> str:
        """Return the URL of a comment, review or reply on this pull request."""
        return f"{self.site.server}/{self.event.repository}/pull/{self.event.number}#{fragment}"

    def mode_refusal(self, done: str) -> Refusal | None:
        """Return a refusal in mode `check`, else None. `done` is the word for what was refused: committed or undone."""
        if self.settings.mode != "check":
            return None
        return Refusal(ReasonCode.NOT_PERMITTED, f"this workflow only checks (mode: check), so nothing was {done}")

    def response_of(self, comment: Comment) -> Response:
        uri = self.address(comment.source)
        return comment.response(Source(comment.source, comment.kind, uri=uri, author=comment.author.login))


def policy_in_force(pull: Pull, inputs: Mapping[str, Any]) -> tuple[Policy, Refusal | None]:
    """Return the policy of the base branch, limited by the inputs.

    If it is invalid, return the defaults in mode `check`, and why it cannot be used.
    """
    try:
        if pull.base_policy_fault:
            raise PolicyError(f".editblocks.yml on {pull.base}: {pull.base_policy_fault}", pull.base)
        policy = policy_from(
            pull.base_policy, pull.default_policy, inputs, branch=pull.base, default_branch=pull.default_branch or ""
        )
    except PolicyError as error:
        settings = Settings(mode="check", reactions=bool(inputs.get("reactions", True)))
        return Policy(settings), Refusal(error.code, error.message, policy_branch=error.branch)
    return policy, None


def branch_refusal(pull: Pull) -> Refusal | None:
    """Return a refusal if nothing may be written to the branch of this pull request, whoever asks, else None."""
    if pull.is_queued:
        return Refusal(ReasonCode.CLOSED, "the pull request is in the merge queue, so its branch is not changed")
    if pull.fork is not None:
        is_gone = pull.fork == GONE_FORK
        advice = "in the fork, apply the patch from the status"
        if is_gone:
            advice = "post them on a pull request of a branch that exists"
        return Refusal(ReasonCode.FORK, f"this workflow does not write to {pull.fork}", advice, is_gone)
    if not is_branch_name(pull.branch):
        return Refusal(ReasonCode.BRANCH_REFUSED, "git does not allow the name of the branch", "use another one")
    if pull.branch.startswith(_QUEUE):
        return Refusal(ReasonCode.BRANCH_REFUSED, "the merge queue made this branch, so it is not changed")
    advice = "use a pull request from another branch"
    if pull.branch == pull.default_branch:
        return Refusal(ReasonCode.BRANCH_REFUSED, f"{pull.branch} is the default branch", advice)
    if pull.is_protected:
        return Refusal(ReasonCode.BRANCH_REFUSED, f"{pull.branch} is protected", advice)
    return None


def permission_refusal(author: Author, role: str | None, least: str, words: str = "/apply") -> Refusal | None:
    """Return a refusal if this account with this role (None: unknown) may not give the command `words`, else None."""
    login = author.login
    ask = f"ask somebody with {least} access to comment `{words}`"
    if author.is_bot:
        reason = f"{login} is a bot, and bots' blocks are only checked; {ask}"
    elif author.via_app:
        reason = f"{login} wrote through an app, and such blocks are only checked; post them without the app"
    elif role is None:
        reason = f"GitHub did not say what access {login} has; run the job again"
    elif role not in ROLES[least]:
        reason = (
            f"{login} has {role} access, applying needs {least}; ask somebody with that access to comment `{words}`"
        )
    else:
        return None
    return Refusal(ReasonCode.NOT_PERMITTED, reason)


def is_branch_name(name: str) -> bool:
    """Whether `git check-ref-format --branch` accepts `name`, and `name` does not start with `refs/`."""
    return name not in {"", "@", "HEAD"} and not _FORBIDDEN.search(name)
