"""`/undo`: revert one of our commits with a new commit, never with a force-push.

Rules: docs/reference/action.md, "undo".
"""

from __future__ import annotations

from dataclasses import replace

from editblocks.applying.revert import undo as plan_undo
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ConfigError, HeadMoved, Refused
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response, Signature, Source
from editblocks.core.phrases import join_words
from editblocks.hosts.github.context import BotCommit
from editblocks.hosts.github.exactly_once import blocks_in_commits, not_reverted, undo_since
from editblocks.hosts.github.host import GitHubHost, is_there
from editblocks.hosts.github.publishing import report
from editblocks.hosts.github.sources import SourceResponse, find_source
from editblocks.report.commit_message import undo_message
from editblocks.report.status import answers
from editblocks.run.flow import PAUSES, ApplyRequest

FAULTS = {ReasonCode.BAD_CONFIG, ReasonCode.PUBLISH_FAILED}  # these also fail the job


def undo(host: GitHubHost, sources: set[str] | None) -> bool:
    """Revert the newest commit of these sources, None for all, or answer why not; False if there is none to revert.

    A commit that is newer than the command is never chosen. Raises `RepoError` if it is not known whether the revert
    was written.
    """
    if host.reactions.has_ended():
        host.nothing_to_do_reason = "nothing to do: this command was carried out or refused before"
        return True
    host.reactions.see()
    before = undo_since(host.comment, host.context)
    if before is not None:
        post = host.context.status_of(before.source)
        if post is not None and post.written_at < before.created_at:
            _revert(host, before)  # the run that made it was cut off before it wrote the status
        else:
            host.reply(answers.answer(host.comment.source, "undone-before", commit=before.commit))
        return True
    commits = [each for each in commits_before(host) if sources is None or each.source in sources]
    if commits:
        _revert(host, commits[-1])
    return bool(commits)


def commits_before(host: GitHubHost) -> list[BotCommit]:
    """Our commits that stood when the command was given, the oldest first."""
    return not_reverted(each for each in host.context.bot_commits if each.created_at <= host.comment.created_at)


def _revert(host: GitHubHost, commit: BotCommit) -> None:
    """Revert a commit, or take one that is a revert, and check the response again on the new head."""
    source, post = (
        find_source(host, commit.source, commit.undoes or commit.digest),
        host.context.status_of(commit.source),
    )
    case = host.open_case(
        _request(host, commit, source),
        thread=source.thread if source else (post.thread if post else None),
        since=source.since if source else None,
        is_allowed=True,
    )
    try:
        made = commit.commit if commit.undoes else _commit(host, commit)
    except (ConfigError, Refused) as error:
        host.refuse(Refusal(error.code, error.message))
        if error.code in FAULTS:
            raise Refused(error.message, error.code) from None
        return
    outcome = host.settle(blocks_in_commits(case.request, host.context, gone=commit), is_unchanged=False)
    if source is not None and host.repo is not None and not is_there(host.repo, source.response):  # deleted by hand
        outcome = Outcome(_request(host, commit, None).response, ApplyResult(), State.UNDONE)
    report(host, case, replace(outcome, state=State.UNDONE, commit=made, head=outcome.head or made, refusal=None))


def _request(host: GitHubHost, commit: BotCommit, source: SourceResponse | None) -> ApplyRequest:
    """Return a request that only checks; if the response is gone, it has no blocks."""
    gone = Response("", Source(commit.source, "comment", uri=host.address(commit.source)))
    response = source.response if source is not None else gone
    return ApplyRequest(response, host.settings, signature=Signature(host.task.author.login), needs_command=True)


def _commit(host: GitHubHost, commit: BotCommit) -> str | None:
    """Make the commit that reverts, and return it. Raises `Refused` and `ConfigError`."""
    forbidden = host.policy_fault or host.only_checks("undone")
    if forbidden is not None:
        raise Refused(forbidden.reason, forbidden.code)
    context = host.context
    for pause in PAUSES:
        if commit not in not_reverted(context.bot_commits):
            raise Refused(
                f"{commit.commit[:7]} was undone after you asked; send it again to undo one more", ReasonCode.HEAD_MOVED
            )
        try:
            if pause:
                host.pause(pause)
            return _commit_once(host, commit)
        except HeadMoved:
            context = host.pull.look()
    raise Refused(f"the branch moved {len(PAUSES)} times during the run; send it again", ReasonCode.HEAD_MOVED)


def _commit_once(host: GitHubHost, ours: BotCommit) -> str | None:
    repo, settings, name = host.open_repo(), host.settings, ours.commit[:7]
    # the modes of the files before our commit; one file more than a response may change, for a response file
    modes = repo.changed_paths(ours.parent.commit, ours.commit, settings.max_files + 1)
    parent, commit = repo.at(ours.parent.commit), repo.at(ours.commit)
    if modes is None or parent is None or commit is None:
        reason = f"{name} is not in the history of the branch any more; revert it by hand"
        raise Refused(reason, ReasonCode.HEAD_MOVED)
    plan = plan_undo(modes, parent, commit, repo.read, settings=settings, entries=repo.entries)
    if plan.conflicts:
        paths = join_words(list(plan.conflicts))
        advice = f"run git revert {name} on the branch and settle them there"
        raise Refused(f"lines of {paths} changed after {name}, nothing was undone; {advice}", ReasonCode.STALE)
    if not plan.contents:
        raise Refused(f"there is nothing to undo here, nothing of {name} is left", ReasonCode.STALE)
    refusal = host.refusal(host.current.request.response)
    if refusal is not None:
        raise Refused(refusal.reason, refusal.code)
    message = undo_message(
        ours.text,
        (len(plan.contents), plan.lines_added, plan.lines_removed),
        head=repo.head,
        prefix=settings.commit_prefix,
        signature=Signature(host.task.author.login, trailers=settings.trailers),
    )
    return repo.write(plan.contents, message, modes)
