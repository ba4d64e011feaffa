"""Run the action on GitHub with random faults or a kill, then run it again for the same event without faults."""

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
    """A clock that kills the run once the hub's log has `last` requests. The action reads it before each request."""

    hub: Hub | None = None
    last: int = 0

    def time(self) -> float:
        if self.hub is not None and len(self.hub.log) >= self.last:
            raise KeyboardInterrupt
        return Clock.time(self)


def kill(stage: Stage, after: int) -> int:
    """Run the action, kill it after `after` requests unless it ends earlier, and return its exit code."""
    done = stage.run(Doom(hub=stage.hub, last=len(stage.hub.log) + after))
    assert (done.code in {0, 2, 130}, len(done.names) <= after) == (True, True), done.log
    return done.code


def assert_ends(stage: Stage, scene: Scene, before: Left, story: str) -> None:
    """Run the event again without faults. Assert that it is done or was answered, and that nothing happened twice.

    A second run must change nothing.
    """
    stage.hub.faults.clear()
    done, left = stage.run(), stage.left()
    assert (done.code, left.is_single) == (0, True), (story, left, done.log)
    is_end = (left.commits, left.states) == (scene.commits, tuple(scene.states))
    assert is_end or has_reply(before, left), (story, left, done.log)
    assert all(data in {before.files[path], scene.changed.get(path)} for path, data in left.files.items()), story
    again = stage.run()
    assert (again.code, stage.left()) == (0, left), (story, stage.left(), again.log)


def has_reply(before: Left, left: Left) -> bool:
    """Whether the only new thing is a short answer."""
    return (left.commits, left.states, sum(left.answers.values())) == (0, before.states, 1)


FAULT = st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from((1, 1, 2, 99)), st.sampled_from((1, 1, 2)))
Faults = list[tuple[str, tuple[str, int, int]]]


@st.composite
def schedules(draw: st.DrawFn, names: Sequence[str]) -> tuple[str, Faults, int]:
    """A scene, two or three faults at its requests, and after how many requests to kill the next run (0: never)."""
    name = draw(st.sampled_from(names))
    step = st.sampled_from(list(dict.fromkeys(REQUESTS[name])))
    faults = draw(st.lists(st.tuples(step, FAULT), min_size=2, max_size=3))
    return name, faults, draw(st.one_of(st.just(0), st.integers(1, len(REQUESTS[name]))))


def go_through(folder: Path, name: str, faults: Faults, killed: int) -> Left:
    """Run a scene with these faults, then perhaps kill a run, then run it without faults. Return the final state."""
    scene, story = SCENES[name], f"{name}: {faults}, {killed}"
    with hub() as h:
        stage = scene.set_up(h, folder)
        before = stage.left()
        for step, (claim, times, nth) in faults:
            h.fault(pattern(step), times=times, nth=nth, **KINDS[claim])
        done, left = stage.run(), stage.left()
        assert left.is_single, (story, left)
        # There may be two errors: why nothing was done, and why no status could be written.
        assert (done.code, len(done.errors)) in {(0, 0), (2, 1), (2, 2)}, (story, done.log)
        if done.code == 0 and left.texts == before.texts and left.commits == 0:
            assert "404" in [claim for _, (claim, _, _) in faults], (story, done.log)
            return left  # an unknown or deleted user gets no answer
        h.faults.clear()
        if killed:
            kill(stage, killed)
        assert_ends(stage, scene, before, story)
        return stage.left()


SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def many(count: int, number: int) -> str:
    """Try `count` random schedules on all scenes, and return a sentence about how they ended. `number` is the seed."""
    ends = {"committed": 0, "answered": 0}

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=SLOW)
    @given(story=schedules(sorted(SCENES)))
    def run(story: tuple[str, Faults, int]) -> None:
        with TemporaryDirectory() as folder:
            left = go_through(Path(folder), *story)
        ends["committed" if left.commits else "answered"] += 1

    run()
    return f"{ends['committed']:,} ended with one commit, {ends['answered']:,} without one"
