"""Whole files, snippets and insertions of tool calls: docs/reference/formats/tool-calls.md."""

import pytest
from support.call_blocks import JSON, RUN, TAGS, after, insert, plan, replace, verdict, write
from support.planned import Given

from editblocks import EditBlock, Settings
from editblocks.core.blocks import ToolCall

CALLS = "ask for replace calls (old_string and new_string)"
WHOLE = (
    "a.py exists, and whole files replace others only if you ask for it; "
    "add --whole-files all, or ask for replace calls"
)
# the file, the block, the verdicts with --whole-files no and all, the file after it with all
FILES: dict[str, tuple[bytes | None, EditBlock, str, str, bytes | None]] = {
    "a new file": (None, write("N = 1\n"), "create", "create", b"N = 1\n"),
    "without a final newline": (None, write("N = 1"), "create", "create", b"N = 1"),
    "with blank lines at the end": (None, write("a\n\n\n"), "create", "create", b"a\n\n\n"),
    "with CRLF": (None, write("a\r\nb\r\n"), "create", "create", b"a\r\nb\r\n"),
    "with line ends of two kinds": (None, write("a\r\nb\nc"), "create", "create", b"a\r\nb\nc"),
    "without a byte": (None, write(""), "create", "create", b""),
    "from tags": (None, write("N = 1", call=TAGS), "create", "create", b"N = 1\n"),
    "from tags, with blank lines at the end": (None, write("a\n\n\n", call=TAGS), "create", "create", b"a\n"),
    "from tags, with CRLF": (None, write("a\r\nb", call=TAGS), "create", "create", b"a\nb\n"),
    "an empty file": (b"", write("N = 1"), "create", "create", b"N = 1"),
    "a BOM alone": ("\ufeff".encode(), write("N = 1"), "create", "create", "\ufeffN = 1".encode()),
    "the same text": (b"a\nb\n", write("a\nb\n"), "already-applied", "already-applied", b"a\nb\n"),
    "the same but for line ends": (
        b"a\r\nb\r\n\r\n",
        write("a\nb"),
        "already-applied",
        "already-applied",
        b"a\r\nb\r\n\r\n",
    ),
    "nothing for nothing": (b"", write(""), "already-applied", "already-applied", b""),
    "another text": (b"a\nb\n", write("a\nc\n"), "whole-file", "replace-file", b"a\nc\n"),
    "another text, and the file has CRLF": (
        b"a\r\nb\r\n",
        write("a\nc\n"),
        "whole-file",
        "replace-file",
        b"a\r\nc\r\n",
    ),
    "another text, and the file has no final newline": (
        b"a\nb",
        write("a\nc\n"),
        "whole-file",
        "replace-file",
        b"a\nc",
    ),
    "a part of the file is no quotation": (b"a\nb\nc\n", write("b\n"), "whole-file", "replace-file", b"b\n"),
    "nothing in the place of a text": (b"a\n", write(""), "whole-file", "replace-file", b""),
    "a placeholder": (b"a\nb\n", write("a\n# ... existing code ...\n"), "whole-file", "placeholder", b"a\nb\n"),
    "a placeholder in a new file": (None, write("a\n# ... existing code ...\n"), "placeholder", "placeholder", None),
    "dots in a new file": (None, write("def f():\n    ...\n"), "create", "create", b"def f():\n    ...\n"),
    "create": (None, write("a", "create"), "create", "create", b"a"),
    "create from tags": (None, write("a\n\n", "create", TAGS), "create", "create", b"a\n"),
    "create where it is": (b"a\n", write("a", "create"), "already-applied", "already-applied", b"a\n"),
    "create where another is": (b"b\n", write("a", "create"), "file-exists", "file-exists", b"b\n"),
    "a snippet of a new file": (None, write("a", "snippet"), "create", "create", b"a"),
    "a snippet": (b"a\n", write("a\nb\n", "snippet"), "unsupported-format", "unsupported-format", b"a\n"),
    "a snippet with a gap": (b"a\n", write("// ...\nb\n", "snippet"), "placeholder", "placeholder", b"a\n"),
    "a snippet with a gap for a new file": (
        None,
        write("# ... existing code ...\nb\n", "snippet"),
        "placeholder",
        "placeholder",
        None,
    ),
}


