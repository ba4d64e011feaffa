"""Who may have blocks committed: the role that an account has now, asked once a run; no answer means no.

Rules: docs/reference/action.md, "who may apply".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ApiError, Trouble
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.client.api import GitHubApi
from editblocks.hosts.github.pull.event import Author

# The roles that reach the setting `permission`: https://docs.github.com/en/rest/collaborators/collaborators
ROLES = {
    "write": frozenset({"write", "maintain", "admin"}),
    "maintain": frozenset({"maintain", "admin"}),
    "admin": frozenset({"admin"}),
}
_WORD = " to comment `/apply`"
HEARD = frozenset({"triage", *ROLES["write"]})  # who gets an answer in words


class Person:
    """The author of a task in one repository; `least` is the role that committing needs."""

    def __init__(self, api: GitHubApi, repository: str, author: Author, least: str) -> None:
        self._api = api
        self._repository = repository
        self._least = least
        self.author = author

    def role(self) -> str | None:
        """Their role now: admin, maintain, write, triage, read or none; None if GitHub knows of none.

        Raises `RepoError` if it does not say: a command may have no status that could tell.
        """
        path = f"/repos/{self._repository}/collaborators/{quote(self.author.login)}/permission"
        try:
            return self._api.get(path, "reading a permission", lambda answer: _role(answer, self.author.id))
        except ApiError as error:
            if error.trouble is Trouble.MISSING:
                return None
            raise

    def refusal(self) -> Refusal | None:
        """Why this person may not have blocks committed, or None; asks for the role.

        Fails closed: whatever went wrong, nobody said yes, and the status of the blocks tells it.
        """
        login, least = self.author.login, self._least
        if self.author.is_bot:
            return _no(f"{login} is a bot, and bots' blocks are only checked; ask somebody with {least} access{_WORD}")
        if self.author.via_app:
            return _no(f"{login} wrote through an app, and such blocks are only checked; post them without the app")
        try:
            return self.refusal_for(self.role())
        except ApiError:
            return self.refusal_for(None)

    def refusal_for(self, role: str | None) -> Refusal | None:
        """The same for a role that is known."""
        login, least = self.author.login, self._least
        if role is None:
            return _no(f"GitHub did not say what access {login} has; run the job again")
        if role in ROLES[least]:
            return None
        return _no(f"{login} has {role} access, applying needs {least}; ask somebody with that access{_WORD}")


def _no(reason: str) -> Refusal:
    return Refusal(ReasonCode.NOT_PERMITTED, reason)


def _role(answer: Any, author_id: int) -> str:
    """The role in an answer: `permission` knows maintain as write and triage as read, `role_name` is more exact."""
    if answer["user"]["id"] != author_id:
        raise ValueError("the login belongs to somebody else now")
    permission, role = answer["permission"], answer.get("role_name")
    if permission in {"admin", "none"}:
        return str(permission)
    exact = {"write": {"write", "maintain"}, "read": {"read", "triage"}}[permission]
    return str(role) if role in exact else str(permission)
