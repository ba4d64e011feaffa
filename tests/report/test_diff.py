"""A plan as a patch: what it says, and that git applies it to exactly the planned bytes."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editblocks.core.model import ApplyResult
from editblocks.report.diff import unified_diff

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": os.devnull,
    "LC_ALL": "C",
}
Files = Mapping[str, tuple[bytes | None, bytes]]


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> None:
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stderr.decode()


def _assert_git_makes_it_so(folder: Path, files: Files, *options: str) -> None:
    folder.mkdir()
    _git(folder, "init", "-q")
    for path, (old, _) in files.items():
        if old is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(old)
    _git(folder, "add", "-A")
    contents = {path: new for path, (_, new) in files.items()}
    plan = ApplyResult(contents=contents, originals={path: old for path, (old, _) in files.items()})
    _git(folder, "apply", "--whitespace=nowarn", *options, "-", stdin=unified_diff(plan))
    assert {path: (folder / path).read_bytes() for path in files} == contents


def file_diff(path: str, old: bytes | None, new: bytes | None) -> bytes:
    """The diff of a plan for one file."""
    return unified_diff(ApplyResult(contents={path: new}, originals={path: old}))


NUMBERS = b"".join(b"%d\n" % number for number in range(60))
REAL: Files = {
    "plain.py": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "new.py": (None, b"one\ntwo\n"),
    "new-empty.py": (None, b""),
    "deep/er/new.py": (None, b"no end"),
    "emptied.py": (b"a\nb\n", b""),
    "filled.py": (b"", b"a\n"),
    "loses-its-end.py": (b"a\nb\n", b"a\nb"),
    "gains-an-end.py": (b"a\nb", b"a\nb\n"),
    "never-had-one.py": (b"a\nb", b"A\nb"),
    "crlf.txt": (b"a\r\nb\r\n", b"a\r\nB\r\n"),
    "mixed.txt": (b"a\r\nb\nc\rd\n", b"a\nb\r\nc\rD\n"),
    "two hunks.txt": (NUMBERS, NUMBERS.replace(b"\n5\n", b"\n").replace(b"\n50\n", b"\nfifty\n50\n")),
    "feed.txt": (b"a\x0cb\x85\xe2\x80\xa8c\n", b"a\x0cB\x85\xe2\x80\xa8c\n"),
    "bom.txt": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n"),
    "caf\u00e9 \u65e5.txt": (b"a\n", b"b\n"),
    'quo"te\\back.txt': (b"a\n", b"b\n"),
    "ta\tb.txt": (b"a\n", b"b\n"),
    "con\x01trol\x7f.txt": (b"a\n", b"b\n"),
    "new spaced name": (None, b"x\n"),
    "dashes.txt": (b"-- a\n++ b\n", b"++ b\n-- a\n"),
    "moved.txt": (b"f\n}\ng\n}\nh\n}\n", b"g\n}\nh\n}\nf\n}\n"),
}


@pytest.mark.parametrize("path", REAL)
def test_git_applies_one_file(tmp_path: Path, path: str) -> None:
    _assert_git_makes_it_so(tmp_path / "repo", {path: REAL[path]})


@pytest.mark.parametrize("options", [(), ("--index",), ("--3way",)])
@pytest.mark.long
def test_git_applies_all_files_at_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    _assert_git_makes_it_so(tmp_path / "repo", REAL, *options)


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"\n", b"x\r\n", b"}\n"]), max_size=14).map(b"".join)
TEXTS = st.builds(bytes.__add__, LINES, st.sampled_from([b"", b"", b"end"]))
TREES = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.one_of(st.none(), TEXTS), TEXTS), min_size=1)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(files=TREES)
def test_git_applies_any_texts(tmp_path_factory: pytest.TempPathFactory, files: Files) -> None:
    changed = {path: pair for path, pair in files.items() if pair[0] != pair[1]} or {"a": (None, b"a\n")}
    _assert_git_makes_it_so(tmp_path_factory.mktemp("diff") / "repo", changed)


def test_the_text_of_a_change() -> None:
    assert file_diff("a b.py", b"1\n2\n3\n4\n5\n6\n", b"1\n2\n3\n4\nfive\n6") == (
        b"diff --git a/a b.py b/a b.py\n"
        b"index b414108e81e5091fe0974a1858b4d0d22b107f70..efc61a355eddcdfff46bbbee9c74cea82c4f9b2d\n"
        b"--- a/a b.py\t\n+++ b/a b.py\t\n"
        b"@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n-6\n+five\n+6\n\\ No newline at end of file\n"
    )


def test_the_text_of_a_new_file() -> None:
    assert file_diff("x", None, b"1\n") == (
        b"diff --git a/x b/x\nnew file mode 100644\n"
        b"index 0000000000000000000000000000000000000000..d00491fd7e5bb6fa28c517a0bb32b8b506539d4d\n"
        b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n"
    )


NAMES = (
    ("caf\u00e9", "a/caf\u00e9"),
    ('a"b\\c', r'"a/a\"b\\c"'),
    ("a\tb\x07", r'"a/a\tb\a"'),
    ("a\x01b\x1f\x7f", r'"a/a\001b\037\177"'),
)


@pytest.mark.parametrize(("path", "name"), NAMES)
def test_a_name_is_written_as_git_writes_it(path: str, name: str) -> None:
    assert f"\n--- {name}\n+++ " in file_diff(path, b"1\n", b"2\n").decode()


GONE = ApplyResult(
    contents={"a.py": None, "x": None, "old name": None, "new.sh": b"1\n2\n", "logo": None, "b": b"1\n", "c": b"2\n"},
    originals={"a.py": b"1\n", "x": b"", "old name": b"1\n", "new.sh": None, "logo": b"\0", "b": b"2\n", "c": b"1\n"},
    modes={"old name": "100755", "new.sh": "100755", "x": "100755"},
    renamed={"new.sh": "old name", "b": "c", "c": "b"},
)
ONE, TWO, EMPTY, NUL, BOTH, NONE = (
    "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d",
    "0cfbf08886fca9a91cb753ec8734c84fcbe52c9f",
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "f76dd238ade08917e6712764a16a22005a50573d",
    "1191247b6d9a206f6ba3d8ac79e26d041dd86941",
    "0" * 40,
)
SHOWN = f"""\
diff --git a/a.py b/a.py
deleted file mode 100644
index {ONE}..{NONE}
--- a/a.py
+++ /dev/null
@@ -1 +0,0 @@
-1
diff --git a/x b/x
deleted file mode 100755
index {EMPTY}..{NONE}
diff --git a/old name b/new.sh
rename from old name
rename to new.sh
index {ONE}..{BOTH}
--- a/old name\t
+++ b/new.sh
@@ -1 +1,2 @@
 1
