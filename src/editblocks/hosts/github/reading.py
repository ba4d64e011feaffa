"""Ask GitHub: for the state that an event is about, and for each further fact that a plan turns out to need."""

from __future__ import annotations

from collections.abc import Callable

from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError
from editblocks.hosts.github.event import (
    COMMENT,
    NO_PAGE,
    PREFIXES,
    REPLAY,
    REPLY,
    REVIEW,
    Comment,
    Task,
    comment_from,
    own_part,
)
from editblocks.hosts.github.event import unix as unix_text
from editblocks.hosts.github.pull_request import PullReader
from editblocks.hosts.github.replies import has_ended, is_answered
from editblocks.hosts.github.response_files import file_at, files_at
from editblocks.hosts.github.state import Fact, GitHubState, Head, Question, Rules, Site, SourceResponse
from editblocks.repos.github.branch import GitHubBranch
from editblocks.repos.github.client import GitHubApi, text
from editblocks.repos.stores.github_repo import GitHubRepo

# https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types
_WITH_HTML = "application/vnd.github.full+json"


def read_state(api: GitHubApi, event: Task, site: Site) -> tuple[PullReader, GitHubState]:
    """Read the pull request or the branch of an event, and its comment as it is now; also what to read more with.

    Raises `RepoError`.
    """
    if event.replay is not None:
        event = task_of_replay(api, event, event.replay)
    reader = PullReader(api, event, site.no_reply)
    pull = reader.look("Context")
    if event.number is None and pull.pulls:  # after a push to the branch of a pull request
        event = event._replace(number=pull.pulls[0])
        reader = PullReader(api, event, site.no_reply)
        pull = reader.look("Context")
    return reader, GitHubState(event, site, pull, _as_read(event, pull.comment), cursor=pull.older_reviews)


def answer(reader: PullReader, state: GitHubState, rules: Rules, question: Question) -> GitHubState:
    """The state with one more fact. Raises `RepoError`."""
    if question.fact is Fact.ROLE:
        return state._replace(role=reader.role() or "")
    if question.fact is Fact.OLDER_REVIEWS:
        page, cursor = reader.older_reviews(state.cursor or "")
        older = (*state.older_reviews, *reversed(page))
        return state._replace(older_reviews=older, cursor=cursor, pages=state.pages + 1)
    if question.fact is Fact.IS_ANSWERED:
        return state._replace(is_answered=is_answered(reader, state.pull))
    if question.fact is Fact.HAS_ENDED:
        return state._replace(has_ended=has_ended(reader, state.pull))
    if question.fact is Fact.SUGGESTIONS:
        return state._replace(suggestions=reader.suggestions())
    if question.fact is Fact.FILES:
        found = files_at(repo_at(reader, state, state.pull.head), rules.settings)
        return state._replace(files=found.files, warnings=found.warnings, faults=found.faults)
    return state._replace(sources={**state.sources, question: _find_source(reader, state, rules, question)})


def repo_at(
    reader: PullReader, state: GitHubState, head: Head, confirm: Callable[[], None] = lambda: None
) -> GitHubRepo:
    """The branch at a commit. `confirm`: see `GitHubRepo`."""
    branch = GitHubBranch(reader.api, reader.repository, state.pull.node_id, state.pull.branch)
    return GitHubRepo(branch, head.commit, head.tree, confirm=confirm)


def _as_read(event: Task, live: Comment | None) -> Comment | None:
    """The comment of an event, and whether it was edited since then (a replay: since it was posted).

    Of a review, the event lacks the inline comments.
    """
    comment = event.comment
    if comment is None or live is None:  # it is gone, which is found out before a commit
        return comment and comment._replace(is_edited=False)
    is_same = unix_text(live.body) == unix_text(own_part(comment.body, live.via_email))
    is_edited = comment.kind == REVIEW and not is_same
    if event.event == REPLAY:
        is_edited = live.is_edited
    if comment.kind == REVIEW:
        return live._replace(is_edited=is_edited)
    comment = comment._replace(is_edited=is_edited, via_email=live.via_email)
    if not is_same:  # without the page of this very text, nothing of it is committed
        return comment.with_own(comment.parts[0]._replace(page=None))
    return comment.with_own(comment.parts[0]._replace(page=live.page))._replace(fault=live.fault)


# a replay


def task_of_replay(api: GitHubApi, event: Task, number: int) -> Task:
    """Find the comment, reply or review of a replay, whose author's permission counts. Raises `ConfigError`."""
    for kind in (COMMENT, REPLY, REVIEW):
        comment = _read_comment(api, event, kind, number)
        if comment is not None and kind == REPLY and comment.thread is None:
            raise ConfigError(f"comment-id: {number} begins a thread; give the number of its review")
        if comment is not None and not comment.has_our_marker:
            return event._replace(author=comment.author, comment=comment, replay=None)
    raise ConfigError(f"comment-id: pull request {event.number} has no comment or review {number}; look at its address")


def _read_comment(api: GitHubApi, event: Task, kind: str, number: int) -> Comment | None:
    """Read a comment by its number; None if this pull request has none. Raises `RepoError`."""
    # PyGithub asks for no HTML of a comment.
    kinds = {COMMENT: "issues/comments", REVIEW: f"pulls/{event.number}/reviews", REPLY: "pulls/comments"}
    url = f"{api.repository(event.repository).url}/{kinds[kind]}/{number}"

    def ask() -> tuple[Comment, str]:
        answer = api.requester.requestJsonAndCheck("GET", url, headers={"Accept": _WITH_HTML})[1]
        return comment_from(answer, kind), text(answer["html_url"])

    comment, where = api.find("reading a comment", ask) or (None, "")
    return comment if f"/pull/{event.number}#" in where else None


# the source of a status


def _find_source(reader: PullReader, state: GitHubState, rules: Rules, question: Question) -> SourceResponse | None:
    """Find the response that a marker or a commit names; None if it is gone."""
    source, digest = question.source, question.digest
    kind = next((kind for kind, prefix in PREFIXES.items() if source.startswith(prefix)), None)
    if kind is not None:
        comment = _comment_now(reader, state, kind, source, digest)
        return None if comment is None else SourceResponse(state.response_of(comment), comment)
    if question.at is None:
        file = file_at(repo_at(reader, state, state.pull.head), rules.settings, source)
        if file is not None:
            return file
    same = [each for each in state.pull.bot_commits if (each.source, each.digest) == (source, digest)]
    parent = question.at or (same[-1].parent if same else None)
    file = None if parent is None else file_at(repo_at(reader, state, parent), rules.settings, source)
    return file if file is not None and response_digest(file.response) == digest else None


def _comment_now(reader: PullReader, state: GitHubState, kind: str, source: str, digest: str) -> Comment | None:
    """The comment of a source as it is now; None if it is gone."""
    comment = _read_comment(reader.api, state.event, kind, int(source[len(PREFIXES[kind]) :]))
    if comment is None:
        return None
    if kind == REVIEW:
        return reader.now(comment)
    if comment.page is None:
        comment = comment._replace(fault=NO_PAGE)
    if response_digest(state.response_of(comment)) != digest:
        # REST does not say whether a comment came by e-mail: the text that was checked may be a part of it
        return comment._replace(via_email=True).above_reply_line
    return comment
