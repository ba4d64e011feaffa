"""REST API: the repository, users, pull requests, reviews, comments and reactions."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from support.hub import diffs, shapes
from support.hub.answers import Answer, ApiError, Call, invalid, no_access, not_found
from support.hub.model import Comment, PullRequest, Reaction, Remark, Review
from support.hub.store import FileDiff

# https://github.com/jmikedupont2/ai-ticket/issues/51 shows the message
MAX_BODY = 65_536
Text = TypeVar("Text", bound=Remark)
STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


def get_repository(call: Call) -> Answer:
    """https://docs.github.com/en/rest/repos/repos#get-a-repository"""
    return Answer(200, shapes.repository(call, call.repository))


def get_user(call: Call) -> Answer:
    """https://docs.github.com/en/rest/users/users#get-the-authenticated-user: not for installation tokens"""
    if call.token.is_bot:
        raise no_access()
    shape: shapes.Json = shapes.example(call, "private-user-response-with-public-profile-information")
    return Answer(200, shape | shapes.user(call, call.viewer))


def get_permission(call: Call) -> Answer:
    """https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user

    Users without a role have `read` in a public repository. Apps are not users and get 404
    (https://github.com/anthropics/claude-code-action/pull/1030).
    """
    # https://github.com/yegor256/rultor/issues/1407
    if not call.token.is_bot and not call.world.may_push(call.repository, call.viewer.login):
        raise ApiError(403, "Must have push access to view collaborator permission.")
    login = call.params["username"]
    who = next((user for user in call.world.users.values() if user.login.lower() == login.lower()), None)
    if who is None or who.type == "Bot":
        raise ApiError(404, f"{login} is not a user")
    return Answer(200, shapes.permission(call, who, call.world.role(call.repository, who.login)))


