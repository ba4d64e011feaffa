"""Start one git process and wait for it: bytes in, bytes out, a time-out, no shell, exactly one environment.

Git itself finds repositories and answers for configuration, identity and refs, so no library stands in between: one
would cost every command a third of its start, and would pass on an environment that nobody scrubbed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from editblocks.core.errors import RepoError


class Answer(NamedTuple):
    """The result of a process: `status` is negative if a signal ended it (ours, after the time-out)."""

    status: int
    output: bytes
    error: str


Launch = Callable[[Sequence[str], Mapping[str, str], bytes, float], Answer]  # argv, environment, stdin, seconds


def start(command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float) -> Answer:
    """Run `command` with exactly this environment. Raises `RepoError` if it cannot be started."""
    try:
        done = subprocess.run(command, input=stdin, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return Answer(-9, b"", "time-out")
    except OSError as error:
        reason = (error.strerror or "not found").lower()
        raise RepoError(f"{command[0]} cannot be started: {reason}; install git 2.34 or newer") from error
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))
