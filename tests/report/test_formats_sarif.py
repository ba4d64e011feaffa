"""SARIF and reviewdog's lines in detail: places, columns, addresses, fingerprints, limits."""

from __future__ import annotations

import os

import pytest
from support import formatkit
from support import report_outcomes as outcomes
from support.formats_read import LOW, MISS, diagnostics, of, results, sarif
from support.report_outcomes import with_facts

from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Difference
from editblocks.faces.cli.documents import TOOLS


def test_the_response_and_the_first_difference_are_related_locations() -> None:
    related = [place["physicalLocation"] for place in results(of(MISS))[0]["relatedLocations"]]
    assert [(place["artifactLocation"]["uri"], place["region"]) for place in related] == [
        (formatkit.PATH, {"startLine": 14, "endLine": 14}),
        ("a.py", {"startLine": 33, "startColumn": 22}),
    ]


# the file's line, the column in code points → columns of SARIF (16-bit units) and of reviewdog (bytes); None: no place
COLUMNS: tuple[tuple[str | None, int, int | None, int | None], ...] = (
    ("abc", 1, 1, 1),
    ("abc", 4, 4, 4),
    ("éa", 2, 2, 3),
    ("𐐀b", 2, 3, 5),
    ("a𐐀b", 3, 4, 6),
    ("\udc80b", 2, 2, 4),
    ("x" * 200, 201, 201, 201),
    ("x" * 200, 300, None, None),
    (None, 1, None, None),
)


@pytest.mark.parametrize(("line", "column", "units", "octets"), COLUMNS)
def test_columns_are_those_of_the_format(line: str | None, column: int, units: int | None, octets: int | None) -> None:
    shown = of(with_facts(MISS, first_difference=Difference(33, column, "y", line)))
    regions = [place["physicalLocation"]["region"] for place in results(shown)[0]["relatedLocations"]]
    assert [region.get("startColumn") for region in regions if region["startLine"] == 33] == (
        [] if line is None else [units]
    )
    start = diagnostics(shown)[0]["location"]["range"]["start"]
    assert start.get("column") == octets


def test_the_other_places_that_fit_are_related_locations() -> None:
    shown = of(outcomes.ambiguous(1, "a.py", tuple(range(10, 400, 10))))
    related = [place["physicalLocation"]["region"]["startLine"] for place in results(shown)[0]["relatedLocations"]]
    assert related == [14, *range(20, 101, 10)]


URIS = (
    ("a b.py", "a%20b.py"),
    ("é.py", "%C3%A9.py"),
    ("a%20b.py", "a%2520b.py"),
    ("c:d.py", "c%3Ad.py"),
    ("x?y#z.py", "x%3Fy%23z.py"),
    ("a/+b.py", "a/%2Bb.py"),
    (os.fsdecode(b"\xff\xfe.py"), "%FF%FE.py"),
)


@pytest.mark.parametrize(("path", "uri"), URIS)
def test_a_path_is_a_relative_address(path: str, uri: str) -> None:
    [result] = results(of(outcomes.no_match(1, path)))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


def test_a_name_that_json_cannot_hold_is_in_the_message_alone() -> None:
    """reviewdog compares names: one with other characters in it would be that of another file."""
    name = os.fsdecode(b".edits/\xff.md")
    shown = of(outcomes.failed(1, "a.py", ReasonCode.FILE_NOT_FOUND, "x"), path=name)
    stopped = formatkit.of(outcomes.refused(ReasonCode.DIRTY_FILE, "x"), path=name)
    for found in (*diagnostics(shown), diagnostics(stopped)[-1]):
        assert "location" not in found
        assert ".edits/\\udcff.md" in found["message"]
    aimed = of(outcomes.no_match(1, os.fsdecode(b"\xff.py")))
    [found] = diagnostics(aimed)
    assert "location" not in found
    assert (TOOLS["rdjsonl"]([shown]) + TOOLS["sarif"]([shown, aimed])).isascii()


MESSAGES = (
    ("use {0} and [it](1)", "use {{0}} and [it\\](1)"),
    ("a\nb \u202e", "a\\nb \\u202e"),
    ("50 % of ::error::", "50 % of ::error::"),
    ("x" * 5000, f"{'x' * 490}…{'x' * 500}"),
)


@pytest.mark.parametrize(("reason", "text"), MESSAGES)
def test_a_message_holds_no_placeholder_and_no_link(reason: str, text: str) -> None:
    [result] = results(of(outcomes.failed(1, "a.py", ReasonCode.NO_MATCH, reason)))
    assert result["message"] == {"text": f"block 1: {text}"}


def test_a_fingerprint_stays_when_lines_move() -> None:
    moved = f"Some words.\n\n{formatkit.EXAMPLE}"
    files = {path: b"\n\n" + data for path, data in formatkit.EXAMPLE_FILES.items()}
    shown = (formatkit.example(), formatkit.report(moved, files))
    prints = [[result["partialFingerprints"] for result in results(each)] for each in shown]
    assert (prints[0], len(prints[0])) == (prints[1], 3)


def test_a_fingerprint_is_of_one_block() -> None:
    twice = [outcomes.no_match(number, "a.py") for number in (1, 2)]
    cut = [outcomes.problem(number)._replace(line_number=number, end_line=number) for number in (3, 4)]
    made = outcomes.outcome(*twice, *cut, outcomes.no_match(5, "b.py"), text="a\nb\nc\nd\n")
    prints = [result["partialFingerprints"]["editBlock/v1"] for result in results(formatkit.of(made))]
    assert (len(set(prints)), len({each[:32] for each in prints})) == (5, 4)


@pytest.mark.long
def test_five_thousand_results_at_most_and_errors_first() -> None:
    lows = [LOW._replace(block=outcomes.block(number, "a.py")) for number in range(1, 101)]
    shown = of(*lows, *(outcomes.failed(n, "a.py", ReasonCode.FILE_NOT_FOUND, "x") for n in range(101, 5051)))
    run = sarif(shown)
    assert [result["level"] for result in run["results"]] == ["error"] * 4950 + ["warning"] * 50
    [told] = run["invocations"][0]["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == (
        "warning",
        "50 more results left out; the formats text and jsonl have them all",
    )
