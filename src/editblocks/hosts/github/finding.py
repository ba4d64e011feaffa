"""Find the response that a status, a commit, a replay or another answer names, as it is now.

An answer that begins with `fixes:` is joined with the one that it names: docs/reference/action.md, "joined rounds".
"""

from __future__ import annotations

from itertools import islice

from github.IssueComment import IssueComment
from github.PullRequestComment import PullRequestComment
from github.PullRequestReview import PullRequestReview

from editblocks.core.characters import quote
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import binding, response_digest
from editblocks.core.errors import ConfigError
from editblocks.core.outcome import Refusal, Response
from editblocks.hosts.github.cases import SourceResponse
from editblocks.hosts.github.context import OVER, Post, newest_statuses
from editblocks.hosts.github.event import COMMENT, PREFIXES, REPLY, REVIEW, Comment, Task, comment_from, own_part
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.response_files import file_at, id_of_file
from editblocks.parsing.fixes import Fixes, read_fixes
from editblocks.repos.github.client import GitHubApi, text

PAGES = 9  # pages of older reviews, 50 each, that are searched for statuses
MOST_ROUNDS = 9  # answers that are planned together


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
    repository = api.repository(task.repository)

    def ask() -> tuple[Comment, str]:
        # each by a request of its own: with its first field, or at once
        answer: IssueComment | PullRequestComment | PullRequestReview
        if kind == COMMENT:
            answer = repository.get_issue(task.number or 0).get_comment(number)
        elif kind == REPLY:
            answer = repository.get_pull(task.number or 0).get_review_comment(number)
        else:
            answer = repository.get_pull(task.number or 0).get_review(number)
        return comment_from(answer.raw_data, kind), text(answer.html_url)

    comment, where = api.find("reading a comment", ask) or (None, "")
    return comment if f"/pull/{task.number}#" in where else None


def find_source(
    host: GitHubHost, source: str, digest: str, *, seen: frozenset[str] = frozenset(), by: str = ""
) -> SourceResponse | None:
    """Find the response that a marker or a commit names; None if it is gone. `digest`: of its text at the check.

    `seen`: the answers of the round so far. `by`: the one that corrects it, whose commit may have deleted the file.
    """
    comment = _comment_now(host, source, digest)
    if comment is not None:
        return with_earlier(host, SourceResponse(host.response_of(comment), comment), seen)
    file = None if _kind(source) is not None else _find_file(host, source, digest, by)
    return with_earlier(host, file, seen) if file is not None else None


def _kind(source: str) -> str | None:
    return next((kind for kind, prefix in PREFIXES.items() if source.startswith(prefix)), None)


def _comment_now(host: GitHubHost, source: str, digest: str) -> Comment | None:
    """The comment of a source as it is now; None if it is gone, or a file. Raises `RepoError`."""
    kind = _kind(source)
    comment = None if kind is None else _read_comment(host.api, host.task, kind, int(source[len(PREFIXES[kind]) :]))
    if comment is not None and kind == REVIEW:
        return host.pull.now(comment)
    if comment is not None and response_digest(host.response_of(comment)) != digest:
        # REST does not say whether a comment came by e-mail: the text that was checked may be a part of it
        return comment._replace(body=own_part(comment.body, via_email=True))
    return comment


def _find_file(host: GitHubHost, source: str, digest: str | None, by: str) -> SourceResponse | None:
    """Find the response file that a marker or a commit names: as it is in the head, else as it was applied."""
    file = file_at(host, host.context.head, source)
    if file is not None:
        return file
    same = [each for each in host.context.bot_commits if (each.source, each.digest) == (source, digest)]
    same = same or [each for each in host.context.bot_commits if each.source == by]
    file = file_at(host, same[-1].parent, source) if same else None
    return file if file is not None and digest in {None, response_digest(file.response)} else None


# joined rounds


def with_earlier(host: GitHubHost, source: SourceResponse, seen: frozenset[str] = frozenset()) -> SourceResponse:
    """Join a source with the one that its line `fixes:` names; if that cannot be, its result will say why.

    Raises `RepoError`.
    """
    said = read_fixes(source.response.body)
    if said is None or said.is_unreadable or source.problem is not None:
        return source
    seen |= {source.response.source.id}
    ids, name = _ids(said), quote(said.name)
    posts = host.context.posts if host.task.number is None else known_statuses(host)
    post = next((post for post in posts if post.source in ids), None)
    if not ids.isdisjoint(seen):
        return _alone(source, "it names itself, or an answer that corrects it")
    if len(seen) >= MOST_ROUNDS:
        return _alone(source, f"no more than {MOST_ROUNDS} answers are planned together; post all blocks again")
    if post is not None and post.marker is not None:
        earlier = find_source(host, post.source, post.marker.digest, seen=seen, by=source.response.source.id)
        reason = _why_not(host, source, earlier, post, name)
    else:  # files of one push have no status yet
        own = source.response.source
        file = _find_file(host, id_of_file(said.name), None, own.id) if own.path is not None else None
        earlier = with_earlier(host, file, seen) if file is not None else None
        reason = "" if earlier is not None and earlier.problem is None else f"there is no check of {name} here"
    if earlier is None or reason:
        return _alone(source, reason)
    return _joined(host, source, earlier, post, said)