@pytest.mark.parametrize("case", FILES.values(), ids=FILES)
def test_a_whole_file(case: tuple[bytes | None, EditBlock, str, str, bytes | None]) -> None:
    before, block, default, asked_for, expected = case
    tree = {} if before is None else {"a.py": before}
    assert verdict(plan(block, tree)) == default
    assert verdict(plan(block, tree, Settings(whole_files="new"))) == default
    result = plan(block, tree, Settings(whole_files="all"))
    assert (verdict(result), after(result, before)) == (asked_for, expected)
    if expected is not None:
        again = plan(block, {"a.py": expected}, Settings(whole_files="all"))
        assert after(again, expected) == expected


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (write("b\n"), f"{WHOLE}"),
        (write("b\n", "create"), f"a.py already has 1 line; {CALLS}"),
        (write("b\n", "snippet"), f"a.py exists, and a snippet does not say where it belongs; {CALLS}"),
        (write("b\n...\n", "snippet"), f"line 2 of the snippet leaves text out; {CALLS}"),
    ],
)
def test_reasons(block: EditBlock, reason: str) -> None:
    [row] = plan(block, {"a.py": b"a\n"}).results
    assert row.reason == reason


def test_a_written_file_has_a_word_of_the_schema() -> None:
    operations = [row.operation for row in plan([write("a"), write("b", "create", path="b")], {}).results]
    assert operations == ["replace-file", "create"]
    [row] = plan(write("b\n"), {"a.py": b"a\n"}, Settings(whole_files="all")).results
    assert (row.operation, row.confidence, [note.code for note in row.notes]) == (
        "replace-file",
        "medium",
        ["rewrites-file"],
    )


def test_what_a_created_file_has_is_edited_by_later_rows() -> None:
    rows = [write("a\r\nb\r\n"), replace("b", "c\nd"), insert(1, "x\n")]
    result = plan(rows, {})
    assert [verdict(result, index) for index in range(3)] == ["create", "exact", "exact"]
    assert after(result, None) == b"a\r\nx\r\nc\r\nd\r\n"
    again = plan(rows, {"a.py": after(result, None) or b""})
    assert [verdict(again, index) for index in range(3)] == ["already-applied"] * 3


VIEW = JSON._replace(view=("b", "c"))
LAST = JSON._replace(view=("c",))
# the file, the block, the verdict, the file after it
INSERTIONS: dict[str, tuple[bytes | None, EditBlock, str, bytes | None]] = {
    "at the top": (b"a\n", insert(0, "x\n"), "exact", b"x\na\n"),
    "at the top, again": (b"x\na\n", insert(0, "x\n"), "already-applied", b"x\na\n"),
    "at the top, without a final break": (b"a\n", insert(0, "x"), "exact", b"x\na\n"),
    "at the top of a file with CRLF": (b"a\r\n", insert(0, "x\ny\n"), "exact", b"x\r\ny\r\na\r\n"),
    "in an empty file": (b"", insert(0, "x\n"), "exact", b"x\n"),
    "at the end": (b"a\n", insert(-1, "x\n"), "exact", b"a\nx\n"),
    "at the end, again": (b"a\nx\n", insert(-1, "x\n"), "already-applied", b"a\nx\n"),
    "at the end of a file without a final newline": (b"a", insert(-1, "x\n"), "exact", b"a\nx"),
    "nothing": (b"a\n", insert(-1, ""), "no-op", b"a\n"),
    "no file": (None, insert(0, "x\n"), "file-not-found", None),
    "after a line of no version": (b"a\nb\n", insert(1, "x\n"), "no-version", b"a\nb\n"),
    "between lines that were shown": (b"a\nb\nc\n", insert(9, "x\n", VIEW), "exact", b"a\nb\nx\nc\n"),
    "between lines that were shown, again": (b"b\nx\nc\n", insert(9, "x\n", VIEW), "already-applied", b"b\nx\nc\n"),
    "lines that were shown are apart": (b"b\ny\nc\n", insert(9, "x\n", VIEW), "no-match", b"b\ny\nc\n"),
    "lines that were shown are there twice": (b"b\nc\nb\nc\n", insert(9, "x\n", VIEW), "ambiguous", b"b\nc\nb\nc\n"),
    "after the last line that was shown": (b"b\nc\n", insert(2, "x\n", LAST), "exact", b"b\nc\nx\n"),
    "after the last line that was shown, again": (b"c\nx\n", insert(1, "x\n", LAST), "already-applied", b"c\nx\n"),
    "the last line that was shown is not the last": (b"c\nd\n", insert(1, "x\n", LAST), "no-match", b"c\nd\n"),
    "the last line that was shown is further down": (b"b\nc\n", insert(1, "x\n", LAST), "no-match", b"b\nc\n"),
    "a placeholder": (b"a\n", insert(0, "# ... existing code ...\n"), "placeholder", b"a\n"),
}


