"""A comment written against another commit of the branch: merged if the head grew from it, else judged on the head."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.actionkit import act, block, states
from support.hub import Hub, PullRequest, hub

OLD = b"name = 'shop'\n\nlimit = 10\n\ntotal = 0\n"
NOW = OLD.replace(b"shop", b"store")
EDIT = block("app.py", OLD.decode().rstrip("\n"), OLD.decode().replace("total = 0", "total = 1").rstrip("\n"))


def older(h: Hub, pull: PullRequest, old: str) -> str:
    return old


def shortened(h: Hub, pull: PullRequest, old: str) -> str:
    return old[:12]


def one_digit_less(h: Hub, pull: PullRequest, old: str) -> str:
    return old[:39]


def unknown(h: Hub, pull: PullRequest, old: str) -> str:
    return "f" * 40


def in_a_fork(h: Hub, pull: PullRequest, old: str) -> str:
    """GitHub shows a fork's commits through the repository; they prove nothing about the branch."""
    return h.world.commit({"app.py": OLD}, "Theirs", "theirs", repository=h.world.fork("hubot"), parent=old)


def on_another_branch(h: Hub, pull: PullRequest, old: str) -> str:
    return h.world.commit({"other.txt": b""}, "Aside", "aside", parent=old)


def one_digit_more(h: Hub, pull: PullRequest, old: str) -> str:
    return f"{old}0"


def a_digest(h: Hub, pull: PullRequest, old: str) -> str:
    """As long as an id of a repository with SHA-256, which GitHub has none of."""
    return old + "0" * 24


COMPARE, OBJECTS = "GET compare/{basehead}", "query Objects"
NO_COMMIT = (
    "is not in the history of this branch (on GitHub, write the commit with all 40 digits), so nothing is merged"
)
BASES: list[tuple[Callable[[Hub, PullRequest, str], str], str, list[str], str]] = [
    (older, "applied", [OBJECTS, COMPARE, OBJECTS], ""),
    (shortened, "failed", [OBJECTS], NO_COMMIT),
    (one_digit_less, "failed", [OBJECTS], f"…` {NO_COMMIT}"),
    (one_digit_more, "failed", [OBJECTS], f"…` {NO_COMMIT}"),
    (a_digest, "failed", [OBJECTS], f"…` {NO_COMMIT}"),
    (unknown, "failed", [OBJECTS, COMPARE], NO_COMMIT),
    (in_a_fork, "failed", [OBJECTS, COMPARE], NO_COMMIT),
    (on_another_branch, "failed", [OBJECTS, COMPARE], NO_COMMIT),
]


@pytest.mark.parametrize(("named", "state", "requests", "note"), BASES, ids=[row[0].__name__ for row in BASES])
@pytest.mark.long
def test_only_a_commit_that_the_head_grew_from_is_merged_with(
    tmp_path: Path, named: Callable[[Hub, PullRequest, str], str], state: str, requests: list[str], note: str
) -> None:
    with hub() as h:
        pull = h.world.pull_request({"app.py": OLD})
        old = h.world.head(pull)
        h.world.push(pull, {"app.py": NOW})
        done = act(h, h.comment(pull, "octocat", f"base: {named(h, pull, old)}\n\n{EDIT}"), tmp_path)
        assert (done.code, states(pull)) == (0, [state]), done.log
        assert [name for name in done.names if name in {COMPARE, OBJECTS}] == requests
        (status,) = (review.body for review in pull.reviews)
        assert (note in status, "nothing is merged" in status) == (True, bool(note)), status
        merged = NOW.replace(b"total = 0", b"total = 1")
        assert h.world.files(h.world.head(pull))["app.py"][1] == (merged if state == "applied" else NOW)


def test_a_block_that_fits_the_head_asks_for_no_other_commit(tmp_path: Path) -> None:
    with hub() as h:
        pull = h.world.pull_request({"app.py": OLD})
        done = act(h, h.comment(pull, "octocat", f"base: {'f' * 40}\n\n{EDIT}"), tmp_path)
        assert (states(pull), COMPARE in done.names) == (["applied"], False)


def test_a_comparison_that_fails_ends_the_run(tmp_path: Path) -> None:
    with hub() as h:
        pull = h.world.pull_request({"app.py": OLD})
        old = h.world.head(pull)
        h.world.push(pull, {"app.py": NOW})
        h.fault("GET compare/*", status=500, times=9)
        done = act(h, h.comment(pull, "octocat", f"base: {old}\n\n{EDIT}"), tmp_path)
        assert (done.code, states(pull), done.names.count(COMPARE)) == (2, ["refused"], 3)
        assert done.errors[0].startswith("unavailable: GitHub refused (comparing commits, 500)")
        assert h.world.files(h.world.head(pull))["app.py"][1] == NOW
