"""Fences `suggestion` with the lines of a thread: what stands in tests/cases/suggestion has no rows of its own here."""

import pytest
from support.parsecases import X, rows

from editblocks import ParseResult, ThreadLines, parse_response
from editblocks.core.blocks import BlockStarted
from editblocks.parsing.parse import StreamParser

LINES = ThreadLines(4, 6, "4be1d02c3a9f7e5d8b6a4c2e0f1d3b5a7c9e8f60")
FENCE = "```suggestion\nx\n```\n"


def read(text: str) -> ParseResult:
    return parse_response(text, context_path="t.py", thread_lines=LINES)


ROWS = {
    "a fence": (FENCE, ["1 t.py 1-3:  -> x/"]),
    "of tildes": ("~~~ suggestion\nx\n~~~\n", ["1 t.py 1-3:  -> x/"]),
    "with CRLF": (FENCE.replace("\n", "\r\n"), ["1 t.py 1-3:  -> x/"]),
    "indented": ("- so:\n  ```suggestion\n    x\n\n  ```\n", ["1 t.py 2-5:  ->   x//"]),
    "less indented inside": ("  ```suggestion\nx\n  ```\n", ["1 t.py 1-3:  -> x/"]),
    "behind a block": (f"{X}{FENCE}", ["1 a.py 2-6: x/ -> y/", "2 t.py 7-9:  -> x/"]),
    "two": (FENCE * 2, ["1 t.py 1-3:  -> x/", "2 t.py 4-6: malformed"]),
    "three": (FENCE * 3, ["1 t.py 1-3:  -> x/", "2 t.py 4-6: malformed", "3 t.py 7-9: malformed"]),
    "closed by a longer one": ("```suggestion\nx\n````\n", ["1 t.py 1-3:  -> x/"]),
    "ended by a language": ("```suggestion\n```py\nx\n```\n", ["1 t.py 1-1: unclosed"]),
    "dropped below lines": ("```suggestion\nx\n```py\nx\n```\n", ["1 t.py 1-2: unclosed"]),
    "in an action": (
        '<boltAction type="edit" filePath="a.py">\n```suggestion\nx\n</boltAction>\n',
        ["1 t.py 2-2: unclosed"],
    ),
    "below a broken block": (
        f"a.py\n<<<<<<< SEARCH\nx\n\n{FENCE}",
        ["1 a.py 2-7: unclosed", "2 t.py 5-7: malformed"],
    ),
    "around a broken block": ("```suggestion\n<<<<<<< SEARCH\nx\n```\n", ["1 t.py 2-4: unclosed"]),
    "around a closer": ("```suggestion\n>>>>>>> REPLACE\n```\n", ["1 - 2-2: stray-marker"]),
    "with another word": ("```suggestion py\nx\n```\n", []),
    "in capitals": ("```Suggestion\nx\n```\n", []),
    "a tag": ("<pre>suggestion\nx\n</pre>\n", []),
    "quoted": ("> ```suggestion\n> x\n> ```\n", []),
}


@pytest.mark.parametrize(("text", "expected"), ROWS.values(), ids=ROWS)
def test_rows(text: str, expected: list[str]) -> None:
    assert rows(read(text)) == expected


@pytest.mark.parametrize("text", [text for text, _ in ROWS.values()], ids=ROWS)
def test_in_pieces_it_reads_alike(text: str) -> None:
    parser = StreamParser(context_path="t.py", thread_lines=LINES)
    events = [event for character in text for event in parser.feed(character)]
    assert parser.close() == read(text)
    events += parser.closing_events
    started = {event.number for event in events if isinstance(event, BlockStarted)}
    assert {block.number for block in parser.close().blocks} <= started


@pytest.mark.parametrize("text", [text for text, _ in ROWS.values()], ids=ROWS)
def test_without_a_path_or_without_lines_it_is_not_read(text: str) -> None:
    plain = parse_response(text, context_path="t.py")
    assert "suggestion" not in {row.format for row in plain.blocks} | {row.format for row in plain.problems}
    assert parse_response(text, thread_lines=LINES) == parse_response(text)


def test_what_a_block_says() -> None:
    [block] = read(FENCE).blocks
    [removes] = read("```suggestion\n```\n").blocks
    assert (block.format, block.operation, block.creates_file, block.raw_block) == (
        "suggestion",
        "modify",
        False,
        FENCE,
    )
    assert (removes.operation, removes.new_lines) == ("delete-lines", "")
    others = {block._replace(thread_lines=lines).digest for lines in (None, LINES._replace(last=7))}
    assert len({block.digest, *others}) == 3
