"""Blocks in reviews and replies."""

from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FAILS, FITS, NEW, OLD, Done, act_all, block, marker_of
from support.hub import Event
from support.hub.model import Review, ReviewComment
from support.sourcecases import thread
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
        assert (t.made, t.states) == (int(commits), [state])
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
        assert t.run(event).names == ["query Context", "GET collaborators/{username}/permission"]


@pytest.mark.long
def test_a_command_in_a_review_takes_the_blocks_of_its_comments(tmp_path: Path) -> None:
    with talk(tmp_path, inputs={"trigger": "command"}) as t:
        deliver(t, t.h.review(t.pull, "octocat", "/apply 2", [("app.py", 1, NO_PATH), ("notes.txt", 1, NOTE_HERE)]))
        assert (t.made, t.states, t.file("notes.txt"), t.is_applied) == (1, ["partial"], NOTED, False)


@pytest.mark.long
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
@pytest.mark.long
def test_a_review_that_changes_during_the_run(tmp_path: Path, at: str) -> None:
    with talk(tmp_path) as t:
        event = t.h.review(t.pull, "octocat", "", [("app.py", 1, NO_PATH)])
        t.h.fault(at, before=lambda: t.h.world.edit(t.pull.review_comments[0], FAILS))
        assert results([t.run(event)]) == ["stale"]
        assert (t.made, t.states) == (0, ["stale"])


@pytest.mark.long
def test_a_review_with_words_alone_costs_one_request(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        runs = deliver(t, t.h.review(t.pull, "octocat", "nice", [("app.py", 1, "hm")]))
        assert (results(runs), [len(run.names) for run in runs]) == (["nothing"] * 2, [1, 0])


@pytest.mark.long
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
def test_an_undo_that_means_nothing_here_may_name_another_comment(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        first = thread(t)
        deliver(t, t.h.reply(t.pull, "octocat", "/undo", first))
        (answer,) = t.answers
        assert "there is nothing to undo here" in answer
        deliver(t, t.h.reply(t.pull, "octocat", f"/undo of {t.pull.comments[0].id}", first))
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
        assert (set(results(runs)), [run.names for run in runs]) == ({"nothing"}, [[], ["query Context"], [], []])


@pytest.mark.parametrize("given", some(["pr-number", "comment-id"], "pr-number"))
def test_a_replay_with_one_number_alone_fails_and_names_the_other(tmp_path: Path, given: str) -> None:
    with talk(tmp_path) as t:
        missing = {"pr-number": "comment-id", "comment-id": "pr-number"}[given]
        done = t.run(t.h.dispatch("octocat"), inputs={given: "7"})
        assert (done.code, done.outputs, done.names) == (2, {"result": "refused"}, []), done.log
        assert [f"bad-config: the input {missing} is missing" in each for each in done.errors] == [True]
