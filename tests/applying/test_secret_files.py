"""What a result says of files whose text nobody is shown."""

from collections.abc import Iterable, Mapping

import pytest
from support.planned import planned
from support.responses import block

from editblocks import ApplyResult, EditResult, ReasonCode, Settings, apply_response
from editblocks.applying.engine import without_secret_texts
from editblocks.core.blocks import Note
from editblocks.core.codes import EditStatus, State
from editblocks.core.mismatch import Candidate, Hint, Mismatch
from editblocks.core.model import Written
from editblocks.core.outcome import Outcome, Refusal, Response
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import status
from editblocks.report.view import OutcomeView
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import run

VALUE = "hunter2-Zq81"
ENV = f"def f():\n    KEY = '{VALUE}'\n    B = 2\n\ndef g():\n    B = 2\n"
NAMED = "its text is not shown, because its name says that it holds secrets; change it by hand"


def plan(answer: str, files: Mapping[str, str]) -> ApplyResult:
    data = {path: text.encode() for path, text in files.items()}
    return planned(answer, data.get)


def facts(row: EditResult) -> str:
    """All that a result says of a block apart from the block itself."""
    return repr((row.mismatch, row.trial and row.trial.mismatch, row.written, row.likeness, row.notes))


# An answer for ENV, the file `.env`, and the reason of its last block.
REASONS: dict[str, tuple[str, str]] = {
    "nothing is like it": (block("zzz\nyyy\n", "x\n", ".env"), f"its old lines are not in .env; {NAMED}"),
    "a line is nearly there": (
        block(f"    KEY = '{VALUE[:-1]}'\n", "x\n", ".env"),
        f"its old lines are not in .env; the closest text is at line 2; {NAMED}",
    ),
    "lines are nearly there": (
        block("def f():\n    KEY = ''\n    B = 2\n", "x\n", ".env"),
        f"its old lines are not in .env; the closest text is at lines 1-3; {NAMED}",
    ),
    "twice": (block("    B = 2\n", "x\n", ".env"), "matches at lines 3 and 6 of .env; add a line above or below"),
    "behind a failure": (
        block("zzz\nyyy\n", "x\n", ".env") + block("KEY = ''\n", "x\n", ".env"),
        f"without block 1: no-match: its old lines are not in .env; the closest text is at line 2; {NAMED}",
    ),
    "to be deleted, and indented otherwise": (
        block(f"KEY = '{VALUE}'\n", "", ".env"),
        f"line 2 of .env matches only approximately (indentation), too loosely to delete them; {NAMED}",
    ),
    "a hunk outside its scope": (
        f"*** Begin Patch\n*** Update File: .env\n@@ def g():\n-    KEY = '{VALUE}'\n+    KEY = 1\n*** End Patch\n",
        f"its old lines are at line 2 of .env, outside its scope `def g():`; {NAMED}",
    ),
    "a hunk whose scope is missing": (
        "*** Begin Patch\n*** Update File: .env\n@@ class A:\n-    KEY = 'hunter'\n+    KEY = 1\n*** End Patch\n",
        f"its old lines are not in .env; the closest text is at line 2; {NAMED}",
    ),
    "the new lines are there": (
        block("if x:\n", "x\n", ".env") + block("B = 2\n\ndef g():\n    B = 2\n", "def f():\n", ".env"),
        f"without block 1: no-match: its old lines are not in .env; the closest text is at lines 3-6; {NAMED}",
    ),
}


@pytest.mark.parametrize(("answer", "reason"), REASONS.values(), ids=REASONS)
def test_a_reason_has_lines_and_no_text(answer: str, reason: str) -> None:
    result = plan(answer, {".env": ENV})
    row = result.results[-1]
    assert row.reason == reason
    assert result.hidden_texts == {".env"}
    assert VALUE not in facts(row)


def test_a_text_that_a_secret_file_holds_too() -> None:
    """To say so would tell whether a guess is right."""
    answer = block(f"    KEY = '{VALUE}'\n", "x\n", "a.py") + block("    B = 2\n\n", "y\n", ".env")
    first, second = plan(answer, {"a.py": "z = 1\n", ".env": ENV}).results
    assert (first.hints, second.ok) == ((), True)
    assert first.reason == "its old lines are not in a.py, and nothing close to them was found; copy the current lines"


def test_new_lines_that_are_at_another_place() -> None:
    answer = block("x = 1\n", "y = 2\n", ".env")
    [row] = plan(answer, {".env": "if z:\n    x = 1\n\ny = 2\n"}).results
    assert row.code is ReasonCode.AMBIGUOUS
    assert (row.reason or "").startswith(
        "matches line 2 of .env only approximately (indentation), and the new lines are "
    )
    assert [place.lines for place in row.candidates] == [()] * len(row.candidates)


def test_what_has_changed_since() -> None:
    base = {".env": b"KEY = 1\n"}
    result = planned(
        block("KEY = 1\n", "KEY = 2\n", ".env"),
        {".env": f"KEY = '{VALUE}'\n".encode()}.get,
        read_base=lambda _: base.get,
        base="4be1d02",
    )
    [row] = result.results
    assert row.code is ReasonCode.STALE
    assert row.reason == f".env:1 changed since 4be1d02, the base of this answer; {NAMED}"
    assert VALUE not in facts(row)


