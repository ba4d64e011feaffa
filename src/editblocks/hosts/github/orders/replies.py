"""Short answers to a command: a comment, or a reply in the thread of the command; each is given once.

Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from editblocks.core.errors import ApiError, Trouble
from editblocks.hosts.github.orders.host import GitHubHost
from editblocks.hosts.github.posting.reactions import NEEDS_YOU
from editblocks.hosts.github.pull.context import Viewer
from editblocks.hosts.github.pull.event import Comment
from editblocks.hosts.github.pull.permissions import HEARD
from editblocks.report.status.answers import read_answer

READS_ONLY = (
    "nothing was done: the token of a review on a fork's pull request only reads; "
    "send the command as a comment below the pull request"
)


def answer(host: GitHubHost, comment: Comment, text: str) -> None:
    """Post `text`, whose marker names the comment, unless an answer to it is there already."""
    host.api.last_words()
    if _is_there(host, comment):
        return
    try:
        _post(host, comment, text)
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            host.api.rest(error.wait)
        if not _is_there(host, comment):
            _post(host, comment, text)


def is_answered(host: GitHubHost, comment: Comment) -> bool:
    """Whether a short answer to this command is there: then it was not carried out, and will not be. One request."""
    return _is_there(host, comment)


def reply(
    host: GitHubHost,
    comment: Comment,
    role: str | None,
    text: str,
    unheard: str | None = None,
    *,
    is_heard: bool = False,
) -> None:
    """Answer who may be answered: strangers get a reaction and no words, so that nobody can make us talk.

    `unheard`: a reaction for them alone.
    """
    if host.only_reads:
        host.nothing_to_do_reason = READS_ONLY
        return
    is_heard = is_heard or role in HEARD
    unanswered = f"nothing was done: no answer, {host.task.author.login} may not command here"
    host.nothing_to_do_reason = "nothing was done: see the answer" if is_heard else unanswered
    if is_heard:
        answer(host, comment, text)
    if unheard is None or not is_heard:
        host.reactions.show(unheard or NEEDS_YOU)


def _post(host: GitHubHost, comment: Comment, text: str) -> None:
    path = f"/repos/{host.task.repository}/issues/{host.task.number}/comments"
    if comment.thread is not None:
        path = f"/repos/{host.task.repository}/pulls/{host.task.number}/comments/{comment.thread}/replies"
    host.api.send("POST", path, {"body": text}, "answering", lambda answer: int(answer["id"]))


def _is_there(host: GitHubHost, comment: Comment) -> bool:
    kind = "pulls" if comment.thread is not None else "issues"
    since = f"since={quote(comment.created_at)}&per_page=100"
    path = f"/repos/{host.task.repository}/{kind}/{host.task.number}/comments?{since}"
    viewer = host.context.viewer
    bodies: Sequence[str] = host.api.get(path, "looking for an answer", lambda rows: _ours(rows, viewer))
    return any(read_answer(body) == comment.source for body in bodies)


def _ours(rows: Any, viewer: Viewer) -> list[str]:
    return [str(row["body"]) for row in rows if viewer.wrote(row)]
