"""Which blocks an earlier run of the same answer wrote: what a plan makes of that (amendment A9)."""

import pytest

from editblocks.applying.engine import Options, apply_response
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import block_key
from editblocks.core.errors import UnreadableFile
from editblocks.core.outcome import Response, WrittenFile
from editblocks.parsing.parse import parse_response
from editblocks.repos.stores.memory import MemoryRepo

ANSWER = """\
a.py
<<<<<<< SEARCH
x = 1
=======
x = 1
x = 1
>>>>>>> REPLACE
b.py
<<<<<<< SEARCH
y = 1
=======
y = 2
>>>>>>> REPLACE
"""
FIRST, SECOND = (block_key(block) for block in parse_response(ANSWER).blocks)
A, B = b"x = 1\nx = 1\n", b"y = 2\n"

ROWS = [  # what is known, the code of each block
    ("nothing", (), ("ambiguous", "no-match")),
    ("the first", (WrittenFile("a.py", A, {FIRST: "day-1"}),), ("known", "no-match")),
    ("other bytes", (WrittenFile("a.py", b"x = 1\n", {FIRST: "day-1"}),), ("ambiguous", "no-match")),
    ("other line ends", (WrittenFile("a.py", A.replace(b"\n", b"\r\n"), {FIRST: "day-1"}),), ("known", "no-match")),
    ("no file", (WrittenFile("a.py", None, {FIRST: "day-1"}),), ("ambiguous", "no-match")),
    ("another block", (WrittenFile("a.py", A, {SECOND: "day-1"}),), ("ambiguous", "no-match")),
    ("another file", (WrittenFile("c.py", None, {FIRST: "day-1"}),), ("ambiguous", "no-match")),
    (
        "both",
        (WrittenFile("a.py", A, {FIRST: "day-1"}), WrittenFile("b.py", B, {SECOND: "day-2"})),
        ("known", "known"),
    ),
    ("one that cannot be read", (WrittenFile("link", A, {FIRST: "day-1"}),), ("ambiguous", "no-match")),
]


def read(path: str) -> bytes | None:
    if path == "link":
        raise UnreadableFile(ReasonCode.NOT_A_FILE, "link is a symbolic link")
    return {"a.py": A, "b.py": B}.get(path)


@pytest.mark.parametrize(("written", "codes"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_written_before(written: tuple[WrittenFile, ...], codes: tuple[str, str]) -> None:
    rows = apply_response(ANSWER, read, options=Options(written=written)).results
    known = ["was written by apply" in (row.reason or "") for row in rows]
    assert known == [code == "known" for code in codes]
    assert [row.code and row.code.value for row in rows] == [code.replace("known", "already-applied") for code in codes]


DELETION = "*** Begin Patch\n*** Delete File: c.py\n*** End Patch\n"


def test_a_deletion_is_known_as_long_as_there_is_no_such_file() -> None:
    [block] = parse_response(DELETION).blocks
    options = Options(written=(WrittenFile("c.py", None, {block_key(block): "day-1"}),))
    [row] = apply_response(DELETION, read, options=options).results
    assert (row.code, row.ok) == (ReasonCode.ALREADY_APPLIED, True)
    [row] = apply_response(DELETION, {"c.py": b"again\n"}.get, options=options).results
    assert row.code is None


def test_the_base_of_the_answer_follows() -> None:
    """Block 2 is merged with the file of the base as it was after block 1, which is not looked for again."""
    answer = "f.txt\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n"
    answer += "f.txt\n<<<<<<< SEARCH\nA\nb\nc\nd\n=======\nA\nB\nc\nd\n>>>>>>> REPLACE\n"
    first = parse_response(answer).blocks[0]
    now = b"A\nb\nc\nD\n"
    repo = MemoryRepo({"f.txt": now}, head="c" * 40, earlier={"b" * 40: {"f.txt": b"a\nb\nc\nd\n"}})
    options = Options(written=(WrittenFile("f.txt", now, {block_key(first): "day-1"}),))
    result = apply_response(Response(answer, base="b" * 40), repo, options=options)
    assert [row.code and row.code.value for row in result.results] == ["already-applied", None]
    assert result.contents == {"f.txt": b"A\nB\nc\nD\n"}
