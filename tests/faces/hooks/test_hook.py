"""`editblocks hook pre-commit`: what is staged, what is said about it, and the exit code."""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE, SUBMODULE_ID, git, line
from support.hookkit import (
    CART,
    FITS,
    MISSED,
    READY,
    STALE,
    STOPPED,
    TREE,
    Changes,
    block,
    call,
    put,
    response,
    search_path,
    shape,
    stage,
)

from editblocks.faces.cli import main as cli

MIB = 1024 * 1024

REPAIR = ".edits/a.md: 1 failed; repair the file, then git add it\n"
NO_NAME = "begins a diff that is not read, because it names no file; write `--- a/path` and `+++ b/path` above it"
STAGED: list[tuple[str, Changes, int, str]] = [
    ("nothing", {}, 0, ""),
    ("a block that fits", response(FITS), 0, READY),
    ("a response that may be executed", response(FITS, EXECUTABLE), 0, READY),
    (
        "a diff beside it that is not read",
        response(FITS + b"```diff\n@@ -1 +1 @@\n-a\n+b\n```\n"),
        0,
        f"note: line 10 {NO_NAME}\n{READY}",
    ),
    ("a block that does not fit", response(STALE), 1, MISSED),
    (
        "what fits the commit and not what is staged",
        {**response(FITS), "cart.py": (FILE, CART.replace(b"1", b"7"))},
        1,
        MISSED,
    ),
    ("what fits only what is staged", {**response(STALE), "cart.py": (FILE, CART.replace(b"1", b"7"))}, 0, READY),
    (
        "a file that is on disk and no longer in the index",
        {**response(FITS), "cart.py": None},
        1,
        "cart.py: failed: file-not-found: … (.edits/a.md:4)\n"
        ".edits/a.md: 1 failed; next: editblocks retry --staged .edits/a.md\n",
    ),
    (
        "one row of each kind: only what is not fine has a line",
        response(block("b", "c", "a/b") + STALE + FITS),
        1,
        MISSED.partition("\n")[0].replace("a.md:4", "a.md:12")
        + "\ncart.py:3: skipped: earlier-failure: … (.edits/a.md:20)\n"
        ".edits/a.md: 1 ready, 1 not tried, 1 failed; next: editblocks retry --staged .edits/a.md\n",
    ),
    (
        "what is staged already",
        response(block("class Cart:", "class Cart:")),
        0,
        ".edits/a.md: 1 skipped; nothing is left to apply\n",
    ),
    (
        "a block that cannot be read",
        response(FITS[:-16]),
        1,
        ".edits/a.md:4: failed: unclosed: …\n"
        ".edits/a.md: 1 failed; the markers are not balanced: 1 SEARCH, 0 REPLACE; "
        "next: editblocks retry --staged .edits/a.md\n",
    ),
    (
        "no block",
        response(b"Looks good.\n"),
        1,
        ".edits/a.md: no-blocks: 1 line read, no edit block: it is plain text; ask for SEARCH/REPLACE blocks; "
        "add one, or remove the file\n",
    ),
    (
        "nothing at all",
        response(b""),
        1,
        ".edits/a.md: no-blocks: 0 lines read, no edit block: it is empty; add one, or remove the file\n",
    ),
    (
        "more than 1 MiB",
        response(FITS.ljust(MIB + 1, b"\n")),
        1,
        ".edits/a.md:1: failed: too-large: …\n.edits/a.md: 1 failed; next: editblocks retry --staged .edits/a.md\n",
    ),
    (
        "two files, in name order, each against the index alone",
        {".edits/b.md": (FILE, FITS), **response(FITS)},
        0,
        READY + READY.replace("a.md", "b.md"),
    ),
    (
        "a name for which a shell needs quotes, and one that a terminal must not see",
        {".edits/a b.md": (FILE, FITS), ".edits/$(x)\x1b.md": (FILE, FITS)},
        0,
        ".edits/$(x)\\x1b.md: 1 ready; next: editblocks apply '.edits/$(x)\\x1b.md'\n"
        ".edits/a b.md: 1 ready; next: editblocks apply '.edits/a b.md'\n",
    ),
    (
        "files elsewhere, and of another kind",
        dict.fromkeys(("a.md", "a/.edits/a.md", ".edits/a/b.md", ".edits/a.txt", ".edits/.md"), (FILE, STALE)),
        0,
        "",
    ),
    ("a folder of another repository", {".edits": (SUBMODULE, SUBMODULE_ID)}, 0, ""),
]


