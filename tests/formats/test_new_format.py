"""A new format is one value and one name in the tuple: reading, streaming, notes, hooks and gate follow from it."""

import pytest
from support.needles import of_answers

from editblocks import EditBlock, StreamParser, parse_response
from editblocks.core.blocks import BlockProgress, BlockStarted
from editblocks.faces.hooks.leftovers import hook_needles, leftovers
from editblocks.formats.markers import Marker
from editblocks.formats.search_replace import SEARCH_REPLACE
from editblocks.parsing.parse import FORMATS

PERCENT = SEARCH_REPLACE._replace(
    names=("percent",),
    opener=Marker("%%%%%%% FIND", "LOOK"),
    closer=Marker("^^^^^^^ PUT"),
    words=("FIND", "PUT"),
    name=lambda _: "percent",
    other_closer=None,
)
# All its markers begin with the same sign, and only they themselves are read.
FIXED = SEARCH_REPLACE._replace(
    names=("fixed",),
    opener=Marker("___ OLD", is_fixed=True, near_pattern=r"_{2,5} ?(?i:old)\b"),
    separators=(Marker("___ NEW", is_fixed=True),),
    closer=Marker("___ END", is_fixed=True, near_pattern=r"_{2,5} ?(?i:end)\b"),
    words=("OLD", "END"),
    name=lambda _: "fixed",
    other_closer=None,
)
KNOWN = (*FORMATS, PERCENT)
BLOCK = "%%%%%%% FIND\nx = 1\n=======\nx = 2\n^^^^^^^ PUT\n"
ANSWER = f"a.py\n```python\n{BLOCK}```\n"


def test_it_is_read() -> None:
    [block] = parse_response(ANSWER, KNOWN).blocks
    assert (block.format, block.file_path, block.old_lines, block.new_lines) == (
        "percent",
        "a.py",
        "x = 1\n",
        "x = 2\n",
    )
    assert [block.format for block in parse_response(ANSWER).blocks] == ["whole-file"]


def test_it_is_read_while_it_arrives() -> None:
    parser = StreamParser(KNOWN)
    events = [event for character in ANSWER for event in parser.feed(character)]
    assert parser.close() == parse_response(ANSWER, KNOWN)
    assert [event.section for event in events if isinstance(event, BlockProgress)] == ["search", "replace", "closed"]
    assert [event.format for event in events if isinstance(event, BlockStarted)] == ["percent"]
    assert [event.format for event in parser.closing_events if isinstance(event, EditBlock)] == ["percent"]


@pytest.mark.parametrize("marker", ["%%%%% FIND", "%%%%%%%%% LOOK"])
def test_its_markers_vary_as_those_of_others(marker: str) -> None:
    closer = "^" * marker.count("%") + " PUT"
    divider = "=" * marker.count("%")
    text = f"a.py\n{marker}\nx = 1\n{divider}\nx = 2\n{closer}\n"
    assert [block.format for block in parse_response(text, KNOWN).blocks] == ["percent"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ANSWER.partition("^")[0], "block at line 3 has no `^^^^^^^ PUT` before the end"),
        ("a.py\n%%%%%%% FIND\nx\n^^^^^^^ PUT\n", "no `=======` between lines 2 and 4"),
        ("^^^^^^^ PUT\n", "line 1 closes no block; the opener must be `%%%%%%% FIND`"),
        (f"a.py\n<<<<<<< SEARCH\nx\n=======\n{BLOCK[:13]}y\n>>>>>>> REPLACE\n", "looks like the beginning of another"),
        ("a.py\n___ OLD\nx\n___ NEW\ny\n", "has no `___ END` before the end (line 5); probably cut off"),
        ("a.py\n___ OLD\nx\n___ NEW\ny\n__ end\n", "line 6 is `__ end`; write `___ END` there"),
        (
            "a.py\n___ OLD\nx\n" + 17 * "___ NEW\n" + "___ END\n",
            "its divider; send each change as a block of its own",
        ),
    ],
)
def test_what_is_not_whole_is_refused(text: str, reason: str) -> None:
    [problem] = parse_response(text, (*KNOWN, FIXED)).problems
    assert reason in problem.message


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("%%% find", "line 1 is not a marker; write `%%%%%%% FIND`"),
        ("^^^^^ put it", "line 1 closes nothing; a closer is `^^^^^^^ PUT`, alone on its line"),
        (
            "assistant: %%%%%%% FIND",
            "line 1 is not a marker, because `assistant:` comes before it; paste the lines without that",
        ),
        ("> %%%%%%% FIND", "1 quoted block was not read; to use them, paste them without `> `"),
    ],
)
def test_lines_that_resemble_it_are_noted(line: str, note: str) -> None:
    assert [each.message for each in parse_response(f"{line}\nx\n", KNOWN).notes] == [note]


def test_hooks_and_workflows_look_for_it() -> None:
    assert leftovers(f"x\n{BLOCK}", KNOWN) == ((2, 4, 6),)
    assert set(hook_needles(KNOWN)) - set(hook_needles(FORMATS)) == {"%%%%% FIND", "%%%%% LOOK"}
    assert set(of_answers(KNOWN)) - set(of_answers(FORMATS)) == {"%%%%%", "^^^^^"}
