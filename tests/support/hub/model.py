"""The records of the hub: users, tokens, repositories, pull requests, comments and reviews.

Tests may change them freely. `world.py` makes them, and `shapes.py` turns them into GitHub's JSON. Times are
ISO 8601 strings in UTC. Each `node_id` is unique in the whole world.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# The account behind GITHUB_TOKEN: https://api.github.com/users/github-actions[bot]
ACTIONS_LOGIN, ACTIONS_ID = "github-actions[bot]", 41898282
# https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user:
# In the API, `permission` has only the legacy base role (the value here), and `role_name` the role itself (the key).
BASE_ROLE = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}


@dataclass(slots=True)
class User:
    """A person or an app's bot (`login` ends with `[bot]`)."""

    login: str
    id: int

    @property
    def type(self) -> str:
        """`User` or `Bot`, as in the REST API."""
        return "Bot" if self.login.endswith("[bot]") else "User"

    @property
    def node_id(self) -> str:
        """Opaque to clients."""
        return f"{'BOT' if self.type == 'Bot' else 'U'}_{self.id}"

    @property
    def email(self) -> str:
        """The no-reply address that GitHub writes into commits made through the API."""
        return f"{self.id}+{self.login}@users.noreply.github.com"


@dataclass(slots=True)
class Token:
    """A credential. `permissions` is what it may write: actions, contents, pull_requests, issues, workflows."""

    value: str = field(repr=False)
    user: User
    kind: str  # "actions" (GITHUB_TOKEN), "app" (installation) or "personal"
    permissions: frozenset[str]

    @property
    def is_bot(self) -> bool:
        """Whether GitHub signs what this token commits without naming an author."""
        return self.kind != "personal"


@dataclass(slots=True)
class Rule:
    """Classic protection of one branch. `pushers` are the logins that may push anyway."""

    pushers: frozenset[str] = frozenset()
    requires_signatures: bool = False


@dataclass(slots=True)
class Repository:
    """A repository or a fork. `refs` is the prefix of its refs in the store, which all repositories share."""

    id: int
    owner: User
    name: str
    refs: str = "refs/"
    parent: "Repository | None" = None
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    roles: dict[str, str] = field(default_factory=dict)  # login → admin, maintain, write, triage or read
    protection: dict[str, Rule] = field(default_factory=dict)  # branch → what `refUpdateRule` shows
    rulesets: dict[str, str] = field(default_factory=dict)  # branch → message; visible only when a push is refused
    former_names: list[str] = field(default_factory=list)  # "owner/name" that now answer 301
    workflows: dict[str, bool] = field(default_factory=dict)  # file on the default branch → has workflow_dispatch?
    dispatches: list[tuple[str, str]] = field(default_factory=list)  # (file, branch) of each workflow started by hand

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"

    @property
    def node_id(self) -> str:
        """Opaque to clients."""
        return f"R_{self.id}"

    def ref(self, branch: str) -> str:
        """Where the store keeps a branch."""
        return f"{self.refs}heads/{branch}"


@dataclass(slots=True)
class Reaction:
    """One person's reaction of one kind."""

    id: int
    user: User
    content: str
    created_at: str


@dataclass(slots=True)
class Remark:
    """The common fields of comments, reviews and review comments: a text, its author and its history."""

    id: int
    author: User
    body: str
    created_at: str
    updated_at: str
    last_edited_at: str | None = None
    editor: User | None = None
    deleted: bool = False
    via_email: bool = False
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True)
class Comment(Remark):
    """A comment in the conversation of a pull request: an issue comment in the API, where pull requests are issues."""

    app: str | None = None  # slug of the app in `performed_via_github_app`

    @property
    def node_id(self) -> str:
        """Opaque to clients."""
        return f"IC_{self.id}"


@dataclass(slots=True)
class Review(Remark):
    """A submitted review; its inline comments carry `review_id`."""

    state: str = "COMMENTED"
    commit_id: str = ""

    @property
    def node_id(self) -> str:
        """Opaque to clients."""
        return f"PRR_{self.id}"


@dataclass(slots=True)
class ReviewComment(Remark):
    """An inline comment. Lines are 1-based, of the new file for side RIGHT and of the old file for LEFT.

    `original_*` is where it was written. `commit_id` and `line` follow the branch; `line` None means outdated.
    """

    review_id: int = 0
    path: str = ""
    commit_id: str = ""
    original_commit_id: str = ""
    line: int | None = 0
    original_line: int = 0
    start_line: int | None = None
    side: str = "RIGHT"
    diff_hunk: str = ""
    in_reply_to: int | None = None  # the first comment of its thread
    resolved: bool = False  # of the first comment: whether its thread is resolved
    minimized: bool = False  # hidden by somebody with the permission to do so

    @property
    def node_id(self) -> str:
        """Opaque to clients."""
        return f"PRRC_{self.id}"


@dataclass(slots=True)
class PullRequest:
    """A pull request. `head_oid` follows the branch while the pull request is open (`World.head`)."""

    id: int
    number: int
    author: User
    title: str
    repository: Repository
    base_ref: str
    head_ref: str
    head_repository: Repository | None
    head_oid: str
    created_at: str
    state: str = "open"  # open, closed or merged
    queued: bool = False
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    review_comments: list[ReviewComment] = field(default_factory=list)

    @property
    def node_id(self) -> str:
        """Opaque to clients."""
        return f"PR_{self.id}"

    @property
    def threads(self) -> list[list[ReviewComment]]:
        """The inline comments that are not deleted, grouped by thread, oldest first."""
        there = [each for each in self.review_comments if not each.deleted]
        firsts = dict.fromkeys(each.in_reply_to or each.id for each in there)
        return [[each for each in there if (each.in_reply_to or each.id) == first] for first in firsts]

    def first_of(self, item: ReviewComment) -> ReviewComment:
        """The first comment of the thread that `item` belongs to."""
        return next(each for each in self.review_comments if each.id == (item.in_reply_to or item.id))

    @property
    def is_fork(self) -> bool:
        """Whether the head is in another repository, or its repository is gone."""
        return self.head_repository is not self.repository


class Event(NamedTuple):
    """An event that starts workflow runs. `payload` is the content of the run's event file.

    `also` are the other events that GitHub sends for the same action. `reads_only`: the GITHUB_TOKEN cannot write.
    """

    name: str
    payload: Mapping[str, object]
    repository: Repository
    also: "tuple[Event, ...]" = ()
    reads_only: bool = False
