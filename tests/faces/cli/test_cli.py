"""The command line as a person or a script meets it: arguments and files in; exit code, two streams and files out."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import pytest
from support import cli_page, gitkit
from support.applykit import Run, block, runner
from support.gitkit import FILE, git, line, read_folder, read_tree
from support.hookkit import Ran
from support.project import DOCS, ROOT
from support.ptykit import at_terminal

from editblocks.core.settings import Settings
from editblocks.faces.cli.options import COMMANDS
from editblocks.faces.common.version import own_version, version_in

PROGRAM = (sys.executable, "-I", "-m", "editblocks")
LIMIT = Settings().max_response_bytes
SCHEMA = jsonschema_rs.validator_for(
    json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))
)
SWITCHES = ("EDITBLOCKS_DISABLED", "PRE_COMMIT", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


CART = b"def total():\n    return 1\n\n\ndef tax():\n    return 2\n"
NEW_CART = CART.replace(b"return 1\n", b"return 10\n")
TAX = b"RATE = 7\n"
CHANGE = block("src/cart.py", "    return 1\n", "    return 10\n")
CREATE = block("src/tax.py", "", "RATE = 7\n")
MISS = block("src/cart.py", "    return 2 + 2\n", "    return 4\n")
FITS = f"Sure! I changed the total,\nand put the rate apart:\n\n{CHANGE}\nThen:\n\n{CREATE}\nThat is **all**.\n"
RESPONSES = {
    "fits.md": FITS,
    "partly.md": f"Two more:\n\n{CHANGE}\n{MISS}",
    "misses.md": MISS,
    "done.md": block("src/cart.py", "    return 2\n", "    return 2\n"),
    "prose.md": "There is nothing\nto change.\n",
    "empty.md": "",
    "near.md": CHANGE.replace("<<<<<<< SEARCH", "<<<<<<< search").partition("\n=====")[0] + "\n" * 3,
    "rest.md": CHANGE.replace("return 10", "...\n    return 10"),
    "cut.md": CHANGE.partition(">>>")[0],
}
SHOP: Mapping[str, bytes] = {"README.md": b"# Shop\n", "src/cart.py": CART}


@pytest.fixture(autouse=True)
def _scrubbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n")
    gitkit.scrub(monkeypatch, home)
    for name in SWITCHES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without git, with the responses in it; the current directory."""
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    for name, data in SHOP.items():
        (folder / name).write_bytes(data)
    for name, text in RESPONSES.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the responses beside it; the current directory is one of its folders."""
    path = gitkit.make_repository(tmp_path / "shop", {name: (FILE, data) for name, data in SHOP.items()})
    for name, text in RESPONSES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(path / "src")
    return path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return runner(capfd, monkeypatch)


def changed(folder: Path) -> dict[str, bytes | None]:
    """What is not as it was, None for what is gone."""
    now = {name: data for name, (_, data) in read_folder(folder).items() if name not in RESPONSES}
    return {name: now.get(name) for name in {**SHOP, **now} if now.get(name) != SHOP.get(name)}


# What the commands do.


@dataclass(frozen=True)
class Case:
    """One call in a folder without git. `out` and `err` are whole; `files` is what is not as it was."""

    arguments: str
    code: int
    out: str = ""
    err: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: str = ""


FITTING = "src/cart.py:2: {0}: exact ({1}:6)\nsrc/tax.py: {0}: new file ({1}:17)\n{1}: 2 {0}\n"
MISSING = (
    "src/cart.py:6: failed: no-match: line 1 of the block differs from src/cart.py:6 at column 13; "
    "closest is line 6, 80 % alike ({0})\n"
    "     - SEARCH      return 2 + 2\n"
    "     + file        return 2\n"
    "                           ^ line 6, column 13\n"
)
PARTLY = f"src/cart.py:2: {{0}}: exact (partly.md:5)\n{MISSING.format('partly.md:14')}partly.md: 1 {{0}}, 1 failed\n"
MISSES = f"{MISSING.format('misses.md:3')}misses.md: 1 failed\n"
EMPTY = "{}: no-blocks: 0 lines read, no edit block; there is nothing in it\n"
NOTHING = "{}: no-blocks: {} lines read, no edit block; it is plain text; ask for SEARCH/REPLACE blocks\n"
CUT = (
    "cut.md:3: failed: unclosed: block at line 3 has no `>>>>>>> REPLACE` before the end (line 6); "
    "probably cut off, ask for it again\ncut.md: 1 failed; the markers do not balance: 1 SEARCH, 0 REPLACE\n"
)
NEAR = "no-blocks: 6 lines read, no edit block; line 3 is no marker; write `<<<<<<< SEARCH`\n"
DONE = "src/cart.py: skipped: no-op: old and new lines are equal; nothing to do (done.md:3)\ndone.md: 1 skipped\n"
PATCH = """\
diff --git a/src/cart.py b/src/cart.py
index d2bbba0f37c7562aa36147a0cbf5880be05297a6..572fe73ada03994e46e50e101ec73707329c4dfc
--- a/src/cart.py
+++ b/src/cart.py
@@ -1,5 +1,5 @@
 def total():
-    return 1
+    return 10
{0}
{0}
 def tax():
