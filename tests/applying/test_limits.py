"""How much is too much, and by how little: docs/reference/rules.md, "limits". Nothing is ever cut short."""

import pytest
from support.responses import block, verdicts

from editblocks import EditBlock, Problem, Settings, apply_block, apply_response, parse_response
from editblocks.core.blocks import Event
from editblocks.core.outcome import Part
from editblocks.parsing.parse import StreamParser, parse_parts

MIB = 1024 * 1024


def no_file(_path: str) -> None:
    """A tree without files."""


def filled(text: str, size: int) -> str:
    return text + "x" * (size - len(text.encode()))


def test_a_response_of_1_mib_is_read_and_one_byte_more_is_not() -> None:
    text = block("x\n", "y\n")
    assert verdicts(apply_response(filled(text, MIB), {"a.py": b"x\n"}.get)) == ["a.py exact"]
    result = apply_response(filled(text, MIB + 1), {"a.py": b"x\n"}.get)
    assert verdicts(result) == ["- too-large"]
    assert result.problems[0].message == (
        "the answer is over the limit of 1,048,576 bytes (max-response-bytes); split it"
    )
    assert not result.ok


def test_a_response_is_measured_in_bytes() -> None:
    assert verdicts(apply_response("€" * 4, no_file, settings=Settings(max_response_bytes=11))) == ["- too-large"]
    assert verdicts(apply_response("€" * 4, no_file, settings=Settings(max_response_bytes=12))) == []


def many(count: int, files: int = 1) -> str:
    return "".join(block(f"{n}\n", f"new {n}\n", f"{n % files}.py") for n in range(count))


def tree(count: int, files: int = 1) -> dict[str, bytes]:
    return {f"{n}.py": "".join(f"{m}\n" for m in range(n, count, files)).encode() for n in range(files)}


TOO_MANY = "the answer has more blocks than max-blocks allows (500); split it"
COUNTS = {
    "500 blocks": (many(500), tree(500), None),
    "501 blocks": (many(501), tree(501), TOO_MANY),
    "500 blocks and a problem": (
        many(500) + "\n\n>>>>>>> REPLACE\n\n",
        tree(500),
        TOO_MANY,
    ),
    "200 files": (many(200, 200), tree(200, 200), None),
    "201 files": (
        many(201, 201),
        tree(201, 201),
        "the answer has 201 files, the limit is 200 (max-files); split it",
    ),
}


@pytest.mark.parametrize(("text", "files", "reason"), COUNTS.values(), ids=COUNTS)
@pytest.mark.long(after=2)
def test_the_number_of_blocks_and_files(text: str, files: dict[str, bytes], reason: str | None) -> None:
    if reason is not None:
        text = text.replace("\n\n>>>>>>> REPLACE", "```\n```\n>>>>>>> REPLACE")
    result = apply_response(text, files.get)
    if reason is TOO_MANY:
        assert (result.results, [row.message for row in result.problems]) == ((), [reason])
    else:
        rows = [row for row in result.results if row.reason == reason]
        assert len(rows) == len(result.results) >= 200
    assert result.ok is (reason is None)
    assert bool(result.contents) is (reason is None)


def test_reading_ends_at_the_limit() -> None:
    """A few kilobytes, so that a reader which builds every row is seen by what it builds."""
    text = "x\n" + "<<<<< EDIT\n" * 9000
    parsed = parse_response(text, most_rows=3)
    assert [(row.code.value, row.line_number) for row in parsed.problems] == [
        *(("unclosed", 2), ("unclosed", 3), ("unclosed", 4)),
        ("too-large", 5),
    ]
    assert parsed.problems[-1].message == "there are more than 3 blocks, so the rest was not read; split the answer"
    assert len(parse_response(text).problems) == 2001
    events: list[Event] = []
    parser = StreamParser(most_rows=3)
    for start in range(0, len(text), 5000):
        events.extend(parser.feed(text[start : start + 5000]))
    assert parser.close() == parsed
    assert [event for event in events if isinstance(event, Problem)] == list(parsed.problems)


