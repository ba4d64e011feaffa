"""Runs on GitHub with faults at random, or killed: then the same event again, until one goes well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from support.actionkit import Clock
from support.hub import Hub, hub
from support.scene_requests import REQUESTS
from support.scenes import FAULTS, SCENES, Left, Scene, Stage, pattern

KINDS = {claim: fault for faults in FAULTS.values() for claim, fault in faults.items()}


@dataclass(slots=True)
class Doom(Clock):
    """A clock that kills the run once it has sent so many requests: it is looked at before each."""

    hub: Hub | None = None
    last: int = 0

    def time(self) -> float:
        if self.hub is not None and len(self.hub.log) >= self.last:
            raise KeyboardInterrupt
        return Clock.time(self)


def kill(stage: Stage, after: int) -> int:
    """A run that is killed after so many requests, or ends before; gives its exit code."""
    done = stage.run(Doom(hub=stage.hub, last=len(stage.hub.log) + after))
    assert (done.code in {0, 2, 130}, len(done.names) <= after) == (True, True), done.log
    return done.code


def assert_ends(stage: Stage, scene: Scene, before: Left, story: str) -> None:
    """The event once more, without faults: it is done, or was refused in words, and nothing is there twice."""
    stage.hub.faults.clear()
    done, left = stage.run(), stage.left()
    assert (done.code, left.is_single) == (0, True), (story, left, done.log)
    is_end = (left.commits, left.states) == (scene.commits, tuple(scene.states))
    assert is_end or is_answered(before, left), (story, left, done.log)
    assert all(data in {before.files[path], scene.changed.get(path)} for path, data in left.files.items()), story
    again = stage.run()
    assert (again.code, stage.left()) == (0, left), (story, stage.left(), again.log)


def is_answered(before: Left, left: Left) -> bool:
    """Whether all that is new is a short answer."""
    return (left.commits, left.states, sum(left.answers.values())) == (0, before.states, 1)


FAULT = st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from((1, 1, 2, 99)), st.sampled_from((1, 1, 2)))
Faults = list[tuple[str, tuple[str, int, int]]]


@st.composite
def schedules(draw: st.DrawFn, names: Sequence[str]) -> tuple[str, Faults, int]:
    """A scene, two or three faults on its steps, and after how many requests the next run is killed (0: it is not)."""
    name = draw(st.sampled_from(names))
    step = st.sampled_from(list(dict.fromkeys(REQUESTS[name])))
    faults = draw(st.lists(st.tuples(step, FAULT), min_size=2, max_size=3))
    return name, faults, draw(st.one_of(st.just(0), st.integers(1, len(REQUESTS[name]))))


def go_through(folder: Path, name: str, faults: Faults, killed: int) -> Left:
    """A run with these faults, perhaps one that is killed, then the event without faults; gives what is left."""
    scene, story = SCENES[name], f"{name}: {faults}, {killed}"
    with hub() as h:
        stage = scene.set_up(h, folder)
        before = stage.left()
        for step, (claim, times, nth) in faults:
            h.fault(pattern(step), times=times, nth=nth, **KINDS[claim])
        done, left = stage.run(), stage.left()
        assert left.is_single, (story, left)
        # why nothing was done, and why no status can say so, are two lines
        assert (done.code, len(done.errors)) in {(0, 0), (2, 1), (2, 2)}, (story, done.log)
        if done.code == 0 and left.texts == before.texts and left.commits == 0:
            assert "404" in [claim for _, (claim, _, _) in faults], (story, done.log)
            return left  # who is not known here, or gone, gets no words
        h.faults.clear()
        if killed:
            kill(stage, killed)
        assert_ends(stage, scene, before, story)
        return stage.left()


SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def many(count: int, number: int) -> str:
    """So many schedules over all scenes, of which each has to end well; what came of them."""
    ends = {"committed": 0, "answered": 0}

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=SLOW)
    @given(story=schedules(sorted(SCENES)))
    def run(story: tuple[str, Faults, int]) -> None:
        with TemporaryDirectory() as folder:
            left = go_through(Path(folder), *story)
        ends["committed" if left.commits else "answered"] += 1

    run()
    return f"{ends['committed']:,} ended with their one commit, {ends['answered']:,} without one"
