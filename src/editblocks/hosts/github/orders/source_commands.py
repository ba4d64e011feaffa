"""A command about a source that somebody else may have written: which one it means, and whether it still holds.

A word counts once, and for what people saw when it was given: a text or a status that changed since takes another
one. Rules: docs/reference/action.md, "commands" and "exactly once".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome, Refusal, Signature, Source
from editblocks.core.selection import Selection
from editblocks.hosts.github.orders.case import Case
from editblocks.hosts.github.orders.command_target import (
    commit_of_command,
    has_blocks,
    is_open,
    posts_of_command,
    review_of_thread,
    undo_since,
)
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.orders.replies import answer, is_answered, reply
from editblocks.hosts.github.orders.sources import SourceResponse, find_source, known_statuses
from editblocks.hosts.github.orders.undo import (
    UndoTask,
    only_checks,
    sources_not_reverted,
    unreported_revert,
    what_to_undo,
)
from editblocks.hosts.github.posting.reactions import COMMITTED, NEEDS_YOU
from editblocks.hosts.github.posting.status import GitHubStatus, StatusPlace
from editblocks.hosts.github.pull.commands import Command
from editblocks.hosts.github.pull.comment_text import CommentText
from editblocks.hosts.github.pull.context import Post
from editblocks.hosts.github.pull.event import Author, Comment
from editblocks.report.status import answers
from editblocks.report.status.answers import OpenSource, refused_line, with_refused_line
from editblocks.report.status.links import Marker
from editblocks.run.flow import ApplyRequest

_EVERYTHING = Selection(every=True)
SOURCES_ASKED = 8  # whether they have the blocks that a command names; each is a request


def requests_about_another(
    host: GitHubHost, comment: Comment, command: Command, words: CommentText, role: str | None
) -> Iterator[ApplyRequest | UndoTask]:
    """The orders of a command without blocks of its own. `role` is that of its author. Raises `RepoError`."""
    statuses = known_statuses(host)
    posts = posts_of_command(command, comment, statuses, host.context)
    refusal = host.person().refusal_for(role)
    asked = comment, words.response(source_of(host, comment)).digest
    if refusal is not None:
        _refuse(host, command, posts, role, refusal)
    elif command.verb == "undo":
        yield from _take_back(host, asked, command, posts, statuses)
    elif len(posts) != 1:
        reply(host, comment, role, _which(host, comment, command, posts))
    elif command.verb == "apply" and (done := commit_of_command(posts[0], command, comment, host.context)) is not None:
        host.done = done.commit
        if done.created_at < comment.created_at:  # else this is the command that did it, once more
            host.reactions.show(COMMITTED)
    elif command.verb == "apply" and _is_about_an_older_status(host, comment, command, posts[0]):
        changed = answers.changed_since(comment.source, command.words, _address(host, posts[0]))
        reply(host, comment, role, changed)
    else:
        host.reactions.see()
        yield from _requests_about(host, asked, command, posts[0])


def source_of(host: GitHubHost, comment: Comment) -> Source:
    """The source that a comment is."""
    return Source(comment.source, comment.kind, uri=host.address(comment.source), author=comment.author.login)


def signature(host: GitHubHost, author: Author | None) -> Signature:
    """Who is named below a commit of blocks that `author` wrote."""
    settings, applying = host.settings, host.task.author
    credited = settings.credit and author is not None and not author.is_bot
    co_author = f"{author.login} <{author.id}+{author.login}@{host.pull.no_reply}>" if credited and author else None
    return Signature(applying.login, co_author, settings.trailers)


def unless_done(host: GitHubHost, case: Case) -> Iterator[ApplyRequest]:
    """The request of a case, unless there is nothing left to do or to say."""
    if case.known_commit is None or case.bot_commit is not None:
        yield case.request
    else:
        host.reactions.forget()


def answer_bad_command(host: GitHubHost, comment: Comment, command: Command, case: Case) -> None:
    """Say what no status tells: that a command names what is not there, or that nothing is ever committed here."""
    outcome = case.outcome
    if outcome is None:
        return
    if outcome.refusal is not None and outcome.refusal.code is ReasonCode.BAD_COMMAND:
        reply(host, comment, None, answers.bad_command(comment.source, outcome.refusal.reason), is_heard=True)
    elif command.verb == "apply" and outcome.refusal is None:
        forbidden = only_checks(host, "committed")
        if forbidden is not None:
            reply(host, comment, None, answers.answer_refused(comment.source, forbidden), is_heard=True)
        elif (missed := _first_misfit(command, outcome)) is not None:
            text = answers.no_such_place(comment.source, command.words, *missed)
            reply(host, comment, None, text, is_heard=True)
    elif command.verb == "apply" and outcome.state is State.CHECKED:
        host.reactions.show(NEEDS_YOU)


def _first_misfit(command: Command, outcome: Outcome) -> tuple[int, EditResult] | None:
    """The first block that does not fit the line which the command gives it: that line, and the block's row."""
    picks = command.selection.picks if command.selection is not None else {}
    codes = ReasonCode.AMBIGUOUS, ReasonCode.NO_MATCH
    missed = (row for row in outcome.result.results if row.block.number in picks and row.code in codes)
    return next(((picks[row.block.number], row) for row in missed), None)