@pytest.mark.parametrize(("before", "block", "row", "expected"), INSERTIONS.values(), ids=INSERTIONS)
def test_an_insertion(before: bytes | None, block: EditBlock, row: str, expected: bytes | None) -> None:
    result = plan(block, {} if before is None else {"a.py": before})
    assert (verdict(result), after(result, before)) == (row, expected)


def test_a_person_chooses_between_lines_that_were_shown() -> None:
    block = insert(9, "x\n", VIEW)
    twice = b"b\nc\nb\nc\n"
    [row] = plan(block, {"a.py": twice}).results
    assert [each.pick for each in row.candidates] == ["1@1", "1@3"]
    result = plan(block, {"a.py": twice}, only="1@3")
    assert (result.results[0].chosen, after(result, twice)) == (True, b"b\nc\nb\nx\nc\n")


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (
            insert(12, "x\n"),
            "the version that line 12 refers to is not known; add base: COMMIT, or ask for str_replace",
        ),
        (
            insert(9, "x\n", VIEW),
            "the lines that were shown around the place are not together in a.py; ask for str_replace",
        ),
        (insert(0, "a\n"), "the new lines are already at a.py:1; nothing to do"),
    ],
)
def test_reasons_of_insertions(block: EditBlock, reason: str) -> None:
    [row] = plan(block, {"a.py": b"a\n"}).results
    assert row.reason == reason


def test_the_lines_of_a_file_that_was_written_count() -> None:
    rows = [write("a\nb\n"), insert(1, "x\n"), insert(3, "y\n"), insert(9, "z\n")]
    result = plan(rows, {})
    assert [verdict(result, index) for index in range(4)] == ["create", "exact", "exact", "no-match"]
    assert (
        result.results[3].reason
        == "a.py has 4 lines, so there is no line 9; count the lines again, or ask for str_replace"
    )
    result = plan(rows[:3], {"a.py": b"old\n"}, Settings(whole_files="all"))
    assert after(result, None) == b"a\nx\nb\ny\n"
    # A file that has them already was not written now.
    assert verdict(plan(rows[:2], {"a.py": b"a\nb\n"}), 1) == "no-version"
    assert verdict(plan([replace("a", "c"), rows[1]], {"a.py": b"a\nb\n"}), 1) == "no-version"


BASE = b"a\nb\nc\nd\ne\nf\n"


def based(rows: list[EditBlock], head: bytes, base: bytes | None = BASE) -> tuple[list[str], bytes | None]:
    tree = Given({"a.py": head}.get, None, lambda _: {"a.py": base}.get)
    result = plan(rows, tree, base="1234567")  # type: ignore[arg-type]
    return [verdict(result, index) for index in range(len(rows))], after(result, head)


def test_the_lines_of_the_base_count() -> None:
    assert based([insert(2, "x\n")], b"new\n" + BASE) == (["three-way"], b"new\na\nb\nx\nc\nd\ne\nf\n")
    assert based([insert(2, "x\n")], BASE) == (["three-way"], b"a\nb\nx\nc\nd\ne\nf\n")
    assert based([insert(2, "x\n")], b"a\nb\nx\nc\nd\ne\nf\n") == (["already-applied"], b"a\nb\nx\nc\nd\ne\nf\n")
    changed = BASE.replace(b"b", b"B")
    assert based([insert(2, "x\n")], changed) == (["stale"], changed)
    assert based([insert(7, "x\n")], BASE) == (["no-match"], BASE)
    assert based([insert(2, "x\n")], BASE, None) == (["no-version"], BASE)
    # Rows before it do not change how its lines are counted.
    rows = [insert(1, "x\n"), replace("d", "D"), insert(4, "y\n"), insert(4, "z\n"), insert(0, "w\n")]
    assert based(rows, BASE + b"new\n")[1] == b"w\na\nx\nb\nc\nD\ny\nz\ne\nf\nnew\n"


