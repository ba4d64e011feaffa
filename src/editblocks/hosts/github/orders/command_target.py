"""Which response a command is about: the source of one of our statuses, or several it could be.

Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editblocks.core.codes import State
from editblocks.core.errors import ConfigError
from editblocks.core.model import EditBlock, Problem
from editblocks.core.outcome import Response
from editblocks.core.selection import Selection
from editblocks.hosts.github.pull.commands import Command
from editblocks.hosts.github.pull.context import BotCommit, Context, Post, commits_for
from editblocks.hosts.github.pull.event import PREFIXES, REPLY, REVIEW, Comment
from editblocks.parsing.parse import parse_parts
from editblocks.report.commit_message import read_trailers

CLOSED = (State.APPLIED, State.NOTHING)
_FRAGMENT = {REVIEW: "pullrequestreview-", REPLY: "discussion_r"}

_NUMBERS = re.compile("[0-9,-]+")  # the same blocks whenever they are named, unlike those that are ready


def posts_of_command(
    command: Command, comment: Comment, statuses: Sequence[Post], context: Context
) -> tuple[Post, ...]:
    """Our status of the source that a command means; several if it does not say which, none if there is none.

    `of` names it, or the thread that the command was written in, or it is the only one that was open when the command
    was given: one that came later, or was applied since, must not change what an old word means.
    """
    if command.source is not None:
        return tuple(post for post in statuses if _is_named(command, post))
    there = [post for post in statuses if _is_older(post, comment)]
    if comment.thread is not None:
        return _in_thread(comment.thread, context, there)
    return tuple(post for post in there if is_open(post) or _is_applied_since(post, comment, context))


def _is_named(command: Command, post: Post) -> bool:
    """A response file has no number of its own, so that of our status stands for it."""
    if post.marker is None:
        return False
    is_file = post.marker.source.startswith("file-")
    return command.names(f"{_FRAGMENT[REVIEW]}{post.id}" if is_file else post.marker.source)


def is_open(post: Post) -> bool:
    """Whether something may still be done with the source of a status."""
    return post.marker is not None and post.marker.state not in CLOSED


def _is_older(post: Post, comment: Comment) -> bool:
    """Whether the source of a status was posted before a comment; numbers of one kind only grow."""
    source, prefix = post.marker.source if post.marker else "", PREFIXES[comment.kind]
    if source.startswith(prefix):
        return int(source.removeprefix(prefix)) < comment.id
    return post.created_at <= comment.created_at


def _is_applied_since(post: Post, comment: Comment, context: Context) -> bool:
    bot_commit = _bot_commit_of(post, context)
    return (
        bot_commit is not None
        and post.marker is not None
        and bot_commit.created_at >= comment.created_at
        and not is_open(post)
    )


def _bot_commit_of(post: Post, context: Context) -> BotCommit | None:
    """The commit that our status names, as long as it is ours and in the pull request."""
    commit = post.marker.commit if post.marker is not None and post.is_untouched else None
    return next((bot_commit for bot_commit in context.bot_commits if bot_commit.commit == commit), None)


def commit_of_command(post: Post, command: Command, comment: Comment, context: Context) -> BotCommit | None:
    """The commit that was made for this `/apply`, as far as our status tells: a word counts once, and numbers too."""
    bot_commit, asked = _bot_commit_of(post, context), str(command.selection or "all")
    selected = (
        (read_trailers(bot_commit.text) or {}).get("selected") if bot_commit is not None else None
    )  # an undo has none
    if bot_commit is None or post.marker is None or selected is None:
        return None
    is_old_word, is_all = bot_commit.created_at >= comment.created_at, post.marker.state is State.APPLIED
    is_same = selected == asked and (is_old_word or _NUMBERS.fullmatch(asked))
    return bot_commit if is_same or (is_old_word and is_all) else None


def has_blocks(response: Response, command: Command) -> bool:
    """Whether a response has every block that a command names by its number or its path."""
    text = response.text if response.front is None else response.text[response.front.length :]
    parts = [(part.text, part.context_path) for part in response.parts] or [(text, response.context_path)]
    parsed = parse_parts(parts)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    select = command.selection or Selection(numbers=command.numbers)
    try:
        select.check([row.number for row in rows], {row.file_path for row in rows if row.file_path is not None})
    except ConfigError:
        return False
    return bool(rows)


def undo_since(comment: Comment, context: Context) -> BotCommit | None:
    """The commit that took another back on this person's word since they gave it: then it may be this very word."""
    for bot_commit in reversed(context.bot_commits):
        trailers = read_trailers(bot_commit.text) or {}
        if (
            bot_commit.created_at >= comment.created_at
            and "undo" in trailers
            and trailers.get("applied-by") == comment.author.login
        ):
            return bot_commit
    return None


def _in_thread(thread: int, context: Context, statuses: Sequence[Post]) -> tuple[Post, ...]:
    """The newest source that was posted in a thread, else the review that began it, or that our review is about."""
    own = [post for post in statuses if post.thread == thread]
    return tuple(own[:1]) or review_of_thread(thread, context, statuses)


def review_of_thread(thread: int, context: Context, statuses: Sequence[Post]) -> tuple[Post, ...]:
    """Our status of the review that began a thread, or that our review is about; nothing if there is none."""
    review = next((post.review for post in context.threads if post.id == thread), None)
    about = next((post.marker.source for post in statuses if post.id == review and post.marker), None)
    wanted = {f"{_FRAGMENT[REVIEW]}{review}", about}
    return tuple(post for post in statuses if post.marker and post.marker.source in wanted)


def commits_not_reverted(bot_commits: Sequence[BotCommit]) -> list[tuple[str, str, BotCommit]]:
    """Our commits that were not taken back, the oldest first: source, digest, commit."""
    not_reverted: list[tuple[str, str, BotCommit]] = []
    for commit in bot_commits:
        trailers = read_trailers(commit.text) or {}
        source = trailers.get("source", "").rpartition("#")[2]
        if "digest" in trailers and source:
            not_reverted.append((source, trailers["digest"], commit))
        elif "undo" in trailers:
            ours = [each for each in not_reverted if each[:2] == (source, trailers["undo"])]
            if ours:
                not_reverted.remove(ours[-1])
    return not_reverted


def bot_commits_since(
    word: Comment | None, response: Response, bot_commits: Sequence[BotCommit]
) -> tuple[BotCommit, ...]:
    """The commits that may have been made for a response on this word, the newest first: older ones were on another.

    Without a word, for a response file: what it has left is tried again on every head.
    """
    since = [each for each in bot_commits if word is None or each.created_at >= word.created_at]
    if word is None:
        since = [each for each in since if (read_trailers(each.text) or {}).get("selected") == "all"]
    return commits_for(response, tuple(since))


def revert_of(response: Response, bot_commits: Sequence[BotCommit]) -> tuple[str, str] | None:
    """The last commit of a response and when it was taken back, ISO 8601; None if it stands or there is none.

    `bot_commits` are our commits, the oldest first.
    """
    last, result, source = "", None, response.source.uri or response.source.id
    for commit in bot_commits:
        trailers = read_trailers(commit.text) or {}
        if trailers.get("source") == source and response.digest == trailers.get("digest"):
            last, result = commit.commit, None
        elif trailers.get("source") == source and response.digest == trailers.get("undo"):
            result = (last, commit.created_at)
    return result
