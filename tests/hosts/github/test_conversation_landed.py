"""Blocks that a commit of the same source holds are not tried again, offered or taken for failed."""

from pathlib import Path

import pytest
from support.actionkit import act, block, pull_request
from support.hub import Hub, PullRequest, hub

API = b"def a():\n    return None\ndef b():\n    return None\n"
APP = b"def total(items):\n    result = 0\n    return result\n"
BODY = block("app.py", "    return result", "    return result or 0") + block(
    "api.py", "    return None", "    return 1"
)


def opened(h: Hub) -> PullRequest:
    return pull_request(h, {"app.py": APP, "api.py": API})


def say(h: Hub, pull: PullRequest, tmp_path: Path, *bodies: str) -> str:
    """Comments of the owner, one after the other; what came of the last one."""
    done = [act(h, h.comment(pull, "octocat", body), tmp_path) for body in bodies]
    assert [each.code for each in done] == [0] * len(bodies), [each.log for each in done]
    return done[-1].outputs["result"]


def row(pull: PullRequest, number: int) -> str:
    return next(line for line in pull.reviews[0].body.splitlines() if line.startswith(f"| {number} |"))


def api(h: Hub, pull: PullRequest) -> bytes:
    return h.world.files(h.world.head(pull))["api.py"][1]


@pytest.mark.long
def test_a_second_word_takes_what_is_left(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        assert say(h, pull, tmp_path, BODY, "/apply 1") == "partial"
        assert say(h, pull, tmp_path, "/apply 2@4") == "applied"
        assert "already-applied" in row(pull, 1)
        assert "/apply 1" not in pull.reviews[0].body
        assert api(h, pull) == b"def a():\n    return None\ndef b():\n    return 1\n"
        message = h.world.store.git("log", "-1", "--format=%b", h.world.head(pull)).decode()
        assert "Edit-Blocks-Selected: 2@4\n" in message


@pytest.mark.long
def test_a_block_that_was_put_at_one_place_is_not_put_at_the_other(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        say(h, pull, tmp_path, BODY, "/apply 2@2")
        assert say(h, pull, tmp_path, "/apply ready") == "applied"
        assert ("already-applied" in row(pull, 2), api(h, pull).count(b"return 1")) == (True, 1)


@pytest.mark.long
def test_what_is_taken_back_is_offered_again(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        say(h, pull, tmp_path, BODY, "/apply 1", "/apply 2@4", "/undo")
        assert "already-applied" in row(pull, 1)
        assert "ambiguous" in row(pull, 2)
        assert say(h, pull, tmp_path, "/apply 2@2") == "applied"
        assert api(h, pull) == b"def a():\n    return 1\ndef b():\n    return None\n"


@pytest.mark.long
def test_what_git_reverted_is_tried_again(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        say(h, pull, tmp_path, BODY, "/apply 1")
        words = f'Revert "Apply 1 edit block"\n\nThis reverts commit {h.world.head(pull)}.\n'
        h.world.push(pull, {"app.py": APP}, words)
        assert say(h, pull, tmp_path, "/apply ready") == "partial"
        assert b"or 0" in h.world.files(h.world.head(pull))["app.py"][1]


@pytest.mark.long
def test_to_leave_out_the_rest_is_no_failure(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h)
        say(h, pull, tmp_path, BODY, "/apply 1", "/skip 2")
        assert "already-applied" in row(pull, 1)
        assert "failed" not in pull.reviews[0].body
