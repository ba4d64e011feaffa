"""The same comment once more: what was done is found again, and nobody else's word for it counts."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from support.actionkit import (
    APP_NEW,
    FAILS,
    FITS,
    act,
    marker_of,
    pull_request,
    reactions,
    states,
)
from support.hub import Hub, PullRequest, hub
from support.hub.model import Review

pytestmark = pytest.mark.long  # the fast profile has one of each kind elsewhere


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
@pytest.mark.long
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


# commits with our message, word for word, as anybody who can push makes them


def forge(h: Hub, pull: PullRequest, files: Mapping[str, bytes], author: str, signed: bool) -> str:
    url = f"https://github.com/octocat/Hello-World/pull/1#issuecomment-{pull.comments[0].id}"
    message = (
        "Apply 1 edit block\n\n1 of 1 edit block, 1 file, +1 -1.\nHow: 1 exact.\n\n"
        f"Edit-Blocks-Source: {url}\nEdit-Blocks-Digest: {sha256(FITS.encode()).hexdigest()}\n"
        "Edit-Blocks-Selected: all\nEdit-Blocks-Applied-By: octocat\n"
    )
    return h.world.commit(files, message, pull.head_ref, author=author, modes={"app.py": "100755"}, signed=signed)


OTHER = {"app.py": b"something else\n"}
# whose address the commit has, and whether GitHub signed it
FORGED = [
    ("pushed with the bot's address", "github-actions[bot]", False),
    ("written in the web editor", "monalisa", True),
    ("pushed under a name of their own", "monalisa", False),
]


@pytest.mark.parametrize(("author", "signed"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED])
def test_a_commit_that_the_bot_did_not_make_is_not_taken_for_ours(tmp_path: Path, author: str, signed: bool) -> None:
    for login, result in (("monalisa", "applied"), ("hubot", "checked")):
        with hub() as h:
            pull = pull_request(h)
            event = h.comment(pull, login, FITS)
            forge(h, pull, {"evil.sh": b"echo\n"}, author, signed)
            done = act(h, event, tmp_path)
            assert (done.outputs["result"], states(pull)) == (result, [result]), done.log
            assert done.outputs["commit-sha"] == (h.world.head(pull) if result == "applied" else "")


@pytest.mark.parametrize(("author", "signed"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED])
def test_a_commit_that_the_bot_did_not_make_is_not_undone(tmp_path: Path, author: str, signed: bool) -> None:
    with hub() as h:
        pull = pull_request(h)
        h.comment(pull, "octocat", FITS)
        head = forge(h, pull, OTHER, author, signed)
        act(h, h.comment(pull, "octocat", "/undo"), tmp_path)
        assert (h.world.head(pull), "there is nothing to undo here" in pull.comments[-1].body) == (head, True)


def test_a_commit_of_ours_below_a_forged_one_is_found(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        ours = forge(h, pull, {"app.py": APP_NEW}, "github-actions[bot]", True)
        head = forge(h, pull, {"evil.sh": b"echo\n"}, "github-actions[bot]", False)
        done = act(h, event, tmp_path)
        assert (done.outputs["result"], done.outputs["commit-sha"], h.world.head(pull)) == ("applied", ours, head)
        assert f"Applied 1 edit block in {ours[:7]}" in pull.reviews[0].body


def test_a_commit_that_was_made_is_reported_whoever_the_run_is_for(tmp_path: Path) -> None:
    """A reader's comment that somebody had applied, by a run that was cut off before its status."""
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "hubot", FITS)
        ours = forge(h, pull, {"app.py": APP_NEW}, "github-actions[bot]", True)
        done = act(h, event, tmp_path)
        assert (done.outputs["result"], done.outputs["commit-sha"], states(pull)) == ("applied", ours, ["applied"])
        assert h.world.head(pull) == ours


def test_a_personal_token_knows_its_commits_by_address_and_message(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "hubot", FITS)
        ours = forge(h, pull, {"app.py": APP_NEW}, h.world.octocat.login, False)
        done = act(h, event, tmp_path, token=h.world.new_token("personal", h.world.octocat))
        assert (done.outputs["result"], done.outputs["commit-sha"]) == ("applied", ours), done.log


def test_a_forged_commit_that_comes_in_between_silences_nobody(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        h.fault("mutation updateRefs", before=lambda: forge(h, pull, OTHER, "github-actions[bot]", False))
        done = act(h, event, tmp_path)
        assert (done.outputs["result"], done.outputs["commit-sha"], states(pull)) == ("failed", "", ["failed"])