""".format(" ")
NEW_PATCH = """\
diff --git a/src/tax.py b/src/tax.py
new file mode 100644
index 0000000000000000000000000000000000000000..091dc0f806ecd8bca71a4f3fd9d68490a141fdda
--- /dev/null
+++ b/src/tax.py
@@ -0,0 +1 @@
+RATE = 7
"""
WROTE = "applied 2 blocks to 2 files, +2 -1\n"
WRITTEN = {"src/cart.py": NEW_CART, "src/tax.py": TAX}
ONE_OF_TWO = "nothing written: 1 of 2 blocks failed (block 2 no-match); --partial writes the one that fits\n"
CHOSEN = (
    "src/cart.py:2: ready: exact (partly.md:5)\n"
    "src/cart.py: skipped: not-selected: the selection does not name this block (partly.md:14)\n"
    "partly.md: 1 ready, 1 skipped\n"
)
NO_PATCH = "no patch: 1 of 2 blocks failed (block 2 no-match); --partial prints the one that fits\n"
NONE_OF_ONE = "nothing written: 1 of 1 block failed (block 1 {})\n"
NOTHING_TO_DO = "nothing to do: what 1 block would change is there already\n"
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
        f"{PARTLY.format('applied')}applied 1 of 2 blocks to 1 file, +1 -1; left out: block 2 no-match\n",
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
    "a replacement that leaves lines out": Case(
        "apply rest.md",
        0,
        "src/cart.py:2: applied: exact (rest.md:3)\n"
        "note: block 1: the new text has `...`: look whether it leaves lines out\n"
        "rest.md: 1 applied\napplied 1 block to 1 file, +2 -1\n",
        files={"src/cart.py": CART.replace(b"return 1", b"...\n    return 10")},
    ),
    "an empty file": Case("check empty.md", 1, EMPTY.format("empty.md")),
    "empty stdin": Case("check -", 1, EMPTY.format("stdin")),
    "a response that was cut off": Case("apply cut.md", 1, CUT + NONE_OF_ONE.format("unclosed")),
}


@pytest.mark.parametrize("claim", CASES)
def test_what_a_command_does(folder: Path, run: Run, claim: str) -> None:
    case = CASES[claim]
    ran = run(*case.arguments.split(), stdin=case.stdin.encode())
    assert ran == Ran(case.code, case.out, case.err)
    assert changed(folder) == case.files


def test_a_second_apply_finds_nothing_to_do(folder: Path, run: Run) -> None:
    (folder / "twice.md").write_text(CREATE + block("src/cart.py", "    return 2\n", "    return 2\n\n\nVAT = tax\n"))
    assert run("apply", "twice.md").code == 0
    after = read_folder(folder)
    again = run("apply", "twice.md")
    assert (again.code, again.out.splitlines()[-1]) == (0, NOTHING_TO_DO.strip().replace("1 block", "2 blocks"))
    assert read_folder(folder) == after


@pytest.mark.long
@pytest.mark.parametrize("letter", ["x", "\u00e9", "\u5b57"], ids=["1 byte", "2 bytes", "3 bytes"])
def test_how_long_a_response_may_be(folder: Path, run: Run, letter: str) -> None:
    """The limit is one of bytes, and reading stops right behind it, perhaps in the middle of a character."""
    too_long = run("apply", "-", stdin=f"{FITS}{letter * LIMIT}".encode())
    assert (too_long.code, changed(folder)) == (1, {})
    said = "too-large: the response is over the limit of 1,048,576 bytes (max-response-bytes); split it"
    assert said in too_long.out
    assert run("apply", "-", stdin=FITS.encode() + b"\n" * (LIMIT - len(FITS) + 1)).code == 1
    assert run("apply", "-", stdin=FITS.encode() + b"\n" * (LIMIT - len(FITS))).code == 0
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
def test_without_a_name_a_response_comes_from_the_pipe(folder: Path, feed: str, code: int, out: str) -> None:
    program = f"{shlex.quote(sys.executable)} -m editblocks check"
    command = f"{feed} {program}" if feed.endswith("|") else f"{program} {feed or '< fits.md'}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, out)
    assert ("no response is named" in done.stderr) is (code == 2)


# Where paths begin.


@pytest.mark.parametrize("command", ["check", "apply"])
def test_in_a_folder_of_a_repository_paths_count_from_its_top(repository: Path, run: Run, command: str) -> None:
    ran = run(command, "../../fits.md")
    assert ran.code == 0
    assert ran.out.startswith("src/cart.py:2: ")
    assert changed(repository) == (WRITTEN if command == "apply" else {})


def test_the_patch_is_one_that_git_applies(repository: Path, run: Run) -> None:
    patch = run("diff", "../../fits.md").out
    git(repository, "apply", "--check", "--index", stdin=patch.encode())
    git(repository, "apply", stdin=patch.encode())
    assert changed(repository) == WRITTEN


def test_root_names_another_place(repository: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/cart.py").write_bytes(CART)
    (tmp_path / "cart.md").write_text(CHANGE.replace("src/cart.py", "cart.py"))
    assert run("apply", "../../cart.md").code == 1
    assert run("apply", "../../cart.md", "--root", "../../plain").code == 0
    assert ((tmp_path / "plain/cart.py").read_bytes(), changed(repository)) == (NEW_CART, {})


def test_rev_plans_on_a_commit(repository: Path, run: Run) -> None:
    (repository / "src/cart.py").write_bytes(b"else\n")
    assert run("check", "../../fits.md").code == 1
    assert run("check", "../../fits.md", "--rev", "main") == Ran(0, FITTING.format("ready", "../../fits.md"), "")
    assert run("diff", "--rev=HEAD", "../../fits.md").out == PATCH + NEW_PATCH
    bare = gitkit.make_repository(repository.parent / "bare", {"src/cart.py": (FILE, CART)}, bare=True)
    assert run("check", "../../fits.md", "--rev", "main", "--root", str(bare)).code == 0


def test_a_response_beside_the_files_that_it_changes_is_left_alone(folder: Path, run: Run) -> None:
    before = (folder / "fits.md").read_bytes()
    run("apply", "fits.md")
    assert (folder / "fits.md").read_bytes() == before


# --commit


def commits(repository: Path) -> int:
    return int(line(repository, "rev-list", "--count", "--all"))


def test_commit_holds_exactly_what_was_applied(repository: Path, run: Run) -> None:
    head = line(repository, "rev-parse", "HEAD")
    (repository / "README.md").write_bytes(b"# Shop, not committed\n")
    ran = run("apply", "../../fits.md", "--commit")
    commit = line(repository, "rev-parse", "HEAD")
    assert ran == Ran(
        0,
        f"{FITTING.format('applied', '../../fits.md')}applied 2 blocks to 2 files, +2 -1 as {commit[:7]}; "
        f"take it back on main with: git revert {commit[:7]}\n",
        "",
    )
    assert line(repository, "rev-parse", "HEAD^") == head
    expected = {**{name: (FILE, data) for name, data in SHOP.items()}, "src/cart.py": (FILE, NEW_CART)}
    assert read_tree(repository, "HEAD") == {**expected, "src/tax.py": (FILE, TAX)}
    assert git(repository, "status", "--porcelain") == b" M README.md\n"
    message = git(repository, "log", "-1", "--format=%B").decode()
    assert message.startswith("Apply 2 edit blocks\n\n2 of 2 edit blocks, 2 files, +2 -1.\nHow: 1 exact, 1 new file.\n")
    assert f"\nEdit-Blocks-Base: {head}\n" in message
    assert line(repository, "log", "-1", "--format=%an <%ae>") == f"{gitkit.NAME} <{gitkit.EMAIL}>"


def test_commit_with_partial_holds_the_ready_blocks(repository: Path, run: Run) -> None:
    ran = run("apply", "../../partly.md", "--partial", "--commit")
    commit = line(repository, "rev-parse", "HEAD")
    last = f"applied 1 of 2 blocks to 1 file, +1 -1 as {commit[:7]}; left out: block 2 no-match; "
    last += f"take it back on main with: git revert {commit[:7]}"
    assert (ran.code, ran.out.splitlines()[-1]) == (1, last)
    assert line(repository, "diff", "--name-only", "HEAD^", "HEAD") == "src/cart.py"


@dataclass(frozen=True)
class NoCommit:
    """A call of `apply --commit` that makes none."""

    arguments: str
    code: int
    words: str
    prepare: Sequence[str] = ()


NO_COMMITS: Mapping[str, NoCommit] = {
    "nothing to do": NoCommit("../../done.md", 0, NOTHING_TO_DO),
    "one block fails": NoCommit("../../partly.md", 1, ONE_OF_TWO),
    "no blocks": NoCommit("../../prose.md", 1, "no-blocks: 2 lines read"),
    "nothing is left with --partial": NoCommit("../../misses.md --partial", 1, NONE_OF_ONE.format("no-match")),
    "HEAD is detached": NoCommit(
        "../../fits.md",
        2,
        "editblocks: branch-refused: HEAD is detached, so the commit would be on no branch; git switch -c NAME first\n",
        ("checkout", "--quiet", "--detach"),
    ),
    "the file is dirty": NoCommit(
        "../../fits.md",
        2,
        "editblocks: dirty-file: src/cart.py has changes that are not committed; commit or stash them first\n",
        ("update-index", "--chmod=+x", "src/cart.py"),
    ),
    "not a repository": NoCommit("../../fits.md --root ../..", 2, "is no git repository that can be used"),
}


@pytest.mark.parametrize("claim", NO_COMMITS)
def test_where_no_commit_is_made(repository: Path, run: Run, claim: str) -> None:
    case = NO_COMMITS[claim]
    if case.prepare:
        git(repository, *case.prepare)
    ran = run("apply", "--commit", *case.arguments.split())
    assert ran.code == case.code
    assert case.words in ran.out + ran.err
    assert (commits(repository), changed(repository)) == (1, {})
    assert bool(ran.err) is (case.code == 2)


def test_a_refusal_before_the_plan_is_no_report_of_no_blocks(folder: Path, run: Run) -> None:
    ran = run("apply", "--commit", "fits.md")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: bad-config: {folder} is no git repository that can be used: ")


# What cannot be used: one line on stderr, exit code 2, and nothing is changed.

TROUBLES = [
    (
        "",
        "bad-command: no command is given; use one of check, diff, apply, undo, retry, explain, init, hook, demo, "
        "action, or --help",
    ),
    ("chek fits.md", "bad-command: there is no command `chek`; did you mean `check`?"),
    ("help", "bad-command: there is no command `help`; did you mean `--help`?"),
    ("version", "bad-command: there is no command `version`; did you mean `--version`?"),
    ("merge", "bad-command: there is no command `merge`; see editblocks --help"),
    ("--verson", "bad-command: there is no option `--verson` before a command; did you mean `--version`?"),
    ("-C x check fits.md", "bad-command: there is no option `-C` before a command; see editblocks --help"),
    ("apply --comit fits.md", "bad-command: apply has no option `--comit`; did you mean `--commit`?"),
    ("apply --comit", "bad-command: apply has no option `--comit`; did you mean `--commit`?"),
    ("apply --comm=x fits.md", "bad-command: apply has no option `--comm`; did you mean `--commit`?"),
    ("check --commit fits.md", "bad-command: check has no option `--commit`; "),
    ("check --foo fits.md", "bad-command: check has no option `--foo`; see editblocks check --help"),
    ("check --rot fits.md", "bad-command: check has no option `--rot`; did you mean `--root`?"),
    ("check -z fits.md", "bad-command: check has no option `-z`; see editblocks check --help"),
    (
        "check --format=xml fits.md",
        "bad-command: --format is `xml`; use one of text, json, jsonl, github, sarif, rdjsonl, markdown",
    ),
    ("check fits.md --format jsno", "bad-command: --format is `jsno`; did you mean json?"),
    ("check fits.md --matching losse", "bad-command: --matching is `losse`; did you mean loose?"),
    ("check fits.md --color=", "bad-command: --color is ``; use one of auto, always, never"),
    ("check fits.md --format x\x1b[", "bad-command: --format is `xU+001B[`; use one of text, json, "),
    ("check fits.md --root", "bad-command: --root needs a value; write --root DIR"),
    ("--print-completion", "bad-command: --print-completion needs a value; write --print-completion SHELL"),
    ("check fits.md --staged=x", "bad-command: --staged takes no value; write it alone"),
    ("check fits.md --quiet=x", "bad-command: -q/--quiet takes no value; write it alone"),
    ("--version=1", "bad-command: --version takes no value; write it alone"),
    ("check", "bad-command: no response is named; give a file with the model's answer, or - for standard input"),
    ("undo 20261121-1 20261121-2", "bad-command: `20261121-2` is one operand too many; undo takes one id"),
    ("check fits.md fits.md", "bad-command: `fits.md` is named twice; name each response once"),
    ("check fits.md done.md --only 1", "bad-command: --only chooses blocks of one response; name one at a time"),
    ("check fits.md --staged --rev main", "bad-command: --rev and --staged do not go together; leave one of them out"),
    ("check fits.md -q -v", "bad-command: -q and -v do not go together"),
    ("check fits.md --isolated --config x", "bad-command: --isolated and --config do not go together"),
    ("apply fits.md --commit --index", "bad-command: --commit and --index do not go together"),
    ("apply fits.md --branch x --commit", "bad-command: --commit and --branch do not go together"),
    ("apply fits.md -i --only 1", "bad-command: -i and --only do not go together"),
    ("apply fits.md --message x", "bad-command: --message is for a commit; add --commit or --branch"),
    ("undo --list --redo", "bad-command: --list and --redo do not go together"),
    ("check fits.md --only 1 --only 2", "bad-command: --only is given twice; write its parts with commas between them"),
    ("check fits.md --color auto --color=auto", "bad-command: --color is given twice; give it once"),
    ("check fits.md --root src --format json --root .", "bad-command: --root is given twice; give it once"),
    ("apply fits.md --commit --message a --message a", "bad-command: --message is given twice; give it once"),
    ("retry fits.md --max-chars 900 --max-chars 6000", "bad-command: --max-chars is given twice; give it once"),
    ("undo --root . --root .", "bad-command: --root is given twice; give it once"),
    ("explain --color never --color never", "bad-command: --color is given twice; give it once"),
    ("demo fits.md", "bad-command: `fits.md` is one operand too many; demo takes none"),
    ("check -- -fits.md", "bad-command: `-fits.md` begins with a dash; for a file of that name write ./ before it"),
    ("check fits.md -q -- -x", "bad-command: `-x` begins with a dash; for a file of that name write ./ before it"),
    ("check fits.md -q partly.md --foo x", "bad-command: check has no option `--foo`; see editblocks check --help"),
    ("check -1", "bad-command: `-1` begins with a dash"),
    ("check none.md", "file-not-found: there is no none.md; name a file that holds the response, or - for standard"),
    ("check src", "not-a-file: src is a directory; name a file that holds the response, or - for standard input"),
    ("check fits.md/x", "unavailable: fits.md/x cannot be read: not a directory; name a file that holds"),
    ("check loop.md", "unavailable: loop.md cannot be read: too many levels of symbolic links; name a file"),
    ("check latin.md", "encoding: latin.md is not UTF-8 (byte 0xe9 in line 2); convert it first"),
    ("check fits.md --root=", "bad-command: --root is empty; name a directory"),
    ("check fits.md --root none", "bad-command: none is no directory; name one with --root"),
    ("check fits.md --root README.md", "bad-command: README.md is no directory; name one with --root"),
    ("check fits.md --root bare", "bad-command: bare is git's own folder, without files to change; name a commit"),
    ("apply fits.md --root bare/refs", "bad-command: bare/refs is git's own folder, without files to change"),
    ("check fits.md --rev main", "bad-config: {folder} is no git repository that can be used: "),
    ("check fits.md --rev nope --root bare", "bad-config: there is no commit `nope` in {folder}/bare; give an id"),
    ("check fits.md --rev=-x --root bare", "bad-config: `-x` names no commit; give an id, a branch or a tag"),
    ("check fits.md --rev= --root bare", "bad-config: `` names no commit; give an id, a branch or a tag"),
    ("apply fits.md --rev main", "bad-command: apply has no option `--rev`; "),
    ("apply fits.md --commit --root bare", "bad-config: bare is a bare repository, without files to change"),
    ("hook", "bad-command: hook needs a stage; use one of pre-commit, pre-push, "),
    ("check \x1b[31m\u202e\n.md", "file-not-found: there is no \\x1b[31m\\u202e\\n.md; name a file"),
    ("check\x1b[", "bad-command: there is no command `check\\x1b[`; did you mean `check`?"),
    (f"check --{'x' * 999}", f"bad-command: check has no option `--{'x' * 55}...`; see editblocks check --help"),
]


@pytest.mark.parametrize(("arguments", "words"), TROUBLES)
def test_what_cannot_be_used_is_one_sentence(folder: Path, run: Run, arguments: str, words: str) -> None:
    if "bare" in arguments:
        gitkit.make_repository(folder / "bare", {"src/cart.py": (FILE, CART)}, bare=True)
    (folder / "latin.md").write_bytes(b"un\ncaf\xe9\n")
    (folder / "loop.md").symlink_to("loop.md")
    before = read_folder(folder)
    ran = run(*arguments.split(" ") if arguments else ())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: {words.format(folder=folder)}")
    assert ran.err.count("\n") == 1
    assert read_folder(folder) == before


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


def a_link_to_a_pipe(place: Path) -> None:
    os.mkfifo(place.with_name("other"))
    place.symlink_to("other")


def a_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place.name)  # the current directory is its own; a whole path may be too long


def a_device(place: Path) -> None:
    place.symlink_to("/dev/null")


NO_FILES = [
    (a_pipe, "a named pipe"),
    (a_link_to_a_pipe, "a named pipe"),
    (a_socket, "a socket"),
    (a_device, "a device"),
    (Path.mkdir, "a directory"),
]


@pytest.mark.parametrize(("make", "what"), NO_FILES)
def test_what_is_no_file_is_not_waited_for(folder: Path, run: Run, make: Callable[[Path], None], what: str) -> None:
    make(folder / "odd.md")
    said = f"odd.md is {what}; name a file that holds the response, or - for standard input"
    for command in ("check", "check --paths", "diff", "apply", "retry"):
        ran = run(*command.split(), "odd.md")
        assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: not-a-file: {said}\n")


def test_the_current_directory_may_be_gone(folder: Path, run: Run) -> None:
    (folder / "gone").mkdir()
    os.chdir(folder / "gone")
    (folder / "gone").rmdir()
    expected = "editblocks: unavailable: this directory is gone; change to one that exists\n"
    assert run("check", str(folder / "fits.md")) == Ran(2, "", expected)


def test_an_error_that_nobody_expected_is_one_line_and_its_trace(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(io.BytesIO):
        def read(self, _: int | None = None) -> bytes:
            raise KeyError("\x1b[31m")

    ran = run("check", "-", standard_input=io.TextIOWrapper(Odd()))
    *trace, last = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"editblocks: internal: unexpected KeyError in test_cli\.py:\d+; report it with the log", last)
    assert all(re.fullmatch(r"editblocks:   /.+\.py:\d+ in [\w<>]+", row) for row in trace)
    assert len(trace) > 3


@pytest.mark.long
def test_the_action_without_the_vendor_that_it_needs() -> None:
    """PyGithub is an extra; None in its place is what an installation without it finds."""
    code = (
        "import sys; sys.modules['github'] = None; "
        "from editblocks.faces.cli.main import main; sys.exit(main(['action']))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    said = "editblocks: bad-config: the action needs PyGithub; install editblocks[github]\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


# Help, version, switches.


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("columns", ["20", "300"])
def test_help_fits_a_page_and_shows_an_example(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = run(*command.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: {' '.join(['editblocks', *command.split()])}")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert re.search(rf"\nexamples?:\n  .*editblocks {command}", ran.out)
    assert ran.out.isascii()
    assert "\x1b" not in ran.out


def test_the_page_has_every_command_and_option() -> None:
    text = cli_page.PAGE.read_text("utf-8")
    assert cli_page.page(text) == text, "PYTHONPATH=tests python -m support.cli_page writes it anew"


def test_the_version_is_that_of_the_project(run: Run) -> None:
    project = version_in(ROOT / "pyproject.toml")
    assert run("--version") == Ran(0, f"editblocks {own_version()}\n", "")
    assert project == own_version()


@pytest.mark.parametrize("text", [None, "", "[project]\n", 'version = "1 \n'])
def test_a_project_without_a_version(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    assert version_in(tmp_path / "pyproject.toml") is None


@pytest.mark.parametrize("arguments", ["apply fits.md", "apply fits.md --commit", "hook pre-commit", "nonsense", ""])
def test_disabled_does_nothing_and_says_so(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setenv("EDITBLOCKS_DISABLED", "1")
    expected = "editblocks: EDITBLOCKS_DISABLED is 1, so nothing was done\n"
    assert run(*arguments.split()) == Ran(0, "", expected)
    assert changed(folder) == {}


@pytest.mark.parametrize("value", ["yes", "true", " 1", "2"])
@pytest.mark.parametrize("arguments", ["apply fits.md", "hook pre-commit"])
def test_disabled_by_another_word_does_nothing_either(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: str, value: str
) -> None:
    monkeypatch.setenv("EDITBLOCKS_DISABLED", value)
    said = f"bad-config: EDITBLOCKS_DISABLED is `{value}`; write 1 to have nothing done, or 0"
    assert run(*arguments.split()) == Ran(2, "", f"editblocks: {said}\n")
    assert changed(folder) == {}


# JSON

DOCUMENTS: list[tuple[str, int, str, bool, str]] = [  # arguments, exit code, outcome, written, kind of target
    ("check fits.md", 0, "ok", False, "worktree"),
    ("diff fits.md", 0, "ok", False, "worktree"),
    ("apply fits.md", 0, "ok", True, "worktree"),
    ("apply fits.md --commit", 0, "ok", True, "commit"),
    ("check fits.md --rev main", 0, "ok", False, "commit"),
    ("check partly.md", 1, "failed", False, "worktree"),
    ("diff partly.md", 1, "failed", False, "worktree"),
    ("apply partly.md", 1, "failed", False, "worktree"),
    ("check partly.md --partial", 1, "partial", False, "worktree"),
    ("apply partly.md --partial", 1, "partial", True, "worktree"),
    ("apply partly.md --partial --commit", 1, "partial", True, "commit"),
    ("apply misses.md --partial", 1, "failed", False, "worktree"),
    ("apply done.md", 0, "ok", False, "worktree"),
    ("apply done.md --commit", 0, "ok", False, "commit"),
    ("check cut.md", 1, "failed", False, "worktree"),
    ("check prose.md", 1, "empty", False, "worktree"),
    ("diff prose.md", 1, "empty", False, "worktree"),
    ("apply prose.md", 1, "empty", False, "worktree"),
    ("check fits.md --rev none", 2, "empty", False, "commit"),
]


@pytest.mark.parametrize("case", DOCUMENTS, ids=lambda case: case[0])
def test_json_follows_the_schema(repository: Path, run: Run, case: tuple[str, int, str, bool, str]) -> None:
    arguments, code, outcome, written, kind = case
    os.chdir(repository.parent)
    ran = run(*arguments.split(), "--format", "json", "--root", str(repository))
    document = json.loads(ran.out)
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    assert (ran.code, document["outcome"], document["written"]) == (code, outcome, written)
    assert (document["target"]["kind"], arguments.startswith(document["command"])) == (kind, True)
    committed = written and kind == "commit"
    assert document["target"]["commit"] == (line(repository, "rev-parse", "HEAD") if committed else None)
    assert ("refusal" in document, bool(ran.err)) == (code == 2, code == 2)


# On a terminal: real ones, and what they cannot show.

TERMINAL = {"LC_ALL": "C.UTF-8", "TERM": "xterm"}


def on_terminal(*arguments: str, env: Mapping[str, str]) -> tuple[int, str]:
    """Exit code, and what is on the screen."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "editblocks", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=child, stderr=child, env={**os.environ, **TERMINAL, **env}
    ) as process:
        os.close(child)
        shown = b"".join(iter(lambda: _from_terminal(parent), b""))
    os.close(parent)
    return process.returncode, shown.decode().replace("\r\n", "\n")


