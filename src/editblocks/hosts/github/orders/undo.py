"""`/undo`: a commit of ours is taken back by another one, never by a push over it.

Rules: docs/reference/action.md, "undo".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from editblocks.applying.revert import RevertResult, undo
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, EditBlocksError, HeadMoved, Refused
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response, Signature, Source
from editblocks.hosts.github.orders.command_target import commits_not_reverted
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.response_files import is_there
from editblocks.hosts.github.orders.sources import SourceResponse, find_source
from editblocks.hosts.github.pull.context import BotCommit, Context, Post
from editblocks.hosts.github.pull.event import Comment
from editblocks.report.commit_message import read_trailers, undo_message
from editblocks.report.status import answers
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run.flow import PAUSES, ApplyRequest, settle

FAULTS = {ReasonCode.BAD_CONFIG, ReasonCode.PUBLISH_FAILED}  # somebody has to look at the job


@dataclass(slots=True)
class UndoTask:
    """A commit to be reverted, made for the response with this source and digest.

    `comment` is the command, with the digest of its text. `refusal` is the short answer if the commit cannot be
    reverted, and `fault` what the job fails with then. `is_reverted`: an earlier run reverted it with `bot_commit`,
    and only the status is left to be written.
    """

    comment: tuple[Comment, str]
    bot_commit: BotCommit
    source: str
    digest: str
    refusal: str | None = None
    fault: EditBlocksError | None = None
    is_reverted: bool = False


def unreported_revert(bot_commit: BotCommit, asked: tuple[Comment, str], statuses: Sequence[Post]) -> UndoTask | None:
    """A commit that took another back, in a run that was cut off before the status said so."""
    trailers = read_trailers(bot_commit.text) or {}
    source, digest = trailers.get("source", "").rpartition("#")[2], trailers.get("undo", "")
    post = next((post for post in statuses if post.marker is not None and post.marker.source == source), None)
    if post is None or post.written_at >= bot_commit.created_at:
        return None
    return UndoTask(asked, bot_commit, source, digest, is_reverted=True)


def what_to_undo(host: GitHubHost, asked: tuple[Comment, str], named: Sequence[Sequence[Post]]) -> UndoTask | None:
    """The newest commit that stands: of the first of the `named` sources with any, or of any if none is named.

    A commit that was made after the command was given is not what it means.
    """
    bot_commits = [each for each in host.context.bot_commits if each.created_at <= asked[0].created_at]
    not_reverted = commits_not_reverted(bot_commits)
    candidates = [] if named else not_reverted
    for posts in named:
        sources = {post.marker.source for post in posts if post.marker is not None}
        candidates = [each for each in not_reverted if each[0] in sources]
        if candidates:
            break
    if not candidates:
        return None
    source, digest, commit = candidates[-1]
    undoing = UndoTask(asked, commit, source, digest)
    if not _is_not_reverted(undoing, host.context):
        undoing.refusal = answers.taken_back_meanwhile(asked[0].source, commit.commit)
    return undoing


def _is_not_reverted(undoing: UndoTask, context: Context) -> bool:
    """Whether a commit was not taken back by somebody else meanwhile."""
    return any(
        bot_commit.commit == undoing.bot_commit.commit for _, _, bot_commit in commits_not_reverted(context.bot_commits)
    )


def sources_not_reverted(host: GitHubHost, comment: Comment) -> list[str]:
    """The sources whose commits `/undo` could have meant, the newest first."""
    return list(dict.fromkeys(source for source, _, _ in reversed(_commits_before(host, comment))))


def _commits_before(host: GitHubHost, comment: Comment) -> list[tuple[str, str, BotCommit]]:
    return [each for each in commits_not_reverted(host.context.bot_commits) if each[2].created_at <= comment.created_at]


def revert(
    host: GitHubHost,
    undoing: UndoTask,
    open_repo: Callable[[], GitHubRepo],
    *,
    sleep: Callable[[float], None],
    target: str,
) -> Outcome | None:
    """Take a commit back, then check its response again on what is there now; None if a short answer says why not.

    Raises `RepoError` where nobody knows whether it was done.
    """
    source = find_source(host, undoing.source, undoing.digest)
    case = host.open_case(
        _request(host, undoing, source),
        asked=undoing.comment,
        thread=source.thread if source else _thread_of(host, undoing.source),
        since=source.since if source else None,
        is_allowed=True,
        looks_back=False,
    )
    case.known_commit = case.bot_commit = None
    host.plan_on_head()
    commit = undoing.bot_commit.commit if undoing.is_reverted else _commit(host, undoing, open_repo, sleep)
    if commit is None:
        return None
    opened: list[GitHubRepo] = []

    def opening() -> GitHubRepo:
        opened.append(open_repo())
        return opened[-1]

    request = host.records.with_committed(host.context, case.request, gone=undoing.bot_commit)
    outcome = settle(request, host, opening, sleep=sleep, target=target)
    if source is not None and opened and not is_there(opened[-1], source.response):  # kept, and deleted by hand since
        outcome = Outcome(_request(host, undoing, None).response, ApplyResult(), State.UNDONE)
    return replace(outcome, state=State.UNDONE, commit=commit, head=outcome.head or commit, refusal=None)


def _thread_of(host: GitHubHost, source: str) -> int | None:
    """The thread that our status for a source is in, also where the source itself is gone."""
    posts = (post for post in host.context.statuses if post.marker is not None and post.marker.source == source)
    return next((post.thread for post in posts), None)


def _request(host: GitHubHost, undoing: UndoTask, source: SourceResponse | None) -> ApplyRequest:
    """Only a check. A response that is gone has no blocks any more."""
    gone = Response("", Source(undoing.source, "comment", uri=host.address(undoing.source)))
    response = source.response if source is not None else gone
    return ApplyRequest(response, host.settings, signature=Signature(host.task.author.login), needs_command=True)


def _commit(
    host: GitHubHost, undoing: UndoTask, open_repo: Callable[[], GitHubRepo], sleep: Callable[[float], None]
) -> str | None:
    to = undoing.comment[0].source
    if undoing.refusal is not None:
        return None
    forbidden = host.policy_fault or only_checks(host, "undone")
    if forbidden is not None:
        _refuse(undoing, forbidden)
        return None
    for pause in PAUSES:
        try:
            if pause:
                sleep(pause)
            repo = open_repo()
            plan, modes = _plan(host, undoing.bot_commit, repo)
            if plan.conflicts:
                paths = [conflict.path for conflict in plan.conflicts]
                undoing.refusal = answers.undo_conflict(to, undoing.bot_commit.commit, paths)
                return None
            if not plan.contents:
                undoing.refusal = answers.nothing_to_undo(to)
                return None
            refusal = host.refusal(host.current.request.response)
            if refusal is not None:
                _refuse(undoing, refusal)
                return None
            return repo.write(plan.contents, _message(host, undoing, plan, repo.head), modes)
        except HeadMoved:
            if not _is_not_reverted(undoing, host.pull.look_around()):
                undoing.refusal = answers.taken_back_meanwhile(to, undoing.bot_commit.commit)
                return None
        except (ConfigError, Refused) as error:
            _refuse(undoing, Refusal(error.code, error.message))
            return None
    what = f"the branch moved {len(PAUSES)} times during the run"
    _refuse(undoing, Refusal(ReasonCode.HEAD_MOVED, what, "send it again"))
    return None


def only_checks(host: GitHubHost, done: str) -> Refusal | None:
    """Why nothing is ever `done` (committed, undone) on this pull request, if the workflow says so."""
    if host.settings.mode != "check":
        return None
    return Refusal(ReasonCode.NOT_PERMITTED, f"this workflow only checks (mode: check), so nothing was {done}")


def _refuse(undoing: UndoTask, refusal: Refusal) -> None:
    undoing.refusal = answers.answer_refused(undoing.comment[0].source, refusal)
    if refusal.code in FAULTS:
        undoing.fault = Refused(refusal.reason, refusal.code)


def _plan(host: GitHubHost, bot_commit: BotCommit, repo: GitHubRepo) -> tuple[RevertResult, Mapping[str, str | None]]:
    """What the files become, and the modes that those which come back had."""
    modes = repo.changed_paths(
        bot_commit.parent.commit, bot_commit.commit, host.settings.max_files + 1
    )  # and a response file
    parent, commit = repo.at(bot_commit.parent.commit), repo.at(bot_commit.commit)
    if modes is None or parent is None or commit is None:
        reason = f"{bot_commit.commit[:7]} is not in the history of the branch any more; revert it by hand"
        raise Refused(reason, ReasonCode.HEAD_MOVED)
    return undo(modes, parent, commit, repo.read, settings=host.settings, entries=repo.entries), modes


def _message(host: GitHubHost, undoing: UndoTask, plan: RevertResult, head: str) -> str:
    return undo_message(
        undoing.bot_commit.text,
        files=plan.files,
        added=plan.lines_added,
        removed=plan.lines_removed,
        head=head,
        prefix=host.settings.commit_prefix,
        applied_by=host.task.author.login,
        trailers=host.settings.trailers,
    )
