"""Start one git process and wait for it: bytes in, bytes out, a time-out, no shell.

Two ways to do the same. GitPython's process wrapper is the usual one. The standard library's is
for a Git hook, which may not pay for a third-party import (docs/internals/design.md, "start-up time"), and for callers
whose environment was not scrubbed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from editblocks.core.errors import RepoError, reason_of


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a process: `status` is negative if a signal ended it (ours, after the time-out)."""

    status: int
    output: bytes
    error: str


Launch = Callable[[Sequence[str], Mapping[str, str], bytes, float], Answer]  # argv, environment, stdin, seconds


def through_subprocess(command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float) -> Answer:
    """Run `command` with exactly this environment. Raises `RepoError` if it cannot be started."""
    try:
        done = subprocess.run(command, input=stdin, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return Answer(-9, b"", "time-out")
    except OSError as error:
        raise _cannot_start(command, error) from error
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))


def through_gitpython(command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float) -> Answer:
    """Run `command` by GitPython, which adds `environment` to `os.environ`. Raises as `through_subprocess`."""
    if any(name not in environment and not name.startswith("GIT_PYTHON_") for name in os.environ):
        # GitPython passes os.environ on and cannot leave a variable out of it; a GIT_DIR that
        # nobody scrubbed would lead git to another repository.
        return through_subprocess(command, environment, stdin, seconds)
    # GitPython runs git once on import: let it be this one, not whatever PATH names first.
    os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", command[0])
    from git import Git, GitCommandNotFound

    timeout = None if sys.platform == "win32" else seconds  # GitPython has no time-out on Windows
    with _readable(stdin) as istream:
        try:
            status, output, error = Git().execute(
                list(command),
                istream=istream,
                env=environment,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=timeout,
                shell=False,
            )
        except (OSError, GitCommandNotFound) as error_:
            raise _cannot_start(command, error_) from error_
    return Answer(status, output, error)


@contextmanager
def _readable(data: bytes) -> Iterator[BinaryIO]:
    """A nameless file at its start: GitPython hands a descriptor on as stdin and has no way to pass bytes."""
    import tempfile  # hooks, which people wait for, never come here

    with ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile(buffering=0))
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            file.seek(0)
        except OSError as error:
            raise RepoError(
                f"{tempfile.gettempdir()} cannot be written: {reason_of(error)}; nothing was changed"
            ) from error
        yield file


def _cannot_start(command: Sequence[str], error: Exception) -> RepoError:
    reason = (getattr(error, "strerror", None) or "not found").lower()
    return RepoError(f"{command[0]} cannot be started: {reason}; install git 2.34 or newer")
