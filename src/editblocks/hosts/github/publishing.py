"""Carry out a request: plan it, write it, and tell people, unless another run does so for the same request.

Rules: docs/reference/action.md, "what the status says" and "exactly once".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from github.File import File

from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.core.outcome import Outcome
from editblocks.hosts.github.cases import Case
from editblocks.hosts.github.context import OVER, WORKFLOW_LOGIN, Head
from editblocks.hosts.github.exactly_once import as_committed, commit_made_for, done_by_status, kept_commit
from editblocks.hosts.github.host import GitHubHost
from editblocks.hosts.github.status import GitHubStatus
from editblocks.report.status.answers import refused_lines, with_next, with_refused_line
from editblocks.report.status.inline_comments import fixed_inline, hunks_of, inline_comments, read_inline
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import LIMIT, status
from editblocks.report.tools.annotations import Mark, check_marks, conclusion
from editblocks.report.view import OutcomeView
from editblocks.repos.github.client import text

MOMENT = 3.0  # seconds that a run which has just committed gets to write its status
FILE_PAGES = 3  # of the files that the pull request changes
_LEVELS = {"error": "failure", "warning": "warning"}


def carry_out(host: GitHubHost, case: Case) -> Outcome:
    """Settle the request of a case and report it. Raises `RepoError`."""
    unreported = case.unreported
    outcome = host.settle(case.request, is_unchanged=unreported is None)
    if unreported is not None and outcome.refusal is None:
        outcome = as_committed(outcome, unreported)
    return report(host, case, outcome)


def report(host: GitHubHost, case: Case, outcome: Outcome) -> Outcome:
    """Write the status and the reaction for an outcome, which is returned. Raises `RepoError`."""
    repo, is_file = host.repo, host.task.comment is None
    case.outcome = outcome
    host.outcomes.append(outcome)
    if is_file and outcome.written and repo is not None and repo.head == outcome.commit:
        host.pull.advance(Head(repo.head, repo.tree))
    try:
        _publish(host, case, outcome)
    except ApiError as error:
        # GitHub gives some runs of a push a token that only reads: the job itself says how it went
        if not is_file or error.trouble is not Trouble.REFUSED:
            raise
        host.warnings.append(f"the status could not be written: {error.message}")
        return outcome
    if len(outcome.rounds) > 1 and case.status.address is not None:
        _point_on(host, outcome.rounds[1].source.id, outcome.response.source.id)
    return outcome


def _point_on(host: GitHubHost, earlier: str, source: str) -> None:
    """Say in the status of an earlier source where it goes on: from now on, commands belong there."""
    context = host.pull.look()  # somebody may have given a command about it during the run
    post = GitHubStatus(host.pull, earlier, context.status_of(earlier)).find(context)
    if post is None or not post.is_untouched or post.state in OVER:
        return
    body = with_next(post.body, source, host.address(source))
    if body is None:
        return
    status = GitHubStatus(host.pull, earlier, post)
    status.id = post.id
    try:
        status.write(body, "")
    except ApiError as error:
        host.warnings.append(f"the earlier status could not be edited: {error.message}")


def render(host: GitHubHost, outcome: Outcome, limit: int = LIMIT) -> str:
    """Return the text of the status, at most `limit` characters."""
    source, case = outcome.response.source, host.current
    # during the run, so that the status shows an older text
    is_edited = refusal_code(outcome) is ReasonCode.SOURCE_EDITED and case.request.refusal is None
    page = Page(
        host.version,
        links=replace(host.links, source=source.id, path=source.path),
        branch=host.context.branch,
        # a commit by GITHUB_TOKEN starts no workflow
        checks_wait=host.context.viewer.login == WORKFLOW_LOGIN,
        reply=None if is_edited or case.is_rewound else host.command_prefix,
        done=kept_commit(case.post, outcome),
        role=host.settings.permission,
    )
    return status(OutcomeView(outcome), page, limit)


def _publish(host: GitHubHost, case: Case, outcome: Outcome) -> None:
    host.api.last_words()
    if host.task.number is None or refusal_code(outcome) is ReasonCode.BAD_COMMAND:
        return  # no pull request to write to, or a short answer is posted instead
    if host.only_reads:
        host.warnings.append("no status: the token of a pull request from a fork only reads; see the job summary")
    elif _is_reported(host, case, outcome):
        host.reactions.forget()
    else:
        _write(host, case, outcome)
        host.reactions.show_state(outcome.state)


def _write(host: GitHubHost, case: Case, outcome: Outcome) -> None:
    is_new, context, body = case.status.id is None, host.context, render(host, outcome)
    if case.post is not None and case.post.is_untouched:
        for line in refused_lines(case.post.body):
            body = with_refused_line(body, line) or body
    case.status.write(body, outcome.head or context.head.commit, _in_diff(host, case, outcome) if is_new else ())
    _shorten_inline(host, outcome)
    # only for people who may apply, as it stands beside the checks for merging
    is_wanted = host.settings.check_run and (outcome.written or host.not_permitted(case) is None)
    if is_wanted and not _write_check_run(host, outcome):
        host.warnings.append("the check run could not be written; give the job checks: write")


def _is_reported(host: GitHubHost, case: Case, outcome: Outcome) -> bool:
    """Whether another run reports the same request, so that this one must not write a status as well."""
    is_file, is_new = host.task.comment is None, case.status.id is None
    is_sure = outcome.unresolved is not None or outcome.state is State.UNDONE
    has_lost_race = host.rounds > 1 and not outcome.written and not is_sure
    # if a push changed the response file, the run of that push reports on it
    is_of_another = is_file and refusal_code(outcome) is ReasonCode.SOURCE_EDITED and not is_sure
    if (case.is_rewound and not is_sure) or (is_of_another and not has_lost_race):
        return True
    # a second review could not be deleted; of a response file, GitHub's first answer may have lacked the status
    if case.unreported is None and not has_lost_race and not (is_new and (is_file or not outcome.written)):
        return False
    if case.unreported is not None:  # the run that made it was killed, or is about to report it
        host.api.rest(MOMENT)
    try:
        context = host.pull.look()
        in_status = done_by_status(case.status.find(context), case.request, host.task, context)
    except ApiError:
        return is_of_another  # two statuses are better than none
    made = commit_made_for(case.request, host.task, context.bot_commits) if has_lost_race else None
    if case.unreported is None:
        case.known_commit = in_status or (made.commit if made else None)
    return in_status is not None or made is not None or is_of_another


def refusal_code(outcome: Outcome) -> ReasonCode | None:
    return outcome.refusal.code if outcome.refusal is not None else None


def _write_check_run(host: GitHubHost, outcome: Outcome) -> bool:
    """Put a check run on the new commit, or else on the checked head; False if it could not be written."""
    head = outcome.commit or outcome.head
    if head is None:
        return False
    view = OutcomeView(outcome)
    create = host.pull.repository.create_check_run
    title, marks = view.counts_text or "no edit block", [_mark(mark) for mark in check_marks(view)]
    fields: dict[str, Any] = {
        "external_id": outcome.response.source.id,
        "status": "completed",
        "conclusion": conclusion(view),
        "output": {"title": title, "summary": render(host, outcome), "annotations": marks},
    }
    try:
        host.api.once("writing the check run", lambda: int(create("editblocks", head, **fields).id))
    except RepoError:
        return False
    return True


def _mark(mark: Mark) -> dict[str, object]:
    finding, (path, (first, last)) = mark
    return {
        "path": path,
        "start_line": first,
        "end_line": last,
        "annotation_level": _LEVELS[finding.level],
        "title": finding.rule,
        "message": "\n".join((finding.message_at(mark[1]), *finding.two_lines)),
    }


# comments on the lines that failed blocks are about: posted only together with a new status, later only shortened


def _in_diff(host: GitHubHost, case: Case, outcome: Outcome) -> list[dict[str, Any]]:
    """The comments for a new review; none if the diff cannot be read."""
    most = host.settings.inline_comments
    if not most or case.status.thread is not None:
        return []
    view = OutcomeView(outcome)
    wanted = {row.head_path for row in view.rows if row.result is not None and not row.ok and row.head_path}
    hunks = _hunks(host, wanted) if wanted else {}
    return inline_comments(view, hunks, reply=host.command_prefix, most=most)


def _hunks(host: GitHubHost, wanted: set[str]) -> Mapping[str, Sequence[range]]:
    hunks: dict[str, Sequence[range]] = {}
    pages = host.api.pages("reading the diff", f"{host.pull.rest_pull.url}/files", File, _name_and_patch)
    with suppress(ApiError):
        for rows in islice(pages, FILE_PAGES):
            hunks.update((name, hunks_of(patch)) for name, patch in rows if name in wanted)
            if wanted <= set(hunks):
                break
    return hunks


def _name_and_patch(file: File) -> tuple[str, str]:
    return text(file.filename), file.patch or ""


def _shorten_inline(host: GitHubHost, outcome: Outcome) -> None:
    """Shorten the comments on blocks that are committed now; stop at the first edit that fails."""
    if outcome.commit is None or not outcome.written:
        return
    done = {(outcome.response.source.id, row.block.number) for row in outcome.result.results if row.ok}
    ours = [post.id for post in host.context.threads if post.is_ours and read_inline(post.body) in done]
    body = fixed_inline(outcome.commit)
    with suppress(ApiError):
        for number in ours[: host.settings.inline_comments]:
            edit = host.pull.rest_pull.get_review_comment(number).edit
            host.api.once("commenting on lines", partial(edit, body))
