"""Find the response that a status, a commit or a replay names, as it is now."""

from __future__ import annotations

from itertools import islice

from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError
from editblocks.hosts.github.cases import SourceResponse
from editblocks.hosts.github.context import Post, newest_statuses
from editblocks.hosts.github.event import COMMENT, PREFIXES, REPLY, REVIEW, Comment, Task, comment_from, own_part
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.response_files import file_at
from editblocks.repos.github.client import GitHubApi

PAGES = 9  # pages of older reviews, 50 each, that are searched for statuses


def known_statuses(host: GitHubHost) -> tuple[Post, ...]:
    """Our status for each source, the newest first, also from older pages of reviews; read once. Raises `RepoError`."""
    if host.statuses is None:
        posts = list(host.context.posts)
        for page in islice(host.pull.review_pages(host.context), 1, PAGES + 1):
            posts += reversed(page)
        host.statuses = newest_statuses(posts)
    return host.statuses


def task_of_replay(api: GitHubApi, task: Task, number: int) -> Task:
    """Find the comment, reply or review of a replay, whose author's permission counts. Raises `ConfigError`."""
    for kind in (COMMENT, REPLY, REVIEW):
        comment = _read_comment(api, task, kind, number)
        if comment is not None and kind == REPLY and comment.thread is None:
            raise ConfigError(f"comment-id: {number} begins a thread; give the number of its review")
        if comment is not None and not comment.has_our_marker:
            return task._replace(author=comment.author, comment=comment, replay=None)
    raise ConfigError(f"comment-id: pull request {task.number} has no comment or review {number}; look at its address")


def _read_comment(api: GitHubApi, task: Task, kind: str, number: int) -> Comment | None:
    """Read a comment by its number; None if this pull request has none. Raises `RepoError`."""
    kinds = {COMMENT: "issues/comments", REVIEW: f"pulls/{task.number}/reviews", REPLY: "pulls/comments"}
    path = f"/repos/{task.repository}/{kinds[kind]}/{number}"
    comment, where = api.find(
        path, "reading a comment", lambda answer: (comment_from(answer, kind), str(answer["html_url"]))
    ) or (None, "")
    return comment if f"/pull/{task.number}#" in where else None


def find_source(host: GitHubHost, source: str, digest: str) -> SourceResponse | None:
    """Find the response that a marker or a commit names; None if it is gone. `digest`: of its text at the check.

    Raises `RepoError`.
    """
    kind = next((kind for kind, prefix in PREFIXES.items() if source.startswith(prefix)), None)
    if kind is None:
        return _find_file(host, source, digest)
    comment = _read_comment(host.api, host.task, kind, int(source[len(PREFIXES[kind]) :]))
    if comment is not None and kind == REVIEW:
        comment = host.pull.now(comment)
    elif comment is not None and response_digest(host.response_of(comment)) != digest:
        # REST does not say whether a comment came by e-mail: the text that was checked may be a part of it
        comment = comment._replace(body=own_part(comment.body, via_email=True))
    return SourceResponse(host.response_of(comment), comment) if comment is not None else None


def _find_file(host: GitHubHost, source: str, digest: str) -> SourceResponse | None:
    """Find the response file that a marker or a commit names: as it is in the head, else as it was applied."""
    file = file_at(host, host.context.head, source)
    if file is not None:
        return file
    same = [each for each in host.context.bot_commits if (each.source, each.digest) == (source, digest)]
    file = file_at(host, same[-1].parent, source) if same else None
    return file if file is not None and response_digest(file.response) == digest else None
