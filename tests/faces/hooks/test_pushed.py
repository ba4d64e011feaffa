"""`editblocks hook pre-push` and `pre-receive`, started by hand: what they read, and what they load for it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.hookkit import FITS, FITTING, SCRIPTS, TREE, commit_files, response, search_path
from support.posix import do_not_wait, open_terminal
from support.project import HOOKS

ZERO = "0" * 40
ID = "1" * 40


def hook(path: Path, *argv: str, sent: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `editblocks hook`."""
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    command = [sys.executable, "-I", "-m", "editblocks", "hook", *argv]
    done = subprocess.run(command, cwd=path, env=environment, input=sent.encode(), capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


LINE = "line {} of standard input is `{}`, which does not name a ref with its ids; let git write these lines"
LINES: list[tuple[str, str, str, str]] = [
    ("too few", "pre-push", f"main {ID} main\n", LINE.format(1, f"main {ID} main")),
    (
        "no id",
        "pre-push",
        f"main {ZERO} main {ZERO}\nmain HEAD main {ZERO}\n",
        LINE.format(2, f"main HEAD main {ZERO}"),
    ),
    ("an option", "pre-push", f"main --all main {ZERO}\n", LINE.format(1, f"main --all main {ZERO}")),
    ("those of another hook", "pre-receive", f"main {ID} main {ZERO}\n", LINE.format(1, f"main {ID} main {ZERO}")),
    ("a short id", "pre-receive", f"{ZERO} 1111111 main\n", LINE.format(1, f"{ZERO} 1111111 main")),
    ("what a terminal obeys", "pre-receive", "\x1b[2J\n", LINE.format(1, r"\x1b[2J")),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "name", "sent", "said"), LINES, ids=[row[0] for row in LINES])
def test_a_line_that_git_does_not_write_is_refused(
    checkout: Path, tmp_path: Path, *, claim: str, name: str, sent: str, said: str
) -> None:
    path = checkout if name == "pre-push" else gitkit.make_repository(tmp_path / "server", TREE, bare=True)
    assert hook(path, name, sent=sent) == (2, "", f"editblocks: {said}\n")


@pytest.mark.parametrize("name", ["pre-push", "pre-receive"])
@pytest.mark.long
def test_standard_input_without_an_end_is_refused(checkout: Path, name: str) -> None:
    command = [sys.executable, "-I", "-m", "editblocks", "hook", name]
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run(
            command, cwd=checkout, env=gitkit.ISOLATED, stdin=zeros, capture_output=True, timeout=60, check=False
        )
    said = "standard input is over the limit of 67,108,864 bytes; push fewer refs at once"
    assert (done.returncode, done.stderr.decode()) == (2, f"editblocks: {said}\n")


UNREAD = "editblocks: standard input cannot be read to its end, so nothing was checked; let git start this hook\n"


@pytest.mark.parametrize("shell", [shell for shell in ("sh", "bash") if shutil.which(shell)])
@pytest.mark.parametrize("where", ["<&-", "<.", "0>written"])
@pytest.mark.parametrize("name", ["pre-push", "pre-receive"])
def test_a_script_that_cannot_read_refuses(tmp_path: Path, name: str, where: str, shell: str) -> None:
    command = [shell, "-c", f'{shell} "$0" {where}', str(HOOKS / name)]
    done = subprocess.run(command, cwd=tmp_path, env=gitkit.ISOLATED, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.decode().endswith(UNREAD)) == (2, b"", True), done


@pytest.mark.parametrize("name", ["pre-push", "pre-receive"])
def test_a_script_does_not_take_what_is_there_by_now_for_all(tmp_path: Path, name: str) -> None:
    reader, writer = os.pipe()
    do_not_wait(reader)
    os.write(writer, f"main {ID} main {ZERO}\n".encode())
    with os.fdopen(reader), os.fdopen(writer, "w"):
        command = [str(HOOKS / name)]
        done = subprocess.run(
            command, cwd=tmp_path, env=gitkit.ISOLATED, stdin=reader, capture_output=True, timeout=60, check=False
        )
    assert (done.returncode, done.stdout, done.stderr.decode().endswith(UNREAD)) == (2, b"", True), done


@pytest.mark.long
def test_standard_input_that_cannot_be_read_is_refused(checkout: Path) -> None:
    command = [sys.executable, "-I", "-m", "editblocks", "hook", "pre-push"]
    with (checkout / "written").open("wb") as file:
        done = subprocess.run(command, cwd=checkout, env=gitkit.ISOLATED, stdin=file, capture_output=True, check=False)
    said = "standard input cannot be read: bad file descriptor; let git start pre-push"
    assert (done.returncode, done.stderr.decode()) == (2, f"editblocks: unavailable: {said}\n")


DASH = "`-x` begins with a dash and is not an option; for such a file write -- before it"
OPERANDS: list[tuple[Sequence[str], int, str]] = [
    (["pre-push", "origin", "https://example.com/x"], 0, ""),
    (["pre-push", "-x"], 2, f"editblocks: {DASH}\n"),
]


@pytest.mark.long
@pytest.mark.parametrize(("argv", "code", "warned"), OPERANDS)
def test_operands(checkout: Path, argv: Sequence[str], code: int, warned: str) -> None:
    assert hook(checkout, *argv) == (code, "", warned)


@pytest.mark.long
def test_somebody_at_a_terminal_is_told_that_git_starts_it(checkout: Path) -> None:
    ours, theirs = open_terminal()
    try:
        command = [sys.executable, "-I", "-m", "editblocks", "hook", "pre-push"]
        done = subprocess.run(
            command, cwd=checkout, env=gitkit.ISOLATED, stdin=theirs, capture_output=True, check=False
        )
    finally:
        os.close(ours)
        os.close(theirs)
    said = "editblocks: pre-push reads the lines that git writes to it; let git start it\n"
    assert (done.returncode, done.stderr.decode()) == (2, said)


@pytest.mark.long
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_the_ids_of_either_hash(tmp_path: Path, object_format: str) -> None:
    path = gitkit.make_repository(tmp_path / "checkout", TREE, object_format=object_format)
    made = commit_files(path, response(FITS))
    sent = f"refs/heads/main {made} refs/heads/main {'0' * len(made)}\n"
    assert hook(path, "pre-push", sent=sent) == (0, FITTING, "")


@pytest.mark.long
@pytest.mark.parametrize("name", ["pre-push", "pre-receive"])
def test_no_module_of_anybody_else_is_loaded(tmp_path: Path, name: str) -> None:
    """docs/internals/performance.md, "start": a set of modules, not a time."""
    path = gitkit.make_repository(tmp_path / "repository", TREE, bare=name == "pre-receive")
    made = gitkit.commit(path, "topic", {**TREE, **response(FITS)})
    gitkit.git(path, "update-ref", "-d", "refs/heads/topic")
    ref = "refs/heads/topic"
    sent = f"{ref} {made} {ref} {ZERO}\n" if name == "pre-push" else f"{ZERO} {made} {ref}\n"
    start = (
        "import sys; before = set(sys.modules); from editblocks.faces.cli.main import main;"
        f"code = main(['hook', {name!r}]);"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(code, *sorted(new - sys.stdlib_module_names))"
    )
    command = [sys.executable, "-I", "-c", start]
    done = subprocess.run(command, cwd=path, env=gitkit.ISOLATED, input=sent.encode(), capture_output=True, check=True)
    said = [FITTING.rstrip("\n")] if name == "pre-push" else []
    assert done.stdout.decode().splitlines() == [*said, "0 editblocks"]
