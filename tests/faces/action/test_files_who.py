"""Whose response files are applied, and what a policy or a fork changes."""

from pathlib import Path

import pytest
from support.actionkit import (
    APP,
    APP_NEW,
    FAILS,
    FITS,
    act,
    payload,
    states,
)
from support.filecases import FILES, KEEP, OTHER_FITS, A, content, messages, opened, writes
from support.hub import hub
from support.hub.model import Rule

# who may


SENDERS: list[tuple[str, str, int, str]] = [
    ("admin", "octocat", 0, "applied"),
    ("write", "monalisa", 0, "applied"),
    ("a bot", "dependabot[bot]", 0, "applied"),
    ("read", "hubot", 2, "checked"),
    ("a stranger", "mallory", 2, "checked"),
]


@pytest.mark.parametrize(("claim", "login", "code", "result"), SENDERS, ids=[row[0] for row in SENDERS])
@pytest.mark.long
def test_who_pushed_is_asked_for(tmp_path: Path, claim: str, login: str, code: int, result: str) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        done = act(h, h.pull_event(pull, "synchronize", login, before=h.world.head(pull)), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (code, result, [result]), claim
        assert (A in content(h, pull)) == (result != "applied")
        assert ("GET collaborators/{username}/permission" in done.names) == (login != "dependabot[bot]")
        assert not code or done.errors[0].startswith(f"not-permitted: {A} was not applied, {login} has read access")


def test_a_permission_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.fault("GET collaborators/*/permission", status=500, times=99)
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["checked"], True)


def test_a_sender_that_is_gone_is_nobody(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        event = h.pull_event(pull)
        payload(event)["sender"] = None
        done = act(h, event, tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["checked"], True)


def test_without_a_right_to_review_the_job_says_it(tmp_path: Path) -> None:
    """A token that may write contents alone: the commit is made, and the missing review fails nothing."""
    with hub() as h:
        pull = opened(h, FITS)
        token = h.world.new_token("actions", h.world.bot, ("contents",))
        done = act(h, h.pull_event(pull), tmp_path, token=token)
        assert (done.code, done.outputs["result"], states(pull), A in content(h, pull)) == (0, "applied", [], False)
        assert "the status could not be written: GitHub refused" in done.log


@pytest.mark.long
@pytest.mark.parametrize("activity", ["opened", "reopened"])
def test_a_bot_that_pushed_nothing_is_no_writer(tmp_path: Path, activity: str) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        done = act(h, h.pull_event(pull, activity, "stale[bot]"), tmp_path)
        assert (done.code, done.outputs["result"], A in content(h, pull)) == (2, "checked", True)


def test_a_token_that_only_reads_fails_the_job(tmp_path: Path) -> None:
    """As the runs that Dependabot sets off have it: https://docs.github.com/en/code-security/dependabot/working-with-dependabot/automating-dependabot-with-github-actions"""
    with hub() as h:
        pull = opened(h, FITS)
        done = act(
            h,
            h.pull_event(pull, "synchronize", "dependabot[bot]", h.world.head(pull)),
            tmp_path,
            token=h.world.read_token,
        )
        assert (done.code, done.outputs["result"], states(pull), A in content(h, pull)) == (2, "refused", [], True)
        assert done.errors[0].startswith("publish-failed: GitHub refused (writing the tree, 403)")


def test_a_protected_head_is_only_checked(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        h.world.repository.protection[pull.head_ref] = Rule()
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["refused"], True)
        assert done.errors[0].startswith("branch-refused: .edits/a.md was not applied, feature-1 is protected; ")


# what a policy changes


@pytest.mark.long
def test_mode_check_commits_nothing(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, FAILS)
        done = act(h, h.pull_event(pull), tmp_path, {"mode": "check"})
        assert (done.code, states(pull), set(writes(done))) == (
            2, ["checked", "failed"], {"POST pulls/{pull_number}/reviews"},
        )  # fmt: skip
        assert [error.partition(":")[0] for error in done.errors] == ["no-match"]


def test_a_policy_that_cannot_be_read_fails_the_job(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, policy=b"mod: check\n")
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), A in content(h, pull)) == (2, ["refused"], True)
        assert done.errors[0].startswith("bad-config: .editblocks.yml line 1 on main: unknown key `mod`")


@pytest.mark.long
def test_trigger_command_waits_for_somebody(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS)
        inputs = {"trigger": "command"}
        done = act(h, h.pull_event(pull), tmp_path, inputs)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "checked", ["checked"])
        assert "/apply" in pull.reviews[0].body
        done = act(h, h.comment(pull, "octocat", "/apply"), tmp_path, inputs)
        assert (done.outputs["result"], states(pull)) == ("applied", ["applied"]), done.log
        assert (content(h, pull)["app.py"], A in content(h, pull)) == (APP_NEW, False)
        assert "Edit-Blocks-Applied-By: octocat" in messages(h, pull, 1)[0]


@pytest.mark.long
def test_a_kept_file_is_applied_once(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, policy=KEEP)
        before = h.world.head(pull)
        event = h.pull_event(pull)
        first = act(h, event, tmp_path)
        assert (first.code, first.outputs["result"]) == (0, "applied")
        assert content(h, pull)[A] == FITS.encode()
        again = act(h, event, tmp_path)
        assert (again.code, again.outputs["result"], writes(again)) == (0, "applied", []), again.log
        h.world.push(pull, {"app.py": APP})  # somebody takes it back by hand: the file says nothing new
        last = act(h, h.pull_event(pull, "synchronize", before=before), tmp_path)
        assert (last.code, writes(last), content(h, pull)["app.py"]) == (0, [], APP)
        assert states(pull) == ["applied"]


@pytest.mark.long
def test_a_kept_file_that_is_changed_is_another_one(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, FITS, policy=KEEP)
        act(h, h.pull_event(pull), tmp_path)
        h.world.push(pull, {A: OTHER_FITS.encode()})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], states(pull)) == (0, "applied", ["applied"])
        assert content(h, pull)["notes.txt"] == b"one\n2\n"


# forks


@pytest.mark.parametrize(("text", "code", "result"), [(FITS, 0, "refused"), (FAILS, 2, "failed")])
@pytest.mark.long
def test_a_fork_gets_a_summary(tmp_path: Path, text: str, code: int, result: str) -> None:
    with hub() as h:
        fork = h.world.fork()
        pull = h.world.pull_request({**FILES, A: text.encode()}, author="hubot", fork=fork)
        event = h.pull_event(pull)
        assert event.reads_only
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"], writes(done), pull.reviews) == (code, result, [], [])
        assert ("git apply" in done.summary) == (code == 0)
        assert ("::error file=.edits/a.md" in done.log) == (code == 2)
        assert "no status: the token of a pull request from a fork can only read" in done.log
