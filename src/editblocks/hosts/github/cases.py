"""The parts of a plan: replies to send at once, and the sources to apply, each with what was done for it before.

What was done is read from our statuses and from our commits on the branch, so that nothing is done twice. A commit is
ours if its author is the account of this token, GitHub signed it (for a bot), and its message has our form.
`pull_request.py` checks that, so the trailers are trusted here. Rules: docs/reference/action.md, "exactly once".
"""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import EditStatus, ReasonCode, State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import SUGGESTIONS, Outcome, Refusal, Response, Signature, Source
from editblocks.core.selection import Selection
from editblocks.core.settings import CEILINGS
from editblocks.hosts.github.event import COMMENT, Author, Command, Comment, Task
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
    SourceResponse,
)
from editblocks.report.commit_message import count_applied
from editblocks.report.status import replies
from editblocks.run import ApplyRequest

_ALL = "all"
_NUMBERS = re.compile("[0-9,-]+")  # numbers always select the same blocks, unlike `ready`
READS_ONLY = (
    "nothing was done: in a review of a pull request from a fork, the token can only read; "
    "send the command as a comment below the pull request"
)
ALREADY_UNDONE = "nothing to do: this was applied and then undone; a new command can apply it again"


class EarlierCommit(NamedTuple):
    """The commit that already carried out a request, if any. `unreported` is the same commit if no status names it."""

    commit: str | None = None
    unreported: BotCommit | None = None

    @property
    def is_reported(self) -> bool:
        """Whether the request was carried out and reported."""
        return self.commit is not None and self.unreported is None


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
    reply: str = ""  # the reply to the author of the command
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
        return Plan(ALREADY_UNDONE, address=case.address)
    if case.earlier.is_reported:
        return already_done_plan(case.earlier.commit, case.address)
    return Plan(cases=(case._replace(command=command),))


def already_done_plan(commit: str | None, address: str | None = None) -> Plan:
    """Return a plan without cases, because an earlier run made `commit` and reported it at `address`."""
    reason = f"already applied as {(commit or '')[:7]}; post the blocks again if they were reverted since"
    return Plan(reason, commit=commit, address=address)


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
    request = _with_skips(request, post)._replace(committed=partial(committed_blocks, request.response, pull))
    earlier = earlier_commit_for(request, post, state.event, pull)
    return Case(request, thread, post, earlier)


