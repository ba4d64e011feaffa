"""Blocks that delete, rename or add a whole file: what is written, and the row of each."""

from collections.abc import Mapping

import pytest
from support.file_blocks import add, delete, edit, parsed, rename
from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE
from support.planned import Given, files_after
from support.responses import verdicts

from editblocks.applying.engine import Options, apply_parsed
from editblocks.core.blocks import EditBlock, Note, Problem
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.model import ApplyResult, Written
from editblocks.core.selection import Selection
from editblocks.core.settings import Settings
from editblocks.repos.stores.memory import MemoryRepo

APP = b"def f():\n    return 1\n"
FILES = {
    "bom.txt": b"\xef\xbb\xbfa\n",
    "src/app.py": APP,
    "src/old.py": b"a\nb\n",
    "bin/run": b"#!/bin/sh\nexit 0\n",
    "logo.png": b"\x89PNG\0\xff",
    "latin.txt": b"caf\xe9\n",
    "empty": b"",
    "big.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5\n",
    "link": b"src/app.py",
    "vendor/lib": b"",
    ".gitattributes": b"*.psd filter=lfs\n",
    "art/x.psd": b"psd\n",
    "Makefile": b"all:\n",
}
MODES = {"bin/run": EXECUTABLE, "link": LINK, "vendor/lib": SUBMODULE}


def plan(*blocks: EditBlock | Problem, select: str = "", settings: Settings | None = None) -> ApplyResult:
    selection = Selection.read(select) if select else None
    return apply_parsed(parsed(*blocks), MemoryRepo(FILES, MODES), settings, Options(selection))


