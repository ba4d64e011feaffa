"""The terminal form: what no golden page shows by itself."""

import re

import pytest
from support import report_outcomes as outcomes
from support.report_outcomes import with_facts

from editblocks import apply_response
from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.mismatch import Candidate, Difference
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Outcome, Refusal
from editblocks.report import console, short
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import status
from editblocks.report.view import OutcomeView

HOSTILE = "src/\x1b[2J\u202e::error::\n@octocat.py"


def test_s11_no_escape_sequence_of_a_path_reaches_the_terminal() -> None:
    shown = outcomes.outcome(
        outcomes.applied(1, HOSTILE),
        outcomes.no_match(2, HOSTILE),
        outcomes.failed(3, HOSTILE, ReasonCode.UNSAFE_PATH, f"{HOSTILE} has U+001B"),
    )
    for text in (console.report(OutcomeView(shown)), short.short_rows(OutcomeView(shown))):
        assert re.search("[\x1b\u202e]", text) is None
        assert r"src/\x1b[2J\u202e::error::\n@octocat.py" in text


def test_a_command_or_refusal_with_controls_is_shown_in_one_line() -> None:
    shown = outcomes.mockup()
    shown = shown._replace(result=shown.result._replace(shell_suggestions=("rm \x1b[31m\nx",)))
    assert r"Shell suggestion, not run (destructive): rm \x1b[31m\nx" in console.report(OutcomeView(shown)).splitlines()
    refused = outcomes.refused(ReasonCode.PUBLISH_FAILED, "GitHub says \x07no")
    assert short.verdict(OutcomeView(refused)) == r"nothing written: publish-failed: GitHub says \x07no"


def test_hostile_markers_are_counted_in_one_line() -> None:
    shown = outcomes.fine()
    shown = shown._replace(result=shown.result._replace(unbalanced="2 \x1b[2J, 1\nREPLACE"))
    tail = r"4 ready; the markers are not balanced: 2 \x1b[2J, 1\nREPLACE"
    assert short.summary(OutcomeView(shown)) == f"4 blocks in 2 files: {tail}"
    assert short.short_summary(OutcomeView(shown)) == f"comment: {tail}"
    assert "- the markers are not balanced: 2 `U+001B[2J`, 1 REPLACE\n" in status(OutcomeView(shown), Page("1"))


def test_twenty_commands_are_shown_200_characters_of_each() -> None:
    """The risk is that of the whole command, also where what destroys was cut off."""
    commands = (f"echo {'x' * 300}; rm y", *("ls",) * 19, *("rm z",) * 3)
    shown = outcomes.fine()
    shown = shown._replace(result=shown.result._replace(shell_suggestions=commands))
    lines = console.report(OutcomeView(shown)).splitlines()[-21:]
    assert lines[0] == f"Shell suggestion, not run (destructive): echo {'x' * 192}..."
    assert lines[1:20] == ["Shell suggestion, not run: ls"] * 19
    assert lines[20] == "3 more shell suggestions, not run"


def test_wide_characters_keep_the_columns() -> None:
    shown = outcomes.outcome(outcomes.applied(1, "\u65e5\u672c.py"), outcomes.applied(2, "e\u0301tude.py"))
    first, second, _ = console.report(OutcomeView(shown)).splitlines()
    assert first == " 1  ✓ ready    \u65e5\u672c.py:41-47    exact  +3 -1"
    assert second == " 2  ✓ ready    e\u0301tude.py:41-47   exact  +3 -1"


def test_a_very_long_place_moves_only_its_own_row() -> None:
    rows = console.report(
        OutcomeView(outcomes.outcome(outcomes.applied(1, "a.py"), outcomes.applied(2, f"{'long/' * 20}b.py")))
    ).splitlines()
    assert rows[0] == " 1  ✓ ready    a.py:41-47   exact  +3 -1"
    assert rows[1].endswith("b.py:41-47   exact  +3 -1")


def test_a_narrow_terminal_loses_the_last_column_first_and_breaks_sentences_between_words() -> None:
    shown = outcomes.outcome(
        outcomes.applied(1, "a.py"), outcomes.failed(2, "b.py", ReasonCode.STALE, "word" + " word" * 8)
    )
    widest = max(len(line) for line in console.report(OutcomeView(shown)).splitlines()[:2])
    assert (
        console.report(OutcomeView(shown), width=widest).splitlines()[0] == " 1  ✓ ready    a.py:41-47   exact  +3 -1"
    )
    lines = console.report(OutcomeView(shown), width=widest - 1).splitlines()
    assert lines[0] == " 1  ✓ ready    a.py:41-47   exact"
    assert lines[3:5] == ["2  stale: word word word word word word", "     word word word"]
    assert all(len(line) < widest for line in lines[:5])
    assert f"{'x' * 90}\n     is whole" in console.report(
        OutcomeView(shown._replace(result=_said("x" * 90 + " is whole"))), width=3
    )
    empty = console.report(OutcomeView(shown._replace(result=ApplyResult())), width=30).splitlines()
    assert len(empty) > 1
    assert all(len(line) <= 30 for line in empty)


