"""Read from GitHub the state for an event, and each further fact that the plan asks for."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from editblocks.config.policy import read_front_matter
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError, ConfigTextError, UnreadableFile
from editblocks.core.outcome import Response, Source, unreadable
from editblocks.core.settings import Settings
from editblocks.hosts.github.event import COMMENT, NO_PAGE, PREFIXES, REPLAY, REPLY, REVIEW, Comment, Task, comment_from
from editblocks.hosts.github.pull_request import PullReader
from editblocks.hosts.github.state import (
    FILE_PREFIX,
    Fact,
    GitHubState,
    Head,
    Question,
    Site,
    SourceResponse,
    policy_in_force,
)
from editblocks.paths.attributes import is_lfs_pointer
from editblocks.paths.policy import folders_of, response_paths
from editblocks.paths.syntax import check_syntax
from editblocks.repos.github.client import GitHubApi, as_text
from editblocks.repos.stores.github_repo import GitHubBranch, GitHubRepo
from editblocks.text.source_text import SourceText

# https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types
_WITH_HTML = "application/vnd.github.full+json"


def read_state(api: GitHubApi, event: Task, site: Site, inputs: Mapping[str, Any]) -> tuple[PullReader, GitHubState]:
    """Read the pull request or branch of an event, and its current comment. Also return the reader for further facts.

    `inputs` come from `values_from_environment`. Raises `RepoError`.
    """
    if event.replay is not None:
        event = _task_of_replay(api, event, event.replay)
    reader = PullReader(api, event, site.no_reply)
    pull = reader.look("Context")
    if event.number is None and pull.pulls:  # after a push to the branch of a pull request
        event = event._replace(number=pull.pulls[0])
        reader = PullReader(api, event, site.no_reply)
        pull = reader.look("Context")
    event = event._replace(comment=_as_read(event, pull.comment))
    policy, fault = policy_in_force(pull, inputs)
    return reader, GitHubState(event, site, pull, policy, fault)


def ask(reader: PullReader, state: GitHubState, question: Question) -> GitHubState:
    """Return the state with the fact that `question` asks for. Raises `RepoError`."""
    if question.fact is Fact.ROLE:
        return state._replace(role=reader.role() or "")
    if question.fact is Fact.OLDER_REVIEWS:
        return state._replace(pull=reader.with_older_reviews(state.pull), pages=state.pages + 1)
    if question.fact is Fact.HAS_REPLY:
        return state._replace(has_reply=reader.has_reply(state.pull))
    if question.fact is Fact.SUGGESTIONS:
        suggestions, are_all = reader.suggestions()
        return state._replace(suggestions=suggestions, are_all_suggestions=are_all)
    if question.fact is Fact.FILES:
        repo = repo_at(reader, state, state.pull.head)
        return state._replace(files=tuple(_read_files(repo, state.settings, _paths(repo, state.settings))))
    return state._replace(sources={**state.sources, question: _find_source(reader, state, question)})


def repo_at(
    reader: PullReader, state: GitHubState, head: Head, confirm: Callable[[], None] = lambda: None
) -> GitHubRepo:
    """Return the branch at commit `head`. `confirm`: see `GitHubRepo`."""
    branch = GitHubBranch(reader.api, reader.repository, state.pull.node_id, state.pull.branch)
    return GitHubRepo(branch, head.commit, head.tree, confirm=confirm)


def _as_read(event: Task, live: Comment | None) -> Comment | None:
    """Return the comment to handle: `live`, as it is now, or the one of the event if its text has changed since.

    A replay takes it as it is now. So does a review, because the event lacks its inline comments; it is edited then.
    """
    comment = event.comment
    if comment is None or live is None:  # a deleted comment is noticed before the commit
        return comment and comment._replace(is_edited=False)
    if event.event_name == REPLAY:
        return live
    is_same = live.body.replace("\r\n", "\n") == comment.body.replace("\r\n", "\n")
    if is_same or comment.kind == REVIEW:
        return live._replace(is_edited=not is_same)
    # The text of the event has no HTML, so nothing of it is committed.
    return comment._replace(is_edited=False, via_email=live.via_email)


# a replay


def _task_of_replay(api: GitHubApi, event: Task, number: int) -> Task:
    """Find the comment, reply or review of a replay. Its author becomes that of the task. Raises `ConfigError`."""
    for kind in (COMMENT, REPLY, REVIEW):
        comment = _read_comment(api, event, kind, number)
        if comment is not None and kind == REPLY and comment.thread is None:
            raise ConfigError(f"comment-id: {number} begins a thread; give the number of its review")
        if comment is not None and not comment.has_our_marker:
            return event._replace(author=comment.author, comment=comment, replay=None)
    reason = f"comment-id: pull request {event.number} has no comment or review {number}"
    raise ConfigError(f"{reason}; use the number at the end of its address")


def _read_comment(api: GitHubApi, event: Task, kind: str, number: int) -> Comment | None:
    """Read a comment by its number. Return None if it is not in this pull request. Raises `RepoError`."""
    # PyGithub cannot ask for the HTML of a comment.
    kinds = {COMMENT: "issues/comments", REVIEW: f"pulls/{event.number}/reviews", REPLY: "pulls/comments"}
    url = f"{api.repository(event.repository).url}/{kinds[kind]}/{number}"

    def ask() -> Comment | None:
        payload = api.requester.requestJsonAndCheck("GET", url, headers={"Accept": _WITH_HTML})[1]
        if f"/pull/{event.number}#" not in as_text(payload["html_url"]):
            return None
        return comment_from(payload, kind)

    return api.find("reading a comment", ask)


# the source of a status


def _find_source(reader: PullReader, state: GitHubState, question: Question) -> SourceResponse | None:
    """Find the response that a status marker or a commit names. Return None if it is gone."""
    source = question.source
    digest = question.digest
    for kind, prefix in PREFIXES.items():
        if source.startswith(prefix):
            comment = _comment_now(reader, state, kind, int(source.removeprefix(prefix)), digest)
            return comment and SourceResponse(state.response_of(comment), comment)
    file = _file_at(repo_at(reader, state, state.pull.head), state.settings, source)
    if file is not None:
        return file
    parents = [each.parent for each in state.pull.bot_commits if (each.source, each.digest) == (source, digest)]
    if not parents:
        return None
    file = _file_at(repo_at(reader, state, parents[-1]), state.settings, source)
    return file if file is not None and response_digest(file.response) == digest else None


def _comment_now(reader: PullReader, state: GitHubState, kind: str, number: int, digest: str) -> Comment | None:
    """Return the current comment of a source, or None if it is gone. `digest` is that of the text that was checked."""
    comment = _read_comment(reader.api, state.event, kind, number)
    if comment is None:
        return None
    if kind == REVIEW:
        return reader.current_comment(comment)
    if comment.page is None:
        comment = comment._replace(fault=NO_PAGE)
    if response_digest(state.response_of(comment)) != digest:
        # REST does not show whether a comment came by e-mail, so perhaps only a part of its text was checked.
        return comment._replace(via_email=True)
    return comment


# response files: docs/reference/action.md, "response files"


def _file_at(repo: GitHubRepo, settings: Settings, source: str) -> SourceResponse | None:
    paths = [path for path in _paths(repo, settings) if _id_of_file(path) == source]
    return next(iter(_read_files(repo, settings, paths)), None)


def _paths(repo: GitHubRepo, settings: Settings) -> list[str]:
    """Return the paths that match the setting `response-files`, sorted."""
    folders = folders_of(settings.response_files)
    if folders:
        repo.prefetch(folders)
    return response_paths(repo.entries, settings.response_files)


def _read_files(repo: GitHubRepo, settings: Settings, paths: list[str]) -> list[SourceResponse]:
    if paths:
        repo.prefetch(paths)
    files: list[SourceResponse] = []
    for path in paths:
        source = Source(_id_of_file(path), "file", path=path)
        blob = repo.oid(path)
        warnings: list[str] = []
        problem = None
        try:
            body = _text(repo, path, settings.max_response_bytes)
            front = read_front_matter(body, path, warnings.append)
            response = Response(body, source, front=front, blob=blob)
        except (UnreadableFile, ConfigTextError) as error:
            response = Response("", source, blob=blob)
            problem = unreadable(error)
        files.append(SourceResponse(response, problem=problem, warnings=tuple(warnings)))
    return files


def _text(repo: GitHubRepo, path: str, limit: int) -> str:
    error = check_syntax(path, "edit")
    if error is not None:
        raise UnreadableFile(ReasonCode.UNSAFE_PATH, error.what, error.advice)
    data = repo.read(path) or b""
    if len(data) > limit:
        what = f"{path} has {len(data):,} bytes, the limit is {limit:,} (max-response-bytes)"
        raise UnreadableFile(ReasonCode.TOO_LARGE, what, "split it")
    if is_lfs_pointer(data):
        raise UnreadableFile(ReasonCode.FILTERED, f"{path} is a Git LFS pointer", "keep response files out of Git LFS")
    return SourceText.decode(data, path).text()


def _id_of_file(path: str) -> str:
    """Return the id of a response file in markers and trailers."""
    return f"{FILE_PREFIX}{sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
