"""Formats for other tools: golden texts, what is a finding, how much is shown."""

import json

import pytest
from support import formatkit
from support import report_outcomes as outcomes
from support.formats_golden import FOLDER, FORMS, reports
from support.formats_read import LOW, MISS, Json, commands, diagnostics, errors, of, results, sarif
from support.json_outcomes import OUTCOMES, VALIDATOR

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Outcome, Refusal, Response, Source
from editblocks.faces.cli.documents import TOOLS
from editblocks.report.json import Report


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.long(after=2)
def test_the_text_is_its_golden_file(name: str) -> None:
    assert FORMS[name]() == (FOLDER / name).read_bytes().decode()


def test_there_is_no_other_golden_file() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(FORMS)


@pytest.mark.parametrize("run", reports())
@pytest.mark.long
def test_every_format_of_a_run_is_valid_and_the_same_each_time(run: str) -> None:
    shown = reports()[run]
    sarif(*shown)
    diagnostics(*shown)
    for line in TOOLS["jsonl"](shown).splitlines():
        assert errors(VALIDATOR, json.loads(line)) == []
    for name in sorted(set(TOOLS) - {"json"}):
        assert TOOLS[name](shown) == TOOLS[name](reports()[run])


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_form_of_outcome(name: str) -> None:
    for path in (None, formatkit.PATH):
        shown = formatkit.of(OUTCOMES[name], path=path)
        assert json.loads(TOOLS["json"]([shown])) == json.loads(TOOLS["jsonl"]([shown]))
        assert len(results(shown)) == len(diagnostics(shown))
        assert TOOLS["markdown"]([shown]).startswith("### ")


def test_no_response_is_no_line() -> None:
    assert {name: TOOLS[name](()) for name in ("jsonl", "github", "rdjsonl", "markdown")} == {
        "jsonl": "",
        "github": "",
        "rdjsonl": "",
        "markdown": "",
    }
    assert (results(), sarif()["invocations"]) == ([], [{"executionSuccessful": True, "exitCode": 0}])


# what is a finding


FOUND: list[tuple[str, Report, list[str]]] = [
    ("ready", of(outcomes.applied(1, "a.py")), []),
    ("medium", of(outcomes.applied(1, "a.py", "three-way", "medium")), []),
    ("low", of(LOW), ["warning low-confidence a.py:41-47"]),
    ("low, and written", of(LOW, state=State.APPLIED, written=True), ["warning low-confidence .edits/cart.md:14-14"]),
    ("there already", of(outcomes.skipped(1, "a.py", ReasonCode.ALREADY_APPLIED, "x", 3)), []),
    ("nothing to do", of(outcomes.skipped(1, "a.py", ReasonCode.NO_OP, "x")), []),
    ("not chosen", of(outcomes.skipped(1, "a.py", ReasonCode.NOT_SELECTED, "x")), []),
    ("not chosen, and unreadable", of(outcomes.problem(1), not_selected=frozenset({1})), []),
    ("behind a failure", of(outcomes.skipped(1, "a.py", ReasonCode.EARLIER_FAILURE, "x")), [
        "warning earlier-failure .edits/cart.md:14-14"]),
    ("close", of(MISS), ["error no-match a.py:30-36"]),
    ("close, of stdin", of(MISS, path=None), ["error no-match a.py:30-36"]),
    ("no such file", of(outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "x")), [
        "error file-not-found .edits/cart.md:14-14"]),
    ("no such file, of stdin", of(outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "x"), path=None), [
        "error file-not-found a.py"]),
    ("no path, of stdin", of(outcomes.problem(1), path=None), ["error unclosed"]),
    ("an unsafe path, of stdin", of(outcomes.failed(1, "../x", ReasonCode.UNSAFE_PATH, "x"), path=None), [
        "error unsafe-path"]),
    ("no block", formatkit.report("prose\n", {}), ["error no-blocks .edits/cart.md:1-1"]),
    ("no block, of stdin", formatkit.report("prose\n", {}, path=None), ["error no-blocks"]),
    ("refused before it was read", formatkit.of(outcomes.outcome(refusal=Refusal(ReasonCode.FORK, "x"))),
     ["error fork .edits/cart.md:1-1"]),
]  # fmt: skip


GONE = outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "x")
FORK = Refusal(ReasonCode.FORK, "x")
STDIN = Response("x", Source("stdin", "stdin"))


def _place(result: Json) -> str:
    places = [place["physicalLocation"] for place in result["locations"]]
    where = [
        place["artifactLocation"]["uri"]
        + (f":{place['region']['startLine']}-{place['region']['endLine']}" if "region" in place else "")
        for place in places
    ]
    return " ".join([result["level"], result["ruleId"], *where])


@pytest.mark.parametrize(("claim", "shown", "expected"), FOUND, ids=[row[0] for row in FOUND])
def test_findings(claim: str, shown: Report, expected: list[str]) -> None:
    assert [_place(result) for result in results(shown)] == expected, claim
    said = [f"{each['severity'].lower()} {each['code']['value']}" for each in diagnostics(shown)]
    assert said == [" ".join(each.split(" ")[:2]) for each in expected]
    levels = {command.partition(" ")[0].removeprefix("::") for command in commands(shown)}
    assert levels == {each.partition(" ")[0] for each in expected}


