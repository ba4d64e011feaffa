"""What a plan is made of: what is said at once, and the sources to carry out, each with what was done for it before."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import SUGGESTIONS, Refusal, Response, Signature, Source
from editblocks.core.selection import Selection
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.event import Author, Comment
from editblocks.hosts.github.history import Done, committed_blocks, done_before
from editblocks.hosts.github.state import (
    HEARD,
    NEEDS_YOU,
    BotCommit,
    Fact,
    GitHubState,
    Post,
    Question,
    Rules,
    SourceResponse,
)
from editblocks.report.status import answers
from editblocks.run.flow import ApplyRequest

READS_ONLY = (
    "nothing was done: in a review of a pull request from a fork, the token can only read; "
    "send the command as a comment below the pull request"
)


class Case(NamedTuple):
    """A source: what is asked for it, what was done for it before, and where its status is."""

    request: ApplyRequest
    thread: int | None = None  # that its status is in; None if that is a review
    post: Post | None = None  # that status, as the run found it
    done: Done = Done()  # what an earlier run did about the same request
    command: Command | None = None  # that asks for it, by somebody who may give it
    problem: Problem | None = None  # why a response file cannot be read
    skipped: Note | None = None  # why a response file is left alone

    @property
    def address(self) -> str | None:
        """The URL fragment of its status, None if it has none yet."""
        return None if self.post is None else self.post.address

    @property
    def is_of_threads(self) -> bool:
        """Whether it is what `/apply suggestions` takes of the review threads."""
        return self.request.response.source.kind == SUGGESTIONS


class Plan(NamedTuple):
    """What is said at once, and the sources to carry out then; without a source, nothing is committed."""

    reason: str = ""  # for the log, if there are no cases
    answer: str = ""  # to post for whoever gave the command
    reaction: str = ""
    edited: tuple[Post, str] | None = None  # a status of ours, and its new text
    commit: str | None = None  # that an earlier run made for this
    address: str | None = None  # of the status that says so
    cases: tuple[Case, ...] = ()  # one after the other; several are response files
    notes: tuple[Note, ...] = ()  # for the status
    undoes: BotCommit | None = None  # of `/undo`: the commit to revert, or the revert that an earlier run made
    state: State = State.NOTHING  # for the runner, if there is neither a case nor a commit


Step: TypeAlias = Plan | Question  # the plan, or what has to be asked before


def plan_source(state: GitHubState, request: ApplyRequest, about: Comment | None, command: Command | None) -> Step:
    """Plan a request about a source, which came from the comment `about` or from a file, unless it is done."""
    case = open_case(state, request, about)
    if isinstance(case, Question):
        return case
    if case.done.is_reported:
        return already(case.done.commit, case.address)
    return Plan(cases=(case._replace(command=command),))


def open_case(state: GitHubState, request: ApplyRequest, about: Comment | None) -> Case | Question:
    """A source with its status, and with what was done for the same request already."""
    pull = state.pull
    source = request.response.source.id
    post = pull.statuses.get(source)
    place = about or post
    thread = place and place.thread
    since = "" if about is None else about.created_at
    if post is None and thread is None and not pull.reaches(since):
        return Question(Fact.OLDER_REVIEWS)
    if pull.fork is not None:  # no command would help there, so the status names the fork instead
        request = request._replace(needs_command=False)
    request = with_skips(request, post)._replace(committed=committed_blocks(request.response, pull))
    done = done_before(request, post, state.event, pull)
    return Case(request, thread, post, done)


def request_for(
    state: GitHubState,
    rules: Rules,
    source: SourceResponse,
    select: Selection | None = None,
    *,
    refusal: Refusal | None = None,
    needs_command: bool,
) -> ApplyRequest:
    """What to do with a source under the settings in force. `refusal`: what else is against it."""
    settings = rules.settings
    response_file = None
    if settings.after_apply == "delete":
        response_file = source.response.source.path
    return ApplyRequest(
        source.response,
        settings,
        select,
        allow_partial=settings.partial or (select is not None and select.ready),
        signature=signature(state, rules, source.comment and source.comment.author),
        needs_command=needs_command and settings.mode == "apply",
        refusal=rules.fault or source.fault or refusal,
        chosen_at=state.pull.head.commit,
        response_file=response_file,
    )


def signature(state: GitHubState, rules: Rules, author: Author | None) -> Signature:
    """The people and trailers that a commit of `author`'s blocks names."""
    co_author = None
    if rules.settings.credit and author is not None and not author.is_bot:
        co_author = f"{author.login} <{author.id}+{author.login}@{state.site.no_reply}>"
    return Signature(state.event.author.login, co_author, rules.settings.trailers)


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out the blocks that people skipped earlier, if the text is the same and nobody else edited the status."""
    if post is None or not post.is_untouched:
        return request
    skip = request.skip | post.marker.skip
    if not skip or post.marker.digest != response_digest(request.response):
        return request
    select = request.select or Selection(every=True)
    return request._replace(skip=skip, select=select._replace(skip=skip))


def command_prefix(state: GitHubState, rules: Rules) -> str | None:
    """What a command begins with here; None if no command would change anything."""
    if state.event.number is None or rules.settings.mode == "check" or state.pull.fork is not None:
        return None
    return "/" if rules.settings.short_commands else "/edits "


def refused(state: GitHubState, what: str, advice: str = "", code: ReasonCode = ReasonCode.BAD_COMMAND) -> Step:
    """Answer that a command is not carried out, and why."""
    return answered(state, answers.answer_refused(state.to, Refusal(code, what, advice).reason, code))


def answered(state: GitHubState, text: str, *, reaction: str = NEEDS_YOU) -> Step:
    """Answer people with a role in this repository; strangers only get a reaction, so they cannot make us post."""
    if state.only_reads:
        return Plan(READS_ONLY)
    if state.role is None:
        return Question(Fact.ROLE)
    if state.role not in HEARD:
        unanswered = f"nothing to do: {state.event.author.login} may not give commands here, so there is no reply"
        return Plan(unanswered, reaction=NEEDS_YOU)
    return Plan("nothing was done: see the reply", text, reaction)


def gone_response(state: GitHubState, source: str) -> Response:
    """What stands for a source that no longer exists."""
    return Response("", Source(source, "comment", uri=state.address(source)))


def already(commit: str | None, address: str | None = None) -> Plan:
    """Stop, as an earlier run made this commit and the status at `address` says so."""
    reason = f"already applied as {(commit or '')[:7]}; post the blocks again if they were reverted since"
    return Plan(reason, commit=commit, address=address)
