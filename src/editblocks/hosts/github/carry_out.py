"""Carry out a plan: make its commits, write status and reply on the pull request, and return a report.

Comment, branch and permission are checked again at the last moment. If one of them has changed since the plan, or if
that is unknown, nothing is committed. Rules: docs/reference/action.md, "who may apply" to "publishing".
"""

import random
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from editblocks.applying.merging import plan_revert
from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import ApiError, EditBlocksError, HeadMoved, Refused, RepoError
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response
from editblocks.core.phrases import join_words
from editblocks.hosts.github.cases import (
    Case,
    Plan,
    as_committed,
    command_prefix,
    committed_blocks,
    gone_response,
    is_for,
    not_reverted,
    signature,
)
from editblocks.hosts.github.event import Command
from editblocks.hosts.github.plan import response_of_suggestions, suggestions_of
from editblocks.hosts.github.publish import (
    RunContext,
    SourceResult,
    add_refused_line,
    close_threads,
    post_reply,
    publish,
    start_checks,
)
from editblocks.hosts.github.reading import repo_at
from editblocks.hosts.github.state import NEEDS_YOU, BotCommit, Head, Pull, branch_refusal, permission_refusal
from editblocks.report.commit_message import undo_message
from editblocks.report.status.replies import refusal_reply
from editblocks.repos.github.client import MAX_REQUESTS
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run import PAUSES, ApplyRequest, refusal_of, settle, state_of

REQUESTS_PER_FILE = 12  # a run starts with another response file only if it has this many requests left
_FAULTS = {ReasonCode.BAD_CONFIG, ReasonCode.PUBLISH_FAILED}  # refusals of an undo that fail the job


class RunReport(NamedTuple):
    """The results of a run, to be reported to the runner."""

    results: tuple[SourceResult, ...] = ()
    skipped: tuple[Case, ...] = ()  # skipped response files
    reason: str = "nothing to do"  # why there are no results
    commit: str | None = None  # the commit that an earlier run made for the same request
    address: str | None = None  # the URL fragment of the status
    faults: tuple[str, ...] = ()  # further problems that fail the job
    state: State = State.NOTHING  # if there is neither a result nor a commit
    error: EditBlocksError | None = None  # the error that ended the run early


def carry_out(plan: Plan, context: RunContext) -> RunReport:
    """Carry out a plan. Raises `RepoError`; an error while a result or a reply is posted is in the report instead."""
    if plan.cases:
        context.reactions.see()
    if plan.refused is not None:
        add_refused_line(context, *plan.refused)
    try:
        if plan.reply:
            post_reply(context, plan.reply)
    except EditBlocksError as error:
        reason = "nothing was done, and the reply could not be posted"
        return RunReport(reason=reason, commit=plan.commit, address=plan.address, error=error)
    finally:
        if plan.reaction:
            context.reactions.show(plan.reaction)
    if plan.undoes is not None:
        return _undo(context, plan.cases[0], plan.undoes)
    return _apply_all(context, plan)


def _apply_all(context: RunContext, plan: Plan) -> RunReport:
    """Apply the sources one after the other, until the requests of the run are used up."""
    event = context.state.event
    results: list[SourceResult] = []
    skipped: list[Case] = []
    faults: tuple[str, ...] = ()
    commit = plan.commit
    address = plan.address
    for number, case in enumerate(plan.cases):
        if event.comment is None and _is_cut_off(context, results):
            faults = (_unread_files_message(context, len(plan.cases) - number),)
            break
        commit = _commit_of_skipped(case, context.state.pull)
        address = case.address
        if case.skipped is not None:
            skipped.append(case)
            lacks_status = case.earlier.unreported is not None and event.number is not None
            if not lacks_status:
                continue
        result, context = _apply(context, case, plan.notes)
        results.append(result)
        commit = commit or result.other_commit
        address = result.address
        if result.error is not None:
            break
    error = results[-1].error if results else None
    return RunReport(tuple(results), tuple(skipped), plan.reason, commit, address, faults, plan.state, error)


