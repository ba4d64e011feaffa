"""Blocks for an older version of a file, replays, and forks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP, APP_NEW, FITS, Done, block, payload
from support.hub import Event
from support.hub.model import Review
from support.sourcecases import answer, comment, thread
from support.talkkit import NOTE, Talk, some, talk

# three-way: written for an older version of the file

OLDER = b"name = 'shop'\n\nlimit = 10\n\ntotal = 0\n"
ELSEWHERE = OLDER.replace(b"shop", b"store")
SAME_LINES = OLDER.replace(b"limit = 10", b"limit = 11").replace(b"total = 0", b"total = 7")
WHOLE = block("app.py", OLDER.decode().rstrip("\n"), OLDER.decode().replace("total = 0", "total = 1").rstrip("\n"))
MERGED = ELSEWHERE.replace(b"total = 0", b"total = 1")
HERE = WHOLE.partition("\n")[2]

Speak = Callable[[Talk], Event]


def in_a_body(t: Talk) -> Event:
    return t.h.review(t.pull, "octocat", WHOLE)


def in_an_inline_comment(t: Talk) -> Event:
    return t.h.review(t.pull, "octocat", "", [("app.py", 3, HERE)])


def in_a_reply(t: Talk) -> Event:
    return t.h.reply(t.pull, "octocat", HERE, thread(t))


def in_a_comment(t: Talk) -> Event:
    return t.h.comment(t.pull, "octocat", WHOLE)


# where the block is → its state, the file, where the head has changed elsewhere, and where it changed the same line
WRITTEN: list[tuple[Speak, tuple[str, bytes], tuple[str, bytes]]] = [
    (in_a_body, ("applied", MERGED), ("failed", SAME_LINES)),
    (in_an_inline_comment, ("applied", MERGED), ("failed", SAME_LINES)),
    (in_a_reply, ("applied", MERGED), ("failed", SAME_LINES)),
    (in_a_comment, ("failed", ELSEWHERE), ("failed", SAME_LINES)),  # says nothing of the version it was written for
]


@pytest.mark.long
@pytest.mark.parametrize("row", some(WRITTEN, "in_a_body", "in_a_reply"))
@pytest.mark.parametrize("now", [ELSEWHERE, SAME_LINES], ids=["changed elsewhere", "the same line changed"])
def test_a_block_for_the_version_that_was_reviewed(
    tmp_path: Path, row: tuple[Speak, tuple[str, bytes], tuple[str, bytes]], now: bytes
) -> None:
    speak, merged, stale = row
    state, data = merged if now == ELSEWHERE else stale
    with talk(tmp_path, {"app.py": OLDER}) as t:
        event = speak(t)
        t.h.world.push(t.pull, {"app.py": now})
        t.run(event)
        assert (t.states, t.file("app.py")) == ([state], data)
        bodies = [each.body for each in (*t.pull.reviews, *t.pull.review_comments) if "editblocks:status" in each.body]
        written_for = speak is not in_a_comment
        assert [("three-way" in body, "stale: " in body) for body in bodies] == [
            (written_for and state == "applied", written_for and state == "failed")
        ]


@pytest.mark.long
def test_a_reply_is_for_the_version_that_its_thread_was_begun_on(tmp_path: Path) -> None:
    with talk(tmp_path, {"app.py": OLDER}) as t:
        first = thread(t)
        t.h.world.push(t.pull, {"app.py": ELSEWHERE})
        t.run(t.h.reply(t.pull, "octocat", HERE, first))
        assert (t.states, t.file("app.py")) == (["applied"], MERGED)


@pytest.mark.long
def test_the_version_still_counts_when_somebody_else_says_apply(tmp_path: Path) -> None:
    with talk(tmp_path, {"app.py": OLDER}) as t:
        t.run(t.h.review(t.pull, "hubot", "", [("app.py", 3, HERE)]))
        t.h.world.push(t.pull, {"app.py": ELSEWHERE})
        t.say("octocat", "/apply")
        assert (t.states, t.file("app.py")) == (["applied"], MERGED)


@pytest.mark.long
def test_what_the_text_says_goes_before_the_version_that_was_reviewed(tmp_path: Path) -> None:
    with talk(tmp_path, {"app.py": OLDER}) as t:
        old = t.head
        t.h.world.push(t.pull, {"app.py": ELSEWHERE})
        t.run(t.h.review(t.pull, "octocat", f"base: {old}\n\n{WHOLE}"))
        assert (t.states, t.file("app.py")) == (["applied"], MERGED)


# replays


def replay(t: Talk, number: int, pull: int | None = None) -> Done:
    inputs = {"pr-number": str(pull or t.pull.number), "comment-id": str(number)}
    return t.run(t.h.dispatch("octocat", pr_number=inputs["pr-number"], comment_id=number), inputs=inputs)


def review(t: Talk, author: str, body: str) -> Review:
    return t.h.world.review(t.pull, author, body)


def inline_review(t: Talk, author: str, body: str) -> Review:
    return t.h.world.review(t.pull, author, "", [("app.py", 1, body)])


Make = Callable[[Talk, str, str], Any]
KINDS: list[Make] = [comment, review, inline_review, answer]
# who wrote it → the result
AUTHORITY = {"octocat": "applied", "hubot": "checked", "dependabot[bot]": "checked"}


@pytest.mark.long
@pytest.mark.parametrize("who", some(AUTHORITY, "octocat"))
@pytest.mark.parametrize("make", some(KINDS, "comment", "inline_review"))
def test_a_replay_has_the_authority_of_the_author(tmp_path: Path, make: Make, who: str) -> None:
    with talk(tmp_path) as t:
        remark = make(t, who, FITS)
        done = replay(t, remark.id)
        assert (done.code, done.outputs["result"], t.states) == (0, AUTHORITY[who], [AUTHORITY[who]]), done.log
        again = replay(t, remark.id)
        assert (again.code, t.states, t.made) == (0, [AUTHORITY[who]], int(who == "octocat")), again.log


@pytest.mark.parametrize("make", some(KINDS, "comment"))
def test_a_remark_that_was_edited_is_only_checked_when_it_is_replayed(tmp_path: Path, make: Make) -> None:
    with talk(tmp_path) as t:
        remark = make(t, "octocat", NOTE)
        inside = t.pull.review_comments[-1] if make is inline_review else remark
        t.h.world.edit(inside, FITS)
        done = replay(t, remark.id)
        left = [] if make is inline_review else ["stale"]  # an inline comment that was edited is no part of its review
        assert (done.code, t.made, t.states) == (0, 0, left), done.log


@pytest.mark.parametrize("make", some(KINDS[:2]))
def test_a_command_can_be_replayed_too(tmp_path: Path, make: Make) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        said = make(t, "octocat", "/apply")
        assert replay(t, said.id).outputs["result"] == "applied"
        replay(t, said.id)
        assert (t.made, t.states) == (1, ["applied"])


@pytest.mark.parametrize("make", some(KINDS[:2], "comment"))
def test_a_command_that_was_edited_is_not_obeyed_when_it_is_replayed(tmp_path: Path, make: Make) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        said = make(t, "octocat", "not yet")
        t.h.world.edit(said, "/apply")
        replay(t, said.id)
        assert (t.made, t.states) == (0, ["checked"])
        assert ["the command was edited after it was posted" in each for each in t.answers] == [True]


@pytest.mark.long
def test_blocks_below_a_command_that_was_edited_are_only_checked(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        said = comment(t, "octocat", FITS)
        t.h.world.edit(said, f"/apply\n\n{FITS}")
        replay(t, said.id)
        assert (t.made, t.states) == (0, ["stale"])


def on_another(t: Talk) -> int:
    other = t.h.world.pull_request({"x": b"x"}, head="other")
    return t.h.world.say(other, "octocat", FITS).id


def nowhere(_: Talk) -> int:
    return 1


def deleted(t: Talk) -> int:
    said = comment(t, "octocat", FITS)
    t.h.world.delete(said)
    return said.id


def our_own(t: Talk) -> int:
    t.say("hubot", FITS)
    return t.pull.reviews[0].id


@pytest.mark.parametrize("number", some([on_another, nowhere, deleted, our_own], "on_another"))
def test_a_number_that_is_no_remark_here_is_an_error(tmp_path: Path, number: Callable[[Talk], int]) -> None:
    with talk(tmp_path) as t:
        wanted = number(t)
        before = t.states
        done = replay(t, wanted)
        assert (done.code, t.made, t.states) == (2, 0, before)
        assert f"pull request 1 has no comment or review {wanted}" in done.errors[0]


@pytest.mark.long
def test_words_that_are_replayed_are_nothing(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        done = replay(t, comment(t, "octocat", "nice").id)
        assert (done.code, done.outputs["result"], t.states) == (0, "nothing", [])


@pytest.mark.long
def test_a_replay_on_a_closed_pull_request(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        said = comment(t, "octocat", FITS)
        t.pull.state = "merged"
        done = replay(t, said.id)
        assert (done.code, done.outputs["result"], t.states) == (0, "nothing", [])


@pytest.mark.long
def test_an_event_of_an_edit_is_nothing(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        event = t.h.comment(t.pull, "octocat", FITS)
        payload(event)["action"] = "edited"
        assert (t.run(event).names, t.file("app.py")) == ([], APP)
        assert APP != APP_NEW


# forks: the token of a review's run only reads


SAID = ["/apply", "/apply 7", "/undo", "/edits help", "/edits aply", FITS, f"/apply 7\n\n{FITS}"]


@pytest.mark.long
@pytest.mark.parametrize("who", some(["octocat", "maddie"], "octocat"))
@pytest.mark.parametrize("body", some(SAID, "/apply", FITS))
def test_a_review_of_a_fork_can_say_nothing(tmp_path: Path, who: str, body: str) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.pull.head_repository = t.h.world.fork("zoe")
        before = t.states
        done = t.run(t.h.review(t.pull, who, body))
        assert (done.code, done.errors, t.states, t.answers) == (0, [], before, [])
        assert "can only read" in done.log or "bad-command" in done.log, done.log
        assert ("post the blocks as a comment below" in done.summary) is ("no status: " in done.log)
        assert not [name for name in done.names if "git/" in name or name.startswith("mutation")]
