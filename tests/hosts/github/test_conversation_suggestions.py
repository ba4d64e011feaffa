"""Fences `suggestion` in review threads: docs/reference/formats/suggestion.md."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FITS, Done, act_all
from support.hub.model import ReviewComment
from support.talkkit import Talk, some, talk

RATES = b"# rates\nBASE = 3\nLIMIT = 10\n"
FILES = {"rates.py": RATES, "app.py": b"x = 1\n"}
SUGGESTION = "Out of date:\n\n```suggestion\nBASE = 4\n```\n"
SUGGESTED = b"# rates\nBASE = 4\nLIMIT = 10\n"


def review(t: Talk, author: str, *bodies: str, text: str = "", **place: Any) -> list[Done]:
    """Somebody submits a review with a comment for each body on line 2, or another place, and the action runs."""
    found = t.h.world.review(t.pull, author, text)
    for body in bodies:
        where = {"path": "rates.py", "line": 2, "original_line": 2, "diff_hunk": "@@ -0,0 +1,3 @@", **place}
        t.h.world.inline(t.pull, found, body, **where)
    return act_all(t.h, t.h.review_events(t.pull, found), t.folder, dict(t.inputs))


def reply(t: Talk, author: str, body: str) -> Done:
    """Somebody answers in the thread that the last review began."""
    return t.run(t.h.reply(t.pull, author, body, t.pull.review_comments[0]))


def first(t: Talk) -> ReviewComment:
    return t.pull.review_comments[0]


def test_a_suggestion_waits_for_a_command_and_is_committed_then(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        runs = review(t, "octocat", SUGGESTION)
        assert [run.outputs["result"] for run in runs] == ["checked", "nothing"]
        assert (t.made, t.states) == (0, ["checked"])
        assert "thread-lines" in t.status
        t.say("octocat", "/apply")
        assert (t.made, t.states, t.file("rates.py")) == (1, ["applied"], SUGGESTED)
        assert "thread-lines" in t.h.world.store.git("log", "-1", "--format=%B", t.head).decode()
        t.say("octocat", "/apply")
        assert t.made == 1


def test_a_suggestion_in_a_reply(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        review(t, "hubot", "why 3?")
        assert reply(t, "octocat", SUGGESTION).outputs["result"] == "checked"
        assert t.made == 0
        assert reply(t, "octocat", f"/apply\n\n{SUGGESTION}").outputs["result"] == "applied"
        assert (t.made, t.file("rates.py")) == (1, SUGGESTED)


def test_a_reader_may_not_apply_one(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        review(t, "hubot", SUGGESTION)
        t.say("hubot", "/apply")
        assert (t.made, t.states) == (0, ["checked"])
        t.say("octocat", "/apply")
        assert (t.made, t.file("rates.py")) == (1, SUGGESTED)


ABOVE = b"# new\n# rates\nBASE = 3\nLIMIT = 10\n"
# what was pushed since → the row, the file after /apply
SINCE = [
    ("another file", {"app.py": b"x = 2\n"}, "thread-lines", SUGGESTED),
    ("lines above", {"rates.py": ABOVE}, "three-way", ABOVE.replace(b"3", b"4")),
    ("the line above it", {"rates.py": RATES.replace(b"# rates", b"# of 2026")}, "stale", None),
    ("a line at the end", {"rates.py": RATES + b"MORE = 1\n"}, "three-way", SUGGESTED + b"MORE = 1\n"),
    ("the line itself", {"rates.py": RATES.replace(b"3", b"5")}, "stale", None),
    ("the same change", {"rates.py": SUGGESTED}, "already-applied", SUGGESTED),
    ("the file is gone", {"rates.py": None}, "stale", None),
]


@pytest.mark.parametrize("row", some(SINCE, "another file", "a line at the end", "the line itself"))
@pytest.mark.parametrize("is_outdated", [False, True], ids=["current", "outdated"])
@pytest.mark.long
def test_the_branch_has_moved_on(
    tmp_path: Path, row: tuple[str, dict[str, bytes | None], str, bytes | None], is_outdated: bool
) -> None:
    """GitHub's own count of the line does not matter: it does not see what happened to the lines between."""
    _, since, word, after = row
    with talk(tmp_path, FILES) as t:
        review(t, "hubot", SUGGESTION)
        there = since.get("rates.py", RATES)
        t.h.world.push(t.pull, since)
        first(t).line = None if is_outdated else 1
        first(t).commit_id = t.head
        start = t.made
        t.say("octocat", "/apply")
        assert word in t.status
        assert t.file("rates.py") == (there if after is None else after)
        assert t.made - start == (word in ("thread-lines", "three-way"))


# place → what becomes of a suggestion there
PLACES: list[tuple[str, dict[str, Any], str, str]] = [
    ("several lines", {"start_line": 1}, "checked", "thread-lines"),
    ("the old side", {"side": "LEFT"}, "failed", "unsupported-format"),
    ("a line that is not there", {"original_line": 7}, "failed", "stale"),
    ("a commit that is not there", {"original_commit_id": "1" * 40}, "nothing", ""),
    ("a file that may not be changed", {"path": ".github/workflows/x.yml"}, "failed", "not-allowed"),
]


