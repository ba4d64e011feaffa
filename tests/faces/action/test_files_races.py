"""Response files while others push, and when GitHub fails in between."""

from pathlib import Path
from typing import Any

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
    marker_of,
    states,
)
from support.filecases import FILES, OTHER_FITS, A, B, content, messages, opened, writes
from support.hub import hub
from support.talkkit import some

# races

STEPS = ["query Objects", "GET collaborators/*/permission", "query Live", "POST git/trees", "mutation updateRefs"]
LAST = some(STEPS, "mutation updateRefs")


@pytest.mark.long
@pytest.mark.parametrize("at", LAST)
def test_a_push_during_the_run_is_built_upon(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        h.fault(at, before=lambda: h.world.push(pull, OTHER))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied", "applied"]), done.log
        left = content(h, pull)
        assert (left["app.py"], left["notes.txt"], left["other.txt"]) == (APP_NEW, b"one\n2\n", b"theirs\n")
        assert not {A, B} & set(left)


CHECKED = {"trigger": "command"}


@pytest.mark.long
def test_the_status_is_about_the_newest_head_if_an_older_run_ends_in_between(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path, CHECKED)
        [review] = pull.reviews
        first = review.body
        h.world.push(pull, OTHER)
        act(h, h.pull_event(pull), tmp_path, CHECKED)
        second = review.body
        h.world.edit(review, first)  # the run of the second push has not written yet
        newest = h.world.push(pull, {"app.py": b"something else\n"})
        h.fault("query Objects", before=lambda: h.world.edit(review, second))
        done = act(h, h.pull_event(pull), tmp_path, CHECKED)
        assert (done.code, states(pull), marker_of(review).head) == (2, ["failed"], newest)


@pytest.mark.long
def test_an_older_run_that_ends_last_leaves_the_status_of_the_newest_head(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path, CHECKED)
        h.world.push(pull, OTHER)
        event = h.pull_event(pull)

        def meanwhile() -> None:
            h.world.push(pull, {"app.py": b"something else\n"})
            act(h, h.pull_event(pull), tmp_path, CHECKED)

        clock = Meanwhile(hub=h, other=meanwhile, start=None, after="query Objects")
        done = act(h, event, tmp_path, CHECKED, clock=clock)
        assert (done.outputs["result"], states(pull)) == ("checked", ["failed"])
        assert marker_of(pull.reviews[0]).head == h.world.head(pull)


@pytest.mark.parametrize("at", LAST)
@pytest.mark.long
def test_a_push_between_two_files(tmp_path: Path, at: str) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        h.fault("POST pulls/*/reviews", after=lambda: h.world.push(pull, OTHER))
        h.fault(at, nth=3, before=lambda: h.world.push(pull, {"third.txt": b"3\n"}))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull)) == (0, ["applied", "applied"]), done.log
        assert (content(h, pull)["notes.txt"], "other.txt" in content(h, pull)) == (b"one\n2\n", True)


@pytest.mark.parametrize("at", LAST[1:])
@pytest.mark.parametrize("data", [OTHER_FITS.encode(), None], ids=["changed", "removed"])
@pytest.mark.long
def test_a_file_that_is_another_one_by_then_is_left_to_the_next_run(
    tmp_path: Path, at: str, data: bytes | None
) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        before = h.world.head(pull)
        h.fault(at, before=lambda: h.world.push(pull, {A: data}))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "stale", []), done.log
        assert (commits(h, pull, before), content(h, pull)["app.py"], content(h, pull).get(A)) == (1, APP, data)
        assert "source-edited: .edits/a.md was changed or removed during the run" in done.log


@pytest.mark.parametrize("at", LAST[2:])
@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.long
def test_two_runs_at_the_same_time(tmp_path: Path, at: str, is_told: bool) -> None:
    """The other one commits between two requests of this one, and has or has not yet written its status."""
    with hub() as h:
        pull = opened(h, FITS)
        before, event = h.world.head(pull), h.pull_event(pull)
        other = act(h, event, tmp_path)
        made, review = h.world.head(pull), pull.reviews.pop()
        h.world.reset(pull.head_ref, before)

        def overtake() -> None:
            h.world.reset(pull.head_ref, made)
            pull.reviews.extend([review] if is_told else [])

        h.fault(at, before=overtake)
        done = act(h, event, tmp_path)
        assert [(each.code, each.outputs["result"]) for each in (done, other)] == [(0, "applied")] * 2, done.log
        assert done.outputs["commit-sha"] == other.outputs["commit-sha"] == h.world.head(pull)
        assert states(pull) == ["applied"] * is_told


def test_a_pull_request_that_is_closed_meanwhile(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.fault("query Live", before=lambda: setattr(pull, "state", "closed"))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], A in content(h, pull)) == (0, "refused", True)
        event = h.pull_event(opened(h, FITS))
        h.world.pull_requests[-1].state = "closed"
        late = act(h, event, tmp_path)
        assert (late.code, late.outputs["result"], late.names) == (0, "nothing", ["query Context"])


