"""A pull request on GitHub as a `run.flow.Gate`: the settings in force, the case in work, and what may be committed.

GitHub is asked as late as possible, and doubt means no: the text of the event counts only while the comment still
says the same, and a permission that cannot be read is a refusal.
Rules: docs/reference/action.md, "who may apply" to "races".
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from editblocks.config.environment import Policy
from editblocks.config.policy import policy_from
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, ConfigError, HeadMoved, PolicyError, Refused, Trouble
from editblocks.core.outcome import Outcome, Refusal, Response, Source
from editblocks.core.settings import Settings
from editblocks.hosts.github.orders.case import Case, done_by_status, is_own, with_skips
from editblocks.hosts.github.orders.commits import blocks_in_commits, commit_made_for, is_for, revert_of
from editblocks.hosts.github.posting.reactions import Reactions
from editblocks.hosts.github.posting.status import GitHubStatus
from editblocks.hosts.github.pull.context import Context, Head, branch_refusal, status_of
from editblocks.hosts.github.pull.event import Comment
from editblocks.hosts.github.pull.permissions import author_refusal, role_of, role_refusal
from editblocks.hosts.github.pull.pull_request import PullRequest
from editblocks.report.status.links import Links
from editblocks.repos.stores.github_repo import BranchTip, GitHubRepo
from editblocks.run.flow import ApplyRequest, settle

DONE_BY_OTHER_RUN = Refusal(ReasonCode.HEAD_MOVED, "another run committed these blocks meanwhile", "look at its status")


class GitHubHost:
    """One task on one pull request; requests are handled one after the other. `links` and `version` are for the status.

    `inputs` are the settings that the workflow sets (`config.environment.values_from_environment`).
    """

    def __init__(self, pull: PullRequest, *, inputs: Mapping[str, Any], links: Links, version: str) -> None:
        self.api = pull.api
        self.task = pull.task
        self.pull = pull
        self._inputs = inputs
        self.links = links
        self.version = version
        self._fresh: Head | None = None
        self._planned_head: Head | None = None
        self.rounds = 0
        self.reactions = Reactions(self.api, self.task, bool(inputs.get("reactions", True)))
        self.case: Case | None = None
        self.repo: GitHubRepo | None = None  # the one that was opened last
        self.nothing_to_do_reason = "nothing to do"  # why there is no request
        self.digest = ""  # of the text of the comment, as it was read at first
        self.done: str | None = None  # the commit that already carried out the command
        self.warnings: list[str] = []  # problems that do not change the outcome
        self.faults: list[str] = []  # problems that fail the job although no outcome does

    # settings and state

    @property
    def context(self) -> Context:
        """The pull request as the first look found it. Raises `RepoError`."""
        return self.pull.context

    @cached_property
    def ruling(self) -> Policy | Refusal:
        """The settings in force, with their origins, or why the policy cannot be used. Raises `RepoError`."""
        try:
            policy = self._policy()
        except ConfigError as error:
            branch = error.branch if isinstance(error, PolicyError) else ""
            return Refusal(error.code, error.message, policy_branch=branch)
        if not policy.settings.reactions:
            self.reactions.stop()
        return policy

    @property
    def settings(self) -> Settings:
        """The settings in force; if the policy cannot be used, the defaults in mode `check`, which commit nothing."""
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
            context.default_policy.text,  # None also if it cannot be read: then it allows nothing more
            self._inputs,
            branch=context.pull.base,
            default_branch=context.default_branch or "",
        )

    def address(self, fragment: str) -> str:
        """The web address of a comment, a review or a reply of this pull request."""
        return f"{self.links.server}/{self.task.repository}/pull/{self.task.number}#{fragment}"

    def source_of(self, comment: Comment) -> Source:
        """Return a comment as a source."""
        return Source(comment.source, comment.kind, uri=self.address(comment.source), author=comment.author.login)

    def role(self) -> str | None:
        """Ask for the role of the person who caused this run, as `role_of`. Raises `RepoError`."""
        return role_of(self.api, self.task.repository, self.task.author)

    def role_refusal(self, role: str | None) -> Refusal | None:
        """Why that person may not have blocks committed with this role; None if they may."""
        return role_refusal(self.task.author, role, self.settings.permission)

    # cases

    def open_case(
        self,
        request: ApplyRequest,
        *,
        thread: int | None = None,
        since: str | None = None,
        is_allowed: bool = False,
    ) -> Case:
        """Start work on a source: find its status."""
        context, status = self.context, GitHubStatus(self.pull, request.response.source.id, thread, since)
        post = status.find(context.reviews, context.threads) if self.task.number is not None else None
        if context.fork is not None:  # no command would help there, so the status names the fork instead
            request = replace(request, needs_command=False)
        self.case = Case(with_skips(request, post), status, is_allowed, post)
        self._fresh, self._planned_head, self.rounds = context.pull.head, None, 0
        return self.case

    def look_back(self, case: Case) -> Case:
        """Find the commit that was made for a case already, and mark the blocks that our commits hold."""
        request, context = case.request, self.context
        if is_own(self.task, request) or not request.needs_command:
            case.known_commit = done_by_status(case.post, request, self.task, context)
        if case.known_commit is None and not request.needs_command:
            back = revert_of(request.response, context.bot_commits)
            word = self.task.comment
            if back is not None and (word is None or word.created_at <= back[1].created_at):
                case.known_commit = back[0].commit  # to apply it again takes a new command
            else:
                case.unreported = commit_made_for(request, self.task, context.bot_commits)
                case.known_commit = case.unreported.commit if case.unreported else None
        if case.known_commit is None or case.unreported is not None:
            case.request = blocks_in_commits(request, context)
        if case.unreported is not None:
            case.request = replace(case.request, needs_command=True, refusal=None)
        return case

    def tip(self) -> Head:
        """Return the commit to plan on: the newest head."""
        self.rounds += 1
        refused = self._planned_head
        self._planned_head = self._fresh or self.pull.live_until(lambda head: head != refused).pull.head
        self._fresh = None
        return self._planned_head

    def repo_at(self, head: Head, confirm: Callable[[], None] = lambda: None) -> GitHubRepo:
        """Return a repository that reads the files of a commit."""
        tip = BranchTip(self.task.repository, self.context.node_id, self.context.branch, head.commit, head.tree)
        return GitHubRepo(self.api, tip, confirm=confirm)

    def open_repo(self) -> GitHubRepo:
        """Return the repository to plan on and to write to."""
        self.repo = self.repo_at(self.tip(), self.confirm)
        return self.repo

    def settle(self, request: ApplyRequest, check: Callable[[GitHubRepo], None] = lambda _: None) -> Outcome:
        """Plan and write a request. `check` raises `RepoError` for a repository that it must not be planned on."""

        def open_repo() -> GitHubRepo:
            repo = self.open_repo()
            check(repo)
            return repo

        return settle(request, self, open_repo, sleep=self.pause, target=self.task.repository)

    def pause(self, seconds: float) -> None:
        """Wait a little longer than this, as runs that lost the same race should not meet again."""
        self.api.rest(seconds + random.SystemRandom().uniform(0, 0.5))

    # what run.flow.Gate asks for

    def refusal(self, response: Response) -> Refusal | None:
        """Ask GitHub why this response may not be committed now; None if it may. Raises `HeadMoved` and `RepoError`."""
        del response  # the current case has it
        case = self.current
        refusal = branch_refusal(self.context) or self.not_permitted(case) or self._out_of_date(case)
        if refusal is None and self.rounds > 1:  # the run that moved the branch may have carried out the same request
            known = {commit.commit for commit in self.context.bot_commits}
            news = (each for each in self.pull.look_around().bot_commits if each.commit not in known)
            refusal = DONE_BY_OTHER_RUN if any(is_for(each, case.request.response) for each in news) else None
        return refusal

    def confirm(self) -> None:
        """Check after a wait that nothing changed. Raises `HeadMoved`, or `Refused` with the reason."""
        refusal = self._out_of_date(self.current)
        if refusal is not None:
            raise Refused(refusal.reason, refusal.code)

    @property
    def only_reads(self) -> bool:
        """Whether the token of this run only reads, so that nothing can be posted."""
        return self.context.fork is not None and self.task.only_reads_on_forks

    @property
    def reply(self) -> str | None:
        """What a command begins with here; None if no command would change anything."""
        if self.task.number is None or self.settings.mode == "check" or self.context.fork is not None:
            return None
        return "/" if self.settings.short_commands else "/edits "

    @property
    def comment(self) -> Comment:
        """The comment that caused this run. Raises `ValueError` if a push did."""
        if self.task.comment is None:
            raise ValueError("no comment caused this run")
        return self.task.comment

    @property
    def current(self) -> Case:
        """The case in work. Raises `ValueError` if none was opened."""
        if self.case is None:
            raise ValueError("no request was taken")
        return self.case

    # permission, and changes during the run

    def not_permitted(self, case: Case) -> Refusal | None:
        # After a retry the permission may have changed, so ask again; a bot is only ever allowed what it pushed itself.
        if case.is_allowed and (self.rounds < 2 or self.task.author.is_bot):
            return None
        refusal = author_refusal(self.task.author, self.settings.permission)
        if refusal is not None:
            return refusal
        try:
            role = self.role()
        except ApiError:  # the status shows it
            role = None
        return self.role_refusal(role)

    def _out_of_date(self, case: Case) -> Refusal | None:
        try:
            live = self.pull.live_until(
                lambda head: head == self._planned_head or head.commit not in self.context.older
            )
        except ApiError as error:
            if error.trouble is Trouble.MISSING and self.task.comment is not None:
                return _edited("the comment cannot be found any more")
            raise
        pull = live.pull
        if not pull.is_open or pull.is_queued:
            what = "in the merge queue" if pull.is_open else "not open any more"
            return Refusal(ReasonCode.CLOSED, f"the pull request is {what}, nothing was committed")
        digest = live.words.response(case.request.response.source).digest if live.words else None
        if self.task.comment is not None and digest != self.digest:
            noun = "the comment" if is_own(self.task, case.request) else "the command"
            return _edited(f"{noun} changed after the check")
        if pull.base != self.context.pull.base:
            what = "the pull request was given another base during the run"
            return Refusal(ReasonCode.HEAD_MOVED, what, "post the blocks again")
        if pull.head != self._planned_head:
            self._fresh = pull.head
            raise HeadMoved(f"the branch is at {pull.head.commit[:7]} now; plan again")
        response = case.request.response
        post = status_of(response.source.id, live.posts)
        news = post.commit_for(response) if post else None
        case.is_rewound = news != pull.head.commit and self._is_rewound(case, news)
        return DONE_BY_OTHER_RUN if case.is_rewound else None

    def _is_rewound(self, case: Case, commit: str | None) -> bool:
        """Whether the commit that our status names now was made during the run and has gone from the branch."""
        before = case.post.commit_for(case.request.response) if case.post else None
        if commit in {None, before} or commit in self.context.commits:
            return False
        return self.rounds < 2 or commit not in self.pull.look_around().commits


def _edited(what: str) -> Refusal:
    return Refusal(ReasonCode.SOURCE_EDITED, what, "post the blocks again")