def _refuse(host: GitHubHost, command: Command, posts: Sequence[Post], role: str | None, refusal: Refusal) -> None:
    if len(posts) == 1:
        line = refused_line(command.words, host.task.author.login, role or "", host.settings.permission)
        _add_line(host, posts[0], line)
    host.nothing_to_do_reason = f"{refusal.code.value}: {refusal.reason}"
    host.reactions.show(NEEDS_YOU)


def _add_line(host: GitHubHost, post: Post, line: str) -> None:
    """Put a line into one of our statuses, unless somebody else has edited it: then it is not ours to repeat."""
    longer = with_refused_line(post.body, line) if post.is_untouched else None
    if longer is None or post.marker is None or host.task.number is None:
        return
    place = StatusPlace(host.task.repository, host.task.number, post.marker.source, post.thread)
    status = GitHubStatus(host.api, place, host.pull.no_reply)
    status.id = post.id
    status.write(longer, "")


# undo


def _take_back(
    host: GitHubHost, asked: tuple[Comment, str], command: Command, posts: Sequence[Post], statuses: Sequence[Post]
) -> Iterator[UndoTask]:
    comment = asked[0]
    if host.reactions.has_ended(host.context.viewer):
        host.nothing_to_do_reason = "nothing to do: this command was carried out or refused before"
        return
    host.reactions.see()
    before = undo_since(comment, host.context)
    rest = unreported_revert(before, asked, statuses) if before is not None else None
    if rest is not None:
        yield rest
        return
    if before is not None:
        reply(host, comment, None, answers.undone_before(comment.source, before.commit), is_heard=True)
        return
    undoing = what_to_undo(host, asked, _posts_of_undo(host, comment, command, posts, statuses))
    if undoing is None:
        reply(host, comment, None, _nothing_to_undo(host, comment, command, statuses), is_heard=True)
        return
    yield undoing
    if undoing.refusal is not None:
        reply(host, comment, None, undoing.refusal, is_heard=True)
    if undoing.fault is not None:
        raise undoing.fault


def _posts_of_undo(
    host: GitHubHost, comment: Comment, command: Command, posts: Sequence[Post], statuses: Sequence[Post]
) -> tuple[Sequence[Post], ...]:
    """What an `/undo` is about, the most wanted first: in a thread also its review; () if it does not say."""
    if command.source is not None:
        return (posts,)
    return (posts, review_of_thread(comment.thread, host.context, statuses)) if comment.thread is not None else ()


def _nothing_to_undo(host: GitHubHost, comment: Comment, command: Command, statuses: Sequence[Post]) -> str:
    """Say so, and whose commits stand elsewhere."""
    standing = sources_not_reverted(host, comment)
    by_source = {post.marker.source: post for post in statuses if post.marker is not None}
    others = [_open_source(host, by_source[source]) for source in standing if source in by_source]
    return answers.nothing_to_undo(comment.source, command.words, others)


# which source