def test_a_line_of_a_text_that_may_have_changed_is_not_known() -> None:
    rows = [write("a\nb\n", call=RUN), insert(1, "x\n", RUN._replace(is_changed=True))]
    assert verdict(plan(rows, {}), 1) == "no-version"
    rows[1] = insert(1, "x\n", RUN._replace(is_changed=True, view=("a", "b")))
    assert after(plan(rows, {}), None) == b"a\nx\nb\n"


def test_merging_ends_with_the_budget() -> None:
    from editblocks.applying.hunks import PlacementOptions
    from editblocks.applying.placing import place_block
    from editblocks.core.mismatch import Mismatch
    from editblocks.matching.ladder import Budget
    from editblocks.text.source_text import SourceText

    options = PlacementOptions(Budget(merged_lines=3), commit="1234567", base=lambda: SourceText.of("a\nb\n"))
    outcome = place_block(insert(1, "x\n"), SourceText.of("a\nb\n"), options)
    assert isinstance(outcome, Mismatch)
    assert outcome.code.value == "too-large"


def test_an_earlier_failure_goes_first() -> None:
    rows = [insert(1, "x\n"), write("# ... existing code ...\n", "snippet"), write("b\n"), replace("a", "c")]
    result = plan(rows, {"a.py": b"a\n"})
    assert [verdict(result, index) for index in range(4)] == ["no-version", *["earlier-failure"] * 3]
    trials = [row.trial.code.value for row in result.results if row.trial and row.trial.code]
    assert trials == ["placeholder", "whole-file"]
    assert [row.reason for row in result.results[1:3]] == [
        f"without block 1: placeholder: line 1 of the snippet leaves text out; {CALLS}",
        f"without blocks 1-2: whole-file: {WHOLE}",
    ]


# rows that were run, the files before and after them
RUNS: dict[str, tuple[list[EditBlock], bytes | None, bytes]] = {
    "a pair": ([replace("19", "7", RUN)], b"TAX = 19\n", b"TAX = 7\n"),
    "pairs that undo each other in part": ([replace("a", "b", RUN), replace("b", "a c", RUN)], b"a\n", b"a c\n"),
    "a pair that shortens": ([replace("p * q * r", "p * q", RUN)], b"p * q * r\n", b"p * q\n"),
    "every place": ([replace("a", "b", RUN._replace(is_every=True))], b"a a\n", b"b b\n"),
    "a file": ([write("a\nb", call=RUN), replace("b", "c", RUN)], None, b"a\nc"),
    "a file over another": ([replace("x", "y", RUN), write("a\nb", call=RUN)], b"x\n", b"a\nb\n"),
    "an insertion": (
        [replace("a", "b", RUN), insert(1, "x\n", RUN._replace(view=("b", "c")))],
        b"a\nc\n",
        b"b\nx\nc\n",
    ),
    "a part that goes again": (
        [replace("a\n", "a\nx\nb\n", RUN), replace("q", "r", RUN), replace("x\n", "", RUN)],
        b"a\nq\n",
        b"a\nb\nr\n",
    ),
    "a part that becomes one of several": (
        [replace("a\n", "a\nx\n", RUN), replace("x", "c", RUN)],
        b"c\na\n",
        b"c\na\nc\n",
    ),
    "a line whose text is also in another": (
        [insert(0, "x\n", RUN), replace("x", "a", RUN)],
        b"a b\n",
        b"a\na b\n",
    ),
    "lines of which one goes": ([insert(0, "x\na\n", RUN), replace("x\n", "", RUN)], b"b\n", b"a\nb\n"),
    "a file that is changed in parts": (
        [write("a\nx\nx b\n", call=RUN), replace("a\n", "x\n", RUN), replace(" b", "", RUN)],
        None,
        b"x\nx\nx\n",
    ),
    "insertions at both ends": ([insert(0, "x\n", RUN), insert(-1, "y\n", RUN)], b"a\n", b"x\na\ny\n"),
    "insertions one above the other": ([insert(0, "x\n", RUN), insert(0, "y\n", RUN)], b"a\n", b"y\nx\na\n"),
}


