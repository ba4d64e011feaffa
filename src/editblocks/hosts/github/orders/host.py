"""A pull request on GitHub as a `run.flow.Host`: what was written there becomes requests, each with one status.

Everything is asked as late as possible and believed as little as possible: the text is the event's,
and counts only while the live one is the same; a permission that cannot be read is none.
Rules: docs/reference/action.md, "who may apply" to "races".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from editblocks.config.policy import Policy, policy_from
from editblocks.core.codes import ReasonCode, State
from editblocks.core.errors import ApiError, ConfigError, HeadMoved, PolicyError, Refused, Trouble
from editblocks.core.outcome import Outcome, Refusal, Response
from editblocks.core.settings import Settings
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.orders.case import (
    Case,
    done_by_status,
    is_done_by_other_run,
    is_own,
    kept_commit,
    kept_lines,
    with_skips,
)
from editblocks.hosts.github.orders.commit_records import DONE_BY_OTHER_RUN, Proof, Records
from editblocks.hosts.github.posting.check_run import write_check_run
from editblocks.hosts.github.posting.inline_comments import Lines
from editblocks.hosts.github.posting.reactions import Reactions
from editblocks.hosts.github.posting.status import GitHubStatus, StatusPlace
from editblocks.hosts.github.pull.context import WORKFLOW_LOGIN, BotCommit, Context, Head, branch_refusal
from editblocks.hosts.github.pull.event import Comment, Task
from editblocks.hosts.github.pull.permissions import Person
from editblocks.hosts.github.pull.pull_request import PullRequest
from editblocks.report.status.links import Links
from editblocks.report.status.markdown import LIMIT, status
from editblocks.run.flow import ApplyRequest

MOMENT = 3.0  # seconds in which a run that has just committed writes its status


class GitHubHost:
    """One task on one pull request. Requests are serial. `links` and `version` are for the status.

    `inputs` are the settings that the workflow sets (`config.environment.values_from_environment`). `verify_commit`
    tells whether a commit holds what a request makes of the commit's parent, and nothing else.
    """

    def __init__(
        self,
        api: GitHubApi,
        task: Task,
        pull: PullRequest,
        *,
        inputs: Mapping[str, Any],
        links: Links,
        version: str,
        verify_commit: Proof,
    ) -> None:
        self.api = api
        self.task = task
        self.pull = pull
        self._inputs = inputs
        self.links = links
        self._version = version
        self.records = Records(verify_commit)
        self._ruling: Policy | Refusal | None = None
        self._fresh: Head | None = None
        self._planned_head: Head | None = None
        self._rounds = 0
        self.reactions = Reactions(api, task.repository, task.comment, wanted=bool(inputs.get("reactions", True)))
        self.case: Case | None = None
        self.nothing_to_do_reason = "nothing to do"  # why there is no request
        self.done: str | None = None  # the commit that was made for a command already
        self.warnings: list[str] = []  # what went wrong beside the point
        self.faults: list[str] = []  # what fails the job beside the outcomes

    # what holds here

    @property
    def context(self) -> Context:
        """What is known of the pull request. Raises `RepoError`."""
        return self.pull.context

    @property
    def ruling(self) -> Policy | Refusal:
        """The settings that hold, with their origins, or why they cannot be told. Raises `RepoError`."""
        if self._ruling is None:
            try:
                self._ruling = policy = self._policy()
                if not policy.settings.reactions:
                    self.reactions.stop()
            except ConfigError as error:
                branch = error.branch if isinstance(error, PolicyError) else ""
                self._ruling = Refusal(error.code, error.message, policy_branch=branch)
        return self._ruling

    @property
    def settings(self) -> Settings:
        """The settings that hold; where the policy cannot be used, the defaults, with which nothing is committed."""
        return self.ruling.settings if isinstance(self.ruling, Policy) else Settings(mode="check")

    @property
    def policy_fault(self) -> Refusal | None:
        """Why the policy cannot be used, so that nothing may be committed."""
        return self.ruling if isinstance(self.ruling, Refusal) else None

    def _policy(self) -> Policy:
        context = self.context
        if context.policy.fault:
            base = context.pull.base
            raise PolicyError(f".editblocks.yml on {base}: {context.policy.fault}", base)
        return policy_from(
            context.policy.text,
            context.default_policy.text,  # None as well if it cannot be read: then it loosens nothing
            self._inputs,
            branch=context.pull.base,
            default_branch=context.default_branch or "",
        )

    def address(self, fragment: str) -> str:
        """Where a comment, a review or a reply of this pull request is."""
        return f"{self.links.server}/{self.task.repository}/pull/{self.task.number}#{fragment}"

    def person(self) -> Person:
        """Whoever caused this run."""
        return Person(self.api, self.task.repository, self.task.author, self.settings.permission)

    # cases

    def open_case(
        self,
        request: ApplyRequest,
        *,
        asked: tuple[Comment, str] | None,
        thread: int | None = None,
        since: str | None = None,
        is_allowed: bool = False,
        looks_back: bool = True,
    ) -> Case:
        """Begin with a source: find its status, and what was done with it already.

        Without `looks_back`, blocks that commits of ours hold are not told from the others.
        """
        source, context = request.response.source.id, self.context
        status = GitHubStatus(
            self.api,
            StatusPlace(self.task.repository, self.task.number or 0, source, thread, since),
            self.pull.no_reply,
        )
        post = status.find(context.reviews, context.threads) if self.task.number is not None else None
        if context.fork is not None:
            request = replace(
                request, needs_command=False
            )  # no word would change anything: the fork is what is to be said
        request = with_skips(request, post)
        self.case = case = Case(request, status, asked, is_allowed, post)
        if is_own(self.task, request) or not request.needs_command:
            case.known_commit = done_by_status(post, request, self.task, self.context)
        if case.known_commit is None and not request.needs_command:
            case.known_commit = self.records.already_reverted(
                context, request, self.task.comment
            )  # whatever a plan would say today
        if case.known_commit is None and not request.needs_command:
            case.bot_commit = self._verify(context, case)
            case.known_commit = case.bot_commit.commit if case.bot_commit else None
        if looks_back and (case.known_commit is None or case.bot_commit is not None):
            case.request = self.records.with_committed(context, case.request, before=case.bot_commit)
        self._fresh = case.bot_commit.parent if case.bot_commit else context.pull.head
        self._planned_head, self._rounds = None, 0
        return case

    def tip(self) -> Head:
        """The commit to plan on: the newest head, or the parent of the commit that was made already."""
        self._rounds += 1
        refused = self._planned_head
        self._planned_head = self._fresh or self.pull.live_until(self._node, lambda head: head != refused).pull.head
        self._fresh = None
        return self._planned_head

    def plan_on_head(self) -> None:
        """Forget what was made before: the next plan is on the newest head that is known."""
        self._fresh = self.context.pull.head

    @property
    def made(self) -> dict[str, str]:
        """The commit that was made for this request already, by its root tree."""
        bot_commit = self.case.bot_commit if self.case else None
        return {bot_commit.tree: bot_commit.commit} if bot_commit else {}

    @property
    def _node(self) -> str | None:
        asked = self.case.comment if self.case else None
        return asked[0].node_id if asked else None

    # what run.flow.Host asks for

    def refusal(self, response: Response) -> Refusal | None:
        """Why this response may not be committed now, asked at GitHub. Raises `HeadMoved` and `RepoError`."""
        del response  # that of the case
        case = self.current
        if case.bot_commit is not None:
            refusal = self._not_permitted(case)
            if refusal is not None:
                case.bot_commit = case.known_commit = None
            return refusal
        refusal = branch_refusal(self.context) or self._not_permitted(case) or self._out_of_date(case)
        if refusal is None and self._rounds > 1:  # a race that was lost may have been lost to the same request
            refusal = self.records.done_by_other_run(self.context, self.pull.look_around(), case.request)
        return refusal

    def confirm(self) -> None:
        """Look once more after a wait. Raises `HeadMoved`, or `Refused` with the reason."""
        refusal = self._out_of_date(self.current)
        if refusal is not None:
            raise Refused(refusal.reason, refusal.code)

    def publish(self, outcome: Outcome) -> None:
        """Write the status and react to the comment, unless another run does."""
        case = self.current
        case.outcome = outcome
        self.api.last_words()
        if self.task.number is None or (outcome.refusal and outcome.refusal.code is ReasonCode.BAD_COMMAND):
            return  # there is no pull request to write to, or a short answer says it
        if self.only_reads:
            self.warnings.append("no status: the token of a pull request from a fork only reads; see the job summary")
            return
        if (
            self._is_quiet(case, outcome)
            or self._is_reported(case, outcome)
            or is_done_by_other_run(self.task, outcome)
        ):
            self.reactions.forget()
            return
        is_new, context = case.status.id is None, self.context
        lines = Lines(self.api, case.status.place, outcome, reply=self.reply, most=self.settings.inline_comments)
        body = kept_lines(case.body, self.render(outcome))
        case.status.write(body, outcome.head or context.pull.head.commit, lines.in_diff() if is_new else ())
        if is_new:
            lines.in_threads(context.threads)
        lines.shorten(context.threads)
        if self._wants_check_run(case, outcome) and not write_check_run(self.api, self.task.repository, outcome):
            self.warnings.append("the check run could not be written; give the job checks: write")
        self.reactions.show_state(outcome.state)

    def render(self, outcome: Outcome, limit: int = LIMIT) -> str:
        """The text of the status, at most `limit` characters."""
        source = outcome.response.source
        return status(
            outcome,
            replace(self.links, source=source.id, path=source.path),
            limit=limit,
            version=self._version,
            branch=self.context.branch,
            # what GITHUB_TOKEN commits starts no workflow
            checks_wait=self.context.viewer.login == WORKFLOW_LOGIN,
            reply=None if self._is_edited_since(outcome) or self.current.is_rewound else self.reply,
            done=kept_commit(self.current.post, outcome),
            role=self.settings.permission,
        )

    def _is_edited_since(self, outcome: Outcome) -> bool:
        """Whether the text was changed while it was worked on: what is shown is not what stands there now."""
        edited = outcome.refusal is not None and outcome.refusal.code is ReasonCode.SOURCE_EDITED
        return edited and self.current.request.refusal is None

    @property
    def only_reads(self) -> bool:
        """Whether the token of this run cannot say anything."""
        return self.context.fork is not None and self.task.only_reads_on_forks

    @property
    def reply(self) -> str | None:
        """What a command begins with here; None where none would change anything."""
        if self.task.number is None or self.settings.mode == "check" or self.context.fork is not None:
            return None
        return "/" if self.settings.short_commands else "/edits "

    @property
    def current(self) -> Case:
        """The case that is worked on."""
        if self.case is None:
            raise ValueError("no request was taken")
        return self.case

    def _is_quiet(self, case: Case, outcome: Outcome) -> bool:
        """Whether another run of the same event says it, so that it is not said twice."""
        if outcome.unresolved is not None or outcome.state is State.UNDONE:
            return False
        if case.is_rewound:
            return True
        if case.bot_commit is None and (outcome.written or self._rounds < 2):
            return False
        if case.bot_commit is not None:  # the run that made it was killed, or it is about to say so itself
            self.api.rest(MOMENT)
        context = self.pull.look_around()
        in_status = done_by_status(case.status.find(context.reviews, context.threads), case.request, self.task, context)
        bot_commit = None if in_status else self._verify(context, case)
        case.known_commit = in_status or (bot_commit.commit if bot_commit else None)
        return (in_status if case.bot_commit is not None else case.known_commit) is not None

    def _is_reported(self, case: Case, outcome: Outcome) -> bool:
        """Look for a status of a run at the same time: a review cannot be deleted, and "applied" is the last word."""
        if (outcome.written and self.task.comment is not None) or case.status.id is not None:
            return False  # a file that was looked at before may have a status that the first answer did not show
        try:
            in_status = done_by_status(case.status.look(), case.request, self.task, self.context)
        except ApiError:
            return False  # rather two than none
        case.known_commit = in_status or case.known_commit
        return in_status is not None

    def _verify(self, context: Context, case: Case) -> BotCommit | None:
        return self.records.verified(context, case.request, self.task.comment, case.bot_commit)

    # who may, and what is still true

    def _not_permitted(self, case: Case) -> Refusal | None:
        # In a later round the answer of the first one is old; a bot is asked for nothing but what it pushed.
        is_known = case.is_allowed and (self._rounds < 2 or self.task.author.is_bot)
        return None if is_known else self.person().refusal()

    def _wants_check_run(self, case: Case, outcome: Outcome) -> bool:
        """Only of somebody who may write: it stands on the commit, beside the checks that merging waits for."""
        return self.settings.check_run and (outcome.written or self._not_permitted(case) is None)

    def _out_of_date(self, case: Case) -> Refusal | None:
        noun = "the comment"
        try:
            live = self.pull.live_until(
                self._node, lambda head: head == self._planned_head or head.commit not in self.context.older
            )
        except ApiError as error:
            if error.trouble is Trouble.MISSING and case.comment is not None:
                return Refusal(ReasonCode.SOURCE_EDITED, f"{noun} cannot be found any more", "post the blocks again")
            raise
        pull = live.pull
        if not pull.is_open or pull.is_queued:
            what = "in the merge queue" if pull.is_open else "not open any more"
            return Refusal(ReasonCode.CLOSED, f"the pull request is {what}, nothing was committed")
        if case.comment is not None:
            comment, digest = case.comment
            if live.words is None or live.words.response(case.request.response.source).digest != digest:
                what = "the command" if comment.source != case.request.response.source.id else noun
                return Refusal(ReasonCode.SOURCE_EDITED, f"{what} changed after the check", "post the blocks again")
        if pull.base != self.context.pull.base:
            what = "the pull request was given another base during the run"
            return Refusal(ReasonCode.HEAD_MOVED, what, "post the blocks again")
        if pull.head != self._planned_head:
            self._fresh = pull.head
            raise HeadMoved(f"the branch is at {pull.head.commit[:7]} now; plan again")
        case.is_rewound = self._is_rewound(case.commit_since(live.posts), pull.head)
        return DONE_BY_OTHER_RUN if case.is_rewound else None

    def _is_rewound(self, commit: str | None, head: Head) -> bool:
        """Whether a commit that was made during the run is not on the branch any more."""
        if commit is None or commit in self.context.commits | {head.commit}:
            return False
        return self._rounds < 2 or commit not in self.pull.look_around().commits
