"""Short answers to a command: a comment, or a reply in the thread of the command; each is given once.

Rules: docs/action.md, "commands".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from editblocks.errors import ApiError, Trouble
from editblocks.hosts.github import GitHubHost
from editblocks.hosts.github_context import Viewer
from editblocks.hosts.github_event import Remark
from editblocks.report.answers import read_answer
from editblocks.report.message import read_trailers


def answer(host: GitHubHost, remark: Remark, text: str) -> None:
    """Post `text`, whose marker names the remark, unless an answer to it is there already."""
    host.api.last_words()
    if _is_there(host, remark):
        return
    try:
        _post(host, remark, text)
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            host.api.rest(error.wait)
        if not _is_there(host, remark):
            _post(host, remark, text)


def carried_out(host: GitHubHost, remark: Remark, *, undo: bool = False) -> str | None:
    """The commit that was made on this person's word since the command was given: then it is no news.

    `undo`: one that took another back.
    """
    for made in reversed(host.context.made):
        trailers = read_trailers(made.message) or {}
        is_news = made.at >= remark.created_at and trailers.get("applied-by") == remark.author.login
        if is_news and ("undo" in trailers or not undo):
            return made.commit
    return None


def _post(host: GitHubHost, remark: Remark, text: str) -> None:
    path = f"/repos/{host.task.repository}/issues/{host.task.number}/comments"
    if remark.thread is not None:
        path = f"/repos/{host.task.repository}/pulls/{host.task.number}/comments/{remark.thread}/replies"
    host.api.send("POST", path, {"body": text}, "answering", lambda answer: int(answer["id"]))


def _is_there(host: GitHubHost, remark: Remark) -> bool:
    kind = "pulls" if remark.thread is not None else "issues"
    since = f"since={quote(remark.created_at)}&per_page=100"
    path = f"/repos/{host.task.repository}/{kind}/{host.task.number}/comments?{since}"
    viewer = host.context.viewer
    bodies: Sequence[str] = host.api.get(path, "looking for an answer", lambda rows: _ours(rows, viewer))
    return any(read_answer(body) == remark.source for body in bodies)


def _ours(rows: Any, viewer: Viewer) -> list[str]:
    return [str(row["body"]) for row in rows if row["user"] and _is(row["user"], viewer)]


def _is(user: Any, viewer: Viewer) -> bool:
    return bool(user["id"] == viewer.id if viewer.id else user["login"] == viewer.login)