def _is_cut_off(context: RunContext, results: list[SourceResult]) -> bool:
    """Whether GitHub has become unavailable, or too few requests are left for another response file."""
    is_unavailable = bool(results) and results[-1].refusal_code is ReasonCode.UNAVAILABLE
    return is_unavailable or context.reader.api.requests > MAX_REQUESTS - REQUESTS_PER_FILE


def _unread_files_message(context: RunContext, count: int) -> str:
    files = "1 response file was" if count == 1 else f"{count} response files were"
    sent = context.reader.api.requests
    why = f"a run sends at most {MAX_REQUESTS} requests to GitHub, and this one has sent {sent}"
    return f"{ReasonCode.UNAVAILABLE.value}: {files} not read, because {why}; run the job again"


def _commit_of_skipped(case: Case, pull: Pull) -> str | None:
    """Return the commit with the blocks of a skipped response file, or None if it is no longer on the branch."""
    is_applied = case.skipped is not None and case.skipped.code == ReasonCode.ALREADY_APPLIED.value
    if not is_applied or pull.has_lost(case.earlier.commit):
        return None
    return case.earlier.commit


def _apply(context: RunContext, case: Case, notes: tuple[Note, ...]) -> tuple[SourceResult, RunContext]:
    """Apply one source. Also return the context, updated if this run has moved the branch."""
    if case.problem is not None:
        head = context.state.pull.head.commit
        rows = ApplyResult(problems=(case.problem,))
        outcome = Outcome(case.request.response, rows, State.FAILED, head, refusal=context.state.policy_fault)
        return _report(context, SourceResult(case, outcome)), context
    attempt = Attempt(context, case)
    outcome = _settle(attempt, case)
    outcome = outcome._replace(result=outcome.result._replace(notes=(*notes, *outcome.result.notes)))
    result = attempt.result(outcome)
    repo = attempt.repo
    if repo is not None and outcome.written and case.earlier.unreported is None:
        context = context.at(Head(repo.head, repo.tree))
        result = result._replace(checks=start_checks(context))
    return _report(context, result), context


def _settle(attempt: "Attempt", case: Case) -> Outcome:
    """Plan and commit the request of a case. If an earlier run made the commit without reporting it, only plan."""
    unreported = case.earlier.unreported
    if unreported is None:
        return attempt.settle(case.request)
    outcome = attempt.settle(case.request._replace(needs_command=True, refusal=None))
    if outcome.refusal is not None:
        return outcome
    return as_committed(outcome, unreported)


def _report(context: RunContext, result: SourceResult) -> SourceResult:
    """Publish a result on the pull request. An error is stored in the result, because there may be a commit."""
    case = result.case
    result = result._replace(other_commit=case.earlier.commit, address=case.address)
    try:
        result = publish(context, result)
        result = result._replace(warnings=(*result.warnings, *_forgery_warning(context.state.pull, case)))
        if case.is_of_threads and result.outcome.commit is not None:
            result = result._replace(warnings=(*result.warnings, *close_threads(context, result.outcome)))
        if case.command is not None:
            _reply_about_outcome(context, case.command, result.outcome)
    except EditBlocksError as error:
        return result._replace(error=error)
    return result


def _forgery_warning(pull: Pull, case: Case) -> tuple[str, ...]:
    """Return a warning if a commit that this token has not made says that it applied the blocks of a case, else ()."""
    for each in reversed(pull.unproven):
        if is_for(each, case.request.response):
            what = "says that these blocks were applied, but this workflow did not make that commit"
            return (f"the message of {each.commit[:7]} {what}, so it does not count",)
    return ()


def _reply_about_outcome(context: RunContext, command: Command, outcome: Outcome) -> None:
    """Reply to a command if the status does not answer it: it names a missing block, or the mode is `check`."""
    refusal = outcome.refusal
    forbidden = context.state.mode_refusal("committed")
    if refusal is not None and refusal.code is ReasonCode.BAD_COMMAND:
        _refuse(context, refusal)
    elif command.verb == "apply" and refusal is None and forbidden is not None:
        _refuse(context, forbidden)
    elif command.verb == "apply" and outcome.state is State.CHECKED:
        context.reactions.show(NEEDS_YOU)


