"""Whatever a response holds, what other tools are given is valid."""

import json
from collections.abc import Sequence
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import formatkit
from support import report_outcomes as outcomes
from support.formats_read import commands, diagnostics, errors, sarif
from support.json_outcomes import VALIDATOR
from support.report_outcomes import with_facts

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Difference
from editblocks.core.model import EditResult
from editblocks.core.outcome import Refusal
from editblocks.faces.cli.documents import TOOLS
from editblocks.report.json import Report

TEXT = st.text(max_size=30) | st.sampled_from(
    ["\x1b[31m", "::error::x", "%0A", "a\nb", "\u202e", "{0}[a](b)", "\udc80"]
)
ENUMS = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))["$defs"]
FAILED, SKIPPED = (
    st.sampled_from([ReasonCode(code) for code in ENUMS[name]["enum"] if code != "ambiguous"])
    for name in ("failed_code", "skipped_code")
)


@st.composite
def row(draw: st.DrawFn, number: int) -> EditResult | Problem:
    path, reason, code = draw(TEXT), draw(TEXT), draw(FAILED)
    actual = draw(st.none() | TEXT)
    difference = Difference(draw(st.integers(1, 500)), draw(st.integers(1, 500)), draw(TEXT), actual)
    made: list[EditResult | Problem] = [
        outcomes.failed(number, path, code, reason),
        outcomes.problem(number, code, path)._replace(what=reason, advice=""),
        outcomes.applied(number, path, "fuzzy", "low")._replace(notes=(Note("placeholder", reason),)),
        with_facts(outcomes.no_match(number, path), what=reason, first_difference=difference),
        with_facts(outcomes.ambiguous(number, path), what=reason, advice=""),
        outcomes.skipped(number, path, draw(SKIPPED), reason),
    ]
    return draw(st.sampled_from(made))


ROWS = st.integers(1, 3).flatmap(lambda count: st.tuples(*map(row, range(1, count + 1))))


def _hostile(found: Sequence[EditResult | Problem], path: str | None, refusal: str | None) -> Report:
    made = outcomes.outcome(*found)
    stopped = None if refusal is None else Refusal(ReasonCode.HEAD_MOVED, refusal)
    return formatkit.of(made._replace(refusal=stopped), path=path)


@pytest.mark.long
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.none() | TEXT.filter(bool), st.none() | TEXT)
def test_any_outcome_is_valid_in_every_format(
    found: Sequence[EditResult | Problem], path: str | None, refusal: str | None
) -> None:
    shown = _hostile(found, path, refusal)
    sarif(shown)
    diagnostics(shown)
    assert all(" " <= char <= "~" for command in commands(shown) for char in command)
    assert all(command.startswith(("::error ", "::warning ")) for command in commands(shown))
    assert [errors(VALIDATOR, json.loads(line)) for line in TOOLS["jsonl"]([shown]).splitlines()] == [[]]
    TOOLS["markdown"]([shown]).encode("utf-8")
