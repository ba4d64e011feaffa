"""Inline comments and files by name: the REST API, called through PyGithub."""

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from github.PullRequest import PullRequest as Pull
from github.Repository import Repository
from support.hub import Hub
from support.hub.client import Json, client, rest
from support.hub.model import PullRequest, ReviewComment

FILES = {"app.py": b"1\n2\n3\n", "docs/a b.md": b"# A\r\n", "image": b"../x"}
MODES = {"image": "120000"}


@pytest.fixture
def asked(h: Hub, pr: PullRequest) -> ReviewComment:
    h.world.review(pr, "hubot", "look", [("app.py", 2, "why?\r\n")])
    return pr.review_comments[0]


@pytest.fixture
def repo(h: Hub) -> Iterator[Repository]:
    token = h.world.new_token("actions", h.world.bot, ("contents", "pull_requests"))
    with client(h, token) as github:
        yield github.get_repo("octocat/Hello-World")


@pytest.fixture
def pull(repo: Repository, pr: PullRequest) -> Pull:
    return repo.get_pull(pr.number)


def test_an_answer_goes_into_the_thread(pull: Pull, pr: PullRequest, asked: ReviewComment) -> None:
    reply = pull.create_review_comment_reply(asked.id, "because\r\n")
    assert (reply.in_reply_to_id, reply.path, reply.body) == (asked.id, "app.py", "because\r\n")
    assert (reply.user.login, reply.original_commit_id) == ("github-actions[bot]", asked.original_commit_id)
    assert reply.pull_request_review_id == pr.reviews[-1].id != asked.review_id
    assert pr.reviews[-1].body == ""
    reply.edit("better")
    again = pull.get_review_comment(reply.id)
    assert (again.body, pr.review_comments[1].editor) == ("better", pr.review_comments[1].author)
    assert [each.body for each in pull.get_review_comments()] == ["why?\r\n", "better"]


def test_an_answer_to_an_answer_or_to_nothing_is_refused(h: Hub, pr: PullRequest, asked: ReviewComment) -> None:
    reply = h.world.reply(pr, "octocat", "so", asked)
    gone = h.world.reply(pr, "octocat", "no", asked)
    h.world.delete(gone)
    url, before = f"/pulls/{pr.number}/comments", len(pr.reviews)
    assert rest(h, "POST", f"{url}/{reply.id}/replies", {"body": "x"})[0] == 422
    assert rest(h, "POST", f"{url}/{gone.id}/replies", {"body": "x"})[0] == 404
    assert rest(h, "POST", f"{url}/{pr.comments or 1}/replies", {"body": "x"})[0] == 404
    assert rest(h, "POST", f"{url}/{asked.id}/replies", {"body": "x" * 65_537})[0] == 422
    assert rest(h, "GET", f"/pulls/comments/{gone.id}")[0] == 404
    assert len(pr.reviews) == before


def test_reactions_on_an_inline_comment(h: Hub, pull: Pull, asked: ReviewComment) -> None:
    comment = pull.get_review_comment(asked.id)
    assert comment.create_reaction("eyes").id == comment.create_reaction("eyes").id
    assert [request.status for request in h.log[-2:]] == [201, 200]
    seen, rocket = comment.create_reaction("eyes"), comment.create_reaction("rocket")
    assert [each.content for each in comment.get_reactions()] == ["eyes", "rocket"]
    assert comment.delete_reaction(seen.id) is True
    assert [each.id for each in asked.reactions] == [rocket.id]
    assert rest(h, "DELETE", f"/pulls/comments/{asked.id}/reactions/{seen.id}")[0] == 404


def test_a_single_inline_comment_and_where_it_may_stand(h: Hub, pull: Pull, pr: PullRequest) -> None:
    head = h.world.head(pr)
    body = {"body": "here", "commit_id": head, "path": "app.py", "line": 3, "side": "RIGHT"}
    status, made = rest(h, "POST", "/pulls/1/comments", body)
    assert (status, made["line"], made["pull_request_review_id"]) == (200, 3, pr.reviews[0].id)
    assert rest(h, "POST", "/pulls/1/comments", {**body, "line": 4})[0] == 422
    assert rest(h, "POST", "/pulls/1/comments", {**body, "commit_id": "0" * 40})[0] == 422
    _, reply = rest(h, "POST", "/pulls/1/comments", {**body, "in_reply_to": made["id"], "path": "none"})
    assert (reply["in_reply_to_id"], reply["path"], pull.review_comments) == (made["id"], "app.py", 0)
    assert len(pr.review_comments) == 2