def _said(reason: str) -> ApplyResult:
    return outcomes.outcome(outcomes.failed(1, "a.py", ReasonCode.STALE, reason)).result


def test_the_end_of_the_file_is_named_where_text_is_missing() -> None:
    missing = with_facts(outcomes.no_match(1, "a.py"), first_difference=Difference(9, 1, "x", None, "old"))
    assert "     + file    ends before line 9\n" in console.report(OutcomeView(outcomes.outcome(missing)))


def test_a_text_that_is_missing_may_still_have_a_place() -> None:
    missing = with_facts(outcomes.no_match(1, "a.py"), first_difference=Difference(9, 1, "x", None, "old"))
    lines = console.report(OutcomeView(outcomes.outcome(missing))).splitlines()
    assert lines[-3] == "     --only 1@30 merges into lines 30-36"


PLACES = (Candidate(30, 36, 0.9, None), Candidate(80, 80, 0.8, "1@80"))
OFFERS: tuple[tuple[str, EditResult, State, str | None], ...] = (
    (
        "the caret leads to the lines shown",
        outcomes.no_match(1, "a.py"),
        State.FAILED,
        "--only 1@30 merges into lines 30-36",
    ),
    (
        "another place is named",
        with_facts(outcomes.no_match(1, "a.py"), candidates=PLACES),
        State.FAILED,
        "--only 1@80 merges into line 80\n",
    ),
    (
        "no line differs",
        with_facts(outcomes.no_match(1, "a.py"), first_difference=None),
        State.FAILED,
        "     --only 1@30 merges into lines 30-36\n",
    ),
    (
        "the file ends, and no place can be chosen",
        with_facts(outcomes.no_match(1, "a.py"), candidates=(), first_difference=Difference(9, 1, "x", None, "old")),
        State.FAILED,
        None,
    ),
    (
        "no place can be chosen",
        with_facts(outcomes.no_match(1, "a.py"), candidates=PLACES[:1]),
        State.FAILED,
        None,
    ),
    ("one of several", outcomes.ambiguous(1, "a.py"), State.FAILED, "; choose one with --only 1@12, or add a line"),
    (
        "none of several",
        with_facts(outcomes.ambiguous(1, "a.py"), candidates=PLACES[:1] * 2),
        State.FAILED,
        None,
    ),
    (
        "a sentence without advice",
        with_facts(outcomes.ambiguous(1, "a.py"), what="twice", advice=""),
        State.FAILED,
        "twice; choose one with --only 1@12\n",
    ),
    (
        "what changed on the branch",
        with_facts(outcomes.stale(1, "a.py"), candidates=PLACES),
        State.FAILED,
        None,
    ),
    ("a file that was left alone", outcomes.ambiguous(1, "a.py"), State.PARTIAL, "choose one with --only 1@12"),
    ("a file that was written", outcomes.ambiguous(1, "b.py"), State.PARTIAL, None),
)


@pytest.mark.parametrize(("row", "state", "words"), [offer[1:] for offer in OFFERS], ids=[offer[0] for offer in OFFERS])
def test_a_place_is_offered_where_it_can_be_chosen(row: EditResult, state: State, words: str | None) -> None:
    shown = outcomes.outcome(row, outcomes.applied(2, "b.py"), state=state)
    text = console.report(OutcomeView(shown))
    assert ("--only 1@" in text) is (words is not None)
    assert words is None or words in text
    assert "--only" not in short.short_rows(OutcomeView(shown))


def test_the_caret_stands_below_the_column_though_a_tab_is_shown_as_two_characters() -> None:
    tabbed = with_facts(outcomes.no_match(1, "a.py"), first_difference=Difference(3, 3, "\tax", "\tay", "old"))
    lines = console.report(OutcomeView(outcomes.outcome(tabbed))).splitlines()
    caret = next(line for line in lines if "^" in line)
    assert lines[lines.index(caret) - 1][caret.index("^")] == "y"


