"""A pull request on GitHub as a `run.flow.Gate`: the settings in force, the case in work, and what may be committed.

GitHub is asked as late as possible, and doubt means no: the text of the event counts only while the comment still
says the same, and a permission that cannot be read is a refusal.
Rules: docs/reference/action.md, "who may apply" to "races".
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from editblocks.config.policy import policy_from
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import response_digest
from editblocks.core.errors import ApiError, ConfigError, HeadMoved, PolicyError, Refused, RepoError
from editblocks.core.outcome import Outcome, Refusal, Response, Signature, Source
from editblocks.core.selection import Selection
from editblocks.core.settings import Policy, Settings
from editblocks.hosts.github.cases import Case, SkippedFile, SourceResponse, changed_file, with_skips
from editblocks.hosts.github.context import Context, Head, Post, branch_refusal, permission_refusal
from editblocks.hosts.github.event import Author, Comment
from editblocks.hosts.github.exactly_once import blocks_in_commits, commit_made_for, done_by_status, is_for, revert_of
from editblocks.hosts.github.pull_request import PullRequest
from editblocks.hosts.github.status import NEEDS_YOU, GitHubStatus, Reactions, answer
from editblocks.report.status.answers import answer_refused
from editblocks.report.status.links import Links, Marker
from editblocks.repos.github.branch import GitHubBranch
from editblocks.repos.stores.github_repo import GitHubRepo
from editblocks.run.flow import settle
from editblocks.run.message import describe
from editblocks.run.plan import ApplyRequest

DONE_BY_OTHER_RUN = Refusal(ReasonCode.HEAD_MOVED, "another run committed these blocks meanwhile", "look at its status")
READS_ONLY = (
    "nothing was done: the token of a review on a fork's pull request only reads; "
    "send the command as a comment below the pull request"
)


class GitHubHost:
    """One task on one pull request; requests are handled one after the other. `inputs` are the workflow's settings."""

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
        self.reactions = Reactions(pull, bool(inputs.get("reactions", True)))
        self.case: Case | None = None
        self.repo: GitHubRepo | None = None  # the one that was opened last
        self.statuses: tuple[Post, ...] | None = None  # the newest of each source, once they are read
        # Of joined sources: whether an earlier text changed, and the markers of the earlier ones as they were found.
        self.checks: dict[str, Callable[[], Refusal | None]] = {}
        self.markers: dict[str, dict[str, Marker]] = {}
        self.digest = ""  # of the text of the comment, as it was read at first; empty if its page is not known
        # what the run has to report
        self.outcomes: list[Outcome] = []
        self.skipped_files: list[SkippedFile] = []
        self.nothing_to_do_reason = "nothing to do"  # why there is no outcome
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
        context = self.context
        try:
            if context.policy_fault:
                raise PolicyError(f".editblocks.yml on {context.base}: {context.policy_fault}", context.base)
            policy = policy_from(
                context.policy,
                context.default_policy,
                self._inputs,
                branch=context.base,
                default_branch=context.default_branch or "",
            )
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

    @property
    def only_reads(self) -> bool:
        """Whether the token of this run only reads, so that nothing can be posted."""
        return self.context.fork is not None and self.task.only_reads_on_forks

    @property
    def command_prefix(self) -> str | None:
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

    def address(self, fragment: str) -> str:
        """The web address of a comment, a review or a reply of this pull request."""
        return f"{self.links.server}/{self.task.repository}/pull/{self.task.number}#{fragment}"

    def response_of(self, comment: Comment) -> Response:
        uri = self.address(comment.source)
        return comment.response(Source(comment.source, comment.kind, uri=uri, author=comment.author.login))

    def signature(self, author: Author | None) -> Signature:
        """Return the people and trailers that a commit of `author`'s blocks names."""
        co_author = None
        if self.settings.credit and author is not None and not author.is_bot:
            co_author = f"{author.login} <{author.id}+{author.login}@{self.pull.no_reply}>"
        return Signature(self.task.author.login, co_author, self.settings.trailers)

    def role_refusal(self, role: str | None) -> Refusal | None:
        return permission_refusal(self.task.author, role, self.settings.permission)

    def only_checks(self, done: str) -> Refusal | None:
        """The refusal in mode `check`, where nothing is ever `done` (committed, undone); None in other modes."""
        if self.settings.mode != "check":
            return None
        return Refusal(ReasonCode.NOT_PERMITTED, f"this workflow only checks (mode: check), so nothing was {done}")

    # answers

    def reply(self, text: str, *, is_heard: bool = True, shows: bool = True) -> None:
        """Answer people with a role in this repository; strangers only get a reaction, so they cannot make us post."""
        if self.only_reads:
            self.nothing_to_do_reason = READS_ONLY
            return
        unanswered = f"nothing was done: no answer, {self.task.author.login} may not command here"
        self.nothing_to_do_reason = "nothing was done: see the answer" if is_heard else unanswered
        if is_heard:
            answer(self.pull, text)
        if shows or not is_heard:
            self.reactions.show(NEEDS_YOU)

    def refuse(self, refusal: Refusal, *, is_heard: bool = True) -> None:
        """Answer that a command is not carried out, and why."""
        self.reply(answer_refused(self.comment.source, refusal.reason, refusal.code), is_heard=is_heard)

    # cases

    def request(
        self, source: SourceResponse, select: Selection | None = None, *, refusal: Refusal | None, needs_command: bool
    ) -> ApplyRequest:
        """What to do with a source under the settings in force. `refusal`: what else is against it."""
        settings, response, comment = self.settings, source.response, source.comment
        if source.skip:
            select = (select or Selection(every=True))._replace(skip=source.skip)
        return ApplyRequest(
            response,
            settings,
            select,
            allow_partial=settings.partial or (select is not None and select.ready),
            signature=self.signature(comment.author if comment is not None else None),
            skip=source.skip,
            needs_command=needs_command and settings.mode == "apply",
            removes=tuple(each.source.path or "" for each in response.rounds)
            if settings.after_apply == "delete"
            else (),
            refusal=self.policy_fault or source.fault or refusal,
            chosen_at=self.context.head.commit,
        )

    def open_case(self, request: ApplyRequest, comment: Comment | None, *, is_allowed: bool) -> Case:
        """Start work on a source, which came from `comment` or from a file: find its status."""
        context, source = self.context, request.response.source.id
        status = GitHubStatus(self.pull, source, comment or context.status_of(source))
        post = status.find(context) if self.task.number is not None else None
        if context.fork is not None:  # no command would help there, so the status names the fork instead
            request = request._replace(needs_command=False)
        self.case = Case(with_skips(request, post), status, is_allowed, post)
        self._fresh, self._planned_head, self.rounds = context.head, None, 0
        return self.case

    def look_back(self, case: Case) -> Case:
        """Find the commit that was made for a case already, and mark the blocks that our commits hold."""
        request, context = case.request, self.context
        if self.task.caused_by(request.response) or not request.needs_command:
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
            case.request = case.request._replace(needs_command=True, refusal=None)
        return case

    def repo_at(self, head: Head, confirm: Callable[[], None] = lambda: None) -> GitHubRepo:
        branch = GitHubBranch(self.api, self.task.repository, self.context.node_id, self.context.branch)
        return GitHubRepo(branch, head.commit, head.tree, confirm=confirm)

    def open_repo(self) -> GitHubRepo:
        """Return the repository to plan on and to write to: the newest head."""
        self.rounds += 1
        refused = self._planned_head
        self._planned_head = self._fresh or self.pull.look_until(lambda now: now.head != refused).head
        self._fresh = None
        self.repo = self.repo_at(self._planned_head, self.confirm)
        return self.repo

    def settle(self, request: ApplyRequest, *, is_unchanged: bool = True) -> Outcome:
        """Plan and write a request. `is_unchanged`: only if the response file is there as it was read."""

        def open_repo() -> GitHubRepo:
            repo = self.open_repo()
            if is_unchanged and (path := changed_file(repo, request.response)):
                reason = f"{path} was changed or removed during the run; what was pushed has a run of its own"
                raise RepoError(reason, ReasonCode.SOURCE_EDITED)
            return repo

        return settle(request, self, open_repo, describe=describe, sleep=self.pause, target=self.task.repository)

    def pause(self, seconds: float) -> None:
        """Wait a little longer than this, as runs that lost the same race should not meet again."""
        self.api.rest(seconds + random.SystemRandom().uniform(0, 0.5))

    def refusal(self, response: Response) -> Refusal | None:
        """Ask GitHub why this response may not be committed now; None if it may. Raises `HeadMoved` and `RepoError`."""
        changed = self.checks.get(response.source.id, lambda: None)
        return (
            branch_refusal(self.context) or self.not_permitted(self.current) or changed() or self._out_of_date(response)
        )

    def confirm(self) -> None:
        """Check after a wait that nothing changed. Raises `HeadMoved`, or `Refused` with the reason."""
        refusal = self._out_of_date(self.current.request.response)
        if refusal is not None:
            raise Refused(refusal.reason, refusal.code)

    def not_permitted(self, case: Case) -> Refusal | None:
        """Why the person who caused this run may not have the blocks of a case committed; None if they may."""
        # After a retry the permission may have changed, so ask again; a bot is only ever allowed what it pushed itself.
        if case.is_allowed and (self.rounds < 2 or self.task.author.is_bot):
            return None
        try:
            role = None if self.task.author.is_bot or self.task.author.via_app else self.pull.role()
        except ApiError:  # the status shows it
            role = None
        return self.role_refusal(role)

    def _out_of_date(self, response: Response) -> Refusal | None:
        case, context = self.current, self.context
        live = self.pull.look_until(
            lambda now: now.head == self._planned_head or now.head.commit not in context.commits
        )
        if not live.is_open or live.is_queued:
            what = "in the merge queue" if live.is_open else "not open any more"
            return Refusal(ReasonCode.CLOSED, f"the pull request is {what}, nothing was committed")
        digest = response_digest(self.response_of(live.comment)) if live.comment is not None else None
        if self.task.comment is not None and digest != self.digest:
            noun = "the comment" if self.task.caused_by(response) else "the command"
            what = f"{noun} changed after the check" if digest else f"{noun} cannot be found any more"
            return Refusal(ReasonCode.SOURCE_EDITED, what, "post the blocks again")
        if live.base != context.base:
            what = "the pull request was given another base during the run"
            return Refusal(ReasonCode.HEAD_MOVED, what, "post the blocks again")
        if live.head != self._planned_head:
            self._fresh = live.head
            raise HeadMoved(f"the branch is at {live.head.commit[:7]} now; plan again")
        for source, marker in self.markers.get(response.source.id, {}).items():
            there = live.status_of(source)
            if there is not None and there.marker is not None and not there.marker.is_as(marker):
                what = "the answer that this one corrects was applied, or corrected by another, during the run"
                return Refusal(ReasonCode.SOURCE_EDITED, what, "look at its status")
        posts = case.post, live.status_of(response.source.id)
        before, now = (post.commit_for(response) if post else None for post in posts)
        case.is_rewound = now not in {None, before, *live.commits}
        # the run that moved the branch may have carried out the same request
        news = [commit for commit in live.bot_commits if commit not in context.bot_commits]
        is_done = self.rounds > 1 and any(is_for(commit, response) for commit in news)
        return DONE_BY_OTHER_RUN if case.is_rewound or is_done else None
