"""The same comment once more: what was done is found again, and nobody else's word for it counts."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from actionkit import (
    APP_NEW,
    FAILS,
    FITS,
    act,
    marker_of,
    pull_request,
    reactions,
)
from hub import hub
from hub.model import Review


def test_the_same_event_again_does_nothing_more(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        first = act(h, event, tmp_path)
        head, body = h.world.head(pull), pull.reviews[0].body
        again = act(h, event, tmp_path)
        assert (again.code, again.outputs["result"], again.outputs["commit-sha"]) == (0, "applied", head)
        assert again.outputs["review-url"] == first.outputs["review-url"]
        assert len(again.names) <= 3
        assert (h.world.head(pull), [each.body for each in pull.reviews], reactions(pull)) == (head, [body], ["rocket"])


@pytest.mark.parametrize("body", [FITS, FAILS])
def test_a_check_that_runs_again_edits_its_status(tmp_path: Path, body: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "hubot", body)
        first = act(h, event, tmp_path)
        h.world.push(pull, {"other.txt": b"x\n"})
        again = act(h, event, tmp_path)
        assert again.outputs["review-url"] == first.outputs["review-url"]
        assert [marker_of(each).head for each in pull.reviews] == [h.world.head(pull)]


@pytest.mark.parametrize("step", ["POST pulls/*/reviews", "query Live", "POST git/commits", "mutation updateRefs"])
@pytest.mark.parametrize("effect", [True, False])
def test_a_run_that_could_not_finish_is_finished_by_the_next(tmp_path: Path, step: str, effect: bool) -> None:
    """Every request of that kind goes unanswered, and the run ends without having finished."""
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        event = h.comment(pull, "octocat", FITS)
        h.fault(step, drop=True, effect=effect, times=99)
        act(h, event, tmp_path)
        h.faults.clear()
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied"), done.log
        assert h.world.store.git("rev-list", "--count", f"{before}..{h.world.head(pull)}").decode().strip() == "1"
        assert [marker_of(each).commit for each in pull.reviews] == [h.world.head(pull)]


def test_a_forged_trailer_is_not_believed(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        url = f"https://github.com/octocat/Hello-World/pull/1#issuecomment-{pull.comments[0].id}"
        digest = sha256(FITS.encode()).hexdigest()
        h.world.push(pull, {"x": b"x"}, f"x\n\nEdit-Blocks-Source: {url}\nEdit-Blocks-Digest: {digest}\n")
        done = act(h, event, tmp_path)
        assert done.outputs["result"] == "applied"
        assert h.world.files(h.world.head(pull))["app.py"] == ("100755", APP_NEW)


def test_somebody_elses_marker_is_left_alone(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        act(h, event, tmp_path, {"mode": "check"})
        pull.reviews[0].author = h.world.user("mallory")
        theirs = pull.reviews[0].body
        done = act(h, event, tmp_path)
        assert (done.outputs["result"], len(pull.reviews), pull.reviews[0].body) == ("applied", 2, theirs)


def test_a_status_that_somebody_edited_is_not_believed_but_replaced(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        act(h, event, tmp_path, {"mode": "check"})
        forged = pull.reviews[0].body.replace("state=checked", f"state=applied commit={'0' * 40}")
        h.world.edit(pull.reviews[0], forged, h.world.user("monalisa"))
        done = act(h, event, tmp_path)
        assert (done.outputs["result"], len(pull.reviews)) == ("applied", 1)
        assert marker_of(pull.reviews[0]).commit == h.world.head(pull)


def test_a_status_below_many_reviews_is_found(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "hubot", FITS)
        act(h, event, tmp_path)
        first = pull.reviews[0]
        for _ in range(120):
            review = type(first)(h.world.next_id(), h.world.octocat, "fine", h.world.tick(), h.world.tick())
            pull.reviews.append(review)
        act(h, event, tmp_path)
        assert len(pull.reviews) == 121


def test_reviews_older_than_the_comment_are_not_searched(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        for _ in range(60):
            at = h.world.tick()
            pull.reviews.append(Review(h.world.next_id(), h.world.octocat, "fine", at, at))
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.outputs["result"], done.names.count("query Reviews")) == ("applied", 0)
