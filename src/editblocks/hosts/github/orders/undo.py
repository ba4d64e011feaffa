"""`/undo`: revert one of our commits with a new commit, never with a force-push.

Rules: docs/reference/action.md, "undo".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from editblocks.applying.revert import RevertResult, undo
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, EditBlocksError, HeadMoved, Refused
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response, Signature, Source
from editblocks.hosts.github.orders.commits import blocks_in_commits, not_reverted
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.response_files import is_there
from editblocks.hosts.github.orders.sources import SourceResponse, find_source
from editblocks.hosts.github.pull.context import BotCommit, Post
from editblocks.report.commit_message import undo_message
from editblocks.report.status import answers
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run.flow import PAUSES, ApplyRequest

FAULTS = {ReasonCode.BAD_CONFIG, ReasonCode.PUBLISH_FAILED}  # these also fail the job


class UndoTask:
    """A commit of ours to be reverted, or the one that reverted it, of which only the status is left to be written.

    `to` is the source id of the command. `refusal` is the short answer if the commit cannot be reverted, and `fault`
    what the job fails with then.
    """

    def __init__(self, to: str, commit: BotCommit) -> None:
        self.to = to
        self.commit = commit
        self.refusal: str | None = None
        self.fault: EditBlocksError | None = None

    def refuse(self, refusal: Refusal) -> None:
        """Answer with this refusal."""
        self.refusal = answers.answer_refused(self.to, refusal)
        if refusal.code in FAULTS:
            self.fault = Refused(refusal.reason, refusal.code)


def unreported_revert(commit: BotCommit, to: str, statuses: Sequence[Post]) -> UndoTask | None:
    """Return the task to report a revert whose run was cut off before it wrote the status; None if it is reported."""
    post = next((post for post in statuses if post.source == commit.source), None)
    return UndoTask(to, commit) if post is not None and post.written_at < commit.created_at else None


def what_to_undo(host: GitHubHost, sources: set[str] | None) -> UndoTask | None:
    """Choose the newest commit of these sources, None for all, that is not reverted; None if there is none.

    A commit that is newer than the command is never chosen.
    """
    commits = [each for each in commits_before(host) if sources is None or each.source in sources]
    return UndoTask(host.comment.source, commits[-1]) if commits else None


def commits_before(host: GitHubHost) -> list[BotCommit]:
    """Our commits that stood when the command was given, the oldest first."""
    return not_reverted(each for each in host.context.bot_commits if each.created_at <= host.comment.created_at)


def revert(host: GitHubHost, undoing: UndoTask) -> Outcome | None:
    """Revert a commit, then check its response again on the new head; None if it was not reverted (`undoing.refusal`).

    Raises `RepoError` if it is not known whether the revert was written.
    """
    commit = undoing.commit
    source = find_source(host, commit.source, commit.undoes or commit.digest)
    post = next((post for post in host.context.statuses if post.source == commit.source), None)
    case = host.open_case(
        _request(host, commit, source),
        thread=source.thread if source else (post.thread if post else None),
        since=source.since if source else None,
        is_allowed=True,
    )
    made = commit.commit if commit.undoes else _commit(host, undoing)
    if made is None:
        return None
    outcome = host.settle(blocks_in_commits(case.request, host.context, gone=commit))
    if source is not None and host.repo is not None and not is_there(host.repo, source.response):  # deleted by hand
        outcome = Outcome(_request(host, commit, None).response, ApplyResult(), State.UNDONE)
    return replace(outcome, state=State.UNDONE, commit=made, head=outcome.head or made, refusal=None)


def _request(host: GitHubHost, commit: BotCommit, source: SourceResponse | None) -> ApplyRequest:
    """Return a request that only checks; if the response is gone, it has no blocks."""
    gone = Response("", Source(commit.source, "comment", uri=host.address(commit.source)))
    response = source.response if source is not None else gone
    return ApplyRequest(response, host.settings, signature=Signature(host.task.author.login), needs_command=True)


def _commit(host: GitHubHost, undoing: UndoTask) -> str | None:
    """Make the commit that reverts, and return it; None after a refusal."""
    forbidden = host.policy_fault or only_checks(host, "undone")
    if forbidden is not None:
        undoing.refuse(forbidden)
        return None
    context = host.context
    for pause in PAUSES:
        if undoing.commit not in not_reverted(context.bot_commits):
            undoing.refusal = answers.answer(undoing.to, "undone-meanwhile", commit=undoing.commit.commit)
            return None
        try:
            if pause:
                host.pause(pause)
            return _commit_once(host, undoing)
        except HeadMoved:
            context = host.pull.look_around()
        except (ConfigError, Refused) as error:
            undoing.refuse(Refusal(error.code, error.message))
            return None
    what = f"the branch moved {len(PAUSES)} times during the run"
    undoing.refuse(Refusal(ReasonCode.HEAD_MOVED, what, "send it again"))
    return None


def _commit_once(host: GitHubHost, undoing: UndoTask) -> str | None:
    repo = host.open_repo()
    plan, modes = _plan(host, undoing.commit, repo)
    if plan.conflicts:
        paths = [conflict.path for conflict in plan.conflicts]
        undoing.refusal = answers.undo_conflict(undoing.to, undoing.commit.commit, paths)
    elif not plan.contents:
        undoing.refusal = answers.answer(undoing.to, "nothing-to-undo")
    elif (refusal := host.refusal(host.current.request.response)) is not None:
        undoing.refuse(refusal)
    else:
        return repo.write(plan.contents, _message(host, undoing.commit, plan, repo.head), modes)
    return None


def only_checks(host: GitHubHost, done: str) -> Refusal | None:
    """The refusal in mode `check`, where nothing is ever `done` (committed, undone); None in other modes."""
    if host.settings.mode != "check":
        return None
    return Refusal(ReasonCode.NOT_PERMITTED, f"this workflow only checks (mode: check), so nothing was {done}")


def _plan(host: GitHubHost, ours: BotCommit, repo: GitHubRepo) -> tuple[RevertResult, Mapping[str, str | None]]:
    """Plan the revert: the new contents, and the modes of the files before our commit."""
    most = host.settings.max_files + 1  # one more, for a response file
    modes = repo.changed_paths(ours.parent.commit, ours.commit, most)
    parent, commit = repo.at(ours.parent.commit), repo.at(ours.commit)
    if modes is None or parent is None or commit is None:
        reason = f"{ours.commit[:7]} is not in the history of the branch any more; revert it by hand"
        raise Refused(reason, ReasonCode.HEAD_MOVED)
    return undo(modes, parent, commit, repo.read, settings=host.settings, entries=repo.entries), modes


def _message(host: GitHubHost, commit: BotCommit, plan: RevertResult, head: str) -> str:
    return undo_message(
        commit.text,
        (plan.files, plan.lines_added, plan.lines_removed),
        head=head,
        prefix=host.settings.commit_prefix,
        signature=Signature(host.task.author.login, trailers=host.settings.trailers),
    )
