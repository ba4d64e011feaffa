"""Write the status and what goes with it, unless another run does so for the same request.

Rules: docs/reference/action.md, "what the status says" and "exactly once".
"""

from __future__ import annotations

from dataclasses import replace

from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ApiError
from editblocks.core.outcome import Outcome
from editblocks.hosts.github.orders.case import Case, done_by_status, kept_commit, kept_lines
from editblocks.hosts.github.orders.commits import commit_made_for
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.posting.check_run import write_check_run
from editblocks.hosts.github.posting.inline_comments import Lines
from editblocks.hosts.github.pull.context import WORKFLOW_LOGIN
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.view import OutcomeView

MOMENT = 3.0  # seconds that a run which has just committed gets to write its status


def publish(host: GitHubHost, outcome: Outcome) -> None:
    """Write the status and the reaction for the case in work. Raises `RepoError`."""
    case = host.current
    case.outcome = outcome
    host.api.last_words()
    if host.task.number is None or _code(outcome) is ReasonCode.BAD_COMMAND:
        return  # no pull request to write to, or a short answer is posted instead
    if host.only_reads:
        host.warnings.append("no status: the token of a pull request from a fork only reads; see the job summary")
    elif _is_quiet(host, case, outcome) or _is_reported(host, case, outcome):
        host.reactions.forget()
    else:
        _write(host, case, outcome)
        host.reactions.show_state(outcome.state)


def render(host: GitHubHost, outcome: Outcome, limit: int = LIMIT) -> str:
    """Return the text of the status, at most `limit` characters."""
    source, case = outcome.response.source, host.current
    # during the run, so that the status shows an older text
    is_edited = _code(outcome) is ReasonCode.SOURCE_EDITED and case.request.refusal is None
    page = Page(
        host.version,
        links=replace(host.links, source=source.id, path=source.path),
        branch=host.context.branch,
        # a commit by GITHUB_TOKEN starts no workflow
        checks_wait=host.context.viewer.login == WORKFLOW_LOGIN,
        reply=None if is_edited or case.is_rewound else host.reply,
        done=kept_commit(case.post, outcome),
        role=host.settings.permission,
    )
    return status(OutcomeView(outcome), page, limit)


def _write(host: GitHubHost, case: Case, outcome: Outcome) -> None:
    is_new, context = case.status.id is None, host.context
    lines = Lines(case.status, outcome, reply=host.reply, most=host.settings.inline_comments)
    body = kept_lines(case.body, render(host, outcome))
    case.status.write(body, outcome.head or context.pull.head.commit, lines.in_diff() if is_new else ())
    if is_new:
        lines.in_threads(context.threads)
    lines.shorten(context.threads)
    # only for people who may apply, as it stands beside the checks for merging
    is_wanted = host.settings.check_run and (outcome.written or host.not_permitted(case) is None)
    if is_wanted and not write_check_run(host.api, host.task.repository, outcome):
        host.warnings.append("the check run could not be written; give the job checks: write")


def _is_quiet(host: GitHubHost, case: Case, outcome: Outcome) -> bool:
    """Whether another run reports the same request, so that this one must not write the status again."""
    if outcome.unresolved is not None or outcome.state is State.UNDONE:
        return False
    if case.is_rewound:
        return True
    # if a push changed the response file, the run of that push reports on it
    is_of_another = host.task.comment is None and _code(outcome) is ReasonCode.SOURCE_EDITED
    if case.unreported is None and (outcome.written or host.rounds < 2):
        return is_of_another
    if case.unreported is not None:  # the run that made it was killed, or is about to report it
        host.api.rest(MOMENT)
    context = host.pull.look_around()
    in_status = done_by_status(case.status.find(context.reviews, context.threads), case.request, host.task, context)
    if case.unreported is not None:
        return in_status is not None
    made = commit_made_for(case.request, host.task, context.bot_commits)
    case.known_commit = in_status or (made.commit if made else None)
    return case.known_commit is not None or is_of_another


def _is_reported(host: GitHubHost, case: Case, outcome: Outcome) -> bool:
    """Whether a parallel run has just reported the commit in a status; a second review could not be deleted."""
    if (outcome.written and host.task.comment is not None) or case.status.id is not None:
        return False  # not for a response file: GitHub's first answer may have lacked its status
    try:
        in_status = done_by_status(case.status.look(), case.request, host.task, host.context)
    except ApiError:
        return False  # two statuses are better than none
    case.known_commit = in_status or case.known_commit
    return in_status is not None


def _code(outcome: Outcome) -> ReasonCode | None:
    return outcome.refusal.code if outcome.refusal is not None else None
