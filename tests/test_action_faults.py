"""GitHub, or the network, or somebody else, at the worst moment: no half commit, no second one, and a word about it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from actionkit import APP, APP_NEW, FITS, Clock, Done, act, block, pull_request, reactions
from hub import Hub, PullRequest, hub
from hub.model import Review

from editblocks.report.links import read_marker

REVIEWS = "POST pulls/*/reviews"
HTML = b"<html><body>Bad gateway</body></html>"


def rows(table: list[tuple[str, dict[str, Any]]], *fast: str) -> list[Any]:
    """The rows as parameters; those that are not named are for the long profile."""
    assert set(fast) <= {claim for claim, _ in table}
    return [pytest.param(*row, id=row[0], marks=() if row[0] in fast else pytest.mark.long) for row in table]


def commits(h: Hub, pull: PullRequest, since: str) -> int:
    return int(h.world.store.git("rev-list", "--count", f"{since}..{h.world.head(pull)}"))


def states(pull: PullRequest) -> list[str]:
    return [marker.state.value for review in pull.reviews if (marker := read_marker(review.body))]


def attempt(tmp_path: Path, *faults: tuple[str, dict[str, Any]]) -> tuple[Done, int, list[str]]:
    """A writer's comment with faults on the way: the run, the commits it made, the states of the reviews."""
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        for at, fault in faults:
            h.fault(at, **fault)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        made, said = commits(h, pull, before), states(pull)
        assert made <= 1
        assert len(pull.reviews) <= 1
        assert h.world.files(h.world.head(pull))["app.py"][1] == (APP_NEW if made else APP)
        return done, made, said


# A status that no repetition helps, at every request that matters: what comes of it.
# request · status → exit code, commits, states of the reviews, the beginning of the error
REQUESTS = ("query Context", "query Live", "POST git/trees", "POST git/commits", "mutation updateRefs")
FATAL = [(at, status) for at in REQUESTS for status in (401, 403, 404, 409, 422)]


@pytest.mark.parametrize(("at", "status"), FATAL)
def test_a_no_is_said_once_and_fails_the_job(tmp_path: Path, at: str, status: int) -> None:
    done, made, said = attempt(tmp_path, (at, {"status": status, "times": 99}))
    stale = (at, status) == ("query Live", 404)
    assert (done.code, made) == (0 if stale else 2, 0)
    assert said == ([] if at == "query Context" else ["stale" if stale else "refused"])
    assert done.names.count(at) == 1
    assert len(done.errors) == (0 if stale else 1), done.log
    assert all(f", {status})" in error and error.count("\n") == 0 for error in done.errors)
    assert "\n  /" not in done.log  # no traceback


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_status_that_cannot_be_written_fails_the_job(tmp_path: Path, status: int) -> None:
    done, made, said = attempt(tmp_path, (REVIEWS, {"status": status, "times": 99}))
    assert (done.code, made, said) == (2, 1, [])
    assert (done.outputs["result"], len(done.outputs["commit-sha"])) == ("applied", 40)
    assert [f"(writing the status, {status})" in error for error in done.errors] == [True]
    assert "Applied 1 edit block" in done.summary


def test_a_review_of_a_commit_that_is_gone_is_written_without_it(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault(REVIEWS, status=422)
        act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert ["commit_id" in request.body for request in h.requests("POST pulls/{pull_number}/reviews")] == [
            True,
            False,
        ]
        assert states(pull) == ["applied"]


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("HTML", {"status": 200, "body": HTML}),
    ("an empty body", {"status": 200, "body": b""}),
    ("half of an object", {"status": 200, "body": b'{"data": {"repository": {'}),
    ("a list", {"status": 200, "body": []}),
    ("null", {"status": 200, "body": b"null"}),
    ("another shape", {"status": 200, "body": {"data": {"repository": None}}}),
    ("a redirect", {"status": 302, "body": b"", "headers": {"Location": "http://example.com/"}}),
    ("a move to another host", {"status": 301, "body": {}, "headers": {"Location": "http://example.com/x"}}),
]


