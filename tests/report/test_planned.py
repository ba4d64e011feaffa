"""A block that fails on text that the blocks above it would leave: no report may say that it is in the file.

`told` are the words of the row. A place has lines of the file only if each of its lines is in the file: else its
lines are those of the text that is shown, which no tool can mark.
"""

import json

import pytest
from support import formatkit
from support.formatkit import block
from support.formats_read import commands, diagnostics, errors, results
from support.json_outcomes import VALIDATOR

from editblocks.core.model import EditResult
from editblocks.faces.cli.documents import TOOLS
from editblocks.report import console, short
from editblocks.report.json import Report
from editblocks.report.status.links import Page
from editblocks.report.status.markdown import status
from editblocks.report.status.replies import inline_comments
from editblocks.text.source_text import SourceText

TOTAL = "    def total(self):\n        return sum(self.items)\n"
CART = f'class Cart:\n    """Its items."""\n\n{TOTAL}\n    def count(self):\n        return len( self.items)\n'
TOP = block("cart.py", "class Cart:\n", "import decimal\n\n\nclass Cart:\n")
SUM = block("cart.py", TOTAL, TOTAL.replace("sum(self.items)", "decimal.Decimal(sum(self.prices))"))
SUM_AGAIN = block("cart.py", TOTAL, TOTAL.replace("sum", "max"))
COUNT = block("cart.py", "        return len(self.items)\n", "        return 3\n")
TWO = block("cart.py", "class Cart:\n", "def a():\n    close()\n\n\ndef b():\n    close()\n\n\nclass Cart:\n")
CLOSE = block("cart.py", "    close()\n", "    shut()\n")
GONE = block("cart.py", '    """Its items."""\n\n', "")
WRITTEN = (
    "no-match: line 2 of the block differs from line 8 of cart.py after blocks 1-2, at column 16; "
    "the closest text is lines 7-8, 79 % alike"
)
CASES = {
    "a line that an earlier block wrote": (TOP + SUM + SUM_AGAIN, CART, WRITTEN),
    "a line of the file, where lines above it came": (
        TOP + COUNT,
        CART,
        "no-match: line 1 of the block differs from cart.py:8 at column 20; "
        "the closest text is line 8, 98 % alike; SEARCH "
        "differs only in white space: nothing where the file has a space",
    ),
    "two places that an earlier block wrote": (
        TWO + CLOSE,
        CART,
        "ambiguous: matches at lines 2 and 6 of cart.py after block 1; add a line above or below",
    ),
    "two places, one of which is in the file": (
        block("cart.py", "class Cart:\n", "def a():\n    close()\n\n\nclass Cart:\n") + CLOSE,
        f"{CART}\n\n    close()\n",
        "ambiguous: matches at line 11 of cart.py, and at line 2 after block 1; add a line above or below",
    ),
    "a text that an earlier block took out": (
        GONE + GONE,
        CART,
        "no-match: its old lines are not in cart.py after block 1, and nothing close to them was found; "
        "copy the current lines",
    ),
    "an end that is another one then": (
        TOP + block("cart.py", "        return len( self.items)\n}\n", "y = 1\n"),
        CART,
        "no-match: line 2 of the block differs from cart.py after block 1, which ends before line 12; "
        "the closest text is line 11, 96 % alike",
    ),
    "a file that an earlier block makes, too": (
        block("new.py", "", "x = 1\ny = 2\n") + block("new.py", "", "z = 3\n"),
        CART,
        "file-exists: new.py after block 1 already has 2 lines; send blocks that edit it",
    ),
    "a file that an earlier block makes": (
        block("new.py", "", "x = 1\ny = 2\n") + block("new.py", "x = 1\ny = 3\n", "z = 3\n"),
        CART,
        "no-match: line 2 of the block differs from line 2 of new.py after block 1, at column 5; "
        "the closest text is lines 1-2, 90 % alike",
    ),
}


def shown(text: str, cart: str = CART) -> Report:
    return formatkit.report(text, {"cart.py": cart.encode()}, path=None)


def last(report: Report) -> EditResult:
    return report.view.result.results[-1]


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_says_which_text_was_searched(name: str) -> None:
    text, cart, told = CASES[name]
    result = last(shown(text, cart))
    assert f"{result.code.value if result.code else ''}: {result.reason}" == told


