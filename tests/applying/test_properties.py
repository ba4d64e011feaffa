"""What must hold for every response and every file, against an oracle that knows nothing of the code."""

import operator
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.planned import files_after
from support.random_files import BOM, SECTION, files
from support.responses import block, verdicts

from editblocks import (
    ApplyResult,
    EditBlock,
    ParseResult,
    Problem,
    Settings,
    apply_edits,
    apply_response,
    parse_response,
)
from editblocks.applying.files import FilePlan
from editblocks.core.errors import SelfCheckFailed
from editblocks.core.model import row_number
from editblocks.parsing.parse import StreamParser
from editblocks.text.source_text import LineMap, SourceText


def split(data: bytes) -> list[tuple[bytes, bytes]]:
    """Lines and their ends, the plain way."""
    found = []
    for piece in data.split(b"\n")[:-1]:
        found.append((piece[:-1], b"\r\n") if piece.endswith(b"\r") else (piece, b"\n"))
    last = data.split(b"\n")[-1]
    return [*found, (last, b"")] if last else found


def kept(old: list[str], new: list[str]) -> dict[int, int]:
    """Which lines of `new` are lines of `old`: common start, common end, the most between, the earliest."""
    if old and new and old[0] == new[0]:
        return {0: 0} | {j + 1: i + 1 for j, i in kept(old[1:], new[1:]).items()}
    if old and new and old[-1] == new[-1]:
        return {len(new) - 1: len(old) - 1} | kept(old[:-1], new[:-1])
    return pairs(old, new)


def pairs(old: list[str], new: list[str]) -> dict[int, int]:
    """A longest common subsequence, the plain way: with the first new line at its first place, or without it."""
    if not old or not new:
        return {}
    without = {j + 1: i for j, i in pairs(old, new[1:]).items()}
    if new[0] not in old:
        return without
    place = old.index(new[0])
    with_first = {0: place} | {j + 1: i + place + 1 for j, i in pairs(old[place + 1 :], new[1:]).items()}
    return max(with_first, without, key=len)


def oracle(data: bytes, old: list[str], new: list[str]) -> bytes | None:
    """The bytes after an exact edit: prefix + replacement + suffix. None: SEARCH is not there once."""
    bom = BOM if data.startswith(BOM) else b""
    lines = split(data[len(bom) :])
    wanted, written = ([line.encode() for line in section] for section in (old, new))
    size = len(wanted)
    hits = [i for i in range(len(lines) - size + 1) if [line for line, _ in lines[i : i + size]] == wanted]
    if len(hits) != 1 or not any(line.strip(" \t") for line in old):
        return None
    start, stop = hits[0], hits[0] + size
    for offset in range(min(start, len(new) - size) + 1):  # an insertion that is there
        here = [line.rstrip(b" \t") for line, _ in lines[start - offset :][: len(new)]]
        if new[offset : offset + size] == old and here == [line.rstrip(b" \t") for line in written]:
            return data
    return bom + spliced(lines, start, stop, kept(old, new), written)


def spliced(
    lines: list[tuple[bytes, bytes]], start: int, stop: int, same: dict[int, int], written: list[bytes]
) -> bytes:
    """Prefix, replacement and suffix. `same`: which of `written` keep which of the lines replaced."""
    size, is_end = stop - start, stop == len(lines)
    counted = [end for _, end in lines if end]
    common = max(dict.fromkeys(counted), key=counted.count, default=b"\n")
    ends = [lines[start + i][1] or common if i < size else common for i in range(len(written))]
    texts = list(written)
    for j, i in same.items():
        ends[j] = lines[start + i][1] or (b"" if is_end and j == len(written) - 1 else common)
        texts[j] = lines[start + i][0]
    if is_end and written and lines[-1][1] == b"" and len(written) - 1 not in same and written[-1]:
        ends[-1] = b""
    if is_end and written and not texts[-1]:  # a blank line without an end would vanish
        ends[-1] = ends[-1] or common
    replacement = b"".join(map(bytes.__add__, texts, ends))
    return b"".join(map(b"".join, lines[:start])) + replacement + b"".join(map(b"".join, lines[stop:]))


