"""What keeps the hub honest: schemas in both directions, gaps, faults, payloads, and small worlds."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from github import GithubException
from support.hub import Hub, events, hub, oas, query_problems, routes
from support.hub.answers import Answer
from support.hub.client import ask, client, node, rest
from support.hub.model import Rule

# the schemas


def post(path: str, body: object) -> Callable[[Hub], object]:
    return lambda h: rest(h, "POST", path, body)


def raw(query: object) -> Callable[[Hub], object]:
    def send(h: Hub) -> None:
        with client(h) as github:
            github.requester.requestJsonAndCheck("POST", h.graphql_url, input=query)

    return send


NOT_CONFORMING: tuple[tuple[str, Callable[[Hub], object], str], ...] = (
    ("unknown field", post("/git/blobs", {"content": "x", "charset": "x"}), "charset"),
    ("unknown field below", post("/git/trees", {"tree": [{"path": "a", "content": "", "blob": 1}]}), "blob"),
    ("missing field", post("/git/blobs", {"encoding": "base64"}), "content"),
    ("wrong type", post("/git/blobs", {"content": 1}), "not of type"),
    ("not in the list", post("/pulls/1/reviews", {"body": "x", "event": "SHOUT"}), "SHOUT"),
    ("no body", lambda h: rest(h, "POST", "/git/blobs"), "no body"),
    ("a body too many", lambda h: rest(h, "GET", "", {"x": 1}), "a body where none is described"),
    ("unknown query parameter", lambda h: rest(h, "GET", "/pulls/1?verbose=1"), "verbose"),
    ("a page that is no number", lambda h: rest(h, "GET", "/pulls/1/files?page=x"), "not a number"),
    ("an endpoint GitHub has not", lambda h: rest(h, "GET", "/pulls/1/comment"), "no such endpoint"),
    ("an endpoint the hub has not", lambda h: rest(h, "GET", "/collaborators/octocat"), "no such endpoint"),
    ("unknown graphql field", raw({"query": "query { viewer { loginn } }"}), "loginn"),
    ("wrong graphql argument", raw({"query": 'query { node(id: "x", x: 1) { id } }'}), "argument"),
    ("graphql syntax", raw({"query": "query {"}), "Syntax Error"),
    ("unknown part of a graphql request", raw({"query": "query { viewer { login } }", "q": 1}), "'q'"),
    ("a graphql field the hub has not", raw({"query": "query { viewer { bio } }"}), "User.bio"),
)


@pytest.mark.parametrize(
    ("send", "problem"), [row[1:] for row in NOT_CONFORMING], ids=[row[0] for row in NOT_CONFORMING]
)
def test_a_request_that_does_not_conform_fails_the_test(send: Callable[[Hub], object], problem: str) -> None:
    with pytest.raises(AssertionError, match=problem), hub() as h, suppress(GithubException):
        send(h)


def test_a_wrong_answer_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = routes.Route(lambda _: Answer(200, {"sha": 1}))
    monkeypatch.setitem(routes.ROUTES, "GET repository", wrong)
    with pytest.raises(AssertionError, match="GET repository 200"), hub() as h:
        rest(h, "GET", "")


def test_a_crash_of_the_hub_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(routes.ROUTES, "GET repository", routes.Route(lambda call: Answer(200, call.params["no"])))
    with pytest.raises(AssertionError, match="KeyError"), hub() as h, pytest.raises(requests.ConnectionError):
        rest(h, "GET", "")


def test_every_route_is_described_by_github() -> None:
    assert set(routes.ROUTES) <= {operation.name for operation in oas.operations()}


# Refused by their own schema; `shapes.py` gives what they lack
INVALID = {"commit", "repository-collaborator-permission-response-if-user-has-admin-permissions"}


def official_examples() -> Iterator[tuple[oas.Operation, int, str]]:
    for operation in oas.operations():
        answers = oas.description()["paths"][operation.template][operation.method.lower()]["responses"]
        for status, answer in answers.items():
            found = answer.get("content", {}).get("application/json", {}).get("examples", {})
            for name in (example["$ref"].rpartition("/")[2] for example in found.values()):
                yield operation, int(status), name


def test_official_examples_conform_after_the_patches() -> None:
    rows = [row for row in official_examples() if row[2] not in INVALID]
    problems = [
        (name, oas.answer_problems(op, status, json.loads(oas.example_text(name)))) for op, status, name in rows
    ]
    assert len(rows) > 40
    assert [row for row in problems if row[1]] == []


def test_query_problems() -> None:
    assert query_problems("query Context { viewer { login } }") == []
    assert query_problems("query { nope }") == [
        "Cannot query field 'nope' on type 'Query'. Did you mean 'node' or 'nodes'?"
    ]
    assert query_problems("query {")[0].startswith("Syntax Error")


def test_an_older_server_lacks_fields(h: Hub) -> None:
    h.world.missing_fields = {"PullRequest.isInMergeQueue", "Mutation.updateRefs"}
    h.world.pull_request({"a": b""})
    assert node(h, "pullRequest(number: 1) { state }") == {"pullRequest": {"state": "OPEN"}}
    with pytest.raises(GithubException) as caught:
        node(h, "pullRequest(number: 1) { isInMergeQueue }")
    (error,) = caught.value.data["errors"]
    assert error["extensions"] == {"code": "undefinedField", "typeName": "PullRequest", "fieldName": "isInMergeQueue"}


def test_a_database_id_is_a_32_bit_number(h: Hub) -> None:
    comment = h.world.say(h.world.pull_request({"a": b""}), "octocat", "x")
    comment.id = 3_000_000_000
    text = "query Live($id: ID!) { node(id: $id) { ... on IssueComment { %s } } }"
    assert ask(h, text % "fullDatabaseId", id=comment.node_id)["node"] == {"fullDatabaseId": "3000000000"}
    with pytest.raises(GithubException):
        ask(h, text % "databaseId", id=comment.node_id)


# faults


def test_a_fault_before_the_effect(h: Hub) -> None:
    pr = h.world.pull_request({"a": b""})
    h.fault("POST pulls/*/reviews", status=502)
    url, body = f"/pulls/{pr.number}/reviews", {"body": "x", "event": "COMMENT"}
    assert [rest(h, "POST", url, body)[0] for _ in range(2)] == [502, 200]
    assert len(pr.reviews) == 1


def test_a_fault_after_the_effect(h: Hub) -> None:
    pr = h.world.pull_request({"a": b""})
    h.fault("POST pulls/*/reviews", nth=2, times=2, status=500, effect=True)
    url, body = f"/pulls/{pr.number}/reviews", {"body": "x", "event": "COMMENT"}
    assert [rest(h, "POST", url, body)[0] for _ in range(4)] == [200, 500, 500, 200]
    assert len(pr.reviews) == 4


@pytest.mark.parametrize("effect", [False, True])
def test_a_lost_connection(h: Hub, effect: bool) -> None:
    h.fault("POST git/blobs", drop=True, effect=effect)
    with pytest.raises(requests.ConnectionError):
        rest(h, "POST", "/git/blobs", {"content": "x"})
    assert (h.world.store.get("c1b0730e0133391cfbb3ec7a6bd5e5ea2b5d2d9f") is None) or effect
    assert [request.status for request in h.log] == [0]


def test_something_happens_before_or_after_a_request(h: Hub) -> None:
    pr = h.world.pull_request({"a": b""})
    seen = [h.world.head(pr)]
    h.fault("query Part", before=lambda: seen.append(h.world.push(pr, {"b": b""})))
    h.fault("query Part", nth=2, after=lambda: seen.append(h.world.push(pr, {"c": b""})))
    heads = [node(h, "pullRequest(number: 1) { headRefOid }")["pullRequest"]["headRefOid"] for _ in range(3)]
    assert heads == [seen[1], seen[1], seen[2]]


def test_answers_can_lie_or_be_rubbish(h: Hub) -> None:
    h.fault("GET repository", alter=lambda body: {**body, "id": 7})
    h.fault("GET repository", nth=2, status=200, body=b"<html>", headers={"Content-Type": "text/html"})
    h.fault("GET repository", nth=3, status=429, headers={"Retry-After": "1", "X-RateLimit-Remaining": "0"})
    assert rest(h, "GET", "")[1]["id"] == 7
    assert "html" in str(rest(h, "GET", "")[1])
    with pytest.raises(GithubException) as caught, client(h) as github:
        github.requester.requestJsonAndCheck("GET", "/repos/octocat/Hello-World")
    headers = caught.value.headers or {}
    assert (caught.value.status, headers["retry-after"], headers["x-ratelimit-remaining"]) == (429, "1", "0")


def test_an_old_answer_comes_again(h: Hub) -> None:
    pr = h.world.pull_request({"a": b""})
    path = f"/git/ref/heads/{pr.head_ref}"
    old = rest(h, "GET", path)[1]
    new = h.world.push(pr, {"b": b""})
    h.fault("GET git/ref/*", times=2, alter=lambda _: old)
    assert [rest(h, "GET", path)[1]["object"]["sha"] for _ in range(3)] == [old["object"]["sha"]] * 2 + [new]


# payloads


def test_a_comment_event(h: Hub, tmp_path: Path) -> None:
    pr = h.world.pull_request({"a": b""}, author="monalisa")
    event = h.comment(pr, "hubot", "one\r\ntwo")
    env = h.action_env(event, tmp_path, mode="check", commit_prefix="fix: ")
    payload = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    assert (payload["action"], payload["comment"]["body"]) == ("created", "one\r\ntwo")
    assert (payload["comment"]["user"]["login"], payload["issue"]["user"]["login"]) == ("hubot", "monalisa")
    assert payload["issue"]["pull_request"]["url"] == f"{h.api_url}/repos/octocat/Hello-World/pulls/1"
    assert "head" not in payload["issue"]
    assert payload["repository"]["id"] == h.world.repository.id == int(env["GITHUB_REPOSITORY_ID"])
    assert (env["EDITBLOCKS_MODE"], env["EDITBLOCKS_COMMIT_PREFIX"]) == ("check", "fix: ")
    assert env["EDITBLOCKS_TOKEN"] == h.world.token.value
    assert "Codertocat" not in json.dumps(payload)


def test_other_comment_events(h: Hub) -> None:
    pr = h.world.pull_request({"a": b""})
    bot: Any = h.comment(pr, "dependabot[bot]", "x", app="dependabot").payload
    assert (bot["sender"]["type"], bot["comment"]["performed_via_github_app"]["slug"]) == ("Bot", "dependabot")
    plain: Any = events.on_plain_issue(h.comment(pr, "octocat", "x")).payload
    assert "pull_request" not in plain["issue"]
    pr.state = "merged"
    closed: Any = h.event(pr, pr.comments[0]).payload
    assert closed["issue"]["state"] == "closed"


# worlds


def test_a_fork_and_the_end_of_it(h: Hub) -> None:
    pr = h.world.pull_request({"a": b"1"}, author="hubot", fork=h.world.fork("hubot"))
    fields = "pullRequest(number: 1) { isCrossRepository headRepository { nameWithOwner } headRefOid headRef { name } }"
    found = node(h, fields)["pullRequest"]
    assert (found["isCrossRepository"], found["headRepository"]) == (True, {"nameWithOwner": "hubot/Hello-World"})
    assert rest(h, "GET", "/pulls/1")[1]["head"]["repo"]["fork"] is True
    assert rest(h, "GET", f"/git/ref/heads/{pr.head_ref}")[0] == 404
    pr.head_repository = None
    gone = node(h, fields)["pullRequest"]
    assert (gone["headRepository"], gone["headRef"], gone["headRefOid"]) == (None, None, found["headRefOid"])
    assert rest(h, "GET", "/pulls/1")[1]["head"]["repo"] is None


def test_a_closed_pull_request_keeps_its_head(h: Hub) -> None:
    pr = h.world.pull_request({"a": b"1"})
    head = h.world.head(pr)
    h.world.delete_branch(pr.head_ref)
    found = node(h, "pullRequest(number: 1) { state headRefOid headRef { name } isInMergeQueue }")["pullRequest"]
    assert found == {"state": "CLOSED", "headRefOid": head, "headRef": None, "isInMergeQueue": False}


def test_configuration_comes_from_the_base_branch(h: Hub) -> None:
    h.world.commit({".editblocks.yml": b"mode: check\n"}, "Configure")
    h.world.pull_request({".editblocks.yml": b"mode: apply\n"})
    fields = (
        "object(expression: $e) { ... on Blob { text } } defaultBranchRef "
        "{ target { ... on Commit { file(path: $f) { mode object { ... on Blob { text } } } } } }"
    )
    found = node(h, fields, e="main:.editblocks.yml", f=".editblocks.yml")
    assert found["object"] == {"text": "mode: check\n"}
    assert found["defaultBranchRef"]["target"]["file"] == {"mode": 33188, "object": {"text": "mode: check\n"}}


def test_signatures_tell_whom_github_signed_for(h: Hub) -> None:
    pr = h.world.pull_request({"a": b"1"})
    h.world.commit({"a": b"2"}, "Web editor\n\nTrailer: x", pr.head_ref, author="monalisa", signed=True)
    fields = (
        "pullRequest(number: 1) { commits(last: 50) { nodes { commit { message "
        "signature { isValid wasSignedByGitHub } author { email user { login } } } } } }"
    )
    first, second = (row["commit"] for row in node(h, fields)["pullRequest"]["commits"]["nodes"])
    assert first["signature"] is None
    assert second["signature"] == {"isValid": True, "wasSignedByGitHub": True}
    assert (second["author"]["user"], second["message"]) == ({"login": "monalisa"}, "Web editor\n\nTrailer: x")


def test_one_can_walk_from_a_node_to_all_others(h: Hub) -> None:
    pr = h.world.pull_request({"a": b"1\n"})
    h.world.repository.protection[pr.head_ref] = Rule(pushers=frozenset({"octocat"}))
    asked = {"body": "x", "event": "COMMENT", "comments": [{"path": "a", "line": 1, "body": "here"}]}
    rest(h, "POST", "/pulls/1/reviews", asked)
    text = (
        "query Walk($ids: [ID!]!, $ref: String!) { nodes(ids: $ids) { __typename "
        "... on PullRequestReviewComment { path line replyTo { id } pullRequestReview { state commit { oid } "
        "comments(first: 5) { totalCount } } originalCommit { parents(first: 1) { nodes { message } } } } "
        "... on PullRequest { number baseRef { name } author { __typename login } } "
        "... on Repository { ref(qualifiedName: $ref) { name refUpdateRule { pattern viewerCanPush } "
        "target { ... on Commit { tree { entries { path size object { oid } } } } } } } } }"
    )
    ids = [pr.review_comments[0].node_id, pr.node_id, h.world.repository.node_id]
    comment, pull, repo = ask(h, text, ids=ids, ref=f"refs/heads/{pr.head_ref}")["nodes"]
    assert (comment["path"], comment["line"], comment["replyTo"]) == ("a", 1, None)
    assert comment["pullRequestReview"]["commit"]["oid"] == h.world.head(pr)
    assert comment["originalCommit"]["parents"]["nodes"] == [{"message": "Initial commit"}]
    assert (pull["number"], pull["baseRef"], pull["author"]["login"]) == (1, {"name": "main"}, "octocat")
    assert repo["ref"]["refUpdateRule"] == {"pattern": pr.head_ref, "viewerCanPush": False}
    assert [(row["path"], row["size"]) for row in repo["ref"]["target"]["tree"]["entries"]] == [
        ("README.md", 8),
        ("a", 2),
    ]


def test_two_worlds_have_the_same_oids() -> None:
    heads = []
    for _ in range(2):
        with hub() as h:
            heads.append(h.world.head(h.world.pull_request({"a": b"1"})))
    assert heads[0] == heads[1]


def test_an_enterprise_server_has_its_api_below_a_prefix() -> None:
    with hub(prefix="/api/v3") as h:
        h.world.pull_request({"a": b"1"})
        assert (h.api_url, h.graphql_url) == (f"{h.url}/api/v3", f"{h.url}/api/graphql")
        assert node(h, "nameWithOwner") == {"nameWithOwner": "octocat/Hello-World"}
        assert rest(h, "GET", "/pulls/1")[1]["url"].startswith(f"{h.url}/api/v3/repos/")
        assert h.names == ["query Part", "GET pulls/{pull_number}"]