MENDED: tuple[tuple[str, tuple[EditResult | Problem, ...], bool], ...] = (
    ("two failures", (outcomes.ambiguous(1, "a.py"), outcomes.no_match(2, "b.py")), True),
    ("what cannot be read", (outcomes.problem(1),), True),
    ("what no block may do", (outcomes.failed(1, "x", ReasonCode.NOT_ALLOWED, "no"),), False),
    ("what is fine", (outcomes.applied(1, "a.py"),), False),
)


@pytest.mark.parametrize(("rows", "offered"), [row[1:] for row in MENDED], ids=[row[0] for row in MENDED])
def test_retry_is_offered_once_where_a_model_can_mend(rows: tuple[EditResult | Problem, ...], offered: bool) -> None:
    lines = console.report(OutcomeView(outcomes.outcome(*rows))).splitlines()
    assert [line for line in lines if "retry" in line] == [
        "     `editblocks retry -` prints a prompt for the model"
    ] * offered
    assert not offered or "retry" in lines[-2]


def test_what_was_left_out_has_a_row_and_no_paragraph() -> None:
    left = outcomes.skipped(2, "b.py", ReasonCode.NOT_SELECTED, "the selection does not include this block")
    shown = console.report(OutcomeView(outcomes.outcome(outcomes.applied(1, "a.py"), left)))
    assert shown.split("\n")[1:] == [
        " 2  – skipped  b.py         not-selected",
        "2 blocks in 2 files: 1 ready, 1 skipped",
        "",
    ]


ASKED_FOR: tuple[tuple[str, tuple[EditResult | Problem, ...], str], ...] = (
    ("one", (outcomes.applied(1, "a.py"), outcomes.no_match(2, "b.py")), " --only 2"),
    (
        "some, and one that no block may do",
        (
            outcomes.stale(1, "a.py"),
            outcomes.failed(2, "x", ReasonCode.NOT_ALLOWED, "no"),
            outcomes.applied(3, "b.py"),
            outcomes.problem(4),
            outcomes.skipped(5, "a.py", ReasonCode.EARLIER_FAILURE, "block 1 of a.py failed"),
        ),
        " --only 1,4",
    ),
)


@pytest.mark.parametrize(("rows", "only"), [row[1:] for row in ASKED_FOR], ids=[row[0] for row in ASKED_FOR])
def test_retry_leaves_out_what_is_written(rows: tuple[EditResult | Problem, ...], only: str) -> None:
    offer = "`editblocks retry -{}` prints a prompt for the model\n".format
    for shown, words in (
        (outcomes.outcome(*rows, state=State.PARTIAL), only),
        (outcomes.outcome(*rows)._replace(written=True), only),
        (outcomes.outcome(*rows)._replace(not_selected=frozenset({2, 3})), only),
        (outcomes.outcome(*rows), ""),
    ):
        assert offer(words) in console.report(OutcomeView(shown))


def test_retry_is_a_command_that_can_be_pasted() -> None:
    shown = outcomes.outcome(outcomes.no_match(1, "a.py"), source=outcomes.FILE._replace(path="it's \x1b.md"))
    kept = None, ("--matching", "exact", "--rev", "v1 a")
    told = "`editblocks retry 'it'\"'\"'s \\x1b.md' --matching exact --rev 'v1 a'` prints a prompt for the model\n"
    assert told in console.report(OutcomeView(shown), kept=kept)


VERDICTS = (
    (outcomes.outcome(state=State.NOTHING, text=""), "no-blocks: 0 lines read, no edit block:"),
    (outcomes.outcome(state=State.NOTHING, text="a\nb"), "no-blocks: 2 lines read, no edit block:"),
    (outcomes.fine(1, State.APPLIED), "applied 1 block to 1 file, +24 -0"),
    (outcomes.fine(2), "nothing written: 2 blocks in 2 files: 2 ready"),
    (outcomes.nothing_left(1), "nothing to do: the changes of 1 block are already there"),
    (
        outcomes.outcome(outcomes.skipped(1, "a", ReasonCode.NOT_SELECTED, "left out")),
        "nothing written: 1 skipped of 1 block",
    ),
    (
        outcomes.outcome(*(outcomes.no_match(number, "a") for number in (1, 3, 4, 5)), outcomes.ambiguous(2, "a")),
        "nothing written: 5 of 5 blocks failed (blocks 1,3-5 no-match, block 2 ambiguous)",
    ),
    (
        outcomes.outcome(
            outcomes.applied(1, "a"), outcomes.skipped(2, "a", ReasonCode.EARLIER_FAILURE, "no"), state=State.PARTIAL
        ),
        "applied 1 of 2 blocks to 1 file, +3 -1; left out: block 2 earlier-failure",
    ),
    (outcomes.outcome(outcomes.ambiguous(1, "a")), "nothing written: 1 of 1 block failed (block 1 ambiguous)"),
    (outcomes.fine(2)._replace(not_selected=frozenset({1, 2})), "nothing written: no block was chosen"),
)


