"""The commands as a person or a script meets them: arguments and files in; exit code, two streams and files out."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support.applykit import CART, CREATE, NEW_CART, Run, block
from support.callcases import FITS, FITTING, NEW_PATCH, NONE_OF_ONE, NOTHING_TO_DO, ONE_OF_TWO, PATCH, WRITTEN, changed
from support.gitkit import read_folder
from support.hookkit import Ran

from editblocks.core.settings import Settings

LIMIT = Settings().max_response_bytes


# What the commands do.


class Case(NamedTuple):
    """One call in a folder without git. `out` and `err` are whole; `files` is what is not as it was."""

    arguments: str
    code: int
    out: str = ""
    err: str = ""
    files: Mapping[str, bytes] = {}
    stdin: str = ""


MISSING = (
    "src/cart.py:6: failed: no-match: line 1 of the block differs from src/cart.py:6 at column 13; "
    "the closest text is line 6, 80 % alike ({0})\n"
    "     - SEARCH      return 2 + 2\n"
    "     + file        return 2\n"
    "                           ^ line 6, column 13\n"
)
PARTLY = f"src/cart.py:2: {{0}}: exact (partly.md:5)\n{MISSING.format('partly.md:14')}partly.md: 1 {{0}}, 1 failed\n"
MISSES = f"{MISSING.format('misses.md:3')}misses.md: 1 failed\n"
EMPTY = "{}: no-blocks: 0 lines read, no edit block: it is empty\n"
NOTHING = "{}: no-blocks: {} lines read, no edit block: it is plain text; ask for SEARCH/REPLACE blocks\n"
CUT = (
    "cut.md:3: failed: unclosed: block at line 3 has no `>>>>>>> REPLACE` before the end (line 6); "
    "probably cut off, ask for it again\ncut.md: 1 failed; the markers are not balanced: 1 SEARCH, 0 REPLACE\n"
)
NEAR = "no-blocks: 6 lines read, no edit block: line 3 is not a marker; write `<<<<<<< SEARCH`\n"
SHOWN = "**src/cart.py**\n```python\nx = 1\n```\n`src/new.py`\n```\ny = 1\n```\n"
UNASKED = (
    "src/cart.py: skipped: whole-file: lines 2-4 hold a whole file; whole files are written only on request; "
    "add --whole-files all, or ask for edit blocks (stdin:2)\n"
    "src/new.py: skipped: whole-file: lines 6-8 hold a whole file; whole files are written only on request; "
    "add --whole-files all, or ask for edit blocks (stdin:6)\nstdin: 2 skipped\n"
    "nothing written: 2 skipped of 2 blocks\n"
)
REPLACED = (
    "src/cart.py:1: applied: replace-file (medium) (stdin:2)\nsrc/new.py: applied: new file (stdin:6)\n"
    "note: block 1: replaces the whole file; lines lost: 6 of 6\nstdin: 2 applied\n"
    "applied 2 blocks to 2 files, +2 -6\n"
)
DONE = (
    "src/cart.py: skipped: no-op: the old and new lines are the same; nothing to do (done.md:3)\ndone.md: 1 skipped\n"
)
WROTE = "applied 2 blocks to 2 files, +2 -1\n"
CHOSEN = (
    "src/cart.py:2: ready: exact (partly.md:5)\n"
    "src/cart.py: skipped: not-selected: the selection does not include this block (partly.md:14)\n"
    "partly.md: 1 ready, 1 skipped\n"
)
NO_PATCH = "no patch: 1 of 2 blocks failed (block 2 no-match); --partial prints the one that fits\n"
CASES: Mapping[str, Case] = {
    "check writes nothing": Case("check fits.md", 0, FITTING.format("ready", "fits.md")),
    "apply writes": Case("apply fits.md", 0, FITTING.format("applied", "fits.md") + WROTE, files=WRITTEN),
    "diff prints the patch alone": Case("diff fits.md", 0, PATCH + NEW_PATCH),
    "check reads stdin": Case("check -", 0, FITTING.format("ready", "stdin"), stdin=FITS),
    "check reads CRLF": Case("check -", 0, FITTING.format("ready", "stdin"), stdin=FITS.replace("\n", "\r\n")),
    "apply reads stdin": Case("apply -", 0, FITTING.format("applied", "stdin") + WROTE, files=WRITTEN, stdin=FITS),
    "check fails if one block does": Case("check partly.md", 1, PARTLY.format("ready")),
    "apply writes nothing if one block fails": Case("apply partly.md", 1, PARTLY.format("ready") + ONE_OF_TWO),
    "apply --partial writes the others": Case(
        "apply --partial partly.md",
        1,
        f"{PARTLY.format('applied')}applied 1 of 2 blocks to 1 file, +1 -1; left out: block 2 no-match\n"
        "next: `editblocks retry partly.md --only 2` prints what to send back to the model; "
        "then apply its corrected answer\n",
        files={"src/cart.py": NEW_CART},
    ),
    "diff prints no patch if one block fails": Case("diff partly.md", 1, "", PARTLY.format("ready") + NO_PATCH),
    "diff --partial prints the others, and tells": Case("diff --partial partly.md", 1, PATCH, PARTLY.format("ready")),
    "diff --only prints what was chosen": Case("diff --only 1 partly.md", 0, PATCH, CHOSEN),
    "nothing fits": Case("apply misses.md", 1, MISSES + NONE_OF_ONE.format("no-match")),
    "nothing fits, partially": Case("apply misses.md --partial", 1, MISSES + NONE_OF_ONE.format("no-match")),
    "nothing to do": Case("apply done.md", 0, DONE + NOTHING_TO_DO),
    "no blocks to check": Case("check prose.md", 1, NOTHING.format("prose.md", 2)),
    "no blocks to apply": Case("apply prose.md", 1, NOTHING.format("prose.md", 2)),
    "no blocks for a patch": Case("diff prose.md", 1, "", NOTHING.format("prose.md", 2)),
    "a marker that is none": Case("apply near.md", 1, f"near.md: {NEAR}"),
    "whole files that nobody asked for": Case("apply -", 1, UNASKED, stdin=SHOWN),
    "whole files that are asked for": Case(
        "apply - --whole-files all",
        0,
        REPLACED,
        files={"src/cart.py": b"x = 1\n", "src/new.py": b"y = 1\n"},
        stdin=SHOWN,
    ),
    "a replacement that leaves lines out": Case(
        "apply rest.md",
        0,
        "src/cart.py:2: applied: exact (rest.md:3)\n"
        "note: block 1: the new text has `...`: check whether it leaves lines out\n"
        "rest.md: 1 applied\napplied 1 block to 1 file, +2 -1\n",
        files={"src/cart.py": CART.replace(b"return 1", b"...\n    return 10")},
    ),
    "an empty file": Case("check empty.md", 1, EMPTY.format("empty.md")),
    "empty stdin": Case("check -", 1, EMPTY.format("stdin")),
    "a response that was cut off": Case("apply cut.md", 1, CUT + NONE_OF_ONE.format("unclosed")),
}


@pytest.mark.parametrize("claim", CASES)
@pytest.mark.long(after=2)
def test_what_a_command_does(folder: Path, call: Run, claim: str) -> None:
    case = CASES[claim]
    ran = call(*case.arguments.split(), stdin=case.stdin.encode())
    no_undo = f"editblocks: {folder} is not a git repository, so this apply cannot be undone; git init makes it one\n"
    assert ran == Ran(case.code, case.out, case.err + no_undo if case.files else case.err)
    assert changed(folder) == case.files


def test_a_second_apply_finds_nothing_to_do(folder: Path, call: Run) -> None:
    (folder / "twice.md").write_text(CREATE + block("src/cart.py", "    return 2\n", "    return 2\n\n\nVAT = tax\n"))
    assert call("apply", "twice.md").code == 0
    after = read_folder(folder)
    again = call("apply", "twice.md")
    assert (again.code, again.out.splitlines()[-1]) == (0, NOTHING_TO_DO.strip().replace("1 block", "2 blocks"))
    assert read_folder(folder) == after


@pytest.mark.long
@pytest.mark.parametrize("letter", ["x", "\u00e9", "\u5b57"], ids=["1 byte", "2 bytes", "3 bytes"])
def test_how_long_a_response_may_be(folder: Path, call: Run, letter: str) -> None:
    """The limit is one of bytes, and reading stops right behind it, perhaps in the middle of a character."""
    too_long = call("apply", "-", stdin=f"{FITS}{letter * LIMIT}".encode())
    assert (too_long.code, changed(folder)) == (1, {})
    said = "too-large: the answer is over the limit of 1,048,576 bytes (max-response-bytes); split it"
    assert said in too_long.out
    assert call("apply", "-", stdin=FITS.encode() + b"\n" * (LIMIT - len(FITS) + 1)).code == 1
    assert call("apply", "-", stdin=FITS.encode() + b"\n" * (LIMIT - len(FITS))).code == 0
    assert changed(folder) == WRITTEN


@pytest.mark.parametrize(
    ("feed", "code", "out"),
    [
        ("cat fits.md |", 0, FITTING.format("ready", "stdin")),
        ("", 0, FITTING.format("ready", "stdin")),
        ("< /dev/null", 2, ""),
        ("<&-", 2, ""),
    ],
)
@pytest.mark.long(after=2)
def test_without_a_name_a_response_comes_from_the_pipe(folder: Path, feed: str, code: int, out: str) -> None:
    program = f"{shlex.quote(sys.executable)} -m editblocks check"
    command = f"{feed} {program}" if feed.endswith("|") else f"{program} {feed or '< fits.md'}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, out)
    assert ("no answer is given" in done.stderr) is (code == 2)


def test_a_text_with_a_nul_is_not_taken_for_utf_16(folder: Path, call: Run) -> None:
    (folder / "nul.md").write_bytes(b"a\0b")
    assert call("check", "nul.md") == (1, NOTHING.format("nul.md", 1).replace("lines", "line"), "")


@pytest.mark.parametrize(
    ("commands", "note"),
    [
        ("git mv a.py b.py\n", "note: 1 shell suggestion, not run: git mv a.py b.py\n"),
        ("git mv a.py b.py\nls\n", "note: 2 shell suggestions, not run; the first: git mv a.py b.py\n"),
    ],
)
def test_shell_suggestions_are_listed_in_a_pipe(folder: Path, call: Run, commands: str, note: str) -> None:
    (folder / "moves.md").write_text(f"{CREATE}\n```sh\n{commands}```\n")
    assert note in call("check", "moves.md").out
    assert note in call("diff", "moves.md").err
    assert note in call("apply", "moves.md").out


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_an_answer_in_utf_16_is_read_if_its_byte_order_mark_says_so(folder: Path, call: Run, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (folder / "wide.md").write_bytes((mark + (folder / "fits.md").read_text()).encode(encoding))
    ran = call("check", "wide.md")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == call("check", "fits.md").out.replace("fits.md", "wide.md")