def _from_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that nobody has the other end any more
        return b""


SAMPLE = {
    "src/cart.py": "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def total(self):\n        return sum(self.items)\n",
    "src/api.py": "@route\ndef a():\n    return 1\n\n\n@route\ndef b():\n    return 1\n",
    "tests/test_cart.py": 'cart = Cart()\ncart.add(Item("tea", 10))\nassert cart.total() == Decimal("10.00")\n',
    "README.md": "# Shop\n\nSells tea.\nAnd coffee.\n",
}
SAMPLE_REPLY = "".join(
    (
        "Here you go:\n\n",
        block("src/cart.py", "        return sum(self.items)\n", "        return sum(map(price, self.items))\n"),
        block("src/cart.py", "self.items.append(item)\n", "self.items.extend([item])\n"),
        block("src/pricing/tax.py", "", "RATE = 7\n"),
        block("src/api.py", "    return 1\n", "    return 2\n"),
        block(
            "tests/test_cart.py",
            'cart = Cart()\ncart.add(Item("tea", 10))\nassert cart.total == 10\n',
            "assert Cart().total() == 0\n",
        ),
        block("README.md", "Sells tea.\n", "Sells tea.\nAnd coffee.\n"),
    )
)
SCREEN = """\
 1  ✓ ready    src/cart.py:6        exact                                +1 -1
 2  ✓ ready    src/cart.py:3        indentation, 8 more spaces (medium)  +1 -1
 3  ✓ ready    src/pricing/tax.py   new file                             +1
 4  ✗ failed   src/api.py           ambiguous                            +1 -1
 5  ✗ failed   tests/test_cart.py   no-match                             +1 -3
 6  – skipped  README.md:3          already-applied

4  ambiguous: matches at lines 3 and 8 of src/api.py; choose one with --only 4@3, or add a line above or below
     `editblocks retry reply.md` writes a prompt
5  no-match: line 3 of the block differs from tests/test_cart.py:3 at column 18; closest is 1-3, 90 % alike
     - SEARCH  assert cart.total == 10
     + file    assert cart.total() == Decimal("10.00")
                                ^ line 3, column 18
6 blocks in 5 files: 3 ready, 1 skipped, 2 failed
"""
ICONS = {"✓": "ok  ", "✗": "FAIL", "–": "skip"}


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {**SAMPLE, "reply.md": SAMPLE_REPLY}.items():
        place = tmp_path / "sample" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path / "sample")
    return tmp_path / "sample"


