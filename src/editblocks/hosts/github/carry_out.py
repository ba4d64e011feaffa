"""Carry out a plan: make the commit that it asks for, tell people, and give back what came of it.

GitHub is asked as late as possible, and doubt means no: what was planned counts only while the comment, the branch and
the permission are what they were. Rules: docs/reference/action.md, "who may apply" to "races".
"""

from __future__ import annotations

import random
from contextlib import suppress

from editblocks.applying.revert import undo as plan_undo
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.errors import ApiError, ConfigError, EditBlocksError, HeadMoved, Refused, RepoError
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Refusal, Response, Source
from editblocks.core.phrases import join_words
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.cases import (
    NEEDS_YOU,
    Apply,
    ApplyFiles,
    Case,
    FileStep,
    Plan,
    SkippedFile,
    Stop,
    Undo,
    signature,
)
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.history import as_committed, blocks_in_commits, is_for, not_reverted
from editblocks.hosts.github.plan_suggestions import response_of, suggestions_of
from editblocks.hosts.github.publish import (
    Desk,
    Published,
    Race,
    close_threads,
    edit_status,
    publish,
    refusal_code,
    start_checks,
)
from editblocks.hosts.github.reading import repo_at
from editblocks.hosts.github.replies import post_answer
from editblocks.hosts.github.response_files import left_out
from editblocks.hosts.github.state import BotCommit, Head, Place, Pull, branch_refusal, permission_refusal
from editblocks.report.commit_message import undo_message
from editblocks.report.status.answers import answer_refused
from editblocks.report.status.links import StartedCheck
from editblocks.repos.github.client import MAX_REQUESTS
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run.flow import PAUSES, settle
from editblocks.run.message import describe
from editblocks.run.plan import ApplyRequest

A_FILE = 12  # requests that a run must have left to start with another file
_FAULTS = {ReasonCode.BAD_CONFIG, ReasonCode.PUBLISH_FAILED}  # of an undo: these also fail the job
_DONE_BY_OTHER_RUN = Refusal(
    ReasonCode.HEAD_MOVED, "another run committed these blocks meanwhile", "look at its status"
)


class Report(NamedTuple):
    """What a run did, for the runner to be told."""

    results: tuple[Published, ...] = ()
    skipped_files: tuple[SkippedFile, ...] = ()
    reason: str = "nothing to do"  # why there is no result
    commit: str | None = None  # that an earlier run made
    address: str | None = None  # the fragment of the status
    warnings: tuple[str, ...] = ()  # problems that do not change the outcome
    faults: tuple[str, ...] = ()  # problems that fail the job although no outcome does
    error: EditBlocksError | None = None  # what cut the run off


def carry_out(plan: Plan, desk: Desk) -> Report:
    """Do what a plan says. Raises `RepoError` as long as nothing was done."""
    if isinstance(plan, Stop):
        return _stop(plan, desk)
    if isinstance(plan, Apply):
        return _apply(plan, desk)
    if isinstance(plan, Undo):
        return _undo(plan, desk)
    return _apply_files(plan, desk)


def _stop(plan: Stop, desk: Desk) -> Report:
    if plan.edited is not None:
        post, body = plan.edited
        edit_status(desk.reader, Place(post.source, post.thread), post.id, body)
    if plan.answer:
        post_answer(desk.reader, desk.state.pull, plan.answer)
    if plan.reaction:
        desk.reactions.show(plan.reaction)
    return Report(reason=plan.reason, commit=plan.commit, address=plan.address)


def _apply(plan: Apply, desk: Desk) -> Report:
    desk.reactions.see()
    if plan.answer:
        post_answer(desk.reader, desk.state.pull, plan.answer)
    attempt = Attempt(desk, plan.case, desk.state.pull.head)
    outcome = _settle(attempt, plan.case)
    outcome = outcome._replace(result=outcome.result._replace(notes=(*plan.notes, *outcome.result.notes)))
    report = _report(publish(desk, plan.case, outcome, attempt.race, _checks(desk, plan.case, outcome)))
    if plan.case.suggestions is not None and report.error is None and outcome.commit is not None:
        report = report._replace(warnings=(*report.warnings, *close_threads(desk, outcome)))
    if plan.command is not None and report.error is None:
        return _answer_outcome(desk, plan.command, outcome, report)
    return report