WRITTEN: dict[str, tuple[tuple[EditBlock, ...], list[str], Mapping[str, bytes | None]]] = {
    "a file goes": ((delete("src/old.py"),), ["src/old.py delete-file"], {"src/old.py": None}),
    "a binary file goes": ((delete("logo.png"),), ["logo.png delete-file"], {"logo.png": None}),
    "a file that is not UTF-8 goes": ((delete("latin.txt"),), ["latin.txt delete-file"], {"latin.txt": None}),
    "an empty file goes": ((delete("empty"),), ["empty delete-file"], {"empty": None}),
    "a file moves": (
        (rename("src/app.py", "lib/app.py"),),
        ["src/app.py rename"],
        {"src/app.py": None, "lib/app.py": APP},
    ),
    "a binary file moves": (
        (rename("logo.png", "art/logo.png"),),
        ["logo.png rename"],
        {"logo.png": None, "art/logo.png": FILES["logo.png"]},
    ),
    "a name changes by case alone": (
        (rename("Makefile", "makefile"),),
        ["Makefile rename"],
        {"Makefile": None, "makefile": b"all:\n"},
    ),
    "the name of a folder changes by case alone": (
        (rename("bin/run", "Bin/run"),),
        ["bin/run rename"],
        {"bin/run": None, "Bin/run": FILES["bin/run"]},
    ),
    "a file moves and changes": (
        (rename("src/app.py", "src/main.py"), edit("src/main.py", "    return 1\n", "    return 2\n")),
        ["src/app.py rename", "src/main.py exact"],
        {"src/app.py": None, "src/main.py": APP.replace(b"1", b"2")},
    ),
    "a file changes, then moves": (
        (edit("src/app.py", "    return 1\n", "    return 2\n"), rename("src/app.py", "src/main.py")),
        ["src/app.py exact", "src/app.py rename"],
        {"src/app.py": None, "src/main.py": APP.replace(b"1", b"2")},
    ),
    "a file moves twice": (
        (rename("src/app.py", "x.py"), rename("x.py", "y.py")),
        ["src/app.py rename", "x.py rename"],
        {"src/app.py": None, "y.py": APP},
    ),
    "two files swap their names": (
        (rename("src/app.py", "x.py"), rename("src/old.py", "src/app.py"), rename("x.py", "src/old.py")),
        ["src/app.py rename", "src/old.py rename", "x.py rename"],
        {"src/app.py": b"a\nb\n", "src/old.py": APP},
    ),
    "a file moves and comes back": (
        (rename("src/app.py", "x.py"), rename("x.py", "src/app.py")),
        ["src/app.py rename", "x.py rename"],
        {},
    ),
    "a file goes and is added again": (
        (delete("src/old.py"), add("src/old.py", "new\n")),
        ["src/old.py delete-file", "src/old.py create"],
        {"src/old.py": b"new\n"},
    ),
    "a file takes the place of one that goes": (
        (delete("src/old.py"), rename("src/app.py", "src/old.py")),
        ["src/old.py delete-file", "src/app.py rename"],
        {"src/old.py": APP, "src/app.py": None},
    ),
    "a file is changed, then goes": (
        (edit("src/old.py", "a\n", "x\n"), delete("src/old.py")),
        ["src/old.py exact", "src/old.py delete-file"],
        {"src/old.py": None},
    ),
    "a file is added, then goes": (
        (add("x", "new\n"), delete("x")),
        ["x create", "x delete-file"],
        {},
    ),
    "a file is added, then moves": (
        (add("x", "new\n"), rename("x", "y"), edit("y", "new\n", "newer\n")),
        ["x create", "x rename", "y exact"],
        {"y": b"newer\n"},
    ),
    "an executable file takes the place of one that was added": (
        (add("x", "new\n"), delete("x"), rename("bin/run", "x")),
        ["x create", "x delete-file", "bin/run rename"],
        {"bin/run": None, "x": FILES["bin/run"]},
    ),
    "a file goes and is changed": (
        (delete("src/old.py"), edit("src/old.py", "a\n", "x\n")),
        ["src/old.py delete-file", "src/old.py file-not-found"],
        {"src/old.py": None},
    ),
    "a file moves and is changed under its old name": (
        (rename("src/old.py", "x.py"), edit("src/old.py", "a\n", "x\n")),
        ["src/old.py rename", "src/old.py file-not-found"],
        {"src/old.py": None, "x.py": b"a\nb\n"},
    ),
    "a hunk of a moved file does not fit, and the move stays": (
        (rename("src/old.py", "x.py"), edit("x.py", "a\n", "A\n"), edit("x.py", "no such line\n", "x\n")),
        ["src/old.py rename", "x.py exact", "x.py no-match"],
        {"src/old.py": None, "x.py": b"A\nb\n"},
    ),
    "a file goes twice": (
        (delete("src/old.py"), delete("src/old.py")),
        ["src/old.py delete-file", "src/old.py file-not-found"],
        {"src/old.py": None},
    ),
    "nothing moves": ((rename("src/old.py", "src/old.py"),), ["src/old.py no-op"], {}),
    "a diff shows all lines of the file": (
        (delete("src/old.py", "a\nb\n", "unified"),),
        ["src/old.py delete-file"],
        {"src/old.py": None},
    ),
    "a diff shows a line below a byte order mark": (
        (delete("bom.txt", "\ufeffa\n", "unified"),),
        ["bom.txt delete-file"],
        {"bom.txt": None},
    ),
    "a diff shows a line of the file": (
        (delete("src/old.py", "b\n", "unified"),),
        ["src/old.py delete-file"],
        {"src/old.py": None},
    ),
    "a diff without lines": ((delete("src/old.py", "", "unified"),), ["src/old.py delete-file"], {"src/old.py": None}),
    "a diff without lines of a binary file": (
        (delete("logo.png", "", "unified"),),
        ["logo.png delete-file"],
        {"logo.png": None},
    ),
    "a diff without lines for an empty file": (
        (delete("empty", "", "unified"),),
        ["empty delete-file"],
        {"empty": None},
    ),
}


