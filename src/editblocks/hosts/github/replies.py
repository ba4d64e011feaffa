"""What people see at the comment that caused a run: one reaction, and a short answer to a command.

A reaction that fails does not fail the run. Reviews get none; a reply in a thread gets only the last one. Rules:
docs/reference/action.md, "commands" and "what the status says".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from editblocks.core.codes import State
from editblocks.core.errors import ApiError, RepoError, Trouble
from editblocks.hosts.github.comment import COMMENT, REPLY
from editblocks.hosts.github.pull_request import PullRequest
from editblocks.report.status.answers import read_answer

SEEN, COMMITTED, NEEDS_YOU = "eyes", "rocket", "confused"
_FOR_STATE = {
    **dict.fromkeys((State.APPLIED, State.PARTIAL, State.UNDONE), COMMITTED),
    **dict.fromkeys((State.FAILED, State.REFUSED, State.STALE), NEEDS_YOU),
}
_PATHS = {COMMENT: "issues/comments", REPLY: "pulls/comments"}


class Reactions:
    """Reactions on the comment of a task. `is_wanted` is the setting `reactions`: if it is off, none is shown."""

    def __init__(self, pull: PullRequest, is_wanted: bool) -> None:
        comment = pull.task.comment
        self._pull = pull
        self._is_wanted = is_wanted
        self._path = ""
        if comment is not None and comment.kind in _PATHS:
            self._path = f"/repos/{pull.task.repository}/{_PATHS[comment.kind]}/{comment.id}/reactions"
        self._can_take_back = comment is not None and comment.kind == COMMENT
        self._seen: int | None = None

    def see(self) -> None:
        if self._can_take_back:
            self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Remove the "seen" reaction: there is nothing to do, or another reaction replaces it."""
        if self._seen is not None:
            self._best_effort("DELETE", f"{self._path}/{self._seen}", None)
            self._seen = None

    def stop(self) -> None:
        """Remove the "seen" reaction and add no more: the policy, which is read later, turns reactions off."""
        self.forget()
        self._is_wanted = False

    def has_ended(self) -> bool:
        """Whether an earlier run left a final reaction on the comment; False if GitHub does not say. One request."""
        viewer = self._pull.context.viewer

        def pick(rows: Any) -> bool:
            return any(row["content"] in {COMMITTED, NEEDS_YOU} and viewer.wrote(row) for row in rows)

        try:
            return bool(self._path) and self._pull.api.get(f"{self._path}?per_page=100", "reading reactions", pick)
        except RepoError:
            return False

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
        is_shown = self._is_wanted and self._path
        return self._best_effort("POST", self._path, {"content": content}) if is_shown else None

    def _best_effort(self, verb: str, path: str, body: dict[str, object] | None) -> int | None:
        try:
            return self._pull.api.send(
                verb, path, body, "reacting", lambda answer: int(answer["id"]) if answer else None
            )
        except RepoError:
            return None


def answer(pull: PullRequest, text: str) -> None:
    """Post `text`, whose marker names the comment of this run, unless that has an answer already."""
    pull.api.last_words()
    if is_answered(pull):
        return
    comment, path = pull.task.comment, _comments(pull)
    if comment is not None and comment.thread is not None:
        path = f"{path}/{comment.thread}/replies"

    def post() -> None:
        pull.api.send("POST", path, {"body": text}, "answering", lambda answer: int(answer["id"]))

    try:
        post()
    except ApiError as error:
        if error.trouble not in {Trouble.RETRY, Trouble.BROKEN}:
            raise
        if error.wait:
            pull.api.rest(error.wait)
        if not is_answered(pull):
            post()


def is_answered(pull: PullRequest) -> bool:
    """Whether the command of this run has a short answer: then it was not and will not be carried out. One request."""
    comment, viewer = pull.task.comment, pull.context.viewer
    if comment is None:
        return False

    def pick(rows: Any) -> bool:
        return any(viewer.wrote(row) and read_answer(str(row["body"])) == comment.source for row in rows)

    query = f"?since={quote(comment.created_at)}&per_page=100"
    return pull.api.get(_comments(pull) + query, "looking for an answer", pick)


def _comments(pull: PullRequest) -> str:
    is_in_thread = pull.task.comment is not None and pull.task.comment.thread is not None
    return f"/repos/{pull.task.repository}/{'pulls' if is_in_thread else 'issues'}/{pull.task.number}/comments"
