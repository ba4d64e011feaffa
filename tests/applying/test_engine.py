"""The engine on odd text: verdicts, order of the rules, what is applied already."""

import pytest
from support.enginekit import BOM, FAIL, GOOD, entries, no_file
from support.planned import planned
from support.responses import block, verdicts

from editblocks.paths.tree import Entries

# What stands in a file may look odd; what is asked for may too. Neither is our own fault.
ODD: dict[str, tuple[str, dict[str, bytes], list[str], dict[str, bytes]]] = {
    "a new line ends with a carriage return": (
        block("x\n", "y\r\r\n"),
        {"a.py": b"x\nz\n"},
        ["a.py exact"],
        {"a.py": b"y\r\nz\n"},
    ),
    "the old last line ends with a carriage return": (
        block("x\n", "") + block("b\r\r\n", "b\r\r\nc\n"),
        {"a.py": b"x\na\nb\r"},
        ["a.py exact", "a.py exact"],
        {"a.py": b"a\nb\r\nc"},
    ),
    "a second line that begins like a BOM becomes the first": (
        block("x\n", ""),
        {"a.py": b"x\n" + BOM + b"y\n"},
        ["a.py exact"],
        {"a.py": BOM + b"y\n"},
    ),
    "a far NUL comes near": (
        block("x\n", ""),
        {"a.py": b"x\n" + b"y\n" * 3999 + b"\0\n"},
        ["a.py exact"],
        {"a.py": b"y\n" * 3999 + b"\0\n"},
    ),
    "half a character in the new lines": (block("x\n", "y\ud83d\n"), {"a.py": b"x\n"}, ["a.py encoding"], {}),
    "half a character in a new file": (block("", "\udc80\n"), {}, ["a.py encoding"], {}),
    "half a character in the old lines": (block("x\ud83d\n", "y\n"), {"a.py": b"x\n"}, ["a.py no-match"], {}),
    "half a character in the path": (block("x\n", "y\n", "\ud83d.py"), {}, ["\ud83d.py unsafe-path"], {}),
}


@pytest.mark.parametrize(("text", "files", "rows", "contents"), ODD.values(), ids=ODD)
def test_odd_characters_get_a_verdict_and_keep_their_bytes(
    text: str, files: dict[str, bytes], rows: list[str], contents: dict[str, bytes]
) -> None:
    result = planned(text, files.get)
    assert verdicts(result) == rows
    assert result.contents == contents


def test_half_a_character_is_named_with_its_place() -> None:
    result = planned(block("x\n", "a\nb\ud83d\n"), {"a.py": b"x\n"}.get)
    assert (
        result.results[0].reason
        == "the new text has U+D83D at line 2, column 2, which is half a character (a lone surrogate); remove it"
    )


WEAK = {
    "no such file": ("Done", ["Done no-path"]),
    "prose that leaves the repository": ("See ../b.py", ["See ../b.py no-path"]),
    "a plain path to a missing file": ("b.py", ["b.py file-not-found"]),
}


@pytest.mark.parametrize(("line", "rows"), WEAK.values(), ids=WEAK)
@pytest.mark.parametrize("tree", [None, entries], ids=["files alone", "with a tree"])
def test_prose_that_names_no_file_names_no_path(line: str, rows: list[str], tree: Entries | None) -> None:
    result = planned(block("x\n", "y\n", line), {"a.py": b"x\n"}.get, entries=tree)
    assert verdicts(result) == rows


def test_a_block_without_effect_writes_no_line() -> None:
    """It is a no-op by its bytes alone, so a later block may still be placed in its lines."""
    text = block("x \ny\n", "x\ny\n") + block("x\n", "z\n", "")
    result = planned(text, {"a.py": b"x\ny\nx\n"}.get)
    assert verdicts(result) == ["a.py no-op", "a.py ambiguous"]
    assert [place.pick for place in result.results[1].candidates] == ["2@1", "2@3"]


def test_a_bom_alone_is_a_blank_line() -> None:
    text = block("\ufeff\n", "x\n")
    assert verdicts(planned(text, {"a.py": b"y\n\nz\n"}.get)) == ["a.py file-exists"]
    assert planned(text, no_file).contents == {"a.py": b"x\n"}


