"""The branch was asked to move and the answer got lost: never "nothing committed" while the commit is there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FITS, act, commits, pull_request, reactions, rows, states
from support.hub import Hub, PullRequest, hub

pytestmark = pytest.mark.long  # one of each kind is in the fast profile: hosts/github, faces/action

MOVE, READ = "mutation updateRefs", "GET git/ref/*"
HTML = {"status": 200, "body": b"<html></html>"}

UNREADABLE: list[tuple[str, dict[str, Any]]] = [
    ("500", {"status": 500}),
    ("403", {"status": 403}),
    ("no JSON", HTML),
    ("a hang-up", {"drop": True}),
    ("a long wait", {"status": 429, "headers": {"Retry-After": "600"}}),
]


@pytest.mark.parametrize(
    "lost", [pytest.param({"status": 502}, id="502"), pytest.param(HTML, id="no JSON", marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("claim", "fault"), rows(UNREADABLE, "500", "403"))
@pytest.mark.parametrize("effect", [True, False])
def test_what_cannot_be_told_is_said_to_be_unknown(
    tmp_path: Path, lost: dict[str, Any], claim: str, fault: dict[str, Any], effect: bool
) -> None:
    with hub() as h:
        pull = pull_request(h)
        before, event = h.world.head(pull), h.comment(pull, "octocat", FITS)
        h.fault(MOVE, **lost, effect=effect)
        h.fault(READ, **fault, times=99)
        done = act(h, event, tmp_path)
        commit = h.world.head(pull)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (2, "refused", ""), claim
        [error] = done.errors
        assert "it is not known whether " in error
        assert " is on the branch; look at the branch, then run the job again" in error
        assert (commit in done.log) is effect
        body = pull.reviews[0].body
        assert body.split("\n")[1].startswith("### Unknown: whether commit ")
        assert "othing committed" not in body
        assert "othing was written" not in body
        h.faults.clear()
        again = act(h, event, tmp_path)
        assert (again.outputs["result"], again.outputs["commit-sha"]) == ("applied", h.world.head(pull))
        assert (commits(h, pull, before), states(pull)) == (1, ["applied"])


def edit(h: Hub, pull: PullRequest) -> None:
    h.world.edit(pull.comments[0], FITS + "\nps")


def merge(h: Hub, pull: PullRequest) -> None:
    pull.state = "merged"


@pytest.mark.parametrize("change", [edit, merge])
@pytest.mark.parametrize("stale", [1, 2])
def test_a_late_effect_counts_whatever_happens_next(
    tmp_path: Path, change: Callable[[Hub, PullRequest], None], stale: int
) -> None:
    with hub() as h:
        pull = pull_request(h)
        before, event = h.world.head(pull), h.comment(pull, "octocat", FITS)

        def lag(answer: Any) -> Any:
            answer["object"]["sha"] = before
            return answer

        h.fault(MOVE, status=502, effect=True)
        h.fault(READ, alter=lag, times=stale)
        h.fault("query Live", nth=2, before=lambda: change(h, pull))
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert done.outputs["commit-sha"] == h.world.branch(pull.head_ref) != before
        assert (states(pull), reactions(pull)) == (["applied"], ["rocket"])


def test_a_branch_that_is_not_found_once_is_looked_for_again(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.fault(MOVE, status=502, effect=True)
        h.fault(READ, status=404)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (0, "applied", h.world.head(pull))


def test_a_move_that_never_gets_an_answer_is_unknown(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        h.fault(MOVE, status=502, times=99)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.names.count(MOVE), h.world.head(pull)) == (2, 3, before)
        assert "Unknown: whether commit " in pull.reviews[0].body


def test_an_edited_comment_after_a_move_that_was_not_made_is_stale(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        h.fault(MOVE, status=502)
        h.fault("query Live", nth=2, before=lambda: edit(h, pull))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "stale", before)