def test_what_git_ignores() -> None:
    repo = IgnoringRepo({"local.conf": ENV.encode(), "a.py": b"x = 1\n"})
    answer = block("KEY = 'h'\n", "x\n", "local.conf") + block("x = 2\n", "y\n", "a.py")
    first, second = apply_response(answer, repo).results
    assert first.reason == (
        "its old lines are not in local.conf; the closest text is at line 2; "
        "its text is not shown, because git ignores it; change it by hand"
    )
    assert (
        second.reason == "line 1 of the block differs from a.py:1 at column 5; the closest text is line 1, 80 % alike"
    )


class IgnoringRepo(MemoryRepo):
    """A store some of whose files are not tracked."""

    def ignored(self, paths: Iterable[str]) -> Iterable[str]:
        return [path for path in paths if path.endswith(".conf")]


RENAME = "diff --git a/.env b/env.txt\nrename from .env\nrename to env.txt\n"


def test_a_renamed_file_is_what_it_was() -> None:
    answer = f"{RENAME}--- a/.env\n+++ b/env.txt\n@@ -5 +5 @@\n-def g():\n+def h():\n"
    result = plan(answer + block("KEY = ''\n", "x\n", "env.txt"), {".env": ENV})
    assert result.hidden_texts == {".env", "env.txt"}
    assert not any(VALUE in facts(row) for row in result.results)


@pytest.mark.parametrize("refusal", [None, Refusal(ReasonCode.FORK, "a fork")])
def test_a_status_shows_no_change_of_it(refusal: Refusal | None) -> None:
    response = Response(block("    B = 2\n\n", "    B = 3\n\n", ".env") + block("x = 1\n", "x = 2\n", "a.py"))
    result = run(response, MemoryRepo({".env": ENV.encode(), "a.py": b"x = 1\n"}), Settings())
    assert [row.status for row in result.results] == [EditStatus.APPLIED] * 2
    shown = status(OutcomeView(Outcome(response, result, State.REFUSED, refusal=refusal)), Page("1"))
    assert VALUE not in shown
    assert "+x = 2\n" in shown or refusal is not None
    assert "`.env` changes; its text is not shown, because it may hold secrets" in shown


def test_a_file_that_no_longer_parses_is_named_alone() -> None:
    response = Response(block('{"key": 1}\n', '{"key": 1\n', "secrets.json"))
    result = run(response, MemoryRepo({"secrets.json": b'{"key": 1}\n'}), Settings())
    assert [note.message for note in result.notes] == ["secrets.json parsed before and no longer does"]


PLACE = Candidate(2, 3, 0.9, "1@2", lines=("a", "b"), above=("c",), below=("d",), within="f")
OTHER = PLACE._replace(start_line=5, end_line=6)
BARE, OTHER_BARE = (place._replace(lines=(), above=(), below=(), within="") for place in (PLACE, OTHER))
NOTES = (Note("x", "y"),)


def hidden(mismatch: Mismatch) -> Mismatch | None:
    """What is left of it for a file that may not be shown."""
    result = plan(block("zzz\n", "x\n", "a.py"), {"a.py": "y\n"})
    rows = tuple(row._replace(mismatch=mismatch) for row in result.results)
    [row] = without_secret_texts(result._replace(results=rows), (), ["a.py"]).results
    return row.mismatch


@pytest.mark.parametrize(
    ("duplicate", "shown"), [(None, None), (PLACE, BARE), (OTHER, OTHER_BARE)], ids=["none", "a place", "another"]
)
def test_places_are_lines_without_text(duplicate: Candidate | None, shown: Candidate | None) -> None:
    hints = (Hint("part", (2, 2)),)
    mismatch = Mismatch(ReasonCode.AMBIGUOUS, candidates=(PLACE,), candidates_total=2, duplicate=duplicate, hints=hints)
    found = hidden(mismatch)
    assert found == Mismatch(ReasonCode.AMBIGUOUS, candidates=(BARE,), candidates_total=2, duplicate=shown)
    if duplicate is PLACE:
        assert found.duplicate is found.candidates[0]


ADVICE = "its text is not shown, because git ignores it; change it by hand"


def test_what_a_person_chose_and_the_notes_stay() -> None:
    mismatch = Mismatch(ReasonCode.NO_MATCH, candidates=(PLACE,), similarity=0.9, chosen_line=3, notes=NOTES)
    what = "its old lines are not in a.py; the closest text is at lines 2-3"
    assert hidden(mismatch) == Mismatch(ReasonCode.NO_MATCH, what, ADVICE, chosen_line=3, notes=NOTES)


def test_a_reason_that_is_a_sentence_stays() -> None:
    mismatch = Mismatch(ReasonCode.NO_MATCH, "it is not there", "look", candidates=(PLACE,), similarity=0.9)
    assert hidden(mismatch) == Mismatch(ReasonCode.NO_MATCH, "it is not there", ADVICE)


def test_what_was_written_is_not_shown() -> None:
    result = plan(block("y = 1\n", "y = 2\n", "a.py") + block("y = 2\n", "y = 3\n", "a.py"), {"a.py": "y = 1\n"})
    rows = tuple(row._replace(written=Written(("y",), ("z",)), likeness=0.5) for row in result.results)
    for row in without_secret_texts(result._replace(results=rows), (), ["a.py"]).results:
        assert (row.written, row.likeness) == (None, None)
