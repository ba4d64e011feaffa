"""From a payload to a task, without a request; and which branch names may be written."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import gitkit
from support.actionkit import FITS, payload, pull_request
from support.hub import hub

from editblocks.core.errors import RepoError
from editblocks.hosts.github.event import Task, decide
from editblocks.hosts.github.state import is_branch_name

Change = Callable[[Any], object]


@pytest.fixture(scope="module")
def event() -> Any:
    """An official payload with a block in it."""
    with hub() as h:
        return payload(h.comment(pull_request(h), "monalisa", FITS))


def changed(event: Any, change: Change) -> Any:
    """A copy, with one thing that is different."""
    copy: Any = {name: dict(value) if isinstance(value, dict) else value for name, value in event.items()}
    copy["comment"]["user"] = dict(copy["comment"]["user"])
    change(copy)
    return copy


def task_of(event: Any, change: Change = lambda _: None) -> Task | None:
    return decide("issue_comment", changed(event, change))


def test_a_comment_with_a_block_is_a_task(event: Any) -> None:
    task = task_of(event)
    assert task is not None
    number = event["comment"]["id"]
    remark = task.comment
    assert remark is not None
    assert (task.repository, task.number, remark.id) == ("octocat/Hello-World", 1, number)
    assert (task.author.login, task.author.is_bot, remark.body) == ("monalisa", False, FITS)
    assert (remark.source, remark.kind, remark.author) == (f"issuecomment-{number}", "comment", task.author)


def test_the_text_is_the_one_of_the_event_byte_for_byte(event: Any) -> None:
    body = FITS.replace("\n", "\r\n") + "\u2028\ufeff"
    task = task_of(event, lambda copy: copy["comment"].update(body=body))
    assert task is not None
    assert task.comment is not None
    assert task.comment.body == body


NO_TASK: list[tuple[str, Change]] = [
    ("edited", lambda copy: copy.update(action="edited")),
    ("on an issue", lambda copy: copy["issue"].pop("pull_request")),
    ("closed", lambda copy: copy["issue"].update(state="closed")),
    ("words", lambda copy: copy["comment"].update(body="nice")),
    ("a whole file", lambda copy: copy["comment"].update(body="app.py\n```py\nx = 2\n```\n")),
    ("nothing", lambda copy: copy["comment"].update(body="")),
    ("quoted", lambda copy: copy["comment"].update(body="> " + FITS.replace("\n", "\n> "))),
    ("our status", lambda copy: copy["comment"].update(body=f"<!-- editblocks:status v1 x -->\n{FITS}")),
    ("our answer", lambda copy: copy["comment"].update(body=f"<!-- editblocks:answer v1 x -->\n{FITS}")),
]


@pytest.mark.parametrize(("claim", "change"), NO_TASK, ids=[row[0] for row in NO_TASK])
def test_what_is_no_task(event: Any, claim: str, change: Change) -> None:
    assert task_of(event, change) is None, claim


@pytest.mark.parametrize("name", ["issues", "workflow_dispatch", "schedule", ""])
def test_other_events_are_no_task(event: Any, name: str) -> None:
    assert decide(name, event) is None


BOTS: list[tuple[str, Change, bool, str]] = [
    ("a bot", lambda copy: copy["comment"]["user"].update(type="Bot", login="renovate[bot]"), True, "renovate[bot]"),
    ("an organisation", lambda copy: copy["comment"]["user"].update(type="Organization"), True, "monalisa"),
    ("an app", lambda copy: copy["comment"].update(performed_via_github_app={"id": 1}), True, "monalisa"),
    ("a deleted account", lambda copy: copy["comment"].update(user=None), True, "ghost"),
    ("a person", lambda copy: copy["sender"].update(type="Bot"), False, "monalisa"),
]


@pytest.mark.parametrize(("claim", "change", "is_bot", "author"), BOTS, ids=[row[0] for row in BOTS])
def test_whose_word_it_is(event: Any, claim: str, change: Change, is_bot: bool, author: str) -> None:
    task = task_of(event, change)
    assert task is not None
    assert (task.author.is_bot or task.author.via_app, task.author.login) == (is_bot, author), claim


BROKEN: list[tuple[str, Change]] = [
    ("no comment", lambda copy: copy.pop("comment")),
    ("no action", lambda copy: copy.pop("action")),
    ("no id", lambda copy: copy["comment"].pop("id")),
    ("an id in words", lambda copy: copy["comment"].update(id="x")),
    ("an endless number", lambda copy: copy["issue"].update(number=float("inf"))),
    ("no body", lambda copy: copy["comment"].update(body=None)),
    ("no login", lambda copy: copy["comment"]["user"].update(login="a/../b")),
    ("a login that ends a line", lambda copy: copy["comment"]["user"].update(login="monalisa\n")),
    ("no repository", lambda copy: copy["repository"].update(full_name="../x")),
    ("a repository of three", lambda copy: copy["repository"].update(full_name="a/b/c")),
    ("no node id", lambda copy: copy["comment"].update(node_id=7)),
]


@pytest.mark.parametrize(("claim", "change"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_payload_of_another_shape(event: Any, claim: str, change: Change) -> None:
    with pytest.raises(RepoError, match="the event file is not a issue_comment payload") as caught:
        task_of(event, change)
    assert "\n" not in caught.value.message, claim


@pytest.mark.parametrize("content", [None, [], {}, "x", 1])
def test_a_payload_that_is_none(content: object) -> None:
    with pytest.raises(RepoError):
        decide("issue_comment", content)


def test_the_dangerous_event_is_an_error(event: Any) -> None:
    with pytest.raises(RepoError, match="use issue_comment"):
        decide("pull_request_target", event)


GOOD = ("topic", "feature/cart", "a.b", "a-b", "a@b", "caf\u00e9", "x/y/z", "@x", "a{b", "locked", "HEAD/x", "heads/x")
BAD = ("", "-x", "a..b", "x.lock", "x.lock/y", "a\r", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "/a",
       "a/", "a//b", ".a", "a/.b", "a.", "@", "a@{b", "HEAD", "refs/heads/x", "a\x7f", "a\0", "\ud800")  # fmt: skip


@pytest.mark.parametrize(("name", "fine"), [*((name, True) for name in GOOD), *((name, False) for name in BAD)])
def test_branch_names(name: str, fine: bool) -> None:
    assert is_branch_name(name) is fine


@settings(max_examples=60, deadline=None)
@given(name=st.text(st.sampled_from("ab/.-@{~ ^:lock\\*[?\x01\u00e9"), min_size=1, max_size=8))
def test_what_is_accepted_git_accepts_too(name: str) -> None:
    command = ["git", "check-ref-format", "--branch", name]
    done = subprocess.run(command, env=gitkit.ISOLATED, cwd=Path("/"), capture_output=True, check=False)
    assert is_branch_name(name) <= (done.returncode == 0)
