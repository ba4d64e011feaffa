"""Reads that lag behind: what a replica still answers while everything else went on."""

from contextlib import suppress

import pytest
import requests
from support.hub import Hub, hub
from support.hub.client import node, rest

REVIEWS = (
    "pullRequest(number: 1) { headRefOid isInMergeQueue reviews(last: 5) { nodes { body viewerDidAuthor } } "
    "isCrossRepository }"
)
LAGS: tuple[tuple[str | None, bool, bool], ...] = ((None, True, True), ("refs", True, False), ("pulls", False, True))


@pytest.mark.parametrize(("only", "old_refs", "old_pulls"), LAGS)
def test_reads_lag_behind_for_a_while(h: Hub, *, only: str | None, old_refs: bool, old_pulls: bool) -> None:
    pr = h.world.pull_request({"a": b""})
    h.world.review(pr, h.world.bot.login, "one")
    old = h.world.head(pr)
    h.lag("query Part", reads=2, only=only)
    new = h.world.push(pr, {"b": b""})
    h.world.edit(pr.reviews[0], "two")
    h.world.review(pr, "octocat", "three")
    pr.queued = True
    first, second, third = (node(h, REVIEWS)["pullRequest"] for _ in range(3))
    assert (first, third["headRefOid"]) == (second, new)
    assert (first["headRefOid"], first["isInMergeQueue"]) == (old if old_refs else new, not old_pulls)
    assert [row["body"] for row in first["reviews"]["nodes"]] == (["one"] if old_pulls else ["two", "three"])
    assert (first["reviews"]["nodes"][0]["viewerDidAuthor"], first["isCrossRepository"]) == (True, False)
    assert third["reviews"]["nodes"] == [
        {"body": "two", "viewerDidAuthor": True},
        {"body": "three", "viewerDidAuthor": False},
    ]


def test_a_branch_that_is_not_there_yet_or_not_gone_yet(h: Hub) -> None:
    pr = h.world.pull_request({"a": b""})
    old, path = h.world.head(pr), f"/git/ref/heads/{pr.head_ref}"
    h.lag("GET git/ref/*", reads=2)
    h.world.delete_branch(pr.head_ref)
    h.world.commit({"b": b""}, "New", "new", parent=old)
    assert rest(h, "GET", path)[1]["object"]["sha"] == old
    assert rest(h, "GET", "/git/ref/heads/new")[0] == 404
    assert rest(h, "GET", path)[0] == 404
    assert rest(h, "GET", "/git/ref/heads/new")[0] == 200


def test_the_old_list_of_reviews(h: Hub) -> None:
    h.world.pull_request({"a": b""})
    h.lag("GET pulls/*/reviews", nth=2)
    made = [rest(h, "POST", "/pulls/1/reviews", {"body": body, "event": "COMMENT"})[1]["id"] for body in "ab"]
    found = [[row["id"] for row in rest(h, "GET", "/pulls/1/reviews")[1]] for _ in range(3)]
    assert found == [made, [], made]


def test_a_write_never_lags() -> None:
    with pytest.raises(AssertionError, match="is no read"), hub() as h, suppress(requests.ConnectionError):
        rest(h, "POST", "/git/blobs", {"content": h.lag("POST git/blobs").at})
