"""Post short answers to commands, each once: as a comment, or as a reply in the thread of the command.

Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from editblocks.core.errors import ApiError, Trouble
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.posting.reactions import NEEDS_YOU
from editblocks.report.status.answers import read_answer

READS_ONLY = (
    "nothing was done: the token of a review on a fork's pull request only reads; "
    "send the command as a comment below the pull request"
)


def answer(host: GitHubHost, text: str) -> None:
    """Post `text`, whose marker names the comment of this run, unless that has an answer already."""
    host.api.last_words()
    if is_answered(host):
        return
    try:
        _post(host, text)
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            host.api.rest(error.wait)
        if not is_answered(host):
            _post(host, text)


def is_answered(host: GitHubHost) -> bool:
    """Whether the command of this run has a short answer: then it was not and will not be carried out. One request."""

    def pick(rows: Any) -> bool:
        return any(
            host.context.viewer.wrote(row) and read_answer(str(row["body"])) == host.comment.source for row in rows
        )

    query = f"?since={quote(host.comment.created_at)}&per_page=100"
    return host.api.get(_comments(host) + query, "looking for an answer", pick)


def reply(host: GitHubHost, text: str, *, is_heard: bool = True, shows: bool = True) -> None:
    """Answer people with a role in this repository; strangers only get a reaction, so that they cannot make us post.

    `shows`: people who get an answer see the reaction, too.
    """
    if host.only_reads:
        host.nothing_to_do_reason = READS_ONLY
        return
    unanswered = f"nothing was done: no answer, {host.task.author.login} may not command here"
    host.nothing_to_do_reason = "nothing was done: see the answer" if is_heard else unanswered
    if is_heard:
        answer(host, text)
    if shows or not is_heard:
        host.reactions.show(NEEDS_YOU)


def _post(host: GitHubHost, text: str) -> None:
    path = _comments(host)
    if host.comment.thread is not None:
        path = f"{path}/{host.comment.thread}/replies"
    host.api.send("POST", path, {"body": text}, "answering", lambda answer: int(answer["id"]))


def _comments(host: GitHubHost) -> str:
    kind = "pulls" if host.comment.thread is not None else "issues"
    return f"/repos/{host.task.repository}/{kind}/{host.task.number}/comments"
