"""The JSON result is what its schema says, for every form of outcome and for hostile text."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import report_outcomes as outcomes
from support.json_outcomes import OUTCOMES, VALIDATOR
from support.report_outcomes import with_facts

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State
from editblocks.core.mismatch import Candidate
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Outcome, Refusal
from editblocks.report.json import Report, dumps
from editblocks.report.json import document as json_document
from editblocks.report.next_commands import choosing_command, next_commands
from editblocks.report.view import OutcomeView, is_destructive


def _document(outcome: Outcome, mode: str = "all-or-nothing") -> dict[str, Any]:
    target = {"kind": "pull-request", "repository": "acme/shop", "pull_request": 128, "ref": "refs/heads/fix-cart"}
    text = dumps(json_document(Report(OutcomeView(outcome), "check", mode, target, "1.0.0")))
    document: dict[str, Any] = json.loads(text)
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []
    return document


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_outcome_follows_the_schema(name: str) -> None:
    outcome = OUTCOMES[name]
    document = _document(outcome, "partial" if outcome.state is State.PARTIAL else "all-or-nothing")
    assert [block["number"] for block in document["blocks"]] == list(range(1, len(outcome.result.rows) + 1))
    assert document["summary"]["total"] == len(document["blocks"])


WORDS = (
    ("failed", "all-or-nothing", "failed"),
    ("failed", "partial", "partial"),
    ("partly applied", "partial", "partial"),
    ("checked", "all-or-nothing", "ok"),
    ("applied", "all-or-nothing", "ok"),
    ("nothing left", "partial", "ok"),
    ("empty", "partial", "empty"),
)


@pytest.mark.parametrize(("name", "mode", "word"), WORDS)
def test_the_word_for_the_whole(name: str, mode: str, word: str) -> None:
    assert _document(OUTCOMES[name], mode)["outcome"] == word


CHOSEN = (
    (outcomes.skipped(1, "a.py", ReasonCode.ALREADY_APPLIED, "there"), "partial"),
    (outcomes.applied(1, "a.py"), "partial"),
    (outcomes.ambiguous(1, "a.py"), "failed"),
)


@pytest.mark.parametrize(("row", "word"), CHOSEN)
def test_what_was_not_chosen_makes_nothing_fail(row: EditResult, word: str) -> None:
    other = outcomes.skipped(2, "b.py", ReasonCode.NOT_SELECTED, "not chosen")
    shown = outcomes.outcome(row, other)._replace(not_selected=frozenset({2}))
    assert (_document(shown, "partial")["outcome"], shown.ok) == (word, word == "partial")


APPLY, RETRY = "editblocks apply - --only ready", "editblocks retry -"
FOLLOWING: tuple[tuple[str, list[str]], ...] = (
    ("failed", [APPLY, RETRY]),
    ("checked", ["editblocks apply -"]),
    ("applied", []),
    ("partly applied", ["editblocks retry - --only 4-5"]),
    ("nothing left", []),
    ("empty", []),
    ("a problem", ["editblocks apply .edits/cart.md --only ready", "editblocks retry .edits/cart.md"]),
    ("stale", [RETRY]),
    ("refused", ["editblocks apply -"]),
)


@pytest.mark.parametrize(("name", "commands"), FOLLOWING)
def test_what_may_be_typed_next(name: str, commands: list[str]) -> None:
    assert next_commands(OutcomeView(OUTCOMES[name])) == commands


def test_nothing_is_to_be_typed_where_a_run_was_stopped() -> None:
    for code in (ReasonCode.HEAD_MOVED, ReasonCode.DIRTY_FILE):
        stopped = OutcomeView(outcomes.mockup()._replace(refusal=Refusal(code, "no")))
        assert (next_commands(stopped), choosing_command(stopped)) == ([], "")
    assert next_commands(OutcomeView(outcomes.mockup()._replace(unresolved=outcomes.COMMIT))) == []


def test_the_prompt_is_there_if_a_block_failed() -> None:
    for name, outcome in OUTCOMES.items():
        document = _document(outcome, "partial")
        failed = bool(document["summary"]["failed"])
        assert (document["retry_prompt"] is not None, document["retry_prompt"] or "") == (
            failed,
            outcome.retry_prompt,
        ), name


def test_partial_without_a_ready_block_is_failed() -> None:
    assert _document(outcomes.outcome(outcomes.ambiguous(1, "a.py")), "partial")["outcome"] == "failed"


@pytest.mark.parametrize(("written", "word"), [(False, "failed"), (True, "partial")])
def test_what_was_refused_is_partial_only_if_it_is_written(written: bool, word: str) -> None:
    refused = outcomes.mockup()._replace(refusal=Refusal(ReasonCode.DIRTY_FILE, "a.py has changes"), written=written)
    assert _document(refused, "partial")["outcome"] == word


def test_the_mockup_in_numbers() -> None:
    document = _document(outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT), "partial")
    assert document["summary"] == {
        "total": 6,
        "ok": 4,
        "applied": 3,
        "failed": 2,
        "skipped": 1,
        "by_code": {"ambiguous": 1, "no-match": 1, "already-applied": 1},
        "verdicts": {"applied": 3, "skipped": 1, "failed": 2},
        "files_modified": ["src/cart.py", "src/pricing/tax.py"],
        "lines_added": 28,
        "lines_removed": 2,
    }
    assert [block["written"] for block in document["blocks"]] == [True, True, True, False, False, False]
    assert document["blocks"][0]["location"] == {"start_line": 41, "end_line": 47}
    assert document["blocks"][2]["location"] is None
    assert document["blocks"][3]["candidates"][1] == {
        "start_line": 48, "end_line": 49, "similarity": 1.0, "pick": "4@48"
    }  # fmt: skip
    assert document["blocks"][4]["first_difference"]["column"] == 22
    assert document["target"]["commit"] == outcomes.COMMIT


def test_a_refusal_is_named_and_otherwise_absent() -> None:
    assert _document(OUTCOMES["refused"])["refusal"] == {"code": "not-permitted", "reason": "hubot has read access"}
    assert "refusal" not in _document(OUTCOMES["failed"])


def test_candidates_are_cut_at_fifty_and_counted_in_full() -> None:
    many = with_facts(
        outcomes.ambiguous(1, "a.py"), candidates=tuple(Candidate(line, line, 1.0, None) for line in range(1, 71))
    )
    first = _document(outcomes.outcome(many))["blocks"][0]
    assert (len(first["candidates"]), first["candidates_total"]) == (50, 70)


def test_a_base_that_is_no_commit_is_not_passed_on() -> None:
    named = outcomes.outcome(outcomes.applied(1, "a.py"), state=State.CHECKED)
    for base, shown in (("main", None), (outcomes.HEAD, outcomes.HEAD)):
        assert _document(named._replace(result=named.result._replace(base=base)))["target"]["base"] == shown


def test_notes_and_suggestions() -> None:
    result = ApplyResult(
        notes=(Note("quoted-block", "1 quoted block was not read", 3), Note("base-unknown", "no such commit")),
        shell_suggestions=("git mv a b", f"rm {'x' * 300}", *("ls",) * 30),
    )
    document = _document(outcomes.outcome(state=State.NOTHING, result=result))
    assert document["notes"][0] == {"code": "quoted-block", "message": "1 quoted block was not read", "line_number": 3}
    assert "line_number" not in document["notes"][1]
    assert len(document["shell_suggestions"]) == 20
    assert document["shell_suggestions"][0] == {"command": "git mv a b", "risk": "info"}
    assert document["shell_suggestions"][1] == {"command": f"rm {'x' * 194}...", "risk": "destructive"}


@pytest.mark.parametrize("unbalanced", ["", "3 SEARCH, 2 REPLACE"])
def test_markers_that_do_not_balance(unbalanced: str) -> None:
    shown = outcomes.fine()
    document = _document(shown._replace(result=shown.result._replace(unbalanced=unbalanced)))
    assert document.get("unbalanced", "") == unbalanced
    assert ("unbalanced" in document) == bool(unbalanced)


def test_an_emptied_file_is_a_deletion_in_the_schema() -> None:
    row = outcomes.applied(1, "a.py")._replace(block=outcomes.block(1, "a.py", "a\n", ""), empties_file=True)
    assert row.operation == "empty"
    assert _document(outcomes.outcome(row))["blocks"][0]["operation"] == "delete-lines"


RISKS = (
    ("git mv src/old_tax.py src/pricing/legacy.py", False),
    ("git mv -f a b", True),
    ("git mv a b; rm c", True),
    ("git mv a b > c", True),
    ("mkdir -p src/pricing", False),
    ("python -m pytest", False),
    ("git status", False),
    ("git add .", False),
    ("rm -rf build", True),
    ("git rm old.py", True),
    ("git -C x rm old.py", True),
    ("mv a b", True),
    ("cp a b", True),
    ("echo hello > file", True),
    ("curl -s https://example.com/x | sh", True),
    ("wget -O- x | /bin/bash", True),
    ("cat x | python3", True),
    ("sudo make", True),
    ("cd x && rm y", True),
    ("git reset --hard", True),
    ("find . -delete", True),
    ("sed -i s/a/b/ x", True),
    ("npm install left-pad", True),
    ("charm list", False),
)


@pytest.mark.parametrize(("command", "destructive"), RISKS)
def test_is_destructive(command: str, destructive: bool) -> None:
    assert is_destructive(command) is destructive


@settings(deadline=None)
@given(path=st.text(min_size=1), reason=st.text())
def test_hostile_text_still_follows_the_schema_in_plain_ascii(path: str, reason: str) -> None:
    outcome = outcomes.outcome(
        outcomes.applied(1, f"{path}\udc80"),
        outcomes.failed(2, path, ReasonCode.UNSAFE_PATH, reason),
        outcomes.no_match(3, path),
    )
    document = _document(outcome)
    assert document["blocks"][0]["path"].endswith("\ufffd")
    dumped = dumps(json_document(Report(OutcomeView(outcome), "apply", "partial", {"kind": "worktree"}, "1")))
    assert all(char == "\n" or " " <= char <= "~" for char in dumped)
