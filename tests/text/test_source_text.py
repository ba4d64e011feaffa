"""Bytes to lines and back, and what a splice does to line ends: docs/reference/rules.md, "bytes"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks import ReasonCode, UnreadableFile
from editblocks.core.blocks import section_lines
from editblocks.text.source_text import LineMap, SourceText, right_stripped, stripped

BOM = "\ufeff".encode()

ROUND_TRIPS: dict[str, tuple[bytes, tuple[str, ...], tuple[str, ...]]] = {
    "nothing": (b"", (), ()),
    "one newline": (b"\n", ("",), ("\n",)),
    "one line": (b"a\n", ("a",), ("\n",)),
    "no last newline": (b"a\nb", ("a", "b"), ("\n", "")),
    "windows ends": (b"a\r\nb\r\n", ("a", "b"), ("\r\n", "\r\n")),
    "both ends": (b"a\r\nb\nc", ("a", "b", "c"), ("\r\n", "\n", "")),
    "two carriage returns": (b"a\r\r\n", ("a\r",), ("\r\n",)),
    "a carriage return alone": (b"a\rb\n", ("a\rb",), ("\n",)),
    "a carriage return at the very end": (b"a\nb\r", ("a", "b\r"), ("\n", "")),
    "form feed": (b"a\x0cb\n", ("a\x0cb",), ("\n",)),
    "vertical tab": (b"a\x0bb\n", ("a\x0bb",), ("\n",)),
    "U+0085": ("a\x85b\n".encode(), ("a\x85b",), ("\n",)),
    "U+2028": ("a\u2028b\n".encode(), ("a\u2028b",), ("\n",)),
    "file separator": (b"a\x1cb\n", ("a\x1cb",), ("\n",)),
    "blank lines at the end": (b"a\n\n\n", ("a", "", ""), ("\n", "\n", "\n")),
}


@pytest.mark.parametrize(("data", "lines", "ends"), ROUND_TRIPS.values(), ids=ROUND_TRIPS)
@pytest.mark.parametrize("bom", [b"", BOM], ids=["plain", "bom"])
def test_decode_splits_at_newlines_only_and_encode_gives_the_bytes_back(
    data: bytes, lines: tuple[str, ...], ends: tuple[str, ...], bom: bytes
) -> None:
    source = SourceText.decode(bom + data)
    assert (tuple(source.lines), tuple(source.ends), source.bom.encode()) == (lines, ends, bom)
    assert source.encode() == bom + data


def refusal_or_bytes(data: bytes) -> ReasonCode | bytes:
    try:
        return SourceText.decode(data, "a.py").encode()
    except UnreadableFile as error:
        return error.code


@given(st.binary())
def test_whatever_decodes_encodes_to_the_same_bytes(data: bytes) -> None:
    is_utf8 = data.decode("utf-8", "replace").encode() == data
    expected = ReasonCode.BINARY if b"\0" in data else data if is_utf8 else ReasonCode.ENCODING
    assert refusal_or_bytes(data) == expected


UNREADABLE = {
    "NUL at once": (b"\0a", ReasonCode.BINARY, "logo.png has a NUL byte at offset 0; blocks edit text only"),
    "NUL at 8": (b"GIF89a12\0", ReasonCode.BINARY, "logo.png has a NUL byte at offset 8; blocks edit text only"),
    "the last byte looked at": (
        b"a" * 7999 + b"\0",
        ReasonCode.BINARY,
        "logo.png has a NUL byte at offset 7999; blocks edit text only",
    ),
    "NUL before bad bytes": (
        b"\xe9\0",
        ReasonCode.BINARY,
        "logo.png has a NUL byte at offset 1; blocks edit text only",
    ),
    "latin-1": (
        b"a\n" * 11 + b"caf\xe9\n",
        ReasonCode.ENCODING,
        "logo.png is not UTF-8 (byte 0xe9 in line 12); convert it first",
    ),
    "cut off": (b"a\xe2\x82", ReasonCode.ENCODING, "logo.png is not UTF-8 (byte 0xe2 in line 1); convert it first"),
    "a surrogate": (
        b"\xed\xa0\x80",
        ReasonCode.ENCODING,
        "logo.png is not UTF-8 (byte 0xed in line 1); convert it first",
    ),
    "overlong": (b"\xc0\x80", ReasonCode.ENCODING, "logo.png is not UTF-8 (byte 0xc0 in line 1); convert it first"),
    "UTF-16 with BOM": (
        "aé".encode("utf-16-le").replace(b"\0", b"\1").join([b"\xff\xfe", b""]),
        ReasonCode.ENCODING,
        "logo.png is not UTF-8 (byte 0xff in line 1); convert it first",
    ),
}


@pytest.mark.parametrize(("data", "code", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_s22_a_file_that_is_no_text_is_refused_with_its_place(data: bytes, code: ReasonCode, message: str) -> None:
    with pytest.raises(UnreadableFile) as raised:
        SourceText.decode(data, "logo.png")
    assert (raised.value.code, raised.value.message) == (code, message)


def test_a_nul_byte_after_the_first_8000_is_text_like_for_git() -> None:
    data = b"a" * 8000 + b"\0\n"
    assert SourceText.decode(data).encode() == data


# before, start, stop, new (a number keeps that line), after
SPLICES: dict[str, tuple[bytes, int, int, tuple[str | int, ...], bytes]] = {
    "a line for a line": (b"a\nb\nc\n", 1, 2, ("x",), b"a\nx\nc\n"),
    "more lines": (b"a\nb\n", 0, 1, ("x", "y"), b"x\ny\nb\n"),
    "fewer lines": (b"a\nb\nc\n", 0, 2, ("x",), b"x\nc\n"),
    "no line: ends go too, no blank line stays": (b"a\n\nb\n", 0, 2, (), b"b\n"),
    "every line: 0 bytes": (b"a\nb\n", 0, 2, (), b""),
    "every line, BOM kept": (BOM + b"a\n", 0, 1, (), BOM),
    "a new line takes the end of the one at its index": (b"a\r\nb\nc\n", 0, 2, ("x", "y"), b"x\r\ny\nc\n"),
    "beyond those, the commonest": (b"a\nb\r\nc\r\n", 0, 1, ("x", "y"), b"x\ny\r\nb\r\nc\r\n"),
    "beyond those, on a tie the first line's": (b"a\r\nb\n", 1, 2, ("x", "y"), b"a\r\nx\ny\r\n"),
    "an insertion takes the commonest": (b"a\r\nb\r\nc\n", 1, 1, ("x",), b"a\r\nx\r\nb\r\nc\n"),
    "into an empty file": (b"", 0, 0, ("x", "y"), b"x\ny\n"),
    "into a BOM alone": (BOM, 0, 0, ("x",), BOM + b"x\n"),
    "into one line without an end": (b"a", 0, 0, ("x",), b"x\na"),
    "a kept line keeps its own end": (b"a\r\nb\nc\n", 0, 2, ("x", 0, 1), b"x\r\na\r\nb\nc\n"),
    "the last line replaced: no newline as before": (b"a\nb", 1, 2, ("x",), b"a\nx"),
    "the last line replaced by two": (b"a\r\nb", 1, 2, ("x", "y"), b"a\r\nx\r\ny"),
    "appended to: the old last line gains an end": (b"a\r\nb", 1, 2, (1, "x"), b"a\r\nb\r\nx"),
    "appended to, no line has an end": (b"a", 0, 1, (0, "x"), b"a\nx"),
    "above a last line without an end": (b"a", 0, 1, ("x", 0), b"x\na"),
    "a blank line that becomes the last one has an end": (b"a\nb", 1, 2, ("x", ""), b"a\nx\n\n"),
    "a lone blank line has an end": (b"a", 0, 1, ("",), b"\n"),
    "a kept blank line at the end keeps its own": (b"a\r\n\r\nb", 1, 3, (1,), b"a\r\n\r\n"),
    "deleting the last line keeps the end before it": (b"a\nb", 1, 2, (), b"a\n"),
    "deleting what follows a kept last line": (b"a\nb\nc", 0, 3, (0,), b"a\n"),
    "a file with a newline keeps it": (b"a\nb\n", 1, 2, ("x",), b"a\nx\n"),
    "a form feed line": (b"a\x0c\nb\n", 1, 2, ("x",), b"a\x0c\nx\n"),
    "a carriage return is content": (b"a\rb\nc\n", 1, 2, ("x",), b"a\rb\nx\n"),
    "nothing by nothing": (b"a\r\nb", 1, 1, (), b"a\r\nb"),
}


@pytest.mark.parametrize(("before", "start", "stop", "new", "after"), SPLICES.values(), ids=SPLICES)
def test_s10_splice_keeps_every_byte_that_it_does_not_replace(
    before: bytes, start: int, stop: int, new: tuple[str | int, ...], after: bytes
) -> None:
    source = SourceText.decode(before)
    assert source.splice(start, stop, new) == (before != after)
    assert source.encode() == after
    again = SourceText.decode(after)
    assert (again.lines, again.ends, again.bom) == (source.lines, source.ends, source.bom)


ENDS = {
    "no line": (b"", "\n", False),
    "no end": (b"a", "\n", False),
    "unix": (b"a\nb", "\n", False),
    "windows": (b"a\r\nb", "\r\n", False),
    "mostly windows": (b"a\nb\r\nc\r\n", "\r\n", True),
    "mostly unix": (b"a\r\nb\nc\n", "\n", True),
    "tie, windows first": (b"a\r\nb\nc", "\r\n", True),
    "tie, unix first": (b"a\nb\r\nc", "\n", True),
}


@pytest.mark.parametrize(("data", "commonest", "mixed"), ENDS.values(), ids=ENDS)
def test_the_commonest_end(data: bytes, commonest: str, mixed: bool) -> None:
    source = SourceText.decode(data)
    assert (source.commonest_end, source.has_mixed_ends) == (commonest, mixed)


@pytest.mark.parametrize(
    "text", [" a \t\n\tb", " a \t\r\n\tb\r\n", "\ufeff a \t\n\tb\n"], ids=["unix", "windows", "bom"]
)
def test_a_search_is_for_whole_lines_in_a_form(text: str) -> None:
    source = SourceText.of(text)
    assert list(source.places([" a \t", "\tb"])) == list(source.places([" a", "\tb"], right_stripped)) == [0]
    assert list(source.places(["a", "b"], stripped)) == [0]
    assert list(source.places(["a"])) == list(source.places(["a"], right_stripped)) == []
    assert list(SourceText().places(["a"])) == []


@pytest.mark.parametrize(
    ("section", "lines"),
    [("", []), ("\n", [""]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("\n\n", ["", ""]), ("a\rb\n", ["a\rb"])],
)
def test_section_lines(section: str, lines: list[str]) -> None:
    assert section_lines(section) == lines


# Splices one after the other on five lines, then for each line now: which line of the branch it was.
MAPS: dict[str, tuple[list[tuple[int, int, tuple[str | int, ...]]], list[int | None]]] = {
    "untouched": ([], [0, 1, 2, 3, 4]),
    "replaced": ([(1, 2, ("x",))], [0, None, 2, 3, 4]),
    "kept": ([(1, 3, (1, "x", 2))], [0, 1, None, 2, 3, 4]),
    "deleted": ([(0, 2, ())], [2, 3, 4]),
    "twice": ([(0, 1, ("x", "y")), (2, 3, (2, "z"))], [None, None, 1, None, 2, 3, 4]),
    "new text kept is still new": ([(0, 1, ("x", "y")), (0, 2, (1,))], [None, 1, 2, 3, 4]),
    "at the end": ([(5, 5, ("x",))], [0, 1, 2, 3, 4, None]),
}


@pytest.mark.parametrize(("splices", "origins"), MAPS.values(), ids=MAPS)
def test_the_line_map_follows_every_splice(
    splices: list[tuple[int, int, tuple[str | int, ...]]], origins: list[int | None]
) -> None:
    lines = LineMap(5)
    for splice in splices:
        lines.splice(*splice)
    assert [lines.original_line(line) for line in range(len(origins))] == origins
    assert [lines.display_number(line) for line in range(len(origins))] == [
        index + 1 if origin is None else origin + 1 for index, origin in enumerate(origins)
    ]


def test_past_the_end_is_past_the_end() -> None:
    assert LineMap(3).original_line(3) == 3
    assert LineMap(3).display_number(7) == 8


SPANS = {
    "a run": ((1, 3), (1, 3)),
    "empty": ((2, 2), None),
    "starts in new text": ((3, 5), None),
    "ends in new text": ((2, 4), None),
    "after new text": ((4, 6), (3, 5)),
    "over a gap": ((5, 7), None),
}


@pytest.mark.parametrize(("here", "head"), SPANS.values(), ids=SPANS)
def test_a_span_of_the_branch_is_a_run_of_its_lines(here: tuple[int, int], head: tuple[int, int] | None) -> None:
    lines = LineMap(7)
    lines.splice(3, 3, ("x",))
    lines.splice(6, 7, ())
    assert lines.span(*here) == head


Span = tuple[int, int, tuple[str | int, ...]]
ENDED: dict[str, tuple[bytes, Span, tuple[str, ...], bytes]] = {
    "its own ends": (b"a\r\nb\n", (0, 2, ("x", 1)), ("\n", "\n"), b"x\nb\n"),
    "no end at the end": (b"a\nb\n", (1, 2, ("x",)), ("",), b"a\nx"),
    "an end at the end": (b"a\nb", (1, 2, ("x",)), ("\n",), b"a\nx\n"),
    "an empty file": (b"", (0, 0, ("x", "y")), ("\r\n", ""), b"x\r\ny"),
}


@pytest.mark.parametrize(("before", "span", "ends", "after"), ENDED.values(), ids=ENDED)
def test_a_splice_may_bring_its_line_ends(before: bytes, span: Span, ends: tuple[str, ...], after: bytes) -> None:
    source = SourceText.decode(before)
    assert source.splice(*span, ends)
    assert source.encode() == after


def test_a_text_that_was_empty_goes_on_with_the_ends_that_it_got() -> None:
    source = SourceText()
    source.splice(0, 0, ("a",), ("\r\n",))
    source.splice(1, 1, ("b",))
    assert source.encode() == b"a\r\nb\r\n"


STARTS: dict[str, tuple[str, str, list[tuple[int, int]]]] = {
    "in a line": ("ab\ncab\n", "ab", [(0, 0), (1, 1)]),
    "overlapping": ("aaa\n", "aa", [(0, 0), (0, 1)]),
    "over lines": ("ab\nc\nb\nc\n", "b\nc", [(0, 1), (2, 0)]),
    "from a line break on": ("\na\n\na\n", "\na", [(0, 0), (2, 0)]),
    "a line break": ("a\nb", "\n", [(0, 1), (1, 1)]),
    "a line break at the start of a file": ("a\n", "\na", []),
    "the end of a file without a line break": ("a\nb", "b\n", [(1, 0)]),
    "nowhere": ("a\n", "b", []),
    "in an empty file": ("", "\n", []),
}


@pytest.mark.parametrize(("text", "needle", "expected"), STARTS.values(), ids=STARTS)
def test_a_text_begins_in_a_line(text: str, needle: str, expected: list[tuple[int, int]]) -> None:
    for source in (SourceText.of(text), SourceText.of(text.replace("\n", "\r\n"))):
        assert [(line, column) for _, line, column in source.starts(needle)] == expected
        assert [f"\n{text}\n".startswith(needle, offset) for offset, _, _ in source.starts(needle)] == [True] * len(
            expected
        )