@pytest.mark.parametrize(("shown", "start"), VERDICTS)
def test_verdict(shown: Outcome, start: str) -> None:
    assert short.verdict(OutcomeView(shown)).startswith(start)
    assert "\n" not in short.verdict(OutcomeView(shown))


def test_a_verdict_offers_what_fits_by_an_option_or_a_command() -> None:
    view = OutcomeView(outcomes.outcome(outcomes.applied(1, "a"), outcomes.ambiguous(2, "b")))
    failed = "nothing written: 1 of 2 blocks failed (block 2 ambiguous)"
    assert short.verdict(view) == f"{failed}; --partial applies the one that fits"
    assert short.verdict(view, "`do it`") == f"{failed}; `do it` applies the one that fits"


def test_short_lines_of_blocks_that_cannot_be_read_stand_in_the_response() -> None:
    shown = outcomes.outcome(outcomes.problem(1), source=outcomes.STDIN)
    assert short.short_rows(OutcomeView(shown)).startswith("stdin:31: failed: unclosed: block at line 31 has no ")
    empty = outcomes.outcome(state=State.NOTHING, source=outcomes.FILE, text="a\n")
    assert short.short_rows(OutcomeView(empty)) == ""
    assert short.short_summary(OutcomeView(empty)).startswith(".edits/cart.md: no-blocks: 1 line read, no edit block")


NEAR = Note("near-marker", "line 2 is not a marker; write `<<<<<<< SEARCH`", 2)
QUOTED = Note("quoted-block", "1 quoted block was not read", 9)
FENCE = Note("fence-unclosed", "the fence at line 1 was never closed", 1)
READ = "no-blocks: 1 line read, no edit block: "
EMPTIES: tuple[tuple[tuple[Note, ...], str, str], ...] = (  # notes, what the sum ends with, what is printed of them
    ((), "it is plain text; ask for SEARCH/REPLACE blocks", ""),
    ((NEAR,), NEAR.message, ""),
    ((FENCE, QUOTED, NEAR), NEAR.message, f"note: {FENCE.message}\nnote: {QUOTED.message}\n"),
    ((QUOTED,), "1 quoted block was not read (`> ` at line 9)", ""),
    ((FENCE,), "it is plain text; ask for SEARCH/REPLACE blocks", f"note: {FENCE.message}\n"),
)


@pytest.mark.parametrize(("notes", "end", "printed"), EMPTIES)
def test_a_response_without_a_block_says_what_came_closest(notes: tuple[Note, ...], end: str, printed: str) -> None:
    shown = outcomes.outcome(state=State.NOTHING, text="a\n", result=ApplyResult(notes=notes))
    assert short.verdict(OutcomeView(shown)) == f"{READ}{end}"
    assert console.report(OutcomeView(shown)) == f"{printed}{READ}{end}\n"
    assert short.short_summary(OutcomeView(shown)) == f"comment: {READ}{end}"
    assert short.notes(OutcomeView(shown)) == printed


def test_notes_name_their_block_once_and_leave_out_what_the_row_says() -> None:
    noted = outcomes.indented(2, "a.py")._replace(
        block=outcomes.block(2, "a.py")._replace(notes=(Note("path-carried", f"as {HOSTILE}"),)),
    )
    noted = noted._replace(notes=(*noted.notes, *(Note("placeholder", "write every line out"),) * 2))
    shown = outcomes.outcome(noted, outcomes.problem(3)._replace(notes=(NEAR,)))
    expected = [
        r"note: block 2: as src/\x1b[2J\u202e::error::\n@octocat.py",
        "note: block 2: write every line out",
        f"note: block 3: {NEAR.message}",
    ]
    assert short.notes(OutcomeView(shown)).splitlines() == expected
    assert console.report(OutcomeView(shown)).splitlines()[-4:-1] == expected


