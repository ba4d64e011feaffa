"""What a result tells: operations, digests, bases, and which file is meant."""

import pytest
from support.enginekit import FAIL, GOOD, no_file
from support.planned import planned
from support.responses import block, verdicts

from editblocks import (
    ReasonCode,
    Settings,
    apply_block,
    parse_response,
    validate_block,
)
from editblocks.core.digests import response_digest
from editblocks.core.outcome import Response, Source
from editblocks.parsing.parse import formats_named

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
    result = planned(GOOD, {"a.py": b"x \n"}.get, settings=Settings(matching="exact"))
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
    unix, dos, mac = (response_digest(Response(text, source)) for text in ("a\nb", "a\r\nb", "a\rb"))
    assert dos == unix != mac


def test_nothing_to_do_is_not_ok() -> None:
    result = planned("Hello.", no_file)
    assert (result.ok, result.rows, result.contents) == (False, (), {})


EMPTIED: dict[str, tuple[str, bytes | None, str]] = {
    "every line goes": ("x\n", b"x\n", "empty"),
    "a line stays": ("x\n", b"x\ny\n", "delete-lines"),
    "an empty file is created": ("", None, "create"),
    "it fails": ("z\n", b"x\n", "delete-lines"),
}


@pytest.mark.parametrize(("old", "data", "operation"), EMPTIED.values(), ids=EMPTIED)
def test_a_file_without_a_line_left_has_a_word_of_its_own(old: str, data: bytes | None, operation: str) -> None:
    [row] = planned(block(old, ""), {"a.py": data}.get).results
    assert row.operation == operation


NO_FILES: dict[str, bytes] = {}


def test_a_base_that_is_given_goes_before_one_that_is_written() -> None:
    text = "base: 1234567\n" + block("x\n", "y\n")
    assert planned(text, NO_FILES.get).base == "1234567"
    assert planned(text, NO_FILES.get, base="abcdef1").base == "abcdef1"


def test_lines_count_from_where_the_text_begins_in_its_file() -> None:
    [row] = planned(block("x\n", "y\n"), {"a.py": b"x\n"}.get, first_line=5).results
    assert (row.block.line_number, row.block.end_line) == (6, 10)


def test_formats_that_are_not_wanted_are_refused() -> None:
    text = block("x\n", "y\n")
    result = planned(text, {"a.py": b"x\n"}.get, formats=formats_named(["edit-v2"]))
    assert verdicts(result) == ["a.py unsupported-format"]


def test_several_separators_settle_whether_a_file_is_created() -> None:
    """In code no reading that would write a divider line is taken, also where there is no file yet."""
    text = "a.py\n<<<<<<< EDIT\n-------\n=======\nx\n-------\ny\n-------\n>>>>>>>\n"
    assert verdicts(planned(text, NO_FILES.get)) == ["a.py malformed"]
    assert planned(text.replace("a.py", "a.md"), NO_FILES.get).contents == {"a.md": b"x\n-------\ny\n"}


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
    result = planned(text, {"R.md": file.encode()}.get)
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
    assert verdicts(planned(above + NAMELESS, files.get)) == [row]


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
    result = planned(block("x\n", "y\n", path), {"src/a.py": b"x\n"}.get, root=HOME)
    assert verdicts(result) == [verdict]
    assert [note.code for note in result.results[0].notes] == notes


@pytest.mark.parametrize("root", ["", "/"])
def test_without_a_root_an_absolute_path_is_unsafe(root: str) -> None:
    assert verdicts(planned(block("x\n", "y\n", "/a.py"), {"a.py": b"x\n"}.get, root=root)) == ["/a.py unsafe-path"]


def test_a_block_below_the_root_waits_for_one_that_cannot_be_read() -> None:
    text = f"{HOME}/a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n\n" + block("x\n", "y\n")
    result = planned(text, {"a.py": b"x\n"}.get, root=HOME)
    assert [row.file_path for row in result.rows] == ["a.py", "a.py"]
    assert result.results[0].code is ReasonCode.EARLIER_FAILURE


def test_a_result_names_its_files_and_shows_the_first_line_of_each_section() -> None:
    text = f"a.py\n<<<<<<< EDIT\nx\n-------\n{'y' * 60}\nz\n=======\n-------\n>>>>>>>\n"
    result = planned(text, {"a.py": f"x\n{'y' * 60}\nz\n".encode()}.get)
    [row] = result.results
    assert result.files_modified == ["a.py"]
    assert (row.anchor_preview, row.old_preview, row.new_preview) == ("x", "y" * 50, "")