@pytest.mark.parametrize(
    ("env", "color", "unicode"),
    [
        ({"NO_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, False, True),
        ({}, True, True),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}, False, False),
    ],
)
@pytest.mark.long
def test_the_long_form(sample: Path, env: Mapping[str, str], color: bool, unicode: bool) -> None:
    code, screen = on_terminal("check", "reply.md", env=env)
    expected = SCREEN
    for icon, word in {} if unicode else ICONS.items():
        expected = expected.replace(icon, word)
    assert (code, re.sub("\x1b\\[[0-9]*m", "", screen)) == (1, expected)
    assert ("\x1b[" in screen) is color


@pytest.mark.long
def test_the_short_form_is_for_pre_commit_and_pipes(sample: Path) -> None:
    code, screen = on_terminal("check", "reply.md", env={"PRE_COMMIT": "1", "FORCE_COLOR": "1"})
    command = [*PROGRAM, "check", "reply.md"]
    piped = subprocess.run(command, env={**os.environ, **TERMINAL}, capture_output=True, check=False)
    assert (code, screen) == (piped.returncode, piped.stdout.decode())
    assert screen.splitlines()[0] == "src/cart.py:6: ready: exact (reply.md:5)"
    assert screen.splitlines()[-1] == "reply.md: 3 ready, 1 skipped, 2 failed"


