"""GitHub states made by hand, for tests of `plan_run` without a server."""

from collections.abc import Sequence
from typing import Any

from editblocks.core.codes import State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Part
from editblocks.core.settings import Policy, Settings
from editblocks.hosts.github.event import COMMENT, PREFIXES, Author, Comment, Task
from editblocks.hosts.github.state import BotCommit, GitHubState, Head, Post, Pull, Site
from editblocks.report.status.links import StatusMarker

SITE = Site("https://github.com", "", None, "1.0.0")
HEAD = Head("a" * 40, "b" * 40)
DONE = "c" * 40
VIEWER = Author("editblocks[bot]", 7, is_bot=True)
OCTOCAT = Author("octocat", 1, is_bot=False)
BOT = Author("hubot", 2, is_bot=True)


def time(minute: int) -> str:
    return f"2026-01-01T00:{minute:02d}:00Z"


def comment(body: str, minute: int, author: Author = OCTOCAT, **facts: Any) -> Comment:
    """A comment of the conversation. Its id grows with its time, as on GitHub."""
    return Comment(COMMENT, f"IC_{minute}", author, time(minute), (Part(100 + minute, body),), **facts)


def pull(posts: Sequence[Post] = (), commits: Sequence[BotCommit] = (), **facts: Any) -> Pull:
    """An open pull request; `posts` are reviews."""
    common: dict[str, Any] = {
        "viewer": VIEWER,
        "node_id": "R_1",
        "default_branch": "main",
        "default_policy": None,
        "branch": "topic",
        "is_protected": False,
        "base": "main",
        "head": HEAD,
        "commits": dict.fromkeys([HEAD.commit, *(each.commit for each in commits)], HEAD.tree),
        "bot_commits": tuple(commits),
        "reverted": frozenset(),
        "base_policy": None,
        "base_policy_fault": "",
        "reviews": tuple(posts),
    }
    return Pull(**{**common, **facts})


def state(said: Comment, on: Pull | None = None, *, event: str = "issue_comment", **facts: Any) -> GitHubState:
    """The state after the action has read the comment `said`. `facts` are further fields, for what it fetches later."""
    task = Task(event, "octocat/shop", 5, 3, said.author, said)
    return GitHubState(task, SITE, on or pull(), **{"policy": policy(), **facts})


def policy(**settings: Any) -> Policy:
    return Policy(Settings(**settings))


def status(about: Comment, result: State, minute: int, commit: str | None = None, **facts: Any) -> Post:
    """The status, a review by the bot, for a comment."""
    digest = response_digest(GitHubState(Task("", "", 0, 3, OCTOCAT), SITE, pull(), policy()).response_of(about))
    marker = StatusMarker(f"{PREFIXES[COMMENT]}{about.id}", digest, HEAD.commit, result, commit)
    written = time(minute)
    return Post(900 + minute, f"{marker}\n### Status", written, written, is_ours=True, is_untouched=True, **facts)


def commit(about: Comment, minute: int, **facts: Any) -> BotCommit:
    """A commit by the bot with all blocks of a comment."""
    digest = response_digest(GitHubState(Task("", "", 0, 3, OCTOCAT), SITE, pull(), policy()).response_of(about))
    values: dict[str, Any] = {
        "commit": DONE,
        "parent": HEAD,
        "text": "Apply\n\n1 of 1 edit block",
        "created_at": time(minute),
        "source": about.source,
        "digest": digest,
        "undoes": "",
        "selected": "all",
        "applied_by": "octocat",
    }
    return BotCommit(**{**values, **facts})
