"""Exactly once: whatever is delivered twice, run again or taken back, a word does what it says one time."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, Done, Meanwhile, act, block, run
from support.hub import Event
from support.hub.model import Review
from support.hub.past import Past
from support.talkkit import BOTH, FILES, MIXED, NOTE, NOTES, Talk, some, talk

pytestmark = pytest.mark.long  # the fast profile has one of each kind elsewhere

# the words before, the word that is delivered again → the commits, the states, how many answers
AGAIN: list[tuple[str, list[tuple[str, str]], tuple[str, str], int, list[str], int]] = [
    ("blocks of a writer", [], ("octocat", FITS), 1, ["applied"], 0),
    ("blocks of a reader", [], ("hubot", FITS), 0, ["checked"], 0),
    ("blocks that fail", [], ("octocat", MIXED), 0, ["failed"], 0),
    ("blocks below a command", [], ("octocat", f"/apply 1\n\n{BOTH}"), 1, ["partial"], 0),
    ("all", [("hubot", FITS)], ("octocat", "/apply"), 1, ["applied"], 0),
    ("all of several", [("hubot", BOTH)], ("octocat", "/apply"), 1, ["applied"], 0),
    ("what is ready", [("hubot", MIXED)], ("octocat", "/apply ready"), 1, ["partial"], 0),
    ("a block", [("hubot", BOTH)], ("octocat", "/apply 2"), 1, ["partial"], 0),
    ("a path", [("hubot", BOTH)], ("octocat", "/apply notes.txt"), 1, ["partial"], 0),
    ("what was skipped, and all", [("hubot", MIXED), ("octocat", "/skip 2")], ("octocat", "/apply"), 1, ["partial"], 0),
    ("a skip", [("hubot", MIXED)], ("octocat", "/skip 2"), 0, ["checked"], 0),
    ("a retry", [("hubot", MIXED)], ("octocat", "/retry"), 0, ["failed"], 0),
    ("all, where a block fails", [("hubot", MIXED)], ("octocat", "/apply"), 0, ["failed"], 0),
    ("help", [], ("octocat", "/edits help"), 0, [], 1),
    ("a word that is none", [], ("octocat", "/edits aply"), 0, [], 1),
    ("no such block", [("hubot", FITS)], ("octocat", "/apply 7"), 0, ["checked"], 1),
    ("none is open", [], ("octocat", "/apply"), 0, [], 1),
    ("several are open", [("hubot", FITS), ("hubot", NOTE)], ("octocat", "/apply"), 0, ["checked", "checked"], 1),
    ("the only one that is ready", [("hubot", FAILS), ("hubot", FITS)], ("octocat", "/apply"), 1,
     ["failed", "applied"], 0),
    ("somebody who may not", [("hubot", FITS)], ("mallory", "/apply"), 0, ["checked"], 0),
    ("an undo", [("octocat", FITS)], ("octocat", "/undo"), 2, ["undone"], 0),
    ("an undo of nothing", [], ("octocat", "/undo"), 0, [], 1),
    ("an undo of one of two", [("octocat", FITS), ("octocat", NOTE)], ("octocat", "/undo"), 3, ["applied", "undone"],
     0),
]  # fmt: skip
BOUNDED = {"blocks of a writer", "all", "all of several", "a block"}
FAST_AGAIN = {"all", "an undo"}


@pytest.mark.parametrize("row", some(AGAIN, *FAST_AGAIN))
def test_a_word_that_is_delivered_again(
    tmp_path: Path, row: tuple[str, list[tuple[str, str]], tuple[str, str], int, list[str], int]
) -> None:
    claim, before, word, made, states, answers = row
    with talk(tmp_path) as t:
        for who, body in before:
            t.say(who, body)
        t.say(*word)
        first = (t.made, t.states, len(t.answers), t.reactions, [each.body for each in t.pull.reviews])
        assert first[:3] == (made, states, answers)
        for count in range(5):
            done = t.again() if count % 2 else rerun(t)
            assert done.code == 0, (claim, done.log)
            assert (t.made, t.states, len(t.answers)) == (made, states, answers), (claim, count, done.log)
            assert claim not in BOUNDED or len(done.names) <= 3, (claim, done.names)
            assert claim not in BOUNDED or done.outputs["commit-sha"] == t.head, (claim, done.log)
            assert (t.reactions, [each.body for each in t.pull.reviews]) == first[3:], (claim, count)


def rerun(t: Talk) -> Done:
    """Somebody clicks on "Re-run jobs"."""
    assert t.last is not None
    folder = t.folder / f"attempt-{t.h.world.next_id()}"
    environ = t.h.action_env(t.last, folder, None, **t.inputs) | {"GITHUB_RUN_ATTEMPT": "2"}
    return run(t.h, environ, folder)


# an old word is no new one


def late(t: Talk, who: str, body: str) -> Event:
    """A word whose run is held up."""
    return t.h.comment(t.pull, who, body)


def test_an_old_apply_after_an_undo(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.say("octocat", "/apply")
        old = t.last
        assert old is not None
        t.say("octocat", "/undo")
        assert (t.made, t.states, t.is_applied) == (2, ["undone"], False)
        status = t.status
        t.run(old)
        assert (t.made, t.states, t.is_applied, t.status) == (2, ["undone"], False, status)
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (3, ["applied"], True)
        t.run(old)
        assert (t.made, t.states, t.is_applied) == (3, ["applied"], True)


def test_an_old_comment_after_an_undo(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        old = t.last
        assert old is not None
        t.say("octocat", "/undo")
        done = t.run(old)
        assert (done.code, t.made, t.states, t.is_applied) == (0, 2, ["undone"], False)
        assert (done.outputs["result"], done.outputs["commit-sha"]) == ("nothing", "")
        assert "this was applied and then undone" in done.log
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (3, ["applied"], True)


def test_an_old_undo_after_a_new_apply(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.say("octocat", "/undo")
        old = t.last
        assert old is not None
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (3, ["applied"], True)
        for inputs in ({}, {"reactions": "false"}):
            t.run(old, inputs=inputs)
            assert (t.made, t.states, t.is_applied) == (3, ["applied"], True)
        assert t.answers == []


@pytest.mark.parametrize("command", some(["/apply", "/apply ready", "/skip 1"], "/apply"))
def test_an_old_word_means_no_source_that_came_later(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.say("octocat", command)
        old, made = t.last, t.made
        assert old is not None
        t.say("octocat", "/apply")
        made = t.made
        t.say("hubot", NOTE)
        states = t.states
        t.run(old)
        assert (t.made, t.states, t.file("notes.txt")) == (made, states, NOTES)


def test_an_old_word_that_could_mean_two_still_could(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.say("hubot", NOTE)
        t.say("octocat", "/apply")
        old = t.last
        assert old is not None
        t.say("octocat", f"/apply of {t.pull.comments[0].id}")
        assert (t.made, t.states) == (1, ["applied", "checked"])
        t.run(old)
        assert (t.made, t.states, len(t.answers)) == (1, ["applied", "checked"], 1)


@pytest.mark.long
def test_two_people_say_the_same(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        one, two = late(t, "octocat", "/apply"), late(t, "monalisa", "/apply")
        t.run(one)
        t.run(two)
        assert (t.made, t.states, t.answers) == (1, ["applied"], [])


@pytest.mark.long
def test_two_people_say_different_things(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one, two = late(t, "octocat", "/apply 1"), late(t, "monalisa", "/apply 2")
        t.run(one)
        t.run(two)
        assert (t.made, t.is_applied, t.file("notes.txt") != NOTES) == (2, True, True)


@pytest.mark.parametrize(
    ("first", "second", "made"), [("/apply 1", "/apply 2", 2), ("/apply", "/apply 1", 2), ("/apply 1", "/apply", 1)]
)
def test_a_run_in_the_middle_of_another_takes_other_blocks(tmp_path: Path, first: str, second: str, made: int) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one, two = late(t, "octocat", first), late(t, "monalisa", second)
        done = t.run(one, clock=Meanwhile(hub=t.h, other=lambda: t.run(two), start=None))
        assert (done.code, done.outputs["result"], t.made, t.states) == (0, "applied", made, ["applied"]), done.log
        assert (t.is_applied, t.file("notes.txt") != NOTES, t.answers) == (True, True, [])


@pytest.mark.parametrize(
    ("who", "command", "answers"), [("hubot", "/apply", 0), ("octocat", "/skip 1", 1), ("octocat", "/retry", 1)]
)
def test_a_late_run_does_not_overwrite_the_status_of_a_commit(
    tmp_path: Path, who: str, command: str, answers: int
) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one, two = late(t, who, command), late(t, "monalisa", "/apply")
        t.run(one, clock=Meanwhile(hub=t.h, other=lambda: t.run(two), start=None))
        assert (t.made, t.states, t.statuses[0].commit) == (1, ["applied"], t.head)
        assert ("/apply by `hubot` was refused" in t.status) is (who == "hubot")
        assert ["changed after you wrote this" in each for each in t.answers] == [True] * answers


def test_a_late_run_that_cannot_answer_does_not_overwrite_the_status_of_a_commit(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one, two = late(t, "octocat", "/skip 1"), late(t, "monalisa", "/apply")
        t.h.fault("POST issues/{issue_number}/comments", times=9, status=500)
        done = t.run(one, clock=Meanwhile(hub=t.h, other=lambda: t.run(two), start=None))
        assert (done.code, t.made, t.states, t.statuses[0].commit) == (2, 1, ["applied"], t.head)


def test_an_event_delivered_twice_keeps_what_was_skipped_in_between(tmp_path: Path) -> None:
    """The second run has read before there was any status."""
    with talk(tmp_path, inputs={"trigger": "command"}) as t:
        blocks = late(t, "octocat", BOTH)

        def meanwhile() -> None:
            t.run(blocks)
            t.say("monalisa", "/skip 2")

        t.run(blocks, clock=Meanwhile(hub=t.h, other=meanwhile, start=None, after="query Objects"))
        assert (t.states, t.statuses[0].skip, t.answers) == (["checked"], frozenset({2}), [])
        assert [each.content for each in t.pull.comments[0].reactions] == ["eyes"]
        t.say("octocat", "/apply")
        assert (t.made, t.is_applied, t.file("notes.txt")) == (1, True, NOTES)


def test_a_commit_is_reported_although_a_check_was_written_in_between(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one, two = late(t, "octocat", "/apply 1"), late(t, "monalisa", "/skip 2")
        t.h.fault("PUT pulls/*/reviews/*", drop=True, times=99)
        t.run(one)
        t.h.faults.clear()
        assert (t.made, t.states) == (1, ["checked"])
        t.run(one, clock=Meanwhile(hub=t.h, other=lambda: t.run(two), start=None, after="query Objects"))
        assert (t.made, t.states, t.statuses[0].commit, t.answers) == (1, ["partial"], t.head, [])


@pytest.mark.parametrize(
    ("who", "command", "skip"),
    [
        ("octocat", "/skip 2", frozenset({1, 2})),
        ("octocat", "/retry", frozenset({1})),
        ("hubot", "/apply", frozenset({1})),
    ],
)
def test_an_old_read_neither_refuses_a_command_nor_brings_back_an_old_status(
    tmp_path: Path, who: str, command: str, skip: frozenset[int]
) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one, two = late(t, "octocat", "/skip 1"), late(t, who, command)
        t.h.lag("query Live", nth=2, only="pulls")
        t.run(one)
        t.run(two)
        assert (t.states, t.statuses[0].skip, t.answers) == (["checked"], skip, [])
        assert ("/apply by `hubot` was refused" in t.status) is (who == "hubot")


@pytest.mark.long
def test_a_word_that_is_given_before_the_status_is_there(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"trigger": "command"}) as t:
        blocks, word = late(t, "octocat", FITS), late(t, "octocat", "/apply")
        t.run(blocks)
        t.run(word)
        assert (t.made, t.states, t.is_applied) == (1, ["applied"], True)


@pytest.mark.long
def test_blocks_of_a_writer_and_a_word_for_others(tmp_path: Path) -> None:
    """The commit of the first is no reason to take the second for done."""
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        own, word = late(t, "octocat", NOTE), late(t, "octocat", "/apply")
        t.run(own)
        assert t.made == 1
        t.run(word)
        assert (t.is_applied, t.answers) == (False, t.answers[:1])  # two were open when it was said
        assert "2 comments or reviews could be meant" in t.answers[0]


@pytest.mark.parametrize("command", ["/apply 1", "/apply of {}"])
def test_a_command_applies_again_what_a_commit_says_it_reverts(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH if command == "/apply 1" else FITS)
        first = command.format(t.pull.comments[0].id)
        t.say("octocat", first)
        assert t.is_applied
        t.h.world.commit({"app.py": APP}, f"This reverts commit {t.head}.", t.pull.head_ref)
        t.again()  # the same command is carried out once
        assert (t.made, t.is_applied) == (2, False)
        done = t.say("octocat", first)
        assert (done.outputs["commit-sha"], t.made, t.is_applied, t.reactions) == (t.head, 3, True, ["rocket"])


# undo


def change_same_lines(t: Talk) -> None:
    t.h.world.push(t.pull, {"app.py": APP_NEW.replace(b"sum(items)", b"fsum(items)")})


def change_other_lines(t: Talk) -> None:
    t.h.world.push(t.pull, {"app.py": b"# first\n\n" + APP_NEW})


def change_other_file(t: Talk) -> None:
    t.h.world.push(t.pull, {"x": b"x"})


def revert(t: Talk) -> None:
    t.h.world.push(t.pull, {"app.py": APP})


def remove(t: Talk) -> None:
    t.h.world.push(t.pull, {"app.py": None})


def rewind(t: Talk) -> None:
    t.h.world.reset(t.pull.head_ref, t.start)


# what happens after the commit → the file after /undo, the state, words of the answer
UNDOS: list[tuple[Callable[[Talk], None], bytes | None, str, str]] = [
    (change_other_file, APP, "undone", ""),
    (change_other_lines, b"# first\n\n" + APP, "undone", ""),
    (change_same_lines, APP_NEW.replace(b"sum(items)", b"fsum(items)"), "applied", "stale: lines of `app.py` changed"),
    (remove, None, "applied", "stale: lines of `app.py` changed"),
    (revert, APP, "applied", "there is nothing to undo here"),
    (rewind, APP, "applied", "there is nothing to undo here"),
]


@pytest.mark.parametrize("row", some(UNDOS, "change_same_lines", "change_other_lines"))
def test_an_undo_after_another_push(tmp_path: Path, row: tuple[Callable[[Talk], None], bytes | None, str, str]) -> None:
    change, data, state, words = row
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        change(t)
        before = t.made
        done = t.say("monalisa", "/undo")
        assert (done.code, t.file("app.py"), t.states) == (0, data, [state]), done.log
        assert t.made == before + (state == "undone")
        assert [words in each for each in t.answers] == ([True] if words else [])
        assert (done.outputs["result"] == "stale") is any(each.startswith("stale: ") for each in t.answers)
        assert t.reactions == (["confused"] if words else ["rocket"])
        t.again()
        assert (t.file("app.py"), t.states, len(t.answers)) == (data, [state], int(bool(words)))


@pytest.mark.long
def test_an_undo_of_a_part(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", MIXED)
        t.say("octocat", "/apply ready")
        assert (t.states, t.is_applied) == (["partial"], True)
        t.say("octocat", "/undo")
        assert (t.made, t.states, t.is_applied) == (2, ["undone"], False)
        t.say("octocat", "/apply ready")
        assert (t.made, t.states, t.is_applied) == (3, ["partial"], True)


def test_an_undo_twice_takes_the_one_before(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        t.say("octocat", "/apply 1")
        t.say("octocat", "/apply 2")
        t.say("octocat", "/undo")
        assert (t.is_applied, t.file("notes.txt")) == (True, NOTES)
        t.say("octocat", "/undo")
        assert (t.made, t.states, t.is_applied, t.file("notes.txt")) == (4, ["undone"], False, NOTES)
        t.say("octocat", "/undo")
        assert ["there is nothing to undo here" in each for each in t.answers] == [True]
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied, t.file("notes.txt") != NOTES) == (5, ["applied"], True, True)


@pytest.mark.long
def test_an_undo_of_a_named_source(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.say("octocat", NOTE)
        t.say("octocat", f"/undo of {t.pull.comments[0].id}")
        assert (t.states, t.is_applied, t.file("notes.txt") != NOTES) == (["undone", "applied"], False, True)
        t.say("octocat", f"/undo of {t.pull.comments[0].id}")
        assert ["there is nothing to undo here" in each for each in t.answers] == [True]


@pytest.mark.long
def test_a_commit_that_is_too_far_back_is_not_undone(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        blocks = t.last
        for number in range(50):
            t.h.world.push(t.pull, {"other.txt": b"%d\n" % number})
        t.say("octocat", "/undo")
        assert ["or use `git revert`" in each for each in t.answers] == [True]
        assert blocks is not None
        assert (t.run(blocks).code, t.made, t.states, t.is_applied) == (0, 51, ["applied"], True)


@pytest.mark.long
def test_a_status_in_a_thread_that_is_too_far_back_is_written_again(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        asked = [("app.py", 2, "Why zero?")]
        t.h.world.review(t.pull, "hubot", "", asked)
        first, reply = t.pull.review_comments[0], t.h.reply(t.pull, "octocat", FITS, t.pull.review_comments[0])
        t.run(reply)
        for _ in range(30):
            t.h.world.review(t.pull, "hubot", "", asked)
        t.run(t.h.reply(t.pull, "octocat", "/undo", first))
        assert (["or use `git revert`" in each for each in t.answers], t.made) == ([True], 1)
        t.run(reply)
        assert (t.made, t.states, t.is_applied) == (1, ["applied", "applied"], True)


@pytest.mark.long
def test_an_undo_brings_files_back_as_they_were(tmp_path: Path) -> None:
    new = block("new/file.txt", "", "new")
    with talk(tmp_path) as t:
        t.say("octocat", FITS + new)
        assert t.file("new/file.txt") == b"new\n"
        t.say("octocat", "/undo")
        assert t.h.world.files(t.head) == t.h.world.files(t.start)


@pytest.mark.long
def test_an_undo_whose_source_is_gone(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.h.world.delete(t.pull.comments[0])
        done = t.say("octocat", "/undo")
        assert (done.code, done.outputs["result"], t.made, t.states) == (0, "applied", 2, ["undone"])
        assert t.is_applied is False


@pytest.mark.long
def test_an_undo_of_what_the_policy_forbids_now(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.h.world.commit({".editblocks.yml": b"deny-paths: [app.py]\n"}, "Deny", "main")
        done = t.say("octocat", "/undo")
        assert (done.outputs["result"], t.made, t.states) == ("refused", 1, ["applied"])
        assert t.answers[0].startswith("not-allowed: `app.py` may not be changed back, nothing was undone")


@pytest.mark.long
def test_an_undo_that_the_branch_refuses_fails_the_job(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.h.world.repository.rulesets[t.pull.head_ref] = "Changes must be made through a pull request."
        done = t.say("octocat", "/undo")
        assert (done.code, t.made, t.states, len(t.answers), t.reactions) == (2, 1, ["applied"], 1, ["confused"])
        assert ("publish-failed" in done.errors[0], done.outputs["result"]) == (True, "refused")


# a run that is cut off

STEPS = ["GET issues/comments/*", "query Objects", "query Live", "POST git/trees", "POST git/commits",
         "mutation updateRefs", "PUT pulls/*/reviews/*", "POST issues/comments/*/reactions"]  # fmt: skip


@pytest.mark.parametrize("effect", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize("step", [*STEPS[:2], *(pytest.param(step, marks=pytest.mark.long) for step in STEPS[2:])])
@pytest.mark.parametrize("command", ["/apply", pytest.param("/apply 1", marks=pytest.mark.long),
                                     pytest.param("/undo", marks=pytest.mark.long)])  # fmt: skip
@pytest.mark.table(parts=2)
def test_a_command_that_could_not_finish_is_finished_by_the_next_run(
    tmp_path: Path, command: str, step: str, effect: bool
) -> None:
    with talk(tmp_path) as t:
        t.say("octocat" if command == "/undo" else "hubot", FITS)
        t.h.fault(step, drop=True, effect=effect, times=99)
        t.say("octocat", command)
        t.h.faults.clear()
        done = t.again()
        made, state = (2, "undone") if command == "/undo" else (1, "applied")
        assert (done.code, t.made, t.states) == (0, made, [state]), done.log
        t.again()
        assert (t.made, t.states) == (made, [state])
        assert t.answers == []


ANSWERS = "GET issues/{issue_number}/comments"
# what GitHub does not do → the output, and a part of the log
UNPOSTED: list[tuple[str, str, int, str, str, str]] = [
    ("an undo, comments are not listed", ANSWERS, 1, "/undo", "", "unavailable"),
    ("a refused undo, comments are not listed then", ANSWERS, 2, "/undo", "stale", "stale: lines of app.py changed"),
    ("a refused undo, no reply", "POST issues/{issue_number}/comments", 1, "/undo", "stale", "stale: lines of app.py"),
    ("a command about nothing, no reply", "POST issues/{issue_number}/comments", 1, "/skip 1", "nothing",
     "nothing was done, and the reply could not be posted"),
]  # fmt: skip


@pytest.mark.parametrize("row", some(UNPOSTED, "a refused undo, no reply", "a command about nothing, no reply"))
def test_a_reply_that_cannot_be_posted_fails_the_job_with_its_result(
    tmp_path: Path, row: tuple[str, str, int, str, str, str]
) -> None:
    _, step, nth, command, result, words = row
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.h.world.push(t.pull, {"app.py": b"something else\n"})
        t.h.fault(step, nth=nth, times=9, status=500)
        done = t.say("octocat", command)
        assert (done.code, done.outputs.get("result", ""), words in done.log) == (2, result, True), done.log
        assert "unavailable: GitHub refused" in done.errors[0]
        assert t.reactions == ["confused"] * bool(result)
        t.h.faults.clear()
        again = t.again()
        assert (again.code, t.made, t.states, len(t.answers), t.reactions) == (0, 2, ["applied"], 1, ["confused"])


@pytest.mark.long
def test_an_undo_that_was_made_and_not_told(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"reactions": "false"}) as t:
        t.say("octocat", FITS)
        t.say("octocat", "/undo")
        for _ in range(3):
            t.again()
        assert (t.made, t.states, t.is_applied) == (2, ["undone"], False)
        assert t.answers == []


@pytest.mark.long
def test_an_undo_whose_commit_was_rewound_is_not_made_anew(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        applied = t.head
        t.say("octocat", "/undo")
        t.h.world.reset(t.pull.head_ref, applied)
        t.again()
        assert (t.head, t.states, t.answers) == (applied, ["undone"], [])


# many reviews


def fill(t: Talk, count: int) -> None:
    for _ in range(count):
        at = t.h.world.tick()
        t.pull.reviews.append(Review(t.h.world.next_id(), t.h.world.octocat, "fine", at, at))


@pytest.mark.parametrize("command", some(["/apply", "/apply of {0}", "/skip 2", "/undo"], "/apply"))
def test_a_status_below_many_reviews_is_meant(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("octocat" if command == "/undo" else "hubot", BOTH)
        fill(t, 120)
        t.say("octocat", command.replace("{0}", str(t.pull.comments[0].id)))
        state = {"/undo": "undone", "/skip 2": "checked"}.get(command, "applied")
        assert (t.states, t.answers, len(t.pull.reviews)) == ([state], [], 121)
        assert t.statuses[0].skip == (frozenset({2}) if command == "/skip 2" else frozenset())


@pytest.mark.long
def test_several_are_open_below_many_reviews(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        fill(t, 60)
        t.say("hubot", NOTE)
        t.say("octocat", "/apply")
        assert (t.made, len(t.answers)) == (0, 1)


@pytest.mark.long
def test_the_inputs_of_a_run_do_not_change_what_is_done(tmp_path: Path) -> None:
    """The same word under another mode: nothing is taken back by it, and nothing said twice."""
    with talk(tmp_path, FILES) as t:
        t.say("hubot", FITS)
        t.say("octocat", "/apply")
        assert t.last is not None
        done = act(t.h, t.last, t.folder, {"mode": "check"})
        assert (done.code, t.made, t.states) == (0, 1, ["applied"])


# what one more look before a status is written would break


def test_six_response_files_that_have_a_status_fit_into_one_run(tmp_path: Path) -> None:
    with talk(tmp_path, files={f"f{number}.py": b"a = 1\n" for number in range(6)}) as t:
        blocks = {f".edits/r{at}.md": block(f"f{at}.py", "a = 0", "a = 2").encode() for at in range(6)}
        t.h.world.push(t.pull, blocks)
        for _ in range(2):
            t.run(t.h.pull_event(t.pull, "synchronize", "octocat", t.start))
        before = t.head
        t.h.world.push(t.pull, {f"f{number}.py": b"a = 0\n" for number in range(6)})
        done = t.run(t.h.pull_event(t.pull, "synchronize", "octocat", before))
        assert (done.code, t.states) == (0, ["applied"] * 6), done.log


def test_a_run_that_another_overtakes_keeps_what_it_says_of_its_commit(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        one = t.h.comment(t.pull, "octocat", "/apply")
        two = t.h.comment(t.pull, "monalisa", "/apply")
        t.run(one, clock=Meanwhile(hub=t.h, other=lambda: t.run(two), start=None, after="mutation updateRefs"))
        assert (t.made, t.states) == (1, ["applied"])
        assert "2 files, +3 −2" in t.status
        assert [reaction.content for reaction in t.pull.comments[1].reactions] == ["rocket"]


@pytest.mark.parametrize(("first", "command"), [("/apply ready", "/skip 2"), ("/apply ready", "/retry")])
def test_an_old_read_does_not_overwrite_the_status_of_a_commit(tmp_path: Path, first: str, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", MIXED)
        past = Past.of(t.h.world)
        t.say("octocat", first)
        commit = t.statuses[0].commit
        late_command = late(t, "monalisa", command)
        assert past.pulls is not None
        users = (*t.h.world.users.values(), *t.h.world.repositories)
        past.pulls[0].comments[:] = deepcopy(t.pull.comments, {id(each): each for each in users})
        t.h.fault("query Context", past=past)
        t.run(late_command)
        assert commit == t.head
        assert (t.made, t.states, t.statuses[0].commit) == (1, ["partial"], commit)