@pytest.mark.long
def test_apply_says_on_a_terminal_what_became_of_it(sample: Path) -> None:
    code, screen = on_terminal("apply", "reply.md", "--partial", env={"NO_COLOR": "1"})
    left_out = "block 4 ambiguous, block 5 no-match, block 6 already-applied"
    last = f"applied 3 of 6 blocks to 2 files, +3 -2; left out: {left_out}"
    assert (code, screen.splitlines()[-1]) == (1, last)
    assert screen.splitlines()[0] == SCREEN.splitlines()[0].replace("ready  ", "applied")


@pytest.mark.long
def test_a_terminal_is_told_that_it_is_read(folder: Path) -> None:
    hint = "editblocks: paste the response here; ^D on a line of its own ends it\n"
    command = [sys.executable, "-m", "editblocks", "check", "-"]
    ran = at_terminal(command, [], question=hint, cwd=folder, environ={**os.environ, **TERMINAL})
    assert (ran.code, ran.out.startswith(f"{hint}no-blocks: 0 lines read, ")) == (1, True), ran.out


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b1A"


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        CHANGE.replace("src/cart.py", f"src/{HOSTILE}.py"),
        CHANGE.replace("return 1\n", f"return {HOSTILE}\n"),
        f"{HOSTILE}\n{MISS.replace('return 2 + 2', f'return {HOSTILE}')}",
        f"{HOSTILE}\n",
    ],
    ids=["in a path", "in new lines", "in old lines", "in prose"],
)
@pytest.mark.parametrize(
    "command", ["check", *(pytest.param(name, marks=pytest.mark.long) for name in ("diff", "apply"))]
)
def test_nothing_of_a_response_moves_the_cursor(folder: Path, command: str, text: str) -> None:
    name = f"re{HOSTILE}ply.md"
    (folder / name).write_text(text)
    (folder / "src/cart.py").write_text(f"# {HOSTILE}\n{CART.decode()}")
    code, screen = on_terminal(command, name, env={"NO_COLOR": "1"})
    assert (code, screen != "") == (1, True)
    assert not set(screen) & set("\x1b\x07\x9b\u202e")


