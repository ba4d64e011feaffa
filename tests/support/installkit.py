"""Helpers for tests of the hooks that `editblocks hook install` writes."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from support import gitkit
from support.hookkit import (
    STALE,
    shape,
    write,
)

from editblocks.faces.hooks.install import advice

LINE = f"{shlex.quote(sys.executable)} -I -m editblocks hook pre-commit || exit $?\n"
PUSH_LINE = advice("pre-push", f"{shlex.quote(sys.executable)} -I -m editblocks")


def bare_git(path: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    """Run git with the configuration in HOME and without editblocks on PATH: an installed hook names its own Python."""
    environment = {**gitkit.ISOLATED, "PATH": os.defpath, "HOME": os.environ["HOME"]}
    del environment["GIT_CONFIG_GLOBAL"]
    return subprocess.run(["git", *args], cwd=path, env=environment, capture_output=True, check=False)


def commits(path: Path) -> tuple[int, str]:
    """Try to commit a response that does not fit, and return git's exit code and the shape of its messages."""
    write(path, ".edits/a.md", STALE)
    done = bare_git(path, "commit", "-qm", "x")
    return done.returncode, shape(done.stderr)