@pytest.mark.parametrize("row", PLACES, ids=[row[0] for row in PLACES])
@pytest.mark.long
def test_places(tmp_path: Path, row: tuple[str, dict[str, Any], str, str]) -> None:
    _, place, state, word = row
    with talk(tmp_path, FILES) as t:
        (run, *_) = review(t, "octocat", SUGGESTION, **place)
        assert (run.outputs["result"], t.made) == (state, 0)
        assert not word or word in t.status


def test_a_commit_that_is_gone_from_the_branch(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        review(t, "hubot", "why 3?")
        t.h.world.reset(t.pull.head_ref, t.h.world.branch("main") or "")
        t.h.world.push(t.pull, FILES)
        assert reply(t, "octocat", SUGGESTION).outputs["result"] == "failed"
        assert f"the comment was made on {t.start[:7]}" in first_status(t)


def first_status(t: Talk) -> str:
    return next(each.body for each in t.pull.review_comments if each.author is t.h.world.bot)


@pytest.mark.long
def test_blocks_beside_a_suggestion_wait_with_it(tmp_path: Path) -> None:
    with talk(tmp_path, {**FILES, "app.py": b"def total(items):\n    result = 0\n    return result\n"}) as t:
        review(t, "octocat", SUGGESTION, text=FITS)
        assert (t.made, t.states) == (0, ["checked"])
        t.say("octocat", "/apply")
        assert (t.made, t.is_applied, t.file("rates.py")) == (1, True, SUGGESTED)


@pytest.mark.long
def test_two_suggestions_of_one_review_for_lines_that_touch(tmp_path: Path) -> None:
    with talk(tmp_path, FILES) as t:
        found = t.h.world.review(t.pull, "octocat", "/apply")
        for line, text in ((3, "LIMIT = 9"), (2, "BASE = 4\nUNIT = 1")):
            place: dict[str, Any] = {"path": "rates.py", "line": line, "diff_hunk": "@@ -0,0 +1,3 @@"}
            t.h.world.inline(t.pull, found, f"```suggestion\n{text}\n```\n", **place)
        (run, *_) = act_all(t.h, t.h.review_events(t.pull, found), t.folder)
        assert run.outputs["result"] == "applied"
        assert t.file("rates.py") == b"# rates\nBASE = 4\nUNIT = 1\nLIMIT = 9\n"


# blocks that name no file: the thread does
NAMELESS = {
    "a block": "<<<<<<< SEARCH\nBASE = 3\n=======\nBASE = 4\n>>>>>>> REPLACE\n",
    "in a fence": "```python\n<<<<<<< SEARCH\nBASE = 3\n=======\nBASE = 4\n>>>>>>> REPLACE\n```\n",
    "a hunk": "```diff\n@@ -1,2 +1,2 @@\n # rates\n-BASE = 3\n+BASE = 4\n```\n",
}
COMMANDS = ["/apply\n\n", "/apply\n", "/apply rates.py\n", "/APPLY\r\n"]


@pytest.mark.parametrize("block", NAMELESS.values(), ids=NAMELESS)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.long
def test_a_command_is_not_the_path_of_the_block_below_it(tmp_path: Path, command: str, block: str) -> None:
    with talk(tmp_path, FILES) as t:
        review(t, "hubot", "why 3?")
        assert reply(t, "octocat", f"{command}{block}").outputs["result"] == "applied"
        assert (t.made, t.file("rates.py")) == (1, SUGGESTED)


@pytest.mark.parametrize("block", NAMELESS.values(), ids=NAMELESS)
@pytest.mark.long
def test_a_command_is_no_path_in_a_review(tmp_path: Path, block: str) -> None:
    """Neither in its body, where the block has no file at all, nor in a comment on a line."""
    with talk(tmp_path, FILES) as t:
        (run, *_) = review(t, "octocat", f"/apply\n{block}", text=f"/apply\n{NAMELESS['a block']}")
        assert run.outputs["result"] == "failed"
        assert "no-path" in t.status
        assert "unsafe-path" not in t.status


# where nobody answers a suggestion
QUIET: dict[str, Callable[[Talk], list[Done]]] = {
    "a comment of the conversation": lambda t: [t.say("octocat", SUGGESTION)],
    "the body of a review": lambda t: review(t, "octocat", text=SUGGESTION),
    "a setting without them": lambda t: review(t, "octocat", SUGGESTION),
}


@pytest.mark.parametrize("where", QUIET)
@pytest.mark.long
def test_where_a_suggestion_is_text(tmp_path: Path, where: str) -> None:
    inputs = {"formats": "diff-fenced"} if where == "a setting without them" else {}
    with talk(tmp_path, FILES, inputs) as t:
        for run in QUIET[where](t):
            assert run.outputs["result"] == "nothing"
        assert (t.made, t.states) == (0, [])
