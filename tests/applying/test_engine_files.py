"""The engine and the tree: creating, folders, numbers and places."""

from collections.abc import Sequence
from typing import Any

import pytest
from support.enginekit import BOM, GOOD, entries, no_file
from support.planned import planned
from support.responses import block, verdicts

from editblocks import (
    Problem,
    ReasonCode,
    Settings,
)
from editblocks.parsing.parse import FORMAT_NAMES, formats_named
from editblocks.repos.stores.memory import MemoryRepo

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
    result = planned(block("", new), lambda _path: data)
    assert verdicts(result) == [f"a.py {verdict}"]
    assert result.contents.get("a.py") == after
    assert result.originals == ({} if after is None else {"a.py": data})


TICKS, BARE = "```\n", block("x\n", "y\n", path="")
LISTED = ("a.py", "1. a.py", "1) a.py", "a.py (old)")
# by the line that names the file, where all of LISTED are there
NAMES = {
    "an item of a list": (block("x\n", "y\n", path="1. a.py"), "a.py exact"),
    "in back-ticks": (block("x\n", "y\n", path="- `1. a.py`"), "a.py exact"),
    "a heading": ("### File: 1. a.py\n\n" + BARE, "a.py exact"),
    "a remark": (block("x\n", "y\n", path="a.py (old)"), "a.py exact"),
    "edit:": (f"```edit:1. a.py\n{BARE}{TICKS}", "1. a.py exact"),
}


@pytest.mark.parametrize(("text", "verdict"), NAMES.values(), ids=NAMES)
def test_what_is_taken_off_a_line_is_of_no_name(text: str, verdict: str) -> None:
    assert verdicts(planned(text, dict.fromkeys(LISTED, b"x\n").get)) == [verdict]


def test_what_cannot_be_read_fails_the_file_that_its_line_names() -> None:
    assert verdicts(planned("a.py\n<<<<<<< SEARCH\nx\n", {"a.py": b"x\n"}.get)) == ["a.py unclosed"]


# rows that cannot be read, by the line that names their file
UNREAD = {
    "a block": "<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n",
    "two closers": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n>>>>>>> REPLACE\n",
    "a hunk": "```diff\n@@ -1 +1 @@\n```\n",
    "a whole file": "```\ny\n<<<<<<< SEARCH\n```\n",
}


@pytest.mark.parametrize("unread", UNREAD.values(), ids=UNREAD)
def test_what_cannot_be_read_holds_up_the_file_of_its_own_line_alone(unread: str) -> None:
    files = {"a.md": b"x\n", "b.md": b"x\n"}
    text = f"a.md\n{unread}\n" + "".join(f"{name}\n{TICKS}{BARE}{TICKS}\n" for name in files)
    failed, *others = verdicts(planned(text, files.get, Settings(whole_files="all")))
    assert failed.split(" ")[0] == "a.md"
    assert others == ["a.md earlier-failure", "b.md exact"]


def test_a_file_that_exists_is_described() -> None:
    rows = [planned(block("", "x\n"), {"a.py": data}.get).results[0] for data in (b"y\n", b"y\nz\n")]
    assert [row.reason for row in rows] == [
        "a.py already has 1 line; send blocks that edit it",
        "a.py already has 2 lines; send blocks that edit it",
    ]


def test_a_block_that_creates_a_file_in_one_of_its_readings_only_makes_no_twin() -> None:
    text = block("", "=======\nx\n", path="A.py")
    assert verdicts(planned(text, no_file, entries=entries)) == ["A.py path-conflict"]


def test_what_a_result_tells() -> None:
    text = block("b\nc\n", "b\nB\n") + block("e\n", "", "") + block("B\n", "BB\n", "")
    result = planned(text, {"a.py": b"a\nb\nc\nd\ne\n"}.get)
    first, second, third = result.results
    assert (first.estimated_line, first.span, first.lines_added, first.lines_removed) == (2, (1, 3), 1, 1)
    assert (first.strategy, first.confidence, first.similarity, first.ok) == ("exact", "high", 1.0, True)
    assert (second.estimated_line, second.span, second.lines_added, second.lines_removed) == (5, (4, 5), 0, 1)
    assert (third.estimated_line, third.span) == (None, None)
    assert list(result.contents) == ["a.py"]
    assert result.counts == {"total": 3, "ok": 3, "applied": 3, "failed": 0, "skipped": 0}
    assert result.contents == {"a.py": b"a\nb\nBB\nd\n"}


def test_numbers_count_the_file_on_the_branch() -> None:
    """Two lines go above; the places that are named are those of the file as people see it."""
    text = block("1\n2\n", "") + block("x\n", "z\n", "")
    row = planned(text, {"a.py": b"1\n2\nx\ny\nx\n"}.get).results[1]
    assert row.reason == "matches at lines 3 and 5 of a.py; add a line above or below"
    assert [(place.start_line, place.end_line, place.pick) for place in row.candidates] == [
        (3, 3, "2@3"),
        (5, 5, "2@5"),
    ]


