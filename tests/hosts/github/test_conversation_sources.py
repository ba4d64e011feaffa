"""What blocks come from: reviews with their inline comments, replies in threads, and remarks that are replayed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, NEW, OLD, Done, act_all, block, marker_of, payload
from support.hub import Event
from support.hub.model import Comment, Review, ReviewComment
from support.talkkit import NOTE, NOTES, Talk, some, talk

NO_PATH = block("", OLD, NEW).lstrip("\n")
NOTE_HERE = block("", "one\nthe second line", "one\nthe line in between\nand one more of them").lstrip("\n")
NOTED = b"one\nthe line in between\nand one more of them\nthree\n"


def deliver(t: Talk, event: Event, **options: Any) -> list[Done]:
    """One run for each delivery of a deed, as GitHub starts them."""
    return act_all(t.h, event, t.folder, dict(t.inputs), **options)


def results(runs: list[Done]) -> list[str]:
    assert [run.code for run in runs] == [0] * len(runs), [run.log for run in runs]
    return [run.outputs["result"] for run in runs]


# reviews


@pytest.mark.long
def test_a_review_that_is_not_read_to_its_end_is_said_and_not_applied(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        comments = [("app.py", 1, "hm")] * 100
        (first, *_) = deliver(t, t.h.review(t.pull, "octocat", FITS, [*comments, ("app.py", 1, "hm")]))
        assert (first.outputs["result"], t.made) == ("refused", 0)
        assert "the review has more than 100 inline comments; split it" in t.pull.reviews[-1].body
        (whole, *_) = deliver(t, t.h.review(t.pull, "octocat", FITS, comments))
        assert (whole.outputs["result"], t.made) == ("applied", 1)


BODY_ONLY: list[tuple[str, int, str]] = []
# body, inline comments → commit, state
REVIEWS: list[tuple[str, str, list[tuple[str, int, str]], bool, str]] = [
    ("in its body", FITS, BODY_ONLY, True, "applied"),
    ("in one comment, with a path", "", [("notes.txt", 1, FITS)], True, "applied"),
    ("in one comment, which has the path", "", [("app.py", 1, NO_PATH)], True, "applied"),
    ("in the body and in two comments", FITS, [("notes.txt", 2, "hm"), ("notes.txt", 1, NOTE_HERE)], True, "applied"),
    ("one of them fails", FITS, [("notes.txt", 1, block("", "four", "4").lstrip())], False, "failed"),
    ("one of them is cut off", FITS, [("notes.txt", 1, NOTE.partition("=======")[0])], False, "failed"),
    ("a path that is not in the thread", "see below", [("notes.txt", 1, FITS), ("app.py", 1, NOTE)], True, "applied"),
]


@pytest.mark.parametrize("row", some(REVIEWS, "in one comment, which has the path", "one of them fails"))
def test_a_review_is_one_source(tmp_path: Path, row: tuple[str, str, list[tuple[str, int, str]], bool, str]) -> None:
    _, body, comments, commits, state = row
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", body, comments)
        runs = deliver(t, event)
        assert results(runs) == [state] + ["nothing"] * len(comments)
        assert [run.names for run in runs[1:]] == [[]] * len(comments)
        assert (t.made, t.states, t.is_applied) == (int(commits), [state], commits and "app.py" in body + str(comments))
        marker = t.statuses[0]
        assert marker.source == f"pullrequestreview-{t.pull.reviews[0].id}"
        again = deliver(t, event)
        assert (t.made, t.states, len(t.pull.reviews)) == (int(commits), [state], 2)
        assert not commits or len(again[0].names) <= 3


@pytest.mark.long
def test_blocks_of_a_review_by_a_reader_wait_for_a_word(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        deliver(t, t.h.review(t.pull, "hubot", "", [("app.py", 1, NO_PATH), ("notes.txt", 1, NOTE_HERE)]))
        assert (t.made, t.states) == (0, ["checked"])
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.file("notes.txt"), t.is_applied) == (1, ["applied"], NOTED, True)


def test_a_command_in_a_review(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", FITS)
        event = t.h.review(t.pull, "octocat", "/apply\n\nlooks right")
        done = t.run(event)
        assert (done.outputs["result"], t.made, t.states) == ("applied", 1, ["applied"])
        assert t.run(event).names == ["query Source", "query Context", "GET collaborators/{username}/permission"]


@pytest.mark.long
def test_a_command_in_a_review_takes_the_blocks_of_its_comments(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"trigger": "command"}) as t:
        deliver(t, t.h.review(t.pull, "octocat", "/apply 2", [("app.py", 1, NO_PATH), ("notes.txt", 1, NOTE_HERE)]))
        assert (t.made, t.states, t.file("notes.txt"), t.is_applied) == (1, ["partial"], NOTED, False)


def test_inline_comments_that_were_edited_after_the_review_are_left_out(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", NOTE, [("app.py", 1, NO_PATH)])
        t.h.world.edit(t.pull.review_comments[0], FAILS)
        assert results([t.run(event)]) == ["applied"]
        assert (t.file("notes.txt"), t.is_applied) == (NOTED, False)


@pytest.mark.long
def test_a_body_that_was_edited_before_the_run_is_only_checked(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", NOTE)
        t.h.world.edit(t.pull.reviews[0], FITS)
        done = t.run(event)
        assert (done.outputs["result"], t.made, t.states) == ("stale", 0, ["stale"])
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.is_applied) == (1, ["applied"], True)


@pytest.mark.long
def test_a_body_that_was_saved_with_other_line_ends_is_the_same(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", FITS.replace("\n", "\r\n"))
        t.h.world.edit(t.pull.reviews[0], FITS)
        assert results([t.run(event)]) == ["applied"]


@pytest.mark.parametrize("at", some(["query Objects", "GET collaborators/*/permission"], "query Objects"))
def test_a_review_that_changes_during_the_run(tmp_path: Path, at: str) -> None:
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", "", [("app.py", 1, NO_PATH)])
        t.h.fault(at, before=lambda: t.h.world.edit(t.pull.review_comments[0], FAILS))
        assert results([t.run(event)]) == ["stale"]
        assert (t.made, t.states) == (0, ["stale"])


def test_a_review_with_words_alone_costs_one_request(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        runs = deliver(t, t.h.review(t.pull, "octocat", "nice", [("app.py", 1, "hm")]))
        assert (results(runs), [len(run.names) for run in runs]) == (["nothing"] * 2, [1, 0])


# replies


def thread(t: Talk, path: str = "app.py", body: str = "why?", author: str = "hubot") -> ReviewComment:
    t.h.review(t.pull, author, "", [(path, 1, body)])
    return t.pull.review_comments[-1]


def test_a_reply_is_answered_in_its_thread(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        first = thread(t)
        event = t.h.reply(t.pull, "octocat", NO_PATH, first)
        runs = deliver(t, event)
        assert (results(runs), len(runs[1].names)) == (["applied", "nothing"], 1)
        assert (t.made, t.states, t.is_applied) == (1, ["applied"], True)
        status = t.pull.threads[0][-1]
        assert (status.author.login, marker_of(as_review(status)).source) == (
            "github-actions[bot]",
            f"discussion_r{t.pull.review_comments[1].id}",
        )
        assert [each.content for each in t.pull.review_comments[1].reactions] == ["rocket"]
        again = deliver(t, event)
        assert (len(t.pull.threads[0]), t.made, len(again[0].names) <= 3) == (3, 1, True)


def as_review(comment: ReviewComment) -> Review:
    return Review(comment.id, comment.author, comment.body, comment.created_at, comment.updated_at)


@pytest.mark.long
def test_the_status_of_a_reply_is_edited_in_place(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        first = thread(t)
        deliver(t, t.h.reply(t.pull, "hubot", FITS + FAILS, first))
        assert (t.states, len(t.pull.threads[0])) == (["failed"], 3)
        deliver(t, t.h.reply(t.pull, "octocat", "/skip 2", first))
        assert (t.states, len(t.pull.threads[0])) == (["checked"], 4)
        deliver(t, t.h.reply(t.pull, "octocat", "/apply", first))
        assert (t.states, t.made, t.is_applied, len(t.pull.threads[0])) == (["partial"], 1, True, 5)
        deliver(t, t.h.reply(t.pull, "octocat", "/undo", first))
        assert (t.states, t.made, t.is_applied, len(t.pull.threads[0])) == (["undone"], 2, False, 6)


@pytest.mark.long
def test_a_command_in_a_thread_means_what_stands_there(tmp_path: Path) -> None:
    """Two sources are open; each thread has its own."""
    with talk(tmp_path) as t:
        one, two = thread(t), thread(t, "notes.txt")
        deliver(t, t.h.reply(t.pull, "hubot", NO_PATH, one))
        deliver(t, t.h.reply(t.pull, "hubot", NOTE_HERE, two))
        deliver(t, t.h.reply(t.pull, "octocat", "/apply", two))
        assert (t.made, t.states, t.file("notes.txt"), t.is_applied) == (1, ["checked", "applied"], NOTED, False)


@pytest.mark.long
def test_a_command_in_a_thread_of_a_review_means_the_review(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("hubot", NOTE)
        event = t.h.review(t.pull, "hubot", "", [("app.py", 1, NO_PATH)])
        deliver(t, event)
        deliver(t, t.h.reply(t.pull, "octocat", "/apply", t.pull.review_comments[0]))
        assert (t.made, t.is_applied, t.file("notes.txt")) == (1, True, NOTES)


@pytest.mark.long
def test_a_command_in_a_thread_means_no_source_that_came_later(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        first = thread(t)
        deliver(t, t.h.reply(t.pull, "hubot", NO_PATH, first))
        late = t.h.reply(t.pull, "octocat", "/apply", first)
        deliver(t, t.h.reply(t.pull, "hubot", NOTE, first))
        deliver(t, late)
        assert (t.made, t.is_applied, t.file("notes.txt")) == (1, True, NOTES)


@pytest.mark.long
def test_an_undo_in_a_thread_means_the_review_where_its_newest_blocks_have_no_commit(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        deliver(t, t.h.review(t.pull, "octocat", "", [("app.py", 1, NO_PATH)]))
        first = t.pull.review_comments[0]
        deliver(t, t.h.reply(t.pull, "octocat", block("", "four", "4").lstrip(), first))
        assert (t.made, t.states, t.is_applied) == (1, ["applied", "failed"], True)
        event = t.h.reply(t.pull, "octocat", "/undo", first)
        for _ in range(2):
            deliver(t, event)
        assert (t.made, t.states, t.is_applied, t.answers) == (2, ["undone", "failed"], False, [])


@pytest.mark.long
def test_an_undo_that_means_nothing_here_names_what_stands(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        first = thread(t)
        deliver(t, t.h.reply(t.pull, "octocat", "/undo", first))
        (answer,) = t.answers
        number = t.pull.comments[0].id
        assert f"- `/undo of {number}`: " in answer
        assert "there is none" not in answer
        deliver(t, t.h.reply(t.pull, "octocat", f"/undo of {number}", first))
        assert (t.made, t.states, t.is_applied) == (2, ["undone"], False)


@pytest.mark.long
def test_an_answer_to_a_command_in_a_thread_stands_there(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        event = t.h.reply(t.pull, "octocat", "/apply 1-", thread(t))
        for _ in range(2):
            deliver(t, event)
        assert (len(t.answers), len(t.pull.threads[0]), len(t.pull.comments)) == (1, 3, 0)


@pytest.mark.long
def test_what_we_say_ourselves_starts_nothing(tmp_path: Path) -> None:
    """Only GITHUB_TOKEN is silent: the words of an app are events."""
    with talk(tmp_path) as t:
        app = t.h.world.new_token("app", t.h.world.user("shop-edits[bot]"))
        first = thread(t)
        t.run(t.h.comment(t.pull, "hubot", FITS), token=app)
        t.run(t.h.reply(t.pull, "hubot", FAILS, first), token=app)
        ours = [each for each in t.pull.reviews if each.author is app.user]
        said = [each for each in t.pull.review_comments if each.author is app.user]
        assert (len(ours), len(said)) == (2, 1)  # a reply is a review without a text, too
        events = [*(t.h.review_events(t.pull, each) for each in ours), t.h.inline_event(t.pull, said[0])]
        runs = [run for event in events for run in deliver(t, event, token=app)]
        assert (set(results(runs)), [run.names for run in runs]) == ({"nothing"}, [[], ["query Source"], [], []])


@pytest.mark.parametrize("given", some(["pr-number", "comment-id"], "pr-number"))
def test_a_replay_with_one_number_alone_fails_and_names_the_other(tmp_path: Path, given: str) -> None:
    with talk(tmp_path) as t:
        missing = {"pr-number": "comment-id", "comment-id": "pr-number"}[given]
        done = t.run(t.h.dispatch("octocat"), inputs={given: "7"})
        assert (done.code, done.outputs, done.names) == (2, {"result": "refused"}, []), done.log
        assert [f"bad-config: the input {missing} is missing" in each for each in done.errors] == [True]


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


def comment(t: Talk, author: str, body: str) -> Comment:
    return t.h.world.say(t.pull, author, body)


def review(t: Talk, author: str, body: str) -> Review:
    return t.h.world.review(t.pull, author, body)


def inline_review(t: Talk, author: str, body: str) -> Review:
    return t.h.world.review(t.pull, author, "", [("app.py", 1, body)])


def answer(t: Talk, author: str, body: str) -> ReviewComment:
    return t.h.world.reply(t.pull, author, body, thread(t))


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
        assert ["the command was edited since" in each for each in t.answers] == [True]


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
        assert "only reads" in done.log or "bad-command" in done.log, done.log
        assert not [name for name in done.names if "git/" in name or name.startswith("mutation")]
