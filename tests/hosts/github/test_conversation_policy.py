"""Commands and settings, and where nothing may be written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.actionkit import FITS
from support.hub.model import Rule
from support.talkkit import BOTH, MIXED, NOTE, NOTES, Talk, some, talk

# settings


def policy(t: Talk, text: str, branch: str = "main") -> None:
    t.h.world.commit({".editblocks.yml": text.encode()}, "Policy", branch)


@pytest.mark.long
def test_only_long_commands_count_where_short_ones_are_off(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        policy(t, "short-commands: false\n")
        t.say("hubot", FITS)
        done = t.say("octocat", "/apply")
        assert (t.made, t.answers, t.reactions) == (0, [], [])
        assert "short-commands" in done.log
        assert "/edits apply" in t.status
        t.say("octocat", "/edits apply")
        assert (t.made, t.states) == (1, ["applied"])


@pytest.mark.long
def test_blocks_below_a_short_command_that_is_off_are_blocks(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        policy(t, "short-commands: false\n")
        t.say("octocat", f"/skip 1\n\n{FITS}")
        assert (t.made, t.states) == (1, ["applied"])


@pytest.mark.long
def test_blocks_of_writers_wait_where_only_commands_apply(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"trigger": "command"}) as t:
        done = t.say("octocat", FITS)
        assert (done.outputs["result"], t.states, t.reactions) == ("checked", ["checked"], ["eyes"])
        t.say("octocat", f"/apply\n\n{NOTE}")
        assert (t.made, t.states, t.is_applied) == (1, ["checked", "applied"], False)
        t.say("monalisa", "/apply")
        assert (t.made, t.states, t.is_applied) == (2, ["applied", "applied"], True)


ONLY_CHECKED = ("/apply", "/apply ready", "/apply 1", "/skip 2", "/retry", f"/apply\n\n{NOTE}")


@pytest.mark.long
@pytest.mark.parametrize("command", some(ONLY_CHECKED, "/apply", ONLY_CHECKED[-1]))
def test_a_workflow_that_only_checks_commits_by_no_command(tmp_path: Path, command: str) -> None:
    with talk(tmp_path, inputs={"mode": "check"}) as t:
        t.say("hubot", BOTH)
        done = t.say("octocat", command)
        assert (done.code, t.made, set(t.states)) == (0, 0, {"checked"}), done.log
        is_refused = command.startswith("/apply")
        assert t.reactions == (["confused"] if is_refused else ["eyes"])
        said = "not-permitted: this workflow only checks (mode: check), so nothing was committed"
        assert t.answers == ([said] if is_refused else [])


@pytest.mark.long
def test_a_workflow_that_only_checks_takes_nothing_back(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        done = t.say("octocat", "/undo", inputs={"mode": "check"})
        assert (done.code, t.made, t.states, t.is_applied) == (0, 1, ["applied"], True)
        assert ["only checks" in answer for answer in t.answers] == [True]


@pytest.mark.long
def test_parts_of_what_a_command_names(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"partial": "true"}) as t:
        t.say("hubot", MIXED)
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (1, ["partial"], True)


@pytest.mark.parametrize("body", some([FITS, "/apply", "/edits help"], "/apply"))
def test_somebody_who_is_ignored(tmp_path: Path, body: str) -> None:
    with talk(tmp_path) as t:
        policy(t, "ignore-authors: [Monalisa]\n")
        t.say("hubot", NOTE)
        done = t.say("monalisa", body)
        assert (t.made, t.states, t.answers, t.reactions) == (0, ["checked"], [], [])
        assert "ignore-authors" in done.log


@pytest.mark.long
@pytest.mark.parametrize("command", some(["/apply", "/undo"], "/undo"))
def test_a_policy_that_cannot_be_used_stops_every_command(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", NOTE)
        t.say("hubot", FITS)
        policy(t, "trigr: command\n")
        done = t.say("octocat", command)
        assert (done.code, t.made, t.is_applied) == (2, 1, False), done.log
        assert "bad-config" in done.errors[0]
        assert t.reactions == ["confused"]


# where nothing may be written


def over(t: Talk) -> None:
    t.pull.state = "closed"


def merged(t: Talk) -> None:
    t.pull.state = "merged"


def queued(t: Talk) -> None:
    t.pull.queued = True


def protected(t: Talk) -> None:
    t.h.world.repository.protection[t.pull.head_ref] = Rule()


def default(t: Talk) -> None:
    t.h.world.repository.default_branch = t.pull.head_ref


def forked(t: Talk) -> None:
    t.pull.head_repository = t.h.world.fork("zoe")


def gone(t: Talk) -> None:
    t.pull.head_repository = None


# how the pull request is → the state of the status, words of the answer
PLACES: list[tuple[Callable[[Talk], None], str, str]] = [
    (over, "checked", "closed: the pull request is closed, nothing was done"),
    (merged, "checked", "closed: the pull request is merged, nothing was done"),
    (queued, "refused", ""),
    (protected, "refused", ""),
    (default, "refused", ""),
    (forked, "refused", ""),
    (gone, "refused", ""),
]


def test_without_short_commands_only_the_long_ones_are_named(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"short-commands": "false"}) as t:
        t.say("hubot", FITS)
        assert "ask somebody with that access to comment `/edits apply`" in t.status
        t.h.world.edit(t.pull.comments[0], NOTE)
        t.say("octocat", "/edits apply")
        assert "then `/edits apply` again" in t.status
        assert "`/apply" not in t.status


@pytest.mark.parametrize("command", ["/apply", pytest.param("/apply 1", marks=pytest.mark.long)])
@pytest.mark.parametrize(("change", "state", "words"), some(PLACES, "over", "forked", spread=True))
def test_where_nothing_is_written(
    tmp_path: Path, change: Callable[[Talk], None], state: str, words: str, command: str
) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        before = t.head
        event = t.h.comment(t.pull, "octocat", command)
        change(t)
        done = t.run(event)
        assert (done.code, t.head, t.states, t.reactions) == (0, before, [state], ["confused"]), done.log
        assert [words in answer for answer in t.answers] == ([True] if words else [])
        assert not [name for name in done.names if "git/" in name or name.startswith("mutation")]


@pytest.mark.long
@pytest.mark.parametrize(("change", "state", "words"), some(PLACES[2:], "protected", spread=True))
def test_where_nothing_is_taken_back(tmp_path: Path, change: Callable[[Talk], None], state: str, words: str) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        before = t.head
        event = t.h.comment(t.pull, "octocat", "/undo")
        change(t)
        done = t.run(event)
        assert (done.code, t.head, t.states, t.reactions) == (0, before, ["applied"], ["confused"]), done.log
        assert len(t.answers) == 1


# who, what → whether it is answered, the reaction
OVER: list[tuple[str, str, str, bool, list[str]]] = [
    ("a command", "octocat", "/apply", True, ["confused"]),
    ("one of somebody who may triage", "maddie", "/undo", True, ["confused"]),
    ("one with blocks", "octocat", f"/apply\n\n{FITS}", True, ["confused"]),
    ("one of a reader", "hubot", "/apply", False, ["confused"]),
    ("blocks", "octocat", FITS, False, []),
]


@pytest.mark.parametrize("state", ["closed", pytest.param("merged", marks=pytest.mark.long)])
@pytest.mark.parametrize("row", some(OVER, "a command", "blocks"))
def test_on_a_pull_request_that_is_closed_in_its_event(
    tmp_path: Path, row: tuple[str, str, str, bool, list[str]], state: str
) -> None:
    _, who, body, has_reply, reactions = row
    with talk(tmp_path) as t:
        t.pull.state = state
        done = t.say(who, body)
        said = f"closed: the pull request is {state}, nothing was done"
        assert (t.answers, t.reactions, t.made) == ([said] if has_reply else [], reactions, 0), done.log
        assert (done.names == []) is (not reactions)


# e-mail

MAIL = "/apply\r\n\r\nOn Mon, 2 Jan 2026 at 10:00, hubot wrote:\r\n\r\n"


@pytest.mark.long
def test_a_command_by_mail_does_not_take_the_blocks_it_answers(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        comment = t.h.world.say(t.pull, "octocat", MAIL + NOTE, via_email=True)
        t.run(t.h.event(t.pull, comment))
        assert (t.made, t.states, t.is_applied, t.file("notes.txt")) == (1, ["applied"], True, NOTES)


@pytest.mark.long
def test_a_source_by_mail_is_the_part_of_its_sender(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        comment = t.h.world.say(
            t.pull, "hubot", FITS + "\nOn Mon, 2 Jan 2026 at 10:00, zoe wrote:\n\n" + NOTE, via_email=True
        )
        t.run(t.h.event(t.pull, comment))
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied, t.file("notes.txt")) == (1, ["applied"], True, NOTES)


@pytest.mark.long
def test_what_a_command_costs(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        own = len(t.say("octocat", NOTE).names)
        t.say("hubot", FITS)
        done = t.say("octocat", "/apply")
        assert (done.outputs["result"], len(done.names)) == ("applied", own + 1), done.names
