"""One reaction on the comment that caused a run: seen, committed, or look at the status. Best effort.

Reviews have none, and a reply in a thread gets only the last one: rules in docs/reference/action.md, "what the status
says".
"""

from __future__ import annotations

from typing import Any

from editblocks.core.codes import State
from editblocks.core.errors import RepoError
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.pull.context import Viewer
from editblocks.hosts.github.pull.event import COMMENT, REPLY, Comment

SEEN, COMMITTED, NEEDS_YOU = "eyes", "rocket", "confused"
FOR_STATE = {
    State.APPLIED: COMMITTED,
    State.PARTIAL: COMMITTED,
    State.UNDONE: COMMITTED,
    State.FAILED: NEEDS_YOU,
    State.REFUSED: NEEDS_YOU,
    State.STALE: NEEDS_YOU,
}
_PATHS = {COMMENT: "issues/comments", REPLY: "pulls/comments"}
_LAST = {COMMITTED, NEEDS_YOU}


class Reactions:
    """Reactions on one comment; `wanted` is the setting, without which none is shown."""

    def __init__(self, api: GitHubApi, repository: str, comment: Comment | None, *, wanted: bool) -> None:
        self._api = api
        self._is_wanted = wanted
        self._path = None
        if comment is not None and comment.kind in _PATHS:
            self._path = f"/repos/{repository}/{_PATHS[comment.kind]}/{comment.id}/reactions"
        self._can_take_back = comment is not None and comment.kind == COMMENT
        self._seen: int | None = None

    def see(self) -> None:
        """Show that the comment was seen."""
        if self._can_take_back:
            self._seen = self._react(SEEN)

    def forget(self) -> None:
        """Take that back: there is nothing to do, or another reaction says more."""
        if self._seen is not None:
            self._best_effort("DELETE", f"{self._path}/{self._seen}", None)
            self._seen = None

    def stop(self) -> None:
        """No reactions after all: so says the policy, which was not known when the comment was seen."""
        self.forget()
        self._is_wanted = False

    def has_ended(self, viewer: Viewer) -> bool:
        """Whether an earlier run showed the last reaction to the comment; what cannot be read is none. One request."""
        if self._path is None:
            return False
        try:
            return self._api.get(
                f"{self._path}?per_page=100", "reading reactions", lambda rows: _ends_with_ours(rows, viewer)
            )
        except RepoError:
            return False

    def show(self, content: str) -> None:
        """Put this reaction in place of the first one."""
        self._react(content)
        self.forget()

    def show_state(self, state: State) -> None:
        """The reaction for what became of a response; the first one stays while a check waits for somebody."""
        if state is State.CHECKED:
            return
        if state in FOR_STATE:
            self.show(FOR_STATE[state])
        else:
            self.forget()

    def _react(self, content: str) -> int | None:
        if not self._is_wanted:
            return None
        return self._best_effort("POST", self._path, {"content": content})

    def _best_effort(self, verb: str, path: str | None, body: dict[str, object] | None) -> int | None:
        if path is None:
            return None
        try:
            return self._api.send(verb, path, body, "reacting", lambda answer: int(answer["id"]) if answer else None)
        except RepoError:
            return None


def _ends_with_ours(rows: Any, viewer: Viewer) -> bool:
    return any(row["content"] in _LAST and viewer.wrote(row) for row in rows)
