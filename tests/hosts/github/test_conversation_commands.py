"""Commands in comments: who is obeyed, and what a command means."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP_NEW, FAILS, FITS, block
from support.talkkit import BOTH, MIXED, NOTE, NOTES, Talk, some, talk

# every command × everybody: two blocks of hubot's wait, and somebody answers

ALL = {"app.py": APP_NEW, "notes.txt": b"one\nthe line in between\nand one more of them\nthree\n"}
FIRST = {"app.py": APP_NEW, "notes.txt": NOTES}
HELP = "The first line of a comment may be:"

# the command → the files of a commit, the state of the status, words of the answer, the reaction, of a person who may
OBEYED: dict[str, tuple[dict[str, bytes] | None, str, str, list[str]]] = {
    "/apply": (ALL, "applied", "", ["rocket"]),
    "/apply all": (ALL, "applied", "", ["rocket"]),
    "/apply ready": (ALL, "applied", "", ["rocket"]),
    "/Apply 1-2\r\nthanks": (ALL, "applied", "", ["rocket"]),
    "/apply 1": (FIRST, "partial", "", ["rocket"]),
    "/apply app.py": (FIRST, "partial", "", ["rocket"]),
    "/edits apply 1": (FIRST, "partial", "", ["rocket"]),
    "/skip 2": (None, "checked", "", ["eyes"]),
    "/retry": (None, "checked", "", ["eyes"]),
    "/undo": (None, "checked", "there is nothing to undo here", ["confused"]),
    "/edits help": (None, "checked", HELP, []),
    "/edits": (None, "checked", HELP, []),
    "/edits aply": (None, "checked", "did you mean `/edits apply`?", ["confused"]),
    "/apply 1-": (None, "checked", "bad-command: ", ["confused"]),
    "/apply 7": (None, "checked", "there is no block 7", ["confused"]),
    "/apply nope.py": (None, "checked", "no block changes `nope.py`", ["confused"]),
    "/skip 7": (None, "checked", "there is no block 7", ["confused"]),
    "/skip": (None, "checked", "bad-command: ", ["confused"]),
    "/retry 7": (None, "checked", "there is no block 7", ["confused"]),
    "/apply of 7": (None, "checked", "there is no comment or review 7 here", ["confused"]),
    f"/apply {'1,' * 97}1": (None, "checked", "more than 200 characters", ["confused"]),
}
ASKING = ("/edits help", "/edits", "/edits aply", "/apply 1-", "/skip", f"/apply {'1,' * 97}1")
PEOPLE = {"octocat": "obeyed", "monalisa": "obeyed", "maddie": "heard", "hubot": "refused", "mallory": "refused",
          "dependabot[bot]": "ignored", "an app": "ignored", "ourselves": "ignored"}  # fmt: skip
FAST = {("octocat", "/apply"), ("monalisa", "/apply 1"), ("maddie", "/apply"), ("maddie", "/edits aply"),
        ("mallory", "/apply ready"), ("mallory", "/edits help"), ("dependabot[bot]", "/apply"), ("an app", "/apply"),
        ("octocat", "/skip 7"), ("octocat", "/retry 7"), ("octocat", "/edits help")}  # fmt: skip
EVERYBODY = [
    pytest.param(who, command, id=f"{who}: {command[:20]!r}", marks=() if (who, command) in FAST else pytest.mark.long)
    for who in PEOPLE
    for command in OBEYED
]


def speak(t: Talk, who: str, command: str) -> Any:
    if who == "an app":
        return t.say("octocat", command, "helper")
    return t.say("github-actions[bot]" if who == "ourselves" else who, command)


@pytest.mark.long
@pytest.mark.parametrize(("who", "command"), EVERYBODY)
@pytest.mark.table(parts=4)
def test_who_is_obeyed(tmp_path: Path, who: str, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        before = t.status
        done = speak(t, who, command)
        assert (done.code, done.errors) == (0, []), done.log
        files, state, words, reactions = OBEYED[command]
        if PEOPLE[who] != "obeyed":
            files, state = None, "checked"
            asks, words = command in ASKING, words if PEOPLE[who] == "heard" and command in ASKING else ""
            reactions = [] if PEOPLE[who] == "ignored" or (words == HELP) else ["confused"]
            verb = "/edits apply" if command.startswith("/edits apply") else command.split(maxsplit=1)[0].lower()
            line = f"{verb} by `{who}` was refused: not-permitted (role "
            is_refused = PEOPLE[who] != "ignored" and not asks and "of 7" not in command
            assert (line in t.status) is is_refused
            assert (t.status == before) is not is_refused
            assert (done.outputs["result"] == "refused") is (PEOPLE[who] != "ignored" and not asks)
            assert len(done.names) <= (1 if PEOPLE[who] == "ignored" else 5), done.names
        assert (t.made, t.states, t.reactions) == (int(files is not None), [state], reactions), done.log
        assert [words in answer for answer in t.answers] == ([True] if words else []), t.answers
        if files is not None:
            assert {path: t.file(path) for path in files} == files
            assert done.outputs["commit-sha"] == t.head


# who, what → what log and job summary say of it
TOLD: list[tuple[str, str, str]] = [
    ("octocat", "/apply of 7", "nothing was done: see the reply"),
    ("octocat", "/edits help", "nothing was done: see the reply"),
    ("hubot", "/edits aply", "nothing to do: hubot may not give commands here, so there is no reply"),
    ("hubot", "/apply", "not-permitted: hubot has read access"),
]


@pytest.mark.long
@pytest.mark.parametrize(("who", "command", "said"), TOLD, ids=[f"{row[0]}: {row[1]}" for row in TOLD])
def test_the_job_tells_what_was_answered(tmp_path: Path, who: str, command: str, said: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        done = t.say(who, command)
        assert said in done.log
        assert done.summary.startswith(said)


@pytest.mark.long
def test_the_log_tells_that_something_was_undone(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        done = t.say("octocat", "/undo")
        assert ("\nundone: https://" in done.log, done.outputs["result"]) == (True, "applied")


@pytest.mark.long
def test_three_refused_lines_at_most(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        for who in ("hubot", "hubot", "mallory", "mallory", "zoe", "joe"):
            t.say(who, "/apply")
        assert t.status.count("was refused: not-permitted") == 3
        assert (t.answers, t.made) == ([], 0)
        t.say("octocat", "/retry")
        assert t.status.count("was refused: not-permitted") == 3
        t.say("octocat", "/apply")
        assert (t.made, t.states) == (1, ["applied"])


@pytest.mark.long
def test_a_refused_undo_stands_in_the_status_of_what_it_means(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", NOTE)
        t.say("octocat", FITS)
        t.say("hubot", "/undo")
        assert ["was refused: not-permitted" in each.body for each in t.pull.reviews] == [False, True]
        assert (t.made, t.answers, t.reactions) == (1, [], ["confused"])


# what a command means


def at(line: int) -> str:
    return f"/apply 1@{line}"


TWICE = {"app.py": b"x = 1\ny = 2\nx = 1\n"}
AMBIGUOUS = block("app.py", "x = 1", "x = 3")


def push_same_file(t: Talk) -> None:
    t.h.world.push(t.pull, {"app.py": b"# new\nx = 1\ny = 2\nx = 1\n"})


def push_other_file(t: Talk) -> None:
    t.h.world.push(t.pull, {"other.txt": b"x"})


def rewind(t: Talk) -> None:
    base = t.h.world.branch("main")
    assert base is not None
    t.h.world.reset(t.pull.head_ref, base)
    t.h.world.push(t.pull, TWICE)


def nothing(_: Talk) -> None:
    """Nobody does anything in between."""


Chosen = tuple[str, Callable[[Talk], object], str, str, bytes]
CHOSEN: list[Chosen] = [
    ("at its first place", nothing, "/apply 1@1", "applied", b"x = 3\ny = 2\nx = 1\n"),
    ("at its second place", nothing, "/apply 1@3", "applied", b"x = 1\ny = 2\nx = 3\n"),
    ("at no place of it", nothing, "/apply 1@2", "failed", TWICE["app.py"]),
    ("another file changed since", push_other_file, "/apply 1@3", "applied", b"x = 1\ny = 2\nx = 3\n"),
    ("its file changed since", push_same_file, "/apply 1@3", "stale", b"# new\nx = 1\ny = 2\nx = 1\n"),
    ("the branch was rewound", rewind, "/apply 1@3", "stale", TWICE["app.py"]),
]  # fmt: skip


@pytest.mark.parametrize("row", some(CHOSEN, "at its second place", "its file changed since"))
@pytest.mark.long
def test_a_place_that_was_chosen(tmp_path: Path, row: Chosen) -> None:
    _, change, command, state, data = row
    with talk(tmp_path, TWICE) as t:
        t.say("octocat", AMBIGUOUS)
        assert t.states == ["failed"]
        change(t)
        done = t.say("octocat", command)
        assert (done.outputs["result"], t.states, t.file("app.py")) == (state, [state], data), done.log
        assert t.reactions == (["rocket"] if state == "applied" else ["confused"])


@pytest.mark.parametrize("command", ["/apply 1@99", "/edits apply 2@1"])
@pytest.mark.long(after=1)
def test_a_place_that_is_none_is_left_to_the_status(tmp_path: Path, command: str) -> None:
    with talk(tmp_path, {**TWICE, "notes.txt": NOTES}) as t:
        t.say("octocat", AMBIGUOUS + block("notes.txt", "four", "4") + block("notes.txt", "one", "1"))
        t.say("octocat", command)
        assert (t.made, t.states, t.reactions, t.answers) == (0, ["failed"], ["confused"], [])


# several words one after the other → the commits, the states, the file app.py has its block, words of the last answer
Steps = list[tuple[str, str]]
Story = tuple[str, Steps, int, list[str], bool, str]
STORIES: list[Story] = [
    ("all of it with a block that fails", [("octocat", MIXED), ("octocat", "/apply")], 0, ["failed"], False, ""),
    ("what is ready", [("octocat", MIXED), ("octocat", "/apply ready")], 1, ["partial"], True, ""),
    ("a block that is fine", [("octocat", MIXED), ("octocat", "/apply 1")], 1, ["partial"], True, ""),
    ("a named block that fails", [("octocat", MIXED), ("octocat", "/apply 1,2")], 0, ["failed"], False, ""),
    ("the path of a block that fails", [("octocat", MIXED), ("octocat", "/apply app.py")], 0, ["failed"], False, ""),
    ("skip, then all", [("octocat", MIXED), ("octocat", "/skip 2"), ("octocat", "/apply")], 1, ["partial"], True, ""),
    ("skip twice, then all", [("hubot", FITS + NOTE + FAILS), ("octocat", "/skip 3"), ("octocat", "/skip 2"),
                              ("octocat", "/apply")], 1, ["partial"], True, ""),
    ("skip, then all, undone, then all", [("hubot", BOTH), ("octocat", "/skip 2"), ("octocat", "/apply"),
                                          ("octocat", "/undo"), ("octocat", "/apply")], 3, ["partial"], True, ""),
    ("skip, then what is ready", [("hubot", BOTH), ("octocat", "/skip 1"), ("octocat", "/apply ready")], 1,
     ["partial"], False, ""),
    ("skip, then retry, then all", [("octocat", MIXED), ("octocat", "/skip 2"), ("octocat", "/retry"),
                                    ("octocat", "/apply")], 1, ["partial"], True, ""),
    ("skip, then that block by its number", [("hubot", BOTH), ("octocat", "/skip 1"), ("octocat", "/apply 1")], 1,
     ["partial"], True, ""),
    ("a part, then all", [("hubot", BOTH), ("octocat", "/apply 2"), ("octocat", "/apply")], 2, ["applied"], True, ""),
    ("a part, then the other", [("hubot", BOTH), ("octocat", "/apply 2"), ("octocat", "/apply 1")], 2, ["applied"],
     True, ""),
    ("a part, then the same", [("hubot", BOTH), ("octocat", "/apply 1"), ("octocat", "/apply 1")], 1, ["partial"],
     True, ""),
    ("several are open", [("hubot", FITS), ("hubot", NOTE), ("octocat", "/apply")], 0, ["checked", "checked"], False,
     "2 comments or reviews could be meant"),
    ("several are open, one is ready", [("hubot", FAILS), ("hubot", FITS), ("octocat", "/apply")], 1,
     ["failed", "applied"], True, ""),
    ("several are open, none is ready", [("hubot", FAILS), ("hubot", MIXED), ("octocat", "/apply")], 0,
     ["failed", "failed"], False, "2 comments or reviews could be meant"),
    ("several are open, one was undone", [("octocat", FITS), ("octocat", "/undo"), ("hubot", NOTE),
                                          ("octocat", "/apply")], 2, ["undone", "checked"], False,
     "2 comments or reviews could be meant"),
    ("several are open, what is ready of one", [("hubot", FAILS), ("hubot", FITS), ("octocat", "/apply ready")], 0,
     ["failed", "checked"], False, "2 comments or reviews could be meant"),
    ("several are open, the ready line", [("hubot", FITS), ("hubot", NOTE), ("octocat", "/apply of {0}")], 1,
     ["applied", "checked"], True, ""),
    ("a source that is none", [("hubot", FITS), ("octocat", "/apply of 99")], 0, ["checked"], False,
     "there is no comment or review 99 here; send one of these lines:\n\n- `/apply of 2"),
    ("a source that is none, none is open", [("octocat", "/apply of 99")], 0, [], False,
     "there is no comment or review 99 here, and no other has blocks to apply"),
    ("several are open, none has the block", [("hubot", FITS), ("hubot", NOTE), ("octocat", "/apply 7")], 0,
     ["checked", "checked"], False, "2 comments or reviews could be meant"),
    ("several are open, one has the block", [("hubot", FITS), ("hubot", BOTH), ("octocat", "/apply 2")], 0,
     ["checked", "checked"], False, "2 comments or reviews could be meant"),
    ("several are open, one has the file", [("hubot", FITS), ("hubot", NOTE), ("octocat", "/apply notes.txt")], 0,
     ["checked", "checked"], False, "2 comments or reviews could be meant"),
    ("none is open", [("octocat", "/apply")], 0, [], False, "there is nothing to apply here"),
    ("all is applied", [("octocat", FITS), ("octocat", "/apply")], 1, ["applied"], True,
     "there is nothing to apply here"),
    ("blocks below, by a writer", [("octocat", f"/apply\n\n{FITS}")], 1, ["applied"], True, ""),
    ("blocks below, one of them", [("octocat", f"/apply 2\n\n{BOTH}")], 1, ["partial"], False, ""),
    ("blocks below, what is ready", [("octocat", f"/apply ready\r\n\r\n{MIXED}")], 1, ["partial"], True, ""),
    ("blocks below, none of that number", [("octocat", f"/apply 7\n\n{FITS}")], 0, [], False, "there is no block 7"),
    ("blocks below, by a reader", [("hubot", f"/apply\n\n{FITS}")], 0, ["checked"], False, ""),
    ("blocks below, by a bot", [("dependabot[bot]", f"/apply\n\n{FITS}")], 0, ["checked"], False, ""),
    ("blocks below, of another comment", [("hubot", FITS), ("octocat", "/apply of {0}\n\n" + NOTE)], 0, ["checked"],
     False, "post the command and the blocks as separate comments"),
    ("blocks below another command", [("octocat", f"/retry\n\n{FITS}")], 0, [], False,
     "post the command and the blocks as separate comments"),
    ("help with blocks below", [("octocat", f"/edits help\n\n{FITS}")], 0, [], False, "The first line of a comment"),
    ("quoted", [("hubot", FITS), ("octocat", "> /apply")], 0, ["checked"], False, ""),
    ("in the second line", [("hubot", FITS), ("octocat", "yes\n/apply")], 0, ["checked"], False, ""),
    ("after a blank", [("hubot", FITS), ("octocat", " /apply")], 0, ["checked"], False, ""),
    ("the word of another bot", [("hubot", FITS), ("octocat", "/apply-all")], 0, ["checked"], False, ""),
    ("in a fence", [("hubot", FITS), ("octocat", "```\n/apply\n```")], 0, ["checked"], False, ""),
]  # fmt: skip
SHORT_STORIES = {"skip, then all", "several are open", "a source that is none", "several are open, one has the file",
                 "blocks below, none of that number", "a part, then the same",
                 "blocks below, by a bot"}  # fmt: skip


@pytest.mark.parametrize("row", some(STORIES, *SHORT_STORIES))
@pytest.mark.long
def test_a_story(tmp_path: Path, row: Story) -> None:
    claim, steps, made, states, applied, words = row
    with talk(tmp_path) as t:
        for who, body in steps:
            ids = [each.id for each in t.pull.comments]
            done = t.say(who, body.replace("{0}", str(ids[0])) if ids else body)
            assert (done.code, done.errors) == (0, []), (claim, done.log)
        assert (t.made, t.states, t.is_applied) == (made, states, applied), (claim, done.log)
        assert [words in answer for answer in t.answers] == ([True] if words else []), t.answers
        if words and words != HELP[: len(words)]:
            assert t.reactions == ["confused"]


@pytest.mark.long
def test_the_only_one_that_is_ready_is_named(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FAILS)
        t.say("hubot", FITS)
        t.say("octocat", "/apply")
        assert (
            "`/apply` could mean any of 2 comments; only this one was ready, so it was used" in t.pull.reviews[-1].body
        )


def test_with_partial_none_is_the_only_one(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"partial": "true"}) as t:
        t.say("hubot", MIXED)
        t.say("hubot", NOTE)
        t.say("octocat", "/apply")
        assert (t.made, len(t.answers)) == (0, 1)


@pytest.mark.long
def test_a_ready_line_can_be_sent_as_it_is(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.say("hubot", NOTE)
        t.say("octocat", "/apply 1")
        line = next(each.split("`")[1] for each in t.answers[0].splitlines() if each.startswith("- `"))
        t.say("octocat", line)
        assert (t.made, sorted(t.states)) == (1, ["applied", "checked"])


@pytest.mark.long
def test_a_retry_asks_a_model_that_knows_nothing(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", block("app.py", "    return 1", "    return 2") + block("notes.txt", "four", "4"))
        assert "was written for" not in t.status
        t.h.world.push(t.pull, {"other.txt": b"x"})
        t.say("octocat", "/retry")
        both = t.status
        t.say("octocat", "/retry 2")
        assert t.statuses[0].head == t.head
        assert ("was written for octocat/Hello-World" in both, "Block 1, app.py" in both) == (True, True)
        assert ("Block 1, app.py" in t.status, "Block 2, notes.txt" in t.status) == (False, True)


@pytest.mark.long
def test_a_retry_finds_out_that_a_block_fits_now(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", block("notes.txt", "four", "4"))
        t.h.world.push(t.pull, {"notes.txt": b"four\n"})
        done = t.say("octocat", "/retry")
        assert (done.outputs["result"], t.states, t.made) == ("checked", ["checked"], 1)
        t.say("octocat", "/apply")
        assert (t.states, t.file("notes.txt")) == (["applied"], b"4\n")


@pytest.mark.long
def test_ready_takes_what_has_become_ready(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS + block("notes.txt", "four", "4"))
        t.say("octocat", "/apply ready")
        t.h.world.push(t.pull, {"notes.txt": b"four\n"})
        t.say("octocat", "/apply ready")
        assert (t.states, t.file("notes.txt")) == (["applied"], b"4\n")
