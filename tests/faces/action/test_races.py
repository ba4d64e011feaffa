"""Somebody else at the worst moment: pushes, rewinds, edits, closes, or is the same event once more."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.actionkit import (
    APP,
    APP_NEW,
    FAILS,
    FITS,
    OTHER,
    Meanwhile,
    act,
    commits,
    pull_request,
    states,
)
from support.hub import Hub, PullRequest, hub
from support.hub.model import Review

from editblocks.report.status.links import read_marker

STEPS = ["query Context", "query Objects", "GET collaborators/*/permission", "query Live", "POST git/trees",
         "POST git/commits", "mutation updateRefs"]  # fmt: skip


# Between two requests nothing is done: after one is before the next, but for the last.
BETWEEN = [
    pytest.param(at, when, marks=pytest.mark.long if when == "after" and at != STEPS[-1] else ())
    for at in STEPS
    for when in ("before", "after")
]


@pytest.mark.long
@pytest.mark.parametrize(("at", "when"), BETWEEN)
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
@pytest.mark.long
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


@pytest.mark.long
def test_a_change_of_the_same_lines_fails_the_block(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("mutation updateRefs", before=lambda: h.world.push(pull, {"app.py": b"something else\n"}))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.outputs["result"], states(pull)) == ("failed", ["failed"])
        assert h.world.files(h.world.head(pull))["app.py"][1] == b"something else\n"


@pytest.mark.long
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
    (close, "refused", "no longer open"),
    (merge, "refused", "no longer open"),
    (queue, "refused", "merge queue"),
    (delete, "refused", "no longer open"),
    (retarget, "stale", "the base of the pull request changed"),
    (edit, "stale", "changed after the check"),
    (remove, "stale", "no longer exists"),
    (demote, "checked", "has read access"),
]


@pytest.mark.parametrize(
    "at", [pytest.param("query Objects", marks=pytest.mark.long), "GET collaborators/*/permission"]
)
@pytest.mark.parametrize(("change", "result", "words"), MID_RUN, ids=[row[0].__name__ for row in MID_RUN])
@pytest.mark.long
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


# the same event at the same time


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize(("author", "body", "state"), [("octocat", FAILS, "failed"), ("hubot", FITS, "checked")])
def test_a_status_that_another_run_writes_meanwhile_is_edited(
    tmp_path: Path, author: str, body: str, state: str
) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, author, body)
        other = act(h, event, tmp_path)
        review = pull.reviews.pop()
        h.fault("query Objects", after=lambda: pull.reviews.append(review))
        done = act(h, event, tmp_path)
        assert (other.outputs["result"], done.outputs["result"], states(pull)) == (state, state, [state])
        assert other.outputs["review-url"] == done.outputs["review-url"]


@pytest.mark.long
def test_a_status_of_a_commit_is_not_overwritten_by_a_check(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        before, event = h.world.head(pull), h.comment(pull, "octocat", FITS)
        other = act(h, event, tmp_path)
        h.world.reset(pull.head_ref, before)
        review = pull.reviews.pop()
        h.fault("query Objects", after=lambda: pull.reviews.append(review))
        done = act(h, event, tmp_path, {"mode": "check"})
        assert (done.outputs["commit-sha"], states(pull)) == (other.outputs["commit-sha"], ["applied"])


def test_a_look_for_another_status_that_fails_keeps_nothing_back(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault("query Live", status=403, times=9)
        assert act(h, h.comment(pull, "octocat", FAILS), tmp_path).code == 0
        assert states(pull) == ["failed"]


@pytest.mark.long
@pytest.mark.parametrize("command", ["", "/apply", pytest.param("/apply 1", marks=pytest.mark.long)])
def test_what_another_run_committed_and_somebody_rewound_is_not_brought_back(tmp_path: Path, command: str) -> None:
    """The branch is where this run saw it first; only the status tells what happened in between."""
    with hub() as h:
        pull = pull_request(h)
        start, event = h.world.head(pull), h.comment(pull, "octocat" if not command else "hubot", FITS)
        if command:
            act(h, event, tmp_path)
            event = h.comment(pull, "octocat", command)
        done = act(h, event, tmp_path, clock=Meanwhile(hub=h, other=lambda: act(h, event, tmp_path), start=start))
        assert (done.code, h.world.head(pull), states(pull)) == (0, start, ["applied"]), done.log
        again = act(h, event, tmp_path)
        assert (again.code, h.world.head(pull), states(pull)) == (0, start, ["applied"]), again.log