def _ids(said: Fixes) -> set[str]:
    """What a source that is named so may be called in a marker."""
    return {id_of_file(said.name), *(f"{prefix}{said.name}" for prefix in PREFIXES.values())}


def _why_not(host: GitHubHost, source: SourceResponse, earlier: SourceResponse | None, post: Post, name: str) -> str:
    """Why an answer is not planned together with the one whose status is `post`; empty if it is."""
    marker, own = post.marker, source.response.source.id
    if earlier is None or marker is None:
        return f"{name} cannot be found any more"
    if post.state in OVER:
        return f"{OVER[post.state]} of {name} is in the branch already"
    decided = (marker.digest, marker.bound or "")
    is_as_checked = decided == (response_digest(earlier.response), binding(earlier.response))
    if not post.is_untouched or not is_as_checked or earlier.problem is not None:
        return f"{name} was edited after its check"
    if marker.next not in {None, own} and has_gone_on(host, post):
        return f"{name} was corrected by another answer already"
    if marker.next != own and not _may_correct(host, source, earlier):
        return f"{name} is somebody else's, and its blocks wait for people who may apply them"
    return ""


def has_gone_on(host: GitHubHost, post: Post) -> bool:
    """Whether the answer that corrects the source of a status is still there, and still says so. Raises `RepoError`."""
    marker = post.marker
    if marker is None or marker.next is None:
        return False
    comment = _comment_now(host, marker.next, "")
    file = file_at(host, host.context.head, marker.next) if _kind(marker.next) is None else None
    response = host.response_of(comment) if comment is not None else file.response if file is not None else None
    said = read_fixes(response.body) if response is not None else None
    is_committed = any(each.source == marker.next for each in host.context.bot_commits)  # its file may be deleted
    return is_committed or (said is not None and post.source in _ids(said))


def _may_correct(host: GitHubHost, source: SourceResponse, earlier: SourceResponse) -> bool:
    """Whether the author of `source` may have the blocks of `earlier` looked at with the own ones."""
    if source.comment is None:  # whoever pushes a file can push the other one as well
        return True
    author, task = source.comment.author, host.task
    if earlier.comment is not None and earlier.comment.author.id == author.id:
        return True
    return author.id == task.author.id and not task.author.is_bot and host.role_refusal(host.pull.role()) is None


def _joined(
    host: GitHubHost, source: SourceResponse, earlier: SourceResponse, post: Post | None, said: Fixes
) -> SourceResponse:
    own, marker = source.response, post.marker if post is not None else None
    before = host.context.status_of(own.source.id)
    decided = before.marker if before is not None and before.is_untouched else None
    is_same = decided is not None and decided.digest == response_digest(own)
    replaces = decided.fixes if decided is not None and is_same else frozenset[int]()
    response = own._replace(earlier=earlier.response, replaces=replaces)
    host.checks[own.source.id] = lambda: _changed(host, response)
    if post is not None and marker is not None:
        host.markers[own.source.id] = {**host.markers.get(earlier.response.source.id, {}), post.source: marker}
    skip = (marker.skip if marker is not None else frozenset()) | earlier.skip
    has_suggestions = earlier.comment is not None and earlier.comment.has_suggestions
    return source._replace(
        response=response, waits=earlier.waits or has_suggestions, skip=skip - (replaces or said.numbers)
    )


def _changed(host: GitHubHost, response: Response) -> Refusal | None:
    """The refusal if an earlier text of a joined round is another one now; files are looked at in the tree."""
    for each in response.rounds[1:]:
        if each.source.path is not None:
            continue
        digest = response_digest(each)
        now = _comment_now(host, each.source.id, digest)
        if now is None or response_digest(host.response_of(now)) != digest:
            what = f"{quote(each.source.name)}, which this answer corrects, changed after the check"
            return Refusal(ReasonCode.SOURCE_EDITED, what, "post the blocks again")
    return None


def _alone(source: SourceResponse, reason: str) -> SourceResponse:
    return source._replace(response=source.response._replace(unjoined=reason))