@pytest.mark.parametrize(("rows", "before", "expected"), RUNS.values(), ids=RUNS)
def test_a_session_in_the_tree_where_it_ran(rows: list[EditBlock], before: bytes | None, expected: bytes) -> None:
    settings = Settings(whole_files="all")
    result = plan(rows, {} if before is None else {"a.py": before}, settings)
    assert all(row.status.value == "applied" for row in result.results)
    assert after(result, before) == expected
    again = plan(rows, {"a.py": expected}, settings)
    assert [verdict(again, index) for index in range(len(rows))] == ["already-applied"] * len(rows)


# rows of a file that is not as they left it
NOT_RUN: dict[str, tuple[list[EditBlock], bytes, list[str]]] = {
    "a part that goes": ([replace("b", "", RUN)], b"a\n", ["no-match"]),
    "the new text twice": ([replace("a", "b", RUN)], b"b b\n", ["no-match"]),
    "old text that still stands there": ([replace("p * q * r", "p * q", RUN)], b"p * q * r\n", ["exact"]),
    "lines that are not there": ([insert(0, "x\n", RUN), replace("a", "b", RUN)], b"y\nb\n", ["exact", "no-match"]),
    "another whole file": ([write("a", call=RUN), replace("a", "b", RUN)], b"c\nb", ["whole-file", "earlier-failure"]),
    "not all of them were run": (
        [replace("a", "b", RUN), replace("x", "y")],
        b"b\ny\n",
        ["no-match", "earlier-failure"],
    ),
    "made again, it fits twice": ([replace("xx", "y", RUN)], b"xyx\n", ["no-match"]),
    "a text that comes and goes": (
        [replace("a\n", "a\nx\n", RUN), replace("x\n", "", RUN)],
        b"a\n",
        ["exact", "exact"],
    ),
    "a text that changes and goes": (
        [replace("a\n", "b\n", RUN), replace("b\n", "", RUN)],
        b"a\nc\n",
        ["exact", "exact"],
    ),
    "a text that two calls change everywhere": (
        [replace("a", "b", RUN._replace(is_every=True)), replace("b", "c", RUN._replace(is_every=True))],
        b"a c\n",
        ["exact", "exact"],
    ),
    "a text that comes back shorter": (
        [replace("t = 30  # s", "t = 60", RUN), replace("t = 60", "t = 30", RUN)],
        b"t = 30  # s\n",
        ["exact", "exact"],
    ),
    "what a call of every place adds": (
        [replace("a", "a x", RUN._replace(is_every=True)), replace("x", "y", RUN)],
        b"a\ny\n",
        ["exact", "exact"],
    ),
    "a change below a line that is counted": (
        [replace("a\n", "x\n", RUN), insert(2, "y\n", RUN._replace(view=("b", "c"))), replace("x\n", "a\n", RUN)],
        b"a\nb\nc\n",
        ["exact", "exact", "exact"],
    ),
    "a text that goes, below another change": (
        [replace("a\n", "b\n", RUN), replace("x\n", "", RUN), replace("c\n", "d\n", RUN)],
        b"a\nd\n",
        ["exact", "no-match", "earlier-failure"],
    ),
    "a text that becomes one of several": (
        [replace("a\n", "x\n", RUN), replace("x\n", "b\n", RUN)],
        b"a\nb\nb\n",
        ["exact", "exact"],
    ),
    "a deletion of what stands there": ([replace("b\n", "", RUN)], b"a\nb\n", ["exact"]),
}


@pytest.mark.parametrize(("rows", "file", "expected"), NOT_RUN.values(), ids=NOT_RUN)
def test_a_session_in_another_tree(rows: list[EditBlock], file: bytes, expected: list[str]) -> None:
    result = plan(rows, {"a.py": file})
    assert [verdict(result, index) for index in range(len(rows))] == expected


