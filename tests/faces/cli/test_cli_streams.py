"""Streams that are closed, full or left; interrupts."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.applykit import CHANGE, TAX, block
from support.callcases import FITTING, PROGRAM, changed
from support.posix import make_fifo, open_unread

# Streams that are closed, full or left.


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """Run a line of sh in which `editblocks` is the program; `$?` of a pipe's first part goes to stderr."""
    program = " ".join(PROGRAM)
    text = f'editblocks() {{ {program} "$@"; }}\n{script}'
    return subprocess.run(["sh", "-c", text], env=dict(os.environ), capture_output=True, text=True, check=False)


CLOSED = "standard output is closed; redirect it to a file"
FULL = (
    "standard output cannot be written: no space left on device; redirect it to another place; "
    "what was already done stays done"
)
STREAMS = [  # script, stdout, stderr, which also has the exit code
    ("(editblocks diff many.md; echo $? >&2) | head -n 1", "diff --git a/src/cart.py b/src/cart.py\n", "0\n"),
    ("editblocks check fits.md >&-; echo $? >&2", "", "0\n"),
    ("editblocks diff partly.md >&- 2>/dev/null; echo $? >&2", "", "2\n"),
    ("editblocks diff fits.md >&-; echo $? >&2", "", f"editblocks: unavailable: {CLOSED}\n2\n"),
    ("editblocks diff --color always fits.md >&-; echo $? >&2", "", f"editblocks: unavailable: {CLOSED}\n2\n"),
    ("editblocks demo >&-; echo $? >&2", "", "0\n"),
    (
        "editblocks prompt >&-; echo $? >&2",
        "",
        f"editblocks: unavailable: {CLOSED}\n2\n",
    ),
    ("editblocks report fits.md >&-; echo $? >&2", "", f"editblocks: unavailable: {CLOSED}\n2\n"),
    ("editblocks retry partly.md >&-; echo $? >&2", "", f"editblocks: unavailable: {CLOSED}\n2\n"),
    (
        "editblocks retry fits.md >&-; echo $? >&2",
        "",
        "editblocks: no block failed, so there is nothing to ask for\n0\n",
    ),
    ("editblocks check fits.md >/dev/full; echo $? >&2", "", f"editblocks: unavailable: {FULL}\n2\n"),
    ("editblocks apply partly.md >/dev/full; echo $? >&2", "", f"editblocks: unavailable: {FULL}\n2\n"),
    (
        "editblocks apply fits.md >/dev/full; echo $? >&2; cat src/tax.py",
        TAX.decode(),
        "editblocks: {folder} is not a git repository, so this apply cannot be undone; git init makes it one\n"
        f"editblocks: unavailable: applied 2 blocks to 2 files, +2 -1, but {FULL}\n2\n",
    ),
    ("editblocks check none.md 2>&-; echo $?", "2\n", ""),
    ("editblocks check none.md 2>/dev/full; echo $?", "2\n", ""),
    ("editblocks diff partly.md 2>&- >/dev/null; echo $?", "1\n", ""),
    (
        "editblocks check - <&-; echo $? >&2",
        "",
        "editblocks: unavailable: standard input is closed; pipe the answer in, or name a file\n2\n",
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
    assert (done.stdout, done.stderr) == (out, err.replace("{folder}", str(folder)))


LEFT = [
    ("check fits.md", 0),
    pytest.param("check partly.md", 1, marks=pytest.mark.long),
    ("diff fits.md", 0),
    ("--help", 0),
    pytest.param("--version", 0, marks=pytest.mark.long),
    pytest.param("hook -h", 0, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("arguments", "code"), LEFT)
@pytest.mark.long
def test_a_reader_that_has_gone_is_no_error(folder: Path, arguments: str, code: int) -> None:
    """The verdict stays what it is."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [*PROGRAM, *arguments.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=dict(os.environ), check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, b"")


def interrupted(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Interrupt `process` as a person does, again if it did not end, and return what it wrote.

    Python does not notice a signal that arrives just before the system call which then waits for input.
    """
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)
    process.kill()
    return process.communicate()


@pytest.mark.usefixtures("interruptible")
def test_interrupted(folder: Path) -> None:
    """The pipe, passed on as a shell does, is open at both ends only once the program wants to read the response."""
    make_fifo(folder / "pipe.md")
    handle = open_unread(folder / "pipe.md")  # which opens neither end
    command = [*PROGRAM, "apply", f"/dev/fd/{handle}"]
    process = subprocess.Popen(
        command, env=dict(os.environ), pass_fds=[handle], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.close(handle)
    with process, (folder / "pipe.md").open("wb"):
        out, err = interrupted(process)
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


@pytest.mark.long
def test_the_program_is_found_by_its_names(folder: Path) -> None:
    """As a module of an isolated Python, and as the script that pip installs."""
    script = Path(sys.executable).with_name("editblocks")
    for command in (PROGRAM, (str(script),)):
        done = subprocess.run([*command, "check", "fits.md"], env=dict(os.environ), capture_output=True, check=False)
        assert (done.returncode, done.stdout.decode(), done.stderr) == (0, FITTING.format("ready", "fits.md"), b"")
