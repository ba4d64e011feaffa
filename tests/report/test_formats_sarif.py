"""SARIF and reviewdog's lines in detail: places, addresses, limits."""

import os

import pytest
from support import formatkit
from support import report_outcomes as outcomes
from support.formats_read import LOW, MISS, diagnostics, of, results, sarif

from editblocks.core.codes import ReasonCode
from editblocks.faces.cli.documents import TOOLS


def test_the_block_is_a_related_location() -> None:
    related = [place["physicalLocation"] for place in results(of(MISS))[0]["relatedLocations"]]
    assert [(place["artifactLocation"]["uri"], place["region"]) for place in related] == [
        (formatkit.PATH, {"startLine": 14, "endLine": 14}),
    ]


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
