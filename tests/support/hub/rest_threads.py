"""REST API: inline comments, with answers in threads, edits and reactions."""

from support.hub import diffs, shapes
from support.hub.answers import Answer, Call, invalid, not_found
from support.hub.model import PullRequest, ReviewComment
from support.hub.rest_pulls import check_author, check_body, diff, react, reactions, since, take_back


def list_comments(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/comments#list-review-comments-on-a-pull-request: ascending id by default"""
    pull = call.pull
    rows = [item for item in since(call, pull.review_comments) if not item.deleted]
    if "sort" in call.query:  # "direction: Ignored without `sort` parameter"; with it, the default is `desc`
        by_update = call.query["sort"] == "updated"
        rows.sort(
            key=lambda item: (item.updated_at if by_update else item.created_at, item.id),
            reverse=call.query.get("direction", "desc") == "desc",
        )
    return call.page([shapes.review_comment(call, pull, item) for item in rows])


def get_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/comments#get-a-review-comment-for-a-pull-request"""
    pull, item = find(call)
    return Answer(200, shapes.review_comment(call, pull, item))


def create_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/comments#create-a-review-comment-for-a-pull-request"""
    pull, body = call.pull, call.body
    check_body(body["body"])
    if "in_reply_to" in body:  # "all parameters other than `body` in the request body are ignored"
        return _reply(call, pull, body["in_reply_to"])
    if call.world.store.commit(body["commit_id"]) is None:
        raise invalid("PullRequestReviewComment", "commit_id", "commit_id is not part of the pull request")
    files = {item.path: item for item in diff(call, pull, body["commit_id"])}
    hunk, problem = diffs.anchor(body, files.get(body["path"]))
    if problem:
        raise invalid("PullRequestReviewComment", "line", problem)
    review = call.world.review(pull, call.viewer.login, commit=body["commit_id"])
    place = {name: body[name] for name in ("path", "line", "start_line", "side") if name in body}
    item = call.world.inline(pull, review, body["body"], **place, diff_hunk=hunk)
    return Answer(201, shapes.review_comment(call, pull, item))


def create_reply(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/comments#create-a-reply-for-a-review-comment

    "Replies to replies are not supported." Only 404 is described; which status they get is unknown [U].
    """
    check_body(call.body["body"])
    return _reply(call, call.pull, int(call.params["comment_id"]))


def _reply(call: Call, pull: PullRequest, number: int) -> Answer:
    first = next((item for item in pull.review_comments if item.id == number and not item.deleted), None)
    if first is None:
        raise not_found()
    if first.in_reply_to:
        raise invalid("PullRequestReviewComment", "in_reply_to", "in_reply_to is not a top-level comment")
    item = call.world.reply(pull, call.viewer.login, call.body["body"], first)
    return Answer(201, shapes.review_comment(call, pull, item))


def update_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/comments#update-a-review-comment-for-a-pull-request"""
    pull, item = find(call)
    check_body(call.body["body"])
    check_author(call, item.author.login)
    call.world.edit(item, call.body["body"], call.viewer)
    return Answer(200, shapes.review_comment(call, pull, item))


def create_reaction(call: Call) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-a-pull-request-review-comment"""
    return react(call, find(call)[1])


def list_reactions(call: Call) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#list-reactions-for-a-pull-request-review-comment"""
    return reactions(call, find(call)[1])


def delete_reaction(call: Call) -> Answer:
    """https://docs.github.com/en/rest/reactions/reactions#delete-a-pull-request-comment-reaction"""
    return take_back(call, find(call)[1])


def delete_comment(call: Call) -> Answer:
    """https://docs.github.com/en/rest/pulls/comments#delete-a-review-comment-for-a-pull-request"""
    _, item = find(call)
    check_author(call, item.author.login)
    call.world.delete(item)
    return Answer(204)


def find(call: Call) -> tuple[PullRequest, ReviewComment]:
    """The inline comment in the path, and its pull request. Raises 404 if there is none."""
    number, repo = int(call.params["comment_id"]), call.repository
    for pull, remark in call.world.remarks():
        if remark.id == number and isinstance(remark, ReviewComment) and pull.repository is repo:
            return pull, remark
    raise not_found()
