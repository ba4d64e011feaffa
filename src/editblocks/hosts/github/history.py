"""What was done before: a request is carried out once, as our statuses and our commits on the branch show.

A commit is ours by three facts: the account of this token is its author, GitHub signed it (for a bot), and its message
is one of ours. `pull_request.py` looks at them; here the trailers are believed. Rules: docs/reference/action.md,
"exactly once".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editblocks.core.codes import EditStatus, State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Outcome, Response
from editblocks.core.selection import Selection
from editblocks.core.settings import CEILINGS
from editblocks.core.typed import NamedTuple
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.event import Comment, Task
from editblocks.hosts.github.state import BotCommit, Post, Pull
from editblocks.report.status.links import Marker
from editblocks.run.plan import ApplyRequest

_ALL = "all"


class Done(NamedTuple):
    """The commit that carried out a request before, if any; `unreported`: that commit, if no status names it."""

    commit: str | None = None
    unreported: BotCommit | None = None


_NUMBERS = re.compile("[0-9,-]+")  # numbers always name the same blocks; `ready` does not


def done_before(request: ApplyRequest, post: Post | None, event: Task, pull: Pull) -> Done:
    """Find what an earlier or a parallel run did about a request, whose status is `post`."""
    if event.caused_by(request.response) or not request.needs_command:
        commit = done_by_status(post, request, event, pull)
        if commit is not None:
            return Done(commit)
    if request.needs_command:
        return Done()
    back, word = revert_of(request.response, pull.bot_commits), event.comment
    if back is not None and (word is None or word.created_at <= back[1].created_at):
        return Done(back[0].commit)  # to apply it again takes a new command
    made = commit_made_for(request, event, pull.bot_commits)
    return Done(made.commit, made) if made is not None else Done()


def done_by_status(post: Post | None, request: ApplyRequest, event: Task, pull: Pull) -> str | None:
    """The commit that our status names for this request; None if there is none or the request may run again.

    A later command from another comment may ask again for a source that was undone or applied in part, or whose commit
    has gone from the branch.
    """
    if post is None or post.marker is None or (event.comment is None and not _is_over(post.marker)):
        return None
    if event.comment is not None and not event.caused_by(request.response):
        whole = request.select is None or request.select.every
        is_anew = pull.has_lost(post.marker.commit) and post.written_at < event.comment.created_at
        if not whole or post.marker.state is not State.APPLIED or is_anew:
            return None
    return post.commit_for(request.response)


def kept_commit(post: Post | None, outcome: Outcome) -> str | None:
    """The commit that a status keeps naming when this run made none and the source was applied or undone before."""
    if outcome.commit is not None or post is None or post.marker is None or not _is_over(post.marker):
        return None
    return post.commit_for(outcome.response)


def _is_over(marker: Marker) -> bool:
    """Whether all of a source was committed or undone once; its marker keeps the commit through later checks."""
    is_done = marker.state in (State.APPLIED, State.UNDONE)
    return is_done or (marker.commit is not None and marker.state is not State.PARTIAL)


def is_for(commit: BotCommit, response: Response) -> bool:
    """Whether a commit applied blocks of exactly this text."""
    return (commit.source, commit.digest) == (response.source.id, response_digest(response))


def not_reverted(commits: Iterable[BotCommit]) -> list[BotCommit]:
    """Return the commits that apply blocks and that no later one of ours reverts, the oldest first."""
    kept: list[BotCommit] = []
    for commit in commits:
        if commit.digest:
            kept.append(commit)
        else:
            undone = [each for each in kept if (each.source, each.digest) == (commit.source, commit.undoes)]
            kept = [each for each in kept if each not in undone[-1:]]
    return kept


def revert_of(response: Response, commits: Sequence[BotCommit]) -> tuple[BotCommit, BotCommit] | None:
    """The last commit of a response and the one of ours that reverts it; None if it is not reverted."""
    last, result = None, None
    for commit in commits:
        if is_for(commit, response):
            last, result = commit, None
        elif last is not None and (commit.source, commit.undoes) == (response.source.id, response_digest(response)):
            result = last, commit
    return result


def commit_made_for(request: ApplyRequest, event: Task, commits: Sequence[BotCommit]) -> BotCommit | None:
    """The commit that carries out the word of this task: newer than the comment, or of all blocks of a file."""
    since = event.comment.created_at if event.comment is not None else ""
    late = [each for each in reversed(commits) if is_for(each, request.response) and each.created_at >= since]
    return next((each for each in late if each.selected == _ALL or _covers(each, request, event)), None)


def _covers(commit: BotCommit, request: ApplyRequest, event: Task) -> bool:
    """Whether a commit of some blocks is what was asked for: these numbers, or what was ready at that moment."""
    select = request.select
    if event.comment is None:
        return False
    if select is not None and str(select) == commit.selected:
        return True
    is_open = request.allow_partial or (select is not None and bool(select.paths or select.skip))
    return is_open and commit.applied_by == event.author.login


def commit_of_command(post: Post, command: Command, comment: Comment, pull: Pull) -> BotCommit | None:
    """The commit that already carried out this `/apply`, or an older one for the same block numbers; None if none."""
    commit, asked = pull.commit_of(post), str(command.selection or "all")
    if commit is None or not commit.selected:  # the commit of an undo has none
        return None
    is_old_word = commit.created_at >= comment.created_at
    is_same = commit.selected == asked and (is_old_word or _NUMBERS.fullmatch(asked))
    return commit if is_same or (is_old_word and post.state is State.APPLIED) else None


def undo_since(comment: Comment, pull: Pull) -> BotCommit | None:
    """The revert commit that this person caused after the comment was posted: it may be the one this `/undo` made."""
    theirs = (each for each in reversed(pull.bot_commits) if each.applied_by == comment.author.login)
    return next((each for each in theirs if each.undoes and each.created_at >= comment.created_at), None)


def blocks_in_commits(request: ApplyRequest, pull: Pull, gone: BotCommit | None = None) -> ApplyRequest:
    """Mark in a request the blocks that commits of ours hold; `gone` was just reverted and does not count."""
    committed: dict[int, str] = {}
    for commit in not_reverted(pull.bot_commits):
        is_gone = commit.commit in pull.reverted or (gone is not None and commit.commit == gone.commit)
        if is_for(commit, request.response) and not is_gone:
            committed |= dict.fromkeys(_numbers(commit), commit.commit)
    return request._replace(committed=committed)


def as_committed(outcome: Outcome, commit: BotCommit) -> Outcome:
    """Return the outcome of an earlier run that made `commit` and could not report it."""
    numbers = _numbers(commit) if not commit.is_removal else ()
    rows = (
        row._replace(status=EditStatus.APPLIED, mismatch=None) if row.block.number in numbers else row
        for row in outcome.result.results
    )
    return outcome._replace(
        result=outcome.result._replace(results=tuple(rows)),
        state=State.APPLIED if commit.selected == _ALL else State.PARTIAL,
        commit=commit.commit,
        written=True,
        needs_command=False,
        removed_file=outcome.response.source.path if commit.is_removal else None,
    )


def _numbers(commit: BotCommit) -> Iterable[int]:
    if commit.selected == _ALL:
        return range(1, CEILINGS["max_blocks"] + 1)
    return Selection.read(commit.selected).numbers if commit.selected else ()