@pytest.mark.long
def test_a_patch_on_a_terminal_shows_what_a_file_would_have_it_do(folder: Path) -> None:
    (folder / "src/cart.py").write_bytes(b"\x1b[2J\tx\r\n" + CART)
    _, screen = on_terminal("diff", "fits.md", env={"NO_COLOR": "1"})
    assert " \\x1b[2J\tx\\r\n" in screen
    assert "\n-    return 1\n+    return 10\n" in screen
    assert "\n\x1b[31m-    return 1\x1b[0m\n" in on_terminal("diff", "fits.md", env={})[1]


@pytest.mark.long
def test_what_a_stream_cannot_encode_is_a_question_mark(folder: Path) -> None:
    (folder / "reply.md").write_text(block("src/na\u00efve.py", "", "x = 1\n"), "utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "editblocks", "apply", "reply.md"]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"src/na?ve.py: applied: new file (reply.md:3)\n")
    assert (folder / "src/na\u00efve.py").read_bytes() == b"x = 1\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "words"), [("--format markdown", "src/na\u00efve.py"), ("--paths", "src/na\u00efve.py\n")]
)
def test_what_a_program_reads_is_utf8_whatever_the_locale(folder: Path, options: str, words: str) -> None:
    (folder / "reply.md").write_text(block("src/na\u00efve.py", "", "x = 1\n"), "utf-8")
    command = [sys.executable, "-m", "editblocks", "check", "reply.md", *options.split()]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)
    assert (done.returncode, done.stderr, words in done.stdout.decode()) == (0, b"", True), done.stdout