MOVED = [replace("import a\n", "", RUN), replace("import b\n", "import b\nimport a\nimport c\n", RUN)]
# rows that fit a file which may be the one that they left
UNCLEAR: dict[str, tuple[list[EditBlock], bytes]] = {
    "a text that moves": (MOVED, b"import b\nimport a\nimport c\n"),
    "a last line that a deletion left": ([replace("b\n", "", RUN)], b"a\nb"),
    "a last line that the deletion of every place left": (
        [replace("b\n", "", RUN._replace(is_every=True))],
        b"a\nb",
    ),
    "old text that comes again": ([replace("\n}\n", "}\nx\n", RUN)], b"a\n}\nx\n"),
    "old text that begins in the new one": ([replace("b\n", "a\nb", RUN)], b"a\nb\n"),
    "one of two blank lines that goes": ([replace("a\n\n", "a\n", RUN)], b"a\n\nb\n"),
    "one of three equal lines that goes": ([replace("a\na\n", "a\n", RUN)], b"a\na\nb\n"),
    "one of two equal lines that goes": ([replace("a\nb", "a", RUN)], b"a\nb\nc\n"),
    "more that goes than came": (
        [replace("a\nb\n", "a\nb\nc\n", RUN), replace("b\nc\n", "", RUN)],
        b"a\nb\nd\n",
    ),
    "more that goes than came, around it": (
        [replace("b", "x\nb", RUN), replace("a\nx\nb", "x\nb", RUN), replace("x\nb", "b", RUN)],
        b"a\nb\n",
    ),
    "a text that came, and became one of two": (
        [replace("a\n", "a\nx\n", RUN), replace("x", "y", RUN._replace(is_every=True))],
        b"a\ny\ny\n",
    ),
    "a text that came, and became one of several": (
        [replace("a\n", "x(y)\na\n", RUN), replace("x", "y", RUN._replace(is_every=True))],
        b"y(y)\na\n",
    ),
    "new text in several places": ([replace("b", "}", RUN), replace("a", "a b", RUN)], b"a b }\n}\n"),
}


@pytest.mark.parametrize(("rows", "file"), UNCLEAR.values(), ids=UNCLEAR)
def test_a_session_that_may_have_run_here_is_refused(rows: list[EditBlock], file: bytes) -> None:
    result = plan(rows, {"a.py": file})
    assert after(result, file) == file
    failed = next(row for row in result.results if row.status.value == "failed")
    assert failed.reason == "the session may have been applied to a.py already; if it was not, give only its edits"
    assert verdict(plan(MOVED, {"a.py": b"import a\nimport b\n"})) == "exact"


def test_a_hunk_that_only_deletes_may_have_run() -> None:
    call = ToolCall(was_run=True)
    gone = EditBlock(1, "a.py", "v4a", 1, 1, old_lines="a\n", action="edit", call=call)
    again = EditBlock(2, "a.py", "v4a", 2, 2, old_lines="b\n", new_lines="b\na\n", action="edit", call=call)
    assert verdict(plan([gone, again], {"a.py": b"b\na\n"})) == "unsupported-format"
    assert verdict(plan([gone, again], {"a.py": b"a\nb\n"})) == "exact"


def test_a_hunk_that_shortens_is_not_done_while_its_old_lines_stand_there() -> None:
    call = ToolCall(was_run=True)
    hunk = EditBlock(1, "a.py", "v4a", 1, 1, old_lines="a\nb\n", new_lines="a\n", action="edit", call=call)
    assert after(plan(hunk, {"a.py": b"a\nb\n"}), b"a\nb\n") == b"a\n"
    assert verdict(plan(hunk, {"a.py": b"a\n"})) == "already-applied"


def test_files_that_go_and_move() -> None:
    gone = EditBlock(1, "a.py", "tool-file", 1, 1, action="delete-file", call=JSON)
    moved = EditBlock(1, "b.py", "tool-file", 1, 1, action="rename", new_path="c.py", call=JSON)
    result = plan([gone, moved], {"a.py": b"a\n", "b.py": b"b\n"})
    assert dict(result.contents) == {"a.py": None, "b.py": None, "c.py": b"b\n"}
    assert [row.operation for row in result.results] == ["delete-file", "rename"]
