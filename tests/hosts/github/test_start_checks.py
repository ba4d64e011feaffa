"""`start-checks`: workflows that are started on the branch after a commit (docs/reference/action.md, "checks")."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FAILS, FITS
from support.talkkit import Talk, talk

DISPATCH = "POST actions/workflows/{workflow_id}/dispatches"
ACTIONS = ("actions", "contents", "issues", "pull_requests")
WAITS = "so its checks may wait"


@contextmanager
def talking(tmp_path: Path, workflows: Mapping[str, bool], setting: str = "ci.yml") -> Iterator[Talk]:
    with talk(tmp_path, inputs={"start-checks": setting}) as t:
        t.h.world.repository.workflows.update(workflows)
        yield t


def say(t: Talk, body: str, permissions: tuple[str, ...] = ACTIONS, **options: Any) -> None:
    t.say("octocat", body, token=t.h.world.new_token("actions", t.h.world.bot, permissions), **options)


def test_a_commit_starts_them_on_the_branch(tmp_path: Path) -> None:
    with talking(tmp_path, {"ci.yml": True, "lint.yaml": True}, "ci.yml,lint.yaml") as t:
        say(t, FITS)
        branch = t.pull.head_ref
        assert t.h.world.repository.dispatches == [("ci.yml", branch), ("lint.yaml", branch)]
        assert "> Started on this branch: `ci.yml`, `lint.yaml`." in t.status
        assert WAITS not in t.status


# what is wrong → the permissions of the token, the workflows there are, a fault of GitHub, what the status says
NOT_STARTED: list[tuple[str, tuple[str, ...], dict[str, bool], dict[str, Any], str]] = [
    ("there is none", ACTIONS, {}, {}, "the default branch has no such workflow"),
    ("it waits for no word", ACTIONS, {"ci.yml": False}, {}, "it has no workflow_dispatch, or it is turned off"),
    (
        "the token may not",
        ACTIONS[1:],
        {"ci.yml": True},
        {},
        "the token may not do it; give the job the permission actions: write",
    ),
    ("a server error", ACTIONS, {"ci.yml": True}, {"status": 502}, "GitHub did not answer"),
    ("no JSON", ACTIONS, {"ci.yml": True}, {"status": 200, "body": b"<html>"}, "GitHub did not answer"),
]


@pytest.mark.parametrize("row", NOT_STARTED, ids=[row[0] for row in NOT_STARTED])
@pytest.mark.long(after=1)
def test_what_is_not_started_is_said_and_the_commit_stays(
    tmp_path: Path, row: tuple[str, tuple[str, ...], dict[str, bool], dict[str, Any], str]
) -> None:
    _, permissions, workflows, fault, words = row
    with talking(tmp_path, workflows) as t:
        if fault:
            t.h.fault(DISPATCH, **fault)
        say(t, FITS, permissions)
        assert (t.made, t.states, t.reactions) == (1, ["applied"], ["rocket"])
        assert f"> `ci.yml` was not started: {words}" in t.status
        assert WAITS in t.status
        assert "How to start them" not in t.status  # the hub's runner does not know where the pages of this version are
        assert len(t.h.requests(DISPATCH)) == 1  # it may have been started: a write is sent once


def test_without_a_commit_nothing_is_started(tmp_path: Path) -> None:
    with talking(tmp_path, {"ci.yml": True}) as t:
        say(t, FAILS)
        assert (t.made, t.h.world.repository.dispatches) == (0, [])


def test_the_same_event_again_starts_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, {"ci.yml": True}) as t:
        say(t, FITS)
        t.again()
        assert len(t.h.world.repository.dispatches) == 1


def test_a_commit_that_an_earlier_run_made_starts_nothing(tmp_path: Path) -> None:
    """That run was killed before it wrote the status; whether it had started them is not known."""
    with talking(tmp_path, {"ci.yml": True}) as t:
        say(t, FITS)
        t.pull.reviews.clear()
        t.again()
        assert (t.states, len(t.h.world.repository.dispatches)) == (["applied"], 1)


def test_an_undo_starts_them_again(tmp_path: Path) -> None:
    with talking(tmp_path, {"ci.yml": True}) as t:
        say(t, FITS)
        say(t, "/undo")
        assert (t.made, t.states, len(t.h.world.repository.dispatches)) == (2, ["undone"], 2)
        assert "> Started on this branch: `ci.yml`." in t.status


@pytest.mark.parametrize("name", ["ci", "../ci.yml", "a/b.yml", "ci.yml?ref=x", "ci.yml\n", ""])
@pytest.mark.long(after=1)
def test_a_name_that_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with talk(tmp_path, inputs={}) as t:
        t.h.world.commit({".editblocks.yml": f"start-checks: [{name!r}]\n".encode()}, "policy")
        t.say("octocat", FITS)
        assert (t.made, t.h.requests(DISPATCH)) == (0, [])
        assert "start-checks" in t.status
