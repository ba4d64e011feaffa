"""Joined rounds: an answer that begins with `fixes:` is planned together with what it corrects.

The rules are in docs/reference/action.md, "joined rounds".
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FAILS, OTHER, act, block, pull_request
from support.hub import hub
from support.talkkit import FILES, NOTE, NOTES, Talk, talk

GOOD, BAD = NOTE, FAILS  # of the first answer: what fits, and what does not
FIRST = GOOD + "\n" + BAD
RIGHT = block("app.py", "    result = 0", "    result = sum(items)")
NOTED = b"one\nthe line in between\nand one more of them\nthree\n"
ALONE = "only the blocks of this answer are looked at: "


def number(t: Talk, at: int = -1) -> int:
    """The number of a comment, as its address ends."""
    theirs = [each for each in t.pull.comments if not each.body.startswith("<!-- editblocks:")]
    return theirs[at].id


def fix(t: Talk, body: str = RIGHT, at: int = -1, blocks: str = ", block 2") -> str:
    return f"fixes: {number(t, at)}{blocks}\n\n{body}"


def both(t: Talk) -> tuple[bytes | None, bytes | None]:
    return t.file("app.py"), t.file("notes.txt")


def body_of(t: Talk, at: int) -> str:
    return t.pull.reviews[at].body


def test_one_commit_one_status_and_the_first_says_where_it_went_on(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        assert f"Begin your answer with this line:\nfixes: {number(t)}, block 2\n" in t.status
        done = t.say("octocat", fix(t))
        assert (done.code, done.errors, done.outputs["result"]) == (0, [], "applied"), done.log
        assert (t.made, both(t)) == (1, (APP_NEW, NOTED))
        assert t.states == ["failed", "applied"]
        first, second = t.statuses
        assert (first.next, second.next) == (second.source, None)
        went_on = f"Goes on in [a later answer](https://github.com/octocat/Hello-World/pull/1#{second.source})"
        assert f"\n\n{went_on}, which corrects what failed here. Commands belong there now.\n\n" in body_of(t, 0)
        assert "octocat's comment](" in body_of(t, 1)
        assert " with the rest of [octocat's comment](" in body_of(t, 1)
        assert body_of(t, 1).count("✅ applied") == 2
        # delivered again, nothing is done
        t.again()
        assert (t.made, t.states) == (1, ["failed", "applied"])


def test_whoever_may_apply_gives_the_word_for_both(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        t.say("hubot", fix(t))
        assert (t.made, t.states) == (0, ["failed", "checked"])
        t.say("monalisa", "/apply")  # of the two, one is open
        assert (t.made, both(t), t.answers) == (1, (APP_NEW, NOTED), [])
        assert t.states == ["failed", "applied"]


def test_a_number_of_a_block_counts_in_the_joined_round(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        t.say("hubot", fix(t))
        t.say("monalisa", "/apply 2")
        assert (t.made, both(t), t.states) == (1, (APP_NEW, NOTES), ["failed", "partial"])
        t.say("monalisa", "/apply 1")
        assert (t.made, both(t), t.states) == (2, (APP_NEW, NOTED), ["failed", "applied"])


def test_a_command_about_the_first_is_told_where_it_went_on(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        first = number(t)
        t.say("hubot", fix(t))
        for command in ("/apply ready", "/skip 2", "/retry"):
            t.say("monalisa", f"{command} of {first}")
        assert (t.made, t.states) == (0, ["failed", "checked"])
        assert [answer.partition(":")[0] for answer in t.answers] == [
            "this went on in a later answer, which corrects what failed"
        ] * 3


def test_three_rounds(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        t.say("octocat", fix(t, FAILS))
        assert (t.made, t.states) == (0, ["failed", "failed"])
        assert f"fixes: {number(t)}, block 2\n" in body_of(t, 1)
        t.say("octocat", fix(t))
        assert (t.made, both(t), t.states) == (1, (APP_NEW, NOTED), ["failed", "failed", "applied"])
        assert [marker.next is None for marker in t.statuses] == [False, False, True]


def test_undo_takes_both_back_and_apply_brings_both(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        t.say("octocat", fix(t))
        t.say("octocat", "/undo")
        assert (t.made, both(t), t.states) == (2, (APP, NOTES), ["failed", "undone"])
        t.say("octocat", "/apply")
        assert (t.made, both(t), t.states) == (3, (APP_NEW, NOTED), ["failed", "applied"])


def test_without_numbers_what_fails_now_is_corrected(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        t.say("octocat", fix(t, blocks=""))
        assert (t.made, both(t)) == (1, (APP_NEW, NOTED))


def test_the_first_that_was_run_again_is_left_to_the_second(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        event = t.last
        t.say("octocat", fix(t))
        assert event is not None
        done = t.run(event)
        assert (done.code, done.outputs["result"], t.made, t.states) == (0, "nothing", 1, ["failed", "applied"])
        assert "went on in an answer" in done.log


# what stands against it: a sentence, and the new blocks alone


def edited(t: Talk) -> str:
    t.say("octocat", FIRST)
    t.h.world.edit(t.pull.comments[0], FIRST.replace("in between", "inbetween"))
    return fix(t, at=0)


def gone(t: Talk) -> str:
    t.say("octocat", FIRST)
    text = fix(t, at=0)
    t.h.world.delete(t.pull.comments[0])
    return text


def unknown(t: Talk) -> str:
    t.say("octocat", FIRST)
    return "fixes: 77, block 2\n\n" + RIGHT


def never_a_source(t: Talk) -> str:
    t.say("octocat", "What do you think?")
    return fix(t)


def applied(t: Talk) -> str:
    t.say("octocat", GOOD)
    return fix(t, at=0)


def applied_in_part(t: Talk) -> str:
    t.say("octocat", FIRST)
    t.say("octocat", "/apply ready")
    return fix(t, at=0)


def corrected_before(t: Talk) -> str:
    t.say("hubot", FIRST)
    t.say("hubot", fix(t, FAILS))
    return fix(t, at=0)


def a_block_that_is_not_there(t: Talk) -> str:
    t.say("octocat", FIRST)
    return fix(t, blocks=", block 9")


def somebody_changed_our_status(t: Talk) -> str:
    t.say("octocat", FIRST)
    t.h.world.edit(t.pull.reviews[0], t.status.replace("octocat", "mallory"), t.h.world.user("monalisa"))
    return fix(t, at=0)


AGAINST: list[tuple[Callable[[Talk], str], str]] = [
    (edited, " was edited after its check"),
    (gone, " cannot be found any more"),
    (unknown, "there is no check of `77` here"),
    (never_a_source, "there is no check of "),
    (applied, "all of "),
    (applied_in_part, "what fits of "),
    (corrected_before, " was corrected by another answer already"),
    (a_block_that_is_not_there, "the earlier answer has no block 9"),
    (somebody_changed_our_status, " was edited after its check"),
]


@pytest.mark.parametrize(("begin", "words"), AGAINST, ids=[begin.__name__ for begin, _ in AGAINST])
@pytest.mark.long
def test_what_cannot_be_joined_is_said_and_the_new_blocks_are_looked_at(
    tmp_path: Path, begin: Callable[[Talk], str], words: str
) -> None:
    with talk(tmp_path) as t:
        text = begin(t)
        made, notes = t.made, t.file("notes.txt")
        done = t.say("octocat", text)
        assert (done.code, done.errors) == (0, []), done.log
        assert (t.made - made, t.file("app.py"), t.file("notes.txt")) == (1, APP_NEW, notes)
        last = t.pull.reviews[-1].body
        assert ALONE in last
        assert words in last
        assert all(marker.next is None for marker in t.statuses) or begin is corrected_before


def test_a_stranger_corrects_nobody_else(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        t.say("mallory", fix(t))
        assert (t.made, t.states) == (0, ["failed", "checked"])
        assert f"{ALONE}`{number(t, 0)}` is somebody else's" in body_of(t, 1)
        assert t.statuses[0].next is None
        t.say("monalisa", f"/apply of {number(t, 1)}")
        assert (t.made, both(t)) == (1, (APP_NEW, NOTES))


def test_a_writer_corrects_what_a_bot_posted(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("dependabot[bot]", FIRST)
        t.say("octocat", fix(t))
        assert (t.made, both(t), t.states) == (1, (APP_NEW, NOTED), ["failed", "applied"])


# what happens in between


@pytest.mark.long
def test_the_first_is_edited_before_the_word(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        t.say("hubot", fix(t))
        t.h.world.edit(t.pull.comments[0], FIRST.replace("in between", "inbetween"))
        t.say("monalisa", "/apply")
        assert (t.made, both(t)) == (0, (APP, NOTES))
        assert "source-edited" in t.answers[0]
        t.say("monalisa", "/apply")
        assert (t.made, both(t)) == (1, (APP_NEW, NOTES))


def test_the_first_is_edited_during_the_run(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        text = fix(t)
        first = t.pull.comments[0]
        t.h.fault(
            "GET collaborators/*/permission", before=lambda: t.h.world.edit(first, FIRST.replace("in between", "x"))
        )
        done = t.say("octocat", text)
        assert (t.made, both(t), done.outputs["result"]) == (0, (APP, NOTES), "stale")
        assert "which this answer corrects, changed after the check" in body_of(t, 1)


@pytest.mark.long
def test_the_branch_moves_during_the_run(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        t.h.fault("query Live", before=lambda: t.h.world.push(t.pull, OTHER))
        t.say("octocat", fix(t))
        assert (both(t), t.file("other.txt"), t.states) == ((APP_NEW, NOTED), OTHER["other.txt"], ["failed", "applied"])


@pytest.mark.parametrize(("inputs", "states"), [({"mode": "check"}, ["failed", "checked"])])
@pytest.mark.long
def test_a_policy_counts_for_both(tmp_path: Path, inputs: dict[str, str], states: list[str]) -> None:
    with talk(tmp_path, inputs=inputs) as t:
        t.say("octocat", FIRST)
        t.say("octocat", fix(t))
        assert (t.made, t.states) == (0, states)


@pytest.mark.long
def test_where_commands_are_waited_for_both_wait(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"trigger": "command"}) as t:
        t.say("octocat", FIRST)
        t.say("octocat", fix(t))
        assert (t.made, t.states) == (0, ["failed", "checked"])
        t.say("octocat", "/apply")
        assert (t.made, both(t)) == (1, (APP_NEW, NOTED))


@pytest.mark.long
def test_of_a_fork_both_are_in_the_patch(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.pull.head_repository = t.h.world.fork("zoe")
        t.say("octocat", FIRST)
        t.say("octocat", fix(t))
        assert t.made == 0
        assert "+    result = sum(items)" in body_of(t, 1)
        assert "+the line in between" in body_of(t, 1)


# exactly once, and what people decided before


SWAP = b"y = 0\nmid\nx = 1\n"
SWAP_NEW = b"x = 1\nmid\nx = 2\n"
SWAPPED = {**FILES, "lv.txt": SWAP}
SWAP_FIRST = "\n".join([GOOD, block("lv.txt", "x = one", "x = 2"), block("lv.txt", "y = 0", "x = 1")])
SWAP_FIX = block("lv.txt", "x = 1", "x = 2")


@pytest.mark.parametrize("change", ["edited", "gone"])
@pytest.mark.long
def test_what_was_committed_stays_so_whatever_becomes_of_the_first(tmp_path: Path, change: str) -> None:
    with talk(tmp_path, SWAPPED) as t:
        t.say("octocat", SWAP_FIRST)
        t.say("octocat", fix(t, SWAP_FIX))
        assert (t.made, t.file("lv.txt")) == (1, SWAP_NEW)
        first, event = t.pull.comments[0], t.last
        if change == "edited":
            t.h.world.edit(first, SWAP_FIRST + "a word more\n")
        else:
            t.h.world.delete(first)
        assert event is not None
        t.run(event)
        assert (t.made, t.file("lv.txt"), t.states[-1]) == (1, SWAP_NEW, "applied")


@pytest.mark.long
def test_a_suggestion_among_them_waits_for_a_command(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.run(t.h.review(t.pull, "hubot", BAD, [("app.py", 2, "```suggestion\n    result = 666\n```")]))
        done = t.say("octocat", f"fixes: {t.pull.reviews[0].id}, block 1\n\n{RIGHT}")
        assert (done.code, t.made, t.states[-1]) != (0, 1, "applied"), done.log
        assert b"666" not in (t.file("app.py") or b"")


@pytest.mark.long
def test_what_people_skipped_stays_skipped(tmp_path: Path) -> None:
    with talk(tmp_path, {**FILES, "c.txt": b"secret\n"}) as t:
        t.say("hubot", FIRST + "\n" + block("c.txt", "secret", "public"))
        t.say("monalisa", "/skip 3")
        t.say("octocat", fix(t, at=0))
        assert (both(t), t.file("c.txt")) == ((APP_NEW, NOTED), b"secret\n")


@pytest.mark.long
def test_what_is_corrected_is_decided_once(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", GOOD + "\n" + block("app.py", "    result = none", "    result = sum(items)"))
        t.say("hubot", fix(t, blocks=""))
        assert t.statuses[1].fixes == {2}
        t.say("monalisa", "/apply 2")
        t.say("monalisa", "/apply 1")
        assert (t.made, both(t), t.states) == (2, (APP_NEW, NOTED), ["failed", "applied"])


@pytest.mark.long
def test_answers_in_a_circle_end(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        t.say("hubot", fix(t))
        t.h.world.edit(t.pull.comments[0], f"fixes: {number(t)}\n\n{FIRST}")
        done = t.say("monalisa", "/apply")
        assert (done.code, t.made, len(done.names) < 25) == (0, 0, True)


@pytest.mark.long
def test_where_the_second_is_gone_the_first_can_be_corrected_again(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FIRST)
        t.say("hubot", fix(t, FAILS))
        t.h.world.delete(t.pull.comments[1])
        t.say("octocat", fix(t, at=0))
        assert (t.made, both(t)) == (1, (APP_NEW, NOTED))
        assert t.statuses[0].next == t.statuses[2].source
        assert body_of(t, 0).count("Goes on in ") == 1


@pytest.mark.long
def test_the_first_is_applied_during_the_run_of_the_second(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        text, review = fix(t), t.pull.reviews[0]
        applied = t.status.replace(" state=failed", " state=partial")
        t.h.fault("query Live", before=lambda: t.h.world.edit(review, applied, t.h.world.bot))
        done = t.say("octocat", text)
        assert (t.made, both(t), done.outputs["result"]) == (0, (APP, NOTES), "stale")
        assert "was applied, or corrected by another, during the run" in body_of(t, 1)
        assert (t.statuses[0].state.value, t.statuses[0].next) == ("partial", None)


# response files


A, B = ".edits/a.md", ".edits/b.md"


@pytest.mark.long
def test_a_file_corrects_a_file_and_both_go(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {**FILES, A: FIRST.encode()})
        act(h, h.pull_event(pull), tmp_path)
        h.world.push(pull, {B: f"fixes: {A}, block 2\n\n{RIGHT}".encode()})
        before = h.world.head(pull)
        done = act(h, h.pull_event(pull, "synchronize"), tmp_path)
        assert (done.code, done.outputs["result"], done.errors) == (0, "applied", []), done.log
        files = h.world.files(h.world.head(pull))
        assert (files["app.py"][1], files["notes.txt"][1]) == (APP_NEW, NOTED)
        assert {A, B}.isdisjoint(files)
        assert before != h.world.head(pull)


@pytest.mark.long
def test_two_files_of_one_push_go_together_and_come_back(tmp_path: Path) -> None:
    files = {**FILES, A: FIRST.encode(), B: f"fixes: {A}, block 2\n\n{RIGHT}".encode()}
    with talk(tmp_path, files) as t:
        done = t.run(t.h.pull_event(t.pull))
        assert (done.code, t.made, both(t), t.file(A), t.file(B)) == (0, 1, (APP_NEW, NOTED), None, None), done.log
        t.say("octocat", "/undo")
        assert (both(t), t.file(A), t.file(B)) == ((APP, NOTES), files[A], files[B])
        t.say("octocat", "/apply")
        assert (both(t), t.file(A), t.file(B)) == ((APP_NEW, NOTED), None, None)


@pytest.mark.long
def test_files_that_name_each_other_are_looked_at_alone(tmp_path: Path) -> None:
    files = {**FILES, A: f"fixes: {B}\n\n{GOOD}".encode(), B: f"fixes: {A}\n\n{RIGHT}".encode()}
    with talk(tmp_path, files) as t:
        t.run(t.h.pull_event(t.pull))
        assert both(t) == (APP_NEW, NOTED)


@pytest.mark.long
def test_a_file_that_was_not_joined_keeps_its_blocks(tmp_path: Path) -> None:
    with talk(tmp_path, {**FILES, A: FIRST.encode()}) as t:
        t.run(t.h.pull_event(t.pull))
        t.say("octocat", f"fixes: {A}, block 9\n\n{FAILS}")
        t.say("octocat", fix(t, blocks=", block 1"))
        assert (both(t), t.file(A)) == ((APP_NEW, NOTES), FIRST.encode())


@pytest.mark.long
def test_a_comment_corrects_a_file(tmp_path: Path) -> None:
    with talk(tmp_path, {**FILES, A: FIRST.encode()}) as t:
        t.run(t.h.pull_event(t.pull))
        done = t.say("octocat", f"fixes: {A}, block 2\n\n{RIGHT}")
        assert (done.code, t.made, both(t), t.file(A)) == (0, 1, (APP_NEW, NOTED), None), done.log
        assert t.states == ["failed", "applied"]