PAGE_REPLY = """\
Faster and higher:

src/rates.py
```python
<<<<<<< SEARCH
BASE = 3
=======
BASE = 4
>>>>>>> REPLACE
<<<<<<< SEARCH
TOP  = 9
=======
TOP = 8
>>>>>>> REPLACE
```
"""


def test_the_samples_of_the_page_are_what_is_printed(folder: Path, run: Run) -> None:
    page = DOCS.joinpath("reference/command-line.md").read_text("utf-8")
    (folder / "src/rates.py").write_text("BASE = 3\nTOP = 9\n")
    (folder / "reply.md").write_text(PAGE_REPLY)
    for printed in (on_terminal("check", "reply.md", env={"NO_COLOR": "1"})[1], run("check", "reply.md").out):
        assert f"```console\n{printed}```\n" in page


@pytest.mark.long
def test_names_are_utf8_whatever_the_locale(folder: Path) -> None:
    """With LC_ALL=C and without Python's own ways around it, names in a folder are ASCII with escaped bytes."""
    old, new = (folder / os.fsdecode(name) for name in (b"src/na\xc3\xafve.py", b"\xe5\xad\x97/new.py"))
    old.write_bytes(b"x = 1\n")
    edits = block("src/na\u00efve.py", "x = 1\n", "x = 2\n") + block("\u5b57/new.py", "", "y = 1\n")
    (folder / "reply.md").write_bytes(edits.encode())
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "editblocks", "apply", "reply.md"]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"src/na?ve.py:1: applied: exact (reply.md:3)\n?/new.py: applied: new file (")
    assert (old.read_bytes(), new.read_bytes()) == (b"x = 2\n", b"y = 1\n")


@pytest.mark.long
def test_names_in_git_are_utf8_whatever_the_locale(folder: Path) -> None:
    (folder / os.fsdecode(b"src/na\xc3\xafve.py")).write_bytes(b"x = 1\n")
    gitkit.git(folder, "init", "-q")
    gitkit.git(folder, "add", "-A")
    gitkit.git(folder, "commit", "-qm", "first")
    edits = block("src/na\u00efve.py", "x = 1\n", "x = 2\n") + block("\u5b57/new.py", "", "y = 1\n")
    (folder / "reply.md").write_bytes(edits.encode())
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for arguments in (("check", "--rev", "HEAD"), ("apply", "--commit")):
        command = [sys.executable, "-m", "editblocks", *arguments, "reply.md"]
        done = subprocess.run(command, env=env, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), done.stdout
    names = gitkit.git(folder, "diff-tree", "-r", "-z", "--name-only", "--no-commit-id", "HEAD")
    assert names == "src/na\u00efve.py\0\u5b57/new.py\0".encode()