def _refuse(context: RunContext, refusal: Refusal) -> None:
    """Reply why a command was not carried out. The plan has already checked that its author gets replies."""
    if context.state.only_reads:
        return
    try:
        post_reply(context, refusal_reply(context.state.comment_source_id, refusal.reason, refusal.code))
    finally:
        context.reactions.show(NEEDS_YOU)


class Attempt:
    """Turns one request into a commit, with a new plan each time the branch moves."""

    def __init__(self, context: RunContext, case: Case) -> None:
        self._context = context
        self._case = case
        self._pull = context.state.pull  # as it was when the last plan was made
        self._rounds = 0  # how many plans were made
        self._is_rewound = False
        self.repo: GitHubRepo | None = None  # the last one that was opened

    def result(self, outcome: Outcome) -> SourceResult:
        return SourceResult(self._case, outcome, self._rounds, self._is_rewound)

    def settle(self, request: ApplyRequest) -> Outcome:
        """Plan a request and commit it. Raises `RepoError` if the response file has changed since it was read."""

        def open_repo() -> GitHubRepo:
            repo = self.open_repo()
            if not request.needs_command and has_other_file(repo, request.response):
                path = request.response.source.path
                reason = f"{path} was changed or removed during the run; the push started another run"
                raise RepoError(reason, ReasonCode.SOURCE_EDITED)
            return repo

        def committed() -> Mapping[int, str]:
            return committed_blocks(request.response, self._pull)  # also by a run that has moved the branch

        target = self._context.state.event.repository
        order = request._replace(committed=committed)
        return settle(order, self.refusal, open_repo, sleep=self.pause, target=target)

    def open_repo(self) -> GitHubRepo:
        """Return the repository at the newest head, to plan on and to write to."""
        if self._rounds:
            last_head = self._pull.head
            self._pull = self._context.reader.look_until(lambda now: now.head != last_head)
        pull = self._pull
        self._rounds += 1
        self.repo = repo_at(self._context.reader, self._context.state, pull.head, self.confirm)
        if self._case.is_of_threads:
            self.repo.prefetch_ancestors(pull.commits, _paths_by_commit(self._case.request.response, pull))
        return self.repo

    def pause(self, seconds: float) -> None:
        """Wait `seconds` and a random time, so that runs that lost the same race do not collide again."""
        self._context.reader.api.wait(seconds + random.SystemRandom().uniform(0, 0.5))

    def refusal(self, response: Response) -> Refusal | None:
        """Ask GitHub if the response may be committed now. Return a refusal or None.

        Raises `HeadMoved` and `RepoError`.
        """
        return branch_refusal(self._context.state.pull) or self._not_permitted() or self._out_of_date(response)

    def confirm(self) -> None:
        """Check after a wait that nothing has changed. Raises `HeadMoved` or `Refused`."""
        refusal = self._out_of_date(self._case.request.response)
        if refusal is not None:
            raise Refused(refusal.reason, refusal.code)

    def _not_permitted(self) -> Refusal | None:
        """Return a refusal if the person who caused this run may not commit the blocks, else None."""
        event = self._context.state.event
        author = event.author
        # The permission for a command was checked in the plan; in a later round it may have changed, so ask again.
        was_checked = self._case.command is not None and self._rounds < 2
        # A known bot that pushed may also push the result. Only a push proves that it has write access.
        is_push_of_bot = event.is_push and author.is_bot and author.id != 0
        if was_checked or is_push_of_bot:
            return None
        role = None
        if not (author.is_bot or author.via_app):
            with suppress(ApiError):  # then the role is unknown, and the status says so
                role = self._context.reader.role()
        state = self._context.state
        words = f"{command_prefix(state) or '/'}apply"
        return permission_refusal(author, role, state.settings.permission, words)

    def _out_of_date(self, response: Response) -> Refusal | None:
        """Return a refusal if the plan is out of date, else None. Raises `HeadMoved` if only the branch has moved."""
        pull = self._context.state.pull
        planned_head = self._pull.head
        live = self._context.reader.look_until(
            lambda now: now.head == planned_head or now.head.commit not in pull.commits
        )
        if not live.is_open:
            return Refusal(ReasonCode.CLOSED, "the pull request is no longer open, so nothing was committed")
        if live.is_queued:
            return Refusal(ReasonCode.CLOSED, "the pull request is in the merge queue, so nothing was committed")
        refusal = self._edited_comment(live, response) or self._changed_suggestions(response)
        if refusal is not None:
            return refusal
        if live.base != pull.base:
            what = "the base of the pull request changed during the run"
            return Refusal(ReasonCode.HEAD_MOVED, what, "post the blocks again")
        if live.head != planned_head:
            raise HeadMoved(f"the branch is at {live.head.commit[:7]} now; try again")
        return self._done_by_other_run(live, response)

    def _edited_comment(self, live: Pull, response: Response) -> Refusal | None:
        """Return a refusal if the comment that caused the run, or its HTML, has changed since it was read."""
        state = self._context.state
        comment = state.event.comment
        if comment is None:
            return None
        noun = "the comment"
        code = ReasonCode.SOURCE_EDITED
        advice = "post the blocks again"
        if not state.event.caused_by(response):  # the status is about another comment, so a reply says it
            noun = "the command"
            code = ReasonCode.BAD_COMMAND
            advice = "send it again"
        what = f"{noun} no longer exists"
        if live.comment is not None:
            planned = state.response_of(comment)
            is_same = response_digest(state.response_of(live.comment)) == response_digest(planned)
            if is_same and planned.hidden_lines is not None:
                return None
            what = f"{noun} changed after the check"
        return Refusal(code, what, advice)

    def _changed_suggestions(self, response: Response) -> Refusal | None:
        """Return a refusal if the suggestions in the review threads have changed since they were read."""
        state = self._context.state
        command = self._case.command
        comment = state.event.comment
        if command is None or not command.suggestions or comment is None:
            return None
        suggestions, _ = self._context.reader.suggestions()
        chosen = suggestions_of(command, comment, suggestions, state.settings)
        if response_digest(response_of_suggestions(state, comment, chosen)) == response_digest(response):
            return None
        what = "a suggestion was edited, resolved or deleted during the run"
        return Refusal(ReasonCode.SOURCE_EDITED, what, "send the command again")

    def _done_by_other_run(self, live: Pull, response: Response) -> Refusal | None:
        """Return a refusal if a parallel run has committed the same blocks, even if that commit is gone again."""
        commit_before = self._case.post and self._case.post.commit_for(response)
        status = live.statuses.get(response.source.id)
        commit_now = status and status.commit_for(response)
        is_new = commit_now not in {None, commit_before}
        self._is_rewound = is_new and commit_now not in live.commits
        # the run that moved the branch may have carried out the same request
        chosen = str(self._case.request.select or "all")
        new_commits = [each for each in live.bot_commits if each not in self._context.state.pull.bot_commits]
        same_commits = [each for each in new_commits if each.selected in {"all", chosen} and is_for(each, response)]
        is_done = self._rounds > 1 and bool(same_commits)
        if not (self._is_rewound or is_done):
            return None
        what = "another run committed these blocks meanwhile"
        return Refusal(ReasonCode.HEAD_MOVED, what, "look at its status")