@pytest.mark.parametrize("step", some(["POST pulls/*/reviews", *STEPS[2:]], "POST pulls/*/reviews"))
@pytest.mark.parametrize("effect", [True, False])
@pytest.mark.long
def test_a_run_that_could_not_finish_is_finished_by_the_next(tmp_path: Path, step: str, effect: bool) -> None:
    """Also where the file is gone by then, as the commit that removed it was made."""
    with hub() as h:
        pull = opened(h, FITS)
        before, event = h.world.head(pull), h.pull_event(pull)
        h.fault(step, drop=True, effect=effect, times=99)
        act(h, event, tmp_path)
        h.faults.clear()
        done = act(h, event, tmp_path)
        assert done.code == 0, done.log
        assert (commits(h, pull, before), states(pull), A in content(h, pull)) == (1, ["applied"], False)
        assert marker_of(pull.reviews[0]).commit == h.world.head(pull)
        last = act(h, event, tmp_path)
        assert (last.names, len(pull.reviews)) == (["query Context", "query Objects"], 1)


@pytest.mark.long
def test_a_status_that_the_first_look_does_not_show_is_edited(tmp_path: Path) -> None:
    """Reads lag behind writes: the status of the last push may be missing among the reviews."""
    with hub() as h:
        pull = opened(h, FAILS)
        h.lag("query Context", reads=2, only="pulls")
        act(h, h.pull_event(pull), tmp_path)
        h.world.push(pull, {A: FITS.encode()})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (0, ["applied"], False), done.log


@pytest.mark.long
def test_whoever_comes_later_is_not_asked_about_a_commit_that_is_made(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)
        pull.reviews.clear()
        done = act(h, h.pull_event(pull, sender="hubot"), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"])
        assert done.outputs["commit-sha"] == h.world.head(pull)


@pytest.mark.long
def test_a_forged_trailer_about_a_file_is_not_believed(tmp_path: Path) -> None:
    """Anybody who can push can write one; it neither keeps a file from being applied nor makes a status."""
    with hub() as h:
        pull = opened(h, FITS)
        act(h, h.pull_event(pull), tmp_path)
        [ours], start = messages(h, pull, 1), h.world.branch("main")
        twin = h.world.pull_request({**FILES, A: FITS.encode()}, author="monalisa", head="twin")
        theirs = {A: None, "app.py": b"theirs\n"}
        forged = h.world.commit(theirs, ours, "twin", author="github-actions[bot]", signed=False)
        done = act(h, h.pull_event(twin, "synchronize", before=start), tmp_path)
        assert (done.code, done.outputs["result"], twin.reviews, writes(done)) == (0, "nothing", [], [])
        h.world.push(twin, {A: FITS.encode(), "app.py": APP})
        done = act(h, h.pull_event(twin, "synchronize", before=start), tmp_path)
        assert (done.outputs["result"], content(h, twin)["app.py"]) == ("applied", APP_NEW)
        assert f"the message of {forged[:7]} says that these blocks were applied" in done.log
        assert "says that these blocks were applied" in done.summary


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("query Context", {"status": 502}),
    ("query Objects", {"status": 404}),
    ("GET collaborators/*/permission", {"status": 403}),
    ("query Live", {"status": 404}),
    ("POST git/trees", {"status": 409}),
    ("POST git/commits", {"status": 422}),
    ("mutation updateRefs", {"status": 500}),
    ("mutation updateRefs", {"status": 502, "effect": True}),
    ("query Live", {"status": 429}),
    ("POST pulls/*/reviews", {"status": 502, "effect": True}),
    ("POST pulls/*/reviews", {"status": 200, "body": b'{"id":', "effect": True}),
]


@pytest.mark.parametrize(("at", "fault"), FAULTS, ids=[f"{at}-{fault['status']}" for at, fault in FAULTS])
@pytest.mark.parametrize("times", [1, 99])
@pytest.mark.long
def test_no_fault_makes_it_twice_or_in_silence(tmp_path: Path, at: str, fault: dict[str, Any], times: int) -> None:
    with hub() as h:
        pull = opened(h, FITS, OTHER_FITS)
        before, event = h.world.head(pull), h.pull_event(pull)
        h.fault(at, times=times, **fault)
        first = act(h, event, tmp_path)
        made, left = commits(h, pull, before), {A, B} & set(content(h, pull))
        assert (made, len(states(pull)) <= 2) == (2 - len(left), True)
        assert first.code == 2 or states(pull) == ["applied", "applied"], first.log
        h.faults.clear()
        again = act(h, event, tmp_path)
        assert (again.code, commits(h, pull, before), states(pull)) == (0, 2, ["applied", "applied"]), again.log