def check_against_the_oracle(data: bytes, old: list[str], new: list[str], at: int | None) -> None:
    lines = [line.decode() for line, _ in split(data.removeprefix(BOM))]
    if at is not None and lines:  # else most texts would not be there
        old = lines[at % len(lines) :][: max(1, len(old))]
    text = block("".join(line + "\n" for line in old), "".join(line + "\n" for line in new))
    result = apply_response(text, {"a.py": data}.get, settings=Settings(matching="exact"))
    expected = data if old == new else oracle(data, old, new)
    if expected is not None:
        assert result.contents.get("a.py", data) == expected
    else:
        assert result.results[0].strategy in (None, "create")
        assert result.contents == {} or lines == []


ORACLE = st.tuples(files(), SECTION, SECTION, st.none() | st.integers(0, 20))


@settings(deadline=None)
@given(ORACLE)
@example((b"a", ["a"], ["a", "b"], 0))
@example((b"a\r\nb", ["b"], ["c", ""], 1))
@example((BOM + b"a\n", ["a"], [], 0))
@example((b"b\nb\r\n\na\n", ["b", "b", "", "a"], ["", "b", ""], None))
def test_the_result_is_prefix_replacement_suffix(case: tuple[bytes, list[str], list[str], int | None]) -> None:
    check_against_the_oracle(*case)


@pytest.mark.long
@settings(max_examples=50 * settings().max_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ORACLE)
def test_the_result_is_prefix_replacement_suffix_for_many(
    case: tuple[bytes, list[str], list[str], int | None],
) -> None:
    check_against_the_oracle(*case)


INDENTS = ["", " ", "  ", "    ", "\t"]


def shifts(search: list[str], window: list[str]) -> list[tuple[str, str]]:
    """What, put before each line of `search` that is not blank or taken off it, gives the window but for blanks."""
    found = []
    for shift in ("", *INDENTS[1:], "   ", "     "):
        for indent, outdent in {(shift, ""), ("", shift)}:
            pairs = [(one, other) for one, other in zip(search, window, strict=True) if one.strip(" \t")]
            blank = [other for one, other in zip(search, window, strict=True) if not one.strip(" \t")]
            if any(other.strip(" \t") for other in blank) or not all(one.startswith(outdent) for one, _ in pairs):
                continue
            if all((indent + one[len(outdent) :]).rstrip(" \t") == other.rstrip(" \t") for one, other in pairs):
                found.append((indent, outdent))
    return found


