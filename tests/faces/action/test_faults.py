"""GitHub or the network at the worst moment: no half commit, no second one, and a word about it."""

from pathlib import Path
from typing import Any

import pytest
from support.actionkit import (
    FITS,
    REVIEWS,
    Clock,
    act,
    attempt,
    block,
    pull_request,
    reactions,
    rows,
    states,
)
from support.hub import hub
from support.talkkit import some

HTML = b"<html><body>Bad gateway</body></html>"

# A status that no repetition helps, at every request that matters: what comes of it.
# request · status → exit code, commits, states of the reviews, the beginning of the error
REQUESTS = ("query Context", "query Live", "POST git/trees", "POST git/commits", "mutation updateRefs")
FATAL = [
    pytest.param(at, status, marks=() if status == 404 or at == "POST git/trees" else pytest.mark.long)
    for at in REQUESTS
    for status in (401, 403, 404, 409, 422)
]


@pytest.mark.parametrize(("at", "status"), FATAL)
@pytest.mark.long(after=2)
def test_a_no_is_said_once_and_fails_the_job(tmp_path: Path, at: str, status: int) -> None:
    done, made, said = attempt(tmp_path, (at, {"status": status, "times": 99}))
    assert (done.code, made) == (2, 0)
    assert said == ([] if at == "query Context" else ["refused"])
    times = 2 if at == "query Live" else 1  # before writing, and to look for a status
    # what is not found may not be there yet; at last it is asked for without the comment, which may be gone
    tries = 4 if status == 404 and at in {"query Context", "query Live"} else 1
    assert done.names.count(at) == times * tries
    assert len(done.errors) == 1, done.log
    assert all(f", {status})" in error and error.count("\n") == 0 for error in done.errors)
    refused = at.startswith("mutation") or (status != 404 and not at.startswith("query "))
    code = "publish-failed: " if refused else "unavailable: "
    assert all(error.startswith(code) for error in done.errors)
    assert refused or at == "query Context" or "GitHub refused the commit" not in done.summary
    assert "\n  /" not in done.log  # no traceback


@pytest.mark.long
@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_status_that_cannot_be_written_fails_the_job(tmp_path: Path, status: int) -> None:
    done, made, said = attempt(tmp_path, (REVIEWS, {"status": status, "times": 99}))
    assert (done.code, made, said) == (2, 1, [])
    assert (done.outputs["result"], len(done.outputs["commit-sha"])) == ("applied", 40)
    assert [f"(writing the status, {status})" in error for error in done.errors] == [True]
    sentence = f"unavailable: the commit is {done.outputs['commit-sha']}; its status could not be written: "
    assert done.errors[0].startswith(sentence)
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


@pytest.mark.long
@pytest.mark.parametrize("at", some([*REQUESTS[:4], REVIEWS, "query Objects"], REQUESTS[1], REVIEWS))
@pytest.mark.parametrize(("claim", "fault"), rows(BROKEN, "HTML", "another shape"))
def test_an_answer_that_is_none(tmp_path: Path, at: str, claim: str, fault: dict[str, Any]) -> None:
    done, made, said = attempt(tmp_path, (at, {**fault, "times": 99}))
    if at == "query Objects":  # REST has the same objects
        assert (done.code, made, said) == (0, 1, ["applied"]), claim
        return
    assert (done.code, made) == (2, 1 if at == REVIEWS else 0), claim
    assert said == ([] if at in {"query Context", REVIEWS} else ["refused"])
    assert [error.startswith(("unavailable: ", "publish-failed: ")) for error in done.errors] == [True]
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
_HARDEST = {("two hang-ups", "mutation updateRefs"), ("two hang-ups", REVIEWS), ("429 with a wait", "POST git/trees"),
            ("500", "mutation updateRefs")}  # fmt: skip
LOST = [
    pytest.param(claim, fault, at, effect, id=f"{claim}-{at}-{'after' if effect else 'before'}", marks=marks)
    for claim, fault in LATE
    for at in (*REQUESTS, "query Objects", "GET collaborators/*/permission", REVIEWS)
    for effect in (False, True)
    for marks in [() if (claim, effect) == ("500", True) or (claim, at) in _HARDEST else pytest.mark.long]
]


@pytest.mark.parametrize(("claim", "fault", "at", "effect"), LOST)
@pytest.mark.long
@pytest.mark.table(parts=4)
def test_an_answer_that_was_lost(tmp_path: Path, at: str, claim: str, fault: dict[str, Any], effect: bool) -> None:
    done, made, said = attempt(tmp_path, (at, {**fault, "effect": effect}))
    if at == REVIEWS and fault.get("times") and not effect:  # a review is created at most once more
        assert (done.code, made, said) == (2, 1, []), (claim, done.log)
        return
    assert (done.code, made, said) == (0, 1, ["applied"]), (claim, done.log)
    wanted = {"429 with a wait": 7.0, "a secondary limit": 30.0, "a secondary limit without a number": 60.0}.get(claim)
    assert wanted is None or effect or wanted in done.waits or at == "query Objects"


