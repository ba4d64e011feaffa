"""An answer and the earlier one that it corrects are one plan: docs/reference/action.md, "joined rounds"."""

from __future__ import annotations

import pytest
from support.formatkit import block

from editblocks.applying.engine import apply_response
from editblocks.core.codes import State
from editblocks.core.digests import binding, response_digest
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import FrontMatter, Outcome, Response
from editblocks.core.settings import Settings
from editblocks.report.view import OutcomeView

APP, API = "a = 1\nb = 2\nc = 3\n", "x = 1\ny = 2\nx = 1\n"
FILES = {"app.py": APP.encode(), "api.py": API.encode()}


def joined(earlier: str, answer: str, files: dict[str, bytes] = FILES) -> ApplyResult:
    return apply_response(Response(answer, earlier=Response(earlier)), files.get)


def rows(result: ApplyResult) -> list[tuple[int, str, str, int]]:
    """Number, path, `ok` or the code, and how many answers back it was read."""
    three = Response("", earlier=Response("", earlier=Response("")))
    return [
        (row.number, row.path or "", "ok" if row.code is None else row.code.value, row.block.answers_back)
        for row in OutcomeView(Outcome(three, result, State.FAILED)).rows
    ]


FINE = block("app.py", "a = 1\n", "a = 10\n")
LATER = block("app.py", "c = 3\n", "c = 30\n")
WRONG = block("app.py", "b = two\n", "b = 20\n")
RIGHT = block("app.py", "b = 2\n", "b = 20\n")
TWICE = block("api.py", "x = 1\n", "x = 10\n")
ONCE = block("api.py", "x = 1\ny = 2\n", "x = 10\ny = 2\n")
CUT = "app.py\n<<<<<<< SEARCH\nb = 2\n"
NAMELESS = "<<<<<<< SEARCH\nb = 2\n=======\nb = 20\n>>>>>>> REPLACE\n"
NEW = block("new.py", "", "n = 1\n")
OK = "ok"

