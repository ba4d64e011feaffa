"""Find the response that one of our statuses is about, with its text as it is now, and the comment of a replay."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from editblocks.core.errors import ConfigError
from editblocks.core.outcome import Refusal, Response
from editblocks.hosts.github.comment import (
    COMMENT,
    OUR_MARKER,
    PREFIXES,
    REPLY,
    REVIEW,
    Author,
    Comment,
    CommentText,
    comment_from,
    own_part,
)
from editblocks.hosts.github.context import Post, newest_statuses
from editblocks.hosts.github.event import REPLAY, Task
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.response_files import file_to_delete, find_file
from editblocks.repos.github.client import GitHubApi

PAGES = 9  # pages of older reviews, 50 each, that are searched for statuses


class SourceResponse(NamedTuple):
    """A response with what its status needs: its author, its thread, and when it was written (`since`).

    `removes`: the response file that is deleted when it is applied. `fault`: why it cannot be used as a whole.
    """

    response: Response
    author: Author | None = None
    thread: int | None = None
    since: str | None = None
    removes: str | None = None
    fault: Refusal | None = None
    is_edited: bool = False


def known_statuses(host: GitHubHost) -> tuple[Post, ...]:
    """Return our status for each source, the newest first, also from older pages of reviews. Raises `RepoError`."""
    posts = list(host.context.posts)
    for page in islice(host.pull.review_pages(host.context), 1, PAGES + 1):
        posts += reversed(page)
    return newest_statuses(posts)


def find_source(host: GitHubHost, source: str, digest: str) -> SourceResponse | None:
    """Find the response that a marker or a commit names; None if it is gone. `digest` is that of its text at the check.

    Raises `RepoError`.
    """
    for kind, prefix in PREFIXES.items():
        if source.startswith(prefix):
            number = int(source.removeprefix(prefix))
            comment = _read_comment(host.api, host.task, kind, number)
            return None if comment is None else _find_source(host, comment, digest)
    file = find_file(host, source, digest)
    if file is None:
        return None
    response, problem = file
    fault = Refusal(problem.code, problem.what, problem.advice) if problem is not None else None
    return SourceResponse(response, removes=file_to_delete(host, response), fault=fault)


def task_of_replay(api: GitHubApi, task: Task, number: int) -> Task:
    """Find the comment of a replay, a reply in a thread or a review, and return its task, by the author's permission.

    Raises `ConfigError` if there is none.
    """
    for kind in (COMMENT, REPLY, REVIEW):
        comment = _read_comment(api, task, kind, number)
        if comment is not None and kind == REPLY and comment.thread is None:
            raise ConfigError(f"comment-id: {number} begins a thread; give the number of its review")
        if comment is not None and not comment.body.startswith(OUR_MARKER):
            return Task(REPLAY, task.repository, task.repository_id, task.number, comment.author, comment)
    reason = f"comment-id: pull request {task.number} has no comment or review {number}; look at its address"
    raise ConfigError(reason)


def _read_comment(api: GitHubApi, task: Task, kind: str, number: int) -> Comment | None:
    """Read a comment by its number; None if this pull request has none. Raises `RepoError`."""
    kinds = {COMMENT: "issues/comments", REVIEW: f"pulls/{task.number}/reviews", REPLY: "pulls/comments"}
    path = f"/repos/{task.repository}/{kinds[kind]}/{number}"
    comment, where = api.find(
        path, "reading a comment", lambda answer: (comment_from(answer, kind), str(answer["html_url"]))
    ) or (None, "")
    return comment if f"/pull/{task.number}#" in where else None


def _find_source(host: GitHubHost, comment: Comment, digest: str) -> SourceResponse | None:
    source = host.source_of(comment)
    words: CommentText | None = CommentText(comment.body)
    if comment.kind == REVIEW:
        words = host.pull.words(comment.node_id)
    elif words is not None and words.response(source).digest != digest:
        # REST does not say whether a comment came by e-mail: the text that was checked may be a part of it
        words = CommentText(own_part(comment.body, via_email=True))
    if words is None:
        return None
    return SourceResponse(
        words.response(source, comment.path, comment.base),
        comment.author,
        comment.thread,
        comment.created_at,
        fault=words.fault,
        is_edited=words.is_edited or comment.is_edited,
    )
