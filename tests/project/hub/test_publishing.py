"""Refs, reviews, comments and reactions of the hub: a table for each rule of GitHub's documentation."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from github import GithubException
from support.hub import Hub
from support.hub.client import Json, ask, client, node, rest
from support.hub.model import PullRequest, Rule

LINES = b"".join(b"line %d\n" % number for number in range(1, 41))
UPDATE = (
    "mutation Publish($repo: ID!, $name: GitRefname!, $old: GitObjectID!, $new: GitObjectID!, $force: Boolean!) { "
    "updateRefs(input: {repositoryId: $repo, refUpdates: "
    "[{name: $name, beforeOid: $old, afterOid: $new, force: $force}]}) { clientMutationId } }"
)
ZERO = "0" * 40


@pytest.fixture
def pr(h: Hub) -> PullRequest:
    """Changes lines 10 and 30 of a file of forty lines."""
    h.world.commit({"app.py": LINES, "image": b"\0"}, "Add a file")
    changed = LINES.replace(b"line 10\n", b"ten\n").replace(b"line 30\n", b"thirty\n")
    return h.world.pull_request({"app.py": changed, "image": b"\0\0", "new.py": b"1\n2\n"})


def child(h: Hub, pr: PullRequest, path: str = "app.py") -> str:
    """A commit on top of the head that no branch names yet."""
    head = h.world.head(pr)
    return h.world.commit({path: b"changed\n"}, "Child", "scratch", parent=head)


def publish(h: Hub, pr: PullRequest, old: str, new: str, force: bool = False, **options: Any) -> str:
    """`updateRefs` on the head branch: "" or the type of the error."""
    name = options.pop("name", f"refs/heads/{pr.head_ref}")
    asked = {"repo": h.world.repository.node_id, "name": name, "old": old, "new": new, "force": force}
    try:
        ask(h, UPDATE, **options, **asked)
    except GithubException as error:
        return str(error.data["errors"][0]["type"])
    return ""


def test_update_refs_moves_the_branch(h: Hub, pr: PullRequest) -> None:
    old, new = h.world.head(pr), child(h, pr)
    assert publish(h, pr, old, new) == ""
    assert h.world.head(pr) == new == rest(h, "GET", f"/git/ref/heads/{pr.head_ref}")[1]["object"]["sha"]


def test_update_refs_creates_and_deletes_by_the_zero_oid(h: Hub, pr: PullRequest) -> None:
    head = h.world.head(pr)
    assert publish(h, pr, ZERO, head, name="refs/heads/made") == ""
    assert publish(h, pr, ZERO, head, name="refs/heads/made") == "UNPROCESSABLE"
    assert publish(h, pr, head, ZERO, name="refs/heads/made") == ""
    assert h.world.branch("made") is None


REFUSALS: tuple[tuple[str, Callable[[Hub, PullRequest], object]], ...] = (
    ("somebody pushed", lambda h, pr: h.world.push(pr, {"x": b""})),
    ("rewound", lambda h, pr: h.world.reset(pr.head_ref, h.world.branch("main") or "")),
    ("deleted", lambda h, pr: h.world.delete_branch(pr.head_ref)),
    ("protected", lambda h, pr: h.world.repository.protection.update({pr.head_ref: Rule()})),
    ("a ruleset", lambda h, pr: h.world.repository.rulesets.update({pr.head_ref: "Cannot update this ref."})),
)


@pytest.mark.parametrize("change", [row[1] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
@pytest.mark.long(after=2)
def test_neither_way_of_moving_a_branch_passes_a_refusal(
    h: Hub, pr: PullRequest, change: Callable[[Hub, PullRequest], object]
) -> None:
    old, new = h.world.head(pr), child(h, pr)
    change(h, pr)
    found = h.world.branch(pr.head_ref)
    assert publish(h, pr, old, new) == "UNPROCESSABLE"
    assert h.world.branch(pr.head_ref) == found
    if found != h.world.branch("main"):  # a fast forward after a rewind is none: that is what updateRefs is for
        assert rest(h, "PATCH", f"/git/refs/heads/{pr.head_ref}", {"sha": new, "force": False})[0] == 422
        assert h.world.branch(pr.head_ref) == found


def test_a_fast_forward_brings_back_what_a_rewind_removed(h: Hub, pr: PullRequest) -> None:
    new, main = child(h, pr), h.world.branch("main") or ""
    h.world.reset(pr.head_ref, main)
    assert rest(h, "PATCH", f"/git/refs/heads/{pr.head_ref}", {"sha": new, "force": False})[0] == 200
    assert h.world.head(pr) == new


def test_patch_ref_says_what_is_wrong(h: Hub, pr: PullRequest) -> None:
    path, side = f"/git/refs/heads/{pr.head_ref}", h.world.commit({"x": b""}, "Side", "side")
    assert rest(h, "PATCH", path, {"sha": side})[1]["message"] == "Update is not a fast forward"
    assert rest(h, "PATCH", path, {"sha": ZERO})[1]["message"] == "Object does not exist"
    assert rest(h, "PATCH", "/git/refs/heads/none", {"sha": side})[1]["message"] == "Reference does not exist"
    assert rest(h, "PATCH", path, {"sha": side, "force": True})[0] == 200
    assert publish(h, pr, side, h.world.branch("main") or "") == "UNPROCESSABLE"
    assert publish(h, pr, side, h.world.branch("main") or "", force=True) == ""
    assert rest(h, "GET", "/git/ref/heads/none")[0] == 404


def test_who_may_update_refs(h: Hub, pr: PullRequest) -> None:
    old, new = h.world.head(pr), child(h, pr)
    reader = h.world.new_token("personal", h.world.user("hubot"))
    assert publish(h, pr, old, new, token=h.world.read_token) == "FORBIDDEN"
    assert publish(h, pr, old, new, token=reader) == "FORBIDDEN"
    h.world.repository.protection[pr.head_ref] = Rule(pushers=frozenset({"octocat"}))
    assert publish(h, pr, old, new) == "UNPROCESSABLE"
    assert publish(h, pr, old, new, token=h.world.new_token("personal", h.world.octocat)) == ""


def test_workflow_files_need_a_permission_that_github_token_never_has(h: Hub, pr: PullRequest) -> None:
    old, new = h.world.head(pr), child(h, pr, ".github/workflows/ci.yml")
    status, body = rest(h, "PATCH", f"/git/refs/heads/{pr.head_ref}", {"sha": new})
    assert (status, "without `workflows` permission" in body["message"]) == (422, True)
    assert publish(h, pr, old, new) == "UNPROCESSABLE"
    app = h.world.new_token("app", h.world.user("hub-app[bot]"), ("contents", "workflows"))
    assert publish(h, pr, old, new, token=app) == ""


def test_of_five_writers_at_once_one_wins(h: Hub, pr: PullRequest) -> None:
    old = h.world.head(pr)
    new = [h.world.commit({"x": b"%d" % number}, "Child", f"s{number}", parent=old) for number in range(5)]
    with ThreadPoolExecutor(5) as pool:
        results = list(pool.map(lambda oid: publish(h, pr, old, oid), new))
    assert sorted(results) == ["", *["UNPROCESSABLE"] * 4]
    assert h.world.head(pr) == new[results.index("")]


# reviews

ANCHORS: tuple[tuple[str, Json, str], ...] = (
    ("an added line", {"path": "app.py", "line": 10}, ""),
    ("a context line", {"path": "app.py", "line": 13, "side": "RIGHT"}, ""),
    ("a range in one hunk", {"path": "app.py", "start_line": 9, "line": 12, "side": "RIGHT"}, ""),
    ("a deleted line", {"path": "app.py", "line": 10, "side": "LEFT"}, ""),
    ("a new file", {"path": "new.py", "line": 2, "side": "RIGHT"}, ""),
    ("between the hunks", {"path": "app.py", "line": 20, "side": "RIGHT"}, "line must be part of the diff"),
    ("a context line on the left", {"path": "app.py", "line": 13, "side": "LEFT"}, "line must be part of the diff"),
    ("a range over two hunks", {"path": "app.py", "start_line": 10, "line": 30}, "same hunk as the line"),
    ("a range of one line", {"path": "app.py", "start_line": 10, "line": 10}, "must precede the end line"),
    ("a file that is not changed", {"path": "README.md", "line": 1}, "Path could not be resolved"),
    ("a binary file", {"path": "image", "line": 1}, "Path could not be resolved"),
)


@pytest.mark.parametrize(("anchor", "problem"), [row[1:] for row in ANCHORS], ids=[row[0] for row in ANCHORS])
@pytest.mark.long(after=2)
def test_one_inline_comment_outside_the_diff_refuses_the_review(
    h: Hub, pr: PullRequest, anchor: Json, problem: str
) -> None:
    good = {"path": "new.py", "line": 1, "body": "fine"}
    asked = {"body": "status", "event": "COMMENT", "comments": [good, {"body": "here", **anchor}]}
    status, body = rest(h, "POST", f"/pulls/{pr.number}/reviews", asked)
    assert status == (422 if problem else 200)
    assert len(pr.review_comments) == (0 if problem else 2)
    if problem:
        assert problem in body["errors"][0]
        assert pr.reviews == []
    else:
        rows = rest(h, "GET", f"/pulls/{pr.number}/reviews/{body['id']}/comments")[1]
        assert [row["body"] for row in rows] == ["fine", "here"]


def test_inline_comments_are_held_to_the_diff_of_the_commit_they_name(h: Hub, pr: PullRequest) -> None:
    old = h.world.head(pr)
    h.world.push(pr, {"app.py": LINES})
    asked = {"body": "x", "event": "COMMENT", "comments": [{"path": "app.py", "line": 10, "body": "x"}]}
    assert rest(h, "POST", f"/pulls/{pr.number}/reviews", asked)[0] == 422
    assert rest(h, "POST", f"/pulls/{pr.number}/reviews", {**asked, "commit_id": old})[0] == 200


def test_files_have_git_hunks_and_binary_ones_have_none(h: Hub, pr: PullRequest) -> None:
    rows = {row["filename"]: row for row in rest(h, "GET", f"/pulls/{pr.number}/files")[1]}
    assert rows["app.py"]["patch"].startswith("@@ -7,7 +7,7 @@ line 6\n line 7\n")
    assert ("patch" in rows["image"], rows["image"]["status"], rows["new.py"]["status"]) == (False, "modified", "added")


def test_a_review_is_written_once_and_edited_in_place(h: Hub, pr: PullRequest) -> None:
    url = f"/pulls/{pr.number}/reviews"
    made = rest(h, "POST", url, {"body": "one\r\n", "event": "COMMENT", "commit_id": h.world.head(pr)})[1]
    assert (made["state"], made["user"]["login"], made["body"]) == ("COMMENTED", "github-actions[bot]", "one\r\n")
    fields = (
        "pullRequest(number: 1) { reviews(last: 50) "
        "{ nodes { databaseId body viewerDidAuthor lastEditedAt editor { login } } } }"
    )
    first = node(h, fields)["pullRequest"]["reviews"]["nodes"]
    assert rest(h, "PUT", f"{url}/{made['id']}", {"body": "two"})[1]["body"] == "two"
    second = node(h, fields)["pullRequest"]["reviews"]["nodes"]
    assert (first[0]["editor"], first[0]["lastEditedAt"], first[0]["viewerDidAuthor"]) == (None, None, True)
    assert (second[0]["editor"], second[0]["body"]) == ({"login": "github-actions"}, "two")  # no [bot] in GraphQL
    assert second[0]["lastEditedAt"] > made["submitted_at"]
    assert [row["id"] for row in rest(h, "GET", url)[1]] == [made["id"]]


def test_whose_review_it_is_depends_on_the_token(h: Hub, pr: PullRequest) -> None:
    person = h.world.new_token("personal", h.world.user("monalisa"))
    made = rest(h, "POST", f"/pulls/{pr.number}/reviews", {"body": "x", "event": "COMMENT"}, person)[1]
    text = (
        'query { viewer { login } repository(owner: "octocat", name: "Hello-World") '
        "{ pullRequest(number: 1) { reviews(first: 1) { nodes { viewerDidAuthor } } } } }"
    )
    seen = [ask(h, text, token) for token in (h.world.token, person)]
    assert [each["viewer"]["login"] for each in seen] == ["github-actions[bot]", "monalisa"]
    authored = [each["repository"]["pullRequest"]["reviews"]["nodes"][0]["viewerDidAuthor"] for each in seen]
    assert authored == [False, True]
    assert rest(h, "PUT", f"/pulls/{pr.number}/reviews/{made['id']}", {"body": "theirs"})[0] == 403


@pytest.mark.parametrize(("length", "status"), [(65_536, 200), (65_537, 422)])
def test_the_longest_body(h: Hub, pr: PullRequest, length: int, status: int) -> None:
    comment = h.world.say(pr, "octocat", "hello")
    by = h.world.new_token("personal", h.world.octocat)
    body = {"body": "é" * length}
    assert rest(h, "POST", f"/pulls/{pr.number}/reviews", {**body, "event": "COMMENT"})[0] == status
    assert rest(h, "POST", f"/issues/{pr.number}/comments", body, by)[0] == status
    assert rest(h, "PATCH", f"/issues/comments/{comment.id}", body, by)[0] == status


# comments and reactions


@pytest.mark.parametrize("body", ["a\r\nb\r\n", "a\nb", "\ufeff\u2028 x\t", "é" * 3])
@pytest.mark.long(after=2)
def test_bodies_come_back_as_they_were_sent(h: Hub, pr: PullRequest, body: str) -> None:
    comment = h.world.say(pr, "octocat", body)
    assert rest(h, "GET", f"/issues/comments/{comment.id}")[1]["body"] == body
    live = ask(
        h, "query Live($id: ID!) { node(id: $id) { ... on IssueComment { body lastEditedAt } } }", id=comment.node_id
    )
    assert live["node"] == {"body": body, "lastEditedAt": None}


def test_an_edited_and_a_deleted_comment(h: Hub, pr: PullRequest) -> None:
    comment = h.world.say(pr, "octocat", "one")
    h.world.edit(comment, "two")
    text = "query Live($id: ID!) { node(id: $id) { ... on IssueComment { body lastEditedAt editor { login } } } }"
    found = ask(h, text, id=comment.node_id)["node"]
    assert (found["body"], found["lastEditedAt"] > comment.created_at) == ("two", True)
    comment.deleted = True
    with pytest.raises(GithubException) as caught:
        ask(h, text, id=comment.node_id)
    assert caught.value.status == 404
    assert rest(h, "GET", f"/issues/comments/{comment.id}")[0] == 404


def test_reactions_are_made_once(h: Hub, pr: PullRequest) -> None:
    comment = h.world.say(pr, "octocat", "hello")
    url = f"/issues/comments/{comment.id}/reactions"
    made = [rest(h, "POST", url, {"content": content})[1]["id"] for content in ("eyes", "eyes", "rocket")]
    assert [request.status for request in h.log] == [201, 200, 201]
    assert made[0] == made[1] != made[2]
    assert rest(h, "DELETE", f"{url}/{made[0]}")[0] == 200
    assert h.log[-1].status == 204
    assert rest(h, "DELETE", f"{url}/{made[0]}")[0] == 404
    assert [row["content"] for row in rest(h, "GET", url)[1]] == ["rocket"]


def test_who_is_asking(h: Hub) -> None:
    with client(h, h.world.new_token("personal", h.world.user("monalisa"))) as github:
        assert github.get_user().login == "monalisa"
    with pytest.raises(GithubException) as caught, client(h) as github:
        github.requester.requestJsonAndCheck("GET", "/user")
    assert (caught.value.status, caught.value.data["message"]) == (403, "Resource not accessible by integration")


def test_commits_of_a_pull_request_are_those_its_base_lacks(h: Hub, pr: PullRequest) -> None:
    h.world.commit({"x": b""}, "On main")
    new = h.world.push(pr, {"y": b""})
    rows = rest(h, "GET", f"/pulls/{pr.number}/commits")[1]
    assert [row["commit"]["message"] for row in rows] == ["Amazing new feature", "Push"]
    assert (rows[1]["sha"], rows[1]["author"]["login"]) == (new, "octocat")


def test_lists_come_in_pages(h: Hub, pr: PullRequest) -> None:
    for number in range(25):
        h.world.say(pr, "octocat", str(number))
    with client(h, per_page=10) as github:
        issue = github.get_repo("octocat/Hello-World").get_issue(pr.number)
        assert [comment.body for comment in issue.get_comments()] == [str(number) for number in range(25)]
    assert [request.query.get("page") for request in h.log] == [None, "2", "3"]
    fields = (
        "pullRequest(number: 1) { comments(last: 10, before: $cursor) "
        "{ nodes { body } pageInfo { hasPreviousPage startCursor } } }"
    )
    page = node(h, fields.replace(", before: $cursor", ""))["pullRequest"]["comments"]
    assert [row["body"] for row in page["nodes"]] == [str(number) for number in range(15, 25)]
    page = node(h, fields, cursor=page["pageInfo"]["startCursor"])["pullRequest"]["comments"]
    assert [row["body"] for row in page["nodes"]] == [str(number) for number in range(5, 15)]
    assert page["pageInfo"]["hasPreviousPage"] is True
    for wrong in ("", "(last: 101)"):
        with pytest.raises(GithubException):
            node(h, f"pullRequest(number: 1) {{ comments{wrong} {{ totalCount }} }}")
