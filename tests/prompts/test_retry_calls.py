"""The retry prompt asks for tool calls as JSON: one call for each failed pair, with the keys that it had."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editblocks import ApplyResult, EditBlock, ReasonCode, apply_response, parse_response, retry_prompt
from editblocks.core.blocks import ParseResult, Problem, ToolCall
from editblocks.core.codes import EditStatus
from editblocks.core.mismatch import Candidate, Mismatch
from editblocks.core.model import EditResult
from editblocks.formats.call_reader import read_json
from editblocks.formats.call_shapes import PAIRS
from editblocks.formats.calls import Where
from editblocks.formats.tool_calls import PATH_KEYS
from editblocks.prompts.context import kit
from editblocks.prompts.failures import CALL_RULE
from editblocks.prompts.retry import no_blocks_prompt

OLD = "the old text, as it is in the file"
NEW = "the text that takes its place"
FILE = b"BASE = 3\nTOP = 9\n"
ASKED = {"file_path": "rates.py", "old_string": OLD, "new_string": NEW}
NO_VERSION = "the version that line 12 refers to is not known"
KEYS = ("file_path", "old_string", "new_string")


def call(
    number: int = 1, *, kind: str = "tool-replace", action: str = "", path: str = "rates.py", **said: Any
) -> EditBlock:
    """A call that asks for `TOP = 8` to be replaced."""
    said.setdefault("keys", KEYS)
    return EditBlock(
        number,
        path,
        kind,
        number,
        number,
        old_lines="TOP = 8\n",
        new_lines="TOP = 10\n",
        raw_block='{"file_path": "rates.py", "old_string": "TOP = 8", "new_string": "TOP = 10"}\n',
        action=action,
        call=ToolCall("TOP = 8", "TOP = 10", **said),
    )


def failed(block: EditBlock, code: ReasonCode = ReasonCode.NO_MATCH, what: str = "", **facts: Any) -> EditResult:
    return EditResult(block, EditStatus.FAILED, Mismatch(code, what, **facts))


def prompt(*rows: EditResult | Problem, **asked: Any) -> str:
    results = tuple(row for row in rows if isinstance(row, EditResult))
    problems = tuple(row for row in rows if isinstance(row, Problem))
    return retry_prompt(ApplyResult(results, problems), {"rates.py": FILE}.get, **asked)


def calls_of(text: str) -> list[object]:
    """The calls that stand in the `json` fences of a prompt, each of which has to parse."""
    fences = re.findall(r"^(`{4,})json\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL)
    return [json.loads(body) for _, body in fences]


SPELLED = ("path", "old_str", "new_str")
ROWS: dict[str, tuple[EditResult | Problem, object, str]] = {
    "no match": (failed(call()), ASKED, "Send it again with the old text copied from these lines."),
    "with its own keys": (
        failed(call(keys=SPELLED)),
        {"path": "rates.py", "old_str": OLD, "new_str": NEW},
        "Send it again with the old text copied from these lines.",
    ),
    "keys that count only in a list": (failed(call(keys=("path", "old", "new"))), ASKED, "Send it again"),
    "keys that count only with a name": (failed(call(keys=("path", "search", "replace"))), ASKED, "Send it again"),
    "keys that are not known": (failed(call(keys=())), ASKED, "Send it again"),
    "every place": (failed(call(is_every=True)), {**ASKED, "replace_all": True}, "Send it again"),
    "some places": (failed(call(place_count=2)), {**ASKED, "expected_replacements": 2}, "Send it again"),
    "another number of places": (
        failed(call(place_count=2), ReasonCode.AMBIGUOUS, candidates_total=3),
        ASKED,
        "Send it again with more of the text before or after it, or with `replace_all` if every place is meant.",
    ),
    "one place, not two": (
        failed(call(place_count=2), ReasonCode.AMBIGUOUS, candidates_total=1),
        ASKED,
        "Send it again with more of the text before or after it, or with `replace_all` if every place is meant.",
    ),
    "several places": (
        failed(call(), ReasonCode.AMBIGUOUS, candidates=(Candidate(1, 1, 1.0), Candidate(2, 2, 1.0))),
        ASKED,
        "Send it again with more of the text before or after it, or with `replace_all` if every place is meant.",
    ),
    "a file that is there": (
        failed(call(action="create"), ReasonCode.FILE_EXISTS, "rates.py exists"),
        ASKED,
        "Send it as a call that replaces text.",
    ),
    "an unknown file": (
        failed(call(path="rate.py"), ReasonCode.FILE_NOT_FOUND),
        {**ASKED, "file_path": "rate.py"},
        "Send it again with the right path.",
    ),
    "an insertion at a number": (
        failed(call(kind="tool-insert", action="insert-at"), ReasonCode.NO_VERSION, NO_VERSION),
        ASKED,
        "Send it as a call that replaces text.",
    ),
    "a snippet": (
        failed(call(kind="tool-write", action="snippet"), ReasonCode.PLACEHOLDER, "line 3 leaves text out"),
        ASKED,
        "Send it as a call that replaces text. Your replacement leaves lines out. Write every line.",
    ),
    "a whole file": (
        failed(call(kind="tool-write", action="write"), ReasonCode.WHOLE_FILE, "a whole file"),
        ASKED,
        "Send it as a call that replaces text.",
    ),
    "a whole file with hidden text": (
        failed(call(kind="tool-write", action="write"), ReasonCode.HIDDEN_TEXT, "U+202E at line 1"),
        None,
        "Send it again without that character",
    ),
    "a deletion": (
        failed(call(kind="tool-file", action="delete-file"), ReasonCode.FILE_NOT_FOUND),
        None,
        "Leave it out if it was done before",
    ),
    "no path": (
        Problem(1, 3, 3, ReasonCode.NO_PATH, "the call names no file", 'add "file_path"', None, "tool-replace"),
        {**ASKED, "file_path": "the full path of the file"},
        "Send it again with the path of its file.",
    ),
    "broken JSON": (
        Problem(1, 3, 3, ReasonCode.MALFORMED, "line 3, column 9 is not JSON", "", None, "tool-replace"),
        {**ASKED, "file_path": "the full path of the file"},
        "Send that block again in full.",
    ),
    "a key that is not read": (
        Problem(1, 3, 3, ReasonCode.UNSUPPORTED_FORMAT, "`use_regex` is not supported", "", "rates.py", "tool-replace"),
        ASKED,
        "Send it as a call that replaces text.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("row", "asked", "sentence"), ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("fresh", [False, True], ids=["same chat", "fresh"])
def test_what_is_asked_for(row: EditResult | Problem, asked: object, sentence: str, fresh: bool) -> None:
    text = prompt(row, fresh=fresh, response="x\n" * 9)
    assert calls_of(text) == ([] if asked is None else [asked])
    assert sentence in text
    assert "Before you answer" not in text
    assert CALL_RULE in text or asked is None
    assert text.endswith("\n\nAnswer with the corrected blocks only, as JSON in one fence.")


def test_each_failed_pair_has_its_call() -> None:
    text = prompt(failed(call(1)), failed(call(2, keys=SPELLED)))
    assert [sorted(each) for each in calls_of(text)] == [sorted(KEYS), sorted(SPELLED)]  # type: ignore[call-overload]


def test_beside_a_block_each_has_its_form() -> None:
    block = EditBlock(2, "rates.py", "diff", 9, 13, old_lines="BASE = 4\n", new_lines="BASE = 5\n", raw_block="x\n")
    text = prompt(failed(call(1)), failed(block))
    assert calls_of(text) == [ASKED]
    assert text.endswith("Answer with the corrected blocks only, in the same form as before.")
    assert kit("diff").reminder in prompt(failed(call(1)), failed(block), fresh=True)


def test_a_patch_in_a_call_is_asked_for_as_a_patch() -> None:
    text = prompt(failed(call(kind="v4a")))
    assert calls_of(text) == []
    assert CALL_RULE not in text


def test_a_call_is_asked_for_although_no_line_of_its_file_is_shown() -> None:
    lines = "".join(f"value_{number} = 1\n" for number in range(200)).encode()
    text = retry_prompt(ApplyResult((failed(call()),)), {"rates.py": lines}.get)
    assert calls_of(text) == [ASKED]
    assert "(ask for it if you do not see it)" in text


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), st.sampled_from([KEYS, SPELLED, ()]))
def test_what_is_shown_as_the_form_parses(path: str, keys: tuple[str, ...]) -> None:
    text = prompt(failed(call(path=path, keys=keys), ReasonCode.FILE_NOT_FOUND))
    wanted = keys or KEYS
    assert calls_of(text) == [dict(zip(wanted, (path, OLD, NEW), strict=True))]
    assert [block.call and block.call.keys for block in parse_response(text).blocks] in ([wanted], [])  # a stand-in


ALONE = Where(1, 1, lambda _text, _line: ParseResult())
SPELLINGS = [(path, *pair) for path in PATH_KEYS for pair in PAIRS]


@pytest.mark.parametrize("keys", SPELLINGS, ids=" ".join)
def test_what_is_asked_for_is_read_as_that_call(keys: tuple[str, ...]) -> None:
    text = prompt(failed(call(keys=keys, is_every=True)))
    [row] = parse_response(text).blocks
    assert (row.format, row.file_path) == ("tool-replace", "rates.py")
    assert row.call == ToolCall(OLD, NEW, is_every=True, is_literal=True, keys=keys)


# How a tool writes a pair of texts for a file; the keys are the path's, the old text's and the new one's.
WRITTEN: dict[str, Callable[[tuple[str, ...], Sequence[str]], object]] = {
    "bare": lambda keys, texts: dict(zip(keys, texts, strict=True)),
    "named": lambda keys, texts: {"name": "Edit", "input": dict(zip(keys, texts, strict=True))},
    "as arguments": lambda keys, texts: {
        "function": {"name": "edit", "arguments": json.dumps(dict(zip(keys, texts, strict=True)))}
    },
    "in a list": lambda keys, texts: {keys[0]: texts[0], "edits": [dict(zip(keys[1:], texts[1:], strict=True))]},
    "in a list of files": lambda keys, texts: {"replacements": [dict(zip(keys, texts, strict=True))]},
    "old and new": lambda keys, texts: {keys[0]: texts[0], "edits": [{"old": texts[1], "new": texts[2]}]},
    "by command": lambda keys, texts: {
        "command": "str_replace",
        keys[0]: texts[0],
        "old_str": texts[1],
        "new_str": texts[2],
    },
    "search and replace": lambda keys, texts: {
        "name": "search_and_replace",
        "input": {keys[0]: texts[0], "search": texts[1], "replace": texts[2]},
    },
}
SIGNS = "ab\n\t \"'\\`<>&{}[]$é→😀"
PIECES = st.text(st.sampled_from(SIGNS), max_size=20)


class Edit(NamedTuple):
    """A text in a file, and the one that takes its place."""

    path: str
    old: str
    new: str


EDITS = st.builds(
    Edit,
    st.sampled_from(["rates.py", "src/a b.py", "é.txt", 'q"uote.md']),
    PIECES.map(lambda text: f"(old{text}old)"),
    PIECES.map(lambda text: f"(new{text}new)"),
)


@settings(max_examples=300, deadline=None)
@given(EDITS, st.sampled_from(SPELLINGS), st.sampled_from(list(WRITTEN)))
def test_the_form_filled_in_is_the_edit(edit: Edit, keys: tuple[str, ...], form: str) -> None:
    data = f"first\n{edit.old} last\n".encode()
    files = {edit.path: data}
    answer = json.dumps(WRITTEN[form](keys, (edit.path, "(none like it)", edit.new)))
    text = retry_prompt(apply_response(answer, files.get), files.get)
    [asked] = calls_of(text)
    filled = (
        json.dumps(asked).replace(json.dumps(OLD), json.dumps(edit.old)).replace(json.dumps(NEW), json.dumps(edit.new))
    )
    result = apply_response(f"Here it is.\n\n```json\n{filled}\n```\n", files.get)
    assert result.contents == {edit.path: f"first\n{edit.new} last\n".encode()}
    assert [row.strategy for row in result.results] == ["exact"]


REFUSED = {
    "an undo": {"command": "undo_edit", "path": "rates.py"},
    "a cell of a notebook": {"notebook_path": "a.ipynb", "new_source": "x"},
    "a notebook": {"name": "edit_notebook_file", "input": {"filePath": "a.ipynb", "newCode": "x"}},
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_what_a_person_has_to_do_gets_no_prompt(refused: object) -> None:
    [row] = read_json(json.dumps(refused), ALONE).rows
    assert isinstance(row, Problem)
    assert prompt(row) == ""


UNDO = Problem(2, 3, 3, ReasonCode.UNSUPPORTED_FORMAT, "undo_edit is not read", "", "rates.py", "tool-replace")


def test_what_only_a_person_can_do_is_not_asked_for() -> None:
    undo = UNDO._replace(needs_person=True)
    assert prompt(undo) == ""
    text = prompt(failed(call(1)), undo)
    assert text.startswith("1 of your 2 edit blocks could not be applied to the files.\nDo not send block 2 again.")


def test_a_new_chat_sees_the_call_as_it_was_written() -> None:
    written = '{"path": "rates.py", "old_str": "TOP = 8", "new_str": "TOP = 10"}'
    assert f"Block 1, rates.py:\n````text\n{written}\n````\nIt failed" in prompt(failed(call(keys=SPELLED)), fresh=True)


def test_what_is_not_seen_is_escaped_in_json() -> None:
    text = prompt(failed(call(path="a\u200bb.py"), ReasonCode.FILE_NOT_FOUND))
    assert '"a\\u200bb.py"' in text


BELOW = {"changes": [{"path": "rates.py", "old_string": "TOP = 9", "new_string": "TOP = 8"}]}


def test_an_answer_whose_call_was_not_read_is_asked_for_as_blocks() -> None:
    asked = no_blocks_prompt(json.dumps(BELOW))
    assert asked.startswith("Your answer holds no edit block, so nothing could be applied: it is JSON.\n")
    assert "SEARCH/REPLACE" in asked
