"""Who may have blocks committed: asks GitHub for the account's present role; no answer means no.

Rules: docs/reference/action.md, "who may apply".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from editblocks.core.codes import ReasonCode
from editblocks.core.outcome import Refusal
from editblocks.hosts.github.event import Author
from editblocks.repos.github.client import GitHubApi

# The roles that reach the setting `permission`: https://docs.github.com/en/rest/collaborators/collaborators
ROLES = {"write": ("write", "maintain", "admin"), "maintain": ("maintain", "admin"), "admin": ("admin",)}
HEARD = ("triage", *ROLES["write"])  # the roles that get an answer in words


def role_of(api: GitHubApi, repository: str, author: Author) -> str | None:
    """Ask for the role: admin, maintain, write, triage, read or none; None for an account that GitHub does not find."""
    path = f"/repos/{repository}/collaborators/{quote(author.login)}/permission"
    return api.find(path, "reading a permission", lambda answer: _role(answer, author.id))


def permission_refusal(author: Author, role: str | None, least: str) -> Refusal | None:
    """Why this account with this role (None: GitHub did not say it) may not have blocks committed; None if it may."""
    login, ask = author.login, f"ask somebody with {least} access to comment `/apply`"
    if author.is_bot:
        reason = f"{login} is a bot, and bots' blocks are only checked; {ask}"
    elif author.via_app:
        reason = f"{login} wrote through an app, and such blocks are only checked; post them without the app"
    elif role is None:
        reason = f"GitHub did not say what access {login} has; run the job again"
    elif role not in ROLES[least]:
        reason = f"{login} has {role} access, applying needs {least}; ask somebody with that access to comment `/apply`"
    else:
        return None
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
