"""`editblocks convert`: what is printed in each form, and what a form cannot say."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.applykit import Run
from support.gitkit import git

from editblocks import Settings
from editblocks.core.model import ApplyResult
from editblocks.faces.cli.convert import convert
from editblocks.report.windows import windows

TWINS = b"def one():\n    x = 1\n    return x\n\n\ndef two():\n    x = 1\n    return x\n"
SHOP = {"src/a.py": TWINS, "src/b.py": b"old = 1\n", "crlf.txt": b"a\r\nb\r\n", "cut.txt": b"a\nb"}
REPLY = """\
*** Begin Patch
*** Update File: src/a.py
@@ def two():
-    return x
+    return x + 1
*** Add File: src/new.py
+one = 1
*** Update File: src/b.py
-old = 2
+old = 3
*** End Patch
"""
MOVES = """\
*** Begin Patch
*** Update File: src/b.py
*** Move to: src/c.py
*** Delete File: src/a.py
*** End Patch
"""
BLOCKS = """\
src/a.py
```
<<<<<<< SEARCH

def two():
    x = 1
    return x
=======

def two():
    x = 1
    return x + 1
>>>>>>> REPLACE
```

src/new.py
```
<<<<<<< SEARCH
=======
one = 1
>>>>>>> REPLACE
```

"""
PATCH = """\
*** Begin Patch
*** Update File: src/a.py
@@
 
 def two():
     x = 1
