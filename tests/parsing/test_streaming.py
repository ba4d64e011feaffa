"""What `StreamParser.feed` tells, chunk by chunk: docs/reference/rules.md, "streaming"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import golden
from support.responses import block

from editblocks import EditBlock, ParseResult, Problem, parse_response
from editblocks.core.blocks import BlockProgress, BlockStarted, DraftsLeftOut, Event
from editblocks.parsing.parse import StreamParser

CASES = golden.all_cases()
V2 = "a.py\n<<<<<<< EDIT\nlead\n-------\nold\n=======\nnew\n-------\ntrail\n>>>>>>>\n"
CLINE = "a.py\n------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n"
V3 = "a.py\n««« EDIT\nlead\nold\n═══════ REPL\nlead\nnew\n»»» EDIT END\n"
NEW = "a.py\n<<<<<<< NEW_FILE\none\ntwo\n>>>>>>> NEW_FILE\n"
ROO = block(":start_line:1\n-------\nx\n", "\\=======\n")
BOLT = '<boltAction type="file" filePath="a.py">\none\n</boltAction>\n'


def fed(chunks: list[str]) -> tuple[list[list[Event]], ParseResult]:
    """What each chunk told, the last entry being what `close` told, and the result."""
    parser = StreamParser()
    told = [parser.feed(chunk) for chunk in chunks]
    result = parser.close()
    return [*told, list(parser.closing_events)], result


def shown(event: Event) -> str:
    match event:
        case BlockStarted():
            return f"start {event.number} {event.format} {event.path}:{event.line_number}"
        case BlockProgress():
            return " ".join(("on", str(event.number), event.section, *event.lines))
        case EditBlock():
            return f"done {event.number}"
        case DraftsLeftOut():
            return f"drafts:{event.line_number}"
        case Problem():
            return f"broken {event.number} {event.code.value}"


STORIES = {
    "a block at once": (
        [block("x\n", "y\n")],
        [["start 1 diff a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"], ["done 1"]],
    ),
    "a block line by line": (
        block("x\nz\n", "y\n").splitlines(keepends=True),
        [
            [],
            ["start 1 diff a.py:2"],
            ["on 1 search x"],
            ["on 1 search z"],
            [],
            ["on 1 replace y"],
            ["on 1 closed"],
            ["done 1"],
        ],
    ),
    "half lines tell nothing yet": (
        ["a.py\n<<<<<<< SEA", "RCH\nx", "\n=======\ny\n", ">>>>>>> REPLACE"],
        [
            [],
            ["start 1 diff a.py:2"],
            ["on 1 search x", "on 1 replace y"],
            [],
            ["on 1 closed", "done 1"],
        ],
    ),
    "the next opener is what settles a block": (
        [block("x\n", "y\n"), "```\n", block("x\n", "y\n", "b.py")],
        [
            ["start 1 diff a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"],
            [],
            ["done 1", "start 2 diff-fenced b.py:9", "on 2 search x", "on 2 replace y", "on 2 closed"],
            ["done 2"],
        ],
    ),
    "edit-v2 has four parts": (
        [V2[:-8], V2[-8:]],
        [
            [
                "start 1 edit-v2 a.py:2",
                "on 1 anchor lead",
                "on 1 old old",
                "on 1 new new",
                "on 1 trailing-anchor trail",
            ],
            ["on 1 closed"],
            ["done 1"],
        ],
    ),
    "edit-v3": (
        [V3],
        [["start 1 edit-v3 a.py:2", "on 1 search lead old", "on 1 replace lead new", "on 1 closed"], ["done 1"]],
    ),
    "a new file": ([NEW], [["start 1 new-file a.py:2", "on 1 new one two", "on 1 closed"], ["done 1"]]),
    "a file action": ([BOLT], [["start 1 bolt-file a.py:1", "on 1 new one", "on 1 closed"], ["done 1"]]),
    "a block of dashes": (
        [CLINE],
        [["start 1 cline a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"], ["done 1"]],
    ),
    "a header comes after the opener": (
        [block(":start_line:1\nx\n", "y\n")],
        [["start 1 diff a.py:2", "on 1 search :start_line:1 x", "on 1 replace y", "on 1 closed"], ["done 1"]],
    ),
    "a block that names no file": (
        [block("x\n", "y\n", "")],
        [["start 1 None None:1", "on 1 search x", "on 1 replace y", "on 1 closed", "broken 1 no-path"], []],
    ),
    "a block that is cut off": (
        [block("x\n", "y\n")[:-16]],
        [["start 1 diff a.py:2", "on 1 search x", "on 1 replace y"], ["broken 1 unclosed"]],
    ),
    "a closer behind a block breaks it": (
        [block("x\n", "y\n"), "text\n>>>>>>> REPLACE\n"],
        [
            ["start 1 diff a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"],
            ["broken 1 malformed", "broken 2 stray-marker"],
            [],
        ],
    ),
    "a doubled closer does not": (
        [block("x\n", "y\n"), ">>>>>>> REPLACE\n"],
        [["start 1 diff a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"], [], ["done 1"]],
    ),
    "thoughts tell nothing": (
        ["<think>\n", block("x\n", "y\n"), "</think>\n"],
        [[], [], [], []],
    ),
    "thoughts that never end hold a draft": (
        [block("x\n", "y\n"), "<think>\n", block("z\n", "y\n")],
        [
            ["start 1 diff a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"],
            ["done 1"],
            [],
            ["broken 2 malformed"],
        ],
    ),
    "what was told was a draft": (
        [block("x\n", "y\n"), "</think>\n", block("z\n", "y\n")],
        [
            ["start 1 diff a.py:2", "on 1 search x", "on 1 replace y", "on 1 closed"],
            ["drafts:7"],
            ["start 1 diff a.py:9", "on 1 search z", "on 1 replace y", "on 1 closed"],
            ["done 1"],
        ],
    ),
    "prose": (["Nothing here.\n"], [[], []]),
}


@pytest.mark.parametrize(("chunks", "told"), STORIES.values(), ids=STORIES)
def test_what_each_chunk_tells(chunks: list[str], told: list[list[str]]) -> None:
    assert [[shown(event) for event in events] for events in fed(chunks)[0]] == told


# What they are is known once they are over.
AT_THEIR_END = {"whole-file", "suggestion", "v4a", "unified", "rdjson", "sarif"}


def check(chunks: list[str]) -> None:
    """What must hold however a text is cut: the events end in the rows, and progress adds up to the lines."""
    told, result = fed(chunks)
    assert result == parse_response("".join(chunks))
    events = [event for chunk in told for event in chunk]
    drafts = max((at for at, event in enumerate(events, 1) if isinstance(event, DraftsLeftOut)), default=0)
    events = events[drafts:]
    done = [event for event in events if isinstance(event, EditBlock)]
    broken = [event for event in events if isinstance(event, Problem)]
    assert sorted(done, key=lambda row: row.number) == list(result.blocks)
    assert sorted(broken, key=lambda row: row.number) == list(result.problems)
    begun: set[int] = set()
    lines: dict[int, list[str]] = {}
    for chunk in told:
        said = [(event.number, event.section) for event in chunk if isinstance(event, BlockProgress)]
        assert len(said) == len(set(said))  # at most once per section and chunk
    for event in events:
        if isinstance(event, BlockStarted):
            assert event.number not in begun
            begun.add(event.number)
        elif isinstance(event, BlockProgress):
            assert event.number in begun
            lines.setdefault(event.number, []).extend(event.lines)
    for found in result.blocks:
        assert found.number in begun
        inside = found.raw_block[:-1].split("\n")[1:-1]
        told_of = lines.get(found.number, [])
        if found.format in AT_THEIR_END or found.call is not None:
            assert not told_of
        elif not any(note.code == "marker-variant" for note in found.notes):  # closed where nobody could foresee it
            rest = iter(inside)
            assert all(line in rest for line in told_of)  # in order, and nothing else
            assert len(inside) - len(told_of) == {"edit-v2": 3, "new-file": 0, "bolt-file": 0}.get(found.format, 1)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_page_line_by_line_and_at_once(case: golden.Case) -> None:
    assert fed([case.response])[1] == parse_response(case.response)
    check(case.response.splitlines(keepends=True))
    check([case.response])


def test_how_often_lines_are_read_again_counts_all_lines() -> None:
    opener, replace = "««« EDIT\n", "═══════ REPL\n"
    first = [*[opener] * 4, replace] * 2
    middle = [opener, replace, " </think>\n", opener, opener, replace, replace]
    lines = [*first, *middle, opener, "»»» EDIT END\n", opener, "<<<<<<< SEARCH\n"]
    check(lines)


@given(
    st.lists(st.sampled_from([*V2.splitlines(True), *V3.splitlines(True), *BOLT.splitlines(True), "```\n", "b.py\n"]))
    | st.lists(st.sampled_from([*CLINE.splitlines(True), *ROO.splitlines(True), "```\n", "+++++ REPLACE\n"]))
)
def test_any_lines(lines: list[str]) -> None:
    assert fed(lines)[1] == parse_response("".join(lines))
    check(lines)


# What stands above a `diff --git` line, and what stands below it.
ABOVE = {
    "a text": "Remove it:\n",
    "a tool call": '{\n "file_path": "a.py",\n "old_string": "x",\n "new_string": "y"\n}\n',
    "JSON that is no call": '{\n "name": "run.sh"\n}\n',
    "a patch": "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n",
    "a thought that ends": "<think>\nno\n</think>\n",
    "a block that is cut off": "a.py\n<<<<<<< SEARCH\nx\n",
    "an action that runs something": '<boltAction type="shell">\nls\n</boltAction>\n',
}
BELOW = {
    "deleted": "deleted file mode 100755\nindex 1..0\n",
    "modes": "old mode 100644\nnew mode 100755\n",
    "renamed": "similarity index 100%\nrename from run.sh\nrename to go.sh\n",
    "of other names": "similarity index 100%\nrename from c.sh\nrename to d.sh\n",
    "hunks": "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-x\n+y\n",
}


@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW)
@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
def test_the_first_line_of_a_diff_may_be_the_last_one_that_has_arrived(above: str, below: str) -> None:
    head = f"{above}diff --git a/run.sh b/{'go.sh' if 'go.sh' in below else 'run.sh'}\n"
    whole = parse_response(head + below)
    assert fed([head, below])[1] == whole
    assert fed(list(head + below))[1] == whole


def test_the_first_line_of_a_diff_may_end_what_is_scanned_at_once() -> None:
    call = ABOVE["a tool call"]
    head = f"{'-' * (32 * 1024 - len(call) - 1)}\n{call}diff --git a/run.sh b/run.sh\n"
    deleted, removed = parse_response(head + BELOW["deleted"]).blocks
    assert (deleted.file_path, removed.file_path) == ("a.py", "run.sh")