def test_a_place_in_new_text_cannot_be_picked() -> None:
    text = block("1\n", "x\n") + block("x\n", "z\n", "")
    row = planned(text, {"a.py": b"1\nx\n"}.get).results[1]
    assert [place.pick for place in row.candidates] == [None, "2@2"]


def test_a_read_that_returns_text_is_a_type_error() -> None:
    said = r"read\('a\.py'\) returned str; return bytes, or None if there is no such file"
    files: dict[str, Any] = {"a.py": "x\n"}
    with pytest.raises(TypeError, match=f"^{said}$"):
        planned(GOOD, files.get)
    with pytest.raises(TypeError, match=f"^{said}$"):
        planned(GOOD, {"a.py": b"z\n"}.get, base="0" * 40, read_base=lambda _: files.get)


def test_prefetch_hears_each_safe_path_once_and_first() -> None:
    heard: list[str] = []

    def read(path: str) -> bytes:
        heard.append(f"read {path}")
        return b"x\n"

    text = GOOD + block("y\n", "z\n") + block("x\n", "y\n", "../b.py") + block("x\n", "y\n", "c.py")
    text += block("x\n", "y\n", "action.yml") + block("x\n", "y\n", "secrets/d.py")
    planned(text, read, prefetch=heard.extend, settings=Settings(deny_paths=("secrets/**",)))
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
    result = planned(GOOD, files.get, formats=formats_named(asked), settings=Settings(formats=allowed))
    assert [row.code.value if isinstance(row, Problem) else row.strategy for row in result.rows] == found


WARNED = [
    ("a\u202eb\n", ["hidden-text"]),
    ("a\u200bb\u200bc\n", ["hidden-text"]),
    ("plain\n", []),
    ("👩\u200d🔬\n", []),
]


@pytest.mark.parametrize(("new", "notes"), WARNED)
def test_hidden_text_may_be_told_instead_of_refused(new: str, notes: list[str]) -> None:
    files = {"a.py": b"x\n"}
    result = planned(block("x\n", new), files.get, settings=Settings(suspicious_text="warn"))
    assert (result.ok, result.contents) == (True, {"a.py": new.encode()})
    assert [note.code for note in result.results[0].notes] == notes
    assert all(note.message.endswith("check that it belongs there") for note in result.results[0].notes)


def test_half_a_character_and_a_size_are_refused_all_the_same() -> None:
    settings = Settings(suspicious_text="warn", max_file_bytes=6)
    for new, code in (("a\u202e\ud800\n", ReasonCode.ENCODING), ("\u202elong\n", ReasonCode.TOO_LARGE)):
        [row] = planned(block("x\n", new), {"a.py": b"x\n"}.get, settings=settings).results
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
    result = planned(GOOD, files.get, entries=lambda directory: tree.get(directory, {}))
    assert verdicts(result) == [f"a.py {verdict}"]


def test_attributes_of_the_directory_count_too() -> None:
    tree = {"": {"src": "040000"}, "src": {"a.py": "100644", ".gitattributes": "100644"}}
    files = {"src/a.py": b"x\n", "src/.gitattributes": b"a.py ident\n"}
    result = planned(block("x\n", "y\n", "src/a.py"), files.get, entries=lambda path: tree.get(path, {}))
    assert [row.reason for row in result.results] == [
        "src/a.py has the attribute ident, which changes it on checkout; edit it by hand in a checkout"
    ]


def test_a_file_that_was_created_can_be_edited_with_a_tree() -> None:
    text = block("", "x\n", "b.py") + block("x\n", "y\n", "")
    result = planned(text, no_file, entries=entries)
    assert verdicts(result) == ["b.py create", "b.py exact"]
    assert result.contents == {"b.py": b"y\n"}
    assert result.results[0].estimated_line is None


def test_a_file_that_is_only_tried_can_be_renamed() -> None:
    """The deletion fails, so the creation and the renaming after it are only tried."""
    deletion = "diff --git a/n.txt b/n.txt\ndeleted file mode 100644\n--- a/n.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    creation = block("", "ONE\n", path="n.txt")
    renaming = "diff --git a/n.txt b/a/h.txt\nsimilarity index 100%\nrename from n.txt\nrename to a/h.txt\n"
    answer = f"```diff\n{deletion}```\n\n{creation}\n```diff\n{renaming}```\n"
    tree = MemoryRepo({"a/x": b"x\n"})
    result = planned(answer, tree.read, entries=tree.entries)
    assert verdicts(result) == ["n.txt file-not-found", "n.txt earlier-failure", "n.txt earlier-failure"]