@pytest.mark.parametrize(("blocks", "rows", "contents"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written(blocks: tuple[EditBlock, ...], rows: list[str], contents: Mapping[str, bytes | None]) -> None:
    result = plan(*blocks)
    assert verdicts(result) == rows
    assert result.contents == contents
    assert result.originals == {path: FILES.get(path) for path in contents}
    assert set(result.renamed) <= set(contents)
    assert set(result.renamed.values()) <= set(FILES)


@pytest.mark.parametrize(("blocks", "rows", "contents"), WRITTEN.values(), ids=WRITTEN)
def test_a_tree_of_bytes_alone_gives_the_same(
    blocks: tuple[EditBlock, ...], rows: list[str], contents: Mapping[str, bytes | None]
) -> None:
    result = apply_parsed(parsed(*blocks), FILES.get)
    assert (verdicts(result), result.contents) == (rows, contents)


# What a diff shows of a file that it deletes, the confidence, and the note
SHOWN: dict[str, tuple[EditBlock, str, list[str]]] = {
    "all": (delete("src/old.py", "a\nb\n", "unified"), "high", []),
    "one line": (
        delete("src/old.py", "a\n", "unified"),
        "medium",
        ["src/old.py is deleted with 1 line that the diff does not show"],
    ),
    "nothing": (
        delete("src/old.py", "", "unified"),
        "medium",
        ["src/old.py is deleted with 2 lines that the diff does not show"],
    ),
    "all below a byte order mark": (delete("bom.txt", "\ufeffa\n", "unified"), "high", []),
    "nothing of an empty file": (delete("empty", "", "unified"), "high", []),
    "nothing of a binary": (
        delete("logo.png", "", "unified"),
        "medium",
        ["logo.png is deleted; the diff does not show its lines"],
    ),
    "lines in another order": (
        delete("src/old.py", "b\na\n", "unified")._replace(pieces=("b\n", "a\n")),
        "medium",
        [],
    ),
    "a patch shows nothing, ever": (delete("src/old.py"), "high", []),
}


@pytest.mark.parametrize(("block", "confidence", "notes"), SHOWN.values(), ids=SHOWN)
def test_what_a_diff_does_not_show_of_a_deleted_file_is_said(
    block: EditBlock, confidence: str, notes: list[str]
) -> None:
    row = plan(block).results[0]
    assert (row.confidence, [note.message for note in row.notes]) == (confidence, notes)
    assert {note.code for note in row.notes} <= {"deletes-unseen"}


def test_a_diff_deletes_what_a_block_has_changed_if_it_shows_that() -> None:
    change, gone = edit("src/old.py", "a\n", "x\n"), delete("src/old.py", "x\nb\n", "unified")
    assert verdicts(plan(change, gone)) == ["src/old.py exact", "src/old.py delete-file"]
    for lines in ("", "b\n"):
        result = plan(change, delete("src/old.py", lines, "unified"))
        assert verdicts(result) == ["src/old.py exact", "src/old.py no-match"]
        assert result.results[1].reason == (
            "the diff deletes src/old.py without showing its text after block 1; leave the change out, or the deletion"
        )


REFUSED = {
    "no such file": (delete("src/ap.py"), "file-not-found", "there is no src/ap.py; the nearest name is src/app.py"),
    "no such file to rename": (rename("src/ap.py", "x"), "file-not-found", "there is no src/ap.py"),
    "renamed already": (
        rename("src/new.py", "src/app.py"),
        "file-not-found",
        "src/new.py does not exist, but src/app.py does: it may already be renamed; leave the rename out",
    ),
    "a folder": (delete("src"), "path-conflict", "src is a folder"),
    "a file below a file": (delete("src/app.py/x"), "path-conflict", "src/app.py is a file"),
    "a link": (delete("link"), "not-a-file", "link is a symbolic link"),
    "a link moves": (rename("link", "x"), "not-a-file", "link is a symbolic link"),
    "a submodule": (delete("vendor/lib"), "not-a-file", "vendor/lib is a submodule"),
    "out of the repository": (delete("../x"), "unsafe-path", "leaves the repository"),
    "to out of the repository": (rename("src/app.py", "../x"), "unsafe-path", "leaves the repository"),
    "to a name that Windows keeps": (rename("src/app.py", "src/aux.py"), "unsafe-path", "Windows keeps for a device"),
    "a protected file": (delete(".gitattributes"), "not-allowed", "is protected"),
    "to a protected file": (rename("src/app.py", ".github/x.yml"), "not-allowed", "is protected"),
    "onto a file": (rename("src/app.py", "src/old.py"), "file-exists", "src/old.py already exists"),
    "onto an empty file": (rename("src/app.py", "empty"), "file-exists", "empty already exists"),
    "onto a folder": (rename("src/app.py", "bin"), "path-conflict", "bin is a folder"),
    "onto a link": (rename("src/app.py", "link"), "not-a-file", "link is a symbolic link"),
    "below a file": (rename("src/app.py", "empty/x"), "path-conflict", "empty is a file"),
    "below itself": (rename("src/app.py", "src/app.py/x"), "path-conflict", "src/app.py is a file"),
    "onto its own folder": (rename("bin/run", "bin"), "path-conflict", "bin is a folder"),
    "a twin by case": (
        rename("src/app.py", "SRC/x.py"),
        "path-conflict",
        "differs from src only in case or Unicode form",
    ),
    "a twin by case of another file": (
        rename("src/app.py", "EMPTY"),
        "path-conflict",
        "differs from empty only in case or Unicode form",
    ),
    "a pointer of LFS": (rename("big.bin", "x.bin"), "filtered", "big.bin is a Git LFS pointer"),
    "a filtered file": (rename("art/x.psd", "art/x"), "filtered", "has the attribute filter"),
    "to a filtered path": (rename("src/app.py", "src/app.psd"), "filtered", "src/app.psd has the attribute filter"),
    "a diff that shows others": (
        delete("src/old.py", "a\nc\n", "unified"),
        "no-match",
        "the diff removes lines that src/old.py does not have; show the lines that are there now, or no lines",
    ),
    "a diff that shows more": (
        delete("src/old.py", "a\nb\nc\n", "unified"), "no-match", "the diff removes lines that src/old.py does not have"
    ),
    "a diff of which one hunk shows others": (
        delete("src/old.py", "a\nc\n", "unified")._replace(pieces=("a\n", "c\n")), "no-match", "the diff removes lines"
    ),
    "a diff of a binary": (delete("logo.png", "x\n", "unified"), "binary", "has a NUL byte"),
}  # fmt: skip


@pytest.mark.parametrize(("block", "code", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(block: EditBlock, code: str, words: str) -> None:
    result = plan(block)
    row = result.results[0]
    assert (row.code, result.contents) == (ReasonCode(code), {})
    assert words in str(row.reason)


NOTE = Note("odd", "it is odd")
# blocks, and the status of the last one, its code, and its reason
REASONS: dict[str, tuple[tuple[EditBlock, ...], EditStatus, ReasonCode, str]] = {
    "nothing moves": (
        (rename("src/old.py", "src/old.py"),),
        EditStatus.SKIPPED,
        ReasonCode.NO_OP,
        "old and new path are equal; nothing to do",
    ),
    "onto a file": (
        (rename("src/app.py", "src/old.py"),),
        EditStatus.FAILED,
        ReasonCode.FILE_EXISTS,
        "src/old.py already exists; choose another path",
    ),
    "another mode": (
        (delete("bin/run"), rename("src/app.py", "bin/run")),
        EditStatus.FAILED,
        ReasonCode.PATH_CONFLICT,
        "bin/run and src/app.py have different file modes, and a replaced file keeps its mode; choose another path",
    ),
}


@pytest.mark.parametrize(("blocks", "status", "code", "reason"), REASONS.values(), ids=REASONS)
def test_the_row_of_what_is_not_done(
    blocks: tuple[EditBlock, ...], status: EditStatus, code: ReasonCode, reason: str
) -> None:
    *others, last = blocks
    row = plan(*others, last._replace(notes=(NOTE,))).results[-1]
    assert (row.status, row.code, row.reason, row.notes) == (status, code, reason, (NOTE,))


@pytest.mark.parametrize(("path", "lines"), [("src/old.py", ("a", "b")), ("empty", ()), ("logo.png", None)])
def test_the_row_of_a_file_that_goes(path: str, lines: tuple[str, ...] | None) -> None:
    row = plan(delete(path)._replace(notes=(NOTE,))).results[0]
    written = None if lines is None else Written(lines, ())
    assert (row.lines_removed, row.written, row.notes) == (len(lines or ()), written, (NOTE,))


@pytest.mark.parametrize("block", [delete("a.py"), rename("a.py", "b.py")])
def test_a_link_that_can_be_read_is_a_link(block: EditBlock) -> None:
    tree = Given({"a.py": b"x\n"}.get, lambda folder: {} if folder else {"a.py": LINK}, None)
    row = apply_parsed(parsed(block), tree).results[0]  # type: ignore[arg-type]
    assert row.code is ReasonCode.NOT_A_FILE


@pytest.mark.parametrize("block", [delete("src/old.py"), rename("src/old.py", "x.py")])
def test_a_setting_forbids_both(block: EditBlock) -> None:
    row = plan(block, settings=Settings(removals="refuse")).results[0]
    assert row.code is ReasonCode.NOT_ALLOWED
    assert row.reason == "blocks may not delete or rename files here (removals: refuse); change it by hand"
    assert plan(edit("src/old.py", "a\n", "x\n"), settings=Settings(removals="refuse")).ok


PROBLEM = Problem(1, 1, 1, ReasonCode.MALFORMED, "it is broken", file_path="src/old.py")
BROKEN = edit("src/old.py", "no such line\n", "x\n")
BEHIND: dict[str, tuple[tuple[EditBlock | Problem, ...], list[str], Mapping[str, bytes | None]]] = {
    "a delete": (
        (BROKEN, delete("src/old.py")),
        ["src/old.py no-match", "src/old.py earlier-failure would fit without block 1; repair block 1 first"],
        {},
    ),
    "a block that cannot be read": (
        (PROBLEM, delete("src/old.py")),
        ["src/old.py malformed", "src/old.py earlier-failure would fit without block 1; repair block 1 first"],
        {},
    ),
    "a rename, and what is below it": (
        (BROKEN, rename("src/old.py", "x.py"), edit("x.py", "a\n", "A\n"), edit("src/app.py", "def f():\n", "")),
        [
            "src/old.py no-match",
            "src/old.py earlier-failure would fit without block 1; repair block 1 first",
            "x.py earlier-failure block 2 was to create x.py, and it failed; repair block 2 first",
            "src/app.py exact",
        ],
        {"src/app.py": b"    return 1\n"},
    ),
    "a rename, and a file that is added in its place": (
        (BROKEN, rename("src/old.py", "x.py"), add("x.py", "new\n")),
        [
            "src/old.py no-match",
            "src/old.py earlier-failure would fit without block 1; repair block 1 first",
            "x.py earlier-failure block 2 was to create x.py, and it failed; repair block 2 first",
        ],
        {},
    ),
    "a rename, and a delete of the new path": (
        (BROKEN, rename("src/old.py", "x.py"), delete("x.py")),
        [
            "src/old.py no-match",
            "src/old.py earlier-failure would fit without block 1; repair block 1 first",
            "x.py earlier-failure without block 2: file-not-found: there is no x.py; check the path",
        ],
        {},
    ),
    "a rename onto a path that failed": (
        (edit("x.py", "a\n", "b\n"), rename("src/old.py", "x.py")),
        ["x.py file-not-found", "src/old.py earlier-failure would fit without block 1; repair block 1 first"],
        {},
    ),
    "what is below a rename that is refused": (
        (rename("src/old.py", "empty"), edit("empty", "a\n", "A\n"), edit("src/old.py", "a\n", "A\n")),
        [
            "src/old.py file-exists",
            "empty earlier-failure block 1 was to create empty, and it failed; repair block 1 first",
            "src/old.py earlier-failure would fit at line 1 without block 1; repair block 1 first",
        ],
        {},
    ),
    "a delete that would fail as well": (
        (edit("nowhere", "a\n", "b\n"), delete("nowhere")),
        [
            "nowhere file-not-found",
            "nowhere earlier-failure without block 1: file-not-found: there is no nowhere; check the path",
        ],
        {},
    ),
}


@pytest.mark.parametrize(("rows", "expected", "contents"), BEHIND.values(), ids=BEHIND)
def test_nothing_goes_behind_a_failure_of_either_path(
    rows: tuple[EditBlock | Problem, ...], expected: list[str], contents: Mapping[str, bytes | None]
) -> None:
    result = plan(*rows)
    reasons = {row.block.number: row.reason for row in result.results if row.code is ReasonCode.EARLIER_FAILURE}
    told = [" ".join([verdict, reasons.get(number) or ""]) for number, verdict in enumerate(verdicts(result), 1)]
    assert [line.rstrip() for line in told] == expected
    assert result.contents == contents


# One write never makes a folder of a file, or a file of a folder.
BESIDE = {
    "a file below one that goes": (delete("src/old.py"), add("src/old.py/x", "a\n")),
    "a file below one that moves": (rename("src/old.py", "x"), rename("src/app.py", "src/old.py/x")),
    "a file for a folder that goes": (delete("bin/run"), add("bin", "a\n")),
    "a file moves to a folder that goes": (delete("bin/run"), rename("src/app.py", "bin")),
}


@pytest.mark.parametrize("blocks", BESIDE.values(), ids=BESIDE)
def test_no_write_makes_a_folder_of_a_file(blocks: tuple[EditBlock, EditBlock]) -> None:
    result = plan(*blocks)
    assert result.results[1].code is ReasonCode.PATH_CONFLICT
    assert blocks[1].paths[-1] not in result.contents


def test_a_mode_goes_along() -> None:
    result = plan(rename("bin/run", "bin/start"), rename("src/app.py", "x.py"), rename("bin/start", "go"))
    assert result.modes == {"bin/run": EXECUTABLE, "go": EXECUTABLE}
    assert result.renamed == {"x.py": "src/app.py", "go": "bin/run"}


def test_a_file_that_is_replaced_keeps_its_mode_so_another_mode_is_refused() -> None:
    result = plan(delete("bin/run"), rename("src/app.py", "bin/run"))
    assert result.results[1].reason == (
        "bin/run and src/app.py have different file modes, and a replaced file keeps its mode; choose another path"
    )


def test_lines_of_a_renamed_file_are_counted_under_its_old_name() -> None:
    result = plan(
        edit("src/app.py", "def f():\n", "# f\ndef f():\n"),
        rename("src/app.py", "x.py"),
        edit("x.py", "    return 1\n", "    return 2\n"),
        edit("x.py", "    return 3\n", "    return 4\n"),
    )
    row, failed = result.results[2], result.results[3]
    assert (row.estimated_line, row.span) == (2, (1, 2))
    note = "line numbers refer to src/app.py, the file before the rename"
    assert [note.message for note in row.notes] == [note]
    assert [note.message for note in failed.notes] == ([note] if failed.candidates else [])
    assert result.results[0].notes == ()


def test_a_place_can_be_chosen_in_a_renamed_file() -> None:
    repo = MemoryRepo({"a.py": b"x\ny\nx\n"})
    blocks = parsed(rename("a.py", "b.py"), edit("b.py", "x\n", "z\n"))
    assert verdicts(apply_parsed(blocks, repo)) == ["a.py rename", "b.py ambiguous"]
    result = apply_parsed(blocks, repo, None, Options(Selection.read("1,2@3")))
    assert files_after(repo.files, result) == {"b.py": b"x\ny\nz\n"}


SELECTED = {
    "src/app.py": ["src/app.py rename", "x.py not-selected", "src/old.py not-selected"],
    "x.py": ["src/app.py rename", "x.py exact", "src/old.py not-selected"],
    "1,3": ["src/app.py rename", "x.py not-selected", "src/old.py delete-file"],
    "src/old.py": ["src/app.py not-selected", "x.py not-selected", "src/old.py delete-file"],
}


@pytest.mark.parametrize(("select", "rows"), SELECTED.items())
def test_a_selection_takes_a_rename_by_either_name(select: str, rows: list[str]) -> None:
    blocks = rename("src/app.py", "x.py"), edit("x.py", "    return 1\n", ""), delete("src/old.py")
    assert verdicts(plan(*blocks, select=select)) == rows


def test_both_names_of_a_rename_count_as_files() -> None:
    row = plan(rename("src/app.py", "x.py"), settings=Settings(max_files=1)).results[0]
    assert row.reason == "the answer has 2 files, the limit is 1 (max-files); split it"


def test_a_file_that_moves_is_merged_with_what_it_was_in_the_base() -> None:
    base, head = b"a\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne\n"
    repo = MemoryRepo({"a.py": head}, head="1" * 40, earlier={"2" * 40: {"a.py": base}})
    blocks = parsed(rename("a.py", "b.py"), edit("b.py", "a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"))
    result = apply_parsed(blocks._replace(base="2" * 40), repo)
    assert (verdicts(result), files_after(repo.files, result)) == (
        ["a.py rename", "b.py three-way"],
        {"b.py": b"A\nb\nc\nd\nE\n"},
    )


def test_a_file_that_moves_is_merged_with_what_it_became_in_the_base() -> None:
    base, head = b"a\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne\n"
    repo = MemoryRepo({"a.py": head}, head="1" * 40, earlier={"2" * 40: {"a.py": base}})
    first, second = edit("a.py", "a\nb\nc\nd\n", "a\nb\nc\nD\n"), edit("b.py", "a\nb\nc\nD\ne\n", "a\nb\nc\nD\nE\n")
    result = apply_parsed(parsed(first, rename("a.py", "b.py"), second)._replace(base="2" * 40), repo)
    assert verdicts(result) == ["a.py three-way", "a.py rename", "b.py three-way"]
    assert files_after(repo.files, result) == {"b.py": b"A\nb\nc\nD\nE\n"}


def test_a_file_that_goes_is_gone_from_the_base_too() -> None:
    repo = MemoryRepo({"a.py": b"a\n"}, head="1" * 40, earlier={"2" * 40: {"a.py": b"a\nb\n"}})
    blocks = parsed(delete("a.py"), edit("a.py", "b\n", "c\n"))
    assert verdicts(apply_parsed(blocks._replace(base="2" * 40), repo))[1] == "a.py file-not-found"


ADDED: dict[str, tuple[str, tuple[str, str], bytes | None, str, bytes | None]] = {
    "a file": ("a\n", ("", ""), None, "create", b"a\n"),
    "blank lines at the end": ("a\n\n\n", ("", ""), None, "create", b"a\n\n\n"),
    "nothing but a blank line": ("\n", ("", ""), None, "create", b"\n"),
    "an empty file": ("", ("", ""), None, "create", b""),
    "without a newline at the end": ("a\nb\n", ("", "no"), None, "create", b"a\nb"),
    "a blank last line has a newline": ("a\n\n", ("", "no"), None, "create", b"a\n\n"),
    "a file of 0 bytes": ("a\n", ("", ""), b"", "create", b"a\n"),
    "a file of 0 bytes, without a newline at the end": ("a\n", ("", "no"), b"", "create", b"a"),
    "nothing where nothing is": ("", ("", ""), b"", "already-applied", None),
    "the same text": ("a\n\n", ("", ""), b"a\n\n", "already-applied", None),
    "the same text with other ends": ("a\nb\n", ("", ""), b"a\r\nb\r\n", "already-applied", None),
    "one blank line more": ("a\n\n", ("", ""), b"a\n", "file-exists", None),
    "another text": ("a\n", ("", ""), b"b\n", "file-exists", None),
    "nothing where a text is": ("", ("", ""), b"b\n", "file-exists", None),
}


@pytest.mark.parametrize(("new", "ends", "before", "verdict", "after"), ADDED.values(), ids=ADDED)
def test_every_added_line_stays(
    new: str, ends: tuple[str, str], before: bytes | None, verdict: str, after: bytes | None
) -> None:
    files = {} if before is None else {"a": before}
    result = apply_parsed(parsed(add("a", new)._replace(ends=ends)), MemoryRepo(files))
    assert verdicts(result) == [f"a {verdict}"]
    assert result.contents == ({} if after is None else {"a": after})


def test_a_file_that_is_added_again_says_so() -> None:
    for gone in (delete("src/old.py"), rename("src/old.py", "x.py")):
        result = plan(gone, add("src/old.py", "new\n"))
        assert [(note.code, note.message) for note in result.results[1].notes] == [
            ("rewrites-file", "block 1 removes src/old.py, and this block creates it again")
        ]
    assert FILE not in result.modes.values()