# only its words tell a limit from a missing right
LIMIT = {"message": "API rate limit exceeded for installation."}
GIVING_UP: list[tuple[str, dict[str, Any], float]] = [
    ("500 for ever", {"status": 500}, 4.0),
    ("an hour's wait", {"status": 429, "headers": {"Retry-After": "3600"}}, 0.0),
    ("two minutes in all", {"status": 403, "headers": {"Retry-After": "50"}}, 100.0),
    ("the limit of the hour", {"status": 403, "body": LIMIT, "headers": {
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800003600"}}, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "fault", "waited"), GIVING_UP, ids=[row[0] for row in GIVING_UP])
@pytest.mark.long
def test_waiting_ends(tmp_path: Path, claim: str, fault: dict[str, Any], waited: float) -> None:
    done, made, said = attempt(tmp_path, ("POST git/trees", {**fault, "times": 99}))
    assert (done.code, made, said, sum(done.waits)) == (2, 0, ["refused"], waited), claim


def test_after_a_wait_everything_is_looked_at_again(tmp_path: Path) -> None:
    """docs/reference/action.md, "publishing": no commit on the word of a look that lies behind a sleep."""
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        before = h.world.head(pull)
        h.fault("POST git/commits", status=500, after=lambda: h.world.edit(pull.comments[0], "no, wait"))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "stale", before)


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
        assert "the job needs contents: write and pull-requests: write" in done.errors[0]


def test_a_token_that_may_only_read_leaves_a_summary(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "hubot", FITS), tmp_path, token=h.world.read_token)
        assert (done.code, done.outputs["result"], pull.reviews) == (2, "checked", [])
        assert "Edit blocks: 1 ready" in done.summary


@pytest.mark.long
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
        assert "so its checks may wait" not in pull.reviews[0].body
        again = act(h, event, tmp_path, token=token)
        assert (again.outputs["commit-sha"], h.world.head(pull), len(pull.reviews)) == (head, head, 1)


# limits of a run


@pytest.mark.long
def test_a_limit_that_is_lifted_soon_is_waited_for(tmp_path: Path) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000020"}
    limit = {"status": 403, "body": LIMIT, "headers": spent}
    done, made, said = attempt(tmp_path, ("POST git/trees", limit))
    assert (done.code, made, said, done.waits) == (0, 1, ["applied"], [21.0])


@pytest.mark.long
@pytest.mark.parametrize("at", ["mutation updateRefs", REVIEWS])
def test_a_wait_that_a_run_cannot_take_ends_it(tmp_path: Path, at: str) -> None:
    done, _, said = attempt(tmp_path, (at, {"status": 429, "headers": {"Retry-After": "600"}, "times": 9}))
    assert (done.code, said) == (2, [] if at == REVIEWS else ["refused"])
    assert done.errors[0].startswith("unavailable: ")
    assert "GitHub asks for a wait of 600 seconds, more than a run may take" in done.errors[0]


@pytest.mark.long
def test_a_run_ends_after_sixty_requests(tmp_path: Path) -> None:
    names = [f"file{number}.txt" for number in range(80)]
    with hub() as h:
        pull = h.world.pull_request({name: f"value = 1\n{name}\n".encode() for name in names}, author="monalisa")
        h.fault("query Objects", status=500, times=99)  # so that each file is a request
        body = "\n".join(block(name, "value = 1", "value = 2") for name in names)
        done = act(h, h.comment(pull, "monalisa", body), tmp_path)
        assert (done.code, states(pull)) == (2, ["refused"])
        assert len(done.names) <= 64
        assert "unavailable: the run needs more than 60 requests" in done.errors[0]


@pytest.mark.long
@pytest.mark.parametrize("at", ["query Objects", "query Live", "POST git/trees"])
def test_a_run_ends_after_five_minutes(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull, clock = pull_request(h), Clock()
        before = h.world.head(pull)
        h.fault(at, after=lambda: clock.sleep(301))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path, clock=clock)
        assert (done.code, states(pull), h.world.head(pull)) == (2, ["refused"], before)
        assert "unavailable: the run takes longer than 300 seconds" in done.errors[0]


WENT_WRONG = {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}


@pytest.mark.parametrize("effect", [pytest.param(False, marks=pytest.mark.long), True])
@pytest.mark.parametrize("at", some(["query Context", "query Live", "mutation updateRefs"], "mutation updateRefs"))
@pytest.mark.long
def test_a_graphql_error_without_a_type_passes(tmp_path: Path, at: str, effect: bool) -> None:
    done, made, said = attempt(tmp_path, (at, {"status": 200, "body": WENT_WRONG, "effect": effect, "times": 2}))
    assert (done.code, made, said) == (0, 1, ["applied"]), done.log
    assert max(done.waits, default=0) <= 3


@pytest.mark.long
def test_a_graphql_error_without_a_type_that_stays_is_quoted(tmp_path: Path) -> None:
    done, made, _ = attempt(tmp_path, ("mutation updateRefs", {"status": 200, "body": WENT_WRONG, "times": 99}))
    assert (done.code, made, done.names.count("mutation updateRefs")) == (2, 0, 3)
    assert 'is on the branch (GitHub: "Something went wrong while executing your query.");' in done.errors[0]


@pytest.mark.long
@pytest.mark.parametrize("status", [*(pytest.param(status, marks=pytest.mark.long) for status in (401, 403, 404)), 422])
@pytest.mark.parametrize(
    "at", some(["query Context", "POST git/trees", "POST git/commits", "mutation updateRefs"], "POST git/trees")
)
def test_a_long_quote_does_not_push_the_advice_out_of_the_line(tmp_path: Path, at: str, status: int) -> None:
    fault = {"status": status, "times": 9}
    (short, _, _), (long, _, _) = (
        attempt(tmp_path, (at, {**fault, "body": {"message": message, "documentation_url": "x"}}))
        for message in ("no", "no " * 99)
    )
    assert long.errors[0].endswith(short.errors[0].rpartition("; ")[2])
