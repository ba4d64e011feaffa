"""The conversation in GraphQL: reviews, threads, refs and what they lead to, and lists that are long."""

from contextlib import suppress
from typing import Any

import pytest
from github import GithubException
from support.hub import Hub, hub
from support.hub.client import ask, node
from support.hub.model import PullRequest, Rule

FILES = {"app.py": b"1\n2\n3\n"}
SOURCE = (
    "query Source($id: ID!) { node(id: $id) { ... on Comment { __typename body createdViaEmail lastEditedAt "
    "viewerDidAuthor author { __typename login } editor { login } } ... on PullRequestReview { fullDatabaseId state "
    "createdAt submittedAt commit { oid } comments(first: 100) { totalCount nodes { fullDatabaseId body path line "
    "lastEditedAt createdViaEmail replyTo { fullDatabaseId } originalCommit { oid } } } } "
    "... on PullRequestReviewComment { path line originalLine outdated url commit { oid } originalCommit { oid } "
    "pullRequestReview { fullDatabaseId } replyTo { fullDatabaseId } } ... on IssueComment { fullDatabaseId } } }"
)


def source(h: Hub, node_id: str) -> Any:
    return ask(h, SOURCE, id=node_id)["node"]


def test_a_review_shows_its_inline_comments(h: Hub, pr: PullRequest) -> None:
    review = h.world.review(pr, "hubot", "look\r\n", [("app.py", 1, "a"), ("app.py", 3, "b")], via_email=True)
    h.world.edit(pr.review_comments[1], "b, edited")
    found, head = source(h, review.node_id), h.world.head(pr)
    assert (found["body"], found["createdViaEmail"], found["state"], found["commit"]) == (
        "look\r\n", True, "COMMENTED", {"oid": head},
    )  # fmt: skip
    assert (found["fullDatabaseId"], found["submittedAt"]) == (str(review.id), review.created_at)
    first, second = found["comments"]["nodes"]
    assert (first["body"], first["path"], first["line"], first["originalCommit"]) == ("a", "app.py", 1, {"oid": head})
    assert (first["lastEditedAt"], first["replyTo"]) == (None, None)
    assert (second["body"], second["lastEditedAt"] > found["submittedAt"]) == ("b, edited", True)
    h.world.delete(pr.review_comments[0])
    assert [row["body"] for row in source(h, review.node_id)["comments"]["nodes"]] == ["b, edited"]


def test_an_inline_comment_knows_where_it_came_from(h: Hub, pr: PullRequest) -> None:
    h.world.review(pr, "hubot", "", [("app.py", 2, "why?")])
    asked, old = pr.review_comments[0], h.world.head(pr)
    asked.line, asked.commit_id = None, h.world.push(pr, {"app.py": b"0\n"})
    reply = h.world.reply(pr, "octocat", "so", asked)
    found = source(h, reply.node_id)
    assert (found["path"], found["line"], found["originalLine"], found["outdated"]) == ("app.py", None, 2, True)
    assert (found["originalCommit"]["oid"], found["commit"]["oid"]) == (old, h.world.head(pr))
    assert found["replyTo"] == {"fullDatabaseId": str(asked.id)}
    assert found["pullRequestReview"] == {"fullDatabaseId": str(reply.review_id)}
    assert found["url"].endswith(f"/pull/1#discussion_r{reply.id}")
    h.world.delete(asked)
    assert source(h, reply.node_id)["replyTo"] is None
    with pytest.raises(GithubException):
        source(h, asked.node_id)


def test_a_comment_by_mail(h: Hub, pr: PullRequest) -> None:
    comment = h.world.say(pr, "dependabot[bot]", "/apply\r\n", via_email=True)
    found = source(h, comment.node_id)
    assert (found["body"], found["createdViaEmail"], found["viewerDidAuthor"]) == ("/apply\r\n", True, False)
    assert found["author"] == {"__typename": "Bot", "login": "dependabot"}


THREADS = (
    "pullRequest(number: 1) { reviewThreads(last: 30) { totalCount nodes { id isResolved isOutdated path line "
    "comments(last: 20) { totalCount nodes { fullDatabaseId body viewerDidAuthor createdAt lastEditedAt "
    "author { login } editor { login } replyTo { fullDatabaseId } pullRequestReview { fullDatabaseId } } } } } }"
)


def test_threads_hold_their_answers(h: Hub, pr: PullRequest) -> None:
    h.world.review(pr, "hubot", "", [("app.py", 1, "first"), ("app.py", 2, "second")])
    first, second = pr.review_comments
    h.world.reply(pr, "octocat", "answer", first)
    h.world.reply(pr, h.world.bot.login, "status", first)
    second.resolved, second.line = True, None
    one, other = node(h, THREADS)["pullRequest"]["reviewThreads"]["nodes"]
    assert [row["body"] for row in one["comments"]["nodes"]] == ["first", "answer", "status"]
    assert [row["viewerDidAuthor"] for row in one["comments"]["nodes"]] == [False, False, True]
    assert {row["replyTo"] and row["replyTo"]["fullDatabaseId"] for row in one["comments"]["nodes"]} == {
        None,
        str(first.id),
    }
    assert (other["isResolved"], other["isOutdated"], other["line"]) == (True, True, None)
    assert (one["isResolved"], one["path"], one["line"]) == (False, "app.py", 1)
    h.world.delete(second)
    assert node(h, THREADS)["pullRequest"]["reviewThreads"]["totalCount"] == 1


