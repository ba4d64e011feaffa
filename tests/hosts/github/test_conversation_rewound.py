"""Commits that somebody took from the branch by a force-push: what counts of old words, and what of new ones."""

from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FITS, Meanwhile, act
from support.talkkit import BOTH, FILES, NOTE, NOTES, talk

FILE = ".edits/a.md"
PATCH = "\n```diff\n@@ -1 +1 @@\n-x\n+y\n```\n"  # of no file, so it asks for nothing
HERE = "```python\n<<<<<<< SEARCH\n    result = 0\n=======\n    result = sum(items)\n>>>>>>> REPLACE\n```\n"


@pytest.mark.long
@pytest.mark.parametrize("word", ["/retry", "/skip 2"])
def test_a_comment_that_is_only_looked_at_does_not_come_back(tmp_path: Path, word: str) -> None:
    with talk(tmp_path) as t:
        event = t.h.comment(t.pull, "octocat", BOTH)
        assert act(t.h, event, tmp_path).outputs["result"] == "applied"
        t.h.world.reset(t.pull.head_ref, t.start)
        t.say("octocat", f"{word} of {t.pull.comments[0].id}")
        done = act(t.h, event, tmp_path)
        assert (done.code, t.head) == (0, t.start), done.log
        t.say("octocat", f"/apply of {t.pull.comments[0].id}")
        assert t.file("app.py") == APP_NEW


@pytest.mark.long
@pytest.mark.parametrize("word", ["/retry", "/skip 2"])
def test_a_file_that_is_only_looked_at_does_not_come_back(tmp_path: Path, word: str) -> None:
    with talk(tmp_path, files={**FILES, FILE: BOTH.encode()}) as t:
        assert t.run(t.h.pull_event(t.pull)).outputs["result"] == "applied"
        t.h.world.reset(t.pull.head_ref, t.start)
        t.say("octocat", f"{word} of {t.pull.reviews[0].id}")
        pushed = t.h.world.push(t.pull, {"other.txt": b"theirs\n"})
        done = t.run(t.h.pull_event(t.pull, "synchronize"))
        assert (done.code, t.head, t.file("app.py")) == (0, pushed, APP), done.log
        assert "was already applied" in done.summary


@pytest.mark.long
def test_a_new_word_after_a_rewind_counts(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FITS)
        t.h.world.reset(t.pull.head_ref, t.start)
        done = t.say("octocat", f"/apply of {t.pull.comments[0].id}")
        assert (done.outputs["result"], t.is_applied, len(t.statuses)) == ("applied", True, 1), done.log
        before = t.head
        t.again()
        assert t.head == before


@pytest.mark.long
def test_a_part_that_loses_the_race_to_another_part_is_planned_again(tmp_path: Path) -> None:
    """What it asked for is not on the branch, so nobody may hear that it is."""
    with talk(tmp_path) as t:
        t.say("hubot", BOTH)
        other, mine = (t.h.comment(t.pull, "octocat", f"/apply {number}") for number in (2, 1))
        clock = Meanwhile(hub=t.h, other=lambda: act(t.h, other, tmp_path), start=None)
        done = act(t.h, mine, tmp_path, clock=clock)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (0, "applied", t.head), done.log
        assert (t.is_applied, t.file("notes.txt") != NOTES) == (True, True)


@pytest.mark.long
def test_a_second_delivery_of_a_file_that_was_rewound_has_nothing_to_complain_of(tmp_path: Path) -> None:
    with talk(tmp_path, files={**FILES, FILE: FITS.encode()}) as t:
        event = t.h.pull_event(t.pull)
        done = act(
            t.h, event, tmp_path, clock=Meanwhile(hub=t.h, other=lambda: act(t.h, event, tmp_path), start=t.start)
        )
        assert (done.code, done.outputs["commit-sha"], t.head, done.errors) == (0, "", t.start, []), done.log
        assert "another run committed these blocks meanwhile" in done.log


# undo


@pytest.mark.long
def test_undo_without_a_number_takes_the_newest_commit_back(tmp_path: Path) -> None:
    """The status of the newest one says `Undo with /undo`, also where an older source is still open."""
    with talk(tmp_path) as t:
        t.say("octocat", FITS + NOTE.replace("the second line", "no such line"))
        t.say("octocat", "/apply ready")
        t.say("octocat", NOTE)
        done = t.say("octocat", "/undo")
        assert (done.outputs["result"], t.is_applied, t.file("notes.txt")) == ("applied", True, NOTES), done.log


@pytest.mark.long
def test_undo_of_a_reply_that_is_gone_is_told_where_its_status_is(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.run(t.h.review(t.pull, "hubot", "hm", [("app.py", 2, "why?")]))
        t.run(t.h.reply(t.pull, "octocat", HERE, t.pull.review_comments[0]))
        assert t.is_applied
        t.h.world.delete([each for each in t.pull.review_comments if each.author.login == "octocat"][-1])
        t.run(t.h.reply(t.pull, "octocat", "/undo", t.pull.review_comments[0]))
        assert [marker.state.value for marker in t.statuses] == ["undone"]


@pytest.mark.long
def test_undo_of_a_file_that_was_kept_and_deleted_since_offers_nothing(tmp_path: Path) -> None:
    with talk(tmp_path, files={**FILES, FILE: (FITS + PATCH).encode()}) as t:
        t.run(t.h.pull_event(t.pull))
        assert (t.is_applied, t.file(FILE) is not None) == (True, True)
        t.h.world.push(t.pull, {FILE: None})
        done = t.say("octocat", "/undo")
        assert (done.code, t.file("app.py"), t.file(FILE)) == (0, APP, None), done.log
        assert "/apply" not in t.pull.reviews[0].body
