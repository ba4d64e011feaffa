"""Carry out a command about another source: find which source it means and whether the command still applies.

A command counts once, and for what people saw when they gave it: if the text or the status changed since, a new
command is needed. Rules: docs/reference/action.md, "commands" and "exactly once".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome, Refusal, Signature
from editblocks.core.selection import Selection
from editblocks.hosts.github.orders.case import Case
from editblocks.hosts.github.orders.command_target import (
    commit_of_command,
    is_open,
    posts_of_command,
    posts_of_thread,
    undo_since,
)
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.replies import answer, is_answered, reply
from editblocks.hosts.github.orders.sources import SourceResponse, find_source, known_statuses
from editblocks.hosts.github.orders.undo import UndoTask, commits_before, only_checks, unreported_revert, what_to_undo
from editblocks.hosts.github.posting.reactions import COMMITTED, NEEDS_YOU
from editblocks.hosts.github.posting.status import GitHubStatus
from editblocks.hosts.github.pull.commands import Command
from editblocks.hosts.github.pull.context import Post
from editblocks.hosts.github.pull.event import Author
from editblocks.report.status import answers
from editblocks.report.status.answers import OpenSource, refused_line, with_refused_line
from editblocks.report.status.links import Marker
from editblocks.run.flow import ApplyRequest

_EVERYTHING = Selection(every=True)


def requests_about_another(host: GitHubHost, command: Command, role: str | None) -> Iterator[ApplyRequest | UndoTask]:
    """Yield what a command without blocks of its own asks for. `role` is its author's role. Raises `RepoError`."""
    comment, statuses = host.comment, known_statuses(host)
    posts = posts_of_command(command, comment, statuses, host.context)
    refusal = host.role_refusal(role)
    if refusal is not None:
        _refuse(host, command, posts, role, refusal)
    elif command.verb == "undo":
        yield from _take_back(host, command, posts, statuses)
    elif len(posts) != 1:
        reply(host, _choices(host, command, posts, statuses))
    elif command.verb == "apply" and (done := commit_of_command(posts[0], command, comment, host.context)) is not None:
        host.done = done.commit
        if done.created_at < comment.created_at:  # else this command itself made it, in an earlier run
            host.reactions.show(COMMITTED)
    elif command.verb == "apply" and _is_about_an_older_status(host, command, posts[0]):
        changed = answers.answer(comment.source, "changed-since", status=_address(host, posts[0]), words=command.words)
        reply(host, changed)
    else:
        host.reactions.see()
        yield from _requests_about(host, command, posts[0])


def signature(host: GitHubHost, author: Author | None) -> Signature:
    """Return the people and trailers that a commit of `author`'s blocks names."""
    settings, applying, co_author = host.settings, host.task.author, None
    if settings.credit and author is not None and not author.is_bot:
        co_author = f"{author.login} <{author.id}+{author.login}@{host.pull.no_reply}>"
    return Signature(applying.login, co_author, settings.trailers)


def unless_done(host: GitHubHost, case: Case) -> Iterator[ApplyRequest]:
    """Yield the request of a case, unless it is done and reported already."""
    if case.known_commit is None or case.unreported is not None:
        yield case.request
    else:
        host.reactions.forget()


def answer_bad_command(host: GitHubHost, command: Command, case: Case) -> None:
    """Answer a command that the status does not answer: it names a block or line in vain, or the mode is `check`."""
    comment, outcome, text = host.comment, case.outcome, ""
    if outcome is None:
        return
    if outcome.refusal is not None and outcome.refusal.code is ReasonCode.BAD_COMMAND:
        text = answers.bad_command(comment.source, outcome.refusal.reason)
    elif command.verb == "apply" and outcome.refusal is None:
        forbidden = only_checks(host, "committed")
        if forbidden is not None:
            text = answers.answer_refused(comment.source, forbidden)
        elif (missed := _first_misfit(command, outcome)) is not None:
            text = answers.no_such_place(comment.source, command.words, *missed)
    elif command.verb == "apply" and outcome.state is State.CHECKED:
        host.reactions.show(NEEDS_YOU)
    if text:
        reply(host, text)


def _first_misfit(command: Command, outcome: Outcome) -> tuple[int, EditResult] | None:
    """Return the first block that does not match at the line which the command names: the line, the block's result."""
    picks = command.selection.picks if command.selection is not None else {}
    codes = ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH
    missed = (row for row in outcome.result.results if row.block.number in picks and row.code in codes)
    return next(((picks[row.block.number], row) for row in missed), None)


def _refuse(host: GitHubHost, command: Command, posts: Sequence[Post], role: str | None, refusal: Refusal) -> None:
    """Add a line to the status, unless somebody else has edited it: we do not repost other people's text."""
    if len(posts) == 1 and posts[0].is_untouched:
        line = refused_line(command.words, host.task.author.login, role or "", host.settings.permission)
        longer = with_refused_line(posts[0].body, line)
        if longer is not None:
            status = GitHubStatus(host.pull, posts[0].source, posts[0].thread)
            status.id = posts[0].id
            status.write(longer, "")
    host.nothing_to_do_reason = f"{refusal.code.value}: {refusal.reason}"
    host.reactions.show(NEEDS_YOU)


# undo