# SEARCH, REPLACE, the file: each is a result that is there, or only seems to be
ALREADY: dict[str, tuple[str, str, str, str]] = {
    "an insertion above": ("x\n", "new\nx\n", "new\nx\n", "already-applied"),
    "an insertion below": ("x\n", "x\nnew\n", "x\nnew\n", "already-applied"),
    "an insertion around": ("x\n", "a\nx\nb\n", "a\nx\nb\n", "already-applied"),
    "half an insertion": ("x\n", "a\nx\nb\n", "a\nx\n", "exact"),
    "an insertion, shifted": ("x\n", "new\nx\n", "  new\n  x\n", "already-applied"),
    "an insertion, trailing space": ("x\n", "new\nx\n", "new\nx  \n", "already-applied"),
    "a line more of the same": ("x\n", "x\nx\n", "x\n", "exact"),
    "the place shows that it is there": ("a\nx\n", "a\nx\nx\n", "a\nx\nx\n", "already-applied"),
    "above the first line": ("x\n", "new\nx\n", "x\nnew\n", "exact"),
    "three lines": ("x\n", "a\nb\nc\n", "a\nb\nc\n", "already-applied"),
    "three lines, one blank": ("x\n", "a\n\nc\n", "a\n\nc\n", "no-match"),
    "three lines, shifted": ("x\n", "a\nb\nc\n", "  a\n  b\n  c\n", "already-applied"),
    "three lines, twice": ("x\n", "a\nb\nc\n", "a\nb\nc\n" * 2, "no-match"),
    "40 characters": ("x\n", "a" * 40 + "\n", "a" * 40 + "\n", "already-applied"),
    "39 characters": ("x\n", "a" * 39 + "\n", "a" * 39 + "\n", "no-match"),
    "40 with spaces": ("x\n", "a " * 39 + "a\n", "a " * 39 + "a\n", "already-applied"),
    "39 with spaces": ("x\n", "a " * 38 + "a\n", "a " * 38 + "a\n", "no-match"),
    "a brace": ("x\n", "}\n", "}\n", "no-match"),
    "a part of the old lines": ("x\na\nb\nc\n", "a\nb\nc\n", "a\nb\nc\n", "no-match"),
    "a deletion": ("x\n", "", "y\n", "no-match"),
    "equal sections need no match": ("x\n", "x\n", "y\n", "no-op"),
    "a section that changes nothing": ("x \n", "x\n", "x\n", "no-op"),
}


@pytest.mark.parametrize(("old", "new", "file", "verdict"), ALREADY.values(), ids=ALREADY)
def test_already_applied_and_no_op(old: str, new: str, file: str, verdict: str) -> None:
    result = planned(block(old, new), {"a.py": file.encode()}.get)
    assert verdicts(result) == [f"a.py {verdict}"]
    assert bool(result.contents) == (verdict == "exact")


def test_a_reading_that_is_not_the_blocks_own_proves_nothing() -> None:
    """The second divider underlines a heading; what stands below it was in the file before."""
    text = block("old\n", f"Title\n=======\n{'long ' * 12}\n", "a.md")
    result = planned(text, {"a.md": f"other\n\n{'long ' * 12}\n".encode()}.get)
    assert verdicts(result) == ["a.md no-match"]


def test_many_places_are_counted_and_few_are_kept() -> None:
    result = planned(block("}\n", "x\n"), {"a.py": b"}\n" * 2000}.get)
    row = result.results[0]
    assert (row.candidates_total, len(row.candidates)) == (2000, 50)
    assert row.reason == (
        "matches at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1990 more of a.py; add a line above or below"
    )


@pytest.mark.parametrize("count", [3, 30])
def test_many_blocks_of_a_file_see_those_before_them(count: int) -> None:
    file = "".join(f"line {number}\n    }}\n" for number in range(count))
    text = "".join(block(f"line {number}\n", f"new {number}\n}}\n") for number in range(count))
    last = block("new 1 \n}\n", "changed\n") + block("line 0\n", "") + block("    }\n", "")
    result = planned(text + last, {"a.py": file.encode()}.get)
    rows = ["a.py exact"] * count + ["a.py trailing-space", "a.py no-match", "a.py earlier-failure"]
    assert verdicts(result) == rows
    lines = "".join(f"new {number}\n}}\n    }}\n" for number in range(count))
    assert result.contents == {"a.py": lines.replace("new 1\n}\n", "changed\n").encode()}


