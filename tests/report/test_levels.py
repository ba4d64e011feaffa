"""What `-v` says of the levels that were asked for a block: true for every way in which a search ends."""

from typing import NamedTuple

import pytest
from support.applykit import block
from support.golden import all_cases
from support.planned import planned

from editblocks import Settings
from editblocks.core.codes import State
from editblocks.core.model import ApplyResult
from editblocks.core.outcome import Outcome, Response
from editblocks.core.selection import Selection
from editblocks.matching.ladder import LOOSE_LEVELS, STRATEGIES
from editblocks.report.console import levels
from editblocks.report.view import OutcomeView

BASE = "4be1d02c3a9f7e5d8b6a4c2e0f1d3b5a7c9e8f60"
LOOSE = Settings(matching="loose")
BOTH = "exact none, trailing-space none, indentation"
FUNCTION = "def total(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(items)\n"


class Case(NamedTuple):
    """A block for a.py, what it holds, and the levels that are named."""

    text: str
    file: str | None
    said: str
    settings: Settings = Settings()
    base: str | None = None


def anchored(old: str) -> str:
    return f"a.py\n<<<<<<< EDIT\n-------\n{old}=======\ny\n-------\n>>>>>>>\n"


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def {}():\n-    x\n+    y\n*** End Patch\n"
CASES = {
    "exact": Case(block("a.py"), "x\n", "exact 1 place"),
    "two places": Case(block("a.py"), "x\nx\n", "exact 2 places"),
    "by blanks": Case(block("a.py"), "x \n", "exact none, trailing-space 1 place"),
    "two by a shift": Case(block("a.py"), " x\n\n x\n", f"{BOTH} 2 places"),
    "by a shift": Case(block("a.py"), "  x\n", f"{BOTH} 1 place"),
    "nowhere": Case(block("a.py"), "z\n", f"{BOTH} none"),
    "exact alone": Case(block("a.py"), " x\n", "exact none", Settings(matching="exact")),
    "anchored": Case(anchored("x\n"), " x\n", "exact none", LOOSE),
    "loose, nowhere": Case(block("a.py"), "z\n", f"{BOTH} none, elided none, syntax none, fuzzy none", LOOSE),
    "elided": Case(
        block("a.py", "def total(items):\n...\n    return len(items)\n", "def total(all):\n...\n    return len(all)\n"),
        FUNCTION.replace("\n\n\ndef count(items):", "\n    print(items)"),
        f"{BOTH} none, elided 1 place",
        LOOSE,
    ),
    "merged": Case(
        block("a.py", "x\n1\n2\n", "y\n1\n2\n"), "x\n1\n3\n", f"{BOTH} none, three-way 1 place", base="x\n1\n2\n"
    ),
    "stale": Case(block("a.py"), "z\n", f"{BOTH} none, three-way a conflict", base="x\n"),
    "not in the base": Case(block("a.py"), "z\n", f"{BOTH} none, three-way none", base="w\n"),
    "no merging": Case(block("a.py"), "z\n", f"{BOTH} none", Settings(three_way=False), base="x\n"),
    "deleted by tolerance": Case(block("a.py", "x\n", ""), " x\n", f"{BOTH} 1 place"),
    "in its scope": Case(PATCH.format("f"), "def f():\n    x\n", "exact 1 place"),
    "outside of its scope": Case(PATCH.format("g"), "def f():\n    x\ndef g():\n    z\n", "exact 1 place"),
    "a new file": Case(block("a.py", ""), None, ""),
    "a file that is there": Case(block("a.py", ""), "x\n", ""),
    "no such file": Case(block("a.py"), None, ""),
    "there already": Case(block("a.py", "x\n", "x\ny\n"), "x\ny\n", ""),
    "a protected file": Case(block(".git/config"), "x\n", ""),
}


def said(result: ApplyResult, settings: Settings) -> str:
    return levels(OutcomeView(Outcome(Response(""), result, State.CHECKED, None)), settings)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_levels(case: Case) -> None:
    base = None if case.base is None else {"a.py": case.base.encode()}.get
    read = {} if case.file is None else {"a.py": case.file.encode()}
    text = case.text if case.base is None else f"base: {BASE}\n\n{case.text}"
    result = planned(text, read.get, case.settings, read_base=lambda _: base)
    assert said(result, case.settings) == (f"block 1 by matching level: {case.said}\n" if case.said else "")


def test_a_place_that_a_person_chose_says_nothing_of_levels() -> None:
    result = planned(block("a.py"), {"a.py": b"x\nx\n"}.get, select=Selection.read("1@2"))
    assert (result.ok, said(result, Settings())) == (True, "")


def test_of_a_base_that_is_unknown_no_merge_was_asked() -> None:
    result = planned(f"base: {BASE}\n\n{block('a.py')}", {"a.py": b"z\n"}.get, read_base=lambda _: None)
    assert said(result, Settings()) == f"block 1 by matching level: {BOTH} none\n"


@pytest.mark.parametrize("matching", ["exact", "standard", "loose"])
def test_of_every_page_the_last_level_is_the_one_that_is_reported(matching: str) -> None:
    """All levels but the last found nothing, none is named twice, and a row that was applied names its own."""
    order = [*(each.name for each in STRATEGIES), "three-way", *LOOSE_LEVELS]
    for case in all_cases("matching"):
        settings = case.settings._replace(matching=matching)
        result = planned(case.response, case.before.get, settings)
        for line in said(result, settings).splitlines():
            number, asked = line.removeprefix("block ").split(" by matching level: ")
            names = [each.split(" ")[0] for each in asked.split(", ")]
            assert names == sorted(set(names), key=order.index)
            assert all(each.endswith(" none") for each in asked.split(", ")[:-1])
            row = next(row for row in result.results if row.block.number == int(number))
            if row.strategy is not None:
                assert f"{names[-1]} 1 place" == f"{row.strategy} 1 place" == asked.split(", ")[-1]