REF = (
    "ref(qualifiedName: $ref) { name refUpdateRule { pattern } target { oid ... on Commit { tree { oid } "
    "associatedPullRequests(first: 5) { nodes { number } } history(first: 50) { totalCount nodes { message "
    "committedDate parents(first: 1) { nodes { oid } } } } } } "
    "associatedPullRequests(states: OPEN, first: 5) { nodes { number headRefOid isCrossRepository } } }"
)


def test_a_ref_leads_to_its_commits_and_pull_requests(h: Hub, pr: PullRequest) -> None:
    new = h.world.push(pr, {"x": b""}, "Second")
    h.world.pull_request({"y": b""}).state = "closed"
    found = node(h, REF, ref=f"refs/heads/{pr.head_ref}")["ref"]
    assert (found["target"]["oid"], found["refUpdateRule"]) == (new, None)
    assert [row["message"] for row in found["target"]["history"]["nodes"]] == [
        "Second", "Amazing new feature", "Initial commit",
    ]  # fmt: skip
    expected = {"number": 1, "headRefOid": new, "isCrossRepository": False}
    assert found["associatedPullRequests"]["nodes"] == [expected]
    assert found["target"]["associatedPullRequests"]["nodes"] == [{"number": 1}]
    h.world.repository.protection["main"] = Rule()
    main = node(h, REF, ref="main")["ref"]
    assert (main["refUpdateRule"], main["associatedPullRequests"]["nodes"]) == ({"pattern": "main"}, [])
    assert main["target"]["associatedPullRequests"]["nodes"] == []
    assert node(h, REF, ref="refs/heads/none") == {"ref": None}


def test_the_configuration_of_base_and_default_branch(h: Hub) -> None:
    h.world.commit({".editblocks.yml": b"mode: check\r\n"}, "Configure")
    h.world.commit({".editblocks.yml": b"a\0b"}, "Other", "release", parent=h.world.branch("main"))
    h.world.pull_request({"x": b""}, base="release")
    part = (
        'target { ... on Commit { committedDate file(path: ".editblocks.yml") '
        "{ mode object { __typename ... on Blob { oid byteSize isBinary isTruncated text } } } } }"
    )
    found = node(h, f"pullRequest(number: 1) {{ baseRef {{ {part} }} }} defaultBranchRef {{ {part} }}")
    base = found["pullRequest"]["baseRef"]["target"]["file"]["object"]
    default = found["defaultBranchRef"]["target"]["file"]
    assert (default["mode"], default["object"]["text"]) == (33188, "mode: check\r\n")
    assert (base["isBinary"], base["text"], base["byteSize"]) == (True, None, 3)


# long lists


def pages(h: Hub, fields: str) -> list[Any]:
    """Every node of a connection, the last page first, asked for as a client would go back."""
    rows: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        before = f', before: "{cursor}"' if cursor else ""
        (found,) = node(h, fields.replace("BEFORE", before))["pullRequest"].values()
        rows = [*found["nodes"], *rows]
        cursor = found["pageInfo"]["startCursor"] if found["pageInfo"]["hasPreviousPage"] else None
    return rows


PAGE = "pageInfo { hasPreviousPage startCursor }"


def test_a_hundred_and_twenty_reviews_come_in_pages(h: Hub, pr: PullRequest) -> None:
    for number in range(120):
        h.world.review(pr, "octocat", str(number))
    rows = pages(h, f"pullRequest(number: 1) {{ reviews(last: 50BEFORE) {{ {PAGE} nodes {{ body }} }} }}")
    assert [row["body"] for row in rows] == [str(number) for number in range(120)]
    assert len(h.log) == 3
    approved = node(h, "pullRequest(number: 1) { reviews(first: 1, states: [APPROVED]) { totalCount } }")
    assert approved["pullRequest"]["reviews"]["totalCount"] == 0


@pytest.mark.long
def test_two_hundred_and_fifty_commits_come_in_pages(h: Hub, pr: PullRequest) -> None:
    head = h.world.store.commit(h.world.head(pr))
    assert head is not None
    lines = []
    for number in range(249):
        who = f"octocat <octocat@github.com> {h.world.now} +0000"
        lines.append(
            f"commit refs/heads/{pr.head_ref}\nauthor {who}\ncommitter {who}\ndata {len(str(number))}\n{number}\n"
        )
        lines.append(f"from {head.oid}\n" if number == 0 else "")
    h.world.store.git("fast-import", "--quiet", data="".join(lines).encode())
    rows = pages(
        h, f"pullRequest(number: 1) {{ commits(last: 100BEFORE) {{ {PAGE} nodes {{ commit {{ message }} }} }} }}"
    )
    assert [row["commit"]["message"] for row in rows] == [head.message, *(str(number) for number in range(249))]


@pytest.mark.long
def test_a_directory_of_three_thousand_files_comes_whole(h: Hub) -> None:
    oid = h.world.commit({f"d/{number}": b"%d" % number for number in range(3000)}, "Many")
    fields = "object(expression: $e) { ... on Tree { oid entries { nameRaw mode type oid } } }"
    entries = node(h, fields, e=f"{oid}:d")["object"]["entries"]
    assert (len(entries), {row["mode"] for row in entries}) == (3000, {33188})


def test_another_argument_of_a_list_is_a_gap() -> None:
    fields = "pullRequest(number: 1) { reviews(first: 1, author: $who) { totalCount } }"
    with pytest.raises(AssertionError, match="author"), hub() as h, suppress(GithubException):
        node(h, fields.replace("1", str(h.world.pull_request(FILES).number), 1), who="octocat")
