"""Faults at random, two or three in a run, and runs that are killed: then the same event again, until one goes well."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.faults.schedules import SLOW, Faults, assert_ends, go_through, kill, schedules
from support.hub import hub
from support.scene_requests import REQUESTS
from support.scenes import SCENES

pytestmark = pytest.mark.long  # one of each kind is in the fast profile: hosts/github, faces/action

FAST = {"apply"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.long) for name in sorted(SCENES)]
)
@pytest.mark.table(parts=4)
def test_a_run_that_is_killed_between_two_requests(tmp_path: Path, name: str) -> None:
    for number in range(1, len(REQUESTS[name])):
        with hub() as h:
            stage = SCENES[name].set_up(h, tmp_path)
            before = stage.left()
            assert kill(stage, number) == 130
            assert_ends(stage, SCENES[name], before, f"{name}, killed after {number} requests")


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SCENES))
def test_a_run_that_is_killed_after_one_that_was(tmp_path: Path, name: str) -> None:
    for number in range(2, len(REQUESTS[name])):
        with hub() as h:
            stage = SCENES[name].set_up(h, tmp_path)
            before = stage.left()
            assert kill(stage, number) == 130
            kill(stage, number - 1)
            assert_ends(stage, SCENES[name], before, f"{name}, killed after {number} and {number - 1} requests")


ONCE_WRONG: dict[str, tuple[str, Faults, int]] = {
    "a status was stored, and GitHub refused the look for it": (
        "reply",
        [
            ("query Live", ("409", 1, 2)),
            ("POST pulls/{pull_number}/comments/{comment_id}/replies", ("502 after storing", 1, 1)),
        ],
        0,
    ),
}


@pytest.mark.parametrize("story", ONCE_WRONG.values(), ids=ONCE_WRONG)
def test_schedules_that_went_wrong_once(tmp_path: Path, story: tuple[str, Faults, int]) -> None:
    assert go_through(tmp_path, *story).is_single


@settings(max_examples=12, derandomize=True, deadline=None, database=None, suppress_health_check=SLOW)
@given(story=schedules(sorted(SCENES)))
def test_schedules_of_faults(tmp_path: Path, story: tuple[str, Faults, int]) -> None:
    assert go_through(tmp_path, *story).is_single


@pytest.mark.long
@pytest.mark.table(parts=16)
@pytest.mark.parametrize("name", sorted(SCENES))
@settings(max_examples=200, deadline=None, database=None, print_blob=True, suppress_health_check=SLOW)
@given(data=st.data())
def test_more_schedules_of_faults(tmp_path: Path, name: str, data: st.DataObject) -> None:
    assert go_through(tmp_path, *data.draw(schedules([name]))).is_single