def _paths_by_commit(response: Response, pull: Pull) -> dict[str, list[str]]:
    """Return the paths of the threads that began on an earlier commit of the pull request, by that commit.

    Only the newest commits are known. Others are looked up one by one.
    """
    paths: dict[str, list[str]] = {}
    for part in response.parts:
        if part.thread_lines is None or part.context_path is None:
            continue
        commit = part.thread_lines.commit
        if commit in pull.commits and commit != pull.head.commit:
            paths.setdefault(commit, []).append(part.context_path)
    return paths


def has_other_file(repo: GitHubRepo, response: Response) -> bool:
    """Whether the response file has changed in `repo` since it was read. False if the response is not from a file."""
    path = response.source.path
    if path is None or not response.blob:
        return False
    repo.prefetch([path.rpartition("/")[0]])
    return repo.oid(path) != response.blob


# undo


def _undo(context: RunContext, case: Case, commit: BotCommit) -> RunReport:
    """Revert `commit`, or use it if it already is the revert, and check the response again on the new head."""
    attempt = Attempt(context, case)
    revert_id: str | None = commit.commit
    if not commit.undoes:
        try:
            revert_id = _commit_revert(attempt, context, case, commit)
        except Refused as error:
            report = RunReport(reason=f"{error.code.value}: {error.message}", state=state_of(error.code))
            try:
                _refuse(context, refusal_of(error))
            except EditBlocksError as fault:  # the job fails, and says why nothing was undone
                return report._replace(error=fault)
            if error.code in _FAULTS:
                report = report._replace(error=error)
            return report
    response = case.request.response
    outcome = attempt.settle(case.request)
    with suppress(EditBlocksError):  # the revert is made, so the status has to name it
        if attempt.repo is not None and has_other_file(attempt.repo, response):  # the file was deleted by hand
            outcome = Outcome(gone_response(context.state, commit.source), ApplyResult(), State.UNDONE)
    outcome = outcome._replace(state=State.UNDONE, commit=revert_id, head=outcome.head or revert_id, refusal=None)
    result = attempt.result(outcome)
    if not commit.undoes:
        result = result._replace(checks=start_checks(context))
    result = _report(context, result)
    return RunReport((result,), commit=result.other_commit, address=result.address, error=result.error)


