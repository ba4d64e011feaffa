"""Reading an answer for a plan: its limits, its parts, what its page hides, and where its paths begin."""

import json
from typing import NamedTuple

import pytest
from support.call_blocks import JSON, replace
from support.responses import block as written

from editblocks import EditBlock, Settings
from editblocks.applying.engine import place_paths, read_blocks, without_hidden, without_lines
from editblocks.core.blocks import Note, ParseResult, Problem
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.outcome import FrontMatter, Part, Response, Source
from editblocks.parsing.parse import FORMATS, parse_response

GOOD = written("x\n", "y\n")


def read(response: Response, settings: Settings | None = None) -> ParseResult:
    return read_blocks(response, settings or Settings(), FORMATS)


def places(parsed: ParseResult) -> list[tuple[str, int]]:
    return [(block.file_path, block.line_number) for block in parsed.blocks]


@pytest.mark.parametrize(("more", "is_read"), [(0, True), (-1, False)])
def test_an_answer_has_a_limit(more: int, is_read: bool) -> None:
    limit = len(GOOD) + more
    parsed = read(Response(GOOD), Settings(max_response_bytes=limit))
    assert bool(parsed.blocks) is is_read
    if not is_read:
        what = f"the answer is over the limit of {limit:,} bytes (max-response-bytes)"
        problem = Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it")
        assert parsed == ParseResult(problems=(problem,), is_cut=True)


def lines_of(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


FIX = {
    "message": "m",
    "location": {"path": "a.py"},
    "suggestions": [{"range": {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 2}}, "text": "b"}],
}
SESSION = lines_of({"type": "user", "message": {"role": "user", "content": "hi"}}, {"type": "summary"})


@pytest.mark.parametrize(("text", "has_limit"), [(lines_of(FIX, FIX), True), (SESSION, False), (GOOD, True)])
def test_which_texts_have_the_limit(text: str, has_limit: bool) -> None:
    assert read(Response(text), Settings(max_response_bytes=10)).is_cut is has_limit


def test_front_matter_names_a_format() -> None:
    diff = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n"
    text = f"---\nformat: unified\n---\n{GOOD}\n```diff\n{diff}```\n"
    front = FrontMatter(format="unified", length=len("---\nformat: unified\n---\n"), lines=3)
    parsed = read(Response(text, front=front))
    assert places(parsed) == [("b.py", 3 + 11)], "lines are counted from the start of the front matter"


def test_parts_of_a_review() -> None:
    parts = (Part(1, GOOD), Part(2, written("x\n", "y\n", path=""), "b.py"), Part(3, GOOD * 2))
    response = Response.of(parts, Source("a review", "review"))
    parsed = read(response)
    assert places(parsed) == [("a.py", 2), ("b.py", 9), ("a.py", 17), ("a.py", 23)]
    only_diffs = read(response, Settings(formats=("unified",)))
    assert only_diffs.blocks == ()


@pytest.mark.parametrize(
    "response",
    [
        Response(GOOD * 9),
        Response.of([Part(number, GOOD) for number in range(9)], Source("a review", "review")),
        Response(GOOD * 9, hidden_lines=frozenset({99})),
    ],
)
def test_of_too_many_blocks_no_more_are_read(response: Response) -> None:
    parsed = read(response, Settings(max_blocks=2))
    assert (len(parsed.blocks), len(parsed.problems), parsed.is_cut) == (2, 1, True)


def test_as_many_blocks_are_read_as_are_allowed() -> None:
    many = read(Response(GOOD * 510), Settings(max_blocks=510))
    assert (len(many.blocks), many.is_cut) == (510, False)
    parts = [Part(number, GOOD) for number in range(510)]
    many = read(Response.of(parts, Source("a review", "review")), Settings(max_blocks=510))
    assert (len(many.blocks), many.is_cut) == (510, False)