-    return x
+    return x + 1
*** End of File
*** Add File: src/new.py
+one = 1
*** End Patch
"""  # noqa: W293 - a blank line of the file


@pytest.mark.parametrize(("target", "shown"), [("diff", BLOCKS), ("v4a", PATCH)])
def test_ready_blocks_are_printed_where_that_is_asked_for(run: Run, target: str, shown: str) -> None:
    ran = run("convert", "-", "--to", target, stdin=REPLY)
    assert (ran.code, ran.out) == (1, "")
    assert "src/b.py:1: failed: no-match" in ran.err
    assert ran.err.endswith(
        "nothing printed: 1 of 3 blocks failed (block 3 no-match); --only ready prints the 2 that fit\n"
    )
    some = run("convert", "-", "--to", target, "--only", "ready", stdin=REPLY)
    assert (some.code, some.out) == (1, shown)
    assert "src/b.py:1: failed: no-match" in some.err
    ready = run("convert", "-", "--to", target, "--only", "1-2", stdin=REPLY)
    assert (ready.code, ready.out) == (0, shown)
    again = run("check", "-", stdin=shown)
    assert (again.code, again.out.count(": ready: ")) == (0, 2)


def test_a_diff_is_for_git(run: Run, shop: Path) -> None:
    assert run("convert", "-", "--to", "unified", "--only", "1-2", stdin=REPLY).code == 0
    ran = run("convert", "-", "--to", "unified", stdin=MOVES)
    assert (ran.code, ran.err) == (0, "")
    git(shop, "apply", "-", stdin=ran.out.encode())
    assert git(shop, "status", "--porcelain", "--no-renames", "-uall").decode().split() == [
        *("D", "src/a.py", "D", "src/b.py", "??", "src/c.py")
    ]


def block(path: str, old: str, new: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


REFUSED = [
    ("diff", MOVES, "SEARCH/REPLACE blocks do not rename files, such as src/b.py"),
    ("diff", MOVES.replace("*** Update File: src/b.py\n*** Move to: src/c.py\n", ""), "do not delete files, such as"),
    ("diff", block("crlf.txt", "a\n", "c\n"), "SEARCH/REPLACE blocks do not say that lines of crlf.txt end with CR"),
    ("v4a", block("crlf.txt", "a\n", "c\n"), "patches do not say that lines of crlf.txt end with CR"),
    ("v4a", block("cut.txt", "a\n", "c\n"), "patches do not say that cut.txt has no newline at its end"),
    ("diff", "*** Begin Patch\n*** Add File: x.py\n*** End Patch\n", "blocks do not create x.py without lines"),
]


@pytest.mark.parametrize(("target", "reply", "reason"), REFUSED)
@pytest.mark.long(after=2)
def test_what_a_form_cannot_say_is_a_sentence_and_nothing_is_printed(
    run: Run, target: str, reply: str, reason: str
) -> None:
    ran = run("convert", "-", "--to", target, stdin=reply)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("nothing printed: ")
    assert reason in ran.err
    assert ran.err.endswith("; use another form\n")


def test_why_nothing_is_printed_is_said_once(run: Run) -> None:
    reply = "*** Begin Patch\n" + "".join(f"*** Add File: {name}.py\n" for name in "wxyz") + "*** End Patch\n"
    ran = run("convert", "-", "--to", "diff", stdin=reply)
    sentence = "; ".join(f"SEARCH/REPLACE blocks do not create {name}.py without lines" for name in "wxy")
    assert (ran.code, ran.err) == (1, f"nothing printed: {sentence}; and 1 other file; use another form\n")


def test_answers_that_change_one_file_are_not_printed_together(run: Run, shop: Path) -> None:
    for name, old in (("one.md", "    x = 1\n    return x\n\n\n"), ("two.md", "def two():\n")):
        (shop / name).write_text(block("src/a.py", old, f"# {name}\n"))
    ran = run("convert", "--to", "diff", "one.md", "two.md")
    sentence = "convert prints one response; name one at a time"
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: {sentence}\n")
    one = run("diff", "one.md")
    ran = run("diff", "one.md", "two.md")
    assert (one.code, ran.code, ran.out) == (0, 1, one.out)
    assert ran.err == "no patch: another answer changes src/a.py, too; name one at a time\n"


def test_the_form_has_to_be_named(run: Run) -> None:
    assert run("convert", "-").err == "editblocks: convert needs --to; use one of unified, diff, v4a\n"
    assert run("convert", "-", "--to", "v4").err == "editblocks: --to is `v4`; did you mean v4a?\n"


def test_lines_around_a_change_grow_until_they_stand_once() -> None:
    old = ["a", "b"] * 20 + ["c"] + ["a", "b"] * 20
    new = [*old[:4], "x", *old[5:]]
    (window,) = windows(old, new, 1)
    assert (window.start, window.stop) == (0, 69)
    assert old[window.start : window.stop].count("c") == 1
    assert new[window.new] == new[:69]


def test_changes_whose_lines_would_meet_share_a_window() -> None:
    old = ["a", "b"] * 20 + ["c"] + ["a", "b"] * 20
    new = [*old[:10], "x", *old[11:70], "y", *old[71:]]
    (window,) = windows(old, new, 1)
    assert len(window.changes) == 2
    assert new[window.new] == new[window.start : window.stop]


def test_a_patch_deletes_a_file() -> None:
    shown, reasons = convert(ApplyResult(contents={"a": None}, originals={"a": b"x\n"}), "v4a", Settings())
    assert (shown, reasons) == (b"*** Begin Patch\n*** Delete File: a\n*** End Patch\n", [])


def test_text_that_holds_markers_gets_longer_ones() -> None:
    plan = ApplyResult(contents={"a.md": b"t\n=======\nB\n"}, originals={"a.md": b"t\n=======\nb\n"})
    shown, reasons = convert(plan, "diff", Settings())
    assert reasons == []
    assert b"<<<<<<<< SEARCH\nt\n=======\nb\n========\nt\n=======\nB\n>>>>>>>> REPLACE\n" in shown


def test_mode_of_a_moved_script_is_not_lost() -> None:
    plan = ApplyResult(
        contents={"a": None, "b": b"x\n"},
        originals={"a": b"x\n", "b": None},
        modes={"b": "100755"},
        renamed={"b": "a"},
    )
    assert convert(plan, "v4a", Settings())[1] == ["patches do not say that b stays executable"]


@pytest.mark.long
def test_many_changes_of_a_file_whose_lines_repeat_take_little_time() -> None:
    old = ["a", "b", "b"] * 40_000
    new = [line for number, line in enumerate(old) if number % 50]
    assert [(window.start, window.stop) for window in windows(old, new, 3)] == [(0, len(old))]
