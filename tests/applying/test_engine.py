"""Blocks on files, verdict by verdict: docs/reference/formats.md, "applying".

What a page shows better is in tests/cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.responses import block, verdicts

from editblocks import (
    Problem,
    ReasonCode,
    Settings,
    apply_block,
    apply_response,
    parse_response,
    validate_block,
)
from editblocks.core.outcome import Response, Source
from editblocks.parsing.parse import FORMAT_NAMES, formats_named
from editblocks.paths import Entries

BOM = "\ufeff".encode()


def no_file(_path: str) -> None:
    """A tree without files."""


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
    result = apply_response(text, files.get)
    assert verdicts(result) == rows
    assert result.contents == contents


def test_half_a_character_is_named_with_its_place() -> None:
    result = apply_response(block("x\n", "a\nb\ud83d\n"), {"a.py": b"x\n"}.get)
    assert (
        result.results[0].reason == "the new text has U+D83D at line 2, column 2, which is half a character; remove it"
    )


def entries(directory: str) -> dict[str, str]:
    """A tree that holds `a.py` and nothing else."""
    return {"": {"a.py": "100644"}}.get(directory, {})


WEAK = {
    "no such file": ("Done", ["Done no-path"]),
    "prose that leaves the repository": ("See ../b.py", ["See ../b.py no-path"]),
    "a plain path to a missing file": ("b.py", ["b.py file-not-found"]),
}


@pytest.mark.parametrize(("line", "rows"), WEAK.values(), ids=WEAK)
@pytest.mark.parametrize("tree", [None, entries], ids=["files alone", "with a tree"])
def test_prose_that_names_no_file_names_no_path(line: str, rows: list[str], tree: Entries | None) -> None:
    result = apply_response(block("x\n", "y\n", line), {"a.py": b"x\n"}.get, entries=tree)
    assert verdicts(result) == rows


def test_a_block_without_effect_writes_no_line() -> None:
    """It is a no-op by its bytes alone, so a later block may still be placed in its lines."""
    text = block("x \ny\n", "x\ny\n") + block("x\n", "z\n", "")
    result = apply_response(text, {"a.py": b"x\ny\nx\n"}.get)
    assert verdicts(result) == ["a.py no-op", "a.py ambiguous"]
    assert [place.pick for place in result.results[1].candidates] == ["2@1", "2@3"]


def test_a_bom_alone_is_a_blank_line() -> None:
    text = block("\ufeff\n", "x\n")
    assert verdicts(apply_response(text, {"a.py": b"y\n\nz\n"}.get)) == ["a.py file-exists"]
    assert apply_response(text, no_file).contents == {"a.py": b"x\n"}


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
    result = apply_response(block(old, new), {"a.py": file.encode()}.get)
    assert verdicts(result) == [f"a.py {verdict}"]
    assert bool(result.contents) == (verdict == "exact")


def test_a_reading_that_is_not_the_blocks_own_proves_nothing() -> None:
    """The second divider underlines a heading; what stands below it was in the file before."""
    text = block("old\n", f"Title\n=======\n{'long ' * 12}\n", "a.md")
    result = apply_response(text, {"a.md": f"other\n\n{'long ' * 12}\n".encode()}.get)
    assert verdicts(result) == ["a.md no-match"]


def test_many_places_are_counted_and_few_are_kept() -> None:
    result = apply_response(block("}\n", "x\n"), {"a.py": b"}\n" * 2000}.get)
    row = result.results[0]
    assert (row.candidates_total, len(row.candidates)) == (2000, 50)
    assert row.reason == (
        "matches at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1990 more of a.py; add a line above or below"
    )


def test_a_twin_is_seen_behind_many_that_overlap() -> None:
    """The old line fits by tolerance alone, inside the new ones; these stand further down as well."""
    file = "}\n" * 60 + "x \n" + "}\n" * 60
    result = apply_response(block("x\n", "}\n"), {"a.py": file.encode()}.get)
    assert verdicts(result) == ["a.py ambiguous"]


def test_a_line_of_the_block_is_measured_in_bytes() -> None:
    sizes = {len("€" * count): count for count in (21_845, 21_846)}
    rows = [verdicts(apply_response(block("x\n", "€" * n + "\n"), {"a.py": b"x\n"}.get)) for n in sizes.values()]
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
    result = apply_response(text, lambda _path: data)
    assert verdicts(result) == [row]
    assert result.contents == {}


FAIL, GOOD = block("missing\n", "y\n"), block("x\n", "y\n")
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
    result = apply_response(text, {"a.py": b"z\nx\n", "b.py": b"x\n"}.get)
    assert verdicts(result) == rows


CREATED: dict[str, tuple[str, bytes | None, str, bytes | None]] = {
    "absent": ("x\n", None, "create", b"x\n"),
    "one newline at the end": ("x\n\n \n\n", None, "create", b"x\n"),
    "blank lines at the start stay": ("\n\nx\n", None, "create", b"\n\nx\n"),
    "both sections empty": ("", None, "create", b""),
    "blank lines only": ("\n\n", None, "create", b""),
    "a BOM is taken off": ("\ufeffx\n", None, "create", b"x\n"),
    "0 bytes": ("x\n", b"", "create", b"x\n"),
    "a BOM alone": ("x\n", BOM, "create", BOM + b"x\n"),
    "0 bytes, nothing new": ("", b"", "no-op", None),
    "the same": ("x\n", b"x\n", "already-applied", None),
    "the same, other ends": ("x\ny\n", b"x\r\ny", "already-applied", None),
    "the same with a BOM": ("x\n", BOM + b"x\n", "already-applied", None),
    "another text": ("x\n", b"y\n", "file-exists", None),
    "more text": ("x\n", b"x\ny\n", "file-exists", None),
    "one blank line": ("x\n", b"\n", "file-exists", None),
}


@pytest.mark.parametrize(("new", "data", "verdict", "after"), CREATED.values(), ids=CREATED)
def test_creating(new: str, data: bytes | None, verdict: str, after: bytes | None) -> None:
    result = apply_response(block("", new), lambda _path: data)
    assert verdicts(result) == [f"a.py {verdict}"]
    assert result.contents.get("a.py") == after
    assert result.originals == ({} if after is None else {"a.py": data})


def test_a_file_that_exists_is_described() -> None:
    rows = [apply_response(block("", "x\n"), {"a.py": data}.get).results[0] for data in (b"y\n", b"y\nz\n")]
    assert [row.reason for row in rows] == [
        "a.py has 1 line already; send blocks that edit it",
        "a.py has 2 lines already; send blocks that edit it",
    ]


def test_what_a_result_tells() -> None:
    text = block("b\nc\n", "b\nB\n") + block("e\n", "", "") + block("B\n", "BB\n", "")
    result = apply_response(text, {"a.py": b"a\nb\nc\nd\ne\n"}.get)
    first, second, third = result.results
    assert (first.estimated_line, first.span, first.lines_added, first.lines_removed) == (2, (1, 3), 1, 1)
    assert (first.strategy, first.confidence, first.similarity, first.ok) == ("exact", "high", 1.0, True)
    assert (second.estimated_line, second.span, second.lines_added, second.lines_removed) == (5, (4, 5), 0, 1)
    assert (third.estimated_line, third.span) == (None, None)
    assert (first.anchor_preview, first.old_preview, first.new_preview) == ("", "b", "b")
    assert result.files_modified == ("a.py",)
    assert result.counts == {"total": 3, "ok": 3, "applied": 3, "failed": 0, "skipped": 0}
    assert result.contents == {"a.py": b"a\nb\nBB\nd\n"}


def test_numbers_count_the_file_on_the_branch() -> None:
    """Two lines go above; the places that are named are those of the file as people see it."""
    text = block("1\n2\n", "") + block("x\n", "z\n", "")
    row = apply_response(text, {"a.py": b"1\n2\nx\ny\nx\n"}.get).results[1]
    assert row.reason == "matches at lines 3 and 5 of a.py; add a line above or below"
    assert [(place.start_line, place.end_line, place.pick) for place in row.candidates] == [
        (3, 3, "2@3"),
        (5, 5, "2@5"),
    ]


def test_a_place_in_new_text_cannot_be_picked() -> None:
    text = block("1\n", "x\n") + block("x\n", "z\n", "")
    row = apply_response(text, {"a.py": b"1\nx\n"}.get).results[1]
    assert [place.pick for place in row.candidates] == [None, "2@2"]


def test_a_read_that_returns_text_is_a_type_error() -> None:
    said = r"read\('a\.py'\) returned str; return bytes, or None if there is no such file"
    files: dict[str, Any] = {"a.py": "x\n"}
    with pytest.raises(TypeError, match=f"^{said}$"):
        apply_response(GOOD, files.get)
    with pytest.raises(TypeError, match=f"^{said}$"):
        apply_response(GOOD, {"a.py": b"z\n"}.get, base="0" * 40, read_base=lambda _: files.get)


def test_prefetch_hears_each_safe_path_once_and_first() -> None:
    heard: list[str] = []

    def read(path: str) -> bytes:
        heard.append(f"read {path}")
        return b"x\n"

    text = GOOD + block("y\n", "z\n") + block("x\n", "y\n", "../b.py") + block("x\n", "y\n", "c.py")
    text += block("x\n", "y\n", "action.yml") + block("x\n", "y\n", "secrets/d.py")
    apply_response(text, read, prefetch=heard.extend, settings=Settings(deny_paths=("secrets/**",)))
    assert heard == ["a.py", "c.py", "read a.py", "read c.py"]


@pytest.mark.parametrize(
    ("asked", "allowed", "found"),
    [
        (FORMAT_NAMES, (), ["exact"]),
        (FORMAT_NAMES, ("diff-fenced",), ["exact"]),
        (("diff",), ("edit-v2", "diff"), ["exact"]),
        (FORMAT_NAMES, ("edit-v2",), ["unsupported-format"]),
        (("diff",), ("edit-v2",), ["unsupported-format"]),
        (("edit-v2",), ("diff",), ["unsupported-format"]),
    ],
)
def test_a_format_is_asked_for_and_allowed(asked: Sequence[str], allowed: tuple[str, ...], found: list[str]) -> None:
    files = {"a.py": b"x\n"}
    result = apply_response(GOOD, files.get, formats=formats_named(asked), settings=Settings(formats=allowed))
    assert [row.code.value if isinstance(row, Problem) else row.strategy for row in result.rows] == found


WARNED = [
    ("a\u202eb\n", ["hidden-text"]),
    ("a\u200bb\u200bc\n", ["hidden-text"]),
    ("plain\n", []),
]


@pytest.mark.parametrize(("new", "notes"), WARNED)
def test_hidden_text_may_be_told_instead_of_refused(new: str, notes: list[str]) -> None:
    files = {"a.py": b"x\n"}
    result = apply_response(block("x\n", new), files.get, settings=Settings(suspicious_text="warn"))
    assert (result.ok, result.contents) == (True, {"a.py": new.encode()})
    assert [note.code for note in result.results[0].notes] == notes
    assert all(note.message.endswith("look whether it belongs there") for note in result.results[0].notes)


def test_half_a_character_and_a_size_are_refused_all_the_same() -> None:
    settings = Settings(suspicious_text="warn", max_file_bytes=6)
    for new, code in (("a\u202e\ud800\n", ReasonCode.ENCODING), ("\u202elong\n", ReasonCode.TOO_LARGE)):
        [row] = apply_response(block("x\n", new), {"a.py": b"x\n"}.get, settings=settings).results
        assert row.code is code


TREES: dict[str, tuple[dict[str, dict[str, str]], dict[str, bytes], str]] = {
    "a file": ({"": {"a.py": "100644"}}, {"a.py": b"x\n"}, "exact"),
    "an executable": ({"": {"a.py": "100755"}}, {"a.py": b"x\n"}, "exact"),
    "a link": ({"": {"a.py": "120000"}}, {"a.py": b"b.py"}, "not-a-file"),
    "a submodule": ({"": {"a.py": "160000"}}, {}, "not-a-file"),
    "a directory": ({"": {"a.py": "040000"}}, {}, "path-conflict"),
    "nothing": ({"": {}}, {}, "file-not-found"),
    "a filter": (
        {"": {"a.py": "100644", ".gitattributes": "100644"}},
        {"a.py": b"x\n", ".gitattributes": b"*.py filter=lfs\n"},
        "filtered",
    ),
    "a filter for other files": (
        {"": {"a.py": "100644", ".gitattributes": "100644"}},
        {"a.py": b"x\n", ".gitattributes": b"*.bin filter=lfs\n"},
        "exact",
    ),
    "attributes that are a link": (
        {"": {"a.py": "100644", ".gitattributes": "120000"}},
        {"a.py": b"x\n", ".gitattributes": b"*.py filter=lfs\n"},
        "exact",
    ),
}


@pytest.mark.parametrize(("tree", "files", "verdict"), TREES.values(), ids=TREES)
def test_what_the_tree_lets_a_block_change(
    tree: dict[str, dict[str, str]], files: dict[str, bytes], verdict: str
) -> None:
    result = apply_response(GOOD, files.get, entries=lambda directory: tree.get(directory, {}))
    assert verdicts(result) == [f"a.py {verdict}"]


def test_attributes_of_the_directory_count_too() -> None:
    tree = {"": {"src": "040000"}, "src": {"a.py": "100644", ".gitattributes": "100644"}}
    files = {"src/a.py": b"x\n", "src/.gitattributes": b"a.py ident\n"}
    result = apply_response(block("x\n", "y\n", "src/a.py"), files.get, entries=lambda path: tree.get(path, {}))
    assert [row.reason for row in result.results] == [
        "src/a.py has the attribute ident, which changes it on checkout; edit it in a checkout"
    ]


def test_a_file_that_was_created_can_be_edited_with_a_tree() -> None:
    text = block("", "x\n", "b.py") + block("x\n", "y\n", "")
    result = apply_response(text, no_file, entries=entries)
    assert verdicts(result) == ["b.py create", "b.py exact"]
    assert result.contents == {"b.py": b"y\n"}
    assert result.results[0].estimated_line is None


ONE: dict[str, tuple[str | None, str, str | None]] = {
    "applied": ("x\n", "y\n", None),
    "no file": (None, "", "file-not-found"),
    "another text": ("z\n", "z\n", "no-match"),
    "a BOM": ("\ufeffx\n", "\ufeffy\n", None),
    "half a character": ("x\n\ud83d\n", "x\n\ud83d\n", "encoding"),
}


@pytest.mark.parametrize(("content", "after", "code"), ONE.values(), ids=ONE)
def test_one_block_on_one_text(content: str | None, after: str, code: str | None) -> None:
    read = parse_response(GOOD).blocks[0]
    text, result = apply_block(read, content)
    assert (text, result.code and result.code.value) == (after, code)
    assert validate_block(read, content) == result


def test_exact_matching_alone_tolerates_nothing() -> None:
    result = apply_response(GOOD, {"a.py": b"x \n"}.get, settings=Settings(matching="exact"))
    assert verdicts(result) == ["a.py no-match"]


OPERATIONS = [
    ("", "x\n", "create"),
    (" \n", "x\n", "create"),
    ("x\n", "", "delete-lines"),
    ("x\n", "x\ny\n", "insert"),
    ("x\n", "y\nx\n", "insert"),
    ("TAX = 1\n", "OUR_TAX = 1\n", "modify"),
    ("x\n", "y\nax\n", "modify"),
    ("x\ny\n", "z\nax\ny\n", "modify"),
    ("x\n", "y\n", "modify"),
]


@pytest.mark.parametrize(("old", "new", "operation"), OPERATIONS)
def test_what_a_block_does(old: str, new: str, operation: str) -> None:
    assert parse_response(block(old, new)).blocks[0].operation == operation


def test_a_digest_tells_requests_apart() -> None:
    texts = [
        GOOD,
        FAIL,
        block("x\n", "y\n", "b.py"),
        block("x\ny\n", ""),
        block("x\n", "y\ny\n"),
        block("\ud83d\n", ""),
    ]
    digests = {parse_response(text).blocks[0].digest for text in texts}
    assert len(digests) == len(texts)
    assert {len(digest) for digest in digests} == {64}
    assert parse_response(f"Hello.\n\n{GOOD}").blocks[0].digest == parse_response(GOOD).blocks[0].digest


def test_a_response_has_the_digest_of_its_text_without_carriage_returns() -> None:
    source = Source("1", "text")
    assert Response("a\r\nb", source).digest == Response("a\nb", source).digest != Response("a\rb", source).digest


def test_nothing_to_do_is_not_ok() -> None:
    result = apply_response("Hello.", no_file)
    assert (result.ok, result.rows, result.contents) == (False, (), {})


EMPTIED: dict[str, tuple[str, bytes | None, str]] = {
    "every line goes": ("x\n", b"x\n", "empty"),
    "a line stays": ("x\n", b"x\ny\n", "delete-lines"),
    "an empty file is created": ("", None, "create"),
    "it fails": ("z\n", b"x\n", "delete-lines"),
}


@pytest.mark.parametrize(("old", "data", "operation"), EMPTIED.values(), ids=EMPTIED)
def test_a_file_without_a_line_left_has_a_word_of_its_own(old: str, data: bytes | None, operation: str) -> None:
    [row] = apply_response(block(old, ""), {"a.py": data}.get).results
    assert row.operation == operation


NO_FILES: dict[str, bytes] = {}


def test_a_base_that_is_given_goes_before_one_that_is_written() -> None:
    text = "base: 1234567\n" + block("x\n", "y\n")
    assert apply_response(text, NO_FILES.get).base == "1234567"
    assert apply_response(text, NO_FILES.get, base="abcdef1").base == "abcdef1"


def test_lines_count_from_where_the_text_begins_in_its_file() -> None:
    [row] = apply_response(block("x\n", "y\n"), {"a.py": b"x\n"}.get, first_line=5).results
    assert (row.block.line_number, row.block.end_line) == (6, 10)


def test_formats_that_are_not_wanted_are_refused() -> None:
    text = block("x\n", "y\n")
    result = apply_response(text, {"a.py": b"x\n"}.get, formats=formats_named(["edit-v2"]))
    assert verdicts(result) == ["a.py unsupported-format"]


def test_several_separators_settle_whether_a_file_is_created() -> None:
    """In code no reading that would write a divider line is taken, also where there is no file yet."""
    text = "a.py\n<<<<<<< EDIT\n-------\n=======\nx\n-------\ny\n-------\n>>>>>>>\n"
    assert verdicts(apply_response(text, NO_FILES.get)) == ["a.py malformed"]
    assert apply_response(text.replace("a.py", "a.md"), NO_FILES.get).contents == {"a.md": b"x\n-------\ny\n"}


RULE = "=======\n"
SETUP = block(f"Install\n{RULE}\nRun make\n", f"Setup\n{RULE}\nRun make\n", "R.md")
UNDERLINES: dict[str, tuple[str, str, str, str | None]] = {
    "a renamed heading": (SETUP, f"Install\n{RULE}\nRun make\n", "R.md exact", f"Setup\n{RULE}\nRun make\n"),
    "again, beside a line of the old name": (SETUP, f"Install\n\nSetup\n{RULE}\nRun make\n", "R.md malformed", None),
    "with another underline by now": (SETUP, "Install\n-------\n\nRun make\n", "R.md no-match", None),
    "without the underline by now": (
        block(f"Title\n{RULE}Old\n", "New\n", "R.md"),
        "Title\n\nOld\n",
        "R.md malformed",
        None,
    ),
    "a section before an underlined heading": (
        block(f"Install\n{RULE}", f"Preface\n{RULE}Hi.\nInstall\n{RULE}Note.\n", "R.md"),
        f"Install\n{RULE}Text\n",
        "R.md exact",
        f"Preface\n{RULE}Hi.\nInstall\n{RULE}Note.\nText\n",
    ),
    "a new underlined section": (
        block("Intro\n", f"Intro\n\nUsage\n{RULE}\nmake\n", "R.md"),
        "Intro\n\nmake\n",
        "R.md exact",
        f"Intro\n\nUsage\n{RULE}\nmake\n\nmake\n",
    ),
    "a divider twice": (block("Intro\n", f"{RULE}New\n", "R.md"), "Intro\n", "R.md malformed", None),
    "blank lines before the divider": (block(f"\n{RULE}", f"Title\n{RULE}", "R.md"), "\n", "R.md malformed", None),
}


@pytest.mark.parametrize(("text", "file", "row", "after"), UNDERLINES.values(), ids=UNDERLINES)
def test_underlines_that_look_like_dividers(text: str, file: str, row: str, after: str | None) -> None:
    result = apply_response(text, {"R.md": file.encode()}.get)
    assert verdicts(result) == [row]
    assert result.contents == ({} if after is None else {"R.md": after.encode()})


NAMELESS = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
NAMED: dict[str, tuple[str, str]] = {
    "a module, a host and a product": ("### File: a.py\n\nCall os.path on github.com with Node.js.\n\n", "a.py exact"),
    "another file": ("### File: a.py\n\nNow b.py needs it.\n\n", "- no-path"),
    "code that is no file": ("### File: a.py\n\n`os.path`\n\nMore.\n\n", "a.py exact"),
    "the same file without its folder": ("### File: src/a.py\n\n`a.py`\n\nMore.\n\n", "src/a.py exact"),
    "another file in code": ("### File: a.py\n\n`b.py`\n\nMore text.\n\n", "- no-path"),
    "a deeper heading for another file": ("# File: a.py\n\n### `b.py`\n\nMore text.\n\n", "- no-path"),
    "a comment with the file's own name": ("```edit:src/a.py\n# a.py\n", "src/a.py exact"),
    "a comment with an attribute": ("```edit:src/a.py\n# self.x\n", "src/a.py exact"),
    "a comment with another file's name": ("```edit:src/a.py\n# b.py\n", "- no-path"),
    "two fences that name files": ("````edit:a.py\n```edit:b.py\n", "- no-path"),
    "two lines": ("src/a.py\na.py\n", "- no-path"),
    "the same line twice": ("a.py\na.py\n", "a.py exact"),
    "a loose list": ("- src/a.py\n\n- a.py\n\n", "- no-path"),
    "a Windows path in code": ("`src\\a.py`\n", "src/a.py exact"),
    "a Windows path with a name that begins with a sign": ("`src\\_a.py`\n", "src/_a.py exact"),
    "an escaped sign": ("src\\_a.py\n", "src\\_a.py unsafe-path"),
    "a heading that is a sentence": ("### File: changes to the main module\n\n", "changes to the main module no-path"),
    "a heading that is closed": ("### File: a.py ###\n\n", "a.py exact"),
}


@pytest.mark.parametrize(("above", "row"), NAMED.values(), ids=NAMED)
def test_which_file_a_block_changes(above: str, row: str) -> None:
    files = dict.fromkeys(("a.py", "src/a.py", "src/_a.py", "b.py"), b"x\n")
    assert verdicts(apply_response(above + NAMELESS, files.get)) == [row]


HOME = "/home/me/repo"
ABSOLUTE = {
    "below the root": (f"{HOME}/src/a.py", "src/a.py exact", ["path-cleaned"]),
    "from the root": ("src/a.py", "src/a.py exact", []),
    "of a folder beside it": (f"{HOME}2/src/a.py", f"{HOME}2/src/a.py unsafe-path", []),
    "above it": (f"{HOME}/../repo/src/a.py", "../repo/src/a.py unsafe-path", ["path-cleaned"]),
    "absolute once more": (f"{HOME}//etc/hosts.txt", "/etc/hosts.txt unsafe-path", ["path-cleaned"]),
    "of git": (f"{HOME}/.git/hooks/pre-push.sh", ".git/hooks/pre-push.sh unsafe-path", ["path-cleaned"]),
    "elsewhere": ("/etc/hosts.txt", "/etc/hosts.txt unsafe-path", []),
}


@pytest.mark.parametrize(("path", "verdict", "notes"), ABSOLUTE.values(), ids=ABSOLUTE)
def test_an_absolute_path_below_the_root_counts_from_there(path: str, verdict: str, notes: list[str]) -> None:
    result = apply_response(block("x\n", "y\n", path), {"src/a.py": b"x\n"}.get, root=HOME)
    assert verdicts(result) == [verdict]
    assert [note.code for note in result.results[0].notes] == notes


@pytest.mark.parametrize("root", ["", "/"])
def test_without_a_root_an_absolute_path_is_unsafe(root: str) -> None:
    assert verdicts(apply_response(block("x\n", "y\n", "/a.py"), {"a.py": b"x\n"}.get, root=root)) == [
        "/a.py unsafe-path"
    ]


def test_a_block_below_the_root_waits_for_one_that_cannot_be_read() -> None:
    text = f"{HOME}/a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n\n" + block("x\n", "y\n")
    result = apply_response(text, {"a.py": b"x\n"}.get, root=HOME)
    assert [row.file_path for row in result.rows] == ["a.py", "a.py"]
    assert result.results[0].code is ReasonCode.EARLIER_FAILURE
