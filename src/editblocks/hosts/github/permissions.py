"""Who may have blocks committed: asks GitHub for the account's present role; no answer means no.

Rules: docs/reference/action.md, "who may apply".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.comment import Author
from editblocks.repos.github.client import GitHubApi

# The roles that reach the setting `permission`: https://docs.github.com/en/rest/collaborators/collaborators
ROLES = {"write": ("write", "maintain", "admin"), "maintain": ("maintain", "admin"), "admin": ("admin",)}
HEARD = ("triage", *ROLES["write"])  # the roles that get an answer in words


def role_of(api: GitHubApi, repository: str, author: Author) -> str | None:
    """Ask for the role: admin, maintain, write, triage, read or none; None if GitHub does not find the account.

    Raises `RepoError` if GitHub does not answer.
    """
    path = f"/repos/{repository}/collaborators/{quote(author.login)}/permission"
    return api.find(path, "reading a permission", lambda answer: _role(answer, author.id))


def author_refusal(author: Author, least: str) -> Refusal | None:
    """Return why nobody with any role may have these blocks committed by posting them; None if somebody may."""
    login, ask = author.login, f"ask somebody with {least} access to comment `/apply`"
    if author.is_bot:
        return _no(f"{login} is a bot, and bots' blocks are only checked; {ask}")
    if author.via_app:
        return _no(f"{login} wrote through an app, and such blocks are only checked; post them without the app")
    return None


def role_refusal(author: Author, role: str | None, least: str) -> Refusal | None:
    """Return why this person with this role may not have blocks committed; None if they may. `least`: the role needed.

    The role is None if GitHub did not say it.
    """
    if role is None:
        return _no(f"GitHub did not say what access {author.login} has; run the job again")
    if role in ROLES[least]:
        return None
    needs = f"applying needs {least}; ask somebody with that access to comment `/apply`"
    return _no(f"{author.login} has {role} access, {needs}")


def _no(reason: str) -> Refusal:
    return Refusal(ReasonCode.NOT_PERMITTED, reason)


def _role(answer: Any, author_id: int) -> str:
    """Read the role. `permission` says write for maintain and read for triage; `role_name` is more exact."""
    if answer["user"]["id"] != author_id:
        raise ValueError("the login belongs to somebody else now")
    permission, role = answer["permission"], answer.get("role_name")
    if permission in {"admin", "none"}:
        return str(permission)
    exact = {"write": {"write", "maintain"}, "read": {"read", "triage"}}[permission]
    return str(role) if role in exact else str(permission)