def _take_back(
    host: GitHubHost, command: Command, posts: Sequence[Post], statuses: Sequence[Post]
) -> Iterator[UndoTask]:
    comment = host.comment
    if host.reactions.has_ended(host.context.viewer):
        host.nothing_to_do_reason = "nothing to do: this command was carried out or refused before"
        return
    host.reactions.see()
    before = undo_since(comment, host.context)
    if before is not None:
        rest = unreported_revert(before, comment.source, statuses)
        if rest is not None:
            yield rest
        else:
            reply(host, answers.answer(comment.source, "undone-before", commit=before.commit))
        return
    if comment.thread is not None and command.source is None:
        posts = posts_of_thread(comment.thread, host.context, statuses)
    is_any = comment.thread is None and command.source is None
    undoing = what_to_undo(host, None if is_any else {post.source for post in posts})
    if undoing is None:
        by_source = {post.source: post for post in statuses}
        names = dict.fromkeys(commit.source for commit in reversed(commits_before(host)))
        others = [_open_source(host, by_source[name]) for name in names if name in by_source]
        nothing = answers.answer(comment.source, "nothing-to-undo")
        reply(host, answers.listing(comment.source, "undo-elsewhere", command.words, others) if others else nothing)
        return
    yield undoing
    if undoing.refusal is not None:
        reply(host, undoing.refusal)
    if undoing.fault is not None:
        raise undoing.fault


# which source


def _choices(host: GitHubHost, command: Command, posts: Sequence[Post], statuses: Sequence[Post]) -> str:
    """The answer to a command that means no source or several, with a line to copy for each that is open."""
    to = host.comment.source
    if command.source is None and not posts:
        return answers.answer(to, "none-open", verb=command.words)
    choices = [_open_source(host, post) for post in posts or filter(is_open, statuses)]
    if command.source is not None and not posts:
        return answers.listing(to, "no-such-source", str(command), choices, command.source)
    return answers.listing(to, "several-open", str(command), choices)


def _open_source(host: GitHubHost, post: Post) -> OpenSource:
    """Return the number that names a source: its own, or that of our status if it has none."""
    number = re.search("[0-9]+$", post.source) if not post.source.startswith("file-") else None
    fragment = post.source if number else f"pullrequestreview-{post.id}"
    return int(number[0]) if number else post.id, host.address(fragment), post.state or State.CHECKED


# one source


def _requests_about(host: GitHubHost, command: Command, post: Post) -> Iterator[ApplyRequest]:
    comment, marker = host.comment, post.marker
    source = find_source(host, marker.source, marker.digest) if marker is not None else None
    if source is None or marker is None:
        gone = Refusal(ReasonCode.SOURCE_EDITED, "the source cannot be found any more", "post the blocks again")
        reply(host, answers.answer_refused(comment.source, gone))
        return
    request = _request(host, command, source, marker if _is_as_seen(host, post, source) else None)
    if request.refusal is not None and request.refusal.code is ReasonCode.SOURCE_EDITED:
        # answer before the status is written: a run that is cut off in between must not leave the new text approved
        answer(host, answers.answer(comment.source, "source-edited", status=_address(host, post), words=command.words))
    case = host.open_case(request, thread=source.thread, since=source.since, is_allowed=True)
    host.look_back(case)
    if case.unreported is not None and marker.commit == case.unreported.commit:
        case.unreported = None  # the run that made it has reported it
    yield from unless_done(host, case)
    if case.outcome is not None:
        answer_bad_command(host, command, case)
    elif case.known_commit is not None:
        host.reactions.show(COMMITTED)


def _is_as_seen(host: GitHubHost, post: Post, source: SourceResponse) -> bool:
    """Whether the source's text is the one that its status showed when the command was given."""
    if not post.is_untouched or post.marker is None or source.response.digest != post.marker.digest:
        return False
    if post.written_at < host.comment.created_at:
        return True
    # GitHub says whether a comment was edited, but not whether a file changed or a review lost an inline comment
    may_differ = source.is_edited or source.response.blob is not None or len(source.response.parts) > 1
    return not (may_differ or is_answered(host))


def _is_about_an_older_status(host: GitHubHost, command: Command, post: Post) -> bool:
    """Whether the status was rewritten after the command, so that the command is not about what the status says now.

    That matters if the source was undone or its commit has gone since, or if the command picks a line that the old
    status showed.
    """
    marker, selection = post.marker, command.selection
    if marker is None or post.written_at < host.comment.created_at:
        return False
    is_lost = marker.commit is not None and marker.commit not in host.context.commits
    return marker.state is State.UNDONE or is_lost or bool(selection and selection.picks)


def _address(host: GitHubHost, post: Post) -> str:
    return host.address(f"{'pullrequestreview-' if post.thread is None else 'discussion_r'}{post.id}")


def _request(host: GitHubHost, command: Command, source: SourceResponse, marker: Marker | None) -> ApplyRequest:
    """Return the request of a command about a source. `marker` is None if the text is not what people saw."""
    settings, select, refusal = host.settings, command.selection, host.policy_fault or source.fault
    if marker is None and command.verb == "apply":
        what, advice = "the source was edited after the check", "look at the new result, then `/apply` again"
        refusal, select = refusal or Refusal(ReasonCode.SOURCE_EDITED, what, advice), None
    skip = command.numbers if command.verb == "skip" else frozenset[int]()
    asks = command.numbers if command.verb == "retry" else frozenset[int]()
    if skip or asks:
        select = replace(_EVERYTHING, skip=skip, numbers=asks)
    return ApplyRequest(
        source.response,
        settings,
        select,
        allow_partial=settings.partial or (select is not None and select.ready),
        signature=signature(host, source.author),
        skip=skip,
        full_prompt=command.verb == "retry",
        needs_command=command.verb != "apply" and settings.mode == "apply",
        refusal=refusal,
        chosen_at=marker.head if marker is not None else None,
        retry_blocks=asks,
        removes=source.removes,
    )
