"""Whose word counts, and for which text: requirements S1 and S12, through a whole run."""

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FITS, payload
from support.hub import Event
from support.requirementkit import COMMANDS, EVIL, Speak, refs, response_file, say, two_sources
from support.talkkit import NOTE, Talk, talk

# S1: nothing of somebody who may not write, or of whom nobody says that they may

ROLES = ("admin", "maintain", "write", "triage", "read")
NO_ANSWER: dict[str, dict[str, Any]] = {
    "403": {"status": 403, "times": 9},
    "404": {"status": 404, "times": 9},
    "500": {"status": 500, "times": 9},
    "a time-out": {"drop": True, "times": 9},
    "half an answer": {"status": 200, "body": b'{"permission": "adm', "times": 9},
}
NOBODY = [
    ("triage", "200"),
    ("read", "200"),
    ("none", "200"),
    *((role, claim) for role in ROLES for claim in NO_ANSWER),
]
SAID = re.compile(  # what may be asked and said: nothing that stores an object, moves a ref or makes a check
    r"query .*|GET .*|(?:POST|DELETE) .*/reactions.*|(?:POST|PUT) pulls/\{pull_number\}/reviews(?:/\{review_id\})?"
    r"|POST pulls/\{pull_number\}/comments/\{comment_id\}/replies|PATCH pulls/comments/\{comment_id\}"
)


FAST = ("blocks", "/apply")


@pytest.mark.table(parts=2)
@pytest.mark.parametrize(
    ("command", "rows"),
    [
        *(pytest.param(command, NOBODY[1:2] + NOBODY[13:14], id=command) for command in FAST),
        *(pytest.param(command, NOBODY, id=f"{command}-everybody", marks=pytest.mark.long) for command in COMMANDS),
    ],
)
@pytest.mark.long
def test_s01_nobody_else_has_anything_written(tmp_path: Path, command: str, rows: list[tuple[str, str]]) -> None:
    for role, claim in rows:
        with two_sources(tmp_path) as t:
            t.h.world.repository.roles[t.h.world.user("zoe").login] = role
            event = COMMANDS[command](t, "zoe")
            for remark in ("comment", "review"):
                payload(event).get(remark, {})["author_association"] = "OWNER"
            before, answers = refs(t), t.answers
            if claim in NO_ANSWER:
                t.h.fault("GET collaborators/*/permission", **NO_ANSWER[claim])
            done = t.run(event)
            assert [name for name in done.names if not SAID.fullmatch(name)] == [], (role, claim)
            assert (refs(t), t.answers, done.outputs.get("commit-sha", "")) == (before, answers, ""), (role, claim)


@pytest.mark.parametrize("who", ["dependabot[bot]", "an app"])
@pytest.mark.parametrize("body", [f"/apply\n\n{FITS}", "/apply", "/undo"])
@pytest.mark.long
def test_s01_no_bot_and_no_app_is_obeyed(tmp_path: Path, who: str, body: str) -> None:
    with two_sources(tmp_path) as t:
        t.h.world.repository.roles["dependabot[bot]"] = "admin"
        before = refs(t)
        done = t.say("octocat", body, "helper") if who == "an app" else t.say(who, body)
        assert [name for name in done.names if not SAID.fullmatch(name)] == []
        assert refs(t) == before


@pytest.mark.parametrize("command", ["blocks", "/apply", "/undo"])
@pytest.mark.long
def test_s01_who_loses_the_role_during_the_run_has_nothing_written(tmp_path: Path, command: str) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", NOTE)
        t.say("hubot", FITS.replace("sum", "len"))
        theirs: list[str] = []

        def push_and_leave() -> None:
            theirs.append(t.h.world.push(t.pull, {"theirs.txt": b"x\n"}))
            t.h.world.repository.roles["monalisa"] = "read"

        t.h.fault("mutation updateRefs", before=push_and_leave)
        done = t.run(COMMANDS[command](t, "monalisa"))
        assert ([t.head], done.outputs.get("commit-sha", "")) == (theirs, "")


@pytest.mark.parametrize(("sender", "role"), [("zoe", "read"), ("zoe", "none"), ("zoe", "triage")])
@pytest.mark.long(after=2)
def test_s01_a_response_file_of_somebody_who_may_not_write_is_only_checked(
    tmp_path: Path, sender: str, role: str
) -> None:
    with talk(tmp_path) as t:
        t.h.world.repository.roles[t.h.world.user(sender).login] = role
        event = response_file(t, sender)
        before = refs(t)
        done = t.run(event)
        assert [name for name in done.names if not SAID.fullmatch(name)] == []
        assert (refs(t), t.states) == (before, ["checked"])


