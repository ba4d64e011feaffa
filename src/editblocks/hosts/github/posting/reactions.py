"""One reaction on the comment that caused a run: seen, committed, or look at the status.

A reaction that fails does not fail the run. Reviews get none; a reply in a thread gets only the last one. Rules:
docs/reference/action.md, "what the status says".
"""

from __future__ import annotations

from typing import Any

from editblocks.core.codes import State
from editblocks.core.errors import RepoError
from editblocks.hosts.github.pull.context import Viewer
from editblocks.hosts.github.pull.event import COMMENT, REPLY, Task
from editblocks.repos.github.client import GitHubApi

SEEN, COMMITTED, NEEDS_YOU = "eyes", "rocket", "confused"
_FOR_STATE = {
    State.APPLIED: COMMITTED,
    State.PARTIAL: COMMITTED,
    State.UNDONE: COMMITTED,
    State.FAILED: NEEDS_YOU,
    State.REFUSED: NEEDS_YOU,
    State.STALE: NEEDS_YOU,
}
_PATHS = {COMMENT: "issues/comments", REPLY: "pulls/comments"}


class Reactions:
    """Reactions on the comment of a task. `is_wanted` is the setting `reactions`: if it is off, none is shown."""

    def __init__(self, api: GitHubApi, task: Task, is_wanted: bool) -> None:
        comment = task.comment
        self._api = api
        self._is_wanted = is_wanted
        self._path = ""
        if comment is not None and comment.kind in _PATHS:
            self._path = f"/repos/{task.repository}/{_PATHS[comment.kind]}/{comment.id}/reactions"
        self._can_take_back = comment is not None and comment.kind == COMMENT
        self._seen: int | None = None

    def see(self) -> None:
        """Add the reaction that says the comment was seen."""
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

    def has_ended(self, viewer: Viewer) -> bool:
        """Whether an earlier run left a final reaction on the comment; False if GitHub does not say. One request."""

        def pick(rows: Any) -> bool:
            return any(row["content"] in {COMMITTED, NEEDS_YOU} and viewer.wrote(row) for row in rows)

        try:
            return bool(self._path) and self._api.get(f"{self._path}?per_page=100", "reading reactions", pick)
        except RepoError:
            return False

    def show(self, content: str) -> None:
        """Add this reaction and remove the "seen" reaction."""
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
            return self._api.send(verb, path, body, "reacting", lambda answer: int(answer["id"]) if answer else None)
        except RepoError:
            return None
