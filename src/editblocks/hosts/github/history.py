"""Find out from our statuses and from our commits on the branch what was done before, so that nothing is done twice.

A commit is ours if its author is the account of this token, GitHub signed it (for a bot), and its message has our form.
`pull_request.py` checks that, so the trailers are trusted here. Rules: docs/reference/action.md, "exactly once".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from editblocks.core.codes import EditStatus, State
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Outcome, Response
from editblocks.core.selection import Selection
from editblocks.core.settings import CEILINGS
from editblocks.hosts.github.commands import Command
from editblocks.hosts.github.event import Comment, Task
from editblocks.hosts.github.state import BotCommit, Post, Pull
from editblocks.report.commit_message import count_applied
from editblocks.run.flow import ApplyRequest

_ALL = "all"
_NUMBERS = re.compile("[0-9,-]+")  # numbers always select the same blocks, unlike `ready`


class EarlierCommit(NamedTuple):
    """The commit that already carried out a request, if any. `unreported` is the same commit if no status names it."""

    commit: str | None = None
    unreported: BotCommit | None = None

    @property
    def is_reported(self) -> bool:
        """Whether the request was carried out and reported."""
        return self.commit is not None and self.unreported is None


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
    revert = revert_of(request.response, pull.bot_commits)
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


def revert_of(response: Response, commits: Sequence[BotCommit]) -> BotCommit | None:
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