def get_pull(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request"""
    return Answer(200, shapes.pull_request(call, call.pull))


def get_files(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files: at most 3000 files"""
    head = call.world.head(call.pull)
    return call.page([shapes.file(call, item, head) for item in diff(call, call.pull, head)[:3000]])


def get_commits(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/pulls#list-commits-on-a-pull-request: at most 250 commits"""
    pull = call.pull
    base = call.world.branch(pull.base_ref, pull.repository) or ""
    history = call.world.store.history(base, call.world.head(pull))[:250]
    return call.page([shapes.commit(call, item) for item in history])


def list_reviews(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/reviews#list-reviews-for-a-pull-request: oldest first"""
    pull = call.pull
    return call.page([shapes.review(call, pull, item) for item in pull.reviews])


def create_review(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request

    If one inline comment is not in the diff, GitHub refuses the whole review:
    https://github.com/parkerbxyz/suggest-changes/issues/64 shows its messages.
    """
    pull, body = call.pull, call.body or {}
    event = body.get("event", "PENDING")
    check_body(body.get("body", ""), simple=True)
    if event in {"COMMENT", "REQUEST_CHANGES"} and not body.get("body") and not body.get("comments"):
        raise ApiError(422, "Unprocessable Entity", ["Review Can not be blank"])
    commit = body.get("commit_id") or call.world.head(pull)
    if call.world.store.commit(commit) is None:
        raise ApiError(422, "Unprocessable Entity", ["Commit oid is not part of the pull request"])
    files = {item.path: item for item in diff(call, pull, commit)} if body.get("comments") else {}
    hunks = [_anchor(item, files.get(item["path"])) for item in body.get("comments", ())]
    at = call.world.tick()
    state = STATES.get(event, "PENDING")
    review = Review(call.world.next_id(), call.viewer, body.get("body", ""), at, at, state=state, commit_id=commit)
    pull.reviews.append(review)
    for item, hunk in zip(body.get("comments", ()), hunks, strict=True):
        place = {name: item[name] for name in ("path", "line", "start_line", "side") if name in item}
        call.world.inline(pull, review, item["body"], **place, diff_hunk=hunk)
    return Answer(200, shapes.review(call, pull, review))


def get_review(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/reviews#get-a-review-for-a-pull-request"""
    return Answer(200, shapes.review(call, call.pull, _review(call)))


def update_review(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/reviews#update-a-review-for-a-pull-request"""
    review = _review(call)
    check_body(call.body["body"], simple=True)
    check_author(call, review.author.login)
    if review.body != call.body["body"]:
        call.world.edit(review, call.body["body"], call.viewer)
    return Answer(200, shapes.review(call, call.pull, review))


def list_review_comments(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/reviews#list-comments-for-a-pull-request-review

    GitHub's rows have no `line` here. Those of `shapes.review_comment` do: they are a superset.
    """
    pull, review = call.pull, _review(call)
    rows = [item for item in pull.review_comments if item.review_id == review.id and not item.deleted]
    return call.page([shapes.review_comment(call, pull, item) for item in rows])


def get_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/issues/comments#get-an-issue-comment"""
    pull, comment = _comment(call)
    return Answer(200, shapes.comment(call, pull, comment))


def list_comments(call: Call) -> Answer:
    """https://docs.github.com/en/rest/issues/comments#list-issue-comments: ascending id"""
    pull = call.pull
    return call.page([shapes.comment(call, pull, item) for item in since(call, pull.comments) if not item.deleted])


def create_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/issues/comments#create-an-issue-comment"""
    pull = call.pull
    check_body(call.body["body"])
    comment = call.world.say(pull, call.viewer.login, call.body["body"])
    return Answer(201, shapes.comment(call, pull, comment))


def update_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/issues/comments#update-an-issue-comment"""
    pull, comment = _comment(call)
    check_body(call.body["body"])
    check_author(call, comment.author.login)
    call.world.edit(comment, call.body["body"], call.viewer)
    return Answer(200, shapes.comment(call, pull, comment))


def delete_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/issues/comments#delete-an-issue-comment"""
    _, comment = _comment(call)
    check_author(call, comment.author.login)
    call.world.delete(comment)
    return Answer(204)


def create_reaction(call: Call) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue-comment"""
    return react(call, _comment(call)[1])


def react(call: Call, remark: Remark) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue-comment

    "A response with an HTTP 200 status means that you already added the reaction type."
    """
    content = call.body["content"]
    for reaction in remark.reactions:
        if reaction.user is call.viewer and reaction.content == content:
            return Answer(200, shapes.reaction(call, reaction))
    reaction = Reaction(call.world.next_id(), call.viewer, content, call.world.tick())
    remark.reactions.append(reaction)
    return Answer(201, shapes.reaction(call, reaction))


def list_reactions(call: Call) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#list-reactions-for-an-issue-comment"""
    return reactions(call, _comment(call)[1])


def reactions(call: Call, remark: Remark) -> Answer:
    """The reactions to a comment: all, or those of one kind."""
    wanted = call.query.get("content")
    rows = [item for item in remark.reactions if wanted in {None, item.content}]
    return call.page([shapes.reaction(call, item) for item in rows])


def delete_reaction(call: Call) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#delete-an-issue-comment-reaction"""
    return take_back(call, _comment(call)[1])


def take_back(call: Call, remark: Remark) -> Answer:
    """Remove a reaction."""
    number = int(call.params["reaction_id"])
    found = next((item for item in remark.reactions if item.id == number), None)
    if found is None:
        raise not_found()
    check_author(call, found.user.login)
    remark.reactions.remove(found)
    return Answer(204)


def diff(call: Call, pull: PullRequest, head: str) -> list[FileDiff]:
    """The files that a pull request changes, from its merge base to `head`."""
    return diffs.changes(call.world.store, call.world.branch(pull.base_ref, pull.repository), head)


def check_body(body: str, simple: bool = False) -> None:
    """Raise 422 if a text is longer than GitHub accepts. `simple` chooses the form of the error."""
    if len(body) > MAX_BODY:
        sentence = f"Body is too long (maximum is {MAX_BODY} characters)"
        raise ApiError(422, "Unprocessable Entity", [sentence]) if simple else invalid("IssueComment", "data", sentence)


def _anchor(item: Mapping[str, Any], file: FileDiff | None) -> str:
    """The hunk of an inline comment. Raises 422 if there is none."""
    hunk, problem = diffs.anchor(item, file)
    if problem:
        raise ApiError(422, "Unprocessable Entity", [problem])
    return hunk


def _review(call: Call) -> Review:
    number = int(call.params["review_id"])
    found = next((item for item in call.pull.reviews if item.id == number), None)
    if found is None:
        raise not_found()
    return found


def _comment(call: Call) -> tuple[PullRequest, Comment]:
    number, repo = int(call.params["comment_id"]), call.repository
    for pull, remark in call.world.remarks():
        if remark.id == number and isinstance(remark, Comment) and pull.repository is repo:
            return pull, remark
    raise not_found()


def since(call: Call, items: Sequence[Text]) -> list[Text]:
    """The items "last updated after the given time": https://docs.github.com/en/rest/issues/comments, `since`"""
    start = call.query.get("since", "")
    return [item for item in items if item.updated_at >= start]


def check_author(call: Call, login: str) -> None:
    """Refuse changes to a text of another user, except with the personal token of somebody who may push."""
    if login != call.viewer.login and (
        call.token.is_bot or not call.world.may_push(call.repository, call.viewer.login)
    ):
        raise no_access()
