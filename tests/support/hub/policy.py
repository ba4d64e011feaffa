"""Who may move which branch: what REST and GraphQL refuse alike."""

from __future__ import annotations

from support.hub.model import Repository, Token
from support.hub.world import World

WORKFLOWS = ".github/workflows/"


def may_write(world: World, token: Token, repo: Repository) -> bool:
    """Whether a token may write contents: an app by its permissions, a person by their role."""
    if token.is_bot:
        return "contents" in token.permissions
    return world.may_push(repo, token.user.login)


def push_refusal(world: World, token: Token, repo: Repository, branch: str, new: str) -> str | None:
    """Why a branch may not be moved to `new`: a rule, a ruleset or a workflow file; GitHub's sentence or None."""
    # https://github.com/googleapis/repo-automation-bots/issues/5551 has the sentence of a protected branch
    rule = repo.protection.get(branch)
    if rule and token.user.login not in rule.pushers:
        return "Changes must be made through a pull request."
    # https://github.com/satisfactory-factories/application/issues/67 has that of a ruleset
    if branch in repo.rulesets:
        return f"Repository rule violations found\n\n{repo.rulesets[branch]}\n\n"
    # https://github.com/peter-evans/create-pull-request/issues/1713 has the sentence; `workflows` cannot be granted to
    # GITHUB_TOKEN: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
    old = world.branch(branch, repo)
    if old and token.is_bot and "workflows" not in token.permissions:
        for change in world.store.diff(old, new):
            if change.path.startswith(WORKFLOWS):
                return (
                    "refusing to allow a GitHub App to create or update workflow "
                    f"`{change.path}` without `workflows` permission"
                )
    return None
