"""Marks on lines: on the response file, on what it is about, and never a command that somebody else wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import report_outcomes as outcomes

from editblocks.core.blocks import Note, Problem
from editblocks.core.codes import ReasonCode, State
from editblocks.core.model import EditResult
from editblocks.core.outcome import Outcome, Source
from editblocks.report.findings import Finding, LineMark, marks, workflow_commands
from editblocks.report.view import OutcomeView

FILE = ".edits/cart.md"
NEAR = "line 4 of the block differs from d.py:33 at column 22; closest is 30-36, 91% alike"
TWO = "matches at lines 12, 48 and 90 of c.py; add a line above or below"
CUT = "block at line 31 has no `>>>>>>> REPLACE` before the end (line 58); probably cut off, ask for it again"


def _of(*rows: EditResult | Problem, source: Source = outcomes.EDITS, notes: tuple[Note, ...] = ()) -> Outcome:
    made = outcomes.outcome(*rows, source=source)
    return made._replace(result=made.result._replace(notes=notes))


def _noted(row: EditResult, *notes: Note) -> EditResult:
    return row._replace(notes=notes, block=row.block._replace(notes=notes[:1]))


PLACEHOLDER = Note("placeholder", "write it out")
READS: tuple[tuple[str, Outcome, list[str]], ...] = (
    ("all fine", _of(outcomes.applied(1, "a.py"), outcomes.created(2, "b.py")), []),
    ("no block", _of(), []),
    ("close", _of(outcomes.no_match(4, "d.py")), [
        f"{FILE}:44-44 error no-match: block 4: {NEAR}", f"d.py:30-36 error no-match: block 4: {NEAR} ({FILE}:44)"]),
    ("two places", _of(outcomes.ambiguous(3, "c.py")), [
        f"{FILE}:34-34 error ambiguous: block 3: {TWO}", f"c.py:12-13 error ambiguous: block 3: {TWO} ({FILE}:34)"]),
    ("cut off", _of(outcomes.problem(2)), [f"{FILE}:31-31 error unclosed: block 2: {CUT}"]),
    ("no such file", _of(outcomes.failed(1, "x.py", ReasonCode.FILE_NOT_FOUND, "no x.py")), [
        f"{FILE}:14-14 error file-not-found: block 1: no x.py"]),
    ("skipped after it", _of(outcomes.skipped(1, "x.py", ReasonCode.EARLIER_FAILURE, "not tried")), [
        f"{FILE}:14-14 warning earlier-failure: block 1: not tried"]),
    ("notes", _of(
        _noted(outcomes.applied(1, "a.py"), PLACEHOLDER, Note("fuzzy", "look", 17)),
        outcomes.problem(2)._replace(notes=(Note("near-marker", "a hint", 33),)),
        notes=(Note("quoted-block", "in a quote", 5), Note("base-unknown", "no commit"))), [
        f"{FILE}:31-31 error unclosed: block 2: {CUT}",
        f"{FILE}:5-5 warning quoted-block: in a quote", f"{FILE}:1-1 warning base-unknown: no commit",
        f"{FILE}:14-14 warning placeholder: block 1: write it out", f"{FILE}:17-17 warning fuzzy: block 1: look",
        f"{FILE}:33-33 warning near-marker: block 2: a hint"]),
    ("a comment", _of(outcomes.no_match(4, "d.py"), outcomes.problem(5), source=outcomes.COMMENT,
                      notes=(PLACEHOLDER,)), [f"d.py:30-36 error no-match: block 4: {NEAR} (comment:44)"]),
    ("what nobody sees", _of(outcomes.failed(1, "x.py", ReasonCode.HIDDEN_TEXT, "a\u202eb\nc")), [
        f"{FILE}:14-14 error hidden-text: block 1: a\\u202eb\\nc"]),
)  # fmt: skip


def _shown(mark: LineMark) -> str:
    finding, (path, (first, last)) = mark
    return f"{path}:{first}-{last} {finding.level} {finding.rule}: {finding.message_at(mark[1])}"


@pytest.mark.parametrize(("outcome", "expected"), [read[1:] for read in READS], ids=[read[0] for read in READS])
def test_marks(outcome: Outcome, expected: list[str]) -> None:
    assert [_shown(mark) for mark in marks(OutcomeView(outcome))] == expected


def test_a_file_that_was_written_has_other_lines_now() -> None:
    rows = (outcomes.applied(1, "a.py"), outcomes.ambiguous(2, "a.py"), outcomes.ambiguous(3, "c.py"))
    written = _of(*rows)._replace(state=State.PARTIAL, commit=outcomes.COMMIT)
    assert [path for _, (path, _) in marks(OutcomeView(written))] == [FILE, FILE, "c.py"]


def _mark(path: str = FILE, level: str = "error", title: str = "no-match", message: str = "m") -> LineMark:
    place = path, (82, 84)
    return Finding(title, level, message, place), place


COMMANDS = (
    (_mark(), f"::error file={FILE},line=82,endLine=84,title=no-match::m"),
    (_mark(level="warning"), f"::warning file={FILE},line=82,endLine=84,title=no-match::m"),
    (_mark("a,b:c%.md"), "::error file=a%2Cb%3Ac%25.md,line=82,endLine=84,title=no-match::m"),
    (_mark("\u00e9.md"), "::error title=no-match::\\xe9.md:82: m"),
    (_mark("##[error]x"), "::error title=no-match::#\\x23[error]x:82: m"),
    (_mark("a\nb"), "::error title=no-match::a\\nb:82: m"),
    (_mark("x" * 201), f"::error title=no-match::{'x' * 197}..."),
    (_mark(message="50 % of a::b, ##[c]"),
     f"::error file={FILE},line=82,endLine=84,title=no-match::50 %25 of a:\\x3ab, #\\x23[c]"),
    (_mark(title="a,b\n"), f"::error file={FILE},line=82,endLine=84,title=a%2Cb\\n::m"),
)  # fmt: skip


@pytest.mark.parametrize(("mark", "command"), COMMANDS)
def test_a_command_for_the_runner(mark: LineMark, command: str) -> None:
    assert workflow_commands([mark]) == [command]


LIMITS = ((0, 10, 0), (10, 10, 10), (11, 10, 10), (300, 10, 10), (5, 1, 1), (5, 0, 0), (1, 1, 1))


@pytest.mark.parametrize(("count", "limit", "shown"), LIMITS)
def test_the_last_command_counts_those_that_are_left(count: int, limit: int, shown: int) -> None:
    many = [_mark(level=level) for level in ("error", "warning") for _ in range(count)]
    commands = workflow_commands(many, limit)
    assert len(commands) == 2 * shown
    for level in ("error", "warning") if count > limit > 0 else ():
        left = count - limit + 1
        last = f"::{level} title=editblocks::{left} more {level}{'s' * (left > 1)}; the job summary has them all"
        assert commands.count(last) == 1


@given(path=st.text(min_size=1), message=st.text())
def test_a_command_is_one_line_of_ascii_and_holds_no_other(path: str, message: str) -> None:
    [command] = workflow_commands([_mark(path=path, message=message)])
    assert all(" " <= char <= "~" for char in command)
    assert "##[" not in command
    head, _, rest = command[2:].partition("::")
    assert head.startswith("error ")
    assert "::" not in rest