def _settle(attempt: Attempt, case: Case) -> Outcome:
    """Plan and write what a case asks for; if an earlier run made its commit, only look what is to be said of it."""
    unreported = case.unreported
    outcome = attempt.settle(case.request, is_unchanged=unreported is None)
    return outcome if unreported is None or outcome.refusal is not None else as_committed(outcome, unreported)


def _checks(desk: Desk, case: Case, outcome: Outcome) -> tuple[StartedCheck, ...]:
    is_new = outcome.written and outcome.commit is not None and case.unreported is None
    return start_checks(desk) if is_new else ()


def _report(*results: Published) -> Report:
    warnings = tuple(line for each in results for line in each.warnings)
    last = results[-1]
    return Report(results, commit=last.known, address=last.address, warnings=warnings, error=last.error)


def _answer_outcome(desk: Desk, command: Command, outcome: Outcome, report: Report) -> Report:
    """Answer a command that the status does not answer: it names a block in vain, or the mode is `check`."""
    if outcome.refusal is not None and outcome.refusal.code is ReasonCode.BAD_COMMAND:
        return _refuse(desk, outcome.refusal, report)
    if command.verb == "apply" and outcome.refusal is None and (forbidden := desk.rules.only_checks("committed")):
        return _refuse(desk, forbidden, report)
    if command.verb == "apply" and outcome.state is State.CHECKED:
        desk.reactions.show(NEEDS_YOU)
    return report


def _refuse(desk: Desk, refusal: Refusal, report: Report) -> Report:
    """Say why a command was not carried out; its author may command here, which was looked at before."""
    if desk.state.only_reads:
        return report
    try:
        text = answer_refused(desk.state.to, refusal.reason, refusal.code)
        post_answer(desk.reader, desk.state.pull, text)
    except EditBlocksError as error:
        return report._replace(error=error)
    desk.reactions.show(NEEDS_YOU)
    return report._replace(reason="nothing was done: see the answer")


