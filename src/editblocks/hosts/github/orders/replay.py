"""`workflow_dispatch`: a comment that is looked at again, with the authority of whoever wrote it.

Rules: docs/reference/action.md, "events".
"""

from __future__ import annotations

from editblocks.core.errors import ConfigError
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.orders.sources import read_comment
from editblocks.hosts.github.pull.event import COMMENT, OUR_MARKER, REPLAY, REPLY, REVIEW, Replay, Task


def task_of_replay(api: GitHubApi, replay: Replay) -> Task:
    """The task of the comment, be it a comment, a reply in a thread or a review. Raises `ConfigError` if it is none."""
    for kind in (COMMENT, REPLY, REVIEW):
        comment = read_comment(api, (replay.repository, replay.number), kind, replay.comment)
        if comment is not None and kind == REPLY and comment.thread is None:
            raise ConfigError(f"comment-id: {replay.comment} begins a thread; give the number of its review")
        if comment is not None and not comment.body.startswith(OUR_MARKER):
            name, number = replay.repository, replay.repository_id
            return Task(REPLAY, name, number, replay.number, comment.author, comment)
    reason = f"comment-id: pull request {replay.number} has no comment or review {replay.comment}; look at its address"
    raise ConfigError(reason)