@pytest.mark.parametrize("name", CASES)
def test_a_line_that_a_tool_is_told_is_one_of_the_file(name: str) -> None:
    text, cart, _ = CASES[name]
    report = shown(text, cart)
    lines = cart.split("\n")
    places = [place["physicalLocation"] for found in results(report) for place in found["locations"]]
    places += [place["physicalLocation"] for found in results(report) for place in found.get("relatedLocations", ())]
    numbers = [place["region"]["startLine"] for place in places if "region" in place]
    numbers += [found["location"]["range"]["start"]["line"] for found in diagnostics(report) if _has_line(found)]
    difference = last(report).first_difference
    for number in numbers:
        assert difference is None or lines[number - 1] == difference.actual
    is_of_the_file = any(not place.after for place in last(report).candidates)
    assert bool(numbers) is is_of_the_file
    assert any("line=" in command for command in commands(report)) is is_of_the_file
    hunks = {path: [range(1, 100)] for path in ("cart.py", "new.py")}
    assert bool(inline_comments(report.view, hunks, prefix="/")) is is_of_the_file


def _has_line(found: dict[str, object]) -> bool:
    return "range" in json.dumps(found)


@pytest.mark.parametrize("name", CASES)
def test_the_json_result_says_which_blocks_come_first(name: str) -> None:
    text, cart, _ = CASES[name]
    document = json.loads(TOOLS["json"]([shown(text, cart)]))
    assert errors(VALIDATOR, document) == []
    found, result = document["blocks"][-1], last(shown(text, cart))
    assert [place.get("after", []) for place in found["candidates"]] == [list(each.after) for each in result.candidates]
    assert all(place["pick"] is None for place in found["candidates"] if "after" in place)
    if result.first_difference is not None:
        assert found["first_difference"].get("after", []) == list(result.first_difference.after)


def test_the_lines_are_shown_as_those_of_the_text_that_is_planned() -> None:
    report = shown(TOP + SUM + SUM_AGAIN)
    long = console.report(report.view)
    assert (
        f"3  {WRITTEN}\n"
        "     - SEARCH                    return sum(self.items)\n"
        "     + after blocks 1-2          return decimal.Decimal(sum(self.prices))\n"
        "                                        ^ line 8, column 16\n"
    ) in long
    assert f"cart.py: failed: {WRITTEN} (stdin:19)\n" in short.short_rows(report.view)
    page = status(report.view, Page("1"))
    assert "+ after blocks 1-2          return decimal.Decimal(sum(self.prices))\n" in page
    assert "| 3 | `cart.py` | ❌ failed | no-match: the closest text is 79 % alike |" in page


def test_a_status_names_places_of_the_planned_text_in_words() -> None:
    told = "ambiguous: matches at lines 2 and 6 of `cart.py` after block 1; add a line above or below"
    assert f"| 2 | `cart.py` | ❌ failed | {told} |" in status(shown(TWO + CLOSE).view, Page("1"))


def test_a_block_that_an_earlier_one_makes_needless_is_not_said_to_be_in_the_file() -> None:
    """The row has no line, as the file has none."""
    result = last(shown(TOP + TOP))
    assert (result.code and result.code.value, result.estimated_line) == ("already-applied", None)
    assert result.reason == "the new lines are already at line 1 of cart.py after block 1; nothing to do"


def test_a_block_that_lands_in_what_an_earlier_one_wrote_has_no_line() -> None:
    report = shown(TOP + block("cart.py", "import decimal\n", "import math\n"))
    assert [row.estimated_line for row in report.view.result.results] == [1, None]
    assert "\ncart.py: ready: exact (stdin:" in short.short_rows(report.view)


def test_a_place_past_the_end_is_one_of_the_text_as_it_is_now() -> None:
    text = SourceText.of("a\n")
    text.splice(1, 1, ["b"])
    assert (text.required_blocks(5, 9), text.number(5)) == ((), 6)
    text.applied.append(1)
    assert (text.required_blocks(0, 1), text.number(0)) == ((), 1)
    assert (text.required_blocks(1, 1), text.number(1)) == ((1,), None)
    assert (text.required_blocks(5, 9), text.number(5)) == ((1,), None)
