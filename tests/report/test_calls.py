"""Rows of tool calls in every report: a part of a line, a file, lines at a number, and what is asked for instead."""

import json

import pytest
from support import file_blocks
from support import report_outcomes as outcomes
from support.formatkit import of
from support.formats_read import errors
from support.json_outcomes import VALIDATOR

from editblocks.applying.engine import apply_parsed
from editblocks.core.blocks import ParseResult
from editblocks.core.outcome import Outcome
from editblocks.faces.cli.documents import TOOLS
from editblocks.formats.call_reader import read_json
from editblocks.formats.calls import Where
from editblocks.report import console, short
from editblocks.repos.stores.memory import MemoryRepo

SHOP = {
    "cart.py": b"import json\n\nRATE = 19\n\n\ndef total(price, qty):\n    return price * qty  # net\n",
    "view.py": b"def show():\n    pass\n",
}
CALLS = (
    {"file_path": "cart.py", "old_string": "price * qty  #", "new_string": "price * qty * RATE  #"},
    {"file_path": "cart.py", "old_string": "  # net", "new_string": ""},
    {"path": "rates.py", "content": "LOW = 7\n"},
    {"command": "insert", "path": "cart.py", "insert_line": 0, "insert_text": "import os\n"},
    {"file_path": "cart.py", "old_string": "RATE = 91", "new_string": "RATE = 21"},
    {"command": "insert", "path": "view.py", "insert_line": 1, "insert_text": "    print()\n"},
    {"file_path": "view.py", "old_string": "s", "new_string": "t"},
)


def planned() -> Outcome:
    """What becomes of the calls."""
    text = "\n".join(map(json.dumps, CALLS))
    rows = read_json(text, Where(1, len(CALLS), lambda _text, _line: ParseResult())).rows
    result = apply_parsed(file_blocks.parsed(*rows), MemoryRepo(SHOP))
    return outcomes.outcome(*result.rows, result=result, source=outcomes.STDIN, files=SHOP)


SHORT = (
    "cart.py:7: ready: exact (stdin:1)",
    "cart.py: ready: exact (stdin:2)",
    "rates.py: ready: new file (stdin:3)",
    "cart.py:1: ready: exact, insertion (stdin:4)",
    "cart.py:3: failed: no-match: line 1 of the block differs from cart.py:3 at column 8; "
    "the closest text is line 3, 89 % alike (stdin:5)",
    "view.py: failed: no-version: the version that line 1 refers to is not known; "
    "add base: COMMIT, or ask for str_replace (stdin:6)",
    "view.py:1: skipped: earlier-failure: without block 6: ambiguous: the old text occurs 3 times in view.py, "
    "first in lines 1 and 2; add text before or after it (stdin:7)",
)


def test_a_line_for_each() -> None:
    assert short.short_rows(of(planned()).view).splitlines() == list(SHORT)


def test_the_old_text_and_the_file_stand_above_each_other() -> None:
    assert "     - old text  RATE = 91\n     + file      RATE = 19\n" in console.report(of(planned()).view)


def test_previews_show_both_texts() -> None:
    document = json.loads(TOOLS["json"]([of(planned())]))
    assert errors(VALIDATOR, document) == []
    shown = [(each["operation"], each["old_preview"], each["new_preview"]) for each in document["blocks"]]
    assert shown == [
        ("modify", "price * qty  #", "price * qty * RATE  #"),
        ("modify", "  # net", ""),
        ("replace-file", "", "LOW = 7"),
        ("insert", "", "import os"),
        ("modify", "RATE = 91", "RATE = 21"),
        ("insert", "", "    print()"),
        ("modify", "s", "t"),
    ]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_no_report_speaks_of_search(name: str) -> None:
    shown = TOOLS[name]([of(planned())])
    assert "no-version" in shown
    assert "SEARCH" not in shown
