"""Words that are older than what they would be about now: none of them commits, whatever is delivered again."""

from pathlib import Path

import pytest
from support.actionkit import APP, FITS, act, block, commits, pull_request
from support.hub import hub

TWICE = block("app.py", "    result = 0", "    result = 1") + block("notes.txt", "one", "1")
NOTES = {"app.py": APP, "notes.txt": b"one\ntwo\n"}


@pytest.mark.long
def test_an_undone_comment_stays_undone_whatever_was_left_out_since(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, NOTES)
        event = h.comment(pull, "octocat", TWICE)
        act(h, event, tmp_path)
        assert act(h, h.comment(pull, "octocat", "/undo"), tmp_path).outputs["result"] == "applied"
        act(h, h.comment(pull, "octocat", f"/skip 2 of {pull.comments[0].id}"), tmp_path)
        before = h.world.head(pull)
        act(h, event, tmp_path)
        assert h.world.head(pull) == before
        assert act(h, h.comment(pull, "octocat", "/apply"), tmp_path).outputs["result"] == "partial"


@pytest.mark.long
def test_a_file_that_changed_after_the_word_is_not_applied_on_it(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, ".edits/a.md": FITS.encode()})
        inputs = {"trigger": "command"}
        act(h, h.pull_event(pull), tmp_path, inputs)
        word = h.comment(pull, "octocat", "/apply")
        h.world.push(pull, {".edits/a.md": FITS.replace("sum(items)", "evil(items)").encode()})
        act(h, h.pull_event(pull, "synchronize"), tmp_path, inputs)
        before = h.world.head(pull)
        done = act(h, word, tmp_path, inputs)
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "stale", before)


@pytest.mark.long
def test_a_review_that_lost_a_comment_after_the_word_is_not_applied_on_it(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, NOTES)
        inline = [("app.py", 2, FITS), ("notes.txt", 1, block("notes.txt", "one", "1"))]
        act(h, h.review(pull, "hubot", "Two fixes:", inline), tmp_path)
        word = h.comment(pull, "octocat", "/apply")
        h.world.delete(pull.review_comments[0])
        act(h, h.comment(pull, "monalisa", "/retry"), tmp_path)
        before = h.world.head(pull)
        done = act(h, word, tmp_path)
        assert (done.outputs["result"], h.world.head(pull)) == ("stale", before)


def test_a_place_is_one_of_what_was_shown(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, {"twice.py": b"x = 1\ny = 1\nx = 1\n"})
        act(h, h.comment(pull, "hubot", block("twice.py", "x = 1", "x = 2")), tmp_path)
        word = h.comment(pull, "octocat", "/apply 1@3")
        h.world.push(pull, {"twice.py": b"x = 1\n\nx = 1\ny = 1\nx = 1\n"})
        act(h, h.comment(pull, "monalisa", "/retry"), tmp_path)
        before = h.world.head(pull)
        act(h, word, tmp_path)
        assert h.world.head(pull) == before
        assert "changed after you wrote this" in pull.comments[-1].body


@pytest.mark.long
def test_a_rewound_commit_is_not_made_anew_by_the_old_word(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, NOTES)
        start = h.world.head(pull)
        act(h, h.comment(pull, "hubot", TWICE), tmp_path)
        word = h.comment(pull, "octocat", "/apply 1")
        assert act(h, word, tmp_path).outputs["result"] == "partial"
        h.world.reset(pull.head_ref, start)
        act(h, word, tmp_path)
        assert h.world.head(pull) == start


@pytest.mark.long
def test_two_people_who_want_the_last_commit_back_take_one(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, NOTES)
        start = h.world.head(pull)
        act(h, h.comment(pull, "octocat", block("app.py", "    result = 0", "    result = 1")), tmp_path)
        act(h, h.comment(pull, "octocat", block("notes.txt", "one", "1")), tmp_path)
        words = [h.comment(pull, login, "/undo") for login in ("octocat", "monalisa")]
        for word in words:
            act(h, word, tmp_path)
        files = h.world.files(h.world.head(pull))
        assert (commits(h, pull, start), b"result = 1" in files["app.py"][1]) == (3, True)
        assert "was already undone" in pull.comments[-1].body


def test_a_run_by_hand_of_an_inline_comment_is_refused(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h, NOTES)
        h.review(pull, "octocat", "", [("app.py", 2, FITS)])
        number = pull.review_comments[0].id
        event = h.dispatch("octocat", comment_id=number, pr_number=pull.number)
        done = act(h, event, tmp_path, {"comment-id": str(number), "pr-number": str(pull.number)})
        assert (done.code, "begins a thread; give the number of its review" in done.log) == (2, True)