@pytest.mark.parametrize("at", [*REQUESTS[:4], REVIEWS, "query Objects"])
@pytest.mark.parametrize(("claim", "fault"), rows(BROKEN, "HTML", "null", "another shape", "a move to another host"))
def test_an_answer_that_is_none(tmp_path: Path, at: str, claim: str, fault: dict[str, Any]) -> None:
    done, made, said = attempt(tmp_path, (at, {**fault, "times": 99}))
    if at == "query Objects":  # REST has the same objects
        assert (done.code, made, said) == (0, 1, ["applied"]), claim
        return
    assert (done.code, made) == (2, 1 if at == REVIEWS else 0), claim
    assert said == ([] if at in {"query Context", REVIEWS} else ["refused"])
    assert [error.startswith(("internal: ", "publish-failed: ")) for error in done.errors] == [True]
    assert not [request for request in done.names if "example.com" in request]


# answers that come late or get lost, once or twice: the run goes on
LATE: list[tuple[str, dict[str, Any]]] = [
    ("500", {"status": 500}),
    ("502 twice", {"status": 502, "body": HTML, "times": 2}),
    ("a hang-up", {"drop": True}),
    ("two hang-ups", {"drop": True, "times": 2}),
    ("429 with a wait", {"status": 429, "headers": {"Retry-After": "7"}}),
    ("a secondary limit", {"status": 403, "headers": {"Retry-After": "30"}}),
    ("a secondary limit without a number", {"status": 403, "body": {
        "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}}),
]  # fmt: skip


@pytest.mark.parametrize("effect", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [*REQUESTS, "query Objects", "GET collaborators/*/permission", REVIEWS])
@pytest.mark.parametrize(("claim", "fault"), rows(LATE, "500", "two hang-ups", "429 with a wait"))
def test_an_answer_that_was_lost(tmp_path: Path, at: str, claim: str, fault: dict[str, Any], effect: bool) -> None:
    done, made, said = attempt(tmp_path, (at, {**fault, "effect": effect}))
    if at == REVIEWS and fault.get("times") and not effect:  # a review is created at most once more
        assert (done.code, made, said) == (2, 1, []), (claim, done.log)
        return
    assert (done.code, made, said) == (0, 1, ["applied"]), (claim, done.log)
    wanted = {"429 with a wait": 7.0, "a secondary limit": 30.0, "a secondary limit without a number": 60.0}.get(claim)
    assert wanted is None or effect or wanted in done.waits or at == "query Objects"


GIVING_UP: list[tuple[str, dict[str, Any], float]] = [
    ("500 for ever", {"status": 500}, 4.0),
    ("an hour's wait", {"status": 429, "headers": {"Retry-After": "3600"}}, 0.0),
    ("two minutes in all", {"status": 403, "headers": {"Retry-After": "50"}}, 100.0),
    ("the limit of the hour", {"status": 403, "headers": {
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800003600"}}, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "fault", "waited"), GIVING_UP, ids=[row[0] for row in GIVING_UP])
def test_waiting_ends(tmp_path: Path, claim: str, fault: dict[str, Any], waited: float) -> None:
    done, made, said = attempt(tmp_path, ("POST git/trees", {**fault, "times": 99}))
    assert (done.code, made, said, sum(done.waits)) == (2, 0, ["refused"], waited), claim


def test_after_a_wait_everything_is_looked_at_again(tmp_path: Path) -> None:
    """docs/action.md, "publishing": no commit on the word of a look that lies behind a sleep."""
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        before = h.world.head(pull)
        h.fault("POST git/commits", status=500, after=lambda: h.world.edit(pull.comments[0], "no, wait"))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "stale", before)


# somebody else

STEPS = ["query Context", "query Objects", "GET collaborators/*/permission", "query Live", "POST git/trees",
         "POST git/commits", "mutation updateRefs"]  # fmt: skip
OTHER = {"other.txt": b"theirs\n"}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("at", STEPS)
def test_a_push_in_between_is_built_upon(tmp_path: Path, at: str, when: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        event, pushed = h.comment(pull, "octocat", FITS), []
        h.fault(at, **{when: lambda: pushed.append(h.world.push(pull, OTHER))})
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        files = h.world.files(h.world.head(pull))
        assert (files["app.py"], files["other.txt"][1]) == (("100755", APP_NEW), b"theirs\n")
        parents = h.world.store.git("rev-list", "--first-parent", h.world.head(pull)).decode().split()
        last = when == "after" and at == "mutation updateRefs"
        assert parents.index(pushed[0]) == (0 if last else 1)
        assert len(states(pull)) == 1


@pytest.mark.parametrize("at", STEPS[1:])
def test_a_rewind_in_between_is_not_undone(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        start = h.world.head(pull)
        secret = h.world.push(pull, {"secret.txt": b"oops\n"})
        h.fault(at, before=lambda: h.world.reset(pull.head_ref, start))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert done.outputs["result"] == "applied", done.log
        assert "secret.txt" not in h.world.files(h.world.head(pull))
        assert not h.world.contains(secret, h.world.head(pull))


def test_a_change_of_the_same_lines_fails_the_block(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("mutation updateRefs", before=lambda: h.world.push(pull, {"app.py": b"something else\n"}))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.outputs["result"], states(pull)) == ("failed", ["failed"])
        assert h.world.files(h.world.head(pull))["app.py"][1] == b"something else\n"


def test_a_branch_that_moves_every_time_is_left_alone(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("mutation updateRefs", times=99, before=lambda: h.world.push(pull, {"n": h.world.tick().encode()}))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "stale", ["stale"])
        assert "head-moved" in pull.reviews[0].body
        assert h.names.count("mutation updateRefs") == 3
        assert h.world.files(h.world.head(pull))["app.py"][1] == APP
        assert [int(wait) for wait in done.waits] == [1, 3]


def close(h: Hub, pull: PullRequest) -> None:
    pull.state = "closed"


def merge(h: Hub, pull: PullRequest) -> None:
    pull.state = "merged"


def queue(h: Hub, pull: PullRequest) -> None:
    pull.queued = True


def delete(h: Hub, pull: PullRequest) -> None:
    h.world.delete_branch(pull.head_ref)


def retarget(h: Hub, pull: PullRequest) -> None:
    h.world.commit({"x": b"x"}, "x", "other", parent=h.world.branch("main"))
    pull.base_ref = "other"


def edit(h: Hub, pull: PullRequest) -> None:
    h.world.edit(pull.comments[0], FITS.replace("sum(items)", "0 or steal()"))


def remove(h: Hub, pull: PullRequest) -> None:
    pull.comments[0].deleted = True


def demote(h: Hub, pull: PullRequest) -> None:
    h.world.repository.roles["monalisa"] = "read"


MID_RUN: list[tuple[Callable[[Hub, PullRequest], None], str, str]] = [
    (close, "refused", "not open any more"),
    (merge, "refused", "not open any more"),
    (queue, "refused", "merge queue"),
    (delete, "refused", "not open any more"),
    (retarget, "stale", "another base"),
    (edit, "stale", "changed after the check"),
    (remove, "stale", "cannot be found any more"),
    (demote, "checked", "has read access"),
]


@pytest.mark.parametrize("at", ["query Objects", "GET collaborators/*/permission"])
@pytest.mark.parametrize(("change", "result", "words"), MID_RUN, ids=[row[0].__name__ for row in MID_RUN])
def test_what_changes_before_the_last_look_stops_the_commit(
    tmp_path: Path, at: str, change: Callable[[Hub, PullRequest], None], result: str, words: str
) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault(at, before=lambda: change(h, pull))
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "monalisa", FITS), tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (0, result, ""), done.log
        assert h.world.head(pull) == before
        assert words in pull.reviews[0].body.replace("`", "")


def test_an_edit_that_only_changes_line_ends_is_the_same_text(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("query Objects", before=lambda: h.world.edit(pull.comments[0], FITS.replace("\n", "\r\n")))
        assert act(h, h.comment(pull, "octocat", FITS), tmp_path).outputs["result"] == "applied"


def test_a_branch_deleted_under_the_commit(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("mutation updateRefs", before=lambda: h.world.delete_branch(pull.head_ref))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "refused")
        assert h.world.branch(pull.head_ref) is None
        assert "the branch was deleted" in pull.reviews[0].body


# the server's rules


def test_a_rule_that_only_the_server_knows_is_quoted(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.world.repository.rulesets[pull.head_ref] = "Commits must have verified signatures."
        before = h.world.head(pull)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (2, "refused", before)
        assert done.names.count("mutation updateRefs") == 1
        assert "Commits must have verified signatures" in done.errors[0]
        assert "verified signatures" in pull.reviews[0].body.replace("`", "")
        assert reactions(pull) == ["confused"]


def test_a_token_that_may_not_write_says_what_it_needs(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        token = h.world.new_token("actions", h.world.bot, ("pull_requests",))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path, token=token)
        assert (done.code, states(pull)) == (2, ["refused"])
        assert "give the job contents: write and pull-requests: write" in done.errors[0]


def test_a_token_that_may_only_read_leaves_a_summary(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "hubot", FITS), tmp_path, token=h.world.read_token)
        assert (done.code, done.outputs["result"], pull.reviews) == (2, "checked", [])
        assert "Edit blocks: 1 ready" in done.summary


@pytest.mark.parametrize("kind", ["app", "personal"])
def test_other_tokens_commit_as_well(tmp_path: Path, kind: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        user = h.world.user("helper[bot]" if kind == "app" else "monalisa")
        token = h.world.new_token(kind, user)
        event = h.comment(pull, "octocat", FITS)
        done = act(h, event, tmp_path, token=token)
        head = h.world.head(pull)
        assert (done.outputs["result"], states(pull)) == ("applied", ["applied"])
        assert "Checks on this commit may wait" not in pull.reviews[0].body
        again = act(h, event, tmp_path, token=token)
        assert (again.outputs["commit-sha"], h.world.head(pull), len(pull.reviews)) == (head, head, 1)


# servers without compare-and-swap


def old_server(h: Hub) -> None:
    h.world.missing_fields = {"Mutation.updateRefs"}


def test_an_old_server_gets_a_fast_forward(tmp_path: Path) -> None:
    with hub(prefix="/api/v3") as h:
        old_server(h)
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, states(pull)) == (0, ["applied"]), done.log
        assert "PATCH git/refs/{ref}" in done.names
        assert h.requests("PATCH git/refs/{ref}")[0].body["force"] is False


NEWER = ("PullRequest.isInMergeQueue", "PullRequestReview.viewerDidAuthor", "PullRequestReview.fullDatabaseId")


@pytest.mark.parametrize("missing", [*({name} for name in NEWER), {*NEWER, "Mutation.updateRefs"}], ids=len)
def test_an_old_server_is_asked_for_less(tmp_path: Path, missing: set[str]) -> None:
    with hub() as h:
        h.world.missing_fields = missing
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        for review in range(2):
            done = act(h, event, tmp_path)
            assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"]), (review, done.log)
            assert done.names.count("query Context") == 2


def test_a_server_that_lacks_what_is_needed_is_named_so(tmp_path: Path) -> None:
    with hub() as h:
        h.world.missing_fields = {"PullRequest.headRefOid"}
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, pull.reviews) == (2, [])
        assert "this server is too old for it" in done.errors[0]


@pytest.mark.parametrize("at", ["mutation updateRefs", "GET git/ref/*"])
def test_an_old_server_overwrites_nothing_either(tmp_path: Path, at: str) -> None:
    with hub() as h:
        old_server(h)
        pull = pull_request(h)
        h.fault(at, after=lambda: h.world.push(pull, OTHER))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert done.outputs["result"] == "applied"
        assert h.world.files(h.world.head(pull))["other.txt"][1] == b"theirs\n"


@pytest.mark.parametrize("effect", [True, False])
def test_an_old_servers_lost_answer(tmp_path: Path, effect: bool) -> None:
    with hub() as h:
        old_server(h)
        pull = pull_request(h)
        before = h.world.head(pull)
        h.fault("PATCH git/refs/*", drop=True, effect=effect)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, commits(h, pull, before), states(pull)) == (0, 1, ["applied"]), done.log


@pytest.mark.parametrize("status", [403, 422, 500])
def test_an_old_servers_no(tmp_path: Path, status: int) -> None:
    with hub() as h:
        old_server(h)
        pull = pull_request(h)
        before = h.world.head(pull)
        h.fault("PATCH git/refs/*", status=status, times=99)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        moved = status == 422  # what a server says to a push that is no fast-forward
        assert (done.code, done.outputs["result"]) == (0, "stale") if moved else (2, "refused"), done.log
        assert h.world.head(pull) == before


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
        assert done.waits == [1.0, 1.0]


def test_a_head_without_its_tree_is_read_again(tmp_path: Path) -> None:
    def lag(body: Any) -> Any:
        body["data"]["repository"]["pullRequest"]["headRefOid"] = "0" * 40
        return body

    done, made, said = attempt(tmp_path, ("query Context", {"alter": lag, "times": 2}))
    assert (done.code, made, said, done.waits) == (0, 1, ["applied"], [1.0, 1.0])


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


NOT_SETTLED: list[tuple[str, list[tuple[str, dict[str, Any]]], str]] = [
    ("no answer ever", [("mutation updateRefs", {"status": 502, "times": 9})], "publish-failed: GitHub does not say"),
    ("no ref to read", [("mutation updateRefs", {"drop": True}), ("GET git/ref/*", {"status": 500, "times": 9})],
     "internal: GitHub says no (reading the branch, 500)"),
    ("no commits to compare", [("mutation updateRefs", {"drop": True}), ("GET compare/*", {"status": 403, "times": 9})],
     "publish-failed: GitHub says no (comparing commits, 403)"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "faults", "error"), NOT_SETTLED, ids=[row[0] for row in NOT_SETTLED])
def test_a_move_that_cannot_be_settled_fails_the_job(
    tmp_path: Path, claim: str, faults: list[tuple[str, dict[str, Any]]], error: str
) -> None:
    with hub() as h:
        pull = pull_request(h)
        for at, fault in faults:
            h.fault(at, **fault)
        if "compare" in faults[-1][0]:
            h.fault("mutation updateRefs", before=lambda: h.world.push(pull, OTHER))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, states(pull)) == (2, ["refused"]), claim
        assert done.errors[0].startswith(error)
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


# limits of a run


def test_a_limit_that_is_lifted_soon_is_waited_for(tmp_path: Path) -> None:
    limit = {"status": 403, "headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000020"}}
    done, made, said = attempt(tmp_path, ("POST git/trees", limit))
    assert (done.code, made, said, done.waits) == (0, 1, ["applied"], [21.0])


@pytest.mark.parametrize("at", ["mutation updateRefs", REVIEWS])
def test_a_wait_that_a_run_cannot_take_ends_it(tmp_path: Path, at: str) -> None:
    done, _, said = attempt(tmp_path, (at, {"status": 429, "headers": {"Retry-After": "600"}, "times": 9}))
    assert (done.code, said) == (2, [] if at == REVIEWS else ["refused"])
    assert "internal: GitHub asks for a wait of 600 seconds, more than a run may take" in done.errors[0]


def test_a_run_ends_after_sixty_requests(tmp_path: Path) -> None:
    names = [f"file{number}.txt" for number in range(80)]
    with hub() as h:
        pull = h.world.pull_request({name: f"value = 1\n{name}\n".encode() for name in names}, author="monalisa")
        h.fault("query Objects", status=500, times=99)  # so that each file is a request
        body = "\n".join(block(name, "value = 1", "value = 2") for name in names)
        done = act(h, h.comment(pull, "monalisa", body), tmp_path)
        assert (done.code, states(pull)) == (2, ["refused"])
        assert len(done.names) <= 64
        assert "internal: the run needs more than 60 requests" in done.errors[0]


@pytest.mark.parametrize("at", ["query Objects", "query Live", "POST git/trees"])
def test_a_run_ends_after_five_minutes(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull, clock = pull_request(h), Clock()
        before = h.world.head(pull)
        h.fault(at, after=lambda: clock.sleep(301))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path, clock=clock)
        assert (done.code, states(pull), h.world.head(pull)) == (2, ["refused"], before)
        assert "internal: the run takes longer than 300 seconds" in done.errors[0]


# the same event at the same time


def test_two_runs_at_the_same_time_make_one_commit_and_one_status(tmp_path: Path) -> None:
    """The second run goes through from start to end while the first is about to move the branch."""
    with hub() as h:
        pull = pull_request(h)
        before, event, other = h.world.head(pull), h.comment(pull, "octocat", FITS), []
        h.fault("query Live", after=lambda: other.append(Other(h, tmp_path)))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert done.outputs["commit-sha"] == other[0].commit
        assert (commits(h, pull, before), states(pull)) == (1, ["applied"])


class Other:
    """What a run that was faster leaves behind: its commit, and its status."""

    def __init__(self, h: Hub, tmp_path: Path) -> None:
        with hub() as twin:  # the same things happen there, and the result is carried over
            pull = pull_request(twin)
            act(twin, twin.comment(pull, "octocat", FITS), tmp_path)
            body = pull.reviews[0].body
            message = twin.requests("POST git/commits")[0].body["message"]
        world = h.world
        mine = world.pull_requests[0]
        number, twin_number = (str(each.pull_requests[0].comments[0].id) for each in (world, twin.world))
        base = world.head(mine)
        message = message.replace(twin_number, number).replace(read(body, "head"), base)
        self.commit = world.commit(
            {"app.py": APP_NEW}, message, mine.head_ref, author="github-actions[bot]", modes={"app.py": "100755"},
            signed=True,
        )  # fmt: skip
        text = body.replace(twin_number, number).replace(read(body, "commit"), self.commit)
        at = world.tick()
        mine.reviews.append(Review(world.next_id(), world.bot, text, at, at, commit_id=base))


def read(body: str, name: str) -> str:
    marker = read_marker(body)
    assert marker is not None
    return str(getattr(marker, name))


# lies


def each_blob(body: Any, change: Callable[[Any], object]) -> Any:
    for thing in body["data"]["repository"].values():
        if thing and thing["__typename"] == "Blob":
            change(thing)
    return body


def each_tree(body: Any, change: Callable[[Any], object]) -> Any:
    for thing in body["data"]["repository"].values():
        if thing and thing["__typename"] == "Tree":
            change(thing)
    return body


TOLD_BY_GRAPHQL: list[tuple[str, Callable[[Any], Any]]] = [
    ("another text", lambda body: each_blob(body, lambda blob: blob.update(text="x = 1\n"))),
    ("a text that was cut", lambda body: each_blob(body, lambda blob: blob.update(text=blob["text"][:9]))),
    ("a truncated text", lambda body: each_blob(body, lambda blob: blob.update(isTruncated=True))),
    ("no text", lambda body: each_blob(body, lambda blob: blob.update(text=None))),
    ("a row too few", lambda body: each_tree(body, lambda tree: tree["entries"].pop())),
    ("another mode", lambda body: each_tree(body, lambda tree: tree["entries"][0].update(mode=0o120000))),
    ("another name", lambda body: each_tree(body, lambda tree: tree["entries"][0].update(nameRaw="eA=="))),
    ("nothing at all", lambda body: body | {"data": {"repository": dict.fromkeys(body["data"]["repository"])}}),
]


@pytest.mark.parametrize(("claim", "lie"), TOLD_BY_GRAPHQL, ids=[row[0] for row in TOLD_BY_GRAPHQL])
def test_an_object_that_does_not_prove_itself_is_fetched_again(
    tmp_path: Path, claim: str, lie: Callable[[Any], Any]
) -> None:
    done, made, said = attempt(tmp_path, ("query Objects", {"alter": lie, "times": 99}))
    assert (done.code, made, said) == (0, 1, ["applied"]), claim
    assert [name for name in done.names if name.startswith(("GET git/blobs", "GET git/trees"))]


def test_the_id_that_a_blob_claims_is_not_read(tmp_path: Path) -> None:
    lie = {"alter": lambda body: each_blob(body, lambda blob: blob.update(oid="0" * 40)), "times": 99}
    done, made, said = attempt(tmp_path, ("query Objects", lie))
    assert (done.code, made, said, len(done.names)) == (0, 1, ["applied"], 11)


def b64(text: bytes) -> str:
    return base64.b64encode(text).decode()


TOLD_BY_REST: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("other bytes", "GET git/blobs/*", lambda body: body | {"content": b64(b"def total(items):\n    steal()\n")}),
    ("no base64", "GET git/blobs/*", lambda body: body | {"encoding": "utf-8"}),
    ("a row too few", "GET git/trees/*", lambda body: body | {"tree": body["tree"][1:]}),
    ("a truncated list", "GET git/trees/*", lambda body: body | {"truncated": True}),
    ("modes", "GET git/trees/*", lambda body: body | {"tree": [row | {"mode": "100644"} for row in body["tree"]]}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "at", "lie"), TOLD_BY_REST, ids=[row[0] for row in TOLD_BY_REST])
def test_wrong_bytes_end_the_run(tmp_path: Path, claim: str, at: str, lie: Callable[[Any], Any]) -> None:
    done, made, said = attempt(
        tmp_path, ("query Objects", {"status": 500, "times": 99}), (at, {"alter": lie, "times": 99})
    )
    assert (done.code, made, said) == (2, 0, ["refused"]), claim
    assert done.errors[0].startswith("internal: ")


TOLD_ABOUT_WRITES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("another tree", "POST git/trees", lambda body: body | {"sha": "0" * 40}),
    ("another parent", "POST git/commits", lambda body: body | {"parents": [{**body["parents"][0], "sha": "0" * 40}]}),
    ("no parent", "POST git/commits", lambda body: body | {"parents": []}),
    ("another root", "POST git/commits", lambda body: body | {"tree": body["tree"] | {"sha": "0" * 40}}),
    ("another message", "POST git/commits", lambda body: body | {"message": "Fixes #1"}),
]


@pytest.mark.parametrize(("claim", "at", "lie"), TOLD_ABOUT_WRITES, ids=[row[0] for row in TOLD_ABOUT_WRITES])
def test_a_commit_that_is_not_the_planned_one_is_not_published(
    tmp_path: Path, claim: str, at: str, lie: Callable[[Any], Any]
) -> None:
    done, made, said = attempt(tmp_path, (at, {"alter": lie, "times": 99}))
    assert (done.code, made, said) == (2, 0, ["refused"]), claim
    assert done.errors[0].startswith("self-check: ")
    assert "mutation updateRefs" not in done.names


def test_a_tree_that_inline_text_spoils_is_made_of_blobs(tmp_path: Path) -> None:
    done, made, said = attempt(tmp_path, ("POST git/trees", {"alter": lambda body: body | {"sha": "0" * 40}}))
    assert (done.code, made, said) == (0, 1, ["applied"])
    assert (done.names.count("POST git/trees"), done.names.count("POST git/blobs")) == (2, 1)


@pytest.mark.parametrize("times", [1, 9])
def test_a_status_that_is_kept_otherwise_is_written_again(tmp_path: Path, times: int) -> None:
    cut = {"alter": lambda body: body | {"body": body["body"][:-20]}, "times": times}
    done, made, said = attempt(tmp_path, ("* pulls/*/reviews*", cut))
    assert (done.code, made, said) == (0 if times == 1 else 2, 1, ["applied"])
    assert [name for name in done.names if "reviews" in name] == [
        "POST pulls/{pull_number}/reviews",
        "PUT pulls/{pull_number}/reviews/{review_id}",
    ]


def test_a_sentence_of_the_server_is_only_quoted(tmp_path: Path) -> None:
    """What an answer says becomes no workflow command, no mention and no control character."""
    message = "no\n::set-output name=x::y ##[error] \x1b[31m @octocat #1 <img src=x> " + "long " * 99
    with hub() as h:
        pull = pull_request(h)
        h.fault("POST git/trees", status=422, body={"message": message, "documentation_url": "x"}, times=9)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        lines = done.log.splitlines()
        assert [line for line in lines if line.startswith("::")] == [lines[0], f"::error::{done.errors[0]}"]
        assert "##[" not in done.log
        assert "\x1b" not in done.log + pull.reviews[0].body
        assert all(len(line) < 260 for line in lines)
        outside = "".join(pull.reviews[0].body.split("`")[::2])
        assert not [active for active in ("@octocat", "<img", " #1") if active in outside]


def test_a_branch_name_that_git_refuses_is_not_written(tmp_path: Path) -> None:
    def rename(body: Any) -> Any:
        body["data"]["repository"]["pullRequest"]["headRefName"] = "../../heads/main"
        return body

    done, made, said = attempt(tmp_path, ("query Context", {"alter": rename, "times": 9}))
    assert (done.code, made, said) == (0, 0, ["refused"])
    assert done.outputs["result"] == "refused"


def test_a_blob_that_is_said_to_be_too_large_is_not_loaded(tmp_path: Path) -> None:
    def grow(body: Any) -> Any:
        return each_blob(body, lambda blob: blob.update(byteSize=5_242_881, text=None))

    done, made, said = attempt(tmp_path, ("query Objects", {"alter": grow, "times": 9}))
    assert (done.code, made, said) == (0, 0, ["failed"])
    assert "GET git/blobs/{file_sha}" not in done.names


def test_a_blob_that_was_stored_otherwise_is_not_used(tmp_path: Path) -> None:
    lie = {"alter": lambda body: body | {"sha": "0" * 40}, "times": 9}
    done, made, said = attempt(tmp_path, ("POST git/trees", lie), ("POST git/blobs", lie))
    assert (done.code, made, said) == (2, 0, ["refused"])
    assert done.errors[0].startswith("self-check: GitHub stored other bytes")