TABLE = {
    "the corrected block takes its place": (
        FINE + WRONG + LATER,
        RIGHT,
        [(1, "app.py", OK, 1), (2, "app.py", OK, 0), (3, "app.py", OK, 1)],
    ),
    "each in its own file": (
        TWICE + WRONG,
        RIGHT + ONCE,
        [(1, "api.py", OK, 0), (2, "app.py", OK, 0)],
    ),
    "one more for a file comes last": (
        WRONG + FINE,
        RIGHT + LATER,
        [(1, "app.py", OK, 0), (2, "app.py", OK, 1), (3, "app.py", OK, 0)],
    ),
    "another file comes last": (
        FINE + WRONG,
        RIGHT + NEW,
        [(1, "app.py", OK, 1), (2, "app.py", OK, 0), (3, "new.py", OK, 0)],
    ),
    "what is not corrected stays and fails": (
        TWICE + WRONG,
        RIGHT,
        [(1, "api.py", "ambiguous", 1), (2, "app.py", OK, 0)],
    ),
    "a block that was cut off": (FINE + CUT, RIGHT, [(1, "app.py", OK, 1), (2, "app.py", OK, 0)]),
    "a block without a path": (NAMELESS + TWICE, RIGHT + ONCE, [(1, "app.py", OK, 0), (2, "api.py", OK, 0)]),
    "a correction that fails too": (FINE + WRONG, WRONG, [(1, "app.py", OK, 1), (2, "app.py", "no-match", 0)]),
    "a correction that cannot be read": (FINE + WRONG, CUT, [(1, "app.py", OK, 1), (2, "app.py", "unclosed", 0)]),
    "blocks that are named": (
        FINE + WRONG + LATER,
        "fixes: 7, blocks 2\n" + RIGHT,
        [(1, "app.py", OK, 1), (2, "app.py", OK, 0), (3, "app.py", OK, 1)],
    ),
    "a block that is named although it fits": (
        FINE + LATER,
        "fixes: 7, blocks 2\n" + RIGHT,
        [(1, "app.py", OK, 1), (2, "app.py", OK, 0)],
    ),
    "a path that was wrong": (
        FINE + block("aap.py", "b = 2\n", "b = 20\n"),
        RIGHT,
        [(1, "app.py", OK, 1), (2, "app.py", OK, 0)],
    ),
    "no block for that file failed": (FINE, LATER, [(1, "app.py", OK, 0)]),
    "a block that is named in vain": (FINE + WRONG, "fixes: 7, blocks 9\n" + RIGHT, [(1, "app.py", OK, 0)]),
    "no block at all": (FINE + WRONG, "sorry\n", [(1, "app.py", OK, 1), (2, "app.py", "no-match", 1)]),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_rows_of_a_joined_round(name: str) -> None:
    earlier, answer, expected = TABLE[name]
    result = joined(earlier, answer)
    assert rows(result) == expected
    stands_alone = name in ("no block for that file failed", "a block that is named in vain")
    assert [note.code for note in result.notes] == ["not-joined"] * stands_alone


@pytest.mark.parametrize("name", [name for name, (_, _, rows) in TABLE.items() if all(row[2] == OK for row in rows)])
def test_a_second_run_changes_nothing(name: str) -> None:
    earlier, answer, _ = TABLE[name]
    after = {**FILES, **{path: data or b"" for path, data in joined(earlier, answer).contents.items()}}
    second = joined(earlier, answer, after)  # as short as these lines are, what is done already is not always seen
    assert second.contents == {}


def test_the_order_is_that_of_the_earlier_answer() -> None:
    first = (
        block("app.py", "a = 1\n", "a = b\n")
        + block("app.py", "a = c\n", "a = d\n")
        + block("app.py", "a = d\n", "e\n")
    )
    result = joined(first, block("app.py", "a = b\n", "a = d\n"))
    assert result.contents == {"app.py": b"e\nb = 2\nc = 3\n"}


def test_a_third_round_corrects_the_second() -> None:
    second = Response(WRONG, earlier=Response(FINE + WRONG + TWICE))
    result = apply_response(Response(RIGHT + ONCE, earlier=second), FILES.get)
    assert rows(result) == [(1, "app.py", OK, 2), (2, "app.py", OK, 0), (3, "api.py", OK, 0)]


def test_what_an_approval_is_bound_to() -> None:
    one, two = Response("b", earlier=Response("a")), Response("b", earlier=Response("d"))
    assert len(set(map(response_digest, (one, two, Response("b"))))) == 1
    assert len({*map(binding, (one, two, Response("b", earlier=one), Response("b"))), ""}) == 4


def test_too_long_a_text_is_said_of_either() -> None:
    small = Settings(max_response_bytes=200)
    for response in (Response("x" * 201, earlier=Response(FINE)), Response(FINE, earlier=Response("x" * 201))):
        assert [row.code.value for row in apply_response(response, FILES.get, small).problems] == ["too-large"]


def test_the_title_is_the_newest() -> None:
    old, new = Response("", front=FrontMatter(title="Old")), FrontMatter(title="New")
    rounds = (Response(""), old, Response("", earlier=old), Response("", front=new, earlier=old))
    assert [each.title for each in rounds] == [None, "Old", "Old", "New"]


def test_what_was_not_clear_at_first_stays_so() -> None:
    response = Response(RIGHT, earlier=Response(FINE + WRONG), replaces=frozenset({0}))
    result = apply_response(response, FILES.get)
    assert (rows(result), result.replaced, result.joined) == ([(1, "app.py", OK, 0)], (0,), 0)


def test_a_line_that_cannot_be_read_joins_nothing() -> None:
    result = joined(FINE + WRONG, "fixes: 7, block two\n" + RIGHT)
    assert rows(result) == [(1, "app.py", OK, 0)]
    assert "does not end as in" in result.notes[0].message


def test_hunks_of_two_patches_stay_apart() -> None:
    patch = "*** Begin Patch\n*** Update File: {}\n@@\n-{}\n+{}\n*** End Patch\n"
    earlier = patch.format("app.py", "a = 1", "a = 10") + patch.format("api.py", "y = two", "y = 20")
    result = joined(earlier, "fixes: 7, block 2\n\n" + patch.format("api.py", "y = 2", "y = 20"))
    assert rows(result) == [(1, "app.py", OK, 1), (2, "api.py", OK, 0)]
    assert len({row.block.section for row in result.results}) == 2
