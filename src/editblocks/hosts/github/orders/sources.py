"""The response that one of our statuses is about, as it stands now."""

from __future__ import annotations

from dataclasses import dataclass

from editblocks.core.errors import ApiError, Trouble
from editblocks.core.outcome import Refusal, Response, Source
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.client.queries import REVIEWS
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.response_files import file_to_delete, find_file
from editblocks.hosts.github.pull.comment_text import CommentText
from editblocks.hosts.github.pull.context import Post, newest_statuses
from editblocks.hosts.github.pull.decode import reviews_from
from editblocks.hosts.github.pull.email import own_part
from editblocks.hosts.github.pull.event import COMMENT, PREFIXES, REPLY, REVIEW, Author, Comment, comment_from

PAGES = 9  # of older reviews, 50 each, that are searched for a source


@dataclass(frozen=True, slots=True)
class SourceResponse:
    """A response with what its status needs: its author, the thread it stands in, when it was written.

    `removes`: the response file that goes once it is applied; `fault`: why that file cannot be read.
    """

    response: Response
    author: Author | None
    thread: int | None = None
    since: str | None = None
    removes: str | None = None
    fault: Refusal | None = None
    is_edited: bool = False


def known_statuses(host: GitHubHost) -> tuple[Post, ...]:
    """Our status for each source, those below many reviews as well, the newest first. Raises `RepoError`."""
    context, posts = host.context, list(host.context.posts)
    owner, _, name = host.task.repository.partition("/")
    before = context.reviews.before
    for _ in range(PAGES):
        if before is None:
            break
        variables = {"owner": owner, "name": name, "number": host.task.number, "before": before}
        older = host.api.query(
            REVIEWS, variables, "reading the reviews", lambda data: reviews_from(data, host.pull.no_reply)
        )
        posts, before = [*posts, *reversed(older.reviews)], older.before
    return newest_statuses(posts)


def find_source(host: GitHubHost, source: str, digest: str) -> SourceResponse | None:
    """The response that a marker or a commit names; None if it is gone. `digest` is that of its text as it was.

    Raises `RepoError`.
    """
    for kind, prefix in PREFIXES.items():
        if source.startswith(prefix):
            pull = (host.task.repository, host.task.number or 0)
            comment = read_comment(host.api, pull, kind, int(source.removeprefix(prefix)))
            return None if comment is None else _find_source(host, comment, digest)
    file = find_file(host, source, digest)
    if file is None:
        return None
    fault = Refusal(file.problem.code, file.problem.what, file.problem.advice) if file.problem is not None else None
    return SourceResponse(file.response, None, removes=file_to_delete(host, file.response), fault=fault)


def read_comment(api: GitHubApi, pull: tuple[str, int], kind: str, number: int) -> Comment | None:
    """A comment by its number; None if there is none on this pull request, `owner/name` and its number.

    Raises `RepoError`.
    """
    repository, at = pull
    path = {
        COMMENT: f"/repos/{repository}/issues/comments/{number}",
        REVIEW: f"/repos/{repository}/pulls/{at}/reviews/{number}",
        REPLY: f"/repos/{repository}/pulls/comments/{number}",
    }[kind]
    try:
        comment, where = api.get(
            path, "reading a comment", lambda answer: (comment_from(answer, kind), str(answer["html_url"]))
        )
    except ApiError as error:
        if error.trouble is Trouble.MISSING:
            return None
        raise
    return comment if f"/pull/{at}#" in where else None


def _find_source(host: GitHubHost, comment: Comment, digest: str) -> SourceResponse | None:
    if comment.kind == REVIEW:
        words = host.pull.words(comment.node_id)
        if words is None:
            return None
    else:
        words = _as_checked(comment, digest)
    source = Source(comment.source, comment.kind, uri=host.address(comment.source), author=comment.author.login)
    response = words.response(source, comment.path, comment.base)
    is_edited = words.is_edited or comment.is_edited
    return SourceResponse(
        response, comment.author, comment.thread, comment.created_at, fault=words.fault, is_edited=is_edited
    )


def _as_checked(comment: Comment, digest: str) -> CommentText:
    """REST does not say what came by e-mail: it is what gives the text that was checked, else the smaller part."""
    whole = CommentText(comment.body)
    source = Source(comment.source, comment.kind)
    if whole.response(source).digest == digest:
        return whole
    return CommentText(own_part(comment.body, via_email=True))