@pytest.mark.parametrize(("kind", "is_read"), [("comment", False), ("file", True)])
def test_a_document_of_a_tool_in_a_comment_is_one_row(kind: str, is_read: bool) -> None:
    parsed = read(Response(lines_of(FIX, FIX), Source("a text", kind)))
    assert [block.format for block in parsed.blocks] == ["rdjson"] * (2 * is_read)
    if not is_read:
        what = "a document in `rdjson` (line 1) is not supported in comments"
        advice = "apply it from a file"
        assert parsed.problems == (
            Problem(1, 1, 2, ReasonCode.UNSUPPORTED_FORMAT, what, advice, None, "rdjson", needs_person=True),
        )


def test_what_cannot_be_read_of_a_document_is_in_its_row() -> None:
    broken = {**FIX, "suggestions": [{"text": "b"}]}
    parsed = read(Response(lines_of(FIX, broken), Source("a comment", "comment")))
    assert [(each.code, each.line_number, each.end_line) for each in parsed.problems] == [
        (ReasonCode.UNSUPPORTED_FORMAT, 1, 2)
    ]


# a text, the lines that are hidden, and the text without them
BLANKED = {
    "one line": ("a\nb\nc", {2}, "a\n\nc"),
    "a fence": ("a\n  ```python x\nb\n```", {2, 3}, "a\n  ```\n\n```"),
    "a tag": ("<details>\nb\n</details>", {1, 2, 3}, "<details>\n\n</details>"),
}


@pytest.mark.parametrize(("text", "hidden", "shown"), BLANKED.values(), ids=BLANKED)
def test_a_text_without_lines(text: str, hidden: set[int], shown: str) -> None:
    assert without_lines(Response(text), frozenset(hidden)).text == shown


def test_parts_without_lines() -> None:
    response = Response.of([Part(1, "a\nb"), Part(2, "c\nd"), Part(3, "e\nf")], Source("a review", "review"))
    assert response.text == "a\nb\n\nc\nd\n\ne\nf"
    shown = without_lines(response, frozenset({1, 5, 7}))
    assert shown.text == "\nb\n\nc\n\n\n\nf"
    assert [part.text for part in shown.parts] == ["\nb", "c\n", "\nf"]


@pytest.mark.parametrize(("line", "is_hidden"), [(1, False), (2, True), (6, True), (7, False)])
def test_every_line_of_a_block_may_hide_it(line: int, is_hidden: bool) -> None:
    parsed = parse_response(f"a.py\n{GOOD.partition(chr(10))[2]}more\n")
    hidden = without_hidden(parsed, frozenset({line}), parsed)
    assert [problem.code for problem in hidden.problems] == [ReasonCode.HIDDEN_BLOCK] * is_hidden
    assert len(hidden.blocks) == 1 - is_hidden


OURS = "/here"
PLAIN = EditBlock(1, "/here/a.py", "search-replace", 1, 3)
GIT = PLAIN._replace(format="unified", file_path="here/a.py")
RENAME = PLAIN._replace(action="rename", new_path="/here/b.py", file_path="a.py")
CALL = replace("x", "y", JSON, "/here/a.py")
THEIRS = replace("x", "y", JSON._replace(session_root="/there"), "/there/a.py")
INSIDE = replace("x", "y", JSON._replace(folder="/here/src/"), "a.py")
WINDOWS = replace("x", "y", JSON._replace(folder="C:\\work"), "a.py")


def cleaned(path: str) -> tuple[Note, ...]:
    return (Note("path-cleaned", f"the path was read as {path}"),)


def session(root: str) -> tuple[Note, ...]:
    return (Note("session-root", f"{root} stands for this folder"),)


class Placed(NamedTuple):
    """Paths of a block, its notes, and those of the answer."""

    paths: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    of_all: tuple[Note, ...] = ()


