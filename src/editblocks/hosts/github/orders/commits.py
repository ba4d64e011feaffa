"""Our own commits of a pull request: which response each one applied, and what is reverted since.

A commit is ours by three facts: the account of this token is its author, GitHub signed it (for a bot), and its message
is one of ours. `pull/decode.py` looks at them; here the trailers are believed. Rules: docs/reference/action.md,
"exactly once".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from editblocks.core.codes import EditStatus, State
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome, Response
from editblocks.core.selection import Selection
from editblocks.core.settings import CEILINGS
from editblocks.hosts.github.pull.context import BotCommit, Context
from editblocks.hosts.github.pull.event import Task
from editblocks.run.flow import ApplyRequest

_ALL = "all"


def is_for(commit: BotCommit, response: Response) -> bool:
    """Whether a commit applied blocks of exactly this text."""
    return (commit.source, commit.digest) == (response.source.id, response.digest)


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
        elif last is not None and (commit.source, commit.undoes) == (response.source.id, response.digest):
            result = last, commit
    return result


def commit_made_for(request: ApplyRequest, task: Task, commits: Sequence[BotCommit]) -> BotCommit | None:
    """The commit that already carries out the word of this task for a response; None if there is none.

    A comment is answered by a commit that is newer than itself, a response file by a commit of all its blocks.
    """
    for commit in reversed(commits):
        is_late = task.comment is None or commit.created_at >= task.comment.created_at
        if is_for(commit, request.response) and is_late and (commit.selected == _ALL or _covers(commit, request, task)):
            return commit
    return None


def _covers(commit: BotCommit, request: ApplyRequest, task: Task) -> bool:
    """Whether a commit of some blocks is what was asked for: these numbers, or what was ready at that moment."""
    select = request.select
    if task.comment is None:
        return False
    if select is not None and str(select) == commit.selected:
        return True
    is_open = request.allow_partial or (select is not None and bool(select.paths or select.skip))
    return is_open and commit.trailers.get("applied-by") == task.author.login


def blocks_in_commits(request: ApplyRequest, context: Context, gone: BotCommit | None = None) -> ApplyRequest:
    """Mark in a request the blocks that commits of ours hold; `gone` was just reverted and does not count."""
    committed: dict[int, str] = {}
    for commit in not_reverted(context.bot_commits):
        is_gone = commit.commit in context.reverted or (gone is not None and commit.commit == gone.commit)
        if is_for(commit, request.response) and not is_gone:
            committed |= dict.fromkeys(_numbers(commit), commit.commit)
    return replace(request, committed=committed)


def as_committed(outcome: Outcome, commit: BotCommit) -> Outcome:
    """Return the outcome of an earlier run that made `commit` and could not report it."""
    numbers = _numbers(commit) if not commit.is_removal else ()
    rows = tuple(_applied(row) if row.block.number in numbers else row for row in outcome.result.results)
    return replace(
        outcome,
        result=replace(outcome.result, results=rows),
        state=State.APPLIED if commit.selected == _ALL else State.PARTIAL,
        commit=commit.commit,
        written=True,
        needs_command=False,
        removed_file=outcome.response.source.path if commit.is_removal else None,
    )


def _applied(row: EditResult) -> EditResult:
    return replace(row, status=EditStatus.APPLIED, mismatch=None)


def _numbers(commit: BotCommit) -> Iterable[int]:
    if commit.selected == _ALL:
        return range(1, CEILINGS["max_blocks"] + 1)
    return Selection.read(commit.selected).numbers if commit.selected else ()
