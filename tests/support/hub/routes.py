"""The handler for each REST endpoint, and the permission that it needs. Add a row for a new endpoint.

Names are those of `oas.Operation`: the method, and the path relative to `/repos/{owner}/{repo}/`. A token must have at
least one of the permissions in `needs`:
https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from support.hub import rest_actions, rest_contents, rest_git, rest_pulls, rest_threads
from support.hub.answers import Answer, ApiError, Call, no_access, not_found


class Route(NamedTuple):
    """A handler, and the permissions of which a token needs one. Reading needs no permission."""

    handle: Callable[[Call], Answer]
    needs: tuple[str, ...] = ()


TALK = ("pull_requests", "issues")
ROUTES: Mapping[str, Route] = {
    "POST actions/workflows/{workflow_id}/dispatches": Route(rest_actions.dispatch, ("actions",)),
    "GET repository": Route(rest_pulls.get_repository),
    "GET user": Route(rest_pulls.get_user),
    "GET collaborators/{username}/permission": Route(rest_pulls.get_permission),
    "POST git/blobs": Route(rest_git.create_blob, ("contents",)),
    "GET git/blobs/{file_sha}": Route(rest_git.get_blob),
    "POST git/trees": Route(rest_git.create_tree, ("contents",)),
    "GET git/trees/{tree_sha}": Route(rest_git.get_tree),
    "POST git/commits": Route(rest_git.create_commit, ("contents",)),
    "GET git/commits/{commit_sha}": Route(rest_git.get_commit),
    "GET git/ref/{ref}": Route(rest_git.get_ref),
    "PATCH git/refs/{ref}": Route(rest_git.update_ref, ("contents",)),
    "GET compare/{basehead}": Route(rest_git.compare),
    "GET pulls/{pull_number}": Route(rest_pulls.get_pull),
    "GET pulls/{pull_number}/files": Route(rest_pulls.get_files),
    "GET pulls/{pull_number}/commits": Route(rest_pulls.get_commits),
    "GET pulls/{pull_number}/reviews": Route(rest_pulls.list_reviews),
    "POST pulls/{pull_number}/reviews": Route(rest_pulls.create_review, ("pull_requests",)),
    "GET pulls/{pull_number}/reviews/{review_id}": Route(rest_pulls.get_review),
    "PUT pulls/{pull_number}/reviews/{review_id}": Route(rest_pulls.update_review, ("pull_requests",)),
    "GET pulls/{pull_number}/reviews/{review_id}/comments": Route(rest_pulls.list_review_comments),
    "GET pulls/{pull_number}/comments": Route(rest_threads.list_comments),
    "POST pulls/{pull_number}/comments": Route(rest_threads.create_comment, ("pull_requests",)),
    "POST pulls/{pull_number}/comments/{comment_id}/replies": Route(rest_threads.create_reply, ("pull_requests",)),
    "GET pulls/comments/{comment_id}": Route(rest_threads.get_comment),
    "PATCH pulls/comments/{comment_id}": Route(rest_threads.update_comment, ("pull_requests",)),
    "POST pulls/comments/{comment_id}/reactions": Route(rest_threads.create_reaction, ("pull_requests",)),
    "DELETE pulls/comments/{comment_id}": Route(rest_threads.delete_comment, ("pull_requests",)),
    "GET pulls/comments/{comment_id}/reactions": Route(rest_threads.list_reactions),
    "DELETE pulls/comments/{comment_id}/reactions/{reaction_id}": Route(
        rest_threads.delete_reaction, ("pull_requests",)
    ),
    "GET commits/{ref}": Route(rest_contents.get_commit),
    "GET branches/{branch}": Route(rest_contents.get_branch),
    "GET contents/{path}": Route(rest_contents.get_content),
    "GET issues/{issue_number}/comments": Route(rest_pulls.list_comments),
    "POST issues/{issue_number}/comments": Route(rest_pulls.create_comment, TALK),
    "GET issues/comments/{comment_id}": Route(rest_pulls.get_comment),
    "PATCH issues/comments/{comment_id}": Route(rest_pulls.update_comment, TALK),
    "DELETE issues/comments/{comment_id}": Route(rest_pulls.delete_comment, TALK),
    "GET issues/comments/{comment_id}/reactions": Route(rest_pulls.list_reactions),
    "POST issues/comments/{comment_id}/reactions": Route(rest_pulls.create_reaction, TALK),
    "DELETE issues/comments/{comment_id}/reactions/{reaction_id}": Route(rest_pulls.delete_reaction, TALK),
}


def answer(call: Call) -> Answer:
    """Check the permissions of the token, then let the handler answer."""
    route = ROUTES[call.name]
    try:
        if route.needs:
            _check_access(call, route)
        return route.handle(call)
    except ApiError as error:
        return error.answer


def _check_access(call: Call, route: Route) -> None:
    # https://docs.github.com/en/repositories/archiving-a-github-repository/archiving-repositories
    if call.repository.archived:
        raise ApiError(403, "Repository was archived so is read-only.")
    if call.token.is_bot:
        if not call.token.permissions & set(route.needs):
            raise no_access()
    elif route.needs == ("contents",) and not call.world.may_push(call.repository, call.viewer.login):
        raise not_found()
