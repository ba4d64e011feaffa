"""Fences that show a whole file: docs/reference/formats/whole-files.md."""

from pathlib import Path

import pytest
from support.actionkit import APP, FITS
from support.talkkit import talk

FILES = {"rates.py": b"BASE = 3\nLIMIT = 10\n", "app.py": APP}
SHOWN = "rates.py\n```py\nBASE = 4\nLIMIT = 10\n```\n"
WRITTEN = b"BASE = 4\nLIMIT = 10\n"


@pytest.mark.parametrize("policy", [b"", b"whole-files: all\n"])
def test_a_comment_of_whole_files_alone_is_no_answer(tmp_path: Path, policy: bytes) -> None:
    with talk(tmp_path, FILES) as t:
        t.h.world.commit({".editblocks.yml": policy}, "Policy", "main")
        t.say("octocat", SHOWN)
        assert (t.made, t.states) == (0, [])


@pytest.mark.parametrize(("policy", "rates"), [(b"", FILES["rates.py"]), (b"whole-files: all\n", WRITTEN)])
def test_beside_blocks_the_policy_says_whether_they_are_written(tmp_path: Path, policy: bytes, rates: bytes) -> None:
    with talk(tmp_path, FILES) as t:
        t.h.world.commit({".editblocks.yml": policy}, "Policy", "main")
        t.say("octocat", f"{SHOWN}\n{FITS}")
        assert (t.made, t.states, t.file("rates.py")) == (1, ["applied"], rates)
        assert t.file("app.py") != APP
        assert ("replace-file" in t.status) == (rates == WRITTEN)
