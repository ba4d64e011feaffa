"""The words that all reports share."""

from collections.abc import Sequence

import pytest
from support import report_outcomes as outcomes
from support.report_outcomes import with_facts

from editblocks.core import phrases
from editblocks.core.blocks import Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Candidate
from editblocks.core.model import EditResult
from editblocks.report import view
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import status
from editblocks.report.view import OutcomeView


def _applied(
    strategy: str, confidence: str, shift: tuple[int, str] | None = None, *, chosen: bool = False
) -> EditResult:
    return outcomes.applied(1, "a.py", strategy, confidence)._replace(shift=shift, chosen=chosen, likeness=0.874)


RIGHT, LEFT = (4, "space"), (-1, "tab")
STRATEGIES = (
    (_applied("exact", "high"), "exact"),
    (_applied("exact", "high", chosen=True), "exact, chosen"),
    (_applied("trailing-space", "high"), "trailing-space"),
    (_applied("create", "high"), "new file"),
    (_applied("indentation", "medium", RIGHT), "indentation, 4 more spaces (medium)"),
    (_applied("indentation", "medium", LEFT), "indentation, 1 fewer tab (medium)"),
    (_applied("indentation", "medium", (-2, "character")), "indentation, 2 fewer characters (medium)"),
    (_applied("indentation", "medium"), "indentation (medium)"),
    (_applied("three-way", "medium"), "three-way (medium)"),
    (_applied("elided", "medium"), "elided (medium)"),
    (_applied("syntax", "low"), "syntax (low confidence)"),
    (_applied("fuzzy", "low"), "fuzzy 87 % (low confidence)"),
    (_applied("fuzzy", "low", chosen=True), "fuzzy 87 %, chosen (low confidence)"),
    (_applied("fuzzy", "low")._replace(likeness=None), "fuzzy (low confidence)"),
    (_applied("syntax", "low", chosen=True), "syntax, chosen (low confidence)"),
)  # fmt: skip


@pytest.mark.parametrize(("result", "text"), STRATEGIES)
def test_strategy_text(result: EditResult, text: str) -> None:
    assert view.strategy_text(result) == text


def _did(old: str, new: str, strategy: str = "exact", confidence: str = "high") -> EditResult:
    return _applied(strategy, confidence, RIGHT)._replace(block=outcomes.block(1, "a.py", old, new))


OPERATIONS = (
    (_did("a\n", "b\n"), "exact"),
    (_did("a\n", "a\nb\n"), "exact, insertion"),
    (_did("a\n", "b\na\n"), "exact, insertion"),
    (_did("a\n", ""), "exact, deletion"),
    (_did("", "a\n", "create"), "new file"),
    (_did("a\n", "", "trailing-space"), "trailing-space, deletion"),
    (_did("a\n", "b\na\n", "indentation", "medium"), "indentation, 4 more spaces, insertion (medium)"),
    (_did("a\n", "")._replace(empties_file=True), "exact, file emptied"),
    (_did("a\n", "")._replace(chosen=True), "exact, deletion, chosen"),
)


@pytest.mark.parametrize(("result", "text"), OPERATIONS)
def test_each_operation_has_its_word(result: EditResult, text: str) -> None:
    assert view.strategy_text(result) == text


NUMBERS: tuple[tuple[list[int], str, str], ...] = (
    ([], "", ""),
    ([4], "4", "block 4"),
    ([4, 5], "4-5", "blocks 4 and 5"),
    ([4, 6], "4,6", "blocks 4 and 6"),
    ([1, 2, 3], "1-3", "blocks 1-3"),
    ([1, 2, 3, 5, 7, 8], "1-3,5,7-8", "blocks 1-3, 5 and 7-8"),
)


@pytest.mark.parametrize(("numbers", "ranges", "blocks"), NUMBERS)
def test_numbers_of_blocks(numbers: Sequence[int], ranges: str, blocks: str) -> None:
    assert phrases.ranges(numbers) == ranges
    assert not numbers or phrases.blocks(numbers) == blocks


PERCENTS = ((0.0, "0 %"), (0.905, "91 %"), (0.9999, "99 %"), (1.0, "99 %"))


@pytest.mark.parametrize(("similarity", "text"), PERCENTS)
def test_percent(similarity: float, text: str) -> None:
    assert phrases.percent(similarity) == text


LINES = (
    (outcomes.applied(1, "a.py"), (41, 47)),
    (outcomes.applied(1, "a.py")._replace(span=(40, 40)), (41, 41)),
    (outcomes.created(1, "a.py"), None),
    (outcomes.no_match(1, "a.py"), (30, 36)),
    (outcomes.ambiguous(1, "a.py"), None),
    (outcomes.stale(1, "a.py"), (41, 47)),
    (with_facts(outcomes.stale(1, "a.py"), candidates=(), first_difference=None), None),
    (outcomes.failed(1, "a.py", ReasonCode.NO_MATCH, "not there"), None),
    (outcomes.problem(1), None),
)


@pytest.mark.parametrize(("row", "lines"), LINES)
def test_the_lines_of_a_row(row: EditResult | Problem, lines: tuple[int, int] | None) -> None:
    assert OutcomeView(outcomes.outcome(row)).rows[0].lines == lines


def test_more_places_than_are_listed_are_counted() -> None:
    many = with_facts(
        outcomes.ambiguous(1, "a.py"),
        candidates=tuple(Candidate(line, line, 1.0, None) for line in range(1, 51)),
        candidates_total=70,
    )
    assert "ambiguous: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 60 more |" in status(
        OutcomeView(outcomes.outcome(many)), Page("1")
    )


def test_only_what_does_not_fit_has_a_sentence() -> None:
    rows = OutcomeView(outcomes.outcome(outcomes.applied(1, "a.py"), outcomes.stale(2, "b.py"))).rows
    assert [row.sentence().partition(":")[0] for row in rows] == ["", "stale"]