def test_what_waits_for_the_same_block_shares_a_paragraph_and_is_counted_apart() -> None:
    made = "".join(f"a.py\n<<<<<<< SEARCH\n{old}\n=======\nnew\n>>>>>>> REPLACE\n" for old in "a z b c d d".split())
    result = apply_response(made, {"a.py": b"a\nb\nc\nd\nd\nd\n"}.get)
    shown = outcomes.outcome(*result.results)
    lines = console.report(OutcomeView(shown)).splitlines()
    assert "3-4  earlier-failure: fit without block 2; repair block 2 first" in lines
    twice = "matches at lines 4, 5 and 6 of a.py; choose one with --only 5@4, or add a line above or below"
    assert f"5  earlier-failure: without block 2: ambiguous: {twice}" in lines
    assert lines[-1] == "6 blocks in 1 file: 1 ready, 4 not tried, 1 failed"
    logged = short.short_rows(OutcomeView(shown), full=True).splitlines()
    assert f"a.py:4: skipped: earlier-failure: without block 2: ambiguous: {twice} (comment:26)" in logged
    assert len(short.short_rows(OutcomeView(shown)).splitlines()) == 6


def test_a_place_without_a_number_has_none_in_short_lines() -> None:
    shown = outcomes.outcome(outcomes.failed(1, "lib", ReasonCode.NOT_A_FILE, "lib is a submodule"))
    assert short.short_rows(OutcomeView(shown)) == "lib: failed: not-a-file: lib is a submodule (comment:14)\n"


def test_the_refusal_comes_before_the_count() -> None:
    refused = outcomes.fine(2)._replace(refusal=Refusal(ReasonCode.FORK, "no"))
    assert short.verdict(OutcomeView(refused)) == "nothing written: fork: no"


def test_short_lines_of_a_miss_without_difference_stand_at_the_closest_place() -> None:
    near = with_facts(
        outcomes.failed(1, "a.py", ReasonCode.NO_MATCH, "not in a.py"),
        candidates=(Candidate(7, 7, 0.999, "1@7"),),
    )
    assert short.short_rows(OutcomeView(outcomes.outcome(near))).startswith("a.py:7: failed: no-match: not in a.py (")


def test_what_a_partial_run_left_and_fits_is_offered_by_its_number() -> None:
    rows = (outcomes.applied(1, "a.py"), outcomes.ambiguous(2, "a.py"), outcomes.behind(3, "a.py", 2))
    shown = outcomes.outcome(*rows, state=State.PARTIAL)
    left_out = "left out: block 2 ambiguous, block 3 earlier-failure"
    assert short.verdict(OutcomeView(shown)).endswith(f"; {left_out}; --only 3 applies the one that fits")


OFFERED: tuple[tuple[str, tuple[EditResult | Problem, ...], str], ...] = (
    ("what is ready", (outcomes.applied(1, "a.py"), outcomes.no_match(2, "b.py")), "ready` applies the one that fits"),
    (
        "several",
        (outcomes.applied(1, "a.py"), outcomes.applied(2, "c.py"), outcomes.no_match(3, "b.py")),
        "ready` applies the 2 that fit",
    ),
    (
        "what fits without a failed one is named by its number",
        (outcomes.applied(1, "a.py"), outcomes.ambiguous(2, "a.py"), outcomes.behind(3, "a.py", 2)),
        "1,3` applies the 2 that fit",
    ),
    ("nothing where all fit", (outcomes.applied(1, "a.py"),), ""),
    ("nothing where none does", (outcomes.no_match(1, "b.py"),), ""),
)


@pytest.mark.parametrize(("rows", "words"), [row[1:] for row in OFFERED], ids=[row[0] for row in OFFERED])
def test_a_check_offers_what_fits(rows: tuple[EditResult | Problem, ...], words: str) -> None:
    view = OutcomeView(outcomes.outcome(*rows, state=State.CHECKED if not words else State.FAILED))
    shown = console.report(view, offers_apply=True)
    assert [line for line in shown.splitlines() if "editblocks apply" in line] == (
        [f"     `editblocks apply - --only {words}"] if words else []
    )
    assert "editblocks apply" not in console.report(view)
    assert "editblocks apply" not in console.report(view, offers_apply=True, kept=(None, ())), (
        "it would write elsewhere"
    )


def test_what_a_caret_says_stands_below_it_where_there_is_no_room() -> None:
    view = OutcomeView(outcomes.outcome(outcomes.no_match(1, "a.py")))
    lines = console.report(view).splitlines()
    caret = next(line for line in lines if line.strip().startswith("^ "))
    narrow = console.report(view, width=len(caret) - 1).splitlines()
    place = next(number for number, line in enumerate(narrow) if line.strip() == "^")
    above, sign, words = caret.partition("^ ")
    assert narrow[place] == f"{above}^"
    assert narrow[place + 1] == f"     {words}"
    assert sign
    assert caret in console.report(view, width=len(caret)).splitlines()
