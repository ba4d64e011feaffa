"""Who may move which branch: the rules that REST and GraphQL share."""

from support.hub.model import Repository, Token
from support.hub.world import World

WORKFLOWS = ".github/workflows/"


def may_write(world: World, token: Token, repo: Repository) -> bool:
    """Whether a token may write contents. For an app its permissions decide, for a person their role."""
    if token.is_bot:
        return "contents" in token.permissions
    return world.may_push(repo, token.user.login)


def push_refusal(world: World, token: Token, repo: Repository, branch: str, new: str) -> str | None:
    """GitHub's message if a protection rule, a ruleset or a workflow file forbids moving a branch to `new`, or None."""
    # The message for a protected branch: https://github.com/googleapis/repo-automation-bots/issues/5551
    rule = repo.protection.get(branch)
    if rule and token.user.login not in rule.pushers:
        return "Changes must be made through a pull request."
    # The message for a ruleset: https://github.com/satisfactory-factories/application/issues/67
    if branch in repo.rulesets:
        return f"Repository rule violations found\n\n{repo.rulesets[branch]}\n\n"
    # The message: https://github.com/peter-evans/create-pull-request/issues/1713. GITHUB_TOKEN cannot get `workflows`:
    # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
    old = world.branch(branch, repo)
    if old and token.is_bot and "workflows" not in token.permissions:
        for change in world.store.diff(old, new):
            if change.path.startswith(WORKFLOWS):
                return (
                    "refusing to allow a GitHub App to create or update workflow "
                    f"`{change.path}` without `workflows` permission"
                )
    return None
