"""Somebody else at the worst moment of `/apply` and `/undo`: between any two of their requests."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW
from support.hub import hub
from support.scene_requests import COMMIT, LIVE, MOVE, OBJECTS, REQUESTS, TREE
from support.scenes import SCENES, Stage, pattern

pytestmark = pytest.mark.long  # one of each kind is in the fast profile: hosts/github, faces/action

VERBS = ("apply", "undo")


def push(stage: Stage) -> None:
    stage.hub.world.push(stage.pull, {"third.txt": b"theirs\n"})


def take_away(stage: Stage) -> None:
    """Force-push the last push of theirs away."""
    stage.hub.world.reset(stage.pull.head_ref, stage.start)


def close(stage: Stage) -> None:
    stage.pull.state = "closed"


def queue(stage: Stage) -> None:
    stage.pull.queued = True


def delete(stage: Stage) -> None:
    stage.hub.world.delete_branch(stage.pull.head_ref)


def retarget(stage: Stage) -> None:
    stage.hub.world.commit({"x": b"x"}, "x", "other", parent=stage.hub.world.branch("main"))
    stage.pull.base_ref = "other"


def edit_command(stage: Stage) -> None:
    stage.hub.world.edit([each for each in stage.pull.comments if each.body.startswith("/")][-1], "no, wait")


def cells(steps_before: tuple[str, ...]) -> list[object]:
    """Every step of both commands; those of `steps_before` alone are run every time."""
    return [
        pytest.param(name, step, id=f"{name}-{step}", marks=() if step in steps_before else pytest.mark.long)
        for name in VERBS
        for step in dict.fromkeys(REQUESTS[name])
    ]


@pytest.mark.parametrize(("name", "step"), cells((LIVE, MOVE)))
def test_a_push_before_a_request_is_built_upon(tmp_path: Path, name: str, step: str) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        h.fault(pattern(step), before=lambda: push(stage))
        done, left = stage.run(), stage.left()
        assert (done.code, left.states) == (0, tuple(SCENES[name].states)), done.log
        assert (left.commits, left.is_single, left.files["third.txt"]) == (2, False, b"theirs\n")
        assert left.files["app.py"] == SCENES[name].changed["app.py"]
        assert sum(left.statuses.values()) == 1


@pytest.mark.parametrize(("name", "step"), cells((TREE, MOVE)))
def test_what_is_rewound_before_a_request_is_not_brought_back(tmp_path: Path, name: str, step: str) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        start, pushed = stage.start, h.world.push(stage.pull, {"secret.txt": b"oops\n"})
        h.fault(pattern(step), before=lambda: h.world.reset(stage.pull.head_ref, start) if not done_by(stage) else None)
        done = stage.run()
        assert done.code == 0, done.log
        if done_by(stage):
            assert not h.world.contains(pushed, h.world.head(stage.pull)) or step in AFTERWARDS
        assert stage.left().files["app.py"] in {APP, APP_NEW}


AFTERWARDS = set(REQUESTS["apply"][REQUESTS["apply"].index(MOVE) + 1 :])


def done_by(stage: Stage) -> bool:
    """Whether the run has made its commit."""
    head = stage.hub.world.store.commit(stage.hub.world.head(stage.pull))
    return head is not None and head.author.name == "github-actions[bot]" and head.oid != stage.start


# what changes before the last look → the words of the status or the answer
MID_RUN: list[tuple[Callable[[Stage], None], str]] = [
    (close, "no longer open"),
    (queue, "merge queue"),
    (delete, "no longer open"),
    (retarget, "the base of the pull request changed"),
    (edit_command, "changed after the check"),
]


@pytest.mark.parametrize("step", [pytest.param(OBJECTS, marks=pytest.mark.long), LIVE])
@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize(("change", "words"), MID_RUN, ids=[row[0].__name__ for row in MID_RUN])
def test_what_changes_before_the_last_look_stops_a_command(
    tmp_path: Path, name: str, step: str, change: Callable[[Stage], None], words: str
) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        h.fault(step, before=lambda: change(stage))
        done, left = stage.run(), stage.left()
        assert (done.code, h.world.head(stage.pull)) == (0, stage.start), done.log
        assert words in "\n".join(left.texts).replace("`", ""), left.texts
        assert left.is_single


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("step", [pytest.param(COMMIT, marks=pytest.mark.long), MOVE])
def test_a_branch_deleted_under_a_command(tmp_path: Path, name: str, step: str) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        h.fault(step, before=lambda: delete(stage))
        done, left = stage.run(), stage.left()
        assert (done.code, h.world.branch(stage.pull.head_ref)) == (0, None), done.log
        assert "the branch was deleted" in "\n".join(left.texts)


@pytest.mark.parametrize(
    "at", [pytest.param(step, marks=pytest.mark.long) for step in dict.fromkeys(REQUESTS["apply"]) if step != LIVE]
    + [LIVE])  # fmt: skip
def test_a_source_that_is_edited_during_an_apply(tmp_path: Path, at: str) -> None:
    """The text that goes in is the one whose digest the status shows, or none."""
    with hub() as h:
        stage = SCENES["apply"].set_up(h, tmp_path)
        evil = stage.pull.comments[0].body.replace("sum(items)", "0 or steal()")
        h.fault(pattern(at), before=lambda: h.world.edit(stage.pull.comments[0], evil))
        done, left = stage.run(), stage.left()
        assert done.code == 0, done.log
        assert left.files["app.py"] in {APP, APP_NEW}
        again = stage.run()
        assert (again.code, stage.left().files["app.py"] in {APP, APP_NEW}, stage.left().is_single) == (0, True, True)


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("only", ["refs", pytest.param("pulls", marks=pytest.mark.long)])
def test_reads_that_lag_behind_a_push(tmp_path: Path, name: str, only: str) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        for step in ("query *", "GET *"):
            h.lag(step, 2, only=only)
        push(stage)
        done, left = stage.run(), stage.left()
        assert (done.code, left.states) == (0, tuple(SCENES[name].states)), done.log
        assert (left.commits, sum(left.statuses.values()), left.files["third.txt"]) == (2, 1, b"theirs\n")


@pytest.mark.parametrize("name", VERBS)
def test_a_role_that_is_taken_away_before_it_is_asked_for(tmp_path: Path, name: str) -> None:
    with hub() as h:
        stage = SCENES[name].set_up(h, tmp_path)
        h.world.repository.roles["octocat"] = "read"
        done = stage.run()
        assert (done.code, h.world.head(stage.pull)) == (0, stage.start)
        assert "octocat has read access, applying needs write" in done.log
