"""The parts of a plan: replies to send at once, and the sources to apply, each with what was done for it before."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, TypeAlias

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import SUGGESTIONS, Refusal, Response, Signature, Source
from editblocks.core.selection import Selection
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.event import COMMENT, Author, Comment
from editblocks.hosts.github.history import EarlierCommit, committed_blocks, earlier_commit_for, revert_of
from editblocks.hosts.github.state import (
    ANSWERED_ROLES,
    FILE_PREFIX,
    NEEDS_YOU,
    BotCommit,
    Fact,
    GitHubState,
    Post,
    Pull,
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
UNDONE = "nothing to do: this was applied and then undone; a new command can apply it again"


class Case(NamedTuple):
    """A source to apply: the request, what was done for it before, and where its status is."""

    request: ApplyRequest
    thread: int | None = None  # the thread of its status; None if the status is a review
    post: Post | None = None  # its status, as it was at the start of the run
    earlier: EarlierCommit = EarlierCommit()  # what an earlier run did for the same request
    command: Command | None = None  # the command that asks for it, if its author may give commands
    problem: Problem | None = None  # why a response file cannot be read
    skipped: Note | None = None  # why a response file is skipped

    @property
    def address(self) -> str | None:
        """The URL fragment of its status, or None if there is no status yet."""
        return None if self.post is None else self.post.address

    @property
    def is_of_threads(self) -> bool:
        """Whether the source is the suggestions in review threads, chosen by `/apply suggestions`."""
        return self.request.response.source.kind == SUGGESTIONS


class Plan(NamedTuple):
    """What a run is to do: replies to send at once, then sources to check or apply. Only sources are committed.

    A reply that depends on files of the branch is made in `carry_out`.
    """

    reason: str = ""  # for the log, if there are no cases
    answer: str = ""  # the reply to the author of the command
    reaction: str = ""
    refused: tuple[Post, str] | None = None  # a status of ours, and the line to add about a refused command
    commit: str | None = None  # the commit that an earlier run made for the same request
    address: str | None = None  # the URL fragment of the status that names it
    cases: tuple[Case, ...] = ()  # in this order; more than one only for response files
    notes: tuple[Note, ...] = ()  # for the status
    undoes: BotCommit | None = None  # for `/undo`: the commit to revert, or the revert that an earlier run made
    state: State = State.NOTHING  # for the runner, if there is neither a case nor a commit


NextStep: TypeAlias = Plan | Question  # the plan, or a fact that must be asked for first


def plan_source(state: GitHubState, request: ApplyRequest, about: Comment | None, command: Command | None) -> NextStep:
    """Plan a request, unless it is already done. `about` is the comment that is its source, None for a file."""
    case = open_case(state, request, about)
    if isinstance(case, Question):
        return case
    if case.earlier.is_reported and is_undone(case, state.pull):
        return Plan(UNDONE, address=case.address)
    if case.earlier.is_reported:
        return already_done_plan(case.earlier.commit, case.address)
    return Plan(cases=(case._replace(command=command),))


def open_case(state: GitHubState, request: ApplyRequest, about: Comment | None) -> Case | Question:
    """Return the case of a request, with its status and with what was done for it before."""
    pull = state.pull
    source = request.response.source.id
    post = pull.statuses.get(source)
    place = about or post
    thread = place and place.thread
    since = "" if about is None else about.created_at
    if post is None and thread is None and not pull.has_reviews_since(since):
        return Question(Fact.OLDER_REVIEWS)
    if pull.fork is not None:  # no command can commit here, so the status gives the fork as reason
        request = request._replace(needs_command=False)
    request = with_skips(request, post)._replace(committed=partial(committed_blocks, request.response, pull))
    earlier = earlier_commit_for(request, post, state.event, pull)
    return Case(request, thread, post, earlier)


def is_undone(case: Case, pull: Pull) -> bool:
    """Whether the blocks of a case were applied and then undone, according to its status or to our commits."""
    if case.post is not None and case.post.is_untouched and case.post.state is State.UNDONE:
        return True
    return revert_of(case.request.response, pull.bot_commits) is not None


def request_for(
    state: GitHubState,
    rules: Rules,
    source: SourceResponse,
    select: Selection | None = None,
    *,
    refusal: Refusal | None = None,
    needs_command: bool,
) -> ApplyRequest:
    """Return the request for a source under the settings in force. `refusal`: a further reason to refuse it."""
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
    """Return the people and trailers that a commit with blocks of `author` names."""
    co_author = None
    if rules.settings.credit and author is not None and not author.is_bot:
        co_author = f"{author.login} <{author.id}+{author.login}@{state.site.no_reply}>"
    return Signature(state.event.author.login, co_author, rules.settings.trailers)


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out blocks that were skipped earlier, if the text is the same and nobody else has edited the status."""
    if post is None or not post.is_untouched:
        return request
    skip = request.skip | post.marker.skip
    if not skip or post.marker.digest != response_digest(request.response):
        return request
    select = request.select or Selection(every=True)
    return request._replace(skip=skip, select=select._replace(skip=skip))


def command_prefix(state: GitHubState, rules: Rules) -> str | None:
    """Return the prefix of commands here, or None if no command could commit anything."""
    if state.event.number is None or rules.settings.mode == "check" or state.pull.fork is not None:
        return None
    return "/" if rules.settings.short_commands else "/edits "


def refusal_plan(
    state: GitHubState, what: str, advice: str = "", code: ReasonCode = ReasonCode.BAD_COMMAND
) -> NextStep:
    """Return a plan that replies why a command is not carried out."""
    return reply_plan(state, answers.answer_refused(state.comment_source_id, Refusal(code, what, advice).reason, code))


def reply_plan(state: GitHubState, text: str, *, reaction: str = NEEDS_YOU) -> NextStep:
    """Return a plan that replies with `text`. Strangers only get a reaction, so that they cannot make us post."""
    if state.only_reads:
        return Plan(READS_ONLY)
    if state.role is None:
        return Question(Fact.ROLE)
    if state.role not in ANSWERED_ROLES:
        unanswered = f"nothing to do: {state.event.author.login} may not give commands here, so there is no reply"
        return Plan(unanswered, reaction=NEEDS_YOU)
    return Plan("nothing was done: see the reply", text, reaction)


def answer_with_status(state: GitHubState, name: str, command: Command, post: Post) -> str:
    return answers.answer(state.comment_source_id, name, status=state.address(post.address), words=command.words)


def gone_response(state: GitHubState, source: str, kind: str = COMMENT) -> Response:
    """Return a response that stands for a source that is deleted or not read again."""
    if source.startswith(FILE_PREFIX):
        return Response("", Source(source, "file"))
    return Response("", Source(source, kind, uri=state.address(source)))


def already_done_plan(commit: str | None, address: str | None = None) -> Plan:
    """Return a plan without cases, because an earlier run made `commit` and reported it at `address`."""
    reason = f"already applied as {(commit or '')[:7]}; post the blocks again if they were reverted since"
    return Plan(reason, commit=commit, address=address)