@pytest.mark.parametrize(("claim", "changes", "code", "said"), STAGED, ids=[row[0] for row in STAGED])
@pytest.mark.long(after=2)
def test_the_staged_responses_are_checked_against_the_staged_tree(
    checkout: Path, capfd: pytest.CaptureFixture[str], *, claim: str, changes: Changes, code: int, said: str
) -> None:
    stage(checkout, changes)
    put(checkout, {name: entry for name, entry in changes.items() if name.startswith(".edits/")})
    before = gitkit.snapshot(checkout)
    assert cli.main(["hook", "pre-commit"]) == code, claim
    out, warned = capfd.readouterr()
    assert (shape(out), warned) == (said + STOPPED * code, "")
    assert gitkit.snapshot(checkout) == before


UNREADABLE: list[tuple[str, Changes, str]] = [
    (
        "bytes that are no UTF-8",
        response(FITS + b"\n\xe9"),
        "encoding: .edits/a.md is not UTF-8 (byte 0xe9 in line 10); save it as UTF-8 text",
    ),
    (
        "UTF-16",
        response(FITS.decode().encode("utf-16-le")),
        "binary: .edits/a.md has a NUL byte at offset 1; save it as UTF-8 text",
    ),
    (
        "a symbolic link",
        response(b"../cart.py", LINK),
        "not-a-file: .edits/a.md is a symbolic link; replace it with a file that holds the answer",
    ),
    (
        "more than is loaded",
        response(FITS.ljust(6 * MIB, b"\n")),
        "too-large: .edits/a.md has 6291456 bytes, the limit is 5242880; split it",
    ),
]