# a block, our folder, that of the session, and what becomes of it
PATHS: dict[str, tuple[EditBlock, str, str, Placed]] = {
    "below our folder": (PLAIN, OURS, "", Placed(("a.py",), cleaned("a.py"), ())),
    "our folder is the root": (PLAIN, "/", "", Placed(("/here/a.py",), (), ())),
    "the root twice": (PLAIN._replace(file_path="//here/a.py"), "/", "", Placed(("//here/a.py",), (), ())),
    "a folder called X": (PLAIN._replace(file_path="/X/a.py"), "/X", "", Placed(("a.py",), cleaned("a.py"), ())),
    "there is no folder": (PLAIN, "", "", Placed(("/here/a.py",), (), ())),
    "elsewhere": (PLAIN._replace(file_path="/x/a.py"), OURS, "", Placed(("/x/a.py",), (), ())),
    "as git writes it": (GIT, OURS, "", Placed(("a.py",), cleaned("a.py"), ())),
    "in another format it is relative": (GIT._replace(format="v4a"), OURS, "", Placed(("here/a.py",), (), ())),
    "of a diff, with its slash": (
        GIT._replace(file_path="/here/a.py"),
        OURS,
        "",
        Placed(("a.py",), cleaned("a.py"), ()),
    ),
    "the new path": (RENAME, OURS, "", Placed(("a.py", "b.py"), cleaned("b.py"), ())),
    "of a call": (CALL, OURS, "", Placed(("a.py",), cleaned("a.py"), ())),
    "of a call, in a folder": (INSIDE, OURS, "", Placed(("src/a.py",), cleaned("src/a.py"), ())),
    "of a call, in a folder whose name ends in X": (
        replace("x", "y", JSON._replace(folder="/here/X"), "a.py"),
        "/here/",
        "",
        Placed(("X/a.py",), cleaned("X/a.py"), ()),
    ),
    "of a session whose folder ends in X": (
        THEIRS._replace(file_path="/X/a.py"),
        OURS,
        "/X",
        Placed(("a.py",), (), session("/X")),
    ),
    "of a call, on Windows": (WINDOWS, "c:/work/", "", Placed(("a.py",), (), ())),
    "of a session": (THEIRS, OURS, "", Placed(("a.py",), (), session("/there"))),
    "of a session that we name": (THEIRS, OURS, "/there/", Placed(("a.py",), (), session("/there/"))),
    "of another session": (THEIRS, OURS, "/other", Placed(("/there/a.py",), (), ())),
    "a call of another session": (CALL, "", "/here", Placed(("a.py",), (), session("/here"))),
}


@pytest.mark.parametrize(("block", "root", "session_root", "placed"), PATHS.values(), ids=PATHS)
def test_where_paths_begin(block: EditBlock, root: str, session_root: str, placed: Placed) -> None:
    parsed = place_paths(ParseResult((block,)), root, session_root)
    assert Placed(parsed.blocks[0].paths, parsed.blocks[0].notes, parsed.notes) == placed


def test_the_session_root_of_an_answer_is_heard() -> None:
    call = {"file_path": "/there/a.py", "old_string": "x", "new_string": "y"}
    text = json.dumps({"name": "Edit", "arguments": json.dumps(call)})
    parsed = read(Response(text, root=OURS, session_root="/there"))
    assert [block.file_path for block in parsed.blocks] == ["a.py"]


BROKEN = Problem(1, 1, 1, ReasonCode.MALFORMED, "it is broken", format="tool-replace")
# the path of what cannot be read, its format, the session's folder as we name it and as it says, and the path then
BROKEN_PATHS = [
    ("/here/a.py", "tool-replace", "", "", "a.py"),
    ("here/a.py", "unified", "", "", "a.py"),
    ("here/a.py", "tool-replace", "", "", "here/a.py"),
    ("/there/a.py", "tool-replace", "", "/there", "a.py"),
    ("/there/a.py", "tool-replace", "/there", "", "a.py"),
    ("/there/a.py", "tool-replace", "/there", "/other", "a.py"),
    ("a.py", "tool-replace", "", "", "a.py"),
]


@pytest.mark.parametrize(("path", "form", "named", "said", "placed"), BROKEN_PATHS)
def test_where_the_path_of_what_cannot_be_read_begins(path: str, form: str, named: str, said: str, placed: str) -> None:
    problem = BROKEN._replace(file_path=path, format=form)
    parsed = place_paths(ParseResult(problems=(problem,), session_root=said), OURS, named)
    assert parsed.problems == (problem._replace(file_path=placed),)


def unreadable(_path: str) -> bytes:
    raise UnreadableFile(ReasonCode.NOT_A_FILE, "it is a link")


def nothing(_path: str) -> None:
    """There is no file."""