@pytest.mark.parametrize(
    "lines",
    [
        " ======= \n",
        *(
            pytest.param(lines, marks=pytest.mark.long)
            for lines in ("```\n", "```diff\n@@ -1 +1 @@\n", "</boltAction>\n")
        ),
    ],
)
@pytest.mark.long
def test_reading_ends_after_so_many_lines_that_may_be_markers(lines: str) -> None:
    text = f"a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n{lines * 25_000}"
    parsed = parse_response(text)
    assert [block.file_path for block in parsed.blocks] == ["a.py"] or parsed.problems[0].file_path == "a.py"
    assert (parsed.is_cut, parsed.problems[-1].code.value) == (True, "too-large")
    parser = StreamParser()
    for start in range(0, len(text), 70_001):
        parser.feed(text[start : start + 70_001])
    assert parser.close() == parsed
    result = apply_response(text, {"a.py": b"x\n"}.get, settings=Settings(partial=True))
    reason = "there are more than 25,000 marker lines, so the rest was not read; split the answer"
    assert (result.results, [row.message for row in result.problems], result.contents) == ((), [reason], {})


def test_blocks_in_an_action_that_runs_something_count() -> None:
    parsed = parse_response('<boltAction type="shell">\n' + "<<<<<<< SEARCH\n" * 9 + "</boltAction>\n", most_rows=3)
    assert [row.code.value for row in parsed.problems] == ["malformed"] * 3 + ["too-large"]


PARTS = {
    "in the second part": (["a", "aa"], ["1 unclosed", "2 unclosed", "3 too-large"]),
    "at the end of the first": (["aa", "", "a"], ["1 unclosed", "2 unclosed", "3 too-large"]),
    "in the first part": (["aaa", "a"], ["1 unclosed", "2 unclosed", "3 too-large"]),
    "nowhere": (["a", "a"], ["1 unclosed", "2 unclosed"]),
}


@pytest.mark.parametrize(("parts", "rows"), PARTS.values(), ids=PARTS)
def test_the_limit_is_that_of_all_parts_together(parts: list[str], rows: list[str]) -> None:
    texts = [Part(number, "<<<<<<< SEARCH\n" * len(part)) for number, part in enumerate(parts)]
    parsed = parse_parts(texts, most_rows=2)
    assert [f"{row.number} {row.code.value}" for row in parsed.problems] == rows


BLOCKS = {
    "a line of 64 KiB": (block("x\n", "y" * 65_536 + "\n"), "exact", None),
    "a longer line": (
        block("x\n", "y" * 65_537 + "\n"),
        "too-large",
        "a line of the block has more than 64 KiB; split it",
    ),
    "a longer line to be found": (
        block("y" * 65_537 + "\n", "x\n"),
        "too-large",
        "a line of the block has more than 64 KiB; split it",
    ),
    "a block of less than 256 KiB": (block("x\n", ("y" * 1023 + "\n") * 255), "exact", None),
    "a block of 256 KiB and its markers": (
        block("x\n", ("y" * 1023 + "\n") * 256),
        "too-large",
        "the block has more than 256 KiB; split it",
    ),
}


@pytest.mark.parametrize(("text", "verdict", "reason"), BLOCKS.values(), ids=BLOCKS)
def test_the_size_of_a_block(text: str, verdict: str, reason: str | None) -> None:
    result = apply_response(text, {"a.py": b"x\n"}.get)
    assert verdicts(result) == [f"a.py {verdict}"]
    assert result.results[0].reason == reason


FILES: dict[str, tuple[str, int, str | None]] = {
    "5 MiB": ("y\n", 5 * MIB, None),
    "one byte more": (
        "y\n",
        5 * MIB + 1,
        "a.py has 5,242,881 bytes, the limit is 5,242,880 (max-file-bytes); edit it another way",
    ),
    "one byte more afterwards": (
        "yy\n",
        5 * MIB,
        "a.py has 5,242,881 bytes, the limit is 5,242,880 (max-file-bytes); edit it another way",
    ),
}


