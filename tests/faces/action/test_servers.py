"""Servers that are too old, that lag behind, or that leave open what happened."""

from pathlib import Path
from typing import Any

import pytest
from support.actionkit import (
    APP,
    FAILS,
    FITS,
    OTHER,
    act,
    attempt,
    commits,
    pull_request,
    run,
    states,
)
from support.hub import hub

pytestmark = pytest.mark.long  # one of each kind is in the fast profile: hosts/github, faces/action


@pytest.mark.parametrize("address", ["https://ghe.example.com:8443", "http://ghe.test"])
def test_a_server_with_a_port_or_without_tls(tmp_path: Path, address: str) -> None:
    with hub(prefix="/api/v3", html_url=address) as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FAILS)
        action = {"GITHUB_ACTION_REPOSITORY": "acme/editblocks", "GITHUB_ACTION_REF": "v1"}
        folder = tmp_path / "run"
        done = run(h, {**h.action_env(event, folder), **action}, folder)
        assert (done.code, states(pull)) == (0, ["failed"]), done.log
        assert f'href="{address}/acme/editblocks/blob/v1/docs/reference/reasons.md"' in pull.reviews[0].body


@pytest.mark.parametrize("missing", ["PullRequest.headRefOid", "PullRequest.isInMergeQueue", "Mutation.updateRefs"])
def test_a_server_that_lacks_what_is_needed_is_named_so(tmp_path: Path, missing: str) -> None:
    with hub() as h:
        h.world.missing_fields = {missing}
        pull = pull_request(h)
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, h.world.head(pull)) == (2, before)
        assert "this server is too old for it" in done.errors[0]


# reads that lag behind


def test_a_head_that_reads_old_is_read_again(tmp_path: Path) -> None:
    """The answer to `Live` shows the commit before the head for a while."""
    with hub() as h:
        pull = pull_request(h)
        old = h.world.head(pull)
        head = h.world.push(pull, OTHER)
        tree = h.world.store.git("rev-parse", f"{old}^{{tree}}").decode().strip()

        def lag(body: Any) -> Any:
            seen = body["data"]["repository"]["pullRequest"]
            tip = {"oid": old, "tree": {"oid": tree}}
            seen |= {"headRefOid": old, "commits": {"nodes": [{"commit": tip}]}, "headRef": None}
            return body

        h.fault("query Live", alter=lag, times=2)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["head-sha"], done.names.count("query Live")) == (0, head, 3)
        assert done.waits == [1.0, 3.0]


def test_a_head_without_its_tree_is_read_again(tmp_path: Path) -> None:
    def lag(body: Any) -> Any:
        body["data"]["repository"]["pullRequest"]["headRefOid"] = "0" * 40
        return body

    done, made, said = attempt(tmp_path, ("query Context", {"alter": lag, "times": 2}))
    assert (done.code, made, said, done.waits) == (0, 1, ["applied"], [1.0, 3.0])


def test_a_ref_that_reads_old_after_a_no_is_read_again(tmp_path: Path) -> None:
    """Somebody pushed, the server refuses to move from the old head, and still shows it for a while."""
    with hub() as h:
        pull = pull_request(h)
        old = h.world.head(pull)
        h.fault("mutation updateRefs", before=lambda: h.world.push(pull, OTHER))
        h.fault("GET git/ref/*", alter=lambda body: body | {"object": body["object"] | {"sha": old}}, times=2)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert h.world.files(h.world.head(pull))["other.txt"][1] == b"theirs\n"


def test_a_move_that_shows_late_is_seen_after_the_wait(tmp_path: Path) -> None:
    """The answer was lost, the branch still reads old, and only the next look shows our commit."""
    with hub() as h:
        pull = pull_request(h)
        old = h.world.head(pull)
        h.fault("mutation updateRefs", drop=True, effect=True)
        h.fault("GET git/ref/*", alter=lambda body: body | {"object": body["object"] | {"sha": old}})
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["commit-sha"], commits(h, pull, old)) == (0, h.world.head(pull), 1), done.log
        assert done.names.count("mutation updateRefs") == 1


def test_a_push_during_the_wait_is_built_upon(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("mutation updateRefs", drop=True)
        h.fault("GET git/ref/*", after=lambda: h.world.push(pull, OTHER))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied")
        assert h.world.files(h.world.head(pull))["other.txt"][1] == b"theirs\n"


NOT_SETTLED: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("no answer ever", [("mutation updateRefs", {"status": 502, "times": 9})]),
    ("no ref to read", [("mutation updateRefs", {"drop": True}), ("GET git/ref/*", {"status": 500, "times": 9})]),
    ("no commits to compare", [
        ("mutation updateRefs", {"drop": True}), ("GET compare/*", {"status": 403, "times": 9})]),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "faults"), NOT_SETTLED, ids=[row[0] for row in NOT_SETTLED])
def test_a_move_that_cannot_be_settled_fails_the_job(
    tmp_path: Path, claim: str, faults: list[tuple[str, dict[str, Any]]]
) -> None:
    with hub() as h:
        pull = pull_request(h)
        for at, fault in faults:
            h.fault(at, **fault)
        if "compare" in faults[-1][0]:
            h.fault("mutation updateRefs", before=lambda: h.world.push(pull, OTHER))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, states(pull)) == (2, ["refused"]), claim
        assert done.errors[0].startswith("unavailable: it is not known whether ")
        assert h.world.files(h.world.head(pull))["app.py"][1] == APP


def test_commits_that_cannot_be_compared_are_not_ours(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("mutation updateRefs", before=lambda: h.world.push(pull, OTHER))
        h.fault("GET compare/*", status=404)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied")


def test_an_id_that_is_none_is_no_head(tmp_path: Path) -> None:
    def spoil(body: Any) -> Any:
        body["data"]["repository"]["pullRequest"]["headRefOid"] = "main"
        return body

    done, made, said = attempt(tmp_path, ("query Context", {"alter": spoil, "times": 9}))
    assert (done.code, made, said) == (2, 0, [])


@pytest.mark.parametrize("kind", ["actions", "app"])
def test_an_account_without_a_number(tmp_path: Path, kind: str) -> None:
    """`viewer.databaseId` is null: the first run commits, and the second one finds its own work."""

    def forget(body: Any) -> Any:
        body["data"]["viewer"]["databaseId"] = None
        return body

    with hub() as h:
        pull = pull_request(h)
        token = h.world.token if kind == "actions" else h.world.new_token("app", h.world.user("helper[bot]"))
        h.fault("query *", alter=lambda body: forget(body) if "viewer" in body["data"] else body, times=99)
        event, before = h.comment(pull, "octocat", FITS), h.world.head(pull)
        for _ in range(2):
            done = act(h, event, tmp_path, token=token)
            assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert (commits(h, pull, before), len(pull.reviews)) == (1, 1)


@pytest.mark.parametrize("body", [5, ["x"], {}, True])
def test_a_comment_that_is_no_text_is_a_broken_answer(tmp_path: Path, body: object) -> None:
    def spoil(answer: Any) -> Any:
        answer["data"]["node"]["body"] = body
        return answer

    done, made, said = attempt(tmp_path, ("query Live", {"alter": spoil, "times": 9}))
    assert (done.code, made, said) == (2, 0, ["refused"])
    assert done.errors[0].startswith("unavailable: GitHub's answer cannot be used")