EXITS = (
    (outcomes.fine(), 0),
    (outcomes.mockup(), 1),
    (outcomes.outcome(state=State.NOTHING), 1),
    (outcomes.refused(ReasonCode.DIRTY_FILE, "x"), 2),
)


@pytest.mark.parametrize(("outcome", "code"), EXITS)
def test_the_exit_code_is_that_of_the_run(outcome: Outcome, code: int) -> None:
    [invocation] = sarif(formatkit.of(outcome))["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (code, code < 2)
    [worst] = sarif(formatkit.of(outcomes.fine()), formatkit.of(outcome))["invocations"]
    assert worst["exitCode"] == code


# rdjsonl

SAID = (
    ("@octocat, see #1", "`@octocat`, see `#1`"),
    ("![x](http://x)", "`![x](http://x`)"),
    ("plain words", "plain words"),
)


@pytest.mark.parametrize(("reason", "text"), SAID)
def test_a_message_calls_nobody(reason: str, text: str) -> None:
    [found] = diagnostics(of(outcomes.failed(1, "a.py", ReasonCode.NO_MATCH, reason), path=None))
    assert found["message"] == f"no-match: block 1: {text} (`.edits/cart.md:14`)"


# github


def test_ten_of_a_kind_and_then_a_count() -> None:
    rows = [outcomes.failed(number, "a.py", ReasonCode.BINARY, "x") for number in range(1, 31)]
    shown = commands(of(*rows, *(LOW._replace(block=outcomes.block(n, "a.py")) for n in range(31, 61))))
    assert [line.partition(" ")[0] for line in shown] == ["::error"] * 10 + ["::warning"] * 10
    assert shown[9] == "::error title=editblocks::21 more errors; the text form has them all"
    assert shown[19] == "::warning title=editblocks::21 more warnings; the text form has them all"


NOTED = outcomes.applied(1, "a.py")._replace(notes=(Note("placeholder", "write it\nout"),))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (formatkit.PATH, "::warning file=.edits/cart.md,line=14,endLine=14,title=placeholder::block 1: write it\\nout"),
        (None, "::warning title=placeholder::block 1: write it\\nout (.edits/cart.md:14)"),
    ],
)
def test_notes_are_warnings(path: str | None, expected: str) -> None:
    assert commands(of(NOTED, path=path)) == [expected]


def test_a_response_outside_of_the_repository_is_no_file_to_mark() -> None:
    shown = commands(of(outcomes.problem(1), MISS._replace(block=outcomes.block(2, "a.py")), path=None))
    assert [line.partition("::")[2].partition("::")[0] for line in shown] == [
        "error title=unclosed",
        "error file=a.py,line=30,endLine=36,title=no-match",
    ]


OUTSIDE = (
    ("a block", formatkit.of(outcomes.outcome(MISS)._replace(response=STDIN), path=None), "stdin:14"),
    ("a block that is ready", formatkit.of(outcomes.outcome(LOW)._replace(response=STDIN), path=None), "stdin:14"),
    ("no file to mark", formatkit.of(outcomes.outcome(GONE)._replace(response=STDIN), path=None), "stdin:14"),
    ("no block", formatkit.report("prose\n", {}, path=None), "stdin"),
    ("all of it", formatkit.of(outcomes.outcome(refusal=FORK)._replace(response=STDIN), path=None), "stdin"),
)


@pytest.mark.parametrize(("what", "shown", "where"), OUTSIDE, ids=[row[0] for row in OUTSIDE])
def test_a_response_outside_of_the_repository_is_named(what: str, shown: Report, where: str) -> None:
    [command], [diagnostic], run = commands(shown), diagnostics(shown), sarif(shown)
    for message in (command, diagnostic["message"], run["results"][0]["message"]["text"]):
        assert where in message, what


# markdown

NEXT: tuple[tuple[Outcome, list[str], str], ...] = (
    (outcomes.fine(), ["editblocks apply a.md"], "`editblocks apply a.md`."),
    (outcomes.nothing_left(), [], ""),
    (outcomes.outcome(outcomes.ambiguous(1, "a.py")), ["editblocks retry -"],
     "`editblocks retry -`."),
    (outcomes.mockup(), ["editblocks apply - --only 1-3", "editblocks retry -"],
     "`editblocks apply - --only 1-3` or `editblocks retry -`."),
    (outcomes.mockup()._replace(not_selected=frozenset({4})), ["editblocks retry -"],
     "`editblocks retry -`."),
    (outcomes.fine(), ["editblocks apply 'a`b.md'"], "``editblocks apply 'a`b.md'``."),
)  # fmt: skip


@pytest.mark.parametrize(("outcome", "following", "words"), NEXT)
def test_what_a_person_types_next(outcome: Outcome, following: list[str], words: str) -> None:
    text = TOOLS["markdown"]([formatkit.of(outcome)._replace(following=following)])
    assert (f"**Next:** {words}\n" in text, "**Next:**" in text) == (bool(words), bool(words))


@pytest.mark.long
def test_several_statuses_fit_into_one_comment() -> None:
    rows = [outcomes.no_match(number, f"{'x' * 80}/{number}.py") for number in range(1, 301)]
    shown = formatkit.of(outcomes.outcome(*rows))
    for count in (1, 3):
        text = TOOLS["markdown"]([shown] * count)
        assert text.count("### ") == count
        assert len(text) < 60_000
        assert "<!--" not in text
