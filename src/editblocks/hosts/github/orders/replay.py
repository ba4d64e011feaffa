"""`workflow_dispatch`: a remark that is looked at again, with the authority of whoever wrote it.

Rules: docs/reference/action.md, "events".
"""

from __future__ import annotations

from editblocks.core.errors import ConfigError
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.orders.sources import read_remark
from editblocks.hosts.github.pull.event import COMMENT, OUR_MARKER, REPLAY, REPLY, REVIEW, Replay, Task


def replayed(api: GitHubApi, replay: Replay) -> Task:
    """The task of the remark, be it a comment, a reply in a thread or a review. Raises `ConfigError` if it is none."""
    for kind in (COMMENT, REPLY, REVIEW):
        remark = read_remark(api, (replay.repository, replay.number), kind, replay.comment)
        if remark is not None and kind == REPLY and remark.thread is None:
            raise ConfigError(f"comment-id: {replay.comment} begins a thread; give the number of its review")
        if remark is not None and not remark.body.startswith(OUR_MARKER):
            name, number = replay.repository, replay.repository_id
            return Task(REPLAY, name, number, replay.number, remark.author, remark)
    reason = f"comment-id: pull request {replay.number} has no comment or review {replay.comment}; look at its address"
    raise ConfigError(reason)
