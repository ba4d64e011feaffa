"""What plans are made of: a source with what is asked for it, the kinds of plans, and what every kind of word needs."""

from __future__ import annotations

from typing import TypeAlias

from editblocks.core.blocks import Note
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Refusal, Signature
from editblocks.core.selection import Selection
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.event import Author, Comment
from editblocks.hosts.github.history import blocks_in_commits, done_before
from editblocks.hosts.github.state import (
    HEARD,
    BotCommit,
    Fact,
    GitHubState,
    Place,
    Post,
    Question,
    Rules,
    SourceResponse,
)
from editblocks.report.status import answers
from editblocks.run.plan import ApplyRequest

COMMITTED, NEEDS_YOU = "rocket", "confused"  # the last reaction to a comment
READS_ONLY = (
    "nothing was done: the token of a review on a fork's pull request only reads; "
    "send the command as a comment below the pull request"
)


class Case(NamedTuple):
    """A source, what is asked for it, and what was done for it before."""

    request: ApplyRequest
    place: Place  # of its status
    post: Post | None = None  # that status, as the run found it
    is_allowed: bool = False  # the permission was checked already
    done: str | None = None  # the commit that an earlier run made for the same request
    unreported: BotCommit | None = None  # that commit if no status names it
    suggestions: Command | None = None  # the source is what this command takes of the review threads

    @property
    def address(self) -> str | None:
        """The URL fragment of its status, None if it has none yet."""
        return None if self.post is None else self.post.address


class Stop(NamedTuple):
    """Nothing is to be committed: why, and what is said about it."""

    reason: str
    answer: str = ""  # to post for whoever gave the command
    reaction: str = ""
    edited: tuple[Post, str] | None = None  # a status of ours, and its new text
    commit: str | None = None  # that an earlier run made for this
    address: str | None = None  # of the status that says so


class Apply(NamedTuple):
    """Plan the blocks of a source on the files, and commit them if nothing is against it."""

    case: Case
    command: Command | None = None
    answer: str = ""  # to post before
    notes: tuple[Note, ...] = ()  # for the status


class Undo(NamedTuple):
    """Revert a commit of ours, or report the one that did so already, and check its source again."""

    case: Case
    commit: BotCommit


class SkippedFile(NamedTuple):
    """A response file that this run leaves alone, as an earlier one applied it. `is_kept`: the settings keep it."""

    path: str
    code: str
    explanation: str
    is_kept: bool = False


class FileStep(NamedTuple):
    """One response file: what is asked for it, and why it is left alone or cannot be read."""

    case: Case
    source: SourceResponse
    skipped: SkippedFile | None = None


class ApplyFiles(NamedTuple):
    """The response files of a branch, one after the other."""

    steps: tuple[FileStep, ...]
    reason: str  # if there is none


Plan: TypeAlias = Stop | Apply | Undo | ApplyFiles
Step: TypeAlias = Plan | Question  # the plan, or what has to be asked before


def open_case(state: GitHubState, request: ApplyRequest, about: Comment | None, *, is_allowed: bool) -> Case | Question:
    """A source with its status, and with the commit that was made for the same request already."""
    source, pull = request.response.source.id, state.pull
    known = state.pull.status_of(source)
    place = Place.of(source, about or known)
    post = state.status_at(place) if state.event.number is not None else None
    if post is None and state.event.number is not None and place.thread is None and not state.reaches(place.since):
        return Question(Fact.OLDER_REVIEWS)
    if pull.fork is not None:  # no command would help there, so the status names the fork instead
        request = request._replace(needs_command=False)
    request = with_skips(request, post)
    done = done_before(request, post, state.event, pull)
    if done.commit is None or done.unreported is not None:
        request = blocks_in_commits(request, pull)
    if done.unreported is not None:
        request = request._replace(needs_command=True, refusal=None)
    return Case(request, place, post, is_allowed, done.commit, done.unreported)


def request_for(
    state: GitHubState,
    rules: Rules,
    source: SourceResponse,
    select: Selection | None = None,
    *,
    refusal: Refusal | None,
    needs_command: bool,
) -> ApplyRequest:
    """What to do with a source under the settings in force. `refusal`: what else is against it."""
    settings, response, comment = rules.settings, source.response, source.comment
    return ApplyRequest(
        response,
        settings,
        select,
        allow_partial=settings.partial or (select is not None and select.ready),
        signature=signature(state, rules, comment.author if comment is not None else None),
        needs_command=needs_command and settings.mode == "apply",
        response_file=response.source.path if settings.after_apply == "delete" else None,
        refusal=rules.fault or source.fault or refusal,
        chosen_at=state.pull.head.commit,
    )


def signature(state: GitHubState, rules: Rules, author: Author | None) -> Signature:
    """The people and trailers that a commit of `author`'s blocks names."""
    co_author = None
    if rules.settings.credit and author is not None and not author.is_bot:
        co_author = f"{author.login} <{author.id}+{author.login}@{state.site.no_reply}>"
    return Signature(state.event.author.login, co_author, rules.settings.trailers)


def with_skips(request: ApplyRequest, post: Post | None) -> ApplyRequest:
    """Leave out the blocks that people skipped earlier, if the text is the same and nobody else edited the status."""
    marker = post.marker if post is not None and post.is_untouched else None
    if marker is None or marker.digest != response_digest(request.response) or not (request.skip or marker.skip):
        return request
    skip = request.skip | marker.skip
    select = request.select or Selection(every=True)
    return request._replace(skip=skip, select=select._replace(skip=skip))


def command_prefix(state: GitHubState, rules: Rules) -> str | None:
    """What a command begins with here; None if no command would change anything."""
    if state.event.number is None or rules.settings.mode == "check" or state.pull.fork is not None:
        return None
    return "/" if rules.settings.short_commands else "/edits "


def refused(state: GitHubState, comment: Comment, refusal: Refusal) -> Step:
    """Answer that a command is not carried out, and why."""
    return answered(state, answers.answer_refused(comment.source, refusal.reason, refusal.code))


def answered(state: GitHubState, text: str, *, reacts: bool = True) -> Step:
    """Answer people with a role in this repository; strangers only get a reaction, so they cannot make us post."""
    if state.only_reads:
        return Stop(READS_ONLY)
    if state.role is None:
        return Question(Fact.ROLE)
    if state.role not in HEARD:
        unanswered = f"nothing was done: no answer, {state.event.author.login} may not command here"
        return Stop(unanswered, reaction=NEEDS_YOU)
    return Stop("nothing was done: see the answer", text, NEEDS_YOU if reacts else "")


def already(commit: str | None) -> str:
    return f"already applied as {(commit or '')[:7]}; post the blocks again if they were taken out since"