# S12: only the text of the event, or the one that the approver has seen

STEPS = ("query Context", "query Objects", "GET collaborators/*/permission", "query Live", "POST git/trees",
         "POST git/commits", "mutation updateRefs")  # fmt: skip
SOURCES: dict[str, Speak] = {"blocks": say(FITS), "/apply": say("/apply"), "/apply 1": say("/apply 1")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "step"),
    [
        pytest.param(command, step, marks=() if step in {"query Context", "query Live"} else pytest.mark.long)
        for command in SOURCES
        for step in STEPS
    ],
)
def test_s12_a_text_that_is_swapped_during_the_run_is_never_applied(tmp_path: Path, command: str, step: str) -> None:
    with talk(tmp_path) as t:
        if command != "blocks":
            t.say("hubot", FITS)
        event = SOURCES[command](t, "octocat")
        t.h.fault(step, before=lambda: t.h.world.edit(t.pull.comments[0], EVIL))
        done = t.run(event)
        assert b"steal" not in (t.file("app.py") or b""), done.log
        if command == "blocks" and STEPS.index(step) <= STEPS.index("query Live"):
            assert (t.made, t.states) == (0, ["stale"])


def delivered_twice(t: Talk) -> Event:
    """The first run checks the new text, and nobody has looked at that when the second one comes."""
    event = t.h.comment(t.pull, "octocat", "/apply")
    t.h.world.edit(t.pull.comments[0], EVIL)
    t.run(event)
    return event


def overtaken(t: Talk) -> Event:
    """The approval waited in a queue while somebody else had the new text checked."""
    event = t.h.comment(t.pull, "octocat", "/apply")
    t.h.world.edit(t.pull.comments[0], EVIL)
    t.say("monalisa", "/retry")
    return event


def named(t: Talk) -> Event:
    event = t.h.comment(t.pull, "octocat", f"/apply 1 of {t.pull.comments[0].id}")
    t.h.world.edit(t.pull.comments[0], EVIL)
    t.run(event)
    return event


@pytest.mark.parametrize("approve", [delivered_twice, overtaken, named])
@pytest.mark.long
def test_s12_an_earlier_word_is_none_for_the_new_text(tmp_path: Path, approve: Callable[[Talk], Event]) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        event = approve(t)
        t.run(event)
        assert (t.made, b"steal" in (t.file("app.py") or b"")) == (0, False)
        t.say("octocat", "/apply")
        assert (t.made, t.states) == (1, ["applied"]), "a new word is one"


@pytest.mark.long
@pytest.mark.parametrize("part", ["body", "inline comment"])
def test_s12_a_review_that_was_edited_is_checked_anew(tmp_path: Path, part: str) -> None:
    with talk(tmp_path) as t:
        t.run(t.h.review(t.pull, "hubot", NOTE, [("app.py", 2, FITS)]))
        remark = t.pull.reviews[0] if part == "body" else t.pull.review_comments[0]
        t.h.world.edit(remark, EVIL)
        t.say("octocat", "/apply")
        assert (t.made, t.states, len(t.answers)) == (0, ["stale"], 1)


# The first 12 of the 64 digits of their digests are the same
ALIKE = ((FITS + "\n22071185", EVIL + "\n22713757"), (FITS + "\n15956818", EVIL + "\n24649863"))


@pytest.mark.long
@pytest.mark.parametrize(("good", "evil"), ALIKE)
def test_s12_texts_whose_digests_begin_alike_are_two(tmp_path: Path, good: str, evil: str) -> None:
    digests = [sha256(text.encode()).hexdigest() for text in (good, evil)]
    assert digests[0][:12] == digests[1][:12]
    with talk(tmp_path) as t:
        t.say("hubot", good)
        t.h.world.edit(t.pull.comments[0], evil)
        t.say("octocat", "/apply")
        assert (t.made, t.states) == (0, ["stale"])
        event = t.h.comment(t.pull, "octocat", good)
        t.h.world.edit(t.pull.comments[-1], evil)
        assert (t.run(event).outputs["result"], t.made) == ("stale", 0)