# Streams that are closed, full or left.


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """Run a line of sh in which `editblocks` is the program; `$?` of a pipe's first part goes to stderr."""
    program = " ".join(PROGRAM)
    text = f'editblocks() {{ {program} "$@"; }}\n{script}'
    return subprocess.run(["sh", "-c", text], env=dict(os.environ), capture_output=True, text=True, check=False)


FULL = "standard output cannot be written: no space left on device; give it another place"
STREAMS = [  # script, stdout, stderr, which also has the exit code
    ("(editblocks diff many.md; echo $? >&2) | head -n 1", "diff --git a/src/cart.py b/src/cart.py\n", "0\n"),
    ("editblocks check fits.md >&-; echo $? >&2", "", "0\n"),
    ("editblocks diff partly.md >&- 2>/dev/null; echo $? >&2", "", "1\n"),
    ("TMPDIR=. editblocks demo >&-; echo $? >&2", "", "0\n"),
    ("editblocks check fits.md >/dev/full; echo $? >&2", "", f"editblocks: unavailable: {FULL}\n2\n"),
    ("editblocks apply partly.md >/dev/full; echo $? >&2", "", f"editblocks: unavailable: {FULL}\n2\n"),
    (
        "editblocks apply fits.md >/dev/full; echo $? >&2; cat src/tax.py",
        TAX.decode(),
        f"editblocks: unavailable: applied 2 blocks to 2 files, +2 -1, but {FULL}\n2\n",
    ),
    ("editblocks check none.md 2>&-; echo $?", "2\n", ""),
    ("editblocks check none.md 2>/dev/full; echo $?", "2\n", ""),
    ("editblocks diff partly.md 2>&- >/dev/null; echo $?", "1\n", ""),
    (
        "editblocks check - <&-; echo $? >&2",
        "",
        "editblocks: unavailable: standard input is closed; pipe the response in, or name a file\n2\n",
    ),
    ("editblocks check - < fits.md | tail -n 1", "stdin: 2 ready\n", ""),
    ("cat fits.md | editblocks check - | tail -n 1", "stdin: 2 ready\n", ""),
    ("editblocks check /dev/stdin < fits.md | tail -n 1", "/dev/stdin: 2 ready\n", ""),
    ("cat fits.md | editblocks check /dev/stdin | tail -n 1", "/dev/stdin: 2 ready\n", ""),
    ("editblocks check /dev/fd/7 7< fits.md | tail -n 1", "/dev/fd/7: 2 ready\n", ""),
    ("cat fits.md | editblocks check /proc/self/fd/0 | tail -n 1", "/proc/self/fd/0: 2 ready\n", ""),
    (f"bash -c '{' '.join(PROGRAM)} check <(cat fits.md) | tail -n 1 | grep -o 2.ready'", "2 ready\n", ""),
    ("editblocks check /dev/stdin </dev/zero | tail -n 1", "/dev/stdin: 1 failed\n", ""),
]


@pytest.mark.parametrize(("script", "out", "err"), STREAMS)
@pytest.mark.long
def test_streams(folder: Path, script: str, out: str, err: str) -> None:
    many = (block(f"src/new{number}.py", "", "x = 1\n" * 5000) for number in range(20))
    (folder / "many.md").write_text(CHANGE + "".join(many))
    done = shell(script)
    assert (done.stdout, done.stderr) == (out, err)


LEFT = [
    ("check fits.md", 0),
    pytest.param("check partly.md", 1, marks=pytest.mark.long),
    ("diff fits.md", 0),
    ("--help", 0),
    pytest.param("--version", 0, marks=pytest.mark.long),
    pytest.param("hook -h", 0, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("arguments", "code"), LEFT)
def test_a_reader_that_has_gone_is_no_error(folder: Path, arguments: str, code: int) -> None:
    """The verdict stays what it is."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [*PROGRAM, *arguments.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=dict(os.environ), check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, b"")


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """What a shell starts in the background ignores SIGINT, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_interrupted(folder: Path) -> None:
    """The pipe, passed on as a shell does, is open at both ends only once the program wants to read the response."""
    os.mkfifo(folder / "pipe.md")
    handle = os.open(folder / "pipe.md", os.O_PATH)  # which opens neither end
    command = [*PROGRAM, "apply", f"/dev/fd/{handle}"]
    process = subprocess.Popen(
        command, env=dict(os.environ), pass_fds=[handle], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.close(handle)
    with process, (folder / "pipe.md").open("wb"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")
    assert changed(folder) == {}


def test_interrupted_while_it_is_loaded() -> None:
    """A finder that interrupts stands for a key pressed while a module is looked for."""
    code = (
        "import runpy, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'editblocks.faces.cli.main': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "runpy.run_module('editblocks', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_the_program_is_found_by_its_names(folder: Path) -> None:
    """As a module of an isolated Python, and as the script that pip installs."""
    script = Path(sys.executable).with_name("editblocks")
    for command in (PROGRAM, (str(script),)):
        done = subprocess.run([*command, "check", "fits.md"], env=dict(os.environ), capture_output=True, check=False)
        assert (done.returncode, done.stdout.decode(), done.stderr) == (0, FITTING.format("ready", "fits.md"), b"")
