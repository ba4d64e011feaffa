"""A corrected answer is an answer: what fits is committed first, then the new one, and each is undone by itself."""

from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS
from support.talkkit import NOTE, NOTES, Talk, talk

FIRST = NOTE + "\n" + FAILS  # the second block does not fit
NOTED = b"one\nthe line in between\nand one more of them\nthree\n"


def files(t: Talk) -> tuple[bytes | None, bytes | None]:
    return t.file("app.py"), t.file("notes.txt")


@pytest.mark.long
def test_what_fits_then_the_corrected_answer_and_undo_twice(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        assert (t.made, t.states) == (0, ["failed"])
        assert "Answer with the corrected blocks only, in the same form as before.\n" in t.status
        t.say("octocat", "/apply ready")
        assert (t.made, files(t), t.states) == (1, (APP, NOTED), ["partial"])
        t.say("octocat", FITS)
        assert (t.made, files(t), t.states) == (2, (APP_NEW, NOTED), ["partial", "applied"])
        t.say("octocat", "/undo")
        assert (files(t), t.states) == ((APP, NOTED), ["partial", "undone"])
        t.say("octocat", "/undo")
        assert (files(t), t.states) == ((APP, NOTES), ["undone", "undone"])


def test_a_line_that_names_another_comment_is_prose(tmp_path: Path) -> None:
    with talk(tmp_path) as t:
        t.say("octocat", FIRST)
        t.say("octocat", f"fixes: {t.pull.comments[0].id}, block 2\n\n{FITS}")
        assert (t.made, files(t), t.states) == (1, (APP_NEW, NOTES), ["failed", "applied"])