def check_a_tolerant_edit(lines: list[str], start: int, size: int, how: tuple[str, str, str], new: list[str]) -> None:
    """An edit whose old text has another indentation, or blanks at its ends, lands where that says, or nowhere."""
    indent, outdent, blanks = how
    data = "".join(f"{line}\n" for line in lines).encode()
    old = [indent + line.removeprefix(outdent) + blanks for line in lines[start % len(lines) :][:size]]
    text = block("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))
    [row] = apply_response(text, {"a.py": data}.get).results
    contents = apply_response(text, {"a.py": data}.get).contents.get("a.py", data)
    if row.span is None or row.strategy not in ("exact", "trailing-space", "indentation"):
        assert contents == data
        return
    first, stop = row.span
    window = lines[first:stop]
    candidates = [("", "")] if row.strategy != "indentation" else [way for way in shifts(old, window) if any(way)]
    same = kept(old, new)
    assert contents in [
        spliced(split(data), first, stop, same, [shifted(line, *way).encode() for line in new]) for way in candidates
    ]
    hits = [at for at in range(len(lines) - len(old) + 1) if fits(row.strategy, old, lines[at : at + len(old)])]
    assert first in hits
    assert len(hits) == 1 or row.strategy == "indentation"  # some of these the new lines cannot follow


def shifted(line: str, indent: str, outdent: str) -> str:
    if not (indent or outdent):
        return line
    return indent + line.removeprefix(outdent) if line.strip(" \t") else ""


def fits(strategy: str, old: list[str], window: list[str]) -> bool:
    if strategy == "exact":
        return old == window
    if strategy == "trailing-space":
        return [line.rstrip(" \t") for line in old] == [line.rstrip(" \t") for line in window]
    return any(any(way) for way in shifts(old, window))


TOLERANT = (
    st.lists(st.builds(str.__add__, st.sampled_from(INDENTS), st.sampled_from(["a", "b", "c", "d", ""])), min_size=1),
    st.integers(0, 20),
    st.integers(1, 4),
    st.tuples(st.sampled_from(INDENTS), st.sampled_from(INDENTS), st.sampled_from(["", " ", "\t"])),
    st.lists(st.builds(str.__add__, st.sampled_from(INDENTS), st.sampled_from(["a", "b", "x", "y", ""])), max_size=4),
)


@settings(deadline=None)
@given(*TOLERANT)
def test_a_tolerant_edit_is_prefix_replacement_suffix(
    lines: list[str], start: int, size: int, how: tuple[str, str, str], new: list[str]
) -> None:
    check_a_tolerant_edit(lines, start, size, how, new)


@pytest.mark.long
@settings(max_examples=50 * settings().max_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(*TOLERANT)
def test_many_tolerant_edits_are_prefix_replacement_suffix(
    lines: list[str], start: int, size: int, how: tuple[str, str, str], new: list[str]
) -> None:
    check_a_tolerant_edit(lines, start, size, how, new)


FRAGMENTS = st.sampled_from(
    [
        *("<" * n + " SEARCH" for n in (4, 5, 7, 9, 10)),
        *("=" * n for n in (4, 5, 7, 9)),
        *(">" * n + " REPLACE" for n in (5, 7, 9)),
        *("  <<<<<<< SEARCH|  =======|  >>>>>>> REPLACE|\t<<<<<<< SEARCH".split("|")),
        *("------- SEARCH|+++++++ REPLACE|----- SEARCH|  +++++++ REPLACE".split("|")),
        *("\\=======|:end_line:1|<path>a.py</path>|<diff>".split("|")),
        *("<<<<<<< ORIGINAL|<<<<<<< HEAD|>>>>>>> topic|<<<<<<<|>>>>>>>|-------|<<<<<<< EDIT".split("|")),
        *("««« EDIT|═══════ REPL|»»» EDIT END|<<<<<<< NEW_FILE|>>>>>>> NEW_FILE|*** Begin Patch".split("|")),
        *("```|```python|````|~~~|   ```|```edit:a.py|```py:a.py|<source>|</source>|<code>py|</code>".split("|")),
        *("a.py|b.md|`a.py`|# a.py|Done|See a.py|### File: c.py|## File: a.py|# Head|../x|.git/config".split("|")),
        *("<!--|-->|a <!-- b|--> <!-- c|`<!--`|> <<<<<<< SEARCH|<details>|</details>|...|base: 1234567".split("|")),
        *(
            '<boltAction type="edit">|</boltAction>|<boltAction type="shell">|:start_line:3|x = 1|x = 2|  x = 1'.split(
                "|"
            )
        ),
        *("", "", "", "\t", "\r", "\ufeff", "\0", "\ud800", "\u2028", "<<<<<<< search", "x" * 300),
    ]
)
RESPONSE = st.lists(st.tuples(FRAGMENTS, st.sampled_from(["\n"] * 9 + ["\r\n", "\r", ""])), max_size=24).map(
    lambda pieces: "".join(fragment + end for fragment, end in pieces)
)
TREE = {"a.py": b"x = 1\nx = 2\n", "b.md": b"  x = 1\n\n", "c.py": b"x = 1", "Done": b"", "d": b"\0"}


@settings(deadline=None)
@given(RESPONSE)
def test_no_response_raises_and_every_row_has_its_number(text: str) -> None:
    parsed = parse_response(text)
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    rows.sort(key=lambda row: row.number)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    assert [row.line_number for row in rows] == sorted(row.line_number for row in rows)
    assert all(1 <= row.line_number <= row.end_line <= text.count("\n") + 1 for row in rows)
    result = apply_response(text, TREE.get)
    assert [row.number for row in rows] == [row_number(row) for row in result.rows]
    assert set(result.contents) <= {row.file_path for row in result.results}


@settings(deadline=None)
@given(RESPONSE)
def test_every_opener_in_text_is_in_one_row(text: str) -> None:
    """A row begins at an opener, and no opener stands outside of every row, but for listings and comments."""
    parsed = parse_response(text)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    starts = [row.line_number for row in rows]
    assert len(starts) == len(set(starts))
    noted = {note.line_number for note in parsed.notes if note.code == "near-marker"}
    for number, line in enumerate(lines, 1):
        is_opener = line.strip(" \t") in {"<" * n + " SEARCH" for n in range(5, 10)} | {"««« EDIT"}
        covered = any(row.line_number <= number <= row.end_line for row in rows)
        assert not is_opener or covered or number in noted


def fed(text: str, cuts: list[int]) -> ParseResult:
    parser, last = StreamParser(), 0
    for cut in [*sorted(cut % (len(text) + 1) for cut in cuts), len(text)]:
        parser.feed(text[last:cut])
        last = cut
    return parser.close()


@settings(deadline=None)
@given(RESPONSE, st.lists(st.integers(0, 2000), max_size=12))
def test_a_response_in_pieces_reads_alike(text: str, cuts: list[int]) -> None:
    assert fed(text, cuts) == parse_response(text) == fed(text, list(range(len(text))))


@settings(deadline=None)
@given(RESPONSE)
@pytest.mark.long
def test_a_prefix_of_a_response_reads_too(text: str) -> None:
    parser = StreamParser()
    for position in range(0, len(text), 7):
        parser.feed(text[position : position + 7])
        assert len(parse_response(text[: position + 7]).blocks) >= 0


BLOCKS = st.lists(
    st.tuples(st.sampled_from(["a.py", "b.py", "c.py"]), SECTION, SECTION),
    min_size=1,
    max_size=5,
)


def response(blocks: list[tuple[str, list[str], list[str]]]) -> str:
    return "\n".join(
        block("".join(line + "\n" for line in old), "".join(line + "\n" for line in new), path)
        for path, old, new in blocks
    )


def written(result: ApplyResult, tree: dict[str, bytes]) -> dict[str, bytes]:
    return files_after(tree, result) if result.ok else tree


@settings(deadline=None)
@given(SECTION, SECTION, files(), st.integers(0, 20))
@pytest.mark.long
def test_once_more_writes_nothing(old: list[str], new: list[str], data: bytes, at: int) -> None:
    """Where no line stays and some text comes; what only shortens or moves text may go on doing so."""
    lines = [line.decode() for line, _ in split(data.removeprefix(BOM))]
    old = lines[at % len(lines) :][: max(1, len(old))] if lines else old
    stripped = {line.strip(" \t") for line in old}
    new = [line for line in new if line.strip(" \t") not in stripped | {""}] or ["new"]
    text = response([("a.py", old, new)])
    once = written(apply_response(text, {"a.py": data}.get), {"a.py": data})
    assert written(apply_response(text, once.get), once) == once


def as_crlf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@settings(deadline=None)
@given(BLOCKS, files())
@pytest.mark.long
def test_line_ends_change_no_verdict(blocks: list[tuple[str, list[str], list[str]]], data: bytes) -> None:
    text = response(blocks)
    tree = {"a.py": data.replace(b"\r\n", b"\n"), "b.py": b"a\nb\n"}
    plain = apply_response(text, tree.get)
    windows = {path: as_crlf(data) for path, data in tree.items()}
    assert verdicts(apply_response(text.replace("\n", "\r\n"), tree.get)) == verdicts(plain)
    both = apply_response(text.replace("\n", "\r\n"), windows.get)
    assert verdicts(both) == verdicts(plain)
    new, old = files_after({}, both), files_after({}, plain)
    assert {path: data.replace(b"\r\n", b"\n") for path, data in new.items()} == old
    converted = {path for path, data in windows.items() if b"\n" in data}
    assert all(new[path] == as_crlf(old[path]) for path in converted & set(old))


@settings(deadline=None)
@given(BLOCKS, files(), files())
@pytest.mark.long
def test_the_order_of_files_changes_no_verdict(
    blocks: list[tuple[str, list[str], list[str]]], one: bytes, other: bytes
) -> None:
    """Any order in which the blocks of each file keep theirs."""
    tree = {"a.py": one, "b.py": other}
    by_file = sorted(blocks, key=lambda item: item[0])
    plain, moved = (apply_response(response(order), tree.get) for order in (blocks, by_file))
    expected = [verdict for _, verdict in sorted(zip((b[0] for b in blocks), verdicts(plain), strict=True), key=first)]
    assert verdicts(moved) == expected
    assert moved.contents == plain.contents


def first(pair: tuple[str, str]) -> str:
    return pair[0]


@settings(deadline=None)
@given(st.binary(max_size=60) | files().map(lambda data: data + b"\r"), SECTION, SECTION)
@example(b"a\nb\r", ["a"], [])
@example(b"a\n" + BOM + b"b\n", ["a"], [])
@pytest.mark.long
def test_no_bytes_of_a_file_raise(data: bytes, old: list[str], new: list[str]) -> None:
    result = apply_response(response([("a.py", old, new)]), {"a.py": data}.get)
    assert len(result.results) == 1
    lines = data.decode("utf-8", "ignore").split("\n")
    for line in lines[:3]:
        changed = apply_response(response([("a.py", [line], ["new", "lines"])]), {"a.py": data}.get)
        assert len(changed.rows) >= 1


def test_blocks_by_hand_are_planned_like_read_ones() -> None:
    parsed = parse_response(block("x\n", "y\n"))
    result = apply_edits(parsed.blocks, {"a.py": b"x\n"}.get)
    assert result.contents == {"a.py": b"y\n"}
    assert result == apply_response(block("x\n", "y\n"), {"a.py": b"x\n"}.get)


# What a bug anywhere between a match and the bytes could do to a plan of seven lines, line 3 of which was replaced.
def spoil(change: Callable[[SourceText], object]) -> Callable[[FilePlan], None]:
    def seam(plan: FilePlan) -> None:
        assert plan.text is not None
        change(plan.text)

    return seam


def with_line(index: int, line: str) -> Callable[[FilePlan], None]:
    return spoil(lambda text: operator.setitem(text.lines, index, line))


def with_end(index: int, end: str) -> Callable[[FilePlan], None]:
    return spoil(lambda text: operator.setitem(text.ends, index, end))


def without_last_line(text: SourceText) -> None:
    text.lines.pop()
    text.ends.pop()


def with_last_line_twice(text: SourceText) -> None:
    text.lines.append(text.lines[-1])
    text.ends.append("\n")


def with_first_line_twice(text: SourceText) -> None:
    text.lines.insert(0, text.lines[0])
    text.ends.insert(0, "\n")


def with_two_lines_swapped(text: SourceText) -> None:
    text.lines[:2] = text.lines[1::-1]


def with_two_lines_moved(text: SourceText) -> None:
    """Even their numbers go with them: each line is the old one, in another order."""
    text.lines[3:5], text.ends[3:5] = text.lines[4:2:-1], text.ends[4:2:-1]
    text.origins = LineMap(7)
    text.origins.splice(0, 7, (0, 1, "new", 4, 3, 5, 6))


def another_map(*splices: tuple[int, int, tuple[str | int, ...]]) -> Callable[[FilePlan], None]:
    def change(text: SourceText) -> None:
        text.origins = LineMap(7)
        for splice in splices:
            text.origins.splice(*splice)

    return spoil(change)


SEAMS: dict[str, Callable[[FilePlan], None]] = {
    "a kept line is changed above": with_line(0, "A"),
    "a kept line is changed below": with_line(6, "G"),
    "a kept line loses its indentation": with_line(1, "b"),
    "an end is changed": with_end(1, "\n"),
    "an end is lost": with_end(4, ""),
    "the BOM is lost": spoil(lambda text: setattr(text, "bom", "")),
    "a line is lost": spoil(without_last_line),
    "a line is doubled": spoil(with_first_line_twice),
    "two lines are swapped": spoil(with_two_lines_swapped),
    "a newline is in a line": with_line(2, "new\nline"),
    "the numbers are of another place": another_map((4, 5, ("new",))),
    "the numbers are of no change": another_map(),
    "the numbers go back": another_map((0, 7, (1, 0, "new", 3, 4, 5, 6))),
    "two lines are moved": spoil(with_two_lines_moved),
    "the numbers are too few": another_map((2, 4, ("new",))),
}


def planned() -> FilePlan:
    plan = FilePlan("a.py", BOM + b"a\n  b\r\nc\nd\ne\nf\ng\n")
    assert plan.splice(2, 3, ("new",))
    return plan


@pytest.mark.parametrize("seam", SEAMS.values(), ids=SEAMS)
def test_the_proof_catches_what_a_bug_could_do(seam: Callable[[FilePlan], None]) -> None:
    plan = planned()
    assert plan.result() == BOM + b"a\n  b\r\nnew\nd\ne\nf\ng\n"
    seam(plan)
    with pytest.raises(
        SelfCheckFailed, match=r"the result for a\.py would .*; nothing was written, report it with the log"
    ):
        plan.result()


UNEVEN: dict[str, list[bytes]] = {  # lines on both sides of the tenth, which is the one that changes
    "of the same length": [b"1234567\n"] * 30,
    "shorter ones above": [b"1234567\n"] * 10 + [b"123456789\n"] * 20,
    "blank ones above": [b"\n"] * 10 + [b"123456789\n"] * 20,
    "longer ones above": [b"1234567890" * 9 + b"\n"] * 10 + [b"1\n"] * 20,
    "no newline at the end": [b"1234567\n"] * 29 + [b"8"],
}


@pytest.mark.parametrize("lines", UNEVEN.values(), ids=UNEVEN)
def test_the_proof_passes_lines_of_any_length(lines: list[bytes]) -> None:
    plan = FilePlan("a.py", b"".join(lines))
    assert plan.splice(10, 11, ("new",))
    assert plan.splice(30, 30, ("last",))
    rest = b"".join(lines[11:]) + b"\n" * (not lines[-1].endswith(b"\n"))
    assert plan.result() == b"".join(lines[:10]) + b"new\n" + rest + b"last" + lines[-1][1:][-1:]
    with_line(9, "other")(plan)
    with pytest.raises(SelfCheckFailed, match="would have touched lines 1-10, which no block names"):
        plan.result()


def test_a_blank_line_that_goes_is_no_newline_that_goes() -> None:
    plan = FilePlan("a.py", b"a\n\nb\n")
    assert plan.splice(2, 3, ())
    assert not plan.end_last_line(("", "no")), "a blank line without its end would vanish"
    assert plan.result() == b"a\n\n"
    spoil(without_last_line)(plan)
    with pytest.raises(SelfCheckFailed, match="would have touched lines 1-2, which no block names"):
        plan.result()


def test_a_line_too_many_at_the_end_is_seen() -> None:
    plan = FilePlan("a.py", b"a\nb\n")
    assert plan.splice(0, 1, ("c",))
    spoil(with_last_line_twice)(plan)
    with pytest.raises(SelfCheckFailed, match="would have had 3 lines instead of 2"):
        plan.result()