def _with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out blocks that were skipped earlier, if the text is the same and nobody else has edited the status."""
    if post is None or not post.is_untouched:
        return request
    skip = request.skip | post.marker.skip
    if not skip or post.marker.digest != response_digest(request.response):
        return request
    select = request.select or Selection(every=True)
    return request._replace(skip=skip, select=select._replace(skip=skip))


def is_undone(case: Case, pull: Pull) -> bool:
    """Whether the blocks of a case were applied and then undone, according to its status or to our commits."""
    if case.post is not None and case.post.is_untouched and case.post.state is State.UNDONE:
        return True
    return _revert_of(case.request.response, pull.bot_commits) is not None


def request_for(
    state: GitHubState,
    source: SourceResponse,
    select: Selection | None = None,
    *,
    refusal: Refusal | None = None,
    needs_command: bool,
) -> ApplyRequest:
    """Return the request for a source under the settings in force. `refusal`: a further reason to refuse it."""
    settings = state.settings
    response_file = None
    if settings.after_apply == "delete":
        response_file = source.response.source.path
    return ApplyRequest(
        source.response,
        settings,
        select,
        allow_partial=settings.partial or (select is not None and select.ready),
        signature=signature(state, source.comment and source.comment.author),
        needs_command=needs_command and settings.mode == "apply",
        refusal=state.policy_fault or source.fault or refusal,
        chosen_at=state.pull.head.commit,
        response_file=response_file,
    )


def signature(state: GitHubState, author: Author | None) -> Signature:
    """Return the people and trailers that a commit with blocks of `author` names."""
    co_author = None
    if state.settings.credit and author is not None and not author.is_bot:
        co_author = f"{author.login} <{author.id}+{author.login}@{state.site.no_reply}>"
    return Signature(state.event.author.login, co_author, state.settings.trailers)


def command_prefix(state: GitHubState) -> str | None:
    """Return the prefix of commands here, or None if no command could commit anything."""
    if state.event.number is None or state.settings.mode == "check" or state.pull.fork is not None:
        return None
    return "/" if state.settings.short_commands else "/edits "


def refusal_plan(
    state: GitHubState, what: str, advice: str = "", code: ReasonCode = ReasonCode.BAD_COMMAND
) -> NextStep:
    """Return a plan that replies why a command is not carried out."""
    return reply_plan(state, replies.refusal_reply(state.comment_source_id, Refusal(code, what, advice).reason, code))


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


def reply_with_status(state: GitHubState, name: str, command: Command, post: Post) -> str:
    return replies.reply(state.comment_source_id, name, status=state.address(post.address), words=command.words)


def gone_response(state: GitHubState, source: str, kind: str = COMMENT) -> Response:
    """Return a response that stands for a source that is deleted or not read again."""
    if source.startswith(FILE_PREFIX):
        return Response("", Source(source, "file"))
    return Response("", Source(source, kind, uri=state.address(source)))


# requests that were carried out before


def earlier_commit_for(request: ApplyRequest, post: Post | None, event: Task, pull: Pull) -> EarlierCommit:
    """Find out whether an earlier or parallel run carried out a request. `post` is the status of its source."""
    if event.caused_by(request.response) or not request.needs_command:
        commit = _done_by_status(post, request, event, pull)
        if commit is not None:
            return EarlierCommit(commit)
    if request.needs_command:
        return EarlierCommit()
    commits = [commit for commit in pull.bot_commits if is_for(commit, request.response)]
    revert = _revert_of(request.response, pull.bot_commits)
    if commits and revert is not None:
        is_new_command = event.comment is not None and event.comment.created_at > revert.created_at
        if not is_new_command:
            return EarlierCommit(commits[-1].commit)
    newest = _commit_made_for(request, event, commits)
    if newest is None:
        return EarlierCommit()
    if post is not None and post.commit == newest.commit:
        return EarlierCommit(newest.commit)
    if newest not in not_reverted(pull.bot_commits):  # it was undone, and then a part was applied again
        return EarlierCommit(commits[-1].commit)
    return EarlierCommit(newest.commit, newest)


def _done_by_status(post: Post | None, request: ApplyRequest, event: Task, pull: Pull) -> str | None:
    """Return the commit that our status names for this request, or None if there is none or the request may run again.

    A later command in another comment may apply a source again that was undone or partly applied, or whose commit was
    reverted or is no longer on the branch. The rest of a partly applied response file may be applied at any time.
    """
    if post is None:
        return None
    if event.comment is None and post.state is State.PARTIAL:
        return None
    if event.comment is not None and not event.caused_by(request.response):
        if request.select is not None and not request.select.every:
            return _commit_of_same_numbers(post, request, pull)
        is_gone = pull.has_lost(post.marker.commit) or post.marker.commit in pull.reverted
        if post.state is not State.APPLIED or (is_gone and post.written_at < event.comment.created_at):
            return None
    return post.commit_for(request.response)


def _commit_of_same_numbers(post: Post, request: ApplyRequest, pull: Pull) -> str | None:
    """Return the commit that our status names if it has exactly the block numbers of a request and is not reverted."""
    commit = pull.commit_of(post)
    if commit is None or commit.commit not in request.committed().values():
        return None
    is_same = commit.selected == str(request.select) and _NUMBERS.fullmatch(commit.selected)
    return commit.commit if is_same else None


def _commit_made_for(request: ApplyRequest, event: Task, commits: Sequence[BotCommit]) -> BotCommit | None:
    """Return the newest commit with the blocks that this event requests, made after its comment, or None."""
    for commit in reversed(commits):
        is_older = event.comment is not None and commit.created_at < event.comment.created_at
        if not is_older and _has_requested_blocks(commit, request, event):
            return commit
    return None


def _has_requested_blocks(commit: BotCommit, request: ApplyRequest, event: Task) -> bool:
    """Whether a commit has all blocks, or those that a comment requests: the same numbers, or those that fitted."""
    if commit.selected == _ALL:
        return True
    if event.comment is None:  # a response file requests all its blocks
        return False
    select = request.select
    if select is not None and str(select) == commit.selected:
        return True
    is_open = request.allow_partial or (select is not None and bool(select.paths or select.skip))
    return is_open and commit.applied_by == event.author.login


def commit_of_command(post: Post, command: Command, comment: Comment, pull: Pull) -> BotCommit | None:
    """Return the commit that an earlier run made for this `/apply`, or None.

    Unlike `earlier_commit_for`, it does not need the text of the source, which would take a request.
    """
    commit = pull.commit_of(post)
    if commit is None or not commit.selected or commit.created_at < comment.created_at:  # an undo selects no blocks
        return None
    is_same = commit.selected == str(command.selection or _ALL)
    return commit if is_same or post.state is State.APPLIED else None


# our commits


def is_for(commit: BotCommit, response: Response) -> bool:
    """Whether a commit applied blocks of exactly this response."""
    return (commit.source, commit.digest) == (response.source.id, response_digest(response))


def not_reverted(commits: Iterable[BotCommit]) -> list[BotCommit]:
    """Return the commits that apply blocks and are not reverted by a later commit of ours, oldest first."""
    kept: list[BotCommit] = []
    for commit in commits:
        if commit.digest:
            kept.append(commit)
            continue
        undone = [each for each in kept if (each.source, each.digest) == (commit.source, commit.undoes)]
        if undone:
            kept.remove(undone[-1])
    return kept


def _revert_of(response: Response, commits: Sequence[BotCommit]) -> BotCommit | None:
    """Return our commit that reverts the last commit of a response, or None if it is not reverted."""
    digest = response_digest(response)
    for commit in reversed(commits):
        if is_for(commit, response):
            return None
        if commit.source == response.source.id and commit.undoes == digest:
            return commit
    return None


def undo_since(comment: Comment, pull: Pull) -> BotCommit | None:
    """Return the last revert that the author of `comment` caused after posting it, or None.

    If the comment is an `/undo`, an earlier run may have made that revert for it.
    """
    for commit in reversed(pull.bot_commits):
        if commit.undoes and commit.applied_by == comment.author.login and commit.created_at >= comment.created_at:
            return commit
    return None


def committed_blocks(response: Response, pull: Pull) -> dict[int, str]:
    """Return our commit of each block of a response that is committed."""
    committed: dict[int, str] = {}
    for commit in not_reverted(pull.bot_commits):
        if is_for(commit, response) and commit.commit not in pull.reverted:
            committed |= dict.fromkeys(_numbers(commit), commit.commit)
    return committed


def as_committed(outcome: Outcome, commit: BotCommit) -> Outcome:
    """Return the outcome of an earlier run that made `commit` and could not report it."""
    outcome = outcome._replace(state=State.PARTIAL, commit=commit.commit, written=True, needs_command=False)
    if commit.selected == _ALL:
        outcome = outcome._replace(state=State.APPLIED)
    if count_applied(commit.text) == 0:  # all blocks were applied before, so the commit only deletes the response file
        return outcome._replace(removed_file=outcome.response.source.path)
    numbers = _numbers(commit)
    rows = list(outcome.result.results)
    for at, row in enumerate(rows):
        if row.block.number in numbers:
            rows[at] = row._replace(status=EditStatus.APPLIED, mismatch=None)
    return outcome._replace(result=outcome.result._replace(results=tuple(rows)))


def _numbers(commit: BotCommit) -> Iterable[int]:
    """Return the numbers of the blocks in a commit; () if they were too many for its message."""
    if commit.selected == _ALL:
        return range(1, CEILINGS["max_blocks"] + 1)
    if not commit.selected:
        return ()
    return Selection.read(commit.selected).numbers
