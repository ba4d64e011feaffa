"""A source, a command or a status that changes: a word holds for the text that people saw, and for no other."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from support.actionkit import APP_NEW, FITS, NEW, OLD, block, marker_of
from support.hub import Event
from support.hub.model import Review
from support.talkkit import BOTH, NOTE, NOTES, Talk, some, talk

EVIL = FITS.replace("sum(items)", "steal(items)")
EDITED = "source-edited: the answer was edited after the check"


def source(t: Talk) -> None:
    t.h.world.edit(t.pull.comments[0], EVIL)


def in_a_review(t: Talk) -> None:
    t.h.world.edit(t.pull.reviews[0], EVIL)


def in_an_inline_comment(t: Talk) -> None:
    t.h.world.edit(t.pull.review_comments[0], EVIL)


def in_a_reply(t: Talk) -> None:
    t.h.world.edit(t.pull.review_comments[1], EVIL)


def comment(t: Talk) -> Event:
    return t.h.comment(t.pull, "hubot", FITS)


def review(t: Talk) -> Event:
    return t.h.review(t.pull, "hubot", FITS)


def inline(t: Talk) -> Event:
    return t.h.review(t.pull, "hubot", NOTE, [("app.py", 1, FITS)])


def reply(t: Talk) -> Event:
    t.h.review(t.pull, "octocat", "", [("app.py", 1, "why?")])
    return t.h.reply(t.pull, "hubot", FITS, t.pull.review_comments[0])


STEAL = NEW.replace("sum(items)", "steal(items)").encode() + b"\n"
# the source, how it is edited → what a second word commits
SOURCES: list[tuple[Callable[[Talk], Event], Callable[[Talk], None], bytes | None]] = [
    (comment, source, STEAL),
    (review, in_a_review, STEAL),
    (inline, in_an_inline_comment, None),  # the edited one is left out
    (reply, in_a_reply, STEAL),
]


@pytest.mark.long
@pytest.mark.parametrize("command", ["/apply", pytest.param("/apply 1", marks=pytest.mark.long)])
@pytest.mark.parametrize(("say", "edit", "data"), some(SOURCES, "comment", spread=True))
def test_a_source_that_was_edited_takes_a_second_word(
    tmp_path: Path, say: Callable[[Talk], Event], edit: Callable[[Talk], None], data: bytes | None, command: str
) -> None:
    with talk(tmp_path) as t:
        t.run(say(t))
        old = t.statuses[0].digest
        edit(t)
        done = t.say("octocat", command)
        assert (done.code, done.outputs["result"], t.made, t.states) == (0, "stale", 0, ["stale"]), done.log
        assert [EDITED in each for each in t.answers] == [True]
        assert t.statuses[0].digest != old
        assert t.reactions == ["confused"]
        first = t.last
        assert first is not None
        for _ in range(2):  # the first word is delivered again: it still does not count
            t.run(first)
            assert (t.made, t.states, len(t.answers)) == (0, ["stale"], 1)
        t.say("octocat", command)
        assert (t.made, t.states, t.answers) == (1, ["applied"], t.answers[:1])
        assert t.file("app.py") == (data or t.h.world.files(t.start)["app.py"][1])
        t.run(first)
        assert (t.made, t.states, len(t.answers)) == (1, ["applied"], 1)


def test_the_same_numbers_of_an_edited_text_are_not_done(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        t.say("octocat", "/apply 1")
        t.h.world.edit(t.pull.comments[0], EVIL + "\n" + NOTE)
        done = t.say("octocat", "/apply 1")
        assert (done.outputs["result"], t.made, t.states, t.reactions) == ("stale", 1, ["stale"], ["confused"])
        assert [EDITED in each for each in t.answers] == [True]


@pytest.mark.long
def test_a_text_that_was_edited_and_edited_back_is_the_same(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        source(t)
        t.h.world.edit(t.pull.comments[0], FITS)
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied, t.answers) == (1, ["applied"], True, [])


@pytest.mark.long
def test_other_line_ends_are_the_same_text(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.h.world.edit(t.pull.comments[0], FITS.replace("\n", "\r\n"))
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (1, ["applied"], True)


@pytest.mark.long
def test_a_text_edited_between_the_word_and_its_run(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        word = t.h.comment(t.pull, "octocat", "/apply")
        source(t)
        t.run(word)
        assert (t.made, t.states) == (0, ["stale"])


@pytest.mark.long
def test_a_text_that_another_run_checked_between_the_word_and_its_run(tmp_path: Path) -> None:
    """The status shows the new text by now, but the word was given before it did."""
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        source(t)
        word = t.h.comment(t.pull, "octocat", "/apply")
        t.say("monalisa", "/retry")
        t.run(word)
        assert (t.made, t.states) == (0, ["stale"])
        t.say("octocat", "/apply")
        assert (t.made, t.file("app.py")) == (1, STEAL)


@pytest.mark.long
def test_a_part_of_a_review_that_is_taken_away_is_an_edit(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.run(inline(t))
        t.h.world.delete(t.pull.review_comments[0])
        t.say("octocat", "/apply")
        assert (t.made, t.states) == (0, ["stale"])
        t.again()
        assert (t.made, t.states, len(t.answers)) == (0, ["stale"], 1)
        t.say("octocat", "/apply")
        assert (t.made, t.is_applied) == (1, False)


def collide(body: str) -> str:
    """The first twelve digits of a digest are a matter of minutes; the marker of a status has all of them."""
    wanted, digest = sha256(body.encode()).hexdigest(), sha256(EVIL.encode()).hexdigest()
    return wanted[:12] + digest[12:]


def test_the_first_digits_of_a_digest_are_not_enough(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        status = t.pull.reviews[0]
        status.body = status.body.replace(marker_of(status).digest, collide(FITS))
        t.say("octocat", "/apply")
        assert (t.made, t.states) == (0, ["stale"])


@pytest.mark.long
def test_a_skip_that_a_person_wrote_into_the_status_is_not_believed(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        status = t.pull.reviews[0]
        t.h.world.edit(status, status.body.replace("state=checked", "state=checked skip=1"), t.h.world.user("monalisa"))
        done = t.say("octocat", "/apply")
        assert (done.outputs["result"], t.made, t.states) == ("stale", 0, ["stale"])
        assert len(t.answers) == 1
        assert not t.statuses[0].skip
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied, t.file("notes.txt") != NOTES) == (1, ["applied"], True, True)


@pytest.mark.long
def test_a_commit_that_a_person_wrote_into_the_status_is_not_believed(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        status = t.pull.reviews[0]
        text = status.body.replace("state=checked", f"state=applied commit={t.head}")
        t.h.world.edit(status, text, t.h.world.user("monalisa"))
        t.say("octocat", f"/apply of {t.pull.comments[0].id}")
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (1, ["applied"], True)


def as_comment(t: Talk, body: str) -> None:
    t.h.world.say(t.pull, "mallory", body)


def as_review(t: Talk, body: str) -> None:
    t.h.world.review(t.pull, "mallory", body)


def as_another_app(t: Talk, body: str) -> None:
    at = t.h.world.tick()
    t.pull.reviews.append(Review(t.h.world.next_id(), t.h.world.user("other[bot]"), body, at, at))


@pytest.mark.parametrize("place", some([as_comment, as_review, as_another_app], "as_review"))
def test_somebody_elses_marker_is_no_status(tmp_path: Path, place: Callable[[Talk, str], None]) -> None:
    with talk(tmp_path) as t:
        t.h.comment(t.pull, "mallory", EVIL)
        forged = f"issuecomment-{t.pull.comments[0].id}"
        digest = sha256(EVIL.encode()).hexdigest()
        place(t, f"<!-- editblocks:status v1 source={forged} digest={digest} head={t.head} state=checked -->\nready")
        t.say("octocat", "/apply")
        assert (t.made, t.states) == (0, [])
        assert ["there is nothing to apply here" in each for each in t.answers] == [True]


@pytest.mark.long
def test_an_answer_that_somebody_else_wrote_answers_nothing(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        event = t.h.comment(t.pull, "octocat", "/apply")
        said = f"issuecomment-{t.pull.comments[0].id}"
        as_comment(t, f"<!-- editblocks:answer v1 to={said} -->\nfine")
        t.run(event)
        assert len(t.answers) == 1


# gone, or changed while it is worked on


def test_a_source_that_was_deleted(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        t.h.world.delete(t.pull.comments[0])
        for _ in range(2):
            done = t.say("octocat", "/apply") if not t.answers else t.again()
            assert (done.code, t.made, t.states) == (0, 0, ["checked"])
        assert ["the answer no longer exists" in each for each in t.answers] == [True]


def command_edited(t: Talk) -> None:
    t.h.world.edit(t.pull.comments[-1], "/apply 1")


def command_deleted(t: Talk) -> None:
    t.h.world.delete(t.pull.comments[-1])


def source_edited(t: Talk) -> None:
    source(t)


def branch_pushed(t: Talk) -> None:
    t.h.world.push(t.pull, {"other.txt": b"x"})


# what happens before the last look → the commits, the state
LAST_LOOK: list[tuple[Callable[[Talk], None], int, str]] = [
    (command_edited, 0, "checked"),
    (command_deleted, 0, "checked"),
    (branch_pushed, 2, "applied"),
]


@pytest.mark.parametrize(("change", "made", "state"), some(LAST_LOOK, "command_edited", spread=True))
@pytest.mark.parametrize("at", ["query Objects", pytest.param("query Live", marks=pytest.mark.long)])
@pytest.mark.long
def test_what_changes_before_the_last_look(
    tmp_path: Path, change: Callable[[Talk], None], made: int, state: str, at: str
) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        event = t.h.comment(t.pull, "octocat", "/apply")
        t.h.fault(at, before=lambda: change(t))
        done = t.run(event)
        assert (done.code, t.made, t.states) == (0, made, [state]), done.log
        assert ["the command" in each and "send it again" in each for each in t.answers] == [True] * (
            state == "checked"
        )


@pytest.mark.long
def test_a_source_that_is_edited_while_it_is_applied(tmp_path: Path) -> None:
    """The text that people saw is what is committed, or nothing."""
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        event = t.h.comment(t.pull, "octocat", "/apply")
        t.h.fault("query Live", before=lambda: source_edited(t))
        t.run(event)
        assert t.file("app.py") in {APP_NEW, OLD.encode() + b"\n"}


@pytest.mark.long
def test_an_undo_whose_command_is_deleted(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        event = t.h.comment(t.pull, "octocat", "/undo")
        t.h.fault("query Live", before=lambda: command_deleted(t))
        done = t.run(event)
        assert (done.code, t.made, t.states, t.is_applied) == (0, 1, ["applied"], True), done.log


@pytest.mark.long
def test_the_commit_names_who_gave_the_word_and_who_wrote_the_blocks(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"credit": "true"}) as t:
        t.say("hubot", FITS)
        t.say("octocat", "/apply")
        message = t.h.world.store.git("log", "-1", "--format=%B", t.head).decode()
        hubot = t.h.world.user("hubot")
        assert "Edit-Blocks-Applied-By: octocat" in message
        assert f"Co-authored-by: hubot <{hubot.id}+hubot@users.noreply.github.com>" in message


@pytest.mark.long
def test_an_edit_of_a_block_that_nobody_asked_for(tmp_path: Path) -> None:
    """All of the text is what was approved, not the block alone."""
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        t.h.world.edit(t.pull.comments[0], FITS + "\n" + block("notes.txt", "three", "3"))
        t.say("octocat", "/apply 1")
        assert (t.made, t.states) == (0, ["stale"])