def _commit_revert(attempt: Attempt, context: RunContext, case: Case, commit: BotCommit) -> str | None:
    """Make a commit that reverts `commit`, and return its id. Raises `Refused`."""
    forbidden = context.state.policy_fault or context.state.mode_refusal("undone")
    if forbidden is not None:
        raise Refused(forbidden.reason, forbidden.code)
    pull = context.state.pull
    for pause in PAUSES:
        if pause:
            attempt.pause(pause)
            pull = context.reader.look()
        if commit not in not_reverted(pull.bot_commits):
            reason = f"{commit.commit[:7]} was already undone; send the command again to undo one more"
            raise Refused(reason, ReasonCode.HEAD_MOVED)
        with suppress(HeadMoved):
            return _commit_once(attempt, context, case, commit)
    raise Refused(f"the branch moved {len(PAUSES)} times during the run; send the command again", ReasonCode.HEAD_MOVED)


def _commit_once(attempt: Attempt, context: RunContext, case: Case, ours: BotCommit) -> str | None:
    """Revert `ours` on the newest head, and return the new commit. Raises `HeadMoved` or `Refused`."""
    repo = attempt.open_repo()
    settings = context.state.settings
    name = ours.commit[:7]
    # The modes of the files before our commit. The limit is one more than for a response, for its response file.
    modes = repo.changed_paths(ours.parent.commit, ours.commit, settings.max_files + 1)
    parent = repo.at(ours.parent.commit)
    commit = repo.at(ours.commit)
    if modes is None or parent is None or commit is None:
        reason = f"{name} is no longer in the history of the branch; revert it by hand"
        raise Refused(reason, ReasonCode.HEAD_MOVED)
    plan = plan_revert(modes, parent, commit, repo.read, settings=settings, entries=repo.entries)
    if plan.conflicts:
        paths = join_words(list(plan.conflicts))
        for code in plan.conflicts.values():
            if code is not ReasonCode.STALE:
                raise Refused(f"{paths} may not be changed back, nothing was undone; run git revert {name}", code)
        advice = f"run git revert {name} on the branch and resolve the conflicts there"
        raise Refused(f"lines of {paths} changed after {name}, nothing was undone; {advice}", ReasonCode.STALE)
    if not plan.contents:
        raise Refused(
            f"there is nothing to undo here: the changes of {name} are no longer in the files", ReasonCode.STALE
        )
    refusal = attempt.refusal(case.request.response)
    if refusal is not None:
        raise Refused(refusal.reason, refusal.code)
    message = undo_message(
        ours.text,
        (len(plan.contents), plan.lines_added, plan.lines_removed),
        head=repo.head,
        prefix=settings.commit_prefix,
        signature=signature(context.state, None),
    )
    return repo.write(plan.contents, message, modes)
