"""The lines that `hook install` prints for a hook that is not ours: that hook goes on as if they were not there."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import git
from support.hookkit import FITS, STALE, TREE, commit_files, git_as, put_hook, response

from editblocks.faces.hooks.install import advice
from editblocks.faces.hooks.main import GIT_HOOKS

SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh", "busybox sh") if shutil.which(shell.split()[0])]
ROW = "refs/heads/main {} refs/heads/main {}\n"
SENT = [
    ("nothing", ""),
    ("one ref", ROW.format("1" * 40, "0" * 40)),
    ("what a shell might expand", r"HEAD@{1 day ago} $HOME `id` \n \$x END" + "\n"),
    ("more than a pipe holds", "".join(ROW.format(f"{number:040}", "0" * 40) for number in range(1_000))),
]


@pytest.mark.parametrize(("claim", "sent"), SENT, ids=[row[0] for row in SENT])
@pytest.mark.parametrize("shell", SHELLS)
def test_the_rest_of_a_hook_reads_what_git_wrote(tmp_path: Path, shell: str, *, claim: str, sent: str) -> None:
    ours = tmp_path / "ours"
    ours.write_text('#!/bin/sh\n[ "$*" = "hook pre-push" ] && cat >heard\n')
    ours.chmod(0o755)
    hook = tmp_path / "pre-push"
    hook.write_text(f"set -eu\n{advice('pre-push', './ours')}cat\n")
    done = subprocess.run(
        [*shell.split(), str(hook)], cwd=tmp_path, input=sent.encode(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, sent, b""), claim
    assert (tmp_path / "heard").read_text().strip("\n") == sent.strip("\n")


@pytest.mark.parametrize("stage", GIT_HOOKS)
def test_a_refusal_ends_the_hook(stage: str) -> None:
    script = advice(stage, "sh -c 'exit 3'") + "echo more\n"
    done = subprocess.run(["sh", "-c", script], input=b"x\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (3, b"")


def test_what_cannot_be_read_ends_the_hook(tmp_path: Path) -> None:
    command = ["sh", "-c", f"{advice('pre-push', 'true')}echo more"]
    with (tmp_path / "written").open("wb") as file:  # and not to be read
        done = subprocess.run(command, stdin=file, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")


REFUSES = "while read -r _; do echo 'not today' >&2; exit 1; done\n"


@pytest.mark.long
@pytest.mark.parametrize(("data", "said"), [(FITS, "not today\n"), (STALE, "is not pushed: ")])
def test_a_hook_that_refuses_pushes_still_does(tmp_path: Path, data: bytes, said: str) -> None:
    """As pre-commit and git-lfs do, it goes by what it reads."""
    checkout = gitkit.make_repository(tmp_path / "checkout", TREE)
    gitkit.make_repository(tmp_path / "there", {}, bare=True)
    lines = advice("pre-push", f"{shlex.quote(sys.executable)} -I -m editblocks")
    put_hook(checkout / ".git", "pre-push", f"#!/bin/sh\n{lines}{REFUSES}".encode())
    commit_files(checkout, response(data))
    done = git_as(checkout, "push", "-q", "../there", "main:topic")
    assert (done.returncode, said in f"{done.stdout.decode()}{done.stderr.decode()}") == (1, True), done
    assert git(tmp_path / "there", "branch", "--list", "topic") == b""
