"""Comments on lines of the diff: only where GitHub takes them, and nothing foreign in them is active."""

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import report_outcomes as outcomes
from support.report_outcomes import with_facts

from editblocks.core.blocks import Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.mismatch import Candidate
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome, Refusal, Source
from editblocks.report.status.replies import COMMENT_LIMIT, fixed_inline, hunks_of, inline_comments, read_inline
from editblocks.report.view import OutcomeView

MARKER = "<!-- editblocks:inline v1 source=issuecomment-2048812345 block={} -->\n"
PATCHES: tuple[tuple[str, str, list[range]], ...] = (
    ("nothing", "", []),
    ("a new file", "@@ -0,0 +1,3 @@\n+a\n+b\n+c", [range(1, 4)]),
    ("a file that is gone", "@@ -1,2 +0,0 @@\n-a\n-b", []),
    ("a change", "@@ -5,3 +7,4 @@ def total():\n a\n-b\n+c\n+d\n e", [range(7, 11)]),
    ("two hunks", "@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -9 +9,2 @@\n d\n+e", [range(1, 3), range(9, 11)]),
    (
        "no last newline",
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file",
        [range(1, 2)],
    ),
    ("a last line end", "@@ -1 +1 @@\n-a\n+b\n", [range(1, 2)]),
    ("a line that looks like a head", "@@ -1 +1,2 @@\n a\n+@@ -5 +5 @@\n", [range(1, 3)]),
    ("lines before a head", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n a", [range(1, 2)]),
    ("no numbers", "@@ -a +b @@\n+x", []),
    ("a number beyond all files", "@@ -1 +12345678901 @@\n+x", []),
    ("three parents", "@@@ -1 -1 +1 @@@\n++a", []),
)


@pytest.mark.parametrize(("patch", "hunks"), [row[1:] for row in PATCHES], ids=[row[0] for row in PATCHES])
def test_the_lines_of_each_hunk(patch: str, hunks: list[range]) -> None:
    assert hunks_of(patch) == hunks


TWO = outcomes.ambiguous(4, "src/api.py")
NEAR = outcomes.no_match(5, "tests/test_cart.py")
STALE = outcomes.stale(1, "src/cart.py")
SENTENCE = "ambiguous: matches at lines 12, 48 and 90 of `src/api.py`; add a line above or below"
PLACED: tuple[tuple[str, EditResult | Problem, Mapping[str, Sequence[range]], tuple[int, int | None] | None], ...] = (
    ("the first place", TWO, {"src/api.py": [range(1, 20)]}, (13, 12)),
    ("the second of three", TWO, {"src/api.py": [range(40, 60)]}, (49, 48)),
    ("a place over an edge", TWO, {"src/api.py": [range(1, 13), range(48, 49)]}, None),
    ("over two hunks that touch", TWO, {"src/api.py": [range(1, 13), range(13, 20)]}, None),
    ("another file", TWO, {"src/cart.py": [range(1, 99)]}, None),
    ("not in the diff", TWO, {}, None),
    ("the closest text", NEAR, {"tests/test_cart.py": [range(25, 40)]}, (36, 30)),
    ("only the line that differs", NEAR, {"tests/test_cart.py": [range(33, 35)]}, (33, None)),
    ("what the branch changed", STALE, {"src/cart.py": [range(41, 48)]}, (47, 41)),
    ("one line", with_facts(NEAR, candidates=(Candidate(30, 30, 0.9, None),)), {"tests/test_cart.py": [range(30, 31)]},
     (30, None)),
    ("a file that is not there", outcomes.failed(1, "a", ReasonCode.FILE_NOT_FOUND, "x"), {"a": [range(1, 9)]}, None),
    ("a block that is ready", outcomes.applied(1, "a"), {"a": [range(1, 99)]}, None),
    ("a block that cannot be read", outcomes.problem(1, path="a"), {"a": [range(1, 99)]}, None),
)  # fmt: skip


@pytest.mark.parametrize(("row", "hunks", "lines"), [row[1:] for row in PLACED], ids=[row[0] for row in PLACED])
def test_a_comment_is_made_only_within_one_hunk(
    row: EditResult | Problem, hunks: Mapping[str, Sequence[range]], lines: tuple[int, int | None] | None
) -> None:
    made = inline_comments(OutcomeView(outcomes.outcome(row)), hunks, prefix="/")
    assert [(comment["line"], comment.get("start_line")) for comment in made] == ([] if lines is None else [lines])


ANYWHERE = {path: [range(1, 1000)] for path in ("src/api.py", "tests/test_cart.py", "src/cart.py")}
BODIES = (
    (TWO, "/", f"{MARKER.format(4)}❌ Block 4: {SENTENCE}\n\n`/apply 4@12` puts block 4 at line 12."),
    (TWO, "/edits ", f"{MARKER.format(4)}❌ Block 4: {SENTENCE}\n\n`/edits apply 4@12` puts block 4 at line 12."),
    (TWO, None, f"{MARKER.format(4)}❌ Block 4: {SENTENCE}"),
    (NEAR, "/", f"{MARKER.format(5)}❌ Block 5: no-match: line 4 of the block differs from `tests/test_cart.py:33`"
     " at column 22; closest is 30-36, 91% alike\n\n`/apply 5@30` merges block 5 into lines 30-36."),
    (STALE, "/", f"{MARKER.format(1)}❌ Block 1: stale: `src/cart.py:43` changed since `a1b2c3d`, the base of this"
     " answer; write the block against `4be1d02`"),
)  # fmt: skip


@pytest.mark.parametrize(("row", "reply", "body"), BODIES)
def test_the_text_of_a_comment(row: EditResult, reply: str | None, body: str) -> None:
    [made] = inline_comments(OutcomeView(outcomes.outcome(row)), ANYWHERE, prefix=reply)
    assert made["body"] == body
    assert read_inline(made["body"]) == ("issuecomment-2048812345", row.block.number)


def test_a_place_that_cannot_be_chosen_is_not_offered() -> None:
    first, *others = TWO.candidates
    row = with_facts(TWO, candidates=(first._replace(pick=None), *others))
    hunks = {"src/api.py": [range(10, 20)]}
    assert "/apply" not in inline_comments(OutcomeView(outcomes.outcome(row)), hunks, prefix="/")[0]["body"]
    assert (
        "`/apply 4@48`"
        in inline_comments(OutcomeView(outcomes.outcome(row)), {"src/api.py": [range(40, 99)]}, prefix="/")[0]["body"]
    )
    fork = outcomes.outcome(TWO)._replace(refusal=Refusal(ReasonCode.FORK, "x"))
    assert "/apply" not in inline_comments(OutcomeView(fork), hunks, prefix="/")[0]["body"]


def test_a_file_that_was_written_has_other_lines_now() -> None:
    rows = (outcomes.applied(1, "src/api.py"), TWO, NEAR)
    written = outcomes.outcome(*rows, state=State.PARTIAL, commit=outcomes.COMMIT)
    assert [made["path"] for made in inline_comments(OutcomeView(written), ANYWHERE, prefix="/")] == [
        "tests/test_cart.py"
    ]
    assert len(inline_comments(OutcomeView(outcomes.outcome(*rows)), ANYWHERE, prefix="/")) == 2


@pytest.mark.parametrize(("most", "count"), [(10, 10), (3, 3), (0, 0), (-1, 0), (99, 30)])
def test_there_are_no_more_than_asked_for(most: int, count: int) -> None:
    many = outcomes.outcome(*(outcomes.ambiguous(number, "src/api.py") for number in range(1, 31)))
    made = inline_comments(OutcomeView(many), ANYWHERE, prefix="/", most=most)
    assert [read_inline(comment["body"]) for comment in made] == [
        ("issuecomment-2048812345", number) for number in range(1, count + 1)
    ]


def test_a_source_without_a_name_for_a_marker_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be named"):
        inline_comments(OutcomeView(outcomes.outcome(TWO, source=Source("a -->", "comment"))), ANYWHERE, prefix=None)


HOSTILE = st.lists(
    st.sampled_from(
        ("@octocat", "#1", "<b>", "-->", "`", "```", "\u202e", "\n", "https://example.com", "[x](y)", "a ")
    ),
    max_size=400,
).map("".join)


def _missed(path: str, reason: str) -> Outcome:
    return outcomes.outcome(with_facts(outcomes.ambiguous(1, path), what=reason))


@given(path=HOSTILE.filter(bool), reason=HOSTILE)
@example(path="a.py", reason="\u202e " * 150)
@example(path="a.py", reason="``` " * 75)
def test_nothing_foreign_is_active_and_a_body_is_short(path: str, reason: str) -> None:
    [made] = inline_comments(OutcomeView(_missed(path, reason)), {path: [range(1, 99)]}, prefix="/")
    assert len(made["body"]) <= COMMENT_LIMIT
    rest = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", made["body"].split("\n", 1)[1])
    assert re.search(r"[@#<>\[\u202e]|://", rest) is None
    assert made["body"].count("\n") == 3


FOREIGN = ("", "x", f" {MARKER.format(1)}", MARKER.format(0), MARKER.format("x"), f"> {MARKER.format(1)}")


@pytest.mark.parametrize("body", FOREIGN)
def test_anything_else_is_no_comment_of_ours(body: str) -> None:
    assert read_inline(body) is None
    assert read_inline(MARKER.format(7).replace("\n", "\r\n")) == ("issuecomment-2048812345", 7)


def test_fixed() -> None:
    assert fixed_inline(outcomes.COMMIT) == "fixed in 9d0c2aa"
