"""What we say at the comment that caused a run: one reaction, or a short answer.

A reaction that fails does not fail the run; reviews get none, a reply in a thread gets only the last one. An answer is
posted once: it is looked for before. Rules: docs/reference/action.md, "commands".
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from urllib.parse import quote

from github.IssueComment import IssueComment
from github.PullRequestComment import PullRequestComment
from github.Reaction import Reaction

from editblocks.core.codes import State
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.cases import COMMITTED, NEEDS_YOU
from editblocks.hosts.github.event import COMMENT, REPLY
from editblocks.hosts.github.pull_request import PullReader
from editblocks.hosts.github.state import Pull, Viewer
from editblocks.report.status.answers import read_answer
from editblocks.repos.github.client import GitHubApi, T, text

SEEN = "eyes"
_FOR_STATE = {
    **dict.fromkeys((State.APPLIED, State.PARTIAL, State.UNDONE), COMMITTED),
    **dict.fromkeys((State.FAILED, State.REFUSED, State.STALE), NEEDS_YOU),
}


class Reactions:
    """Reactions on the comment of an event. If not `is_wanted` (the setting `reactions`), none is shown."""

    def __init__(self, reader: PullReader, *, is_wanted: bool) -> None:
        self._api = reader.api
        self._comment = commented(reader) if is_wanted else None
        self._seen: int | None = None  # the number of the "seen" reaction

    def see(self) -> None:
        if isinstance(self._comment, IssueComment):  # a reply gets only the last reaction
            self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Remove the "seen" reaction: there is nothing to do, or another reaction replaces it."""
        if self._comment is not None and self._seen is not None:
            with suppress(RepoError):
                self._api.once("reacting", partial(self._comment.delete_reaction, self._seen))
            self._seen = None

    def show(self, content: str) -> None:
        self._react(content)
        self.forget()

    def show_state(self, state: State) -> None:
        """Show the reaction for the state of a response; after a check "seen" stays, as a person still decides."""
        if state in _FOR_STATE:
            self.show(_FOR_STATE[state])
        elif state is not State.CHECKED:
            self.forget()

    def _react(self, content: str) -> int | None:
        comment = self._comment
        if comment is not None:
            with suppress(RepoError):
                return self._api.once("reacting", lambda: int(comment.create_reaction(content).id))
        return None


def commented(reader: PullReader) -> IssueComment | PullRequestComment | None:
    """The comment of an event, of which nothing is read; None where GitHub has no reactions."""
    comment = reader.event.comment
    if comment is not None and comment.kind == COMMENT:
        return reader.rest_issue.get_comment(comment.id)
    if comment is not None and comment.kind == REPLY:
        return reader.rest_pull.get_review_comment(comment.id)
    return None


# answers


def post_answer(reader: PullReader, pull: Pull, answer: str) -> None:
    """Post an answer, whose marker names the comment of this run, unless that has an answer already."""
    reader.api.last_words()
    if is_answered(reader, pull):
        return
    thread = reader.event.comment and reader.event.comment.thread

    def send() -> bool:
        if thread is not None:
            return int(reader.rest_pull.create_review_comment_reply(thread, answer).id) > 0
        return int(reader.rest_issue.create_comment(answer).id) > 0

    post_once(reader.api, "answering", send, lambda: is_answered(reader, pull))


def post_once(api: GitHubApi, what: str, send: Callable[[], T], find: Callable[[], T | None]) -> T:
    """Post what must not be there twice: if the answer is lost, `find` looks for it before it is sent once more."""
    try:
        return api.once(what, send)
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            api.rest(error.wait)
    return find() or api.once(what, send)


def is_answered(reader: PullReader, pull: Pull) -> bool:
    """Whether the command of this run has a short answer: then it was not and will not be carried out. One request."""
    comment = reader.event.comment
    if comment is None:
        return False

    def is_answer(row: IssueComment | PullRequestComment) -> bool:
        return wrote(pull.viewer, row) and read_answer(text(row.body)) == comment.source

    what = "looking for an answer"
    query = f"/comments?since={quote(comment.created_at)}"
    if comment.thread is not None:
        return any(map(any, reader.api.pages(what, reader.rest_pull.url + query, PullRequestComment, is_answer)))
    return any(map(any, reader.api.pages(what, reader.rest_issue.url + query, IssueComment, is_answer)))


def has_ended(reader: PullReader, pull: Pull) -> bool:
    """Whether an earlier run left a final reaction on the comment; False if GitHub does not say. One request."""
    comment = commented(reader)
    if comment is None:
        return False

    def is_final(row: Reaction) -> bool:
        return row.content in {COMMITTED, NEEDS_YOU} and wrote(pull.viewer, row)

    with suppress(RepoError):
        return any(map(any, reader.api.pages("reading reactions", f"{comment.url}/reactions", Reaction, is_final)))
    return False


def wrote(viewer: Viewer, row: IssueComment | PullRequestComment | Reaction) -> bool:
    """Whether our account wrote a comment or a reaction; compares logins if its id is unknown."""
    if row.user is None:  # the account was deleted
        return False
    if viewer.id:
        return row.user.id == viewer.id
    return row.user.login == viewer.login