def test_lists_since_a_time_and_by_the_last_change(h: Hub, pull: Pull, pr: PullRequest, asked: ReviewComment) -> None:
    second = h.world.reply(pr, "octocat", "two", asked)
    old, new = h.world.say(pr, "octocat", "old"), h.world.say(pr, "octocat", "new")
    h.world.edit(asked, "edited last")
    since = datetime.strptime(second.created_at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    assert [each.id for each in pull.get_review_comments(since=since)] == [asked.id, second.id]
    listed = pull.get_review_comments(sort="updated", direction="asc")
    assert [each.id for each in listed] == [second.id, asked.id]
    assert [each.id for each in pull.get_review_comments(sort="updated")] == [asked.id, second.id]
    later = datetime.strptime(new.created_at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    assert [each.body for each in pull.as_issue().get_comments(since=later)] == ["new"]
    h.world.delete(new)
    assert [row["id"] for row in rest(h, "GET", "/issues/1/comments")[1]] == [old.id]


def test_an_answer_is_taken_away(h: Hub, pull: Pull, pr: PullRequest, asked: ReviewComment) -> None:
    reply = pull.create_review_comment_reply(asked.id, "twice")
    reply.delete()
    assert [each.id for each in pull.get_review_comments()] == [asked.id]
    assert rest(h, "DELETE", f"/pulls/comments/{asked.id}")[0] == 403
    assert rest(h, "DELETE", f"/pulls/comments/{reply.id}")[0] == 404
    assert [len(thread) for thread in pr.threads] == [1]


def test_a_comment_is_taken_away(h: Hub, pr: PullRequest) -> None:
    own, theirs = h.world.say(pr, h.world.bot.login, "mine"), h.world.say(pr, "octocat", "theirs")
    assert rest(h, "DELETE", f"/issues/comments/{own.id}")[0] == 200
    assert rest(h, "DELETE", f"/issues/comments/{own.id}")[0] == 404
    assert rest(h, "DELETE", f"/issues/comments/{theirs.id}")[0] == 403
    assert [row["id"] for row in rest(h, "GET", "/issues/1/comments")[1]] == [theirs.id]


WRITES: tuple[tuple[str, str, Json], ...] = (
    ("POST", "/pulls/1/comments/{id}/replies", {"body": "x"}),
    ("PATCH", "/pulls/comments/{id}", {"body": "x"}),
    ("POST", "/pulls/comments/{id}/reactions", {"content": "eyes"}),
)


@pytest.mark.parametrize(("verb", "path", "body"), WRITES, ids=[row[1] for row in WRITES])
def test_a_token_that_can_only_read_writes_nothing(
    h: Hub, asked: ReviewComment, *, verb: str, path: str, body: Json
) -> None:
    pr = h.world.pull_requests[0]
    status, answer = rest(h, verb, path.format(id=asked.id), body, h.world.read_token)
    assert (status, answer["message"]) == (403, "Resource not accessible by integration")
    assert (len(pr.review_comments), asked.reactions) == (1, [])
    assert asked.body == "why?\r\n"


# files by name


def test_commits_and_branches_by_name(h: Hub, repo: Repository, pr: PullRequest) -> None:
    head = h.world.head(pr)
    commit = repo.get_commit(pr.head_ref)
    assert (commit.raw_data["sha"], [each.filename for each in commit.files]) == (
        head,
        ["app.py", "docs/a b.md", "image"],
    )
    assert (repo.get_commit(head).sha, commit.stats.total) == (head, 5)
    branch = repo.get_branch(pr.head_ref)
    assert (branch.name, branch.commit.sha, branch.protected) == (pr.head_ref, head, False)
    assert rest(h, "GET", "/branches/none")[0] == 404
    assert rest(h, "GET", "/commits/none")[0] == 422


def test_contents_by_path(h: Hub, repo: Repository, pr: PullRequest) -> None:
    file: Any = repo.get_contents("docs/a b.md", ref=h.world.head(pr))
    assert (file.decoded_content, file.type, file.size) == (b"# A\r\n", "file", 5)
    rows: Any = repo.get_contents("docs", ref=pr.head_ref)
    assert [(row.path, row.type) for row in rows] == [("docs/a b.md", "file")]
    link = rest(h, "GET", f"/contents/image?ref={pr.head_ref}")[1]
    assert (link["type"], link["target"]) == ("symlink", "../x")
    assert rest(h, "GET", "/contents/app.py")[0] == 404  # not on the default branch
    assert rest(h, "GET", "/contents/README.md")[1]["encoding"] == "base64"
    big = h.world.commit({"big": b"x" * 1_000_001}, "Big")
    assert rest(h, "GET", f"/contents/big?ref={big}")[1]["encoding"] == "none"