@pytest.mark.parametrize(("claim", "changes", "sentence"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
@pytest.mark.long(after=2)
def test_a_response_that_cannot_be_read_is_told_in_a_sentence(
    checkout: Path, capfd: pytest.CaptureFixture[str], claim: str, changes: Changes, sentence: str
) -> None:
    stage(checkout, changes)
    assert cli.main(["hook", "pre-commit"]) == 1, claim
    assert capfd.readouterr() == (f".edits/a.md:1: failed: {sentence}\n{REPAIR}{STOPPED}", "")


REFUSED_PATHS = [
    ("--config=x", "unsafe-path"),
    ("../x", "unsafe-path"),
    (".git/hooks/pre-commit", "unsafe-path"),
    (".pre-commit-config.yaml", "not-allowed"),
]


@pytest.mark.parametrize(("path", "code"), REFUSED_PATHS)
@pytest.mark.long(after=2)
def test_a_path_that_may_not_be_written_is_refused_before_the_commit(
    checkout: Path, capfd: pytest.CaptureFixture[str], path: str, code: str
) -> None:
    stage(checkout, response(block("", "x", path)))
    assert cli.main(["hook", "pre-commit"]) == 1
    assert f"{path}: failed: {code}: " in capfd.readouterr().out


@pytest.mark.long
def test_a_response_that_is_committed_or_deleted_is_none_of_this_commit(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stage(checkout, {".edits/old.md": (FILE, STALE), ".edits/gone.md": (FILE, STALE)})
    git(checkout, "commit", "-qm", "x")
    stage(checkout, {".edits/gone.md": None, **response(FITS)})
    assert cli.main(["hook", "pre-commit"]) == 0
    assert capfd.readouterr() == (READY, "")


def test_what_an_apply_wrote_is_already_applied(
    checkout: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict is that of `check --staged`, which reads the records (amendment A9)."""
    put(checkout, response(block("        return 1", "        return 1 + 1", "cart.py")))
    assert call(capfd, "apply", "--keep", ".edits/a.md").code == 0
    git(checkout, "add", "cart.py")
    said = ".edits/a.md: 1 skipped; nothing is left to apply\n"
    assert call(capfd, "hook", "pre-commit") == (0, said, "")
    git(checkout, "commit", "-qm", "both")
    push = f"refs/heads/main {line(checkout, 'rev-parse', 'HEAD')} refs/heads/main {'0' * 40}\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(push.encode())))
    assert call(capfd, "hook", "pre-push") == (0, said, "")
    git(checkout, "reset", "-q", "--soft", "HEAD~")
    stage(checkout, {"cart.py": (FILE, CART)})
    assert call(capfd, "hook", "pre-commit") == (0, READY, "")


def test_the_first_commit_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    git(tmp_path, "init", "-q", "new")
    monkeypatch.chdir(tmp_path / "new")
    stage(tmp_path / "new", {**response(FITS), "cart.py": (FILE, CART)})
    assert cli.main(["hook", "pre-commit"]) == 0
    assert capfd.readouterr() == (READY, "")


NOT_STAGED = "editblocks: .edits/b.md is not staged, so it was not checked; git add it first\n"
NO_RESPONSE = "editblocks: {} is not a response file (.edits/*.md), so it was not checked\n"
DASH = "editblocks: `{}` begins with a dash and is not an option; for such a file write -- before it\n"
OPERANDS: list[tuple[str, Sequence[str], int, str, str]] = [
    ("one of two", [".edits/a.md"], 0, READY, ""),
    ("from here", ["./.edits/a.md"], 0, READY, ""),
    ("twice", [".edits/a.md", ".edits/a.md"], 0, READY, ""),
    ("not staged", [".edits/a.md", ".edits/b.md"], 0, READY, NOT_STAGED),
    (
        "no response",
        ["cart.py", ".edits/a/b.md"],
        0,
        "",
        NO_RESPONSE.format("cart.py") + NO_RESPONSE.format(".edits/a/b.md"),
    ),
    ("an option", ["--config=x"], 2, "", DASH.format("--config=x")),
    ("an option among files", [".edits/a.md", "-a.md"], 2, "", DASH.format("-a.md")),
    ("the end of options", ["--", ".edits/a.md"], 0, READY, ""),
]


@pytest.mark.parametrize(("claim", "files", "code", "said", "warned"), OPERANDS, ids=[row[0] for row in OPERANDS])
@pytest.mark.long
def test_s23_only_named_response_files_are_looked_at_and_no_name_is_an_option(
    checkout: Path,
    capfd: pytest.CaptureFixture[str],
    *,
    claim: str,
    files: Sequence[str],
    code: int,
    said: str,
    warned: str,
) -> None:
    stage(checkout, {**response(FITS), ".edits/other.md": (FILE, STALE)})
    git(checkout, "commit", "-qm", "x")  # pre-commit run --all-files passes what no commit changes, too
    (checkout / ".edits").mkdir()
    (checkout / ".edits/b.md").write_bytes(STALE)
    assert cli.main(["hook", "pre-commit", *files]) == code, claim
    assert capfd.readouterr() == (said, warned)


STAGES = "pre-commit, pre-push, pre-receive, apply, leftovers, install, uninstall, status"
USAGE = [
    ([], "editblocks: hook needs one more word: install, uninstall or status; see editblocks hook --help\n"),
    (["commit-msg"], f"editblocks: hook has no stage `commit-msg`; use one of {STAGES}\n"),
    (["--config=x"], f"editblocks: hook has no stage `--config=x`; use one of {STAGES}\n"),
]


@pytest.mark.parametrize(("argv", "warned"), USAGE)
def test_a_stage_that_is_none(capfd: pytest.CaptureFixture[str], argv: list[str], warned: str) -> None:
    assert cli.main(["hook", *argv]) == 2
    assert capfd.readouterr() == ("", warned)


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["pre-commit", "--help"], ["install", "-h"]])
def test_help(capfd: pytest.CaptureFixture[str], argv: list[str]) -> None:
    assert cli.main(["hook", *argv]) == 0
    said, warned = capfd.readouterr()
    assert said.startswith("usage: editblocks hook install|uninstall|status [--stage NAME]...\n")
    assert (max(map(len, said.split("\n"))) <= 80, warned) == (True, "")


@pytest.mark.long
def test_a_response_in_conflict_is_not_read(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = git(checkout, "hash-object", "-w", "--stdin", stdin=FITS).decode().strip()
    rows = "".join(f"100644 {made} {number}\t.edits/a.md\n" for number in (1, 2, 3))
    git(checkout, "update-index", "--index-info", stdin=rows.encode())
    assert cli.main(["hook", "pre-commit"]) == 1
    assert ".edits/a.md is in conflict in the index; resolve it and stage it first" in capfd.readouterr().out


@pytest.mark.long
def test_s23_variables_that_lead_elsewhere_are_refused(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    stage(checkout, response(FITS))
    other = gitkit.make_repository(tmp_path / "other", TREE)
    stage(other, response(STALE))
    for name, place in (("GIT_DIR", other / ".git"), ("GIT_INDEX_FILE", other / ".git/index")):
        with monkeypatch.context() as patch:
            patch.setenv(name, str(place))
            assert cli.main(["hook", "pre-commit"]) == 2
            assert capfd.readouterr() == (
                "",
                f"editblocks: {name} points outside the repository at {checkout / '.git'}; unset it\n",
            )


def test_outside_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["hook", "pre-commit"]) == 2
    assert "cannot be used as a git repository" in capfd.readouterr().err


@pytest.mark.long
def test_an_interrupt_ends_it_at_once(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text('#!/bin/sh\nkill -INT "$PPID"\n')
    (tmp_path / "bin/git").chmod(0o755)
    start = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from editblocks.faces.cli.main import main; sys.exit(main(['hook', 'pre-commit']))"
    )
    environment = {**os.environ, "PATH": search_path(tmp_path / "bin")}
    done = subprocess.run([sys.executable, "-c", start], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


# What only a prompt needs, a block that fails, another format, a write, or another command.
LATER = """
    argparse
    dataclasses
    difflib
    hashlib
    json
    tempfile
    traceback
    editblocks.config.policy
    editblocks.core.explain
    editblocks.formats.unified
    editblocks.prompts.retry
    editblocks.report.console
    editblocks.faces.cli.arguments
    editblocks.faces.cli.request
""".split()


@pytest.mark.long
def test_no_module_of_anybody_else_is_loaded_nor_what_is_needed_later(checkout: Path) -> None:
    """docs/internals/performance.md, "start": a set of modules, not a time."""
    stage(checkout, response(FITS))
    start = (
        "import sys; before = set(sys.modules); from editblocks.faces.cli.main import main;"
        "main(['hook', 'pre-commit']);"
        "new = set(sys.modules) - before;"
        "print(*sorted({name.partition('.')[0] for name in new} - sys.stdlib_module_names));"
        f"print(*sorted(new.intersection({LATER})))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", start], capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == [READY.rstrip("\n"), "editblocks", ""]


@pytest.mark.long
def test_git_is_asked_seven_times(checkout: Path, tmp_path: Path) -> None:
    """However many files and blocks: each call is a process, for which a commit waits."""
    stage(checkout, {**response(FITS), ".edits/b.md": (FILE, FITS), ".edits/c.md": (FILE, FITS)})
    (tmp_path / "bin").mkdir()
    log, real = tmp_path / "calls", shutil.which("git")
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec {real} "$@"\n')
    (tmp_path / "bin/git").chmod(0o755)
    start = "import sys; from editblocks.faces.cli.main import main; sys.exit(main(['hook', 'pre-commit']))"
    environment = {**os.environ, "PATH": search_path(tmp_path / "bin")}
    subprocess.run([sys.executable, "-I", "-c", start], env=environment, capture_output=True, check=True)
    commands = "version rev-parse diff ls-files cat-file".split()
    called = [next(word for word in line.split() if word in commands) for line in log.read_text().splitlines()]
    assert called == ["rev-parse", "diff", "ls-files", *["cat-file"] * 4]