class Attempt:
    """One request on its way to a commit (`run.flow.Gate`); nobody else changes what it holds."""

    def __init__(self, desk: Desk, case: Case, head: Head) -> None:
        self._desk, self._case = desk, case
        self._fresh: Head | None = head
        self._planned: Head | None = None
        self._is_rewound = False
        self._rounds = 0
        self.repo: GitHubRepo | None = None  # the one that was opened last

    @property
    def race(self) -> Race:
        return Race(self._rounds, self._is_rewound)

    def settle(self, request: ApplyRequest, *, is_unchanged: bool = True) -> Outcome:
        """Plan and write a request. `is_unchanged`: only if the response file is there as it was read."""

        def open_repo() -> GitHubRepo:
            repo = self.open_repo()
            if is_unchanged and (path := changed_file(repo, request.response)):
                reason = f"{path} was changed or removed during the run; what was pushed has a run of its own"
                raise RepoError(reason, ReasonCode.SOURCE_EDITED)
            return repo

        target = self._desk.state.event.repository
        return settle(request, self, open_repo, describe=describe, sleep=self.pause, target=target)

    def open_repo(self) -> GitHubRepo:
        """Return the repository to plan on and to write to: the newest head."""
        self._rounds += 1
        refused, desk = self._planned, self._desk
        self._planned = self._fresh or desk.reader.look_until(lambda now: now.head != refused).head
        self._fresh = None
        self.repo = repo_at(desk.reader, desk.state, self._planned, self.confirm)
        return self.repo

    def pause(self, seconds: float) -> None:
        """Wait a little longer than this, as runs that lost the same race should not meet again."""
        self._desk.reader.api.rest(seconds + random.SystemRandom().uniform(0, 0.5))

    def refusal(self, response: Response) -> Refusal | None:
        """Ask GitHub why this response may not be committed now; None if it may. Raises `HeadMoved` and `RepoError`."""
        return branch_refusal(self._desk.state.pull) or self._not_permitted() or self._out_of_date(response)

    def confirm(self) -> None:
        """Check after a wait that nothing changed. Raises `HeadMoved`, or `Refused` with the reason."""
        refusal = self._out_of_date(self._case.request.response)
        if refusal is not None:
            raise Refused(refusal.reason, refusal.code)

    def _not_permitted(self) -> Refusal | None:
        """Why the person who caused this run may not have the blocks committed; None if they may."""
        # After a retry the permission may have changed, so ask again; a bot is only ever allowed what it pushed itself.
        author = self._desk.state.event.author
        if self._case.is_allowed and (self._rounds < 2 or author.is_bot):
            return None
        try:
            role = None if author.is_bot or author.via_app else self._desk.reader.role()
        except ApiError:  # the status shows it
            role = None
        return permission_refusal(author, role, self._desk.rules.settings.permission)

    def _out_of_date(self, response: Response) -> Refusal | None:
        state = self._desk.state
        event, pull = state.event, state.pull
        live = self._desk.reader.look_until(
            lambda now: now.head == self._planned or now.head.commit not in pull.commits
        )
        if not live.is_open or live.is_queued:
            what = "in the merge queue" if live.is_open else "not open any more"
            return Refusal(ReasonCode.CLOSED, f"the pull request is {what}, nothing was committed")
        digest = response_digest(state.response_of(live.comment)) if live.comment is not None else None
        if event.comment is not None and digest != state.digest:
            noun = "the comment" if event.caused_by(response) else "the command"
            what = f"{noun} changed after the check" if digest else f"{noun} cannot be found any more"
            return Refusal(ReasonCode.SOURCE_EDITED, what, "post the blocks again")
        if (changed := self._changed_suggestions(response)) is not None:
            return changed
        if live.base != pull.base:
            what = "the pull request was given another base during the run"
            return Refusal(ReasonCode.HEAD_MOVED, what, "post the blocks again")
        if live.head != self._planned:
            self._fresh = live.head
            raise HeadMoved(f"the branch is at {live.head.commit[:7]} now; plan again")
        posts = self._case.post, live.status_of(response.source.id)
        before, now = (post.commit_for(response) if post else None for post in posts)
        self._is_rewound = now not in {None, before, *live.commits}
        # the run that moved the branch may have carried out the same request
        news = [commit for commit in live.bot_commits if commit not in pull.bot_commits]
        is_done = self._rounds > 1 and any(is_for(commit, response) for commit in news)
        return _DONE_BY_OTHER_RUN if self._is_rewound or is_done else None

    def _changed_suggestions(self, response: Response) -> Refusal | None:
        """The refusal if the review threads hold other suggestions now."""
        state, command = self._desk.state, self._case.suggestions
        if command is None or state.comment is None:
            return None
        chosen = suggestions_of(command, state.comment, self._desk.reader.suggestions())
        if response_digest(response_of(state, state.comment, chosen)) == response_digest(response):
            return None
        what = "a suggestion was edited, resolved or deleted during the run"
        return Refusal(ReasonCode.SOURCE_EDITED, what, "send the command again")


def changed_file(repo: GitHubRepo, response: Response) -> str:
    """The file of a response if it is another one in `repo`; empty if it is the same, or came from none."""
    path, blob = response.source.path, response.blob
    if path is None or not blob:
        return ""
    repo.prefetch([path.rpartition("/")[0]])
    return "" if repo.oid(path) == blob else path


# undo


def _undo(plan: Undo, desk: Desk) -> Report:
    """Revert a commit, or take one that is a revert, and check the response again on the new head."""
    desk.reactions.see()
    commit, case = plan.commit, plan.case
    attempt = Attempt(desk, case, desk.state.pull.head)
    try:
        made = commit.commit if commit.undoes else _commit_revert(attempt, desk, case, commit)
    except (ConfigError, Refused) as error:
        report = _refuse(desk, Refusal(error.code, error.message), Report())
        if error.code in _FAULTS:
            raise Refused(error.message, error.code) from None
        return report
    request = blocks_in_commits(case.request, desk.state.pull, gone=commit)
    outcome = attempt.settle(request, is_unchanged=False)
    if attempt.repo is not None and changed_file(attempt.repo, request.response):  # the file was deleted by hand
        gone = Response("", Source(commit.source, "comment", uri=desk.state.address(commit.source)))
        outcome = Outcome(gone, ApplyResult(), State.UNDONE)
    outcome = outcome._replace(state=State.UNDONE, commit=made, head=outcome.head or made, refusal=None)
    checks = () if commit.undoes else start_checks(desk)
    return _report(publish(desk, case, outcome, attempt.race, checks))