@pytest.mark.parametrize(("new", "size", "reason"), FILES.values(), ids=FILES)
@pytest.mark.long(after=2)
def test_the_size_of_a_file(new: str, size: int, reason: str | None) -> None:
    data = b"x\n" + b"z" * (size - 3) + b"\n"
    result = apply_response(block("x\n", new), {"a.py": data}.get)
    assert result.results[0].reason == reason
    assert result.ok is (reason is None)


def test_the_size_of_a_new_file() -> None:
    result = apply_response(block("", "12345\n"), no_file, settings=Settings(max_file_bytes=5))
    assert verdicts(result) == ["a.py too-large"]
    assert apply_response(block("", "1234\n"), no_file, settings=Settings(max_file_bytes=5)).ok


@pytest.mark.long
def test_the_new_files_together() -> None:
    files = {f"{n}.py": b"x\n" + (b"z" * 1023 + b"\n") * 5 * 1023 for n in range(5)}
    four = "".join(block("x\n", "y\n", f"{n}.py") for n in range(4))
    assert apply_response(four, files.get).ok
    result = apply_response(four + block("x\n", "y\n", "4.py"), files.get)
    assert verdicts(result) == [f"{n}.py too-large" for n in range(5)]
    assert result.contents == {}
    assert result.results[0].reason == (
        "the new files have 26,188,810 bytes together, the limit is 20,971,520; split the answer"
    )


@pytest.mark.parametrize(("deepest", "rows"), [(5, ["b.py 9-13"]), (4, ["- 10-14"])], ids=["eighth", "ninth"])
def test_the_ninth_fence_is_text(deepest: int, rows: list[str]) -> None:
    outer = "".join("`" * n + "text\n" for n in range(11, deepest - 1, -1))
    parsed = parse_response(outer + "```py:b.py\n" + block("x\n", "y\n", ""))
    found: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    assert [f"{row.file_path or '-'} {row.line_number}-{row.end_line}" for row in found] == rows


def test_a_path_may_have_1024_bytes() -> None:
    path = "/".join(["d" * 200] * 5) + "/" + "e" * 15 + ".py"
    long_path = "d" + path
    assert [len(path), len(long_path)] == [1023, 1024]
    assert apply_block(parse_response(block("", "x\n", long_path)).blocks[0], None)[1].ok
    assert [row.code.value for row in parse_response(block("", "x\n", "d" + long_path)).problems] == ["no-path"]


def test_lines_of_ten_thousand_characters_in_every_format() -> None:
    old, new = "x" * 9_999 + "\n", "y" * 9_999 + "\n"
    text = (
        block(old, new)
        + f"b.py\n<<<<<<< EDIT\n{old}-------\n=======\n{new}-------\n>>>>>>>\n"
        + f"c.py\n««« EDIT\n{old}═══════ REPL\n{new}»»» EDIT END\n"
        + f"d.py\n<<<<<<< NEW_FILE\n{new}>>>>>>> NEW_FILE\n"
    )
    result = apply_response(text, dict.fromkeys(("a.py", "b.py", "c.py"), old.encode()).get)
    assert verdicts(result) == ["a.py exact", "b.py exact", "c.py exact", "d.py create"]
    after = new.encode()
    assert result.contents == {"a.py": after, "b.py": old.encode() + after, "c.py": after, "d.py": after}


def test_two_hundred_blocks_over_twenty_files() -> None:
    paths = [f"pkg/file{number}.py" for number in range(20)]
    files = {path: "".join(f"x{line}\n" for line in range(200)).encode() for path in paths}
    numbers = [(number, paths[number % 20]) for number in range(200)]
    result = apply_response("".join(block(f"x{n}\n", f"y{n}\n", path) for n, path in numbers), files.get)
    assert verdicts(result) == [f"{path} exact" for _, path in numbers]
    for place, path in enumerate(paths):
        expected = "".join(f"{'y' if line % 20 == place else 'x'}{line}\n" for line in range(200))
        assert result.contents[path] == expected.encode()
