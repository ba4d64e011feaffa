"""Find the response that a command is about, and whether the command was carried out before.

Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.core.codes import State
from editblocks.hosts.github.pull.commands import Command
from editblocks.hosts.github.pull.context import BotCommit, Context, Post
from editblocks.hosts.github.pull.event import PREFIXES, REVIEW, Comment

_CLOSED = (None, State.APPLIED, State.NOTHING)
_NUMBERS = re.compile("[0-9,-]+")  # numbers always name the same blocks; `ready` does not


def posts_of_command(
    command: Command, comment: Comment, statuses: Sequence[Post], context: Context
) -> tuple[Post, ...]:
    """Return our status of the source that a command means; several if that is not clear, () if there is none.

    The source is the one that `of` names, else that of the command's thread, else the only one that was open when the
    command was given: one that was posted or applied later does not change what an older command means.
    """
    if command.source is not None:
        return tuple(post for post in statuses if command.names(_name(post)))
    there = [post for post in statuses if _is_older(post, comment)]
    if comment.thread is not None:
        return posts_of_thread(comment.thread, context, there)[:1]
    return tuple(post for post in there if is_open(post) or _is_applied_since(post, comment, context))


def posts_of_thread(thread: int, context: Context, statuses: Sequence[Post]) -> tuple[Post, ...]:
    """Our statuses in a thread, the newest first, then that of the review that began it, or which that review is."""
    review = next((post.review for post in context.threads if post.id == thread), None)
    about = next((post.source for post in statuses if post.id == review), None)
    wanted = {f"{PREFIXES[REVIEW]}{review}", about}
    own = [post for post in statuses if post.thread == thread]
    return (*own, *(post for post in statuses if post.source in wanted))


def is_open(post: Post) -> bool:
    """Whether the source of a status still has blocks that a command may apply or skip."""
    return post.state not in _CLOSED


def _name(post: Post) -> str:
    """What `of` names. A response file has no number, so the number of our status is used."""
    return f"{PREFIXES[REVIEW]}{post.id}" if post.source.startswith("file-") else post.source


def _is_older(post: Post, comment: Comment) -> bool:
    """Whether the source of a status was posted before a comment; ids of one kind only grow."""
    prefix = PREFIXES[comment.kind]
    if post.source.startswith(prefix):
        return int(post.source.removeprefix(prefix)) < comment.id
    return post.created_at <= comment.created_at


def _is_applied_since(post: Post, comment: Comment, context: Context) -> bool:
    commit = _commit_of(post, context)
    return commit is not None and commit.created_at >= comment.created_at


def _commit_of(post: Post, context: Context) -> BotCommit | None:
    """The commit that our status names, if it is ours and in the pull request."""
    return next((each for each in context.bot_commits if each.commit == post.commit), None)


def commit_of_command(post: Post, command: Command, comment: Comment, context: Context) -> BotCommit | None:
    """The commit that already carried out this `/apply`, by our status and the commit's trailers; None if none did.

    A command counts once. A newer command also counts as done if it names the same block numbers.
    """
    commit, asked = _commit_of(post, context), str(command.selection or "all")
    if commit is None or not commit.selected:  # the commit of an undo has none
        return None
    is_old_word = commit.created_at >= comment.created_at
    is_same = commit.selected == asked and (is_old_word or _NUMBERS.fullmatch(asked))
    return commit if is_same or (is_old_word and post.state is State.APPLIED) else None


def undo_since(comment: Comment, context: Context) -> BotCommit | None:
    """The revert commit that this person caused after the comment was posted: it may be the one this `/undo` made."""
    for commit in reversed(context.bot_commits):
        is_theirs = commit.trailers.get("applied-by") == comment.author.login
        if commit.undoes and is_theirs and commit.created_at >= comment.created_at:
            return commit
    return None