def test_a_twin_is_seen_behind_many_that_overlap() -> None:
    """The old line fits by tolerance alone, inside the new ones; these stand further down as well."""
    file = "}\n" * 60 + "x \n" + "}\n" * 60
    result = planned(block("x\n", "}\n"), {"a.py": file.encode()}.get)
    assert verdicts(result) == ["a.py ambiguous"]


def test_a_line_of_the_block_is_measured_in_bytes() -> None:
    sizes = {len("€" * count): count for count in (21_845, 21_846)}
    rows = [verdicts(planned(block("x\n", "€" * n + "\n"), {"a.py": b"x\n"}.get)) for n in sizes.values()]
    assert rows == [["a.py exact"], ["a.py too-large"]]


# 7.1: each row breaks two rules, and the earlier one decides. `.` is the file, None where there is none.
FIRST: dict[str, tuple[str, bytes | None, str]] = {
    "too large before unsafe": (block("x\n", "y" * 65_537 + "\n", "../a.py"), None, "../a.py too-large"),
    "unsafe before protected": (block("x\n", "y\n", ".github/../a.py"), None, ".github/../a.py unsafe-path"),
    "protected before missing": (block("x\n", "y\n", ".github/a.yml"), None, ".github/a.yml not-allowed"),
    "binary before no match": (block("x\n", "y\n"), b"\0", "a.py binary"),
    "encoding before no-op": (block("x\n", "x\n"), b"\xff", "a.py encoding"),
    "a pointer before no match": (
        block("x\n", "y\n"),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "a.py filtered",
    ),
    "missing before no-op": (block("x\n", "x\n"), None, "a.py file-not-found"),
    "no-op before no match": (block("x\n", "x\n"), b"y\n", "a.py no-op"),
    "file exists before hidden text": (block("", "\u200b\n"), b"y\n", "a.py file-exists"),
    "no match before hidden text": (block("x\n", "\u200b\n"), b"y\n", "a.py no-match"),
    "hidden text before nothing": (block("x\n", "\u200b\n"), b"x\n", "a.py hidden-text"),
    "already applied before hidden text": (block("x\n", "\u200b\nx\n"), "\u200b\nx\n".encode(), "a.py already-applied"),
}


@pytest.mark.parametrize(("text", "data", "row"), FIRST.values(), ids=FIRST)
def test_the_first_rule_that_is_broken_decides(text: str, data: bytes | None, row: str) -> None:
    result = planned(text, lambda _path: data)
    assert verdicts(result) == [row]
    assert result.contents == {}


AFTER: dict[str, tuple[str, list[str]]] = {
    "a failure stops its file": (FAIL + GOOD, ["a.py no-match", "a.py earlier-failure"]),
    "a failure spares other files": (
        FAIL + block("x\n", "y\n", "b.py"),
        ["a.py no-match", "b.py exact"],
    ),
    "what came before stays": (GOOD + FAIL, ["a.py exact", "a.py no-match"]),
    "a problem with a path stops its file": (
        "a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n" + GOOD,
        ["a.py no-divider", "a.py earlier-failure"],
    ),
    "a problem later in the text does not": (
        GOOD + "a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n",
        ["a.py exact", "a.py no-divider"],
    ),
    "a problem without a path stops nothing": (
        "Hello, all.\n" + block("x\n", "y\n", "") + "\n\n" + GOOD,
        ["- no-path", "a.py exact"],
    ),
    "a no-op does not": (block("x\n", "x\n") + GOOD, ["a.py no-op", "a.py exact"]),
    "a block that is applied already does not": (
        block("z\n", "z\nx\n") + GOOD,
        ["a.py already-applied", "a.py exact"],
    ),
    "a failure after a failure is its own where the path is bad": (
        block("x\n", "y\n", "../a.py") * 2,
        ["../a.py unsafe-path", "../a.py unsafe-path"],
    ),
}


@pytest.mark.parametrize(("text", "rows"), AFTER.values(), ids=AFTER)
def test_what_a_failure_stops(text: str, rows: list[str]) -> None:
    result = planned(text, {"a.py": b"z\nx\n", "b.py": b"x\n"}.get)
    assert verdicts(result) == rows