def _commit_revert(attempt: Attempt, desk: Desk, case: Case, commit: BotCommit) -> str | None:
    """Make the commit that reverts, and return it. Raises `Refused` and `ConfigError`."""
    forbidden = desk.rules.fault or desk.rules.only_checks("undone")
    if forbidden is not None:
        raise Refused(forbidden.reason, forbidden.code)
    pull = desk.state.pull
    for pause in PAUSES:
        if pause:
            attempt.pause(pause)
            pull = desk.reader.look()
        if commit not in not_reverted(pull.bot_commits):
            reason = f"{commit.commit[:7]} was undone after you asked; send it again to undo one more"
            raise Refused(reason, ReasonCode.HEAD_MOVED)
        with suppress(HeadMoved):
            return _commit_once(attempt, desk, case, commit)
    raise Refused(f"the branch moved {len(PAUSES)} times during the run; send it again", ReasonCode.HEAD_MOVED)


def _commit_once(attempt: Attempt, desk: Desk, case: Case, ours: BotCommit) -> str | None:
    repo, settings, name = attempt.open_repo(), desk.rules.settings, ours.commit[:7]
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
    refusal = attempt.refusal(case.request.response)
    if refusal is not None:
        raise Refused(refusal.reason, refusal.code)
    message = undo_message(
        ours.text,
        (len(plan.contents), plan.lines_added, plan.lines_removed),
        head=repo.head,
        prefix=settings.commit_prefix,
        signature=signature(desk.state, desk.rules, None),
    )
    return repo.write(plan.contents, message, modes)


# response files


def _apply_files(plan: ApplyFiles, desk: Desk) -> Report:
    """Carry out each file, as far as the requests of a run go."""
    results: list[Published] = []
    skipped: list[SkippedFile] = []
    faults, warnings = list(desk.state.faults), list(desk.state.warnings)
    known, address, error = None, None, None
    for number, step in enumerate(plan.steps):
        is_cut_off = results and refusal_code(results[-1].outcome) is ReasonCode.UNAVAILABLE
        if is_cut_off or desk.reader.api.requests > MAX_REQUESTS - A_FILE:
            asked = f"as a run asks GitHub {MAX_REQUESTS} times at most, and has {desk.reader.api.requests}"
            faults.append(left_out(len(plan.steps) - number, f"{asked}; run the job again"))
            break
        if step.skipped is not None:
            skipped.append(step.skipped)
        known, address = _known(step, desk.state.pull), step.case.address
        if step.skipped is None or (step.case.unreported is not None and desk.state.event.number is not None):
            done, desk = _apply_file(step, desk)
            results.append(done)
            warnings += done.warnings
            known, address, error = known or done.known, done.address, done.error
        if error is not None:
            break
    return Report(tuple(results), tuple(skipped), plan.reason, known, address, tuple(warnings), tuple(faults), error)


def _known(step: FileStep, pull: Pull) -> str | None:
    """The commit that holds the blocks of a skipped file, if it still does."""
    is_there = step.skipped is not None and step.skipped.code == ReasonCode.ALREADY_APPLIED.value
    return step.case.done if is_there and not pull.has_lost(step.case.done) else None


def _apply_file(step: FileStep, desk: Desk) -> tuple[Published, Desk]:
    """Carry out one file; gives the desk as it is then, as this run may have moved the branch."""
    case, head = step.case, desk.state.pull.head
    if step.source.problem is not None:
        result = ApplyResult(problems=(step.source.problem,))
        outcome = Outcome(step.source.response, result, State.FAILED, head.commit, refusal=desk.rules.fault)
        return publish(desk, case, outcome, Race()), desk
    attempt = Attempt(desk, case, head)
    outcome = _settle(attempt, case)
    repo = attempt.repo
    if outcome.written and repo is not None and repo.head == outcome.commit:
        desk = desk.at(Head(repo.head, repo.tree))
    return publish(desk, case, outcome, attempt.race, _checks(desk, case, outcome)), desk