+2
diff --git a/logo b/logo
deleted file mode 100644
index {NUL}..{NONE}
Binary files a/logo and /dev/null differ
diff --git a/b b/b
index {TWO}..{ONE}
--- a/b
+++ b/b
@@ -1 +1 @@
-2
+1
diff --git a/c b/c
index {ONE}..{TWO}
--- a/c
+++ b/c
@@ -1 +1 @@
-1
+2
"""


def test_the_text_of_what_goes_and_what_moves() -> None:
    assert unified_diff(GONE).decode() == SHOWN
    moved = ApplyResult(contents={"a": None, "b": b"1\n"}, originals={"a": b"1\n", "b": None}, renamed={"b": "a"})
    assert unified_diff(moved) == b"diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"


def test_a_file_that_takes_the_place_of_a_moved_one_goes_where_it_was() -> None:
    chain = ApplyResult(
        contents={"a": b"2\n", "new": b"1\n", "b": None},
        originals={"a": b"1\n", "new": None, "b": b"2\n"},
        renamed={"new": "a", "a": "b"},
    )
    heads = [line for line in unified_diff(chain).decode().splitlines() if line.startswith(("diff", "new", "deleted"))]
    assert heads == [
        "diff --git a/a b/a",
        "diff --git a/new b/new",
        "new file mode 100644",
        "diff --git a/b b/b",
        "deleted file mode 100644",
    ]


def test_no_change_is_no_text() -> None:
    assert file_diff("x", b"a\n", b"a\n") == b""
    assert unified_diff(ApplyResult()) == b""


@pytest.mark.long
def test_scattered_changes_of_a_long_file_are_small_hunks() -> None:
    old = [b"line %d\n" % number if number % 3 else b"\n" for number in range(9000)]
    new = list(old)
    new[10], new[4000], new[8990] = b"x\n", b"y\n", b"z\n"
    shown = file_diff("x", b"".join(old), b"".join(new))
    assert shown.count(b"@@ -") == 3
    assert shown.count(b"\n") < 40


@pytest.mark.long
def test_lines_that_repeat_are_replaced_as_one_run_in_little_time() -> None:
    old, new = b"a\nb\n" * 40_000, b"b\na\na\n" * 40_000
    assert file_diff("x", old, new).count(b"@@ -") == 1