def _which(host: GitHubHost, comment: Comment, command: Command, posts: Sequence[Post]) -> str:
    if command.source is not None and not posts:
        opened = posts_of_command(
            replace(command, source=None), replace(comment, thread=None), known_statuses(host), host.context
        )
        candidates = _fitting(host, command, [post for post in opened if is_open(post)])
        return answers.no_such_source(comment.source, command.source, str(command), candidates)
    if not posts:
        return answers.none_open(comment.source, command.words)
    fitting = _fitting(host, command, posts)
    if not fitting:
        return answers.none_fits(comment.source, str(command), len(posts))
    return answers.several_open(comment.source, str(command), fitting)


def _fitting(host: GitHubHost, command: Command, posts: Sequence[Post]) -> list[OpenSource]:
    """The sources that have the blocks which a command names, asked for as long as they are few."""
    named = bool(command.numbers or (command.selection and (command.selection.numbers or command.selection.paths)))
    fitting = []
    for number, post in enumerate(posts):
        marker = post.marker if named and number < SOURCES_ASKED else None
        source = find_source(host, marker.source, marker.digest) if marker is not None else None
        if marker is None or (source is not None and has_blocks(source.response, command)):
            fitting.append(_open_source(host, post))
    return fitting


def _open_source(host: GitHubHost, post: Post) -> OpenSource:
    """How to name a source: by its own number, or by that of our status where it has none."""
    state, source = (post.marker.state, post.marker.source) if post.marker else (State.CHECKED, "")
    number = re.search("[0-9]+$", source) if not source.startswith("file-") else None
    fragment = source if number else f"pullrequestreview-{post.id}"
    return OpenSource(int(number[0]) if number else post.id, host.address(fragment), state)


# one source


def _requests_about(
    host: GitHubHost, asked: tuple[Comment, str], command: Command, post: Post
) -> Iterator[ApplyRequest]:
    comment, marker = asked[0], post.marker
    source = find_source(host, marker.source, marker.digest) if marker is not None else None
    if source is None or marker is None:
        gone = Refusal(ReasonCode.SOURCE_EDITED, "the source cannot be found any more", "post the blocks again")
        reply(host, comment, None, answers.answer_refused(comment.source, gone), is_heard=True)
        return
    is_same = _is_as_seen(host, comment, post, marker, source)
    request = _request(host, command, source, marker if is_same else None)
    if request.refusal is not None and request.refusal.code is ReasonCode.SOURCE_EDITED:
        # before the status is: whoever is cut off in between must not find the new text approved
        answer(host, comment, answers.source_edited(comment.source, command.words, _address(host, post)))
    case = host.open_case(request, asked=asked, thread=source.thread, since=source.since, is_allowed=True)
    if case.bot_commit is not None and marker.commit == case.bot_commit.commit:
        case.bot_commit = None  # the run that made it has said so
    yield from unless_done(host, case)
    if case.outcome is not None:
        answer_bad_command(host, comment, command, case)
    elif case.known_commit is not None:
        host.reactions.show(COMMITTED)


def _is_as_seen(host: GitHubHost, comment: Comment, post: Post, marker: Marker, source: SourceResponse) -> bool:
    """Whether a text is the one that was checked, and that its status showed when the command was given."""
    if not post.is_untouched or source.response.digest != marker.digest:
        return False
    if post.written_at < comment.created_at:
        return True
    # of a comment GitHub says whether it was edited; of a file, or what is gone from a review, it does not
    may_differ = source.is_edited or source.response.blob is not None or len(source.response.parts) > 1
    return not (may_differ or is_answered(host, comment))


def _is_about_an_older_status(host: GitHubHost, comment: Comment, command: Command, post: Post) -> bool:
    """Whether the status was written anew after a word, so that the word is not about what it says now.

    What was undone or rewound since is not brought back, and a place that was chosen is one of what was shown.
    """
    marker, context = post.marker, host.context
    if marker is None or post.written_at < comment.created_at:
        return False
    is_lost = marker.commit is not None and marker.commit not in context.commits
    return marker.state is State.UNDONE or is_lost or bool(command.selection and command.selection.picks)


def _address(host: GitHubHost, post: Post) -> str:
    return host.address(f"{'pullrequestreview-' if post.thread is None else 'discussion_r'}{post.id}")


def _request(host: GitHubHost, command: Command, source: SourceResponse, marker: Marker | None) -> ApplyRequest:
    """The request of a command about a source. `marker` None: what people saw is not what stands there now."""
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
