"""What a run needs before it may ask anything: settings, files, and the repository of the event."""

from pathlib import Path

import pytest
from support.actionkit import (
    APP,
    APP_NEW,
    FITS,
    act,
    payload,
    pull_request,
    run,
)
from support.hub import hub

BAD_START: list[tuple[str, dict[str, str], str]] = [
    ("no token", {"EDITBLOCKS_TOKEN": ""}, "bad-config: the input `token` is empty"),
    ("an unknown key", {"EDITBLOCKS_MOD": "x"}, "bad-config: input `mod` is not a setting; did you mean input `mode`?"),
    ("a wrong value", {"EDITBLOCKS_MODE": "x"}, "bad-config: input `mode` is `x`"),
    ("no https", {"GITHUB_API_URL": "http://example.com"}, "bad-config: GITHUB_API_URL is not an https address"),
    ("half a bracket", {"GITHUB_API_URL": "https://[::1"}, "bad-config: GITHUB_API_URL is not an https address"),
    ("a port that is none", {"GITHUB_API_URL": "https://example.com:x"}, "bad-config: GITHUB_API_URL is not an https"),
    ("no address", {"GITHUB_SERVER_URL": "x\n::error::y"}, "bad-config: GITHUB_SERVER_URL is not an address"),
    ("no event file", {"GITHUB_EVENT_PATH": "/none"}, "unavailable: the event file cannot be read (FileNotFoundError)"),
    ("no event path", {"GITHUB_EVENT_PATH": ""}, "unavailable: GITHUB_EVENT_PATH is not set"),
    ("a dangerous event", {"GITHUB_EVENT_NAME": "pull_request_target"}, "unavailable: the event pull_request_target"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "changes", "message"), BAD_START, ids=[row[0] for row in BAD_START])
@pytest.mark.long(after=2)
def test_a_start_that_cannot_be_made(tmp_path: Path, claim: str, changes: dict[str, str], message: str) -> None:
    with hub() as h:
        environ = h.action_env(h.comment(pull_request(h), "octocat", FITS), tmp_path) | changes
        done = run(h, environ, tmp_path)
        outputs = {"result": "refused"} if "input" in message else {}
        assert (done.code, done.names, done.outputs) == (2, [], outputs), claim
        assert [error.startswith(message) for error in done.errors] == [True], done.log


@pytest.mark.parametrize("name", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP"])
@pytest.mark.long(after=2)
def test_a_file_of_the_runner_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        environ = h.action_env(h.comment(pull, "octocat", FITS), tmp_path)
        done = run(h, environ | {name: str(tmp_path / "none" / "file")}, tmp_path)
        assert (done.code, len(done.errors), name in done.errors[0]) == (2, 1, True)
        assert (len(pull.reviews), h.world.files(h.world.head(pull))["app.py"][1]) == (1, APP_NEW)


def test_a_payload_of_another_shape(tmp_path: Path) -> None:
    with hub() as h:
        event = h.comment(pull_request(h), "octocat", FITS)
        del payload(event)["comment"]["id"]
        done = act(h, event, tmp_path)
        assert (done.code, done.names) == (2, [])
        assert done.errors == [
            "unavailable: the event file is not a issue_comment payload ('id'); let the runner write it"
        ]


def test_another_repository_of_the_same_name_is_not_touched(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        payload(event)["repository"]["id"] = 1
        done = act(h, event, tmp_path)
        assert (done.code, len(pull.reviews)) == (2, 0)
        assert "octocat/Hello-World is no longer the repository that the event came from" in done.errors[0]
        assert h.world.files(h.world.head(pull))["app.py"][1] == APP


@pytest.mark.long
def test_a_repository_that_was_renamed_is_the_same_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The event has the old name; the server moves every request, and nothing is printed of it."""
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        h.world.rename(h.world.repository, "Moved")
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"]) == (0, "applied")
        assert h.world.files(h.world.head(pull))["app.py"][1] == APP_NEW
    assert capfd.readouterr() == ("", "")


def test_an_archived_repository_is_left_alone(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        h.world.repository.archived = True
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], pull.reviews) == (2, "refused", [])
        assert all("archived so is read-only" in error for error in done.errors)


@pytest.mark.parametrize(("variable", "value"), [("GITHUB_STEP_SUMMARY", ""), ("RUNNER_TEMP", "/dev/null")])
@pytest.mark.long
def test_a_commit_is_put_out_although_the_runner_lacks_something(tmp_path: Path, variable: str, value: str) -> None:
    with hub() as h:
        pull = pull_request(h)
        environ = h.action_env(h.comment(pull, "octocat", FITS), tmp_path / "run") | {variable: value}
        done = run(h, environ, tmp_path / "run")
        assert (done.code, done.outputs["commit-sha"]) == (2, h.world.head(pull))
        assert done.errors[0].startswith("unavailable: ")
